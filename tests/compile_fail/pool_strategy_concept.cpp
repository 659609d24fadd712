// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A strategy gives the index of a candidate, not the candidate.
// EXPECT: comcp: this type is no pool strategy
#include <comcp/pool/options.hpp>

struct gives_the_candidate {
#if defined(COMCP_CONTROL)
  std::size_t pick(std::span<comcp::pool_candidate const> ready);
#else
  comcp::pool_candidate const& pick(std::span<comcp::pool_candidate const> ready);
#endif
};

comcp::pool_options choose(gives_the_candidate s) { return comcp::pool_options().strategy(s); }
