# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""compile_fail.py COMPILER_RSP SOURCE: the source does not compile, and the compiler says what its EXPECT lines say.

With -DCOMCP_CONTROL the same source must compile: that shows that nothing else is wrong with it.
"""
import pathlib
import re
import sys

import compiler


def main():
    rsp, source = sys.argv[1:3]
    text = pathlib.Path(source).read_text(encoding="utf-8")
    expected = re.findall(r"^// EXPECT: (.+?)\s*$", text, re.MULTILINE)
    if not expected:
        sys.exit(f"{source} has no line `// EXPECT: text`")
    status, said = compiler.check(rsp, source)
    if status == 0:
        sys.exit(f"{source} compiles, and must not")
    missing = [line for line in expected if line not in said]
    if missing:
        sys.exit(f"{source} fails without saying:\n  " + "\n  ".join(missing) + f"\nIt said:\n{said}")
    if "COMCP_CONTROL" in text:
        status, said = compiler.check(rsp, "-DCOMCP_CONTROL", source)
        if status != 0:
            sys.exit(f"{source} fails with COMCP_CONTROL too:\n{said}")


main()
