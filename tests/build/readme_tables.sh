#!/bin/sh
# readme_tables.sh TREE: tables and pictures in the documents are those of the recorded results, and bench/tables.py makes
# the right ones.
set -eu
tree=$1
python3 -c 'import json' 2>/dev/null || { echo "python3 is not here"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
mkdir -p "$scratch/results/one_cpu" "$scratch/results/other_cpu" "$scratch/results/gpu"

fail() { echo "$*"; exit 1; }

tables() { python3 "$tree/bench/tables.py" --readme "$scratch/README.md" --results "$scratch/results" "$@"; }

record() # matrix product implementation ms limit verified device
{
    printf '{"matrix": "%s", "product": "%s", "implementation": "%s", "place": "host", ' "$1" "$2" "$3"
    printf '"device": "%s", "type": "f64", "ms_median": %s, "limit_ms": %s, "verified": %s}\n' "$7" "$4" "$5" "$6"
}

device_record() # matrix product implementation ms workspace
{
    printf '{"matrix": "%s", "product": "%s", "implementation": "%s", "place": "device", ' "$1" "$2" "$3"
    printf '"device": "A GPU", "type": "f64", "rows": 1000, "products": 12500000, "contraction": 2.5, "limit_ms": 0.5, '
    printf '"ms_median": %s, "work_bytes": %s, "analysis_ms": 0.1, "expand_sort_ms": 0.5, "contract_ms": 0.3, ' "$4" "$5"
    printf '"assemble_ms": 0.1, "verified": true}\n'
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
    device_record grid AA spg 1.25 40000
    device_record grid AA spg-plan 0.5 0
    device_record grid AA cusparse-default 6 5000000
    device_record grid AA cusparse-alg1 5 4000000
    device_record grid AA cusparse-reuse 1 7000000
    device_record grid AA cusparse-again 1.5 7000000
} >"$scratch/results/gpu/spgemm.jsonl"
{
    device_record grid AP spg 1 0
    device_record grid AP spg-paper 2 0
    device_record grid AP spg-reference 6 0
    device_record grid AP cusparse-alg3 4 0
} >"$scratch/results/gpu/paper.jsonl"
device_record fd3d7:32 AP spg 1.25 40000 >"$scratch/results/gpu/growth.jsonl"
{
    device_record hub AA spg 2 30000
    device_record hub AA cusparse-alg1 8 3000000
    device_record hub AP spg 1 20000
} >"$scratch/results/gpu/mixed.jsonl"
{
    device_record grid AP spg 1 16000000
    device_record grid AP spg-plan 0.5 900000000
    device_record grid AA spg 2 15000000 | sed 's/"verified": true/"verified": false/'
} >"$scratch/results/gpu/limit16M.jsonl"

amg_record() # matrix implementation smoother setup_ms rows iterations
{
    printf '{"matrix": "%s", "implementation": "%s", "smoother": "%s", "setup_ms": %s, "rows": %s, ' "$1" "$2" "$3" "$4" "$5"
    printf '"iterations": %s, "place": "host", "device": "A CPU by %s", "type": "f64", "aggregation": "mis2", ' "$6" "$2"
    printf '"max_coarse": 10, "levels": [{"rows": 9}, {"rows": 2}], "operator_complexity": 1.25, "galerkin_ms": 5, '
    printf '"setup_by_steps_ms": 10, "AP_ms": 2, "AP_limit_ms": 0.5, "coarse_ms": 1, "small_levels_ms": 2.5, '
    printf '"update_ms": 2, "solve_ms": 7}\n'
}

{
    amg_record grid spg jacobi 12 9 14
    amg_record grid pyamg jacobi 60 9 15
} >"$scratch/results/one_cpu/amg_setup.jsonl"
{
    amg_record grid:20 spg jacobi 1 400 9
    amg_record grid:10 spg jacobi 1 100 8
    amg_record grid:20 spg l1 1 400 12
    amg_record grid:20 spg chebyshev 1 400 11 | sed 's/"place"/"join": "off", "degree": 3, &/'
} >"$scratch/results/one_cpu/amg_growth.jsonl"

peer_record() # matrix implementation setup_ms solve_ms iterations
{
    printf '{"matrix": "%s", "implementation": "%s", "setup_ms": %s, "solve_ms": %s, "iterations": %s, ' "$1" "$2" "$3" "$4" "$5"
    printf '"place": "device", "device": "device 0, A GPU", "type": "f64", "rows": 9, "level_count": 4, '
    printf '"operator_complexity": 1.5}\n'
}

{
    peer_record grid hypre 30 20 6
    peer_record grid spg 10 10 9
    peer_record grid amgx 10 100 30
    peer_record mesh spg 5 5 8
    peer_record mesh hypre null null 200 # it missed the tolerance
    peer_record mesh amgx 10 10 9
} >"$scratch/results/gpu/amg_peers.jsonl"

draw_record() # phase implementation rows items ms limit
{
    printf '{"weights": "uniform", "phase": "%s", "implementation": "%s", "place": "device", "device": "A GPU", ' "$1" "$2"
    printf '"type": "f64", "rows": %s, "items": %s, "draws": 1000000000, "order": "independent", ' "$3" "$4"
    printf '"uniforms": "random", "ms_median": %s, "limit_ms": %s, "table_bytes": 8000000, "verified": true}\n' "$5" "$6"
}

topics_record() # implementation topics ms [fields]
{
    printf '{"weights": "lda", "phase": "draw", "implementation": "%s", "place": "device", "device": "A GPU", ' "$1"
    printf '"type": "f32", "topics": %s, %s"ms_median": %s, "limit_ms": 1, "verified": true}\n' "$2" "${4:-}" "$3"
}

{
    draw_record build spg-alias 1 1000000 0.05 0.01
    draw_record draw spg-alias 1 1000000 8 1.6
    draw_record draw spg-butterfly 100000 102400000 0.25 0.2
    topics_record read-only 64 2
    topics_record spg-butterfly 64 2.2
    topics_record spg-butterfly-plain 64 44
    topics_record spg-butterfly-table 64 66
    topics_record spg-butterfly 65 3 '"paper": "butterfly", ' # not shown
    topics_record spg-butterfly-plain 128 10 '"paper": "butterfly", '
    topics_record spg-butterfly-table 128 25 '"paper": "butterfly", '
} >"$scratch/results/gpu/sampling.jsonl"
{
    for method in alias monotone; do
        printf '{"paper": "forest", "figure": 9, "implementation": "%s", "place": "device", "device": "A GPU", ' $method
        printf '"draws": 8192, "quadratic_error": 1e-%s, "verified": true}\n' ${#method} # 5 and 8 letters
    done
    printf '{"paper": "forest", "table": 1, "weights": "i20", "implementation": "spg-forest", "place": "device", '
    printf '"device": "A GPU", "maximum": 17, "average": 1.19, "average_32": 3.09, "paper_maximum": 16, '
    printf '"paper_average": 1.23, "paper_average_32": 3.46, "verified": true}\n'
} >"$scratch/results/gpu/sampling_forest.jsonl"

alias_record() # phase method ms split chunks splits sampler draws
{
    printf '{"paper": "alias", "weights": "uniform", "phase": "%s", "implementation": "spg-alias-%s", ' "$1" "$2"
    printf '"place": "device", "device": "A GPU", "items": 10000000, "builder": "psa", "ms_median": %s, ' "$3"
    printf '"split": "%s", "chunks": %s, "splits": %s, "left": 200000, "sampler": "%s", "draws": %s, ' "$4" "$5" "$6" "$7" "$8"
    [ "$3" = null ] && why='"A reason"' verified=false || why=null verified=true
    printf '"why_not": %s, "verified": %s}\n' "$why" "$verified"
}

{
    for phase in build sum tiles split pack; do alias_record $phase psa 0.2 p-ary 1 6 auto 0; done
    alias_record partition psa null p-ary 1 6 auto 0
    alias_record build sweep null p-ary 1 6 auto 0
    alias_record split splits 0.03 p-ary 2 300 auto 0
    alias_record split splits 0.06 binary 2 300 auto 0
    alias_record pack splits 0.1 p-ary 2 300 auto 0
    for way in send fetch; do alias_record $way auto 5 p-ary 1 0 auto 0; done
    alias_record build-alone auto 0.2 p-ary 1 0 auto 0
    alias_record send-build-fetch auto 10 p-ary 1 0 auto 0
    alias_record draw baseline 8 p-ary 1 0 baseline 1000000000
    alias_record draw shared 2 p-ary 1 0 shared 1000000000
    alias_record build shared 0.3 p-ary 1 0 shared 0 # not shown
} >"$scratch/results/gpu/sampling_alias.jsonl"

{
    printf 'before\n<!-- table:host-AP -->\nold\n<!-- end -->\nbetween\n<!-- table:device-AP -->\n<!-- end -->\n'
    for name in summary AA plan mixed limit paper growth; do printf '<!-- table:device-%s -->\n<!-- end -->\n' $name; done
    for name in amg amg-steps amg-growth; do printf '<!-- table:host-%s -->\n<!-- end -->\n' $name; done
    for name in amg-peers draws rows topics figures loads errors builders phases splits transfers samplers; do printf '<!-- table:device-%s -->\n<!-- end -->\n' $name; done
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
<!-- table:device-summary -->

A GPU, f64:

| product | cuSPARSE / spg, mean | least | spg / memory limit, mean | workspace, % of ALG1's |
| --- | ---: | ---: | ---: | ---: |
| A*A | 4.00 | 4.00 | 2.50 | 1 |
| new values, known pattern | 2.00 | 2.00 | 1.00 | - |

<!-- end -->
<!-- table:device-AA -->

A GPU, f64:

| matrix | products | contraction | limit ms | spg ms | peer ms | which | peer / spg | spg / limit | spg work MB | alg1 work MB | work / alg1 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| grid | 12.5M | 2.50 | 0.500 | 1.25 | 5.00 | alg1 | 4.00 | 2.50 | 0.04 | 4 | 0.01 |
| geometric mean |  |  |  |  |  |  | 4.00 | 2.50 |  |  | 0.01 |

<!-- end -->
<!-- table:device-plan -->

A GPU, f64:

| product | spg-plan ms | reuse ms | again ms | reuse / plan | again / plan | plan / limit |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| grid A*A | 0.500 | 1.00 | 1.50 | 2.00 | 3.00 | 1.00 |
| geometric mean |  |  |  | 2.00 | 3.00 | 1.00 |

<!-- end -->
<!-- table:device-mixed -->

A GPU, f64:

| product | products | contraction | limit ms | spg ms | peer ms | which | peer / spg | spg / limit | spg work MB | alg1 work MB | work / alg1 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| hub A*P | 12.5M | 2.50 | 0.500 | 1.00 | - | - | - | 2.00 | 0.02 | - | - |
| hub A*A | 12.5M | 2.50 | 0.500 | 2.00 | 8.00 | alg1 | 4.00 | 4.00 | 0.03 | 3 | 0.01 |
| geometric mean |  |  |  |  |  |  | 4.00 | 2.83 |  |  | 0.01 |

<!-- end -->
<!-- table:device-limit -->

A GPU, f64:

| product | implementation | ms | work MB | verified |
| --- | ---: | ---: | ---: | ---: |
| grid A*P | spg | 1.00 | 16 | yes |
| grid A*P | spg-plan | 0.500 | 900 | yes |
| grid A*A | spg | - | 15 | no |

<!-- end -->
<!-- table:device-paper -->

A GPU, f64:

| product | reference ms | optimised ms | x | automatic ms | x | peer ms | x | which | analysis % | expand, sort % | contract % | assemble % |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| grid A*P | 6.00 | 2.00 | 3.00 | 1.00 | 6.00 | 4.00 | 1.50 | alg3 | 10 | 50 | 30 | 10 |
| average, A*P |  |  | 3.00 |  | 6.00 |  | 1.50 |  |  |  |  |  |
| geometric mean, A*P |  |  | 3.00 |  | 6.00 |  | 1.50 |  |  |  |  |  |

<!-- end -->
<!-- table:device-growth -->

A GPU, f64:

| product | rows | products | spg ms | ps a product | spg / limit | work MB | work bytes a row |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| fd3d7:32 A*P | 1000 | 12.5M | 1.25 | 100 | 2.50 | 0.04 | 40.0 |

<!-- end -->
<!-- table:host-amg -->

A CPU by spg, f64:

| matrix | options | levels | op. complexity | set-up ms | Galerkin % | update ms | set-up / update | iterations | solve ms | PyAMG set-up ms | PyAMG / spg | PyAMG iterations |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| grid | mis2, jacobi | 2 | 1.25 | 12.0 | 50.0 | 2.00 | 6.00 | 14 | 7.00 | 60.0 | 5.00 | 15 |
| geometric mean |  |  |  |  |  |  |  |  |  |  | 5.00 |  |

<!-- end -->
<!-- table:host-amg-steps -->

A CPU by spg, f64:

| matrix | set-up by steps, ms | aggregate | tentative | spectral radius | smooth | transpose | A*P | R*(A*P) | symmetry | coarse | Galerkin % | levels below 10^4 rows % |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| grid | 10.0 | - | - | - | - | - | 2.00, 4.0x | - | - | 1.00 | 50.0 | 25.0 |

<!-- end -->
<!-- table:host-amg-growth -->

A CPU by spg, f64:

| matrix | unknowns | mis2, jacobi | mis2, l1 | mis2, leftovers out, chebyshev of degree 3 |
| --- | ---: | ---: | ---: | ---: |
| grid:10 | 100 | 8 | - | - |
| grid:20 | 400 | 9 | 12 | 11 |

<!-- end -->
<!-- table:device-amg-peers -->

device 0, A GPU, f64:

| matrix | library | levels | op. complexity | set-up ms | solve ms | iterations | together / spg |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| grid | spg | 4 | 1.50 | 10.0 | 10.0 | 9 | 1.00 |
| grid | hypre | 4 | 1.50 | 30.0 | 20.0 | 6 | 2.50 |
| grid | amgx | 4 | 1.50 | 10.0 | 100 | 30 | 5.50 |
| mesh | spg | 4 | 1.50 | 5.00 | 5.00 | 8 | 1.00 |
| mesh | hypre | 4 | 1.50 | - | - | 200 | - |
| mesh | amgx | 4 | 1.50 | 10.0 | 10.0 | 9 | 2.00 |
| geometric mean | hypre |  |  |  |  |  | 2.50 |
| geometric mean | amgx |  |  |  |  |  | 3.32 |

<!-- end -->
<!-- table:device-draws -->

A GPU:

| weights | items | draws | method | order or uniforms | build ms | build / limit | draw ms | 10^9 draws/s | draw / limit | table bytes an item |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| uniform | 10^6 | 10^9 | spg-alias | independent | 0.0500 | 5.00 | 8.00 | 125 | 5.00 | 8.00 |

<!-- end -->
<!-- table:device-rows -->

A GPU:

| weights | rows | items | type | method | ms | limit ms | % of bandwidth |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| uniform | 10^5 | 102M | f64 | spg-butterfly | 0.250 | 0.200 | 80 |

<!-- end -->
<!-- table:device-topics -->

A GPU:

| topics | type | reads alone ms | spg ms | spg / reads | Algorithm 1 ms | Algorithm 4 ms | Algorithm 7 ms | Algorithm 7 / spg | best of the paper's / spg |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| 64 | f32 | 2.00 | 2.20 | 1.10 | 44.0 | - | 66.0 | 30.00 | 20.00 |

<!-- end -->
<!-- table:device-figures -->

A GPU:

| topics | type | limit ms | Algorithm 1 ms | Algorithm 4 ms | Algorithm 7 ms | spg ms | reads alone ms | Algorithm 7 / 1 | Algorithm 7 / 4 | Algorithm 7 / limit | spg / limit |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| 128 | f32 | 1.00 | 10.0 | - | 25.0 | - | - | 2.50 | - | 25.00 | - |

<!-- end -->
<!-- table:device-loads -->

A GPU:

| distribution | method | most | average | average of the slowest of 32 | paper's |
| --- | ---: | ---: | ---: | ---: | ---: |
| i^20 | spg-forest | 17 | 1.19 | 3.09 | 16, 1.23, 3.46 |

<!-- end -->
<!-- table:device-errors -->

A GPU:

| samples | alias | monotone | alias / monotone |
| --- | ---: | ---: | ---: |
| 2^13 | 1.00e-05 | 1.00e-08 | 1000.00 |

<!-- end -->
<!-- table:device-builders -->

A GPU:

| weights | items | psa ms |
| --- | ---: | ---: |
| uniform | 10^7 | 0.200 |

Not measured: build of sweep: A reason.

<!-- end -->
<!-- table:device-phases -->

A GPU:

| weights | items | method | sum ms | tiles ms | partition ms | split ms | pack ms | split and pack ns an item | left % |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| uniform | 10^7 | psa | 0.200 | 0.200 | - | 0.200 | 0.200 | 0.0400 | 2 |

Not measured: partition of psa: A reason.

<!-- end -->
<!-- table:device-splits -->

A GPU:

| items | parts a block | splits | p-ary ms | binary ms | p-ary ns a split | binary ns a split | pack ms |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| 10^7 | 2 | 300 | 0.0300 | 0.0600 | 100 | 200 | 0.100 |

<!-- end -->
<!-- table:device-transfers -->

A GPU:

| items | weights to the device ms | build ms | table to the host ms | all ms | build ns an item | all ns an item |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| 10^7 | 5.00 | 0.200 | 5.00 | 10.0 | 0.0200 | 1.00 |

<!-- end -->
<!-- table:device-samplers -->

A GPU:

| weights | items | draws | baseline | shared | fastest |
| --- | ---: | ---: | ---: | ---: | ---: |
| uniform | 10^7 | 10^9 | 125 | 500 | shared |

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

# Two pictures, of the GPU. The scale of products scale begins at the limit (98 px) and ends at cuSPARSE's 10 times (302 px).
picture=$scratch/results/gpu/speed-f64.svg
[ "$(find "$scratch/results" -name '*.svg' | sort)" = "$scratch/results/gpu/amg-f64.svg
$picture" ] || fail "not two pictures, of the GPU alone"
draws() { grep -q -F -- "$1" "$picture" || fail "the picture lacks $2: $1"; }
draws 'cx="179.2" cy="112.5"' "spg, 2.5 times the limit"
draws 'cx="98.0" cy="123.5"' "spg's plan, at the limit"
draws 'x="297.8" y="108.3"' "cuSPARSE, 10 times the limit"
draws 'x="155.2" y="119.3"' "cuSPARSE's fastest way to new values, reuse, twice the limit"
draws '>4.0x</text>' "how much faster spg is"
draws '@media (prefers-color-scheme: dark)' "colours for a dark page"
! grep -q 'href\|url(\|@import\|@font-face' "$picture" || fail "the picture takes something from elsewhere"
python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$picture" || fail "the picture is not XML"
# The scale of set-ups is from 5 ms (124 px) to 30 (328), that of solves from 5 to 100.
multigrid=$scratch/results/gpu/amg-f64.svg
draws_too() { grep -q -F -- "$1" "$multigrid" || fail "the picture of multigrid lacks $2: $1"; }
draws_too 'cx="202.9" cy="117.5"' "spg's set-up, 10 ms"
draws_too 'x="323.8" y="113.3"' "hypre's set-up, 30 ms"
draws_too '>2.5x</text>' "how much faster spg is in all"
python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$multigrid" || fail "it is not XML"
sed -i 's/>4.0x</>9.9x</' "$picture"
! tables --check 2>"$scratch/message" || fail "a picture that is not of its records passed"
grep -q 'speed-f64.svg: .*; run bench/tables.py' "$scratch/message" || fail "a stale picture is refused without a reason"
tables
tables --check || fail "the picture just drawn is called stale"

record mesh AP spg-plan 1 0.625 true 'A CPU' >>"$scratch/results/one_cpu/spgemm.jsonl"
! tables --check 2>/dev/null || fail "a new result went unnoticed"
echo '{"matrix": 1' >>"$scratch/results/one_cpu/spgemm.jsonl"
! tables 2>"$scratch/message" || fail "a broken line was taken"
grep -q 'one_cpu/spgemm.jsonl:11: ' "$scratch/message" || fail "a broken line is not named: $(cat "$scratch/message")"

python3 "$tree/bench/tables.py" --check
