#!/bin/sh
# readme_tables.sh TREE: README.md's tables are those of the recorded results, and bench/tables.py makes the right ones.
set -eu
tree=$1
command -v python3 >/dev/null 2>&1 || { echo "python3 is not here"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/results/one_cpu" "$scratch/results/other_cpu"

fail() { echo "$*"; exit 1; }

tables() { python3 "$tree/bench/tables.py" --readme "$scratch/README.md" --results "$scratch/results" "$@"; }

record() # matrix product implementation ms limit verified device
{
    printf '{"matrix": "%s", "product": "%s", "implementation": "%s", "place": "host", ' "$1" "$2" "$3"
    printf '"device": "%s", "type": "f64", "ms_median": %s, "limit_ms": %s, "verified": %s}\n' "$7" "$4" "$5" "$6"
}

{
    record grid AP spg 999 5 true 'A CPU' # measured again below
    record grid AP spg 10 5 true 'A CPU'
    record grid AP spg-plan 5 5 true 'A CPU'
    record grid AP cxsparse 30 5 true 'A CPU'
    record grid AP eigen 20 5 true 'A CPU'
    record mesh AP spg 2.5 0.625 true 'A CPU'
    record some/where/mesh AP cxsparse 20 0.625 true 'A CPU'
    record mesh AP eigen 1 0.625 false 'A CPU' # wrong: no time is shown
    record mesh AA spg 123.4 1 true 'A CPU'
} >"$scratch/results/one_cpu/spgemm.jsonl"
record grid AP spg 0.04567 0.01 true 'Another CPU' >"$scratch/results/other_cpu/spgemm.jsonl"

printf '{"file": "a/b.mtx", "bytes": 2500000, "nnz": 1000, "load_s": 0.01, "count_lines_s": 0.01, "read_s": 0.05}\n' \
    >"$scratch/results/one_cpu/matrix_market.jsonl"

{
    printf 'before\n<!-- table:host-AP -->\nold\n<!-- end -->\nbetween\n<!-- table:device-AP -->\n<!-- end -->\n'
    printf '<!-- table:reading -->\n<!-- end -->\nafter\n'
} >"$scratch/README.md"
cat >"$scratch/expected" <<'EOF'
before
<!-- table:host-AP -->

A CPU, f64:

| matrix | spg ms | spg-plan ms | cxsparse ms | eigen ms | peer / spg | peer / plan | spg / limit |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| grid | 10.0 | 5.00 | 30.0 | 20.0 | 2.00 | 4.00 | 2.00 |
| mesh | 2.50 | - | 20.0 | - | 8.00 | - | 4.00 |
| geometric mean |  |  |  |  | 4.00 | 4.00 | 2.83 |

Another CPU, f64:

| matrix | spg ms | spg-plan ms | peer / spg | peer / plan | spg / limit |
| --- | ---: | ---: | ---: | ---: | ---: |
| grid | 0.0457 | - | - | - | 4.57 |
| geometric mean |  |  | - | - | 4.57 |

<!-- end -->
between
<!-- table:device-AP -->

No measurement is recorded yet.

<!-- end -->
<!-- table:reading -->

| file | MB | entries | lines counted, s | read, s | read / counted |
| --- | ---: | ---: | ---: | ---: | ---: |
| b.mtx | 2.50 | 1000 | 0.0200 | 0.0500 | 2.50 |

<!-- end -->
after
EOF

! tables --check 2>"$scratch/message" || fail "a stale table passed"
grep -q 'run bench/tables.py' "$scratch/message" || fail "a stale table is refused without a reason"
tables
diff "$scratch/expected" "$scratch/README.md" || fail "not the tables of the results"
tables --check || fail "the tables just written are called stale"
record mesh AP spg-plan 1 0.625 true 'A CPU' >>"$scratch/results/one_cpu/spgemm.jsonl"
! tables --check 2>/dev/null || fail "a new result went unnoticed"
echo '{"matrix": 1' >>"$scratch/results/one_cpu/spgemm.jsonl"
! tables 2>"$scratch/message" || fail "a broken line was taken"
grep -q 'one_cpu/spgemm.jsonl:11: ' "$scratch/message" || fail "a broken line is not named: $(cat "$scratch/message")"

python3 "$tree/bench/tables.py" --check
