"""Matrix Market files."""

from __future__ import annotations

import os
from typing import Any

import scipy.io
import scipy.sparse as sp


def read_matrix_market(path: str | os.PathLike[str]) -> Any:
    """A Matrix Market file as a SciPy CSR array of float64, or complex128 for a complex file. Reads .mtx, and packed
    .mtx.gz and .mtx.bz2; symmetric files become whole matrices, entries of pattern files are 1, and repeated entries
    add up. SciPy reads the file: the library need not be built with CHOLMOD."""
    matrix = sp.csr_array(scipy.io.mmread(os.fspath(path)))
    matrix.sum_duplicates()
    return matrix if matrix.dtype.kind == "c" else matrix.astype("f8")
