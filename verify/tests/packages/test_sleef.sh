#!/usr/bin/env bash
# SLEEF is optional and found either way. Without it, and with -march=native, the library builds, has no sleef_* row, links libm alone
# and has the same bits, which it would not if the compiler fused operations on its own. With SLEEF's CMake package instead of
# pkg-config (a stand-in here: Debian's has none) the sleef_* rows are there.
#
#   test_sleef.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # build NAME CMAKE_ARGUMENT...: the library and the small tests, from $work/NAME
  local dir=$work/$1
  shift
  cmake -G Ninja -S "$source_dir" -B "$dir" -DPOSENC_BUILD_BENCH=OFF -DPOSENC_INSTALL=OFF "$@" >"$dir.log" 2>&1 &&
    cmake --build "$dir" --target posenc test_{api,bits,recipes,elements} >>"$dir.log" 2>&1 || { cat "$dir.log"; exit 1; }
  for test in api bits recipes elements; do
    "$dir/verify/tests/test_$test" >"$dir.log" 2>&1 || { cat "$dir.log"; exit 1; }
  done
}
rows() { # the implementations CMake says it builds
  sed -n 's/^-- posenc [0-9.]*: //p' "$1"
}

cmake -S "$source_dir" -B "$work/none" -G Ninja -DPOSENC_WITH_SLEEF=OFF -DPOSENC_BUILD_BENCH=OFF >"$work/configure" 2>&1
[[ $(rows "$work/configure") != *sleef* ]] || { echo "WITH_SLEEF=OFF still builds: $(rows "$work/configure")"; exit 1; }
build none -DPOSENC_WITH_SLEEF=OFF -DCMAKE_C_FLAGS=-march=native
! objdump -p "$work/none/libposenc.so" | grep NEEDED | grep -v -e libm.so -e libc.so -e ld-linux ||
  { echo "the library without SLEEF needs more than libm"; exit 1; }

mkdir "$work/sleef"
cat >"$work/sleef/sleefConfig.cmake" <<'END'
add_library(sleef::sleef INTERFACE IMPORTED)
set_target_properties(sleef::sleef PROPERTIES INTERFACE_LINK_LIBRARIES sleef)
END
cmake -S "$source_dir" -B "$work/package" -G Ninja -Dsleef_DIR="$work/sleef" -DPOSENC_BUILD_BENCH=OFF >"$work/configure" 2>&1
[[ $(rows "$work/configure") == *sleef* ]] || { cat "$work/configure"; exit 1; }
grep -q "sleef_DIR:.*$work/sleef" "$work/package/CMakeCache.txt"
build package -Dsleef_DIR="$work/sleef"
echo "ok: without SLEEF, and by its CMake package"
