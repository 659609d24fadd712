# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""headers_alone.py COMPILER_RSP INCLUDE_DIR: every public header compiles alone, header-only and compiled mode.

Compiled mode shows what each header itself lacks. Header-only mode adds the implementations, and with them circles of
includes; so it is tried with each header that has an implementation or is part of a circle, and with comcp.hpp. Any
other header only includes those first, and brings nothing that compiled mode has not seen.
"""
import concurrent.futures
import pathlib
import re
import sys

import compiler

# What an opt-in header adapts need not be installed.
OPTIONAL = re.compile(r"fatal error: '?(nlohmann/|httplib|openssl/)")


INCLUDE = re.compile(r"^\s*#\s*include\s*<(comcp/[^>]+)>", re.MULTILINE)


def implemented(include_dir):
    """The headers that header-only mode is tried with: whatever reaches itself, or an implementation of its own."""
    files = (f for f in pathlib.Path(include_dir).rglob("*") if f.suffix in (".hpp", ".ipp"))
    includes = {str(f.relative_to(include_dir)): INCLUDE.findall(f.read_text(encoding="utf-8")) for f in files}

    def reached(start):
        seen, left = set(), list(includes[start])
        while left:
            file = left.pop()
            if file not in seen:
                seen.add(file)
                left += includes.get(file, [])
        return seen

    return {h for h in includes if h.endswith(".hpp") and
            (h == "comcp/comcp.hpp" or h in reached(h) or any(f.endswith(".ipp") for f in includes[h]))}


def failure(rsp, include_dir, header, *defines):
    """None where the header compiles alone, else what the compiler said."""
    status, said = compiler.check(rsp, f"-I{include_dir}", *defines, "-include", header, "-x", "c++", "/dev/null")
    return None if status == 0 else said


def main():
    rsp, include_dir = sys.argv[1:3]
    headers = sorted(str(h.relative_to(include_dir)) for h in pathlib.Path(include_dir).rglob("*.hpp"))
    compiled_mode = ["-DCOMCP_SEPARATE_COMPILATION", "-DASIO_SEPARATE_COMPILATION"]
    # The long ones first, so that no processor waits at the end.
    jobs = [(header, []) for header in sorted(implemented(include_dir))] + [(h, compiled_mode) for h in headers]
    failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for (header, mode), said in zip(jobs, pool.map(lambda j: failure(rsp, include_dir, j[0], *j[1]), jobs)):
            if said is None:
                continue
            if OPTIONAL.search(said):
                skipped += 1
                print(f"SKIPPED: {header}: {OPTIONAL.search(said).group(0)}... is not installed")
                continue
            failed += 1
            print(f"FAILED: {header} ({'compiled' if mode else 'header-only'} mode)\n{said}")
    print(f"{len(headers)} headers, {len(jobs) - len(headers)} of them in both modes, {failed} failed, "
          f"{skipped} skipped")
    if not headers:
        sys.exit(f"no header under {include_dir}")
    sys.exit(1 if failed else 0)


main()
