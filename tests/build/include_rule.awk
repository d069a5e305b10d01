# Reads the paths of all sources, relative to the tree; prints "path:line: what is why" for each violation.

# CUDA is for kernels/, and for what the bench, the tests, two examples and the plug-in for PETSc do on a device
# themselves.
function may_use_cuda(name)
{
    return name ~ /^(kernels|bench\/cuda|tests\/cuda|adapters\/[a-z]+\/cuda)\// || name ~ /^examples\/cuda_[a-z]+\.c$/
}

BEGIN {
    # What each directory may include of the tree; "src/*.h" is src's own headers and those
    # of its parts but host/, "amg/*.h" what amg/ shares.
    may["include"] = "include"
    may["src"] = "include src amg/*.h"
    may["matrices"] = "include matrices"
    may["amg"] = "include amg src/*.h"
    may["kernels"] = "include kernels src/*.h amg/*.h"
    may["bench"] = "include matrices bench"
    may["examples"] = "include matrices examples"
    may["adapters"] = "include adapters"
    may["tests"] = "include src amg kernels matrices bench examples tests"

    # What each may include in angle brackets, as a pattern; "" is anything.
    standard_c = "assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|" \
                 "stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|threads|time|uchar|" \
                 "wchar|wctype"
    platform = "(" standard_c "|pthread|x86intrin|immintrin|arm_neon|cpuid|sched|unistd|fcntl|sys/[a-z]+|" \
               "sanitizer/asan_interface)\\.h"
    angles["include"] = "(" standard_c ")\\.h"
    standard_cxx = "[a-z_]+" # in headers of C++ (*.hpp) alone
    angles["src"] = platform
    angles["amg"] = platform
    angles["matrices"] = platform "|(cholmod|zlib)\\.h"
    angles["examples"] = "(" standard_c "|cuda_runtime_api)\\.h|[a-z_]+"
    angles["kernels"] = ""
    angles["bench"] = ""
    angles["adapters"] = ""
    angles["tests"] = ""

    cuda_header = "^(cuda|cub/|thrust/|cooperative_groups|nvtx|nvml|cusparse|cublas|curand|vector_types|driver_types)"
    cuda_name = "(^|[^A-Za-z0-9_])(cuda[A-Z][A-Za-z]*_t|cuda(Malloc|Free|Memcpy|Launch|Get|Set)[A-Za-z]*|" \
                "cusparse[A-Z][A-Za-z0-9_]*|CUstream|__global__|__device__)([^A-Za-z0-9_]|$)"
}

{ exists[$0] = 1; paths[++count] = $0 }

# Folders of bench/ and of tests/ name each other's headers without the folder: only one file may have such a name.
/^(bench|tests|adapters)\// {
    top = $0
    sub(/\/.*/, "", top)
    name = $0
    sub(/.*\//, "", name)
    if ((top, name) in named) twin[named[top, name]] = $0
    else named[top, name] = $0
}

END {
    for (p = 1; p <= count; p++) read_source(paths[p])
    exit violations > 0
}

function violation(what, why)
{
    print path ":" number ": " what " is " why
    violations++
}

function read_source(name,    line)
{
    path = name
    number = 0
    in_comment = 0
    while ((getline line < path) > 0) {
        number++
        line = without_comments(line)
        if (line ~ /^[ \t]*#[ \t]*include/) check_include(line)
        else if (!may_use_cuda(path) && match(line, cuda_name)) {
            line = substr(line, RSTART, RLENGTH)
            gsub(/[^A-Za-z0-9_]/, "", line)
            violation(line, "CUDA outside kernels/ and */cuda/")
        }
    }
    close(path)
}

# Strings are taken for code: a comment's start inside one would hide the rest of its line.
function without_comments(line,    kept, at)
{
    kept = ""
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            if (at == 0) return kept
            line = substr(line, at + 2)
            in_comment = 0
        } else if (match(line, /\/[*\/]/)) {
            kept = kept substr(line, 1, RSTART - 1)
            if (substr(line, RSTART + 1, 1) == "/") return kept
            line = substr(line, RSTART + 2)
            in_comment = 1
        } else {
            return kept line
        }
    }
    return kept
}

function check_include(line,    name, where, top)
{
    top = path
    sub(/\/.*/, "", top)
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", line)
    if (line ~ /^</) {
        name = substr(line, 2, index(line, ">") - 2)
        if (name ~ cuda_header && !may_use_cuda(path)) violation("<" name ">", "CUDA outside kernels/ and */cuda/")
        else if (name ~ /^spg\//) check_target("<" name ">", find(name), top)
        else if (top == "include" && path ~ /\.hpp$/ && name ~ "^(" standard_cxx ")$") return
        else if (angles[top] != "" && name !~ "^(" angles[top] ")$") violation("<" name ">", "not for " top "/")
    } else if (line ~ /^"/) {
        name = substr(line, 2)
        name = substr(name, 1, index(name, "\"") - 1)
        where = path
        sub(/[^\/]*$/, "", where)
        where = plain(where name)
        if (!(where in exists)) {
            where = find(name)
            if (where in twin) violation("\"" name "\"", where " or " twin[where])
        }
        check_target("\"" name "\"", where, top)
    }
}

# The tree's file of this name in the directories that are on an include path.
function find(name,    roots, r, n)
{
    n = split("include src matrices bench tests amg kernels adapters", roots, " ")
    for (r = 1; r <= n; r++) {
        if ((roots[r], name) in named) return named[roots[r], name]
        if (roots[r] !~ /^(bench|tests|adapters)$/ && plain(roots[r] "/" name) in exists) return plain(roots[r] "/" name)
    }
    return name ~ /^amg\// && name in exists ? name : ""
}

# Without "x/../" and "./".
function plain(name)
{
    gsub(/\/\.\//, "/", name)
    while (sub(/[^\/.]+\/\.\.\//, "", name)) continue
    return name
}

function check_target(what, target, top,    allowed, a, n, target_top)
{
    if (target == "") {
        violation(what, "no file of this tree")
        return
    }
    target_top = target
    sub(/\/.*/, "", target_top)
    n = split(may[top], allowed, " ")
    for (a = 1; a <= n; a++)
        if (allowed[a] == target_top || (allowed[a] == "src/*.h" && target ~ /^src\/((operations|sampling|spgemm|threads)\/)?[^\/]*\.h$/) ||
            (allowed[a] == "amg/*.h" && target ~ /^amg\/(amg_backend|complex\/filter|krylov\/krylov_backend|krylov\/scalars|lanczos|many_backend|numerics|random|units)\.h$/)) return
    violation(what, "of " target ", which " top "/ must not include")
}
