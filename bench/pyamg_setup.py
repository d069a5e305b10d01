#!/usr/bin/env python3
"""PyAMG's set-up and solve of the hierarchies that amg_bench --aggregation standard --max-coarse 10 builds.

    python3 -m venv pyamg-venv && pyamg-venv/bin/pip install pyamg
    OMP_NUM_THREADS=1 pyamg-venv/bin/python bench/pyamg_setup.py [--json FILE] MATRIX...

PyAMG's own loops and SciPy's products take one thread. BLAS would take more for vectors, and is slower with them where
the machine has anything else to do.

MATRIX is a Matrix Market file, or fd2d5, fe2d9, fd3d7 or fe3d27 with ":N" for its size. Lines of JSON have the fields
of amg_bench, with implementation "pyamg". Symmetric strength, standard aggregation, prolongators smoothed by Jacobi
with 4/3 over the spectral radius, no improvement of candidates, Jacobi as smoother; b = 1, x = 0.
"""
import argparse
import json
import os
import platform
import statistics
import time

import numpy
import pyamg
import scipy.io
import scipy.sparse

FAMILIES = {"fd2d5": (1024, 2, False), "fe2d9": (1024, 2, True), "fd3d7": (101, 3, False), "fe3d27": (101, 3, True)}


def grid_matrix(name):
    """The matrix of a generator: faces (5, 7 points) or all neighbours (9, 27)."""
    family, _, size = name.partition(":")
    default, dimensions, is_box = FAMILIES[family]
    sides = (int(size or default),) * dimensions
    if not is_box:
        return pyamg.gallery.poisson(sides, format="csr")
    stencil = numpy.full((3,) * dimensions, -1.0)
    stencil[(1,) * dimensions] = 3**dimensions - 1
    return pyamg.gallery.stencil_grid(stencil, sides, format="csr")


def load(name, block_size):
    if name.partition(":")[0] in FAMILIES:
        matrix, short = grid_matrix(name), name
    else:
        matrix = scipy.sparse.csr_matrix(scipy.io.mmread(name))
        short = os.path.basename(name)[:-4] if name.endswith(".mtx") else os.path.basename(name)
    matrix.sort_indices()
    return short, matrix if block_size == 1 else matrix.tobsr(blocksize=(block_size, block_size))


def set_up(matrix, candidates, options):
    smoother = {"jacobi": ("jacobi", {"omega": 4 / 3, "withrho": True}),
                "chebyshev": ("chebyshev", {"degree": options.degree})}[options.smoother]
    return pyamg.smoothed_aggregation_solver(
        matrix, B=candidates, symmetry="symmetric", strength=("symmetric", {"theta": options.theta}),
        aggregate="standard", smooth=("jacobi", {"omega": 4 / 3}), presmoother=smoother, postsmoother=smoother,
        improve_candidates=None, max_levels=20, max_coarse=options.max_coarse, coarse_solver="pinv")


def milliseconds(call):
    start = time.perf_counter()
    result = call()
    return 1e3 * (time.perf_counter() - start), result


def measure(name, matrix, candidates, options):
    numpy.random.seed(0)  # PyAMG starts its estimates of spectral radii there
    setups, solves = [], []
    for rep in range(-options.warmup, options.reps):
        setup_ms, hierarchy = milliseconds(lambda: set_up(matrix, candidates, options))
        residuals = []
        b = numpy.ones(matrix.shape[0])
        accelerate = None if options.method == "standalone" else "cg"
        solve_ms, _ = milliseconds(lambda: hierarchy.solve(
            b, x0=numpy.zeros_like(b), tol=options.tolerance, maxiter=200, accel=accelerate, residuals=residuals))
        if rep >= 0:
            setups.append(setup_ms)
            solves.append(solve_ms)
    relative = residuals[-1] / numpy.linalg.norm(b)
    iterations = len(residuals) - 1
    return {"matrix": name, "implementation": "pyamg", "version": pyamg.__version__, "place": "host",
            "device": platform.processor() or platform.machine(), "type": "f64",
            "threads": int(os.environ.get("OMP_NUM_THREADS", os.cpu_count())),
            "rows": matrix.shape[0], "nnz": int(matrix.nnz), "aggregation": "standard", "theta": options.theta,
            "block_size": options.block_size, "max_coarse": options.max_coarse, "smoother": options.smoother,
            "method": options.method, "tolerance": options.tolerance,
            "levels": [{"rows": level.A.shape[0], "nnz": int(level.A.nnz)} for level in hierarchy.levels],
            "operator_complexity": hierarchy.operator_complexity(), "grid_complexity": hierarchy.grid_complexity(),
            "setup_ms": statistics.median(setups), "setup_min_ms": min(setups), "setup_max_ms": max(setups),
            "iterations": iterations, "solve_ms": statistics.median(solves), "residual": relative,
            "convergence_factor": (residuals[-1] / residuals[0]) ** (1 / max(iterations, 1)),
            "converged": bool(relative <= options.tolerance), "reps": options.reps}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="appends one line for each matrix")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--max-coarse", type=int, default=10)
    parser.add_argument("--theta", type=float, default=0.0)
    parser.add_argument("--block-size", type=int, default=1)
    parser.add_argument("--nullspace", help="candidates, a Matrix Market array file")
    parser.add_argument("--smoother", choices=["jacobi", "chebyshev"], default="jacobi")
    parser.add_argument("--degree", type=int, default=2)
    parser.add_argument("--method", choices=["cg", "standalone"], default="cg")
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    options = parser.parse_args()
    candidates = numpy.asarray(scipy.io.mmread(options.nullspace)) if options.nullspace else None
    for argument in options.matrices:
        name, matrix = load(argument, options.block_size)
        record = measure(name, matrix, candidates, options)
        sizes = " ".join(f"{level['rows']}/{level['nnz']}" for level in record["levels"])
        print(f"{name}: {sizes}; operator complexity {record['operator_complexity']:.3f}; set-up "
              f"{record['setup_ms']:.1f} ms; {record['iterations']} iterations, {record['solve_ms']:.1f} ms; factor "
              f"{record['convergence_factor']:.3f}", flush=True)
        if options.json:
            with open(options.json, "a", encoding="ascii") as file:
                file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
