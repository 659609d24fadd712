# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the project's compiler, with the launcher and the flags that CMake wrote down."""
import os
import pathlib
import subprocess

# Without the implementation: the same declarations, and far less to read.
COMPILED_MODE = ["-DCOMCP_SEPARATE_COMPILATION", "-DASIO_SEPARATE_COMPILATION"]


def command(rsp):
    """The compiler and its flags from the file that tests/structure/CMakeLists.txt generates."""
    lines = pathlib.Path(rsp).read_text(encoding="utf-8").splitlines()
    # A compiler's own directory must not be moved in its search order.
    return [line for line in lines if line and line not in ("-D", "-isystem", "-isystem/usr/include")]


def precompiled(rsp, mode):
    """The header that precompile.py makes of Asio's, for this mode."""
    return pathlib.Path(rsp).parent / ("asio_compiled" if mode else "asio_header_only") / "asio.hpp"


def with_asio(rsp, mode):
    """The flags of a mode, and those that have Asio read first where it is precompiled."""
    header = precompiled(rsp, mode)
    return [*mode, "-include", header] if header.with_name("asio.hpp.gch").exists() else mode


def run(rsp, *arguments):
    """The exit status and what the compiler said."""
    got = subprocess.run([*command(rsp), *map(str, arguments)], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, env={**os.environ, "LC_ALL": "C"})
    return got.returncode, got.stdout
