# cmake --install: the core (headers, library) for find_package(rootdk). What an outsider compiles with
# is his own choice, but for C++20 and for -ffp-contract=off: our headers compute, too, and an a + b*c
# contracted there would change their bits.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rootdk)

install(TARGETS rootdk EXPORT rootdkTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rootdk DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        PATTERN harness EXCLUDE)  # it belongs to the experiments
install(EXPORT rootdkTargets NAMESPACE rootdk:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rootdkConfig.cmake.in rootdkConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(rootdkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rootdkConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/rootdkConfigVersion.cmake DESTINATION ${package_folder})
