# Manual pages, in man/ of the build: of the library, from its headers, and of the benches, from what they print for
# --help, where help2man is.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(man ${PROJECT_SOURCE_DIR}/docs/man)
set(built ${PROJECT_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${built})
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/spg/*.h)
find_program(AWK awk REQUIRED)
add_custom_command(OUTPUT ${built}/spg.3
                   COMMAND ${AWK} -v version=${PROJECT_VERSION} -f ${man}/calls.awk ${man}/spg.3.in ${headers} > ${built}/spg.3
                   DEPENDS ${man}/calls.awk ${man}/spg.3.in ${headers} VERBATIM)
set(pages ${built}/spg.3)
install(FILES ${built}/spg.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)

find_program(HELP2MAN help2man)
if(SPG_BUILD_BENCH AND HELP2MAN)
  foreach(bench spgemm_bench amg_bench sampling_bench)
    add_custom_command(OUTPUT ${built}/${bench}.1
                       COMMAND ${HELP2MAN} --no-info --version-string=${PROJECT_VERSION} --source=spg --include=${man}/${bench}.h2m
                               --output=${built}/${bench}.1 $<TARGET_FILE:${bench}>
                       DEPENDS ${bench} ${man}/${bench}.h2m VERBATIM)
    list(APPEND pages ${built}/${bench}.1)
    install(FILES ${built}/${bench}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  endforeach()
elseif(SPG_BUILD_BENCH)
  message(STATUS "No manual pages of the benches: help2man is not here")
endif()
add_custom_target(man_pages ALL DEPENDS ${pages})
