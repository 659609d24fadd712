// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp 0.1.0, OAuth and all around it. Written by tools/amalgamate: change the files under include/ instead.
//
// Header-only as it is. To compile comcp once, define COMCP_SEPARATE_COMPILATION in every source, and in one of them
// COMCP_IMPLEMENTATION before its first include of comcp: that source holds all of the single headers that it includes,
// and Asio's definitions too where ASIO_SEPARATE_COMPILATION is defined.
#if defined(COMCP_AUTHORIZATION_HPP)
#if defined(COMCP_IMPLEMENTATION) && !defined(COMCP_IMPLEMENTED)
#error "comcp: this source included comcp before it defined COMCP_IMPLEMENTATION."
#endif
#else
#define COMCP_AUTHORIZATION_HPP

#include <comcp/http.hpp>

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

// authorization.hpp
#if !defined(COMCP_SINGLE_AUTHORIZATION_HPP)
#define COMCP_SINGLE_AUTHORIZATION_HPP
// Everything for authorization, in one include: OAuth, its steps, stores for tokens, the user's browser, and credentials
// in headers. Needs OpenSSL (COMCP_WITH_TLS). Programs that want less include just that.

// auth/file_token_store.hpp
#if !defined(COMCP_SINGLE_AUTH_FILE_TOKEN_STORE_HPP)
#define COMCP_SINGLE_AUTH_FILE_TOKEN_STORE_HPP
// Credentials in one file: readable by its user alone, replaced whole, shared by processes through a lock.

#include <filesystem>

// auth/token_store.hpp
#if !defined(COMCP_SINGLE_AUTH_TOKEN_STORE_HPP)
#define COMCP_SINGLE_AUTH_TOKEN_STORE_HPP
// Where credentials are kept between runs: secret texts under names. The seam, and the store in memory.

#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

namespace comcp {

/// Keeps secrets by name; a keychain, a vault or a file. Called on the client's executor; copies share what they keep.
/// Names are printable ASCII of 1,024 bytes at most and hold no secret. A failed save leaves what was there.
/// lock(name) waits until nobody else, in this process or another, holds the lock of that name: what it gives holds it
/// until it is destroyed; errc::timeout after `most`.
template <class S>
concept token_store = std::copy_constructible<S> && requires(S s, std::string name, secret text, std::chrono::milliseconds most) {
  { s.load(name) } -> std::same_as<asio::awaitable<result<std::optional<secret>>>>;
  { s.save(name, text) } -> std::same_as<asio::awaitable<result<void>>>;
  { s.remove(name) } -> std::same_as<asio::awaitable<result<void>>>;  // success where there is none
  { s.lock(name, most) } -> std::same_as<asio::awaitable<result<std::shared_ptr<void>>>>;
};

namespace detail {
// What stores share.
COMCP_LAZY result<void> check_secret_name(std::string const& name);
COMCP_LAZY std::chrono::steady_clock::time_point lock_deadline(std::chrono::milliseconds most);
COMCP_LAZY error lock_timeout();
}  // namespace detail

/// Keeps them as long as the process lives. Used from one executor.
class memory_token_store {
 public:
  COMCP_LAZY memory_token_store();
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<std::optional<secret>>> load(std::string name);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> save(std::string name, secret text);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> remove(std::string name);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<std::shared_ptr<void>>> lock(std::string name,
                                                                               std::chrono::milliseconds most);

 private:
  struct state;
  std::shared_ptr<state> state_;
};

/// Any token_store, type-erased. Regular; copies share it.
class any_token_store {
 public:
  COMCP_LAZY any_token_store();  ///< A memory_token_store.
  template <class S>
    requires(!std::same_as<S, any_token_store>)
  any_token_store(S store) : self_(std::make_shared<model<S>>(std::move(store))) {  // NOLINT: converting on purpose
    static_assert(token_store<S>,
                  "comcp: this type is no token store: it needs load(), save(), remove() and lock() as "
                  "comcp/auth/token_store.hpp says");
  }

  [[nodiscard]] asio::awaitable<result<std::optional<secret>>> load(std::string name) const { return self_->load(std::move(name)); }
  [[nodiscard]] asio::awaitable<result<void>> save(std::string name, secret text) const {
    return self_->save(std::move(name), std::move(text));
  }
  [[nodiscard]] asio::awaitable<result<void>> remove(std::string name) const { return self_->remove(std::move(name)); }
  [[nodiscard]] asio::awaitable<result<std::shared_ptr<void>>> lock(std::string name, std::chrono::milliseconds most) const {
    return self_->lock(std::move(name), most);
  }

 private:
  struct base {
    virtual ~base() = default;
    virtual asio::awaitable<result<std::optional<secret>>> load(std::string) = 0;
    virtual asio::awaitable<result<void>> save(std::string, secret) = 0;
    virtual asio::awaitable<result<void>> remove(std::string) = 0;
    virtual asio::awaitable<result<std::shared_ptr<void>>> lock(std::string, std::chrono::milliseconds) = 0;
  };
  template <class S>
  struct model final : base {
    explicit model(S s) : store(std::move(s)) {}
    asio::awaitable<result<std::optional<secret>>> load(std::string n) override { return store.load(std::move(n)); }
    asio::awaitable<result<void>> save(std::string n, secret t) override { return store.save(std::move(n), std::move(t)); }
    asio::awaitable<result<void>> remove(std::string n) override { return store.remove(std::move(n)); }
    asio::awaitable<result<std::shared_ptr<void>>> lock(std::string n, std::chrono::milliseconds m) override {
      return store.lock(std::move(n), m);
    }
    S store;
  };
  std::shared_ptr<base> self_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/token_store.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_TOKEN_STORE_IPP)
#define COMCP_SINGLE_AUTH_IMPL_TOKEN_STORE_IPP
#include <algorithm>
#include <deque>
#include <map>
#include <system_error>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

namespace comcp {
namespace detail {

COMCP_LAZY_DECL result<void> check_secret_name(std::string const& name) {
  bool const fits = name.size() <= 1024 && std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (fits) return {};
  return error(errc::invalid_argument, "the name of a secret is at most 1,024 printable ASCII characters");
}

COMCP_LAZY_DECL asio::steady_timer::time_point lock_deadline(std::chrono::milliseconds most) {
  std::chrono::milliseconds const longest = std::chrono::hours(24 * 365);
  return std::chrono::steady_clock::now() + std::clamp(most, std::chrono::milliseconds(0), longest);
}

COMCP_LAZY_DECL error lock_timeout() { return {errc::timeout, "somebody else holds the lock of these credentials"}; }

}  // namespace detail

struct memory_token_store::state {
  // In the line for one name, whose first holds the lock. Leaving it, however that comes, lets the next go on.
  class place {
   public:
    place(std::shared_ptr<state> s, std::string name) : state_(std::move(s)), name_(std::move(name)) {
      state_->lines[name_].push_back(this);
    }
    place(place const&) = delete;
    place& operator=(place const&) = delete;
    ~place() {
      auto const found = state_->lines.find(name_);
      auto& line = found->second;
      std::erase(line, this);
      if (line.empty()) {
        state_->lines.erase(found);
      } else if (line.front()->timer) {
        line.front()->wake();
      }
    }
    [[nodiscard]] bool first() const { return state_->lines.find(name_)->second.front() == this; }

    std::optional<asio::steady_timer> timer;  // while it waits: the lock may be kept longer than its executor lives

   private:
    // It goes on later, never from here.
    void wake() noexcept {
      try {
        timer->cancel();
      } catch (std::system_error const&) {
        // Documented to throw, never seen to.
      }
    }

    std::shared_ptr<state> state_;
    std::string name_;
  };

  COMCP_LAZY static asio::awaitable<result<std::optional<secret>>> load(std::shared_ptr<state> self, std::string name) {
    auto const known = detail::check_secret_name(name);
    if (!known) co_return known.error();
    auto const found = self->texts.find(name);
    if (found == self->texts.end()) co_return std::optional<secret>();
    co_return std::optional<secret>(found->second);
  }

  COMCP_LAZY static asio::awaitable<result<void>> save(std::shared_ptr<state> self, std::string name, secret text) {
    auto const known = detail::check_secret_name(name);
    if (known) self->texts.insert_or_assign(std::move(name), std::move(text));
    co_return known;
  }

  COMCP_LAZY static asio::awaitable<result<void>> remove(std::shared_ptr<state> self, std::string name) {
    auto const known = detail::check_secret_name(name);
    if (known) self->texts.erase(name);
    co_return known;
  }

  COMCP_LAZY static asio::awaitable<result<std::shared_ptr<void>>> lock(std::shared_ptr<state> self, std::string name,
                                                                        std::chrono::milliseconds most) {
    auto const known = detail::check_secret_name(name);
    if (!known) co_return known.error();
    auto const mine = std::make_shared<place>(self, std::move(name));
    if (!mine->first()) {
      auto const executor = co_await asio::this_coro::executor;
      mine->timer.emplace(executor, detail::lock_deadline(most));
      bool late = false;
      while (!mine->first() && !late) {
        auto const [aborted] = co_await net::async_wait(*mine->timer);
        late = !aborted;
      }
      mine->timer.reset();
      if (!mine->first()) co_return detail::lock_timeout();
    }
    std::shared_ptr<void> held = mine;
    co_return held;
  }

  std::map<std::string, secret> texts;
  std::map<std::string, std::deque<place*>> lines;
};

COMCP_LAZY_DECL memory_token_store::memory_token_store() : state_(std::make_shared<state>()) {}

COMCP_LAZY_DECL asio::awaitable<result<std::optional<secret>>> memory_token_store::load(std::string name) {
  return state::load(state_, std::move(name));
}
COMCP_LAZY_DECL asio::awaitable<result<void>> memory_token_store::save(std::string name, secret text) {
  return state::save(state_, std::move(name), std::move(text));
}
COMCP_LAZY_DECL asio::awaitable<result<void>> memory_token_store::remove(std::string name) {
  return state::remove(state_, std::move(name));
}
COMCP_LAZY_DECL asio::awaitable<result<std::shared_ptr<void>>> memory_token_store::lock(
    std::string name, std::chrono::milliseconds most) {
  return state::lock(state_, std::move(name), most);
}

COMCP_LAZY_DECL any_token_store::any_token_store() : any_token_store(memory_token_store()) {}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// The file is JSON, of mode 0600, in a folder that is made with mode 0700 where there is none. A file that others may
/// read or write, that is owned by somebody else or is no regular file, is refused (errc::denied); a symbolic link is followed
/// to its target, which is replaced in its own folder. A file that is no JSON of ours is errc::wrong_shape and stays
/// untouched. Locks are files beside it, held with flock(): the end of a process ends its locks. On Windows mode 0600 is a
/// protected list of access for this user and the system (administrators, who get at everything, are no others), and the
/// lock is LockFileEx().
class file_token_store {
 public:
  COMCP_LAZY explicit file_token_store(std::filesystem::path file);
  /// comcp/tokens.json in $XDG_DATA_HOME, or ~/.local/share, ~/Library/Application Support on macOS;
  /// %LOCALAPPDATA%\comcp\tokens.json on Windows, which no other machine gets. errc::not_found without a home.
  COMCP_LAZY static result<std::filesystem::path> usual_path();

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<std::optional<secret>>> load(std::string name);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> save(std::string name, secret text);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> remove(std::string name);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<std::shared_ptr<void>>> lock(std::string name,
                                                                               std::chrono::milliseconds most);

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace comcp

// hash/sha256.hpp
#if !defined(COMCP_SINGLE_HASH_SHA256_HPP)
#define COMCP_SINGLE_HASH_SHA256_HPP
// SHA-256 (FIPS 180-4) for fingerprints and names, so that they need no crypto library. It hashes public data: nothing
// here runs in constant time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace comcp {

using sha256_digest = std::array<std::uint8_t, 32>;

/// A hash in progress. Regular: a copy goes on by itself.
class sha256_hasher {
 public:
  sha256_hasher() noexcept = default;
  sha256_hasher& update(std::string_view bytes) noexcept;
  /// The digest of everything so far. update() may go on after it.
  [[nodiscard]] sha256_digest digest() const noexcept;

 private:
  void block(std::uint8_t const* bytes) noexcept;

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> rest_{};  // what fills no block yet
  std::uint64_t size_ = 0;               // bytes so far
};

inline sha256_digest sha256(std::string_view bytes) noexcept { return sha256_hasher().update(bytes).digest(); }

/// The digest as 64 lower-case hexadecimal digits.
std::string to_hex(sha256_digest const& digest);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// hash/impl/sha256.ipp
#if !defined(COMCP_SINGLE_HASH_IMPL_SHA256_IPP)
#define COMCP_SINGLE_HASH_IMPL_SHA256_IPP
#include <algorithm>
#include <bit>
#include <cstring>

namespace comcp {
namespace detail {

inline constexpr std::uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// The 64 words that a block of 16 is expanded to.
inline std::array<std::uint32_t, 64> sha256_schedule(std::uint8_t const* bytes) noexcept {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    auto const* const b = bytes + 4 * i;
    w[i] = std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | std::uint32_t{b[3]};
  }
  for (std::size_t i = 16; i < 64; ++i) {
    auto const s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    auto const s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

}  // namespace detail

COMCP_DECL void sha256_hasher::block(std::uint8_t const* bytes) noexcept {
  auto const w = detail::sha256_schedule(bytes);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    auto const s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    auto const t1 = h + s1 + ((e & f) ^ (~e & g)) + detail::sha256_constants[i] + w[i];
    auto const s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    auto const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  std::uint32_t const added[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += added[i];
}

COMCP_DECL sha256_hasher& sha256_hasher::update(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    auto const filled = static_cast<std::size_t>(size_ % 64);
    auto const n = std::min(bytes.size(), 64 - filled);
    std::memcpy(rest_.data() + filled, bytes.data(), n);
    size_ += n;
    bytes.remove_prefix(n);
    if (filled + n == 64) block(rest_.data());
  }
  return *this;
}

COMCP_DECL sha256_digest sha256_hasher::digest() const noexcept {
  auto end = *this;
  auto const bits = size_ * 8;
  end.update(std::string_view("\x80", 1));
  constexpr char zeros[64] = {};
  end.update(std::string_view(zeros, (120 - end.size_ % 64) % 64));
  char length[8];
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(bits >> (56 - 8 * i) & 0xff);
  end.update(std::string_view(length, 8));
  sha256_digest out;
  for (std::size_t i = 0; i < 32; ++i) out[i] = static_cast<std::uint8_t>(end.state_[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

COMCP_DECL std::string to_hex(sha256_digest const& digest) {
  constexpr char const* digits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (auto const byte : digest) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

}  // namespace comcp
#endif
#endif
#endif

// private_file.hpp
#if !defined(COMCP_SINGLE_PRIVATE_FILE_HPP)
#define COMCP_SINGLE_PRIVATE_FILE_HPP
// Files that their user alone can read and write, and locks on them. It blocks, but waits for nobody. Internal.

#include <filesystem>

// replace_file.hpp
#if !defined(COMCP_SINGLE_REPLACE_FILE_HPP)
#define COMCP_SINGLE_REPLACE_FILE_HPP
// Files that are read whole and replaced whole. What is in them, and who may read them, is decided elsewhere. It blocks.
// Internal.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace comcp::detail {

#if defined(_WIN32)
using native_file = std::intptr_t;     // a HANDLE; INVALID_HANDLE_VALUE is -1
using system_number = unsigned long;   // of GetLastError()
#else
using native_file = int;
using system_number = int;  // errno
#endif

/// A descriptor that is closed with it; below 0 where there is none.
class file_descriptor {
 public:
  explicit file_descriptor(native_file fd = -1) noexcept : fd_(fd) {}
  file_descriptor(file_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept { return std::swap(fd_, other.fd_), *this; }
  ~file_descriptor();
  [[nodiscard]] native_file get() const noexcept { return fd_; }

 private:
  native_file fd_;
};

/// Opens a regular file for reading; anything else is errc::denied, and nothing is waited for, as a FIFO's writer would
/// be. Links are followed.
result<file_descriptor> open_regular(std::filesystem::path const& file);

#if defined(_WIN32)
/// Does it again for half a second, while another has the file: what scans for viruses, or a name that is being replaced.
/// The last error; 0 once it is done.
system_number patiently(std::function<bool()> const& action);
#endif

/// The system's own code and "cannot DOING FILE".
error file_error(system_number number, char const* doing, std::filesystem::path const& file);

/// The rest of an open file; it stops soon after `most` bytes, which the caller sees by the size.
result<std::string> read_rest(file_descriptor const& from, std::size_t most, std::filesystem::path const& file);

/// The file to which symbolic links lead.
std::filesystem::path link_target(std::filesystem::path const& file);

/// Writes the text beside the file and puts it in its place at once: no reader sees a part, and a crash leaves the old or
/// the new one. Links are followed. `mode` as in chmod(); Windows knows it as 0600, its user's alone, or as its folder has
/// it. There, a reader of comcp's is no hindrance; one that lets nobody write is, after half a second.
result<void> replace_file(std::filesystem::path const& file, std::string_view text, unsigned mode);

}  // namespace comcp::detail

// net/windows_owner.hpp
#if !defined(COMCP_SINGLE_NET_WINDOWS_OWNER_HPP)
#define COMCP_SINGLE_NET_WINDOWS_OWNER_HPP
// Who may have a file of Windows: its user and the system alone. Internal.

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
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// impl/replace_file_posix.ipp
#if !defined(COMCP_SINGLE_IMPL_REPLACE_FILE_POSIX_IPP)
#define COMCP_SINGLE_IMPL_REPLACE_FILE_POSIX_IPP

#if !defined(_WIN32)

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace comcp::detail {

COMCP_DECL file_descriptor::~file_descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

COMCP_DECL error file_error(system_number number, char const* doing, std::filesystem::path const& file) {
  return error(std::error_code(number, std::generic_category()), std::string("cannot ") + doing + ' ' + file.string());
}

COMCP_DECL result<file_descriptor> open_regular(std::filesystem::path const& file) {
  file_descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct ::stat about {};
  if (fd.get() < 0 || ::fstat(fd.get(), &about) != 0) return file_error(errno, "open", file);
  if (!S_ISREG(about.st_mode)) return error(errc::denied, file.string() + " is no regular file");
  return fd;
}

COMCP_DECL result<std::string> read_rest(file_descriptor const& from, std::size_t most,
                                         std::filesystem::path const& file) {
  std::string text;
  char part[4096];
  while (text.size() <= most) {
    auto const n = ::read(from.get(), part, sizeof part);
    if (n == 0) break;
    if (n < 0 && errno != EINTR) return file_error(errno, "read", file);
    if (n > 0) text.append(part, static_cast<std::size_t>(n));
  }
  return text;
}

COMCP_DECL std::filesystem::path link_target(std::filesystem::path const& file) {
  std::error_code unresolved;
  auto resolved = std::filesystem::weakly_canonical(file, unresolved);
  return unresolved ? file : resolved;
}

// All of it, to the disk: 0, or errno.
COMCP_DECL int fill_file(int fd, std::string_view text, unsigned mode) noexcept {
  while (!text.empty()) {
    auto const n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fchmod(fd, static_cast<::mode_t>(mode)) != 0 || ::fsync(fd) != 0 ? errno : 0;
}

COMCP_DECL result<void> replace_file(std::filesystem::path const& file, std::string_view text, unsigned mode) {
  auto const target = link_target(file);
  std::string name = target.string() + ".XXXXXX";
  file_descriptor const to(::mkostemp(name.data(), O_CLOEXEC));  // of mode 0600
  if (to.get() < 0) return file_error(errno, "write beside", file);
  int failed = fill_file(to.get(), text, mode);
  if (failed == 0 && std::rename(name.c_str(), target.c_str()) != 0) failed = errno;
  if (failed == 0) return {};
  ::unlink(name.c_str());
  return file_error(failed, "write", file);
}

}  // namespace comcp::detail

#endif
#endif

// impl/replace_file_windows.ipp
#if !defined(COMCP_SINGLE_IMPL_REPLACE_FILE_WINDOWS_IPP)
#define COMCP_SINGLE_IMPL_REPLACE_FILE_WINDOWS_IPP

#if defined(_WIN32)

#include <algorithm>
#include <cstring>
#include <vector>

namespace comcp::detail {

COMCP_DECL file_descriptor::~file_descriptor() {
  if (fd_ != -1) ::CloseHandle(reinterpret_cast<HANDLE>(fd_));
}

COMCP_DECL error file_error(system_number number, char const* doing, std::filesystem::path const& file) {
  return error(windows_error(number), std::string("cannot ") + doing + ' ' + text_of_path(file));
}

COMCP_DECL system_number patiently(std::function<bool()> const& action) {
  for (int left = 20;; --left) {
    if (action()) return ERROR_SUCCESS;
    auto const why = ::GetLastError();
    if ((why != ERROR_SHARING_VIOLATION && why != ERROR_ACCESS_DENIED) || left == 0) return why;
    ::Sleep(5);
  }
}

// Whoever replaces it meanwhile may. A pipe in its place learns nothing of us.
COMCP_DECL result<file_descriptor> open_regular(std::filesystem::path const& file) {
  HANDLE opened = INVALID_HANDLE_VALUE;
  auto const failed = patiently([&] {
    opened = ::CreateFileW(file.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                           OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | SECURITY_SQOS_PRESENT | SECURITY_ANONYMOUS, nullptr);
    return opened != INVALID_HANDLE_VALUE;
  });
  if (failed != ERROR_SUCCESS) return file_error(failed, "open", file);
  file_descriptor fd(reinterpret_cast<native_file>(opened));
  BY_HANDLE_FILE_INFORMATION about{};
  bool const regular = ::GetFileType(opened) == FILE_TYPE_DISK && ::GetFileInformationByHandle(opened, &about) != 0 &&
                       (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
  if (!regular) return error(errc::denied, text_of_path(file) + " is no regular file");
  return fd;
}

COMCP_DECL result<std::string> read_rest(file_descriptor const& from, std::size_t most,
                                         std::filesystem::path const& file) {
  std::string text;
  char part[4096];
  while (text.size() <= most) {
    DWORD n = 0;
    if (::ReadFile(reinterpret_cast<HANDLE>(from.get()), part, sizeof part, &n, nullptr) == 0)
      return file_error(::GetLastError(), "read", file);
    if (n == 0) break;
    text.append(part, n);
  }
  return text;
}

COMCP_DECL std::filesystem::path link_target(std::filesystem::path const& file) {
  auto const attributes = ::GetFileAttributesW(file.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return file;
  auto const opened = ::CreateFileW(file.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  file_descriptor const owned(reinterpret_cast<native_file>(opened));
  if (opened == INVALID_HANDLE_VALUE) return file;
  std::wstring name(32'768, L'\0');
  auto const length = ::GetFinalPathNameByHandleW(opened, name.data(), static_cast<DWORD>(name.size()), 0);
  if (length == 0 || length >= name.size()) return file;
  name.resize(length);  // \\?\C:\..., or \\?\UNC\server\...
  if (name.starts_with(L"\\\\?\\UNC\\")) return L"\\" + name.substr(7);
  return name.starts_with(L"\\\\?\\") ? name.substr(4) : name;
}

// All of it, to the disk: ERROR_SUCCESS, or why not.
COMCP_DECL DWORD fill_file(HANDLE file, std::string_view text) noexcept {
  while (!text.empty()) {
    DWORD n = 0;
    auto const part = static_cast<DWORD>(std::min<std::size_t>(text.size(), std::size_t{1} << 20));
    if (::WriteFile(file, text.data(), part, &n, nullptr) == 0) return ::GetLastError();
    text.remove_prefix(n);
  }
  return ::FlushFileBuffers(file) != 0 ? ERROR_SUCCESS : ::GetLastError();
}

// As rename() has it: whoever has the old one open keeps it. NTFS can, since Windows 10.
COMCP_DECL bool rename_over(HANDLE file, std::filesystem::path const& target) {
  auto const& name = target.native();
  auto const name_bytes = name.size() * sizeof(wchar_t);
  std::vector<FILE_RENAME_INFO> room(name_bytes / sizeof(FILE_RENAME_INFO) + 2);
  auto& how = room.front();
  constexpr DWORD replace_if_exists = 1, posix_semantics = 2, flags = replace_if_exists | posix_semantics;
  std::memcpy(static_cast<void*>(&how), &flags, sizeof flags);  // a member of newer headers, at the beginning
  how.FileNameLength = static_cast<DWORD>(name_bytes);
  std::memcpy(how.FileName, name.c_str(), name_bytes + sizeof(wchar_t));
  constexpr auto file_rename_info_ex = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  return ::SetFileInformationByHandle(file, file_rename_info_ex, &how,
                                      static_cast<DWORD>(room.size() * sizeof(FILE_RENAME_INFO))) != 0;
}

COMCP_DECL result<void> replace_file(std::filesystem::path const& file, std::string_view text, unsigned mode) {
  auto const target = link_target(file);
  auto const beside = target.native() + to_wide("." + unguessable_hex(8) + ".tmp");
  owner_only owner;
  bool const alone = (mode & 077U) == 0;
  if (alone && owner.attributes() == nullptr) return file_error(::GetLastError(), "make private", file);
  auto const opened = ::CreateFileW(beside.c_str(), GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                    alone ? owner.attributes() : nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (opened == INVALID_HANDLE_VALUE) return file_error(::GetLastError(), "write beside", file);
  file_descriptor to(reinterpret_cast<native_file>(opened));
  auto failed = fill_file(opened, text);
  if (failed == ERROR_SUCCESS && rename_over(opened, target)) return {};
  to = file_descriptor();
  if (failed == ERROR_SUCCESS) {
    failed = patiently([&] {
      return ::MoveFileExW(beside.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
    });
  }
  if (failed == ERROR_SUCCESS) return {};
  ::DeleteFileW(beside.c_str());
  return file_error(failed, "write", file);
}

}  // namespace comcp::detail

#endif
#endif
#endif
#endif

namespace comcp::detail {

/// Opens one to read it. None, with nothing said, where there is no such file; errc::denied for one that is no regular
/// file, belongs to somebody else, can be read or written by others, or is a link.
result<file_descriptor> open_private(std::filesystem::path const& file);

/// Opens one to be locked; it is made, its user's alone, where there is none. Errors as above.
result<file_descriptor> open_private_lock(std::filesystem::path const& file);

/// Makes the folders that are missing, from the root on, each its user's alone.
result<void> make_private_folders(std::filesystem::path const& folder);

/// Where this user's programs keep what is not to be lost: $XDG_DATA_HOME, or ~/.local/share, ~/Library/Application Support
/// on macOS; %LOCALAPPDATA% on Windows.
/// errc::not_found without a home.
result<std::filesystem::path> user_data_folder();

/// False: another has it. The end of the descriptor, or of its process, ends the lock.
result<bool> try_lock(file_descriptor const& opened, std::filesystem::path const& file);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// impl/private_file_posix.ipp
#if !defined(COMCP_SINGLE_IMPL_PRIVATE_FILE_POSIX_IPP)
#define COMCP_SINGLE_IMPL_PRIVATE_FILE_POSIX_IPP

#if !defined(_WIN32)

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace comcp::detail {

// An open file that only its user, who is ours, can read and write.
COMCP_DECL result<void> check_private(file_descriptor const& fd, std::filesystem::path const& file) {
  struct ::stat about {};
  if (::fstat(fd.get(), &about) != 0) return file_error(errno, "look at", file);
  char const* wrong = nullptr;
  if (!S_ISREG(about.st_mode)) wrong = " is no regular file";
  else if (about.st_uid != ::geteuid()) wrong = " belongs to somebody else";
  else if ((about.st_mode & 077) != 0) wrong = " can be read or written by others: chmod 600 it if that is as you want it";
  if (wrong == nullptr) return {};
  return error(errc::denied, file.string() + wrong);
}

// What it names may be a FIFO, or a link by now.
COMCP_DECL result<file_descriptor> open_private_as(std::filesystem::path const& file, int flags) {
  file_descriptor fd(::open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
  if (fd.get() < 0) {
    if (errno == ENOENT && (flags & O_CREAT) == 0) return fd;
    if (errno == ELOOP) return error(errc::denied, file.string() + " is a symbolic link to nothing");
    if (errno == EISDIR) return error(errc::denied, file.string() + " is no regular file");
    return file_error(errno, "open", file);
  }
  if (auto const fine = check_private(fd, file); !fine) return fine.error();
  return fd;
}

COMCP_DECL result<file_descriptor> open_private(std::filesystem::path const& file) {
  return open_private_as(file, O_RDONLY);
}
COMCP_DECL result<file_descriptor> open_private_lock(std::filesystem::path const& file) {
  return open_private_as(file, O_RDWR | O_CREAT);
}

COMCP_DECL result<void> make_private_folders(std::filesystem::path const& folder) {
  std::filesystem::path so_far;
  for (auto const& part : folder) {
    so_far /= part;
    if (::mkdir(so_far.c_str(), 0700) == 0 || errno == EEXIST) continue;
    int const why = errno;
    std::error_code ignored;
    if (!std::filesystem::is_directory(so_far, ignored)) return file_error(why, "make the folder", so_far);
  }
  return {};
}

#if defined(__APPLE__)
inline constexpr char data_below_home[] = "Library/Application Support";
#else
inline constexpr char data_below_home[] = ".local/share";
#endif

COMCP_DECL result<std::filesystem::path> user_data_folder() {
  auto const folder = [](char const* variable) {
    std::filesystem::path const named(environment_variable(variable).value_or(""));
    return named.is_absolute() ? named : std::filesystem::path();
  };
  auto data = folder("XDG_DATA_HOME");
  if (!data.empty()) return data;
  auto const home = folder("HOME");
  if (home.empty()) return error(errc::not_found, "no home for the file of credentials: HOME is not set");
  return home / data_below_home;
}

COMCP_DECL result<bool> try_lock(file_descriptor const& opened, std::filesystem::path const& file) {
  while (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return file_error(errno, "lock", file);
  }
  return true;
}

}  // namespace comcp::detail

#endif
#endif

// impl/private_file_windows.ipp
#if !defined(COMCP_SINGLE_IMPL_PRIVATE_FILE_WINDOWS_IPP)
#define COMCP_SINGLE_IMPL_PRIVATE_FILE_WINDOWS_IPP

#if defined(_WIN32)

namespace comcp::detail {

// Administrators and the system get at every file; what a program of theirs makes may belong to them.
COMCP_DECL bool is_trusted(PSID who, current_user const& user) noexcept {
  return who != nullptr &&
         ((user.sid() != nullptr && ::EqualSid(who, user.sid()) != 0) || ::IsWellKnownSid(who, WinLocalSystemSid) != 0 ||
          ::IsWellKnownSid(who, WinBuiltinAdministratorsSid) != 0);
}

// Whether this entry gives anything that matters to somebody else.
COMCP_DECL bool lets_others_in(void const* entry, current_user const& user) noexcept {
  auto const& head = *static_cast<ACE_HEADER const*>(entry);
  bool const denies = head.AceType == ACCESS_DENIED_ACE_TYPE || head.AceType == ACCESS_DENIED_CALLBACK_ACE_TYPE;
  if (denies || (head.AceFlags & INHERIT_ONLY_ACE) != 0) return false;
  if (head.AceType != ACCESS_ALLOWED_ACE_TYPE && head.AceType != ACCESS_ALLOWED_CALLBACK_ACE_TYPE) return true;
  auto const& allowed = *static_cast<ACCESS_ALLOWED_ACE const*>(entry);  // the other one begins in the same way
  constexpr DWORD matters = FILE_READ_DATA | FILE_WRITE_DATA | FILE_APPEND_DATA | DELETE | WRITE_DAC | WRITE_OWNER |
                            GENERIC_READ | GENERIC_WRITE | GENERIC_ALL;
  auto* const who = const_cast<DWORD*>(&allowed.SidStart);
  return (allowed.Mask & matters) != 0 && !is_trusted(who, user) && ::IsWellKnownSid(who, WinCreatorOwnerRightsSid) == 0;
}

COMCP_DECL bool is_users_alone(PACL list, current_user const& user) noexcept {
  if (list == nullptr) return false;  // no list at all: everybody may do everything
  for (DWORD i = 0; i < list->AceCount; ++i) {
    void* entry = nullptr;
    if (::GetAce(list, i, &entry) == 0 || lets_others_in(entry, user)) return false;
  }
  return true;
}

COMCP_DECL result<void> check_private(HANDLE opened, std::filesystem::path const& file) {
  BY_HANDLE_FILE_INFORMATION about{};
  auto const name = text_of_path(file);
  bool const on_disk = ::GetFileType(opened) == FILE_TYPE_DISK && ::GetFileInformationByHandle(opened, &about) != 0;
  if (on_disk && (about.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0)
    return error(errc::denied, name + " is a symbolic link to nothing");
  if (!on_disk || (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
    return error(errc::denied, name + " is no regular file");
  PSID owner = nullptr;
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  auto const failed = ::GetSecurityInfo(opened, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                                        &owner, nullptr, &list, nullptr, &descriptor);
  if (failed != ERROR_SUCCESS) return file_error(failed, "look at", file);
  local_pointer<void> const owned(descriptor);
  current_user const user;
  if (!is_trusted(owner, user)) return error(errc::denied, name + " belongs to somebody else");
  if (!is_users_alone(list, user))
    return error(errc::denied, name + " can be read or written by others: take their rights away if it is as you want it");
  return {};
}

COMCP_DECL result<file_descriptor> open_private_as(std::filesystem::path const& file, DWORD access, DWORD how) {
  owner_only owner;
  if (owner.attributes() == nullptr) return file_error(::GetLastError(), "make private", file);
  HANDLE opened = INVALID_HANDLE_VALUE;
  auto const failed = patiently([&] {
    opened = ::CreateFileW(file.c_str(), access | READ_CONTROL, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                           owner.attributes(), how,
                           FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT | SECURITY_SQOS_PRESENT |
                               SECURITY_ANONYMOUS,
                           nullptr);
    return opened != INVALID_HANDLE_VALUE;
  });
  file_descriptor fd(reinterpret_cast<native_file>(opened));
  if (failed == ERROR_FILE_NOT_FOUND || failed == ERROR_PATH_NOT_FOUND) {
    if (how == OPEN_EXISTING) return fd;
  }
  if (failed != ERROR_SUCCESS) return file_error(failed, "open", file);
  if (auto const fine = check_private(opened, file); !fine) return fine.error();
  return fd;
}

COMCP_DECL result<file_descriptor> open_private(std::filesystem::path const& file) {
  return open_private_as(file, GENERIC_READ, OPEN_EXISTING);
}
COMCP_DECL result<file_descriptor> open_private_lock(std::filesystem::path const& file) {
  return open_private_as(file, GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS);
}

COMCP_DECL result<void> make_private_folders(std::filesystem::path const& folder) {
  owner_only owner;
  if (owner.attributes() == nullptr) return file_error(::GetLastError(), "make private", folder);
  std::filesystem::path so_far;
  for (auto const& part : folder) {
    so_far /= part;
    if (::CreateDirectoryW(so_far.c_str(), owner.attributes()) != 0) continue;
    auto const why = ::GetLastError();
    auto const attributes = ::GetFileAttributesW(so_far.c_str());
    bool const there = attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    if (!there && so_far != folder.root_name() && so_far != folder.root_path()) return file_error(why, "make the folder", so_far);
  }
  return {};
}

COMCP_DECL result<std::filesystem::path> user_data_folder() {
  auto data = path_from_text(environment_variable("LOCALAPPDATA").value_or(""));
  if (!data.is_absolute()) return error(errc::not_found, "no home for the file of credentials: LOCALAPPDATA is not set");
  return data;
}

COMCP_DECL result<bool> try_lock(file_descriptor const& opened, std::filesystem::path const& file) {
  OVERLAPPED whole{};
  constexpr DWORD how = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, all = 0xFFFFFFFF;
  if (::LockFileEx(reinterpret_cast<HANDLE>(opened.get()), how, 0, all, all, &whole) != 0) return true;
  auto const why = ::GetLastError();
  if (why == ERROR_LOCK_VIOLATION || why == ERROR_IO_PENDING) return false;
  return file_error(why, "lock", file);
}

}  // namespace comcp::detail

#endif
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/file_token_store.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_FILE_TOKEN_STORE_IPP)
#define COMCP_SINGLE_AUTH_IMPL_FILE_TOKEN_STORE_IPP
#include <algorithm>
#include <map>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

namespace comcp {
namespace detail {

inline constexpr std::size_t largest_token_file = std::size_t{4} << 20;
inline constexpr std::chrono::milliseconds longest_save{5000};  // of others, until a save of ours gives up

using secret_texts = std::map<std::string, std::string, std::less<>>;

COMCP_LAZY result<secret_texts> parse_secrets(std::string_view text, std::filesystem::path const& file) {
  auto const foreign = [&] { return error(errc::wrong_shape, text_of_path(file) + " is no file of credentials of comcp's"); };
  auto const parsed = json::parse(text);
  if (!parsed) return foreign();
  auto const all = parsed->view();
  auto const version = all.find("version");
  auto const entries = all.find("entries");
  if (all.size() != 2 || !version || version->get_int64() != 1 || !entries || !entries->is_object()) return foreign();
  secret_texts out;
  for (auto const& [name, value] : entries->members()) {
    auto const one = value.get_string();
    if (!one) return foreign();
    out.emplace(name, *one);
  }
  return out;
}

COMCP_LAZY result<secret_texts> read_secrets(std::filesystem::path const& file) {
  auto const fd = open_private(file);
  if (!fd) return fd.error();
  if (fd->get() < 0) return secret_texts();
  auto const text = read_rest(*fd, largest_token_file, file);
  if (!text) return text.error();
  if (text->size() > largest_token_file) return error(errc::limit_exceeded, text_of_path(file) + " is larger than 4 MiB");
  return parse_secrets(*text, file);
}

COMCP_LAZY result<void> write_secrets(secret_texts const& texts, std::filesystem::path const& file) {
  json::writer w;
  try {
    w.begin_object().key("version").integer(1).key("entries").begin_object();
    for (auto const& [name, text] : texts) w.key(name).string(text);
    w.end_object().end_object();
  } catch (exception const&) {
    return error(errc::invalid_argument, "the text of a secret is no UTF-8");
  }
  if (w.text().size() > largest_token_file) return error(errc::limit_exceeded, text_of_path(file) + " would exceed 4 MiB");
  return replace_file(file, w.text(), 0600);
}

// Waits by asking again: what waits for a file's lock stops the whole thread. The end of the descriptor ends the lock.
COMCP_LAZY asio::awaitable<result<std::shared_ptr<void>>> take_file_lock(std::filesystem::path file,
                                                                         std::chrono::milliseconds most) {
  auto made = make_private_folders(file.parent_path());
  if (!made) co_return made.error();
  auto opened = open_private_lock(file);
  if (!opened) co_return opened.error();
  auto const until = lock_deadline(most);
  auto const executor = co_await asio::this_coro::executor;
  asio::steady_timer pause(executor);
  sansio::backoff pauses(reconnect_policy::forever().delay(std::chrono::milliseconds(5), std::chrono::milliseconds(50)));
  for (auto locked = try_lock(*opened, file); !locked || !*locked; locked = try_lock(*opened, file)) {
    if (!locked) co_return locked.error();
    auto const now = std::chrono::steady_clock::now();
    if (now >= until) co_return lock_timeout();
    pause.expires_at(std::min(until, now + pauses.failed(0).value()));
    co_await pause.async_wait(net::tuple_awaitable);
  }
  std::shared_ptr<void> held = std::make_shared<file_descriptor>(std::move(*opened));
  co_return held;
}

}  // namespace detail

struct file_token_store::state {
  explicit state(std::filesystem::path f) {
    std::error_code ignored;
    file = std::filesystem::absolute(f, ignored);
    if (file.empty()) file = std::move(f);
  }

  static std::filesystem::path beside(std::filesystem::path file, std::string const& ending) { return file += ending; }

  // Where the file is now, if it and the name can be used.
  [[nodiscard]] result<std::filesystem::path> target(std::string const& name) const {
    if (auto const known = detail::check_secret_name(name); !known) return known.error();
    if (!file.has_filename()) return error(errc::invalid_argument, "no file for the credentials");
    return detail::link_target(file);
  }

  COMCP_LAZY static asio::awaitable<result<std::optional<secret>>> load(std::shared_ptr<state> self, std::string name) {
    auto const target = self->target(name);
    if (!target) co_return target.error();
    auto texts = detail::read_secrets(*target);
    if (!texts) co_return texts.error();
    auto const found = texts->find(name);
    if (found == texts->end()) co_return std::optional<secret>();
    co_return std::optional<secret>(secret(std::move(found->second)));
  }

  COMCP_LAZY static asio::awaitable<result<void>> replace(std::shared_ptr<state> self, std::string name,
                                                          std::optional<secret> text) {
    auto const target = self->target(name);
    if (!target) co_return target.error();
    auto const guard = co_await detail::take_file_lock(beside(*target, ".lock"), detail::longest_save);
    if (!guard) co_return guard.error();
    auto texts = detail::read_secrets(*target);
    if (!texts) co_return texts.error();
    if (text) {
      texts->insert_or_assign(std::move(name), text->reveal());
    } else if (texts->erase(name) == 0) {
      co_return result<void>();
    }
    co_return detail::write_secrets(*texts, *target);
  }

  COMCP_LAZY static asio::awaitable<result<std::shared_ptr<void>>> lock(std::shared_ptr<state> self, std::string name,
                                                                        std::chrono::milliseconds most) {
    auto const target = self->target(name);
    if (!target) co_return target.error();
    auto file = beside(*target, "." + to_hex(sha256(name)).substr(0, 16) + ".lock");
    auto held = co_await detail::take_file_lock(std::move(file), most);
    co_return held;
  }

  std::filesystem::path file;
};

COMCP_LAZY_DECL file_token_store::file_token_store(std::filesystem::path file)
    : state_(std::make_shared<state>(std::move(file))) {}

COMCP_LAZY_DECL result<std::filesystem::path> file_token_store::usual_path() {
  auto data = detail::user_data_folder();
  if (!data) return data.error();
  return *data / "comcp" / "tokens.json";
}

COMCP_LAZY_DECL asio::awaitable<result<std::optional<secret>>> file_token_store::load(std::string name) {
  return state::load(state_, std::move(name));
}
COMCP_LAZY_DECL asio::awaitable<result<void>> file_token_store::save(std::string name, secret text) {
  return state::replace(state_, std::move(name), std::move(text));
}
COMCP_LAZY_DECL asio::awaitable<result<void>> file_token_store::remove(std::string name) {
  return state::replace(state_, std::move(name), std::nullopt);
}
COMCP_LAZY_DECL asio::awaitable<result<std::shared_ptr<void>>> file_token_store::lock(std::string name,
                                                                                      std::chrono::milliseconds most) {
  return state::lock(state_, std::move(name), most);
}

}  // namespace comcp
#endif
#endif
#endif

// auth/header_auth.hpp
#if !defined(COMCP_SINGLE_AUTH_HEADER_AUTH_HPP)
#define COMCP_SINGLE_AUTH_HEADER_AUTH_HPP
// Credentials in header fields of the user's own: API keys and the like.

#include <memory>
#include <string>

namespace comcp {

/// Sends the same fields with every request, and gives up at a challenge. Copies share them, and are one identity.
class header_auth {
 public:
  /// errc::invalid_argument at the first request for a name that is no token, a value that no header carries, and the
  /// names that the protocol sets itself. A value is never in an error.
  COMCP_LAZY header_auth(std::string name, secret value);
  /// One more field; of one name the last one counts.
  header_auth& add(std::string name, secret value) &;
  header_auth&& add(std::string name, secret value) &&;

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const& request);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const& request,
                                                                            http_headers const& sent,
                                                                            http_response_head const& got);
  COMCP_LAZY [[nodiscard]] std::string identity() const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/header_auth.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_HEADER_AUTH_IPP)
#define COMCP_SINGLE_AUTH_IMPL_HEADER_AUTH_IPP
#include <atomic>
#include <cstdint>
#include <utility>

namespace comcp {

struct header_auth::state {
  state() {
    static std::atomic<std::uint64_t> count{0};
    number = ++count;
  }

  void add(std::string name, secret const& value) {
    if (unusable) return;
    if (is_protocol_header(name)) {
      unusable = error(errc::invalid_argument, "a header that only comcp may set: " + name);
    } else if (auto const added = fields.set(std::move(name), value.reveal()); !added) {
      unusable = added.error();
    }
  }

  std::uint64_t number = 0;
  http_headers fields;
  error unusable;
};

COMCP_LAZY_DECL header_auth::header_auth(std::string name, secret value) : state_(std::make_shared<state>()) {
  state_->add(std::move(name), value);
}

COMCP_DECL header_auth& header_auth::add(std::string name, secret value) & {
  state_->add(std::move(name), value);
  return *this;
}

COMCP_DECL header_auth&& header_auth::add(std::string name, secret value) && {
  return std::move(add(std::move(name), std::move(value)));
}

COMCP_LAZY_DECL asio::awaitable<result<http_headers>> header_auth::headers(auth_request const&) {
  auto const s = state_;
  if (s->unusable) co_return s->unusable;
  co_return s->fields;
}

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> header_auth::challenged(auth_request const&, http_headers const&,
                                                                              http_response_head const&) {
  co_return auth_verdict::give_up;
}

COMCP_LAZY_DECL std::string header_auth::identity() const { return "header " + std::to_string(state_->number); }

}  // namespace comcp
#endif
#endif
#endif

// auth/loopback_redirect.hpp
#if !defined(COMCP_SINGLE_AUTH_LOOPBACK_REDIRECT_HPP)
#define COMCP_SINGLE_AUTH_LOOPBACK_REDIRECT_HPP
// The bundled user agent: the system's browser, and a listener on 127.0.0.1 to which it returns (RFC 8252, section 7.3).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

// auth/user_agent.hpp
#if !defined(COMCP_SINGLE_AUTH_USER_AGENT_HPP)
#define COMCP_SINGLE_AUTH_USER_AGENT_HPP
// The user's browser as a seam: it is sent to a URL and comes back with a redirect.

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp {

/// One visit of the browser: made before the authorization request, as that names its redirect URI.
/// redirect_uri() is an http URL of loopback or an https URL. visit(url) takes the user there and
/// completes with the whole redirect; it may be cancelled, and the caller bounds how long it takes.
template <class V>
concept browser_visit = std::move_constructible<V> && requires(V v, http_url url) {
  { v.redirect_uri() } -> std::same_as<std::string>;
  { v.visit(url) } -> std::same_as<asio::awaitable<result<secret>>>;
};

namespace detail {
template <class T>
inline constexpr bool is_start_of_visit = false;
template <class V>
inline constexpr bool is_start_of_visit<asio::awaitable<result<V>>> = browser_visit<V>;
}  // namespace detail

/// Starts visits. `known` are redirect URIs that a stored registration has: one of them is taken where that is possible.
/// Where start() takes a second argument, that is the issuer at which a new redirect URI is going to be registered, so that
/// it can be one of its own (RFC 9700, section 4.4); empty where the client is known there already, with its redirects.
/// Called on the client's executor. What visit() is part of is kept until it ends.
template <class U>
concept user_agent = std::copy_constructible<U> && requires(U u, std::vector<std::string> known) {
  requires detail::is_start_of_visit<decltype(u.start(known))>;  // asio::awaitable<result<Visit>>, Visit a browser_visit
};

/// Any visit, type-erased.
class any_visit {
 public:
  any_visit() = default;
  template <class V>
    requires(!std::same_as<V, any_visit>)
  explicit any_visit(V v) : self_(std::make_shared<model<V>>(std::move(v))) {
    static_assert(browser_visit<V>,
                  "comcp: this type is no visit of a browser: it needs redirect_uri() and visit(url) as "
                  "comcp/auth/user_agent.hpp says");
  }
  [[nodiscard]] std::string redirect_uri() const { return self_->redirect_uri(); }
  [[nodiscard]] asio::awaitable<result<secret>> visit(http_url url) { return self_->visit(std::move(url)); }

 private:
  struct base {
    virtual ~base() = default;
    virtual std::string redirect_uri() = 0;
    virtual asio::awaitable<result<secret>> visit(http_url) = 0;
  };
  template <class V>
  struct model final : base {
    explicit model(V v) : impl(std::move(v)) {}
    std::string redirect_uri() override { return impl.redirect_uri(); }
    asio::awaitable<result<secret>> visit(http_url u) override { return impl.visit(std::move(u)); }
    V impl;
  };
  std::shared_ptr<base> self_;
};

/// Any user agent, type-erased. Regular; empty by default: then a flow that needs the user ends with errc::login_required.
class any_user_agent {
 public:
  any_user_agent() = default;
  template <class U>
    requires(!std::same_as<U, any_user_agent>)
  any_user_agent(U agent)  // NOLINT: converting on purpose
      : start_([u = std::move(agent)](std::vector<std::string> known, std::string issuer) mutable {
          return begin(u, std::move(known), std::move(issuer));
        }) {
    static_assert(user_agent<U>,
                  "comcp: this type is no user agent: it needs start(known), which gives an asio::awaitable of a result "
                  "of a browser_visit, as comcp/auth/user_agent.hpp says");
  }

  explicit operator bool() const noexcept { return static_cast<bool>(start_); }
  [[nodiscard]] asio::awaitable<result<any_visit>> start(std::vector<std::string> known, std::string issuer = {}) const {
    return start_(std::move(known), std::move(issuer));
  }

 private:
  template <class U>
  static auto started_by(U& agent, std::vector<std::string> known, [[maybe_unused]] std::string issuer) {
    if constexpr (requires { agent.start(known, issuer); }) {
      return agent.start(std::move(known), std::move(issuer));
    } else {
      return agent.start(std::move(known));
    }
  }
  template <class U>
  static asio::awaitable<result<any_visit>> begin(U agent, std::vector<std::string> known, std::string issuer) {
    auto starting = started_by(agent, std::move(known), std::move(issuer));
    auto started = co_await std::move(starting);
    if (!started) co_return started.error();
    co_return any_visit(std::move(*started));
  }
  mutable std::function<asio::awaitable<result<any_visit>>(std::vector<std::string>, std::string)> start_;
};

/// A user agent from a fixed redirect URI and a callback that gets the URL and returns the redirect (whole, or its query).
/// What it throws ends the flow with errc::unauthorized, a comcp::exception with its own error.
class browser_callback {
 public:
  using function = std::function<asio::awaitable<std::string>(http_url)>;
  browser_callback(std::string redirect_uri, function f) : uri_(std::move(redirect_uri)), function_(std::move(f)) {}

  class one_visit {
   public:
    one_visit(std::string uri, function f) : uri_(std::move(uri)), function_(std::move(f)) {}
    [[nodiscard]] std::string redirect_uri() const { return uri_; }
    [[nodiscard]] asio::awaitable<result<secret>> visit(http_url url);

   private:
    std::string uri_;
    function function_;
  };
  [[nodiscard]] asio::awaitable<result<one_visit>> start(std::vector<std::string> known);

 private:
  std::string uri_;
  function function_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/user_agent.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_USER_AGENT_IPP)
#define COMCP_SINGLE_AUTH_IMPL_USER_AGENT_IPP
#include <system_error>

#include <asio/error.hpp>

namespace comcp {
namespace detail {

COMCP_DECL asio::awaitable<result<secret>> call_browser(browser_callback::function f, http_url url) {
  try {
    auto asking = f(std::move(url));
    std::string redirect = co_await std::move(asking);
    co_return secret(std::move(redirect));
  } catch (exception const& e) {
    co_return e.error();
  } catch (std::system_error const& e) {
    if (e.code() == asio::error::operation_aborted) co_return error(errc::cancelled);
    co_return error(errc::unauthorized, "the browser callback failed");
  } catch (...) {
    co_return error(errc::unauthorized, "the browser callback failed");
  }
}

COMCP_DECL asio::awaitable<result<browser_callback::one_visit>> begin_visit(std::string uri, browser_callback::function f) {
  co_return browser_callback::one_visit(std::move(uri), std::move(f));
}

}  // namespace detail

COMCP_DECL asio::awaitable<result<secret>> browser_callback::one_visit::visit(http_url url) {
  return detail::call_browser(function_, std::move(url));
}

COMCP_DECL asio::awaitable<result<browser_callback::one_visit>> browser_callback::start(std::vector<std::string>) {
  return detail::begin_visit(uri_, function_);
}

}  // namespace comcp
#endif
#endif
#endif

// net/loopback_listener.hpp
#if !defined(COMCP_SINGLE_NET_LOOPBACK_LISTENER_HPP)
#define COMCP_SINGLE_NET_LOOPBACK_LISTENER_HPP
// An HTTP listener on 127.0.0.1 for one redirect of a browser. It answers one request of the expected path and 404s the
// rest. What the redirect says is judged elsewhere.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

namespace comcp::net {

/// Where to listen.
class loopback_place {
 public:
  loopback_place() {}
  /// 0, the default: the system chooses.
  loopback_place& port(std::uint16_t p) { return port_ = p, *this; }
  /// "/callback" by default: letters, digits and -._~/ after a slash, without "." and ".." as parts.
  loopback_place& path(std::string p) { return path_ = std::move(p), *this; }
  /// What uri() calls this machine: "127.0.0.1", the default, or "localhost", at which another program may listen on ::1.
  loopback_place& host(std::string h) { return host_ = std::move(h), *this; }
  loopback_place& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] std::string const& host() const noexcept { return host_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }

 private:
  std::uint16_t port_ = 0;
  std::string path_ = "/callback", host_ = "127.0.0.1";
  std::shared_ptr<time_source> time_ = steady_time();
};

/// Listens from open() until its last copy is destroyed. Used from its executor only.
class loopback_listener {
 public:
  /// errc::connect_failed where the port is taken, invalid_argument for another path or host than loopback_place says.
  COMCP_LAZY static result<loopback_listener> open(asio::any_io_executor executor, loopback_place place);

  /// "http://127.0.0.1:PORT/PATH".
  COMCP_LAZY [[nodiscard]] std::string uri() const;

  /// A page of ours that sends a browser on to `where`, once: whoever asks for it again is refused, and the wait ends with
  /// errc::denied, as somebody may have been there before the user. `path` is hard to guess, and both are as a header
  /// carries them; gives the page's URL.
  COMCP_LAZY std::string lead(std::string path, std::string where);

  /// The first GET of the path whose Host is ours, and whose query `accepts` takes: uri() with that query. Everything else
  /// is answered (404, 405, 400) and waited past, however much of it comes: 8 KiB of head, 10 s each, 64 connections at
  /// once, of which the oldest gives way to a new one. The browser gets a small page without scripts that says whether to
  /// go back to the program. One wait at a time; it may be cancelled.
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<secret>> wait(std::function<bool(std::string_view query)> accepts);

 private:
  struct state;
  explicit loopback_listener(std::shared_ptr<state> s) : state_(std::move(s)) {}
  std::shared_ptr<state> state_;
};

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// net/impl/loopback_listener.ipp
#if !defined(COMCP_SINGLE_NET_IMPL_LOOPBACK_LISTENER_IPP)
#define COMCP_SINGLE_NET_IMPL_LOOPBACK_LISTENER_IPP
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <system_error>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>

namespace comcp::net {
namespace detail {

inline constexpr std::size_t loopback_connections = 64, loopback_head = 8192;
inline constexpr std::chrono::seconds loopback_patience{10};

/// The head of one request, as far as it matters here.
class loopback_request {
 public:
  loopback_request() = default;
  std::string_view method, path, query;
  std::optional<std::string_view> host;
};

COMCP_LAZY bool is_visible(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

COMCP_LAZY bool is_host_field(std::string_view name) noexcept {
  constexpr std::string_view host = "host";
  return std::equal(name.begin(), name.end(), host.begin(), host.end(), [](char a, char b) { return (a | 0x20) == b; });
}

COMCP_LAZY bool read_request_line(std::string_view line, loopback_request& out) {
  auto const first = line.find(' ');
  auto const last = line.rfind(' ');
  if (first == line.npos || first == last) return false;
  out.method = line.substr(0, first);
  auto const target = line.substr(first + 1, last - first - 1);
  auto const version = line.substr(last + 1);
  if (!is_visible(target) || !target.starts_with('/') || target.find('#') != target.npos) return false;
  auto const mark = target.find('?');
  out.path = target.substr(0, mark);
  if (mark != target.npos) out.query = target.substr(mark + 1);
  return !out.method.empty() && is_visible(out.method) && (version == "HTTP/1.1" || version == "HTTP/1.0");
}

/// `head` ends with the CRLF of its last line, and outlives what it is read into. Nothing for what is no request.
COMCP_LAZY std::optional<loopback_request> read_loopback_request(std::string_view head) {
  loopback_request out;
  bool first = true;
  while (!head.empty()) {
    auto const end = head.find("\r\n");
    auto const line = head.substr(0, end);
    head.remove_prefix(end + 2);
    bool const plain = std::none_of(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7F;
    });
    if (!plain) return {};
    if (std::exchange(first, false)) {
      if (!read_request_line(line, out)) return {};
      continue;
    }
    auto const colon = line.find(':');
    if (colon == line.npos || colon == 0 || !is_visible(line.substr(0, colon))) return {};
    if (!is_host_field(line.substr(0, colon))) continue;
    if (out.host) return {};
    auto value = line.substr(colon + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
    while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
    out.host = value;
  }
  return out;
}

COMCP_LAZY std::string loopback_page(std::string_view status, std::string_view title, std::string_view text,
                                     std::string_view location = {}) {
  std::string body = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>";
  body.append(title).append("</title><link rel=\"icon\" href=\"data:,\"></head><body><h1>").append(title);
  body.append("</h1><p>").append(text).append("</p></body></html>\n");
  std::string out = "HTTP/1.1 ";
  out.append(status).append("\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ");
  out.append(std::to_string(body.size()));
  out.append(
      "\r\nConnection: close\r\nCache-Control: no-store\r\nContent-Security-Policy: default-src 'none'\r\n"
      "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n");
  if (status.starts_with("405")) out.append("Allow: GET\r\n");
  if (!location.empty()) out.append("Location: ").append(location).append("\r\n");
  return out.append("\r\n").append(body);
}

COMCP_LAZY bool is_refusal(std::string_view query) noexcept {
  return query.starts_with("error=") || query.find("&error=") != query.npos;
}

COMCP_LAZY bool is_loopback_path(std::string_view path) noexcept {
  auto const fits = [](char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || std::string_view("-._~/").find(c) < 5;
  };
  if (!path.starts_with('/') || !std::all_of(path.begin(), path.end(), fits)) return false;
  for (std::string_view const dots : {"/.", "/.."}) {
    if (path.ends_with(dots) || path.find(std::string(dots) + "/") != path.npos) return false;
  }
  return true;
}

}  // namespace detail

struct loopback_listener::state {
  using tcp = asio::ip::tcp;
  state(asio::any_io_executor executor, loopback_place p) : acceptor(std::move(executor)), place(std::move(p)) {}

  [[nodiscard]] std::error_code listen() {
    std::error_code ec;
    tcp::endpoint const where(asio::ip::address_v4::loopback(), place.port());
    acceptor.open(tcp::v4(), ec);
    if (ec) return ec;
    keep_from_children(acceptor.native_handle());
    ec = claim_port(acceptor);
    if (!ec) acceptor.bind(where, ec);
    if (!ec) acceptor.listen(static_cast<int>(detail::loopback_connections), ec);
    if (ec) return ec;
    auto const bound = acceptor.local_endpoint(ec);
    if (!ec) place.port(bound.port());
    return ec;
  }

  [[nodiscard]] std::string authority() const { return place.host() + ":" + std::to_string(place.port()); }
  [[nodiscard]] std::string uri() const { return "http://" + authority() + place.path(); }
  [[nodiscard]] bool is_ours(std::optional<std::string_view> host) const {
    return host == authority() || (place.port() == 80 && host == place.host());
  }

  struct round;
  struct end_of_round;
  COMCP_LAZY static asio::awaitable<result<secret>> wait(std::shared_ptr<state> self,
                                                         std::function<bool(std::string_view)> accepts);
  COMCP_LAZY static asio::awaitable<void> accept_all(std::shared_ptr<round> r);
  COMCP_LAZY static asio::awaitable<void> serve(std::shared_ptr<round> r, std::shared_ptr<tcp::socket> socket);

  tcp::acceptor acceptor;
  loopback_place place;
  std::string lead_path, lead_to;
  bool led = false;
};

// What one wait and its connections share.
struct loopback_listener::state::round {
  round(std::shared_ptr<state> s, std::function<bool(std::string_view)> f)
      : of(std::move(s)), accepts(std::move(f)), finished(of->acceptor.get_executor()) {}

  void finish(result<secret> how) {
    if (!outcome) outcome.emplace(std::move(how));
    finished.open();
  }

  // The page for one request; one that is taken keeps its redirect.
  [[nodiscard]] std::string answer(std::string_view head) {
    auto const request = detail::read_loopback_request(head);
    if (!request || !of->is_ours(request->host)) return bad();
    bool const leads = !of->lead_path.empty() && comcp::detail::same_secret(request->path, of->lead_path);
    if (!leads && request->path != of->place.path()) {
      return detail::loopback_page("404 Not Found", "Nothing here", "There is no such page.");
    }
    if (request->method != "GET") {
      return detail::loopback_page("405 Method Not Allowed", "Not like this", "Only GET is answered.");
    }
    if (leads) return lead();
    if (taken || refused || !takes(request->query)) return bad();
    taken = secret(of->uri().append("?").append(request->query));
    if (detail::is_refusal(request->query)) {
      return detail::loopback_page("200 OK", "Not logged in",
                                   "Access was not granted. Go back to the program to see why; this page can be closed.");
    }
    return detail::loopback_page("200 OK", "Back to the program",
                                 "The program goes on from here. This page can be closed.");
  }

  [[nodiscard]] std::string lead() {
    if (!std::exchange(of->led, true)) return detail::loopback_page("302 Found", "To the login", "Go on there.", of->lead_to);
    refused = error(errc::denied, "the page that leads to the login was opened twice: somebody else may have read it");
    return detail::loopback_page("410 Gone", "Not again", "This page was opened before. Begin the login anew.");
  }

  [[nodiscard]] static std::string bad() {
    return detail::loopback_page("400 Bad Request", "Not expected", "This request belongs to no login that is under way.");
  }

  [[nodiscard]] bool takes(std::string_view query) const noexcept {
    try {
      return accepts(query);
    } catch (...) {
      return false;
    }
  }

  std::shared_ptr<state> of;
  std::function<bool(std::string_view)> accepts;
  comcp::detail::gate finished;
  std::optional<result<secret>> outcome;
  std::optional<secret> taken;
  std::optional<error> refused;
  std::deque<std::shared_ptr<tcp::socket>> sockets;  // the oldest first
  bool over = false;
};

// Ends the connections also when the coroutine that waits is destroyed.
struct loopback_listener::state::end_of_round {
  explicit end_of_round(std::shared_ptr<round> r) : of(std::move(r)) {}
  end_of_round(end_of_round const&) = delete;
  end_of_round& operator=(end_of_round const&) = delete;
  ~end_of_round() {
    of->over = true;
    std::error_code ignored;
    of->of->acceptor.cancel(ignored);
    for (auto const& socket : of->sockets) socket->close(ignored);
  }
  std::shared_ptr<round> of;
};

COMCP_LAZY_DECL asio::awaitable<result<secret>> loopback_listener::state::wait(
    std::shared_ptr<state> self, std::function<bool(std::string_view)> accepts) {
  auto const r = std::make_shared<round>(self, std::move(accepts));
  end_of_round const at_the_end(r);
  comcp::detail::spawn(self->acceptor.get_executor(), accept_all(r));
  co_await r->finished.wait();
  co_return std::move(*r->outcome);
}

// Whoever connects and says nothing keeps nobody out: the oldest goes where there are too many.
COMCP_LAZY_DECL asio::awaitable<void> loopback_listener::state::accept_all(std::shared_ptr<round> r) {
  auto& self = *r->of;
  std::error_code ignored;
  while (!r->over && !r->taken) {
    auto const socket = std::make_shared<tcp::socket>(self.acceptor.get_executor());
    auto const [failed] = co_await self.acceptor.async_accept(*socket, tuple_awaitable);
    if (r->over || r->taken) break;
    if (failed) {  // the machine has no descriptor left, or the peer is gone: not at full speed
      co_await comcp::detail::pause_until(self.place.time(), self.place.time()->now() + std::chrono::milliseconds(50));
      continue;
    }
    keep_from_children(socket->native_handle());
    if (r->sockets.size() == detail::loopback_connections) {
      r->sockets.front()->close(ignored);
      r->sockets.pop_front();
    }
    r->sockets.push_back(socket);
    comcp::detail::spawn(self.acceptor.get_executor(), serve(r, socket));
  }
}

COMCP_LAZY_DECL asio::awaitable<void> loopback_listener::state::serve(std::shared_ptr<round> r,
                                                                      std::shared_ptr<tcp::socket> socket) {
  auto const time = r->of->place.time();
  auto const alarm = time->make_deadline(socket->get_executor());
  std::function<void()> give_up = [socket] {
    std::error_code ignored;
    socket->close(ignored);
  };
  alarm->arm(time->now() + detail::loopback_patience, std::move(give_up));
  std::string head;
  std::array<char, 1024> part;
  auto end = head.npos;
  while (end == head.npos && head.size() <= detail::loopback_head) {
    auto const [failed, n] = co_await socket->async_read_some(asio::buffer(part), tuple_awaitable);
    if (failed) break;
    head.append(part.data(), n);
    end = head.find("\r\n\r\n");
  }
  bool const was_taken = r->taken.has_value();
  if (end == head.npos || end > detail::loopback_head) head.clear();
  std::string page;
  if (!r->over && socket->is_open()) page = r->answer(std::string_view(head).substr(0, end + 2));
  static_cast<void>(co_await asio::async_write(*socket, asio::buffer(page), tuple_awaitable));
  std::error_code ignored;
  socket->shutdown(tcp::socket::shutdown_send, ignored);
  socket->close(ignored);
  std::erase(r->sockets, socket);
  if (r->over) co_return;
  if (!was_taken && r->taken) r->finish(*r->taken);
  if (r->refused) r->finish(*r->refused);
}

COMCP_LAZY_DECL result<loopback_listener> loopback_listener::open(asio::any_io_executor executor,
                                                                  loopback_place place) {
  if (!detail::is_loopback_path(place.path())) return error(errc::invalid_argument, "not a path for a redirect: " + place.path());
  if (place.host() != "127.0.0.1" && place.host() != "localhost") {
    return error(errc::invalid_argument, "a listener for redirects is at 127.0.0.1 or localhost, not at " + place.host());
  }
  auto const wanted = place.port();
  auto s = std::make_shared<state>(std::move(executor), std::move(place));
  if (auto const failed = s->listen()) {
    return error(errc::connect_failed, "cannot listen on 127.0.0.1:" + std::to_string(wanted) + ": " + failed.message());
  }
  return loopback_listener(std::move(s));
}

COMCP_LAZY_DECL std::string loopback_listener::uri() const { return state_->uri(); }

COMCP_LAZY_DECL std::string loopback_listener::lead(std::string path, std::string where) {
  state_->lead_path = std::move(path);
  state_->lead_to = std::move(where);
  state_->led = false;
  return "http://" + state_->authority() + state_->lead_path;
}

COMCP_LAZY_DECL asio::awaitable<result<secret>> loopback_listener::wait(std::function<bool(std::string_view)> accepts) {
  return state::wait(state_, std::move(accepts));
}

}  // namespace comcp::net
#endif
#endif
#endif

namespace comcp {

/// Opens the system's browser at an http or https URL, without a shell: the URL is one argument, and every character that a
/// script behind it might take for something else is escaped. `open` on macOS; on Windows what the user has chosen for http
/// and https; elsewhere xdg-open where there is a display, or what $BROWSER names as one absolute path. errc::not_found
/// where there is none; invalid_argument for a URL that was moved from. Does not wait for it; it inherits no descriptor and
/// outlives this process.
result<void> open_browser(http_url const& url);

namespace detail {
// To stderr.
void print_login_url(http_url const& url);
// The URL with every character as %XX that a script or a desktop's launcher might not take literally.
std::string browser_argument(http_url const& url);
// Starts this system's browser with it, and waits for nothing but the start.
result<void> start_browser(std::string argument);
}  // namespace detail

/// Prints the URL to stderr and opens the browser too, unless told otherwise. The browser's argument, which every user of the
/// machine can read, is a page of the listener that leads to the URL once; when it is asked for again, the visit ends with
/// errc::denied. Regular.
class loopback_redirect {
 public:
  using opener = std::function<result<void>(http_url const&)>;
  loopback_redirect() = default;
  /// 0, the default: the system chooses. A registration that pins its port needs it said here.
  loopback_redirect& port(std::uint16_t p) & { return port_ = p, *this; }
  /// As net::loopback_place has it. By default "/callback", with a part more for each issuer at which a registration is made,
  /// so that no other authorization server's answer comes there.
  loopback_redirect& path(std::string p) & { return path_ = std::move(p), *this; }
  /// "127.0.0.1" by default; "localhost" for servers that accept no other, at the risk that another program of this
  /// machine listens on ::1.
  loopback_redirect& host(std::string h) & { return host_ = std::move(h), *this; }
  /// What opens the URL, itself, in place of open_browser(); its error is not the end: the printed URL can still be opened by
  /// hand.
  loopback_redirect& open_with(opener f) & { return open_ = std::move(f), by_page_ = false, *this; }
  /// Only print: for machines without a browser.
  loopback_redirect& print_only() & { return open_with({}); }
  /// What shows the URL to the user in place of stderr; may be empty.
  loopback_redirect& show_with(std::function<void(http_url const&)> f) & { return show_ = std::move(f), *this; }
  loopback_redirect&& port(std::uint16_t p) && { return std::move(port(p)); }
  loopback_redirect&& path(std::string p) && { return std::move(path(std::move(p))); }
  loopback_redirect&& host(std::string h) && { return std::move(host(std::move(h))); }
  loopback_redirect&& open_with(opener f) && { return std::move(open_with(std::move(f))); }
  loopback_redirect&& print_only() && { return std::move(print_only()); }
  loopback_redirect&& show_with(std::function<void(http_url const&)> f) && { return std::move(show_with(std::move(f))); }

  class visit_in_progress {
   public:
    COMCP_LAZY visit_in_progress(net::loopback_listener listener, loopback_redirect const& how);
    COMCP_LAZY [[nodiscard]] std::string redirect_uri() const;
    /// The redirect that has the `state` of the URL; others are answered and waited past. errc::invalid_argument for a URL
    /// without one.
    COMCP_LAZY [[nodiscard]] asio::awaitable<result<secret>> visit(http_url url);

   private:
    COMCP_LAZY static asio::awaitable<result<secret>> go(visit_in_progress self, http_url url);
    COMCP_LAZY void open(http_url const& url, secret const& state);

    net::loopback_listener listener_;
    opener open_;
    bool by_page_;
    std::function<void(http_url const&)> show_;
  };
  /// Without a port of its own, it takes that of a known redirect URI with its host and path, if that is free.
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<visit_in_progress>> start(std::vector<std::string> known,
                                                                            std::string issuer = {});

 private:
  COMCP_LAZY static asio::awaitable<result<visit_in_progress>> begin(loopback_redirect how,
                                                                     std::vector<std::string> known,
                                                                     std::string issuer);

  std::uint16_t port_ = 0;
  std::optional<std::string> path_;
  std::string host_ = "127.0.0.1";
  opener open_;
  bool by_page_ = true;
  std::function<void(http_url const&)> show_ = detail::print_login_url;
};

}  // namespace comcp

// auth/form.hpp
#if !defined(COMCP_SINGLE_AUTH_FORM_HPP)
#define COMCP_SINGLE_AUTH_FORM_HPP
// application/x-www-form-urlencoded, in which OAuth speaks: bodies, queries and redirects. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace comcp {

/// Fields in the order in which they were added. Regular. Its values may be secrets: text() is for the wire alone.
class form_fields {
 public:
  form_fields() = default;

  /// What a body or a query (without its question mark) says. Malformed escapes and more than 256 fields are
  /// errc::invalid_argument; the error quotes nothing.
  static result<form_fields> parse(std::string_view text);

  form_fields& add(std::string_view name, std::string_view value);
  form_fields& set(std::string_view name, std::string_view value);

  /// The value of that name; null where there is none.
  [[nodiscard]] std::string const* find(std::string_view name) const noexcept;
  [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
  [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
  [[nodiscard]] auto end() const noexcept { return fields_.end(); }
  /// As it goes over the wire: "a=1&b=x+y".
  [[nodiscard]] std::string text() const;

  friend bool operator==(form_fields const&, form_fields const&) = default;

 private:
  std::vector<http_field> fields_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/form.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_FORM_IPP)
#define COMCP_SINGLE_AUTH_IMPL_FORM_IPP
#include <algorithm>
#include <optional>
#include <utility>

namespace comcp {
namespace detail {

inline constexpr std::size_t max_form_fields = 256;

COMCP_DECL std::optional<std::string> form_decoded(std::string_view text) {
  auto const digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = static_cast<char>(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (text.size() - i < 3) return {};
    int const high = digit(text[i + 1]), low = digit(text[i + 2]);
    if (high < 0 || low < 0) return {};
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

COMCP_DECL void append_form_encoded(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || c == '*' || c == '-' || c == '.' || c == '_') {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
}

}  // namespace detail

COMCP_DECL result<form_fields> form_fields::parse(std::string_view text) {
  form_fields out;
  while (!text.empty()) {
    auto const end = text.find('&');
    auto const part = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (part.empty()) continue;
    if (out.fields_.size() == detail::max_form_fields) return error(errc::invalid_argument, "a form has more than 256 fields");
    auto const equals = part.find('=');
    auto name = detail::form_decoded(part.substr(0, equals));
    auto value = detail::form_decoded(equals == part.npos ? std::string_view() : part.substr(equals + 1));
    if (!name || !value) return error(errc::invalid_argument, "a form has a malformed escape");
    out.fields_.push_back({std::move(*name), std::move(*value)});
  }
  return out;
}

COMCP_DECL form_fields& form_fields::add(std::string_view name, std::string_view value) {
  fields_.push_back({std::string(name), std::string(value)});
  return *this;
}

COMCP_DECL form_fields& form_fields::set(std::string_view name, std::string_view value) {
  auto const same = [name](http_field const& f) { return f.name == name; };
  auto const first = std::find_if(fields_.begin(), fields_.end(), same);
  if (first == fields_.end()) return add(name, value);
  std::string text(value);  // may be part of what is erased
  fields_.erase(std::remove_if(first + 1, fields_.end(), same), fields_.end());
  first->value = std::move(text);
  return *this;
}

COMCP_DECL std::string const* form_fields::find(std::string_view name) const noexcept {
  for (auto const& f : fields_) {
    if (f.name == name) return &f.value;
  }
  return nullptr;
}

COMCP_DECL std::size_t form_fields::count(std::string_view name) const noexcept {
  return static_cast<std::size_t>(
      std::count_if(fields_.begin(), fields_.end(), [name](http_field const& f) { return f.name == name; }));
}

COMCP_DECL std::string form_fields::text() const {
  std::string out;
  for (auto const& f : fields_) {
    if (!out.empty()) out += '&';
    detail::append_form_encoded(out, f.name);
    out += '=';
    detail::append_form_encoded(out, f.value);
  }
  return out;
}

}  // namespace comcp
#endif
#endif
#endif

// auth/pkce.hpp
#if !defined(COMCP_SINGLE_AUTH_PKCE_HPP)
#define COMCP_SINGLE_AUTH_PKCE_HPP
// Proof Key for Code Exchange (RFC 7636), method S256 alone; and base64url. Pure: randomness is an argument.
// Specification: 2026-07-28, basic/authorization/security-considerations, "Authorization Code Protection"

#include <span>
#include <string>
#include <string_view>

namespace comcp {

/// Base64 with the URL alphabet and no padding (RFC 4648, section 5).
std::string to_base64url(std::span<unsigned char const> bytes);
std::string to_base64url(std::string_view bytes);
/// Strict: other characters, padding and stray bits are errc::wrong_shape.
result<std::string> from_base64url(std::string_view text);

/// The verifier for 32 random bytes: 43 characters.
secret pkce_verifier(std::span<unsigned char const, 32> random);
/// The S256 challenge of a verifier.
std::string pkce_challenge(secret const& verifier);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/pkce.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_PKCE_IPP)
#define COMCP_SINGLE_AUTH_IMPL_PKCE_IPP
#include <algorithm>

namespace comcp {

COMCP_DECL std::string to_base64url(std::span<unsigned char const> bytes) {
  auto out = to_base64(std::as_bytes(bytes));
  while (out.ends_with('=')) out.pop_back();
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

COMCP_DECL std::string to_base64url(std::string_view bytes) {
  return to_base64url(std::span(reinterpret_cast<unsigned char const*>(bytes.data()), bytes.size()));
}

COMCP_DECL result<std::string> from_base64url(std::string_view text) {
  if (text.find_first_of("+/=") != text.npos || text.size() % 4 == 1) return error(errc::wrong_shape, "bad base64url");
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '-', '+');
  std::replace(plain.begin(), plain.end(), '_', '/');
  plain.append((4 - plain.size() % 4) % 4, '=');
  auto const bytes = from_base64(plain);
  if (!bytes) return error(errc::wrong_shape, "bad base64url");
  return std::string(reinterpret_cast<char const*>(bytes->data()), bytes->size());
}

COMCP_DECL secret pkce_verifier(std::span<unsigned char const, 32> random) { return secret(to_base64url(random)); }

COMCP_DECL std::string pkce_challenge(secret const& verifier) { return to_base64url(sha256(verifier.reveal())); }

}  // namespace comcp
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/loopback_redirect.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_LOOPBACK_REDIRECT_IPP)
#define COMCP_SINGLE_AUTH_IMPL_LOOPBACK_REDIRECT_IPP
#include <cstdio>
#include <optional>

#include <asio/this_coro.hpp>

namespace comcp {
namespace detail {

/// The one `state` of a query; nothing where there is none, or several.
COMCP_LAZY std::optional<secret> state_of(std::string_view query) {
  auto const fields = form_fields::parse(query);
  if (!fields || fields->count("state") != 1 || fields->find("state")->empty()) return {};
  return secret(*fields->find("state"));
}

COMCP_DECL void print_login_url(http_url const& url) {
  std::fprintf(stderr, "To log in, open this page in a browser:\n\n  %s\n\n", url.text().c_str());
}

/// The port of a redirect URI that is like ours.
COMCP_LAZY std::optional<std::uint16_t> known_port(std::string const& uri, net::loopback_place const& ours) {
  auto const url = http_url::parse(uri);
  if (!url || url->secure() || url->host() != ours.host() || url->path() != ours.path()) return {};
  if (url->query() || url->fragment()) return {};
  return url->port();
}

}  // namespace detail

COMCP_LAZY_DECL loopback_redirect::visit_in_progress::visit_in_progress(net::loopback_listener listener,
                                                                        loopback_redirect const& how)
    : listener_(std::move(listener)), open_(how.open_), by_page_(how.by_page_), show_(how.show_) {}

COMCP_LAZY_DECL std::string loopback_redirect::visit_in_progress::redirect_uri() const { return listener_.uri(); }

COMCP_LAZY_DECL asio::awaitable<result<secret>> loopback_redirect::visit_in_progress::visit(http_url url) {
  return go(*this, std::move(url));
}

COMCP_LAZY_DECL void loopback_redirect::visit_in_progress::open(http_url const& url, secret const& state) {
  if (open_) static_cast<void>(open_(url));
  if (!by_page_) return;
  // As secret as the state, and says nothing of it.
  auto const path = "/" + pkce_challenge(secret("page for " + state.reveal()));
  auto const page = http_url::parse(listener_.lead(path, detail::browser_argument(url)));
  if (page) static_cast<void>(open_browser(*page));
}

COMCP_LAZY_DECL asio::awaitable<result<secret>> loopback_redirect::visit_in_progress::go(visit_in_progress self,
                                                                                         http_url url) {
  auto const wanted = detail::state_of(url.query().value_or(""));
  if (!wanted) co_return error(errc::invalid_argument, "the authorization URL has no state, or several");
  try {
    if (self.show_) self.show_(url);
    self.open(url, *wanted);
  } catch (...) {
    // As for its error: the URL may have been seen, and can be opened by hand.
  }
  std::function<bool(std::string_view)> accepts = [wanted = *wanted](std::string_view query) {
    auto const came = detail::state_of(query);
    return came && detail::same_secret(came->reveal(), wanted.reveal());
  };
  auto waiting = self.listener_.wait(std::move(accepts));
  auto redirect = co_await std::move(waiting);
  co_return redirect;
}

COMCP_LAZY_DECL asio::awaitable<result<loopback_redirect::visit_in_progress>> loopback_redirect::start(
    std::vector<std::string> known, std::string issuer) {
  return begin(*this, std::move(known), std::move(issuer));
}

COMCP_LAZY_DECL asio::awaitable<result<loopback_redirect::visit_in_progress>> loopback_redirect::begin(
    loopback_redirect how, std::vector<std::string> known, std::string issuer) {
  auto const executor = co_await asio::this_coro::executor;
  net::loopback_place place;
  place.port(how.port_).host(how.host_);
  if (how.path_) {
    place.path(*how.path_);
  } else if (!issuer.empty()) {
    place.path(place.path() + "/" + pkce_challenge(secret(std::move(issuer))).substr(0, 22));
  }
  for (auto const& uri : known) {
    auto const port = how.port_ == 0 ? detail::known_port(uri, place) : std::nullopt;
    if (!port) continue;
    auto there = place;
    auto taken = net::loopback_listener::open(executor, there.port(*port));
    if (taken) co_return visit_in_progress(std::move(*taken), how);
  }
  auto listener = net::loopback_listener::open(executor, place);
  if (!listener) co_return listener.error();
  co_return visit_in_progress(std::move(*listener), how);
}

}  // namespace comcp
#endif

// auth/impl/open_browser.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OPEN_BROWSER_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OPEN_BROWSER_IPP
// What of a URL reaches the program that opens it.

#include <string>
#include <string_view>

namespace comcp {
namespace detail {

COMCP_DECL std::string browser_argument(http_url const& url) {
  constexpr std::string_view digits = "0123456789ABCDEF", plain = "-._~:/?#[]@&+,=%";
  std::string out;
  for (char const c : url.text()) {
    bool const letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || plain.find(c) != plain.npos) {
      out += c;
    } else {
      auto const byte = static_cast<unsigned char>(c);
      out.append("%").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
  }
  return out;
}

}  // namespace detail

COMCP_DECL result<void> open_browser(http_url const& url) {
  if (url.host().empty()) return error(errc::invalid_argument, "no URL for the browser");
  return detail::start_browser(detail::browser_argument(url));
}

}  // namespace comcp
#endif

// auth/impl/open_browser_posix.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OPEN_BROWSER_POSIX_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OPEN_BROWSER_POSIX_IPP
// How the browser is started: what may be run, and as whose child.

#if !defined(_WIN32)

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" char** environ;

namespace comcp {
namespace detail {

COMCP_DECL bool is_program(std::string const& path) noexcept {
  struct ::stat about {};
  return path.starts_with('/') && ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

COMCP_DECL std::string_view environment_value(char const* name) noexcept {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// In PATH, whose relative parts do not count; empty where there is none.
COMCP_DECL std::string program_in_path(std::string_view name) {
  auto path = environment_value("PATH");
  while (!path.empty()) {
    auto const end = path.find(':');
    auto candidate = std::string(path.substr(0, end)).append("/").append(name);
    if (is_program(candidate)) return candidate;
    path = end == path.npos ? std::string_view() : path.substr(end + 1);
  }
  return {};
}

COMCP_DECL std::string browser_program() {
#if defined(__APPLE__)
  return program_in_path("open");
#else
  std::string found;
  if (!environment_value("DISPLAY").empty() || !environment_value("WAYLAND_DISPLAY").empty()) {
    found = program_in_path("xdg-open");
  }
  if (found.empty() && is_program(std::string(environment_value("BROWSER")))) found = environment_value("BROWSER");
  return found;
#endif
}

COMCP_DECL void close_from(int lowest) noexcept {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  if (::close_range(static_cast<unsigned>(lowest), ~0U, 0) == 0) return;
#endif
  auto const end = ::sysconf(_SC_OPEN_MAX);
  for (int fd = lowest; fd < (end > 0 && end < 65'536 ? static_cast<int>(end) : 65'536); ++fd) ::close(fd);
}

/// In the child of a fork: nothing here may allocate or lock. Tells errno through `report` where it cannot be started.
[[noreturn]] COMCP_DECL void become(char* const* argv, int report) noexcept {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct ::sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(signal, &usual, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int const away = ::fcntl(report, F_DUPFD_CLOEXEC, 4);  // out of the way of 0 to 3
  int const nothing = away < 0 ? -1 : ::open("/dev/null", O_RDWR);
  if (nothing >= 0) {
    for (int fd = 0; fd != 3; ++fd) ::dup2(nothing, fd);
    report = ::dup2(away, 3);
    ::fcntl(report, F_SETFD, FD_CLOEXEC);
    close_from(4);
    ::execve(argv[0], argv, environ);
  }
  int const why = errno;
  if (::write(report, &why, sizeof why) < 0) ::_exit(126);
  ::_exit(127);
}

/// Both close-on-exec. 0, or errno.
COMCP_DECL int make_pipe(std::array<int, 2>& ends) noexcept {
#if defined(__APPLE__)
  if (::pipe(ends.data()) != 0) return errno;
  for (int const fd : ends) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return 0;
#else
  return ::pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno;
#endif
}

/// A grandchild in a session of its own, so that it is nobody's zombie here. 0, or errno.
COMCP_DECL int start_detached(char* const* argv) noexcept {
  std::array<int, 2> ends{};
  if (int const full = make_pipe(ends)) return full;
  file_descriptor const from(ends[0]);
  file_descriptor to(ends[1]);
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of this program runs in the children
  auto const child = ::fork();
  if (child == 0) {
    ::setsid();
    auto const grandchild = ::fork();
    if (grandchild == 0) become(argv, ends[1]);
    int const why = errno;
    if (grandchild < 0 && ::write(ends[1], &why, sizeof why) < 0) ::_exit(126);
    ::_exit(0);
  }
  int failed = child < 0 ? errno : 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed != 0) return failed;
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  to = file_descriptor();
  while (::read(from.get(), &failed, sizeof failed) < 0 && errno == EINTR) {
  }
  return failed;
}

COMCP_DECL result<void> start_browser(std::string argument) {
  auto program = browser_program();
  if (program.empty()) return error(errc::not_found, "no browser, or no display for one");
  std::array<char*, 3> const argv{program.data(), argument.data(), nullptr};
  int const failed = start_detached(argv.data());
  if (failed == 0) return {};
  return error(std::error_code(failed, std::generic_category()), "cannot start " + program);
}

}  // namespace detail
}  // namespace comcp

#endif
#endif

// auth/impl/open_browser_windows.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OPEN_BROWSER_WINDOWS_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OPEN_BROWSER_WINDOWS_IPP
// How the browser is started: as the user's choice for http and https, by the shell of Windows.

#if defined(_WIN32)

#include <objbase.h>
#include <shellapi.h>

namespace comcp::detail {

// Some handlers of URLs are COM objects.
class com_for_now {
 public:
  com_for_now() noexcept : ours_(SUCCEEDED(::CoInitializeEx(nullptr, COINIT_APARTMENTTHREADED | COINIT_DISABLE_OLE1DDE))) {}
  com_for_now(com_for_now const&) = delete;
  com_for_now& operator=(com_for_now const&) = delete;
  ~com_for_now() {
    if (ours_) ::CoUninitialize();
  }

 private:
  bool ours_;
};

// What it is given may be a program or a document as well: none but the two schemes gets that far.
COMCP_DECL result<void> start_browser(std::string argument) {
  if (!argument.starts_with("https://") && !argument.starts_with("http://"))
    return error(errc::invalid_argument, "no URL for the browser");
  com_for_now const com;
  auto const url = to_wide(argument);
  SHELLEXECUTEINFOW how{};
  how.cbSize = sizeof how;
  how.fMask = SEE_MASK_NOASYNC | SEE_MASK_FLAG_NO_UI;  // this thread may end before an answer comes, and shows nothing
  how.lpVerb = L"open";
  how.lpFile = url.c_str();
  how.nShow = SW_SHOWNORMAL;
  if (::ShellExecuteExW(&how) != 0) return {};
  auto const why = ::GetLastError();
  if (why == ERROR_NO_ASSOCIATION || why == ERROR_FILE_NOT_FOUND) return error(errc::not_found, "no browser");
  return error(windows_error(why), "cannot start the browser");
}

}  // namespace comcp::detail

#endif
#endif
#endif
#endif

// auth/oauth.hpp
#if !defined(COMCP_SINGLE_AUTH_OAUTH_HPP)
#define COMCP_SINGLE_AUTH_OAUTH_HPP
// OAuth 2.1 as MCP wants it: the authenticator that finds its way from a server's 401 to a token, keeps it fresh, and asks
// the user only when it must. Opt-in: comcp.hpp does not include it, and it needs OpenSSL (COMCP_WITH_TLS).
// Specification: 2026-07-28, basic/authorization

#if !defined(COMCP_WITH_TLS) || !COMCP_WITH_TLS
#error "comcp: OAuth needs OpenSSL: define COMCP_WITH_TLS=1 (CMake: COMCP_WITH_TLS=ON) and link it."
#endif

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// auth/authorization.hpp
#if !defined(COMCP_SINGLE_AUTH_AUTHORIZATION_HPP)
#define COMCP_SINGLE_AUTH_AUTHORIZATION_HPP
// The authorization request, what must be remembered until its answer comes, and that answer, which is hostile until it
// passed here. Pure. Specification: 2026-07-28, basic/authorization, "Authorization Response Validation"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

// auth/registration.hpp
#if !defined(COMCP_SINGLE_AUTH_REGISTRATION_HPP)
#define COMCP_SINGLE_AUTH_REGISTRATION_HPP
// Who the client is to an authorization server: credentials, and what dynamic registration (RFC 7591) sends and gets.
// Pure: keys are text here. Specification: 2026-07-28, basic/authorization/client-registration

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// auth/token.hpp
#if !defined(COMCP_SINGLE_AUTH_TOKEN_HPP)
#define COMCP_SINGLE_AUTH_TOKEN_HPP
// What a token endpoint answers with (RFC 6749, section 5). Pure.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace comcp {

/// Tokens as they were granted. Regular; prints nothing of them.
struct token_set {
  using time_point = std::chrono::system_clock::time_point;

  token_set() = default;
  /// Tokens that were obtained elsewhere.
  explicit token_set(secret access, secret refresh = {}) : access_token(std::move(access)), refresh_token(std::move(refresh)) {}

  secret access_token;
  std::string token_type = "Bearer";  ///< As the server said, "Bearer" or "DPoP" where it differs in case.
  std::optional<time_point> expires_at;
  secret refresh_token;               ///< Empty where none was granted.
  std::optional<std::string> scope;   ///< Absent: as requested.
  std::string issued_token_type;      ///< Of a token exchange.
  secret id_token;

  friend bool operator==(token_set const&, token_set const&) = default;
};

/// How an OAuth endpoint refuses. The description is the server's own text, cut to 512 bytes of printable characters.
struct oauth_refusal {
  oauth_refusal() = default;
  /// Cuts both: what servers say is shown to users.
  oauth_refusal(std::string_view server_code, std::string_view server_description);
  std::string code;  ///< "invalid_grant", "access_denied", ...
  std::string description;

  /// As an error of comcp: errc::unauthorized with both in the text.
  [[nodiscard]] error as_error(std::string_view what) const;
};

using token_answer = std::variant<token_set, oauth_refusal>;

/// Reads an answer of the token endpoint. What is neither tokens nor a refusal (HTML, wrong types, no access token) is
/// errc::protocol_violation with the status in its detail, and never quotes the body of a success.
result<token_answer> read_token_answer(int status, std::string_view body, token_set::time_point now);

namespace detail {
/// What `body` says: JSON in which an error is a refusal, whatever the status is; a success without one is the object
/// itself. Anything else is errc::protocol_violation, as `who` answered with it.
result<std::variant<json::value, oauth_refusal>> read_oauth_answer(std::string_view who, int status, std::string_view body);
error bad_oauth_answer(std::string_view who, int status, std::string_view why);
/// Seconds since 1970 that are within four digits of a year; absurd ones are brought there.
token_set::time_point clamped_time(double seconds);
}  // namespace detail

/// Whether they can be sent as they must: bound to a key or not, and in characters that a header carries (RFC 6749,
/// section 7.1). errc::unauthorized.
result<void> check_usable(token_set const& tokens, bool bound);

/// The scopes of both, each once, in order of first appearance; scopes are separated by spaces.
std::string unite_scopes(std::string_view a, std::string_view b);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/token.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_TOKEN_IPP)
#define COMCP_SINGLE_AUTH_IMPL_TOKEN_IPP
#include <algorithm>
#include <charconv>
#include <set>
#include <type_traits>
#include <utility>

namespace comcp {
namespace detail {

/// Printable ASCII of the text, which is all that RFC 6749 allows there; every other character is a question mark.
COMCP_DECL std::string shown(std::string_view text, std::size_t most) {
  std::string out;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 && byte < 0xC0) continue;  // the rest of a character of UTF-8
    if (out.size() == most) break;
    out += byte >= 0x20 && byte < 0x7F ? c : '?';
  }
  return out;
}

struct token_body {
  std::string access_token, token_type, refresh_token, issued_token_type, id_token;
  json::value expires_in, scope;
};
constexpr auto describe(std::type_identity<token_body>) {
  using t = token_body;
  return json::fields(json::defaulted("access_token", &t::access_token), json::defaulted("token_type", &t::token_type),
                      json::defaulted("refresh_token", &t::refresh_token),
                      json::defaulted("issued_token_type", &t::issued_token_type),
                      json::defaulted("id_token", &t::id_token), json::defaulted("expires_in", &t::expires_in),
                      json::defaulted("scope", &t::scope));
}

/// Some servers give it as text.
COMCP_DECL result<std::optional<std::chrono::seconds>> lifetime_in(json::value const& v) {
  constexpr double most = 10.0 * 366 * 24 * 3600;
  if (v.is_null()) return std::optional<std::chrono::seconds>();
  auto seconds = v.view().get_double();
  if (auto const text = v.view().get_string()) {
    double number = 0;
    auto const end = text->data() + text->size();
    auto const read = std::from_chars(text->data(), end, number);
    if ((read.ec == std::errc() || read.ec == std::errc::result_out_of_range) && read.ptr == end && number == number)
      seconds = read.ec == std::errc() ? number : most;
  }
  if (!seconds) return error(errc::wrong_shape, "expected a number at /expires_in");
  return std::optional(std::chrono::seconds(static_cast<std::int64_t>(std::clamp(*seconds, 0.0, most))));
}

/// A text, or, against the standard, a list of texts.
COMCP_DECL result<std::optional<std::string>> scope_in(json::value const& v) {
  if (v.is_null()) return std::optional<std::string>();
  if (auto const text = v.view().get_string()) return std::optional(std::string(*text));
  auto const list = v.get<std::vector<std::string>>();
  if (!list) return error(errc::wrong_shape, "expected string at /scope");
  std::string out;
  for (auto const& one : *list) out.append(out.empty() ? "" : " ").append(one);
  return std::optional(std::move(out));
}

COMCP_DECL error bad_oauth_answer(std::string_view who, int status, std::string_view why) {
  transport_detail detail;
  detail.http_status = status;
  return error(errc::protocol_violation, std::string(who) + " answered " + std::to_string(status) + ", " + std::string(why))
      .with_detail(std::move(detail));
}

COMCP_DECL result<std::variant<json::value, oauth_refusal>> read_oauth_answer(std::string_view who, int status,
                                                                              std::string_view body) {
  using answer = std::variant<json::value, oauth_refusal>;
  bool const success = status >= 200 && status < 300;
  auto const parsed = json::parse(body);
  if (!parsed || !parsed->is_object())
    return bad_oauth_answer(who, status, body.empty() ? "without a body" : "with a body that is no JSON object");
  auto const text_of = [&](std::string_view key) {
    auto const member = parsed->view().find(key);
    return (member ? member->get_string() : std::nullopt).value_or(std::string_view());
  };
  if (auto const code = text_of("error"); !code.empty()) return answer(oauth_refusal(code, text_of("error_description")));
  if (!success) return bad_oauth_answer(who, status, "without an OAuth error");
  return answer(*parsed);
}

COMCP_DECL token_set::time_point clamped_time(double seconds) {
  constexpr double year_2200 = 7258118400;
  return token_set::time_point(std::chrono::seconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, year_2200))));
}

}  // namespace detail

COMCP_DECL oauth_refusal::oauth_refusal(std::string_view server_code, std::string_view server_description)
    : code(detail::shown(server_code, 128)), description(detail::shown(server_description, 512)) {}

COMCP_DECL error oauth_refusal::as_error(std::string_view what) const {
  auto text = std::string(what) + ": " + code;
  if (!description.empty()) text += " (" + description + ")";
  return {errc::unauthorized, std::move(text)};
}

COMCP_DECL result<token_answer> read_token_answer(int status, std::string_view body, token_set::time_point now) {
  constexpr std::string_view who = "the token endpoint";
  auto answer = detail::read_oauth_answer(who, status, body);
  if (!answer) return answer.error();
  if (auto* const refusal = std::get_if<oauth_refusal>(&*answer)) return token_answer(std::move(*refusal));
  auto read = std::get<json::value>(*answer).get<detail::token_body>();
  if (!read) return detail::bad_oauth_answer(who, status, read.error().message());
  if (read->access_token.empty()) return detail::bad_oauth_answer(who, status, "without an access token");
  auto const lifetime = detail::lifetime_in(read->expires_in);
  if (!lifetime) return detail::bad_oauth_answer(who, status, lifetime.error().message());
  auto scope = detail::scope_in(read->scope);
  if (!scope) return detail::bad_oauth_answer(who, status, scope.error().message());

  token_set out(secret(std::move(read->access_token)), secret(std::move(read->refresh_token)));
  if (!read->token_type.empty()) out.token_type = std::move(read->token_type);
  for (std::string_view const known : {"Bearer", "DPoP"}) {
    if (http_detail::same_name(out.token_type, known)) out.token_type = known;
  }
  if (*lifetime) out.expires_at = now + **lifetime;
  out.scope = std::move(*scope);
  out.issued_token_type = std::move(read->issued_token_type);
  out.id_token = secret(std::move(read->id_token));
  return token_answer(std::move(out));
}

COMCP_DECL result<void> check_usable(token_set const& tokens, bool bound) {
  if (bound && tokens.token_type != "DPoP")
    return error(errc::unauthorized, "the token is not bound to the key, although DPoP is wanted");
  if (!bound && tokens.token_type != "Bearer") return error(errc::unauthorized, "the token is of a type that comcp cannot send");
  auto const& text = tokens.access_token.reveal();
  if (std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; })) return {};
  return error(errc::unauthorized, "the token has characters that no header carries");
}

COMCP_DECL std::string unite_scopes(std::string_view a, std::string_view b) {
  std::string out;
  std::set<std::string_view> seen;
  for (auto text : {a, b}) {
    while (!text.empty()) {
      auto const one = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(one.size() + 1, text.size()));
      if (!one.empty() && seen.insert(one).second) out.append(out.empty() ? "" : " ").append(one);
    }
  }
  return out;
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// A private key as text, for private_key_jwt. Regular. It is read when it is used first: errc::invalid_argument then.
class private_key {
 public:
  /// PKCS#8, SEC 1 or PKCS#1.
  static private_key pem(secret text) { return private_key(std::move(text), false); }
  /// One JSON Web Key (RFC 7517).
  static private_key jwk(secret text) { return private_key(std::move(text), true); }

  /// "ES256" or "RS256"; by default what fits the key.
  private_key& algorithm(std::string name) & { return algorithm_ = std::move(name), *this; }
  private_key&& algorithm(std::string name) && { return std::move(algorithm(std::move(name))); }
  /// The kid of the header; by default the JWK's, else none.
  private_key& id(std::string kid) & { return id_ = std::move(kid), *this; }
  private_key&& id(std::string kid) && { return std::move(id(std::move(kid))); }

  [[nodiscard]] secret const& text() const noexcept { return text_; }
  [[nodiscard]] bool is_jwk() const noexcept { return jwk_; }
  [[nodiscard]] std::string const& algorithm() const noexcept { return algorithm_; }
  [[nodiscard]] std::string const& id() const noexcept { return id_; }
  friend bool operator==(private_key const&, private_key const&) = default;

 private:
  private_key(secret text, bool jwk) : text_(std::move(text)), jwk_(jwk) {}
  secret text_;
  bool jwk_ = false;
  std::string algorithm_, id_;
};

/// A client that an authorization server knows. Regular.
class oauth_client {
 public:
  oauth_client() = default;
  explicit oauth_client(std::string id) : id_(std::move(id)) {}

  oauth_client& client_secret(secret s) & { return secret_ = std::move(s), *this; }
  oauth_client& key(private_key k) & { return key_ = std::move(k), *this; }
  /// The authorization server that knows it. Where it is set, every other one is refused. Where it is not, oauth binds the
  /// client to the first one that it meets, in its token_store, and refuses others with both names; addresses that nothing
  /// publishes get no secret. Metadata documents' ids need none.
  oauth_client& issuer(std::string i) & { return issuer_ = std::move(i), *this; }
  /// "none", "client_secret_basic", "client_secret_post" or "private_key_jwt"; by default what fits and the server supports.
  oauth_client& auth_method(std::string m) & { return method_ = std::move(m), *this; }
  oauth_client& secret_expires_at(token_set::time_point t) & { return expires_at_ = t, *this; }
  oauth_client& redirect_uris(std::vector<std::string> u) & { return redirect_uris_ = std::move(u), *this; }
  oauth_client&& client_secret(secret s) && { return std::move(client_secret(std::move(s))); }
  oauth_client&& key(private_key k) && { return std::move(key(std::move(k))); }
  oauth_client&& issuer(std::string i) && { return std::move(issuer(std::move(i))); }
  oauth_client&& auth_method(std::string m) && { return std::move(auth_method(std::move(m))); }

  [[nodiscard]] std::string const& id() const noexcept { return id_; }
  [[nodiscard]] secret const& client_secret() const noexcept { return secret_; }
  [[nodiscard]] std::optional<private_key> const& key() const noexcept { return key_; }
  [[nodiscard]] std::string const& issuer() const noexcept { return issuer_; }
  [[nodiscard]] std::string const& auth_method() const noexcept { return method_; }
  [[nodiscard]] std::optional<token_set::time_point> secret_expires_at() const noexcept { return expires_at_; }
  [[nodiscard]] std::vector<std::string> const& redirect_uris() const noexcept { return redirect_uris_; }

  /// For a token_store: its text is secret. from_json: errc::wrong_shape.
  [[nodiscard]] secret to_json() const;
  static result<oauth_client> from_json(secret const& text);

  friend bool operator==(oauth_client const&, oauth_client const&) = default;

 private:
  std::string id_;
  secret secret_;
  std::optional<private_key> key_;
  std::string issuer_, method_;
  std::optional<token_set::time_point> expires_at_;
  std::vector<std::string> redirect_uris_;
};

/// What a client tells of itself when it registers.
class client_metadata {
 public:
  client_metadata() = default;
  explicit client_metadata(std::string name) : client_name(std::move(name)) {}

  std::string client_name = "comcp";
  std::string client_uri, logo_uri, software_id, software_version;
  std::vector<std::string> redirect_uris;
  std::vector<std::string> grant_types = {"authorization_code", "refresh_token"};
  std::string application_type;  ///< "native" or "web"; empty: native where every redirect is loopback or no http URL.
  std::string token_endpoint_auth_method = "none";
  std::string scope;

  /// The body of a registration request.
  [[nodiscard]] std::string to_json() const;
};

using registration_answer = std::variant<oauth_client, oauth_refusal>;

/// Reads an answer of the registration endpoint; the client knows `issuer` as its own. Errors as in read_token_answer().
result<registration_answer> read_registration_answer(int status, std::string_view body, std::string issuer,
                                                     token_set::time_point now);

/// How this client authenticates at a token endpoint that supports these methods (absent: client_secret_basic by RFC 8414).
/// errc::unauthorized where nothing fits.
result<std::string> choose_auth_method(oauth_client const& client, std::optional<std::vector<std::string>> const& supported);

}  // namespace comcp

// auth/endpoint_policy.hpp
#if !defined(COMCP_SINGLE_AUTH_ENDPOINT_POLICY_HPP)
#define COMCP_SINGLE_AUTH_ENDPOINT_POLICY_HPP
// Which addresses authorization may talk to: https, loopback apart, and no private networks unless the MCP server is
// there. What a server's metadata names is hostile until it passed here. Pure.
// Specification: 2026-07-28, basic/authorization/security-considerations, "Communication Security"

#include <string_view>

// http/address_reach.hpp
#if !defined(COMCP_SINGLE_HTTP_ADDRESS_REACH_HPP)
#define COMCP_SINGLE_HTTP_ADDRESS_REACH_HPP
// Which addresses are this machine's, a private network's, or everybody's. Pure: names are not looked up.

#include <optional>
#include <string_view>

namespace comcp {

/// How far an address is, the nearest first.
enum class address_reach { loopback, private_network, public_network };

/// Of a literal address in brackets or not, of "localhost" and *.localhost; a name is public_network as far as its text
/// says. private_network is everything that is neither global unicast nor loopback: RFC 1918, link-local, unique local,
/// shared, multicast, reserved, unspecified, and IPv6 forms that carry such an IPv4 address.
address_reach reach_of(std::string_view host) noexcept;

namespace detail {
/// Nothing for a name.
std::optional<address_reach> reach_of_literal(std::string_view host) noexcept;
}  // namespace detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/address_reach.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_ADDRESS_REACH_IPP)
#define COMCP_SINGLE_HTTP_IMPL_ADDRESS_REACH_IPP
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace comcp {
namespace detail {

struct ipv4_range {
  std::uint32_t first;
  unsigned bits;
};

// RFC 6890 and what was added to its registries; 127.0.0.0/8 apart.
inline constexpr ipv4_range ipv4_not_global[] = {
    {0x00000000, 8},   // this network
    {0x0A000000, 8},   // private
    {0x64400000, 10},  // shared
    {0xA9FE0000, 16},  // link-local
    {0xAC100000, 12},  // private
    {0xC0000000, 24},  // protocol assignments
    {0xC0000200, 24},  // documentation
    {0xC0586300, 24},  // 6to4 relays
    {0xC0A80000, 16},  // private
    {0xC6120000, 15},  // benchmarks
    {0xC6336400, 24},  // documentation
    {0xCB007100, 24},  // documentation
    {0xE0000000, 3},   // multicast, reserved, broadcast
};

COMCP_DECL address_reach reach_of_ipv4(std::uint32_t address) noexcept {
  if (address >> 24 == 127) return address_reach::loopback;
  for (auto const& range : ipv4_not_global) {
    if ((address ^ range.first) >> (32 - range.bits) == 0) return address_reach::private_network;
  }
  return address_reach::public_network;
}

COMCP_DECL address_reach reach_of_ipv6(std::array<std::uint16_t, 8> const& a) noexcept {
  auto const zeros = [&a](std::size_t from, std::size_t to) {
    return std::all_of(a.begin() + from, a.begin() + to, [](std::uint16_t piece) { return piece == 0; });
  };
  auto const carried = [&a](std::size_t at) { return reach_of_ipv4(static_cast<std::uint32_t>(a[at]) << 16 | a[at + 1]); };
  if (zeros(0, 7) && a[7] == 1) return address_reach::loopback;
  if (zeros(0, 5) && a[5] == 0xFFFF) return carried(6);
  // Through a translator, loopback is that of another machine.
  if (a[0] == 0x64 && a[1] == 0xFF9B && zeros(2, 6)) return std::max(carried(6), address_reach::private_network);
  if (a[0] == 0x2002) return std::max(carried(1), address_reach::private_network);
  bool const global = a[0] >> 13 == 1 &&                      // 2000::/3, without
                      !(a[0] == 0x2001 && a[1] < 0x200) &&    // protocol assignments (Teredo among them),
                      !(a[0] == 0x2001 && a[1] == 0xDB8) &&   // documentation,
                      !(a[0] == 0x3FFF && a[1] < 0x1000);     // documentation
  return global ? address_reach::public_network : address_reach::private_network;
}

COMCP_DECL std::optional<address_reach> reach_of_literal(std::string_view host) noexcept {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.find(':') != host.npos) {
    auto const address = http_detail::parse_ipv6(host.substr(0, host.find('%')));
    return address ? reach_of_ipv6(*address) : address_reach::private_network;
  }
  if (!http_detail::ends_in_number(host)) return {};
  auto const address = http_detail::parse_ipv4(host);
  return address ? reach_of_ipv4(*address) : address_reach::private_network;
}

COMCP_DECL bool is_localhost(std::string_view host) noexcept {
  constexpr std::string_view name = "localhost";
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.size() < name.size()) return false;
  auto const end = host.substr(host.size() - name.size());
  bool const same = std::equal(end.begin(), end.end(), name.begin(), [](char c, char lower) { return (c | 0x20) == lower; });
  return same && (host.size() == name.size() || host[host.size() - name.size() - 1] == '.');
}

}  // namespace detail

COMCP_DECL address_reach reach_of(std::string_view host) noexcept {
  if (detail::is_localhost(host)) return address_reach::loopback;
  return detail::reach_of_literal(host).value_or(address_reach::public_network);
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// Options of what discovery may reach. Regular.
/// Nothing may be nearer than the MCP server: one on loopback may name anything, one in a private network private and public
/// addresses, but no loopback of this machine, a public one public addresses alone. A server with a name is public as far as
/// check() knows, so that in a company's network either both are names, which allows_address() then decides by what they
/// resolve to, or allow_private() is set.
class endpoint_policy {
 public:
  endpoint_policy() {}
  /// Plain http to a host that is not loopback, for a closed test network. Off by default.
  endpoint_policy& allow_http(bool yes = true) { return allow_http_ = yes, *this; }
  /// Loopback and private addresses although the MCP server has a public one. Off by default.
  endpoint_policy& allow_private(bool yes = true) { return allow_private_ = yes, *this; }

  /// The URL parsed and written anew, if it may be used for authorization to `server`. errc::denied says what is wrong
  /// with it; invalid_argument that it is no URL. The error has its origin at most.
  [[nodiscard]] result<http_url> check(std::string_view url, http_url const& server) const;
  /// Whether a connection to this resolved address may be made for authorization to `server`, whose own addresses
  /// reach as far as `server_reach`.
  [[nodiscard]] bool allows_address(std::string_view address, address_reach server_reach) const noexcept;

 private:
  bool allow_http_ = false, allow_private_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/endpoint_policy.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_ENDPOINT_POLICY_IPP)
#define COMCP_SINGLE_AUTH_IMPL_ENDPOINT_POLICY_IPP
#include <algorithm>
#include <string>

namespace comcp {

COMCP_DECL result<http_url> endpoint_policy::check(std::string_view url, http_url const& server) const {
  auto const control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(url.begin(), url.end(), control))
    return error(errc::denied, "an authorization URL has a control character");
  auto parsed = http_url::parse(url);
  if (!parsed) return parsed;
  auto const refuse = [&](char const* why) {
    return error(errc::denied, "authorization may not use " + parsed->origin() + ": " + why);
  };
  auto const reach = reach_of(parsed->host());
  if (!parsed->secure() && reach != address_reach::loopback && !allow_http_) return refuse("it is not https");
  if (parsed->fragment()) return refuse("the URL has a fragment");
  if (reach < reach_of(server.host()) && !allow_private_)
    return refuse("it is a private address, and the MCP server is farther away (see endpoint_policy::allow_private)");
  return parsed;
}

COMCP_DECL bool endpoint_policy::allows_address(std::string_view address, address_reach server_reach) const noexcept {
  auto const reach = detail::reach_of_literal(address);
  return reach && (allow_private_ || *reach >= server_reach);
}

}  // namespace comcp
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/registration.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_REGISTRATION_IPP)
#define COMCP_SINGLE_AUTH_IMPL_REGISTRATION_IPP
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace comcp {
namespace detail {

struct stored_key {
  std::string text, algorithm, id;
  bool jwk = false;
};
constexpr auto describe(std::type_identity<stored_key>) {
  using t = stored_key;
  return json::fields(json::field("text", &t::text), json::field("jwk", &t::jwk), json::defaulted("alg", &t::algorithm),
                      json::defaulted("kid", &t::id));
}

/// A client as it is stored, and, but for the key, as a registration endpoint answers.
struct client_body {
  std::string client_id, client_secret, issuer, auth_method;
  std::optional<double> expires_at;
  std::vector<std::string> redirect_uris;
  std::optional<stored_key> key;
};
constexpr auto describe(std::type_identity<client_body>) {
  using t = client_body;
  return json::fields(json::field("client_id", &t::client_id), json::defaulted("client_secret", &t::client_secret),
                      json::defaulted("issuer", &t::issuer),
                      json::defaulted("token_endpoint_auth_method", &t::auth_method),
                      json::field("client_secret_expires_at", &t::expires_at),
                      json::defaulted("redirect_uris", &t::redirect_uris), json::field("private_key", &t::key));
}

COMCP_DECL oauth_client to_client(client_body body) {
  oauth_client out(std::move(body.client_id));
  out.client_secret(secret(std::move(body.client_secret))).issuer(std::move(body.issuer));
  out.auth_method(std::move(body.auth_method)).redirect_uris(std::move(body.redirect_uris));
  if (body.expires_at && *body.expires_at != 0) out.secret_expires_at(clamped_time(*body.expires_at));
  if (body.key) {
    auto key = body.key->jwk ? private_key::jwk(secret(std::move(body.key->text)))
                             : private_key::pem(secret(std::move(body.key->text)));
    key.algorithm(std::move(body.key->algorithm)).id(std::move(body.key->id));
    out.key(std::move(key));
  }
  return out;
}

/// Whether a browser that is sent there stays on this machine.
COMCP_DECL bool is_native_redirect(std::string_view uri) {
  auto const url = http_url::parse(uri);
  return !url || reach_of(url->host()) == address_reach::loopback;
}

}  // namespace detail

COMCP_DECL secret oauth_client::to_json() const {
  detail::client_body body;
  body.client_id = id_;
  body.client_secret = secret_.reveal();
  body.issuer = issuer_;
  body.auth_method = method_;
  if (expires_at_) {
    auto const seconds = std::chrono::floor<std::chrono::seconds>(*expires_at_).time_since_epoch().count();
    body.expires_at = static_cast<double>(seconds);
  }
  body.redirect_uris = redirect_uris_;
  if (key_) {
    auto& key = body.key.emplace();
    key.text = key_->text().reveal();
    key.jwk = key_->is_jwk();
    key.algorithm = key_->algorithm();
    key.id = key_->id();
  }
  return secret(json::to_text(body));
}

COMCP_DECL result<oauth_client> oauth_client::from_json(secret const& text) {
  auto const parsed = json::parse(text.reveal());
  if (!parsed) return error(errc::wrong_shape, "a stored client is no JSON");
  auto body = parsed->get<detail::client_body>();
  if (!body) return error(errc::wrong_shape, "a stored client: " + std::string(body.error().message()));
  return detail::to_client(std::move(*body));
}

COMCP_DECL std::string client_metadata::to_json() const {
  auto const code = std::find(grant_types.begin(), grant_types.end(), "authorization_code") != grant_types.end();
  bool const native = std::all_of(redirect_uris.begin(), redirect_uris.end(), detail::is_native_redirect);
  json::object out;
  out.set("client_name", client_name);
  if (!redirect_uris.empty()) out.set("redirect_uris", redirect_uris);
  out.set("grant_types", grant_types);
  out.set("response_types", code ? std::vector<std::string>(1, "code") : std::vector<std::string>());
  out.set("token_endpoint_auth_method", token_endpoint_auth_method);
  out.set("application_type", !application_type.empty() ? application_type : std::string(native ? "native" : "web"));
  auto const maybe = [&out](std::string_view key, std::string const& value) {
    if (!value.empty()) out.set(key, value);
  };
  maybe("scope", scope);
  maybe("client_uri", client_uri);
  maybe("logo_uri", logo_uri);
  maybe("software_id", software_id);
  maybe("software_version", software_version);
  return out.text();
}

COMCP_DECL result<registration_answer> read_registration_answer(int status, std::string_view body, std::string issuer,
                                                                token_set::time_point now) {
  constexpr std::string_view who = "the registration endpoint";
  auto answer = detail::read_oauth_answer(who, status, body);
  if (!answer) return answer.error();
  if (auto* const refusal = std::get_if<oauth_refusal>(&*answer)) return registration_answer(std::move(*refusal));
  auto read = std::get<json::value>(*answer).get<detail::client_body>();
  if (!read) return detail::bad_oauth_answer(who, status, read.error().message());
  if (read->client_id.empty()) return detail::bad_oauth_answer(who, status, "with an empty client_id");
  read->issuer = std::move(issuer);
  read->key.reset();
  auto client = detail::to_client(std::move(*read));
  if (client.secret_expires_at() && *client.secret_expires_at() <= now)
    return detail::bad_oauth_answer(who, status, "with a secret that has expired");
  return registration_answer(std::move(client));
}

COMCP_DECL result<std::string> choose_auth_method(oauth_client const& client,
                                                  std::optional<std::vector<std::string>> const& supported) {
  auto const& wanted = client.auth_method();
  bool const with_secret = wanted == "client_secret_basic" || wanted == "client_secret_post";
  if (with_secret && client.client_secret().empty()) return error(errc::unauthorized, "the client has no secret for " + wanted);
  if (with_secret || wanted == "none" || wanted == "private_key_jwt") return wanted;
  if (!wanted.empty()) return error(errc::unauthorized, "comcp does not know the way in which this client is to authenticate");
  bool const said = supported && !supported->empty();
  auto const has = [&](std::string_view method) {
    return said && std::find(supported->begin(), supported->end(), method) != supported->end();
  };
  bool const has_secret = !client.client_secret().empty();
  // A key alone is used with a server that says nothing, too: the user must know.
  if (client.key() && (has("private_key_jwt") || (!said && !has_secret))) return std::string("private_key_jwt");
  if (has_secret) {
    if (!said || has("client_secret_basic")) return std::string("client_secret_basic");
    if (has("client_secret_post")) return std::string("client_secret_post");
  }
  // Public clients have nothing else, and many servers that take them do not list it.
  if (has("none") || (!client.key() && !has_secret)) return std::string("none");
  return error(errc::unauthorized, "the authorization server supports no way in which this client can authenticate");
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// One authorization request under way. Regular. Whoever has its text can finish it: to_json() is a secret.
struct pending_authorization {
  pending_authorization() = default;

  std::string server;                 ///< The MCP endpoint for which it is.
  std::string resource;               ///< As it is sent.
  std::string issuer;                 ///< Of the validated metadata; empty where there was none (2025-03-26).
  bool iss_required = false;          ///< authorization_response_iss_parameter_supported
  std::string authorization_endpoint, token_endpoint;
  std::string auth_method;            ///< At the token endpoint.
  oauth_client client;
  std::string redirect_uri;
  std::string scope;                  ///< Empty: left out.
  secret state, verifier;
  bool dpop = false;
  secret dpop_key;                    ///< A private JWK; empty without DPoP.

  /// What the user's browser has to open.
  [[nodiscard]] result<http_url> url() const;

  [[nodiscard]] secret to_json() const;
  static result<pending_authorization> from_json(secret const& text);
};

/// The code of an authorization response, or the refusal, both after every check.
using authorization_answer = std::variant<secret, oauth_refusal>;

/// Reads a redirect: a whole URL, or its query with or without the question mark. Each of these is errc::unauthorized, and
/// nothing of the response is then in the error: another address than redirect_uri (scheme, host, path; the port too), a
/// wrong or missing state, a repeated parameter, an iss that differs or is missing although promised, neither code nor
/// error. Parameters are compared in constant time where they are secret.
result<authorization_answer> read_redirect(pending_authorization const& pending, std::string_view redirect);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/authorization.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_AUTHORIZATION_IPP)
#define COMCP_SINGLE_AUTH_IMPL_AUTHORIZATION_IPP
#include <algorithm>
#include <type_traits>
#include <utility>

namespace comcp {
namespace detail {

struct stored_authorization {
  std::string server, resource, issuer, authorization_endpoint, token_endpoint, auth_method, redirect_uri, scope, state,
      verifier, dpop_key;
  bool iss_required = false, dpop = false;
  json::value client;
};
constexpr auto describe(std::type_identity<stored_authorization>) {
  using t = stored_authorization;
  return json::fields(
      json::field("server", &t::server), json::field("resource", &t::resource), json::field("issuer", &t::issuer),
      json::field("iss_required", &t::iss_required),
      json::field("authorization_endpoint", &t::authorization_endpoint),
      json::field("token_endpoint", &t::token_endpoint), json::field("auth_method", &t::auth_method),
      json::field("client", &t::client), json::field("redirect_uri", &t::redirect_uri),
      json::field("scope", &t::scope), json::field("state", &t::state), json::field("verifier", &t::verifier),
      json::field("dpop", &t::dpop), json::field("dpop_key", &t::dpop_key));
}

COMCP_DECL error bad_redirect(char const* why) {
  return {errc::unauthorized, std::string("the redirect was refused: ") + why};
}

/// Whether a text begins with a scheme; a query does not, as its first part has an equals sign before any colon.
COMCP_DECL bool is_whole_uri(std::string_view text) noexcept {
  auto const scheme = text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."));
  return !scheme.empty() && scheme.size() < text.size() && text[scheme.size()] == ':';
}

/// Without query and fragment.
COMCP_DECL bool same_place(std::string_view a, std::string_view b) {
  auto const x = http_url::parse(a), y = http_url::parse(b);
  return x && y && same_origin(*x, *y) && x->path() == y->path();
}

}  // namespace detail

COMCP_DECL result<http_url> pending_authorization::url() const {
  auto const endpoint = http_url::parse(authorization_endpoint);
  if (!endpoint) return endpoint.error();
  form_fields added;
  added.add("response_type", "code").add("client_id", client.id()).add("redirect_uri", redirect_uri);
  added.add("state", state.reveal()).add("code_challenge", pkce_challenge(verifier));
  added.add("code_challenge_method", "S256");
  if (!resource.empty()) added.add("resource", resource);
  if (!scope.empty()) added.add("scope", scope);
  auto query = endpoint->query().value_or("");
  auto const there = form_fields::parse(query);
  if (!there) return there.error();
  for (auto const& f : *there) {
    if (added.count(f.name) != 0 || f.name == "scope" || f.name == "resource")
      return error(errc::denied, "the query of the authorization endpoint sets a parameter of the request");
  }
  // OpenID Connect Core, section 11: without it a server drops the scope, and there is no refresh token.
  bool const offline = (' ' + scope + ' ').find(" offline_access ") != std::string::npos;
  if (offline && there->count("prompt") == 0) added.add("prompt", "consent");
  if (!query.empty()) query += '&';
  return http_url::parse(endpoint->origin() + endpoint->path() + '?' + query + added.text());
}

COMCP_DECL secret pending_authorization::to_json() const {
  detail::stored_authorization out;
  out.server = server;
  out.resource = resource;
  out.issuer = issuer;
  out.iss_required = iss_required;
  out.authorization_endpoint = authorization_endpoint;
  out.token_endpoint = token_endpoint;
  out.auth_method = auth_method;
  out.client = json::parse(client.to_json().reveal()).value();
  out.redirect_uri = redirect_uri;
  out.scope = scope;
  out.state = state.reveal();
  out.verifier = verifier.reveal();
  out.dpop = dpop;
  out.dpop_key = dpop_key.reveal();
  return secret(json::to_text(out));
}

COMCP_DECL result<pending_authorization> pending_authorization::from_json(secret const& text) {
  auto const parsed = json::parse(text.reveal());
  if (!parsed) return error(errc::wrong_shape, "a pending authorization is no JSON");
  auto read = parsed->get<detail::stored_authorization>();
  if (!read) return error(errc::wrong_shape, "a pending authorization: " + std::string(read.error().message()));
  auto client = oauth_client::from_json(secret(read->client.dump()));
  if (!client) return client.error();
  pending_authorization out;
  out.server = std::move(read->server);
  out.resource = std::move(read->resource);
  out.issuer = std::move(read->issuer);
  out.iss_required = read->iss_required;
  out.authorization_endpoint = std::move(read->authorization_endpoint);
  out.token_endpoint = std::move(read->token_endpoint);
  out.auth_method = std::move(read->auth_method);
  out.client = std::move(*client);
  out.redirect_uri = std::move(read->redirect_uri);
  out.scope = std::move(read->scope);
  out.state = secret(std::move(read->state));
  out.verifier = secret(std::move(read->verifier));
  out.dpop = read->dpop;
  out.dpop_key = secret(std::move(read->dpop_key));
  return out;
}

COMCP_DECL result<authorization_answer> read_redirect(pending_authorization const& pending, std::string_view redirect) {
  // As people paste it.
  while (!redirect.empty() && static_cast<unsigned char>(redirect.front()) <= ' ') redirect.remove_prefix(1);
  while (!redirect.empty() && static_cast<unsigned char>(redirect.back()) <= ' ') redirect.remove_suffix(1);
  auto query = redirect.substr(0, redirect.find('#'));
  if (detail::is_whole_uri(redirect)) {
    if (!detail::same_place(redirect, pending.redirect_uri)) return detail::bad_redirect("it went to another address");
    auto const mark = query.find('?');
    query.remove_prefix(mark == query.npos ? query.size() : mark);
  }
  if (query.starts_with('?')) query.remove_prefix(1);
  auto const form = form_fields::parse(query);
  if (!form) return detail::bad_redirect("its query is malformed");
  for (auto const name : {"state", "iss", "code", "error", "error_description"}) {
    if (form->count(name) > 1) return detail::bad_redirect("a parameter comes twice");
  }
  auto const* const state = form->find("state");
  if (!state || pending.state.empty() || !detail::same_secret(*state, pending.state.reveal()))
    return detail::bad_redirect("its state is not that of this request");
  auto const* const iss = form->find("iss");
  if (iss ? *iss != pending.issuer : pending.iss_required)
    return detail::bad_redirect(iss ? "it comes from another issuer" : "its issuer is missing");
  if (auto const* const code = form->find("error"); code && !code->empty()) {
    auto const* const description = form->find("error_description");
    return authorization_answer(oauth_refusal(*code, description ? std::string_view(*description) : std::string_view()));
  }
  auto const* const code = form->find("code");
  if (!code || code->empty()) return detail::bad_redirect("it has neither a code nor an error");
  return authorization_answer(secret(*code));
}

}  // namespace comcp
#endif
#endif
#endif

// auth/oauth_options.hpp
#if !defined(COMCP_SINGLE_AUTH_OAUTH_OPTIONS_HPP)
#define COMCP_SINGLE_AUTH_OAUTH_OPTIONS_HPP
// The options of oauth.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

// auth/client_authentication.hpp
#if !defined(COMCP_SINGLE_AUTH_CLIENT_AUTHENTICATION_HPP)
#define COMCP_SINGLE_AUTH_CLIENT_AUTHENTICATION_HPP
// How a client proves at a token endpoint who it is (RFC 6749, section 2.3; RFC 7523, section 2.2). Over OpenSSL.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

namespace comcp {

/// What a client assertion is for.
struct assertion_request {
  assertion_request() = default;
  std::string client_id;
  std::string audience;        ///< The issuer; the token endpoint where there is none.
  std::string token_endpoint;
};

/// Gives a signed JWT that was made elsewhere (a vault, a signing service); called on the client's executor.
using assertion_source = std::function<asio::awaitable<secret>(assertion_request)>;

/// Options of the assertions that comcp signs itself. Regular.
class assertion_options {
 public:
  assertion_options() {}
  /// One minute by default; an hour at most.
  assertion_options& lifetime(std::chrono::seconds s) { return lifetime_ = s, *this; }
  /// Members of a JSON object that are added to the claims; those that comcp sets itself win.
  assertion_options& extra_claims(json::value object) { return claims_ = std::move(object), *this; }
  /// In place of the issuer.
  assertion_options& audience(std::string a) { return audience_ = std::move(a), *this; }

  [[nodiscard]] std::chrono::seconds lifetime() const noexcept { return lifetime_; }
  [[nodiscard]] json::value const& extra_claims() const noexcept { return claims_; }
  [[nodiscard]] std::string const& audience() const noexcept { return audience_; }

 private:
  std::chrono::seconds lifetime_{60};
  json::value claims_;
  std::string audience_;
};

/// A client assertion signed with the client's own key. errc::invalid_argument for a key that cannot sign.
result<secret> sign_client_assertion(oauth_client const& client, assertion_request const& about,
                                     assertion_options const& options, std::chrono::system_clock::time_point now);

/// Adds the client's credentials to a token request, by `method` ("none", "client_secret_basic", "client_secret_post",
/// "private_key_jwt"). `assertion` is for private_key_jwt. errc::invalid_argument where a part is missing.
result<void> authenticate(form_fields& body, http_headers& headers, oauth_client const& client, std::string_view method,
                          secret const& assertion = {});

}  // namespace comcp

// auth/jose.hpp
#if !defined(COMCP_SINGLE_AUTH_JOSE_HPP)
#define COMCP_SINGLE_AUTH_JOSE_HPP
// Keys, signatures and JSON Web Tokens (RFC 7515, 7517, 7518, 7519), as far as a client makes them; and randomness. Over
// OpenSSL. Nothing here verifies a token: those are for servers.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace comcp {

/// Bytes of a cryptographic random generator. Throws comcp::exception where there is none.
std::string random_bytes(std::size_t count);
/// A random text of 43 characters of base64url: 256 bits.
std::string random_token();

/// A key that signs, ES256 or RS256. Copies share it; may be used from any thread.
class signing_key {
 public:
  /// A fresh key for ES256.
  static signing_key generate();
  /// errc::invalid_argument for text that is no private key, or none for ES256 (P-256) or RS256 (2048 bits at least).
  static result<signing_key> load(private_key const& key);

  [[nodiscard]] std::string const& algorithm() const noexcept;
  [[nodiscard]] std::string const& id() const noexcept;  ///< Empty: none.
  /// The public JWK as JSON text, its members in the order of RFC 7638.
  [[nodiscard]] std::string public_jwk() const;
  /// Its thumbprint (RFC 7638), base64url.
  [[nodiscard]] std::string thumbprint() const;
  /// The private JWK, for a store.
  [[nodiscard]] secret private_jwk() const;

  /// A compact JWT. `header` and `claims` are JSON objects; alg, and kid where the key has one, are added to the header.
  [[nodiscard]] secret sign(std::string_view header, std::string_view claims) const;

 private:
  struct state;
  explicit signing_key(std::shared_ptr<state const> s) : state_(std::move(s)) {}
  std::shared_ptr<state const> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/jose.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_JOSE_IPP)
#define COMCP_SINGLE_AUTH_IMPL_JOSE_IPP
#include <openssl/rand.h>

// auth/impl/jose_keys.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_JOSE_KEYS_IPP)
#define COMCP_SINGLE_AUTH_IMPL_JOSE_KEYS_IPP
// OpenSSL's keys: read from PEM and JWK, written as JWK, used to sign. What a JSON Web Token is made of is jose.ipp's.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

namespace comcp::jose_detail {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* p) const noexcept {
    Free(p);
  }
};
template <class T, auto Free>
using owned = std::unique_ptr<T, freed_by<Free>>;

using key_ptr = owned<EVP_PKEY, &::EVP_PKEY_free>;
using number_ptr = owned<BIGNUM, &::BN_clear_free>;

/// Leaves OpenSSL's queue of errors as it was: what failed here is told in comcp's words.
class error_mark {
 public:
  error_mark() noexcept { ::ERR_set_mark(); }
  error_mark(error_mark const&) = delete;
  error_mark& operator=(error_mark const&) = delete;
  ~error_mark() { ::ERR_pop_to_mark(); }
};

/// How a member of a JWK is called in OpenSSL, and how many bytes it has (0: as many as it needs).
struct key_part {
  char const* member;
  char const* name;
  int width;
  bool is_private;
};

inline constexpr std::array<key_part, 3> ec_parts = {{{"x", OSSL_PKEY_PARAM_EC_PUB_X, 32, false},
                                                      {"y", OSSL_PKEY_PARAM_EC_PUB_Y, 32, false},
                                                      {"d", OSSL_PKEY_PARAM_PRIV_KEY, 32, true}}};
inline constexpr std::array<key_part, 8> rsa_parts = {{{"n", OSSL_PKEY_PARAM_RSA_N, 0, false},
                                                       {"e", OSSL_PKEY_PARAM_RSA_E, 0, false},
                                                       {"d", OSSL_PKEY_PARAM_RSA_D, 0, true},
                                                       {"p", OSSL_PKEY_PARAM_RSA_FACTOR1, 0, true},
                                                       {"q", OSSL_PKEY_PARAM_RSA_FACTOR2, 0, true},
                                                       {"dp", OSSL_PKEY_PARAM_RSA_EXPONENT1, 0, true},
                                                       {"dq", OSSL_PKEY_PARAM_RSA_EXPONENT2, 0, true},
                                                       {"qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1, 0, true}}};

inline error unusable_key(std::string why) { return {errc::invalid_argument, "the private key cannot be used: " + why}; }

inline bool is_rsa(EVP_PKEY const* key) { return ::EVP_PKEY_is_a(key, "RSA") == 1; }

/// A part of a key as a JWK has it; empty where the key has none.
COMCP_DECL std::string part_text(EVP_PKEY const* key, key_part const& part) {
  BIGNUM* raw = nullptr;
  if (::EVP_PKEY_get_bn_param(key, part.name, &raw) != 1) return {};
  number_ptr const number(raw);
  std::string bytes(static_cast<std::size_t>(part.width > 0 ? part.width : BN_num_bytes(raw)), '\0');
  auto* const to = reinterpret_cast<unsigned char*>(bytes.data());
  if (::BN_bn2binpad(raw, to, static_cast<int>(bytes.size())) < 0) return {};
  return to_base64url(bytes);
}

/// The members that make a JWK public, in the order of RFC 7638.
COMCP_DECL json::object public_members(EVP_PKEY const* key) {
  json::object out;
  if (is_rsa(key)) {
    out.set("e", part_text(key, rsa_parts[1])).set("kty", std::string_view("RSA"));
    out.set("n", part_text(key, rsa_parts[0]));
  } else {
    out.set("crv", std::string_view("P-256")).set("kty", std::string_view("EC"));
    out.set("x", part_text(key, ec_parts[0])).set("y", part_text(key, ec_parts[1]));
  }
  return out;
}

template <std::size_t N>
void add_private(json::object& to, EVP_PKEY const* key, std::array<key_part, N> const& parts) {
  for (auto const& part : parts) {
    auto const text = part.is_private ? part_text(key, part) : std::string();
    if (!text.empty()) to.set(part.member, text);
  }
}

/// The numbers of a JWK on their way into OpenSSL, which wants them until the key is made.
class key_builder {
 public:
  key_builder() : to_(::OSSL_PARAM_BLD_new()) {}

  /// False where OpenSSL has no room.
  bool add(char const* name, std::string const& bytes) {
    numbers_.emplace_back(::BN_secure_new());
    auto* const n = numbers_.back().get();
    auto const* const from = reinterpret_cast<unsigned char const*>(bytes.data());
    return to_ && n && ::BN_bin2bn(from, static_cast<int>(bytes.size()), n) &&
           ::OSSL_PARAM_BLD_push_BN(to_.get(), name, n) == 1;
  }
  /// The point of the public key, 65 bytes, and its curve. Both outlive the builder.
  bool add_point(std::string const& point) {
    return to_ && ::OSSL_PARAM_BLD_push_utf8_string(to_.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
           ::OSSL_PARAM_BLD_push_octet_string(to_.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) == 1;
  }

  /// Null where the numbers are no key.
  key_ptr make(char const* type) {
    owned<OSSL_PARAM, &::OSSL_PARAM_free> const parameters(to_ ? ::OSSL_PARAM_BLD_to_param(to_.get()) : nullptr);
    owned<EVP_PKEY_CTX, &::EVP_PKEY_CTX_free> const context(::EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
    EVP_PKEY* out = nullptr;
    if (!parameters || !context || ::EVP_PKEY_fromdata_init(context.get()) != 1) return nullptr;
    if (::EVP_PKEY_fromdata(context.get(), &out, EVP_PKEY_KEYPAIR, parameters.get()) != 1) return nullptr;
    return key_ptr(out);
  }

 private:
  std::vector<number_ptr> numbers_;
  owned<OSSL_PARAM_BLD, &::OSSL_PARAM_BLD_free> to_;
};

/// The bytes of a JWK's member; empty where it is missing, too long or no base64url.
COMCP_DECL std::string part_bytes(json::view jwk, key_part const& part) {
  auto const member = jwk.find(part.member);
  auto const text = member ? member->get_string() : std::nullopt;
  if (!text || text->size() > 4096) return {};
  auto bytes = from_base64url(*text);
  if (!bytes || (part.width > 0 && bytes->size() != static_cast<std::size_t>(part.width))) return {};
  return std::move(*bytes);
}

COMCP_DECL result<key_ptr> ec_from_jwk(json::view jwk) {
  auto const curve = jwk.find("crv");
  if (!curve || curve->get_string() != "P-256") return unusable_key("its curve is not P-256");
  std::array<std::string, ec_parts.size()> bytes;
  for (std::size_t i = 0; i < ec_parts.size(); ++i) {
    auto const& part = ec_parts[i];
    bytes[i] = part_bytes(jwk, part);
    if (bytes[i].empty()) return unusable_key(std::string(part.member) + " of the JWK is not 32 bytes of base64url");
  }
  key_builder builder;
  auto const point = '\x04' + bytes[0] + bytes[1];
  key_ptr key;
  if (builder.add_point(point) && builder.add(OSSL_PKEY_PARAM_PRIV_KEY, bytes[2])) key = builder.make("EC");
  if (!key) return unusable_key("the numbers of the JWK are no key of P-256");
  return key;
}

COMCP_DECL result<key_ptr> rsa_from_jwk(json::view jwk) {
  if (jwk.find("oth")) return unusable_key("RSA with more than two primes is not supported");
  bool const with_primes = jwk.find("p").has_value();
  key_builder builder;
  key_ptr key;
  for (auto const& part : rsa_parts) {
    if (&part == &rsa_parts[3] && !with_primes) break;
    auto const bytes = part_bytes(jwk, part);
    if (bytes.empty()) return unusable_key(std::string(part.member) + " of the JWK is no number in base64url");
    if (!builder.add(part.name, bytes)) return unusable_key("OpenSSL does not take its numbers");
  }
  key = builder.make("RSA");
  if (!key) return unusable_key("the numbers of the JWK are no RSA key");
  return key;
}

COMCP_DECL result<key_ptr> key_from_jwk(json::view jwk) {
  auto const kind = jwk.find("kty");
  auto const type = kind ? kind->get_string() : std::nullopt;
  if (!jwk.is_object() || !type) return unusable_key("it is no JWK: one JSON object with kty is wanted");
  if (!jwk.find("d")) return unusable_key("the JWK has no private part");
  if (type == "EC") return ec_from_jwk(jwk);
  if (type == "RSA") return rsa_from_jwk(jwk);
  return unusable_key("the kty of the JWK is neither EC nor RSA");
}

COMCP_DECL result<key_ptr> key_from_pem(std::string const& text) {
  constexpr std::size_t most = std::size_t{64} << 10;
  if (text.size() > most) return unusable_key("more than 64 KiB are no PEM of a key");
  if (text.find("ENCRYPTED") != text.npos) return unusable_key("it is encrypted; write it without its passphrase");
  owned<BIO, &::BIO_free> const from(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  // Without the callback OpenSSL asks the terminal for a passphrase.
  auto const no_passphrase = [](char*, int, int, void*) { return -1; };
  key_ptr key(from ? ::PEM_read_bio_PrivateKey(from.get(), nullptr, no_passphrase, nullptr) : nullptr);
  if (key) return key;
  if (text.find("PUBLIC KEY-----") != text.npos || text.find("CERTIFICATE-----") != text.npos) {
    return unusable_key("it is a public one");
  }
  return unusable_key("it is no PEM of PKCS#8, SEC 1 or PKCS#1");
}

/// "ES256" or "RS256", as the key is.
COMCP_DECL result<std::string> algorithm_of(EVP_PKEY const* key) {
  if (is_rsa(key)) {
    if (::EVP_PKEY_get_bits(key) < 2048) return unusable_key("RS256 needs 2048 bits at least");
    return std::string("RS256");
  }
  if (::EVP_PKEY_is_a(key, "EC") != 1) return unusable_key("it is neither an EC nor an RSA key");
  char group[64] = {};
  std::size_t length = 0;
  if (::EVP_PKEY_get_group_name(key, group, sizeof group, &length) != 1 || std::string_view(group) != "prime256v1") {
    return unusable_key("its curve is not P-256");
  }
  return std::string("ES256");
}

/// The signature as OpenSSL gives it, empty where it does not.
COMCP_DECL std::string raw_signature(EVP_PKEY* key, std::string_view data) {
  owned<EVP_MD_CTX, &::EVP_MD_CTX_free> const context(::EVP_MD_CTX_new());
  auto const* const from = reinterpret_cast<unsigned char const*>(data.data());
  std::size_t size = 0;
  if (!context || ::EVP_DigestSignInit(context.get(), nullptr, ::EVP_sha256(), nullptr, key) != 1) return {};
  if (::EVP_DigestSign(context.get(), nullptr, &size, from, data.size()) != 1) return {};
  std::string out(size, '\0');
  auto* const to = reinterpret_cast<unsigned char*>(out.data());
  if (::EVP_DigestSign(context.get(), to, &size, from, data.size()) != 1) return {};
  out.resize(size);
  return out;
}

/// Whether the public part belongs to the private one.
COMCP_DECL bool fits_together(EVP_PKEY* key) {
  std::string_view const data = "comcp";
  auto const signature = raw_signature(key, data);
  owned<EVP_MD_CTX, &::EVP_MD_CTX_free> const context(::EVP_MD_CTX_new());
  if (signature.empty() || !context) return false;
  if (::EVP_DigestVerifyInit(context.get(), nullptr, ::EVP_sha256(), nullptr, key) != 1) return false;
  return ::EVP_DigestVerify(context.get(), reinterpret_cast<unsigned char const*>(signature.data()), signature.size(),
                            reinterpret_cast<unsigned char const*>(data.data()), data.size()) == 1;
}

/// ECDSA's signature in DER as JOSE has it: r and s, 32 bytes each. Empty where it is none.
COMCP_DECL std::string jose_signature(std::string const& der) {
  auto const* from = reinterpret_cast<unsigned char const*>(der.data());
  owned<ECDSA_SIG, &::ECDSA_SIG_free> const signature(::d2i_ECDSA_SIG(nullptr, &from, static_cast<long>(der.size())));
  std::string out(64, '\0');
  auto* const to = reinterpret_cast<unsigned char*>(out.data());
  if (!signature || ::BN_bn2binpad(::ECDSA_SIG_get0_r(signature.get()), to, 32) != 32 ||
      ::BN_bn2binpad(::ECDSA_SIG_get0_s(signature.get()), to + 32, 32) != 32) {
    return {};
  }
  return out;
}

}  // namespace comcp::jose_detail
#endif

namespace comcp {

COMCP_DECL std::string random_bytes(std::size_t count) {
  jose_detail::error_mark const mark;
  std::string out(count, '\0');
  auto* const to = reinterpret_cast<unsigned char*>(out.data());
  if (::RAND_bytes_ex(nullptr, to, count, 0) != 1) {
    throw exception(error(std::make_error_code(std::errc::io_error), "OpenSSL has no randomness"));
  }
  return out;
}

COMCP_DECL std::string random_token() { return to_base64url(random_bytes(32)); }

struct signing_key::state {
  jose_detail::key_ptr key;
  std::string algorithm, id, jwk;
};

COMCP_DECL signing_key signing_key::generate() {
  jose_detail::error_mark const mark;
  auto s = std::make_shared<state>();
  s->key.reset(::EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  if (!s->key) throw exception(error(std::make_error_code(std::errc::io_error), "OpenSSL makes no key"));
  s->algorithm = "ES256";
  s->jwk = jose_detail::public_members(s->key.get()).text();
  return signing_key(std::move(s));
}

namespace jose_detail {

// `id` and `algorithm` become what a JWK says, where they are not said.
COMCP_DECL result<key_ptr> read_key(private_key const& key, std::string& id, std::string& algorithm) {
  if (!key.is_jwk()) return key_from_pem(key.text().reveal());
  auto const jwk = json::parse(key.text().reveal(), json::parse_options().max_bytes(std::size_t{64} << 10));
  if (!jwk) return unusable_key("it is no JSON");
  auto const text_of = [&](std::string_view member) {
    auto const found = jwk->view().find(member);
    return std::string(found ? found->get_string().value_or("") : "");
  };
  if (id.empty()) id = text_of("kid");
  auto const meant = text_of("alg");
  if (algorithm.empty()) algorithm = meant;
  if (!meant.empty() && meant != algorithm) return unusable_key("its JWK is for another algorithm");
  return key_from_jwk(*jwk);
}

}  // namespace jose_detail

COMCP_DECL result<signing_key> signing_key::load(private_key const& key) {
  jose_detail::error_mark const mark;
  auto s = std::make_shared<state>();
  s->id = key.id();
  auto wanted = key.algorithm();
  auto read = jose_detail::read_key(key, s->id, wanted);
  if (!read) return read.error();
  s->key = std::move(*read);
  auto const fits = jose_detail::algorithm_of(s->key.get());
  if (!fits) return fits.error();
  if (!wanted.empty() && wanted != *fits) return jose_detail::unusable_key("it signs " + *fits + " and nothing else");
  if (!jose_detail::fits_together(s->key.get())) return jose_detail::unusable_key("its parts do not fit together");
  s->algorithm = *fits;
  s->jwk = jose_detail::public_members(s->key.get()).text();
  return signing_key(std::move(s));
}

COMCP_DECL std::string const& signing_key::algorithm() const noexcept { return state_->algorithm; }
COMCP_DECL std::string const& signing_key::id() const noexcept { return state_->id; }
COMCP_DECL std::string signing_key::public_jwk() const { return state_->jwk; }

COMCP_DECL std::string signing_key::thumbprint() const { return to_base64url(sha256(state_->jwk)); }

COMCP_DECL secret signing_key::private_jwk() const {
  jose_detail::error_mark const mark;
  auto const* const key = state_->key.get();
  auto out = jose_detail::public_members(key);
  if (jose_detail::is_rsa(key)) {
    jose_detail::add_private(out, key, jose_detail::rsa_parts);
  } else {
    jose_detail::add_private(out, key, jose_detail::ec_parts);
  }
  out.set("alg", state_->algorithm);
  if (!state_->id.empty()) out.set("kid", state_->id);
  return secret(out.text());
}

COMCP_DECL secret signing_key::sign(std::string_view header, std::string_view claims) const {
  jose_detail::error_mark const mark;
  auto const given = json::parse(header), said = json::parse(claims);
  if (!given || !said || !given->is_object() || !said->is_object()) {
    throw exception(error(errc::invalid_argument, "header and claims of a JWT must be JSON objects"));
  }
  json::object whole;
  whole.set("alg", state_->algorithm);
  if (!state_->id.empty()) whole.set("kid", state_->id);
  for (auto const& [name, value] : given->members()) {
    if (name != "alg" && (name != "kid" || state_->id.empty())) whole.set(name, value);
  }
  auto out = to_base64url(whole.text()) + '.' + to_base64url(claims);
  auto signature = jose_detail::raw_signature(state_->key.get(), out);
  if (state_->algorithm == "ES256") signature = jose_detail::jose_signature(signature);
  if (signature.empty()) throw exception(error(errc::invalid_argument, "OpenSSL cannot sign with this key"));
  out += '.';
  out += to_base64url(signature);
  return secret(std::move(out));
}

}  // namespace comcp
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/client_authentication.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_CLIENT_AUTHENTICATION_IPP)
#define COMCP_SINGLE_AUTH_IMPL_CLIENT_AUTHENTICATION_IPP
#include <algorithm>
#include <array>
#include <span>

namespace comcp {
namespace jose_detail {

COMCP_DECL std::string assertion_claims(assertion_request const& about, assertion_options const& options,
                                        std::chrono::system_clock::time_point now) {
  auto const& named = about.audience.empty() ? about.token_endpoint : about.audience;
  auto const since = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  json::object claims;
  claims.set("iss", about.client_id).set("sub", about.client_id);
  claims.set("aud", options.audience().empty() ? named : options.audience());
  claims.set("iat", since.count()).set("exp", (since + options.lifetime()).count()).set("jti", random_token());
  static constexpr std::array<std::string_view, 6> own{"iss", "sub", "aud", "iat", "exp", "jti"};
  auto const& extra = options.extra_claims();
  if (extra.is_object()) {
    for (auto const& [name, value] : extra.members()) {
      if (std::find(own.begin(), own.end(), name) == own.end()) claims.set(name, value);
    }
  }
  return claims.text();
}

COMCP_DECL secret basic_credentials(std::string const& id, secret const& password) {
  // RFC 6749, section 2.3.1: both parts are form-encoded first, so that the one equals sign is between them.
  auto pair = form_fields().add(id, password.reveal()).text();
  pair[pair.find('=')] = ':';
  return secret("Basic " + to_base64(std::as_bytes(std::span(pair))));
}

}  // namespace jose_detail

COMCP_DECL result<secret> sign_client_assertion(oauth_client const& client, assertion_request const& about,
                                                assertion_options const& options,
                                                std::chrono::system_clock::time_point now) {
  using namespace std::chrono_literals;
  if (!client.key()) return error(errc::invalid_argument, "private_key_jwt needs the client's private key");
  if (options.lifetime() <= 0s || options.lifetime() > 1h) {
    return error(errc::invalid_argument, "a client assertion lives for an hour at most");
  }
  if (!options.extra_claims().is_null() && !options.extra_claims().is_object()) {
    return error(errc::invalid_argument, "the extra claims of client assertions are no JSON object");
  }
  auto const key = signing_key::load(*client.key());
  if (!key) return key.error();
  assertion_request named = about;
  if (named.client_id.empty()) named.client_id = client.id();
  try {
    return key->sign(json::object().set("typ", std::string_view("JWT")).text(),
                     jose_detail::assertion_claims(named, options, now));
  } catch (exception const& e) {
    return e.error();
  }
}

COMCP_DECL result<void> authenticate(form_fields& body, http_headers& headers, oauth_client const& client,
                                     std::string_view method, secret const& assertion) {
  bool const with_secret = method == "client_secret_basic" || method == "client_secret_post";
  if (client.id().empty()) return error(errc::invalid_argument, "the client has no id");
  if (with_secret && client.client_secret().empty()) {
    return error(errc::invalid_argument, "the client has no secret for " + std::string(method));
  }
  if (method == "client_secret_basic") {
    return headers.set("Authorization", jose_detail::basic_credentials(client.id(), client.client_secret()).reveal());
  }
  if (method == "private_key_jwt") {
    if (assertion.empty()) return error(errc::invalid_argument, "private_key_jwt needs an assertion");
    body.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    body.set("client_assertion", assertion.reveal());
  } else if (!with_secret && method != "none") {
    return error(errc::invalid_argument, "comcp knows no such way for a client to authenticate");
  }
  // With an assertion it may be left out (RFC 7521, section 4.2), but Microsoft's servers want it.
  body.set("client_id", client.id());
  if (with_secret) body.set("client_secret", client.client_secret().reveal());
  return {};
}

}  // namespace comcp
#endif
#endif
#endif

// auth/grant.hpp
#if !defined(COMCP_SINGLE_AUTH_GRANT_HPP)
#define COMCP_SINGLE_AUTH_GRANT_HPP
// Where assertions for machine grants come from. Specification: extensions
// io.modelcontextprotocol/enterprise-managed-authorization and io.modelcontextprotocol/auth/wif

#include <functional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

namespace comcp {

/// For whom an assertion is wanted.
struct grant_request {
  grant_request() = default;
  std::string issuer;    ///< The authorization server, as the MCP server names it: the audience of what is given.
  std::string resource;  ///< The MCP server.
  std::string scope;     ///< What will be asked for; empty: nothing.
};

/// Gives a JWT that the authorization server trusts (RFC 7523, section 2.1), or a user's identity for an
/// identity_provider; called on the client's executor each time one is wanted. What it throws ends the flow with
/// errc::unauthorized, a comcp::exception with its own error.
using grant_source = std::function<asio::awaitable<secret>(grant_request)>;

/// Enterprise-managed authorization: where the identity provider exchanges the user's identity for a grant (RFC 8693).
class identity_provider {
 public:
  identity_provider(std::string token_endpoint, oauth_client client, grant_source identity)
      : endpoint_(std::move(token_endpoint)), client_(std::move(client)), identity_(std::move(identity)) {}
  /// "urn:ietf:params:oauth:token-type:id_token" by default.
  identity_provider& subject_token_type(std::string t) & { return type_ = std::move(t), *this; }
  identity_provider&& subject_token_type(std::string t) && { return std::move(subject_token_type(std::move(t))); }

  [[nodiscard]] std::string const& token_endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] oauth_client const& client() const noexcept { return client_; }
  [[nodiscard]] grant_source const& identity() const noexcept { return identity_; }
  [[nodiscard]] std::string const& subject_token_type() const noexcept { return type_; }

 private:
  std::string endpoint_;
  oauth_client client_;
  grant_source identity_;
  std::string type_ = "urn:ietf:params:oauth:token-type:id_token";
};

}  // namespace comcp
#endif

// auth/oauth_http.hpp
#if !defined(COMCP_SINGLE_AUTH_OAUTH_HTTP_HPP)
#define COMCP_SINGLE_AUTH_OAUTH_HTTP_HPP
// How authorization sends its own requests: over any engine, whole answers of bounded size, no redirects. And by
// default over comcp's own engine, to no address that the MCP server has no business to send a client to.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/ip/address.hpp>

namespace comcp {

/// A whole answer. A redirect is an answer like any other.
struct oauth_response {
  oauth_response() = default;
  int status = 0;
  http_headers headers;
  std::string body;
  std::string address;  ///< As http_response_head has it.
};

/// Sends one request and gives its whole answer; called on the client's executor, may be cancelled.
using oauth_sender = std::function<asio::awaitable<result<oauth_response>>(http_request)>;

namespace detail {

template <class Engine>
asio::awaitable<result<oauth_response>> fetch_whole(std::shared_ptr<Engine> engine, http_request request, std::size_t max_body) {
  auto opened = co_await engine->open(std::move(request));
  if (!opened) co_return opened.error();
  auto response = std::move(*opened);
  oauth_response out;
  out.status = response.head().status;
  out.headers = response.head().headers;
  out.address = response.head().address;
  for (;;) {
    auto const piece = co_await response.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return out;
    if (out.body.size() + piece->size() > max_body) {
      co_return error(errc::limit_exceeded, "the answer is longer than oauth_options().max_body()");
    }
    out.body.append(*piece);
  }
}

}  // namespace detail

/// A sender over an engine of the user's choice. Bodies beyond `max_body` bytes are errc::limit_exceeded.
template <engine Engine>
oauth_sender send_with(std::shared_ptr<Engine> e, std::size_t max_body = std::size_t{1} << 20) {
  return [e = std::move(e), max_body](http_request r) { return detail::fetch_whole(e, std::move(r), max_body); };
}

namespace detail {

/// Where authorization to one server may connect to, by how far the server's own addresses reach: those that it was
/// connected at, for what a second lookup says is up to its owner; before that what a lookup says, or else its name.
struct oauth_addresses {
  oauth_addresses(endpoint_policy p, http_url s) : policy(p), server(std::move(s)), reach(reach_of(server.host())) {}

  /// The address that reaches farthest counts: a public server gains nothing by a private one beside it.
  void resolved(net::endpoints const& found);
  /// It answered from there. Empty: not known.
  void answered_from(std::string const& address);
  [[nodiscard]] bool allows(asio::ip::address const& address) const;

  endpoint_policy policy;
  http_url server;
  address_reach reach;
  bool looked_up = false;
  bool connected = false;
};

template <class Engine>
struct oauth_engine {
  std::shared_ptr<Engine> engine;
  std::shared_ptr<oauth_addresses> addresses;
  std::shared_ptr<time_source> time;
  net::lookup_function lookup;
  std::chrono::nanoseconds lookup_time;
  std::size_t max_body;
};

template <class Engine>
asio::awaitable<result<oauth_response>> fetch_guarded(std::shared_ptr<oauth_engine<Engine>> with, http_request request) {
  auto& known = *with->addresses;
  if (!known.looked_up) {
    auto const until = detail::later(with->time->now(), with->lookup_time);
    auto host = std::string(known.server.host_name());
    auto const found = co_await net::resolve<>(with->lookup, std::move(host), known.server.port(), with->time, until);
    if (!found && found.error() == errc::cancelled) co_return found.error();
    if (found) known.resolved(*found);
  }
  bool const own = same_origin(request.url, known.server);
  auto whole = co_await fetch_whole(with->engine, std::move(request), with->max_body);
  if (whole && own) known.answered_from(whole->address);
  co_return std::move(whole);
}

/// The sender for authorization to `server` that is used where the user gave none. Connections go only where the
/// policy allows it, by the resolved address; what passes through a proxy is checked by its URL alone. `engine` has the
/// times and the clock. Keep one for each MCP server. `addresses` are for who learns more of the server's.
template <class Engine = default_http_engine>
oauth_sender default_oauth_sender(endpoint_policy policy, std::size_t max_body, http_url server,
                                  asio_engine_options engine = asio_engine_options(),
                                  proxy_options proxies = proxy_options::from_environment(),
                                  tls_options const& tls = tls_options(),
                                  net::lookup_function lookup = net::system_lookup<asio::any_io_executor>,
                                  std::shared_ptr<oauth_addresses> addresses = nullptr) {
  auto const out = std::make_shared<oauth_engine<Engine>>();
  if (!addresses) addresses = std::make_shared<oauth_addresses>(policy, std::move(server));
  auto const proxied = proxies.proxy_for(addresses->server);
  // A server behind a proxy may have no address here at all.
  addresses->looked_up = addresses->looked_up || !proxied || proxied->has_value();
  out->addresses = addresses;
  out->time = engine.time() ? engine.time() : steady_time();
  out->lookup = lookup;
  out->lookup_time = *engine.timeouts().connect();
  out->max_body = max_body;
  engine.address_filter([addresses](asio::ip::address const& a) { return addresses->allows(a); });
  engine.max_idle(0);  // an oauth may outlive the io_context: nothing of it is kept between requests
  out->engine = make_http_engine<Engine>(std::move(engine), std::move(proxies), tls, std::move(lookup));
  return [out](http_request r) { return fetch_guarded<Engine>(out, std::move(r)); };
}

}  // namespace detail
}  // namespace comcp

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

extern template oauth_sender default_oauth_sender<default_http_engine>(endpoint_policy, std::size_t, http_url,
                                                                       asio_engine_options, proxy_options,
                                                                       tls_options const&, net::lookup_function,
                                                                       std::shared_ptr<oauth_addresses>);

}  // namespace comcp::detail
#endif

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/oauth_http.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OAUTH_HTTP_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OAUTH_HTTP_IPP
#include <algorithm>

namespace comcp::detail {

COMCP_DECL void oauth_addresses::resolved(net::endpoints const& found) {
  if (connected) return;  // asked before it answered: a name's owner may be slow on purpose
  reach = address_reach::loopback;
  for (auto const& e : found) reach = std::max(reach, reach_of(e.address().to_string()));
  looked_up = true;
}

COMCP_DECL void oauth_addresses::answered_from(std::string const& address) {
  if (address.empty()) return;
  auto const here = reach_of(address);
  reach = connected ? std::max(reach, here) : here;
  looked_up = connected = true;
}

COMCP_DECL bool oauth_addresses::allows(asio::ip::address const& address) const {
  return policy.allows_address(address.to_string(), reach);
}

#if defined(COMCP_SEPARATE_COMPILATION)
template oauth_sender default_oauth_sender<default_http_engine>(endpoint_policy, std::size_t, http_url,
                                                                asio_engine_options, proxy_options, tls_options const&,
                                                                net::lookup_function, std::shared_ptr<oauth_addresses>);
#endif

}  // namespace comcp::detail
#endif
#endif
#endif

// auth/oauth_profile.hpp
#if !defined(COMCP_SINGLE_AUTH_OAUTH_PROFILE_HPP)
#define COMCP_SINGLE_AUTH_OAUTH_PROFILE_HPP
// What a flow is decided by, without I/O: who the client is, which grant it uses, and what it refuses. Pure.

#include <functional>
#include <optional>
#include <string>
#include <vector>

// auth/metadata.hpp
#if !defined(COMCP_SINGLE_AUTH_METADATA_HPP)
#define COMCP_SINGLE_AUTH_METADATA_HPP
// The documents of discovery: protected resource metadata (RFC 9728), authorization server metadata (RFC 8414, OpenID
// Connect Discovery 1.0), and where they are looked for. Pure.
// Specification: 2026-07-28, basic/authorization/authorization-server-discovery

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comcp {

/// What a protected MCP server says of itself. Fields that it does not have are empty; raw has them all.
struct protected_resource_metadata {
  protected_resource_metadata() = default;
  /// errc::wrong_shape where a field that is there has the wrong type, or `resource` is missing.
  static result<protected_resource_metadata> from_json(json::value document);

  std::string resource;  ///< Byte for byte as published.
  std::vector<std::string> authorization_servers;
  std::optional<std::vector<std::string>> scopes_supported;
  bool dpop_bound_access_tokens_required = false;
  std::vector<std::string> dpop_signing_alg_values_supported;
  json::value raw;
};

/// What an authorization server says of itself.
struct authorization_server_metadata {
  authorization_server_metadata() = default;
  /// errc::wrong_shape where a field that is there has the wrong type, or `issuer` is missing.
  static result<authorization_server_metadata> from_json(json::value document);
  /// The endpoints that revision 2025-03-26 assumes where a server publishes nothing: /authorize, /token, /register at
  /// its origin, PKCE S256. Its issuer is empty: there is none to compare with.
  static authorization_server_metadata assumed_at(http_url const& server);

  [[nodiscard]] bool supports_s256() const;

  std::string issuer;  ///< Byte for byte as published.
  std::string authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint;
  std::optional<std::vector<std::string>> scopes_supported, grant_types_supported, code_challenge_methods_supported,
      token_endpoint_auth_methods_supported, token_endpoint_auth_signing_alg_values_supported,
      dpop_signing_alg_values_supported;
  bool client_id_metadata_document_supported = false;
  bool authorization_response_iss_parameter_supported = false;
  json::value raw;
};

/// Where the metadata of a server may be, in the order to ask: by path, then at the root (once where both are one).
std::vector<http_url> protected_resource_metadata_urls(http_url const& server);
/// The same for an issuer: RFC 8414, then OpenID, with the path inserted, then appended.
std::vector<http_url> authorization_server_metadata_urls(http_url const& issuer);
/// The server's canonical URI: lower-case scheme and host, no query, no fragment, no trailing slash.
std::string canonical_resource(http_url const& server);
/// Whether metadata that names this resource speaks for this server: same origin, and its path is the server's path or
/// a parent of it (whole segments). Queries do not count: a server's identifier has none, unless it gives itself one.
bool covers(std::string_view resource, http_url const& server);
/// Whether a resource that covers the server is more than the server: tokens for it are good elsewhere too.
bool is_wider(std::string_view resource, http_url const& server);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/metadata.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_METADATA_IPP)
#define COMCP_SINGLE_AUTH_IMPL_METADATA_IPP
#include <algorithm>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace comcp {

constexpr auto describe(std::type_identity<protected_resource_metadata>) {
  using t = protected_resource_metadata;
  return json::fields(json::field("resource", &t::resource),
                      json::defaulted("authorization_servers", &t::authorization_servers),
                      json::field("scopes_supported", &t::scopes_supported),
                      json::defaulted("dpop_bound_access_tokens_required", &t::dpop_bound_access_tokens_required),
                      json::defaulted("dpop_signing_alg_values_supported", &t::dpop_signing_alg_values_supported),
                      json::rest(&t::raw));
}

constexpr auto describe(std::type_identity<authorization_server_metadata>) {
  using t = authorization_server_metadata;
  return json::fields(
      json::field("issuer", &t::issuer), json::defaulted("authorization_endpoint", &t::authorization_endpoint),
      json::defaulted("token_endpoint", &t::token_endpoint),
      json::defaulted("registration_endpoint", &t::registration_endpoint),
      json::defaulted("revocation_endpoint", &t::revocation_endpoint),
      json::field("scopes_supported", &t::scopes_supported),
      json::field("grant_types_supported", &t::grant_types_supported),
      json::field("code_challenge_methods_supported", &t::code_challenge_methods_supported),
      json::field("token_endpoint_auth_methods_supported", &t::token_endpoint_auth_methods_supported),
      json::field("token_endpoint_auth_signing_alg_values_supported",
                  &t::token_endpoint_auth_signing_alg_values_supported),
      json::field("dpop_signing_alg_values_supported", &t::dpop_signing_alg_values_supported),
      json::defaulted("client_id_metadata_document_supported", &t::client_id_metadata_document_supported),
      json::defaulted("authorization_response_iss_parameter_supported",
                      &t::authorization_response_iss_parameter_supported),
      json::rest(&t::raw));
}

namespace detail {

inline constexpr std::size_t max_metadata_list = 1024;

template <class T>
result<T> read_metadata(json::value const& document, std::initializer_list<std::string_view> lists) {
  for (auto const key : lists) {
    auto const list = document.view().find(key);
    if (list && list->size() > max_metadata_list)
      return error(errc::wrong_shape, "more than 1024 elements at /" + std::string(key));
  }
  return json::read<T>(document.view());
}

/// "" for the root.
COMCP_DECL std::string_view path_without_end(http_url const& url) noexcept {
  std::string_view path = url.path();
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

inline http_url at_origin(http_url const& of, std::string path) { return http_url::parse(of.origin() + std::move(path)).value(); }

}  // namespace detail

COMCP_DECL result<protected_resource_metadata> protected_resource_metadata::from_json(json::value document) {
  auto const lists = {std::string_view("authorization_servers"), std::string_view("scopes_supported"),
                      std::string_view("dpop_signing_alg_values_supported")};
  return detail::read_metadata<protected_resource_metadata>(document, lists);
}

COMCP_DECL result<authorization_server_metadata> authorization_server_metadata::from_json(json::value document) {
  auto const lists = {std::string_view("scopes_supported"),
                      std::string_view("grant_types_supported"),
                      std::string_view("code_challenge_methods_supported"),
                      std::string_view("token_endpoint_auth_methods_supported"),
                      std::string_view("token_endpoint_auth_signing_alg_values_supported"),
                      std::string_view("dpop_signing_alg_values_supported")};
  return detail::read_metadata<authorization_server_metadata>(document, lists);
}

COMCP_DECL authorization_server_metadata authorization_server_metadata::assumed_at(http_url const& server) {
  authorization_server_metadata out;
  out.authorization_endpoint = server.origin() + "/authorize";
  out.token_endpoint = server.origin() + "/token";
  out.registration_endpoint = server.origin() + "/register";
  out.code_challenge_methods_supported.emplace(1, "S256");
  return out;
}

COMCP_DECL bool authorization_server_metadata::supports_s256() const {
  if (!code_challenge_methods_supported) return false;
  auto const& methods = *code_challenge_methods_supported;
  return std::find(methods.begin(), methods.end(), "S256") != methods.end();
}

COMCP_DECL std::vector<http_url> protected_resource_metadata_urls(http_url const& server) {
  std::string const known = "/.well-known/oauth-protected-resource";
  auto const path = detail::path_without_end(server);
  std::vector<http_url> out;
  if (!path.empty()) out.push_back(detail::at_origin(server, known + std::string(path)));
  out.push_back(detail::at_origin(server, known));
  return out;
}

COMCP_DECL std::vector<http_url> authorization_server_metadata_urls(http_url const& issuer) {
  std::string const oauth = "/.well-known/oauth-authorization-server", openid = "/.well-known/openid-configuration";
  std::string const path(detail::path_without_end(issuer));
  std::vector<http_url> out;
  out.push_back(detail::at_origin(issuer, oauth + path));
  out.push_back(detail::at_origin(issuer, openid + path));
  // The last two are one for an issuer whose path is `openid` itself.
  if (!path.empty() && path + openid != openid + path) out.push_back(detail::at_origin(issuer, path + openid));
  return out;
}

COMCP_DECL std::string canonical_resource(http_url const& server) {
  return server.origin().append(detail::path_without_end(server));
}

COMCP_DECL bool covers(std::string_view resource, http_url const& server) {
  auto const named = http_url::parse(resource);
  if (!named || !same_origin(*named, server) || named->fragment()) return false;
  auto const parent = detail::path_without_end(*named), path = detail::path_without_end(server);
  return path.starts_with(parent) && (path.size() == parent.size() || path[parent.size()] == '/');
}

COMCP_DECL bool is_wider(std::string_view resource, http_url const& server) {
  auto const named = http_url::parse(resource);
  return named && detail::path_without_end(*named).size() < detail::path_without_end(server).size();
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// Chooses one of several authorization servers that a resource names: its index; nothing refuses them all.
using server_choice = std::function<std::optional<std::size_t>(protected_resource_metadata const&)>;

struct oauth_profile {
  enum class grant { authorization_code, client_credentials, jwt_bearer };

  oauth_profile() = default;

  grant kind = grant::authorization_code;
  std::vector<oauth_client> clients;  ///< Pre-registered.
  std::string client_metadata_url;    ///< https with a path; empty: none.
  client_metadata metadata;           ///< For dynamic registration.
  bool dynamic_registration = true;
  std::optional<std::string> scope;   ///< In place of what the server asks for; step-up still adds.
  std::optional<std::string> issuer;  ///< Pinned: any other is refused; also used where the server names none.
  std::optional<std::string> resource;  ///< Pinned.
  bool step_up = true;
  bool offline_access = true;         ///< Ask for it where it is offered.
  bool dpop = false;
  server_choice choose;               ///< By default the first.
  std::function<bool(std::string const& resource)> accept_wider;  ///< As oauth_options has it.
  endpoint_policy policy;
  bool legacy_fallback = true;        ///< 2025-03-26: metadata or default endpoints at the server's origin.
};

}  // namespace comcp
#endif

namespace comcp {

/// How a client gets its tokens. Regular. Everything has a default that is safe.
class oauth_options {
 public:
  oauth_options() {}

  /// How the user logs in: loopback_redirect(), a browser_callback, or a type of yours. Without one a login ends with
  /// errc::login_required, unless it was begun with oauth::begin().
  oauth_options& user(any_user_agent agent) { return user_ = std::move(agent), *this; }
  /// Where credentials are kept between runs; by default in memory: each run trusts the first issuer anew, unless named.
  oauth_options& store(any_token_store s) { return store_ = std::move(s), *this; }
  /// Separates the credentials of several users of one store. "" by default; printable ASCII.
  oauth_options& account(std::string name) { return account_ = std::move(name), *this; }

  /// A client that an authorization server knows already; more than one for several servers. Name the issuer of each: see
  /// oauth_client::issuer().
  oauth_options& client(oauth_client c) { return profile_.clients.push_back(std::move(c)), *this; }
  /// The URL of a client id metadata document that you host.
  oauth_options& client_metadata_url(std::string url) { return profile_.client_metadata_url = std::move(url), *this; }
  /// What dynamic registration says of the client. Its redirect URIs come from the user agent.
  oauth_options& metadata(client_metadata m) { return profile_.metadata = std::move(m), *this; }
  oauth_options& client_name(std::string name) { return profile_.metadata.client_name = std::move(name), *this; }
  oauth_options& dynamic_registration(bool yes) { return profile_.dynamic_registration = yes, *this; }

  /// A machine's grants, in place of a user's: with client credentials,
  oauth_options& client_credentials() { return profile_.kind = oauth_profile::grant::client_credentials, *this; }
  /// with a JWT that the authorization server trusts (workload identity),
  oauth_options& jwt_bearer(grant_source source) {
    profile_.kind = oauth_profile::grant::jwt_bearer;
    return proofs_.grant = std::move(source), *this;
  }
  /// or with the user's identity at an enterprise's identity provider.
  oauth_options& enterprise(identity_provider idp) {
    profile_.kind = oauth_profile::grant::jwt_bearer;
    return proofs_.idp = std::move(idp), *this;
  }
  /// How client assertions (private_key_jwt) are signed, or where they come from.
  oauth_options& assertions(assertion_options o) { return proofs_.signing = std::move(o), *this; }
  oauth_options& assertions(assertion_source s) { return proofs_.client = std::move(s), *this; }
  /// Tokens bound to a key of this session (RFC 9449). Off by default; on by itself where the server requires it.
  oauth_options& dpop(bool yes = true) { return profile_.dpop = yes, *this; }
  /// Tokens obtained elsewhere, for the one server that the client connects to; a refresh finds its way by discovery, the
  /// first time: then the refresh token is bound to that issuer as a client is, unless issuer() names one.
  oauth_options& tokens(token_set t) { return tokens_ = std::move(t), *this; }

  /// In place of the scopes that the server asks for. Step-up adds to them.
  oauth_options& scope(std::string s) { return profile_.scope = std::move(s), *this; }
  oauth_options& offline_access(bool yes) { return profile_.offline_access = yes, *this; }
  /// The one authorization server, the one resource that are accepted.
  oauth_options& issuer(std::string i) { return profile_.issuer = std::move(i), *this; }
  oauth_options& resource(std::string r) { return profile_.resource = std::move(r), *this; }
  /// Whether a 403 that names missing scopes starts another flow. On by default.
  oauth_options& step_up(bool yes) { return profile_.step_up = yes, *this; }
  oauth_options& choose(server_choice f) { return profile_.choose = std::move(f), *this; }
  /// Asked where tokens would be good for more than this server, as the server says that its resource is a parent of its own
  /// URL ("https://host" for "https://host/mcp"): whether that may be. By default it may; login_status tells the resource.
  oauth_options& accept_wider(std::function<bool(std::string const& resource)> f) {
    return profile_.accept_wider = std::move(f), *this;
  }
  oauth_options& policy(endpoint_policy p) { return profile_.policy = p, *this; }
  /// Revision 2025-03-26: metadata or default endpoints at the server's own origin. On by default.
  oauth_options& legacy_fallback(bool yes) { return profile_.legacy_fallback = yes, *this; }

  /// What carries authorization's own requests; by default an engine of comcp's own that checks resolved addresses.
  oauth_options& sender(oauth_sender s) { return requests_.sender = std::move(s), *this; }
  /// Of the default sender: whom it trusts, and who it says it is. Nothing of the connection to the MCP server is taken
  /// over; a client certificate is offered to every authorization server only where it is given here.
  oauth_options& tls(tls_options o) { return requests_.tls = std::move(o), *this; }
  /// Of the default sender; the environment's by default. What passes through a proxy is checked by its URL alone.
  oauth_options& proxy(proxy_options o) { return requests_.proxy = std::move(o), *this; }
  /// Of each request; 30 s by default.
  oauth_options& timeout(std::chrono::milliseconds d) { return requests_.timeout = d, *this; }
  /// How long the user may take; 5 min by default.
  oauth_options& user_timeout(std::chrono::milliseconds d) { return user_timeout_ = d, *this; }
  /// Tokens are renewed when they are valid for no longer than this, or than a quarter of what they were granted for
  /// where that is less; 60 s by default.
  oauth_options& refresh_ahead(std::chrono::seconds d) { return refresh_ahead_ = d, *this; }
  /// Flows that refusals of one server start until a request succeeds, or an hour is over; 3 by default. What fails before
  /// the user, or the token endpoint, was asked does not count.
  oauth_options& max_attempts(unsigned n) { return max_attempts_ = n, *this; }
  /// What waits are measured with, and what the time of day is: for expiry and signatures. For tests.
  oauth_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }
  oauth_options& clock(std::function<token_set::time_point()> f) { return clock_ = std::move(f), *this; }
  /// Of an answer, in bytes; 1 MiB by default.
  oauth_options& max_body(std::size_t n) { return requests_.max_body = n, *this; }
  /// A span for each login, each renewal, and each request of theirs (comcp/trace/span.hpp).
  oauth_options& spans(span_hook hook) { return requests_.spans = std::move(hook), *this; }

  [[nodiscard]] any_user_agent const& user() const noexcept { return user_; }
  [[nodiscard]] any_token_store const& store() const noexcept { return store_; }
  [[nodiscard]] std::string const& account() const noexcept { return account_; }
  [[nodiscard]] oauth_profile const& profile() const noexcept { return profile_; }
  [[nodiscard]] grant_source const& assertion() const noexcept { return proofs_.grant; }
  [[nodiscard]] std::optional<identity_provider> const& enterprise() const noexcept { return proofs_.idp; }
  [[nodiscard]] assertion_options const& assertions() const noexcept { return proofs_.signing; }
  [[nodiscard]] assertion_source const& client_assertion() const noexcept { return proofs_.client; }
  [[nodiscard]] std::optional<token_set> const& tokens() const noexcept { return tokens_; }
  [[nodiscard]] oauth_sender const& sender() const noexcept { return requests_.sender; }
  [[nodiscard]] tls_options const& tls() const noexcept { return requests_.tls; }
  [[nodiscard]] std::optional<proxy_options> const& proxy() const noexcept { return requests_.proxy; }
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept { return requests_.timeout; }
  [[nodiscard]] std::chrono::milliseconds user_timeout() const noexcept { return user_timeout_; }
  [[nodiscard]] std::chrono::seconds refresh_ahead() const noexcept { return refresh_ahead_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }  ///< Null: steady_time().
  [[nodiscard]] std::function<token_set::time_point()> const& clock() const noexcept { return clock_; }
  [[nodiscard]] unsigned max_attempts() const noexcept { return max_attempts_; }
  [[nodiscard]] std::size_t max_body() const noexcept { return requests_.max_body; }
  [[nodiscard]] span_hook const& spans() const noexcept { return requests_.spans; }

 private:
  // What a client, or a machine's grant, proves itself with.
  struct proofs {
    grant_source grant;
    std::optional<identity_provider> idp;
    assertion_options signing;
    assertion_source client;
  };
  // How authorization's own requests are sent.
  struct requests {
    oauth_sender sender;
    tls_options tls;
    std::optional<proxy_options> proxy;
    std::chrono::milliseconds timeout{30'000};
    std::size_t max_body = std::size_t{1} << 20;
    span_hook spans;
  };

  any_user_agent user_;
  any_token_store store_;
  std::string account_;
  oauth_profile profile_;
  proofs proofs_;
  std::optional<token_set> tokens_;
  requests requests_;
  std::chrono::milliseconds user_timeout_{300'000};
  std::chrono::seconds refresh_ahead_{60};
  std::shared_ptr<time_source> time_;
  std::function<token_set::time_point()> clock_;
  unsigned max_attempts_ = 3;
};

}  // namespace comcp
#endif

namespace comcp {

/// What is stored for one server, without its secrets.
struct login_status {
  login_status() = default;
  std::string server, resource, issuer, client_id, scope;
  std::string registered_by;  ///< "pre-registered", "metadata document", "dynamic".
  std::optional<token_set::time_point> expires_at;
  bool has_refresh_token = false;
  bool dpop = false;
};

/// An authorization that stopped at its URL: open it, and give the redirect to finish(), here or in another process.
struct started_login {
  started_login(http_url where, pending_authorization what) : url(std::move(where)), state(std::move(what)) {}
  http_url url;
  pending_authorization state;  ///< Its to_json() is a secret.
};

namespace detail {
struct oauth_core;
}

/// The authenticator. Copies share all they know: one oauth serves any number of connections and servers on one executor (on
/// a thread pool: one strand, which connect_options().executor() and login() have in common), and each token goes to the
/// server alone that it was issued for (origin and resource). Flows and refreshes run once for all who wait, and cancelling
/// one who waits does not end them; but a user is waited for only as long as somebody waits for the outcome.
/// However a server behaves, its refusals send the user to a browser no more than 20 times an hour.
class oauth {
 public:
  COMCP_LAZY explicit oauth(oauth_options options = oauth_options());

  /// The whole flow now, whatever is stored. Throws comcp::exception: errc::unauthorized with all that was tried,
  /// login_required without a user agent, timeout, denied by the policy, and the engine's.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> login(std::string_view server);
  /// The flow up to the URL, for a redirect URI of yours.
  COMCP_LAZY [[nodiscard]] asio::awaitable<started_login> begin(std::string_view server, std::string redirect_uri);
  /// The rest of it: checks the redirect, exchanges the code, stores the tokens.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> finish(pending_authorization state, secret redirect);
  /// Revokes the tokens where the authorization server can (RFC 7009), and deletes them here in any case. identity() stays:
  /// for another user with caches of their own, make another oauth.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> logout(std::string_view server);
  /// What is stored; nothing where nobody is logged in.
  COMCP_LAZY [[nodiscard]] asio::awaitable<std::optional<login_status>> status(std::string_view server);

  // What an authenticator has; for transports.
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const& request);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const& request,
                                                                            http_headers const& sent,
                                                                            http_response_head const& got);
  COMCP_LAZY void observed(auth_request const& request, http_response_head const& got) noexcept;
  COMCP_LAZY [[nodiscard]] std::string identity() const;
  /// Of the grant: oauth-client-credentials or enterprise-managed-authorization.
  COMCP_LAZY [[nodiscard]] std::vector<std::string> extensions() const;

 private:
  std::shared_ptr<detail::oauth_core> core_;
};

}  // namespace comcp

// auth/oauth_run.hpp
#if !defined(COMCP_SINGLE_AUTH_OAUTH_RUN_HPP)
#define COMCP_SINGLE_AUTH_OAUTH_RUN_HPP
// What oauth does for one server: whole flows, their two halves, refreshes, and the answer to a challenge. Internal.

#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

// auth/oauth_session.hpp
#if !defined(COMCP_SINGLE_AUTH_OAUTH_SESSION_HPP)
#define COMCP_SINGLE_AUTH_OAUTH_SESSION_HPP
// What oauth knows: its options, and for each MCP server the tokens, the key that they are bound to, and the work under way.
// Loading and keeping them. When they are renewed is decided in oauth_run.hpp. Internal.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

// auth/dpop.hpp
#if !defined(COMCP_SINGLE_AUTH_DPOP_HPP)
#define COMCP_SINGLE_AUTH_DPOP_HPP
// Proofs of possession (RFC 9449): a fresh one for each request, and the nonces that servers want in them. Over OpenSSL.
// Specification: extension io.modelcontextprotocol/auth/dpop

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

/// One key, and the last nonce of each origin (64 at most). Used from one executor.
class dpop_prover {
 public:
  explicit dpop_prover(signing_key key = signing_key::generate()) : key_(std::move(key)) {}

  [[nodiscard]] signing_key const& key() const noexcept { return key_; }
  /// The value of a DPoP header for one request, signed now; with a token, bound to it by its hash. The URL's query and
  /// fragment are left out of it.
  [[nodiscard]] std::string proof(std::string_view method, http_url const& url, std::chrono::system_clock::time_point now,
                                  secret const& access_token = {}) const;
  /// Any answer may bring the nonce of the next requests to its origin. Whether it brought another one.
  bool observed(http_url const& url, http_headers const& answer);

 private:
  struct nonce {
    nonce(std::string of, std::string value) : origin(std::move(of)), text(std::move(value)) {}
    std::string origin, text;
  };

  signing_key key_;
  std::vector<nonce> nonces_;  // of one origin one at most; the newest is the last
};

/// Whether this answer asks for a proof with the nonce that it brings: a 400 of a token endpoint, or a 401 of a server.
bool wants_dpop_nonce(int status, http_headers const& headers, std::string_view body);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/dpop.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_DPOP_IPP)
#define COMCP_SINGLE_AUTH_IMPL_DPOP_IPP
#include <algorithm>

namespace comcp {
namespace jose_detail {

/// The nonce that an answer brings; null where it is none that a proof can carry (RFC 9449, section 8.1).
COMCP_DECL std::string const* dpop_nonce(http_headers const& answer) noexcept {
  constexpr std::size_t longest = 4096;
  auto const* const nonce = answer.find("DPoP-Nonce");
  auto const fits = [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (!nonce || nonce->empty() || nonce->size() > longest) return nullptr;
  return std::all_of(nonce->begin(), nonce->end(), fits) ? nonce : nullptr;
}

}  // namespace jose_detail

COMCP_DECL std::string dpop_prover::proof(std::string_view method, http_url const& url,
                                          std::chrono::system_clock::time_point now, secret const& access_token) const {
  json::object header;
  header.set("typ", std::string_view("dpop+jwt")).set("jwk", json::fragment::trusted(key_.public_jwk()));
  json::object claims;
  auto const origin = url.origin();
  claims.set("jti", random_token()).set("htm", method).set("htu", origin + url.path());
  claims.set("iat", std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count());
  if (!access_token.empty()) claims.set("ath", to_base64url(sha256(access_token.reveal())));
  auto const known = std::find_if(nonces_.begin(), nonces_.end(), [&](auto const& n) { return n.origin == origin; });
  if (known != nonces_.end()) claims.set("nonce", known->text);
  return key_.sign(header.text(), claims.text()).reveal();
}

COMCP_DECL bool dpop_prover::observed(http_url const& url, http_headers const& answer) {
  auto const* const brought = jose_detail::dpop_nonce(answer);
  if (!brought) return false;
  auto const origin = url.origin();
  auto const known = std::find_if(nonces_.begin(), nonces_.end(), [&](auto const& n) { return n.origin == origin; });
  if (known != nonces_.end()) {
    if (known->text == *brought) return false;
    nonces_.erase(known);
  } else if (nonces_.size() >= 64) {
    nonces_.erase(nonces_.begin());
  }
  nonces_.emplace_back(origin, *brought);
  return true;
}

COMCP_DECL bool wants_dpop_nonce(int status, http_headers const& headers, std::string_view body) {
  if ((status != 400 && status != 401) || !jose_detail::dpop_nonce(headers)) return false;
  for (auto const& challenge : parse_challenges(headers)) {
    auto const* const why = challenge.find("error");
    if (status == 401 && challenge.is("DPoP") && why && *why == "use_dpop_nonce") return true;
  }
  // Some token endpoints answer with a 401, too.
  auto const answer = json::parse(body, json::parse_options().max_bytes(std::size_t{64} << 10));
  auto const why = answer ? answer->view().find("error") : std::nullopt;
  return why && why->get_string() == "use_dpop_nonce";
}

}  // namespace comcp
#endif
#endif
#endif

// auth/oauth_send.hpp
#if !defined(COMCP_SINGLE_AUTH_OAUTH_SEND_HPP)
#define COMCP_SINGLE_AUTH_OAUTH_SEND_HPP
// One request of authorization: bounded in time and size, authenticated at a token endpoint, proved by a key where there is
// one. What its answer means is decided elsewhere. Internal.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/this_coro.hpp>

// auth/token_endpoint.hpp
#if !defined(COMCP_SINGLE_AUTH_TOKEN_ENDPOINT_HPP)
#define COMCP_SINGLE_AUTH_TOKEN_ENDPOINT_HPP
// Where a token request goes, and who makes it.

#include <string>
#include <utility>

namespace comcp::oauth_steps {

/// What a token request needs beside its own parameters. Regular; nothing of it is kept.
class token_endpoint {
 public:
  token_endpoint(http_url url, oauth_client client, std::string auth_method)
      : url_(std::move(url)), client_(std::move(client)), method_(std::move(auth_method)) {}
  /// The issuer, for client assertions.
  token_endpoint& issuer(std::string i) & { return issuer_ = std::move(i), *this; }
  token_endpoint& assertions(assertion_options o) & { return signing_ = std::move(o), *this; }
  token_endpoint& assertions(assertion_source s) & { return source_ = std::move(s), *this; }
  /// Proofs of possession; outlives the request.
  token_endpoint& dpop(dpop_prover* p) & { return dpop_ = p, *this; }

  [[nodiscard]] http_url const& url() const noexcept { return url_; }
  [[nodiscard]] oauth_client const& client() const noexcept { return client_; }
  [[nodiscard]] std::string const& auth_method() const noexcept { return method_; }
  [[nodiscard]] std::string const& issuer() const noexcept { return issuer_; }
  [[nodiscard]] assertion_options const& signing() const noexcept { return signing_; }
  [[nodiscard]] assertion_source const& source() const noexcept { return source_; }
  [[nodiscard]] dpop_prover* dpop() const noexcept { return dpop_; }

 private:
  http_url url_;
  oauth_client client_;
  std::string method_, issuer_;
  assertion_options signing_;
  assertion_source source_;
  dpop_prover* dpop_ = nullptr;
};

}  // namespace comcp::oauth_steps
#endif

// sansio/oauth_discovery.hpp
#if !defined(COMCP_SINGLE_SANSIO_OAUTH_DISCOVERY_HPP)
#define COMCP_SINGLE_SANSIO_OAUTH_DISCOVERY_HPP
// From a server's 401 to the metadata of its authorization server: which URL is asked next, and what each answer means. Every
// step is remembered, for errors and for `comcp doctor`. Pure.
// Specification: 2026-07-28, basic/authorization/authorization-server-discovery; 2025-03-26, basic/authorization

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comcp::sansio {

namespace detail {
/// Text of a server for an error: one line, bounded.
std::string shown(std::string_view text);
}  // namespace detail

/// What discovery found.
struct discovered {
  discovered() = default;
  std::string server;                       ///< The MCP endpoint.
  std::optional<protected_resource_metadata> resource_metadata;  ///< Absent: none is published.
  std::string resource;                     ///< As it is to be sent.
  authorization_server_metadata authorization_server;
  bool assumed = false;                     ///< Default endpoints of 2025-03-26: no metadata at all.
  std::string challenge_scope;              ///< Of the challenge; empty: none.
  bool dpop_challenged = false;             ///< The server takes the DPoP scheme alone.
};

/// One URL that was asked, and what came of it.
struct discovery_step {
  enum class kind { resource_metadata, authorization_server_metadata };
  discovery_step() = default;
  kind what = kind::resource_metadata;
  std::string url;        ///< Without its query; of one that may not be asked, the origin.
  int status = 0;         ///< 0: no answer.
  std::string outcome;    ///< One line: "used", "404", "its issuer is ... instead of ...", ...
};

/// Feed it answers until it is done(). Redirects of metadata within one origin are followed, three at most. An answer that
/// cannot be used leads to the next place where the document may be, never to a weaker form of discovery: what 2025-03-26
/// assumes needs a server that names no metadata and has none anywhere (4xx).
class oauth_discovery {
 public:
  oauth_discovery(http_url server, oauth_profile const& profile, std::optional<auth_challenge> const& challenge);

  /// What to GET next; nothing when done().
  [[nodiscard]] std::optional<http_url> next() const;
  /// The whole answer to it.
  void answered(int status, http_headers const& headers, std::string_view body);
  /// None came: `why`. Another URL of the same origin is not asked: it would not help.
  void failed(error const& why);

  [[nodiscard]] bool done() const noexcept { return phase_ == phase::done; }
  /// When done: what was found, or an errc::unauthorized that lists every URL tried and what it answered.
  [[nodiscard]] result<discovered> found() const;
  /// As found() fails, for what turned out later: that the endpoints it assumed are not there.
  [[nodiscard]] error not_found(std::string why) const;
  [[nodiscard]] std::vector<discovery_step> const& steps() const noexcept { return steps_; }

 private:
  enum class phase { resource, issuer, server_origin, done };

  void look_at(std::vector<http_url> const& urls);
  void refuse_named(std::string_view url, error const& why);
  bool follow(http_url const& asked, int status, http_headers const& headers);
  void go_on();
  void nothing_left();
  std::string read_resource(json::value document);
  std::string read_server(json::value document);
  void resource_read();
  result<std::string> choose_server();
  void start_issuer(std::string issuer);
  void note(http_url const& url, int status, std::string outcome);
  void fail(std::string why);

  http_url server_;
  oauth_profile profile_;
  phase phase_ = phase::resource;
  std::deque<http_url> candidates_;
  std::string issuer_;           // the one that is asked for
  bool named_ = false;           // the challenge names metadata
  bool absent_ = true;           // every answer of this phase was a 4xx
  int redirects_ = 0;
  discovered found_;
  std::vector<discovery_step> steps_;
  std::optional<error> failure_;
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// sansio/impl/oauth_discovery.ipp
#if !defined(COMCP_SINGLE_SANSIO_IMPL_OAUTH_DISCOVERY_IPP)
#define COMCP_SINGLE_SANSIO_IMPL_OAUTH_DISCOVERY_IPP
#include <algorithm>
#include <cstddef>
#include <utility>

namespace comcp::sansio {
namespace detail {

constexpr int most_metadata_redirects = 3;

COMCP_DECL std::string shown(std::string_view text) {
  constexpr std::size_t most = 200;
  std::string out(text.substr(0, most));
  for (auto& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > most ? out + "..." : out;
}

COMCP_DECL result<json::value> read_metadata_json(std::string_view body) {
  auto document =
      json::parse(body, json::parse_options().max_bytes(std::size_t{1} << 20).max_depth(32).max_nodes(65536));
  if (!document) return error(document.error() == errc::limit_exceeded ? errc::limit_exceeded : errc::invalid_json);
  if (!document->is_object()) return errc::wrong_shape;
  return document;
}

COMCP_DECL std::string why_no_metadata(error const& e, http_headers const& headers) {
  if (e == errc::limit_exceeded) return "too large";
  if (e == errc::wrong_shape) return "JSON, but no object";
  auto const* const type = headers.find("Content-Type");
  auto const media = type ? media_type::parse(*type) : std::nullopt;
  if (!media || media->is("application/json")) return "not JSON";
  return shown(media->essence()) + " instead of JSON";
}

}  // namespace detail

COMCP_DECL oauth_discovery::oauth_discovery(http_url server, oauth_profile const& profile,
                                            std::optional<auth_challenge> const& challenge)
    : server_(std::move(server)), profile_(profile) {
  found_.server = server_.text();
  if (challenge) {
    found_.dpop_challenged = challenge->is("DPoP");
    if (auto const* const scope = challenge->find("scope")) found_.challenge_scope = *scope;
    if (auto const* const url = challenge->find("resource_metadata")) {
      named_ = true;
      if (auto checked = profile_.policy.check(*url, server_)) {
        candidates_.push_back(std::move(*checked));
      } else {
        refuse_named(*url, checked.error());
      }
    }
  }
  look_at(protected_resource_metadata_urls(server_));
  if (candidates_.empty()) nothing_left();
}

COMCP_DECL std::optional<http_url> oauth_discovery::next() const {
  if (done() || candidates_.empty()) return std::nullopt;
  return candidates_.front();
}

COMCP_DECL void oauth_discovery::answered(int status, http_headers const& headers, std::string_view body) {
  if (done() || candidates_.empty()) return;
  auto const asked = candidates_.front();
  candidates_.pop_front();
  if (status / 100 == 3 && follow(asked, status, headers)) return;
  redirects_ = 0;
  if (status / 100 != 4) absent_ = false;
  if (status / 100 == 3) return go_on();
  if (status != 200) return note(asked, status, std::to_string(status)), go_on();

  auto document = detail::read_metadata_json(body);
  if (!document) return note(asked, status, detail::why_no_metadata(document.error(), headers)), go_on();
  auto const was = phase_;
  auto why = was == phase::resource ? read_resource(std::move(*document)) : read_server(std::move(*document));
  auto const used = why.empty();
  note(asked, status, used ? "used" : std::move(why));
  if (!used) return go_on();
  candidates_.clear();
  if (was == phase::resource) return resource_read();
  phase_ = phase::done;
}

COMCP_DECL void oauth_discovery::failed(error const& why) {
  if (done() || candidates_.empty()) return;
  auto const asked = candidates_.front();
  absent_ = false;
  redirects_ = 0;
  note(asked, 0, detail::shown(why.to_string()));
  std::erase_if(candidates_, [&](http_url const& other) { return same_origin(other, asked); });
  go_on();
}

COMCP_DECL result<discovered> oauth_discovery::found() const {
  if (failure_) return *failure_;
  if (!done()) return error(errc::invalid_argument, "discovery is not done");
  return found_;
}

/// Queues what the policy lets pass, each URL once.
COMCP_DECL void oauth_discovery::look_at(std::vector<http_url> const& urls) {
  for (auto const& url : urls) {
    auto checked = profile_.policy.check(url.text(), server_);
    if (!checked) {
      note(url, 0, "refused: " + detail::shown(checked.error().message()));
      absent_ = false;
    } else if (std::find(candidates_.begin(), candidates_.end(), *checked) == candidates_.end()) {
      candidates_.push_back(std::move(*checked));
    }
  }
}

COMCP_DECL void oauth_discovery::refuse_named(std::string_view url, error const& why) {
  discovery_step step;
  auto const parsed = http_url::parse(url);
  step.url = parsed ? detail::shown(parsed->origin()) : std::string("resource_metadata of the challenge");
  step.outcome = "refused: " + detail::shown(why.message());
  steps_.push_back(std::move(step));
  absent_ = false;
}

/// Whether it is a redirect that may be followed; one that may not is noted.
COMCP_DECL bool oauth_discovery::follow(http_url const& asked, int status, http_headers const& headers) {
  auto const* const location = headers.find("Location");
  auto const target = location ? asked.resolve(*location) : result<http_url>(errc::invalid_argument);
  auto const code = std::to_string(status);
  if (!target) return note(asked, status, code + " without an address"), false;
  if (!same_origin(*target, asked)) return note(asked, status, code + " to another origin, not followed"), false;
  if (redirects_ == detail::most_metadata_redirects)
    return note(asked, status, code + ", one redirect too many"), false;
  ++redirects_;
  note(asked, status, code + ", followed");
  candidates_.push_front(*target);
  return true;
}

COMCP_DECL void oauth_discovery::go_on() {
  if (candidates_.empty()) nothing_left();
}

COMCP_DECL void oauth_discovery::nothing_left() {
  if (phase_ == phase::server_origin && absent_) {
    found_.assumed = true;
    found_.authorization_server = authorization_server_metadata::assumed_at(server_);
    phase_ = phase::done;
    return;
  }
  if (phase_ != phase::resource) return fail("no metadata of the authorization server can be used");
  if (!absent_) return fail("its resource metadata cannot be used");
  found_.resource = profile_.resource ? *profile_.resource : canonical_resource(server_);
  if (profile_.issuer) return start_issuer(*profile_.issuer);
  if (named_ || !profile_.legacy_fallback) return fail("it has no resource metadata");

  phase_ = phase::server_origin;
  auto const origin = server_.resolve("/");
  if (origin) look_at({authorization_server_metadata_urls(*origin).front()});
  if (candidates_.empty()) nothing_left();
}

/// Why it cannot be used; empty where it can.
COMCP_DECL std::string oauth_discovery::read_resource(json::value document) {
  auto read = protected_resource_metadata::from_json(std::move(document));
  if (!read) return detail::shown(read.error().message());
  // A pinned resource is what RFC 9728, section 3.3, compares with; otherwise it is the server that was asked for.
  if (profile_.resource ? read->resource != *profile_.resource : !covers(read->resource, server_)) {
    return "it is for " + detail::shown(read->resource);
  }
  if (!profile_.resource && profile_.accept_wider && is_wider(read->resource, server_) &&
      !profile_.accept_wider(read->resource)) {
    return "it is for all of " + detail::shown(read->resource) + ", which was not accepted";
  }
  found_.resource = read->resource;
  found_.resource_metadata = std::move(*read);
  return {};
}

COMCP_DECL void oauth_discovery::resource_read() {
  auto issuer = choose_server();
  if (!issuer) return fail(std::string(issuer.error().message()));
  start_issuer(std::move(*issuer));
}

COMCP_DECL result<std::string> oauth_discovery::choose_server() {
  auto const& metadata = *found_.resource_metadata;
  auto const& servers = metadata.authorization_servers;
  if (profile_.issuer) {
    if (servers.empty() || std::find(servers.begin(), servers.end(), *profile_.issuer) != servers.end())
      return *profile_.issuer;
    return error(errc::unauthorized, "its resource metadata does not name the authorization server that is pinned, " +
                                         detail::shown(*profile_.issuer));
  }
  if (servers.empty()) return error(errc::unauthorized, "its resource metadata names no authorization server");
  if (!profile_.choose) return servers.front();
  auto const index = profile_.choose(metadata);
  if (!index) return error(errc::unauthorized, "none of its authorization servers was chosen");
  if (*index >= servers.size())
    return error(errc::unauthorized, "the authorization server that was chosen does not exist");
  return servers[*index];
}

COMCP_DECL void oauth_discovery::start_issuer(std::string issuer) {
  auto const url = profile_.policy.check(issuer, server_);
  auto const name = "the authorization server " + (url ? detail::shown(issuer) : std::string("that it names"));
  if (!url) return fail(name + " is refused: " + detail::shown(url.error().message()));
  if (url->query()) return fail(name + " is no issuer: it has a query");
  phase_ = phase::issuer;
  absent_ = true;
  issuer_ = std::move(issuer);
  look_at(authorization_server_metadata_urls(*url));
  if (candidates_.empty()) nothing_left();
}

/// Why it cannot be used; empty where it can.
COMCP_DECL std::string oauth_discovery::read_server(json::value document) {
  auto read = authorization_server_metadata::from_json(std::move(document));
  if (!read) return detail::shown(read.error().message());
  if (phase_ == phase::issuer && read->issuer != issuer_) {
    return "its issuer is " + detail::shown(read->issuer) + " instead of " + detail::shown(issuer_);
  }
  // Revision 2025-03-26 asks a place, not an issuer, so there is nothing to be identical with (RFC 8414, section 3.3).
  // What that comparison is for still holds: a document may not speak for an issuer elsewhere, whose credentials it
  // would get. Whoever writes the root of an origin has all issuers of that origin anyway, so any of them is accepted.
  if (phase_ == phase::server_origin) {
    auto const issuer = profile_.policy.check(read->issuer, server_);
    if (!issuer || !same_origin(*issuer, server_)) {
      return "its issuer is " + detail::shown(read->issuer) + ", which is not at " + server_.origin();
    }
  }
  found_.authorization_server = std::move(*read);
  return {};
}

COMCP_DECL void oauth_discovery::note(http_url const& url, int status, std::string outcome) {
  discovery_step step;
  step.what = phase_ == phase::resource ? discovery_step::kind::resource_metadata
                                        : discovery_step::kind::authorization_server_metadata;
  step.url = detail::shown(url.origin() + url.path());
  step.status = status;
  step.outcome = std::move(outcome);
  steps_.push_back(std::move(step));
}

COMCP_DECL error oauth_discovery::not_found(std::string why) const {
  std::string text = "authorization for " + server_.origin() + server_.path() + " was not found: " + std::move(why);
  char const* between = "; tried ";
  for (auto const& step : steps_) {
    text += between + step.url + " (" + step.outcome + ')';
    between = ", ";
  }
  return error(errc::unauthorized, std::move(text));
}

COMCP_DECL void oauth_discovery::fail(std::string why) {
  failure_ = not_found(std::move(why));
  candidates_.clear();
  phase_ = phase::done;
}

}  // namespace comcp::sansio
#endif
#endif
#endif

namespace comcp::detail {

template <class T>
struct bounded_work {
  explicit bounded_work(asio::any_io_executor executor) : on(std::move(executor)), over(on) {}
  asio::any_io_executor on;
  gate over;
  asio::cancellation_signal signal;
  std::optional<result<T>> outcome;
};

/// Cancels the work when who waits for it goes.
template <class T>
class end_of_wait {
 public:
  explicit end_of_wait(std::shared_ptr<bounded_work<T>> w) : work_(std::move(w)) {}
  end_of_wait(end_of_wait const&) = delete;
  end_of_wait& operator=(end_of_wait const&) = delete;
  ~end_of_wait() {
    if (work_->outcome) return;
    // Posted: where an io_context is being destroyed, what would be cancelled may be gone already.
    auto cancel = [w = work_] {
      if (!w->outcome) w->signal.emit(asio::cancellation_type::terminal);
    };
    post(work_->on, std::move(cancel));
  }

 private:
  std::shared_ptr<bounded_work<T>> work_;
};

template <class T>
asio::awaitable<void> do_bounded(std::shared_ptr<bounded_work<T>> w, asio::awaitable<result<T>> work,
                                 std::shared_ptr<void const> owner) {
  std::optional<result<T>> outcome;
  try {
    auto got = co_await std::move(work);
    outcome.emplace(std::move(got));
  } catch (...) {
    outcome.emplace(current_error());
  }
  owner.reset();
  w->outcome = std::move(outcome);
  w->over.open();
}

/// No wait is longer, whatever the options say: more would overflow.
inline constexpr std::chrono::milliseconds longest_wait = std::chrono::hours(24 * 365);

/// The work's outcome, or errc::timeout with `what` after `most`. It is cancelled then, and nobody waits for its end: the
/// work owns all that it uses, or `owner` does, which is kept as long.
template <class T>
asio::awaitable<result<T>> within(std::shared_ptr<time_source> time, std::chrono::milliseconds most,
                                  asio::awaitable<result<T>> work, std::string what, std::shared_ptr<void const> owner) {
  auto const executor = co_await asio::this_coro::executor;
  auto const w = std::make_shared<bounded_work<T>>(executor);
  end_of_wait<T> const at_the_end(w);
  auto const alarm = time->make_deadline(executor);
  std::function<void()> fire = [w] { w->over.open(); };
  alarm->arm(time->now() + std::min(most, longest_wait), std::move(fire));
  auto doing = do_bounded<T>(w, std::move(work), std::move(owner));
  spawn(executor, std::move(doing), w->signal.slot(), w);
  co_await w->over.wait();
  if (w->outcome) co_return std::move(*w->outcome);
  co_return error(errc::timeout, std::move(what));
}

/// What the requests of authorization go through.
struct oauth_io {
  oauth_io() = default;
  explicit oauth_io(oauth_sender s) : send(std::move(s)) {}

  oauth_sender send;
  std::shared_ptr<time_source> time = steady_time();
  std::function<token_set::time_point()> now = [] { return std::chrono::system_clock::now(); };
  std::chrono::milliseconds timeout{30'000};
  std::size_t max_body = std::size_t{1} << 20;
};

/// One request with its whole answer. An error names the origin, and nothing of what was sent.
COMCP_LAZY asio::awaitable<result<oauth_response>> send_one(oauth_io io, http_request request);

/// Any request to an endpoint that wants the client authenticated, repeated once where a nonce is wanted. What the answer repeats of
/// the secrets that were sent is *** in it.
COMCP_LAZY asio::awaitable<result<oauth_response>> post_form(oauth_io io, oauth_steps::token_endpoint at,
                                                             form_fields form);
/// The same, read as the answer of a token endpoint: a refusal is errc::unauthorized.
COMCP_LAZY asio::awaitable<result<token_answer>> ask_for_tokens(oauth_io io, oauth_steps::token_endpoint at,
                                                                form_fields form);

/// Makes *** of a secret that a server repeats.
COMCP_LAZY void hide(std::string& text, std::string_view secret_text);

COMCP_LAZY http_request get_request(http_url url);
COMCP_LAZY http_request json_request(http_url url, std::string body);

/// Runs discovery to its end.
COMCP_LAZY asio::awaitable<sansio::oauth_discovery> run_discovery(oauth_io io, sansio::oauth_discovery machine);

/// What a source of the user's gives, or what it threw as an error.
template <class Source, class Request>
asio::awaitable<result<secret>> ask_source(Source source, Request about, char const* what) {
  std::optional<error> failure;
  secret got;
  try {
    got = co_await source(std::move(about));
  } catch (exception const& e) {
    failure = e.error();
  } catch (...) {
    failure = error(errc::unauthorized, std::string(what) + " failed");
  }
  if (failure) co_return *failure;
  if (got.empty()) co_return error(errc::unauthorized, std::string(what) + " gave nothing");
  co_return std::move(got);
}

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/oauth_send.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OAUTH_SEND_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OAUTH_SEND_IPP

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<result<oauth_response>> send_one(oauth_io io, http_request request) {
  auto const origin = request.url.origin();
  request.timeouts.total(io.timeout);
  // A coroutine that is a lambda is part of it.
  auto const send = std::make_shared<oauth_sender>(std::move(io.send));
  auto sending = (*send)(std::move(request));
  auto got = co_await within<oauth_response>(io.time, io.timeout, std::move(sending), "no answer in time", send);
  if (!got) {
    auto text = std::string(got.error().message());
    text = text.empty() ? origin : origin + ": " + text;
    co_return got.error().with_message(std::move(text));
  }
  if (got->body.size() > io.max_body) co_return error(errc::limit_exceeded, origin + ": the answer is longer than max_body()");
  co_return std::move(*got);
}

COMCP_LAZY_DECL http_request get_request(http_url url) {
  http_request r(std::move(url), "GET");
  (void)r.headers.add("Accept", "application/json");
  r.repeatable = true;
  return r;
}

COMCP_LAZY_DECL http_request json_request(http_url url, std::string body) {
  http_request r(std::move(url), "POST");
  (void)r.headers.add("Accept", "application/json");
  (void)r.headers.add("Content-Type", "application/json");
  r.body = std::move(body);
  return r;
}

COMCP_LAZY_DECL void hide(std::string& text, std::string_view secret_text) {
  if (secret_text.size() < 4) return;
  for (auto at = text.find(secret_text); at != std::string::npos; at = text.find(secret_text, at + 3)) {
    text.replace(at, secret_text.size(), "***");
  }
}

namespace oauth_detail {

// Some servers repeat in a refusal what they were sent, and descriptions go into errors.
inline void hide_secrets(oauth_response& answer, form_fields const& sent, oauth_client const& client) {
  bool const refused = answer.status >= 400 || answer.body.find("\"access_token\"") == std::string::npos;
  if (!refused) return;
  for (auto const* const name : {"code", "code_verifier", "refresh_token", "client_secret", "client_assertion", "assertion",
                                 "subject_token", "token"}) {
    if (auto const* const value = sent.find(name)) hide(answer.body, *value);
  }
  hide(answer.body, client.client_secret().reveal());
}

COMCP_LAZY inline asio::awaitable<result<secret>> client_assertion(oauth_io io, oauth_steps::token_endpoint at) {
  assertion_request about;
  about.client_id = at.client().id();
  about.token_endpoint = at.url().text();
  about.audience = at.issuer().empty() ? about.token_endpoint : at.issuer();
  if (!at.source()) co_return sign_client_assertion(at.client(), about, at.signing(), io.now());
  auto asking = ask_source(at.source(), std::move(about), "the source of client assertions");
  auto got = co_await within<secret>(io.time, io.timeout, std::move(asking), "no client assertion came in time", nullptr);
  co_return got;
}

// Made anew for each attempt: assertions and proofs are for one use.
COMCP_LAZY inline asio::awaitable<result<http_request>> form_request(oauth_io io, oauth_steps::token_endpoint at,
                                                                     form_fields form) {
  secret assertion;
  if (at.auth_method() == "private_key_jwt") {
    auto got = co_await client_assertion(io, at);
    if (!got) co_return got.error();
    assertion = std::move(*got);
  }
  http_request r(at.url(), "POST");
  (void)r.headers.add("Accept", "application/json");
  (void)r.headers.add("Content-Type", "application/x-www-form-urlencoded");
  // An assertion grant may come from a client that has no name.
  bool const anonymous = at.client().id().empty() && at.auth_method() == "none";
  if (!anonymous) {
    auto const done = authenticate(form, r.headers, at.client(), at.auth_method(), assertion);
    if (!done) co_return done.error();
  }
  if (at.dpop()) (void)r.headers.add("DPoP", at.dpop()->proof("POST", at.url(), io.now()));
  r.body = form.text();
  co_return std::move(r);
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<oauth_response>> post_form(oauth_io io, oauth_steps::token_endpoint at,
                                                                  form_fields form) {
  for (bool again = false;; again = true) {
    auto request = co_await oauth_detail::form_request(io, at, form);
    if (!request) co_return request.error();
    auto got = co_await send_one(io, std::move(*request));
    if (!got) co_return got.error();
    bool wants_nonce = false;
    if (at.dpop()) {
      at.dpop()->observed(at.url(), got->headers);
      wants_nonce = wants_dpop_nonce(got->status, got->headers, got->body);
    }
    if (wants_nonce && !again) continue;
    oauth_detail::hide_secrets(*got, form, at.client());
    co_return std::move(*got);
  }
}

COMCP_LAZY_DECL asio::awaitable<result<token_answer>> ask_for_tokens(oauth_io io, oauth_steps::token_endpoint at,
                                                                     form_fields form) {
  auto got = co_await post_form(io, std::move(at), std::move(form));
  if (!got) co_return got.error();
  auto answer = read_token_answer(got->status, got->body, io.now());
  co_return answer;
}

COMCP_LAZY_DECL asio::awaitable<sansio::oauth_discovery> run_discovery(oauth_io io, sansio::oauth_discovery machine) {
  for (;;) {
    auto const url = machine.next();
    if (!url) co_return std::move(machine);
    auto got = co_await send_one(io, get_request(*url));
    if (got) {
      machine.answered(got->status, got->headers, got->body);
    } else {
      machine.failed(got.error());
    }
  }
}

}  // namespace comcp::detail
#endif
#endif
#endif

// sansio/oauth_flow.hpp
#if !defined(COMCP_SINGLE_SANSIO_OAUTH_FLOW_HPP)
#define COMCP_SINGLE_SANSIO_OAUTH_FLOW_HPP
// A whole authorization, from a server's refusal to tokens: every next HTTP request, and when the user or an assertion is
// needed. Pure: randomness, time and signatures are arguments or left to who drives it.
// Specification: 2026-07-28, basic/authorization, "Authorization Flow Steps"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// sansio/oauth_choices.hpp
#if !defined(COMCP_SINGLE_SANSIO_OAUTH_CHOICES_HPP)
#define COMCP_SINGLE_SANSIO_OAUTH_CHOICES_HPP
// What a flow decides once discovery is done, each by itself: which client to be, which scopes to ask for, whether
// tokens are bound to a key, and what is no redirect URI. Pure. Specification: 2026-07-28,
// basic/authorization/client-registration

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comcp::sansio {

namespace detail {
bool has(std::vector<std::string> const& list, std::string_view name);
}  // namespace detail

/// The client to be. Without one, dynamic registration is the way.
struct client_choice {
  client_choice() = default;
  std::optional<oauth_client> client;
  std::string registered_by;  ///< As in login_status.
};

namespace detail {
/// The client for this issuer, else one that is for any; null where there is none.
oauth_client const* pre_registered(std::vector<oauth_client> const& clients, std::string_view issuer);
}  // namespace detail

/// Something that one authorization server alone may see, and where it would go: 2026-07-28, "Authorization Server Binding".
struct issuer_binding {
  issuer_binding() = default;
  std::string of;       ///< As stores and errors name it: "client ID"; empty: nothing is bound.
  std::string issuer;   ///< Of the authorization server that the MCP server names.
  bool named = false;   ///< The user named this issuer: what was stored before is no matter.
  bool found = true;    ///< By metadata; false: a secret for addresses that are assumed.

  /// Whether it may go there. `bound` is what is stored of it: the issuer that was the first, or was named.
  /// errc::unauthorized with both names.
  [[nodiscard]] result<void> check(std::optional<std::string> const& bound) const;
};
/// Of this client; nothing for a registration, which is kept for its issuer alone, and for the id of a metadata document.
issuer_binding client_binding(oauth_profile const& profile, discovered const& at, client_choice const& choice);
/// Of something else that is for this MCP server: "tokens", "assertions".
issuer_binding server_binding(oauth_profile const& profile, discovered const& at, char const* what);

/// By what the credentials of an authorization server are kept: its issuer, its origin where nothing is published.
std::string issuer_key(discovered const& at);

/// In the specified order: pre-registered, metadata document, dynamic. errc::unauthorized where nothing is left, and
/// where every pre-registered client belongs to other authorization servers.
result<client_choice> choose_client(oauth_profile const& profile, discovered const& at);

/// "challenge, else scopes_supported, else none", with what the profile says and what was granted before.
std::string choose_scope(oauth_profile const& profile, discovered const& at, std::string_view granted, bool step_up);

/// Whether tokens are bound to a key. errc::unauthorized where they must be, and the servers do not take ES256.
result<bool> choose_dpop(oauth_profile const& profile, discovered const& at);

/// What registers: the profile's metadata with this redirect URI, and an authentication method that the server
/// supports.
client_metadata registration_metadata(oauth_profile const& profile, discovered const& at,
                                      std::string const& redirect_uri);

/// https with a path, and nothing that differs from its normal form; errc::invalid_argument.
result<void> check_client_metadata_url(std::string_view url);
/// http of loopback or https; errc::invalid_argument.
result<void> check_redirect_uri(std::string_view uri);

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// sansio/impl/oauth_choices.ipp
#if !defined(COMCP_SINGLE_SANSIO_IMPL_OAUTH_CHOICES_IPP)
#define COMCP_SINGLE_SANSIO_IMPL_OAUTH_CHOICES_IPP
#include <algorithm>
#include <utility>
#include <vector>

namespace comcp::sansio {
namespace detail {

COMCP_DECL bool has(std::vector<std::string> const& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

COMCP_DECL std::string joined(std::vector<std::string> const& list, std::string_view between) {
  std::string out;
  for (auto const& one : list) {
    if (!out.empty()) out += between;
    out += one;
  }
  return out;
}

COMCP_DECL oauth_client const* pre_registered(std::vector<oauth_client> const& clients, std::string_view issuer) {
  auto const exact = std::find_if(clients.begin(), clients.end(), [&](auto const& c) { return c.issuer() == issuer; });
  if (exact != clients.end()) return &*exact;
  auto const any = std::find_if(clients.begin(), clients.end(), [](auto const& c) { return c.issuer().empty(); });
  return any != clients.end() ? &*any : nullptr;
}

COMCP_DECL error no_client(oauth_profile const& profile, discovered const& at) {
  auto text = "no way to become a client of the authorization server " + shown(issuer_key(at)) + ": ";
  if (!profile.clients.empty()) {
    std::vector<std::string> others;
    for (auto const& client : profile.clients) others.push_back(shown(client.issuer()));
    return error(errc::unauthorized, text + "the pre-registered clients are for " + joined(others, ", ") + " only");
  }
  if (profile.kind == oauth_profile::grant::client_credentials) {
    return error(errc::unauthorized, text + "client credentials need a pre-registered client");
  }
  auto const& server = at.authorization_server;
  text += server.client_id_metadata_document_supported
              ? "it takes client id metadata documents, and none is configured; "
              : "it takes no client id metadata documents; ";
  text += server.registration_endpoint.empty() ? "it registers no clients" : "dynamic registration is turned off here";
  return error(errc::unauthorized, text + "; register one there by hand and configure its client id");
}

}  // namespace detail

COMCP_DECL std::string issuer_key(discovered const& at) {
  if (!at.authorization_server.issuer.empty()) return at.authorization_server.issuer;
  auto const server = http_url::parse(at.server);
  return server ? server->origin() : std::string();
}

COMCP_DECL result<void> issuer_binding::check(std::optional<std::string> const& bound) const {
  if (named || bound == issuer) return {};
  auto const what = detail::shown(of), there = detail::shown(issuer);
  if (bound) {
    return error(errc::unauthorized, what + " belongs to the authorization server " + detail::shown(*bound) +
                                         ", and the MCP server now names " + there +
                                         ": nothing was sent there. If that is right, name that issuer");
  }
  if (found) return {};
  return error(errc::unauthorized, what + " would go to " + there +
                                       ", which publishes no metadata: that needs the issuer to be named");
}

COMCP_DECL issuer_binding client_binding(oauth_profile const& profile, discovered const& at,
                                         client_choice const& choice) {
  issuer_binding out;
  if (!choice.client || choice.registered_by != "pre-registered") return out;
  auto const& client = *choice.client;
  bool const open = client.client_secret().empty();
  if (open && client.id().starts_with("https://")) return out;
  out.of = "client " + client.id();
  out.issuer = issuer_key(at);
  out.named = profile.issuer || client.issuer() == out.issuer;
  bool const signs = client.key() || client.auth_method() == "private_key_jwt";
  out.found = !at.assumed || (open && !signs);
  return out;
}

COMCP_DECL issuer_binding server_binding(oauth_profile const& profile, discovered const& at, char const* what) {
  issuer_binding out;
  out.of = what + (" for " + at.server);
  out.issuer = issuer_key(at);
  auto const& clients = profile.clients;  // whose client is named has named whose tokens these are
  out.named = profile.issuer || (clients.size() == 1 && clients.front().issuer() == out.issuer);
  out.found = !at.assumed;
  return out;
}

COMCP_DECL result<client_choice> choose_client(oauth_profile const& profile, discovered const& at) {
  using grant = oauth_profile::grant;
  client_choice choice;
  auto const& server = at.authorization_server;
  if (auto const* const known = detail::pre_registered(profile.clients, issuer_key(at))) {
    choice.client = *known;
    choice.registered_by = "pre-registered";
    return choice;
  }
  if (!profile.clients.empty() || profile.kind == grant::client_credentials) return detail::no_client(profile, at);
  if (!profile.client_metadata_url.empty() && server.client_id_metadata_document_supported) {
    choice.client = oauth_client(profile.client_metadata_url).auth_method("none");
    choice.registered_by = "metadata document";
    return choice;
  }
  if (profile.kind == grant::jwt_bearer) {
    // The assertion says who asks (RFC 7521, section 4.1): a client of its own is optional.
    choice.client = oauth_client().auth_method("none");
    return choice;
  }
  if (!profile.dynamic_registration || server.registration_endpoint.empty()) return detail::no_client(profile, at);
  return choice;
}

COMCP_DECL std::string choose_scope(oauth_profile const& profile, discovered const& at, std::string_view granted,
                                    bool step_up) {
  auto wanted = at.challenge_scope;
  auto const& metadata = at.resource_metadata;
  if (wanted.empty() && metadata && metadata->scopes_supported)
    wanted = detail::joined(*metadata->scopes_supported, " ");
  if (profile.scope)
    wanted = unite_scopes(*profile.scope, step_up ? std::string_view(at.challenge_scope) : std::string_view());
  auto scope = unite_scopes(granted, wanted);
  // Asked for alone it would take the place of the scopes that a server gives by default.
  auto const& offered = at.authorization_server.scopes_supported;
  bool const offline = profile.offline_access && profile.kind == oauth_profile::grant::authorization_code &&
                       !scope.empty() && offered && detail::has(*offered, "offline_access");
  return offline ? unite_scopes(scope, "offline_access") : scope;
}

COMCP_DECL result<bool> choose_dpop(oauth_profile const& profile, discovered const& at) {
  auto const& resource = at.resource_metadata;
  bool const required = at.dpop_challenged || (resource && resource->dpop_bound_access_tokens_required);
  if (!profile.dpop && !required) return false;
  auto const& algorithms = at.authorization_server.dpop_signing_alg_values_supported;
  if (!algorithms || !detail::has(*algorithms, "ES256")) {
    return error(errc::unauthorized, "DPoP is " + std::string(required ? "required by the server" : "asked for") +
                                         ", and the authorization server " + detail::shown(issuer_key(at)) +
                                         (algorithms ? " does not take ES256 for it" : " does not offer it"));
  }
  if (resource && !resource->dpop_signing_alg_values_supported.empty() &&
      !detail::has(resource->dpop_signing_alg_values_supported, "ES256")) {
    return error(errc::unauthorized, "DPoP is wanted, and the server does not take ES256 for it");
  }
  return true;
}

COMCP_DECL client_metadata registration_metadata(oauth_profile const& profile, discovered const& at,
                                                 std::string const& redirect_uri) {
  auto out = profile.metadata;
  out.redirect_uris = {redirect_uri};
  if (out.application_type.empty()) {
    auto const url = http_url::parse(redirect_uri);
    out.application_type = url && reach_of(url->host()) != address_reach::loopback ? "web" : "native";
  }
  auto const& supported = at.authorization_server.token_endpoint_auth_methods_supported;
  if (supported && !detail::has(*supported, out.token_endpoint_auth_method)) {
    for (auto const* const method : {"none", "client_secret_basic", "client_secret_post"}) {
      if (!detail::has(*supported, method)) continue;
      out.token_endpoint_auth_method = method;
      break;
    }
  }
  return out;
}

COMCP_DECL result<void> check_client_metadata_url(std::string_view url) {
  auto const parsed = http_url::parse(url);
  bool const usable =
      parsed && parsed->secure() && parsed->path() != "/" && !parsed->fragment() && parsed->text() == url;
  if (usable) return {};
  return error(errc::invalid_argument,
               "the URL of a client id metadata document is https with a path, in its normal form, without a fragment");
}

COMCP_DECL result<void> check_redirect_uri(std::string_view uri) {
  auto const url = http_url::parse(uri);
  bool const plain = std::all_of(uri.begin(), uri.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (url && plain && !url->fragment() && (url->secure() || reach_of(url->host()) == address_reach::loopback)) return {};
  return error(errc::invalid_argument, "a redirect URI is http of loopback or https, without a fragment");
}

}  // namespace comcp::sansio
#endif
#endif
#endif

namespace comcp::sansio {

/// What a flow starts from.
struct oauth_start {
  explicit oauth_start(http_url where) : server(std::move(where)) {}
  http_url server;
  std::optional<auth_challenge> challenge;
  std::string granted_scope;          ///< What was asked for before: step-up unites.
  bool step_up = false;               ///< The challenge is a 403 with insufficient_scope.
};

/// What came of a flow, to be used and stored.
struct oauth_grant {
  oauth_grant() = default;
  token_set tokens;
  oauth_client client;
  std::string registered_by;          ///< As in login_status.
  std::string server, resource, issuer, token_endpoint, revocation_endpoint, auth_method;
  std::string scope;                  ///< What was asked for, united with what was granted.
};

/// What a flow asks for, and all that who answers it may want to know.
class oauth_question {
 public:
  enum class want {
    get,             ///< GET url(), answered().
    binding,         ///< Look whether binding() holds in the store, and keep it there: bound(), or failed().
    stored_client,   ///< Look for a registration for issuer(), then registration_found().
    redirect_uri,    ///< Start the user agent: known_redirects(), then redirecting_to().
    post_json,       ///< POST body() to url() as JSON, answered(): registration.
    user,            ///< Take the user to pending().url(), then redirected().
    assertion,       ///< A grant_source's assertion for issuer(), resource(), scope(), then asserted().
    post_token,      ///< POST form() to url(), the client authenticated by auth_method(), answered().
    done,            ///< grant() is there.
    failed,          ///< failure() is there.
  };

  [[nodiscard]] want next() const noexcept { return next_; }

  /// Precondition of url(): next() is get, post_json or post_token. The others are empty as long as they are not known.
  [[nodiscard]] http_url const& url() const { return *url_; }
  [[nodiscard]] std::string const& body() const noexcept { return body_; }
  [[nodiscard]] form_fields const& form() const noexcept { return form_; }  ///< Without the client's credentials and id.
  [[nodiscard]] oauth_client const& client() const noexcept { return grant_.client; }
  [[nodiscard]] std::string const& auth_method() const noexcept { return grant_.auth_method; }
  [[nodiscard]] std::string const& issuer() const noexcept { return grant_.issuer; }  ///< Its origin where it publishes none.
  [[nodiscard]] std::string const& resource() const noexcept { return grant_.resource; }
  [[nodiscard]] std::string const& scope() const noexcept { return grant_.scope; }
  [[nodiscard]] issuer_binding const& binding() const noexcept { return binding_; }
  [[nodiscard]] std::vector<std::string> known_redirects() const;
  [[nodiscard]] pending_authorization const& pending() const noexcept { return pending_; }
  [[nodiscard]] bool wants_dpop() const noexcept { return dpop_; }  ///< By the profile, or because the resource requires it.

  /// A new registration that should be stored under issuer(), also when the flow fails later; nothing where none was made.
  [[nodiscard]] std::optional<oauth_client> const& registered() const noexcept { return registered_; }
  [[nodiscard]] oauth_grant const& grant() const noexcept { return grant_; }
  [[nodiscard]] error const& failure() const noexcept { return failure_; }

 protected:
  oauth_question() = default;

  want next_ = want::get;
  std::optional<http_url> url_;
  std::string body_;
  form_fields form_;
  std::optional<oauth_client> known_;     // chosen, or stored; else a registration is made
  std::optional<oauth_client> registered_;
  issuer_binding binding_;
  bool dpop_ = false;
  pending_authorization pending_;
  oauth_grant grant_;
  error failure_;
};

/// Asked step by step: next() says what to do, and the member of that kind's name takes the answer.
class oauth_flow : public oauth_question {
 public:
  oauth_flow(oauth_profile profile, oauth_start start);

  void answered(int status, http_headers const& headers, std::string_view body, token_set::time_point now);
  /// A request got no answer, or the policy, the user agent or a source failed: the flow fails, or tries what is left.
  void failed(error why);
  void bound();
  void registration_found(std::optional<oauth_client> stored);
  /// `state` and `verifier` are random, one use only.
  void redirecting_to(std::string redirect_uri, secret state, secret verifier);
  void redirected(std::string_view redirect);
  void asserted(secret assertion);

  [[nodiscard]] std::vector<discovery_step> const& steps() const noexcept { return discovery_.steps(); }

 private:
  void go_on_discovering();
  result<void> prepare();
  result<std::string> endpoint(std::string_view what, std::string const& url) const;
  void start_grant();
  bool choose_method();
  void start_registration();
  void registration_answered(int status, std::string_view body, token_set::time_point now);
  void start_user();
  void start_token_request(std::string_view grant_type);
  void token_answered(int status, std::string_view body, token_set::time_point now);
  void fail(error why);

  oauth_profile profile_;
  oauth_start start_;
  oauth_discovery discovery_;
  discovered at_;
  token_set::time_point now_;             // of the last answer
  client_metadata registering_;
  bool registered_twice_ = false;
  std::string registration_endpoint_;
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// sansio/impl/oauth_flow.ipp
#if !defined(COMCP_SINGLE_SANSIO_IMPL_OAUTH_FLOW_IPP)
#define COMCP_SINGLE_SANSIO_IMPL_OAUTH_FLOW_IPP
#include <algorithm>
#include <utility>
#include <variant>

namespace comcp::sansio {
namespace detail {

constexpr std::string_view jwt_bearer_grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// Whether registering as the other application type may help: the redirect URI, or the metadata, is what was refused.
COMCP_DECL bool about_client_metadata(oauth_refusal const& refusal) {
  return refusal.code == "invalid_redirect_uri" || refusal.code == "invalid_client_metadata";
}

COMCP_DECL bool is_usable(oauth_client const& stored, std::string_view issuer, token_set::time_point now) {
  if (stored.id().empty() || stored.issuer() != issuer) return false;
  return !stored.secret_expires_at() || *stored.secret_expires_at() > now;
}

}  // namespace detail

COMCP_DECL oauth_flow::oauth_flow(oauth_profile profile, oauth_start start)
    : profile_(std::move(profile)), start_(std::move(start)), discovery_(start_.server, profile_, start_.challenge) {
  auto const& document = profile_.client_metadata_url;
  auto const usable = document.empty() ? result<void>() : check_client_metadata_url(document);
  if (usable) {
    go_on_discovering();
  } else {
    fail(usable.error());
  }
}

COMCP_DECL void oauth_flow::answered(int status, http_headers const& headers, std::string_view body,
                                     token_set::time_point now) {
  now_ = now;
  switch (next_) {
    case want::get: discovery_.answered(status, headers, body); return go_on_discovering();
    case want::post_json: return registration_answered(status, body, now);
    case want::post_token: return token_answered(status, body, now);
    default: return;
  }
}

COMCP_DECL void oauth_flow::failed(error why) {
  if (next_ == want::done || next_ == want::failed) return;
  if (next_ != want::get) return fail(std::move(why));
  discovery_.failed(why);
  go_on_discovering();
}

COMCP_DECL void oauth_flow::go_on_discovering() {
  if (auto next = discovery_.next()) {
    url_ = std::move(*next);
    return;
  }
  auto found = discovery_.found();
  if (!found) return fail(found.error());
  at_ = std::move(*found);
  if (auto const ready = prepare(); !ready) return fail(ready.error());
  if (binding_.of.empty()) return start_grant();
  next_ = want::binding;
}

COMCP_DECL void oauth_flow::bound() {
  if (next_ == want::binding) start_grant();
}

/// Everything that can be decided without another answer, so that what cannot succeed ends before anybody is asked.
COMCP_DECL result<void> oauth_flow::prepare() {
  auto const& server = at_.authorization_server;
  grant_.server = at_.server;
  grant_.resource = at_.resource;
  grant_.issuer = issuer_key(at_);
  auto token = endpoint("token endpoint", server.token_endpoint);
  if (!token) return token.error();
  grant_.token_endpoint = std::move(*token);
  if (!server.revocation_endpoint.empty()) {
    if (auto revocation = endpoint("revocation endpoint", server.revocation_endpoint)) {
      grant_.revocation_endpoint = std::move(*revocation);
    }
  }
  if (profile_.kind == oauth_profile::grant::authorization_code) {
    if (!server.supports_s256()) {
      return error(errc::unauthorized, "the authorization server " + detail::shown(grant_.issuer) +
                                           " does not support PKCE with S256 (code_challenge_methods_supported)");
    }
    auto authorization = endpoint("authorization endpoint", server.authorization_endpoint);
    if (!authorization) return authorization.error();
    pending_.authorization_endpoint = std::move(*authorization);
  }
  auto const dpop = choose_dpop(profile_, at_);
  if (!dpop) return dpop.error();
  dpop_ = *dpop;
  grant_.scope = choose_scope(profile_, at_, start_.granted_scope, start_.step_up);

  auto choice = choose_client(profile_, at_);
  if (!choice) return choice.error();
  binding_ = client_binding(profile_, at_, *choice);
  // A source may not look at whom its assertion is for.
  if (binding_.of.empty() && profile_.kind == oauth_profile::grant::jwt_bearer) {
    binding_ = server_binding(profile_, at_, "assertions");
  }
  known_ = std::move(choice->client);
  grant_.registered_by = std::move(choice->registered_by);
  if (known_) return {};
  auto registration = endpoint("registration endpoint", server.registration_endpoint);
  if (!registration) return registration.error();
  registration_endpoint_ = std::move(*registration);
  grant_.registered_by = "dynamic";
  return {};
}

/// An endpoint of the metadata, once it passed the policy.
COMCP_DECL result<std::string> oauth_flow::endpoint(std::string_view what, std::string const& url) const {
  auto const name = "the " + std::string(what) + " of " + detail::shown(grant_.issuer);
  if (url.empty()) return error(errc::unauthorized, name + " is missing in its metadata");
  auto const checked = profile_.policy.check(url, start_.server);
  if (!checked) return error(errc::unauthorized, name + " is refused: " + detail::shown(checked.error().message()));
  return checked->text();
}

COMCP_DECL void oauth_flow::start_grant() {
  using grant = oauth_profile::grant;
  if (profile_.kind == grant::authorization_code) {
    next_ = known_ ? want::redirect_uri : want::stored_client;
    return;
  }
  grant_.client = *known_;
  if (!choose_method()) return;
  if (profile_.kind == grant::jwt_bearer) {
    next_ = want::assertion;
    return;
  }
  if (grant_.auth_method == "none") {
    return fail(error(errc::unauthorized, "client credentials need a secret or a key of the client"));
  }
  start_token_request("client_credentials");
}

/// Fails the flow where client and server have none in common.
COMCP_DECL bool oauth_flow::choose_method() {
  auto const& supported = at_.authorization_server.token_endpoint_auth_methods_supported;
  bool const nobody = grant_.client.id().empty();
  auto method = nobody ? result<std::string>("none") : choose_auth_method(grant_.client, supported);
  if (method) {
    grant_.auth_method = std::move(*method);
  } else {
    fail(method.error());
  }
  return next_ != want::failed;
}

COMCP_DECL void oauth_flow::registration_found(std::optional<oauth_client> stored) {
  if (next_ != want::stored_client) return;
  if (stored && detail::is_usable(*stored, grant_.issuer, now_)) known_ = std::move(stored);
  next_ = want::redirect_uri;
}

COMCP_DECL std::vector<std::string> oauth_question::known_redirects() const {
  return known_ ? known_->redirect_uris() : std::vector<std::string>();
}

COMCP_DECL void oauth_flow::redirecting_to(std::string redirect_uri, secret state, secret verifier) {
  if (next_ != want::redirect_uri) return;
  if (auto const usable = check_redirect_uri(redirect_uri); !usable) return fail(usable.error());
  if (state.empty() || verifier.empty())
    return fail(error(errc::invalid_argument, "a flow needs a state and a verifier"));
  pending_.redirect_uri = std::move(redirect_uri);
  pending_.state = std::move(state);
  pending_.verifier = std::move(verifier);
  // A stored registration that does not know this redirect is of no use: its server would show the user an error.
  auto const known = known_redirects();
  bool const foreign = !known.empty() && !detail::has(known, pending_.redirect_uri);
  if (foreign && grant_.registered_by == "dynamic") known_.reset();
  if (!known_) {
    registering_ = registration_metadata(profile_, at_, pending_.redirect_uri);
    return start_registration();
  }
  grant_.client = *known_;
  start_user();
}

COMCP_DECL void oauth_flow::start_registration() {
  auto url = http_url::parse(registration_endpoint_);
  if (!url) return fail(url.error());
  url_ = std::move(*url);
  body_ = registering_.to_json();
  next_ = want::post_json;
}

COMCP_DECL void oauth_flow::registration_answered(int status, std::string_view body, token_set::time_point now) {
  auto const where = "registration at " + url_->origin();
  if (status / 100 == 3) {
    return fail(error(errc::unauthorized, where + " was refused: its endpoint redirects, which is not followed"));
  }
  auto read = read_registration_answer(status, body, grant_.issuer, now);
  if (!read && at_.assumed) {
    return fail(discovery_.not_found("no metadata is published, and " + url_->text() + " is no registration endpoint (" +
                                     std::to_string(status) + ')'));
  }
  if (!read) return fail(read.error());
  if (auto const* const refusal = std::get_if<oauth_refusal>(&*read)) {
    if (!detail::about_client_metadata(*refusal) || registered_twice_) return fail(refusal->as_error(where));
    registered_twice_ = true;
    registering_.application_type = registering_.application_type == "native" ? "web" : "native";
    return start_registration();
  }
  auto& client = std::get<oauth_client>(*read);
  if (client.redirect_uris().empty()) client.redirect_uris({pending_.redirect_uri});
  registered_ = client;
  grant_.client = std::move(client);
  start_user();
}

COMCP_DECL void oauth_flow::start_user() {
  if (!choose_method()) return;
  pending_.server = at_.server;
  pending_.resource = grant_.resource;
  pending_.issuer = at_.authorization_server.issuer;
  pending_.iss_required = at_.authorization_server.authorization_response_iss_parameter_supported;
  pending_.token_endpoint = grant_.token_endpoint;
  pending_.auth_method = grant_.auth_method;
  pending_.client = grant_.client;
  pending_.scope = grant_.scope;
  pending_.dpop = dpop_;
  next_ = want::user;
}

COMCP_DECL void oauth_flow::redirected(std::string_view redirect) {
  if (next_ != want::user) return;
  auto read = read_redirect(pending_, redirect);
  if (!read) return fail(read.error());
  if (auto const* const refusal = std::get_if<oauth_refusal>(&*read)) return fail(refusal->as_error("authorization"));
  start_token_request("authorization_code");
  form_.add("code", std::get<secret>(*read).reveal());
  form_.add("redirect_uri", pending_.redirect_uri);
  form_.add("code_verifier", pending_.verifier.reveal());
}

COMCP_DECL void oauth_flow::asserted(secret assertion) {
  if (next_ != want::assertion) return;
  if (assertion.empty()) return fail(error(errc::unauthorized, "the source of assertions gave none"));
  start_token_request(detail::jwt_bearer_grant);
  form_.add("assertion", assertion.reveal());
}

COMCP_DECL void oauth_flow::start_token_request(std::string_view grant_type) {
  auto url = http_url::parse(grant_.token_endpoint);
  if (!url) return fail(url.error());
  url_ = std::move(*url);
  form_ = form_fields();
  form_.add("grant_type", grant_type);
  form_.add("resource", grant_.resource);
  if (grant_type != "authorization_code" && !grant_.scope.empty()) form_.add("scope", grant_.scope);
  next_ = want::post_token;
}

COMCP_DECL void oauth_flow::token_answered(int status, std::string_view body, token_set::time_point now) {
  auto const where = "the token request to " + url_->origin();
  if (status / 100 == 3) {
    return fail(error(errc::unauthorized, where + " was refused: its endpoint redirects, which is not followed"));
  }
  auto read = read_token_answer(status, body, now);
  if (!read) return fail(read.error());
  if (auto const* const refusal = std::get_if<oauth_refusal>(&*read)) return fail(refusal->as_error(where));
  auto& tokens = std::get<token_set>(*read);
  if (auto const usable = check_usable(tokens, dpop_); !usable) {
    return fail(error(errc::unauthorized, where + ": " + std::string(usable.error().message())));
  }
  if (tokens.scope) grant_.scope = unite_scopes(grant_.scope, *tokens.scope);
  grant_.tokens = std::move(tokens);
  form_ = form_fields();
  next_ = want::done;
}

COMCP_DECL void oauth_flow::fail(error why) {
  failure_ = std::move(why);
  form_ = form_fields();
  next_ = want::failed;
}

}  // namespace comcp::sansio
#endif
#endif
#endif

namespace comcp::detail {

/// Tokens with all that using and renewing them takes. Regular.
struct oauth_record {
  oauth_record() = default;
  sansio::oauth_grant grant;
  std::optional<token_set::time_point> granted_at;  ///< Of the tokens, when they were stored here; else not known.
  secret dpop_key;  ///< A private JWK; empty without DPoP.

  /// A pre-registered client leaves nothing but its id: its secrets stay where the user keeps them.
  COMCP_LAZY [[nodiscard]] secret to_json() const;
  COMCP_LAZY static result<oauth_record> from_json(secret const& text);
};

/// Work that several wait for, in a coroutine of its own.
struct oauth_flight {
  explicit oauth_flight(asio::any_io_executor executor) : on(std::move(executor)), over(on) {}
  asio::any_io_executor on;
  gate over;
  error failure;
  asio::cancellation_signal signal;
  unsigned waiting = 0;    ///< In fly().
  bool with_user = false;  ///< The user is waited for: not longer than somebody waits for the outcome.
  bool given_up = false;   ///< As nobody did.
};

/// One MCP server.
struct oauth_session {
  explicit oauth_session(http_url s) : server(std::move(s)) {}

  http_url server;  ///< Without query and fragment.
  oauth_sender send;  ///< Empty until something is sent.
  std::shared_ptr<oauth_addresses> addresses;  ///< That the sender may use.
  bool loaded = false;
  bool stored = false;  ///< The store has the record, as far as we know.
  std::optional<oauth_record> record;
  std::shared_ptr<dpop_prover> prover;
  std::shared_ptr<oauth_flight> renewing, authorizing;
  bool unproven = false;  ///< The token came by a refresh, and the server did not take it yet.
  std::string superseded;  ///< What the store still has (a value of Authorization), as storing its successor failed.
  std::string also_wanted;  ///< Scopes of challenges that met a flow for others.
  unsigned attempts = 0;  ///< Flows since a challenged request succeeded, or the hour began.
  unsigned visits = 0;    ///< To the user's browser since the hour began.
  time_source::time_point hour_began;
  std::optional<token_set::time_point> renew_after;  ///< A refresh failed: not at once again.
};

/// What authorization to `server` is sent over.
COMCP_LAZY oauth_sender sender_for(oauth_options const& options, http_url const& server,
                                   std::shared_ptr<oauth_addresses> addresses = nullptr);

struct oauth_core {
  COMCP_LAZY explicit oauth_core(oauth_options o);

  COMCP_LAZY std::shared_ptr<oauth_session> session(http_url const& server);
  COMCP_LAZY [[nodiscard]] std::string tokens_name(oauth_session const& s) const;
  COMCP_LAZY [[nodiscard]] std::string client_name(std::string const& issuer) const;
  COMCP_LAZY [[nodiscard]] std::string issuer_name(std::string const& of) const;  ///< of: as issuer_binding has it
  /// How requests on behalf of this server are sent, as part of this trace.
  COMCP_LAZY [[nodiscard]] oauth_io io_for(oauth_session& s, trace_context const& above = trace_context()) const;
  /// How requests to an identity provider of the user's own choice are sent.
  COMCP_LAZY [[nodiscard]] oauth_io io_for_provider(http_url const& endpoint, trace_context const& above);
  /// With the options' signatures and sources.
  COMCP_LAZY [[nodiscard]] oauth_steps::token_endpoint endpoint(http_url url, oauth_client client, std::string method,
                                                                std::string issuer, dpop_prover* prover) const;

  oauth_options options;
  oauth_io io;
  oauth_sender to_provider;
  std::map<std::string, std::shared_ptr<oauth_session>> sessions;
  std::optional<token_set> given;  ///< Until a server takes them.
  std::uint64_t number;
};

using core_ptr = std::shared_ptr<oauth_core>;
using session_ptr = std::shared_ptr<oauth_session>;

/// Makes it what the session uses.
COMCP_LAZY void install(oauth_session& s, std::optional<oauth_record> record);
/// The header fields of a request with the session's tokens; none where there are no tokens.
COMCP_LAZY result<http_headers> credentials(oauth_core const& core, oauth_session const& s, http_url const& url,
                                            std::string const& method);
/// The value of Authorization; empty without tokens.
COMCP_LAZY std::string authorization_value(oauth_session const& s);
COMCP_LAZY std::string authorization_value(oauth_record const& r);

/// Flows that the user sees, or in which a token endpoint answers a machine. However a server behaves there are not many of
/// them, unless login() asks for one.
COMCP_LAZY void count_flow(oauth_core const& core, oauth_session& s, bool with_user);
COMCP_LAZY [[nodiscard]] bool may_start_flow(oauth_core const& core, oauth_session const& s);

/// Every call of the store is bounded.
COMCP_LAZY asio::awaitable<result<std::optional<secret>>> load_text(core_ptr core, std::string name);
COMCP_LAZY asio::awaitable<result<void>> save_text(core_ptr core, std::string name, secret text);
COMCP_LAZY asio::awaitable<result<void>> remove_text(core_ptr core, std::string name);
COMCP_LAZY asio::awaitable<result<std::shared_ptr<void>>> lock_name(core_ptr core, std::string name);

/// What the store has for this server.
COMCP_LAZY asio::awaitable<result<std::optional<oauth_record>>> load_record(core_ptr core, session_ptr s);
/// Stores it, then uses it. Where storing fails it is used all the same, as what it replaces may be worthless.
COMCP_LAZY asio::awaitable<result<void>> keep_record(core_ptr core, session_ptr s, oauth_record record);

/// Starts work on the caller's executor, which goes on whoever stops waiting; its failure is the flight's.
COMCP_LAZY asio::awaitable<std::shared_ptr<oauth_flight>> take_off(asio::awaitable<result<void>> work);
/// The same in a slot of the session, which is emptied at its end; joins what is there. Where the user is waited for, it
/// ends when the last of those who wait here goes.
COMCP_LAZY asio::awaitable<result<void>> fly(session_ptr s, std::shared_ptr<oauth_flight> oauth_session::* slot,
                                             asio::awaitable<result<void>> work);
COMCP_LAZY asio::awaitable<result<void>> landed(std::shared_ptr<oauth_flight> f);

}  // namespace comcp::detail

// auth/oauth_spans.hpp
#if !defined(COMCP_SINGLE_AUTH_OAUTH_SPANS_HPP)
#define COMCP_SINGLE_AUTH_OAUTH_SPANS_HPP
// What oauth tells a tracing system: its work for one server, and the requests of it. Internal.

#include <memory>

#include <asio/awaitable.hpp>

namespace comcp::detail {

struct oauth_core;
struct oauth_session;

/// Below `above`.
COMCP_LAZY oauth_sender traced_sender(oauth_sender send, span_hook const& hook, trace_context const& above);

/// A span of work for a server, which its requests are given as theirs; none without a hook.
COMCP_LAZY open_span begin_work(oauth_core const& core, oauth_session const& s, char const* name);
/// Ends it with this, which it hands on.
template <class T>
result<T> ended(open_span& work, result<T> how) {
  how ? work.end() : work.fail(how.error());
  return how;
}

}  // namespace comcp::detail

// http/traced_engine.hpp
#if !defined(COMCP_SINGLE_HTTP_TRACED_ENGINE_HPP)
#define COMCP_SINGLE_HTTP_TRACED_ENGINE_HPP
// An engine around an engine: a span for each exchange, as OpenTelemetry's conventions for HTTP clients want it. Its parent
// is what the request's traceparent says, and what the request carries is its own context.
// Spec: https://opentelemetry.io/docs/specs/semconv/http/http-spans/

#include <memory>
#include <optional>
#include <utility>

#include <asio/awaitable.hpp>

namespace comcp {

namespace http_detail {

/// Begins it, and has the request carry it.
comcp::detail::open_span begin_span(span_hook const& hook, http_request& request);
void end_span(comcp::detail::open_span& of, int status);
/// What a caller cancelled is no failure.
void fail_span(comcp::detail::open_span& of, error const& why) noexcept;
/// Whether an exchange with this head is told at its head, as it may last for hours.
bool ends_at_head(http_response_head const& head, bool is_get);

}  // namespace http_detail

/// Wraps any engine: `traced_engine(asio_engine(), hook)`. Exchanges and errors are the inner engine's. A span ends with the
/// body, or where that is let go; that of a GET which opens an event stream ends with the response's head.
template <class Engine>
class traced_engine {
  static_assert(engine<Engine>, "comcp: this type is no engine: see comcp/http/engine.hpp");

  struct told {
    comcp::detail::open_span span;
    int status = 0;
    // What is let go after its head did what it was for.
    ~told() {
      if (status != 0) http_detail::end_span(span, status);
    }
    void piece(result<std::string_view> const& p) {
      if (!p) http_detail::fail_span(span, p.error());
      else if (p->empty()) http_detail::end_span(span, status);
    }
  };

 public:
  class response {
   public:
    [[nodiscard]] http_response_head const& head() const noexcept { return inner_.head(); }
    [[nodiscard]] asio::awaitable<result<std::string_view>> next() {
      return told_ ? watched(inner_.next(), told_) : inner_.next();
    }

   private:
    friend traced_engine;
    response(typename Engine::response inner, std::shared_ptr<told> t) : told_(std::move(t)), inner_(std::move(inner)) {}

    // The response may be gone when the piece comes.
    static asio::awaitable<result<std::string_view>> watched(asio::awaitable<result<std::string_view>> coming,
                                                             std::shared_ptr<told> by) {
      std::optional<result<std::string_view>> piece;
      try {
        auto came = co_await std::move(coming);
        piece.emplace(came);
      } catch (...) {
        by->piece(comcp::detail::current_error());
        throw;
      }
      by->piece(*piece);
      co_return std::move(*piece);
    }

    std::shared_ptr<told> told_;  // null where all was told
    typename Engine::response inner_;
  };

  traced_engine(Engine inner, span_hook hook) : inner_(std::move(inner)), hook_(std::move(hook)) {}

  [[nodiscard]] asio::awaitable<result<response>> open(http_request request) {
    auto t = std::make_shared<told>();
    t->span = http_detail::begin_span(hook_, request);
    bool const is_get = request.method == "GET";
    return run(inner_.open(std::move(request)), std::move(t), is_get);
  }
  void close_idle() {
    if constexpr (requires { inner_.close_idle(); }) inner_.close_idle();
  }

 private:
  static asio::awaitable<result<response>> run(asio::awaitable<result<typename Engine::response>> opening,
                                               std::shared_ptr<told> t, bool is_get) {
    std::optional<result<typename Engine::response>> opened;
    try {
      auto got = co_await std::move(opening);
      opened.emplace(std::move(got));
    } catch (...) {
      http_detail::fail_span(t->span, comcp::detail::current_error());
      throw;
    }
    auto& inner = *opened;
    if (!inner) {
      http_detail::fail_span(t->span, inner.error());
      co_return inner.error();
    }
    t->status = inner->head().status;
    t->span.set("http.response.status_code", std::int64_t{t->status});
    if (http_detail::ends_at_head(inner->head(), is_get)) t.reset();
    co_return response(std::move(*inner), std::move(t));
  }

  Engine inner_;
  span_hook hook_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/traced_engine.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_TRACED_ENGINE_IPP)
#define COMCP_SINGLE_HTTP_IMPL_TRACED_ENGINE_IPP
#include <string>

namespace comcp::http_detail {

COMCP_DECL comcp::detail::open_span begin_span(span_hook const& hook, http_request& request) {
  span_start s(span_layer::http, span_kind::client, request.method);
  s.attributes.emplace_back("http.request.method", request.method);
  s.attributes.emplace_back("url.full", request.url.origin() + request.url.path());  // a query may hold secrets
  s.attributes.emplace_back("server.address", std::string(request.url.host_name()));
  s.attributes.emplace_back("server.port", std::int64_t{request.url.port()});
  auto const said = [&request](char const* name) {
    auto const* const value = request.headers.find(name);
    return value ? *value : std::string();
  };
  s.parent = trace_context(said("traceparent"), said("tracestate"), said("baggage")).well_formed();
  comcp::detail::open_span of(hook, std::move(s));
  auto const carry = [&request](char const* name, std::string const& text) {
    if (text.empty()) request.headers.remove(name);
    else (void)request.headers.set(name, text);
  };
  carry("traceparent", of.context().traceparent);
  carry("tracestate", of.context().tracestate);
  carry("baggage", of.context().baggage);
  return of;
}

COMCP_DECL void end_span(comcp::detail::open_span& of, int status) {
  if (status < 400) return of.end();
  auto const code = std::to_string(status);
  of.set("error.type", code);
  of.end("HTTP " + code);
}

COMCP_DECL void fail_span(comcp::detail::open_span& of, error const& why) noexcept {
  why == errc::cancelled ? of.end() : of.fail(why);
}

COMCP_DECL bool ends_at_head(http_response_head const& head, bool is_get) {
  auto const* const type = head.headers.find("Content-Type");
  return is_get && head.status < 300 && type && type->starts_with("text/event-stream");
}

}  // namespace comcp::http_detail
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/oauth_spans.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OAUTH_SPANS_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OAUTH_SPANS_IPP
#include <optional>

namespace comcp::detail {
namespace oauth_detail {

COMCP_LAZY inline asio::awaitable<result<oauth_response>> send_traced(oauth_sender send, http_request r, open_span of) {
  auto sending = send(std::move(r));
  std::optional<result<oauth_response>> came;
  try {
    auto answer = co_await std::move(sending);
    came.emplace(std::move(answer));
  } catch (...) {
    http_detail::fail_span(of, current_error());
    throw;
  }
  auto& got = *came;
  if (!got) {
    http_detail::fail_span(of, got.error());
  } else {
    of.set("http.response.status_code", std::int64_t{got->status});
    http_detail::end_span(of, got->status);
  }
  co_return std::move(got);
}

}  // namespace oauth_detail

COMCP_LAZY_DECL oauth_sender traced_sender(oauth_sender send, span_hook const& hook, trace_context const& above) {
  return [send = std::move(send), hook, above](http_request r) {
    if (!above.traceparent.empty()) (void)r.headers.set("traceparent", above.traceparent);
    if (!above.tracestate.empty()) (void)r.headers.set("tracestate", above.tracestate);
    auto of = http_detail::begin_span(hook, r);
    return oauth_detail::send_traced(send, std::move(r), std::move(of));
  };
}

COMCP_LAZY_DECL open_span begin_work(oauth_core const& core, oauth_session const& s, char const* name) {
  if (!core.options.spans()) return {};
  span_start start(span_layer::authorization, span_kind::internal, name);
  start.attributes.emplace_back("server.address", std::string(s.server.host_name()));
  return open_span(core.options.spans(), std::move(start));
}

}  // namespace comcp::detail
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/oauth_session.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OAUTH_SESSION_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OAUTH_SESSION_IPP
#include <algorithm>
#include <atomic>

#include <asio/this_coro.hpp>

namespace comcp::detail {

// ---- The record ----

COMCP_LAZY_DECL secret oauth_record::to_json() const {
  json::object out;
  out.set("server", grant.server).set("resource", grant.resource).set("issuer", grant.issuer);
  out.set("token_endpoint", grant.token_endpoint).set("revocation_endpoint", grant.revocation_endpoint);
  out.set("auth_method", grant.auth_method).set("scope", grant.scope).set("registered_by", grant.registered_by);
  if (grant.registered_by == "pre-registered") {
    out.set("client_id", grant.client.id());
  } else {
    out.set("client", json::fragment::trusted(grant.client.to_json().reveal()));
  }
  out.set("access_token", grant.tokens.access_token.reveal()).set("token_type", grant.tokens.token_type);
  if (!grant.tokens.refresh_token.empty()) out.set("refresh_token", grant.tokens.refresh_token.reveal());
  auto const set_time = [&out](char const* name, std::optional<token_set::time_point> const& t) {
    if (t) out.set(name, static_cast<std::int64_t>(std::chrono::floor<std::chrono::seconds>(*t).time_since_epoch().count()));
  };
  set_time("expires_at", grant.tokens.expires_at);
  set_time("granted_at", granted_at);
  if (grant.tokens.scope) out.set("granted_scope", *grant.tokens.scope);
  if (!dpop_key.empty()) out.set("dpop_key", dpop_key.reveal());
  return secret(out.text());
}

namespace oauth_detail {

inline std::string member(json::view of, std::string_view key) {
  auto const found = of.find(key);
  auto const text = found ? found->get_string() : std::nullopt;
  return std::string(text.value_or(std::string_view()));
}

inline std::optional<token_set::time_point> time_member(json::view of, std::string_view key) {
  auto const found = of.find(key);
  auto const seconds = found ? found->get_int64() : std::nullopt;
  // Beyond this a time_point overflows.
  if (!seconds || *seconds < 0 || *seconds >= 9'000'000'000) return std::nullopt;
  return token_set::time_point(std::chrono::seconds(*seconds));
}

inline result<oauth_client> stored_client(json::view of) {
  auto const whole = of.find("client");
  if (!whole) return oauth_client(member(of, "client_id"));
  return oauth_client::from_json(secret(whole->dump()));
}

}  // namespace oauth_detail

COMCP_LAZY_DECL result<oauth_record> oauth_record::from_json(secret const& text) {
  using oauth_detail::member;
  error const unreadable(errc::wrong_shape, "the stored tokens are not readable: log out and in again");
  auto const document = json::parse(text.reveal());
  if (!document || !document->is_object()) return unreadable;
  auto const all = document->view();
  oauth_record out;
  auto& g = out.grant;
  g.server = member(all, "server");
  g.resource = member(all, "resource");
  g.issuer = member(all, "issuer");
  g.token_endpoint = member(all, "token_endpoint");
  g.revocation_endpoint = member(all, "revocation_endpoint");
  g.auth_method = member(all, "auth_method");
  g.scope = member(all, "scope");
  g.registered_by = member(all, "registered_by");
  auto client = oauth_detail::stored_client(all);
  if (!client) return unreadable;
  g.client = std::move(*client);
  g.tokens.access_token = secret(member(all, "access_token"));
  g.tokens.token_type = member(all, "token_type");
  g.tokens.refresh_token = secret(member(all, "refresh_token"));
  g.tokens.expires_at = oauth_detail::time_member(all, "expires_at");
  out.granted_at = oauth_detail::time_member(all, "granted_at");
  if (all.find("granted_scope")) g.tokens.scope = member(all, "granted_scope");
  out.dpop_key = secret(member(all, "dpop_key"));
  if (g.tokens.access_token.empty() || g.tokens.token_type.empty() || g.server.empty()) return unreadable;
  return out;
}

// ---- The core ----

COMCP_LAZY_DECL oauth_sender sender_for(oauth_options const& options, http_url const& server,
                                        std::shared_ptr<oauth_addresses> addresses) {
  if (options.sender()) return options.sender();
  auto proxies = options.proxy() ? *options.proxy() : proxy_options::from_environment();
  asio_engine_options engine;
  engine.timeouts(http_timeouts().connect(std::min<std::chrono::milliseconds>(options.timeout(), std::chrono::seconds(10))));
  return default_oauth_sender<>(options.profile().policy, options.max_body(), server, std::move(engine), std::move(proxies),
                                options.tls(), net::system_lookup<asio::any_io_executor>, std::move(addresses));
}

COMCP_LAZY_DECL oauth_core::oauth_core(oauth_options o) : options(std::move(o)) {
  static std::atomic<std::uint64_t> count{0};
  number = ++count;
  if (options.time()) io.time = options.time();
  if (options.clock()) io.now = options.clock();
  io.timeout = std::min<std::chrono::milliseconds>(options.timeout(), std::chrono::hours(24));
  io.max_body = options.max_body();
  given = options.tokens();
}

COMCP_LAZY_DECL session_ptr oauth_core::session(http_url const& server) {
  auto const key = server.origin() + server.path();
  auto& found = sessions[key];
  if (found) return found;
  found = std::make_shared<oauth_session>(http_url::parse(key).value());
  found->addresses = std::make_shared<oauth_addresses>(options.profile().policy, found->server);
  return found;
}

COMCP_LAZY_DECL std::string oauth_core::tokens_name(oauth_session const& s) const {
  return "tokens " + options.account() + " " + s.server.text();
}
COMCP_LAZY_DECL std::string oauth_core::client_name(std::string const& issuer) const {
  return "client " + options.account() + " " + issuer;
}

COMCP_LAZY_DECL std::string oauth_core::issuer_name(std::string const& of) const {
  return "issuer " + options.account() + " " + of;
}

COMCP_LAZY_DECL oauth_io oauth_core::io_for(oauth_session& s, trace_context const& above) const {
  if (!s.send) s.send = sender_for(options, s.server, s.addresses);
  auto out = io;
  out.send = options.spans() ? traced_sender(s.send, options.spans(), above) : s.send;
  return out;
}

COMCP_LAZY_DECL oauth_io oauth_core::io_for_provider(http_url const& endpoint, trace_context const& above) {
  if (!to_provider) to_provider = sender_for(options, endpoint);
  auto out = io;
  out.send = options.spans() ? traced_sender(to_provider, options.spans(), above) : to_provider;
  return out;
}

COMCP_LAZY_DECL oauth_steps::token_endpoint oauth_core::endpoint(http_url url, oauth_client client, std::string method,
                                                                 std::string issuer, dpop_prover* prover) const {
  oauth_steps::token_endpoint out(std::move(url), std::move(client), std::move(method));
  out.issuer(std::move(issuer)).assertions(options.assertions()).dpop(prover);
  if (options.client_assertion()) out.assertions(options.client_assertion());
  return out;
}

// ---- The session ----

COMCP_LAZY_DECL void install(oauth_session& s, std::optional<oauth_record> record) {
  bool const same_key = record && s.prover && s.record && record->dpop_key == s.record->dpop_key;
  if (!same_key) s.prover.reset();
  s.record = std::move(record);
  s.stored = s.record.has_value();
  s.unproven = false;
  s.renew_after.reset();
  if (same_key || !s.record || s.record->dpop_key.empty()) return;
  auto key = signing_key::load(private_key::jwk(s.record->dpop_key));
  if (key) s.prover = std::make_shared<dpop_prover>(std::move(*key));
}

COMCP_LAZY_DECL std::string authorization_value(oauth_record const& r) {
  return r.grant.tokens.token_type + " " + r.grant.tokens.access_token.reveal();
}

COMCP_LAZY_DECL std::string authorization_value(oauth_session const& s) {
  return s.record ? authorization_value(*s.record) : std::string();
}

namespace oauth_detail {
inline constexpr unsigned most_visits_an_hour = 20;

inline bool is_new_hour(oauth_core const& core, oauth_session const& s) {
  return core.io.time->now() - s.hour_began >= std::chrono::hours(1);
}
}  // namespace oauth_detail

COMCP_LAZY_DECL void count_flow(oauth_core const& core, oauth_session& s, bool with_user) {
  if (oauth_detail::is_new_hour(core, s)) {
    s.hour_began = core.io.time->now();
    s.attempts = s.visits = 0;
  }
  ++s.attempts;
  if (with_user) ++s.visits;
}

COMCP_LAZY_DECL bool may_start_flow(oauth_core const& core, oauth_session const& s) {
  bool const few = s.attempts < core.options.max_attempts() && s.visits < oauth_detail::most_visits_an_hour;
  return few || oauth_detail::is_new_hour(core, s);
}

COMCP_LAZY_DECL result<http_headers> credentials(oauth_core const& core, oauth_session const& s, http_url const& url,
                                                 std::string const& method) {
  http_headers out;
  if (!s.record) return out;
  auto const& tokens = s.record->grant.tokens;
  bool const bound = tokens.token_type == "DPoP";
  if (!bound && tokens.token_type != "Bearer") return error(errc::unauthorized, "the token is of a type that comcp cannot send");
  if (bound && !s.prover) return error(errc::unauthorized, "the token is bound to a key that is not there: log in again");
  auto const added = out.add("Authorization", authorization_value(s));
  if (!added) return error(errc::unauthorized, "the token has characters that no header carries");
  if (bound) (void)out.add("DPoP", s.prover->proof(method, url, core.io.now(), tokens.access_token));
  return out;
}

// ---- The store ----

namespace oauth_detail {
inline constexpr auto store_is_slow = "the token store did not answer in time";
}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<std::optional<secret>>> load_text(core_ptr core, std::string name) {
  auto work = core->options.store().load(std::move(name));
  auto got = co_await within<std::optional<secret>>(core->io.time, core->io.timeout, std::move(work),
                                                    oauth_detail::store_is_slow, core);
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> save_text(core_ptr core, std::string name, secret text) {
  auto work = core->options.store().save(std::move(name), std::move(text));
  auto got = co_await within<void>(core->io.time, core->io.timeout, std::move(work), oauth_detail::store_is_slow, core);
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> remove_text(core_ptr core, std::string name) {
  auto work = core->options.store().remove(std::move(name));
  auto got = co_await within<void>(core->io.time, core->io.timeout, std::move(work), oauth_detail::store_is_slow, core);
  co_return got;
}

// Whoever holds it makes one request and calls the store three times.
COMCP_LAZY_DECL asio::awaitable<result<std::shared_ptr<void>>> lock_name(core_ptr core, std::string name) {
  auto const most = 4 * core->io.timeout;
  auto work = core->options.store().lock(std::move(name), most);
  auto got = co_await within<std::shared_ptr<void>>(core->io.time, most + core->io.timeout, std::move(work),
                                                    "another process held the tokens' lock for too long", core);
  co_return got;
}

namespace oauth_detail {

// Whoever says who the client is means no token of another one.
inline bool is_of_client(sansio::oauth_grant const& g, oauth_profile const& wanted) {
  auto const& all = wanted.clients;
  if (!all.empty()) {
    return std::any_of(all.begin(), all.end(), [&](oauth_client const& c) {
      return c.id() == g.client.id() && (c.issuer().empty() || c.issuer() == g.issuer);
    });
  }
  auto const& document = wanted.client_metadata_url;  // not every server reads one
  if (wanted.kind == oauth_profile::grant::jwt_bearer && document.empty()) return g.client.id().empty();
  return document.empty() || g.registered_by == "dynamic" || g.client.id() == document;
}

// What was stored may come from a time with other options.
inline bool is_accepted(oauth_record const& r, oauth_core const& core, oauth_session const& s) {
  auto const fits = [](std::optional<std::string> const& pinned, std::string const& stored) {
    return !pinned || stored.empty() || *pinned == stored;
  };
  auto const& wanted = core.options.profile();
  return r.grant.server == s.server.text() && fits(wanted.issuer, r.grant.issuer) &&
         fits(wanted.resource, r.grant.resource) && is_of_client(r.grant, wanted);
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<std::optional<oauth_record>>> load_record(core_ptr core, session_ptr s) {
  auto const text = co_await load_text(core, core->tokens_name(*s));
  if (!text) co_return text.error();
  if (!*text) co_return std::optional<oauth_record>();
  auto read = oauth_record::from_json(**text);
  if (!read) co_return read.error();
  if (!oauth_detail::is_accepted(*read, *core, *s)) co_return std::optional<oauth_record>();
  if (read->grant.registered_by == "pre-registered") {
    // Two servers may know clients by one id.
    auto const* const known = sansio::detail::pre_registered(core->options.profile().clients, read->grant.issuer);
    if (known && known->id() == read->grant.client.id()) read->grant.client = *known;
  }
  co_return std::optional<oauth_record>(std::move(*read));
}

COMCP_LAZY_DECL asio::awaitable<result<void>> keep_record(core_ptr core, session_ptr s, oauth_record record) {
  auto const before = s->stored ? authorization_value(*s) : s->superseded;
  record.granted_at = core->io.now();
  auto saved = co_await save_text(core, core->tokens_name(*s), record.to_json());
  s->superseded = saved ? std::string() : before;
  install(*s, std::move(record));
  s->loaded = true;
  s->stored = saved.has_value();
  if (saved) co_return result<void>();
  auto text = "the new tokens could not be stored: " + std::string(saved.error().message());
  co_return saved.error().with_message(std::move(text));
}

// ---- Flights ----

namespace oauth_detail {

struct end_of_flight {
  explicit end_of_flight(std::shared_ptr<oauth_flight> f) : flight(std::move(f)) {}
  end_of_flight(end_of_flight const&) = delete;
  end_of_flight& operator=(end_of_flight const&) = delete;
  ~end_of_flight() {
    if (session && session.get()->*slot == flight) (session.get()->*slot).reset();
    flight->over.open();
  }
  std::shared_ptr<oauth_flight> flight;
  session_ptr session;
  std::shared_ptr<oauth_flight> oauth_session::* slot = nullptr;
};

class one_waiting {
 public:
  explicit one_waiting(std::shared_ptr<oauth_flight> f) : flight_(std::move(f)) { ++flight_->waiting; }
  one_waiting(one_waiting const&) = delete;
  one_waiting& operator=(one_waiting const&) = delete;
  ~one_waiting() {
    if (--flight_->waiting > 0 || !flight_->with_user) return;
    // Posted, as in end_of_wait.
    auto give_up = [f = flight_] {
      if (f->waiting > 0 || !f->with_user) return;
      f->given_up = true;
      f->signal.emit(asio::cancellation_type::terminal);
    };
    post(flight_->on, std::move(give_up));
  }

 private:
  std::shared_ptr<oauth_flight> flight_;
};

COMCP_LAZY inline asio::awaitable<void> under_way(std::shared_ptr<oauth_flight> f, session_ptr s,
                                                  std::shared_ptr<oauth_flight> oauth_session::* slot,
                                                  asio::awaitable<result<void>> work) {
  end_of_flight at_the_end(f);
  at_the_end.session = std::move(s);
  at_the_end.slot = slot;
  f->failure = error(errc::cancelled);  // if this coroutine is destroyed
  error failure;
  try {
    auto const done = co_await std::move(work);
    if (!done) failure = done.error();
  } catch (...) {
    failure = current_error();
  }
  f->failure = std::move(failure);
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<void>> landed(std::shared_ptr<oauth_flight> f) {
  co_await f->over.wait();
  if (f->failure) co_return f->failure;
  co_return result<void>();
}

COMCP_LAZY_DECL asio::awaitable<std::shared_ptr<oauth_flight>> take_off(asio::awaitable<result<void>> work) {
  auto const executor = co_await asio::this_coro::executor;
  auto const f = std::make_shared<oauth_flight>(executor);
  spawn(executor, oauth_detail::under_way(f, {}, nullptr, std::move(work)));
  co_return f;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> fly(session_ptr s, std::shared_ptr<oauth_flight> oauth_session::* slot,
                                                  asio::awaitable<result<void>> work) {
  auto const executor = co_await asio::this_coro::executor;
  auto f = s.get()->*slot;
  bool const first = !f || f->given_up;
  if (first) f = std::make_shared<oauth_flight>(executor);
  oauth_detail::one_waiting const here(f);
  if (first) {
    s.get()->*slot = f;
    spawn(executor, oauth_detail::under_way(f, s, slot, std::move(work)), f->signal.slot(), f);
  }
  auto got = co_await landed(f);
  co_return got;
}

}  // namespace comcp::detail
#endif
#endif
#endif

namespace comcp::detail {

/// One flow under way. Lives in the coroutine that drives it.
struct flow_run {
  flow_run(core_ptr c, session_ptr s, sansio::oauth_start start)
      : core(std::move(c)), session(std::move(s)), flow(core->options.profile(), std::move(start)) {}

  core_ptr core;
  session_ptr session;
  sansio::oauth_flow flow;
  std::string redirect_uri;     ///< Of begin(), which stops when the user is wanted; else empty.
  any_visit visit;
  open_span* work = nullptr;
  std::shared_ptr<dpop_prover> prover;
  bool forget_stored = false;   ///< A stored registration was refused.
  bool used_stored = false;
  bool client_refused = false;  ///< With invalid_client.
  bool saved = false;
};

/// Drives it until it is done or failed, or the user is wanted and redirect_uri says to stop there.
COMCP_LAZY asio::awaitable<void> drive(flow_run& run);

/// Whether this may go to its issuer, by what the store has of it; what is first, or named, is stored.
COMCP_LAZY asio::awaitable<result<void>> hold_to_issuer(core_ptr core, sansio::issuer_binding what);

/// A whole flow, its tokens stored and in use. `challenge` is what the server said.
COMCP_LAZY asio::awaitable<result<void>> authorize(core_ptr core, session_ptr s,
                                                   std::optional<auth_challenge> challenge, bool step_up);
/// What the server says to a request without a token, as far as it says it.
COMCP_LAZY asio::awaitable<std::optional<auth_challenge>> ask_for_challenge(core_ptr core, session_ptr s,
                                                                            trace_context above = trace_context());
/// The assertion of a machine's grant.
COMCP_LAZY asio::awaitable<result<secret>> grant_assertion(core_ptr core, grant_request about, trace_context above);

COMCP_LAZY asio::awaitable<result<pending_authorization>> begin_flow(core_ptr core, session_ptr s,
                                                                     std::string redirect_uri);
COMCP_LAZY asio::awaitable<result<void>> finish_flow(core_ptr core, session_ptr s, pending_authorization state,
                                                     secret redirect);

/// What is stored, or given by the options, is in use then.
COMCP_LAZY asio::awaitable<result<void>> load_session(core_ptr core, session_ptr s);
/// Loads what is stored, if that was not done, and renews what ends soon.
COMCP_LAZY asio::awaitable<result<void>> prepare(core_ptr core, session_ptr s);
COMCP_LAZY [[nodiscard]] bool must_prepare(oauth_core const& core, oauth_session const& s);
/// Another token than `refused` (a value of Authorization): from the store, where another process put it, or by a refresh.
/// After success there is none where the refresh token is worthless.
COMCP_LAZY asio::awaitable<result<void>> renew(core_ptr core, session_ptr s, std::string refused);
COMCP_LAZY asio::awaitable<result<void>> forget(core_ptr core, session_ptr s);

/// The one that counts of a 401 or 403.
COMCP_LAZY std::optional<auth_challenge> pick_challenge(http_headers const& headers);
COMCP_LAZY asio::awaitable<result<http_headers>> headers_for(core_ptr core, http_url server, http_url url,
                                                             std::string method);
COMCP_LAZY asio::awaitable<result<auth_verdict>> answer_challenge(core_ptr core, http_url server, http_url url,
                                                                  std::string used, http_response_head got);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/oauth_challenge.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OAUTH_CHALLENGE_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OAUTH_CHALLENGE_IPP

namespace comcp::detail {

COMCP_LAZY_DECL std::optional<auth_challenge> pick_challenge(http_headers const& headers) {
  std::optional<auth_challenge> out;
  for (auto& challenge : parse_challenges(headers)) {
    if (!challenge.is("Bearer") && !challenge.is("DPoP")) continue;
    // The one that says most, for either may carry the metadata; of equals the one that asks for less.
    auto const says = [](auth_challenge const& c) { return c.find("resource_metadata") != nullptr; };
    bool const better = !out || (says(challenge) && !says(*out)) ||
                        (says(challenge) == says(*out) && challenge.is("Bearer") && out->is("DPoP"));
    if (better) out = std::move(challenge);
  }
  return out;
}

COMCP_LAZY_DECL asio::awaitable<result<http_headers>> headers_for(core_ptr core, http_url server, http_url url,
                                                                  std::string method) {
  if (!same_origin(server, url)) co_return http_headers();
  auto const s = core->session(server);
  if (must_prepare(*core, *s)) {
    auto const ready = co_await prepare(core, s);
    if (!ready) co_return ready.error();
  }
  co_return credentials(*core, *s, url, method);
}

namespace oauth_detail {

inline bool lacks_scope(http_response_head const& got, std::optional<auth_challenge> const& challenge) {
  if (got.status != 403 || !challenge) return false;
  auto const* const why = challenge->find("error");
  return why && *why == "insufficient_scope";
}

inline error too_many(oauth_session const& s, http_headers const& refused_with) {
  return {errc::unauthorized, s.server.origin() + " still refuses after as many authorizations as are tried within an hour; " +
                                  "login() starts another" + sansio::told_by_challenge(refused_with)};
}

// Nobody was asked, as there is no user: why the token was not renewed is the better half of the story.
inline error after(error const& not_renewed, error const& why) {
  if (!not_renewed || !(why == errc::login_required)) return why;
  return why.with_message(std::string(why.message()) + "; its token was not renewed: " + std::string(not_renewed.message()));
}

// Whether there is another token now than the one that was refused.
inline bool has_other(oauth_session const& s, std::string const& used) {
  return s.record && authorization_value(s) != used;
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> answer_challenge(core_ptr core, http_url server, http_url url,
                                                                       std::string used, http_response_head got) {
  using oauth_detail::has_other;
  if (!same_origin(server, url)) co_return auth_verdict::give_up;
  auto const s = core->session(server);
  s->addresses->answered_from(got.address);
  auto challenge = pick_challenge(got.headers);
  bool const step_up = oauth_detail::lacks_scope(got, challenge);
  if (got.status != 401 && !(step_up && core->options.profile().step_up)) co_return auth_verdict::give_up;
  if (s->prover && got.status == 401 && used.starts_with("DPoP ") && wants_dpop_nonce(got.status, got.headers, {})) {
    s->prover->observed(url, got.headers);
    co_return auth_verdict::try_again;
  }
  if (has_other(*s, used)) co_return auth_verdict::try_again;
  if (s->renewing) {
    auto const under_way = s->renewing;
    (void)co_await landed(under_way);
    if (has_other(*s, used)) co_return auth_verdict::try_again;
  }
  error not_renewed;
  if (!s->authorizing && !step_up) {
    auto const renewed = co_await renew(core, s, used);
    // A refusal leaves the flow; what may pass does not need the user.
    if (!renewed && !(renewed.error() == errc::unauthorized)) co_return renewed.error();
    if (has_other(*s, used)) co_return auth_verdict::try_again;
    if (!renewed) not_renewed = renewed.error();
  }
  if (!s->authorizing && !may_start_flow(*core, *s)) co_return oauth_detail::too_many(*s, got.headers);
  // It may be under way for others: then it is for the next one.
  auto const* const more = s->authorizing && step_up ? challenge->find("scope") : nullptr;
  if (more) s->also_wanted = unite_scopes(s->also_wanted, *more);
  auto work = authorize(core, s, std::move(challenge), step_up);
  auto const done = co_await fly(s, &oauth_session::authorizing, std::move(work));
  if (!done) {
    s->also_wanted.clear();  // nobody goes on to ask for it
    co_return oauth_detail::after(not_renewed, done.error());
  }
  co_return has_other(*s, used) ? auth_verdict::try_again : auth_verdict::give_up;
}

}  // namespace comcp::detail
#endif

// auth/impl/oauth_flow_run.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OAUTH_FLOW_RUN_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OAUTH_FLOW_RUN_IPP
#include <algorithm>
#include <variant>

namespace comcp::detail {
namespace oauth_detail {

using want = sansio::oauth_flow::want;

inline trace_context trace_of(flow_run const& run) { return run.work ? run.work->context() : trace_context(); }
COMCP_LAZY oauth_io io_of(flow_run const& run) { return run.core->io_for(*run.session, trace_of(run)); }

COMCP_LAZY inline asio::awaitable<void> get_next(flow_run& run) {
  auto const got = co_await send_one(io_of(run), get_request(run.flow.url()));
  if (!got) co_return run.flow.failed(got.error());
  run.flow.answered(got->status, got->headers, got->body, run.core->io.now());
}

COMCP_LAZY inline asio::awaitable<void> check_binding(flow_run& run) {
  auto const held = co_await hold_to_issuer(run.core, run.flow.binding());
  held ? run.flow.bound() : run.flow.failed(held.error());
}

COMCP_LAZY inline asio::awaitable<void> find_stored_client(flow_run& run) {
  if (run.forget_stored) co_return run.flow.registration_found(std::nullopt);
  auto const text = co_await load_text(run.core, run.core->client_name(run.flow.issuer()));
  if (!text) co_return run.flow.failed(text.error());
  std::optional<oauth_client> found;
  if (*text) {
    // One that cannot be read is as good as none.
    auto read = oauth_client::from_json(**text);
    if (read) found = std::move(*read);
  }
  run.used_stored = found.has_value();
  run.flow.registration_found(std::move(found));
}

COMCP_LAZY inline asio::awaitable<void> start_visit(flow_run& run) {
  auto uri = run.redirect_uri;
  if (uri.empty()) {
    auto const& agent = run.core->options.user();
    if (!agent) {
      co_return run.flow.failed(error(errc::login_required, "the server wants a user to log in: " + run.session->server.origin()));
    }
    std::string registers_at;
    if (run.flow.grant().registered_by == "dynamic") registers_at = run.flow.issuer();
    auto starting = agent.start(run.flow.known_redirects(), std::move(registers_at));
    auto visit = co_await within<any_visit>(run.core->io.time, run.core->io.timeout, std::move(starting),
                                             "the user agent did not start in time", nullptr);
    if (!visit) co_return run.flow.failed(visit.error());
    run.visit = std::move(*visit);
    uri = run.visit.redirect_uri();
  }
  run.flow.redirecting_to(std::move(uri), secret(random_token()), secret(random_token()));
}

COMCP_LAZY inline asio::awaitable<void> register_client(flow_run& run) {
  auto const got = co_await send_one(io_of(run), json_request(run.flow.url(), run.flow.body()));
  if (!got) co_return run.flow.failed(got.error());
  run.flow.answered(got->status, got->headers, got->body, run.core->io.now());
}

// Stored at once: the flow may end without tokens, and registrations pile up at the server.
COMCP_LAZY inline asio::awaitable<void> save_registration(flow_run& run) {
  run.saved = true;
  auto const& made = run.flow.registered();
  auto const saved = co_await save_text(run.core, run.core->client_name(run.flow.issuer()), made->to_json());
  if (!saved) run.flow.failed(saved.error());
}

COMCP_LAZY inline asio::awaitable<void> send_user(flow_run& run) {
  auto url = run.flow.pending().url();
  if (!url) co_return run.flow.failed(url.error());
  auto const flight = run.session->authorizing;
  if (!flight || flight->waiting == 0) co_return run.flow.failed(error(errc::cancelled, "nobody waits for the login any more"));
  count_flow(*run.core, *run.session, true);
  auto const visit = std::make_shared<any_visit>(std::exchange(run.visit, any_visit()));
  auto visiting = visit->visit(std::move(*url));
  flight->with_user = true;
  if (run.work) run.work->event("user");
  auto const redirect = co_await within<secret>(run.core->io.time, run.core->options.user_timeout(), std::move(visiting),
                                                "the user did not log in in time", visit);
  flight->with_user = false;
  if (!redirect) co_return run.flow.failed(redirect.error());
  run.flow.redirected(redirect->reveal());
}

COMCP_LAZY inline asio::awaitable<void> fetch_assertion(flow_run& run) {
  grant_request about;
  about.issuer = run.flow.issuer();
  about.resource = run.flow.resource();
  about.scope = run.flow.scope();
  auto above = trace_of(run);
  auto got = co_await grant_assertion(run.core, std::move(about), std::move(above));
  if (!got) co_return run.flow.failed(got.error());
  run.flow.asserted(std::move(*got));
}

COMCP_LAZY inline asio::awaitable<void> request_tokens(flow_run& run) {
  if (run.flow.wants_dpop() && !run.prover) run.prover = std::make_shared<dpop_prover>();
  auto const prover = run.prover;
  auto at = run.core->endpoint(run.flow.url(), run.flow.client(), run.flow.auth_method(), run.flow.issuer(), prover.get());
  auto const got = co_await post_form(io_of(run), std::move(at), run.flow.form());
  if (!got) co_return run.flow.failed(got.error());
  bool const machine = run.core->options.profile().kind != oauth_profile::grant::authorization_code;
  if (machine && got->status < 500) count_flow(*run.core, *run.session, false);
  auto const read = read_token_answer(got->status, got->body, run.core->io.now());
  auto const* const refused = read ? std::get_if<oauth_refusal>(&*read) : nullptr;
  run.client_refused = refused && refused->code == "invalid_client";
  run.flow.answered(got->status, got->headers, got->body, run.core->io.now());
}

inline oauth_record record_of(flow_run const& run) {
  oauth_record out;
  out.grant = run.flow.grant();
  out.grant.server = run.session->server.text();
  if (run.prover) out.dpop_key = run.prover->key().private_jwk();
  return out;
}

// Descriptions are the server's own words, and it has seen the state.
inline error without_secrets(error const& why, pending_authorization const& of) {
  auto text = std::string(why.message());
  hide(text, of.state.reveal());
  hide(text, of.verifier.reveal());
  return why.with_message(std::move(text));
}

inline error failure_of(flow_run const& run) {
  return without_secrets(run.flow.failure(), run.flow.pending());
}

// It is asked for again where it is offered.
inline std::string granted_before(oauth_session const& s) {
  std::string out;
  if (!s.record) return out;
  auto const all = unite_scopes(s.record->grant.scope, {});
  for (std::size_t at = 0; at < all.size();) {
    auto const end = std::min(all.find(' ', at), all.size());
    auto const one = all.substr(at, end - at);
    if (one != "offline_access") out = unite_scopes(out, one);
    at = end + 1;
  }
  return out;
}

// Under the lock of the refreshes of other processes, which would write what this replaces.
COMCP_LAZY inline asio::awaitable<result<void>> keep_locked(core_ptr core, session_ptr s, oauth_record record,
                                                            std::shared_ptr<dpop_prover> prover) {
  auto const held = co_await lock_name(core, core->tokens_name(*s));
  auto kept = co_await keep_record(core, s, std::move(record));
  if (prover) s->prover = std::move(prover);  // it knows the servers' nonces
  if (!held && kept) co_return held.error();
  core->given.reset();
  co_return kept;
}

COMCP_LAZY inline asio::awaitable<void> forget_client(core_ptr core, std::string issuer, std::string id) {
  auto const name = core->client_name(issuer);
  auto const text = co_await load_text(core, name);
  if (!text || !*text) co_return;
  auto const stored = oauth_client::from_json(**text);
  if (stored && stored->id() != id) co_return;
  (void)co_await remove_text(core, name);
}

}  // namespace oauth_detail

// Under a lock, so that there is one first.
COMCP_LAZY_DECL asio::awaitable<result<void>> hold_to_issuer(core_ptr core, sansio::issuer_binding what) {
  if (what.of.empty()) co_return result<void>();
  auto const name = core->issuer_name(what.of);
  auto const held = co_await lock_name(core, name);
  if (!held) co_return held.error();
  auto const text = co_await load_text(core, name);
  if (!text) co_return text.error();
  std::optional<std::string> bound;
  if (*text) bound = (*text)->reveal();
  auto allowed = what.check(bound);
  if (!allowed || bound == what.issuer) co_return allowed;
  auto saved = co_await save_text(core, name, secret(what.issuer));
  co_return saved;
}

COMCP_LAZY_DECL asio::awaitable<void> drive(flow_run& run) {
  using oauth_detail::want;
  for (int steps = 0; steps < 64; ++steps) {
    if (run.flow.registered() && !run.saved) co_await oauth_detail::save_registration(run);
    switch (run.flow.next()) {
      case want::get: co_await oauth_detail::get_next(run); break;
      case want::binding: co_await oauth_detail::check_binding(run); break;
      case want::stored_client: co_await oauth_detail::find_stored_client(run); break;
      case want::redirect_uri: co_await oauth_detail::start_visit(run); break;
      case want::post_json: co_await oauth_detail::register_client(run); break;
      case want::user:
        if (!run.redirect_uri.empty()) co_return;
        co_await oauth_detail::send_user(run);
        break;
      case want::assertion: co_await oauth_detail::fetch_assertion(run); break;
      case want::post_token: co_await oauth_detail::request_tokens(run); break;
      case want::done:
      case want::failed: co_return;
    }
  }
  run.flow.failed(error(errc::limit_exceeded, "authorization takes too many steps"));
}

COMCP_LAZY_DECL asio::awaitable<std::optional<auth_challenge>> ask_for_challenge(core_ptr core, session_ptr s,
                                                                                 trace_context above) {
  // A ping does nothing, whatever the server thinks of it.
  auto request = json_request(s->server, R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  (void)request.headers.set("Accept", "application/json, text/event-stream");
  auto const got = co_await send_one(core->io_for(*s, above), std::move(request));
  if (!got || got->status != 401) co_return std::nullopt;
  co_return pick_challenge(got->headers);
}

COMCP_LAZY_DECL asio::awaitable<result<void>> authorize(core_ptr core, session_ptr s,
                                                        std::optional<auth_challenge> challenge, bool step_up) {
  auto work = begin_work(*core, *s, step_up ? "authorize more" : "authorize");
  sansio::oauth_start start(s->server);
  start.challenge = std::move(challenge);
  start.step_up = step_up;
  start.granted_scope = unite_scopes(oauth_detail::granted_before(*s), std::exchange(s->also_wanted, {}));
  for (bool again = false;; again = true) {
    flow_run run(core, s, start);
    run.forget_stored = again;
    run.work = &work;
    co_await drive(run);
    if (run.flow.next() == oauth_detail::want::done) {
      auto kept = co_await oauth_detail::keep_locked(core, s, oauth_detail::record_of(run), run.prover);
      co_return ended(work, std::move(kept));
    }
    if (again || !run.client_refused || !run.used_stored) co_return ended(work, result<void>(oauth_detail::failure_of(run)));
    co_await oauth_detail::forget_client(core, run.flow.issuer(), run.flow.client().id());
  }
}

COMCP_LAZY_DECL asio::awaitable<result<secret>> grant_assertion(core_ptr core, grant_request about, trace_context above) {
  auto const& idp = core->options.enterprise();
  auto const patience = core->options.user_timeout();
  if (!idp) {
    if (!core->options.assertion()) co_return error(errc::invalid_argument, "this grant needs a source of assertions");
    auto asking = ask_source(core->options.assertion(), std::move(about), "the source of assertions");
    auto got = co_await within<secret>(core->io.time, patience, std::move(asking), "no assertion came in time", nullptr);
    co_return got;
  }
  auto asking = ask_source(idp->identity(), about, "the source of the user's identity");
  auto const identity = co_await within<secret>(core->io.time, patience, std::move(asking), "no identity came in time", nullptr);
  if (!identity) co_return identity.error();
  // The user chose it, so that it may be anywhere; but not in the clear.
  auto const named = http_url::parse(idp->token_endpoint());
  if (!named) co_return named.error();
  auto const endpoint = core->options.profile().policy.check(idp->token_endpoint(), *named);
  if (!endpoint) co_return endpoint.error();
  auto const method = choose_auth_method(idp->client(), std::nullopt);
  if (!method) co_return method.error();
  form_fields form;
  form.add("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange");
  form.add("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag");
  form.add("audience", about.issuer).add("resource", about.resource);
  if (!about.scope.empty()) form.add("scope", about.scope);
  form.add("subject_token", identity->reveal()).add("subject_token_type", idp->subject_token_type());
  auto at = core->endpoint(*endpoint, idp->client(), *method, idp->client().issuer(), nullptr);
  auto answer = co_await ask_for_tokens(core->io_for_provider(*endpoint, above), std::move(at), std::move(form));
  if (!answer) co_return answer.error();
  if (auto const* const refused = std::get_if<oauth_refusal>(&*answer)) co_return refused->as_error("the identity provider");
  auto const& tokens = std::get<token_set>(*answer);
  if (tokens.issued_token_type != "urn:ietf:params:oauth:token-type:id-jag") {
    co_return error(errc::protocol_violation, "the identity provider gave another token than the grant that was asked for");
  }
  co_return tokens.access_token;
}

// ---- The two halves ----

COMCP_LAZY_DECL asio::awaitable<result<pending_authorization>> begin_flow(core_ptr core, session_ptr s,
                                                                          std::string redirect_uri) {
  if (redirect_uri.empty()) co_return error(errc::invalid_argument, "begin() needs a redirect URI");
  auto work = begin_work(*core, *s, "begin");
  sansio::oauth_start start(s->server);
  start.challenge = co_await ask_for_challenge(core, s, work.context());
  start.granted_scope = oauth_detail::granted_before(*s);
  flow_run run(core, s, std::move(start));
  run.redirect_uri = std::move(redirect_uri);
  run.work = &work;
  co_await drive(run);
  using answer = result<pending_authorization>;
  if (run.flow.next() == oauth_detail::want::failed) co_return ended(work, answer(oauth_detail::failure_of(run)));
  if (run.flow.next() != oauth_detail::want::user) {
    error const why(errc::invalid_argument, "begin() is for a user's login, and this is a machine's grant");
    co_return ended(work, answer(why));
  }
  work.end();
  auto out = run.flow.pending();
  out.server = s->server.text();
  if (out.dpop) out.dpop_key = signing_key::generate().private_jwk();
  co_return out;
}

namespace oauth_detail {

inline std::string registered_by(oauth_profile const& profile, std::string const& id) {
  if (id == profile.client_metadata_url) return "metadata document";
  for (auto const& client : profile.clients) {
    if (client.id() == id) return "pre-registered";
  }
  return "dynamic";
}

inline sansio::oauth_grant grant_of(pending_authorization const& state, oauth_profile const& profile, token_set tokens) {
  sansio::oauth_grant out;
  out.scope = unite_scopes(state.scope, tokens.scope ? std::string_view(*tokens.scope) : std::string_view());
  out.tokens = std::move(tokens);
  out.client = state.client;
  out.registered_by = registered_by(profile, state.client.id());
  out.server = state.server;
  out.resource = state.resource;
  out.issuer = state.issuer.empty() ? state.client.issuer() : state.issuer;
  out.token_endpoint = state.token_endpoint;
  out.auth_method = state.auth_method;
  return out;
}

COMCP_LAZY inline asio::awaitable<result<void>> finish(core_ptr core, session_ptr s, pending_authorization state,
                                                       secret redirect, trace_context above) {
  auto const answer = read_redirect(state, redirect.reveal());
  if (!answer) co_return oauth_detail::without_secrets(answer.error(), state);
  if (auto const* const refused = std::get_if<oauth_refusal>(&*answer)) {
    co_return oauth_detail::without_secrets(refused->as_error("authorization"), state);
  }
  auto const endpoint = core->options.profile().policy.check(state.token_endpoint, s->server);
  if (!endpoint) co_return endpoint.error();
  std::shared_ptr<dpop_prover> prover;
  if (!state.dpop_key.empty()) {
    auto key = signing_key::load(private_key::jwk(state.dpop_key));
    if (!key) co_return key.error();
    prover = std::make_shared<dpop_prover>(std::move(*key));
  }
  form_fields form;
  form.add("grant_type", "authorization_code").add("code", std::get<secret>(*answer).reveal());
  form.add("redirect_uri", state.redirect_uri).add("code_verifier", state.verifier.reveal());
  if (!state.resource.empty()) form.add("resource", state.resource);
  auto at = core->endpoint(*endpoint, state.client, state.auth_method, state.issuer, prover.get());
  auto got = co_await ask_for_tokens(core->io_for(*s, above), std::move(at), std::move(form));
  if (!got) co_return got.error();
  if (auto const* const refused = std::get_if<oauth_refusal>(&*got)) {
    co_return oauth_detail::without_secrets(refused->as_error("the token endpoint"), state);
  }
  auto const usable = check_usable(std::get<token_set>(*got), state.dpop);
  if (!usable) co_return usable.error();
  oauth_record record;
  record.grant = oauth_detail::grant_of(state, core->options.profile(), std::get<token_set>(std::move(*got)));
  record.dpop_key = state.dpop_key;
  auto kept = co_await oauth_detail::keep_locked(core, s, std::move(record), prover);
  co_return kept;
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<void>> finish_flow(core_ptr core, session_ptr s, pending_authorization state,
                                                          secret redirect) {
  auto work = begin_work(*core, *s, "finish");
  auto done = co_await oauth_detail::finish(core, s, std::move(state), std::move(redirect), work.context());
  co_return ended(work, std::move(done));
}

}  // namespace comcp::detail
#endif

// auth/impl/oauth_renewal.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OAUTH_RENEWAL_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OAUTH_RENEWAL_IPP
#include <algorithm>
#include <utility>
#include <variant>

namespace comcp::detail {
namespace oauth_detail {

inline bool has_expired(oauth_core const& core, oauth_session const& s) {
  auto const& ends = s.record->grant.tokens.expires_at;
  return ends && *ends <= core.io.now();
}

// A machine asks again as it asked before. Not where the source may be a user.
inline bool asks_again(oauth_core const& core, oauth_record const& r) {
  auto const& profile = core.options.profile();
  bool const machine = profile.kind != oauth_profile::grant::authorization_code && !core.options.enterprise();
  auto const& clients = profile.clients;
  auto const& id = r.grant.client.id();
  bool const ours = std::any_of(clients.begin(), clients.end(), [&](oauth_client const& c) { return c.id() == id; });
  return machine && r.grant.tokens.refresh_token.empty() && !r.grant.token_endpoint.empty() && (ours || id.empty());
}

inline bool ends_soon(oauth_core const& core, oauth_session const& s) {
  if (!s.record || (s.record->grant.tokens.refresh_token.empty() && !asks_again(core, *s.record))) return false;
  auto const& ends = s.record->grant.tokens.expires_at;
  if (!ends) return false;
  auto const now = core.io.now();
  auto const& granted = s.record->granted_at;
  // One that lives no longer than refresh_ahead is not renewed with every request.
  if (granted && now < *granted + std::chrono::seconds(1)) return false;
  std::chrono::seconds const longest = std::chrono::hours(24 * 365);
  token_set::time_point::duration ahead = std::min(core.options.refresh_ahead(), longest);
  if (granted) ahead = std::min(ahead, (*ends - *granted) / 4);
  return *ends - now <= ahead;
}

// Tokens that were obtained elsewhere go to the server that asks first, and to no other.
inline void take_given(oauth_core& core, oauth_session& s) {
  auto given = std::exchange(core.given, std::nullopt);
  if (s.record || !given) return;
  oauth_record record;
  record.grant.server = s.server.text();
  record.grant.tokens = std::move(*given);
  install(s, std::move(record));
  s.stored = false;
}

// Where another process put other tokens than these, or logged out, that is what counts.
COMCP_LAZY inline asio::awaitable<result<bool>> take_newer(core_ptr core, session_ptr s, std::string than) {
  auto stored = co_await load_record(core, s);
  if (!stored) co_return stored.error();
  if (!*stored) {
    bool const gone = s->stored;
    if (gone) install(*s, std::nullopt);
    co_return gone;
  }
  auto const value = authorization_value(**stored);
  if (value == than || value == s->superseded) co_return false;
  install(*s, std::move(*stored));
  s->loaded = true;
  co_return true;
}

// Tokens from elsewhere do not say where they are renewed.
COMCP_LAZY inline asio::awaitable<result<oauth_record>> find_endpoint(core_ptr core, session_ptr s,
                                                                      oauth_record record, trace_context above) {
  auto const& profile = core->options.profile();
  sansio::oauth_discovery start(s->server, profile, std::nullopt);
  auto const io = core->io_for(*s, above);
  auto const machine = co_await run_discovery(io, std::move(start));
  auto const found = machine.found();
  if (!found) co_return found.error();
  auto const choice = sansio::choose_client(profile, *found);
  if (!choice) co_return choice.error();
  auto const of_tokens = co_await hold_to_issuer(core, sansio::server_binding(profile, *found, "tokens"));
  if (!of_tokens) co_return of_tokens.error();
  auto const of_client = co_await hold_to_issuer(core, sansio::client_binding(profile, *found, *choice));
  if (!of_client) co_return of_client.error();
  auto const issuer = sansio::issuer_key(*found);
  auto client = choice->client;
  if (!client) {
    auto const text = co_await load_text(core, core->client_name(issuer));
    if (!text) co_return text.error();
    if (!*text) co_return error(errc::unauthorized, "no client is known that could renew these tokens");
    auto read = oauth_client::from_json(**text);
    if (!read) co_return read.error();
    client = std::move(*read);
  }
  auto const& as = found->authorization_server;
  auto const method = choose_auth_method(*client, as.token_endpoint_auth_methods_supported);
  if (!method) co_return method.error();
  auto& g = record.grant;
  g.client = std::move(*client);
  g.registered_by = choice->registered_by.empty() ? std::string("dynamic") : choice->registered_by;
  g.resource = found->resource;
  g.issuer = issuer;
  g.token_endpoint = as.token_endpoint;
  g.revocation_endpoint = as.revocation_endpoint;
  g.auth_method = *method;
  co_return std::move(record);
}

inline bool may_pass(std::string const& code) {
  return code == "temporarily_unavailable" || code == "server_error" || code == "slow_down";
}

// Not if another process has replaced them meanwhile.
COMCP_LAZY inline asio::awaitable<result<void>> delete_refused(core_ptr core, session_ptr s, secret refresh_token) {
  auto const stored = co_await load_record(core, s);
  if (!stored) co_return stored.error();
  bool const replaced = *stored && (*stored)->grant.tokens.refresh_token != refresh_token &&
                        authorization_value(**stored) != s->superseded;
  if (replaced) {
    install(*s, *stored);
    co_return result<void>();
  }
  install(*s, std::nullopt);
  if (!*stored) co_return result<void>();
  auto removed = co_await remove_text(core, core->tokens_name(*s));
  co_return removed;
}

COMCP_LAZY inline asio::awaitable<result<void>> refused(core_ptr core, session_ptr s, oauth_record of,
                                                        oauth_refusal why) {
  bool const refresh = !of.grant.tokens.refresh_token.empty();  // else what there is may be good yet
  bool const client_gone = refresh && why.code == "invalid_client" && of.grant.registered_by == "dynamic";
  if (client_gone) co_await forget_client(core, of.grant.issuer, of.grant.client.id());
  if (client_gone || (refresh && why.code == "invalid_grant")) {
    auto deleted = co_await delete_refused(core, s, of.grant.tokens.refresh_token);
    co_return deleted;
  }
  auto const failure = why.as_error("renewing the token");
  if (may_pass(why.code)) co_return failure.with_code(make_error_code(errc::http_status));
  co_return failure;
}

COMCP_LAZY inline asio::awaitable<result<form_fields>> renewal_form(core_ptr core, oauth_record record, trace_context above) {
  auto const& g = record.grant;
  form_fields form;
  if (!g.tokens.refresh_token.empty()) {
    form.add("grant_type", "refresh_token").add("refresh_token", g.tokens.refresh_token.reveal());
  } else if (core->options.profile().kind == oauth_profile::grant::client_credentials) {
    form.add("grant_type", "client_credentials");
  } else {
    grant_request about;
    about.issuer = g.issuer;
    about.resource = g.resource;
    about.scope = g.scope;
    auto asking = grant_assertion(core, std::move(about), above);
    // Not longer, as others wait for the lock.
    auto const got = co_await within<secret>(core->io.time, core->io.timeout, std::move(asking),
                                             "no assertion came in time", nullptr);
    if (!got) co_return got.error();
    form.add("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer").add("assertion", got->reveal());
  }
  if (g.tokens.refresh_token.empty() && !g.scope.empty()) form.add("scope", g.scope);
  if (!g.resource.empty()) form.add("resource", g.resource);
  co_return std::move(form);
}

COMCP_LAZY inline asio::awaitable<result<void>> refresh_now(core_ptr core, session_ptr s, trace_context above) {
  auto record = *s->record;
  auto const prover = s->prover;
  if (record.grant.token_endpoint.empty()) {
    auto found = co_await find_endpoint(core, s, record, above);
    if (!found) co_return found.error();
    record = std::move(*found);
  }
  auto const endpoint = core->options.profile().policy.check(record.grant.token_endpoint, s->server);
  if (!endpoint) co_return endpoint.error();
  auto form = co_await renewal_form(core, record, above);
  if (!form) co_return form.error();
  auto at = core->endpoint(*endpoint, record.grant.client, record.grant.auth_method, record.grant.issuer, prover.get());
  auto answer = co_await ask_for_tokens(core->io_for(*s, above), std::move(at), std::move(*form));
  if (!answer) co_return answer.error();
  if (auto const* const why = std::get_if<oauth_refusal>(&*answer)) {
    auto outcome = co_await refused(core, s, std::move(record), *why);
    co_return outcome;
  }
  auto& fresh = std::get<token_set>(*answer);
  auto const usable = check_usable(fresh, prover != nullptr);
  if (!usable) co_return usable.error();
  if (fresh.refresh_token.empty()) fresh.refresh_token = record.grant.tokens.refresh_token;
  if (!fresh.scope) fresh.scope = record.grant.tokens.scope;
  record.grant.tokens = std::move(fresh);
  auto kept = co_await keep_record(core, s, std::move(record));
  s->unproven = true;
  co_return kept;
}

// Under the lock, as a refresh token that rotates is good for one request of one process.
COMCP_LAZY inline asio::awaitable<result<void>> refresh(core_ptr core, session_ptr s) {
  auto const before = authorization_value(*s);
  auto const held = co_await lock_name(core, core->tokens_name(*s));
  if (!held) co_return held.error();
  auto const newer = co_await take_newer(core, s, before);
  if (!newer) co_return newer.error();
  bool const done = *newer && !ends_soon(*core, *s);
  if (done || !s->record) co_return result<void>();
  if (s->record->grant.tokens.refresh_token.empty() && !asks_again(*core, *s->record)) co_return result<void>();
  auto work = begin_work(*core, *s, "refresh");
  auto refreshed = co_await refresh_now(core, s, work.context());
  co_return ended(work, std::move(refreshed));
}

COMCP_LAZY inline asio::awaitable<result<void>> load_and_refresh(core_ptr core, session_ptr s) {
  if (!s->loaded) {
    auto const loaded = co_await load_session(core, s);
    if (!loaded) co_return loaded.error();
  }
  if (!ends_soon(*core, *s)) co_return result<void>();
  auto refreshed = co_await refresh(core, s);
  if (!refreshed) s->renew_after = core->io.now() + std::chrono::seconds(10);
  co_return refreshed;
}

COMCP_LAZY inline asio::awaitable<result<void>> replace(core_ptr core, session_ptr s, std::string refused_value) {
  auto const newer = co_await take_newer(core, s, refused_value);
  if (!newer) co_return newer.error();
  if (*newer || !s->record || s->record->grant.tokens.refresh_token.empty() || s->unproven) co_return result<void>();
  auto refreshed = co_await refresh(core, s);
  co_return refreshed;
}

// What a login was finished with does not say where tokens are revoked.
COMCP_LAZY inline asio::awaitable<std::string> revocation_endpoint(core_ptr core, session_ptr s, std::string issuer) {
  sansio::oauth_discovery start(s->server, core->options.profile(), std::nullopt);
  auto const io = core->io_for(*s);
  auto const machine = co_await run_discovery(io, std::move(start));
  auto const found = machine.found();
  if (!found || sansio::issuer_key(*found) != issuer) co_return std::string();
  co_return found->authorization_server.revocation_endpoint;
}

// As far as it goes: the tokens are deleted here whatever comes of it.
COMCP_LAZY inline asio::awaitable<void> revoke_all(core_ptr core, session_ptr s, oauth_record record) {
  auto const& g = record.grant;
  auto url = g.revocation_endpoint;
  if (url.empty() && !g.issuer.empty()) url = co_await revocation_endpoint(core, s, g.issuer);
  if (url.empty()) co_return;
  auto const endpoint = core->options.profile().policy.check(url, s->server);
  if (!endpoint) co_return;
  // With the refresh token goes all that was granted with it; not every server says so.
  for (bool whole = true;; whole = false) {
    auto const& token = whole ? g.tokens.refresh_token : g.tokens.access_token;
    if (!token.empty()) {
      form_fields form;
      form.add("token", token.reveal()).add("token_type_hint", whole ? "refresh_token" : "access_token");
      auto at = core->endpoint(*endpoint, g.client, g.auth_method, g.issuer, nullptr);
      (void)co_await post_form(core->io_for(*s), std::move(at), std::move(form));
    }
    if (!whole) co_return;
  }
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<void>> load_session(core_ptr core, session_ptr s) {
  auto stored = co_await load_record(core, s);
  if (s->loaded) co_return result<void>();  // somebody else did
  if (!stored) co_return stored.error();
  install(*s, std::move(*stored));
  oauth_detail::take_given(*core, *s);
  s->loaded = true;
  co_return result<void>();
}

COMCP_LAZY_DECL bool must_prepare(oauth_core const& core, oauth_session const& s) {
  if (!s.loaded || s.renewing) return true;
  if (s.renew_after && core.io.now() < *s.renew_after) {
    // A machine's next 401 leads to a flow, which is counted.
    return s.record && !s.record->grant.tokens.refresh_token.empty() && oauth_detail::has_expired(core, s);
  }
  return oauth_detail::ends_soon(core, s);
}

COMCP_LAZY_DECL asio::awaitable<result<void>> prepare(core_ptr core, session_ptr s) {
  auto work = oauth_detail::load_and_refresh(core, s);
  auto const ready = co_await fly(s, &oauth_session::renewing, std::move(work));
  if (ready) co_return result<void>();
  // What is still good goes on. After a refusal the old token goes on, too: the server's 401 leads to a flow.
  bool const refused = ready.error() == errc::unauthorized;
  bool const usable = s->loaded && s->record && (refused || !oauth_detail::has_expired(*core, *s));
  if (usable) co_return result<void>();
  co_return ready.error();
}

COMCP_LAZY_DECL asio::awaitable<result<void>> renew(core_ptr core, session_ptr s, std::string refused) {
  auto work = oauth_detail::replace(core, s, std::move(refused));
  auto done = co_await fly(s, &oauth_session::renewing, std::move(work));
  co_return done;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> forget(core_ptr core, session_ptr s) {
  auto const name = core->tokens_name(*s);
  auto const held = co_await lock_name(core, name);
  auto stored = co_await load_record(core, s);
  bool const ours = !stored || *stored;  // not that of another client
  auto const record = stored && *stored ? *stored : s->record;
  install(*s, std::nullopt);
  core->given.reset();
  s->loaded = true;
  s->attempts = 0;
  result<void> removed;
  if (ours) removed = co_await remove_text(core, name);
  if (record) co_await oauth_detail::revoke_all(core, s, *record);
  co_return removed;
}

}  // namespace comcp::detail
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/oauth.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OAUTH_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OAUTH_IPP

namespace comcp {
namespace oauth_detail {

using detail::core_ptr;
using detail::session_ptr;

// Throws for what is no URL.
inline session_ptr session_of(core_ptr const& core, std::string const& server) {
  return core->session(http_url::parse(server).value());
}

COMCP_LAZY inline asio::awaitable<result<void>> whole_flow(core_ptr core, session_ptr s) {
  auto challenge = co_await detail::ask_for_challenge(core, s);
  auto done = co_await detail::authorize(core, s, std::move(challenge), false);
  co_return done;
}

COMCP_LAZY inline asio::awaitable<void> login(core_ptr core, std::string server) {
  auto const s = session_of(core, server);
  s->attempts = s->visits = 0;
  // What was granted before may be there. If it cannot be read, the login replaces it.
  if (!s->loaded) (void)co_await detail::load_session(core, s);
  auto work = whole_flow(core, s);
  auto const done = co_await detail::fly(s, &detail::oauth_session::authorizing, std::move(work));
  done.value();
  s->attempts = s->visits = 0;
}

COMCP_LAZY inline asio::awaitable<started_login> begin(core_ptr core, std::string server, std::string redirect_uri) {
  auto const s = session_of(core, server);
  auto begun = co_await detail::begin_flow(core, s, std::move(redirect_uri));
  auto state = std::move(begun).value();
  auto url = state.url().value();
  co_return started_login(std::move(url), std::move(state));
}

// In a coroutine of its own: a code is good for one request.
COMCP_LAZY inline asio::awaitable<void> finish(core_ptr core, pending_authorization state, secret redirect) {
  auto const s = session_of(core, state.server);
  auto work = detail::finish_flow(core, s, std::move(state), std::move(redirect));
  auto const flight = co_await detail::take_off(std::move(work));
  auto const done = co_await detail::landed(flight);
  done.value();
  s->attempts = s->visits = 0;
}

COMCP_LAZY inline asio::awaitable<void> logout(core_ptr core, std::string server) {
  auto const s = session_of(core, server);
  auto const flight = co_await detail::take_off(detail::forget(core, s));
  auto const done = co_await detail::landed(flight);
  done.value();
}

COMCP_LAZY inline asio::awaitable<std::optional<login_status>> status(core_ptr core, std::string server) {
  auto const s = session_of(core, server);
  auto stored = co_await detail::load_record(core, s);
  if (!stored) throw exception(stored.error());
  auto record = std::move(*stored);
  if (!record && !s->stored) record = s->record;  // not stored at all, or not yet
  if (!record) co_return std::nullopt;
  auto const& g = record->grant;
  login_status out;
  out.server = s->server.text();
  out.resource = g.resource;
  out.issuer = g.issuer;
  out.client_id = g.client.id();
  out.scope = g.tokens.scope ? *g.tokens.scope : g.scope;
  out.registered_by = g.registered_by;
  out.expires_at = g.tokens.expires_at;
  out.has_refresh_token = !g.tokens.refresh_token.empty();
  out.dpop = g.tokens.token_type == "DPoP";
  co_return out;
}

}  // namespace oauth_detail

COMCP_LAZY_DECL oauth::oauth(oauth_options options) : core_(std::make_shared<detail::oauth_core>(std::move(options))) {}

COMCP_LAZY_DECL asio::awaitable<void> oauth::login(std::string_view server) {
  return oauth_detail::login(core_, std::string(server));
}

COMCP_LAZY_DECL asio::awaitable<started_login> oauth::begin(std::string_view server, std::string redirect_uri) {
  return oauth_detail::begin(core_, std::string(server), std::move(redirect_uri));
}

COMCP_LAZY_DECL asio::awaitable<void> oauth::finish(pending_authorization state, secret redirect) {
  return oauth_detail::finish(core_, std::move(state), std::move(redirect));
}

COMCP_LAZY_DECL asio::awaitable<void> oauth::logout(std::string_view server) {
  return oauth_detail::logout(core_, std::string(server));
}

COMCP_LAZY_DECL asio::awaitable<std::optional<login_status>> oauth::status(std::string_view server) {
  return oauth_detail::status(core_, std::string(server));
}

COMCP_LAZY_DECL asio::awaitable<result<http_headers>> oauth::headers(auth_request const& request) {
  return detail::headers_for(core_, request.server, request.url, std::string(request.method));
}

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> oauth::challenged(auth_request const& request,
                                                                        http_headers const& sent,
                                                                        http_response_head const& got) {
  auto const* const used = sent.find("Authorization");
  return detail::answer_challenge(core_, request.server, request.url, used ? *used : std::string(), got);
}

COMCP_LAZY_DECL void oauth::observed(auth_request const& request, http_response_head const& got) noexcept {
  try {
    if (!same_origin(request.server, request.url)) return;
    auto const s = core_->session(request.server);
    if (s->prover) s->prover->observed(request.url, got.headers);
    if (got.status != 401) s->unproven = false;
    if (got.status < 300 && request.challenges > 0) s->attempts = 0;
  } catch (...) {
    // Out of memory: the next answer is told again.
  }
}

COMCP_LAZY_DECL std::string oauth::identity() const { return "oauth " + std::to_string(core_->number); }

COMCP_LAZY_DECL std::vector<std::string> oauth::extensions() const {
  std::vector<std::string> out;
  auto const& o = core_->options;
  if (o.enterprise()) {
    out.emplace_back("io.modelcontextprotocol/enterprise-managed-authorization");
  } else if (o.profile().kind == oauth_profile::grant::client_credentials) {
    out.emplace_back("io.modelcontextprotocol/oauth-client-credentials");
  }
  return out;
}

}  // namespace comcp
#endif
#endif
#endif

// auth/oauth_steps.hpp
#if !defined(COMCP_SINGLE_AUTH_OAUTH_STEPS_HPP)
#define COMCP_SINGLE_AUTH_OAUTH_STEPS_HPP
// Each step of a flow as a function of its own, for programs that are in charge of theirs. oauth is made of them.
// All throw comcp::exception, errc::unauthorized where a server refused, with what it said.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp::oauth_steps {

/// Resource and authorization server of an MCP server. The challenge of its 401 shortens the way.
COMCP_LAZY asio::awaitable<sansio::discovered> discover(oauth_sender send, http_url server,
                                                        oauth_profile profile = oauth_profile(),
                                                        std::optional<auth_challenge> challenge = std::nullopt);
/// A registration at a server's endpoint.
COMCP_LAZY asio::awaitable<oauth_client> register_client(oauth_sender send, http_url endpoint, std::string issuer,
                                                         client_metadata about);
/// The authorization request: its url() is for the browser, the rest must be kept. Throws what is refused: an endpoint that
/// the policy does not let pass, PKCE without S256, another server's client, one with a secret and no issuer, a redirect URI that is neither loopback nor https.
COMCP_LAZY pending_authorization authorization_request(sansio::discovered const& at, oauth_client client,
                                                       std::string redirect_uri, std::string scope,
                                                       endpoint_policy policy = endpoint_policy());
/// Tokens for the code of a redirect.
COMCP_LAZY asio::awaitable<token_set> exchange_code(oauth_sender send, token_endpoint at, pending_authorization pending,
                                                    secret redirect);
/// New tokens for a refresh token. Where the answer has no refresh token, the old one goes on. errc::unauthorized with
/// "invalid_grant" in its text says that it is worthless.
COMCP_LAZY asio::awaitable<token_set> refresh(oauth_sender send, token_endpoint at, secret refresh_token,
                                              std::string resource, std::string scope = {});
COMCP_LAZY asio::awaitable<token_set> client_credentials(oauth_sender send, token_endpoint at, std::string resource,
                                                         std::string scope = {});
COMCP_LAZY asio::awaitable<token_set> jwt_bearer(oauth_sender send, token_endpoint at, secret assertion,
                                                 std::string resource, std::string scope = {});

/// Options of a token exchange (RFC 8693). Regular.
struct exchange_request {
  exchange_request(secret subject, std::string subject_type) : subject_token(std::move(subject)), subject_token_type(std::move(subject_type)) {}
  secret subject_token;
  std::string subject_token_type;
  std::string requested_token_type, audience, resource, scope;  ///< Left out where empty.
};
COMCP_LAZY asio::awaitable<token_set> exchange_token(oauth_sender send, token_endpoint at, exchange_request what);
/// RFC 7009; a server that knows the token no more is content.
COMCP_LAZY asio::awaitable<void> revoke(oauth_sender send, token_endpoint at, secret token,
                                        std::string token_type_hint = {});

}  // namespace comcp::oauth_steps

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/oauth_steps.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_OAUTH_STEPS_IPP)
#define COMCP_SINGLE_AUTH_IMPL_OAUTH_STEPS_IPP
#include <utility>
#include <variant>

namespace comcp::oauth_steps {

namespace step_detail {

inline form_fields grant_form(std::string_view type, std::string const& resource, std::string const& scope) {
  form_fields form;
  form.add("grant_type", type);
  if (!resource.empty()) form.add("resource", resource);
  if (!scope.empty()) form.add("scope", scope);
  return form;
}

COMCP_LAZY inline asio::awaitable<token_set> tokens(oauth_sender send, token_endpoint at, form_fields form) {
  auto answer = co_await detail::ask_for_tokens(detail::oauth_io(std::move(send)), std::move(at), std::move(form));
  if (!answer) throw exception(answer.error());
  if (auto const* const refused = std::get_if<oauth_refusal>(&*answer)) throw exception(refused->as_error("the token endpoint"));
  co_return std::get<token_set>(std::move(*answer));
}

}  // namespace step_detail

COMCP_LAZY_DECL asio::awaitable<sansio::discovered> discover(oauth_sender send, http_url server, oauth_profile profile,
                                                             std::optional<auth_challenge> challenge) {
  sansio::oauth_discovery machine(std::move(server), profile, challenge);
  machine = co_await detail::run_discovery(detail::oauth_io(std::move(send)), std::move(machine));
  co_return machine.found().value();
}

COMCP_LAZY_DECL asio::awaitable<oauth_client> register_client(oauth_sender send, http_url endpoint, std::string issuer,
                                                              client_metadata about) {
  detail::oauth_io const io(std::move(send));
  auto const got = co_await detail::send_one(io, detail::json_request(std::move(endpoint), about.to_json()));
  if (!got) throw exception(got.error());
  auto answer = read_registration_answer(got->status, got->body, std::move(issuer), io.now()).value();
  if (auto const* const refused = std::get_if<oauth_refusal>(&answer)) throw exception(refused->as_error("registration"));
  co_return std::get<oauth_client>(std::move(answer));
}

COMCP_LAZY_DECL pending_authorization authorization_request(sansio::discovered const& at, oauth_client client,
                                                            std::string redirect_uri, std::string scope,
                                                            endpoint_policy policy) {
  auto const& as = at.authorization_server;
  if (as.authorization_endpoint.empty() || as.token_endpoint.empty()) {
    throw exception(error(errc::unauthorized, "the authorization server has no authorization or no token endpoint"));
  }
  if (!as.supports_s256()) throw exception(error(errc::unauthorized, "the authorization server does not support PKCE with S256"));
  if (!client.issuer().empty() && client.issuer() != as.issuer) {
    throw exception(error(errc::unauthorized, "the client is registered with another authorization server, " + client.issuer() +
                                                  ", and not with " + sansio::detail::shown(as.issuer)));
  }
  bool const has_proof = !client.client_secret().empty() || client.key();
  if (has_proof && client.issuer().empty()) {
    throw exception(error(errc::unauthorized, "a client with a secret or a key needs the issuer that it is registered with"));
  }
  pending_authorization out;
  out.server = at.server;
  out.resource = at.resource;
  out.issuer = as.issuer;
  out.iss_required = as.authorization_response_iss_parameter_supported;
  auto const server = http_url::parse(at.server).value();
  out.authorization_endpoint = policy.check(as.authorization_endpoint, server).value().text();
  out.token_endpoint = policy.check(as.token_endpoint, server).value().text();
  sansio::check_redirect_uri(redirect_uri).value();
  out.auth_method = choose_auth_method(client, as.token_endpoint_auth_methods_supported).value();
  out.client = std::move(client);
  out.redirect_uri = std::move(redirect_uri);
  out.scope = std::move(scope);
  out.state = secret(random_token());
  out.verifier = secret(random_token());
  return out;
}

COMCP_LAZY_DECL asio::awaitable<token_set> exchange_code(oauth_sender send, token_endpoint at,
                                                         pending_authorization pending, secret redirect) {
  auto const named = http_url::parse(pending.token_endpoint);
  if (!named || !(*named == at.url())) {
    throw exception(error(errc::invalid_argument, "this is not the token endpoint that the authorization was asked for"));
  }
  auto answer = read_redirect(pending, redirect.reveal()).value();
  if (auto const* const refused = std::get_if<oauth_refusal>(&answer)) throw exception(refused->as_error("authorization"));
  auto form = step_detail::grant_form("authorization_code", pending.resource, {});
  form.add("code", std::get<secret>(answer).reveal());
  form.add("redirect_uri", pending.redirect_uri);
  form.add("code_verifier", pending.verifier.reveal());
  auto got = co_await step_detail::tokens(std::move(send), std::move(at), std::move(form));
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<token_set> refresh(oauth_sender send, token_endpoint at, secret refresh_token,
                                                   std::string resource, std::string scope) {
  auto form = step_detail::grant_form("refresh_token", resource, scope);
  form.add("refresh_token", refresh_token.reveal());
  auto got = co_await step_detail::tokens(std::move(send), std::move(at), std::move(form));
  if (got.refresh_token.empty()) got.refresh_token = std::move(refresh_token);
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<token_set> client_credentials(oauth_sender send, token_endpoint at,
                                                              std::string resource, std::string scope) {
  auto form = step_detail::grant_form("client_credentials", resource, scope);
  auto got = co_await step_detail::tokens(std::move(send), std::move(at), std::move(form));
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<token_set> jwt_bearer(oauth_sender send, token_endpoint at, secret assertion,
                                                      std::string resource, std::string scope) {
  auto form = step_detail::grant_form("urn:ietf:params:oauth:grant-type:jwt-bearer", resource, scope);
  form.add("assertion", assertion.reveal());
  auto got = co_await step_detail::tokens(std::move(send), std::move(at), std::move(form));
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<token_set> exchange_token(oauth_sender send, token_endpoint at, exchange_request what) {
  auto form = step_detail::grant_form("urn:ietf:params:oauth:grant-type:token-exchange", what.resource, what.scope);
  if (!what.requested_token_type.empty()) form.add("requested_token_type", what.requested_token_type);
  if (!what.audience.empty()) form.add("audience", what.audience);
  form.add("subject_token", what.subject_token.reveal());
  form.add("subject_token_type", what.subject_token_type);
  auto got = co_await step_detail::tokens(std::move(send), std::move(at), std::move(form));
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<void> revoke(oauth_sender send, token_endpoint at, secret token,
                                             std::string token_type_hint) {
  form_fields form;
  form.add("token", token.reveal());
  if (!token_type_hint.empty()) form.add("token_type_hint", token_type_hint);
  auto const got = co_await detail::post_form(detail::oauth_io(std::move(send)), std::move(at), std::move(form));
  if (!got) throw exception(got.error());
  if (got->status >= 400) {
    throw exception(error(errc::unauthorized, "the token was not revoked: HTTP status " + std::to_string(got->status)));
  }
}

}  // namespace comcp::oauth_steps
#endif
#endif
#endif
#endif

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
