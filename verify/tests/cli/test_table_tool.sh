#!/usr/bin/env bash
# posenc-table: a file that cannot be written leaves nothing behind, and one written is the same by every route.
#
#   test_table_tool.sh TOOL
. "$(dirname "${BASH_SOURCE[0]}")/tool.sh"
mkdir there
o=(-o there/pe.npy)

# ---- what cannot be written leaves nothing behind ----
code=0
"$tool" --positions 5000 -o - 2>err >/dev/full || code=$?
[[ $code == 2 ]] && grep -q 'standard output: cannot be written: No space' err || fail "a full standard output should be reported"
code=0 # a limit on files that comes while the table is being written
(ulimit -f 100 && trap '' XFSZ && exec "$tool" --positions 5000 "${o[@]}" 2>err) || code=$?
[[ $code == 2 && -z $(ls -A there) ]] && grep -q 'File too large' err || fail "a file that cannot grow should be reported and removed"
code=0
echo old >there/pe.npy
(ulimit -f 100 && trap '' XFSZ && exec "$tool" --positions 5000 "${o[@]}" 2>err) || code=$?
[[ $code == 2 && $(cat there/*) == old ]] || fail "what was there should stay when the new one fails"
"$tool" --positions 1000000000 --d-model 1024 "${o[@]}" 2>/dev/null &
for ((i = 0; i < 500 && $(ls there | wc -l) < 2; i++)); do sleep 0.01; done
[[ $(ls there | wc -l) == 2 ]] || fail "a table should be written beside the old one"
kill "$!"
wait "$!" || true
[[ $(cat there/*) == old ]] || fail "an end by a signal should leave nothing behind"
rm there/pe.npy
code=0
"$tool" --positions 1000000 -o - 2>err | head -c 1000 >/dev/null || code=$?
[[ $code == 2 ]] && grep -q 'standard output: cannot be written: Broken pipe' err || fail "a reader that left should be reported"

# ---- what is written: test_verify_files.py reads and judges it ----
"$tool" --preset whisper --d-model 1280 --positions 1500 -o f32.npy 2>err
"$tool" --preset whisper --d-model 1280 --positions 1500 -o - | cmp - f32.npy ||
  fail "a file and standard output should have the same bytes"
"$tool" --d-model 33 --positions=-3:67 --dtype f16 -o - | cmp - <("$tool" --d-model 33 --positions 70 --first=-3 --dtype f16 -o -) ||
  fail "--positions FROM:TO and --first FROM should be the same"
"$tool" --positions 9 --order cos --odd half-pair -o - | cmp - <("$tool" --positions 9 --order cos_first --odd half_pair -o -) ||
  fail "the beginning of a name, and - for _, should be enough"
(umask 027 && "$tool" --positions 3 -o mode.npy)
[[ $(stat -c %a mode.npy) == 640 ]] || fail "the umask should hold"
echo "ok: posenc-table"
