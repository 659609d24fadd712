# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# find_package(comcp): gives comcp::comcp (header-only) and, where it was built, comcp::compiled.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/comcpDependencies.cmake")
if(comcp_missing)
  set(comcp_FOUND FALSE)
  set(comcp_NOT_FOUND_MESSAGE "${comcp_missing}")
  return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/comcpTargets.cmake")
