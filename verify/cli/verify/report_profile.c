#include "report_profile.h"

#include <math.h>

static void add_number(cJSON *array, double value) { cJSON_AddItemToArray(array, cJSON_CreateNumber(value)); }

/* The octaves of positions that the table's segments reach, and how many of their rows were compared: with that
 * implementation, or with any. */
static int table_octaves(const sweep *s, const impl_result *r, int64_t rows[PROFILE_OCTAVES]) {
  int end = 0;
  for (int i = 0; i < PROFILE_OCTAVES; i++)
    rows[i] = 0;
  for (int64_t i = 0; i < s->count; i++)
    for (int64_t row = 0; s->segments[i].in_table && row < s->segments[i].n_rows; row++) {
      const int octave = profile_octave(s->segments[i].positions[row]);
      rows[octave] += !r || r->verdicts[i].judged;
      end = octave + 1 > end ? octave + 1 : end;
    }
  return end;
}

/* What the implementations' matrices are about. All segments of a sweep's table are of one spec. */
void profile_add_edges(cJSON *root, const sweep *s) {
  int64_t rows[PROFILE_OCTAVES];
  const int octaves = table_octaves(s, NULL, rows);
  cJSON *o = cJSON_AddObjectToObject(root, "profile");
  cJSON_AddStringToObject(o, "shape", s->segments[0].shape);
  cJSON_AddNumberToObject(o, "d_model", (double)s->segments[0].spec.d_model);
  cJSON *positions = cJSON_AddArrayToObject(o, "position_edges");
  for (int i = 0; i <= octaves; i++)
    add_number(positions, i == 0 ? 0 : ldexp(1, i - 1));
  cJSON *columns = cJSON_AddArrayToObject(o, "column_edges");
  const int64_t d = s->segments[0].spec.d_model;
  for (int64_t g = 0; g <= profile_groups(d); g++)
    add_number(columns, (double)profile_first_column(g, d));
  cJSON *sampled = cJSON_AddArrayToObject(o, "rows");
  for (int i = 0; i < octaves; i++)
    add_number(sampled, (double)rows[i]);
}

/* The largest error by octave of positions and group of columns; null where no row was compared. */
void profile_add_matrix(cJSON *impl, const impl_result *r, const sweep *s) {
  int64_t rows[PROFILE_OCTAVES];
  const int octaves = table_octaves(s, r, rows);
  profile all = {{{0}}};
  bool judged = false;
  for (int64_t i = 0; i < s->count; i++)
    if (s->segments[i].in_table && r->verdicts[i].judged) {
      profile_merge(&all, &r->verdicts[i].where);
      judged = true;
    }
  if (!judged)
    return;
  cJSON *matrix = cJSON_AddArrayToObject(impl, "profile");
  for (int i = 0; i < octaves; i++) {
    cJSON *octave = cJSON_CreateArray();
    cJSON_AddItemToArray(matrix, octave);
    for (int64_t g = 0; g < profile_groups(s->segments[0].spec.d_model); g++)
      cJSON_AddItemToArray(octave, rows[i] ? cJSON_CreateNumber(all.max_abs[i][g]) : cJSON_CreateNull());
  }
}
