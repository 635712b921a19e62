/* posenc-table: a table as an .npy file. */
#include "options.h"
#include "write.h"

int main(int argc, char **argv) {
  const options o = options_parse(argc, argv);
  return write_table(&o);
}
