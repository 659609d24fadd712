# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the headers and the CMake package `comcp`.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(comcp_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/comcp")
set(comcp_targets comcp)
set(comcp_arch ARCH_INDEPENDENT)
if(COMCP_COMPILED)
  list(APPEND comcp_targets comcp_compiled)
  set(comcp_arch)
endif()

foreach(target IN LISTS comcp_targets)
  get_target_property(type ${target} TYPE)
  set(scope PUBLIC)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()

install(DIRECTORY include/comcp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.ipp")
install(TARGETS ${comcp_targets} EXPORT comcpTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT comcpTargets NAMESPACE comcp:: DESTINATION "${comcp_package_dir}")

write_basic_package_version_file("${PROJECT_BINARY_DIR}/comcpConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion ${comcp_arch})
configure_file("${PROJECT_SOURCE_DIR}/cmake/comcpConfig.cmake.in" "${PROJECT_BINARY_DIR}/comcpConfig.cmake" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/comcpConfig.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/comcpDependencies.cmake"
              "${PROJECT_BINARY_DIR}/comcpConfigVersion.cmake"
        DESTINATION "${comcp_package_dir}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/comcp")
