#!/usr/bin/env python3
"""Writes the tables of docs/petsc.md from the records of petsc_bench and petsc_counts, and from cost_model.py.

    tables.py [--check] DOCUMENT RESULTS-FOLDER

A table stands between a line `<!-- table:NAME -->` and the next `<!-- end -->`. NAME is `petsc` or `petsc-device` (petsc.jsonl,
what was measured on the host or on a device), `petsc-model` (petsc_counts.jsonl beside the model) or `petsc-1024`. --check changes nothing and fails if a table is another.
"""
import contextlib
import io
import json
import pathlib
import re
import sys

import cost_model

MARKER = re.compile(r"(<!-- table:([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
WHAT = {"AP": "A*P", "PtAP": "P^T*A*P", "GAMG": "GAMG set-up"}


def records(folder, name):
    for path in sorted(pathlib.Path(folder).rglob(name)):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def bench_pairs(folder, place):
    """Lines of one run: one of PETSc is followed by spg's."""
    petsc = None
    for record in records(folder, "petsc.jsonl"):
        if record.get("place", "host") != place:
            continue
        if record["implementation"] == "petsc":
            petsc = record
        else:
            yield petsc, record


def bench_table(folder):
    """Of a repeated measurement the last counts."""
    rows = {}
    for petsc, record in bench_pairs(folder, "host"):
        row = rows.setdefault((record["processes"], record["matrix"], record["product"]), {})
        row[record["threads"]] = petsc, [petsc[f"{t}_ms"] / record[f"{t}_ms"] for t in ("first", "second", "repeat")]
    lines = ["| processes | matrix | what | PETSc, ms: first | repeat | PETSc's time over spg's: first | second | repeat | "
             "repeat, 2 threads |", "| ---: | --- | --- | " + " | ".join(["---:"] * 6) + " |"]
    for (processes, matrix, product), of in sorted(rows.items()):
        times, ratios = of[1]
        last = f"{of[2][1][2]:.2f}" if 2 in of else "-"
        lines.append(f"| {processes} | {matrix} | {WHAT[product]} | {times['first_ms']:.1f} | {times['repeat_ms']:.1f} | " +
                     " | ".join(f"{ratio:.2f}" for ratio in ratios) + f" | {last} |")
    return "\n".join(lines) + "\n"


def device_table(folder):
    rows = {}
    for petsc, spg in bench_pairs(folder, "device"):
        rows[spg["processes"], spg["n"], spg["matrix"], spg["product"]] = petsc, spg
    lines = ["| processes | bench_n | matrix | what | PETSc, ms: first | repeat | PETSc's time over spg's: first | second | repeat |",
             "| ---: | ---: | --- | --- | " + " | ".join(["---:"] * 5) + " |"]
    for (processes, n, matrix, product), (petsc, spg) in sorted(rows.items()):
        lines.append(f"| {processes} | {n} | {matrix} | {WHAT[product]} | {petsc['first_ms']:.1f} | {petsc['repeat_ms']:.2f} | " +
                     " | ".join(f"{petsc[t] / spg[t]:.2f}" for t in ("first_ms", "second_ms", "repeat_ms")) + " |")
    return "\n".join(lines) + "\n"


def model_table(folder):
    lines = ["| stencil | processes | phase | messages | model | bytes | model |",
             "| --- | ---: | --- | ---: | ---: | ---: | ---: |"]
    for record in records(folder, "petsc_counts.jsonl"):
        if record["processes"] > 1:
            messages, size = cost_model.predict(record)
            lines.append(f"| {record['points']} points | {record['processes']} | {record['phase']} | {record['messages']} | "
                         f"{messages} | {record['bytes']} | {size} |")
    return "\n".join(lines) + "\n"


def many_table(_):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        cost_model.table()
    return text.getvalue()


def main():
    check = "--check" in sys.argv
    document, folder = [argument for argument in sys.argv[1:] if argument != "--check"]
    make = {"petsc": bench_table, "petsc-device": device_table, "petsc-model": model_table, "petsc-1024": many_table}
    old = pathlib.Path(document).read_text(encoding="utf-8")
    new = MARKER.sub(lambda m: f"{m[1]}\n{make[m[2]](folder)}\n{m[3]}", old)
    if check and new != old:
        sys.exit(f"{document}: tables are not those of the records; run adapters/petsc/bench/tables.py")
    if not check:
        pathlib.Path(document).write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
