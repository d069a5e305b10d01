/* The memory of several right-hand sides at once. */
#include "many.h"

enum { ALIGNMENT = 256, LEAST_WIDTH = 4 };

int spg_amg_width_for(int64_t count)
{
    int width = LEAST_WIDTH;
    while (width < count && width < SPG_AMG_MOST_WIDTH) width *= 2;
    return width;
}

/* Hands out parts of one allocation; without memory, it only counts. */
typedef struct cursor {
    char *memory;
    int64_t bytes;
} cursor;

static void *take(cursor *at, int64_t bytes)
{
    void *const part = at->memory != NULL ? at->memory + at->bytes : NULL;
    at->bytes += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return part;
}

static void take_levels(const spg_amg *amg, spg_amg_many *many, cursor *at)
{
    for (int l = 0; l < amg->levels; ++l) {
        const int64_t block = spg_amg_vector_bytes(amg, amg->level[l].A.rows) * many->width;
        spg_amg_many_level *level = &many->level[l];
        level->x = l > 0 ? take(at, block) : NULL;
        level->b = l > 0 ? take(at, block) : NULL;
        level->r = take(at, block);
        level->d = amg->options.smoother == SPG_SMOOTHER_CHEBYSHEV ? take(at, block) : NULL;
    }
}

static void take_blocks(const spg_amg *amg, spg_amg_many *many, cursor *at)
{
    const int64_t block = spg_amg_system_bytes(amg) * many->width;
    void **const blocks[] = {&many->b, &many->x, &many->r, &many->z, &many->p, &many->q};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) *blocks[k] = take(at, block);
    if (amg->narrow == NULL) return;
    many->narrow_b = take(at, block / 2);
    many->narrow_x = take(at, block / 2);
}

static void take_all(const spg_amg *amg, spg_amg_many *many, cursor *at)
{
    const spg_amg_many_backend *backend = amg->backend->many;
    take_levels(amg, many, at);
    take_blocks(amg, many, at);
    many->scalars = take(at, (int64_t)sizeof *many->scalars);
    many->squares = take(at, SPG_AMG_MOST_WIDTH * (int64_t)sizeof *many->squares);
    many->again = take(at, SPG_AMG_MOST_WIDTH * (int64_t)sizeof *many->again);
    many->workspace = take(at, backend->dot_bytes(amg->system.rows, many->width));
    many->dense_workspace = amg->dense != NULL ? take(at, backend->dense_bytes(amg->dense, many->width)) : NULL;
}

static int64_t level_bytes(const spg_amg *amg, const spg_amg_many *many)
{
    return amg->levels * (int64_t)sizeof *many->level;
}

static void give(spg_amg *amg, spg_amg_many_block *block)
{
    if (block->memory != NULL) spg_amg_give(amg, NULL, block->memory, block->bytes);
    *block = (spg_amg_many_block){NULL, 0};
}

void spg_amg_many_destroy(spg_amg *amg)
{
    spg_amg_many *many = amg->many;
    if (many == NULL) return;
    spg_amg_forget_cycles(amg);
    give(amg, &many->block);
    for (int k = 0; k < many->outgrown_count; ++k) give(amg, &many->outgrown[k]);
    spg_amg_give_on_host(amg, many->level, level_bytes(amg, many));
    spg_amg_give_on_host(amg, many, sizeof *many);
    amg->many = NULL;
}

/* Takes a larger block. One that a captured call uses stays until the hierarchy is destroyed. */
static spg_status grow(spg_amg *amg, spg_amg_many *many, int64_t bytes)
{
    spg_amg_many_block larger = {NULL, bytes};
    if (!many->is_captured) give(amg, &many->block);
    spg_status status = spg_amg_take(amg, NULL, bytes, "vectors of several right-hand sides", &larger.memory);
    if (status != SPG_OK) return status;
    if (many->block.memory != NULL) many->outgrown[many->outgrown_count++] = many->block;
    many->block = larger;
    many->is_captured = false;
    return SPG_OK;
}

/* Takes the parts from the block that there is, if it is large enough. If it cannot grow, a captured one is as it was.
 */
static spg_status set_width(spg_amg *amg, spg_amg_many *many, int width)
{
    const int before = many->width;
    cursor at = {0};
    spg_amg_forget_cycles(amg); /* those of another width */
    many->width = width;
    take_all(amg, many, &at);
    spg_status status = at.bytes > many->block.bytes ? grow(amg, many, at.bytes) : SPG_OK;
    if (status != SPG_OK) many->width = before;
    if (many->block.memory == NULL) return status;
    at = (cursor){many->block.memory, 0};
    take_all(amg, many, &at);
    if (status != SPG_OK) return status;
    /* read completely before any of it is written */
    return amg->context->backend->zero_bytes(amg->context, many->scalars, (int64_t)sizeof *many->scalars);
}

static spg_status allocate(spg_amg *amg, spg_amg_many **many)
{
    spg_status status = spg_amg_take_on_host(amg, sizeof **many, "several right-hand sides", (void **)many);
    if (status != SPG_OK) return status;
    amg->many = *many;
    return spg_amg_take_on_host(amg, level_bytes(amg, *many), "levels of a solve", (void **)&(*many)->level);
}

spg_status spg_amg_many_create(spg_amg *amg, int width)
{
    const spg_context *context = amg->context;
    spg_amg_many *many = amg->many;
    spg_status status = many == NULL ? allocate(amg, &many) : SPG_OK;
    if (status == SPG_OK && many->width != width) status = set_width(amg, many, width);
    if (status == SPG_OK && context->backend->is_captured != NULL && context->backend->is_captured(context))
        many->is_captured = true;
    if (status != SPG_OK && (many == NULL || !many->is_captured)) spg_amg_many_destroy(amg);
    return status;
}
