// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a tool says in `_meta.ui`: which app shows its results, and who may see and call it. Here, as a host that shows no
// apps has to keep from models what is not theirs, too.
// Spec: the extension io.modelcontextprotocol/ui (repository ext-apps), resource discovery.
#pragma once

#include <optional>
#include <string>

#include <comcp/protocol/tools.hpp>

namespace comcp {

/// A tool's link to an app, read without trust. A regular value.
struct tool_ui {
  tool_ui() = default;

  std::optional<std::string> resource_uri;  ///< "ui://...": what apps' read() takes. Another uri counts as none.
  bool for_model = true;                    ///< Models may see and call the tool.
  bool for_app = true;                      ///< Apps of the same server may call it.
};

/// What `_meta.ui` says, or the deprecated `_meta["ui/resourceUri"]`; nothing where the tool has neither. Who is not named
/// in a visibility is left out, so that one which is no list, or names only strangers, leaves out everybody.
[[nodiscard]] std::optional<tool_ui> ui_of(tool const& t);

/// Whether a model may be told of the tool, which the writers in comcp/providers/ ask: true where nothing is said.
[[nodiscard]] bool is_for_model(tool const& t);

/// Whether an app of the same server may call it: true where nothing is said.
[[nodiscard]] bool is_for_app(tool const& t);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/tool_ui.ipp>
#endif
