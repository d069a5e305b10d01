#!/bin/sh
# cuda_option.sh TREE: without a CUDA compiler, SPG_CUDA=ON is refused with the reason, AUTO says that it is off, and a
# value that is none of the three is refused.
set -eu
tree=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "$*"; cat "$scratch/log"; exit 1; }

configure() # value
{
    CUDACXX=/nowhere/nvcc cmake -S "$tree" -B "$scratch/build" -DSPG_BUILD_TESTS=OFF -DSPG_BUILD_BENCH=OFF \
        -DSPG_CUDA="$1" >"$scratch/log" 2>&1
}

reason='no CUDA compiler found'
[ -e "$tree/kernels/CMakeLists.txt" ] || reason='no CUDA backend'
! configure ON || fail "SPG_CUDA=ON was taken"
grep -q "SPG_CUDA=ON: .*$reason" "$scratch/log" || fail "SPG_CUDA=ON is refused without its reason"
configure AUTO || fail "SPG_CUDA=AUTO was refused"
grep -q "CUDA  *off: .*$reason" "$scratch/log" || fail "SPG_CUDA=AUTO does not say that it is off"
! configure MAYBE || fail "SPG_CUDA=MAYBE was taken"
