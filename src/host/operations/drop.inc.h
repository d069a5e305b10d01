/* A row without its small entries. Template; see value_types.h. */

static double NAMED(modulus_of)(VALUE value) { return spg_modulus(NAMED(re)(value), NAMED(im)(value)); }

static int64_t NAMED(drop_row)(const void *data, int64_t row, int32_t *columns, void *kept)
{
    const drop_job *job = data;
    const spg_csr *matrix = job->matrix;
    const VALUE *values = matrix->values;
    const int64_t begin = spg_offset_at(matrix, row), end = spg_offset_at(matrix, row + 1);
    double largest = 0;
    for (int64_t k = begin; k < end && job->rule->relative > 0; ++k) {
        const double modulus = NAMED(modulus_of)(values[k]);
        if (modulus > largest) largest = modulus;
    }
    int64_t count = 0;
    for (int64_t k = begin; k < end; ++k) {
        const double modulus = NAMED(modulus_of)(values[k]);
        const bool stays = job->rule->keep_diagonal && matrix->columns[k] == row;
        if (!stays && (modulus <= job->rule->absolute || modulus < job->rule->relative * largest)) continue;
        if (columns != NULL) {
            columns[count] = matrix->columns[k];
            ((VALUE *)kept)[count] = values[k];
        }
        ++count;
    }
    return count;
}
