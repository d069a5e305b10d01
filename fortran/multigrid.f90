! Galerkin products and multigrid: spg/amg.h. A hierarchy is a type(c_ptr). To leave out R is to take P^T:
! spg_galerkin(context, A=A, P=P, C=C).
module spg_multigrid
  use spg_types
  implicit none

  interface

    integer(c_int) function spg_galerkin(context, R, A, P, C) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in), optional :: R
      type(spg_csr), intent(in) :: A, P
      type(spg_csr), intent(inout) :: C
    end function

    integer(c_int) function spg_galerkin_last_stats(context, stats) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_galerkin_stats), intent(inout) :: stats
    end function

    integer(c_int) function spg_galerkin_plan_create(context, R, A, P, plan) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in), optional :: R
      type(spg_csr), intent(in) :: A, P
      type(c_ptr), intent(out) :: plan
    end function

    integer(c_int) function spg_galerkin_plan_run(plan, R, A, P, C) bind(C)
      import
      type(c_ptr), value :: plan
      type(spg_csr), intent(in), optional :: R
      type(spg_csr), intent(in) :: A, P
      type(spg_csr), intent(inout) :: C
    end function

    integer(c_int) function spg_galerkin_plan_check(plan, R, A, P) bind(C)
      import
      type(c_ptr), value :: plan
      type(spg_csr), intent(in), optional :: R
      type(spg_csr), intent(in) :: A, P
    end function

    integer(c_int) function spg_galerkin_plan_stats(plan, stats) bind(C)
      import
      type(c_ptr), value :: plan
      type(spg_galerkin_stats), intent(inout) :: stats
    end function

    subroutine spg_galerkin_plan_destroy(plan) bind(C)
      import
      type(c_ptr), value :: plan
    end subroutine

    type(spg_amg_options) function spg_amg_options_default() bind(C)
      import
    end function

    integer(c_int) function spg_amg_setup(context, A, options, amg) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: A
      type(spg_amg_options), intent(in), optional :: options
      type(c_ptr), intent(out) :: amg
    end function

    integer(c_int) function spg_amg_update(context, amg, A) bind(C)
      import
      type(c_ptr), value :: context, amg
      type(spg_csr), intent(in) :: A
    end function

    subroutine spg_amg_destroy(amg) bind(C)
      import
      type(c_ptr), value :: amg
    end subroutine

    integer(c_int) function spg_amg_levels(amg) bind(C)
      import
      type(c_ptr), value :: amg
    end function

    integer(c_int) function spg_amg_level(amg, level, view) bind(C)
      import
      type(c_ptr), value :: amg
      integer(c_int), value :: level
      type(spg_amg_level_view), intent(inout) :: view
    end function

    integer(c_int) function spg_amg_summarise(amg, summary) bind(C)
      import
      type(c_ptr), value :: amg
      type(spg_amg_summary), intent(inout) :: summary
    end function

    integer(c_int) function spg_amg_print(amg, log, user) bind(C)
      import
      type(c_ptr), value :: amg
      type(c_funptr), value :: log
      type(c_ptr), value :: user
    end function

    type(spg_amg_solve_options) function spg_amg_solve_options_default() bind(C)
      import
    end function

    integer(c_int) function spg_amg_solve(context, amg, b, x, options, result) bind(C)
      import
      type(c_ptr), value :: context, amg, b, x
      type(spg_amg_solve_options), intent(in), optional :: options
      type(spg_amg_solve_result), intent(inout), optional :: result
    end function

    integer(c_int) function spg_amg_cycle(context, amg, b, x) bind(C)
      import
      type(c_ptr), value :: context, amg, b, x
    end function

    integer(c_int) function spg_amg_apply(context, amg, b, x) bind(C)
      import
      type(c_ptr), value :: context, amg, b, x
    end function

    integer(c_int) function spg_amg_solve_many(context, amg, count, layout, B, b_stride, X, x_stride, options, &
                                               results) bind(C)
      import
      type(c_ptr), value :: context, amg
      integer(c_int64_t), value :: count
      integer(c_int), value :: layout
      type(c_ptr), value :: B
      integer(c_int64_t), value :: b_stride
      type(c_ptr), value :: X
      integer(c_int64_t), value :: x_stride
      type(spg_amg_solve_options), intent(in), optional :: options
      type(spg_amg_solve_result), intent(inout), optional :: results(*)
    end function

    integer(c_int) function spg_amg_apply_many(context, amg, count, layout, B, b_stride, X, x_stride) bind(C)
      import
      type(c_ptr), value :: context, amg
      integer(c_int64_t), value :: count
      integer(c_int), value :: layout
      type(c_ptr), value :: B
      integer(c_int64_t), value :: b_stride
      type(c_ptr), value :: X
      integer(c_int64_t), value :: x_stride
    end function

    type(spg_operator) function spg_csr_operator(A) bind(C)
      import
      type(spg_csr), intent(in) :: A
    end function

    type(spg_operator) function spg_amg_operator(amg) bind(C)
      import
      type(c_ptr), value :: amg
    end function

    type(spg_krylov_options) function spg_krylov_options_default() bind(C)
      import
    end function

    integer(c_int) function spg_krylov_solve(context, A, M, b, x, options, result) bind(C)
      import
      type(c_ptr), value :: context, b, x
      type(spg_operator), intent(in) :: A
      type(spg_operator), intent(in), optional :: M
      type(spg_krylov_options), intent(in), optional :: options
      type(spg_krylov_result), intent(inout), optional :: result
    end function

  end interface

end module spg_multigrid
