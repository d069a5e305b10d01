#!/bin/sh
# scripts_are_valid.sh TREE: every script parses, and shellcheck, where it is, finds nothing to say.
set -eu
cd "$1"
sh_scripts=$(find adapters bench cmake examples tests -name '*.sh' | sort)
for script in $sh_scripts; do sh -n "$script"; done
if command -v bash >/dev/null 2>&1; then bash -n .ci/run; fi
if command -v shellcheck >/dev/null 2>&1; then
    shellcheck -S warning -x -s sh $sh_scripts
    shellcheck -S warning -x .ci/run
else
    echo "shellcheck is not here: parsed only"
fi
