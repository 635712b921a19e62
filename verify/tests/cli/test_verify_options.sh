#!/usr/bin/env bash
# posenc-verify on one shape: presets, dtypes and the fields of a spec, in the text and in the JSON; and implementations that do not
# offer the dtype.
#
#   test_verify_options.sh POSENC_VERIFY
. "$(dirname "${BASH_SOURCE[0]}")/tool.sh"

shows() { # shows TEXT JSON... -- ARGUMENT...: exits with 0; the text has the first pattern, the JSON has the others
  local patterns=()
  while [[ $1 != -- ]]; do
    patterns+=("$1")
    shift
  done
  good "${patterns[0]}" --rows 4 --json report.json "${@:2}"
  for pattern in "${patterns[@]:1}"; do
    grep -qE -- "$pattern" report.json || fail "$*: the JSON should have '$pattern'"
  done
}

here=(--positions 0:600 --d-model)
shows 'd_model 64, base 10000, denominator 31, split, positions' '"preset":\s*"whisper"' '"layout":\s*"split"' '"denominator":\s*31,' \
  '"dtype":\s*"float32"' '"odd":\s*"zero"' '"schema":\s*1' -- "${here[@]}" 64 --preset whisper
shows 'base 500000, split, cos_first' '"base":\s*500000' -- --base 500000 "${here[@]}" 16 --preset rope
shows 'position_scale 1000, split, cos_first, last column zero, positions' '"position_scale":\s*1000' '"preset":\s*null' '"odd":\s*"zero"' -- \
  "${here[@]}" 7 --position-scale 1000 --layout split --order cos_first --odd zero
for dtype in float64 bfloat16 float16; do
  shows "base 10000, $dtype, positions" "\"dtype\":\s*\"$dtype\"" '"dtypes":\s*"float32 float64 bfloat16 float16"' -- \
    "${here[@]}" 16 --dtype "$dtype"
  grep -qE '^ +naive +not offered' out && grep -qE '^[0-9]+ of [0-9]+ implementations verified, [0-9]+ without this dtype' out ||
    fail "--dtype $dtype: implementations that do not offer it should be named"
done
grep -qE '^ +exact_scalar .* 100\.00%' out || fail "--dtype float16: all outputs of exact_scalar should be correct"
good '^[0-9]+ of [0-9]+ implementations verified' --quiet --rows 4 "${here[@]}" 16
[[ $(wc -l <out) == 1 ]] || fail "--quiet: one line should be printed"
run --rows 4 --impl naive "${here[@]}" 16 --dtype bfloat16
[[ $code == 1 ]] && grep -q '^FAILED naive: not judged' out || fail "naive, asked for by name, should not be passed over"
while IFS=: read -r key value; do # the machine, as the system describes it
  file=$(sed -n "s/^${value}[[:blank:]]*: *//p" /proc/cpuinfo | head -n 1)
  [[ ! $file ]] || grep -qF "\"$key\":	\"$file\"" report.json || fail "the JSON should have the $key '$file'"
done <<<$'cpu:model name\nvendor:vendor_id\nfamily:cpu family\nmodel:model\nimplementer:CPU implementer\npart:CPU part'
grep -q '"compiler":' report.json || fail "the JSON should have the compiler"
echo "ok: posenc-verify, one shape"
