"""Matrices between packages and the library: operands are views, results are taken over, both without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _library as c
from ._packages import SCIPY, Borrowed, Scipy, package_of
from .context import Context, known

VALUE_TYPES = {np.dtype("f4"): c.F32, np.dtype("f8"): c.F64, np.dtype("c8"): c.C32, np.dtype("c16"): c.C64}
OFFSET_TYPES = {np.dtype("i4"): c.I32, np.dtype("i8"): c.I64}
_SCIPY_CSR = (sp.csr_array, sp.csr_matrix)
_I32, _I64 = np.dtype("i4"), np.dtype("i8")
_MOST_COUNT = np.iinfo(np.int32).max


class Operand:
    """A view of a caller's CSR matrix, which it keeps alive."""

    __slots__ = ("csr", "package", "matrix", "parts", "dtype", "index_dtype")

    def __init__(self, A: Any, name: str, package: Scipy | None = None, dtype: np.dtype | None = None) -> None:
        """name: the argument's, for messages. dtype: convert the values to it."""
        self.dtype: np.dtype
        self.index_dtype: np.dtype  # of the matrix's columns, as the caller has them
        if A.__class__ in _SCIPY_CSR and dtype is None and self._view_scipy(A):
            return
        self.package = package = package or package_of(A)
        if not package.is_matrix(A):
            raise TypeError(f"{name} is a {type(A).__name__}, not a sparse matrix")
        if len(A.shape) != 2:
            raise ValueError(f"{name} is of shape {tuple(A.shape)}; a matrix has two dimensions")
        self.matrix = A = package.as_csr(A)
        self.parts = values, columns, offsets = self._parts(name, dtype)
        rows, cols = A.shape
        nnz = min(values.shape[0], columns.shape[0])
        if offsets.shape[0] != rows + 1:
            raise ValueError(f"{name} has {offsets.shape[0]} row offsets; {rows} rows need {rows + 1}")
        if package is SCIPY:
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

    def _view_scipy(self, A: Any) -> bool:
        """The usual case in few microseconds: SciPy's CSR of types that need no conversion. False: some other."""
        self.parts = values, columns, offsets = A.data, A.indices, A.indptr
        if len(A.shape) != 2:
            return False
        rows, cols = A.shape
        value_type, offset_type = VALUE_TYPES.get(values.dtype), OFFSET_TYPES.get(offsets.dtype)
        if value_type is None or offset_type is None or columns.dtype != _I32 or len(offsets) != rows + 1:
            return False
        nnz = int(offsets[-1])
        if not 0 < nnz <= min(len(values), len(columns)):
            return False
        for part in self.parts:
            if not part.flags.carray:
                return False
        address = SCIPY.address
        arrays = address(offsets), address(columns), address(values)
        self.csr = c.Csr(rows, cols, nnz, offset_type, value_type, c.HOST, *arrays)
        self.package, self.matrix, self.dtype, self.index_dtype = SCIPY, A, values.dtype, _I32
        return True

    def _parts(self, name: str, dtype: np.dtype | None) -> tuple[Any, Any, Any]:
        """Values, columns and offsets, contiguous and of types that the library takes."""
        package, A = self.package, self.matrix
        values, columns, offsets = package.parts(A)
        found = package.dtype(values)
        if dtype is None and found not in VALUE_TYPES:
            raise TypeError(f"{name} has values of type {found}; spg takes float32, float64, complex64 and complex128")
        if A.shape[1] > _MOST_COUNT:
            raise ValueError(f"{name} has {A.shape[1]} columns; spg takes at most 2147483647")
        self.dtype, self.index_dtype = dtype or found, package.dtype(columns)
        offset_dtype = package.dtype(offsets)
        if offset_dtype not in OFFSET_TYPES or self.index_dtype == _I64:  # a result's indices are of one type
            offset_dtype = _I64
        as_array = package.as_array
        columns = package.as_indices(columns, f"{name}'s columns")
        return as_array(values, self.dtype), columns, as_array(offsets, offset_dtype)

    def at(self, context: Context) -> Operand:
        """The same, said to lie where the context works; the library refuses it if it does not."""
        self.csr.place = c.DEVICE if context.is_device else c.HOST
        return self

    def widen(self) -> None:
        """Makes the offsets 64 bits wide, and so those of a product."""
        self._set_offsets(_I64)

    def narrow(self) -> None:
        """Makes the offsets 32 bits wide, if they count few enough entries."""
        if self.csr.offset_type == c.I64 and self.csr.nnz <= _MOST_COUNT:
            self._set_offsets(_I32)

    def _set_offsets(self, dtype: np.dtype) -> None:
        values, columns, offsets = self.parts
        offsets = self.package.as_array(offsets, dtype)
        self.parts = values, columns, offsets
        self.csr.offset_type = OFFSET_TYPES[self.package.dtype(offsets)]  # JAX may not make wider ones
        self.csr.row_offsets = self.package.address(offsets)


def _stored(offsets: Any, room: int, name: str) -> int:
    """The number of entries: SciPy's arrays may be longer."""
    nnz = int(offsets[-1])
    if not 0 <= nnz <= room:
        raise ValueError(f"{name} has row offsets that end at {nnz}, but {room} entries")
    return nnz


class Owner:
    """Holds a matrix that the library allocates, for the arrays around its memory. It is made before the call, whose
    end may be an interrupt."""

    __slots__ = ("csr", "context")

    def __init__(self, context: Context) -> None:
        self.csr = c.Csr()
        context.keep()
        self.context = context

    def __del__(self) -> None:
        self.context.free(c.lib.spg_csr_free, self.context.handle, self.csr)


def result(owner: Owner, like: Operand) -> Any:
    """A matrix of the operand's package around a result, which it owns."""
    return wrap(owner.csr, owner, like, like.index_dtype)


def wrap(csr: c.Csr, owner: Any, like: Operand, index_dtype: np.dtype) -> Any:
    """A matrix around arrays that `owner` keeps."""
    package, device, nnz, offset_type = like.package, csr.place == c.DEVICE, csr.nnz, csr.offset_type
    values = _take(package, csr.values, nnz, csr.value_type, owner, device)
    columns = _take(package, csr.columns, nnz, c.I32, owner, device)
    offsets = _take(package, csr.row_offsets, csr.rows + 1, offset_type, owner, device)
    if offset_type == c.I64 or index_dtype == _I64:  # packages want one type for both
        columns, offsets = package.as_array(columns, _I64), package.as_array(offsets, _I64)
    return package.matrix((values, columns, offsets), (csr.rows, csr.cols), like.matrix)


_DTYPES = {c.F32: "f4", c.F64: "f8", c.C32: "c8", c.C64: "c16", c.I32: "i4", c.I64: "i8"}


def _take(package: Scipy, address: int, count: int, type_: int, owner: Any, device: bool) -> Any:
    if count == 0:
        return package.zeros(0, _DTYPES[type_])
    return package.adopt(Borrowed(address, count, type_, owner, device))


def operands(context: Context | None, **matrices: Any) -> tuple[Context, list[Operand]]:
    """Views of matrices of one package, converted to one type of values, and the context for them. Indices of a result
    are as wide as those of the first matrix, if 32 bits can count the others' entries."""
    made = [Operand(A, name) for name, A in matrices.items()]
    first = made[0]
    for one in made:
        if one.package is not first.package and one.package.__class__ is not first.package.__class__:
            raise TypeError(f"matrices of two packages: {type(first.matrix).__name__} and {type(one.matrix).__name__}")
        if one.dtype is not first.dtype and one.dtype != first.dtype:
            dtype = np.result_type(*(one.dtype for one in made))
            made = [Operand(A, name, dtype=dtype) for name, A in matrices.items()]
            break
    if made[0].csr.offset_type == c.I32:
        for one in made[1:]:
            one.narrow()
    context = known(context) or first.package.context(first.matrix)
    if context.is_device:
        for one in made:
            one.csr.place = c.DEVICE
    return context, made
