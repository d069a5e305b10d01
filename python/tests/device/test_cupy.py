import inspect

import complex_systems as systems
import numpy as np
import pytest
from problems import TYPES, integers, pairs, poisson

import spg

cupy = pytest.importorskip("cupy")
sparse = pytest.importorskip("cupyx.scipy.sparse")
linalg = pytest.importorskip("cupyx.scipy.sparse.linalg")


@pytest.mark.parametrize("dtype", TYPES)
def test_matmul(dtype):
    A, B = integers(300, 200, 0.05, dtype, 1), integers(200, 250, 0.05, dtype, 2)
    C = spg.matmul(sparse.csr_matrix(A), sparse.csr_matrix(B))
    assert isinstance(C, sparse.csr_matrix) and C.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(C.get().toarray(), (A @ B).toarray())


def test_no_copy_and_memory_comes_back():
    context = spg.Context("device")
    A = sparse.csr_matrix(integers(3000, 3000, 0.01, "f8", 3))
    C = spg.matmul(A, A, context=context)
    held = context.memory[0]
    assert held >= 12 * C.nnz
    values = C.data
    del C
    assert context.memory[0] == held
    del values
    assert context.memory[0] == 0


def test_on_the_callers_stream():
    A = sparse.csr_matrix(integers(2000, 2000, 0.01, "f8", 4))
    expected = (A.get() @ A.get()).toarray()
    for _ in range(5):
        with cupy.cuda.Stream(non_blocking=True):
            B = A.copy()
            B.data *= 2
            C = spg.matmul(B, A)
            C.data *= 0.5
            cupy.cuda.get_current_stream().synchronize()
        np.testing.assert_array_equal(C.get().toarray(), expected)


def test_plan_galerkin_and_errors():
    A, P = poisson(60), pairs(3600)
    a, p = sparse.csr_matrix(A), sparse.csr_matrix(P.astype("f8"))
    expected = (P.T @ A @ P).toarray()
    np.testing.assert_array_equal(spg.galerkin(a, p).get().toarray(), expected)
    repeat = spg.galerkin_plan(a, p)
    C = repeat(a, p)
    a.data *= 2
    assert repeat(a, p, out=C) is C
    np.testing.assert_array_equal(C.get().toarray(), 2 * expected)
    with pytest.raises(spg.ShapeError):
        spg.matmul(p, a)
    with pytest.raises(TypeError, match="packages"):
        spg.matmul(a, A)


def test_multigrid():
    A = poisson(120)
    a, b = sparse.csr_matrix(A), cupy.ones(A.shape[0])
    ml = spg.smoothed_aggregation(a)
    x, info = ml.solve(b, return_info=True)
    host = spg.smoothed_aggregation(A)
    _, on_host = host.solve(np.ones(A.shape[0]), return_info=True)
    assert isinstance(x, cupy.ndarray) and info.converged and abs(info.iterations - on_host.iterations) <= 1
    assert float(cupy.linalg.norm(b - a @ x)) <= 1e-7 * float(cupy.linalg.norm(b))
    several = cupy.stack([b, 2 * b, 3 * b], axis=1)
    assert float(cupy.linalg.norm(several - a @ ml.solve(several))) <= 1e-7 * float(cupy.linalg.norm(several))
    assert [level.A.shape for level in ml.levels] == [level.A.shape for level in host.levels]
    tolerance = "rtol" if "rtol" in inspect.signature(linalg.cg).parameters else "tol"
    y, code = linalg.cg(a, b, M=ml.aspreconditioner(), maxiter=50, **{tolerance: 1e-8})
    assert code == 0 and float(cupy.linalg.norm(b - a @ y)) <= 1e-6 * float(cupy.linalg.norm(b))


def test_draws_are_those_of_the_host():
    weights = np.random.default_rng(5).random(5000)
    device = cupy.asarray(weights)
    for table, draw in ((spg.Alias, "draw"), (spg.Forest, "draw"), (spg.Forest, "draw_stratified")):
        there = getattr(table(device), draw)(10000, 7)
        assert isinstance(there, cupy.ndarray)
        np.testing.assert_array_equal(there.get(), getattr(table(weights), draw)(10000, 7))
    matrix = integers(50, 40, 0.5, "f8", 6)
    matrix.data = abs(matrix.data) + 1
    np.testing.assert_array_equal(spg.sample(sparse.csr_matrix(matrix), 3, 1).get(), spg.sample(matrix, 3, 1))


def test_counts_subsets_walks_and_rebuilt_tables_are_those_of_the_host():
    rng = np.random.default_rng(8)
    weights, graph = rng.random((30, 500)), integers(60, 60, 0.2, "f8", 7)
    graph.sort_indices()
    graph.data, trials = abs(graph.data), rng.integers(0, 10**12, 30)
    device, there = cupy.asarray(weights), sparse.csr_matrix(graph)
    for made, expected in (
        (spg.multinomial(device, 10**15, 1), spg.multinomial(weights, 10**15, 1)),
        (spg.multinomial(device, trials, 1), spg.multinomial(weights, trials, 1)),
        (spg.multinomial(there, 99, 1, empty_rows=True), spg.multinomial(graph, 99, 1, empty_rows=True)),
        (spg.subset(device, 7, 2), spg.subset(weights, 7, 2)),
        (spg.subset(there, 7, 2, empty_rows=True), spg.subset(graph, 7, 2, empty_rows=True)),
    ):
        assert isinstance(made, cupy.ndarray)
        np.testing.assert_array_equal(made.get(), expected)
    tables = spg.Alias(there, empty_rows=True), spg.Alias(graph, empty_rows=True)
    walks = [table.walk(20, [5, -1, 7], 3, p=2, q=0.5) for table in tables]
    np.testing.assert_array_equal(walks[0].get(), walks[1])
    graph.data[::3] *= 7
    for table, new in zip(tables, (sparse.csr_matrix(graph), graph)):
        table.rebuild(new, [0, 3, 4])
        table.rebuild(new)
    np.testing.assert_array_equal(tables[0].walk(20, seed=4).get(), tables[1].walk(20, seed=4))


CUPY = systems.Package(sparse.csr_matrix, cupy.asarray, lambda there: there.get(), lambda there: there.get())
COMPLEX = [("c8", 1e-4), ("c16", 1e-8)]


@pytest.mark.parametrize("dtype, tol", COMPLEX)
def test_complex_products_and_plans(dtype, tol):
    assert isinstance(spg.matmul(*(sparse.csr_matrix(integers(9, 9, 0.5, dtype, 1)),) * 2), sparse.csr_matrix)
    systems.check_products(CUPY, dtype)
    systems.check_plans(CUPY, dtype)


@pytest.mark.parametrize("dtype, tol", COMPLEX)
def test_complex_solves(dtype, tol):
    systems.check_solves(CUPY, dtype, tol)
    systems.check_several(CUPY, dtype, tol)


def test_complex_filter_and_types():
    systems.check_filter(CUPY)
    systems.check_types(CUPY)


def test_preconditioner_of_a_complex_matrix():
    A, gauge = systems.gauged(50, "c16")
    a, b, steps = sparse.csr_matrix(A), cupy.asarray(gauge), []
    ml = spg.smoothed_aggregation(a, b)
    tolerance = "rtol" if "rtol" in inspect.signature(linalg.cg).parameters else "tol"
    M = ml.aspreconditioner()
    x, code = linalg.cg(a, b, M=M, maxiter=50, callback=steps.append, **{tolerance: 1e-8})
    assert code == 0 and len(steps) < 25
    assert float(cupy.linalg.norm(b - a @ x)) <= 1e-6 * float(cupy.linalg.norm(b))


def test_complex_results_are_those_of_the_host():
    A, gauge = systems.gauged(40, "c16")
    np.testing.assert_array_equal(spg.matmul(*(sparse.csr_matrix(A),) * 2).get().data, spg.matmul(A, A).data)
    there, here = (spg.smoothed_aggregation(m, g) for m, g in ((sparse.csr_matrix(A), cupy.asarray(gauge)), (A, gauge)))
    assert [level.A.shape for level in there.levels] == [level.A.shape for level in here.levels]
    b = np.random.default_rng(6).random(1600) * 1j
    np.testing.assert_allclose(there.cycle(cupy.asarray(b)).get(), here.cycle(b), atol=1e-2 * abs(here.cycle(b)).max())
