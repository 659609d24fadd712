# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Linux with musl or glibc, macOS or FreeBSD by the clang and the libc++ of zig, which `tools/install-deps zig` puts into
# build/zig with the libraries. COMCP_ZIG_TARGET says what is built for, as zig names it: aarch64-macos, x86_64-linux-musl.
# Programs for Linux run: this machine's at once, others by Debian's qemu-user-static.
set(COMCP_ZIG_TARGET "x86_64-linux-musl" CACHE STRING "What zig compiles for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES COMCP_ZIG_TARGET)

if(NOT COMCP_ZIG_TARGET MATCHES "^([a-z0-9_]+)-(linux|macos|freebsd)([.-].*)?$")
  message(FATAL_ERROR "COMCP_ZIG_TARGET is '${COMCP_ZIG_TARGET}', where something like aarch64-macos was expected")
endif()
set(CMAKE_SYSTEM_PROCESSOR "${CMAKE_MATCH_1}")
set(CMAKE_SYSTEM_NAME "${CMAKE_MATCH_2}")
string(REPLACE "linux" "Linux" CMAKE_SYSTEM_NAME "${CMAKE_SYSTEM_NAME}")
string(REPLACE "macos" "Darwin" CMAKE_SYSTEM_NAME "${CMAKE_SYSTEM_NAME}")
string(REPLACE "freebsd" "FreeBSD" CMAKE_SYSTEM_NAME "${CMAKE_SYSTEM_NAME}")

# CMake wants each tool to be one program. zig keeps what it has compiled, its libc++ of each target first of all.
cmake_path(SET comcp_zig NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/zig")
set(comcp_zig_tools "${comcp_zig}/tools/${COMCP_ZIG_TARGET}")
function(comcp_zig_tool name command)
  set(text "#!/bin/sh
export ZIG_GLOBAL_CACHE_DIR='${comcp_zig}/cache' ZIG_LOCAL_CACHE_DIR='${comcp_zig}/cache'
exec '${comcp_zig}/zig' ${command} \"$@\"
")
  file(CONFIGURE OUTPUT "${comcp_zig_tools}/${name}" CONTENT "${text}" @ONLY)
  file(CHMOD "${comcp_zig_tools}/${name}" FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
comcp_zig_tool(c++ "c++ -target ${COMCP_ZIG_TARGET} -fno-sanitize=undefined")
comcp_zig_tool(cc "cc -target ${COMCP_ZIG_TARGET} -fno-sanitize=undefined")
comcp_zig_tool(ar "ar")
comcp_zig_tool(ranlib "ranlib")
set(CMAKE_C_COMPILER "${comcp_zig_tools}/cc")
set(CMAKE_CXX_COMPILER "${comcp_zig_tools}/c++")
set(CMAKE_AR "${comcp_zig_tools}/ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${comcp_zig_tools}/ranlib" CACHE FILEPATH "")
set(CMAKE_CXX_COMPILER_AR "${CMAKE_AR}")
set(CMAKE_CXX_COMPILER_RANLIB "${CMAKE_RANLIB}")
set(CMAKE_INSTALL_NAME_TOOL "/bin/false" CACHE FILEPATH "CMake asks for one; nothing is installed")
set(CMAKE_OSX_SYSROOT "" CACHE PATH "zig has the headers of libc itself")

set(comcp_zig_deps "${comcp_zig}/deps")
set(CMAKE_FIND_ROOT_PATH "${comcp_zig_deps}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(COMCP_ASIO_INCLUDE_DIR "${comcp_zig_deps}/include" CACHE PATH "Where asio/version.hpp of standalone Asio is")
foreach(package simdjson Catch2 CLI11 httplib)
  set(${package}_DIR "${comcp_zig_deps}/cmake" CACHE PATH "")
endforeach()
set(PKG_CONFIG_EXECUTABLE "/bin/false" CACHE FILEPATH "It would find what is this machine's")

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(CMAKE_CROSSCOMPILING_EMULATOR "/usr/bin/env")
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
    # Tests start programs, and a kernel knows of qemu only where binfmt_misc is set up: comcpBuild.cmake puts this script
    # in the place of each program.
    set(COMCP_PROGRAM_SCRIPT "${comcp_zig_tools}/program")
    file(CONFIGURE OUTPUT "${COMCP_PROGRAM_SCRIPT}" @ONLY CONTENT
         "#!/bin/sh\nexec /usr/bin/qemu-${CMAKE_SYSTEM_PROCESSOR}-static \"$0.elf\" \"$@\"\n")
    file(CHMOD "${COMCP_PROGRAM_SCRIPT}" FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
endif()
