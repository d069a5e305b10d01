# Target `manual`: the pages of docs/ and the reference of the headers as HTML, where doxygen is; installed if it was made.
if(PROJECT_IS_TOP_LEVEL)
  find_package(Doxygen QUIET)
  if(DOXYGEN_FOUND)
    file(WRITE ${PROJECT_BINARY_DIR}/Doxyfile "@INCLUDE = docs/doxygen/Doxyfile\n"
      "OUTPUT_DIRECTORY = \"${PROJECT_BINARY_DIR}/manual\"\nPROJECT_NUMBER = ${PROJECT_VERSION}\n")
    add_custom_target(manual COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/manual
                             COMMAND Doxygen::doxygen ${PROJECT_BINARY_DIR}/Doxyfile
                             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM
                             COMMENT "The manual, into manual/html/index.html")
    install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT manual OPTIONAL)
  else()
    add_custom_target(manual COMMAND ${CMAKE_COMMAND} -E echo "The manual needs doxygen, which was not found."
                             COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  endif()
endif()
