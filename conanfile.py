# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout

required_conan_version = ">=2.0"


class ComcpConan(ConanFile):
    name = "comcp"
    description = "MCP client for C++20 coroutines, on standalone Asio and simdjson"
    license = "Apache-2.0"
    topics = ("mcp", "model-context-protocol", "asio", "coroutines", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"with_tls": [True, False]}
    default_options = {"with_tls": True}
    exports_sources = "include/*", "LICENSE"
    no_copy_source = True

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "include", "comcp", "version.hpp"))
        self.version = re.search(r'COMCP_VERSION_STRING "([^"]+)"', text).group(1)

    def export(self):
        copy(self, "include/comcp/version.hpp", self.recipe_folder, self.export_folder)

    def layout(self):
        basic_layout(self)

    def requirements(self):
        self.requires("asio/[>=1.22 <2]", transitive_headers=True)
        self.requires("simdjson/[>=3 <5]", transitive_headers=True, transitive_libs=True)
        if self.options.with_tls:
            self.requires("openssl/[>=3 <4]", transitive_headers=True, transitive_libs=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for pattern in ("*.hpp", "*.ipp"):
            copy(self, pattern, os.path.join(self.source_folder, "include"),
                 os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "comcp")
        self.cpp_info.set_property("cmake_target_name", "comcp::comcp")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.defines = ["ASIO_STANDALONE", "ASIO_HAS_CO_AWAIT", "ASIO_HAS_STD_COROUTINE"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
        if self.settings.os == "Linux":  # as cmake/comcpBuild.cmake says
            self.cpp_info.defines.append("ASIO_HAS_STD_ALIGNED_ALLOC=1")
        if self.options.with_tls:
            self.cpp_info.defines.append("COMCP_WITH_TLS=1")
