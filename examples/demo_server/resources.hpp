// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The resources and resource templates of the demo server. Used by the reading thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "channel.hpp"

namespace demo {

std::vector<json::fragment> resource_list();
std::vector<json::fragment> resource_template_list();

/// Also for what a template can make.
bool resource_exists(std::string const& uri);
/// One element of `contents`; nothing when there is no such resource.
std::optional<json::object> resource_contents(std::string const& uri);
/// Counts a change, which the contents of demo://changes tell.
void touch_resource(std::string const& uri);

}  // namespace demo
