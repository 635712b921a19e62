#include "shim.h"

#include "../../verify/tools/progress.h"
#include "picks.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using benchmark::Counter;

struct Case {
  shim_case c;
  std::string name, label;
  int64_t passes;            // in its latest run
  std::vector<double> times; // seconds of the repetitions, per row
  std::string error, contest;

  shim_measured measured() const {
    return {&c, name.c_str(), contest.empty() ? nullptr : contest.c_str(),
        {times.data(), error.empty() ? static_cast<int>(times.size()) : 0}, error.empty() ? nullptr : error.c_str()};
  }
};

std::deque<Case> cases; // a deque, whose elements never move
std::vector<std::pair<std::string, std::string>> context;
std::vector<std::string> selected;
std::map<std::string, std::string> flags; // the given flags of Google Benchmark, without "--benchmark_"

// Reads a flag, with or without a value, as Google Benchmark does.
bool is_true(const char *name) {
  const auto flag = flags.find(name);
  return flag != flags.end() && flag->second != "off" &&
         (flag->second.empty() || std::strchr("0fFnN", flag->second[0]) == nullptr);
}

// Repetitions that have begun, and those of the whole run. With random interleaving Google Benchmark itself shows
// nothing until the end.
struct {
  int64_t begun, total;
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
  if (result.rows) {
    state.counters["rows"] = Counter(static_cast<double>(result.rows));
    if (result.huge_pages >= 0)
      state.counters["huge_pages"] = Counter(result.huge_pages);
  }
  const std::pair<const char *, int64_t> table[] = {
      {"positions", k.c.positions}, {"columns", k.c.columns}, {"end", k.c.end}, {"wall", k.c.wall}};
  for (const auto &counter : table)
    if (counter.second > 0)
      state.counters[counter.first] = Counter(static_cast<double>(counter.second));
  if (k.c.offset >= 0)
    state.counters["offset"] = Counter(static_cast<double>(k.c.offset));
}

// The error that a run ended in, or an empty text. Google Benchmark names it error_message up to 1.7, skip_message
// since 1.8.
template <typename Run> auto error_of(const Run &run) -> decltype(run.error_message) { return run.error_message; }
template <typename Run> auto error_of(const Run &run) -> decltype(run.skip_message) { return run.skip_message; }

// Notes the time or the error of a repetition. Google Benchmark's aggregates are not noted.
void note(const benchmark::BenchmarkReporter::Run &run) {
  const std::string name = run.run_name.str();
  for (Case &k : cases) {
    if (k.name != name)
      continue;
    const auto rows = run.counters.find("rows");
    if (!error_of(run).empty())
      k.error = error_of(run);
    else if (run.run_type == benchmark::BenchmarkReporter::Run::RT_Iteration)
      k.times.push_back((k.c.wall ? run.real_accumulated_time : run.cpu_accumulated_time) /
                        static_cast<double>(run.iterations) /
                        (rows == run.counters.end() ? 1.0 : static_cast<double>(rows->second)));
  }
}

std::vector<shim_measured> all_measured() {
  std::vector<shim_measured> all;
  for (const Case &k : cases)
    all.push_back(k.measured());
  return all;
}

// Google Benchmark's JSON, with the verdicts and the picks at its end. The display has noted the runs before.
class json_reporter : public benchmark::JSONReporter {
public:
  explicit json_reporter(bool picks) : has_picks(picks) {}

  void Finalize() override {
    std::ostream &out = GetOutputStream();
    std::ostringstream end;
    SetOutputStream(&end);
    benchmark::JSONReporter::Finalize();
    SetOutputStream(&out);
    std::string text = end.str();
    text.erase(text.rfind('}'));
    text.erase(text.find_last_not_of(" \n") + 1);
    const std::vector<shim_measured> all = has_picks ? all_measured() : std::vector<shim_measured>();
    char *picks = picks_json(all.data(), all.size());
    out << text << "," << picks + 1 << "\n"; // joins both objects to one
    std::free(picks);
  }

private:
  bool has_picks;
};

// The display reporter that the flags select, with three changes: it prints another context, clears the progress line
// before it prints results, and notes the results. Google Benchmark's own context warns that the *library* was built
// for debugging, which it always says of Debian's package, and which says nothing about the code that is measured here.
class display : public benchmark::BenchmarkReporter {
public:
  display(benchmark::BenchmarkReporter *reporter, bool is_quiet) : inner(reporter), quiet(is_quiet) {}

  bool ReportContext(const Context &machine) override {
    std::ostringstream unwanted;
    inner->SetErrorStream(&unwanted);
    const bool go_on = inner->ReportContext(machine);
    inner->SetErrorStream(&GetErrorStream());
    if (quiet)
      return go_on;
    for (const auto &line : context)
      if (line.first.find('.') == std::string::npos) // keys with a dot are lists for programs that read the file
        GetErrorStream() << line.first << ": " << line.second << "\n";
    if (machine.cpu_info.scaling == benchmark::CPUInfo::ENABLED)
      GetErrorStream() << "warning: CPU frequency scaling is enabled; expect more spread\n";
    return go_on;
  }
  void ReportRuns(const std::vector<Run> &runs) override {
    progress_clear();
    std::for_each(runs.begin(), runs.end(), note);
    errors += std::any_of(runs.begin(), runs.end(), [](const Run &run) { return !error_of(run).empty(); });
    inner->ReportRuns(runs);
  }
  void Finalize() override { inner->Finalize(); }

  benchmark::BenchmarkReporter *inner; // not owned
  bool quiet;
  size_t errors = 0; // cases that ended in an error
};

// Notes the runs and prints nothing.
class collector : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override { std::for_each(runs.begin(), runs.end(), note); }
};

// Selects listing or running, and sets the output file, which Google Benchmark empties in both modes.
void set_flags(bool list, const std::string &file) {
  // The program's name is static because Google Benchmark keeps a pointer to it for "executable" in the JSON context.
  static char program[] = "posenc-bench";
  std::string list_flag = std::string("--benchmark_list_tests=") + (list ? "true" : "false");
  std::string file_flag = "--benchmark_out=" + file;
  char *arguments[] = {program, &list_flag[0], &file_flag[0], nullptr};
  int n = 3;
  benchmark::Initialize(&n, arguments);
}

} // namespace

const char *shim_flags(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const std::string flag = argv[i];
    const size_t equals = flag.find('='), prefix = std::strlen("--benchmark_");
    if (flag.compare(0, prefix, "--benchmark_") != 0)
      continue;
    const std::string name = flag.substr(prefix, equals - prefix),
                      value = equals == std::string::npos ? "" : flag.substr(equals + 1);
    flags[name] = value;
    // Checked here because Google Benchmark prints its help and exits with 0 when the format is wrong.
    if ((name == "format" || name == "out_format") && value != "console" && value != "json" && value != "csv")
      return argv[i];
  }
  benchmark::Initialize(&argc, argv);
  return argc > 1 ? argv[1] : nullptr;
}

bool shim_interleaved(void) { return is_true("enable_random_interleaving"); }

void shim_register(const shim_case *c) {
  cases.push_back({*c, std::string(c->name) + (c->wall ? "/real_time" : ""), c->label, 0, {}, "", ""});
  Case *k = &cases.back();
  auto *registered = benchmark::RegisterBenchmark(c->name, [k](benchmark::State &state) { time_case(state, *k); });
  registered->Unit(benchmark::kMicrosecond);
  if (c->wall)
    registered->UseRealTime();
  const std::string who = c->who ? c->who : "";
  const size_t at = k->name.find("/" + who + "/");
  if (c->who && at != std::string::npos) {
    k->contest = std::string(c->name).replace(at + 1, who.size(), "*");
    if (c->stands_for)
      k->contest.replace(0, k->contest.find('/'), c->stands_for);
  }
}

void shim_context(const char *key, const char *value) {
  context.emplace_back(key, value);
  benchmark::AddCustomContext(key, value);
}

size_t shim_select(void) {
  // Only Google Benchmark knows which cases the filter selects, so it lists them.
  benchmark::ConsoleReporter names;
  std::stringstream text;
  names.SetOutputStream(&text);
  set_flags(true, "");
  benchmark::RunSpecifiedBenchmarks(&names);
  for (std::string line; std::getline(text, line);)
    selected.push_back(line);
  return selected.size();
}

const char *shim_output_file(void) { return flags["out"].empty() ? nullptr : flags["out"].c_str(); }

bool shim_list(bool wanted) {
  for (const std::string &name : selected)
    if (wanted || is_true("list_tests"))
      std::puts(name.c_str());
  return wanted || is_true("list_tests");
}

size_t shim_run_all(bool quiet, bool picks, const char **file) {
  // Its file is in memory, because Google Benchmark leaves a part of a file when it is ended, and reports no failed write.
  const int memory = memfd_create("results", MFD_CLOEXEC);
  set_flags(false, file ? "/proc/self/fd/" + std::to_string(memory) : "");
  const bool judged = picks && shim_interleaved();
  json_reporter on_screen(judged), in_file(judged);
  display results(flags["format"] == "json" ? &on_screen : benchmark::CreateDefaultDisplayReporter(), quiet);
  progress.total = static_cast<int64_t>(selected.size()) * std::max(1L, std::atol(flags["repetitions"].c_str()));
  const bool json_file = flags.count("out_format") == 0 || flags["out_format"] == "json";
  benchmark::RunSpecifiedBenchmarks(&results, file && json_file ? &in_file : nullptr);
  progress_clear();
  if (file) {
    const size_t size = static_cast<size_t>(lseek(memory, 0, SEEK_END));
    const bool whole = write(memory, "", 1) == 1; // ends the text; fails if an earlier write did
    void *text = whole ? mmap(nullptr, size + 1, PROT_READ, MAP_SHARED, memory, 0) : MAP_FAILED;
    *file = text == MAP_FAILED ? nullptr : static_cast<const char *>(text);
  }
  return results.errors;
}

void shim_measure(int turns, void (*before)(void), shim_take *take, void *data) {
  char program[] = "posenc-bench", interleaved[] = "--benchmark_enable_random_interleaving=true",
       seconds[] = "--benchmark_min_time=0.005";
  char *arguments[] = {program, interleaved, seconds, nullptr};
  int n = 3;
  benchmark::Initialize(&n, arguments);
  collector results;
  progress.total = static_cast<int64_t>(cases.size()) * turns;
  // A run per turn, because Google Benchmark would shuffle the repetitions of all turns together.
  for (int turn = 0; turn < turns && !cases.empty(); turn++) {
    before();
    benchmark::RunSpecifiedBenchmarks(&results);
  }
  progress_clear();
  for (const Case &k : cases) {
    const shim_measured m = k.measured();
    take(data, &m);
  }
}

void shim_release(void) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  for (const Case &k : cases)
    if (k.c.release)
      k.c.release(k.c.data);
}
