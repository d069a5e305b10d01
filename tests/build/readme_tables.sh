#!/bin/sh
# readme_tables.sh TREE: tables and pictures in the documents are those of the recorded results, and bench/tables.py makes
# the right ones.
set -eu
tree=$1
python3 -c 'import json' 2>/dev/null || { echo "python3 is not here"; exit 77; }
# shellcheck source=tests/build/made_results.sh
. "$tree/tests/build/made_results.sh"

{
    printf 'before\n<!-- table:host-AP -->\nold\n<!-- end -->\nbetween\n<!-- table:device-AP -->\n<!-- end -->\n'
    for name in summary AA plan mixed limit paper growth; do printf '<!-- table:device-%s -->\n<!-- end -->\n' $name; done
    for name in amg amg-steps amg-growth amg-cycles amg-solids; do printf '<!-- table:host-%s -->\n<!-- end -->\n' $name; done
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
<!-- table:host-amg-cycles -->

A CPU by spg, f64:

| matrix | V | K | unsmoothed, V | unsmoothed, K | bytes an unknown | unsmoothed, K |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| grid | 14, 12.0 + 7.00 | 11, 12.0 + 7.00 | - | 15, 6.00 + 7.00 | 200 | 100 |

<!-- end -->
<!-- table:host-amg-solids -->

A CPU by spg, f64:

| matrix | smoother | V | K |
| --- | ---: | ---: | ---: |
| grid | jacobi | 99, 12.0 + 7.00 | 98, 12.0 + 7.00 |
| grid | chebyshev of degree 3, ratio 20 | 40, 12.0 + 7.00 | - |

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
