#!/usr/bin/env bash
# posenc as a part of another project (verify/tests/packages/parent), by add_subdirectory and by FetchContent from an archive, without a network:
# the library alone comes along, nothing of the parent changes, and its programs run.
#
#   test_subproject.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
  cat log
  echo "$1"
  exit 1
}
configure() { # configure DIR ARGUMENT...: the parent, as if there were no network
  env {http,https}_proxy=http://127.0.0.1:9 cmake -G Ninja -S "$source_dir/verify/tests/packages/parent" -B "$@" >log 2>&1 ||
    fail "the parent does not configure: cmake -B $*"
}
says() { # says TEXT: CMake did
  grep -qF -- "$1" log || fail "CMake should say: $1"
}

configure inside -DPOSENC_SOURCE="$source_dir"
says "posenc::posenc is a SHARED_LIBRARY"
says "posenc::static is a STATIC_LIBRARY"
says "C17, build type ''"
configure inside -DPOSENC_SOURCE="$source_dir" -DBUILD_SHARED_LIBS=OFF
says "posenc::posenc is a STATIC_LIBRARY"
configure inside -DPOSENC_SOURCE="$source_dir" -DBUILD_SHARED_LIBS=ON
says "posenc::posenc is a SHARED_LIBRARY"
says "posenc::static is a STATIC_LIBRARY"
[[ ! -e inside/compile_commands.json ]] || fail "the parent did not ask for compile_commands.json"
cmake --install inside --prefix "$work/prefix" >log
[[ ! -e $work/prefix ]] || fail "the parent's installation has $(find "$work/prefix" -type f)"

tar -C "$source_dir" -czf archive.tar.gz --transform 's,^\.,posenc-0,' ./CMakeLists.txt ./cmake ./impl ./include
! command -v clang >/dev/null || export CC=clang # takes half the time without optimisation
configure fetched -DPOSENC_ARCHIVE="file://$work/archive.tar.gz" -DCMAKE_C_FLAGS=-O0
cmake --build fetched >log 2>&1 || fail "the parent does not build"
for program in posenc_program static_program; do
  said=$("fetched/$program") || fail "$program fails: $said"
  [[ $said == "posenc "*": naive explog "*" exact_scalar"*"; 0.841470957 0.540302277" ]] || fail "$program printed: $said"
  [[ $said != *sleef* ]] || fail "SLEEF came along unasked: $said"
done
needs() { readelf -d "fetched/$1" | grep -c 'NEEDED.*libposenc' || true; }
[[ $(needs posenc_program) == 1 && $(needs static_program) == 0 ]] || fail "the wrong kinds of libraries were linked"
echo "ok: $said"
