// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The static library of a Meson subproject.
#include <comcp/src.hpp>
