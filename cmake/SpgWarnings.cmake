# spg_warnings(target): the warnings that every target of the project is held to.
function(spg_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
    # Without OpenMP its pragmas, and the parameters that only they use, are no fault.
    $<$<NOT:$<BOOL:${OpenMP_C_FOUND}>>:-Wno-unknown-pragmas -Wno-unused-parameter>
    $<$<BOOL:${SPG_WERROR}>:-Werror>)
endfunction()
