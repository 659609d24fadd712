# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""headers_alone.py COMPILER_RSP INCLUDE_DIR: every public header compiles alone, header-only and compiled mode."""
import concurrent.futures
import pathlib
import re
import sys

import compiler

# What an opt-in header adapts need not be installed.
OPTIONAL = re.compile(r"fatal error: '?(nlohmann/|httplib|openssl/)")


def failure(rsp, include_dir, header, *defines):
    """None where the header compiles alone, else what the compiler said."""
    status, said = compiler.check(rsp, f"-I{include_dir}", *defines, "-include", header, "-x", "c++", "/dev/null")
    return None if status == 0 else said


def main():
    rsp, include_dir = sys.argv[1:3]
    headers = sorted(str(h.relative_to(include_dir)) for h in pathlib.Path(include_dir).rglob("*.hpp"))
    modes = ([], ["-DCOMCP_SEPARATE_COMPILATION", "-DASIO_SEPARATE_COMPILATION"])
    jobs = [(header, mode) for header in headers for mode in modes]
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
    print(f"{len(headers)} headers in two modes, {failed} failed, {skipped} skipped")
    if not headers:
        sys.exit(f"no header under {include_dir}")
    sys.exit(1 if failed else 0)


main()
