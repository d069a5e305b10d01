/* The validating scan checks every character of the file. CHOLMOD takes '1.5' for an index, 'abc' for a value, an index
 * 0 for a 0-based file, and accepts more entries than declared; so it gets only what it reads correctly. */
#include "scanner.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* False if out of memory. */
static bool note(matrix_market_scanner *scanner, int64_t index, double value)
{
    matrix_market_scan *result = scanner->result;
    if (result->huge_count == result->huge_capacity) {
        int64_t capacity = result->huge_capacity > 0 ? 2 * result->huge_capacity : 16;
        matrix_market_huge *huge = realloc(result->huge, (size_t)capacity * sizeof *huge);
        if (huge == NULL) return matrix_market_fault(scanner, SPG_ERROR_MEMORY, "no memory for its large values");
        result->huge = huge;
        result->huge_capacity = capacity;
    }
    result->huge[result->huge_count++] = (matrix_market_huge){index, value};
    return true;
}

/* Stores a number that CHOLMOD takes for infinity: it doubles what is 1e308 or more. False if the number is
 * infinite. */
static bool note_if_huge(matrix_market_scanner *scanner, const char *token, int64_t index)
{
    double value = strtod(token, NULL);
    if (isinf(value) && !matrix_market_lets_pass(scanner, "a value past the range of double"))
        return matrix_market_fault(scanner, SPG_ERROR_OVERFLOW, "the value %s is past the range of double",
                                   matrix_market_quote_token(token).text);
    return fabs(value) < 1e300 || note(scanner, index, value);
}

/* Skips a word, in any case, with which a token begins; NULL if it does not. */
static char *skip_letters(char *token, const char *word)
{
    for (; *word != '\0'; ++word, ++token)
        if (tolower((unsigned char)*token) != *word) return NULL;
    return token;
}

static char *skip_word(char *token, const char *word)
{
    token = skip_letters(token, word);
    return token != NULL && matrix_market_ends_token(*token) ? token : NULL;
}

/* Skips a NaN, with an optional text in parentheses: Visual C++ writes nan(ind). */
static char *skip_nan(char *token)
{
    char *end = skip_letters(token, "nan(");
    if (end == NULL) return skip_word(token, "nan");
    while (isalnum((unsigned char)*end) || *end == '_') ++end;
    return *end == ')' && matrix_market_ends_token(end[1]) ? end + 1 : NULL;
}

/* In a lenient scan, stores an infinity or a NaN, and writes zeros in its place. */
static bool takes_infinity(matrix_market_scanner *scanner, int64_t index)
{
    char *token = scanner->at, *word = token + (*token == '-' || *token == '+'), *end = skip_nan(word);
    const double sign = *token == '-' ? -1 : 1;
    double value = end != NULL ? (double)NAN : sign * (double)INFINITY;
    if (end == NULL) end = skip_word(word, "inf");
    if (end == NULL) end = skip_word(word, "infinity");
    if (end == NULL || !matrix_market_lets_pass(scanner, "a value that is not finite")) return false;
    memset(token, '0', (size_t)(end - token));
    scanner->at = end;
    return note(scanner, index, value);
}

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static char *skip_digits(char *p)
{
    while (is_digit(*p)) ++p;
    return p;
}

/* A value that is not a number. */
static bool value_fault(matrix_market_scanner *scanner)
{
    if (*scanner->at == '\n') return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the line lacks a value");
    return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the value %s is not a finite decimal number",
                               matrix_market_quote_token(scanner->at).text);
}

/* A sign, digits with or without a point, an exponent: all that C's strtod accepts except hexadecimal numbers,
 * infinities and NaNs, which the format does not have. */
static bool scan_real(matrix_market_scanner *scanner, int64_t index)
{
    enum { LONG_TOKEN = 200 };
    char *token = scanner->at, *p = token;
    if (*p == '-' || *p == '+') ++p;
    char *whole = p;
    p = skip_digits(p);
    int64_t digits = p - whole;
    if (*p == '.') {
        char *fraction = ++p;
        p = skip_digits(p);
        digits += p - fraction;
    }
    if (digits == 0) return takes_infinity(scanner, index) || (scanner->status == SPG_OK && value_fault(scanner));
    int64_t exponent_digits = 0;
    if ((*p == 'd' || *p == 'D') && matrix_market_lets_pass(scanner, "an exponent written with d")) *p = 'e';
    if (*p == 'e' || *p == 'E') {
        ++p;
        if (*p == '-' || *p == '+') ++p;
        char *exponent = p;
        p = skip_digits(p);
        exponent_digits = p - exponent;
        if (exponent_digits == 0) return value_fault(scanner);
    }
    if (!matrix_market_ends_token(*p)) return value_fault(scanner);
    if ((exponent_digits > 2 || p - token > LONG_TOKEN) && !note_if_huge(scanner, token, index)) return false;
    scanner->at = p;
    return true;
}

/* A whole number that double represents exactly, as all up to 2^53 are. */
static bool scan_whole(matrix_market_scanner *scanner, int64_t index)
{
    const int64_t most = INT64_C(1) << 53;
    char *token = scanner->at;
    int64_t value = 0;
    if (*token == '\n') return value_fault(scanner);
    const bool is_whole = matrix_market_take_integer(scanner, &value), is_exact = value <= most && value >= -most;
    if (is_whole && is_exact) return true;
    if (matrix_market_lets_pass(scanner, is_whole ? "an integer past 2^53, what double holds exactly"
                                                  : "a value of an integer matrix that is not an integer")) {
        scanner->at = token;
        return scan_real(scanner, index);
    }
    if (!is_whole)
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the value %s of an integer matrix is not an integer",
                                   matrix_market_quote_token(token).text);
    return matrix_market_fault(scanner, SPG_ERROR_OVERFLOW, "the integer %s is past 2^53, what double holds exactly",
                               matrix_market_quote_token(token).text);
}

/* Whether the number at `token`, which has been scanned, is written as zero. */
static bool is_zero(const char *token)
{
    for (; !matrix_market_ends_token(*token) && *token != 'e' && *token != 'E'; ++token)
        if (*token >= '1' && *token <= '9') return false;
    return true;
}

/* The value of the k-th entry; diagonal: whether it is on the diagonal. */
static bool scan_value(matrix_market_scanner *scanner, int64_t k, bool diagonal)
{
    const matrix_market_scan *result = scanner->result;
    const bool is_real = diagonal && result->symmetry == MATRIX_MARKET_HERMITIAN;
    if (result->field == MATRIX_MARKET_PATTERN) return true;
    scanner->at = matrix_market_skip_blanks(scanner->at);
    if (result->field == MATRIX_MARKET_INTEGER) return scan_whole(scanner, k);
    if (result->field == MATRIX_MARKET_REAL) return scan_real(scanner, k);
    if (!scan_real(scanner, 2 * k)) return false;
    scanner->at = matrix_market_skip_blanks(scanner->at);
    if (*scanner->at == '\n' && is_real &&
        matrix_market_lets_pass(scanner, "a diagonal entry without its imaginary part"))
        *--scanner->at = '0'; /* the text has been widened */
    if (!is_real) return scan_real(scanner, 2 * k + 1);
    const char *imaginary = scanner->at;
    const matrix_market_quote quote = matrix_market_quote_token(imaginary);
    const int64_t noted = result->huge_count; /* and is written as zeros */
    if (!scan_real(scanner, 2 * k + 1)) return false;
    if (noted < result->huge_count || !is_zero(imaginary))
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "imaginary part %s on the diagonal of a hermitian matrix",
                                   quote.text);
    return true;
}

static bool index_fault(matrix_market_scanner *scanner, char *token, const char *what, int64_t size)
{
    matrix_market_quote quote = matrix_market_quote_token(token);
    int64_t index = 0;
    scanner->at = token;
    if (*token == '\n') return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the line lacks its %s index", what);
    if (!matrix_market_take_integer(scanner, &index))
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the %s index %s is not an integer", what, quote.text);
    return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the %s index %s is outside 1 to %lld", what, quote.text,
                               (long long)size);
}

/* Takes an index from 1 to size. */
static bool scan_index(matrix_market_scanner *scanner, const char *what, int64_t size, int64_t *index)
{
    char *token = matrix_market_skip_blanks(scanner->at), *p = token;
    int64_t value = 0;
    for (; is_digit(*p) && value <= INT32_MAX; ++p) value = 10 * value + (*p - '0');
    if (value < 1 || value > size || !matrix_market_ends_token(*p)) {
        scanner->at = token;
        /* A plus sign is allowed, but rare. */
        if (!matrix_market_take_integer(scanner, &value) || value < 1 || value > size)
            return index_fault(scanner, token, what, size);
        p = scanner->at;
    }
    scanner->at = p;
    *index = value;
    return true;
}

static bool end_fault(matrix_market_scanner *scanner, int64_t k)
{
    if (scanner->status != SPG_OK) return false;
    return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the file ends after %lld of %lld entries", (long long)k,
                               (long long)scanner->result->entries);
}

/* Of a symmetric matrix the format stores the lower triangle with its diagonal or, if skew, without. A lenient scan
 * also accepts zeros on that diagonal. */
static bool triangle_fault(matrix_market_scanner *scanner, int64_t i, int64_t j)
{
    return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "entry (%lld, %lld) is %s", (long long)i, (long long)j,
                               i == j ? "on the diagonal, which a skew-symmetric file leaves out"
                                      : "above the diagonal, but the file must hold the lower triangle");
}

/* Whether the values of the line's entry, before the cursor, are written as zero. */
static bool is_zero_entry(const matrix_market_scanner *scanner)
{
    const matrix_market_scan *result = scanner->result;
    const char *token = scanner->at;
    if (result->field == MATRIX_MARKET_PATTERN) return false;
    for (int part = 0; part < (result->field == MATRIX_MARKET_COMPLEX ? 2 : 1); ++part) {
        while (matrix_market_is_blank(token[-1])) --token;
        while (!matrix_market_is_blank(token[-1])) --token;
        if (!is_zero(token)) return false;
    }
    return true;
}

static bool scan_coordinates(matrix_market_scanner *scanner)
{
    matrix_market_scan *result = scanner->result;
    bool general = result->symmetry == MATRIX_MARKET_GENERAL;
    int64_t below = result->symmetry == MATRIX_MARKET_SKEW_SYMMETRIC ? 1 : 0, diagonal = 0;
    for (int64_t k = 0; k < result->entries; ++k) {
        int64_t i = 0, j = 0;
        if (!matrix_market_skip_to_data(scanner)) return end_fault(scanner, k);
        if (!scan_index(scanner, "row", result->rows, &i)) return false;
        if (!scan_index(scanner, "column", result->cols, &j)) return false;
        if (!general && i - j < below &&
            !matrix_market_lets_pass(scanner, i == j ? "an entry on the diagonal of a skew-symmetric matrix"
                                                     : "an entry above the diagonal"))
            return triangle_fault(scanner, i, j);
        const int64_t noted = result->huge_count; /* and is written as zeros */
        if (!scan_value(scanner, k, i == j)) return false;
        if (below == 1 && i == j && (noted < result->huge_count || !is_zero_entry(scanner)))
            return triangle_fault(scanner, i, j);
        if (!matrix_market_finish_line(scanner)) return false;
        diagonal += i == j;
        if (i > result->largest_row) result->largest_row = i;
        if (j > result->largest_col) result->largest_col = j;
    }
    result->expanded = general ? result->entries : 2 * result->entries - diagonal;
    return true;
}

static bool scan_array(matrix_market_scanner *scanner)
{
    matrix_market_scan *result = scanner->result;
    bool general = result->symmetry == MATRIX_MARKET_GENERAL;
    int64_t k = 0, diagonal = 0;
    for (int64_t j = 0; j < result->cols && k < result->entries; ++j) {
        int64_t first = general ? 0 : result->symmetry == MATRIX_MARKET_SKEW_SYMMETRIC ? j + 1 : j;
        for (int64_t i = first; i < result->rows; ++i, ++k) {
            if (!matrix_market_skip_to_data(scanner)) return end_fault(scanner, k);
            if (!scan_value(scanner, k, i == j) || !matrix_market_finish_line(scanner)) return false;
            diagonal += i == j;
        }
    }
    result->expanded = general ? result->entries : 2 * result->entries - diagonal;
    return true;
}

static bool scan_body(matrix_market_scanner *scanner)
{
    if (!(scanner->result->array ? scan_array(scanner) : scan_coordinates(scanner))) return false;
    if (matrix_market_skip_to_data(scanner))
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "%s after the last of %lld entries",
                                   matrix_market_quote_token(scanner->at).text, (long long)scanner->result->entries);
    return scanner->status == SPG_OK;
}

spg_status matrix_market_scan_text(spg_context *context, const matrix_market_text *text, matrix_market_scan *scan)
{
    memset(scan, 0, sizeof *scan);
    scan->lenient = text->warning != NULL;
    matrix_market_scanner scanner = {.context = context,
                                     .name = text->name,
                                     .at = text->bytes,
                                     .line = text->bytes,
                                     .end = text->bytes + text->size,
                                     .line_number = 1,
                                     .result = scan,
                                     .status = SPG_OK};
    bool valid = matrix_market_scan_header(&scanner);
    scan->body = (size_t)(scanner.at - text->bytes);
    if (valid && scan_body(&scanner)) return SPG_OK;
    matrix_market_end_scan(scan);
    return scanner.status;
}

void matrix_market_end_scan(matrix_market_scan *scan)
{
    free(scan->huge);
    memset(scan, 0, sizeof *scan);
}
