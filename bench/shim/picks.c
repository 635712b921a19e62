#include "picks.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/reference/memory.h"
#include "budget.h"

static cJSON *append(cJSON *list) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(list, o);
  return o;
}

static void add_comparison(cJSON *o, comparison c) {
  cJSON_AddNumberToObject(o, "behind", c.behind);
  cJSON_AddNumberToObject(o, "unsure", c.unsure); /* null for NAN */
  cJSON_AddStringToObject(o, "verdict", compare_word(c));
}

static bool compete(const shim_measured *a, const shim_measured *b) {
  return a->contest && b->contest && strcmp(a->contest, b->contest) == 0;
}

/* Of each peer against each of ours. */
static void add_verdicts(cJSON *list, const shim_measured *all, size_t n) {
  for (const shim_measured *peer = all; peer < all + n; peer++)
    for (const shim_measured *ours = all; ours < all + n; ours++)
      if (compete(peer, ours) && peer->c->stands_for && !ours->c->stands_for && peer->times.n > 0 &&
          ours->times.n > 0) {
        cJSON *o = append(list);
        cJSON_AddStringToObject(o, "case", peer->name);
        cJSON_AddStringToObject(o, "against", ours->name);
        add_comparison(o, compare(peer->times, ours->times));
      }
}

static void add_name(cJSON *o, const char *key, const candidate *c) {
  cJSON_AddItemToObject(o, key, c ? cJSON_CreateString(c->name) : cJSON_CreateNull());
}

static void add_pick(cJSON *list, const char *contest, const char *budget, candidate *all, size_t n) {
  const choice found = compare_pick(all, n);
  cJSON *o = append(list);
  cJSON_AddStringToObject(o, "case", contest);
  cJSON_AddStringToObject(o, "budget", budget);
  add_name(o, "pick", found.pick);
  add_name(o, "fastest", found.fastest);
  cJSON *candidates = cJSON_AddArrayToObject(o, "candidates");
  for (const candidate *c = all; c < all + n; c++)
    if (compare_competes(c)) {
      cJSON *entry = append(candidates);
      cJSON_AddStringToObject(entry, "impl", c->name);
      add_comparison(entry, c->against);
    }
}

static bool begins_contest(const shim_measured *all, const shim_measured *m) {
  for (const shim_measured *earlier = all; earlier < m; earlier++)
    if (compete(earlier, m) && !earlier->c->stands_for)
      return false;
  return m->contest && !m->c->stands_for;
}

/* Of the contest of `first`, one for each budget. */
static void add_picks(cJSON *list, const shim_measured *all, size_t n, const shim_measured *first) {
  candidate *found = must_calloc((int64_t)n, sizeof *found);
  for (unsigned i = 0; i < BENCH_BUDGETS; i++) {
    size_t count = 0;
    for (const shim_measured *m = first; m < all + n; m++)
      if (compete(m, first) && !m->c->stands_for)
        found[count++] = (candidate){.name = m->c->who,
            .times = m->times,
            .within = m->c->budgets_kept >> i & 1,
            .is_default = m->c->is_default};
    add_pick(list, first->contest, bench_budgets[i].name, found, count);
  }
  free(found);
}

char *picks_json(const shim_measured *all, size_t n) {
  cJSON *root = cJSON_CreateObject();
  add_verdicts(cJSON_AddArrayToObject(root, "verdicts"), all, n);
  cJSON *picks = cJSON_AddArrayToObject(root, "picks");
  for (const shim_measured *m = all; m < all + n; m++)
    if (begins_contest(all, m))
      add_picks(picks, all, n, m);
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  if (!text)
    out_of_memory("for the JSON");
  return text;
}
