"""What users do by mistake: an exception that names the argument, never a crash or a wrong result."""

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from problems import poisson

import spg
from spg._matrix import OFFSET_TYPES, Operand
from spg._packages import Scipy


def owners():
    A = poisson(5)
    context = spg.Context("host", threads=1)
    return [
        context,
        spg.plan(A, A, context=context),
        spg.galerkin_plan(A, A, context=context),
        spg.smoothed_aggregation(A, context=context),
        spg.Alias([1.0, 2.0], context=context),
        spg.Forest([1.0, 2.0], context=context),
    ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickle.dumps, copy.copy])
def test_what_the_library_owns_is_not_copied(duplicate):
    for owner in owners():
        with pytest.raises(TypeError, match=f"{type(owner).__name__} .*copied"):
            duplicate(owner)
        del owner
        gc.collect()


@pytest.mark.filterwarnings("error")
def test_a_refused_plan_is_nothing_to_free():
    A = poisson(5)
    for make in spg.plan, spg.galerkin_plan:
        with pytest.raises(TypeError, match="is a int"):
            make(A, 3)
    gc.collect()


@pytest.mark.parametrize("n", [2.5, np.float32(2.5), [3.0, 2.5], np.array([0.5, 1.0])])
def test_fractions_of_trials_are_refused(n):
    with pytest.raises(ValueError, match="n has fractions"):
        spg.multinomial(np.ones((2, 3)), n)
    assert spg.multinomial(np.ones((2, 3)), 4.0).sum() == 8


def test_numbers_that_c_would_cut_off_are_refused():
    A, table = poisson(5), spg.Alias(np.ones((3, 3)))
    ml = spg.smoothed_aggregation(A)
    for name, use in [
        ("max_levels", lambda n: spg.smoothed_aggregation(A, max_levels=n)),
        ("max_coarse", lambda n: spg.smoothed_aggregation(A, max_coarse=n)),
        ("maxiter", lambda n: ml.solve(np.ones(25), maxiter=n)),
        ("threads", lambda n: spg.Context("host", threads=n)),
        ("workspace_limit", lambda n: spg.Context("host", workspace_limit=n)),
        ("n", lambda n: spg.multinomial([1.0, 2.0], n)),
        ("row", lambda n: table.draw(2, row=n)),
        ("row", lambda n: spg.Forest(np.ones((3, 3))).draw_stratified(2, row=n)),
    ]:
        with pytest.raises(ValueError, match=f"^{name} is 1844"):
            use(2**64 + 1)
    for name in "max_levels", "theta":
        with pytest.raises(TypeError, match=f"{name} is 'x'"):
            spg.smoothed_aggregation(A, **{name: "x"})
    assert spg.smoothed_aggregation(A, seed=-1, max_levels=np.int64(3)).shape == (25, 25)


def test_a_plan_writes_into_nothing_but_a_matrix_that_can_be_written():
    A = poisson(5)
    repeat = spg.plan(A, A)
    C = repeat(A, A)
    C.data[:] = 0
    fixed, csc, coo, strided = C.copy(), C.tocsc(), C.tocoo(), C.copy()
    fixed.data.setflags(write=False)
    strided.data = np.zeros(2 * C.nnz)[::2]
    for out in fixed, csc, coo, strided:
        with pytest.raises(TypeError, match="out has values that cannot be overwritten"):
            repeat(A, A, out=out)
        assert not out.data.any()
    np.testing.assert_array_equal(repeat(A, A, out=C).toarray(), (A @ A).toarray())


@pytest.mark.parametrize("wrong", [None, 3, "word", np.float64(3)])
def test_what_is_no_weights_is_named(wrong):
    for use in spg.sample, spg.Alias, spg.Forest, lambda w: spg.subset(w, 1), lambda w: spg.multinomial(w, 1):
        with pytest.raises((TypeError, ValueError), match="^weights"):
            use(wrong)


@pytest.mark.parametrize("wrong", [sp.csr_array(np.ones(4)), sp.coo_array(np.ones(4))])
def test_a_sparse_vector_is_no_matrix(wrong):
    A = poisson(2)
    for name, use in [
        ("A", lambda: spg.matmul(wrong, A)),
        ("B", lambda: spg.plan(A, wrong)),
        ("R", lambda: spg.galerkin(A, A, wrong)),
        ("A", lambda: spg.smoothed_aggregation(wrong)),
        ("weights", lambda: spg.Alias(wrong)),
    ]:
        with pytest.raises(ValueError, match=f"{name} is of shape .4,"):
            use()


def test_what_is_no_context_is_named():
    A = poisson(2)
    for use in spg.matmul, spg.plan:
        with pytest.raises(TypeError, match="context is a int"):
            use(A, A, context=1)
    with pytest.raises(TypeError, match="context is a int"):
        spg.Alias([1.0], context=1)


def test_lists_of_rows_have_one_dimension():
    A = sp.csr_array(np.ones((3, 3)))
    alias, forest = spg.Alias(A), spg.Forest(A)
    for wrong in 1, [[0, 1], [1, 2]]:
        for name, use in [
            ("rows", alias.draw_rows),
            ("rows", forest.draw_rows),
            ("rows", lambda rows: alias.rebuild(A, rows)),
            ("starts", lambda starts: alias.walk(2, starts)),
            ("u", lambda u: forest.draw_at(0.25 * np.asarray(u))),
        ]:
            with pytest.raises(ValueError, match=f"{name} is of shape"):
                use(wrong)


def test_vectors_may_be_lists():
    A = poisson(5)
    b = np.arange(25.0)
    ml = spg.smoothed_aggregation(A, [1.0] * 25)
    x = ml.solve(b)
    np.testing.assert_allclose(ml.solve(np.stack([b, b], 1).tolist(), x0=np.zeros((25, 2)).tolist())[:, 1], x)
    assert spg.smoothed_aggregation(A, [[1.0]] * 25).solve(b.tolist()) == pytest.approx(x)
    with pytest.raises(ValueError, match="B has 0 dimensions"):
        spg.smoothed_aggregation(A, 3.0)


@pytest.mark.parametrize("return_info", [False, True])
def test_a_failed_solve_keeps_nothing(return_info):
    ml = spg.smoothed_aggregation(poisson(30))
    b = np.random.default_rng(1).standard_normal(900)
    guess = np.zeros(900)
    gc.collect()
    gc.disable()
    try:
        alive = weakref.ref(guess)
        try:
            ml.solve(b, x0=guess, maxiter=1, return_info=return_info)
        except spg.NotConverged:
            pass
        del guess
        assert alive() is None
    finally:
        gc.enable()


def test_updates_from_two_threads_keep_the_matrix_of_the_last(monkeypatch):
    A = poisson(5)
    ml = spg.smoothed_aggregation(A)
    call, inside, done = ml.context.call, threading.Event(), threading.Event()

    def slow(*arguments):
        call(*arguments)
        if not inside.is_set():
            inside.set()
            done.wait(0.3)

    def second():
        inside.wait()
        ml.update(3 * A)
        done.set()

    monkeypatch.setattr(ml.context, "call", slow)
    thread = threading.Thread(target=second)
    thread.start()
    ml.update(2 * A)
    thread.join()
    np.testing.assert_array_equal(ml._A.matrix.data, 3 * A.data)


def test_arrays_that_a_package_makes_narrower_are_not_read_as_wide_ones(monkeypatch):
    """As JAX does without jax_enable_x64."""
    forest, A = spg.Forest([1.0, 1.0, 2.0]), Operand(poisson(5), "A")
    narrower = {np.dtype("f8"): np.float32, np.dtype("i8"): np.int32}
    as_array = Scipy.as_array
    monkeypatch.setattr(
        Scipy, "as_array", lambda self, array, dtype, *order: as_array(self, array, narrower.get(dtype, dtype), *order)
    )
    with pytest.raises(TypeError, match="u need 64 bits, .* float32"):
        forest.draw_at([0.1, 0.9])
    with pytest.raises(TypeError, match="counts need 64 bits, .* int32"):
        spg.multinomial([1.0, 2.0], [3])
    A.widen()
    assert OFFSET_TYPES[A.parts[2].dtype] == A.csr.offset_type
