#!/bin/sh
# soak_output.sh SOAK: a soak whose output cannot be written fails, also where it found no fault.
soak=$1
[ -c /dev/full ] || exit 77
fail() {
    echo "$*"
    exit 1
}
case="--place host --only products --seed 1 --case 1"
# shellcheck disable=SC2086 # several words
"$soak" $case >/dev/null || fail "the case itself is faulty"
for arguments in "$case" --help; do
    # shellcheck disable=SC2086
    message=$("$soak" $arguments 2>&1 >/dev/full) && fail "$soak $arguments succeeds though nothing is written"
    echo "$message" | grep -q 'not all output' || fail "$soak $arguments does not say that output is lost: $message"
done
