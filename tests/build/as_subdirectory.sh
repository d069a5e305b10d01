#!/bin/sh
# as_subdirectory.sh TREE: the library as part of a bigger CMake project: its targets are there, its tests and bench are
# not, and the project's own settings stay as they were.
set -eu
tree=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
cd "$scratch"

cat >CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.22)
project(bigger LANGUAGES C)
set(SPG_IO ON CACHE STRING "")
add_subdirectory($tree spg)
if(CMAKE_BUILD_TYPE OR CMAKE_C_STANDARD OR TARGET spg_matrices)
  message(FATAL_ERROR "spg changed the project it is part of")
endif()
add_executable(multiply $tree/examples/multiply.c)
target_link_libraries(multiply PRIVATE spg::spg)
add_executable(plan $tree/examples/plan.c)
target_link_libraries(plan PRIVATE spg::static)
add_executable(read_matrix $tree/examples/read_matrix.c)
target_link_libraries(read_matrix PRIVATE spg::io)
EOF
cmake -S . -B build -DSPG_CUDA=OFF >log 2>&1 || { cat log; exit 1; }
cmake --build build -j 2 --target multiply plan read_matrix >log 2>&1 || { cat log; exit 1; }
build/multiply
build/plan
build/read_matrix "$tree/matrices/tiny/demo.mtx" squared.mtx
