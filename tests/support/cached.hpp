// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A fake server whose results say how often it was asked, and clients of it with a cache.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <comcp/client/cache.hpp>

#include "support/conversation.hpp"

namespace comcp_test {

struct cached : conversation {
  cached() : server(io.get_executor()) { serve("tools/list", "tools"); }

  /// From now on the list has one item, named by how often it was asked for.
  void serve(std::string const& method, std::string const& list, std::string hints = R"("ttlMs":5000)") {
    server.on(method, [this, method, list, hints = std::move(hints)](comcp::test::fake_request r) {
      r.reply(page(method, list, hints));
    });
  }
  void serve_reads(std::string hints = R"("ttlMs":5000)") {
    server.on("resources/read", [this, hints = std::move(hints)](comcp::test::fake_request r) {
      auto const n = std::to_string(++asked["resources/read"]);
      r.reply(comcp::json::fragment::trusted(R"({"resultType":"complete","contents":[{"uri":"x://a","text":")" + n +
                                             R"("}],)" + hints + "}"));
    });
  }
  comcp::json::fragment page(std::string const& method, std::string const& list, std::string const& more) {
    auto const n = std::to_string(++asked[method]);
    return comcp::json::fragment::trusted(R"({"resultType":"complete",")" + list + R"(":[{"name":")" + n +
                                          R"(","uri":"x://a","uriTemplate":"x://{a}","inputSchema":{"type":"object"}}],)" +
                                          more + "}");
  }

  comcp::client caching(comcp::cache_options o = comcp::cache_options()) {
    return connect(server.transport(), options().cache(std::move(o))).value();
  }

  /// The names on the list, or the error.
  std::string tools(comcp::client const& c, comcp::call_options o = comcp::call_options()) {
    return names(finish(c.list_tools(std::move(o))));
  }
  std::string read(comcp::client const& c, std::string const& uri = "x://a",
                   comcp::call_options o = comcp::call_options()) {
    auto const r = finish(c.read_resource(uri, std::move(o)));
    return r ? r->text() : r.error().to_string();
  }
  template <class T>
  static std::string names(comcp::result<comcp::listing<T>> const& r) {
    if (!r) return r.error().to_string();
    std::string out;
    for (auto const& item : *r) out += (out.empty() ? "" : " ") + item.name;
    return out;
  }

  comcp::test::fake_server server;
  std::map<std::string, int> asked;
};

/// A connection that says where it goes and with whose credentials, as HTTP does.
class labelled_connection {
 public:
  static constexpr bool is_http = true;
  struct label {
    std::string server, identity;
  };

  labelled_connection(comcp::test::fake_connection c, std::shared_ptr<label const> said)
      : inner_(std::move(c)), said_(std::move(said)) {}

  [[nodiscard]] asio::awaitable<comcp::result<void>> open(comcp::inbox& in) { return inner_.open(in); }
  comcp::result<void> send(comcp::outgoing message) { return inner_.send(std::move(message)); }
  bool abandon(comcp::request_id id) noexcept { return inner_.abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return inner_.close(); }
  [[nodiscard]] comcp::transport_info info() const {
    auto out = inner_.info();
    out.kind = "http";
    out.server = said_->server;
    out.identity = said_->identity;
    return out;
  }
  [[nodiscard]] std::optional<comcp::saved_session> resumed() const { return {}; }

 private:
  comcp::test::fake_connection inner_;
  std::shared_ptr<label const> said_;
};

}  // namespace comcp_test
