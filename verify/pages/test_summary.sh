#!/usr/bin/env bash
# scripts/summary on small made-up results: shares and their spread, rows that are spread, what failed and what was not
# judged; the tables of posenc-bench --all-cases, of other dtypes, presets and sums; and bad input, which is named and exits 2.
#
#   test_summary.sh
set -euo pipefail
summary=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../scripts" && pwd)/summary
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

python3 - <<'END'
import json

def entry(name, verified, failure, error, *others):
    """others: more ranges, of which nothing but what is judged may be taken."""
    r = {"shape": "d512", "from": 0, "to": 512, "max_abs": error, "ulp_max": 2}
    return {"name": name, "arithmetic": "float32 libm", "summary": f"about {name}", "supported": True,
            "verified": verified, "failure": failure,
            "ranges": [r] * bool(error) + [r | {"max_abs": 0.5, "ulp_max": 0.5} | other for other in others]}

def case(name, times, **more):
    return [{"run_name": name, "run_type": "iteration", "repetition_index": i, "cpu_time": t, "real_time": 2 * t,
             "time_unit": "us", **more} for i, t in enumerate(times)]

def runs(name, times, rows=512, **more):
    return case(f"{name}/n:512/d:100", times, rows=rows, **more)

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

# At 16 and at 0 modulo 64. Per element: the limit 1 ns and 0.8, good 2 ns and 1.25, explog 8, sleef_avx512 6, its _u35,
# which is no peer, 1.6. Half the quartiles' distance is 4 % of the median.
def spread(ns):
    return [0.92 * ns * 1e-3, ns * 1e-3, 1.08 * ns * 1e-3]

here = []
for kind, at, n, per in (("fill", "n:4/d:8", 4, 1), ("fill", "n:2/d:8", 2, 1), ("fill_at", "n:16/d:8", 16, 2),
                         ("row", "d:8/below:32", 100, 4)):
    rows = {"rows": n, "huge_pages": 1.0}
    for impl, ns in (("good", 2), ("explog", 8), ("sleef_avx512", 6), ("sleef_avx512_u35", 1.6), ("wrong", 1)):
        here += case(f"{kind}/{impl}/f32/{at}", spread(ns * per * n * 8), **rows)
    here += case(f"{kind}/good/f32/{at}/offset:0", spread(1.25 * n * 8), **rows)
    if kind != "row":
        here += case(f"limit/store/w:32/{at}", spread(n * 8), **rows)
        here += case(f"limit/stream/w:32/{at}/offset:0", spread(0.8 * n * 8), **rows)
# Two threads, by the clock on the wall, which shows twice the CPU time here: 0.8 and 0.5 ns.
here += case("threads:2/fill/good/f32/n:4/d:8/real_time", spread(0.4 * 32), rows=4)
here += case("threads:2/limit/stream/w:64/n:4/d:8/real_time", spread(0.25 * 32), rows=4)
here += case("plan/good/d:8", spread(128)) + case("plan/explog/d:8", spread(32))
here += case("fresh/malloc_fill/n:4/d:8/real_time", spread(3e6)) + case("fresh/table_create/n:4/d:8/real_time", spread(1e6))
here += case("row/failing/f32/d:8/below:32/offset:0", [1], error_occurred=True, error_message="no memory at 0")
here += case("harness/nothing/n:1/d:1", [1])
caches = [{"type": "Data", "level": 1, "size": 1024}, {"type": "Instruction", "level": 1, "size": 8},
          {"type": "Unified", "level": 2, "size": 1 << 20}]
context = {"offset": "16", "caches": caches, "shape.tiny": "n:4/d:8 base 10000, made up",
           "level.l2": "n:2/d:8 base 10000, a level"}
# Other dtypes, a limit of as many bytes each: 0.4 ns an element of bfloat16, and good 1 ns; of float64 one row of four. What was
# judged in float32 only, explog, has no place here.
def more(name, ns, rows=4):
    return case(name, spread(ns * rows * 8), rows=rows)

for name, ns in (("limit/stream/w:64/bf16", 0.4), ("limit/store/w:64/bf16", 0.5), ("limit/store/w:32/f64", 2),
                 ("fill/good/bf16", 1), ("fill/explog/bf16", 0.7), ("fill/wrong/bf16", 0.6)):
    here += more(f"{name}/n:4/d:8", ns)
here += more("fill/good/f64/n:4/d:8", 400, rows=1)
# Presets, beside the same table of the paper at 2 ns.
for call, preset, ns in (("fill", "whisper", 4), ("fill_pair", "rope", 2.5), ("fill_at_real", "guided_diffusion", 8)):
    for name in ("good", "wrong"):
        here += more(f"{call}/{name}/f32/n:4/d:8/{preset}", ns)
# Sums: the plain loop 1 ns, in place 0.5, of a batch of three 4; at 0 modulo 64 good takes twice as long.
for size, rows, loop, ns in (("n:4/d:8", 4, 1, 1.25), ("n:4/d:8/in_place", 4, 0.5, 1), ("b:3/n:4/d:8", 12, 4, 2)):
    for name, time in (("plain_loop", loop), ("good", ns), ("explog", 8), ("wrong", 0.25)):
        here += more(f"add/{name}/f32/{size}", time, rows)
    for name, time in (("plain_loop", loop), ("good", 2 * loop)):
        here += more(f"add/{name}/f32/{size}/offset:0", time, rows)
json.dump({"context": context, "benchmarks": here}, open("all.json", "w"))
json.dump({"context": context, "benchmarks": [b for b in here if b["run_name"].startswith("add/")]}, open("sums.json", "w"))
json.dump({"context": context, "benchmarks": [b for b in here if b["run_name"].startswith("add/plain")]}, open("loops.json", "w"))
json.dump({"context": context, "benchmarks": [b for b in here if b["run_name"].startswith(("row/", "fresh/"))]},
          open("few.json", "w"))
json.dump({"context": context, "benchmarks": [b for b in here if "limit/" in b["run_name"]]}, open("limits.json", "w"))
json.dump({"schema": 1, "tool": "posenc-verify", "implementations": [
    entry("good", True, None, 1e-4, {"dtype": "bf16"}, {"dtype": "f64"}, {"dtype": "f32", "preset": "rope"}),
    *(entry(name, True, None, 1e-4) for name in ("explog", "sleef_avx512_u35", "sleef_avx512")),
    entry("wrong", False, "beyond its bound", 1e-1)]}, open("verify_all.json", "w"))
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

"$summary" verify_all.json all.json >out
has '^made up: 4 x 8, float32'
has 'one core; output at 16 modulo 64, huge pages; limit: 4\.0 GB/s'
has '^share of the limit, output at 16 modulo 64'
has '^good +50\.0 %$'
has '^good +64\.0 %$'
has '^fill, l2: 2 x 8, a level; note: fits the cache before it, of 1 KiB; limit: 4\.0 GB/s at 16 \(store, .* at 0 \(stream, '
has '^implementation +GB/s +\+- +of limit at 16 +\+- +of limit at 0 +\+- +x sleef_avx512 +\+-$'
has '^good +2\.00 +0\.08 +50\.0 % +2\.8 +64\.0 % +3\.6 +3\.00 +0\.17$' # 3 * 4 % * sqrt(2)
has '^explog +0\.50 +0\.02 +12\.5 % +0\.7 +- +- +0\.750 +0\.042$'
has '^fill_at, 16 random positions .*, d_model 8; limit: 4\.0 GB/s at 16'
has '^good +1\.00 +0\.04 +25\.0 % +1\.4 +64\.0 % +3\.6 +3\.00'
has '^one row at a time, d_model 8, random positions below 32; own fill: .* 2 x 8 table'
has '^good +64\.0 +2\.6 +4\.00 +0\.23 +1\.00 +0\.06 +3\.00'
has '^threads:2, 4 x 8, wall time .*; limit: 8\.0 GB/s at 16 \(stream, 64-byte'
has '^good +5\.00 +0\.20 +62\.5 % +3\.5 +- +- +2\.50 +0\.14$'
has '^a plan made and destroyed, d_model 8; explog rows: .*\(2 x 8 table, 64 in 4\.1 us\)'
has '^good +0\.13 +0\.01 +2\.00 +0\.11$'
has '^a table in fresh memory, 4 x 8, wall time'
has '^table_create +2\.0 +0\.1 +3\.00 +0\.17$'
has '^row/failing/f32/d:8/below:32/offset:0: failed in the benchmark: no memory at 0'
has '^wrong: failed verification: beyond its bound'
has '^good +1\.0e-4 +2\.000' # bfloat16 and presets say nothing about that table
has '^fill, bfloat16, 4 x 8; .* limit: 5\.0 GB/s at 16 \(stream, 64-byte vectors\)$'
has '^implementation +GB/s +\+- +of limit at 16 +\+- +of limit at 0 +\+- +x float32 +\+-$'
has '^good +2\.00 +0\.08 +40\.0 % +2\.3 +- +- +2\.00 +0\.11$' # 40 % * 4 % * sqrt(2)
has '^fill, float64, 4 x 8; .* limit: 4\.0 GB/s at 16 \(store, 32-byte vectors\)$'
has '^good\* +0\.0200 +0\.0008 +0\.5 % +0\.0 +- +- +0\.005 +0\.000$'
has '^explog/bf16: not judged by posenc-verify in this dtype$'
has '^fill, preset whisper, 4 x 8; .* limit: 4\.0 GB/s at 16 .* 5\.0 GB/s at 0'
has '^good +1\.00 +0\.04 +25\.0 % +1\.4 +- +- +0\.500 +0\.028$'
has '^fill_pair, preset rope, 4 x 8, in two arrays; '
has '^good +1\.60 +0\.06 +40\.0 % +2\.3 +- +- +0\.800 +0\.045$'
has '^fill_at_real, preset guided_diffusion, 4 x 8, random real positions; '
has '^good +0\.50 +0\.02 +12\.5 % +0\.7 +- +- +0\.250 +0\.014$'
has '^add, 4 x 8; .*: 4\.0 GB/s at 16, 4\.0 GB/s at 0; in place 8\.0 GB/s at 16, 8\.0 GB/s at 0$'
has '^implementation +GB/s( +\+- +x plain loop at (16|0)){2} +\+- +in place GB/s( +\+- +x plain loop at (16|0)){2} +\+-$'
has '^good +3\.20 +0\.13 +0\.800 +0\.045 +0\.500 +0\.028 +4\.00 +0\.16 +0\.500 +0\.028 +0\.500 +0\.028$'
has '^explog +0\.50 +0\.02 +0\.125 +0\.007 +- +- +0\.50 +0\.02 +0\.062 +0\.004 +- +-$'
has '^add, 3 x 4 x 8; .*: 1\.0 GB/s at 16, 1\.0 GB/s at 0$'
has '^good +2\.00 +0\.08 +2\.00 +0\.11 +0\.500 +0\.028( +-){6}$'
if sed -n '/^fill, bfloat16/,/^$/p' out | grep '^explog '; then
  echo "what was not judged in bfloat16 should not be in its table"
  exit 1
fi
if grep -E 'preset (bf16|f64)' out; then
  echo "a dtype should be no preset"
  exit 1
fi
if grep -E '^plain_loop |^w:' out; then
  echo "what others are held against should be no row of a table"
  exit 1
fi
if sed -n '/^share of/,$p' out | grep '^wrong '; then
  echo "what failed verification should be in no further table"
  exit 1
fi
"$summary" verify_all.json few.json >out
has '^one row at a time'
has '^good +64\.0 +2\.6 +- +- '
has '^table_create +2\.0 +0\.1 +3\.00'

"$summary" verify_all.json sums.json >out
has '^good +3\.20 +0\.13 +0\.800'
"$summary" --markdown verify_all.json all.json >out
has '^- \*\*`posenc_add`, .*: 4 x 8: good 0\.800, explog 0\.125; 3 x 4 x 8: good 2\.00, explog 0\.500$'
has '^- \*\*bfloat16\*\*: 4 x 8: good 2\.00 GB/s, 40\.0 % of the limit$'
if "$summary" --markdown verify.json bench.json | grep -E 'posenc_add|bfloat16'; then
  echo "there should be no sentence about what was not run"
  exit 1
fi

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
refused 'no implementation was run' verify_all.json limits.json
refused 'no implementation was run' verify_all.json loops.json
refused 'no implementation was run' --markdown verify_all.json few.json
refused "it has: none" --shape tiny verify_all.json few.json
refused "it has: tiny" --shape huge verify.json bench.json
echo "ok: summary"
