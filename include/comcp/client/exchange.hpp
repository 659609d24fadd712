// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The end of a call's way: one round trip, and what it may need beyond that (sansio/call_life decides): input rounds, one
// change of the version or the era, a repetition, pages to be seen first. On home only. Internal.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/handler_parts.hpp>
#include <comcp/sansio/call_life.hpp>

namespace comcp {
class client_core;

namespace detail {

class exchange {
 public:
  explicit exchange(client_core& core) noexcept : core_(core) {}

  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c);
  COMCP_LAZY asio::awaitable<reply> round_trip(prepared_call const& c);
  /// What round_trip() does before it waits. When it fails nothing was sent; else calls.wait(e) must follow at once.
  COMCP_LAZY result<void> start(prepared_call const& c, pending_entry& e);
  /// Both, to be awaited at once.
  COMCP_LAZY asio::awaitable<reply> begin(prepared_call const& c, pending_entry& e);
  /// What is wrong with a call, before it is sent.
  COMCP_LAZY [[nodiscard]] error check(prepared_call const& c) const;
  COMCP_LAZY [[nodiscard]] error check_subscribe(call_options const& options) const;
  /// What the server cannot do of it.
  COMCP_LAZY [[nodiscard]] error refuses(prepared_call const& c) const;
  /// Whether what came is not the end of it: settle() goes on then.
  COMCP_LAZY [[nodiscard]] bool needs_settling(prepared_call const& c, reply const& r) const;
  COMCP_LAZY asio::awaitable<reply> settle(prepared_call& c, reply r);
  /// The call that progress with these parameters is of, while it waits.
  COMCP_LAZY [[nodiscard]] std::optional<request_id> call_of(json::view params) const;
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);
  using progress_callback = std::function<void(progress_notification const&)>;
  /// This request was answered, but more progress of it comes. Empty: no more.
  COMCP_LAZY void hears_on(request_id id, progress_callback told);
  /// What the server asks back, answered by the handler: the responses, as the text of an object.
  COMCP_LAZY asio::awaitable<result<std::string>> answer(input_required_result required, std::stop_token stop,
                                                         rounds_link::time_point hard);
  /// It is answered by what this makes.
  rounds_link& rounds(rounds_maker make) {
    rounds_ = make(core_);
    return *rounds_;
  }
  /// Whether the tool that was refused is still there, and usable, now that they are listed again. Within the call's bounds.
  COMCP_LAZY asio::awaitable<bool> list_again(prepared_call& c);
  /// Goes over to the newest version that both sides have, of those that the error names.
  COMCP_LAZY [[nodiscard]] bool follow_version(error const& e);

 private:
  struct progress;
  COMCP_LAZY [[nodiscard]] sansio::call_facts facts(prepared_call const& c, error const* e) const;
  COMCP_LAZY [[nodiscard]] bool may_be_of_other_era(prepared_call const& c, error const& e) const;
  COMCP_LAZY [[nodiscard]] bool may_repeat(prepared_call const& c, error const& e) const;
  // The call's end; nothing where it is to be sent again.
  COMCP_LAZY asio::awaitable<std::optional<reply>> after_failure(progress& p, reply& r);
  COMCP_LAZY asio::awaitable<std::optional<reply>> next_round(progress& p, reply& r);
  COMCP_LAZY [[nodiscard]] error check_round(input_required_result const& required) const;
  COMCP_LAZY asio::awaitable<error> rest(progress& p);
  COMCP_LAZY asio::awaitable<result<bool>> probe_again(prepared_call const& c, error refusal);

  client_core& core_;
  std::map<request_id, progress_callback> answered_;
  std::unique_ptr<rounds_link> rounds_;  // null: nothing was declared that a server may ask for
};

}  // namespace detail
}  // namespace comcp
