/* Runs a fuzz target without libFuzzer: on the files of a directory, and on changes of them that a seed decides, so
 * that the suite replays with any compiler what fuzzing has found.
 *
 *   replay_fill DIRECTORY CHANGES SEED KEPT      KEPT: the file that has the last input, the one that ended the run
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../reference/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_FILES = 4096, MOST_BYTES = 600 };

typedef struct input {
  uint8_t bytes[MOST_BYTES];
  size_t size;
} input;

static void fail(const char *path) {
  perror(path);
  exit(2);
}

static void run(const input *in, const char *kept) {
  FILE *file = fopen(kept, "wb");
  if (!file || fwrite(in->bytes, 1, in->size, file) != in->size || fclose(file) != 0)
    fail(kept);
  uint8_t *own = malloc(in->size > 0 ? in->size : 1); /* of its very size, for the sanitizer to see reads behind it */
  memcpy(own, in->bytes, in->size);
  LLVMFuzzerTestOneInput(own, in->size);
  free(own);
}

static input read_file(const char *directory, const char *name) {
  char path[4096];
  input in;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "rb");
  if (!file)
    fail(path);
  in.size = fread(in.bytes, 1, sizeof in.bytes, file);
  fclose(file);
  return in;
}

/* Up to five times: a byte replaced, a bit flipped, bytes cut out, or a part of another input put in. */
static void change(input *in, const input *other, uint64_t *seed) {
  for (int64_t i = random_between(seed, 1, 5); i > 0 && in->size > 0; i--) {
    const size_t at = next_random(seed) % in->size, part = next_random(seed) % 32 + 1, how = next_random(seed) % 4;
    const size_t rest = in->size - at, cut = part < rest ? part : rest;
    if (how == 0) {
      in->bytes[at] = (uint8_t)next_random(seed);
    } else if (how == 1) {
      in->bytes[at] ^= (uint8_t)(1u << next_random(seed) % 8);
    } else if (how == 2) {
      memmove(in->bytes + at, in->bytes + at + cut, rest - cut);
      in->size -= cut;
    } else if (at + cut <= other->size) {
      memcpy(in->bytes + at, other->bytes + at, cut);
    }
  }
}

int main(int argc, char **argv) {
  static input inputs[MOST_FILES];
  size_t n = 0;
  struct dirent **entries;
  if (argc != 5) {
    fprintf(stderr, "Usage: %s DIRECTORY CHANGES SEED KEPT\n", argv[0]);
    return 2;
  }
  const int n_entries = scandir(argv[1], &entries, NULL, alphasort);
  if (n_entries < 0)
    fail(argv[1]);
  for (int i = 0; i < n_entries; i++) {
    if (entries[i]->d_name[0] != '.' && n < MOST_FILES)
      inputs[n++] = read_file(argv[1], entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  for (size_t i = 0; i < n; i++)
    run(&inputs[i], argv[4]);
  const unsigned long long changes = strtoull(argv[2], NULL, 0);
  uint64_t seed = strtoull(argv[3], NULL, 0);
  for (unsigned long long i = 0; i < changes && n > 0; i++) {
    input changed = inputs[next_random(&seed) % n];
    change(&changed, &inputs[next_random(&seed) % n], &seed);
    run(&changed, argv[4]);
  }
  printf("replayed %zu files and %llu changes of them, seed %s\n", n, changes, argv[3]);
  return n > 0 ? 0 : 2;
}
