# A package for Debian and what descends from it: cmake --workflow --preset deb. Its files lie below
# /usr, where the loader looks; a build for another prefix makes no package.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PACKAGE_NAME ${PROJECT_NAME})
set(CPACK_PACKAGE_CONTACT "flaky-repro developers <flaky-repro@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find out why a test is flaky, and make it fail on demand")
file(READ ${CMAKE_CURRENT_LIST_DIR}/description CPACK_PACKAGE_DESCRIPTION)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# The libraries, and how new they have to be, are found by dpkg-shlibdeps.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libcurl is loaded when a model is asked, so nothing names it in the program.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= 3.9), libcurl4 | libcurl4t64")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-pytest (>= 7.2)")

# Scripts of the package, with the folder of the plugin in them.
set(plugin ${CMAKE_INSTALL_FULL_LIBDIR}/flaky-repro)
set(extra ${CMAKE_CURRENT_LIST_DIR}/triggers)
foreach(script postinst prerm postrm)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${script}.in deb/${script} @ONLY FILE_PERMISSIONS
                 OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                 WORLD_EXECUTE)
  list(APPEND extra ${CMAKE_CURRENT_BINARY_DIR}/deb/${script})
endforeach()
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${extra})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What Debian wants in another form than `cmake --install` gives.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in deb/changelog @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/stage.cmake.in deb/stage.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/deb/stage.cmake)

include(CPack)
