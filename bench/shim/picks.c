#include "picks.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/tools/memory.h"
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

/* Compares each peer with each posenc case on the same work. */
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

static void write_pick(cJSON *o, const char *contest, choice found, const candidate *all, size_t n) {
  cJSON_AddStringToObject(o, "case", contest);
  cJSON_AddStringToObject(o, "budget", BENCH_BUDGET);
  cJSON_AddStringToObject(o, "pick", found.pick->name);
  cJSON_AddStringToObject(o, "fastest", found.fastest->name);
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

/* Adds the pick for the contest of `first`, unless no candidate competes. */
static void add_pick(cJSON *list, const shim_measured *all, size_t n, const shim_measured *first) {
  candidate *found = must_calloc((int64_t)n, sizeof *found);
  size_t count = 0;
  for (const shim_measured *m = first; m < all + n; m++)
    if (compete(m, first) && !m->c->stands_for)
      found[count++] =
          (candidate){.name = m->c->who, .times = m->times, .within = m->c->within, .is_default = m->c->is_default};
  const choice chosen = compare_pick(found, count);
  if (chosen.pick)
    write_pick(append(list), first->contest, chosen, found, count);
  free(found);
}

char *picks_json(const shim_measured *all, size_t n) {
  cJSON *root = cJSON_CreateObject();
  add_verdicts(cJSON_AddArrayToObject(root, "verdicts"), all, n);
  cJSON *picks = cJSON_AddArrayToObject(root, "picks");
  for (const shim_measured *m = all; m < all + n; m++)
    if (begins_contest(all, m))
      add_pick(picks, all, n, m);
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  if (!text)
    out_of_memory("for the JSON");
  return text;
}
