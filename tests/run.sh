#!/bin/sh
# Builds the tests in build/ and runs them all. What is missing for that is installed through apt, which asks for root;
# nothing else is changed outside build/.
#
#     sh tests/run.sh              # everything
#     sh tests/run.sh -L unit      # any arguments of ctest
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/cmake/setup.sh"

need_for_build
need_for_tests
install_missing

build=$root/build
say "Building the library, the bench and the tests in $build"
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DSPG_BUILD_TESTS=ON -DSPG_BUILD_BENCH=ON
cmake --build "$build" -j "$(jobs)"

cd "$build"
exec ctest -j 2 --output-on-failure --no-tests=error "$@"
