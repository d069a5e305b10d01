#!/bin/sh
# The command line of matrix_market_bench.
#
#     test_matrix_market_bench.sh PROGRAM
set -u
# shellcheck source=tests/bench/bench_runs.sh
. "$(dirname -- "$0")/bench_runs.sh"

printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n2 1 -1\n3 3 4\n' >"$folder/lower.mtx"
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n1 2 -1\n3 3 inf\n' >"$folder/upper.mtx"

run 0 "$folder/lower.mtx"
says out "3 x 3, 4 entries"
says out "scanned for faults"
gzip -c "$folder/lower.mtx" >"$folder/packed.mtx.gz"
run 0 "$folder/packed.mtx.gz"
says out "3 x 3, 4 entries"
run 0 --json "$folder/record.jsonl" --lenient "$folder/upper.mtx"
says out "3 x 3, 4 entries"
says err "upper.mtx, line 4: an entry above the diagonal (and 1 more"
[ "$(wc -l <"$folder/err")" -eq 1 ] || { failures=$((failures + 1)); echo "the warning is told more than once"; }
grep -q '"rows": 3, "cols": 3, "nnz": 4,' "$folder/record.jsonl" ||
    { failures=$((failures + 1)); cat "$folder/record.jsonl"; }
run 1 "$folder/upper.mtx"
says err "upper.mtx, line 4: entry (1, 2) is above the diagonal"
run 1 --lenient "$folder/none.mtx"
says err "none.mtx"
run 0 --help
says out "--lenient"
for wrong in "" --leniently "--json" "a.mtx b.mtx"; do
    # shellcheck disable=SC2086
    run 2 $wrong
    says err "Try 'matrix_market_bench --help'."
done
run 2
says err "no file given"
run 2 a.mtx b.mtx
says err "more than one file given: 'b.mtx'"
tells_a_full_disk --help
tells_a_full_disk "$folder/lower.mtx"

[ $failures -eq 0 ]
