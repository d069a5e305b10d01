#!/bin/sh
# Compiles kernels as the oldest CUDA that README.md promises would: for compute capability 8.0, with the CUDA core
# libraries (CUB, Thrust) of toolkit 12.8, by the compiler of 12.4, the oldest one that Debian has beside them. Those
# files are compiled that use these libraries or the runtime's newer calls; to PTX, which is half the work.
#
#     sh tests/oldest_cuda.sh           # these files
#     sh tests/oldest_cuda.sh FILE...   # others
#
# The compiler comes from Debian's nvidia-cuda-toolkit (trixie, non-free) by the mirror that apt uses here, the headers
# from PyPI; nothing is installed, all is kept in ${XDG_CACHE_HOME:-~/.cache}/spg. Exit status 77, and a line that says
# why, where they cannot be had.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/spg
toolkit=$cache/cuda-oldest
cccl=12.8.55 runtime=12.4.127 compiler=12.4.131
scratch=''
trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

skip()
{
    printf '\nSKIPPED: kernels by the oldest CUDA: %s\n\n' "$*"
    exit 77
}

# The site of Debian's main archive that apt uses here.
mirror()
{
    # shellcheck disable=SC2016 # apt's variables
    apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(SITE)' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/^\(bookworm\|trixie\) main //p' | head -n 1
}

apt_of_trixie() # WORDS of apt-get...
{
    apt-get -qq -o "Dir::Etc::sourcelist=$scratch/sources.list" -o Dir::Etc::sourceparts=- \
        -o "Dir::State::lists=$scratch/lists" -o APT::Sandbox::User=root "$@"
}

# The folders of a toolkit, from one package and three wheels, without the libraries.
fetch() # MIRROR
{
    cd "$scratch"
    mkdir -p lists/partial new/bin new/nvvm/bin new/nvvm/libdevice new/include
    printf 'deb %s trixie non-free\n' "$1" >sources.list
    apt_of_trixie update >log 2>&1 && apt_of_trixie download nvidia-cuda-toolkit >>log 2>&1 ||
        { tail -n 3 log; skip "nvidia-cuda-toolkit cannot be had"; }
    python3 -m pip -q download --no-deps "nvidia-cuda-cccl-cu12==$cccl" "nvidia-cuda-runtime-cu12==$runtime" \
        "nvidia-cuda-nvcc-cu12==$compiler" >log 2>&1 || { tail -n 3 log; skip "the headers cannot be had"; }
    dpkg -x nvidia-cuda-toolkit_*.deb package
    for wheel in *.whl; do python3 -m zipfile -e "$wheel" wheels; done
    cp -r wheels/nvidia/*/include/. new/include
    tools=package/usr/lib/nvidia-cuda-toolkit
    cp -r $tools/bin/nvcc $tools/bin/crt new/bin
    cp $tools/bin/cicc new/nvvm/bin
    cp $tools/libdevice/* new/nvvm/libdevice
    cp package/usr/bin/cudafe++ package/usr/bin/ptxas package/usr/bin/fatbinary new/bin
    # shellcheck disable=SC2016 # nvcc's variables
    printf '%s\n' 'TOP = $(_HERE_)/..' 'NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice' \
        'PATH += $(TOP)/nvvm/bin:$(_HERE_):' 'INCLUDES += "-I$(TOP)/include"' >new/bin/nvcc.profile
    mv new "$toolkit"
    cd "$root"
}

for program in apt-get dpkg python3 "${CXX:-g++}"; do
    command -v "$program" >/dev/null 2>&1 || skip "there is no $program here"
done
[ "$(uname -m)" = x86_64 ] || skip "only packages of x86_64 are known"
mkdir -p "$cache"
if [ ! -x "$toolkit/bin/nvcc" ]; then
    mirror=$(mirror)
    [ -n "$mirror" ] || skip "apt has no mirror of Debian here"
    scratch=$(mktemp -d "$cache/fetch.XXXXXX")
    fetch "$mirror"
fi

cd "$root"
# shellcheck disable=SC2046 # names without blanks
[ $# -gt 0 ] || set -- $(grep -lE '<(cub|thrust|cuda)/|<cooperative_groups|<cuda_pipeline|launch\.cuh|meeting\.cuh' \
    $(find kernels -name '*.cu' | sort)) kernels/device.cu
printf '%s, %s files for compute_80\n' "$("$toolkit/bin/nvcc" --version | sed -n 's/^Cuda compilation tools, //p')" $#
printf '%s\n' "$@" | xargs -P 2 -I '{}' "$toolkit/bin/nvcc" -ccbin "${CXX:-g++}" -std=c++17 -arch=compute_80 --fmad=false \
    --expt-relaxed-constexpr --extended-lambda -Werror=all-warnings -Iinclude -Isrc -Ikernels -I. -DSPG_WITH_CUDA \
    -DCCCL_DISABLE_NVTX -ptx '{}' -o /dev/null
echo "all compiled"
