// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The doctor: asks what a login would ask first, and nothing that changes anything anywhere.
#include "oauth_setup.hpp"

#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS

#include <chrono>

#include <comcp/auth/jose.hpp>
#include <comcp/auth/oauth_session.hpp>

#include "connect.hpp"
#include "diagnosis.hpp"
#include "diagnosis_report.hpp"
#include "exit_codes.hpp"
#include "http_server.hpp"

namespace cli {
namespace {

using comcp::detail::core_ptr;
using comcp::detail::session_ptr;

/// An authenticator that shows nothing, or the token that a session has, and remembers what the server says to that.
class silent_witness {
 public:
  silent_witness() : answers_(std::make_shared<std::vector<first_answer>>()) {}
  silent_witness(core_ptr core, session_ptr s) : silent_witness() {
    core_ = std::move(core);
    session_ = std::move(s);
  }

  asio::awaitable<comcp::result<comcp::http_headers>> headers(comcp::auth_request const& r) {
    if (!session_) co_return comcp::http_headers();
    co_return comcp::detail::credentials(*core_, *session_, r.url, std::string(r.method));
  }
  asio::awaitable<comcp::result<comcp::auth_verdict>> challenged(comcp::auth_request const&, comcp::http_headers const&,
                                                                 comcp::http_response_head const&) {
    co_return comcp::auth_verdict::give_up;
  }
  void observed(comcp::auth_request const& request, comcp::http_response_head const& got) noexcept try {
    constexpr std::size_t enough = 64;
    if (answers_->size() < enough)
      answers_->push_back({std::string(request.method), request.url.origin() + request.url.path(), got.status, got.headers});
  } catch (...) {  // out of memory
  }
  [[nodiscard]] std::string identity() const { return {}; }

  [[nodiscard]] std::vector<first_answer> const& answers() const noexcept { return *answers_; }

 private:
  std::shared_ptr<std::vector<first_answer>> answers_;
  core_ptr core_;
  session_ptr session_;
};

// As any client would begin: servers that greet everybody may still guard their tools.
asio::awaitable<void> begin_as_a_client(silent_witness witness, std::shared_ptr<surroundings> around) {
  auto const& o = around->opts;
  user_handler handler(around);
  auto settings = make_connect_options(o, around);
  auto client = co_await comcp::connect(http_server(o, std::move(witness)), std::move(handler), std::move(settings));
  auto listing = comcp::as_result(client.list_tools());
  auto const tools = co_await std::move(listing);
  co_await client.close();
  if (!tools && tools.error() == comcp::errc::unauthorized) throw comcp::exception(tools.error());
}

asio::awaitable<comcp::result<comcp::oauth_response>> get(comcp::detail::oauth_io io, comcp::http_url url) {
  comcp::http_request request(std::move(url));
  (void)request.headers.add("Accept", "application/json");
  (void)request.headers.add("MCP-Protocol-Version", comcp::version::latest.text());
  auto answer = co_await comcp::detail::send_one(std::move(io), std::move(request));
  co_return answer;
}

// As it is stored: one that has expired is for the next command to renew, and one that is bound to a key needs a nonce.
asio::awaitable<void> try_the_token(diagnosis& d, std::shared_ptr<surroundings> around, bool renewable) {
  auto const& o = around->opts;
  auto const core = std::make_shared<comcp::detail::oauth_core>(make_oauth_options(o));
  auto const s = core->session(comcp::http_url::parse(o.server.http.url).value());
  auto record = co_await comcp::detail::load_record(core, s);
  if (!record || !*record) co_return;
  auto const& tokens = (*record)->grant.tokens;
  bool const over = tokens.expires_at && *tokens.expires_at <= core->io.now();
  if (over || tokens.token_type == "DPoP") co_return;
  comcp::detail::install(*s, *record);
  auto trying = comcp::as_result(begin_as_a_client(silent_witness(core, s), around));
  auto const tried = co_await std::move(trying);
  auto const failure = tried ? comcp::error() : tried.error();
  if (failure == comcp::errc::cancelled) throw comcp::exception(failure);
  judge_token(d, failure, renewable);
}

// Reads only: what has expired is not renewed.
asio::awaitable<void> look_at_the_store(diagnosis& d, std::shared_ptr<surroundings> around) {
  auto const& o = around->opts;
  comcp::oauth login(make_oauth_options(o));
  auto asking = comcp::as_result(login.status(o.server.http.url));
  auto const status = co_await std::move(asking);
  if (!status) {
    d.add(finding::mark::problem, "logged in", "Stored logins cannot be used: " + status.error().to_string(),
          "Mend that file, or give another with --token-store.");
  } else if (!*status) {
    d.add(finding::mark::good, "logged in", "Nobody yet.");
  } else {
    d.logged_in = true;
    d.add(finding::mark::good, "logged in", "Yes; the token expires: " + expiry(**status));
    co_await try_the_token(d, around, (*status)->has_refresh_token);
  }
}

void judge_key(diagnosis& d, login_choice const& login) {
  if (!login.key) return;
  auto const key = comcp::signing_key::load(*login.key);
  if (!key) d.add(finding::mark::problem, "client proof", "--key: " + std::string(key.error().message()));
}

asio::awaitable<void> discover(diagnosis& d, comcp::http_headers const& challenged, std::shared_ptr<surroundings> around) {
  auto const& o = around->opts;
  auto const options = make_oauth_options(o);
  auto const profile = options.profile();
  auto const server = comcp::http_url::parse(o.server.http.url).value();
  comcp::detail::oauth_io io(comcp::detail::sender_for(options, server));
  io.timeout = options.timeout();
  comcp::sansio::oauth_discovery machine(server, profile, login_challenge(challenged));
  comcp::sansio::oauth_start start(server);
  start.challenge = login_challenge(challenged);
  comcp::sansio::oauth_flow flow(profile, std::move(start));  // goes the same way
  while (auto const url = machine.next()) {
    auto const answer = co_await get(io, *url);
    if (!answer && answer.error() == comcp::errc::cancelled) throw comcp::exception(answer.error());
    if (answer) {
      machine.answered(answer->status, answer->headers, answer->body);
      flow.answered(answer->status, answer->headers, answer->body, std::chrono::system_clock::now());
    } else {
      machine.failed(answer.error());
      flow.failed(answer.error());
    }
  }
  judge_steps(d, machine.steps());
  judge_login(d, machine.found(), profile);
  judge_key(d, o.server.login);
  if (flow.next() == comcp::sansio::oauth_flow::want::binding) {
    auto const core = std::make_shared<comcp::detail::oauth_core>(options);
    auto const text = co_await comcp::detail::load_text(core, core->issuer_name(flow.binding().of));
    if (text) {
      judge_binding(d, flow.binding(), *text ? std::optional((*text)->reveal()) : std::nullopt);
    } else {
      d.add(finding::mark::problem, "client of", "Which server it belongs to cannot be read: " + text.error().to_string(),
            "Mend that file, or give another with --token-store.");
    }
  }
  rehearse(d, flow);
}

comcp::http_headers challenge_of(std::vector<first_answer> const& answers) {
  for (auto const& a : answers) {
    if (a.status == 401 || login_challenge(a.headers)) return a.headers;
  }
  return {};
}

}  // namespace

asio::awaitable<int> run_doctor(std::shared_ptr<surroundings> around) {
  auto const& o = around->opts;
  diagnosis d;
  d.server = o.server.http.url;
  silent_witness const witness;
  auto beginning = comcp::as_result(begin_as_a_client(witness, around));
  auto const begun = co_await std::move(beginning);
  auto const failure = begun ? comcp::error() : begun.error();
  if (failure == comcp::errc::invalid_argument || failure == comcp::errc::cancelled) throw comcp::exception(failure);
  judge_server(d, witness.answers(), failure);
  if (d.wants_login) {
    co_await look_at_the_store(d, around);
    co_await discover(d, challenge_of(witness.answers()), around);
  }
  print_diagnosis(d, o);
  if (!d.has_problem()) co_return exit_ok;
  co_return d.reached ? exit_protocol : exit_connection;
}

}  // namespace cli

#endif
