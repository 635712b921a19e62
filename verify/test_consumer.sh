#!/usr/bin/env bash
# A consumer outside the tree: installs the build into a prefix of its own, then builds and runs the examples against it by
# find_package and by pkg-config, C11 and C++17, shared and static; and compiles the header alone. The Python package too, as a
# distribution would install it.
#
#   test_consumer.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
strict=(-Wall -Wextra -Wpedantic -Wconversion -Werror)

expect() { # the example runs and prints the row the formula gives: sin 1, cos 1, sin and cos of 10000^(-1/256)
  local said
  said=$("$@")
  [[ $said == *"row 1 starts 0.841471 0.540302 0.821856 0.569695" ]] || { echo "$1 printed: $said"; exit 1; }
  echo "ok: ${*##*/}: $said"
}

cmake --install "$build_dir" --prefix "$prefix" >"$work/install.log"
for file in include/posenc.h bin/posenc-verify; do
  [[ -e $prefix/$file ]] || { echo "cmake --install gave no $file"; cat "$work/install.log"; exit 1; }
done
"$prefix/bin/posenc-verify" --version

echo '#include <posenc.h>' >"$work/alone.c"
cp "$work/alone.c" "$work/alone.cpp"
cc -std=c11 "${strict[@]}" -fsyntax-only -I"$prefix/include" "$work/alone.c"
c++ -std=c++17 "${strict[@]}" -fsyntax-only -I"$prefix/include" "$work/alone.cpp"

cmake -G Ninja -S "$source_dir/examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log"
cmake --build "$work/examples" >>"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
for example in table_c table_cpp table_static; do
  expect "$work/examples/$example"
done

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name posenc.pc)")
export PKG_CONFIG_PATH
lib_dir=$(pkg-config --variable=libdir posenc)
# shellcheck disable=SC2046  # pkg-config prints words
{
  cc -std=c11 "${strict[@]}" "$source_dir/examples/table.c" -o "$work/pc_c" $(pkg-config --cflags --libs posenc)
  c++ -std=c++17 "${strict[@]}" "$source_dir/examples/table.cpp" -o "$work/pc_cpp" $(pkg-config --cflags --libs posenc)
  cc -std=c11 "${strict[@]}" "$source_dir/examples/table.c" -o "$work/pc_static" $(pkg-config --cflags posenc) \
    "$lib_dir/libposenc.a" $(pkg-config --static --libs-only-l posenc | sed 's/-lposenc//')
}
export LD_LIBRARY_PATH=$lib_dir
expect "$work/pc_c"
expect "$work/pc_cpp"
expect "$work/pc_static"

packages=lib/python3/dist-packages
cmake -G Ninja -S "$source_dir" -B "$work/python" -DPOSENC_BUILD_VERIFY=OFF -DPOSENC_BUILD_BENCH=OFF -DPOSENC_BUILD_TESTS=OFF \
  -DPOSENC_PYTHON_DIR=$packages >"$work/python.log"
cmake --install "$work/python" --component python --prefix "$prefix" >>"$work/python.log"
PYTHONPATH=$prefix/$packages PYTHONDONTWRITEBYTECODE=1 expect /usr/bin/python3 "$source_dir/examples/table.py"
