# Read first by the other scripts: an error ends them, -h and --help print their head comment, and $top is the top of the tree.
set -euo pipefail
head_comment() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }
usage() { head_comment >&2; exit 2; }
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  head_comment
  exit 0
fi
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
