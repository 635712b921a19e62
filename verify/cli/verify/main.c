/* posenc-verify: implementations, and tables in files, against a reference, range of positions by range of positions.
 */
#include <stdlib.h>

#include "exhaustive.h"
#include "file.h"
#include "hashes.h"
#include "report.h"

static results prepare(const options *o) {
  const spec_options *one = &o->shape;
  const posenc_spec table = one->given ? one->spec : posenc_spec_default(512);
  const sweep s = one->given ? sweep_of(&one->spec, one->preset, one->from, one->to, o->rows, o->seed)
                             : sweep_default(o->rows, o->seed);
  return campaign_prepare(s, &table, o->impls, o->n_impls, o->by, o->seed);
}

static int verify_impls(const options *o) {
  FILE *json = open_json(o), *text = json == stdout ? stderr : stdout;
  results r = prepare(o);
  const campaign_listener listener = text_listener(text);
  text_begin(text, &r);
  campaign_run(&r, o->threads, o->n_impls > 0, &listener);
  text_end(text, &r);

  int status = all_verified(&r) && audits_hold(&r) ? 0 : 1;
  if (ferror(text)) {
    fputs("posenc-verify: the report could not be written\n", stderr);
    status = 2;
  }
  if (json) {
    bool written = json_write(json, &r);
    if (json != stdout)
      written = fclose(json) == 0 && written;
    if (!written) {
      fprintf(stderr, "posenc-verify: --json %s: could not be written\n", o->json);
      status = 2;
    }
  }
  campaign_destroy(&r);
  return status;
}

int main(int argc, char **argv) {
  options o = options_parse(argc, argv);
  const int status = o.hashes        ? write_hashes()
                     : o.exhaustive  ? exhaustive(&o)
                     : o.n_files > 0 ? verify_files(&o)
                                     : verify_impls(&o);
  options_destroy(&o);
  return status;
}
