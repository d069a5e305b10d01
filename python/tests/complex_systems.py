"""Tests with complex matrices, which are the same for every package: SciPy on the host, CuPy and torch on a GPU."""

from typing import Any, Callable, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from problems import integers, pairs, poisson

import spg


class Package(NamedTuple):
    """How a package takes SciPy's matrices and NumPy's arrays, and how they come back."""

    matrix: Callable[[Any], Any]
    array: Callable[[Any], Any]
    matrix_back: Callable[[Any], Any]
    array_back: Callable[[Any], Any]


def gauged(n: int, dtype: str) -> tuple[Any, np.ndarray]:
    """The Laplacian between random phases, Hermitian, and what a constant is to the Laplacian."""
    phases = np.exp(2j * np.pi * np.random.default_rng(2).random(n * n))
    D = sp.diags_array(phases)
    return sp.csr_array(D.conj() @ poisson(n) @ D).astype(dtype), phases.conj().astype(dtype)


def check_products(of: Package, dtype: str) -> None:
    A, B = integers(300, 200, 0.05, dtype, 1), integers(200, 250, 0.05, dtype, 2)
    a, b = of.matrix(A), of.matrix(B)
    C = spg.matmul(a, b)
    assert of.matrix_back(C).dtype == np.dtype(dtype)
    np.testing.assert_array_equal(of.matrix_back(C).toarray(), (A @ B).toarray())
    mixed = spg.matmul(of.matrix(A.real.astype("f4")), b)
    assert of.matrix_back(mixed).dtype == np.dtype(dtype)
    np.testing.assert_array_equal(of.matrix_back(mixed).toarray(), (A.real @ B).toarray())


def check_plans(of: Package, dtype: str) -> None:
    A, P = integers(200, 200, 0.05, dtype, 3), pairs(200, dtype)
    P.data *= 1 + 2j
    a, p = of.matrix(A), of.matrix(P)
    repeat, galerkin = spg.plan(a, a), spg.galerkin_plan(a, p)
    C, RAP = repeat(a, a), galerkin(a, p)
    np.testing.assert_array_equal(of.matrix_back(RAP).toarray(), (P.T @ A @ P).toarray())
    A.data = A.data * (2 - 1j)
    a = of.matrix(A)
    repeat.check(a, a)
    assert repeat(a, a, out=C) is C and galerkin(a, p, out=RAP) is RAP
    np.testing.assert_array_equal(of.matrix_back(C).toarray(), (A @ A).toarray())
    np.testing.assert_array_equal(of.matrix_back(RAP).toarray(), (P.T @ A @ P).toarray())
    adjoint = sp.csr_array(P.conj().T)
    by_adjoint = spg.galerkin(a, p, of.matrix(adjoint))
    np.testing.assert_array_equal(of.matrix_back(by_adjoint).toarray(), (adjoint @ A @ P).toarray())
    with pytest.raises(spg.ShapeError):
        spg.matmul(p, a)


def check_solves(of: Package, dtype: str, tol: float) -> None:
    A, gauge = gauged(40, dtype)
    ml = spg.smoothed_aggregation(of.matrix(A), of.array(gauge), max_coarse=40)
    b = gauge + np.arange(1600).astype(dtype) * 1j / 1600
    x, info = ml.solve(of.array(b), return_info=True)
    real = spg.smoothed_aggregation(poisson(40), max_coarse=20).solve(np.ones(1600), tol=tol, return_info=True)[1]
    assert info.converged and abs(info.iterations - real.iterations) <= 2
    assert of.array_back(x).dtype == np.dtype(dtype)
    assert np.linalg.norm(b - A @ of.array_back(x)) <= 2 * tol * np.linalg.norm(b)
    again = ml.solve(of.array(b), x0=x, tol=4 * tol, return_info=True)[1]
    assert again.iterations == 0
    ml.update(of.matrix(sp.csr_array(A * 2)))
    assert np.linalg.norm(b - 2 * A @ of.array_back(ml.solve(of.array(b)))) <= 2 * tol * np.linalg.norm(b)
    levels = ml.levels
    assert levels[0].A.shape == (3200, 3200) and len(levels) >= 3
    R, S, P, coarse = (of.matrix_back(M).toarray() for M in (levels[0].R, levels[0].A, levels[0].P, levels[1].A))
    np.testing.assert_allclose(R @ S @ P, coarse, atol=20 * tol)


def check_several(of: Package, dtype: str, tol: float) -> None:
    A, gauge = gauged(30, dtype)
    ml = spg.smoothed_aggregation(of.matrix(A), of.array(gauge), max_coarse=40)
    rng = np.random.default_rng(4)
    b = (rng.standard_normal((900, 19)) + 1j * rng.standard_normal((900, 19))).astype(dtype)
    x, infos = ml.solve(of.array(b), return_info=True)
    found = of.array_back(x)
    assert found.shape == b.shape and found.dtype == np.dtype(dtype) and all(info.converged for info in infos)
    for j in range(19):
        assert np.linalg.norm(b[:, j] - A @ found[:, j]) <= 2 * tol * np.linalg.norm(b[:, j])
    alone = of.array_back(ml.solve(of.array(b[:, 3].copy())))
    np.testing.assert_allclose(found[:, 3], alone, atol=100 * tol * abs(alone).max())
    assert all(info.iterations == 0 for info in ml.solve(of.array(b), x0=x, tol=4 * tol, return_info=True)[1])


def check_filter(of: Package) -> None:
    A, gauge = gauged(40, "c16")
    ml = spg.smoothed_aggregation(of.matrix(A), of.array(gauge), theta=0.08, filter=1, max_coarse=40)
    x = of.array_back(ml.solve(of.array(gauge)))
    assert np.linalg.norm(gauge - A @ x) <= 1e-7 * np.linalg.norm(gauge)


def check_types(of: Package) -> None:
    A, gauge = gauged(10, "c16")
    ml, real = spg.smoothed_aggregation(of.matrix(A)), spg.smoothed_aggregation(of.matrix(poisson(10)))
    assert np.linalg.norm(1 - A @ of.array_back(ml.solve(of.array(np.ones(100))))) <= 1e-6
    for b in (gauge, np.column_stack([gauge, gauge])):
        with pytest.raises(TypeError, match="b is complex, A real"):
            real.solve(of.array(b))
    with pytest.raises(TypeError, match="B is complex, A real"):
        spg.smoothed_aggregation(of.matrix(poisson(10)), of.array(gauge))
    with pytest.raises(TypeError, match="weights are of type"):
        spg.Alias(of.array(gauge))
    for empty in (ml.solve(of.array(np.ones((100, 0), "c16"))), real.solve(of.array(np.ones((100, 0))))):
        assert tuple(empty.shape) == (100, 0)
