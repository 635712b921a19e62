#!/usr/bin/env bash
# posenc-bench --verified: what a report of posenc-verify does not vouch for is not run, implementation by implementation and dtype
# by dtype, and is named with the reason.
#
#   test_verified.sh POSENC_BENCH
set -euo pipefail
bench=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$bench" --all-cases --list >all
impls=$(sed -n 's|^fill/\([a-z0-9_]*\)/f32/n:5000/d:512$|\1|p' all)
one=$(sed -n 's|^fill/\([a-z0-9_]*\)/bf16/n:5000/d:512$|\1|p' all | head -n 1) # offers more than float32
two=$(sed -n 's|^fill/\([a-z0-9_]*\)/bf16/n:5000/d:512$|\1|p' all | sed -n 2p)
two=${two:-naive} # where the CPU has nothing but exact_scalar
[[ $one ]] || { echo "an implementation should offer bfloat16"; cat all; exit 1; }

others=$(sed -n "s|^fill/$two/\([a-z0-9]*\)/n:5000/d:512$|\1|p" all)

report() { # report RANGES-OF-ONE [FIELDS-OF-ONE]: the others verified in what they offer; lists what is run, and what is not
  local separator='' impl dtype ranges
  {
    echo '{"schema": 1, "tool": "posenc-verify", "implementations": ['
    for impl in $impls; do
      if [[ $impl == "$one" ]]; then
        echo "$separator{\"name\": \"$impl\", ${2:-\"verified\": true, \"failure\": null}, \"ranges\": [$1]}"
      else
        ranges=''
        for dtype in $(sed -n "s|^fill/$impl/\([a-z0-9]*\)/n:5000/d:512$|\1|p" all); do
          ranges+="${ranges:+, }{\"dtype\": \"$dtype\", \"bound_ok\": true}"
        done
        echo "$separator{\"name\": \"$impl\", \"verified\": true, \"failure\": null, \"ranges\": [$ranges]}"
      fi
      separator=', '
    done
    echo ']}'
  } >report.json
  "$bench" --all-cases --verified report.json --list >out
}
fail() {
  echo "$1"
  cat report.json out
  exit 1
}
runs() { # runs IMPLEMENTATION DTYPE...: these and no others
  local dtype
  for dtype in f32 f64 bf16 f16; do
    if [[ " ${*:2} " == *" $dtype "* ]]; then
      grep -q "^fill/$1/$dtype/n:5000/d:512$" out || fail "$1 should run in $dtype"
    elif grep -E "^[^ ]*/$1/$dtype/" out; then
      fail "$1 should not run in $dtype"
    fi
  done
}
says() { # says LINE
  grep -qxF -- "$1" out || fail "this should be said: $1"
}

f32='{"dtype": "f32", "bound_ok": true}' f64='{"dtype": "f64", "bound_ok": true}'
bf16='{"dtype": "bf16", "bound_ok": true}' f16='{"dtype": "f16", "bound_ok": true}'

report "$f32, $f64, $bf16, $f16"
diff all out || fail "all should run"

report "$f32, $f32, $bf16"
runs "$one" f32 bf16
runs "$two" $others
says "not run: $one/f64: not judged by posenc-verify"
says "not run: $one/f16: not judged by posenc-verify"

report "$f32, $f64, $bf16, {\"dtype\": \"bf16\", \"bound_ok\": false}, $bf16, $f16"
runs "$one" f32 f64 f16
says "not run: $one/bf16: failed verification: beyond its bound"

report "$bf16" # of posenc-verify --dtype bf16
runs "$one" bf16
says "not run: $one/f32: not judged by posenc-verify"

report '{"bound_ok": true}' # as reports were that knew no dtype
runs "$one" f32
says "not run: $one/bf16: not judged by posenc-verify"

report "$f32, $f64, $bf16, $f16" '"verified": false, "failure": "it is wrong"'
runs "$one"
runs "$two" $others
says "not run: $one: failed verification: it is wrong"
! grep "not run: $one/" out || fail "one reason is enough"

# What offers float32 only is not blamed for the rest.
! grep -E 'not run: (.*/)?naive/' all out || fail "naive is blamed for what it does not offer"
echo "ok: verified"
