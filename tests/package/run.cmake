# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Configures, builds and runs the consumer project SOURCE in BUILD, with the comcp that is installed in PREFIX, or with
# the source tree COMCP. BUILDER is `meson`, `make` or `bazel` where CMake does not build it, and PROGRAM where that is.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${BUILD}")
string(REPLACE "|" ";" PREFIXES "${PREFIXES}")
string(REPLACE "|" " " launcher "${LAUNCHER}")
string(REPLACE "|" ";" LAUNCHER "${LAUNCHER}")
if(PREFIX)
  list(PREPEND PREFIXES "${PREFIX}")
  set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
endif()

if(WRAP)  # Meson's subproject, which is fetched as the wrap says
  file(COPY "${SOURCE}/meson.build" "${SOURCE}/../small.cpp" DESTINATION "${BUILD}/source")
  file(COPY "${WRAP}" DESTINATION "${BUILD}/source/subprojects")
  set(SOURCE "${BUILD}/source")
endif()
if(BUILDER STREQUAL "meson")
  list(POP_BACK LAUNCHER ccache)  # the program alone: with more before it Meson's own calls of CMake fail
  set(ENV{CXX} "${ccache} ${COMPILER}")
  execute_process(COMMAND "${PROGRAM}" setup "${BUILD}/build" "${SOURCE}" --buildtype=plain "--cmake-prefix-path=${PREFIX}"
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${PROGRAM}" compile -C "${BUILD}/build" -j 2 COMMAND_ERROR_IS_FATAL ANY)
elseif(BUILDER STREQUAL "make")
  file(MAKE_DIRECTORY "${BUILD}/build")
  execute_process(COMMAND "${PROGRAM}" -C "${BUILD}/build" -f "${SOURCE}/Makefile" -j 2 "CXX=${launcher} ${COMPILER}"
                  COMMAND_ERROR_IS_FATAL ANY)
elseif(BUILDER STREQUAL "bazel")
  file(COPY "${SOURCE}/" "${SOURCE}/../small.cpp" DESTINATION "${BUILD}/source")
  file(APPEND "${BUILD}/source/WORKSPACE"
       "\nnew_local_repository(name = 'comcp', path = '${COMCP}', build_file = '${COMCP}/BUILD.bazel')\n")
  execute_process(COMMAND "${PROGRAM}" --batch "--output_user_root=${BUILD}/bazel" build --cxxopt=-std=c++20
                          "--repo_env=CC=${COMPILER}" "--symlink_prefix=${BUILD}/bazel-" //:consumer
                  WORKING_DIRECTORY "${BUILD}/source" COMMAND_ERROR_IS_FATAL ANY)
  file(COPY "${BUILD}/bazel-bin/consumer" DESTINATION "${BUILD}/build")
else()
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}/build" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Debug
            -DCMAKE_CXX_FLAGS_DEBUG=-g0 "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
            "-DCMAKE_PREFIX_PATH=${PREFIXES}" "-DCOMCP_SOURCE_DIR=${COMCP}" "-DCOMCP_ASIO_INCLUDE_DIR=${ASIO}"
            "-DCPM_FILE=${CPM_FILE}" --no-warn-unused-cli
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}/build" -j 2 COMMAND_ERROR_IS_FATAL ANY)
endif()

file(GLOB programs "${BUILD}/build/consumer*")
list(FILTER programs EXCLUDE REGEX "[.]o$")
if(NOT programs)
  message(FATAL_ERROR "the project built no program named consumer*")
endif()
foreach(program IN LISTS programs)
  if(NOT IS_DIRECTORY "${program}")
    execute_process(COMMAND "${program}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
