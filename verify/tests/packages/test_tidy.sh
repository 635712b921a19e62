#!/usr/bin/env bash
# clang-tidy finds nothing in the library; and it does look: faults of several kinds are found, named, and turned into the exit
# status. The rest of the tree takes minutes: ./scripts/tidy.
#
#   test_tidy.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
command -v clang-tidy >/dev/null || { echo "skipped: clang-tidy is missing (Debian package clang-tidy)"; exit 77; }
tidy=$source_dir/scripts/tidy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tidy" --quick --build "$build_dir" 2>"$work/progress" || { cat "$work/progress"; exit 1; }
for file in "$source_dir"/impl/exact.c "$source_dir"/impl/redo.c; do # not an empty list
  grep -q ": impl/${file##*/}$" "$work/progress" || { echo "impl/${file##*/} was not looked at"; cat "$work/progress"; exit 1; }
done

mkdir "$work/impl"
cat >"$work/impl/fault.h" <<'END'
static inline double half(int n) { return n / 2; }
END
cat >"$work/fault.c" <<'END'
#include "impl/fault.h"
#include <stdlib.h>
int first(const int *list, int n);
int first(const int *list, int n)
{
  int unset[2];
  if (n > 3 && n > 3)
    return unset[0];
  return list ? 0 : *list + (int)half(n);
}
int lost(int n);
int lost(int n)
{
  int *copy = malloc(4 * sizeof *copy);
  return copy ? n : 0;
}
END
printf '[{"directory": "%s", "command": "cc -c fault.c", "file": "%s"}]\n' "$work" "$work/fault.c" >"$work/compile_commands.json"
status=0
"$tidy" --build "$work" "$work/fault.c" >"$work/said" 2>/dev/null || status=$?
[[ $status == 1 ]] || { echo "exit status $status of a file with faults"; cat "$work/said"; exit 1; }
for check in core.NullDereference core.uninitialized unix.Malloc bugprone-integer-division misc-redundant-expression; do
  grep -q "error: .*$check" "$work/said" || { echo "$check has not found its fault"; cat "$work/said"; exit 1; }
done
grep -q '^1 of 1 files with findings$' "$work/said"

status=0
"$tidy" --build "$work" "$source_dir/impl/redo.c" >"$work/said" 2>&1 || status=$?
[[ $status == 2 ]] && grep -q 'not compiled by this build: .*redo.c' "$work/said" ||
  { echo "exit status $status of a file that the build does not have"; cat "$work/said"; exit 1; }

# In a tree whose path has blanks: clang-tidy must find the header.
tree="$work/a tree" && mkdir "$tree" && cp -R "$source_dir"/{scripts,include,examples,.clang-tidy} "$tree"
mkdir "$work/none" && echo '[]' >"$work/none/compile_commands.json"
"$tree/scripts/tidy" --build "$work/none" "$tree/examples/table.c" >"$work/said" 2>&1 ||
  { echo "in a path with blanks:"; cat "$work/said"; exit 1; }
echo "ok: faults are found"
