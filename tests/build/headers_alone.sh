#!/bin/sh
# headers_alone.sh TREE: every public header compiles alone as C11 and as C++17, those of C++ (*.hpp) as C++17 and C++20,
# without a warning, also of casts, with each compiler that is here. Without exceptions, those of C++ say what to do.
set -eu
cd "$1"
failed=0
compiled=0

compile() # compiler language standard extension [options]
{
    compiler=$1 language=$2 standard=$3 extension=$4
    shift 4
    for header in include/spg/*."$extension"; do
        printf '#include "%s"\n' "${header#include/}" | "$compiler" -x "$language" -std="$standard" \
            -Wall -Wextra -Wpedantic -Wcast-qual "$@" -Werror -Iinclude -fsyntax-only - ||
            { echo "$header fails alone: $compiler -std=$standard"; failed=1; }
        compiled=$((compiled + 1))
    done
}

# Each compiler once, whatever its names.
of() # NAMES...
{
    for name in "$@"; do
        path=$(command -v "$name" 2>/dev/null) && printf '%s %s\n' "$(readlink -f "$path")" "$name"
    done | sort -u -k 1,1 | cut -d ' ' -f 2
}

for each in $(of cc gcc clang); do compile "$each" c c11 h; done
for each in $(of c++ g++ clang++); do
    for kind in h hpp; do compile "$each" c++ c++17 $kind -Wold-style-cast -Wconversion -Wshadow; done
    compile "$each" c++ c++20 hpp -Wold-style-cast -Wconversion -Wshadow
done
if command -v c++ >/dev/null 2>&1; then
    said=$(printf '#include "spg/spg.hpp"\n' | c++ -x c++ -std=c++17 -fno-exceptions -Iinclude -fsyntax-only - 2>&1) || true
    case $said in
    *'without them, use the C headers'*) ;;
    *) echo "without exceptions spg.hpp does not say what to do: $said"; failed=1 ;;
    esac
fi
echo "$compiled compilations"
[ "$compiled" -gt 0 ] && exit "$failed"
