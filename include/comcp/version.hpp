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
/// COMCP_LAZY is for those among them that only who calls them shall pay for, which are nearly all: g++ generates the
/// frames of every inline coroutine that it reads at -O0, and all that they reach, but not of templates. It stands at
/// the declaration (or at a definition without one), COMCP_LAZY_DECL at the definition. What is virtual cannot have it:
/// it stands in a class template, or is called from one.
#if defined(COMCP_SEPARATE_COMPILATION)
#define COMCP_DECL
#define COMCP_LAZY
#define COMCP_LAZY_DECL
#else
#define COMCP_DECL inline
#define COMCP_LAZY template <int = 0>
#define COMCP_LAZY_DECL template <int> inline
#endif
