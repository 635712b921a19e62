# The other scripts read this file first: it makes errors end a script, -h and --help print the script's head comment, and $top the
# top of the tree.
set -euo pipefail
trap 'exit 130' INT # Ctrl-C ends a script, whatever its commands make of it
head_comment() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }
usage() { head_comment >&2; exit 2; }
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  head_comment
  exit 0
fi
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# require_known WITH_VALUE WITHOUT ARGUMENT...: refuses an unknown argument before anything is set up or built. The first two are
# patterns, separated by |: options that take a value (--name VALUE or --name=VALUE), and all others.
require_known() {
  local with_value=$1 without=$2 allowed
  shift 2
  while [[ $# -gt 0 ]]; do
    [[ $1 != -h && $1 != --help ]] || { head_comment; exit 0; }
    if [[ $1 == @($with_value) ]]; then
      (($# > 1)) || { echo "${0##*/}: $1 needs a value" >&2; exit 2; }
      shift 2
    elif [[ $1 == @($without) || $1 == @($with_value)=* ]]; then
      shift
    else
      allowed=${with_value:+"${with_value//|/ VALUE, } VALUE, "}${without:+"${without//|/, }, "}
      echo "${0##*/}: unknown argument '$1'; allowed: ${allowed//\*/...}--help" >&2
      exit 2
    fi
  done
}
