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

typedef struct input {
  uint8_t bytes[600];
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
  LLVMFuzzerTestOneInput(in->bytes, in->size);
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

/* Up to five times: a byte replaced, bytes cut out, or a part of another input put in. */
static void change(input *in, const input *other, uint64_t *seed) {
  for (int64_t i = random_between(seed, 1, 5); i > 0 && in->size > 0; i--) {
    const size_t at = next_random(seed) % in->size, part = next_random(seed) % 32 + 1, how = next_random(seed) % 4;
    const size_t rest = in->size - at, cut = part < rest ? part : rest;
    if (how < 2) {
      in->bytes[at] = (uint8_t)next_random(seed);
    } else if (how == 2) {
      memmove(in->bytes + at, in->bytes + at + cut, rest - cut);
      in->size -= cut;
    } else if (at + cut <= other->size) {
      memcpy(in->bytes + at, other->bytes + at, cut);
    }
  }
}

static int is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

int main(int argc, char **argv) {
  static struct dirent **files; /* never freed */
  if (argc != 5)
    return 2;
  const int n = scandir(argv[1], &files, is_shown, alphasort), changes = (int)strtol(argv[2], NULL, 0);
  uint64_t seed = strtoull(argv[3], NULL, 0);
  if (n <= 0)
    fail(argv[1]);
  for (int i = 0; i < n + changes; i++) {
    input in = read_file(argv[1], files[i < n ? i : random_between(&seed, 0, n - 1)]->d_name);
    if (i >= n) {
      const input other = read_file(argv[1], files[random_between(&seed, 0, n - 1)]->d_name);
      change(&in, &other, &seed);
    }
    run(&in, argv[4]);
  }
  printf("replayed %d files and %d changes of them, seed %s\n", n, changes, argv[3]);
  return 0;
}
