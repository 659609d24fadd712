// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/http/system_trust.hpp>
#include <comcp/net/windows.hpp>
#include <comcp/version.hpp>

#if defined(_WIN32)

#include <cstddef>
#include <cstring>
#include <vector>

#include <wincrypt.h>
// Its macros have the names of OpenSSL's types.
#undef OCSP_REQUEST
#undef OCSP_RESPONSE
#undef PKCS7_ISSUER_AND_SERIAL
#undef PKCS7_SIGNER_INFO
#undef X509_CERT_PAIR
#undef X509_EXTENSIONS
#undef X509_NAME

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace comcp::http_detail {

class certificate_store {
 public:
  explicit certificate_store(wchar_t const* name) noexcept : store_(::CertOpenSystemStoreW(0, name)) {}
  certificate_store(certificate_store const&) = delete;
  certificate_store& operator=(certificate_store const&) = delete;
  ~certificate_store() {
    if (store_ != nullptr) ::CertCloseStore(store_, 0);
  }
  [[nodiscard]] HCERTSTORE get() const noexcept { return store_; }
  [[nodiscard]] bool has(PCCERT_CONTEXT certificate) const noexcept {
    auto const* const found = store_ == nullptr ? nullptr
                                                : ::CertFindCertificateInStore(store_, X509_ASN_ENCODING, 0,
                                                                               CERT_FIND_EXISTING, certificate, nullptr);
    if (found != nullptr) ::CertFreeCertificateContext(found);
    return found != nullptr;
  }

 private:
  HCERTSTORE store_;
};

// A root may be there for mail or for programs alone.
COMCP_DECL bool is_for_servers(PCCERT_CONTEXT certificate) {
  DWORD size = 0;
  if (::CertGetEnhancedKeyUsage(certificate, 0, nullptr, &size) == 0) return ::GetLastError() == DWORD(CRYPT_E_NOT_FOUND);
  std::vector<CERT_ENHKEY_USAGE> room(size / sizeof(CERT_ENHKEY_USAGE) + 1);
  auto& usage = room.front();
  ::SetLastError(ERROR_SUCCESS);
  if (::CertGetEnhancedKeyUsage(certificate, 0, &usage, &size) == 0) return false;
  if (usage.cUsageIdentifier == 0) return ::GetLastError() == DWORD(CRYPT_E_NOT_FOUND);  // that is: for all
  for (DWORD i = 0; i < usage.cUsageIdentifier; ++i) {
    if (std::strcmp(usage.rgpszUsageIdentifier[i], szOID_PKIX_KP_SERVER_AUTH) == 0) return true;
  }
  return false;
}

COMCP_DECL std::error_code trust_system(asio::ssl::context& context) {
  certificate_store const roots(L"ROOT"), refused(L"Disallowed");
  if (roots.get() == nullptr) return comcp::detail::last_windows_error();
  auto* const trusted = ::SSL_CTX_get_cert_store(context.native_handle());
  PCCERT_CONTEXT each = nullptr;
  while ((each = ::CertEnumCertificatesInStore(roots.get(), each)) != nullptr) {
    if ((each->dwCertEncodingType & X509_ASN_ENCODING) == 0 || !is_for_servers(each) || refused.has(each)) continue;
    auto const* der = static_cast<unsigned char const*>(each->pbCertEncoded);
    X509* const certificate = ::d2i_X509(nullptr, &der, static_cast<long>(each->cbCertEncoded));
    if (certificate == nullptr) continue;
    ::X509_STORE_add_cert(trusted, certificate);
    ::X509_free(certificate);
  }
  ::ERR_clear_error();  // of what OpenSSL could not read
  return {};
}

}  // namespace comcp::http_detail

#endif
