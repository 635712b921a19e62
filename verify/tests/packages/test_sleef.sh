#!/usr/bin/env bash
# SLEEF is optional. Without it, and with -march=native, the library builds, has no sleef_* row, links only libm, and has the same
# bits. It would have other bits if the compiler fused operations.
#
#   test_sleef.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake -G Ninja -S "$source_dir" -B "$work" -DPOSENC_BUILD_BENCH=OFF -DPOSENC_INSTALL=OFF -DPOSENC_WITH_SLEEF=OFF \
  -DCMAKE_C_FLAGS=-march=native >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
rows=$(sed -n 's/^-- posenc [0-9.]*: //p' "$work/log") # the implementations that CMake lists
[[ $rows == *exact* && $rows != *sleef* ]] || { echo "WITH_SLEEF=OFF builds: $rows"; exit 1; }
cmake --build "$work" --target posenc test_{api,bits,recipes,elements} >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for test in api bits recipes elements; do
  "$work/verify/tests/test_$test" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done
! objdump -p "$work/libposenc.so" | grep NEEDED | grep -v -e libm.so -e libc.so -e ld-linux ||
  { echo "the library without SLEEF needs more than libm"; exit 1; }
echo "ok: without SLEEF"
