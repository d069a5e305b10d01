#!/bin/sh
# man_pages.sh TREE BUILD: the manual pages render without a warning; those of the benches have each option of --help and
# no other, that of the library each call of the headers.
set -eu
tree=$1
pages=$2/man
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
fail() { echo "$*"; exit 1; }

# Pages with escapes for dashes; a name a line.
options_of_page() { sed 's/\\-/-/g' "$1" | grep -oE -- '--[a-z][a-z-]*' | sort -u; }
same() { diff "$scratch/$1" "$scratch/$2" || fail "not the same $1 (<) and $2 (>) of $3"; }

for page in "$pages"/*.[13]; do
    [ -s "$page" ] || fail "$page is empty"
    if command -v man >/dev/null 2>&1; then
        LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" >"$scratch/rendered" 2>"$scratch/warnings" ||
            fail "$page does not render: $(cat "$scratch/warnings")"
        [ ! -s "$scratch/warnings" ] || fail "$page renders with warnings: $(cat "$scratch/warnings")"
    else
        echo "man is not here: $page is not rendered"
    fi
done

for bench in spgemm_bench amg_bench sampling_bench; do
    [ -e "$pages/$bench.1" ] || { echo "SKIPPED: $bench.1: help2man was not here"; continue; }
    "$2/bench/$bench" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u >"$scratch/options"
    options_of_page "$pages/$bench.1" >"$scratch/page_options"
    same options page_options "$bench.1"
done

grep -ohE '^SPG_API .*[ *](spg|spgemm)_[a-z_]+\(' "$tree"/include/spg/*.h | grep -oE '[a-z_]+\($' | sort -u >"$scratch/calls"
grep -oE '^\.B .*[ *](spg|spgemm)_[a-z_]+\(' "$pages/spg.3" | sed -E 's/^([^(]*\().*/\1/' | grep -oE '[a-z_]+\($' |
    sort -u >"$scratch/page_calls"
[ "$(wc -l <"$scratch/calls")" -gt 50 ] || fail "not the calls: $(cat "$scratch/calls")"
same calls page_calls spg.3
