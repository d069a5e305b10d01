! Draws from discrete distributions: spg/sampling.h. Tables are type(c_ptr), and so are arrays (c_loc).
module spg_sampling
  use spg_types
  implicit none

  interface

    integer(c_int) function spg_context_set_draw_options(context, options) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_draw_options), intent(in), optional :: options
    end function

    integer(c_int) function spg_random_bits(context, random, count, bits) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_random), intent(in), optional :: random
      integer(c_int64_t), value :: count
      type(c_ptr), value :: bits
    end function

    integer(c_int) function spg_random_uniforms(context, random, count, type, uniforms) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_random), intent(in), optional :: random
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      type(c_ptr), value :: uniforms
    end function

    integer(c_int) function spg_butterfly_draw(context, weights, method, random, uniforms, draws) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: weights
      integer(c_int), value :: method
      type(spg_random), intent(in), optional :: random
      type(c_ptr), value :: uniforms, draws
    end function

    integer(c_int) function spg_lda_draw(context, lda, method, random, topics) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_lda), intent(in) :: lda
      integer(c_int), value :: method
      type(spg_random), intent(in), optional :: random
      type(c_ptr), value :: topics
    end function

    integer(c_int) function spg_subset_draw(context, weights, k, random, draws) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: weights
      integer(c_int64_t), value :: k
      type(spg_random), intent(in), optional :: random
      type(c_ptr), value :: draws
    end function

    integer(c_int) function spg_multinomial_draw(context, weights, n, trials, random, counts) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: weights
      integer(c_int64_t), value :: n
      type(c_ptr), value :: trials
      type(spg_random), intent(in), optional :: random
      type(c_ptr), value :: counts
    end function

    integer(c_int) function spg_alias_build(context, weights, options, alias) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: weights
      type(spg_alias_options), intent(in), optional :: options
      type(c_ptr), intent(out) :: alias
    end function

    integer(c_int) function spg_alias_rebuild(context, alias, weights, count, rows) bind(C)
      import
      type(c_ptr), value :: context, alias
      type(spg_csr), intent(in) :: weights
      integer(c_int64_t), value :: count
      type(c_ptr), value :: rows
    end function

    subroutine spg_alias_destroy(alias) bind(C)
      import
      type(c_ptr), value :: alias
    end subroutine

    integer(c_int) function spg_alias_build_stats(alias, stats) bind(C)
      import
      type(c_ptr), value :: alias
      type(spg_alias_stats), intent(inout) :: stats
    end function

    integer(c_int) function spg_alias_draw(context, alias, row, count, random, options, draws) bind(C)
      import
      type(c_ptr), value :: context, alias
      integer(c_int64_t), value :: row, count
      type(spg_random), intent(in), optional :: random
      type(spg_alias_draw_options), intent(in), optional :: options
      type(c_ptr), value :: draws
    end function

    integer(c_int) function spg_alias_draw_rows(context, alias, count, rows, random, draws) bind(C)
      import
      type(c_ptr), value :: context, alias
      integer(c_int64_t), value :: count
      type(c_ptr), value :: rows
      type(spg_random), intent(in), optional :: random
      type(c_ptr), value :: draws
    end function

    integer(c_int) function spg_alias_walk(context, alias, walkers, starts, steps, random, options, walks) bind(C)
      import
      type(c_ptr), value :: context, alias
      integer(c_int64_t), value :: walkers
      type(c_ptr), value :: starts
      integer(c_int64_t), value :: steps
      type(spg_random), intent(in), optional :: random
      type(spg_walk_options), intent(in), optional :: options
      type(c_ptr), value :: walks
    end function

    integer(c_int) function spg_forest_build(context, weights, options, forest) bind(C)
      import
      type(c_ptr), value :: context
      type(spg_csr), intent(in) :: weights
      type(spg_forest_options), intent(in), optional :: options
      type(c_ptr), intent(out) :: forest
    end function

    subroutine spg_forest_destroy(forest) bind(C)
      import
      type(c_ptr), value :: forest
    end subroutine

    integer(c_int) function spg_forest_draw(context, forest, count, rows, random, uniforms, draws, details) bind(C)
      import
      type(c_ptr), value :: context, forest
      integer(c_int64_t), value :: count
      type(c_ptr), value :: rows
      type(spg_random), intent(in), optional :: random
      type(c_ptr), value :: uniforms, draws
      type(spg_forest_details), intent(in), optional :: details
    end function

    integer(c_int) function spg_forest_draw_stratified(context, forest, row, count, random, draws, details) bind(C)
      import
      type(c_ptr), value :: context, forest
      integer(c_int64_t), value :: row, count
      type(spg_random), intent(in), optional :: random
      type(c_ptr), value :: draws
      type(spg_forest_details), intent(in), optional :: details
    end function

    integer(c_int) function spg_forest_loads(context, forest, count, rows, uniforms, loads) bind(C)
      import
      type(c_ptr), value :: context, forest
      integer(c_int64_t), value :: count
      type(c_ptr), value :: rows, uniforms, loads
    end function

  end interface

end module spg_sampling
