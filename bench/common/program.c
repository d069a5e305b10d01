#define _POSIX_C_SOURCE 200809L
#include "program.h"

#include "parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct last_message {
    char text[256];
} last_message;

/* A context that cannot be made tells its log why. */
static void keep_message(void *user, const char *message)
{
    last_message *last = user;
    snprintf(last->text, sizeof last->text, "%s", message);
}

spg_status open_context(spg_place place, int threads, spg_context **context)
{
    spg_config config = spg_config_default();
    config.place = place;
    config.threads = threads;
    spg_status status = spg_context_create(&config, context);
    if (status == SPG_OK) return status;
    last_message last = {"the reason is gone"};
    config.log = keep_message; /* not before: `last` does not live as long as a context */
    config.log_user = &last;
    spg_context *again = NULL;
    status = spg_context_create(&config, &again);
    spg_context_destroy(again);
    complain("no context at this place: %s: %s", spg_status_name(status), last.text);
    return status != SPG_OK ? status : SPG_ERROR_PLACE;
}

bool open_record(const char *path, FILE **record)
{
    *record = NULL;
    if (path == NULL) return true;
    if (strcmp(path, "-") != 0) {
        *record = fopen(path, "a");
    } else {
        const int output = dup(STDOUT_FILENO);
        fflush(stdout);
        if (output >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) *record = fdopen(output, "a");
    }
    return *record != NULL || complain("%s: cannot be opened for writing: %s", path, strerror(errno));
}

void print_version(const char *program) { printf("%s %s\n", program, spg_version()); }

bool close_record(FILE *record, const char *path)
{
    if (record == NULL) return true;
    const bool is_whole = ferror(record) == 0;
    return (fclose(record) == 0 && is_whole) || complain("%s: not all of the record could be written", path);
}

int exit_status(bool is_right)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("not all output could be written: %s", errno != 0 ? strerror(errno) : "standard output failed");
        is_right = false;
    }
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
