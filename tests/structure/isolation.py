# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""isolation.py COMPILER_RSP: what compiled mode promises: a user of comcp.hpp never parses simdjson."""
import subprocess
import sys

import compiler


def main():
    got = subprocess.run([*compiler.command(sys.argv[1]), *compiler.COMPILED_MODE, "-M", "-include", "comcp/comcp.hpp",
                          "-x", "c++", "/dev/null"],
                         capture_output=True, text=True, check=True)
    files = [word for word in got.stdout.split() if word.endswith((".hpp", ".ipp", ".h"))]
    if not any(file.endswith("comcp/comcp.hpp") for file in files):
        sys.exit("comcp/comcp.hpp is not among the files that were read")
    leaks = [file for file in files if file.endswith("simdjson.h") or "/comcp/" in file and "/impl/" in file]
    if leaks:
        sys.exit("compiled mode still includes:\n  " + "\n  ".join(leaks))
    print(f"{len(files)} files, none of them an implementation")


main()
