// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Metrics in the Prometheus text format, version 0.0.4: names, labels and numbers in, text out. What is measured is said
// by client/prometheus.hpp, registry/prometheus.hpp and pool/prometheus.hpp; who serves the text is the program's affair.
// Spec: https://prometheus.io/docs/instrumenting/exposition_formats/
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/version.hpp>

namespace comcp {

/// Names and values. Of a value any text may come: it is escaped, and what of it is no UTF-8 replaced.
using prometheus_labels = std::vector<std::pair<std::string, std::string>>;

/// One exposition. Regular; not safe for several threads at once. Samples of one family may come in any order and from
/// different sources: the text has them together. One that was given before, with the same labels, is replaced.
/// In names, what may not be there becomes '_'. Nothing here fails.
class prometheus_text {
 public:
  static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

  /// A number that only grows while its source lives. The family's name ends in _total, which is added where it is
  /// missing. The first `help` of a family stays.
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  prometheus_text& counter(std::string_view name, std::string_view help, Number value,
                           prometheus_labels const& labels = {}) {
    return put(counted(name), "counter", help, number(value), labels), *this;
  }
  /// A number that goes up and down.
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  prometheus_text& gauge(std::string_view name, std::string_view help, Number value,
                         prometheus_labels const& labels = {}) {
    return put(std::string(name), "gauge", help, number(value), labels), *this;
  }

  /// Families and samples in the order of their names and labels; "" without samples.
  [[nodiscard]] std::string text() const;

 private:
  struct family {
    std::string head;                            // # HELP and # TYPE
    std::map<std::string, std::string> samples;  // by their labels
  };

  static std::string counted(std::string_view name);
  template <class Number>
  static std::string number(Number value) {
    if constexpr (std::floating_point<Number>) return real(static_cast<double>(value));
    else return std::to_string(value);
  }
  static std::string real(double value);
  void put(std::string name, std::string_view type, std::string_view help, std::string value,
           prometheus_labels const& labels);

  std::map<std::string, family> families_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/trace/impl/prometheus.ipp>
#endif
