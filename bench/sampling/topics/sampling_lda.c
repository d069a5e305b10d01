/* See sampling_lda.h and sampling_modes.h: the z-step of latent Dirichlet allocation. */
#include "sampling_lda.h"

#include "format.h"
#include "json_fields.h"
#include "progress.h"
#include "sampling_arrays.h"
#include "sampling_device.h"

#include <math.h>
#include <string.h>

/* Products that a test of draws computes at most: of the words, every so many are tested. The paper's figures have
 * hundreds of points, for each of which a few thousand words must do. */
static const int64_t most_products = INT64_C(400000000), most_products_of_figures = INT64_C(40000000);
/* And the slow ones of them are timed for so long, but twice. */
static const double enough_ms_of_figures = 50.0;
enum { LONGEST_CHECK = 307 }; /* sums that are redone */

/* What is measured alike by all methods. */
typedef struct z_plan {
    sampling_bench *bench;
    const corpus *of;
    int32_t topics;
    const char *paper; /* NULL: none */
    sampling_effort effort;
    int64_t most_products;
} z_plan;

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

/* Reading a row of phi for each word, theta once and the words, and writing topics, at the copy bandwidth. */
static double z_step_limit_ms(const z_plan *plan)
{
    const spg_lda *lda = &plan->of->host;
    const double row = (double)plan->topics * (double)spg_type_size(lda->type), bandwidth = plan->bench->here.bandwidth;
    const double bytes = (double)lda->words_total * (row + 8.0) + (double)lda->documents * (row + 8.0);
    return bandwidth > 0.0 ? bytes / bandwidth * 1e3 : 0.0;
}

/* With `topics` topics, of the first numbers of the corpus's parameters. */
static spg_lda with_topics(const spg_lda *lda, int32_t topics)
{
    spg_lda fewer = *lda;
    fewer.topics = topics;
    return fewer;
}

static spg_status verify(const z_plan *plan, sampling_verdict *verdict)
{
    const corpus *of = plan->of;
    const spg_lda lda = with_topics(&of->host, plan->topics);
    spg_context *context = plan->bench->context;
    const spg_status status =
        array_get(context, of->fetched, of->topics, lda.words_total * (int64_t)sizeof *of->fetched);
    if (status != SPG_OK) return status;
    const int64_t stride = 1 + lda.words_total * plan->topics / plan->most_products;
    return verify_topics(context, &lda, of->fetched, stride, plan->bench->chosen->seed, verdict);
}

/* The first words' sums beside sums made here. */
static spg_status verify_reads(const z_plan *plan, sampling_verdict *verdict)
{
    float sums[LONGEST_CHECK];
    const int32_t topics = plan->topics;
    const spg_lda lda = with_topics(&plan->of->host, topics);
    *verdict = (sampling_verdict){.right = true};
    const int64_t count = lda.word_offsets[1] < LONGEST_CHECK ? lda.word_offsets[1] : LONGEST_CHECK;
    const spg_status status = array_get(plan->bench->context, sums, plan->of->topics, count * (int64_t)sizeof *sums);
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

static void put_record(const z_plan *plan, const char *name, const sampling_times *times,
                       const sampling_verdict *verdict)
{
    const sampling_bench *bench = plan->bench;
    const corpus *of = plan->of;
    FILE *stream = bench->json;
    if (stream == NULL) return;
    fputc('{', stream);
    if (plan->paper != NULL) put_string(stream, "paper", plan->paper);
    put_string(stream, "weights", "lda");
    put_string(stream, "phase", "draw");
    put_string(stream, "implementation", name);
    put_machine(stream, bench, bench->chosen->threads);
    put_string(stream, "type", spg_type_name(of->host.type));
    put_integer(stream, "topics", plan->topics);
    put_integer(stream, "documents", of->host.documents);
    put_integer(stream, "draws", of->host.words_total);
    put_times(stream, verdict->right, times, z_step_limit_ms(plan));
    put_number(stream, "draws_tested", verdict->tested, verdict->test.draws);
    put_verdict(stream, verdict->right, verdict);
    fflush(stream);
}

static void tell(const z_plan *plan, const char *name, const sampling_times *times, const sampling_verdict *verdict)
{
    const double limit_ms = z_step_limit_ms(plan);
    progress_clear();
    printf("  %5d  %s  %-26s", plan->topics, spg_type_name(plan->of->host.type), name);
    if (verdict->right)
        printf(" %9s %7s\n", ms_text(times->median_ms).s,
               ratio_text(limit_ms > 0.0 ? times->median_ms / limit_ms : 0.0).s);
    else
        printf(" WRONG: %s\n", verdict->fault);
    fflush(stdout);
}

static spg_status measure(const z_plan *plan, z_step *step, const char *name, spg_status (*call)(void *state),
                          spg_status (*check)(const z_plan *, sampling_verdict *), double *ms)
{
    sampling_bench *bench = plan->bench;
    sampling_times times = {0};
    sampling_verdict verdict;
    spg_status status = time_calls(bench->context, &plan->effort, name, call, step, &times);
    if (status == SPG_OK) status = check(plan, &verdict);
    if (status != SPG_OK) return status;
    tell(plan, name, &times, &verdict);
    put_record(plan, name, &times, &verdict);
    bench->right = bench->right && verdict.right;
    *ms = verdict.right ? times.median_ms : 0.0;
    return SPG_OK;
}

/* One method: prints a line and writes a record. *ms: its median, 0 if wrong. */
static spg_status measure_z_step(const z_plan *plan, spg_butterfly_method method, double *ms)
{
    z_step step = {.bench = plan->bench,
                   .lda = with_topics(&plan->of->here, plan->topics),
                   .method = method,
                   .random = {.seed = plan->bench->chosen->seed},
                   .topics = plan->of->topics};
    char name[32];
    snprintf(name, sizeof name, "spg-butterfly-%s", butterfly_method_name(method));
    return measure(plan, &step, method == SPG_BUTTERFLY_AUTO ? "spg-butterfly" : name, draw, verify, ms);
}

/* Reading the rows that it must, on a device; 0 on the host. */
static spg_status measure_reads(const z_plan *plan, double *ms)
{
    z_step step = {.bench = plan->bench, .lda = with_topics(&plan->of->here, plan->topics), .topics = plan->of->topics};
    *ms = 0.0;
    if (plan->bench->here.place != SPG_PLACE_DEVICE) return SPG_OK;
    return measure(plan, &step, "read-only", read_rows, verify_reads, ms);
}

/* Medians of one number of topics; 0 where wrong or not measured. By spg_butterfly_method: AUTO, then Algorithms 1, 4
 * and 7 of the paper. */
typedef struct z_times {
    double reads, of[4];
} z_times;

static spg_status measure_all(const z_plan *plan, z_times *times)
{
    spg_status status = measure_reads(plan, &times->reads);
    for (int method = SPG_BUTTERFLY_AUTO; method <= SPG_BUTTERFLY_TABLE && status == SPG_OK; method++)
        status = measure_z_step(plan, (spg_butterfly_method)method, &times->of[method]);
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
    printf("%s, %d numbers of topics: Algorithm 7 is faster than 1 at %d, than 4 at %d,\n"
           "than the automatic method at %d: %s to %s as fast as the best of them\n",
           spg_type_name(type), wins->measured, wins->over_plain, wins->over_transposed, wins->over_automatic,
           ratio_text(wins->least_gain).s, ratio_text(wins->most_gain).s);
}

static void print_head(const corpus *of)
{
    progress_clear();
    printf("\nz-step: %s documents, %s words of %s,\nms and times the limit (a row of phi a word)\n",
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
        const z_plan plan = {bench, &made, chosen->topics, NULL, usual_effort(chosen), most_products};
        status = measure_all(&plan, &times);
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
        z_plan plan = {.bench = bench,
                       .of = &made,
                       .paper = "butterfly",
                       .effort = {chosen->warmup, chosen->reps, enough_ms_of_figures},
                       .most_products = most_products_of_figures};
        if (status == SPG_OK) print_head(&made);
        for (int32_t topics = 16; topics <= most && status == SPG_OK; topics++) {
            z_times times = {0};
            if (!is_shown(topics, chosen->step)) continue;
            plan.topics = topics;
            status = measure_all(&plan, &times);
            plan.effort.warmup = 0; /* done: the same kernels come again */
            add_wins(&times, &wins);
        }
        print_wins(type, &wins);
        corpus_drop(bench, &made);
    }
    return status;
}
