# Made-up results in $scratch/results, of two hosts and a GPU, and a way to run bench/tables.py on them. Read by
# readme_tables.sh with $1 the source tree.
tree=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
mkdir -p "$scratch/results/one_cpu" "$scratch/results/other_cpu" "$scratch/results/gpu"

fail() { echo "$*"; exit 1; }

tables() { python3 "$tree/bench/tables.py" --readme "$scratch/README.md" --results "$scratch/results" "$@"; }

record() # matrix product implementation ms limit verified device
{
    printf '{"matrix": "%s", "product": "%s", "implementation": "%s", "place": "host", ' "$1" "$2" "$3"
    printf '"device": "%s", "type": "f64", "ms_median": %s, "limit_ms": %s, "verified": %s}\n' "$7" "$4" "$5" "$6"
}

device_record() # matrix product implementation ms workspace
{
    printf '{"matrix": "%s", "product": "%s", "implementation": "%s", "place": "device", ' "$1" "$2" "$3"
    printf '"device": "A GPU", "type": "f64", "rows": 1000, "products": 12500000, "contraction": 2.5, "limit_ms": 0.5, '
    printf '"ms_median": %s, "work_bytes": %s, "analysis_ms": 0.1, "expand_sort_ms": 0.5, "contract_ms": 0.3, ' "$4" "$5"
    printf '"assemble_ms": 0.1, "verified": true}\n'
}

{
    record grid AP spg 999 5 true 'A CPU' # measured again below
    record grid AP spg 10 5 true 'A CPU'
    record grid AP spg-plan 5 5 true 'A CPU'
    record grid AP cxsparse 30 5 true 'A CPU'
    record grid AP eigen 20 5 true 'A CPU'
    record mesh AP spg 2.5 0.625 true 'A CPU'
    record some/where/mesh AP cxsparse 20 0.625 true 'A CPU'
    record mesh AP eigen 1 0.625 false 'A CPU' # wrong: no time is shown
    record mesh AA spg 123.4 1 true 'A CPU'
} >"$scratch/results/one_cpu/spgemm.jsonl"
record grid AP spg 0.04567 0.01 true 'Another CPU' >"$scratch/results/other_cpu/spgemm.jsonl"

printf '{"file": "a/b.mtx", "bytes": 2500000, "nnz": 1000, "load_s": 0.01, "count_lines_s": 0.01, "read_s": 0.05}\n' \
    >"$scratch/results/one_cpu/matrix_market.jsonl"

{
    device_record grid AA spg 1.25 40000
    device_record grid AA spg-plan 0.5 0
    device_record grid AA cusparse-default 6 5000000
    device_record grid AA cusparse-alg1 5 4000000
    device_record grid AA cusparse-reuse 1 7000000
    device_record grid AA cusparse-again 1.5 7000000
} >"$scratch/results/gpu/spgemm.jsonl"
{
    device_record grid AP spg 1 0
    device_record grid AP spg-paper 2 0
    device_record grid AP spg-reference 6 0
    device_record grid AP cusparse-alg3 4 0
} >"$scratch/results/gpu/paper.jsonl"
device_record fd3d7:32 AP spg 1.25 40000 >"$scratch/results/gpu/growth.jsonl"
{
    device_record hub AA spg 2 30000
    device_record hub AA cusparse-alg1 8 3000000
    device_record hub AP spg 1 20000
} >"$scratch/results/gpu/mixed.jsonl"
{
    device_record grid AP spg 1 16000000
    device_record grid AP spg-plan 0.5 900000000
    device_record grid AA spg 2 15000000 | sed 's/"verified": true/"verified": false/'
} >"$scratch/results/gpu/limit16M.jsonl"

amg_record() # matrix implementation smoother setup_ms rows iterations
{
    printf '{"matrix": "%s", "implementation": "%s", "smoother": "%s", "setup_ms": %s, "rows": %s, ' "$1" "$2" "$3" "$4" "$5"
    printf '"iterations": %s, "place": "host", "device": "A CPU by %s", "type": "f64", "aggregation": "mis2", ' "$6" "$2"
    printf '"max_coarse": 10, "levels": [{"rows": 9}, {"rows": 2}], "operator_complexity": 1.25, "galerkin_ms": 5, '
    printf '"setup_by_steps_ms": 10, "AP_ms": 2, "AP_limit_ms": 0.5, "coarse_ms": 1, "small_levels_ms": 2.5, '
    printf '"update_ms": 2, "solve_ms": 7}\n'
}

{
    amg_record grid spg jacobi 12 9 14
    amg_record grid pyamg jacobi 60 9 15
} >"$scratch/results/one_cpu/amg_setup.jsonl"
{
    amg_record grid:20 spg jacobi 1 400 9
    amg_record grid:10 spg jacobi 1 100 8
    amg_record grid:20 spg l1 1 400 12
    amg_record grid:20 spg chebyshev 1 400 11 | sed 's/"place"/"join": "off", "degree": 3, &/'
} >"$scratch/results/one_cpu/amg_growth.jsonl"
cycle_record() # cycle prolongator_relaxation smoother setup_ms iterations
{
    amg_record grid spg "$3" "$4" 9 "$5" | sed "s/\"place\"/\"cycle\": \"$1\", \"prolongator_relaxation\": $2, \"bytes\": 900, &/"
}

{
    amg_record grid spg jacobi 12 9 14 | sed 's/"place"/"prolongator_relaxation": 1.5, "bytes": 1800, &/'
    cycle_record k 1.5 jacobi 12 11
    cycle_record k 0 jacobi 6 15
} >"$scratch/results/one_cpu/amg_k_cycle.jsonl"
{
    cycle_record v 1.5 jacobi 12 99
    cycle_record k 1.5 jacobi 12 98
    cycle_record v 1.5 chebyshev 12 40 | sed 's/"place"/"degree": 3, "ratio": 20, &/'
} >"$scratch/results/one_cpu/amg_solids.jsonl"

peer_record() # matrix implementation setup_ms solve_ms iterations
{
    printf '{"matrix": "%s", "implementation": "%s", "setup_ms": %s, "solve_ms": %s, "iterations": %s, ' "$1" "$2" "$3" "$4" "$5"
    printf '"place": "device", "device": "device 0, A GPU", "type": "f64", "rows": 9, "level_count": 4, '
    printf '"operator_complexity": 1.5}\n'
}

{
    peer_record grid hypre 30 20 6
    peer_record grid spg 10 10 9
    peer_record grid amgx 10 100 30
    peer_record mesh spg 5 5 8
    peer_record mesh hypre null null 200 # it missed the tolerance
    peer_record mesh amgx 10 10 9
} >"$scratch/results/gpu/amg_peers.jsonl"

draw_record() # phase implementation rows items ms limit
{
    printf '{"weights": "uniform", "phase": "%s", "implementation": "%s", "place": "device", "device": "A GPU", ' "$1" "$2"
    printf '"type": "f64", "rows": %s, "items": %s, "draws": 1000000000, "order": "independent", ' "$3" "$4"
    printf '"uniforms": "random", "ms_median": %s, "limit_ms": %s, "table_bytes": 8000000, "verified": true}\n' "$5" "$6"
}

topics_record() # implementation topics ms [fields]
{
    printf '{"weights": "lda", "phase": "draw", "implementation": "%s", "place": "device", "device": "A GPU", ' "$1"
    printf '"type": "f32", "topics": %s, %s"ms_median": %s, "limit_ms": 1, "verified": true}\n' "$2" "${4:-}" "$3"
}

{
    draw_record build spg-alias 1 1000000 0.05 0.01
    draw_record draw spg-alias 1 1000000 8 1.6
    draw_record draw spg-butterfly 100000 102400000 0.25 0.2
    topics_record read-only 64 2
    topics_record spg-butterfly 64 2.2
    topics_record spg-butterfly-plain 64 44
    topics_record spg-butterfly-table 64 66
    topics_record spg-butterfly 65 3 '"paper": "butterfly", ' # not shown
    topics_record spg-butterfly-plain 128 10 '"paper": "butterfly", '
    topics_record spg-butterfly-table 128 25 '"paper": "butterfly", '
} >"$scratch/results/gpu/sampling.jsonl"
{
    for method in alias monotone; do
        printf '{"paper": "forest", "figure": 9, "implementation": "%s", "place": "device", "device": "A GPU", ' $method
        printf '"draws": 8192, "quadratic_error": 1e-%s, "verified": true}\n' ${#method} # 5 and 8 letters
    done
    printf '{"paper": "forest", "table": 1, "weights": "i20", "implementation": "spg-forest", "place": "device", '
    printf '"device": "A GPU", "maximum": 17, "average": 1.19, "average_32": 3.09, "paper_maximum": 16, '
    printf '"paper_average": 1.23, "paper_average_32": 3.46, "verified": true}\n'
} >"$scratch/results/gpu/sampling_forest.jsonl"

alias_record() # phase method ms split chunks splits sampler draws
{
    printf '{"paper": "alias", "weights": "uniform", "phase": "%s", "implementation": "spg-alias-%s", ' "$1" "$2"
    printf '"place": "device", "device": "A GPU", "items": 10000000, "builder": "psa", "ms_median": %s, ' "$3"
    printf '"split": "%s", "chunks": %s, "splits": %s, "left": 200000, "sampler": "%s", "draws": %s, ' "$4" "$5" "$6" "$7" "$8"
    [ "$3" = null ] && why='"A reason"' verified=false || why=null verified=true
    printf '"why_not": %s, "verified": %s}\n' "$why" "$verified"
}

{
    for phase in build sum tiles split pack; do alias_record $phase psa 0.2 p-ary 1 6 auto 0; done
    alias_record partition psa null p-ary 1 6 auto 0
    alias_record build sweep null p-ary 1 6 auto 0
    alias_record split splits 0.03 p-ary 2 300 auto 0
    alias_record split splits 0.06 binary 2 300 auto 0
    alias_record pack splits 0.1 p-ary 2 300 auto 0
    for way in send fetch; do alias_record $way auto 5 p-ary 1 0 auto 0; done
    alias_record build-alone auto 0.2 p-ary 1 0 auto 0
    alias_record send-build-fetch auto 10 p-ary 1 0 auto 0
    alias_record draw baseline 8 p-ary 1 0 baseline 1000000000
    alias_record draw shared 2 p-ary 1 0 shared 1000000000
    alias_record build shared 0.3 p-ary 1 0 shared 0 # not shown
} >"$scratch/results/gpu/sampling_alias.jsonl"
