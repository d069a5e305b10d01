! Squares a matrix, then solves with it by multigrid: the second difference of `n` points, in arrays of this program.
!
! Build it: gfortran poisson.f90 $(pkg-config --cflags --libs spg-fortran)
program poisson
  use, intrinsic :: iso_c_binding
  use spg
  implicit none

  integer, parameter :: n = 10000
  integer(c_int32_t), target :: row_offsets(n + 1), columns(3*n - 2)
  real(c_double), target :: values(3*n - 2), b(n), x(n)
  real(c_double), pointer :: product(:)
  type(c_ptr) :: context, amg
  type(spg_csr) :: A, C
  type(spg_config) :: config
  type(spg_amg_solve_result) :: result
  integer :: i, j, k

  row_offsets(1) = 0 ! offsets and columns count from 0
  k = 0
  do i = 1, n
    do j = max(i - 1, 1), min(i + 1, n)
      k = k + 1
      columns(k) = j - 1
      values(k) = merge(2, -1, i == j)
    end do
    row_offsets(i + 1) = k
  end do
  b = 1
  x = 0
  A = spg_view(n, row_offsets, columns, values)

  config = spg_config_default()
  config%place = SPG_PLACE_HOST ! where these arrays are
  if (spg_context_create(config, context) /= SPG_OK) error stop "no context"

  call check(spgemm_csr(context, A, A, C))
  call spg_values(C, product)
  print '(a, i0, a, 3f5.1)', "A*A: ", C%nnz, " entries, the first", product(1:3)
  call spg_csr_free(context, C)

  call check(spg_amg_setup(context, A, amg=amg)) ! without options: the default
  call check(spg_amg_solve(context, amg, c_loc(b), c_loc(x), result=result))
  print '(a, i0, a, i0, a)', "Multigrid: ", spg_amg_levels(amg), " levels, ", result%iterations, " iterations"
  call spg_amg_destroy(amg)
  call spg_context_destroy(context)

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == SPG_OK) return
    print '(3a)', spg_string(spg_status_name(status)), ": ", spg_message(context)
    error stop
  end subroutine

end program poisson
