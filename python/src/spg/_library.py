"""The shared library: where it is, its structs and the types of its functions.

Names, fields and values are those of the C headers (include/spg).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p
from pathlib import Path
from typing import Any

VERSION = (0, 1)  # of the headers that this file follows

LOG = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)

HOST, DEVICE, AUTO = 0, 1, 2
F32, F64, C32, C64, I32, I64 = range(6)


class Csr(ctypes.Structure):
    _fields_ = [
        ("rows", c_int64),
        ("cols", c_int64),
        ("nnz", c_int64),
        ("offset_type", c_int),
        ("value_type", c_int),
        ("place", c_int),
        ("row_offsets", c_void_p),
        ("columns", c_void_p),
        ("values", c_void_p),
    ]


class Allocator(ctypes.Structure):
    _fields_ = [("user", c_void_p), ("allocate", c_void_p), ("release", c_void_p)]


class RowLimits(ctypes.Structure):
    _fields_ = [("thread", c_int64), ("warp", c_int64), ("cta", c_int64)]


class Config(ctypes.Structure):
    _fields_ = [
        ("place", c_int),
        ("device", c_int),
        ("threads", c_int),
        ("stream", c_void_p),
        ("allocator", Allocator),
        ("workspace_limit", c_int64),
        ("keep_bytes", c_int64),
        ("row_limits", RowLimits),
        ("oversubscribe", c_int),
        ("timing", c_int),
        ("log", LOG),
        ("log_user", c_void_p),
    ]


class AmgOptions(ctypes.Structure):
    _fields_ = [
        ("aggregation", c_int),
        ("join_leftovers", c_int),
        ("seed", c_uint64),
        ("theta", c_double),
        ("block_size", c_int),
        ("candidates", c_int),
        ("candidate_values", c_void_p),
        ("prolongator_relaxation", c_double),
        ("spectral_steps", c_int),
        ("max_coarse", c_int64),
        ("max_levels", c_int),
        ("least_coarsening", c_double),
        ("max_complexity", c_double),
        ("smoother", c_int),
        ("pre_sweeps", c_int),
        ("post_sweeps", c_int),
        ("relaxation", c_double),
        ("chebyshev_degree", c_int),
        ("chebyshev_ratio", c_double),
        ("prepare_update", c_int),
        ("timing", c_int),
        ("filter", c_int),
        ("strength", c_int),
        ("restriction", c_int),
        ("precision", c_int),
        ("cycle", c_int),
    ]


class AmgLevelView(ctypes.Structure):
    _fields_ = [
        ("A", Csr),
        ("P", Csr),
        ("R", Csr),
        ("aggregate_of", c_void_p),
        ("nodes", c_int64),
        ("aggregates", c_int64),
        ("left_out", c_int64),
        ("block_size", c_int),
        ("candidates", c_int),
        ("is_smoothed", c_int),
        ("rho", c_double),
        ("candidate_values", c_void_p),
        ("weak", c_int64),
    ]


class AmgTimings(ctypes.Structure):
    _fields_ = [
        (name, c_double)
        for name in (
            "strength aggregate tentative spectral_radius smooth transpose AP RAP symmetry coarse total plans small_levels"
        ).split()
    ]


class AmgSummary(ctypes.Structure):
    _fields_ = [
        ("levels", c_int),
        ("end", c_int),
        ("operator_complexity", c_double),
        ("grid_complexity", c_double),
        ("bytes", c_int64),
        ("setup", AmgTimings),
        ("update_seconds", c_double),
        ("symmetric", c_int),
        ("smoothed", c_int),
        ("singular", c_int),
        ("unsymmetric", c_int),
    ]


class AmgSolveOptions(ctypes.Structure):
    _fields_ = [
        ("method", c_int),
        ("tolerance", c_double),
        ("max_iterations", c_int),
        ("history", c_void_p),
        ("nullspace", c_int),
        ("null_vectors", c_int),
        ("null_values", c_void_p),
    ]


class AmgSolveResult(ctypes.Structure):
    _fields_ = [
        ("iterations", c_int),
        ("converged", c_int),
        ("initial_residual", c_double),
        ("residual", c_double),
        ("relative_residual", c_double),
        ("convergence_factor", c_double),
        ("seconds", c_double),
        ("stagnated", c_int),
    ]


class Random(ctypes.Structure):
    _fields_ = [("seed", c_uint64), ("stream", c_uint64), ("first", c_uint64)]


class AliasOptions(ctypes.Structure):
    _fields_ = [("builder", c_int), ("resolution", c_int), ("split", c_int), ("chunks", c_int)]


class AliasDrawOptions(ctypes.Structure):
    _fields_ = [("sampler", c_int), ("grouped", c_int)]


class DrawOptions(ctypes.Structure):
    _fields_ = [("empty_rows", c_int), ("trusted", c_int)]


class WalkOptions(ctypes.Structure):
    _fields_ = [("p", c_double), ("q", c_double)]


class ForestOptions(ctypes.Structure):
    _fields_ = [("method", c_int), ("cells_per_item", c_double)]


class ForestDetails(ctypes.Structure):
    _fields_ = [("probabilities", c_void_p), ("remapped", c_void_p)]


def set_number(of: ctypes.Structure, field: str, name: str, value: Any) -> None:
    """Sets a field; refuses a number that it cannot hold, whose upper bits ctypes would cut off."""
    try:
        setattr(of, field, value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be a number, and a whole one where it counts") from None
    held = getattr(of, field)
    if isinstance(held, int) and held != value and field != "seed":
        raise ValueError(f"{name} is {value}, past the largest or smallest that the library takes")


def in_64_bits(name: str, value: int) -> int:
    """The same for an argument."""
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{name} is {value}, past the largest or smallest that the library takes")
    return value


P_CSR = POINTER(Csr)
_HANDLE = c_void_p
_FUNCTIONS = {  # name: result, arguments
    "spg_status_name": (c_char_p, [c_int]),
    "spg_config_default": (Config, []),
    "spg_context_create": (c_int, [POINTER(Config), POINTER(_HANDLE)]),
    "spg_context_destroy": (None, [_HANDLE]),
    "spg_context_message": (c_char_p, [_HANDLE]),
    "spg_context_place": (c_int, [_HANDLE]),
    "spg_context_threads": (c_int, [_HANDLE]),
    "spg_context_describe": (c_char_p, [_HANDLE]),
    "spg_context_memory": (None, [_HANDLE, POINTER(c_int64), POINTER(c_int64)]),
    "spg_csr_free": (None, [_HANDLE, P_CSR]),
    "spg_csr_check": (c_int, [_HANDLE, P_CSR]),
    "spgemm_csr": (c_int, [_HANDLE, P_CSR, P_CSR, P_CSR]),
    "spgemm_plan_create": (c_int, [_HANDLE, P_CSR, P_CSR, POINTER(_HANDLE)]),
    "spgemm_plan_run": (c_int, [_HANDLE, P_CSR, P_CSR, P_CSR]),
    "spgemm_plan_check": (c_int, [_HANDLE, P_CSR, P_CSR]),
    "spgemm_plan_destroy": (None, [_HANDLE]),
    "spg_galerkin": (c_int, [_HANDLE, P_CSR, P_CSR, P_CSR, P_CSR]),
    "spg_galerkin_plan_create": (c_int, [_HANDLE, P_CSR, P_CSR, P_CSR, POINTER(_HANDLE)]),
    "spg_galerkin_plan_run": (c_int, [_HANDLE, P_CSR, P_CSR, P_CSR, P_CSR]),
    "spg_galerkin_plan_check": (c_int, [_HANDLE, P_CSR, P_CSR, P_CSR]),
    "spg_galerkin_plan_destroy": (None, [_HANDLE]),
    "spg_amg_options_default": (AmgOptions, []),
    "spg_amg_setup": (c_int, [_HANDLE, P_CSR, POINTER(AmgOptions), POINTER(_HANDLE)]),
    "spg_amg_update": (c_int, [_HANDLE, _HANDLE, P_CSR]),
    "spg_amg_destroy": (None, [_HANDLE]),
    "spg_amg_levels": (c_int, [_HANDLE]),
    "spg_amg_level": (c_int, [_HANDLE, c_int, POINTER(AmgLevelView)]),
    "spg_amg_summarise": (c_int, [_HANDLE, POINTER(AmgSummary)]),
    "spg_amg_solve_options_default": (AmgSolveOptions, []),
    "spg_amg_solve": (c_int, [_HANDLE, _HANDLE, c_void_p, c_void_p, POINTER(AmgSolveOptions), POINTER(AmgSolveResult)]),
    "spg_amg_solve_many": (
        c_int,
        [
            _HANDLE,
            _HANDLE,
            c_int64,
            c_int,
            c_void_p,
            c_int64,
            c_void_p,
            c_int64,
            POINTER(AmgSolveOptions),
            POINTER(AmgSolveResult),
        ],
    ),
    "spg_amg_cycle": (c_int, [_HANDLE, _HANDLE, c_void_p, c_void_p]),
    "spg_butterfly_draw": (c_int, [_HANDLE, P_CSR, c_int, POINTER(Random), c_void_p, c_void_p]),
    "spg_context_set_draw_options": (c_int, [_HANDLE, POINTER(DrawOptions)]),
    "spg_subset_draw": (c_int, [_HANDLE, P_CSR, c_int64, POINTER(Random), c_void_p]),
    "spg_multinomial_draw": (c_int, [_HANDLE, P_CSR, c_int64, c_void_p, POINTER(Random), c_void_p]),
    "spg_alias_rebuild": (c_int, [_HANDLE, _HANDLE, P_CSR, c_int64, c_void_p]),
    "spg_alias_walk": (
        c_int,
        [_HANDLE, _HANDLE, c_int64, c_void_p, c_int64, POINTER(Random), POINTER(WalkOptions), c_void_p],
    ),
    "spg_alias_build": (c_int, [_HANDLE, P_CSR, POINTER(AliasOptions), POINTER(_HANDLE)]),
    "spg_alias_destroy": (None, [_HANDLE]),
    "spg_alias_draw": (
        c_int,
        [_HANDLE, _HANDLE, c_int64, c_int64, POINTER(Random), POINTER(AliasDrawOptions), c_void_p],
    ),
    "spg_alias_draw_rows": (c_int, [_HANDLE, _HANDLE, c_int64, c_void_p, POINTER(Random), c_void_p]),
    "spg_forest_build": (c_int, [_HANDLE, P_CSR, POINTER(ForestOptions), POINTER(_HANDLE)]),
    "spg_forest_destroy": (None, [_HANDLE]),
    "spg_forest_draw": (
        c_int,
        [_HANDLE, _HANDLE, c_int64, c_void_p, POINTER(Random), c_void_p, c_void_p, POINTER(ForestDetails)],
    ),
    "spg_forest_draw_stratified": (
        c_int,
        [_HANDLE, _HANDLE, c_int64, c_int64, POINTER(Random), c_void_p, POINTER(ForestDetails)],
    ),
}


def _path() -> str:
    """SPG_LIBRARY, else the library in this package, else one that the system's linker finds."""
    named = os.environ.get("SPG_LIBRARY")
    if named:
        return named
    packed = sorted((Path(__file__).parent / "lib").glob("libspg.so*"))
    if packed:
        return str(packed[0])
    found = ctypes.util.find_library("spg")
    if found:
        return found
    raise ImportError("libspg was not found: install this package by pip, or set SPG_LIBRARY to the library's path")


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(_path())
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()

