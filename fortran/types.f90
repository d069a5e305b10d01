! The constants and types of spg. The headers in include/spg/ say what each means; names, order and layout are theirs.
!
! Members are zeroed at first: options of which zero is no sound value come from the function that ends in _default.
! Unsigned integers of C are signed here, of the same bits.
module spg_types
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: SPG_VERSION_MAJOR = 0, SPG_VERSION_MINOR = 1, SPG_VERSION_PATCH = 0
  real(c_double), parameter :: SPG_AMG_TOLERANCE_OF_TYPE = -1

  enum, bind(C) ! spg_status
    enumerator :: SPG_OK = 0, SPG_ERROR_ARGUMENT = 1, SPG_ERROR_SHAPE = 2, SPG_ERROR_FORMAT = 3
    enumerator :: SPG_ERROR_PLACE = 4, SPG_ERROR_OVERFLOW = 5, SPG_ERROR_MEMORY = 6, SPG_ERROR_DEVICE = 7
    enumerator :: SPG_ERROR_UNSUPPORTED = 8, SPG_ERROR_IO = 9, SPG_ERROR_INTERNAL = 10
    enumerator :: SPG_ERROR_NOT_CONVERGED = 11, SPG_ERROR_BREAKDOWN = 12, SPG_ERROR_INDEFINITE = 13
    enumerator :: SPG_ERROR_INCOMPATIBLE = 14
  end enum

  enum, bind(C) ! spg_type
    enumerator :: SPG_F32 = 0, SPG_F64 = 1, SPG_C32 = 2, SPG_C64 = 3, SPG_I32 = 4, SPG_I64 = 5
  end enum

  enum, bind(C) ! spg_place
    enumerator :: SPG_PLACE_HOST = 0, SPG_PLACE_DEVICE = 1, SPG_PLACE_AUTO = 2
  end enum

  type, bind(C) :: spg_allocator
    type(c_ptr) :: user = c_null_ptr
    type(c_funptr) :: allocate = c_null_funptr, release = c_null_funptr
  end type

  type, bind(C) :: spg_row_limits
    integer(c_int64_t) :: thread = 0, warp = 0, cta = 0
  end type

  type, bind(C) :: spg_config
    integer(c_int) :: place = 0, device = 0, threads = 0
    type(c_ptr) :: stream = c_null_ptr
    type(spg_allocator) :: allocator
    integer(c_int64_t) :: workspace_limit = 0, keep_bytes = 0
    type(spg_row_limits) :: row_limits
    integer(c_int) :: oversubscribe = 0, timing = 0
    type(c_funptr) :: log = c_null_funptr
    type(c_ptr) :: log_user = c_null_ptr
  end type

  type, bind(C) :: spg_csr
    integer(c_int64_t) :: rows = 0, cols = 0, nnz = 0
    integer(c_int) :: offset_type = 0, value_type = 0, place = 0
    type(c_ptr) :: row_offsets = c_null_ptr, columns = c_null_ptr, values = c_null_ptr
  end type

  type, bind(C) :: spg_coo
    integer(c_int64_t) :: rows = 0, cols = 0, nnz = 0
    integer(c_int) :: value_type = 0, place = 0
    type(c_ptr) :: row_indices = c_null_ptr, columns = c_null_ptr, values = c_null_ptr
  end type

  type, bind(C) :: spg_indices
    integer(c_int64_t) :: first = 0, count = 0
    type(c_ptr) :: indices = c_null_ptr
  end type

  type, bind(C) :: spg_drop_rule
    real(c_double) :: absolute = 0, relative = 0
    integer(c_int) :: keep_diagonal = 0
  end type

  type, bind(C) :: spg_difference
    integer(c_int) :: same_pattern = 0, same_values = 0
    integer(c_int64_t) :: row = 0, column = 0
    real(c_double) :: absolute = 0, relative = 0
  end type

  enum, bind(C) ! spg_layout
    enumerator :: SPG_ROW_MAJOR = 0, SPG_COLUMN_MAJOR = 1
  end enum

  enum, bind(C) ! spg_row_class
    enumerator :: SPG_ROW_EMPTY = 0, SPG_ROW_THREAD = 1, SPG_ROW_WARP = 2, SPG_ROW_CTA = 3, SPG_ROW_GLOBAL = 4
    enumerator :: SPG_ROW_CLASSES = 5
  end enum

  type, bind(C) :: spgemm_stats
    integer(c_int64_t) :: products = 0, nnz = 0
    real(c_double) :: expansion = 0, contraction = 0
    integer(c_int64_t) :: class_rows(SPG_ROW_CLASSES) = 0, result_bytes = 0, workspace_bytes = 0, plan_bytes = 0
    real(c_double) :: analysis_ms = 0, expand_sort_ms = 0, contract_ms = 0, assemble_ms = 0, total_ms = 0
  end type

  type, bind(C) :: spg_factor
    real(c_double) :: min = 0, max = 0, mean = 0, stddev = 0
    integer(c_int64_t) :: rows = 0
  end type

  type, bind(C) :: spgemm_analysis
    integer(c_int64_t) :: products = 0, longest_row = 0
    type(spg_factor) :: row_products, expansion, contraction
    integer(c_int64_t) :: class_rows(SPG_ROW_CLASSES) = 0, class_products(SPG_ROW_CLASSES) = 0
  end type

  type, bind(C) :: spg_galerkin_stats
    type(spgemm_stats) :: AP, RAP
    real(c_double) :: transpose_ms = 0, symmetry_ms = 0
    integer(c_int64_t) :: plan_bytes = 0
  end type

  enum, bind(C) ! spg_aggregation
    enumerator :: SPG_AGGREGATION_MIS2 = 0, SPG_AGGREGATION_STANDARD = 1
  end enum

  enum, bind(C) ! spg_smoother
    enumerator :: SPG_SMOOTHER_JACOBI = 0, SPG_SMOOTHER_L1_JACOBI = 1, SPG_SMOOTHER_CHEBYSHEV = 2
  end enum

  enum, bind(C) ! spg_amg_precision
    enumerator :: SPG_AMG_PRECISION_OF_A = 0, SPG_AMG_PRECISION_F32 = 1
  end enum

  enum, bind(C) ! spg_strength
    enumerator :: SPG_STRENGTH_SYMMETRIC = 0, SPG_STRENGTH_CLASSICAL = 1
  end enum

  enum, bind(C) ! spg_restriction
    enumerator :: SPG_RESTRICTION_TRANSPOSE = 0, SPG_RESTRICTION_PETROV_GALERKIN = 1
  end enum

  enum, bind(C) ! spg_cycle
    enumerator :: SPG_CYCLE_V = 0, SPG_CYCLE_K = 1
  end enum

  type, bind(C) :: spg_amg_options
    integer(c_int) :: aggregation = 0, join_leftovers = 0
    integer(c_int64_t) :: seed = 0
    real(c_double) :: theta = 0
    integer(c_int) :: block_size = 0, candidates = 0
    type(c_ptr) :: candidate_values = c_null_ptr
    real(c_double) :: prolongator_relaxation = 0
    integer(c_int) :: spectral_steps = 0
    integer(c_int64_t) :: max_coarse = 0
    integer(c_int) :: max_levels = 0
    real(c_double) :: least_coarsening = 0, max_complexity = 0
    integer(c_int) :: smoother = 0, pre_sweeps = 0, post_sweeps = 0
    real(c_double) :: relaxation = 0
    integer(c_int) :: chebyshev_degree = 0
    real(c_double) :: chebyshev_ratio = 0
    integer(c_int) :: prepare_update = 0, timing = 0, filter = 0, strength = 0, restriction = 0, precision = 0
    integer(c_int) :: cycle = 0
  end type

  type, bind(C) :: spg_amg_level_view
    type(spg_csr) :: A, P, R
    type(c_ptr) :: aggregate_of = c_null_ptr
    integer(c_int64_t) :: nodes = 0, aggregates = 0, left_out = 0
    integer(c_int) :: block_size = 0, candidates = 0, is_smoothed = 0
    real(c_double) :: rho = 0
    type(c_ptr) :: candidate_values = c_null_ptr
    integer(c_int64_t) :: weak = 0
  end type

  type, bind(C) :: spg_amg_timings
    real(c_double) :: strength = 0, aggregate = 0, tentative = 0, spectral_radius = 0, smooth = 0, transpose = 0
    real(c_double) :: AP = 0, RAP = 0, symmetry = 0, coarse = 0, total = 0, plans = 0, small_levels = 0
  end type

  enum, bind(C) ! spg_amg_end
    enumerator :: SPG_AMG_END_SMALL = 0, SPG_AMG_END_LEVELS = 1, SPG_AMG_END_UNCOUPLED = 2
    enumerator :: SPG_AMG_END_SLOW = 3, SPG_AMG_END_COMPLEXITY = 4
  end enum

  type, bind(C) :: spg_amg_summary
    integer(c_int) :: levels = 0, end = 0
    real(c_double) :: operator_complexity = 0, grid_complexity = 0
    integer(c_int64_t) :: bytes = 0
    type(spg_amg_timings) :: setup
    real(c_double) :: update_seconds = 0
    integer(c_int) :: symmetric = 0, smoothed = 0, singular = 0, unsymmetric = 0
  end type

  enum, bind(C) ! spg_amg_method
    enumerator :: SPG_AMG_CG = 0, SPG_AMG_STANDALONE = 1
  end enum

  enum, bind(C) ! spg_amg_nullspace
    enumerator :: SPG_AMG_NULLSPACE_NONE = 0, SPG_AMG_NULLSPACE_CONSTANT = 1, SPG_AMG_NULLSPACE_CANDIDATES = 2
    enumerator :: SPG_AMG_NULLSPACE_GIVEN = 3
  end enum

  type, bind(C) :: spg_amg_solve_options
    integer(c_int) :: method = 0
    real(c_double) :: tolerance = 0
    integer(c_int) :: max_iterations = 0
    type(c_ptr) :: history = c_null_ptr
    integer(c_int) :: nullspace = 0, null_vectors = 0
    type(c_ptr) :: null_values = c_null_ptr
  end type

  type, bind(C) :: spg_amg_solve_result
    integer(c_int) :: iterations = 0, converged = 0
    real(c_double) :: initial_residual = 0, residual = 0, relative_residual = 0, convergence_factor = 0, seconds = 0
    integer(c_int) :: stagnated = 0
  end type

  type, bind(C) :: spg_operator
    integer(c_int64_t) :: rows = 0
    integer(c_int) :: type = 0
    type(c_ptr) :: user = c_null_ptr
    type(c_funptr) :: apply = c_null_funptr
  end type

  enum, bind(C) ! spg_krylov_method
    enumerator :: SPG_KRYLOV_CG = 0, SPG_KRYLOV_FCG = 1, SPG_KRYLOV_FGMRES = 2, SPG_KRYLOV_BICGSTAB = 3
  end enum

  type, bind(C) :: spg_krylov_options
    integer(c_int) :: method = 0
    real(c_double) :: tolerance = 0
    integer(c_int) :: max_iterations = 0, restart = 0, zero_guess = 0
    type(c_ptr) :: history = c_null_ptr
    type(c_funptr) :: monitor = c_null_funptr
    type(c_ptr) :: monitor_user = c_null_ptr
  end type

  type, bind(C) :: spg_krylov_result
    integer(c_int) :: iterations = 0, converged = 0, stagnated = 0, stopped = 0
    real(c_double) :: initial_residual = 0, residual = 0, relative_residual = 0, seconds = 0
  end type

  type, bind(C) :: spg_draw_options
    integer(c_int) :: empty_rows = 0, trusted = 0
  end type

  type, bind(C) :: spg_random
    integer(c_int64_t) :: seed = 0, stream = 0, first = 0
  end type

  enum, bind(C) ! spg_butterfly_method
    enumerator :: SPG_BUTTERFLY_AUTO = 0, SPG_BUTTERFLY_PLAIN = 1, SPG_BUTTERFLY_TRANSPOSED = 2
    enumerator :: SPG_BUTTERFLY_TABLE = 3
  end enum

  type, bind(C) :: spg_lda
    integer(c_int64_t) :: documents = 0, vocabulary = 0, words_total = 0
    integer(c_int32_t) :: topics = 0
    integer(c_int) :: type = 0
    type(c_ptr) :: theta = c_null_ptr, phi = c_null_ptr, word_offsets = c_null_ptr, words = c_null_ptr
  end type

  enum, bind(C) ! spg_alias_builder
    enumerator :: SPG_ALIAS_AUTO = 0, SPG_ALIAS_SWEEP = 1, SPG_ALIAS_PSA = 2, SPG_ALIAS_PSA_PLUS = 3
  end enum

  enum, bind(C) ! spg_alias_resolution
    enumerator :: SPG_ALIAS_COMPACT = 0, SPG_ALIAS_EXACT = 1
  end enum

  enum, bind(C) ! spg_alias_split
    enumerator :: SPG_ALIAS_PARTIAL_P_ARY = 0, SPG_ALIAS_BINARY = 1
  end enum

  type, bind(C) :: spg_alias_options
    integer(c_int) :: builder = 0, resolution = 0, split = 0, chunks = 0
  end type

  type, bind(C) :: spg_alias_stats
    integer(c_int64_t) :: left = 0, splits = 0
    real(c_double) :: sum_ms = 0, tiles_ms = 0, partition_ms = 0, split_ms = 0, pack_ms = 0
  end type

  enum, bind(C) ! spg_alias_sampler
    enumerator :: SPG_SAMPLER_AUTO = 0, SPG_SAMPLER_BASELINE = 1, SPG_SAMPLER_SECTIONED = 2
    enumerator :: SPG_SAMPLER_LIMITED = 3, SPG_SAMPLER_SHARED = 4
  end enum

  type, bind(C) :: spg_alias_draw_options
    integer(c_int) :: sampler = 0, grouped = 0
  end type

  type, bind(C) :: spg_walk_options
    real(c_double) :: p = 0, q = 0
  end type

  enum, bind(C) ! spg_forest_method
    enumerator :: SPG_FOREST_AUTO = 0, SPG_FOREST_CUTPOINT = 1, SPG_FOREST_RADIX = 2
  end enum

  type, bind(C) :: spg_forest_options
    integer(c_int) :: method = 0
    real(c_double) :: cells_per_item = 0
  end type

  type, bind(C) :: spg_forest_details
    type(c_ptr) :: probabilities = c_null_ptr, remapped = c_null_ptr
  end type

  type, bind(C) :: spg_matrix_market_warning
    integer(c_int64_t) :: lines = 0
    character(kind=c_char) :: text(240) = c_null_char
  end type

  type, bind(C) :: spg_dense
    integer(c_int64_t) :: rows = 0, cols = 0
    integer(c_int) :: value_type = 0
    type(c_ptr) :: values = c_null_ptr
  end type

end module spg_types
