/* The banner and the size line, and the reporting of faults (Boisvert, Pozo, Remington: The Matrix Market Exchange
 * Formats: Initial Design, NISTIR 5935). */
#include "scanner.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

bool matrix_market_fault(matrix_market_scanner *scanner, spg_status status, const char *format, ...)
{
    char fault[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault, sizeof fault, format, arguments);
    va_end(arguments);
    scanner->status = spg_context_fail(scanner->context, status, "%s, line %lld: %s",
                                       matrix_market_short_name(scanner->name), (long long)scanner->line_number, fault);
    return false;
}

bool matrix_market_lets_pass(matrix_market_scanner *scanner, const char *what)
{
    matrix_market_scan *result = scanner->result;
    if (!result->lenient) return false;
    if (result->last_odd_line == scanner->line_number) return true;
    result->last_odd_line = scanner->line_number;
    if (result->warning.lines++ == 0)
        snprintf(result->warning.text, sizeof result->warning.text, "%s, line %lld: %s",
                 matrix_market_short_name(scanner->name), (long long)scanner->line_number, what);
    return true;
}

matrix_market_quote matrix_market_quote_token(const char *token)
{
    matrix_market_quote quote = {"a NUL byte"};
    if (*token == '\0') return quote;
    size_t longest = sizeof quote.text - 6, n = 0; /* two quotation marks, three dots, the terminating zero */
    char *to = quote.text;
    *to++ = '\'';
    for (; n < longest && (n == 0 || !matrix_market_ends_token(token[n])); ++n)
        *to++ = token[n] > ' ' && token[n] < 0x7f ? token[n] : '?';
    *to = '\0';
    strcat(to, n == longest && !matrix_market_ends_token(token[n]) ? "...'" : "'");
    return quote;
}

/* Takes a comment line, or what follows a % after blanks. CHOLMOD cuts lines at 1029 characters and recognises comments
 * by their first character, so anything that it would take for data is replaced by blanks. */
static bool take_comment(matrix_market_scanner *scanner)
{
    char *newline = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at + 1));
    if (memchr(scanner->at, '\0', (size_t)(newline - scanner->at)) != NULL)
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "a NUL byte in a comment");
    if (scanner->at != scanner->line || newline - scanner->line > MATRIX_MARKET_LINE)
        memset(scanner->line, ' ', (size_t)(newline - scanner->line));
    scanner->at = newline;
    return true;
}

bool matrix_market_skip_to_data(matrix_market_scanner *scanner)
{
    for (;;) {
        scanner->at = matrix_market_skip_blanks(scanner->line);
        if (*scanner->at == '%' && !take_comment(scanner)) return false;
        if (*scanner->at != '\n') return true;
        if (scanner->at >= scanner->end) break;
        scanner->line = ++scanner->at;
        ++scanner->line_number;
    }
    if (scanner->line == scanner->end && scanner->line_number > 1) --scanner->line_number; /* the last existing line */
    return false;
}

bool matrix_market_take_integer(matrix_market_scanner *scanner, int64_t *value)
{
    const char *p = scanner->at;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    const char *digits = p;
    int64_t magnitude = 0;
    for (; *p >= '0' && *p <= '9'; ++p) {
        int digit = *p - '0';
        magnitude = magnitude > (INT64_MAX - digit) / 10 ? INT64_MAX : 10 * magnitude + digit;
    }
    if (p == digits || !matrix_market_ends_token(*p)) return false;
    *value = negative ? -magnitude : magnitude;
    scanner->at += p - scanner->at;
    return true;
}

/* Moves the tokens from `line` to `end` to the beginning of the line, separated by one blank. */
static void draw_together(char *line, char *end)
{
    char *to = line;
    for (char *from = line; from < end; ++from)
        if (!matrix_market_is_blank(*from) || (to > line && to[-1] != ' ')) {
            const char c = matrix_market_is_blank(*from) ? ' ' : *from;
            *to++ = c;
        }
    memset(to, ' ', (size_t)(end - to));
}

bool matrix_market_finish_line(matrix_market_scanner *scanner)
{
    char *at = matrix_market_skip_blanks(scanner->at);
    if (*at != '\n' && matrix_market_lets_pass(scanner, "more than its entry needs")) {
        char *newline = memchr(at, '\n', (size_t)(scanner->end - at + 1));
        memset(at, ' ', (size_t)(newline - at));
        at = newline;
    }
    if (*at != '\n')
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "%s where the line should end",
                                   matrix_market_quote_token(at).text);
    const long long length = (long long)(at - scanner->line) - (scanner->result->lenient ? MATRIX_MARKET_ROOM : 0);
    if (length > MATRIX_MARKET_LINE) {
        if (!matrix_market_lets_pass(scanner, "a longer line than the format allows"))
            return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "a line of %lld characters; the format allows %d",
                                       length, MATRIX_MARKET_LINE);
        const char *end = at;
        draw_together(scanner->line, at);
        while (end > scanner->line && end[-1] == ' ') --end;
        if (end - scanner->line > MATRIX_MARKET_LINE)
            return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "numbers of %lld characters; a line can have %d",
                                       (long long)(end - scanner->line), MATRIX_MARKET_LINE);
    }
    scanner->at = at < scanner->end ? at + 1 : at;
    scanner->line = scanner->at;
    ++scanner->line_number;
    return true;
}

/* Takes the next word of the banner if it is the given one, ignoring case. */
static bool take_word(matrix_market_scanner *scanner, const char *word)
{
    char *at = matrix_market_skip_blanks(scanner->at);
    for (; *word != '\0'; ++word, ++at)
        if (tolower((unsigned char)*at) != *word) return false;
    if (!matrix_market_ends_token(*at)) return false;
    scanner->at = at;
    return true;
}

/* Takes one of the words; returns its index, or -1 with a fault that says what was expected. */
static int take_choice(matrix_market_scanner *scanner, const char *const *words, int count, const char *expected)
{
    for (int k = 0; k < count; ++k)
        if (take_word(scanner, words[k])) return k;
    char *at = matrix_market_skip_blanks(scanner->at);
    if (*at == '\n')
        matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the banner ends where %s should be", expected);
    else
        matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the banner has %s where %s should be",
                            matrix_market_quote_token(at).text, expected);
    return -1;
}

static bool scan_banner(matrix_market_scanner *scanner)
{
    static const char *const objects[] = {"matrix"}, *const formats[] = {"coordinate", "array"};
    static const char *const fields[] = {"real", "integer", "complex", "pattern", "double", "unsigned-integer"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    matrix_market_scan *result = scanner->result;
    if (scanner->at == scanner->end)
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "an empty file, without the banner %%%%MatrixMarket");
    const bool is_indented = matrix_market_is_blank(*scanner->at);
    if ((is_indented && !matrix_market_lets_pass(scanner, "blanks before the banner")) ||
        (!take_word(scanner, "%%matrixmarket") && !(scanner->result->lenient && take_word(scanner, "%matrixmarket") &&
                                                    matrix_market_lets_pass(scanner, "a banner with one %"))))
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT,
                                   "not a Matrix Market file: it does not begin with "
                                   "%%%%MatrixMarket");
    if (take_choice(scanner, objects, 1, "matrix") < 0) return false;
    int format = take_choice(scanner, formats, 2, "coordinate or array");
    if (format < 0) return false;
    int field = take_choice(scanner, fields, result->lenient ? 6 : 4, "real, integer, complex or pattern");
    if (field < 0) return false;
    if (field > MATRIX_MARKET_PATTERN && matrix_market_lets_pass(scanner, "a field that the format does not have"))
        field -= MATRIX_MARKET_PATTERN + 1;
    int symmetry = take_choice(scanner, symmetries, 4, "general, symmetric, skew-symmetric or hermitian");
    if (symmetry < 0) return false;
    result->array = format == 1;
    result->field = (matrix_market_field)field;
    result->symmetry = (matrix_market_symmetry)symmetry;
    bool impossible = (field == MATRIX_MARKET_PATTERN && result->array) ||
                      (field == MATRIX_MARKET_PATTERN && symmetry == MATRIX_MARKET_SKEW_SYMMETRIC) ||
                      (field != MATRIX_MARKET_COMPLEX && symmetry == MATRIX_MARKET_HERMITIAN);
    const bool has_sense = field != MATRIX_MARKET_PATTERN || !result->array;
    if (impossible && has_sense && matrix_market_lets_pass(scanner, "a kind of matrix that the format does not have")) {
        if (symmetry == MATRIX_MARKET_HERMITIAN) result->symmetry = MATRIX_MARKET_SYMMETRIC;
        impossible = false;
    }
    if (impossible)
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the format has no %s %s %s matrices", formats[format],
                                   fields[field], symmetries[symmetry]);
    return matrix_market_finish_line(scanner);
}

/* Takes one number of the size line, at most `most`. */
static bool take_size(matrix_market_scanner *scanner, const char *what, int64_t most, int64_t *size)
{
    scanner->at = matrix_market_skip_blanks(scanner->at);
    if (*scanner->at == '\n')
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the size line lacks the number of %s", what);
    matrix_market_quote token = matrix_market_quote_token(scanner->at);
    if (!matrix_market_take_integer(scanner, size))
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the number of %s, %s, is not a whole number", what,
                                   token.text);
    if (*size < 0)
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the number of %s, %s, is negative", what, token.text);
    if (*size > most)
        return matrix_market_fault(scanner, SPG_ERROR_OVERFLOW, "the number of %s, %s, is past %lld", what, token.text,
                                   (long long)most);
    return true;
}

/* The number of entries in an array file. */
static int64_t array_entries(const matrix_market_scan *scan)
{
    switch (scan->symmetry) {
    case MATRIX_MARKET_SYMMETRIC:
    case MATRIX_MARKET_HERMITIAN: return scan->rows * (scan->rows + 1) / 2;
    case MATRIX_MARKET_SKEW_SYMMETRIC: return scan->rows * (scan->rows - 1) / 2;
    default: return scan->rows * scan->cols;
    }
}

static bool scan_sizes(matrix_market_scanner *scanner)
{
    matrix_market_scan *result = scanner->result;
    if (!matrix_market_skip_to_data(scanner)) {
        if (scanner->status != SPG_OK) return false;
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "the file ends before its size line");
    }
    if (!take_size(scanner, "rows", INT32_MAX, &result->rows)) return false;
    if (!take_size(scanner, "columns", INT32_MAX, &result->cols)) return false;
    bool general = result->symmetry == MATRIX_MARKET_GENERAL;
    if (!general && result->rows != result->cols)
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "%lld x %lld is not square, and so has no symmetry",
                                   (long long)result->rows, (long long)result->cols);
    if (result->array)
        result->entries = array_entries(result);
    else if (!take_size(scanner, "entries", general ? INT64_MAX - 1 : INT64_MAX / 2, &result->entries))
        return false;
    if (result->entries > 0 && (result->rows == 0 || result->cols == 0))
        return matrix_market_fault(scanner, SPG_ERROR_FORMAT, "%lld entries in a matrix of %lld x %lld",
                                   (long long)result->entries, (long long)result->rows, (long long)result->cols);
    return matrix_market_finish_line(scanner);
}

bool matrix_market_scan_header(matrix_market_scanner *scanner) { return scan_banner(scanner) && scan_sizes(scanner); }
