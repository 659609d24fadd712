// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is missing is said in one line, before anything else is read.
// EXPECT -std=c++17: comcp needs C++20: compile with -std=c++20
// EXPECT -fno-exceptions: comcp needs exceptions
// EXPECT -fno-rtti: Asio needs RTTI unless told otherwise
// EXPECT -U__cpp_impl_coroutine: comcp needs C++20 coroutines
// EXPECT -DBOOST_ASIO_DETAIL_CONFIG_HPP: comcp: Boost.Asio of Boost 1.74 and this standalone Asio define the same names
#include <comcp/requirements.hpp>
