# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""compile_fail.py COMPILER_RSP SOURCE: the source does not compile, and the compiler says what its EXPECT lines say.

`EXPECT FLAG: text` is about a compilation of its own, with that flag. With -DCOMCP_CONTROL the same source must compile:
that shows that nothing else is wrong with it. One whose lines all have flags must compile without them. All of it is in
compiled mode, as nothing here is about definitions.
"""
import pathlib
import re
import sys

import compiler


def main():
    rsp, source = sys.argv[1:3]
    text = pathlib.Path(source).read_text(encoding="utf-8")
    expected = {}
    for flag, line in re.findall(r"^// EXPECT ?(\S*): (.+?)\s*$", text, re.MULTILINE):
        expected.setdefault(flag, []).append(line)
    if not expected:
        sys.exit(f"{source} has no line `// EXPECT: text`")
    for flag, lines in expected.items():
        mode = [*compiler.COMPILED_MODE, flag] if flag else compiler.with_asio(rsp, compiler.COMPILED_MODE)
        status, said = compiler.run(rsp, "-fsyntax-only", *mode, source)
        if status == 0:
            sys.exit(f"{source} compiles {flag}, and must not")
        missing = [line for line in lines if line not in said]
        if missing:
            sys.exit(f"{source} fails {flag} without saying:\n  " + "\n  ".join(missing) + f"\nIt said:\n{said}")
    if "COMCP_CONTROL" in text or "" not in expected:
        mode = compiler.with_asio(rsp, compiler.COMPILED_MODE)
        status, said = compiler.run(rsp, "-fsyntax-only", *mode, "-DCOMCP_CONTROL", source)
        if status != 0:
            sys.exit(f"{source} fails with COMCP_CONTROL too:\n{said}")


main()
