# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Stands for the registry's asio: the headers that the system has.
from conan import ConanFile


class Asio(ConanFile):
    name = "asio"
    package_type = "header-library"

    def package_info(self):
        self.cpp_info.includedirs = []
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.defines = ["ASIO_STANDALONE"]
        self.cpp_info.system_libs = ["pthread"]
