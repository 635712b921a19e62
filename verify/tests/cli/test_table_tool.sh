#!/usr/bin/env bash
# posenc-table: what it writes is what NumPy reads, and mistakes are named and leave nothing behind.
#
#   test_table_tool.sh TOOL
set -euo pipefail
tool=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir there

run() { # run the tool; its exit code in $code, its streams in out and err
  code=0
  "$tool" "$@" >out 2>err || code=$?
}
fail() {
  echo "posenc-table: $1 (exit $code)"
  head -n 20 out err
  exit 1
}
good() { # good PATTERN ARGUMENT...: exit 0 and PATTERN on standard output
  local pattern=$1
  shift
  run "$@"
  [[ $code == 0 && ! -s err ]] && grep -qE -- "$pattern" out || fail "'$*' should print '$pattern'"
}
bad() { # bad PATTERN ARGUMENT...: exit 2, PATTERN on standard error, nothing written
  local pattern=$1
  shift
  run "$@"
  [[ $code == 2 ]] && grep -qE -- "$pattern" err || fail "'$*' should be refused with '$pattern'"
  [[ ! -s out ]] || fail "'$*' is refused, yet printed results"
  [[ -z $(ls -A there) ]] || fail "'$*' is refused, yet left $(ls -A there)"
}
# ---- the command line ----
good '[Uu]sage' --help
good 'posenc-table [0-9]+\.[0-9]+\.[0-9]+' --version
good 'padding_idx' --list
[[ $(grep -cE '^(paper|whisper|rothman)$' out) == 3 ]] || fail "--list should have the presets"
o=(-o there/pe.npy)
bad 'no-such-flag' --no-such-flag
bad 'surplus' surplus
bad '-o FILE' --positions 4
bad 'positions' "${o[@]}"
bad 'nonsense.*paper' "${o[@]}" --positions 4 --preset nonsense
bad 'even' "${o[@]}" --positions 4 --preset whisper --d-model 7
bad 'positions 0: an integer from 1' "${o[@]}" --positions 0
bad 'd-model' "${o[@]}" --positions 4 --d-model x
bad 'base' "${o[@]}" --positions 4 --base 1
bad 'denominator' "${o[@]}" --positions 4 --denominator -3
bad 'position_scale' "${o[@]}" --positions 4 --position-scale 1e30
bad 'f32, f64, bf16 or f16 is needed' "${o[@]}" --positions 4 --dtype int8
bad 'interleaved or split' "${o[@]}" --positions 4 --layout sideways
bad 'sin or cos' "${o[@]}" --positions 4 --order tan
bad 'half-pair or zero' "${o[@]}" --positions 4 --odd even
bad 'naive' "${o[@]}" --positions 4 --impl nonsense
bad 'dtype|float32' "${o[@]}" --positions 4 --impl naive --dtype f64
bad 'positions end at 4294967296' "${o[@]}" --positions 4 --first 4294967294
bad 'product with position_scale' "${o[@]}" --positions 2000 --first 4294966 --position-scale 1000
bad 'there/no/pe.npy: cannot be written: No such file' -o there/no/pe.npy --positions 4
bad 'there: cannot be written' -o there --positions 4
bad '/dev/full: cannot be written: No space' -o /dev/full --positions 5000
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
