// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp 0.1.0, servers over HTTP. Written by tools/amalgamate: change the files under include/ instead.
//
// Header-only as it is. To compile comcp once, define COMCP_SEPARATE_COMPILATION in every source, and in one of them
// COMCP_IMPLEMENTATION before its first include of comcp: that source holds all of the single headers that it includes,
// and Asio's definitions too where ASIO_SEPARATE_COMPILATION is defined.
#if defined(COMCP_HTTP_HPP)
#if defined(COMCP_IMPLEMENTATION) && !defined(COMCP_IMPLEMENTED)
#error "comcp: this source included comcp before it defined COMCP_IMPLEMENTATION."
#endif
#else
#define COMCP_HTTP_HPP

#include <comcp/comcp.hpp>

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

// http.hpp
#if !defined(COMCP_SINGLE_HTTP_HPP)
#define COMCP_SINGLE_HTTP_HPP
// Servers over HTTP, beside all of comcp.hpp: comcp::http(url), credentials in headers, sessions that are saved. Apart,
// since it is a quarter of what a compiler would have to read.

// transport/http.hpp
#if !defined(COMCP_SINGLE_TRANSPORT_HTTP_HPP)
#define COMCP_SINGLE_TRANSPORT_HTTP_HPP
// MCP over HTTP as most users want it: comcp::http(url), on the bundled engine. Other engines: streamable_http.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// auth/bearer.hpp
#if !defined(COMCP_SINGLE_AUTH_BEARER_HPP)
#define COMCP_SINGLE_AUTH_BEARER_HPP
// A bearer token that the user has, or gets somewhere. Discovery, registration and grants are for oauth.

#include <functional>
#include <memory>
#include <string>

#include <asio/awaitable.hpp>

// auth/authenticator.hpp
#if !defined(COMCP_SINGLE_AUTH_AUTHENTICATOR_HPP)
#define COMCP_SINGLE_AUTH_AUTHENTICATOR_HPP
// The authorization seam: which headers a request gets, and what a 401 or 403 means. And no_auth, which has nothing
// to say. Specification: 2026-07-28, basic/authorization

#include <concepts>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

namespace comcp {

/// What an authenticator is told of a request. The views are valid for the call and what it awaits.
struct auth_request {
  auth_request(http_url const& endpoint, http_url const& where, std::string_view how, unsigned before)
      : server(endpoint), url(where), method(how), challenges(before) {}
  http_url const& server;     ///< The MCP endpoint as the user gave it.
  http_url const& url;        ///< Where this request goes: of the same origin.
  std::string_view method;  ///< "POST", "GET" or "DELETE".
  unsigned challenges;      ///< How often this very request was challenged before.
};

/// What to do after a 401 or 403.
enum class auth_verdict { give_up, try_again };

/// Decides headers, and what a challenge means. Asked on the client's executor for every request, GET and DELETE too;
/// several requests may ask at once. `sent` are the headers that it gave for the request that failed.
/// An error from either ends the request with it; a challenge is put to it three times at most.
/// Where there is observed(request, head), it is told of every answer, in time for the next request; it must not throw.
/// Where there is extensions(), giving a std::vector<std::string>, these are declared as capabilities of the client.
/// identity() is an opaque key for caches and pools: equal where the credentials are; it never reveals them.
template <class A>
concept authenticator = std::move_constructible<A> &&
    requires(A a, A const& ca, auth_request const& r, http_headers const& sent, http_response_head const& got) {
      { a.headers(r) } -> std::same_as<asio::awaitable<result<http_headers>>>;
      { a.challenged(r, sent, got) } -> std::same_as<asio::awaitable<result<auth_verdict>>>;
      { ca.identity() } -> std::same_as<std::string>;
    };

/// Sends nothing and gives up.
class no_auth {
 public:
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const&);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const&, http_headers const&,
                                                                 http_response_head const&);
  [[nodiscard]] std::string identity() const { return {}; }
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/authenticator.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_AUTHENTICATOR_IPP)
#define COMCP_SINGLE_AUTH_IMPL_AUTHENTICATOR_IPP

namespace comcp {

COMCP_LAZY_DECL asio::awaitable<result<http_headers>> no_auth::headers(auth_request const&) { co_return http_headers(); }

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> no_auth::challenged(auth_request const&, http_headers const&,
                                                                     http_response_head const&) {
  co_return auth_verdict::give_up;
}

}  // namespace comcp
#endif
#endif
#endif

// secret.hpp
#if !defined(COMCP_SINGLE_SECRET_HPP)
#define COMCP_SINGLE_SECRET_HPP
// A text that must not be shown: tokens, passwords, credentials.

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace comcp {

namespace detail {
/// Overwrites all that the string holds, which no optimizer may leave out, and empties it.
inline void wipe(std::string& text) noexcept {
  text.resize(text.capacity());  // what a longer text left behind, too
  for (char volatile& c : text) c = '\0';
  text.clear();
}
}  // namespace detail

/// Prints as ***. Regular; reveal() is the one way to the text. Its memory is overwritten when it ends or is replaced; what
/// reveal() was copied to is the copier's, and so are the header and the form that carry it.
class secret {
 public:
  secret() = default;
  explicit secret(std::string text) noexcept : text_(std::move(text)) {}
  secret(secret const&) = default;
  secret(secret&& other) noexcept : text_(std::move(other.text_)) { detail::wipe(other.text_); }
  secret& operator=(secret const& other) { return *this = secret(other); }
  secret& operator=(secret&& other) noexcept {
    if (this == &other) return *this;
    detail::wipe(text_);
    text_ = std::move(other.text_);
    detail::wipe(other.text_);
    return *this;
  }
  ~secret() { detail::wipe(text_); }

  [[nodiscard]] std::string const& reveal() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

  friend bool operator==(secret const&, secret const&) = default;
  friend std::ostream& operator<<(std::ostream& out, secret const&) { return out << "***"; }

 private:
  std::string text_;
};

namespace detail {
/// Takes as long wherever they differ.
inline bool same_secret(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  unsigned char volatile different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different = static_cast<unsigned char>(different | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  return different == 0;
}
}  // namespace detail

}  // namespace comcp
#endif

namespace comcp {

/// Why a token is asked for.
enum class token_need {
  first,    ///< There is none yet.
  refused,  ///< The server refused the last one with a 401.
};

/// Gives a token; called on the client's executor, one call at a time. What it throws, and an empty token, end the
/// requests that wait for it with errc::unauthorized (a comcp::exception with its own error).
using token_source = std::function<asio::awaitable<secret>(token_need)>;

/// Sends `Authorization: Bearer`. With a source, a 401 asks it for another token, once for each request, and all
/// requests that wait share the answer. Copies share the token, and are one identity: keep one for connections that may
/// share what is learned, on one executor.
class bearer {
 public:
  COMCP_LAZY explicit bearer(secret token);
  explicit bearer(std::string token) : bearer(secret(std::move(token))) {}
  COMCP_LAZY explicit bearer(token_source source);

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const& request);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const& request, http_headers const& sent,
                                                                 http_response_head const& got);
  COMCP_LAZY [[nodiscard]] std::string identity() const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/bearer.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_BEARER_IPP)
#define COMCP_SINGLE_AUTH_IMPL_BEARER_IPP
#include <atomic>
#include <optional>
#include <utility>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

namespace comcp {

struct bearer::state {
  explicit state(secret t, token_source s) : token(std::move(t)), source(std::move(s)) {
    static std::atomic<std::uint64_t> count{0};
    number = ++count;
  }

  // Asks the source in a coroutine of its own, so that cancelling one of those who wait does not end it for all.
  COMCP_LAZY static asio::awaitable<result<void>> renew(std::shared_ptr<state> self, token_need need) {
    if (!self->asking) {
      auto const executor = co_await asio::this_coro::executor;
      self->asking.emplace(executor, asio::steady_timer::time_point::max());
      auto work = ask(self, need);
      detail::spawn(executor, std::move(work));
    }
    auto const round = self->rounds;
    while (self->asking && self->rounds == round) co_await net::async_wait(*self->asking);
    if (self->failure) co_return self->failure;
    co_return result<void>();
  }

  // Lets those go on who wait, also when the coroutine is destroyed.
  struct end_of_round {
    explicit end_of_round(state& s) noexcept : of(s) {}
    end_of_round(end_of_round const&) = delete;
    end_of_round& operator=(end_of_round const&) = delete;
    ~end_of_round() {
      ++of.rounds;
      auto const waiting = std::exchange(of.asking, std::nullopt);
    }
    state& of;
  };

  COMCP_LAZY static asio::awaitable<void> ask(std::shared_ptr<state> self, token_need need) {
    end_of_round const at_the_end(*self);
    error failure;
    secret fresh;
    try {
      fresh = co_await self->source(need);
      if (fresh.empty()) failure = error(errc::unauthorized, "the token source gave no token");
    } catch (exception const& e) {
      failure = e.error();
    } catch (...) {
      failure = error(errc::unauthorized, "the token source failed");
    }
    if (!failure) self->token = std::move(fresh);
    self->failure = std::move(failure);
  }

  secret token;
  token_source source;
  std::uint64_t number = 0;
  std::uint64_t rounds = 0;
  std::optional<asio::steady_timer> asking;  // while the source is asked; ends when it answered
  error failure;                             // of the last time
};

COMCP_LAZY_DECL bearer::bearer(secret token) : state_(std::make_shared<state>(std::move(token), token_source())) {}
COMCP_LAZY_DECL bearer::bearer(token_source source) : state_(std::make_shared<state>(secret(), std::move(source))) {}

COMCP_LAZY_DECL asio::awaitable<result<http_headers>> bearer::headers(auth_request const&) {
  auto const s = state_;
  if (s->token.empty() && s->source) {
    auto const got = co_await state::renew(s, token_need::first);
    if (!got) co_return got.error();
  }
  http_headers out;
  auto const added = out.add("Authorization", "Bearer " + s->token.reveal());
  if (!added) co_return error(errc::invalid_argument, "the token has characters that no header carries");
  co_return out;
}

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> bearer::challenged(auth_request const& request, http_headers const& sent,
                                                                    http_response_head const& got) {
  auto const s = state_;
  bool const again = request.challenges > 0;
  if (got.status != 401 || !s->source) co_return auth_verdict::give_up;
  auto const* const header = sent.find("Authorization");
  auto const used = header ? *header : std::string();
  bool const is_current = used == "Bearer " + s->token.reveal();
  if (again && is_current) co_return auth_verdict::give_up;
  if (!is_current) co_return auth_verdict::try_again;  // another request has renewed it meanwhile
  auto const renewed = co_await state::renew(s, token_need::refused);
  if (!renewed) co_return renewed.error();
  bool const is_new = used != "Bearer " + s->token.reveal();
  co_return is_new ? auth_verdict::try_again : auth_verdict::give_up;
}

COMCP_LAZY_DECL std::string bearer::identity() const { return "bearer " + std::to_string(state_->number); }

}  // namespace comcp
#endif
#endif
#endif

// http/default_engine.hpp
#if !defined(COMCP_SINGLE_HTTP_DEFAULT_ENGINE_HPP)
#define COMCP_SINGLE_HTTP_DEFAULT_ENGINE_HPP
// The engine that comcp takes where the user names none: with TLS where the build has it.

#include <memory>
#include <utility>

// http/asio_engine.hpp
#if !defined(COMCP_SINGLE_HTTP_ASIO_ENGINE_HPP)
#define COMCP_SINGLE_HTTP_ASIO_ENGINE_HPP
// HTTP/1.1 on one Asio executor: exchanges on connections that are kept between them.

#include <cstddef>
#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

// http/any_engine.hpp
#if !defined(COMCP_SINGLE_HTTP_ANY_ENGINE_HPP)
#define COMCP_SINGLE_HTTP_ANY_ENGINE_HPP
// Any engine behind one type, so that what speaks MCP over HTTP is no template.

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

// http/body.hpp
#if !defined(COMCP_SINGLE_HTTP_BODY_HPP)
#define COMCP_SINGLE_HTTP_BODY_HPP
// The bytes of a body that is read whole: one block, read into without being cleared before. Internal.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace comcp {

/// Moves; what was moved from is empty.
class http_body {
 public:
  static constexpr std::size_t spare = 64;  ///< Readable bytes behind the end, for parsers that look ahead.

  http_body() = default;
  http_body(http_body&& other) noexcept { swap(other); }
  http_body& operator=(http_body&& other) noexcept {
    http_body(std::move(other)).swap(*this);
    return *this;
  }

  [[nodiscard]] char const* data() const noexcept { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get(), size_}; }

  /// Room for so many bytes in all. Memory that is large grows without being copied, where the system can do that.
  void reserve(std::size_t bytes) {
    if (bytes <= capacity_) return;
    auto* const grown = static_cast<char*>(std::realloc(bytes_.get(), bytes + spare));
    if (grown == nullptr) throw std::bad_alloc();
    (void)bytes_.release();
    bytes_.reset(grown);
    capacity_ = bytes;
  }
  /// Where the next `n` bytes go; append() takes them then without copying.
  char* room(std::size_t n) {
    if (n > capacity_ - size_) reserve(std::max(size_ + n, 2 * capacity_));
    return bytes_.get() + size_;
  }
  void append(std::string_view piece) {
    if (piece.empty()) return;
    auto* const at = room(piece.size());
    if (piece.data() != at) std::memcpy(at, piece.data(), piece.size());
    size_ += piece.size();
  }
  /// What is small is kept for the next body.
  void clear() noexcept {
    size_ = 0;
    if (capacity_ > kept) http_body().swap(*this);
  }
  void swap(http_body& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  static constexpr std::size_t kept = std::size_t{64} << 10;
  struct free_it {
    void operator()(char* p) const noexcept { std::free(p); }
  };

  std::unique_ptr<char, free_it> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;  // without the spare bytes
};

}  // namespace comcp
#endif

// http/engine.hpp
#if !defined(COMCP_SINGLE_HTTP_ENGINE_HPP)
#define COMCP_SINGLE_HTTP_ENGINE_HPP
// The engine seam: what carries HTTP. An engine knows no MCP, no authorization, follows no redirect and keeps no
// cookie; what a status means is decided above it.

#include <concepts>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

namespace comcp {

/// A response whose head has come. next() gives the body in pieces as they arrive, without their transfer encoding and
/// untouched otherwise; an empty piece is its end, and stays so. A piece is valid until the next call. Destroying a
/// response before its end abandons the exchange, which the server sees as a closed connection (or stream).
template <class R>
concept http_response = std::move_constructible<R> && requires(R r, R const& c) {
  { c.head() } -> std::same_as<http_response_head const&>;
  { r.next() } -> std::same_as<asio::awaitable<result<std::string_view>>>;
};

/// Carries any number of exchanges at once. Used from one executor, that of the coroutine which calls open().
///
/// open() sends the request and completes with the final response's head (1xx are skipped), whatever its status. Its
/// awaitable, and the responses, need the engine no more: destroying it ends them with errc::closed.
/// Both open() and next() can be cancelled at any moment (cancellation_type::terminal), which abandons the exchange
/// and ends them with errc::cancelled or with Asio's own exception.
///
/// Errors: invalid_argument (a request that no line can carry), queue_full (too many exchanges at once),
/// connect_failed, connect_timeout, tls_failed, proxy_failed: nothing was sent. response_timeout, idle_timeout,
/// exchange_timeout, limit_exceeded, protocol_violation (malformed HTTP), transport_failed (the connection broke): the
/// server may have acted.
/// No error text or detail holds a header value, a query or a body of the request.
template <class E>
concept engine = std::move_constructible<E> && http_response<typename E::response> && requires(E e, http_request r) {
  { e.open(std::move(r)) } -> std::same_as<asio::awaitable<result<typename E::response>>>;
};

}  // namespace comcp
#endif

// http/request_writer.hpp
#if !defined(COMCP_SINGLE_HTTP_REQUEST_WRITER_HPP)
#define COMCP_SINGLE_HTTP_REQUEST_WRITER_HPP
// Writes the head of one HTTP/1.1 request, and refuses what no line can carry or what belongs to the framing.

#include <memory>
#include <string>
#include <string_view>

namespace comcp {

/// How a request goes through an http proxy: it names the whole URL, and says who asks.
class proxy_form {
 public:
  proxy_form() {}
  bool absolute = false;
  std::string authorization;  ///< Value of Proxy-Authorization; empty for none.
};

/// Fields that many requests have in common: the request's own go behind them.
using common_headers = std::shared_ptr<http_headers const>;

namespace http_detail {
bool have_name_in_common(http_headers const& a, http_headers const& b) noexcept;
/// The common ones first, but those that have the same name as one of `own`.
void put_below(http_headers const& common, http_headers& own);

/// The lines of such fields, written once for as long as they are the same.
class common_lines {
 public:
  /// errc::invalid_argument as check_request() gives it.
  result<std::string_view> of(common_headers const& headers);

 private:
  common_headers of_;
  std::string lines_;
};
}  // namespace http_detail

/// errc::invalid_argument for a method that is no token, control characters in a value, and the fields that
/// write_request_head() writes (Host, Content-Length, Transfer-Encoding, Connection); it quotes no value.
result<void> check_request(http_request const& request);

/// The head with its blank line: request line, Host, common_lines (each begins with CR LF), the request's own fields, Content-Length where there is a body or
/// the method usually has one (POST, PUT, PATCH). Precondition: check_request() found nothing.
std::string write_request_head(http_request const& request, proxy_form const& proxy = proxy_form(),
                               std::string_view common_lines = {});

/// Whether a request with this method may be sent twice (RFC 9110, section 9.2.2).
bool is_idempotent(std::string_view method) noexcept;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/request_writer.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_REQUEST_WRITER_IPP)
#define COMCP_SINGLE_HTTP_IMPL_REQUEST_WRITER_IPP
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace comcp {
namespace http_detail {

inline constexpr std::array<std::string_view, 4> framing_fields = {"host", "content-length", "transfer-encoding",
                                                                   "connection"};

constexpr bool names_field(std::string_view name, std::string_view lower) noexcept {
  return std::equal(name.begin(), name.end(), lower.begin(), lower.end(), [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x | 0x20) : x) == y;
  });
}

constexpr bool has_control(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

COMCP_DECL result<void> check_fields(http_headers const& headers);

inline void append_number(std::string& out, std::size_t n) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
}

}  // namespace http_detail

COMCP_DECL result<void> http_detail::check_fields(http_headers const& headers) {
  for (auto const& field : headers) {
    bool const framing = std::any_of(http_detail::framing_fields.begin(), http_detail::framing_fields.end(),
                                     [&](std::string_view own) { return http_detail::names_field(field.name, own); });
    if (framing) return error(errc::invalid_argument, "the header " + field.name + " is the engine's own");
    if (http_detail::has_control(field.value))
      return error(errc::invalid_argument, "the value of header " + field.name + " has control characters");
  }
  return {};
}

COMCP_DECL bool http_detail::have_name_in_common(http_headers const& a, http_headers const& b) noexcept {
  return std::any_of(b.begin(), b.end(), [&](http_field const& f) { return a.contains(f.name); });
}

COMCP_DECL void http_detail::put_below(http_headers const& common, http_headers& own) {
  http_headers all = common;
  for (auto const& field : own) all.remove(field.name);
  for (auto const& field : own) (void)all.add(field.name, field.value);
  own = std::move(all);
}

COMCP_DECL result<void> check_request(http_request const& request) {
  if (!is_http_token(request.method)) return error(errc::invalid_argument, "the method of a request is not a token");
  return http_detail::check_fields(request.headers);
}

COMCP_DECL result<std::string_view> http_detail::common_lines::of(common_headers const& headers) {
  if (headers == of_) return std::string_view(lines_);
  auto const checked = check_fields(*headers);
  if (!checked) return checked.error();
  lines_.clear();
  for (auto const& field : *headers) lines_.append("\r\n").append(field.name).append(": ").append(field.value);
  of_ = headers;
  return std::string_view(lines_);
}

COMCP_DECL std::string write_request_head(http_request const& request, proxy_form const& proxy,
                                          std::string_view common_lines) {
  constexpr std::size_t usual = 256, usual_body = 2048;  // the body goes behind it
  std::string out;
  out.reserve(usual + common_lines.size() + std::min(request.body.size(), usual_body));
  auto const& url = request.url;
  out.append(request.method).append(" ");
  if (proxy.absolute) out += url.origin();
  out += url.path();
  if (url.query()) out.append("?").append(*url.query());
  out.append(" HTTP/1.1\r\nHost: ").append(url.host());
  if (!url.has_default_port()) http_detail::append_number(out.append(":"), url.port());
  out += common_lines;
  for (auto const& field : request.headers) out.append("\r\n").append(field.name).append(": ").append(field.value);
  if (!proxy.authorization.empty()) out.append("\r\nProxy-Authorization: ").append(proxy.authorization);
  auto const& m = request.method;
  if (!request.body.empty() || m == "POST" || m == "PUT" || m == "PATCH")
    http_detail::append_number(out.append("\r\nContent-Length: "), request.body.size());
  out += "\r\n\r\n";
  return out;
}

COMCP_DECL bool is_idempotent(std::string_view method) noexcept {
  constexpr std::array<std::string_view, 6> all = {"GET", "HEAD", "OPTIONS", "DELETE", "PUT", "TRACE"};
  return std::find(all.begin(), all.end(), method) != all.end();
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// A response of any engine: one allocation.
class any_response {
 public:
  any_response() = default;  ///< None.
  template <class R>
    requires(!std::same_as<R, any_response>)
  explicit any_response(R r) : self_(std::make_unique<model<R>>(std::move(r))) {}

  explicit operator bool() const noexcept { return self_ != nullptr; }
  void reset() noexcept { self_.reset(); }

  // Precondition of all: there is one.
  [[nodiscard]] http_response_head const& head() const noexcept { return self_->head(); }
  [[nodiscard]] asio::awaitable<result<std::string_view>> next() { return self_->next(); }
  /// What of the body is here already goes behind `to`, up to `most` bytes in all, more being errc::limit_exceeded.
  /// Nothing where more is to come: read() waits for that.
  [[nodiscard]] std::optional<result<void>> take(http_body& to, std::size_t most) { return self_->take(to, most); }
  [[nodiscard]] asio::awaitable<result<void>> read(http_body& to, std::size_t most) { return self_->read(to, most); }

 private:
  struct base {
    virtual ~base() = default;
    [[nodiscard]] virtual http_response_head const& head() const noexcept = 0;
    virtual asio::awaitable<result<std::string_view>> next() = 0;
    virtual std::optional<result<void>> take(http_body& to, std::size_t most) = 0;
    virtual asio::awaitable<result<void>> read(http_body& to, std::size_t most) = 0;
  };
  template <class R>
  struct model;

  std::unique_ptr<base> self_;
};

namespace http_detail {

/// Who is told what came of a request that no coroutine waits for.
class response_sink {
 public:
  using response = any_response;
  static constexpr bool keeps_signal = true;  ///< That of its slot, like the request.

  /// Once, on the executor, never from inside start(); not where its io_context is destroyed first.
  virtual void came(result<any_response> r) = 0;
  /// Not once its slot was used: the exchange may have been between two operations then.
  [[nodiscard]] virtual bool is_waiting() const noexcept = 0;

 protected:
  ~response_sink() = default;
};

/// A sink that is a T: what of it is virtual is said here, so that a T is compiled by who makes one.
template <class T>
class response_sink_of : public response_sink {
  void came(result<any_response> r) override { static_cast<T&>(*this).has_come(std::move(r)); }
  [[nodiscard]] bool is_waiting() const noexcept override { return static_cast<T const&>(*this).awaits(); }
};

inline error body_too_long() { return error(errc::limit_exceeded, "the body is longer than http_options().max_body()"); }

/// What engines may have beyond their concept: responses that read a body to its place.
template <class R>
concept reads_whole = requires(R& r, http_body& to, std::size_t most) {
  { r.take(to, most) } -> std::same_as<std::optional<result<void>>>;
  { r.read(to, most) } -> std::same_as<asio::awaitable<result<void>>>;
};

template <class R>
asio::awaitable<result<void>> read_pieces(R& from, http_body& to, std::size_t most) {
  for (;;) {
    auto const piece = co_await from.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return result<void>();
    if (to.size() + piece->size() > most) co_return body_too_long();
    to.append(*piece);
  }
}

}  // namespace http_detail

template <class R>
struct any_response::model final : base {
  explicit model(R&& r) : of(std::move(r)) {}
  [[nodiscard]] http_response_head const& head() const noexcept override { return of.head(); }
  asio::awaitable<result<std::string_view>> next() override { return of.next(); }
  std::optional<result<void>> take(http_body& to, std::size_t most) override {
    if constexpr (http_detail::reads_whole<R>) return of.take(to, most);
    else return std::nullopt;
  }
  asio::awaitable<result<void>> read(http_body& to, std::size_t most) override {
    if constexpr (http_detail::reads_whole<R>) return of.read(to, most);
    else return http_detail::read_pieces(of, to, most);
  }
  R of;
};

/// Any engine, which others may share: one virtual call for each exchange. Satisfies `engine` itself.
class any_engine {
 public:
  using response = any_response;

  template <class E>
  explicit any_engine(std::shared_ptr<E> e) : self_(std::make_shared<model<E>>(std::move(e))) {}

  [[nodiscard]] asio::awaitable<result<any_response>> open(http_request r) { return self_->open(std::move(r), nullptr); }
  /// With fields that other requests have too, where the request has none of the same name: some engines write them once.
  [[nodiscard]] asio::awaitable<result<any_response>> open(http_request r, common_headers common) {
    return self_->open(std::move(r), std::move(common));
  }
  /// Begins the same on that executor, without a coroutine, where the engine can; otherwise false, and nothing has
  /// happened. The sink keeps the request and the slot's signal. The slot cancels, until the sink is told.
  [[nodiscard]] bool start(asio::any_io_executor const& on, http_request const& r, common_headers const& common,
                           asio::cancellation_slot slot, std::shared_ptr<http_detail::response_sink> to) {
    return self_->start(on, r, common, slot, std::move(to));
  }
  /// Closes kept connections, where the engine can: they would keep an io_context at work.
  void close_idle() { self_->close_idle(); }

 private:
  struct base {
    virtual ~base() = default;
    virtual asio::awaitable<result<any_response>> open(http_request&&, common_headers&&) = 0;
    virtual bool start(asio::any_io_executor const&, http_request const&, common_headers const&,
                       asio::cancellation_slot, std::shared_ptr<http_detail::response_sink>&&) = 0;
    virtual void close_idle() = 0;
  };

  template <class E>
  struct model final : base {
    explicit model(std::shared_ptr<E> e) : of(std::move(e)) {}
    asio::awaitable<result<any_response>> open(http_request&& r, common_headers&& common) override {
      bool const differs = common && http_detail::have_name_in_common(*common, r.headers);
      if constexpr (requires { of->template open_as<any_response>(std::move(r), std::move(common)); }) {
        // No coroutine around its own.
        if (!differs) return of->template open_as<any_response>(std::move(r), std::move(common));
      }
      if (common) http_detail::put_below(*common, r.headers);
      return erased(of->open(std::move(r)));
    }
    bool start(asio::any_io_executor const& on, http_request const& r, common_headers const& common,
               asio::cancellation_slot slot, std::shared_ptr<http_detail::response_sink>&& to) override {
      if constexpr (requires { of->start(on, r, common, slot, std::move(to)); }) {
        if (common && http_detail::have_name_in_common(*common, r.headers)) return false;
        return of->start(on, r, common, slot, std::move(to));
      } else {
        return false;
      }
    }
    void close_idle() override {
      if constexpr (requires { of->close_idle(); }) of->close_idle();
    }
    static asio::awaitable<result<any_response>> erased(asio::awaitable<result<typename E::response>> opening) {
      auto opened = co_await std::move(opening);
      if (!opened) co_return opened.error();
      co_return any_response(std::move(*opened));
    }
    std::shared_ptr<E> of;
  };

  std::shared_ptr<base> self_;
};

static_assert(engine<any_engine>);

}  // namespace comcp
#endif

// http/asio_engine_options.hpp
#if !defined(COMCP_SINGLE_HTTP_ASIO_ENGINE_OPTIONS_HPP)
#define COMCP_SINGLE_HTTP_ASIO_ENGINE_OPTIONS_HPP
// What can be set for the Asio engines: how long, how many, how large. Where connections come from is the connector's.

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

// http/response_parser.hpp
#if !defined(COMCP_SINGLE_HTTP_RESPONSE_PARSER_HPP)
#define COMCP_SINGLE_HTTP_RESPONSE_PARSER_HPP
// Takes one HTTP/1.1 response apart as its bytes come: head, body without its framing, end. It is strict where a
// peer that reads otherwise could be told something else; what to do with the connection is for others.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace comcp {

/// What a response may be at most. Whatever is more is errc::limit_exceeded, and its text names the limit.
class response_limits {
 public:
  response_limits() {}
  /// Header fields of a head, those of the interim responses before it and of the trailer included: 100.
  response_limits& headers(std::size_t n) { return headers_ = n, *this; }
  /// Bytes of one line of a head, a trailer or a chunk size: 16 KiB.
  response_limits& line(std::size_t bytes) { return line_ = bytes, *this; }
  /// Bytes of the head, interim responses and trailer included: 64 KiB. As many more, and 16 for each byte of data, may
  /// be sizes and extensions of chunks.
  response_limits& head(std::size_t bytes) { return head_ = bytes, *this; }
  /// Bytes of the body: 64 MiB. An event stream (text/event-stream) may be of any length.
  response_limits& body(std::uint64_t bytes) { return body_ = bytes, *this; }

  [[nodiscard]] std::size_t headers() const noexcept { return headers_; }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] std::size_t head() const noexcept { return head_; }
  [[nodiscard]] std::uint64_t body() const noexcept { return body_; }

 private:
  std::size_t headers_ = 100;
  std::size_t line_ = std::size_t{16} << 10;
  std::size_t head_ = std::size_t{64} << 10;
  std::uint64_t body_ = std::uint64_t{64} << 20;
};

namespace http_detail {

/// Cuts bytes into lines. It copies those that come in pieces.
class line_cutter {
 public:
  /// The next line, without LF; nothing until it has come.
  [[nodiscard]] std::optional<std::string_view> next(std::string_view& bytes);
  /// The start of a line whose rest has not come.
  [[nodiscard]] std::string_view held() const noexcept { return held_; }

 private:
  std::string held_;
  std::string line_;  // a line that was held
};

/// What a head says of the connection. Specification: RFC 9112, section 9.3
struct connection_wishes {
  bool one_dot_zero = false;  ///< Of the status line; the others are of the fields.
  bool keep = false;
  std::optional<std::chrono::seconds> keep_alive;

  void read(http_headers const& headers);
};

}  // namespace http_detail

/// Incremental parser of one response. It copies the head and what an unfinished line needs, and no body.
///
///     std::string_view bytes = ...;
///     for (;;) switch (p.next(bytes)) {
///       case progress::more: ...     // all bytes are used; on the end of the connection call finish()
///       case progress::head: ...     // once: p.head()
///       case progress::body: ...     // p.body(), a part of what `bytes` was
///       case progress::end: ...      // what is left in `bytes` is no part of the response
///       case progress::failed: ...   // p.failure(), and so for ever
///     }
///
/// Interim responses (1xx) are passed over, trailers are checked and dropped.
/// Specification: RFC 9112, sections 4 to 7 and 9.
class response_parser {
 public:
  enum class progress { more, head, body, end, failed };

  /// `method` is that of the request: what it is decides whether a body follows.
  explicit response_parser(std::string_view method = "GET", response_limits limits = response_limits())
      : limits_(limits), without_body_(method == "HEAD") {}

  /// Takes what it can from the front of `bytes`, up to the next thing to tell.
  progress next(std::string_view& bytes);
  /// The connection ended: `end` where that ends the body, otherwise `failed` with errc::transport_failed.
  progress finish();

  /// Precondition: next() gave `head`. It may be moved out.
  [[nodiscard]] http_response_head& head() noexcept { return head_; }
  /// The piece that next() gave last, valid as long as the bytes it was given.
  [[nodiscard]] std::string_view body() const noexcept { return body_; }
  /// errc::protocol_violation, errc::limit_exceeded or errc::transport_failed, with the status where it is known.
  /// It quotes no value of a header. Precondition: next() or finish() gave `failed`.
  [[nodiscard]] error const& failure() const noexcept { return failure_; }

  /// Whether any byte of a response came.
  [[nodiscard]] bool started() const noexcept { return started_; }
  [[nodiscard]] bool ended() const noexcept { return at_ == part::done; }
  /// Whether the head says text/event-stream.
  [[nodiscard]] bool event_stream() const noexcept { return event_stream_; }
  /// Whether the connection may carry another request once the response has ended.
  [[nodiscard]] bool keeps_connection() const noexcept { return connection_.keep && ended(); }
  /// `timeout` of the Keep-Alive header: how long the server keeps an idle connection.
  [[nodiscard]] std::optional<std::chrono::seconds> keep_alive() const noexcept { return connection_.keep_alive; }
  /// So many bytes at least that come next are body, 0 where that is not known, once next() gave `more`. Of a body that
  /// ends with the connection: as many as came of it.
  [[nodiscard]] std::uint64_t certain() const noexcept;

 private:
  enum class part {
    status, fields, known_length, until_close, chunk_size, chunk_data, chunk_end, trailer, done, failed
  };

  progress step(std::string_view& bytes);
  progress line(std::string_view text);
  progress status_line(std::string_view text);
  progress field_line(std::string_view text);
  progress end_of_head();
  progress choose_framing();
  progress chunk_size_line(std::string_view text);
  progress chunk_end(std::string_view& bytes);
  progress piece(std::string_view& bytes);
  progress count_body(std::uint64_t more);
  [[nodiscard]] bool whole_line(std::string_view& bytes, std::string_view& out);
  progress fail(errc code, std::string text);
  progress violation(std::string text) { return fail(errc::protocol_violation, std::move(text)); }

  response_limits limits_;
  http_response_head head_;
  std::string_view body_;
  http_detail::line_cutter lines_;
  std::uint64_t left_ = 0;      // of the body or chunk
  std::uint64_t body_bytes_ = 0;
  std::uint64_t chunk_lines_ = 0;  // how many bytes of chunk sizes and extensions may still come
  std::size_t head_bytes_ = 0;
  std::size_t fields_ = 0;
  http_detail::connection_wishes connection_;
  error failure_;
  part at_ = part::status;
  bool without_body_;
  bool started_ = false;
  bool event_stream_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/response_parser.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_RESPONSE_PARSER_IPP)
#define COMCP_SINGLE_HTTP_IMPL_RESPONSE_PARSER_IPP
#include <algorithm>
#include <limits>
#include <utility>

namespace comcp {
namespace http_detail::response_text {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

constexpr char lower_case(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

constexpr bool same_word(std::string_view a, std::string_view lower) noexcept {
  return a.size() == lower.size() &&
         std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) { return lower_case(x) == y; });
}

constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// A number of decimal digits alone; nothing where it is none or does not fit.
constexpr std::optional<std::uint64_t> whole_number(std::string_view text) noexcept {
  if (text.empty()) return {};
  std::uint64_t out = 0;
  for (char const c : text) {
    if (!is_digit(c)) return {};
    auto const digit = static_cast<std::uint64_t>(c - '0');
    if (out > (std::numeric_limits<std::int64_t>::max() - digit) / 10) return {};
    out = out * 10 + digit;
  }
  return out;
}

/// Calls `each` with every element of a comma-separated list.
void for_each_element(std::string_view list, auto&& each) {
  while (!list.empty()) {
    auto const comma = std::min(list.find(','), list.size());
    each(trimmed(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace http_detail::response_text

COMCP_DECL response_parser::progress response_parser::fail(errc code, std::string text) {
  at_ = part::failed;
  failure_ = error(code, std::move(text));
  if (head_.status != 0) {
    transport_detail detail;
    detail.http_status = head_.status;
    failure_ = failure_.with_detail(std::move(detail));
  }
  return progress::failed;
}

COMCP_DECL response_parser::progress response_parser::next(std::string_view& bytes) {
  for (;;) {
    if (at_ == part::done) return progress::end;
    if (at_ == part::failed) return progress::failed;
    if (bytes.empty()) return progress::more;
    started_ = true;
    auto const told = step(bytes);
    if (told != progress::more) return told;
  }
}

COMCP_DECL response_parser::progress response_parser::finish() {
  if (at_ == part::until_close) at_ = part::done;
  if (at_ == part::done) return progress::end;
  if (at_ == part::failed) return progress::failed;
  if (!started_) return fail(errc::transport_failed, "the server closed the connection before its response");
  bool const in_head = at_ == part::status || at_ == part::fields;
  return fail(errc::transport_failed, in_head ? "the connection ended within the head of a response"
                                              : "the connection ended within the body of a response");
}

COMCP_DECL response_parser::progress response_parser::step(std::string_view& bytes) {
  switch (at_) {
    case part::known_length:
    case part::until_close:
    case part::chunk_data: return piece(bytes);
    case part::chunk_end: return chunk_end(bytes);
    default: break;
  }
  std::string_view text;
  if (!whole_line(bytes, text)) return at_ == part::failed ? progress::failed : progress::more;
  return line(text);
}

COMCP_DECL std::optional<std::string_view> http_detail::line_cutter::next(std::string_view& bytes) {
  auto const end = bytes.find('\n');
  auto const piece = bytes.substr(0, end);
  bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  if (end == bytes.npos) return held_ += piece, std::nullopt;
  if (held_.empty()) return piece;
  line_ = std::exchange(held_, {}).append(piece);
  return line_;
}

// A line that ends with LF alone is taken in heads, as RFC 9112 (section 2.2) allows, but not between chunks.
COMCP_DECL bool response_parser::whole_line(std::string_view& bytes, std::string_view& out) {
  auto const most = limits_.line() - lines_.held().size();
  if (bytes.size() > most && bytes.substr(0, most + 1).find('\n') == bytes.npos)
    return fail(errc::limit_exceeded, "a line of the response is longer than the limit of line bytes"), false;
  auto const line = lines_.next(bytes);
  if (at_ == part::status && !std::string_view("HTTP/").starts_with((line ? *line : lines_.held()).substr(0, 5)))
    return violation("what came is no HTTP response"), false;
  if (!line) return false;
  out = *line;
  bool const with_return = out.ends_with('\r');
  if (with_return) out.remove_suffix(1);
  if (!with_return && at_ == part::chunk_size) return violation("the line of a chunk size ends without CR"), false;
  if (out.find('\r') != out.npos) return violation("a line of the response has a CR inside"), false;
  if (at_ == part::chunk_size) return true;
  head_bytes_ += out.size() + 2;
  if (head_bytes_ > limits_.head())
    return fail(errc::limit_exceeded, "the head of the response is longer than the limit of head bytes"), false;
  return true;
}

COMCP_DECL response_parser::progress response_parser::line(std::string_view text) {
  switch (at_) {
    case part::status: return status_line(text);
    case part::chunk_size: return chunk_size_line(text);
    default: break;
  }
  if (!text.empty()) return field_line(text);
  if (at_ == part::fields) return end_of_head();
  at_ = part::done;
  return progress::end;
}

COMCP_DECL response_parser::progress response_parser::status_line(std::string_view text) {
  using http_detail::response_text::is_digit;
  bool const good = text.size() >= 12 && text.starts_with("HTTP/1.") && is_digit(text[7]) && text[8] == ' ' &&
                    is_digit(text[9]) && is_digit(text[10]) && is_digit(text[11]) &&
                    (text.size() == 12 || text[12] == ' ') && text.find('\0') == text.npos;
  if (!good) return violation("the status line is not one of HTTP/1.1");
  auto const status = (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
  if (status < 100 || status > 599) return violation("the status is not between 100 and 599");
  connection_.one_dot_zero = text[7] == '0';
  head_.status = status;
  head_.reason = text.substr(std::min<std::size_t>(13, text.size()));
  at_ = part::fields;
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::field_line(std::string_view text) {
  if (++fields_ > limits_.headers())
    return fail(errc::limit_exceeded, "the response has more header fields than the limit of headers");
  if (text[0] == ' ' || text[0] == '\t') return violation("a header field goes on in a second line");
  auto const colon = text.find(':');
  if (colon == text.npos) return violation("a header field has no colon");
  auto const name = text.substr(0, colon);
  auto const value = text.substr(colon + 1);
  if (at_ == part::trailer) {
    if (is_http_token(name) && value.find('\0') == value.npos) return progress::more;
    return violation("a field of the trailer is malformed");
  }
  auto const added = head_.headers.add(std::string(name), value);
  if (!added) return violation("a header field is malformed");
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::end_of_head() {
  if (head_.status == 101) return violation("the server switched protocols, which nobody asked for");
  if (head_.status < 200) {
    head_ = http_response_head();
    at_ = part::status;
    return progress::more;
  }
  event_stream_ = has_media_type(head_.headers, "text/event-stream");
  connection_.read(head_.headers);
  auto const failed = choose_framing();
  return failed == progress::failed ? failed : progress::head;
}

COMCP_DECL void http_detail::connection_wishes::read(http_headers const& headers) {
  using namespace response_text;
  bool close = false, asked = false;
  for (auto const& field : headers) {
    if (same_word(field.name, "connection")) {
      for_each_element(field.value, [&](std::string_view word) {
        close = close || same_word(word, "close");
        asked = asked || same_word(word, "keep-alive");
      });
    } else if (same_word(field.name, "keep-alive")) {
      for_each_element(field.value, [&](std::string_view word) {
        if (word.size() < 8 || !same_word(word.substr(0, 8), "timeout=")) return;
        constexpr std::uint64_t longest = 1'000'000;
        if (auto const n = whole_number(word.substr(8))) keep_alive = std::chrono::seconds(std::min(*n, longest));
      });
    }
  }
  keep = !close && (!one_dot_zero || asked);
}

// RFC 9112, section 6.3. Two lengths are refused even where they are equal, as RFC 9110, section 8.6 allows.
COMCP_DECL response_parser::progress response_parser::choose_framing() {
  using http_detail::response_text::same_word;
  std::string const* length_text = nullptr;
  std::string const* coding = nullptr;
  bool several_lengths = false, several_codings = false;
  for (auto const& field : head_.headers) {
    if (same_word(field.name, "content-length")) several_lengths = std::exchange(length_text, &field.value) || several_lengths;
    if (same_word(field.name, "transfer-encoding")) several_codings = std::exchange(coding, &field.value) || several_codings;
  }
  if (coding && length_text) return violation("Content-Length and Transfer-Encoding in one response");
  if (several_lengths) return violation("more than one Content-Length");
  if (coding && (several_codings || !same_word(*coding, "chunked")))
    return violation("a Transfer-Encoding other than chunked");
  if (coding && connection_.one_dot_zero) return violation("Transfer-Encoding in a response of HTTP/1.0");
  if (length_text) {
    auto const length = http_detail::response_text::whole_number(*length_text);
    if (!length) return violation("a malformed Content-Length");
    left_ = *length;
  }
  if (without_body_ || head_.status == 204 || head_.status == 304) {
    at_ = part::done;
    // A 204 has no body; one that announces it may send it as well.
    if (head_.status == 204 && (left_ != 0 || coding)) connection_.keep = false;
  } else if (coding) {
    at_ = part::chunk_size;
    chunk_lines_ = limits_.head();
  } else if (length_text) {
    at_ = left_ == 0 ? part::done : part::known_length;
    return count_body(left_);
  } else {
    at_ = part::until_close;
    connection_.keep = false;
  }
  return progress::more;
}

COMCP_DECL std::uint64_t response_parser::certain() const noexcept {
  switch (at_) {
    case part::known_length: return left_;
    // What is not much is read with the sizes around it.
    case part::chunk_data: return left_ < (std::uint64_t{64} << 10) ? 0 : left_;
    case part::until_close: return body_bytes_;
    default: return 0;
  }
}

COMCP_DECL response_parser::progress response_parser::count_body(std::uint64_t more) {
  if (event_stream_) return progress::more;
  if (more > limits_.body() - body_bytes_)
    return fail(errc::limit_exceeded, "the body of the response is longer than the limit of body bytes");
  body_bytes_ += more;
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::chunk_size_line(std::string_view text) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < text.size(); ++digits) {
    char const c = http_detail::response_text::lower_case(text[digits]);
    bool const letter = c >= 'a' && c <= 'f';
    if (!letter && !http_detail::response_text::is_digit(c)) break;
    if (size >> 59 != 0) return violation("a chunk size that is too large");
    size = size << 4 | static_cast<std::uint64_t>(letter ? c - 'a' + 10 : c - '0');
  }
  auto const rest = http_detail::response_text::trimmed(text.substr(digits));
  bool const extended = rest.starts_with(';') && rest.find('\0') == rest.npos;
  if (digits == 0 || (digits != text.size() && !extended)) return violation("a malformed chunk size");
  auto const overhead = text.size() + 4;
  if (overhead > chunk_lines_)
    return fail(errc::limit_exceeded, "sizes and extensions of chunks exceed head bytes and 16 for each byte of data");
  chunk_lines_ -= overhead;
  constexpr std::uint64_t plenty = std::uint64_t{1} << 32;  // and no overflow
  if (chunk_lines_ < plenty) chunk_lines_ += 16 * std::min(size, plenty);
  if (size == 0) return at_ = part::trailer, progress::more;
  at_ = part::chunk_data;
  left_ = size;
  return count_body(size);
}

COMCP_DECL response_parser::progress response_parser::chunk_end(std::string_view& bytes) {
  // left_ counts what is missing of CR LF.
  if (bytes[0] != (left_ == 2 ? '\r' : '\n')) return violation("a chunk does not end where its size says");
  bytes.remove_prefix(1);
  if (--left_ == 0) at_ = part::chunk_size;
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::piece(std::string_view& bytes) {
  if (at_ == part::until_close) {
    body_ = std::exchange(bytes, {});
    auto const counted = count_body(body_.size());
    return counted == progress::failed ? counted : progress::body;
  }
  body_ = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  bytes.remove_prefix(body_.size());
  left_ -= body_.size();
  if (left_ == 0 && at_ == part::chunk_data) {
    left_ = 2;
    at_ = part::chunk_end;
  } else if (left_ == 0) {
    at_ = part::done;
  }
  return progress::body;
}

}  // namespace comcp
#endif
#endif
#endif

// net/resolver.hpp
#if !defined(COMCP_SINGLE_NET_RESOLVER_HPP)
#define COMCP_SINGLE_NET_RESOLVER_HPP
// From a host name to its addresses. The system's lookup cannot be cancelled, so that nobody waits for it: it runs
// detached, and what comes late is dropped. Templates, so that only who resolves pays for them.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/error.hpp>
#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

namespace comcp::net {

/// Addresses with their port, in the order in which they are to be tried.
using endpoints = std::vector<asio::ip::tcp::endpoint>;

/// The addresses that are tried at most, however many a name has.
inline constexpr std::size_t max_addresses = 16;

/// Whether a connection may be made to this address. Empty: to all.
using address_filter = std::function<bool(asio::ip::address const&)>;

/// Looks a name up and calls `done` once, on the executor, then or later. It may be called after nobody waits any more.
using lookup_done = std::function<void(std::error_code, endpoints)>;
using lookup_function =
    std::function<void(asio::any_io_executor on, std::string host, std::uint16_t port, lookup_done done)>;

/// The lookup_function of the system: getaddrinfo, on a thread that Asio keeps for each context. One name that takes
/// long delays the others of its context, and the end of the context waits until getaddrinfo has returned.
template <class Executor = asio::any_io_executor>
void system_lookup(Executor on, std::string host, std::uint16_t port, lookup_done done) {
  using resolver = asio::ip::basic_resolver<asio::ip::tcp, Executor>;
  auto const asked = std::make_shared<resolver>(std::move(on));
  auto finish = [asked, done = std::move(done)](std::error_code ec, typename resolver::results_type found) {
    endpoints out;
    for (auto const& entry : found) {
      if (out.size() < max_addresses) out.push_back(entry.endpoint());
    }
    done(ec, std::move(out));
  };
  asked->async_resolve(host, std::to_string(port), resolver::numeric_service, std::move(finish));
}

namespace detail {

/// Of localhost and what is below it: no server of names is asked for them (RFC 6761, section 6.3).
inline bool is_local_name(std::string_view host) noexcept {
  constexpr std::string_view name = "localhost";
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.size() < name.size()) return false;
  auto const end = host.substr(host.size() - name.size());
  bool const same = std::equal(end.begin(), end.end(), name.begin(), [](char c, char lower) { return (c | 0x20) == lower; });
  return same && (host.size() == name.size() || host[host.size() - name.size() - 1] == '.');
}

struct lookup_wait {
  explicit lookup_wait(asio::any_io_executor const& on) : bell(on, asio::steady_timer::time_point::max()) {}

  void end(std::error_code why, endpoints addresses) {
    if (std::exchange(over, true)) return;
    ec = why;
    found = std::move(addresses);
    bell.cancel();
  }

  asio::steady_timer bell;
  bool over = false;
  std::error_code ec;
  endpoints found;
};

}  // namespace detail

/// The addresses of a host, one at least. An IP literal (without brackets) is its own address and asks nobody, nor do
/// localhost and names below it, which are ::1 and 127.0.0.1.
/// Errors: connect_failed (no such name, or the lookup failed; with the system's words), connect_timeout at `until`,
/// cancelled.
template <class Executor = asio::any_io_executor>
asio::awaitable<result<endpoints>> resolve(lookup_function lookup, std::string host, std::uint16_t port,
                                           std::shared_ptr<time_source> time, time_source::time_point until) {
  Executor const on = co_await asio::this_coro::executor;
  std::error_code no_literal;
  auto const literal = asio::ip::make_address(host, no_literal);
  if (!no_literal) co_return endpoints(1, asio::ip::tcp::endpoint(literal, port));
  if (detail::is_local_name(host)) {
    endpoints here;
    here.emplace_back(asio::ip::address_v6::loopback(), port);
    here.emplace_back(asio::ip::address_v4::loopback(), port);
    co_return here;
  }
  // The lookup may outlive this coroutine and knows it only weakly.
  auto const wait = std::make_shared<detail::lookup_wait>(on);
  auto answered = [weak = std::weak_ptr(wait)](std::error_code ec, endpoints found) {
    if (auto const alive = weak.lock()) alive->end(ec, std::move(found));
  };
  lookup(on, host, port, std::move(answered));
  auto const alarm = time->make_deadline(on);
  alarm->arm(until, [&late = *wait] { late.end(asio::error::timed_out, endpoints()); });
  if (!wait->over) co_await async_wait(wait->bell);
  if (!wait->over) co_return error(errc::cancelled);
  if (wait->ec == asio::error::timed_out) co_return error(errc::connect_timeout, host + " was not resolved in time");
  if (wait->ec) co_return error(errc::connect_failed, "cannot resolve " + host + ": " + wait->ec.message());
  if (wait->found.empty()) co_return error(errc::connect_failed, host + " has no address");
  co_return std::move(wait->found);
}

}  // namespace comcp::net
#endif

namespace comcp {

/// Options of basic_asio_engine. http_timeouts::never is a time without end.
class asio_engine_options {
 public:
  using duration = std::chrono::nanoseconds;

  asio_engine_options() {}
  /// What a request's own timeouts leave open: connect 10 s, response 5 min, idle 5 min, total never. The one for the
  /// response is long, as a POST of MCP may be answered when the tool is done: who knows better says so per request.
  asio_engine_options& timeouts(http_timeouts const& t);
  /// Connections to one origin that are kept without an exchange: 64.
  asio_engine_options& max_idle(std::size_t n) { return max_idle_ = n, *this; }
  /// How long they are kept: 90 s, and a second less than the server's Keep-Alive header says.
  asio_engine_options& idle_expiry(duration d) { return idle_expiry_ = d, *this; }
  /// Connections to one origin, those that are being made included: 16384. One more exchange than that is
  /// errc::queue_full at once: waiting could block for ever where a server asks back before it answers.
  asio_engine_options& max_connections(std::size_t n) { return max_connections_ = n, *this; }
  /// What a response may be at most.
  asio_engine_options& limits(response_limits const& l) { return limits_ = l, *this; }
  /// Which addresses connections may be made to, asked for each address of a name and for literal ones, on the
  /// executor of the exchange. Others are passed over; where none is left, the exchange is errc::denied. Not asked of
  /// what a proxy is meant for: the proxy itself is the user's choice, and it alone learns the server's address.
  /// Empty: all.
  asio_engine_options& address_filter(net::address_filter f) { return address_filter_ = std::move(f), *this; }
  /// Empty: steady_time().
  asio_engine_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }

  [[nodiscard]] http_timeouts const& timeouts() const noexcept { return timeouts_; }
  [[nodiscard]] std::size_t max_idle() const noexcept { return max_idle_; }
  [[nodiscard]] duration idle_expiry() const noexcept { return idle_expiry_; }
  [[nodiscard]] std::size_t max_connections() const noexcept { return max_connections_; }
  [[nodiscard]] response_limits const& limits() const noexcept { return limits_; }
  [[nodiscard]] net::address_filter const& address_filter() const noexcept { return address_filter_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }

 private:
  static http_timeouts standard_timeouts() {
    using namespace std::chrono_literals;
    return http_timeouts().connect(10s).response(5min).idle(5min).total(http_timeouts::never);
  }

  http_timeouts timeouts_ = standard_timeouts();
  std::size_t max_idle_ = 64;
  duration idle_expiry_ = std::chrono::seconds(90);
  std::size_t max_connections_ = 16384;
  response_limits limits_;
  net::address_filter address_filter_;
  std::shared_ptr<time_source> time_;
};

inline asio_engine_options& asio_engine_options::timeouts(http_timeouts const& t) {
  if (auto const d = t.connect()) timeouts_.connect(*d);
  if (auto const d = t.response()) timeouts_.response(*d);
  if (auto const d = t.idle()) timeouts_.idle(*d);
  if (auto const d = t.total()) timeouts_.total(*d);
  return *this;
}

}  // namespace comcp
#endif

// http/asio_exchange.hpp
#if !defined(COMCP_SINGLE_HTTP_ASIO_EXCHANGE_HPP)
#define COMCP_SINGLE_HTTP_ASIO_EXCHANGE_HPP
// One exchange of an Asio engine, up to the head of its response: on a connection that is kept or on a new one, and
// when its request may go out twice. How to connect is the connector's, what bytes mean the parser's. No coroutine, so
// that a call which waits for its answer is one handler. Internal.

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/cancellation_state.hpp>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

// http/asio_pool.hpp
#if !defined(COMCP_SINGLE_HTTP_ASIO_POOL_HPP)
#define COMCP_SINGLE_HTTP_ASIO_POOL_HPP
// The connections of an Asio engine: who may have one, which ones rest until the next exchange, and for how long. It
// neither connects nor reads. Internal.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

// http/asio_connection.hpp
#if !defined(COMCP_SINGLE_HTTP_ASIO_CONNECTION_HPP)
#define COMCP_SINGLE_HTTP_ASIO_CONNECTION_HPP
// One connection of an Asio engine and the exchange that is on it: what is still to be written, what was read, and the
// time by which something must come. Who reads, and the pool it rests in, are others'. Internal.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/error.hpp>

// http/exchange_clock.hpp
#if !defined(COMCP_SINGLE_HTTP_EXCHANGE_CLOCK_HPP)
#define COMCP_SINGLE_HTTP_EXCHANGE_CLOCK_HPP
// By when something must come on a connection of an Asio engine. Internal.

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>

namespace comcp::http_detail {

/// The times of one exchange, all of them decided.
struct exchange_times {
  time_source::time_point total_at = time_source::time_point::max();
  std::chrono::nanoseconds connect{}, response{}, idle{};
};

/// Without end, no clock is looked at.
inline time_source::time_point after(time_source const& time, std::chrono::nanoseconds wait) {
  if (wait == std::chrono::nanoseconds::max()) return time_source::time_point::max();
  return comcp::detail::later(time.now(), wait);
}

/// Arming costs more than looking at a clock: an alarm that is early finds out and sets itself again.
class exchange_clock {
 public:
  using time_point = time_source::time_point;

  /// Calls `late` on that executor, at most once for each time that is set, and never once stopped.
  exchange_clock(std::shared_ptr<time_source> time, asio::any_io_executor on, std::function<void()> late)
      : time_(std::move(time)), on_(std::move(on)), late_(std::move(late)) {}
  exchange_clock(exchange_clock const&) = delete;
  exchange_clock& operator=(exchange_clock const&) = delete;

  void begin(exchange_times const& times) {
    times_ = times;
    expect_head();
  }
  /// The response must begin in time.
  void expect_head() { expect(times_.response, errc::response_timeout, times_.total_at); }
  /// A piece of the body must come in time. What is endless has no end to be late for.
  void expect_piece(bool endless) { expect(times_.idle, errc::idle_timeout, end(endless)); }
  /// Nobody waits for bytes now.
  void pause(bool endless) { due(end(endless), errc::exchange_timeout); }
  /// It rests until then.
  void rest(time_point until) { due(until, errc::exchange_timeout); }
  void stop() noexcept {
    due_ = armed_ = time_point::max();
    alarm_.reset();
  }

  [[nodiscard]] bool is_due() const { return due_ <= time_->now(); }
  /// What is late.
  [[nodiscard]] error why() const;

 private:
  [[nodiscard]] time_point end(bool endless) const noexcept { return endless ? time_point::max() : times_.total_at; }
  void expect(std::chrono::nanoseconds wait, errc why, time_point total) {
    auto const at = after(*time_, wait);
    due(std::min(at, total), total < at ? errc::exchange_timeout : why);
  }
  void due(time_point at, errc why) {
    due_ = at;
    why_ = why;
    if (due_ < armed_) arm();
  }
  void arm();
  void on_alarm();

  std::shared_ptr<time_source> time_;
  asio::any_io_executor on_;
  std::function<void()> late_;
  std::unique_ptr<deadline> alarm_;
  exchange_times times_;
  time_point due_ = time_point::max(), armed_ = time_point::max();
  errc why_ = errc::exchange_timeout;
};

}  // namespace comcp::http_detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/exchange_clock.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_EXCHANGE_CLOCK_IPP)
#define COMCP_SINGLE_HTTP_IMPL_EXCHANGE_CLOCK_IPP

namespace comcp::http_detail {

COMCP_DECL error exchange_clock::why() const {
  if (why_ == errc::response_timeout) return error(why_, "no response began in time");
  if (why_ == errc::idle_timeout) return error(why_, "the response stopped coming");
  return error(why_, "the exchange took too long");
}

COMCP_DECL void exchange_clock::arm() {
  if (!alarm_) alarm_ = time_->make_deadline(on_);
  armed_ = due_;
  alarm_->arm(armed_, [this] { on_alarm(); });
}

COMCP_DECL void exchange_clock::on_alarm() {
  armed_ = time_point::max();
  if (due_ == time_point::max()) return;
  if (!is_due()) return arm();
  late_();  // this may be gone
}

}  // namespace comcp::http_detail
#endif
#endif
#endif

// http/read_buffer.hpp
#if !defined(COMCP_SINGLE_HTTP_READ_BUFFER_HPP)
#define COMCP_SINGLE_HTTP_READ_BUFFER_HPP
// Where a connection of an Asio engine reads to: memory of its own that grows with what comes, or the place where a
// body stays. Internal.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <asio/buffer.hpp>

namespace comcp::http_detail {

class read_buffer {
 public:
  /// What was read and not yet used.
  std::string_view unread;

  asio::mutable_buffer room() {
    bool const larger = full_ && capacity_ < last_size;
    if (!own_ || larger) {
      auto const size = larger ? capacity_ * 4 : first_size;
      own_ = std::make_unique_for_overwrite<char[]>(size);
      capacity_ = size;
    }
    return into(own_.get(), capacity_);
  }
  /// The next `certain` bytes belong to this body: where they are many they go there at once. Who has sent a MiB is
  /// believed that as many come as it said.
  asio::mutable_buffer room(http_body& body, std::uint64_t certain, std::size_t most) {
    constexpr std::size_t one = std::size_t{1} << 20;
    if (certain < first_size) return room();
    auto const rest = static_cast<std::size_t>(std::min<std::uint64_t>(certain, most - std::min(most, body.size()) + 1));
    auto const next = std::min(rest, one);
    body.reserve(body.size() + (body.size() < one ? next : rest));
    return into(body.room(next), next);
  }
  void received(std::size_t n) noexcept {
    full_ = at_ == own_.get() && n == size_;
    unread = std::string_view(at_, n);
  }
  /// For another exchange, sometime.
  void recycle() noexcept {
    unread = {};
    if (capacity_ > first_size) capacity_ = 0, own_.reset();
  }

 private:
  static constexpr std::size_t first_size = std::size_t{1} << 10;
  static constexpr std::size_t last_size = std::size_t{64} << 10;

  asio::mutable_buffer into(char* at, std::size_t size) noexcept {
    at_ = at;
    size_ = size;
    full_ = false;
    return asio::mutable_buffer(at, size);
  }

  std::unique_ptr<char[]> own_;
  std::size_t capacity_ = 0;
  char* at_ = nullptr;  // the last read went there
  std::size_t size_ = 0;
  bool full_ = false;
};

}  // namespace comcp::http_detail
#endif

namespace comcp::http_detail {

/// The bytes of a request, and how many of them are sent.
struct request_text {
  std::string bytes;
  std::size_t sent = 0;

  [[nodiscard]] bool all_sent() const noexcept { return sent == bytes.size(); }
  [[nodiscard]] asio::const_buffer rest() const noexcept { return asio::buffer(bytes) + sent; }
};

template <class Stream>
struct asio_origin;
template <class Stream>
class asio_pool;

/// All members run on the stream's executor. close() and fail() are final. Writes that are pending keep it alive.
template <class Stream>
class asio_connection : public std::enable_shared_from_this<asio_connection<Stream>> {
 public:
  using progress = response_parser::progress;
  using time_point = time_source::time_point;

  asio_connection(std::unique_ptr<Stream> stream, std::shared_ptr<time_source> time)
      : stream_(std::move(stream)), clock_(std::move(time), stream_->get_executor(), [this] { late(); }) {}
  asio_connection(asio_connection const&) = delete;
  asio_connection& operator=(asio_connection const&) = delete;
  ~asio_connection() { close(); }

  [[nodiscard]] Stream& stream() noexcept { return *stream_; }

  /// Sends a request. What does not fit at once is written while the response is read: a server may answer early.
  void begin(std::string text, std::string_view method, response_limits const& limits, exchange_times const& times) {
    parser_ = response_parser(method, limits);
    text_ = {std::move(text)};
    in_.unread = {};
    status_ = 0;
    resting_ = nullptr;
    expecting_head_ = true;
    clock_.begin(times);
    if (write_now()) write_rest();
  }

  /// The next thing that the bytes read so far tell.
  progress advance() {
    if (failure_) return progress::failed;
    auto told = parser_.next(in_.unread);
    if (told == progress::more && end_ == ending::orderly) told = parser_.finish();
    if (told == progress::failed) fail(parser_.failure());
    if (told == progress::head) status_ = parser_.head().status;
    return told;
  }
  [[nodiscard]] http_response_head& head() noexcept { return parser_.head(); }
  [[nodiscard]] std::string_view piece() const noexcept { return parser_.body(); }
  [[nodiscard]] error const& failure() const noexcept { return failure_; }

  /// From now on a piece of the body must come in time.
  void expect_body() { clock_.expect_piece(parser_.event_stream()); }
  /// Where the next read goes. Precondition: advance() gave `more`.
  asio::mutable_buffer room() { return in_.room(); }
  /// The same for a body that is read whole.
  asio::mutable_buffer room(http_body& to, std::size_t most) { return in_.room(to, parser_.certain(), most); }
  /// What came of it.
  void received(std::error_code ec, std::size_t n) {
    if (failure_) return;
    in_.received(n);
    if (ec == asio::error::eof) {
      end_ = ending::orderly;
    } else if (ec == asio::error::operation_aborted) {
      fail(error(errc::cancelled));
    } else if (ec) {
      if (!parser_.started()) end_ = ending::broken;
      fail(with_status(error(errc::transport_failed, "the connection broke: " + ec.message())));
    }
  }
  /// Nobody waits for bytes now.
  void pause() {
    if (failure_) return;
    expecting_head_ = false;
    clock_.pause(parser_.event_stream());
  }

  /// Whether it broke before a byte of the response came, so that the server may have closed it while it rested.
  [[nodiscard]] bool ended_unanswered() const noexcept {
    return failure_ && !parser_.started() && end_ != ending::none;
  }
  /// A write that is pending may have sent something already.
  [[nodiscard]] bool nothing_sent() const noexcept { return text_.sent == 0 && !writing_; }
  /// The request, for another connection. This one is over.
  [[nodiscard]] std::string take_text() {
    if (writing_) return text_.bytes;  // the system may still look at it
    return std::move(text_.bytes);
  }

  /// Whether the exchange is over and the connection can have another one. What was read already counts.
  [[nodiscard]] bool settle() {
    // Forwarding proxies may pass on a second request as bytes of the first (tinyproxy), and do not say so.
    if (stream_->forwarded_by()) return false;
    auto told = progress::body;
    while (told == progress::body) told = advance();
    return told == progress::end && in_.unread.empty() && end_ == ending::none && text_.all_sent() &&
           parser_.keeps_connection();
  }
  /// How long the server keeps it, where it says so.
  [[nodiscard]] std::optional<std::chrono::seconds> keep_alive() const noexcept { return parser_.keep_alive(); }

  /// It waits in the pool until then.
  void rest(time_point until, asio_pool<Stream>& pool) {
    resting_ = &pool;
    text_ = {};
    in_.recycle();
    clock_.rest(until);
  }
  /// Whether it can still be used after its rest.
  [[nodiscard]] bool rested_well() { return !failure_ && !clock_.is_due() && stream_->quiet(); }

  void fail(error why) {
    if (failure_) return;
    failure_ = std::move(why);
    close();
  }
  void close() noexcept {
    clock_.stop();
    stream_->close();
  }

  asio_origin<Stream>* origin = nullptr;
  std::size_t place = 0;  ///< Among the pool's busy ones.

 private:
  enum class ending { none, orderly, broken };  // the last before a byte of the response

  /// False when nothing is left to be written.
  bool write_now() {
    if constexpr (requires(Stream& s, std::error_code& ec) { s.try_write(asio::const_buffer(), ec); }) {
      while (!text_.all_sent()) {
        std::error_code ec;
        text_.sent += stream_->try_write(text_.rest(), ec);
        if (ec == asio::error::would_block || ec == asio::error::try_again) return true;
        if (ec) return false;  // reading tells more
      }
    }
    return !text_.all_sent();
  }
  void write_rest() {
    writing_ = true;
    stream_->async_write_some(text_.rest(), [self = this->shared_from_this()](std::error_code ec, std::size_t n) {
      self->writing_ = false;
      self->wrote(ec, n);
    });
  }
  void wrote(std::error_code ec, std::size_t n) {
    text_.sent += n;
    if (failure_ || ec) return;
    if (expecting_head_) clock_.expect_head();
    if (write_now()) write_rest();
  }

  void late() {
    if (resting_ != nullptr) return resting_->expired(*this);
    fail(with_status(clock_.why()));
  }
  [[nodiscard]] error with_status(error e) const {
    if (status_ == 0) return e;
    transport_detail detail;
    detail.http_status = status_;
    return e.with_detail(std::move(detail));
  }

  std::unique_ptr<Stream> stream_;
  exchange_clock clock_;
  asio_pool<Stream>* resting_ = nullptr;  // it owns this then
  response_parser parser_;
  request_text text_;
  read_buffer in_;
  error failure_;
  int status_ = 0;
  ending end_ = ending::none;
  bool writing_ = false;
  bool expecting_head_ = false;
};

}  // namespace comcp::http_detail
#endif

namespace comcp::http_detail {

struct origin_key {
  explicit origin_key(http_url const& url) : host(url.host()), port(url.port()), secure(url.secure()) {}
  std::string host;
  std::uint16_t port;
  bool secure;
};

struct origin_less {
  using is_transparent = void;
  static auto parts(origin_key const& k) noexcept { return std::tuple(std::string_view(k.host), k.port, k.secure); }
  static auto parts(http_url const& u) noexcept { return std::tuple(std::string_view(u.host()), u.port(), u.secure()); }
  bool operator()(auto const& a, auto const& b) const noexcept { return parts(a) < parts(b); }
};

/// The connections to one origin.
template <class Stream>
struct asio_origin {
  std::vector<std::shared_ptr<asio_connection<Stream>>> resting;  // the last one is used first
  std::size_t open = 0;                                           // with those that are being made
};

/// The right to one connection, and the connection once there is one. Its destructor gives it back to the pool when
/// its exchange is complete, and closes it otherwise.
template <class Stream>
class asio_lease {
 public:
  using connection = asio_connection<Stream>;

  asio_lease() = default;
  asio_lease(std::shared_ptr<asio_pool<Stream>> pool, asio_origin<Stream>& origin)
      : pool_(std::move(pool)), origin_(&origin) {}
  asio_lease(asio_lease&& other) noexcept = default;
  asio_lease& operator=(asio_lease&& other) noexcept {
    if (this != &other) {
      reset();
      pool_ = std::move(other.pool_);
      origin_ = other.origin_;
      connection_ = std::move(other.connection_);
    }
    return *this;
  }
  ~asio_lease() { reset(); }

  void attach(std::shared_ptr<connection> c) {
    c->origin = origin_;
    pool_->busy(*c);
    connection_ = std::move(c);
  }
  [[nodiscard]] std::shared_ptr<connection> const& get() const noexcept { return connection_; }
  void reset() noexcept {
    if (auto const pool = std::exchange(pool_, nullptr)) pool->give_back(*origin_, std::exchange(connection_, nullptr));
  }

 private:
  std::shared_ptr<asio_pool<Stream>> pool_;
  asio_origin<Stream>* origin_ = nullptr;
  std::shared_ptr<connection> connection_;
};

/// Used from one executor. Leases keep it; close() ends it.
template <class Stream>
class asio_pool : public std::enable_shared_from_this<asio_pool<Stream>> {
 public:
  using connection = asio_connection<Stream>;
  using origin = asio_origin<Stream>;
  using lease = asio_lease<Stream>;

  asio_pool(asio_engine_options const& options, std::shared_ptr<time_source> time)
      : max_idle_(options.max_idle()),
        max_connections_(options.max_connections()),
        expiry_(options.idle_expiry()),
        time_(std::move(time)) {}
  asio_pool(asio_pool const&) = delete;
  asio_pool& operator=(asio_pool const&) = delete;

  /// With a connection that rested, unless `fresh`; otherwise without one, for the caller to make.
  /// Errors: closed, queue_full.
  result<lease> take(http_url const& url, bool fresh) {
    if (closed_) return error(errc::closed, "the HTTP engine is gone");
    auto at = origins_.find(url);
    if (at == origins_.end()) at = origins_.emplace(origin_key(url), origin()).first;
    origin& o = at->second;
    while (!fresh && !o.resting.empty()) {
      auto const last = std::move(o.resting.back());
      o.resting.pop_back();
      if (last->rested_well()) {
        lease out(this->shared_from_this(), o);
        out.attach(last);
        return out;
      }
      --o.open;
      last->close();
    }
    if (o.open >= max_connections_ && !o.resting.empty()) drop(o, o.resting.begin());
    if (o.open >= max_connections_) {
      forget_if_unused(o);
      return error(errc::queue_full, "more connections to one origin than max_connections allows");
    }
    ++o.open;
    return lease(this->shared_from_this(), o);
  }

  void busy(connection& c) {
    c.place = busy_.size();
    busy_.push_back(&c);
  }

  void give_back(origin& o, std::shared_ptr<connection> c) noexcept {
    if (c) {
      busy_.back()->place = c->place;
      busy_[c->place] = busy_.back();
      busy_.pop_back();
      if (keep(o, c)) return;
      c->fail(error(errc::cancelled));
    }
    --o.open;
    forget_if_unused(o);
  }

  /// A connection has rested long enough.
  void expired(connection& c) {
    origin& o = *c.origin;
    auto const at = std::find_if(o.resting.begin(), o.resting.end(), [&](auto const& r) { return r.get() == &c; });
    if (at != o.resting.end()) drop(o, at);
    forget_if_unused(o);
  }

  void close_idle() {
    for (auto at = origins_.begin(); at != origins_.end();) {
      origin& o = at->second;
      o.open -= o.resting.size();
      o.resting.clear();
      at = o.open == 0 ? origins_.erase(at) : std::next(at);
    }
  }

  void close() {
    closed_ = true;
    close_idle();
    for (auto* const c : busy_) c->fail(error(errc::closed, "the HTTP engine is gone"));
  }
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  [[nodiscard]] std::size_t idle_count() const noexcept {
    std::size_t n = 0;
    for (auto const& [key, o] : origins_) n += o.resting.size();
    return n;
  }
  [[nodiscard]] std::size_t busy_count() const noexcept { return busy_.size(); }

 private:
  bool keep(origin& o, std::shared_ptr<connection> const& c) noexcept try {
    if (closed_ || max_idle_ == 0 || !c->settle()) return false;
    auto span = expiry_;
    if (auto const server = c->keep_alive())
      span = std::min<std::chrono::nanoseconds>(span, *server - std::chrono::seconds(1));
    if (span <= std::chrono::nanoseconds(0)) return false;
    if (o.resting.size() >= max_idle_) drop(o, o.resting.begin());
    o.resting.push_back(c);
    c->rest(comcp::detail::later(time_->now(), span), *this);
    return true;
  } catch (...) {
    if (!o.resting.empty() && o.resting.back() == c) o.resting.pop_back();
    return false;
  }

  void drop(origin& o, typename std::vector<std::shared_ptr<connection>>::iterator at) {
    auto const c = std::move(*at);
    o.resting.erase(at);
    --o.open;
    c->close();
  }

  void forget_if_unused(origin& o) noexcept {
    if (o.open != 0) return;
    auto const at = std::find_if(origins_.begin(), origins_.end(), [&](auto const& e) { return &e.second == &o; });
    if (at != origins_.end()) origins_.erase(at);
  }

  std::size_t max_idle_, max_connections_;
  std::chrono::nanoseconds expiry_;
  std::shared_ptr<time_source> time_;
  std::map<origin_key, origin, origin_less> origins_;
  std::vector<connection*> busy_;
  bool closed_ = false;
};

}  // namespace comcp::http_detail
#endif

// http/asio_response.hpp
#if !defined(COMCP_SINGLE_HTTP_ASIO_RESPONSE_HPP)
#define COMCP_SINGLE_HTTP_ASIO_RESPONSE_HPP
// What came of an exchange of an Asio engine: the head, and the body as it comes. Templates, so that only who uses HTTP
// compiles the coroutines.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

namespace comcp {

/// A response of basic_asio_engine. Its pieces are views into the connection's buffer. Destroying it before its end
/// closes the connection, unless all of the body was here already.
template <class Stream>
class asio_response {
 public:
  asio_response() = default;  ///< Ended, as one that was moved from; co_spawn wants it.
  asio_response(http_response_head&& head, http_detail::asio_lease<Stream>&& lease)
      : head_(std::move(head)), lease_(std::move(lease)) {}

  [[nodiscard]] http_response_head const& head() const noexcept { return head_; }

  /// One call at a time; the response stays until it has ended. Errors as with every engine, and the same one again.
  asio::awaitable<result<std::string_view>> next() {
    auto const c = lease_.get();
    bool waiting = false;
    while (c) {
      auto const told = c->advance();
      if (told == progress::failed) co_return c->failure();  // this may be gone
      if (told == progress::body || told == progress::end) c->pause();
      if (told == progress::body) co_return c->piece();
      if (told == progress::end) break;
      if (!std::exchange(waiting, true)) c->expect_body();
      auto const [ec, n] = co_await c->stream().async_read_some(c->room(), net::tuple_awaitable);
      c->received(ec, n);
    }
    lease_.reset();
    co_return std::string_view();
  }

  /// For any_response: what is here of the body, and the rest of it once it has come, read to where it stays.
  std::optional<result<void>> take(http_body& to, std::size_t most) {
    while (auto const& c = lease_.get()) {
      auto const told = c->advance();
      if (told == progress::more) return std::nullopt;
      if (told == progress::failed) return result<void>(c->failure());
      if (told == progress::end) lease_.reset();
      if (told != progress::body) continue;
      if (to.size() + c->piece().size() > most) return result<void>(http_detail::body_too_long());
      to.append(c->piece());
    }
    return result<void>();
  }
  asio::awaitable<result<void>> read(http_body& to, std::size_t most) {
    auto const c = lease_.get();
    auto taken = take(to, most);
    for (auto before = SIZE_MAX; !taken;) {
      if (std::exchange(before, to.size()) != to.size()) c->expect_body();
      auto const [ec, n] = co_await c->stream().async_read_some(c->room(to, most), net::tuple_awaitable);
      c->received(ec, n);
      taken = take(to, most);
    }
    co_return std::move(*taken);
  }

 private:
  using progress = response_parser::progress;

  http_response_head head_;
  http_detail::asio_lease<Stream> lease_;
};

}  // namespace comcp
#endif

// http/connector.hpp
#if !defined(COMCP_SINGLE_HTTP_CONNECTOR_HPP)
#define COMCP_SINGLE_HTTP_CONNECTOR_HPP
// How an Asio engine gets its connections: the connector seam, and the connector without TLS. Templates, so that only
// who uses HTTP compiles the coroutines.

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

// http/stream.hpp
#if !defined(COMCP_SINGLE_HTTP_STREAM_HPP)
#define COMCP_SINGLE_HTTP_STREAM_HPP
// The bytes of one connection as the Asio engines use them, without TLS. What is written on it, and when it may be used
// again, is the engine's business.

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/socket_base.hpp>

// http/proxy.hpp
#if !defined(COMCP_SINGLE_HTTP_PROXY_HPP)
#define COMCP_SINGLE_HTTP_PROXY_HPP
// Which proxy a URL goes through: what the user said, else the environment's variables, else none. Decides only; the
// connector goes the way.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

/// One proxy and the credentials for it. The proxy itself is spoken to over plain http.
class proxy_route {
 public:
  /// Of an https URL each connection is errc::invalid_argument: TLS to the proxy itself is not supported.
  explicit proxy_route(http_url proxy) : url_(std::move(proxy)) {}

  /// As environment variables have it: "http://user:password@host:port", where scheme, credentials and port (80) may be
  /// missing and credentials are percent-encoded. Anything else is errc::invalid_argument, which quotes nothing.
  static result<proxy_route> parse(std::string_view text);

  /// The same proxy with Basic credentials. A user with a colon, and control characters, are errc::invalid_argument.
  [[nodiscard]] result<proxy_route> with_credentials(std::string_view user, secret const& password) const;

  [[nodiscard]] http_url const& url() const noexcept { return url_; }
  /// The value of Proxy-Authorization, "Basic ..."; empty without credentials.
  [[nodiscard]] secret const& authorization() const noexcept { return authorization_; }

  friend bool operator==(proxy_route const&, proxy_route const&) = default;

 private:
  http_url url_;
  secret authorization_;
};

/// The proxies for http and https URLs, and the hosts that need none. Empty, it is none at all.
class proxy_options {
 public:
  /// Gives the value of an environment variable, nothing where there is none.
  using variables = std::function<std::optional<std::string>(std::string_view name)>;

  proxy_options() {}

  /// No proxy, whatever the environment says.
  static proxy_options none() { return {}; }

  /// http_proxy for http URLs; https_proxy, HTTPS_PROXY for https URLs; all_proxy, ALL_PROXY for both; no_proxy,
  /// NO_PROXY. The first that is not empty counts. HTTP_PROXY in capitals is not read, as in curl: a CGI program gets it
  /// from a header of the request that it serves. Loopback hosts go direct. A proxy that is unusable (SOCKS, say) is an
  /// error of proxy_for(), for the URLs that would go through it.
  static proxy_options from_environment(variables const& lookup);
  /// The same with this process's environment.
  static proxy_options from_environment();

  /// For http URLs: the proxy gets each request. Also for loopback hosts, unlike the environment's.
  proxy_options& http(proxy_route route);
  /// For https URLs: the proxy connects (CONNECT) and sees nothing of what follows.
  proxy_options& https(proxy_route route);
  /// For both.
  proxy_options& all(proxy_route route);

  /// The hosts that go direct, in place of those before; separated by commas or blanks. "*" is all of them.
  /// "example.com", ".example.com" and "*.example.com" are the host and all below it; "192.0.2.1", "[2001:db8::1]" one
  /// address; "10.0.0.0/8", "fd00::/8" a range. All but a range may end with a port, ":8080". What is none of it means
  /// nothing. Names are not resolved.
  proxy_options& no_proxy(std::string_view list);

  /// The way to that URL; nothing where it is direct. Errors: invalid_argument (an unusable variable, which it names).
  [[nodiscard]] result<std::optional<proxy_route>> proxy_for(http_url const& url) const;

 private:
  struct way {
    result<std::optional<proxy_route>> route;
    bool spares_loopback = false;
  };

  // A name, or the first `bits` of an address, or everything.
  struct exception_rule {
    std::string name;
    std::array<std::uint8_t, 16> address{};
    std::size_t length = 0;  // 4 or 16, 0 for names
    std::size_t bits = 0;
    std::uint16_t port = 0;  // 0: any
  };

  static std::optional<exception_rule> parse_rule(std::string_view text);
  [[nodiscard]] static bool matches(exception_rule const& rule, exception_rule const& host) noexcept;

  way http_, https_;
  std::vector<exception_rule> direct_;
};

}  // namespace comcp

// system.hpp
#if !defined(COMCP_SINGLE_SYSTEM_HPP)
#define COMCP_SINGLE_SYSTEM_HPP
// What each system does in its own way before there is any I/O: the texts that it hands out, which are UTF-8 here, and
// chance that nobody guesses. Internal.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace comcp::detail {

/// Nothing where it is not set.
std::optional<std::string> environment_variable(std::string_view name);

/// A file's name, as comcp's options and files have it, for the system. std::filesystem::path itself takes a
/// std::string for a text of the ANSI code page on Windows.
std::filesystem::path path_from_text(std::string_view text);
/// The other way round.
std::string text_of_path(std::filesystem::path const& path);

/// Bytes of the system's generator for secrets, in hexadecimal. std::exception where it has none.
std::string unguessable_hex(std::size_t bytes);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// impl/system_posix.ipp
#if !defined(COMCP_SINGLE_IMPL_SYSTEM_POSIX_IPP)
#define COMCP_SINGLE_IMPL_SYSTEM_POSIX_IPP

#if !defined(_WIN32)

#include <cstdlib>
#include <random>

namespace comcp::detail {

COMCP_DECL std::optional<std::string> environment_variable(std::string_view name) {
  char const* const value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return {};
  return value;
}

COMCP_DECL std::filesystem::path path_from_text(std::string_view text) { return {text}; }
COMCP_DECL std::string text_of_path(std::filesystem::path const& path) { return path.string(); }

COMCP_DECL std::string unguessable_hex(std::size_t bytes) {
  std::random_device random;
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) {
    auto const byte = random() & 0xFF;
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

}  // namespace comcp::detail

#endif
#endif

// impl/system_windows.ipp
#if !defined(COMCP_SINGLE_IMPL_SYSTEM_WINDOWS_IPP)
#define COMCP_SINGLE_IMPL_SYSTEM_WINDOWS_IPP

#if defined(_WIN32)

#include <vector>

#include <bcrypt.h>

namespace comcp::detail {

COMCP_DECL std::optional<std::string> environment_variable(std::string_view name) {
  auto const wide = to_wide(name);
  std::wstring value(128, L'\0');
  for (;;) {  // until it fits: another thread may set a longer one
    ::SetLastError(ERROR_SUCCESS);
    auto const length = ::GetEnvironmentVariableW(wide.c_str(), value.data(), static_cast<DWORD>(value.size()));
    if (length == 0 && ::GetLastError() != ERROR_SUCCESS) return {};
    bool const fits = length < value.size();
    value.resize(length);
    if (fits) return to_utf8(value);
  }
}

COMCP_DECL std::filesystem::path path_from_text(std::string_view text) { return {to_wide(text)}; }
COMCP_DECL std::string text_of_path(std::filesystem::path const& path) { return to_utf8(path.native()); }

COMCP_DECL std::string unguessable_hex(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  auto const status = ::BCryptGenRandom(nullptr, random.data(), static_cast<ULONG>(bytes), BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  if (status < 0) throw std::system_error(windows_error(ERROR_GEN_FAILURE), "BCryptGenRandom");
  std::string out;
  for (auto const byte : random) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

}  // namespace comcp::detail

#endif
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/proxy.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_PROXY_IPP)
#define COMCP_SINGLE_HTTP_IMPL_PROXY_IPP
#include <algorithm>
#include <charconv>
#include <span>

namespace comcp {
namespace http_detail {

/// With its %XX put right; nothing where one is broken.
COMCP_DECL std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex_value(text[i + 1]) > 15 || hex_value(text[i + 2]) > 15) return {};
    out += static_cast<char>(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]));
    i += 2;
  }
  return out;
}

COMCP_DECL error bad_proxy(char const* why) { return {errc::invalid_argument, std::string("bad proxy: ") + why}; }

/// The bytes of an IP address without brackets; how many there are, 0 for anything else.
COMCP_DECL std::size_t address_bytes(std::string_view text, std::array<std::uint8_t, 16>& out) {
  if (text.find(':') != text.npos) {
    auto const v6 = parse_ipv6(text);
    for (std::size_t i = 0; v6 && i < 8; ++i) {
      out[2 * i] = static_cast<std::uint8_t>((*v6)[i] >> 8);
      out[2 * i + 1] = static_cast<std::uint8_t>((*v6)[i] & 255);
    }
    return v6 ? 16 : 0;
  }
  auto const v4 = text.empty() || !ends_in_number(text) ? std::nullopt : parse_ipv4(text);
  for (std::size_t i = 0; v4 && i < 4; ++i) out[i] = static_cast<std::uint8_t>(*v4 >> (24 - 8 * i) & 255);
  return v4 ? 4 : 0;
}

COMCP_DECL bool is_loopback(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::array<std::uint8_t, 16> address{};
  if (auto const length = address_bytes(host, address)) return length == 4 ? address[0] == 127 : host == "::1";
  return host == "localhost" || host.ends_with(".localhost");
}

/// A decimal number up to `most`.
COMCP_DECL std::optional<std::uint32_t> small_number(std::string_view text, std::uint32_t most) noexcept {
  std::uint32_t value = 0;
  auto const [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() || value > most) return {};
  return value;
}

}  // namespace http_detail

COMCP_DECL result<proxy_route> proxy_route::parse(std::string_view text) {
  text = http_detail::without_blank_ends(text);
  auto const mark = text.find("://");
  auto const scheme = mark == text.npos ? std::string_view("http") : text.substr(0, mark);
  if (!http_detail::is_scheme(scheme, "http"))
    return http_detail::bad_proxy("only proxies that are spoken to over http:// are supported");
  if (mark != text.npos) text.remove_prefix(mark + 3);
  auto const authority = text.substr(0, text.find_first_of("/\\?#"));
  auto const at = authority.rfind('@');
  auto url = http_url::parse("http://" + std::string(at == text.npos ? text : text.substr(at + 1)));
  if (!url) return http_detail::bad_proxy("its host or port is malformed");
  proxy_route route(std::move(*url));
  if (at == text.npos) return route;
  auto const info = authority.substr(0, at);
  auto const colon = std::min(info.find(':'), info.size());
  auto const user = http_detail::unescaped(info.substr(0, colon));
  auto password = http_detail::unescaped(info.substr(std::min(colon + 1, info.size())));
  if (!user || !password) return http_detail::bad_proxy("its credentials have a malformed escape");
  return route.with_credentials(*user, secret(std::move(*password)));
}

COMCP_DECL result<proxy_route> proxy_route::with_credentials(std::string_view user, secret const& password) const {
  if (user.find(':') != user.npos) return http_detail::bad_proxy("its user has a colon");
  auto const pair = std::string(user) + ':' + password.reveal();
  if (std::any_of(pair.begin(), pair.end(), http_detail::is_control))
    return http_detail::bad_proxy("its credentials have a control character");
  proxy_route out = *this;
  out.authorization_ = secret("Basic " + to_base64(std::as_bytes(std::span(pair))));
  return out;
}

COMCP_DECL proxy_options proxy_options::from_environment(variables const& lookup) {
  auto const first = [&](std::initializer_list<std::string_view> names) {
    for (auto const name : names) {
      if (auto value = lookup(name); value && !value->empty()) return std::pair(name, std::move(*value));
    }
    return std::pair(std::string_view(), std::string());
  };
  auto const read = [&](std::initializer_list<std::string_view> names) {
    way out;
    out.spares_loopback = true;
    auto const [name, value] = first(names);
    if (name.empty()) return out;
    auto route = proxy_route::parse(value);
    if (route) {
      out.route = std::optional(std::move(*route));
    } else {
      out.route = route.error().with_message(std::string(name) + ": " + std::string(route.error().message()));
    }
    return out;
  };
  proxy_options out;
  out.http_ = read({"http_proxy", "all_proxy", "ALL_PROXY"});
  out.https_ = read({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  out.no_proxy(first({"no_proxy", "NO_PROXY"}).second);
  return out;
}

COMCP_DECL proxy_options proxy_options::from_environment() {
  return from_environment(comcp::detail::environment_variable);
}

COMCP_DECL proxy_options& proxy_options::http(proxy_route route) {
  http_ = way();
  http_.route = std::optional(std::move(route));
  return *this;
}

COMCP_DECL proxy_options& proxy_options::https(proxy_route route) {
  https_ = way();
  https_.route = std::optional(std::move(route));
  return *this;
}

COMCP_DECL proxy_options& proxy_options::all(proxy_route route) {
  http(route);
  return https(std::move(route));
}

COMCP_DECL proxy_options& proxy_options::no_proxy(std::string_view list) {
  direct_.clear();
  for (;;) {
    list.remove_prefix(std::min(list.find_first_not_of(", \t"), list.size()));
    if (list.empty()) return *this;
    auto const end = std::min(list.find_first_of(", \t"), list.size());
    if (auto rule = parse_rule(list.substr(0, end))) direct_.push_back(std::move(*rule));
    list.remove_prefix(end);
  }
}

COMCP_DECL std::optional<proxy_options::exception_rule> proxy_options::parse_rule(std::string_view text) {
  exception_rule out;
  if (auto const slash = text.find('/'); slash != text.npos) {
    out.length = http_detail::address_bytes(text.substr(0, slash), out.address);
    auto const bits = http_detail::small_number(text.substr(slash + 1), static_cast<std::uint32_t>(8 * out.length));
    if (out.length == 0 || !bits) return {};
    out.bits = *bits;
    return out;
  }
  bool const bracketed = text.starts_with('[');
  auto const colon = text.find(':', bracketed ? std::min(text.find(']'), text.size()) : 0);
  if (colon != text.npos && (bracketed || text.find(':', colon + 1) == text.npos)) {
    auto const port = http_detail::small_number(text.substr(colon + 1), 65535);
    if (!port || *port == 0) return {};
    out.port = static_cast<std::uint16_t>(*port);
    text = text.substr(0, colon);
  }
  if (bracketed) {
    if (!text.ends_with(']')) return {};
    text = text.substr(1, text.size() - 2);
  }
  out.length = http_detail::address_bytes(text, out.address);
  out.bits = 8 * out.length;
  if (out.length != 0) return out;
  if (text.starts_with("*.")) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty()) return {};
  out.name = text;
  for (char& c : out.name) c = http_detail::url_lower(c);
  return out;
}

COMCP_DECL bool proxy_options::matches(exception_rule const& rule, exception_rule const& host) noexcept {
  if (rule.port != 0 && rule.port != host.port) return false;
  if (rule.name == "*") return true;
  if (rule.length != host.length) return false;
  if (rule.length == 0) {
    std::string_view const name = host.name;
    return name.ends_with(rule.name) &&
           (name.size() == rule.name.size() || name[name.size() - rule.name.size() - 1] == '.');
  }
  for (std::size_t bit = 0; bit < rule.bits; ++bit) {
    if ((rule.address[bit / 8] ^ host.address[bit / 8]) >> (7 - bit % 8) & 1) return false;
  }
  return true;
}

COMCP_DECL result<std::optional<proxy_route>> proxy_options::proxy_for(http_url const& url) const {
  auto const& chosen = url.secure() ? https_ : http_;
  if (chosen.route && !*chosen.route) return chosen.route;
  if (chosen.spares_loopback && http_detail::is_loopback(url.host_name())) return std::optional<proxy_route>();
  exception_rule host;
  host.name = url.host_name();
  if (host.name.ends_with('.')) host.name.pop_back();
  host.length = http_detail::address_bytes(url.host_name(), host.address);
  host.port = url.port();
  for (auto const& rule : direct_) {
    if (matches(rule, host)) return std::optional<proxy_route>();
  }
  return chosen.route;
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// A connected TCP socket. Used from the socket's executor; never moved, as operations name it.
class plain_stream {
 public:
  using executor_type = asio::ip::tcp::socket::executor_type;

  explicit plain_stream(asio::ip::tcp::socket connected) : socket_(std::move(connected)) {}
  plain_stream(plain_stream const&) = delete;
  plain_stream& operator=(plain_stream const&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }

  /// As Asio's streams have it. asio::error::eof is the peer's orderly end; any other error is a broken connection.
  template <class Token>
  auto async_read_some(asio::mutable_buffer into, Token&& token) {
    return socket_.async_read_some(into, std::forward<Token>(token));
  }
  template <class Token>
  auto async_write_some(asio::const_buffer from, Token&& token) {
    return socket_.async_write_some(from, std::forward<Token>(token));
  }

  /// Takes what is possible without waiting; asio::error::would_block where nothing is.
  std::size_t try_write(asio::const_buffer from, std::error_code& ec) { return socket_.write_some(from, ec); }

  /// Whether the peer sent nothing and closed nothing since: what an idle connection must be to be used again.
  [[nodiscard]] bool quiet() {
    char byte;
    std::error_code ec;
    socket_.receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, ec);
    return ec == asio::error::would_block || ec == asio::error::try_again;
  }

  /// Ends what runs on it with asio::error::operation_aborted.
  void close() noexcept {
    std::error_code ignored;
    socket_.close(ignored);
  }

  /// The proxy that reads the requests on this connection, null where the server itself does. Such requests name their
  /// target in absolute form and carry the route's Proxy-Authorization.
  [[nodiscard]] proxy_route const* forwarded_by() const noexcept { return proxy_ ? &*proxy_ : nullptr; }
  void forwarded_by(proxy_route route) { proxy_.emplace(std::move(route)); }

  /// The address of the server, empty where this leads to a proxy.
  [[nodiscard]] std::string const& server_address() const noexcept { return server_address_; }
  void leads_to_server() {
    std::error_code ec;
    auto const there = socket_.remote_endpoint(ec);
    if (!ec) server_address_ = there.address().to_string();
  }

  [[nodiscard]] asio::ip::tcp::socket& socket() noexcept { return socket_; }

 private:
  asio::ip::tcp::socket socket_;
  std::string server_address_;
  std::optional<proxy_route> proxy_;
};

}  // namespace comcp
#endif

// http/tunnel.hpp
#if !defined(COMCP_SINGLE_HTTP_TUNNEL_HPP)
#define COMCP_SINGLE_HTTP_TUNNEL_HPP
// The way through a proxy to a server (CONNECT, RFC 9110 section 9.3.6). What flows through it afterwards is not its
// business. Internal.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/error.hpp>

// net/tcp_connect.hpp
#if !defined(COMCP_SINGLE_NET_TCP_CONNECT_HPP)
#define COMCP_SINGLE_NET_TCP_CONNECT_HPP
// A TCP connection to the first of several addresses that takes it, in bounded time. Sockets are not inherited by child
// processes and do not wait to fill their segments.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/this_coro.hpp>

// net/socket.hpp
#if !defined(COMCP_SINGLE_NET_SOCKET_HPP)
#define COMCP_SINGLE_NET_SOCKET_HPP
// What Asio's sockets do not do by themselves: no child process inherits them, no other program takes their port, and a
// refusal is one at once.

#include <system_error>

#include <asio/ip/tcp.hpp>

namespace comcp::net {

/// Opens a non-blocking socket for a connection to `to` that no child inherits, from its beginning where the system can.
std::error_code open_socket(asio::ip::tcp::socket& socket, asio::ip::tcp::endpoint const& to);

/// The same for one that Asio opened or accepted. A child that is started at this moment may have it.
void keep_from_children(asio::ip::tcp::socket::native_handle_type socket) noexcept;

/// Before bind(): the port of a listener that has just ended can be had, that of one that listens cannot.
std::error_code claim_port(asio::ip::tcp::acceptor& acceptor);

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// net/impl/socket_posix.ipp
#if !defined(COMCP_SINGLE_NET_IMPL_SOCKET_POSIX_IPP)
#define COMCP_SINGLE_NET_IMPL_SOCKET_POSIX_IPP

#if !defined(_WIN32)

#include <cerrno>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace comcp::net {

COMCP_DECL std::error_code open_socket(asio::ip::tcp::socket& socket, asio::ip::tcp::endpoint const& to) {
  auto const protocol = to.protocol();
#if defined(SOCK_CLOEXEC)
  int const fd = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, protocol.protocol());
#else
  int const fd = ::socket(protocol.family(), SOCK_STREAM, protocol.protocol());
  if (fd >= 0) keep_from_children(fd);
#endif
  if (fd < 0) return {errno, std::system_category()};
#if defined(SO_NOSIGPIPE)
  int const on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  std::error_code ec;
  socket.assign(protocol, fd, ec);
  if (ec) {
    ::close(fd);
    return ec;
  }
  socket.non_blocking(true, ec);
  return ec;
}

COMCP_DECL void keep_from_children(asio::ip::tcp::socket::native_handle_type socket) noexcept {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

COMCP_DECL std::error_code claim_port(asio::ip::tcp::acceptor& acceptor) {
  std::error_code ec;
  acceptor.set_option(asio::ip::tcp::acceptor::reuse_address(true), ec);
  return ec;
}

}  // namespace comcp::net

#endif
#endif

// net/impl/socket_windows.ipp
#if !defined(COMCP_SINGLE_NET_IMPL_SOCKET_WINDOWS_IPP)
#define COMCP_SINGLE_NET_IMPL_SOCKET_WINDOWS_IPP

#if defined(_WIN32)

#include <mstcpip.h>

namespace comcp::net {
namespace detail {

// A refusal is taken for a mistake and asked again for two seconds, and localhost is ::1 before it is 127.0.0.1.
COMCP_DECL void ask_once(asio::ip::tcp::socket::native_handle_type socket) noexcept {
  TCP_INITIAL_RTO_PARAMETERS once{};
  once.Rtt = TCP_INITIAL_RTO_UNSPECIFIED_RTT;
  once.MaxSynRetransmissions = TCP_INITIAL_RTO_NO_SYN_RETRANSMISSIONS;
  DWORD unused = 0;
  ::WSAIoctl(socket, SIO_TCP_INITIAL_RTO, &once, sizeof once, nullptr, 0, &unused, nullptr, nullptr);
}

}  // namespace detail

COMCP_DECL std::error_code open_socket(asio::ip::tcp::socket& socket, asio::ip::tcp::endpoint const& to) {
  std::error_code ec;
  socket.open(to.protocol(), ec);
  if (ec) return ec;
  keep_from_children(socket.native_handle());
  if (to.address().is_loopback()) detail::ask_once(socket.native_handle());
  socket.non_blocking(true, ec);
  return ec;
}

COMCP_DECL void keep_from_children(asio::ip::tcp::socket::native_handle_type socket) noexcept {
  ::SetHandleInformation(reinterpret_cast<HANDLE>(static_cast<SOCKET>(socket)), HANDLE_FLAG_INHERIT, 0);
}

// SO_REUSEADDR is another thing here: it lets every program take a port that is in use.
COMCP_DECL std::error_code claim_port(asio::ip::tcp::acceptor& acceptor) {
  BOOL const on = TRUE;
  auto const failed = ::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_EXCLUSIVEADDRUSE,
                                   reinterpret_cast<char const*>(&on), sizeof on);
  return failed == 0 ? std::error_code() : std::error_code(::WSAGetLastError(), std::system_category());
}

}  // namespace comcp::net

#endif
#endif
#endif
#endif

namespace comcp::net {

/// Drops the addresses that the filter refuses. errc::denied where none is left, with those addresses.
result<void> keep_allowed(endpoints& addresses, address_filter const& allowed, std::string const& name);

/// Closes a socket when its time has come, which ends what runs on it with operation_aborted. Both are used from the
/// socket's executor; the socket outlives the alarm.
class socket_alarm {
 public:
  socket_alarm(time_source& time, asio::ip::tcp::socket& socket, time_source::time_point at)
      : deadline_(time.make_deadline(socket.get_executor())) {
    if (at == time_source::time_point::max()) return;
    deadline_->arm(at, [this, &socket] {
      rang_ = true;
      std::error_code ignored;
      socket.close(ignored);
    });
  }
  socket_alarm(socket_alarm const&) = delete;
  socket_alarm& operator=(socket_alarm const&) = delete;

  [[nodiscard]] bool rang() const noexcept { return rang_; }

 private:
  std::unique_ptr<deadline> deadline_;
  bool rang_ = false;
};

namespace detail {

inline time_source::time_point share_of(time_source::time_point now, time_source::time_point until, std::size_t among) {
  if (until == time_source::time_point::max() || until <= now) return until;
  return now + (until - now) / static_cast<std::int64_t>(among);
}

}  // namespace detail

/// Tries the addresses one after the other. One that refuses costs nothing; one that is silent costs its share of the
/// time that is left. `name` is what errors call the peer, "host:port".
/// Errors: connect_failed (with each address and the system's words), connect_timeout, cancelled.
template <class Socket = asio::ip::tcp::socket>
asio::awaitable<result<Socket>> connect_any(endpoints to, std::string name, std::shared_ptr<time_source> time,
                                            time_source::time_point until) {
  auto const on = co_await asio::this_coro::executor;
  std::string reasons;
  bool late = false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    Socket socket(on);
    auto ec = open_socket(socket, to[i]);
    late = false;
    if (!ec) {
      socket_alarm const alarm(*time, socket, detail::share_of(time->now(), until, to.size() - i));
      auto const connected = co_await net::async_connect(socket, to[i]);
      ec = std::get<0>(connected);
      late = alarm.rang();
    }
    if (!ec && !late) {
      socket.set_option(asio::ip::tcp::no_delay(true), ec);
      co_return std::move(socket);
    }
    if (!late && ec == asio::error::operation_aborted) co_return error(errc::cancelled);
    if (!reasons.empty()) reasons += ", ";
    reasons += to[i].address().to_string() + ": " + (late ? std::string("no answer") : ec.message());
  }
  if (late) co_return error(errc::connect_timeout, "no connection to " + name + " in time (" + reasons + ")");
  co_return error(errc::connect_failed, "cannot connect to " + name + " (" + reasons + ")");
}

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// net/impl/tcp_connect.ipp
#if !defined(COMCP_SINGLE_NET_IMPL_TCP_CONNECT_IPP)
#define COMCP_SINGLE_NET_IMPL_TCP_CONNECT_IPP

namespace comcp::net {

COMCP_DECL result<void> keep_allowed(endpoints& addresses, address_filter const& allowed, std::string const& name) {
  if (!allowed) return {};
  endpoints kept;
  std::string refused;
  for (auto const& e : addresses) {
    if (allowed(e.address())) {
      kept.push_back(e);
    } else {
      refused += (refused.empty() ? "" : ", ") + e.address().to_string();
    }
  }
  if (kept.empty()) {
    return error(errc::denied, "no address of " + name + " is one that may be connected to (" + refused + ")");
  }
  addresses = std::move(kept);
  return {};
}

}  // namespace comcp::net
#endif
#endif
#endif

namespace comcp::http_detail {

/// The head of a proxy's answer is not longer.
inline constexpr std::size_t max_tunnel_head = 8192;

/// "host:port", the port always there.
std::string host_and_port(http_url const& url);

std::string tunnel_request(http_url const& target, proxy_route const& route);

/// The status of an answer whose head is `head`, 100 to 599; nothing where that is no HTTP/1.x.
std::optional<int> tunnel_status(std::string_view head) noexcept;

/// What a final status means: no error where the tunnel is open.
error tunnel_refusal(std::optional<int> status, proxy_route const& route, http_url const& target);

/// Where the connection to the proxy broke instead.
error tunnel_broken(std::error_code why, bool late, proxy_route const& route);

/// Asks the proxy at the other end of `stream` for the way to `target`. Errors: proxy_failed, connect_failed (the
/// connection to the proxy broke), connect_timeout, cancelled; none of them holds the credentials.
template <class Stream>
asio::awaitable<error> open_tunnel(Stream& stream, http_url target, proxy_route route,
                                   std::shared_ptr<time_source> time, time_source::time_point until) {
  net::socket_alarm const alarm(*time, stream.socket(), until);
  std::string const request = tunnel_request(target, route);
  for (std::size_t sent = 0; sent < request.size();) {
    auto const rest = asio::buffer(request.data() + sent, request.size() - sent);
    auto const [ec, n] = co_await stream.async_write_some(rest, net::tuple_awaitable);
    if (ec) co_return tunnel_broken(ec, alarm.rang(), route);
    sent += n;
  }
  std::string head(max_tunnel_head, '\0');
  for (std::size_t size = 0; size < head.size();) {
    auto const [ec, n] = co_await stream.async_read_some(asio::buffer(head.data() + size, head.size() - size),
                                                         net::tuple_awaitable);
    if (ec) co_return tunnel_broken(ec, alarm.rang(), route);
    size += n;
    for (;;) {
      auto const end = std::string_view(head.data(), size).find("\r\n\r\n");
      if (end == std::string_view::npos) break;
      auto status = tunnel_status(std::string_view(head.data(), end));
      bool const interim = status && *status < 200;
      bool const opened = status && *status / 100 == 2;
      // The server speaks only when spoken to, so that nothing can follow.
      if (opened && size != end + 4) status.reset();
      if (!interim) co_return tunnel_refusal(status, route, target);
      head.erase(0, end + 4).resize(max_tunnel_head);
      size -= end + 4;
    }
  }
  co_return tunnel_refusal(std::nullopt, route, target);
}

}  // namespace comcp::http_detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/tunnel.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_TUNNEL_IPP)
#define COMCP_SINGLE_HTTP_IMPL_TUNNEL_IPP

namespace comcp::http_detail {

COMCP_DECL std::string host_and_port(http_url const& url) { return url.host() + ':' + std::to_string(url.port()); }

COMCP_DECL std::string tunnel_request(http_url const& target, proxy_route const& route) {
  auto const where = host_and_port(target);
  auto out = "CONNECT " + where + " HTTP/1.1\r\nHost: " + where + "\r\n";
  if (auto const& credentials = route.authorization(); !credentials.empty())
    out += "Proxy-Authorization: " + credentials.reveal() + "\r\n";
  return out + "\r\n";
}

COMCP_DECL std::optional<int> tunnel_status(std::string_view head) noexcept {
  auto const line = head.substr(0, head.find("\r\n"));
  constexpr std::string_view version = "HTTP/1.";
  if (line.size() < 12 || !line.starts_with(version) || (line[7] != '0' && line[7] != '1') || line[8] != ' ') return {};
  if (line.size() > 12 && line[12] != ' ') return {};
  int status = 0;
  for (char const c : line.substr(9, 3)) {
    if (c < '0' || c > '9') return {};
    status = status * 10 + (c - '0');
  }
  if (status < 100 || status > 599) return {};
  return status;
}

COMCP_DECL error tunnel_refusal(std::optional<int> status, proxy_route const& route, http_url const& target) {
  if (status && *status / 100 == 2) return {};
  auto const proxy = "the proxy " + host_and_port(route.url());
  if (!status) return error(errc::proxy_failed, proxy + " answered CONNECT with what is no HTTP/1.1 answer to it");
  auto text = proxy + " refused the way to " + host_and_port(target) + " with " + std::to_string(*status);
  if (*status == 407) text += route.authorization().empty() ? " (it wants credentials)" : " (it wants other credentials)";
  transport_detail detail;
  detail.http_status = *status;
  return error(errc::proxy_failed, std::move(text)).with_detail(std::move(detail));
}

COMCP_DECL error tunnel_broken(std::error_code why, bool late, proxy_route const& route) {
  auto const proxy = "the proxy " + host_and_port(route.url());
  if (late) return error(errc::connect_timeout, proxy + " did not answer CONNECT in time");
  if (why == asio::error::operation_aborted) return error(errc::cancelled);
  if (why == asio::error::eof) return error(errc::connect_failed, proxy + " closed the connection instead of an answer");
  return error(errc::connect_failed, "the connection to " + proxy + " broke: " + why.message());
}

}  // namespace comcp::http_detail
#endif
#endif
#endif

namespace comcp {

/// Makes connections: C::stream has what plain_stream has. connect() runs on this_coro::executor, which the stream
/// keeps; its awaitable needs the connector no more; it can be cancelled at any moment.
/// No connection is made to an address that the filter refuses; a proxy is not asked about.
/// Errors: connect_failed, connect_timeout (at `until`), denied (by the filter), tls_failed, proxy_failed,
/// invalid_argument, cancelled.
template <class C>
concept connector = std::copy_constructible<C> &&
                    requires(C const& c, http_url where, std::shared_ptr<time_source> time,
                             time_source::time_point until, net::address_filter allowed) {
                      typename C::stream;
                      {
                        c.connect(where, time, until, allowed)
                      } -> std::same_as<asio::awaitable<result<std::unique_ptr<typename C::stream>>>>;
                    };

namespace http_detail {

/// Name and TCP connection: to the proxy where there is one.
template <class Stream>
asio::awaitable<result<std::unique_ptr<Stream>>> dial(net::lookup_function lookup, http_url where,
                                                      std::optional<proxy_route> proxy,
                                                      std::shared_ptr<time_source> time,
                                                      time_source::time_point until,
                                                      net::address_filter allowed) {
  http_url const to = proxy ? proxy->url() : where;
  std::string name = (proxy ? "the proxy " : "") + host_and_port(to);
  if (proxy && to.secure()) co_return error(errc::invalid_argument, name + " has an https URL; only http is supported");
  auto found = co_await net::resolve(std::move(lookup), std::string(to.host_name()), to.port(), time, until);
  if (!found) co_return found.error();
  if (!proxy) {
    auto const left = net::keep_allowed(*found, allowed, name);
    if (!left) co_return left.error();
  }
  auto socket = co_await net::connect_any(std::move(*found), std::move(name), time, until);
  if (!socket) co_return socket.error();
  auto stream = std::make_unique<Stream>(std::move(*socket));
  if (!proxy) stream->leads_to_server();
  if (proxy && !where.secure()) stream->forwarded_by(std::move(*proxy));
  co_return std::move(stream);
}

}  // namespace http_detail

/// Connections for http URLs, through a proxy where one is meant for them. https URLs are errc::invalid_argument: they
/// need tls_connector.
template <class Stream = plain_stream>
class basic_plain_connector {
 public:
  using stream = Stream;

  explicit basic_plain_connector(proxy_options proxies = proxy_options::from_environment(),
                                 net::lookup_function lookup = net::system_lookup<asio::any_io_executor>)
      : proxies_(std::move(proxies)), lookup_(std::move(lookup)) {}

  [[nodiscard]] asio::awaitable<result<std::unique_ptr<Stream>>> connect(http_url where,
                                                                         std::shared_ptr<time_source> time,
                                                                         time_source::time_point until,
                                                                         net::address_filter allowed = {}) const {
    auto route = proxies_.proxy_for(where);
    return run(lookup_, std::move(where), std::move(route), std::move(time), until, std::move(allowed));
  }

 private:
  static asio::awaitable<result<std::unique_ptr<Stream>>> run(net::lookup_function lookup, http_url where,
                                                              result<std::optional<proxy_route>> route,
                                                              std::shared_ptr<time_source> time,
                                                              time_source::time_point until,
                                                              net::address_filter allowed) {
    if (where.secure())
      co_return error(errc::invalid_argument, "https needs TLS: build with COMCP_WITH_TLS and use asio_tls_engine");
    if (!route) co_return route.error();
    auto stream = co_await http_detail::dial<Stream>(std::move(lookup), where, *route, time, until, std::move(allowed));
    co_return std::move(stream);
  }

  proxy_options proxies_;
  net::lookup_function lookup_;
};

using plain_connector = basic_plain_connector<>;

}  // namespace comcp
#endif

namespace comcp::http_detail {

/// A connection that is being made.
struct connect_attempt {
  connect_attempt(asio::any_io_executor executor, time_source::time_point at) : on(std::move(executor)), until(at) {}
  asio::any_io_executor on;
  time_source::time_point until;
  asio::cancellation_signal signal;
  bool begun = false, over = false;
};

/// What exchanges share, so that they need no engine. Used from one executor.
template <class Connector>
class asio_engine_core {
 public:
  using stream = typename Connector::stream;
  using pool = asio_pool<stream>;

  asio_engine_core(asio_engine_options o, Connector c)
      : options(std::move(o)),
        from(std::move(c)),
        time(options.time() ? options.time() : steady_time()),
        connections(std::make_shared<pool>(options, time)) {}

  void close() {
    connections->close();
    auto const open = std::move(connecting);
    // Posted: where an io_context is being destroyed, what would be cancelled may be gone already.
    for (auto const& attempt : open) {
      asio::post(attempt->on, [attempt] {
        if (!attempt->over) attempt->signal.emit(asio::cancellation_type::terminal);
      });
    }
  }

  [[nodiscard]] time_source::time_point total_of(http_timeouts const& asked) const {
    return after(*time, asked.total().value_or(*options.timeouts().total()));
  }
  [[nodiscard]] exchange_times times_of(http_timeouts const& asked, time_source::time_point total_at) const {
    auto const& own = options.timeouts();
    exchange_times out;
    out.total_at = total_at;
    out.connect = asked.connect().value_or(*own.connect());
    out.response = asked.response().value_or(*own.response());
    out.idle = asked.idle().value_or(*own.idle());
    return out;
  }

  asio_engine_options options;
  Connector from;
  std::shared_ptr<time_source> time;
  std::shared_ptr<pool> connections;
  std::set<std::shared_ptr<connect_attempt>> connecting;
  common_lines common;  // of the last request
};

/// The bytes of a request as they go to this connection.
template <class Stream>
std::string text_for(http_request const& request, std::string_view common_lines, Stream& stream) {
  proxy_form form;
  if (auto const* route = stream.forwarded_by()) {
    form.absolute = true;
    form.authorization = route->authorization().reveal();
  }
  return write_request_head(request, form, common_lines) + request.body;
}

/// What failed, where the first attempt may have been seen by the server and there was no second one.
inline error const& told_of(error const& sent, error const& second) noexcept {
  bool const own = second == errc::cancelled || second == errc::closed;
  return sent && !own ? sent : second;
}

/// A request that went out on a connection which turned out dead.
struct lost_request {
  std::string text;
  error sent;  // how that failed, where the server may have seen it
};

/// The handler of what is pending: a connection that is made, or a read. The sink keeps the request until it is told
/// what came, which is a Sink::response.
template <class Connector, class Sink>
class asio_exchange {
 public:
  using core = asio_engine_core<Connector>;
  using stream = typename Connector::stream;
  using response = typename Sink::response;
  using cancellation_slot_type = asio::cancellation_slot;

  /// The sink is told once, on `on`, and never from in here.
  static void start(std::shared_ptr<core> with, asio::any_io_executor const& on, http_request const& request,
                    common_headers const& common, asio::cancellation_slot slot, std::shared_ptr<Sink> to) {
    asio_exchange first(std::move(with), request, common, slot, to);
    auto failed = first.step([&]() -> outcome {
      auto const checked = check_request(request);
      if (!checked) return checked.error();
      return first.set_out(on);
    });
    if (!failed) return;
    first.to_.reset();
    comcp::detail::post(on, [to = std::move(to), why = failed->error()] { to->came(why); });
  }

  asio_exchange(asio_exchange&&) noexcept = default;
  asio_exchange& operator=(asio_exchange&&) = delete;
  // Where the io_context is destroyed, nothing may reach for the connection through the slot, or for the io_context.
  ~asio_exchange() {
    if (attempt_) core_->connecting.erase(attempt_);
    if constexpr (Sink::keeps_signal)
      if (to_) slot_.clear();
  }

  /// Bytes came, or the connection's end.
  void operator()(std::error_code ec, std::size_t n) {
    tell([&] { return received(ec, n); });
  }
  /// A connection was made.
  void operator()(std::exception_ptr thrown, result<std::unique_ptr<stream>> made) {
    if (attempt_->begun) return tell([&] { return connected(std::move(thrown), std::move(made)); });
    auto const on = attempt_->on;  // some connectors never wait
    asio::post(on, [self = std::move(*this), thrown = std::move(thrown), made = std::move(made)]() mutable {
      self.tell([&] { return self.connected(std::move(thrown), std::move(made)); });
    });
  }

  [[nodiscard]] asio::cancellation_slot get_cancellation_slot() const noexcept { return slot_; }

 private:
  using outcome = std::optional<result<response>>;  // nothing while it goes on, in another handler

  asio_exchange(std::shared_ptr<core> with, http_request const& request, common_headers const& common,
                asio::cancellation_slot slot, std::shared_ptr<Sink> to)
      : core_(std::move(with)),
        request_(&request),
        common_(common),
        total_at_(core_->total_of(request.timeouts)),
        slot_(slot),
        to_(std::move(to)) {}

  template <class Step>
  static outcome step(Step take) {
    try {
      return take();
    } catch (...) {
      return comcp::detail::current_error();
    }
  }
  template <class Step>
  void tell(Step take) {
    auto const to = to_;
    slot_.clear();
    auto came = step(take);
    if (!came) return;
    lease_.reset();  // who is told may ask again at once
    to_.reset();
    to->came(std::move(*came));
  }

  [[nodiscard]] exchange_times times() const { return core_->times_of(request_->timeouts, total_at_); }

  outcome set_out(asio::any_io_executor const& on) {
    auto taken = core_->connections->take(request_->url, lost_ != nullptr);
    if (!taken) return told_of(sent(), taken.error());
    lease_ = std::move(*taken);
    rested_ = lease_.get() != nullptr;
    if (rested_) return send();
    connect(on);
    return std::nullopt;
  }

  /// By a coroutine of its own, so that the engine's end can end it as well.
  void connect(asio::any_io_executor const& on) {
    auto const until = comcp::detail::later(core_->time->now(), times().connect);
    attempt_ = std::make_shared<connect_attempt>(on, until);
    core_->connecting.insert(attempt_);
    if (slot_.is_connected())
      slot_.assign([attempt = attempt_](asio::cancellation_type type) { attempt->signal.emit(type); });
    auto made =
        core_->from.connect(request_->url, core_->time, std::min(until, total_at_), core_->options.address_filter());
    auto const attempt = attempt_;
    asio::co_spawn(on, std::move(made), asio::bind_cancellation_slot(attempt->signal.slot(), std::move(*this)));
    attempt->begun = true;
  }

  outcome connected(std::exception_ptr thrown, result<std::unique_ptr<stream>> made) {
    auto const attempt = std::exchange(attempt_, nullptr);
    attempt->over = true;
    core_->connecting.erase(attempt);
    asio::post(attempt->on, [attempt] {});  // Asio looks at the slot after the work has ended
    if (core_->connections->closed()) return error(errc::closed, "the HTTP engine is gone");
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (...) {
      made = comcp::detail::current_error();
    }
    if (!made && made.error() == errc::connect_timeout && total_at_ <= attempt->until)
      made = made.error().with_code(errc::exchange_timeout);
    if (made && !to_->is_waiting()) made = error(errc::cancelled);
    if (!made) return told_of(sent(), made.error());
    std::error_code ignored;
    (*made)->socket().non_blocking(true, ignored);
    lease_.attach(std::make_shared<asio_connection<stream>>(std::move(*made), core_->time));
    return send();
  }

  outcome send() {
    auto& c = *lease_.get();
    std::string text;
    if (lost_) {
      text = std::move(lost_->text);
    } else {
      auto const lines = common_ ? core_->common.of(common_) : result<std::string_view>();
      if (!lines) return lines.error();
      text = text_for(*request_, *lines, c.stream());
    }
    c.begin(std::move(text), request_->method, core_->options.limits(), times());
    return read();
  }

  outcome read() {
    auto const c = lease_.get();
    auto const room = c->room();
    c->stream().async_read_some(room, std::move(*this));
    return std::nullopt;
  }

  outcome received(std::error_code ec, std::size_t n) {
    using progress = response_parser::progress;
    auto& c = *lease_.get();
    if (!to_->is_waiting()) c.fail(error(errc::cancelled));
    c.received(ec, n);
    auto const told = c.advance();
    if (told == progress::more) return read();
    if (told == progress::failed) return failed();
    c.pause();
    c.head().address = c.stream().server_address();
    return response(asio_response<stream>(std::move(c.head()), std::move(lease_)));
  }

  // Once more, on a new connection, where that is safe.
  outcome failed() {
    auto const c = lease_.get();
    bool const twice = request_->repeatable || is_idempotent(request_->method);
    lease_.reset();
    if (!rested_ || !c->ended_unanswered() || !(twice || c->nothing_sent())) return c->failure();
    lost_ = std::make_unique<lost_request>();
    if (!c->nothing_sent()) lost_->sent = c->failure();
    lost_->text = c->take_text();
    return set_out(c->stream().get_executor());
  }

  [[nodiscard]] error sent() const { return lost_ ? lost_->sent : error(); }

  std::shared_ptr<core> core_;
  asio_lease<stream> lease_;
  std::shared_ptr<connect_attempt> attempt_;
  http_request const* request_;
  common_headers common_;
  std::unique_ptr<lost_request> lost_;
  time_source::time_point total_at_;
  asio::cancellation_slot slot_;
  std::shared_ptr<Sink> to_;
  bool rested_ = false;  // the connection, so that the server may have closed it
};

/// The sink of a coroutine, which keeps the request.
template <class Response, class Handler>
class awaiting_sink {
 public:
  using response = Response;
  static constexpr bool keeps_signal = false;

  awaiting_sink(Handler handler, asio::cancellation_state state)
      : handler_(std::move(handler)), state_(state), before_(state.cancelled()) {}
  void came(result<Response> r) { std::move(handler_)(std::move(r)); }
  [[nodiscard]] bool is_waiting() const noexcept { return state_.cancelled() == before_; }
  [[nodiscard]] asio::cancellation_slot slot() const noexcept {
    return asio::get_associated_cancellation_slot(handler_);
  }

 private:
  Handler handler_;
  asio::cancellation_state state_;
  asio::cancellation_type before_;  // some clean up after a cancellation
};

/// Response is asio_response, or any_response of it.
template <class Response, class Connector>
asio::awaitable<result<Response>> exchange(std::shared_ptr<asio_engine_core<Connector>> core, http_request request,
                                           common_headers common) {
  auto const on = co_await asio::this_coro::executor;
  auto const state = co_await asio::this_coro::cancellation_state;
  auto const start = [&](auto handler) {
    using sink = awaiting_sink<Response, decltype(handler)>;
    auto to = std::make_shared<sink>(std::move(handler), state);
    asio_exchange<Connector, sink>::start(core, on, request, common, to->slot(), to);
  };
  auto opening =
      asio::async_initiate<asio::use_awaitable_t<> const, void(result<Response>)>(start, asio::use_awaitable);
  auto came = co_await std::move(opening);
  co_return std::move(came);
}

}  // namespace comcp::http_detail
#endif

namespace comcp {

/// The default engine. Moves, does not copy; destroying it ends its exchanges with errc::closed. Between exchanges it
/// keeps connections, and io_context::run() goes on until they have expired: close_idle() closes them at once.
template <class Connector>
class basic_asio_engine {
 public:
  using response = asio_response<typename Connector::stream>;

  explicit basic_asio_engine(asio_engine_options options = asio_engine_options(), Connector from = Connector())
      : core_(std::make_shared<core>(std::move(options), std::move(from))) {}
  basic_asio_engine(basic_asio_engine&&) noexcept = default;
  basic_asio_engine& operator=(basic_asio_engine&& other) noexcept {
    if (this != &other) {
      if (core_) core_->close();
      core_ = std::move(other.core_);
    }
    return *this;
  }
  ~basic_asio_engine() {
    if (core_) core_->close();
  }

  /// As the concept `engine` says. A request whose kept connection turns out dead before a byte of the answer goes out
  /// once more, on a new one, where nothing of it was sent, or where it may arrive twice: it says so (`repeatable`), or
  /// its method is idempotent. Precondition: this was not moved from.
  [[nodiscard]] asio::awaitable<result<response>> open(http_request request) {
    return open_as<response>(std::move(request), nullptr);
  }
  /// The same for any_engine.
  template <class Response>
  [[nodiscard]] asio::awaitable<result<Response>> open_as(http_request request, common_headers common) {
    return http_detail::exchange<Response>(core_, std::move(request), std::move(common));
  }
  bool start(asio::any_io_executor const& on, http_request const& request, common_headers const& common,
             asio::cancellation_slot slot, std::shared_ptr<http_detail::response_sink> to) {
    using started = http_detail::asio_exchange<Connector, http_detail::response_sink>;
    started::start(core_, on, request, common, slot, std::move(to));
    return true;
  }

  /// Closes the connections that no exchange is on.
  void close_idle() { core_->connections->close_idle(); }
  [[nodiscard]] std::size_t idle_connections() const noexcept { return core_->connections->idle_count(); }
  [[nodiscard]] std::size_t busy_connections() const noexcept { return core_->connections->busy_count(); }

 private:
  using core = http_detail::asio_engine_core<Connector>;
  std::shared_ptr<core> core_;
};

/// For http URLs; asio_tls_engine has https as well.
using asio_engine = basic_asio_engine<plain_connector>;

static_assert(engine<asio_engine>);

}  // namespace comcp
#endif

// http/tls.hpp
#if !defined(COMCP_SINGLE_HTTP_TLS_HPP)
#define COMCP_SINGLE_HTTP_TLS_HPP
// Whom a TLS connection trusts and who it says it is. Options only, for the Asio engines; no TLS library is needed
// here.

#include <string>
#include <utility>

namespace comcp {

enum class tls_version { v1_2, v1_3 };

/// The default verifies the server's certificate chain against the system's authorities (with OpenSSL also what
/// SSL_CERT_FILE and SSL_CERT_DIR name), and its host name or IP address by the certificate's alternative names, with
/// TLS 1.2 or newer. Files are PEM, not encrypted, and read at the first connection.
class tls_options {
 public:
  tls_options() {}

  /// The authorities to trust, in place of the system's. A file and a text add up.
  tls_options& ca_file(std::string path) { return ca_file_ = std::move(path), *this; }
  tls_options& ca_pem(std::string text) { return ca_pem_ = std::move(text), *this; }

  /// Who this client is, for servers that ask: its certificate with those between it and its authority, and its key.
  tls_options& client_certificate(std::string certificate_file, std::string key_file) {
    certificate_file_ = std::move(certificate_file);
    key_file_ = std::move(key_file);
    return *this;
  }

  tls_options& minimum_version(tls_version version) { return minimum_version_ = version, *this; }

  /// The name that is sent to the server (SNI) and must be in its certificate, in place of the URL's host.
  tls_options& server_name(std::string name) { return server_name_ = std::move(name), *this; }

  /// DANGEROUS: takes any certificate of anybody. Whoever is on the way to the server can then read and change all of
  /// it, tokens included. For tests against a throwaway server only; trust its own certificate with ca_file() instead.
  tls_options& insecure_skip_verification(bool skip = true) { return skip_verification_ = skip, *this; }

  [[nodiscard]] std::string const& ca_file() const noexcept { return ca_file_; }
  [[nodiscard]] std::string const& ca_pem() const noexcept { return ca_pem_; }
  [[nodiscard]] std::string const& certificate_file() const noexcept { return certificate_file_; }
  [[nodiscard]] std::string const& key_file() const noexcept { return key_file_; }
  [[nodiscard]] tls_version minimum_version() const noexcept { return minimum_version_; }
  [[nodiscard]] std::string const& server_name() const noexcept { return server_name_; }
  [[nodiscard]] bool skips_verification() const noexcept { return skip_verification_; }

 private:
  std::string ca_file_, ca_pem_, certificate_file_, key_file_, server_name_;
  tls_version minimum_version_ = tls_version::v1_2;
  bool skip_verification_ = false;
};

}  // namespace comcp
#endif
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS

// http/asio_tls_engine.hpp
#if !defined(COMCP_SINGLE_HTTP_ASIO_TLS_ENGINE_HPP)
#define COMCP_SINGLE_HTTP_ASIO_TLS_ENGINE_HPP
// The default engine with TLS: http and https on OpenSSL.

// http/tls_connector.hpp
#if !defined(COMCP_SINGLE_HTTP_TLS_CONNECTOR_HPP)
#define COMCP_SINGLE_HTTP_TLS_CONNECTOR_HPP
// The connector for http and https URLs, on Asio's ssl and OpenSSL. An opt-in header: where COMCP_WITH_TLS is on, the
// CMake target links OpenSSL.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

// http/tls_stream.hpp
#if !defined(COMCP_SINGLE_HTTP_TLS_STREAM_HPP)
#define COMCP_SINGLE_HTTP_TLS_STREAM_HPP
// The bytes of one connection, under TLS or without it. Needs OpenSSL.

#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include <asio/ssl/context.hpp>
#include <asio/ssl/error.hpp>
#include <asio/ssl/stream.hpp>

namespace comcp {

/// A plain_stream on which TLS may start. Then asio::error::eof is the peer's close_notify; a connection that ends
/// without it gives asio::ssl::error::stream_truncated. close() sends no close_notify, as HTTP's framing says where a
/// request ends.
class tls_stream : public plain_stream {
 public:
  using plain_stream::plain_stream;

  /// What the handshake is done on.
  using layer = asio::ssl::stream<asio::ip::tcp::socket&>;
  layer& start(asio::ssl::context& context) { return tls_.emplace(socket(), context); }
  [[nodiscard]] bool secure() const noexcept { return tls_.has_value(); }

  template <class Token>
  auto async_read_some(asio::mutable_buffer into, Token&& token) {
    if (!tls_) return plain_stream::async_read_some(into, std::forward<Token>(token));
    return tls_->async_read_some(into, std::forward<Token>(token));
  }
  template <class Token>
  auto async_write_some(asio::const_buffer from, Token&& token) {
    if (!tls_) return plain_stream::async_write_some(from, std::forward<Token>(token));
    return tls_->async_write_some(from, std::forward<Token>(token));
  }

  /// Under TLS nothing is possible without waiting.
  std::size_t try_write(asio::const_buffer from, std::error_code& ec) {
    if (!tls_) return plain_stream::try_write(from, ec);
    ec = asio::error::would_block;
    return 0;
  }

  [[nodiscard]] bool quiet() { return !holds_bytes() && plain_stream::quiet(); }

 private:
  // Asio reads ahead of OpenSSL, into a BIO that OpenSSL does not count.
  [[nodiscard]] bool holds_bytes() {
    if (!tls_) return false;
    SSL* const s = tls_->native_handle();
    return ::SSL_has_pending(s) != 0 || ::BIO_ctrl_pending(::SSL_get_rbio(s)) != 0;
  }

  std::optional<layer> tls_;
};

}  // namespace comcp
#endif

namespace comcp {
namespace http_detail {

/// The SSL context of a connector and its copies, made when it is first needed: the system's authorities take
/// milliseconds to read. Safe from any thread.
class tls_context {
 public:
  explicit tls_context(tls_options options) : options_(std::move(options)) {}

  /// Makes the context if there is none; what is wrong with the options is errc::tls_failed each time.
  result<void> prepare();
  /// After prepare() only.
  [[nodiscard]] asio::ssl::context& native() noexcept { return *native_; }
  [[nodiscard]] tls_options const& options() const noexcept { return options_; }

 private:
  error make();

  tls_options options_;
  std::once_flag once_;
  std::optional<asio::ssl::context> native_;
  error problem_;
};

/// Says to a connection which server it must be talking to. Errors: tls_failed.
result<void> expect_server(SSL* connection, std::string const& name, bool verify);

/// Why a handshake with `host` failed, with OpenSSL's words.
error handshake_failure(SSL* connection, std::error_code why, bool late, std::string const& host);

/// The TLS handshake, on a connection that leads to the server.
template <class Stream>
asio::awaitable<error> secure(Stream& stream, std::shared_ptr<tls_context> context, http_url where,
                              std::shared_ptr<time_source> time, time_source::time_point until) {
  auto const ready = context->prepare();
  if (!ready) co_return ready.error();
  auto const& options = context->options();
  std::string name = options.server_name();
  if (name.empty()) name = where.host_name();
  auto& layer = stream.start(context->native());
  auto const told = expect_server(layer.native_handle(), name, !options.skips_verification());
  if (!told) co_return told.error();
  net::socket_alarm const alarm(*time, stream.socket(), until);
  auto const [ec] = co_await layer.async_handshake(asio::ssl::stream_base::client, net::tuple_awaitable);
  if (ec) co_return handshake_failure(layer.native_handle(), ec, alarm.rang(), host_and_port(where));
  co_return error();
}

}  // namespace http_detail

/// Connections for http and https URLs, through a proxy where one is meant for them. Copies share their TLS context.
template <class Stream = tls_stream>
class basic_tls_connector {
 public:
  using stream = Stream;

  explicit basic_tls_connector(tls_options tls = tls_options(),
                               proxy_options proxies = proxy_options::from_environment(),
                               net::lookup_function lookup = net::system_lookup<asio::any_io_executor>)
      : context_(std::make_shared<http_detail::tls_context>(std::move(tls))),
        proxies_(std::move(proxies)),
        lookup_(std::move(lookup)) {}

  [[nodiscard]] asio::awaitable<result<std::unique_ptr<Stream>>> connect(http_url where,
                                                                         std::shared_ptr<time_source> time,
                                                                         time_source::time_point until,
                                                                         net::address_filter allowed = {}) const {
    auto route = proxies_.proxy_for(where);
    return run(context_, lookup_, std::move(where), std::move(route), std::move(time), until, std::move(allowed));
  }

 private:
  static asio::awaitable<result<std::unique_ptr<Stream>>> run(std::shared_ptr<http_detail::tls_context> context,
                                                              net::lookup_function lookup, http_url where,
                                                              result<std::optional<proxy_route>> route,
                                                              std::shared_ptr<time_source> time,
                                                              time_source::time_point until,
                                                              net::address_filter allowed) {
    if (!route) co_return route.error();
    auto stream = co_await http_detail::dial<Stream>(std::move(lookup), where, *route, time, until, std::move(allowed));
    if (!stream || !where.secure()) co_return std::move(stream);
    if (*route) {
      auto const refused = co_await http_detail::open_tunnel(**stream, where, **route, time, until);
      if (refused) co_return refused;
    }
    auto const failed = co_await http_detail::secure(**stream, std::move(context), where, time, until);
    if (failed) co_return failed;
    co_return std::move(stream);
  }

  std::shared_ptr<http_detail::tls_context> context_;
  proxy_options proxies_;
  net::lookup_function lookup_;
};

using tls_connector = basic_tls_connector<>;

}  // namespace comcp

// http/system_trust.hpp
#if !defined(COMCP_SINGLE_HTTP_SYSTEM_TRUST_HPP)
#define COMCP_SINGLE_HTTP_SYSTEM_TRUST_HPP
// Whom this system trusts to say who a TLS server is. One file for each kind of system. Internal, with TLS only.

#include <system_error>

#include <asio/ssl/context.hpp>

namespace comcp::http_detail {

/// Adds the system's authorities to the context: OpenSSL's default files and folders; on Windows the certificates of the
/// store "ROOT" that are good for servers and not in "Disallowed"; on macOS those that its keychains trust for everything,
/// or OpenSSL's where SSL_CERT_FILE or SSL_CERT_DIR is set. It may take milliseconds.
std::error_code trust_system(asio::ssl::context& context);

}  // namespace comcp::http_detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/system_trust_macos.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_SYSTEM_TRUST_MACOS_IPP)
#define COMCP_SINGLE_HTTP_IMPL_SYSTEM_TRUST_MACOS_IPP

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
#endif

// http/impl/system_trust_openssl.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_SYSTEM_TRUST_OPENSSL_IPP)
#define COMCP_SINGLE_HTTP_IMPL_SYSTEM_TRUST_OPENSSL_IPP

#if !defined(_WIN32) && !defined(__APPLE__)

namespace comcp::http_detail {

COMCP_DECL std::error_code trust_system(asio::ssl::context& context) {
  std::error_code ec;
  context.set_default_verify_paths(ec);
  return ec;
}

}  // namespace comcp::http_detail

#endif
#endif

// http/impl/system_trust_windows.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_SYSTEM_TRUST_WINDOWS_IPP)
#define COMCP_SINGLE_HTTP_IMPL_SYSTEM_TRUST_WINDOWS_IPP

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
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/tls_connector.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_TLS_CONNECTOR_IPP)
#define COMCP_SINGLE_HTTP_IMPL_TLS_CONNECTOR_IPP
#include <asio/ip/address.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace comcp::http_detail {

COMCP_DECL error tls_setup_failed(std::string what, std::error_code why) {
  return {errc::tls_failed, std::move(what) + ": " + why.message()};
}

COMCP_DECL std::error_code last_ssl_error() {
  return {static_cast<int>(::ERR_get_error()), asio::error::get_ssl_category()};
}

COMCP_DECL result<void> tls_context::prepare() {
  std::call_once(once_, [this] { problem_ = make(); });
  if (problem_) return problem_;
  return {};
}

COMCP_DECL error tls_context::make() {
  ::ERR_clear_error();
  SSL_CTX* const raw = ::SSL_CTX_new(::TLS_client_method());
  if (raw == nullptr) return tls_setup_failed("no TLS context", last_ssl_error());
  native_.emplace(raw);
  // Without it OpenSSL asks the terminal for the password of an encrypted key, and waits.
  ::SSL_CTX_set_default_passwd_cb(raw, [](char*, int, int, void*) { return -1; });
  std::error_code ec;
  auto const oldest = options_.minimum_version() == tls_version::v1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
  if (::SSL_CTX_set_min_proto_version(raw, oldest) != 1)
    return tls_setup_failed("the minimum TLS version is not supported", last_ssl_error());
  constexpr unsigned char http11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  ::SSL_CTX_set_alpn_protos(raw, http11, sizeof http11);
  if (!options_.ca_file().empty()) native_->load_verify_file(options_.ca_file(), ec);
  if (ec) return tls_setup_failed("cannot load the authorities of " + options_.ca_file(), ec);
  if (!options_.ca_pem().empty()) native_->add_certificate_authority(asio::buffer(options_.ca_pem()), ec);
  if (ec) return tls_setup_failed("cannot read the given authorities", ec);
  if (options_.ca_file().empty() && options_.ca_pem().empty()) ec = trust_system(*native_);
  if (ec) return tls_setup_failed("cannot load the system's authorities", ec);
  if (!options_.certificate_file().empty()) {
    native_->use_certificate_chain_file(options_.certificate_file(), ec);
    if (ec) return tls_setup_failed("cannot load the client certificate " + options_.certificate_file(), ec);
    native_->use_private_key_file(options_.key_file(), asio::ssl::context::pem, ec);
    if (ec) return tls_setup_failed("cannot load the client key " + options_.key_file(), ec);
  }
  return {};
}

COMCP_DECL result<void> expect_server(SSL* connection, std::string const& name, bool verify) {
  // A root's final dot is in neither names on the wire nor certificates.
  std::string const host = name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
  std::error_code no_address;
  asio::ip::make_address(host, no_address);
  bool ok = true;
  if (no_address) ok = SSL_set_tlsext_host_name(connection, host.c_str()) == 1;
  if (verify) {
    ::SSL_set_verify(connection, SSL_VERIFY_PEER, nullptr);
    auto* const wanted = ::SSL_get0_param(connection);
    ::X509_VERIFY_PARAM_set_hostflags(wanted,
                                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    ok = ok && (no_address ? ::X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size())
                           : ::X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str())) == 1;
  } else {
    ::SSL_set_verify(connection, SSL_VERIFY_NONE, nullptr);
  }
  if (!ok) return tls_setup_failed(host + " cannot be the name of a TLS server", last_ssl_error());
  return {};
}

COMCP_DECL error handshake_failure(SSL* connection, std::error_code why, bool late, std::string const& host) {
  if (late) return {errc::connect_timeout, host + " did not finish the TLS handshake in time"};
  if (why == asio::error::operation_aborted) return {errc::cancelled};
  auto const verdict = ::SSL_get_verify_result(connection);
  if (verdict != X509_V_OK && ::SSL_get_verify_mode(connection) != SSL_VERIFY_NONE)
    return {errc::tls_failed, host + " is not trusted: " + ::X509_verify_cert_error_string(verdict)};
  if (why == asio::error::eof || why == asio::ssl::error::stream_truncated)
    return {errc::tls_failed, host + " closed the connection in the TLS handshake"};
  if (why.category() == asio::error::get_system_category())
    return {errc::connect_failed, "the connection to " + host + " broke in the TLS handshake: " + why.message()};
  return {errc::tls_failed, "no TLS connection to " + host + ": " + why.message()};
}

}  // namespace comcp::http_detail
#endif
#endif
#endif

namespace comcp {

/// As asio_engine, for https URLs too.
using asio_tls_engine = basic_asio_engine<tls_connector>;

static_assert(engine<asio_tls_engine>);

}  // namespace comcp
#endif
#endif

namespace comcp {

// What a configuration makes the default is a part of its name: objects of two configurations do not link.
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
inline namespace http_with_tls {
using default_http_engine = asio_tls_engine;
#else
inline namespace http_without_tls {
using default_http_engine = asio_engine;
#endif
}  // inline namespace

namespace detail {

// A template, so that only who uses HTTP pays for it.
template <class Engine = default_http_engine>
std::shared_ptr<Engine> make_http_engine(asio_engine_options options, proxy_options proxies,
                                         [[maybe_unused]] tls_options const& tls,
                                         net::lookup_function lookup = net::system_lookup<asio::any_io_executor>) {
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
  tls_connector from(tls, std::move(proxies), std::move(lookup));
#else
  plain_connector from(std::move(proxies), std::move(lookup));
#endif
  return std::make_shared<Engine>(std::move(options), std::move(from));
}

}  // namespace detail
}  // namespace comcp

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

extern template std::shared_ptr<default_http_engine> make_http_engine(asio_engine_options, proxy_options,
                                                                      tls_options const&, net::lookup_function);

}  // namespace comcp::detail
#endif

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/default_engine.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_DEFAULT_ENGINE_IPP)
#define COMCP_SINGLE_HTTP_IMPL_DEFAULT_ENGINE_IPP
// For compiled mode alone: the engine that nearly all users of HTTP have in common, compiled once.

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

template std::shared_ptr<default_http_engine> make_http_engine(asio_engine_options, proxy_options, tls_options const&,
                                                               net::lookup_function);

}  // namespace comcp::detail
#endif
#endif
#endif
#endif

// transport/http_endpoint.hpp
#if !defined(COMCP_SINGLE_TRANSPORT_HTTP_ENDPOINT_HPP)
#define COMCP_SINGLE_TRANSPORT_HTTP_ENDPOINT_HPP
// MCP over HTTP as a transport, over any engine and with any authenticator. Internal: users have streamable_http and
// http.

#include <memory>
#include <optional>
#include <string_view>

#include <asio/awaitable.hpp>

// transport/http_session.hpp
#if !defined(COMCP_SINGLE_TRANSPORT_HTTP_SESSION_HPP)
#define COMCP_SINGLE_TRANSPORT_HTTP_SESSION_HPP
// One connection to an MCP server over HTTP, from open() to its end, and how its parts hang together. Internal.

#include <functional>
#include <memory>

#include <asio/awaitable.hpp>

// transport/http_link.hpp
#if !defined(COMCP_SINGLE_TRANSPORT_HTTP_LINK_HPP)
#define COMCP_SINGLE_TRANSPORT_HTTP_LINK_HPP
// What the parts of a session over HTTP share: the way out with its headers, and whom to tell what came. Internal.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/cancellation_signal.hpp>

// net/gate.hpp
#if !defined(COMCP_SINGLE_NET_GATE_HPP)
#define COMCP_SINGLE_NET_GATE_HPP
// Waiting for something that happens once, and for a moment, on one executor. Internal.

#include <chrono>
#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

namespace comcp::detail {

/// Closed until open() is called; whoever waits goes on then. Waits can be cancelled.
class gate {
 public:
  explicit gate(asio::any_io_executor on) : timer_(std::move(on), asio::steady_timer::time_point::max()) {}

  void open() noexcept;
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// The gate outlives the wait.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> wait();

 private:
  asio::steady_timer timer_;  // never expires; cancelled when the gate opens
  bool open_ = false;
};

/// Waits on the caller's executor until then, as the source tells the time.
COMCP_LAZY asio::awaitable<void> pause_until(std::shared_ptr<time_source> time, time_source::time_point until);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// net/impl/gate.ipp
#if !defined(COMCP_SINGLE_NET_IMPL_GATE_IPP)
#define COMCP_SINGLE_NET_IMPL_GATE_IPP
#include <system_error>

#include <asio/this_coro.hpp>

namespace comcp::detail {

COMCP_DECL void gate::open() noexcept {
  open_ = true;
  try {
    timer_.cancel();
  } catch (std::system_error const&) {
    // Documented to throw, never seen to.
  }
}

COMCP_LAZY_DECL asio::awaitable<void> gate::wait() {
  while (!open_) co_await net::async_wait(timer_);
}

COMCP_LAZY_DECL asio::awaitable<void> pause_until(std::shared_ptr<time_source> time, time_source::time_point until) {
  auto const executor = co_await asio::this_coro::executor;
  // Shared: the deadline may be firing while a cancelled wait goes away.
  auto const reached = std::make_shared<gate>(executor);
  auto const alarm = time->make_deadline(executor);
  std::function<void()> fire = [reached] { reached->open(); };
  alarm->arm(until, std::move(fire));
  co_await reached->wait();
}

}  // namespace comcp::detail
#endif
#endif
#endif

// transport/http_fetch.hpp
#if !defined(COMCP_SINGLE_TRANSPORT_HTTP_FETCH_HPP)
#define COMCP_SINGLE_TRANSPORT_HTTP_FETCH_HPP
// One request with what may have to happen before its answer counts: credentials, a challenge, a redirect, a wait
// that the server asked for. Internal.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

// auth/any_authenticator.hpp
#if !defined(COMCP_SINGLE_AUTH_ANY_AUTHENTICATOR_HPP)
#define COMCP_SINGLE_AUTH_ANY_AUTHENTICATOR_HPP
// Any authenticator behind one type, so that what speaks MCP over HTTP is no template.

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp {

/// Any authenticator; copies are the same one. no_auth is none at all.
class any_authenticator {
 public:
  template <class A>
    requires(!std::same_as<A, any_authenticator>)
  explicit any_authenticator(A a) {
    if constexpr (!std::same_as<A, no_auth>) self_ = std::make_shared<model<A>>(std::move(a));
  }

  explicit operator bool() const noexcept { return self_ != nullptr; }

  [[nodiscard]] std::string identity() const { return self_ ? self_->identity() : std::string(); }
  [[nodiscard]] std::vector<std::string> extensions() const {
    return self_ ? self_->extensions() : std::vector<std::string>();
  }
  // Precondition of these: it is not no_auth.
  [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const& r) { return self_->headers(r); }
  [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const& r, http_headers const& sent,
                                                                 http_response_head const& got) {
    return self_->challenged(r, sent, got);
  }
  void observed(auth_request const& r, http_response_head const& got) { self_->observed(r, got); }

 private:
  struct base {
    virtual ~base() = default;
    virtual asio::awaitable<result<http_headers>> headers(auth_request const&) = 0;
    virtual asio::awaitable<result<auth_verdict>> challenged(auth_request const&, http_headers const&,
                                                             http_response_head const&) = 0;
    [[nodiscard]] virtual std::string identity() const = 0;
    [[nodiscard]] virtual std::vector<std::string> extensions() const = 0;
    virtual void observed(auth_request const&, http_response_head const&) = 0;
  };

  template <class A>
  struct model final : base {
    explicit model(A a) : of(std::move(a)) {}
    asio::awaitable<result<http_headers>> headers(auth_request const& r) override { return of.headers(r); }
    asio::awaitable<result<auth_verdict>> challenged(auth_request const& r, http_headers const& sent,
                                                     http_response_head const& got) override {
      return of.challenged(r, sent, got);
    }
    [[nodiscard]] std::string identity() const override { return of.identity(); }
    [[nodiscard]] std::vector<std::string> extensions() const override {
      if constexpr (requires(A const& a) { a.extensions(); }) return of.extensions();
      else return {};
    }
    void observed(auth_request const& r, http_response_head const& got) override {
      if constexpr (requires { of.observed(r, got); }) of.observed(r, got);
    }
    A of;
  };

  std::shared_ptr<base> self_;
};

}  // namespace comcp
#endif

// sansio/http_exchange.hpp
#if !defined(COMCP_SINGLE_SANSIO_HTTP_EXCHANGE_HPP)
#define COMCP_SINGLE_SANSIO_HTTP_EXCHANGE_HPP
// What the head of an HTTP response means to MCP, and what its body makes of a failure. Carrying out the verdict is
// the transport's. Specification: 2026-07-28 basic/transports/streamable-http, 2025-11-25 basic/transports

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace comcp::sansio {

/// What was sent, as far as the meaning of its answer depends on it.
struct http_sent {
  bool request = false;     ///< A POST that is to bring an answer; else a notification or an answer.
  bool repeatable = false;  ///< It may be sent again after the server refused it for now.
  bool in_session = false;  ///< A session id went along.
  unsigned redirects = 0;   ///< Followed so far.
  unsigned challenges = 0;  ///< 401 and 403 answered so far.
  unsigned waits = 0;       ///< Retry-After obeyed so far.
};

struct http_verdict {
  enum class action {
    json,          ///< The body is one JSON text.
    stream,        ///< The body is an event stream.
    accepted,      ///< Done; the body does not matter.
    authorize,     ///< Ask the authenticator; `why` holds if it has no answer.
    redirect,      ///< The same again to `where`.
    wait,          ///< The same again after `delay`; `why` holds if there is no time for it.
    session_lost,  ///< The server does not know the session any more.
    none,          ///< GET only: the server has no such stream.
    fail,          ///< `why`, once with_body() has looked at the body.
  };
  action what = action::fail;
  error why;
  std::optional<http_url> where;
  std::chrono::seconds delay{};
};

inline constexpr unsigned most_redirects = 3, most_challenges = 3, most_waits = 3;
inline constexpr std::chrono::seconds longest_retry_after{60};
inline constexpr std::size_t snippet_size = 256;

[[nodiscard]] http_verdict judge_post(http_sent const& sent, http_url const& at, http_response_head const& got,
                                      std::chrono::system_clock::time_point now);
/// For a GET that asks for an event stream.
[[nodiscard]] http_verdict judge_get(http_sent const& sent, http_url const& at, http_response_head const& got,
                                     std::chrono::system_clock::time_point now);

/// What the first challenge that says anything of it gives as error, error_description and scope, each bounded and made
/// printable, to go on after who said it; else empty.
[[nodiscard]] std::string told_by_challenge(http_headers const& headers);

/// A failure with what its body says: the JSON-RPC error that it holds, or its first bytes, made printable.
[[nodiscard]] error with_body(error const& why, std::string_view body);

/// Why a JSON answer answered nothing: it is no JSON, no message, or belongs to another request.
[[nodiscard]] error unanswered(http_response_head const& got, std::string_view body);

/// Whether `initialize` that failed so may have met a server of 2024-11-05, which a GET would show.
[[nodiscard]] bool may_be_http_sse(error const& e);

/// Whether a message of a session was refused for that session in the way of servers built after the examples of the
/// TypeScript SDK: 400 and -32000, where the specification wants 404.
[[nodiscard]] bool means_session_lost(error const& e);

/// Whether what was refused so will be refused again.
[[nodiscard]] bool is_final(error const& e);

/// Session ids are visible ASCII.
[[nodiscard]] bool is_session_id(std::string_view text) noexcept;

}  // namespace comcp::sansio

// auth/challenge.hpp
#if !defined(COMCP_SINGLE_AUTH_CHALLENGE_HPP)
#define COMCP_SINGLE_AUTH_CHALLENGE_HPP
// What WWW-Authenticate says: challenges, each a scheme with parameters (RFC 9110, section 11.6.1). Pure.
// Specification: 2026-07-28, basic/authorization, "Protected Resource Metadata Discovery Requirements"

#include <string>
#include <string_view>
#include <vector>

namespace comcp {

/// One challenge. Regular.
class auth_challenge {
 public:
  explicit auth_challenge(std::string scheme) : scheme_(std::move(scheme)) {}

  /// As the server wrote it: compare with is().
  [[nodiscard]] std::string const& scheme() const noexcept { return scheme_; }
  /// Whether it is this scheme, without case.
  [[nodiscard]] bool is(std::string_view scheme) const noexcept;
  /// A parameter's value, unquoted; names are compared without case; the first of two wins. Null where there is none.
  [[nodiscard]] std::string const* find(std::string_view name) const noexcept;
  [[nodiscard]] std::string const& token68() const noexcept { return token68_; }

  void add(std::string name, std::string value) { parameters_.push_back({std::move(name), std::move(value)}); }
  void token68(std::string text) { token68_ = std::move(text); }

  friend bool operator==(auth_challenge const&, auth_challenge const&) = default;

 private:
  std::string scheme_, token68_;
  std::vector<http_field> parameters_;
};

/// Every challenge of every WWW-Authenticate field, in order. Never fails: what is malformed is passed over up to the
/// next comma, values that lack their quotes are taken as they are, and bounds (16 KiB of text, 16 challenges, 32
/// parameters each) cut what is too much.
std::vector<auth_challenge> parse_challenges(http_headers const& headers);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// auth/impl/challenge.ipp
#if !defined(COMCP_SINGLE_AUTH_IMPL_CHALLENGE_IPP)
#define COMCP_SINGLE_AUTH_IMPL_CHALLENGE_IPP
#include <algorithm>
#include <optional>
#include <utility>

namespace comcp {
namespace detail {

inline constexpr std::size_t max_challenge_text = 16 * 1024, max_challenges = 16, max_challenge_parameters = 32;

/// Reads one field. A comma separates challenges and parameters alike: what follows one is a parameter where it has an
/// equals sign, else the next scheme.
class challenge_reader {
 public:
  challenge_reader(std::string_view text, std::vector<auth_challenge>& out) noexcept : rest_(text), out_(out) {}

  void run() {
    for (skip(" \t,"); !rest_.empty(); skip(" \t,")) {
      if (parameter()) continue;
      auto const scheme = run_of(is_token);
      if (scheme.empty() || !(rest_.empty() || at(" \t,"))) {
        pass_over();
        continue;
      }
      if (out_.size() == max_challenges) return;
      current_ = &out_.emplace_back(std::string(scheme));
      count_ = 0;
      token68();
    }
  }

 private:
  static bool is_token(char c) noexcept { return is_http_token(std::string_view(&c, 1)); }
  [[nodiscard]] bool at(std::string_view any) const noexcept { return !rest_.empty() && any.find(rest_[0]) != any.npos; }
  void skip(std::string_view any) noexcept {
    while (at(any)) rest_.remove_prefix(1);
  }
  std::string_view run_of(auto fits) {
    auto const end = std::find_if_not(rest_.begin(), rest_.end(), fits);
    auto const out = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(out.size());
    return out;
  }

  /// From its quote on; nothing, and nothing left, where it is not closed.
  std::optional<std::string> quoted() {
    std::string out;
    for (rest_.remove_prefix(1); !rest_.empty(); rest_.remove_prefix(1)) {
      if (rest_[0] == '"') return rest_.remove_prefix(1), out;
      if (rest_[0] == '\\') rest_.remove_prefix(1);
      if (rest_.empty()) break;
      out += rest_[0];
    }
    return {};
  }

  /// Whether a parameter, however broken its value is, was here; it goes to the current challenge.
  bool parameter() {
    auto const before = rest_;
    auto const name = run_of(is_token);
    skip(" \t");
    if (name.empty() || !at("=")) return rest_ = before, false;
    rest_.remove_prefix(1);
    skip(" \t");
    bool const in_quotes = at("\"");
    auto const plain = [](char c) { return std::string_view(" \t,\"").find(c) == std::string_view::npos; };
    auto value = in_quotes ? quoted() : std::optional(std::string(run_of(plain)));
    if (!value || (value->empty() && !in_quotes) || !current_ || count_ == max_challenge_parameters) return true;
    current_->add(std::string(name), std::move(*value));
    ++count_;
    return true;
  }

  /// What follows a scheme, if it is one and nothing else follows it.
  void token68() {
    auto const before = rest_;
    skip(" \t");
    auto const start = rest_;
    auto const digits = run_of([](char c) {
      return c == '/' || (is_token(c) && std::string_view("!#$%&'*^`|").find(c) == std::string_view::npos);
    });
    auto const padding = run_of([](char c) { return c == '='; });
    auto const text = start.substr(0, digits.size() + padding.size());
    skip(" \t");
    if (digits.empty() || !(rest_.empty() || at(","))) {
      rest_ = before;
    } else {
      current_->token68(std::string(text));
    }
  }

  void pass_over() {
    while (!rest_.empty() && !at(",")) {
      if (at("\"")) {
        (void)quoted();
      } else {
        rest_.remove_prefix(1);
      }
    }
  }

  std::string_view rest_;
  std::vector<auth_challenge>& out_;
  auth_challenge* current_ = nullptr;  // the last of out_, once this field began one
  std::size_t count_ = 0;              // its parameters
};

}  // namespace detail

COMCP_DECL bool auth_challenge::is(std::string_view scheme) const noexcept {
  return http_detail::same_name(scheme_, scheme);
}

COMCP_DECL std::string const* auth_challenge::find(std::string_view name) const noexcept {
  for (auto const& p : parameters_) {
    if (http_detail::same_name(p.name, name)) return &p.value;
  }
  return nullptr;
}

COMCP_DECL std::vector<auth_challenge> parse_challenges(http_headers const& headers) {
  std::vector<auth_challenge> out;
  auto left = detail::max_challenge_text;
  for (auto text : headers.all("WWW-Authenticate")) {
    if (text.size() > left) {
      // Cut between two parts: half a value would be another one.
      text = text.substr(0, left);
      auto const comma = text.rfind(',');
      text = text.substr(0, comma == text.npos ? 0 : comma);
      left = text.size();
    }
    left -= text.size();
    detail::challenge_reader(text, out).run();
  }
  return out;
}

}  // namespace comcp
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// sansio/impl/http_exchange.ipp
#if !defined(COMCP_SINGLE_SANSIO_IMPL_HTTP_EXCHANGE_IPP)
#define COMCP_SINGLE_SANSIO_IMPL_HTTP_EXCHANGE_IPP
#include <algorithm>
#include <array>

namespace comcp::sansio {
namespace detail {

using action = http_verdict::action;

COMCP_DECL error of_status(errc code, http_response_head const& got, std::string text) {
  transport_detail detail;
  detail.http_status = got.status;
  return error(code, std::move(text)).with_detail(std::move(detail));
}

COMCP_DECL http_verdict verdict(action what, error why = error()) {
  http_verdict v;
  v.what = what;
  v.why = std::move(why);
  return v;
}

COMCP_DECL bool is_encoded(http_response_head const& got) {
  for (auto const value : got.headers.all("Content-Encoding")) {
    if (value != "identity" && !value.empty()) return true;
  }
  return false;
}

// Bytes of a stranger, for people: no controls, and no character cut in half.
COMCP_DECL std::string printable(std::string_view body) {
  bool const cut = body.size() > snippet_size;
  std::string out(body.substr(0, snippet_size));
  while (cut && !out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) out.pop_back();
  if (cut && !out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0U) out.pop_back();
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return out;
}

// A header's value, of which ASCII is all that means anything.
COMCP_DECL std::string quoted_field(std::string_view value) {
  std::string out(value.substr(0, 80));
  for (char& c : out) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  return '"' + out + (value.size() > 80 ? "\"..." : "\"");
}

COMCP_DECL http_verdict success(http_response_head const& got, bool streams_only) {
  if (is_encoded(got)) return verdict(action::fail, of_status(errc::unsupported_encoding, got, "the body is compressed"));
  auto const* const text = got.headers.find("Content-Type");
  if (!streams_only && has_media_type(got.headers, "application/json")) return verdict(action::json);
  if (has_media_type(got.headers, "text/event-stream")) return verdict(action::stream);
  return verdict(action::fail, of_status(errc::wrong_content_type, got,
                                         text ? "the content type is " + quoted_field(*text) : "there is no content type"));
}

COMCP_DECL http_verdict redirect(http_sent const& sent, http_url const& at, http_response_head const& got, bool post) {
  auto const refuse = [&got](std::string why) {
    return verdict(action::fail, of_status(errc::redirect_refused, got, std::move(why)));
  };
  bool const keeps_method = got.status == 307 || got.status == 308;
  bool const simple = got.status == 301 || got.status == 302 || got.status == 303;
  if (!keeps_method && (post || !simple)) return refuse("a redirect that would not repeat the request as it is");
  auto const* const location = got.headers.find("Location");
  auto const target = location ? at.resolve(*location) : result<http_url>(error(errc::invalid_argument));
  if (!target) return refuse("a redirect to nowhere");
  if (!same_origin(at, *target)) return refuse("a redirect to another origin: " + target->origin());
  if (sent.redirects >= most_redirects) return refuse("more than three redirects");
  auto v = verdict(action::redirect);
  v.where = *target;
  return v;
}

COMCP_DECL http_verdict refused(http_sent const& sent, http_url const& at, http_response_head const& got,
                                std::chrono::system_clock::time_point now) {
  bool const about_credentials = got.status == 401 || got.status == 403;
  auto e = of_status(about_credentials   ? errc::unauthorized
                     : got.status == 407 ? errc::proxy_failed
                                         : errc::http_status,
                     got, "from " + at.origin() + (about_credentials ? told_by_challenge(got.headers) : std::string()));
  if (about_credentials) return verdict(sent.challenges < most_challenges ? action::authorize : action::fail, e);
  if (got.status != 429 && got.status != 503) return verdict(action::fail, e);
  auto const* const header = got.headers.find("Retry-After");
  auto const after = header ? parse_retry_after(*header, now, longest_retry_after) : std::nullopt;
  if (!after) return verdict(action::fail, e);
  auto detail = *e.detail();
  detail.retry_after = after;
  auto v = verdict(sent.repeatable && sent.waits < most_waits ? action::wait : action::fail, e.with_detail(detail));
  v.delay = *after;
  return v;
}

COMCP_DECL error with_snippet(error const& why, std::string_view body) {
  auto known = why.detail() ? *why.detail() : transport_detail();
  known.snippet = printable(body);
  return why.with_detail(std::move(known));
}

}  // namespace detail

namespace detail {
// Whole words: half a credential that a server repeats would be found by nobody who hides it.
COMCP_DECL std::string whole_words(std::string_view text) {
  if (text.size() <= snippet_size) return printable(text);
  auto const end = text.substr(0, snippet_size).rfind(' ');
  return printable(text.substr(0, end == text.npos ? 0 : end)) + "...";
}
}  // namespace detail

COMCP_DECL std::string told_by_challenge(http_headers const& headers) {
  std::string out;
  for (auto const& challenge : parse_challenges(headers)) {
    auto const* const why = challenge.find("error");
    auto const* const text = challenge.find("error_description");
    auto const* const scope = challenge.find("scope");
    if (why) out += ": " + detail::whole_words(*why);
    if (text) out += " (" + detail::whole_words(*text) + ")";
    if (scope) out += std::string(why || text ? ", " : ": ") + "wanted scope: " + detail::whole_words(*scope);
    if (!out.empty()) break;
  }
  return out;
}

COMCP_DECL http_verdict judge_post(http_sent const& sent, http_url const& at, http_response_head const& got,
                                   std::chrono::system_clock::time_point now) {
  using detail::action;
  if (got.status < 300) {
    if (!sent.request) return detail::verdict(action::accepted);
    if (got.status == 202 || got.status == 204 || got.status == 205)
      return detail::verdict(action::fail, detail::of_status(errc::missing_answer, got, "a request was not answered"));
    return detail::success(got, false);
  }
  if (got.status < 400) return detail::redirect(sent, at, got, true);
  if (got.status == 404 && sent.in_session)
    return detail::verdict(action::session_lost, detail::of_status(errc::http_status, got, "the session is gone"));
  return detail::refused(sent, at, got, now);
}

COMCP_DECL http_verdict judge_get(http_sent const& sent, http_url const& at, http_response_head const& got,
                                  std::chrono::system_clock::time_point now) {
  using detail::action;
  if (got.status == 204 || got.status == 202) return detail::verdict(action::none);
  if (got.status < 300) return detail::success(got, true);
  if (got.status < 400) return detail::redirect(sent, at, got, false);
  if (got.status == 404 && sent.in_session)
    return detail::verdict(action::session_lost, detail::of_status(errc::http_status, got, "the session is gone"));
  // 405 is the specified way to say so; real servers use 400, 404, 406 and 409 too.
  static constexpr std::array<int, 5> means_none{400, 404, 405, 406, 409};
  if (std::find(means_none.begin(), means_none.end(), got.status) != means_none.end()) return detail::verdict(action::none);
  return detail::refused(sent, at, got, now);
}

COMCP_DECL error with_body(error const& why, std::string_view body) {
  if (body.empty()) return why;
  std::string text(body);
  auto const m = jsonrpc::decode(pad(text));
  if (m.kind == jsonrpc::message_kind::error) {
    auto const e = jsonrpc::decode_error(m.error);
    bool const keeps_code = why == errc::unauthorized || why == errc::proxy_failed;
    if (e.peer()) return keeps_code ? why.with_peer(*e.peer()) : e.with_detail(why.detail() ? *why.detail() : transport_detail());
  }
  return detail::with_snippet(why, body);
}

COMCP_DECL error unanswered(http_response_head const& got, std::string_view body) {
  auto const fail = [&](errc code, std::string text) {
    return detail::with_snippet(detail::of_status(code, got, std::move(text)), body);
  };
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return fail(errc::missing_answer, "the body is empty");
  std::string text(body);
  if (auto const parsed = json::parse(pad(text)); !parsed)
    return fail(errc::invalid_json, std::string(parsed.error().message()));
  auto const m = jsonrpc::decode(pad(text));
  if (m.kind == jsonrpc::message_kind::invalid) return fail(errc::protocol_violation, "no JSON-RPC message: " + m.reason);
  return fail(errc::missing_answer, "the body answers another request, or none");
}

COMCP_DECL bool may_be_http_sse(error const& e) {
  auto const* const d = e.detail();
  if (!d || !d->http_status) return false;
  auto const status = *d->http_status;
  return (status == 400 || status == 404 || status == 405) && !modern_versions(e);
}

COMCP_DECL bool means_session_lost(error const& e) {
  auto const* const peer = e.peer();
  if (!peer || peer->code != -32000 || !e.detail() || e.detail()->http_status != 400) return false;
  auto const at = peer->message.find("ession");
  return at != std::string::npos && at > 0 && (peer->message[at - 1] == 's' || peer->message[at - 1] == 'S');
}

COMCP_DECL bool is_final(error const& e) {
  auto const* const d = e.detail();
  return d && d->http_status && *d->http_status < 500 && *d->http_status != 408 && *d->http_status != 429;
}

COMCP_DECL bool is_session_id(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

}  // namespace comcp::sansio
#endif
#endif
#endif

namespace comcp::detail {

/// What all requests of a session go out by.
struct http_carrier {
  http_carrier(any_engine e, any_authenticator a, std::shared_ptr<time_source> t, http_url s)
      : engine(std::move(e)), auth(std::move(a)), time(std::move(t)), server(std::move(s)) {}
  any_engine engine;
  any_authenticator auth;
  std::shared_ptr<time_source> time;
  http_url server;        // the endpoint as the user gave it
  bool ending = false;  // the session is being closed: nobody is asked to log in for that
};

/// After run(), or came() where that said so, `verdict` says what came of it; next(), take_body(), read_body()
/// and skip_body() take the body.
class http_fetch {
 public:
  using action = sansio::http_verdict::action;

  http_fetch(http_carrier& with, http_url where, std::string_view how)
      : request(std::move(where), std::string(how)), with_(with) {}
  http_fetch(http_fetch const&) = delete;
  http_fetch& operator=(http_fetch const&) = delete;

  http_request request;
  common_headers common;
  std::function<void(bool)> authorizing;  // before and after the authenticator looks at a challenge
  sansio::http_sent sent;
  sansio::http_verdict verdict;

  COMCP_LAZY [[nodiscard]] asio::awaitable<void> run();
  /// Begins it without a coroutine, where that can be done. What the sink is told goes to came().
  [[nodiscard]] bool start(asio::any_io_executor const& on, asio::cancellation_slot slot,
                           std::shared_ptr<http_detail::response_sink> to);
  /// Whether that is all; otherwise run() goes on from there.
  [[nodiscard]] bool came(result<any_response> r);

  // Preconditions of these: run() found a response, which has not been skipped or closed.
  [[nodiscard]] http_response_head const& head() const noexcept { return response_.head(); }
  [[nodiscard]] asio::awaitable<result<std::string_view>> next() { return response_.next(); }
  [[nodiscard]] std::optional<result<void>> take_body(http_body& to, std::size_t most) { return response_.take(to, most); }
  [[nodiscard]] asio::awaitable<result<void>> read_body(http_body& to, std::size_t most) { return response_.read(to, most); }
  /// Takes what is left, so that the connection can be used again; not if that is much, or without an end.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> skip_body();
  /// The same where nothing has to be waited for; false where something has.
  bool skip_now();
  void close() { response_.reset(); }

 private:
  [[nodiscard]] auth_request about(unsigned challenges) const {
    return {with_.server, request.url, request.method, challenges};
  }
  [[nodiscard]] bool is_settled() const noexcept;
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> add_credentials(http_request& r);
  void judge();
  void fail(error why);
  /// Whether the same request goes out again, once that is due.
  COMCP_LAZY [[nodiscard]] asio::awaitable<bool> prepared_again();
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged();
  [[nodiscard]] bool is_endless() const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> look_at_body();
  void hide_credentials(std::string& text) const;
  [[nodiscard]] error without_credentials(error const& why) const;

  http_carrier& with_;
  any_response response_;
  http_headers credentials_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/http_fetch.ipp
#if !defined(COMCP_SINGLE_TRANSPORT_IMPL_HTTP_FETCH_IPP)
#define COMCP_SINGLE_TRANSPORT_IMPL_HTTP_FETCH_IPP
#include <chrono>

namespace comcp::detail {

inline constexpr std::size_t most_of_failure = std::size_t{64} << 10;

COMCP_DECL bool http_fetch::start(asio::any_io_executor const& on, asio::cancellation_slot slot,
                                  std::shared_ptr<http_detail::response_sink> to) {
  request.repeatable = sent.repeatable;
  return !with_.auth && with_.engine.start(on, request, common, slot, std::move(to));
}

COMCP_DECL bool http_fetch::came(result<any_response> r) {
  if (!r) return fail(r.error()), true;
  response_ = std::move(*r);
  judge();
  return is_settled();
}

COMCP_LAZY_DECL asio::awaitable<void> http_fetch::run() {
  for (bool again = true; again;) {
    if (!response_) {
      auto next = request;
      next.repeatable = sent.repeatable || request.method == "GET";
      if (with_.auth) {
        auto const added = co_await add_credentials(next);
        if (!added) co_return fail(added.error());
      }
      auto opened = co_await with_.engine.open(std::move(next), common);
      if (came(std::move(opened))) co_return;
    }
    again = co_await prepared_again();
    if (again) response_.reset();
  }
}

COMCP_DECL bool http_fetch::is_settled() const noexcept {
  return verdict.what == action::json || verdict.what == action::stream || verdict.what == action::accepted;
}

COMCP_DECL void http_fetch::judge() {
  auto const& got = response_.head();
  if (with_.auth) with_.auth.observed(about(sent.challenges), got);
  auto const now = got.status < 400 ? std::chrono::system_clock::time_point() : std::chrono::system_clock::now();
  verdict = request.method == "POST" ? sansio::judge_post(sent, request.url, got, now)
                                     : sansio::judge_get(sent, request.url, got, now);
}

COMCP_DECL void http_fetch::fail(error why) {
  verdict = sansio::http_verdict();
  verdict.why = std::move(why);
}

COMCP_LAZY_DECL asio::awaitable<bool> http_fetch::prepared_again() {
  switch (verdict.what) {
    case action::redirect:
      ++sent.redirects;
      request.url = *verdict.where;
      co_return true;
    case action::wait:
      ++sent.waits;
      response_.reset();
      co_await pause_until(with_.time, with_.time->now() + verdict.delay);
      co_return true;
    case action::authorize:
      if (with_.auth && !with_.ending) {
        ++sent.challenges;
        auto const answer = co_await challenged();
        if (!answer) co_return fail(answer.error()), false;
        if (*answer == auth_verdict::try_again) co_return true;
      }
      verdict.what = action::fail;
      break;
    default: break;
  }
  if (verdict.what == action::fail) co_await look_at_body();
  co_return false;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> http_fetch::add_credentials(http_request& r) {
  auto const asked = about(sent.challenges);
  auto credentials = co_await with_.auth.headers(asked);
  if (!credentials) co_return credentials.error().with_outcome(call_outcome::not_sent);
  for (auto const& field : *credentials) (void)r.headers.set(field.name, field.value);
  credentials_ = std::move(*credentials);
  co_return result<void>();
}

// While the authenticator is asked.
class http_login {
 public:
  explicit http_login(std::function<void(bool)> const& tell) : tell_(tell) {
    if (tell_) tell_(true);
  }
  http_login(http_login const&) = delete;
  http_login& operator=(http_login const&) = delete;
  ~http_login() {
    if (tell_) tell_(false);
  }

 private:
  std::function<void(bool)> const& tell_;
};

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> http_fetch::challenged() {
  auto const asked = about(sent.challenges - 1);
  auto const head = response_.head();
  http_login const told(authorizing);
  auto const answer = co_await with_.auth.challenged(asked, credentials_, head);
  if (answer) co_return *answer;
  auto const failure = without_credentials(answer.error()).with_outcome(call_outcome::known);  // the request was refused
  co_return failure.with_detail(*verdict.why.detail());
}

// An event stream where none was asked for: no deadline of an engine ends it while something comes.
COMCP_DECL bool http_fetch::is_endless() const { return has_media_type(head().headers, "text/event-stream"); }

COMCP_LAZY_DECL asio::awaitable<void> http_fetch::skip_body() {
  if (!response_) co_return;
  if (is_endless()) co_return close();
  http_body dropped;
  (void)co_await response_.read(dropped, most_of_failure);
  response_.reset();
}

COMCP_DECL bool http_fetch::skip_now() {
  http_body dropped;
  bool const over = is_endless() || response_.take(dropped, most_of_failure);
  if (over) response_.reset();
  return over;
}

// Some servers repeat what they refuse.
COMCP_DECL void hide_value(std::string& text, std::string_view value) {
  auto const scheme = value.find(' ');
  auto const shown = scheme == std::string_view::npos ? value : value.substr(scheme + 1);
  if (shown.size() < 4) return;
  for (auto at = text.find(shown); at != std::string::npos; at = text.find(shown, at)) text.replace(at, shown.size(), "***");
}

COMCP_DECL void http_fetch::hide_credentials(std::string& text) const {
  for (auto const& field : credentials_) hide_value(text, field.value);
  auto const* const own = common ? common->find("Authorization") : nullptr;
  if (own) hide_value(text, *own);
}

COMCP_DECL error http_fetch::without_credentials(error const& why) const {
  std::string text(why.message());
  hide_credentials(text);
  return why.with_message(std::move(text));
}

// What an error response says, if it says so soon.
COMCP_LAZY_DECL asio::awaitable<void> http_fetch::look_at_body() {
  verdict.why = without_credentials(verdict.why);
  if (!response_) co_return;
  if (is_endless()) co_return close();
  http_body said;
  (void)co_await response_.read(said, most_of_failure);
  std::string text(said.view());
  hide_credentials(text);
  verdict.why = sansio::with_body(verdict.why, text);
  response_.reset();
}

}  // namespace comcp::detail
#endif
#endif
#endif

// transport/http_options.hpp
#if !defined(COMCP_SINGLE_TRANSPORT_HTTP_OPTIONS_HPP)
#define COMCP_SINGLE_TRANSPORT_HTTP_OPTIONS_HPP
// What MCP over HTTP can be told, whichever engine carries it.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// sansio/sse_parser.hpp
#if !defined(COMCP_SINGLE_SANSIO_SSE_PARSER_HPP)
#define COMCP_SINGLE_SANSIO_SSE_PARSER_HPP
// Cuts a byte stream into server-sent events, as the event stream rules of the WHATWG HTML standard say. What the
// events mean, and when to connect again, is for others to decide.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// sansio/sse_lines.hpp
#if !defined(COMCP_SINGLE_SANSIO_SSE_LINES_HPP)
#define COMCP_SINGLE_SANSIO_SSE_LINES_HPP
// Cuts an event stream into lines that end with CR, LF or both, without copying. Internal.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace comcp::sansio {

class sse_lines {
 public:
  /// A line, or a part of it where its end has not come, or came apart from it.
  struct piece {
    std::string_view text;
    bool whole = false;  ///< It ends here.
  };

  /// Precondition: next() gave nothing since the last feed(). The bytes are looked at until it does so again.
  void feed(std::string_view bytes) noexcept {
    input_ = bytes;
    at_ = 0;
    cr_ = lf_ = unknown;
  }
  [[nodiscard]] std::optional<piece> next() noexcept {
    if (mark_ != byte_order_mark.size()) {
      if (auto const lost = skip_mark(); !lost.empty()) return piece{lost, false};
    }
    if (at_ < input_.size() && std::exchange(after_cr_, false) && input_[at_] == '\n') ++at_;
    if (at_ >= input_.size()) return {};
    if (cr_ == unknown || cr_ < at_) cr_ = input_.find('\r', at_);
    if (lf_ == unknown || lf_ < at_) lf_ = input_.find('\n', at_);
    auto const end = std::min({cr_, lf_, input_.size()});
    bool const whole = end != input_.size();
    piece const out{input_.substr(at_, end - at_), whole};
    at_ = end + (whole ? 1 : 0);
    after_cr_ = whole && end == cr_;
    return out;
  }

 private:
  static constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  static constexpr std::size_t unknown = std::string_view::npos - 1;

  // The start of what turned out to be no mark.
  std::string_view skip_mark() noexcept {
    for (; mark_ != byte_order_mark.size() && at_ != input_.size(); ++mark_, ++at_) {
      if (input_[at_] != byte_order_mark[mark_])
        return byte_order_mark.substr(0, std::exchange(mark_, byte_order_mark.size()));
    }
    return {};
  }

  std::string_view input_;
  std::size_t at_ = 0;     // start of what is unread
  std::size_t cr_ = 0;     // the first CR at or after at_, where that is known
  std::size_t lf_ = 0;     // the first LF likewise
  std::size_t mark_ = 0;   // bytes of the byte order mark seen
  bool after_cr_ = false;  // an LF now belongs to the CR before it
};

}  // namespace comcp::sansio
#endif

namespace comcp::sansio {

/// One event of a stream.
class sse_event {
 public:
  sse_event() = default;
  sse_event(std::string event_type, std::string text) : type(std::move(event_type)), data(std::move(text)) {}

  std::string type;  ///< As sent, empty where it was not.
  std::string data;  ///< Has padded_text::spare bytes of capacity behind it: pad(data) does not move it.

  /// Whether it may carry a JSON-RPC message: unnamed, or `message`.
  [[nodiscard]] bool is_message() const noexcept { return type.empty() || type == "message"; }
};

/// Incremental event-stream parser. It keeps what an unfinished event needs, and no other bytes.
///
///     p.feed(bytes);
///     while (auto event = p.next()) ...   // last_event_id() is this event's
///     if (p.failed()) ...                 // an event over the limit: nothing follows it
///
/// An event without data is no event, but its id counts; one with an empty `data` line is an event with empty data.
/// An event that the end of the stream cuts off is none.
/// Specification: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
class sse_parser {
 public:
  static constexpr std::size_t default_max_event = std::size_t{16} << 20;
  static constexpr std::chrono::milliseconds longest_retry{INT32_MAX};

  /// `max_event` bounds the bytes of one event's lines, their ends and comments apart.
  explicit sse_parser(std::size_t max_event = default_max_event) : max_event_(max_event) {}

  /// Precondition: next() gave nothing since the last feed(). The bytes are looked at until it does so again.
  void feed(std::string_view bytes) noexcept { lines_.feed(bytes); }
  /// The next whole event; nothing when more bytes are needed or parsing failed.
  [[nodiscard]] std::optional<sse_event> next();
  /// Another connection continues the stream: what is unfinished is dropped, last event id and retry stay.
  void restart() noexcept;

  /// What `Last-Event-ID` would be now; empty where no id was set, or an empty one.
  [[nodiscard]] std::string const& last_event_id() const noexcept { return last_id_; }
  /// The last valid `retry`, at most longest_retry. The server's wish: clamp it.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

  /// Whether an event was longer than the limit. It stays so until restart().
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// errc::limit_exceeded, naming the limit. Precondition: failed().
  [[nodiscard]] error failure() const;

 private:
  // What is known of the current line from earlier feeds.
  enum class line { fresh, held, data, comment };

  [[nodiscard]] std::optional<sse_event> take(std::string_view piece, bool whole);
  void hold(std::string_view piece);
  void field(std::string_view text);
  void add_data(std::string_view value);
  void set_retry(std::string_view value) noexcept;
  [[nodiscard]] std::optional<sse_event> dispatch();

  sse_lines lines_;
  std::size_t used_ = 0;       // bytes of the current event
  std::size_t max_event_;
  line line_ = line::fresh;
  bool has_data_ = false;
  bool failed_ = false;
  std::string held_;           // start of a line, until the rest comes
  std::string type_;
  std::string data_;
  std::string last_id_;
  std::optional<std::string> new_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// sansio/impl/sse_parser.ipp
#if !defined(COMCP_SINGLE_SANSIO_IMPL_SSE_PARSER_IPP)
#define COMCP_SINGLE_SANSIO_IMPL_SSE_PARSER_IPP
#include <algorithm>
#include <string>

namespace comcp::sansio {
namespace detail {

inline constexpr std::size_t sse_idle_bytes = 4096;  // what a long line may leave allocated

}  // namespace detail

COMCP_DECL std::optional<sse_event> sse_parser::next() {
  while (!failed_) {
    auto const piece = lines_.next();
    if (!piece) break;
    if (auto event = take(piece->text, piece->whole)) return event;
  }
  return {};
}

COMCP_DECL std::optional<sse_event> sse_parser::take(std::string_view piece, bool whole) {
  if (line_ == line::fresh && piece.starts_with(':')) line_ = line::comment;
  if (line_ != line::comment) {
    used_ += piece.size();
    failed_ = used_ > max_event_;
    if (failed_) return {};
    if (!whole) return hold(piece), std::nullopt;
    if (line_ == line::fresh) {
      if (piece.empty()) return dispatch();
      field(piece);
    } else {
      hold(piece);
      if (line_ == line::held) field(held_);
      held_.clear();
      if (held_.capacity() > detail::sse_idle_bytes) held_ = std::string();
    }
  }
  if (whole) line_ = line::fresh;
  return {};
}

// Once it is clear that a line is data, the rest of it goes where it belongs at once.
COMCP_DECL void sse_parser::hold(std::string_view piece) {
  if (line_ == line::data) {
    data_.append(piece);
    return;
  }
  line_ = line::held;
  held_.append(piece);
  if (held_.size() > 5 && held_.starts_with("data:")) {
    field(held_);
    held_.clear();
    line_ = line::data;
  }
}

COMCP_DECL void sse_parser::field(std::string_view text) {
  auto const colon = text.find(':');
  auto const name = text.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    add_data(value);
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) new_id_.emplace(value);
  } else if (name == "retry") {
    set_retry(value);
  }
}

COMCP_DECL void sse_parser::add_data(std::string_view value) {
  if (has_data_) {
    data_ += '\n';
  } else {
    data_.reserve(value.size() + padded_text::spare);
  }
  has_data_ = true;
  data_.append(value);
}

COMCP_DECL void sse_parser::set_retry(std::string_view value) noexcept {
  if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos) return;
  std::int64_t milliseconds = 0;
  for (char const digit : value) {
    milliseconds = std::min<std::int64_t>(milliseconds * 10 + (digit - '0'), longest_retry.count());
  }
  retry_ = std::chrono::milliseconds(milliseconds);
}

COMCP_DECL std::optional<sse_event> sse_parser::dispatch() {
  used_ = 0;
  if (new_id_) last_id_ = *std::exchange(new_id_, std::nullopt);
  auto type = std::exchange(type_, {});
  if (!std::exchange(has_data_, false)) return {};
  (void)pad(data_);
  return sse_event(std::move(type), std::exchange(data_, {}));
}

COMCP_DECL void sse_parser::restart() noexcept {
  lines_ = sse_lines();
  used_ = 0;
  line_ = line::fresh;
  has_data_ = failed_ = false;
  held_ = std::string();
  type_ = std::string();
  data_ = std::string();
  new_id_.reset();
}

COMCP_DECL error sse_parser::failure() const {
  return {errc::limit_exceeded, "an event is longer than max_event (" + std::to_string(max_event_) + " bytes)"};
}

}  // namespace comcp::sansio
#endif
#endif
#endif

namespace comcp {

class any_engine;

/// Which of the two HTTP transports.
enum class http_kind {
  automatic,   ///< Streamable HTTP, and HTTP+SSE where the server turns out to know no other.
  streamable,  ///< 2025-03-26 and later.
  sse,         ///< HTTP+SSE of 2024-11-05: the url is that of the event stream.
};

/// Options of MCP over HTTP. Everything has a default. Copyable.
class http_options {
 public:
  using milliseconds = std::chrono::milliseconds;

  http_options() {}

  /// A header for every request. Those of HTTP framing and of MCP itself cannot be set: connecting fails with
  /// errc::invalid_argument then, as it does for a name or value that no header can have.
  http_options& header(std::string_view name, std::string_view value);
  http_options& kind(http_kind which) { return kind_ = which, *this; }
  /// Goes on with a session of the legacy era instead of a handshake; of client.session(). Where the server has ended it
  /// meanwhile, the first call begins a new one: client.session() has another id then.
  http_options& resume(saved_session session) { return resumed_ = std::move(session), *this; }

  /// When broken event streams are opened again.
  http_options& reconnect(reconnect_policy p) { return reconnect_ = p, *this; }
  /// Legacy era: whether to open the stream on which servers speak unasked (default true).
  http_options& get_stream(bool yes) { return get_stream_ = yes, *this; }
  /// How long requests wait for that stream to open, before they go ahead (default 2 s).
  http_options& get_stream_wait(milliseconds d) { return get_stream_wait_ = d, *this; }

  /// How long a stream of what the server says unasked may be silent (default 5 min): then it is broken. Answers have
  /// the timeouts of their calls.
  http_options& idle_timeout(timespan d) { return idle_timeout_ = d.as_timeout(), *this; }
  /// How long a notification, an answer or the opening of a stream may take (default 30 s). Requests have the
  /// timeouts of their calls.
  http_options& send_timeout(timespan d) { return send_timeout_ = d.as_timeout(), *this; }
  /// How long close() waits for the session's end to be told (default 2 s).
  http_options& close_wait(milliseconds d) { return close_wait_ = d, *this; }

  /// Largest JSON body (64 MiB) and event (16 MiB) accepted, in bytes; more: errc::limit_exceeded.
  http_options& max_body(std::size_t bytes) { return max_body_ = bytes, *this; }
  http_options& max_event(std::size_t bytes) { return max_event_ = bytes, *this; }
  /// Exchanges at once (default 65536); more: errc::queue_full.
  http_options& max_exchanges(std::size_t n) { return max_exchanges_ = n, *this; }
  /// A span for each exchange, as comcp/http/traced_engine.hpp has them. Needs <comcp/transport/http_spans.hpp>.
  COMCP_LAZY http_options& spans(span_hook hook);
  http_options& time(std::shared_ptr<time_source> source) { return time_ = std::move(source), *this; }

  [[nodiscard]] http_headers const& headers() const noexcept { return headers_; }
  [[nodiscard]] error const& unusable() const noexcept { return unusable_; }
  [[nodiscard]] http_kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::optional<saved_session> const& resumed() const noexcept { return resumed_; }
  [[nodiscard]] reconnect_policy const& reconnect() const noexcept { return reconnect_; }
  [[nodiscard]] bool get_stream() const noexcept { return get_stream_; }
  [[nodiscard]] milliseconds get_stream_wait() const noexcept { return get_stream_wait_; }
  [[nodiscard]] std::chrono::nanoseconds idle_timeout() const noexcept { return idle_timeout_; }
  [[nodiscard]] std::chrono::nanoseconds send_timeout() const noexcept { return send_timeout_; }
  [[nodiscard]] milliseconds close_wait() const noexcept { return close_wait_; }
  [[nodiscard]] std::size_t max_body() const noexcept { return max_body_; }
  [[nodiscard]] std::size_t max_event() const noexcept { return max_event_; }
  [[nodiscard]] std::size_t max_exchanges() const noexcept { return max_exchanges_; }
  /// What is put around the engine; empty for nothing.
  [[nodiscard]] std::function<any_engine(any_engine)> const& around() const noexcept { return around_; }
  [[nodiscard]] std::shared_ptr<time_source> time() const { return time_ ? time_ : steady_time(); }

 private:
  http_headers headers_;
  error unusable_;
  std::optional<saved_session> resumed_;
  reconnect_policy reconnect_ = reconnect_policy().delay(std::chrono::seconds(1), std::chrono::seconds(30));
  std::shared_ptr<time_source> time_;
  std::function<any_engine(any_engine)> around_;
  std::chrono::nanoseconds idle_timeout_ = std::chrono::minutes(5);
  std::chrono::nanoseconds send_timeout_ = std::chrono::seconds(30);
  milliseconds get_stream_wait_{2000}, close_wait_{2000};
  std::size_t max_body_ = std::size_t{64} << 20;
  std::size_t max_event_ = sansio::sse_parser::default_max_event;
  std::size_t max_exchanges_ = 65536;
  http_kind kind_ = http_kind::automatic;
  bool get_stream_ = true;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/http_options.ipp
#if !defined(COMCP_SINGLE_TRANSPORT_IMPL_HTTP_OPTIONS_IPP)
#define COMCP_SINGLE_TRANSPORT_IMPL_HTTP_OPTIONS_IPP

namespace comcp {

COMCP_DECL http_options& http_options::header(std::string_view name, std::string_view value) {
  if (is_protocol_header(name)) {
    unusable_ = error(errc::invalid_argument, "a header that only comcp may set: " + std::string(name));
  } else if (auto const added = headers_.set(std::string(name), value); !added) {
    unusable_ = added.error();
  }
  return *this;
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp::detail {

/// Something under way that can be given up: a POST with what comes back, the stream of a GET.
struct http_activity {
  explicit http_activity(outgoing m) : message(std::move(m)) {}

  static constexpr std::size_t nowhere = SIZE_MAX;

  outgoing message;
  asio::cancellation_signal signal;
  std::unique_ptr<deadline> limit;  // armed where one of its waits is bounded by us
  std::string session;              // the id that went along, empty where none did
  std::size_t place = nowhere;      // among the POSTs under way
  bool starting = false;            // nothing has gone out, or it is still inside send()
  bool given_up = false;
  bool answered = false;            // a request by its answer, the legacy era's stream by its head

  void give_up() noexcept;
};

/// Which headers go along, and the session that they name.
class http_labels {
 public:
  explicit http_labels(http_options const& options);

  /// What http_options().resume() brought: errc::invalid_argument where that is no session.
  [[nodiscard]] result<void> check_resumed();
  [[nodiscard]] std::string const& session() const noexcept { return session_; }
  void forget_session() noexcept { session_.clear(); }
  /// Of the head that answers `initialize`: whether it begins a session.
  [[nodiscard]] result<bool> adopt_session(http_headers const& got);
  /// The last message of a handshake says which version has been agreed on.
  void established(outgoing const& last);

  /// Of a POST: those that others have too, and its own.
  [[nodiscard]] common_headers common_of(http_activity const& a);
  [[nodiscard]] http_headers own_of(http_activity const& a) const;
  [[nodiscard]] common_headers of_stream(std::string_view session, std::string_view last_event_id) const;
  [[nodiscard]] common_headers of_end() const;

 private:
  http_headers const own_;   // the user's
  common_headers const post_;  // of every POST
  std::string version_;      // MCP-Protocol-Version of the legacy era, for GET and DELETE
  std::string session_;
  struct {
    std::string version, session;
    common_headers headers;
  } last_;  // POST of the legacy era: the next one has the same
};

/// All members are used on the executor.
class http_link {
 public:
  http_link(asio::any_io_executor on, http_options o, http_carrier c, inbox& in);
  http_link(http_link const&) = delete;
  http_link& operator=(http_link const&) = delete;

  /// What calls the inbox looks at these afterwards.
  [[nodiscard]] bool over() const noexcept { return inbox_ == nullptr; }
  [[nodiscard]] bool over(http_activity const& a) const noexcept { return over() || a.given_up; }
  [[nodiscard]] inbox& in() const noexcept { return *inbox_; }
  /// Nothing is told any more. Whom it was told to.
  inbox* cut() noexcept { return std::exchange(inbox_, nullptr); }

  void deliver(padded_text text, request_id stream);
  void failed(http_activity const& a, error why);
  void authorizing(bool begins) {
    if (!over()) in().authorizing(begins);
  }

  [[nodiscard]] time_source::time_point in_time(std::chrono::nanoseconds d) const;
  /// Gives it up then, unless unlimit() comes before.
  void limit(std::shared_ptr<http_activity> const& a, std::chrono::nanoseconds d);
  static void unlimit(http_activity& a);
  /// Opens the gate then, whatever an engine or an authenticator makes of being given up; not once the alarm is gone.
  [[nodiscard]] std::unique_ptr<deadline> open_later(std::shared_ptr<gate> const& g, time_source::time_point at);

  asio::any_io_executor const executor;
  http_options const options;
  http_carrier carrier;
  http_labels labels;
  http_url url;      // where POSTs go; GETs go to the server's own
  bool sse = false;  // HTTP+SSE, not Streamable HTTP
  detail::chance chance;
  http_body spare;          // memory for the next body
  std::size_t streams = 0;  // event streams that are open
  std::uint64_t messages_in = 0, bytes_in = 0;

 private:
  inbox* inbox_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/http_link.ipp
#if !defined(COMCP_SINGLE_TRANSPORT_IMPL_HTTP_LINK_IPP)
#define COMCP_SINGLE_TRANSPORT_IMPL_HTTP_LINK_IPP
#include <functional>

namespace comcp::detail {

COMCP_DECL void http_activity::give_up() noexcept {
  given_up = true;
  try {
    signal.emit(asio::cancellation_type::terminal);
  } catch (...) {
    // An engine whose cancellation throws ends by its own deadlines.
  }
}

COMCP_DECL common_headers with_types_of_post(http_headers const& own) {
  auto const headers = std::make_shared<http_headers>(own);
  (void)headers->add("Content-Type", "application/json");
  (void)headers->add("Accept", "application/json, text/event-stream");
  return headers;
}

COMCP_DECL http_labels::http_labels(http_options const& options)
    : own_(options.headers()), post_(with_types_of_post(options.headers())) {
  if (!options.resumed()) return;
  session_ = options.resumed()->id;
  auto text = options.resumed()->initialize_result;
  auto const agreed = json::parse(pad(text));
  auto const version = agreed ? agreed->view().find("protocolVersion") : std::nullopt;
  if (version) version_ = version->get_string().value_or("");
}

COMCP_DECL result<void> http_labels::check_resumed() {
  if (sansio::is_session_id(session_) && !version_.empty()) return {};
  session_.clear();
  return error(errc::invalid_argument, "not a session that client.session() gave");
}

COMCP_DECL result<bool> http_labels::adopt_session(http_headers const& got) {
  auto const* const id = got.find("Mcp-Session-Id");
  if (!id) return false;
  if (!sansio::is_session_id(*id)) return error(errc::protocol_violation, "a session id of other characters than visible ASCII");
  session_ = *id;
  return true;
}

COMCP_DECL void http_labels::established(outgoing const& last) {
  for (auto const& [name, value] : last.headers) {
    if (name == "MCP-Protocol-Version") version_ = value;
  }
}

COMCP_DECL common_headers http_labels::common_of(http_activity const& a) {
  if (a.message.stateless || a.message.headers.size() != 1) return post_;
  auto const& version = a.message.headers.front();
  if (last_.headers && last_.version == version.second && last_.session == a.session) return last_.headers;
  auto headers = std::make_shared<http_headers>(*post_);
  // None can fail: the session's id was looked at when it came, the rest is ours.
  (void)headers->add(version.first, version.second);
  if (!a.session.empty()) (void)headers->add("Mcp-Session-Id", a.session);
  last_ = {version.second, a.session, headers};
  return headers;
}

COMCP_DECL http_headers http_labels::own_of(http_activity const& a) const {
  http_headers headers;
  if (!a.message.stateless && a.message.headers.size() == 1) return headers;
  for (auto const& [name, value] : a.message.headers) (void)headers.add(name, value);
  if (!a.session.empty()) (void)headers.add("Mcp-Session-Id", a.session);
  return headers;
}

COMCP_DECL common_headers http_labels::of_stream(std::string_view session, std::string_view last_event_id) const {
  auto headers = std::make_shared<http_headers>(own_);
  (void)headers->add("Accept", "text/event-stream");
  if (!version_.empty()) (void)headers->add("MCP-Protocol-Version", version_);
  if (!last_event_id.empty()) (void)headers->add("Last-Event-ID", last_event_id);
  if (!session.empty()) (void)headers->add("Mcp-Session-Id", session);
  return headers;
}

COMCP_DECL common_headers http_labels::of_end() const {
  auto headers = std::make_shared<http_headers>(own_);
  if (!version_.empty()) (void)headers->add("MCP-Protocol-Version", version_);
  if (!session_.empty()) (void)headers->add("Mcp-Session-Id", session_);
  return headers;
}

COMCP_DECL http_link::http_link(asio::any_io_executor on, http_options o, http_carrier c, inbox& in)
    : executor(std::move(on)), options(std::move(o)), carrier(std::move(c)), labels(options), url(carrier.server), inbox_(&in) {}

COMCP_DECL void http_link::deliver(padded_text text, request_id stream) {
  ++messages_in;
  bytes_in += text.size();
  in().delivered(text, stream);
}

COMCP_DECL void http_link::failed(http_activity const& a, error why) {
  if (a.message.id) return in().stream_ended(a.message.id, std::move(why));
  in().fault(why.with_message("a message was not accepted: " + std::string(why.message())));
}

COMCP_DECL time_source::time_point http_link::in_time(std::chrono::nanoseconds d) const {
  return later(carrier.time->now(), d);
}

COMCP_DECL void http_link::limit(std::shared_ptr<http_activity> const& a, std::chrono::nanoseconds d) {
  if (!a->limit) a->limit = carrier.time->make_deadline(executor);
  std::function<void()> fire = [weak = std::weak_ptr(a)] {
    auto const alive = weak.lock();
    if (alive) alive->give_up();
  };
  a->limit->arm(in_time(d), std::move(fire));
}

COMCP_DECL void http_link::unlimit(http_activity& a) {
  if (a.limit) a.limit->disarm();
}

COMCP_DECL std::unique_ptr<deadline> http_link::open_later(std::shared_ptr<gate> const& g, time_source::time_point at) {
  auto alarm = carrier.time->make_deadline(executor);
  std::function<void()> enough = [g] { g->open(); };
  alarm->arm(at, std::move(enough));
  return alarm;
}

}  // namespace comcp::detail
#endif
#endif
#endif

// transport/http_listener.hpp
#if !defined(COMCP_SINGLE_TRANSPORT_HTTP_LISTENER_HPP)
#define COMCP_SINGLE_TRANSPORT_HTTP_LISTENER_HPP
// The stream on which a server of the legacy era speaks unasked, from one attempt to the next. Internal.

#include <chrono>
#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

namespace comcp::detail {

class http_session;

class http_listener {
 public:
  using activity = std::shared_ptr<http_activity>;

  explicit http_listener(http_session& session) noexcept;

  /// Opens the stream; never two at once.
  COMCP_LAZY void start();
  /// HTTP+SSE has its own stream in this place.
  void become(activity a);
  void left(activity const& a);
  void stop() noexcept;
  /// A POST came through: a stream that waits for a server to come back waits no longer.
  void reached_again();

 private:
  struct attempts;

  COMCP_LAZY static asio::awaitable<void> run(std::shared_ptr<http_session> session, activity a);
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> go_on(activity a);
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> rest(activity a, std::chrono::milliseconds delay, attempts const& so_far);
  COMCP_LAZY [[nodiscard]] asio::awaitable<std::optional<std::chrono::milliseconds>> once(activity a, attempts& so_far);

  http_session& session_;
  http_link& link_;
  activity current_;
  std::shared_ptr<gate> away_;          // while the next attempt waits for a server that is away
  time_source::time_point not_before_;  // it is tried again
};

}  // namespace comcp::detail
#endif

// transport/http_posts.hpp
#if !defined(COMCP_SINGLE_TRANSPORT_HTTP_POSTS_HPP)
#define COMCP_SINGLE_TRANSPORT_HTTP_POSTS_HPP
// The POSTs of a session: those under way, those that wait until the handshake is through, and what comes of each.
// Internal.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp::detail {

class http_session;
class http_post;

class http_posts {
 public:
  using activity = std::shared_ptr<http_activity>;

  explicit http_posts(http_session& session);

  COMCP_LAZY result<void> send(outgoing&& message);
  bool abandon(request_id id) noexcept;
  /// Requests wait from now on, until release(): the handshake ends, and the stream of the legacy era opens.
  void hold() noexcept { holding_ = true; }
  COMCP_LAZY void release();

  void finished(http_activity& a);  ///< It is through.
  void answered(http_activity& a);  ///< Its answer came; what is left of its stream is nobody's.
  /// A new POST with its message, which met a session's end after the next one began, or has to go elsewhere.
  COMCP_LAZY void again(http_activity& a);

  /// Lets what is no request get through; requests are not waited for.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> drained(time_source::time_point until);
  void abort() noexcept;
  void describe(transport_info& out) const;

 private:
  COMCP_LAZY void start(outgoing&& message);
  COMCP_LAZY void prepare(outgoing const& message);
  COMCP_LAZY void set_out(std::shared_ptr<http_post> const& p);
  COMCP_LAZY void set_out_all();
  void give_back_held();

  http_session& session_;
  http_link& link_;
  std::vector<activity> under_way_;
  std::unordered_map<request_id, http_activity*> waiting_;  // for their answers
  std::vector<std::shared_ptr<http_post>> setting_out_;     // in the next turn
  std::vector<outgoing> held_;
  bool holding_ = false;
  std::unique_ptr<deadline> hold_limit_;
  std::shared_ptr<gate> drained_;  // while close() waits for the last notifications
  std::uint64_t messages_out_ = 0, bytes_out_ = 0;
};

/// One POST, from its first byte to the end of what came of it. The usual one needs no coroutine: its
/// answer comes at once.
class http_post final : public http_activity,
                        public http_detail::response_sink_of<http_post>,
                        public std::enable_shared_from_this<http_post> {
 public:
  COMCP_LAZY http_post(http_session& of, outgoing&& m);

  COMCP_LAZY void start();
  COMCP_LAZY void has_come(result<any_response> r);
  [[nodiscard]] bool awaits() const noexcept { return !given_up; }

 private:
  using action = sansio::http_verdict::action;
  using activity = std::shared_ptr<http_activity>;

  /// With `looked`, only what take_now() left.
  COMCP_LAZY static asio::awaitable<void> run(std::shared_ptr<http_session> keep, std::shared_ptr<http_post> self,
                                              bool looked);
  COMCP_LAZY void go_on(std::shared_ptr<http_session> const& keep, bool looked);
  COMCP_LAZY void ended(error failure);
  /// Where all that has to come is here: true.
  COMCP_LAZY [[nodiscard]] bool take_now();
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> take();
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> take_stream();
  COMCP_LAZY [[nodiscard]] asio::awaitable<error> resume(sansio::sse_parser& parser, bool& hopeless,
                                              std::optional<time_source::time_point>& opened);
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> refused();
  COMCP_LAZY [[nodiscard]] result<void> look_at_head();
  COMCP_LAZY void answer(result<void> const& read);
  COMCP_LAZY void send_anew();
  [[nodiscard]] bool is_initialize() const noexcept { return message.handshake && !message.stateless; }
  [[nodiscard]] bool may_resume(sansio::sse_parser const& parser) const;
  [[nodiscard]] sansio::http_sent sent() const;

  // Whoever runs it keeps the session: it keeps those of its POSTs that are under way.
  http_session& session_;
  http_link& link_;
  std::weak_ptr<http_session> const alive_;
  http_fetch fetch_;
  http_body body_;
};

}  // namespace comcp::detail
#endif

namespace comcp::detail {

/// All members run on its executor.
class http_session : public std::enable_shared_from_this<http_session> {
 public:
  using activity = std::shared_ptr<http_activity>;
  /// Is told of events that are no messages; an error ends the stream.
  using other_events = std::function<error(sansio::sse_event const&)>;

  http_session(asio::any_io_executor executor, http_options options, http_carrier carrier, inbox& in);
  http_session(http_session const&) = delete;
  http_session& operator=(http_session const&) = delete;

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> open();
  COMCP_LAZY result<void> send(outgoing&& message);
  bool abandon(request_id id) noexcept { return posts_.abandon(id); }
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close();
  /// Ends at once and silently.
  void abort() noexcept;
  void describe(transport_info& out) const;

  [[nodiscard]] http_link& link() noexcept { return link_; }
  [[nodiscard]] http_posts& posts() noexcept { return posts_; }
  [[nodiscard]] http_listener& listener() noexcept { return listener_; }
  [[nodiscard]] bool closing() const noexcept { return link_.carrier.ending; }

  /// HTTP+SSE (2024-11-05): opens the stream that brings everything, and first where to POST.
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> open_sse();
  /// Reads until the end, or until the answer came. What ended it.
  COMCP_LAZY [[nodiscard]] asio::awaitable<error> read_events(activity a, http_fetch& f, sansio::sse_parser& parser,
                                                   other_events const* others = nullptr);

 private:
  struct sse_stream;

  COMCP_LAZY static asio::awaitable<void> run_sse(std::shared_ptr<http_session> self, activity a, std::shared_ptr<sse_stream> s);
  COMCP_LAZY static asio::awaitable<void> end(std::shared_ptr<http_session> self, std::shared_ptr<gate> told);
  /// Tells the inbox, once.
  void finish(error reason);

  http_link link_;
  http_posts posts_;
  http_listener listener_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/http_listener.ipp
#if !defined(COMCP_SINGLE_TRANSPORT_IMPL_HTTP_LISTENER_IPP)
#define COMCP_SINGLE_TRANSPORT_IMPL_HTTP_LISTENER_IPP
#include <algorithm>

namespace comcp::detail {

struct http_listener::attempts {
  explicit attempts(http_options const& o) : parser(o.max_event()), backoff(o.reconnect()) {}
  sansio::sse_parser parser;
  sansio::backoff backoff;
  enum class outcome { ended, failed, away, refused };
  outcome last = outcome::failed;
  error why;          // it is not open
  bool told = false;  // that it is gone
};

COMCP_DECL http_listener::http_listener(http_session& session) noexcept : session_(session), link_(session.link()) {}

COMCP_LAZY_DECL void http_listener::start() {
  if (link_.over() || session_.closing() || link_.sse || !link_.options.get_stream()) return session_.posts().release();
  auto a = std::make_shared<http_activity>(outgoing());
  a->session = link_.labels.session();
  become(a);
  spawn(link_.executor, run(session_.shared_from_this(), a), a->signal.slot(), a);
}

COMCP_DECL void http_listener::become(activity a) {
  stop();
  current_ = std::move(a);
}

COMCP_DECL void http_listener::left(activity const& a) {
  if (current_ == a) current_ = nullptr;
}

COMCP_DECL void http_listener::stop() noexcept {
  if (auto const before = std::exchange(current_, nullptr)) before->give_up();
}

COMCP_DECL void http_listener::reached_again() {
  if (away_ && link_.carrier.time->now() >= not_before_) away_->open();
}

COMCP_LAZY_DECL asio::awaitable<void> http_listener::run(std::shared_ptr<http_session> session, activity a) {
  co_await session->listener().go_on(std::move(a));
}

COMCP_LAZY_DECL asio::awaitable<void> http_listener::go_on(activity a) {
  attempts so_far(link_.options);
  for (;;) {
    std::optional<std::chrono::milliseconds> delay;
    so_far.last = attempts::outcome::failed;
    try {
      delay = co_await once(a, so_far);
    } catch (...) {
      if (link_.over(*a)) co_return;
      so_far.why = current_error();
      delay = so_far.backoff.failed(link_.chance());
    }
    if (link_.over(*a)) co_return;
    session_.posts().release();
    if (!link_.over(*a) && !delay && !std::exchange(so_far.told, true)) link_.in().deaf(so_far.why);
    if (link_.over(*a)) co_return;
    if (link_.options.reconnect().attempts() == 0) break;
    co_await rest(a, delay.value_or(link_.options.reconnect().longest()), so_far);
    if (link_.over(*a)) co_return;
  }
  left(a);
}

// Until it may be tried again. What was refused is asked for again only for somebody who waits for it.
COMCP_LAZY_DECL asio::awaitable<void> http_listener::rest(activity a, std::chrono::milliseconds delay, attempts const& so_far) {
  do {
    auto const over_now = std::make_shared<gate>(link_.executor);
    auto const bound = link_.open_later(over_now, link_.in_time(delay));
    if (so_far.last == attempts::outcome::away) {
      away_ = over_now;
      not_before_ = link_.in_time(std::min(delay, link_.options.reconnect().first()));
    }
    co_await over_now->wait();
    if (link_.over(*a)) co_return;
    away_.reset();
  } while (so_far.last == attempts::outcome::refused && !link_.in().listens());
}

COMCP_DECL error no_stream(int status) {
  transport_detail known;
  known.http_status = status;
  return error(errc::capability_missing, "the server has no stream for what it says unasked, such as changes")
      .with_detail(std::move(known));
}

// When to open it again; nothing where that has failed too often, or for good.
COMCP_LAZY_DECL asio::awaitable<std::optional<std::chrono::milliseconds>> http_listener::once(activity a, attempts& l) {
  using action = sansio::http_verdict::action;
  http_fetch f(link_.carrier, link_.carrier.server, "GET");
  f.common = link_.labels.of_stream(a->session, l.parser.last_event_id());
  // Some say by 404 that they have no such stream: it tells of the session only where there was one.
  f.sent.in_session = !a->session.empty() && a->answered;
  f.sent.repeatable = true;
  f.request.timeouts.response(link_.options.send_timeout()).idle(link_.options.idle_timeout());
  co_await f.run();
  if (link_.over(*a)) co_return std::nullopt;
  l.why = f.verdict.why;
  if (f.verdict.what == action::session_lost) {
    a->given_up = true;
    current_ = nullptr;
    link_.in().session_lost(0, l.why);
    co_return std::nullopt;
  }
  if (f.verdict.what == action::none) l.why = no_stream(f.head().status);
  if (f.verdict.what == action::none || (f.verdict.what != action::stream && sansio::is_final(l.why))) {
    l.last = attempts::outcome::refused;
    co_return std::nullopt;
  }
  if (f.verdict.what != action::stream) {
    if (!l.why.detail() || !l.why.detail()->http_status) l.last = attempts::outcome::away;
    co_return l.backoff.failed(link_.chance(), l.parser.retry());
  }
  a->answered = true;
  l.last = attempts::outcome::ended;
  session_.posts().release();
  l.told = false;
  if (!link_.over(*a)) link_.in().deaf(error());
  if (link_.over(*a)) co_return std::nullopt;
  l.parser.restart();
  auto const before = link_.messages_in;
  auto const id = l.parser.last_event_id();
  auto const opened = link_.carrier.time->now();
  l.why = co_await session_.read_events(a, f, l.parser);
  if (link_.over(*a)) co_return std::nullopt;
  bool const brought = link_.messages_in != before || l.parser.last_event_id() != id;
  co_return l.backoff.ended(link_.carrier.time->now() - opened, brought, link_.chance(), l.parser.retry());
}

}  // namespace comcp::detail
#endif

// transport/impl/http_post.ipp
#if !defined(COMCP_SINGLE_TRANSPORT_IMPL_HTTP_POST_IPP)
#define COMCP_SINGLE_TRANSPORT_IMPL_HTTP_POST_IPP

namespace comcp::detail {

COMCP_LAZY_DECL http_post::http_post(http_session& of, outgoing&& m)
    : http_activity(std::move(m)),
      session_(of),
      link_(of.link()),
      alive_(of.weak_from_this()),
      fetch_(link_.carrier, link_.url, "POST") {
  if (!message.stateless) session = link_.labels.session();
  fetch_.sent = sent();
  fetch_.request.body = std::move(message.text);
  fetch_.request.headers = link_.labels.own_of(*this);
  fetch_.common = link_.labels.common_of(*this);
  fetch_.authorizing = [this](bool begins) { link_.authorizing(begins); };
  // A call has its own deadlines, which cancel; everything else has this one.
  auto const& options = link_.options;
  bool const timed_by_call = fetch_.sent.request;
  auto& timeouts = fetch_.request.timeouts;
  timeouts.response(timed_by_call ? http_timeouts::never : options.send_timeout());
  timeouts.idle(timed_by_call && !message.open_ended ? http_timeouts::never : options.idle_timeout());
  timeouts.total(timed_by_call ? http_timeouts::never : options.send_timeout());
}

COMCP_DECL sansio::http_sent http_post::sent() const {
  sansio::http_sent s;
  s.request = message.id != 0 && !link_.sse;
  s.repeatable = message.repeatable;
  s.in_session = !session.empty();
  return s;
}

COMCP_LAZY_DECL void http_post::start() {
  starting = !fetch_.start(link_.executor, signal.slot(), shared_from_this());
  if (starting) go_on(alive_.lock(), false);
  starting = false;
}

COMCP_LAZY_DECL void http_post::go_on(std::shared_ptr<http_session> const& keep, bool looked) {
  auto const self = shared_from_this();
  spawn(link_.executor, run(keep, self, looked), signal.slot(), self);
}

COMCP_LAZY_DECL void http_post::has_come(result<any_response> r) {
  auto const keep = alive_.lock();
  if (!keep) return;
  error failure;
  try {
    bool const looked = fetch_.came(std::move(r));
    if (!link_.over(*this) && !(looked && take_now())) return go_on(keep, looked);
  } catch (...) {
    failure = current_error();
  }
  ended(std::move(failure));
}

// A POST begins inside send(), from which nothing may be told yet.
COMCP_LAZY asio::awaitable<void> next_turn(asio::any_io_executor on) { co_await net::async_turn(on); }

COMCP_LAZY_DECL asio::awaitable<void> http_post::run(std::shared_ptr<http_session> keep,
                                                     std::shared_ptr<http_post> self, bool looked) {
  auto& link = keep->link();
  error failure;
  try {
    if (!looked) co_await self->fetch_.run();
    if (self->starting) co_await next_turn(link.executor);
    bool const through = link.over(*self) || (!looked && self->take_now());
    if (!through) co_await self->take();
  } catch (...) {
    failure = current_error();
  }
  if (self->starting) co_await next_turn(link.executor);
  self->ended(std::move(failure));
}

COMCP_LAZY_DECL void http_post::ended(error failure) {
  fetch_.close();
  bool const untold = link_.over(*this);
  if (!link_.over()) session_.posts().finished(*this);
  if (untold) return;
  if (failure)
    link_.failed(*this, failure == errc::cancelled ? error(errc::transport_failed, "the engine gave up") : failure);
  if (!link_.over() && message.established && session == link_.labels.session()) session_.listener().start();
}

COMCP_LAZY_DECL bool http_post::take_now() {
  if (fetch_.verdict.what != action::fail) session_.listener().reached_again();
  if (fetch_.verdict.what == action::accepted) return fetch_.skip_now();
  if (fetch_.verdict.what != action::json) return false;
  body_.swap(link_.spare);
  auto const read = fetch_.take_body(body_, link_.options.max_body());
  if (read) answer(*read);
  return read.has_value();
}

COMCP_LAZY_DECL asio::awaitable<void> http_post::take() {
  if (fetch_.verdict.what == action::json) {
    auto const read = co_await fetch_.read_body(body_, link_.options.max_body());
    if (!link_.over(*this)) answer(read);
  } else if (fetch_.verdict.what == action::stream) {
    co_await take_stream();
  } else if (fetch_.verdict.what == action::accepted) {
    co_await fetch_.skip_body();
  } else {
    co_await refused();
  }
}

COMCP_LAZY_DECL result<void> http_post::look_at_head() {
  if (!is_initialize() || !link_.in().awaits(message.id)) return {};  // a late answer begins nothing
  auto const begins = link_.labels.adopt_session(fetch_.head().headers);
  if (!begins) return begins.error();
  if (*begins) session_.posts().hold();
  return {};
}

COMCP_LAZY_DECL void http_post::answer(result<void> const& read) {
  auto usable = read;
  if (usable) usable = look_at_head();
  if (!usable) return link_.failed(*this, usable.error());
  auto const id = message.id;
  body_.reserve(1);
  link_.deliver(padded_text(body_.data(), body_.size()), id);
  if (link_.over(*this)) return;
  if (link_.in().awaits(id)) return link_.failed(*this, sansio::unanswered(fetch_.head(), body_.view()));
  body_.clear();
  link_.spare = std::move(body_);
}

COMCP_LAZY_DECL asio::awaitable<void> http_post::refused() {
  auto const why = fetch_.verdict.why;
  bool const in_other_words = fetch_.verdict.what == action::fail && fetch_.sent.in_session && sansio::means_session_lost(why);
  if (fetch_.verdict.what == action::session_lost || in_other_words) {
    bool const newer = !link_.labels.session().empty() && link_.labels.session() != session;
    if (newer) co_return send_anew();
    session_.posts().finished(*this);
    co_return link_.in().session_lost(message.id, why);
  }
  if (is_initialize() && !link_.sse && link_.options.kind() == http_kind::automatic && sansio::may_be_http_sse(why)) {
    auto const opened = co_await session_.open_sse();
    if (link_.over(*this)) co_return;
    if (opened) co_return send_anew();
    if (opened.error() == errc::unauthorized)
      co_return link_.failed(*this, opened.error());  // it is there, behind a login
  }
  link_.failed(*this, why);
}

COMCP_LAZY_DECL void http_post::send_anew() {
  message.text = std::move(fetch_.request.body);
  session_.posts().again(*this);
}

// What may still be learned of the outcome by asking for the rest of a broken stream.
COMCP_LAZY_DECL asio::awaitable<void> http_post::take_stream() {
  if (auto const usable = look_at_head(); !usable) co_return link_.failed(*this, usable.error());
  sansio::sse_parser parser(link_.options.max_event());
  activity const self = shared_from_this();
  auto broken = co_await session_.read_events(self, fetch_, parser);
  if (link_.over(*this) || answered) co_return;
  sansio::backoff backoff(link_.options.reconnect());
  auto delay = backoff.failed(link_.chance(), parser.retry());
  bool hopeless = false;
  while (delay && !hopeless && may_resume(parser) && leaves_outcome_open(broken)) {
    fetch_.close();
    co_await pause_until(link_.carrier.time, link_.in_time(*delay));
    if (link_.over(*this)) co_return;
    auto const before = parser.last_event_id();
    std::optional<time_source::time_point> opened;
    broken = co_await resume(parser, hopeless, opened);
    if (link_.over(*this) || answered) co_return;
    bool const brought = parser.last_event_id() != before;
    delay = opened ? backoff.ended(link_.carrier.time->now() - *opened, brought, link_.chance(), parser.retry())
                   : backoff.failed(link_.chance(), parser.retry());
  }
  link_.failed(*this, std::move(broken));
}

// In its own session only.
COMCP_DECL bool http_post::may_resume(sansio::sse_parser const& parser) const {
  return !message.stateless && session == link_.labels.session() && !parser.last_event_id().empty() && !parser.failed();
}

// Goes on with the stream of a POST by a GET. What ended it; hopeless, if trying again makes no sense.
COMCP_LAZY_DECL asio::awaitable<error> http_post::resume(sansio::sse_parser& parser, bool& hopeless,
                                                    std::optional<time_source::time_point>& opened) {
  http_fetch f(link_.carrier, link_.carrier.server, "GET");
  f.sent = sent();
  f.common = link_.labels.of_stream(session, parser.last_event_id());
  f.authorizing = [this](bool begins) { link_.authorizing(begins); };
  f.request.timeouts.response(link_.options.send_timeout()).idle(http_timeouts::never);
  co_await f.run();
  if (link_.over(*this)) co_return error(errc::cancelled);
  if (f.verdict.what != action::stream) {
    // 409: the server has not seen yet that the stream broke.
    bool const busy = f.verdict.what == action::none && f.head().status == 409;
    hopeless = !busy && (f.verdict.what != action::fail || sansio::is_final(f.verdict.why));
    // Whatever stands in the way, the request itself was sent: what became of it is not known.
    std::string text = "the broken stream cannot be resumed";
    if (f.verdict.why) text += ": " + std::string(f.verdict.why.message());
    co_return f.verdict.why.with_code(make_error_code(errc::transport_failed)).with_message(std::move(text));
  }
  parser.restart();
  opened = link_.carrier.time->now();
  activity const self = shared_from_this();
  auto how = co_await session_.read_events(self, f, parser);
  co_return how;
}

}  // namespace comcp::detail
#endif

// transport/impl/http_posts.ipp
#if !defined(COMCP_SINGLE_TRANSPORT_IMPL_HTTP_POSTS_IPP)
#define COMCP_SINGLE_TRANSPORT_IMPL_HTTP_POSTS_IPP
#include <algorithm>

namespace comcp::detail {

COMCP_DECL http_posts::http_posts(http_session& session)
    : session_(session),
      link_(session.link()),
      hold_limit_(link_.carrier.time->make_deadline(link_.executor)) {}

COMCP_LAZY_DECL result<void> http_posts::send(outgoing&& message) {
  if (under_way_.size() + held_.size() >= link_.options.max_exchanges())
    return error(errc::queue_full, "more exchanges at once than http_options().max_exchanges()");
  ++messages_out_;
  bytes_out_ += message.text.size();
  if (holding_ && message.id != 0 && !message.handshake) {
    held_.push_back(std::move(message));
  } else {
    start(std::move(message));
  }
  return {};
}

COMCP_LAZY_DECL void http_posts::start(outgoing&& message) {
  prepare(message);
  auto const p = std::make_shared<http_post>(session_, std::move(message));
  p->place = under_way_.size();
  under_way_.push_back(p);
  try {
    if (p->message.id) waiting_.insert_or_assign(p->message.id, p.get());
    set_out(p);
  } catch (...) {
    finished(*p);
    throw;
  }
}

// Where many are under way, answers come together, and what their callers ask next goes out together: a server that is
// woken by the first finds the others as well.
COMCP_LAZY_DECL void http_posts::set_out(std::shared_ptr<http_post> const& p) {
  constexpr std::size_t many = 8;
  if (under_way_.size() < many && setting_out_.empty()) return p->start();
  if (setting_out_.empty()) {
    std::function<void()> go_on = [weak = session_.weak_from_this()] {
      if (auto const self = weak.lock()) self->posts().set_out_all();
    };
    post(link_.executor, std::move(go_on));
  }
  setting_out_.push_back(p);
  p->starting = true;
}

COMCP_LAZY_DECL void http_posts::set_out_all() {
  for (auto const& p : std::exchange(setting_out_, {})) {
    if (p->given_up) {
      finished(*p);
      continue;
    }
    try {
      p->start();
    } catch (...) {
      p->has_come(current_error());
    }
  }
}

// What the messages of a handshake mean to a session.
COMCP_LAZY_DECL void http_posts::prepare(outgoing const& message) {
  if (message.handshake && !message.stateless) {
    link_.labels.forget_session();
    give_back_held();
    if (!link_.sse) session_.listener().stop();
  }
  if (!message.established || link_.sse) return;
  link_.labels.established(message);
  holding_ = true;
  std::function<void()> go_on = [weak = session_.weak_from_this()] {
    if (auto const self = weak.lock()) self->posts().release();
  };
  hold_limit_->arm(link_.in_time(link_.options.get_stream_wait()), std::move(go_on));
}

// They belong to a session that is gone: the core sends them in the next one.
COMCP_DECL void http_posts::give_back_held() {
  holding_ = false;
  hold_limit_->disarm();
  for (auto const& m : std::exchange(held_, {})) {
    std::function<void()> back = [self = session_.shared_from_this(), id = m.id] {
      if (!self->link().over()) self->link().in().session_lost(id, error(errc::http_status, "the session is gone"));
    };
    post(link_.executor, std::move(back));
  }
}

COMCP_LAZY_DECL void http_posts::release() {
  hold_limit_->disarm();
  if (!std::exchange(holding_, false) || link_.over()) return;
  for (auto& m : std::exchange(held_, {})) start(std::move(m));
}

COMCP_DECL bool http_posts::abandon(request_id id) noexcept {
  auto const held = std::find_if(held_.begin(), held_.end(), [id](outgoing const& m) { return m.id == id; });
  if (held != held_.end()) {
    held_.erase(held);
    return true;
  }
  auto const found = waiting_.find(id);
  if (found == waiting_.end()) return false;
  auto const a = under_way_[found->second->place];
  if (!a->starting && std::exchange(a->message.is_seen_to, false)) return true;
  finished(*a);
  a->give_up();
  return a->message.stateless || a->starting;
}

COMCP_DECL void http_posts::answered(http_activity& a) {
  auto const found = waiting_.find(a.message.id);
  if (found != waiting_.end() && found->second == &a) waiting_.erase(found);
}

COMCP_DECL void http_posts::finished(http_activity& a) {
  answered(a);
  if (a.place == http_activity::nowhere) return;
  auto const hole = std::exchange(a.place, http_activity::nowhere);
  if (under_way_.back().get() != &a) {
    under_way_[hole] = std::move(under_way_.back());
    under_way_[hole]->place = hole;
  }
  under_way_.pop_back();
  if (under_way_.empty() && drained_) drained_->open();
}

COMCP_LAZY_DECL void http_posts::again(http_activity& a) {
  finished(a);
  if (holding_ && a.message.id != 0) {
    held_.push_back(std::move(a.message));
  } else {
    start(std::move(a.message));
  }
}

COMCP_LAZY_DECL asio::awaitable<void> http_posts::drained(time_source::time_point until) {
  auto const all = under_way_;
  for (auto const& a : all) {
    if (a->message.id == 0) {
      link_.limit(a, until - link_.carrier.time->now());
    } else {
      finished(*a);
      a->give_up();
    }
  }
  if (under_way_.empty()) co_return;
  drained_ = std::make_shared<gate>(link_.executor);
  auto const bound = link_.open_later(drained_, until);
  co_await drained_->wait();
}

COMCP_DECL void http_posts::abort() noexcept {
  hold_limit_->disarm();
  held_.clear();
  waiting_.clear();
  auto const all = std::exchange(under_way_, {});
  for (auto const& a : all) {
    a->place = http_activity::nowhere;
    a->give_up();
  }
  if (drained_) drained_->open();
}

COMCP_DECL void http_posts::describe(transport_info& out) const {
  out.messages_out = messages_out_;
  out.bytes_out = bytes_out_;
}

}  // namespace comcp::detail
#endif

// transport/impl/http_session.ipp
#if !defined(COMCP_SINGLE_TRANSPORT_IMPL_HTTP_SESSION_IPP)
#define COMCP_SINGLE_TRANSPORT_IMPL_HTTP_SESSION_IPP
#include <utility>

namespace comcp::detail {

/// Counts what is open while it lives.
class open_stream {
 public:
  explicit open_stream(std::size_t& count) noexcept : count_(count) { ++count_; }
  open_stream(open_stream const&) = delete;
  open_stream& operator=(open_stream const&) = delete;
  ~open_stream() { --count_; }

 private:
  std::size_t& count_;
};

COMCP_DECL http_session::http_session(asio::any_io_executor executor, http_options options, http_carrier carrier, inbox& in)
    : link_(std::move(executor), std::move(options), std::move(carrier), in), posts_(*this), listener_(*this) {}

COMCP_LAZY_DECL asio::awaitable<result<void>> http_session::open() {
  auto const hold = shared_from_this();
  if (link_.options.resumed()) {
    auto const usable = link_.labels.check_resumed();
    if (!usable) co_return usable.error();
  }
  if (link_.options.kind() == http_kind::sse) {
    auto opened = co_await open_sse();
    co_return opened;
  }
  if (link_.options.resumed()) listener_.start();
  co_return result<void>();
}

COMCP_LAZY_DECL result<void> http_session::send(outgoing&& message) {
  if (link_.over() || closing()) return error(errc::closed, "the connection is closed");
  return posts_.send(std::move(message));
}

COMCP_LAZY_DECL asio::awaitable<void> http_session::close() {
  auto const hold = shared_from_this();
  if (link_.over() || std::exchange(link_.carrier.ending, true)) co_return;
  if (!link_.sse) listener_.stop();
  co_await posts_.drained(link_.in_time(link_.options.close_wait()));
  if (!link_.over() && !link_.labels.session().empty() && !link_.sse) {
    auto const last = std::make_shared<http_activity>(outgoing());
    auto const told = std::make_shared<gate>(link_.executor);
    spawn(link_.executor, end(hold, told), last->signal.slot(), last);
    link_.limit(last, link_.options.close_wait());
    auto const bound = link_.open_later(told, link_.in_time(link_.options.close_wait()));
    co_await told->wait();
  }
  // Kept connections would keep the io_context at work.
  link_.carrier.engine.close_idle();
  finish(error(errc::closed, "closed by this side"));
}

COMCP_LAZY_DECL asio::awaitable<void> http_session::end(std::shared_ptr<http_session> self, std::shared_ptr<gate> told) {
  auto& link = self->link_;
  http_fetch f(link.carrier, link.carrier.server, "DELETE");
  f.common = link.labels.of_end();
  auto const wait = link.options.close_wait();
  f.request.timeouts.connect(wait).response(wait).total(wait);
  link.labels.forget_session();
  try {
    co_await f.run();
    co_await f.skip_body();
  } catch (...) {
    // 405, a refusal, no connection: the session ends without having been told.
  }
  told->open();
}

COMCP_DECL void http_session::abort() noexcept {
  link_.cut();
  posts_.abort();
  listener_.stop();
}

COMCP_DECL void http_session::finish(error reason) {
  auto const keep = shared_from_this();
  inbox* const in = link_.cut();
  if (in == nullptr) return;
  abort();
  in->closed(std::move(reason));
}

COMCP_DECL void http_session::describe(transport_info& out) const {
  out.kind = link_.sse ? "http+sse" : "http";
  out.session_id = link_.labels.session();
  out.open_streams = link_.streams;
  out.messages_in = link_.messages_in;
  out.bytes_in = link_.bytes_in;
  posts_.describe(out);
}

COMCP_LAZY_DECL asio::awaitable<error> http_session::read_events(activity a, http_fetch& f, sansio::sse_parser& parser,
                                                            other_events const* others) {
  open_stream const counted(link_.streams);
  for (;;) {
    auto const piece = co_await f.next();
    if (link_.over(*a)) co_return error(errc::cancelled);
    if (!piece) co_return piece.error();
    if (piece->empty())
      co_return error(errc::transport_failed, a->message.id ? "the stream ended before its answer" : "the server ended the event stream");
    parser.feed(*piece);
    while (auto event = parser.next()) {
      if (!event->is_message()) {
        if (others == nullptr) continue;
        if (auto failure = (*others)(*event)) co_return failure;
      } else if (event->data.find_first_not_of(' ') != std::string::npos) {
        link_.deliver(pad(event->data), a->message.id);
        if (link_.over(*a)) co_return error(errc::cancelled);
      }
    }
    if (parser.failed()) co_return parser.failure();
    if (a->message.id == 0 || a->answered || link_.in().awaits(a->message.id)) continue;
    a->answered = true;
    posts_.answered(*a);
    if (f.request.method == "GET") co_return error();
    link_.limit(a, std::chrono::seconds(1));  // for the end, after which the connection can be used again
  }
}

struct http_session::sse_stream {
  explicit sse_stream(http_link& link)
      : fetch(link.carrier, link.carrier.server, "GET"),
        parser(link.options.max_event()),
        reached(std::make_shared<gate>(link.executor)) {}
  http_fetch fetch;
  sansio::sse_parser parser;
  std::shared_ptr<gate> reached;
  bool endpoint = false;
  error ended;
};

COMCP_LAZY_DECL asio::awaitable<result<void>> http_session::open_sse() {
  auto const a = std::make_shared<http_activity>(outgoing());
  auto const s = std::make_shared<sse_stream>(link_);
  s->fetch.common = link_.labels.of_stream({}, {});
  s->fetch.request.timeouts.response(link_.options.send_timeout()).idle(link_.options.idle_timeout());
  s->fetch.authorizing = [this, a](bool begins) {
    link_.authorizing(begins);
    if (link_.over(*a)) return;
    if (begins) {
      http_link::unlimit(*a);
    } else {
      link_.limit(a, link_.options.send_timeout());
    }
  };
  listener_.become(a);
  spawn(link_.executor, run_sse(shared_from_this(), a, s), a->signal.slot(), a);
  link_.limit(a, link_.options.send_timeout());
  co_await s->reached->wait();
  http_link::unlimit(*a);
  if (s->endpoint) co_return result<void>();
  co_return s->ended ? s->ended : error(errc::connect_failed, "the server names no endpoint on its event stream");
}

COMCP_LAZY_DECL asio::awaitable<void> http_session::run_sse(std::shared_ptr<http_session> self, activity a,
                                                       std::shared_ptr<sse_stream> s) {
  auto& link = self->link_;
  other_events const others = [&link, &s](sansio::sse_event const& event) {
    if (event.type != "endpoint" || s->endpoint) return error();
    auto const where = link.carrier.server.resolve(event.data);
    if (!where) return error(errc::protocol_violation, "the endpoint is no URL");
    if (!same_origin(*where, link.carrier.server))
      return error(errc::protocol_violation, "the endpoint is on another origin: " + where->origin());
    s->endpoint = link.sse = true;
    link.url = *where;
    s->reached->open();
    return error();
  };
  try {
    co_await s->fetch.run();
    s->ended = s->fetch.verdict.why;
    if (s->fetch.verdict.what == http_fetch::action::stream) s->ended = co_await self->read_events(a, s->fetch, s->parser, &others);
  } catch (...) {
    s->ended = current_error();
  }
  self->listener_.left(a);
  s->reached->open();
  if (s->endpoint && !link.over(*a)) self->finish(s->ended);
}

}  // namespace comcp::detail
#endif
#endif
#endif

namespace comcp::detail {

class http_endpoint {
 public:
  static constexpr bool is_http = true;

  http_endpoint(std::string_view url, any_engine e, any_authenticator a, http_options options);
  http_endpoint(http_endpoint&&) noexcept = default;
  http_endpoint& operator=(http_endpoint&& other) noexcept;
  ~http_endpoint() { abort(); }

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> open(inbox& in);
  COMCP_LAZY result<void> send(outgoing message);
  bool abandon(request_id id) noexcept { return session_ && session_->abandon(id); }
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close();
  [[nodiscard]] transport_info info() const;
  [[nodiscard]] std::optional<saved_session> resumed() const { return options_.resumed(); }

 private:
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> start(inbox& in);
  void abort() noexcept;

  result<http_url> url_;
  http_options options_;
  any_engine engine_;
  any_authenticator auth_;
  std::shared_ptr<http_session> session_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/http_endpoint.ipp
#if !defined(COMCP_SINGLE_TRANSPORT_IMPL_HTTP_ENDPOINT_IPP)
#define COMCP_SINGLE_TRANSPORT_IMPL_HTTP_ENDPOINT_IPP
#include <utility>

#include <asio/this_coro.hpp>

namespace comcp::detail {

COMCP_DECL http_endpoint::http_endpoint(std::string_view url, any_engine e, any_authenticator a, http_options options)
    : url_(http_url::parse(url)), options_(std::move(options)), engine_(options_.around() ? options_.around()(std::move(e)) : std::move(e)), auth_(std::move(a)) {}

COMCP_DECL http_endpoint& http_endpoint::operator=(http_endpoint&& other) noexcept {
  if (this == &other) return *this;
  abort();
  url_ = std::move(other.url_);
  options_ = std::move(other.options_);
  engine_ = std::move(other.engine_);
  auth_ = std::move(other.auth_);
  session_ = std::move(other.session_);
  return *this;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> http_endpoint::open(inbox& in) {
  abort();
  return start(in);
}

// The core keeps the transport in its place from open() on.
COMCP_LAZY_DECL asio::awaitable<result<void>> http_endpoint::start(inbox& in) {
  auto const executor = co_await asio::this_coro::executor;
  if (!url_) co_return url_.error();
  if (options_.unusable()) co_return options_.unusable();
  http_carrier carrier(engine_, auth_, options_.time(), *url_);
  session_ = std::make_shared<http_session>(executor, options_, std::move(carrier), in);
  auto const session = session_;
  auto opened = co_await session->open();
  co_return opened;
}

COMCP_LAZY_DECL result<void> http_endpoint::send(outgoing message) {
  if (!session_) return error(errc::closed, "not open");
  return session_->send(std::move(message));
}

COMCP_LAZY asio::awaitable<void> close_http_session(std::shared_ptr<http_session> session) {
  if (session) co_await session->close();
}

COMCP_LAZY_DECL asio::awaitable<void> http_endpoint::close() { return close_http_session(session_); }

COMCP_DECL transport_info http_endpoint::info() const {
  transport_info out;
  out.kind = "http";
  if (url_) {
    out.target = url_->origin() + url_->path();
    out.origin = url_->origin();
    // A query or a header of the user's own may decide on the answers, and may be a secret.
    if (!url_->query() && options_.headers().empty()) out.server = out.target;
  }
  out.identity = auth_.identity();
  out.extensions = auth_.extensions();
  if (session_) session_->describe(out);
  return out;
}

COMCP_DECL void http_endpoint::abort() noexcept {
  if (session_) session_->abort();
  session_.reset();
}

}  // namespace comcp::detail
#endif
#endif
#endif

namespace comcp {
namespace detail {

// A template, so that only who uses HTTP pays for the engine.
template <class Engine = default_http_engine>
std::unique_ptr<http_endpoint> make_http_endpoint(std::string_view url, asio_engine_options engine, proxy_options proxies,
                                                  tls_options const& tls, any_authenticator auth, http_options options) {
  any_engine erased(make_http_engine<Engine>(std::move(engine), std::move(proxies), tls));
  return std::make_unique<http_endpoint>(url, std::move(erased), std::move(auth), std::move(options));
}

}  // namespace detail

#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
inline namespace http_with_tls {
#else
inline namespace http_without_tls {
#endif

/// A server's MCP endpoint: `comcp::http("https://example.com/mcp")`, and with credentials
/// `comcp::http(url, comcp::bearer(token))`. Streamable HTTP, and HTTP+SSE where the server knows no other. https needs
/// COMCP_WITH_TLS. The environment's proxies are used (proxy_options::from_environment()) unless told otherwise.
/// Regular until it connects: keep one and connect copies of it; a copy has the settings, never the connection.
template <class Auth = no_auth>
class http {
 public:
  static constexpr bool is_http = true;

  explicit http(std::string_view url, Auth auth = Auth()) : url_(url), auth_(std::move(auth)) {}

  /// All options at once, in place of what was said before.
  http& options(http_options o) & { return options_ = std::move(o), *this; }
  http& header(std::string_view name, std::string_view value) & { return options_.header(name, value), *this; }
  http& engine(asio_engine_options o) & { return engine_ = std::move(o), *this; }
  http& proxy(proxy_options o) & { return proxy_ = std::move(o), *this; }
  http& tls(tls_options o) & { return tls_ = std::move(o), *this; }
  http& resume(saved_session s) & { return options_.resume(std::move(s)), *this; }
  http&& options(http_options o) && { return std::move(options(std::move(o))); }
  http&& header(std::string_view name, std::string_view value) && { return std::move(header(name, value)); }
  http&& engine(asio_engine_options o) && { return std::move(engine(std::move(o))); }
  http&& proxy(proxy_options o) && { return std::move(proxy(std::move(o))); }
  http&& tls(tls_options o) && { return std::move(tls(std::move(o))); }
  http&& resume(saved_session s) && { return std::move(resume(std::move(s))); }

  // What a transport has; for the client alone.
  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) { return made().open(in); }
  result<void> send(outgoing message) { return made().send(std::move(message)); }
  bool abandon(request_id id) noexcept { return transport_.made && transport_.made->abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return made().close(); }
  [[nodiscard]] transport_info info() const { return made().info(); }
  [[nodiscard]] std::optional<saved_session> resumed() const { return options_.resumed(); }

 private:
  // A copy makes its own.
  struct connection {
    connection() = default;
    connection(connection const&) noexcept {}
    connection(connection&&) noexcept = default;
    connection& operator=(connection other) noexcept { return made.swap(other.made), *this; }
    ~connection() = default;
    std::unique_ptr<detail::http_endpoint> made;
  };

  [[nodiscard]] detail::http_endpoint& made() const {
    if (!transport_.made) {
      transport_.made = detail::make_http_endpoint<>(url_, engine_, proxy_ ? *proxy_ : proxy_options::from_environment(), tls_,
                                                     any_authenticator(auth_), options_);
    }
    return *transport_.made;
  }

  std::string url_;
  Auth auth_;
  http_options options_;
  asio_engine_options engine_;
  std::optional<proxy_options> proxy_;
  tls_options tls_;
  mutable connection transport_;
};

http(std::string_view) -> http<no_auth>;

}  // inline namespace
}  // namespace comcp

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

extern template std::unique_ptr<http_endpoint> make_http_endpoint<default_http_engine>(std::string_view, asio_engine_options,
                                                                                       proxy_options, tls_options const&,
                                                                                       any_authenticator, http_options);

}  // namespace comcp::detail
#endif

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/http.ipp
#if !defined(COMCP_SINGLE_TRANSPORT_IMPL_HTTP_IPP)
#define COMCP_SINGLE_TRANSPORT_IMPL_HTTP_IPP
// For compiled mode alone: what all users of HTTP have in common, compiled once.

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

template std::unique_ptr<http_endpoint> make_http_endpoint<default_http_engine>(std::string_view, asio_engine_options,
                                                                                proxy_options, tls_options const&,
                                                                                any_authenticator, http_options);

}  // namespace comcp::detail
#endif
#endif
#endif
#endif
#endif

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
