/* See generator_support.h. */
#include "generator_support.h"
#include "matrices_for_tests.h"
#include "test_support.h"

#include <stdio.h>
#include <string.h>

const spg_type value_types[4] = {SPG_F32, SPG_F64, SPG_C32, SPG_C64};

const struct base_name base_names[BASE_NAMES] = {
    {"fd2d5", false},     {"fe2d9", false},    {"fd3d7", false},   {"fe3d27", false},     {"tri2d", true},
    {"tet3d", true},      {"elast3d", false},  {"econ", true},     {"rmat", true},        {"random", true},
    {"arrow", false},     {"ladder", true},    {"empty", false},   {"hypersparse", true}, {"solid3d", false},
    {"stretch2d", false}, {"layers3d", false}, {"aniso2d", false}, {"conv2d", false},     {"recirc2d", false},
    {"magnet2d", false},  {"magnet3d", false},
};

spg_context *context;

int create_context(void **state)
{
    (void)state;
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    return spg_context_create(&config, &context) == SPG_OK ? 0 : -1;
}

int destroy_context(void **state)
{
    (void)state;
    int64_t held;
    spg_context_memory(context, &held, NULL);
    spg_context_destroy(context);
    return held == 0 ? 0 : -1;
}

spg_csr make(const char *name, uint64_t seed, spg_type value_type)
{
    spg_csr matrix;
    spg_status status = generate_matrix(context, name, seed, value_type, &matrix);
    if (status != SPG_OK) fail_msg("%s: %s", name, spg_context_message(context));
    return matrix;
}

spg_csr make_sized(const char *base, int64_t size, uint64_t seed, spg_type value_type)
{
    char name[40];
    snprintf(name, sizeof name, "%s:%lld", base, (long long)size);
    return make(name, seed, value_type);
}

bool is_complex(spg_type value_type) { return value_type == SPG_C32 || value_type == SPG_C64; }

static bool is_single(spg_type value_type) { return value_type == SPG_F32 || value_type == SPG_C32; }

static double get_part(const spg_csr *matrix, int64_t part)
{
    return is_single(matrix->value_type) ? (double)((const float *)matrix->values)[part]
                                         : ((const double *)matrix->values)[part];
}

double real_part(const spg_csr *matrix, int64_t k)
{
    return get_part(matrix, is_complex(matrix->value_type) ? 2 * k : k);
}

double imaginary_part(const spg_csr *matrix, int64_t k)
{
    return is_complex(matrix->value_type) ? get_part(matrix, 2 * k + 1) : 0.0;
}

static uint64_t add_number(uint64_t sum, uint64_t number)
{
    for (int byte = 0; byte < 8; byte++) sum = (sum ^ (number >> (8 * byte) & 0xff)) * UINT64_C(1099511628211);
    return sum;
}

uint64_t checksum(const spg_csr *matrix)
{
    uint64_t sum = add_number(UINT64_C(14695981039346656037), (uint64_t)matrix->rows);
    sum = add_number(sum, (uint64_t)matrix->cols);
    for (int64_t i = 0; i <= matrix->rows; i++) sum = add_number(sum, (uint64_t)test_offset(matrix, i));
    for (int64_t k = 0; k < matrix->nnz; k++) sum = add_number(sum, (uint64_t)matrix->columns[k]);
    int64_t parts = is_complex(matrix->value_type) ? 2 * matrix->nnz : matrix->nnz;
    for (int64_t k = 0; k < parts; k++) {
        uint64_t wide = 0;
        uint32_t narrow = 0;
        if (is_single(matrix->value_type))
            memcpy(&narrow, (const float *)matrix->values + k, sizeof narrow);
        else
            memcpy(&wide, (const double *)matrix->values + k, sizeof wide);
        sum = add_number(sum, wide + narrow);
    }
    return sum;
}

enum { WATCHED_MOST = 16 };
static void *watched[WATCHED_MOST];
static int64_t malloc_calls, refused_call;

void fail_malloc_at(int64_t k)
{
    malloc_calls = 0;
    refused_call = k;
}

bool malloc_failed(void) { return refused_call > 0 && malloc_calls >= refused_call; }

int64_t live_mallocs(void)
{
    int64_t live = 0;
    for (int i = 0; i < WATCHED_MOST; i++) live += watched[i] != NULL;
    return live;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void __real_free(void *memory);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t bytes)
{
    if (refused_call == 0) return __real_malloc(bytes);
    if (++malloc_calls == refused_call) return NULL;
    void *memory = __real_malloc(bytes);
    int i = 0;
    while (i < WATCHED_MOST && watched[i] != NULL) i++;
    assert_true(i < WATCHED_MOST);
    watched[i] = memory;
    return memory;
}

void __wrap_free(void *memory)
{
    for (int i = 0; i < WATCHED_MOST; i++)
        if (watched[i] == memory) watched[i] = NULL;
    __real_free(memory);
}
