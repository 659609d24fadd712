// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// All of comcp in one source: the static library of who builds by Meson or Bazel.
#include <comcp/src.hpp>
