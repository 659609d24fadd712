// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Certificates and keys for the tests of TLS, made on the fly. Needs OpenSSL 3.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <stdlib.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace comcp_test {

/// A certificate with its key. Copies share both.
struct identity {
  std::shared_ptr<X509> certificate;
  std::shared_ptr<EVP_PKEY> key;

  [[nodiscard]] std::string certificate_pem() const {
    return written([this](BIO* out) { ::PEM_write_bio_X509(out, certificate.get()); });
  }
  [[nodiscard]] std::string key_pem() const {
    return written([this](BIO* out) { ::PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  }
  /// The key under that password.
  [[nodiscard]] std::string encrypted_key_pem(std::string const& password) const {
    auto const* const word = reinterpret_cast<unsigned char const*>(password.data());
    auto const size = static_cast<int>(password.size());
    return written([&](BIO* out) {
      ::PEM_write_bio_PrivateKey(out, key.get(), ::EVP_aes_256_cbc(), word, size, nullptr, nullptr);
    });
  }

 private:
  template <class Write>
  static std::string written(Write write) {
    std::unique_ptr<BIO, decltype(&::BIO_free)> const out(::BIO_new(::BIO_s_mem()), &::BIO_free);
    write(out.get());
    char* bytes = nullptr;
    auto const size = BIO_get_mem_data(out.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
  }
};

/// What a certificate says.
struct certificate_text {
  std::string name = "comcp test";
  std::string alternatives;  ///< As "DNS:localhost,IP:127.0.0.1"; empty for none.
  bool authority = false;
  long from = -3600, until = 3600;  ///< Seconds from now.
};

namespace certificate_detail {

inline void extend(X509* to, X509* issuer, int what, std::string const& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  ::X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  X509_EXTENSION* const made = ::X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
  ::X509_add_ext(to, made, -1);
  ::X509_EXTENSION_free(made);
}

}  // namespace certificate_detail

/// A certificate signed by `issuer`, or by itself where that is null.
inline identity issue(certificate_text const& text, identity const* issuer = nullptr) {
  static long serial = 0;
  identity out{{::X509_new(), &::X509_free}, {EVP_EC_gen("P-256"), &::EVP_PKEY_free}};
  X509* const x = out.certificate.get();
  X509* const by = issuer ? issuer->certificate.get() : x;
  ::X509_set_version(x, 2);
  ::ASN1_INTEGER_set(::X509_get_serialNumber(x), ++serial);
  ::X509_gmtime_adj(X509_getm_notBefore(x), text.from);
  ::X509_gmtime_adj(X509_getm_notAfter(x), text.until);
  ::X509_set_pubkey(x, out.key.get());
  auto const* const name = reinterpret_cast<unsigned char const*>(text.name.c_str());
  ::X509_NAME_add_entry_by_txt(::X509_get_subject_name(x), "CN", MBSTRING_UTF8, name, -1, -1, 0);
  ::X509_set_issuer_name(x, ::X509_get_subject_name(by));
  certificate_detail::extend(x, by, NID_basic_constraints, text.authority ? "critical,CA:TRUE" : "CA:FALSE");
  if (!text.alternatives.empty()) certificate_detail::extend(x, by, NID_subject_alt_name, text.alternatives);
  ::X509_sign(x, issuer ? issuer->key.get() : out.key.get(), ::EVP_sha256());
  return out;
}

/// Files that go with it.
class certificate_files {
 public:
  certificate_files() {
    char name[] = "/tmp/comcp_tls_XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~certificate_files() { std::filesystem::remove_all(path_); }
  certificate_files(certificate_files const&) = delete;
  certificate_files& operator=(certificate_files const&) = delete;

  /// Writes a file; its path.
  [[nodiscard]] std::string write(std::string const& name, std::string const& text) const {
    std::ofstream(path_ + "/" + name) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

}  // namespace comcp_test
