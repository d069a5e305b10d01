#!/bin/sh
# Who may include whom, over every source of a tree; and no CUDA outside kernels/, bench/cuda/, tests/cuda/,
# adapters/*/cuda/ and examples/cuda_*.c.
#
#     include_rule.sh TREE           lists violations; fails if there are any
#     include_rule.sh --self-check   a made tree with one violation of each kind, each of which must be found
set -eu

check()
{
    cd "$1"
    find include src amg kernels matrices bench examples adapters tests -type f \
        \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.inc' -o -name '*.cu' -o -name '*.cuh' \) \
        2>/dev/null | sort | awk -f "$rules"
}

put()
{
    mkdir -p "$(dirname "$1")"
    printf '%s\n' "$2" >"$1"
}

# A tree in which every line of the file `expected` must be reported, and nothing else.
self_check()
{
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    trap 'exit 1' INT TERM HUP
    cd "$tree"
    put include/spg/a.h '#include <stdint.h>
#include "spg/b.h"
/* a comment may name
#include "context.h"
and cudaStream_t */ // #include "context.h"'
    put include/spg/b.h '#include <stddef.h>'
    put include/spg/d.h '#include <unistd.h>'
    put include/spg/c.h '#include "context.h"'
    put include/spg/e.h '#include <vector>'
    put include/spg/f.hpp '#include "spg/a.h"
#include <vector>
#include <unistd.h>'
    put src/context.h '#include "spg/a.h"
#include <sys/mman.h>'
    put src/host/host.h '#include "context.h"'
    put src/host/a.c '#include "host.h"
#include <immintrin.h>
#  include <cs.h>'
    put src/b.c '#include "generators.h"'
    put src/c.c 'static cudaStream_t stream;'
    put src/d.c '#include "gone.h"'
    put amg/a.c '#include "context.h"
#include "host/host.h"'
    put kernels/a.cu '#include "context.h"
#include <cub/cub.cuh>
cudaStream_t stream;'
    put kernels/b.cu '#include "../src/host/host.h"'
    put matrices/generators.h '#include "spg/a.h"
#include <cholmod.h>'
    put matrices/a.c '#include "context.h"'
    put bench/a.c '#include "generators.h"
#include <GraphBLAS.h>
#include "../src/context.h"'
    put bench/b.cpp '#include <cuda_runtime.h>'
    put bench/c.c 'static cusparseHandle_t handle;'
    put bench/cuda/a.h '#include "spg/a.h"
#include "generators.h"
#include <cusparse.h>'
    put bench/cuda/b.c '#include "a.h"
#include "context.h"
static cusparseHandle_t handle;'
    put bench/cuda/deep/a.cu '#include "a.h"
#include <cub/cub.cuh>
#include "cores.h"'
    put bench/common/options.h '#include "spg/a.h"'
    put bench/common/parse.h '#include "options.h"'
    put bench/peers/peer.c '#include "parse.h"
#include "common/parse.h"
#include "options.h"'
    put bench/peers/cuda/a.c '#include <cuda_runtime.h>'
    put bench/spgemm/options.h '#include "generators.h"'
    put bench/spgemm/verify/a.c '#include "../options.h"'
    put src/cores.h '#include "spg/a.h"'
    put examples/a.c '#include <spg/a.h>
#include <stdio.h>
#include <cholmod.h>'
    put examples/b.c '#include <cuda_runtime_api.h>'
    put examples/cuda_a.c '#include <cuda_runtime_api.h>
static cudaStream_t stream;
#include <cub/cub.cuh>'
    put adapters/one/a.c '#include "one.h"
#include <petscmat.h>
#include "context.h"'
    put adapters/one/one.h '#include <spg/a.h>
#include "generators.h"'
    put tests/a.c '#include "context.h"
#include "host/host.h"
#include "generators.h"
#include <cmocka.h>'
    put tests/b.c 'static cudaStream_t stream;'
    put tests/cuda/a.c '#include "host/host.h"
#include <cuda_runtime_api.h>
static cudaStream_t stream;'
    put tests/support/place.h '#include "context.h"'
    put tests/products/place.h '#include "options.h"'
    put tests/products/plans/a.c '#include "place.h"
#include "products.h"'
    put tests/products/support/products.h '#include "parse.h"'
    put tests/support/place.c '#include "place.h"'
    put tests/cuda/streams/a.c '#include "products.h"
#include <cuda_runtime_api.h>
static cudaStream_t stream;'
    put tests/streams/cuda/a.c 'static cudaStream_t stream;'
    expected='adapters/one/a.c:3: "context.h"
adapters/one/one.h:2: "generators.h"
amg/a.c:2: "host/host.h"
bench/a.c:3: "../src/context.h"
bench/b.cpp:1: <cuda_runtime.h>
bench/c.c:1: cusparseHandle_t
bench/cuda/b.c:2: "context.h"
bench/cuda/deep/a.cu:3: "cores.h"
bench/peers/cuda/a.c:1: <cuda_runtime.h>
bench/peers/peer.c:2: "common/parse.h"
bench/peers/peer.c:3: "options.h"
examples/a.c:3: <cholmod.h>
examples/b.c:1: <cuda_runtime_api.h>
examples/cuda_a.c:3: <cub/cub.cuh>
include/spg/c.h:1: "context.h"
include/spg/d.h:1: <unistd.h>
include/spg/e.h:1: <vector>
include/spg/f.hpp:3: <unistd.h>
kernels/b.cu:1: "../src/host/host.h"
matrices/a.c:1: "context.h"
src/b.c:1: "generators.h"
src/c.c:1: cudaStream_t
src/d.c:1: "gone.h"
src/host/a.c:3: <cs.h>
tests/b.c:1: cudaStream_t
tests/products/place.h:1: "options.h"
tests/products/plans/a.c:1: "place.h"
tests/streams/cuda/a.c:1: cudaStream_t'
    found=$(check "$tree") && { echo "a tree with violations passed"; exit 1; }
    found=$(printf '%s\n' "$found" | sed 's/ is .*//')
    [ "$found" = "$expected" ] || { printf 'expected:\n%s\nfound:\n%s\n' "$expected" "$found"; exit 1; }
    cd "$tree"
    printf '%s\n' "$expected" | cut -d: -f1 | sort -u | xargs rm
    check "$tree" || { echo "a tree without violations failed"; exit 1; }
}

rules=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/include_rule.awk
if [ "${1:-}" = --self-check ]; then self_check; else check "$1"; fi
