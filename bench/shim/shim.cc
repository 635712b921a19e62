#include "shim.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using benchmark::Counter;

struct Case {
  shim_case c;
  std::string name, label;
};

std::deque<Case> cases;         // a deque, whose elements never move
std::set<std::string> selected; // the names of the cases that the filter selects
std::vector<std::pair<std::string, std::string>> context;

// The cases of one work write tables of one size and dtype. They run side by side, because the speed
// of a shared machine changes within seconds.
std::string work_of(const Case &k) {
  const std::string dtype = k.label.substr(k.label.rfind(' '));
  return std::to_string(k.c.positions) + ' ' + std::to_string(k.c.columns) + dtype + ' ' + std::to_string(k.c.offset);
}

// Google Benchmark's name for the case.
std::string full_name(const Case &k) { return k.name + (k.c.wall ? "/real_time" : ""); }

// For each work, the beginning of a regular expression that matches the names of its selected cases.
std::map<std::string, std::string> works() {
  std::map<std::string, std::string> found;
  for (const Case &k : cases)
    if (selected.count(full_name(k)) != 0) {
      std::string &pattern = found[work_of(k)];
      pattern += (pattern.empty() ? "^(" : "|") + full_name(k);
    }
  return found;
}

void time_case(benchmark::State &state, Case &k) {
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
  if (k.c.error > 0) {
    state.counters["error"] = Counter(k.c.error);
    state.counters["not_nearest"] = Counter(static_cast<double>(k.c.not_nearest));
  }
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

// Passes the results of all works to Google Benchmark's own reporters, as one run, and counts the cases that failed.
// Google Benchmark's context on the screen warns that the *library* was built for debugging, which it always says of
// Debian's package, and which says nothing about the code that is measured here; so another one is printed. The JSON is
// kept in memory, because Google Benchmark leaves a part of a file when it is ended, and reports no failed write.
class reporter : public benchmark::BenchmarkReporter {
public:
  reporter(bool is_quiet, bool has_screen)
      : quiet(is_quiet), screen(has_screen ? benchmark::CreateDefaultDisplayReporter() : nullptr) {
    file.SetOutputStream(&text);
  }

  bool ReportContext(const Context &machine) override {
    if (has_begun)
      return true;
    has_begun = true;
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
    errors += std::any_of(runs.begin(), runs.end(), failed<Run>);
    file.ReportRuns(runs);
    if (screen)
      screen->ReportRuns(runs);
  }
  void Finalize() override {} // the end of a work

  void end() {
    file.Finalize();
    if (screen)
      screen->Finalize();
  }

  size_t errors = 0; // cases that ended in an error
  std::ostringstream text;

private:
  bool quiet, has_begun = false;
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

void shim_register(const shim_case *c) {
  cases.push_back({*c, c->name, c->label});
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
  set_flags(true);
  benchmark::RunSpecifiedBenchmarks(&names);
  for (std::string line; std::getline(text, line); selected.insert(line))
    if (print)
      std::puts(line.c_str());
  return selected.size();
}

size_t shim_run(bool quiet, bool screen, const char **json) {
  static std::string text;
  reporter results(quiet, screen);
  set_flags(false);
  for (const auto &work : works())
    benchmark::RunSpecifiedBenchmarks(&results, work.second + ")$");
  results.end();
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
