// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if defined(COMCP_DEMO_HTTP)

#include "http_front.hpp"

#include <httplib.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <random>

#include "event_queue.hpp"
#include "server.hpp"

namespace demo {

namespace {

using httplib::Request;
using httplib::Response;
using namespace std::chrono_literals;
using queue_ptr = std::shared_ptr<event_queue>;

constexpr auto* version_key = "io.modelcontextprotocol~1protocolVersion";
constexpr std::int64_t header_mismatch = -32020;

/// A client of the legacy era.
struct session {
  explicit session(options const& o) : talk(std::make_shared<server>(o, unasked)) {}
  queue_ptr unasked = std::make_shared<event_queue>();
  std::shared_ptr<server> talk;
  bool listened = false;  // its GET stream is open
};
using session_ptr = std::shared_ptr<session>;

std::string random_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    std::array<char, 9> hex{};
    std::snprintf(hex.data(), hex.size(), "%08x", random());
    id += hex.data();
  }
  return id;
}

void refuse(Response& res, int status, rpc_error const& why, json::fragment const& id = {}) {
  res.status = status;
  res.set_content(error_text(id, why), "application/json");
}

std::string text_at(json::value const& message, std::string const& pointer) {
  auto const found = message.pointer(pointer);
  return found && found->is_string() ? std::string(found->as_string()) : std::string();
}

/// Of a modern answer; legacy ones are 200.
int status_of(json::value const& answer) {
  auto const found = answer.pointer("/error/code");
  auto const code = found ? found->get<std::int64_t>().value_or(0) : 0;
  if (code == method_not_found) return 404;
  return code == header_mismatch || code == -32021 || code == -32022 ? 400 : 200;
}

/// Writes what comes on `from` until `last` says that it was the end, or the client has gone.
template <class Last>
void stream(Response& res, queue_ptr const& from, std::string first, Last last, std::function<void()> const& at_end) {
  auto const write = [from, last, first = std::move(first)](std::size_t, httplib::DataSink& sink) mutable {
    auto const text = std::exchange(first, {});
    if (!text.empty()) return sink.write(text.data(), text.size());
    auto const message = from->next(100ms);
    if (message) {
      auto const event = "event: message\ndata: " + *message + "\n\n";
      if (!sink.write(event.data(), event.size())) return false;
    } else if (!sink.is_writable()) {
      return false;
    }
    if (from->closed() || (message && last(*message))) sink.done();
    return true;
  };
  res.set_header("Cache-Control", "no-store");
  res.set_chunked_content_provider("text/event-stream", write, [at_end](bool) { at_end(); });
}

bool is_answer(std::string const& text) {
  auto const message = json::parse(text);
  return message && !message->contains("method");
}

class front {
 public:
  explicit front(options const& o)
      : options_(o), modern_(std::make_shared<server>(o, std::make_shared<event_queue>())) {}

  void post(Request const& req, Response& res) {
    auto const message = json::parse(req.body);
    if (!message || !message->is_object()) return refuse(res, 400, {-32700, "The body is no JSON object"});
    auto const version = text_at(*message, std::string("/params/_meta/") + version_key);
    if (offers_modern(options_) && (!version.empty() || !offers_legacy(options_)))
      return post_modern(req, res, *message, version);
    auto const method = text_at(*message, "/method");
    if (method == "initialize") return begin(res, *message);
    auto const s = find(req, res);
    if (!s) return;
    if (!method.empty() && message->contains("id")) return answer(res, s->talk, *message, false);
    s->talk->receive(*message, s->unasked);
    res.status = 202;
  }

  void listen(Request const& req, Response& res) {
    if (!offers_legacy(options_)) return refuse(res, 405, {invalid_request, "POST only"});
    auto const s = find(req, res);
    if (!s) return;
    {
      std::lock_guard const lock(lock_);
      if (std::exchange(s->listened, true)) return refuse(res, 409, {invalid_request, "There is such a stream"});
    }
    auto const at_end = [this, s] {
      std::lock_guard const lock(lock_);
      s->listened = false;
    };
    stream(res, s->unasked, ": welcome\n\n", [](std::string const&) { return false; }, at_end);
  }

  void end(Request const& req, Response& res) {
    if (auto const s = find(req, res)) forget(req.get_header_value("Mcp-Session-Id"), *s), res.status = 204;
  }

  // HTTP+SSE of 2024-11-05: everything comes on one stream.
  void listen_sse(Response& res) {
    auto const s = std::make_shared<session>(options_);
    auto const id = keep(s);
    auto const first = "event: endpoint\ndata: /messages?session=" + id + "\n\n";
    stream(res, s->unasked, first, [](std::string const&) { return false; }, [this, id, s] { forget(id, *s); });
  }
  void post_sse(Request const& req, Response& res) {
    auto const s = find(req.get_param_value("session"));
    if (!s) return refuse(res, 404, {invalid_request, "There is no such session"});
    s->talk->receive(std::string_view(req.body), s->unasked);
    res.status = 202;
  }

 private:
  void post_modern(Request const& req, Response& res, json::value const& message, std::string const& version) {
    if (!message.contains("id")) return void(res.status = 202);  // no notification means anything here
    auto const method = text_at(message, "/method");
    bool const matches = version.empty() || (req.get_header_value("MCP-Protocol-Version") == version &&
                                             req.get_header_value("Mcp-Method") == method);
    auto const named = method == "tools/call" || method == "prompts/get" || method == "resources/read" ||
                       method == "jobs/get" || method == "tasks/get" || method == "tasks/cancel";
    if (!matches || (named && !req.has_header("Mcp-Name")))
      return refuse(res, 400, {header_mismatch, "The headers do not say what the body says"},
                    json::fragment::trusted(message["id"].dump()));
    answer(res, modern_, message, true);
  }

  void begin(Response& res, json::value const& message) {
    auto const s = std::make_shared<session>(options_);
    answer(res, s->talk, message, false);
    if (res.body.find("\"protocolVersion\"") != std::string::npos) res.set_header("Mcp-Session-Id", keep(s));
  }

  /// JSON where the answer comes at once, else an event stream.
  void answer(Response& res, std::shared_ptr<server> const& talk, json::value const& message, bool modern) {
    auto const out = std::make_shared<event_queue>();
    talk->receive(message, out);
    auto const first = out->next(50ms);
    if (first && is_answer(*first)) {
      res.status = modern ? status_of(*json::parse(*first)) : 200;
      return res.set_content(*first, "application/json");
    }
    auto const gone = [talk, out, modern] {
      out->close();
      if (modern) talk->forget(*out);  // which cancels it; a legacy client says so itself
    };
    stream(res, out, first ? "event: message\ndata: " + *first + "\n\n" : ": it takes time\n\n", is_answer, gone);
  }

  std::string keep(session_ptr const& s) {
    auto id = random_id();
    std::lock_guard const lock(lock_);
    sessions_.emplace(id, s);
    return id;
  }
  session_ptr find(std::string const& id) {
    std::lock_guard const lock(lock_);
    auto const found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : found->second;
  }
  session_ptr find(Request const& req, Response& res) {
    auto const id = req.get_header_value("Mcp-Session-Id");
    auto s = find(id);
    if (!s) refuse(res, id.empty() ? 400 : 404, {-32000, id.empty() ? "No session id" : "There is no such session"});
    return s;
  }
  void forget(std::string const& id, session& s) {
    s.unasked->close();
    s.talk->forget(*s.unasked);
    std::lock_guard const lock(lock_);
    sessions_.erase(id);
  }

  options const options_;
  std::shared_ptr<server> modern_;
  std::mutex lock_;
  std::map<std::string, session_ptr> sessions_;
};

/// A page of another host that a browser shows, and whoever has no token, stay outside.
httplib::Server::HandlerResponse let_in(std::string const& token, Request const& req, Response& res) {
  auto const origin = req.get_header_value("Origin");
  bool const foreign = !origin.empty() && origin.find("//127.0.0.1") == std::string::npos &&
                       origin.find("//localhost") == std::string::npos;
  if (foreign) refuse(res, 403, {invalid_request, "This origin may not"});
  bool const unknown = !token.empty() && req.get_header_value("Authorization") != "Bearer " + token;
  if (!foreign && unknown) {
    res.set_header("WWW-Authenticate", "Bearer");
    refuse(res, 401, {-32000, "A token is needed"});
  }
  using httplib::Server;
  return foreign || unknown ? Server::HandlerResponse::Handled : Server::HandlerResponse::Unhandled;
}

std::unique_ptr<httplib::Server> make_server(http_options const& http) {
  if (http.tls_certificate.empty()) return std::make_unique<httplib::Server>();
#if defined(CPPHTTPLIB_OPENSSL_SUPPORT)
  auto const* const ca = http.tls_client_ca.empty() ? nullptr : http.tls_client_ca.c_str();
  return std::make_unique<httplib::SSLServer>(http.tls_certificate.c_str(), http.tls_key.c_str(), ca);
#else
  return nullptr;
#endif
}

}  // namespace

int serve_http(options const& o, http_options const& http) {
  front f(o);
  auto const web = make_server(http);
  if (!web || !web->is_valid()) return std::cerr << "comcp_demo_server: no TLS with these files\n", 2;
  web->new_task_queue = [] { return new httplib::ThreadPool(64); };  // one for each connection, streams included
  web->set_keep_alive_max_count(1'000'000);
  web->set_tcp_nodelay(true);
  web->set_pre_routing_handler([&](Request const& q, Response& s) { return let_in(http.token, q, s); });
  web->Post("/mcp", [&](Request const& q, Response& s) { f.post(q, s); });
  web->Get("/mcp", [&](Request const& q, Response& s) { f.listen(q, s); });
  web->Delete("/mcp", [&](Request const& q, Response& s) { f.end(q, s); });
  if (offers_legacy(o)) {
    web->Get("/sse", [&](Request const&, Response& s) { f.listen_sse(s); });
    web->Post("/messages", [&](Request const& q, Response& s) { f.post_sse(q, s); });
  }
  auto const* const host = "127.0.0.1";
  int const port = http.port != 0 ? (web->bind_to_port(host, http.port) ? http.port : -1) : web->bind_to_any_port(host);
  if (port < 0) return std::cerr << "comcp_demo_server: the port is not free\n", 2;
  std::cout << (http.tls_certificate.empty() ? "http://" : "https://") << host << ':' << port << "/mcp" << std::endl;
  return web->listen_after_bind() ? 0 : 2;
}

}  // namespace demo

#endif
