"""The tables of multigrid, for tables.py: of amg_setup*.jsonl, amg_f32*.jsonl, amg_growth*.jsonl, amg_peers*.jsonl,
amg_k_cycle*.jsonl and amg_solids*.jsonl, recorded by amg_bench."""

FIELDS = ("matrix", "implementation", "place", "rows", "levels", "aggregation", "smoother", "iterations")


def hierarchies_table(records, peers, tools):
    """Hierarchies; peers are PyAMG's records of them, of any machine's name, for they name it in their own way."""
    head = ["matrix", "options", "levels", "op. complexity", "set-up ms", "Galerkin %", "update ms", "set-up / update",
            "iterations", "solve ms", "PyAMG set-up ms", "PyAMG / spg", "PyAMG iterations"]
    rows, ratios = [], []
    for record in records:
        setup, update = (record.get(name) for name in ("setup_ms", "update_ms"))
        found = [r for r in peers if r["matrix"] == record["matrix"] and record["aggregation"] == r["aggregation"] and
                 record["max_coarse"] == r["max_coarse"] and record["smoother"] == r["smoother"]]
        peer = found[-1] if found else None
        share = tools.ratio(record.get("galerkin_ms"), record.get("setup_by_steps_ms"))
        ratios.append(tools.ratio(peer["setup_ms"], setup) if peer and setup else None)
        rows.append([record["matrix"], hierarchy_of(record), str(len(record["levels"])),
                     tools.times(record["operator_complexity"]), tools.digits(setup),
                     tools.digits(share and 100 * share), tools.digits(update),
                     tools.times(tools.ratio(setup, update)), str(record["iterations"]),
                     tools.digits(record.get("solve_ms")), tools.digits(peer and peer["setup_ms"]),
                     tools.times(ratios[-1]), str(peer["iterations"]) if peer else "-"])
    if any(ratios):
        rows.append(["geometric mean", *[""] * 10, tools.times(tools.geometric_mean(ratios)), ""])
    shown = len(head) if any(ratios) else head.index("PyAMG set-up ms")
    return tools.markdown(head[:shown], [cells[:shown] for cells in rows]) if rows else ""


STEPS = {"aggregate": "aggregate", "tentative": "tentative", "spectral_radius": "spectral radius", "smooth": "smooth",
         "transpose": "transpose", "AP": "A*P", "RAP": "R*(A*P)", "symmetry": "symmetry", "coarse": "coarse"}


def steps_table(records, _peers, tools):
    """Set-up by step, each waited for: milliseconds, and times the step's limit."""
    rows = []
    for record in {record["matrix"]: record for record in records}.values():
        total = record.get("setup_by_steps_ms")
        cells = []
        for step in STEPS:
            ms, limit = record.get(f"{step}_ms"), record.get(f"{step}_limit_ms")
            cells.append(tools.digits(ms) if ms is None or not limit else f"{tools.digits(ms)}, {ms / limit:.1f}x")
        shares = [tools.ratio(record.get(name), total) for name in ("galerkin_ms", "small_levels_ms")]
        rows.append([record["matrix"], tools.digits(total), *cells, *(tools.digits(s and 100 * s) for s in shares)])
    head = ["matrix", "set-up by steps, ms", *STEPS.values(), "Galerkin %", "levels below 10^4 rows %"]
    return tools.markdown(head, rows) if rows else ""


def hierarchy_of(record):
    """How aggregates were made, and the smoother; leftovers of MIS-2 are joined unless it says else."""
    left_out = ", leftovers out" if record.get("join") == "off" else ""
    degree = f" of degree {record['degree']}" if record.get("degree", 2) != 2 else ""
    return f"{record['aggregation']}{left_out}, {record['smoother']}{degree}"


def growth_table(records, _peers, tools):
    """Iterations: a column for each kind of hierarchy, a row for each size."""
    columns = list(dict.fromkeys(map(hierarchy_of, records)))
    sizes = sorted({(r["rows"], r["matrix"]) for r in records})
    found = {(r["rows"], r["matrix"], hierarchy_of(r)): r for r in records}
    rows = [[matrix, str(size), *(str(found[size, matrix, c]["iterations"]) if (size, matrix, c) in found else "-"
                                  for c in columns)] for size, matrix in sizes]
    return tools.markdown(["matrix", "unknowns", *columns], rows) if rows else ""


def cycle_of(record):
    return record.get("cycle", "v").upper()


def solved(record, tools):
    """Iterations, and milliseconds of set-up and solve."""
    if record is None:
        return "-"
    return f"{record['iterations']}, {tools.digits(record['setup_ms'])} + {tools.digits(record['solve_ms'])}"


def bytes_each(record, tools):
    return tools.digits(record and record["bytes"] / record["rows"])


def cycles_table(records, _peers, tools):
    """Kinds of cycles with smoothed and with unsmoothed prolongators, and what the hierarchies hold."""
    kinds = [(smoothed, cycle) for smoothed in (True, False) for cycle in "VK"]
    head = ["matrix", *(f"{'' if smoothed else 'unsmoothed, '}{cycle}" for smoothed, cycle in kinds), "bytes an unknown",
            "unsmoothed, K"]
    found = {(r["matrix"], r["prolongator_relaxation"] != 0, cycle_of(r)): r for r in records}
    rows = []
    for matrix in dict.fromkeys(r["matrix"] for r in records):
        each = [found.get((matrix, *kind)) for kind in kinds]
        rows.append([matrix, *(solved(r, tools) for r in each), bytes_each(each[0], tools), bytes_each(each[-1], tools)])
    return tools.markdown(head, rows) if rows else ""


def smoother_of(record):
    polynomial = f" of degree {record['degree']}, ratio {record['ratio']:g}" if "degree" in record else ""
    return f"{record['smoother']}{polynomial}"


def solids_table(records, _peers, tools):
    """Smoothers of a system, by cycle."""
    found = {(r["matrix"], smoother_of(r), cycle_of(r)): r for r in records}
    rows = [[*system, *(solved(found.get((*system, cycle)), tools) for cycle in "VK")]
            for system in dict.fromkeys((r["matrix"], smoother_of(r)) for r in records)]
    return tools.markdown(["matrix", "smoother", "V", "K"], rows) if rows else ""


PEERS, PEER_FIELDS = "amg_peers*.jsonl", ("matrix", "implementation", "place", "rows", "iterations", "setup_ms", "solve_ms")


def together_ms(record):
    """Set-up and solve, in milliseconds; None for what was not measured."""
    both = [record.get(name) for name in ("setup_ms", "solve_ms")] if record else [None]
    return None if None in both else sum(both)


def by_system(records):
    """{matrix: {implementation: record}}, spg's first."""
    systems = {}
    for record in sorted(records, key=lambda r: r["implementation"] != "spg"):
        systems.setdefault(record["matrix"], {})[record["implementation"]] = record
    return systems


def peers_table(records, _peers, tools):
    """A row for each system and library; the last column is its time for set-up and solve over spg's."""
    head = ["matrix", "library", "levels", "op. complexity", "set-up ms", "solve ms", "iterations", "together / spg"]
    rows, ratios = [], {}
    for matrix, found in by_system(records).items():
        own = together_ms(found.get("spg"))
        for name, record in found.items():
            levels = len(record["levels"]) if "levels" in record else record.get("level_count")
            factor = tools.ratio(together_ms(record), own)
            if name != "spg":
                ratios.setdefault(name, []).append(factor)
            rows.append([matrix, name, "-" if levels is None else str(levels), tools.times(record.get("operator_complexity")),
                         tools.digits(record["setup_ms"]), tools.digits(record["solve_ms"]), str(record["iterations"]),
                         tools.times(factor)])
    rows += [["geometric mean", name, *[""] * 5, tools.times(tools.geometric_mean(of_all))] for name, of_all in ratios.items()]
    return tools.markdown(head, rows) if rows else ""


TABLES = {"amg-peers": (PEERS, peers_table), "amg": ("amg_setup*.jsonl", hierarchies_table), "amg-f32": ("amg_f32*.jsonl", hierarchies_table),
          "amg-steps": ("amg_setup*.jsonl", steps_table), "amg-growth": ("amg_growth*.jsonl", growth_table),
          "amg-cycles": ("amg_k_cycle*.jsonl", cycles_table), "amg-solids": ("amg_solids*.jsonl", solids_table)}


def table(folder, place, what, tools):
    """A table for each device and value type."""
    files, make = TABLES[what]
    if files == PEERS:
        at_place = lambda r: r["place"] == place
        return tools.tables_by_device(folder, files, at_place, lambda records: make(records, [], tools), PEER_FIELDS)
    peers = [r for r in tools.read_records(folder, files, FIELDS) if r["implementation"] == "pyamg"]
    own = lambda r: r["place"] == place and r["implementation"] == "spg"
    return tools.tables_by_device(folder, files, own, lambda records: make(records, peers, tools), FIELDS)
