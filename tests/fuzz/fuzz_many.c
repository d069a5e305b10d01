/* Several right-hand sides at once, of small hierarchies of any values, with counts and layouts of every kind, sound
 * and not: each vector gets the bits that it gets alone, ends with a status that fits, and what lies between vectors
 * stays; what is not taken gets a status and a message, and refused allocations lose nothing. */
#include "fuzz_operands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COUNT = 17, GAP = 77 };

/* Vectors of doubles or floats, and what is passed for their stride. */
typedef struct vectors {
    spg_type type;
    int64_t n, count, stride;
    spg_layout layout;
    void *values;
    size_t bytes;
} vectors;

static int64_t place_of(const vectors *of, int64_t i, int64_t j)
{
    return of->layout == SPG_ROW_MAJOR ? i * of->stride + j : j * of->stride + i;
}

static double element(const vectors *of, int64_t k)
{
    return of->type == SPG_F32 ? (double)((const float *)of->values)[k] : ((const double *)of->values)[k];
}

static void set_element(const vectors *of, int64_t k, double value)
{
    if (of->type == SPG_F32)
        ((float *)of->values)[k] = (float)value;
    else
        ((double *)of->values)[k] = value;
}

/* All elements are GAP; arrays are as large as they must be, and no larger. */
static vectors make_vectors(spg_type type, int64_t n, int64_t count, spg_layout layout, int64_t gap)
{
    const int64_t least = layout == SPG_ROW_MAJOR ? count : n, lines = layout == SPG_ROW_MAJOR ? n : count;
    vectors made = {type, n, count, least + gap, layout, NULL, 0};
    const int64_t elements = lines > 0 && least > 0 ? (lines - 1) * made.stride + least : 0;
    made.bytes = (size_t)elements * spg_type_size(type);
    made.values = elements > 0 ? malloc(made.bytes) : NULL;
    for (int64_t k = 0; k < elements; ++k) set_element(&made, k, GAP);
    return made;
}

static vectors take_vectors(fuzz_input *in, const spg_csr *A, int64_t count, spg_layout layout)
{
    static const double scales[] = {1, 1, 1, 0, 1e-30, 1e30, INFINITY};
    const vectors made = make_vectors(A->value_type, A->rows, count, layout, fuzz_take(in, 1) % 3);
    for (int64_t j = 0; j < count; ++j) {
        const double scale = scales[fuzz_take(in, 1) % 7];
        for (int64_t i = 0; i < A->rows; ++i)
            set_element(&made, place_of(&made, i, j), scale * (double)(1 + fuzz_take(in, 1) % 16));
    }
    return made;
}

/* Vector j alone. */
static vectors part_of(const vectors *all, int64_t j)
{
    const vectors one = make_vectors(all->type, all->n, 1, SPG_COLUMN_MAJOR, 0);
    for (int64_t i = 0; i < all->n; ++i) set_element(&one, i, element(all, place_of(all, i, j)));
    return one;
}

static vectors copy_of(const vectors *all)
{
    vectors copy = *all;
    copy.values = all->bytes > 0 ? malloc(all->bytes) : NULL;
    if (all->bytes > 0) memcpy(copy.values, all->values, all->bytes);
    return copy;
}

/* What is between vectors. */
static void require_gaps(const vectors *of)
{
    const int64_t elements = (int64_t)(of->bytes / spg_type_size(of->type)), stride = of->stride;
    const int64_t used = of->layout == SPG_ROW_MAJOR ? of->count : of->n;
    for (int64_t k = 0; k < elements; ++k) REQUIRE(k % stride < used || element(of, k) == GAP);
}

/* One of the two calls on some vectors. */
typedef struct call {
    spg_context *context;
    spg_amg *amg;
    bool solves;
    spg_amg_solve_options options;
} call;

static spg_status run(const call *of, const vectors *B, const vectors *X, spg_amg_solve_result *results)
{
    if (!of->solves)
        return spg_amg_apply_many(of->context, of->amg, B->count, B->layout, B->values, B->stride, X->values,
                                  X->stride);
    return spg_amg_solve_many(of->context, of->amg, B->count, B->layout, B->values, B->stride, X->values, X->stride,
                              &of->options, results);
}

static bool is_of_a_vector(spg_status status)
{
    return status == SPG_ERROR_NOT_CONVERGED || status == SPG_ERROR_INDEFINITE || status == SPG_ERROR_BREAKDOWN ||
           status == SPG_ERROR_INCOMPATIBLE || status == SPG_ERROR_UNSUPPORTED;
}

static void require_same(const vectors *all, int64_t j, const vectors *one)
{
    const size_t size = spg_type_size(all->type);
    for (int64_t i = 0; i < all->n; ++i)
        REQUIRE(memcmp((char *)all->values + (size_t)place_of(all, i, j) * size, (char *)one->values + (size_t)i * size,
                       size) == 0);
}

/* Vectors j, alone: the same bits, the same end. */
static void require_each(const call *of, const vectors *B, const vectors *before, const vectors *X,
                         const spg_amg_solve_result *results)
{
    for (int64_t j = 0; j<B->count; j += B->count> 3 ? 8 : 1) {
        const vectors b = part_of(B, j), x = part_of(before, j);
        spg_amg_solve_result result;
        const spg_status status = run(of, &b, &x, &result);
        REQUIRE(status == SPG_OK || (of->solves && is_of_a_vector(status)));
        require_same(X, j, &x);
        if (of->solves) {
            REQUIRE(result.iterations == results[j].iterations && result.converged == results[j].converged);
            REQUIRE((status == SPG_OK) == (result.converged == 1));
        }
        free(b.values);
        free(x.values);
    }
}

static void try_call(fuzz_input *in, const call *of, const spg_csr *A)
{
    static const int64_t counts[] = {1, 3, 17, 0, 2, 4, 5, 9};
    const int64_t count = FUZZ_CHOOSE(in, counts), kind = fuzz_take(in, 1), refused = fuzz_take(in, 1);
    const spg_layout layout = kind % 2 == 0 ? SPG_ROW_MAJOR : SPG_COLUMN_MAJOR;
    vectors B = take_vectors(in, A, count, layout), X = take_vectors(in, A, count, layout);
    const vectors before = copy_of(&X);
    spg_amg_solve_result results[MOST_COUNT];
    const int64_t fault = kind / 2 % 16, least = layout == SPG_ROW_MAJOR ? count : A->rows;
    vectors passed_B = B, passed_X = X;
    if (fault == 15) passed_B.stride = least - 1 - fuzz_take(in, 1);
    if (fault == 14) passed_X.stride = least - 1 - fuzz_take(in, 1);
    if (fault == 13) passed_B.count = -1;
    if (fault == 12) passed_B.layout = (spg_layout)2;
    if (fault == 11 && B.bytes > 0) passed_X = B;
    const bool may_run = fault < 11 || (fault == 11 && B.bytes == 0);
    fuzz_refuse(refused > 240 ? refused - 240 : 0);
    const spg_status status = run(of, &passed_B, &passed_X, results);
    const bool was_refused = fuzz_refused();
    fuzz_refuse(0);
    if (status != SPG_OK) REQUIRE(strlen(spg_context_message(of->context)) > 0);
    if (!may_run) REQUIRE(status == SPG_ERROR_ARGUMENT);
    if (may_run)
        REQUIRE(status == SPG_OK || (of->solves && is_of_a_vector(status)) ||
                (status == SPG_ERROR_MEMORY && was_refused));
    if (!may_run && X.bytes > 0) REQUIRE(memcmp(X.values, before.values, X.bytes) == 0);
    require_gaps(&X);
    if (may_run && status != SPG_ERROR_MEMORY) require_each(of, &B, &before, &X, results);
    free(B.values);
    free(X.values);
    free(before.values);
}

static spg_amg_options take_options(fuzz_input *in)
{
    spg_amg_options options = spg_amg_options_default();
    const int64_t kind = fuzz_take(in, 1);
    options.max_coarse = 1 + kind % 3;
    options.smoother = (spg_smoother)(fuzz_take(in, 1) % 3);
    options.pre_sweeps = (int)(fuzz_take(in, 1) % 3);
    options.post_sweeps = (int)(fuzz_take(in, 1) % 3);
    options.chebyshev_degree = 1 + (int)(kind / 4 % 3);
    if (kind / 16 % 2 != 0) options.precision = SPG_AMG_PRECISION_F32;
    if (kind / 32 % 2 != 0) options.max_levels = 1;
    return options;
}

/* Values stay, or get a large diagonal. */
static void strengthen(fuzz_input *in, const spg_csr *A)
{
    const bool is_strong = fuzz_take(in, 1) % 4 != 0;
    for (int64_t i = 0; i < A->rows && is_strong; ++i)
        for (int64_t k = fuzz_offset(A, i); k < fuzz_offset(A, i + 1); ++k)
            if (A->columns[k] == i && A->value_type == SPG_F32)
                ((float *)A->values)[k] = 200;
            else if (A->columns[k] == i)
                ((double *)A->values)[k] = 200;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    spg_context *context = fuzz_open_context((size_t)1 << 26);
    const int64_t kind = fuzz_take(&in, 1), calls = 1 + fuzz_take(&in, 1) % 3;
    const spg_amg_options options = take_options(&in);
    call of = {context, NULL, false, spg_amg_solve_options_default()};
    spg_csr A;
    fuzz_take_symmetric(&in, fuzz_take(&in, 1) % (FUZZ_MOST + 1), kind % 2 == 0 ? SPG_F64 : SPG_F32, &A);
    strengthen(&in, &A);
    of.options.max_iterations = (int)(fuzz_take(&in, 1) % 20);
    if (kind / 2 % 2 != 0) of.options.method = SPG_AMG_STANDALONE;
    if (spg_amg_setup(context, &A, &options, &of.amg) == SPG_OK) {
        for (int64_t k = 0; k < calls; ++k) {
            of.solves = (kind / 4 + k) % 2 == 0;
            try_call(&in, &of, &A);
        }
        spg_amg_destroy(of.amg);
    }
    fuzz_free_operand(&A);
    fuzz_close_context(context);
    return 0;
}
