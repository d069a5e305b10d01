#!/bin/sh
# Builds the fuzz targets in build-fuzz/ with clang and runs each one for some seconds. An input that fails is kept in
# build-fuzz/ and named at the end of the output; fuzz_NAME FILE runs it again.
#
#     sh tests/fuzz/run.sh        # 20 seconds each
#     sh tests/fuzz/run.sh 600
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
seconds=${1:-20}

has_fuzzer()
{
    printf 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n){return d == (void *)n;}\n' |
        clang -fsanitize=fuzzer,address,undefined -x c - -o /dev/null 2>/dev/null
}

need_for_build
need_for_tests
need clang has_command clang
need libclang-rt-dev has_fuzzer
install_missing

build=$root/build-fuzz
CC=clang cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DSPG_FUZZ=ON -DSPG_BUILD_TESTS=ON -DSPG_PEERS=OFF -DSPG_CUDA=OFF \
    -DSPG_THREADS=OFF >/dev/null
cmake --build "$build" -j "$(jobs)" --target fuzz_matrix_market fuzz_csr_check

run_target() # NAME SEED-FOLDERS...
{
    name=$1
    shift
    say "$name, $seconds s"
    mkdir -p "$build/corpus/$name"
    "$build/tests/fuzz/$name" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2048 \
        -malloc_limit_mb=100000 -artifact_prefix="$build/$name-" -print_final_stats=1 -print_funcs=0 -verbosity=0 \
        "$build/corpus/$name" "$@"
}

run_target fuzz_matrix_market "$root/matrices/tiny" "$root/matrices/invalid"
run_target fuzz_csr_check
