#!/usr/bin/env bash
# posenc-verify on one shape: presets, dtypes and the fields of a spec, in the text and in the JSON; what is refused, and who has no
# part in a run.
#
#   test_verify_options.sh POSENC_VERIFY
set -euo pipefail
verify=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "posenc-verify $* (exit $code)"
  head -n 5 out err
  exit 1
}
run() { # run ARGUMENT...: a few rows; its exit code in $code, its streams in out and err
  code=0
  "$verify" --rows 4 --json report.json "$@" >out 2>err || code=$?
}
good() { # good TEXT JSON... -- ARGUMENT...: exit 0, and all of these patterns, the first in the text and the others in the JSON
  local patterns=()
  while [[ $1 != -- ]]; do
    patterns+=("$1")
    shift
  done
  shift
  run "$@"
  [[ $code == 0 ]] || fail "$* should succeed"
  grep -qE -- "${patterns[0]}" out || fail "$* should print '${patterns[0]}'"
  for pattern in "${patterns[@]:1}"; do
    grep -qE -- "$pattern" report.json || fail "$*: the JSON should have '$pattern'"
  done
}
bad() { # bad PATTERN ARGUMENT...: exit 2 and PATTERN on standard error, no report
  local pattern=$1
  shift
  rm -f report.json
  run "$@"
  [[ $code == 2 && ! -e report.json ]] && grep -qE -- "$pattern" err || fail "$* should be refused with '$pattern'"
}

here=(--positions 0:600 --d-model)
good 'd_model 64, base 10000, denominator 31, split, positions' '"preset":\s*"whisper"' '"layout":\s*"split"' '"denominator":\s*31,' \
  '"dtype":\s*"f32"' '"odd":\s*"zero"' '"schema":\s*1' -- "${here[@]}" 64 --preset whisper
good 'split, cos_first, last column zero, positions' '"order":\s*"cos_first"' '"preset":\s*"guided_diffusion"' -- \
  --preset guided_diffusion "${here[@]}" 33
good 'base 500000, denominator 8, split, cos_first' '"base":\s*500000' -- --base 500000 "${here[@]}" 16 --preset rope
good 'position_scale 1000, split, cos_first, last column zero, positions' '"position_scale":\s*1000' '"preset":\s*null' '"odd":\s*"zero"' -- \
  "${here[@]}" 7 --position-scale 1000 --layout split --order cos_first --odd zero
good 'denominator 4, ' '"denominator":\s*4,' -- "${here[@]}" 16 --denominator 4
for dtype in f64:float64 bf16:bfloat16 f16:float16; do
  good "base 10000, ${dtype#*:}, positions" "\"dtype\":\s*\"${dtype%:*}\"" '"offered":\s*false' '"dtypes":\s*"float32 float64 bfloat16 float16"' -- \
    "${here[@]}" 16 --dtype "${dtype%:*}"
  grep -qE '^ +naive +not offered' out && grep -qE '^[0-9]+ of [0-9]+ implementations verified, [0-9]+ without this dtype' out ||
    fail "--dtype ${dtype%:*}: who does not offer it should be named"
done
grep -qE '^ +exact_scalar .* 100\.00%' out || fail "--dtype f16: all outputs of exact_scalar should be correct"
run --impl naive "${here[@]}" 16 --dtype bf16
[[ $code == 1 ]] && grep -q '^FAILED naive: not judged' out || fail "naive, asked for by name, should not be passed over"

bad "paper, marian, .*rothman" --preset nonsense
bad 'd_model is 33; preset "whisper" allows even ones' --preset whisper --d-model 33
bad 'dtype fp16: .*f32, f64, bf16, f16' --dtype fp16
bad 'layout diagonal: .*interleaved, split' --layout diagonal
bad 'order tan_first: .*sin_first, cos_first' --order tan_first
bad 'odd none: .*half_pair, zero' --odd none
bad 'position_scale' --position-scale 1e30
bad 'a number is needed' --position-scale x
bad 'times a scale of 1e\+06' --position-scale 1e6
bad 'denominator' --denominator -1
echo "ok: posenc-verify, one shape"
