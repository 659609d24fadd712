// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of credentials where files have lists of who may do what.
#if defined(_WIN32)

#include <comcp/auth/file_token_store.hpp>

#include <fstream>
#include <string>

#include <comcp/net/windows.hpp>
#include <comcp/net/windows_owner.hpp>
#include <comcp/run.hpp>

#include "support/temporary_folder.hpp"
#include "support/variable.hpp"

namespace fs = std::filesystem;
using comcp::errc;
using comcp::file_token_store;
using comcp_test::variable;

namespace {

// The list of a file, as text; the user's SID in it is "ME".
std::string access_of(fs::path const& file) {
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  PACL list = nullptr;
  REQUIRE(::GetNamedSecurityInfoW(file.c_str(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr, &list, nullptr,
                                  &descriptor) == ERROR_SUCCESS);
  comcp::detail::local_pointer<void> const owned(descriptor);
  LPWSTR text = nullptr;
  REQUIRE(::ConvertSecurityDescriptorToStringSecurityDescriptorW(descriptor, SDDL_REVISION_1, DACL_SECURITY_INFORMATION,
                                                                 &text, nullptr) != 0);
  comcp::detail::local_pointer<wchar_t> const owned_text(text);
  auto out = comcp::detail::to_utf8(text);
  auto const me = comcp::detail::to_utf8(comcp::detail::current_user().text());
  for (auto at = out.find(me); at != out.npos; at = out.find(me)) out.replace(at, me.size(), "ME");
  return out;
}

void give_to(fs::path const& file, std::wstring const& words) {
  PSECURITY_DESCRIPTOR made = nullptr;
  REQUIRE(::ConvertStringSecurityDescriptorToSecurityDescriptorW(words.c_str(), SDDL_REVISION_1, &made, nullptr) != 0);
  comcp::detail::local_pointer<void> const owned(made);
  REQUIRE(::SetFileSecurityW(file.c_str(), DACL_SECURITY_INFORMATION, made) != 0);
}

}  // namespace

TEST_CASE("file_token_store: its file and folders have no entry but its user's and the system's", "[auth]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "new" / "deeper" / "tokens.json";
  REQUIRE(comcp::run(file_token_store(file).save("a", comcp::secret("1"))));
  int checked = 0;
  for (auto const& each : fs::recursive_directory_iterator(here.path / "new")) {
    auto const access = access_of(each.path());
    CAPTURE(each.path(), access);
    CHECK(access.find(";ME)") != access.npos);
    for (char const* const other : {";WD)", ";BU)", ";AU)", ";IU)"}) CHECK(access.find(other) == access.npos);
    ++checked;
  }
  CHECK(checked == 3);  // a folder, the file, the lock of saving
}

TEST_CASE("file_token_store: a file that others can read is refused and stays as it is", "[auth]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "tokens.json";
  std::string const text = R"({"version":1,"entries":{"a":"1"}})";
  std::ofstream(file, std::ios::binary) << text;
  auto const me = comcp::detail::current_user().text();
  auto const load = [&] { return comcp::run(file_token_store(file).load("a")); };
  for (wchar_t const* const rights : {L"FR", L"FW", L"FA"}) {
    give_to(file, L"D:P(A;;FA;;;" + me + L")(A;;" + rights + L";;;WD)");
    CAPTURE(access_of(file));
    CHECK(load().error() == errc::denied);
    CHECK(comcp::run(file_token_store(file).save("a", comcp::secret("2"))).error() == errc::denied);
    CHECK(comcp_test::text_of(file) == text);
  }
  give_to(file, L"D:P(A;;FA;;;" + me + L")");
  CHECK(load().value() == comcp::secret("1"));
}

TEST_CASE("file_token_store: the usual path is in what the user has on this machine", "[auth]") {
  variable const data("LOCALAPPDATA", "C:\\Users\\u\\AppData\\Local");
  CHECK(file_token_store::usual_path().value() == fs::path(L"C:\\Users\\u\\AppData\\Local\\comcp\\tokens.json"));
  data.set("relative");
  CHECK(file_token_store::usual_path().error() == errc::not_found);
  variable const homeless("LOCALAPPDATA");
  CHECK(file_token_store::usual_path().error() == errc::not_found);
}

TEST_CASE("file_token_store: a lock is one for all stores of the file, and ends with its holder", "[auth]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "tokens.json";
  auto const lock = [&](std::string const& name) {
    return comcp::run(file_token_store(file).lock(name, std::chrono::milliseconds(20)));
  };
  auto held = lock("a");
  REQUIRE(held);
  CHECK(lock("a").error() == errc::timeout);
  CHECK(lock("b"));
  CHECK(comcp::run(file_token_store(file).save("a", comcp::secret("1"))));  // it is a lock of the name, not of the file
  held->reset();
  CHECK(lock("a"));
}

#endif
