// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Asio's own definitions for comcp::compiled. A file apart, so that a program which compiles them itself links
// without seeing them twice.
#include <asio/impl/src.hpp>
