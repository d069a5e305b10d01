"""Contexts: where work is done, with which threads and stream."""

from __future__ import annotations

import ctypes
import logging
import threading
from collections import deque
from typing import Any, Callable

from . import _library as c
from .errors import error
from .forks import Lock

_log = logging.getLogger("spg")
_said = threading.local()  # .line: what the library logged last
_PLACES = {"host": c.HOST, "device": c.DEVICE, "auto": c.AUTO}


@c.LOG
def _write_line(_user: Any, line: bytes) -> None:
    _said.line = line.decode(errors="replace")
    _log.info("%s", _said.line)


class NotCopied:
    """What owns something of the library. A copy would free it as well."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a {type(self).__name__} can be neither copied nor pickled")


class Context(NotCopied):
    """A place to work: the host with some threads, or a GPU with a stream.

    Functions take one as `context=`. Without it each thread uses a context of its own, at the place of the operands.
    A context may be used from several threads: its calls take turns.

    place: "auto" (a GPU if there is one), "host" or "device". device: number of the GPU; None: the current one.
    threads: at most so many on the host; 0: as many as the process may use. stream: address of a CUDA stream; None:
    the default stream. workspace_limit: bytes that a call may take beside its result; 0: no limit.

    >>> Context("host", threads=1).threads
    1
    """

    handle: ctypes.c_void_p | None = None

    def __init__(
        self,
        place: str = "auto",
        *,
        device: int | None = None,
        threads: int = 0,
        stream: int | None = None,
        workspace_limit: int = 0,
    ) -> None:
        if place not in _PLACES:
            raise ValueError(f"unknown place {place!r}; use auto, host or device")
        config = c.lib.spg_config_default()
        config.place = _PLACES[place]
        c.set_number(config, "device", "device", -1 if device is None else device)
        c.set_number(config, "threads", "threads", threads)
        config.stream = stream
        c.set_number(config, "workspace_limit", "workspace_limit", workspace_limit)
        config.log = _write_line
        self._lock = Lock()
        self._freed: deque[tuple[Callable[..., None], tuple]] = deque()
        self._kept = 0  # results, plans and so on that are not freed yet
        self._is_gone = False
        self.handle = ctypes.c_void_p()  # before the call, whose end may be an interrupt
        _said.line = ""
        status = c.lib.spg_context_create(config, self.handle)
        if status != 0:
            raise error(status, _status_name(status), _said.line)
        self.is_device: bool = c.lib.spg_context_place(self.handle) == c.DEVICE

    @property
    def threads(self) -> int:
        """The most host threads that its work uses."""
        return c.lib.spg_context_threads(self.handle)

    @property
    def memory(self) -> tuple[int, int]:
        """Bytes that its results, plans and hierarchies hold now, and the most that it ever held."""
        now, peak = ctypes.c_int64(), ctypes.c_int64()
        with self._lock:
            self._release_freed()
            c.lib.spg_context_memory(self.handle, now, peak)
        return now.value, peak.value

    def __repr__(self) -> str:
        return f"<spg.Context: {c.lib.spg_context_describe(self.handle).decode()}>"

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function of the library with this context as its first argument; raises its error."""
        with self._lock:
            if self._freed:
                self._release_freed()
            status = function(self.handle, *arguments)
            if status != 0:
                raise self._error(status)

    def call_drawing(self, empty_rows: bool, function: Callable[..., int], *arguments: Any) -> None:
        """The same for a function that draws; empty_rows: rows may be empty or all zeros."""
        with self._lock:
            if self._freed:
                self._release_freed()
            if empty_rows:
                c.lib.spg_context_set_draw_options(self.handle, c.DrawOptions(1, 0))
            status = function(self.handle, *arguments)
            if empty_rows:
                c.lib.spg_context_set_draw_options(self.handle, None)
            if status != 0:
                raise self._error(status)

    def call_with(self, function: Callable[..., int], *arguments: Any) -> None:
        """The same for a function whose first argument is an object of this context."""
        with self._lock:
            if self._freed:
                self._release_freed()
            status = function(*arguments)
            if status != 0:
                raise self._error(status)

    def keep(self) -> None:
        """Counts something of this context that `free` will free. The context lasts until then, even where Python
        finalizes it first, as it may at exit and in cycles of references."""
        with self._lock:
            self._kept += 1

    def free(self, function: Callable[..., None], *arguments: Any) -> None:
        """Frees something of this context, at once or, while another thread uses it, at the next call. Finalizers
        call it, at any time and from any thread."""
        self._freed.append((function, arguments))
        if self._lock.acquire(blocking=False):
            try:
                self._release_freed()
            finally:
                self._lock.release()

    def _release_freed(self) -> None:
        while self._freed:
            function, arguments = self._freed.popleft()
            function(*arguments)
            self._kept -= 1
        if self._is_gone and self._kept == 0 and self.handle is not None:
            c.lib.spg_context_destroy(self.handle)
            self.handle = None

    def _error(self, status: int) -> Exception:
        message = c.lib.spg_context_message(self.handle).decode(errors="replace")
        return error(status, _status_name(status), message)

    def __del__(self) -> None:
        if self.handle is not None:
            self._is_gone = True
            self._release_freed()


def known(context: Any) -> Context | None:
    """The context that a caller gave, or None."""
    if context is not None and not isinstance(context, Context):
        raise TypeError(f"context is a {type(context).__name__}, not a spg.Context")
    return context


def _status_name(status: int) -> str:
    return c.lib.spg_status_name(status).decode()


class _Contexts(threading.local):
    def __init__(self) -> None:
        self.made: dict[tuple[str, int | None, int | None], Context] = {}


_contexts = _Contexts()


def context_of(place: str, device: int | None = None, stream: int | None = None) -> Context:
    """This thread's context of a place: the one that functions use when they are given none."""
    key = (place, device, stream)
    made = _contexts.made.get(key)
    if made is None:
        made = _contexts.made[key] = Context(place, device=device, stream=stream)
    return made
