// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include <asio/bind_executor.hpp>
#include <asio/this_coro.hpp>

#include <comcp/transport/stdio.hpp>
#include <comcp/transport/stream_session.hpp>

namespace comcp {
namespace detail {

/// A child's stdout and stdin as one stream; closing it kills what still runs.
class child_stream {
 public:
  explicit child_stream(net::child_process p) : process(std::move(p)) {}

  template <class Buffers, class Handler>
  void async_read_some(Buffers const& buffers, Handler&& handler) {
    process.output().async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(Buffers const& buffers, Handler&& handler) {
    process.input().async_write_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers>
  std::size_t write_some(Buffers const& buffers, std::error_code& ec) {
    return process.input().write_some(buffers, ec);
  }
  // Not on Windows, where a write without waiting is not to be had.
  template <class Input = net::pipe_writer>
  void non_blocking(bool on, std::error_code& ec)
    requires requires(Input& input) { input.non_blocking(on, ec); }
  {
    Input& input = process.input();
    input.non_blocking(on, ec);
  }
  void close(std::error_code&) noexcept { process.kill(); }

  net::child_process process;
};

/// The last bytes of a stream; keeps up to twice the limit so that most appends move nothing.
class tail_ring {
 public:
  explicit tail_ring(std::size_t limit) : limit_(limit) {}
  void append(std::string_view piece) {
    if (piece.size() > limit_) piece.remove_prefix(piece.size() - limit_);
    if (text_.size() + piece.size() > 2 * limit_) text_.erase(0, text_.size() + piece.size() - limit_);
    text_.append(piece);
  }
  [[nodiscard]] std::string last(std::size_t n) const {
    n = std::min({n, limit_, text_.size()});
    return text_.substr(text_.size() - n);
  }

 private:
  std::size_t limit_;
  std::string text_;
};

class stdio_session final : public stream_session<child_stream> {
  using base = stream_session<child_stream>;

 public:
  static constexpr std::size_t tail_in_errors = 4096;
  /// For a process to exit by itself after the end of its stdout, before SIGTERM: nothing can come from it any more.
  static constexpr std::chrono::milliseconds silent_wait{500};

  stdio_session(asio::any_io_executor executor, child_stream stream, inbox& in, stdio_settings const& s)
      : base(std::move(executor), std::move(stream), in, s.max_line, s.queue),
        sink_(s.error_to.call()),
        tail_(s.error_to.kept()),
        pid_(process().pid()) {}

  void start_all() {
    process().on_exit([weak = weak_from_this()] {
      if (auto self = weak.lock()) static_cast<stdio_session&>(*self).exited();
    });
    errors_ended_ = !process().error_output().is_open();
    if (!errors_ended_) read_errors();
    start();
  }

  void start_close() override {
    if (closing()) return;
    begin_close();
    if (idle()) process().close_input();
    process().stop();
  }

  void describe(transport_info& out) const override {
    base::describe(out);
    out.pid = pid_;
    out.exit_code = how_.code;
    out.term_signal = how_.signal;
    out.stderr_tail = tail_.last(std::string::npos);
  }

 private:
  [[nodiscard]] net::child_process& process() noexcept { return stream().process; }

  void reading_ended(error why) override {
    output_ended_ = true;
    if (is_our_own(why)) {
      std::error_code ignored;
      process().output().close(ignored);  // a server that is still writing the line fails at once
    } else {
      why = why.with_message("the server closed its stdout");
    }
    process().close_input();
    end_with(std::move(why), silent_wait);
    finish_if_over();
  }

  void writing_ended(error) override {
    end_with(error(errc::transport_failed, "the server closed its stdin"), std::chrono::nanoseconds::max());
  }

  static bool is_our_own(error const& e) noexcept { return e == errc::limit_exceeded || e == errc::out_of_memory; }

  void drained() override {
    if (closing()) process().close_input();
  }

  void end_with(error why, std::chrono::nanoseconds wait) {
    if (!cause_ || is_our_own(why)) cause_ = std::move(why);
    refuse_sends();
    process().stop(wait);
  }

  // Everything that the server wrote is in the pipes by now. The end of a pipe may never come, when a process
  // outside the group holds it: what is in there is taken, and that is the end.
  void exited() {
    if (done()) return;
    exited_ = true;
    how_ = process().status().value_or(net::exit_status());
    refuse_sends();
    if (how_.alive) fault(error(errc::transport_failed, not_ended()));
    if (done()) return;
    std::error_code ignored;
    if (!output_ended_) {
      stop_reading();
      process().output().cancel(ignored);
    }
    if (!errors_ended_) process().error_output().cancel(ignored);
    finish_if_over();
  }

  void fetch_rest() override {
    auto& output = process().output();
    std::error_code ec;
    for (auto left = net::readable_now(output); left > 0 && !framer().failed();) {
      auto const room = framer().prepare();
      auto const n = output.read_some(asio::buffer(room.data(), std::min(room.size(), left)), ec);
      if (ec || n == 0) return;
      framer().commit(n);
      left -= n;
      if (!deliver_lines()) return;
    }
  }

  void read_errors() {
    process().error_output().async_read_some(
        asio::buffer(error_buffer_),
        asio::bind_executor(executor(), [self = shared_from_this()](std::error_code ec, std::size_t n) {
          static_cast<stdio_session&>(*self).on_errors(ec, n);
        }));
  }

  void on_errors(std::error_code ec, std::size_t n) {
    if (done()) return;
    keep_errors(n);
    if (done()) return;
    if (!ec && !exited_) return read_errors();
    if (exited_) fetch_errors();
    if (done()) return;
    errors_ended_ = true;
    finish_if_over();
  }

  void fetch_errors() {
    auto& errors = process().error_output();
    std::error_code ec;
    for (auto left = net::readable_now(errors); left > 0 && !done();) {
      auto const n = errors.read_some(asio::buffer(error_buffer_.data(), std::min(error_buffer_.size(), left)), ec);
      if (ec || n == 0) return;
      left -= n;
      keep_errors(n);
    }
  }

  void keep_errors(std::size_t n) {
    std::string_view const piece(error_buffer_.data(), n);
    tail_.append(piece);
    if (!sink_ || n == 0) return;
    try {
      sink_(piece);
    } catch (...) {
      fault(error(errc::invalid_argument, "a stderr sink threw"));
    }
  }

  void finish_if_over() {
    if (exited_ && output_ended_ && errors_ended_ && !done()) finish(reason());
  }

  [[nodiscard]] error reason() const {
    transport_detail detail;
    detail.exit_code = how_.code;
    detail.term_signal = how_.signal;
    detail.stderr_tail = tail_.last(tail_in_errors);
    return bare_reason().with_detail(std::move(detail));
  }

  [[nodiscard]] error bare_reason() const {
    if (cause_ && is_our_own(*cause_)) return *cause_;
    std::string const left = how_.alive ? "; " + not_ended() : std::string();
    if (closing()) return {errc::closed, "closed by this side" + left};
    if (how_.code) return {errc::transport_failed, "the server process exited"};
    if (cause_ && (how_.alive || how_.signalled)) return cause_->with_message(std::string(cause_->message()) + left);
    if (how_.signal) return {errc::transport_failed, "the server process was ended by a signal"};
    return {errc::transport_failed, "the server process is gone"};
  }

  [[nodiscard]] std::string not_ended() const {
    return "the server process " + std::to_string(pid_) + " could not be ended: " +
           (how_.alive == std::errc::timed_out ? "it goes on after SIGKILL" : how_.alive.message());
  }

  stderr_target::sink_function sink_;
  tail_ring tail_;
  int pid_;
  net::exit_status how_;
  std::optional<error> cause_;  // why it is ending, when not by close()
  std::array<char, 8192> error_buffer_;
  bool output_ended_ = false;
  bool errors_ended_ = false;
  bool exited_ = false;
};

/// A command line for people: values of options that sound secret are left out.
COMCP_DECL std::string shown_command(std::vector<std::string> const& command) {
  auto const sounds_secret = [](std::string word) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (char const* s : {"token", "secret", "password", "passwd", "key", "auth", "credential"}) {
      if (word.find(s) != std::string::npos) return true;
    }
    return false;
  };
  std::string out;
  bool hide = false;
  for (auto const& argument : command) {
    if (!out.empty()) out.push_back(' ');
    auto const equals = argument.find('=');
    bool const option = argument.starts_with("-");
    bool const named = equals != std::string::npos && sounds_secret(argument.substr(0, equals));
    out.append(named ? argument.substr(0, equals) + "=***" : hide && !option ? "***" : argument);
    hide = option && equals == std::string::npos && sounds_secret(argument);
  }
  return out;
}

}  // namespace detail

struct stdio::state {
  std::shared_ptr<detail::stdio_session> session;
  std::shared_ptr<detail::kill_switch> cut = std::make_shared<detail::kill_switch>();
  bool gone = false;
};

COMCP_DECL stdio::stdio(std::vector<std::string> command) : state_(std::make_shared<state>()) {
  settings_.process.command = std::move(command);
}

COMCP_DECL stdio::stdio(stdio const& other) : settings_(other.settings_), state_(std::make_shared<state>()) {}

COMCP_DECL stdio& stdio::operator=(stdio&& other) noexcept {
  if (this != &other) {
    abort();
    settings_ = std::move(other.settings_);
    state_ = std::move(other.state_);
  }
  return *this;
}

COMCP_DECL stdio::~stdio() { abort(); }

COMCP_DECL void stdio::abort() noexcept {
  if (!state_) return;
  state_->gone = true;
  if (state_->session) state_->session->abort();
}

COMCP_DECL stdio& stdio::env(std::string name, std::string value) & {
  settings_.process.environment.emplace_back(std::move(name), std::move(value));
  return *this;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> stdio::open(inbox& in) { return open_impl(state_, settings_, in); }

COMCP_LAZY_DECL asio::awaitable<result<void>> stdio::open_impl(std::shared_ptr<state> s, stdio_settings settings,
                                                          inbox& in) {
  auto executor = co_await asio::this_coro::executor;
  if (s->gone) co_return error(errc::closed, "destroyed while opening");
  if (s->session && !s->session->done()) co_return error(errc::connect_failed, "already open");
  using target = net::spawn_options::error_output;
  auto const what = settings.error_to.what();
  settings.process.error_to = what == stderr_target::kind::inherit   ? target::inherit
                              : what == stderr_target::kind::discard ? target::discard
                                                                     : target::pipe;
  auto process = net::child_process::spawn(executor, settings.process);
  if (!process) co_return process.error();
  s->cut->connect(process->killer());
  detail::child_stream stream(std::move(*process));
  s->session = std::make_shared<detail::stdio_session>(executor, std::move(stream), in, settings);
  s->session->start_all();
  co_return result<void>();
}

COMCP_DECL result<void> stdio::send(outgoing message) {
  if (!state_->session) return error(errc::closed, "not open");
  return state_->session->send(std::move(message));
}

COMCP_DECL bool stdio::abandon(request_id id) noexcept { return state_->session && state_->session->abandon(id); }

COMCP_LAZY_DECL asio::awaitable<void> stdio::close() { return detail::close_session(state_->session); }

COMCP_DECL transport_info stdio::info() const {
  transport_info out;
  out.kind = "stdio";
  out.target = detail::shown_command(settings_.process.command);
  if (state_->session) state_->session->describe(out);
  return out;
}

COMCP_DECL std::function<void()> stdio::cutter() const {
  return [cut = state_->cut] { cut->pull(); };
}

static_assert(transport<stdio> && has_cutter<stdio>);

}  // namespace comcp
