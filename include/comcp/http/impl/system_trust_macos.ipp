// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/http/system_trust.hpp>
#include <comcp/system.hpp>
#include <comcp/version.hpp>

#if defined(__APPLE__)

#include <cstdint>

#include <dlfcn.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace comcp::http_detail {

/// What is needed of Security.framework and CoreFoundation, found as the program runs: programs that only have the headers
/// need no -framework for it, and cross compilers have none.
class keychains {
 public:
  using object = void const*;  // CFTypeRef
  using index = long;          // CFIndex

  keychains() noexcept {
    void* const security = ::dlopen("/System/Library/Frameworks/Security.framework/Security", RTLD_LAZY | RTLD_LOCAL);
    if (security == nullptr) return;
    complete_ = load(security, copy_anchors_, "SecTrustCopyAnchorCertificates") &&
                load(security, copy_data_, "SecCertificateCopyData") && load(security, count_, "CFArrayGetCount") &&
                load(security, at_, "CFArrayGetValueAtIndex") && load(security, bytes_, "CFDataGetBytePtr") &&
                load(security, length_, "CFDataGetLength") && load(security, release_, "CFRelease");
  }

  /// Calls `each` with the DER of each certificate that is trusted for everything. How many there were.
  template <class Each>
  index anchors(Each each) const {
    object all = nullptr;
    if (!complete_ || copy_anchors_(&all) != 0 || all == nullptr) return 0;
    index const many = count_(all);
    for (index i = 0; i < many; ++i) {
      object const data = copy_data_(at_(all, i));
      if (data == nullptr) continue;
      each(bytes_(data), length_(data));
      release_(data);
    }
    release_(all);
    return many;
  }

 private:
  // CoreFoundation is one of Security's own libraries, so that dlsym finds its functions by it too.
  template <class Function>
  static bool load(void* library, Function*& to, char const* name) noexcept {
    to = reinterpret_cast<Function*>(::dlsym(library, name));
    return to != nullptr;
  }

  std::int32_t (*copy_anchors_)(object*) = nullptr;
  object (*copy_data_)(object) = nullptr;
  index (*count_)(object) = nullptr;
  object (*at_)(object, index) = nullptr;
  unsigned char const* (*bytes_)(object) = nullptr;
  index (*length_)(object) = nullptr;
  void (*release_)(object) = nullptr;
  bool complete_ = false;
};

COMCP_DECL std::error_code trust_system(asio::ssl::context& context) {
  using comcp::detail::environment_variable;
  if (!environment_variable("SSL_CERT_FILE") && !environment_variable("SSL_CERT_DIR")) {
    auto* const trusted = ::SSL_CTX_get_cert_store(context.native_handle());
    auto const found = keychains().anchors([trusted](unsigned char const* der, long size) {
      X509* const certificate = ::d2i_X509(nullptr, &der, size);
      if (certificate == nullptr) return;
      ::X509_STORE_add_cert(trusted, certificate);
      ::X509_free(certificate);
    });
    ::ERR_clear_error();  // of what OpenSSL could not read
    if (found > 0) return {};
  }
  std::error_code ec;
  context.set_default_verify_paths(ec);
  return ec;
}

}  // namespace comcp::http_detail

#endif
