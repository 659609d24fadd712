# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Windows, 64 bit, by Debian's mingw-w64 with posix threads; programs run under wine. `tools/install-deps windows` puts
# the libraries into build/windows-deps; nothing of /usr/include is on this compiler's path.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

set(comcp_windows_deps "${CMAKE_CURRENT_LIST_DIR}/../build/windows-deps")

# Templates make more sections than a COFF object has by default, and GNU's ar and ld take minutes for them, as each one's
# symbol is looked for among all.
set(CMAKE_CXX_FLAGS_INIT "-Wa,-mbig-obj")
set(CMAKE_AR llvm-ar-19 CACHE FILEPATH "")
set(CMAKE_RANLIB llvm-ranlib-19 CACHE FILEPATH "")
# No DLL of the compiler's is beside the programs.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -wrapper ${CMAKE_CURRENT_LIST_DIR}/mingw-lld")

set(CMAKE_FIND_ROOT_PATH "${comcp_windows_deps}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(COMCP_ASIO_INCLUDE_DIR "${comcp_windows_deps}/include" CACHE PATH "Where asio/version.hpp of standalone Asio is")
foreach(package simdjson Catch2 CLI11 httplib)
  set(${package}_DIR "${comcp_windows_deps}/cmake" CACHE PATH "")
endforeach()
set(PKG_CONFIG_EXECUTABLE "/bin/false" CACHE FILEPATH "It would find what is this machine's")

set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/../tools/wine")
