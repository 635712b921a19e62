#include "spec_options.h"

#include <math.h>
#include <string.h>

#include "arguments.h"
#include "spec.h"

enum { KEY_PRESET = 'p', KEY_D_MODEL = 300, KEY_POSITIONS, KEY_FIELD };

/* The option of field i has the key KEY_FIELD + i. The value of a field without names is a number. */
static const struct field {
  const char *option;
  size_t offset;
  const char *(*name)(int32_t);
} fields[SPEC_FIELDS] = {
    {"--base", offsetof(posenc_spec, base), NULL},
    {"--denominator", offsetof(posenc_spec, denominator), NULL},
    {"--position-scale", offsetof(posenc_spec, position_scale), NULL},
    {"--layout", offsetof(posenc_spec, layout), layout_name},
    {"--order", offsetof(posenc_spec, order), order_name},
    {"--odd", offsetof(posenc_spec, odd), odd_name},
    {"--dtype", offsetof(posenc_spec, dtype), dtype_name},
};

static const struct argp_option known[] = {
    {"d-model", KEY_D_MODEL, "N", 0, "Columns (default 512)", 0},
    {"preset", KEY_PRESET, "NAME", 0,
        "The table that a real system computes (default paper); the other options change its fields", 0},
    {"base", KEY_FIELD, "X", 0, "Base of the frequencies, above 0 (default 10000)", 0},
    {"denominator", KEY_FIELD + 1, "X", 0, "Frequencies are base^(-k/X) (default half of the columns)", 0},
    {"positions", KEY_POSITIONS, "[FROM:]TO", 0, "The positions FROM (default 0) to TO-1", 0},
    {"position-scale", KEY_FIELD + 2, "X", 0, "Factor of the positions (default 1)", 0},
    {"layout", KEY_FIELD + 3, "NAME", 0, "interleaved (default) or split", 0},
    {"order", KEY_FIELD + 4, "NAME", 0, "sin_first (default) or cos_first", 0},
    {"odd", KEY_FIELD + 5, "NAME", 0, "The last column of an odd width: half_pair (default) or zero", 0},
    {"dtype", KEY_FIELD + 6, "NAME", 0, "float32 (default), float64, bfloat16 or float16", 0},
    {0},
};

static const char *preset_name(int32_t i) {
  const posenc_preset *preset = posenc_preset_by_index((size_t)i);
  return preset ? preset->name : NULL;
}

static void set_field(struct argp_state *state, posenc_spec *spec, const struct field *f, const char *text) {
  void *value = (char *)spec + f->offset;
  if (f->name)
    *(int32_t *)value = argument_choice(state, f->option, text, f->name);
  else
    *(double *)value = argument_number(state, f->option, text);
}

static void set_positions(struct argp_state *state, const char *text, spec_options *o) {
  const int64_t last = POSENC_MAX_POSITION;
  const char *colon = strchr(text, ':');
  if (colon) {
    char before[32];
    snprintf(before, sizeof before, "%.*s", (int)(colon - text), text);
    o->from = argument_integer(state, "--positions: FROM", before, -last, last);
  }
  o->to = argument_integer(state, "--positions: TO", colon ? colon + 1 : text, -last, last + 1);
  if (o->from >= o->to)
    argp_error(
        state, "--positions %s: FROM (%lld) must be below TO (%lld)", text, (long long)o->from, (long long)o->to);
}

/* Applies the preset first, whatever the order of the options, because the others change its fields. */
static void build_spec(struct argp_state *state, spec_options *o) {
  char message[256];
  if (o->preset) {
    const int64_t d_model = o->spec.d_model;
    if (posenc_spec_init(&o->spec, d_model, o->preset) != POSENC_OK) {
      posenc_last_error(message, sizeof message);
      argp_error(state, "--preset %s: %s", o->preset, message);
    }
  }
  for (int i = 0; i < SPEC_FIELDS; i++)
    if (o->texts[i])
      set_field(state, &o->spec, &fields[i], o->texts[i]);
  posenc_plan *plan;
  if (posenc_plan_create(&plan, &o->spec, NULL) != POSENC_OK) {
    posenc_last_error(message, sizeof message);
    argp_error(state, "%s", message);
  }
  posenc_plan_destroy(plan);
  const double scale = o->spec.position_scale != 0 ? o->spec.position_scale : 1,
               far = fmax(fabs((double)o->from), fabs((double)(o->to - 1)));
  if (far * fabs(scale) > (double)POSENC_MAX_POSITION)
    argp_error(state, "--positions %lld:%lld, times a scale of %g, are beyond the allowed -2^32 to 2^32",
        (long long)o->from, (long long)o->to, scale);
}

static error_t parse(int key, char *text, struct argp_state *state) {
  spec_options *o = state->input;
  if (key == ARGP_KEY_END) {
    build_spec(state, o);
    return 0;
  }
  if (key == KEY_D_MODEL) {
    o->spec = paper_spec(argument_integer(state, "--d-model", text, 1, POSENC_MAX_D_MODEL));
  } else if (key == KEY_POSITIONS) {
    set_positions(state, text, o);
  } else if (key == KEY_PRESET) {
    o->preset = preset_name(argument_choice(state, "--preset", text, preset_name));
  } else if (key >= KEY_FIELD && key < KEY_FIELD + SPEC_FIELDS) {
    o->texts[key - KEY_FIELD] = text;
  } else {
    return ARGP_ERR_UNKNOWN;
  }
  o->given = true;
  return 0;
}

const struct argp spec_options_argp = {known, parse, NULL, NULL, NULL, NULL, NULL};

spec_options spec_options_default(int64_t to) { return (spec_options){.to = to, .spec = paper_spec(512)}; }
