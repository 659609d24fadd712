# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""isolation.py COMPILER_RSP: what the modes promise who only includes: compiled mode, that simdjson is never parsed;
header-only mode, that no coroutine is generated, also where nothing is optimised (COMCP_LAZY in version.hpp). And that
features are compiled by programs that use them."""
import pathlib
import re
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


def header_only_mode(command, headers, out):
    included = [part for header in headers for part in ("-include", header)]
    subprocess.run([*command, "-O0", "-c", "-o", out, *included, "-x", "c++", "/dev/null"], check=True)
    names = subprocess.run(["nm", "-C", out], capture_output=True, text=True, check=True).stdout.splitlines()
    # As g++ and clang name the parts of a coroutine.
    generated = [name for name in names if name.endswith(("[clone .actor]", "[clone .resume]"))]
    if generated:
        sys.exit(f"who includes {headers} and uses nothing of it compiles these coroutines:\n  " + "\n  ".join(generated))
    print(f"{headers}: {len(names)} symbols, none of them a coroutine's; {out.stat().st_size // 1024} KB")


def without_features(command, program, out):
    features = ("capacity_line", "extension_step", "subscription_hub", "listen_streams", "shared_stream", "watchers", "input_rounds", "restarts",
                "interception_step", "validation_step", "cache_step", "span_step", "connection_spans")
    root = pathlib.Path(__file__).parents[2]
    sources = "".join(path.read_text(encoding="utf-8") for path in (root / "include/comcp/client").rglob("*.[hi]pp"))
    gone = [name for name in features if not re.search(rf"^(class|struct) {name}\b", sources, re.MULTILINE)]
    if gone:
        sys.exit(f"there are no such classes any more: {gone}")
    subprocess.run([*command, "-O0", "-c", "-o", out, root / program], check=True)
    names = subprocess.run(["nm", "-C", out], capture_output=True, text=True, check=True).stdout
    compiled = sorted(set(re.findall(rf"\bcomcp::detail::((?:{'|'.join(features)})::~?\w+)", names)))
    if compiled:
        sys.exit(f"{program} compiles what it does not use:\n  " + "\n  ".join(compiled))
    print(f"{program}: {len(names.splitlines())} symbols, none of {', '.join(features)}")


def main():
    command = compiler.command(sys.argv[1])
    compiled_mode(command)
    out = pathlib.Path(sys.argv[1]).with_name("include_alone.o")
    header_only_mode(command, ("comcp/http.hpp", "comcp/host.hpp"), out)  # the first includes comcp/comcp.hpp
    without_features(command, "examples/1_tutorial/1_hello.cpp", out)


main()
