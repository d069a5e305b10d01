#include "json_fields.h"

#include <math.h>

void put_string(FILE *stream, const char *key, const char *value)
{
    fprintf(stream, "\"%s\": \"", key);
    for (const char *c = value; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            fprintf(stream, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            fputc(*c, stream);
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
