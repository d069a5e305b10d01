#include "workspace_limits.h"

#include "test_support.h"

#include <string.h>

static const int64_t most_limit = 1 << 26;

/* Returns whether the limit sufficed. */
static bool hold_to(spg_context *context, const test_limited_call *call, void *operands, int64_t limit)
{
    int64_t held, peak;
    test_made made;
    memset(&made, 0, sizeof made);
    assert_int_equal(spg_context_set_workspace_limit(context, limit), SPG_OK);
    spg_context_memory_reset(context);
    const spg_status status = call->run(context, operands, &made);
    spg_context_memory(context, &held, &peak);
    if (status != SPG_OK && status != SPG_ERROR_MEMORY) fail_msg("%s: %s", call->name, spg_context_message(context));
    if (status == SPG_OK && peak - held > limit)
        fail_msg("%s: %lld bytes beside the result, the limit is %lld", call->name, (long long)(peak - held),
                 (long long)limit);
    if (call->drop != NULL) call->drop(context, &made);
    return status == SPG_OK;
}

void test_hold_to_limits(spg_context *context, const test_limited_call *call, void *operands)
{
    int64_t refused = 0, least = most_limit;
    assert_true(hold_to(context, call, operands, most_limit));
    while (least - refused > 1) {
        const int64_t between = refused + (least - refused) / 2;
        if (hold_to(context, call, operands, between))
            least = between;
        else
            refused = between;
    }
    for (int64_t limit = least; limit < most_limit; limit += limit / 2 + 1) hold_to(context, call, operands, limit);
    assert_int_equal(spg_context_set_workspace_limit(context, 0), SPG_OK);
}
