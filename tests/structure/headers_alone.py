# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""headers_alone.py COMPILER_RSP INCLUDE_DIR: every public header compiles alone, and its implementation after it.

Each is tried in compiled mode with its own impl/*.ipp behind it, where neither sees more than it includes. Header-only mode
adds nothing to that but circles of includes; so it is tried with each header that is part of one, and with those that
include everything. What includes Asio gets it precompiled: that it includes all that it needs of it, and of the standard
library, included_names.py says.
"""
import concurrent.futures
import pathlib
import re
import sys

import compiler

# What an opt-in header adapts need not be installed.
OPTIONAL = re.compile(r"fatal error: '?(nlohmann/|httplib|openssl/)|OAuth needs OpenSSL")
INCLUDE = re.compile(r"^\s*#\s*include\s*<((?:comcp|asio)/[^>]+)>", re.MULTILINE)
EVERYTHING = ("comcp/comcp.hpp", "comcp/http.hpp", "comcp/host.hpp", "comcp/authorization.hpp")


def includes_of(include_dir):
    """What each file includes of comcp and of Asio."""
    files = (f for f in pathlib.Path(include_dir).rglob("*") if f.suffix in (".hpp", ".ipp"))
    return {str(f.relative_to(include_dir)): INCLUDE.findall(f.read_text(encoding="utf-8")) for f in files}


def reached(includes, start):
    seen, left = set(), list(includes[start])
    while left:
        file = left.pop()
        if file not in seen:
            seen.add(file)
            left += includes.get(file, [])
    return seen


def circular(includes):
    """The headers that reach themselves by way of another header, not just through their own implementation."""
    def goes_round(header):
        own = {h: [i for i in included if h != header or not i.endswith(".ipp")] for h, included in includes.items()}
        return header in reached(own, header)
    return {h for h in includes if h.endswith(".hpp") and goes_round(h)}


def failure(rsp, include_dir, includes, files, mode):
    """None where the files compile in this order, else what the compiler said."""
    has_asio = any(i.startswith("asio/") for file in files for i in reached(includes, file))
    flags = [f"-I{include_dir}", *(compiler.with_asio(rsp, mode) if has_asio else mode)]
    flags += [part for file in files for part in ("-include", file)]
    source = pathlib.Path(rsp).with_name("nothing.cpp")
    source.write_text("", encoding="utf-8")
    status, said = compiler.run(rsp, *flags, "-fsyntax-only", source)
    return None if status == 0 else said


def main():
    rsp, include_dir = sys.argv[1:3]
    headers = sorted(str(h.relative_to(include_dir)) for h in pathlib.Path(include_dir).rglob("*.hpp"))
    includes = includes_of(include_dir)
    jobs = [([h], []) for h in sorted(circular(includes) | {h for h in EVERYTHING if h in includes})]
    jobs += [([h, *(i for i in includes[h] if i.endswith(".ipp"))], compiler.COMPILED_MODE) for h in headers]
    failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for (files, mode), said in zip(jobs, pool.map(lambda j: failure(rsp, include_dir, includes, *j), jobs)):
            if said is None:
                continue
            if OPTIONAL.search(said):
                skipped += 1
                print(f"SKIPPED: {files[0]}: {OPTIONAL.search(said).group(0)}... is not installed")
                continue
            failed += 1
            print(f"FAILED: {files[0]} ({'compiled' if mode else 'header-only'} mode)\n{said}")
    print(f"{len(headers)} headers, {len(jobs) - len(headers)} of them header-only too, {failed} failed, "
          f"{skipped} skipped")
    if not headers:
        sys.exit(f"no header under {include_dir}")
    sys.exit(1 if failed else 0)


main()
