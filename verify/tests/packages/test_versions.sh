#!/usr/bin/env bash
# The version, which stands in one place, include/posenc.h: everything else that says one says the same.
#
#   test_versions.sh SOURCE_DIR BUILD_DIR TOOL...
set -euo pipefail
source_dir=$1 build_dir=$2
shift 2
header=$source_dir/include/posenc.h
failed=0
number() { sed -n "s/^#define POSENC_VERSION_$1 \([0-9]*\)\$/\1/p" "$header"; }
version=$(sed -n 's/^#define POSENC_VERSION_STRING "\(.*\)"$/\1/p' "$header")
major=$(number MAJOR)

says() { # says WHAT FOUND WANTED
  [[ $2 == "$3" ]] || { echo "$1 is '$2'; the header makes it '$3'"; failed=1; }
}
says "POSENC_VERSION_STRING" "$version" "$major.$(number MINOR).$(number PATCH)"
says "the SONAME" "$(objdump -p "$build_dir/libposenc.so" | awk '$1 == "SONAME" { print $2 }')" "libposenc.so.$major"
says "the library's file" "$(basename "$(readlink -f "$build_dir/libposenc.so")")" "libposenc.so.$version"
says "posenc_version()" "$(/usr/bin/python3 -c 'import ctypes, sys
f = ctypes.CDLL(sys.argv[1]).posenc_version
f.restype = ctypes.c_char_p
print(f().decode())' "$build_dir/libposenc.so")" "$version"
says "posenc.pc" "$(sed -n 's/^Version: //p' "$build_dir/posenc.pc")" "$version"
says "the CMake package" "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' "$build_dir/posencConfigVersion.cmake")" "$version"
for tool in "$@"; do
  says "$(basename "$tool") --version" "$("$tool" --version)" "$(basename "$tool") $version"
done
for page in "$build_dir"/man/posenc*.[13]; do
  grep -q '^\.so ' "$page" || says "$(basename "$page")" "$(sed -n 's/^\.TH.*"posenc \([^"]*\)".*/\1/p' "$page")" "$version"
done

# The Python package's own, and what its wheel would be called.
says "the Python package" "$(sed -n 's/^VERSION = "\(.*\)".*/\1/p' "$source_dir/python/posenc/_library.py")" "$version"
says "its SONAME" "$(sed -n 's/^SONAME = "\(.*\)".*/\1/p' "$source_dir/python/posenc/_library.py")" "libposenc.so.$major"
says "pyproject.toml" "$(/usr/bin/python3 - "$source_dir" <<'END_PYTHON'
import pathlib, re, sys, tomllib
where = pathlib.Path(sys.argv[1])
project = tomllib.loads((where / "pyproject.toml").read_text())
assert "version" in project["project"]["dynamic"] and "version" not in project["project"]
rule = project["tool"]["scikit-build"]["metadata"]["version"]
print(re.search(rule["regex"], (where / rule["input"]).read_text())["value"])
END_PYTHON
)" "$version"

# Symbol versions of this major version, none of a minor one to come.
while read -r node; do
  [[ $node =~ ^POSENC_$major\.([0-9]+)$ && ${BASH_REMATCH[1]} -le $(number MINOR) ]] ||
    { echo "cmake/posenc.map has $node, the header is of version $version"; failed=1; }
done < <(sed -n 's/^\(POSENC_[^ ]*\) {.*/\1/p' "$source_dir/cmake/posenc.map")
[[ $failed == 0 ]] && echo "ok: $version everywhere"
