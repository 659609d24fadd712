# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# Stands for the registry's openssl: the libraries that the system has, as the same components and targets.
from conan import ConanFile


class Openssl(ConanFile):
    name = "openssl"
    package_type = "shared-library"

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "both")
        self.cpp_info.set_property("cmake_file_name", "OpenSSL")
        crypto, ssl = (self.cpp_info.components[name] for name in ("crypto", "ssl"))
        crypto.set_property("cmake_target_name", "OpenSSL::Crypto")
        crypto.system_libs = ["crypto"]
        ssl.set_property("cmake_target_name", "OpenSSL::SSL")
        ssl.system_libs = ["ssl"]
        ssl.requires = ["crypto"]
        for part in (crypto, ssl):
            part.includedirs = part.bindirs = part.libdirs = []
