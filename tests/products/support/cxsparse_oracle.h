/* CXSparse as the judge of a product. */
#ifndef SPG_TESTS_CXSPARSE_ORACLE_H
#define SPG_TESTS_CXSPARSE_ORACLE_H

#include "spg/spg.h"

#include <stdbool.h>

/* Room for what is wrong with a product. */
enum { TEST_CXSPARSE_FAULT = 256 };

/* Whether C, on the host, is A*B as CXSparse finds it: its pattern with sorted rows, and each entry within
 * 4*k*eps*sum|a||b| of CXSparse's in double precision, where k products make the entry and eps is of C's type. exact:
 * the entries must be equal. If not, `fault` says where. */
bool test_is_cxsparse_product(const spg_csr *A, const spg_csr *B, const spg_csr *C, bool exact,
                              char fault[TEST_CXSPARSE_FAULT]);

/* Fails the test if not. */
void test_assert_near_cxsparse(const spg_csr *A, const spg_csr *B, const spg_csr *C, bool exact);

#endif
