/* The host and the device side by side: both run a stage of multigrid on the same input, and the results, fetched to
 * the host, are compared. */
#ifndef SPG_TESTS_CUDA_SIDES_H
#define SPG_TESTS_CUDA_SIDES_H

#include "matrices_for_tests.h"
#include "place.h"

#include "amg/amg_backend.h"

enum { HOST, DEVICE, SIDES };

typedef struct side {
    spg_context *context;
    const spg_amg_backend *stages;
} side;

void open_sides(side sides[SIDES]);

/* Fails the test if anything that was put there is left. */
void close_sides(side sides[SIDES]);

/* A copy of bytes of the host, and one back. put(.., NULL, ..) is room alone. */
void *put(const side *at, const void *bytes, int64_t count);
void get(const side *at, const void *there, int64_t count, void *bytes);
void drop(const side *at, void *there, int64_t count);

/* A copy of a matrix in test_host(). */
void put_matrix(const side *at, const spg_csr *matrix, spg_csr *there);
void get_matrix(const side *at, const spg_csr *there, spg_csr *matrix);

/* What `name` generates (matrices/generators.h); in test_host(). */
void generate(const char *name, spg_type type, spg_csr *matrix);

/* Each of its entries as a block of unknowns x unknowns; some off the diagonal lack one. Symmetric if that is. */
void generate_blocks(const char *name, spg_type type, int unknowns, spg_csr *matrix);

/* Fail the test unless all n values agree to `tolerance` of the largest magnitude among them. */
void assert_values_agree(spg_type type, int64_t n, const void *a, const void *b, double tolerance, const char *where);

/* What rounding in sums of some hundred terms may do, of either type. */
double rounding(spg_type type);

double value_of(spg_type type, const void *values, int64_t k);

#endif
