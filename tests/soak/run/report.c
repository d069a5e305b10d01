/* See report.h. */
#include "report.h"

#include "host_matrix.h"
#include "json_fields.h"
#include "spg/io.h"
#include "spg/spg.h"
#include "supervise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t begun_us, told_us;

static int64_t all_cases(void)
{
    int64_t all = 0;
    for (int k = 0; k < soak_family_count; k++) all += atomic_load(&soak_common->cases[k]);
    return all;
}

void soak_report_begin(const soak_options *options)
{
    begun_us = told_us = soak_now_us();
    printf("spg_soak: place %s, seed %llu\n", soak_place_name(&options->run), (unsigned long long)options->seed);
    fflush(stdout);
}

void soak_report_progress(void)
{
    const int64_t now = soak_now_us();
    if (now - told_us < 5000000) return;
    told_us = now;
    printf("%6.0f s  %lld cases\n", (double)(now - begun_us) * 1e-6, (long long)all_cases());
    fflush(stdout);
}

/* ---- Faults ----------------------------------------------------------------------------------------------------- */

static FILE *open_json(const soak_options *options)
{
    if (options->json == NULL) return NULL;
    FILE *stream = fopen(options->json, "a");
    if (stream == NULL) fprintf(stderr, "spg_soak: %s cannot be opened\n", options->json);
    return stream;
}

static void put_fault(FILE *stream, const soak_options *options, const soak_case *c)
{
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)c->seed);
    fputc('{', stream);
    put_string(stream, "soak", "fault");
    put_string(stream, "place", soak_place_name(&options->run));
    put_string(stream, "family", soak_families[c->family].name);
    put_string(stream, "seed", seed);
    put_string(stream, "fault", soak_common->fault);
    fprintf(stream, "\"case\": %lld}\n", (long long)c->number);
}

void soak_report_fault(const soak_options *options, const soak_case *c)
{
    FILE *stream = open_json(options);
    const char *family = soak_families[c->family].name;
    printf("\nFAULT in %s, case %lld of seed %llu\n  %s\nRepeat it alone by\n", family, (long long)c->number,
           (unsigned long long)c->seed, soak_common->fault);
    printf("  spg_soak --place %s --only %s --seed %llu --case %lld\n", soak_place_name(&options->run), family,
           (unsigned long long)c->seed, (long long)c->number);
    fflush(stdout);
    if (stream == NULL) return;
    put_fault(stream, options, c);
    fclose(stream);
}

static void print_settings(const soak_settings *s)
{
    static const char *const numbers[] = {"whole", "real", "special"};
    printf("Settings: %s values, %s numbers, %d threads", spg_type_name(s->value_type), numbers[s->numbers],
           s->threads);
    if (s->row_limits.thread != -1)
        printf(", row limits %lld %lld %lld", (long long)s->row_limits.thread, (long long)s->row_limits.warp,
               (long long)s->row_limits.cta);
    if (s->workspace_limit > 0) printf(", workspace limit %lld", (long long)s->workspace_limit);
    if (s->timing) printf(", timing");
    if (s->by_setters) printf(", limits by setters");
    if (s->caller_allocates) printf(", the caller's allocator");
    if (s->fail_at > 0) printf(", allocation %lld refused first", (long long)s->fail_at);
    if (s->damage.kind != SOAK_SOUND) printf(", damage %d of matrix %d", (int)s->damage.kind, s->damage.matrix);
    puts("");
}

/* Matrix Market has no infinities: they and NaNs are written as 0. */
static int64_t make_finite(spg_csr *m)
{
    const bool narrow = m->value_type == SPG_F32 || m->value_type == SPG_C32;
    const int64_t parts = m->value_type == SPG_C32 || m->value_type == SPG_C64 ? 2 * m->nnz : m->nnz;
    int64_t changed = 0;
    for (int64_t k = 0; k < parts; k++) {
        const double value = narrow ? (double)((float *)m->values)[k] : ((double *)m->values)[k];
        if (isfinite(value)) continue;
        if (narrow)
            ((float *)m->values)[k] = 0;
        else
            ((double *)m->values)[k] = 0;
        changed++;
    }
    return changed;
}

static bool write_matrix(spg_context *context, const soak_options *options, const soak_case *c, int k)
{
    char path[1024];
    spg_csr matrix = soak_matrix_copy(&c->matrices[k]);
    const int64_t changed = make_finite(&matrix);
    snprintf(path, sizeof path, "%s/soak-%s-%llu-%lld-%s.mtx", options->folder, soak_families[c->family].name,
             (unsigned long long)c->seed, (long long)c->number, c->names[k]);
    const spg_status status = spg_write_matrix_market(context, path, &matrix);
    printf("  %s = %s, %lld x %lld, %lld entries, %s offsets%s\n", c->names[k], path, (long long)matrix.rows,
           (long long)matrix.cols, (long long)matrix.nnz, spg_type_name(matrix.offset_type),
           changed > 0 ? "; infinities and NaNs are written as 0" : "");
    if (status != SPG_OK) printf("  not written: %s\n", spg_context_message(context));
    soak_matrix_free(&matrix);
    return status == SPG_OK;
}

static int write_matrices(const soak_options *options, void *what)
{
    const soak_case *c = what;
    spg_config config = spg_config_default();
    spg_context *context = NULL;
    bool written = true;
    config.place = SPG_PLACE_HOST;
    config.threads = 1;
    if (spg_context_create(&config, &context) != SPG_OK) return 1;
    for (int k = 0; k < c->count; k++) written = write_matrix(context, options, c, k) && written;
    spg_context_destroy(context);
    return written ? 0 : 1;
}

void soak_report_shrunk(const soak_options *options, const soak_case *c, int times)
{
    if (times > 0)
        printf("Made smaller %d times; then\n  %s\n", times, soak_common->fault);
    else
        printf("Not made smaller\n");
    print_settings(&c->settings);
    soak_in_process(options, write_matrices, (void *)(uintptr_t)c, NULL);
    fflush(stdout);
}

/* ---- The end ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *group, *name;
} traits[] = {
#define X(constant, group, name) {group, name},
    SOAK_TRAITS(X)
#undef X
};

static void print_families(const soak_options *options)
{
    printf("\n%-14s%10s%10s%10s%14s\n", "family", "cases", "seconds", "cases/s", "longest");
    for (int k = 0; k < soak_family_count; k++) {
        if (!options->chosen[k]) continue;
        const double seconds = (double)atomic_load(&soak_common->spent_us[k]) * 1e-6;
        const int64_t cases = atomic_load(&soak_common->cases[k]);
        printf("%-14s%10lld%10.1f%10.1f%12.1f s, case %lld\n", soak_families[k].name, (long long)cases, seconds,
               seconds > 0 ? (double)cases / seconds : 0.0, (double)atomic_load(&soak_common->longest_us[k]) * 1e-6,
               (long long)atomic_load(&soak_common->longest[k]));
    }
}

/* A group a paragraph, 80 columns. */
static void print_traits(void)
{
    puts("\nof them with (rows, size, order and offsets: matrices; outcome: calls)");
    int width = 0;
    for (int k = 0; k < SOAK_TRAIT_COUNT; k++) {
        const bool first = k == 0 || strcmp(traits[k].group, traits[k - 1].group) != 0;
        char item[80];
        const int length =
            snprintf(item, sizeof item, " %s %lld,", traits[k].name, (long long)atomic_load(&soak_common->traits[k]));
        if (first || width + length > 79) {
            printf("%s%-10s", k > 0 ? "\n" : "", first ? traits[k].group : "");
            width = 10;
        }
        const bool last = k + 1 == SOAK_TRAIT_COUNT || strcmp(traits[k].group, traits[k + 1].group) != 0;
        printf("%.*s", last ? length - 1 : length, item);
        width += length;
    }
    puts("");
}

static void put_end(FILE *stream, const soak_options *options)
{
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
    for (int k = 0; k < soak_family_count; k++) {
        if (!options->chosen[k]) continue;
        fputc('{', stream);
        put_string(stream, "soak", "family");
        put_string(stream, "place", soak_place_name(&options->run));
        put_string(stream, "seed", seed);
        put_string(stream, "family", soak_families[k].name);
        put_number(stream, "seconds", true, (double)atomic_load(&soak_common->spent_us[k]) * 1e-6);
        fprintf(stream, "\"cases\": %lld}\n", (long long)atomic_load(&soak_common->cases[k]));
    }
    for (int k = 0; k < SOAK_TRAIT_COUNT; k++) {
        fputc('{', stream);
        put_string(stream, "soak", "kind");
        put_string(stream, "place", soak_place_name(&options->run));
        put_string(stream, "seed", seed);
        put_string(stream, "group", traits[k].group);
        put_string(stream, "kind", traits[k].name);
        fprintf(stream, "\"cases\": %lld}\n", (long long)atomic_load(&soak_common->traits[k]));
    }
}

bool soak_report_end(const soak_options *options, int faults)
{
    print_families(options);
    print_traits();
    printf("\n%lld cases in %.0f s, %d faults\n", (long long)all_cases(), (double)(soak_now_us() - begun_us) * 1e-6,
           faults);
    fflush(stdout);
    if (options->json == NULL) return true;
    FILE *stream = open_json(options);
    if (stream == NULL) return false;
    put_end(stream, options);
    const bool written = !ferror(stream);
    return fclose(stream) == 0 && written;
}
