// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <comcp/net/spawn.hpp>
#include <comcp/transport/http_session.hpp>

namespace comcp::detail {

/// Counts what is open while it lives.
class open_stream {
 public:
  explicit open_stream(std::size_t& count) noexcept : count_(count) { ++count_; }
  open_stream(open_stream const&) = delete;
  open_stream& operator=(open_stream const&) = delete;
  ~open_stream() { --count_; }

 private:
  std::size_t& count_;
};

COMCP_DECL http_session::http_session(asio::any_io_executor executor, http_options options, http_carrier carrier, inbox& in)
    : link_(std::move(executor), std::move(options), std::move(carrier), in), posts_(*this), listener_(*this) {}

COMCP_LAZY_DECL asio::awaitable<result<void>> http_session::open() {
  auto const hold = shared_from_this();
  if (link_.options.resumed()) {
    auto const usable = link_.labels.check_resumed();
    if (!usable) co_return usable.error();
  }
  if (link_.options.kind() == http_kind::sse) {
    auto opened = co_await open_sse();
    co_return opened;
  }
  if (link_.options.resumed()) listener_.start();
  co_return result<void>();
}

COMCP_LAZY_DECL result<void> http_session::send(outgoing&& message) {
  if (link_.over() || closing()) return error(errc::closed, "the connection is closed");
  return posts_.send(std::move(message));
}

COMCP_LAZY_DECL asio::awaitable<void> http_session::close() {
  auto const hold = shared_from_this();
  if (link_.over() || std::exchange(link_.carrier.ending, true)) co_return;
  if (!link_.sse) listener_.stop();
  co_await posts_.drained(link_.in_time(link_.options.close_wait()));
  if (!link_.over() && !link_.labels.session().empty() && !link_.sse) {
    auto const last = std::make_shared<http_activity>(outgoing());
    auto const told = std::make_shared<gate>(link_.executor);
    spawn(link_.executor, end(hold, told), last->signal.slot(), last);
    link_.limit(last, link_.options.close_wait());
    auto const bound = link_.open_later(told, link_.in_time(link_.options.close_wait()));
    co_await told->wait();
  }
  // Kept connections would keep the io_context at work.
  link_.carrier.engine.close_idle();
  finish(error(errc::closed, "closed by this side"));
}

COMCP_LAZY_DECL asio::awaitable<void> http_session::end(std::shared_ptr<http_session> self, std::shared_ptr<gate> told) {
  auto& link = self->link_;
  http_fetch f(link.carrier, link.carrier.server, "DELETE");
  f.common = link.labels.of_end();
  auto const wait = link.options.close_wait();
  f.request.timeouts.connect(wait).response(wait).total(wait);
  link.labels.forget_session();
  try {
    co_await f.run();
    co_await f.skip_body();
  } catch (...) {
    // 405, a refusal, no connection: the session ends without having been told.
  }
  told->open();
}

COMCP_DECL void http_session::abort() noexcept {
  link_.cut();
  posts_.abort();
  listener_.stop();
}

COMCP_DECL void http_session::finish(error reason) {
  auto const keep = shared_from_this();
  inbox* const in = link_.cut();
  if (in == nullptr) return;
  abort();
  in->closed(std::move(reason));
}

COMCP_DECL void http_session::describe(transport_info& out) const {
  out.kind = link_.sse ? "http+sse" : "http";
  out.session_id = link_.labels.session();
  out.open_streams = link_.streams;
  out.messages_in = link_.messages_in;
  out.bytes_in = link_.bytes_in;
  posts_.describe(out);
}

COMCP_LAZY_DECL asio::awaitable<error> http_session::read_events(activity a, http_fetch& f, sansio::sse_parser& parser,
                                                            other_events const* others) {
  open_stream const counted(link_.streams);
  for (;;) {
    auto const piece = co_await f.next();
    if (link_.over(*a)) co_return error(errc::cancelled);
    if (!piece) co_return piece.error();
    if (piece->empty())
      co_return error(errc::transport_failed, a->message.id ? "the stream ended before its answer" : "the server ended the event stream");
    parser.feed(*piece);
    while (auto event = parser.next()) {
      if (!event->is_message()) {
        if (others == nullptr) continue;
        if (auto failure = (*others)(*event)) co_return failure;
      } else if (event->data.find_first_not_of(' ') != std::string::npos) {
        link_.deliver(pad(event->data), a->message.id);
        if (link_.over(*a)) co_return error(errc::cancelled);
      }
    }
    if (parser.failed()) co_return parser.failure();
    if (a->message.id == 0 || a->answered || link_.in().awaits(a->message.id)) continue;
    a->answered = true;
    posts_.answered(*a);
    if (f.request.method == "GET") co_return error();
    link_.limit(a, std::chrono::seconds(1));  // for the end, after which the connection can be used again
  }
}

struct http_session::sse_stream {
  explicit sse_stream(http_link& link)
      : fetch(link.carrier, link.carrier.server, "GET"),
        parser(link.options.max_event()),
        reached(std::make_shared<gate>(link.executor)) {}
  http_fetch fetch;
  sansio::sse_parser parser;
  std::shared_ptr<gate> reached;
  bool endpoint = false;
  error ended;
};

COMCP_LAZY_DECL asio::awaitable<result<void>> http_session::open_sse() {
  auto const a = std::make_shared<http_activity>(outgoing());
  auto const s = std::make_shared<sse_stream>(link_);
  s->fetch.common = link_.labels.of_stream({}, {});
  s->fetch.request.timeouts.response(link_.options.send_timeout()).idle(link_.options.idle_timeout());
  s->fetch.authorizing = [this, a](bool begins) {
    link_.authorizing(begins);
    if (link_.over(*a)) return;
    if (begins) {
      http_link::unlimit(*a);
    } else {
      link_.limit(a, link_.options.send_timeout());
    }
  };
  listener_.become(a);
  spawn(link_.executor, run_sse(shared_from_this(), a, s), a->signal.slot(), a);
  link_.limit(a, link_.options.send_timeout());
  co_await s->reached->wait();
  http_link::unlimit(*a);
  if (s->endpoint) co_return result<void>();
  co_return s->ended ? s->ended : error(errc::connect_failed, "the server names no endpoint on its event stream");
}

COMCP_LAZY_DECL asio::awaitable<void> http_session::run_sse(std::shared_ptr<http_session> self, activity a,
                                                       std::shared_ptr<sse_stream> s) {
  auto& link = self->link_;
  other_events const others = [&link, &s](sansio::sse_event const& event) {
    if (event.type != "endpoint" || s->endpoint) return error();
    auto const where = link.carrier.server.resolve(event.data);
    if (!where) return error(errc::protocol_violation, "the endpoint is no URL");
    if (!same_origin(*where, link.carrier.server))
      return error(errc::protocol_violation, "the endpoint is on another origin: " + where->origin());
    s->endpoint = link.sse = true;
    link.url = *where;
    s->reached->open();
    return error();
  };
  try {
    co_await s->fetch.run();
    s->ended = s->fetch.verdict.why;
    if (s->fetch.verdict.what == http_fetch::action::stream) s->ended = co_await self->read_events(a, s->fetch, s->parser, &others);
  } catch (...) {
    s->ended = current_error();
  }
  self->listener_.left(a);
  s->reached->open();
  if (s->endpoint && !link.over(*a)) self->finish(s->ended);
}

}  // namespace comcp::detail
