#!/bin/sh
# Builds spgemm_bench in build/ and runs it on a small matrix of this tree and on a generated one. What is missing for
# that is installed through apt, which asks for root; nothing else is changed outside build/.
#
#     sh bench/demo.sh                 # the demonstration
#     sh bench/demo.sh mine.mtx        # the same build on your own matrix, or any arguments of spgemm_bench
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/cmake/setup.sh"

need_for_build
install_missing

build=$root/build
say "Building spgemm_bench in $build"
tests=OFF
! grep -qs SPG_BUILD_TESTS:BOOL=ON "$build/CMakeCache.txt" || tests=ON
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DSPG_BUILD_BENCH=ON -DSPG_BUILD_TESTS=$tests
cmake --build "$build" --target spgemm_bench -j "$(jobs)"

if [ $# -gt 0 ]; then
    say "" "spgemm_bench $*"
    exec "$build/bench/spgemm_bench" "$@"
fi
set -- "$root/matrices/tiny/demo.mtx" fd2d5:512 fe3d27:40
say "" "spgemm_bench $*"
"$build/bench/spgemm_bench" "$@"
say "" \
    "What was measured: products of a small matrix from a file (demo, 1925 rows) and of" \
    "two grids of middle size, on this machine. In the last table spg and plan say how" \
    "many times as fast they are as the fastest other library: below 1x another is" \
    "faster. Small products take less time than it takes to share them among threads." \
    "Larger ones gain more, and take minutes and up to 10 GB:" \
    "    $build/bench/spgemm_bench fd2d5 fd3d7 fe3d27 tet3d" \
    "Records of GPUs and of other machines: bench/results/README.md"
