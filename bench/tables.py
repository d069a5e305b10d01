#!/usr/bin/env python3
"""Writes the tables of measurements in README.md, bench/results/README.md, docs/multigrid.md and
docs/sampling.md, and the pictures beside the records.

    tables.py [--check] [--show NAME] [--readme README.md] [--results bench/results]

A table stands between a line `<!-- table:NAME -->` and the next `<!-- end -->`. Records lie anywhere below the results'
folder; there is one table for each device and value type. The pictures are those of speed_plot.py and amg_plot.py. NAME is

    device-summary                            one line a product: README.md's
    host-AP, host-AA, host-RAP, device-...    products (spgemm*.jsonl, by spgemm_bench)
    device-RAP-apart                          the two products of R*A*P alone (spgemm_rap*.jsonl)
    device-plan                               plans, of the same records
    device-paper                              speed-ups and phases of spgemm_bench --paper (paper*.jsonl)
    device-mixed                              matrices of rows of very different lengths (mixed*.jsonl)
    device-limit                              products under a limit of workspace (limit*.jsonl)
    device-growth                             how cost grows with size (growth*.jsonl, by growth.sh)
    host-amg, device-amg                      hierarchies (amg_setup*.jsonl, by amg_bench; by pyamg_setup.py its peer)
    device-amg-f32                            the same with hierarchies in floats (amg_f32*.jsonl)
    host-amg-peers, device-amg-peers          hierarchies beside other libraries (amg_peers*.jsonl, by amg_bench --peers)
    host-amg-steps, device-amg-steps          their set-up by step
    host-amg-cycles, device-amg-cycles        V-cycles and K-cycles (amg_k_cycle*.jsonl, by amg_bench --cycle)
    host-amg-solids                           smoothers of nearly incompressible solids (amg_solids*.jsonl, likewise)
    host-amg-growth, device-amg-growth        iterations against size (amg_growth*.jsonl, by amg_growth.sh): amg_tables.py
    device-draws, device-rows, device-tables, device-topics, device-figures, device-loads, device-errors,
    device-builders, device-phases, device-splits, device-transfers, device-samplers, host-...
                                              sampling (sampling*.jsonl, by record_sampling.sh): see sampling_tables.py
    host-packages, device-packages            draws through Python beside those of other packages (sampling_packages*.jsonl,
                                              by python/bench/sampling.py)
    reading                                   files read (matrix_market*.jsonl, by matrix_market_bench)

--check changes nothing and fails if tables or pictures are not those of the results. --show NAME prints a table.
"""
import argparse
import json
import math
import pathlib
import re
import sys

import amg_plot
import amg_tables
import sampling_tables
import speed_plot

OWN = ("spg", "spg-plan")
REPEATS = ("cusparse-reuse", "cusparse-again")
PRODUCTS = {"AP": "A*P", "AA": "A*A", "RAP": "R*A*P"}
PHASES = ("analysis_ms", "expand_sort_ms", "contract_ms", "assemble_ms")
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
    if number == 0:
        return "0"
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


def by_matrix(records):
    """{matrix: {implementation: record}}: a later record of the same measurement replaces an earlier one."""
    matrices = {}
    for record in records:
        matrix = pathlib.PurePath(record["matrix"]).name
        matrices.setdefault(matrix, {})[record["implementation"]] = record
    return matrices


def field(record, name):
    return None if record is None else record.get(name)


def fastest(found, choose):
    """Name and time of the fastest of the implementations chosen."""
    measured = [(time_of(r), name) for name, r in found.items() if choose(name) and time_of(r) is not None]
    return min(measured, default=(None, None))


def host_table(records):
    peers = list(dict.fromkeys(r["implementation"] for r in records if is_peer(r["implementation"])))
    head = ["matrix", *(f"{name} ms" for name in [*OWN, *peers]), "peer / spg", "peer / plan", "spg / limit"]
    rows, ratios = [], []
    for matrix, found in by_matrix(records).items():
        own = [time_of(found.get(name)) for name in OWN]
        other = [time_of(found.get(name)) for name in peers]
        best, _ = fastest(found, is_peer)
        limit = field(found.get("spg"), "limit_ms") or None
        ratios.append([ratio(best, own[0]), ratio(best, own[1]), ratio(own[0], limit)])
        rows.append([matrix, *map(digits, own + other), *map(times, ratios[-1])])
    return markdown(head, rows + mean_rows(ratios, len(OWN) + len(peers)))


def mean_rows(ratios, blanks):
    return [["geometric mean", *[""] * blanks, *(times(geometric_mean(column)) for column in zip(*ratios))]]


def is_one_shot_peer(implementation):
    return is_peer(implementation) and implementation not in REPEATS


def by_product(records):
    """The same as by_matrix for each product, under the names of both."""
    return {f"{matrix} {PRODUCTS[product]}": found for product in PRODUCTS
            for matrix, found in by_matrix(r for r in records if r["product"] == product).items()}


def device_table(records):
    return one_shot_table("matrix", by_matrix(records))


def mixed_table(records):
    return one_shot_table("product", by_product(records))


def one_shot_table(what, products):
    """One-shot products, beside the fastest algorithm of cuSPARSE, and workspace beside that of its ALG1."""
    head = [what, "products", "contraction", "limit ms", "spg ms", "peer ms", "which", "peer / spg", "spg / limit",
            "spg work MB", "alg1 work MB", "work / alg1"]
    rows, ratios, shares = [], [], []
    for name_of_row, found in products.items():
        spg, alg1 = found.get("spg"), found.get("cusparse-alg1")
        best, name = fastest(found, is_one_shot_peer)
        limit, work, theirs = field(spg, "limit_ms"), field(spg, "work_bytes"), field(alg1, "work_bytes")
        ratios.append([ratio(best, time_of(spg)), ratio(time_of(spg), limit)])
        shares.append(ratio(work, theirs))
        rows.append([name_of_row, f"{(spg or next(iter(found.values())))['products'] / 1e6:.1f}M",
                     times(field(spg, "contraction")), *map(digits, [limit, time_of(spg), best]), short_name(name),
                     *map(times, ratios[-1]), megabytes(work), megabytes(theirs), share(shares[-1])])
    means = [times(geometric_mean(column)) for column in zip(*ratios)]
    rows.append(["geometric mean", *[""] * 6, *means, "", "", share(geometric_mean(shares))])
    return markdown(head, rows)


def summary_table(records):
    """Each product in a line: means and the least of peer / spg, spg / limit, spg's workspace as a share of ALG1's."""
    head = ["product", "cuSPARSE / spg, mean", "least", "spg / memory limit, mean", "workspace, % of ALG1's"]
    rows, plans = [], []
    for product, name in PRODUCTS.items():
        of_product = by_matrix(r for r in records if r["product"] == product).values()
        speeds, limits, shares = [], [], []
        for found in of_product:
            spg, plan = found.get("spg"), found.get("spg-plan")
            speeds.append(ratio(fastest(found, is_one_shot_peer)[0], time_of(spg)))
            limits.append(ratio(time_of(spg), field(spg, "limit_ms")))
            shares.append(ratio(field(spg, "work_bytes"), field(found.get("cusparse-alg1"), "work_bytes")))
            repeat = ratio(fastest(found, REPEATS.__contains__)[0], time_of(plan))
            plans.append((repeat, ratio(time_of(plan), field(plan, "limit_ms")) if repeat is not None else None))
        if of_product:
            rows.append([name, *summary(speeds), times(geometric_mean(limits)), percent(geometric_mean(shares))])
    if any(repeat is not None for repeat, _ in plans):
        speeds, limits = zip(*plans)
        rows.append(["new values, known pattern", *summary(speeds), times(geometric_mean(limits)), "-"])
    return markdown(head, rows) if rows else ""


def summary(ratios):
    return [times(geometric_mean(ratios)), times(min((x for x in ratios if x is not None), default=None))]


def percent(number):
    return "-" if number is None else f"{100 * number:.2g}"


def apart_table(records):
    """The two products of R*A*P alone; the second beside the time of reading R and A*P and writing C."""
    head = ["matrix", "A*P ms", "R*(A*P) ms", "limit ms", "R*(A*P) / limit", "plan: A*P ms", "plan: R*(A*P) ms",
            "plan: R*(A*P) / limit"]
    rows = []
    for matrix, found in by_matrix(records).items():
        row = [matrix]
        for own in OWN:
            AP, RAP, limit = (field(found.get(own), name) for name in ("AP_ms", "RAP_ms", "RAP_limit_ms"))
            row += [digits(AP), digits(RAP), *([digits(limit)] if own == OWN[0] else []), times(ratio(RAP, limit))]
        rows.append(row)
    return markdown(head, rows)


def short_name(implementation):
    return "-" if implementation is None else implementation.removeprefix("cusparse-")


def megabytes(count):
    return "-" if count is None else f"{count / 1e6:.3g}" if count < 1e8 else f"{count / 1e6:.0f}"


def share(number):
    return "-" if number is None else f"{number:.2g}"


def plan_table(records):
    """Numbers alone: plan runs beside those of cuSPARSE's two ways that were measured."""
    measured = {r["implementation"] for r in records}
    repeats = [name for name in REPEATS if name in measured] or REPEATS[:1]
    head, rows, ratios = ["product", "spg-plan ms", *(f"{short_name(name)} ms" for name in repeats),
                          *(f"{short_name(name)} / plan" for name in repeats), "plan / limit"], [], []
    for name, found in by_product(records).items():
        plan, theirs = time_of(found.get("spg-plan")), [time_of(found.get(repeat)) for repeat in repeats]
        if plan is None and not any(theirs):
            continue
        ratios.append([*(ratio(ms, plan) for ms in theirs), ratio(plan, field(found.get("spg-plan"), "limit_ms"))])
        rows.append([name, *map(digits, [plan, *theirs]), *map(times, ratios[-1])])
    return markdown(head, rows + mean_rows(ratios, 1 + len(repeats))) if rows else ""


def limit_table(records):
    """What is held beside C, and beside a plan, where workspace is limited; and whether all was right."""
    rows = []
    for name, found in by_product(records).items():
        for own in (found[implementation] for implementation in OWN if implementation in found):
            rows.append([name, own["implementation"], digits(time_of(own)), megabytes(field(own, "work_bytes")),
                         "yes" if own["verified"] else "no"])
    return markdown(["product", "implementation", "ms", "work MB", "verified"], rows) if rows else ""


def phases(record):
    """The shares of a product's phases, in percent, or dashes."""
    ms = [field(record, name) for name in PHASES]
    if any(t is None for t in ms) or not sum(ms):
        return ["-"] * len(PHASES)
    return [f"{100 * t / sum(ms):.0f}" for t in ms]


def paper_table(records):
    """The paper's Tables 10 to 14: times, speed-ups over the reference, phases of the optimised method in percent."""
    head = ["product", "reference ms", "optimised ms", "x", "automatic ms", "x", "peer ms", "x", "which",
            "analysis %", "expand, sort %", "contract %", "assemble %"]
    rows = []
    for product in PRODUCTS:
        speedups = []
        for matrix, found in by_matrix(r for r in records if r["product"] == product).items():
            reference, optimised = found.get("spg-reference"), found.get("spg-paper")
            best, name = fastest(found, is_one_shot_peer)
            mine = [time_of(optimised), time_of(found.get("spg")), best]
            speedups.append([ratio(time_of(reference), ms) for ms in mine])
            cells = [cell for ms, x in zip(mine, speedups[-1]) for cell in (digits(ms), times(x))]
            rows.append([f"{matrix} {PRODUCTS[product]}", digits(time_of(reference)), *cells, short_name(name),
                         *phases(optimised)])
        for label, mean in (("average", average), ("geometric mean", geometric_mean)):
            if speedups:
                cells = [cell for column in zip(*speedups) for cell in ("", times(mean(column)))]
                rows.append([f"{label}, {PRODUCTS[product]}", "", *cells, *[""] * (1 + len(PHASES))])
    return markdown(head, rows) if rows else ""


def average(numbers):
    known = [n for n in numbers if n is not None]
    return sum(known) / len(known) if known else None


def growth_table(records):
    head = ["product", "rows", "products", "spg ms", "ps a product", "spg / limit", "work MB", "work bytes a row"]
    rows = []
    for name, found in by_product(records).items():
        spg = found.get("spg")
        if time_of(spg) is None:
            continue
        rows.append([name, str(spg["rows"]), f"{spg['products'] / 1e6:.1f}M", digits(time_of(spg)),
                     digits(1e9 * time_of(spg) / spg["products"]), times(ratio(time_of(spg), field(spg, "limit_ms"))),
                     megabytes(field(spg, "work_bytes")), digits(spg["work_bytes"] / spg["rows"])])
    return markdown(head, rows) if rows else ""


def markdown(head, rows):
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in [head, rule, *rows])


def tables_by_device(folder, files, choose, make, fields=("matrix", "product", "implementation", "place")):
    """A table for each device and value type of the records chosen."""
    groups = {}
    for record in read_records(folder, files, fields):
        if choose(record):
            groups.setdefault((record.get("device", "?"), record.get("type", "?")), []).append(record)
    made = ((device, kind, make(group)) for (device, kind), group in groups.items())
    return "\n".join(f"{device}, {kind}:\n\n{text}" for device, kind, text in made if text) or NONE_YET


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
    if name == "reading":
        return reading_table(folder)
    place, what = name.split("-", 1)
    at_place = lambda r: r["place"] == place
    if what in sampling_tables.TABLES:
        records = read_records(folder, "sampling*.jsonl", sampling_tables.FIELDS)
        return sampling_tables.table(list(filter(at_place, records)), what, sys.modules[__name__]) or NONE_YET
    if what == "plan":
        return tables_by_device(folder, "spgemm*.jsonl", at_place, plan_table)
    if what == "summary":
        return tables_by_device(folder, "spgemm*.jsonl", at_place, summary_table)
    if what == "RAP-apart":
        return tables_by_device(folder, "spgemm_rap*.jsonl", at_place, apart_table)
    if what == "paper":
        return tables_by_device(folder, "paper*.jsonl", at_place, paper_table)
    if what in amg_tables.TABLES:
        return amg_tables.table(folder, place, what, sys.modules[__name__])
    if what == "mixed":
        return tables_by_device(folder, "mixed*.jsonl", at_place, mixed_table)
    if what == "limit":
        return tables_by_device(folder, "limit*.jsonl", at_place, limit_table)
    if what == "growth":
        return tables_by_device(folder, "growth*.jsonl", at_place, growth_table)
    return tables_by_device(folder, "spgemm*.jsonl", lambda r: at_place(r) and r["product"] == what,
                            host_table if place == "host" else device_table)


def renew(document, results, check):
    old = document.read_text(encoding="utf-8")
    if not MARKER.search(old):
        sys.exit(f"{document}: no <!-- table:NAME --> ... <!-- end -->")
    new = MARKER.sub(lambda m: f"{m[1]}\n{table(results, m[2])}\n{m[3]}", old)
    write(document, old, new, f"the tables are not those of {results}", check)


def write(path, old, new, fault, check):
    if new == old:
        return
    if check:
        sys.exit(f"{path}: {fault}; run bench/tables.py")
    path.write_text(new, encoding="utf-8")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Writes the tables of measurements into the documents that show them.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a document is stale")
    parser.add_argument("--show", metavar="NAME", help="print one table; change nothing")
    parser.add_argument("--readme", type=pathlib.Path, help="this document instead of the tree's four")
    parser.add_argument("--results", type=pathlib.Path, default=root / "bench" / "results")
    arguments = parser.parse_args()
    if arguments.show:
        print(table(arguments.results, arguments.show), end="")
        return
    documents = [root / "README.md", root / "bench" / "results" / "README.md", root / "docs" / "multigrid.md",
                 root / "docs" / "sampling.md"]
    for document in [arguments.readme] if arguments.readme else documents:
        renew(document, arguments.results, arguments.check)
    pictures = speed_plot.figures(arguments.results, sys.modules[__name__])
    pictures |= amg_plot.figures(arguments.results, sys.modules[__name__])
    for path, svg in pictures.items():
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        write(path, old, svg, "the picture is not that of its folder's records", arguments.check)


if __name__ == "__main__":
    main()
