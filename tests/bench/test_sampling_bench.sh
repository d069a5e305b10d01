#!/bin/sh
# The command line of sampling_bench, its records and plots, on the host; or its runs on a device, skipped where there is
# none.
#
#     test_sampling_bench.sh PROGRAM PLOTS.py [device]
set -u
# shellcheck source=tests/bench/bench_runs.sh
. "$(dirname -- "$0")/bench_runs.sh"
plots=$2

# check_record LINES: each line has every field, a time and a chi-square test that it passed.
check_record() {
    lines=$(wc -l <"$folder/record.jsonl")
    [ "$lines" -eq "$1" ] || { failures=$((failures + 1)); echo "$lines lines recorded, not $1"; }
    has_python || { rm "$folder/record.jsonl"; return; }
    python3 - "$folder/record.jsonl" <<'END' || failures=$((failures + 1))
import json, sys
fields = {"weights", "phase", "implementation", "place", "device", "threads", "type", "rows", "items", "draws", "order",
          "uniforms", "ms_median", "ms_min", "ms_max", "reps", "limit_ms", "draws_per_second", "table_bytes",
          "work_bytes", "chi_square_z", "degrees", "max_error", "verified"}
for line in open(sys.argv[1]):
    record = json.loads(line)
    assert fields <= set(record), fields - set(record)
    assert record["phase"] in ("build", "draw") and record["place"] in ("host", "device")
    assert record["verified"] is True and record["reps"] == 2
    assert 0 < record["ms_min"] <= record["ms_median"] <= record["ms_max"] and record["limit_ms"] > 0
    if record["uniforms"] != "random":
        assert record["chi_square_z"] is None and record["max_error"] < 1
    else:
        assert abs(record["chi_square_z"]) < 5 and record["degrees"] > 0
    if record["phase"] == "build" and record["implementation"].startswith("spg"):
        assert record["work_bytes"] >= record["table_bytes"] > 0
    assert (record["draws_per_second"] is None) == (record["phase"] == "build")
END
    rm "$folder/record.jsonl"
}

# check_alias: the record of --paper alias has every figure's lines; each has a time, or says why not.
check_alias() {
    has_python || return 0
    python3 - "$folder/alias.jsonl" <<'END' || failures=$((failures + 1))
import json, sys
records = [json.loads(line) for line in open(sys.argv[1])]
sizes, device = {10000, 100000}, records[0]["place"] == "device"
for r in records:
    assert r["paper"] == "alias" and r["rows"] == 1
    assert (r["ms_median"] is None) == (r["why_not"] is not None) == (not r["verified"]) == (r["reps"] == 0), r
    assert r["why_not"] is None or len(r["why_not"]) > 20
    if r["phase"] in ("sum", "tiles", "partition", "split", "pack") and r["verified"]:
        assert 0 <= r["ms_min"] <= r["ms_median"] <= r["ms_max"] and 0 <= r["left"] <= r["items"], r
        assert r["left"] == r["items"] or r["builder"] == "psa+", r
found = {(r["weights"], r["items"], r["phase"], r["implementation"].removeprefix("spg-alias-")): r for r in records}
measured = lambda *key: found[key]["verified"]
builders = ("sweep", "psa", "psa-chunked", "psa+")
for weights in ("uniform", "powerlaw:0.5", "powerlaw:1"):
    for items in sizes:
        assert measured(weights, items, "build", "auto")
        for name in builders:
            here = name != ("sweep" if device else "psa-chunked")
            for phase in ("build", "sum", "tiles", "pack"):
                assert measured(weights, items, phase, name) == here, (weights, items, phase, name)
            assert measured(weights, items, "partition", name) == (here and device)
            assert measured(weights, items, "split", name) == (here and not (device and name == "psa+"))
for share in (0.1, 0.3, 0.5, 0.7, 0.9):
    assert measured(f"heavy:{share}", 100000, "build", "psa+")
splits = [r for r in records if r["implementation"] == "spg-alias-splits"]
if device:
    assert len(splits) == 2 * 2 * 7 and all(r["items"] == 100000 and r["verified"] for r in splits)
    assert {r["split"] for r in splits} == {"p-ary", "binary"}
    assert all(r["splits"] == -(-49 // r["chunks"]) + 1 for r in splits)
for items in sizes:
    for way in ("send", "build-alone", "fetch", "send-build-fetch"):
        assert measured("uniform", items, way, "auto") == device
    for weights in ("uniform", "powerlaw:1"):
        for sampler in ("baseline", "sectioned", "limited", "shared"):
            assert measured(weights, items, "draw", sampler) == (device or sampler < "l" or sampler == "sectioned")
END
}

# check_tasks LINES: each has a time, what it took at least, and passed its test; walks and counts one by chi-square.
check_tasks() {
    lines=$(wc -l <"$folder/record.jsonl")
    [ "$lines" -eq "$1" ] || { failures=$((failures + 1)); echo "$lines lines recorded, not $1"; }
    has_python || { rm "$folder/record.jsonl"; return; }
    python3 - "$folder/record.jsonl" <<'END' || failures=$((failures + 1))
import json, sys
found = set()
for line in open(sys.argv[1]):
    record = json.loads(line)
    found.add(record["implementation"])
    assert record["verified"] is True and record["reps"] == 2 and record["limit_ms"] > 0
    assert 0 < record["ms_min"] <= record["ms_median"] <= record["ms_max"]
    assert (record["p"] is None) == (record["phase"] != "walk")
    if record["phase"] == "subset":
        assert record["chi_square_z"] is None
    else:
        assert abs(record["chi_square_z"]) < 5 and record["degrees"] > 0
    if record["phase"] in ("build", "rebuild"):
        assert record["draws"] == 0 and record["draws_per_second"] is None
    else:
        assert record["draws"] > 0 and record["draws_per_second"] > 0
assert found == {"spg-multinomial", "spg-subset", "spg-walk", "spg-walk-second-order", "spg-alias", "spg-alias-rebuild"}
END
    rm "$folder/record.jsonl"
}

finish() {
    [ $failures -eq 0 ] || echo "$failures faults"
    [ $failures -eq 0 ]
    exit
}

# What both places do; $1: how.
run_both() {
    # shellcheck disable=SC2086 # words
    run 0 $1 --items 1000 --draws 200000 --peers none --json "$folder/record.jsonl"
    says out "spg-alias"
    says out "spg-cutpoint"
    check_record 4
    # shellcheck disable=SC2086
    {
        run 0 $1 --items 50 --rows 20000 --method butterfly,alias,forest,cutpoint --peers none
        run 0 $1 --items 4096 --rows 5000 --ragged --type f32 --peers none
        says out "spg-butterfly"
        run 0 $1 --items 2000 --draws 300000 --order grouped --method alias --peers none --json "$folder/record.jsonl"
        check_record 2
        for uniforms in stratified given; do
            run 0 $1 --items 2000 --draws 300000 --uniforms $uniforms --method forest,cutpoint --json "$folder/record.jsonl"
            check_record 4
        done
        for weights in powerlaw:1 powerlaw:0.5 heavy:0.3 i20 mod32 mod64 spikes; do
            run 0 $1 --weights $weights --items 500 --draws 100000 --method alias,forest,cutpoint --peers none
        done
        for builder in sweep psa psa+; do
            run 0 $1 --builder $builder --items 30000 --draws 300000 --method alias --peers none
            run 0 $1 --builder $builder --resolution exact --weights i20 --items 300 --draws 30000 --method alias --peers none
        done
        for task in "--counts --items 3000 --draws 1000000000000" "--counts --rows 300 --items 50 --draws 10000 --type f32" \
            "--subset 50 --items 5000" "--subset 3 --rows 2000 --items 20 --type f32" "--walk 10 --rows 3000 --items 9" \
            "--walk 10 --rows 500 --items 30 --draws 100 --p 0.25 --q 2" "--rebuild --items 3000 --draws 300000" \
            "--rebuild --rows 3000 --items 30 --resolution exact"; do
            run 0 $1 $task --json "$folder/record.jsonl"
        done
        check_tasks 10
        run 0 $1 --lda 40 --rows 200
        says out "spg-butterfly-table"
        run 0 $1 --paper forest --draws 16384 --json "$folder/paper.jsonl"
        says out "Table 1"
        run 0 $1 --paper butterfly --rows 50 --items 32 --json "$folder/paper.jsonl"
        run 0 $1 --paper alias --items 100000 --draws 1000000 --json "$folder/alias.jsonl"
        says out "spg-alias-psa+"
        says out "ms of phases"
        check_alias
        run 0 $1 --paper alias --parts draw --items 10000 --draws 100000
        says out "spg-alias-baseline"
        run 0 $1 --paper alias --parts split,transfer --items 10000 --draws 100000
        grep -q "spg-alias-baseline" "$folder/out" && { failures=$((failures + 1)); echo "a part that was not asked for"; }
        run 0 $1 --builder psa --split binary --chunks 3 --items 30000 --draws 300000 --method alias --peers none
    }
}

if [ "${3:-}" = device ]; then
    device="--place device --reps 2 --warmup 1"
    # shellcheck disable=SC2086
    if ! "$bench" $device --items 1000 --draws 1000 --peers none >"$folder/out" 2>"$folder/err" &&
        grep -q "no context at this place" "$folder/err"; then
        echo "there is no device, or the build has none"
        exit 77
    fi
    run_both "$device"
    # shellcheck disable=SC2086
    run 0 $device --items 100000 --draws 3000000 --peers search --json "$folder/record.jsonl"
    check_record 6
    finish
fi

# Usage.
run 0 --help
says out "--ragged"
says out "powerlaw[:A]"
run 2 --no-such-option
says err "--help"
run 2 --items 5 more
says err "more"
for wrong in --method=best --method=alias,best --method= --place=moon --type=c32 --type=f16 --order=any --uniforms=any --builder=any \
    --resolution=any --sampler=any --split=any --chunks=0 --parts=any --parts=draw,any --cells=0 --cells=x --lda=0 --paper=any --step=0 --peers=nobody --items=0 --items=x \
    --rows=-1 --draws=0 --subset=0 --walk=0 --walk=x --p=0 --q=2000 --reps=0 --warmup=-1 --seed=-1 --threads=0 --threads=4097; do
    run 2 "$wrong"
    says err "${wrong%%=*}"
done

for two in "--counts --rebuild" "--lda 3 --walk 2" "--paper forest --counts" "--lda 4 --paper forest"; do
    # shellcheck disable=SC2086
    run 2 $two
    says err "only one of --counts"
done

quick="--place host --reps 2 --warmup 0 --threads 2"
# shellcheck disable=SC2086
{
    for wrong in nothing missing.mtx powerlaw:x powerlaw:65 powerlaw: heavy:2 heavy:abc; do
        run 1 $quick --weights $wrong
        says err "unknown weights '$wrong'; use uniform, powerlaw[:A]"
    done
    run 0 $quick --weights powerlaw --items 100 --draws 10000 --peers none
    run 1 $quick --items 100 --draws 1000 --json "$folder/missing/record.jsonl"
    says err "cannot be opened"
    [ ! -c /dev/full ] || { run 1 $quick --items 100 --draws 1000 --json /dev/full; says err "/dev/full: "; }
    tells_a_full_disk --help
    tells_version_and_records $quick --items 100 --draws 1000 --peers none
    tells_a_full_disk $quick --items 100 --draws 1000 --peers none
    tells_why_no_device --items 100 --draws 1000 --peers none
    run 1 $quick --items 100 --draws 1000 --method butterfly --peers none
    says err "no method and no peer"
    run 1 $quick --walk 3 --rows 5 --items 6
    says err "--items: 6 edges a node; there are 5 nodes"
    run 1 $quick --walk 3 --rows 5 --items 2 --draws 6
    says err "walkers is 6"
    run 1 $quick --subset 7 --items 6
    says err "k is 7"

    cat >"$folder/rows.mtx" <<END
%%MatrixMarket matrix coordinate real general
3 4 6
1 2 1.5
1 4 3
2 1 2
2 3 1
3 3 1
3 4 1
END
    # Nothing to judge: one item, or one draw, or three.
    run 0 $quick --weights "$folder/rows.mtx" --peers none
    run 0 $quick --items 1 --draws 1000 --json "$folder/one.jsonl"
    says out "spg-alias"
    grep -q WRONG "$folder/out" && { failures=$((failures + 1)); cat "$folder/out"; }
    grep -q '"chi_square_z": null, "degrees": 0' "$folder/one.jsonl" || { failures=$((failures + 1)); cat "$folder/one.jsonl"; }
    run 0 $quick --items 10 --draws 1
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general\n1 9 4\n1 2 1.5\n1 4 3\n1 7 2\n1 9 0" }' >"$folder/one.mtx"
    run 0 $quick --weights "$folder/one.mtx" --draws 20000 --method alias,forest,cutpoint --peers none
}
run_both "$quick"
# shellcheck disable=SC2086
run 0 $quick --items 1000 --draws 100000 --type f32
if has_python; then
    python3 "$plots" "$folder/paper.jsonl" "$folder/alias.jsonl" --out "$folder/plots" >"$folder/out" || failures=$((failures + 1))
    for figure in forest-7 forest-8 forest-9 butterfly-f32 butterfly-f64 alias-pack alias-phases-100000 alias-heavy \
        alias-build-uniform alias-best-powerlaw1; do says out "$figure.svg"; done
    python3 -c 'import sys, xml.dom.minidom
for path in sys.argv[1:]: xml.dom.minidom.parse(path)' "$folder"/plots/*.svg || failures=$((failures + 1))
fi
finish
