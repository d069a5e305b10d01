! Contexts, matrices and products: spg/types.h, context.h, csr.h, coo.h and spgemm.h, which say what each call does.
!
! Contexts and plans are type(c_ptr). What C takes as NULL is left out here. Arrays are passed by c_loc; they need the
! attribute target. Only spg_context_fail is not here, as Fortran has no arguments of any number.
module spg_products
  use spg_types
  implicit none

  interface

    type(c_ptr) function spg_version() bind(C)
      import
    end function

    integer(c_int) function spg_version_number() bind(C)
      import
    end function

    type(c_ptr) function spg_status_text(status) bind(C)
      import
      integer(c_int), value :: status
    end function

    type(c_ptr) function spg_status_name(status) bind(C)
      import
      integer(c_int), value :: status
    end function

    integer(c_size_t) function spg_type_size(type) bind(C)
      import
      integer(c_int), value :: type
    end function

    type(c_ptr) function spg_type_name(type) bind(C)
      import
      integer(c_int), value :: type
    end function

    type(spg_config) function spg_config_default() bind(C)
      import
    end function

    integer(c_int) function spg_context_create(config, context) bind(C)
      import
      type(spg_config), intent(in), optional :: config
      type(c_ptr), intent(out) :: context
    end function

    subroutine spg_context_destroy(context) bind(C)
      import
      type(c_ptr), value :: context
    end subroutine

    type(c_ptr) function spg_context_message(context) bind(C)
      import
      type(c_ptr), value :: context
    end function

    integer(c_int) function spg_context_place(context) bind(C)
      import
      type(c_ptr), value :: context
    end function

    integer(c_int) function spg_context_threads(context) bind(C)
      import
      type(c_ptr), value :: context
    end function

    type(c_ptr) function spg_context_describe(context) bind(C)
      import
      type(c_ptr), value :: context
    end function

    subroutine spg_context_memory(context, current_bytes, peak_bytes) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int64_t), intent(out) :: current_bytes, peak_bytes
    end subroutine

    subroutine spg_context_memory_reset(context) bind(C)
      import
      type(c_ptr), value :: context
    end subroutine

    integer(c_int) function spg_context_set_workspace_limit(context, bytes) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int64_t), value :: bytes
    end function

    integer(c_int) function spg_context_set_row_limits(context, limits) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_row_limits), intent(in), optional :: limits
    end function

    type(spg_csr) function spg_csr_view(rows, cols, nnz, offset_type, value_type, place, row_offsets, columns, &
        values) bind(C)
      import
      integer(c_int64_t), value :: rows, cols, nnz
      integer(c_int), value :: offset_type, value_type, place
      type(c_ptr), value :: row_offsets, columns, values
    end function

    integer(c_int) function spg_csr_alloc(context, rows, cols, nnz, offset_type, value_type, matrix) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int64_t), value :: rows, cols, nnz
      integer(c_int), value :: offset_type, value_type
      type(spg_csr), intent(inout) :: matrix
    end function

    subroutine spg_csr_free(context, matrix) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(inout) :: matrix
    end subroutine

    integer(c_int) function spg_csr_copy(context, source, copy) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: source
      type(spg_csr), intent(inout) :: copy
    end function

    integer(c_int) function spg_csr_check(context, matrix) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: matrix
    end function

    integer(c_int) function spg_csr_sort(context, matrix) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(inout) :: matrix
    end function

    integer(c_int) function spg_csr_transpose(context, matrix, transpose) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: matrix
      type(spg_csr), intent(inout) :: transpose
    end function

    integer(c_int) function spg_csr_spmv(context, alpha, matrix, x, beta, y) bind(C)
      import
      type(c_ptr), value :: context, alpha
      type(spg_csr), intent(in) :: matrix
      type(c_ptr), value :: x, beta, y
    end function

    type(spg_coo) function spg_coo_view(rows, cols, nnz, value_type, place, row_indices, columns, values) bind(C)
      import
      integer(c_int64_t), value :: rows, cols, nnz
      integer(c_int), value :: value_type, place
      type(c_ptr), value :: row_indices, columns, values
    end function

    integer(c_int) function spg_coo_alloc(context, rows, cols, nnz, value_type, matrix) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int64_t), value :: rows, cols, nnz
      integer(c_int), value :: value_type
      type(spg_coo), intent(inout) :: matrix
    end function

    subroutine spg_coo_free(context, matrix) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_coo), intent(inout) :: matrix
    end subroutine

    integer(c_int) function spg_coo_copy(context, source, copy) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_coo), intent(in) :: source
      type(spg_coo), intent(inout) :: copy
    end function

    integer(c_int) function spg_coo_check(context, matrix) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_coo), intent(in) :: matrix
    end function

    integer(c_int) function spg_coo_sort(context, matrix) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_coo), intent(inout) :: matrix
    end function

    integer(c_int) function spg_coo_transpose(context, matrix, transpose) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_coo), intent(in) :: matrix
      type(spg_coo), intent(inout) :: transpose
    end function

    integer(c_int) function spg_coo_spmv(context, alpha, matrix, x, beta, y) bind(C)
      import
      type(c_ptr), value :: context, alpha
      type(spg_coo), intent(in) :: matrix
      type(c_ptr), value :: x, beta, y
    end function

    integer(c_int) function spg_csr_from_coo(context, source, offset_type, matrix) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_coo), intent(in) :: source
      integer(c_int), value :: offset_type
      type(spg_csr), intent(inout) :: matrix
    end function

    integer(c_int) function spg_coo_from_csr(context, source, matrix) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: source
      type(spg_coo), intent(inout) :: matrix
    end function

    integer(c_int) function spgemm_csr(context, A, B, C) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: A, B
      type(spg_csr), intent(inout) :: C
    end function

    integer(c_int) function spgemm_plan_create(context, A, B, plan) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: A, B
      type(c_ptr), intent(out) :: plan
    end function

    integer(c_int) function spgemm_plan_run(plan, A, B, C) bind(C)
      import
      type(c_ptr), value :: plan
      type(spg_csr), intent(in) :: A, B
      type(spg_csr), intent(inout) :: C
    end function

    integer(c_int) function spgemm_plan_check(plan, A, B) bind(C)
      import
      type(c_ptr), value :: plan
      type(spg_csr), intent(in) :: A, B
    end function

    subroutine spgemm_plan_destroy(plan) bind(C)
      import
      type(c_ptr), value :: plan
    end subroutine

    integer(c_int) function spgemm_plan_stats(plan, stats) bind(C)
      import
      type(c_ptr), value :: plan
      type(spgemm_stats), intent(inout) :: stats
    end function

    integer(c_int) function spgemm_last_stats(context, stats) bind(C)
      import
      type(c_ptr), value :: context
      type(spgemm_stats), intent(inout) :: stats
    end function

    integer(c_int) function spgemm_analyse(context, A, B, C, limits, row_products, analysis) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: A, B
      type(spg_csr), intent(in), optional :: C
      type(spg_row_limits), intent(in), optional :: limits
      type(c_ptr), value :: row_products
      type(spgemm_analysis), intent(inout) :: analysis
    end function

  end interface

end module spg_products
