#!/usr/bin/env bash
# Every header compiles without a warning when it is included first, and twice: include/posenc.h as C and C++ of every standard that
# the compilers know, the headers of impl/ as C11. All macros of include/posenc.h begin with POSENC_. Every source file of impl/ refuses a machine and
# flags that the library is not built for.
#
#   test_headers.sh SOURCE_DIR
set -euo pipefail
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsyntax-only)
compilers=()
for compiler in gcc clang; do
  if command -v $compiler >/dev/null; then compilers+=("$compiler"); else echo "not tried: $compiler is missing"; fi
done
[[ ${compilers[*]} ]] || { echo "neither gcc nor clang is installed"; exit 1; }

# Uses of the macros and enumerators, which must not cause warnings either.
cat >"$work/public.c" <<'END'
#include <posenc.h>
#include <posenc.h>
int64_t used(posenc_spec *spec);
int64_t used(posenc_spec *spec) {
  spec->layout = POSENC_LAYOUT_SPLIT; /* int32_t, set to an enumerator */
  spec->dtype = POSENC_DTYPE_BF16;
  return POSENC_VERSION_MAJOR > 0 && POSENC_VERSION_STRING[0] != '0' ? POSENC_MAX_D_MODEL : -POSENC_MAX_POSITION;
}
END
cp "$work/public.c" "$work/public.cpp"
tried=""
for compiler in "${compilers[@]}"; do
  for year in c11 c17 c2x c++17 c++20 c++2b; do
    file=$work/public.c
    [[ $year != c++* ]] || file=$work/public.cpp
    "$compiler" -std="$year" "${strict[@]}" -Iinclude "$file" || { echo "posenc.h: $compiler -std=$year warns"; exit 1; }
    tried+=" $compiler/$year"
  done
done
echo "ok: posenc.h:$tried"

macros() { "${compilers[0]}" -std=c11 -dM -E -Iinclude "$@" - | sort; }
others=$(comm -13 <(printf '#include <stddef.h>\n#include <stdint.h>\n' | macros) <(echo '#include <posenc.h>' | macros) |
  grep -v '^#define POSENC_' || true)
[[ ! $others ]] || { printf 'posenc.h defines other macros than POSENC_*:\n%s\n' "$others"; exit 1; }
echo "ok: posenc.h defines no macro but POSENC_*"

# A kernel's headers need the macros of the row that is compiled. The other headers of impl/simd/ are parts of simd.h and are not
# included alone. Static functions that a kernel's file would use are unused here.
mapfile -t headers < <(find impl -name '*.h' \( ! -path '*/simd/*' -o -path '*/simd.h' \) | sort)
((${#headers[@]} > 15)) || { echo "only ${#headers[@]} headers found in impl/"; exit 1; }
for header in "${headers[@]}"; do
  printf '#include "%s"\n#include "%s"\nextern int a_unit_has_a_declaration;\n' "${header#impl/}" "${header#impl/}" |
    "${compilers[-1]}" -x c -std=c11 "${strict[@]}" -Wno-unused-function -ffp-contract=off -Iinclude -Iimpl -DPOSENC_NAME=exact_any \
      -DPOSENC_ISA=any -DEXACT=0 -DPOSENC_WITH_SLEEF=0 - || { echo "$header does not compile alone"; exit 1; }
done
echo "ok: ${#headers[@]} headers of impl/"

refused() { # refused SENTENCE COMPILER FLAG...: every source file is refused with this sentence
  command -v "$2" >/dev/null || { echo "not tried: $2 is missing"; return; }
  local file said
  for file in impl/*/*.c; do
    ! said=$("${@:2}" -std=c11 -fsyntax-only -Iinclude -Iimpl -DPOSENC_NAME=exact_any -DPOSENC_ISA=any -DPOSENC_WITH_SLEEF=0 "$file" 2>&1) &&
      grep -q "$1" <<<"$said" || { echo "$said"; echo "$file should be refused: ${*:2}"; exit 1; }
  done
  echo "ok: refused: ${*:2}"
}
if [[ $(uname -m) == x86_64 ]]; then
  refused 'supports 64-bit' gcc -m32
  refused 'supports 64-bit' gcc -mx32
fi
refused 'supports 64-bit' aarch64-linux-gnu-gcc -mbig-endian
refused 'supports 64-bit' aarch64-linux-gnu-gcc -mabi=ilp32
refused 'without -ffast-math' "${compilers[0]}" -ffast-math
