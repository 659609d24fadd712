// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The engine that comcp takes where the user names none: with TLS where the build has it.
#pragma once

#include <memory>
#include <utility>

#include <comcp/http/asio_engine.hpp>
#include <comcp/http/proxy.hpp>
#include <comcp/http/tls.hpp>
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
#include <comcp/http/asio_tls_engine.hpp>
#endif

namespace comcp {

// What a configuration makes the default is a part of its name: objects of two configurations do not link.
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
inline namespace http_with_tls {
using default_http_engine = asio_tls_engine;
#else
inline namespace http_without_tls {
using default_http_engine = asio_engine;
#endif
}  // inline namespace

namespace detail {

// A template, so that only who uses HTTP pays for it.
template <class Engine = default_http_engine>
std::shared_ptr<Engine> make_http_engine(asio_engine_options options, proxy_options proxies,
                                         [[maybe_unused]] tls_options const& tls,
                                         net::lookup_function lookup = net::system_lookup<asio::any_io_executor>) {
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
  tls_connector from(tls, std::move(proxies), std::move(lookup));
#else
  plain_connector from(std::move(proxies), std::move(lookup));
#endif
  return std::make_shared<Engine>(std::move(options), std::move(from));
}

}  // namespace detail
}  // namespace comcp

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

extern template std::shared_ptr<default_http_engine> make_http_engine(asio_engine_options, proxy_options,
                                                                      tls_options const&, net::lookup_function);

}  // namespace comcp::detail
#endif

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/default_engine.ipp>
#endif
