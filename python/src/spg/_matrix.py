"""Matrices between packages and the library: operands are views, results are taken over, both without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _library as c
from ._packages import Borrowed, Scipy, package_of
from .context import Context

VALUE_TYPES = {np.dtype("f4"): c.F32, np.dtype("f8"): c.F64, np.dtype("c8"): c.C32, np.dtype("c16"): c.C64}
OFFSET_TYPES = {np.dtype("i4"): c.I32, np.dtype("i8"): c.I64}
_I32, _I64 = np.dtype("i4"), np.dtype("i8")


class Operand:
    """A view of a caller's CSR matrix, which it keeps alive."""

    __slots__ = ("csr", "package", "matrix", "parts", "dtype")

    def __init__(self, A: Any, name: str, package: Scipy | None = None, dtype: np.dtype | None = None) -> None:
        """name: the argument's, for messages. dtype: convert the values to it."""
        self.package = package = package or package_of(A)
        if not package.is_matrix(A):
            raise TypeError(f"{name} is a {type(A).__name__}, not a sparse matrix")
        self.matrix = A = package.as_csr(A)
        self.parts = values, columns, offsets = self._parts(name, dtype)
        rows, cols = A.shape
        nnz = min(values.shape[0], columns.shape[0])
        if offsets.shape[0] != rows + 1:
            raise ValueError(f"{name} has {offsets.shape[0]} row offsets; {rows} rows need {rows + 1}")
        if package.__class__ is Scipy:
            nnz = _stored(offsets, nnz, name)
        address = package.address
        self.csr = c.Csr(
            rows,
            cols,
            nnz,
            OFFSET_TYPES[package.dtype(offsets)],
            VALUE_TYPES[self.dtype],
            c.HOST,
            address(offsets),
            address(columns) if nnz else None,
            address(values) if nnz else None,
        )

    def _parts(self, name: str, dtype: np.dtype | None) -> tuple[Any, Any, Any]:
        """Values, columns and offsets, contiguous and of types that the library takes."""
        package, A = self.package, self.matrix
        values, columns, offsets = package.parts(A)
        self.dtype = found = package.dtype(values)
        if (
            package.__class__ is Scipy
            and (dtype is None or dtype == found)
            and found in VALUE_TYPES
            and columns.dtype == _I32
            and offsets.dtype in OFFSET_TYPES
            and values.flags.carray
            and columns.flags.carray
            and offsets.flags.carray
        ):
            return values, columns, offsets
        if dtype is None and found not in VALUE_TYPES:
            raise TypeError(f"{name} has values of type {found}; spg takes float32, float64, complex64 and complex128")
        if A.shape[1] > np.iinfo(np.int32).max:
            raise ValueError(f"{name} has {A.shape[1]} columns; spg takes at most 2147483647")
        self.dtype = dtype or found
        offset_dtype = package.dtype(offsets)
        offset_dtype = offset_dtype if offset_dtype in OFFSET_TYPES else _I64
        as_array = package.as_array
        return as_array(values, self.dtype), as_array(columns, _I32), as_array(offsets, offset_dtype)

    def at(self, context: Context) -> Operand:
        """The same, said to lie where the context works; the library refuses it if it does not."""
        self.csr.place = c.DEVICE if context.is_device else c.HOST
        return self

    def widen(self) -> None:
        """Makes the offsets 64 bits wide, and so those of a product."""
        values, columns, offsets = self.parts
        offsets = self.package.as_array(offsets, _I64)
        self.parts = values, columns, offsets
        self.csr.offset_type = c.I64
        self.csr.row_offsets = self.package.address(offsets)


def _stored(offsets: Any, room: int, name: str) -> int:
    """The number of entries: SciPy's arrays may be longer."""
    nnz = int(offsets[-1])
    if not 0 <= nnz <= room:
        raise ValueError(f"{name} has row offsets that end at {nnz}, but {room} entries")
    return nnz


class Owner:
    """Holds a matrix that the library allocated, for the arrays around its memory."""

    __slots__ = ("csr", "context")

    def __init__(self, csr: c.Csr, context: Context) -> None:
        self.csr, self.context = csr, context

    def __del__(self) -> None:
        self.context.free(c.lib.spg_csr_free, self.context.handle, self.csr)


def result(csr: c.Csr, context: Context, like: Operand) -> Any:
    """A matrix of the operand's package around a result, which it owns."""
    owner = Owner(csr, context)
    return wrap(csr, owner, like, like.package.dtype(like.package.parts(like.matrix)[1]))


def wrap(csr: c.Csr, owner: Any, like: Operand, index_dtype: np.dtype) -> Any:
    """A matrix around arrays that `owner` keeps."""
    package, device = like.package, csr.place == c.DEVICE
    values = _take(package, csr.values, csr.nnz, csr.value_type, owner, device)
    columns = _take(package, csr.columns, csr.nnz, c.I32, owner, device)
    offsets = _take(package, csr.row_offsets, csr.rows + 1, csr.offset_type, owner, device)
    if csr.offset_type == c.I64 or index_dtype == _I64:  # packages want one type for both
        columns, offsets = package.as_array(columns, _I64), package.as_array(offsets, _I64)
    return package.matrix((values, columns, offsets), (csr.rows, csr.cols), like.matrix)


_DTYPES = {c.F32: "f4", c.F64: "f8", c.C32: "c8", c.C64: "c16", c.I32: "i4", c.I64: "i8"}


def _take(package: Scipy, address: int, count: int, type_: int, owner: Any, device: bool) -> Any:
    if count == 0:
        return package.zeros(0, _DTYPES[type_])
    return package.adopt(Borrowed(address, count, type_, owner, device))


def operands(context: Context | None, **matrices: Any) -> tuple[Context, list[Operand]]:
    """Views of matrices of one package, converted to one type of values, and the context for them."""
    first = next(iter(matrices.values()))
    package = package_of(first)
    made = [Operand(A, name, package) for name, A in matrices.items()]
    dtype = made[0].dtype
    for one in made:
        if one.dtype != dtype:
            dtype = np.result_type(*(one.dtype for one in made))
            made = [Operand(A, name, package, dtype) for name, A in matrices.items()]
            break
    if context is None:
        context = package.context(first)
    if context.is_device:
        for one in made:
            one.csr.place = c.DEVICE
    return context, made
