import logging

import numpy as np
import pyamg
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg
from problems import poisson

import spg


@pytest.mark.parametrize("dtype, tol", [("f8", 1e-8), ("f4", 1e-4)])
def test_solves(dtype, tol):
    A = poisson(60, dtype)
    b = np.random.default_rng(1).standard_normal(A.shape[0]).astype(dtype)
    ml = spg.smoothed_aggregation(A)
    residuals = []
    x, info = ml.solve(b, residuals=residuals, return_info=True)
    assert x.dtype == np.dtype(dtype) and info.converged and len(residuals) == info.iterations + 1
    assert np.linalg.norm(b - A @ x) <= 2 * tol * np.linalg.norm(b)
    assert residuals[0] == pytest.approx(np.linalg.norm(b), rel=1e-4)
    again = ml.solve(b, x0=x)
    assert np.linalg.norm(b - A @ again) <= 2 * tol * np.linalg.norm(b)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype, tol", [("f8", 1e-8), ("f4", 1e-4)])
def test_several_right_hand_sides(dtype, tol, order):
    A = poisson(40, dtype)
    b = np.asarray(np.random.default_rng(1).standard_normal((A.shape[0], 19)), dtype, order=order)
    ml = spg.smoothed_aggregation(A)
    residuals = []
    x, infos = ml.solve(b, residuals=residuals, return_info=True)
    assert x.dtype == np.dtype(dtype) and x.shape == b.shape and len(infos) == len(residuals) == 19
    for j, info in enumerate(infos):
        assert info.converged and len(residuals[j]) == info.iterations + 1
        assert np.linalg.norm(b[:, j] - A @ x[:, j]) <= 2 * tol * np.linalg.norm(b[:, j])
        np.testing.assert_allclose(x[:, j], ml.solve(b[:, j]), atol=100 * tol * abs(x).max())
    assert np.array_equal(ml.solve(b[:, 3:4]), x[:, 3:4])
    assert all(info.iterations == 0 for info in ml.solve(b, x0=x, tol=4 * tol, return_info=True)[1])
    with pytest.raises(spg.NotConverged, match="right-hand side 0") as caught:
        ml.solve(b, maxiter=1, tol=1e-14)
    assert caught.value.x.shape == b.shape and caught.value.info[18].iterations == 1
    with pytest.raises(ValueError, match="x0 is of shape"):
        ml.solve(b, x0=np.ones(5))
    with pytest.raises(ValueError, match="b is of shape"):
        ml.solve(np.ones((3, 2)))


@pytest.mark.parametrize("name", ["airfoil", "bar", "knot"])
def test_pyamgs_examples(name):
    data = pyamg.gallery.load_example(name)
    A = sp.csr_array(data["A"]).astype("f8")
    A.indices, A.indptr = A.indices.astype("i4"), A.indptr.astype("i4")
    B = data.get("B") if name == "bar" else None
    options = {"block_size": 3} if name == "bar" else {}
    ml = spg.smoothed_aggregation(A, B, **options)
    b = A @ np.ones(A.shape[0])
    x, info = ml.solve(b, return_info=True)
    reference = []
    theirs = pyamg.smoothed_aggregation_solver(data["A"], B=B)
    theirs.solve(b, tol=1e-8, accel="cg", residuals=reference)
    assert info.converged and info.iterations <= 1.5 * len(reference) + 5


def test_levels_are_galerkin_products():
    ml = spg.smoothed_aggregation(poisson(40), max_coarse=20)
    levels = ml.levels
    assert len(levels) >= 3 and levels[-1].P is None
    for fine, coarse in zip(levels, levels[1:]):
        np.testing.assert_allclose((fine.R @ fine.A @ fine.P).toarray(), coarse.A.toarray(), atol=1e-12)
        assert fine.aggregates == coarse.A.shape[0] and fine.rho > 0
    sizes = sum(level.A.nnz for level in levels)
    assert ml.operator_complexity() == pytest.approx(sizes / levels[0].A.nnz)
    assert ml.grid_complexity() > 1


def test_the_table():
    text = repr(spg.smoothed_aggregation(poisson(40)))
    lines = text.splitlines()
    assert any("Operator complexity" in line for line in lines)
    assert lines[-2].split()[:3] == ["0", "1600", "7840"]
    assert max(map(len, lines)) <= 80


def test_preconditioner_of_scipys_cg():
    A = poisson(50)
    ml = spg.smoothed_aggregation(A)
    b, steps = np.ones(A.shape[0]), []
    x, info = scipy.sparse.linalg.cg(A, b, M=ml.aspreconditioner(), rtol=1e-8, callback=steps.append)
    assert info == 0 and len(steps) < 25
    assert np.linalg.norm(b - A @ x) <= 1e-7 * np.linalg.norm(b)
    y = ml.cycle(b)
    np.testing.assert_allclose(ml.cycle(b, y) - y, ml.cycle(b - A @ y), atol=1e-9)


def test_update():
    A = poisson(40)
    ml = spg.smoothed_aggregation(A, prepare_update=1)
    changed = A * 2
    ml.update(changed)
    b = np.ones(1600)
    assert np.linalg.norm(b - changed @ ml.solve(b)) <= 1e-7 * np.linalg.norm(b)
    with pytest.raises(spg.ShapeError):
        ml.update(poisson(41))


def test_singular_systems():
    n = 400
    A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n), format="lil")
    A[0, n - 1] = A[n - 1, 0] = -1.0
    A = sp.csr_array(A)
    ml = spg.smoothed_aggregation(A, max_coarse=50)
    b = np.arange(n, dtype=float)
    x = ml.solve(b, nullspace="constant")
    assert np.linalg.norm(b - b.mean() - A @ x) <= 1e-7 * np.linalg.norm(b)
    with pytest.raises(spg.SolveError) as caught:
        ml.solve(b)
    assert caught.value.info is not None and caught.value.x.shape == (n,)


def test_unsymmetric_systems_get_a_restriction_of_their_own():
    n = 40
    east, A = sp.eye_array(n, k=-1), poisson(n)
    A = sp.csr_array(A + 20 * (sp.eye_array(n * n) - sp.kron(sp.eye_array(n), east)))
    transposed = spg.smoothed_aggregation(A, strength="classical").levels[0]
    own = spg.smoothed_aggregation(A, restriction="petrov_galerkin").levels[0]
    assert abs(transposed.R - transposed.P.T).max() == 0 and abs(own.R - own.P.T).max() > 0.01
    assert own.rho == pytest.approx(2)


@pytest.mark.parametrize("dtype, tol", [("c16", 1e-8), ("c8", 1e-4)])
def test_complex_systems_in_a_gauge(dtype, tol):
    L = poisson(40)
    phases = np.exp(2j * np.pi * np.random.default_rng(2).random(1600))
    D = sp.diags_array(phases)
    A = sp.csr_array(D.conj() @ L @ D).astype(dtype)
    ml, real = spg.smoothed_aggregation(A, phases.conj(), max_coarse=40), spg.smoothed_aggregation(L, max_coarse=20)
    b = phases.conj().astype(dtype)
    x, info = ml.solve(b, return_info=True)
    _, expected = real.solve(np.ones(1600), tol=tol, return_info=True)
    assert x.dtype == np.dtype(dtype) and abs(info.iterations - expected.iterations) <= 1
    assert np.linalg.norm(b - A @ x) <= 2 * tol * np.linalg.norm(b)
    assert ml.levels[0].A.shape == (3200, 3200) and ml.levels[0].A.dtype == x.real.dtype
    ml.update(sp.csr_array(A * 2).astype(dtype))
    assert np.linalg.norm(b - 2 * A @ ml.solve(b)) <= 2 * tol * np.linalg.norm(b)


def test_preconditioner_of_a_complex_matrix():
    A = sp.csr_array(poisson(50) + 0.1j * (sp.eye_array(2500, k=50) - sp.eye_array(2500, k=-50)))
    ml = spg.smoothed_aggregation(A)
    b, steps = np.arange(2500) * 1j, []
    x, info = scipy.sparse.linalg.cg(A, b, M=ml.aspreconditioner(), rtol=1e-8, callback=steps.append)
    assert info == 0 and len(steps) < 25
    assert np.linalg.norm(b - A @ x) <= 1e-7 * np.linalg.norm(b)


def test_what_is_wrong_is_said():
    A, b = poisson(30), np.ones(900)
    ml = spg.smoothed_aggregation(A)
    with pytest.raises(spg.NotConverged) as caught:
        ml.solve(b, maxiter=1, tol=1e-14)
    assert caught.value.info.iterations == 1 and caught.value.x.shape == (900,)
    with pytest.raises(TypeError, match="options are"):
        spg.smoothed_aggregation(A, thetta=0.1)
    with pytest.raises(ValueError, match="petrov_galerkin"):
        spg.smoothed_aggregation(A, restriction="galerkin")
    with pytest.raises(ValueError, match="chebyshev"):
        spg.smoothed_aggregation(A, smoother="sor")
    with pytest.raises(ValueError, match="b has 5"):
        ml.solve(np.ones(5))
    with pytest.raises(ValueError, match="accel"):
        ml.solve(b, accel="gmres")
    with pytest.raises(ValueError, match="B has"):
        spg.smoothed_aggregation(A, np.ones(7))
    with pytest.raises(spg.UnsupportedError, match="filter"):
        spg.smoothed_aggregation(A, theta=0.1, filter=1, block_size=2)


def test_progress_is_logged(caplog):
    with caplog.at_level(logging.INFO, "spg"):
        spg.smoothed_aggregation(sp.csr_array(sp.random_array((3000, 3000), density=0.001) + sp.eye_array(3000)))
    assert any("not symmetric" in record.getMessage() for record in caplog.records)


def test_matrices_of_numpy_are_vectors_too():
    ml = spg.smoothed_aggregation(poisson(5))
    b = np.arange(25.0)
    for one in np.asmatrix(b).T, np.asmatrix(b):
        np.testing.assert_array_equal(ml.cycle(one), ml.cycle(b))
    np.testing.assert_allclose(ml.solve(np.asmatrix(b).T)[:, 0], ml.solve(b))


def test_a_large_limit_of_iterations_takes_no_memory():
    ml = spg.smoothed_aggregation(poisson(5))
    assert ml.solve(np.ones((25, 1000)), maxiter=2**31 - 1).shape == (25, 1000)
