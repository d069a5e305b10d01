#!/bin/sh
# Builds the plug-in and the bench for each PETSc found, with warnings as errors, and runs the tests and the examples.
#
#     sh adapters/petsc/test.sh [BUILD-FOLDER]
#
# BUILD-FOLDER is one of spg, which is installed from there; without it the library is built. What is made is in
# adapters/petsc/build. Exit status 77, and a line that says why, where there is no PETSc or no MPI.
set -eu
given=${1:+$(CDPATH='' cd -- "$1" && pwd)}
cd "$(dirname -- "$0")"
built=$PWD/build

skip()
{
    printf '\nSKIPPED: the PETSc plug-in: %s\n\n' "$*"
    exit 77
}

quietly() { "$@" >"$built/log" 2>&1 || { cat "$built/log"; exit 1; }; }

# The output of a command, which must have a text in it: expect TEXT COMMAND...
expect()
{
    text=$1
    shift
    "$@" >"$built/log" 2>&1 || { cat "$built/log"; exit 1; }
    grep -F "$text" "$built/log" || { echo "no \"$text\" from: $*"; cat "$built/log"; exit 1; }
}

command -v mpirun >/dev/null && command -v mpicc >/dev/null || skip "no MPI (mpirun, mpicc)"
packages=''
for package in PETSc PETSc64; do
    if pkg-config --exists "$package" 2>/dev/null; then packages="$packages $package"; fi
done
[ -n "$packages" ] || skip "pkg-config finds no PETSc (libpetsc-real-dev)"

rm -rf "$built"
mkdir -p "$built"
if [ -z "$given" ]; then
    given=$built/spg
    quietly cmake -S ../.. -B "$given" -DSPG_CUDA=OFF -DSPG_BUILD_TESTS=OFF -DSPG_BUILD_BENCH=OFF
    quietly cmake --build "$given" -j 2
fi
quietly cmake --install "$given" --prefix "$built/prefix"

for package in $packages; do
    printf '\n%s %s\n' "$package" "$(pkg-config --modversion "$package")"
    quietly cmake -S . -B "$built/$package" -DCMAKE_PREFIX_PATH="$built/prefix" -DSPG_WERROR=ON \
        -DSPG_PETSC_PACKAGE="$package" -DCMAKE_INSTALL_PREFIX="$built/$package/prefix"
    quietly cmake --build "$built/$package" -j 2
    (cd "$built/$package" && ctest -L petsc --output-on-failure --no-tests=error)
    quietly cmake --install "$built/$package"
    expect 'repeat' sh tests/mpirun.sh 2 "$built/$package/bench/petsc_bench" -bench_n 6 -bench_reps 1 \
        -dll_append "$(find "$built/$package/prefix" -name libspg_petsc.so)"
done

# The examples, with PETSc of 32-bit indices.
[ -d "$built/PETSc" ] || exit 0
plugin=$(find "$built/PETSc/prefix" -name libspg_petsc.so)
quietly cmake -S examples -B "$built/examples"
quietly cmake --build "$built/examples"
expect 'matrix mpiaijspg, preconditioner gamg' sh tests/mpirun.sh 2 "$built/examples/gamg" -dll_append "$plugin" \
    -mat_type aijspg
expect 'preconditioner spg' sh tests/mpirun.sh 1 "$built/examples/gamg" -dll_append "$plugin" -pc_type spg
sh tests/mpirun.sh 1 "$built/examples/gamg" -dll_append "$plugin" -pc_type spg -help >"$built/help"
python3 tests/options.py <"$built/help"
cp examples/gamg.c examples/Makefile "$built/"
quietly make -C "$built" gamg
expect 'preconditioner bjacobi' sh tests/mpirun.sh 3 "$built/gamg" -dll_append "$plugin" -pc_type bjacobi -sub_pc_type spg
# petsc4py comes from apt, so with the system's Python.
python=python3
$python -c 'import petsc4py' 2>/dev/null || python=/usr/bin/python3
if $python -c 'import petsc4py' 2>/dev/null; then
    expect 'of type seqaijspg' sh tests/mpirun.sh 1 $python examples/galerkin.py -dll_append "$plugin"
    expect 'of type mpiaijspg' sh tests/mpirun.sh 3 $python examples/galerkin.py -dll_append "$plugin"
else
    echo "SKIPPED: the example of petsc4py, which is not here (python3-petsc4py)"
fi

# What is sent is what the model says, here and in the records; the tables are those of the records.
for processes in 2 4; do
    quietly sh tests/mpirun.sh $processes "$built/PETSc/bench/petsc_counts" -dll_append "$plugin" -bench_n 12 \
        -bench_points 7 -bench_json "$built/counts.jsonl"
done
python3 bench/cost_model.py "$built/counts.jsonl"
python3 bench/tables.py --check ../../docs/petsc.md ../../bench/results
