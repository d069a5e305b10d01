/* The names of the generators, and functions shared by all families. */
#include "families.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct generator {
    const char *name;
    int64_t size;         /* the default N */
    bool has_size_suffix; /* "rmat16" means rmat of size 16 */
    spg_status (*generate)(const generator_request *request, spg_csr *matrix);
    const char *description;
} generator;

static const generator generators[] = {
    {"fd2d5", 1024, false, generate_fd2d5, "fd2d5        Laplacian, 5 points, N x N grid (1024)"},
    {"fe2d9", 1024, false, generate_fe2d9, "fe2d9        Laplacian, 9 points, N x N grid (1024)"},
    {"fd3d7", 101, false, generate_fd3d7, "fd3d7        Laplacian, 7 points, N x N x N grid (101)"},
    {"fe3d27", 101, false, generate_fe3d27, "fe3d27       Laplacian, 27 points, N x N x N grid (101)"},
    {"tri2d", 1024, false, generate_tri2d,
     "tri2d        random triangulation of N x N vertices, partly renumbered (1024)"},
    {"tet3d", 101, false, generate_tet3d, "tet3d        tetrahedra on N x N x N vertices, partly renumbered (101)"},
    {"elast3d", 28, false, generate_elast3d, "elast3d      27 points, 3 unknowns each, N x N x N-1 grid (28)"},
    {"econ", 206500, false, generate_econ, "econ         N rows of 5 random columns near the diagonal (206500)"},
    {"rmat", 16, true, generate_rmat, "rmatN        R-MAT graph of 2^N vertices, 16 edges each (16)"},
    {"random", 250000, false, generate_random, "random       N rows of 7 random columns anywhere (250000)"},
    {"arrow", 4096, false, generate_arrow, "arrow        N rows: the first, the first column and the diagonal (4096)"},
    {"ladder", 100000, false, generate_ladder,
     "ladder       N rows of 1 to N/8 entries; A*A: to N products a row (100000)"},
    {"empty", 1000000, false, generate_empty, "empty        N rows without entries (1000000)"},
    {"hypersparse", 1000000, false, generate_hypersparse, "hypersparse  N rows, most of them empty (1000000)"},
    {"solid3d", 28, false, generate_solid3d,
     "solid3d      elasticity, N^3 nodes of 3 unknowns, one side clamped (28);\n"
     "               \":N:R\": of Poisson's ratio R (0.3)"},
    {"stretch2d", 512, false, generate_stretch2d,
     "stretch2d    diffusion, N^2 points of a grid stretched 1:1000 (512)"},
    {"layers3d", 64, false, generate_layers3d,
     "layers3d     diffusion, N^3 points, 10^-3 as strong across layers (64)"},
    {"aniso2d", 512, false, generate_aniso2d,
     "aniso2d      anisotropic diffusion, N^2 points (512); \":N:E:A\": E times as\n"
     "               strong across the direction of A degrees (0.001, 45)"},
    {"conv2d", 512, false, generate_conv2d,
     "conv2d       wind and diffusion, unsymmetric, N^2 points (512); \":N:E\":\n"
     "               diffusion E beside a wind of 1 (0.01)"},
    {"recirc2d", 512, false, generate_recirc2d, "recirc2d     the same in a flow that recirculates (512; 0.005)"},
    {"magnet2d", 512, false, generate_magnet2d,
     "magnet2d     Laplacian in a magnetic field, for complex types, N^2 points\n"
     "               (512); \":N:F\": F flux quanta through the grid (8)"},
    {"magnet3d", 64, false, generate_magnet3d, "magnet3d     the same on N^3 points (64; 8)"},
};

/* The numbers that may follow a size. */
enum { MOST_NUMBERS = 2 };
static const struct {
    spg_status (*of)(const generator_request *request, spg_csr *matrix);
    int count;
    double defaults[MOST_NUMBERS];
} numbered[] = {{generate_aniso2d, 2, {1e-3, 45}}, {generate_conv2d, 1, {1e-2}}, {generate_recirc2d, 1, {5e-3}},
                {generate_solid3d, 1, {0.3}},      {generate_magnet2d, 1, {8}},  {generate_magnet3d, 1, {8}}};

enum { GENERATORS = sizeof generators / sizeof *generators };

const char *generator_description(int k) { return k >= 0 && k < GENERATORS ? generators[k].description : NULL; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Finds the generator with which `name` begins, followed by nothing, by ':' or, for some generators, by digits. *size
 * is the text of the size, or NULL if there is none. */
static const generator *find_generator(const char *name, const char **size)
{
    for (int k = 0; k < GENERATORS; k++) {
        size_t length = strlen(generators[k].name);
        if (strncmp(name, generators[k].name, length) != 0) continue;
        const char *rest = name + length;
        if (generators[k].has_size_suffix && is_digit(*rest)) {
            *size = rest;
            while (is_digit(*rest)) rest++;
            if (*rest == '\0') return &generators[k];
        }
        *size = *rest == ':' ? rest + 1 : NULL;
        if (*rest == ':' || *rest == '\0') return &generators[k];
    }
    return NULL;
}

bool is_generator_name(const char *name)
{
    const char *size;
    return name != NULL && find_generator(name, &size) != NULL;
}

static spg_status refuse_name(spg_context *context, const char *name)
{
    char names[240] = "";
    size_t used = 0;
    for (int k = 0; k < GENERATORS && used < sizeof names; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, " %s%s", generators[k].name,
                                 generators[k].has_size_suffix ? "16" : "");
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "unknown generator '%.80s'; use one of%s", name, names);
}

/* Numbers of which every generator makes finite values, in single precision too. */
static bool is_in_range(double number)
{
    const double most = 1e30, modulus = fabs(number);
    return modulus == 0 || (modulus >= 1 / most && modulus <= most);
}

static spg_status refuse_number(const generator_request *request, double number)
{
    return spg_context_fail(request->context, SPG_ERROR_ARGUMENT,
                            "%.80s: %g is out of range; a number is 0, or its modulus is from 1e-30 to 1e30",
                            request->name, number);
}

/* Numbers after the size: `text` begins with the ':' of the first or is at its end. */
static spg_status parse_numbers(generator_request *request, const generator *of, const char *text)
{
    const char *at = text;
    for (size_t g = 0; g < sizeof numbered / sizeof *numbered; g++) {
        if (numbered[g].of != of->generate) continue;
        memcpy(request->number, numbered[g].defaults, sizeof request->number);
        for (int k = 0; k < numbered[g].count && *at == ':'; k++) {
            char *end;
            request->number[k] = strtod(at + 1, &end);
            if (end == at + 1 || !isfinite(request->number[k])) break;
            if (!is_in_range(request->number[k])) return refuse_number(request, request->number[k]);
            at = end;
        }
    }
    if (*at == '\0') return SPG_OK;
    return spg_context_fail(request->context, SPG_ERROR_ARGUMENT,
                            "%.80s: '%.40s' is not what a size is followed by; write fd2d5:64, and numbers only where "
                            "there are some, as in aniso2d:64:0.001:45",
                            request->name, at);
}

/* The size and what follows it. A size beyond int64_t becomes INT64_MAX, which is too large for every generator. */
static spg_status parse_size(generator_request *request, const generator *of, const char *text)
{
    if (text == NULL) return parse_numbers(request, of, "");
    int64_t value = 0;
    const char *c = text;
    for (; is_digit(*c); c++) value = value > (INT64_MAX - 9) / 10 ? INT64_MAX : 10 * value + (*c - '0');
    if (c == text || (*c != '\0' && *c != ':'))
        return spg_context_fail(request->context, SPG_ERROR_ARGUMENT,
                                "%.80s: '%.40s' is not a size; write it as in fd2d5:64", request->name, text);
    request->size = value;
    return parse_numbers(request, of, c);
}

bool has_rigid_body_modes(const char *name)
{
    const char *size;
    const generator *found = name != NULL ? find_generator(name, &size) : NULL;
    return found != NULL && (found->generate == generate_elast3d || found->generate == generate_solid3d);
}

spg_status generate_rigid_body_modes(spg_context *context, const char *name, spg_type value_type, void *values)
{
    if (context == NULL || values == NULL || (value_type != SPG_F32 && value_type != SPG_F64))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                                "generate_rigid_body_modes: values is NULL, or value_type is not f32 or f64");
    if (!has_rigid_body_modes(name))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%.80s has no rigid-body modes",
                                name != NULL ? name : "NULL");
    const char *size;
    const generator *found = find_generator(name, &size);
    generator_request request = {context, name, found->size, {0}, 0, value_type};
    spg_status status = parse_size(&request, found, size);
    if (status != SPG_OK) return status;
    const bool is_flat = found->generate == generate_elast3d && request.size > 0;
    const grid nodes = {request.size, request.size, is_flat ? request.size - 1 : request.size};
    put_rigid_body_modes(&nodes, value_type, values);
    return SPG_OK;
}

static spg_status check_host(spg_context *context)
{
    if (spg_context_place(context) == SPG_PLACE_HOST) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_PLACE, "matrices are generated on the host; the context is on a device");
}

spg_status generate_matrix(spg_context *context, const char *name, uint64_t seed, spg_type value_type, spg_csr *matrix)
{
    if (context == NULL || matrix == NULL)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "generate_matrix: matrix is NULL");
    memset(matrix, 0, sizeof *matrix);
    if (name == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "generate_matrix: name is NULL");
    if (value_type != SPG_F32 && value_type != SPG_F64 && value_type != SPG_C32 && value_type != SPG_C64)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "generate_matrix: value_type %d is not a value type",
                                (int)value_type);
    const char *size;
    const generator *found = find_generator(name, &size);
    if (found == NULL) return refuse_name(context, name);
    generator_request request = {context, name, found->size, {0}, seed, value_type};
    spg_status status = check_host(context);
    if (status == SPG_OK) status = parse_size(&request, found, size);
    return status == SPG_OK ? found->generate(&request, matrix) : status;
}

spg_status check_positive(const generator_request *request, const char *what)
{
    if (request->number[0] > 0) return SPG_OK;
    return spg_context_fail(request->context, SPG_ERROR_ARGUMENT, "%.80s: %s is %g, not above 0", request->name, what,
                            request->number[0]);
}

spg_status check_order(const generator_request *request, int64_t n)
{
    if (n <= INT32_MAX) return SPG_OK;
    return spg_context_fail(request->context, SPG_ERROR_OVERFLOW,
                            "%.80s: more than 2147483647 rows and columns; 32-bit indices allow no more",
                            request->name);
}

spg_status allocate_square(const generator_request *request, int64_t n, int64_t nnz, spg_csr *matrix)
{
    return spg_csr_alloc(request->context, n, n, nnz, nnz <= INT32_MAX ? SPG_I32 : SPG_I64, request->value_type,
                         matrix);
}

spg_status allocate_scratch(spg_context *context, int64_t count, size_t element_size, void **memory)
{
    *memory = NULL;
    if ((uint64_t)count <= SIZE_MAX / 2 / element_size) *memory = malloc(count > 0 ? (size_t)count * element_size : 1);
    if (*memory != NULL) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_MEMORY, "no memory for a generator: %lld elements of %zu bytes",
                            (long long)count, element_size);
}
