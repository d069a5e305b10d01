/* See place_under_soak.h. */
#include "place_under_soak.h"

#include "host_matrix.h"
#include "traits.h"

#include <stdlib.h>
#include <string.h>

bool soak_open(const soak_case *c, const soak_where *where, soak_place *p)
{
    const soak_settings *s = &c->settings;
    memset(p, 0, sizeof *p);
    p->of = c;
    p->place = where->place;
    p->name = where->name;
    spg_config config = spg_config_default();
    config.place = where->place;
    config.threads = where->threads > 0 ? where->threads : s->threads;
    config.oversubscribe = 1;
    config.keep_bytes = s->keep_bytes;
    config.timing = s->timing;
    if (s->caller_allocates) config.allocator = test_allocator_hook(&p->memory);
    if (!s->by_setters) {
        config.row_limits = s->row_limits;
        config.workspace_limit = s->workspace_limit;
    }
    spg_status status = spg_context_create(&config, &p->context);
    if (status == SPG_OK && s->by_setters) status = spg_context_set_row_limits(p->context, &s->row_limits);
    if (status == SPG_OK && s->by_setters) status = spg_context_set_workspace_limit(p->context, s->workspace_limit);
    if (status != SPG_OK) return soak_fault("%s: no context: %s", p->name, spg_status_name(status));
    if (spg_context_place(p->context) != where->place) return soak_fault("%s: a context of another place", p->name);
    if (spg_context_describe(p->context)[0] == '\0') return soak_fault("%s: no description", p->name);
    return true;
}

bool soak_close(soak_place *p)
{
    int64_t held = 0;
    if (p->context == NULL) return true;
    spg_context_memory(p->context, &held, NULL);
    spg_context_destroy(p->context);
    p->context = NULL;
    if (held != 0) return soak_fault("%s: %lld bytes are held after all was freed", p->name, (long long)held);
    const int64_t live = test_live(&p->memory);
    if (live != 0) return soak_fault("%s: %lld blocks are not released", p->name, (long long)live);
    return true;
}

bool soak_lend(soak_place *p, const spg_csr *host, spg_csr *here)
{
    *here = *host;
    if (p->place == SPG_PLACE_HOST) return true;
    memset(here, 0, sizeof *here);
    if (spg_csr_copy(test_lender(), host, here) == SPG_OK) return true;
    return soak_fault("%s: no copy of an operand: %s", p->name, spg_context_message(test_lender()));
}

void soak_give_back(soak_place *p, spg_csr *here)
{
    if (p->place == SPG_PLACE_DEVICE) spg_csr_free(test_lender(), here);
    memset(here, 0, sizeof *here);
}

bool soak_fetch(soak_place *p, const spg_csr *here, spg_csr *host)
{
    if (spg_csr_copy(test_host(), here, host) == SPG_OK) return true;
    return soak_fault("%s: a result cannot be fetched: %s", p->name, spg_context_message(test_host()));
}

void *soak_lend_bytes(soak_place *p, const void *host, size_t bytes)
{
    if (p->place == SPG_PLACE_DEVICE) return test_lend(host, bytes > 0 ? bytes : 1);
    void *here = soak_array((int64_t)bytes, 1);
    if (bytes > 0) memcpy(here, host, bytes);
    return here;
}

void soak_fetch_bytes(soak_place *p, const void *here, size_t bytes, void *host)
{
    if (p->place == SPG_PLACE_DEVICE)
        test_fetch(here, bytes, host);
    else if (bytes > 0)
        memcpy(host, here, bytes);
}

void soak_give_back_bytes(soak_place *p, void *here, size_t bytes)
{
    if (p->place == SPG_PLACE_DEVICE)
        test_give_back(here, bytes > 0 ? bytes : 1);
    else
        free(here);
}

void soak_before(soak_place *p)
{
    spg_context_memory_reset(p->context);
    spg_context_memory(p->context, &p->held_bytes, NULL);
    p->blocks = test_live(&p->memory);
}

static bool left_nothing(soak_place *p, const char *call, spg_status status, const void *output, size_t bytes)
{
    int64_t held = 0;
    const unsigned char *byte = output;
    const char *name = spg_status_name(status);
    spg_context_memory(p->context, &held, NULL);
    if (held != p->held_bytes)
        return soak_fault("%s: %s, %s: %lld bytes are held, %lld were before", p->name, call, name, (long long)held,
                          (long long)p->held_bytes);
    if (test_live(&p->memory) != p->blocks)
        return soak_fault("%s: %s, %s: %lld blocks are held, %lld were before", p->name, call, name,
                          (long long)test_live(&p->memory), (long long)p->blocks);
    for (size_t k = 0; output != NULL && k < bytes; k++)
        if (byte[k] != 0) return soak_fault("%s: %s, %s: its output is not zeroed", p->name, call, name);
    if (spg_context_message(p->context)[0] == '\0')
        return soak_fault("%s: %s, %s: without a message", p->name, call, name);
    return true;
}

/* What is held after a call beyond what was before is its result. For hierarchies the limit bounds each step alone. */
static bool kept_to_limit(soak_place *p, const char *call)
{
    const int64_t limit = p->of->settings.workspace_limit;
    int64_t held = 0, peak = 0;
    spg_context_memory(p->context, &held, &peak);
    if (limit == 0 || peak - held <= limit || strncmp(call, "spg_amg_", 8) == 0) return true;
    return soak_fault("%s: %s: %lld bytes were held beside the %lld of its result, the limit is %lld", p->name, call,
                      (long long)(peak - held), (long long)(held - p->held_bytes), (long long)limit);
}

soak_outcome soak_after(soak_place *p, const char *call, spg_status status, const void *output, size_t bytes)
{
    if (status == SPG_OK) return kept_to_limit(p, call) ? SOAK_DONE : SOAK_WRONG;
    const bool refused = test_failed(&p->memory), limited = p->of->settings.workspace_limit > 0;
    if (status != SPG_ERROR_MEMORY || !(refused || limited)) {
        soak_fault("%s: %s: %s: %s", p->name, call, spg_status_name(status), spg_context_message(p->context));
        return SOAK_WRONG;
    }
    if (!left_nothing(p, call, status, output, bytes)) return SOAK_WRONG;
    soak_count(refused ? SOAK_END_REFUSED : SOAK_END_LIMIT);
    return SOAK_REFUSED;
}

soak_outcome soak_after_damage(soak_place *p, const char *call, spg_status status, bool must, const void *output,
                               size_t bytes)
{
    if (status == SPG_OK && !must) return SOAK_DONE;
    if (status == SPG_ERROR_MEMORY && p->of->settings.workspace_limit > 0)
        return soak_after(p, call, status, output, bytes);
    if (status != SPG_ERROR_FORMAT) {
        soak_fault("%s: %s of a malformed operand: %s: %s", p->name, call, spg_status_name(status),
                   spg_context_message(p->context));
        return SOAK_WRONG;
    }
    if (!left_nothing(p, call, status, output, bytes)) return SOAK_WRONG;
    soak_count(SOAK_END_MALFORMED);
    return SOAK_REFUSED;
}

void soak_arm(soak_place *p) { test_fail_at(&p->memory, p->of->settings.fail_at); }

void soak_disarm(soak_place *p) { test_fail_at(&p->memory, 0); }
