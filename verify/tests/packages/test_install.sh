#!/usr/bin/env bash
# The result of cmake --install: each file belongs to one component, nothing is written outside the prefix, and the installation can be
# moved. find_package accepts the right versions and components, and refuses others with a clear message. Everything that states a
# version states that of include/posenc.h.
#
#   test_install.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
  echo "$1"
  exit 1
}
prefix=/opt/posenc # always below a DESTDIR, so that a wrong rule does not write to this machine
files() { (cd "$1$prefix" && find . ! -type d | sed 's/^\.//' | sort); } # files ROOT: lists its files, as /name
install() { # install COMPONENT ROOT
  DESTDIR=$work/$2 cmake --install "$build_dir" ${1:+--component "$1"} --prefix "$prefix" >log 2>&1 ||
    { cat log; fail "cmake --install failed"; }
  [[ -z $(find "$2" ! -type d ! -path "$2$prefix/*") ]] || fail "outside the prefix: $(find "$2" ! -type d ! -path "$2$prefix/*")"
}

# ---- components: together they have every file once ----
install "" all
: >parts
for component in runtime development tools; do
  install "$component" "$component"
  files "$component" >>parts
done
[[ -z $(sort parts | uniq -d) ]] || fail "in two components: $(sort parts | uniq -d)"
diff <(files all) <(sort parts) || fail "the components do not add up to the whole (<)"
lib=$(dirname "$(files all | grep '/libposenc\.so\.1$')")
only() { # only COMPONENT PATTERN...: each of its files matches a pattern, and it has a file for each pattern
  local component=$1 file n=0
  while read -r file; do
    grep -qxE "$(IFS='|' && echo "${*:2}")" <<<"$file" || fail "component $component has $file"
    n=$((n + 1))
  done < <(files "$component")
  [[ $n -ge $(($# - 1)) ]] || fail "component $component has $n files: $(files "$component")"
}
only runtime "$lib/libposenc\.so\.1" "$lib/libposenc\.so\.1\.[0-9]+\.[0-9]+"
only development "$lib/libposenc\.so" "$lib/libposenc\.a" /include/posenc\.h "$lib/pkgconfig/posenc\.pc" \
  "$lib/cmake/posenc/posenc(Config|ConfigVersion|(Shared|Static)Targets(-[a-z]+)?)\.cmake" "$lib/cmake/posenc/posenc_sleef\.cmake"
only tools /bin/posenc-{verify,bench}

# ---- no installed file has a path of the build or of this machine ----
grep -rlF -e "$build_dir" -e "$source_dir" -e "$work" --include=*.{cmake,pc,h} all &&
  fail "these have a path of this machine in them"
for file in "all$prefix"/bin/* "all$prefix$lib"/libposenc.so.1; do
  readelf -d "$file" | grep -F "$build_dir" && fail "$file looks for libraries in the build"
done

# ---- the installation, moved: tools run, pkg-config and CMake find it in its new place ----
mv "all$prefix" moved
env -u LD_LIBRARY_PATH moved/bin/posenc-verify --version >/dev/null || fail "moved tools do not find their library"
export PKG_CONFIG_PATH=$work/moved$lib/pkgconfig
[[ $(realpath "$(pkg-config --variable=includedir posenc)") == "$work/moved/include" ]] || fail "posenc.pc has the old place"

# ---- the version ----
version=$(sed -n 's/^#define POSENC_VERSION_STRING "\(.*\)"$/\1/p' "$source_dir/include/posenc.h")
for tool in moved/bin/*; do
  [[ $("$tool" --version) == "${tool##*/} $version" ]] || fail "${tool##*/} says $("$tool" --version)"
done
[[ $(pkg-config --modversion posenc) == "$version" ]] || fail "posenc.pc says $(pkg-config --modversion posenc)"
[[ $(readlink "moved$lib/libposenc.so.${version%%.*}") == "libposenc.so.$version" ]] || fail "the SONAME is not of $version"
grep -q "^VERSION = \"$version\"" "$source_dir/python/posenc/_library.py" || fail "the Python package is of another version"
sed -n 's/^POSENC_\([^ ]*\) {.*/\1/p' "$source_dir/cmake/posenc.map" | sort --version-sort --check || fail "posenc.map's nodes are not in order"
{ sed -n 's/^POSENC_\([^ ]*\) {.*/\1.0/p' "$source_dir/cmake/posenc.map" | tail -n 1 && echo "$version"; } | sort --version-sort --check ||
  fail "posenc.map has symbols of a later version than $version"

# ---- posenc.pc --static: with SLEEF if the library has it ----
read -r -a words < <(pkg-config --static --cflags --libs posenc)
mkdir aside
mv "moved$lib"/libposenc.so* aside
cc "$source_dir/verify/tests/packages/parent/program.c" -o static "${words[@]}" >log 2>&1 || { cat log; fail "${words[*]} does not link"; }
[[ $(readelf -d static) != *libposenc* && $(./static) == *"; 0.841470957 0.540302277" ]] || fail "the static library was not linked"
if [[ ${words[*]} != *-lsleef* || -e $(cc -print-file-name=libsleef.a) ]]; then # Debian 12's package has no libsleef.a
  cc "$source_dir/verify/tests/packages/parent/program.c" -static -o static "${words[@]}" >log 2>&1 || { cat log; fail "-static does not link"; }
  ./static >/dev/null || fail "a program that is static as a whole does not run"
fi
mv aside/* "moved$lib"

# ---- find_package ----
cat >CMakeLists.txt <<'END_CMAKE'
cmake_minimum_required(VERSION 3.16)
project(finds LANGUAGES C)
if(WITHOUT_SLEEF)
  set(CMAKE_DISABLE_FIND_PACKAGE_PkgConfig ON)
endif()
find_package(posenc ${WANTED} REQUIRED)
message(STATUS "found ${posenc_VERSION} ${posenc_DIR} shared:${posenc_shared_FOUND} static:${posenc_static_FOUND}")
END_CMAKE
n=0
finds() { # finds WANTED [ARGUMENT...]: runs cmake with its output in log, and returns whether it succeeded
  n=$((n + 1))
  cmake -G Ninja -S . -B "find$n" -DCMAKE_PREFIX_PATH="$work/moved" -DWANTED="$1" "${@:2}" >log 2>&1
}
accepted() {
  finds "$@" && grep -q "^-- found .* $work/moved/" log && return
  cat log
  fail "find_package(posenc $*) should find it"
}
refused() { # refused PATTERN WANTED [ARGUMENT...]
  ! finds "${@:2}" && tr -s ' \n' ' ' <log | grep -qE -- "$1" && return
  cat log
  fail "find_package(posenc ${*:2}) should be refused with '$1'"
}
accepted ""
grep -q "shared:/.* static:/" log || fail "both kinds of library should be found"
for wanted in 1 1.0 "1.0.0;EXACT" "1.0...<2" "1.0;COMPONENTS;shared;static"; do
  accepted "$wanted"
done
for wanted in 2.0 1.99 0.9; do
  refused "compatible with requested version \"$wanted\"" $wanted
done
refused 'has the components shared and static; a component may not have been built\. --' "1.0;COMPONENTS;tools"
if grep -q "^POSENC_WITH_SLEEF:BOOL=ON" "$build_dir/CMakeCache.txt"; then
  refused 'The component static needs SLEEF, which pkg-config does not find' "1.0;COMPONENTS;static" -DWITHOUT_SLEEF=ON
  accepted "1.0;COMPONENTS;shared" -DWITHOUT_SLEEF=ON
fi
rm "moved$lib/cmake/posenc"/posencStatic* "moved$lib/libposenc.a" # as distributions remove them
refused 'a component may not have been built\. --' "1.0;COMPONENTS;static"
accepted "1.0;COMPONENTS;shared"
echo "ok: $(wc -l <parts) files in three components"
