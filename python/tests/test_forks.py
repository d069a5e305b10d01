"""Child processes of a process that works in several threads."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from problems import poisson

import spg
from spg import _library as c

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork"),
    pytest.mark.filterwarnings("ignore:This process.*multi-threaded:DeprecationWarning"),
]
A = poisson(12)


def ends_well(work, seconds=20):
    """Whether a child that does `work` ends in time, without an error."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


class Busy:
    """A thread in the middle of a call of the library."""

    def __init__(self, monkeypatch, name, work):
        call, self.begun = getattr(c.lib, name), threading.Event()

        def slow(*arguments):
            self.begun.set()
            time.sleep(0.3)
            return call(*arguments)

        monkeypatch.setattr(c.lib, name, slow)
        self.thread = threading.Thread(target=work)

    def __enter__(self):
        self.thread.start()
        self.begun.wait()

    def __exit__(self, *_):
        self.thread.join()


def test_a_child_uses_a_context_that_another_thread_was_using(monkeypatch):
    context = spg.Context("host", threads=2)

    def multiply():
        C = spg.matmul(A, A, context=context)
        assert np.array_equal(C.toarray(), (A @ A).toarray())

    with Busy(monkeypatch, "spgemm_csr", multiply):
        assert ends_well(multiply)
    multiply()


def test_a_child_uses_a_hierarchy_that_another_thread_was_updating(monkeypatch):
    ml = spg.smoothed_aggregation(A)
    b = np.ones(A.shape[0])

    def solve():
        ml.update(2 * A)
        x = ml.solve(b)
        assert np.linalg.norm(b - 2 * (A @ x)) < 1e-7 * np.linalg.norm(b)

    with Busy(monkeypatch, "spg_amg_update", solve):
        assert ends_well(solve)
    solve()


def test_a_process_forks_while_the_library_logs(monkeypatch):
    context = spg.Context("host", threads=1)
    children = []

    def fork_and_multiply(*arguments):
        children.append(ends_well(lambda: None))
        return multiply(*arguments)

    multiply = c.lib.spgemm_csr
    monkeypatch.setattr(c.lib, "spgemm_csr", fork_and_multiply)
    spg.matmul(A, A, context=context)
    assert children == [True]
