# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the headers, the CMake package `comcp`, and for pkg-config `comcp` (header-only) and `comcp-compiled`; all of it
# is the component comcp_dev.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME comcp_dev)

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

# Where Asio is a CMake target, as with vcpkg and Conan, it lies beside comcp or in a package of its own.
set(comcp_pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${comcp_pc_dir}"
           OUTPUT_VARIABLE comcp_pc_prefix)
string(PREPEND comcp_pc_prefix "\${pcfiledir}/")  # so that what is installed can be moved
function(comcp_install_pc comcp_pc_name comcp_pc_how comcp_pc_requires comcp_pc_cflags comcp_pc_libs)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/comcp.pc.in" "${PROJECT_BINARY_DIR}/${comcp_pc_name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${comcp_pc_name}.pc" DESTINATION "${comcp_pc_dir}")
endfunction()

set(comcp_pc_needs "simdjson >= 3")
set(comcp_pc_flags "-I\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
if(COMCP_ASIO_INCLUDE_DIR AND NOT COMCP_ASIO_INCLUDE_DIR STREQUAL "/usr/include")
  string(APPEND comcp_pc_flags " -I${COMCP_ASIO_INCLUDE_DIR}")
endif()
string(APPEND comcp_pc_flags " -DASIO_STANDALONE -DASIO_HAS_CO_AWAIT -DASIO_HAS_STD_COROUTINE")
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  string(APPEND comcp_pc_flags " -DASIO_HAS_STD_ALIGNED_ALLOC=1")
endif()
if(COMCP_WITH_TLS)
  string(APPEND comcp_pc_needs ", openssl >= 3")
  string(APPEND comcp_pc_flags " -DCOMCP_WITH_TLS=1")
endif()
comcp_install_pc(comcp "header-only" "${comcp_pc_needs}" "${comcp_pc_flags} -pthread" "-pthread")
if(COMCP_COMPILED)
  comcp_install_pc(comcp-compiled "compiled once" "comcp = ${PROJECT_VERSION}"
                   "-DCOMCP_SEPARATE_COMPILATION -DASIO_SEPARATE_COMPILATION"
                   "-L\${prefix}/${CMAKE_INSTALL_LIBDIR} -lcomcp_compiled")
endif()

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/comcp")
if(PROJECT_IS_TOP_LEVEL AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  include(comcpPackages)
endif()
