// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The version of comcp itself; CMake, Conan and vcpkg read it from here. Protocol versions are in
// protocol/lifecycle.hpp.
#pragma once

#define COMCP_VERSION_MAJOR 0
#define COMCP_VERSION_MINOR 1
#define COMCP_VERSION_PATCH 0
#define COMCP_VERSION_STRING "0.1.0"

/// Marks definitions that live in impl/*.ipp: inline when header-only, plain where comcp/src.hpp compiles them once.
#if defined(COMCP_SEPARATE_COMPILATION)
#define COMCP_DECL
#else
#define COMCP_DECL inline
#endif
