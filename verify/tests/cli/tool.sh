# For the tests of tools: a directory of their own to work in, runs of "$tool", and what is expected of them.
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
  head -n 20 out err
  exit 1
}
good() { # good PATTERN ARGUMENT...: exit 0 and PATTERN on standard output
  run "${@:2}"
  [[ $code == 0 ]] && grep -qE -- "$1" out || fail "'${*:2}' should print '$1'"
}
bad() { # bad PATTERN ARGUMENT...: exit 2, PATTERN on standard error, nothing written
  run "${@:2}"
  [[ $code == 2 ]] && grep -qE -- "$1" err || fail "'${*:2}' should be refused with '$1'"
  [[ ! -s out && $(echo *) == "err out" ]] || fail "'${*:2}' is refused, yet wrote results"
}
