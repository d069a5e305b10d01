/* See sampling_lda.h and sampling_modes.h: the z-step of latent Dirichlet allocation. */
#include "sampling_lda.h"

#include "format.h"
#include "json_fields.h"
#include "progress.h"
#include "sampling_arrays.h"
#include "sampling_device.h"

#include <math.h>
#include <string.h>

/* Products that a test of draws computes at most: of the words, every so many are tested. */
static const int64_t most_products = INT64_C(400000000);
enum { LONGEST_CHECK = 307 }; /* sums that are redone */

typedef struct z_step {
    sampling_bench *bench;
    spg_lda lda;
    spg_butterfly_method method;
    spg_random random;
    int32_t *topics;
} z_step;

static spg_status draw(void *state)
{
    const z_step *step = state;
    return spg_lda_draw(step->bench->context, &step->lda, step->method, &step->random, step->topics);
}

static spg_status read_rows(void *state)
{
    const z_step *step = state;
    float *sums = NULL;
    memcpy(&sums, &step->topics, sizeof sums); /* as wide as topics */
    return device_read_rows(step->bench->context, &step->lda, sums);
}

double z_step_limit_ms(const sampling_bench *bench, const corpus *of, int32_t topics)
{
    const double row = (double)topics * (double)spg_type_size(of->host.type);
    const double bytes = (double)of->host.words_total * (row + 8.0) + (double)of->host.documents * (row + 8.0);
    return bench->here.bandwidth > 0.0 ? bytes / bench->here.bandwidth * 1e3 : 0.0;
}

/* With `topics` topics, of the first numbers of the corpus's parameters. */
static spg_lda with_topics(const spg_lda *lda, int32_t topics)
{
    spg_lda fewer = *lda;
    fewer.topics = topics;
    return fewer;
}

static spg_status verify(sampling_bench *bench, const corpus *of, int32_t topics, sampling_verdict *verdict)
{
    const spg_lda lda = with_topics(&of->host, topics);
    const spg_status status =
        array_get(bench->context, of->fetched, of->topics, lda.words_total * (int64_t)sizeof *of->fetched);
    if (status != SPG_OK) return status;
    return verify_topics(bench->context, &lda, of->fetched, 1 + lda.words_total * topics / most_products,
                         bench->chosen->seed, verdict);
}

/* The first words' sums beside sums made here. */
static spg_status verify_reads(sampling_bench *bench, const corpus *of, int32_t topics, sampling_verdict *verdict)
{
    float sums[LONGEST_CHECK];
    const spg_lda lda = with_topics(&of->host, topics);
    *verdict = (sampling_verdict){.right = true};
    const int64_t count = lda.word_offsets[1] < LONGEST_CHECK ? lda.word_offsets[1] : LONGEST_CHECK;
    const spg_status status = array_get(bench->context, sums, of->topics, count * (int64_t)sizeof *sums);
    for (int64_t w = 0; status == SPG_OK && w < count; w++) {
        double sum = 0.0;
        for (int64_t k = 0; k < topics; k++) {
            const int64_t phi = (int64_t)lda.words[w] * topics + k;
            sum += lda.type == SPG_F32 ? (double)((const float *)lda.theta)[k] * (double)((const float *)lda.phi)[phi]
                                       : ((const double *)lda.theta)[k] * ((const double *)lda.phi)[phi];
        }
        verdict->right = verdict->right && fabs((double)sums[w] - sum) <= 1e-4 * sum;
    }
    if (!verdict->right) snprintf(verdict->fault, sizeof verdict->fault, "wrong sums");
    return status;
}

static void put_record(sampling_bench *bench, const corpus *of, int32_t topics, const char *paper, const char *name,
                       const sampling_times *times, const sampling_verdict *verdict)
{
    FILE *stream = bench->json;
    if (stream == NULL) return;
    fputc('{', stream);
    if (paper != NULL) put_string(stream, "paper", paper);
    put_string(stream, "weights", "lda");
    put_string(stream, "phase", "draw");
    put_string(stream, "implementation", name);
    put_machine(stream, bench, bench->chosen->threads);
    put_string(stream, "type", spg_type_name(of->host.type));
    put_integer(stream, "topics", topics);
    put_integer(stream, "documents", of->host.documents);
    put_integer(stream, "draws", of->host.words_total);
    put_times(stream, bench, verdict->right, times, z_step_limit_ms(bench, of, topics));
    put_verdict(stream, verdict->right, verdict);
    fflush(stream);
}

static void tell(const sampling_bench *bench, const corpus *of, int32_t topics, const char *name,
                 const sampling_times *times, const sampling_verdict *verdict)
{
    const double limit_ms = z_step_limit_ms(bench, of, topics);
    progress_clear();
    printf("  %5d  %s  %-26s", topics, spg_type_name(of->host.type), name);
    if (verdict->right)
        printf(" %9s %7s\n", ms_text(times->median_ms).s,
               ratio_text(limit_ms > 0.0 ? times->median_ms / limit_ms : 0.0).s);
    else
        printf(" WRONG: %s\n", verdict->fault);
    fflush(stdout);
}

static spg_status measure(z_step *step, const corpus *of, const char *name, const char *paper,
                          spg_status (*call)(void *state),
                          spg_status (*check)(sampling_bench *, const corpus *, int32_t, sampling_verdict *),
                          double *ms)
{
    sampling_bench *bench = step->bench;
    sampling_times times = {0};
    sampling_verdict verdict;
    spg_status status = time_calls(bench->context, bench->chosen, name, call, step, &times);
    if (status == SPG_OK) status = check(bench, of, step->lda.topics, &verdict);
    if (status != SPG_OK) return status;
    tell(bench, of, step->lda.topics, name, &times, &verdict);
    put_record(bench, of, step->lda.topics, paper, name, &times, &verdict);
    bench->right = bench->right && verdict.right;
    *ms = verdict.right ? times.median_ms : 0.0;
    return SPG_OK;
}

spg_status measure_z_step(sampling_bench *bench, const corpus *of, int32_t topics, spg_butterfly_method method,
                          const char *paper, double *ms)
{
    z_step step = {.bench = bench,
                   .lda = with_topics(&of->here, topics),
                   .method = method,
                   .random = {.seed = bench->chosen->seed},
                   .topics = of->topics};
    char name[32];
    snprintf(name, sizeof name, "spg-butterfly-%s", butterfly_method_name(method));
    return measure(&step, of, method == SPG_BUTTERFLY_AUTO ? "spg-butterfly" : name, paper, draw, verify, ms);
}

spg_status measure_reads(sampling_bench *bench, const corpus *of, int32_t topics, const char *paper, double *ms)
{
    z_step step = {.bench = bench, .lda = with_topics(&of->here, topics), .topics = of->topics};
    *ms = 0.0;
    if (bench->here.place != SPG_PLACE_DEVICE) return SPG_OK;
    return measure(&step, of, "read-only", paper, read_rows, verify_reads, ms);
}

/* Medians of one number of topics; 0 where wrong or not measured. By spg_butterfly_method: AUTO, then Algorithms 1, 4
 * and 7 of the paper. */
typedef struct z_times {
    double reads, of[4];
} z_times;

static spg_status measure_all(sampling_bench *bench, const corpus *of, int32_t topics, const char *paper,
                              z_times *times)
{
    spg_status status = measure_reads(bench, of, topics, paper, &times->reads);
    for (int method = SPG_BUTTERFLY_AUTO; method <= SPG_BUTTERFLY_TABLE && status == SPG_OK; method++)
        status = measure_z_step(bench, of, topics, (spg_butterfly_method)method, paper, &times->of[method]);
    return status;
}

static void print_ratios(const z_times *times)
{
    const double automatic = times->of[SPG_BUTTERFLY_AUTO];
    if (!(automatic > 0.0)) return;
    if (times->reads > 0.0)
        printf("  spg-butterfly takes %s what reading the rows does\n", ratio_text(automatic / times->reads).s);
    printf("  Algorithm 7 (table) takes %s what spg-butterfly does\n",
           ratio_text(times->of[SPG_BUTTERFLY_TABLE] / automatic).s);
}

/* Where the paper's butterfly wins, over the numbers of topics measured. */
typedef struct butterfly_wins {
    int measured, over_plain, over_transposed, over_automatic;
    double least_gain, most_gain; /* of the automatic method over the best of the paper's */
} butterfly_wins;

static void add_wins(const z_times *times, butterfly_wins *wins)
{
    const double table = times->of[SPG_BUTTERFLY_TABLE];
    double best = table;
    for (int method = 0; method < 4; method++)
        if (!(times->of[method] > 0.0)) return;
    for (int method = SPG_BUTTERFLY_PLAIN; method < SPG_BUTTERFLY_TABLE; method++)
        if (times->of[method] < best) best = times->of[method];
    const double gain = best / times->of[SPG_BUTTERFLY_AUTO];
    wins->over_plain += table < times->of[SPG_BUTTERFLY_PLAIN];
    wins->over_transposed += table < times->of[SPG_BUTTERFLY_TRANSPOSED];
    wins->over_automatic += table < times->of[SPG_BUTTERFLY_AUTO];
    if (wins->measured == 0 || gain < wins->least_gain) wins->least_gain = gain;
    if (wins->measured == 0 || gain > wins->most_gain) wins->most_gain = gain;
    wins->measured++;
}

static void print_wins(spg_type type, const butterfly_wins *wins)
{
    if (wins->measured == 0) return;
    printf(
        "%s, %d numbers of topics: Algorithm 7 is faster than 1 at %d, than 4 at %d, than the automatic method at %d; "
        "that is %s to %s as fast as the best of them\n",
        spg_type_name(type), wins->measured, wins->over_plain, wins->over_transposed, wins->over_automatic,
        ratio_text(wins->least_gain).s, ratio_text(wins->most_gain).s);
}

static void print_head(const corpus *of)
{
    progress_clear();
    printf("\nz-step: %s documents, %s words of %s, ms and times the limit (a row of phi a word)\n",
           count_text(of->host.documents).s, count_text(of->host.words_total).s, count_text(of->host.vocabulary).s);
}

spg_status run_lda(sampling_bench *bench)
{
    corpus made;
    z_times times = {0};
    const sampling_options *chosen = bench->chosen;
    spg_status status = corpus_make(bench, chosen->rows, chosen->topics, chosen->type, &made);
    if (status == SPG_OK) {
        print_head(&made);
        status = measure_all(bench, &made, chosen->topics, NULL, &times);
        print_ratios(&times);
    }
    corpus_drop(bench, &made);
    return status;
}

/* Every multiple of `step` topics, and around 512 every number (every step / 16th). */
static bool is_shown(int32_t topics, int step)
{
    const int fine = step < 16 ? 1 : step / 16;
    return topics % step == 0 || (topics >= 480 && topics <= 544 && topics % fine == 0);
}

spg_status run_paper_butterfly(sampling_bench *bench)
{
    const sampling_options *chosen = bench->chosen;
    const int32_t most = chosen->items > 0 ? (int32_t)chosen->items : 1024;
    spg_status status = SPG_OK;
    for (spg_type type = SPG_F32; type <= SPG_F64 && status == SPG_OK; type++) {
        corpus made;
        butterfly_wins wins = {0};
        status = corpus_make(bench, chosen->rows, most, type, &made);
        if (status == SPG_OK) print_head(&made);
        for (int32_t topics = 16; topics <= most && status == SPG_OK; topics++) {
            z_times times = {0};
            if (!is_shown(topics, chosen->step)) continue;
            status = measure_all(bench, &made, topics, "butterfly", &times);
            add_wins(&times, &wins);
        }
        print_wins(type, &wins);
        corpus_drop(bench, &made);
    }
    return status;
}
