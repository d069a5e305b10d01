/* Log lines: what a caller should know, although nothing has failed. */
#include "amg.h"

#include <stdarg.h>
#include <stdio.h>

void spg_amg_log(const spg_context *context, const char *format, ...)
{
    char line[256];
    va_list arguments;
    if (context->config.log == NULL) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    context->config.log(context->config.log_user, line);
}
