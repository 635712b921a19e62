#include "shim.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using benchmark::Counter;

std::vector<bench_case *> cases;

void time_case(benchmark::State &state, bench_case &c) {
  state.SetLabel(c.label); // first, because the results of a failed run have the label, and no counters
  const char *error = bench_begin(&c);
  if (error) {
    state.SkipWithError(error);
    return;
  }
  bench_pass(&c);        // not timed, so that caches, page tables and the clock for wide vectors settle first
  for (auto _ : state) { // NOLINT(clang-analyzer-deadcode.DeadStores): Google Benchmark's way to count
    bench_pass(&c);
    benchmark::ClobberMemory();
  }
  if (c.status != POSENC_OK)
    state.SkipWithError(posenc_status_string(c.status));
  if (c.rows > 0) {
    const auto bytes = static_cast<double>(c.rows * c.columns) * static_cast<double>(posenc_dtype_size(c.dtype));
    state.counters["bytes_per_second"] = Counter(bytes, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  }
  if (c.offset >= 0) {
    state.counters["offset"] = Counter(static_cast<double>(c.offset));
    if (c.huge_pages >= 0)
      state.counters["huge_pages"] = Counter(c.huge_pages);
  }
  if (c.error > 0) {
    state.counters["error"] = Counter(c.error);
    state.counters["not_nearest"] = Counter(static_cast<double>(c.not_nearest));
  }
  const std::pair<const char *, int64_t> numbers[] = {
      {"positions", c.table_rows}, {"columns", c.columns}, {"rows", c.rows}, {"end", c.end}, {"wall", c.wall}};
  for (const auto &number : numbers)
    if (number.second != 0)
      state.counters[number.first] = Counter(static_cast<double>(number.second));
}

// Registers a case with Google Benchmark, which runs it if its filter selects it.
void add(bench_case *c) {
  auto *added = benchmark::RegisterBenchmark(c->name, [c](benchmark::State &state) { time_case(state, *c); });
  added->Unit(benchmark::kMicrosecond);
  if (c->wall)
    added->UseRealTime();
}

// Whether a run ended in an error. Google Benchmark names it error_message up to 1.7, skip_message since 1.8.
template <typename Run> auto failed(const Run &run) -> decltype(run.error_message.empty()) {
  return !run.error_message.empty();
}
template <typename Run> auto failed(const Run &run) -> decltype(run.skip_message.empty()) {
  return !run.skip_message.empty();
}

// Passes the results of all size groups to Google Benchmark's own reporters, as one run, and counts the cases that failed.
// The JSON is kept in memory, because Google Benchmark leaves a part of a file when it is ended, and reports no failed
// write. Nothing is printed on stderr: neither that the filter selects no case of a size group, nor Google Benchmark's context,
// which warns that the *library* was built for debugging. It always says so of Debian's package, and that says nothing
// about the code that is measured here.
class Reporter : public benchmark::BenchmarkReporter {
public:
  explicit Reporter(bool has_screen) : screen(has_screen ? benchmark::CreateDefaultDisplayReporter() : nullptr) {
    SetErrorStream(&unwanted);
    file.SetOutputStream(&text);
    if (screen)
      screen->SetErrorStream(&unwanted);
  }

  bool ReportContext(const Context &machine) override {
    if (!has_begun) {
      file.ReportContext(machine);
      if (screen)
        screen->ReportContext(machine);
    }
    has_begun = true;
    return true;
  }
  void ReportRuns(const std::vector<Run> &runs) override {
    errors += std::any_of(runs.begin(), runs.end(), failed<Run>);
    file.ReportRuns(runs);
    if (screen)
      screen->ReportRuns(runs);
  }
  void Finalize() override {} // the end of a size group

  void end() {
    file.Finalize();
    if (screen)
      screen->Finalize();
  }

  size_t errors = 0; // cases that ended in an error
  std::ostringstream text;

private:
  bool has_begun = false;
  std::ostringstream unwanted;
  benchmark::BenchmarkReporter *screen; // not owned; may be null
  benchmark::JSONReporter file;
};

// Sets the flags that users cannot.
void set_flags(bool list) {
  // The program's name is static because Google Benchmark keeps a pointer to it for "executable" in the JSON context.
  static char program[] = "posenc-bench", interleave[] = "--benchmark_enable_random_interleaving=true";
  std::string listed = std::string("--benchmark_list_tests=") + (list ? "true" : "false");
  char *arguments[] = {program, interleave, &listed[0], nullptr};
  int n = 3;
  benchmark::Initialize(&n, arguments);
}

} // namespace

const char *shim_flags(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const std::string flag = argv[i];
    const size_t equals = flag.find('=');
    if (std::strstr(SHIM_OPTIONS, (flag.substr(0, equals) + "=").c_str()) == nullptr)
      return argv[i];
  }
  benchmark::Initialize(&argc, argv);
  return argc > 1 ? argv[1] : nullptr;
}

void shim_register(bench_case *c) { cases.push_back(c); }

void shim_context(const char *key, const char *value) { benchmark::AddCustomContext(key, value); }

bool shim_clock_scales(void) { return benchmark::CPUInfo::Get().scaling == benchmark::CPUInfo::ENABLED; }

size_t shim_select(bool print) {
  benchmark::ConsoleReporter names;
  std::ostringstream unwanted;
  if (!print)
    names.SetOutputStream(&unwanted);
  for (bench_case *c : cases)
    add(c);
  set_flags(true);
  return benchmark::RunSpecifiedBenchmarks(&names);
}

size_t shim_run(bool screen, const char **json) {
  // The cases of a size group write tables of one size, dtype and offset. They run side by side, because the speed of a
  // shared machine changes within seconds.
  std::map<std::tuple<int64_t, int64_t, int, int64_t>, std::vector<bench_case *>> size_groups;
  for (bench_case *c : cases)
    size_groups[{c->table_rows, c->columns, c->dtype, c->offset}].push_back(c);

  static std::string text;
  Reporter results(screen);
  set_flags(false);
  for (const auto &group : size_groups) {
    benchmark::ClearRegisteredBenchmarks();
    for (bench_case *c : group.second)
      add(c);
    benchmark::RunSpecifiedBenchmarks(&results);
  }
  results.end();
  text = results.text.str();
  *json = text.c_str();
  return results.errors;
}

void shim_release(void) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  for (bench_case *c : cases)
    bench_release(c);
}
