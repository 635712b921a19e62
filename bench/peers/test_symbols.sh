#!/usr/bin/env bash
# Checks that the peers libmvec_* call libmvec for sines and cosines, with all lanes of their instruction set.
#
#   test_symbols.sh NM AVX512_OBJECT AVX2_OBJECT
set -euo pipefail
[[ $# == 3 ]] || { sed -n '2,4s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }

calls() { # calls OBJECT SYMBOL
  local symbols
  symbols=$("$nm" --undefined-only --format=just-symbols "$1")
  grep -qx "$2" <<<"$symbols" || { echo "$1 does not call $2; it calls:" >&2; printf '%s\n' "$symbols" >&2; exit 1; }
}
nm=$1
for function in sinf cosf; do # names of the vector ABI: e is AVX-512, d is AVX2
  calls "$2" "_ZGVeN16v_$function"
  calls "$3" "_ZGVdN8v_$function"
done
