#!/bin/sh
# Runs the tests of the staged folder that this script lies in (tests/stage.sh): one line each, the output of those that
# fail, a sum. Exit status: 0 if none failed.
#
#     run_staged.sh [-L LABEL] [-R PATTERN] [-j N] [-t SECONDS] [-w WRAPPER] [-o FOLDER]
#
# -L: of this label, such as gpu. -R: whose name matches. -j: so many at a time (1). -t: at most so long each (600).
# -w: a command to put before each test's, such as "compute-sanitizer --error-exitcode 9". -o: for their output (logs).
set -u
folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
tab=$(printf '\t')

run_one() # a line of tests.list
{
    name=$(printf '%s\n' "$1" | cut -f 1)
    environment=$(printf '%s\n' "$1" | cut -f 3 | tr ',' ' ')
    command=$(printf '%s\n' "$1" | cut -f 4)
    begin=$(date +%s.%N)
    # Words on purpose: neither has blanks in its parts.
    # shellcheck disable=SC2086
    (cd "$folder" && exec env $environment timeout "$SECONDS_MOST" sh ./with_libraries.sh $WRAPPER $command) \
        >"$LOGS/$name.log" 2>&1 </dev/null
    status=$?
    case $status in
    0) result=pass ;;
    77) result=skip ;;
    124) result=TIME ;;
    *) result=FAIL ;;
    esac
    printf '%s %8.2f s  %s%s\n' "$result" "$(echo "$(date +%s.%N) $begin" | awk '{ print $1 - $2 }')" "$name" \
        "$([ "$result" != FAIL ] || echo " (status $status)")" | tee "$LOGS/$name.result"
}

if [ "${1:-}" = --one ]; then
    run_one "$2"
    exit 0
fi

label='' pattern='' jobs=1 SECONDS_MOST=600 WRAPPER='' LOGS=logs
while getopts L:R:j:t:w:o: option; do
    case $option in
    L) label=$OPTARG ;;
    R) pattern=$OPTARG ;;
    j) jobs=$OPTARG ;;
    t) SECONDS_MOST=$OPTARG ;;
    w) WRAPPER=$OPTARG ;;
    o) LOGS=$OPTARG ;;
    *) exit 2 ;;
    esac
done
mkdir -p "$LOGS" || exit 2
LOGS=$(CDPATH='' cd -- "$LOGS" && pwd)
rm -f "$LOGS"/*.result
export SECONDS_MOST WRAPPER LOGS

awk -F "$tab" -v label="$label" -v pattern="$pattern" '
    (label == "" || index("," $2 ",", "," label ",")) && (pattern == "" || $1 ~ pattern)' "$folder/tests.list" |
    tr '\n' '\0' | xargs -0 -r -n 1 -P "$jobs" sh "$folder/run_staged.sh" --one

count() { cat "$LOGS"/*.result 2>/dev/null | grep -c "^$1"; }
failed=$(($(count FAIL) + $(count TIME)))
for result in "$LOGS"/*.result; do
    grep -qs '^[FT]' "$result" || continue
    log=${result%.result}.log
    printf '\n==== %s\n' "$(cat "$result")"
    grep -v '^\[ *\(RUN\|OK\)' "$log" | tail -n 40
done
printf '\n%d passed, %d failed, %d skipped\n' "$(count pass)" "$failed" "$(count skip)"
[ "$failed" -eq 0 ] && [ "$(count pass)" -gt 0 ]
