/* See fuzz.h. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CHOLMOD's workspace follows the largest index: what it cannot have, it does without or reports. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=256:quarantine_size_mb=16";
}

void fuzz_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    abort();
}

void fuzz_require_zeroed(const void *object, size_t bytes)
{
    const unsigned char *byte = object;
    for (size_t k = 0; k < bytes; ++k) REQUIRE(byte[k] == 0);
}

int64_t fuzz_take(fuzz_input *in, size_t bytes)
{
    int64_t value = 0;
    for (size_t k = 0; k < bytes && in->size > 0; ++k, ++in->data, --in->size) value |= (int64_t)*in->data << 8 * k;
    return value;
}

int64_t fuzz_take_entry(fuzz_input *in)
{
    int64_t first = fuzz_take(in, 1);
    return first == 255 ? (int32_t)fuzz_take(in, 4) : first > 200 ? first - 256 : first;
}

int64_t fuzz_choose(fuzz_input *in, const int64_t *choices, int count) { return choices[fuzz_take(in, 1) % count]; }

int64_t fuzz_offset(const spg_csr *matrix, int64_t i)
{
    return matrix->offset_type == SPG_I64 ? ((const int64_t *)matrix->row_offsets)[i]
                                          : ((const int32_t *)matrix->row_offsets)[i];
}

void fuzz_set_offset(const spg_csr *matrix, int64_t i, int64_t offset)
{
    if (matrix->offset_type == SPG_I64)
        ((int64_t *)matrix->row_offsets)[i] = offset;
    else
        ((int32_t *)matrix->row_offsets)[i] = (int32_t)offset;
}

bool fuzz_is_sound(const spg_csr *matrix)
{
    if (matrix->cols < 0 || matrix->value_type > SPG_C64) return false;
    if (matrix->nnz > 0 && (matrix->rows == 0 || matrix->cols == 0)) return false;
    if (fuzz_offset(matrix, 0) != 0 || fuzz_offset(matrix, matrix->rows) != matrix->nnz) return false;
    for (int64_t i = 0; i < matrix->rows; ++i)
        if (fuzz_offset(matrix, i + 1) < fuzz_offset(matrix, i)) return false;
    for (int64_t k = 0; k < matrix->nnz; ++k)
        if (matrix->columns[k] < 0 || matrix->columns[k] >= matrix->cols) return false;
    return true;
}

static size_t most_bytes;
static int64_t allocations, refused_one;

void fuzz_refuse(int64_t k)
{
    allocations = 0;
    refused_one = k;
}

bool fuzz_refused(void) { return refused_one > 0 && allocations >= refused_one; }

/* Large blocks are kept for the next of the same size, since new pages cost more than all else. */
enum { LEAST_KEPT = 1 << 15, MOST_KEPT = 32 };

static struct kept_block {
    void *memory;
    size_t bytes;
} kept[MOST_KEPT];

static void *allocate(void *user, size_t bytes, spg_place place, void *stream)
{
    (void)user, (void)place, (void)stream;
    if (bytes > most_bytes || ++allocations == refused_one) return NULL;
    for (int k = 0; k < MOST_KEPT; ++k) {
        if (kept[k].memory == NULL || kept[k].bytes != bytes) continue;
        void *memory = kept[k].memory;
        kept[k].memory = NULL;
        return memory;
    }
    return malloc(bytes);
}

static void release(void *user, void *memory, size_t bytes, spg_place place, void *stream)
{
    static int next;
    (void)user, (void)place, (void)stream;
    if (bytes < LEAST_KEPT || memory == NULL) {
        free(memory);
        return;
    }
    next = (next + 1) % MOST_KEPT;
    free(kept[next].memory);
    kept[next] = (struct kept_block){memory, bytes};
}

spg_context *fuzz_open_context(size_t most)
{
    most_bytes = most;
    fuzz_refuse(0);
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.threads = 1;
    config.allocator = (spg_allocator){NULL, allocate, release};
    spg_context *context = NULL;
    REQUIRE(spg_context_create(&config, &context) == SPG_OK);
    return context;
}

void fuzz_close_context(spg_context *context)
{
    int64_t current = -1;
    spg_context_memory(context, &current, NULL);
    REQUIRE(current == 0);
    spg_context_destroy(context);
}
