! The Fortran module at work: views of arrays, messages, results, and a call of each kind.
module test_fortran_support
  use, intrinsic :: iso_c_binding
  use spg
  implicit none
  integer :: failures = 0, lines = 0

contains

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(2a)', "not so: ", what
    failures = failures + 1
  end subroutine

  ! An spg_log.
  subroutine count_line(user, line) bind(C)
    type(c_ptr), value :: user, line
    if (c_associated(user) .or. len(spg_string(line)) == 0) return
    lines = lines + 1
  end subroutine

end module test_fortran_support

program test_fortran
  use, intrinsic :: iso_c_binding
  use spg
  use test_fortran_support
  implicit none

  integer(c_int32_t), target :: offsets(3) = [0, 2, 3], columns(3) = [0, 1, 1]
  integer(c_int64_t), target :: wide_offsets(3) = [0, 2, 3]
  real(c_float), target :: f32(3) = [1, 2, 3]
  real(c_double), target :: f64(3) = [1, 2, 3]
  complex(c_float_complex), target :: c32(3) = [(1, 1), (2, 0), (3, 0)]
  complex(c_double_complex), target :: c64(3) = [(1, 1), (2, 0), (3, 0)]
  type(c_ptr) :: context
  type(spg_config) :: config
  integer(c_int64_t) :: held, peak

  config = spg_config_default()
  call require(config%place == SPG_PLACE_AUTO .and. config%row_limits%cta == -1, "the default configuration")
  config%place = SPG_PLACE_HOST
  config%log = c_funloc(count_line)
  call require(spg_context_create(config, context) == SPG_OK, "a context")
  call require(index(spg_string(spg_context_describe(context)), "host") > 0, "a described context")
  call require(spg_string(spg_status_name(SPG_ERROR_IO)) == "SPG_ERROR_IO", "a status name")
  call require(spg_string(c_null_ptr) == "" .and. spg_message(context) == "", "no message")

  call products
  call errors
  call plans_and_galerkin
  call multigrid
  call draws
  call files

  call spg_context_memory(context, held, peak)
  call require(held == 0 .and. peak > 0, "nothing held at the end")
  call spg_context_destroy(context)
  print '(i0, a)', failures, " failures"
  if (failures > 0) error stop

contains

  ! [1 2; 0 3] squared is [1 8; 0 9]; with 1 + i in its corner, [2i 8+2i; 0 9].
  subroutine products
    integer(c_int32_t), pointer :: rows(:), across(:)
    integer(c_int64_t), pointer :: wide(:)
    real(c_float), pointer :: s(:)
    real(c_double), pointer :: d(:)
    complex(c_float_complex), pointer :: c(:)
    complex(c_double_complex), pointer :: z(:)
    type(spg_csr) :: C32_32, C32_64, C64_32, C64_64, R32, R64, W32, W64

    call square(spg_view(2, offsets, columns, f32), R32)
    call square(spg_view(2, offsets, columns, f64), R64)
    call square(spg_view(2, wide_offsets, columns, f32), W32)
    call square(spg_view(2, wide_offsets, columns, f64), W64)
    call square(spg_view(2, offsets, columns, c32), C32_32)
    call square(spg_view(2, offsets, columns, c64), C64_32)
    call square(spg_view(2, wide_offsets, columns, c32), C32_64)
    call square(spg_view(2, wide_offsets, columns, c64), C64_64)
    call spg_pattern(R32, rows, across)
    call require(all(rows == [0, 2, 3]) .and. all(across == [0, 1, 1]), "the pattern of a product")
    call spg_pattern(W64, wide, across)
    call require(all(wide == [0, 2, 3]), "wide offsets")
    call spg_pattern(R32, wide, across)
    call require(.not. associated(wide) .and. .not. associated(across), "offsets of the other width")
    call spg_values(R32, s)
    call require(all(nint(s) == [1, 8, 9]), "a product of floats")
    call spg_values(W32, s)
    call require(all(nint(s) == [1, 8, 9]), "a product of floats with wide offsets")
    call spg_values(R64, d)
    call require(all(nint(d) == [1, 8, 9]), "a product of doubles")
    call spg_values(W64, d)
    call require(all(nint(d) == [1, 8, 9]), "a product of doubles with wide offsets")
    call spg_values(C32_32, c)
    call require(all(nint(aimag(c)) == [2, 2, 0]) .and. all(nint(real(c)) == [0, 8, 9]), "a product of complex floats")
    call spg_values(C32_64, c)
    call require(all(nint(aimag(c)) == [2, 2, 0]), "a product of complex floats with wide offsets")
    call spg_values(C64_64, z)
    call require(all(nint(aimag(z)) == [2, 2, 0]), "a product of complex doubles with wide offsets")
    call spg_values(C64_32, z)
    call require(all(nint(aimag(z)) == [2, 2, 0]) .and. all(nint(real(z)) == [0, 8, 9]), "a product of complex doubles")
    call spg_values(C64_32, d)
    call require(.not. associated(d), "values of another type")
    call spg_csr_free(context, R32)
    call spg_csr_free(context, R64)
    call spg_csr_free(context, W32)
    call spg_csr_free(context, W64)
    call spg_csr_free(context, C32_32)
    call spg_csr_free(context, C32_64)
    call spg_csr_free(context, C64_32)
    call spg_csr_free(context, C64_64)
  end subroutine

  subroutine square(A, C)
    type(spg_csr), intent(in) :: A
    type(spg_csr), intent(inout) :: C
    call require(spgemm_csr(context, A, A, C) == SPG_OK, "a product")
  end subroutine

  subroutine errors
    type(spg_csr) :: C
    call require(spgemm_csr(context, spg_view(2, offsets, columns, f64), spg_view(2, offsets(1:2), columns(1:2), &
        f64(1:2)), C) == SPG_ERROR_SHAPE, "a product of sizes that do not fit")
    call require(len(spg_message(context)) > 0 .and. .not. c_associated(C%values), "its message")
    call require(spg_csr_check(context, spg_view(2, offsets, columns(1:2), f64)) == SPG_ERROR_ARGUMENT, &
        "a view whose columns and values differ in size")
  end subroutine

  subroutine plans_and_galerkin
    type(spg_csr) :: A, C, D
    type(c_ptr) :: plan
    type(spgemm_stats) :: stats
    real(c_double), pointer :: once(:), again(:)
    A = spg_view(2, offsets, columns, f64)
    call require(spgemm_plan_create(context, A, A, plan) == SPG_OK, "a plan")
    call require(spgemm_plan_run(plan, A, A, C) == SPG_OK, "its run")
    call require(spgemm_plan_run(plan, A, A, C) == SPG_OK, "its run into its result")
    call require(spgemm_plan_stats(plan, stats) == SPG_OK, "its statistics")
    call require(stats%nnz == 3 .and. sum(stats%class_rows) == 2, "what they count")
    call spg_values(C, once)
    call require(all(nint(once) == [1, 8, 9]), "its result")
    call spgemm_plan_destroy(plan)
    call spg_csr_free(context, C)
    ! P^T*A*P with P = A, and with its transpose given.
    call require(spg_galerkin(context, A=A, P=A, C=C) == SPG_OK, "a Galerkin product")
    call require(spg_csr_transpose(context, A, D) == SPG_OK, "a transpose")
    call spg_csr_free(context, D)
    call spg_values(C, again)
    call require(all(nint(again) == [1, 8, 2, 43]), "its values")
    call spg_csr_free(context, C)
  end subroutine

  subroutine multigrid
    integer, parameter :: n = 2000
    integer(c_int32_t), target :: row_offsets(n + 1), cols(3*n)
    real(c_double), target :: entries(3*n), b(n), x(n), history(201)
    type(c_ptr) :: amg
    type(spg_csr) :: A
    type(spg_amg_options) :: options
    type(spg_amg_solve_options) :: solve
    type(spg_amg_solve_result) :: result
    type(spg_amg_level_view) :: level
    integer :: i, j, k
    k = 0
    row_offsets(1) = 0
    do i = 1, n
      do j = max(i - 1, 1), min(i + 1, n)
        k = k + 1
        cols(k) = j - 1
        entries(k) = merge(2, -1, i == j)
      end do
      row_offsets(i + 1) = k
    end do
    b = 1
    x = 0
    A = spg_view(n, row_offsets, cols(1:k), entries(1:k))
    options = spg_amg_options_default()
    options%smoother = SPG_SMOOTHER_CHEBYSHEV
    solve = spg_amg_solve_options_default()
    call require(solve%tolerance == SPG_AMG_TOLERANCE_OF_TYPE, "the default tolerance")
    solve%history = c_loc(history)
    call require(spg_amg_setup(context, A, options, amg) == SPG_OK, "a hierarchy")
    lines = 0
    call require(spg_amg_print(amg, c_funloc(count_line), c_null_ptr) == SPG_OK, "its table")
    call require(lines > spg_amg_levels(amg) .and. spg_amg_levels(amg) > 1, "the lines of the table")
    call require(spg_amg_solve(context, amg, c_loc(b), c_loc(x), solve, result) == SPG_OK, "a solve")
    call require(result%converged == 1 .and. history(result%iterations + 1) == result%residual, "its history")
    call require(abs(x(n/2)/(0.5d0*(n/2)*(n + 1 - n/2)) - 1) < 1d-4, "its solution")
    call require(spg_amg_level(amg, 0, level) == SPG_OK, "a level")
    call require(level%A%rows == n .and. level%P%rows == n, "its matrices")
    call spg_amg_destroy(amg)
  end subroutine

  ! With one item of weight, each draw is that item. Calls have statements of their own, as an expression has no order.
  subroutine draws
    integer(c_int32_t), target :: drawn(5), first(2)
    integer(c_int64_t), target :: counts(3)
    real(c_double), target :: weights(3) = [0, 1, 5]
    type(c_ptr) :: alias, forest
    type(spg_csr) :: W
    integer(c_int) :: status
    integer(c_int64_t), parameter :: zero = 0, row = 1, count = 5
    W = spg_view(2, offsets, columns, weights)
    call require(spg_alias_build(context, W, alias=alias) == SPG_OK, "a table")
    status = spg_alias_draw(context, alias, row, count, spg_random(seed=3), draws=c_loc(drawn))
    call require(status == SPG_OK .and. all(drawn == 1), "draws from a table")
    weights = [1, 0, 5]
    call require(spg_alias_rebuild(context, alias, W, row, c_null_ptr) == SPG_OK, "new weights")
    status = spg_alias_draw(context, alias, zero, count, spg_random(seed=3), draws=c_loc(drawn))
    call require(status == SPG_OK .and. all(drawn == 0), "draws by new weights")
    call spg_alias_destroy(alias)
    status = spg_multinomial_draw(context, W, count, c_null_ptr, spg_random(seed=3), c_loc(counts))
    call require(status == SPG_OK .and. all(counts == [5, 0, 5]), "counts of draws")
    weights = [0, 1, 5]
    call require(spg_forest_build(context, W, forest=forest) == SPG_OK, "a forest")
    drawn = 9
    status = spg_forest_draw(context, forest, count, c_null_ptr, spg_random(seed=3), c_null_ptr, c_loc(drawn))
    call require(status == SPG_OK .and. all(drawn == 1), "draws from a forest")
    call spg_forest_destroy(forest)
    status = spg_butterfly_draw(context, W, SPG_BUTTERFLY_AUTO, spg_random(), c_null_ptr, c_loc(first))
    call require(status == SPG_OK .and. all(first == 1), "draws from weights")
  end subroutine

  subroutine files
    character(:), allocatable :: path
    type(spg_csr) :: A
    type(spg_dense) :: x
    type(spg_matrix_market_warning) :: warning
    real(c_double), pointer :: read(:)
    path = spg_c_string("test_fortran.mtx.gz   ")
    call require(spg_write_matrix_market(context, path, spg_view(2, offsets, columns, f64)) == SPG_OK, "a file written")
    call require(spg_read_matrix_market(context, path, A) == SPG_OK, "a file read")
    call spg_values(A, read)
    call require(A%nnz == 3 .and. all(read == f64), "its values")
    call spg_csr_free(context, A)
    call require(spg_read_matrix_market_lenient(context, path, A, warning) == SPG_OK, "the same")
    call require(warning%lines == 0, "no warning")
    call spg_csr_free(context, A)
    x = spg_dense(3, 1, SPG_F64, c_loc(f64))
    call require(spg_write_matrix_market_dense(context, path, x) == SPG_OK, "a vector written")
    x = spg_dense()
    call require(spg_read_matrix_market_dense(context, path, x) == SPG_OK, "a vector read")
    call c_f_pointer(x%values, read, [x%rows])
    call require(all(read == f64), "its values")
    call spg_dense_free(context, x)
    call require(spg_read_matrix_market_dense_lenient(context, path, x) == SPG_OK, "without a warning wanted")
    call spg_dense_free(context, x)
    open (10, file="test_fortran.mtx.gz")
    close (10, status="delete")
    call require(spg_read_matrix_market(context, path, A) == SPG_ERROR_IO, "a missing file")
    call require(index(spg_message(context), "test_fortran.mtx.gz: cannot be opened") > 0, "its name")
  end subroutine

end program test_fortran
