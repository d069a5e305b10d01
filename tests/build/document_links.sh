#!/bin/sh
# Whether relative links and pictures in documents (*.md) lead to files of the tree, and to headings where they name one.
#
#     document_links.sh TREE           lists links that lead nowhere; fails if there are any
#     document_links.sh --self-check   a made tree with a fault of each kind, each of which must be found
set -eu
python3 -c 'import re' 2>/dev/null || { echo "python3 is not here"; exit 77; }

check() # TREE
{
    python3 - "$1" <<'END'
import pathlib, re, subprocess, sys

root = pathlib.Path(sys.argv[1]).resolve()
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def documents():
    """Those that git tracks or does not ignore; without git, all."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z", "*.md"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        return [root / name for name in sorted(set(listed.stdout.split("\0"))) if name and (root / name).exists()]
    return sorted(root.rglob("*.md"))


def anchors(path):
    """What a heading is linked by: small letters, no punctuation, dashes for spaces."""
    headings = re.findall(r"^#+ +(.+?) *$", re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"),
                                                  flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


faults = seen = 0
for document in documents():
    for link in LINK.findall(CODE.sub("", document.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        seen += 1
        name, _, heading = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        fault = None
        if root != target and root not in target.parents:
            fault = "leads out of the tree"
        elif not target.exists():
            fault = "leads to no file"
        elif heading and (target.suffix != ".md" or heading not in anchors(target)):
            fault = "names no heading of it"
        if fault:
            print(f"{document.relative_to(root)}: {link}: {fault}")
            faults += 1
print(f"{seen} links, {faults} faults")
sys.exit(faults > 0 or seen == 0)
END
}

if [ "${1:-}" != --self-check ]; then check "$1"; exit; fi

fail() { echo "$*"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
mkdir "$scratch/docs"
# shellcheck disable=SC2016 # backquotes are the document's own
printf '# A page\n\n## Its *second* part: `f()`\n\n[up](../README.md), [part](#its-second-part-f)\n' >"$scratch/docs/page.md"
# shellcheck disable=SC2016
printf '[a](docs/page.md) [b](docs/page.md#a-page) [c](https://example.org) `[d](no)`\n\n```\n[e](no)\n```\n' \
    >"$scratch/README.md"
check "$scratch" >"$scratch/found" || fail "a sound tree is refused: $(cat "$scratch/found")"
grep -q '^4 links, 0 faults$' "$scratch/found" || fail "not its 4 links: $(cat "$scratch/found")"
for fault in 'docs/none.md: leads to no file' 'docs/page.md#none: names no heading of it' '#none: names no heading of it' \
    '../: leads out of the tree'; do
    printf '[x](%s)\n' "${fault%%: *}" >"$scratch/other.md"
    ! check "$scratch" >"$scratch/found" || fail "not found: $fault"
    grep -q -F "other.md: $fault" "$scratch/found" || fail "not told as '$fault': $(cat "$scratch/found")"
done
rm "$scratch"/*.md "$scratch/docs/page.md"
! check "$scratch" >"$scratch/found" || fail "a tree without links passed"
