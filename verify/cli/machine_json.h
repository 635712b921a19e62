/* The machine and the build as the tools' JSON has them. */
#ifndef POSENC_VERIFY_MACHINE_JSON_H
#define POSENC_VERIFY_MACHINE_JSON_H

#include <cjson/cJSON.h>

#include "machine.h"

static inline void machine_add_text(void *object, const char *key, const char *value) {
  cJSON_AddStringToObject(object, key, value);
}

/* Adds "machine" to the root and returns it. */
static inline cJSON *machine_add(cJSON *root) {
  cJSON *o = cJSON_AddObjectToObject(root, "machine");
  machine_describe(machine_add_text, o);
  cJSON_AddBoolToObject(o, "emulated", machine_emulated());
  return o;
}

#endif
