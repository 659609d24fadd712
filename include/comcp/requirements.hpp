// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What comcp needs of the compiler, its flags, the standard library and Asio, said before anything else is read: a
// missing macro is one line here and a thousand errors later.
#pragma once

#include <version>

#if !defined(_MSVC_LANG) && __cplusplus < 202002L
#error "comcp needs C++20: compile with -std=c++20 or newer (CMake: link comcp::comcp; Conan: -s compiler.cppstd=20)."
#endif

#if !defined(__cpp_exceptions)
#error "comcp needs exceptions: its operations end with them. Compile without -fno-exceptions."
#endif

#if !defined(__cpp_rtti) && !defined(ASIO_NO_TYPEID)
#error "Asio needs RTTI unless told otherwise. With -fno-rtti define ASIO_NO_TYPEID for every source."
#endif

#if !defined(__cpp_impl_coroutine)
#error "comcp needs C++20 coroutines, which this compiler does not have (g++ 10 wants -fcoroutines)."
#endif

#if !defined(__cpp_lib_jthread)
#error "comcp needs std::stop_token. clang's libc++ before version 20 has it with -fexperimental-library, in every source."
#endif

#if defined(_WIN32) && (defined(min) || defined(max))
#error "comcp: windows.h was included before it and defines min and max, which are names of the standard library. Define NOMINMAX."
#endif

#include <asio/detail/config.hpp>

#if !defined(ASIO_HAS_CO_AWAIT)
#error "comcp: Asio does not see coroutines. Define ASIO_HAS_CO_AWAIT and ASIO_HAS_STD_COROUTINE for every source, or link the CMake target comcp::comcp."
#endif

#if defined(BOOST_ASIO_DETAIL_CONFIG_HPP) && BOOST_VERSION < 107500
#include <asio/version.hpp>
#if ASIO_VERSION < 103700
#error "comcp: Boost.Asio of Boost 1.74 and this standalone Asio define the same names. Use them in different sources, or a newer one of the two."
#endif
#endif
