#include "shim.h"

#include "display.hh"
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
  for (auto _ : state) { // NOLINT(clang-analyzer-deadcode.DeadStores): Google Benchmark's way to count
    k.c.pass(k.c.data);
    benchmark::ClobberMemory();
  }
  if (k.c.end) {
    shim_run run{&state};
    k.c.end(k.c.data, &run);
  }
}

context_lines context;
std::vector<std::string> selected;
std::string output_file;
bool list_only = false;
long repetitions = 1;

// To list or to run, and the file that Google Benchmark empties in either case.
void set_flags(bool list, const std::string &file)
{
  // Google Benchmark keeps the pointer to the program's name, for the "executable" of the JSON context.
  static char program[] = "posenc-bench";
  std::string list_flag = std::string("--benchmark_list_tests=") + (list ? "true" : "false");
  std::string file_flag = "--benchmark_out=" + file;
  char *flags[] = {program, &list_flag[0], &file_flag[0], nullptr};
  int n = 3;
  benchmark::Initialize(&n, flags);
}

// The rest of text if it starts so, or NULL.
const char *after(const char *start, const char *text)
{
  const size_t n = std::strlen(start);
  return std::strncmp(text, start, n) == 0 ? text + n : nullptr;
}

// A wrong format makes Google Benchmark print its help and leave with success: catch it first.
bool bad_format(const char *arg)
{
  for (const char *flag : {"--benchmark_format=", "--benchmark_out_format="})
    if (after(flag, arg)) {
      const std::string format = after(flag, arg);
      return format != "console" && format != "json" && format != "csv";
    }
  return false;
}

} // namespace

const char *shim_flags(int argc, char **argv)
{
  const char *value = std::getenv("BENCHMARK_REPETITIONS");
  if (value)
    repetitions = std::strtol(value, nullptr, 10);
  value = std::getenv("BENCHMARK_OUT");
  if (value)
    output_file = value;
  for (int i = 1; i < argc; i++) {
    if (bad_format(argv[i]))
      return argv[i];
    if ((value = after("--benchmark_repetitions=", argv[i])))
      repetitions = std::strtol(value, nullptr, 10);
    if ((value = after("--benchmark_out=", argv[i])))
      output_file = value;
    if ((value = after("--benchmark_context=", argv[i])))
      context.emplace_back("benchmark_context", value);
    if ((value = after("--benchmark_list_tests", argv[i])))
      list_only = std::strcmp(value, "=false") != 0;
  }
  benchmark::Initialize(&argc, argv);
  return argc > 1 ? argv[1] : nullptr;
}

void shim_register(const shim_case *c)
{
  auto k = std::make_shared<Case>(*c);
  auto *registered = benchmark::RegisterBenchmark(c->name, [k](benchmark::State &state) { time_case(state, *k); });
  registered->Unit(benchmark::kMicrosecond);
  if (c->wall)
    registered->UseRealTime();
}

void shim_context(const char *key, const char *value)
{
  context.emplace_back(key, value);
  benchmark::AddCustomContext(key, value);
}

size_t shim_select(void)
{
  // The filter is known to Google Benchmark alone: ask it to list.
  display names(context);
  std::ostringstream text;
  names.SetOutputStream(&text);
  set_flags(true, "");
  benchmark::RunSpecifiedBenchmarks(&names);
  set_flags(false, output_file);

  std::istringstream in(text.str());
  for (std::string line; std::getline(in, line);)
    selected.push_back(line);
  return selected.size();
}

bool shim_list_asked_for(void)
{
  return list_only;
}

const char *shim_output_file(void)
{
  return output_file.empty() ? nullptr : output_file.c_str();
}

void shim_list(void)
{
  for (const std::string &name : selected)
    std::cout << name << "\n";
  std::cout.flush();
}

size_t shim_run_all(void)
{
  display results(context);
  progress_start(static_cast<long>(selected.size()) * (repetitions > 1 ? repetitions : 1));
  benchmark::RunSpecifiedBenchmarks(&results);
  progress_clear();
  return results.errors;
}

void shim_release(void)
{
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
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

void shim_void(shim_run *run, const char *why)
{
  run->state->SkipWithError(why);
}
