# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class ComcpConan(ConanFile):
    name = "comcp"
    description = "MCP client for C++20 coroutines, on standalone Asio and simdjson"
    license = "Apache-2.0"
    topics = ("mcp", "model-context-protocol", "asio", "coroutines", "header-only")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    # compiled: comcp::compiled, a static library, beside the headers.
    options = {"compiled": [True, False], "with_tls": [True, False]}
    default_options = {"compiled": True, "with_tls": True}
    exports_sources = "CMakeLists.txt", "cmake/*", "include/*", "LICENSE"
    no_copy_source = True

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "include", "comcp", "version.hpp"))
        self.version = re.search(r'COMCP_VERSION_STRING "([^"]+)"', text).group(1)

    def export(self):
        copy(self, "include/comcp/version.hpp", self.recipe_folder, self.export_folder)

    def configure(self):
        if not self.options.compiled:
            self.package_type = "header-library"

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("asio/[>=1.22 <2]", transitive_headers=True)
        self.requires("simdjson/[>=3 <5]", transitive_headers=True, transitive_libs=True)
        if self.options.with_tls:
            self.requires("openssl/[>=3 <4]", transitive_headers=True, transitive_libs=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        if not self.info.options.compiled:
            self.info.clear()

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "BENCHMARKS", "TOOLS"):
            toolchain.cache_variables[f"COMCP_BUILD_{part}"] = False
        toolchain.cache_variables["COMCP_COMPILED"] = bool(self.options.compiled)
        toolchain.cache_variables["COMCP_INSTALL"] = True
        toolchain.cache_variables["COMCP_WITH_TLS"] = bool(self.options.with_tls)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for folder in ("lib/cmake", "lib/pkgconfig", "share"):  # Conan writes its own
            rmdir(self, os.path.join(self.package_folder, folder))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "comcp")
        headers = self.cpp_info.components["headers"]
        headers.set_property("cmake_target_name", "comcp::comcp")
        headers.set_property("pkg_config_name", "comcp")
        headers.bindirs = headers.libdirs = []
        headers.requires = ["asio::asio", "simdjson::simdjson"]
        headers.defines = ["ASIO_STANDALONE", "ASIO_HAS_CO_AWAIT", "ASIO_HAS_STD_COROUTINE"]
        if self.settings.os in ("Linux", "FreeBSD"):
            headers.system_libs = ["pthread"]
        if self.settings.os == "Linux":  # as cmake/comcpBuild.cmake says
            headers.defines.append("ASIO_HAS_STD_ALIGNED_ALLOC=1")
        if self.options.with_tls:
            headers.requires.append("openssl::ssl")
            headers.defines.append("COMCP_WITH_TLS=1")
        if self.options.compiled:
            compiled = self.cpp_info.components["compiled"]
            compiled.set_property("cmake_target_name", "comcp::compiled")
            compiled.set_property("pkg_config_name", "comcp-compiled")
            compiled.requires = ["headers"]
            compiled.libs = ["comcp_compiled"]
            compiled.defines = ["COMCP_SEPARATE_COMPILATION", "ASIO_SEPARATE_COMPILATION"]
