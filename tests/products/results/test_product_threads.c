/* Contexts on several host threads at once, on one place: each thread's results have the bits of one thread alone.
 * Contexts come and go while others work. */
#include "products.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 3, CONTEXTS = 4, ROUNDS = 2 };

/* What every thread works on, on the host, and what must come of it. */
typedef struct task {
    spg_csr A, B, product, transpose, sorted;
} task;

typedef struct worker {
    pthread_t thread;
    const task *work;
    const char *fault; /* NULL: none. Assertions are for the main thread alone. */
} worker;

static bool is_same(const spg_csr *a, const spg_csr *b)
{
    size_t size = spg_type_size(a->value_type);
    if (a->rows != b->rows || a->cols != b->cols || a->nnz != b->nnz || a->offset_type != b->offset_type) return false;
    return memcmp(a->row_offsets, b->row_offsets, (size_t)(a->rows + 1) * spg_type_size(a->offset_type)) == 0 &&
           memcmp(a->columns, b->columns, (size_t)a->nnz * sizeof *a->columns) == 0 &&
           memcmp(a->values, b->values, (size_t)a->nnz * size) == 0;
}

/* Frees what the context made; fetches by a host context of this thread's own. */
static const char *compare(spg_context *context, spg_context *host, spg_csr *made, const spg_csr *expected,
                           const char *what)
{
    spg_csr fetched;
    spg_status status = spg_csr_copy(host, made, &fetched);
    spg_csr_free(context, made);
    if (status != SPG_OK) return what;
    bool same = is_same(&fetched, expected);
    spg_csr_free(host, &fetched);
    return same ? NULL : what;
}

static const char *work_on(spg_context *context, spg_context *host, const task *work, const spg_csr *A,
                           const spg_csr *B)
{
    const char *fault = NULL;
    for (int round = 0; round < ROUNDS && fault == NULL; ++round) {
        spg_csr product, transpose, sorted;
        spgemm_plan *plan = NULL;
        if (spgemm_csr(context, A, B, &product) != SPG_OK) return "a product failed";
        fault = compare(context, host, &product, &work->product, "a product differs");
        if (spg_csr_transpose(context, A, &transpose) != SPG_OK) return "a transpose failed";
        if (fault == NULL) fault = compare(context, host, &transpose, &work->transpose, "a transpose differs");
        if (spg_csr_copy(context, A, &sorted) != SPG_OK) return "a copy failed";
        if (spg_csr_sort(context, &sorted) != SPG_OK) return "a sort failed";
        if (fault == NULL) fault = compare(context, host, &sorted, &work->sorted, "sorted rows differ");
        product = (spg_csr){0};
        if (spgemm_plan_create(context, A, B, &plan) != SPG_OK) return "a plan failed";
        if (spgemm_plan_run(plan, A, B, &product) != SPG_OK) return "a run failed";
        if (fault == NULL) fault = compare(context, host, &product, &work->product, "a planned product differs");
        spgemm_plan_destroy(plan);
    }
    return fault;
}

static const char *open_and_work(const task *work)
{
    spg_config config = test_config();
    config.threads = 2;
    spg_context *context = NULL, *host = NULL;
    if (spg_context_create(&config, &context) != SPG_OK) return "a context failed";
    config.place = SPG_PLACE_HOST;
    config.threads = 1;
    if (spg_context_create(&config, &host) != SPG_OK) return "a context on the host failed";
    spg_csr A, B;
    const char *fault = "a copy to the place failed";
    if (spg_csr_copy(context, &work->A, &A) == SPG_OK && spg_csr_copy(context, &work->B, &B) == SPG_OK)
        fault = work_on(context, host, work, &A, &B);
    spg_csr_free(context, &A);
    spg_csr_free(context, &B);
    int64_t held = 0;
    spg_context_memory(context, &held, NULL);
    if (fault == NULL && held != 0) fault = "memory is held";
    spg_context_destroy(context);
    spg_context_destroy(host);
    return fault;
}

static void *run(void *argument)
{
    worker *self = argument;
    for (int k = 0; k < CONTEXTS && self->fault == NULL; ++k) self->fault = open_and_work(self->work);
    return NULL;
}

static void contexts_on_several_threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    task work;
    test_random_csr(test_host(), (test_matrix){3000, 2000, 6, SPG_I32, SPG_F64}, 1, TEST_UNSORTED, &work.A);
    test_random_csr(test_host(), (test_matrix){2000, 900, 8, SPG_I32, SPG_F64}, 2, 0, &work.B);
    test_reference_product(&work.A, &work.B, &work.product);
    assert_int_equal(spg_csr_transpose(test_host(), &work.A, &work.transpose), SPG_OK);
    assert_int_equal(spg_csr_copy(test_host(), &work.A, &work.sorted), SPG_OK);
    assert_int_equal(spg_csr_sort(test_host(), &work.sorted), SPG_OK);
    worker workers[THREADS];
    for (int t = 0; t < THREADS; ++t) {
        workers[t] = (worker){.work = &work};
        assert_int_equal(pthread_create(&workers[t].thread, NULL, run, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; ++t) assert_int_equal(pthread_join(workers[t].thread, NULL), 0);
    for (int t = 0; t < THREADS; ++t)
        if (workers[t].fault != NULL) fail_msg("thread %d: %s", t, workers[t].fault);
    spg_csr *made[] = {&work.A, &work.B, &work.product, &work.transpose, &work.sorted};
    for (int k = 0; k < 5; ++k) spg_csr_free(test_host(), made[k]);
}

/* The last column of a long first row is wrong: when that is found, others sleep until their rows may follow it. */
static void threads_that_wait_for_a_row_are_told_that_it_failed(void **state)
{
    enum { INNER = 1000, LONG = 20000, ROWS = 600, TIMES = 8 };
    test_pattern a = {0}, b = {0};
    uint64_t random = 7;
    spg_csr A, B, here_A, here_B, C;
    (void)state;
    for (int64_t k = 0; k < LONG; ++k) test_add(&a, k < LONG - 1 ? k % INNER : INNER);
    test_end_row(&a);
    for (int64_t i = 1; i < ROWS; ++i) {
        for (int k = 0; k < 30; ++k) test_add(&a, 0);
        test_end_row(&a);
    }
    for (int64_t i = 0; i < INNER; ++i) {
        test_add_random(&b, &random, i == 0 ? 1 : 200, 0, INNER, true);
        test_end_row(&b);
    }
    test_matrix_of(&a, INNER, SPG_I32, SPG_F64, 1, 0, &A);
    test_matrix_of(&b, INNER, SPG_I32, SPG_F64, 2, 0, &B);
    test_free_pattern(&a);
    test_free_pattern(&b);
    spg_context *context = test_context(3, test_default_limits);
    test_to_place(context, &A, &here_A);
    test_to_place(context, &B, &here_B);
    for (int time = 0; time < TIMES; ++time) {
        assert_int_equal(spgemm_csr(context, &here_A, &here_B, &C), SPG_ERROR_FORMAT);
        test_assert_message(context, "row 0");
    }
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_on_several_threads_do_not_disturb_each_other),
        cmocka_unit_test(threads_that_wait_for_a_row_are_told_that_it_failed),
    };
    return TEST_RUN_HERE(argc, argv, "product threads", tests);
}
