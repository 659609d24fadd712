# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""single_header.py COMPILER_RSP ROOT: the headers of single_include/comcp compile, all in one program."""
import pathlib
import subprocess
import sys

import compiler


def main():
    rsp, root = sys.argv[1:3]
    own = "-I" + str(pathlib.Path(root) / "include")
    command = [part for part in compiler.command(rsp) if part != own]
    command += ["-I" + str(pathlib.Path(root) / "single_include"), "-fsyntax-only"]
    names = ["comcp/http.hpp", "comcp/host.hpp", "comcp/client/blocking_client.hpp", "comcp/transport/message_transport.hpp"]
    if "-DCOMCP_WITH_TLS=1" in command:
        names.append("comcp/authorization.hpp")
    for name in names:
        command += ["-include", name]
    got = subprocess.run([*command, "-x", "c++", "/dev/null"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if got.returncode != 0:
        sys.exit(got.stdout)


main()
