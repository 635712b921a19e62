#!/usr/bin/env bash
# posenc-table when memory runs out: of each run every request is refused once, and once with all that follow. It says so and ends
# with 2, or gets by without; nothing is left half written, and what was there stays.
#
#   test_tool_memory.sh TOOL LIBRARY      LIBRARY: of failing.c, to be preloaded
library=$2
. "$(dirname "${BASH_SOURCE[0]}")/tool.sh"
mkdir there
table=(--preset whisper --d-model 64 --positions 300 -o there/pe.npy)
"$tool" "${table[@]}"
cp there/pe.npy whole
echo old >before

for suffix in '' +; do # request after request, and then every eighth of so many, until none is left to refuse
  refused=0
  for ((n = 1, step = 1; n < 100000; n += step)); do
    cp before there/pe.npy
    code=0
    env FAILING_AT="$n$suffix" LD_PRELOAD="$library" "$tool" "${table[@]}" >out 2>err || code=$?
    [[ $(ls -A there) == pe.npy ]] || fail "request $n$suffix refused: it leaves $(ls -A there)"
    case $code in
      0) cmp -s there/pe.npy whole || fail "request $n$suffix refused: the table is not whole" ;;
      2) cmp -s there/pe.npy before && grep -qi memory err || fail "request $n$suffix refused: what was there should stay" ;;
      *) fail "request $n$suffix refused" ;;
    esac
    refused=$((refused + (code == 2)))
    [[ $n -lt 40 ]] || step=$((n / 8))
    [[ $code != 0 || $suffix == '' && $n -lt 40 ]] || break
  done
  [[ $refused -gt 0 ]] || fail "nothing was refused"
done

# The address space: rows of a table are made a few at a time, so that the largest tables need no more than small ones.
wide=(--d-model 1048576 --positions 2 -o there/wide.npy)
code=0
(ulimit -v 65536 && exec "$tool" "${wide[@]}") 2>err || code=$?
[[ $code == 0 && -s there/wide.npy ]] || fail "d_model 1048576 in 64 MiB"
rm there/wide.npy
(ulimit -v 12000 && exec "$tool" "${wide[@]}") >out 2>err || code=$?
[[ $code != 0 && ! -e there/wide.npy && -s err ]] || fail "d_model 1048576 in 12 MB"
echo "ok: posenc-table without memory"
