# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Finds Asio, simdjson, threads and, unless COMCP_WITH_TLS is off, OpenSSL, for comcp's own build and for its installed
# package alike, and gives the first two as comcp::asio and comcp::simdjson. Targets are global, so that a parent project may link comcp too.
# What is not there is named in comcp_missing.
set(comcp_missing "")
set(comcp_targets_global_before "${CMAKE_FIND_PACKAGE_TARGETS_GLOBAL}")
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads QUIET)
if(NOT TARGET Threads::Threads)
  string(APPEND comcp_missing "comcp needs threads. ")
endif()

if(NOT TARGET comcp::asio)
  # vcpkg and Conan have a CMake package for Asio; Debian and a plain download have headers.
  find_package(asio CONFIG QUIET)
  if(TARGET asio::asio AND NOT COMCP_ASIO_INCLUDE_DIR)
    add_library(comcp::asio INTERFACE IMPORTED GLOBAL)
    set_target_properties(comcp::asio PROPERTIES INTERFACE_LINK_LIBRARIES asio::asio)
  else()
    find_path(COMCP_ASIO_INCLUDE_DIR asio/version.hpp DOC "Where asio/version.hpp of standalone Asio is")
    if(COMCP_ASIO_INCLUDE_DIR)
      add_library(comcp::asio INTERFACE IMPORTED GLOBAL)
      set_target_properties(comcp::asio PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${COMCP_ASIO_INCLUDE_DIR}")
    else()
      string(APPEND comcp_missing "comcp needs standalone Asio 1.22 or newer (Debian: libasio-dev; elsewhere set "
                                  "COMCP_ASIO_INCLUDE_DIR). ")
    endif()
  endif()
endif()

if(NOT TARGET comcp::simdjson)
  find_package(simdjson CONFIG QUIET)
  set(comcp_simdjson_target simdjson::simdjson)
  if(NOT TARGET simdjson::simdjson)
    set(comcp_simdjson_target PkgConfig::comcp_simdjson)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(comcp_simdjson QUIET IMPORTED_TARGET GLOBAL simdjson>=3)
    endif()
  endif()
  if(TARGET ${comcp_simdjson_target})
    add_library(comcp::simdjson INTERFACE IMPORTED GLOBAL)
    set_target_properties(comcp::simdjson PROPERTIES INTERFACE_LINK_LIBRARIES ${comcp_simdjson_target})
  else()
    string(APPEND comcp_missing "comcp needs simdjson 3 or newer (Debian: libsimdjson-dev). ")
  endif()
endif()

# Where nobody has decided on TLS, it is on when OpenSSL is there.
set(comcp_tls_found OFF)
if(NOT DEFINED COMCP_WITH_TLS OR COMCP_WITH_TLS)
  find_package(OpenSSL 3 QUIET)
  if(TARGET OpenSSL::SSL)
    set(comcp_tls_found ON)
  elseif(COMCP_WITH_TLS)
    string(APPEND comcp_missing "comcp with TLS needs OpenSSL 3 or newer (Debian: libssl-dev). ")
  endif()
endif()

set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL "${comcp_targets_global_before}")
