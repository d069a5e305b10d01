"""Tests that need a GPU, and the package that each names."""

import ctypes
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))


def gpus() -> int:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int()
    return count.value if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0


def pytest_collection_modifyitems(items):
    if gpus() == 0:
        for item in items:
            if "device" in str(item.fspath):
                item.add_marker(pytest.mark.skip(reason="no GPU"))
