# What `make install` and `make deb` lay down: the program, the gateway it starts, and its documents.
include(GNUInstallDirs)
install(TARGETS ward RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ward-gateway RUNTIME DESTINATION libexec/ward)
install(FILES README.md SECURITY.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Ward Authors")
set(CPACK_PACKAGE_CONTACT "The Ward Authors <ward@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
# The program is static: it depends on nothing but the kernel.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "Runs a command confined by a policy of paths and hosts: namespaces, Landlock, seccomp and cgroups,
 without a daemon, without root and without a helper program.")
include(CPack)
