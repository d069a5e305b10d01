import complex_systems as systems
import numpy as np
import pytest
import scipy.sparse as sp
from problems import integers, poisson

import spg

jax = pytest.importorskip("jax")
sparse = pytest.importorskip("jax.experimental.sparse")
jax.config.update("jax_enable_x64", True)


def bcsr(A):
    return sparse.BCSR(tuple(jax.numpy.asarray(part) for part in (A.data, A.indices, A.indptr)), shape=A.shape)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_matmul(dtype):
    A = integers(300, 300, 0.05, dtype, 1)
    C = spg.matmul(bcsr(A), bcsr(A))
    assert isinstance(C, sparse.BCSR)
    np.testing.assert_array_equal(np.asarray(C.todense()), (A @ A).toarray())


def test_solve():
    A = poisson(80)
    ml = spg.smoothed_aggregation(bcsr(A))
    x = ml.solve(jax.numpy.ones(A.shape[0]))
    assert np.linalg.norm(1 - A @ np.asarray(x)) <= 1e-7 * A.shape[0] ** 0.5
    several = jax.numpy.ones((A.shape[0], 3))
    assert np.linalg.norm(1 - A @ np.asarray(ml.solve(several))) <= 2e-7 * A.shape[0] ** 0.5
    weights = np.random.default_rng(3).random(1000)
    there = spg.Alias(jax.numpy.asarray(weights)).draw(5000, 4)
    np.testing.assert_array_equal(np.asarray(there), spg.Alias(weights).draw(5000, 4))


@pytest.mark.parametrize("dtype, tol", [("c8", 1e-4), ("c16", 1e-8)])
def test_complex_products_and_solves(dtype, tol):
    def matrix_back(there):
        parts = (np.asarray(part) for part in (there.data, there.indices, there.indptr))
        return sp.csr_array(tuple(parts), shape=there.shape)

    of = systems.Package(bcsr, jax.numpy.asarray, matrix_back, np.asarray)
    systems.check_products(of, dtype)
    systems.check_solves(of, dtype, tol)
    systems.check_several(of, dtype, tol)
    systems.check_types(of)
