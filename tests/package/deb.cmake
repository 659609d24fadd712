# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes the Debian packages of the comcp that is built in COMCP_BUILD, looks into them, and unpacks them to BUILD/root.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${BUILD}")
cmake_path(GET CMAKE_COMMAND PARENT_PATH bin)
execute_process(COMMAND "${bin}/cpack" -G DEB --config "${COMCP_BUILD}/CPackConfig.cmake" -B "${BUILD}/packages"
                        -D CPACK_DEBIAN_COMPRESSION_TYPE=zstd -D CPACK_THREADS=0
                OUTPUT_VARIABLE said ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(said MATCHES "[Ww]arning")
  message(FATAL_ERROR "${said}")
endif()

function(field package name pattern)
  execute_process(COMMAND dpkg-deb -f "${package}" "${name}" OUTPUT_VARIABLE value OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT value MATCHES "${pattern}")
    message(SEND_ERROR "${package}: ${name} is '${value}', and does not match ${pattern}")
  endif()
endfunction()

# What `package` has is what the regular expressions after it say, and each of them finds something.
function(holds package)
  execute_process(COMMAND dpkg-deb --fsys-tarfile "${package}" COMMAND tar -t OUTPUT_VARIABLE files
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" files "${files}")
  list(FILTER files EXCLUDE REGEX "/$|^$")
  foreach(pattern IN LISTS ARGN)
    list(LENGTH files before)
    list(FILTER files EXCLUDE REGEX "^[.]/usr/${pattern}$")
    list(LENGTH files after)
    if(before EQUAL after)
      message(SEND_ERROR "${package} has no ${pattern}")
    endif()
  endforeach()
  if(files)
    message(SEND_ERROR "${package} has too much: ${files}")
  endif()
  execute_process(COMMAND dpkg-deb -x "${package}" "${BUILD}/root" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB dev "${BUILD}/packages/libcomcp-dev_${VERSION}_*.deb")
file(GLOB tool "${BUILD}/packages/comcp_${VERSION}_*.deb")
field("${dev}" Depends "^libasio-dev \\(>= 1:1.22\\), libsimdjson-dev \\(>= 3\\)")
field("${dev}" Section "^libdevel$")
holds("${dev}" "include/comcp/.*[.][hi]pp" "lib.*/libcomcp_compiled[.]a" "lib.*/cmake/comcp/comcp[A-Za-z-]*[.]cmake"
      "lib.*/pkgconfig/comcp[a-z-]*[.]pc" "share/licenses/comcp/LICENSE" "share/doc/libcomcp-dev/copyright")
field("${tool}" Depends "libc6 .*libsimdjson")
holds("${tool}" "bin/comcp" "share/doc/comcp/copyright")
execute_process(COMMAND "${BUILD}/root/usr/bin/comcp" --version OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said MATCHES "${VERSION}")
  message(FATAL_ERROR "comcp --version says ${said}")
endif()
