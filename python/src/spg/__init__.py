"""spg: sparse matrix products and algebraic multigrid, on the host and on GPUs.

    import spg
    C = spg.matmul(A, B)                          # sparse A*B
    ml = spg.smoothed_aggregation(A)              # an algebraic multigrid hierarchy
    x = ml.solve(b)

Matrices are SciPy's (CSR), or on a GPU CuPy's, torch's or JAX's; results are of the same kind, without a copy.
Progress is logged to the logger "spg".
"""

from .context import Context
from .errors import (
    ArgumentError,
    Breakdown,
    CountError,
    DeviceError,
    Error,
    FormatError,
    Incompatible,
    Indefinite,
    InternalError,
    NotConverged,
    OutOfMemoryError,
    PlaceError,
    ShapeError,
    SolveError,
    UnsupportedError,
)
from .matrix_market import read_matrix_market
from .multigrid import Hierarchy, Level, SolveInfo, smoothed_aggregation
from .products import GalerkinPlan, Plan, galerkin, galerkin_plan, matmul, plan
from .sampling import Alias, Forest, multinomial, sample, subset

__all__ = [
    "Alias", "ArgumentError", "Breakdown", "Context", "CountError", "DeviceError", "Error", "Forest", "FormatError",
    "GalerkinPlan", "Hierarchy", "Incompatible", "Indefinite", "InternalError", "Level", "NotConverged",
    "OutOfMemoryError", "PlaceError", "Plan", "ShapeError", "SolveError", "SolveInfo", "UnsupportedError", "galerkin",
    "galerkin_plan", "matmul", "multinomial", "plan", "read_matrix_market", "sample", "smoothed_aggregation", "subset",
]  # fmt: skip
