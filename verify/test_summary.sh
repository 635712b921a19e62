#!/usr/bin/env bash
# scripts/summary on small made-up results: shares and their spread, rows that are spread, what failed and what was not
# judged; and bad input, which is named and exits 2.
#
#   test_summary.sh
set -euo pipefail
summary=$(cd "$(dirname "${BASH_SOURCE[0]}")/../scripts" && pwd)/summary
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

python3 - <<'END'
import json

def entry(name, verified, failure, error):
    r = {"shape": "d512", "from": 0, "to": 512, "max_abs": error, "ulp_max": 2}
    return {"name": name, "arithmetic": "float32 libm", "summary": f"about {name}", "supported": True,
            "verified": verified, "failure": failure, "ranges": [r] if error else []}

def runs(name, times, rows=512, **more):
    return [{"run_name": f"{name}/n:512/d:100", "run_type": "iteration", "repetition_index": i, "cpu_time": t,
             "time_unit": "us", "rows": rows, **more} for i, t in enumerate(times)]

# Medians 100 us and 50 us; quartiles 98, 103 and 48.5, 50.5: relative ranges 5 % and 4 %, together 6.4 %.
json.dump({"context": {"shape.tiny": "n:512/d:100 base 10000, made up"},
           "benchmarks": runs("limit/store/w:32", [48, 50.5, 50, 51, 48.5])
           + runs("fill/good/f32", [98, 100, 97, 110, 103])
           + runs("fill/slow/f32", [9e3], rows=128)
           + runs("fill/broken/f32", [1], error_occurred=True, error_message="no memory")},
          open("bench.json", "w"))
json.dump({"schema": 1, "tool": "posenc-verify",
           "implementations": [entry("slow", True, None, 1e-8), entry("good", True, None, 1e-4),
                               entry("wrong", False, "beyond its bound", 1e-1), entry("unseen", False, None, None),
                               entry("broken", True, None, 1e-4)]}, open("verify.json", "w"))
END

has() { # has PATTERN: in the output
  grep -qE -- "$1" out || { echo "the summary should have '$1':"; cat out; exit 1; }
}
"$summary" verify.json bench.json >out
has '^made up: 512 x 100, float32'
has '^good .* 1\.953 +2\.05 +0\.05 +50\.0 % +1\.6$' # 0.5 * 6.4 % / 2
has '^slow +0\.01\*'
has '^\* some rows only, spread over the table'
has '^wrong: failed verification: beyond its bound'
has '^unseen: not judged by posenc-verify'
has '^fill/broken.*: failed in the benchmark: no memory'
has 'at most 1e-6 absolute: slow, the only one'
has 'own float32 rounding: good'

refused() { # refused PATTERN ARGUMENT...: exit 2, one line, no traceback
  local pattern=$1 code=0
  shift
  "$summary" "$@" >out 2>err || code=$?
  [[ $code == 2 && ! -s out ]] && grep -qE -- "$pattern" err && ! grep -q Traceback err ||
    { echo "'$*' should be refused with '$pattern', not $code and:"; cat out err; exit 1; }
}
echo '{"benchmarks": [{"run_name": "fill/x/f32/n:1/d:1", "run_type": "iteration"}]}' >odd.json
echo 'no' >text.json
refused 'no/such' verify.json no/such.json
refused 'not JSON' verify.json text.json
refused 'not a report of posenc-verify' bench.json bench.json
refused 'missing' verify.json odd.json
refused "it has: tiny" --shape huge verify.json bench.json
echo "ok: summary"
