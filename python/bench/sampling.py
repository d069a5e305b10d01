"""Times spg's draws beside those of NumPy and, where they are installed, of torch, JAX and CuPy.

    python bench/sampling.py [--device] [--type f32|f64] [--items N] [--draws N] [--json FILE]

Each result's distribution is tested by chi-square before it is timed; what fails is not timed. --device: arrays on a GPU,
for spg those of torch, CuPy or JAX, whichever is found first. A time is the median of some calls on data that are there,
on a GPU to the end of the work. "table there" draws from a table built before; else what a way needs is built in the call.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import time
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np
import scipy.optimize
import scipy.stats

import spg

LEAST_P = 1e-6  # of a chi-square test that passes
LEAST_EXPECTED = 20  # in a cell of it
SHARES = 64  # cells of tests of many small distributions
MOST_TORCH_ITEMS = 1 << 24


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


# ---- Chi-square tests -------------------------------------------------------------------------------------------------


@dataclass
class Test:
    statistic: float
    degrees: int
    possible: bool = True  # the result has the form it should, and nothing of weight 0

    @property
    def p_value(self) -> float:
        return float(scipy.stats.chi2.sf(self.statistic, self.degrees))

    @property
    def passes(self) -> bool:
        return self.possible and self.p_value > LEAST_P


def pooled(seen: np.ndarray, expected: np.ndarray, variance: np.ndarray, possible: bool) -> Test:
    """Neighbouring cells are pooled until enough is expected."""
    cells = np.floor(np.cumsum(expected) / LEAST_EXPECTED)
    edges = np.flatnonzero(np.diff(cells, prepend=-1))
    edges = edges[: max(1, len(edges) - 1)]  # the last cell, which may be short, joins the one before
    sums = [np.add.reduceat(of, edges) for of in (seen, expected, variance)]
    return Test(float(((sums[0] - sums[1]) ** 2 / sums[2]).sum()), max(1, len(edges) - 1), possible)


def of_counts(counts: np.ndarray, weights: np.ndarray, n: int) -> Test:
    """n draws with replacement."""
    if counts.shape != weights.shape:
        return Test(0, 1, False)
    expected = weights / weights.sum(dtype="f8") * n
    return pooled(counts, expected, expected, counts.sum() == n and counts[weights == 0].sum() == 0)


def of_draws(drawn: np.ndarray, weights: np.ndarray, n: int) -> Test:
    if drawn.size != n or drawn.min() < 0 or drawn.max() >= len(weights):
        return Test(0, 1, False)
    return of_counts(np.bincount(drawn.ravel(), minlength=len(weights)), weights, n)


def of_rows(drawn: np.ndarray, rows: np.ndarray) -> Test:
    """One draw from each row: random places in the intervals of the items drawn are uniform."""
    each, drawn = np.arange(len(rows)), drawn.ravel()
    if drawn.shape != each.shape or drawn.min() < 0 or drawn.max() >= rows.shape[1]:
        return Test(0, 1, False)
    ends, taken = np.cumsum(rows, axis=1, dtype="f8"), rows[each, drawn]
    places = (ends[each, drawn] - np.random.default_rng(2).random(len(rows)) * taken) / ends[:, -1]
    seen = np.bincount(np.minimum((places * SHARES).astype("i8"), SHARES - 1), minlength=SHARES)
    expected = np.full(SHARES, len(rows) / SHARES)
    return pooled(seen, expected, expected, bool((taken > 0).all()))


def of_subset(drawn: np.ndarray, weights: np.ndarray, k: int) -> Test:
    """Without replacement, item after item: an item of weight w is in with probability 1 - exp(-w t), for a t by which
    k are expected (exponential keys; of many items). By weight, for items of like weight are in one cell."""
    drawn = drawn.ravel()
    if len(np.unique(drawn)) != k or len(drawn) != k or drawn.min() < 0 or drawn.max() >= len(weights):
        return Test(0, 1, False)
    w = weights / weights.mean(dtype="f8")
    t = scipy.optimize.brentq(lambda t: -np.expm1(-w * t).sum() - k, 0, 1e3)
    inside, order = -np.expm1(-w * t), np.argsort(w)
    seen = np.zeros(len(w))
    seen[drawn] = 1
    p = inside[order]
    return pooled(seen[order], p, p * (1 - p), not seen[weights == 0].any())


# ---- Packages ---------------------------------------------------------------------------------------------------------


class Machine:
    """Where the arrays are, and what is installed there."""

    def __init__(self, on_device: bool) -> None:
        self.on_device, self.place = on_device, "device" if on_device else "host"
        self.torch, self.jax = optional("torch"), optional("jax")
        self.cupy = optional("cupy") if on_device else None
        if on_device and self.torch is not None and not self.torch.cuda.is_available():
            self.torch = None
        if self.jax is not None:
            self.jax.config.update("jax_enable_x64", True)
            if (self.jax.default_backend() != "cpu") != on_device:
                self.jax = None

    def arrays(self) -> str | None:
        """The package of spg's arrays on a GPU."""
        return next((name for name in ("torch", "cupy", "jax") if getattr(self, name) is not None), None)

    def of_torch(self, array: np.ndarray) -> Any:
        return self.torch.as_tensor(array, device="cuda" if self.on_device else "cpu")

    def of_spg(self, array: np.ndarray) -> Any:
        if not self.on_device:
            return array
        package = self.arrays()
        if package == "torch":
            return self.of_torch(array)
        return self.cupy.asarray(array) if package == "cupy" else self.jax.numpy.asarray(array)

    def finish(self, result: Any) -> None:
        if self.jax is not None and isinstance(result, self.jax.Array):
            result.block_until_ready()
        elif self.on_device and self.torch is not None:
            self.torch.cuda.synchronize()
        elif self.on_device and self.cupy is not None:
            self.cupy.cuda.Device().synchronize()

    def on_host(self, result: Any) -> np.ndarray:
        if self.torch is not None and isinstance(result, self.torch.Tensor):
            return result.cpu().numpy()
        return result.get() if self.cupy is not None and isinstance(result, self.cupy.ndarray) else np.asarray(result)

    def name(self) -> str:
        if not self.on_device:
            return f"host, {len(os.sched_getaffinity(0))} threads"
        if self.torch is not None:
            return self.torch.cuda.get_device_name()
        if self.cupy is not None:
            return self.cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        return self.jax.devices()[0].device_kind


# ---- What is measured -------------------------------------------------------------------------------------------------


@dataclass
class Case:
    """A use of weights: `test` judges a result, `ways` has a call for each way to it."""

    name: str
    results: int  # numbers that a call makes
    test: Callable[[np.ndarray], Test]
    ways: dict[str, Callable[[], Any]] = field(default_factory=dict)


@dataclass
class Sizes:
    items: int
    draws: int
    type: str

    def __post_init__(self) -> None:
        self.subset, self.row_items = max(1, self.items // 10), 100
        self.rows = max(1, self.items // self.row_items)


def cases(on: Machine, sizes: Sizes) -> list[Case]:
    rng, dtype = np.random.default_rng(1), {"f32": "f4", "f64": "f8"}[sizes.type]
    weights = rng.random(sizes.items).astype(dtype)
    rows = rng.random((sizes.rows, sizes.row_items)).astype(dtype)
    many = Case("draws", sizes.draws, lambda x: of_draws(x, weights, sizes.draws))
    counts = Case("counts of draws", sizes.items, lambda x: of_counts(x, weights, sizes.draws))
    one = Case("one of each row", sizes.rows, lambda x: of_rows(x, rows))
    subset = Case("without replacement", sizes.subset, lambda x: of_subset(x, weights, sizes.subset))
    made = [many, counts, one, subset]
    add_spg(on, sizes, weights, rows, made)
    if not on.on_device:
        add_numpy(sizes, weights, made)
    if on.torch is not None:
        add_torch(on, sizes, weights, rows, made)
    if on.jax is not None:
        add_jax(on, sizes, weights, rows, made)
    if on.cupy is not None:
        add_cupy(on, sizes, weights, made)
    return made


def add_spg(on: Machine, sizes: Sizes, weights: np.ndarray, rows: np.ndarray, made: list[Case]) -> None:
    many, counts, one, subset = made
    here, rows_here = on.of_spg(weights), on.of_spg(rows)
    alias, forest = spg.Alias(here), spg.Forest(here)
    many.ways["spg alias"] = lambda: spg.Alias(here).draw(sizes.draws, 1)
    many.ways["spg alias, table there"] = lambda: alias.draw(sizes.draws, 1)
    many.ways["spg forest"] = lambda: spg.Forest(here).draw(sizes.draws, 1)
    many.ways["spg forest, table there"] = lambda: forest.draw(sizes.draws, 1)
    counts.ways["spg multinomial"] = lambda: spg.multinomial(here, sizes.draws, 1)
    one.ways["spg sample"] = lambda: spg.sample(rows_here, seed=1)
    subset.ways["spg subset"] = lambda: spg.subset(here, sizes.subset, 1)


def add_numpy(sizes: Sizes, weights: np.ndarray, made: list[Case]) -> None:
    many, counts, _, subset = made
    rng, p = np.random.default_rng(7), weights.astype("f8") / weights.sum(dtype="f8")
    many.ways["numpy choice"] = lambda: rng.choice(sizes.items, sizes.draws, p=p)
    counts.ways["numpy multinomial"] = lambda: rng.multinomial(sizes.draws, p)
    subset.ways["numpy choice"] = lambda: rng.choice(sizes.items, sizes.subset, replace=False, p=p)


def add_torch(on: Machine, sizes: Sizes, weights: np.ndarray, rows: np.ndarray, made: list[Case]) -> None:
    many, _, one, subset = made
    there, rows_there, torch = on.of_torch(weights), on.of_torch(rows), on.torch
    one.ways["torch multinomial"] = lambda: torch.multinomial(rows_there, 1)
    if sizes.items > MOST_TORCH_ITEMS:
        return
    many.ways["torch multinomial"] = lambda: torch.multinomial(there, sizes.draws, replacement=True)
    subset.ways["torch multinomial"] = lambda: torch.multinomial(there, sizes.subset)


def add_jax(on: Machine, sizes: Sizes, weights: np.ndarray, rows: np.ndarray, made: list[Case]) -> None:
    """Arrays are arguments: results from constants would be computed at compile time."""
    many, counts, one, subset = made
    jax, random, items = on.jax, on.jax.random, sizes.items
    key, p, logs = random.key(1), jax.numpy.asarray(weights / weights.sum()), jax.numpy.log(jax.numpy.asarray(rows))
    choose = jax.jit(lambda key, p: random.choice(key, items, (sizes.draws,), p=p))
    choose_some = jax.jit(lambda key, p: random.choice(key, items, (sizes.subset,), replace=False, p=p))
    choose_one = jax.jit(random.categorical)
    many.ways["jax choice"] = lambda: choose(key, p)
    subset.ways["jax choice"] = lambda: choose_some(key, p)
    one.ways["jax categorical"] = lambda: choose_one(key, logs)
    if hasattr(random, "multinomial"):
        count = jax.jit(lambda key, p: random.multinomial(key, jax.numpy.asarray(sizes.draws, p.dtype), p))
        counts.ways["jax multinomial"] = lambda: count(key, p)


def add_cupy(on: Machine, sizes: Sizes, weights: np.ndarray, made: list[Case]) -> None:
    """CuPy's choice without replacement takes no weights."""
    cupy: Any = on.cupy
    p = cupy.asarray(weights, "f8") / float(weights.sum(dtype="f8"))
    made[0].ways["cupy choice"] = lambda: cupy.random.choice(sizes.items, sizes.draws, p=p)


# ---- Measuring --------------------------------------------------------------------------------------------------------


def measure(on: Machine, case: Case, way: str, warmup: int, reps: int) -> dict[str, Any]:
    call = case.ways[way]
    try:
        found = case.test(on.on_host(call()))
    except Exception as error:  # of a peer: that it cannot is a result too
        if way.startswith("spg"):
            raise
        return {"verified": False, "why_not": f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"}
    record = {
        "chi_square": found.statistic,
        "degrees": found.degrees,
        "p_value": found.p_value,
        "verified": found.passes,
    }
    if not found.passes:
        return {**record, "why_not": "distribution" if found.possible else "not such a result"}
    times = []
    for turn in range(warmup + reps):
        start = time.perf_counter()
        on.finish(call())
        if turn >= warmup:
            times.append((time.perf_counter() - start) * 1e3)
    spread = {"ms_median": statistics.median(times), "ms_min": min(times), "ms_max": max(times)}
    return {**record, **spread, "warmup": warmup, "reps": reps}


def version_of(on: Machine, way: str) -> str:
    package = way.split()[0]
    return getattr({"spg": spg, "numpy": np}.get(package) or getattr(on, package), "__version__", "")


def line_of(way: str, record: dict[str, Any], results: int) -> str:
    if "ms_median" not in record:
        return f"  {way:24} not timed: {record['why_not']}"[:80]
    ms = record["ms_median"]
    times = f"{ms:11.3f} {record['ms_min']:10.3f} {record['ms_max']:10.3f}"
    return f"  {way:24}{times} {results / ms / 1e3:10.1f} {record['p_value']:9.1e}"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", action="store_true", help="on a GPU, by torch, CuPy or JAX")
    parser.add_argument("--type", choices=["f32", "f64"], default="f64", help="of the weights; default f64")
    parser.add_argument("--items", type=int, default=1_000_000, help="of a distribution; default 1000000")
    parser.add_argument("--draws", type=int, default=10_000_000, help="default 10000000")
    parser.add_argument("--reps", type=int, default=9, help="timed calls, at least 7; default 9")
    parser.add_argument("--warmup", type=int, default=2, help="calls before them; default 2")
    parser.add_argument("--json", help="append a line for each way to this file")
    arguments = parser.parse_args()
    if arguments.reps < 7 or arguments.warmup < 0:
        parser.error("--reps is at least 7, --warmup at least 0")
    if arguments.items < 100 or not 0 < arguments.draws < 1 << 31:
        parser.error("--items is at least 100, --draws from 1 to 2147483647")
    return arguments


def main() -> None:
    arguments = parse()
    on, sizes = Machine(arguments.device), Sizes(arguments.items, arguments.draws, arguments.type)
    if on.on_device and on.arrays() is None:
        raise SystemExit("--device needs torch, CuPy or JAX with a GPU")
    print(
        f"{on.name()}: {sizes.draws} draws of {sizes.items} items, {sizes.rows} rows of {sizes.row_items}, {sizes.type}"
    )
    for case in cases(on, sizes):
        print(f"{case.name:26}{'median ms':>11} {'min':>10} {'max':>10} {'10^6/s':>10} {'chi2 p':>9}")
        for way in case.ways:
            record = measure(on, case, way, arguments.warmup, arguments.reps)
            print(line_of(way, record, case.results), flush=True)
            about = {"case": case.name, "implementation": way, "version": version_of(on, way), "place": on.place}
            of = {"device": on.name(), "type": sizes.type, "items": sizes.items, "draws": sizes.draws}
            if arguments.json:
                with open(arguments.json, "a", encoding="utf-8") as file:
                    file.write(json.dumps({**about, **of, "results": case.results, **record}) + "\n")


if __name__ == "__main__":
    main()
