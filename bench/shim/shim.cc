#include "shim.h"

#include "../../verify/tools/progress.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using benchmark::Counter;

struct Case {
  shim_case c;
  std::string name, label;
  int64_t passes; // in its latest run
};

std::deque<Case> cases; // a deque, whose elements never move
std::vector<std::pair<std::string, std::string>> context;
bool interleaved;

// Repetitions that have begun, and those of the whole run. With random interleaving Google Benchmark itself shows
// nothing until the end.
struct {
  int64_t begun, total, repetitions = 1;
} progress;

void show_progress(Case &k, int64_t passes) {
  // While Google Benchmark looks for the number of passes, each attempt has more passes than the one before. The first
  // attempt and the later repetitions, which keep the number, count as new repetitions.
  const bool another_attempt = k.passes != 0 && passes > k.passes;
  k.passes = passes;
  if (!another_attempt)
    progress_show(progress.begun++, progress.total, "measurements", k.name.c_str());
}

void time_case(benchmark::State &state, Case &k) {
  show_progress(k, state.max_iterations);
  state.SetLabel(k.label); // first, because the results of a failed run have the label, and no counters
  const char *error = k.c.begin ? k.c.begin(k.c.data) : nullptr;
  if (error) {
    state.SkipWithError(error);
    return;
  }
  k.c.pass(k.c.data); // not timed, so that caches, page tables and the clock for wide vectors settle first
  benchmark::DoNotOptimize(k.c.data);
  for (auto _ : state) { // NOLINT(clang-analyzer-deadcode.DeadStores): Google Benchmark's way to count
    k.c.pass(k.c.data);
    benchmark::ClobberMemory();
  }
  shim_result result = {};
  if (k.c.done)
    k.c.done(k.c.data, &result);
  if (result.error)
    state.SkipWithError(result.error);
  if (result.bytes)
    state.counters["bytes_per_second"] =
        Counter(static_cast<double>(result.bytes), Counter::kIsIterationInvariantRate, Counter::kIs1000);
  if (result.rows && result.huge_pages >= 0)
    state.counters["huge_pages"] = Counter(result.huge_pages);
  if (k.c.offset >= 0)
    state.counters["offset"] = Counter(static_cast<double>(k.c.offset));
  const std::pair<const char *, int64_t> numbers[] = {{"positions", k.c.positions}, {"columns", k.c.columns},
      {"rows", result.rows}, {"end", k.c.end}, {"wall", k.c.wall}};
  for (const auto &number : numbers)
    if (number.second != 0)
      state.counters[number.first] = Counter(static_cast<double>(number.second));
}

// Whether a run ended in an error. Google Benchmark names it error_message up to 1.7, skip_message since 1.8.
template <typename Run> auto failed(const Run &run) -> decltype(run.error_message.empty()) {
  return !run.error_message.empty();
}
template <typename Run> auto failed(const Run &run) -> decltype(run.skip_message.empty()) {
  return !run.skip_message.empty();
}

// Passes the results to Google Benchmark's own reporters, and counts the cases that failed. Google Benchmark's context
// on the screen warns that the *library* was built for debugging, which it always says of Debian's package, and which
// says nothing about the code that is measured here; so another one is printed. The JSON is kept in memory, because
// Google Benchmark leaves a part of a file when it is ended, and reports no failed write.
class reporter : public benchmark::BenchmarkReporter {
public:
  reporter(bool is_quiet, bool has_screen)
      : quiet(is_quiet), screen(has_screen ? benchmark::CreateDefaultDisplayReporter() : nullptr) {
    file.SetOutputStream(&text);
  }

  bool ReportContext(const Context &machine) override {
    file.ReportContext(machine);
    if (screen) {
      std::ostringstream unwanted;
      screen->SetErrorStream(&unwanted);
      screen->ReportContext(machine);
      screen->SetErrorStream(&GetErrorStream());
    }
    if (quiet)
      return true;
    for (const auto &line : context)
      if (line.first.find('.') == std::string::npos) // keys with a dot are lists for programs that read the JSON
        GetErrorStream() << line.first << ": " << line.second << "\n";
    if (machine.cpu_info.scaling == benchmark::CPUInfo::ENABLED)
      GetErrorStream() << "warning: CPU frequency scaling is enabled; expect more spread\n";
    return true;
  }
  void ReportRuns(const std::vector<Run> &runs) override {
    progress_clear();
    errors += std::any_of(runs.begin(), runs.end(), failed<Run>);
    file.ReportRuns(runs);
    if (screen)
      screen->ReportRuns(runs);
  }
  void Finalize() override {
    file.Finalize();
    if (screen)
      screen->Finalize();
  }

  size_t errors = 0; // cases that ended in an error
  std::ostringstream text;

private:
  bool quiet;
  benchmark::BenchmarkReporter *screen; // not owned; may be null
  benchmark::JSONReporter file;
};

// Runs the selected cases, or lists them.
void run(bool list, benchmark::BenchmarkReporter *to) {
  // The program's name is static because Google Benchmark keeps a pointer to it for "executable" in the JSON context.
  static char program[] = "posenc-bench";
  std::string flag = std::string("--benchmark_list_tests=") + (list ? "true" : "false");
  char *arguments[] = {program, &flag[0], nullptr};
  int n = 2;
  benchmark::Initialize(&n, arguments);
  benchmark::RunSpecifiedBenchmarks(to);
}

} // namespace

const char *shim_flags(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const std::string flag = argv[i];
    const size_t equals = flag.find('=');
    const std::string name = flag.substr(0, equals), value = equals == std::string::npos ? "" : flag.substr(equals + 1);
    if (std::strstr(SHIM_OPTIONS, (name + "=").c_str()) == nullptr)
      return argv[i];
    if (name == "--benchmark_repetitions")
      progress.repetitions = std::max(1L, std::atol(value.c_str()));
    if (name == "--benchmark_enable_random_interleaving") {
      interleaved = value == "true";
      if (!interleaved && value != "false")
        return argv[i];
    }
  }
  benchmark::Initialize(&argc, argv);
  return argc > 1 ? argv[1] : nullptr;
}

bool shim_interleaved(void) { return interleaved; }

void shim_register(const shim_case *c) {
  cases.push_back({*c, c->name, c->label, 0});
  Case *k = &cases.back();
  auto *registered = benchmark::RegisterBenchmark(c->name, [k](benchmark::State &state) { time_case(state, *k); });
  registered->Unit(benchmark::kMicrosecond);
  if (c->wall)
    registered->UseRealTime();
}

void shim_context(const char *key, const char *value) {
  context.emplace_back(key, value);
  benchmark::AddCustomContext(key, value);
}

size_t shim_select(bool print) {
  // Only Google Benchmark knows which cases the filter selects, so it lists them.
  benchmark::ConsoleReporter names;
  std::stringstream text;
  names.SetOutputStream(&text);
  run(true, &names);
  size_t count = 0;
  for (std::string line; std::getline(text, line); count++)
    if (print)
      std::puts(line.c_str());
  progress.total = static_cast<int64_t>(count) * progress.repetitions;
  return count;
}

size_t shim_run(bool quiet, bool screen, const char **json) {
  static std::string text;
  reporter results(quiet, screen);
  run(false, &results);
  progress_clear();
  text = results.text.str();
  *json = text.c_str();
  return results.errors;
}

void shim_release(void) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  for (const Case &k : cases)
    if (k.c.release)
      k.c.release(k.c.data);
}
