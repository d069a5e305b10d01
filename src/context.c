/* Contexts: configuration, messages, and the choice of the backend. */
#include "backend.h"
#include "host_blocks.h"
#include "memory.h"
#include "threads/cores.h"
#include "threads/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

spg_config spg_config_default(void)
{
    spg_config config;
    memset(&config, 0, sizeof config);
    config.place = SPG_PLACE_AUTO;
    config.device = -1;
    config.keep_bytes = (int64_t)2 << 30;
    config.row_limits = (spg_row_limits){-1, -1, -1};
    return config;
}

const spg_backend *spg_find_backend(spg_place place)
{
    if (place == SPG_PLACE_HOST) return spg_host_backend();
#ifdef SPG_WITH_CUDA
    if (place == SPG_PLACE_DEVICE) return spg_cuda_backend();
#endif
    return NULL;
}

enum { MOST_THREADS = 4096 };

/* The number in OMP_NUM_THREADS, or the first of a list; 0 if it is not set or not a number. */
static int threads_of_environment(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    const long threads = text != NULL ? strtol(text, NULL, 10) : 0;
    return threads > 0 && threads <= MOST_THREADS ? (int)threads : 0;
}

static int resolve_threads(const spg_config *config)
{
#if SPG_WITH_THREADS
    if (config->threads > 0 && config->oversubscribe) return config->threads;
    const int asked = config->threads > 0 ? config->threads : threads_of_environment();
    const int cores = spg_usable_cores("");
    const int threads = asked > 0 && asked < cores ? asked : cores;
    return threads < MOST_THREADS ? threads : MOST_THREADS;
#else
    (void)config;
    (void)threads_of_environment;
    return 1;
#endif
}

static bool limits_are_valid(const spg_row_limits *limits)
{
    return limits->thread >= -1 && limits->warp >= -1 && limits->cta >= -1;
}

/* NULL if config is valid. */
static const char *find_fault(const spg_config *config)
{
    if ((unsigned)config->place > (unsigned)SPG_PLACE_AUTO) return "config: place is not an spg_place";
    if (config->device < -1) return "config: device must be -1 or more";
    if (config->threads < 0 || config->threads > MOST_THREADS) return "config: threads must be in [0, 4096]";
    if ((config->allocator.allocate == NULL) != (config->allocator.release == NULL))
        return "config: allocator needs both functions or neither";
    if (config->workspace_limit < 0) return "config: workspace_limit must not be negative";
    if (config->keep_bytes < 0) return "config: keep_bytes must not be negative";
    if (!limits_are_valid(&config->row_limits)) return "config: each of row_limits must be -1 or more";
    return NULL;
}

static const char *no_device(void)
{
#ifdef SPG_WITH_CUDA
    return spg_cuda_absence();
#else
    return "config: place: this build has no backend for a device; configure it with SPG_CUDA=ON, or use the host";
#endif
}

/* For failures before a context exists that could store the message. */
static spg_status refuse(const spg_config *config, spg_status status, const char *why)
{
    if (config->log != NULL) config->log(config->log_user, why);
    return status;
}

spg_status spg_context_create(const spg_config *config, spg_context **context)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    *context = NULL;
    spg_config chosen = config != NULL ? *config : spg_config_default();
    const char *fault = find_fault(&chosen);
    if (fault != NULL) return refuse(&chosen, SPG_ERROR_ARGUMENT, fault);
    const spg_backend *backend = NULL;
    if (chosen.place != SPG_PLACE_HOST) backend = spg_find_backend(SPG_PLACE_DEVICE);
    if (backend == NULL && chosen.place != SPG_PLACE_DEVICE) backend = spg_find_backend(SPG_PLACE_HOST);
    if (backend == NULL) return refuse(&chosen, SPG_ERROR_PLACE, no_device());
    spg_context *created = calloc(1, sizeof *created);
    if (created == NULL) return refuse(&chosen, SPG_ERROR_MEMORY, "no memory for a context");
    chosen.place = backend->place;
    chosen.threads = resolve_threads(&chosen);
    created->config = chosen;
    created->backend = backend;
    created->pool = spg_pool_create(chosen.threads);
    if (created->pool == NULL) {
        free(created);
        return refuse(&chosen, SPG_ERROR_MEMORY, "no memory for a context");
    }
    spg_status status = backend->open != NULL ? backend->open(created) : SPG_OK;
    if (status != SPG_OK) {
        const bool is_told = created->message[0] != '\0'; /* and so the log has it */
        spg_pool_destroy(created->pool);
        free(created);
        return is_told ? status : refuse(&chosen, status, "config: no such device, or it cannot be opened");
    }
    backend->describe(created, created->description, sizeof created->description);
    if (chosen.log != NULL) chosen.log(chosen.log_user, created->description);
    *context = created;
    return SPG_OK;
}

void spg_context_destroy(spg_context *context)
{
    if (context == NULL) return;
    spg_release_kept(context);
    if (context->backend->close != NULL) context->backend->close(context);
    spg_pool_destroy(context->pool);
    free(context);
}

const char *spg_context_message(const spg_context *context) { return context != NULL ? context->message : ""; }

spg_place spg_context_place(const spg_context *context)
{
    return context != NULL ? context->config.place : SPG_PLACE_HOST;
}

int spg_context_threads(const spg_context *context) { return context != NULL ? context->config.threads : 0; }

const char *spg_context_describe(const spg_context *context) { return context != NULL ? context->description : ""; }

void spg_context_memory(const spg_context *context, int64_t *current_bytes, int64_t *peak_bytes)
{
    if (current_bytes != NULL) *current_bytes = context != NULL ? context->current_bytes : 0;
    if (peak_bytes != NULL) *peak_bytes = context != NULL ? context->peak_bytes : 0;
}

void spg_context_memory_reset(spg_context *context)
{
    if (context != NULL) context->peak_bytes = context->current_bytes;
}

spg_status spg_context_set_workspace_limit(spg_context *context, int64_t bytes)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (bytes < 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "workspace limit is %lld bytes; it must not be negative",
                                (long long)bytes);
    context->config.workspace_limit = bytes;
    return SPG_OK;
}

spg_status spg_context_set_row_limits(spg_context *context, const spg_row_limits *limits)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (limits == NULL || !limits_are_valid(limits))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "row limits: each must be -1 (default) or more");
    context->config.row_limits = *limits;
    return SPG_OK;
}

spg_status spg_context_fail(spg_context *context, spg_status status, const char *format, ...)
{
    if (context == NULL) return status;
    char message[sizeof context->message]; /* separate: the arguments may refer to the message before */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    memcpy(context->message, message, sizeof message);
    if (context->config.log == NULL) return status;
    context->config.log(context->config.log_user, message);
    memcpy(context->message, message, sizeof message); /* a call that failed within the log has replaced it */
    return status;
}

spg_row_limits spg_resolve_row_limits(const spg_context *context, const spg_row_limits *limits)
{
    spg_row_limits chosen = limits != NULL ? *limits : context->config.row_limits;
    const spg_row_limits *defaults = &context->backend->default_limits;
    if (chosen.thread < 0) chosen.thread = defaults->thread;
    if (chosen.warp < 0) chosen.warp = defaults->warp;
    if (chosen.cta < 0) chosen.cta = defaults->cta;
    return chosen;
}
