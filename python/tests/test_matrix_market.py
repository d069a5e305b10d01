import gzip

import numpy as np
import scipy.sparse as sp

import spg

TEXT = "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 1 -1\n2 2 2\n3 3 5\n"


def test_reads_plain_and_packed_files(tmp_path):
    plain, packed = tmp_path / "a.mtx", tmp_path / "a.mtx.gz"
    plain.write_text(TEXT)
    packed.write_bytes(gzip.compress(TEXT.encode()))
    for path in (plain, packed, str(plain)):
        A = spg.read_matrix_market(path)
        assert isinstance(A, sp.csr_array) and A.dtype == np.float64
        np.testing.assert_array_equal(A.toarray(), [[2, -1, 0], [-1, 2, 0], [0, 0, 5]])
        assert spg.matmul(A, A).nnz == 5


def test_pattern_files(tmp_path):
    path = tmp_path / "p.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n")
    np.testing.assert_array_equal(spg.read_matrix_market(path).toarray(), [[0, 0], [1, 0]])
