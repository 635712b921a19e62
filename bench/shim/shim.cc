#include "shim.h"

#include "display.hh"
#include "progress.h"

#include <benchmark/benchmark.h>

#include <cctype>
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
  ~Case() {
    if (c.release)
      c.release(c.data);
  }
};

void time_case(benchmark::State &state, Case &k) {
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
entries competing;
std::vector<std::string> selected;
std::string output_file;
bool list_only = false, interleaved = false, json = false, json_file = true;
long repetitions = 1;

// To list or to run, and the file that Google Benchmark empties in either case.
void set_flags(bool list, const std::string &file) {
  // Google Benchmark keeps the pointer to the program's name, for the "executable" of the JSON context.
  static char program[] = "posenc-bench";
  std::string list_flag = std::string("--benchmark_list_tests=") + (list ? "true" : "false");
  std::string file_flag = "--benchmark_out=" + file;
  char *flags[] = {program, &list_flag[0], &file_flag[0], nullptr};
  int n = 3;
  benchmark::Initialize(&n, flags);
}

// Google Benchmark's own reading of a flag without a value, or with one.
bool is_true(const std::string &value) {
  return value.empty() ||
         (value != "false" && value != "no" && value != "off" && std::strchr("0fFnN", value[0]) == nullptr);
}

// A wrong format makes Google Benchmark print its help and leave with success: catch it first.
bool is_format(const std::string &value) { return value == "console" || value == "json" || value == "csv"; }

// What else is done here depends on these flags. False: the value is not allowed.
bool take_flag(const std::string &name, const std::string &value) {
  if (name == "repetitions")
    repetitions = std::strtol(value.c_str(), nullptr, 10);
  else if (name == "out")
    output_file = value;
  else if (name == "context")
    context.emplace_back("benchmark_context", value);
  else if (name == "list_tests")
    list_only = value != "false";
  else if (name == "enable_random_interleaving")
    interleaved = is_true(value);
  else if (name == "format")
    json = value == "json";
  else if (name == "out_format")
    json_file = value == "json";
  return (name != "format" && name != "out_format") || is_format(value);
}

} // namespace

const char *shim_flags(int argc, char **argv) {
  for (const char *name : {"repetitions", "out", "enable_random_interleaving", "format", "out_format"}) {
    std::string variable = std::string("BENCHMARK_") + name;
    for (char &c : variable)
      c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (const char *value = std::getenv(variable.c_str()))
      take_flag(name, value);
  }
  for (int i = 1; i < argc; i++) {
    const std::string flag = argv[i];
    const size_t equals = flag.find('='), prefix = std::strlen("--benchmark_");
    if (flag.compare(0, prefix, "--benchmark_") == 0 &&
        !take_flag(flag.substr(prefix, equals - prefix), equals == std::string::npos ? "" : flag.substr(equals + 1)))
      return argv[i];
  }
  benchmark::Initialize(&argc, argv);
  return argc > 1 ? argv[1] : nullptr;
}

void shim_register(const shim_case *c) {
  auto k = std::make_shared<Case>(*c);
  auto *registered = benchmark::RegisterBenchmark(c->name, [k](benchmark::State &state) { time_case(state, *k); });
  registered->Unit(benchmark::kMicrosecond);
  if (c->wall)
    registered->UseRealTime();
  if (c->who)
    competing[k->name + (c->wall ? "/real_time" : "")] = {
        contest_of(k->name, c->who, c->stands_for), c->who, c->stands_for != nullptr, c->wall};
}

void shim_context(const char *key, const char *value) {
  context.emplace_back(key, value);
  benchmark::AddCustomContext(key, value);
}

size_t shim_select(void) {
  // The filter is known to Google Benchmark alone: ask it to list.
  display names(context, nullptr);
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

bool shim_list_asked_for(void) { return list_only; }

const char *shim_output_file(void) { return output_file.empty() ? nullptr : output_file.c_str(); }

void shim_list(void) {
  for (const std::string &name : selected)
    std::cout << name << "\n";
  std::cout.flush();
}

size_t shim_run_all(void) {
  const entries none;
  json_reporter on_screen(interleaved ? competing : none), in_file(interleaved ? competing : none);
  display results(context, json ? &on_screen : nullptr);
  progress_start(static_cast<long>(selected.size()) * (repetitions > 1 ? repetitions : 1));
  benchmark::RunSpecifiedBenchmarks(&results, output_file.empty() || !json_file ? nullptr : &in_file);
  progress_clear();
  return results.errors;
}

void shim_release(void) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
}

void shim_bytes(shim_run *run, int64_t per_pass) {
  run->state->counters["bytes_per_second"] =
      Counter(static_cast<double>(per_pass), Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

void shim_items(shim_run *run, int64_t per_pass) {
  run->state->counters["items_per_second"] =
      Counter(static_cast<double>(per_pass), Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

void shim_counter(shim_run *run, const char *name, double value) { run->state->counters[name] = Counter(value); }

void shim_label(shim_run *run, const char *text) { run->state->SetLabel(text); }

void shim_void(shim_run *run, const char *why) { run->state->SkipWithError(why); }
