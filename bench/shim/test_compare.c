/* The rule of compare.h for verdicts and picks, with made-up times. */
#include "../../verify/tests/testing.h"

#include <math.h>

#include "compare.h"

enum { MOST = 9 };

/* Verdicts on ratios, less 1. The 95 % interval of seven ratios is from the smallest to the largest, of nine from the
 * second smallest to the second largest. */
static void the_word(void **state) {
  static const struct {
    int n;
    double ratios[MOST];
    const char *word;
  } cases[] = {
      {7, {.24, .25, .28, .30, .31, .33, .87}, "slower"}, /* 0 is outside, although the other end is far away */
      {7, {-.24, -.25, -.28, -.30, -.31, -.33, -.20}, "faster"},
      {7, {-.05, .10, .12, .126, .13, .14, .156}, "undecided"},
      {9, {-.05, .10, .12, .126, .13, .14, .156, .16, .17}, "slower"},    /* one outlier does not decide */
      {9, {.02, .02, .02, .02, .02, .02, .02, .02, .02}, "slower"},       /* 2 %, with certainty */
      {9, {.009, .009, .009, .009, .009, .009, .009, .009, .009}, "tie"}, /* as close as two runs of one program */
      {9, {-.02, -.01, 0, 0, .01, .01, .02, .02, .5}, "tie"},
      {9, {-.02, -.01, 0, .03, .04, .04, .05, .06, .5}, "undecided"}, /* the median is not below 3 % */
      {9, {-.2, -.15, 0, 0, .01, .01, .02, .02, .5}, "undecided"},    /* an end is 10 points away */
      {5, {.5, .5, .5, .5, .5}, "undecided"},                         /* too few */
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double one[MOST], other[MOST];
    for (int j = 0; j < cases[i].n; j++) {
      one[j] = 1 + cases[i].ratios[j];
      other[j] = 1;
    }
    const comparison c = compare((compare_times){one, cases[i].n}, (compare_times){other, cases[i].n});
    if (strcmp(compare_word(c), cases[i].word) != 0)
      fail_msg("case %zu is %s", i, compare_word(c));
    assert_true(isnan(c.unsure) == (cases[i].n == 5) && !(c.unsure < 0.01));
  }
}

/* Picks among candidates a, b (the default) and c. Each takes 1 + `longer`, and swings around it by `swing`,
 * differently from the others. */
static void the_pick(void **state) {
  static const struct {
    const char *what;
    double longer[3], swing;
    const char *not_within;
    int repetitions;
    const char *pick, *fastest;
    const char *ties; /* candidates that tie with the fastest; a pick that is not among them is undecided */
  } cases[] = {
      {"the fastest", {1, .5, 0}, .001, "", 9, "c", "c", "c"},
      {"the fastest is the default", {1, 0, .5}, .001, "", 9, "b", "b", "b"},
      {"the default is undecided", {1, .05, 0}, .08, "", 9, "b", "c", "c"},
      {"a tie with an earlier row", {0.01, .5, 0}, .02, "", 9, "a", "c", "ac"},
      {"a tie of several", {.01, .012, 0}, .02, "", 9, "a", "c", "abc"},
      {"a tie of the default", {1, .01, 0}, .02, "", 9, "b", "c", "bc"},
      {"a later row that ties", {0, .5, .01}, .02, "", 9, "a", "a", "ac"},
      {"another row is undecided", {.05, .5, 0}, .08, "", 9, "c", "c", "c"},
      {"the fastest is beyond the budget", {1, .5, 0}, .001, "c", 9, "b", "b", "b"},
      {"the default is beyond the budget", {1, .05, 0}, .08, "b", 9, "c", "c", "c"},
      {"nothing is within the budget", {1, .5, 0}, .001, "abc", 9, NULL, NULL, NULL},
      {"nothing was measured", {1, .5, 0}, .001, "", 0, NULL, NULL, NULL},
      {"too few repetitions, and a default", {1, .5, 0}, .001, "", 5, "b", "c", ""},
      {"too few repetitions without one", {1, .5, 0}, .001, "b", 5, "c", "c", ""},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static const char *const names[] = {"a", "b", "c"};
    double times[3][MOST];
    candidate all[3];
    for (int j = 0; j < 3; j++) {
      for (int t = 0; t < MOST; t++)
        times[j][t] =
            (1 + cases[i].longer[j]) * (1 + cases[i].swing * ((t * (2 * j + 1) + j) % MOST - MOST / 2) / (MOST / 2));
      all[j] = (candidate){.name = names[j],
          .times = {times[j], cases[i].repetitions},
          .within = !strstr(cases[i].not_within, names[j]),
          .is_default = j == 1};
    }
    const choice found = compare_pick(all, 3);
    if (!cases[i].pick) {
      assert_true(!found.pick && !found.fastest);
      continue;
    }
    const bool undecided = found.pick->against.verdict == COMPARE_UNDECIDED;
    if (strcmp(found.pick->name, cases[i].pick) != 0 || strcmp(found.fastest->name, cases[i].fastest) != 0 ||
        undecided != !strstr(cases[i].ties, cases[i].pick))
      fail_msg("%s: %s is picked, %s is the fastest", cases[i].what, found.pick->name, found.fastest->name);
    for (const candidate *c = all; c < all + 3; c++)
      if (compare_competes(c) && (c->against.verdict == COMPARE_TIE) != !!strstr(cases[i].ties, c->name))
        fail_msg("%s: %s is %s", cases[i].what, c->name, compare_word(c->against));
  }
}

/* a has the smallest median; a is ahead of b in most pairs, b is ahead of c, and c is ahead of a. */
static void the_fastest_of_a_circle(void **state) {
  static const double a[] = {.99, 1.98, 2.97, .99, 1.98, 2.97, .99, 1.98, 2.97}, b[] = {2, 3, 1, 2, 3, 1, 2, 3, 1},
                      c[] = {3, 1, 2, 3, 1, 2, 3, 1, 2};
  candidate all[] = {{.name = "a", .times = {a, 9}, .within = true}, {.name = "b", .times = {b, 9}, .within = true},
      {.name = "c", .times = {c, 9}, .within = true}};
  (void)state;
  const choice found = compare_pick(all, 3);
  assert_string_equal(found.fastest->name, "a");
  assert_string_equal(found.pick->name, "a");
  assert_true(all[2].against.behind < 0 && all[2].against.verdict == COMPARE_UNDECIDED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_word), cmocka_unit_test(the_pick), cmocka_unit_test(the_fastest_of_a_circle)};
  return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
