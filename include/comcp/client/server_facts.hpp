// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a connection knows of its server: what a handshake found, and what its answers and lists said since. Internal.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/client/link.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/protocol/tools.hpp>
#include <comcp/sansio/handshake.hpp>
#include <comcp/wire/codec.hpp>
#include <comcp/wire/http_headers.hpp>

namespace comcp::detail {

/// What the definitions that were listed last ask of calls.
class listed_tools {
 public:
  COMCP_LAZY void learn_tasks(list_tools_result const& page, std::size_t most);
  /// Takes out those whose definition cannot be mirrored into headers, and learns how the others are.
  COMCP_LAZY void learn_headers(list_tools_result& page);
  COMCP_LAZY [[nodiscard]] task_support support(prepared_call const& c) const;
  /// Specification: 2026-07-28, basic/transports/streamable-http#custom-headers-from-tool-parameters
  COMCP_LAZY [[nodiscard]] result<wire::header_list> mirrored(prepared_call const& c, std::string const& tool) const;

 private:
  std::map<std::string, std::vector<wire::param_header>, std::less<>> headers_;  // by tool, where it wants any
  std::map<std::string, task_support, std::less<>> tasks_;
};

struct server_facts : server_profile {
  [[nodiscard]] bool is_modern() const noexcept { return codec && codec->is_modern(); }
  COMCP_LAZY [[nodiscard]] std::optional<protocol_version> version() const noexcept;
  /// Of a modern server that was not asked what it can do, from a saved verdict for instance.
  [[nodiscard]] bool is_undiscovered() const noexcept { return is_modern() && !discovered; }
  /// Without the context of authorization.
  COMCP_LAZY [[nodiscard]] era_verdict verdict() const;
  /// Why it cannot be sent this: what the version has not, and (where that is looked at) the server did not declare.
  COMCP_LAZY [[nodiscard]] error refuses(prepared_call const& c, bool check_capabilities) const;
  COMCP_LAZY [[nodiscard]] error refuses_subscriptions() const;
  /// Of each page of its tools; those whose definition cannot be mirrored into headers are taken out of it.
  COMCP_LAZY void learn(list_tools_result& page, std::size_t most, bool over_http);
  /// A modern server may name itself in any result; true for the first that does.
  COMCP_LAZY bool learn_name(json::value const& result);

  /// Legacy era, a tools/call, and a server that makes tasks of some: what is known of the tool. Nothing for all else.
  COMCP_LAZY [[nodiscard]] std::optional<comcp::task_support> task_support(prepared_call const& c) const;
  /// Of a call as it is sent: an extension may have made it one.
  COMCP_LAZY [[nodiscard]] error refuses_without_task(prepared_call const& c) const;

  std::unique_ptr<wire::codec> codec;  // null until the first handshake is done
  std::optional<discover_result> discovered;
  std::chrono::system_clock::time_point era_learned{};  // with a prior verdict, its date
  json::value initialize_result;                        // as it came
  listed_tools tools;
};

/// The labels of an HTTP request, for a message that no answer follows, or for this call.
COMCP_LAZY void label(outgoing& message, server_facts const& server);
COMCP_LAZY result<void> label(outgoing& message, pending_entry const& e, wire::codec const& codec,
                              listed_tools const& tools);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/server_facts.ipp>
#endif
