#!/bin/sh
# archives.sh TREE BUILD: the binary archive has all that is installed, in one folder; the source archive has every file of
# the tree and nothing that was built, and can be configured. tests/bare_machine.sh installs the packages for Debian.
set -eu
tree=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
cd "$scratch"

fail() { echo "$*"; exit 1; }

quietly() { "$@" >log 2>&1 || { cat log; fail "failed: $*"; }; }

unpacked() # the one folder of the one archive that is here
{
    set -- *.tar.gz
    [ $# -eq 1 ] || fail "not one archive: $*"
    quietly tar xf "$1"
    rm "$1"
    [ -d "${1%.tar.gz}" ] || fail "$1 has no folder of its name: $(ls)"
    folder=$scratch/${1%.tar.gz}
}

quietly cpack -G TGZ --config "$build/CPackConfig.cmake" -B "$scratch"
rm -rf _CPack_Packages
unpacked
for file in bin/spgemm_bench include/spg/spg.h share/man/man3/spg.3 share/doc/spg/LICENSE; do
    [ -s "$folder/$file" ] || fail "the binary archive has no $file"
done
library=$(find "$folder" -name 'libspg.so.*.*.*')
[ -f "$library" ] || fail "the binary archive has no library"
cc "$tree/examples/multiply.c" -I"$folder/include" "$library" -Wl,-rpath,"$(dirname "$library")" -o multiply
quietly ./multiply

quietly cpack --config "$build/CPackSourceConfig.cmake" -B "$scratch"
rm -rf _CPack_Packages
unpacked
if git -C "$tree" ls-files >/dev/null 2>&1; then
    git -C "$tree" -c core.quotePath=off ls-files -co --exclude-standard |
        while IFS= read -r path; do [ ! -e "$tree/$path" ] || printf '%s\n' "$path"; done | sort >tracked
    (cd "$folder" && find . ! -type d | sed 's#^\./##' | sort) >packed
    diff tracked packed || fail "the source archive has not the files of the tree"
fi
quietly cmake -S "$folder" -B configured -DSPG_BUILD_TESTS=OFF -DSPG_BUILD_BENCH=OFF -DSPG_CUDA=OFF
