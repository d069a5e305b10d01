#!/bin/sh
# headers_alone.sh TREE: every public header compiles alone as C11 and as C++17, without a warning, with each compiler
# that is here.
set -eu
cd "$1"
failed=0
compiled=0

compile() # compiler language standard
{
    command -v "$1" >/dev/null 2>&1 || return 0
    for header in include/spg/*.h; do
        printf '#include "%s"\n' "${header#include/}" |
            "$1" -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only - ||
            { echo "$header fails alone: $1 -std=$3"; failed=1; }
        compiled=$((compiled + 1))
    done
}

for compiler in cc gcc clang; do compile "$compiler" c c11; done
for compiler in c++ g++ clang++; do compile "$compiler" c++ c++17; done
echo "$compiled compilations"
[ "$compiled" -gt 0 ] && exit "$failed"
