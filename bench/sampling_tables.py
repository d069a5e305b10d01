"""The tables of sampling, for tables.py: of sampling*.jsonl, recorded by record_sampling.sh."""

ALGORITHMS = {"spg-butterfly-plain": "Algorithm 1", "spg-butterfly-transposed": "Algorithm 4",
              "spg-butterfly-table": "Algorithm 7"}
DISTRIBUTIONS = {"i20": "i^20", "mod32": "(i mod 32 + 1)^25", "mod64": "(i mod 64 + 1)^35", "spikes": "4 spikes"}
FIELDS = ("implementation", "place", "verified")


def latest(records, *names):
    """{the values of these fields: record}: a later record of the same measurement replaces an earlier one."""
    return {tuple(record.get(name) for name in names): record for record in records}


def unique(values):
    return list(dict.fromkeys(values))


def power_of_ten(count):
    """1000000 as 10^6, 2000000 as 2*10^6, or the number as it is."""
    digits = str(count)
    if count <= 1000 or set(digits[1:]) != {"0"}:
        return digits
    return ("" if digits[0] == "1" else digits[0] + "*") + f"10^{len(digits) - 1}"


def draws_table(records, tools):
    """All draws from one distribution: a row for each way to make them."""
    head = ["weights", "items", "draws", "method", "order or uniforms", "build ms", "build / limit", "draw ms",
            "10^9 draws/s", "draw / limit", "table bytes an item"]
    found = latest([r for r in records if "paper" not in r and r.get("rows") == 1], "weights", "items", "implementation",
                   "order", "uniforms", "type", "phase")
    rows = []
    for key, draw in found.items():
        if key[-1] != "draw":
            continue
        build = found.get((*key[:-1], "build"))
        ms, build_ms = tools.time_of(draw), tools.time_of(build)
        how = draw["uniforms"] if draw["uniforms"] != "random" else draw["order"]
        table = draw.get("table_bytes")
        rows.append([draw["weights"], power_of_ten(draw["items"]), power_of_ten(draw["draws"]),
                     f"{draw['implementation']}{', f32' if draw['type'] == 'f32' else ''}", how, tools.digits(build_ms),
                     tools.times(tools.ratio(build_ms, build and build["limit_ms"])), tools.digits(ms),
                     tools.digits(ms and draw["draws"] / ms / 1e6), tools.times(tools.ratio(ms, draw["limit_ms"])),
                     tools.digits(table and table / draw["items"])])
    return tools.markdown(head, rows) if rows else ""


def of_many_rows(records, phase):
    return [r for r in records if "paper" not in r and r.get("rows", 1) > 1 and r.get("phase") == phase]


def is_alias(record):
    return record["implementation"] == "spg-alias"


def tables_table(records, tools):
    """Alias tables of many rows at once, and a draw from each."""
    head = ["rows", "items a row", "build ms", "ns an item", "draw ms"]
    builds, draws = (latest([r for r in of_many_rows(records, phase) if is_alias(r)], "rows", "items")
                     for phase in ("build", "draw"))
    rows = []
    for key, build in sorted(builds.items()):
        ms = tools.time_of(build)
        rows.append([power_of_ten(build["rows"]), f"{build['items'] / build['rows']:.3g}", tools.digits(ms),
                     tools.digits(1e6 * ms / build["items"]), tools.digits(draws[key] and tools.time_of(draws[key]))])
    return tools.markdown(head, rows) if rows else ""


def rows_table(records, tools):
    """One draw from each of many distributions: the share of the bandwidth that reading the weights once reaches."""
    head = ["weights", "rows", "items", "type", "method", "ms", "limit ms", "% of bandwidth"]
    found = latest([r for r in of_many_rows(records, "draw") if not is_alias(r)], "weights", "rows", "items", "type",
                   "implementation")
    rows = []
    for draw in found.values():
        share = tools.ratio(draw.get("limit_ms"), tools.time_of(draw))
        rows.append([draw["weights"], power_of_ten(draw["rows"]), f"{draw['items'] / 1e6:.3g}M", draw["type"],
                     draw["implementation"], tools.digits(tools.time_of(draw)), tools.digits(draw.get("limit_ms")),
                     "-" if share is None else f"{100 * share:.0f}"])
    return tools.markdown(head, rows) if rows else ""


def topics_table(records, tools):
    """The z-step: the automatic method beside reading the rows alone and beside the paper's algorithms."""
    head = ["topics", "type", "reads alone ms", "spg ms", "spg / reads", *(f"{name} ms" for name in ALGORITHMS.values()),
            "Algorithm 7 / spg", "best of the paper's / spg"]
    found = latest([r for r in records if "topics" in r and "paper" not in r], "type", "topics", "implementation")
    rows = []
    for kind, topics in sorted({key[:2] for key in found}):
        ms = [tools.time_of(found.get((kind, topics, name)))
              for name in ("read-only", "spg-butterfly", *ALGORITHMS)]
        known = [t for t in ms[2:] if t is not None]
        rows.append([str(topics), kind, *map(tools.digits, ms[:2]), tools.times(tools.ratio(ms[1], ms[0])),
                     *map(tools.digits, ms[2:]), tools.times(tools.ratio(ms[4], ms[1])),
                     tools.times(tools.ratio(min(known, default=None), ms[1]))])
    return tools.markdown(head, rows) if rows else ""


def figures_table(records, tools):
    """Figures 6 to 8 of the butterfly paper, of whose numbers of topics every 64th is shown, and those next to 512. The
    limit reads a row of phi for each word, at the copy bandwidth."""
    head = ["topics", "type", "limit ms", *(f"{name} ms" for name in ALGORITHMS.values()), "spg ms", "reads alone ms",
            "Algorithm 7 / 1", "Algorithm 7 / 4", "Algorithm 7 / limit", "spg / limit"]
    found = latest([r for r in records if r.get("paper") == "butterfly"], "type", "topics", "implementation")
    rows = []
    for kind, topics in sorted({key[:2] for key in found}):
        if topics % 64 != 0 and topics not in (511, 513):
            continue
        known = {name: found.get((kind, topics, name)) for name in (*ALGORITHMS, "spg-butterfly", "read-only")}
        ms = [tools.time_of(record) for record in known.values()]
        limit = next((r["limit_ms"] for r in known.values() if r), None)
        shares = [(ms[2], ms[0]), (ms[2], ms[1]), (ms[2], limit), (ms[3], limit)]
        rows.append([str(topics), kind, tools.digits(limit), *map(tools.digits, ms),
                     *(tools.times(tools.ratio(*share)) for share in shares)])
    return tools.markdown(head, rows) if rows else ""


def loads_table(records, tools):
    """Table 1 of the forest paper: reads of a draw, the paper's in brackets."""
    head = ["distribution", "method", "most", "average", "average of the slowest of 32", "paper's"]
    found = latest([r for r in records if r.get("paper") == "forest" and r.get("table") == 1], "weights",
                   "implementation")
    rows = [[DISTRIBUTIONS.get(r["weights"], r["weights"]), r["implementation"], str(int(r["maximum"])),
             tools.times(r["average"]), tools.times(r["average_32"]),
             f"{int(r['paper_maximum'])}, {r['paper_average']:.2f}, {r['paper_average_32']:.2f}"]
            for r in found.values() if r["verified"]]
    return tools.markdown(head, rows) if rows else ""


def errors_table(records, tools):
    """Figure 9: quadratic error of an image's density against samples."""
    found = latest([r for r in records if r.get("paper") == "forest" and r.get("figure") == 9], "draws",
                   "implementation")
    rows = []
    for draws in unique(key[0] for key in found):
        alias, monotone = (found.get((draws, name), {}).get("quadratic_error") for name in ("alias", "monotone"))
        cells = ["-" if error is None else f"{error:.2e}" for error in (alias, monotone)]
        rows.append([f"2^{draws.bit_length() - 1}", *cells, tools.times(tools.ratio(alias, monotone))])
    return tools.markdown(["samples", "alias", "monotone", "alias / monotone"], rows) if rows else ""


def alias_records(records, *phases):
    return [r for r in records if r.get("paper") == "alias" and r["phase"] in phases]


def short(record):
    return record["implementation"].removeprefix("spg-alias-")


def reasons(records):
    """Why some were not measured, a line each."""
    found = {}
    for record in records:
        if record.get("why_not"):
            names, phases = found.setdefault(record["why_not"], ({}, {}))
            names[short(record)] = phases[record["phase"]] = True
    return "".join(f"\nNot measured: {', '.join(phases)} of {', '.join(names)}: {why}.\n"
                   for why, (names, phases) in found.items())


def with_reasons(head, rows, records, tools):
    return tools.markdown(head, rows) + reasons(records) if rows else ""


def builders_table(records, tools):
    """The alias thesis's builds (Figure 5.4, Table 5.2): milliseconds by method."""
    builds = [r for r in alias_records(records, "build") if r["sampler"] == "auto"]
    found = latest(builds, "weights", "items", "implementation")
    names = [name for name in unique(key[2] for key in found)
             if any(tools.time_of(r) for key, r in found.items() if key[2] == name)]
    rows = []
    for weights, items in unique(key[:2] for key in found):
        ms = [tools.time_of(found.get((weights, items, name))) for name in names]
        rows.append([weights, power_of_ten(items), *map(tools.digits, ms)])
    head = ["weights", "items", *(f"{name.removeprefix('spg-alias-')} ms" for name in names)]
    return with_reasons(head, rows, builds, tools)


PHASES = ("sum", "tiles", "partition", "split", "pack")


def phases_table(records, tools):
    """Figures 5.2, 5.3 and 5.5: phases of a build, of uniform weights and of 10^7 and more items."""
    measured = [r for r in alias_records(records, *PHASES) if short(r) != "splits"]
    found = latest(measured, "weights", "items", "implementation", "phase")
    rows = []
    for weights, items, name in unique(key[:3] for key in found):
        of = {phase: found.get((weights, items, name, phase)) for phase in PHASES}
        ms = [tools.time_of(record) for record in of.values()]
        if of["pack"] is None or ms[4] is None or (weights != "uniform" and items < 10**7):
            continue
        rows.append([weights, power_of_ten(items), short(of["pack"]), *map(tools.digits, ms),
                     tools.digits(((ms[3] or 0) + ms[4]) / items * 1e6), f"{100 * of['pack']['left'] / items:.3g}"])
    head = ["weights", "items", "method", *(f"{phase} ms" for phase in PHASES), "split and pack ns an item", "left %"]
    return with_reasons(head, rows, measured, tools)


def splits_table(records, tools):
    """Figure 5.1: the time of a split."""
    measured = [r for r in alias_records(records, "split", "pack") if short(r) == "splits"]
    found = latest(measured, "items", "chunks", "split", "phase")
    rows = []
    for items, chunks in unique(key[:2] for key in found):
        by = [found.get((items, chunks, split, "split")) for split in ("p-ary", "binary")]
        ms = [tools.time_of(record) for record in by]
        if by[0] is None or ms[0] is None:
            continue
        rows.append([power_of_ten(items), str(chunks), str(int(by[0]["splits"])), *map(tools.digits, ms),
                     *(tools.digits(t and t / by[0]["splits"] * 1e6) for t in ms),
                     tools.digits(tools.time_of(found.get((items, chunks, "p-ary", "pack"))))])
    head = ["items", "parts a block", "splits", "p-ary ms", "binary ms", "p-ary ns a split", "binary ns a split", "pack ms"]
    return with_reasons(head, rows, measured, tools)


WAYS = ("send", "build-alone", "fetch", "send-build-fetch")


def transfers_table(records, tools):
    """Figure 5.6: builds with and without transfers."""
    measured = alias_records(records, *WAYS)
    found = latest(measured, "items", "phase")
    rows = []
    for items in unique(key[0] for key in found):
        ms = [tools.time_of(found.get((items, way))) for way in WAYS]
        if ms[1] is not None:
            rows.append([power_of_ten(items), *map(tools.digits, ms),
                         *(tools.digits(t and t / items * 1e6) for t in (ms[1], ms[3]))])
    head = ["items", "weights to the device ms", "build ms", "table to the host ms", "all ms", "build ns an item",
            "all ns an item"]
    return with_reasons(head, rows, measured, tools)


def samplers_table(records, tools):
    """The alias thesis's draws (Figures 5.7 to 5.9, Table 5.3): 10^9 a second by sampler, and the fastest."""
    draws_made = [r for r in alias_records(records, "draw") if r["sampler"] != "auto"]
    found = latest(draws_made, "weights", "items", "draws", "sampler")
    names = unique(key[3] for key in found)
    rows = []
    for weights, items, draws in unique(key[:3] for key in found):
        ms = [tools.time_of(found.get((weights, items, draws, name))) for name in names]
        known = [(t, name) for t, name in zip(ms, names) if t]
        rows.append([weights, power_of_ten(items), power_of_ten(draws),
                     *(tools.digits(t and draws / t / 1e6) for t in ms), min(known)[1] if known else "-"])
    return with_reasons(["weights", "items", "draws", *names, "fastest"], rows, draws_made, tools)


def packages_table(records, tools):
    """Draws through Python beside those of other packages, by weights of either type."""
    found = latest([r for r in records if "case" in r], "case", "items", "draws", "implementation", "type")
    rows = []
    for case, items, draws, name in unique(key[:4] for key in found):
        of = [found.get((case, items, draws, name, kind)) for kind in ("f32", "f64")]
        results = next(r["results"] for r in of if r)
        version = next((r.get("version") for r in of if r), "")
        made = f"{power_of_ten(results)} of {power_of_ten(items)}" if case != "one of each row" else power_of_ten(results)
        if case == "counts of draws":
            made = f"{power_of_ten(draws)} of {power_of_ten(items)}"
        cells = [tools.digits(tools.time_of(r)) if not r or r["verified"] else why_not(r) for r in of]
        rows.append([case, made, f"{name} {version}" if version and not name.startswith("spg") else name, *cells])
    return tools.markdown(["", "draws", "way", "f32 ms", "f64 ms"], rows) if rows else ""


def why_not(record):
    return "fails the test" if record.get("why_not") == "distribution" else "not possible"


TABLES = {"packages": packages_table, "draws": draws_table, "rows": rows_table, "tables": tables_table, "topics": topics_table, "figures": figures_table,
          "loads": loads_table, "errors": errors_table, "builders": builders_table, "phases": phases_table,
          "splits": splits_table, "transfers": transfers_table, "samplers": samplers_table}


def table(records, what, tools):
    """A table for each device."""
    parts = []
    for device in unique(r.get("device", "?") for r in records):
        text = TABLES[what]([r for r in records if r.get("device", "?") == device], tools)
        if text:
            parts.append(f"{device}:\n\n{text}")
    return "\n".join(parts)
