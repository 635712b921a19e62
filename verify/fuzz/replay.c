/* Runs a fuzz target without libFuzzer: on files, or on all files of a directory, and on changes of them that a seed
 * decides, so that the suite replays with any compiler what fuzzing has found.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../reference/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_FILES = 4096, MOST_BYTES = 1 << 16 };

typedef struct input {
  uint8_t *bytes;
  size_t size;
} input;

static input inputs[MOST_FILES];
static size_t n_inputs;
static input current;
static const char *save_as;

/* What was being run when the process is ended by a fault: kept, to be looked at. */
static void keep(int signal_number) {
  static const char said[] = "replay: the input is kept in the file that -k names\n";
  const int file = save_as ? open(save_as, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file >= 0) {
    if (write(file, current.bytes, current.size) == (ssize_t)current.size)
      (void)!write(STDERR_FILENO, said, sizeof said - 1);
    close(file);
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void run(const uint8_t *bytes, size_t size) {
  uint8_t *own = malloc(size > 0 ? size : 1); /* of its very size, for the sanitizer to see reads behind it */
  memcpy(own, bytes, size);
  current = (input){own, size};
  LLVMFuzzerTestOneInput(own, size);
  free(own);
}

static void add_file(const char *path) {
  static uint8_t bytes[MOST_BYTES];
  FILE *file = fopen(path, "rb");
  if (!file || n_inputs == MOST_FILES) {
    fprintf(stderr, "replay: %s: %s\n", path, file ? "too many files" : strerror(errno));
    exit(2);
  }
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  inputs[n_inputs] = (input){malloc(size + 1), size};
  memcpy(inputs[n_inputs++].bytes, bytes, size);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void add(const char *path) {
  struct dirent **entries;
  const int n = scandir(path, &entries, NULL, by_name);
  if (n < 0) {
    add_file(path);
    return;
  }
  for (int i = 0; i < n; i++) {
    char whole[4096];
    snprintf(whole, sizeof whole, "%s/%s", path, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.')
      add_file(whole);
    free(entries[i]);
  }
  free(entries);
}

/* A few bytes of one input changed, cut out, doubled, or a part of another put in. */
static size_t change(uint64_t *seed, uint8_t *bytes) {
  const input *from = &inputs[next_random(seed) % n_inputs], *other = &inputs[next_random(seed) % n_inputs];
  size_t size = from->size < MOST_BYTES / 2 ? from->size : MOST_BYTES / 2;
  memcpy(bytes, from->bytes, size);
  for (uint64_t i = next_random(seed) % 5 + 1; i > 0 && size > 0; i--) {
    const size_t at = next_random(seed) % size, part = next_random(seed) % 8 + 1;
    switch (next_random(seed) % 5) {
    case 0:
      bytes[at] = (uint8_t)next_random(seed);
      break;
    case 1:
      bytes[at] ^= (uint8_t)(1u << next_random(seed) % 8);
      break;
    case 2:
      bytes[at] = (uint8_t)(bytes[at] + next_random(seed) % 9 - 4);
      break;
    case 3:
      memmove(bytes + at, bytes + (at + part < size ? at + part : size), size - (at + part < size ? at + part : size));
      size -= at + part < size ? part : size - at;
      break;
    default:
      for (size_t j = 0; j < 4 * part && at + j < size && at + j < other->size; j++)
        bytes[at + j] = other->bytes[at + j];
    }
  }
  return size;
}

int main(int argc, char **argv) {
  static uint8_t bytes[MOST_BYTES];
  uint64_t changes = 0, seed = 1;
  int option;
  while ((option = getopt(argc, argv, "c:s:k:h")) != -1)
    switch (option) {
    case 'c':
      changes = strtoull(optarg, NULL, 0);
      break;
    case 's':
      seed = strtoull(optarg, NULL, 0);
      break;
    case 'k':
      save_as = optarg;
      break;
    default:
      fprintf(option == 'h' ? stdout : stderr,
          "Usage: %s [-c CHANGES] [-s SEED] [-k FILE] FILE-OR-DIRECTORY...\n"
          "Runs the fuzz target on the files, then on so many changes of them (0); what ends it is kept in FILE.\n",
          argv[0]);
      return option == 'h' ? 0 : 2;
    }
  for (int i = optind; i < argc; i++)
    add(argv[i]);
  if (n_inputs == 0) {
    fprintf(stderr, "replay: no input; files or directories are needed\n");
    return 2;
  }
  signal(SIGABRT, keep);
  for (size_t i = 0; i < n_inputs; i++)
    run(inputs[i].bytes, inputs[i].size);
  const uint64_t first = seed;
  for (uint64_t i = 0; i < changes; i++) {
    const size_t size = change(&seed, bytes);
    run(bytes, size);
  }
  printf("replayed %zu files and %llu changes of them, seed %llu\n", n_inputs, (unsigned long long)changes,
      (unsigned long long)first);
  for (size_t i = 0; i < n_inputs; i++)
    free(inputs[i].bytes);
  return 0;
}
