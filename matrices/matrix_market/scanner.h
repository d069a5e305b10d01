/* The cursor that scans a Matrix Market text, and its tokens. Private to the scan. */
#ifndef SPG_MATRICES_MATRIX_MARKET_SCANNER_H
#define SPG_MATRICES_MATRIX_MARKET_SCANNER_H

#include "internal.h"

#include <string.h>

/* The longest line of data that the format allows. */
enum { MATRIX_MARKET_LINE = 1024 };

typedef struct matrix_market_scanner {
    spg_context *context;
    const char *name;
    char *at;   /* the next character */
    char *line; /* the beginning of its line */
    char *end;  /* of the text; a newline and zeros follow */
    int64_t line_number;
    matrix_market_scan *result;
    spg_status status; /* of the fault found */
} matrix_market_scanner;

/* Stores the fault, with the file's name and the line. Returns false. */
bool matrix_market_fault(matrix_market_scanner *scanner, spg_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((cold, noinline, format(printf, 3, 4)))
#endif
    ;

/* Whether the scan is lenient; if so, counts this line as one that the format does not allow. */
bool matrix_market_lets_pass(matrix_market_scanner *scanner, const char *what);

/* The token at `token`, as messages show it. */
typedef struct matrix_market_quote {
    char text[48];
} matrix_market_quote;
matrix_market_quote matrix_market_quote_token(const char *token);

/* Skips comments and blank lines up to the first token of the next line of data. False at the end of the text, and at a
 * fault (a NUL byte), which sets the status. */
bool matrix_market_skip_to_data(matrix_market_scanner *scanner);

/* Takes a whole number of any length; beyond int64_t it saturates. False, without taking anything, if the token is not
 * a whole number. */
bool matrix_market_take_integer(matrix_market_scanner *scanner, int64_t *value);

/* Goes to the next line. False, with a fault, if the line has another token or is too long; a lenient scan replaces
 * what follows by blanks, and compacts the tokens of a long line. */
bool matrix_market_finish_line(matrix_market_scanner *scanner);

/* Reads the banner and the size line into scanner->result. */
bool matrix_market_scan_header(matrix_market_scanner *scanner);

static inline bool matrix_market_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Whether a token ends before c. A character that is neither blank nor printable then begins a token of its own, and is
 * refused. */
static inline bool matrix_market_ends_token(char c) { return (unsigned char)c <= ' '; }

static inline char *matrix_market_skip_blanks(char *at)
{
    while (matrix_market_is_blank(*at)) ++at;
    return at;
}

#endif
