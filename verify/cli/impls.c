/* Verifies implementations, and reports as text while results come in. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "../campaign/campaign.h"
#include "../tools/output.h"
#include "../tools/spec.h"
#include "report.h"
#include "modes.h"

/* Prints the width, the base, those of the other fields that differ from the paper's table, and the positions. */
static void print_shape(FILE *out, const segment *s) {
  const posenc_spec *spec = &s->spec;
  fprintf(out, "d_model %lld, ", (long long)spec->d_model);
  if (spec->freqs)
    fprintf(out, "explicit frequencies");
  else
    fprintf(out, "base %g", spec->base);
  if (!spec->freqs && spec->denominator > 0)
    fprintf(out, ", denominator %g", spec->denominator);
  if (spec->position_scale != 0 && spec->position_scale != 1)
    fprintf(out, ", position_scale %g", spec->position_scale);
  if (spec->layout != POSENC_LAYOUT_INTERLEAVED)
    fprintf(out, ", %s", layout_name(spec->layout));
  if (spec->order != POSENC_ORDER_SIN_FIRST)
    fprintf(out, ", %s", order_name(spec->order));
  if (spec->odd != POSENC_ODD_HALF_PAIR && spec->d_model % 2)
    fprintf(out, ", last column zero");
  if (spec->dtype != POSENC_DTYPE_F32)
    fprintf(out, ", %s", dtype_name(spec->dtype));
  fprintf(out, ", positions %lld to %lld, %lld row%s", (long long)s->from, (long long)(s->to - 1), (long long)s->n_rows,
      s->n_rows == 1 ? "" : "s");
}

static void print_verdict(FILE *out, const impl_result *r, const verdict *v) {
  if (!r->supported)
    return;
  fprintf(out, "  %-17s", r->impl->name);
  if (!v->judged) {
    fprintf(out, v->not_offered ? " not offered for this shape\n" : " FAILED\n");
    return;
  }
  const double percent = floor(correct_share(v) * 1e4) / 100; /* rounded down: 100.00 means every single output */
  fprintf(out, " %-9.2e %10.4g %7.2f%%  %s, worst at %lld, column %lld\n", v->worst.error, v->ulp_max, percent,
      v->beyond_bound > 0                               ? "BEYOND BOUND"
      : r->impl->correctly_rounded && v->misrounded > 0 ? "MISROUNDED"
                                                        : "within bound",
      (long long)v->worst.position, (long long)v->worst.column);
}

/* A shape outside the accuracy table has one line. */
static void print_shape_line(FILE *out, const results *r, int64_t index) {
  size_t judged = 0, within = 0;
  for (size_t i = 0; i < r->n_impls; i++) {
    judged += r->impls[i].verdicts[index].judged;
    within += r->impls[i].verdicts[index].judged && r->impls[i].verdicts[index].beyond_bound == 0;
  }
  fprintf(out, "  %-23s ", r->sweep.segments[index].shape);
  print_shape(out, &r->sweep.segments[index]);
  fprintf(out, ": %zu of %zu within their bounds\n", within, judged);
}

static void print_segment(FILE *out, const results *r, int64_t index) {
  const segment *s = &r->sweep.segments[index];
  if (s->in_table) {
    print_shape(out, s);
    fprintf(out, "\n  %-17s %-9s %10s %8s\n", "implementation", "max error", "max ULP", "correct");
    for (size_t i = 0; i < r->n_impls; i++)
      print_verdict(out, &r->impls[i], &r->impls[i].verdicts[index]);
    fputc('\n', out);
  } else {
    if (index > 0 && s[-1].in_table)
      fprintf(out, "other shapes, sampled with fewer rows\n");
    print_shape_line(out, r, index);
  }
  fflush(out);
}

static void print_references(FILE *out, const results *r) {
  if (isinf(r->float64_error))
    fprintf(out, "\nFAILED: MPFR and the formula in float64 differ by more than the error law of that formula\n");
  else
    fprintf(out,
        "\nMPFR and the formula in float64 differ by at most %.1e in the table, and never by more than its error law\n",
        r->float64_error);
}

static void print_end(FILE *out, const results *r) {
  size_t verified = 0, tried = 0, supported = 0;
  for (size_t i = 0; i < r->n_impls; i++) {
    supported += r->impls[i].supported;
    tried += r->impls[i].supported && !r->impls[i].left_out;
    verified += impl_verified(&r->impls[i]);
    if (r->impls[i].failure[0])
      fprintf(out, "FAILED %s: %s\n", r->impls[i].impl->name, r->impls[i].failure);
  }
  fprintf(out, "%zu of %zu implementations verified", verified, tried);
  if (tried < supported)
    fprintf(out, ", %zu without this dtype", supported - tried);
  if (supported < r->n_impls)
    fprintf(out, ", %zu not run here", r->n_impls - supported);
  fputc('\n', out);
}

int verify_impls(const options *o) {
  const spec_options *one = &o->shape;
  const output file = o->json ? output_open(o->json) : (output){.direct = -1};
  FILE *text = file.direct == STDOUT_FILENO ? stderr : stdout;
  results r = campaign_prepare(one->given ? sweep_of(&one->spec, one->preset, one->from, one->to, o->rows, o->seed)
                                          : sweep_default(o->rows ? o->rows : 512, o->seed),
      o->impls, o->n_impls);
  if (!o->quiet)
    fprintf(text, "posenc-verify %s, seed %llu, against MPFR and float64; compares sampled rows of every call\n\n",
        posenc_version(), (unsigned long long)o->seed);
  campaign_run(&r, o->threads, o->n_impls > 0, o->quiet ? NULL : print_segment, text);
  if (!o->quiet || isinf(r.float64_error))
    print_references(text, &r);
  print_end(text, &r);
  int status = all_verified(&r) ? 0 : 1;
  if (o->json) {
    char *json = json_of(o, &r);
    status = output_write(&file, json) ? status : 2;
    free(json);
  }
  campaign_destroy(&r);
  return status;
}
