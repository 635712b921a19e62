/* Bytes make a spec, a plan and up to three calls. Each call must either be refused and write nothing, or write correct
 * rows and nothing else. libFuzzer chooses the bytes, or test_elements.c draws them.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "../tools/memory.h"
#include "fuzz.h"

__extension__ typedef __int128 wide;

/* An array in memory between inaccessible pages, and its image: the bytes expected after the call. Both include up to
 * AROUND bytes before and behind the array. */
enum { AROUND = 64, ARENA = 1 << 28 };
typedef struct array {
  unsigned char *memory, *image;
  size_t bytes;
  unsigned char *start;
} array;

static unsigned char *arena(void) {
  static unsigned char *memory;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (memory)
    return memory;
  unsigned char *const map =
      mmap(NULL, ARENA + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED || mprotect(map + page, ARENA, PROT_READ | PROT_WRITE) != 0)
    out_of_memory("for arrays");
  return memory = map + page;
}

/* An array of random bytes. It starts at a cache line and perhaps where accessible memory starts, ends where accessible
 * memory ends, or starts some elements behind a line. */
static array array_of(size_t size, size_t element, unsigned where, uint64_t seed) {
  const size_t before = where < 32 ? 0 : where < 96 ? AROUND : AROUND + where % 32 * element;
  const size_t behind = where >= 64 && where < 96 ? 0 : AROUND, all = before + size + behind;
  array a = {behind ? arena() : arena() + ARENA - all, must_calloc((int64_t)all, 1), all, NULL};
  a.start = a.memory + before;
  for (size_t i = 0; i < all; i++)
    a.image[i] = a.memory[i] = (unsigned char)next_random(&seed);
  return a;
}

/* The address in the image for an address in the array. */
static void *in_image(const array *a, const void *address) {
  return a->image + ((const unsigned char *)address - a->memory);
}

/* Compares an array with its image, after the call returned `status`. */
static void close_array(const array *a, const fuzz_call *c, posenc_status status) {
  const int differs = memcmp(a->memory, a->image, a->bytes) != 0;
  for (size_t i = 0; differs && i < a->bytes; i++)
    if (a->memory[i] != a->image[i]) {
      const unsigned char *const arrays[] = {c->a.out, c->a.kind == CALL_PAIR ? c->a.cosines : NULL};
      for (int cosines = 0; cosines < 2 && arrays[cosines] && c->width > 0 && status == POSENC_OK; cosines++)
        check_element(c, arrays[cosines], cosines, a->memory + i, in_image(a, arrays[cosines]));
      complain("%s, %s returns %d; byte %td of an array of %zu is %#x instead of %#x", posenc_plan_impl(c->a.plan),
          call_names[c->a.kind], (int)status, a->memory + i - a->start, a->bytes, a->memory[i], a->image[i]);
    }
  free(a->image);
}

/* The number of elements that the rows span; -1 if their stride is not allowed. A table ends with a whole stride, and the
 * stride of a single row is ignored. */
static wide rows_span(const fuzz_call *c) {
  const wide count = c->a.count, stride = c->a.row_stride;
  const wide span = c->a.kind == CALL_TABLE ? count * stride : count > 1 ? (count - 1) * stride + c->width : c->width;
  const bool narrow = stride < c->width && (count != 1 || c->a.kind == CALL_TABLE);
  const bool large = (count > 1 || c->a.kind == CALL_TABLE) && count * stride >= (wide)1 << 60;
  return narrow || large ? -1 : span;
}

static const void *list_of(const arguments *a) { return a->positions ? (const void *)a->positions : a->reals; }

/* Whether an element of one array is in the other one: of sines and cosines, or of rows and their positions. */
static bool arrays_meet(const fuzz_call *c) {
  const arguments *a = &c->a;
  const void *const other = a->kind == CALL_PAIR ? a->cosines : list_of(a);
  const wide size = (wide)c->size, width = c->width * size, length = a->kind == CALL_PAIR ? width : a->count * (wide)8;
  bool meet = false;
  for (int64_t m = a->kind == CALL_PAIR ? 1 - a->count : 0; other && width > 0 && m < a->count; m++) {
    const wide apart = (wide)(uintptr_t)other - (wide)(uintptr_t)a->out - m * a->row_stride * size;
    meet = meet || (apart < width && apart > -length);
  }
  return meet;
}

/* Whether the call's arguments other than its positions are allowed. Its addresses matter only if it has rows. */
static bool is_allowed(const fuzz_call *c) {
  const arguments *a = &c->a;
  const uintptr_t addresses = (uintptr_t)a->out | (uintptr_t)a->cosines;
  const bool listed = (a->kind != CALL_AT && a->kind != CALL_AT_REAL) || a->positions || a->reals;
  const bool arrays = a->out && a->cosines && addresses % c->size == 0 && (uintptr_t)list_of(a) % 8 == 0;
  return a->count >= 0 && rows_span(c) >= 0 && (a->count == 0 || (listed && arrays && !arrays_meet(c)));
}

/* Returns NULL if `broken` equals `null`, a misaligned address if it is null - 1, else the address. */
static void *break_pointer(unsigned char *address, unsigned broken, unsigned null) {
  return broken == null ? NULL : address + (broken == null - 1);
}

/* Makes the call, with an array for rows that span this number of elements. */
static void try_arrays(bytes *b, fuzz_call *c, const posenc_spec *spec, int64_t span) {
  arguments *a = &c->a;
  const char *name = call_names[a->kind];
  const unsigned where = take_byte(b), broken = take_byte(b);
  const bool overlap = span > 0 && broken >= 180 && broken < 250; /* perhaps */
  /* The cosines are the right half of rows of 2n elements, follow all sines, or start up to two rows before them. */
  const int64_t row = a->count > 1 ? a->row_stride : c->width,
                sines = overlap && a->kind == CALL_PAIR ? 2 * row + 15 : 0;
  const int64_t cosines = a->kind != CALL_PAIR            ? 0
                          : overlap                       ? row * (broken % 5) + broken / 5 % 30
                          : a->row_stride >= 2 * c->width ? c->width
                                                          : span + 3;
  /* Positions are in an array of their own, or anywhere in that of the rows, where they may be misaligned. */
  const size_t list = broken % 50 * 8 + broken / 50 % 2 * 4,
               list_end = overlap && list_of(a) ? list + (size_t)a->count * 8 : 0;
  const size_t rows_end = (size_t)(span + (sines > cosines ? sines : cosines)) * c->size;
  const array out = array_of(rows_end > list_end ? rows_end : list_end, c->size, where, broken + 1);
  unsigned char *const start = out.start, *const first = start + (size_t)sines * c->size;
  if (list_end > 0) {
    memcpy(in_image(&out, start + list), memcpy(start + list, list_of(a), list_end - list), list_end - list);
    a->positions = a->positions ? (const void *)(start + list) : NULL;
    a->reals = a->reals ? (const void *)(start + list) : NULL;
  }
  a->out = break_pointer(first, a->kind != CALL_TABLE ? broken : 0, 253);
  a->cosines = break_pointer(start + (size_t)cosines * c->size, a->kind == CALL_PAIR ? broken : 0, 251);
  a->table = a->kind == CALL_TABLE ? c : NULL;
  const int64_t stride = a->row_stride;
  a->row_stride = a->kind == CALL_TABLE && stride == c->width && where % 2 ? 0 : stride; /* the same */
  posenc_status status;
  TRY(b, c->state, name, status, make_call(a));
  a->row_stride = stride;
  check_status(c, spec, is_allowed(c), status);
  if (a->kind == CALL_TABLE && (status == POSENC_OK) != (a->table != NULL))
    complain("posenc_table_create returns %d and %p", (int)status, a->table);
  if (a->kind == CALL_TABLE && status == POSENC_OK) { /* zeros and rows */
    a->out = memcpy(first, a->table, (size_t)span * c->size);
    memset(in_image(&out, first), 0, (size_t)span * c->size);
    memset(a->table, 0x5a, (size_t)span * c->size); /* the next table may get this memory */
  }
  if (status == POSENC_OK && a->count > 0 && c->width > 0) {
    arguments image = *a;
    image.out = in_image(&out, a->out);
    image.cosines = in_image(&out, a->cosines);
    make_image(b, c, spec, &image);
  }
  posenc_table_destroy(a->table);
  close_array(&out, c, status);
}

/* If the call has no rows or its stride is not allowed, its array has no elements. */
void try_call(bytes *b, fuzz_call *c, const posenc_spec *spec) {
  void *const list = (void *)(uintptr_t)list_of(&c->a);
  const wide span = c->a.count > 0 ? rows_span(c) : 0;
  if (span < ARENA / 16)
    try_arrays(b, c, spec, span > 0 ? (int64_t)span : 0);
  free(list);
}

/* Checks that the spec has the same status with the name of an implementation and with a name that none has. Returns
 * the plan; NULL if the spec is refused or wider than WIDEST_PLAN. */
static posenc_plan *try_plan(bytes *b, const fuzz_spec *f) {
  static const posenc_spec zeros;
  const unsigned state = take_byte(b);
  posenc_status checked, status;
  posenc_plan *plan = (posenc_plan *)(void *)&status;
  TRY(b, 0, "posenc_plan_create", checked, posenc_plan_create(&plan, &f->spec, "none"));
  const bool allowed = checked == POSENC_ERROR_UNKNOWN_IMPL;
  if (allowed &&
      (f->spec.struct_size != sizeof zeros || memcmp(f->spec.reserved, zeros.reserved, sizeof zeros.reserved) != 0))
    complain("posenc_plan_create takes a wrong struct_size or a reserved field that is not 0");
  if (allowed && f->spec.d_model > WIDEST_PLAN)
    return NULL;
  TRY(b, state, "posenc_plan_create", status, posenc_plan_create(&plan, &f->spec, f->name));
  if ((status == POSENC_OK) != (plan != NULL))
    complain("posenc_plan_create returns %d and %p", (int)status, (void *)plan);
  if ((!allowed || status == POSENC_ERROR_SPEC) && status != checked)
    complain("posenc_plan_create returns %d without an implementation, %d with one", (int)checked, (int)status);
  return plan;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {data, data + size};
  fuzz_spec f;
  take_spec(&b, &f);
  posenc_plan *plan = try_plan(&b, &f);
  for (int i = 0; i < 3 && plan && (i == 0 || b.at < b.end); i++) {
    fuzz_call c;
    take_call(&b, plan, &f, &c);
    try_call(&b, &c, &f.spec);
  }
  if (plan)
    try_phases(&b, plan);
  try_rotary(&b);
  posenc_plan_destroy(plan);
  free(f.freqs);
  free(f.freqs_low);
  return 0;
}
