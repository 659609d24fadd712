// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything for a host of many servers, in one include: registry, pool, configuration files, model providers, pinning,
// skills, tasks, apps, metrics, and of a client what is there by choice: cache and validation. Programs that want less include
// just that.
#pragma once

#include <comcp/requirements.hpp>

#include <comcp/client/cache.hpp>
#include <comcp/client/validation.hpp>
#include <comcp/config/connect.hpp>
#include <comcp/config/expand.hpp>
#include <comcp/config/load.hpp>
#include <comcp/config/locations.hpp>
#include <comcp/config/read.hpp>
#include <comcp/extensions/app_bridge.hpp>
#include <comcp/extensions/apps.hpp>
#include <comcp/extensions/serve_tasks.hpp>
#include <comcp/extensions/skills.hpp>
#include <comcp/extensions/tasks.hpp>
#include <comcp/http.hpp>
#include <comcp/http/url_warnings.hpp>
#include <comcp/pinning/guard.hpp>
#include <comcp/pinning/lock_file.hpp>
#include <comcp/pool/pool.hpp>
#include <comcp/pool/prometheus.hpp>
#include <comcp/providers/anthropic.hpp>
#include <comcp/providers/gemini.hpp>
#include <comcp/providers/names.hpp>
#include <comcp/providers/openai.hpp>
#include <comcp/registry/prometheus.hpp>
#include <comcp/registry/registry.hpp>
