"""Times spg.matmul and plans beside the C calls alone, and beside SciPy's product. Verifies first.

    python bench/overhead.py [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import timeit

import numpy as np
import scipy.sparse as sp

import spg
from spg import _library as c
from spg._matrix import Operand, operands


def best_us(function, repeats: int = 400) -> float:
    """Microseconds of a call: the least mean of many batches of about 0.5 ms, so that some of them are not disturbed."""
    number = max(1, int(0.0005 / max(timeit.timeit(function, number=3) / 3, 1e-7)))
    return min(timeit.repeat(function, number=number, repeat=repeats)) / number * 1e6


def c_product(A, B):
    """A function that makes and frees C = A*B by the library's functions alone."""
    context, (a, b) = operands(None, A=A, B=B)
    C = c.Csr()

    def call() -> None:
        c.lib.spgemm_csr(context.handle, a.csr, b.csr, C)
        c.lib.spg_csr_free(context.handle, C)

    return call


def c_plan_run(plan, A, B, C):
    """A function that runs a plan into C by the library's function alone."""
    _, (a, b) = operands(plan.context, A=A, B=B)
    out = Operand(C, "C").csr
    return lambda: c.lib.spgemm_plan_run(plan._handle, a.csr, b.csr, out)


def measure(name: str, A) -> dict:
    expected = (A @ A).toarray()
    difference = abs(spg.matmul(A, A).toarray() - expected).max()
    if not difference <= 1e-13 * max(abs(expected).max(), 1):
        raise SystemExit(f"{name}: spg and SciPy differ by {difference}")
    bare, whole, scipy_us = best_us(c_product(A, A)), best_us(lambda: spg.matmul(A, A)), best_us(lambda: A @ A)
    plan = spg.plan(A, A)
    C = plan(A, A)
    bare_run, whole_run = best_us(c_plan_run(plan, A, A, C)), best_us(lambda: plan(A, A, out=C))
    return {
        "case": name,
        "rows": A.shape[0],
        "nnz": A.nnz,
        "c_us": bare,
        "python_us": whole,
        "overhead_us": whole - bare,
        "plan_c_us": bare_run,
        "plan_python_us": whole_run,
        "plan_overhead_us": whole_run - bare_run,
        "scipy_us": scipy_us,
        "verified": True,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="append one line for each case to this file")
    arguments = parser.parse_args()
    rng = np.random.default_rng(1)
    cases = {
        "identity 10": sp.eye_array(10, format="csr"),
        "random 100, 5 %": sp.random_array((100, 100), density=0.05, format="csr", rng=rng),
        "random 1000, 1 %": sp.random_array((1000, 1000), density=0.01, format="csr", rng=rng),
    }
    print(f"{'case':18} {'C us':>9} {'spg us':>9} {'overhead':>9} {'of plans':>9} {'SciPy us':>9} {'SciPy/spg':>9}")
    for name, A in cases.items():
        record = measure(name, A)
        print(
            f"{name:18} {record['c_us']:9.1f} {record['python_us']:9.1f} {record['overhead_us']:9.1f} "
            f"{record['plan_overhead_us']:9.1f} {record['scipy_us']:9.1f} {record['scipy_us'] / record['python_us']:9.2f}"
        )
        if arguments.json:
            with open(arguments.json, "a") as file:
                file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
