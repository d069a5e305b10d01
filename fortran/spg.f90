! spg for Fortran: `use spg` gives the whole C interface (types.f90, products.f90, operations.f90, multigrid.f90,
! sampling.f90, io.f90), as the headers in include/spg/ describe it, and what is here for Fortran's strings and arrays.
!
!     type(spg_csr) :: A, C
!     A = spg_view(cols, row_offsets, columns, values)
!     if (spgemm_csr(context, A, A, C) /= SPG_OK) print *, spg_message(context)
!     call spg_values(C, product)
!
! Row offsets and columns count from 0, as in C.
module spg
  use spg_types
  use spg_products
  use spg_operations
  use spg_multigrid
  use spg_sampling
  use spg_io
  implicit none

  ! spg_view(cols, row_offsets, columns, values): the CSR matrix of these arrays, on the host. They must be contiguous,
  ! have the attribute target (or be pointers), and stay as long as the view is used. row_offsets has rows + 1 elements,
  ! integers of 32 or 64 bits; columns has integers of 32 bits; values are real or complex of either precision. If
  ! columns and values differ in size, the view has -1 entries, and every call refuses it.
  interface spg_view
    module procedure view_i32_f32, view_i32_f64, view_i32_c32, view_i32_c64, &
        view_i64_f32, view_i64_f64, view_i64_c32, view_i64_c64
  end interface

  ! call spg_pattern(matrix, row_offsets, columns): points these pointers at the arrays of a CSR matrix on the host.
  ! Disassociated, if row_offsets is of the other width.
  interface spg_pattern
    module procedure pattern_i32, pattern_i64
  end interface

  ! call spg_values(matrix, values): the same for values. Disassociated, if they are of another type.
  interface spg_values
    module procedure values_f32, values_f64, values_c32, values_c64
  end interface

  private :: host_view
  private :: view_i32_f32, view_i32_f64, view_i32_c32, view_i32_c64, &
        view_i64_f32, view_i64_f64, view_i64_c32, view_i64_c64
  private :: pattern_i32, pattern_i64, values_f32, values_f64, values_c32, values_c64

contains

  ! A string for C, without its trailing blanks.
  function spg_c_string(text) result(string)
    character(*), intent(in) :: text
    character(:, kind=c_char), allocatable :: string
    string = trim(text)//c_null_char
  end function

  ! A string of C, such as that of spg_status_name or of a log's line.
  function spg_string(text) result(string)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: string
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    interface
      integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
        import :: c_ptr, c_size_t
        type(c_ptr), value :: text
      end function
    end interface
    if (.not. c_associated(text)) then
      string = ""
      return
    end if
    call c_f_pointer(text, characters, [c_strlen(text)])
    allocate (character(size(characters)) :: string)
    do i = 1, size(characters)
      string(i:i) = characters(i)
    end do
  end function

  ! The message of the last call that failed: spg_context_message as a string.
  function spg_message(context) result(message)
    type(c_ptr), intent(in) :: context
    character(:), allocatable :: message
    message = spg_string(spg_context_message(context))
  end function

  type(spg_csr) function view_i32_f32(cols, row_offsets, columns, values) result(view)
    integer, intent(in) :: cols
    integer(c_int32_t), intent(in), target, contiguous :: row_offsets(:)
    integer(c_int32_t), intent(in), target, contiguous :: columns(:)
    real(c_float), intent(in), target, contiguous :: values(:)
    view = host_view(cols, [size(row_offsets, kind=c_int64_t), size(columns, kind=c_int64_t), &
        size(values, kind=c_int64_t)], SPG_I32, SPG_F32, c_loc(row_offsets), c_loc(columns), c_loc(values))
  end function

  type(spg_csr) function view_i32_f64(cols, row_offsets, columns, values) result(view)
    integer, intent(in) :: cols
    integer(c_int32_t), intent(in), target, contiguous :: row_offsets(:)
    integer(c_int32_t), intent(in), target, contiguous :: columns(:)
    real(c_double), intent(in), target, contiguous :: values(:)
    view = host_view(cols, [size(row_offsets, kind=c_int64_t), size(columns, kind=c_int64_t), &
        size(values, kind=c_int64_t)], SPG_I32, SPG_F64, c_loc(row_offsets), c_loc(columns), c_loc(values))
  end function

  type(spg_csr) function view_i32_c32(cols, row_offsets, columns, values) result(view)
    integer, intent(in) :: cols
    integer(c_int32_t), intent(in), target, contiguous :: row_offsets(:)
    integer(c_int32_t), intent(in), target, contiguous :: columns(:)
    complex(c_float_complex), intent(in), target, contiguous :: values(:)
    view = host_view(cols, [size(row_offsets, kind=c_int64_t), size(columns, kind=c_int64_t), &
        size(values, kind=c_int64_t)], SPG_I32, SPG_C32, c_loc(row_offsets), c_loc(columns), c_loc(values))
  end function

  type(spg_csr) function view_i32_c64(cols, row_offsets, columns, values) result(view)
    integer, intent(in) :: cols
    integer(c_int32_t), intent(in), target, contiguous :: row_offsets(:)
    integer(c_int32_t), intent(in), target, contiguous :: columns(:)
    complex(c_double_complex), intent(in), target, contiguous :: values(:)
    view = host_view(cols, [size(row_offsets, kind=c_int64_t), size(columns, kind=c_int64_t), &
        size(values, kind=c_int64_t)], SPG_I32, SPG_C64, c_loc(row_offsets), c_loc(columns), c_loc(values))
  end function

  type(spg_csr) function view_i64_f32(cols, row_offsets, columns, values) result(view)
    integer, intent(in) :: cols
    integer(c_int64_t), intent(in), target, contiguous :: row_offsets(:)
    integer(c_int32_t), intent(in), target, contiguous :: columns(:)
    real(c_float), intent(in), target, contiguous :: values(:)
    view = host_view(cols, [size(row_offsets, kind=c_int64_t), size(columns, kind=c_int64_t), &
        size(values, kind=c_int64_t)], SPG_I64, SPG_F32, c_loc(row_offsets), c_loc(columns), c_loc(values))
  end function

  type(spg_csr) function view_i64_f64(cols, row_offsets, columns, values) result(view)
    integer, intent(in) :: cols
    integer(c_int64_t), intent(in), target, contiguous :: row_offsets(:)
    integer(c_int32_t), intent(in), target, contiguous :: columns(:)
    real(c_double), intent(in), target, contiguous :: values(:)
    view = host_view(cols, [size(row_offsets, kind=c_int64_t), size(columns, kind=c_int64_t), &
        size(values, kind=c_int64_t)], SPG_I64, SPG_F64, c_loc(row_offsets), c_loc(columns), c_loc(values))
  end function

  type(spg_csr) function view_i64_c32(cols, row_offsets, columns, values) result(view)
    integer, intent(in) :: cols
    integer(c_int64_t), intent(in), target, contiguous :: row_offsets(:)
    integer(c_int32_t), intent(in), target, contiguous :: columns(:)
    complex(c_float_complex), intent(in), target, contiguous :: values(:)
    view = host_view(cols, [size(row_offsets, kind=c_int64_t), size(columns, kind=c_int64_t), &
        size(values, kind=c_int64_t)], SPG_I64, SPG_C32, c_loc(row_offsets), c_loc(columns), c_loc(values))
  end function

  type(spg_csr) function view_i64_c64(cols, row_offsets, columns, values) result(view)
    integer, intent(in) :: cols
    integer(c_int64_t), intent(in), target, contiguous :: row_offsets(:)
    integer(c_int32_t), intent(in), target, contiguous :: columns(:)
    complex(c_double_complex), intent(in), target, contiguous :: values(:)
    view = host_view(cols, [size(row_offsets, kind=c_int64_t), size(columns, kind=c_int64_t), &
        size(values, kind=c_int64_t)], SPG_I64, SPG_C64, c_loc(row_offsets), c_loc(columns), c_loc(values))
  end function

  ! sizes: of the three arrays.
  type(spg_csr) function host_view(cols, sizes, offset_type, value_type, row_offsets, columns, values) result(view)
    integer, intent(in) :: cols
    integer(c_int64_t), intent(in) :: sizes(3)
    integer(c_int), intent(in) :: offset_type, value_type
    type(c_ptr), intent(in) :: row_offsets, columns, values
    integer(c_int64_t) :: nnz
    nnz = merge(sizes(3), -1_c_int64_t, sizes(2) == sizes(3))
    view = spg_csr_view(sizes(1) - 1, int(cols, c_int64_t), nnz, offset_type, value_type, SPG_PLACE_HOST, &
        row_offsets, columns, values)
  end function

  subroutine pattern_i32(matrix, row_offsets, columns)
    type(spg_csr), intent(in) :: matrix
    integer(c_int32_t), pointer, intent(out) :: row_offsets(:)
    integer(c_int32_t), pointer, intent(out) :: columns(:)
    nullify (row_offsets, columns)
    if (matrix%offset_type /= SPG_I32) return
    call c_f_pointer(matrix%row_offsets, row_offsets, [matrix%rows + 1])
    call c_f_pointer(matrix%columns, columns, [matrix%nnz])
  end subroutine

  subroutine pattern_i64(matrix, row_offsets, columns)
    type(spg_csr), intent(in) :: matrix
    integer(c_int64_t), pointer, intent(out) :: row_offsets(:)
    integer(c_int32_t), pointer, intent(out) :: columns(:)
    nullify (row_offsets, columns)
    if (matrix%offset_type /= SPG_I64) return
    call c_f_pointer(matrix%row_offsets, row_offsets, [matrix%rows + 1])
    call c_f_pointer(matrix%columns, columns, [matrix%nnz])
  end subroutine

  subroutine values_f32(matrix, values)
    type(spg_csr), intent(in) :: matrix
    real(c_float), pointer, intent(out) :: values(:)
    nullify (values)
    if (matrix%value_type == SPG_F32) call c_f_pointer(matrix%values, values, [matrix%nnz])
  end subroutine

  subroutine values_f64(matrix, values)
    type(spg_csr), intent(in) :: matrix
    real(c_double), pointer, intent(out) :: values(:)
    nullify (values)
    if (matrix%value_type == SPG_F64) call c_f_pointer(matrix%values, values, [matrix%nnz])
  end subroutine

  subroutine values_c32(matrix, values)
    type(spg_csr), intent(in) :: matrix
    complex(c_float_complex), pointer, intent(out) :: values(:)
    nullify (values)
    if (matrix%value_type == SPG_C32) call c_f_pointer(matrix%values, values, [matrix%nnz])
  end subroutine

  subroutine values_c64(matrix, values)
    type(spg_csr), intent(in) :: matrix
    complex(c_double_complex), pointer, intent(out) :: values(:)
    nullify (values)
    if (matrix%value_type == SPG_C64) call c_f_pointer(matrix%values, values, [matrix%nnz])
  end subroutine

end module spg
