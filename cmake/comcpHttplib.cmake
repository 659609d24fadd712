# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# comcp::httplib, where cpp-httplib is found: for the demo server, the tests and the benchmark of httplib_engine. Not
# installed.
if(TARGET comcp::httplib)
  return()
endif()

find_package(httplib CONFIG QUIET GLOBAL)
set(comcp_httplib_target httplib::httplib)
if(NOT TARGET httplib::httplib)
  # With its flags: Debian's header fits Debian's library only where both see the same macros.
  set(comcp_httplib_target PkgConfig::comcp_httplib)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(comcp_httplib QUIET IMPORTED_TARGET GLOBAL cpp-httplib>=0.11)
  endif()
endif()
if(TARGET ${comcp_httplib_target})
  add_library(comcp::httplib INTERFACE IMPORTED GLOBAL)
  set_target_properties(comcp::httplib PROPERTIES INTERFACE_LINK_LIBRARIES ${comcp_httplib_target})
endif()
