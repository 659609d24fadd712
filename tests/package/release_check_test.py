#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""tools/release --check in a copy of what it reads: it takes the tree as it is, and finds each place that differs. And
tools/release in a clone: files that git does not know are refused, and get nowhere where changes are allowed; the
command-line tool is packed for the platform that it is said to be for, where it is of this version."""
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

root = pathlib.Path(sys.argv[1])
stating = ["include/comcp/version.hpp", "packaging/vcpkg/ports/comcp/vcpkg.json", "README.md", "meson.build",
           "packaging/conan/config.yml", "MODULE.bazel", "single_include/comcp/comcp.hpp"]
taking = ["tools/release", "conanfile.py", "packaging/conan/all/conanfile.py", "cmake/comcp.pc.in", "CMakeLists.txt"]


def check(copy):
    return subprocess.run([sys.executable, copy / "tools" / "release", "--check"], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def strangers(copy):
    git = lambda *command: subprocess.run(["git", "-C", copy, "-c", "user.name=test", "-c", "user.email=test", *command],
                                          check=True)
    subprocess.run(["git", "clone", "-q", "--shared", root, copy], check=True)
    shutil.copy(root / "tools" / "release", copy / "tools" / "release")
    git("commit", "-qam", "tools/release as it is", "--allow-empty")
    (copy / "include" / "comcp" / "stranger.hpp").write_text("", encoding="utf-8")
    (copy / "LICENSE").write_text("changed", encoding="utf-8")
    tool, other = copy / "build" / "tool", copy / "build" / "other"
    tool.parent.mkdir()
    version = subprocess.run([copy / "tools" / "release", "--version"], check=True, stdout=subprocess.PIPE).stdout.strip()
    tool.write_bytes(b"MZ program for Windows " + version)
    other.write_bytes(b"MZ program for Windows 98.7.6")
    for more, status, said in (((), 1, "not committed"),
                               (("--allow-changes", "--cli", f"{other}=windows-x86_64"), 1, "is no comcp"),
                               (("--allow-changes", "--cli", f"{tool}=windows-x86_64"), 0, "not committed")):
        done = subprocess.run([sys.executable, copy / "tools" / "release", "--sources", *more], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != status or said not in done.stdout:
            sys.exit(f"tools/release {' '.join(more)}: {done.returncode}: {done.stdout}")
    released = copy / "build" / "release-artifacts"
    with tarfile.open(next(released.glob("*-windows-x86_64.tar.gz"))) as files:
        if sorted(name.split("/", 1)[1] for name in files.getnames()) != ["LICENSE", "README.md", "comcp.exe"]:
            sys.exit(f"the tool's archive has {files.getnames()}")
    with tarfile.open(next(released.glob("comcp-*[0-9].tar.gz"))) as files:
        names = {name.split("/", 1)[1]: name for name in files.getnames() if "/" in name}
        if "include/comcp/stranger.hpp" in names or files.extractfile(names["LICENSE"]).read() != b"changed":
            sys.exit("the archive has what git does not know, or not what was changed")


def main():
    if (root / ".git").exists():
        with tempfile.TemporaryDirectory() as scratch:
            strangers(pathlib.Path(scratch) / "clone")
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch)
        for path in stating + taking:
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / path, copy / path)
        done = check(copy)
        if done.returncode != 0:
            sys.exit(f"refused as it is: {done.stdout}")
        version = done.stdout.split()[-1]
        missed = []
        for path in stating:
            text = (copy / path).read_text(encoding="utf-8")
            (copy / path).write_text(text.replace(version, "98.7.6"), encoding="utf-8")
            done = check(copy)
            if done.returncode == 0 or (path != stating[0] and f"{path} says 98.7.6" not in done.stdout):
                missed.append(f"{path}: {done.stdout}")
            (copy / path).write_text(text, encoding="utf-8")
        if missed:
            sys.exit("not found: " + "\n".join(missed))
        print(f"{len(stating)} places, each found when it differs")


main()
