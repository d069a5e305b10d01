import numpy as np
import pytest
import scipy.sparse as sp
import scipy.stats

import spg

WEIGHTS = np.array([1.0, 0.0, 3.0, 2.0, 4.0, 0.5])


def check(draws, weights=WEIGHTS, least=1e-4):
    """Chi-square; items of weight zero never come."""
    counts = np.bincount(draws, minlength=len(weights))
    live = weights > 0
    assert counts[~live].sum() == 0
    expected = len(draws) * weights[live] / weights.sum()
    assert scipy.stats.chisquare(counts[live], expected).pvalue > least


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_one_distribution(dtype):
    weights = WEIGHTS.astype(dtype)
    draws = spg.sample(weights, 20000, seed=3)
    assert draws.dtype == np.int32
    check(draws)
    check(spg.Alias(weights).draw(20000, 4))
    check(spg.Alias(weights, exact=True).draw(20000, 5))
    check(np.sort(spg.Alias(weights).draw(20000, 6, grouped=True)))
    for method in ("auto", "cutpoint", "radix"):
        check(spg.Forest(weights, method=method).draw(20000, 7))
    assert spg.sample(weights, seed=1) in (0, 2, 3, 4, 5)


def test_rows_of_a_matrix():
    dense = np.tile(WEIGHTS, (500, 1))
    check(spg.sample(dense, 40, seed=1).ravel())
    assert spg.sample(dense, seed=1).shape == (500,)
    np.testing.assert_array_equal(spg.sample(dense, 3, seed=1)[0], spg.sample(dense, seed=1))
    A = sp.csr_array(np.eye(7)[::-1].copy())
    np.testing.assert_array_equal(spg.sample(A), np.arange(7)[::-1])
    np.testing.assert_array_equal(spg.Alias(A).draw_rows([6, 0, 3]), [0, 6, 3])
    np.testing.assert_array_equal(spg.Forest(A).draw_rows([6, 0, 3]), [0, 6, 3])


def test_sequences_go_on():
    table = spg.Alias(WEIGHTS)
    whole = table.draw(100, 9)
    np.testing.assert_array_equal(whole, np.concatenate([table.draw(30, 9), table.draw(70, 9, first=30)]))
    np.testing.assert_array_equal(whole, spg.Alias(WEIGHTS).draw(100, 9))
    assert (whole != table.draw(100, 10)).any()


def test_monotone_inversion():
    forest = spg.Forest(WEIGHTS)
    u = np.linspace(0, 1, 1000, endpoint=False)
    expected = np.searchsorted(np.cumsum(WEIGHTS) / WEIGHTS.sum(), u, side="right")
    np.testing.assert_array_equal(forest.draw_at(u), expected)
    strata = forest.draw_stratified(10000, 2)
    assert (np.diff(strata) >= 0).all()
    assert abs(np.bincount(strata, minlength=6) - 10000 * WEIGHTS / WEIGHTS.sum()).max() < 2


SINKS = sp.csr_array(([2.0, 1.0, 1.0, 3.0], [1, 3, 0, 2], [0, 2, 3, 3, 4]), shape=(4, 4))  # node 2 has no edge


def test_rows_of_nothing_give_minus_one():
    dense = np.array([[0.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(spg.sample(dense, 3, empty_rows=True), [[-1, 1]] * 3)
    np.testing.assert_array_equal(spg.sample(dense[0], 3, empty_rows=True), [-1] * 3)
    for table in (spg.Alias, spg.Forest):
        np.testing.assert_array_equal(table(dense, empty_rows=True).draw_rows([1, 0, -1]), [1, -1, -1])
        with pytest.raises(spg.FormatError, match="row 0"):  # the option is not left behind
            table(dense)
    with pytest.raises(spg.FormatError, match="row 0"):
        spg.sample(dense)


def test_subsets():
    draws = spg.subset(np.tile(WEIGHTS, (20000, 1)), 3, seed=4)
    assert draws.shape == (20000, 3) and draws.dtype == np.int32
    check(draws[:, 0])
    assert (np.diff(np.sort(draws, axis=1), axis=1) > 0).all() and WEIGHTS[draws].min() > 0
    second = draws[draws[:, 0] == 4, 1]  # of what is left
    check(second, np.where(np.arange(6) == 4, 0, WEIGHTS))
    np.testing.assert_array_equal(np.sort(spg.subset(WEIGHTS, 5)), [0, 2, 3, 4, 5])
    np.testing.assert_array_equal(spg.subset(WEIGHTS, 6, empty_rows=True)[5], -1)
    np.testing.assert_array_equal(spg.subset(SINKS, 2, empty_rows=True)[2], [-1, -1])
    assert spg.subset(WEIGHTS, 0).shape == (0,)
    with pytest.raises(spg.FormatError, match="k is 6"):
        spg.subset(WEIGHTS, 6)
    with pytest.raises(ValueError, match="k is -1"):
        spg.subset(WEIGHTS, -1)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_multinomial_counts_are_distributed_as_those_of_numpy(dtype):
    weights = np.random.default_rng(1).random(12).astype(dtype)
    rows, n = 4000, 90
    ours = spg.multinomial(np.tile(weights, (rows, 1)), n, seed=2)
    p = weights.astype("f8") / weights.sum(dtype="f8")
    theirs = np.random.default_rng(3).multinomial(n, p, size=rows)
    assert ours.shape == theirs.shape and ours.dtype == np.int64
    np.testing.assert_array_equal(ours.sum(axis=1), n)
    for item in range(12):
        table = [np.bincount(counts[:, item], minlength=n + 1) for counts in (ours, theirs)]
        often = np.minimum(*table) >= 10
        assert scipy.stats.chi2_contingency([t[often] for t in table]).pvalue > 1e-4
    # Covariances, -n p q of two items.
    np.testing.assert_allclose(np.cov(ours.T), n * (np.diag(p) - np.outer(p, p)), atol=0.09 * n * p.max())


def test_multinomial_of_vectors_matrices_and_huge_numbers():
    counts = spg.multinomial(WEIGHTS, 10**18)
    assert counts.sum() == 10**18 and counts[1] == 0
    np.testing.assert_allclose(counts / 1e18, WEIGHTS / WEIGHTS.sum(), atol=1e-8)
    A = sp.csr_array(np.tile(WEIGHTS, (3, 1)))
    by_entry = spg.multinomial(A, [10, 0, 2**40])
    np.testing.assert_array_equal(np.add.reduceat(by_entry, A.indptr[:-1]), [10, 0, 2**40])
    np.testing.assert_array_equal(spg.multinomial(SINKS, 5, empty_rows=True), [*by_two(5), 5, 5])
    whole = spg.multinomial(np.tile(WEIGHTS, (9, 1)), 100, seed=1)
    np.testing.assert_array_equal(whole[4:], spg.multinomial(np.tile(WEIGHTS, (5, 1)), 100, seed=1, first=4))
    with pytest.raises(spg.ArgumentError, match="row 1: -2"):
        spg.multinomial(A, [1, -2, 3])
    with pytest.raises(spg.ArgumentError, match="n is -1"):
        spg.multinomial(WEIGHTS, -1)
    with pytest.raises(ValueError, match="shape"):
        spg.multinomial(A, [1, 2])


def by_two(n):
    """The counts of the first row of SINKS."""
    return spg.multinomial(SINKS[[0], :], n)


def test_walks():
    table = spg.Alias(SINKS, empty_rows=True)
    walks = table.walk(30, [0, 1, 2, 3, -1] * 200, seed=5)
    assert walks.shape == (1000, 31) and walks.dtype == np.int32
    np.testing.assert_array_equal(walks[:5, 0], [0, 1, 2, 3, -1])
    allowed = {(0, 1), (0, 3), (1, 0), (2, -1), (3, 2), (-1, -1)}
    assert set(zip(walks[:, :-1].ravel().tolist(), walks[:, 1:].ravel().tolist())) == allowed
    step = walks[walks[:, 0] == 0, 1]
    check(step, np.array([0, 2.0, 0, 1]))
    np.testing.assert_array_equal(table.walk(2)[:, 0], np.arange(4))
    with pytest.raises(spg.ArgumentError, match="node 9"):
        table.walk(1, [9])
    with pytest.raises(ValueError, match="steps"):
        table.walk(-1)


def test_walks_of_second_order():
    """On a path with its triangle: after 0 -> 1 the weights are 1/p back, 1 to the neighbour of 0, 1/q away."""
    edges = np.zeros((4, 4))
    for a, b in ((0, 1), (0, 2), (1, 2), (1, 3)):
        edges[a, b] = edges[b, a] = 1
    p, q = 4.0, 0.5
    walks = spg.Alias(sp.csr_array(edges)).walk(2, np.zeros(60000, "i4"), seed=8, p=p, q=q)
    check(walks[walks[:, 1] == 1, 2], np.array([1 / p, 0, 1, 1 / q]))
    with pytest.raises(spg.ArgumentError, match="p is"):
        spg.Alias(sp.csr_array(edges)).walk(2, p=1e9)


def test_rebuilt_tables_are_new_ones():
    rng = np.random.default_rng(6)
    A = sp.random_array((40, 50), density=0.3, format="csr", rng=rng)
    B = A.copy()
    B.data = rng.random(A.nnz) + 0.1
    table = spg.Alias(A, empty_rows=True)
    rows = np.arange(40)
    table.rebuild(B)
    np.testing.assert_array_equal(table.draw_rows(rows, 1), spg.Alias(B, empty_rows=True).draw_rows(rows, 1))
    table.rebuild(A, [])
    np.testing.assert_array_equal(table.draw_rows(rows, 1), spg.Alias(B, empty_rows=True).draw_rows(rows, 1))
    table.rebuild(A, rows[::2])
    mixed = B.copy()
    for i in rows[::2]:
        mixed.data[A.indptr[i] : A.indptr[i + 1]] = A.data[A.indptr[i] : A.indptr[i + 1]]
    expected = spg.Alias(mixed, empty_rows=True).draw_rows(rows, 1)
    np.testing.assert_array_equal(table.draw_rows(rows, 1), expected)
    wrong = B.copy()
    wrong.data[7] = -1
    with pytest.raises(spg.FormatError, match="negative"):
        table.rebuild(wrong)
    with pytest.raises(spg.ArgumentError, match="ascend"):
        table.rebuild(B, [2, 1])
    with pytest.raises(spg.ShapeError):
        table.rebuild(B[:20])
    np.testing.assert_array_equal(table.draw_rows(rows, 1), expected)


def test_what_is_wrong_is_said():
    with pytest.raises(spg.FormatError, match="row"):
        spg.sample([0.0, 0.0], 3)
    with pytest.raises(spg.FormatError):
        spg.Alias([1.0, -1.0])
    with pytest.raises(ValueError, match="draws"):
        spg.Alias(WEIGHTS).draw(-1)
    with pytest.raises(ValueError, match="method"):
        spg.Forest(WEIGHTS, method="binary")
    with pytest.raises(spg.ArgumentError):
        spg.Forest(WEIGHTS).draw_at([1.5])
    with pytest.raises(ValueError, match="dimensions"):
        spg.sample(np.ones((2, 2, 2)))
    with pytest.raises(spg.ArgumentError):
        spg.Alias(WEIGHTS).draw_rows([9])


def test_rows_past_32_bits_are_refused():
    A = sp.csr_array(np.ones((3, 3)))
    for rows in np.array([0, 2**32]), np.array([0.5]):
        for use in (
            spg.Alias(A).draw_rows,
            spg.Forest(A).draw_rows,
            lambda rows: spg.Alias(A).rebuild(A, rows),
            lambda rows: spg.Forest(A).draw_at(np.full(len(rows), 0.5), rows),
        ):
            with pytest.raises(ValueError, match="rows"):
                use(rows)
        with pytest.raises(ValueError, match="starts"):
            spg.Alias(A).walk(2, rows)


def test_lists_of_rows_of_weights_are_a_matrix():
    rows = [[1.0, 0.0], [0.0, 2.0]]
    for weights in rows, tuple(map(tuple, rows)), np.asmatrix(rows):
        assert spg.sample(weights).tolist() == [0, 1]
        assert spg.sample(weights, 3).tolist() == [[0, 1]] * 3
        assert spg.subset(weights, 1).tolist() == [[0], [1]]
        assert spg.multinomial(weights, 3).tolist() == [[3, 0], [0, 3]]
    empty = sp.csr_array((2, 3))
    assert spg.multinomial(empty, 3, empty_rows=True).tolist() == []
