# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""single_header.py COMPILER_RSP ROOT: single_include/comcp/host.hpp compiles, and comcp.hpp with it."""
import pathlib
import subprocess
import sys

import compiler


def main():
    rsp, root = sys.argv[1:3]
    own = "-I" + str(pathlib.Path(root) / "include")
    command = [part for part in compiler.command(rsp) if part != own]
    command += ["-I" + str(pathlib.Path(root) / "single_include"), "-fsyntax-only", "-include", "comcp/host.hpp", "-x", "c++"]
    got = subprocess.run([*command, "/dev/null"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if got.returncode != 0:
        sys.exit(got.stdout)


main()
