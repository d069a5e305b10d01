#!/bin/sh
# How cost grows with size: A*P and A*A of a 7-point Laplacian on N x N x N grids, from N = 32 to 250.
#
#     sh bench/growth.sh BENCH [FILE] [N]...     BENCH: spgemm_bench; FILE: takes the records (growth.jsonl)
#
# Options for the bench stand in SPGEMM_BENCH_OPTIONS. The largest sizes take 25 GB of memory on the host, for
# verification, and 14 GB on a device.
set -eu
bench=$1
records=${2:-growth.jsonl}
[ $# -lt 2 ] || shift
shift
[ $# -gt 0 ] || set -- 32 48 64 80 101 128 160 200 250
grids=''
for n in "$@"; do grids="$grids fd3d7:$n"; done
# shellcheck disable=SC2086
"$bench" --method auto --peers none --json "$records" ${SPGEMM_BENCH_OPTIONS:-} $grids
