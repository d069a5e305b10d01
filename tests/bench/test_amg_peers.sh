#!/bin/sh
# amg_bench --peers on small systems, on the host; or on a device. Skipped where the build has no such peer.
#
#     test_amg_peers.sh PROGRAM [device]
set -u
# shellcheck source=tests/bench/bench_runs.sh
. "$(dirname -- "$0")/bench_runs.sh"
place=${2:-host}

run 2 --peers moon fd2d5:8
says err "--peers: this build has no 'moon'"
run 0 --help
if [ "$place" = device ]; then where='on a device'; else where='on the host'; fi
peers=$(sed -n '/^Peers of this build/,$p' "$folder/out" | grep "$where" | awk '{ print $1 }')
if [ -z "$peers" ]; then
    echo "SKIPPED: this build has no peer of amg_bench $where"
    exit 77
fi
quick="--place $place --reps 2 --warmup 1"
if ! "$bench" $quick fd2d5:8 >"$folder/out" 2>"$folder/err" && grep -q "no context at this place" "$folder/err"; then
    echo "SKIPPED: there is no device"
    exit 77
fi

# Each finds a solution of every system to the tolerance, and is timed.
systems="fd2d5:60 fe3d27:12 solid3d:6"
run 0 $quick --peers all --json "$folder/record.jsonl" $systems
says out "spg's"
for peer in $peers; do
    run 0 $quick --peers "$peer" fd3d7:14
    says out "  $peer: "
    says out "Summary"
done
if has_python; then
    python3 - "$folder/record.jsonl" $peers <<'END_OF_CHECK' || failures=$((failures + 1))
import json, sys
records = [json.loads(line) for line in open(sys.argv[1])]
for matrix in {r["matrix"] for r in records}:
    assert {r["implementation"] for r in records if r["matrix"] == matrix} == {"spg", *sys.argv[2:]}, matrix
for record in (r for r in records if r["implementation"] != "spg"):
    assert record["verified"] is True and 0 < record["iterations"] < 200, record
    assert 0 < record["residual"] <= 1.02e-8, record
    assert 0 < record["setup_min_ms"] <= record["setup_ms"] <= record["setup_max_ms"] and record["solve_ms"] > 0, record
    assert record["level_count"] > 1 and record["operator_complexity"] > 1 < record["grid_complexity"], record
    assert record["version"] and record["settings"], record
assert len(records) == 3 * len(sys.argv[1:]), len(records)
END_OF_CHECK
fi

# A solution that misses the tolerance is found out, and has no time.
run 1 $quick --peers all --max-iterations 2 --json "$folder/short.jsonl" fd2d5:60
says out "after 2 iterations the residual is"
for peer in $peers; do
    grep "\"implementation\": \"$peer\"" "$folder/short.jsonl" | grep '"verified": false' | grep -q '"solve_ms": null' || {
        failures=$((failures + 1))
        echo "$peer: no record of its failure"
    }
done

# Of what they do not have they say so.
run 1 $quick --peers all --type f32 fd2d5:30
says out "it has f64 only"
[ "$place" = device ] || {
    run 2 --place host --peers "$(echo $peers | tr ' ' ,),moon" fd2d5:8
    says err "'moon'"
}
tells_a_full_disk $quick --peers all fd2d5:8

[ $failures -eq 0 ] || echo "$failures faults"
[ $failures -eq 0 ]
