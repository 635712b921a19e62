#!/usr/bin/env bash
# posenc-table: what it writes is what NumPy reads, what it wrote it recognises, mistakes are named and leave nothing behind, and
# no file of whatever content makes it crash.
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
strange() { # strange PATTERN: exit 1 for file.npy, and why
  run --identify file.npy
  [[ $code == 1 && ! -s err ]] && grep -qE -- "not identified: .*$1" out || fail "file.npy should not be identified: '$1'"
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
bad 'only one of them' --identify x.npy --d-model 64
bad 'text or json' --identify x.npy --format xml
bad 'about --identify' "${o[@]}" --positions 4 --format json
bad 'there/no/pe.npy: cannot be written: No such file' -o there/no/pe.npy --positions 4
bad 'there: cannot be written' -o there --positions 4
bad '/dev/full: cannot be written: No space' -o /dev/full --positions 5000
bad 'no/such.npy: cannot be opened' --identify no/such.npy
bad 'there: cannot be read' --identify there
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

# ---- round trips ----
is() { # is PRESET FIRST ARITHMETIC: as the text says it of file.npy
  good "^preset .*\\b$1\\b" --identify file.npy
  grep -qE "^base +10000$" out && grep -qE "^first +$2$" out && grep -qE "^arithmetic .*$3.*all bits are equal" out ||
    fail "file.npy should be $1 from $2, $3"
}
for dtype in f32 f64 f16 bf16; do
  for preset in $("$tool" --list | grep -v '^ '); do
    "$tool" --preset "$preset" --d-model 36 --positions 100 --first 3 --dtype $dtype -o file.npy
    is "$preset" 3 'correctly rounded'
  done
done
for impl in explog:'float32 exp-log' naive:'float32 pow' float64:'float64 rounded once'; do
  "$tool" --d-model 36 --positions 400 --impl "${impl%%:*}" -o file.npy
  is paper 0 "${impl#*:}"
done
"$tool" --positions 50 --first 4294967247 -o file.npy
is paper 4294967247 'correctly rounded'
"$tool" --positions 50 -o - | "$tool" --identify - >out || fail "a pipe should do"
grep -q '^standard input: 50 rows of 512 columns, float32' out || fail "a pipe should do"
"$tool" --identify file.npy --format=json | "$NUMPY" -c '
import json, sys
j = json.load(sys.stdin)
assert j["schema"] == 1 and j["identified"] and len(j["candidates"]) == 1 and len(j["candidates"][0]["distances"]) == 5, j'

# ---- files of other makes, and bad ones ----
npy() { # npy PYTHON: x is a table of 40 x 36 float32, from which PYTHON makes what np.save puts into file.npy
  "$NUMPY" - "$1" <<'END'
import sys
import numpy as np
angle = np.arange(40)[:, None] * 1e4 ** (-np.arange(18) / 18)
x = np.zeros((40, 36), np.float32)
x[:, ::2], x[:, 1::2] = np.sin(angle), np.cos(angle)
raw = None
exec(sys.argv[1])
if raw is None:
    np.save("file.npy", x)
else:
    open("file.npy", "wb").write(raw)
END
}
for change in 'x = x.astype(">f4")' 'x = np.asfortranarray(x)' 'x = np.asfortranarray(x.astype(">f8"))' 'x = x[None]' \
  'x = x[:, None]' 'x = x.astype("f2")' 'x = x.astype(">f2")' 'x = (x.view("u4") >> 16).astype("u2")' \
  'x = (x.view("u4") >> 16).astype("<u2").view("V2")' 'x = (x.view("u4") >> 16).astype(">u2")' 'x = np.asfortranarray(x)[None]' 'x = x[5]' \
  'np.lib.format.write_array(open("v2.npy", "wb"), x, (2, 0)); raw = open("v2.npy", "rb").read()' \
  'np.lib.format.write_array(open("v3.npy", "wb"), x, (3, 0)); raw = open("v3.npy", "rb").read()'; do
  npy "$change"
  good '^preset +paper$' --identify file.npy
done
npy 'x[1] = 0'
good '^row 1 is all zeros' --identify file.npy
npy 'x = x.astype("f8")'
good 'float64 with float32 values' --identify file.npy

save='np.save("s.npy", x); raw = open("s.npy", "rb").read()'
header() { # header TEXT: a file of version 1.0 with that dictionary, and the elements
  npy "h = $1; raw = b'\\x93NUMPY\\x01\\x00' + bytes([len(h) % 256, len(h) // 256]) + h + x.tobytes()"
}
refuse() { bad "file.npy: .*$1" --identify file.npy; }
npy 'raw = b""'; refuse 'the file is empty'
npy 'raw = b"\x93NUM"'; refuse 'it ends inside its magic string'
npy 'raw = b"PK\x03\x04" + bytes(100)'; refuse 'not an .npy file'
npy "$save; raw = raw[:6] + b'\\x09' + raw[7:]"; refuse 'version 9.0'
npy "$save; raw = raw[:8]"; refuse 'it ends inside its header'
npy "$save; raw = raw[:60]"; refuse 'it ends inside its header'
npy "$save; raw = raw[:128]"; refuse 'truncated: 0 bytes'
npy "$save; raw = raw[:-1]"; refuse 'truncated: 5759 bytes of elements instead of the 5760'
npy "$save; raw = raw + b'x'"; refuse 'there is more behind'
npy 'raw = b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(100)'; refuse 'a header of 4294967295 bytes'
header 'b"junk"'; refuse 'no dictionary'
header 'b"{}"'; refuse "lacks 'descr'"
header "b\"{'descr': '<f4', 'descr': '<f4'}\""; refuse 'two of the key'
header "b\"{'descr': '<f4', 'colour': 1}\""; refuse "unknown key 'colour'"
header "b\"{'descr': '<f4', 'fortran_order': 0, 'shape': (40, 36)}\""; refuse 'neither True nor False'
header "b\"{'descr': '<f4', 'fortran_order': False, 'shape': 40}\""; refuse 'no tuple'
header "b\"{'descr': '<f4', 'fortran_order': False, 'shape': (40, -36)}\""; refuse 'no tuple'
header "b\"{'descr': '<f4', 'fortran_order': False, 'shape': (40, 36)} and more\""; refuse 'behind its dictionary'
header "b\"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 36)}\""; refuse 'beyond 64 bits'
header "b\"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 36)}\""; refuse 'no file is that large'
header "b\"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 36)}\""; refuse 'truncated: 5760 bytes'
header "b\"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2000000)}\""; refuse '2000000 columns; at most 1048576'
npy 'x = x[:0]'; refuse 'the array is empty'
npy 'x = np.float32(1)'; refuse '0 axes'
npy 'x = x.reshape(2, 20, 36)'; refuse '3 axes'
npy 'x = x.reshape(1, 1, 40, 36)'; refuse '4 axes'
npy 'x = np.zeros(4, "i4")'; refuse "type '<i4'"
npy 'x = np.zeros(4, "f4,f4")'; refuse 'no plain numbers'
npy 'x[3, 4] = np.nan'; refuse 'row 3, column 4 is NaN'
npy 'x[3, 4] = np.inf'; refuse 'row 3, column 4 is infinite'

npy 'x = 3 * x'; strange 'no pairs'
npy 'x = np.random.default_rng(1).random((40, 36), np.float32)'; strange 'no pairs'
npy 'x = np.zeros((40, 36), np.float32)'; strange 'no pairs'
npy 'x = x[::-1]'; strange ''
npy 'x[17, 5] = -x[17, 5]'; strange 'nearest is paper, base 10000, first position 0, but row 17, column 5'

# Files damaged at random: a clear end, whatever they have become.
"$NUMPY" - "$tool" <<'END'
import random, subprocess, sys
rng = random.Random(1)
whole = open("bf16.npy", "rb").read()[:128 + 66 * 40].replace(b"(70, 33)", b"(40, 33)")
codes = set()
for i in range(400):
    raw = bytearray(whole)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(raw)) if rng.random() < 0.2 else rng.randrange(70)
        raw[at] = rng.choice((rng.randrange(256), *b"0123456789(),'{}:<>"))
    if rng.random() < 0.2:
        del raw[rng.randrange(len(raw)):]
    open("damaged.npy", "wb").write(raw)
    r = subprocess.run([sys.argv[1], "--identify", "damaged.npy"], capture_output=True)
    assert r.returncode in (0, 1, 2) and b"anitizer" not in r.stderr and b"runtime error" not in r.stderr, (i, r)
    assert (r.returncode == 2) == bool(r.stderr) and (r.returncode == 2) == (not r.stdout), (i, r)
    codes.add(r.returncode)
assert codes == {0, 1, 2}, codes
END
echo "ok: posenc-table"
