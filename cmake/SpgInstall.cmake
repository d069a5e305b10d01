# Headers, both libraries, and the files by which CMake and pkg-config find them; all relocatable. The components:
# runtime (the shared library), io (that of Matrix Market files), development (all else of both), tools (the benches) and
# manual.
include(CMakePackageConfigHelpers)
set(SPG_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/spg)
set(SPG_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY include/spg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp"
        PATTERN "io.h*" EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(kind shared static)
  install(TARGETS spg_${kind} EXPORT spg_${kind}_targets LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
  install(EXPORT spg_${kind}_targets FILE spg-${kind}-targets.cmake NAMESPACE spg:: DESTINATION ${SPG_CMAKE_DIR})
endforeach()
if(SPG_WITH_IO)
  install(FILES include/spg/io.h include/spg/io.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spg)
  foreach(kind shared static)
    install(TARGETS spg_io_${kind} EXPORT spg_io_${kind}_targets LIBRARY COMPONENT io NAMELINK_COMPONENT development)
    install(EXPORT spg_io_${kind}_targets FILE spg-io-${kind}-targets.cmake NAMESPACE spg:: DESTINATION ${SPG_CMAKE_DIR})
  endforeach()
endif()

# Of Fortran the sources, for any compiler, and what the compiler here makes of them.
set(SPG_FORTRAN_DIR ${CMAKE_INSTALL_DATADIR}/spg/fortran)
set(SPG_FORTRAN_MODULES ${CMAKE_INSTALL_LIBDIR}/spg/fortran)
list(TRANSFORM SPG_FORTRAN_SOURCES PREPEND fortran/ OUTPUT_VARIABLE sources)
install(FILES ${sources} DESTINATION ${SPG_FORTRAN_DIR})
if(SPG_WITH_FORTRAN)
  install(TARGETS spg_fortran)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/fortran/modules/ DESTINATION ${SPG_FORTRAN_MODULES})
endif()

set(SPG_STATIC_NEEDS_CUDA ${SPG_WITH_CUDA})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/spg-config.cmake.in ${PROJECT_BINARY_DIR}/spg-config.cmake
                              INSTALL_DESTINATION ${SPG_CMAKE_DIR} PATH_VARS SPG_FORTRAN_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spg-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spg-config.cmake ${PROJECT_BINARY_DIR}/spg-config-version.cmake
        DESTINATION ${SPG_CMAKE_DIR})

# What a static link needs besides libspg.a; a prefix reckoned from where the .pc file lies.
set(SPG_PC_LIBS_PRIVATE "${SPG_LAPACK_WORDS} -lpthread -lm")
if(SPG_WITH_CUDA)
  string(APPEND SPG_PC_LIBS_PRIVATE " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lstdc++ -ldl -lpthread -lrt")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(SPG_PC_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(SPG_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
if(IS_ABSOLUTE "${SPG_PKGCONFIG_DIR}")
  set(SPG_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/prefix/${SPG_PKGCONFIG_DIR}" "/prefix")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(SPG_PC_PREFIX "\${pcfiledir}/${up}")
endif()
set(packages spg)
if(SPG_WITH_IO)
  list(APPEND packages spg-io)
endif()
if(SPG_WITH_FORTRAN)
  list(APPEND packages spg-fortran)
endif()
foreach(package IN LISTS packages)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${SPG_PKGCONFIG_DIR})
endforeach()

# The loader's cache has to be told of a new library in one of its folders.
install(CODE "if(NOT DEFINED ENV{DESTDIR} AND CMAKE_INSTALL_PREFIX MATCHES \"^/usr(/local)?$\")
  message(STATUS \"Now run ldconfig as root, so that programs find libspg.so\")
endif()" COMPONENT runtime)
