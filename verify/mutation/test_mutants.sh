#!/usr/bin/env bash
# Tests of the tests: the faults of mutants.inc, put into one implementation (or the core) at a time, must make
# posenc-verify or a C test fail; and an implementation that crashes must cost posenc-verify nothing but itself.
#
#   test_mutants.sh [--sample] SOURCE_DIR BUILD_DIR [MUTANTS [ROWS]]      patterns: 'overrun/*', 'sleef_*'; of the core: 'core*'
#   EMULATOR="qemu-aarch64 -L DIR -E LD_LIBRARY_PATH=DIR" test_mutants.sh ...      what runs a cross build; fewer tests
#
# BUILD_DIR holds the library, posenc-verify and the tests, all built, and compile_commands.json. A mutant is one row of
# list.inc, or one file of the core, compiled from a patched copy of impl/ and linked with the library's other objects;
# the tests then find it through LD_LIBRARY_PATH. A sample is the first fault of each kind and in each file of impl/; the whole
# list is checked for texts that no longer stand there all the same.
set -euo pipefail
sample=
[[ ${1:-} != --sample ]] || { sample=1; shift; }
if [[ $# -lt 2 || $# -gt 4 ]]; then
  sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
source_dir=$(cd "$1" && pwd) build_dir=$(cd "$2" && pwd) only=${3:-*} only_rows=${4:-*}
read -ra runner <<<"${EMULATOR:-env LD_LIBRARY_PATH=$build_dir}"
verify=("$build_dir/verify/posenc-verify" --rows 16)
c_tests=(elements recipes golden api state bits exact "elements 1 large") # the quick ones first
core_tests=(api refusals presets table state pages threads elements exact memory far_apart signals)
# Emulation is slow, and what is shared with rows that run natively is tested there: one fault of each kind will do.
if [[ ${EMULATOR:-} ]]; then
  # One thread: under qemu-user a fork soon after a thread's end can hang.
  verify=("${verify[0]}" --threads 1 --rows 8)
  core_tests=(api state pages threads)
  c_tests=(recipes golden api pages "exact 1 24 near_midpoints" "exact 1 24 zero_crossings" "elements 1 60")
fi
kinds=(constant swap overrun anchor late)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() { echo "test_mutants: $*" >&2; exit 1; }
libraries=
for word in "${runner[@]}"; do
  [[ $word != LD_LIBRARY_PATH=?* ]] || libraries=${word#*=}
done
[[ $libraries ]] || die "EMULATOR is '$EMULATOR'; it must set LD_LIBRARY_PATH=..., in a word of its own"

# ---- the list

declare -A file_of isa_of covered drawn
while IFS=', ' read -r name file isa _; do
  file_of[${name#*(}]=$file isa_of[${name#*(}]=$isa
done < <(grep '^POSENC_IMPL(' "$source_dir/impl/list.inc")
list=$("${runner[@]}" "${verify[0]}" --list) || die "posenc-verify --list ended with $?"
all_runnable=$(awk '/ runs here / { print $1 }' <<<"$list") isas=$(awk '/ runs here / { print $2 }' <<<"$list")
[[ $all_runnable ]] || die "no implementation runs here"
runs() { [[ $'\n'$all_runnable$'\n' == *$'\n'$1$'\n'* ]]; }

mutants=() # "kind name file implementation number-of-texts" each
searches=() replacements=() in_files=()
sampled() { # sampled KIND FILE: all of them, or in a sample the first of each kind and of each file
  [[ $sample ]] || return 0
  [[ ! ${drawn[$1]:-} || ! ${drawn[$2]:-} ]] && drawn[$1]=1 drawn[$2]=1
}
selected() { # shellcheck disable=SC2053  # patterns are meant
  [[ $1/$2 == $only && $3 == $only_rows ]]
}
mutant() {
  local kind=$1 name=$2 file=$3 texts=${#searches[@]} pattern impl matched
  searches+=("$5") replacements+=("$6") in_files+=("$file")
  for pattern in $4; do
    matched=
    for impl in "${!file_of[@]}"; do
      # shellcheck disable=SC2053
      [[ ${file_of[$impl]} == "$pattern" || $impl == $pattern ]] || continue
      matched=1
      ! { runs "$impl" && selected "$kind" "$name" "$impl" &&
        [[ ! ${EMULATOR:-} || $file == *neon* || ! ${covered[$kind $impl]:-} && " ${kinds[*]} " == *" $kind "* ]] && sampled "$kind" "$file"; } ||
        mutants+=("$kind $name $file $impl $texts")
      covered[$kind $impl]=1
    done
    [[ $matched ]] || die "mutants.inc, $kind $name: '$pattern' is neither an implementation nor a file of list.inc"
  done
}
crash() { mutant "$@"; }
core() {
  local name=$1 file=$2 texts=${#searches[@]} impl=core
  [[ $3 == any ]] || impl=core_$3
  searches+=("$4") replacements+=("$5") in_files+=("$file")
  [[ $'\n'$isas$'\n' != *$'\n'$3$'\n'* ]] || ! selected core "$name" "$impl" || ! sampled core "$file" ||
    mutants+=("core $name $file $impl $texts")
}
set -f # patterns in the list are not file names
# shellcheck source=mutants.inc
source "$source_dir/verify/mutation/mutants.inc"
set +f

missing=0
for impl in "${!file_of[@]}"; do
  for kind in "${kinds[@]}"; do
    [[ ! ${covered[$kind $impl]:-} ]] || continue
    echo "$impl: no fault of kind '$kind'. Add to verify/mutation/mutants.inc:" \
      "mutant $kind NAME ${file_of[$impl]} ${file_of[$impl]} 'SEARCH' 'REPLACEMENT'"
    missing=1
  done
done
[[ $missing == 0 ]] || die "every row of list.inc needs a mutant of every kind (${kinds[*]})"
[[ ${#mutants[@]} -gt 0 ]] || die "no mutant matches '$only' in '$only_rows'"

# shellcheck source=mutants_build.sh
source "$source_dir/verify/mutation/mutants_build.sh"
for i in "${!searches[@]}"; do
  stands "$source_dir/impl/${in_files[i]}" "${searches[i]}" || die "verify/mutation/mutants.inc does not follow the code (see above)"
done
# A fault is one at any optimisation, and with less of it most rows compile in a third of the time.
commands=${commands// -O[23] / -Og }

# ---- one mutant

check() { # check DIR PROGRAM ARGUMENT...: 0 it passes, 1 it fails, 2 it says nothing about the library, and why
  local dir=$1 code=0
  shift
  # The outer redirection is for the shell's own word about a program that a signal has ended.
  { timeout 400 "${runner[@]/#LD_LIBRARY_PATH=/LD_LIBRARY_PATH=$dir:}" "$@" >"$dir/log" 2>&1; } 2>/dev/null || code=$?
  case ${1##*/}:$code in
    *:0) return 0 ;;
    *:124) echo "BROKEN: ${1##*/} did not end" ;;
    posenc-verify:1) return 1 ;;
    posenc-verify:* | *:12[567] | *:137) echo "BROKEN: ${1##*/} ended with $code: $(tail -n 3 "$dir/log")" ;;
    *) return 1 ;;
  esac
  return 2
}
c_test() { # c_test DIR "NAME ARGUMENT..."
  local words
  read -ra words <<<"$2"
  check "$1" "$build_dir/verify/tests/test_${words[0]}" "${words[@]:1}"
}
judge() { # judge DIR KIND NAME IMPL: prints the verdict; the first to see the fault is enough
  local test first=() tests=("${c_tests[@]}") code=0
  if [[ $2 == SIG* ]]; then
    check "$1" "${verify[@]}" || code=$?
    [[ $code != 2 ]] || return 0
    [[ $code == 1 ]] && grep -qE "^$4 FAILED: crashed: $2 " "$1/log" &&
      grep -q "^$((n_all - 1)) of $n_all implementations verified" "$1/log" &&
      echo "reported: $(grep -oE 'crashed: SIG[A-Z]+' "$1/log" | head -n 1), the others verified" ||
      { echo "NOT REPORTED by posenc-verify as a crash of $4 alone"; tail -n 3 "$1/log"; }
    return 0
  fi
  if [[ $2 == core ]]; then
    tests=("${core_tests[@]}")
  else
    check "$1" "${verify[@]}" --impl "$4" || code=$?
    [[ $code != 1 ]] || echo "caught by posenc-verify"
    [[ $code == 0 ]] || return 0
  fi
  for test in "${tests[@]}"; do
    [[ $3 != "${test%% *}" && $3 != "${test%% *}"-* ]] || first=("$test")
  done
  for test in "${first[@]}" "${tests[@]}"; do
    c_test "$1" "$test" || code=$?
    [[ $code != 1 ]] || echo "caught by test_${test%% *}"
    [[ $code == 0 ]] || return 0
  done
  echo "SURVIVED: nothing that was run sees it"
}
run_one() { # run_one NUMBER: the verdict goes to NUMBER/verdict, which begins with the outcome's word
  local kind name file impl texts dir=$work/$1
  read -r kind name file impl texts <<<"${mutants[$1]}"
  mkdir "$dir"
  cp -r "$source_dir/impl" "$dir/impl"
  [[ $name != *-streamed ]] || defines=$streamed
  {
    if ! patch "$dir/impl/$file" "${searches[texts]}" "${replacements[texts]}"; then
      :
    elif ! build "$dir" "$file" "$impl" >"$dir/log" 2>&1; then
      echo "BROKEN: the mutant does not build"
      head -n 5 "$dir/log"
    else
      judge "$dir" "$kind" "$name" "$impl"
    fi
  } >"$dir/verdict" 2>&1
  rm -rf "$dir/impl" "$dir/own" "$dir"/*.[oa] "$dir/$soname"
  printf '%-18s %-24s %s\n' "$impl" "$kind/$name" "$(<"$dir/verdict")"
}

# ---- all of them

# Unpatched copies of one row, of all, and of the core, put together like a mutant: it is the fault that makes the suite
# fail. And no library at all: it is the mutant that is tested, not the library beside the test.
mkdir "$work/nothing"
: >"$work/nothing/$soname"
mapfile -t tests < <(printf '%s\n' "${c_tests[@]}" "${core_tests[@]}" | sort -u)
programs=("${tests[@]%% *}")
for program in "${verify[0]}" "${programs[@]/#/$build_dir/verify/tests/test_}"; do
  code=0
  [[ -x $program ]] || die "$program is missing: build it first"
  "${runner[@]/#LD_LIBRARY_PATH=/LD_LIBRARY_PATH=$work/nothing:}" "$program" >"$work/log" 2>&1 || code=$?
  [[ $code == 127 ]] && grep -qF "$work/nothing/$soname" "$work/log" ||
    die "$program does not take $soname from LD_LIBRARY_PATH: link it dynamically, with a RUNPATH rather than an RPATH"
done
control() { # control NAME FILE IMPL...
  local dir=$work/$1 test code=0
  mkdir "$dir"
  cp -r "$source_dir/impl" "$dir/impl"
  build "$dir" "${@:2}" >"$dir/log" 2>&1 || die "an unpatched copy does not build: $(tail -n 5 "$dir/log")"
  check "$dir" "${verify[@]}" || code=$?
  [[ $code == 0 ]] || die "posenc-verify does not pass on an unpatched copy: $(tail -n 5 "$dir/log")"
  for test in "${tests[@]}"; do
    c_test "$dir" "$test" || code=$?
    [[ $code == 0 ]] || die "test_$test does not pass on an unpatched copy: $(tail -n 5 "$dir/log")"
  done
}
impls=() # those with mutants
for impl in $all_runnable; do
  [[ " ${mutants[*]} " != *" $impl "* ]] || impls+=("$impl")
done
around=() # those with mutants built to write small tables around the caches
for mutant in "${mutants[@]}"; do
  read -r _ name _ impl _ <<<"$mutant"
  [[ $name != *-streamed || " ${around[*]} " == *" ${impl/#core_*/core} "* ]] || around+=("${impl/#core_*/core}")
done
what="${#impls[@]} implementations"
[[ ! $sample ]] || what="a sample of ${#searches[@]} faults: ${#impls[@]} implementations"
controls=()
[[ ${#impls[@]} == 0 ]] || { control one kernel.h "${impls[0]}" & controls+=($!); }
[[ ${#around[@]} == 0 ]] || { defines=$streamed control streamed kernel.h "${around[@]}" & controls+=($!); }
together=("${impls[@]}")
[[ " ${mutants[*]} " != *" core"* ]] || together+=(core) what+=" and the core"
control all kernel.h "${together[@]}" & controls+=($!)
for control in "${controls[@]}"; do
  wait "$control" || exit 1
done
echo "unpatched copies: pass, $what"

n_all=$(wc -w <<<"$all_runnable")
for i in "${!mutants[@]}"; do
  [[ $(jobs -rp | wc -l) -lt $(nproc) ]] || wait -n || true # the verdict counts, and a missing one counts as broken
  run_one "$i" &
done
wait

for impl in "${!file_of[@]}"; do # shellcheck disable=SC2053
  if [[ $impl == $only_rows ]] && ! runs "$impl"; then
    [[ ${isa_of[$impl]} == neon ]] && echo "$impl: needs AArch64, or EMULATOR and a cross build" ||
      echo "skipped: $impl does not run here, nor do its mutants"
  fi
done
verdicts=$(cat "$work"/*/verdict)
count() { grep -cE "^($1)" <<<"$verdicts" || true; }
caught=$(count 'caught by|reported:') survived=$(count SURVIVED) seen=$(count 'caught by posenc-verify|reported:')
echo "mutants: ${#mutants[@]} in $what, $caught caught, $survived survived," \
  "$((${#mutants[@]} - caught - survived)) broken; $seen of them seen by posenc-verify"
[[ $caught == "${#mutants[@]}" ]]
