# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs, with the compiler alone, a program of two sources: one holds all of comcp and of Asio, the other uses
# it: the single header's COMCP_IMPLEMENTATION, and no macro for Asio. comcp/src.hpp has the same parts in the same order; that
# it compiles, tests/structure says.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${BUILD}")
string(REPLACE "|" ";" INCLUDES "${INCLUDES}")
string(REPLACE "|" ";" LIBRARIES "${LIBRARIES}")
list(REMOVE_ITEM INCLUDES "" /usr/include)
list(TRANSFORM INCLUDES PREPEND -I)
set(flags -std=c++20 -pthread -Wall -Wextra -Werror -DCOMCP_SEPARATE_COMPILATION -DASIO_SEPARATE_COMPILATION ${DEFINES})

# Written anew, so that this tests the tree as it is.
execute_process(COMMAND "${PYTHON}" "${COMCP}/tools/amalgamate" -o "${BUILD}/include/comcp" OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
list(PREPEND INCLUDES "-I${BUILD}/include")
file(WRITE "${BUILD}/implementation.cpp" "#define COMCP_IMPLEMENTATION\n#include <comcp/http.hpp>\n")

foreach(source IN ITEMS "${BUILD}/implementation.cpp" "${CMAKE_CURRENT_LIST_DIR}/compile_once.cpp")
  cmake_path(GET source STEM name)
  execute_process(COMMAND ${LAUNCHER} "${COMPILER}" ${flags} ${INCLUDES} -c "${source}" -o "${BUILD}/${name}.o"
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND "${COMPILER}" -pthread "${BUILD}/implementation.o" "${BUILD}/compile_once.o" ${LIBRARIES}
                        -o "${BUILD}/program" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${BUILD}/program" COMMAND_ERROR_IS_FATAL ANY)
