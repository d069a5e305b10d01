/* Unpacks a text packed by gzip: one part, or several one after another, as `cat a.gz b.gz` makes them. zlib checks
 * length and sum of each part. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

bool matrix_market_is_packed(const matrix_market_text *text)
{
    return text->size >= 2 && (unsigned char)text->bytes[0] == 0x1f && (unsigned char)text->bytes[1] == 0x8b;
}

static spg_status no_memory(spg_context *context, const char *name, size_t bytes)
{
    return spg_context_fail(context, SPG_ERROR_MEMORY, "%s: no memory for its unpacked text, %zu bytes",
                            matrix_market_short_name(name), bytes);
}

/* Room for more of the text. What zlib counts, it counts in 32 bits. */
static spg_status make_room(spg_context *context, matrix_market_text *text, size_t *capacity, z_stream *stream)
{
    enum { MOST = 1 << 30 };
    if (text->size == *capacity) {
        const size_t larger = 2 * *capacity;
        char *bytes = larger < PTRDIFF_MAX ? realloc(text->bytes, larger + MATRIX_MARKET_PADDING) : NULL;
        if (bytes == NULL) return no_memory(context, text->name, larger);
        text->bytes = bytes;
        *capacity = larger;
    }
    const size_t room = *capacity - text->size;
    stream->next_out = (Bytef *)text->bytes + text->size;
    stream->avail_out = room < MOST ? (uInt)room : (uInt)MOST;
    return SPG_OK;
}

/* Hands zlib as much of the packed bytes as it can count. */
static void give(z_stream *stream, const matrix_market_text *packed, size_t at)
{
    enum { MOST = 1 << 30 };
    const size_t left = packed->size - at;
    stream->next_in = (Bytef *)packed->bytes + at;
    stream->avail_in = left < MOST ? (uInt)left : (uInt)MOST;
}

static spg_status damaged(spg_context *context, const matrix_market_text *packed, size_t at, const char *what)
{
    return spg_context_fail(context, SPG_ERROR_FORMAT, "%s: its gzip data are %s, byte %zu of %zu",
                            matrix_market_short_name(packed->name), what, at, packed->size);
}

/* Whether nothing but zeros follows, with which tapes and disks fill blocks. */
static bool only_zeros_follow(const matrix_market_text *packed, size_t at)
{
    while (at < packed->size && packed->bytes[at] == 0) ++at;
    return at == packed->size;
}

/* Unpacks all parts. */
static spg_status inflate_parts(spg_context *context, const matrix_market_text *packed, matrix_market_text *text,
                                size_t capacity, z_stream *stream)
{
    size_t at = 0;
    for (;;) {
        spg_status status = make_room(context, text, &capacity, stream);
        if (status != SPG_OK) return status;
        give(stream, packed, at);
        const int result = inflate(stream, Z_NO_FLUSH);
        at = (size_t)((char *)stream->next_in - packed->bytes);
        text->size = (size_t)((char *)stream->next_out - text->bytes);
        if (result == Z_MEM_ERROR) return no_memory(context, packed->name, capacity);
        if (result == Z_BUF_ERROR || (result == Z_OK && at == packed->size && stream->avail_out > 0))
            return damaged(context, packed, at, "incomplete");
        if (result != Z_OK && result != Z_STREAM_END) return damaged(context, packed, at, "damaged");
        if (result == Z_STREAM_END) {
            if (only_zeros_follow(packed, at)) return SPG_OK;
            if (packed->bytes[at] != packed->bytes[0])
                return damaged(context, packed, at, "followed by something else");
            inflateReset(stream);
        }
    }
}

spg_status matrix_market_unpack(spg_context *context, matrix_market_text *text)
{
    enum { GZIP = 15 + 16, LEAST = 1 << 12, USUAL_RATIO = 4 };
    const matrix_market_text packed = *text;
    const size_t capacity = packed.size < SIZE_MAX / 16 ? USUAL_RATIO * packed.size + LEAST : packed.size;
    text->size = 0;
    text->bytes = malloc(capacity + MATRIX_MARKET_PADDING);
    z_stream stream = {0};
    spg_status status = SPG_OK;
    if (text->bytes == NULL || inflateInit2(&stream, GZIP) != Z_OK)
        status = no_memory(context, packed.name, capacity);
    else
        status = inflate_parts(context, &packed, text, capacity, &stream);
    inflateEnd(&stream);
    free(packed.bytes);
    if (status != SPG_OK) return status;
    memset(text->bytes + text->size, 0, MATRIX_MARKET_PADDING);
    text->bytes[text->size] = '\n';
    return SPG_OK;
}
