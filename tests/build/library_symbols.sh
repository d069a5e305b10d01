#!/bin/sh
# What libspg exports, needs and keeps: only names that begin with spg, all that the headers declare, no library but
# libc, libm, LAPACK's and OpenMP's (with CUDA's kernels, that of C++), and no writable object but those by which nvcc
# and the templates of its libraries register kernels. The same of libspg_io, whose header is io.h, and which needs
# libspg, CHOLMOD and zlib.
#
#     library_symbols.sh libspg.so libspg.a INCLUDE_DIR
#     library_symbols.sh libspg_io.so libspg_io.a INCLUDE_DIR
#     library_symbols.sh --self-check      made libraries, with and without one fault of each kind
set -eu

# The names that the library's headers mark SPG_API, one a line.
declared() # INCLUDE_DIR
{
    for header in "$1"/spg/*.h; do
        if [ "$(basename "$header")" = io.h ]; then of=io; else of=''; fi
        [ "$of" != "$part" ] || cat "$header"
    done | sed '/^#/d' | tr '\n' ' ' | sed 's|/\*|\n/*|g; s|\*/|*/\n|g' | sed '/^\/\*/d' | tr '\n' ' ' |
        sed 's/SPG_API/\n&/g' | sed -n 's/^SPG_API[^(]*[ *]\([A-Za-z0-9_]*\)(.*/\1/p' | sort -u
}

report() # what is wrong; on standard input the offenders
{
    offenders=$(cat)
    [ -z "$offenders" ] || { printf '%s:\n%s\n' "$1" "$offenders"; faults=$((faults + 1)); }
}

check() # libspg.so libspg.a INCLUDE_DIR
{
    faults=0
    part='' others=''
    case $1 in */libspg_io.*) part=io others='|libspg|libcholmod|libz' ;; esac
    nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >"$scratch/exported"
    declared "$3" >"$scratch/declared"
    [ -s "$scratch/declared" ] || { echo "no declaration found in $3"; faults=1; }
    grep -v '^spg' "$scratch/exported" >"$scratch/found" || true
    report "exported, and does not begin with spg" <"$scratch/found"
    comm -23 "$scratch/declared" "$scratch/exported" >"$scratch/found"
    report "declared in a header, but not exported" <"$scratch/found"
    comm -13 "$scratch/declared" "$scratch/exported" >"$scratch/found"
    report "exported, but in no header" <"$scratch/found"
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -Ev "^(libc|libm|libgomp|libomp|libiomp5|libpthread|liblapack|libblas|libopenblas|libstdc\\+\\+|libgcc_s|ld-linux[-a-z0-9_]*$others)\\.so" >"$scratch/found" || true
    report "needed at run time" <"$scratch/found"
    # Data that only relocation writes (.data.rel.ro) is constant afterwards.
    objdump -t "$2" | sed 's/ \.hidden / /' | awk '
        NF > 3 && $NF !~ /^\./ && $(NF - 1) !~ /^0+$/ && $(NF - 2) !~ /^\.data\.rel\.ro/ &&
        $(NF - 2) ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ { print $NF, $(NF - 2) }' >"$scratch/found"
    cuda='__device_stub__|__cudaFatCubinHandle|^DW\.ref\.|_ZStL8__ioinit|^_ZG?V?ZN(3cub|6thrust)|__nv_'
    grep -vE "$cuda" "$scratch/found" >"$scratch/writable" || true
    report "writable data" <"$scratch/writable"
    echo "$(wc -l <"$scratch/exported") names exported"
    [ "$faults" -eq 0 ]
}

make_libraries() # from a.c
{
    cc -fPIC -fvisibility=hidden -Iinclude -c a.c -o a.o
    rm -f liba.a
    ar rc liba.a a.o
    cc -shared -Wl,--no-as-needed a.o -o liba.so ${1:-}
}

expect() # message, or "" for no fault
{
    if output=$(check liba.so liba.a include); then found=''; else found=$(echo "$output" | sed -n 's/:$//p'); fi
    [ "$found" = "$1" ] || { printf 'expected "%s", found "%s":\n%s\n' "$1" "$found" "$output"; exit 1; }
}

self_check()
{
    mkdir -p "$scratch/tree/include/spg"
    cd "$scratch/tree"
    cat >include/spg/a.h <<'EOF'
#define SPG_API __attribute__((visibility("default")))
/* SPG_API int spg_commented(void); */
SPG_API const char *spg_one(int x,
                            int y); /* about SPG_API */
SPG_API int spgemm_two(void);
EOF
    good='#include "spg/a.h"
static const char *const names[] = {"a", "b"};
const char *spg_one(int x, int y) { return names[x + y]; }'
    two='int spgemm_two(void) { return 2; }'
    printf '%s\n' "$good" "$two" >a.c
    make_libraries
    expect ''
    make_libraries -lz 2>/dev/null && expect 'needed at run time'
    printf '%s\n' "$good" >a.c
    make_libraries
    expect 'declared in a header, but not exported'
    printf '%s\n' "$good" "$two" 'SPG_API int other(void); int other(void) { return 1; }' >a.c
    make_libraries
    expect 'exported, and does not begin with spg
exported, but in no header'
    # Of the part with a library of its own, the library's headers say nothing, and the other way round.
    printf '%s\n' '#define SPG_API __attribute__((visibility("default")))' 'SPG_API int spg_read(void);' >include/spg/io.h
    printf '%s\n' "$good" "$two" >a.c
    make_libraries
    expect ''
    printf '%s\n' '#include "spg/io.h"' 'int spg_read(void) { return 1; }' >a.c
    make_libraries -lz
    mv liba.so libspg_io.so
    check ./libspg_io.so liba.a include >"$scratch/log" || { cat "$scratch/log"; exit 1; }
    for state in 'static int kept;' 'int kept;' 'static int kept = 3;' 'static _Thread_local int kept;'; do
        printf '%s\n' "$good" "$state" 'int spgemm_two(void) { return kept++; }' >a.c
        make_libraries
        expect 'writable data'
    done
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
if [ "${1:-}" = --self-check ]; then self_check; else check "$@"; fi
