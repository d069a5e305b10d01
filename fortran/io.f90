! Matrix Market files: spg/io.h. A program that calls one of these links the library spg_io as well. A path is a string
! of C: spg_c_string(path), or path//c_null_char.
module spg_io
  use spg_types
  implicit none

  interface

    integer(c_int) function spg_read_matrix_market(context, path, matrix) bind(C)
      import
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: path(*)
      type(spg_csr), intent(inout) :: matrix
    end function

    integer(c_int) function spg_read_matrix_market_lenient(context, path, matrix, warning) bind(C)
      import
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: path(*)
      type(spg_csr), intent(inout) :: matrix
      type(spg_matrix_market_warning), intent(inout), optional :: warning
    end function

    integer(c_int) function spg_read_matrix_market_dense(context, path, matrix) bind(C)
      import
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: path(*)
      type(spg_dense), intent(inout) :: matrix
    end function

    integer(c_int) function spg_read_matrix_market_dense_lenient(context, path, matrix, warning) bind(C)
      import
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: path(*)
      type(spg_dense), intent(inout) :: matrix
      type(spg_matrix_market_warning), intent(inout), optional :: warning
    end function

    subroutine spg_dense_free(context, matrix) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_dense), intent(inout) :: matrix
    end subroutine

    integer(c_int) function spg_write_matrix_market(context, path, matrix) bind(C)
      import
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: path(*)
      type(spg_csr), intent(in) :: matrix
    end function

    integer(c_int) function spg_write_matrix_market_dense(context, path, matrix) bind(C)
      import
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: path(*)
      type(spg_dense), intent(in) :: matrix
    end function

  end interface

end module spg_io
