"""Algebraic multigrid by smoothed aggregation."""

from __future__ import annotations

import ctypes
import importlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse.linalg

from . import _library as c
from ._matrix import Operand, operands, wrap
from ._packages import Scipy, is_complex, listed
from .context import Context, NotCopied
from .errors import ArgumentError, FormatError, PlaceError, ShapeError, SolveError
from .forks import Lock

_CHOICES = {
    "aggregation": {"mis2": 0, "standard": 1},
    "smoother": {"jacobi": 0, "l1_jacobi": 1, "chebyshev": 2},
    "strength": {"symmetric": 0, "classical": 1},
    "restriction": {"transpose": 0, "petrov_galerkin": 1},
    "precision": {"a": 0, "f32": 1},
    "cycle": {"v": 0, "k": 1},
}
_SET_BY_B = ("candidates", "candidate_values")
_OPTIONS = [field[0] for field in c.AmgOptions._fields_ if field[0] not in _SET_BY_B]
_METHODS = {"cg": 0, "standalone": 1}
_NULLSPACES = {None: 0, "constant": 1, "candidates": 2}
_ENDS = ["few rows left", "max_levels", "no strong couplings left", "coarsening too slow", "max_complexity"]


@dataclass(frozen=True)
class Level:
    """One level: its operator, its prolongator and restriction (None on the last level), copies of the hierarchy's."""

    A: Any
    P: Any
    R: Any
    aggregates: int
    rho: float  # the spectral radius of D^-1 A: an estimate, or a bound if A is unsymmetric


@dataclass(frozen=True)
class SolveInfo:
    """How a solve went."""

    iterations: int
    converged: bool
    residual: float  # ||b - A x||
    relative_residual: float
    convergence_factor: float  # mean reduction per iteration
    seconds: float
    stagnated: bool  # stopped because rounding keeps the residual from falling


def smoothed_aggregation(A: Any, B: Any = None, *, context: Context | None = None, **options: Any) -> Hierarchy:
    """The multigrid hierarchy of a symmetric or Hermitian A, by smoothed aggregation.

    B: near-null-space vectors, one a column (the rigid-body modes of elasticity, say); None: one constant for each
    unknown of a node. options: those of `spg_amg_options`, with its defaults: aggregation ("mis2" or "standard"),
    smoother ("jacobi", "l1_jacobi" or "chebyshev"), theta, strength ("symmetric" or "classical"), filter,
    restriction ("transpose" or "petrov_galerkin"), block_size, max_coarse, max_levels, pre_sweeps, post_sweeps,
    prepare_update, precision ("a", A's, or "f32"), cycle ("v", or "k", which takes one right-hand side at a time) and
    so on. The hierarchy keeps A, which must not change but by `update`. That of a complex A is of its real form, which
    has [[re, -im], [im, re]] in the place of each entry: so are its levels and max_coarse, while B, b, x and block_size
    are complex.

    >>> import numpy as np, scipy.sparse as sp
    >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> ml = smoothed_aggregation(A)
    >>> x = ml.solve(np.ones(1000))
    >>> bool(np.linalg.norm(np.ones(1000) - A @ x) < 1e-8 * np.sqrt(1000))
    True
    """
    return Hierarchy(A, B, context=context, **options)


class Hierarchy(NotCopied):
    """A multigrid hierarchy; made by `smoothed_aggregation`. Printing it shows a table of its levels."""

    _handle: ctypes.c_void_p | None = None

    def __init__(self, A: Any, B: Any = None, *, context: Context | None = None, **options: Any) -> None:
        self.context, (self._A,) = operands(context, A=A)
        self._updates = Lock()
        B = listed(B)
        chosen, self._B = self._options(B, options), None
        if B is not None:
            self._refuse_complex(B, "B")
            self._B = self._A.package.as_array(B if np.ndim(B) == 2 else B.reshape(-1, 1), self._A.dtype, "F")
            if math.prod(self._B.shape) != self._A.csr.rows * chosen.candidates:
                raise ValueError(f"B has {B.shape[0]} rows; A has {self._A.csr.rows}")
            chosen.candidate_values = self._A.package.address(self._B)
        self._held = [self._A]
        self.context.keep()
        self._handle = ctypes.c_void_p()  # before the call, whose end may be an interrupt
        self.context.call(c.lib.spg_amg_setup, self._A.csr, chosen, self._handle)

    def _options(self, B: Any, options: dict[str, Any]) -> c.AmgOptions:
        chosen = c.lib.spg_amg_options_default()
        for name, value in options.items():
            if name not in _OPTIONS:
                raise TypeError(f"unknown option {name!r}; options are {', '.join(_OPTIONS)}")
            if name in _CHOICES:
                if value not in _CHOICES[name]:
                    raise ValueError(f"unknown {name} {value!r}; use {' or '.join(_CHOICES[name])}")
                value = _CHOICES[name][value]
            c.set_number(chosen, name, name, value)
        if B is not None:
            if np.ndim(B) not in (1, 2):
                raise ValueError(f"B has {np.ndim(B)} dimensions; a vector or a matrix is needed")
            chosen.candidates = 1 if np.ndim(B) == 1 else B.shape[1]
        return chosen

    @property
    def shape(self) -> tuple[int, int]:
        return self._A.csr.rows, self._A.csr.cols

    @property
    def dtype(self) -> np.dtype:
        return self._A.dtype

    @property
    def levels(self) -> list[Level]:
        """The levels, from the finest, as copies."""
        return [self._level(number) for number in range(c.lib.spg_amg_levels(self._handle))]

    def _level(self, number: int) -> Level:
        view = self._view(number)
        copy = self._A.package.copy_matrix
        A, P, R = (copy(wrap(m, self, self._A, np.dtype("i4"))) if m.row_offsets else None for m in _matrices(view))
        return Level(A, P, R, view.aggregates, view.rho)

    def _view(self, number: int) -> c.AmgLevelView:
        view = c.AmgLevelView()
        self.context.call_with(c.lib.spg_amg_level, self._handle, number, view)
        return view

    def _summary(self) -> c.AmgSummary:
        summary = c.AmgSummary()
        self.context.call_with(c.lib.spg_amg_summarise, self._handle, summary)
        return summary

    def operator_complexity(self) -> float:
        """Nonzeros of all levels over those of the first."""
        return self._summary().operator_complexity

    def grid_complexity(self) -> float:
        """Rows of all levels over those of the first."""
        return self._summary().grid_complexity

    def update(self, A: Any) -> None:
        """Computes the hierarchy anew for other values on A's pattern; aggregates and patterns stay."""
        _, (view,) = operands(self.context, A=A)
        with self._updates:  # the matrix kept alive is that of the last update, from whichever thread
            self._held.append(view)  # both, where an interrupt or a breakdown ends the call
            try:
                self.context.call(c.lib.spg_amg_update, self._handle, view.csr)
            except (ArgumentError, FormatError, PlaceError, ShapeError):  # the hierarchy is unchanged
                self._held.pop()
                raise
            self._A, self._held = view, [view]

    def solve(
        self,
        b: Any,
        x0: Any = None,
        *,
        tol: float | None = None,
        maxiter: int = 200,
        accel: str = "cg",
        nullspace: str | None = None,
        residuals: list[float] | None = None,
        return_info: bool = False,
    ) -> Any:
        """Solves A x = b to ||b - A x|| <= tol ||b||. b of shape (n, k): k right-hand sides at once, each as alone, in
        less time; x is then of that shape too.

        tol: None: 1e-8 for doubles, 1e-4 for floats. accel: "cg" (conjugate gradients, A positive definite) or
        "standalone" (cycles alone). nullspace, for a singular A: what is removed from b and x: "constant", or
        "candidates" (what A maps to zero of the span of B). residuals: a list that gets ||b - A x|| before and after
        each iteration; for several right-hand sides, a list of them for each. return_info: return (x, SolveInfo), or
        for several a list of SolveInfo, also if the iteration ends early, in place of an exception.
        """
        b, x0 = listed(b), listed(x0)
        count = b.shape[1] if np.ndim(b) == 2 else None
        rhs, x = self._rows(b, "b", count), self._guess(x0, count)
        number = 1 if count is None else count
        options, results = c.lib.spg_amg_solve_options_default(), (c.AmgSolveResult * number)()
        options.method = _choose(_METHODS, "accel", accel)
        options.nullspace = _choose(_NULLSPACES, "nullspace", nullspace)
        c.set_number(options, "tolerance", "tol", -1.0 if tol is None else tol)
        c.set_number(options, "max_iterations", "maxiter", maxiter)
        history = None
        if residuals is not None:
            history = np.empty((number, max(maxiter, 0) + 1))
            options.history = history.ctypes.data
        failure = None
        try:
            self._call_solve(rhs, x, count, options, results)
        except SolveError as raised:
            failure = raised.with_traceback(None)
        infos = [_info(of) for of in results]
        if residuals is not None and history is not None:
            histories = [history[j, : of.iterations + 1].tolist() for j, of in enumerate(results)]
            residuals.extend(histories[0] if count is None else histories)
        info = infos[0] if count is None else infos
        if self._by_columns(count):
            x = x.T
        if return_info:
            return x, info
        if failure is not None:
            failure.x, failure.info = x, info
            try:
                raise failure
            finally:
                failure = None  # or its traceback keeps it, and x, until Python looks for cycles
        return x

    def _call_solve(self, rhs: Any, x: Any, count: int | None, options: c.AmgSolveOptions, results: Any) -> None:
        package = self._A.package
        b_at, x_at = package.address(rhs), package.address(x)
        if count is None:
            self.context.call(c.lib.spg_amg_solve, self._handle, b_at, x_at, options, results[0])
        else:
            layout, stride = (1, self._A.csr.rows) if self._by_columns(count) else (0, count)
            vectors = count, layout, b_at, stride, x_at, stride
            self.context.call(c.lib.spg_amg_solve_many, self._handle, *vectors, options, results)

    def _guess(self, x0: Any, count: int | None) -> Any:
        if x0 is not None:
            return self._A.package.copy(self._rows(x0, "x0", count))
        rows = self._A.csr.rows
        x = self._A.package.zeros(rows * (1 if count is None else count), self._A.dtype)
        if count is None:
            return x
        return self._A.package.as_array(x.reshape(self._shape(count)), self._A.dtype)

    def _by_columns(self, count: int | None) -> bool:
        """Whether several vectors are rows of the arrays that the library sees: of a complex A it takes no others."""
        return count is not None and np.dtype(self._A.dtype).kind == "c"

    def _shape(self, count: int) -> tuple[int, int]:
        rows = self._A.csr.rows
        return (count, rows) if self._by_columns(count) else (rows, count)

    def cycle(self, b: Any, x: Any = None) -> Any:
        """One cycle on A x = b from x (None: zero); returns the new x."""
        package = self._A.package
        rhs = self._vector(b, "b")
        x = package.zeros(self._A.csr.rows, self._A.dtype) if x is None else package.copy(self._vector(x, "x"))
        self.context.call(c.lib.spg_amg_cycle, self._handle, package.address(rhs), package.address(x))
        package.finish(self.context)
        return x

    def aspreconditioner(self) -> Any:
        """One cycle from zero as a LinearOperator of SciPy, or of CuPy for CuPy matrices: an `M` for their cg, or with
        cycle="k" for a flexible method."""
        if type(self._A.package) is Scipy:
            linalg: Any = scipy.sparse.linalg
        else:
            linalg = importlib.import_module("cupyx.scipy.sparse.linalg")
        return linalg.LinearOperator(self.shape, matvec=lambda b: self.cycle(b), dtype=self._A.dtype)

    def _rows(self, b: Any, name: str, count: int | None) -> Any:
        """A vector, or an array of `count` columns, row-major; transposed if `_by_columns`."""
        if count is None:
            return self._vector(b, name)
        if tuple(b.shape) != (self._A.csr.rows, count):
            raise ValueError(f"{name} is of shape {tuple(b.shape)}, not {(self._A.csr.rows, count)}")
        self._refuse_complex(b, name)
        return self._A.package.as_array(b.T if self._by_columns(count) else b, self._A.dtype)

    def _refuse_complex(self, b: Any, name: str) -> None:
        if is_complex(b) and np.dtype(self._A.dtype).kind != "c":
            raise TypeError(f"{name} is complex, A real; make A complex, or solve for both parts")

    def _vector(self, b: Any, name: str) -> Any:
        self._refuse_complex(b, name)
        array = self._A.package.as_array(b, self._A.dtype).reshape(-1)
        if array.shape[0] != self._A.csr.rows:
            raise ValueError(f"{name} has {array.shape[0]} values; A has {self._A.csr.rows} rows")
        return array

    def __repr__(self) -> str:
        summary = self._summary()
        views = [self._view(number).A for number in range(summary.levels)]
        entries = sum(view.nnz for view in views)
        lines = [
            "Smoothed aggregation",
            f"Number of levels:    {summary.levels}",
            f"Operator complexity: {summary.operator_complexity:.3f}",
            f"Grid complexity:     {summary.grid_complexity:.3f}",
            f"Coarsening ended by: {_ENDS[summary.end]}",
            " level     unknowns     nonzeros",
        ]
        for number, view in enumerate(views):
            lines.append(f"{number:6} {view.rows:12} {view.nnz:12} [{100 * view.nnz / max(entries, 1):5.2f}%]")
        return "\n".join(lines)

    def __del__(self) -> None:
        if self._handle is not None:
            self.context.free(c.lib.spg_amg_destroy, self._handle)


def _info(result: c.AmgSolveResult) -> SolveInfo:
    return SolveInfo(
        result.iterations,
        bool(result.converged),
        result.residual,
        result.relative_residual,
        result.convergence_factor,
        result.seconds,
        bool(result.stagnated),
    )


def _matrices(view: c.AmgLevelView) -> tuple[c.Csr, c.Csr, c.Csr]:
    return view.A, view.P, view.R


def _choose(choices: dict[Any, int], name: str, value: Any) -> int:
    if value not in choices:
        raise ValueError(f"unknown {name} {value!r}; use {' or '.join(map(repr, choices))}")
    return choices[value]
