#!/usr/bin/env bash
# posenc-verify --exhaustive judges every output. Correctly rounded tables pass, misrounded outputs are reported, and an output that
# the first precision does not decide is decided by a higher one.
#
#   test_exhaustive.sh TOOL
. "$(dirname "${BASH_SOURCE[0]}")/tool.sh"

value() { sed -n "s/^$1=//p" out; }
right() { # right OUTPUTS ARGUMENT...: OUTPUTS are judged for every member, and none is misrounded
  local outputs=$1
  shift
  run --exhaustive "$@"
  [[ $code == 0 && $(value judged) == "$outputs" ]] || fail "'$*' should judge $outputs outputs and find them right"
  grep -q '^misrounded\..*=0$' out && ! grep '^misrounded' out | grep -qv '=0$' || fail "'$*' should misround nothing"
}
wrong() { # wrong ARGUMENT...: some outputs are misrounded, and the first of them are named
  run --exhaustive "$@"
  [[ $code == 1 ]] && grep -qE '^misrounded\..*=[1-9]' out || fail "'$*' should find misrounded outputs"
  grep -qE ': position -?[0-9]+, column [0-9]+: .*nearest' err || fail "'$*' should say which outputs are misrounded"
}

right 4096 --positions 8 # the default shape
right 7070 --d-model 101 --positions=-40:30 --threads 3
right 24 --base 2 --d-model 3 --positions 4294967289:4294967297 --threads 9 # more threads than rows
right 512 --positions 1
[[ $(grep -c '^misrounded\.exact_' out) == $("$tool" --list | grep -cE '^exact_.* runs here ') ]] ||
  fail "every member of exact that runs here should be judged"

wrong --impl float64 --positions 1000000:1000100 # some outputs, by a unit in the last place
wrong --impl explog --positions 4000:4010        # most outputs
wrong --impl recurrence --positions 500:520

# Sines of (2^24 + odd) 2^-100 are 2^-154 of themselves below a midpoint of two floats, which no float64 shows.
midpoints=(--d-model 4 --base 0x1p200 --positions 16777217:16777281)
right 256 "${midpoints[@]}"
(($(value widened) >= 32 && $(value most_bits) >= 256)) || fail "midpoints should need more than the first precision"
if "$tool" --list | grep -qE '^anchored_scalar .* runs here '; then
  wrong --impl anchored_scalar "${midpoints[@]}"
else
  echo "skipped: anchored_scalar: this machine lacks instructions that it needs"
fi
echo "ok: posenc-verify --exhaustive"
