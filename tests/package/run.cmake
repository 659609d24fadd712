# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Configures, builds and runs the consumer project SOURCE in BUILD. With INSTALL, a comcp build is first installed
# to a fresh prefix, and the project finds it there. With MESON it is a Meson project, which finds it through pkg-config.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${BUILD}")

if(INSTALL)
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${INSTALL}" --prefix "${BUILD}/prefix"
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  list(PREPEND PREFIXES "${BUILD}/prefix")
endif()

if(MESON)
  set(ENV{PKG_CONFIG_PATH} "${BUILD}/prefix/${LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
  set(ENV{CXX} "${COMPILER}")
  execute_process(COMMAND "${MESON}" setup "${BUILD}/build" "${SOURCE}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${MESON}" compile -C "${BUILD}/build" -j 2 COMMAND_ERROR_IS_FATAL ANY)
else()
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}/build" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Debug
            "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
            "-DCMAKE_PREFIX_PATH=${PREFIXES}" "-DCOMCP_SOURCE_DIR=${COMCP}" "-DCOMCP_ASIO_INCLUDE_DIR=${ASIO}"
            --no-warn-unused-cli
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}/build" -j 2 COMMAND_ERROR_IS_FATAL ANY)
endif()

file(GLOB programs "${BUILD}/build/consumer*")
if(NOT programs)
  message(FATAL_ERROR "the project built no program named consumer*")
endif()
foreach(program IN LISTS programs)
  if(NOT IS_DIRECTORY "${program}")
    execute_process(COMMAND "${program}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
