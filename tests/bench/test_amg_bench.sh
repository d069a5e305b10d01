#!/bin/sh
# The command line of amg_bench, on the host; or its runs on a device, skipped where there is none.
#
#     test_amg_bench.sh PROGRAM [device]
set -u
# shellcheck source=tests/bench/bench_runs.sh
. "$(dirname -- "$0")/bench_runs.sh"

# The record: a line for each matrix, with every field.
check_record() # LINES
{
    lines=$(wc -l <"$folder/record.jsonl")
    [ "$lines" -eq "$1" ] || { failures=$((failures + 1)); echo "$lines lines recorded, not $1"; }
    has_python || return 0
    python3 - "$folder/record.jsonl" <<'END' || failures=$((failures + 1))
import json, sys
numbers = {"setup_ms", "setup_min_ms", "setup_max_ms", "galerkin_ms", "AP_ms", "RAP_ms", "transpose_ms", "strength_ms",
           "aggregate_ms", "tentative_ms", "spectral_radius_ms", "smooth_ms", "symmetry_ms", "coarse_ms", "update_ms",
           "first_update_ms", "update_vary", "solve_ms", "operator_complexity", "grid_complexity", "residual", "bytes",
           "peak_bytes"}
for line in open(sys.argv[1]):
    record = json.loads(line)
    for name in numbers:
        assert isinstance(record[name], (int, float)) and record[name] >= 0, (name, record[name])
    for name in ("aggregate", "tentative", "spectral_radius", "smooth", "transpose", "AP", "RAP", "symmetry"):
        assert record[name + "_limit_ms"] > 0, name
    assert (record["strength_limit_ms"] is None) == (record["block_size"] == 1), record
    assert record["transpose_limit_ms"] < record["AP_limit_ms"] < record["spectral_radius_limit_ms"], record
    levels = record["levels"]
    assert levels[0] == {"rows": record["rows"], "nnz": record["nnz"]} and len(levels) > 1, levels
    assert all(coarse["rows"] < fine["rows"] for fine, coarse in zip(levels, levels[1:])), levels
    nnz = sum(level["nnz"] for level in levels)
    assert abs(record["operator_complexity"] - nnz / record["nnz"]) < 1e-4, record
    assert record["peak_bytes"] >= record["bytes"], record
    assert record["coarsening_end"] == "small", record
    assert record["converged"] is True and record["verified"] is True
    assert record["residual"] <= 1e-8 and 0 < record["iterations"] < 40 and record["max_error"] <= 1
    assert record["setup_min_ms"] <= record["setup_ms"] <= record["setup_max_ms"]
END
}

finish() {
    [ $failures -eq 0 ] || echo "$failures faults"
    [ $failures -eq 0 ]
    exit
}

many="--max-coarse 20 --update 2"
if [ "${2:-}" = device ]; then
    device="--place device --reps 2"
    if ! "$bench" $device fd2d5:8 >"$folder/out" 2>"$folder/err" &&
        grep -q "no context at this place" "$folder/err"; then
        echo "there is no device, or the build has none"
        exit 77
    fi
    run 0 $device $many --json "$folder/record.jsonl" --levels fd2d5:60 fd3d7:14 solid3d:6
    check_record 3
    for smoother in jacobi l1 chebyshev; do run 0 $device $many --smoother $smoother --join off fe2d9:30; done
    run 0 $device $many --type f32 --tolerance 1e-4 tri2d:40
    run 0 $device $many --vary 0.3 fd3d7:14 solid3d:6
    says out "as fast as set-up"
    run 1 $device --aggregation standard fd2d5:60
    says err "UNSUPPORTED"
    finish
fi

# Usage.
quick="--place host --threads 2 --reps 2 --warmup 0"
run 0 --help
says out "--nullspace"
says out "solid3d"
run 2
says err "no matrix given"
run 2 --no-such-option fd2d5:8
says err "--help"
for wrong in --type=f16 --threads=0 --threads=4097 --place=moon --aggregation=best --strength=some --restriction=none --join=maybe --theta=-1 --block-size=0 --block-size=33 \
    --max-coarse=5000 --max-levels=0 --max-levels=101 --seed=-1 --smoother=gs --sweeps=-1 --sweeps=1001 --degree=0 --degree=1001 --ratio=1 --cycle=w --method=gmres \
    --tolerance=-1 --max-iterations=-1 --update=-1 --vary=-1 --vary=2 --reps=0 --warmup=-1; do
    run 2 "$wrong" fd2d5:8
    says err "${wrong%%=*}"
done

tells_a_full_disk --help
tells_version_and_records $quick fd2d5:8
tells_a_full_disk $quick fd2d5:8
tells_why_no_device fd2d5:8

# Good runs.
run 0 $quick $many --json "$folder/record.jsonl" fd2d5:60 fd3d7:14 solid3d:6
check_record 3
says out "as fast as set-up"
says out "Summary"
rm "$folder/record.jsonl"
run 0 $quick $many --vary 0.3 --json "$folder/record.jsonl" fd3d7:14 solid3d:6
check_record 2
run 0 $quick --levels --history --max-coarse 20 fd2d5:60
says out "spectral radius"
says out "x limit"
says out "     0  6.0"
for aggregation in mis2 standard; do
    for smoother in jacobi l1 chebyshev; do
        run 0 $quick $many --aggregation $aggregation --smoother $smoother --sweeps 2 fd2d5:30 fe3d27:10
    done
done
for method in fcg fgmres bicgstab; do
    run 0 $quick --method $method --restart 10 --json "$folder/krylov.jsonl" fd2d5:40
    says out "converged"
    grep -q "\"method\": \"$method\"" "$folder/krylov.jsonl" || { failures=$((failures + 1)); echo "no record of $method"; }
done
run 0 $quick --rhs 5 --json "$folder/many.jsonl" fd2d5:40
says out '  5 right-hand sides: '
says out ' iterations)'
grep -q '"rhs": 5, "rhs_iterations": [0-9]*, "rhs_at_once_ms": [0-9.]*, "rhs_singly_ms": [0-9.]*,' "$folder/many.jsonl" ||
    { failures=$((failures + 1)); echo "no record of 5 right-hand sides"; }
run 2 $quick --rhs 5 --method fgmres fd2d5:40
run 2 $quick --rhs 5 --cycle k fd2d5:40
says err "--cycle v"
for method in cg standalone fcg fgmres; do
    run 0 $quick --cycle k --unsmoothed --max-coarse 20 --method $method --json "$folder/cycle.jsonl" fd2d5:40
    says out "K-cycles, $method"
done
grep -q '"cycle": "k"' "$folder/cycle.jsonl" || { failures=$((failures + 1)); echo "no record of K-cycles"; }
run 0 $quick --method fgmres --strength classical --theta 0.25 --restriction petrov-galerkin --update 1 \
    --json "$folder/unsymmetric.jsonl" conv2d:40:0.001 recirc2d:40
says out "converged"
for member in '"strength": "classical"' '"restriction": "petrov-galerkin"'; do
    grep -q "$member" "$folder/unsymmetric.jsonl" || { failures=$((failures + 1)); echo "no record of $member"; }
done
for type in c32 c64; do
    run 0 $quick --type $type --update 1 --json "$folder/complex.jsonl" magnet2d:40 magnet3d:12:3 fd2d5:30 solid3d:5
    says out "converged"
    grep -q "\"type\": \"$type\"" "$folder/complex.jsonl" || { failures=$((failures + 1)); echo "no record of $type"; }
done
run 0 $quick --type c64 --precision f32 --update 1 --method fgmres magnet2d:40:2
run 0 $quick --type c64 --method bicgstab conv2d:20
run 0 $quick --strength classical --theta 0.5 --filter --smoother chebyshev aniso2d:40:0.01:30
run 0 $quick --method standalone --join off --max-coarse 20 --theta 0.1 fd2d5:40
run 0 $quick --type f32 --tolerance 1e-4 --unsmoothed --max-coarse 20 fd2d5:40
run 0 $quick --aggregation standard --max-coarse 10 --threads 1 fd2d5:64
says out "4 levels, operator complexity 1.339"

run 0 $quick --max-coarse 20 fd2d5:40
says out "levels below 10^4 rows 100%"
run 0 $quick fd2d5:10
says out "Galerkin 0%, levels below 10^4 rows 100%"
says out "coarsening ended: few rows are left (--max-coarse 500)"
rm -f "$folder/record.jsonl"
run 0 $quick --theta 0.25 --json "$folder/record.jsonl" fd3d7:12
says out "1 levels"
says out "coarsening ended: no node of level 0 has a strong neighbour (--theta 0.25)"
grep -q '"coarsening_end": "uncoupled"' "$folder/record.jsonl" || { failures=$((failures + 1)); echo "no reason recorded"; }
run 0 $quick --max-levels 2 --max-coarse 5 fd2d5:30
says out "coarsening ended: there are enough levels (--max-levels 2)"
run 0 $quick --least-coarsening 100 --max-coarse 5 fd2d5:30
says out "levels shrink too little (--least-coarsening 100)"
run 0 $quick --max-complexity 1 --max-coarse 5 fd2d5:30
says out "operators grow too dense (--max-complexity 1)"

# Candidates from a file.
cat >"$folder/line.mtx" <<'MATRIX'
%%MatrixMarket matrix coordinate real symmetric
6 6 11
1 1 2
2 2 2
3 3 2
4 4 2
5 5 2
6 6 2
2 1 -1
3 2 -1
4 3 -1
5 4 -1
6 5 -1
MATRIX
printf '%%%%MatrixMarket matrix array real general\n6 1\n1\n1\n1\n1\n1\n1\n' >"$folder/ones.mtx"
printf '%%%%MatrixMarket matrix array real general\n5 1\n1\n1\n1\n1\n1\n' >"$folder/short.mtx"
run 0 $quick --max-coarse 2 --nullspace "$folder/ones.mtx" "$folder/line.mtx"
says out "1 candidates"
sed '3s/$/ % the first/' "$folder/ones.mtx" >"$folder/said.mtx"
run 1 $quick --max-coarse 2 --nullspace "$folder/said.mtx" "$folder/line.mtx"
says err "said.mtx, line 3"
run 0 $quick --max-coarse 2 --lenient --nullspace "$folder/said.mtx" "$folder/line.mtx"
says err "said.mtx, line 3: more than its entry needs"
run 1 $quick --nullspace "$folder/short.mtx" "$folder/line.mtx"
says err "candidates of 5 rows, not 6"

# A singular one, with ends that are free.
sed -e 's/^1 1 2$/1 1 1/' -e 's/^6 6 2$/6 6 1/' "$folder/line.mtx" >"$folder/free.mtx"
run 0 $quick --max-coarse 2 --nullspace-projection "$folder/free.mtx"
says out "null space projected"
run 1 $quick --max-coarse 2 "$folder/free.mtx"
says out "SPG_ERROR_INCOMPATIBLE"

# A complex one, with free ends and its null vector; it is told that real ones cannot have complex candidates.
cat >"$folder/ring.mtx" <<'MATRIX'
%%MatrixMarket matrix coordinate complex hermitian
4 4 8
1 1 2 0
2 2 2 0
3 3 2 0
4 4 2 0
2 1 0 1
3 2 0 -1
4 3 -1 0
4 1 -1 0
MATRIX
printf '%%%%MatrixMarket matrix array complex general\n4 1\n1 0\n0 -1\n1 0\n1 0\n' >"$folder/null.mtx"
run 0 $quick --type c64 --max-coarse 2 --nullspace "$folder/null.mtx" --nullspace-projection "$folder/ring.mtx"
says out "null space projected"
run 1 $quick --type c64 --max-coarse 2 --nullspace "$folder/null.mtx" "$folder/ring.mtx"
says out "SPG_ERROR_INCOMPATIBLE"
run 1 $quick --nullspace "$folder/null.mtx" fd2d5:2
says err "complex candidates of a real matrix"
run 1 $quick "$folder/ring.mtx"
says err "use --type c32 or c64"

# Bad ones.
run 1 $quick "$folder/missing.mtx"
says err "missing.mtx"
run 1 $quick --block-size 7 fd2d5:8
says err "block_size"
run 1 $quick --max-iterations 2 --max-coarse 20 fd2d5:60
says out "NOT_CONVERGED"
run 1 $quick --json "$folder/no/such/folder" fd2d5:8
says err "cannot be opened"
[ ! -c /dev/full ] || { run 1 $quick --json /dev/full fd2d5:8; says err "/dev/full: "; }
run 1 $quick "$folder/missing.mtx" fd2d5:8
says out "converged"
finish
