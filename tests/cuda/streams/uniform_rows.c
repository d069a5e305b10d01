/* See uniform_rows.h. */
#include "uniform_rows.h"

const alike_kind alike[ALIKE] = {{"tables of the threads' own", 14, 3, false, SPG_I32, SPG_F64},
                                 {"tables of the threads' own, f32", 14, 3, false, SPG_I32, SPG_F32},
                                 {"tables of the threads' own, c64", 14, 3, false, SPG_I32, SPG_C64},
                                 {"merging by threads, 64-bit offsets", 14, 3, false, SPG_I64, SPG_F64},
                                 {"merging by warps", 20, 6, true, SPG_I32, SPG_F64},
                                 {"tables", 40, 6, true, SPG_I32, SPG_F64},
                                 {"tables, 64-bit offsets", 40, 6, true, SPG_I64, SPG_F32},
                                 {"tables, kept rows", 40, 6, false, SPG_I32, SPG_F64}};

const hub_kind no_hubs = {"no hubs", 0, 0, 1, 0, false};

/* Entries of row i of A if it is hidden, and no hub. The 70 are of 18 columns, so that the row of C may be short. */
static int64_t hidden_length(int64_t i)
{
    switch (i) {
    case 61: return 100;
    case 605: return 900;
    case 2003: return 70;
    case 3001: return 3000;
    default: return i >= 1201 && i <= 1205 ? 300 : 0;
    }
}

static bool is_hub(int64_t i, const hub_kind *hubs) { return i % 6 == 1 && i / 6 >= 1 && i / 6 <= hubs->hubs; }

static void add_row_of_a(test_pattern *a, uint64_t *random, int64_t i, int64_t n, const alike_kind *kind,
                         const hub_kind *hubs)
{
    const bool hub = is_hub(i, hubs);
    const int64_t named = n - (hubs->long_b > 0 ? LONG_ROWS_OF_B : 0);
    const int64_t hidden = hub ? hubs->entries : hubs->are_alone ? 0 : hidden_length(i);
    const int64_t length = hidden > 0 ? hidden : kind->a, first = i < named - length ? i : named - length;
    if (hub && hubs->long_b > 0)
        for (int64_t e = named; e < n; ++e) test_add(a, e);
    else if (hidden == 70)
        for (int64_t e = 0; e < 70; ++e) test_add(a, i + e % 18);
    else if (kind->anywhere || hidden > 0)
        test_add_random(a, random, length, 0, named, true);
    else
        test_add_random(a, random, length, first, first + length, true);
    test_end_row(a);
}

void make_alike(const alike_kind *kind, int64_t n, const hub_kind *hubs, spg_csr *A, spg_csr *B)
{
    test_pattern a = {0}, b = {0};
    uint64_t random = 5;
    for (int64_t i = 0; i < n; ++i) {
        const bool is_long = hubs->long_b > 0 && i >= n - LONG_ROWS_OF_B;
        const int64_t length = is_long ? hubs->long_b : kind->b, first = i < n - length ? i : n - length;
        add_row_of_a(&a, &random, i, n, kind, hubs);
        if (kind->anywhere || is_long)
            test_add_random(&b, &random, length, 0, n, true);
        else
            test_add_random(&b, &random, length, first, first + length, true);
        test_end_row(&b);
    }
    for (int64_t e = 0; e < b.nnz; ++e) b.columns[e] *= (int32_t)hubs->apart;
    test_matrix_of(&a, n, kind->offset_type, kind->value_type, 6, TEST_INTEGER, A);
    test_matrix_of(&b, n * hubs->apart, kind->offset_type, kind->value_type, 7, TEST_INTEGER, B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}
