#!/bin/sh
# mpirun.sh on a machine with a GPU; without one a line that says so, and exit status 77.
set -eu
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L | grep -q '^GPU'; then
    echo "SKIPPED: no GPU here"
    exit 77
fi
exec sh "$(dirname -- "$0")/mpirun.sh" "$@"
