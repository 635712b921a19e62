#!/usr/bin/env bash
# Builds other than the release build, none of which downloads anything:
#   - flags and machines that CMake refuses, and the level of optimisation;
#   - posenc as a part of another project (parent/), whose settings it must not change. examples/subproject is built by another test;
#   - the preset `lib`, which is without SLEEF, with -march=native: the bits, and the libraries that it needs;
#   - the builds of distributions: programs linked with posenc.pc, folders outside of the prefix, one kind of library, the same bytes.
#
#   test_builds.sh SOURCE_DIR
set -euo pipefail
source_dir=$1 packages=$1/verify/tests/packages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
  tail -n 60 log
  echo "$1"
  exit 1
}
export CMAKE_GENERATOR=Ninja {http,https,ftp,all}_proxy=http://127.0.0.1:9 # no download succeeds
library=(-S "$source_dir" -DPOSENC_WITH_SLEEF=OFF -DPOSENC_BUILD_{VERIFY,BENCH,TESTS}=OFF)
configure() { # configure DIR ARGUMENT...
  cmake -B "$@" >log 2>&1 || fail "it does not configure: cmake -B $*"
}
says() { # says TEXT: CMake printed it
  tr -s ' \n' ' ' <log | grep -qF -- "$1" || fail "CMake should say: $1"
}

# ---- the library and the peers: -O3 instead of -O2; -Os stays ----
levels() { # levels LEVEL ARGUMENT...: the last -O flag of every object
  configure everything -S "$source_dir" "${@:2}"
  [[ $(sed -n '/command.*\(PEER_NAME\|posenc_core\|posenc_impl\)/{s/.* -O\([^ ]*\).*/\1/;p}' everything/compile_commands.json | sort -u) == "$1" ]] ||
    fail "it should be compiled with -O$1: ${*:2}"
}
levels 3 -DCMAKE_BUILD_TYPE=None -DCMAKE_{C,CXX}_FLAGS="-O3 -g -O2"
levels s -DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_{C,CXX}_FLAGS=-O2

# ---- flags that change bits, of which a compiler may define no macro, and another machine ----
refused() { # refused SENTENCE ARGUMENT...: CMake stops with this sentence
  ! cmake -B refused "${library[@]}" "${@:2}" >log 2>&1 || fail "it should not configure: ${*:2}"
  says "$1"
}
for flag in -Ofast -f{fast-math,unsafe-math-optimizations,associative-math,reciprocal-math,no-signed-zeros,fp-contract=fast}; do
  refused "posenc guarantees bit-identical results: build it without $flag," -DCMAKE_C_FLAGS=-O2 -DCMAKE_C_FLAGS_RELEASE="-O3 $flag"
done
refused "posenc guarantees bit-identical results: build it without -ffast-math," -DCMAKE_C_FLAGS=-ffast-math -DCMAKE_C_FLAGS_RELEASE=-O3
refused "build it without -ffast-math, -Ofast and their parts" -DCMAKE_C_FLAGS=-O2 -DCMAKE_C_FLAGS_RELEASE=-ffinite-math-only
[[ $(uname -m) != x86_64 ]] || refused "posenc supports 64-bit" -DCMAKE_C_FLAGS=-m32 -DCMAKE_C_FLAGS_RELEASE=-O3 \
  -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY

# ---- in another project: its settings, its installation, and the effect of BUILD_SHARED_LIBS ----
parent=(inside -S "$packages/parent" -DPOSENC_SOURCE="$source_dir")
configure "${parent[@]}"
[[ $(grep -c "posenc seems to be compiled without optimisation" log) == 1 ]] || fail "CMake should warn once, because nothing is optimised"
says "posenc::posenc is a SHARED_LIBRARY -- posenc::static is a STATIC_LIBRARY"
cmake --install inside --prefix "$work/prefix" >log
[[ ! -e $work/prefix ]] || fail "the parent's installation has $(find "$work/prefix" -type f)"
configure "${parent[@]}" -DBUILD_SHARED_LIBS=OFF -DCMAKE_C_FLAGS=-O2
! grep "^CMake Warning" log || fail "CMake should not warn"
says "posenc::posenc is a STATIC_LIBRARY"

# ---- the preset, with a compiler that may use all instructions: the implementations, their bits, and what the library needs ----
build() { # build DIR ARGUMENT...
  configure "$1" "${library[@]}" "${@:2}"
  cmake --build "$1" >>log 2>&1 || fail "it does not build: $*"
}
mkdir clone # so that build/lib is here
ln -s "$source_dir"/{CMakeLists.txt,CMakePresets.json,cmake,impl,include} clone
(cd clone && cmake --preset lib -DCMAKE_C_FLAGS=-march=native && cmake --build --preset lib) >log 2>&1 || fail "the preset does not build"
for test in bits recipes refusals; do
  { cc -O1 -ffp-contract=off -I"$source_dir"/{include,verify,verify/tests} "$source_dir"/verify/tests/*/test_$test.c -o $test \
    clone/build/lib/libposenc.so -Wl,-rpath,clone/build/lib -lcmocka -lm && ./$test; } >log 2>&1 ||
    fail "with the preset and -march=native, test_$test fails"
done
needed=$(objdump -p clone/build/lib/libposenc.so | grep NEEDED | grep -v -e libm.so -e libc.so -e ld-linux || true)
[[ ! $needed && $(./bits --list) != *sleef* ]] || fail "without SLEEF, the library needs $needed; it has $(./bits --list)"

# ---- one build, in several layouts ----
! command -v clang >/dev/null || export CC=clang # without optimisation it takes half the time
install() { # install ROOT ARGUMENT...: builds with these arguments, and installs everything below ROOT
  build build -DCMAKE_BUILD_TYPE=Debug "${@:2}"
  DESTDIR=$work/$1 cmake --install build >log 2>&1 || fail "it does not install"
}
there() { # there FILE...
  local file
  for file in "$@"; do
    [[ -e $file ]] || { find "${file%%/*}" >log; fail "$file does not exist"; }
  done
}
words() { # words PC_DIR ARGUMENT...: prints the flags of pkg-config for an installation
  # pkg-config omits -I and -L for the system's own folders. Here there are none.
  PKG_CONFIG_LIBDIR=$1 PKG_CONFIG_PATH='' PKG_CONFIG_SYSTEM_LIBRARY_PATH=/ PKG_CONFIG_SYSTEM_INCLUDE_PATH=/ pkg-config "${@:2}" posenc
}
program() { # program NAME WORD...: builds the program with these flags and runs it
  "${CC:-cc}" "$packages/parent/program.c" -o "$1" "${@:2}" >log 2>&1 || fail "$1 does not build with ${*:2}"
  [[ $("./$1") == *" exact_scalar"*"; 0.841470957 0.540302277" ]] || fail "$1 does not run"
}

# /usr, where Debian's CMake has a folder for each architecture; and static programs
install debian -DCMAKE_INSTALL_PREFIX=/usr
lib=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:PATH=//p' build/CMakeCache.txt)
there debian/usr/{include/posenc.h,"$lib"/{libposenc.so.1,libposenc.a,pkgconfig/posenc.pc,cmake/posenc/posencConfig.cmake}}
read -r -a static < <(PKG_CONFIG_SYSROOT_DIR=$work/debian words "$work/debian/usr/$lib/pkgconfig" --static --cflags --libs)
program static -static "${static[@]}"
[[ $(words "$work/debian/usr/$lib/pkgconfig" --libs) != *-lm* ]] || fail "users of the shared library should not be asked for libm"

# prefixes that pkg-config must quote
for prefix in "$work/with spaces" "$work/o'brien's \"new\" place#1"; do
  cmake --install build --prefix "$prefix" >log 2>&1 || fail "it does not install to $prefix"
  eval "quoted=($(words "$prefix/$lib/pkgconfig" --cflags --libs))"
  program quoted "${quoted[@]}" -Wl,-rpath,"$prefix/$lib"
done

# only the shared library, in absolute folders outside of the prefix
install absolute -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_LIBDIR="/srv/l'ib" -DCMAKE_INSTALL_INCLUDEDIR=/srv/include/posenc
there absolute/srv/{"l'ib"/libposenc.so.1,include/posenc/posenc.h}
[[ -z $(find absolute -name '*.a') ]] || fail "BUILD_SHARED_LIBS=ON should install no static library"
[[ $(words "$work/absolute/srv/l'ib/pkgconfig" --cflags --libs) == "-I/srv/include/posenc -L/srv/l\'ib -lposenc"* ]] ||
  fail "posenc.pc has other folders: $(words "$work/absolute/srv/l'ib/pkgconfig" --cflags --libs)"
grep -qF "\"/srv/l'ib/libposenc.so.1" "absolute/srv/l'ib/cmake/posenc/posencSharedTargets-debug.cmake" ||
  fail "find_package would look elsewhere"

# only the static library, which is then posenc::posenc and needs no --static
install alone -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib64 -DCMAKE_INSTALL_INCLUDEDIR=include
[[ -z $(find alone -name '*.so*') ]] || fail "BUILD_SHARED_LIBS=OFF should install no shared library"
read -r -a static < <(PKG_CONFIG_SYSROOT_DIR=$work/alone words "$work/alone/usr/lib64/pkgconfig" --cflags --libs)
program alone_program "${static[@]}"
cat >CMakeLists.txt <<'END_CMAKE'
cmake_minimum_required(VERSION 3.16)
project(finds LANGUAGES C)
find_package(posenc 1.0 REQUIRED COMPONENTS static)
add_executable(found ${PROGRAM})
target_link_libraries(found PRIVATE posenc::posenc)
END_CMAKE
{ cmake -S . -B found -Dposenc_DIR="$work/alone/usr/lib64/cmake/posenc" -DPROGRAM="$packages/parent/program.c" &&
  cmake --build found && ./found/found; } >log 2>&1 || fail "posenc::posenc should be the static library where there is no other"

# ---- everything but the tests, in two folders ----
for folder in one another/folder; do
  mkdir -p $folder
  cp -r "$source_dir"/{CMakeLists.txt,LICENSE,bench,cmake,impl,include,verify} $folder
  configure $folder/build -S $folder -D{CMAKE_BUILD_TYPE=Debug,POSENC_BUILD_TESTS=OFF,POSENC_BENCH_PEERS=OFF} \
    -DCMAKE_{C,CXX}_FLAGS="-ffile-prefix-map=$work/$folder=."
  { cmake --build $folder/build && DESTDIR=$work/$folder/root cmake --install $folder/build; } >log 2>&1 || fail "it does not build"
done
diff -rq one/root another/folder/root >log || fail "builds in two folders differ"
[[ $(one/build/bench/posenc-bench --peers --list) == *"not run: highway: left out by -DPOSENC_BENCH_PEERS=OFF"* ]] || fail "posenc-bench should name the peers that are left out"
echo "ok: $(./static)"
