! Operations on CSR matrices: sums, scaling, diagonals, permutations, parts, comparison, products with several vectors, real
! forms.
! include/spg/operations.h says what each call does.
module spg_operations
  use spg_types
  implicit none

  interface
    integer(c_int) function spg_csr_add(context, alpha, A, beta, B, C) bind(C)
      import
      type(c_ptr), value :: context, alpha
      type(spg_csr), intent(in) :: A
      type(c_ptr), value :: beta
      type(spg_csr), intent(in) :: B
      type(spg_csr), intent(inout) :: C
    end function

    integer(c_int) function spg_csr_scale(context, row_factors, column_factors, matrix) bind(C)
      import
      type(c_ptr), value :: context, row_factors, column_factors
      type(spg_csr), intent(inout) :: matrix
    end function

    integer(c_int) function spg_csr_diagonal(context, matrix, diagonal) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: matrix
      type(c_ptr), value :: diagonal
    end function

    integer(c_int) function spg_csr_permute(context, matrix, row_order, column_order, permuted) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: matrix
      type(c_ptr), value :: row_order, column_order
      type(spg_csr), intent(inout) :: permuted
    end function

    integer(c_int) function spg_csr_extract(context, matrix, rows, columns, part) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: matrix
      type(spg_indices), intent(in), optional :: rows, columns
      type(spg_csr), intent(inout) :: part
    end function

    integer(c_int) function spg_csr_drop(context, matrix, rule, kept) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: matrix
      type(spg_drop_rule), intent(in) :: rule
      type(spg_csr), intent(inout) :: kept
    end function

    integer(c_int) function spg_csr_compare(context, A, B, difference) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: A, B
      type(spg_difference), intent(inout) :: difference
    end function

    integer(c_int) function spg_csr_spmm(context, alpha, matrix, count, layout, X, x_stride, beta, Y, y_stride) bind(C)
      import
      type(c_ptr), value :: context, alpha
      type(spg_csr), intent(in) :: matrix
      integer(c_int64_t), value :: count
      integer(c_int), value :: layout
      type(c_ptr), value :: X
      integer(c_int64_t), value :: x_stride
      type(c_ptr), value :: beta, Y
      integer(c_int64_t), value :: y_stride
    end function

    integer(c_int) function spg_csr_real_form(context, matrix, real_form) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: matrix
      type(spg_csr), intent(inout) :: real_form
    end function

    integer(c_int) function spg_csr_real_form_values(context, matrix, real_form) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: matrix
      type(spg_csr), intent(inout) :: real_form
    end function
  end interface

end module spg_operations
