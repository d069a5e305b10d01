/* The operators of an updated hierarchy have the bits of the Galerkin product of the level above, whether the product
 * is small or large, its rows alike or not, and the matrix symmetric or not. */
#include "amg_reference.h"
#include "generators.h"

static void set_real(spg_csr *A, int64_t k, double value)
{
    if (A->value_type == SPG_F32)
        ((float *)A->values)[k] = (float)value;
    else
        ((double *)A->values)[k] = value;
}

/* The same pattern, each row multiplied by a number. */
static spg_csr with_scaled_rows(const spg_csr *A, bool same_number)
{
    spg_csr B;
    assert_int_equal(spg_csr_copy(test_host(), A, &B), SPG_OK);
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            set_real(&B, k, test_real(A, k) * (same_number ? 3 : 1 + (double)(i % 7) / 8));
    return B;
}

static void expect_products(const test_system *system)
{
    test_hierarchy found;
    test_fetch_hierarchy(system, &found);
    assert_true(found.levels > 1);
    for (int l = 0; l + 1 < found.levels; l++) {
        spg_csr product;
        assert_int_equal(spg_galerkin(test_host(), NULL, &found.level[l].A, &found.level[l].P, &product), SPG_OK);
        test_assert_same_csr(&product, &found.level[l + 1].A);
        spg_csr_free(test_host(), &product);
    }
    test_free_hierarchy(&found);
}

static void an_updated_operator_has_the_bits_of_the_product(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        spg_type type;
        int block_size;
    } cases[] = {{"fd2d5:400", SPG_F64, 1},  {"fd2d5:60", SPG_F64, 1}, {"fe2d9:60", SPG_F32, 1},
                 {"fd3d7:40", SPG_F32, 1},   {"tri2d:50", SPG_F64, 1}, {"elast3d:8", SPG_F64, 3},
                 {"ladder:3000", SPG_F64, 1}};
    for (size_t c = test_is_short() ? 1 : 0; c < sizeof cases / sizeof *cases; c++)
        for (int prepare = 0; prepare < 2; prepare++) {
            spg_csr A = test_generate(cases[c].name, cases[c].type);
            spg_amg_options options = spg_amg_options_default();
            test_system system;
            options.block_size = cases[c].block_size;
            options.max_coarse = 20;
            options.prepare_update = prepare;
            test_system_begin(&A, &options, 2, &system);
            for (int symmetric = 1; symmetric >= 0; symmetric--) {
                spg_csr B = with_scaled_rows(&A, symmetric), here;
                test_to_place(system.context, &B, &here);
                assert_int_equal(spg_amg_update(system.context, system.amg, &here), SPG_OK);
                expect_products(&system);
                spg_csr_free(system.context, &here);
                spg_csr_free(test_host(), &B);
            }
            test_system_end(&system);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_updated_operator_has_the_bits_of_the_product),
    };
    return TEST_RUN_HERE(argc, argv, "amg update product", tests);
}
