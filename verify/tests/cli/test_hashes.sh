#!/usr/bin/env bash
# hashes.inc is what posenc-verify --hashes writes, which hashes a table only if its values are as promised, compared with MPFR.
#
#   test_hashes.sh TOOL FILE
set -euo pipefail
tool=$1 file=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

code=0
"$tool" --hashes >"$work/rows" 2>"$work/err" || code=$?
if [[ $code != 0 ]]; then
  reason=$(grep 'no implementation of the family' "$work/err" | head -n 1) && { echo "skipped: $reason"; exit 77; }
  echo "posenc-verify --hashes ended with $code:"
  cat "$work/err"
  exit 1
fi
diff "$file" "$work/rows" || { echo "hashes.inc is out of date; posenc-verify --hashes >new && mv new verify/hashes.inc"; exit 1; }

echo "ok: hashes.inc"
