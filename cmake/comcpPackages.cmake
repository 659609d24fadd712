# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Debian packages, which `cpack -G DEB` makes in the build folder: libcomcp-dev, and comcp where the command-line tool is
# built. Not installed.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME comcp)
set(CPACK_PACKAGE_VENDOR "The comcp authors")
set(CPACK_PACKAGE_CONTACT "The comcp authors <authors@comcp.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)  # programs; not what is in an archive
set(CPACK_COMPONENTS_ALL comcp_dev)

set(CPACK_DEBIAN_COMCP_DEV_PACKAGE_NAME libcomcp-dev)
set(CPACK_DEBIAN_COMCP_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_COMCP_DEV_DESCRIPTION "Headers, the static library comcp_compiled, and the files by which CMake and
pkg-config find them.")
set(CPACK_DEBIAN_COMCP_DEV_PACKAGE_DEPENDS "libasio-dev (>= 1:1.22), libsimdjson-dev (>= 3)")
if(COMCP_WITH_TLS)
  string(APPEND CPACK_DEBIAN_COMCP_DEV_PACKAGE_DEPENDS ", libssl-dev (>= 3)")
endif()
if(NOT COMCP_COMPILED)
  set(CPACK_DEBIAN_COMCP_DEV_PACKAGE_ARCHITECTURE all)
endif()

if(COMCP_BUILD_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL comcp_tool)
  set(CPACK_DEBIAN_COMCP_TOOL_PACKAGE_NAME comcp)
  set(CPACK_DEBIAN_COMCP_TOOL_PACKAGE_SECTION utils)
  set(CPACK_COMPONENT_COMCP_TOOL_DESCRIPTION "The command-line tool: lists, calls and reads what MCP servers offer, over
stdio and HTTP.")
  set(CPACK_DEBIAN_COMCP_TOOL_PACKAGE_SHLIBDEPS ON)
endif()

# Where Debian wants it; who installs by hand has it in share/licenses.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}" RENAME copyright
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
