// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The same as asio.cpp for Asio's ssl, where comcp is built with TLS.
#include <asio/ssl/impl/src.hpp>
