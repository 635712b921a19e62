#!/usr/bin/env bash
# The library as one file (scripts/amalgamate). Compiled without special flags, it has the library's implementations and bits, exports
# exactly what the header declares, and the compiler fuses no operations.
#
#   test_single.sh SOURCE_DIR TEST_BITS [--all]      TEST_BITS: the program of test_bits.c with the library
#
# --all adds -O0, Clang with -O3, both compilers for AArch64, and a library that hides posenc.
set -euo pipefail
source=$(cd "$1" && pwd) library=$2 all=${3:-}
[[ -z $all || $all == --all ]] || { echo "test_single.sh: $all: only --all is allowed here" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$1"
  exit 1
}

"$source/scripts/amalgamate" --output "$work/single" >/dev/null
c=$work/single/posenc.c
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
"$library" >"$work/bits"
"$library" --list | grep -v '^sleef' | cut -d, -f1,3- >"$work/list" # the file has no rows of SLEEF
[[ $(wc -l <"$work/bits") -ge 60 ]] || fail "there are hardly any bits to compare"
kernels=$(awk -F '[(), ]+' '/^POSENC_IMPL/ && $4 != "any" { print $2 }' "$source/impl/list.inc" | paste -sd '|')
grep -o '\<posenc_[a-z_]*(' <(grep '^POSENC_API' "$work/single/posenc.h") | tr -d '(' | sort -u >"$work/public"

# check NAME EMULATOR COMPILER FLAG...: compiles in a folder of its own, not in that of the file
check() {
  local name=$1 emulator=$2 compiler=$3 objdump=objdump folder=$work/$1 kept=. tool
  shift 3
  for tool in "${compiler%% *}" ${emulator%% *}; do
    command -v "$tool" >/dev/null || { echo "skipped: $name: $tool is missing"; return; }
  done
  [[ $* != *-DPOSENC_ONLY_EXACT* ]] || kept=^exact
  [[ $name != aarch64* ]] || objdump=aarch64-linux-gnu-objdump
  mkdir "$folder"
  cd "$folder"
  # shellcheck disable=SC2086  # a compiler with its --target
  {
    $compiler "$@" "${warnings[@]}" -c "$c" -o posenc.o
    $compiler -O1 -ffp-contract=off -I"$work/single" -I"$source/verify" "$source/verify/tests/bits/test_bits.c" posenc.o -lm -o test_bits
  } || fail "$name: it does not build"
  diff "$work/public" <(readelf -sW posenc.o | awk '$6 == "DEFAULT" && $5 == "GLOBAL" && $7 != "UND" { print $8 }' | sort) ||
    fail "$name: a library would not export what the header declares"
  $emulator ./test_bits >bits || { cat bits; fail "$name: other bits than hashes.inc has"; }
  diff <(grep $kept "$work/bits") bits || fail "$name: other bits than the library's"
  # Rows of `any` and functions that are no kernel write no fused operations. No function writes one that adds and subtracts in turn.
  $objdump -d --no-show-raw-insn posenc.o |
    awk -v kernels="_($kernels)[.>]" '/^[0-9a-f]+ </ { name = $2 }
         name !~ kernels && /\t(vfn?m|fn?m(add|sub)|fml[as])/ { print name, $0 }
         /\tvfm(addsub|subadd)/ { print name, $0 }' >fused
  [[ ! -s fused ]] || { head fused; fail "$name: the compiler fused these operations"; }
  grep -q 'posenc_fill>:' <($objdump -d posenc.o) || fail "$name: objdump shows no functions"
  $emulator ./test_bits --list | cut -d, -f1,3- >list
  if [[ $name == aarch64* && $(uname -m) != aarch64 ]]; then
    grep -q ^exact_neon, list && grep -q ^anchored_neon, list && ! grep -q avx list
  else
    diff <(grep $kept "$work/list") list
  fi || { cat list; fail "$name: other implementations than the library's"; }
  echo "ok: $name: $*"
}

# Refusals: exactly one error, which says what is wrong.
refuses() { # refuses SENTENCE COMMAND...
  local sentence=$1 said
  shift
  ! said=$("$@" 2>&1) || fail "this should be refused: $*"
  grep -q "$sentence" <<<"$said" && [[ $(grep -c 'error:' <<<"$said") == 1 ]] && return
  echo "$said"
  fail "this should give exactly one clear error: $*"
}
refuses 'without -ffast-math' cc -ffast-math -E "$c" -o /dev/null
refuses 'without -ffast-math, -Ofast and their parts' gcc -ffinite-math-only -E "$c" -o /dev/null
refuses 'without -fsingle-precision-constant' gcc -fsingle-precision-constant -fsyntax-only "$c"
refuses 'without -mfpmath' gcc -mfpmath=387 -E "$c" -o /dev/null
refuses 'is C11' cc -std=gnu99 -fsyntax-only "$c"
refuses 'posenc.c is C' c++ -x c++ -fsyntax-only "$c"
refuses 'by Clang on Windows' gcc -D_WIN32 -E "$c" -o /dev/null
[[ $(uname -m) != x86_64 ]] || refuses 'supports 64-bit' cc -m32 -fsyntax-only "$c"
mkdir "$work/other"
sed 's/^#define POSENC_VERSION_PATCH .*/#define POSENC_VERSION_PATCH 99/' "$work/single/posenc.h" >"$work/other/posenc.h"
cp "$c" "$work/other/posenc.c"
refuses 'posenc.h of another' cc -E "$work/other/posenc.c" -o /dev/null

gcc=${CC:-gcc} emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu"
check "$gcc-2" "" "$gcc" -O2 -march=native
check "$gcc-exact" "" "$gcc" -O1 -DPOSENC_ONLY_EXACT
[[ $all ]] || exit 0
check "$gcc-0" "" "$gcc" -O0
check clang-3 "" clang -O3 -march=native
if [[ $(uname -m) != aarch64 ]]; then
  check aarch64-gcc "$emulator" aarch64-linux-gnu-gcc -O3
  check aarch64-clang "$emulator" "clang --target=aarch64-linux-gnu" -O2
fi
cc -O1 -fPIC -shared -DPOSENC_API= -fvisibility=hidden "$c" -lm -o "$work/hidden.so" || fail "a library that hides posenc does not build"
[[ -z $(nm -D --defined-only "$work/hidden.so") ]] || fail "a library that hides posenc shows $(nm -D --defined-only "$work/hidden.so" | head -n 3)"
