// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A type that lacks one member of the cache_store concept is refused in words that name the seam.
// EXPECT: comcp: this type is no cache store: it needs find(key, now), ticket(), store(key, result, ticket)
#include <comcp/client/cache.hpp>

struct almost {
  std::optional<comcp::cached_result> find(comcp::cache_key const&, comcp::cached_result::time_point);
  std::uint64_t ticket();
  bool store(comcp::cache_key const&, comcp::cached_result, std::uint64_t);
  void erase(comcp::cache_key const&);
#if defined(COMCP_CONTROL)
  void invalidate(comcp::cache_change);
#endif
};

comcp::cache_options with(std::shared_ptr<almost> s) { return comcp::cache_options().store(std::move(s)); }
