#!/bin/sh
# Copies the tests and the bench of a build, with the shared libraries they need, into one folder that runs on a machine
# with the same processor and no younger glibc: a GPU node without the libraries' packages, say.
#
#     sh tests/stage.sh [-R PATTERN] BUILD FOLDER [ARCHIVE]
#
# BUILD: a build directory. ARCHIVE: FOLDER packed, NAME.tar.xz. -R: of the tests, those whose names match.
# There, FOLDER/run_staged.sh runs the tests, FOLDER/with_libraries.sh PROGRAM... any program. Left out: tests of label
# build, which need the tree and a compiler; the C and C++ runtime; the driver; cuSPARSE and what hypre and AMGX take of
# the CUDA toolkit, which the node has itself. The programs hold the same kernels each, which is why an archive is far
# smaller than the folder.
set -eu
tree=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

fail() { printf 'stage.sh: %s\n' "$*" >&2; exit 1; }

pattern=''
[ "${1:-}" != -R ] || { pattern=$2; shift 2; }
[ $# -eq 2 ] || [ $# -eq 3 ] || fail "usage: stage.sh [-R PATTERN] BUILD FOLDER [ARCHIVE]"
[ -f "$1/CTestTestfile.cmake" ] || fail "$1: no build with tests"
build=$(CDPATH='' cd -- "$1" && pwd)
[ ! -e "$2" ] || [ -f "$2/tests.list" ] || fail "$2: there, and not a staged folder"
rm -rf "$2"
mkdir -p "$2/bin" "$2/lib" "$2/tree/tests/bench" "$2/tree/matrices"
folder=$(CDPATH='' cd -- "$2" && pwd)

# name, labels, environment and command of each test, separated by tabs; words of the first three by commas. Programs
# become bin/NAME, scripts of the tree tree/PATH.
list_tests()
{
    (cd "$build" && ctest --show-only=json-v1) | python3 -c '
import json, os, re, sys
build, tree = (os.path.realpath(p) for p in sys.argv[1:3])

def staged(word):
    path = os.path.realpath(word)
    if not os.path.isabs(word) or not os.path.exists(path):
        return word
    if path.startswith(build + os.sep):
        return "bin/" + os.path.basename(path)
    if path.startswith(tree + os.sep):
        return "tree/" + os.path.relpath(path, tree)
    return word

for test in json.load(sys.stdin)["tests"]:
    properties = {p["name"]: p["value"] for p in test["properties"]}
    labels = properties.get("LABELS", [])
    if "build" in labels or not re.search(sys.argv[3], test["name"]):
        continue
    if "command" not in test:
        sys.exit(test["name"] + ": not built")
    columns = [test["name"], ",".join(labels), ",".join(properties.get("ENVIRONMENT", []))]
    print("\t".join(columns + [" ".join(map(staged, test["command"]))]))
' "$build" "$tree" "$pattern"
}

copy_program() # PATH
{
    [ -x "$folder/bin/$(basename "$1")" ] && return
    cp -L "$1" "$folder/bin/"
    strip "$folder/bin/$(basename "$1")"
}

toolkit='cusparse|cublas|cublasLt|cusolver|curand|nvJitLink'

copy_libraries()
{
    for program in "$folder"/bin/*; do ldd "$program"; done | awk '/=> \// { print $3 }' | sort -u |
        grep -vE "/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|cuda|cudart|$toolkit))\.so[.0-9]*\$" |
        while read -r library; do
            case $library in
            */libgraphblas.so*) fail "GraphBLAS is too large to stage: configure with -DSPG_PEERS='cusparse;cxsparse'" ;;
            esac
            cp -L "$library" "$folder/lib/"
            strip --strip-unneeded "$folder/lib/$(basename "$library")"
        done
}

list_tests >"$folder/tests.list" || fail "$build: build it first"
[ -s "$folder/tests.list" ] || [ -n "$pattern" ] || fail "$build: no tests"
cut -f 4 "$folder/tests.list" | tr ' ' '\n' | sort -u | while read -r word; do
    case $word in
    bin/*) copy_program "$(find "$build/tests" "$build/bench" -type f -name "${word#bin/}" -perm -u+x | head -n 1)" ;;
    tree/*)
        mkdir -p "$folder/$(dirname "$word")"
        cp "$tree/${word#tree/}" "$folder/$word"
        ;;
    esac
done
for program in bench/spgemm_bench bench/amg_bench bench/sampling_bench bench/matrix_market_bench tests/soak/spg_soak; do
    [ ! -x "$build/$program" ] || copy_program "$build/$program"
done
copy_libraries
cp "$tree/tests/bench/bench_runs.sh" "$folder/tree/tests/bench/"
cp -r "$tree/matrices/tiny" "$tree/matrices/invalid" "$folder/tree/matrices/"
if [ -d "${SPG_REAL_MATRICES:-}" ]; then
    mkdir "$folder/real"
    cp "$SPG_REAL_MATRICES"/*.mtx "$folder/real/"
    chmod -R u+w "$folder/real"
fi
cp "$tree/tests/run_staged.sh" "$tree/tests/with_libraries.sh" "$tree/bench/growth.sh" \
    "$tree/bench/amg_growth.sh" "$folder/"
echo "$folder: $(wc -l <"$folder/tests.list") tests, $(du -sm "$folder" | cut -f 1) MB"

# One thread and a large window: copies of the same kernels in other programs are found.
if [ $# -eq 3 ]; then
    tar -C "$(dirname "$folder")" -c "$(basename "$folder")" | xz -T 1 --lzma2=preset=1,dict=64MiB >"$3"
    echo "$3: $(du -m "$3" | cut -f 1) MB"
fi
