/* Contexts: configuration, messages, the log, and the pinned vocabulary. */
#include "matrices_for_tests.h"
#include "place.h"

#include <stdio.h>
#include <string.h>

static void status_values_never_change(void **state)
{
    (void)state;
    static const struct {
        spg_status status;
        int value;
        const char *name;
    } pinned[] = {
        {SPG_OK, 0, "SPG_OK"},
        {SPG_ERROR_ARGUMENT, 1, "SPG_ERROR_ARGUMENT"},
        {SPG_ERROR_SHAPE, 2, "SPG_ERROR_SHAPE"},
        {SPG_ERROR_FORMAT, 3, "SPG_ERROR_FORMAT"},
        {SPG_ERROR_PLACE, 4, "SPG_ERROR_PLACE"},
        {SPG_ERROR_OVERFLOW, 5, "SPG_ERROR_OVERFLOW"},
        {SPG_ERROR_MEMORY, 6, "SPG_ERROR_MEMORY"},
        {SPG_ERROR_DEVICE, 7, "SPG_ERROR_DEVICE"},
        {SPG_ERROR_UNSUPPORTED, 8, "SPG_ERROR_UNSUPPORTED"},
        {SPG_ERROR_IO, 9, "SPG_ERROR_IO"},
        {SPG_ERROR_INTERNAL, 10, "SPG_ERROR_INTERNAL"},
        {SPG_ERROR_NOT_CONVERGED, 11, "SPG_ERROR_NOT_CONVERGED"},
        {SPG_ERROR_BREAKDOWN, 12, "SPG_ERROR_BREAKDOWN"},
        {SPG_ERROR_INDEFINITE, 13, "SPG_ERROR_INDEFINITE"},
        {SPG_ERROR_INCOMPATIBLE, 14, "SPG_ERROR_INCOMPATIBLE"},
    };
    for (size_t k = 0; k < sizeof pinned / sizeof *pinned; ++k) {
        assert_int_equal(pinned[k].status, pinned[k].value);
        assert_string_equal(spg_status_name(pinned[k].status), pinned[k].name);
    }
    assert_string_equal(spg_status_name((spg_status)99), "SPG_ERROR_UNKNOWN");
    assert_string_equal(spg_status_text((spg_status)99), "not a status of spg");
    for (size_t k = 0; k < sizeof pinned / sizeof *pinned; ++k) {
        const char *text = spg_status_text(pinned[k].status);
        assert_true(strlen(text) > 5 && strcmp(text, spg_status_text((spg_status)99)) != 0);
        assert_int_not_equal(text[strlen(text) - 1], '.');
        for (size_t other = 0; other < k; ++other) assert_string_not_equal(text, spg_status_text(pinned[other].status));
    }
}

static void the_version_is_the_header_s(void **state)
{
    (void)state;
    char expected[40];
    snprintf(expected, sizeof expected, "%d.%d.%d", SPG_VERSION_MAJOR, SPG_VERSION_MINOR, SPG_VERSION_PATCH);
    assert_string_equal(spg_version(), expected);
    assert_int_equal(spg_version_number(), SPG_VERSION_NUMBER);
    assert_int_equal(SPG_VERSION_NUMBER % 100, SPG_VERSION_PATCH);
}

static void types_have_pinned_values_sizes_and_names(void **state)
{
    (void)state;
    static const struct {
        spg_type type;
        int value;
        size_t size;
        const char *name;
    } pinned[] = {{SPG_F32, 0, 4, "f32"},  {SPG_F64, 1, 8, "f64"}, {SPG_C32, 2, 8, "c32"},
                  {SPG_C64, 3, 16, "c64"}, {SPG_I32, 4, 4, "i32"}, {SPG_I64, 5, 8, "i64"}};
    for (size_t k = 0; k < sizeof pinned / sizeof *pinned; ++k) {
        assert_int_equal(pinned[k].type, pinned[k].value);
        assert_int_equal(spg_type_size(pinned[k].type), pinned[k].size);
        assert_string_equal(spg_type_name(pinned[k].type), pinned[k].name);
    }
    assert_int_equal(spg_type_size((spg_type)99), 0);
    assert_string_equal(spg_type_name((spg_type)99), "?");
    assert_int_equal(SPG_PLACE_HOST, 0);
    assert_int_equal(SPG_PLACE_DEVICE, 1);
    assert_int_equal(SPG_PLACE_AUTO, 2);
}

static void defaults_are_as_documented(void **state)
{
    (void)state;
    spg_config config = spg_config_default();
    assert_int_equal(config.place, SPG_PLACE_AUTO);
    assert_int_equal(config.device, -1);
    assert_int_equal(config.threads, 0);
    assert_null(config.stream);
    assert_true(config.allocator.allocate == NULL && config.allocator.release == NULL);
    assert_int_equal(config.workspace_limit, 0);
    assert_true(config.keep_bytes > 0);
    assert_int_equal(config.row_limits.thread, -1);
    assert_int_equal(config.row_limits.warp, -1);
    assert_int_equal(config.row_limits.cta, -1);
    assert_true(config.log == NULL);
}

static void a_context_of_defaults_needs_no_configuration(void **state)
{
    (void)state;
    spg_context *context = NULL;
    assert_int_equal(spg_context_create(NULL, &context), SPG_OK);
    assert_non_null(context);
    assert_string_equal(spg_context_message(context), "");
    spg_context_destroy(context);
    spg_context_destroy(NULL);
}

static void a_host_context_says_where_it_works_and_with_how_many_threads(void **state)
{
    (void)state;
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.threads = 1;
    spg_context *context;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    assert_int_equal(spg_context_place(context), SPG_PLACE_HOST);
    assert_non_null(strstr(spg_context_describe(context), "host, 1 thread,"));
    spg_context_destroy(context);
    config.threads = 3; /* one in a build without threads */
    config.oversubscribe = 1;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    const char *description = spg_context_describe(context);
    assert_true(strstr(description, "host, 3 threads,") != NULL || strstr(description, "host, 1 thread,") != NULL);
    spg_context_destroy(context);
}

static void a_device_context_says_where_it_works(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(0);
    assert_int_equal(spg_context_place(context), SPG_PLACE_DEVICE);
    assert_non_null(strstr(spg_context_describe(context), "device "));
    assert_non_null(strstr(spg_context_describe(context), "multiprocessors"));
    spg_context_destroy(context);
}

static void a_device_is_the_place_where_there_is_one(void **state)
{
    (void)state;
    spg_context *context;
    assert_int_equal(spg_context_create(NULL, &context), SPG_OK);
    assert_int_equal(spg_context_place(context), SPG_PLACE_DEVICE);
    spg_context_destroy(context);
}

static void a_device_that_is_not_there_is_refused(void **state)
{
    (void)state;
    spg_config config = test_config();
    config.device = 4095;
    spg_context *context = (spg_context *)(void *)&config;
    assert_int_equal(spg_context_create(&config, &context), SPG_ERROR_PLACE);
    assert_null(context);
}

/* Each keeps what it allocates, and frees it without a word to the others. */
static void contexts_come_and_go_beside_each_other(void **state)
{
    (void)state;
    enum { CONTEXTS = 8 };
    spg_context *contexts[CONTEXTS];
    spg_csr matrices[CONTEXTS], matrix;
    test_random_csr(test_host(), (test_matrix){100, 100, 5, SPG_I32, SPG_F64}, 1, TEST_UNSORTED, &matrix);
    for (int k = 0; k < CONTEXTS; ++k) {
        contexts[k] = test_context_at_place(1);
        test_to_place(contexts[k], &matrix, &matrices[k]);
    }
    assert_int_equal(spg_csr_sort(test_host(), &matrix), SPG_OK);
    for (int k = CONTEXTS - 1; k >= 0; --k) {
        spg_csr fetched;
        assert_int_equal(spg_csr_sort(contexts[k], &matrices[k]), SPG_OK);
        test_to_host(contexts[k], &matrices[k], &fetched);
        test_assert_same_csr(&fetched, &matrix);
        spg_csr_free(test_host(), &fetched);
        spg_csr_free(contexts[k], &matrices[k]);
        spg_context_destroy(contexts[k]);
    }
    spg_csr_free(test_host(), &matrix);
}

static void *never_allocate(void *user, size_t bytes, spg_place place, void *stream)
{
    (void)user, (void)bytes, (void)place, (void)stream;
    return NULL;
}

static void never_release(void *user, void *memory, size_t bytes, spg_place place, void *stream)
{
    (void)user, (void)memory, (void)bytes, (void)place, (void)stream;
}

typedef struct log_lines {
    int count;
    char last[512];
} log_lines;

static void take_line(void *user, const char *line)
{
    log_lines *log = user;
    ++log->count;
    assert_null(strchr(line, '\n'));
    snprintf(log->last, sizeof log->last, "%s", line);
}

/* And the log is told why, by the member's name. */
static void assert_invalid(const spg_config *config, const char *member)
{
    spg_context *context = (spg_context *)(void *)&context;
    log_lines log = {0};
    spg_config heard = *config;
    assert_int_equal(spg_context_create(config, &context), SPG_ERROR_ARGUMENT);
    assert_null(context);
    heard.log = take_line;
    heard.log_user = &log;
    assert_int_equal(spg_context_create(&heard, &context), SPG_ERROR_ARGUMENT);
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.last, member));
}

static void a_configuration_out_of_range_is_refused(void **state)
{
    (void)state;
    const spg_config sound = spg_config_default();
    spg_config c = sound;
    c.place = (spg_place)3, assert_invalid(&c, "place"), c = sound;
    c.place = (spg_place)-1, assert_invalid(&c, "place"), c = sound;
    c.device = -2, assert_invalid(&c, "device"), c = sound;
    c.threads = -1, assert_invalid(&c, "threads"), c = sound;
    c.threads = 4097, assert_invalid(&c, "threads"), c = sound;
    c.workspace_limit = -1, assert_invalid(&c, "workspace_limit"), c = sound;
    c.keep_bytes = -1, assert_invalid(&c, "keep_bytes"), c = sound;
    c.row_limits.thread = -2, assert_invalid(&c, "row_limits"), c = sound;
    c.row_limits.warp = -2, assert_invalid(&c, "row_limits"), c = sound;
    c.row_limits.cta = -2, assert_invalid(&c, "row_limits"), c = sound;
    c.allocator.allocate = never_allocate, assert_invalid(&c, "allocator"), c = sound;
    c.allocator.release = never_release, assert_invalid(&c, "allocator");
    assert_int_equal(spg_context_create(&sound, NULL), SPG_ERROR_ARGUMENT);
}

/* Where there is a device, a context on it works; where there is none, it is refused. */
static void a_device_is_refused_where_there_is_none(void **state)
{
    (void)state;
    spg_config config = spg_config_default();
    log_lines log = {0};
    config.place = SPG_PLACE_DEVICE;
    config.log = take_line;
    config.log_user = &log;
    spg_context *context = (spg_context *)(void *)&config;
    spg_status status = spg_context_create(&config, &context);
    if (status == SPG_OK) {
        assert_int_equal(spg_context_place(context), SPG_PLACE_DEVICE);
        spg_context_destroy(context);
    } else {
        assert_int_equal(status, SPG_ERROR_PLACE);
        assert_null(context);
        assert_int_equal(log.count, 1);
        assert_non_null(strstr(log.last, "device"));
    }
}

static void the_log_gets_the_description_and_every_message(void **state)
{
    (void)state;
    log_lines log = {0};
    spg_config config = spg_config_default();
    config.log = take_line;
    config.log_user = &log;
    spg_context *context;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.last, spg_context_describe(context));
    assert_int_equal(spg_csr_check(context, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(log.count, 2);
    assert_string_equal(log.last, spg_context_message(context));
    spg_context_destroy(context);
}

static void a_message_stays_until_another_call_fails(void **state)
{
    (void)state;
    spg_context *context;
    assert_int_equal(spg_context_create(NULL, &context), SPG_OK);
    spg_csr matrix;
    assert_int_equal(spg_csr_alloc(context, -1, 1, 1, SPG_I32, SPG_F64, &matrix), SPG_ERROR_ARGUMENT);
    test_assert_message(context, "negative size");
    assert_int_equal(spg_csr_alloc(context, 1, 1, 1, SPG_I32, SPG_F64, &matrix), SPG_OK);
    test_assert_message(context, "negative size");
    spg_csr_free(context, &matrix);
    assert_int_equal(spg_csr_check(context, NULL), SPG_ERROR_ARGUMENT);
    assert_string_equal(spg_context_message(context), "matrix is NULL");
    spg_context_destroy(context);
}

static void a_message_may_quote_the_one_before_and_is_cut_where_it_is_too_long(void **state)
{
    (void)state;
    spg_context *context;
    assert_int_equal(spg_context_create(NULL, &context), SPG_OK);
    assert_int_equal(spg_context_fail(context, SPG_ERROR_FORMAT, "line %d", 7), SPG_ERROR_FORMAT);
    assert_int_equal(spg_context_fail(context, SPG_ERROR_IO, "file: %s", spg_context_message(context)), SPG_ERROR_IO);
    assert_string_equal(spg_context_message(context), "file: line 7");
    for (int k = 0; k < 12; ++k)
        spg_context_fail(context, SPG_ERROR_IO, "%s and %s", spg_context_message(context),
                         spg_context_message(context));
    assert_in_range(strlen(spg_context_message(context)), 100, 1000);
    assert_int_equal(strncmp(spg_context_message(context), "file: line 7 and file", 21), 0);
    spg_context_destroy(context);
    assert_int_equal(spg_context_fail(NULL, SPG_ERROR_IO, "nowhere"), SPG_ERROR_IO);
}

/* Calls the library, which refuses; what it says then is not logged. */
static void fail_once_more(void *user, const char *line)
{
    spg_context **context = user, *calls = *context;
    *context = NULL;
    if (calls == NULL) return;
    assert_int_equal(spg_context_set_workspace_limit(calls, -1), SPG_ERROR_ARGUMENT);
    assert_string_equal(line, "the first reason");
}

static void a_message_stays_when_the_log_makes_calls_that_fail(void **state)
{
    (void)state;
    spg_context *context, *calls = NULL;
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.log = fail_once_more;
    config.log_user = &calls;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    calls = context;
    assert_int_equal(spg_context_fail(context, SPG_ERROR_SHAPE, "the first reason"), SPG_ERROR_SHAPE);
    assert_string_equal(spg_context_message(context), "the first reason");
    spg_context_destroy(context);
}

static void limits_can_be_changed_within_range(void **state)
{
    (void)state;
    spg_context *context;
    assert_int_equal(spg_context_create(NULL, &context), SPG_OK);
    assert_int_equal(spg_context_set_workspace_limit(context, 1 << 20), SPG_OK);
    assert_int_equal(spg_context_set_workspace_limit(context, -1), SPG_ERROR_ARGUMENT);
    test_assert_message(context, "workspace limit");
    assert_int_equal(spg_context_set_row_limits(context, &(spg_row_limits){0, 5, -1}), SPG_OK);
    assert_int_equal(spg_context_set_row_limits(context, &(spg_row_limits){0, -5, -1}), SPG_ERROR_ARGUMENT);
    test_assert_message(context, "row limits");
    assert_int_equal(spg_context_set_row_limits(context, NULL), SPG_ERROR_ARGUMENT);
    spg_context_destroy(context);
}

static void no_context_is_an_argument_at_fault_or_an_empty_answer(void **state)
{
    (void)state;
    int64_t current = 1, peak = 1;
    spg_context_memory(NULL, &current, &peak);
    assert_int_equal(current, 0);
    assert_int_equal(peak, 0);
    spg_context_memory_reset(NULL);
    assert_string_equal(spg_context_message(NULL), "");
    assert_string_equal(spg_context_describe(NULL), "");
    assert_int_equal(spg_context_place(NULL), SPG_PLACE_HOST);
    assert_int_equal(spg_context_set_workspace_limit(NULL, 1), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_context_set_row_limits(NULL, &(spg_row_limits){0}), SPG_ERROR_ARGUMENT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_the_header_s),
        cmocka_unit_test(status_values_never_change),
        cmocka_unit_test(types_have_pinned_values_sizes_and_names),
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(a_context_of_defaults_needs_no_configuration),
        cmocka_unit_test(a_host_context_says_where_it_works_and_with_how_many_threads),
        cmocka_unit_test(a_configuration_out_of_range_is_refused),
        cmocka_unit_test(contexts_come_and_go_beside_each_other),
        cmocka_unit_test(a_device_is_refused_where_there_is_none),
        cmocka_unit_test(the_log_gets_the_description_and_every_message),
        cmocka_unit_test(a_message_stays_until_another_call_fails),
        cmocka_unit_test(a_message_may_quote_the_one_before_and_is_cut_where_it_is_too_long),
        cmocka_unit_test(a_message_stays_when_the_log_makes_calls_that_fail),
        cmocka_unit_test(limits_can_be_changed_within_range),
        cmocka_unit_test(no_context_is_an_argument_at_fault_or_an_empty_answer),
    };
    const struct CMUnitTest on_device[] = {
        cmocka_unit_test(a_device_context_says_where_it_works),
        cmocka_unit_test(a_device_is_the_place_where_there_is_one),
        cmocka_unit_test(a_device_that_is_not_there_is_refused),
        cmocka_unit_test(a_configuration_out_of_range_is_refused),
        cmocka_unit_test(contexts_come_and_go_beside_each_other),
        cmocka_unit_test(the_log_gets_the_description_and_every_message),
        cmocka_unit_test(a_message_stays_until_another_call_fails),
        cmocka_unit_test(limits_can_be_changed_within_range),
    };
    if (test_asks_for_device(argc, argv)) return TEST_RUN_HERE(argc, argv, "context on a device", on_device);
    return TEST_RUN_HERE(argc, argv, "context", tests);
}
