// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// This side's ends of a child's streams: what they are to Asio on this system.
#pragma once

#include <cstddef>

#include <asio/detail/config.hpp>

#if defined(_WIN32)
#include <asio/windows/stream_handle.hpp>
#else
#include <asio/local/stream_protocol.hpp>
#include <asio/posix/stream_descriptor.hpp>
#endif

#include <comcp/version.hpp>

namespace comcp::net {

#if defined(_WIN32)
/// Both are named pipes, opened for overlapped use.
using pipe_writer = asio::windows::stream_handle;
using pipe_reader = asio::windows::stream_handle;
#else
/// A socket, as a write to a child that is gone is an error there, and no SIGPIPE.
using pipe_writer = asio::local::stream_protocol::socket;
using pipe_reader = asio::posix::stream_descriptor;
#endif

/// Bytes that can be read now without waiting.
[[nodiscard]] std::size_t readable_now(pipe_reader& from) noexcept;

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/net/impl/pipe_end.ipp>
#endif
