#!/usr/bin/env bash
# The result of cmake --install: which file belongs to which component, the installation after a move, and what find_package says.
# Everything that states a version states that of include/posenc.h.
#
#   test_install.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
  cat log
  echo "$1"
  exit 1
}
prefix=/opt/posenc # always below a DESTDIR, so that a wrong rule does not write to this machine
version=$(sed -n 's/^#define POSENC_VERSION_STRING "\(.*\)"$/\1/p' "$source_dir/include/posenc.h")

# ---- components: together they have every file once, and no file is outside the prefix ----
install() { # install ROOT [COMPONENT]
  DESTDIR=$work/$1 cmake --install "$build_dir" ${2:+--component "$2"} --prefix "$prefix" >log 2>&1 || fail "cmake --install failed"
}
for component in runtime development tools; do
  install "$component" "$component"
done
lib=$(dirname "$(find runtime -name libposenc.so.1)")
lib=${lib#"runtime$prefix/"}
find runtime development tools ! -type d | sed "s,$prefix/$lib/,/LIB/,; s,$prefix/,/," | LC_ALL=C sort >installed
diff - installed <<END_OF_LIST || fail "the components should have the files of the first list"
development/LIB/cmake/posenc/posencConfig.cmake
development/LIB/cmake/posenc/posencConfigVersion.cmake
development/LIB/cmake/posenc/posencSharedTargets-release.cmake
development/LIB/cmake/posenc/posencSharedTargets.cmake
development/LIB/cmake/posenc/posencStaticTargets-release.cmake
development/LIB/cmake/posenc/posencStaticTargets.cmake
development/LIB/cmake/posenc/posenc_sleef.cmake
development/LIB/libposenc.a
development/LIB/libposenc.so
development/LIB/pkgconfig/posenc.pc
development/include/posenc.h
runtime/LIB/libposenc.so.${version%%.*}
runtime/LIB/libposenc.so.$version
runtime/share/doc/posenc/LICENSE
tools/bin/posenc-bench
tools/bin/posenc-verify
END_OF_LIST
install all
[[ $(find all ! -type d | wc -l) == $(wc -l <installed) ]] || fail "a file is in no component: $(find all ! -type d)"

# ---- the installation, moved: no file has a path of this machine; tools, pkg-config and CMake find it in its new place ----
grep -rlF -e "$build_dir" -e "$source_dir" -e "$work" --include=*.{cmake,pc,h} all && fail "these have a path of this machine in them"
mv "all$prefix" moved
for tool in moved/bin/*; do
  [[ $(env -u LD_LIBRARY_PATH "$tool" --version 2>&1) == "${tool##*/} $version" ]] || fail "${tool##*/} says $("$tool" --version 2>&1)"
  readelf -d "$tool" | grep -F "$build_dir" && fail "$tool looks for libraries in the build"
done
export PKG_CONFIG_PATH=$work/moved/$lib/pkgconfig
[[ $(realpath "$(pkg-config --variable=includedir posenc)") == "$work/moved/include" ]] || fail "posenc.pc has the old place"

# ---- /usr, which compilers search ----
prefix=/usr install system development
flags=$(PKG_CONFIG_PATH=$work/system/usr/$lib/pkgconfig pkg-config --cflags --libs posenc)
[[ ${flags% } == -lposenc ]] || fail "at /usr, posenc.pc should have no -I and -L: $flags"

# ---- the version ----
[[ $(pkg-config --modversion posenc) == "$version" ]] || fail "posenc.pc says $(pkg-config --modversion posenc)"
grep -q "^VERSION = \"$version\"" "$source_dir/python/posenc/_library.py" || fail "the Python package is of another version"
nodes=$(sed -n 's/^POSENC_\([^ ]*\) {.*/\1.0/p' "$source_dir/cmake/posenc.map")
printf '%s\n' "$nodes" "$version" | sort --version-sort --check || fail "posenc.map's nodes are not in order, or later than $version"

# ---- posenc.pc --static: with SLEEF if the library has it ----
read -r -a words < <(pkg-config --static --cflags --libs posenc | sed 's/-lposenc/-l:libposenc.a/')
cc "$source_dir/verify/tests/packages/parent/program.c" -o static "${words[@]}" >log 2>&1 || fail "${words[*]} does not link"
[[ $(readelf -d static) != *libposenc* && $(./static) == *"; 0.841470957 0.540302277" ]] || fail "the static library was not linked"

# ---- find_package: the version and the components that it accepts, and our messages ----
cat >CMakeLists.txt <<'END_CMAKE'
cmake_minimum_required(VERSION 3.16)
project(finds LANGUAGES C)
if(WITHOUT_SLEEF)
  set(CMAKE_DISABLE_FIND_PACKAGE_PkgConfig ON)
endif()
find_package(posenc ${WANTED} REQUIRED)
END_CMAKE
finds() { # finds WANTED [ARGUMENT...]: runs cmake with its output in log, and returns whether it succeeded
  rm -rf find
  cmake -G Ninja -S . -B find -DCMAKE_PREFIX_PATH="$work/moved" -DWANTED="$1" "${@:2}" >log 2>&1
}
accepted() {
  finds "$@" || fail "find_package(posenc $*) should find it"
}
refused() { # refused PATTERN WANTED [ARGUMENT...]
  ! finds "${@:2}" && tr -s ' \n' ' ' <log | grep -qE -- "$1" || fail "find_package(posenc ${*:2}) should be refused with '$1'"
}
accepted "${version%.*};COMPONENTS;shared;static"
refused 'compatible with requested version' "$((${version%%.*} + 1))"
refused 'has the components shared and static; a component may not have been built\. --' "1.0;COMPONENTS;tools"
if grep -q "^POSENC_WITH_SLEEF:BOOL=ON" "$build_dir/CMakeCache.txt"; then
  refused 'The component static needs SLEEF, which pkg-config does not find' "1.0;COMPONENTS;static" -DWITHOUT_SLEEF=ON
  accepted "1.0;COMPONENTS;shared" -DWITHOUT_SLEEF=ON
fi
rm "moved/$lib/cmake/posenc"/posencStatic* "moved/$lib/libposenc.a" # as distributions remove them
refused 'a component may not have been built\. --' "1.0;COMPONENTS;static"
accepted "1.0;COMPONENTS;shared"
echo "ok: $(wc -l <installed) files in three components"
