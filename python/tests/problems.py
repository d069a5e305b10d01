"""Matrices for the tests."""

import numpy as np
import scipy.sparse as sp

TYPES = ["f4", "f8", "c8", "c16"]


def integers(rows, cols, density, dtype, seed, kind=sp.csr_array):
    """Random whole numbers, whose products and sums are exact."""
    rng = np.random.default_rng(seed)
    A = sp.random_array((rows, cols), density=density, format="csr", rng=rng)
    A.data = rng.integers(-4, 5, A.nnz).astype(dtype)
    if np.dtype(dtype).kind == "c":
        A.data += 1j * rng.integers(-4, 5, A.nnz)
    return kind(A.astype(dtype))


def poisson(n, dtype="f8"):
    """The Laplacian with 5 points on an n x n grid."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    eye = sp.eye_array(n)
    return sp.csr_array(sp.kron(line, eye) + sp.kron(eye, line)).astype(dtype)


def pairs(n, dtype="f8"):
    """A prolongator that joins rows two by two."""
    rows = np.arange(n)
    return sp.csr_array((np.ones(n, dtype), (rows, rows // 2)), shape=(n, (n + 1) // 2))


def raw(rows, cols, dtype, index, seed):
    """CSR with unsorted rows and repeated columns."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 6, rows) * (cols > 0) * rng.integers(0, 2, rows)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    columns = rng.integers(0, max(cols, 1), offsets[-1]).astype(index)
    values = rng.integers(-4, 5, offsets[-1]).astype(dtype)
    A = sp.csr_array((rows, cols), dtype=dtype)
    A.data, A.indices, A.indptr = values, columns, offsets
    return A
