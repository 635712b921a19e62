#!/usr/bin/env bash
# posenc-verify and the C tests on x86-64 CPUs that lack instruction sets, emulated by qemu-x86_64. The library must never choose what
# the CPU lacks, must refuse it with a clear error, and may not use an illegal instruction. Exit status 77: skipped, with a reason.
#
#   test_old_cpus.sh [--all] BUILD_DIR [CPU]      CPU: one of the list below; --all: more tests, which takes several times as long
#
# qemu-user does not emulate AVX-512, so every CPU of the list lacks it.
set -euo pipefail
all=
[[ ${1:-} != --all ]] || { all=--all; shift; }
if [[ $# -lt 1 || $# -gt 2 || $1 == -* ]]; then
  sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit 0 || exit 2
fi
build=$(cd "$1" && pwd)
verify=$build/verify/posenc-verify

declare -A cpus=(
  [Nehalem]="no AVX"
  [SandyBridge]="AVX, but no AVX2 and no FMA"
  [Haswell,-fma]="AVX2 without FMA"
  [Haswell,-avx2]="FMA without AVX2"
  [max,-xsave]="AVX2 and FMA, which the system has not switched on"
  [Haswell]="AVX2 and FMA, but no AVX-512"
)
declare -A runs=([Haswell]="avx2 fma" [Haswell,-avx2]=fma) # the instruction sets that the CPU can run

skip() { echo "skipped: $1"; exit 77; }
[[ $(uname -m) == x86_64 ]] || skip "this machine is no x86-64"
command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 is missing (Debian package qemu-user)"
! grep -qs '^CMAKE_C_FLAGS:.*-fsanitize' "$build/CMakeCache.txt" || skip "sanitizers do not run under qemu-user"

# These tests take minutes when emulated, and test arithmetic that does not depend on the CPU.
left='stack|exact|references|presets|memory|far_apart'
[[ $all ]] || left+='|elements|table|bits|threads'

if [[ $# == 1 ]]; then # all CPUs, as many at a time as there are cores
  code=0
  printf '%s\n' "${!cpus[@]}" | xargs -P "$(nproc)" -I CPU "${BASH_SOURCE[0]}" $all "$build" CPU || code=1
  exit $code
fi

cpu=$2
[[ ${cpus[$cpu]:-} ]] || { echo "unknown CPU '$cpu'; known: ${!cpus[*]}" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ulimit -c 0 # no core file if a program crashes
run() { # run PROGRAM ARGUMENT...: runs it on that CPU; sets $code, and writes $work/out and $work/err
  code=0
  qemu-x86_64 -cpu "$cpu" "$@" >"$work/out" 2>"$work/err" || code=$?
}
fail() { # prints with one write, as other CPUs may print at the same time
  printf '%s\n' "$cpu (${cpus[$cpu]}): $1; exit code $code, the last lines:" \
    "$(grep -hv 'TCG doesn.t support' "$work/out" "$work/err" | tail -n 20)"
  exit 1
}

# This CPU reports AVX (bit 28), but the system has not enabled it: OSXSAVE (bit 27) must be clear.
if [[ $cpu == *-xsave ]]; then
  run /lib64/ld-linux-x86-64.so.2 --list-diagnostics
  ecx=$(sed -n 's/^x86.cpu_features.features\[0x0\].cpuid\[0x2\]=//p' "$work/out")
  [[ $ecx ]] && (((ecx >> 27 & 3) == 2)) || fail "qemu does not show AVX without OSXSAVE, but ECX ${ecx:-unknown}"
fi

run "$verify" --list
[[ $code == 0 ]] || fail "posenc-verify --list"
list=$(<"$work/out")
forced=0
while read -r name isa state _; do
  [[ $isa != any ]] || continue
  if [[ " ${runs[$cpu]:-} " == *" $isa "* ]]; then
    [[ $state == runs ]] || fail "$name should run here"
    continue
  fi
  [[ $state == not ]] || fail "$name should not be listed as running here"
  run "$verify" --impl "$name"
  [[ $code == 2 && ! -s $work/out ]] && grep -q "$name.*needs $isa" "$work/err" || fail "forcing $name should be refused"
  forced=$((forced + 1))
done <<<"$list"
((forced > 0)) || fail "no implementation was refused, although the CPU lacks what some need"

run "$verify" --threads 1 --rows 16
[[ $code == 0 ]] || fail "posenc-verify"
tests=$(ctest --test-dir "$build" -N -L '^c$' | sed -n 's/^ *Test *#[0-9]*: //p' | grep -vxE "$left") || true
[[ $tests ]] || { code=1; fail "ctest knows no test with the label c"; }
run "$build/verify/tests/test_elements" 1 600
[[ $code == 0 ]] || fail "test_elements 1 600"
for test in $tests; do
  run "$build/verify/tests/test_$test"
  [[ $code == 0 ]] || fail "test_$test"
done
echo "ok: $cpu (${cpus[$cpu]}), $forced implementations refused, tests:" $tests
