"""Sparse matrix products: A*B, R*A*P, and plans that repeat them with new values."""

from __future__ import annotations

import ctypes
from typing import Any

from . import _library as c
from ._matrix import Operand, Owner, operands, result
from .context import Context, NotCopied
from .errors import CountError


def matmul(A: Any, B: Any, *, context: Context | None = None) -> Any:
    """C = A*B. Rows of C are sorted and hold no duplicates; entries that cancel stay as explicit zeros.

    A, B: SciPy CSR matrices or arrays (other formats are converted), CuPy CSR matrices, torch sparse CSR tensors or JAX
    BCSR matrices, of float32, float64, complex64 or complex128; of two types the wider is taken. C is of A's kind, with
    memory of the library, without a copy. Indices are 32 bits wide if A's are and C's entries can be counted with them.
    The bits of C do not depend on threads or place.

    >>> import scipy.sparse as sp
    >>> A = sp.csr_array([[1.0, 2.0], [0.0, 3.0]])
    >>> matmul(A, A).toarray()
    array([[1., 8.],
           [0., 9.]])
    """
    context, (a, b) = operands(context, A=A, B=B)
    C = Owner(context)
    try:
        context.call(c.lib.spgemm_csr, a.csr, b.csr, C.csr)
    except CountError:
        a.widen()
        context.call(c.lib.spgemm_csr, a.csr, b.csr, C.csr)
    a.package.finish(context)
    return result(C, a)


def galerkin(A: Any, P: Any, R: Any = None, *, context: Context | None = None) -> Any:
    """C = R*A*P, computed as R*(A*P), with R = P^T (the plain transpose) if R is None. If R is None and A is symmetric
    bit for bit, so is C. Takes and returns matrices as `matmul` does.

    >>> import scipy.sparse as sp
    >>> A = sp.csr_array([[2.0, -1.0], [-1.0, 2.0]])
    >>> galerkin(A, sp.csr_array([[1.0], [1.0]])).toarray()
    array([[2.]])
    """
    context, made = _three(context, A, P, R)
    a, p, r = made
    C = Owner(context)
    try:
        context.call(c.lib.spg_galerkin, r and r.csr, a.csr, p.csr, C.csr)
    except CountError:
        a.widen()
        context.call(c.lib.spg_galerkin, r and r.csr, a.csr, p.csr, C.csr)
    a.package.finish(context)
    return result(C, a)


def _three(context: Context | None, A: Any, P: Any, R: Any) -> tuple[Context, tuple[Operand, Operand, Operand | None]]:
    if R is None:
        context, (a, p) = operands(context, A=A, P=P)
        return context, (a, p, None)
    context, (a, p, r) = operands(context, A=A, P=P, R=R)
    return context, (a, p, r)


class _Plan(NotCopied):
    """What both kinds of plan share: a handle, freed with the object."""

    _destroy: Any = None
    _handle: ctypes.c_void_p | None = None

    def __init__(self, context: Context) -> None:
        context.keep()
        self.context, self._handle = context, ctypes.c_void_p()  # before the call, whose end may be an interrupt

    def _run(self, function: Any, like: Operand, views: list[Any], out: Any) -> Any:
        package = like.package
        if out is None:
            C = Owner(self.context)
            self.context.call_with(function, self._handle, *views, C.csr)
            package.finish(self.context)
            return result(C, like)
        view = Operand(out, "out", package).at(self.context)
        if view.matrix is not out or not package.can_overwrite(package.parts(out)[0], view.parts[0]):
            raise TypeError("out has values that cannot be overwritten; use an earlier result of this plan")
        self.context.call_with(function, self._handle, *views, view.csr)
        package.finish(self.context)
        return out

    def __del__(self) -> None:
        if self._handle is not None:
            self.context.free(self._destroy, self._handle)


class Plan(_Plan):
    """A*B again and again with new values on the same patterns; made by `plan`."""

    _destroy = c.lib.spgemm_plan_destroy

    def __init__(self, A: Any, B: Any, *, context: Context | None = None) -> None:
        context, (a, b) = operands(context, A=A, B=B)
        super().__init__(context)
        context.call(c.lib.spgemm_plan_create, a.csr, b.csr, self._handle)

    def __call__(self, A: Any, B: Any, out: Any = None) -> Any:
        """A*B for matrices of the plan's patterns. out: an earlier result of this plan, whose values are overwritten,
        without any allocation; None: a new matrix. ShapeError: another pattern; on a device only sizes are compared,
        see `check`."""
        _, (a, b) = operands(self.context, A=A, B=B)
        return self._run(c.lib.spgemm_plan_run, a, [a.csr, b.csr], out)

    def check(self, A: Any, B: Any) -> None:
        """ShapeError if A or B does not have the plan's pattern."""
        _, (a, b) = operands(self.context, A=A, B=B)
        self.context.call_with(c.lib.spgemm_plan_check, self._handle, a.csr, b.csr)


class GalerkinPlan(_Plan):
    """R*A*P again and again with new values on the same patterns; made by `galerkin_plan`."""

    _destroy = c.lib.spg_galerkin_plan_destroy

    def __init__(self, A: Any, P: Any, R: Any = None, *, context: Context | None = None) -> None:
        context, (a, p, r) = _three(context, A, P, R)
        super().__init__(context)
        context.call(c.lib.spg_galerkin_plan_create, r and r.csr, a.csr, p.csr, self._handle)

    def __call__(self, A: Any, P: Any, R: Any = None, out: Any = None) -> Any:
        """R*A*P for matrices of the plan's patterns; R is None if it was when the plan was made. out: as for `Plan`."""
        _, (a, p, r) = _three(self.context, A, P, R)
        return self._run(c.lib.spg_galerkin_plan_run, a, [r and r.csr, a.csr, p.csr], out)

    def check(self, A: Any, P: Any, R: Any = None) -> None:
        """ShapeError if one of them does not have the plan's pattern."""
        _, (a, p, r) = _three(self.context, A, P, R)
        self.context.call_with(c.lib.spg_galerkin_plan_check, self._handle, r and r.csr, a.csr, p.csr)


def plan(A: Any, B: Any, *, context: Context | None = None) -> Plan:
    """Finds the pattern of A*B and where each product goes. A and B may change or be freed afterwards.

    >>> import scipy.sparse as sp
    >>> A = sp.csr_array([[1.0, 2.0], [0.0, 3.0]])
    >>> repeat = plan(A, A)
    >>> C = repeat(A, A)
    >>> A.data *= 10
    >>> repeat(A, A, out=C).toarray()
    array([[100., 800.],
           [  0., 900.]])
    """
    return Plan(A, B, context=context)


def galerkin_plan(A: Any, P: Any, R: Any = None, *, context: Context | None = None) -> GalerkinPlan:
    """The same for R*A*P, with R = P^T if R is None."""
    return GalerkinPlan(A, P, R, context=context)
