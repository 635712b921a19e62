#!/usr/bin/env bash
# The command line of a tool: help, version and list on standard output; a mistake is named on standard error, exits 2, and
# writes nothing.
#
#   test_cli.sh TOOL
set -euo pipefail
tool=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

run() { # run the tool; its exit code in $code, its streams in out and err
  code=0
  "$tool" "$@" >out 2>err || code=$?
}
fail() {
  echo "$(basename "$tool"): $1 (exit $code)"
  head -n 5 out err
  exit 1
}
good() { # good PATTERN ARGUMENT...: exit 0 and PATTERN on standard output
  local pattern=$1
  shift
  run "$@"
  [[ $code == 0 ]] && grep -qE -- "$pattern" out || fail "'$*' should print '$pattern'"
}
bad() { # bad PATTERN ARGUMENT...: exit 2, PATTERN on standard error, nothing written
  local pattern=$1
  shift
  run "$@"
  [[ $code == 2 ]] && grep -qE -- "$pattern" err || fail "'$*' should be refused with '$pattern'"
  [[ ! -s out ]] || fail "'$*' is refused, yet printed results"
  [[ $(echo *) == "err out" ]] || fail "'$*' is refused, yet wrote a file"
}

good '[Uu]sage' --help
good '[0-9]+\.[0-9]+\.[0-9]+' --version
good 'float64' --list
bad 'no-such-flag' --no-such-flag
case $tool in
*posenc-verify)
  bad 'naive.*float64' --impl nonsense --json result.json
  bad 'd-model|d_model' --d-model 0 --json result.json
  bad 'base' --base 1 --json result.json
  bad 'base' --base nan --json result.json
  bad 'base' --base 10000x --json result.json
  bad 'positions' --positions -1 --json result.json
  bad 'rows' --rows nothing --json result.json
  bad 'threads' --threads 0 --json result.json
  bad 'seed' --seed x --json result.json
  bad 'reference.*mpfr' --reference guess --json result.json
  bad 'surplus: cannot be opened' surplus
  bad 'FROM \(5\) must be below TO \(5\)' --positions 5:5
  bad 'base.*number' --exhaustive --base 1e4x
  bad 'd-model.*1048576' --exhaustive --d-model 0
  bad 'compares f32 only' --exhaustive --dtype f64
  bad 'one --impl at most' --exhaustive --impl naive --impl explog
  bad 'writes no JSON' --exhaustive --json result.json
  bad 'only with --exhaustive' --all-members
  bad 'tables are fixed' --hashes --d-model 4
  bad 'not with --exhaustive' --hashes --exhaustive
  ;;
*posenc-bench)
  bad 'transformer' --shape nonsense
  bad 'offset' --offset 3
  bad 'no/such/file' --verified no/such/file
  bad 'benchmark_no_such' --benchmark_no_such=1
  bad 'no benchmark matches' --benchmark_filter=zzz --json result.json
  bad 'cannot write' --shape bert --json no/such/result.json
  ;;
esac
echo "ok: $(basename "$tool")"
