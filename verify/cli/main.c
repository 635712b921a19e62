/* posenc-verify compares implementations with a reference, by range of positions. */
#include "modes.h"

int main(int argc, char **argv) {
  options o = options_parse(argc, argv);
  const int status = o.exhaustive ? exhaustive(&o) : verify_impls(&o);
  options_destroy(&o);
  return status;
}
