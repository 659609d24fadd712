# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# `cmake -B build` of who wants to install comcp: it warns of nothing, and builds comcp::compiled alone.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${BUILD}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${COMCP}" -B "${BUILD}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
          "-DCMAKE_PREFIX_PATH=${PREFIXES}" "-DCOMCP_ASIO_INCLUDE_DIR=${ASIO}" "-DCOMCP_SHARED_DIR=${BUILD}/none"
  OUTPUT_VARIABLE said ERROR_VARIABLE warned RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT warned STREQUAL "" OR said MATCHES "[Ww]arning")
  message(FATAL_ERROR "cmake -B build fails or warns:\n${said}${warned}")
endif()

file(READ "${BUILD}/compile_commands.json" commands)
string(JSON count LENGTH "${commands}")
if(count EQUAL 0)
  message(FATAL_ERROR "cmake -B build builds nothing")
endif()
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON command GET "${commands}" ${i} command)
  if(NOT command MATCHES "-o CMakeFiles/comcp_compiled[.]dir/")
    message(SEND_ERROR "built, but not installed: ${command}")
  endif()
endforeach()
message(STATUS "${count} objects, all of comcp::compiled")
