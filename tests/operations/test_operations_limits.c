/* Operations on matrices within workspace limits: containers and what operations.h has. */
#include "matrices_for_tests.h"
#include "place.h"
#include "workspace_limits.h"

#include "spg/operations.h"

#include <stdlib.h>

typedef struct operands {
    spg_csr A, B; /* of one shape */
    spg_coo triples;
    void *x, *y; /* vectors of rows or columns, whichever is more, 5 of them */
    int32_t *order;
} operands;

static spg_status transpose(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_csr_transpose(context, &o->A, &made->csr);
}

static spg_status sort(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    const spg_status status = spg_csr_copy(context, &o->A, &made->csr);
    return status == SPG_OK ? spg_csr_sort(context, &made->csr) : status;
}

static spg_status from_triples(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_csr_from_coo(context, &o->triples, SPG_I64, &made->csr);
}

static spg_status to_triples(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_coo_from_csr(context, &o->A, &made->coo);
}

static spg_status sort_triples(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    const spg_status status = spg_coo_copy(context, &o->triples, &made->coo);
    return status == SPG_OK ? spg_coo_sort(context, &made->coo) : status;
}

static spg_status transpose_triples(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_coo_transpose(context, &o->triples, &made->coo);
}

static spg_status check(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    (void)made;
    const spg_status status = spg_csr_check(context, &o->A);
    return status == SPG_OK ? spg_coo_check(context, &o->triples) : status;
}

static spg_status multiply_vector(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    (void)made;
    return spg_csr_spmv(context, NULL, &o->A, o->x, NULL, o->y);
}

static spg_status multiply_vector_by_triples(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    (void)made;
    return spg_coo_spmv(context, NULL, &o->triples, o->x, NULL, o->y);
}

static spg_status multiply_vectors(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    (void)made;
    return spg_csr_spmm(context, NULL, &o->A, 5, SPG_ROW_MAJOR, o->x, 5, NULL, o->y, 5);
}

static spg_status add(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_csr_add(context, NULL, &o->A, NULL, &o->B, &made->csr);
}

static spg_status scale(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    const spg_status status = spg_csr_copy(context, &o->A, &made->csr);
    return status == SPG_OK ? spg_csr_scale(context, o->x, o->x, &made->csr) : status;
}

static spg_status diagonal(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    (void)made;
    return spg_csr_diagonal(context, &o->A, o->y);
}

static spg_status permute(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_csr_permute(context, &o->A, NULL, o->order, &made->csr);
}

static spg_status extract(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    const spg_indices rows = {.count = o->A.rows / 2, .first = o->A.rows / 4};
    const spg_indices columns = {.count = o->A.cols, .indices = o->order};
    return spg_csr_extract(context, &o->A, &rows, &columns, &made->csr);
}

static spg_status drop_small(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_csr_drop(context, &o->A, &(spg_drop_rule){.relative = 0.5}, &made->csr);
}

static spg_status compare(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    spg_difference difference;
    (void)made;
    return spg_csr_compare(context, &o->A, &o->B, &difference);
}

static void drop_csr(spg_context *context, test_made *made) { spg_csr_free(context, &made->csr); }
static void drop_coo(spg_context *context, test_made *made) { spg_coo_free(context, &made->coo); }

static const test_limited_call calls[] = {{"a transpose", transpose, drop_csr},
                                          {"sorting", sort, drop_csr},
                                          {"a matrix of triples", from_triples, drop_csr},
                                          {"triples of a matrix", to_triples, drop_coo},
                                          {"sorting triples", sort_triples, drop_coo},
                                          {"a transpose of triples", transpose_triples, drop_coo},
                                          {"a check", check, NULL},
                                          {"a vector", multiply_vector, NULL},
                                          {"a vector by triples", multiply_vector_by_triples, NULL},
                                          {"vectors", multiply_vectors, NULL},
                                          {"a sum", add, drop_csr},
                                          {"scaling", scale, drop_csr},
                                          {"a diagonal", diagonal, NULL},
                                          {"a permutation", permute, drop_csr},
                                          {"a part", extract, drop_csr},
                                          {"dropping", drop_small, drop_csr},
                                          {"a comparison", compare, NULL}};

static void lend_vectors(const test_matrix *of, operands *o)
{
    const int64_t size = 5 * (of->rows > of->cols ? of->rows : of->cols) + 1;
    const size_t bytes = (size_t)size * 16;
    void *zeros = calloc(1, bytes);
    int32_t *order = malloc((size_t)size * sizeof *order);
    assert_non_null(zeros);
    assert_non_null(order);
    for (int64_t k = 0; k < of->cols; ++k) order[k] = (int32_t)(of->cols - 1 - k);
    o->x = test_lend(zeros, bytes);
    o->y = test_lend(zeros, bytes);
    o->order = test_lend(order, (size_t)size * sizeof *order);
    free(zeros);
    free(order);
}

static void give_vectors_back(const test_matrix *of, operands *o)
{
    const int64_t size = 5 * (of->rows > of->cols ? of->rows : of->cols) + 1;
    test_give_back(o->x, (size_t)size * 16);
    test_give_back(o->y, (size_t)size * 16);
    test_give_back(o->order, (size_t)size * sizeof *o->order);
}

static void operations_stay_within_limits(void **state)
{
    static const test_matrix kinds[] = {
        {1, 39, 0, SPG_I64, SPG_C32},       {0, 0, 0, SPG_I32, SPG_F64},      {50, 20, 3, SPG_I32, SPG_F64},
        {20, 3000, 60, SPG_I64, SPG_F32},   {4000, 900, 5, SPG_I32, SPG_F64}, {900, 900, 40, SPG_I32, SPG_C64},
        {3, 20000, 9000, SPG_I32, SPG_F64},
    };
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        for (int threads = 1; threads <= (test_place() == SPG_PLACE_HOST ? 3 : 1); threads += 2) {
            const test_matrix *of = &kinds[k];
            spg_csr A, B;
            spg_coo triples;
            operands o;
            test_random_csr(test_host(), *of, 3, TEST_UNSORTED | TEST_DUPLICATES, &A);
            test_random_csr(test_host(), *of, 4, 0, &B);
            test_random_coo(test_host(), of->rows, of->cols, of->mean, of->value_type, 5, TEST_DUPLICATES, &triples);
            spg_context *context = test_context_at_place(threads);
            test_to_place(context, &A, &o.A);
            test_to_place(context, &B, &o.B);
            test_coo_to_place(context, &triples, &o.triples);
            lend_vectors(of, &o);
            for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c) test_hold_to_limits(context, &calls[c], &o);
            give_vectors_back(of, &o);
            spg_csr_free(context, &o.A);
            spg_csr_free(context, &o.B);
            spg_coo_free(context, &o.triples);
            spg_context_destroy(context);
            spg_csr_free(test_host(), &A);
            spg_csr_free(test_host(), &B);
            spg_coo_free(test_host(), &triples);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_stay_within_limits),
    };
    return TEST_RUN_HERE(argc, argv, "operations_limits", tests);
}
