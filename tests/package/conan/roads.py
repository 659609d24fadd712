#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""`conan create` of comcp with the profile that Conan detects: the checkout's recipe, compiled and header-only, with and
without TLS, and the registry's, out of the archive that tools/release makes; each with its test_package. asio, simdjson
and openssl are the system's, by the recipes beside this file. Exit status 77 where there is no Conan."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
root = here.parents[2]


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def system_versions(asio):
    """What the system has, for the profile to ask for in place of what the recipe names."""
    header = pathlib.Path(asio, "asio", "version.hpp").read_text(encoding="utf-8")
    number = int(re.search(r"define ASIO_VERSION (\d+)", header).group(1))
    return {
        "asio": f"{number // 100000}.{number // 100 % 1000}.{number % 100}",
        "simdjson": output("pkg-config", "--modversion", "simdjson"),
        "openssl": output("pkg-config", "--modversion", "openssl"),
    }


class Conan:
    def __init__(self, program, home, log):
        self.program, self.log = program, log
        # ccache knows comcp's sources from CI's own build; -m64, which Conan adds, means nothing here.
        self.env = dict(os.environ, CONAN_HOME=str(home), CCACHE_BASEDIR=str(root), CCACHE_NOHASHDIR="1",
                        CCACHE_IGNOREOPTIONS="-m64")

    def run(self, *arguments, refused=None):
        print("conan", *arguments, flush=True)
        done = subprocess.run([self.program, *map(str, arguments)], env=self.env, text=True, cwd=root,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(done.stdout)
        if refused is None and done.returncode != 0:
            sys.exit(f"{done.stdout}\nconan failed: {done.returncode}")
        if refused is not None and (done.returncode == 0 or refused not in done.stdout):
            sys.exit(f"{done.stdout}\nconan was to refuse this: {refused}")
        return done.stdout


def set_up(conan, home, asio):
    conan.run("profile", "detect")
    versions = system_versions(asio)
    cmake = re.search(r"\d+(\.\d+)+", output("cmake", "--version")).group(0)
    lines = ["[replace_requires]", *(f"{name}/*: {name}/{version}" for name, version in versions.items()),
             "[platform_tool_requires]", f"cmake/{cmake}",
             "[conf]", "tools.cmake.cmaketoolchain:user_presets=",  # nothing is written into the sources
             f"tools.cmake.cmake_layout:test_folder={home.parent / 'test'}"]
    (home / "profiles" / "system").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, version in versions.items():
        conan.run("create", here / name, "--version", version, "--no-remote")


def create(conan, recipe, *more):
    said = conan.run("create", recipe, "--no-remote", "-pr:a", "default", "-pr:a", "system", *more)
    if not re.search(r"^comcp \d+\.\d+\.\d+: ", said, re.M):
        sys.exit(f"{said}\nthe test_package did not run")


def refusals(conan, home):
    """Compilers that are too old; nothing is built for them."""
    for compiler, version, system, more in (("gcc", "11", "Linux", "libcxx=libstdc++11"),
                                            ("clang", "15", "Linux", "libcxx=libstdc++11"),
                                            ("apple-clang", "14", "Macos", "libcxx=libc++"),
                                            ("msvc", "192", "Windows", "runtime=dynamic")):
        (home / "profiles" / compiler).write_text(
            f"[settings]\nos={system}\narch=x86_64\nbuild_type=Release\ncompiler={compiler}\n"
            f"compiler.version={version}\ncompiler.cppstd=20\ncompiler.{more}\n", encoding="utf-8")
        conan.run("create", ".", "--no-remote", "-pr:b", "default", "-pr:b", "system", "-pr:h", compiler, "-pr:h", "system",
                  refused=f"needs {compiler}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--asio", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--release", type=pathlib.Path, required=True, help="what tools/release --sources has written")
    parser.add_argument("--launcher", default="")
    parser.add_argument("--set", nargs="*", default=[], help="NAME=VALUE: how CMake compiles comcp itself")
    arguments = parser.parse_args()
    program = root / "build" / "conan" / "bin" / "conan"
    if not program.exists():
        print("SKIPPED: there is no Conan; tools/install-deps conan installs it")
        sys.exit(77)
    if arguments.launcher:
        os.environ["CMAKE_CXX_COMPILER_LAUNCHER"] = arguments.launcher.replace("|", ";")
    shutil.rmtree(arguments.build, ignore_errors=True)
    home = arguments.build.resolve() / "home"
    home.mkdir(parents=True)
    conan = Conan(program, home, arguments.build / "log.txt")
    set_up(conan, home, arguments.asio)

    refusals(conan, home)
    cached = {name: {"value": value, "type": "STRING", "cache": True, "docstring": "as CI has it"}
              for name, value in (setting.split("=", 1) for setting in arguments.set)}
    debug = ("-s", "build_type=Debug", "-c", f"tools.cmake.cmaketoolchain:extra_variables={cached}")
    create(conan, ".", *debug)
    create(conan, ".", "-o", "&:with_tls=False", *debug)
    create(conan, ".", "-o", "&:compiled=False")  # the default profile as it is
    create(conan, ".", "-o", "&:compiled=False", "-o", "&:with_tls=False", *debug)
    config = (arguments.release / "conan" / "config.yml").read_text(encoding="utf-8")
    version = re.search(r'"(.*)"', config).group(1)
    create(conan, arguments.release / "conan" / "all", "--version", version, "-o", "&:compiled=False", *debug)


main()
