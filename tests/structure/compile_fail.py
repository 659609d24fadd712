# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""compile_fail.py COMPILER_RSP FOLDER: no source of FOLDER compiles, and of each the compiler says what its EXPECT lines say.

`EXPECT FLAG: text` is about a compilation of its own, with that flag. With -DCOMCP_CONTROL the same source must compile:
that shows that nothing else is wrong with it. One whose lines all have flags must compile without them. All of it is in
compiled mode, but what takes that mode's macro away, as it is about definitions.

Nearly all of the time is their headers', so the sources of a mode are compiled together, each in a namespace of its own;
what has flags, or takes another macro away, is compiled alone.
"""
import pathlib
import re
import sys

import compiler

NAMED = re.compile(r"/compile_fail/(\w+)\.cpp|\bof_(\w+)::")
HEADER_ONLY = "COMCP_SEPARATE_COMPILATION"
UNDEFINED = re.compile(r"^#undef (\w+)", re.MULTILINE)


def expected(source):
    """By flag, '' for none, what the compiler is to say."""
    found = {}
    for flag, line in re.findall(r"^// EXPECT ?(\S*): (.+?)\s*$", source.read_text(encoding="utf-8"), re.MULTILINE):
        found.setdefault(flag, []).append(line)
    return found


def undefined(source):
    return UNDEFINED.findall(source.read_text(encoding="utf-8"))


def is_alone(source):
    return list(expected(source)) != [""] or undefined(source) not in ([], [HEADER_ONLY])


def compiles(rsp, source, mode, *flags):
    status, said = compiler.run(rsp, "-fsyntax-only", *mode, *flags, source)
    return status == 0, said


def lacking(source, lines, said):
    missing = [line for line in lines if line not in said]
    return [f"{source.name} fails without saying:\n  " + "\n  ".join(missing) + f"\nIt said:\n{said}"] if missing else []


def alone(rsp, source):
    faults = []
    wanted = expected(source)
    if not wanted:
        return [f"{source.name} has no line `// EXPECT: text`"]
    for flag, lines in wanted.items():
        good, said = compiles(rsp, source, compiler.COMPILED_MODE, "-fmax-errors=1", *([flag] if flag else []))
        faults += [f"{source.name} compiles {flag}, and must not"] if good else lacking(source, lines, said)
    good, said = compiles(rsp, source, compiler.with_asio(rsp, compiler.COMPILED_MODE), "-DCOMCP_CONTROL")
    return faults if good else [*faults, f"{source.name} fails with COMCP_CONTROL too:\n{said}"]


def together(rsp, sources, mode):
    mode = compiler.with_asio(rsp, mode)
    unit = pathlib.Path(rsp).with_name("must_not_compile.cpp")
    heads = [line for s in sources for line in re.findall(r"^#include .*$", s.read_text(encoding="utf-8"), re.MULTILINE)]
    bodies = [f"namespace of_{s.stem} {{\n#include \"{s}\"\n}}" for s in sources]
    unit.write_text("\n".join([*dict.fromkeys(heads), *bodies, ""]), encoding="utf-8")
    good, said = compiles(rsp, unit, mode, "-DCOMCP_CONTROL")
    faults = [] if good else [f"with COMCP_CONTROL there are errors too:\n{said}"]
    # An error is in, or comes after, the line that names whose it is.
    of = {s.stem: "" for s in sources}
    name = None
    for line in compiles(rsp, unit, mode, "-fmax-errors=0")[1].splitlines():
        named = NAMED.search(line)
        name = (named.group(1) or named.group(2)) if named else name
        if name in of:
            of[name] += line + "\n"
    for s in sources:
        faults += lacking(s, expected(s)[""], of[s.stem]) if " error: " in of[s.stem] else [f"{s.name} compiles, and must not"]
    return faults


def main():
    rsp, folder = sys.argv[1:3]
    sources = sorted(pathlib.Path(folder).resolve().glob("*.cpp"))
    united = [s for s in sources if not is_alone(s)]
    faults = together(rsp, [s for s in united if not undefined(s)], compiler.COMPILED_MODE)
    faults += together(rsp, [s for s in united if undefined(s)], [])
    for source in filter(is_alone, sources):
        faults += alone(rsp, source)
    print(f"{len(sources)} sources, {len(faults)} faults")
    sys.exit("\n".join(faults) or (None if sources else f"no source in {folder}"))


main()
