// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/transport/http_spans.hpp>

namespace comcp {

COMCP_LAZY_DECL http_options& http_options::spans(span_hook hook) {
  around_ = [hook = std::move(hook)](any_engine inner) {
    return any_engine(std::make_shared<traced_engine<any_engine>>(std::move(inner), hook));
  };
  return *this;
}

}  // namespace comcp
