# cpack runs this before it packs: each package for Debian has a copyright file and a changelog, below its own name, and
# compressed manual pages.
if(CPACK_GENERATOR STREQUAL "DEB")
  string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)
  foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} COMPONENT)
    set(name ${CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME})
    set(docs "${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share/doc/${name}")
    configure_file("${CPACK_SPG_LICENSE}" "${docs}/copyright" COPYONLY)
    file(WRITE "${docs}/changelog"
      "spg (${CPACK_PACKAGE_VERSION}) unstable; urgency=low\n\n  * See CHANGELOG.md in the source.\n\n"
      " -- ${CPACK_PACKAGE_CONTACT}  ${today}\n")
    file(GLOB pages "${docs}/../../man/man?/*.[1-9]")
    execute_process(COMMAND gzip -9nf "${docs}/changelog" ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()
