/* The machine and the build as the tools' JSON has them. */
#ifndef POSENC_VERIFY_MACHINE_JSON_H
#define POSENC_VERIFY_MACHINE_JSON_H

#include <cjson/cJSON.h>

#include "machine.h"

/* Adds "machine" to the root and returns it. */
static inline cJSON *machine_add(cJSON *root) {
  char cpu[256];
  cJSON *o = cJSON_AddObjectToObject(root, "machine");
  machine_cpu(cpu, sizeof cpu);
  cJSON_AddStringToObject(o, "cpu", cpu);
  cJSON_AddStringToObject(o, "architecture", machine_architecture());
  cJSON_AddBoolToObject(o, "emulated", machine_emulated());
  cJSON_AddStringToObject(o, "compiler", machine_compiler());
  cJSON_AddStringToObject(o, "build_type", machine_build_type());
  return o;
}

#endif
