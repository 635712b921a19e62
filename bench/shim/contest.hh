// Which cases compete with each other, and the verdicts on them in the JSON; for shim.cc.
#ifndef POSENC_BENCH_CONTEST_HH
#define POSENC_BENCH_CONTEST_HH

#include "compare.h"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

struct contestant {
  std::string name, who; // as the results have it: "fill/naive/f32/n:8/d:4", and "naive"
  bool peer;
  std::vector<double> times; // of the repetitions, per row

  compare_times series() const { return {times.data(), static_cast<int>(times.size())}; }
};

// {what they all do: "fill/f32/n:8/d:4": the cases, in the order of the results}
using contests = std::map<std::string, std::vector<contestant>>;

// The name of the contest that a case of ours or a peer's takes part in.
inline std::string contest_of(const std::string &name, const std::string &who, const char *stands_for)
{
  std::string contest = name;
  contest.erase(contest.find("/" + who + "/"), who.size() + 1);
  return stands_for ? stands_for + contest.substr(contest.find('/')) : contest;
}

// An array: of each case of ours against the fastest of ours, and of each peer against each of ours.
inline std::string verdicts_json(const contests &all)
{
  std::string text;
  const auto add = [&text](const contestant &one, const contestant &other) {
    char numbers[160];
    const comparison c = compare(one.series(), other.series());
    std::snprintf(numbers, sizeof numbers, "\"behind\": %.6g, \"unsure\": %.6g, \"tie\": %s, \"verdict\": \"%s\"}",
                  c.behind, c.unsure, c.tie ? "true" : "false", compare_word(c));
    text += (text.empty() ? "\n    {\"case\": \"" : ",\n    {\"case\": \"") + one.name + "\", \"impl\": \"" + one.who +
            "\", \"against\": \"" + other.name + "\", " + numbers;
  };
  for (const auto &contest : all) {
    std::vector<contestant> ours, peers;
    std::vector<compare_times> series;
    for (const contestant &c : contest.second)
      if (static_cast<int>(c.times.size()) >= COMPARE_FEWEST)
        (c.peer ? peers : ours).push_back(c);
    for (const contestant &c : ours)
      series.push_back(c.series());
    if (ours.empty())
      continue;
    const contestant &fastest = ours[compare_fastest(series.data(), series.size())];
    for (const contestant &c : ours)
      add(c, fastest);
    for (const contestant &c : peers)
      for (const contestant &other : ours)
        add(c, other);
  }
  return "[" + text + "\n  ]";
}

#endif
