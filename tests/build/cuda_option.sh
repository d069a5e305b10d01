#!/bin/sh
# cuda_option.sh TREE: without a CUDA compiler, or with one that is too old, SPG_CUDA=ON is refused with the reason, AUTO
# says that it is off, and a value that is none of the three is refused; so is an architecture that is too old.
set -eu
tree=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

fail() { echo "$*"; cat "$scratch/log"; exit 1; }

configure() # value [options]
{
    value=$1
    shift
    CUDACXX=${nvcc:-/nowhere/nvcc} cmake -S "$tree" -B "$scratch/build" -DSPG_BUILD_TESTS=OFF -DSPG_BUILD_BENCH=OFF \
        -DSPG_CUDA="$value" "$@" >"$scratch/log" 2>&1
}

reason='no CUDA compiler found'
[ -e "$tree/kernels/CMakeLists.txt" ] || reason='no CUDA backend'
! configure ON || fail "SPG_CUDA=ON was taken"
grep -q "SPG_CUDA=ON: .*$reason" "$scratch/log" || fail "SPG_CUDA=ON is refused without its reason"
configure AUTO || fail "SPG_CUDA=AUTO was refused"
grep -q "CUDA  *off: .*$reason" "$scratch/log" || fail "SPG_CUDA=AUTO does not say that it is off"
! configure MAYBE || fail "SPG_CUDA=MAYBE was taken"

# Toolkits older than the oldest, by a compiler of which only the version is asked.
[ -e "$tree/kernels/CMakeLists.txt" ] || exit 0
nvcc=$scratch/nvcc
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.7, V12.7.1"\n' >"$nvcc"
chmod +x "$nvcc"
# What CMake itself tries with that compiler is not asked for here.
old() { rm -rf "$scratch/build"; configure "$1" -DCMAKE_CUDA_COMPILER="$nvcc" "-DCMAKE_CUDA_ARCHITECTURES=${2:-80}"; }
! old ON || fail "a toolkit that is too old was taken"
tr -s ' \n' '  ' <"$scratch/log" | grep -q 'is 12.7, and 12.8 or newer is needed' || fail "a toolkit that is too old is refused without its reason"
old AUTO || fail "SPG_CUDA=AUTO was refused for a toolkit that is too old"
grep -q "CUDA  *off: .*12.8 or newer" "$scratch/log" || fail "SPG_CUDA=AUTO does not say that the toolkit is too old"
sed -i 's/12\.7/12.8/g' "$nvcc"
for architecture in 75 all; do
    ! old ON "80;$architecture" || fail "CMAKE_CUDA_ARCHITECTURES=$architecture was taken, and is too old"
    tr -s ' \n' '  ' <"$scratch/log" |
        grep -q "CMake Error at [^ ]* (message): CMAKE_CUDA_ARCHITECTURES=$architecture: .* compute capability 8.0 or" ||
        fail "CMAKE_CUDA_ARCHITECTURES=$architecture is refused without its reason"
done
