#!/usr/bin/env python3
"""Draws the figures of the sampling papers as SVG from what sampling_bench recorded.

    sampling_plots.py RECORDS.jsonl... --out FOLDER

Binder, Keller: forest-7.svg (a density), forest-8.svg (points in an image), forest-9.svg (error against samples).
Steele, Tristan: butterfly-f32.svg, butterfly-f64.svg (time against topics), each with a part around 512.
Lehmann: alias-split.svg (5.1: time of a split), alias-pack.svg (5.2: split and pack, time an item), alias-phases-*.svg
(5.3, 5.5: phases of builds), alias-heavy.svg (5.4: builds against the share of heavy items), alias-build-WEIGHTS.svg (time
an item), alias-transfer.svg (5.6), alias-draw-WEIGHTS-ITEMS.svg (5.7, 5.8: samples a second), alias-best-WEIGHTS.svg (5.9:
the fastest sampler).
"""
import argparse
import collections
import json
import math
import pathlib

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 400, 80, 50, 30, 170
COLOURS = ["#1b6ca8", "#c8442d", "#3a8f4d", "#8a5aa8", "#b8860b", "#444444", "#d673a5"]


def read(paths):
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())


class Axis:
    """Maps numbers of [low, high] to pixels of [begin, end], evenly or by their logarithms."""

    def __init__(self, numbers, logarithmic, begin, end):
        self.low, self.high, self.logarithmic, self.begin, self.end = min(numbers), max(numbers), logarithmic, begin, end
        if self.low == self.high:
            self.high = self.low * 2 if self.low > 0 else self.low + 1
        if not logarithmic:
            self.low = min(self.low, 0)

    def __call__(self, number):
        scale = math.log if self.logarithmic else (lambda x: x)
        share = (scale(number) - scale(self.low)) / (scale(self.high) - scale(self.low))
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        if self.logarithmic:
            powers = range(math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9) + 1)
            return [10.0**p for p in powers] or [self.low, self.high]
        step = 10 ** math.floor(math.log10((self.high - self.low) / 2))
        while (self.high - self.low) / step > 8:
            step *= 2
        return [k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def text(x, y, words, anchor="middle"):
    words = str(words).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def page(parts, width=WIDTH, height=HEIGHT):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">'
    return "\n".join([head, f'<rect width="{width}" height="{height}" fill="white"/>', *parts, "</svg>", ""])


def chart(title, x_name, y_name, lines, log_x=True, log_y=True):
    """lines: {name: [(x, y), ...]}"""
    xs = [x for points in lines.values() for x, _ in points]
    ys = [y for points in lines.values() for _, y in points]
    across = Axis(xs, log_x, LEFT, WIDTH - RIGHT)
    up = Axis(ys, log_y, HEIGHT - BOTTOM, TOP)
    if not log_x:
        across.low = min(xs)
    parts = [text((LEFT + WIDTH - RIGHT) / 2, 18, title), text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_name)]
    parts.append(f'<g transform="rotate(-90 16 {HEIGHT / 2})">{text(16, HEIGHT / 2, y_name)}</g>')
    for tick in across.ticks():
        x = across(tick)
        parts.append(f'<path d="M{x:.1f} {HEIGHT - BOTTOM}v5" stroke="black"/>' + text(x, HEIGHT - BOTTOM + 18, f"{tick:g}"))
    for tick in up.ticks():
        y = up(tick)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>' + text(LEFT - 6, y + 4, f"{tick:g}", "end"))
    for k, (name, points) in enumerate(lines.items()):
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in sorted(points))
        colour = COLOURS[k % len(COLOURS)]
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(f'<g fill="{colour}">{text(WIDTH - RIGHT + 8, TOP + 16 + 18 * k, name, "start")}</g>')
    parts.append(f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="black"/>')
    return page(parts)


def grouped(records, line, x, y, known):
    lines = collections.defaultdict(list)
    for record in records:
        if known(record) and record.get(x) and record.get(y):
            lines[line(record)].append((record[x], record[y]))
    return dict(lines)


def density(records):
    """Sample densities beside the target, a panel a record."""
    panels, width, height = [], 360, 200
    for k, record in enumerate(records):
        target, shares = record["target"], record["density"]
        parts = len(shares) // len(target)
        high = 1.6 * max(target) / parts
        left, base = 20 + (k % 2) * width, (k // 2 + 1) * height - 25
        step = (width - 40) / len(shares)
        y = lambda share: base - min(share / high, 1.0) * (height - 55)
        bars = "".join(f"M{left + i * step:.1f} {base}V{y(share):.1f}h{step:.2f}V{base}" for i, share in enumerate(shares))
        curve = " ".join(f"{left + (i + 0.5) * step:.1f},{y(target[i // parts] / parts):.1f}" for i in range(len(shares)))
        panels += [f'<path d="{bars}" fill="#9cc3de"/>', f'<polyline points="{curve}" fill="none" stroke="black"/>',
                   text(left + (width - 40) / 2, base + 16, f'{record["implementation"]}, {record["draws"]} samples')]
    return page(panels, 2 * width, (len(records) + 1) // 2 * height)


def points(records):
    """Where samples lie in the image, a panel a method."""
    parts, width = [], 3 * max(record["cols"] for record in records)
    for k, record in enumerate(records):
        top = k * (3 * record["rows"] + 30) + 20
        dots = "".join(f"M{3 * x:.1f} {top + 3 * y:.1f}h1" for x, y in zip(record["x"], record["y"]))
        parts += [f'<path d="{dots}" stroke="black"/>', text(width / 2, top - 6, record["implementation"])]
    return page(parts, width, len(records) * (3 * records[0]["rows"] + 30))


def forest(records, out):
    figures = {number: [r for r in records if r.get("figure") == number] for number in (7, 8, 9)}
    if figures[7]:
        out("forest-7", density(figures[7]))
    if figures[8]:
        out("forest-8", points(figures[8]))
    lines = grouped(figures[9], lambda r: r["implementation"], "draws", "quadratic_error", lambda r: True)
    if lines:
        out("forest-9", chart("Error of an image's counts", "samples", "quadratic error", lines))


def butterfly(records, out):
    for kind in ("f32", "f64"):
        lines = grouped(records, lambda r: r["implementation"], "topics", "ms_median", lambda r: r["type"] == kind)
        if not lines:
            continue
        some = next(iter(lines))
        lines["memory limit"] = [(r["topics"], r["limit_ms"]) for r in records
                                 if r["type"] == kind and r["implementation"] == some and r["limit_ms"]]
        out(f"butterfly-{kind}", chart(f"z-step, {kind}", "topics", "ms", lines, False))
        near = {name: [p for p in line if 480 <= p[0] <= 544] for name, line in lines.items()}
        if all(len(line) > 1 for line in near.values()):
            out(f"butterfly-{kind}-512", chart(f"z-step, {kind}", "topics", "ms", near, False))


def short(record):
    return record["implementation"].removeprefix("spg-alias-")


PHASES = ["sum", "tiles", "partition", "split", "pack"]


def stacked(title, bars):
    """bars: {name: {part: milliseconds}}, from left to right."""
    longest = max(sum(bar.values()) for bar in bars.values())
    across, height = Axis([0, longest], False, 150, WIDTH - 60), 40 + 30 * len(bars) + 40
    parts = [text(WIDTH / 2, 18, title)]
    for row, (name, bar) in enumerate(bars.items()):
        at, top = 0.0, 36 + 30 * row
        parts.append(text(140, top + 14, name, "end"))
        for part, ms in bar.items():
            left, right = across(at), across(at + ms)
            colour = COLOURS[PHASES.index(part)]
            parts.append(f'<rect x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="20" fill="{colour}"/>')
            at += ms
        parts.append(text(across(at) + 4, top + 14, f"{at:.3g} ms", "start"))
    for k, part in enumerate(PHASES):
        parts.append(f'<g fill="{COLOURS[k]}">{text(150 + 90 * k, height - 14, part, "start")}</g>')
    return page(parts, height=height)


def heat_map(title, fastest):
    """fastest: {(items, draws): the name of a sampler}."""
    columns, rows = (sorted({key[k] for key in fastest}) for k in (0, 1))
    parts = [text(WIDTH / 2, 18, title), text(WIDTH / 2, 60 + 40 * len(rows), "items; draws to the left")]
    for (items, draws), name in fastest.items():
        x, y = 110 + 100 * columns.index(items), 30 + 40 * (len(rows) - 1 - rows.index(draws))
        colour = COLOURS[["baseline", "sectioned", "limited", "shared"].index(name)]
        parts.append(f'<rect x="{x}" y="{y}" width="98" height="38" fill="{colour}"/><g fill="white">{text(x + 49, y + 24, name)}</g>')
    parts += [text(160 + 100 * k, 44 + 40 * len(rows), f"{n:g}") for k, n in enumerate(columns)]
    parts += [text(100, 54 + 40 * (len(rows) - 1 - k), f"{n:g}", "end") for k, n in enumerate(rows)]
    return page(parts, 120 + 100 * len(columns), 70 + 40 * len(rows))


def alias_builds(records, out):
    """Figures 5.1 to 5.6."""
    splits = [dict(r, ns=1e6 * r["ms_median"] / r["splits"]) for r in records if r["phase"] == "split" and short(r) == "splits"]
    lines = grouped(splits, lambda r: f'{r["split"]}, {r["items"]} items', "splits", "ns", lambda r: True)
    if lines:
        out("alias-split", chart("A split, by their number", "splits", "ns", lines))
    by_build = collections.defaultdict(dict)
    for r in records:
        if r["phase"] in PHASES and short(r) != "splits":
            by_build[r["weights"], r["items"], short(r)][r["phase"]] = r["ms_median"]
    packs = [{"name": name, "items": items, "ns": 1e6 * (ms.get("split", 0) + ms["pack"]) / items}
             for (weights, items, name), ms in by_build.items() if weights == "uniform" and "pack" in ms]
    lines = grouped(packs, lambda r: r["name"], "items", "ns", lambda r: True)
    if lines:
        out("alias-pack", chart("Split and pack, uniform", "items", "ns an item", lines))
    for size in sorted({items for _, items, _ in by_build}):
        bars = {f"{weights}, {name}": ms for (weights, items, name), ms in by_build.items() if items == size}
        out(f"alias-phases-{size}", stacked(f"Phases of a build, {size} items", bars))
    heavy = [dict(r, share=float(r["weights"].split(":")[1])) for r in records
             if r["phase"] == "build" and r["weights"].startswith("heavy:") and r["sampler"] == "auto"]
    lines = grouped(heavy, short, "share", "ms_median", lambda r: True)
    if lines:
        out("alias-heavy", chart("Builds", "share of heavy items", "ms", lines, False, False))
    ways = {"build-alone": "build", "send-build-fetch": "with transfers"}
    moved = [dict(r, ns=1e6 * r["ms_median"] / r["items"]) for r in records if r["phase"] in ways]
    lines = grouped(moved, lambda r: ways[r["phase"]], "items", "ns", lambda r: True)
    if lines:
        out("alias-transfer", chart("Builds, uniform", "items", "ns an item", lines))


def alias_fastest(records, family, out):
    """Figure 5.9."""
    best = {}
    for r in records:
        key = r["items"], r["draws"]
        if r["phase"] == "draw" and r["sampler"] != "auto" and (key not in best or r["ms_median"] < best[key]["ms_median"]):
            best[key] = r
    if best:
        out(f"alias-best-{family}", heat_map(f"The fastest sampler, {family}", {key: r["sampler"] for key, r in best.items()}))


def alias(records, out):
    alias_builds(records, out)
    for family in sorted({r["weights"] for r in records}):
        ours = [dict(r, ns=1e6 * r["ms_median"] / r["items"]) for r in records if r["weights"] == family and r["ms_median"]]
        alias_fastest(ours, family, out)
        lines = grouped(ours, short, "items", "ns", lambda r: r["phase"] == "build" and r["sampler"] == "auto")
        if any(len(line) > 1 for line in lines.values()):
            out(f"alias-build-{family}", chart(f"Building, {family}", "items", "ns an item", lines))
        for items in sorted({r["items"] for r in ours}):
            lines = grouped(ours, lambda r: r["sampler"], "draws", "draws_per_second",
                            lambda r: r["phase"] == "draw" and r["items"] == items and r["sampler"] != "auto")
            if any(len(line) > 1 for line in lines.values()):
                out(f"alias-draw-{family}-{items}", chart(f"Drawing, {family}, {items} items", "draws", "a second", lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)

    def out(name, svg):
        path = arguments.out / f"{name.replace(':', '')}.svg"
        path.write_text(svg, encoding="utf-8")
        print(path)

    by_paper = collections.defaultdict(list)
    for record in read(arguments.records):
        if record.get("verified"):
            by_paper[record.get("paper")].append(record)
    for paper, draw in (("forest", forest), ("butterfly", butterfly), ("alias", alias)):
        if by_paper[paper]:
            draw(by_paper[paper], out)


if __name__ == "__main__":
    main()
