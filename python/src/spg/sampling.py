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
from ._packages import Scipy, package_of
from .context import Context

_I32 = np.dtype("i4")
_FOREST_METHODS = {"auto": 0, "cutpoint": 1, "radix": 2}


class _Weights:
    """A view of weights: a vector (one row), a dense matrix, or a CSR matrix."""

    def __init__(self, weights: Any, context: Context | None) -> None:
        if isinstance(weights, (list, tuple)):
            weights = np.asarray(weights, float)
        self.package: Scipy = package_of(weights)
        self.context = context or self.package.context(weights)
        if self.package.is_matrix(weights):
            self._operand = Operand(weights, "weights", self.package).at(self.context)
            self.csr = self._operand.csr
            return
        if weights.ndim not in (1, 2):
            raise ValueError(f"weights have {weights.ndim} dimensions; a vector or a matrix is needed")
        dtype = self.package.dtype(weights)
        dtype = dtype if dtype in (np.dtype("f4"), np.dtype("f8")) else np.dtype("f8")
        rows, items = (1, weights.shape[0]) if weights.ndim == 1 else weights.shape
        self._values = self.package.as_array(weights, dtype)
        self._offsets = self.package.as_array(np.arange(rows + 1, dtype="i8") * items, np.dtype("i8"))
        self.csr = c.Csr(
            rows,
            items,
            rows * items,
            c.I64,
            VALUE_TYPES[dtype],
            c.DEVICE if self.context.is_device else c.HOST,
            self.package.address(self._offsets),
            None,
            self.package.address(self._values),
        )


def sample(weights: Any, n: int | None = None, seed: int = 0, *, context: Context | None = None) -> Any:
    """Items drawn with probabilities proportional to weights, as int32.

    weights: a vector, for n draws from one distribution (n = None: one); or a matrix, dense or CSR, of which each row
    is a distribution: one draw from each row, or n from each as an array of n x rows. An item is a position in its
    row, or its column if the matrix is CSR. For many calls with the same weights build an `Alias` or a `Forest`.

    >>> sample([0.0, 1.0, 0.0], 4).tolist()
    [1, 1, 1, 1]
    """
    found = _Weights(weights, context)
    if getattr(weights, "ndim", 1) == 1:
        drawn = Alias(weights, context=found.context).draw(1 if n is None else n, seed)
        return drawn[0] if n is None else drawn
    rows, package = found.csr.rows, found.package
    draws = package.zeros(rows * (1 if n is None else n), _I32)
    for k in range(1 if n is None else n):
        random, begin = c.Random(seed, 0, k * rows), package.address(draws) + 4 * k * rows
        found.context.call(c.lib.spg_butterfly_draw, found.csr, 0, random, None, begin)
    package.finish(found.context)
    return draws if n is None else draws.reshape(n, rows)


class _Table:
    """What tables share: a handle, and the package and context of the weights."""

    _destroy: Any = None

    def __init__(self, weights: Any, context: Context | None) -> None:
        self._handle: ctypes.c_void_p | None = None
        self._weights = _Weights(weights, context)
        self.context, self.package = self._weights.context, self._weights.package

    def _build(self, function: Any, options: Any) -> None:
        handle = ctypes.c_void_p()
        self.context.call(function, self._weights.csr, options, handle)
        self._handle = handle
        self.context.keep()
        del self._weights

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


_DRAWS = object()  # stands for the address of the draws


class Alias(_Table):
    """Alias tables, one for each row of weights: built once, each draw takes the same short time.

    weights: as for `sample`. exact: 16 bytes an item in place of 8, for weights of a wide range.

    >>> Alias([1.0, 0.0]).draw(3).tolist()
    [0, 0, 0]
    """

    _destroy = c.lib.spg_alias_destroy

    def __init__(self, weights: Any, *, exact: bool = False, context: Context | None = None) -> None:
        super().__init__(weights, context)
        self._build(c.lib.spg_alias_build, c.AliasOptions(0, int(exact), 0, 0))

    def draw(self, n: int, seed: int = 0, *, first: int = 0, row: int = 0, grouped: bool = False) -> Any:
        """n draws from a row. grouped: several times as fast for large tables; the draws are right as a multiset, but
        their order has no meaning."""
        random, options = c.Random(seed, 0, first), c.AliasDrawOptions(0, int(grouped))
        return self._draw(c.lib.spg_alias_draw, n, row, n, random, options, _DRAWS)

    def draw_rows(self, rows: Any, seed: int = 0, *, first: int = 0) -> Any:
        """A draw from each of the rows listed: a step of random walks, say."""
        rows = self.package.as_array(rows, _I32)
        address = self.package.address(rows)
        return self._draw(c.lib.spg_alias_draw_rows, rows.shape[0], rows.shape[0], address, c.Random(seed, 0, first), _DRAWS)


class Forest(_Table):
    """Monotone inversion of the cumulative weights, for each row: keeps the order of low-discrepancy points.

    weights: as for `sample`. method: "auto", "cutpoint" or "radix". cells_per_item: of the guide table.

    >>> Forest([1.0, 1.0, 2.0]).draw_at([0.1, 0.3, 0.9]).tolist()
    [0, 1, 2]
    """

    _destroy = c.lib.spg_forest_destroy

    def __init__(
        self, weights: Any, *, method: str = "auto", cells_per_item: float = 0, context: Context | None = None
    ) -> None:
        super().__init__(weights, context)
        if method not in _FOREST_METHODS:
            raise ValueError(f"unknown method {method!r}; use auto, cutpoint or radix")
        self._build(c.lib.spg_forest_build, c.ForestOptions(_FOREST_METHODS[method], cells_per_item))

    def draw(self, n: int, seed: int = 0, *, first: int = 0) -> Any:
        """n draws from row 0."""
        return self._draw(c.lib.spg_forest_draw, n, n, None, c.Random(seed, 0, first), None, _DRAWS, None)

    def draw_rows(self, rows: Any, seed: int = 0, *, first: int = 0) -> Any:
        """A draw from each of the rows listed."""
        rows = self.package.as_array(rows, _I32)
        address, random = self.package.address(rows), c.Random(seed, 0, first)
        return self._draw(c.lib.spg_forest_draw, rows.shape[0], rows.shape[0], address, random, None, _DRAWS, None)

    def draw_at(self, u: Any, rows: Any = None) -> Any:
        """The items at which the cumulative share of a row first exceeds each u in [0, 1); rows: of each u, else 0."""
        u = self.package.as_array(u, np.dtype("f8"))
        rows = None if rows is None else self.package.as_array(rows, _I32)
        if rows is not None and rows.shape[0] != u.shape[0]:
            raise ValueError(f"{rows.shape[0]} rows for {u.shape[0]} values of u")
        where = None if rows is None else self.package.address(rows)
        at = self.package.address(u)
        return self._draw(c.lib.spg_forest_draw, u.shape[0], u.shape[0], where, c.Random(), at, _DRAWS, None)

    def draw_stratified(self, n: int, seed: int = 0, *, first: int = 0, row: int = 0) -> Any:
        """n draws from a row, one from each of n equal parts of [0, 1), ascending."""
        return self._draw(c.lib.spg_forest_draw_stratified, n, row, n, c.Random(seed, 0, first), _DRAWS, None)
