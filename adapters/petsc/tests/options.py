"""The options of -pc_type spg: members of spg_amg_options, options that -help lists, and those of docs/petsc.md are the
same.

    program -pc_type spg -help | python3 tests/options.py
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
NEAR_NULL_SPACE = {"candidates", "candidate_values"}  # the matrix's near null space gives them
ELSEWHERE = {"timing"}  # for devices
RENAMED = {"precision": "f32"}


def members():
    text = (ROOT / "include/spg/amg.h").read_text(encoding="utf-8")
    text = text.split("typedef struct spg_amg_options {")[1].split("} spg_amg_options;")[0]
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = {name for names in re.findall(r"[\w*]+ +\*?([\w, ]+);", text) for name in names.split(", ")}
    return {RENAMED.get(name, name) for name in names - NEAR_NULL_SPACE - ELSEWHERE}


def documented():
    text = (ROOT / "docs/petsc.md").read_text(encoding="utf-8").split("| option `-pc_spg_...` |")[1].split("\n\n")[0]
    first_cells = [line.split("|")[1] for line in text.splitlines()[2:]]
    return set(re.findall(r"`(\w+)`", " ".join(first_cells)))


def main():
    listed = set(re.findall(r"^ *-pc_spg_(\w+)", sys.stdin.read(), flags=re.M))
    wanted, faults = members(), []
    for name, found in (("-help", listed), ("docs/petsc.md", documented())):
        faults += [f"{name} lacks {option}" for option in sorted(wanted - found)]
        faults += [f"{name} has {option}, which spg_amg_options lacks" for option in sorted(found - wanted)]
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(wanted)} options of -pc_type spg")


if __name__ == "__main__":
    main()
