#!/bin/sh
# citation.sh TREE: CITATION.cff and docs/citing.md name the version of the headers, and cffconvert, where it is, finds
# CITATION.cff valid.
set -eu
cd "$1"
fail() { echo "$*"; exit 1; }

version=$(sed -n 's/^#define SPG_VERSION_[MP][A-Z]* //p' include/spg/types.h | paste -sd .)
expr "$version" : '[0-9]*\.[0-9]*\.[0-9]*$' >/dev/null || fail "the headers' version is '$version'"
grep -qx "version: $version" CITATION.cff || fail "CITATION.cff does not name version $version"
grep -q "version = {$version}" docs/citing.md || fail "docs/citing.md does not name version $version"
if command -v cffconvert >/dev/null 2>&1; then
    cffconvert --validate -i CITATION.cff || fail "CITATION.cff is not valid"
else
    echo "cffconvert is not here: versions compared only"
fi
