// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything for authorization, in one include: OAuth, its steps, stores for tokens, the user's browser, and credentials
// in headers. Needs OpenSSL (COMCP_WITH_TLS). Programs that want less include just that.
#pragma once

#include <comcp/requirements.hpp>

#include <comcp/auth/file_token_store.hpp>
#include <comcp/auth/header_auth.hpp>
#include <comcp/auth/loopback_redirect.hpp>
#include <comcp/auth/oauth.hpp>
#include <comcp/auth/oauth_steps.hpp>
#include <comcp/http.hpp>
