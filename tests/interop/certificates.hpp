// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A certificate authority that lives as long as a test, and what it signs. Keys are made by openssl on the spot: none
// is in the repository.
#pragma once

#include <string>
#include <vector>

#include "interop/http_peers.hpp"
#include "support/command.hpp"

namespace interop {

class authority {
 public:
  authority() {
    openssl({"req", "-x509", "-days", "2", "-subj", "/CN=comcp test authority", "-keyout", file("ca.key"), "-out",
             ca()});
  }

  /// The certificate that clients are to trust.
  [[nodiscard]] std::string ca() const { return file("ca.pem"); }
  [[nodiscard]] std::string certificate(std::string const& name) const { return file(name + ".pem"); }
  [[nodiscard]] std::string key(std::string const& name) const { return file(name + ".key"); }

  /// Signs a certificate for these names, such as "DNS:localhost,IP:127.0.0.1". One that is valid for -1 days has
  /// expired.
  void issue(std::string const& name, std::string const& names, int days = 2) const {
    openssl({"req", "-new", "-subj", "/CN=" + name, "-addext", "subjectAltName=" + names, "-keyout", key(name), "-out",
             file(name + ".csr")});
    comcp_test::command sign({system_program("openssl"), "x509", "-req", "-in", file(name + ".csr"), "-CA", ca(),
                              "-CAkey", file("ca.key"), "-CAcreateserial", "-copy_extensions", "copy", "-days",
                              std::to_string(days), "-out", certificate(name)});
    auto const status = sign.finish();
    INFO(sign.err());
    REQUIRE(status == 0);
  }

 private:
  [[nodiscard]] std::string file(std::string const& name) const { return dir_.file(name); }

  static void openssl(std::vector<std::string> arguments) {
    std::vector<std::string> argv{system_program("openssl")};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    for (char const* a : {"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"}) argv.emplace_back(a);
    comcp_test::command make(argv);
    auto const status = make.finish();
    INFO(make.err());
    REQUIRE(status == 0);
  }

  temporary_directory dir_;
};

}  // namespace interop
