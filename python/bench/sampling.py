"""Times draws beside those of NumPy and, where they are installed, of torch and JAX. Verifies first.

    python bench/sampling.py [--device] [--items N] [--draws N] [--json FILE]

--device: arrays on a GPU, for spg through torch. A time is the least of some calls on data that are there already, on a
GPU to the end of the work; tables that spg and NumPy's own ways need are built within the call.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any, Callable

import numpy as np
import scipy.stats

import spg


def optional(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        return None


torch, jax = optional("torch"), optional("jax")


def to_numpy(array: Any) -> np.ndarray:
    return array.cpu().numpy() if torch is not None and isinstance(array, torch.Tensor) else np.asarray(array)


def best_ms(function: Callable[[], Any], repeats: int) -> float:
    """Milliseconds of a call, to its end."""
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        result = function()
        if jax is not None and isinstance(result, jax.Array):
            result.block_until_ready()
        elif torch is not None and torch.cuda.is_available():
            torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return min(times[1:])


def follows(counts: np.ndarray, weights: np.ndarray) -> bool:
    """A chi-square test; neighbours are pooled until 20 draws are expected."""
    expected = weights / weights.sum(dtype="f8") * counts.sum()
    edges = np.unique(np.searchsorted(np.cumsum(expected), np.arange(0, expected.sum(), 20)))
    seen, wanted = np.add.reduceat(counts, edges), np.add.reduceat(expected, edges)
    return counts[weights == 0].sum() == 0 and scipy.stats.chi2.sf(((seen - wanted) ** 2 / wanted).sum(), len(edges) - 1) > 1e-6


class Case:
    """A way to use weights: `check` says whether a result is right, `of` has a call of each package."""

    def __init__(self, name: str, check: Callable[[np.ndarray], bool]) -> None:
        self.name, self.check = name, check
        self.of: dict[str, Callable[[], Any]] = {}


def on_device(array: np.ndarray, device: bool) -> Any:
    return torch.as_tensor(array, device="cuda") if device else array


def cases(items: int, n: int, device: bool) -> list[Case]:
    rng = np.random.default_rng(1)
    weights, k = rng.random(items).astype("f4"), items // 10
    rows = rng.random((max(1, items // 100), 100)).astype("f4")
    p = weights / weights.sum(dtype="f8")
    here, rows_here = on_device(weights, device), on_device(rows, device)

    many = Case("draws", lambda x: len(x) == n and follows(np.bincount(x, minlength=items), weights))
    many.of["spg"] = lambda: spg.Alias(here).draw(n, 1)
    many.of["spg, table there"] = (lambda table: lambda: table.draw(n, 1))(spg.Alias(here))
    counts = Case("counts", lambda x: x.sum() == n and follows(x, weights))
    counts.of["spg"] = lambda: spg.multinomial(here, n, 1)
    one = Case("one of each row", lambda x: (rows[np.arange(len(rows)), x.ravel()] > 0).all() and is_uniform(rows, x.ravel()))
    one.of["spg"] = lambda: spg.sample(rows_here, seed=1)
    subset = Case("without replacement", lambda x: len(np.unique(x)) == k and heavier(x, weights))
    subset.of["spg"] = lambda: spg.subset(here, k, 1)
    if not device:
        many.of["numpy choice"] = lambda: rng.choice(items, n, p=p)
        counts.of["numpy multinomial"] = lambda: rng.multinomial(n, p)
        subset.of["numpy choice"] = lambda: rng.choice(items, k, replace=False, p=p)
    if torch is not None:
        t, t_rows = (torch.as_tensor(a, device="cuda" if device else "cpu") for a in (weights, rows))
        if items <= 1 << 24:
            many.of["torch multinomial"] = lambda: torch.multinomial(t, n, replacement=True)
            subset.of["torch multinomial"] = lambda: torch.multinomial(t, k)
        one.of["torch multinomial"] = lambda: torch.multinomial(t_rows, 1)
    if jax is not None and (jax.default_backend() != "cpu") == device:
        key, j, logs = jax.random.key(1), jax.numpy.asarray(p, "f4"), jax.numpy.log(jax.numpy.asarray(rows))
        # Arrays are arguments: results from constants would be computed at compile time.
        choose = jax.jit(lambda key, p: jax.random.choice(key, items, (n,), p=p))
        choose_k = jax.jit(lambda key, p: jax.random.choice(key, items, (k,), replace=False, p=p))
        choose_one = jax.jit(jax.random.categorical)
        many.of["jax choice"] = lambda: choose(key, j)
        subset.of["jax choice"] = lambda: choose_k(key, j)
        one.of["jax categorical"] = lambda: choose_one(key, logs)
    return [many, counts, one, subset]


def is_uniform(rows: np.ndarray, drawn: np.ndarray) -> bool:
    """Random places in the intervals of the items drawn are uniform."""
    ends, each = np.cumsum(rows, axis=1, dtype="f8"), np.arange(len(rows))
    places = (ends[each, drawn] - np.random.default_rng(2).random(len(rows)) * rows[each, drawn]) / ends[:, -1]
    return scipy.stats.kstest(places, "uniform").pvalue > 1e-6


def heavier(drawn: np.ndarray, weights: np.ndarray) -> bool:
    """A tenth of items of uniform weights, by their weight: the mean is that of exponential keys."""
    keys = np.random.default_rng(3).exponential(size=len(weights)) / weights
    expected = weights[np.argpartition(keys, len(drawn))[: len(drawn)]]
    return scipy.stats.ks_2samp(weights[drawn], expected).pvalue > 1e-6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", action="store_true", help="on a GPU, by torch")
    parser.add_argument("--items", type=int, default=1_000_000, help="of a distribution; default 1000000")
    parser.add_argument("--draws", type=int, default=10_000_000, help="default 10000000")
    parser.add_argument("--repeats", type=int, default=3, help="timed calls; default 3")
    parser.add_argument("--json", help="append one line for each call to this file")
    arguments = parser.parse_args()
    if arguments.device and torch is None:
        parser.error("--device needs torch")
    for case in cases(arguments.items, arguments.draws, arguments.device):
        print(f"{case.name}:")
        for name, call in case.of.items():
            verified = bool(case.check(to_numpy(call())))
            record = {
                "case": case.name,
                "implementation": name,
                "place": "device" if arguments.device else "host",
                "items": arguments.items,
                "draws": arguments.draws,
                "ms": best_ms(call, arguments.repeats) if verified else None,
                "verified": verified,
            }
            print(f"  {name:20} {record['ms']:10.2f} ms" if verified else f"  {name:20} WRONG", flush=True)
            if arguments.json:
                with open(arguments.json, "a") as file:
                    file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
