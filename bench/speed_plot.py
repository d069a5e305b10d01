#!/usr/bin/env python3
"""Draws how fast products are on a device, beside cuSPARSE and the memory limit: speed-TYPE.svg in each folder of results.

    speed_plot.py [--results bench/results] [--out FOLDER]

bench/tables.py calls it too, and its --check compares the files. A row is a matrix, a panel a product. Across, on a
logarithmic scale, stands time over that of the memory limit (the least bytes moved, at the bandwidth of copies). The
picture has a ground of its own and follows the reader's light or dark scheme, so it can be read on any page.
"""
import argparse
import pathlib
import sys

from sampling_plots import Axis, text

# Name, implementation, class of colour, shape, whether filled. "fastest" is the fastest one-shot peer, "repeat" the fastest
# of cuSPARSE's ways to new values.
SERIES = (
    ("spg", "spg", "own", "circle", True),
    ("spg, new values on a known pattern (plan)", "spg-plan", "own", "circle", False),
    ("cuSPARSE, its fastest algorithm", "fastest", "peer", "square", True),
    ("cuSPARSE, new values, its fastest way", "repeat", "peer", "square", False),
)
LIGHT = {"ground": "#ffffff", "ink": "#1f2328", "soft": "#59636e", "grid": "#d1d9e0", "own": "#0969da", "peer": "#bc4c00",
         "other": "#8250df"}
DARK = {"ground": "#0d1117", "ink": "#e6edf3", "soft": "#9198a1", "grid": "#3d444d", "own": "#4493f8", "peer": "#f0883e",
        "other": "#ab7df8"}
NAMES, PANEL, GAP, FACTORS, ROW, TOP, BOTTOM = 84, 224, 20, 40, 27, 104, 48
MARK = 4.2  # half of a marker's width, px
LANES = {True: -5, False: 6}  # one-shot products above the middle of their row, new values below


def painted(name, inside, line=False):
    """A group in a colour of LIGHT; where style sheets are read, the reader's scheme decides."""
    property_name = "stroke" if line else "fill"
    return f'<g class="{name}-{property_name}" {property_name}="{LIGHT[name]}">{inside}</g>'


def style():
    rules = [f".{name}-{p} {{ {p}: {colour}; }}" for name, colour in DARK.items() for p in ("fill", "stroke")]
    return "<style>@media (prefers-color-scheme: dark) { " + " ".join(rules) + " }</style>"


def marker(shape, colour, filled, x, y):
    ground = "" if filled else f'class="ground-fill" fill="{LIGHT["ground"]}" '
    size = f'cx="{x:.1f}" cy="{y:.1f}" r="{MARK}"' if shape == "circle" else \
        f'x="{x - MARK:.1f}" y="{y - MARK:.1f}" width="{2 * MARK:.1f}" height="{2 * MARK:.1f}"'
    drawn = f'<{"circle" if shape == "circle" else "rect"} {ground}{size} stroke-width="1.6"/>'
    return painted(colour, painted(colour, drawn), line=True) if filled else painted(colour, drawn, line=True)


def measured(found, tables):
    """{implementation: time / limit} of what was measured and verified of one product; {} without spg or a limit."""
    spg = found.get("spg")
    limit, best = tables.field(spg, "limit_ms"), tables.fastest(found, tables.is_one_shot_peer)[0]
    if not limit or tables.time_of(spg) is None:
        return {}
    times = {name: tables.time_of(found.get(name)) for _, name, *_ in SERIES}
    times |= {"fastest": best, "repeat": tables.fastest(found, tables.REPEATS.__contains__)[0]}
    return {name: ms / limit for name, ms in times.items() if ms is not None}


def legend(left):
    parts, width = [], 292
    for k, (name, _, colour, shape, filled) in enumerate(SERIES):
        x, y = left + k // 2 * width, 48 + 19 * (k % 2)
        parts += [marker(shape, colour, filled, x, y - 4), painted("ink", text(x + 12, y, name, "start"))]
    return parts


def ground_lines(left, across, bottom):
    """Powers of ten, and the memory limit, which is 1."""
    parts = []
    for tick in across.ticks():
        x, limit = across(tick), tick == 1
        line = f'<path d="M{x:.1f} {TOP - 6}V{bottom}" stroke-width="{2 if limit else 1}" fill="none"/>'
        parts += [painted("soft" if limit else "grid", line, line=True),
                  painted("soft", text(x, bottom + 16, "limit" if limit else f"{tick:g}x"))]
    return parts


def panel(title, left, rows, across, bottom):
    """rows: [{implementation: time / limit}], from above; the factor over the fastest peer at their end."""
    end = left + PANEL + FACTORS
    parts = [painted("ink", f'<g font-weight="bold">{text(left, TOP - 16, title, "start")}</g>'),
             painted("soft", text(end, TOP - 16, "times as fast", "end")), *ground_lines(left, across, bottom)]
    for k, row in enumerate(rows):
        y = TOP + ROW * (k + 0.5)
        if "spg" in row and "fastest" in row:
            line = f'<path d="M{across(row["spg"]):.1f} {y + LANES[True]:.1f}H{across(row["fastest"]):.1f}" stroke-width="1.5" fill="none"/>'
            parts += [painted("grid", line, line=True),
                      painted("ink", text(end, y + LANES[True] + 4, f'{row["fastest"] / row["spg"]:.1f}x', "end"))]
        for _, name, colour, shape, filled in reversed(SERIES):
            if name in row:
                parts.append(marker(shape, colour, filled, across(row[name]), y + LANES[filled]))
    return parts


def picture(device, kind, products):
    """products: {name: {matrix: {implementation: time / limit}}}"""
    matrices = list(dict.fromkeys(matrix for rows in products.values() for matrix in rows))
    times = [x for rows in products.values() for row in rows.values() for x in row.values()]
    bottom = TOP + ROW * len(matrices)
    width, height = NAMES + len(products) * (PANEL + FACTORS + GAP), bottom + BOTTOM
    width = max(width, NAMES + 600)
    title = f"Sparse products on {device}, {kind}"
    parts = [painted("ground", f'<rect width="{width}" height="{height}" rx="6"/>'),
             painted("ink", f'<g font-size="14" font-weight="bold">{text(16, 24, title, "start")}</g>'), *legend(22)]
    for k, matrix in enumerate(matrices):
        parts.append(painted("ink", text(NAMES - 10, TOP + ROW * (k + 0.5) + LANES[True] + 4, matrix, "end")))
    for k, (name, rows) in enumerate(products.items()):
        left = NAMES + k * (PANEL + FACTORS + GAP)
        across = Axis([min(1, *times), max(10, *times)], True, left + 14, left + PANEL - 6)
        parts += panel(name, left, [rows.get(matrix, {}) for matrix in matrices], across, bottom)
    words = "time over that of the memory limit: the least bytes that any algorithm moves, at the bandwidth of copies"
    parts.append(painted("soft", text(NAMES, height - 12, words, "start")))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" ' \
        'font-family="sans-serif" font-size="12" role="img">'
    return "\n".join([head, f"<title>{title}: spg, cuSPARSE and the memory limit</title>", style(), *parts, "</svg>", ""])


def figures(results, tables):
    """{path: SVG}: a picture for each folder and value type with products measured on a device."""
    drawn = {}
    for folder in sorted({path.parent for path in pathlib.Path(results).rglob("spgemm*.jsonl")}):
        fields = ("matrix", "product", "implementation", "place", "device", "type")
        groups = {}
        for record in tables.read_records(folder, "spgemm*.jsonl", fields):
            if record["place"] == "device":
                groups.setdefault(record["type"], []).append(record)
        for kind, records in groups.items():
            products = {}
            for product, name in tables.PRODUCTS.items():
                found = tables.by_matrix(r for r in records if r["product"] == product)
                rows = {matrix: measured(of_matrix, tables) for matrix, of_matrix in found.items()}
                products[name] = {matrix: row for matrix, row in rows.items() if row}
            products = {name: rows for name, rows in products.items() if rows}
            if products:
                drawn[folder / f"speed-{kind}.svg"] = picture(device_name(records), kind, products)
    return drawn


def device_name(records):
    """What the library says of the device, without its ordinal and its multiprocessors; one machine has one."""
    names = {", ".join(r["device"].split(", ")[1:2]) or r["device"] for r in records}
    if len(names) > 1:
        sys.exit(f"records of several devices in one folder: {sorted(names)}")
    return names.pop()


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
