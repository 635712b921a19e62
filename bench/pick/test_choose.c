/* The choice of posenc-bench --pick, on made-up times, and the rule that it is by. */
#include "../../verify/tests/testing.h"

#include <math.h>

#include "pick.h"

enum { ROWS = 4 };
static const posenc_impl impls[ROWS];
static pick_row rows[ROWS + 1];
static pick p = {.rows = rows, .n = ROWS, .n_limits = 1};

/* Row i takes times[i], and in turn t `swing` more or less of it, in a pattern that is not that of the other rows. The
 * limit takes half a nanosecond. */
static void made_up(const double times[ROWS], double swing) {
  memset(rows, 0, sizeof rows);
  for (int i = 0; i <= ROWS; i++) {
    const double time = i < ROWS ? times[i] : 0.5;
    rows[i].impl = i < ROWS ? &impls[i] : NULL;
    rows[i].n = time > 0 ? PICK_TURNS : 0;
    for (int t = 0; t < PICK_TURNS; t++) {
      const int step = (t * (2 * i + 1) + i) % PICK_TURNS - PICK_TURNS / 2;
      rows[i].turns[t] = time * (1 + (i < ROWS ? swing : 0) * step / PICK_TURNS);
    }
  }
  pick_choose(&p);
}

static void the_fastest_or_the_simplest_that_ties_is_chosen(void **state) {
  static const struct {
    const char *what;
    double times[ROWS], swing;
    int fastest, chosen; /* -1: none */
  } choices[] = {
      {"no ties", {2, 1.5, 1, 1.1}, 0.001, 2, 2},
      {"a tie: within the spread, and below 3 %", {2, 1.01, 1, 1.01}, 0.1, 2, 1},
      {"2 %, told apart", {2, 1.02, 1, 1.02}, 0.004, 2, 2},
      {"as close as two runs of one program", {2, 1.005, 1, 1.02}, 0, 2, 1},
      {"the fastest is the simpler one", {2, 1, 1.01, 1.01}, 0.1, 1, 1},
      {"noise does not excuse more than 3 %", {2, 1.05, 1, 3}, 0.4, 2, 2},
      {"nothing ties where the noise is 10 % and more", {2, 1.01, 1, 3}, 0.4, 2, 2},
      {"what was not measured is no choice", {0, 0, 0, 5}, 0.01, 3, 3},
      {"nobody was measured", {0, 0, 0, 0}, 0.01, -1, -1},
  };
  (void)state;
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    made_up(choices[i].times, choices[i].swing);
    if (p.fastest != (choices[i].fastest < 0 ? NULL : &rows[choices[i].fastest]) ||
        p.chosen != (choices[i].chosen < 0 ? NULL : &rows[choices[i].chosen]))
      fail_msg("%s: another row is chosen", choices[i].what);
  }
}

/* Of ratios, less 1, what is said of them. The 95 % interval of seven is from the least to the largest, of nine from the second
 * to the last but one. */
static void the_word(void **state) {
  static const struct {
    int n;
    double ratios[9];
    const char *word;
  } cases[] = {
      {7, {.24, .25, .28, .30, .31, .33, .87}, "slower"}, /* 0 is outside, however far the other end */
      {7, {-.05, .10, .12, .126, .13, .14, .156}, "unclear"}, {7, {-.24, -.25, -.28, -.30, -.31, -.33, -.20}, "faster"},
      {9, {-.05, .10, .12, .126, .13, .14, .156, .16, .17}, "slower"}, /* one outlier does not decide */
      {9, {-.02, -.01, 0, 0, .01, .01, .02, .02, .5}, "tie"}, {9, {-.2, -.15, 0, 0, .01, .01, .02, .02, .5}, "unclear"},
      {5, {.5, .5, .5, .5, .5}, "unclear"}, /* too few */
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double one[9], other[9];
    for (int j = 0; j < cases[i].n; j++) {
      one[j] = 1 + cases[i].ratios[j];
      other[j] = 1;
    }
    const comparison c = compare((compare_times){one, cases[i].n}, (compare_times){other, cases[i].n});
    assert_string_equal(compare_word(c), cases[i].word);
  }
}

static void what_is_said_of_a_row(void **state) {
  (void)state;
  made_up((const double[]){2, 0, 1, 1.1}, 0.001);
  assert_ptr_equal(p.next, &rows[3]);
  assert_true(fabs(rows[3].against.behind - 0.1) < 0.002 && rows[3].against.unsure == 0.01);
  assert_true(fabs(rows[3].ns - 1.1) < 1e-9 && fabs(rows[0].of_limit - 0.25) < 1e-9);
  assert_true(rows[2].against.tie && !rows[3].against.tie);
  p.n_limits = 0;
  pick_choose(&p);
  p.n_limits = 1;
  assert_true(isnan(rows[0].of_limit));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_fastest_or_the_simplest_that_ties_is_chosen),
      cmocka_unit_test(the_word), cmocka_unit_test(what_is_said_of_a_row)};
  return cmocka_run_group_tests_name("pick_choose", tests, NULL, NULL);
}
