#!/bin/sh
# No source or header over 400 lines, no folder that holds more than 20 of them, so that `ls` is a table of contents.
#
#     sizes.sh TREE           names what is too large; fails if anything is
#     sizes.sh --self-check   a made tree with one excess of each kind, each of which must be found
#
# Looked at is what git has where TREE is a checkout, else everything but build*/.
set -eu

sources()
{
    if [ -e .git ] && git ls-files >/dev/null 2>&1; then
        git -c core.quotePath=off ls-files | while IFS= read -r path; do [ ! -f "$path" ] || printf '%s\n' "$path"; done
    else
        find . \( -path './build*' -o -path ./.git \) -prune -o -type f -print | sed 's#^\./##'
    fi | grep -E '\.(c|h|cpp|hpp|inc|cu|cuh)$' | sort
}

check() # TREE
{
    cd "$1"
    sources | awk '
{
    folder = $0
    if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
    if (held[folder]++ == 0) folders[++known] = folder
    lines = 0
    while ((getline line <$0) > 0) lines++
    close($0)
    looked_at++
    if (lines > 400) { print $0 ": " lines " lines, more than 400"; excesses++ }
}
END {
    for (k = 1; k <= known; k++)
        if (held[folders[k]] > 20) {
            print folders[k] "/: " held[folders[k]] " sources and headers, more than 20"
            excesses++
        }
    if (looked_at == 0) print "no source at all"
    exit excesses > 0 || looked_at == 0
}'
}

lines() # PATH NUMBER
{
    mkdir -p "$(dirname "$1")"
    awk -v n="$2" 'BEGIN { while (n-- > 0) print "int x;" }' >"$1"
}

fill() # FOLDER NUMBER EXTENSION
{
    for k in $(seq "$2"); do lines "$1/$k.$3" 1; done
}

finds() # WHAT; every line of $expected must be reported, and nothing else
{
    found=$(check "$tree") && { echo "$1: a tree with excesses passed"; exit 1; }
    [ "$found" = "$expected" ] || { printf '%s, expected:\n%s\nfound:\n%s\n' "$1" "$expected" "$found"; exit 1; }
}

self_check()
{
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    trap 'exit 1' INT TERM HUP
    cd "$tree"
    ! check "$tree" >/dev/null || { echo "a tree without sources passed"; exit 1; }
    for extension in c h cpp hpp inc cu cuh; do lines "long/a.$extension" 401; done
    lines just/a.c 400
    lines just/a.md 500
    fill full 20 h
    fill full/below 20 c
    fill full/below 5 md
    fill wide/below 10 c
    fill wide/below 11 h
    lines tests/build/a.c 401
    lines build/a.c 401
    fill build-host/src 21 c
    expected='long/a.c: 401 lines, more than 400
long/a.cpp: 401 lines, more than 400
long/a.cu: 401 lines, more than 400
long/a.cuh: 401 lines, more than 400
long/a.h: 401 lines, more than 400
long/a.hpp: 401 lines, more than 400
long/a.inc: 401 lines, more than 400
tests/build/a.c: 401 lines, more than 400
wide/below/: 21 sources and headers, more than 20'
    export LC_ALL=C
    finds "a plain tree"
    if command -v git >/dev/null 2>&1; then
        git init -q .
        printf '/build*/\n' >.gitignore
        lines gone/a.c 401
        git add .
        rm -r gone
        lines of_nobody/a.c 401
        finds "a checkout"
        rm -r of_nobody
    fi
    rm -rf .git long tests wide/below/1.c
    check "$tree" || { echo "a tree without excesses failed"; exit 1; }
}

if [ "${1:-}" = --self-check ]; then self_check; else check "$1"; fi
