"""Draws from discrete distributions, the rows of a matrix of weights.

A draw depends only on the seed and its number: calls with `first` advanced by the draws made so far go on where the
last one ended. The same draws come from host and GPU.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _library as c
from ._matrix import VALUE_TYPES, Operand
from ._packages import Scipy, is_complex, package_of
from .context import Context, NotCopied, known

_I32, _I64 = np.dtype("i4"), np.dtype("i8")
_FOREST_METHODS = {"auto": 0, "cutpoint": 1, "radix": 2}


class _Weights:
    """A view of weights: a vector (one row), a dense matrix, or a CSR matrix."""

    def __init__(self, weights: Any, context: Context | None) -> None:
        if isinstance(weights, (list, tuple)):
            weights = np.asarray(weights, float)
        self.is_vector = getattr(weights, "ndim", 1) == 1
        if not hasattr(weights, "ndim"):
            raise TypeError(f"weights is a {type(weights).__name__}; a vector or a matrix is needed")
        self.package: Scipy = package_of(weights)
        self.context = known(context) or self.package.context(weights)
        if self.package.is_matrix(weights):
            self._operand = Operand(weights, "weights", self.package).at(self.context)
            self.csr = self._operand.csr
            return
        if weights.ndim not in (1, 2):
            raise ValueError(f"weights have {weights.ndim} dimensions; a vector or a matrix is needed")
        if is_complex(weights):
            raise TypeError(f"weights are of type {weights.dtype}; they are real numbers")
        dtype = self.package.dtype(weights)
        dtype = dtype if dtype in (np.dtype("f4"), np.dtype("f8")) else np.dtype("f8")
        rows, items = (1, weights.shape[0]) if weights.ndim == 1 else weights.shape
        self._values = self.package.as_array(weights, dtype)
        self._offsets = self.package.as_array(np.arange(rows + 1, dtype="i8") * items, _I64)
        self.csr = c.Csr(
            rows,
            items,
            rows * items,
            c.I64 if self.package.dtype(self._offsets) == _I64 else c.I32,
            VALUE_TYPES[self.package.dtype(self._values)],
            c.DEVICE if self.context.is_device else c.HOST,
            self.package.address(self._offsets),
            None,
            self.package.address(self._values),
        )


def sample(
    weights: Any, n: int | None = None, seed: int = 0, *, empty_rows: bool = False, context: Context | None = None
) -> Any:
    """Items drawn with probabilities proportional to weights, as int32.

    weights: a vector, for n draws from one distribution (n = None: one); or a matrix, dense or CSR, of which each row
    is a distribution: one draw from each row, or n from each as an array of n x rows. An item is a position in its
    row, or its column if the matrix is CSR. For many calls with the same weights build an `Alias` or a `Forest`.
    empty_rows: a row may be empty or all zeros; a draw from it is -1.

    >>> sample([0.0, 1.0, 0.0], 4).tolist()
    [1, 1, 1, 1]
    >>> sample(np.array([[0.0, 0.0], [0.0, 2.0]]), empty_rows=True).tolist()
    [-1, 1]
    """
    found = _Weights(weights, context)
    if found.is_vector:
        table = Alias(weights, empty_rows=empty_rows, context=found.context)
        drawn = table.draw(1 if n is None else n, seed)
        return drawn[0] if n is None else drawn
    rows, package = found.csr.rows, found.package
    draws = package.zeros(rows * (1 if n is None else n), _I32)
    for k in range(1 if n is None else n):
        random, begin = c.Random(seed, 0, k * rows), package.address(draws) + 4 * k * rows
        found.context.call_drawing(empty_rows, c.lib.spg_butterfly_draw, found.csr, 0, random, None, begin)
    package.finish(found.context)
    return draws if n is None else draws.reshape(n, rows)


def subset(
    weights: Any,
    k: int,
    seed: int = 0,
    *,
    first: int = 0,
    empty_rows: bool = False,
    context: Context | None = None,
) -> Any:
    """k different items of a distribution, or of each row (rows x k), as int32: draws without replacement, in order.

    weights: as for `sample`. Each draw takes an item with a probability proportional to its weight among those that
    are left; k of all items are a weighted shuffle. empty_rows: a row may have fewer than k items of weight above
    zero; -1 fills its place.

    >>> sorted(subset([1.0, 5.0, 0.0, 2.0], 3).tolist())
    [0, 1, 3]
    >>> subset([0.0, 5.0], 2, empty_rows=True).tolist()
    [1, -1]
    """
    if k < 0:
        raise ValueError(f"k is {k}; use 0 or more")
    found = _Weights(weights, context)
    draws = found.package.zeros(found.csr.rows * k, _I32)
    address, random = found.package.address(draws), c.Random(seed, 0, first)
    found.context.call_drawing(empty_rows, c.lib.spg_subset_draw, found.csr, k, random, address)
    found.package.finish(found.context)
    return draws if found.is_vector else draws.reshape(found.csr.rows, k)


def multinomial(
    weights: Any,
    n: Any,
    seed: int = 0,
    *,
    first: int = 0,
    empty_rows: bool = False,
    context: Context | None = None,
) -> Any:
    """How often each item comes up in n draws with replacement, as int64: in the time of the items, whatever n is.

    weights: as for `sample`. n: a number, or an array with one for each row. The counts have the shape of a vector or
    a dense matrix; of a CSR matrix they are in the order of its entries, as `data`. empty_rows: a row may be empty or
    all zeros; its counts are 0.

    >>> multinomial([0.0, 3.0, 0.0], 10**12).tolist()
    [0, 1000000000000, 0]
    >>> multinomial(np.ones((2, 3)), [4, 0]).sum(axis=1).tolist()
    [4, 0]
    """
    found = _Weights(weights, context)
    package, csr = found.package, found.csr
    counts, trials = package.zeros(csr.nnz, _I64), None
    if np.ndim(n) > 0:
        trials = package.as_array(n, _I64)
        if trials.shape != (csr.rows,):
            raise ValueError(f"n has shape {tuple(trials.shape)}; {csr.rows} rows need ({csr.rows},)")
    for array in (counts, trials):
        if array is not None:
            _need_64_bits(package, array, "counts", _I64)
    numbers = np.asarray(n) if isinstance(n, (int, float, list, tuple, np.ndarray, np.generic)) else None
    if numbers is not None and numbers.dtype.kind == "f" and np.any(numbers != np.trunc(numbers)):
        raise ValueError("n has fractions; it must be whole numbers")
    n = 0 if trials is not None else c.in_64_bits("n", int(n))
    where = None if trials is None else package.address(trials)
    random, address = c.Random(seed, 0, first), package.address(counts)
    found.context.call_drawing(empty_rows, c.lib.spg_multinomial_draw, csr, n, where, random, address)
    package.finish(found.context)
    return counts if found.is_vector or package.is_matrix(weights) else counts.reshape(csr.rows, csr.cols)


class _Table(NotCopied):
    """What tables share: a handle, and the package and context of the weights."""

    _destroy: Any = None
    _handle: ctypes.c_void_p | None = None

    def __init__(self, weights: Any, context: Context | None) -> None:
        self._weights = _Weights(weights, context)
        self.context, self.package = self._weights.context, self._weights.package

    def _build(self, function: Any, options: Any, empty_rows: bool) -> None:
        self.context.keep()
        self._handle = ctypes.c_void_p()  # before the call, whose end may be an interrupt
        self.context.call_drawing(empty_rows, function, self._weights.csr, options, self._handle)
        del self._weights

    def _list(self, rows: Any, name: str) -> Any:
        """Numbers of rows as the library reads them."""
        found = self.package.as_indices(rows, name)
        _refuse_matrix(found, name)
        return found

    def _draw(self, function: Any, n: int, *arguments: Any) -> Any:
        if n < 0:
            raise ValueError(f"{n} draws; use 0 or more")
        draws = self.package.zeros(n, _I32)
        made = [self.package.address(draws) if one is _DRAWS else one for one in arguments]
        self.context.call(function, self._handle, *made)
        self.package.finish(self.context)
        return draws

    def __del__(self) -> None:
        if self._handle is not None:
            self.context.free(self._destroy, self._handle)


def _need_64_bits(package: Scipy, array: Any, name: str, dtype: np.dtype) -> None:
    """JAX makes narrower arrays than it is asked for, unless it is told not to."""
    if package.dtype(array) != dtype:
        raise TypeError(f"{name} need 64 bits, and arrays here have {package.dtype(array)}; JAX has jax_enable_x64")


def _refuse_matrix(array: Any, name: str) -> None:
    if len(array.shape) != 1:
        raise ValueError(f"{name} is of shape {tuple(array.shape)}; a vector is needed")


_DRAWS = object()  # stands for the address of the draws


class Alias(_Table):
    """Alias tables, one for each row of weights: built once, each draw takes the same short time.

    weights: as for `sample`. exact: 16 bytes an item in place of 8, for weights of a wide range. empty_rows: a row may
    be empty or all zeros, as a sink of a graph is; a draw from it is -1, and so is a draw from row -1.

    >>> Alias([1.0, 0.0]).draw(3).tolist()
    [0, 0, 0]
    """

    _destroy = c.lib.spg_alias_destroy

    def __init__(
        self, weights: Any, *, exact: bool = False, empty_rows: bool = False, context: Context | None = None
    ) -> None:
        super().__init__(weights, context)
        self._rows = self._weights.csr.rows
        self._build(c.lib.spg_alias_build, c.AliasOptions(0, int(exact), 0, 0), empty_rows)

    def rebuild(self, weights: Any, rows: Any = None) -> None:
        """New weights on the same pattern, of all rows, or of those listed, whose numbers ascend: of `weights` only
        these are read. The table is then that of a new build, in the memory of the old one.

        >>> table = Alias([1.0, 0.0])
        >>> table.rebuild([0.0, 1.0])
        >>> table.draw(3).tolist()
        [1, 1, 1]
        """
        found = _Weights(weights, self.context)
        count, where = 0, None
        if rows is not None:
            rows = self._list(rows, "rows")
            count, where = rows.shape[0], self.package.address(rows)
            if count == 0:
                return
        self.context.call(c.lib.spg_alias_rebuild, self._handle, found.csr, count, where)

    def walk(
        self, steps: int, starts: Any = None, seed: int = 0, *, first: int = 0, p: float = 1, q: float = 1
    ) -> Any:
        """Random walks on a graph, whose node v has its edges in row v of a CSR matrix: nodes as an array of
        walkers x (steps + 1). starts: the first node of each walk; None: a walk from each node.

        p and q bias steps as in node2vec: a step back to the node before has its weight over p, one to a node that is
        no neighbour of it its weight over q; columns must then ascend in each row. After a sink (empty_rows) a walk
        goes on as -1.

        >>> import scipy.sparse as sp
        >>> ring = sp.csr_array(([1.0, 1.0, 1.0], [1, 2, 0], [0, 1, 2, 3]), shape=(3, 3))
        >>> Alias(ring).walk(4, [2]).tolist()
        [[2, 0, 1, 2, 0]]
        """
        if steps < 0:
            raise ValueError(f"{steps} steps; use 0 or more")
        starts = None if starts is None else self._list(starts, "starts")
        walkers = self._rows if starts is None else starts.shape[0]
        where = None if starts is None else self.package.address(starts)
        random, bias, size = c.Random(seed, 0, first), c.WalkOptions(p, q), walkers * (steps + 1)
        walks = self._draw(c.lib.spg_alias_walk, size, walkers, where, steps, random, bias, _DRAWS)
        return walks.reshape(walkers, steps + 1)

    def draw(self, n: int, seed: int = 0, *, first: int = 0, row: int = 0, grouped: bool = False) -> Any:
        """n draws from a row. grouped: several times as fast for large tables; the draws are right as a multiset, but
        their order has no meaning."""
        random, options = c.Random(seed, 0, first), c.AliasDrawOptions(0, int(grouped))
        return self._draw(c.lib.spg_alias_draw, n, c.in_64_bits("row", row), n, random, options, _DRAWS)

    def draw_rows(self, rows: Any, seed: int = 0, *, first: int = 0) -> Any:
        """A draw from each of the rows listed: a step of random walks, say."""
        rows = self._list(rows, "rows")
        address = self.package.address(rows)
        return self._draw(c.lib.spg_alias_draw_rows, rows.shape[0], rows.shape[0], address, c.Random(seed, 0, first), _DRAWS)


class Forest(_Table):
    """Monotone inversion of the cumulative weights, for each row: keeps the order of low-discrepancy points.

    weights and empty_rows: as for `Alias`. method: "auto", "cutpoint" or "radix". cells_per_item: of the guide table.

    >>> Forest([1.0, 1.0, 2.0]).draw_at([0.1, 0.3, 0.9]).tolist()
    [0, 1, 2]
    """

    _destroy = c.lib.spg_forest_destroy

    def __init__(
        self,
        weights: Any,
        *,
        method: str = "auto",
        cells_per_item: float = 0,
        empty_rows: bool = False,
        context: Context | None = None,
    ) -> None:
        super().__init__(weights, context)
        if method not in _FOREST_METHODS:
            raise ValueError(f"unknown method {method!r}; use auto, cutpoint or radix")
        self._build(c.lib.spg_forest_build, c.ForestOptions(_FOREST_METHODS[method], cells_per_item), empty_rows)

    def draw(self, n: int, seed: int = 0, *, first: int = 0) -> Any:
        """n draws from row 0."""
        return self._draw(c.lib.spg_forest_draw, n, n, None, c.Random(seed, 0, first), None, _DRAWS, None)

    def draw_rows(self, rows: Any, seed: int = 0, *, first: int = 0) -> Any:
        """A draw from each of the rows listed."""
        rows = self._list(rows, "rows")
        address, random = self.package.address(rows), c.Random(seed, 0, first)
        return self._draw(c.lib.spg_forest_draw, rows.shape[0], rows.shape[0], address, random, None, _DRAWS, None)

    def draw_at(self, u: Any, rows: Any = None) -> Any:
        """The items at which the cumulative share of a row first exceeds each u in [0, 1); rows: of each u, else 0."""
        u = self.package.as_array(u, np.dtype("f8"))
        _need_64_bits(self.package, u, "u", np.dtype("f8"))
        _refuse_matrix(u, "u")
        rows = None if rows is None else self._list(rows, "rows")
        if rows is not None and rows.shape[0] != u.shape[0]:
            raise ValueError(f"{rows.shape[0]} rows for {u.shape[0]} values of u")
        where = None if rows is None else self.package.address(rows)
        at = self.package.address(u)
        return self._draw(c.lib.spg_forest_draw, u.shape[0], u.shape[0], where, c.Random(), at, _DRAWS, None)

    def draw_stratified(self, n: int, seed: int = 0, *, first: int = 0, row: int = 0) -> Any:
        """n draws from a row, one from each of n equal parts of [0, 1), ascending."""
        random, row = c.Random(seed, 0, first), c.in_64_bits("row", row)
        return self._draw(c.lib.spg_forest_draw_stratified, n, row, n, random, _DRAWS, None)
