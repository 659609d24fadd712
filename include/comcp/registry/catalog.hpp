// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What all servers offer, as it was at one moment. Immutable; each server's part is shared between versions, so that a
// refresh of one server costs nothing for the others.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/client/listing.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// A definition and where it came from.
template <class T>
struct catalog_entry {
  std::string server_name;
  std::string original_name;  ///< The server's own: of a tool or prompt its name, of a resource its uri, of a template its uriTemplate.
  std::string name;           ///< server_name + separator + original_name.
  T definition;
};

/// What came and went with one refresh. Names are original_name, in order.
struct catalog_change {
  catalog_change() = default;
  std::string server_name;
  std::string kind;  ///< "tools", "resources", "resource_templates" or "prompts".
  std::vector<std::string> added, removed, changed;
};

}  // namespace comcp
