import gc
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import TYPES, integers, pairs, poisson, raw

import spg


@st.composite
def two_matrices(draw):
    """Matrices that can be multiplied, of any odd shapes, orders and duplicates."""
    rows, inner, cols = (draw(st.integers(0, 30)) for _ in range(3))
    dtype, seed = draw(st.sampled_from(TYPES)), draw(st.integers(0, 2**31))
    index = draw(st.sampled_from(["i4", "i8"]))
    return raw(rows, inner, dtype, index, seed), raw(inner, cols, dtype, index, seed + 1)


def same(C, expected):
    """Equal as dense matrices, with sorted rows of distinct columns."""
    assert C.shape == expected.shape and C.dtype == expected.dtype
    C.check_format()
    for i in range(C.shape[0]):
        assert (np.diff(C.indices[C.indptr[i] : C.indptr[i + 1]]) > 0).all()
    np.testing.assert_array_equal(C.toarray(), expected.toarray())


@settings(max_examples=300, deadline=None)
@given(two_matrices())
def test_matmul_is_scipys(matrices):
    A, B = matrices
    C = spg.matmul(A, B)
    same(C, A @ B)
    assert C.indices.dtype == C.indptr.dtype == A.indices.dtype


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_kinds_and_types(dtype, kind):
    A = integers(200, 150, 0.05, dtype, 1, kind)
    B = integers(150, 120, 0.05, dtype, 2, kind)
    C = spg.matmul(A, B)
    assert type(C) is kind and C.dtype == np.dtype(dtype)
    same(C, A @ B)


def test_other_formats_and_mixed_types():
    A, B = integers(40, 30, 0.2, "f4", 1), integers(30, 20, 0.2, "c16", 2)
    C = spg.matmul(A.tocsc(), B.tocoo())
    assert C.dtype == np.complex128
    same(C, A @ B)


def test_strided_and_swapped_and_read_only_arrays():
    A = integers(50, 50, 0.1, "f8", 3)
    B = A.copy()
    B.data = np.repeat(A.data, 2)[::2].astype(">f8")
    same(spg.matmul(B.astype("f8"), A), A @ A)
    C = A.copy()
    for part in (C.data, C.indices, C.indptr):
        part.setflags(write=False)
    same(spg.matmul(C, C), A @ A)


def test_arrays_longer_than_the_entries():
    A = integers(30, 30, 0.1, "f8", 4)
    long = A.copy()
    long.data, long.indices = np.append(A.data, [9.0] * 5), np.append(A.indices, [0] * 5).astype("i4")
    same(spg.matmul(long, A), A @ A)


def test_results_outlive_everything_and_memory_comes_back():
    context = spg.Context("host", threads=1)
    A = integers(500, 500, 0.02, "f8", 5)
    C = spg.matmul(A, A, context=context)
    values = C.data
    expected = C.toarray()
    held = context.memory[0]
    assert held > 0
    del C
    gc.collect()
    assert context.memory[0] > 0, "an array still uses the memory"
    assert values.sum() == pytest.approx(expected.sum())
    del values
    gc.collect()
    assert context.memory[0] == 0
    D = spg.matmul(A, A, context=context)
    del context
    gc.collect()
    np.testing.assert_array_equal(D.toarray(), expected)


def test_a_result_can_be_written_and_used_by_scipy():
    A = integers(60, 60, 0.1, "f8", 6)
    C = spg.matmul(A, A)
    C.data *= 2
    np.testing.assert_array_equal((C + C.T).toarray(), 2 * ((A @ A) + (A @ A).T).toarray())
    assert C.has_canonical_format
    assert (C @ np.ones(60)).shape == (60,)
    assert C[3:7].shape == (4, 60) and C.copy().nnz == C.nnz


@pytest.mark.parametrize(
    "A, B, error, words",
    [
        (sp.eye_array(3, 4, format="csr"), sp.eye_array(3, format="csr"), spg.ShapeError, "A"),
        (sp.eye_array(3, format="csr", dtype="i8"), sp.eye_array(3, format="csr"), TypeError, "int64"),
        (np.eye(3), sp.eye_array(3, format="csr"), TypeError, "ndarray"),
        (sp.eye_array(3, format="csr"), None, TypeError, "B"),
    ],
)
def test_bad_operands(A, B, error, words):
    with pytest.raises(error, match=words):
        spg.matmul(A, B)


def test_malformed_operands():
    A = integers(20, 20, 0.2, "f8", 7)
    broken = A.copy()
    broken.indices = A.indices.copy()
    broken.indices[5] = 77
    with pytest.raises(spg.FormatError, match="row") as caught:
        spg.matmul(broken, A)
    assert caught.value.status == "SPG_ERROR_FORMAT" and isinstance(caught.value, ValueError)
    short = A.copy()
    short.indptr = A.indptr[:-1]
    with pytest.raises(ValueError, match="row offsets"):
        spg.matmul(short, A)
    ends = A.copy()
    ends.indptr = A.indptr.copy()
    ends.indptr[-1] += 1
    with pytest.raises(ValueError, match="end at"):
        spg.matmul(ends, A)


def test_plan_repeats_with_new_values():
    A, B = integers(80, 70, 0.1, "f8", 8), integers(70, 60, 0.1, "f8", 9)
    repeat = spg.plan(A, B)
    C = repeat(A, B)
    same(C, A @ B)
    address = C.data.__array_interface__["data"][0]
    A.data += 1
    assert repeat(A, B, out=C) is C
    same(C, A @ B)
    assert C.data.__array_interface__["data"][0] == address
    repeat.check(A, B)
    other = integers(80, 70, 0.1, "f8", 10)
    with pytest.raises(spg.ShapeError):
        repeat.check(other, B)
    with pytest.raises(spg.ShapeError):
        repeat(other, B)


def test_galerkin_plan_checks_patterns():
    A, P = poisson(12, "f8"), pairs(144, "f8")
    other = A.copy()
    other.indices[1] = 7
    for R in None, P.T.tocsr():
        repeat = spg.galerkin_plan(A, P, R)
        repeat.check(A, P, R)
        with pytest.raises(spg.ShapeError):
            repeat.check(other, P, R)


@pytest.mark.parametrize("dtype", TYPES)
def test_galerkin(dtype):
    A, P = poisson(12, dtype), pairs(144, dtype)
    same(spg.galerkin(A, P), P.T @ A @ P)
    R = sp.csr_array(2 * P.T)
    same(spg.galerkin(A, P, R), R @ A @ P)
    repeat = spg.galerkin_plan(A, P)
    C = repeat(A, P)
    A.data *= 3
    same(repeat(A, P, out=C), P.T @ A @ P)


def test_threads_take_turns_and_have_contexts_of_their_own():
    A = integers(300, 300, 0.05, "f8", 11)
    expected = (A @ A).toarray()
    shared, wrong = spg.Context("host", threads=1), []

    def work(context):
        for _ in range(20):
            if not np.array_equal(spg.matmul(A, A, context=context).toarray(), expected):
                wrong.append(context)

    threads = [threading.Thread(target=work, args=(shared if k % 2 else None,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_contexts_say_what_is_wrong():
    with pytest.raises(ValueError, match="place"):
        spg.Context("gpu")
    with pytest.raises(spg.ArgumentError, match="threads"):
        spg.Context("host", threads=-1)
    tight = spg.Context("host", threads=1, workspace_limit=1)
    A = integers(300, 300, 0.05, "f8", 12)
    with pytest.raises(MemoryError, match="workspace"):
        spg.matmul(A, A, context=tight)


def test_wide_indices_stay_wide():
    A = raw(50, 50, "f8", "i8", 13)
    C = spg.matmul(A, A)
    assert C.indices.dtype == np.int64 and C.indptr.dtype == np.int64
    same(C, A @ A)


def test_results_have_the_first_matrix_width_of_indices():
    A, P = poisson(12), pairs(144)
    A.indptr, A.indices = A.indptr.astype("i4"), A.indices.astype("i4")
    P.indptr, P.indices = P.indptr.astype("i8"), P.indices.astype("i8")
    repeat = spg.galerkin_plan(A, P)
    C = repeat(A, P)
    assert C.indptr.dtype == C.indices.dtype == np.int32
    A.data *= 3
    assert repeat(A, P, out=C) is C
    same(C, P.T @ A @ P)


def test_a_context_outlives_what_it_made_even_if_python_finalizes_it_first():
    context = spg.Context("host", threads=1)
    A = sp.csr_array(np.eye(50))
    things = [
        spg.matmul(A, A, context=context),
        spg.plan(A, A, context=context),
        spg.smoothed_aggregation(A, context=context),
    ]
    context.__del__()  # as at exit, and in cycles of references
    assert things[2].solve(np.ones(50)).sum() == pytest.approx(50)
    while things:
        assert context.handle is not None
        things.pop()
        gc.collect()
    assert context.handle is None


@pytest.mark.parametrize("past", [2**32, -(2**32)])
def test_columns_past_32_bits_are_refused(past):
    A = integers(20, 20, 0.2, "f8", 14)
    wide = A.copy()
    wide.indices, wide.indptr = A.indices.astype("i8"), A.indptr.astype("i8")
    same(spg.matmul(wide, A), A @ A)
    wide.indices[3] += past
    with pytest.raises(ValueError, match="B's columns"):
        spg.matmul(A, wide)


def test_a_plan_takes_its_result_where_columns_are_wider_than_offsets():
    A = poisson(5)
    A.indices = A.indices.astype("i8")
    for repeat in spg.plan(A, A), spg.galerkin_plan(A, A):
        C = repeat(A, A)
        values = C.data.copy()
        C.data[:] = 0
        np.testing.assert_array_equal(repeat(A, A, out=C).data, values)
