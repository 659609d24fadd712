# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# How comcp's own targets are built: usage requirements, warnings, sanitizers, ccache. Not installed.
include_guard(GLOBAL)

# What every user of comcp gets, header-only or compiled.
function(comcp_usage target scope)
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope} "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>")
  target_compile_definitions(${target} ${scope} ASIO_STANDALONE ASIO_HAS_CO_AWAIT ASIO_HAS_STD_COROUTINE)
  # Asio decides this by what was included before it; sources that disagree free with the wrong function. No generator
  # expression: Meson, when it reads the CMake package, would lose it.
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_compile_definitions(${target} ${scope} ASIO_HAS_STD_ALIGNED_ALLOC=1)
  endif()
  target_compile_options(${target} ${scope}
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,11>>:-fcoroutines>")
  if(WIN32)  # 10, and what sockets, random numbers, private files and the browser are there
    target_compile_definitions(${target} ${scope} _WIN32_WINNT=0x0A00)
    target_link_libraries(${target} ${scope} ws2_32 mswsock bcrypt advapi32 shell32 ole32)
  endif()
  target_link_libraries(${target} ${scope} comcp::asio Threads::Threads)
  # Says that the headers of TLS may be included; no type depends on it.
  if(COMCP_WITH_TLS)
    target_compile_definitions(${target} ${scope} COMCP_WITH_TLS=1)
    target_link_libraries(${target} ${scope} OpenSSL::SSL)
    if(WIN32)
      target_link_libraries(${target} ${scope} crypt32)
    endif()
  endif()
endfunction()

function(comcp_warn target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  # g++ 12, when it optimises, warns of overlaps inside std::string that cannot be (GCC bug 105651), and of Asio 1.22's
  # coroutine frames, whose operator new and delete it inlines at different depths.
  target_compile_options(${target} PRIVATE
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-mismatched-new-delete>")
  if(COMCP_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# What every executable of ours includes, precompiled where COMCP_PCH says so, and the target that does it. A folder
# may have others. Worth it with clang, which reads of such a file only what it needs; g++ 12 loses time with it.
set(CMAKE_PCH_PROLOGUE "")  # else CMake marks them as system headers, and their warnings are lost
set(comcp_pch comcp_pch)
set(comcp_pch_headers <comcp/comcp.hpp>)

# An executable of ours: warnings on, comcp linked in the mode that builds fastest.
function(comcp_executable target)
  add_executable(${target} ${ARGN})
  comcp_own(${target})
  if(COMCP_PROGRAM_SCRIPT)  # a toolchain's, for programs of another processor
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
      COMMAND "${CMAKE_COMMAND}" -E rename "$<TARGET_FILE:${target}>" "$<TARGET_FILE:${target}>.elf"
      COMMAND "${CMAKE_COMMAND}" -E copy "${COMCP_PROGRAM_SCRIPT}" "$<TARGET_FILE:${target}>")
  endif()
  if(COMCP_PCH)
    if(NOT TARGET ${comcp_pch})
      file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${comcp_pch}.cpp" CONTENT "")
      add_library(${comcp_pch} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${comcp_pch}.cpp")
      comcp_own(${comcp_pch})
      target_include_directories(${comcp_pch} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
      target_precompile_headers(${comcp_pch} PRIVATE ${comcp_pch_headers})
      # With the time in it, ccache would never find it again.
      target_compile_options(${comcp_pch} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
    endif()
    target_precompile_headers(${target} REUSE_FROM ${comcp_pch})
  endif()
endfunction()

# Makes `list` of a folder's sources one of units with COMCP_UNITY sources each, as most of a test's time is its headers'.
# In its unit each is in a namespace of its own, so that two may use one name; what has macros, named namespaces or
# specialisations stays alone. `name` tells the units apart.
function(comcp_unite list name)
  if(COMCP_UNITY LESS 2)
    return()
  endif()
  set(alone "")
  set(united "")
  foreach(source IN LISTS ${list})
    file(STRINGS "${source}" own REGEX "^(template <>|namespace [a-z_]+ {|#define|#undef)" LIMIT_COUNT 1)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    if(own)
      list(APPEND alone "${source}")
    else()
      list(APPEND united "${source}")
    endif()
  endforeach()
  set(script "${PROJECT_SOURCE_DIR}/cmake/comcpUnit.cmake")
  list(LENGTH united all)
  math(EXPR units "(${all} + ${COMCP_UNITY} - 1) / ${COMCP_UNITY}")
  set(begin 0)
  while(begin LESS all)
    math(EXPR size "(${all} - ${begin} + ${units} - 1) / ${units}")  # all of much the same size
    list(SUBLIST united ${begin} ${size} parts)
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/units/${name}_${units}.cpp")
    add_custom_command(OUTPUT "${unit}" DEPENDS ${parts} "${script}" VERBATIM
      COMMAND "${CMAKE_COMMAND}" -D "UNIT=${unit}" -D "FOLDER=${CMAKE_CURRENT_SOURCE_DIR}" -D "SOURCES=${parts}" -P "${script}")
    list(APPEND alone "${unit}")
    math(EXPR begin "${begin} + ${size}")
    math(EXPR units "${units} - 1")
  endwhile()
  set(${list} "${alone}" PARENT_SCOPE)
endfunction()

# The same for a program whose sources use no name twice.
function(comcp_unite_program target)
  if(COMCP_UNITY GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${COMCP_UNITY})
    # A local name may be that of another source's function.
    target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-shadow;-Wshadow=local>")
  endif()
endfunction()

function(comcp_own target)
  target_link_libraries(${target} PRIVATE ${comcp_fastest_to_build})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  comcp_warn(${target})
  if(COMCP_UNITY GREATER 1)  # g++ warns of local types where a source is included
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# The sources of comcp::compiled: what comcp/src.hpp includes, one source for each folder, so that a change compiles one
# folder again; with COMCP_UNITY one for those that include much the same, and with one of 256 one for all, which is the least
# work where nothing is compiled twice. Each is rewritten only when its list changes.
set(comcp_compiled_as_one "server registry pool" "config skills providers pinning test" "http net hash trace"
                          "json jsonrpc protocol wire sansio")
function(comcp_write_compiled_sources dir out)
  set(list_file "${PROJECT_SOURCE_DIR}/include/comcp/src.hpp")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list_file}")
  file(READ "${list_file}" text)
  string(REGEX MATCHALL "comcp/[a-z0-9_/]*\\.ipp" parts "${text}")
  file(GLOB_RECURSE there RELATIVE "${PROJECT_SOURCE_DIR}/include" CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/include/comcp/*.ipp")
  set(forgotten ${there})
  list(REMOVE_ITEM forgotten ${parts})
  set(gone ${parts})
  list(REMOVE_ITEM gone ${there})
  if(forgotten OR gone)
    message(FATAL_ERROR "include/comcp/src.hpp lists each impl/*.ipp. It lacks: ${forgotten}. Not there: ${gone}.")
  endif()
  if(NOT COMCP_WITH_TLS)  # what needs it stands last
    string(REGEX REPLACE "#if defined\\(COMCP_WITH_TLS\\).*" "" text "${text}")
    string(REGEX MATCHALL "comcp/[a-z0-9_/]*\\.ipp" parts "${text}")
  endif()
  list(SORT parts)
  set(sources "")
  set(third 0)
  foreach(part IN LISTS parts)
    string(REGEX REPLACE "/?impl/[^/]*$" "" folder "${part}")
    string(REPLACE "/" "_" folder "${folder}")
    if(COMCP_UNITY GREATER 255)
      set(folder all)
    elseif(COMCP_UNITY GREATER 1)
      string(REPLACE "comcp_" "" own "${folder}")
      foreach(folders IN LISTS comcp_compiled_as_one)
        if(" ${folders} " MATCHES " ${own} ")
          string(REPLACE " " "_" folder "comcp_${folders}")
          break()
        endif()
      endforeach()
    endif()
    if(MINGW AND folder STREQUAL "comcp_client")  # an object has room for 10 MB of names, and this has more
      math(EXPR third "(${third} + 1) % 3")
      string(APPEND folder "_${third}")
      if(part MATCHES "/remote_call[.]ipp$")  # core_link.ipp includes it, from another third
        continue()
      endif()
    endif()
    list(APPEND sources "${dir}/${folder}.cpp")
    string(APPEND text_${folder} "#include <${part}>\n")
  endforeach()
  list(REMOVE_DUPLICATES sources)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM folder)
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Written by cmake/comcpBuild.cmake.\n${text_${folder}}" @ONLY)
  endforeach()
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
  if(COMCP_SANITIZE)
    add_compile_options(-fsanitize=${COMCP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${COMCP_SANITIZE})
  endif()
  # Most of a test's build is its link where ccache has the rest.
  include(CheckLinkerFlag)
  set(linkers lld gold)
  if(CMAKE_CROSSCOMPILING)  # they are this machine's
    set(linkers "")
  endif()
  foreach(linker IN LISTS linkers)
    check_linker_flag(CXX -fuse-ld=${linker} COMCP_LINKS_WITH_${linker})
    if(COMCP_LINKS_WITH_${linker})
      add_link_options(-fuse-ld=${linker})
      break()
    endif()
  endforeach()
endif()

if(COMCP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(COMCP_CCACHE_PROGRAM ccache)
  if(COMCP_CCACHE_PROGRAM)
    # Without this it caches nothing that reads a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${COMCP_CCACHE_PROGRAM}")
  endif()
endif()
