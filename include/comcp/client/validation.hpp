// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Validation by JSON Schema, on by choice: which values of a connection are checked, by which validator, and what a
// mismatch does. Included by programs that use it.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <comcp/client/core.hpp>
#include <comcp/client/validation_plan.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/schema/validate.hpp>

namespace comcp {

/// What is done about a value: nothing, a fault for the observer where it does not match, or an error.
enum class validation : std::uint8_t { off, warn, strict };

namespace detail {

class any_schema {
 public:
  virtual ~any_schema() = default;
  [[nodiscard]] virtual result<void> validate(json::view instance) const = 0;
};

class any_validator {
 public:
  virtual ~any_validator() = default;
  [[nodiscard]] virtual result<std::shared_ptr<any_schema const>> compile(json::value const& text) const = 0;
};

template <class S>
class schema_model final : public any_schema {
 public:
  explicit schema_model(S s) : impl_(std::move(s)) {}
  [[nodiscard]] result<void> validate(json::view instance) const override {
    try {
      return impl_.validate(instance);
    } catch (...) {
      return current_error();
    }
  }

 private:
  S impl_;
};

template <class V>
class validator_model final : public any_validator {
 public:
  explicit validator_model(V v) : impl_(std::move(v)) {}
  [[nodiscard]] result<std::shared_ptr<any_schema const>> compile(json::value const& text) const override {
    try {
      auto compiled = impl_.compile(text);
      if (!compiled) return compiled.error();
      using model = schema_model<std::remove_cvref_t<decltype(*compiled)>>;
      return std::shared_ptr<any_schema const>(std::make_shared<model>(*std::move(compiled)));
    } catch (...) {
      return error(current_error());
    }
  }

 private:
  V impl_;
};

}  // namespace detail

/// What connect_options().validate() takes. Each of the three is strict unless said otherwise.
///
/// The schemas come from call_options().tool(), else from what this client has listed since the tools last changed. For
/// a tool that is not known so, the client lists the tools first: once for all calls that wait, within their timeouts.
/// A tool that the server does not list is called unchecked: the server decides about it. Where the list or its schema
/// cannot be had (no answer, a bad schema, an unknown dialect), a strict call fails with that error before anything is
/// sent, one that only warns goes on. Of a server that does not tell changes, a definition counts until it is listed
/// again or the connection is renewed.
class validation_options {
 public:
  /// The bundled validator. `format` is an annotation in tools' schemas, and asserted in elicitation answers.
  COMCP_LAZY validation_options();
  /// Any schema_validator, for everything. Clients with a copy of these options share it, also between threads.
  template <class V>
    requires(!std::same_as<V, validation_options>)
  explicit validation_options(V validator) : own_(true) {
    static_assert(schema_validator<V>,
                  "comcp: this type is no schema_validator: result<S> compile(json::value const&) const, and in S "
                  "result<void> validate(json::view) const, as in schema/validate.hpp");
    validator_ = std::make_shared<detail::validator_model<V>>(std::move(validator));
  }

  /// A tool's arguments against its inputSchema, before sending. Strict: errc::validation_failed, and nothing is sent.
  validation_options& arguments(validation v) noexcept { return arguments_ = v, *this; }
  /// A result's structuredContent against the tool's outputSchema; that it is missing is a mismatch, too. Results with
  /// isError are not checked. Strict: errc::validation_failed, though the tool has been called, as the text says.
  validation_options& output(validation v) noexcept { return output_ = v, *this; }
  /// What a handler's elicit() accepts against the requestedSchema. Strict (as without these options): the server's
  /// request, or the call that it is a part of, fails, and the answer is not sent.
  validation_options& elicitation(validation v) noexcept { return elicitation_ = v, *this; }

  [[nodiscard]] validation arguments() const noexcept { return arguments_; }
  [[nodiscard]] validation output() const noexcept { return output_; }
  [[nodiscard]] validation elicitation() const noexcept { return elicitation_; }
  [[nodiscard]] detail::any_validator const& validator() const noexcept { return *validator_; }
  [[nodiscard]] bool is_bundled() const noexcept { return !own_; }

 private:
  std::shared_ptr<detail::any_validator const> validator_;
  validation arguments_ = validation::strict, output_ = validation::strict, elicitation_ = validation::strict;
  bool own_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/validation.ipp>
#endif
