/* Files of the format and of its dialects: the lenient reader reads each as SciPy does, or as the table says where that
 * refuses it or reads something else, and refuses those of which no reading is right (variants.py). */
#include "test_support.h"

#include "matrices_for_tests.h"
#include "matrix_market/internal.h"
#include "place.h"

#include <math.h>
#include <string.h>

enum { MOST = 9 };

static const struct variant {
    const char *name, *text;
    int64_t rows, cols; /* -1: refused */
    double re[MOST], im[MOST];
} variants[] = {
#include "variants.inc.h"
};

static bool is_same(double found, double expected) { return isnan(expected) ? isnan(found) : found == expected; }

/* Of sums of an entry's place, the parts. */
static void spread(const spg_csr *matrix, double re[MOST], double im[MOST])
{
    const bool is_complex = matrix->value_type == SPG_C64;
    const double *values = matrix->values;
    for (int64_t i = 0; i < matrix->rows; ++i)
        for (int64_t k = test_offset(matrix, i); k < test_offset(matrix, i + 1); ++k) {
            const int64_t place = i * matrix->cols + matrix->columns[k];
            re[place] = values[is_complex ? 2 * k : k];
            if (is_complex) im[place] = values[2 * k + 1];
        }
}

static void check(const struct variant *variant)
{
    spg_csr matrix;
    spg_matrix_market_warning warning;
    double re[MOST] = {0}, im[MOST] = {0};
    const spg_status status = matrix_market_read_lenient_text(test_host(), variant->name, variant->text,
                                                              strlen(variant->text), &matrix, &warning);
    if (variant->rows < 0) {
        if (status != SPG_ERROR_FORMAT) fail_msg("taken: %s", variant->name);
        return;
    }
    if (status != SPG_OK) fail_msg("%s", spg_context_message(test_host()));
    if (matrix.rows != variant->rows || matrix.cols != variant->cols)
        fail_msg("%s is %lld x %lld", variant->name, (long long)matrix.rows, (long long)matrix.cols);
    spread(&matrix, re, im);
    for (int k = 0; k < MOST; ++k)
        if (!is_same(re[k], variant->re[k]) || !is_same(im[k], variant->im[k]))
            fail_msg("%s: element %d is %g + %gi, not %g + %gi", variant->name, k, re[k], im[k], variant->re[k],
                     variant->im[k]);
    spg_csr_free(test_host(), &matrix);
}

static void the_lenient_reader_reads_what_others_read(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof variants / sizeof *variants; ++k) check(&variants[k]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_lenient_reader_reads_what_others_read)};
    return TEST_RUN_HERE(argc, argv, "matrix market variants", tests);
}
