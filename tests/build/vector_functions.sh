#!/bin/sh
# Vector code for newer processors is chosen in functions that any processor can run: of the functions that other
# objects can call, only those with _avx512 in their name may use AVX-512 registers, and only those and those with _avx2
# wide registers at all. Skipped where the compiler may use them everywhere.
#
#     vector_functions.sh libspg.a
#     vector_functions.sh --self-check     made libraries, with and without the fault
set -eu

# A line for each external function that uses registers beyond its name; exit status 1 if there are any.
check() # libspg.a
{
    objdump -d --no-show-raw-insn "$1" >"$scratch/code"
    nm "$1" 2>/dev/null | awk '$2 == "T" { print $3 }' >"$scratch/external"
    awk '
        NR == FNR { external[$1] = 1; next }
        /^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name); next }
        !(name in external) || name ~ /_avx512/ { next }
        /%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])/ { bad[name] = "AVX-512" }
        /%ymm/ && name !~ /_avx2/ && !(name in bad) { bad[name] = "AVX" }
        END {
            for (name in bad) print name " uses registers of " bad[name]
            for (name in bad) exit 1
        }' "$scratch/external" "$scratch/code"
}

self_check()
{
    cd "$scratch"
    target='__attribute__((target("avx512f")))'
    body='{ for (int i = 0; i < 64; i++) x[i] += 1; }'
    printf '%s\n' "$target static void inner(double *x) $body" "void spg_chosen(double *x, int is_there)" \
        "{ if (is_there) inner(x); }" "$target void spg_add_avx512(double *x) $body" >good.c
    printf '%s\n' "$target void spg_entered(double *x, int is_there)" "{ if (!is_there) return; x[0] = 1; " \
        "  for (int i = 0; i < 64; i++) x[i] += 1; }" >bad.c
    for name in good bad; do
        cc -O3 -mprefer-vector-width=512 -c $name.c -o $name.o
        ar rc lib$name.a $name.o
    done
    check libgood.a || { echo "a sound library is refused"; exit 1; }
    ! check libbad.a >log || { echo "a function that is entered first is not found"; exit 1; }
    grep -q '^spg_entered uses registers of AVX-512$' log || { cat log; exit 1; }
}

case $(uname -m) in x86_64) ;; *) echo "no processor of x86"; exit 77 ;; esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
case $1 in
    --self-check) self_check ;;
    *) case " ${2:-}" in *' -m'*) echo "built for one processor: $2"; exit 77 ;; esac; check "$1" ;;
esac
