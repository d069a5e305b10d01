import complex_systems as systems
import numpy as np
import pytest
import scipy.sparse as sp
from problems import integers, poisson

import spg

torch = pytest.importorskip("torch")


def tensor(A, device, index=torch.int64):
    parts = torch.tensor(A.indptr, dtype=index), torch.tensor(A.indices, dtype=index), torch.tensor(A.data)
    return torch.sparse_csr_tensor(*parts, A.shape).to(device)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("index", [torch.int32, torch.int64])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_matmul(device, index, dtype):
    A = integers(300, 300, 0.05, dtype, 1)
    a = tensor(A, device, index)
    C = spg.matmul(a, a)
    assert C.layout == torch.sparse_csr and C.device.type == device and C.col_indices().dtype == index
    np.testing.assert_array_equal(C.to_dense().cpu().numpy(), (A @ A).toarray())


def test_on_the_callers_stream():
    A = integers(2000, 2000, 0.01, "f8", 2)
    a = tensor(A, "cuda")
    expected = (A @ A).toarray()
    for _ in range(5):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            C = spg.matmul(a, a)
            dense = C.to_dense()
        stream.synchronize()
        np.testing.assert_array_equal(dense.cpu().numpy(), expected)


def test_multigrid_and_draws():
    A = poisson(100)
    ml = spg.smoothed_aggregation(tensor(A, "cuda"))
    b = torch.ones(A.shape[0], dtype=torch.float64, device="cuda")
    x = ml.solve(b)
    assert x.is_cuda
    several = torch.stack([b, 2 * b, torch.zeros_like(b)], dim=1)
    X = ml.solve(several, x0=torch.ones_like(several))
    assert X.is_cuda and np.linalg.norm(several.cpu().numpy() - A @ X.cpu().numpy()) <= 1e-6 * A.shape[0] ** 0.5
    assert np.linalg.norm(1 - A @ x.cpu().numpy()) <= 1e-7 * A.shape[0] ** 0.5
    weights = np.random.default_rng(3).random(1000)
    there = spg.Alias(torch.tensor(weights, device="cuda")).draw(5000, 4)
    np.testing.assert_array_equal(there.cpu().numpy(), spg.Alias(weights).draw(5000, 4))


def package(device):
    def matrix_back(there):
        parts = (part.cpu().numpy() for part in (there.values(), there.col_indices(), there.crow_indices()))
        return sp.csr_array(tuple(parts), shape=tuple(there.shape))

    return systems.Package(
        lambda A: tensor(A, device), lambda b: torch.tensor(b, device=device), matrix_back, lambda x: x.cpu().numpy()
    )


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("dtype, tol", [("c8", 1e-4), ("c16", 1e-8)])
def test_complex_products_and_solves(device, dtype, tol):
    of = package(device)
    systems.check_products(of, dtype)
    systems.check_plans(of, dtype)
    systems.check_solves(of, dtype, tol)
    systems.check_several(of, dtype, tol)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_complex_filter_and_types(device):
    systems.check_filter(package(device))
    systems.check_types(package(device))


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_conjugates_that_torch_puts_off(device):
    A, gauge = systems.gauged(20, "c16")
    ml = spg.smoothed_aggregation(tensor(A, device))
    b = torch.tensor(gauge, device=device).conj()
    assert b.is_conj()
    x = ml.solve(b).cpu().numpy()
    assert np.linalg.norm(gauge.conj() - A @ x) <= 1e-7 * np.linalg.norm(gauge)
