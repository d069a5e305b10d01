#!/usr/bin/env python3
"""What P^T*A*P by spg costs each of many processes: messages, bytes and memory.

    cost_model.py COUNTS.jsonl     compares the model with the counts of petsc_counts; fails if it is off
    cost_model.py --table          the costs of an inner process of 1024, as a table in Markdown

The model: a grid with the stencil of 7 or of 27 points, cut into equal boxes, a box for each process; aggregates are boxes
of `side` nodes on a side, cut where processes meet; P is smoothed once. Everything follows from these patterns:

- Rows of P: those of nodes outside a process that its rows of A name. Their values are fetched at each product, a message
  from each owner.
- Parts of C: the process's rows of P have columns of aggregates of other processes; what it adds to their rows of C is
  sent at each product, a message to each owner.
- Memory: copies of A's and P's rows, the transpose of P, A*P, the part of C, the process's rows of C, and the masks of
  repeats.
"""
import argparse
import functools
import itertools
import json
import sys

VALUE = 8  # bytes
MASK = 4  # bytes of an entry of A or of R
OWNER = 40  # aggregates: bits below the owner's number


def stencil(points):
    steps = itertools.product((-1, 0, 1), repeat=3)
    return [step for step in steps if points == 27 or sum(map(abs, step)) <= 1]


class Grid:
    """Nodes with whole numbers as coordinates; process boxes of local[d] nodes, grid[d] of them in each direction."""

    def __init__(self, local, grid, side, points):
        self.local, self.grid, self.side = local, grid, side
        self.size = [local[d] * grid[d] for d in range(3)]
        self.steps = stencil(points)

    def number(self, rank):
        """Of a process, from its place among them."""
        return (rank[0] * self.grid[1] + rank[1]) * self.grid[2] + rank[2]

    def owner(self, node):
        return self.number((node[0] // self.local[0], node[1] // self.local[1], node[2] // self.local[2]))

    @functools.cache
    def aggregate(self, node):
        """One number of its owner and its place there: boxes of the whole grid, cut where processes meet."""
        x, y, z = (at // self.side for at in node)
        return self.owner(node) << OWNER | (x * self.size[1] + y) * self.size[2] + z

    def neighbours(self, node):
        size = self.size
        for step in self.steps:
            x, y, z = node[0] + step[0], node[1] + step[1], node[2] + step[2]
            if 0 <= x < size[0] and 0 <= y < size[1] and 0 <= z < size[2]:
                yield x, y, z

    @functools.cache
    def row_of_p(self, node):
        return frozenset(self.aggregate(other) for other in self.neighbours(node))

    def boundary(self, rank, depth):
        """The nodes of a process within `depth` of another process's."""
        low = [rank[d] * self.local[d] for d in range(3)]
        for place in itertools.product(*(range(n) for n in self.local)):
            near = any((place[d] < depth and rank[d] > 0) or
                       (place[d] >= self.local[d] - depth and rank[d] < self.grid[d] - 1) for d in range(3))
            if near:
                yield tuple(low[d] + place[d] for d in range(3))


def product_costs(grid, rank):
    """What a process fetches for and adds to others: (rows, entries, owners) of P, (rows, entries, owners) of C."""
    ghosts, parts, me = set(), {}, grid.number(rank)
    for node in grid.boundary(rank, grid.side + 1):
        own = [other for other in grid.neighbours(node)]
        ghosts.update(other for other in own if grid.owner(other) != me)
        foreign = [aggregate for aggregate in grid.row_of_p(node) if aggregate >> OWNER != me]
        if foreign:
            columns = set().union(*(grid.row_of_p(other) for other in own))
            for aggregate in foreign:
                parts.setdefault(aggregate, set()).update(columns)
    rows = (len(ghosts), sum(len(grid.row_of_p(ghost)) for ghost in ghosts), len({grid.owner(g) for g in ghosts}))
    sums = (len(parts), sum(map(len, parts.values())), len({aggregate >> OWNER for aggregate in parts}))
    return rows, sums


def bytes_sent(rows, sums, first, index=4):
    """Of a repeat the values. At first also numbers: for a row of P its place, length and first entry, for an entry its
    place and column; for a row of C its number and length, for an entry its column."""
    if not first:
        return VALUE * (rows[1] + sums[1])
    return 3 * index * rows[0] + (2 * index + VALUE) * rows[1] + 2 * index * sums[0] + (index + VALUE) * sums[1]


def messages_sent(rows, sums, first):
    """Each exchange of a repeat takes a message to each process; to set it up and to send the pattern takes 4 more."""
    return (rows[2] + sums[2]) * (5 if first else 1)


@functools.cache
def slab_costs(n, processes, side, points):
    """Of each process: slabs of whole planes, as PETSc cuts the rows of a grid."""
    grid = Grid((n, n, n // processes), (1, 1, processes), side, points)
    return [product_costs(grid, (0, 0, rank)) for rank in range(processes)]


def predict(record):
    """Messages and bytes of a record of petsc_counts, summed over its processes."""
    first = record["phase"] == "first"
    messages = size = 0
    for rows, sums in slab_costs(record["n"], record["processes"], record["box"], record["points"]):
        messages += messages_sent(rows, sums, first)
        size += bytes_sent(rows, sums, first, record["index_bytes"])
    return messages, size


def compare(path):
    worst = 0.0
    with open(path, encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["processes"] > 1:
                messages, size = predict(record)
                worst = max(worst, abs(messages / record["messages"] - 1), abs(size / record["bytes"] - 1))
    print(f"largest relative difference: {worst:.4f}")
    return worst


def memory(grid, rank, rows, sums):
    """Bytes that a product holds after repeats, beside A, P and C: copies of the rows of A and of P, the transpose of P
    and where its entries go, A*P, the part of C, as much that others send for it, the process's rows of C, masks, and for
    each row its offsets, the place of its values and the size of its group. Boundaries of the whole grid are left
    out."""
    nodes = grid.local[0] * grid.local[1] * grid.local[2]
    mean = Grid((3 * grid.side,) * 3, (3, 3, 3), grid.side, len(grid.steps))  # an inner box, for entries of a row
    inner = list(itertools.product(*(range(mean.local[d], mean.local[d] + grid.side) for d in range(3))))
    p = sum(len(mean.row_of_p(node)) for node in inner) / len(inner)
    columns = [set().union(*(mean.row_of_p(other) for other in mean.neighbours(node))) for node in inner]
    ap = sum(map(len, columns)) / len(inner)
    entry = VALUE + 4
    copies = nodes * (len(grid.steps) + p) * entry + rows[1] * entry + nodes * p * (entry + 4)
    return copies + nodes * ap * entry + 2 * sums[1] * entry + 2 * nodes / grid.side ** 3 * 27 * entry + \
        nodes * ((len(grid.steps) + p) * MASK + 3 * 4 + 8 + 1)


def mib(size):
    return f"{size / 2 ** 20:.2f}" if size < 10 * 2 ** 20 else f"{size / 2 ** 20:.0f}"


def level_costs(points, side, length):
    """An inner process of many, with a cube of nodes: its costs of one product."""
    grid = Grid((length,) * 3, (3, 3, 3), side, points)
    rows, sums = product_costs(grid, (1, 1, 1))
    return (messages_sent(rows, sums, True), messages_sent(rows, sums, False), bytes_sent(rows, sums, True),
            bytes_sent(rows, sums, False), memory(grid, (1, 1, 1), rows, sums))


def table():
    """Products of a set-up: 64^3 rows a process on the first level, then the grid of aggregates, whose stencil has 27
    points."""
    print("| stencil | level | rows | messages, first | repeat | MiB sent, first | repeat | MiB held |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for points, side in ((7, 2), (27, 3)):
        length, level, totals = 64, 0, (0,) * 5
        while length >= side:
            costs = level_costs(points if level == 0 else 27, side, length)
            print(f"| {points} points | {level} | {length ** 3} | {costs[0]} | {costs[1]} "
                  f"| {' | '.join(map(mib, costs[2:]))} |")
            totals = tuple(a + b for a, b in zip(totals, costs))
            length, level = (length + side - 1) // side, level + 1
        print(f"| {points} points | all | | {totals[0]} | {totals[1]} | {' | '.join(map(mib, totals[2:]))} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", nargs="?", help="records of petsc_counts")
    parser.add_argument("--table", action="store_true", help="the costs of an inner process of many")
    options = parser.parse_args()
    if options.counts and compare(options.counts) > 0.01:
        sys.exit("the model is not what was counted")
    if options.table:
        table()


if __name__ == "__main__":
    main()
