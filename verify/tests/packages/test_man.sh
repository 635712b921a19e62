#!/usr/bin/env bash
# The man pages: made without a warning of the formatter, found by apropos, and whole: every function, every option.
#
#   test_man.sh SOURCE_DIR BUILD_DIR TOOL...
set -euo pipefail
source_dir=$1 build_dir=$2
shift 2
command -v man >/dev/null || { echo "skipped: man is missing (Debian: man-db)"; exit 77; }
export LC_ALL=C.UTF-8 MANWIDTH=100 MANROFFOPT=-rHY=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$build_dir/man"
fail() {
  echo "$1"
  exit 1
}

shown() { # shown PAGE: its text, into $work/text, warnings make it fail
  man --warnings=w -l -Tutf8 "$1" 2>"$work/warnings" | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' >"$work/text"
  [[ ! -s $work/warnings ]] || { cat "$work/warnings"; fail "$1: the formatter warns"; }
  lexgrog "$1" >/dev/null || fail "$1: its NAME section is not of the form that apropos reads"
}
has() { # has PAGE TEXT: in what is shown, wherever lines break
  tr -s ' \n' ' ' <"$work/text" | grep -qF -- "$2" || fail "$1 does not have '$2'"
}

shown posenc.3
for text in "POSENC_ERROR_MEMORY = 8 /* out of memory */" "typedef struct posenc_strides { int64_t batch, row;" \
  "#define POSENC_MAX_D_MODEL (INT64_C(1) << 20)" "Frees the table; NULL is fine." "PE(pos, 2k+1) = cos(pos * w_k)"; do
  has posenc.3 "$text"
done
grep -qE 'POSENC_API [a-z]|__cplusplus|extern' "$work/text" && fail "posenc.3 shows what is for compilers only"
sed -n 's/^ *\(posenc_[a-z_]*\);$/\1/p' "$source_dir/cmake/posenc.map" >"$work/functions"
while read -r function; do
  has posenc.3 "$function("
  [[ $(<"$function.3") == ".so man3/posenc.3" ]] || fail "$function.3 does not lead to posenc.3"
done <"$work/functions"

for tool in "$@"; do
  page=$(basename "$tool").1
  [[ -f $page ]] || { command -v help2man >/dev/null && fail "$page was not made"; echo "skipped: help2man is missing"; exit 77; }
  shown "$page"
  for section in NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS"; do
    grep -qx "$section" "$work/text" || fail "$page has no section $section"
  done
  "$tool" --help | grep -oE '^ +(-., )?--[a-z_-]+' | grep -oE -- '--.*' >"$work/options"
  [[ $(wc -l <"$work/options") -gt 5 ]] || fail "$page: no options were found in --help"
  while read -r option; do
    has "$page" "$option"
  done <"$work/options"
done
echo "ok: posenc.3 with $(wc -l <"$work/functions") functions, $# pages of tools"
