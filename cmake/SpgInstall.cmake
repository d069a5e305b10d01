# Headers, both libraries, and the files by which CMake and pkg-config find them; all relocatable. The components:
# runtime (the shared library), development (all else of the library), tools (the benches) and manual.
include(CMakePackageConfigHelpers)
set(SPG_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/spg)
set(SPG_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY include/spg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(kind shared static)
  install(TARGETS spg_${kind} EXPORT spg_${kind}_targets LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
  install(EXPORT spg_${kind}_targets FILE spg-${kind}-targets.cmake NAMESPACE spg:: DESTINATION ${SPG_CMAKE_DIR})
endforeach()

set(SPG_STATIC_NEEDS_CUDA ${SPG_WITH_CUDA})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/spg-config.cmake.in ${PROJECT_BINARY_DIR}/spg-config.cmake
                              INSTALL_DESTINATION ${SPG_CMAKE_DIR})
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
configure_file(${PROJECT_SOURCE_DIR}/cmake/spg.pc.in ${PROJECT_BINARY_DIR}/spg.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spg.pc DESTINATION ${SPG_PKGCONFIG_DIR})

# The loader's cache has to be told of a new library in one of its folders.
install(CODE "if(NOT DEFINED ENV{DESTDIR} AND CMAKE_INSTALL_PREFIX MATCHES \"^/usr(/local)?$\")
  message(STATUS \"Now run ldconfig as root, so that programs find libspg.so\")
endif()" COMPONENT runtime)
