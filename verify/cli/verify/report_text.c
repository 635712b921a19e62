#include "report.h"

#include <math.h>

#include "../../reference/columns.h"
#include "../../reference/formats.h"

void text_begin(FILE *out, const results *r) {
  fprintf(out, "posenc-verify %s, seed %llu, against %s\n", posenc_version(), (unsigned long long)r->seed,
      r->by == REFERENCE_MPFR ? "the truth (MPFR)" : "the float64 reference, its own error bound allowed for");
  fprintf(out,
      "float64 reference: good to position %lld (error below 0.01 float32 ULP of 1 at d_model %lld, base %g)\n",
      (long long)r->float64_good_to, (long long)r->audited.d_model, r->audited.base);
  for (size_t i = 0; i < r->n_impls; i++)
    if (!r->impls[i].supported)
      fprintf(out, "not run here: %s (this CPU lacks %s)\n", r->impls[i].impl->name, r->impls[i].impl->isa);
  fflush(out);
}

/* What differs from the paper's table is said. */
static void print_shape(FILE *out, const segment *s) {
  const posenc_spec *spec = &s->spec;
  fprintf(out, "d_model %lld, ", (long long)spec->d_model);
  if (spec->freqs)
    fprintf(out, "explicit frequencies");
  else
    fprintf(out, "base %g", spec->base);
  spec_print_changes(out, spec);
  if (spec->dtype != POSENC_F32)
    fprintf(out, ", %s", format_of(spec->dtype)->long_name);
  fprintf(out, ", positions %lld to %lld, %lld rows", (long long)s->from, (long long)(s->to - 1), (long long)s->n_rows);
}

static void segment_begin(void *data, const results *r, int64_t index) {
  FILE *out = data;
  const segment *s = &r->sweep.segments[index];
  if (!s->in_table)
    return;
  fputc('\n', out);
  print_shape(out, s);
  fprintf(out, "\n  %-17s %-9s %8s %8s %8s %8s  %-24s %-15s %-15s %s\n", "implementation", "max error", "ULP p50",
      "p99", "max", "correct", "worst at", "got", "want", "bound");
  fflush(out);
}

/* An ULP of 4 is read digit by digit, one of 4e6 is not. */
static void print_ulp(FILE *out, double ulp) { fprintf(out, ulp < 10000 ? " %8.3f" : " %8.1e", ulp); }

/* Per cent, cut and not rounded: 100.00 means every single output. */
static double cut_percent(double share) { return floor(share * 1e4) / 100; }

static void one_verdict(void *data, const results *r, size_t impl, int64_t index) {
  FILE *out = data;
  const verdict *v = &r->impls[impl].verdicts[index];
  if (!r->sweep.segments[index].in_table)
    return;
  fprintf(out, "  %-17s", r->impls[impl].impl->name);
  if (v->not_offered) {
    fprintf(out, " not offered for this shape\n");
  } else if (!v->judged) {
    fprintf(out, " FAILED\n");
  } else {
    const witness *w = &v->worst;
    char at[48], got[24], want[24];
    snprintf(at, sizeof at, "%lld, column %lld", (long long)w->position, (long long)w->column);
    snprintf(got, sizeof got, "%a", w->got);
    snprintf(want, sizeof want, "%a", w->want);
    fprintf(out, " %-9.2e", v->max_abs);
    print_ulp(out, v->ulp_p50);
    print_ulp(out, v->ulp_p99);
    print_ulp(out, v->ulp_max);
    fprintf(out, " %7.2f%%  %-24s %-15s %-15s %-8.1e %s\n", cut_percent(v->correctly_rounded), at, got, want, w->bound,
        v->bound_ok ? "ok" : "FAILED");
  }
  fflush(out);
}

/* A shape outside the table is one line: how near its bound anyone came. */
static void print_shape_line(FILE *out, const results *r, int64_t index) {
  const segment *s = &r->sweep.segments[index];
  const impl_result *nearest = NULL;
  double share = -1;
  size_t judged = 0, within = 0;
  for (size_t i = 0; i < r->n_impls; i++) {
    const verdict *v = &r->impls[i].verdicts[index];
    if (!v->judged)
      continue;
    judged++;
    within += v->bound_ok;
    const double its = v->closest.error > 0 ? v->closest.error / v->closest.bound : 0;
    if (its > share) {
      share = its;
      nearest = &r->impls[i];
    }
  }
  fprintf(out, "  %-23s ", s->shape);
  print_shape(out, s);
  fprintf(out, ": %zu of %zu within their bounds", within, judged);
  if (nearest)
    fprintf(out, ", nearest %s at %.2f", nearest->impl->name, share);
  fputc('\n', out);
}

static void segment_end(void *data, const results *r, int64_t index) {
  FILE *out = data;
  if (!r->sweep.segments[index].in_table) {
    if (index > 0 && r->sweep.segments[index - 1].in_table)
      fprintf(out, "\nother shapes, sampled with fewer rows\n");
    print_shape_line(out, r, index);
  }
  fflush(out);
}

campaign_listener text_listener(FILE *out) { return (campaign_listener){segment_begin, one_verdict, segment_end, out}; }

static void print_audit(FILE *out, const results *r) {
  fprintf(out, "\nfloat64 reference against the truth, max error by range:");
  for (int64_t i = 0; i < r->n_audits; i++)
    fprintf(out, "%s to %lld %.1e%s", i ? "," : "", (long long)(r->audits[i].to - 1), r->audits[i].max_abs,
        r->audits[i].law_holds ? "" : " (BEYOND ITS LAW)");
  fputc('\n', out);
}

void text_end(FILE *out, const results *r) {
  size_t verified = 0, run = 0, supported = 0;
  if (r->n_audits > 0)
    print_audit(out, r);
  fputc('\n', out);
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
  fflush(out);
}
