# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# As Conan's registry wants it; tools/release writes config.yml and conandata.yml beside it, which name the archive of
# the release. conanfile.py at the top of the repository is the same for a checkout.
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir, save
from conan.tools.scm import Version

required_conan_version = ">=2.1"


class ComcpConan(ConanFile):
    name = "comcp"
    description = "MCP client for C++20 coroutines, on standalone Asio and simdjson"
    license = "Apache-2.0"
    url = "https://github.com/conan-io/conan-center-index"
    homepage = "https://comcp.example"
    topics = ("mcp", "model-context-protocol", "asio", "coroutines", "json-rpc")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    # compiled: comcp::compiled, a static library, beside the headers.
    options = {"compiled": [True, False], "fPIC": [True, False], "with_tls": [True, False]}
    default_options = {"compiled": True, "fPIC": True, "with_tls": True}

    # What can compile comcp: coroutines without their worst bugs, concepts, ranges.
    _oldest = {"gcc": "12", "clang": "16", "apple-clang": "15", "msvc": "193"}
    _cmake_module = os.path.join("lib", "cmake", "conan-official-comcp-targets.cmake")

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def configure(self):
        if not self.options.compiled:
            self.options.rm_safe("fPIC")
            self.package_type = "header-library"

    def layout(self):
        cmake_layout(self, src_folder="src")

    def requirements(self):
        self.requires("asio/1.36.0", transitive_headers=True)
        self.requires("simdjson/3.13.0", transitive_headers=True, transitive_libs=True)
        if self.options.with_tls:
            self.requires("openssl/[>=3 <4]", transitive_headers=True, transitive_libs=True)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25 <4]")

    def package_id(self):
        if self.info.options.compiled:
            return
        self.info.clear()

    def validate(self):
        # No check_min_cppstd: comcp's targets ask for C++20 themselves, so that a default profile, which says 17, does.
        compiler, version = str(self.settings.compiler), Version(self.settings.compiler.version)
        oldest = self._oldest.get(compiler)
        if oldest and version < oldest:
            raise ConanInvalidConfiguration(f"{self.ref} needs {compiler} {oldest} or newer")
        flags = self.conf.get("tools.build:cxxflags", default=[], check_type=list)
        if (compiler == "clang" and version < "20" and self.settings.get_safe("compiler.libcxx") == "libc++"
                and "-fexperimental-library" not in flags):
            raise ConanInvalidConfiguration(f"{self.ref} needs std::stop_token, which libc++ before 20 has with "
                                            "-fexperimental-library only (tools.build:cxxflags)")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["COMCP_CCACHE"] = False
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
        save(self, os.path.join(self.package_folder, self._cmake_module),
             "foreach(target comcp::comcp comcp::compiled)\n"
             "  if(TARGET ${target})\n"
             "    target_compile_features(${target} INTERFACE cxx_std_20)\n"
             "  endif()\n"
             "endforeach()\n")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "comcp")
        # Whatever has no name of its own would be comcp::comcp, which the headers are.
        self.cpp_info.set_property("cmake_target_name", "comcp::all-targets-do-not-use")
        self.cpp_info.set_property("pkg_config_name", "comcp-all-do-not-use")
        self.cpp_info.set_property("cmake_build_modules", [self._cmake_module])
        headers = self.cpp_info.components["headers"]
        headers.set_property("cmake_target_name", "comcp::comcp")
        headers.set_property("pkg_config_name", "comcp")
        headers.bindirs = []
        headers.libdirs = []
        headers.builddirs = [os.path.dirname(self._cmake_module)]
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
            compiled.bindirs = []
            compiled.requires = ["headers"]
            compiled.libs = ["comcp_compiled"]
            compiled.defines = ["COMCP_SEPARATE_COMPILATION", "ASIO_SEPARATE_COMPILATION"]
