#!/bin/sh
# How iterations grow with size: conjugate gradients on a 7-point Laplacian on N x N x N grids, from 10^5 unknowns on,
# with each smoother and each aggregation. AMG_MATRIX names another generator: solid3d with N of 12 to 70, say.
#
#     sh bench/amg_growth.sh BENCH [FILE] [N]...     BENCH: amg_bench; FILE: takes the records (amg_growth.jsonl)
#
# Options for the bench stand in AMG_BENCH_OPTIONS: `--place device`, say, or `--join off` for MIS-2 with leftovers out.
# The largest grid takes about 12 GB of memory on the host. Standard aggregation, which a device does not offer, is left
# out where AMG_AGGREGATIONS names others; so with AMG_SMOOTHERS.
set -eu
bench=$1
records=${2:-amg_growth.jsonl}
[ $# -lt 2 ] || shift
shift
[ $# -gt 0 ] || set -- 46 64 100 159 215
grids=''
for n in "$@"; do grids="$grids ${AMG_MATRIX:-fd3d7}:$n"; done
for aggregation in ${AMG_AGGREGATIONS:-mis2 standard}; do
    for smoother in ${AMG_SMOOTHERS:-jacobi l1 chebyshev}; do
        # shellcheck disable=SC2086
        "$bench" --aggregation "$aggregation" --smoother "$smoother" --reps 1 --warmup 0 --json "$records" \
            ${AMG_BENCH_OPTIONS:-} $grids
    done
done
