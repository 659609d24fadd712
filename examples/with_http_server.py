#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the demo server over HTTP, runs a program with its URL and a token, ends both, and exits as the program did.

  with_http_server.py DEMO_SERVER PROGRAM [ARGUMENT...]
"""
import os
import pathlib
import subprocess
import sys

TOKEN = "correct-horse"
WINE = pathlib.Path(__file__).parent.parent / "tools" / "wine"


def argv(program, *arguments):
    """Windows' programs are run by wine elsewhere."""
    return [*([WINE] if program.endswith(".exe") and os.name != "nt" else []), program, *arguments]


with subprocess.Popen(argv(sys.argv[1], "--http", "0", "--token", TOKEN), stdout=subprocess.PIPE, text=True) as server:
    try:
        url = server.stdout.readline().strip()  # empty when it did not start
        status = subprocess.run(argv(*sys.argv[2:], url, TOKEN), timeout=150).returncode if url else 1
    finally:
        server.kill()
sys.exit(status)
