#!/usr/bin/env bash
# Builds other than the release build, all configured without a network:
#   - posenc as a part of another project (parent/), whose settings it must not change;
#   - a build without SLEEF, in the layouts of distributions: programs that are linked with posenc.pc, Debian's multiarch folder,
#     folders outside of the prefix, and only one kind of library;
#   - flags and machines that CMake refuses.
# examples/subproject is built by another test.
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
! command -v clang >/dev/null || export CC=clang # without optimisation it takes half the time

# A new network namespace has only a loopback device, which is down.
alone=(unshare --net)
"${alone[@]}" true 2>/dev/null || alone=(unshare --user --map-root-user --net)
"${alone[@]}" true 2>/dev/null || alone=(env {http,https,ftp,all}_proxy=http://127.0.0.1:9)
configure() { # configure DIR ARGUMENT...
  "${alone[@]}" cmake -G Ninja -B "$@" >log 2>&1 || fail "it does not configure: cmake -B $*"
}
configure everything -S "$source_dir"

# ---- flags that change bits, of which a compiler may define no macro, and another machine ----
refused() { # refused SENTENCE ARGUMENT...: CMake stops with this sentence
  ! cmake -G Ninja -S "$source_dir" -B refused -DPOSENC_WITH_SLEEF=OFF -DPOSENC_BUILD_{VERIFY,BENCH,TESTS}=OFF "${@:2}" >log 2>&1 ||
    fail "it should not configure: ${*:2}"
  tr -s ' \n' ' ' <log | grep -qF -- "$1" || fail "CMake should say: $1"
}
for flag in -f{fast-math,unsafe-math-optimizations,associative-math,reciprocal-math,no-signed-zeros,fp-contract=fast}; do
  refused "posenc promises bits: build it without $flag," -DCMAKE_C_FLAGS="-O2 $flag" -DCMAKE_C_FLAGS_RELEASE=-O3
  refused "posenc promises bits: build it without $flag," -DCMAKE_C_FLAGS=-O2 -DCMAKE_C_FLAGS_RELEASE="-O3 $flag"
done
refused "build it without -ffast-math, and without its parts" -DCMAKE_C_FLAGS=-O2 -DCMAKE_C_FLAGS_RELEASE=-ffinite-math-only
[[ $(uname -m) != x86_64 ]] || refused "posenc supports 64-bit" -DCMAKE_C_FLAGS=-m32 -DCMAKE_C_FLAGS_RELEASE=-O3 \
  -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY

# ---- in another project: its variables and targets, and the effect of BUILD_SHARED_LIBS ----
says() { # says TEXT: CMake printed it
  grep -qF -- "$1" log || fail "CMake should say: $1"
}
parent=(inside -S "$packages/parent" -DPOSENC_SOURCE="$source_dir")
configure "${parent[@]}"
says "posenc::posenc is a SHARED_LIBRARY"
says "posenc::static is a STATIC_LIBRARY"
says "C17, build type ''"
configure "${parent[@]}" -DBUILD_SHARED_LIBS=OFF
says "posenc::posenc is a STATIC_LIBRARY"
configure "${parent[@]}" -DBUILD_SHARED_LIBS=ON
says "posenc::posenc is a SHARED_LIBRARY"
says "posenc::static is a STATIC_LIBRARY"
[[ ! -e inside/compile_commands.json ]] || fail "the parent did not ask for compile_commands.json"
cmake --install inside --prefix "$work/prefix" >log
[[ ! -e $work/prefix ]] || fail "the parent's installation has $(find "$work/prefix" -type f)"
tar -C "$source_dir" -czf archive.tar.gz --transform 's,^\.,posenc-0,' ./CMakeLists.txt ./cmake ./impl ./include
configure fetched -S "$packages/parent" -DPOSENC_ARCHIVE="file://$work/archive.tar.gz"

# ---- one build, in several layouts ----
build() { # build ARGUMENT...
  configure build -S "$source_dir" -DCMAKE_BUILD_TYPE=Debug -DPOSENC_WITH_SLEEF=OFF -DPOSENC_BUILD_{VERIFY,BENCH,TESTS}=OFF "$@"
  cmake --build build >>log 2>&1 || fail "it does not build: $*"
}
install() { # install ROOT: installs everything below it
  DESTDIR=$work/$1 cmake --install build >log 2>&1 || fail "it does not install"
}
there() { # there FILE...
  local file
  for file in "$@"; do
    [[ -e $file ]] || { find "${file%%/*}" >log; fail "$file does not exist"; }
  done
}
words() { # words ROOT PC_DIR ARGUMENT...: prints the flags of pkg-config for the installation below ROOT
  # pkg-config omits -I and -L for the system's own folders. Here there are none.
  PKG_CONFIG_LIBDIR=$work/$1/$2 PKG_CONFIG_PATH='' PKG_CONFIG_SYSTEM_LIBRARY_PATH=/ PKG_CONFIG_SYSTEM_INCLUDE_PATH=/ \
    pkg-config "${@:3}" posenc
}
program() { # program NAME WORD...: builds the program with these flags and runs it
  "${CC:-cc}" "$packages/parent/program.c" -o "$1" "${@:2}" >log 2>&1 || fail "$1 does not build with ${*:2}"
  [[ $("./$1") == *" exact_scalar"*"; 0.841470957 0.540302277" && $("./$1") != *sleef* ]] || fail "$1 does not run"
}

# /usr, where Debian's CMake has a folder for each architecture; and static programs
build -DCMAKE_INSTALL_PREFIX=/usr
lib=usr/$(sed -n 's/^CMAKE_INSTALL_LIBDIR:PATH=//p' build/CMakeCache.txt)
[[ ! -e /etc/debian_version || $lib == usr/lib/$(uname -m)-linux-gnu ]] || fail "on Debian, libraries should not go to $lib"
install debian
there debian/"$lib"/{libposenc.so,libposenc.so.1,libposenc.a,pkgconfig/posenc.pc,cmake/posenc/posencConfig.cmake} \
  debian/usr/include/posenc.h
read -r -a static < <(words debian "$lib/pkgconfig" --static --cflags --libs)
program static -static "${static[@]}"
[[ $(readelf -l static) != *INTERP* ]] || fail "the program should need no shared library"
read -r -a shared < <(words debian "$lib/pkgconfig" --cflags --libs)
[[ ${shared[*]} != *-lm* ]] || fail "users of the shared library should not be asked for libm: ${shared[*]}"
program shared "${shared[@]}" -Wl,-rpath,"$work/debian/$lib"

# prefixes that pkg-config must quote
for prefix in "$work/with spaces" "$work/o'brien's \"new\" place#1"; do
  cmake --install build --prefix "$prefix" >log 2>&1 || fail "it does not install to $prefix"
  eval "quoted=($(PKG_CONFIG_LIBDIR="$prefix/${lib#usr/}/pkgconfig" PKG_CONFIG_PATH='' pkg-config --cflags --libs posenc))"
  program quoted "${quoted[@]}" -Wl,-rpath,"$prefix/${lib#usr/}"
  rm -r "$prefix" quoted
done

# absolute folders, outside of the prefix
build -DCMAKE_INSTALL_PREFIX=/opt/posenc -DCMAKE_INSTALL_LIBDIR="/srv/l'ib" -DCMAKE_INSTALL_INCLUDEDIR=/srv/include/posenc
install absolute
there absolute/srv/{"l'ib"/{libposenc.so.1,libposenc.a,pkgconfig/posenc.pc},include/posenc/posenc.h}
[[ $(words absolute "srv/l'ib/pkgconfig" --cflags --libs) == "-I/srv/include/posenc -L/srv/l\'ib -lposenc"* ]] ||
  fail "posenc.pc has other folders: $(words absolute "srv/l'ib/pkgconfig" --cflags --libs)"
grep -qF "\"/srv/l'ib/libposenc.so.1" "absolute/srv/l'ib/cmake/posenc/posencSharedTargets-debug.cmake" ||
  fail "find_package would look elsewhere"

# only one kind of library
one=(-DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib64 -DCMAKE_INSTALL_INCLUDEDIR=include)
build "${one[@]}" -DBUILD_SHARED_LIBS=ON
install shared_alone
[[ -e shared_alone/usr/lib64/libposenc.so && ! -e shared_alone/usr/lib64/libposenc.a ]] ||
  fail "BUILD_SHARED_LIBS=ON should install no static library"
build "${one[@]}" -DBUILD_SHARED_LIBS=OFF
install one
[[ -e one/usr/lib64/libposenc.a && -z $(find one -name '*.so*') ]] || fail "BUILD_SHARED_LIBS=OFF should install no shared library"
read -r -a static < <(words one usr/lib64/pkgconfig --cflags --libs) # without --static: only the static library exists
program alone "${static[@]}"
cat >CMakeLists.txt <<'END_CMAKE'
cmake_minimum_required(VERSION 3.16)
project(finds LANGUAGES C)
find_package(posenc 1.0 REQUIRED COMPONENTS static)
add_executable(found ${PROGRAM})
target_link_libraries(found PRIVATE posenc::posenc)
END_CMAKE
{ cmake -G Ninja -S . -B found -Dposenc_DIR="$work/one/usr/lib64/cmake/posenc" -DPROGRAM="$packages/parent/program.c" &&
  cmake --build found && ./found/found; } >log 2>&1 || fail "posenc::posenc should be the static library where there is no other"
echo "ok: $(./static)"
