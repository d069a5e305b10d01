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
