#!/usr/bin/env bash
# posenc-table reports output that it cannot write. A file and standard output get the same bytes.
#
#   test_table_tool.sh TOOL
. "$(dirname "${BASH_SOURCE[0]}")/tool.sh"

code=0
"$tool" --positions 5000 -o - 2>err >/dev/full || code=$?
[[ $code == 2 ]] && grep -q 'standard output: cannot be written: No space' err || fail "a full standard output should be reported"
code=0 # the file reaches a size limit while the table is being written
(ulimit -f 100 && trap '' XFSZ && exec "$tool" --positions 5000 -o pe.npy 2>err) || code=$?
[[ $code == 2 ]] && grep -q 'pe.npy: cannot be written: File too large' err || fail "a file that cannot grow should be reported"

# test_verify_files.py reads and judges the written files.
"$tool" --preset whisper --d-model 1280 --positions 1500 -o f32.npy 2>err
"$tool" --preset whisper --d-model 1280 --positions 1500 -o - | cmp - f32.npy ||
  fail "a file and standard output should have the same bytes"
echo "ok: posenc-table"
