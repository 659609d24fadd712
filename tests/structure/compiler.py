# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the project's compiler, with the flags that CMake wrote down, for checks that produce no code."""
import os
import pathlib
import subprocess


def command(rsp):
    """The compiler and its flags from the file that tests/structure/CMakeLists.txt generates."""
    lines = pathlib.Path(rsp).read_text(encoding="utf-8").splitlines()
    # A compiler's own directory must not be moved in its search order.
    return [line for line in lines if line and line not in ("-D", "-isystem", "-isystem/usr/include")]


# Without the implementation: the same declarations, and far less to read.
COMPILED_MODE = ["-DCOMCP_SEPARATE_COMPILATION", "-DASIO_SEPARATE_COMPILATION"]


def check(rsp, *arguments):
    """Parses and type-checks without writing anything; gives the exit status and what the compiler said."""
    got = subprocess.run([*command(rsp), "-fsyntax-only", *map(str, arguments)], text=True, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "LC_ALL": "C"})
    return got.returncode, got.stdout
