"""Times products whose columns lie far apart, on one thread. Verifies first.

    python bench/apart.py [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import timeit

import numpy as np
import scipy.sparse as sp

import spg

# Rows of A, entries of each, entries of a row of B, columns of B.
SHAPES = [
    (200, 100, 100, 300_000),
    (200, 100, 100, 1_000_000),
    (200, 100, 100, 3_000_000),
    (500, 50, 200, 1_000_000),
    (500, 50, 200, 10_000_000),
    (500, 20, 500, 10_000_000),
    (500, 20, 500, 100_000_000),
    (500, 2, 5000, 100_000_000),
    (1, 20_000, 10, 300_000),
    (1, 20_000, 10, 1_000_000),
    (20, 1000, 20, 200_000),
    (20, 1000, 20, 500_000),
    (20, 1000, 20, 1_000_000),
    (20, 1000, 20, 2_000_000),
    (20, 4000, 10, 500_000),
    (20, 4000, 10, 2_000_000),
    (50, 200, 100, 10_000_000),
    (100, 300, 300, 1_000_000),
    (100, 300, 300, 10_000_000),
    (100, 300, 300, 100_000_000),
]


def random_rows(generator, rows: int, cols: int, length: int):
    """Rows of about `length` entries, whole numbers, sorted."""
    columns = generator.integers(0, cols, rows * length)
    numbers = generator.integers(1, 9, rows * length).astype(float)
    A = sp.coo_matrix((numbers, (np.repeat(np.arange(rows), length), columns)), shape=(rows, cols)).tocsr()
    A.sort_indices()
    return A


def measure(context, shape) -> dict:
    rows, a_length, b_length, cols = shape
    generator = np.random.default_rng(1)
    inner = max(1000, 2 * a_length)
    A, B = random_rows(generator, rows, inner, a_length), random_rows(generator, inner, cols, b_length)
    C = spg.matmul(A, B, context=context)
    # The same columns by their rank, so that SciPy's arrays of all columns are small.
    used, rank = np.unique(B.indices, return_inverse=True)
    expected = A @ sp.csr_matrix((B.data, rank, B.indptr), shape=(inner, used.size))
    expected.sort_indices()
    same = np.array_equal(C.indices, used[expected.indices]) and np.array_equal(C.data, expected.data)
    if not (same and np.array_equal(C.indptr, expected.indptr)):
        raise SystemExit(f"{shape}: spg and SciPy differ")
    ms = 1e3 * min(timeit.repeat(lambda: spg.matmul(A, B, context=context), number=1, repeat=5))
    near = sp.csr_matrix((B.data, rank, B.indptr), shape=(inner, used.size))
    near_ms = 1e3 * min(timeit.repeat(lambda: spg.matmul(A, near, context=context), number=1, repeat=5))
    return {
        "rows": rows,
        "a_length": a_length,
        "b_length": b_length,
        "cols": cols,
        "nnz": C.nnz,
        "ms": ms,
        "near_ms": near_ms,
        "verified": True,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE", help="append one line of JSON per case")
    arguments = parser.parse_args()
    context = spg.Context(place="host", threads=1)
    print("near: the same columns by their rank\n")
    print("rows  entries A, B     columns     nnz(C)     ms  near ms")
    for shape in SHAPES:
        record = measure(context, shape)
        print(
            f"{record['rows']:4d}  {record['a_length']:7d} {record['b_length']:4d}  {record['cols']:10d} "
            f"{record['nnz']:10d} {record['ms']:6.2f} {record['near_ms']:8.2f}",
            flush=True,
        )
        if arguments.json:
            with open(arguments.json, "a", encoding="utf-8") as out:
                out.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
