#!/bin/sh
# Builds the fuzz targets in build-fuzz/ with clang and runs each one for some seconds, or a number of runs. An input
# that fails is kept in build-fuzz/ and named at the end of the output; fuzz_NAME FILE runs it again.
#
#     sh tests/fuzz/run.sh              # 10 seconds each
#     sh tests/fuzz/run.sh 600
#     sh tests/fuzz/run.sh -runs 10000000 [NAME...]    # these alone
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
limit=-max_total_time=10
if [ "${1:-}" = -runs ]; then
    limit=-runs=$2
    shift 2
elif [ $# -gt 0 ]; then
    limit=-max_total_time=$1
    shift
fi
[ $# -gt 0 ] || set -- matrix_market csr_check product galerkin sampling operations krylov many options

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
    -DSPG_THREADS=OFF -DSPG_OPENMP=OFF >/dev/null
for name; do
    cmake --build "$build" -j "$(jobs)" --target "fuzz_$name"
done

run_target() # NAME LIBFUZZER-OPTIONS-AND-SEED-FOLDERS...
{
    name=fuzz_$1
    shift
    say "$name, $limit"
    mkdir -p "$build/corpus/$name"
    "$build/tests/fuzz/$name" "$limit" -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=100000 \
        -artifact_prefix="$build/$name-" -print_final_stats=1 -print_funcs=0 -verbosity=0 "$build/corpus/$name" "$@"
}

for name; do
    case $name in
        matrix_market) run_target "$name" -max_len=4096 "$root/matrices/tiny" "$root/matrices/invalid" ;;
        product | sampling | operations | krylov | many) run_target "$name" -max_len=256 ;;
        galerkin) run_target "$name" -max_len=320 ;;
        # What the parsers print is of no interest.
        options) run_target "$name" -max_len=256 -close_fd_mask=3 -dict="$root/tests/fuzz/options.dict" ;;
        *) run_target "$name" -max_len=4096 ;;
    esac
done
