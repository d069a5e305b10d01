#!/bin/sh
# cuda_option.sh TREE: AUTO builds for the GPUs of the machine, and nothing where there is none; ON and given architectures
# ask for it anywhere. Without a CUDA compiler, or with one that is too old, SPG_CUDA=ON is refused with the reason, AUTO
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

# Machines with and without GPUs, by an nvidia-smi that prints what a real one would; CUDA is on if the toolkit is then
# tried, which this compiler fails.
sed -i 's/12\.7/12.8/g' "$nvcc"
mkdir "$scratch/tools"
machine() # OUTPUT: of nvidia-smi; "" for a machine without it
{
    rm -rf "$scratch/build" "$scratch/tools/nvidia-smi"
    [ -n "$1" ] || return 0
    printf '#!/bin/sh\necho "%s"\n' "$1" >"$scratch/tools/nvidia-smi"
    chmod +x "$scratch/tools/nvidia-smi"
}
with_compiler() # value [options]
{
    value=$1
    shift
    PATH=$scratch/tools:$PATH configure "$value" -DCMAKE_CUDA_COMPILER="$nvcc" "$@"
}
asked='Failed to find nvcc\|Check for working CUDA compiler\|CUDA compiler identification\|CMAKE_CUDA_COMPILER'
if ! command -v nvidia-smi >/dev/null; then
    for output in "" "No devices were found" "7.5"; do
        machine "$output"
        with_compiler AUTO || fail "SPG_CUDA=AUTO was refused on a machine without a GPU"
        grep -q "CUDA  *off: no GPU of compute capability" "$scratch/log" || fail "AUTO does not say that there is no GPU"
    done
    machine ""
    ! with_compiler ON || fail "SPG_CUDA=ON did not try the compiler"
    grep -q "$asked" "$scratch/log" || fail "SPG_CUDA=ON did not try the compiler"
    machine ""
    ! with_compiler AUTO -DCMAKE_CUDA_ARCHITECTURES=90 || fail "given architectures did not ask for CUDA"
    grep -q "$asked" "$scratch/log" || fail "given architectures did not ask for CUDA"
fi
machine '8.6
9.0
8.6'
! with_compiler AUTO || fail "AUTO did not try the compiler on a machine with GPUs"
grep -q 'CMAKE_CUDA_ARCHITECTURES:STRING=86-real;90-real' "$scratch/build/CMakeCache.txt" ||
    fail "the GPUs here are not those built for"
