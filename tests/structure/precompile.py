# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""precompile.py COMPILER_RSP INCLUDE_DIR: precompiles what comcp's headers include of Asio, once for each mode.

So the tests that only look whether something compiles do not read it hundreds of times. What that could hide, a header
of Asio or of the standard library that is missing, included_names.py finds.
"""
import concurrent.futures
import pathlib
import re
import sys

import compiler


def main():
    rsp, include_dir = sys.argv[1:3]
    texts = [f.read_text(encoding="utf-8") for f in pathlib.Path(include_dir).rglob("*.?pp")]
    headers = sorted({h for text in texts for h in re.findall(r"^#include <(asio/[^>]+)>", text, re.M)
                      if not h.startswith(("asio/ssl", "asio/impl/"))})

    def precompile(mode):
        header = compiler.precompiled(rsp, mode)
        header.parent.mkdir(exist_ok=True)
        header.write_text("".join(f"#if __has_include(<{h}>)\n#include <{h}>\n#endif\n" for h in headers), encoding="utf-8")
        return compiler.run(rsp, *mode, "-x", "c++-header", header, "-o", f"{header}.gch")

    with concurrent.futures.ThreadPoolExecutor() as pool:
        failed = [said for status, said in pool.map(precompile, ([], compiler.COMPILED_MODE)) if status != 0]
    sys.exit("\n".join(failed) or None)


main()
