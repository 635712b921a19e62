/* posenc-table: a table as an .npy file, and what table an .npy file is. */
#include "identify.h"
#include "options.h"
#include "write.h"

int main(int argc, char **argv)
{
  const options o = options_parse(argc, argv);
  return o.identify ? identify(o.identify, o.json) : write_table(&o);
}
