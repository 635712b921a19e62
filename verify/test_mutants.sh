#!/usr/bin/env bash
# Tests of the tests: the faults of mutants.inc, put into one implementation at a time, must make posenc-verify or a C
# test fail; and an implementation that crashes must cost posenc-verify nothing but that implementation.
#
#   test_mutants.sh SOURCE_DIR BUILD_DIR [PATTERN]      PATTERN: only mutants of this name, for example 'overrun/*'
#
# BUILD_DIR holds the library, posenc-verify and the tests, all built, and compile_commands.json. A mutant is one row
# of list.inc compiled from a patched copy of impl/ and linked in front of the library's other objects; the tests then
# find it through LD_LIBRARY_PATH.
set -euo pipefail
if [[ $# -lt 2 || $# -gt 3 ]]; then
  sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
source_dir=$(cd "$1" && pwd) build_dir=$(cd "$2" && pwd) only=${3:-*}
verify=$build_dir/verify/posenc-verify
c_tests=(recipes golden api rows growth) # the quick ones first
kinds=(constant swap overrun anchor late)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() { echo "test_mutants: $*" >&2; exit 1; }

# ---- the list

declare -A file_of covered
while IFS=, read -r name file _; do
  file_of[${name#*(}]=${file# }
done < <(grep '^POSENC_IMPL(' "$source_dir/impl/list.inc")
runnable=$("$verify" --list | awk '/ runs here / { print $1 }')

mutants=() # "kind name file implementation number-of-texts" each
searches=() replacements=()
mutant() {
  local kind=$1 name=$2 file=$3 pattern impl matched
  searches+=("$5") replacements+=("$6")
  for pattern in $4; do
    matched=
    for impl in "${!file_of[@]}"; do
      # shellcheck disable=SC2053  # a pattern is meant
      [[ ${file_of[$impl]} == "$pattern" || $impl == $pattern ]] || continue
      matched=1 covered[$kind $impl]=1
      [[ " ${runnable//$'\n'/ } " != *" $impl "* ]] || mutants+=("$kind $name $file $impl $((${#searches[@]} - 1))")
    done
    [[ $matched ]] || die "mutants.inc, $kind $name: '$pattern' is neither an implementation nor a file of list.inc"
  done
}
crash() { mutant "$@"; }
set -f # patterns in the list are not file names
# shellcheck source=mutants.inc
source "$source_dir/verify/mutants.inc"
set +f

missing=0
for impl in "${!file_of[@]}"; do
  for kind in "${kinds[@]}"; do
    [[ ! ${covered[$kind $impl]:-} ]] || continue
    echo "$impl: no fault of kind '$kind'. Add to verify/mutants.inc:" \
      "mutant $kind NAME ${file_of[$impl]} ${file_of[$impl]} 'SEARCH' 'REPLACEMENT'"
    missing=1
  done
done
[[ $missing == 0 ]] || die "every row of list.inc needs a mutant of every kind (${kinds[*]})"

# ---- building

[[ -f $build_dir/compile_commands.json ]] ||
  die "$build_dir has no compile_commands.json: configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
commands=$(sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$build_dir/compile_commands.json" | sed 's/\\\(["\\]\)/\1/g')
library=$(readlink -f "$build_dir/libposenc.so")
soname=$(objdump -p "$library" | awk '/SONAME/ { print $2 }')
mapfile -t needed < <(ldd "$library" | awk '$2 == "=>" { print $3 }')
# A row that is linked in front of these wins.
objcopy --wildcard --weaken-symbol='posenc_kernel_*' "$build_dir/libposenc.a" "$work/rest.a"

compile() { # compile DIR FILE TEXT: DIR/impl/FILE by the command that holds TEXT, into DIR/FILE.o
  local command
  command=$(grep -F -m1 -- "$3" <<<"$commands") || { echo "compile_commands.json does not have $2"; return 1; }
  command=${command%% -o *}
  (cd "$1" && eval "${command//"$source_dir/impl"/"$1/impl"} -w -o $2.o -c impl/$2")
}
row_object() { # row_object DIR IMPL FILE: the row and FILE (if another source) as one object that defines the row alone
  local objects=("$1/${file_of[$2]}.o")
  compile "$1" "${file_of[$2]}" "-DPOSENC_NAME=$2 " || return 1
  if [[ $3 == *.c && $3 != "${file_of[$2]}" ]]; then
    compile "$1" "$3" " -c $source_dir/impl/$3" || return 1
    objects+=("$1/$3.o")
  fi
  "${commands%% *}" -nostdlib -r -o "$1/row_$2.o" "${objects[@]}" || return 1
  objcopy --keep-global-symbol="posenc_kernel_$2" "$1/row_$2.o"
}
link() { # link DIR: the library, with DIR's rows instead of its own
  "${commands%% *}" -shared -Wl,-z,defs -Wl,-soname,"$soname" -o "$1/$soname" "$1"/row_*.o \
    -Wl,--whole-archive "$work/rest.a" -Wl,--no-whole-archive "${needed[@]}"
}
patch() { # patch FILE SEARCH REPLACEMENT
  local text before after
  text=$(<"$1")
  before=${text%%"$2"*} after=${text#*"$2"}
  [[ $before != "$text" ]] || { echo "the search text does not stand in ${1##*/}: $2"; return 1; }
  [[ $after != *"$2"* ]] || { echo "the search text stands in ${1##*/} more than once: $2"; return 1; }
  printf '%s\n' "$before$3$after" >"$1"
}

# ---- one mutant

c_tests_fail() { # c_tests_fail DIR: names the first C test that fails
  local test code
  for test in "${c_tests[@]}"; do
    code=0
    LD_LIBRARY_PATH=$1 timeout 120 "$build_dir/verify/test_$test" >"$1/test.log" 2>&1 || code=$?
    [[ $code != 127 ]] || { cat "$1/test.log" >&2; return 2; }
    [[ $code == 0 ]] || { echo "test_$test"; return 0; }
  done
  return 1
}
verify_fails() { # verify_fails DIR ARGUMENT...: exit code 1 is the only one that speaks of the implementations
  local code=0 dir=$1
  shift
  LD_LIBRARY_PATH=$dir "$verify" --rows 32 "$@" >"$dir/verify.log" 2>&1 || code=$?
  [[ $code -le 1 ]] || { echo "posenc-verify ended with $code"; tail -n 3 "$dir/verify.log"; return 2; } >&2
  [[ $code == 1 ]]
}
judge() { # judge DIR KIND IMPL: prints the verdict, fails when nothing has seen the fault
  local by='' test code=0
  if [[ $2 == SIG* ]]; then
    verify_fails "$1" && grep -qE "^$3 FAILED: crashed: $2 " "$1/verify.log" &&
      grep -q "^$((n_runnable - 1)) of $n_runnable implementations verified" "$1/verify.log" ||
      { echo "NOT REPORTED by posenc-verify as a crash of $3 alone"; tail -n 3 "$1/verify.log"; return 1; }
    echo "reported: $(grep -oE 'crashed: SIG[A-Z]+' "$1/verify.log" | head -n 1), the others verified"
    return 0
  fi
  verify_fails "$1" --impl "$3" || code=$?
  [[ $code -le 1 ]] || { echo "BROKEN: posenc-verify did not run"; return 1; }
  [[ $code == 1 ]] || by=posenc-verify
  code=0
  test=$(c_tests_fail "$1") || code=$?
  [[ $code -le 1 ]] || { echo "BROKEN: the tests did not run"; return 1; }
  by+=${by:+${test:+, }}$test
  [[ $by ]] || { echo "SURVIVED: neither posenc-verify nor a C test sees it"; return 1; }
  echo "caught by $by"
}
run_one() { # run_one NUMBER: the verdict goes to NUMBER/verdict, which begins with the outcome's word
  local kind name file impl texts dir=$work/$1
  read -r kind name file impl texts <<<"${mutants[$1]}"
  mkdir "$dir"
  cp -r "$source_dir/impl" "$dir/impl"
  {
    if ! patch "$dir/impl/$file" "${searches[texts]}" "${replacements[texts]}"; then
      :
    elif ! { row_object "$dir" "$impl" "$file" && link "$dir"; } >"$dir/build.log" 2>&1; then
      echo "BROKEN: the mutant does not build"
      head -n 5 "$dir/build.log"
    else
      judge "$dir" "$kind" "$impl" || true
    fi
  } >"$dir/verdict" 2>&1
  rm -rf "$dir/impl" "$dir"/*.o "$dir/$soname"
  printf '%-18s %-24s %s\n' "$impl" "$kind/$name" "$(<"$dir/verdict")"
}

# ---- all of them

# Unpatched copies of one row, and of all, put together like a mutant: it is the fault that makes the suite fail.
control() { # control NAME IMPL...
  local dir=$work/$1 impl tool test
  shift
  mkdir "$dir"
  cp -r "$source_dir/impl" "$dir/impl"
  for impl in "$@"; do
    row_object "$dir" "$impl" "${file_of[$impl]}"
  done
  link "$dir"
  for tool in "$verify" "${c_tests[@]/#/$build_dir/verify/test_}"; do
    [[ $(LD_LIBRARY_PATH=$dir ldd "$tool") == *"$dir/$soname"* ]] ||
      die "$tool does not take $soname from LD_LIBRARY_PATH: link it dynamically, with a RUNPATH rather than an RPATH"
  done
  ! verify_fails "$dir" || die "posenc-verify fails on an unpatched copy: $(tail -n 3 "$dir/verify.log")"
  ! test=$(c_tests_fail "$dir") || die "$test fails on an unpatched copy: $(tail -n 5 "$dir/test.log")"
}
n_runnable=$(wc -w <<<"$runnable")
control one "${runnable%%$'\n'*}"
# shellcheck disable=SC2086  # one word per implementation
control all $runnable
echo "unpatched copies: pass, $n_runnable implementations"

started=0
for i in "${!mutants[@]}"; do
  # shellcheck disable=SC2053
  [[ ${mutants[i]/ /\/} == $only' '* ]] || continue
  [[ $(jobs -rp | wc -l) -lt $(nproc) ]] || wait -n
  started=$((started + 1))
  run_one "$i" &
done
wait

for impl in "${!file_of[@]}"; do
  [[ " ${runnable//$'\n'/ } " == *" $impl "* ]] || echo "skipped: $impl does not run here, nor do its mutants"
done
[[ $started -gt 0 ]] || die "no mutant matches '$only'"
verdicts=$(cat "$work"/*/verdict)
count() { grep -c "^$1" <<<"$verdicts" || true; }
caught=$(($(count 'caught by') + $(count 'reported:')))
survived=$(count SURVIVED)
seen=$(grep -cE '^(caught by posenc-verify|reported:)' <<<"$verdicts" || true)
echo "mutants: $started in $n_runnable implementations, $caught caught, $survived survived," \
  "$((started - caught - survived)) broken; $seen of them seen by posenc-verify"
[[ $caught == "$started" ]]
