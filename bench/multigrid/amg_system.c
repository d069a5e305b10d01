#include "amg_system.h"

#include "generators.h"
#include "spg/io.h"
#include "spg/spg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

spg_status forward_status(spg_context *to, spg_context *from, spg_status status)
{
    if (status == SPG_OK || to == from) return status;
    char message[400];
    snprintf(message, sizeof message, "%s", spg_context_message(from));
    return spg_context_fail(to, status, "%s: %s", spg_status_name(status), message);
}

/* Part k of values: of complex ones, 2k is a real part and 2k + 1 an imaginary one. */
static void set_part(void *values, spg_type type, int64_t k, double value)
{
    if (is_single_type(type))
        ((float *)values)[k] = (float)value;
    else
        ((double *)values)[k] = value;
}

static double get_part(const void *values, spg_type type, int64_t k)
{
    return is_single_type(type) ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

static int parts_of(spg_type type) { return is_complex_type(type) ? 2 : 1; }

/* ---- Vectors ---- */

spg_status vector_create(spg_context *host, spg_context *context, spg_type type, int64_t n, const void *values,
                         place_vector *vector)
{
    spg_csr column;
    *vector = (place_vector){0};
    spg_status status = spg_csr_alloc(host, n, 1, n, SPG_I64, type, &column);
    if (status != SPG_OK) return status;
    for (int64_t i = 0; i <= n; i++) ((int64_t *)column.row_offsets)[i] = i;
    if (n > 0) memset(column.columns, 0, (size_t)n * sizeof(int32_t));
    if (n > 0 && values != NULL) memcpy(column.values, values, (size_t)n * spg_type_size(type));
    if (n > 0 && values == NULL) memset(column.values, 0, (size_t)n * spg_type_size(type));
    if (context == host) {
        vector->column = column;
        return SPG_OK;
    }
    status = forward_status(host, context, spg_csr_copy(context, &column, &vector->column));
    spg_csr_free(host, &column);
    return status;
}

void vector_free(spg_context *context, place_vector *vector) { spg_csr_free(context, &vector->column); }

spg_status vector_fetch(spg_context *host, const place_vector *vector, double **values)
{
    spg_csr column;
    *values = NULL;
    spg_status status = spg_csr_copy(host, &vector->column, &column);
    if (status != SPG_OK) return status;
    const int64_t count = parts_of(column.value_type) * column.rows;
    *values = malloc((size_t)(count > 0 ? count : 1) * sizeof **values);
    if (*values == NULL) status = spg_context_fail(host, SPG_ERROR_MEMORY, "no memory for a vector");
    for (int64_t k = 0; status == SPG_OK && k < count; k++)
        (*values)[k] = get_part(column.values, column.value_type, k);
    spg_csr_free(host, &column);
    return status;
}

/* ---- Candidates ---- */

/* Puts `count` values of doubles, real or complex, into values of `type`. */
static void convert(const double *from, bool from_complex, int64_t count, spg_type type, void *to)
{
    const int parts = parts_of(type), of_from = from_complex ? 2 : 1;
    for (int64_t k = 0; k < count; k++)
        for (int part = 0; part < parts; part++)
            set_part(to, type, parts * k + part, part < of_from ? from[of_from * k + part] : 0);
}

static spg_status give_candidates(amg_system *system, int64_t rows, int count, const void *values)
{
    if (rows != system->A.rows)
        return spg_context_fail(system->host, SPG_ERROR_SHAPE, "%s: candidates of %lld rows, not %lld", system->name,
                                (long long)rows, (long long)system->A.rows);
    system->candidates = count;
    return vector_create(system->host, system->context, system->A.value_type, rows * count, values,
                         &system->candidate_values);
}

static spg_status read_candidates(const char *path, bool lenient, amg_system *system)
{
    spg_dense dense;
    spg_matrix_market_warning warning = {0};
    spg_status status = lenient ? spg_read_matrix_market_dense_lenient(system->host, path, &dense, &warning)
                                : spg_read_matrix_market_dense(system->host, path, &dense);
    if (status != SPG_OK) return status;
    if (warning.lines > 0) fprintf(stderr, "%s\n", warning.text);
    const spg_type type = system->A.value_type;
    const bool is_complex = is_complex_type(dense.value_type);
    const int most = 32 / parts_of(type);
    if (dense.cols < 1 || dense.cols > most)
        status = spg_context_fail(system->host, SPG_ERROR_UNSUPPORTED, "%s: not 1 to %d columns", path, most);
    if (status == SPG_OK && is_complex && !is_complex_type(type))
        status = spg_context_fail(system->host, SPG_ERROR_UNSUPPORTED, "%s: complex candidates of a real matrix", path);
    const int64_t count = dense.rows * dense.cols;
    void *values = malloc((size_t)(count > 0 ? count : 1) * spg_type_size(type));
    if (status == SPG_OK && values == NULL)
        status = spg_context_fail(system->host, SPG_ERROR_MEMORY, "no memory for candidates");
    if (status == SPG_OK) convert(dense.values, is_complex, count, type, values);
    if (status == SPG_OK) status = give_candidates(system, dense.rows, (int)dense.cols, values);
    free(values);
    spg_dense_free(system->host, &dense);
    return status;
}

static spg_status make_rigid_body_modes(const char *name, amg_system *system)
{
    const spg_type type = system->A.value_type;
    const size_t count = 6 * (size_t)system->A.rows;
    double *modes = malloc((count > 0 ? count : 1) * sizeof *modes);
    void *values = malloc((count > 0 ? count : 1) * spg_type_size(type));
    spg_status status = modes != NULL && values != NULL
                            ? generate_rigid_body_modes(system->host, name, SPG_F64, modes)
                            : spg_context_fail(system->host, SPG_ERROR_MEMORY, "no memory for candidates");
    if (status == SPG_OK) convert(modes, false, (int64_t)count, type, values);
    if (status == SPG_OK) status = give_candidates(system, system->A.rows, 6, values);
    free(modes);
    free(values);
    return status;
}

/* ---- The system ---- */

static spg_status place_matrix(amg_system *system)
{
    system->A_here = system->A;
    if (system->context == system->host) return SPG_OK;
    system->A_here = (spg_csr){0};
    const spg_status status =
        forward_status(system->host, system->context, spg_csr_copy(system->context, &system->A, &system->A_here));
    system->owns_A_here = status == SPG_OK;
    return status;
}

/* From 0 to 1, the same for (i, j) and (j, i); by Knuth's linear congruential generator. */
static double pair_fraction(int64_t i, int64_t j)
{
    uint64_t state = (uint64_t)(i < j ? i : j) * 2862933555777941757U + (uint64_t)(i < j ? j : i);
    for (int k = 0; k < 3; k++) state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 11) * 0x1p-53;
}

static double random_number(int64_t i, int64_t vector) { return 2.0 * pair_fraction(i, vector) - 1.0; }

/* A part of row i of A times random real numbers: whatever the null space of a symmetric or Hermitian A, a solution
 * exists. */
static double row_times_random(const spg_csr *A, int64_t i, int part, int64_t vector)
{
    double sum = 0.0;
    for (int64_t k = row_offset(A, i); k < row_offset(A, i + 1); k++)
        sum += get_part(A->values, A->value_type, parts_of(A->value_type) * k + part) *
               random_number(A->columns[k], vector);
    return sum;
}

static spg_status make_right_hand_side(amg_system *system, bool is_image)
{
    const int64_t n = system->A.rows;
    const spg_type type = system->A.value_type;
    const int parts = parts_of(type);
    void *values = malloc((size_t)(n > 0 ? n : 1) * spg_type_size(type));
    if (values == NULL) return spg_context_fail(system->host, SPG_ERROR_MEMORY, "no memory for a vector");
    for (int64_t i = 0; i < n; i++)
        for (int part = 0; part < parts; part++)
            set_part(values, type, parts * i + part, is_image ? row_times_random(&system->A, i, part, 0) : 1.0 - part);
    const spg_status status = vector_create(system->host, system->context, type, n, values, &system->b);
    free(values);
    return status;
}

spg_status make_right_hand_sides(amg_system *system, int count, bool is_image, place_vector *vectors)
{
    const int64_t n = system->A.rows, numbers = n * count;
    const spg_type type = system->A.value_type;
    void *values = malloc((size_t)(numbers > 0 ? numbers : 1) * spg_type_size(type));
    if (values == NULL) return spg_context_fail(system->host, SPG_ERROR_MEMORY, "no memory for vectors");
    for (int64_t k = 0; k < numbers; k++) {
        const int64_t i = k % n, vector = -1 - k / n;
        set_part(values, type, k, is_image ? row_times_random(&system->A, i, 0, vector) : random_number(i, vector));
    }
    const spg_status status = vector_create(system->host, system->context, type, numbers, values, vectors);
    free(values);
    return status;
}

spg_status system_load(spg_context *host, spg_context *context, const amg_options *chosen, const char *argument,
                       amg_system *system)
{
    *system = (amg_system){.host = host, .context = context};
    const options source = {
        .seed = chosen->matrix_seed, .type = chosen->type, .type_given = true, .lenient = chosen->lenient};
    const bool is_elastic = has_rigid_body_modes(argument);
    spg_status status = load_matrix(host, &source, argument, &system->A, system->name, sizeof system->name);
    system->block_size = is_elastic && !chosen->block_size_given ? 3 : chosen->hierarchy.block_size;
    if (status == SPG_OK && system->A.rows != system->A.cols)
        status = spg_context_fail(host, SPG_ERROR_SHAPE, "%s: %lld x %lld, not square", argument,
                                  (long long)system->A.rows, (long long)system->A.cols);
    if (status == SPG_OK && chosen->nullspace_path != NULL)
        status = read_candidates(chosen->nullspace_path, chosen->lenient, system);
    else if (status == SPG_OK && is_elastic)
        status = make_rigid_body_modes(argument, system);
    if (status == SPG_OK) status = place_matrix(system);
    if (status == SPG_OK) status = make_right_hand_side(system, chosen->solve.nullspace != SPG_AMG_NULLSPACE_NONE);
    if (status != SPG_OK) system_free(system);
    return status;
}

void system_free(amg_system *system)
{
    vector_free(system->context, &system->b);
    vector_free(system->context, &system->candidate_values);
    if (system->owns_A_here) spg_csr_free(system->context, &system->A_here);
    spg_csr_free(system->host, &system->A);
}

spg_status scale_values(amg_system *system, double vary, spg_csr *scaled)
{
    const int parts = parts_of(system->A.value_type);
    spg_csr copy;
    *scaled = (spg_csr){0};
    spg_status status = spg_csr_copy(system->host, &system->A, &copy);
    if (status != SPG_OK) return status;
    for (int64_t i = 0; i < copy.rows; i++)
        for (int64_t k = row_offset(&copy, i); k < row_offset(&copy, i + 1); k++) {
            const int64_t j = copy.columns[k];
            const double factor = i != j ? 1.5 * (1.0 - vary * pair_fraction(i, j)) : 1.5;
            for (int64_t p = parts * k; p < parts * (k + 1); p++)
                set_part(copy.values, copy.value_type, p, factor * get_part(copy.values, copy.value_type, p));
        }
    if (system->context == system->host) {
        *scaled = copy;
        return SPG_OK;
    }
    status = forward_status(system->host, system->context, spg_csr_copy(system->context, &copy, scaled));
    spg_csr_free(system->host, &copy);
    return status;
}
