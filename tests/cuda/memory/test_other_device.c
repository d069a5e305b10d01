/* Arrays that lie on another device than the context's are refused, with both devices named. What a driver would say of
 * them is a table of the test's, so that no device is needed, let alone two. */
#include "matrices_for_tests.h"
#include "test_support.h"

#include "argument.h"
#include "device.h"

#include <cuda.h>
#include <string.h>

enum { OWN = 2, OTHER = 5 };

/* What the driver says of an array. */
typedef struct answer {
    unsigned int type;
    int device;
    bool is_managed; /* a byte, as the driver writes it */
} answer;
static const answer on_own = {CU_MEMORYTYPE_DEVICE, OWN, false}, on_other = {CU_MEMORYTYPE_DEVICE, OTHER, false},
                    managed_by_other = {CU_MEMORYTYPE_DEVICE, OTHER, true}, on_host = {CU_MEMORYTYPE_HOST, 0, false};

/* Three arrays of a matrix, never read. */
enum { ARRAYS = 3 };
static _Alignas(16) char arrays[ARRAYS][16];
static answer answers[ARRAYS];

static CUresult CUDAAPI answer_for(unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr memory)
{
    for (int k = 0; k < ARRAYS; ++k) {
        const CUdeviceptr begin = (CUdeviceptr)(uintptr_t)arrays[k];
        if (memory < begin || memory >= begin + sizeof arrays[k]) continue;
        for (unsigned int n = 0; n < count; ++n) {
            if (attributes[n] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
                memcpy(data[n], &answers[k].type, sizeof answers[k].type);
            else if (attributes[n] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
                memcpy(data[n], &answers[k].device, sizeof answers[k].device);
            else if (attributes[n] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
                memcpy(data[n], &answers[k].is_managed, sizeof answers[k].is_managed);
            else
                return CUDA_ERROR_INVALID_VALUE;
        }
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* A context on device OWN, as far as arguments are checked; it allocates nothing. */
typedef struct fixture {
    spg_context context;
    spg_cuda cuda;
    spg_csr csr;
    spg_coo coo;
} fixture;

static int open_fixture(void **state)
{
    static fixture f;
    CUresult(CUDAAPI * ask)(unsigned int, CUpointer_attribute *, void **, CUdeviceptr) = answer_for;
    memset(&f, 0, sizeof f);
    memcpy(&f.cuda.pointer_attribute, &ask, sizeof ask);
    f.cuda.device = OWN;
    f.context.config.place = SPG_PLACE_DEVICE;
    f.context.config.device = OWN;
    f.context.backend_state = &f.cuda;
    f.csr = (spg_csr){1, 1, 1, SPG_I32, SPG_F64, SPG_PLACE_DEVICE, arrays[0], (int32_t *)(void *)arrays[1], arrays[2]};
    f.coo = (spg_coo){.rows = 1,
                      .cols = 1,
                      .nnz = 1,
                      .value_type = SPG_F64,
                      .place = SPG_PLACE_DEVICE,
                      .row_indices = (int32_t *)(void *)arrays[0],
                      .columns = (int32_t *)(void *)arrays[1],
                      .values = arrays[2]};
    for (int k = 0; k < ARRAYS; ++k) answers[k] = on_own;
    *state = &f;
    return 0;
}

static void an_array_of_another_device_is_refused_by_name_and_number(void **state)
{
    fixture *f = *state;
    static const char *const csr_names[ARRAYS] = {"A: row_offsets", "A: columns", "A: values"};
    static const char *const coo_names[ARRAYS] = {"T: row_indices", "T: columns", "T: values"};
    for (int k = 0; k < ARRAYS; ++k) {
        answers[k] = on_other;
        assert_int_equal(spg_check_csr_here(&f->context, &f->csr, "A"), SPG_ERROR_PLACE);
        test_assert_message(&f->context, csr_names[k]);
        test_assert_message(&f->context, "lies on device 5, the context works on device 2");
        assert_int_equal(spg_check_coo_here(&f->context, &f->coo, "T"), SPG_ERROR_PLACE);
        test_assert_message(&f->context, coo_names[k]);
        test_assert_message(&f->context, "lies on device 5, the context works on device 2");
        assert_int_equal(spg_check_array_here(&f->context, arrays[k], 8, "x"), SPG_ERROR_PLACE);
        test_assert_message(&f->context, "x lies on device 5, the context works on device 2");
        answers[k] = on_own;
    }
}

static void arrays_of_the_contexts_own_device_are_taken(void **state)
{
    fixture *f = *state;
    assert_int_equal(spg_check_csr_here(&f->context, &f->csr, "A"), SPG_OK);
    assert_int_equal(spg_check_coo_here(&f->context, &f->coo, "T"), SPG_OK);
    assert_int_equal(spg_check_array_here(&f->context, arrays[0], 8, "x"), SPG_OK);
}

static void arrays_that_every_device_reaches_are_taken(void **state)
{
    fixture *f = *state;
    for (int k = 0; k < ARRAYS; ++k) answers[k] = managed_by_other;
    assert_int_equal(spg_check_csr_here(&f->context, &f->csr, "A"), SPG_OK);
    assert_int_equal(spg_check_array_here(&f->context, arrays[0], 8, "x"), SPG_OK);
}

/* A kernel that reads such an array ends the process's use of the device. */
static void an_array_that_is_not_aligned_to_its_entries_is_refused(void **state)
{
    fixture *f = *state;
    assert_int_equal(spg_check_array_here(&f->context, arrays[0] + 4, 4, "x"), SPG_OK);
    assert_int_equal(spg_check_array_here(&f->context, arrays[0] + 4, 8, "x"), SPG_ERROR_ARGUMENT);
    test_assert_message(&f->context, "x: its address is not a multiple of 8, the bytes of an entry");
    f->csr.values = arrays[2] + 4;
    assert_int_equal(spg_check_csr_here(&f->context, &f->csr, "A"), SPG_ERROR_ARGUMENT);
    test_assert_message(&f->context, "A: values: its address is not a multiple of 8");
    f->csr.columns = (int32_t *)(void *)(arrays[1] + 2);
    assert_int_equal(spg_check_csr_here(&f->context, &f->csr, "A"), SPG_ERROR_ARGUMENT);
    test_assert_message(&f->context, "A: columns: its address is not a multiple of 4");
    f->coo.values = arrays[2] + 4;
    assert_int_equal(spg_check_coo_here(&f->context, &f->coo, "T"), SPG_ERROR_ARGUMENT);
    test_assert_message(&f->context, "T: values: its address is not a multiple of 8");
}

static void an_array_of_the_host_is_told_as_one(void **state)
{
    fixture *f = *state;
    answers[1] = on_host;
    assert_int_equal(spg_check_csr_here(&f->context, &f->csr, "A"), SPG_ERROR_PLACE);
    test_assert_message(&f->context, "A: columns does not lie on the device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_array_of_another_device_is_refused_by_name_and_number, open_fixture),
        cmocka_unit_test_setup(arrays_of_the_contexts_own_device_are_taken, open_fixture),
        cmocka_unit_test_setup(arrays_that_every_device_reaches_are_taken, open_fixture),
        cmocka_unit_test_setup(an_array_that_is_not_aligned_to_its_entries_is_refused, open_fixture),
        cmocka_unit_test_setup(an_array_of_the_host_is_told_as_one, open_fixture),
    };
    return cmocka_run_group_tests_name("arrays of another device", tests, NULL, NULL);
}
