# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the ctest registrations of one Catch2 executable (version 2 or 3), one for each TEST_CASE.

Tags that mean something here: [threads] gets the label "threads" (the ThreadSanitizer run), [serial] runs alone,
[slow] gets the label "slow" and a longer time limit.
"""
import argparse
import re
import subprocess
import sys

LIMIT, SLOW_LIMIT = 180, 600


def names(command, *spec):
    """The test cases that `spec` selects, as Catch2 prints them: one a line."""
    for listing in (["--list-test-names-only"], ["--list-tests", "--verbosity", "quiet"]):
        got = subprocess.run([*command, *spec, *listing], capture_output=True, text=True, timeout=60)
        # Version 2 exits with the number of tests; version 3 knows no --list-test-names-only.
        if "nrecogni" not in got.stderr:
            if got.returncode < 0 or "Sanitizer" in got.stderr:
                sys.exit(f"{command[-1]} failed to list its tests:\n{got.stderr}")
            return [line.strip() for line in got.stdout.splitlines() if line.strip()]
    sys.exit(f"{command[-1]}: cannot list its tests:\n{got.stderr}")


def filter_for(name):
    """The command-line pattern that selects exactly this test case."""
    return re.sub(r'([\\,\[\]"*~])', r"\\\1", name)


def quoted(text):
    return f"[==[{text}]==]"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("executable")
    parser.add_argument("output")
    parser.add_argument("--label", required=True)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--emulator", default="", help="what runs it, as a list of CMake's")
    args = parser.parse_args()

    command = [*filter(None, args.emulator.split(";")), args.executable]
    tagged = {tag: set(names(command, f"[{tag}]")) for tag in ("threads", "serial", "slow")}
    lines = []
    for name in names(command):
        title = f"{args.label}| {name}"
        labels = [args.label] + [tag for tag in ("threads", "slow") if name in tagged[tag]]
        limit = SLOW_LIMIT if name in tagged["slow"] else LIMIT
        lines.append(f"add_test({quoted(title)} {' '.join(map(quoted, command))} {quoted(filter_for(name))})")
        lines.append(
            f"set_tests_properties({quoted(title)} PROPERTIES TIMEOUT {limit} LABELS {quoted(';'.join(labels))} "
            f"WORKING_DIRECTORY {quoted(args.directory)} SKIP_RETURN_CODE 77"
            + (" RUN_SERIAL ON" if name in tagged["serial"] else "") + ")")
    with open(args.output, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


main()
