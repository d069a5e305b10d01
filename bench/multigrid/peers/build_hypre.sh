#!/bin/sh
# Builds hypre with CUDA for amg_bench --peers hypre, from a folder with its sources:
#
#     build_hypre.sh SOURCES PREFIX [ARCHITECTURE [JOBS]]
#
# ARCHITECTURE is as in CMAKE_CUDA_ARCHITECTURES, by default 90-real. It takes some three minutes on 16 cores. Then
# configure spg with -DSPG_CUDA=ON -DSPG_HYPRE=PREFIX. hypre is built without MPI, with a memory pool and its own sparse
# products. What is built on the way is in PREFIX-build.
set -eu
[ $# -ge 2 ] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 2; }
sources=$1 prefix=$2 architecture=${3:-90-real} jobs=${4:-$(getconf _NPROCESSORS_ONLN)}
[ -d "$sources/src" ] && sources=$sources/src
grep -q 'PROJECT_NAME HYPRE' "$sources/CMakeLists.txt" || { echo "$0: $sources has no sources of hypre" >&2; exit 1; }
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac

cmake -S "$sources" -B "$prefix-build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_CUDA_ARCHITECTURES="$architecture" -DHYPRE_ENABLE_CUDA=ON \
    -DHYPRE_ENABLE_MPI=OFF -DHYPRE_ENABLE_UMPIRE=OFF -DHYPRE_ENABLE_DEVICE_MALLOC_ASYNC=ON
cmake --build "$prefix-build" -j "$jobs"
cmake --install "$prefix-build"
strip --strip-debug "$prefix"/lib*/libHYPRE.a
