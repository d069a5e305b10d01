#!/usr/bin/env python3
"""Writes the tables of measurements in README.md from what was recorded.

    tables.py [--check] [--readme README.md] [--results bench/results]

A table stands between a line `<!-- table:NAME -->` and the next `<!-- end -->`. NAME is PLACE-PRODUCT, such as host-AP,
for the records of spgemm_bench (spgemm*.jsonl, anywhere below the results' folder), with one table for each device and
value type; or `reading`, for those of matrix_market_bench (matrix_market*.jsonl). --check changes nothing and fails if
the tables are not those of the results.
"""
import argparse
import json
import math
import pathlib
import re
import sys

OWN = ("spg", "spg-plan")
NONE_YET = "No measurement is recorded yet.\n"
MARKER = re.compile(r"(<!-- table:([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def read_records(folder, files, fields):
    """All records in files of this pattern, in the order of files and lines; each must have the fields."""
    records = []
    for path in sorted(pathlib.Path(folder).rglob(files)):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
                for field in fields:
                    record[field]
            except (ValueError, KeyError, TypeError) as error:
                sys.exit(f"{path}:{number}: not such a record: {error!r}")
            records.append(record)
    return records


def time_of(record):
    """Milliseconds, or None for what was not measured or not verified."""
    if record is None or not record.get("verified"):
        return None
    return record.get("ms_median") or None


def digits(number):
    """Three significant digits, without an exponent."""
    if number is None:
        return "-"
    return f"{number:.{max(0, 2 - math.floor(math.log10(number)))}f}"


def times(number):
    return "-" if number is None else f"{number:.2f}"


def ratio(numerator, denominator):
    return None if numerator is None or denominator is None else numerator / denominator


def geometric_mean(numbers):
    logs = [math.log(n) for n in numbers if n is not None]
    return math.exp(sum(logs) / len(logs)) if logs else None


def is_peer(implementation):
    return implementation != "spg" and not implementation.startswith("spg-")


def one_table(records):
    """The table of one device, type and product: a later record of the same measurement replaces an earlier one."""
    matrices = {}
    for record in records:
        matrix = pathlib.PurePath(record["matrix"]).name
        matrices.setdefault(matrix, {})[record["implementation"]] = record
    peers = list(dict.fromkeys(r["implementation"] for r in records if is_peer(r["implementation"])))
    head = ["matrix", *(f"{name} ms" for name in [*OWN, *peers]), "peer / spg", "peer / plan", "spg / limit"]
    rows, ratios = [], []
    for matrix, found in matrices.items():
        own = [time_of(found.get(name)) for name in OWN]
        other = [time_of(found.get(name)) for name in peers]
        fastest = min((t for t in other if t is not None), default=None)
        limit = (found.get("spg") or {}).get("limit_ms") or None
        ratios.append([ratio(fastest, own[0]), ratio(fastest, own[1]), ratio(own[0], limit)])
        rows.append([matrix, *map(digits, own + other), *map(times, ratios[-1])])
    means = [times(geometric_mean(column)) for column in zip(*ratios)]
    rows.append(["geometric mean", *[""] * (len(OWN) + len(peers)), *means])
    return markdown(head, rows)


def markdown(head, rows):
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in [head, rule, *rows])


def product_tables(folder, place, product):
    groups = {}
    for record in read_records(folder, "spgemm*.jsonl", ("matrix", "product", "implementation", "place")):
        if record["place"] == place and record["product"] == product:
            groups.setdefault((record.get("device", "?"), record.get("type", "?")), []).append(record)
    tables = (f"{device}, {kind}:\n\n{one_table(group)}" for (device, kind), group in groups.items())
    return "\n".join(tables) or NONE_YET


def reading_table(folder):
    rows = []
    fields = ("file", "bytes", "nnz", "load_s", "count_lines_s", "read_s")
    for record in read_records(folder, "matrix_market*.jsonl", fields):
        counted = record["load_s"] + record["count_lines_s"]
        rows.append([pathlib.PurePath(record["file"]).name, digits(record["bytes"] / 1e6), str(record["nnz"]),
                     digits(counted), digits(record["read_s"]), times(record["read_s"] / counted)])
    head = ["file", "MB", "entries", "lines counted, s", "read, s", "read / counted"]
    return markdown(head, rows) if rows else NONE_YET


def table(folder, name):
    return reading_table(folder) if name == "reading" else product_tables(folder, *name.split("-", 1))


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Writes the tables of README.md from recorded measurements.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if README.md is stale")
    parser.add_argument("--readme", type=pathlib.Path, default=root / "README.md")
    parser.add_argument("--results", type=pathlib.Path, default=root / "bench" / "results")
    arguments = parser.parse_args()
    old = arguments.readme.read_text(encoding="utf-8")
    if not MARKER.search(old):
        sys.exit(f"{arguments.readme}: no <!-- table:NAME --> ... <!-- end -->")
    new = MARKER.sub(lambda m: f"{m[1]}\n{table(arguments.results, m[2])}\n{m[3]}", old)
    if new == old:
        return
    if arguments.check:
        sys.exit(f"{arguments.readme}: the tables are not those of {arguments.results}; run bench/tables.py")
    arguments.readme.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
