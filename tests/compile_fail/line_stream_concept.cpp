// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A stream that cannot be closed is none for byte_stream.
// EXPECT: comcp: this type is no line_stream
#include <comcp/transport/byte_stream.hpp>

struct stays_open {
  template <class Buffers, class Handler>
  void async_read_some(Buffers, Handler&&);
  template <class Buffers, class Handler>
  void async_write_some(Buffers, Handler&&);
#if defined(COMCP_CONTROL)
  void close(std::error_code&);
#endif
};

using wanted = comcp::byte_stream<stays_open>;
std::size_t const size = sizeof(wanted);
