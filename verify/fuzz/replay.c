/* Runs a fuzz target on files, without libFuzzer. With it the suite replays the corpus, with any compiler.
 *
 *   replay_fill FILE...      prints the name of each before it is run, so that the last name is that of a failing input
 */
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    uint8_t bytes[600];
    FILE *file = fopen(argv[i], "rb");
    fprintf(stderr, "%s\n", argv[i]);
    if (!file) {
      perror("cannot read it");
      return 2;
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
  }
  return argc < 2 ? 2 : 0;
}
