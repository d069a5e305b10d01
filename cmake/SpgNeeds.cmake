# What is built needs these libraries. They are looked for here and all at once, so that one message names everything that
# lacks, the packages that hold it and the options that do without.
#
# Sets NAME_LIBRARY and NAME_INCLUDE_DIR of each, SPG_WITH_IO, and SPG_LAPACK_WORDS: the linker's words for LAPACK, for spg.pc.
set(lacks "")
set(packages "")

macro(spg_need name library header package)
  find_library(${name}_LIBRARY ${library})
  find_path(${name}_INCLUDE_DIR ${header} PATH_SUFFIXES suitesparse)
  if(NOT ${name}_LIBRARY OR NOT ${name}_INCLUDE_DIR)
    string(APPEND lacks "\n  ${header} and lib${library}: ${package}")
    list(APPEND packages ${package})
  endif()
endmacro()

find_package(LAPACK QUIET)
if(NOT LAPACK_FOUND)
  string(APPEND lacks "\n  LAPACK, which the library itself needs: liblapack-dev")
  list(APPEND packages liblapack-dev)
endif()
# spg_io, with which the benches and the tests read files.
if(NOT SPG_IO MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SPG_IO=${SPG_IO}: AUTO, ON or OFF is expected")
endif()
set(SPG_WITH_IO OFF)
if(SPG_IO STREQUAL "AUTO" AND NOT SPG_BUILD_BENCH AND NOT SPG_BUILD_TESTS)
  find_library(CHOLMOD_LIBRARY cholmod)
  find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
  find_library(ZLIB_LIBRARY z)
  find_path(ZLIB_INCLUDE_DIR zlib.h)
  if(CHOLMOD_LIBRARY AND CHOLMOD_INCLUDE_DIR AND ZLIB_LIBRARY AND ZLIB_INCLUDE_DIR)
    set(SPG_WITH_IO ON)
  endif()
elseif(NOT SPG_IO STREQUAL "OFF" OR SPG_BUILD_BENCH OR SPG_BUILD_TESTS)
  set(SPG_WITH_IO ON)
  spg_need(CHOLMOD cholmod cholmod.h libsuitesparse-dev)
  spg_need(ZLIB z zlib.h zlib1g-dev)
endif()
if(SPG_BUILD_BENCH OR SPG_BUILD_TESTS)
  spg_need(CXSPARSE cxsparse cs.h libsuitesparse-dev)
endif()
if(SPG_BUILD_TESTS)
  spg_need(SUITESPARSECONFIG suitesparseconfig SuiteSparse_config.h libsuitesparse-dev)
  spg_need(CMOCKA cmocka cmocka.h libcmocka-dev)
endif()
if(lacks)
  list(REMOVE_DUPLICATES packages)
  list(JOIN packages " " packages)
  message(FATAL_ERROR "Not found here (with the names of Debian's and Ubuntu's packages):${lacks}\n"
    "Install them (apt-get install ${packages}), or tell CMake where they are by CMAKE_PREFIX_PATH. "
    "The library alone needs LAPACK only: -DSPG_BUILD_TESTS=OFF leaves out the tests, "
    "-DSPG_BUILD_BENCH=OFF the benches, -DSPG_IO=OFF reading and writing of files.")
endif()

# As the linker finds them again: -lNAME for what lies in its own folders.
set(SPG_LAPACK_WORDS "")
foreach(library IN LISTS LAPACK_LIBRARIES)
  if(IS_ABSOLUTE "${library}")
    get_filename_component(folder "${library}" DIRECTORY)
    get_filename_component(name "${library}" NAME_WE)
    string(REGEX REPLACE "^lib" "" name "${name}")
    if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      string(REPLACE " " "\\ " folder "${folder}")
      list(APPEND SPG_LAPACK_WORDS "-L${folder}")
    endif()
    list(APPEND SPG_LAPACK_WORDS "-l${name}")
  elseif(library MATCHES "^-")
    list(APPEND SPG_LAPACK_WORDS "${library}")
  else()
    list(APPEND SPG_LAPACK_WORDS "-l${library}")
  endif()
endforeach()

# A program that is linked statically as a whole takes LAPACK's own needs as well, often Fortran's runtime. That is not
# installed with LAPACK, and not needed beside a shared one: only what links here is named. Fortran's runtime refers to
# a function of libc so weakly that it would not be there.
if(NOT DEFINED SPG_LAPACK_STATIC_WORDS OR SPG_LAPACK_STATIC_WORDS STREQUAL "none") # it may be installed by now
  file(WRITE ${PROJECT_BINARY_DIR}/static_lapack.c
    "void dgesdd_(void); void dgetrf_(void); void dgetrs_(void);\n"
    "int main(int count, char **words) { (void)words; if (count > 9) dgesdd_(), dgetrf_(), dgetrs_(); return 0; }\n")
  set(found "none")
  foreach(more "" "-lgfortran" "-lgfortran;-lquadmath")
    try_compile(links ${PROJECT_BINARY_DIR}/static_lapack ${PROJECT_BINARY_DIR}/static_lapack.c
                LINK_OPTIONS -static LINK_LIBRARIES ${SPG_LAPACK_WORDS} ${more} -lm)
    if(links)
      set(found ${more})
      break()
    endif()
  endforeach()
  set(SPG_LAPACK_STATIC_WORDS "${found}" CACHE INTERNAL "What a static link needs beside LAPACK; none: it fails")
endif()
if(NOT SPG_LAPACK_STATIC_WORDS STREQUAL "none")
  list(APPEND SPG_LAPACK_WORDS ${SPG_LAPACK_STATIC_WORDS})
  if("-lgfortran" IN_LIST SPG_LAPACK_STATIC_WORDS)
    list(APPEND SPG_LAPACK_WORDS -Wl,-u,pthread_mutex_destroy)
  endif()
endif()
list(JOIN SPG_LAPACK_WORDS " " SPG_LAPACK_WORDS)
