/* CXSparse as the judge of a product. */
#ifndef SPG_TESTS_CXSPARSE_ORACLE_H
#define SPG_TESTS_CXSPARSE_ORACLE_H

#include "spg/spg.h"

#include <stdbool.h>

/* Fails the test unless C, on the host, has the pattern that CXSparse finds for A*B, and each entry lies within
 * 4*k*eps*sum|a||b| of CXSparse's in double precision, where k products make the entry and eps is of C's type. exact:
 * the entries must be equal. Rows and columns must fit 32 bits. */
void test_assert_near_cxsparse(const spg_csr *A, const spg_csr *B, const spg_csr *C, bool exact);

#endif
