// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "interactive.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include <asio/redirect_error.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/json/build.hpp>
#include <comcp/schema/elicitation.hpp>
#include <comcp/trace/record.hpp>

#include "form.hpp"
#include "platform.hpp"
#include "text.hpp"

namespace cli {

using comcp::elicit_result;

/// Lets the next dialog begin, however this one ended.
class dialogs::turn {
 public:
  explicit turn(dialogs& d) noexcept : d_(d) {}
  turn(turn const&) = delete;
  turn& operator=(turn const&) = delete;
  ~turn() {
    if (!done_) d_.terminal_->print("\n(the question was withdrawn)\n");
    d_.busy_ = false;
    d_.queue_.cancel();
  }
  void done() noexcept { done_ = true; }

 private:
  dialogs& d_;
  bool done_ = false;
};

dialogs::dialogs(asio::any_io_executor const& executor, console& err)
    : err_(err), terminal_(terminal::open(executor)), queue_(executor, asio::steady_timer::time_point::max()) {}

asio::awaitable<void> dialogs::my_turn() {
  while (busy_) {
    std::error_code woken;
    co_await queue_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    auto const state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) throw std::system_error(woken);
  }
  busy_ = true;
}

void dialogs::introduce(std::string const& server, std::string const& message, std::string const& what) {
  err_.clear();
  terminal_->print("\n", bold("The server " + one_line(server) + " " + what + ":", standard_input), "\n", message, "\n");
}

asio::awaitable<elicit_result> dialogs::form(comcp::elicit_params asked, std::string server) {
  auto const fields = asked.fields();
  if (!terminal_ || !fields) {
    err_.line(fields ? "comcp: declined a question, since stdin is no terminal: " + one_line(asked.message)
                     : "comcp: declined a form that cannot be read: " + one_line(fields.error().to_string()));
    co_return elicit_result::decline();
  }
  co_await my_turn();
  turn mine(*this);
  introduce(server, asked.message, "asks");
  terminal_->print(
      "(Enter takes the [default] or leaves it out; !decline refuses; !cancel or Ctrl-D answers nothing)\n");
  auto state = outcome::again;
  std::string content;
  while (state == outcome::again) {
    state = co_await fill(asked, *fields, content);
    if (state != outcome::filled) continue;
    terminal_->print("\n", content, "\n");
    state = co_await confirm("Send this?", true);
  }
  mine.done();
  if (state == outcome::decline) co_return elicit_result::decline();
  if (state == outcome::cancel) co_return elicit_result::cancel();
  auto const parsed = comcp::json::parse(content).value();
  co_return elicit_result::accept(parsed);
}

asio::awaitable<dialogs::outcome> dialogs::fill(comcp::elicit_params const& asked,
                                                std::vector<comcp::form_field> const& fields, std::string& content) {
  comcp::json::object all;
  for (auto const& field : fields) {
    std::string text;
    auto const state = co_await fill_field(asked, field, text);
    if (state != outcome::filled) co_return state;
    if (!text.empty()) all.set(field.name, comcp::json::fragment::trusted(text));
  }
  auto const parsed = comcp::json::parse(all.text()).value();
  auto const whole = comcp::fill_defaults(asked.requested_schema.view(), parsed.view());
  auto const ok = whole ? comcp::check_content(asked.requested_schema.view(), whole->view())
                        : comcp::result<void>(whole.error());
  if (ok) {
    content = whole->dump();
    co_return outcome::filled;
  }
  terminal_->print("That does not fit: " + one_line(ok.error().to_string()) + "\n");
  co_return outcome::again;
}

asio::awaitable<dialogs::outcome> dialogs::fill_field(comcp::elicit_params const& asked,
                                                      comcp::form_field const& field, std::string& text) {
  auto const preset = field_default(field);
  terminal_->print(field_heading(field));
  if (comcp::is_secret_key(field.name))
    terminal_->print("  This looks like a secret, which a server must not ask for in a form.\n");
  auto const question = preset.empty() ? std::string("> ") : "[" + preset + "] > ";
  for (;;) {
    auto const answer = co_await terminal_->ask(question);
    if (!answer || *answer == "!cancel") co_return outcome::cancel;
    if (*answer == "!decline") co_return outcome::decline;
    if (answer->empty()) {
      if (!preset.empty() || !field.required) co_return outcome::filled;  // the default is filled in before sending
      terminal_->print("  an answer is required (\"\" for an empty text)\n");
      continue;
    }
    auto const value = field_value(field, *answer);
    auto const ok = value ? check_field(asked, field, *value) : comcp::result<void>(value.error());
    if (ok) {
      text = *value;
      co_return outcome::filled;
    }
    terminal_->print("  " + one_line(ok.error().message()) + "\n");
  }
}

asio::awaitable<dialogs::outcome> dialogs::confirm(std::string question, bool may_repeat) {
  question += may_repeat ? " [y]es, [a]gain, [d]ecline, [c]ancel > " : " [y]es, [d]ecline, [c]ancel > ";
  for (;;) {
    auto const answer = co_await terminal_->ask(question);
    if (!answer || *answer == "c" || *answer == "cancel" || *answer == "!cancel") co_return outcome::cancel;
    if (*answer == "y" || *answer == "yes") co_return outcome::filled;
    if (*answer == "d" || *answer == "decline" || *answer == "!decline") co_return outcome::decline;
    if (may_repeat && (*answer == "a" || *answer == "again")) co_return outcome::again;
  }
}

asio::awaitable<elicit_result> dialogs::url(comcp::elicit_params asked, std::string server) {
  auto const address = asked.url.value_or("");
  auto const parts = split_url(address);
  bool const known = (parts.scheme == "https" || parts.scheme == "http") && !parts.host.empty();
  if (!terminal_ || !known) {
    err_.line((known ? "comcp: declined to visit, since stdin is no terminal: "
                     : "comcp: declined an address that is no web page: ") + one_line(address));
    co_return elicit_result::decline();
  }
  co_await my_turn();
  turn mine(*this);
  introduce(server, asked.message, "wants you to visit a page");
  terminal_->print("\n  ", one_line(address), "\n\nHost: ", bold(one_line(parts.host), standard_input), "\n");
  for (auto const& warning : url_warnings(address)) terminal_->print("Warning: " + warning + "\n");
  terminal_->print("comcp does not open it: copy it into a browser if you trust that host.\n");
  auto const state = co_await confirm("Tell the server that you go there?", false);
  mine.done();
  if (state == outcome::filled) {
    if (asked.elicitation_id && accepted_.size() < most_pages) accepted_.insert(*asked.elicitation_id);
    co_return elicit_result::accept();
  }
  if (state == outcome::decline) co_return elicit_result::decline();
  co_return elicit_result::cancel();
}

asio::awaitable<bool> dialogs::visited(std::vector<std::string> ids) {
  auto const went = [this](std::string const& id) { return accepted_.contains(id); };
  if (!terminal_ || ids.empty() || !std::all_of(ids.begin(), ids.end(), went)) co_return false;
  co_await my_turn();
  turn mine(*this);
  for (auto const& id : ids) {
    if (completed_.erase(id) == 0) awaited_.insert(id);
    accepted_.erase(id);
  }
  std::optional<std::string> answer("");
  try {
    if (!awaited_.empty()) answer = co_await terminal_->ask("Press Enter when you are done there (Ctrl-D gives up) > ");
  } catch (std::system_error const&) {
    if (!awaited_.empty()) throw;  // not because the server told
    terminal_->print("\n");
  }
  awaited_.clear();
  mine.done();
  co_return answer.has_value();
}

void dialogs::complete(std::string const& id) {
  if (awaited_.erase(id) == 0) {
    if (completed_.size() < most_pages) completed_.insert(id);
  } else if (awaited_.empty()) {
    terminal_->stop_asking();
  }
}

}  // namespace cli
