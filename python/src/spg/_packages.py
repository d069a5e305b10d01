"""What SciPy, CuPy, torch and JAX call their arrays and matrices.

A package gives the address and type of an array, the parts of a CSR matrix, arrays and matrices of its own around
memory of the library, and the context that works where its arrays lie and on its current stream.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _library as c
from .context import Context, context_of

_address, _byte = ctypes.addressof, ctypes.c_char.from_buffer
_DTYPES = ("f4", "f8", "c8", "c16", "i4", "i8")
_I32 = np.dtype("i4")
_TYPESTR = {c.F32: "<f4", c.F64: "<f8", c.C32: "<c8", c.C64: "<c16", c.I32: "<i4", c.I64: "<i8"}


class Borrowed:
    """Memory of the library that a package takes as an array, without a copy. The array keeps `owner` alive."""

    __slots__ = ("__array_interface__", "__cuda_array_interface__", "owner")

    def __init__(self, address: int, count: int, type_: int, owner: Any, is_device: bool) -> None:
        self.owner = owner
        layout = {"data": (address, False), "shape": (count,), "typestr": _TYPESTR[type_], "version": 3}
        if is_device:
            self.__cuda_array_interface__ = layout
        else:
            self.__array_interface__ = layout


class Scipy:
    """NumPy arrays, SciPy matrices."""

    def address(self, array: Any) -> int:
        try:
            return _address(_byte(array))  # a quarter of the time of the interface, but not of read-only arrays
        except (TypeError, ValueError):
            return array.__array_interface__["data"][0]

    def dtype(self, array: Any) -> np.dtype:
        return array.dtype

    def as_array(self, array: Any, dtype: Any, order: str = "C") -> Any:
        return np.require(array, dtype, ["F" if order == "F" else "C", "A", "E"])  # E: no np.matrix

    def as_indices(self, array: Any, name: str) -> Any:
        """Of 32 bits; refuses what these cannot hold, which a conversion would cut off."""
        narrow = self.as_array(array, _I32)
        if getattr(array, "dtype", None) != _I32 and np.any(narrow != array):
            raise ValueError(f"{name}: one is no whole number of 32 bits")
        return narrow

    def zeros(self, count: int, dtype: Any) -> Any:
        return np.zeros(count, dtype)

    def can_overwrite(self, array: Any, view: Any) -> bool:
        """Whether what the library writes into a view of an array, which may be a copy, is then in the array."""
        return self.address(view) == self.address(array) and getattr(getattr(array, "flags", None), "writeable", True)

    def copy(self, array: Any) -> Any:
        return array.copy()

    def copy_matrix(self, A: Any) -> Any:
        return self.copy(A)

    def adopt(self, memory: Borrowed) -> Any:
        return np.asarray(memory)

    def context(self, like: Any) -> Context:
        return context_of("host")

    def finish(self, context: Context) -> None:
        """Called when a result's work is queued."""

    def is_matrix(self, A: Any) -> bool:
        return sp.issparse(A)

    def as_csr(self, A: Any) -> Any:
        return A if A.format == "csr" else A.tocsr()

    def parts(self, A: Any) -> tuple[Any, Any, Any]:
        return A.data, A.indices, A.indptr

    def matrix(self, parts: tuple[Any, Any, Any], shape: tuple[int, int], like: Any) -> Any:
        """Made from a prototype: the constructor would check for longer than small products take."""
        kind = sp.csr_array if isinstance(like, sp.sparray) else sp.csr_matrix
        made = kind.__new__(kind)
        made.__dict__.update(_PROTOTYPES[kind])
        made.data, made.indices, made.indptr = parts
        made._shape = shape
        return made


def _prototype(kind: Any) -> dict[str, Any]:
    empty = kind((1, 1))
    empty.has_canonical_format = True
    return dict(empty.__dict__)


_PROTOTYPES = {kind: _prototype(kind) for kind in (sp.csr_array, sp.csr_matrix)}


class Cupy(Scipy):
    """CuPy arrays and matrices, on CuPy's current device and stream."""

    def __init__(self) -> None:
        import cupy
        import cupyx.scipy.sparse

        self.cupy, self.sparse = cupy, cupyx.scipy.sparse

    def address(self, array: Any) -> int:
        return array.data.ptr

    def as_array(self, array: Any, dtype: Any, order: str = "C") -> Any:
        return self.cupy.asarray(array, dtype, order=order)

    def zeros(self, count: int, dtype: Any) -> Any:
        return self.cupy.zeros(count, dtype)

    def adopt(self, memory: Borrowed) -> Any:
        return self.cupy.asarray(memory)

    def context(self, like: Any) -> Context:
        return context_of("device", self.cupy.cuda.Device().id, self.cupy.cuda.get_current_stream().ptr)

    def is_matrix(self, A: Any) -> bool:
        return self.sparse.issparse(A)

    def matrix(self, parts: tuple[Any, Any, Any], shape: tuple[int, int], like: Any) -> Any:
        return self.sparse.csr_matrix(parts, shape, copy=False)


class Torch(Scipy):
    """torch tensors, on the device of the tensor and torch's current stream. One object for each device: `torch_on`."""

    def __init__(self, device: Any) -> None:
        import torch

        self.torch, self.device = torch, device
        if device.type not in ("cpu", "cuda"):
            raise TypeError(f"a tensor on {device}: spg works on cpu and cuda")
        self.torch_types = {np.dtype(name): getattr(torch, np.dtype(name).name) for name in _DTYPES}
        self.dtypes = {name: dtype for dtype, name in self.torch_types.items()}

    def address(self, array: Any) -> int:
        return array.data_ptr()

    def dtype(self, array: Any) -> np.dtype:
        found = self.dtypes.get(array.dtype)
        return found or np.dtype(str(array.dtype).removeprefix("torch."))

    def as_array(self, array: Any, dtype: Any, order: str = "C") -> Any:
        wanted = self.torch_types.get(dtype) or getattr(self.torch, np.dtype(dtype).name)
        if isinstance(array, self.torch.Tensor):
            array = array.resolve_conj().resolve_neg()  # torch conjugates when it reads
        if isinstance(array, self.torch.Tensor) and array.dtype is wanted and array.device == self.device:
            if order == "C" and array.is_contiguous() and not array.requires_grad:
                return array
        array = self.torch.as_tensor(array, dtype=wanted, device=self.device).detach()
        return array.contiguous() if order == "C" else array.t().contiguous().t()

    def as_indices(self, array: Any, name: str) -> Any:
        array = self.torch.as_tensor(array, device=self.device)
        if array.dtype is self.torch.int64:  # without a wait for the device: the library refuses both ends
            array = array.clamp(-1, np.iinfo(_I32).max)
        return self.as_array(array, _I32)

    def zeros(self, count: int, dtype: Any) -> Any:
        return self.torch.zeros(count, dtype=getattr(self.torch, np.dtype(dtype).name), device=self.device)

    def copy(self, array: Any) -> Any:
        return array.clone()

    def adopt(self, memory: Borrowed) -> Any:
        return self.torch.as_tensor(memory if self.device.type == "cuda" else np.asarray(memory), device=self.device)

    def context(self, like: Any) -> Context:
        if self.device.type == "cpu":
            return context_of("host")
        stream = self.torch.cuda.current_stream(self.device).cuda_stream
        return context_of("device", self.device.index, stream or None)

    def is_matrix(self, A: Any) -> bool:
        return A.layout != self.torch.strided

    def as_csr(self, A: Any) -> Any:
        return A if A.layout == self.torch.sparse_csr else A.to_sparse_csr()

    def parts(self, A: Any) -> tuple[Any, Any, Any]:
        values = A.values()
        return values.detach() if values.requires_grad else values, A.col_indices(), A.crow_indices()

    def matrix(self, parts: tuple[Any, Any, Any], shape: tuple[int, int], like: Any) -> Any:
        values, columns, offsets = parts
        columns, offsets = columns.to(like.col_indices().dtype), offsets.to(like.crow_indices().dtype)
        return self.torch.sparse_csr_tensor(offsets, columns, values, shape, check_invariants=False)


class Jax(Scipy):
    """JAX arrays, and BCSR matrices of jax.experimental.sparse. JAX has no streams that others can use: operands are
    waited for before a call and results after it."""

    def __init__(self, like: Any) -> None:
        import jax
        from jax.experimental import sparse

        self.jax, self.sparse = jax, sparse
        data = like.data if isinstance(like, sparse.BCSR) else like
        self.device = next(iter(data.devices()))
        self.on_host = self.device.platform == "cpu"

    def address(self, array: Any) -> int:
        return array.unsafe_buffer_pointer()

    def dtype(self, array: Any) -> np.dtype:
        return np.dtype(array.dtype)

    def as_array(self, array: Any, dtype: Any, order: str = "C") -> Any:
        if order == "F" and np.ndim(array) == 2:
            array = self.jax.numpy.asarray(array).T.ravel()  # JAX arrays are row-major
        array = self.jax.device_put(self.jax.numpy.asarray(array, dtype), self.device)
        return self.jax.block_until_ready(array)

    def as_indices(self, array: Any, name: str) -> Any:
        return super().as_indices(self.jax.numpy.asarray(array), name)

    def zeros(self, count: int, dtype: Any) -> Any:
        return self.as_array(np.zeros(count, dtype), dtype)

    def can_overwrite(self, array: Any, view: Any) -> bool:
        return self.address(array) == self.address(view)

    def copy(self, array: Any) -> Any:
        return self.jax.block_until_ready(array.copy())

    def copy_matrix(self, A: Any) -> Any:
        return self.matrix(tuple(self.copy(part) for part in self.parts(A)), A.shape, A)

    def adopt(self, memory: Borrowed) -> Any:
        if self.on_host:
            return self.jax.numpy.asarray(np.asarray(memory))
        return self.jax.numpy.array(memory, copy=True)

    def finish(self, context: Context) -> None:
        if not self.on_host:
            _wait_for_device(self.device.local_hardware_id)

    def context(self, like: Any) -> Context:
        self.jax.block_until_ready(like)
        if self.on_host:
            return context_of("host")
        return context_of("device", self.device.local_hardware_id)

    def is_matrix(self, A: Any) -> bool:
        return isinstance(A, self.sparse.BCSR)

    def as_csr(self, A: Any) -> Any:
        return A

    def parts(self, A: Any) -> tuple[Any, Any, Any]:
        return A.data, A.indices, A.indptr

    def matrix(self, parts: tuple[Any, Any, Any], shape: tuple[int, int], like: Any) -> Any:
        return self.sparse.BCSR(parts, shape=shape)


@functools.cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _wait_for_device(device: int) -> None:
    """Until all work queued on a GPU has ended, by the driver, on the context that all libraries share."""
    driver = _driver()
    shared, previous = ctypes.c_void_p(), ctypes.c_void_p()
    for done in (
        driver.cuDevicePrimaryCtxRetain(ctypes.byref(shared), device),
        driver.cuCtxPushCurrent_v2(shared),
        driver.cuCtxSynchronize(),
        driver.cuCtxPopCurrent_v2(ctypes.byref(previous)),
        driver.cuDevicePrimaryCtxRelease_v2(device),
    ):
        if done != 0:
            raise RuntimeError(f"waiting for GPU {device}: the driver's error {done}")


SCIPY = Scipy()
_cupy: list[Cupy] = []
_torch: dict[Any, Torch] = {}


def torch_on(device: Any) -> Torch:
    """The package for tensors on a device of torch."""
    made = _torch.get(device)
    return made if made is not None else _torch.setdefault(device, Torch(device))


def listed(array: Any) -> Any:
    """An array of what is a list, or a list of lists."""
    return np.asarray(array) if isinstance(array, (list, tuple)) else array


def is_complex(array: Any) -> bool:
    """Of any package: what would lose its imaginary part as an array of reals."""
    return "complex" in str(array.dtype) if hasattr(array, "dtype") else bool(np.iscomplexobj(array))


def package_of(thing: Any) -> Scipy:
    """The package of an array or matrix."""
    top = type(thing).__module__.partition(".")[0]
    if top in ("scipy", "numpy"):
        return SCIPY
    if top in ("cupy", "cupyx"):
        if not _cupy:
            _cupy.append(Cupy())
        return _cupy[0]
    if top == "torch":
        return torch_on(thing.device)
    if top in ("jax", "jaxlib"):
        return Jax(thing)
    if hasattr(thing, "__cuda_array_interface__"):
        return package_of(_import("cupy").asarray(thing))
    return SCIPY


def _import(name: str) -> Any:
    return sys.modules.get(name) or __import__(name)
