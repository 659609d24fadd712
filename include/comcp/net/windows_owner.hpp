// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who may have a file of Windows: its user and the system alone. Internal.
#pragma once

#include <comcp/net/windows.hpp>
#include <comcp/version.hpp>

#if defined(_WIN32)

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <aclapi.h>
#include <sddl.h>

namespace comcp::detail {

struct local_memory {
  void operator()(void* memory) const noexcept { ::LocalFree(memory); }
};
template <class T>
using local_pointer = std::unique_ptr<T, local_memory>;

/// The user of this process: a SID inside; empty where the system does not say.
class current_user {
 public:
  current_user() {
    HANDLE token = nullptr;
    if (::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return;
    DWORD size = 0;
    ::GetTokenInformation(token, TokenUser, nullptr, 0, &size);
    about_.resize(size / sizeof(TOKEN_USER) + 1);
    if (::GetTokenInformation(token, TokenUser, about_.data(), static_cast<DWORD>(about_.size() * sizeof(TOKEN_USER)),
                              &size) == 0) {
      about_.clear();
    }
    ::CloseHandle(token);
  }
  [[nodiscard]] PSID sid() const noexcept { return about_.empty() ? nullptr : about_.front().User.Sid; }
  [[nodiscard]] std::wstring text() const {
    LPWSTR text = nullptr;
    if (sid() == nullptr || ::ConvertSidToStringSidW(sid(), &text) == 0) return {};
    local_pointer<wchar_t> const owned(text);
    return text;
  }

 private:
  std::vector<TOKEN_USER> about_;  // the first, with its SID behind it
};

/// For CreateFileW() and CreateDirectoryW(): nothing is inherited, and nobody else has any access. What is made in such a
/// folder is as private. attributes() is null where that cannot be said; GetLastError() says why.
class owner_only {
 public:
  owner_only() {
    auto const user = current_user().text();
    if (user.empty()) return;
    auto const words = L"O:" + user + L"D:P(A;OICI;FA;;;" + user + L")(A;OICI;FA;;;SY)";
    PSECURITY_DESCRIPTOR made = nullptr;
    if (::ConvertStringSecurityDescriptorToSecurityDescriptorW(words.c_str(), SDDL_REVISION_1, &made, nullptr) == 0) return;
    descriptor_.reset(made);
    attributes_.nLength = sizeof attributes_;
    attributes_.lpSecurityDescriptor = made;
  }
  [[nodiscard]] SECURITY_ATTRIBUTES* attributes() noexcept { return descriptor_ ? &attributes_ : nullptr; }

 private:
  local_pointer<void> descriptor_;
  SECURITY_ATTRIBUTES attributes_{};
};

}  // namespace comcp::detail

#endif
