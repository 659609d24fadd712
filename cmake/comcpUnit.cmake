# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Writes UNIT, which includes the SOURCES of FOLDER, each in a namespace of its own. What they include comes first and
# outside of these, under the same conditions.
set(heads "")
set(bodies "")
foreach(source IN LISTS SOURCES)
  file(STRINGS "${FOLDER}/${source}" lines REGEX "^#(if|elif|else|endif|include)")
  list(JOIN lines "\n" lines)
  string(MAKE_C_IDENTIFIER "${source}" name)
  string(APPEND heads "${lines}\n")
  string(APPEND bodies "namespace of_${name} {\n#include \"${source}\"\n}\n")
endforeach()
file(WRITE "${UNIT}" "// Written by cmake/comcpUnit.cmake.\n${heads}${bodies}")
