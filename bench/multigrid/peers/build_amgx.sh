#!/bin/sh
# Builds AMGX for amg_bench --peers amgx, from a folder with its sources (with external/rapidjson):
#
#     build_amgx.sh SOURCES PREFIX [ARCHITECTURE [JOBS]]
#
# ARCHITECTURE is as in CMAKE_CUDA_ARCHITECTURES, by default 90-real. Then configure spg with -DSPG_CUDA=ON
# -DSPG_AMGX=PREFIX. amg_bench uses AMGX in doubles only, so the other value types are left out, which takes two thirds
# of the time away: some three minutes on 16 cores. What is left of calls to them is given symbols that end the program.
# The sources stay as they are; what is built on the way is in PREFIX-build.
set -eu
[ $# -ge 2 ] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 2; }
sources=$1 prefix=$2 architecture=${3:-90-real} jobs=${4:-$(getconf _NPROCESSORS_ONLN)}
[ -f "$sources/include/amgx_config.h" ] || { echo "$0: $sources has no sources of AMGX" >&2; exit 1; }
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac

# A copy without the modes of other value types; of each list of modes one is left at most, so none goes on.
copy=$prefix-build/sources
mkdir -p "$copy" "$prefix/lib" "$prefix/include"
(cd "$sources" && tar cf - --exclude=.git .) | (cd "$copy" && tar xf -)
sed -e '/codeLineMacro(AMGX_mode_[hd]\(DF\|FF\|IF\|ZZ\|ZC\|CC\)I)/d' \
    -e 's/\(codeLineMacro(AMGX_mode_[hd][DI]DI)\)\\$/\1/' \
    "$sources/include/amgx_config.h" >"$copy/include/amgx_config.h"

cmake -S "$copy" -B "$prefix-build/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_NO_MPI=True \
    -DCMAKE_CUDA_ARCHITECTURES="$architecture" -DCMAKE_INSTALL_PREFIX="$prefix"
cmake --build "$prefix-build/build" -j "$jobs" --target amgx
cp "$copy/include/amgx_c.h" "$copy/include/amgx_config.h" "$prefix/include"
library=$prefix/lib/libamgx.a
cp "$(find "$prefix-build/build" -name libamgx.a)" "$library"

# Symbols of AMGX's own that nothing defines any more.
nm "$library" 2>/dev/null | awk '
NF == 2 && $1 == "U" && $2 ~ /amgx/ { wanted[$2] = 1 }
NF == 3 && $2 ~ /[A-Zu]/ { defined[$3] = 1 }
END { for (name in wanted) if (!(name in defined)) printf ".globl %s\n%s:\n .quad 0, 0, 0, 0, 0, 0, 0, 0\n", name, name }' |
    { echo '.section .note.GNU-stack,"",@progbits'; echo .data; cat; } >"$prefix-build/missing.s"
${CC:-cc} -c "$prefix-build/missing.s" -o "$prefix-build/missing.o"
ar r "$library" "$prefix-build/missing.o"
strip --strip-debug "$library"
