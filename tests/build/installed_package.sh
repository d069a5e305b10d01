#!/bin/sh
# installed_package.sh TREE BUILD: installs what BUILD built, moves it elsewhere, and builds and runs the examples on it:
# by find_package, shared and static, by pkg-config, shared and static, and from projects in C++ and Fortran alone. Every
# example by CMake, by make, and all static; a few in the other ways.
set -eu
tree=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
cd "$scratch"

fail() { echo "$*"; exit 1; }

quietly() { "$@" >log 2>&1 || { cat log; fail "failed: $*"; }; }

needs_libspg() { readelf -d "$1" | grep -q 'NEEDED.*libspg\.so\.[0-9]'; }

prints() { grep -q -- "$2" printed || fail "$1 does not print '$2': $(cat printed)"; }

# Runs the examples of a directory and looks at what they print.
run_examples() # directory
{
    for example in random_walk lda image; do
        "$1/$example" >printed || fail "$1/$example failed: $(cat printed)"
    done
    prints "$1/image" ' times less$'
    "$1/multiply" >printed || fail "$1/multiply failed"
    prints "$1/multiply" 'row 0: (0) -2$'
    prints "$1/multiply" 'row 1: (1) 15$'
    prints "$1/multiply" 'B\*B: SPG_ERROR_SHAPE: .'
    "$1/plan" >printed || fail "$1/plan failed"
    prints "$1/plan" '^First, the coarse diagonal: 2 2 2 2$'
    prints "$1/plan" 'conductivity, the coarse diagonal: 20 20 20 20$'
    "$1/amg" 100 >printed || fail "$1/amg failed: $(cat printed)"
    prints "$1/amg" '^Contrast 10: converged in [0-9]* iterations'
    prints "$1/amg" '^Contrast 1000: converged in [0-9]* iterations'
    "$1/krylov" 101 0 >printed || fail "$1/krylov failed: $(cat printed)"
    prints "$1/krylov" 'in the middle u is 0\.0737$'
    "$1/krylov" 101 >printed || fail "$1/krylov failed: $(cat printed)"
    prints "$1/krylov" '^[0-9]* iterations to [0-9.]*e-0[89] .*in the middle u is 0\.024[0-9]$'
    "$1/solver" >printed || fail "$1/solver failed: $(cat printed)"
    prints "$1/solver" ' 0 left$'
    for example in cuda_multiply cuda_amg; do # built where the toolkit is
        [ -e "$1/$example" ] || continue
        rc=0
        "$1/$example" 20 >printed || rc=$?
        case $rc in
        0) prints "$1/$example" 'the right row sums$\|^Contrast 1000: converged in [0-9]* iterations' ;;
        77) prints "$1/$example" 'no GPU\|no CUDA' ;;
        *) fail "$1/$example failed: $(cat printed)" ;;
        esac
    done
    "$1/handles" >printed || fail "$1/handles failed: $(cat printed)"
    prints "$1/handles" '^[0-9]* levels, [0-9]* iterations$'
    prints "$1/handles" '^coarse\*A: SPG_ERROR_SHAPE: .'
    gzip -c "$tree/matrices/tiny/real_symmetric.mtx" >packed.mtx.gz
    if [ -e "$1/read_matrix" ]; then
        "$1/read_matrix" packed.mtx.gz squared.mtx.gz >printed || fail "$1/read_matrix failed: $(cat printed)"
        gzip -dc squared.mtx.gz | grep -q '^%%MatrixMarket matrix coordinate real general$' || fail "$1/read_matrix wrote no matrix"
        ! "$1/read_matrix" none.mtx squared.mtx.gz 2>printed || fail "$1/read_matrix read a file that is not there"
        prints "$1/read_matrix" '^none.mtx: cannot be opened: No such file'
    fi
    if [ -e "$1/poisson" ]; then
        "$1/poisson" >printed || fail "$1/poisson failed: $(cat printed)"
        prints "$1/poisson" '^A\*A: 49994 entries, the first  5.0 -4.0  1.0$'
        prints "$1/poisson" '^Multigrid: [0-9]* levels, [0-9]* iterations$'
    fi
    for example in random_walk lda image multiply plan amg solver handles; do
        [ ! -c /dev/full ] || ! "$1/$example" >/dev/full 2>/dev/null || fail "$1/$example succeeds though nothing is written"
    done
    echo "built and ran: $1"
}

# Those that stand for all: spg alone, with files, and in Fortran.
run_few() # directory
{
    quietly "$1/plan"
    quietly "$1/read_matrix" "$tree/matrices/tiny/real_symmetric.mtx" squared.mtx
    [ -z "$fortran" ] || quietly "$1/poisson"
    echo "built and ran a few: $1"
}

quietly cmake --install "$build" --prefix "$scratch/first"
mv first prefix
[ -f prefix/include/spg/spg.h ] || fail "no header installed"
pc=$(find prefix -name spg.pc)
library_dir=$scratch/$(dirname "$(dirname "$pc")")
[ -n "$(find prefix -name LICENSE)" ] || fail "no licence installed"
[ -s prefix/share/man/man3/spg.3 ] || fail "no manual page installed"
[ -L "$library_dir/libspg.so" ] || fail "no shared library in $library_dir"
[ -f "$library_dir/libspg.a" ] || fail "no static library in $library_dir"
readelf -d "$library_dir/libspg.so" | grep -q 'SONAME.*libspg\.so\.[0-9]' || fail "libspg.so has no version"
[ -e "$library_dir/libspg_io.so" ] && [ -f prefix/include/spg/io.h ] && [ -f prefix/include/spg/io.hpp ] || fail "no spg_io installed"
if grep -q '^CMAKE_Fortran_COMPILER:.*=/' "$build/CMakeCache.txt"; then fortran=poisson; else fortran=''; fi
[ -z "$fortran" ] || [ -f "$library_dir/spg/fortran/spg.mod" ] || fail "no Fortran module installed"
! grep -rIl -e "$scratch/first" -e "$build" -e "$tree" prefix || fail "these installed files name where they were built"

for link in spg shared static; do
    if [ $link = spg ]; then only=''; else only="--target plan read_matrix $fortran"; fi
    quietly cmake -S "$tree/examples" -B "$link" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DSPG_LINK=$link
    # shellcheck disable=SC2086 # words
    quietly cmake --build "$link" $only
    for program in read_matrix $fortran; do [ -x "$link/$program" ] || fail "$link/$program was not built"; done
    if [ $link = spg ]; then run_examples spg; else run_few "$link"; fi
    if [ $link = static ]; then
        for program in plan read_matrix $fortran; do
            ! needs_libspg "static/$program" || fail "static/$program: spg::static linked the shared library"
        done
    else
        readelf -d "$link/read_matrix" | grep -q 'NEEDED.*libspg_io\.so\.[0-9]' || fail "spg::io linked no shared library"
        needs_libspg $link/plan || fail "spg::$link linked no shared library"
    fi
done

mkdir cxx_alone
cat >cxx_alone/CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.22)
project(cxx_alone LANGUAGES CXX)
find_package(spg REQUIRED COMPONENTS static)
add_executable(solver $tree/examples/solver.cpp)
target_compile_features(solver PRIVATE cxx_std_17)
target_link_libraries(solver PRIVATE spg::static)
EOF
quietly cmake -S cxx_alone -B cxx_alone/build -DCMAKE_PREFIX_PATH="$scratch/prefix"
quietly cmake --build cxx_alone/build
quietly cxx_alone/build/solver

sed -i 's/COMPONENTS static/COMPONENTS device/' cxx_alone/CMakeLists.txt
! cmake -S cxx_alone -B cxx_alone/other -DCMAKE_PREFIX_PATH="$scratch/prefix" >log 2>&1 ||
    fail "find_package found a component that there is not"
sed -i 's/REQUIRED COMPONENTS device/99 REQUIRED/' cxx_alone/CMakeLists.txt
! cmake -S cxx_alone -B cxx_alone/later -DCMAKE_PREFIX_PATH="$scratch/prefix" >log 2>&1 ||
    fail "find_package took version 99 for this one"

mkdir fortran_alone
cat >fortran_alone/CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.22)
project(fortran_alone LANGUAGES C)
find_package(spg REQUIRED COMPONENTS Fortran)
add_executable(poisson $tree/examples/poisson.f90)
target_link_libraries(poisson PRIVATE spg::fortran)
EOF
! cmake -S fortran_alone -B fortran_alone/c -DCMAKE_PREFIX_PATH="$scratch/prefix" >log 2>&1 ||
    fail "the Fortran component was found without the language"
grep -q 'must enable the language Fortran' log || fail "the Fortran component is refused without its reason: $(cat log)"
if [ -n "$fortran" ]; then
    sed -i 's/LANGUAGES C/LANGUAGES Fortran/; s/COMPONENTS Fortran/COMPONENTS shared Fortran/' fortran_alone/CMakeLists.txt
    quietly cmake -S fortran_alone -B fortran_alone/build -DCMAKE_PREFIX_PATH="$scratch/prefix"
    quietly cmake --build fortran_alone/build
    quietly fortran_alone/build/poisson
fi

# As if spg had been built without files: what asks for them is told so, and all else goes on.
cp -R prefix no_files
find no_files -name 'spg-io-*.cmake' -exec rm {} +
sed -i 's/LANGUAGES .*)/LANGUAGES C)/; s/COMPONENTS.*)/COMPONENTS io)/' fortran_alone/CMakeLists.txt
! cmake -S fortran_alone -B fortran_alone/io -DCMAKE_PREFIX_PATH="$scratch/no_files" >log 2>&1 ||
    fail "files were found where there are none"
tr -s ' \n' '  ' <log | grep -q 'built without its component io' || fail "files are refused without a reason: $(cat log)"

command -v pkg-config >/dev/null 2>&1 || fail "pkg-config is not here"
export PKG_CONFIG_PATH="$library_dir/pkgconfig"
# The programs in documents: DOCUMENT-N.c is the Nth of its document.
for document in "$tree/README.md" "$tree"/docs/*.md; do
    awk -v name="$(basename "$document" .md)" '/^```c$/ { example = name "-" ++count ".c"; next } /^```$/ { example = "" }
        example { print >example }' "$document"
done
for example in *-[0-9].c; do
    # shellcheck disable=SC2046 # a list of options
    quietly "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror "$example" -o "${example%.c}" \
        $(pkg-config --cflags --libs spg)
    LD_LIBRARY_PATH="$library_dir" "./${example%.c}" >"${example%.c}.printed" || fail "$example of the documents failed"
done
document_prints() { grep -q "$2" "$1.printed" || fail "$1 does not print '$2': $(cat "$1.printed")"; }
document_prints README-1 '^5 entries$'
document_prints errors-1 '^SPG_ERROR_FORMAT: .*row 1.*column 7'
document_prints memory-1 '^C takes 16004 bytes; within the limit: yes$'
document_prints products-1 '^corner of C: 9$'
document_prints using-1 '^20 3$'
document_prints multigrid-1 '^converged in [0-9]* iterations$'
[ "$(grep -c '^[0-3]$' sampling-1.printed)" -eq 8 ] || fail "sampling-1's draws are not 8 items of 4: $(cat sampling-1.printed)"

# Each example as its head says, which for those on a GPU is more than a line, and what make does.
cp -R "$tree/examples" as_said
for example in as_said/*.c*; do
    grep -q 'Build it' "$example" || fail "$example does not say how it is built"
    how=$(sed -n 's/^\( \*\|\/\/\) Build it: //p' "$example" | sed 's/ \*\/$//')
    [ -z "$how" ] || (cd as_said && quietly sh -c "$how -o built")
done

mkdir shared_pc static_pc
cp "$tree"/examples/* shared_pc
quietly make -C shared_pc
for program in read_matrix $fortran; do [ -x "shared_pc/$program" ] || fail "shared_pc/$program was not built"; done
(export LD_LIBRARY_PATH="$library_dir" && run_examples shared_pc)

# The static library beside shared ones, then everything static, which takes Fortran's runtime where LAPACK is of Fortran.
rm "$library_dir"/libspg.so* "$library_dir"/libspg_io.so*
cp "$tree"/examples/* static_pc
# shellcheck disable=SC2086 # words
quietly make -C static_pc PKG_CONFIG='pkg-config --static' plan read_matrix $fortran
run_few static_pc
if grep -q '^SPG_LAPACK_STATIC_WORDS:INTERNAL=none$' "$build/CMakeCache.txt"; then
    echo "LAPACK cannot be linked statically here: not tried"
    exit
fi
quietly make -C static_pc clean
# Without CUDA, whose runtime is shared, and without files: CHOLMOD's own needs are not all there as static libraries.
quietly make -C static_pc PKG_CONFIG='pkg-config --static' LDFLAGS=-static cuda= io=
! readelf -l static_pc/plan | grep -q INTERP || fail "static_pc/plan is not static"
run_examples static_pc
