#!/bin/sh
# missing_library.sh TREE: where a library is missing, CMake stops with the name of Debian's package and the options that
# do without it; the library alone needs none but LAPACK.
set -eu
tree=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

fail() { echo "$*"; cat "$scratch/log"; exit 1; }

configure_without() # IGNORED-FOLDERS OPTIONS...
{
    ignored=$1
    shift
    rm -rf "$scratch/build"
    cmake -S "$tree" -B "$scratch/build" -DSPG_CUDA=OFF -DSPG_PEERS=OFF "-DCMAKE_IGNORE_PATH=$ignored" "$@" \
        >"$scratch/log" 2>&1
}

says() { tr -s ' \n' '  ' <"$scratch/log" | grep -qF -e "$1" || fail "not said: $1"; }

headers=/usr/include
suitesparse='/usr/include/suitesparse;/usr/include' # where Debian puts them, and where others do
[ -e /usr/include/cmocka.h ] || { echo "cmocka.h is not in $headers: nothing that could be hidden"; exit 77; }

! configure_without "$headers" || fail "tests without cmocka were configured"
says 'cmocka.h and libcmocka: libcmocka-dev'
says 'zlib.h and libz: zlib1g-dev'
says '-DSPG_BUILD_TESTS=OFF'
! configure_without "$suitesparse" -DSPG_BUILD_TESTS=OFF || fail "benches without SuiteSparse were configured"
says 'apt-get install libsuitesparse-dev'
says '-DSPG_BUILD_BENCH=OFF'
configure_without "$suitesparse" -DSPG_BUILD_TESTS=OFF -DSPG_BUILD_BENCH=OFF || fail "the library alone was refused"
says 'files OFF'
! configure_without "$suitesparse" -DSPG_BUILD_TESTS=OFF -DSPG_BUILD_BENCH=OFF -DSPG_IO=ON ||
    fail "SPG_IO=ON without SuiteSparse was configured"
says '-DSPG_IO=OFF'
# A linker's folders, which are the compiler's own.
folders=$("${CC:-cc}" -print-search-dirs | sed -n 's/^libraries: =//p' | tr ':' '\n' | while read -r folder; do
    (CDPATH='' cd -- "$folder" 2>/dev/null && pwd -L && pwd -P) || true
done | sort -u | tr '\n' ';')
! configure_without "$folders" -DSPG_BUILD_TESTS=OFF -DSPG_BUILD_BENCH=OFF -DSPG_OPENMP=OFF ||
    fail "the library without LAPACK was configured"
says 'liblapack-dev'
