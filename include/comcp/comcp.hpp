// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What every user of comcp needs, in one include. What some need has headers beside it: http.hpp, authorization.hpp,
// host.hpp, and for each part its own.
#pragma once

#include <comcp/requirements.hpp>  // first, so that what is missing is said first

#include <comcp/client/connect.hpp>
#include <comcp/client/handlers.hpp>
#include <comcp/error.hpp>
#include <comcp/json/build.hpp>
#include <comcp/json/describe.hpp>
#include <comcp/json/value.hpp>
#include <comcp/protocol/errors.hpp>
#include <comcp/result.hpp>
#include <comcp/run.hpp>
#include <comcp/trace/record.hpp>
#include <comcp/transport/byte_stream.hpp>
#include <comcp/transport/memory.hpp>
#include <comcp/transport/named_pipe.hpp>
#include <comcp/transport/stdio.hpp>
#include <comcp/transport/unix_socket.hpp>
#include <comcp/version.hpp>
