/* Loads a file into memory. It is read only once, so that the scanned bytes are the converted ones, even if the file
 * changes or is a pipe. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* fstat, strerror_r */
#endif
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *matrix_market_short_name(const char *path)
{
    enum { LONGEST = 256 };
    size_t length = strlen(path);
    return length > LONGEST ? path + length - LONGEST : path;
}

spg_status matrix_market_system_error(spg_context *context, const char *path, const char *what, int error)
{
    char reason[128] = "";
    if (strerror_r(error, reason, sizeof reason) != 0) reason[0] = '\0';
    return spg_context_fail(context, error == ENOMEM ? SPG_ERROR_MEMORY : SPG_ERROR_IO, "%s: %s: %s",
                            matrix_market_short_name(path), what, reason);
}

static spg_status no_memory(spg_context *context, const char *path, size_t bytes)
{
    return spg_context_fail(context, SPG_ERROR_MEMORY, "%s: no memory for its text, %zu bytes",
                            matrix_market_short_name(path), bytes);
}

/* Fills the text up to its end, growing it as needed. */
static spg_status read_all(spg_context *context, int file, size_t capacity, matrix_market_text *text)
{
    for (;;) {
        if (text->size == capacity) {
            size_t larger = 2 * capacity;
            char *bytes = larger < SSIZE_MAX ? realloc(text->bytes, larger + MATRIX_MARKET_PADDING) : NULL;
            if (bytes == NULL) return no_memory(context, text->name, larger);
            text->bytes = bytes;
            capacity = larger;
        }
        ssize_t got = read(file, text->bytes + text->size, capacity - text->size);
        if (got == 0) return SPG_OK;
        if (got > 0)
            text->size += (size_t)got;
        else if (errno != EINTR)
            return matrix_market_system_error(context, text->name, "cannot be read", errno);
    }
}

static spg_status load_open_file(spg_context *context, int file, matrix_market_text *text)
{
    enum { LEAST = 1 << 16 };
    struct stat about;
    if (fstat(file, &about) != 0) return matrix_market_system_error(context, text->name, "cannot be read", errno);
    if (S_ISDIR(about.st_mode)) return matrix_market_system_error(context, text->name, "cannot be read", EISDIR);
    /* One byte more than the file has, so that its end is found without growing. */
    size_t capacity = S_ISREG(about.st_mode) && about.st_size >= LEAST ? (size_t)about.st_size + 1 : LEAST;
    text->bytes = malloc(capacity + MATRIX_MARKET_PADDING);
    if (text->bytes == NULL) return no_memory(context, text->name, capacity);
    spg_status status = read_all(context, file, capacity, text);
    if (status != SPG_OK) return status;
    memset(text->bytes + text->size, 0, MATRIX_MARKET_PADDING);
    text->bytes[text->size] = '\n';
    return SPG_OK;
}

spg_status matrix_market_load(spg_context *context, const char *path, matrix_market_text *text)
{
    *text = (matrix_market_text){path, NULL, 0, NULL};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return matrix_market_system_error(context, path, "cannot be opened", errno);
    spg_status status = load_open_file(context, file, text);
    close(file);
    if (status == SPG_OK && matrix_market_is_packed(text)) status = matrix_market_unpack(context, text);
    if (status != SPG_OK) matrix_market_unload(text);
    return status;
}

spg_status matrix_market_widen(spg_context *context, matrix_market_text *text)
{
    size_t lines = 1;
    for (size_t k = 0; k < text->size; ++k) lines += text->bytes[k] == '\n';
    char *bytes = malloc(text->size + lines * MATRIX_MARKET_ROOM + MATRIX_MARKET_PADDING), *to = bytes;
    if (bytes == NULL) return no_memory(context, text->name, text->size);
    for (size_t k = 0; k <= text->size; ++k) { /* and the newline after the text, unless it ends an empty line */
        const bool ends_line = text->bytes[k] == '\n' && (k < text->size || (k > 0 && text->bytes[k - 1] != '\n'));
        if (ends_line) memset(to, ' ', MATRIX_MARKET_ROOM), to += MATRIX_MARKET_ROOM;
        *to++ = text->bytes[k];
    }
    memset(to, 0, MATRIX_MARKET_PADDING - 1);
    free(text->bytes);
    text->bytes = bytes;
    text->size = (size_t)(to - bytes) - 1;
    return SPG_OK;
}

void matrix_market_unload(matrix_market_text *text)
{
    free(text->bytes);
    *text = (matrix_market_text){NULL, NULL, 0, NULL};
}
