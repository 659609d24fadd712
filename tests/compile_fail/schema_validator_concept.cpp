// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What compiles to something that cannot check is no schema_validator.
// EXPECT: comcp: this type is no schema_validator
#include <comcp/client/validation.hpp>

struct says_yes {
  struct checks {
#if defined(COMCP_CONTROL)
    comcp::result<void> validate(comcp::json::view) const { return {}; }
#else
    bool validate(comcp::json::view) const { return true; }
#endif
  };
  comcp::result<checks> compile(comcp::json::value const&) const { return checks(); }
};

comcp::connect_options options() { return comcp::connect_options().validate(comcp::validation_options(says_yes())); }
