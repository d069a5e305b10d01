#!/bin/sh
# Records what sampling_bench measures, for bench/results/ and its tables.
#
#     sh bench/record_sampling.sh BENCH [FOLDER]     BENCH: sampling_bench; FOLDER takes sampling*.jsonl (default: here)
#
# Options for the bench stand in SAMPLING_BENCH_OPTIONS, such as `--place host`. SAMPLING_ITEMS and SAMPLING_DRAWS name
# other sizes of one distribution and numbers of draws from it, SAMPLING_TOPICS numbers of topics (`none`: no z-step, nor
# one draw from each row, nor tables of short rows), SAMPLING_PAPERS papers to take up again (forest, alias; `none`),
# SAMPLING_PARTS parts of the alias paper (build,split,transfer,draw). Each file that is measured begins anew, except that
# sampling.jsonl is added to where SAMPLING_ITEMS is `none`, and sampling_alias.jsonl where SAMPLING_PARTS are named: a
# later record of the same measurement replaces an earlier one. On a GPU all of it takes two to three minutes, and "forest
# alias butterfly" another: the butterfly paper's figures have hundreds of points, which on a host take hours.
set -eu
bench=$1
folder=${2:-.}
items=${SAMPLING_ITEMS:-1000000 10000000 100000000}
draws=${SAMPLING_DRAWS:-1000000000}
topics=${SAMPLING_TOPICS:-64 128 256 512 1024}
papers=${SAMPLING_PAPERS:-forest alias}

measure() # file options...
{
    file=$1
    shift
    # shellcheck disable=SC2086
    "$bench" --reps 5 --warmup 1 --json "$folder/$file.jsonl" ${SAMPLING_BENCH_OPTIONS:-} "$@"
}

mkdir -p "$folder"
[ "$items" = none ] || rm -f "$folder/sampling.jsonl"
[ "$topics" = none ] || rm -f "$folder/sampling_lda.jsonl"
for weights in uniform powerlaw:1; do
    for n in $items; do
        [ "$n" != none ] || break
        measure sampling --weights "$weights" --items "$n" --draws "$draws" --method alias,cutpoint,forest
        measure sampling --weights "$weights" --items "$n" --draws "$draws" --method alias --order grouped --peers none
        measure sampling --weights "$weights" --items "$n" --draws "$draws" --method cutpoint,forest --uniforms stratified
    done
done
for type in f32 f64; do
    [ "$topics" != none ] || break
    measure sampling --type "$type" --rows 100000 --peers none --reps 20
    measure sampling --type "$type" --rows 1000000 --items 4096 --ragged --peers none
    for k in $topics; do measure sampling_lda --type "$type" --lda "$k"; done
done
for n in 1 2 3 4 8 16 32; do
    [ "$topics" != none ] || break
    measure sampling --rows 1000000 --items "$n" --method alias --peers none
done
for paper in $papers; do
    [ "$paper" != none ] || break
    options="--paper $paper"
    if [ "$paper" = alias ] && [ -n "${SAMPLING_PARTS:-}" ]; then
        options="$options --parts $SAMPLING_PARTS"
    else
        rm -f "$folder/sampling_$paper.jsonl"
    fi
    # shellcheck disable=SC2086
    measure "sampling_$paper" $options
done
# The points themselves of Figures 7 and 8, for pictures of them, are too many to keep.
if [ -f "$folder/sampling_forest.jsonl" ]; then
    grep -v '"figure": [78]' "$folder/sampling_forest.jsonl" >"$folder/kept"
    mv "$folder/kept" "$folder/sampling_forest.jsonl"
fi
