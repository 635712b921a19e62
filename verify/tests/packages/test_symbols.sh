#!/usr/bin/env bash
# What the libraries export: the shared one exactly the functions of cmake/posenc.map, each with its version, and these are the
# ones that the header declares; the static one nothing else that a program could clash with or pass on.
#
#   test_symbols.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
map=$source_dir/cmake/posenc.map
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C

same() { # same WHAT KEPT FOUND: two sorted lists
  diff "$2" "$3" >difference && return
  echo "$1; those of the list that are lost (<), those that it does not have (>):"
  grep '^[<>]' difference
  echo "A new function: write it into $map, in the node of the next minor version. One that is lost breaks programs that"
  echo "are compiled: put it back, or make it the next major version, whose library has a new SONAME (CONTRIBUTING.md, Versions)."
  exit 1
}

awk '/^POSENC_/ { node = $1 } /^ +posenc_[a-z0-9_]+;$/ { sub(/;/, ""); print $1 "@@" node }' "$map" | sort >kept
[[ $(wc -l <kept) -gt 20 ]] || { echo "$map: no functions were found in it"; exit 1; }
sed 's/@@.*//' kept >kept-names
[[ -z $(uniq -d kept-names) ]] || { echo "$map names a function twice: $(uniq -d kept-names)"; exit 1; }

nm -D --defined-only "$build_dir/libposenc.so" | awk '$2 != "A" { print $3 }' | sort >exported # A: the versions themselves
same "libposenc.so does not export what $map lists" kept exported

# Declarations, by the compiler: everything that begins with posenc_ and is followed by a bracket, comments gone.
echo '#include "posenc.h"' | cc -E -P -I"$source_dir/include" - | tr -s ' \n' ' ' | grep -oE 'posenc_[a-z0-9_]+ ?\(' |
  tr -d ' (' | sort -u >declared
same "posenc.h does not declare what $map lists" kept-names declared

nm -g --defined-only "$build_dir/libposenc.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >archive
strangers=$(grep -v '^posenc_' archive || true)
[[ -z $strangers ]] || { echo "libposenc.a has global names that do not begin with posenc_:" $strangers; exit 1; }
readelf -sW "$build_dir/libposenc.a" | awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" { print $8 }' | sort -u >visible
same "libposenc.a has visible what $map does not list" kept-names visible
echo "ok: $(wc -l <kept) functions exported, $(wc -l <archive) global names in the archive"
