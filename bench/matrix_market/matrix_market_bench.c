/* How long a Matrix Market file takes to read: its bytes, the scan that judges them, and the whole.
 *
 *     matrix_market_bench [--lenient] [--json FILE] MATRIX.mtx
 *
 * Times are medians of some repetitions; the lines are those that `wc -l` counts, found in the loaded text. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* clock_gettime */
#endif
#include "matrix_market/internal.h"
#include "parse.h"
#include "program.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPETITIONS = 5 };

/* Seconds of each stage by repetition, and what was read. */
typedef struct record {
    const char *path;
    bool lenient;
    int64_t bytes, lines, rows, cols, entries, nnz;
    double load[REPETITIONS], count[REPETITIONS], scan[REPETITIONS], read[REPETITIONS];
} record;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int64_t count_lines(const char *text, size_t size)
{
    int64_t lines = 0;
    const char *end = text + size;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; ++at) ++lines;
    return lines;
}

static spg_status time_stages(spg_context *context, int repetition, record *times)
{
    matrix_market_text text;
    double begin = seconds_now();
    spg_status status = matrix_market_load(context, times->path, &text);
    double loaded = seconds_now();
    if (status != SPG_OK) return status;
    times->bytes = (int64_t)text.size;
    times->lines = count_lines(text.bytes, text.size);
    double counted = seconds_now();
    matrix_market_scan scan;
    spg_matrix_market_warning warning;
    if (times->lenient) {
        text.warning = &warning;
        status = matrix_market_widen(context, &text);
    }
    if (status == SPG_OK) status = matrix_market_scan_text(context, &text, &scan);
    times->scan[repetition] = seconds_now() - counted;
    times->load[repetition] = loaded - begin;
    times->count[repetition] = counted - loaded;
    matrix_market_unload(&text);
    if (status != SPG_OK) return status;
    times->rows = scan.rows;
    times->cols = scan.cols;
    times->entries = scan.expanded;
    matrix_market_end_scan(&scan);
    return SPG_OK;
}

/* Sound, of the declared size, and with no more entries than the file has; fewer where it repeats places. */
static spg_status verify(spg_context *context, const spg_csr *matrix, const record *times)
{
    if (matrix->rows != times->rows || matrix->cols != times->cols || matrix->nnz > times->entries)
        return spg_context_fail(context, SPG_ERROR_INTERNAL, "%s: read as %lld x %lld with %lld entries", times->path,
                                (long long)matrix->rows, (long long)matrix->cols, (long long)matrix->nnz);
    return spg_csr_check(context, matrix);
}

static spg_status time_read(spg_context *context, int repetition, record *times)
{
    spg_csr matrix;
    spg_matrix_market_warning warning = {0};
    double begin = seconds_now();
    spg_status status = times->lenient ? spg_read_matrix_market_lenient(context, times->path, &matrix, &warning)
                                       : spg_read_matrix_market(context, times->path, &matrix);
    times->read[repetition] = seconds_now() - begin;
    if (status != SPG_OK) return status;
    if (repetition == 0 && warning.lines > 0) fprintf(stderr, "%s\n", warning.text);
    times->nnz = matrix.nnz;
    status = verify(context, &matrix, times);
    spg_csr_free(context, &matrix);
    return status;
}

static spg_status measure(spg_context *context, record *times)
{
    spg_status status = SPG_OK;
    for (int k = 0; k < REPETITIONS && status == SPG_OK; ++k) {
        status = time_stages(context, k, times);
        if (status == SPG_OK) status = time_read(context, k, times);
    }
    return status;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *seconds)
{
    qsort(seconds, REPETITIONS, sizeof *seconds, ascending);
    return seconds[REPETITIONS / 2];
}

static void print(const record *times, const char *stage, double seconds)
{
    printf("%-26s %8.3f s %8.0f MB/s\n", stage, seconds, (double)times->bytes / seconds / 1e6);
}

static void put_json(FILE *stream, const record *times, const double seconds[4])
{
    fprintf(stream, "{\"file\": \"");
    for (const char *c = times->path; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            fprintf(stream, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            fputc(*c, stream);
    }
    fprintf(stream,
            "\", \"bytes\": %lld, \"lines\": %lld, \"rows\": %lld, \"cols\": %lld, \"nnz\": %lld, \"load_s\": %.6g, "
            "\"count_lines_s\": %.6g, \"scan_s\": %.6g, \"read_s\": %.6g, \"reps\": %d, \"verified\": true}\n",
            (long long)times->bytes, (long long)times->lines, (long long)times->rows, (long long)times->cols,
            (long long)times->nnz, seconds[0], seconds[1], seconds[2], seconds[3], REPETITIONS);
}

static int report(record *times, const char *json)
{
    const double seconds[] = {median(times->load), median(times->count), median(times->scan), median(times->read)};
    printf("%s: %lld x %lld, %lld entries; %.1f MB, %lld lines\n", times->path, (long long)times->rows,
           (long long)times->cols, (long long)times->nnz, (double)times->bytes / 1e6, (long long)times->lines);
    print(times, "its bytes, into memory", seconds[0]);
    print(times, "its lines counted", seconds[1]);
    print(times, "scanned for faults", seconds[2]);
    print(times, "read as CSR, all in all", seconds[3]);
    if (json == NULL) return exit_status(true);
    FILE *stream = fopen(json, "w");
    if (stream != NULL) put_json(stream, times, seconds);
    if (stream == NULL) complain("%s: cannot be opened for writing", json);
    return exit_status(stream != NULL && close_record(stream, json));
}

static const char *const help = "Usage: matrix_market_bench [OPTION]... MATRIX.mtx\n"
                                "Times reading a Matrix Market file, which may be packed by gzip, on the host:\n"
                                "its bytes, the scan that judges them, and the whole.\n"
                                "\n"
                                "  --lenient              takes files that other readers take and the format\n"
                                "                         does not allow, and tells the first such line\n"
                                "  --json FILE            appends a JSON object to FILE (\"-\": standard output,\n"
                                "                         and what is printed goes to standard error)\n"
                                "  -h, --help\n"
                                "  -V, --version\n"
                                "\n"
                                "Exits with 1 if the file cannot be read or a record cannot be written, and with\n"
                                "2 for wrong options.\n";

typedef enum parsed { PARSED_RUN, PARSED_DONE, PARSED_ERROR } parsed;

/* Takes the command line. */
static parsed parse(int argc, char **argv, record *times, const char **json)
{
    static const struct option known[] = {{"json", required_argument, NULL, 'j'},
                                          {"lenient", no_argument, NULL, 'l'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'V'},
                                          {NULL, 0, NULL, 0}};
    bool valid = true;
    parse_begin("matrix_market_bench");
    for (int option; valid && (option = getopt_long(argc, argv, "hV", known, NULL)) != -1;) {
        switch (option) {
        case 'j': *json = optarg; break;
        case 'l': times->lenient = true; break;
        case 'h': fputs(help, stdout); return PARSED_DONE;
        case 'V': print_version("matrix_market_bench"); return PARSED_DONE;
        default: valid = false;
        }
    }
    if (valid && optind == argc) valid = complain("no file given");
    if (valid && optind < argc - 1) valid = complain("more than one file given: '%s'", argv[optind + 1]);
    if (!valid) fputs("Try 'matrix_market_bench --help'.\n", stderr);
    times->path = argv[optind];
    return valid ? PARSED_RUN : PARSED_ERROR;
}

int main(int argc, char **argv)
{
    static record times;
    const char *json = NULL;
    const parsed command = parse(argc, argv, &times, &json);
    if (command != PARSED_RUN) return command == PARSED_DONE ? exit_status(true) : 2;
    spg_context *context = NULL;
    if (open_context(SPG_PLACE_HOST, 0, &context) != SPG_OK) return EXIT_FAILURE;
    spg_status status = measure(context, &times);
    int code = status == SPG_OK ? report(&times, json) : EXIT_FAILURE;
    if (status != SPG_OK) fprintf(stderr, "%s\n", spg_context_message(context));
    spg_context_destroy(context);
    return code;
}
