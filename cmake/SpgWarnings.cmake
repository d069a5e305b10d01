# spg_warnings(target): the warnings that every target of the project is held to.
function(spg_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
    $<$<BOOL:${SPG_WERROR}>:-Werror>)
endfunction()
