#!/bin/sh
# The command line of spgemm_bench, on the host; or its runs on a device, skipped where there is none.
#
#     test_bench.sh PROGRAM [device]
set -u
# shellcheck source=tests/bench/bench_runs.sh
. "$(dirname -- "$0")/bench_runs.sh"

cat >"$folder/square.mtx" <<END
%%MatrixMarket matrix coordinate real general
4 4 9
1 1 4
2 2 4
3 3 4
4 4 4
1 2 -1
2 1 -1
2 3 -1
3 2 -1
4 3 -1
END
cat >"$folder/wide.mtx" <<END
%%MatrixMarket matrix coordinate real general
2 3 2
1 1 1
2 3 1
END
cat >"$folder/complex.mtx" <<END
%%MatrixMarket matrix coordinate complex general
2 2 3
1 1 1 2
2 2 3 -4
2 1 1 0
END
quick="--place host --reps 2 --warmup 0 --threads 2"

# Each line of the record has every field.
check_record() # LINES
{
    lines=$(wc -l <"$folder/record.jsonl")
    [ "$lines" -ge "$1" ] || { failures=$((failures + 1)); echo "$lines lines recorded, not $1 or more"; }
    has_python || return 0
    python3 - "$folder/record.jsonl" <<'END' || failures=$((failures + 1))
import json, sys
fields = {"matrix": str, "product": str, "implementation": str, "place": str, "device": str, "type": str,
          "threads": int, "rows": int, "cols": int, "nnz_a": int, "nnz_b": int, "products": int, "nnz_c": int,
          "contraction": float, "ms_median": float, "ms_min": float, "ms_max": float, "reps": int,
          "work_bytes": float, "analysis_ms": float, "expand_sort_ms": float, "contract_ms": float,
          "assemble_ms": float, "limit_ms": float, "verified": bool, "max_error": float}
of_spg = {"work_bytes", "analysis_ms", "expand_sort_ms", "contract_ms", "assemble_ms"}
for line in open(sys.argv[1]):
    record = json.loads(line)
    assert set(record) == set(fields), set(record) ^ set(fields)
    for name, kind in fields.items():
        value = record[name]
        is_peer = not record["implementation"].startswith("spg")
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        assert isinstance(value, kind) or (value is None and name in of_spg and is_peer), (name, value)
    assert record["place"] in ("host", "device")
    assert record["verified"] and record["reps"] == 2 and record["max_error"] <= 1
    assert 0 < record["ms_min"] <= record["ms_median"] <= record["ms_max"]
    if record["matrix"] == "square" and record["product"] == "AA":
        assert (record["rows"], record["cols"], record["nnz_a"], record["products"]) == (4, 4, 9, 21), record
END
}

finish() {
    [ $failures -eq 0 ] || echo "$failures faults"
    [ $failures -eq 0 ]
    exit
}

if [ "${2:-}" = device ]; then
    device="--place device --reps 2 --warmup 1"
    if ! "$bench" $device --peers none fd2d5:8 >"$folder/out" 2>"$folder/err" &&
        grep -q "no context at this place" "$folder/err"; then
        echo "there is no device, or the build has none"
        exit 77
    fi
    run 0 $device fd2d5:8
    says out "device to its end of work"
    run 0 $device --json "$folder/record.jsonl" "$folder/square.mtx" ladder:100
    check_record 8
    run 0 $device --peers none --workspace-limit 16M --method auto,paper,thread,warp,cta,global,reference rmat8 arrow:300
    for type in f32 c32 c64; do run 0 $device --type $type fd2d5:20 rmat6; done
    for type in f32 f64 c32 c64; do run 0 $device --product RAP --type $type fd2d5:20 econ:500; done
    says out "R*A*P"
    run 0 $device --paper econ:500
    says out "Table 10"
    if "$bench" --help | grep -q "^Peers in this build:.* cxsparse"; then
        run 0 $device --peers cxsparse fd2d5:20
        says out "works on the host"
    fi
    run 1 $device "$folder/missing.mtx"
    finish
fi

# Usage.
run 0 --help
says out "--workspace-limit"
says out "fd2d5"
run 2
says err "no matrix given"
run 2 --no-such-option fd2d5:8
says err "--help"
for wrong in --type=f16 --threads=0 --threads=4097 --threads=two --reps=0 --warmup=-1 --workspace-limit=3x --workspace-limit=-1 \
    --product=BB --method=best --peers=nobody --place=moon --seed=-1 --keep=9999999999G; do
    run 2 "$wrong" fd2d5:8
    says err "${wrong%%=*}"
done
run 2 --method= --peers=none fd2d5:8
says err "no method and no peer: nothing to measure"
run 2 --product= fd2d5:8
says err "no product: nothing to measure"

tells_a_full_disk --help
tells_version_and_records $quick fd2d5:8
tells_a_full_disk $quick fd2d5:8
tells_why_no_device fd2d5:8

long=$folder/$(printf 'a_long_name_%.0s' 1 2 3 4 5 6 7)
mkdir "$long"
cp "$folder/square.mtx" "$long"
fits_while_it_runs $quick --peers none "$long/square.mtx"

# Matrices that cannot be had.
run 1 $quick "$folder/missing.mtx"
says err "missing.mtx"
run 1 $quick fd9d9
says err "fd9d9"
run 1 $quick "$folder"
echo "no matrix" >"$folder/bad.mtx"
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n1 2 1\n' >"$folder/upper.mtx"
run 1 $quick "$folder/upper.mtx"
says err "above the diagonal"
gzip -c "$folder/square.mtx" >"$folder/packed.mtx.gz"
run 0 $quick --peers none --json "$folder/packed.jsonl" "$folder/packed.mtx.gz"
grep -q '"matrix": "packed"' "$folder/packed.jsonl" || { failures=$((failures + 1)); cat "$folder/packed.jsonl"; }
head -c 50 "$folder/packed.mtx.gz" >"$folder/cut.mtx.gz"
run 1 $quick "$folder/cut.mtx.gz"
says err "cut.mtx.gz: its gzip data are incomplete"
run 0 $quick --lenient "$folder/upper.mtx"
says err "upper.mtx, line 4: an entry above the diagonal"
run 1 $quick "$folder/bad.mtx"
says err "bad.mtx"
run 1 $quick "$folder/wide.mtx"
says out "AA skipped: A*A needs a square A"
says out "AP skipped"
run 1 $quick --type f64 "$folder/complex.mtx"
says err "complex"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e300\n2 2 3\n' >"$folder/large.mtx"
run 0 $quick "$folder/large.mtx"
run 1 $quick --type c32 "$folder/large.mtx"
says err "large.mtx: holds 1e+300, which is past c32"
run 1 $quick --json "$folder/no/such/folder" fd2d5:8
says err "cannot be opened"
[ ! -c /dev/full ] || { run 1 $quick --json /dev/full fd2d5:8; says err "/dev/full: "; }

# What is not known of C's rows is not told.
run 1 $quick --workspace-limit 1 --product AA fd2d5:20
says out "FAILED: SPG_ERROR_MEMORY"
says out "contraction 1.9"
grep -q "rows 0.0" "$folder/out" && { failures=$((failures + 1)); cat "$folder/out"; }

run 1 $quick --workspace-limit 1 fd2d5:20
says out "FAULT"

# What was good is shown though something else was not.
run 1 $quick "$folder/missing.mtx" fd2d5:8
says out "A*P"

# Good runs.
# A name that leaves no room for the size has a line of its own.
name=a_matrix_whose_name_leaves_no_room_for_its_size_on_one_line
cp "$folder/square.mtx" "$folder/$name.mtx"
run 0 $quick --product AA --peers none "$folder/$name.mtx"
grep -qx "$name" "$folder/out" || { failures=$((failures + 1)); cat "$folder/out"; }
says out "  4 x 4, 9 entries (f64"
run 0 $quick "$folder/square.mtx" "$folder/wide.mtx"
says out "square   4 x 4, 9 entries"
says out "memory limit"
says out "geometric mean, all"
run 0 $quick "$folder/complex.mtx"
says out "c64"
for type in f32 f64 c32 c64; do
    run 0 $quick --type $type fd2d5:20 rmat6
    says out "$type"
done
for type in f32 f64 c32 c64; do
    run 0 $quick --product RAP --type $type fd2d5:20 econ:500 rmat6
    says out "R*A*P   P 400 x"
    says out "geometric mean, RAP"
done
run 0 $quick --product RAP --peers none --method auto,paper,global --json "$folder/rap.jsonl" "$folder/square.mtx"
for name in spg spg-plan; do
    grep -q "\"implementation\": \"$name\".*\"AP_ms\": [0-9.]*[1-9].*\"RAP_ms\": [0-9.]*[1-9].*\"RAP_limit_ms\": [0-9]" \
        "$folder/rap.jsonl" || {
        failures=$((failures + 1))
        echo "R*A*P by $name: not each product's time"
    }
done
grep -q '"product": "RAP", "implementation": "spg-plan".*"products": 2[0-9], .*"verified": true' "$folder/rap.jsonl" || {
    failures=$((failures + 1))
    cat "$folder/rap.jsonl"
}
run 0 $quick --method auto,thread,warp,cta,global,reference fe2d9:16 rmat7 empty:10 hypersparse:100 arrow:50 ladder:64
says out "spg-global"
run 0 $quick --paper --peers none fd2d5:20 rmat6
says out "C = A*P, time (ms) and percentage in each phase (Table 10)"
says out "C = A*A, ms and speed-up over the reference method (Table 14)"
says out "spg-paper"
run 0 $quick --threads 1 --peers none --product AA --workspace-limit 64M --keep 0 econ:500
says out "spg-plan"
if grep -q "A\*P" "$folder/out"; then
    echo "--product AA measured A*P"
    failures=$((failures + 1))
fi

# Lists that are given in parts.
run 0 $quick --peers none --product AP --product AA --method paper --method auto fd2d5:10
for part in "  A\*P" "  A\*A" "^  spg-paper  " "^  spg-plan  "; do
    grep -q "$part" "$folder/out" || { failures=$((failures + 1)); echo "$part is not measured"; }
done

# The record: a line for each implementation, with every field.
run 0 $quick --peers none --json "$folder/record.jsonl" fd2d5:10 "$folder/square.mtx"
run 0 $quick --json "$folder/record.jsonl" --product AP tri2d:12
check_record 10

# A record is UTF-8, whatever a file is called: a name that is cut off within a letter, and one in another encoding.
if command -v iconv >/dev/null; then
    # shellcheck disable=SC2046 # numbers
    letters=$(printf '\303\244%.0s' $(seq 40))
    for name in "$letters" "$(printf 'r\344der')" "$(printf '\360\237\214\262')"; do
        cp "$folder/square.mtx" "$folder/$name.mtx"
        "$bench" $quick --peers none --product AA --json "$folder/names.jsonl" "$folder/$name.mtx" >"$folder/out" 2>&1
    done
    iconv -f UTF-8 -t UTF-8 "$folder/names.jsonl" >"$folder/out" 2>"$folder/err" || {
        failures=$((failures + 1))
        cat "$folder/names.jsonl" "$folder/err"
    }
    says out '"matrix": "r\ufffdder"'
    says out "$(printf '"matrix": "\360\237\214\262"')"
fi
finish
