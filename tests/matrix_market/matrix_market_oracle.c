/* See matrix_market_oracle.h. */
#define _XOPEN_SOURCE 700
#include "matrix_market_oracle.h"
#include "test_support.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void oracle_enter_tree(void)
{
    const char *staged = getenv("SPG_SOURCE_DIR"), *tree = staged != NULL ? staged : SPG_SOURCE_DIR;
    if (chdir(tree) == 0) return;
    perror(tree);
    exit(EXIT_FAILURE);
}

typedef struct triple {
    long long row, col, order;
    double parts[2];
} triple;

typedef struct oracle {
    bool array, complex_values, pattern;
    char symmetry; /* the first letter, or k for skew */
    long long rows, cols, count, capacity;
    triple *triples;
} oracle;

/* The next line that is neither blank nor a comment, without its leading blanks; NULL at the end. */
static char *next_line(char **cursor)
{
    while (**cursor != '\0') {
        char *line = *cursor;
        size_t length = strcspn(line, "\n");
        *cursor += length + (line[length] == '\n');
        line[length] = '\0';
        line += strspn(line, " \t\r");
        if (*line != '\0' && *line != '%') return line;
    }
    return NULL;
}

static void add(oracle *o, long long row, long long col, double re, double im)
{
    if (o->count == o->capacity) {
        o->capacity = 2 * o->capacity + 64;
        o->triples = realloc(o->triples, (size_t)o->capacity * sizeof *o->triples);
        assert_non_null(o->triples);
    }
    o->triples[o->count] = (triple){row, col, o->count, {re, im}};
    ++o->count;
}

static void add_entry(oracle *o, long long row, long long col, char *values)
{
    double re = o->pattern ? 1.0 : strtod(values, &values);
    double im = o->complex_values ? strtod(values, &values) : 0.0;
    add(o, row, col, re, im);
    if (o->symmetry == 'g' || row == col) return;
    if (o->symmetry == 's') add(o, col, row, re, im);
    if (o->symmetry == 'k') add(o, col, row, -re, -im);
    if (o->symmetry == 'h') add(o, col, row, re, -im);
}

static void read_banner(oracle *o, char *cursor)
{
    char format[32] = "", field[32] = "", symmetry[32] = "";
    assert_int_equal(sscanf(cursor, "%*s %*s %31s %31s %31s", format, field, symmetry), 3);
    o->array = tolower((unsigned char)format[0]) == 'a';
    o->complex_values = tolower((unsigned char)field[0]) == 'c';
    o->pattern = tolower((unsigned char)field[0]) == 'p';
    o->symmetry = (char)tolower((unsigned char)symmetry[tolower((unsigned char)symmetry[1]) == 'k']);
}

static void read_entries(oracle *o, char *cursor)
{
    char *line = next_line(&cursor);
    assert_non_null(line);
    o->rows = strtoll(line, &line, 10);
    o->cols = strtoll(line, &line, 10);
    if (!o->array) {
        while ((line = next_line(&cursor)) != NULL) {
            long long row = strtoll(line, &line, 10), col = strtoll(line, &line, 10);
            add_entry(o, row - 1, col - 1, line);
        }
        return;
    }
    for (long long col = 0; col < o->cols; ++col)
        for (long long row = o->symmetry == 'g' ? 0 : col + (o->symmetry == 'k'); row < o->rows; ++row) {
            line = next_line(&cursor);
            if (line == NULL) return;
            add_entry(o, row, col, line);
        }
}

static int by_place(const void *left, const void *right)
{
    const triple *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->col != b->col) return a->col < b->col ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Adds up triples of the same place, from zero and in the file's order. One that stands alone keeps its bits. */
static void sum_places(oracle *o)
{
    if (o->count > 0) qsort(o->triples, (size_t)o->count, sizeof *o->triples, by_place);
    long long to = 0;
    for (long long k = 0, end = 0; k < o->count; k = end) {
        triple sum = o->triples[k];
        for (end = k + 1; end < o->count && o->triples[end].row == sum.row && o->triples[end].col == sum.col; ++end) {
            if (end == k + 1) sum.parts[0] += 0.0, sum.parts[1] += 0.0;
            sum.parts[0] += o->triples[end].parts[0];
            sum.parts[1] += o->triples[end].parts[1];
        }
        o->triples[to++] = sum;
    }
    o->count = to;
}

static void compare(const oracle *o, const spg_csr *matrix)
{
    assert_int_equal(matrix->rows, o->rows);
    assert_int_equal(matrix->cols, o->cols);
    assert_int_equal(matrix->nnz, o->count);
    assert_int_equal(matrix->value_type, o->complex_values ? SPG_C64 : SPG_F64);
    assert_int_equal(matrix->offset_type, SPG_I32);
    assert_int_equal(matrix->place, SPG_PLACE_HOST);
    const int32_t *offsets = matrix->row_offsets;
    long long k = 0;
    assert_int_equal(offsets[0], 0);
    for (long long row = 0; row < o->rows; ++row) {
        for (; k < o->count && o->triples[k].row == row; ++k) {
            assert_int_equal(matrix->columns[k], o->triples[k].col);
            size_t size = o->complex_values ? 16 : 8;
            assert_memory_equal((const char *)matrix->values + (size_t)k * size, o->triples[k].parts, size);
        }
        assert_int_equal(offsets[row + 1], k);
    }
}

void oracle_assert_text(const char *text, size_t size, const spg_csr *matrix)
{
    oracle o = {0};
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    copy[size] = '\0';
    char *cursor = copy + strcspn(copy, "\n");
    if (*cursor != '\0') *cursor++ = '\0';
    read_banner(&o, copy);
    read_entries(&o, cursor);
    sum_places(&o);
    compare(&o, matrix);
    free(o.triples);
    free(copy);
}

char *oracle_load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = '\0';
    fclose(file);
    return text;
}

void oracle_assert_file(const char *path, const spg_csr *matrix)
{
    size_t size = 0;
    char *text = oracle_load(path, &size);
    oracle_assert_text(text, size, matrix);
    free(text);
}

int oracle_each_file(const char *folder, void (*visit)(const char *path, const char *name, void *user), void *user)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".mtx") != 0) continue;
        char path[4096];
        assert_true(snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path);
        visit(path, entry->d_name, user);
        ++count;
    }
    closedir(entries);
    return count;
}

spg_context *oracle_context(void)
{
    spg_config config = spg_config_default();
    spg_context *context = NULL;
    config.place = SPG_PLACE_HOST;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    return context;
}

static void *allocate_little(void *user, size_t bytes, spg_place place, void *stream)
{
    (void)user, (void)place, (void)stream;
    return bytes <= (size_t)64 << 20 ? malloc(bytes) : NULL;
}

static void release(void *user, void *memory, size_t bytes, spg_place place, void *stream)
{
    (void)user, (void)bytes, (void)place, (void)stream;
    free(memory);
}

spg_context *oracle_frugal_context(void)
{
    spg_config config = spg_config_default();
    spg_context *context = NULL;
    config.place = SPG_PLACE_HOST;
    config.allocator = (spg_allocator){NULL, allocate_little, release};
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    return context;
}
