// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A build without TLS hears what OAuth needs, and does not look for the headers of OpenSSL.
// EXPECT: comcp: OAuth needs OpenSSL: define COMCP_WITH_TLS=1
#undef COMCP_WITH_TLS
#if !defined(COMCP_CONTROL)
#include <comcp/authorization.hpp>
#endif
