/* See supervise.h. The watching process never calls the library, so that processes made by fork find CUDA and OpenMP
 * as at a program's start. */
#define _DEFAULT_SOURCE /* kill, nanosleep */
#include "supervise.h"

#include "place.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void describe_death(int status)
{
    if (WIFSIGNALED(status))
        soak_fault("the process died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        soak_fault("the process ended with status %d; it may have said more above", WEXITSTATUS(status));
}

static bool hangs(const soak_options *options)
{
    const int64_t begun = atomic_load(&soak_common->begun_us);
    return begun > 0 && (double)(soak_now_us() - begun) > options->patience * 1e6;
}

soak_end soak_in_process(const soak_options *options, soak_work *work, void *what, void (*beat)(void))
{
    fflush(NULL);
    soak_common->fault[0] = '\0';
    atomic_store(&soak_common->begun_us, 0);
    const pid_t child = fork();
    if (child == 0) exit(work(options, what));
    if (child < 0) {
        soak_fault("no process can be made");
        return SOAK_FAULTY;
    }
    int status = 0;
    bool hung = false;
    for (int64_t turn = 0; waitpid(child, &status, WNOHANG) == 0; turn++) {
        nanosleep(&(struct timespec){.tv_nsec = turn < 50 ? 1000000 : 10000000}, NULL);
        if (beat != NULL && turn % 20 == 0) beat();
        if (hung || !hangs(options)) continue;
        kill(child, SIGKILL);
        hung = true;
    }
    if (hung) {
        soak_fault("took longer than %g seconds, and was ended", options->patience);
        return SOAK_HANGS;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return SOAK_ENDED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == SOAK_STATUS_NO_PLACE) return SOAK_NO_PLACE;
    describe_death(status);
    return SOAK_FAULTY;
}

static spg_place place_of(const soak_run *run) { return run->at[run->count - 1].place; }

bool soak_check_case(const soak_options *options, const soak_case *c)
{
    atomic_store(&soak_common->family, c->family);
    atomic_store(&soak_common->number, c->number);
    atomic_store(&soak_common->begun_us, soak_now_us());
    int64_t before = 0, after = 0, lent_before = 0, lent_after = 0;
    spg_context_memory(test_host(), &before, NULL);
    spg_context_memory(test_lender(), &lent_before, NULL);
    soak_run run = options->run;
    if (run.count == 1 && run.at[0].place == SPG_PLACE_HOST && c->settings.threads > 1 && c->number % 2 == 0)
        run.at[run.count++] = (soak_where){SPG_PLACE_HOST, 1, "host with one thread"};
    bool right = soak_families[c->family].check(c, &run);
    spg_context_memory(test_host(), &after, NULL);
    spg_context_memory(test_lender(), &lent_after, NULL);
    if (right && (before != after || lent_before != lent_after))
        right = soak_fault("what the soak took was not given back: %lld and %lld bytes", (long long)(after - before),
                           (long long)(lent_after - lent_before));
    right = right && soak_common->fault[0] == '\0';
    if (right) atomic_store(&soak_common->begun_us, 0); /* after a fault the process must end soon, too */
    return right;
}

/* The family that has had the least time. */
static int next_family(const soak_options *options)
{
    int least = -1;
    for (int k = 0; k < soak_family_count; k++)
        if (options->chosen[k] &&
            (least < 0 || atomic_load(&soak_common->spent_us[k]) < atomic_load(&soak_common->spent_us[least])))
            least = k;
    return least;
}

int soak_run_cases(const soak_options *options, void *what)
{
    const int64_t end = *(const int64_t *)what;
    const pid_t parent = getppid();
    if (!test_open_place(place_of(&options->run))) return SOAK_STATUS_NO_PLACE;
    atomic_store(&soak_common->counts, true);
    while (soak_now_us() < end && getppid() == parent) {
        const int family = next_family(options);
        const int64_t begun = soak_now_us(), next = atomic_fetch_add(&soak_common->next[family], 1);
        const int64_t number = options->only_case >= 0 ? options->only_case : next;
        soak_case c;
        soak_draw_case(family, options->seed, number, &c);
        const bool right = soak_check_case(options, &c);
        soak_case_free(&c);
        const int64_t spent = soak_now_us() - begun;
        atomic_fetch_add(&soak_common->spent_us[family], spent);
        if (spent > atomic_load(&soak_common->longest_us[family])) {
            atomic_store(&soak_common->longest_us[family], spent);
            atomic_store(&soak_common->longest[family], number);
        }
        if (!right) return SOAK_STATUS_FAULT;
        atomic_fetch_add(&soak_common->cases[family], 1);
        if (options->only_case >= 0) break;
    }
    return test_close_place() ? 0 : SOAK_STATUS_FAULT;
}

static void print_reason(void *user, const char *line) { fprintf(stderr, "%s: %s\n", (const char *)user, line); }

static int probe(const soak_options *options, void *what)
{
    static char name[] = "spg_soak";
    spg_config config = spg_config_default();
    spg_context *context = NULL;
    (void)what;
    config.place = SPG_PLACE_DEVICE;
    if (options->place_given) config.log = print_reason, config.log_user = name;
    const bool found = spg_context_create(&config, &context) == SPG_OK;
    spg_context_destroy(context);
    return found ? 0 : SOAK_STATUS_NO_PLACE;
}

bool soak_has_device(const soak_options *options) { return soak_in_process(options, probe, NULL, NULL) == SOAK_ENDED; }
