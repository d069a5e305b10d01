import complex_systems as systems
import pytest

SCIPY = systems.Package(*(lambda here: here,) * 4)
TYPES = [("c8", 1e-4), ("c16", 1e-8)]


@pytest.mark.parametrize("dtype, tol", TYPES)
def test_products_and_plans(dtype, tol):
    systems.check_products(SCIPY, dtype)
    systems.check_plans(SCIPY, dtype)


@pytest.mark.parametrize("dtype, tol", TYPES)
def test_solves(dtype, tol):
    systems.check_solves(SCIPY, dtype, tol)
    systems.check_several(SCIPY, dtype, tol)


def test_filter_and_types():
    systems.check_filter(SCIPY)
    systems.check_types(SCIPY)
