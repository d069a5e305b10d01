#!/bin/sh
# Whether each name of the public headers has its comment, and each reference in headers and pages leads somewhere, as
# doxygen sees them.
#
#     manual.sh TREE                 lists what lacks; fails if anything does
#     manual.sh --self-check TREE    a copy of the tree with a fault of each kind, each of which must be found
set -eu
command -v doxygen >/dev/null 2>&1 || { echo "SKIPPED: the manual: doxygen is not here"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

fail() { echo "$*"; exit 1; }

# Doxygen says nothing of values of enumerations: one with no comment after it or on the line before.
bare_enumerators() # HEADER...
{
    for header; do
        awk -f docs/doxygen/headers.awk "$header" | awk -v header="$header" '
            /^ +SPG_[A-Z0-9_]+( = [^,]*)?,?$/ && before !~ /\*\/$/ {
                print header ":" FNR ": value of an enumeration is not documented: " $1
            }
            NF { before = $0 }'
    done
}

check() # TREE
{
    cd "$1"
    { cat docs/doxygen/Doxyfile; echo "OUTPUT_DIRECTORY = $scratch/out"; echo "WARN_LOGFILE = $scratch/log"; } >"$scratch/Doxyfile"
    rm -rf "$scratch/out" "$scratch/log"
    mkdir "$scratch/out"
    doxygen "$scratch/Doxyfile" || { cat "$scratch/log"; fail "doxygen failed"; }
    bare_enumerators include/spg/*.h >>"$scratch/log"
    cat "$scratch/log"
    for page in index promises spgemm_8h structspg__csr; do
        [ -s "$scratch/out/html/$page.html" ] || fail "the manual has no $page.html"
    done
    [ ! -s "$scratch/log" ]
}

if [ "${1:-}" != --self-check ]; then check "$1"; exit; fi

tree=$2
mkdir -p "$scratch/tree/include"
cp -R "$tree/include/spg" "$scratch/tree/include/"
cp -R "$tree/docs" "$scratch/tree/"
cat >"$scratch/tree/include/spg/faults.h" <<'END'
/* A header with faults. */
#define SPG_BARE_MACRO 1

/* A struct. */
typedef struct spg_faults {
    int bare_member;
    int first, second; /* both have this comment,
                          which has two lines */
} spg_faults;

/* Values. */
typedef enum spg_values {
    SPG_BARE_VALUE = 0,
    SPG_VALUE = 1, /* a value */
    /* Another value. */
    SPG_OTHER_VALUE = 2
} spg_values;

void spg_bare_function(void);

/* Has a comment; see spg_nowhere for more. */
void spg_function(void);
END
printf '# Faults\n\n[no page](nowhere.md), [no heading](promises.md#nothing), [a heading](#its-part)\n\n## Its part\n' \
    >"$scratch/tree/docs/faults.md"
(check "$scratch/tree" >"$scratch/found") && fail "a manual with faults passed"
for fault in 'faults.h:2: .*SPG_BARE_MACRO' 'faults.h:6: .*bare_member' 'faults.h:13: .*SPG_BARE_VALUE' \
    'faults.h:19: .*spg_bare_function' 'faults.h:21: .*spg_nowhere' 'faults.md:3: .*nowhere' \
    'faults.md:3: .*promises_nothing'; do
    grep -q "$fault" "$scratch/found" || fail "not found: $fault: $(cat "$scratch/found")"
done
[ "$(sort -u "$scratch/found" | wc -l)" -eq 7 ] || fail "not 7 faults: $(cat "$scratch/found")"
