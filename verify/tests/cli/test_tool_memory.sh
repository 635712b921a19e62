#!/usr/bin/env bash
# posenc-table when memory runs out: a request is refused, alone or with all later ones, for one request after another. The tool
# reports it and exits with 2, or succeeds without that memory. It leaves no partial file, and on failure the old file stays.
#
#   test_tool_memory.sh TOOL LIBRARY      LIBRARY: of failing.c, to be preloaded
library=$2
. "$(dirname "${BASH_SOURCE[0]}")/tool.sh"
mkdir there
table=(--preset whisper --d-model 64 --positions 300 -o there/pe.npy)
"$tool" "${table[@]}"
cp there/pe.npy whole
echo old >before

for suffix in '' +; do # every request up to the 40th, then steps of an eighth of the number reached, until none is left to refuse
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

# A table is made a few rows at a time, so the largest ones need no more address space than small ones.
wide=(--d-model 1048576 --positions 2 -o there/wide.npy)
code=0
(ulimit -v 65536 && exec "$tool" "${wide[@]}") 2>err || code=$?
[[ $code == 0 && -s there/wide.npy ]] || fail "d_model 1048576 in 64 MiB"
rm there/wide.npy
(ulimit -v 12000 && exec "$tool" "${wide[@]}") >out 2>err || code=$?
[[ $code != 0 && ! -e there/wide.npy && -s err ]] || fail "d_model 1048576 in 12 MB"
echo "ok: posenc-table without memory"
