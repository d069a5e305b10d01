"""Exceptions: one for each status of the C library, with its message."""

from __future__ import annotations

from typing import Any


class Error(RuntimeError):
    """A call of the library failed. `status` is the name of the C constant."""

    status = ""


class ArgumentError(Error, ValueError):
    """An option out of range."""


class ShapeError(Error, ValueError):
    """Sizes that do not fit together, or a pattern that is not the plan's."""


class FormatError(Error, ValueError):
    """Malformed contents: offsets, columns or values; the message names the row."""


class PlaceError(Error):
    """Arrays at a place where the context cannot work on them, or no GPU where one was asked for."""


class CountError(Error, OverflowError):
    """A count that the offset type cannot hold."""


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed, or the workspace limit is too small."""


class DeviceError(Error):
    """The GPU or its driver failed."""


class UnsupportedError(Error, NotImplementedError):
    """A combination of types or options that the library does not offer."""


class InternalError(Error):
    """A bug in spg; please report it."""


class SolveError(Error):
    """A solve ended without a solution. `x` is the last iterate, `info` says how the solve went."""

    x: Any = None
    info: Any = None


class NotConverged(SolveError):
    """The iteration reached its limit, or rounding keeps the residual from falling further."""


class Breakdown(SolveError):
    """The iteration met a NaN, an infinity or a division by zero."""


class Indefinite(SolveError):
    """A matrix or preconditioner is not positive definite where it must be."""


class Incompatible(SolveError):
    """A singular system without a solution."""


_BY_STATUS = {
    1: ArgumentError,
    2: ShapeError,
    3: FormatError,
    4: PlaceError,
    5: CountError,
    6: OutOfMemoryError,
    7: DeviceError,
    8: UnsupportedError,
    10: InternalError,
    11: NotConverged,
    12: Breakdown,
    13: Indefinite,
    14: Incompatible,
}


def error(status: int, name: str, message: str) -> Error:
    """The exception for a status; the caller raises it."""
    made = _BY_STATUS.get(status, Error)(message or name)
    made.status = name
    return made
