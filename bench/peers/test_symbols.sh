#!/usr/bin/env bash
# Are sines and cosines of the peers libmvec_* really computed by libmvec, with as many lanes as their instruction set has?
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
for function in sinf cosf; do # the vector ABI's names: e is AVX-512, d is AVX2
  calls "$2" "_ZGVeN16v_$function"
  calls "$3" "_ZGVdN8v_$function"
done
