#!/usr/bin/env bash
# Checks that peers call libmvec for sines and cosines, with all lanes of their instruction set.
#
#   test_symbols.sh NM OBJECT_OF_LIBMVEC_AVX512 OF_LIBMVEC_AVX2 OBJECT_IN_FLOAT64_AVX512 IN_FLOAT64_AVX2 [THE_SAME_OF_ANOTHER_PEER...]
set -euo pipefail
(($# >= 5)) || { sed -n '2,4s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }

calls() { # calls OBJECT SYMBOL
  local symbols
  symbols=$("$nm" --undefined-only --format=just-symbols "$1")
  grep -qx "$2" <<<"$symbols" || { echo "$1 does not call $2; it calls:" >&2; printf '%s\n' "$symbols" >&2; exit 1; }
}
nm=$1
for function in sin cos; do # names of the vector ABI: e is AVX-512, d is AVX2
  calls "$2" "_ZGVeN16v_${function}f"
  calls "$3" "_ZGVdN8v_${function}f"
done
shift 3
while (($# > 0)); do
  for function in sin cos; do
    calls "$1" "_ZGVeN8v_$function"
    calls "$2" "_ZGVdN4v_$function"
  done
  shift 2
done
