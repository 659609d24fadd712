#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""What programs cost their compiler: processor seconds and memory beside benchmarks/baseline_compile.cpp, which does by
hand what examples/1_tutorial/1_hello.cpp does, at -O0 and -O2, with g++ and with clang where it is installed.

  benchmarks/compile_costs.py [COMPILER...]
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
examples = root / "examples"
flags = ["-std=c++20", "-pthread", f"-I{root}/include", "-DASIO_STANDALONE", "-DASIO_HAS_CO_AWAIT",
         "-DASIO_HAS_STD_COROUTINE", "-DASIO_HAS_STD_ALIGNED_ALLOC=1"]
tls = ["-DCOMCP_WITH_TLS=1"]
once = ["-DCOMCP_SEPARATE_COMPILATION", "-DASIO_SEPARATE_COMPILATION"]
memory_target = 2
object_target = 50  # KB, of the include alone

empty = "#include <comcp/comcp.hpp>\nint main() {}\n"
given = """\
#include <comcp/client.hpp>
asio::awaitable<std::string> ask(comcp::client& client) {
  auto const answer = co_await client.call_tool("echo", comcp::args("text", "hello"));
  co_return std::string(answer.text());
}
"""
# (what, source or its text, more flags, times the baseline's seconds)
kinds = [
    ("the include alone", empty, [], 2),
    ("1_hello", examples / "1_tutorial" / "1_hello.cpp", [], 3),
    ("with HTTP (8_http)", examples / "1_tutorial" / "8_http.cpp", [], 3.5),
    ("with HTTP, TLS and OAuth (login)", examples / "3_advanced" / "login.cpp", tls, 5),
    ("given a client", given, [], 2),
    ("compiled once: 1_hello", examples / "1_tutorial" / "1_hello.cpp", once, 1.2),
    ("  given a client", given, once, 1.2),
    ("  the source that has it all", "#include <comcp/src.hpp>\n", once, None),
]


def compiled(compiler, level, source, more, scratch):
    """Processor seconds, MB of memory and KB of object."""
    if isinstance(source, str):
        text, source = source, pathlib.Path(scratch, "source.cpp")
        source.write_text(text, encoding="utf-8")
    out = pathlib.Path(scratch, "out.o")
    command = [compiler, *flags, level, *more, "-w", "-c", source, "-o", out]
    _, status, usage = os.wait4(subprocess.Popen(command).pid, 0)
    if status:
        sys.exit("failed: " + shlex.join(map(str, command)))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.stat().st_size / 1024


def verdict(value, target):
    return f"{value:7.2f}" + ("        " if target is None else f"{'  ' if value <= target else ' >'}{target:<4g}  ")


def main():
    compilers = sys.argv[1:] or [c for c in ("g++", next(filter(shutil.which, ("clang++", "clang++-19")), None)) if c]
    missed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for compiler in compilers:
            for level in ("-O0", "-O2"):
                base = compiled(compiler, level, root / "benchmarks" / "baseline_compile.cpp", [], scratch)
                print(f"\n{compiler + ' ' + level:34}{'s':>7}  x baseline, target{'MB':>7}  x baseline, target{'KB':>8}")
                print(f"{'the baseline':34}{base[0]:7.1f}{'':20}{base[1]:7.0f}{'':20}{base[2]:8.0f}")
                for what, source, more, target in kinds:
                    cost = compiled(compiler, level, source, more, scratch)
                    times, memory = cost[0] / base[0], cost[1] / base[1]
                    limit, most = target and memory_target, object_target if source == empty else None
                    missed += sum(bool(t) and v > t for v, t in ((times, target), (memory, limit), (cost[2], most)))
                    print(f"{what:34}{cost[0]:7.1f}     {verdict(times, target)}{cost[1]:7.0f}     "
                          f"{verdict(memory, limit)}{cost[2]:8.0f}" + (f" (target {most})" if most else ""), flush=True)
    print(f"\n{missed} of these targets missed" if missed else "\nevery one of these targets met")


main()
