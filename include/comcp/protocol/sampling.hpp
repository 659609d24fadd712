// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Sampling: a server asks for a message of the client's language model. Spec: client/sampling.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/protocol/content.hpp>
#include <comcp/protocol/tasks.hpp>
#include <comcp/protocol/tools.hpp>

namespace comcp {

/// The content of a message: one piece or several. A single one is written without a list, as every version
/// understands it.
class sampling_content {
 public:
  using block = sampling_message_content_block;
  sampling_content() = default;
  sampling_content(block piece) { blocks_.push_back(std::move(piece)); }
  sampling_content(text_content text) { blocks_.emplace_back(std::move(text)); }
  sampling_content(char const* text) : sampling_content(text_content(text)) {}
  sampling_content(std::string text) : sampling_content(text_content(std::move(text))) {}
  sampling_content(std::vector<block> pieces) : blocks_(std::move(pieces)), list_(true) {}

  [[nodiscard]] std::vector<block> const& blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
  [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
  [[nodiscard]] auto begin() const noexcept { return blocks_.begin(); }
  [[nodiscard]] auto end() const noexcept { return blocks_.end(); }
  [[nodiscard]] block const& operator[](std::size_t i) const noexcept { return blocks_[i]; }
  void push_back(block piece) { blocks_.push_back(std::move(piece)); }
  /// Whether it is written as a list: it came so, or has not exactly one piece.
  [[nodiscard]] bool is_list() const noexcept { return list_ || blocks_.size() != 1; }
  /// The texts among the pieces, a newline between them.
  [[nodiscard]] std::string text() const&;
  [[nodiscard]] std::string text() &&;

 private:
  friend struct json::codec<sampling_content>;
  std::vector<block> blocks_;
  bool list_ = false;
};

template <>
struct json::codec<sampling_content> {
  using block = sampling_message_content_block;
  static bool read(view v, sampling_content& out, read_error& e) {
    out.list_ = v.is_array();
    if (out.list_) return codec<std::vector<block>>::read(v, out.blocks_, e);
    out.blocks_.clear();
    return codec<block>::read(v, out.blocks_.emplace_back(), e);
  }
  static void write(writer& w, sampling_content const& content) {
    if (content.is_list()) {
      codec<std::vector<block>>::write(w, content.blocks_);
    } else {
      codec<block>::write(w, content.blocks_.front());
    }
  }
};

struct sampling_message {
  sampling_message() = default;
  sampling_message(comcp::role who, sampling_content what) : role(who), content(std::move(what)) {}

  comcp::role role = comcp::role::user;
  sampling_content content;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<sampling_message>) {
  using t = sampling_message;
  return json::fields(json::field("role", &t::role), json::field("content", &t::content), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

/// Part of a model's name, to be matched loosely.
struct model_hint {
  model_hint() = default;
  explicit model_hint(std::string part) : name(std::move(part)) {}

  std::optional<std::string> name;
  json::value raw;
};
constexpr auto describe(std::type_identity<model_hint>) {
  return json::fields(json::field("name", &model_hint::name), json::rest(&model_hint::raw));
}

/// What the server would like of the model; priorities go from 0 to 1.
struct model_preferences {
  model_preferences() = default;

  std::vector<model_hint> hints;
  std::optional<double> cost_priority;
  std::optional<double> speed_priority;
  std::optional<double> intelligence_priority;
  json::value raw;
};
constexpr auto describe(std::type_identity<model_preferences>) {
  using t = model_preferences;
  return json::fields(json::defaulted("hints", &t::hints), json::field("costPriority", &t::cost_priority),
                      json::field("speedPriority", &t::speed_priority),
                      json::field("intelligencePriority", &t::intelligence_priority), json::rest(&t::raw));
}

enum class tool_choice_mode { auto_, required, none };
constexpr auto texts(std::type_identity<tool_choice_mode>) {
  return std::array<std::string_view, 3>{"auto", "required", "none"};
}

/// Whether the model may, must or must not use the tools; absent means auto.
struct tool_choice {
  tool_choice() = default;
  explicit tool_choice(tool_choice_mode how) : mode(how) {}

  std::optional<tool_choice_mode> mode;
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_choice>) {
  return json::fields(json::field("mode", &tool_choice::mode), json::rest(&tool_choice::raw));
}

/// Which servers' context the server would like included.
enum class include_context { none, this_server, all_servers };
constexpr auto texts(std::type_identity<include_context>) {
  return std::array<std::string_view, 3>{"none", "thisServer", "allServers"};
}

struct create_message_params {
  create_message_params() = default;

  std::vector<sampling_message> messages;
  std::int64_t max_tokens = 0;
  std::optional<comcp::model_preferences> model_preferences;
  std::optional<std::string> system_prompt;
  std::optional<comcp::include_context> include_context;
  std::optional<double> temperature;
  std::vector<std::string> stop_sequences;
  json::value metadata;  ///< For the model's provider; an object, null where absent.
  std::optional<std::vector<tool>> tools;
  std::optional<comcp::tool_choice> tool_choice;
  std::optional<task_metadata> task;
  json::value meta;
  json::value raw;

  /// Each message with tool results must hold nothing else and answer exactly the tool uses of the message before
  /// it. Errors: wrong_shape, with what is unpaired.
  [[nodiscard]] result<void> check_tool_results() const;
};
constexpr auto describe(std::type_identity<create_message_params>) {
  using t = create_message_params;
  return json::fields(
      json::field("messages", &t::messages), json::field("maxTokens", &t::max_tokens),
      json::field("modelPreferences", &t::model_preferences), json::field("systemPrompt", &t::system_prompt),
      json::field("includeContext", &t::include_context), json::field("temperature", &t::temperature),
      json::defaulted("stopSequences", &t::stop_sequences), detail::optional_object("metadata", &t::metadata),
      json::field("tools", &t::tools), json::field("toolChoice", &t::tool_choice), json::field("task", &t::task),
      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The model's message. stop_reason: "endTurn", "stopSequence", "maxTokens", "toolUse", or the provider's own.
struct create_message_result {
  create_message_result() = default;
  create_message_result(std::string by_model, sampling_content what)
      : content(std::move(what)), model(std::move(by_model)) {}

  comcp::role role = comcp::role::assistant;
  sampling_content content;
  std::string model;
  std::optional<std::string> stop_reason;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<create_message_result>) {
  using t = create_message_result;
  return json::fields(json::field("role", &t::role), json::field("content", &t::content),
                      json::field("model", &t::model), json::field("stopReason", &t::stop_reason),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/sampling.ipp>
#endif
