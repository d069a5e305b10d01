"""What users do by mistake: an exception that names the argument, never a crash or a wrong result."""

import copy
import gc
import pickle
import warnings
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from problems import integers, poisson

import spg


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
