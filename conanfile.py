# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
#
# The recipe for a checkout: that of the registry, packaging/conan/all/conanfile.py, with the sources that lie here.
import importlib.util
import os
import re

from conan.tools.cmake import cmake_layout
from conan.tools.files import load

_recipe = os.path.join("packaging", "conan", "all", "conanfile.py")
_spec = importlib.util.spec_from_file_location("comcp_recipe", os.path.join(os.path.dirname(__file__), _recipe))
_registry = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_registry)

required_conan_version = _registry.required_conan_version


class ComcpCheckout(_registry.ComcpConan):
    exports = _recipe, "include/comcp/version.hpp"
    exports_sources = "CMakeLists.txt", "cmake/*", "include/*", "LICENSE"

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "include", "comcp", "version.hpp"))
        self.version = re.search(r'COMCP_VERSION_STRING "([^"]+)"', text).group(1)

    def layout(self):
        cmake_layout(self)

    def source(self):
        pass
