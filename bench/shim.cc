#include "shim.h"

#include "progress.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

struct shim_run {
  benchmark::State *state;
};

namespace {

using benchmark::Counter;

struct Case {
  shim_case c;
  std::string name;
  progress_case seen;

  explicit Case(const shim_case &given) : c(given), name(given.name), seen() {}
  Case(const Case &) = delete;
  Case &operator=(const Case &) = delete;
  ~Case()
  {
    if (c.release)
      c.release(c.data);
  }
};

void time_case(benchmark::State &state, Case &k)
{
  progress_run(&k.seen, k.name.c_str(), state.max_iterations);
  if (k.c.begin) {
    const char *error = k.c.begin(k.c.data);
    if (error) {
      state.SkipWithError(error);
      return;
    }
  }
  k.c.pass(k.c.data); // caches, page tables and the clock of wide vectors settle outside the measurement
  benchmark::DoNotOptimize(k.c.data);
  for (auto _ : state) {
    k.c.pass(k.c.data);
    benchmark::ClobberMemory();
  }
  if (k.c.end) {
    shim_run run{&state};
    k.c.end(k.c.data, &run);
  }
}

// The display reporter the flags ask for, with two changes. Its context is replaced: it warns that the *library* was
// built for debugging, which Debian's package always says, and which says nothing about the code measured here. And
// the progress line makes room for results.
class Display : public benchmark::BenchmarkReporter {
 public:
  Display() : inner(benchmark::CreateDefaultDisplayReporter()), errors(0) {}

  bool ReportContext(const Context &context) override
  {
    std::ostringstream unwanted;
    inner->SetErrorStream(&unwanted);
    const bool go_on = inner->ReportContext(context);
    inner->SetErrorStream(&GetErrorStream());
    const auto *lines = benchmark::internal::GetGlobalContext();
    if (lines)
      for (const auto &line : *lines)
        if (line.first.find('.') == std::string::npos) // keys with a dot are lists, for the programs that read the file
          GetErrorStream() << line.first << ": " << line.second << "\n";
    if (context.cpu_info.scaling == benchmark::CPUInfo::ENABLED)
      GetErrorStream() << "warning: CPU frequency scaling is enabled; expect more spread\n";
    return go_on;
  }
  void ReportRuns(const std::vector<Run> &runs) override
  {
    progress_clear();
    bool failed = false;
    for (const Run &run : runs)
      failed = failed || run.error_occurred;
    errors += failed;
    inner->ReportRuns(runs);
  }
  void Finalize() override { inner->Finalize(); }

  benchmark::BenchmarkReporter *inner; // owned by Google Benchmark
  size_t errors;
};

// What the filter selects is known to Google Benchmark alone: ask it to list.
std::vector<std::string> selected()
{
  // Google Benchmark keeps the pointer to the program's name, for the "executable" of the JSON context.
  static char program[] = "posenc-bench";
  char list[] = "--benchmark_list_tests=true", run[] = "--benchmark_list_tests=false";
  char *on[] = {program, list, nullptr}, *off[] = {program, run, nullptr};
  int n_on = 2, n_off = 2;
  Display names;
  std::ostringstream text;
  names.SetOutputStream(&text);
  benchmark::Initialize(&n_on, on);
  benchmark::RunSpecifiedBenchmarks(&names);
  benchmark::Initialize(&n_off, off);

  std::vector<std::string> lines;
  std::istringstream in(text.str());
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

bool list_asked_for = false;
long repetitions = 1;

// A wrong format makes Google Benchmark print its help and leave with success: catch it first.
bool bad_format(const char *arg)
{
  for (const char *flag : {"--benchmark_format=", "--benchmark_out_format="})
    if (std::strncmp(arg, flag, std::strlen(flag)) == 0) {
      const std::string format = arg + std::strlen(flag);
      return format != "console" && format != "json" && format != "csv";
    }
  return false;
}

} // namespace

const char *shim_flags(int argc, char **argv)
{
  const char *from_environment = std::getenv("BENCHMARK_REPETITIONS");
  if (from_environment)
    repetitions = std::strtol(from_environment, nullptr, 10);
  for (int i = 1; i < argc; i++) {
    static const char flag[] = "--benchmark_repetitions=";
    if (bad_format(argv[i]))
      return argv[i];
    if (std::strncmp(argv[i], flag, sizeof flag - 1) == 0)
      repetitions = std::strtol(argv[i] + sizeof flag - 1, nullptr, 10);
    if (std::strncmp(argv[i], "--benchmark_list_tests", 22) == 0)
      list_asked_for = std::strcmp(argv[i], "--benchmark_list_tests=false") != 0;
  }
  benchmark::Initialize(&argc, argv);
  return argc > 1 ? argv[1] : nullptr;
}

void shim_register(const shim_case *c)
{
  auto k = std::make_shared<Case>(*c);
  auto *registered = benchmark::RegisterBenchmark(c->name, [k](benchmark::State &state) { time_case(state, *k); });
  registered->Unit(benchmark::kMicrosecond);
}

void shim_context(const char *key, const char *value)
{
  benchmark::AddCustomContext(key, value);
}

size_t shim_list(void)
{
  const std::vector<std::string> names = selected();
  for (const std::string &name : names)
    std::cout << name << "\n";
  std::cout.flush();
  benchmark::ClearRegisteredBenchmarks();
  return names.size();
}

size_t shim_run_all(size_t *errors)
{
  if (list_asked_for)
    return shim_list();
  const std::vector<std::string> names = selected();
  if (!names.empty()) {
    Display display;
    progress_start(static_cast<long>(names.size()) * (repetitions > 1 ? repetitions : 1));
    benchmark::RunSpecifiedBenchmarks(&display);
    progress_clear();
    *errors += display.errors;
  }
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  return names.size();
}

void shim_bytes(shim_run *run, int64_t per_pass)
{
  run->state->counters["bytes_per_second"] =
      Counter(static_cast<double>(per_pass), Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

void shim_items(shim_run *run, int64_t per_pass)
{
  run->state->counters["items_per_second"] =
      Counter(static_cast<double>(per_pass), Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

void shim_counter(shim_run *run, const char *name, double value)
{
  run->state->counters[name] = Counter(value);
}

void shim_label(shim_run *run, const char *text)
{
  run->state->SetLabel(text);
}
