"""An interrupt that ends a call: it is raised when the library returns, before Python has what the library made."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from problems import poisson

import spg
from spg import _library as c

A = poisson(5)


def interrupt(monkeypatch, name):
    call = getattr(c.lib, name)

    def interrupted(*arguments):
        call(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(c.lib, name, interrupted)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "name, use",
    [
        ("spgemm_csr", lambda context: spg.matmul(A, A, context=context)),
        ("spg_galerkin", lambda context: spg.galerkin(A, A, context=context)),
        ("spgemm_plan_create", lambda context: spg.plan(A, A, context=context)),
        ("spgemm_plan_run", lambda context: spg.plan(A, A, context=context)(A, A)),
        ("spg_galerkin_plan_create", lambda context: spg.galerkin_plan(A, A, context=context)),
        ("spg_galerkin_plan_run", lambda context: spg.galerkin_plan(A, A, context=context)(A, A)),
        ("spg_amg_setup", lambda context: spg.smoothed_aggregation(A, context=context)),
        ("spg_alias_build", lambda context: spg.Alias(A.data**2, context=context)),
        ("spg_forest_build", lambda context: spg.Forest(A.data**2, context=context)),
    ],
)
def test_an_interrupted_call_holds_no_memory(monkeypatch, name, use):
    context = spg.Context("host", threads=1)
    gone = weakref.ref(context)
    interrupt(monkeypatch, name)
    with pytest.raises(KeyboardInterrupt):
        use(context)
    monkeypatch.undo()
    gc.collect()
    assert context.memory[0] == 0
    destroyed = []
    destroy = c.lib.spg_context_destroy
    monkeypatch.setattr(c.lib, "spg_context_destroy", lambda handle: destroyed.append(destroy(handle)))
    del context
    gc.collect()
    assert gone() is None and destroyed == [None]


def test_a_hierarchy_keeps_the_matrix_of_an_interrupted_update(monkeypatch):
    ml = spg.smoothed_aggregation(A)
    new = 2 * A
    values = weakref.ref(new.data)
    interrupt(monkeypatch, "spg_amg_update")
    with pytest.raises(KeyboardInterrupt):
        ml.update(new)
    monkeypatch.undo()
    del new
    gc.collect()
    assert values() is not None
    np.testing.assert_allclose(2 * A @ ml.solve(np.ones(25)), np.ones(25), rtol=1e-6)
    ml.update(A)
    gc.collect()
    assert values() is None


def test_a_hierarchy_keeps_the_matrix_of_an_update_that_broke_down():
    dense = sp.csr_array(np.ones((40, 40)) + np.eye(40))
    ml = spg.smoothed_aggregation(dense, max_coarse=5)
    huge, refused = dense.copy(), dense * np.nan
    huge.data[:] = 1e308
    values, others = weakref.ref(huge.data), weakref.ref(refused.data)
    with pytest.raises(spg.Breakdown):
        ml.update(huge)
    with pytest.raises(spg.FormatError):
        ml.update(refused)
    del huge, refused
    gc.collect()
    assert values() is not None and others() is None
    ml.update(dense)
    np.testing.assert_allclose(dense @ ml.solve(np.ones(40)), np.ones(40), rtol=1e-6)
