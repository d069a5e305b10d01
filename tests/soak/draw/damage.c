/* See damage.h. */
#include "damage.h"

#include "host_matrix.h"

static int64_t row_of(const spg_csr *matrix, int64_t entry)
{
    int64_t row = 0;
    while (soak_offset(matrix, row + 1) <= entry) row++;
    return row;
}

static bool damage_column(spg_csr *broken, const soak_damage *damage, int64_t *row)
{
    const int64_t entry = (int64_t)(damage->where * (double)broken->nnz);
    const bool far = (int64_t)(damage->where * 1000) % 2 == 0;
    if (broken->nnz == 0) return false;
    *row = row_of(broken, entry);
    if (damage->kind == SOAK_COLUMN_NEGATIVE)
        broken->columns[entry] = far ? INT32_MIN : -1;
    else
        broken->columns[entry] = far ? INT32_MAX : (int32_t)broken->cols;
    return true;
}

static bool damage_row(spg_csr *broken, const soak_damage *damage, int64_t *row)
{
    const int64_t entry = (int64_t)(damage->where * (double)broken->nnz);
    const bool far = (int64_t)(damage->where * 1000) % 2 == 0;
    if (broken->nnz == 0) return false;
    *row = row_of(broken, entry);
    const int64_t begin = soak_offset(broken, *row), end = soak_offset(broken, *row + 1);
    for (int64_t k = begin; k < end; k++) {
        const int64_t high = broken->cols + (k - begin), most = INT32_MAX;
        broken->columns[k] = (int32_t)(far ? INT32_MIN + (k - begin) : high < most ? high : most);
    }
    return true;
}

/* Of offset `row`, which ends the row before and begins this one. */
static bool damage_offset(spg_csr *broken, const soak_damage *damage, int64_t *row)
{
    if (broken->rows < 2) return false;
    const int64_t at = 1 + (int64_t)(damage->where * (double)(broken->rows - 1));
    const int64_t next = soak_offset(broken, at + 1);
    *row = at - 1;
    switch (damage->kind) {
    case SOAK_OFFSET_HIGH: soak_set_offset(broken, at, broken->nnz + 1 + (int64_t)(damage->where * 1000)); break;
    case SOAK_OFFSET_NEGATIVE: soak_set_offset(broken, at, -1 - (int64_t)(damage->where * 1000)); break;
    default:
        *row = at; /* the row before becomes longer, this one ends before it begins */
        soak_set_offset(broken, at, next + 1);
    }
    return true;
}

bool soak_damage_matrix(const spg_csr *matrix, const soak_damage *damage, spg_csr *broken, int64_t *row)
{
    bool done = false;
    if (damage->kind == SOAK_SOUND) return false;
    *broken = soak_matrix_copy(matrix);
    *row = 0;
    switch (damage->kind) {
    case SOAK_COLUMN_HIGH:
    case SOAK_COLUMN_NEGATIVE: done = damage_column(broken, damage, row); break;
    case SOAK_ROW_OUTSIDE: done = damage_row(broken, damage, row); break;
    case SOAK_FIRST_OFFSET:
        soak_set_offset(broken, 0, 1);
        done = broken->rows > 0;
        break;
    case SOAK_LAST_OFFSET:
        soak_set_offset(broken, broken->rows, broken->nnz + (damage->where < 0.5 && broken->nnz > 0 ? -1 : 1));
        *row = broken->rows - 1;
        done = broken->rows > 0;
        break;
    default: done = damage_offset(broken, damage, row);
    }
    if (!done) soak_matrix_free(broken);
    return done;
}

bool soak_names_column(const spg_csr *A, int64_t column)
{
    for (int64_t k = 0; k < A->nnz; k++)
        if (A->columns[k] == column) return true;
    return false;
}
