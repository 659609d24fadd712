# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Stands for the registry's simdjson: the library that the system has.
from conan import ConanFile


class Simdjson(ConanFile):
    name = "simdjson"
    package_type = "shared-library"

    def package_info(self):
        self.cpp_info.includedirs = []
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.defines = ["SIMDJSON_THREADS_ENABLED=1"]
        self.cpp_info.system_libs = ["simdjson"]
