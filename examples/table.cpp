// The first rows of a table, in C++17: a plan held by a unique_ptr, explicit positions.
#include <posenc.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

int main()
{
  posenc_spec spec = posenc_spec_default(512);
  posenc_plan *raw = nullptr;
  if (const posenc_status status = posenc_plan_create(&raw, &spec, nullptr); status != POSENC_OK) {
    std::fprintf(stderr, "posenc: %s\n", posenc_status_string(status));
    return 1;
  }
  const std::unique_ptr<posenc_plan, decltype(&posenc_plan_destroy)> plan(raw, posenc_plan_destroy);

  const std::vector<std::int64_t> positions = {1, 1, 4999, 131071};
  std::vector<float> rows(positions.size() * 512);
  if (posenc_fill_at(plan.get(), positions.data(), static_cast<std::int64_t>(positions.size()), rows.data(), 512) !=
      POSENC_OK)
    return 1;
  std::printf("posenc %s, %s: row 1 starts %.6f %.6f %.6f %.6f\n", posenc_version(), posenc_plan_impl(plan.get()),
              static_cast<double>(rows[0]), static_cast<double>(rows[1]), static_cast<double>(rows[2]),
              static_cast<double>(rows[3]));
  return 0;
}
