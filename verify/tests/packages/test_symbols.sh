#!/usr/bin/env bash
# The exports of the libraries. The shared library exports exactly the functions of cmake/posenc.map, each with its version; the header
# declares the same functions. In the static library the visible names are these functions, and all global names begin with posenc_,
# so that none collides with a name of the program.
#
#   test_symbols.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
map=$source_dir/cmake/posenc.map
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C

same() { # same WHAT KEPT FOUND: compares two sorted lists
  diff "$2" "$3" >difference && return
  echo "$1; names missing from the library or header (<), names not in the list (>):"
  grep '^[<>]' difference
  echo "Write a new function into $map, in the node of the next minor version. A removed function breaks compiled programs:"
  echo "put it back, or make the next major version, whose library has a new SONAME (CONTRIBUTING.md, Versions)."
  exit 1
}

awk '/^POSENC_/ { node = $1 } /^ +posenc_[a-z0-9_]+;$/ { sub(/;/, ""); print $1 "@@" node }' "$map" | sort >kept
[[ $(wc -l <kept) -gt 20 ]] || { echo "$map: no functions were found in it"; exit 1; }
sed 's/@@.*//' kept >kept-names
[[ -z $(uniq -d kept-names) ]] || { echo "$map names a function twice: $(uniq -d kept-names)"; exit 1; }

nm -D --defined-only "$build_dir/libposenc.so" | awk '$2 != "A" { print $3 }' | sort >exported # A: the names of the versions
same "libposenc.so does not export what $map lists" kept exported

# Declarations, from the preprocessed header without comments: every name that begins with posenc_ and is followed by a bracket.
echo '#include "posenc.h"' | cc -E -P -I"$source_dir/include" - | tr -s ' \n' ' ' | grep -oE 'posenc_[a-z0-9_]+ ?\(' |
  tr -d ' (' | sort -u >declared
same "posenc.h does not declare what $map lists" kept-names declared

nm -g --defined-only "$build_dir/libposenc.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >archive
strangers=$(grep -v '^posenc_' archive || true)
[[ -z $strangers ]] || { echo "libposenc.a has global names that do not begin with posenc_:" $strangers; exit 1; }
readelf -sW "$build_dir/libposenc.a" | awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" { print $8 }' | sort -u >visible
same "libposenc.a has visible what $map does not list" kept-names visible
echo "ok: $(wc -l <kept) functions exported, $(wc -l <archive) global names in the archive"
