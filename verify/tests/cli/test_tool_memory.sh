#!/usr/bin/env bash
# posenc-table when memory runs out: of each run every request is refused once, and once with all that follow. It says so and ends
# with 2, or gets by without; nothing is left half written, and what was there stays.
#
#   test_tool_memory.sh TOOL LIBRARY      LIBRARY: of failing.c, to be preloaded
set -euo pipefail
tool=$1 library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir there

fail() {
  echo "posenc-table, request $at refused, '$*': exit $code"
  head -n 5 out err
  ls -lA there
  exit 1
}
run() { # the tool; its exit code in $code, its streams in out and err
  code=0
  env FAILING_AT="$at" LD_PRELOAD="$library" "$tool" "$@" >out 2>err </dev/null || code=$?
}
refused=0
check() { # check ARGUMENT...: exit 2 and a word of memory, or all as it should be
  case $code in
    0) cmp -s out whole && cmp -s there/pe.npy "$then" || fail "$@" ;;
    2)
      grep -qiE 'memory' err || fail "$@"
      [[ ! -s out ]] && cmp -s there/pe.npy before && [[ $(ls -A there) == pe.npy ]] || fail "$@"
      refused=$((refused + 1))
      ;;
    *) fail "$@" ;;
  esac
}
each() { # each ARGUMENT...: request after request, and then every third, every tenth, ... one, until none is left to refuse
  local step suffix
  for suffix in '' +; do
    refused=0
    for ((n = 1, step = 1; ; n += step)); do
      at=$n$suffix
      cp before there/pe.npy
      run "$@"
      check "$@"
      [[ $n -lt 40 ]] || step=$((n / 8))
      [[ $n -lt 100000 ]] || break
      [[ $code != 0 || $suffix == '' && $n -lt 40 ]] || break
    done
    [[ $refused -gt 0 ]] || fail "$@" "nothing was refused"
  done
}

echo old >before
at=0
cp before there/pe.npy
run --preset whisper --d-model 64 --positions 300 -o there/pe.npy
cp there/pe.npy table.npy
cp out whole
then=table.npy
each --preset whisper --d-model 64 --positions 300 -o there/pe.npy

# The address space: rows of a table are made a few at a time, so that the largest tables need no more than small ones.
at=0 then=table.npy
code=0
(ulimit -v 65536 && exec "$tool" --d-model 1048576 --positions 2 -o there/wide.npy) 2>err || code=$?
[[ $code == 0 && -s there/wide.npy ]] || fail "d_model 1048576 in 64 MiB"
rm there/wide.npy
code=0
(ulimit -v 12000 && exec "$tool" --d-model 1048576 --positions 2 -o there/wide.npy) >out 2>err || code=$?
[[ $code != 0 && ! -e there/wide.npy && -s err ]] || fail "d_model 1048576 in 12 MB"
echo "ok: posenc-table without memory"
