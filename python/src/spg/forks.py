"""Locks that a fork waits for, so that no child finds one taken by a thread that it does not have."""

from __future__ import annotations

import itertools
import os
import threading
import weakref

_numbers = itertools.count()
_locks: weakref.WeakSet[Lock] = weakref.WeakSet()
_listing = threading.Lock()  # while that changes or is read
_taken = threading.local()  # .locks: what this thread took before it forks


class Lock:
    """A lock of what child processes use too. Where a thread takes several, it takes the newest first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None
        self.number = next(_numbers)
        with _listing:
            _locks.add(self)

    def acquire(self, blocking: bool = True) -> bool:
        taken = self._lock.acquire(blocking)
        if taken:
            self._owner = threading.get_ident()
        return taken

    def release(self) -> None:
        self._owner = None
        self._lock.release()

    def is_mine(self) -> bool:
        """Whether this thread has taken it: a logging handler may fork during a call."""
        return self._owner == threading.get_ident()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


def _take_all() -> None:
    _taken.locks = []
    with _listing:
        known = sorted(_locks, key=lambda lock: lock.number, reverse=True)
    for lock in known:
        if not lock.is_mine():
            lock.acquire()
            _taken.locks.append(lock)
    _listing.acquire()


def _release_all() -> None:
    _listing.release()
    for lock in _taken.locks:
        lock.release()
    _taken.locks = []


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take_all, after_in_parent=_release_all, after_in_child=_release_all)
