/* Runs tests that are a module, and the library with them, loaded by dlopen() as Python loads it:
 *
 *     test_NAME MODULE
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
  void *const module = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  void *const symbol = module ? dlsym(module, "module_main") : NULL;
  int (*module_main)(void);
  if (!symbol) {
    puts(count == 2 ? dlerror() : "one argument is needed: the module");
    return 1;
  }
  memcpy(&module_main, &symbol, sizeof symbol); /* ISO C converts no object pointer to a function pointer */
  return module_main();
}
