# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the command-line tool against the demo server, over stdio and over HTTP, where the tests of tests/e2e are not
built: what is printed, byte by byte where that matters, and the exit status. A Windows program is run by wine elsewhere.

  cli_smoke.py COMCP DEMO_SERVER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WINE = pathlib.Path(__file__).parent.parent.parent / "tools" / "wine"
COMCP, DEMO = sys.argv[1:]
failures = 0


def argv(program, *arguments):
    return [*([WINE] if program.endswith(".exe") and os.name != "nt" else []), program, *arguments]


def check(what, good, seen):
    global failures
    print(("ok      " if good else "FAILED  ") + what)
    if not good:
        failures += 1
        print(seen)


def run(*arguments, status=0):
    got = subprocess.run(argv(COMCP, *arguments), capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    check(f"comcp {' '.join(arguments)}: exit status {status}", got.returncode == status, got)
    check("  no carriage return", b"\r" not in got.stdout + got.stderr, got)
    return got.stdout.decode(), got.stderr.decode()


def conversation(*where):
    out, _ = run("tools", *where)
    check("  the tools are listed", all(name in out for name in ("add", "echo", "countdown")), out)
    out, _ = run("tools", "--json", *where)
    check("  as JSON too", "add" in (tool["name"] for tool in json.loads(out)), out)
    out, _ = run("call", "add", "a=2", "b=3", *where)
    check("  2 and 3 are 5", out == "{\"sum\":5}\n", out)
    text = "a \"quoted\" % & \\ \u20ac \U0001f600"
    out, _ = run("call", "echo", "text=" + text, *where)
    check("  text comes back as it was", out.strip() == text, out)
    out, error = run("call", "countdown", "steps=2", "delay_ms=1", *where)
    check("  progress is on stderr", "2" in error, error)
    out, _ = run("read", "demo://greeting", *where)
    check("  a resource is read", out.strip() != "", out)
    run("call", "fail", "message=no luck", *where, status=1)


conversation("--", DEMO)
run("tools", "--", DEMO + "-is-not-there", status=3)
run("no-such-command", status=2)

with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, "trace.jsonl")
    run("call", "add", "a=2", "b=3", "--trace", trace, "--", DEMO)
    with open(trace, "rb") as file:
        lines = [json.loads(line) for line in file.read().splitlines()]
    check("  each line of the trace is JSON", len(lines) > 3, lines)

with subprocess.Popen(argv(DEMO, "--http", "0"), stdout=subprocess.PIPE, text=True) as server:
    try:
        url = server.stdout.readline().strip()
        check(f"the demo server serves HTTP: {url}", url.startswith("http://127.0.0.1:"), url)
        conversation("--url", url)
        run("tools", "--url", url.replace("/mcp", "/nothing"), status=4)
    finally:
        server.kill()

sys.exit(failures != 0)
