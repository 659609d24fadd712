# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Walks the port without vcpkg, as no registry has its tool: the functions of vcpkg's that it calls are these here, which
# do what its documentation says they do. Header-only, so that nothing is compiled. And the manifest's features are those
# that the port knows.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${BUILD}")
string(REPLACE "|" ";" PREFIXES "${PREFIXES}")
set(PORT comcp)
set(VERSION "${COMCP_VERSION}")
set(CURRENT_PORT_DIR "${COMCP}/packaging/vcpkg/ports/comcp")
set(CURRENT_PACKAGES_DIR "${BUILD}/packages/comcp")
set(CMAKE_CURRENT_LIST_DIR "${CURRENT_PORT_DIR}")
set(FEATURES core tls)
file(READ "${CURRENT_PORT_DIR}/vcpkg.json" manifest)

function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" OUT_FEATURE_OPTIONS FEATURES)
  file(STRINGS "${COMCP}/CMakeLists.txt" known REGEX "^option\\(COMCP_")
  set(options "")
  set(names "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature option)
    list(APPEND names ${feature})
    if(NOT known MATCHES "option\\(${option} ")
      message(SEND_ERROR "the port knows an option that comcp has not: ${option}")
    endif()
    set(value OFF)
    if(feature IN_LIST FEATURES)
      set(value ON)
    endif()
    list(APPEND options "-D${option}=${value}")
  endwhile()
  string(JSON count LENGTH "${manifest}" features)
  math(EXPR last "${count} - 1")
  set(declared "")
  foreach(i RANGE ${last})
    string(JSON feature MEMBER "${manifest}" features ${i})
    list(APPEND declared ${feature})
  endforeach()
  list(SORT names)
  list(SORT declared)
  if(NOT names STREQUAL declared)
    message(SEND_ERROR "the manifest declares ${declared}, the port knows ${names}")
  endif()
  set(${arg_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${BUILD}/build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
            "-DCMAKE_PREFIX_PATH=${PREFIXES}" "-DCOMCP_ASIO_INCLUDE_DIR=${ASIO}" -DCMAKE_BUILD_TYPE=Release
            "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" -DCMAKE_INSTALL_LIBDIR=lib ${arg_OPTIONS}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}/build" --target install OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
  file(RENAME "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" "${CURRENT_PACKAGES_DIR}/share/${PORT}")
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  file(COPY_FILE "${arg_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright")
endfunction()

include("${CURRENT_PORT_DIR}/portfile.cmake")

foreach(file include/comcp/comcp.hpp share/comcp/comcpConfig.cmake share/comcp/comcpTargets.cmake share/comcp/copyright
             share/comcp/usage lib/pkgconfig/comcp.pc)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${file}")
    message(SEND_ERROR "the port installs no ${file}")
  endif()
endforeach()
foreach(file debug share/licenses lib/libcomcp_compiled.a)
  if(EXISTS "${CURRENT_PACKAGES_DIR}/${file}")
    message(SEND_ERROR "the port leaves ${file}")
  endif()
endforeach()
