/* The fuzz target: bytes make a spec, a plan and up to three calls. Each is refused and writes nothing, or writes rows
 * that are right and nothing else.
 */
#include <malloc.h>

#include "../reference/memory.h"
#include "../reference/random.h"
#include "fuzz.h"

__extension__ typedef __int128 wide;

/* Random bytes, with no room behind them, and their image: what they should be after the call. */
typedef struct array {
  unsigned char *memory, *image;
  size_t bytes;
} array;

static array array_of(size_t size, uint64_t seed) {
  const array a = {memalign(64, size), must_calloc((int64_t)size, 1), size};
  for (size_t i = 0; i < size; i++)
    a.image[i] = a.memory[i] = (unsigned char)next_random(&seed);
  return a;
}

/* Where an address of the array is in its image. */
static void *in_image(const array *a, const void *address) {
  return a->image + ((const unsigned char *)address - a->memory);
}

/* Frees an array after its last comparison. */
static void close_array(const array *a, const char *what, posenc_status status) {
  for (size_t i = 0; i < a->bytes; i++)
    if (a->memory[i] != a->image[i])
      complain("%s returns %d; byte %zu of %zu is %#x instead of %#x", what, (int)status, i, a->bytes, a->memory[i],
          a->image[i]);
  free(a->memory);
  free(a->image);
}

/* Elements that rows at these strides span: 0 where the call may not write at all, -1 where they are too many to try. */
static int64_t span_of(const fuzz_call *c, posenc_strides t) {
  enum { MOST = 160000 };
  const int64_t count = c->a.count, batch = c->a.batch;
  if (count <= 0 || batch <= 0 || t.row < c->width || (batch > 1 && t.batch < c->width))
    return 0;
  const int64_t last = c->a.call == TABLE ? t.row : c->width; /* tables end with a whole stride */
  const wide elements = (wide)(count - 1) * t.row + (wide)(batch - 1) * t.batch + last;
  return elements > PTRDIFF_MAX / (wide)c->size ? 0 : elements > MOST ? -1 : (int64_t)elements;
}

/* Two values of `broken` make an address NULL or misaligned. */
static void *break_pointer(unsigned char *address, unsigned broken, unsigned null) {
  return broken == null ? NULL : address + (broken == null - 1);
}

/* Makes the call with arrays whose rows span these numbers of elements. */
static void try_arrays(bytes *b, fuzz_call *c, const posenc_spec *spec, int64_t x_span, int64_t span) {
  arguments *a = &c->a;
  const char *name = call_names[a->call];
  const unsigned offset = take_byte(b), broken = take_byte(b);
  /* The cosines are the right half of rows of 2n, or follow all sines. */
  const int64_t cosines = a->call != PAIR ? 0 : a->strides.row >= 2 * c->width ? c->width : span + 3;
  const array x = array_of(((size_t)x_span + offset / 16) * c->size, broken);
  const array out = array_of(((size_t)(span + cosines) + offset % 32) * c->size, broken + 1);
  unsigned char *const sines = out.memory + offset % 32 * c->size;
  a->x = break_pointer(x.memory + offset / 16 * c->size, c->adds ? broken : 0, 255);
  a->out = c->in_place ? (void *)(uintptr_t)a->x : break_pointer(sines, broken, 253);
  a->cosines = break_pointer(sines + (size_t)cosines * c->size, a->call == PAIR ? broken : 0, 251);
  a->table = a->call == TABLE ? c : NULL;
  posenc_status status;
  TRY(b, c->state, name, status, make_call(a));
  if (a->call == TABLE && (status == POSENC_OK) != (a->table != NULL))
    complain("posenc_table_create returns %d and %p", (int)status, a->table);
  if (a->call == TABLE && status == POSENC_OK) { /* zeros and rows */
    a->out = memcpy(sines, a->table, (size_t)span * c->size);
    memset(in_image(&out, sines), 0, (size_t)span * c->size);
  }
  if (status == POSENC_OK && a->count > 0 && a->batch > 0 && c->width > 0) {
    arguments image = *a;
    image.x = in_image(&x, a->x);
    image.out = in_image(c->in_place ? &x : &out, a->out);
    image.cosines = in_image(&out, a->cosines);
    make_image(b, c, spec, &image);
  }
  posenc_table_destroy(a->table);
  close_array(&x, name, status);
  close_array(&out, name, status);
}

static void try_call(bytes *b, const posenc_plan *plan, const posenc_spec *spec) {
  fuzz_call c;
  take_call(b, plan, spec, &c);
  const int64_t x_span = c.adds ? span_of(&c, c.a.x_strides) : 0, span = span_of(&c, c.a.strides);
  if (x_span >= 0 && span >= 0)
    try_arrays(b, &c, spec, x_span, span);
  free((void *)(uintptr_t)c.a.positions);
  free((void *)(uintptr_t)c.a.reals);
}

/* posenc_spec_check and posenc_plan_create agree on the spec. Returns NULL where there is no plan, or a wide one. */
static posenc_plan *try_plan(bytes *b, const fuzz_spec *f) {
  const unsigned state = take_byte(b);
  posenc_status checked, status;
  TRY(b, state, "posenc_spec_check", checked, posenc_spec_check(&f->spec));
  if (checked == POSENC_OK && f->spec.d_model > WIDEST_PLAN)
    return NULL;
  posenc_plan *plan = (posenc_plan *)(void *)&status;
  TRY(b, state, "posenc_plan_create", status, posenc_plan_create(&plan, &f->spec, f->name));
  if ((status == POSENC_OK) != (plan != NULL))
    complain("posenc_plan_create returns %d and %p", (int)status, (void *)plan);
  if ((checked != POSENC_OK || status == POSENC_ERROR_SPEC) && status != checked)
    complain("posenc_spec_check returns %d, posenc_plan_create %d", (int)checked, (int)status);
  return plan;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {data, data + size};
  fuzz_spec f;
  take_spec(&b, &f);
  posenc_plan *plan = try_plan(&b, &f);
  for (int i = 0; i < 3 && plan && (i == 0 || b.at < b.end); i++)
    try_call(&b, plan, &f.spec);
  posenc_plan_destroy(plan);
  free(f.freqs);
  free(f.freqs_low);
  return 0;
}
