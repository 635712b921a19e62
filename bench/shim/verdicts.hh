// Google Benchmark's JSON, and at its end "verdicts" on the cases that compete with each other; for shim.cc.
#ifndef POSENC_BENCH_VERDICTS_HH
#define POSENC_BENCH_VERDICTS_HH

#include "compare.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct contestant {
  std::string contest, who; // "fill/f32/n:8/d:4", what all in it do, and "naive"; empty where it competes with no other
  bool peer, float64, wall;
  std::vector<double> times; // seconds of the repetitions, per row
  std::string error;

  compare_times series() const { return {times.data(), static_cast<int>(times.size())}; }
};
using contestants = std::map<std::string, contestant>; // by their names in the results: "fill/naive/f32/n:8/d:4"

// The error that a run ended in, or an empty text, by its name in Google Benchmark to 1.7, and since 1.8.
template <typename Run> auto error_of(const Run &run) -> decltype(run.error_message) { return run.error_message; }
template <typename Run> auto error_of(const Run &run) -> decltype(run.skip_message) { return run.skip_message; }

inline void add_runs(contestants &all, const std::vector<benchmark::BenchmarkReporter::Run> &runs) {
  for (const auto &run : runs) {
    contestant &c = all[run.run_name.str()];
    const auto rows = run.counters.find("rows");
    if (c.error.empty())
      c.error = error_of(run);
    if (error_of(run).empty() && run.run_type == benchmark::BenchmarkReporter::Run::RT_Iteration)
      c.times.push_back((c.wall ? run.real_accumulated_time : run.cpu_accumulated_time) /
                        static_cast<double>(run.iterations) /
                        (rows == run.counters.end() ? 1.0 : static_cast<double>(rows->second)));
  }
}

class json_reporter : public benchmark::JSONReporter {
public:
  explicit json_reporter(const contestants &competing) : competing_(competing) {}

  void ReportRuns(const std::vector<Run> &runs) override {
    benchmark::JSONReporter::ReportRuns(runs);
    add_runs(competing_, runs);
  }

  void Finalize() override {
    std::ostream &out = GetOutputStream();
    std::ostringstream end;
    SetOutputStream(&end);
    benchmark::JSONReporter::Finalize();
    SetOutputStream(&out);
    std::string text = end.str();
    text.erase(text.rfind('}'));
    text.erase(text.find_last_not_of(" \n") + 1);
    out << text << ",\n  \"verdicts\": [" << verdicts() << "\n  ]\n}\n";
  }

private:
  using named = const contestants::value_type *;

  static std::string verdict(named one, named other) {
    const comparison c = compare(one->second.series(), other->second.series());
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, "\"behind\": %.6g, \"unsure\": %.6g, \"tie\": %s, \"verdict\": \"%s\"}",
        c.behind, c.unsure, c.tie ? "true" : "false", compare_word(c));
    return "\n    {\"case\": \"" + one->first + "\", \"impl\": \"" + one->second.who + "\", \"against\": \"" +
           other->first + "\", " + numbers;
  }

  static named fastest_of(const std::vector<named> &cases) {
    std::vector<compare_times> series;
    for (named c : cases)
      series.push_back(c->second.series());
    return cases[compare_fastest(series.data(), series.size())];
  }

  // Of each case of ours against the fastest of ours; where that computes in float32, of those that compute in float64
  // against the fastest of these; and of each peer against each of ours.
  std::string verdicts() const {
    std::map<std::string, std::vector<named>> ours, peers;
    std::string text;
    for (const auto &c : competing_)
      if (!c.second.contest.empty() && c.second.times.size() >= COMPARE_FEWEST)
        (c.second.peer ? peers : ours)[c.second.contest].push_back(&c);
    const auto add = [&text](named one, named other) { text += (text.empty() ? "" : ",") + verdict(one, other); };
    for (const auto &contest : ours) {
      named fastest = fastest_of(contest.second);
      for (named c : contest.second)
        add(c, fastest);
      std::vector<named> accurate;
      for (named c : contest.second)
        if (c->second.float64 && !fastest->second.float64)
          accurate.push_back(c);
      for (named c : accurate)
        add(c, fastest_of(accurate));
      for (named peer : peers[contest.first])
        for (named c : contest.second)
          add(peer, c);
    }
    return text;
  }

  contestants competing_;
};

#endif
