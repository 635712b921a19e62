// A C++17 class that owns a plan and throws exceptions. Build and run it with an installed posenc:
//
//     c++ table.cpp $(pkg-config --cflags --libs posenc) -o table_cpp && ./table_cpp
#include <posenc.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

class Plan {
public:
  explicit Plan(const posenc_spec &spec, const char *impl = nullptr) {
    if (spec.dtype != POSENC_DTYPE_F32)
      throw std::invalid_argument("rows() makes floats: the spec's dtype must be POSENC_DTYPE_F32");
    posenc_plan *plan = nullptr;
    check(posenc_plan_create(&plan, &spec, impl));
    plan_.reset(plan);
  }

  // Returns a row for each position. Positions may be in any order.
  std::vector<float> rows(const std::vector<std::int64_t> &positions) const {
    const auto d_model = posenc_plan_spec(plan_.get())->d_model;
    const auto count = static_cast<std::int64_t>(positions.size());
    std::vector<float> rows(positions.size() * static_cast<std::size_t>(d_model));
    check(posenc_fill_at(plan_.get(), positions.data(), count, rows.data(), d_model));
    return rows;
  }

private:
  static void check(posenc_status status) {
    char message[256];
    if (status == POSENC_ERROR_MEMORY)
      throw std::bad_alloc();
    if (status != POSENC_OK && posenc_last_error(message, sizeof message))
      throw std::invalid_argument(message);
  }

  std::unique_ptr<posenc_plan, decltype(&posenc_plan_destroy)> plan_{nullptr, posenc_plan_destroy};
};

int main() try {
  posenc_spec spec;
  posenc_spec_init(&spec, 512, nullptr); // d_model 512, base 10000
  const Plan plan(spec);                 // it can be moved but not copied, and shared by any number of threads
  const std::vector<float> rows = plan.rows({1, 1, 4999, 131071});
  const float *last = rows.data() + 3 * 512;
  std::printf("posenc %s: row 131071 starts %.9g %.9g %.9g %.9g\n", posenc_version(), static_cast<double>(last[0]),
      static_cast<double>(last[1]), static_cast<double>(last[2]), static_cast<double>(last[3]));
  posenc_spec wider;
  posenc_spec_init(&wider, 512, nullptr);
  wider.dtype = POSENC_DTYPE_F64;
  for (const bool positions : {true, false}) {
    try {
      positions ? static_cast<void>(plan.rows({INT64_C(1) << 33})) : static_cast<void>(Plan(wider));
    } catch (const std::invalid_argument &error) {
      std::printf("refused: %s\n", error.what());
    }
  }
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "table_cpp: %s\n", error.what());
  return 1;
}
