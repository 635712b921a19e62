#!/usr/bin/env bash
# Configuring asks no network for anything: it goes well where there is none, of the library alone and of everything.
#
#   test_offline.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Not even by a command that would do so on another machine.
cd "$source_dir"
mapfile -t files < <(find CMakeLists.txt cmake impl verify bench \( -name CMakeLists.txt -o -name '*.cmake' -o -name '*.cmake.in' \) \
  ! -path 'verify/tests/packages/parent/*') # which is another project, that fetches posenc
[[ ${#files[@]} -gt 5 ]] || { echo "CMake's files were not found: ${files[*]}"; exit 1; }
if grep -nE 'FetchContent|ExternalProject|file\( *(DOWNLOAD|UPLOAD)|curl|wget|git +clone' "${files[@]}" |
  grep -vE '^[^:]*:[0-9]+: *#'; then
  echo "these lines may fetch something while configuring"
  exit 1
fi

# A new network namespace has no device but a loopback that is down.
alone=(unshare --net)
"${alone[@]}" true 2>/dev/null || alone=(unshare --user --map-root-user --net)
if ! "${alone[@]}" true 2>/dev/null; then
  alone=(env {http,https,ftp,all}_proxy=http://127.0.0.1:9 {HTTP,HTTPS,FTP,ALL}_PROXY=http://127.0.0.1:9)
  echo "namespaces are not permitted here: a proxy that nobody answers for stands in"
elif [[ -n $("${alone[@]}" awk 'NR > 2 && $1 != "lo:"' /proc/net/dev) ]]; then
  echo "the namespace that was to have no network has one"
  exit 1
fi

configure() { # configure NAME ARGUMENT...
  "${alone[@]}" cmake -G Ninja -S "$source_dir" -B "$work/$1" "${@:2}" >"$work/log" 2>&1 || {
    cat "$work/log"
    echo "configuring $1 without a network failed"
    exit 1
  }
}
configure library -DPOSENC_BUILD_VERIFY=OFF -DPOSENC_BUILD_BENCH=OFF -DPOSENC_BUILD_TESTS=OFF -DPOSENC_WITH_SLEEF=OFF
configure everything
echo "ok: configured without a network"
