#define _POSIX_C_SOURCE 200809L
#include "options.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim/budget.h"

static void refuse(const char *path, const char *what) {
  fprintf(stderr, "posenc-bench: --verified %s: %s\n", path, what);
  exit(2);
}

static const char *string(const cJSON *object, const char *key) {
  const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
  return s ? s : "";
}

/* JSON has null where a number is not finite. */
static double number(const cJSON *object, const char *key, double otherwise) {
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(n) ? n->valuedouble : otherwise;
}

/* Notes the errors of the first table of this dtype in the report. Returns false if there is none. */
static bool note_errors(const cJSON *entry, const posenc_impl *impl, int32_t dtype) {
  const cJSON *range, *first = NULL;
  cJSON_ArrayForEach (range, cJSON_GetObjectItemCaseSensitive(entry, "ranges")) {
    if (strcmp(string(range, "dtype"), dtype_name(dtype)) != 0)
      continue;
    first = first ? first : range;
    if (strcmp(string(range, "shape"), string(first, "shape")) == 0)
      bench_note_errors(impl, (posenc_dtype)dtype, (int64_t)number(range, "from", 0),
          (bench_errors){number(range, "ulp_max", INFINITY), number(range, "max_abs", INFINITY)});
  }
  return first;
}

/* Notes the errors of an implementation, and skips each dtype for which the report has none. */
static void skip_dtypes(const cJSON *entry, const posenc_impl *impl) {
  for (int32_t i = 0; dtype_name(i); i++) {
    char name[96];
    snprintf(name, sizeof name, "%s/%s", impl->name, dtype_name(i));
    if (!note_errors(entry, impl, i) && bench_offers(impl, (posenc_dtype)i))
      bench_skip(name, "not judged by posenc-verify");
  }
}

void bench_read_verified(const char *path) {
  char *text = NULL;
  size_t room = 0;
  FILE *f = fopen(path, "rb");
  if (!f || (getdelim(&text, &room, '\0', f) < 0 && !feof(f))) /* reads the whole file, since JSON has no zero byte */
    refuse(path, strerror(errno));
  fclose(f);
  cJSON *report = cJSON_Parse(text ? text : "");
  free(text);
  if (!report)
    refuse(path, "the file is not JSON");
  const cJSON *schema = cJSON_GetObjectItemCaseSensitive(report, "schema");
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(report, "implementations");
  if (strcmp(string(report, "tool"), "posenc-verify") != 0 || !cJSON_IsArray(list))
    refuse(path, "the file is not a report of posenc-verify (posenc-verify --json FILE writes one)");
  if (!cJSON_IsNumber(schema) || schema->valuedouble != 1.0)
    refuse(path, "the report's schema is not 1, the only one that this program reads");

  /* An implementation that the file does not name is not verified either. */
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_by_index(i);
    const cJSON *entry, *found = NULL;
    cJSON_ArrayForEach (entry, list)
      if (strcmp(string(entry, "name"), impl->name) == 0)
        found = entry;
    if (!posenc_impl_supported(impl))
      continue;
    if (!found) {
      bench_skip(impl->name, "not in the verification report");
    } else if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(found, "verified"))) {
      char reason[512];
      const char *why = string(found, "failure"); /* null where nothing was compared */
      snprintf(reason, sizeof reason, "%s%s", *why ? "failed verification: " : "not judged by posenc-verify", why);
      bench_skip(impl->name, reason);
    } else {
      skip_dtypes(found, impl);
    }
  }
  cJSON_Delete(report);
}
