#include "spec_options.h"

#include <math.h>
#include <string.h>

#include "../reference/columns.h"
#include "../reference/formats.h"
#include "arguments.h"

enum {
  KEY_D_MODEL = 300,
  KEY_PRESET,
  KEY_BASE,
  KEY_DENOMINATOR,
  KEY_POSITIONS,
  KEY_SCALE,
  KEY_LAYOUT,
  KEY_ORDER,
  KEY_ODD,
  KEY_DTYPE
};

static const struct argp_option known[] = {{"d-model", KEY_D_MODEL, "N", 0, "Columns (default 512)", 0},
    {"preset", KEY_PRESET, "NAME", 0,
        "What a real system computes; the other options change fields of it (default paper)", 0},
    {"base", KEY_BASE, "X", 0, "Base of its frequencies (default 10000)", 0},
    {"denominator", KEY_DENOMINATOR, "X", 0, "Denominator of their exponents (default half of N)", 0},
    {"positions", KEY_POSITIONS, "[FROM:]TO", 0, "Its positions, FROM (default 0) to TO-1", 0},
    {"position-scale", KEY_SCALE, "X", 0, "Factor of the positions (default 1)", 0},
    {"layout", KEY_LAYOUT, "NAME", 0, "interleaved (default) or split", 0},
    {"order", KEY_ORDER, "NAME", 0, "sin_first (default) or cos_first", 0},
    {"odd", KEY_ODD, "NAME", 0, "half_pair (default) or zero: the last column of an odd width", 0},
    {"dtype", KEY_DTYPE, "NAME", 0, "f32 (default), f64, bf16 or f16; who does not offer it is not run", 0}, {0}};

_Static_assert(KEY_DTYPE - KEY_PRESET + 1 == SPEC_OPTIONS, "all but d_model wait until everything is known");

/* Which of the names a text is. */
static int32_t choice(struct argp_state *state, const char *option, const char *text, const char *(*name)(int32_t)) {
  char all[256] = "";
  for (int32_t i = 0; name(i); i++) {
    if (strcmp(text, name(i)) == 0)
      return i;
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", name(i));
  }
  argp_error(state, "%s %s: one of these is needed: %s", option, text, all);
  return 0;
}

static const char *preset_name(int32_t i) {
  const posenc_preset *preset = posenc_preset_at((size_t)i);
  return preset ? preset->name : NULL;
}

static void set_field(struct argp_state *state, posenc_spec *spec, int key, const char *text) {
  switch (key) {
  case KEY_BASE:
    spec->base = argument_number(state, "--base", text);
    break;
  case KEY_DENOMINATOR:
    spec->denominator = argument_number(state, "--denominator", text);
    break;
  case KEY_SCALE:
    spec->position_scale = argument_number(state, "--position-scale", text);
    break;
  case KEY_LAYOUT:
    spec->layout = choice(state, "--layout", text, layout_name);
    break;
  case KEY_ORDER:
    spec->order = choice(state, "--order", text, order_name);
    break;
  case KEY_ODD:
    spec->odd = choice(state, "--odd", text, odd_name);
    break;
  case KEY_DTYPE:
    spec->dtype = choice(state, "--dtype", text, dtype_name);
    break;
  }
}

/* The preset first, whatever the order of the options: the others change it. */
static void build_spec(struct argp_state *state, spec_options *o) {
  char message[256];
  if (o->preset) {
    const int64_t d_model = o->spec.d_model;
    if (posenc_spec_preset_check(o->preset, d_model, message, sizeof message) != POSENC_OK)
      argp_error(state, "--preset %s: %s", o->preset, message);
    posenc_spec_preset(o->preset, d_model, &o->spec);
  }
  for (int i = 0; i < SPEC_OPTIONS; i++)
    if (o->texts[i])
      set_field(state, &o->spec, KEY_PRESET + i, o->texts[i]);
  if (posenc_spec_check(&o->spec, message, sizeof message) != POSENC_OK)
    argp_error(state, "%s", message);
  const double scale = fabs(spec_scale(&o->spec)), far = fmax(fabs((double)o->from), fabs((double)(o->to - 1)));
  if (far * scale > (double)POSENC_MAX_POSITION)
    argp_error(state, "--positions %lld:%lld, times a scale of %g, lie beyond -2^32 to 2^32", (long long)o->from,
        (long long)o->to, spec_scale(&o->spec));
}

static error_t parse(int key, char *text, struct argp_state *state) {
  spec_options *o = state->input;
  if (key == ARGP_KEY_END) {
    build_spec(state, o);
    return 0;
  }
  if (key < KEY_D_MODEL || key > KEY_DTYPE)
    return ARGP_ERR_UNKNOWN;
  o->given = true;
  o->has_width |= key == KEY_D_MODEL;
  o->has_positions |= key == KEY_POSITIONS;
  o->has_dtype |= key == KEY_DTYPE;
  if (key == KEY_D_MODEL)
    o->spec = posenc_spec_default(argument_integer(state, "--d-model", text, 1, POSENC_MAX_D_MODEL));
  else
    o->texts[key - KEY_PRESET] = text;
  if (key == KEY_PRESET)
    o->preset = preset_name(choice(state, "--preset", text, preset_name));
  if (key == KEY_POSITIONS)
    argument_positions(state, text, &o->from, &o->to);
  return 0;
}

const struct argp spec_options_argp = {known, parse, NULL, NULL, NULL, NULL, NULL};

spec_options spec_options_default(int64_t to) {
  spec_options o = {.to = to};
  o.spec = posenc_spec_default(512);
  return o;
}
