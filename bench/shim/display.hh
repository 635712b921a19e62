// What Google Benchmark shows of a run, on the screen or as JSON; for shim.cc.
#ifndef POSENC_BENCH_DISPLAY_HH
#define POSENC_BENCH_DISPLAY_HH

#include "contest.hh"
#include "progress.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using context_lines = std::vector<std::pair<std::string, std::string>>; // key and value

// The cases that compete, by their names in the results.
struct entry {
  std::string contest, who;
  bool peer, wall;
};
using entries = std::map<std::string, entry>;

// Did a run end in an error? Google Benchmark has a flag for it to 1.7, and since 1.8 the kind of skipping, 0 for none.
template <typename Run> auto has_failed(const Run &run) -> decltype(static_cast<bool>(run.error_occurred))
{
  return run.error_occurred;
}
template <typename Run> auto has_failed(const Run &run) -> decltype(run.skipped != decltype(run.skipped)())
{
  return run.skipped != decltype(run.skipped)();
}

// Google Benchmark's JSON, and "verdicts" at its end.
class json_reporter : public benchmark::JSONReporter
{
public:
  explicit json_reporter(const entries &competing) : competing_(competing) {}

  void ReportRuns(const std::vector<Run> &runs) override
  {
    benchmark::JSONReporter::ReportRuns(runs);
    for (const Run &run : runs) {
      const auto found = competing_.find(run.run_name.str());
      if (found == competing_.end() || run.run_type != Run::RT_Iteration || has_failed(run))
        continue;
      const entry &e = found->second;
      std::vector<contestant> &contest = found_[e.contest];
      if (contest.empty() || contest.back().name != found->first)
        contest.push_back({found->first, e.who, e.peer, {}});
      const auto rows = run.counters.find("rows");
      contest.back().times.push_back((e.wall ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime()) /
                                     (rows == run.counters.end() ? 1.0 : static_cast<double>(rows->second)));
    }
  }
  void Finalize() override
  {
    std::ostream &out = GetOutputStream();
    std::ostringstream end;
    SetOutputStream(&end);
    benchmark::JSONReporter::Finalize();
    SetOutputStream(&out);
    std::string text = end.str();
    text.erase(text.rfind('}'));
    text.erase(text.find_last_not_of(" \n") + 1);
    out << text << ",\n  \"verdicts\": " << verdicts_json(found_) << "\n}\n";
  }

private:
  const entries &competing_;
  contests found_;
};

// The display reporter the flags ask for, with two changes. Its context is replaced: it warns that the *library* was
// built for debugging, which Debian's package always says, and which says nothing about the code measured here. And
// the progress line makes room for results.
class display : public benchmark::BenchmarkReporter
{
public:
  // given: NULL for the one the flags ask for
  display(const context_lines &lines, benchmark::BenchmarkReporter *given)
      : inner(given ? given : benchmark::CreateDefaultDisplayReporter()), errors(0), context(lines)
  {
  }

  bool ReportContext(const Context &machine) override
  {
    std::ostringstream unwanted;
    inner->SetErrorStream(&unwanted);
    const bool go_on = inner->ReportContext(machine);
    inner->SetErrorStream(&GetErrorStream());
    for (const auto &line : context)
      if (line.first.find('.') == std::string::npos) // keys with a dot are lists, for the programs that read the file
        GetErrorStream() << line.first << ": " << line.second << "\n";
    if (machine.cpu_info.scaling == benchmark::CPUInfo::ENABLED)
      GetErrorStream() << "warning: CPU frequency scaling is enabled; expect more spread\n";
    return go_on;
  }
  void ReportRuns(const std::vector<Run> &runs) override
  {
    progress_clear();
    bool failed = false;
    for (const Run &run : runs)
      failed = failed || has_failed(run);
    errors += failed;
    inner->ReportRuns(runs);
  }
  void Finalize() override { inner->Finalize(); }

  benchmark::BenchmarkReporter *inner; // not owned
  size_t errors;                       // cases that ended in one

private:
  const context_lines &context;
};

#endif
