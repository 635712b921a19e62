#!/usr/bin/env bash
# The command line of a tool. Help, version and list are printed on standard output. A mistake is described on standard error, the
# exit status is 2, and nothing is written. The exit status is 2 too if the output cannot be written.
#
#   test_cli.sh TOOL
. "$(dirname "${BASH_SOURCE[0]}")/tool.sh"

good '[Uu]sage' --help
good '[Uu]sage' -h
good "$(basename "$tool") [0-9]+\.[0-9]+\.[0-9]+" --version
bad "unrecognized option '--no-such-flag=1'" --no-such-flag=1
for option in --help --usage --version --list; do
  unwritten "$option" >/dev/full
  unwritten "$option" >&-
done
json=(--json result.json)
case $tool in
*posenc-verify)
  good 'float64' --list
  good ', 1 row$' --positions 1 --impl exact
  bad 'impl nonsense: .*allowed: exact, anchored, naive, .*float64' --impl nonsense "${json[@]}"
  bad 'd-model 0: an integer from 1 to 1048576' --d-model 0
  bad 'base is 0; allowed: finite and > 0' --base 0 "${json[@]}" # and all that the library refuses
  bad 'base 10000x: a number is needed' --base 10000x
  bad 'positions' --positions -1
  bad 'FROM \(5\) must be below TO \(5\)' --positions 5:5
  bad 'times a scale of 1e\+06' --position-scale 1e6
  bad 'preset nonsense: .*paper, marian, .*rothman' --preset nonsense
  bad 'dtype fp16: .*float32, float64, bfloat16, float16' --dtype fp16
  bad 'odd "": .*half_pair, zero|odd : .*half_pair, zero' --odd ""
  bad 'rows' --rows nothing
  bad 'threads' --threads 0
  bad 'seed' --seed x
  bad 'surplus: no arguments are taken' surplus
  bad 'compares float32 only' --exhaustive --dtype float64
  bad 'one --impl at most' --exhaustive --impl naive --impl explog
  bad 'writes no JSON' --exhaustive "${json[@]}"
  bad 'not with --quiet' --exhaustive --quiet
  bad 'rows: not with --exhaustive' --exhaustive --rows 4
  bad 'seed: not with --exhaustive' --exhaustive --seed 2
  short=(--positions 64 --d-model 16 --rows 4) long=(--rows 65536)
  ;;
*posenc-bench)
  good 'float64' --list
  good 'fill/explog' --quiet --shape l1 --benchmark_filter=fill/explog --benchmark_min_time=0.0001
  [[ ! -s err ]] || fail "--quiet: standard error should be empty"
  bad 'transformer' --shape nonsense
  bad 'offset 2: a multiple of 4' --offset 2
  bad 'benchmark_no_such' --benchmark_no_such=1
  bad 'there is no case to measure' --benchmark_filter=zzz "${json[@]}"
  bad 'cannot write' --shape bert --json no/such/result.json
  short=(--shape l1 --benchmark_filter=fill/explog --benchmark_min_time=0.0001) long=(--benchmark_min_time=100000)
  ;;
esac

# --json FILE keeps its content until the results are known. A link is written through.
has() { # has CODE CONTENT WHAT: the exit status, how the file begins, and that it is the only one
  [[ $code == "$1" && $(head -c 3 results) == "$2"* && ! -e results.new ]] || fail "$3"
}
printf '%1000000s' old >results
ln -s results link
for name in results link; do
  run "${short[@]}" --json "$name"
  has 0 '{' "results should replace the content of a file"
  [[ $(tail -c 2 results) == '}' && -L link ]] || fail "nothing of the old content should be left"
done
unwritten "${short[@]}" --json results >&-
has 2 '{' "results should not be mixed with standard output"
printf old >results
rm out err # those of the run before say nothing of this one
"$tool" "${long[@]}" --json results >out 2>err &
while ! grep -qs ^posenc out err && kill -0 $!; do sleep 0.05; done # it has begun to work
code=0
kill $! && wait $! || code=$?
has 143 old "a run that is ended should write nothing"
run "${short[@]}" --json /dev/full
[[ $code == 2 ]] && grep -q 'cannot write /dev/full: No space' err || fail "a full device should be reported"
unwritten "${short[@]}" --json - >/dev/full
mkfifo pipe
cat pipe >copy &
run "${short[@]}" --json pipe
wait $!
[[ $code == 0 && $(head -c 1 copy) == '{' && -p pipe ]] || fail "a pipe should get the results"
echo "ok: $(basename "$tool")"
