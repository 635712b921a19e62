/* The choice of posenc-bench --pick, on made-up times. */
#include "../../verify/tests/testing.h"

#include <math.h>

#include "pick.h"

static pick_row rows[4];
static pick p = {.rows = rows, .n = 4};

/* Row i takes times[i], and in turn t `swing` more or less of it, in a pattern that is not that of the other rows. */
static void made_up(const double times[4], double swing) {
  memset(rows, 0, sizeof rows);
  for (int i = 0; i < 4; i++) {
    rows[i].time.n = times[i] > 0 ? PICK_TURNS : 0;
    for (int t = 0; t < PICK_TURNS; t++) {
      const int step = (t * (2 * i + 1) + i) % PICK_TURNS - PICK_TURNS / 2;
      rows[i].time.turns[t] = times[i] * (1 + swing * step / PICK_TURNS);
    }
    pick_conclude(&rows[i].time);
  }
  pick_choose(&p);
}

static void the_fastest_is_chosen(void **state) {
  (void)state;
  made_up((const double[]){2, 1.5, 1, 1.1}, 0.001);
  assert_ptr_equal(p.chosen, &rows[2]);
  assert_ptr_equal(p.fastest, &rows[2]);
  assert_ptr_equal(p.next, &rows[3]);
  assert_true(fabs(rows[3].against.behind - 0.1) < 0.002 && rows[3].against.unsure == 0.01);
  assert_false(rows[3].against.tie);
}

/* Within the spread and below 3 %: the first in the list. */
static void a_tie_goes_to_the_simpler(void **state) {
  (void)state;
  made_up((const double[]){2, 1.01, 1, 1.01}, 0.1);
  assert_ptr_equal(p.fastest, &rows[2]);
  assert_ptr_equal(p.chosen, &rows[1]);
  made_up((const double[]){2, 1.02, 1, 1.02}, 0.004); /* told apart */
  assert_ptr_equal(p.chosen, &rows[2]);
  made_up((const double[]){2, 1.005, 1, 1.02}, 0); /* as close as two runs of one program */
  assert_ptr_equal(p.chosen, &rows[1]);
  made_up((const double[]){2, 1, 1.01, 1.01}, 0.1); /* the fastest is the simpler one */
  assert_ptr_equal(p.chosen, &rows[1]);
  assert_true(rows[2].against.tie);
}

static void a_noisy_machine_does_not_excuse_more_than_three_percent(void **state) {
  (void)state;
  made_up((const double[]){2, 1.05, 1, 3}, 0.4);
  assert_true(rows[1].against.behind > 0.03 && rows[1].against.behind < rows[1].against.unsure);
  assert_ptr_equal(p.chosen, &rows[2]);
}

static void who_was_not_measured_is_no_choice(void **state) {
  (void)state;
  made_up((const double[]){0, 0, 0, 5}, 0.01);
  assert_ptr_equal(p.chosen, &rows[3]);
  assert_null(p.next);
  made_up((const double[]){0, 0, 0, 0}, 0.01);
  assert_null(p.chosen);
}

/* With fewer turns, only those are compared. */
static void fewer_turns(void **state) {
  (void)state;
  made_up((const double[]){2, 1, 1.2, 1.3}, 0.001);
  rows[0].time.n = 1;
  rows[0].time.within_turn = 0.25;
  pick_conclude(&rows[0].time);
  pick_choose(&p);
  assert_true(rows[0].against.behind > 0.9 && isnan(rows[0].against.unsure) && rows[0].time.spread == 0.25);
  assert_ptr_equal(p.chosen, &rows[1]);
}

/* The machine slows down after one was dropped, whose median is then the smallest. */
static void a_dropped_one_is_not_the_fastest(void **state) {
  (void)state;
  made_up((const double[]){0, 1.2, 1, 0}, 0);
  rows[1].time.n = 3;
  for (int t = 4; t < PICK_TURNS; t++)
    rows[2].time.turns[t] = 1.3;
  for (int i = 1; i < 3; i++)
    pick_conclude(&rows[i].time);
  pick_choose(&p);
  assert_true(rows[1].time.ns < rows[2].time.ns);
  assert_ptr_equal(p.chosen, &rows[2]);
  assert_true(fabs(rows[1].against.behind - 0.2) < 1e-9 && isnan(rows[1].against.unsure));
}

/* A median may be smaller by a few good turns: what counts is who takes less of a turn. */
static void turns_are_compared_with_each_other(void **state) {
  (void)state;
  made_up((const double[]){0, 1, 1, 0}, 0);
  for (int t = 0; t < PICK_TURNS;
       t++) { /* both get slower: row 2 takes 2 % less in all turns but those around the median */
    rows[1].time.turns[t] = 1 + 0.1 * t;
    rows[2].time.turns[t] = t >= 6 && t <= 8 ? 1.02 * rows[1].time.turns[t] : 0.98 * rows[1].time.turns[t];
  }
  for (int i = 1; i < 3; i++)
    pick_conclude(&rows[i].time);
  pick_choose(&p);
  assert_ptr_equal(p.fastest, &rows[2]);
  assert_true(rows[1].against.behind > 0.02 && rows[1].against.behind < 0.0205);
}

/* 15 turns: from the 4th smallest ratio to the 4th largest; the chance that a median lies outside is 3.5 %. */
static void the_interval_is_that_of_the_sign_test(void **state) {
  (void)state;
  made_up((const double[]){0, 1, 1, 0}, 0);
  for (int t = 0; t < PICK_TURNS; t++)
    rows[2].time.turns[t] = 1.5 + 0.05 * t;
  pick_conclude(&rows[2].time);
  pick_choose(&p);
  assert_int_equal(PICK_TURNS, 15);
  assert_true(fabs(rows[2].against.behind - 0.85) < 1e-9);
  assert_true(fabs(rows[2].against.unsure - 0.2) < 1e-9); /* 8 of 14 steps of 0.05, halved */
}

static void quartiles(void **state) {
  (void)state;
  double five[] = {5, 1, 4, 2, 3}, one[] = {7}, two[] = {4, 2}, range;
  assert_true(compare_median(five, 5, &range) == 3 && range == 2);
  assert_true(compare_median(one, 1, &range) == 7 && range == 0);
  assert_true(compare_median(two, 2, &range) == 3 && range == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_fastest_is_chosen),
      cmocka_unit_test(a_tie_goes_to_the_simpler),
      cmocka_unit_test(a_noisy_machine_does_not_excuse_more_than_three_percent),
      cmocka_unit_test(who_was_not_measured_is_no_choice), cmocka_unit_test(fewer_turns),
      cmocka_unit_test(a_dropped_one_is_not_the_fastest), cmocka_unit_test(turns_are_compared_with_each_other),
      cmocka_unit_test(the_interval_is_that_of_the_sign_test), cmocka_unit_test(quartiles)};
  return cmocka_run_group_tests_name("pick_choose", tests, NULL, NULL);
}
