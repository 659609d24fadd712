# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""isolation.py COMPILER_RSP: what the modes promise who only includes: compiled mode, that simdjson is never parsed;
header-only mode, that no coroutine is generated, also where nothing is optimised (COMCP_LAZY in version.hpp)."""
import pathlib
import subprocess
import sys

import compiler


def compiled_mode(command):
    got = subprocess.run([*command, *compiler.COMPILED_MODE, "-M", "-include", "comcp/comcp.hpp", "-x", "c++", "/dev/null"],
                         capture_output=True, text=True, check=True)
    files = [word for word in got.stdout.split() if word.endswith((".hpp", ".ipp", ".h"))]
    if not any(file.endswith("comcp/comcp.hpp") for file in files):
        sys.exit("comcp/comcp.hpp is not among the files that were read")
    leaks = [file for file in files if file.endswith("simdjson.h") or "/comcp/" in file and "/impl/" in file]
    if leaks:
        sys.exit("compiled mode still includes:\n  " + "\n  ".join(leaks))
    print(f"{len(files)} files, none of them an implementation")


def header_only_mode(command, header, out):
    subprocess.run([*command, "-O0", "-c", "-o", out, "-include", header, "-x", "c++", "/dev/null"], check=True)
    names = subprocess.run(["nm", "-C", out], capture_output=True, text=True, check=True).stdout.splitlines()
    # As g++ and clang name the parts of a coroutine.
    generated = [name for name in names if name.endswith(("[clone .actor]", "[clone .resume]"))]
    if generated:
        sys.exit(f"who includes {header} and uses nothing of it compiles these coroutines:\n  " + "\n  ".join(generated))
    print(f"{header}: {len(names)} symbols, none of them a coroutine's; {out.stat().st_size // 1024} KB")


def main():
    command = compiler.command(sys.argv[1])
    compiled_mode(command)
    for header in ("comcp/comcp.hpp", "comcp/http.hpp", "comcp/host.hpp"):
        header_only_mode(command, header, pathlib.Path(sys.argv[1]).with_name("include_alone.o"))


main()
