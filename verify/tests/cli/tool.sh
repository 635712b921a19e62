# For the tests of tools: a temporary working directory, runs of "$tool", and checks of their results.
set -euo pipefail
tool=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

run() { # runs the tool; sets $code, and writes the files out and err
  code=0
  "$tool" "$@" >out 2>err || code=$?
}
fail() {
  echo "$(basename "$tool"): $1 (exit $code)"
  head -n 20 out err
  exit 1
}
good() { # good PATTERN ARGUMENT...: exits with 0 and prints PATTERN on standard output
  run "${@:2}"
  [[ $code == 0 ]] && grep -qE -- "$1" out || fail "'${*:2}' should print '$1'"
}
unwritten() { # unwritten ARGUMENT...: exits with 2, because standard output cannot be written
  code=0
  "$tool" "$@" 2>err || code=$?
  [[ $code == 2 ]] && grep -q 'cannot write standard output' err || fail "'$*' should report an unwritten result" >&2
}
bad() { # bad PATTERN ARGUMENT...: exits with 2, prints PATTERN on standard error, and writes nothing
  run "${@:2}"
  [[ $code == 2 ]] && grep -qE -- "$1" err || fail "'${*:2}' should be refused with '$1'"
  [[ ! -s out && $(echo *) == "err out" ]] || fail "'${*:2}' is refused, yet wrote results"
}
