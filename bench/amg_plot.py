#!/usr/bin/env python3
"""Draws how long multigrid takes on a device, beside hypre and AMGX: amg-TYPE.svg in each folder of results that has
amg_peers*.jsonl.

    amg_plot.py [--results bench/results] [--out FOLDER]

bench/tables.py calls it too, and its --check compares the files. A row is a system, a panel the set-up, the solve, or both. Across,
on a logarithmic scale, stand milliseconds. Colours and ground are those of speed_plot.py.
"""
import argparse
import pathlib

import amg_tables
from sampling_plots import Axis, text
from speed_plot import FACTORS, GAP, PANEL, ROW, device_name, marker, painted, style

# Name, implementation, class of colour, shape, whether filled.
SERIES = (
    ("spg", "spg", "own", "circle", True),
    ("hypre BoomerAMG", "hypre", "peer", "square", True),
    ("AMGX, classical", "amgx", "other", "square", True),
    ("AMGX, unsmoothed aggregation", "amgx-aggregation", "other", "square", False),
)
PANELS = {
    "set-up": lambda record: record["setup_ms"],
    "solve to 1e-8": lambda record: record["solve_ms"],
    "both": amg_tables.together_ms,
}
NAMES, TOP, BOTTOM = 110, 104, 48


def legend(present):
    parts = []
    for k, (name, _, colour, shape, filled) in enumerate(of for of in SERIES if of[1] in present):
        x, y = 22 + k // 2 * 292, 48 + 19 * (k % 2)
        parts += [marker(shape, colour, filled, x, y - 4), painted("ink", text(x + 12, y, name, "start"))]
    return parts


def panel(title, left, rows, across, bottom):
    """rows: [{implementation: ms}], from above; at their end the fastest other library's time over spg's."""
    end = left + PANEL + FACTORS
    parts = [painted("ink", f'<g font-weight="bold">{text(left, TOP - 16, title, "start")}</g>'),
             painted("soft", text(end, TOP - 16, "times as fast", "end"))]
    for tick in across.ticks():
        line = f'<path d="M{across(tick):.1f} {TOP - 6}V{bottom}" stroke-width="1" fill="none"/>'
        parts += [painted("grid", line, line=True), painted("soft", text(across(tick), bottom + 16, f"{tick:g} ms"))]
    for k, row in enumerate(rows):
        y = TOP + ROW * (k + 0.5)
        others = [ms for name, ms in row.items() if name != "spg"]
        if "spg" in row and others:
            parts.append(painted("ink", text(end, y + 4, f"{min(others) / row['spg']:.1f}x", "end")))
        for _, name, colour, shape, filled in reversed(SERIES):
            if name in row:
                parts.append(marker(shape, colour, filled, across(row[name]), y))
    return parts


def picture(device, kind, systems):
    """systems: {matrix: {implementation: record}}"""
    drawn = [name for _, name, *_ in SERIES]
    panels = {title: [{name: time_of(found[name]) for name in drawn if name in found and time_of(found[name])}
                      for found in systems.values()] for title, time_of in PANELS.items()}
    bottom = TOP + ROW * len(systems)
    width, height = NAMES + len(panels) * (PANEL + FACTORS + GAP), bottom + BOTTOM
    title = f"Multigrid on {device}, {kind}"
    parts = [painted("ground", f'<rect width="{width}" height="{height}" rx="6"/>'),
             painted("ink", f'<g font-size="14" font-weight="bold">{text(16, 24, title, "start")}</g>'),
             *legend({name for row in panels["both"] for name in row})]
    for k, matrix in enumerate(systems):
        parts.append(painted("ink", text(NAMES - 10, TOP + ROW * (k + 0.5) + 4, matrix, "end")))
    for k, (name, rows) in enumerate(panels.items()):
        left = NAMES + k * (PANEL + FACTORS + GAP)
        times = [ms for row in rows for ms in row.values()] or [1]
        parts += panel(name, left, rows, Axis([min(times), max(times)], True, left + 14, left + PANEL - 6), bottom)
    words = "conjugate gradients, one V-cycle as preconditioner; at the right the fastest other library's time over spg's"
    parts.append(painted("soft", text(16, height - 12, words, "start")))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" ' \
        'font-family="sans-serif" font-size="12" role="img">'
    return "\n".join([head, f"<title>{title}: set-up and solve by spg and other libraries</title>", style(), *parts, "</svg>", ""])


def figures(results, tables):
    """{path: SVG}: a picture for each folder and value type with peers measured on a device."""
    drawn = {}
    for folder in sorted({path.parent for path in pathlib.Path(results).rglob(amg_tables.PEERS)}):
        groups = {}
        for record in tables.read_records(folder, amg_tables.PEERS, amg_tables.PEER_FIELDS):
            if record["place"] == "device":
                groups.setdefault(record["type"], []).append(record)
        for kind, records in groups.items():
            drawn[folder / f"amg-{kind}.svg"] = picture(device_name(records), kind, amg_tables.by_system(records))
    return drawn


def main():
    import tables

    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, default=root / "bench" / "results")
    parser.add_argument("--out", type=pathlib.Path, help="write there instead of beside the records")
    arguments = parser.parse_args()
    for path, svg in figures(arguments.results, tables).items():
        path = path if arguments.out is None else arguments.out / path.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(svg, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
