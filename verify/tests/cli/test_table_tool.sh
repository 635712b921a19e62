#!/usr/bin/env bash
# posenc-table: what it writes is what NumPy reads, and a file that cannot be written leaves nothing behind.
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

# ---- what is written ----
NUMPY=/usr/bin/python3
"$NUMPY" -c 'import numpy' 2>/dev/null || { echo "skipped: NumPy is not here"; exit 77; }
"$tool" --preset whisper --d-model 1280 --positions 1500 -o f32.npy 2>err
"$tool" --preset whisper --d-model 1280 --positions 1500 -o - >f32b.npy
cmp f32.npy f32b.npy || fail "a file and standard output should have the same bytes"
"$tool" --d-model 33 --positions=-3:67 --dtype f16 -o - | cmp - <("$tool" --d-model 33 --positions 70 --first=-3 --dtype f16 -o -) ||
  fail "--positions FROM:TO and --first FROM should be the same"
"$tool" --d-model 33 --positions 70 --first=-3 --dtype f64 -o f64.npy
"$tool" --d-model 33 --positions 70 --first=-3 --dtype f16 -o f16.npy
"$tool" --d-model 33 --positions 70 --first=-3 --dtype bf16 -o bf16.npy
"$tool" --d-model 6 --positions 9 --base 100 --denominator 5 --position-scale 0.5 --layout split --order cos --impl float64 -o own.npy
"$tool" --d-model 5 --positions 9 --odd zero -o odd.npy
(umask 027 && "$tool" --positions 3 -o mode.npy)
[[ $(stat -c %a mode.npy) == 640 ]] || fail "the umask should hold"
"$NUMPY" - <<'END'
import numpy as np

def table(d, p, den, base=1e4, scale=1.0):
    angle = np.asarray(p)[:, None] * scale * base ** (-np.arange((d + 1) // 2) / den)
    return np.sin(angle), np.cos(angle)[:, :d // 2]

def near(x, want, bits):
    assert x.shape == want.shape and np.abs(x - want).max() <= 2.0 ** -bits, np.abs(x - want).max()

x = np.load("f32.npy")
assert x.dtype == "<f4" and x.flags.c_contiguous
near(x, np.concatenate(table(1280, range(1500), 639), 1), 24)
s, c = table(33, range(-3, 67), 16.5)
want = np.zeros((70, 33))
want[:, ::2], want[:, 1::2] = s, c
for name, dtype, bits in (("f64", "<f8", 46), ("f16", "<f2", 11), ("bf16", "<u2", 8)):
    x = np.load(name + ".npy")
    assert x.dtype == dtype, name
    near((x.astype(np.uint32) << 16).view(np.float32) if name == "bf16" else x, want, bits)
x = np.load("own.npy")
s, c = table(6, range(9), 5, 100, 0.5)
near(x, np.concatenate((c, s), 1), 24)
x = np.load("odd.npy")
assert not x[:, 4].any() and x[:, :4].any()
END

echo "ok: posenc-table"
