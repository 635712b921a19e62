/* Reports the verification of implementations: as text while results come in, and as JSON at the end. */
#include <math.h>

#include "../campaign/campaign.h"
#include "../tools/spec.h"
#include "report.h"
#include "work.h"

/* ---- text */

static void print_head(FILE *out, const results *r) {
  fprintf(out, "posenc-verify %s, seed %llu, against %s\n", posenc_version(), (unsigned long long)r->seed,
      r->by == REFERENCE_MPFR ? "MPFR" : "the float64 reference, its own error bound allowed for");
  fprintf(out,
      "float64 reference: good to position %lld (error below 0.01 float32 ULP of 1 at d_model %lld, base %g)\n",
      (long long)r->float64_good_to, (long long)r->audited.d_model, r->audited.base);
  for (size_t i = 0; i < r->n_impls; i++)
    if (!r->impls[i].supported)
      fprintf(out, "not run here: %s (this CPU lacks %s)\n", r->impls[i].impl->name, r->impls[i].impl->isa);
  fflush(out);
}

/* Of the other fields, only those that differ from the paper's table are printed. */
static void print_shape(FILE *out, const segment *s) {
  const posenc_spec *spec = &s->spec;
  fprintf(out, "d_model %lld, ", (long long)spec->d_model);
  if (spec->freqs)
    fprintf(out, "explicit frequencies");
  else
    fprintf(out, "base %g", spec->base);
  spec_print_changes(out, spec);
  if (spec->dtype != POSENC_DTYPE_F32)
    fprintf(out, ", %s", dtype_name(spec->dtype));
  fprintf(out, ", positions %lld to %lld, %lld row%s", (long long)s->from, (long long)(s->to - 1), (long long)s->n_rows,
      s->n_rows == 1 ? "" : "s");
}

/* Small errors are printed in full, large ones with two digits. */
static void print_ulp(FILE *out, double ulp) { fprintf(out, ulp < 10000 ? " %8.3f" : " %8.1e", ulp); }

static void print_verdict(FILE *out, const impl_result *r, const verdict *v) {
  const witness *w = &v->worst;
  if (!r->supported)
    return;
  fprintf(out, "  %-17s", r->impl->name);
  if (!v->judged) {
    fprintf(out, v->not_offered ? " not offered for this shape\n" : " FAILED\n");
    return;
  }
  fprintf(out, " %-9.2e", v->max_abs);
  print_ulp(out, v->ulp_p50);
  print_ulp(out, v->ulp_p99);
  print_ulp(out, v->ulp_max);
  const double percent = floor(correct_share(v) * 1e4) / 100; /* rounded down: 100.00 means every single output */
  const int at = fprintf(out, " %7.2f%%  %lld, column %lld", percent, (long long)w->position, (long long)w->column);
  fprintf(out, "%*s %-15a %-15a %-8.1e %s\n", at < 35 ? 35 - at : 0, "", w->got, w->want, w->bound,
      v->bound_ok ? "within bound" : "BEYOND BOUND");
}

/* A shape outside the accuracy table has one line: which implementation came nearest to its bound. */
static void print_shape_line(FILE *out, const results *r, int64_t index) {
  const impl_result *nearest = NULL;
  double share = -1;
  size_t judged = 0, within = 0;
  for (size_t i = 0; i < r->n_impls; i++) {
    const verdict *v = &r->impls[i].verdicts[index];
    const double its = v->closest.error > 0 ? v->closest.error / v->closest.bound : 0;
    judged += v->judged;
    within += v->judged && v->bound_ok;
    if (v->judged && its > share) {
      share = its;
      nearest = &r->impls[i];
    }
  }
  fprintf(out, "  %-23s ", r->sweep.segments[index].shape);
  print_shape(out, &r->sweep.segments[index]);
  fprintf(out, ": %zu of %zu within their bounds", within, judged);
  if (nearest)
    fprintf(out, ", nearest %s at %.2f", nearest->impl->name, share);
  fputc('\n', out);
}

static void print_segment(FILE *out, const results *r, int64_t index) {
  const segment *s = &r->sweep.segments[index];
  if (s->in_table) {
    fputc('\n', out);
    print_shape(out, s);
    fprintf(out, "\n  %-17s %-9s %8s %8s %8s %8s  %-24s %-15s %-15s %s\n", "implementation", "max error", "ULP p50",
        "p99", "max", "correct", "worst at", "got", "want", "bound");
    for (size_t i = 0; i < r->n_impls; i++)
      print_verdict(out, &r->impls[i], &r->impls[i].verdicts[index]);
  } else {
    if (index > 0 && s[-1].in_table)
      fprintf(out, "\nother shapes, sampled with fewer rows\n");
    print_shape_line(out, r, index);
  }
  fflush(out);
}

static void print_audits(FILE *out, const results *r) {
  for (int64_t i = 0; i < r->n_audits; i++)
    fprintf(out, "%s to %lld %.1e%s",
        i ? "," : "\nfloat64 reference against MPFR, max error by range:", (long long)(r->audits[i].to - 1),
        r->audits[i].max_abs, r->audits[i].law_holds ? "" : " (BEYOND ITS LAW)");
  fprintf(out, r->n_audits ? "\n\n" : "\n");
}

static void print_end(FILE *out, const results *r) {
  size_t verified = 0, run = 0, supported = 0;
  for (size_t i = 0; i < r->n_impls; i++) {
    supported += r->impls[i].supported;
    run += r->impls[i].supported && !r->impls[i].not_offered;
    verified += impl_verified(&r->impls[i]);
    if (r->impls[i].failure[0])
      fprintf(out, "FAILED %s: %s\n", r->impls[i].impl->name, r->impls[i].failure);
  }
  fprintf(out, "%zu of %zu implementations verified", verified, run);
  if (run < supported)
    fprintf(out, ", %zu without this dtype", supported - run);
  if (supported < r->n_impls)
    fprintf(out, ", %zu not run here", r->n_impls - supported);
  fputc('\n', out);
}

/* ---- JSON */

static void json_add_range(cJSON *ranges, const segment *s, const verdict *v) {
  cJSON *o = json_append(ranges);
  double bands[VERDICT_BANDS];
  cJSON_AddStringToObject(o, "shape", s->shape);
  json_add_spec(o, &s->spec, s->preset);
  cJSON_AddStringToObject(o, "dtype", dtype_name(s->spec.dtype));
  json_add_verdict(o, s, v);
  cJSON_AddNumberToObject(o, "ulp_p50", v->ulp_p50);
  cJSON_AddNumberToObject(o, "ulp_p99", v->ulp_p99);
  for (int i = 0; i < VERDICT_BANDS; i++)
    bands[i] = (double)v->ulp_bands[i];
  cJSON_AddItemToObject(o, "ulp_bands", cJSON_CreateDoubleArray(bands, VERDICT_BANDS));
  cJSON_AddBoolToObject(o, "bound_ok", v->bound_ok);
  json_add_witness(o, "closest_to_bound", &v->closest);
}

/* Marks the octaves of positions in which rows of the sweep's table were compared for this implementation. Returns how
 * many octaves the table has. */
static int table_octaves(const sweep *s, const impl_result *r, bool judged[PROFILE_OCTAVES]) {
  int end = 0;
  for (int64_t i = 0; i < s->count; i++)
    for (int64_t row = 0; s->segments[i].in_table && row < s->segments[i].n_rows; row++) {
      const int octave = profile_octave(s->segments[i].positions[row]);
      judged[octave] = judged[octave] || r->verdicts[i].judged;
      end = octave + 1 > end ? octave + 1 : end;
    }
  return end;
}

/* The positions and columns at which the cells of the implementations' profiles begin. All segments of a sweep's table
 * have one spec. */
static void json_add_profile_edges(cJSON *root, const results *r) {
  const int64_t d = r->sweep.segments[0].spec.d_model, groups = profile_groups(d);
  double positions[PROFILE_OCTAVES + 1] = {0}, columns[PROFILE_MOST_GROUPS + 1];
  const int octaves = table_octaves(&r->sweep, &r->impls[0], (bool[PROFILE_OCTAVES]){0});
  for (int i = 1; i <= octaves; i++)
    positions[i] = ldexp(1, i - 1);
  for (int64_t g = 0; g <= groups; g++)
    columns[g] = (double)profile_first_column(g, d);
  cJSON *o = cJSON_AddObjectToObject(root, "profile");
  cJSON_AddItemToObject(o, "position_edges", cJSON_CreateDoubleArray(positions, octaves + 1));
  cJSON_AddItemToObject(o, "column_edges", cJSON_CreateDoubleArray(columns, (int)groups + 1));
}

/* The largest error by octave of positions and group of columns; null where no row was compared. */
static void json_add_profile(cJSON *impl, const impl_result *r, const sweep *s) {
  bool judged[PROFILE_OCTAVES] = {0}, any = false;
  const int octaves = table_octaves(s, r, judged);
  profile all = {{{0}}};
  for (int64_t i = 0; i < s->count; i++)
    if (s->segments[i].in_table && r->verdicts[i].judged) {
      profile_merge(&all, &r->verdicts[i].where);
      any = true;
    }
  cJSON *matrix = any ? cJSON_AddArrayToObject(impl, "profile") : NULL;
  for (int i = 0; any && i < octaves; i++) {
    cJSON *octave = cJSON_CreateArray();
    cJSON_AddItemToArray(matrix, octave);
    for (int64_t g = 0; g < profile_groups(s->segments[0].spec.d_model); g++)
      cJSON_AddItemToArray(octave, judged[i] ? cJSON_CreateNumber(all.max_abs[i][g]) : cJSON_CreateNull());
  }
}

static void json_add_impl(cJSON *impls, const impl_result *r, const sweep *s) {
  cJSON *o = json_append(impls);
  cJSON_AddStringToObject(o, "name", r->impl->name);
  cJSON_AddStringToObject(o, "family", r->impl->family);
  cJSON_AddStringToObject(o, "isa", r->impl->isa);
  cJSON_AddStringToObject(o, "arithmetic", r->impl->arithmetic);
  cJSON_AddStringToObject(o, "summary", r->impl->summary);
  cJSON_AddStringToObject(o, "dtypes", r->impl->dtypes);
  cJSON_AddBoolToObject(o, "supported", r->supported);
  cJSON_AddBoolToObject(o, "verified", impl_verified(r));
  json_add_text(o, "failure", r->failure[0] ? r->failure : NULL);
  cJSON *bound = cJSON_AddObjectToObject(o, "bound");
  cJSON_AddStringToObject(bound, "law", r->impl->bound);
  cJSON_AddStringToObject(bound, "evidence", r->impl->evidence);
  cJSON *ranges = cJSON_AddArrayToObject(o, "ranges");
  for (int64_t i = 0; i < s->count; i++)
    if (r->verdicts[i].judged)
      json_add_range(ranges, &s->segments[i], &r->verdicts[i]);
  json_add_profile(o, r, s);
}

static cJSON *json_of_impls(const options *opts, const results *r) {
  static const double edges[VERDICT_BANDS - 1] = VERDICT_BAND_EDGES;
  cJSON *root = json_begin(opts), *o = cJSON_AddObjectToObject(root, "float64_reference");
  cJSON_AddBoolToObject(o, "law_holds", audits_hold(r));
  cJSON_AddItemToObject(root, "ulp_band_edges", cJSON_CreateDoubleArray(edges, VERDICT_BANDS - 1));
  json_add_profile_edges(root, r);
  cJSON *impls = cJSON_AddArrayToObject(root, "implementations");
  for (size_t i = 0; i < r->n_impls; i++)
    json_add_impl(impls, &r->impls[i], &r->sweep);
  return root;
}

int verify_impls(const options *o) {
  const spec_options *one = &o->shape;
  const posenc_spec table = one->given ? one->spec : paper_spec(512);
  const sweep s = one->given ? sweep_of(&one->spec, one->preset, one->from, one->to, o->rows, o->seed)
                             : sweep_default(o->rows ? o->rows : 512, o->seed);
  const reports out = reports_open(o);
  results r = campaign_prepare(s, &table, o->impls, o->n_impls, o->by, o->seed);
  if (!o->quiet)
    print_head(out.text, &r);
  campaign_run(&r, o->threads, o->n_impls > 0, o->quiet ? NULL : print_segment, out.text);
  if (!o->quiet || !audits_hold(&r))
    print_audits(out.text, &r);
  print_end(out.text, &r);
  const int status = reports_close(&out, o, json_of_impls(o, &r), all_verified(&r) && audits_hold(&r) ? 0 : 1);
  campaign_destroy(&r);
  return status;
}
