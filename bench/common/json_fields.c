#include "json_fields.h"

#include <math.h>

/* The bytes of the character at c in UTF-8, which begins with a byte of 0x80 or more; 0 if it is none, as in a name of
 * another encoding, or one that was cut off. */
static int bytes_of_character(const unsigned char *c)
{
    const int bytes = *c >= 0xc2 && *c < 0xe0 ? 2 : *c >= 0xe0 && *c < 0xf0 ? 3 : *c >= 0xf0 && *c < 0xf5 ? 4 : 0;
    for (int k = 1; k < bytes; k++)
        if ((c[k] & 0xc0) != 0x80) return 0;
    if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f)) return 0;
    return (*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] > 0x8f) ? 0 : bytes;
}

void put_string(FILE *stream, const char *key, const char *value)
{
    fprintf(stream, "\"%s\": \"", key);
    for (const unsigned char *c = (const unsigned char *)value; *c != '\0'; c++) {
        const int bytes = *c < 0x80 ? 1 : bytes_of_character(c);
        if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(stream, "\\u%04x", (unsigned)*c);
        else if (bytes == 0)
            fputs("\\ufffd", stream);
        else
            fwrite(c, 1, (size_t)bytes, stream);
        c += bytes > 1 ? bytes - 1 : 0;
    }
    fputs("\", ", stream);
}

void put_integer(FILE *stream, const char *key, int64_t value)
{
    fprintf(stream, "\"%s\": %lld, ", key, (long long)value);
}

void put_number(FILE *stream, const char *key, bool known, double value)
{
    if (known && isfinite(value))
        fprintf(stream, "\"%s\": %.6g, ", key, value);
    else
        fprintf(stream, "\"%s\": null, ", key);
}
