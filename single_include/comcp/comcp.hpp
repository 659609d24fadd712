// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp 0.1.0, all of a client in one header. Written by tools/amalgamate: change the files under include/ instead.
//
// Header-only as it is. To compile comcp once, define COMCP_SEPARATE_COMPILATION in every source, and in one of them
// COMCP_IMPLEMENTATION before its first include of comcp: that source holds all of the single headers that it includes,
// and Asio's definitions too where ASIO_SEPARATE_COMPILATION is defined.
#if defined(COMCP_COMCP_HPP)
#if defined(COMCP_IMPLEMENTATION) && !defined(COMCP_IMPLEMENTED)
#error "comcp: this source included comcp before it defined COMCP_IMPLEMENTATION."
#endif
#else
#define COMCP_COMCP_HPP

#if defined(COMCP_IMPLEMENTATION)
#define COMCP_IMPLEMENTED
#if !defined(COMCP_SEPARATE_COMPILATION)
#define COMCP_SEPARATE_COMPILATION
#endif
#endif

// What comcp needs of Asio, where nobody said it.
#if defined(ASIO_DETAIL_CONFIG_HPP)
#if !defined(ASIO_STANDALONE) || !defined(ASIO_HAS_CO_AWAIT)
#error "comcp: Asio was included before comcp, and without ASIO_STANDALONE and coroutines. Include comcp first, or define ASIO_STANDALONE, ASIO_HAS_CO_AWAIT and ASIO_HAS_STD_COROUTINE for every source."
#endif
#else
#if !defined(ASIO_STANDALONE)
#define ASIO_STANDALONE
#endif
#if !defined(ASIO_HAS_CO_AWAIT)
#define ASIO_HAS_CO_AWAIT
#endif
#if !defined(ASIO_HAS_STD_COROUTINE)
#define ASIO_HAS_STD_COROUTINE
#endif
// Asio decides this by what was included before it; sources that disagree free with the wrong function.
#if defined(__linux__) && !defined(ASIO_HAS_STD_ALIGNED_ALLOC) && !defined(ASIO_DISABLE_STD_ALIGNED_ALLOC)
#define ASIO_HAS_STD_ALIGNED_ALLOC 1
#endif
#endif

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

// comcp.hpp
// What every user of comcp needs, in one include. What some need has headers beside it: http.hpp, authorization.hpp,
// host.hpp, and for each part its own.

// requirements.hpp
// What comcp needs of the compiler, its flags, the standard library and Asio, said before anything else is read: a
// missing macro is one line here and a thousand errors later.

#include <version>

#if !defined(_MSVC_LANG) && __cplusplus < 202002L
#error "comcp needs C++20: compile with -std=c++20 or newer (CMake: link comcp::comcp; Conan: -s compiler.cppstd=20)."
#endif

#if !defined(__cpp_exceptions)
#error "comcp needs exceptions: its operations end with them. Compile without -fno-exceptions."
#endif

#if !defined(__cpp_rtti)
#error "comcp needs RTTI, as Asio's any_io_executor does. Compile without -fno-rtti."
#endif

#if !defined(__cpp_impl_coroutine)
#error "comcp needs C++20 coroutines, which this compiler does not have (g++ 10 wants -fcoroutines)."
#endif

#if !defined(__cpp_lib_jthread)
#error "comcp needs std::stop_token. clang's libc++ before version 20 has it with -fexperimental-library, in every source."
#endif

#include <asio/detail/config.hpp>

#if !defined(ASIO_HAS_CO_AWAIT)
#error "comcp: Asio does not see coroutines. Define ASIO_HAS_CO_AWAIT and ASIO_HAS_STD_COROUTINE for every source, or link the CMake target comcp::comcp."
#endif

#if defined(BOOST_ASIO_DETAIL_CONFIG_HPP) && BOOST_VERSION < 107500
#include <asio/version.hpp>
#if ASIO_VERSION < 103700
#error "comcp: Boost.Asio of Boost 1.74 and this standalone Asio define the same names. Use them in different sources, or a newer one of the two."
#endif
#endif

// client/connect.hpp
// connect(): where clients come from.

#include <concepts>
#include <memory>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

// client/client.hpp
// The client as users see it: every operation of MCP as an awaitable (client/awaitable_client.hpp), and the same for
// any completion token of Asio. connect() is in client/connect.hpp.

#include <string_view>
#include <utility>

// client/awaitable_client.hpp
// A client's operations as awaitables. What happens underneath is client_core's, which a
// source that is only given a client does not compile; connect() is in client/connect.hpp.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

// client/call_options.hpp
// What a user may decide for one call, with every default.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

// json/build.hpp
// Building JSON to send: fragment (owned, valid text), args(...), the object and array builders, raw(text).

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// json/describe.hpp
// How C++ types become JSON and back. One field list per struct serves both directions:
//
//   struct point { int x = 0; std::optional<int> y; };
//   constexpr auto describe(std::type_identity<point>) {
//     return comcp::json::fields(comcp::json::field("x", &point::x), comcp::json::field("y", &point::y));
//   }
//
// Types of other shapes specialise json::codec.

#include <limits>
#include <string>
#include <utility>

// json/codecs.hpp
// The codecs of the standard types and of described structs.

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// json/field_table.hpp
// Field lists as tables that plain functions walk. For each member of a struct only a function to read it and one to
// write it are generated: a protocol has hundreds of members, and compilers take their time over each. Internal.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

// json/fields.hpp
// Field lists: how a struct says what its members are called in JSON. See json/describe.hpp.

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// json/value.hpp
// JSON values: `value` owns a share of an immutable parsed document, `view` looks at a part of one. Both are
// read-only; writing JSON is json/writer.hpp's and json/build.hpp's job.

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// json/padded_text.hpp
// Text with room behind it: what simdjson needs to parse in place. Read buffers hand it out, large ones with the memory
// that it is in; nobody copies.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace comcp {

/// Memory for text, never filled first. Moving it leaves none, and the text where it is.
class text_buffer {
 public:
  text_buffer() noexcept = default;
  explicit text_buffer(std::size_t capacity)
      : memory_(std::make_unique_for_overwrite<char[]>(capacity)), capacity_(capacity) {}
  text_buffer(text_buffer&& other) noexcept
      : memory_(std::move(other.memory_)), capacity_(std::exchange(other.capacity_, 0)) {}
  text_buffer& operator=(text_buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  [[nodiscard]] char* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  std::unique_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
};

/// Text with at least `spare` readable bytes behind its end. Does not own them.
class padded_text {
 public:
  static constexpr std::size_t spare = 64;

  /// Precondition: data[0 .. size + spare) is readable memory.
  padded_text(char const* data, std::size_t size) noexcept : data_(data), size_(size) {}
  /// The same, in memory that whoever is given this text may keep: by moving `from`, where all of that lies.
  padded_text(char const* data, std::size_t size, text_buffer* from) noexcept : data_(data), size_(size), from_(from) {}
  [[nodiscard]] char const* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view view() const noexcept { return {data_, size_}; }
  /// Null where the memory is not to be had.
  [[nodiscard]] text_buffer* from() const noexcept { return from_; }
  /// A part of this text.
  [[nodiscard]] padded_text part(std::string_view of) const noexcept { return {of.data(), of.size(), from_}; }

 private:
  char const* data_;
  std::size_t size_;
  text_buffer* from_ = nullptr;
};

/// Gives `text` the spare capacity that padded_text asks for, and views it. Valid until `text` changes.
inline padded_text pad(std::string& text) {
  if (text.capacity() < text.size() + padded_text::spare) text.reserve(text.size() + padded_text::spare);
  return {text.data(), text.size()};
}

namespace detail {
/// Memory for `size` bytes or more, of what this thread gave back or fresh.
text_buffer buffer_for(std::size_t size);
/// For the next buffer_for(). A thread keeps two of 64 KiB to 1.5 MiB.
void give_back(text_buffer&& buffer) noexcept;
}  // namespace detail

}  // namespace comcp

// version.hpp
// The version of comcp itself; CMake, Conan and vcpkg read it from here. Protocol versions are in
// protocol/lifecycle.hpp.

#define COMCP_VERSION_MAJOR 0
#define COMCP_VERSION_MINOR 1
#define COMCP_VERSION_PATCH 0
#define COMCP_VERSION_STRING "0.1.0"

/// Marks definitions that live in impl/*.ipp: inline when header-only, plain where comcp/src.hpp compiles them once.
/// COMCP_LAZY is for those among them that only who calls them shall pay for, which are nearly all: g++ generates the
/// frames of every inline coroutine that it reads at -O0, and all that they reach, but not of templates. It stands at
/// the declaration (or at a definition without one), COMCP_LAZY_DECL at the definition. What is virtual cannot have it:
/// it stands in a class template, or is called from one.
#if defined(COMCP_SEPARATE_COMPILATION)
#define COMCP_DECL
#define COMCP_LAZY
#define COMCP_LAZY_DECL
#else
#define COMCP_DECL inline
#define COMCP_LAZY template <int = 0>
#define COMCP_LAZY_DECL template <int> inline
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// json/impl/buffers.ipp
// Memory of large texts, used again by the thread that gave it back: fresh pages cost more than what is in them.

#include <cstddef>
#include <utility>

namespace comcp::detail {

// What outlives its place must not go unseen there.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_asan = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool under_asan = true;
#else
inline constexpr bool under_asan = false;
#endif
#else
inline constexpr bool under_asan = false;
#endif

struct spare_buffers {
  static constexpr std::size_t least = 64 * 1024, most = 3 * 512 * 1024;
  text_buffer kept[2];

  ~spare_buffers() { closed() = true; }
  static bool& closed() noexcept {  // the thread ends
    static constinit thread_local bool is = false;
    return is;
  }
  static spare_buffers& mine() noexcept {
    static thread_local spare_buffers spares;
    return spares;
  }
};

COMCP_DECL text_buffer buffer_for(std::size_t size) {
  if (size >= spare_buffers::least && size <= spare_buffers::most && !spare_buffers::closed()) {
    for (auto& spare : spare_buffers::mine().kept) {
      if (spare.capacity() >= size && spare.capacity() / 4 <= size) return std::move(spare);
    }
  }
  return text_buffer(size);
}

COMCP_DECL void give_back(text_buffer&& buffer) noexcept {
  auto old = std::move(buffer);
  auto const size = old.capacity();
  if (under_asan || size < spare_buffers::least || size > spare_buffers::most || spare_buffers::closed()) return;
  auto& kept = spare_buffers::mine().kept;
  auto& smaller = kept[0].capacity() <= kept[1].capacity() ? kept[0] : kept[1];
  if (smaller.capacity() < size) smaller = std::move(old);
}

}  // namespace comcp::detail
#endif

// result.hpp
// result<T>: a value or one error. The shape of std::expected, which C++20 lacks.

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

// error.hpp
// What can go wrong, as values: errc, the error that travels below the facade, and the exception that
// public operations throw. The peer's data stays text here, so that errors need no JSON.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace comcp {

/// comcp's own error codes. "Retry" says whether sending the same call again is safe.
enum class errc {
  timeout = 1,          ///< A documented wait ended. Retry: only for what has no side effect.
  cancelled,            ///< The caller cancelled. Retry: as for timeout.
  closed,               ///< Closed by this side, or before the call was sent. Retry: if it was never sent.
  outcome_unknown,      ///< The connection broke after the call was sent: it may have run. Retry: only if idempotent.
  protocol_violation,   ///< The peer broke the protocol. Retry: no.
  limit_exceeded,       ///< A documented bound was met; the text names it. Retry: not unchanged.
  not_in_protocol,      ///< The negotiated version has no such operation; nothing was sent. Retry: no.
  capability_missing,   ///< The server did not declare what the call needs; nothing was sent. Retry: no.
  unauthorized,         ///< The server wants other credentials, or authorization failed. Retry: after authorization.
  invalid_argument,     ///< The caller's input is unusable; nothing was sent. Retry: no.
  invalid_json,         ///< Text is not JSON. Retry: no.
  wrong_shape,          ///< JSON of another shape than the type needs; the text has the path. Retry: no.
  not_found,            ///< No such key, element, resource or name. Retry: no.
  no_common_version,    ///< Client and server share no protocol version; the text names both lists. Retry: no.
  connect_failed,       ///< The channel could not be opened (no such command, refused, ...). Retry: yes.
  transport_failed,     ///< The channel broke: the server exited, the stream ended or failed. Retry: as outcome_unknown.
  queue_full,           ///< The outgoing queue is at its bound; nothing was sent. Retry: later, yes.
  tool_failed,          ///< or_throw() met a tool result with isError. Retry: the tool decides.
  input_refused,        ///< A handler failed or declined an input request, which ended the call. Retry: yes.
  url_elicitation_required,  ///< -32042: complete the listed elicitations first. Retry: then, yes.
  denied,               ///< An interceptor denied the call, or a policy an address; nothing was sent. Retry: no.
  validation_failed,    ///< A value does not match its JSON Schema. Nothing was sent, unless the text says so. Retry: no.
  unsupported_dialect,  ///< A schema names a dialect that comcp does not know. Retry: no.

  // HTTP. Each is a failure of one exchange; the connection to the server as such goes on.
  connect_timeout,      ///< No connection (name, TCP, proxy, TLS) in time; nothing was sent. Retry: yes.
  response_timeout,     ///< The request was sent, and no response began in time. Retry: as for transport_failed.
  idle_timeout,         ///< A response stopped coming. Retry: as for transport_failed.
  exchange_timeout,     ///< The whole exchange took too long. Retry: as for transport_failed.
  tls_failed,           ///< No trusted TLS connection; nothing was sent. Retry: not unchanged.
  proxy_failed,         ///< The proxy refused the way; nothing was sent. Retry: not unchanged.
  redirect_refused,     ///< A redirect that is not followed: another origin, or one too many. Retry: no.
  http_status,          ///< An error status without a JSON-RPC error, see detail(). Retry: see is_retriable().
  wrong_content_type,   ///< A success whose body is neither JSON nor an event stream. Retry: as for transport_failed.
  missing_answer,       ///< A success without the answer to the request. Retry: as for transport_failed.
  unsupported_encoding, ///< A body in an encoding that was not asked for. Retry: as for transport_failed.

  // Registry and pool. Nothing was sent.
  already_registered,   ///< A server of this name is there. Retry: after remove().
  unknown_server,       ///< No server of this name. Retry: after add().
  unknown_tool,         ///< No server, or not the named one, has this tool. Retry: after a refresh.
  ambiguous_name,       ///< Several servers have a tool of this bare name; the text names them. Retry: no.
  no_separator,         ///< A qualified name is wanted, and this is none. Retry: no.
  not_ready,            ///< The server was not ready, or not in time. Retry: yes.
  tool_blocked,         ///< The tool's definition is not approved. Retry: after approval.
  no_connections,       ///< No member of the pool became ready in time. Retry: yes.

  login_required,       ///< The server wants a user to log in, and nobody can be asked here. Retry: after a login.

  verification_failed,  ///< A skill's file is not what its entry says, or not in it. Retry: with a new get_skill().

  out_of_memory,        ///< Memory ran out while something was read. Retry: as for outcome_unknown.
};

/// The category of comcp::errc, named "comcp".
std::error_category const& comcp_category() noexcept;

/// The category of JSON-RPC error codes as the peer sent them, named "jsonrpc".
std::error_category const& jsonrpc_category() noexcept;

inline std::error_code make_error_code(errc e) noexcept { return {static_cast<int>(e), comcp_category()}; }

/// The error object of a JSON-RPC answer. `data` is its JSON text, empty where absent.
struct peer_error {
  std::int64_t code = 0;
  std::string message;
  std::string data;
};

/// What the transport knows about a failure.
struct transport_detail {
  std::optional<int> http_status;
  std::string snippet;              ///< Start of an HTTP body that was no answer.
  std::optional<std::chrono::seconds> retry_after;  ///< When the server asked to try again.
  std::optional<int> exit_code;     ///< Exit status of the server process.
  std::optional<int> term_signal;   ///< Signal that ended the server process.
  std::string stderr_tail;          ///< Last bytes that the server process wrote to stderr.
};

/// What is known of the request that an error ended: of all its attempts, the one of which the least is known.
enum class call_outcome : unsigned char {
  unstated,  ///< The error belongs to no request.
  not_sent,  ///< Nothing of it was sent, or the server gave it back unread: sending it again can double nothing.
  known,     ///< The server answered: it was refused, it failed, or it waits for input that it did not get.
  open,      ///< It was sent and may have been carried out: no answer came, or none that can be used.
};

/// One failure: a code, comcp's own text, the peer's error and the transport's detail, kept apart.
/// Copies share their contents and are cheap. Safe to read from any thread.
class error {
 public:
  error() = default;
  error(errc code, std::string message = {}) : error(make_error_code(code), std::move(message)) {}
  error(std::error_code code, std::string message = {});

  /// An error that the peer answered with; its code is in jsonrpc_category().
  static error from_peer(peer_error peer);

  [[nodiscard]] std::error_code code() const noexcept { return code_; }
  [[nodiscard]] std::string_view message() const noexcept;
  [[nodiscard]] peer_error const* peer() const noexcept;
  [[nodiscard]] transport_detail const* detail() const noexcept;
  /// Every error that ends a call says it. Of others it is what their code says, which is mostly nothing.
  [[nodiscard]] call_outcome outcome() const noexcept;
  [[nodiscard]] bool states_outcome() const noexcept { return outcome_ != call_outcome::unstated; }

  /// The same error with more known about it.
  [[nodiscard]] error with_message(std::string message) const;
  [[nodiscard]] error with_peer(peer_error peer) const;
  [[nodiscard]] error with_detail(transport_detail detail) const;
  [[nodiscard]] error with_code(std::error_code code) const;
  [[nodiscard]] error with_outcome(call_outcome outcome) const;

  /// One readable line: code, text, the peer's message, exit status; stderr follows on its own lines. For logs and
  /// terminals: what these might obey or hide is written out (see visible()). message(), peer() and detail() are as
  /// they came.
  [[nodiscard]] std::string to_string() const;

  explicit operator bool() const noexcept { return static_cast<bool>(code_); }
  friend bool operator==(error const& e, std::error_code c) noexcept { return e.code_ == c; }
  friend bool operator==(error const& e, errc c) noexcept { return e.code_ == make_error_code(c); }

 private:
  struct contents;
  std::error_code code_;
  std::shared_ptr<contents const> contents_;
  call_outcome outcome_ = call_outcome::unstated;
};

/// Whether sending again what failed so makes sense and cannot double a side effect: it was certainly not carried out.
bool is_retriable(error const& e) noexcept;

/// Whether the operation that failed so may have been carried out: outcome() is open.
bool leaves_outcome_open(error const& e) noexcept;

/// What public operations throw. `what()` is error().to_string().
class exception : public std::system_error {
 public:
  explicit exception(comcp::error e) : std::system_error(e.code()), error_(std::move(e)), text_(error_.to_string()) {}
  [[nodiscard]] comcp::error const& error() const noexcept { return error_; }
  [[nodiscard]] char const* what() const noexcept override { return text_.c_str(); }

 private:
  comcp::error error_;
  std::string text_;
};

}  // namespace comcp

template <>
struct std::is_error_code_enum<comcp::errc> : std::true_type {};

// visible.hpp
// Characters that nobody sees, or that a terminal obeys: the one table of them, and text in which they are written out.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace comcp {

/// Why a character is suspicious.
enum class suspicion {
  control,             ///< C0 and C1 controls but tab, line feed and carriage return; line and paragraph separators.
  zero_width,          ///< Zero-width space, joiners, word joiner, byte order mark. A joiner inside an emoji is none.
  bidirectional,       ///< Marks, embeddings, overrides and isolates: text that reads in another order than it is.
  tag,                 ///< U+E0000 to U+E007F: invisible ASCII.
  variation_selector,  ///< But one U+FE0E or U+FE0F after an emoji or digit, which chooses how that looks.
  private_use,
  ignorable,           ///< Others that show nothing: soft hyphen, fillers, invisible operators, ...
};

/// The suspicion's name, such as "zero_width".
std::string_view to_text(suspicion s) noexcept;

/// What becomes of line feeds and tabs in a text that is shown.
enum class line_breaks {
  keep,
  blank,  ///< A blank for each: the text stays on one line.
};

/// The text as it can be shown anywhere: every suspicious character written out as <U+200B>, a carriage return that no
/// line feed follows as <U+000D>, and each byte that is no UTF-8 as <0x9B>. Linear in its length.
std::string visible(std::string_view text, line_breaks lines = line_breaks::keep);

namespace detail {

/// Goes through a text by characters, and says which are suspicious where they stand.
class character_scan {
 public:
  explicit character_scan(std::string_view text) noexcept : text_(text) {}

  /// To the next character; false at the end.
  bool next() noexcept;
  [[nodiscard]] std::size_t start() const noexcept { return start_; }  ///< In bytes.
  [[nodiscard]] std::string_view bytes() const noexcept { return text_.substr(start_, end_ - start_); }
  [[nodiscard]] bool is_utf8() const noexcept { return is_utf8_; }  ///< Else it is one byte that is not.
  [[nodiscard]] char32_t code() const noexcept { return code_; }
  [[nodiscard]] std::optional<suspicion> why() const noexcept { return why_; }

 private:
  std::string_view text_;
  std::size_t start_ = 0, end_ = 0;
  char32_t code_ = 0;
  char32_t base_ = 0;  // the last visible character; 0 after a suspicious one
  bool is_utf8_ = true, chosen_ = false;
  std::optional<suspicion> why_;
};

/// "U+200B".
std::string code_point_name(char32_t c);

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// impl/visible.ipp
#include <algorithm>
#include <iterator>

namespace comcp {
namespace detail {

struct suspicious_range {
  char32_t first, last;
  suspicion why;
};

// Sorted. Unicode's Default_Ignorable_Code_Point, controls, separators, private use and interlinear annotation.
inline constexpr suspicious_range suspicious_ranges[] = {
    {0x00, 0x08, suspicion::control},       {0x0B, 0x0C, suspicion::control},
    {0x0E, 0x1F, suspicion::control},       {0x7F, 0x9F, suspicion::control},
    {0xAD, 0xAD, suspicion::ignorable},     {0x34F, 0x34F, suspicion::ignorable},
    {0x61C, 0x61C, suspicion::bidirectional}, {0x115F, 0x1160, suspicion::ignorable},
    {0x17B4, 0x17B5, suspicion::ignorable}, {0x180B, 0x180D, suspicion::variation_selector},
    {0x180E, 0x180E, suspicion::ignorable}, {0x180F, 0x180F, suspicion::variation_selector},
    {0x200B, 0x200D, suspicion::zero_width}, {0x200E, 0x200F, suspicion::bidirectional},
    {0x2028, 0x2029, suspicion::control},   {0x202A, 0x202E, suspicion::bidirectional},
    {0x2060, 0x2060, suspicion::zero_width}, {0x2061, 0x2065, suspicion::ignorable},
    {0x2066, 0x2069, suspicion::bidirectional}, {0x206A, 0x206F, suspicion::ignorable},
    {0x3164, 0x3164, suspicion::ignorable}, {0xE000, 0xF8FF, suspicion::private_use},
    {0xFE00, 0xFE0F, suspicion::variation_selector}, {0xFEFF, 0xFEFF, suspicion::zero_width},
    {0xFFA0, 0xFFA0, suspicion::ignorable}, {0xFFF0, 0xFFFB, suspicion::ignorable},
    {0x1BCA0, 0x1BCA3, suspicion::ignorable}, {0x1D173, 0x1D17A, suspicion::ignorable},
    {0xE0000, 0xE007F, suspicion::tag},     {0xE0080, 0xE00FF, suspicion::ignorable},
    {0xE0100, 0xE01EF, suspicion::variation_selector}, {0xE01F0, 0xE0FFF, suspicion::ignorable},
    {0xF0000, 0xFFFFF, suspicion::private_use}, {0x100000, 0x10FFFF, suspicion::private_use},
};

inline std::optional<suspicion> suspicion_of(char32_t c) noexcept {
  if (c >= 0x20 && c < 0x7F) return std::nullopt;
  auto const at = std::lower_bound(std::begin(suspicious_ranges), std::end(suspicious_ranges), c,
                                   [](suspicious_range const& r, char32_t x) { return r.last < x; });
  if (at == std::end(suspicious_ranges) || c < at->first) return std::nullopt;
  return at->why;
}

// The length of the character that `s` begins with, and its code; 0 where that is no UTF-8.
inline std::size_t first_character(std::string_view s, char32_t& code) noexcept {
  auto const lead = static_cast<unsigned char>(s[0]);
  if (lead < 0x80) return code = lead, 1;
  std::size_t const length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead < 0xC2 || lead > 0xF4 || s.size() < length) return 0;
  code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    auto const next = static_cast<unsigned char>(s[i]);
    if ((next & 0xC0) != 0x80) return 0;
    code = code << 6 | (next & 0x3Fu);
  }
  bool const overlong = code < (length == 3 ? 0x800u : length == 4 ? 0x10000u : 0x80u);
  return overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) ? 0 : length;
}

// Symbols and pictographs, which a joiner may join.
inline bool is_emoji_like(char32_t c) noexcept {
  return (c >= 0x2190 && c <= 0x2BFF) || (c >= 0x1F000 && c <= 0x1FAFF);
}

// What else U+FE0E and U+FE0F may follow: keycaps, and symbols outside of those blocks.
inline bool is_emoji_base(char32_t c) noexcept {
  constexpr std::u32string_view others = U"#*0123456789\u00A9\u00AE\u203C\u2049\u2122\u2139\u3030\u303D\u3297\u3299";
  return is_emoji_like(c) || others.find(c) != std::u32string_view::npos;
}

inline bool emoji_follows(std::string_view rest) noexcept {
  char32_t c = 0;
  return !rest.empty() && first_character(rest, c) != 0 && is_emoji_like(c);
}

COMCP_DECL bool character_scan::next() noexcept {
  start_ = end_;
  if (end_ == text_.size()) return false;
  auto const length = first_character(text_.substr(start_), code_);
  is_utf8_ = length != 0;
  if (!is_utf8_) code_ = static_cast<unsigned char>(text_[start_]);
  end_ = start_ + (is_utf8_ ? length : 1);
  why_ = is_utf8_ ? suspicion_of(code_) : std::optional(suspicion::control);
  if (!why_) {
    base_ = code_;
    chosen_ = false;
  } else if ((code_ == 0xFE0E || code_ == 0xFE0F) && is_emoji_base(base_) && !chosen_) {
    chosen_ = true;
    why_.reset();
  } else if (code_ == 0x200D && is_emoji_like(base_) && emoji_follows(text_.substr(end_))) {
    why_.reset();
  } else {
    base_ = 0;
  }
  return true;
}

COMCP_DECL std::string code_point_name(char32_t c) {
  constexpr char const* digits = "0123456789ABCDEF";
  std::string name = "U+";
  for (int shift = c > 0xFFFFF ? 20 : c > 0xFFFF ? 16 : 12; shift >= 0; shift -= 4) name += digits[c >> shift & 15];
  return name;
}

}  // namespace detail

COMCP_DECL std::string_view to_text(suspicion s) noexcept {
  constexpr std::string_view names[] = {"control", "zero_width",         "bidirectional", "tag",
                                        "variation_selector", "private_use", "ignorable"};
  return names[static_cast<std::size_t>(s)];
}

COMCP_DECL std::string visible(std::string_view text, line_breaks lines) {
  std::string out;
  out.reserve(text.size());
  for (detail::character_scan at(text); at.next();) {
    auto const c = at.code();
    bool const before_line_feed = c == '\r' && text.substr(at.start() + 1).starts_with('\n');
    if (before_line_feed) continue;
    if (!at.is_utf8()) {
      out.append("<0x").append(detail::code_point_name(c), 4).append(">");
    } else if (at.why() || c == '\r') {
      out.append("<").append(detail::code_point_name(c)).append(">");
    } else if (lines == line_breaks::blank && (c == '\n' || c == '\t')) {
      out += ' ';
    } else {
      out.append(at.bytes());
    }
  }
  return out;
}

}  // namespace comcp
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// impl/error.ipp

namespace comcp {
namespace detail {

#if defined(__GNUC__)
#define COMCP_ONE_COPY __attribute__((visibility("default")))
#else
#define COMCP_ONE_COPY
#endif

COMCP_DECL char const* errc_text(errc e) noexcept {
  switch (e) {
    case errc::timeout: return "timed out";
    case errc::cancelled: return "cancelled";
    case errc::closed: return "connection closed";
    case errc::outcome_unknown: return "connection broke, outcome unknown";
    case errc::protocol_violation: return "protocol violation";
    case errc::limit_exceeded: return "limit exceeded";
    case errc::not_in_protocol: return "not in the negotiated protocol version";
    case errc::capability_missing: return "capability missing";
    case errc::unauthorized: return "unauthorized";
    case errc::invalid_argument: return "invalid argument";
    case errc::invalid_json: return "invalid JSON";
    case errc::wrong_shape: return "JSON of the wrong shape";
    case errc::not_found: return "not found";
    case errc::no_common_version: return "no common protocol version";
    case errc::connect_failed: return "could not connect";
    case errc::transport_failed: return "transport failed";
    case errc::queue_full: return "outgoing queue full";
    case errc::tool_failed: return "tool failed";
    case errc::input_refused: return "input refused";
    case errc::url_elicitation_required: return "URL elicitation required";
    case errc::denied: return "denied";
    case errc::validation_failed: return "validation failed";
    case errc::unsupported_dialect: return "unsupported JSON Schema dialect";
    case errc::connect_timeout: return "connecting timed out";
    case errc::response_timeout: return "no HTTP response in time";
    case errc::idle_timeout: return "HTTP response stalled";
    case errc::exchange_timeout: return "HTTP exchange timed out";
    case errc::tls_failed: return "TLS failed";
    case errc::proxy_failed: return "proxy failed";
    case errc::redirect_refused: return "redirect refused";
    case errc::http_status: return "HTTP error status";
    case errc::wrong_content_type: return "wrong content type";
    case errc::missing_answer: return "no answer in the HTTP response";
    case errc::unsupported_encoding: return "unsupported content encoding";
    case errc::already_registered: return "already registered";
    case errc::unknown_server: return "unknown server";
    case errc::unknown_tool: return "unknown tool";
    case errc::ambiguous_name: return "ambiguous name";
    case errc::no_separator: return "not a qualified name";
    case errc::not_ready: return "server not ready";
    case errc::tool_blocked: return "tool blocked until approved";
    case errc::no_connections: return "no connections";
    case errc::login_required: return "login required";
    case errc::verification_failed: return "verification failed";
    case errc::out_of_memory: return "out of memory";
  }
  return "unknown comcp error";
}

class COMCP_ONE_COPY comcp_category_impl final : public std::error_category {
 public:
  [[nodiscard]] char const* name() const noexcept override { return "comcp"; }
  [[nodiscard]] std::string message(int v) const override { return errc_text(static_cast<errc>(v)); }
  [[nodiscard]] std::error_condition default_error_condition(int v) const noexcept override {
    switch (static_cast<errc>(v)) {
      case errc::connect_timeout:
      case errc::response_timeout:
      case errc::idle_timeout:
      case errc::exchange_timeout:
      case errc::timeout: return std::errc::timed_out;
      case errc::cancelled: return std::errc::operation_canceled;
      case errc::not_ready:
      case errc::no_connections:
      case errc::closed: return std::errc::not_connected;
      case errc::outcome_unknown: return std::errc::connection_aborted;
      case errc::protocol_violation: return std::errc::protocol_error;
      case errc::limit_exceeded: return std::errc::message_size;
      case errc::not_in_protocol:
      case errc::capability_missing: return std::errc::operation_not_supported;
      case errc::unauthorized:
      case errc::login_required:
      case errc::tool_blocked:
      case errc::denied: return std::errc::permission_denied;
      case errc::invalid_argument:
      case errc::ambiguous_name:
      case errc::no_separator:
      case errc::validation_failed:
      case errc::unsupported_dialect: return std::errc::invalid_argument;
      case errc::wrong_content_type:
      case errc::missing_answer:
      case errc::unsupported_encoding:
      case errc::verification_failed:
      case errc::invalid_json:
      case errc::wrong_shape: return std::errc::bad_message;
      case errc::no_common_version: return std::errc::wrong_protocol_type;
      case errc::proxy_failed:
      case errc::connect_failed: return std::errc::connection_refused;
      case errc::transport_failed: return std::errc::broken_pipe;
      case errc::queue_full: return std::errc::no_buffer_space;
      case errc::out_of_memory: return std::errc::not_enough_memory;
      default: return {v, *this};
    }
  }
};

class COMCP_ONE_COPY jsonrpc_category_impl final : public std::error_category {
 public:
  [[nodiscard]] char const* name() const noexcept override { return "jsonrpc"; }
  [[nodiscard]] std::string message(int v) const override {
    switch (v) {
      case -32700: return "parse error";
      case -32600: return "invalid request";
      case -32601: return "method not found";
      case -32602: return "invalid params";
      case -32603: return "internal error";
      case -32002: return "resource not found";
      case -32020: return "header mismatch";
      case -32021: return "missing required client capability";
      case -32022: return "unsupported protocol version";
      case -32042: return "URL elicitation required";
      default: return "JSON-RPC error " + std::to_string(v);
    }
  }
};

}  // namespace detail

COMCP_DECL std::error_category const& comcp_category() noexcept {
  static detail::comcp_category_impl const instance;
  return instance;
}

COMCP_DECL std::error_category const& jsonrpc_category() noexcept {
  static detail::jsonrpc_category_impl const instance;
  return instance;
}

struct error::contents {
  std::string message;
  std::optional<peer_error> peer;
  std::optional<transport_detail> detail;
};

COMCP_DECL error::error(std::error_code code, std::string message) : code_(code) {
  if (!message.empty()) contents_ = std::make_shared<contents const>(contents{std::move(message), {}, {}});
}

COMCP_DECL error error::from_peer(peer_error peer) {
  auto const code = peer.code >= INT32_MIN && peer.code <= INT32_MAX ? static_cast<int>(peer.code) : -32603;
  return error(std::error_code(code, jsonrpc_category())).with_peer(std::move(peer));
}

COMCP_DECL std::string_view error::message() const noexcept {
  return contents_ ? std::string_view(contents_->message) : std::string_view();
}

COMCP_DECL peer_error const* error::peer() const noexcept {
  return contents_ && contents_->peer ? &*contents_->peer : nullptr;
}

COMCP_DECL transport_detail const* error::detail() const noexcept {
  return contents_ && contents_->detail ? &*contents_->detail : nullptr;
}

COMCP_DECL error error::with_message(std::string message) const {
  auto c = contents_ ? *contents_ : contents{};
  c.message = std::move(message);
  error e = *this;
  e.contents_ = std::make_shared<contents const>(std::move(c));
  return e;
}

COMCP_DECL error error::with_peer(peer_error peer) const {
  auto c = contents_ ? *contents_ : contents{};
  c.peer = std::move(peer);
  error e = *this;
  e.contents_ = std::make_shared<contents const>(std::move(c));
  return e;
}

COMCP_DECL error error::with_detail(transport_detail detail) const {
  auto c = contents_ ? *contents_ : contents{};
  c.detail = std::move(detail);
  error e = *this;
  e.contents_ = std::make_shared<contents const>(std::move(c));
  return e;
}

COMCP_DECL error error::with_code(std::error_code code) const {
  error e = *this;
  e.code_ = code;
  return e;
}

COMCP_DECL std::string error::to_string() const {
  std::string out = code_.message();
  if (auto m = message(); !m.empty()) out.append(": ").append(visible(m, line_breaks::blank));
  if (auto const* p = peer(); p && !p->message.empty()) out.append(": ").append(visible(p->message, line_breaks::blank));
  if (auto const* d = detail()) {
    if (d->http_status) out.append(" (HTTP ").append(std::to_string(*d->http_status)).append(")");
    if (d->exit_code) out.append(" (exit status ").append(std::to_string(*d->exit_code)).append(")");
    if (d->term_signal) out.append(" (signal ").append(std::to_string(*d->term_signal)).append(")");
    if (!d->snippet.empty()) out.append("\n").append(visible(d->snippet));
    if (!d->stderr_tail.empty()) out.append("\nstderr: ").append(visible(d->stderr_tail));
  }
  return out;
}

COMCP_DECL error error::with_outcome(call_outcome outcome) const {
  error e = *this;
  e.outcome_ = outcome;
  return e;
}

namespace detail {

// 503 with a Retry-After comes before anything is done; of other 5xx a gateway may be the author.
COMCP_DECL call_outcome outcome_of_status(transport_detail const* d) noexcept {
  auto const status = d ? d->http_status.value_or(0) : 0;
  if (status < 300) return call_outcome::unstated;
  return status < 500 || (status == 503 && d->retry_after) ? call_outcome::known : call_outcome::open;
}

}  // namespace detail

// What the transport and the server mean by their codes; who knows more states it.
COMCP_DECL call_outcome error::outcome() const noexcept {
  if (states_outcome() || !code_) return outcome_;
  if (*this == errc::outcome_unknown) return call_outcome::open;
  if (peer() || code_.category() != comcp_category()) return peer() ? call_outcome::known : outcome_;
  switch (static_cast<errc>(code_.value())) {
    case errc::out_of_memory:
    case errc::protocol_violation:
    case errc::transport_failed:
    case errc::response_timeout:
    case errc::idle_timeout:
    case errc::exchange_timeout:
    case errc::wrong_content_type:
    case errc::missing_answer:
    case errc::unsupported_encoding: return call_outcome::open;
    case errc::unauthorized:
    case errc::redirect_refused:
    case errc::tool_failed:
    case errc::input_refused: return call_outcome::known;
    case errc::connect_failed:
    case errc::connect_timeout:
    case errc::tls_failed:
    case errc::proxy_failed:
    case errc::denied:
    case errc::queue_full:
    case errc::not_in_protocol:
    case errc::capability_missing:
    case errc::not_ready:
    case errc::no_connections: return call_outcome::not_sent;
    case errc::http_status: return detail::outcome_of_status(detail());
    default: return outcome_;
  }
}

COMCP_DECL bool is_retriable(error const& e) noexcept {
  if (e.code().category() != comcp_category() || leaves_outcome_open(e)) return false;
  switch (static_cast<errc>(e.code().value())) {
    case errc::connect_failed:
    case errc::connect_timeout:
    case errc::not_ready:
    case errc::no_connections:
    case errc::queue_full: return true;
    case errc::timeout:
    case errc::cancelled:
    case errc::closed:
    case errc::transport_failed: return e.outcome() == call_outcome::not_sent;
    case errc::http_status: {
      auto const* const d = e.detail();
      return d && (d->http_status == 429 || d->http_status == 503) && d->retry_after;
    }
    default: return false;
  }
}

COMCP_DECL bool leaves_outcome_open(error const& e) noexcept { return e.outcome() == call_outcome::open; }

}  // namespace comcp
#endif

namespace comcp {

/// A T or the error that kept it from being one. `value()` throws comcp::exception.
template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;

  result() requires std::is_default_constructible_v<T> : value_(), has_value_(true) {}
  result(T value) : value_(std::move(value)), has_value_(true) {}
  result(comcp::error e) noexcept : error_(std::move(e)), has_value_(false) {}
  result(errc e) : result(comcp::error(e)) {}

  result(result const& other) requires std::copy_constructible<T> : has_value_(other.has_value_) {
    if (has_value_) {
      std::construct_at(&value_, other.value_);
    } else {
      std::construct_at(&error_, other.error_);
    }
  }
  result(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : has_value_(other.has_value_) {
    if (has_value_) {
      std::construct_at(&value_, std::move(other.value_));
    } else {
      std::construct_at(&error_, std::move(other.error_));
    }
  }
  result& operator=(result const& other) requires std::copy_constructible<T> { return *this = result(other); }
  result& operator=(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this == &other) return *this;
    if (!other.has_value_) {
      comcp::error e = std::move(other.error_);
      clear();
      std::construct_at(&error_, std::move(e));
      has_value_ = false;
    } else {
      replace(std::move(other.value_));
    }
    return *this;
  }
  ~result() { clear(); }

  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  explicit operator bool() const noexcept { return has_value_; }

  T& operator*() & noexcept { return value_; }
  T const& operator*() const& noexcept { return value_; }
  T&& operator*() && noexcept { return std::move(value_); }
  T* operator->() noexcept { return &value_; }
  T const* operator->() const noexcept { return &value_; }

  T& value() & { return check(), value_; }
  T const& value() const& { return check(), value_; }
  T&& value() && { return check(), std::move(value_); }

  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }

  /// Precondition: !has_value().
  [[nodiscard]] comcp::error const& error() const& noexcept { return error_; }
  [[nodiscard]] comcp::error&& error() && noexcept { return std::move(error_); }

 private:
  void check() const {
    if (!has_value_) throw exception(error_);
  }
  void clear() noexcept {
    if (has_value_) {
      std::destroy_at(&value_);
    } else {
      std::destroy_at(&error_);
    }
  }
  void replace(T&& value) {
    clear();
    if constexpr (std::is_nothrow_move_constructible_v<T>) {
      std::construct_at(&value_, std::move(value));
    } else {
      try {
        std::construct_at(&value_, std::move(value));
      } catch (...) {
        std::construct_at(&error_);
        has_value_ = false;
        throw;
      }
    }
    has_value_ = true;
  }

  // Not std::variant: it costs a program with forty kinds of results seconds of compile time.
  union {
    T value_;
    comcp::error error_;
  };
  bool has_value_;
};

template <>
class [[nodiscard]] result<void> {
 public:
  using value_type = void;

  result() = default;
  result(comcp::error e) noexcept : error_(std::move(e)), has_value_(false) {}
  result(errc e) : result(comcp::error(e)) {}

  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  explicit operator bool() const noexcept { return has_value(); }
  void operator*() const noexcept {}
  void value() const {
    if (!has_value_) throw exception(error_);
  }
  [[nodiscard]] comcp::error const& error() const noexcept { return error_; }

 private:
  comcp::error error_;
  bool has_value_ = true;  // a peer's code may be 0, which error_ alone does not tell from none
};

}  // namespace comcp

namespace comcp::json {

class document;  // a text and an index of it; never moves
class value;
class view;
class read_error;

/// The kinds of JSON value. Numbers without fraction and exponent that fit are integers.
enum class kind : unsigned char { null, boolean, integer, unsigned_integer, real, string, array, object };

/// Bounds for parsing; exceeding one is errc::limit_exceeded, with the limit's name in the text.
class parse_options {
 public:
  parse_options() noexcept {}
  /// Largest text in bytes. Default 64 MiB.
  parse_options& max_bytes(std::size_t n) noexcept { return max_bytes_ = n, *this; }
  /// Deepest nesting of arrays and objects; an empty one inside the deepest is let pass. Default 256. Reading is
  /// recursive: stay below some thousands.
  parse_options& max_depth(std::size_t n) noexcept { return max_depth_ = n, *this; }
  /// Most values in one text, keys not counted. Default 8 Mi.
  parse_options& max_nodes(std::size_t n) noexcept { return max_nodes_ = n, *this; }
  [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
  [[nodiscard]] std::size_t max_depth() const noexcept { return max_depth_; }
  [[nodiscard]] std::size_t max_nodes() const noexcept { return max_nodes_; }

 private:
  std::size_t max_bytes_ = std::size_t{64} << 20;
  std::size_t max_depth_ = 256;
  std::size_t max_nodes_ = std::size_t{8} << 20;
};

/// Parses strict UTF-8 JSON text (RFC 8259; a leading byte order mark is tolerated) into an owned document.
/// Errors: invalid_json, limit_exceeded, out_of_memory. Safe from any thread.
result<value> parse(std::string_view text, parse_options const& options = {});
/// The same; takes the memory of a text over that it may keep, unless that is much larger or this fails.
result<value> parse(padded_text text, parse_options const& options = {});

namespace detail {
/// One share of a document. Documents count their shares themselves, so that small ones can be used again.
class document_share {
 public:
  document_share() noexcept = default;
  /// Takes over a share that is counted already.
  explicit document_share(document const* counted) noexcept : document_(counted) {}
  document_share(document_share const& other) noexcept : document_share(one_more(other.document_)) {}
  document_share(document_share&& other) noexcept : document_(std::exchange(other.document_, nullptr)) {}
  document_share& operator=(document_share other) noexcept { return std::swap(document_, other.document_), *this; }
  ~document_share() {
    if (document_) give_back(document_);
  }

  [[nodiscard]] document const* get() const noexcept { return document_; }
  explicit operator bool() const noexcept { return document_ != nullptr; }
  /// Counts one share more; null stays null.
  static document const* one_more(document const* d) noexcept;

 private:
  static void give_back(document const* d) noexcept;

  document const* document_ = nullptr;
};

class shared_view;
/// Writes a string to its final place, in one go; false where it is none.
bool copy_string(view from, std::string& to);
}  // namespace detail

/// Looks at one value inside a document that somebody else keeps alive. Cheap to copy; valid as long as some
/// `value` of the same document. Accessors named get_* return nothing when the kind does not fit.
class view {
 public:
  view() noexcept = default;  ///< null

  [[nodiscard]] json::kind kind() const noexcept;
  [[nodiscard]] bool is_null() const noexcept { return kind() == json::kind::null; }
  [[nodiscard]] bool is_object() const noexcept { return kind() == json::kind::object; }
  [[nodiscard]] bool is_array() const noexcept { return kind() == json::kind::array; }
  [[nodiscard]] bool is_string() const noexcept { return kind() == json::kind::string; }
  [[nodiscard]] bool is_number() const noexcept {
    auto const k = kind();
    return k == json::kind::integer || k == json::kind::unsigned_integer || k == json::kind::real;
  }

  [[nodiscard]] std::optional<bool> get_bool() const noexcept;
  /// Also a real without fraction, such as 5.0, when it fits exactly.
  [[nodiscard]] std::optional<std::int64_t> get_int64() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> get_uint64() const noexcept;
  /// Any number; integers beyond 2^53 are rounded.
  [[nodiscard]] std::optional<double> get_double() const noexcept;
  [[nodiscard]] std::optional<std::string_view> get_string() const noexcept;

  /// Elements of an array or members of an object; 0 for anything else.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The first member with exactly this key.
  [[nodiscard]] std::optional<view> find(std::string_view key) const noexcept;
  [[nodiscard]] std::optional<view> at(std::size_t index) const noexcept;
  /// RFC 6901. Errors: invalid_argument (not a pointer), not_found.
  [[nodiscard]] result<view> pointer(std::string_view json_pointer) const;

  /// The place in the document as a JSON Pointer; "" is the root. Walks the document: for error texts.
  [[nodiscard]] std::string path() const;
  /// The same relative to `base`, which this is a part of; walks only `base`.
  [[nodiscard]] std::string path(view base) const;
  /// Minified text.
  [[nodiscard]] std::string dump() const;
  /// This part as a value of its own that shares the document.
  [[nodiscard]] value share() const;

  class element_iterator;
  class member_iterator;
  struct element_range;
  struct member_range;
  /// Elements of an array (none for anything else).
  [[nodiscard]] element_range elements() const noexcept;
  /// Members of an object in the order of the text (none for anything else).
  [[nodiscard]] member_range members() const noexcept;

  /// Equality of JSON values: objects unordered, numbers by exact value.
  friend bool operator==(view a, view b) { return same(a, b); }

 private:
  friend class detail::shared_view;
  friend class document;
  friend bool detail::copy_string(view from, std::string& to);
  friend bool unique_keys(view v, read_error& e);
  view(document const* owner, std::size_t at) noexcept : owner_(owner), at_(at) {}
  static bool same(view a, view b);  // may need memory: to sort members

  document const* owner_ = nullptr;
  std::size_t at_ = 0;  // in the document's index
};

/// A string of its own, as as_string() gives it of a value that is gone with the line: any std::string, but no view of
/// a temporary one.
class owned_text : public std::string {
 public:
  explicit owned_text(std::string_view text) : std::string(text) {}
  operator std::string_view() const& noexcept { return {data(), size()}; }
  operator std::string_view() const&& = delete;  // comcp: it would dangle: keep the text in a std::string or an auto

  template <std::same_as<std::string_view> V>
  friend bool operator==(owned_text const& a, V b) noexcept {
    return b == std::string_view(a.data(), a.size());
  }
};

namespace detail {
/// A view that keeps its document alive: what kind of value that is, how large, and its text.
class shared_view {
 public:
  [[nodiscard]] json::view view() const& noexcept;
  json::view view() const&& = delete;
  operator json::view() const& noexcept { return view(); }
  operator json::view() const&& = delete;

  [[nodiscard]] json::kind kind() const noexcept { return view().kind(); }
  [[nodiscard]] bool is_null() const noexcept { return !owner_ || view().is_null(); }
  [[nodiscard]] bool is_object() const noexcept { return view().is_object(); }
  [[nodiscard]] bool is_array() const noexcept { return view().is_array(); }
  [[nodiscard]] bool is_string() const noexcept { return view().is_string(); }
  [[nodiscard]] bool is_number() const noexcept { return view().is_number(); }
  [[nodiscard]] std::size_t size() const noexcept { return view().size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] bool contains(std::string_view key) const noexcept { return view().find(key).has_value(); }

  [[nodiscard]] std::string dump() const { return view().dump(); }
  /// About how many bytes the document takes that it shares, all of it; 0 for a default-constructed null.
  [[nodiscard]] std::size_t memory() const noexcept;
  /// About how many bytes of text that document was.
  [[nodiscard]] std::size_t text_size() const noexcept;

 protected:
  shared_view() noexcept = default;
  shared_view(document_share owner, std::size_t at) noexcept : owner_(std::move(owner)), at_(at) {}

  document_share owner_;
  std::size_t at_ = 0;
};
}  // namespace detail

/// One immutable JSON value that keeps its document alive. Copies are cheap and may be used from any thread.
class value : public detail::shared_view {
 public:
  value() noexcept = default;  ///< null

  /// The typed accessors throw comcp::exception (errc::wrong_shape) with the path when the kind does not fit. The string of
  /// a value that has a name is a view into its document, that of a temporary one (object["key"]) owns its text.
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] std::int64_t as_int64() const;
  [[nodiscard]] std::uint64_t as_uint64() const;
  [[nodiscard]] double as_double() const;
  [[nodiscard]] std::string_view as_string() const&;
  [[nodiscard]] owned_text as_string() const&& { return owned_text(static_cast<value const&>(*this).as_string()); }

  /// Member or element; throws errc::not_found with the path, or wrong_shape.
  [[nodiscard]] value operator[](std::string_view key) const;
  [[nodiscard]] value operator[](char const* key) const { return (*this)[std::string_view(key)]; }
  [[nodiscard]] value operator[](std::size_t index) const;
  [[nodiscard]] value operator[](int index) const { return (*this)[static_cast<std::size_t>(index)]; }
  [[nodiscard]] std::optional<value> find(std::string_view key) const;
  /// RFC 6901. Errors: invalid_argument, not_found.
  [[nodiscard]] result<value> pointer(std::string_view json_pointer) const;

  /// Any readable type (json/describe.hpp must be included). `get` returns errc::wrong_shape with the path.
  template <class T>
  [[nodiscard]] result<T> get() const;
  template <class T>
  [[nodiscard]] T as() const {
    return get<T>().value();
  }

  [[nodiscard]] json::view::element_range elements() const& noexcept;
  json::view::element_range elements() const&& = delete;
  [[nodiscard]] json::view::member_range members() const& noexcept;
  json::view::member_range members() const&& = delete;
  /// Iteration goes over the elements of an array.
  [[nodiscard]] json::view::element_iterator begin() const& noexcept;
  [[nodiscard]] json::view::element_iterator end() const& noexcept;

  /// A copy in a document of its own, so that a small part does not keep a large page alive.
  [[nodiscard]] value compact() const;

  friend bool operator==(value const& a, value const& b) { return a.view() == b.view(); }

 private:
  friend class json::view;
  friend class document;
  value(detail::document_share owner, std::size_t at) noexcept : shared_view(std::move(owner), at) {}
};

class view::element_iterator {
 public:
  using value_type = view;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;

  element_iterator() noexcept = default;
  view operator*() const noexcept;
  element_iterator& operator++() noexcept;
  element_iterator operator++(int) noexcept {
    auto old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(element_iterator const& a, element_iterator const& b) noexcept {
    return a.at_ == b.at_;
  }

 private:
  friend class view;
  document const* owner_ = nullptr;
  std::size_t at_ = 0;
};

/// One member of an object. The key is valid as long as the document.
struct member {
  std::string_view key;
  view value;
};

class view::member_iterator {
 public:
  using value_type = member;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;

  member_iterator() noexcept = default;
  member operator*() const noexcept;
  member_iterator& operator++() noexcept;
  member_iterator operator++(int) noexcept {
    auto old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(member_iterator const& a, member_iterator const& b) noexcept {
    return a.at_ == b.at_;
  }

 private:
  friend class view;
  document const* owner_ = nullptr;
  std::size_t at_ = 0;
};

struct view::element_range {
  element_iterator first, last;
  [[nodiscard]] element_iterator begin() const noexcept { return first; }
  [[nodiscard]] element_iterator end() const noexcept { return last; }
};

struct view::member_range {
  member_iterator first, last;
  [[nodiscard]] member_iterator begin() const noexcept { return first; }
  [[nodiscard]] member_iterator end() const noexcept { return last; }
};

}  // namespace comcp::json

// json/writer.hpp
// The append-only JSON writer. It places commas and escapes strings; what to write is the caller's decision.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace comcp::json {

class view;

namespace detail {
/// Appends `s` with quotes, escaped.
void append_string(std::string& out, std::string_view s);

/// The first growth takes what most messages need, so that there is no second one.
inline void make_room(std::string& out, std::size_t n) {
  auto const needed = out.size() + n;
  if (needed > out.capacity()) out.reserve(std::max({needed, 2 * out.capacity(), std::size_t{240}}));
}
}  // namespace detail

/// Writes minified JSON, which never contains a raw newline. Strings must be UTF-8: anything else throws
/// comcp::exception (errc::invalid_argument). Doubles are the shortest text that reads back equal; one that is
/// not finite becomes null.
class writer {
 public:
  writer() = default;
  /// Appends to `start`, whose capacity is used.
  explicit writer(std::string start) noexcept : out_(std::move(start)) {}

  writer& begin_object() { return open('{'); }
  writer& end_object() { return close('}'); }
  writer& begin_array() { return open('['); }
  writer& end_array() { return close(']'); }
  writer& key(std::string_view name);
  /// A key that is known to need no escaping.
  writer& plain_key(std::string_view name) {
    detail::make_room(out_, name.size() + 4);
    separate();
    out_ += '"';
    out_ += name;
    out_ += "\":";
    comma_ = false;
    return *this;
  }

  writer& null() { return token("null"); }
  writer& boolean(bool b) { return token(b ? "true" : "false"); }
  writer& integer(std::int64_t i);
  writer& unsigned_integer(std::uint64_t u);
  writer& real(double d);
  writer& string(std::string_view s);
  writer& value(view v);
  /// JSON text that is known to be valid and minified.
  writer& raw(std::string_view json) { return token(json); }

  [[nodiscard]] std::string const& text() const& noexcept { return out_; }
  [[nodiscard]] std::string text() && noexcept { return std::move(out_); }

 private:
  void separate() {
    if (comma_) out_ += ',';
    comma_ = true;
  }
  writer& open(char c) {
    separate();
    out_ += c;
    comma_ = false;
    return *this;
  }
  writer& close(char c) {
    out_ += c;
    comma_ = true;
    return *this;
  }
  writer& token(std::string_view t) {
    separate();
    out_ += t;
    return *this;
  }

  std::string out_;
  bool comma_ = false;
};

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// json/impl/writer.ipp
#include <charconv>
#include <cmath>
#include <cstring>

// json/impl/simdjson.hpp
// The one include of simdjson, the check that it is one we know (3.0 to 4.x), and what differs between them.

#include <simdjson.h>

#include <string_view>

static_assert(simdjson::SIMDJSON_VERSION_MAJOR >= 3, "comcp needs simdjson 3.0 or newer");

namespace comcp::json::detail {

/// Why a text is no JSON; simdjson's own texts change from version to version.
inline char const* parse_failure(simdjson::error_code code) noexcept {
  constexpr auto number = "a malformed number, or one that neither 64 bits nor a double hold";
  switch (code) {
    case simdjson::EMPTY: return "no JSON text";
    case simdjson::UTF8_ERROR: return "not UTF-8";
    case simdjson::UNCLOSED_STRING: return "a string does not end";
    case simdjson::UNESCAPED_CHARS: return "a raw control character in a string";
    case simdjson::STRING_ERROR: return "a malformed string or escape";
    case simdjson::NUMBER_ERROR: return number;
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR: return "a word other than true, false and null";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT: return "an array or object does not end";
    case simdjson::INCORRECT_TYPE: return "a value of another kind";
    default: break;
  }
  // 4.x has a code of its own for large integers, which 3.0 cannot name.
  if (std::string_view(simdjson::error_message(code)).starts_with("BIGINT_ERROR")) return number;
  return "a missing or superfluous comma, bracket, key or value";
}

}  // namespace comcp::json::detail

namespace comcp::json {
namespace detail {

constexpr std::uint64_t high_bits = 0x8080808080808080;

// Nonzero when one of eight bytes is a quote, a backslash or a control character.
inline std::uint64_t special_bytes(std::uint64_t w) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  auto const quote = w ^ (ones * '"');
  auto const slash = w ^ (ones * '\\');
  return ((w - ones * 0x20) | (quote - ones) | (slash - ones)) & ~w & high_bits;
}

template <class Word>
Word load(char const* p) noexcept {
  Word w;
  std::memcpy(&w, p, sizeof w);
  return w;
}

// The length of the longest prefix that needs no escaping; sets `ascii` to false where it is not ASCII.
inline std::size_t plain_prefix(char const* p, std::size_t n, bool& ascii) noexcept {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    auto const w = load<std::uint64_t>(p + i);
    if (special_bytes(w)) break;
    if (w & high_bits) ascii = false;
  }
  for (; i < n; ++i) {
    auto const c = static_cast<unsigned char>(p[i]);
    if (c < 0x20 || c == '"' || c == '\\') break;
    if (c >= 0x80) ascii = false;
  }
  return i;
}

// Whether it is ASCII that needs no escaping. Most strings are short: the last word overlaps what was seen before.
inline bool is_plain_ascii(char const* p, std::size_t n) noexcept {
  auto const plain = [](std::uint64_t w) { return ((w & high_bits) | special_bytes(w)) == 0; };
  if (n < 4) {
    auto const byte = [p](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])}; };
    constexpr std::uint64_t blanks = 0x2020202020000000;
    return n == 0 || plain(blanks | byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16);
  }
  if (n < 8) return plain(load<std::uint32_t>(p) | std::uint64_t{load<std::uint32_t>(p + n - 4)} << 32);
  for (std::size_t i = 0; i + 8 < n; i += 8) {
    if (!plain(load<std::uint64_t>(p + i))) return false;
  }
  return plain(load<std::uint64_t>(p + n - 8));
}

COMCP_DECL void append_escape(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    default: break;
  }
  constexpr char const* hex = "0123456789abcdef";
  auto const u = static_cast<unsigned char>(c);
  out += "\\u00";
  out += hex[u >> 4];
  out += hex[u & 15];
}

COMCP_DECL void append_string(std::string& out, std::string_view s) {
  make_room(out, s.size() + 3);
  out += '"';
  if (is_plain_ascii(s.data(), s.size())) {
    out.append(s) += '"';
    return;
  }
  bool ascii = true;
  auto rest = s;
  while (!rest.empty()) {
    auto const n = plain_prefix(rest.data(), rest.size(), ascii);
    out.append(rest.data(), n);
    rest.remove_prefix(n);
    if (!rest.empty()) {
      append_escape(out, rest.front());
      rest.remove_prefix(1);
    }
  }
  out += '"';
  if (!ascii && !simdjson::validate_utf8(s.data(), s.size()))
    throw exception(error(errc::invalid_argument, "a string for JSON is not UTF-8"));
}

template <class... Number>
void append_number(std::string& out, Number... number) {
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, number...).ptr;
  out.append(buffer, static_cast<std::size_t>(end - buffer));
}

COMCP_DECL void write_view(writer& w, view v) {
  switch (v.kind()) {
    case kind::null: w.null(); return;
    case kind::boolean: w.boolean(*v.get_bool()); return;
    case kind::integer: w.integer(*v.get_int64()); return;
    case kind::unsigned_integer: w.unsigned_integer(*v.get_uint64()); return;
    case kind::real: w.real(*v.get_double()); return;
    case kind::string: w.string(*v.get_string()); return;
    case kind::array:
      w.begin_array();
      for (auto const e : v.elements()) write_view(w, e);
      w.end_array();
      return;
    case kind::object:
      w.begin_object();
      for (auto const m : v.members()) {
        w.key(m.key);
        write_view(w, m.value);
      }
      w.end_object();
      return;
  }
}

}  // namespace detail

COMCP_DECL writer& writer::key(std::string_view name) {
  separate();
  detail::append_string(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

COMCP_DECL writer& writer::integer(std::int64_t i) {
  separate();
  detail::append_number(out_, i);
  return *this;
}

COMCP_DECL writer& writer::unsigned_integer(std::uint64_t u) {
  separate();
  detail::append_number(out_, u);
  return *this;
}

COMCP_DECL writer& writer::real(double d) {
  if (!std::isfinite(d)) return null();
  separate();
  if (d == 0 && std::signbit(d)) {
    out_ += "-0.0";
  } else if (std::fabs(d) >= 0x1p63) {  // with an exponent: readers refuse integers beyond 64 bits
    detail::append_number(out_, d, std::chars_format::scientific);
  } else {
    detail::append_number(out_, d);
  }
  return *this;
}

COMCP_DECL writer& writer::string(std::string_view s) {
  separate();
  detail::append_string(out_, s);
  return *this;
}

COMCP_DECL writer& writer::value(view v) {
  detail::write_view(*this, v);
  return *this;
}

}  // namespace comcp::json
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// json/impl/value.ipp
// Parsing, and value and view on the index that it makes.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <vector>

// json/impl/document.ipp
// What a value shares: a text, its strings unescaped in place, and an index of its values. Small ones are used again,
// which saves three allocations for each answer.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// json/impl/unescape.ipp
// The escapes of JSON strings.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace comcp::json::detail {

/// A character that was written as an escape; `size` is 0 where it is none.
struct escape {
  std::uint32_t character = 0;
  unsigned size = 0;
};

// The number that four hexadecimal digits are, or one beyond 16 bits.
inline std::uint32_t hex_quad(char const* at) noexcept {
  std::uint32_t n = 0;
  for (int i = 0; i != 4; ++i) {
    auto const c = static_cast<unsigned char>(at[i]);
    auto const letter = static_cast<unsigned char>((c | 0x20) - 'a');
    auto const digit = static_cast<unsigned char>(c - '0');
    if (digit > 9 && letter > 5) return 0x10000;
    n = n << 4 | (digit <= 9 ? digit : letter + 10U);
  }
  return n;
}

inline bool is_u_escape(char const* at, char const* end) noexcept {
  return end - at >= 6 && at[0] == '\\' && at[1] == 'u';
}

/// What is behind a backslash, and what it stands for; 0 for all else.
inline constexpr auto simple_escapes = [] {
  std::array<char, 256> all{};
  for (char const c : {'"', '\\', '/'}) all[static_cast<unsigned char>(c)] = c;
  all['b'] = '\b';
  all['f'] = '\f';
  all['n'] = '\n';
  all['r'] = '\r';
  all['t'] = '\t';
  return all;
}();

/// The `\u` escape, or two of them, that begins at `at`. Halves of surrogate pairs are none.
COMCP_DECL escape read_escape(char const* at, char const* end) noexcept {
  if (!is_u_escape(at, end)) return {};
  auto const first = hex_quad(at + 2);
  if (first >> 11 != 0x1B) return first < 0x10000 ? escape{first, 6} : escape();
  auto const second = first < 0xDC00 && is_u_escape(at + 6, end) ? hex_quad(at + 8) : 0;
  if (second >> 10 != 0x37) return {};
  return {0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF)), 12};
}

inline char* put_utf8(char* to, std::uint32_t c) noexcept {
  auto const put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (c < 0x80) return put(c), to;
  if (c < 0x800) return put(0xC0 | c >> 6), put(0x80 | (c & 0x3F)), to;
  if (c < 0x10000) {
    put(0xE0 | c >> 12);
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
  }
  return put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F)), to;
}

// What is looked at in one step.
#if defined(__SSE2__)
class text_block {
 public:
  static constexpr std::ptrdiff_t size = 16;
  explicit text_block(char const* at) noexcept : bytes_(_mm_loadu_si128(reinterpret_cast<__m128i const*>(at))) {}
  /// Where the first backslash is; `size` where there is none.
  [[nodiscard]] std::ptrdiff_t backslash() const noexcept {
    auto const found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8('\\')));
    return std::countr_zero(static_cast<unsigned>(found) | 1U << size);
  }
  void write(char* to) const noexcept { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes_); }

 private:
  __m128i bytes_;
};
#else
class text_block {
 public:
  static constexpr std::ptrdiff_t size = 8;
  explicit text_block(char const* at) noexcept { std::memcpy(&bytes_, at, sizeof bytes_); }
  [[nodiscard]] std::ptrdiff_t backslash() const noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101;
    auto const w = bytes_ ^ (ones * '\\');
    auto const found = (w - ones) & ~w & (ones << 7);
    if constexpr (std::endian::native == std::endian::little) return std::countr_zero(found) / 8;
    std::ptrdiff_t n = 0;
    for (; n != size && reinterpret_cast<char const*>(&bytes_)[n] != '\\';) ++n;
    return n;
  }
  void write(char* to) const noexcept { std::memcpy(to, &bytes_, sizeof bytes_); }

 private:
  std::uint64_t bytes_;
};
#endif

/// Nowhere: it is only checked. Elsewhere: a block and a character may be written behind `limit`.
enum class unescaped { nowhere, in_place, elsewhere };

/// Goes on until `from` is at the end, or `to` at its limit. False where an escape is none.
template <unescaped To>
bool unescape(char const*& from, char const* end, char*& to, [[maybe_unused]] char const* limit = nullptr) noexcept {
  while (from != end && (To != unescaped::elsewhere || to < limit)) {
    if (end - from >= text_block::size) {
      text_block const block(from);
      auto const plain = block.backslash();
      if (plain == text_block::size) {  // a branch, so that the next step waits for nothing
        if constexpr (To != unescaped::nowhere) {
          block.write(to);
          to += text_block::size;
        }
        from += text_block::size;
        continue;
      }
      if constexpr (To == unescaped::elsewhere) block.write(to);
      if constexpr (To == unescaped::in_place) {
        for (std::ptrdiff_t i = 0; i != plain; ++i) to[i] = from[i];
      }
      from += plain;
      if constexpr (To != unescaped::nowhere) to += plain;
    } else if (*from != '\\') {
      if constexpr (To != unescaped::nowhere) *to++ = *from;
      ++from;
      continue;
    }
    if (char const c = end - from > 1 ? simple_escapes[static_cast<unsigned char>(from[1])] : '\0') {
      if constexpr (To != unescaped::nowhere) *to++ = c;
      from += 2;
      continue;
    }
    auto const e = read_escape(from, end);
    if (e.size == 0) return false;
    from += e.size;
    if constexpr (To != unescaped::nowhere) to = put_utf8(to, e.character);
  }
  return true;
}

inline bool has_good_escapes(std::string_view text) noexcept {
  char* nowhere = nullptr;
  char const* from = text.data();
  return unescape<unescaped::nowhere>(from, from + text.size(), nowhere);
}

/// The size of what is there afterwards. Precondition: has_good_escapes().
inline std::size_t unescape_in_place(char* text, std::size_t size) noexcept {
  char const* from = text;
  char* to = text;
  unescape<unescaped::in_place>(from, from + size, to);
  return static_cast<std::size_t>(to - text);
}

/// In pieces that stay near, as a string cannot grow without being filled. False where an escape is none.
COMCP_DECL bool unescape_to(std::string& out, std::string_view text) {
  constexpr std::size_t most = 8192;
  char piece[most + 2 * text_block::size];
  char const* from = text.data();
  char const* const end = from + text.size();
  out.reserve(text.size());
  while (from != end) {
    char* to = piece;
    if (!unescape<unescaped::elsewhere>(from, end, to, piece + most)) return false;
    out.append(piece, static_cast<std::size_t>(to - piece));
  }
  return true;
}

}  // namespace comcp::json::detail

namespace comcp::json {

// The index has a word for each value and each key, in the order of the text: its kind in 4 bits, 28 and 32 more.
//   null; boolean: whether it is true; string: size, place in the text; array, object: members, index behind the last
// Numbers have their bits in a second word. So has the size of a string that 28 bits do not hold. The highest bit of a
// string's word says that it is a long_string.
class document {
 public:
  static constexpr std::uint64_t most_size = (std::uint64_t{1} << 28) - 1;
  static constexpr std::uint64_t word(kind k, std::uint64_t size, std::uint64_t place) noexcept {
    return static_cast<std::uint64_t>(k) << 60 | size << 32 | place;
  }

  /// A long string with escapes. It is unescaped once, for whoever copies it first, who is given that: its final place.
  /// The text is touched when somebody looks at the string in the document after that.
  static constexpr std::size_t long_size = 64 * 1024;
  static constexpr std::uint64_t long_mark = std::uint64_t{1} << 63;
  class long_string {
   public:
    long_string(std::size_t at, char* text, std::size_t size) noexcept : at_(at), text_(text), size_(size) {}
    /// False where an escape is none.
    bool unescape() { return detail::unescape_to(made_, {text_, size_}); }
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    std::string_view look() noexcept {
      if (now_ == form::given) {
        size_ = detail::unescape_in_place(text_, size_);
        now_ = form::in_text;
      }
      if (now_ == form::made) now_ = form::looked_at;
      return now_ == form::in_text ? std::string_view(text_, size_) : made_;
    }
    void copy(std::string& to) {
      switch (now_) {
        case form::made:
          to = std::move(made_);
          now_ = form::given;
          break;
        case form::looked_at: to = made_; break;
        case form::given:
          to.clear();
          detail::unescape_to(to, {text_, size_});
          break;
        case form::in_text: to.assign(text_, size_); break;
      }
    }

   private:
    enum class form : unsigned char { made, looked_at, given, in_text };
    std::size_t at_;
    char* text_;
    std::size_t size_;
    std::string made_;
    form now_ = form::made;
  };
  struct long_strings {
    long_string& find(std::size_t at) noexcept {
      return *std::lower_bound(all.begin(), all.end(), at, [](auto const& s, std::size_t i) { return s.at() < i; });
    }
    std::vector<long_string> all;  // in the order of the text
    std::atomic_flag busy;
  };
  /// One thread at a time, while it lives.
  class alone {
   public:
    explicit alone(long_strings& with) noexcept : busy_(with.busy) {
      while (busy_.test_and_set(std::memory_order_acquire)) busy_.wait(true, std::memory_order_relaxed);
    }
    alone(alone const&) = delete;
    alone& operator=(alone const&) = delete;
    ~alone() {
      busy_.clear(std::memory_order_release);
      busy_.notify_one();
    }

   private:
    std::atomic_flag& busy_;
  };

  document() noexcept = default;
  document(document const&) = delete;
  document& operator=(document const&) = delete;
  ~document() {
    comcp::detail::give_back(std::move(memory));
    comcp::detail::give_back(std::move(index));
  }

  [[nodiscard]] std::uint64_t* words() const noexcept { return reinterpret_cast<std::uint64_t*>(index.data()); }
  [[nodiscard]] kind kind_at(std::size_t i) const noexcept { return static_cast<kind>(words()[i] >> 60 & 7); }
  [[nodiscard]] std::size_t size_at(std::size_t i) const noexcept { return words()[i] >> 32 & most_size; }
  [[nodiscard]] std::size_t place_at(std::size_t i) const noexcept { return words()[i] & 0xFFFFFFFF; }
  template <class Number>
  [[nodiscard]] Number number_at(std::size_t i) const noexcept {
    return std::bit_cast<Number>(words()[i + 1]);
  }
  [[nodiscard]] std::string_view string_at(std::size_t i) const noexcept {
    if (!(words()[i] & long_mark)) return written_at(i);
    alone const now(*longs);
    return longs->find(i).look();
  }
  void copy_string_at(std::size_t i, std::string& to) const {
    if (words()[i] & long_mark) {
      alone const now(*longs);
      longs->find(i).copy(to);
    } else {
      to.assign(written_at(i));
    }
  }
  /// The string at `i`, which has escapes: away with them. False where one is none.
  bool unescape_at(std::size_t i) {
    auto const written = written_at(i);
    auto* const place = const_cast<char*>(written.data());
    if (!is_long(i)) {
      words()[i] = word(kind::string, detail::unescape_in_place(place, written.size()), place_at(i));
      return true;
    }
    if (!longs) longs = std::make_unique<long_strings>();
    words()[i] |= long_mark;
    return longs->all.emplace_back(i, place, written.size()).unescape();
  }
  [[nodiscard]] bool is_long(std::size_t i) const noexcept { return written_at(i).size() >= long_size; }
  /// Of a short one.
  [[nodiscard]] bool can_unescape(std::size_t i) const noexcept { return detail::has_good_escapes(written_at(i)); }
  /// What follows the value, or the key, at `i`.
  [[nodiscard]] std::size_t after(std::size_t i) const noexcept {
    auto const k = kind_at(i);
    if (k >= kind::array) return place_at(i);
    if (k == kind::string) return size_at(i) == most_size ? i + 2 : i + 1;
    return k <= kind::boolean ? i + 1 : i + 2;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(document) + memory.capacity() + index.capacity(); }
  [[nodiscard]] view at(std::size_t i) const noexcept { return {this, i}; }
  static value root_value(detail::document_share owner) noexcept { return {std::move(owner), 0}; }

 private:
  [[nodiscard]] std::string_view written_at(std::size_t i) const noexcept {
    auto const size = size_at(i);
    return {text + place_at(i), size == most_size ? words()[i + 1] : size};
  }

 public:

  text_buffer memory, index;
  std::unique_ptr<long_strings> longs;
  char const* text = nullptr;  // in `memory`
  std::size_t text_size = 0;
  mutable std::atomic<std::size_t> shares = 1;
};

namespace detail {

// The documents of small texts that this thread gave back, for its next ones. They keep at most 6 KiB each, so that
// one that is taken for a tiny text and kept for long wastes little.
struct spare_documents {
  static constexpr std::size_t most = 8, largest = 6 * 1024;
  document* kept[most];
  std::size_t size;
  bool closed;  // the thread ends; what is given back after that is deleted

  static spare_documents& mine() noexcept {
    static constinit thread_local spare_documents spares{};
    return spares;
  }
  void empty() noexcept {
    while (size > 0) delete kept[--size];
  }
  bool keep(document* d) noexcept {
    struct at_thread_end {
      ~at_thread_end() {
        mine().closed = true;
        mine().empty();
      }
    };
    static thread_local at_thread_end const janitor;
    (void)janitor;
    if (comcp::detail::under_asan || closed || size == most || d->bytes() > largest || d->longs) return false;
    kept[size++] = d;
    return true;
  }
};

COMCP_DECL document* new_document() {
  auto& spares = spare_documents::mine();
  if (spares.size == 0) return new document;
  auto* const d = spares.kept[--spares.size];
  d->shares.store(1, std::memory_order_relaxed);
  return d;
}

COMCP_DECL document const* document_share::one_more(document const* d) noexcept {
  if (d) d->shares.fetch_add(1, std::memory_order_relaxed);
  return d;
}

COMCP_DECL void document_share::give_back(document const* d) noexcept {
  // Nobody else can count one more share of a document that has a single one.
  bool const last = d->shares.load(std::memory_order_acquire) == 1 ||
                    d->shares.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (!last) return;
  auto* const mine = const_cast<document*>(d);
  if (!spare_documents::mine().keep(mine)) delete mine;
}

}  // namespace detail
}  // namespace comcp::json

// json/impl/indexing.ipp
// From a text to its index: simdjson finds what is structure, here is the grammar of RFC 8259. Every byte is checked.

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

namespace comcp::json::detail {

/// What is needed while a text is indexed; a thread has one.
class index_room {
 public:
  struct container {
    std::uint32_t at;  // its word
    std::uint32_t members;
  };

  static index_room& mine() {
    thread_local index_room room;
    return room;
  }

  /// Where structure begins: brackets, commas, colons, opening quotes, the first characters of other values.
  simdjson::error_code find_structure(char const* text, std::size_t size) {
    auto const room = std::max<std::size_t>(1024, size);
    auto code = simdjson::SUCCESS;
    if (!finder_) {
      code = simdjson::get_active_implementation()->create_dom_parser_implementation(room, 1, finder_);
    } else if (finder_->capacity() < size) {
      code = finder_->set_capacity(room);
    }
    if (code) return finder_.reset(), code;
    return finder_->stage1(reinterpret_cast<std::uint8_t const*>(text), size, simdjson::stage1_mode::regular);
  }
  /// What that found, and behind it the size of the text.
  [[nodiscard]] std::uint32_t const* structure() const noexcept { return finder_->structural_indexes.get(); }
  [[nodiscard]] std::size_t count() const noexcept { return finder_->n_structural_indexes; }

  /// What a huge text made grow is let go again.
  void shrink() noexcept {
    constexpr std::size_t most = std::size_t{4} << 20;
    if (finder_ && finder_->capacity() > most) finder_.reset();
    if (escaped.capacity() > most / 16) escaped = {};
    if (open.capacity() > most / 16) open = {};
  }

  std::vector<container> open;         // containers around the place that was reached
  std::vector<std::uint32_t> escaped;  // strings that have escapes

 private:
  std::unique_ptr<simdjson::internal::dom_parser_implementation> finder_;
};

/// A number that std::from_chars does not take: beyond a double, or of a library that has none.
COMCP_DECL simdjson::error_code rare_real(std::string_view token, double& out) noexcept {
  simdjson::dom::parser parser;
  return parser.parse(token.data(), token.size()).get_double().get(out);
}

class indexer {
 public:
  /// Precondition: room.find_structure(text), and a word at `words` for each of what that found and one more.
  indexer(std::string_view text, index_room& room, std::uint64_t* words)
      : text_(text.data()), size_(text.size()), room_(room), next_(room.structure()), end_(next_ + room.count()),
        first_(words), word_(words) {
    room_.open.clear();
    room_.escaped.clear();
    look_for_escape(0);
  }

  simdjson::error_code run(std::size_t max_depth) {
    char const first = text_[*next_], last = text_[end_[-1]];
    if ((first == '{' && last != '}') || (first == '[' && last != ']')) return simdjson::INCOMPLETE_ARRAY_OR_OBJECT;
    do {
      if (!down(max_depth)) return failure_;
    } while (up());
    return failure_;
  }

  [[nodiscard]] std::size_t values() const noexcept { return values_; }

 private:
  bool fail(simdjson::error_code why) noexcept { return failure_ = why, false; }
  [[nodiscard]] bool is_next(char c) const noexcept { return next_ != end_ && text_[*next_] == c; }
  [[nodiscard]] std::uint32_t here() const noexcept { return static_cast<std::uint32_t>(word_ - first_); }
  void put(kind k, std::uint64_t size = 0, std::uint64_t place = 0) noexcept {
    *word_++ = document::word(k, size, place);
  }
  template <class Number>
  void put_number(kind k, Number n) noexcept {
    put(k);
    *word_++ = std::bit_cast<std::uint64_t>(n);
  }

  // A value without members, and the beginnings of all that it is the first in.
  bool down(std::size_t max_depth) {
    for (;;) {
      if (next_ == end_) return fail(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
      char const c = text_[*next_++];
      if (c != '{' && c != '[') return ++values_, scalar(c);
      bool const object = c == '{';
      if (is_next(object ? '}' : ']')) {
        ++values_;
        ++next_;
        return put(object ? kind::object : kind::array, 0, here() + 1), true;
      }
      if (room_.open.size() >= max_depth) return fail(simdjson::DEPTH_ERROR);
      room_.open.push_back({here(), 0});
      put(object ? kind::object : kind::array);
      if (object && !key()) return false;
    }
  }

  // Behind a value: whether another one follows. Without a failure, that was all.
  bool up() {
    while (!room_.open.empty()) {
      auto& around = room_.open.back();
      ++around.members;
      auto const k = static_cast<kind>(first_[around.at] >> 60);
      if (next_ == end_) return fail(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
      char const c = text_[*next_++];
      if (c == ',') return k == kind::array || key();
      if (c != (k == kind::array ? ']' : '}')) return fail(simdjson::TAPE_ERROR);
      first_[around.at] = document::word(k, std::min<std::uint64_t>(around.members, document::most_size), here());
      room_.open.pop_back();
      ++values_;
    }
    return next_ == end_ ? false : fail(simdjson::TAPE_ERROR);
  }

  bool key() {
    if (!is_next('"')) return fail(simdjson::TAPE_ERROR);
    ++next_;
    if (!string()) return false;
    if (!is_next(':')) return fail(simdjson::TAPE_ERROR);
    return ++next_, true;
  }

  // All of these begin at next_[-1], and end before what is at *next_.
  bool scalar(char c) {
    switch (c) {
      case '"': return string();
      case 't': return word("true", simdjson::T_ATOM_ERROR, kind::boolean, 1);
      case 'f': return word("false", simdjson::F_ATOM_ERROR, kind::boolean, 0);
      case 'n': return word("null", simdjson::N_ATOM_ERROR, kind::null, 0);
      default: return c == '-' || is_digit(c) ? number() : fail(simdjson::TAPE_ERROR);
    }
  }

  bool string() {
    std::size_t const start = next_[-1] + std::size_t{1};
    std::size_t stop = *next_;
    while (text_[--stop] != '"') {  // only blanks can be there
    }
    if (stop < start) return fail(simdjson::UNCLOSED_STRING);
    if (escape_ < stop) {
      room_.escaped.push_back(here());
      look_for_escape(stop);
    }
    auto const size = stop - start;
    put(kind::string, std::min<std::uint64_t>(size, document::most_size), start);
    if (size >= document::most_size) *word_++ = size;
    return true;
  }

  void look_for_escape(std::size_t from) noexcept {
    auto const* const found = std::memchr(text_ + from, '\\', size_ - from);
    escape_ = found ? static_cast<std::size_t>(static_cast<char const*>(found) - text_) : size_;
  }

  bool word(std::string_view which, simdjson::error_code failure, kind k, std::uint64_t place) {
    std::string_view const token(text_ + next_[-1], *next_ - next_[-1]);
    if (!token.starts_with(which) || !ends(token.data() + which.size())) return fail(failure);
    return put(k, 0, place), true;
  }

  static bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }
  [[nodiscard]] bool ends(char const* at) const noexcept {
    return at == text_ + *next_ || *at == ' ' || *at == '\n' || *at == '\r' || *at == '\t';
  }
  [[nodiscard]] char const* behind_digits(char const* at) const noexcept {
    char const* const stop = text_ + *next_;
    while (at != stop && is_digit(*at)) ++at;
    return at;
  }

  bool number() {
    char const* const start = text_ + next_[-1];
    char const* const stop = text_ + *next_;
    char const* const digits = *start == '-' ? start + 1 : start;
    char const* at = behind_digits(digits);
    if (at == digits || (at - digits > 1 && *digits == '0')) return fail(simdjson::NUMBER_ERROR);
    if (ends(at)) return integer(digits, at, digits != start);
    if (*at == '.') {
      char const* const fraction = at + 1;
      at = behind_digits(fraction);
      if (at == fraction) return fail(simdjson::NUMBER_ERROR);
    }
    if (at != stop && (*at == 'e' || *at == 'E')) {
      char const* exponent = at + 1;
      if (exponent != stop && (*exponent == '+' || *exponent == '-')) ++exponent;
      at = behind_digits(exponent);
      if (at == exponent) return fail(simdjson::NUMBER_ERROR);
    }
    return ends(at) ? real({start, at}) : fail(simdjson::NUMBER_ERROR);
  }

  bool integer(char const* digits, char const* end, bool negative) {
    std::uint64_t n = 0;
    if (std::from_chars(digits, end, n).ec != std::errc()) return fail(simdjson::NUMBER_ERROR);
    constexpr auto half = std::uint64_t{1} << 63;
    if (negative && n > half) return fail(simdjson::NUMBER_ERROR);
    bool const beyond = !negative && n >= half;
    return put_number(beyond ? kind::unsigned_integer : kind::integer, negative ? 0 - n : n), true;
  }

  bool real(std::string_view token) {
    double d = std::numeric_limits<double>::infinity();
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    if (std::from_chars(token.data(), token.data() + token.size(), d).ec != std::errc())
      d = std::numeric_limits<double>::infinity();
#endif
    if (!std::isfinite(d)) {
      if (auto const code = rare_real(token, d)) return fail(code);
    }
    return put_number(kind::real, d), true;
  }

  char const* text_;
  std::size_t size_;
  index_room& room_;
  std::uint32_t const* next_;
  std::uint32_t const* const end_;
  std::uint64_t* const first_;
  std::uint64_t* word_;
  std::size_t escape_ = 0;  // the next backslash
  std::size_t values_ = 0;
  simdjson::error_code failure_ = simdjson::SUCCESS;
};

}  // namespace comcp::json::detail

namespace comcp::json {

namespace detail {

COMCP_DECL error parse_error(simdjson::error_code code, parse_options const& options) {
  switch (code) {
    case simdjson::DEPTH_ERROR:
      return {errc::limit_exceeded, "JSON nested deeper than max_depth (" + std::to_string(options.max_depth()) + ")"};
    case simdjson::CAPACITY: return {errc::limit_exceeded, "JSON text too large to parse"};
    case simdjson::MEMALLOC: return errc::out_of_memory;
    default: return {errc::invalid_json, parse_failure(code)};
  }
}

inline constexpr std::string_view bom = "\xEF\xBB\xBF";

COMCP_DECL std::string_view without_bom(std::string_view text) noexcept {
  return text.starts_with(bom) ? text.substr(3) : text;
}

// A buffer of its own where there is none that is large enough.
COMCP_DECL void make_room(text_buffer& buffer, std::size_t size) {
  if (buffer.capacity() >= size) return;
  comcp::detail::give_back(std::move(buffer));
  buffer = comcp::detail::buffer_for(size < 4096 ? std::bit_ceil(std::max<std::size_t>(size, 512)) : size);
}

// Where one fails the text is as it was: it may be another's still. So the long ones, which leave it alone, come first.
COMCP_DECL bool unescape_strings(document& d, index_room const& room) {
  for (auto const at : room.escaped) {
    if (!d.is_long(at) && !d.can_unescape(at)) return false;
  }
  for (bool const is_long : {true, false}) {
    for (auto const at : room.escaped) {
      if (d.is_long(at) == is_long && !d.unescape_at(at)) return false;
    }
  }
  return true;
}

COMCP_DECL error make_index(document& d, parse_options const& options) {
  auto& room = index_room::mine();
  if (auto const code = room.find_structure(d.text, d.text_size)) return parse_error(code, options);
  make_room(d.index, (room.count() + 1) * sizeof(std::uint64_t));
  indexer made({d.text, d.text_size}, room, d.words());
  if (auto const code = made.run(options.max_depth())) return parse_error(code, options);
  if (made.values() > options.max_nodes())
    return {errc::limit_exceeded, "more JSON values than max_nodes (" + std::to_string(options.max_nodes()) + ")"};
  if (!room.escaped.empty() && !unescape_strings(d, room)) return parse_error(simdjson::STRING_ERROR, options);
  return {};
}

COMCP_DECL result<value> parse_text(std::string_view text, text_buffer* from, parse_options const& options) try {
  if (text.size() > options.max_bytes())
    return error(errc::limit_exceeded, "JSON text larger than max_bytes (" + std::to_string(options.max_bytes()) + ")");
  text = without_bom(text);
  if (text.empty()) return parse_error(simdjson::EMPTY, options);
  if (text.starts_with(bom)) return parse_error(simdjson::TAPE_ERROR, options);
  if (text.size() > 0xFFFFFFFF) return parse_error(simdjson::CAPACITY, options);
  auto* const d = new_document();
  document_share owner(d);
  bool const keeps = from && text.size() >= from->capacity() / 2;
  if (!keeps) {
    make_room(d->memory, text.size() + padded_text::spare);
    std::memcpy(d->memory.data(), text.data(), text.size());
  }
  d->text = keeps ? text.data() : d->memory.data();
  d->text_size = text.size();
  auto why = make_index(*d, options);
  index_room::mine().shrink();
  if (why) return why;
  if (keeps) d->memory = std::move(*from);
  return document::root_value(std::move(owner));
} catch (std::bad_alloc const&) {
  return error(errc::out_of_memory);
}

}  // namespace detail

COMCP_DECL result<value> parse(padded_text text, parse_options const& options) {
  return detail::parse_text(text.view(), text.from(), options);
}

COMCP_DECL result<value> parse(std::string_view text, parse_options const& options) {
  return detail::parse_text(text, nullptr, options);
}

COMCP_DECL json::kind view::kind() const noexcept { return owner_ ? owner_->kind_at(at_) : json::kind::null; }

COMCP_DECL std::optional<bool> view::get_bool() const noexcept {
  if (kind() != json::kind::boolean) return {};
  return owner_->place_at(at_) != 0;
}

COMCP_DECL std::optional<std::int64_t> view::get_int64() const noexcept {
  auto const k = kind();
  if (k == json::kind::integer) return owner_->number_at<std::int64_t>(at_);
  if (k != json::kind::real) return {};
  auto const d = owner_->number_at<double>(at_);
  if (!(d >= -0x1p63 && d < 0x1p63) || d != std::trunc(d)) return {};
  return static_cast<std::int64_t>(d);
}

COMCP_DECL std::optional<std::uint64_t> view::get_uint64() const noexcept {
  if (kind() == json::kind::unsigned_integer) return owner_->number_at<std::uint64_t>(at_);
  if (auto const i = get_int64()) return *i >= 0 ? std::optional(static_cast<std::uint64_t>(*i)) : std::nullopt;
  if (kind() != json::kind::real) return {};
  auto const d = owner_->number_at<double>(at_);
  if (!(d >= 0 && d < 0x1p64) || d != std::trunc(d)) return {};
  return static_cast<std::uint64_t>(d);
}

COMCP_DECL std::optional<double> view::get_double() const noexcept {
  switch (kind()) {
    case json::kind::integer: return static_cast<double>(owner_->number_at<std::int64_t>(at_));
    case json::kind::unsigned_integer: return static_cast<double>(owner_->number_at<std::uint64_t>(at_));
    case json::kind::real: return owner_->number_at<double>(at_);
    default: return {};
  }
}

COMCP_DECL std::optional<std::string_view> view::get_string() const noexcept {
  if (kind() != json::kind::string) return {};
  return owner_->string_at(at_);
}

COMCP_DECL bool detail::copy_string(view from, std::string& to) {
  if (!from.is_string()) return false;
  return from.owner_->copy_string_at(from.at_, to), true;
}

COMCP_DECL std::size_t view::size() const noexcept {
  if (!is_array() && !is_object()) return 0;
  auto n = owner_->size_at(at_);
  if (n < document::most_size) return n;
  n = 0;  // the count saturates there
  for ([[maybe_unused]] auto e : elements()) ++n;
  for ([[maybe_unused]] auto m : members()) ++n;
  return n;
}

COMCP_DECL std::optional<view> view::find(std::string_view key) const noexcept {
  for (auto const m : members()) {
    if (m.key == key) return m.value;
  }
  return {};
}

COMCP_DECL std::optional<view> view::at(std::size_t index) const noexcept {
  for (auto const e : elements()) {
    if (index-- == 0) return e;
  }
  return {};
}

COMCP_DECL value view::share() const {
  if (!owner_) return {};
  return {detail::document_share(detail::document_share::one_more(owner_)), at_};
}

COMCP_DECL view::element_range view::elements() const noexcept {
  element_range range;
  if (kind() != json::kind::array) return range;
  range.first.owner_ = range.last.owner_ = owner_;
  range.first.at_ = at_ + 1;
  range.last.at_ = owner_->place_at(at_);
  return range;
}

COMCP_DECL view::member_range view::members() const noexcept {
  member_range range;
  if (kind() != json::kind::object) return range;
  range.first.owner_ = range.last.owner_ = owner_;
  range.first.at_ = at_ + 1;
  range.last.at_ = owner_->place_at(at_);
  return range;
}

COMCP_DECL view view::element_iterator::operator*() const noexcept { return {owner_, at_}; }

COMCP_DECL view::element_iterator& view::element_iterator::operator++() noexcept {
  at_ = owner_->after(at_);
  return *this;
}

COMCP_DECL member view::member_iterator::operator*() const noexcept {
  return {owner_->string_at(at_), view(owner_, owner_->after(at_))};
}

COMCP_DECL view::member_iterator& view::member_iterator::operator++() noexcept {
  at_ = owner_->after(owner_->after(at_));
  return *this;
}

namespace detail {

COMCP_DECL bool same_number(view a, view b) noexcept {
  if (a.kind() == b.kind()) {
    if (a.kind() == kind::integer) return a.get_int64() == b.get_int64();
    if (a.kind() == kind::unsigned_integer) return a.get_uint64() == b.get_uint64();
    return a.get_double() == b.get_double();
  }
  if (auto const x = a.get_int64()) return b.get_int64() == x;
  if (auto const x = a.get_uint64()) return b.get_uint64() == x;
  return false;
}

COMCP_DECL bool same_keys_in_order(view a, view b) noexcept {
  auto const x = a.members();
  auto const y = b.members();
  auto j = y.begin();
  for (auto i = x.begin(); i != x.end() && j != y.end(); ++i, ++j) {
    if ((*i).key != (*j).key) return false;
  }
  return true;
}

// Sorted by key when the orders differ, so that large objects cost no square; duplicates keep their order.
COMCP_DECL std::vector<member> members_by_key(view object) {
  std::vector<member> list;
  list.reserve(object.size());
  for (auto const m : object.members()) list.push_back(m);
  // Keys lie in memory in the order of the text. (Not stable_sort: clang warns of what libstdc++ 12 does there.)
  std::sort(list.begin(), list.end(), [](member const& x, member const& y) {
    auto const order = x.key <=> y.key;
    return order != 0 ? order < 0 : std::less<>()(x.key.data(), y.key.data());
  });
  return list;
}

COMCP_DECL bool same_object(view a, view b) {
  if (a.size() != b.size()) return false;
  if (same_keys_in_order(a, b)) {
    auto j = b.members().begin();
    for (auto const m : a.members()) {
      if (!(m.value == (*j).value)) return false;
      ++j;
    }
    return true;
  }
  auto const same = [](member const& x, member const& y) { return x.key == y.key && x.value == y.value; };
  auto const x = members_by_key(a);
  auto const y = members_by_key(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
}

COMCP_DECL bool same_array(view a, view b) {
  auto x = a.elements();
  auto y = b.elements();
  auto i = x.begin();
  auto j = y.begin();
  for (; i != x.end() && j != y.end(); ++i, ++j) {
    if (!(*i == *j)) return false;
  }
  return i == x.end() && j == y.end();
}

}  // namespace detail

COMCP_DECL bool view::same(view a, view b) {
  if (a.is_number() && b.is_number()) return detail::same_number(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case json::kind::boolean: return a.get_bool() == b.get_bool();
    case json::kind::string: return a.get_string() == b.get_string();
    case json::kind::array: return detail::same_array(a, b);
    case json::kind::object: return detail::same_object(a, b);
    default: return true;
  }
}

COMCP_DECL std::string view::dump() const {
  writer w;
  w.value(*this);
  return std::move(w).text();
}

COMCP_DECL json::view detail::shared_view::view() const& noexcept { return {owner_.get(), at_}; }

COMCP_DECL std::size_t detail::shared_view::memory() const noexcept { return owner_ ? owner_.get()->bytes() : 0; }

COMCP_DECL std::size_t detail::shared_view::text_size() const noexcept { return owner_ ? owner_.get()->text_size : 0; }

COMCP_DECL value value::compact() const {
  if (!owner_) return {};
  auto text = dump();
  constexpr auto any = std::numeric_limits<std::size_t>::max();
  return parse(pad(text), parse_options().max_bytes(any).max_nodes(any).max_depth(any)).value();
}

COMCP_DECL json::view::element_range value::elements() const& noexcept { return view().elements(); }
COMCP_DECL json::view::member_range value::members() const& noexcept { return view().members(); }
COMCP_DECL json::view::element_iterator value::begin() const& noexcept { return view().elements().begin(); }
COMCP_DECL json::view::element_iterator value::end() const& noexcept { return view().elements().end(); }

}  // namespace comcp::json

// json/impl/access.ipp
// Access that fails with a path in its text: the typed accessors of value, and JSON Pointer.

namespace comcp::json {
namespace detail {

COMCP_DECL char const* kind_name(kind k) noexcept {
  switch (k) {
    case kind::null: return "null";
    case kind::boolean: return "boolean";
    case kind::integer:
    case kind::unsigned_integer: return "integer";
    case kind::real: return "number";
    case kind::string: return "string";
    case kind::array: return "array";
    case kind::object: return "object";
  }
  return "?";
}

COMCP_DECL std::string place(view v) {
  auto path = v.path();
  return path.empty() ? std::string("the root") : path;
}

[[noreturn]] COMCP_DECL void throw_kind(view v, char const* wanted) {
  throw exception(error(errc::wrong_shape,
                        std::string("expected ") + wanted + " at " + place(v) + ", found " + kind_name(v.kind())));
}

COMCP_DECL void escape_pointer(std::string& out, std::string_view key) {
  out += '/';
  for (char const c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

COMCP_DECL std::optional<std::string> unescape_pointer(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
    } else if (i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      return {};
    }
  }
  return out;
}

COMCP_DECL std::optional<std::size_t> pointer_index(std::string_view token) {
  if (token.empty() || token.size() > 18 || (token.size() > 1 && token[0] == '0')) return {};
  std::size_t n = 0;
  for (char const c : token) {
    if (c < '0' || c > '9') return {};
    n = n * 10 + static_cast<std::size_t>(c - '0');
  }
  return n;
}

}  // namespace detail

COMCP_DECL std::string view::path() const { return owner_ ? path(owner_->at(0)) : std::string(); }

COMCP_DECL std::string view::path(view base) const {
  if (!owner_) return {};
  std::string path;
  struct walk {
    static bool find(view at, std::size_t sought, std::string& out) {
      if (at.at_ == sought) return true;
      auto const size = out.size();
      std::size_t index = 0;
      for (auto const e : at.elements()) {
        out.append("/").append(std::to_string(index++));
        if (find(e, sought, out)) return true;
        out.resize(size);
      }
      for (auto const m : at.members()) {
        detail::escape_pointer(out, m.key);
        if (find(m.value, sought, out)) return true;
        out.resize(size);
      }
      return false;
    }
  };
  walk::find(base, at_, path);
  return path;
}

COMCP_DECL result<view> view::pointer(std::string_view json_pointer) const {
  view at = *this;
  if (json_pointer.empty()) return at;
  if (json_pointer[0] != '/') return error(errc::invalid_argument, "a JSON Pointer starts with '/'");
  auto const whole = json_pointer;
  while (!json_pointer.empty()) {
    json_pointer.remove_prefix(1);
    auto const end = json_pointer.find('/');
    auto const token = detail::unescape_pointer(json_pointer.substr(0, end));
    if (!token) return error(errc::invalid_argument, "bad '~' in the JSON Pointer " + std::string(whole));
    auto const index = at.is_array() ? detail::pointer_index(*token) : std::nullopt;
    auto const next = index ? at.at(*index) : at.find(*token);
    if (!next) return error(errc::not_found, "nothing at " + std::string(whole));
    at = *next;
    json_pointer = end == json_pointer.npos ? std::string_view() : json_pointer.substr(end);
  }
  return at;
}

COMCP_DECL bool value::as_bool() const {
  auto const b = view().get_bool();
  if (!b) detail::throw_kind(view(), "boolean");
  return *b;
}

COMCP_DECL std::int64_t value::as_int64() const {
  auto const i = view().get_int64();
  if (!i) detail::throw_kind(view(), "a 64-bit integer");
  return *i;
}

COMCP_DECL std::uint64_t value::as_uint64() const {
  auto const i = view().get_uint64();
  if (!i) detail::throw_kind(view(), "an unsigned 64-bit integer");
  return *i;
}

COMCP_DECL double value::as_double() const {
  auto const d = view().get_double();
  if (!d) detail::throw_kind(view(), "number");
  return *d;
}

COMCP_DECL std::string_view value::as_string() const& {
  auto const s = view().get_string();
  if (!s) detail::throw_kind(view(), "string");
  return *s;
}

COMCP_DECL value value::operator[](std::string_view key) const {
  auto const v = view();
  if (!v.is_object()) detail::throw_kind(v, "object");
  auto const found = v.find(key);
  if (!found) throw exception(error(errc::not_found, "no member \"" + std::string(key) + "\" at " + detail::place(v)));
  return found->share();
}

COMCP_DECL value value::operator[](std::size_t index) const {
  auto const v = view();
  if (!v.is_array()) detail::throw_kind(v, "array");
  auto const found = v.at(index);
  if (!found)
    throw exception(error(errc::not_found, "no element " + std::to_string(index) + " at " + detail::place(v)));
  return found->share();
}

COMCP_DECL std::optional<value> value::find(std::string_view key) const {
  auto const found = view().find(key);
  return found ? std::optional(found->share()) : std::nullopt;
}

COMCP_DECL result<value> value::pointer(std::string_view json_pointer) const {
  auto const found = view().pointer(json_pointer);
  if (!found) return found.error();
  return found->share();
}

}  // namespace comcp::json
#endif

namespace comcp::json {

/// Collects the first failure of a decoding, with its place.
class read_error {
 public:
  read_error() = default;
  /// Places are told relative to `base`: finding them then costs no more than walking it.
  explicit read_error(view base) noexcept : base_(base) {}
  /// Always false, so that `return e.expected(v, "string");` reads well.
  bool expected(view at, std::string_view what);
  bool missing(view object, std::string_view key);
  bool repeated(view object, std::string_view key);
  [[nodiscard]] error to_error() const { return {errc::wrong_shape, text_}; }
  [[nodiscard]] std::string const& text() const noexcept { return text_; }

 private:
  [[nodiscard]] std::string place(view at) const;

  std::optional<view> base_;
  std::string text_;
};

/// Whether no object in `v` has a key twice (of which readers of JSON take the first, the last or none). False after
/// e.repeated(). Takes n log n for n members.
bool unique_keys(view v, read_error& e);

/// How a T is read and written. Specialise it for types that a field list cannot describe:
///   static bool read(view from, T& to, read_error& e);   // false after e.expected(...) or e.missing(...)
///   static void write(writer& w, T const& value);
template <class T>
struct codec;

/// One member: its key and how absence is met. Made by field(), always() and defaulted().
template <class Struct, class Member>
struct field_of {
  std::string_view key;
  Member Struct::*member;
  bool required;
  bool skip_default;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// A member that must be there, unless it is std::optional (then absent and null are both nullopt; an
/// std::optional<json::value> keeps null). Of several members with one key the first counts, as in view::find.
template <class S, class M>
constexpr field_of<S, M> field(std::string_view key, M S::*member) {
  return {key, member, !is_optional<M>, is_optional<M>};
}
/// A member that may be absent when reading (it keeps its default) and is always written.
template <class S, class M>
constexpr field_of<S, M> always(std::string_view key, M S::*member) {
  return {key, member, false, false};
}
/// A member that may be absent when reading and is written only when it differs from a fresh one (containers: unless
/// both are empty), or when it came with the object that rest() keeps.
template <class S, class M>
constexpr field_of<S, M> defaulted(std::string_view key, M S::*member) {
  return {key, member, false, true};
}
/// The member that keeps the whole object as it came; what no other field names is written again from it.
template <class S>
struct raw_field {
  json::value S::*member;
};
template <class S>
constexpr raw_field<S> rest(json::value S::*member) {
  return {member};
}
/// A constant member, such as "type": "text": checked when reading, written first.
struct tag_field {
  std::string_view key, text;
};
constexpr tag_field tag(std::string_view key, std::string_view text) { return {key, text}; }

/// A field of another sort: any literal type with a key and its own way to read, and to write key and value.
template <class F, class S>
concept own_field = requires(F const& f, view v, S& out, S const& from, read_error& e, writer& w) {
  { f.key } -> std::convertible_to<std::string_view>;
  { f.required } -> std::convertible_to<bool>;
  { f.read(v, out, e) } -> std::same_as<bool>;
  f.write(w, from);
};

namespace detail {
template <std::size_t I, class F>
struct field_slot {
  F field;
};
// As std::tuple, at a fraction of its compile time.
template <class Indices, class... F>
struct field_slots;
template <std::size_t... I, class... F>
struct field_slots<std::index_sequence<I...>, F...> : field_slot<I, F>... {};
}  // namespace detail

/// The field list of a struct, for its describe().
template <class... F>
struct field_list : detail::field_slots<std::index_sequence_for<F...>, F...> {};
template <class... F>
constexpr field_list<F...> fields(F... f) {
  return {{{f}...}};
}

template <class T>
concept described = requires { describe(std::type_identity<T>{}); };
template <class T>
concept readable = requires(view v, T& t, read_error& e) {
  { codec<T>::read(v, t, e) } -> std::same_as<bool>;
};
template <class T>
concept writable = requires(writer& w, T const& t) { codec<T>::write(w, t); };

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// json/impl/fields.ipp
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace comcp::json {

COMCP_DECL std::string read_error::place(view at) const {
  if (!base_) return detail::place(at);
  auto path = at.path(*base_);
  return path.empty() ? std::string("its root") : path;
}

COMCP_DECL bool read_error::expected(view at, std::string_view what) {
  if (text_.empty()) {
    text_ = "expected " + std::string(what) + " at " + place(at) + ", found " + detail::kind_name(at.kind());
  }
  return false;
}

COMCP_DECL bool read_error::missing(view object, std::string_view key) {
  if (text_.empty()) text_ = "no member \"" + std::string(key) + "\" at " + place(object);
  return false;
}

COMCP_DECL bool read_error::repeated(view object, std::string_view key) {
  if (text_.empty()) text_ = "the key \"" + std::string(key) + "\" comes twice at " + place(object);
  return false;
}

namespace detail {

// One bit of 64 for each key: keys of other bits are other keys.
inline std::uint64_t key_bit(std::string_view key) noexcept {
  auto const first = key.empty() ? 0U : static_cast<unsigned char>(key.front());
  auto const last = key.empty() ? 0U : static_cast<unsigned char>(key.back());
  return std::uint64_t{1} << ((first * 7 + last * 3 + key.size()) & 63);
}

// A key of the object at `object` that comes twice in it.
COMCP_DECL std::optional<std::string_view> repeated_key(document const& d, std::size_t object) {
  std::vector<std::string_view> all;
  for (auto i = object + 1; i != d.place_at(object); i = d.after(d.after(i))) all.push_back(d.string_at(i));
  std::sort(all.begin(), all.end());
  auto const twice = std::adjacent_find(all.begin(), all.end());
  return twice == all.end() ? std::nullopt : std::optional(*twice);
}

// The key at `i`, among those that begin at `first`.
COMCP_DECL bool came_before(document const& d, std::size_t first, std::size_t i) {
  auto const key = d.string_at(i);
  while (first != i && d.string_at(first) != key) first = d.after(d.after(first));
  return first != i;
}

COMCP_DECL bool unique_keys_at(document const& d, std::size_t at, read_error& e) {
  constexpr std::size_t few = 12;  // are compared with each other, where their bits are the same
  bool const object = d.kind_at(at) == kind::object;
  std::size_t count = 0;
  std::uint64_t bits = 0;
  bool in_doubt = false;
  for (auto i = at + 1; i != d.place_at(at); i = d.after(i)) {
    if (object) {
      auto const bit = key_bit(d.string_at(i));
      if (bits & bit) {
        if (++count <= few && came_before(d, at + 1, i)) return e.repeated(d.at(at), d.string_at(i));
        in_doubt = in_doubt || count > few;
      }
      bits |= bit;
      i = d.after(i);
    }
    if (d.kind_at(i) >= kind::array && !unique_keys_at(d, i, e)) return false;
  }
  auto const twice = in_doubt ? repeated_key(d, at) : std::nullopt;
  return !twice || e.repeated(d.at(at), *twice);
}

}  // namespace detail

COMCP_DECL bool unique_keys(view v, read_error& e) {
  return v.kind() < kind::array || detail::unique_keys_at(*v.owner_, v.at_, e);
}

}  // namespace comcp::json
#endif

namespace comcp::json::detail {

struct read_entry {
  std::string_view key;
  bool (*read)(view from, void* object, read_error& e) = nullptr;
};
/// `required` has a bit for each field.
struct read_list {
  std::span<read_entry const> fields;
  std::uint64_t required = 0;
};
/// Reads an object's members into the struct at `object`, and all of it into its raw member if it has one.
bool read_fields(read_list const& list, value& (*raw)(void* object), view from, void* object, read_error& e);

struct write_entry {
  std::string_view key;
  void (*write)(writer& w, void const* object, view raw) = nullptr;
};
/// Writes them, and what else `raw` keeps.
void write_fields(std::span<write_entry const> fields, value const& (*raw)(void const* object), writer& w,
                  void const* object);

bool read_tag(view from, std::string_view text, read_error& e);
/// Whether a member that equals its default was absent from the object that it came with.
bool was_absent(view raw, std::string_view key);

template <class F>
constexpr bool is_required(F const& f) {
  if constexpr (requires { f.required; }) return f.required;
  return std::same_as<F, tag_field>;
}
template <class F>
constexpr std::string_view key_of(F const& f) {
  if constexpr (requires { f.key; }) return f.key;
  return {};
}
constexpr bool is_plain(std::string_view key) {
  for (char const c : key) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') return false;
  }
  return true;
}

template <std::size_t I, class F>
constexpr F const& field_at(field_slot<I, F> const& slot) {
  return slot.field;
}
template <std::size_t I, class S>
constexpr auto raw_member(field_slot<I, raw_field<S>> const& slot) {
  return slot.field.member;
}
template <class F>
inline constexpr bool is_raw = false;
template <class S>
inline constexpr bool is_raw<raw_field<S>> = true;

template <std::size_t... I, class... F>
constexpr std::array<std::string_view, sizeof...(F)> keys_of(
    field_slots<std::index_sequence<I...>, F...> const& list) {
  return {key_of(field_at<I>(list))...};
}

template <class S, class M>
bool read_member(field_of<S, M> const& f, view v, S& out, read_error& e) {
  if constexpr (!is_optional<M> && !std::same_as<M, value>) {
    if (!f.required && v.is_null()) return true;
  }
  return codec<M>::read(v, out.*f.member, e);
}
template <class S>
bool read_member(tag_field const& f, view v, S&, read_error& e) {
  return read_tag(v, f.text, e);
}
template <class S, own_field<S> F>
bool read_member(F const& f, view v, S& out, read_error& e) {
  return f.read(v, out, e);
}

template <class T>
T const& fresh() {
  static T const value{};
  return value;
}

/// Whether a member that equals its default is left out: not when it came with the object.
template <class T, class M>
bool is_left_out(T const& from, field_of<T, M> const& f, view raw) {
  auto const& member = from.*f.member;
  if constexpr (is_optional<M>) {
    return !member;
  } else if constexpr (std::same_as<M, value>) {
    return member.is_null() && !raw.find(f.key);
  } else if constexpr (requires { member.empty(); } && !std::same_as<M, std::string>) {
    return member.empty() && (fresh<T>().*f.member).empty() && was_absent(raw, f.key);
  } else if constexpr (std::equality_comparable<M>) {
    return member == fresh<T>().*f.member && was_absent(raw, f.key);
  } else {
    return false;
  }
}

template <class T, class M>
void write_member(writer& w, T const& from, field_of<T, M> const& f, view raw) {
  if (f.skip_default && is_left_out(from, f, raw)) return;
  w.plain_key(f.key);
  codec<M>::write(w, from.*f.member);
}
template <class T>
void write_member(writer& w, T const&, tag_field const& f, view) {
  w.plain_key(f.key).string(f.text);
}
template <class T, own_field<T> F>
void write_member(writer& w, T const& from, F const& f, view) {
  f.write(w, from);
}

template <class T>
inline constexpr auto fields_of = describe(std::type_identity<T>{});

template <class T, std::size_t I>
bool read_nth(view v, void* object, read_error& e) {
  return read_member(field_at<I>(fields_of<T>), v, *static_cast<T*>(object), e);
}
template <class T, std::size_t I>
void write_nth(writer& w, void const* object, view raw) {
  write_member(w, *static_cast<T const*>(object), field_at<I>(fields_of<T>), raw);
}
template <class T>
value& raw_to_read(void* object) {
  return static_cast<T*>(object)->*raw_member(fields_of<T>);
}
template <class T>
value const& raw_to_write(void const* object) {
  return static_cast<T const*>(object)->*raw_member(fields_of<T>);
}

template <class T, std::size_t I, class F>
constexpr read_entry read_entry_of(field_slot<I, F> const& slot) {
  if constexpr (is_raw<F>) return {};
  else return {key_of(slot.field), &read_nth<T, I>};
}
template <class T, std::size_t I, class F>
constexpr write_entry write_entry_of(field_slot<I, F> const& slot) {
  if constexpr (is_raw<F>) return {};
  else return {key_of(slot.field), &write_nth<T, I>};
}

// Two tables, so that what is only written needs no way to be read.
template <class T, std::size_t... I, class... F>
constexpr std::array<read_entry, sizeof...(F)> read_entries(field_slots<std::index_sequence<I...>, F...> const& list) {
  static_assert(sizeof...(F) <= 64, "comcp: a described struct has at most 64 fields");
  return {read_entry_of<T, I, F>(list)...};
}
template <class T, std::size_t... I, class... F>
constexpr std::array<write_entry, sizeof...(F)> write_entries(
    field_slots<std::index_sequence<I...>, F...> const& list) {
  static_assert((is_plain(key_of(field_at<I>(fields_of<T>))) && ...),
                "comcp: the key of a described field must need no escaping");
  return {write_entry_of<T, I, F>(list)...};
}
template <std::size_t... I, class... F>
constexpr std::uint64_t required_fields(field_slots<std::index_sequence<I...>, F...> const& list) {
  return ((std::uint64_t{is_required(field_at<I>(list))} << I) | ... | 0);
}
template <class... F>
constexpr bool has_raw(field_list<F...> const&) {
  return (is_raw<F> || ...);
}

template <class T>
inline constexpr auto read_table = read_entries<T>(fields_of<T>);
template <class T>
inline constexpr read_list read_list_of{read_table<T>, required_fields(fields_of<T>)};
template <class T>
inline constexpr auto write_table = write_entries<T>(fields_of<T>);

}  // namespace comcp::json::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// json/impl/field_table.ipp
#include <bit>
#include <cstdint>

namespace comcp::json::detail {

// Members mostly come in the order of the table: the search for each begins behind the one before.
COMCP_DECL bool read_fields(read_list const& list, value& (*raw)(void* object), view from, void* object, read_error& e) {
  if (!from.is_object()) return e.expected(from, "object");
  auto const fields = list.fields;
  std::uint64_t seen = 0;
  std::size_t next = 0;
  for (auto const m : from.members()) {
    for (std::size_t tried = 0; tried != fields.size(); ++tried) {
      auto const at = next;
      if (++next == fields.size()) next = 0;
      auto const& f = fields[at];
      if (!f.read || f.key != m.key) continue;
      auto const bit = std::uint64_t{1} << at;
      if (!(seen & bit) && !f.read(m.value, object, e)) return false;
      seen |= bit;
      break;
    }
  }
  if (raw) raw(object) = from.share();
  auto const missing = list.required & ~seen;
  return missing == 0 || e.missing(from, fields[static_cast<std::size_t>(std::countr_zero(missing))].key);
}

COMCP_DECL void write_fields(std::span<write_entry const> fields, value const& (*raw)(void const* object),
                             writer& w, void const* object) {
  static value const none;
  auto const& kept = raw ? raw(object) : none;
  w.begin_object();
  for (auto const& f : fields) {
    if (f.write) f.write(w, object, kept.view());
  }
  for (auto const m : kept.members()) {
    bool known = false;
    for (auto const& f : fields) known = known || (f.write && f.key == m.key);
    if (!known) w.key(m.key).value(m.value);
  }
  w.end_object();
}

COMCP_DECL bool read_tag(view from, std::string_view text, read_error& e) {
  return from.get_string() == text || e.expected(from, "\"" + std::string(text) + "\"");
}

COMCP_DECL bool was_absent(view raw, std::string_view key) {
  auto const came = raw.find(key);
  return !came || came->is_null();
}

}  // namespace comcp::json::detail
#endif

namespace comcp::json {

template <>
struct codec<bool> {
  static bool read(view v, bool& out, read_error& e) {
    auto const b = v.get_bool();
    if (!b) return e.expected(v, "boolean");
    return out = *b, true;
  }
  static void write(writer& w, bool b) { w.boolean(b); }
};

template <class T>
  requires(std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>)
struct codec<T> {
  static bool read(view v, T& out, read_error& e) {
    if constexpr (std::signed_integral<T>) {
      auto const i = v.get_int64();
      if (!i || *i < std::numeric_limits<T>::min() || *i > std::numeric_limits<T>::max())
        return e.expected(v, "an integer that fits");
      out = static_cast<T>(*i);
    } else {
      auto const u = v.get_uint64();
      if (!u || *u > std::numeric_limits<T>::max()) return e.expected(v, "a non-negative integer that fits");
      out = static_cast<T>(*u);
    }
    return true;
  }
  static void write(writer& w, T i) {
    if constexpr (std::signed_integral<T>) {
      w.integer(i);
    } else {
      w.unsigned_integer(i);
    }
  }
};

template <std::floating_point T>
struct codec<T> {
  static bool read(view v, T& out, read_error& e) {
    auto const d = v.get_double();
    if (!d) return e.expected(v, "number");
    return out = static_cast<T>(*d), true;
  }
  static void write(writer& w, T d) { w.real(static_cast<double>(d)); }
};

template <>
struct codec<std::string> {
  static bool read(view v, std::string& out, read_error& e) {
    return detail::copy_string(v, out) || e.expected(v, "string");
  }
  static void write(writer& w, std::string const& s) { w.string(s); }
};
template <>
struct codec<owned_text> {
  static void write(writer& w, owned_text const& s) { w.string(s); }
};

template <>
struct codec<std::string_view> {
  static void write(writer& w, std::string_view s) { w.string(s); }
};
template <>
struct codec<char const*> {
  static void write(writer& w, char const* s) { w.string(s); }
};
template <std::size_t N>
struct codec<char[N]> {
  static void write(writer& w, char const (&s)[N]) { w.string(s); }
};
template <>
struct codec<std::nullptr_t> {
  static void write(writer& w, std::nullptr_t) { w.null(); }
};

template <>
struct codec<value> {
  static bool read(view v, value& out, read_error&) { return out = v.share(), true; }
  static void write(writer& w, value const& v) { w.value(v); }
};
template <>
struct codec<view> {
  static void write(writer& w, view v) { w.value(v); }
};

template <class T>
struct codec<std::optional<T>> {
  static bool read(view v, std::optional<T>& out, read_error& e)
    requires readable<T>
  {
    if constexpr (!std::same_as<T, value>) {
      if (v.is_null()) return out.reset(), true;
    }
    return codec<T>::read(v, out.emplace(), e);
  }
  static void write(writer& w, std::optional<T> const& o)
    requires writable<T>
  {
    if (o) {
      codec<T>::write(w, *o);
    } else {
      w.null();
    }
  }
};

template <class T>
struct codec<std::vector<T>> {
  static bool read(view v, std::vector<T>& out, read_error& e)
    requires readable<T>
  {
    if (!v.is_array()) return e.expected(v, "array");
    out = std::vector<T>(v.size());  // much less code than growing
    auto next = out.begin();
    for (auto const element : v.elements()) {
      if (!codec<T>::read(element, *next++, e)) return false;
    }
    return true;
  }
  static void write(writer& w, std::vector<T> const& list)
    requires writable<T>
  {
    w.begin_array();
    for (auto const& element : list) codec<T>::write(w, element);
    w.end_array();
  }
};

template <>
struct codec<std::vector<bool>> {
  static bool read(view v, std::vector<bool>& out, read_error& e) {
    if (!v.is_array()) return e.expected(v, "array");
    out.clear();
    for (auto const element : v.elements()) {
      bool b = false;
      if (!codec<bool>::read(element, b, e)) return false;
      out.push_back(b);
    }
    return true;
  }
  static void write(writer& w, std::vector<bool> const& list) {
    w.begin_array();
    for (bool const b : list) w.boolean(b);
    w.end_array();
  }
};

namespace detail {
template <class Map>
struct map_codec {
  using T = typename Map::mapped_type;
  static bool read(view v, Map& out, read_error& e)
    requires readable<T>
  {
    if (!v.is_object()) return e.expected(v, "object");
    out.clear();
    for (auto const m : v.members()) {
      auto const [place, added] = out.try_emplace(std::string(m.key));
      if (added && !codec<T>::read(m.value, place->second, e)) return false;
    }
    return true;
  }
  static void write(writer& w, Map const& map)
    requires writable<T>
  {
    w.begin_object();
    for (auto const& [key, mapped] : map) {
      w.key(key);
      codec<T>::write(w, mapped);
    }
    w.end_object();
  }
};
}  // namespace detail

template <class T, class C>
struct codec<std::map<std::string, T, C>> : detail::map_codec<std::map<std::string, T, C>> {};
template <class T>
struct codec<std::unordered_map<std::string, T>> : detail::map_codec<std::unordered_map<std::string, T>> {};

template <described T>
struct codec<T> {
  static bool read(view v, T& out, read_error& e) {
    if constexpr (detail::has_raw(detail::fields_of<T>)) {
      return detail::read_fields(detail::read_list_of<T>, &detail::raw_to_read<T>, v, &out, e);
    } else {
      return detail::read_fields(detail::read_list_of<T>, nullptr, v, &out, e);
    }
  }
  static void write(writer& w, T const& from) {
    if constexpr (detail::has_raw(detail::fields_of<T>)) {
      detail::write_fields(detail::write_table<T>, &detail::raw_to_write<T>, w, &from);
    } else {
      detail::write_fields(detail::write_table<T>, nullptr, w, &from);
    }
  }
};

/// The keys that T's field list names, in its order.
template <described T>
constexpr auto keys() {
  return detail::keys_of(detail::fields_of<T>);
}

}  // namespace comcp::json

namespace comcp::json {

/// Decodes a T out of a part of a document. Errors: wrong_shape, with the path.
template <readable T>
result<T> read(view from) {
  T out{};
  read_error e;
  if (!codec<T>::read(from, out, e)) return e.to_error();
  return out;
}

/// Encodes a value. Throws comcp::exception (invalid_argument) for strings that are not UTF-8.
template <writable T>
void write(writer& w, T const& value) {
  codec<T>::write(w, value);
}

template <writable T>
std::string to_text(T const& value) {
  writer w;
  codec<T>::write(w, value);
  return std::move(w).text();
}

/// Any writable as a json::value.
template <writable T>
value to_value(T const& from) {
  auto text = to_text(from);
  constexpr auto any = std::numeric_limits<std::size_t>::max();
  return parse(pad(text), parse_options().max_bytes(any).max_nodes(any).max_depth(any)).value();
}

template <class T>
result<T> value::get() const {
  static_assert(readable<T>, "comcp: describe this type for JSON, or specialise comcp::json::codec for it");
  return read<T>(view());
}

}  // namespace comcp::json

namespace comcp::json {
namespace detail {
template <class T>
concept nlohmann_like = requires { typename T::json_pointer; };
template <class T>
concept text_like = std::convertible_to<T const&, std::string_view> && !nlohmann_like<T>;
}  // namespace detail

/// Owned JSON text that is known to be valid and minified: what operations take as arguments. A default
/// constructed one is absent (empty). Made by args(), object, array, raw() or of().
class fragment {
 public:
  fragment() = default;
  /// Any described struct, map, json::value, ... that writes as JSON.
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, fragment> && std::is_class_v<T> && writable<T> &&
             !detail::text_like<T>)
  fragment(T const& value) : text_(to_text(value)) {}
  template <detail::text_like T>
  fragment(T const&) = delete;  // comcp: JSON in a text is json::raw(text), a JSON string json::fragment::of(text)
  template <detail::nlohmann_like T>
    requires(!writable<T>)
  fragment(T const&) = delete;  // comcp: for nlohmann::json, #include <comcp/json/nlohmann.hpp>

  template <writable T>
  static fragment of(T const& value) {
    return trusted(to_text(value));
  }
  /// Precondition: `text` is valid, minified JSON.
  static fragment trusted(std::string text) {
    fragment f;
    f.text_ = std::move(text);
    return f;
  }

  [[nodiscard]] std::string const& text() const& noexcept { return text_; }
  [[nodiscard]] std::string text() && noexcept { return std::move(text_); }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

 private:
  std::string text_;
};

template <>
struct codec<fragment> {
  static void write(writer& w, fragment const& f) {
    if (f.empty()) {
      w.null();
    } else {
      w.raw(f.text());
    }
  }
};

/// An object built member by member. Setting a key twice is the caller's mistake: both are written.
class object {
 public:
  object() { w_.begin_object(); }
  template <writable T>
  object& set(std::string_view key, T const& value) {
    w_.key(key);
    codec<T>::write(w_, value);
    return *this;
  }
  operator fragment() const { return fragment::trusted(w_.text() + "}"); }
  [[nodiscard]] std::string text() const { return w_.text() + "}"; }

 private:
  writer w_;
};

/// An array built element by element.
class array {
 public:
  array() { w_.begin_array(); }
  template <writable T>
  array& add(T const& value) {
    codec<T>::write(w_, value);
    return *this;
  }
  operator fragment() const { return fragment::trusted(w_.text() + "]"); }
  [[nodiscard]] std::string text() const { return w_.text() + "]"; }

 private:
  writer w_;
};

template <>
struct codec<object> {
  static void write(writer& w, object const& o) { w.raw(o.text()); }
};
template <>
struct codec<array> {
  static void write(writer& w, array const& a) { w.raw(a.text()); }
};

/// JSON text from elsewhere, such as the arguments that a language model wrote: validated and minified, so
/// that it can never break the framing. Throws comcp::exception (invalid_json, limit_exceeded).
fragment raw(std::string_view text, parse_options const& options = {});

namespace detail {
template <class T>
concept key = std::convertible_to<T const&, std::string_view>;

inline void write_pairs(writer&) {}
template <class K, class V, class... Rest>
void write_pairs(writer& w, K const& name, V const& value, Rest const&... more) {
  static_assert(key<K>, "comcp: args() takes a key, a value, a key, a value, ...: this key is no string");
  static_assert(writable<V>, "comcp: args(): this value cannot be written as JSON; describe its type");
  w.key(std::string_view(name));
  codec<V>::write(w, value);
  write_pairs(w, more...);
}
}  // namespace detail

/// An object from keys and values: args("a", 2, "b", "text").
template <class... A>
fragment args(A const&... keys_and_values) {
  static_assert(sizeof...(A) % 2 == 0, "comcp: args() takes a value for each key");
  std::string room;
  room.reserve(32 * sizeof...(A));
  writer w(std::move(room));
  w.begin_object();
  detail::write_pairs(w, keys_and_values...);
  w.end_object();
  return fragment::trusted(std::move(w).text());
}

}  // namespace comcp::json

namespace comcp {
using json::args;
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// json/impl/build.ipp

namespace comcp::json {

COMCP_DECL fragment raw(std::string_view text, parse_options const& options) {
  (void)parse(text, options).value();
  text = detail::without_bom(text);
  std::string minified(text.size() + padded_text::spare, '\0');
  std::size_t size = 0;
  if (auto const code = simdjson::minify(text.data(), text.size(), minified.data(), size))
    throw exception(error(errc::invalid_json, detail::parse_failure(code)));
  minified.resize(size);
  return fragment::trusted(std::move(minified));
}

}  // namespace comcp::json
#endif

// protocol/logging.hpp
// Log messages of the server. Spec: server/utilities/logging.

#include <optional>
#include <string>

// protocol/codec.hpp
// How protocol types become JSON where json::field is not enough: members that must be objects, capability flags
// ("there or not"), enumerations by their texts, lists that outlive a broken definition; and equality by JSON.

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace comcp {

/// A definition of a list that could not be read: the rest of the list was delivered without it.
struct set_aside {
  set_aside() = default;

  std::size_t index = 0;  ///< Where it stood in its page.
  std::string reason;     ///< What is wrong with it, and where in it.
  json::value raw;        ///< The definition as it came.

  friend bool operator==(set_aside const&, set_aside const&) = default;
};

/// A described type that keeps what it was read from.
template <class T>
concept protocol_type = json::described<T> && requires(T& t) {
  { (t.raw) } -> std::same_as<json::value&>;
};

/// Protocol types are equal when they write equal JSON. For tests and rare decisions: it writes and parses both.
template <protocol_type T>
bool operator==(T const& a, T const& b) {
  return json::to_value(a) == json::to_value(b);
}

/// An enumeration whose enumerators 0, 1, 2, ... have texts: `constexpr auto texts(std::type_identity<E>)`.
template <class E>
concept text_enum = std::is_enum_v<E> && requires {
  texts(std::type_identity<E>{});
};

/// The protocol's text of an enumerator.
template <text_enum E>
constexpr std::string_view enum_text(E e) {
  constexpr auto all = texts(std::type_identity<E>{});
  auto const i = static_cast<std::size_t>(e);
  return i < all.size() ? all[i] : std::string_view();
}

/// The enumerator with this text.
template <text_enum E>
constexpr std::optional<E> enum_from_text(std::string_view text) {
  constexpr auto all = texts(std::type_identity<E>{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == text) return static_cast<E>(i);
  }
  return {};
}

namespace detail {

/// A json::value member that must hold an object when it is there; null means absent.
template <class S>
struct object_field {
  std::string_view key;
  json::value S::*member;
  bool required;

  bool read(json::view v, S& out, json::read_error& e) const {
    if (v.is_null() && !required) return true;
    if (!v.is_object()) return e.expected(v, "object");
    return out.*member = v.share(), true;
  }
  void write(json::writer& w, S const& from) const {
    auto const& v = from.*member;
    if (!v.is_null()) {
      w.plain_key(key).value(v);
    } else if (required) {
      w.plain_key(key).raw("{}");
    }
  }
};

/// A flag that is true when the key is there. What the peer put behind it is kept in the raw value.
template <class S>
struct presence_field {
  std::string_view key;
  bool S::*member;
  json::value S::*raw;
  static constexpr bool required = false;

  bool read(json::view v, S& out, json::read_error&) const { return out.*member = !v.is_null(), true; }
  void write(json::writer& w, S const& from) const {
    if (!(from.*member)) return;
    w.plain_key(key);
    json::view const whole = from.*raw;
    auto const came = whole.find(key);
    if (came && !came->is_null()) {
      w.value(*came);
    } else {
      w.raw("{}");
    }
  }
};

/// In the place of a definition that could not be parsed: an object with the reason, and its name where that is known.
inline constexpr std::string_view unreadable_key = "comcp/unreadable";

/// A list of definitions; a broken one goes into `aside`, and is written again where it stood. So does one in which an
/// object has a key twice: what was approved, shown or checked might not be what another reader of it sees.
template <class S, class T>
struct definitions_field {
  std::string_view key;
  std::vector<T> S::*items;
  std::vector<set_aside> S::*aside;
  static constexpr bool required = true;

  bool read(json::view v, S& out, json::read_error& e) const {
    if (!v.is_array()) return e.expected(v, "array");
    auto& list = out.*items;
    list.clear();
    list.reserve(v.size());
    std::size_t index = 0;
    for (auto const element : v.elements()) {
      json::read_error why(element);
      auto const unreadable = element.find(unreadable_key);
      bool const usable = !unreadable && json::unique_keys(element, why);
      if (!usable || !json::codec<T>::read(element, list.emplace_back(), why)) {
        if (usable) list.pop_back();
        auto& broken = (out.*aside).emplace_back();
        broken.index = index;
        broken.reason = unreadable ? std::string(unreadable->get_string().value_or("")) : why.text();
        broken.raw = element.share();
      }
      ++index;
    }
    return true;
  }

  void write(json::writer& w, S const& from) const {
    w.plain_key(key).begin_array();
    std::size_t index = 0;
    auto broken = (from.*aside).begin();
    auto const write_broken = [&] {
      for (; broken != (from.*aside).end() && broken->index <= index; ++broken, ++index) w.value(broken->raw);
    };
    for (auto const& item : from.*items) {
      write_broken();
      json::codec<T>::write(w, item);
      ++index;
    }
    for (; broken != (from.*aside).end(); ++broken) w.value(broken->raw);
    w.end_array();
  }
};

template <class S>
constexpr object_field<S> object(std::string_view key, json::value S::*member) {
  return {key, member, true};
}
template <class S>
constexpr object_field<S> optional_object(std::string_view key, json::value S::*member) {
  return {key, member, false};
}
template <class S>
constexpr object_field<S> meta_of(json::value S::*member) {
  return {"_meta", member, false};
}
template <class S>
constexpr presence_field<S> presence(std::string_view key, bool S::*member) {
  return {key, member, &S::raw};
}
template <class S, class T>
constexpr definitions_field<S, T> definitions(std::string_view key, std::vector<T> S::*items) {
  return {key, items, &S::set_aside};
}

}  // namespace detail

namespace json {

template <text_enum E>
struct codec<E> {
  static bool read(view v, E& out, read_error& e) {
    auto const text = v.get_string();
    auto const known = text ? enum_from_text<E>(*text) : std::nullopt;
    if (!known) return e.expected(v, expectation());
    return out = *known, true;
  }
  static void write(writer& w, E e) { w.string(enum_text(e)); }

 private:
  static std::string expectation() {
    std::string all = "one of";
    for (auto const text : texts(std::type_identity<E>{})) all.append(" \"").append(text).append("\"");
    return all;
  }
};

}  // namespace json
}  // namespace comcp

namespace comcp {

/// Severities of RFC 5424, least severe first, so that `level >= log_level::warning` reads as it should.
enum class log_level { debug, info, notice, warning, error, critical, alert, emergency };
constexpr auto texts(std::type_identity<log_level>) {
  return std::array<std::string_view, 8>{"debug", "info",     "notice", "warning",
                                         "error", "critical", "alert",  "emergency"};
}

/// The parameters of logging/setLevel (legacy).
struct set_level_params {
  set_level_params() = default;
  explicit set_level_params(log_level least) : level(least) {}

  log_level level = log_level::info;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<set_level_params>) {
  using t = set_level_params;
  return json::fields(json::field("level", &t::level), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// notifications/message.
struct logging_message {
  logging_message() = default;

  log_level level = log_level::info;
  std::optional<std::string> logger;
  json::value data;  ///< Anything; most often a string.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<logging_message>) {
  using t = logging_message;
  return json::fields(json::field("level", &t::level), json::field("logger", &t::logger), json::field("data", &t::data),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

// protocol/progress.hpp
// Progress of a request and its cancelling. Spec: basic/utilities (legacy), 2026-07-28 basic/patterns.

#include <optional>
#include <string>
#include <utility>

// protocol/peer_id.hpp
// Identifiers that the other side chooses: request ids and progress tokens, which may be strings or integers.

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace comcp {

/// A JSON-RPC id or progress token as it travels: a string or an integer, never converted.
class peer_id {
 public:
  peer_id() = default;
  peer_id(std::integral auto number) : value_(static_cast<std::int64_t>(number)) {}
  peer_id(std::string text) : value_(std::move(text)) {}
  peer_id(char const* text) : value_(std::string(text)) {}

  /// Null where it is the other kind.
  [[nodiscard]] std::int64_t const* integer() const noexcept { return std::get_if<std::int64_t>(&value_); }
  [[nodiscard]] std::string const* string() const noexcept { return std::get_if<std::string>(&value_); }
  /// For logs: the digits or the text.
  [[nodiscard]] std::string to_string() const { return integer() ? std::to_string(*integer()) : *string(); }

  friend bool operator==(peer_id const&, peer_id const&) = default;
  friend auto operator<=>(peer_id const&, peer_id const&) = default;

 private:
  std::variant<std::int64_t, std::string> value_;
};

using progress_token = peer_id;

template <>
struct json::codec<peer_id> {
  static bool read(view v, peer_id& out, read_error& e) {
    if (auto const i = v.get_int64()) return out = peer_id(*i), true;
    if (auto const s = v.get_string()) return out = peer_id(std::string(*s)), true;
    return e.expected(v, "a string or an integer");
  }
  static void write(writer& w, peer_id const& id) {
    if (auto const* const i = id.integer()) {
      w.integer(*i);
    } else {
      w.string(*id.string());
    }
  }
};

}  // namespace comcp

namespace comcp {

/// notifications/progress.
struct progress_notification {
  progress_notification() = default;

  comcp::progress_token progress_token;
  double progress = 0;
  std::optional<double> total;
  std::optional<std::string> message;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<progress_notification>) {
  using t = progress_notification;
  return json::fields(json::field("progressToken", &t::progress_token), json::field("progress", &t::progress),
                      json::field("total", &t::total), json::field("message", &t::message), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

/// notifications/cancelled, either way. 2025-11-25 allows it without id, for tasks.
struct cancelled {
  cancelled() = default;
  explicit cancelled(peer_id id, std::optional<std::string> why = {})
      : request_id(std::move(id)), reason(std::move(why)) {}

  std::optional<peer_id> request_id;
  std::optional<std::string> reason;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<cancelled>) {
  using t = cancelled;
  return json::fields(json::field("requestId", &t::request_id), json::field("reason", &t::reason),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

// protocol/tools.hpp
// Tools: what a server offers, how one is called, what it answers. Spec: server/tools.

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// protocol/content.hpp
// What tools, prompts, resources and samples are made of. Kinds that comcp does not know are kept as they came.
// Spec: server/tools, server/resources, client/sampling.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// protocol/base64.hpp
// Base64 as MCP content carries it (RFC 4648 section 4): strict when reading.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace comcp {

/// Decodes padded Base64. Whitespace, other alphabets, missing padding and stray bits are errc::wrong_shape.
result<std::vector<std::byte>> from_base64(std::string_view text);

std::string to_base64(std::span<std::byte const> bytes);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/base64.ipp
#include <array>
#include <cstdint>

namespace comcp {
namespace detail {

inline constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// 64 for what is no digit.
inline constexpr auto base64_digits = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(64);
  for (std::size_t i = 0; i < base64_alphabet.size(); ++i)
    table[static_cast<unsigned char>(base64_alphabet[i])] = static_cast<std::uint8_t>(i);
  return table;
}();

inline std::uint32_t base64_digit(char c) noexcept { return base64_digits[static_cast<unsigned char>(c)]; }

}  // namespace detail

COMCP_DECL result<std::vector<std::byte>> from_base64(std::string_view text) {
  auto const refuse = [](char const* why) { return error(errc::wrong_shape, std::string("bad Base64: ") + why); };
  if (text.size() % 4 != 0) return refuse("the length is no multiple of four");
  std::size_t const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::vector<std::byte> out(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  std::uint32_t bad = 0;
  for (std::size_t i = 0, o = 0; i < text.size(); i += 4, o += 3) {
    bits = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      bool const pad = i + k >= text.size() - padding;
      auto const digit = pad ? 0 : detail::base64_digit(text[i + k]);
      bad |= digit;
      bits = bits << 6 | (digit & 63);
    }
    out[o] = static_cast<std::byte>(bits >> 16 & 255);
    out[o + 1] = static_cast<std::byte>(bits >> 8 & 255);
    out[o + 2] = static_cast<std::byte>(bits & 255);
  }
  if (bad & 64) return refuse("a character outside the alphabet");
  if (bits & ((1U << (8 * padding)) - 1)) return refuse("stray bits before the padding");
  out.resize(out.size() - padding);
  return out;
}

COMCP_DECL std::string to_base64(std::span<std::byte const> bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    auto const at = [&](std::size_t k) { return k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[k]) : 0U; };
    std::uint32_t const bits = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    out += detail::base64_alphabet[bits >> 18];
    out += detail::base64_alphabet[bits >> 12 & 63];
    out += i + 1 < bytes.size() ? detail::base64_alphabet[bits >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? detail::base64_alphabet[bits & 63] : '=';
  }
  return out;
}

}  // namespace comcp
#endif

// protocol/icon.hpp
// Icons, and which of them may be shown without asking. Spec: 2026-07-28 basic (icons).

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

/// A picture for a server, tool, prompt or resource. Untrusted: see safe().
struct icon {
  icon() = default;
  explicit icon(std::string address) : src(std::move(address)) {}

  std::string src;  ///< An https or data URI, if safe() is to be true.
  std::optional<std::string> mime_type;
  std::vector<std::string> sizes;    ///< "48x48", ..., or "any".
  std::optional<std::string> theme;  ///< "light" or "dark".
  json::value raw;

  /// Whether the icon may be loaded: a data URI of an image, or an https address of the same origin as the server's
  /// ("https://host[:port]", or the server's URL; empty for servers that have none, such as a child process).
  /// SVG may hold scripts: show it without running them.
  [[nodiscard]] bool safe(std::string_view origin) const;
};
constexpr auto describe(std::type_identity<icon>) {
  using t = icon;
  return json::fields(json::field("src", &t::src), json::field("mimeType", &t::mime_type),
                      json::defaulted("sizes", &t::sizes), json::field("theme", &t::theme), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/icon.ipp

namespace comcp {
namespace detail {

COMCP_DECL std::string icon_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// "host:port" of an https address, in lower case with the port spelled out; empty when it is none, or when
/// readers could disagree on its host.
COMCP_DECL std::string https_authority(std::string_view url) {
  for (char const c : url) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '\\') return {};
  }
  if (icon_lower(url.substr(0, 8)) != "https://") return {};
  url.remove_prefix(8);
  auto authority = icon_lower(url.substr(0, url.find_first_of("/?#")));
  if (authority.empty() || authority.find('@') != authority.npos) return {};
  auto const bracket = authority.rfind(']');
  auto const colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  if (colon == 0) return {};
  if (colon == authority.npos) return authority + ":443";
  return colon + 1 == authority.size() ? authority + "443" : authority;
}

}  // namespace detail

COMCP_DECL bool icon::safe(std::string_view origin) const {
  if (detail::icon_lower(std::string_view(src).substr(0, 11)) == "data:image/") return true;
  auto const ours = detail::https_authority(src);
  return !ours.empty() && ours == detail::https_authority(origin);
}

}  // namespace comcp
#endif

namespace comcp {

/// Who speaks, or for whom something is.
enum class role { user, assistant };
constexpr auto texts(std::type_identity<role>) { return std::array<std::string_view, 2>{"user", "assistant"}; }

/// Hints for whoever shows content; untrusted.
struct annotations {
  annotations() = default;

  std::vector<role> audience;
  std::optional<double> priority;            ///< 0 (least) to 1 (required).
  std::optional<std::string> last_modified;  ///< ISO 8601.
  json::value raw;
};
constexpr auto describe(std::type_identity<annotations>) {
  using t = annotations;
  return json::fields(json::defaulted("audience", &t::audience), json::field("priority", &t::priority),
                      json::field("lastModified", &t::last_modified), json::rest(&t::raw));
}

struct text_content {
  static constexpr std::string_view kind = "text";
  text_content() = default;
  text_content(std::string words) : text(std::move(words)) {}
  text_content(char const* words) : text(words) {}

  std::string text;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<text_content>) {
  using t = text_content;
  return json::fields(json::tag("type", t::kind), json::field("text", &t::text),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct image_content {
  static constexpr std::string_view kind = "image";
  image_content() = default;
  image_content(std::span<std::byte const> bytes, std::string type)
      : data(to_base64(bytes)), mime_type(std::move(type)) {}

  std::string data;  ///< Base64.
  std::string mime_type;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;

  /// The decoded data; bad Base64 is errc::wrong_shape.
  [[nodiscard]] result<std::vector<std::byte>> bytes() const { return from_base64(data); }
};
constexpr auto describe(std::type_identity<image_content>) {
  using t = image_content;
  return json::fields(json::tag("type", t::kind), json::field("data", &t::data), json::field("mimeType", &t::mime_type),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct audio_content {
  static constexpr std::string_view kind = "audio";
  audio_content() = default;
  audio_content(std::span<std::byte const> bytes, std::string type)
      : data(to_base64(bytes)), mime_type(std::move(type)) {}

  std::string data;  ///< Base64.
  std::string mime_type;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;

  /// The decoded data; bad Base64 is errc::wrong_shape.
  [[nodiscard]] result<std::vector<std::byte>> bytes() const { return from_base64(data); }
};
constexpr auto describe(std::type_identity<audio_content>) {
  using t = audio_content;
  return json::fields(json::tag("type", t::kind), json::field("data", &t::data), json::field("mimeType", &t::mime_type),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// A resource that the server names instead of sending it: read it with read_resource(uri).
struct resource_link {
  static constexpr std::string_view kind = "resource_link";
  resource_link() = default;
  resource_link(std::string address, std::string its_name) : uri(std::move(address)), name(std::move(its_name)) {}

  std::string uri;
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<std::int64_t> size;  ///< Bytes, before any encoding.
  std::optional<comcp::annotations> annotations;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resource_link>) {
  using t = resource_link;
  return json::fields(json::tag("type", t::kind), json::field("uri", &t::uri), json::field("name", &t::name),
                      json::field("title", &t::title), json::field("description", &t::description),
                      json::field("mimeType", &t::mime_type), json::field("size", &t::size),
                      json::field("annotations", &t::annotations), json::defaulted("icons", &t::icons),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The contents of a resource: text or blob.
struct resource_contents {
  resource_contents() = default;
  resource_contents(std::string address, std::string words) : uri(std::move(address)), text(std::move(words)) {}

  std::string uri;
  std::optional<std::string> mime_type;
  std::optional<std::string> text;
  std::optional<std::string> blob;  ///< Base64.
  json::value meta;
  json::value raw;

  [[nodiscard]] bool is_text() const noexcept { return text.has_value(); }
  /// The decoded blob, or the bytes of the text. Bad Base64, or neither of both, is errc::wrong_shape.
  [[nodiscard]] result<std::vector<std::byte>> bytes() const;
};
constexpr auto describe(std::type_identity<resource_contents>) {
  using t = resource_contents;
  return json::fields(json::field("uri", &t::uri), json::field("mimeType", &t::mime_type),
                      json::field("text", &t::text), json::field("blob", &t::blob), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

struct embedded_resource {
  static constexpr std::string_view kind = "resource";
  embedded_resource() = default;
  explicit embedded_resource(resource_contents contents) : resource(std::move(contents)) {}

  resource_contents resource;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<embedded_resource>) {
  using t = embedded_resource;
  return json::fields(json::tag("type", t::kind), json::field("resource", &t::resource),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Content of a kind that comcp does not know; everything is in `raw`.
struct unknown_content {
  static constexpr std::string_view kind = "";
  unknown_content() = default;

  std::string type;
  json::value raw;
};
constexpr auto describe(std::type_identity<unknown_content>) {
  return json::fields(json::field("type", &unknown_content::type), json::rest(&unknown_content::raw));
}

/// One piece of a tool's result or of a prompt.
using content_block =
    std::variant<text_content, image_content, audio_content, resource_link, embedded_resource, unknown_content>;

/// The texts among these pieces, a newline between them. Those of a temporary are moved out.
std::string text_of(std::vector<content_block> const& content);
std::string text_of(std::vector<content_block>&& content);

/// A model's wish to call a tool. Spec: client/sampling.
struct tool_use_content {
  static constexpr std::string_view kind = "tool_use";
  tool_use_content() = default;
  tool_use_content(std::string use_id, std::string tool_name, json::value arguments)
      : id(std::move(use_id)), name(std::move(tool_name)), input(std::move(arguments)) {}

  std::string id;
  std::string name;
  json::value input;  ///< An object.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_use_content>) {
  using t = tool_use_content;
  return json::fields(json::tag("type", t::kind), json::field("id", &t::id), json::field("name", &t::name),
                      detail::object("input", &t::input), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// What a tool answered to a tool_use_content. Spec: client/sampling.
struct tool_result_content {
  static constexpr std::string_view kind = "tool_result";
  tool_result_content() = default;
  tool_result_content(std::string use_id, std::vector<content_block> pieces)
      : tool_use_id(std::move(use_id)), content(std::move(pieces)) {}

  std::string tool_use_id;
  std::vector<content_block> content;
  json::value structured_content;  ///< Null where absent.
  bool is_error = false;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_result_content>) {
  using t = tool_result_content;
  return json::fields(json::tag("type", t::kind), json::field("toolUseId", &t::tool_use_id),
                      json::always("content", &t::content),
                      json::defaulted("structuredContent", &t::structured_content),
                      json::defaulted("isError", &t::is_error), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// One piece of a sampling message.
using sampling_message_content_block =
    std::variant<text_content, image_content, audio_content, tool_use_content, tool_result_content, unknown_content>;

namespace detail {
/// Content is told apart by its "type".
template <class... Kinds>
struct content_codec {
  using block = std::variant<Kinds...>;

  static bool read(json::view v, block& out, json::read_error& e) {
    if (!v.is_object()) return e.expected(v, "object");
    auto const type = v.find("type");
    if (!type) return e.missing(v, "type");
    auto const text = type->get_string();
    if (!text) return e.expected(*type, "string");
    bool ok = false;
    (void)(read_as<Kinds>(*text, v, out, e, ok) || ...);
    return ok;
  }
  static void write(json::writer& w, block const& from) {
    std::visit([&](auto const& piece) { json::write(w, piece); }, from);
  }

 private:
  template <class Kind>
  static bool read_as(std::string_view type, json::view v, block& out, json::read_error& e, bool& ok) {
    if (!Kind::kind.empty() && type != Kind::kind) return false;
    ok = json::codec<Kind>::read(v, out.template emplace<Kind>(), e);
    return true;
  }
};
}  // namespace detail

template <>
struct json::codec<content_block> : comcp::detail::content_codec<text_content, image_content, audio_content,
                                                                 resource_link, embedded_resource, unknown_content> {};
template <>
struct json::codec<sampling_message_content_block>
    : comcp::detail::content_codec<text_content, image_content, audio_content, tool_use_content, tool_result_content,
                                   unknown_content> {};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/content.ipp
#include <type_traits>
#include <utility>

namespace comcp {

COMCP_DECL result<std::vector<std::byte>> resource_contents::bytes() const {
  if (blob) return from_base64(*blob);
  if (!text) return error(errc::wrong_shape, "the resource " + uri + " has neither text nor blob");
  auto const* const first = reinterpret_cast<std::byte const*>(text->data());
  return std::vector<std::byte>(first, first + text->size());
}

namespace detail {
/// The texts that `text_in` finds in these pieces; the first of a temporary is moved.
template <class Pieces, class Find>
std::string joined_texts(Pieces&& pieces, Find text_in) {
  std::string all;
  bool first = true;
  for (auto& piece : pieces) {
    auto* const text = text_in(piece);
    if (!text) continue;
    if (first) {
      all = static_cast<std::conditional_t<std::is_lvalue_reference_v<Pieces>, decltype(*text), std::string&&>>(*text);
    } else {
      all.append(1, '\n').append(*text);
    }
    first = false;
  }
  return all;
}

template <class Blocks>
std::string text_of_blocks(Blocks&& blocks) {
  return joined_texts(std::forward<Blocks>(blocks), [](auto& block) {
    auto* const piece = std::get_if<text_content>(&block);
    return piece ? &piece->text : nullptr;
  });
}
}  // namespace detail

COMCP_DECL std::string text_of(std::vector<content_block> const& content) { return detail::text_of_blocks(content); }
COMCP_DECL std::string text_of(std::vector<content_block>&& content) {
  return detail::text_of_blocks(std::move(content));
}

}  // namespace comcp
#endif

// protocol/input_required.hpp
// Rounds of the modern era: a result may ask for input first, and the retry carries the answers.
// Spec: 2026-07-28 basic/patterns/mrtr.

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace comcp {

/// One question of a round: sampling/createMessage, roots/list or elicitation/create, and its parameters.
struct input_request {
  input_request() = default;
  input_request(std::string its_method, json::value its_params)
      : method(std::move(its_method)), params(std::move(its_params)) {}

  std::string method;
  json::value params;  ///< Null where absent.
  json::value raw;
};
constexpr auto describe(std::type_identity<input_request>) {
  using t = input_request;
  return json::fields(json::field("method", &t::method), json::defaulted("params", &t::params), json::rest(&t::raw));
}

/// Questions and answers of a round under the server's keys; an answer is the result object of its method.
using input_requests = std::map<std::string, input_request>;
using input_responses = std::map<std::string, json::value>;

struct input_required_result {
  static constexpr std::string_view kind = "input_required";
  input_required_result() = default;

  std::optional<comcp::input_requests> input_requests;
  std::optional<std::string> request_state;  ///< Opaque; goes back byte for byte.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<input_required_result>) {
  using t = input_required_result;
  return json::fields(json::tag("resultType", t::kind), json::field("inputRequests", &t::input_requests),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

// protocol/pagination.hpp
// Pages of lists. A cursor is opaque; an empty one is a cursor too. Spec: server/utilities/pagination.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace comcp {

/// Where a list continues, as the server said it.
using cursor = std::string;

/// The parameters of every */list request.
struct paginated_params {
  paginated_params() = default;
  explicit paginated_params(std::optional<comcp::cursor> from) : cursor(std::move(from)) {}

  std::optional<comcp::cursor> cursor;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<paginated_params>) {
  using t = paginated_params;
  return json::fields(json::field("cursor", &t::cursor), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Who may reuse a cached result. Anything but "public" counts as private. Spec: server/utilities/caching.
enum class cache_scope { private_, public_ };
constexpr auto texts(std::type_identity<cache_scope>) { return std::array<std::string_view, 2>{"private", "public"}; }

template <>
struct json::codec<cache_scope> {
  static bool read(view v, cache_scope& out, read_error&) {
    out = v.get_string() == "public" ? cache_scope::public_ : cache_scope::private_;
    return true;
  }
  static void write(writer& w, cache_scope scope) { w.string(enum_text(scope)); }
};

/// How long a result with this `ttl_ms` may be reused: not at all where it is absent or negative, a day at most.
constexpr std::chrono::milliseconds time_to_live(std::optional<std::int64_t> ttl_ms) noexcept {
  constexpr std::int64_t day = 24 * 60 * 60 * 1000;
  return std::chrono::milliseconds(std::clamp<std::int64_t>(ttl_ms.value_or(0), 0, day));
}

}  // namespace comcp

// protocol/tasks.hpp
// Tasks of 2025-11-25, as data only. Spec: 2025-11-25 basic/utilities/tasks.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

enum class task_status { working, input_required, completed, failed, cancelled };
constexpr auto texts(std::type_identity<task_status>) {
  return std::array<std::string_view, 5>{"working", "input_required", "completed", "failed", "cancelled"};
}

/// A ttl that may be null: unlimited.
struct task_ttl {
  task_ttl() = default;
  explicit task_ttl(std::int64_t ms) : milliseconds(ms) {}
  std::optional<std::int64_t> milliseconds;
  friend bool operator==(task_ttl const&, task_ttl const&) = default;
};
template <>
struct json::codec<task_ttl> {
  static bool read(view v, task_ttl& out, read_error& e) {
    return codec<std::optional<std::int64_t>>::read(v, out.milliseconds, e);
  }
  static void write(writer& w, task_ttl const& ttl) { codec<std::optional<std::int64_t>>::write(w, ttl.milliseconds); }
};

/// Also the result of tasks/get and tasks/cancel and the parameters of notifications/tasks/status.
struct task {
  task() = default;

  std::string task_id;
  task_status status = task_status::working;
  std::optional<std::string> status_message;
  std::string created_at;
  std::string last_updated_at;
  task_ttl ttl;
  std::optional<std::int64_t> poll_interval;  ///< Milliseconds.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<task>) {
  using t = task;
  return json::fields(json::field("taskId", &t::task_id), json::field("status", &t::status),
                      json::field("statusMessage", &t::status_message), json::field("createdAt", &t::created_at),
                      json::field("lastUpdatedAt", &t::last_updated_at), json::always("ttl", &t::ttl),
                      json::field("pollInterval", &t::poll_interval), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Asks, in a request's parameters, for a task instead of a result.
struct task_metadata {
  task_metadata() = default;

  std::optional<std::int64_t> ttl;  ///< Milliseconds.
  json::value raw;
};
constexpr auto describe(std::type_identity<task_metadata>) {
  return json::fields(json::field("ttl", &task_metadata::ttl), json::rest(&task_metadata::raw));
}

/// Names the task that a message belongs to, under meta_key::related_task.
struct related_task_metadata {
  related_task_metadata() = default;

  std::string task_id;
  json::value raw;
};
constexpr auto describe(std::type_identity<related_task_metadata>) {
  using t = related_task_metadata;
  return json::fields(json::field("taskId", &t::task_id), json::rest(&t::raw));
}

struct create_task_result {
  create_task_result() = default;

  comcp::task task;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<create_task_result>) {
  using t = create_task_result;
  return json::fields(json::field("task", &t::task), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The parameters of tasks/get, tasks/result and tasks/cancel.
struct task_params {
  task_params() = default;
  explicit task_params(std::string id) : task_id(std::move(id)) {}

  std::string task_id;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<task_params>) {
  using t = task_params;
  return json::fields(json::field("taskId", &t::task_id), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_tasks_result {
  list_tasks_result() = default;

  std::vector<task> tasks;
  std::vector<comcp::set_aside> set_aside;
  std::optional<std::string> next_cursor;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_tasks_result>) {
  using t = list_tasks_result;
  return json::fields(detail::definitions("tasks", &t::tasks), json::field("nextCursor", &t::next_cursor),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

namespace comcp {

/// The server's hints on a tool. Untrusted: never a reason to skip a confirmation.
struct tool_annotations {
  tool_annotations() = default;

  std::optional<std::string> title;
  std::optional<bool> read_only_hint;    ///< Absent: false.
  std::optional<bool> destructive_hint;  ///< Absent: true.
  std::optional<bool> idempotent_hint;   ///< Absent: false.
  std::optional<bool> open_world_hint;   ///< Absent: true.
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_annotations>) {
  using t = tool_annotations;
  return json::fields(json::field("title", &t::title), json::field("readOnlyHint", &t::read_only_hint),
                      json::field("destructiveHint", &t::destructive_hint),
                      json::field("idempotentHint", &t::idempotent_hint),
                      json::field("openWorldHint", &t::open_world_hint), json::rest(&t::raw));
}

/// How a tool runs (2025-11-25).
struct tool_execution {
  tool_execution() = default;

  std::optional<std::string> task_support;  ///< "forbidden" (the default), "optional" or "required".
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_execution>) {
  using t = tool_execution;
  return json::fields(json::field("taskSupport", &t::task_support), json::rest(&t::raw));
}

struct tool {
  tool() = default;

  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  json::value input_schema;   ///< JSON Schema, an object.
  json::value output_schema;  ///< JSON Schema of structured_content; null where absent.
  std::optional<tool_annotations> annotations;
  std::optional<tool_execution> execution;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;

  /// What to show: title, else the annotations' title, else name.
  [[nodiscard]] std::string const& display_name() const noexcept;
};
constexpr auto describe(std::type_identity<tool>) {
  using t = tool;
  return json::fields(json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), detail::object("inputSchema", &t::input_schema),
                      detail::optional_object("outputSchema", &t::output_schema),
                      json::field("annotations", &t::annotations), json::field("execution", &t::execution),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_tools_result {
  list_tools_result() = default;

  std::vector<tool> tools;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_tools_result>) {
  using t = list_tools_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("tools", &t::tools),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct call_tool_params {
  call_tool_params() = default;
  explicit call_tool_params(std::string tool_name, json::value args = {})
      : name(std::move(tool_name)), arguments(std::move(args)) {}

  std::string name;
  json::value arguments;  ///< An object; null where absent.
  std::optional<task_metadata> task;
  std::optional<comcp::input_responses> input_responses;
  std::optional<std::string> request_state;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<call_tool_params>) {
  using t = call_tool_params;
  return json::fields(json::field("name", &t::name), detail::optional_object("arguments", &t::arguments),
                      json::field("task", &t::task), json::field("inputResponses", &t::input_responses),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// What a tool answered. `is_error` is the tool's own failure, for the model to see: a value, no exception.
struct call_tool_result {
  call_tool_result() = default;
  call_tool_result(std::vector<content_block> pieces) : content(std::move(pieces)) {}
  explicit call_tool_result(text_content text) { content.emplace_back(std::move(text)); }

  std::vector<content_block> content;
  json::value structured_content;  ///< Null where absent.
  bool is_error = false;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  /// The texts among the content, a newline between them.
  [[nodiscard]] std::string text() const& { return text_of(content); }
  [[nodiscard]] std::string text() && { return text_of(std::move(content)); }
  /// The pieces of one kind, copied, or moved out of a temporary; their bytes() decode.
  [[nodiscard]] std::vector<image_content> images() const& { return all<image_content>(content); }
  [[nodiscard]] std::vector<image_content> images() && { return all<image_content>(std::move(content)); }
  [[nodiscard]] std::vector<audio_content> audio() const& { return all<audio_content>(content); }
  [[nodiscard]] std::vector<audio_content> audio() && { return all<audio_content>(std::move(content)); }
  [[nodiscard]] std::vector<embedded_resource> resources() const& { return all<embedded_resource>(content); }
  [[nodiscard]] std::vector<embedded_resource> resources() && { return all<embedded_resource>(std::move(content)); }
  [[nodiscard]] std::vector<resource_link> links() const& { return all<resource_link>(content); }
  [[nodiscard]] std::vector<resource_link> links() && { return all<resource_link>(std::move(content)); }

  /// The structured content as a T; errc::wrong_shape where it is absent or of another shape.
  template <class T>
  [[nodiscard]] result<T> structured() const {
    if (structured_content.is_null()) return error(errc::wrong_shape, "the tool gave no structured content");
    return structured_content.get<T>();
  }

  /// The result itself; throws comcp::exception (errc::tool_failed, with the text) when is_error is set.
  call_tool_result const& or_throw() const&;
  call_tool_result or_throw() &&;

 private:
  template <class Kind, class Blocks>
  static std::vector<Kind> all(Blocks&& blocks) {
    std::vector<Kind> found;
    for (auto& block : blocks) {
      auto* const piece = std::get_if<Kind>(&block);
      if (!piece) continue;
      if constexpr (std::is_lvalue_reference_v<Blocks>) found.push_back(*piece);
      else found.push_back(std::move(*piece));
    }
    return found;
  }
};
constexpr auto describe(std::type_identity<call_tool_result>) {
  using t = call_tool_result;
  return json::fields(json::field("resultType", &t::result_type), json::always("content", &t::content),
                      json::defaulted("structuredContent", &t::structured_content),
                      json::defaulted("isError", &t::is_error), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/tools.ipp

namespace comcp {

COMCP_DECL std::string const& tool::display_name() const noexcept {
  if (title) return *title;
  if (annotations && annotations->title) return *annotations->title;
  return name;
}

COMCP_DECL call_tool_result const& call_tool_result::or_throw() const& {
  if (is_error) {
    auto said = text();
    throw exception(error(errc::tool_failed, said.empty() ? std::string("the tool reported a failure") : said));
  }
  return *this;
}

COMCP_DECL call_tool_result call_tool_result::or_throw() && {
  std::as_const(*this).or_throw();
  return std::move(*this);
}

}  // namespace comcp
#endif

// timespan.hpp
// Durations as options take them.

#include <chrono>

namespace comcp {

/// A duration of any unit; what nanoseconds cannot hold, such as std::chrono::seconds::max(), is the longest one, which
/// options take for "never".
class timespan {
 public:
  template <class Rep, class Period>
  constexpr timespan(std::chrono::duration<Rep, Period> d) noexcept : span_(of(d)) {}  // NOLINT: converting on purpose
  constexpr operator std::chrono::nanoseconds() const noexcept { return span_; }       // NOLINT: likewise

  /// As a timeout: there is none where zero is given.
  [[nodiscard]] constexpr std::chrono::nanoseconds as_timeout() const noexcept {
    return span_ == std::chrono::nanoseconds(0) ? std::chrono::nanoseconds::max() : span_;
  }

 private:
  template <class Rep, class Period>
  static constexpr std::chrono::nanoseconds of(std::chrono::duration<Rep, Period> d) noexcept {
    using std::chrono::nanoseconds;
    using seconds = std::chrono::duration<double>;
    if (seconds(d) >= seconds(nanoseconds::max())) return nanoseconds::max();
    if (seconds(d) <= seconds(nanoseconds::min())) return nanoseconds::min();
    return std::chrono::duration_cast<nanoseconds>(d);
  }

  std::chrono::nanoseconds span_;
};

}  // namespace comcp

namespace comcp {

/// Whether a call may be answered from the cache, where the client has one.
enum class cache_use : unsigned char {
  use,      ///< A fresh result is the answer; else the server's is, which is stored.
  refresh,  ///< The server's is, which is stored.
  bypass,   ///< The server's is, and nothing is stored.
};

/// What one call may be told. Unset values come from connect_options. Copyable; reusable for many calls.
class call_options {
 public:
  call_options() {}

  /// Ends the call with errc::timeout after this long without its answer (default 30 s; zero: never). Progress extends
  /// it.
  call_options& timeout(timespan d) { return timeout_ = d.as_timeout(), *this; }
  /// Ends the call at this age whatever progress says (default 10 min, or the timeout where that is longer; zero:
  /// never).
  call_options& hard_timeout(timespan d) { return hard_timeout_ = d.as_timeout(), *this; }
  /// Whether progress restarts the timeout (default: when a timeout was set by hand or on_progress is set).
  call_options& extend_on_progress(bool yes) { return extend_ = yes, *this; }
  /// Called on the client's executor for each progress notification of this call, before the call ends.
  call_options& on_progress(std::function<void(progress_notification const&)> f) {
    return edit().on_progress = std::move(f), *this;
  }
  /// One `_meta` entry; the last of one key counts. The key is checked when the call starts, and the text of the keys of
  /// W3C trace context: errc::invalid_argument.
  template <json::writable T>
  call_options& meta(std::string key, T const& value) {
    return set_meta(std::move(key), json::to_text(value)), *this;
  }
  /// The caller's word that sending this call twice does no harm: after a broken connection it may go again.
  call_options& idempotent(bool yes = true) { return idempotent_ = yes, *this; }
  /// Cancels every call that was given this token once stop is requested. Thread-safe.
  call_options& stop(std::stop_token token) { return edit().stop = std::move(token), *this; }
  /// What the server is told where this call is cancelled (default: "cancelled by the caller").
  call_options& cancel_reason(std::string text) { return edit().cancel_reason = std::move(text), *this; }
  /// 2025-11-25: after an error -32042 whose pages the handler's elicit_url() all accepted, waits until the server tells
  /// that they are completed (within the hard timeout) and sends the call again, once (default: it ends with
  /// errc::url_elicitation_required).
  call_options& await_url_elicitations(bool yes = true) { return await_urls_ = yes, *this; }
  /// Hands an input_required answer to the caller, who goes on with client.resume(), instead of asking the handler.
  call_options& manual_input(bool yes = true) { return manual_input_ = yes, *this; }
  /// The definition to go by instead of the one that was listed last: its annotated arguments are mirrored into headers
  /// (HTTP, modern era), and its schemas are those of connect_options().validate().
  call_options& tool(comcp::tool const& definition) {
    auto& own = edit();
    own.input_schema = definition.input_schema;
    own.output_schema = definition.output_schema;
    own.needs_task = definition.execution && definition.execution->task_support == "required";
    return *this;
  }
  /// Modern era: the log level asked for with this call.
  call_options& log_level(comcp::log_level level) { return log_level_ = level, *this; }

  /// For server/discover, lists and reads of a client with connect_options().cache() (default: use).
  call_options& cache(cache_use how) { return cache_ = how, *this; }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> timeout() const noexcept { return timeout_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> hard_timeout() const noexcept { return hard_timeout_; }
  [[nodiscard]] auto const& on_progress() const noexcept { return rare().on_progress; }
  [[nodiscard]] bool extends_on_progress() const noexcept {
    return extend_.value_or(timeout_.has_value() || static_cast<bool>(on_progress()));
  }
  [[nodiscard]] bool wants_progress() const noexcept {
    return static_cast<bool>(on_progress()) || extend_.value_or(timeout_.has_value());
  }
  [[nodiscard]] auto const& meta() const noexcept { return rare().meta; }
  /// Of tool(): null where that was not said.
  [[nodiscard]] json::value const& input_schema() const noexcept { return rare().input_schema; }
  [[nodiscard]] json::value const& output_schema() const noexcept { return rare().output_schema; }
  [[nodiscard]] std::optional<bool> needs_task() const noexcept { return rare().needs_task; }
  [[nodiscard]] std::string const& cancel_reason() const noexcept { return rare().cancel_reason; }
  [[nodiscard]] bool awaits_url_elicitations() const noexcept { return await_urls_; }
  void forget_tool() {
    if (!input_schema().is_null()) edit().input_schema = json::value();
  }
  [[nodiscard]] bool is_idempotent() const noexcept { return idempotent_; }
  [[nodiscard]] std::stop_token const& stop() const noexcept { return rare().stop; }
  [[nodiscard]] bool is_manual_input() const noexcept { return manual_input_; }
  [[nodiscard]] cache_use cache() const noexcept { return cache_; }
  [[nodiscard]] std::optional<comcp::log_level> log_level() const noexcept { return log_level_; }

 private:
  // What few calls set: shared by copies and never changed in place, so that options cost little where it is unset.
  struct rarities {
    std::function<void(progress_notification const&)> on_progress;
    std::vector<std::pair<std::string, std::string>> meta;
    std::stop_token stop;
    json::value input_schema, output_schema;
    std::optional<bool> needs_task;
    std::string cancel_reason = "cancelled by the caller";
  };
  [[nodiscard]] rarities const& rare() const noexcept {
    static rarities const none;
    return rare_ ? *rare_ : none;
  }
  void set_meta(std::string key, std::string text) {
    auto& all = edit().meta;
    std::erase_if(all, [&key](auto const& entry) { return entry.first == key; });
    all.emplace_back(std::move(key), std::move(text));
  }
  rarities& edit() {
    auto own = std::make_shared<rarities>(rare());
    auto& changed = *own;
    rare_ = std::move(own);
    return changed;
  }

  std::optional<std::chrono::nanoseconds> timeout_, hard_timeout_;
  std::shared_ptr<rarities const> rare_;
  std::optional<bool> extend_;
  std::optional<comcp::log_level> log_level_;
  bool idempotent_ = false;
  bool manual_input_ = false;
  bool await_urls_ = false;
  cache_use cache_ = cache_use::use;
};

}  // namespace comcp

// client/operation.hpp
// From a prepared call to a typed value: the coroutine behind every operation. Internal, but for as_result and
// all, which are users' tools.

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

// client/link.hpp
// A client's core as its facade sees it: a source that is only given a client compiles no connecting, restarting or
// negotiating. Internal.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

// client/call.hpp
// One call on its way: what it sends, who waits for it, how its end is told. Internal to the core.

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

// client/waiter.hpp
// Suspending a coroutine until somebody on the same executor completes it: the one place where comcp meets
// Asio's completion handlers. Internal.

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/associated_allocator.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/recycling_allocator.hpp>
#include <asio/use_awaitable.hpp>

// net/spawn.hpp
// What starts work on an executor, each with one set of types: every further instantiation of Asio's co_spawn and
// post costs a header-only user a third of a second. And what came out of it. Internal.

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/this_coro.hpp>

namespace comcp::detail {

/// What is run later and elsewhere.
class task {
 public:
  virtual ~task() = default;
  virtual void run() = 0;
};

/// Runs it later on that executor. With an empty one, whose context is gone, neither this nor spawn() does anything.
void post(asio::any_io_executor const& to, std::shared_ptr<task> work);

/// Runs it there: at once where that executor runs this very thread, else later.
void dispatch(asio::any_io_executor const& to, std::shared_ptr<task> work);

template <class F>
struct task_of final : task {
  explicit task_of(F work) : call(std::move(work)) {}
  void run() override { call(); }
  F call;
};

template <class F>
  requires std::is_invocable_v<F&>
void post(asio::any_io_executor const& to, F work) {
  if (to) post(to, std::shared_ptr<task>(std::make_shared<task_of<F>>(std::move(work))));
}

template <class F>
  requires std::is_invocable_v<F&>
void dispatch(asio::any_io_executor const& to, F work) {
  if (to) dispatch(to, std::shared_ptr<task>(std::make_shared<task_of<F>>(std::move(work))));
}

/// Inside a catch block: what was caught is thrown again from that executor, where it unwinds through nothing of ours.
void throw_from(asio::any_io_executor const& on) noexcept;

/// Starts it there and forgets it. What it throws is dropped.
COMCP_LAZY void spawn(asio::any_io_executor const& on, asio::awaitable<void> work);
/// The same with a cancellation slot. Asio looks at the slot after the work has ended, so `owner` keeps its signal.
COMCP_LAZY void spawn(asio::any_io_executor const& on, asio::awaitable<void> work, asio::cancellation_slot slot,
                      std::shared_ptr<void const> owner);

/// Runs it there and waits, resuming on the caller's executor; cancelling the wait cancels it. Throws errc::closed where
/// that executor is empty.
COMCP_LAZY asio::awaitable<void> spawn_and_wait(asio::any_io_executor on, asio::awaitable<void> work);

/// What was caught, as an error; Asio's own operation_aborted is errc::cancelled.
error current_error();

template <class T>
asio::awaitable<void> store(asio::awaitable<T> work, std::optional<T>& out) {
  auto value = co_await std::move(work);
  out.emplace(std::move(value));
}

/// Runs it on the owner's executor, wherever it is awaited, and resumes the caller on its own. Keeps the owner alive.
template <class Owner, class T>
asio::awaitable<T> on_home(std::shared_ptr<Owner> owner, asio::awaitable<T> work) {
  auto const here = co_await asio::this_coro::executor;
  if constexpr (std::is_void_v<T>) {
    if (here == owner->home()) co_await std::move(work);
    else co_await spawn_and_wait(owner->home(), std::move(work));
  } else {
    if (here == owner->home()) {
      auto value = co_await std::move(work);
      co_return value;
    }
    std::optional<T> value;
    auto stored = store(std::move(work), value);
    co_await spawn_and_wait(owner->home(), std::move(stored));
    co_return std::move(*value);
  }
}

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// net/impl/spawn.ipp
#include <exception>
#include <new>
#include <system_error>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/dispatch.hpp>
#include <asio/error.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

namespace comcp::detail {

struct posted {
  void operator()() {
    auto const last = std::move(work);
    last->run();
  }
  std::shared_ptr<task> work;
};

COMCP_DECL void post(asio::any_io_executor const& to, std::shared_ptr<task> work) {
  if (to) asio::post(to, posted{std::move(work)});
}

COMCP_DECL void dispatch(asio::any_io_executor const& to, std::shared_ptr<task> work) {
  if (to) asio::dispatch(to, posted{std::move(work)});
}

COMCP_DECL void throw_from(asio::any_io_executor const& on) noexcept {
  post(on, [thrown = std::current_exception()] { std::rethrow_exception(thrown); });
}

COMCP_LAZY_DECL void spawn(asio::any_io_executor const& on, asio::awaitable<void> work, asio::cancellation_slot slot,
                           std::shared_ptr<void const> owner) {
  if (!on) return;
  auto done = [owner = std::move(owner)](std::exception_ptr) {};
  asio::co_spawn(on, std::move(work), asio::bind_cancellation_slot(slot, std::move(done)));
}

COMCP_LAZY_DECL void spawn(asio::any_io_executor const& on, asio::awaitable<void> work) {
  spawn(on, std::move(work), {}, {});
}

template <class T>
asio::awaitable<T> spawned(asio::any_io_executor const& on, asio::awaitable<T> work) {
  return asio::co_spawn(on, std::move(work), asio::use_awaitable);
}

COMCP_LAZY_DECL asio::awaitable<void> spawn_and_wait(asio::any_io_executor on, asio::awaitable<void> work) {
  if (!on) throw exception(error(errc::closed, "the execution context is gone"));
  co_await spawned(on, std::move(work));
}

COMCP_DECL error current_error() {
  try {
    throw;
  } catch (exception const& e) {
    return e.error();
  } catch (std::system_error const& e) {
    if (e.code() == asio::error::operation_aborted) return error(errc::cancelled);
    return error(e.code(), {});
  } catch (std::bad_alloc const&) {
    return errc::out_of_memory;
  } catch (std::exception const& e) {
    return error(errc::invalid_argument, e.what());
  } catch (...) {
    return error(errc::invalid_argument, "an unknown exception");
  }
}

}  // namespace comcp::detail
#endif

namespace comcp::detail {

/// Whether only what has had no effect yet may be cancelled.
[[nodiscard]] inline bool is_total_alone(asio::cancellation_type how) noexcept {
  constexpr auto rest = asio::cancellation_type::terminal | asio::cancellation_type::partial;
  return (how & rest) == asio::cancellation_type::none;
}

/// A suspended coroutine that waits for a T; see waiter.
template <class T>
class suspended {
 public:
  /// Frees itself, then resumes the coroutine inside this call.
  virtual void resume(T value) = 0;
  /// Frees itself and the coroutine without resuming it.
  virtual void destroy() noexcept = 0;

 protected:
  ~suspended() = default;
};

/// The right to resume a coroutine, owned by who completes it: a coroutine that nobody can complete any more goes away.
template <class T>
class waiter {
 public:
  waiter() = default;
  explicit waiter(suspended<T>* s) noexcept : suspended_(s) {}
  waiter(waiter&& other) noexcept : suspended_(std::exchange(other.suspended_, nullptr)) {}
  waiter& operator=(waiter&& other) noexcept {
    waiter old(std::exchange(suspended_, std::exchange(other.suspended_, nullptr)));
    return *this;
  }
  ~waiter() {
    if (suspended_) suspended_->destroy();
  }
  explicit operator bool() const noexcept { return suspended_ != nullptr; }
  /// Resumes it inside this call. What leaves it, or its user's completion handler, is thrown from `home` later.
  void complete(T value, asio::any_io_executor const& home) noexcept {
    try {
      std::exchange(suspended_, nullptr)->resume(std::move(value));
    } catch (...) {
      throw_from(home);
    }
  }

 private:
  suspended<T>* suspended_ = nullptr;
};

/// For whoever held the right and goes away: the coroutine learns that from its executor, if there is one.
template <class T>
void complete_later(waiter<T>&& waiting, asio::any_io_executor const& on, error why) noexcept {
  if (!waiting) return;
  try {
    auto const last = std::make_shared<waiter<T>>(std::move(waiting));
    post(on, [last, on, why = std::move(why)] { last->complete(T(why), on); });
  } catch (...) {  // no memory: it is destroyed
  }
}

/// Memory for one waiter in the frame of the coroutine that waits, so that waiting need not allocate.
class waiter_room {
 public:
  waiter_room() noexcept {}
  [[nodiscard]] void* memory() noexcept { return bytes_; }
  static constexpr std::size_t size = 32;

 private:
  alignas(std::max_align_t) std::byte bytes_[size];
};

template <class T, class Handler>
class handler_waiter final : public suspended<T> {
 public:
  template <class OnCancel>
  static waiter<T> create(Handler handler, OnCancel const& on_cancel, waiter_room* room = nullptr) {
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto allocator = allocator_of(handler);
    bool const fits = room != nullptr && sizeof(handler_waiter) <= waiter_room::size;
    void* const memory = fits ? room->memory() : std::allocator_traits<allocator_type>::allocate(allocator, 1);
    auto* const self = new (memory) handler_waiter(std::move(handler), !fits);
    if (slot.is_connected() && is_wanted(on_cancel)) {
      slot.assign([hook = hook_of(on_cancel)](asio::cancellation_type type) {
        if (type == asio::cancellation_type::none) return;
        if constexpr (requires { hook(type); })
          hook(type);
        else
          hook();
      });
    }
    return waiter<T>(self);
  }

  void resume(T value) override {
    auto handler = release();
    auto slot = asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) slot.clear();
    std::move(handler)(std::move(value));
  }

  void destroy() noexcept override { [[maybe_unused]] auto handler = release(); }

 private:
  using fallback = asio::recycling_allocator<void>;
  using allocator_type = typename std::allocator_traits<
      asio::associated_allocator_t<Handler, fallback>>::template rebind_alloc<handler_waiter>;
  static allocator_type allocator_of(Handler const& h) { return allocator_type(asio::get_associated_allocator(h, fallback())); }

  // What is costly to make is made only where a slot is connected.
  template <class OnCancel>
  static auto hook_of(OnCancel const& on_cancel) {
    if constexpr (requires { on_cancel.hook(); }) return on_cancel.hook();
    else return on_cancel;
  }

  template <class OnCancel>
  static bool is_wanted(OnCancel const& on_cancel) {
    if constexpr (requires { on_cancel.is_wanted(); }) return on_cancel.is_wanted();
    else return true;
  }

  handler_waiter(Handler h, bool allocated) : handler_(std::move(h)), allocated_(allocated) {}

  Handler release() noexcept {
    auto handler = std::move(handler_);
    bool const allocated = allocated_;
    this->~handler_waiter();
    if (allocated) {
      auto allocator = allocator_of(handler);
      std::allocator_traits<allocator_type>::deallocate(allocator, this, 1);
    }
    return handler;
  }

  Handler handler_;
  bool allocated_;
};

template <class T, class OnCancel>
struct suspend_initiation {
  waiter<T>* place;
  waiter_room* room;
  OnCancel on_cancel;
  template <class Handler>
  void operator()(Handler handler) const {
    *place = handler_waiter<T, Handler>::create(std::move(handler), on_cancel, room);
  }
};

/// Suspends until `place`, which is set meanwhile, is completed. `on_cancel` runs when the coroutine is cancelled
/// and must see to it that `place` is completed later, never inside itself. `room`, if given, lives as long as the
/// coroutine waits.
template <class T, class OnCancel>
asio::awaitable<T> suspend(waiter<T>& place, OnCancel on_cancel, waiter_room* room = nullptr) {
  return asio::async_initiate<asio::use_awaitable_t<> const, void(T)>(
      suspend_initiation<T, OnCancel>{&place, room, std::move(on_cancel)}, asio::use_awaitable);
}

}  // namespace comcp::detail

// later.hpp
// Sums of moments and users' durations, which may be as good as never. Internal.

#include <chrono>

namespace comcp::detail {

/// `d` after `from`; the end of time where that is later than any.
template <class Rep, class Period>
std::chrono::steady_clock::time_point later(std::chrono::steady_clock::time_point from,
                                            std::chrono::duration<Rep, Period> d) noexcept {
  using std::chrono::duration_cast, std::chrono::steady_clock;
  constexpr auto never = steady_clock::time_point::max();
  if (from == never || d >= duration_cast<decltype(d)>(never - from)) return never;
  return from + duration_cast<steady_clock::duration>(d);
}

}  // namespace comcp::detail

// transport/transport.hpp
// The transport seam: what carries messages. A transport knows no methods and no versions; what a message
// means is decided above it.

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp {

/// The id of one of our requests on the wire; 0 means none (a notification, an answer, a shared channel).
using request_id = std::uint64_t;

/// One message on its way out. `text` is a whole JSON-RPC message without a newline.
struct outgoing {
  outgoing() = default;
  explicit outgoing(std::string message, request_id request = 0) : text(std::move(message)), id(request) {}

  std::string text;
  request_id id = 0;           ///< Set for requests of ours.
  std::string method;          ///< Set for requests and notifications that an HTTP transport must label.
  std::vector<std::pair<std::string, std::string>> headers;  ///< What the era wants in HTTP headers.
  bool handshake = false;      ///< `initialize` or the era probe: never cancelled on the wire.
  bool established = false;    ///< The last message of the handshake: streams for what the server says may open.
  bool stateless = false;      ///< Of an era without sessions, where closing its response stream cancels a request.
  bool repeatable = false;     ///< It may be sent again after the server refused it for now.
  bool open_ended = false;     ///< No deadline ends it: over HTTP, silence does.
};

/// A session that outlives its connection (legacy era, HTTP), as client.session() gives it. Its id is a secret.
struct saved_session {
  saved_session() = default;
  std::string id;
  std::string initialize_result;  ///< JSON text: the negotiated version and what the server can do.
};

/// Where a transport delivers. Called on the transport's executor, one call at a time, never from inside
/// `open`'s initiation, `send` or `abandon`. What a call is given is valid for that call only. Any call may
/// close or destroy the transport: look at nothing of it afterwards without holding it. An inbox lives as long as what
/// was opened with it: until its closed() was called, or until close() completed or the destructor of the transport
/// returned; afterwards it is not to be called, nor looked at. message_transport and byte_stream see to all of this for
/// what they are built upon.
class inbox {
 public:
  /// One whole message. `stream` is the request whose response stream brought it, 0 on a shared channel.
  virtual void delivered(padded_text text, request_id stream) = 0;
  /// The response of `id` ended (HTTP only). Where its answer is still awaited this is its end.
  virtual void stream_ended(request_id id, error why) = 0;
  /// Whether the answer to this request is still awaited.
  [[nodiscard]] virtual bool awaits(request_id) const { return true; }
  /// The server refused a message because it does not know its session any more: a new handshake is due. `id` is 0
  /// where that was no request.
  virtual void session_lost(request_id id, error why) { stream_ended(id, std::move(why)); }
  /// HTTP, legacy era: what the server says unasked does not come any more, and why; without an error: it does again.
  virtual void deaf(error why) { (void)why; }
  /// Whether anybody waits for what the server says unasked.
  [[nodiscard]] virtual bool listens() const { return true; }
  /// Credentials are being obtained, for which a user may be asked: until as many false as true came, and no longer than
  /// the connection lives, no deadline but the hard ones ends a request.
  virtual void authorizing(bool begins) { (void)begins; }
  /// The channel is gone. Exactly once for each successful `open`; nothing is delivered after it.
  virtual void closed(error reason) = 0;
  /// A fault that loses nothing but itself, for statistics and observers (a line over the limit, ...).
  virtual void fault(error what) = 0;

 protected:
  ~inbox() = default;
};

/// What a transport tells about itself; a snapshot.
struct transport_info {
  std::string kind;                      ///< "stdio", "memory", "unix", ...
  std::string target;                    ///< Command line or address, without secrets.
  std::string origin;                    ///< HTTP: scheme, host and port; what is learned of a server is kept by it.
  std::string identity;                  ///< HTTP: whose credentials, as authenticator.identity() says.
  std::vector<std::string> extensions;   ///< HTTP: what the authenticator declares, as its extensions() says.
  std::string server;                    ///< HTTP: equal where all else in a request is; empty where that is not known.
  std::string session_id;                ///< HTTP, legacy era: a secret.
  std::size_t open_streams = 0;          ///< HTTP: event streams that are open.
  std::optional<int> pid;                ///< stdio: the server process.
  std::optional<int> exit_code;          ///< stdio: set once it exited.
  std::optional<int> term_signal;        ///< stdio: set when a signal ended it.
  std::string stderr_tail;               ///< stdio: the end of what it wrote to stderr.
  std::string unfinished;                ///< Byte streams: how a line begins whose end has not come.
  std::uint64_t messages_in = 0;
  std::uint64_t messages_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// Carries messages. `open` takes the executor from this_coro::executor and may be called again after
/// `closed`. `send` takes the message over whole or refuses it (errc::queue_full, errc::closed) and never
/// completes anything inside itself. `abandon(id)`: the caller of that request is gone; true says that closing
/// its stream has told the server, so that no notifications/cancelled is needed; a request that is still
/// queued is removed silently, which also counts as told. `close` is bounded, and is graceful; the destructor is
/// abrupt. After `close` completed `inbox::closed` has been called.
template <class T>
concept transport = std::move_constructible<T> &&
    requires(T t, T const& ct, inbox& in, outgoing message, request_id id) {
      { t.open(in) } -> std::same_as<asio::awaitable<result<void>>>;
      { t.send(std::move(message)) } -> std::same_as<result<void>>;
      { t.abandon(id) } noexcept -> std::same_as<bool>;
      { t.close() } -> std::same_as<asio::awaitable<void>>;
      { ct.info() } -> std::same_as<transport_info>;
    };

/// A transport over HTTP says so: its messages need headers, and the rules for finding the era are others.
template <class T>
concept over_http = requires(T const& t) {
  requires T::is_http;
  { t.resumed() } -> std::same_as<std::optional<saved_session>>;  // what it goes on with instead of a handshake
};

/// A transport that something outlives (a process) may say what ends it from any thread and at once, for whoever cannot
/// wait until its executor comes to the destructor.
template <class T>
concept has_cutter = requires(T const& t) {
  { t.cutter() } -> std::same_as<std::function<void()>>;
};

namespace detail {

/// Ends what is connected to it, from any thread; once pulled, also what is connected later.
class kill_switch {
 public:
  /// In place of what was connected before.
  void connect(std::function<void()> end) {
    std::lock_guard const lock(mutex_);
    end_ = std::move(end);
    if (pulled_ && end_) end_();
  }
  void pull() noexcept {
    std::lock_guard const lock(mutex_);
    pulled_ = true;
    if (end_) end_();
  }

 private:
  std::mutex mutex_;
  std::function<void()> end_;
  bool pulled_ = false;
};

}  // namespace detail

/// Any transport, type-erased: one allocation, one virtual call for each operation.
class any_transport {
 public:
  any_transport() = default;
  template <class T>
    requires(!std::same_as<T, any_transport>)
  explicit any_transport(T t) : self_(std::make_unique<model<T>>(std::move(t))) {
    static_assert(transport<T>,
                  "comcp: this type is no transport: it needs open(inbox&), send(outgoing), abandon(request_id) "
                  "noexcept, close() and info() as comcp/transport/transport.hpp says");
  }

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) { return self_->open(in); }
  result<void> send(outgoing&& message) { return self_->send(std::move(message)); }
  bool abandon(request_id id) noexcept { return self_->abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return self_->close(); }
  [[nodiscard]] transport_info info() const { return self_->info(); }
  [[nodiscard]] std::function<void()> cutter() const { return self_ ? self_->cutter() : std::function<void()>(); }
  [[nodiscard]] bool is_http() const noexcept { return self_ && self_->http; }
  [[nodiscard]] std::optional<saved_session> resumed() const { return self_->resumed(); }
  explicit operator bool() const noexcept { return static_cast<bool>(self_); }

 private:
  struct base {
    virtual ~base() = default;
    virtual asio::awaitable<result<void>> open(inbox&) = 0;
    virtual result<void> send(outgoing&&) = 0;
    virtual bool abandon(request_id) noexcept = 0;
    virtual asio::awaitable<void> close() = 0;
    virtual transport_info info() const = 0;
    virtual std::optional<saved_session> resumed() const { return {}; }
    virtual std::function<void()> cutter() const { return {}; }
    bool http = false;
  };

  template <class T>
  struct model final : base {
    explicit model(T t) : impl(std::move(t)) { this->http = over_http<T>; }
    asio::awaitable<result<void>> open(inbox& in) override { return impl.open(in); }
    result<void> send(outgoing&& m) override { return impl.send(std::move(m)); }
    bool abandon(request_id id) noexcept override { return impl.abandon(id); }
    asio::awaitable<void> close() override { return impl.close(); }
    transport_info info() const override { return impl.info(); }
    std::optional<saved_session> resumed() const override {
      if constexpr (over_http<T>) return impl.resumed();
      return {};
    }
    std::function<void()> cutter() const override {
      if constexpr (has_cutter<T>) return impl.cutter();
      return {};
    }
    T impl;
  };

  std::unique_ptr<base> self_;
};

}  // namespace comcp

// wire/method.hpp
// What the protocol says of each method that a client calls: one table, looked at once for a call. Methods that are not in
// it are the vendors', and may be sent.

#include <string>
#include <string_view>

// protocol/capabilities.hpp
// What each side says it can do. Spec: basic/lifecycle (legacy), 2026-07-28 basic (_meta) and server/discover.

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace comcp {

/// Entries of `experimental` and `extensions`: their name and their settings (an object).
using capability_entries = std::map<std::string, json::value>;

/// A feature whose list may change. Used for roots, tools and prompts.
struct list_capability {
  list_capability() = default;
  explicit list_capability(bool tells_changes) : list_changed(tells_changes) {}

  bool list_changed = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_capability>) {
  using t = list_capability;
  return json::fields(json::defaulted("listChanged", &t::list_changed), json::rest(&t::raw));
}

struct resources_capability {
  resources_capability() = default;

  bool subscribe = false;
  bool list_changed = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<resources_capability>) {
  using t = resources_capability;
  return json::fields(json::defaulted("subscribe", &t::subscribe), json::defaulted("listChanged", &t::list_changed),
                      json::rest(&t::raw));
}

struct sampling_capability {
  sampling_capability() = default;

  bool context = false;  ///< includeContext other than "none" is understood.
  bool tools = false;    ///< Requests may offer tools.
  json::value raw;
};
constexpr auto describe(std::type_identity<sampling_capability>) {
  using t = sampling_capability;
  return json::fields(detail::presence("context", &t::context), detail::presence("tools", &t::tools),
                      json::rest(&t::raw));
}

struct elicitation_capability {
  elicitation_capability() = default;

  bool form = false;
  bool url = false;
  json::value raw;

  /// An empty object means form, as in 2025-06-18.
  [[nodiscard]] bool supports_form() const noexcept { return form || !url; }
  [[nodiscard]] bool supports_url() const noexcept { return url; }
};
constexpr auto describe(std::type_identity<elicitation_capability>) {
  using t = elicitation_capability;
  return json::fields(detail::presence("form", &t::form), detail::presence("url", &t::url), json::rest(&t::raw));
}

/// Tasks as 2025-11-25 has them, for either side; `requests` says which requests may become tasks.
struct tasks_capability {
  tasks_capability() = default;

  bool list = false;
  bool cancel = false;
  json::value requests;  ///< As {"tools": {"call": {}}}; null where absent.
  json::value raw;

  /// Whether such a request may become a task: supports("tools", "call"), supports("sampling", "createMessage").
  [[nodiscard]] bool supports(std::string_view area, std::string_view request) const;
};
constexpr auto describe(std::type_identity<tasks_capability>) {
  using t = tasks_capability;
  return json::fields(detail::presence("list", &t::list), detail::presence("cancel", &t::cancel),
                      detail::optional_object("requests", &t::requests), json::rest(&t::raw));
}

/// What a client declares; comcp deduces it from the handler.
struct client_capabilities {
  client_capabilities() = default;

  std::optional<list_capability> roots;
  std::optional<sampling_capability> sampling;
  std::optional<elicitation_capability> elicitation;
  std::optional<tasks_capability> tasks;
  capability_entries experimental;
  capability_entries extensions;
  json::value raw;

  [[nodiscard]] bool supports_elicitation_form() const noexcept { return elicitation && elicitation->supports_form(); }
  [[nodiscard]] bool supports_elicitation_url() const noexcept { return elicitation && elicitation->supports_url(); }
};
constexpr auto describe(std::type_identity<client_capabilities>) {
  using t = client_capabilities;
  return json::fields(json::field("roots", &t::roots), json::field("sampling", &t::sampling),
                      json::field("elicitation", &t::elicitation), json::field("tasks", &t::tasks),
                      json::defaulted("experimental", &t::experimental), json::defaulted("extensions", &t::extensions),
                      json::rest(&t::raw));
}

/// What a server declares.
struct server_capabilities {
  server_capabilities() = default;

  std::optional<list_capability> tools;
  std::optional<list_capability> prompts;
  std::optional<resources_capability> resources;
  json::value logging;      ///< Null where absent.
  json::value completions;  ///< Null where absent.
  std::optional<tasks_capability> tasks;
  capability_entries experimental;
  capability_entries extensions;
  json::value raw;

  /// Whether the server declared it: "tools", "prompts", "resources", "logging", "completions", "tasks", an
  /// extension's or experimental entry's name, or any other key of the object as it came.
  [[nodiscard]] bool supports(std::string_view name) const;
  /// Whether it tells when the list changes: "tools", "prompts" or "resources".
  [[nodiscard]] bool supports_list_changed(std::string_view name) const noexcept;
  /// Whether single resources can be subscribed to.
  [[nodiscard]] bool supports_subscribe() const noexcept { return resources && resources->subscribe; }
};
constexpr auto describe(std::type_identity<server_capabilities>) {
  using t = server_capabilities;
  return json::fields(json::field("tools", &t::tools), json::field("prompts", &t::prompts),
                      json::field("resources", &t::resources), detail::optional_object("logging", &t::logging),
                      detail::optional_object("completions", &t::completions), json::field("tasks", &t::tasks),
                      json::defaulted("experimental", &t::experimental), json::defaulted("extensions", &t::extensions),
                      json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/capabilities.ipp

namespace comcp {

COMCP_DECL bool tasks_capability::supports(std::string_view area, std::string_view request) const {
  auto const found = requests.view().find(area);
  auto const entry = found ? found->find(request) : std::nullopt;
  return entry && !entry->is_null();
}

COMCP_DECL bool server_capabilities::supports(std::string_view name) const {
  if (name == "tools") return tools.has_value();
  if (name == "prompts") return prompts.has_value();
  if (name == "resources") return resources.has_value();
  if (name == "logging") return !logging.is_null();
  if (name == "completions") return !completions.is_null();
  if (name == "tasks") return tasks.has_value();
  if (name == "experimental" || name == "extensions") return false;
  std::string const key(name);
  if (extensions.contains(key) || experimental.contains(key)) return true;
  auto const other = raw.view().find(name);
  return other && !other->is_null();
}

COMCP_DECL bool server_capabilities::supports_list_changed(std::string_view name) const noexcept {
  if (name == "tools") return tools && tools->list_changed;
  if (name == "prompts") return prompts && prompts->list_changed;
  if (name == "resources") return resources && resources->list_changed;
  return false;
}

}  // namespace comcp
#endif

// protocol/lifecycle.hpp
// Protocol versions, who the two sides are, and what initialize and server/discover carry.
// Spec: basic/lifecycle (legacy), 2026-07-28 basic/versioning and server/discover.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

/// Legacy: initialize, sessions, requests from the server. Modern: no handshake, input rounds, listen streams.
enum class era { legacy, modern };

namespace detail {
inline constexpr std::array<std::string_view, 5> version_texts = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                                  "2025-11-25", "2026-07-28"};
}  // namespace detail

/// A protocol version that comcp speaks; ordered by age. Default: the newest.
class protocol_version {
 public:
  constexpr protocol_version() noexcept = default;

  /// The version of this text, if comcp speaks it.
  static constexpr std::optional<protocol_version> parse(std::string_view text) noexcept {
    for (std::size_t i = 0; i < detail::version_texts.size(); ++i) {
      if (detail::version_texts[i] == text) return at(i);
    }
    return {};
  }
  /// The index-th version, the oldest being 0. Precondition: it exists.
  static constexpr protocol_version at(std::size_t index) noexcept {
    protocol_version v;
    v.index_ = static_cast<std::uint8_t>(index);
    return v;
  }

  [[nodiscard]] constexpr std::string_view text() const noexcept { return detail::version_texts[index_]; }
  [[nodiscard]] constexpr comcp::era era() const noexcept {
    return index_ < 4 ? comcp::era::legacy : comcp::era::modern;
  }

  friend constexpr bool operator==(protocol_version, protocol_version) noexcept = default;
  friend constexpr auto operator<=>(protocol_version, protocol_version) noexcept = default;

 private:
  std::uint8_t index_ = 4;
};

namespace version {
inline constexpr auto v2024_11_05 = protocol_version::at(0);
inline constexpr auto v2025_03_26 = protocol_version::at(1);
inline constexpr auto v2025_06_18 = protocol_version::at(2);
inline constexpr auto v2025_11_25 = protocol_version::at(3);
inline constexpr auto v2026_07_28 = protocol_version::at(4);
inline constexpr auto latest_legacy = v2025_11_25;
inline constexpr auto latest = v2026_07_28;
}  // namespace version

/// Every version that comcp speaks, newest first.
constexpr std::array<protocol_version, 5> supported_versions() noexcept {
  return {version::v2026_07_28, version::v2025_11_25, version::v2025_06_18, version::v2025_03_26, version::v2024_11_05};
}

/// Names a client or a server. Self-reported and unverified: to show, never to decide by.
struct implementation {
  implementation() = default;
  implementation(std::string its_name, std::string its_version)
      : name(std::move(its_name)), version(std::move(its_version)) {}

  std::string name;
  std::string version;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> website_url;
  std::vector<icon> icons;
  json::value raw;
};
constexpr auto describe(std::type_identity<implementation>) {
  using t = implementation;
  return json::fields(json::field("name", &t::name), json::field("version", &t::version),
                      json::field("title", &t::title), json::field("description", &t::description),
                      json::field("websiteUrl", &t::website_url), json::defaulted("icons", &t::icons),
                      json::rest(&t::raw));
}

struct initialize_params {
  initialize_params() = default;

  std::string protocol_version;
  client_capabilities capabilities;
  implementation client_info;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<initialize_params>) {
  using t = initialize_params;
  return json::fields(json::field("protocolVersion", &t::protocol_version),
                      json::field("capabilities", &t::capabilities), json::field("clientInfo", &t::client_info),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct initialize_result {
  initialize_result() = default;

  std::string protocol_version;  ///< As the server said it: maybe one that comcp does not speak.
  server_capabilities capabilities;
  implementation server_info;
  std::optional<std::string> instructions;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<initialize_result>) {
  using t = initialize_result;
  return json::fields(json::field("protocolVersion", &t::protocol_version),
                      json::field("capabilities", &t::capabilities), json::field("serverInfo", &t::server_info),
                      json::field("instructions", &t::instructions), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The answer to server/discover. The server's name is in `meta`: see result_meta.
struct discover_result {
  discover_result() = default;

  std::vector<std::string> supported_versions;
  server_capabilities capabilities;
  std::optional<std::string> instructions;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<discover_result>) {
  using t = discover_result;
  return json::fields(json::field("resultType", &t::result_type),
                      json::field("supportedVersions", &t::supported_versions),
                      json::field("capabilities", &t::capabilities), json::field("instructions", &t::instructions),
                      json::field("ttlMs", &t::ttl_ms), json::field("cacheScope", &t::cache_scope),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

namespace comcp::wire {

struct method_rules {
  std::string_view name = {};
  bool in_legacy = true;
  bool in_modern = true;
  protocol_version since = version::v2024_11_05;  ///< Of the legacy era.
  /// What the server would have to declare for it and did not; null where it did.
  char const* (*missing)(server_capabilities const&) = nullptr;
  protocol_version declared_since = version::v2024_11_05;  ///< Before that there was nothing to declare.
  bool wants_sight = false;       ///< A server that was not asked what it can do counts as one that cannot.
  char const* subject = nullptr;  ///< The parameter that says what it is about.
  bool is_mirrored = false;       ///< Modern era, HTTP: the subject is its Mcp-Name.
  bool may_ask = false;           ///< Modern era: its result may be input_required.
};

namespace detail {
inline char const* tools_missing(server_capabilities const& c) { return c.tools ? nullptr : "tools"; }
inline char const* prompts_missing(server_capabilities const& c) { return c.prompts ? nullptr : "prompts"; }
inline char const* resources_missing(server_capabilities const& c) { return c.resources ? nullptr : "resources"; }
inline char const* subscribe_missing(server_capabilities const& c) {
  return !c.resources ? "resources" : c.supports_subscribe() ? nullptr : "resources.subscribe";
}
inline char const* completions_missing(server_capabilities const& c) { return c.completions.is_null() ? "completions" : nullptr; }
inline char const* logging_missing(server_capabilities const& c) { return c.logging.is_null() ? "logging" : nullptr; }
}  // namespace detail

namespace methods {
inline constexpr method_rules
    initialize{.name = "initialize", .in_modern = false},
    ping{.name = "ping", .in_modern = false},
    discover{.name = "server/discover", .in_legacy = false},
    list_tools{.name = "tools/list", .missing = detail::tools_missing},
    call_tool{.name = "tools/call", .missing = detail::tools_missing, .subject = "name", .is_mirrored = true, .may_ask = true},
    list_resources{.name = "resources/list", .missing = detail::resources_missing},
    list_resource_templates{.name = "resources/templates/list", .missing = detail::resources_missing},
    read_resource{.name = "resources/read", .missing = detail::resources_missing, .subject = "uri", .is_mirrored = true, .may_ask = true},
    subscribe{.name = "resources/subscribe", .in_modern = false, .missing = detail::subscribe_missing, .subject = "uri"},
    unsubscribe{.name = "resources/unsubscribe", .in_modern = false, .missing = detail::resources_missing, .subject = "uri"},
    list_prompts{.name = "prompts/list", .missing = detail::prompts_missing},
    get_prompt{.name = "prompts/get", .missing = detail::prompts_missing, .subject = "name", .is_mirrored = true, .may_ask = true},
    complete{.name = "completion/complete", .missing = detail::completions_missing, .declared_since = version::v2025_03_26},
    set_level{.name = "logging/setLevel", .in_modern = false, .missing = detail::logging_missing},
    listen{.name = "subscriptions/listen", .in_legacy = false},
    get_task{.name = "tasks/get", .in_modern = false, .since = version::v2025_11_25},
    task_result{.name = "tasks/result", .in_modern = false, .since = version::v2025_11_25},
    list_tasks{.name = "tasks/list", .in_modern = false, .since = version::v2025_11_25},
    cancel_task{.name = "tasks/cancel", .in_modern = false, .since = version::v2025_11_25},
    // A server's own: no client sends them.
    create_message{.name = "sampling/createMessage", .in_legacy = false, .in_modern = false},
    list_roots{.name = "roots/list", .in_legacy = false, .in_modern = false},
    elicit{.name = "elicitation/create", .in_legacy = false, .in_modern = false},
    vendor{};
}  // namespace methods

/// The name of a method, with what the protocol says of it.
class method {
 public:
  method() noexcept : rules_(&methods::vendor) {}
  /// The rules live as long as the program; an extension has its own.
  method(method_rules const& rules) noexcept : rules_(&rules) {}
  method(std::string_view name);
  method(std::string const& name) : method(std::string_view(name)) {}
  method(char const* name) : method(std::string_view(name)) {}

  [[nodiscard]] std::string_view name() const noexcept { return own_.empty() ? rules_->name : std::string_view(own_); }
  [[nodiscard]] std::string text() const { return std::string(name()); }
  operator std::string_view() const noexcept { return name(); }
  [[nodiscard]] method_rules const& rules() const noexcept { return *rules_; }
  [[nodiscard]] bool is(method_rules const& rules) const noexcept { return rules_ == &rules; }
  [[nodiscard]] bool is_vendors() const noexcept { return rules_ == &methods::vendor; }

 private:
  method_rules const* rules_;
  std::string own_;  // a vendor's
};

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// wire/impl/method.ipp
#include <array>

namespace comcp::wire {

COMCP_DECL method::method(std::string_view name) : rules_(&methods::vendor) {
  using namespace methods;
  static constexpr std::array all = {
      &initialize, &ping, &discover, &list_tools, &call_tool, &list_resources, &list_resource_templates, &read_resource,
      &subscribe, &unsubscribe, &list_prompts, &get_prompt, &complete, &set_level, &listen, &get_task, &task_result,
      &list_tasks, &cancel_task, &create_message, &list_roots, &elicit};
  for (auto const* const each : all) {
    if (each->name != name) continue;
    rules_ = each;
    return;
  }
  own_ = name;
}

}  // namespace comcp::wire
#endif

namespace comcp::detail {

using reply = result<json::value>;

struct pending_entry;

/// What an operation prepared: it owns everything, so that it can be started later and elsewhere.
struct prepared_call {
  prepared_call(wire::method m, std::string p, call_options o) : method(std::move(m)), params(std::move(p)), options(std::move(o)) {}

  wire::method method;
  std::string params;    // an object's text, or empty
  call_options options;
  error unusable;        // what is wrong with it from the start; the call ends with it
  bool repeatable = false;  // lists and reads: may be sent again after a broken connection
  bool internal = false;    // handshake, keep-alive: no capability check, no interceptors, no limit
  bool outdated = false;    // it was answered by what a change or its age had made stale
  waiter_room* room = nullptr;  // in the frame of who waits for all of it
  bool counted = false;     // its interceptors' entry has its place under limits().pending_calls()
  mutable std::chrono::steady_clock::time_point started{};  // when the first round trip began
  mutable call_outcome outcome = call_outcome::not_sent;    // of its attempts so far, as the table of calls knows them
  mutable bool sent_modern = false;  // it went out last in the modern era's way
};

/// What is known of a call that ended between its attempts, or before the first.
[[nodiscard]] inline error judged(prepared_call const& c, error why) {
  if (why.states_outcome()) return why;
  return why.with_outcome(c.outcome == call_outcome::not_sent ? c.outcome : std::max(c.outcome, why.outcome()));
}

/// The table of pending calls, for those that are in it.
class call_table {
 public:
  /// Whoever waits for it goes away before its end. The server is told of a request that it works on.
  virtual void withdraw(pending_entry& e) noexcept = 0;

 protected:
  ~call_table() = default;
};

/// One entry of the table of pending calls: a request on the wire, or a wait of our own. Lives in the frame of
/// the coroutine that waits, or with what several share, and leaves the table with it at the latest.
struct pending_entry {
  /// What ends it at the latest: the loss of the connection, that of the client, or nothing before all else has ended.
  enum class span : unsigned char { connection, client, last };

  pending_entry() = default;
  explicit pending_entry(span s) noexcept : lasts(s) {}
  pending_entry(pending_entry const&) = delete;
  pending_entry& operator=(pending_entry const&) = delete;
  ~pending_entry() {
    if (id) leave();
  }
  /// Out of the table without an end.
  void leave() noexcept { table->withdraw(*this); }

  request_id id = 0;
  call_table* table = nullptr;  // while `id` is not 0
  waiter_room room;             // for `waiting`
  waiter<reply> waiting;
  std::function<void(reply)> on_end;    // instead of a waiting coroutine
  reply (*told)(pending_entry& e, reply&& r) = nullptr;  // what its end is for who waits, where that is not its end itself
  prepared_call const* call = nullptr;  // null: a wait of our own
  bool sent = false;
  bool handshake = false;
  bool by_id = false;  // who waits is cancelled by calls::cancel() alone
  bool open_ended = false;  // its end is the server's
  bool renewed = false;  // it waited for a new session once
  span lasts = span::connection;
  std::unique_ptr<std::stop_callback<std::function<void()>>> stop;
};

}  // namespace comcp::detail

// client/observer.hpp
// What a user may watch: the status of a connection, and the faults that end nothing.

#include <functional>
#include <string>
#include <string_view>

namespace comcp {

/// Where a connection stands.
enum class connection_status { disconnected, connecting, initializing, ready, closing };

inline std::string_view to_string(connection_status s) noexcept {
  switch (s) {
    case connection_status::disconnected: return "disconnected";
    case connection_status::connecting: return "connecting";
    case connection_status::initializing: return "initializing";
    case connection_status::ready: return "ready";
    case connection_status::closing: return "closing";
  }
  return "?";
}

/// Listeners, all optional, called on the client's executor, never while another handler of it runs. An
/// exception that leaves one ends nothing and is dropped.
struct observer {
  observer() {}
  /// A fault that lost nothing but itself: a bad line, an unknown id, a dropped notification, a handler's exception.
  std::function<void(error const&)> on_fault;
  std::function<void(connection_status)> on_status;
};

}  // namespace comcp

// client/server_snapshot.hpp
// What is known of a server at one moment, published for any thread. Internal.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

// sansio/handshake.hpp
// Which era, which version: decides what to send next until a connection is ready or has failed. Sending,
// timing and decoding are the caller's. Specification: 2026-07-28, basic/versioning and basic/transports/stdio.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace comcp {

/// What a connection learned about its server's era; may be kept and given to connect_options::prior().
struct era_verdict {
  era_verdict() = default;
  comcp::era era = comcp::era::legacy;
  std::vector<protocol_version> versions;               ///< Modern: those that the server supports.
  std::chrono::system_clock::time_point date{};         ///< When it was learned; legacy ones expire.
  std::string authorization;                            ///< The context that it was learned in.
  std::optional<discover_result> discovered;            ///< Modern: what server/discover said.
};

namespace sansio {

inline constexpr auto all_versions = supported_versions();

enum class handshake_mode { automatic, legacy, pinned };

struct handshake_options {
  handshake_options() = default;
  handshake_mode mode = handshake_mode::automatic;
  std::vector<protocol_version> allowed{std::begin(all_versions), std::end(all_versions)};
  std::optional<era_verdict> prior;
  std::chrono::hours legacy_verdict_age{24};  ///< A saved legacy verdict older than this is not believed.
  bool over_http = false;  ///< Then the status of an answer counts, and silence is no verdict.
};

/// What to do next.
struct handshake_step {
  enum class action {
    wait,             ///< Nothing; an answer is still to come.
    discover,         ///< Send server/discover in `version`.
    initialize,       ///< Send initialize in `version`. The probe, if one was sent, stays live.
    reopen,           ///< Open the transport anew, then ask reopened().
    ready,            ///< Done: `version` holds. In the legacy era notifications/initialized goes out first.
    fail,             ///< Over: `why`.
  };
  action what = action::wait;
  std::optional<protocol_version> version;
  error why;
};

/// One handshake. Feed it what happened; each event returns the next step.
class handshake {
 public:
  handshake(handshake_options options, std::chrono::system_clock::time_point now);

  handshake_step start();
  /// An answer to server/discover: the versions that it names.
  handshake_step discovered(std::vector<std::string> const& versions);
  handshake_step discover_failed(error const& e);
  /// Silence past the probe timeout. Where there is no other era to try, the caller's handshake timeout ends it.
  handshake_step probe_timed_out();
  /// An answer to initialize: its protocolVersion, empty when missing.
  handshake_step initialized(std::string const& version);
  handshake_step initialize_failed(error const& e);
  /// The channel closed before an end was reached.
  handshake_step closed(error const& reason);
  handshake_step reopened();

  /// Whether the verdict came from `prior` and nothing was asked.
  [[nodiscard]] bool from_prior() const noexcept { return from_prior_; }

 private:
  enum class state { idle, probing, initializing, reopening, done };

  handshake_step discover(protocol_version v);
  handshake_step initialize();
  handshake_step ready(protocol_version v);
  handshake_step fail(error e);
  handshake_step modern(std::vector<std::string> const& offered, bool answered);
  handshake_step no_common(std::vector<std::string> const& offered);
  [[nodiscard]] std::optional<protocol_version> newest(era e) const;
  [[nodiscard]] std::optional<protocol_version> common(std::vector<std::string> const& offered, era e) const;

  handshake_options options_;
  std::chrono::system_clock::time_point now_;
  state state_ = state::idle;
  std::optional<error> refused_;  // how the server answered server/discover, before initialize was tried
  bool probed_ = false;       // a probe was sent on this channel
  bool reprobed_ = false;     // one -32022 was followed
  bool turned_ = false;       // an initialize error turned the verdict round
  bool reopened_ = false;
  bool from_prior_ = false;
};

/// The versions that a modern error names, when `e` is one that only a modern server sends; nothing else counts as
/// modern. Empty but present: modern, without a list.
std::optional<std::vector<std::string>> modern_versions(error const& e);

/// Whether an HTTP server of the legacy era may have answered a modern request so: a 4xx that is not about credentials,
/// time or load, or an error in a success; nothing that modern_versions() knows.
bool is_legacy_refusal(error const& e);

/// The text of an errc::no_common_version, which names both lists.
std::string no_common_text(std::vector<std::string> const& offered, std::vector<protocol_version> const& allowed);

}  // namespace sansio
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// sansio/impl/handshake.ipp
#include <algorithm>
#include <array>

namespace comcp::sansio {
namespace detail {

COMCP_DECL std::string joined(std::vector<std::string> const& list) {
  std::string out;
  for (auto const& s : list) out.append(out.empty() ? "" : ", ").append(s);
  return out.empty() ? std::string("none") : out;
}

COMCP_DECL std::string joined(std::vector<protocol_version> const& list) {
  std::vector<std::string> texts;
  for (auto const& v : list) texts.emplace_back(v.text());
  return joined(texts);
}

COMCP_DECL std::vector<std::string> strings_at(json::view data, std::string_view key) {
  std::vector<std::string> out;
  if (auto const list = data.find(key)) {
    for (auto const e : list->elements()) {
      if (auto const s = e.get_string()) out.emplace_back(*s);
    }
  }
  return out;
}

}  // namespace detail

COMCP_DECL std::optional<std::vector<std::string>> modern_versions(error const& e) {
  auto const* peer = e.peer();
  if (!peer) return {};
  auto const parsed = json::parse(peer->data);
  auto const data = parsed ? parsed->view() : json::view();
  auto supported = detail::strings_at(data, "supported");
  bool const capabilities = data.find("requiredCapabilities").has_value();
  switch (peer->code) {
    case -32022:
      if (!supported.empty()) return supported;
      return {};
    case -32020: return std::vector<std::string>();
    case -32021:
      if (capabilities) return std::vector<std::string>();
      return {};
    case -32003:  // the drafts' numbers, believed only with modern data
    case -32004:
      if (!supported.empty() || capabilities) return supported;
      return {};
    default: return {};
  }
}

COMCP_DECL bool is_legacy_refusal(error const& e) {
  if (modern_versions(e)) return false;
  auto const status = e.detail() ? e.detail()->http_status : std::nullopt;
  if (!status || *status < 300) return e.peer() != nullptr;
  if (*status < 400 || *status >= 500) return false;
  static constexpr std::array<int, 5> says_nothing{401, 403, 407, 408, 429};
  return std::find(says_nothing.begin(), says_nothing.end(), *status) == says_nothing.end();
}

COMCP_DECL std::string no_common_text(std::vector<std::string> const& offered,
                                      std::vector<protocol_version> const& allowed) {
  return "the server supports " + detail::joined(offered) + "; allowed here: " + detail::joined(allowed);
}

COMCP_DECL handshake::handshake(handshake_options options, std::chrono::system_clock::time_point now)
    : options_(std::move(options)), now_(now) {
  std::sort(options_.allowed.begin(), options_.allowed.end(), std::greater<>());
}

COMCP_DECL std::optional<protocol_version> handshake::newest(era e) const {
  auto const found = std::find_if(options_.allowed.begin(), options_.allowed.end(),
                                  [e](protocol_version const& v) { return v.era() == e; });
  return found == options_.allowed.end() ? std::nullopt : std::optional(*found);
}

COMCP_DECL std::optional<protocol_version> handshake::common(std::vector<std::string> const& offered, era e) const {
  for (auto const& v : options_.allowed) {
    if (v.era() == e && std::find(offered.begin(), offered.end(), v.text()) != offered.end()) return v;
  }
  return {};
}

COMCP_DECL handshake_step handshake::discover(protocol_version v) {
  state_ = state::probing;
  probed_ = true;
  return {handshake_step::action::discover, v, {}};
}

COMCP_DECL handshake_step handshake::initialize() {
  auto const v = newest(era::legacy);
  if (!v)
    return fail({errc::no_common_version, "the server speaks only versions before 2026-07-28; allowed here: " +
                                              detail::joined(options_.allowed)});
  state_ = state::initializing;
  return {handshake_step::action::initialize, v, {}};
}

COMCP_DECL handshake_step handshake::ready(protocol_version v) {
  state_ = state::done;
  return {handshake_step::action::ready, v, {}};
}

COMCP_DECL handshake_step handshake::fail(error e) {
  state_ = state::done;
  return {handshake_step::action::fail, {}, std::move(e)};
}

COMCP_DECL handshake_step handshake::no_common(std::vector<std::string> const& offered) {
  return fail({errc::no_common_version, no_common_text(offered, options_.allowed)});
}

COMCP_DECL handshake_step handshake::start() {
  bool const may_probe = options_.mode != handshake_mode::legacy && newest(era::modern);
  if (options_.allowed.empty()) return fail({errc::invalid_argument, "no protocol version is allowed"});
  if (auto const& prior = options_.prior; prior && may_probe) {
    if (prior->era == era::modern) {
      std::vector<std::string> offered;
      for (auto const& v : prior->versions) offered.emplace_back(v.text());
      auto const v = common(offered, era::modern);
      if (!v) return no_common(offered);
      from_prior_ = true;
      return ready(*v);
    }
    if (now_ - prior->date < options_.legacy_verdict_age && newest(era::legacy)) {
      from_prior_ = true;
      return initialize();
    }
  }
  return may_probe ? discover(*newest(era::modern)) : initialize();
}

// The server is modern: go on with a version that both have.
COMCP_DECL handshake_step handshake::modern(std::vector<std::string> const& offered, bool answered) {
  if (auto const v = common(offered, era::modern)) {
    if (answered) return ready(*v);
    if (reprobed_) return no_common(offered);
    reprobed_ = true;
    return discover(*v);
  }
  if (common(offered, era::legacy) && options_.mode == handshake_mode::automatic) return initialize();
  return no_common(offered);
}

COMCP_DECL handshake_step handshake::discovered(std::vector<std::string> const& versions) {
  // Also a late one, while initialize is under way: it decides for modern.
  if (state_ != state::probing && state_ != state::initializing) return {};
  return modern(versions, true);
}

COMCP_DECL handshake_step handshake::discover_failed(error const& e) {
  if (state_ != state::probing) return {};
  if (auto const versions = modern_versions(e)) {
    if (versions->empty()) return fail(e);
    return modern(*versions, false);
  }
  // Else there was no answer of the server at all, or none that says anything about its era.
  if (options_.over_http ? !is_legacy_refusal(e) : !e.peer()) return fail(e);
  if (options_.mode == handshake_mode::pinned || !newest(era::legacy)) {
    return fail(e.with_code(make_error_code(errc::no_common_version))
                    .with_message("the server does not speak " + detail::joined(options_.allowed) +
                                  ": it refused server/discover"));
  }
  if (turned_ && refused_) return fail(*refused_);
  if (!turned_) refused_ = e.with_message("server/discover failed, and initialize is refused too");
  return initialize();
}

COMCP_DECL handshake_step handshake::probe_timed_out() {
  bool const known = options_.mode == handshake_mode::pinned || reprobed_ || turned_;
  bool const alternative = !known && newest(era::legacy);
  if (state_ != state::probing || options_.over_http || !alternative) return {};
  return initialize();
}

COMCP_DECL handshake_step handshake::initialized(std::string const& version) {
  if (state_ != state::initializing) return {};
  if (auto const v = common({version}, era::legacy)) return ready(*v);
  return no_common({version.empty() ? std::string("no version named") : version});
}

COMCP_DECL handshake_step handshake::initialize_failed(error const& e) {
  if (state_ != state::initializing) return {};
  if (auto const versions = modern_versions(e)) {
    auto const v = common(*versions, era::modern);
    if (v && !turned_ && options_.mode == handshake_mode::automatic) {
      turned_ = true;
      return discover(*v);
    }
    if (v && refused_) return fail(*refused_);
    if (!versions->empty()) return no_common(*versions);
  }
  if (refused_ && e.peer() && e.peer()->code == -32022) return fail(*refused_);
  bool const refused = e.peer() || (options_.over_http && is_legacy_refusal(e));
  if (from_prior_ && refused && newest(era::modern)) {  // the saved verdict failed: ask
    from_prior_ = false;
    return discover(*newest(era::modern));
  }
  return fail(e);
}

COMCP_DECL handshake_step handshake::closed(error const& reason) {
  bool const may_be_the_probe = probed_ && !reopened_ && options_.mode == handshake_mode::automatic &&
                                newest(era::legacy) && !reprobed_ && !turned_;
  if ((state_ == state::probing || state_ == state::initializing) && may_be_the_probe) {
    reopened_ = true;
    state_ = state::reopening;
    return {handshake_step::action::reopen, {}, {}};
  }
  return state_ == state::done ? handshake_step() : fail(reason);
}

COMCP_DECL handshake_step handshake::reopened() {
  probed_ = false;
  return initialize();
}

}  // namespace comcp::sansio
#endif

namespace comcp::detail {

/// What the server said of itself.
struct server_profile {
  implementation info;
  server_capabilities capabilities;
  std::string instructions;
};

struct server_snapshot : server_profile {
  std::optional<protocol_version> version;
  era_verdict verdict;
  std::optional<saved_session> session;
};

/// The newest one. Written on home, read anywhere.
class published_server {
 public:
  [[nodiscard]] std::shared_ptr<server_snapshot const> get() const {
    std::lock_guard const lock(mutex_);
    return newest_;
  }
  void set(std::shared_ptr<server_snapshot const> s) noexcept {
    std::lock_guard const lock(mutex_);
    newest_.swap(s);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<server_snapshot const> newest_ = std::make_shared<server_snapshot const>();
};

}  // namespace comcp::detail

// client/statistics.hpp
// What a client counts.

#include <chrono>
#include <cstdint>

namespace comcp {

/// A snapshot of one client's counters since connect. At every moment tracked is pending + completed + failed +
/// timed_out + cancelled; the handshake is in none of them.
struct statistics {
  std::uint64_t pending = 0;                       ///< Calls that wait now.
  std::chrono::nanoseconds oldest_pending{0};      ///< The age of the oldest of them.
  std::uint64_t tracked = 0;                       ///< Requests sent or waiting to be.
  std::uint64_t completed = 0;                     ///< Ended with a result.
  std::uint64_t failed = 0;                        ///< Ended with an error other than the next two.
  std::uint64_t timed_out = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t late = 0;                          ///< Answers to calls that had ended, dropped.
  std::uint64_t unknown = 0;                       ///< Answers to ids never used, dropped.
  std::uint64_t dropped = 0;                       ///< Notifications and requests dropped at a bound or by the era.
  std::uint64_t bad_messages = 0;                  ///< Lines that were no usable message, in all.
  std::uint64_t notifications = 0;                 ///< Notifications received.
  std::uint64_t requests = 0;                      ///< Requests of the server received.
  std::uint64_t messages_in = 0, messages_out = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::uint64_t reconnects = 0;
  std::uint64_t renewals = 0;                      ///< HTTP sessions that were lost and begun anew.

  // With connect_options().cache(). Calls that were answered without a request of their own are not among `tracked`.
  std::uint64_t cache_hits = 0;                    ///< Answered by a fresh result.
  std::uint64_t cache_misses = 0;                  ///< Looked for, and not there or stale.
  std::uint64_t cache_stores = 0;                  ///< Results stored.
  std::uint64_t cache_invalidations = 0;           ///< Changes that ended the use of stored results.
  std::uint64_t cache_stale = 0;                   ///< Answered by a stale result in place of an error.
  std::uint64_t coalesced = 0;                     ///< Waited for a request that was under way already.
};

}  // namespace comcp

// protocol/notifications.hpp
// What a handler's on(...) may take: one type for each notification, and any_notification for the rest.

#include <string>
#include <utility>

// protocol/elicitation.hpp
// Elicitation: a server asks the user, by a form or by sending them to a page. Spec: client/elicitation.

#include <optional>
#include <string>
#include <utility>
#include <vector>

// protocol/elicitation_schema.hpp
// The small schemas of a form: one for each kind of field. Spec: client/elicitation (requested schema).

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace comcp {

struct string_schema {
  string_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> max_length;
  std::optional<std::string> format;  ///< "email", "uri", "date" or "date-time".
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<string_schema>) {
  using t = string_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("minLength", &t::min_length),
                      json::field("maxLength", &t::max_length), json::field("format", &t::format),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

enum class number_kind { number, integer };
constexpr auto texts(std::type_identity<number_kind>) { return std::array<std::string_view, 2>{"number", "integer"}; }

struct number_schema {
  number_schema() = default;

  number_kind type = number_kind::number;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<double> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<number_schema>) {
  using t = number_schema;
  return json::fields(json::field("type", &t::type), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("minimum", &t::minimum),
                      json::field("maximum", &t::maximum), json::field("default", &t::default_value),
                      json::rest(&t::raw));
}

struct boolean_schema {
  boolean_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<bool> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<boolean_schema>) {
  using t = boolean_schema;
  return json::fields(json::tag("type", "boolean"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("default", &t::default_value),
                      json::rest(&t::raw));
}

/// One choice with the title to show for it.
struct titled_option {
  titled_option() = default;

  std::string value;
  std::string title;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_option>) {
  using t = titled_option;
  return json::fields(json::field("const", &t::value), json::field("title", &t::title), json::rest(&t::raw));
}

/// One of several values. 2025-06-18's EnumSchema is untitled, or legacy_titled where it has enumNames.
struct untitled_single_select_enum_schema {
  untitled_single_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<std::string> values;
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<untitled_single_select_enum_schema>) {
  using t = untitled_single_select_enum_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("enum", &t::values),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

struct titled_single_select_enum_schema {
  titled_single_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<titled_option> options;
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_single_select_enum_schema>) {
  using t = titled_single_select_enum_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("oneOf", &t::options),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

struct legacy_titled_enum_schema {
  legacy_titled_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<std::string> values;
  std::vector<std::string> names;  ///< What to show, in the order of `values`.
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<legacy_titled_enum_schema>) {
  using t = legacy_titled_enum_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("enum", &t::values),
                      json::defaulted("enumNames", &t::names), json::field("default", &t::default_value),
                      json::rest(&t::raw));
}

/// The choices of an untitled multiple selection.
struct untitled_items {
  untitled_items() = default;

  std::vector<std::string> values;
  json::value raw;
};
constexpr auto describe(std::type_identity<untitled_items>) {
  using t = untitled_items;
  return json::fields(json::tag("type", "string"), json::field("enum", &t::values), json::rest(&t::raw));
}

/// The choices of a titled multiple selection.
struct titled_items {
  titled_items() = default;

  std::vector<titled_option> options;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_items>) {
  return json::fields(json::field("anyOf", &titled_items::options), json::rest(&titled_items::raw));
}

/// Several of several values.
struct untitled_multi_select_enum_schema {
  untitled_multi_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  untitled_items items;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  std::optional<std::vector<std::string>> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<untitled_multi_select_enum_schema>) {
  using t = untitled_multi_select_enum_schema;
  return json::fields(json::tag("type", "array"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("items", &t::items),
                      json::field("minItems", &t::min_items), json::field("maxItems", &t::max_items),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

struct titled_multi_select_enum_schema {
  titled_multi_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  titled_items items;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  std::optional<std::vector<std::string>> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_multi_select_enum_schema>) {
  using t = titled_multi_select_enum_schema;
  return json::fields(json::tag("type", "array"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("items", &t::items),
                      json::field("minItems", &t::min_items), json::field("maxItems", &t::max_items),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

/// A field of a kind that comcp does not know.
struct unknown_schema {
  unknown_schema() = default;

  json::value raw;
};
constexpr auto describe(std::type_identity<unknown_schema>) { return json::fields(json::rest(&unknown_schema::raw)); }

/// What one field of a form may hold.
using primitive_schema_definition =
    std::variant<string_schema, number_schema, boolean_schema, untitled_single_select_enum_schema,
                 titled_single_select_enum_schema, legacy_titled_enum_schema, untitled_multi_select_enum_schema,
                 titled_multi_select_enum_schema, unknown_schema>;

template <>
struct json::codec<primitive_schema_definition> {
  static bool read(view v, primitive_schema_definition& out, read_error& e);
  static void write(writer& w, primitive_schema_definition const& from) {
    std::visit([&](auto const& schema) { json::write(w, schema); }, from);
  }
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/elicitation_schema.ipp

namespace comcp {

COMCP_DECL bool json::codec<primitive_schema_definition>::read(view v, primitive_schema_definition& out,
                                                               read_error& e) {
  if (!v.is_object()) return e.expected(v, "object");
  auto const as = [&]<class Kind>(std::type_identity<Kind>) { return codec<Kind>::read(v, out.emplace<Kind>(), e); };
  auto const found = v.find("type");
  auto const type = found ? found->get_string().value_or("") : std::string_view();
  if (type == "string") {
    if (v.find("oneOf")) return as(std::type_identity<titled_single_select_enum_schema>{});
    if (v.find("enumNames")) return as(std::type_identity<legacy_titled_enum_schema>{});
    if (v.find("enum")) return as(std::type_identity<untitled_single_select_enum_schema>{});
    return as(std::type_identity<string_schema>{});
  }
  if (type == "number" || type == "integer") return as(std::type_identity<number_schema>{});
  if (type == "boolean") return as(std::type_identity<boolean_schema>{});
  if (type == "array") {
    auto const items = v.find("items");
    if (items && items->find("anyOf")) return as(std::type_identity<titled_multi_select_enum_schema>{});
    return as(std::type_identity<untitled_multi_select_enum_schema>{});
  }
  return as(std::type_identity<unknown_schema>{});
}

}  // namespace comcp
#endif

namespace comcp {

enum class elicit_mode { form, url };
constexpr auto texts(std::type_identity<elicit_mode>) { return std::array<std::string_view, 2>{"form", "url"}; }

/// One field of a form, in the order in which the server wrote it.
struct form_field {
  form_field() = default;

  std::string name;
  bool required = false;
  primitive_schema_definition schema;
};

/// The question: a form (message, requested_schema), or a page to visit (message, url and, in 2025-11-25, its id).
struct elicit_params {
  elicit_params() = default;

  elicit_mode mode = elicit_mode::form;
  std::string message;
  json::value requested_schema;  ///< Form: a JSON Schema of a flat object; null where absent.
  std::optional<std::string> elicitation_id;
  std::optional<std::string> url;  ///< Url mode. Never open it without the user's consent to the whole address.
  std::optional<task_metadata> task;
  json::value meta;
  json::value raw;

  /// The fields of the form. Errors: wrong_shape, with the place.
  [[nodiscard]] result<std::vector<form_field>> fields() const;
};
constexpr auto describe(std::type_identity<elicit_params>) {
  using t = elicit_params;
  return json::fields(json::defaulted("mode", &t::mode), json::field("message", &t::message),
                      detail::optional_object("requestedSchema", &t::requested_schema),
                      json::field("elicitationId", &t::elicitation_id), json::field("url", &t::url),
                      json::field("task", &t::task), detail::meta_of(&t::meta), json::rest(&t::raw));
}

enum class elicit_action { accept, decline, cancel };
constexpr auto texts(std::type_identity<elicit_action>) {
  return std::array<std::string_view, 3>{"accept", "decline", "cancel"};
}

/// The user's answer. Make one with accept(), decline() or cancel().
struct elicit_result {
  elicit_result() = default;  ///< Cancelled.

  /// Url mode: the user went to the page.
  static elicit_result accept() { return elicit_result(elicit_action::accept, {}); }
  /// Form mode: the content, an object of strings, numbers, booleans and lists of strings; anything that writes as
  /// one: args("name", value, ...), a described type, a json::value.
  template <json::writable Content>
  static elicit_result accept(Content const& content) {
    return elicit_result(elicit_action::accept, json::to_value(content));
  }
  static elicit_result decline() { return elicit_result(elicit_action::decline, {}); }
  static elicit_result cancel() { return elicit_result(elicit_action::cancel, {}); }

  elicit_action action = elicit_action::cancel;
  json::value content;  ///< Null where absent.
  json::value meta;
  json::value raw;

 private:
  elicit_result(elicit_action what, json::value with) : action(what), content(std::move(with)) {}
};
constexpr auto describe(std::type_identity<elicit_result>) {
  using t = elicit_result;
  return json::fields(json::field("action", &t::action), detail::optional_object("content", &t::content),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// notifications/elicitation/complete (2025-11-25): the user finished on the page.
struct elicitation_complete {
  elicitation_complete() = default;
  explicit elicitation_complete(std::string id) : elicitation_id(std::move(id)) {}

  std::string elicitation_id;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<elicitation_complete>) {
  using t = elicitation_complete;
  return json::fields(json::field("elicitationId", &t::elicitation_id), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The data of error -32042 (2025-11-25): what the user must do before the request can succeed.
struct url_elicitation_required_data {
  url_elicitation_required_data() = default;

  std::vector<elicit_params> elicitations;
  json::value raw;
};
constexpr auto describe(std::type_identity<url_elicitation_required_data>) {
  using t = url_elicitation_required_data;
  return json::fields(json::field("elicitations", &t::elicitations), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/elicitation.ipp
#include <set>
#include <string_view>

namespace comcp {

COMCP_DECL result<std::vector<form_field>> elicit_params::fields() const {
  std::vector<form_field> all;
  auto const schema = requested_schema.view();
  auto const properties = schema.find("properties");
  if (!properties) return all;
  std::set<std::string_view> required;
  if (auto const names = schema.find("required")) {
    for (auto const name : names->elements()) {
      if (auto const text = name.get_string()) required.insert(*text);
    }
  }
  for (auto const property : properties->members()) {
    auto definition = json::read<primitive_schema_definition>(property.value);
    if (!definition) return definition.error();
    auto& field = all.emplace_back();
    field.name = property.key;
    field.schema = *std::move(definition);
    field.required = required.contains(property.key);
  }
  return all;
}

}  // namespace comcp
#endif

// protocol/resources.hpp
// Resources, their templates and their contents. Spec: server/resources.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

struct resource {
  resource() = default;
  resource(std::string address, std::string its_name) : uri(std::move(address)), name(std::move(its_name)) {}

  std::string uri;
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<std::int64_t> size;  ///< Bytes, before any encoding.
  std::optional<comcp::annotations> annotations;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resource>) {
  using t = resource;
  return json::fields(json::field("uri", &t::uri), json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("mimeType", &t::mime_type),
                      json::field("size", &t::size), json::field("annotations", &t::annotations),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Many resources under one pattern (RFC 6570).
struct resource_template {
  resource_template() = default;
  resource_template(std::string pattern, std::string its_name)
      : uri_template(std::move(pattern)), name(std::move(its_name)) {}

  std::string uri_template;
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<comcp::annotations> annotations;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;

  /// The uri for these variables, an object: args("topic", "birds"). Errors: invalid_argument.
  [[nodiscard]] result<std::string> expand(json::fragment const& variables) const;
};
constexpr auto describe(std::type_identity<resource_template>) {
  using t = resource_template;
  return json::fields(json::field("uriTemplate", &t::uri_template), json::field("name", &t::name),
                      json::field("title", &t::title), json::field("description", &t::description),
                      json::field("mimeType", &t::mime_type), json::field("annotations", &t::annotations),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_resources_result {
  list_resources_result() = default;

  std::vector<resource> resources;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_resources_result>) {
  using t = list_resources_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("resources", &t::resources),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_resource_templates_result {
  list_resource_templates_result() = default;

  std::vector<resource_template> resource_templates;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_resource_templates_result>) {
  using t = list_resource_templates_result;
  return json::fields(json::field("resultType", &t::result_type),
                      detail::definitions("resourceTemplates", &t::resource_templates),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct read_resource_params {
  read_resource_params() = default;
  explicit read_resource_params(std::string address) : uri(std::move(address)) {}

  std::string uri;
  std::optional<comcp::input_responses> input_responses;
  std::optional<std::string> request_state;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<read_resource_params>) {
  using t = read_resource_params;
  return json::fields(json::field("uri", &t::uri), json::field("inputResponses", &t::input_responses),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct read_resource_result {
  read_resource_result() = default;
  read_resource_result(std::vector<resource_contents> all) : contents(std::move(all)) {}

  std::vector<resource_contents> contents;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  /// The texts among the contents, a newline between them.
  [[nodiscard]] std::string text() const&;
  [[nodiscard]] std::string text() &&;
};
constexpr auto describe(std::type_identity<read_resource_result>) {
  using t = read_resource_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("contents", &t::contents),
                      json::field("ttlMs", &t::ttl_ms), json::field("cacheScope", &t::cache_scope),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The parameters of resources/subscribe and resources/unsubscribe (legacy).
struct subscribe_params {
  subscribe_params() = default;
  explicit subscribe_params(std::string address) : uri(std::move(address)) {}

  std::string uri;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<subscribe_params>) {
  using t = subscribe_params;
  return json::fields(json::field("uri", &t::uri), detail::meta_of(&t::meta), json::rest(&t::raw));
}
using unsubscribe_params = subscribe_params;

/// notifications/resources/updated. The uri may be that of a part of what was subscribed to.
struct resource_updated {
  resource_updated() = default;
  explicit resource_updated(std::string address) : uri(std::move(address)) {}

  std::string uri;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resource_updated>) {
  using t = resource_updated;
  return json::fields(json::field("uri", &t::uri), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

// protocol/uri_template.hpp
// URI templates (RFC 6570, all four levels): what resource templates are made of. Parsing finds every fault of
// the template; expanding finds values that do not fit it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace comcp {

/// A parsed template. Immutable after parsing; safe to use from any thread.
class uri_template {
 public:
  /// Errors: invalid_argument, with the offset of the fault. Literal characters that no URI may hold (a space,
  /// say) are percent-encoded rather than refused.
  static result<uri_template> parse(std::string_view text);

  /// The names of the variables, each once, in the order of their first use.
  [[nodiscard]] std::vector<std::string> const& variables() const noexcept { return variables_; }
  [[nodiscard]] std::string const& text() const noexcept { return text_; }

  /// The URI for these variables: an object whose members are strings, numbers, booleans, arrays or objects of
  /// such. Absent and null members are undefined and leave no trace. Members that the template does not name are
  /// ignored. Errors: invalid_argument (not an object, nested too deep, a prefix of a list or object).
  [[nodiscard]] result<std::string> expand(json::view variables) const;
  [[nodiscard]] result<std::string> expand(json::value const& variables) const { return expand(variables.view()); }
  /// expand(args("id", 7)), or any described struct. An absent fragment has no variables.
  [[nodiscard]] result<std::string> expand(json::fragment const& variables) const;

 private:
  struct variable {
    std::string name;
    std::size_t prefix = 0;  // characters to keep; 0 is all
    bool explode = false;
  };
  struct part {  // literal text where `variables` is empty
    std::string literal;
    char op = 0;
    std::vector<variable> variables;
  };
  struct operators;

  result<void> parse_expression(std::string_view text, std::size_t offset);
  static result<void> expand_part(part const& p, json::view variables, std::string& out);

  std::string text_;
  std::vector<part> parts_;
  std::vector<std::string> variables_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/uri_template.ipp
#include <algorithm>
#include <optional>

namespace comcp {

// How each operator joins and encodes: RFC 6570, appendix A.
struct uri_template::operators {
  char op;
  char const* first;
  char separator;
  bool named;
  char const* if_empty;
  bool reserved;

  static operators const& of(char op) noexcept {
    static constexpr operators table[] = {
        {0, "", ',', false, "", false},    {'+', "", ',', false, "", true},   {'#', "#", ',', false, "", true},
        {'.', ".", '.', false, "", false}, {'/', "/", '/', false, "", false}, {';', ";", ';', true, "", false},
        {'?', "?", '&', true, "=", false}, {'&', "&", '&', true, "=", false},
    };
    return *std::find_if(std::begin(table), std::end(table) - 1, [op](auto const& o) { return o.op == op; });
  }
};

namespace uri_detail {

inline bool is_hex(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool is_alnum(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool is_unreserved(char c) noexcept { return is_alnum(c) || (c && std::string_view("-._~").find(c) < 4); }
inline bool is_reserved(char c) noexcept { return c && std::string_view(":/?#[]@!$&'()*+,;=").find(c) < 18; }
inline bool is_triplet(std::string_view s, std::size_t i) noexcept {
  return s[i] == '%' && i + 2 < s.size() && is_hex(s[i + 1]) && is_hex(s[i + 2]);
}

/// Appends `s`, percent-encoded; with `reserved`, reserved characters and percent triplets stay as they are.
COMCP_DECL void encode(std::string& out, std::string_view s, bool reserved) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    auto const c = s[i];
    if (is_unreserved(c) || (reserved && (is_reserved(c) || is_triplet(s, i)))) {
      out += c;
    } else {
      auto const byte = static_cast<unsigned char>(c);
      out += '%';
      out += "0123456789ABCDEF"[byte >> 4];
      out += "0123456789ABCDEF"[byte & 15];
    }
  }
}

/// The first `n` characters of UTF-8 text.
inline std::string_view prefix(std::string_view s, std::size_t n) noexcept {
  std::size_t i = 0;
  while (i < s.size() && n > 0) {
    ++i;
    while (i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0) == 0x80) ++i;
    --n;
  }
  return s.substr(0, i);
}

/// The text of a plain value; nothing for arrays and objects.
inline std::optional<std::string> scalar(json::view v) {
  if (auto const s = v.get_string()) return std::string(*s);
  if (v.is_array() || v.is_object()) return {};
  return v.dump();
}

/// varname of RFC 6570: letters, digits, underscores and triplets, single dots between them.
inline bool is_name(std::string_view s) noexcept {
  bool dot_allowed = false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '.') {
      if (!dot_allowed) return false;
      dot_allowed = false;
      continue;
    }
    if (is_triplet(s, i)) {
      i += 2;
    } else if (!is_alnum(s[i]) && s[i] != '_') {
      return false;
    }
    dot_allowed = true;
  }
  return dot_allowed;
}

inline error fault(std::string_view what, std::size_t offset) {
  return {errc::invalid_argument, "URI template: " + std::string(what) + " at offset " + std::to_string(offset)};
}

}  // namespace uri_detail

COMCP_DECL result<uri_template> uri_template::parse(std::string_view text) {
  uri_template t;
  t.text_ = text;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '}') return uri_detail::fault("'}' without '{'", i);
    if (text[i] != '{') {
      auto const end = std::min(text.find_first_of("{}", i), text.size());
      uri_detail::encode(t.parts_.emplace_back().literal, text.substr(i, end - i), true);
      i = end;
      continue;
    }
    auto const end = text.find_first_of("{}", i + 1);
    if (end == text.npos || text[end] == '{') return uri_detail::fault("'{' without '}'", i);
    if (auto parsed = t.parse_expression(text.substr(i + 1, end - i - 1), i + 1); !parsed) return parsed.error();
    i = end + 1;
  }
  return t;
}

COMCP_DECL result<void> uri_template::parse_expression(std::string_view text, std::size_t offset) {
  part p;
  if (!text.empty() && std::string_view("+#./;?&").find(text[0]) != text.npos) {
    p.op = text[0];
    text.remove_prefix(1);
    ++offset;
  }
  for (bool more = true; more;) {
    auto const comma = text.find(',');
    auto spec = text.substr(0, comma);
    variable v;
    if (spec.ends_with('*')) {
      v.explode = true;
      spec.remove_suffix(1);
    } else if (auto const colon = spec.find(':'); colon != spec.npos) {
      auto const digits = spec.substr(colon + 1);
      bool const good = !digits.empty() && digits.size() <= 4 && digits[0] != '0' &&
                        digits.find_first_not_of("0123456789") == digits.npos;
      if (!good) return uri_detail::fault("a prefix that is not 1 to 9999", offset + colon);
      for (char const d : digits) v.prefix = v.prefix * 10 + static_cast<std::size_t>(d - '0');
      spec = spec.substr(0, colon);
    }
    if (!uri_detail::is_name(spec)) return uri_detail::fault("no variable name", offset);
    v.name = spec;
    if (std::find(variables_.begin(), variables_.end(), v.name) == variables_.end()) variables_.push_back(v.name);
    p.variables.push_back(std::move(v));
    more = comma != text.npos;
    if (more) {
      text.remove_prefix(comma + 1);
      offset += comma + 1;
    }
  }
  parts_.push_back(std::move(p));
  return {};
}

namespace uri_detail {

/// One value among those of its expression: where separators and names go.
struct sink {
  std::string& out;
  char const* first;
  char separator;
  bool named;
  char const* if_empty;
  bool reserved;
  bool started = false;

  void begin() {
    if (started) {
      out += separator;
    } else {
      out += first;
    }
    started = true;
  }
  void pair(std::string_view key, bool key_reserved, std::string_view value, bool with_name) {
    begin();
    if (with_name) {
      encode(out, key, key_reserved);
      if (value.empty()) {
        out += if_empty;
        return;
      }
      out += '=';
    }
    encode(out, value, reserved);
  }
};

inline error nested(std::string_view name) {
  return {errc::invalid_argument, "URI template: the value of \"" + std::string(name) + "\" is nested too deep"};
}

/// The members of a list or object: texts, with keys for an object. Null members are left out.
COMCP_DECL result<std::vector<std::pair<std::string, std::string>>> members_of(json::view v, std::string_view name) {
  std::vector<std::pair<std::string, std::string>> all;
  auto const add = [&all](std::string_view key, json::view member) {
    if (member.is_null()) return true;
    auto text = scalar(member);
    if (text) all.emplace_back(key, std::move(*text));
    return text.has_value();
  };
  for (auto const e : v.elements()) {
    if (!add({}, e)) return nested(name);
  }
  for (auto const m : v.members()) {
    if (!add(m.key, m.value)) return nested(name);
  }
  return all;
}

/// A list or object without explode is one value with commas.
COMCP_DECL void join(sink& s, std::string_view name, bool object,
                     std::vector<std::pair<std::string, std::string>> const& all) {
  s.begin();
  if (s.named) {
    s.out += name;
    s.out += '=';
  }
  bool first = true;
  for (auto const& [key, value] : all) {
    if (!first) s.out += ',';
    first = false;
    if (object) {
      encode(s.out, key, s.reserved);
      s.out += ',';
    }
    encode(s.out, value, s.reserved);
  }
}

}  // namespace uri_detail

COMCP_DECL result<void> uri_template::expand_part(part const& p, json::view variables, std::string& out) {
  auto const& how = operators::of(p.op);
  uri_detail::sink s{out, how.first, how.separator, how.named, how.if_empty, how.reserved};
  for (auto const& v : p.variables) {
    auto const found = variables.find(v.name);
    if (!found || found->is_null()) continue;
    if (auto const text = uri_detail::scalar(*found)) {
      s.pair(v.name, true, v.prefix ? uri_detail::prefix(*text, v.prefix) : std::string_view(*text), how.named);
      continue;
    }
    if (v.prefix)
      return error(errc::invalid_argument, "URI template: \"" + v.name + "\" has a prefix, but its value is no string");
    auto const all = uri_detail::members_of(*found, v.name);
    if (!all) return all.error();
    if (all->empty()) continue;
    if (!v.explode) {
      uri_detail::join(s, v.name, found->is_object(), *all);
    } else {
      for (auto const& [key, value] : *all) {
        if (found->is_array()) {
          s.pair(v.name, true, value, how.named);
        } else if (how.named) {
          s.pair(key, how.reserved, value, true);
        } else {  // here an empty value keeps its '='
          s.begin();
          uri_detail::encode(out, key, how.reserved);
          out += '=';
          uri_detail::encode(out, value, how.reserved);
        }
      }
    }
  }
  return {};
}

COMCP_DECL result<std::string> uri_template::expand(json::view variables) const {
  if (!variables.is_object()) return error(errc::invalid_argument, "URI template: the variables are not an object");
  std::string out;
  for (auto const& p : parts_) {
    if (p.variables.empty()) {
      out += p.literal;
    } else if (auto expanded = expand_part(p, variables, out); !expanded) {
      return expanded.error();
    }
  }
  return out;
}

COMCP_DECL result<std::string> uri_template::expand(json::fragment const& variables) const {
  auto const parsed = json::parse(variables.empty() ? std::string_view("{}") : std::string_view(variables.text()));
  if (!parsed) return parsed.error();
  return expand(parsed->view());
}

}  // namespace comcp
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/resources.ipp

namespace comcp {

COMCP_DECL result<std::string> resource_template::expand(json::fragment const& variables) const {
  auto const parsed = comcp::uri_template::parse(uri_template);
  if (!parsed) return parsed.error();
  return parsed->expand(variables);
}

COMCP_DECL std::string read_resource_result::text() const& {
  return detail::joined_texts(contents, [](resource_contents const& part) { return part.text ? &*part.text : nullptr; });
}
COMCP_DECL std::string read_resource_result::text() && {
  return detail::joined_texts(std::move(contents), [](resource_contents& part) { return part.text ? &*part.text : nullptr; });
}

}  // namespace comcp
#endif

// protocol/subscriptions.hpp
// Listen streams of the modern era: what a client wants to hear of. Spec: 2026-07-28 basic/patterns/subscriptions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// protocol/meta.hpp
// `_meta`: the keys that the protocol reserves, which keys users may set, and the reserved contents as types.
// Spec: 2026-07-28 basic (_meta).

#include <optional>
#include <string>
#include <string_view>

namespace comcp {

namespace meta_key {
inline constexpr std::string_view progress_token = "progressToken";
inline constexpr std::string_view protocol_version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view client_capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view related_task = "io.modelcontextprotocol/related-task";
inline constexpr std::string_view traceparent = "traceparent";
inline constexpr std::string_view tracestate = "tracestate";
inline constexpr std::string_view baggage = "baggage";
}  // namespace meta_key

/// Whether a user may set this key: it follows the naming rule and is none that comcp writes itself. Errors:
/// invalid_argument, which says why.
result<void> check_meta_key(std::string_view key);

/// check_meta_key, and for traceparent, tracestate and baggage whether the value is what W3C Trace Context and Baggage
/// say. Errors: invalid_argument.
result<void> check_meta(std::string_view key, json::view value);
result<void> check_meta(std::string_view key, std::string_view json_text);

/// check_meta for every key; `meta` must be an object, or null for none.
result<void> check_user_meta(json::view meta);

/// What `_meta` of a modern request carries; that of a legacy one has the progress token only.
struct request_meta {
  request_meta() = default;

  std::optional<std::string> protocol_version;
  std::optional<implementation> client_info;
  std::optional<comcp::client_capabilities> client_capabilities;
  std::optional<comcp::log_level> log_level;
  std::optional<comcp::progress_token> progress_token;
  json::value raw;
};
constexpr auto describe(std::type_identity<request_meta>) {
  using t = request_meta;
  return json::fields(json::field(meta_key::protocol_version, &t::protocol_version),
                      json::field(meta_key::client_info, &t::client_info),
                      json::field(meta_key::client_capabilities, &t::client_capabilities),
                      json::field(meta_key::log_level, &t::log_level),
                      json::field(meta_key::progress_token, &t::progress_token), json::rest(&t::raw));
}

/// What `_meta` of a modern result carries.
struct result_meta {
  result_meta() = default;

  std::optional<implementation> server_info;
  std::optional<peer_id> subscription_id;  ///< In the result of subscriptions/listen.
  json::value raw;
};
constexpr auto describe(std::type_identity<result_meta>) {
  using t = result_meta;
  return json::fields(json::field(meta_key::server_info, &t::server_info),
                      json::field(meta_key::subscription_id, &t::subscription_id), json::rest(&t::raw));
}

/// What `_meta` of a notification on a listen stream carries.
struct notification_meta {
  notification_meta() = default;

  std::optional<peer_id> subscription_id;
  json::value raw;
};
constexpr auto describe(std::type_identity<notification_meta>) {
  using t = notification_meta;
  return json::fields(json::field(meta_key::subscription_id, &t::subscription_id), json::rest(&t::raw));
}

/// The server's name in a result's `_meta`, if it is there and readable.
std::optional<implementation> server_info_of(json::view meta);

/// The listen request that a notification's or result's `_meta` belongs to.
std::optional<peer_id> subscription_id_of(json::view meta);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/meta.ipp
#include <algorithm>
#include <array>

namespace comcp {
namespace detail {

inline bool is_meta_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_meta_alnum(char c) noexcept { return is_meta_letter(c) || (c >= '0' && c <= '9'); }

COMCP_DECL bool is_meta_label(std::string_view label) noexcept {
  if (label.empty() || !is_meta_letter(label.front()) || !is_meta_alnum(label.back())) return false;
  for (char const c : label) {
    if (!is_meta_alnum(c) && c != '-') return false;
  }
  return true;
}

COMCP_DECL bool is_meta_name(std::string_view name) noexcept {
  if (name.empty()) return true;
  if (!is_meta_alnum(name.front()) || !is_meta_alnum(name.back())) return false;
  for (char const c : name) {
    if (!is_meta_alnum(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

// The pieces of a list, without the blanks around them. False as soon as `f` says it of one.
template <class F>
bool each_piece(std::string_view text, char separator, F f) {
  for (;;) {
    auto const end = text.find(separator);
    auto piece = text.substr(0, end);
    while (piece.starts_with(' ') || piece.starts_with('\t')) piece.remove_prefix(1);
    while (piece.ends_with(' ') || piece.ends_with('\t')) piece.remove_suffix(1);
    if (!f(piece)) return false;
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
  }
}

inline bool is_lower_hex(std::string_view text) noexcept {
  return text.find_first_not_of("0123456789abcdef") == text.npos;
}

// W3C Trace Context, section 3.2: version-traceid-parentid-flags; what a later version adds follows a '-'.
COMCP_DECL bool is_traceparent(std::string_view t) noexcept {
  if (t.size() < 55 || t[2] != '-' || t[35] != '-' || t[52] != '-') return false;
  auto const version = t.substr(0, 2), trace = t.substr(3, 32), parent = t.substr(36, 16);
  if (!is_lower_hex(version) || !is_lower_hex(trace) || !is_lower_hex(parent) || !is_lower_hex(t.substr(53, 2))) return false;
  if (version == "ff" || trace.find_first_not_of('0') == t.npos || parent.find_first_not_of('0') == t.npos) return false;
  if (version == "00" || t.size() == 55) return t.size() == 55;
  return t[55] == '-' && std::all_of(t.begin(), t.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

// Section 3.3: at most 32 pairs, any of which may be empty.
COMCP_DECL bool is_tracestate(std::string_view text) {
  std::size_t members = 0;
  return each_piece(text, ',', [&members](std::string_view m) {
    if (m.empty()) return true;
    auto const equals = m.find('=');
    if (++members > 32 || equals == m.npos || equals == 0 || equals > 256 || m.size() - equals - 1 > 256) return false;
    auto const key = m.substr(0, equals), value = m.substr(equals + 1);
    bool const first = (key[0] >= 'a' && key[0] <= 'z') || (key[0] >= '0' && key[0] <= '9');
    return first && !value.empty() && std::count(key.begin(), key.end(), '@') <= 1 &&
           key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-*/@") == key.npos &&
           std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F && c != '='; });
  });
}

// W3C Baggage, section 3.3: key=value;property;property=value, ... Other characters are percent-encoded.
COMCP_DECL bool is_baggage(std::string_view text) {
  constexpr auto is_pair = [](std::string_view pair, bool needs_value) {
    auto const equals = pair.find('=');
    bool const sound = each_piece(pair.substr(0, equals), '=', [](std::string_view key) {
      return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return is_meta_alnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
      });
    });
    if (equals == pair.npos) return sound && !needs_value;
    auto value = pair.substr(equals + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
    return sound && std::all_of(value.begin(), value.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; });
  };
  if (text.size() > 8192) return false;
  return each_piece(text, ',', [&is_pair](std::string_view member) {
    bool first = true;
    return each_piece(member, ';', [&](std::string_view pair) { return is_pair(pair, std::exchange(first, false)); });
  });
}

COMCP_DECL error meta_refusal(std::string_view key, char const* why) {
  return {errc::invalid_argument, "the _meta key \"" + std::string(key) + "\" " + why};
}

}  // namespace detail

COMCP_DECL result<void> check_meta_key(std::string_view key) {
  static constexpr std::array own{meta_key::protocol_version, meta_key::client_info, meta_key::client_capabilities,
                                  meta_key::log_level};
  if (key == meta_key::progress_token) return detail::meta_refusal(key, "is set by comcp: ask for progress instead");
  if (std::find(own.begin(), own.end(), key) != own.end()) return detail::meta_refusal(key, "is set by comcp");
  auto const slash = key.find('/');
  auto const name = slash == key.npos ? key : key.substr(slash + 1);
  if (!detail::is_meta_name(name))
    return detail::meta_refusal(key, "has a bad name: letters, digits, '-', '_' and '.', alphanumeric at both ends");
  if (slash == key.npos) return {};
  auto prefix = key.substr(0, slash);
  for (;;) {
    auto const dot = prefix.find('.');
    auto const text = prefix.substr(0, dot);
    if (!detail::is_meta_label(text))
      return detail::meta_refusal(key, "has a bad prefix: labels of letters, digits and '-', dots between them");
    if (dot == prefix.npos) return {};
    prefix.remove_prefix(dot + 1);
  }
}

COMCP_DECL result<void> check_meta(std::string_view key, json::view value) {
  if (auto ok = check_meta_key(key); !ok) return ok;
  bool (*is_sound)(std::string_view) = nullptr;
  if (key == meta_key::traceparent) is_sound = detail::is_traceparent;
  if (key == meta_key::tracestate) is_sound = detail::is_tracestate;
  if (key == meta_key::baggage) is_sound = detail::is_baggage;
  auto const text = is_sound ? value.get_string() : std::nullopt;
  if (!is_sound || (text && is_sound(*text))) return {};
  return detail::meta_refusal(key, "is not the text that W3C specifies for it");
}

COMCP_DECL result<void> check_meta(std::string_view key, std::string_view json_text) {
  auto const value = json::parse(json_text);
  return value ? check_meta(key, value->view()) : value.error();
}

COMCP_DECL result<void> check_user_meta(json::view meta) {
  if (meta.is_null()) return {};
  if (!meta.is_object()) return error(errc::invalid_argument, "_meta must be an object");
  for (auto const m : meta.members()) {
    auto ok = check_meta(m.key, m.value);
    if (!ok) return ok;
  }
  return {};
}

COMCP_DECL std::optional<implementation> server_info_of(json::view meta) {
  auto const found = meta.find(meta_key::server_info);
  if (!found) return {};
  auto info = json::read<implementation>(*found);
  return info ? std::optional(*std::move(info)) : std::nullopt;
}

COMCP_DECL std::optional<peer_id> subscription_id_of(json::view meta) {
  auto const found = meta.find(meta_key::subscription_id);
  if (!found) return {};
  auto id = json::read<peer_id>(*found);
  return id ? std::optional(*std::move(id)) : std::nullopt;
}

}  // namespace comcp
#endif

namespace comcp {

/// Which notifications a listen stream brings. Compared as a set: the order of the uris does not matter.
struct subscription_filter {
  subscription_filter() = default;

  bool tools_list_changed = false;
  bool prompts_list_changed = false;
  bool resources_list_changed = false;
  std::vector<std::string> resource_subscriptions;  ///< The uris of resources whose updates are wanted.
  json::value raw;

  /// Whether nothing is asked for.
  [[nodiscard]] bool empty() const noexcept;
  [[nodiscard]] bool has_resource(std::string_view uri) const noexcept;
  /// Asks for what `other` asks for too; the uris end up sorted, each once.
  subscription_filter& unite(subscription_filter const& other);
  /// Whether everything that `other` asks for is asked for here.
  [[nodiscard]] bool covers(subscription_filter const& other) const;

  friend bool operator==(subscription_filter const& a, subscription_filter const& b) {
    return a.covers(b) && b.covers(a);
  }
};
constexpr auto describe(std::type_identity<subscription_filter>) {
  using t = subscription_filter;
  return json::fields(json::defaulted("toolsListChanged", &t::tools_list_changed),
                      json::defaulted("promptsListChanged", &t::prompts_list_changed),
                      json::defaulted("resourcesListChanged", &t::resources_list_changed),
                      json::defaulted("resourceSubscriptions", &t::resource_subscriptions), json::rest(&t::raw));
}

struct subscriptions_listen_params {
  subscriptions_listen_params() = default;
  explicit subscriptions_listen_params(subscription_filter filter) : notifications(std::move(filter)) {}

  subscription_filter notifications;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<subscriptions_listen_params>) {
  using t = subscriptions_listen_params;
  return json::fields(json::field("notifications", &t::notifications), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// notifications/subscriptions/acknowledged: what the server agreed to send.
struct subscriptions_acknowledged {
  subscriptions_acknowledged() = default;

  subscription_filter notifications;
  json::value meta;
  json::value raw;

  [[nodiscard]] std::optional<peer_id> subscription_id() const { return subscription_id_of(meta); }
};
constexpr auto describe(std::type_identity<subscriptions_acknowledged>) {
  using t = subscriptions_acknowledged;
  return json::fields(json::field("notifications", &t::notifications), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The end of a listen stream, as the server ends it.
struct subscriptions_listen_result {
  subscriptions_listen_result() = default;

  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  [[nodiscard]] std::optional<peer_id> subscription_id() const { return subscription_id_of(meta); }
};
constexpr auto describe(std::type_identity<subscriptions_listen_result>) {
  using t = subscriptions_listen_result;
  return json::fields(json::field("resultType", &t::result_type), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/subscriptions.ipp
#include <algorithm>

namespace comcp {

COMCP_DECL bool subscription_filter::empty() const noexcept {
  return !tools_list_changed && !prompts_list_changed && !resources_list_changed && resource_subscriptions.empty();
}

COMCP_DECL bool subscription_filter::has_resource(std::string_view uri) const noexcept {
  return std::find(resource_subscriptions.begin(), resource_subscriptions.end(), uri) != resource_subscriptions.end();
}

COMCP_DECL subscription_filter& subscription_filter::unite(subscription_filter const& other) {
  tools_list_changed |= other.tools_list_changed;
  prompts_list_changed |= other.prompts_list_changed;
  resources_list_changed |= other.resources_list_changed;
  auto uris = other.resource_subscriptions;
  auto& ours = resource_subscriptions;
  ours.insert(ours.end(), uris.begin(), uris.end());
  std::sort(ours.begin(), ours.end());
  ours.erase(std::unique(ours.begin(), ours.end()), ours.end());
  return *this;
}

COMCP_DECL bool subscription_filter::covers(subscription_filter const& other) const {
  if (other.tools_list_changed && !tools_list_changed) return false;
  if (other.prompts_list_changed && !prompts_list_changed) return false;
  if (other.resources_list_changed && !resources_list_changed) return false;
  std::vector<std::string_view> ours(resource_subscriptions.begin(), resource_subscriptions.end());
  std::sort(ours.begin(), ours.end());
  return std::all_of(other.resource_subscriptions.begin(), other.resource_subscriptions.end(),
                     [&](std::string const& uri) { return std::binary_search(ours.begin(), ours.end(), uri); });
}

}  // namespace comcp
#endif

namespace comcp {

/// notifications/tools/list_changed. Spec: server/tools.
struct tools_list_changed {
  tools_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<tools_list_changed>) {
  return json::fields(detail::meta_of(&tools_list_changed::meta), json::rest(&tools_list_changed::raw));
}

/// notifications/prompts/list_changed. Spec: server/prompts.
struct prompts_list_changed {
  prompts_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompts_list_changed>) {
  return json::fields(detail::meta_of(&prompts_list_changed::meta), json::rest(&prompts_list_changed::raw));
}

/// notifications/resources/list_changed. Spec: server/resources.
struct resources_list_changed {
  resources_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resources_list_changed>) {
  return json::fields(detail::meta_of(&resources_list_changed::meta), json::rest(&resources_list_changed::raw));
}

/// notifications/roots/list_changed, which the client sends (legacy). Spec: client/roots.
struct roots_list_changed {
  roots_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<roots_list_changed>) {
  return json::fields(detail::meta_of(&roots_list_changed::meta), json::rest(&roots_list_changed::raw));
}

/// notifications/initialized, which the client sends (legacy).
struct initialized {
  initialized() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<initialized>) {
  return json::fields(detail::meta_of(&initialized::meta), json::rest(&initialized::raw));
}

/// Any notification, for the catch-all.
struct any_notification {
  any_notification() = default;
  any_notification(std::string its_method, json::value its_params)
      : method(std::move(its_method)), params(std::move(its_params)) {}

  std::string method;
  json::value params;  ///< Null where absent.

  friend bool operator==(any_notification const&, any_notification const&) = default;
};

}  // namespace comcp

namespace comcp {
class client_core;

/// Called on the client's executor with each update of a resource.
using updated_callback = std::function<void(resource_updated const&)>;

namespace detail {
template <class R>
class away;
class status_listeners;
struct listen_stream;

/// What keeps a list that is walked page by page finite.
struct list_bounds {
  using time_point = std::chrono::steady_clock::time_point;
  std::size_t pages, items, bytes;
  time_point now, end;
  bool cached;  // pages may come from the cache
};

/// Who hears of what changes. On home only.
class subscriptions_link {
 public:
  virtual ~subscriptions_link() = default;

  // For users.
  virtual asio::awaitable<void> subscribe(std::string uri, updated_callback f, call_options options) = 0;
  virtual asio::awaitable<void> unsubscribe(std::string uri, call_options options) = 0;
  virtual asio::awaitable<std::shared_ptr<listen_stream>> listen(subscription_filter filter, call_options options) = 0;
  virtual asio::awaitable<std::optional<any_notification>> next(std::shared_ptr<listen_stream> s) = 0;
  virtual void close(listen_stream& s) = 0;
  /// `changed` is called at each change of a list: "tools", "prompts" or "resources"; `silent` when it turns out that
  /// changes are not told, or not for now, and why. Returns a handle to stop with.
  virtual std::uint64_t watch(std::string kind, std::function<void()> changed, std::function<void(error const&)> silent) = 0;
  virtual void unwatch(std::uint64_t handle) = 0;

  // For the core.
  virtual void connected() = 0;
  virtual void ended(error const& reason) = 0;
  virtual void shut_down() noexcept = 0;
  /// True when the notification belonged to an independent stream or was not for anybody else.
  virtual bool notified(std::string const& method, json::value const& params) = 0;
  /// Legacy era: whether what the server says unasked comes has changed; how it was before.
  virtual void deaf(error const& before) = 0;
  /// Whether anybody waits for what the server says unasked.
  [[nodiscard]] virtual bool is_awaited() const = 0;
};

using subscriptions_maker = std::unique_ptr<subscriptions_link> (*)(client_core&);
COMCP_LAZY std::unique_ptr<subscriptions_link> make_subscriptions(client_core& core);

/// Begins connections anew. On home only.
class restarts_link {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  virtual ~restarts_link() = default;
  /// The connection is lost; false when there is to be no restart.
  virtual bool begin(error const& why) = 0;
  /// Ends the connection and begins anew, as after a crash with this reason, once `wait` is over; an attempt that waits
  /// already is made now. What forbids it, if anything does.
  virtual error begin_anew(error why, nanoseconds wait) = 0;
  /// The same at once, and waits until it is ready again. Throws what the attempt failed with.
  virtual asio::awaitable<void> reconnect(error why) = 0;
  /// Called whenever an attempt to restore the connection begins.
  virtual void on_attempt(std::function<void()> f) = 0;
  /// It works.
  virtual void proved() noexcept = 0;
  /// Who waits for how it ends; they are the caller's from then on.
  [[nodiscard]] virtual std::vector<request_id> take_waiting() noexcept = 0;
};

using restarts_maker = std::unique_ptr<restarts_link> (*)(client_core&);
COMCP_LAZY std::unique_ptr<restarts_link> make_restarts(client_core& core);

/// The life of a connection. Those that return an awaitable: from any executor, they resume there; the others: on home.
class life_link {
 public:
  virtual asio::awaitable<void> close() = 0;
  /// On home.
  [[nodiscard]] virtual restarts_link& restarts(restarts_maker make) = 0;
  virtual asio::awaitable<error> ended() = 0;
  [[nodiscard]] virtual std::shared_ptr<status_listeners> const& status() const noexcept = 0;
  /// On home. Waits; false when the client closed meanwhile.
  virtual asio::awaitable<bool> sleep(std::chrono::nanoseconds d) = 0;

 protected:
  ~life_link() = default;
};

/// The way of a call.
class call_link {
 public:
  /// Begins at once, or when it is awaited; `plain`: what is awaited is its one round trip. `e` lives as long.
  virtual asio::awaitable<reply> begin(asio::any_io_executor const& here, prepared_call& c, pending_entry& e,
                                       bool& plain) = 0;
  /// Whether that round trip was not the end of it: settle() goes on then.
  [[nodiscard]] virtual bool needs_settling(prepared_call const& c, reply const& r) const = 0;
  virtual asio::awaitable<reply> settle(prepared_call& c, reply r) = 0;
  /// For who waits on `here` and is no coroutine, or on another executor than home.
  [[nodiscard]] virtual std::shared_ptr<detail::away<reply>> away(asio::any_io_executor const& here,
                                                                  prepared_call c) = 0;

 protected:
  ~call_link() = default;
};

/// As for life_link.
class client_link : public call_link {
 public:
  virtual asio::awaitable<void> set_level(log_level level, call_options options) = 0;
  virtual asio::awaitable<void> notify(std::string method, std::string params) = 0;
  virtual asio::awaitable<void> notify_roots_changed() = 0;
  virtual void notify_now(std::string_view method, std::string_view params) = 0;
  /// Takes out the tools whose definition cannot be used here, and learns how the others are.
  virtual asio::awaitable<void> adopt_tools(list_tools_result& page) = 0;
  [[nodiscard]] virtual list_bounds bounds(call_options const& options) const = 0;
  /// On home; `make` may be null where somebody has subscribed already.
  [[nodiscard]] virtual subscriptions_link& subscriptions(subscriptions_maker make) = 0;
  [[nodiscard]] virtual life_link& life() noexcept = 0;
  virtual void abandon() noexcept = 0;  ///< The owning client went away.

  /// On any thread.
  [[nodiscard]] virtual std::shared_ptr<server_snapshot const> server() const = 0;
  [[nodiscard]] virtual comcp::transport_info transport_info() const = 0;
  [[nodiscard]] virtual comcp::statistics statistics() const = 0;
  [[nodiscard]] virtual asio::any_io_executor const& home() const noexcept = 0;
  virtual void fault(error what) = 0;

 protected:
  ~client_link() = default;
};

// In a program of headers only a source that has them can compile these.
#if defined(COMCP_SEPARATE_COMPILATION)
template <class Core>
concept has_definition = true;
#else
template <class Core>
concept has_definition = requires { sizeof(Core); };
#endif

/// On home: who sees to subscriptions, which only a program that asks for them compiles. Core is client_core.
template <class Core>
subscriptions_link& subscriptions_of(client_link& core) {
  static_assert(
      has_definition<Core>,
      "comcp: a source that subscribes, listens or watches includes comcp/comcp.hpp, not only comcp/client.hpp");
  return core.subscriptions([](client_core& c) { return make_subscriptions(c); });
}
/// The same of restarts.
template <class Core>
restarts_link& restarts_of(client_link& core) {
  static_assert(has_definition<Core>,
                "comcp: a source that restarts a client includes comcp/comcp.hpp, not only comcp/client.hpp");
  return core.life().restarts([](client_core& c) { return make_restarts(c); });
}

}  // namespace detail
}  // namespace comcp

namespace comcp {
namespace detail {

inline error not_connected() { return {errc::closed, "this client is not connected"}; }
inline void require(std::shared_ptr<client_link> const& core) {
  if (!core) throw exception(not_connected());
}

/// Why a call without a client fails.
inline error not_connected(prepared_call const& c) { return c.unusable ? c.unusable : not_connected(); }

/// An operation that ends with this error, so that even what is wrong from the start reaches whoever awaits it.
template <class T>
asio::awaitable<T> failed(error e) {
  (void)co_await asio::this_coro::executor;
  throw exception(std::move(e));
}

/// What ends with an error as its value fails with it.
COMCP_LAZY asio::awaitable<void> as_failure(asio::awaitable<error> operation);

/// Decodes a result; one that manual_input() stopped keeps only its kind and its raw value.
template <class T>
T decode_result(json::value const& v, [[maybe_unused]] bool may_be_stopped = true) {
  if constexpr (requires(T& t) { t.result_type = std::string(); t.raw = v; }) {
    auto const kind = may_be_stopped ? v.view().find("resultType") : std::nullopt;
    if (kind && kind->get_string() == "input_required") {
      T stopped;
      stopped.result_type = "input_required";
      stopped.raw = v;
      return stopped;
    }
  }
  T out{};
  json::read_error e;
  if (!json::codec<T>::read(v.view(), out, e))
    throw exception(e.to_error().with_code(make_error_code(errc::protocol_violation)));
  return out;
}

/// One call through the pipeline and back, from any executor. It lives in the frame of who waits for it: Asio recycles two
/// frames of up to 1020 bytes, so that a call has that one and the wait's.
class performance {
 public:
  performance(call_link& core, prepared_call& c) noexcept : core_(core), call_(c) {}
  /// What is to be awaited next.
  asio::awaitable<reply> begin(asio::any_io_executor const& here) {
    call_.room = &entry_.room;
    return core_.begin(here, call_, entry_, is_plain_);
  }
  /// Whether that was not the end of it.
  [[nodiscard]] bool goes_on(reply const& r) const { return is_plain_ && core_.needs_settling(call_, r); }
  asio::awaitable<reply> go_on(reply r) { return core_.settle(call_, std::move(r)); }

 private:
  call_link& core_;
  prepared_call& call_;
  pending_entry entry_;
  bool is_plain_ = false;
};
/// What is known of a call that failed, as its operation tells it.
error failure_of(prepared_call const& c, error why);
/// Throws where it is an error.
json::value outcome_of(prepared_call const& c, reply&& r);
/// The parameters of a call that goes on: the original ones with what a round adds. All texts are objects, or empty.
std::string with_answers(std::string_view params, std::string const& responses, std::optional<std::string> const& state);
/// A round that manual_input() gave to the caller goes on with its answers.
COMCP_LAZY asio::awaitable<json::value> resume_rounds(std::shared_ptr<client_link> core, prepared_call c, json::value required,
                                           json::fragment responses);

/// The call as a typed value.
template <class T>
asio::awaitable<T> typed_call(std::shared_ptr<client_link> core, prepared_call c) {
  if (!core) throw exception(not_connected(c));
  auto const here = co_await asio::this_coro::executor;
  performance p(*core, c);
  auto work = p.begin(here);
  auto r = co_await std::move(work);
  if (p.goes_on(r)) {
    auto rest = p.go_on(std::move(r));
    r = co_await std::move(rest);
  }
  auto const v = outcome_of(c, std::move(r));
  if constexpr (!std::is_void_v<T>) co_return decode_result<T>(v, c.options.is_manual_input());
}

template <class T>
asio::awaitable<T> structured_call(std::shared_ptr<client_link> core, prepared_call c) {
  auto const r = co_await typed_call<call_tool_result>(std::move(core), std::move(c));
  r.or_throw();
  auto out = r.template structured<T>();
  if (!out) throw exception(out.error().with_outcome(call_outcome::open));
  co_return *std::move(out);
}

template <class T>
asio::awaitable<T> resumed(std::shared_ptr<client_link> core, json::value required, json::fragment responses,
                           call_options options) {
  require(core);
  prepared_call c({}, {}, std::move(options));
  auto const v = co_await resume_rounds(core, std::move(c), std::move(required), std::move(responses));
  co_return decode_result<T>(v);
}

}  // namespace detail

/// Turns an operation that throws into one that gives a result.
template <class T>
asio::awaitable<result<T>> as_result(asio::awaitable<T> operation) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(operation);
      co_return result<void>();
    } else {
      auto value = co_await std::move(operation);
      co_return result<T>(std::move(value));
    }
  } catch (...) {
    co_return detail::current_error();
  }
}

/// The same for closed(), whose value is an error already.
template <std::same_as<error> T>
asio::awaitable<T> as_result(asio::awaitable<T> operation) {
  try {
    auto reason = co_await std::move(operation);
    co_return reason;
  } catch (...) {
    co_return detail::current_error();
  }
}

namespace detail {
/// Starts all of it on the caller's executor and waits; cancelling cancels each.
COMCP_LAZY asio::awaitable<void> gather(std::vector<asio::awaitable<void>> work);

template <class T>
asio::awaitable<void> put_outcome(result<T>& place, asio::awaitable<T> op) {
  auto outcome = co_await as_result(std::move(op));
  place = std::move(outcome);
}
}  // namespace detail

/// Runs operations concurrently on this coroutine's executor; one failure cancels nobody, and cancelling the whole
/// cancels each (where several threads run that executor, it takes a strand to cancel, as with everything of Asio).
/// Results stand in the order of the operations.
template <class T>
asio::awaitable<std::vector<result<T>>> all(std::vector<asio::awaitable<T>> operations) {
  std::vector<result<T>> outcomes(operations.size(), result<T>(error(errc::cancelled)));
  std::vector<asio::awaitable<void>> work;
  work.reserve(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i)
    work.push_back(detail::put_outcome(outcomes[i], std::move(operations[i])));
  auto done = detail::gather(std::move(work));
  co_await std::move(done);
  co_return outcomes;
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/operation.ipp
#include <atomic>
#include <memory>
#include <vector>

#include <asio/cancellation_signal.hpp>

namespace comcp::detail {

COMCP_DECL json::value outcome_of(prepared_call const& c, reply&& r) {
  if (!r) throw exception(failure_of(c, std::move(r).error()));
  return *std::move(r);
}

COMCP_DECL error failure_of(prepared_call const& c, error why) {
  why = judged(c, std::move(why));
  // Both mean that there is no such resource (2026-07-28, server/resources, error handling).
  auto const* const peer = c.method.is(wire::methods::read_resource) ? why.peer() : nullptr;
  bool const unknown = peer && (peer->code == -32002 || peer->code == -32602);
  return unknown ? why.with_code(make_error_code(errc::not_found)) : why;
}

COMCP_DECL std::string with_answers(std::string_view params, std::string const& responses,
                                    std::optional<std::string> const& state) {
  json::writer w;
  if (!responses.empty()) w.plain_key("inputResponses").raw(responses);
  if (state) w.plain_key("requestState").string(*state);
  std::string out(params.size() > 2 ? params.substr(0, params.size() - 1) : "{");
  if (out.size() > 1 && !w.text().empty()) out += ',';
  return out + w.text() + "}";
}

COMCP_LAZY_DECL asio::awaitable<void> as_failure(asio::awaitable<error> operation) {
  auto why = co_await std::move(operation);
  throw exception(std::move(why));
}

COMCP_LAZY_DECL asio::awaitable<json::value> resume_rounds(std::shared_ptr<client_link> core, prepared_call c,
                                                           json::value required, json::fragment responses) {
  auto const of = required.view().find("comcp/call");
  if (!of) throw exception(error(errc::invalid_argument, "not a value that manual_input() gave"));
  auto const method = of->find("method");
  c.method = method ? method->get_string().value_or("") : "";
  std::optional<std::string> state;
  if (auto const came = required.view().find("requestState")) state = std::string(came->get_string().value_or(""));
  auto const params = of->find("params");
  c.params = with_answers(params ? params->dump() : "{}", responses.text(), state);
  auto v = co_await typed_call<json::value>(core, std::move(c));
  co_return v;
}

// Owned by what runs, and so is who waits for it: when the execution context goes away, all of them do.
struct gathering {
  explicit gathering(asio::any_io_executor on) : executor(std::move(on)) {}
  asio::any_io_executor executor;
  std::atomic<std::size_t> open{0};
  waiter<bool> waiting;
  std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
};

// One that has ended, however: also one that was cancelled before its first step, or destroyed.
struct arrival {
  explicit arrival(std::shared_ptr<gathering> g) : all(std::move(g)) { ++all->open; }
  arrival(arrival const&) = delete;
  arrival& operator=(arrival const&) = delete;
  ~arrival() {
    if (--all->open > 0) return;
    auto const g = std::move(all);
    try {  // posted: this is a thread of the executor, but inside whatever ended
      detail::post(g->executor, [g] { g->waiting.complete(true, g->executor); });
    } catch (std::exception const&) {  // no memory for that
      g->waiting.complete(true, g->executor);
    }
  }
  std::shared_ptr<gathering> all;
};

COMCP_DECL void cancel_gathered(std::weak_ptr<gathering> const& weak) {
  auto const alive = weak.lock();
  if (!alive) return;
  auto emit = [weak] {
    auto const g = weak.lock();
    if (!g) return;
    for (auto const& s : g->signals) s->emit(asio::cancellation_type::terminal);
  };
  detail::post(alive->executor, std::move(emit));
}

struct gather_initiation {
  std::shared_ptr<gathering> all;
  std::vector<asio::awaitable<void>> work;
  // Starts the work when who waits for it is in its place. From then on another thread may resume it, and with it
  // destroy this object.
  template <class Handler>
  void operator()(Handler handler) {
    auto const g = std::move(all);
    auto mine = std::move(work);
    auto const cancel = [weak = std::weak_ptr(g)] { cancel_gathered(weak); };
    g->waiting = handler_waiter<bool, Handler>::create(std::move(handler), cancel);
    auto const all_started = std::make_shared<arrival>(g);
    for (auto& each : mine) {
      auto& signal = *g->signals.emplace_back(std::make_unique<asio::cancellation_signal>());
      spawn(g->executor, std::move(each), signal.slot(), std::make_shared<arrival>(g));
    }
  }
};

COMCP_LAZY_DECL asio::awaitable<void> gather(std::vector<asio::awaitable<void>> work) {
  auto const here = co_await asio::this_coro::executor;
  gather_initiation start{std::make_shared<gathering>(here), std::move(work)};
  auto waiting =
      asio::async_initiate<asio::use_awaitable_t<> const, void(bool)>(std::move(start), asio::use_awaitable);
  (void)co_await std::move(waiting);
}

}  // namespace comcp::detail
#endif

// client/prepared.hpp
// The calls behind a client's operations, prepared: their methods and parameters. Internal.

#include <string_view>

// protocol/completion.hpp
// Completion of the arguments of prompts and resource templates. Spec: server/utilities/completion.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace comcp {

struct prompt_reference {
  static constexpr std::string_view kind = "ref/prompt";
  prompt_reference() = default;
  explicit prompt_reference(std::string prompt_name) : name(std::move(prompt_name)) {}

  std::string name;
  std::optional<std::string> title;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt_reference>) {
  using t = prompt_reference;
  return json::fields(json::tag("type", t::kind), json::field("name", &t::name), json::field("title", &t::title),
                      json::rest(&t::raw));
}

struct resource_template_reference {
  static constexpr std::string_view kind = "ref/resource";
  resource_template_reference() = default;
  explicit resource_template_reference(std::string pattern) : uri(std::move(pattern)) {}

  std::string uri;  ///< A uri or a uri template.
  json::value raw;
};
constexpr auto describe(std::type_identity<resource_template_reference>) {
  using t = resource_template_reference;
  return json::fields(json::tag("type", t::kind), json::field("uri", &t::uri), json::rest(&t::raw));
}

using completion_reference = std::variant<prompt_reference, resource_template_reference>;

template <>
struct json::codec<completion_reference> {
  static bool read(view v, completion_reference& out, read_error& e) {
    auto const type = v.find("type");
    if (!v.is_object()) return e.expected(v, "object");
    if (!type) return e.missing(v, "type");
    if (type->get_string() == prompt_reference::kind)
      return codec<prompt_reference>::read(v, out.emplace<prompt_reference>(), e);
    return codec<resource_template_reference>::read(v, out.emplace<resource_template_reference>(), e);
  }
  static void write(writer& w, completion_reference const& ref) {
    std::visit([&](auto const& r) { json::write(w, r); }, ref);
  }
};

/// The argument that is being typed, and what is typed of it so far.
struct completion_argument {
  completion_argument() = default;
  completion_argument(std::string its_name, std::string so_far) : name(std::move(its_name)), value(std::move(so_far)) {}

  std::string name;
  std::string value;
  json::value raw;
};
constexpr auto describe(std::type_identity<completion_argument>) {
  using t = completion_argument;
  return json::fields(json::field("name", &t::name), json::field("value", &t::value), json::rest(&t::raw));
}

/// What is known already (from 2025-06-18 on).
struct completion_context {
  completion_context() = default;
  explicit completion_context(std::map<std::string, std::string> args) : arguments(std::move(args)) {}

  std::map<std::string, std::string> arguments;
  json::value raw;
};
constexpr auto describe(std::type_identity<completion_context>) {
  using t = completion_context;
  return json::fields(json::defaulted("arguments", &t::arguments), json::rest(&t::raw));
}

struct complete_params {
  complete_params() = default;
  complete_params(completion_reference what, completion_argument typed)
      : ref(std::move(what)), argument(std::move(typed)) {}

  completion_reference ref;
  completion_argument argument;
  std::optional<completion_context> context;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<complete_params>) {
  using t = complete_params;
  return json::fields(json::field("ref", &t::ref), json::field("argument", &t::argument),
                      json::field("context", &t::context), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Suggestions, best first; at most 100.
struct completion {
  completion() = default;
  explicit completion(std::vector<std::string> all) : values(std::move(all)) {}

  std::vector<std::string> values;
  std::optional<std::int64_t> total;
  std::optional<bool> has_more;
  json::value raw;
};
constexpr auto describe(std::type_identity<completion>) {
  using t = completion;
  return json::fields(json::field("values", &t::values), json::field("total", &t::total),
                      json::field("hasMore", &t::has_more), json::rest(&t::raw));
}

struct complete_result {
  complete_result() = default;
  explicit complete_result(comcp::completion found) : completion(std::move(found)) {}

  comcp::completion completion;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  [[nodiscard]] std::vector<std::string> const& values() const noexcept { return completion.values; }
};
constexpr auto describe(std::type_identity<complete_result>) {
  using t = complete_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("completion", &t::completion),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

namespace comcp::detail {

// What is wrong with one from the start is its `unusable`.
prepared_call tool_call(std::string_view name, json::fragment arguments, call_options options);
prepared_call resource_call(std::string_view uri, call_options options);
prepared_call resource_call(resource_template const& t, json::fragment const& variables, call_options options);
prepared_call prompt_call(std::string_view name, json::fragment arguments, call_options options);
prepared_call complete_call(complete_params const& what, call_options options);
prepared_call discover_call(call_options options);
prepared_call any_call(std::string_view method, json::fragment params, call_options options);

/// What is wrong with the parameters of an untyped operation: they are an object, or absent.
error check_params(json::fragment const& params);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/prepared.ipp
#include <utility>

namespace comcp::detail {

COMCP_DECL prepared_call tool_call(std::string_view name, json::fragment arguments, call_options options) {
  bool const object = arguments.empty() || arguments.text().front() == '{';
  // The arguments stand first, so that their own text can become the parameters'.
  std::string params = std::move(arguments).text();
  params.reserve(params.size() + name.size() + 32);
  if (params.empty()) {
    params = R"({"name":)";
  } else {
    params.insert(0, R"({"arguments":)").append(R"(,"name":)");
  }
  json::detail::append_string(params, name);
  params += '}';
  prepared_call c(wire::methods::call_tool, std::move(params), std::move(options));
  if (!object) c.unusable = error(errc::invalid_argument, "the arguments of a tool are an object");
  return c;
}

COMCP_DECL prepared_call resource_call(std::string_view uri, call_options options) {
  prepared_call c(wire::methods::read_resource, args("uri", uri).text(), std::move(options));
  c.repeatable = true;
  return c;
}

COMCP_DECL prepared_call resource_call(resource_template const& t, json::fragment const& variables,
                                       call_options options) {
  auto const uri = t.expand(variables);
  auto c = resource_call(uri ? *uri : std::string(), std::move(options));
  if (!uri) c.unusable = uri.error();
  return c;
}

COMCP_DECL prepared_call prompt_call(std::string_view name, json::fragment arguments, call_options options) {
  json::object params;
  params.set("name", name);
  if (!arguments.empty()) params.set("arguments", arguments);
  prepared_call c(wire::methods::get_prompt, params.text(), std::move(options));
  c.repeatable = true;
  return c;
}

COMCP_DECL prepared_call complete_call(complete_params const& what, call_options options) {
  prepared_call c(wire::methods::complete, json::to_text(what), std::move(options));
  c.repeatable = true;
  return c;
}

COMCP_DECL prepared_call discover_call(call_options options) {
  prepared_call c(wire::methods::discover, {}, std::move(options));
  c.repeatable = true;
  return c;
}

// An object, whose `_meta` joins that of the options.
COMCP_DECL error check_params(json::fragment const& params) {
  if (params.empty()) return {};
  auto const parsed = json::parse(params.text());
  if (!parsed || !parsed->is_object()) return {errc::invalid_argument, "params are not an object"};
  auto const meta = parsed->view().find("_meta");
  auto const sound = meta ? check_user_meta(*meta) : result<void>();
  return sound ? error() : sound.error();
}

COMCP_DECL prepared_call any_call(std::string_view method, json::fragment params, call_options options) {
  auto bad = check_params(params);
  prepared_call c(method, std::move(params).text(), std::move(options));
  c.unusable = std::move(bad);
  return c;
}

}  // namespace comcp::detail
#endif

// client/server_lists.hpp
// The lists of a server: tools, resources, resource templates and prompts; whole, page by page, and kept current.

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

// client/client_base.hpp
// What a client holds, its connection, and what is known of that and of the server.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

// client/watch_handle.hpp
// What client.watch_tools(), on_status() and their like give: who listens until it goes away.

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace comcp {

/// Listens as long as a copy of it lives, or until stop(). Both may happen on any thread, also once the client is gone; a
/// listener that is being called on the client's executor just then ends first or goes on, but is not called again.
class watch_handle {
 public:
  watch_handle() = default;
  explicit watch_handle(std::function<void()> stop) : stop_(std::make_shared<stopper>(std::move(stop))) {}
  /// Of all copies.
  void stop() noexcept {
    if (auto const last = std::exchange(stop_, nullptr)) last->stop();
  }

 private:
  class stopper {
   public:
    explicit stopper(std::function<void()> f) : call_(std::move(f)) {}
    stopper(stopper const&) = delete;
    stopper& operator=(stopper const&) = delete;
    ~stopper() { stop(); }
    void stop() noexcept {
      if (!stopped_.exchange(true)) call_();
    }

   private:
    std::function<void()> const call_;
    std::atomic<bool> stopped_{false};
  };
  std::shared_ptr<stopper> stop_;
};

}  // namespace comcp

namespace comcp {
namespace detail {
struct client_access;
}  // namespace detail

/// The base of every client: owns the connection, and tells of it. What it tells may be asked on any thread, but for
/// transport_info() and statistics(), which are the client's executor's; it is what the newest handshake found.
class client_base {
 public:
  client_base() = default;
  explicit client_base(std::shared_ptr<detail::client_link> core, bool owner = true) noexcept
      : core_(std::move(core)), owner_(owner) {}
  client_base(client_base&& other) noexcept : core_(std::move(other.core_)), owner_(std::exchange(other.owner_, false)) {}
  client_base& operator=(client_base&& other) noexcept;
  ~client_base();

  [[nodiscard]] connection_status status() const noexcept;
  /// Calls it at each change, on the client's executor, until the handle is destroyed. What leaves it is dropped.
  [[nodiscard]] watch_handle on_status(std::function<void(connection_status)> listener) const;
  [[nodiscard]] implementation server_info() const;
  [[nodiscard]] server_capabilities capabilities() const;
  [[nodiscard]] std::string instructions() const;
  [[nodiscard]] comcp::protocol_version protocol_version() const;
  [[nodiscard]] comcp::era era() const { return protocol_version().era(); }
  /// What a later connection can be given as connect_options().prior().
  [[nodiscard]] era_verdict verdict() const;
  [[nodiscard]] comcp::transport_info transport_info() const;
  /// Legacy era over HTTP: the session, for http_options().resume() in this process or another. Nothing where the server
  /// gave none. Its id is a secret. Leave such a client by destroying it: close() ends the session.
  [[nodiscard]] std::optional<saved_session> session() const;
  [[nodiscard]] comcp::statistics statistics() const;
  using executor_type = asio::any_io_executor;
  /// The client's own; an empty one where there is no connection.
  [[nodiscard]] executor_type get_executor() const noexcept;

 protected:
  [[nodiscard]] std::shared_ptr<detail::client_link> const& core() const;  ///< Throws where there is none.

  std::shared_ptr<detail::client_link> core_;

 private:
  friend struct detail::client_access;
  bool owner_ = false;
};

namespace detail {
/// For what is built upon clients. Internal.
struct client_access {
  static std::shared_ptr<client_link> const& core(client_base const& c) noexcept { return c.core_; }
};
}  // namespace detail
}  // namespace comcp

// client/status_listeners.hpp
// Where a connection stands, and who is told when that changes: to be asked and changed on any thread. Internal.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace comcp::detail {

class status_listeners {
 public:
  using listener = std::function<void(connection_status)>;

  [[nodiscard]] connection_status now() const noexcept { return now_; }
  void become(connection_status s) noexcept { now_ = s; }
  std::uint64_t add(listener f) {
    std::lock_guard const lock(mutex_);
    all_.emplace_back(++last_, std::make_shared<listener const>(std::move(f)));
    return last_;
  }
  void remove(std::uint64_t id) noexcept {
    std::shared_ptr<listener const> last;  // destroyed outside
    std::lock_guard const lock(mutex_);
    std::erase_if(all_, [&](auto const& each) { return each.first == id && (last = each.second, true); });
  }
  /// On home: tells those who listen when it begins, and still do when it is their turn.
  template <class OnThrow>
  void tell(OnThrow const& threw) const {
    auto const now = now_.load();
    for (std::uint64_t after = 0, end = last(); auto const each = next(after, end);) {
      try {
        (*each)(now);
      } catch (...) {
        threw();
      }
    }
  }

 private:
  [[nodiscard]] std::uint64_t last() const {
    std::lock_guard const lock(mutex_);
    return last_;
  }
  // They stand in the order of their ids.
  [[nodiscard]] std::shared_ptr<listener const> next(std::uint64_t& after, std::uint64_t end) const {
    std::lock_guard const lock(mutex_);
    auto const found = std::find_if(all_.begin(), all_.end(), [&](auto const& each) { return each.first > after; });
    if (found == all_.end() || found->first > end) return {};
    after = found->first;
    return found->second;
  }

  mutable std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<listener const>>> all_;
  std::uint64_t last_ = 0;
  std::atomic<connection_status> now_{connection_status::disconnected};
};

}  // namespace comcp::detail
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/client_base.ipp

namespace comcp {

COMCP_DECL client_base& client_base::operator=(client_base&& other) noexcept {
  if (this == &other) return *this;
  if (owner_ && core_) core_->abandon();
  core_ = std::move(other.core_);
  owner_ = std::exchange(other.owner_, false);
  return *this;
}

COMCP_DECL client_base::~client_base() {
  if (owner_ && core_) core_->abandon();
}

COMCP_DECL std::shared_ptr<detail::client_link> const& client_base::core() const {
  if (!core_) throw exception(detail::not_connected());
  return core_;
}

COMCP_DECL connection_status client_base::status() const noexcept {
  return core_ ? core_->life().status()->now() : connection_status::disconnected;
}
COMCP_DECL watch_handle client_base::on_status(std::function<void(connection_status)> listener) const {
  auto const& all = core()->life().status();
  return watch_handle([weak = std::weak_ptr(all), id = all->add(std::move(listener))] {
    if (auto const alive = weak.lock()) alive->remove(id);
  });
}
COMCP_DECL implementation client_base::server_info() const { return core()->server()->info; }
COMCP_DECL server_capabilities client_base::capabilities() const { return core()->server()->capabilities; }
COMCP_DECL std::string client_base::instructions() const { return core()->server()->instructions; }
COMCP_DECL protocol_version client_base::protocol_version() const {
  return core()->server()->version.value_or(version::latest);
}
COMCP_DECL era_verdict client_base::verdict() const { return core()->server()->verdict; }
COMCP_DECL std::optional<saved_session> client_base::session() const { return core()->server()->session; }
COMCP_DECL transport_info client_base::transport_info() const { return core()->transport_info(); }
COMCP_DECL statistics client_base::statistics() const { return core()->statistics(); }
COMCP_DECL asio::any_io_executor client_base::get_executor() const noexcept {
  return core_ ? core_->home() : asio::any_io_executor();
}

}  // namespace comcp
#endif

// client/initiate.hpp
// An operation for any completion token: begun at home, its handler called on its own executor with void(error, T).
// Internal.

#include <memory>
#include <type_traits>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/associated_allocator.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/recycling_allocator.hpp>
#include <asio/system_executor.hpp>

// client/away.hpp
// Work at a client's home for whoever waits elsewhere: one hop to begin, one to tell how it ended. Internal.

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/execution/outstanding_work.hpp>
#include <asio/prefer.hpp>

namespace comcp::detail {

/// R is the result that it ends with.
template <class R>
class away : public task, public std::enable_shared_from_this<away<R>> {
 public:
  /// `here` is the executor of who waits.
  away(asio::any_io_executor home, asio::any_io_executor const& here)
      : home_(std::move(home)),
        here_(asio::prefer(here, asio::execution::outstanding_work.tracked)),
        at_home_(here == home_) {}
  away(away const&) = delete;
  away& operator=(away const&) = delete;
  // Its work was destroyed, or could not begin: with the execution context of home.
  ~away() override {
    if (caller_ && !at_home_)
      complete_later(std::move(caller_), here_, error(errc::closed, "the execution context is gone"));
  }

  /// From anywhere. `caller` is completed on its executor, never inside this.
  void begin(waiter<R> caller) {
    caller_ = std::move(caller);
    post(home_, this->shared_from_this());
  }
  /// From anywhere.
  void cancel(asio::cancellation_type how) {
    called_off_ = true;  // seen where it has not begun
    post(home_, [self = this->shared_from_this(), how] {
      if (!self->ended_) self->stop(how);
    });
  }

  // At home to begin, then on the caller's executor to end.
  void run() final {
    if (!std::exchange(begun_, true))
      return called_off_ ? end(error(errc::cancelled).with_outcome(call_outcome::not_sent)) : start();
    auto caller = std::move(caller_);
    caller.complete(std::move(outcome_), here_);
  }

 protected:
  // All on home.
  virtual void start() = 0;
  virtual void stop(asio::cancellation_type how) = 0;
  void end(R outcome) {
    ended_ = true;
    outcome_ = std::move(outcome);
    if (at_home_)
      run();
    else
      post(here_, this->shared_from_this());
  }
  /// It ends with what this ends with.
  void walk(asio::awaitable<void> work) { spawn(home_, std::move(work), signal_.slot(), this->shared_from_this()); }
  void stop_walking() { signal_.emit(asio::cancellation_type::terminal); }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }

 private:
  asio::any_io_executor const home_;
  asio::any_io_executor const here_;
  R outcome_;
  waiter<R> caller_;
  asio::cancellation_signal signal_;
  bool const at_home_;
  bool begun_ = false, ended_ = false;
  std::atomic<bool> called_off_{false};
};

/// A coroutine as such work. What it throws is its outcome.
template <class T>
class away_walk final : public away<result<T>> {
 public:
  away_walk(asio::any_io_executor home, asio::any_io_executor const& here, asio::awaitable<T> work)
      : away<result<T>>(std::move(home), here), work_(std::move(work)) {}

 private:
  void start() override {
    this->walk(
        carry(std::static_pointer_cast<away_walk>(this->shared_from_this()), *std::exchange(work_, std::nullopt)));
  }
  // What it did so far is not known, so that it cannot be called off without an effect.
  void stop(asio::cancellation_type how) override {
    if (!is_total_alone(how)) this->stop_walking();
  }
  static asio::awaitable<void> carry(std::shared_ptr<away_walk> self, asio::awaitable<T> work) {
    result<T> r = errc::cancelled;
    try {
      if constexpr (std::is_void_v<T>) {
        co_await std::move(work);
        r = result<T>();
      } else {
        r = co_await std::move(work);
      }
    } catch (...) {
      r = current_error();
    }
    self->end(std::move(r));
  }

  std::optional<asio::awaitable<T>> work_;
};

}  // namespace comcp::detail

// net/completion.hpp
// What Asio's tokens make of an operation that ends with void(comcp::error, T): an awaitable or a future of T, which
// throws comcp::exception. Other tokens (callbacks, as_tuple, deferred) see the two as they are.

#include <exception>
#include <future>
#include <tuple>
#include <type_traits>
#include <utility>

#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>

// net/asio_compat.hpp
// The one place that knows what differs between Asio 1.22 and the newest: where as_tuple lives. And Asio's operations
// with return types that are spelt out: one that is deduced makes g++ compile the operation for whoever reads a call of
// it.

#include <system_error>
#include <tuple>

#include <asio/version.hpp>

#if ASIO_VERSION >= 102300
#include <asio/as_tuple.hpp>
#else
#include <asio/experimental/as_tuple.hpp>
#endif

#include <asio/awaitable.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

namespace comcp::net {

#if ASIO_VERSION >= 102300
using asio::as_tuple;
#else
using asio::experimental::as_tuple;
#endif

/// Completion token: await, and get (error_code, values...) instead of an exception.
inline constexpr auto tuple_awaitable = as_tuple(asio::use_awaitable);

template <class Timer>
asio::awaitable<std::tuple<std::error_code>> async_wait(Timer& timer) {
  return timer.async_wait(tuple_awaitable);
}

template <class Executor>
asio::awaitable<void> async_turn(Executor const& on) {
  return asio::post(on, asio::use_awaitable);
}

template <class Socket>
asio::awaitable<std::tuple<std::error_code>> async_connect(Socket& socket, typename Socket::endpoint_type const& to) {
  return socket.async_connect(to, tuple_awaitable);
}

}  // namespace comcp::net

namespace comcp::detail {

/// The signature of an operation that gives a T.
template <class T>
struct completes_with {
  using type = void(error, T);
};
template <>
struct completes_with<void> {
  using type = void(error);
};
template <class T>
using completion_of = typename completes_with<T>::type;

template <class... T>
struct promised {
  using type = void;
};
template <class T>
struct promised<T> {
  using type = T;
};

/// Keeps a promise of an operation's outcome.
template <class... T>
struct promise_keeper {
  void operator()(error e, T... value) {
    if (e)
      to.set_exception(std::make_exception_ptr(exception(std::move(e))));
    else
      to.set_value(std::move(value)...);
  }
  std::promise<typename promised<T...>::type> to;
};

}  // namespace comcp::detail

namespace asio {

template <class Executor, class... T>
class async_result<use_awaitable_t<Executor>, void(comcp::error, T...)> {
  using value_type = typename comcp::detail::promised<T...>::type;

 public:
  using handler_type =
      typename async_result<use_awaitable_t<Executor>, void(std::tuple<comcp::error, T...>)>::handler_type;
  using return_type = awaitable<value_type, Executor>;

  template <class Initiation, class... Args>
  static return_type initiate(Initiation initiation, use_awaitable_t<Executor> token, Args... args) {
    auto const pair = comcp::net::as_tuple(token);
    auto ending =
        asio::async_initiate<decltype(pair), void(comcp::error, T...)>(std::move(initiation), pair, std::move(args)...);
    auto ended = co_await std::move(ending);
    if (std::get<0>(ended)) throw comcp::exception(std::get<0>(std::move(ended)));
    if constexpr (sizeof...(T) > 0) co_return std::get<1>(std::move(ended));
  }
};

template <class Allocator, class... T>
class async_result<use_future_t<Allocator>, void(comcp::error, T...)> {
 public:
  using return_type = std::future<typename comcp::detail::promised<T...>::type>;

  template <class Initiation, class... Args>
  static return_type initiate(Initiation&& initiation, use_future_t<Allocator> const&, Args&&... args) {
    comcp::detail::promise_keeper<T...> keeper;
    auto outcome = keeper.to.get_future();
    std::forward<Initiation>(initiation)(std::move(keeper), std::forward<Args>(args)...);
    return outcome;
  }
};

}  // namespace asio

namespace comcp::detail {

/// A completion handler for void(error, T) that is given a result.
template <class T, class Handler>
struct told {
  using allocator_type = asio::associated_allocator_t<Handler, asio::recycling_allocator<void>>;
  using cancellation_slot_type = asio::associated_cancellation_slot_t<Handler>;

  [[nodiscard]] allocator_type get_allocator() const noexcept {
    return asio::get_associated_allocator(handler, asio::recycling_allocator<void>());
  }
  [[nodiscard]] cancellation_slot_type get_cancellation_slot() const noexcept {
    return asio::get_associated_cancellation_slot(handler);
  }

  void operator()(result<T> r) {
    error why;
    if (!r)
      why = r.error() ? r.error() : r.error().with_code(make_error_code(errc::protocol_violation));  // a peer's code 0
    if constexpr (std::is_void_v<T>) {
      std::move(handler)(std::move(why));
    } else {
      auto value = r ? *std::move(r) : T();
      std::move(handler)(std::move(why), std::move(value));
    }
  }

  Handler handler;
};

/// The same that is given what a server answered.
template <class T, class Handler>
struct decoded : told<T, Handler> {
  void operator()(reply r) { told<T, Handler>::operator()(decode(std::move(r))); }

  [[nodiscard]] result<T> decode(reply&& r) const noexcept {
    if (!r) return std::move(r).error();
    try {
      if constexpr (std::is_void_v<T>)
        return {};
      else
        return decode_result<T>(*r, may_be_stopped);
    } catch (...) {
      return current_error();
    }
  }

  bool may_be_stopped;  // by manual_input()
};

/// Where a handler is called, if it says nothing: at home.
template <class Handler>
asio::any_io_executor executor_of(Handler const& handler, asio::any_io_executor const& home) {
  if (home) return asio::get_associated_executor(handler, home);
  return asio::get_associated_executor(handler, asio::system_executor());
}

template <class R, class Handler>
void begin_away(std::shared_ptr<away<R>> const& work, Handler handler) {
  auto const cancel = [weak = std::weak_ptr(work)](asio::cancellation_type how) {
    if (auto const alive = weak.lock()) alive->cancel(how);
  };
  work->begin(handler_waiter<R, Handler>::create(std::move(handler), cancel));
}

template <class T>
struct call_initiation {
  std::shared_ptr<client_link> core;
  prepared_call call;

  template <class Handler>
  void operator()(Handler handler) {
    auto const here = executor_of(handler, core ? core->home() : asio::any_io_executor());
    bool const manual = call.options.is_manual_input();
    if (core && core->home())
      return begin_away(core->away(here, std::move(call)), decoded<T, Handler>{{std::move(handler)}, manual});
    begin_away<result<T>>(std::make_shared<away_walk<T>>(here, here, failed<T>(not_connected(call))),
                          told<T, Handler>{std::move(handler)});
  }
};

template <class T>
struct walk_initiation {
  asio::any_io_executor home;  // empty: the handler's
  asio::awaitable<T> work;

  template <class Handler>
  void operator()(Handler handler) {
    auto const here = executor_of(handler, home);
    begin_away<result<T>>(std::make_shared<away_walk<T>>(home ? home : here, here, std::move(work)),
                          told<T, Handler>{std::move(handler)});
  }
};

template <class T, class Token>
auto async_call(std::shared_ptr<client_link> core, prepared_call c, Token&& token) {
  return asio::async_initiate<Token, completion_of<T>>(call_initiation<T>{std::move(core), std::move(c)}, token);
}

template <class T, class Token>
auto async_walk(asio::any_io_executor home, asio::awaitable<T> work, Token&& token) {
  return asio::async_initiate<Token, completion_of<T>>(walk_initiation<T>{std::move(home), std::move(work)}, token);
}

}  // namespace comcp::detail

// client/listing.hpp
// A list that a server gave: all pages in one, with what was set aside. And the pager, which walks lazily.

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// protocol/prompts.hpp
// Prompts: templates of messages that users choose. Spec: server/prompts.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

struct prompt_argument {
  prompt_argument() = default;

  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  bool required = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt_argument>) {
  using t = prompt_argument;
  return json::fields(json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), json::defaulted("required", &t::required),
                      json::rest(&t::raw));
}

struct prompt {
  prompt() = default;

  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<prompt_argument> arguments;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt>) {
  using t = prompt;
  return json::fields(json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), json::defaulted("arguments", &t::arguments),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_prompts_result {
  list_prompts_result() = default;

  std::vector<prompt> prompts;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_prompts_result>) {
  using t = list_prompts_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("prompts", &t::prompts),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The arguments of a prompt: strings by name.
using prompt_arguments = std::map<std::string, std::string>;

struct get_prompt_params {
  get_prompt_params() = default;
  explicit get_prompt_params(std::string prompt_name, prompt_arguments args = {})
      : name(std::move(prompt_name)), arguments(std::move(args)) {}

  std::string name;
  prompt_arguments arguments;
  std::optional<comcp::input_responses> input_responses;
  std::optional<std::string> request_state;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<get_prompt_params>) {
  using t = get_prompt_params;
  return json::fields(json::field("name", &t::name), json::defaulted("arguments", &t::arguments),
                      json::field("inputResponses", &t::input_responses),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct prompt_message {
  prompt_message() = default;
  prompt_message(comcp::role who, content_block piece) : role(who), content(std::move(piece)) {}

  comcp::role role = comcp::role::user;
  content_block content;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt_message>) {
  using t = prompt_message;
  return json::fields(json::field("role", &t::role), json::field("content", &t::content), json::rest(&t::raw));
}

struct get_prompt_result {
  get_prompt_result() = default;

  std::optional<std::string> description;
  std::vector<prompt_message> messages;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<get_prompt_result>) {
  using t = get_prompt_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("description", &t::description),
                      json::field("messages", &t::messages), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

namespace comcp {

/// A whole list. One broken definition is set aside with its reason; the rest is here.
template <class T>
class listing {
 public:
  listing() = default;
  [[nodiscard]] auto begin() const noexcept { return items_.begin(); }
  [[nodiscard]] auto end() const noexcept { return items_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] T const& operator[](std::size_t i) const noexcept { return items_[i]; }
  [[nodiscard]] std::vector<T> const& items() const& noexcept { return items_; }
  [[nodiscard]] std::vector<T> items() && noexcept { return std::move(items_); }
  [[nodiscard]] std::vector<comcp::set_aside> const& set_aside() const noexcept { return set_aside_; }
  /// The first with this name, or null.
  [[nodiscard]] T const* find(std::string_view name) const noexcept {
    for (auto const& item : items_) {
      if (item.name == name) return &item;
    }
    return nullptr;
  }

  void append(std::vector<T> items, std::vector<comcp::set_aside> aside) {
    if (items_.empty()) {
      items_ = std::move(items);
    } else {
      items_.insert(items_.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
    }
    set_aside_.insert(set_aside_.end(), aside.begin(), aside.end());
  }

 private:
  std::vector<T> items_;
  std::vector<comcp::set_aside> set_aside_;
};

namespace detail {

template <class T>
struct list_traits;
template <>
struct list_traits<tool> {
  using page = list_tools_result;
  static constexpr auto const& method = wire::methods::list_tools;
  static constexpr std::string_view kind = "tools";
  static auto& items(page& p) { return p.tools; }
};
template <>
struct list_traits<resource> {
  using page = list_resources_result;
  static constexpr auto const& method = wire::methods::list_resources;
  static constexpr std::string_view kind = "resources";
  static auto& items(page& p) { return p.resources; }
};
template <>
struct list_traits<resource_template> {
  using page = list_resource_templates_result;
  static constexpr auto const& method = wire::methods::list_resource_templates;
  static constexpr std::string_view kind = "resources";
  static auto& items(page& p) { return p.resource_templates; }
};
template <>
struct list_traits<prompt> {
  using page = list_prompts_result;
  static constexpr auto const& method = wire::methods::list_prompts;
  static constexpr std::string_view kind = "prompts";
  static auto& items(page& p) { return p.prompts; }
};

/// Tells the observer, on home.
inline void report_set_aside(std::shared_ptr<client_link> const& core, comcp::set_aside const& broken) {
  auto tell = [core, why = error(errc::wrong_shape, "a definition was set aside: " + broken.reason)] { core->fault(why); };
  detail::post(core->home(), std::move(tell));
}

/// One page, decoded. `of` is the uri of what is listed, where it is not the server's only list of its kind. The
/// size of its text is added to `bytes`.
template <class T>
asio::awaitable<typename list_traits<T>::page> list_page(std::shared_ptr<client_link> core,
                                                         std::optional<std::string> from, call_options options,
                                                         std::string of = {}, std::size_t* bytes = nullptr) {
  require(core);
  json::object asked;
  if (!of.empty()) asked.set("uri", of);
  if (from) asked.set("cursor", *from);
  std::string params = asked.text();
  if (params == "{}") params.clear();
  prepared_call c(list_traits<T>::method, std::move(params), std::move(options));
  c.repeatable = true;
  auto called = typed_call<json::value>(core, std::move(c));
  auto const v = co_await std::move(called);
  if (bytes) *bytes += v.text_size();
  auto page = json::read<typename list_traits<T>::page>(v.view());
  if (!page) throw exception(page.error().with_code(make_error_code(errc::protocol_violation)));
  if constexpr (std::same_as<T, tool>) {
    auto adopting = core->adopt_tools(*page);
    co_await std::move(adopting);
  }
  for (auto const& broken : page->set_aside) report_set_aside(core, broken);
  co_return std::move(*page);
}

}  // namespace detail

/// Walks a list page by page, as far as the caller wants. Bounded by limits().pages(), items() and list_bytes(); a cursor that
/// comes twice is errc::protocol_violation. One next() at a time.
template <class T>
class pager {
 public:
  using page_type = typename detail::list_traits<T>::page;

  pager(std::shared_ptr<detail::client_link> core, call_options options, std::string of = {})
      : state_(std::make_shared<state>(std::move(core), std::move(options), std::move(of))) {}

  /// The next page, or nothing behind the last one.
  [[nodiscard]] asio::awaitable<std::optional<page_type>> next() { return step(state_); }

 private:
  struct state {
    state(std::shared_ptr<detail::client_link> c, call_options o, std::string u)
        : core(std::move(c)), options(std::move(o)), of(std::move(u)) {}
    std::shared_ptr<detail::client_link> core;
    call_options options;
    std::string of;
    std::optional<std::string> cursor;
    std::set<std::pair<std::size_t, std::size_t>> seen;  // lengths and hashes: a cursor may be long
    std::size_t pages = 0, items = 0, bytes = 0;
    bool done = false;
  };

  static asio::awaitable<std::optional<page_type>> step(std::shared_ptr<state> s) {
    if (s->done) co_return std::nullopt;
    auto const limits = s->core->bounds(s->options);
    if (++s->pages > limits.pages) throw exception(error(errc::limit_exceeded, "more pages than limits().pages()"));
    auto page = co_await detail::list_page<T>(s->core, s->cursor, s->options, s->of, &s->bytes);
    s->items += detail::list_traits<T>::items(page).size();
    if (s->items > limits.items) throw exception(error(errc::limit_exceeded, "more items than limits().items()"));
    if (s->bytes > limits.bytes)
      throw exception(error(errc::limit_exceeded, "more bytes than limits().list_bytes()"));
    s->cursor = page.next_cursor;
    if (!s->cursor) {
      s->done = true;
    } else if (!s->seen.emplace(s->cursor->size(), std::hash<std::string>()(*s->cursor)).second) {
      throw exception(error(errc::protocol_violation, "the server gave one cursor twice"));
    }
    co_return std::optional<page_type>(std::move(page));
  }

  std::shared_ptr<state> state_;
};

namespace detail {

template <class T>
asio::awaitable<listing<T>> list_all(std::shared_ptr<client_link> core, call_options options) {
  require(core);
  auto const bounds = core->bounds(options);
  pager<T> pages(core, options);
  listing<T> all;
  bool inside = false;
  // Once: a cursor that the cache kept may be of a list that is no more.
  bool may_restart = bounds.cached;
  for (;;) {
    std::optional<typename list_traits<T>::page> page;
    bool lost = false;
    try {
      page = co_await pages.next();
    } catch (exception const& e) {
      lost = inside && may_restart && e.error().peer();
      if (!lost) throw;
    }
    if (lost) {
      may_restart = inside = false;
      pages = pager<T>(core, options);
      all = listing<T>();
      continue;
    }
    if (!page) co_return all;
    inside = true;
    all.append(std::move(list_traits<T>::items(*page)), std::move(page->set_aside));
    if (core->bounds(options).now > bounds.end) throw exception(error(errc::timeout, "the list was not complete within the hard timeout"));
  }
}

}  // namespace detail

namespace detail {

/// One refresh in flight, one trailing, debounced: after each change the listener gets the whole list.
template <class T>
struct list_watcher : std::enable_shared_from_this<list_watcher<T>> {
  using listener = std::function<void(result<listing<T>>)>;
  static constexpr std::chrono::milliseconds debounce{300};

  list_watcher(std::weak_ptr<client_link> c, listener f) : core(std::move(c)), call(std::move(f)) {}

  void changed() {
    dirty = true;
    auto const alive = core.lock();
    if (running || !alive || stopped) return;
    running = true;
    detail::spawn(alive->home(), refresh(this->shared_from_this(), alive));
  }

  static asio::awaitable<void> refresh(std::shared_ptr<list_watcher> self, std::shared_ptr<client_link> alive) {
    while (self->dirty && !self->stopped) {
      bool const slept = co_await alive->life().sleep(debounce);
      if (!slept || self->stopped) break;
      self->dirty = false;
      result<listing<T>> outcome = error(errc::closed);
      try {
        outcome = co_await list_all<T>(alive, call_options());
      } catch (exception const& e) {
        outcome = e.error();
      }
      self->give(alive, std::move(outcome));
    }
    self->running = false;
  }

  void silent(error const& why) {
    auto const alive = core.lock();
    if (!alive) return;
    auto tell = [self = this->shared_from_this(), alive, why] { self->give(alive, why); };
    detail::post(alive->home(), std::move(tell));
  }

  void give(std::shared_ptr<client_link> const& alive, result<listing<T>> outcome) {
    try {
      if (!stopped) call(std::move(outcome));
    } catch (...) {
      alive->fault(error(errc::invalid_argument, "a listener of a watched list threw"));
    }
  }

  std::weak_ptr<client_link> core;
  listener call;
  bool dirty = false, running = false;
  std::atomic<bool> stopped{false};  // by any thread; the rest is home's
  std::uint64_t handle = 0;
};

}  // namespace detail
}  // namespace comcp

namespace comcp {

/// What every client can do with the lists of its server; the rules for operations are those of comcp::client.
class server_lists : public client_base {
 public:
  using client_base::client_base;

  /// All tools, every page of them.
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<tool>> list_tools(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<resource>> list_resources(
      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<resource_template>> list_resource_templates(
      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<prompt>> list_prompts(call_options options = call_options()) const;

  /// One page; an empty string is a cursor too.
  COMCP_LAZY [[nodiscard]] asio::awaitable<list_tools_result> list_tools_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<list_resources_result> list_resources_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<list_resource_templates_result> list_resource_templates_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<list_prompts_result> list_prompts_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;

  // The same for any completion token; see comcp::client.
  template <class Token>
  auto async_list_tools(call_options options, Token&& token) const {
    return detail::async_walk<listing<tool>>(get_executor(), list_tools(std::move(options)),
                                             std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_resources(call_options options, Token&& token) const {
    return detail::async_walk<listing<resource>>(get_executor(), list_resources(std::move(options)),
                                                 std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_resource_templates(call_options options, Token&& token) const {
    return detail::async_walk<listing<resource_template>>(get_executor(), list_resource_templates(std::move(options)),
                                                          std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_prompts(call_options options, Token&& token) const {
    return detail::async_walk<listing<prompt>>(get_executor(), list_prompts(std::move(options)),
                                               std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_tools_page(std::optional<std::string> from, call_options options, Token&& token) const {
    return detail::async_walk<list_tools_result>(get_executor(), list_tools_page(std::move(from), std::move(options)),
                                                 std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_resources_page(std::optional<std::string> from, call_options options, Token&& token) const {
    return detail::async_walk<list_resources_result>(
        get_executor(), list_resources_page(std::move(from), std::move(options)), std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_resource_templates_page(std::optional<std::string> from, call_options options, Token&& token) const {
    return detail::async_walk<list_resource_templates_result>(
        get_executor(), list_resource_templates_page(std::move(from), std::move(options)), std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_prompts_page(std::optional<std::string> from, call_options options, Token&& token) const {
    return detail::async_walk<list_prompts_result>(
        get_executor(), list_prompts_page(std::move(from), std::move(options)), std::forward<Token>(token));
  }

  /// Walks lazily: pages<tool>(), pages<resource>(), pages<resource_template>(), pages<prompt>().
  template <class T>
  [[nodiscard]] pager<T> pages(call_options options = call_options()) const {
    return pager<T>(core(), std::move(options));
  }

  /// Gives `f` the whole list after each change (one refresh in flight, one trailing, 300 ms debounce), on the
  /// client's executor, until the returned handle is destroyed; and an error where the server turns out not to tell of
  /// changes (errc::capability_missing) or cannot for now: the list comes again when it can.
  COMCP_LAZY [[nodiscard]] watch_handle watch_tools(std::function<void(result<listing<tool>>)> f) const;
  COMCP_LAZY [[nodiscard]] watch_handle watch_resources(std::function<void(result<listing<resource>>)> f) const;
  COMCP_LAZY [[nodiscard]] watch_handle watch_prompts(std::function<void(result<listing<prompt>>)> f) const;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/server_lists.ipp

namespace comcp {
namespace detail {

template <class T>
watch_handle watch_list(std::shared_ptr<client_link> const& core, typename list_watcher<T>::listener f) {
  auto const watcher = std::make_shared<list_watcher<T>>(core, std::move(f));
  detail::dispatch(core->home(), [watcher, core] {
    if (watcher->stopped) return;
    watcher->handle = subscriptions_of<client_core>(*core).watch(
        std::string(list_traits<T>::kind), [watcher] { watcher->changed(); },
        [watcher](error const& why) { watcher->silent(why); });
  });
  return watch_handle([watcher, weak = std::weak_ptr(core)] {
    watcher->stopped = true;
    auto const alive = weak.lock();
    if (!alive) return;
    detail::dispatch(alive->home(), [watcher, alive] {
      if (watcher->handle) alive->subscriptions(nullptr).unwatch(watcher->handle);
    });
  });
}

}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<listing<tool>> server_lists::list_tools(call_options options) const {
  return detail::list_all<tool>(core_, std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<listing<resource>> server_lists::list_resources(call_options options) const {
  return detail::list_all<resource>(core_, std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<listing<resource_template>> server_lists::list_resource_templates(
    call_options options) const {
  return detail::list_all<resource_template>(core_, std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<listing<prompt>> server_lists::list_prompts(call_options options) const {
  return detail::list_all<prompt>(core_, std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<list_tools_result> server_lists::list_tools_page(
    std::optional<std::string> from, call_options options) const {
  return detail::list_page<tool>(core_, std::move(from), std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<list_resources_result> server_lists::list_resources_page(
    std::optional<std::string> from, call_options options) const {
  return detail::list_page<resource>(core_, std::move(from), std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<list_resource_templates_result> server_lists::list_resource_templates_page(
    std::optional<std::string> from, call_options options) const {
  return detail::list_page<resource_template>(core_, std::move(from), std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<list_prompts_result> server_lists::list_prompts_page(
    std::optional<std::string> from, call_options options) const {
  return detail::list_page<prompt>(core_, std::move(from), std::move(options));
}

COMCP_LAZY_DECL watch_handle server_lists::watch_tools(std::function<void(result<listing<tool>>)> f) const {
  return detail::watch_list<tool>(core(), std::move(f));
}
COMCP_LAZY_DECL watch_handle server_lists::watch_resources(std::function<void(result<listing<resource>>)> f) const {
  return detail::watch_list<resource>(core(), std::move(f));
}
COMCP_LAZY_DECL watch_handle server_lists::watch_prompts(std::function<void(result<listing<prompt>>)> f) const {
  return detail::watch_list<prompt>(core(), std::move(f));
}

}  // namespace comcp
#endif

// client/subscription.hpp
// What client.listen() gives: one stream of notifications of its own.

#include <memory>
#include <optional>
#include <utility>

#include <asio/awaitable.hpp>

// client/listen_stream.hpp
// One stream of notifications, as its reader and listen_streams share it. Internal.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace comcp::detail {

/// One subscriptions/listen request and what came on it.
struct listen_stream {
  explicit listen_stream(subscription_filter f) : asked(std::move(f)) {}

  prepared_call call{"subscriptions/listen", {}, {}};
  pending_entry entry;
  pending_entry acknowledgment;  // waited for while it is outstanding
  subscription_filter asked, acknowledged;
  bool is_acknowledged = false;
  std::chrono::steady_clock::time_point acknowledged_at{};
  bool independent = false;  // made by listen(): has a queue and its own reader
  std::deque<any_notification> queue;
  std::atomic<std::uint64_t> dropped{0};
  std::vector<request_id> readers;  // those that wait

  // On any thread.
  [[nodiscard]] std::optional<error> ended() const {
    std::lock_guard const lock(mutex_);
    return ended_;
  }
  /// An empty error: gracefully. The first counts.
  void end(error why) {
    std::lock_guard const lock(mutex_);
    if (!ended_) ended_ = std::move(why);
  }
  void begin_again() {
    std::lock_guard const lock(mutex_);
    ended_.reset();
  }

 private:
  mutable std::mutex mutex_;
  std::optional<error> ended_;
};

}  // namespace comcp::detail

namespace comcp {

/// A listen stream (2026-07-28, basic/patterns/subscriptions). Move-only; destroying it ends it, by way of
/// the client's executor. Its functions may be called on any thread, one at a time. Unread notifications beyond
/// limits().subscription_queue() are dropped and counted.
class subscription {
 public:
  subscription() = default;
  subscription(std::shared_ptr<detail::client_link> core, std::shared_ptr<detail::listen_stream> s) noexcept
      : core_(std::move(core)), stream_(std::move(s)) {}
  subscription(subscription&&) noexcept = default;
  subscription& operator=(subscription&& other) noexcept {
    if (this != &other) {
      close();
      core_ = std::move(other.core_);
      stream_ = std::move(other.stream_);
    }
    return *this;
  }
  ~subscription() { close(); }

  /// The next notification, or nothing once the stream has ended and its queue is empty. Each goes to one reader. Errors:
  /// errc::closed after close(), and for an object that has no stream.
  COMCP_LAZY [[nodiscard]] asio::awaitable<std::optional<any_notification>> next();
  /// What the server agreed to send. Throws as next() does.
  [[nodiscard]] subscription_filter const& acknowledged() const { return stream().acknowledged; }
  [[nodiscard]] std::uint64_t dropped() const { return stream().dropped; }
  /// Set once the stream has ended: an empty error for a graceful end, else the reason.
  [[nodiscard]] std::optional<error> closed() const {
    return stream_ ? stream_->ended() : std::optional(error(errc::closed));
  }
  void close() noexcept {
    auto const stream = std::exchange(stream_, nullptr);
    if (!core_ || !stream || stream->ended()) return;
    try {
      detail::dispatch(core_->home(), [core = core_, stream] { core->subscriptions(nullptr).close(*stream); });
    } catch (...) {  // no memory: it ends with its connection
    }
  }

 private:
  static error no_stream() { return {errc::closed, "this subscription has no stream, or was closed"}; }
  [[nodiscard]] detail::listen_stream const& stream() const {
    if (!stream_) throw exception(no_stream());
    return *stream_;
  }

  std::shared_ptr<detail::client_link> core_;
  std::shared_ptr<detail::listen_stream> stream_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/subscription.ipp

namespace comcp {

COMCP_LAZY_DECL asio::awaitable<std::optional<any_notification>> subscription::next() {
  if (!stream_) return detail::failed<std::optional<any_notification>>(no_stream());
  return detail::on_home(core_, core_->subscriptions(nullptr).next(stream_));
}

}  // namespace comcp
#endif

namespace comcp {

/// What every comcp::client can do. Operations return asio::awaitable<T>, may be started, stored and awaited on any
/// executor, and resume there. They throw comcp::exception; co_await as_result(op) gives a result<T> instead. Their
/// arguments are copied or encoded before they return.
class awaitable_client : public server_lists {
 public:
  awaitable_client() = default;
  using server_lists::server_lists;

  // Server features. Specification: server/tools, server/resources, server/prompts, server/utilities/*.

  /// Calls a tool. A result with is_error set is a value: or_throw() on it where that is wanted.
  COMCP_LAZY [[nodiscard]] asio::awaitable<call_tool_result> call_tool(std::string_view name,
                                                                       json::fragment arguments = json::fragment(),
                                                                       call_options options = call_options()) const;
  /// The same, typed: `in` is any writable, Out any readable of the structured content. A tool's error is
  /// errc::tool_failed.
  template <json::readable Out, json::writable In>
  [[nodiscard]] asio::awaitable<Out> call_tool(std::string_view name, In const& in,
                                               call_options options = call_options()) const;

  COMCP_LAZY [[nodiscard]] asio::awaitable<read_resource_result> read_resource(
      std::string_view uri, call_options options = call_options()) const;
  /// Expands the template (RFC 6570) and reads that. Errors: invalid_argument for a bad template.
  COMCP_LAZY [[nodiscard]] asio::awaitable<read_resource_result> read_resource(
      resource_template const& t, json::fragment const& variables, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<get_prompt_result> get_prompt(std::string_view name,
                                                                         json::fragment arguments = json::fragment(),
                                                                         call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<complete_result> complete(complete_params const& what,
                                                                     call_options options = call_options()) const;

  /// Legacy: logging/setLevel. Modern: the level that each later request asks for.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> set_log_level(log_level level,
                                                               call_options options = call_options()) const;
  /// Legacy only; keep-alive uses server/discover in the modern era.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> ping(call_options options = call_options()) const;
  /// Modern only.
  COMCP_LAZY [[nodiscard]] asio::awaitable<discover_result> discover(call_options options = call_options()) const;

  /// Calls `f` at each update of the resource. Completes when the server has acknowledged it, which the options'
  /// timeouts and stop token bound. Several local subscribers of one uri share one subscription on the wire (in the
  /// modern era one for all uris, which carries nobody's `_meta`).
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> subscribe(std::string_view uri,
                                                           updated_callback f = updated_callback(),
                                                           call_options options = call_options()) const;
  /// Ends all local subscriptions to this uri; in the modern era without waiting for the server.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> unsubscribe(std::string_view uri,
                                                             call_options options = call_options()) const;
  /// Modern only: a stream of its own. The options' timeouts and stop token bound its beginning, not its life.
  COMCP_LAZY [[nodiscard]] asio::awaitable<subscription> listen(subscription_filter filter,
                                                                call_options options = call_options()) const;

  /// Any request, such as a vendor's; `params` is an object or absent.
  COMCP_LAZY [[nodiscard]] asio::awaitable<json::value> request(std::string_view method,
                                                                json::fragment params = json::fragment(),
                                                                call_options options = call_options()) const;
  /// Any notification. Not sent (and no error) once the connection is closed.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> notify(std::string_view method,
                                                        json::fragment params = json::fragment()) const;
  /// Tells the server that the roots changed, where the era has that.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> notify_roots_changed() const;

  /// Goes on with a call that manual_input() stopped: `required` is the `raw` of its result, `responses` an object
  /// with an answer for each key of its inputRequests.
  template <json::readable Result>
  [[nodiscard]] asio::awaitable<Result> resume(json::value required, json::fragment responses,
                                               call_options options = call_options()) const;

  // The connection.

  /// Graceful and bounded; cancelling it stops only the waiting. Twice is fine.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close() const;
  /// Ends the connection gracefully and begins a new one at once, as after a crash: what is under way ends with
  /// outcome_unknown, what begins meanwhile waits; handshake, log level and subscriptions are repeated. Completes when
  /// that is ready; throws what it failed with, and then connect_options().reconnect() decides whether it is tried
  /// again (without one the client has ended). Ends the wait before an attempt, too. Cancelling it stops only the
  /// waiting.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> reconnect() const;
  /// Waits for the end and gives its reason.
  COMCP_LAZY [[nodiscard]] asio::awaitable<error> closed() const;
};

template <json::readable Out, json::writable In>
asio::awaitable<Out> awaitable_client::call_tool(std::string_view name, In const& in, call_options options) const {
  auto prepared = detail::tool_call(name, json::fragment::of(in), std::move(options));
  return detail::structured_call<Out>(core_, std::move(prepared));
}

template <json::readable Result>
asio::awaitable<Result> awaitable_client::resume(json::value required, json::fragment responses,
                                                 call_options options) const {
  return detail::resumed<Result>(core_, std::move(required), std::move(responses), std::move(options));
}

}  // namespace comcp

// jsonrpc/encode.hpp
// Writes messages around parts that are JSON text already. Which parts belong in is wire's decision.

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace comcp::jsonrpc {

inline void append_number(std::string& out, std::uint64_t n) {
  char buffer[24];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, n).ptr;
  out.append(buffer, static_cast<std::size_t>(end - buffer));
}

/// Starts `{"jsonrpc":"2.0","id":N,"method":"M"` in a string with room for `more` bytes, a newline and padding.
inline std::string begin_request(std::uint64_t id, std::string_view method, std::size_t more) {
  std::string out;
  out.reserve(64 + method.size() + more + padded_text::spare);
  out += R"({"jsonrpc":"2.0","id":)";
  append_number(out, id);
  out += R"(,"method":")";
  out += method;  // methods are checked to need no escaping
  out += '"';
  return out;
}

/// A notification; `params` is an object's text or empty.
inline std::string notification(std::string_view method, std::string_view params) {
  std::string out;
  out.reserve(64 + method.size() + params.size() + padded_text::spare);
  out += R"({"jsonrpc":"2.0","method":")";
  out += method;
  out += '"';
  if (!params.empty()) out.append(R"(,"params":)").append(params);
  out += '}';
  return out;
}

/// The answer to a request with this raw id.
inline std::string response(std::string_view raw_id, std::string_view result) {
  std::string out;
  out.reserve(48 + raw_id.size() + result.size() + padded_text::spare);
  out.append(R"({"jsonrpc":"2.0","id":)").append(raw_id).append(R"(,"result":)").append(result).append("}");
  return out;
}

inline std::string error_response(std::string_view raw_id, peer_error const& e) {
  json::writer w;
  w.begin_object().plain_key("code").integer(e.code).plain_key("message").string(e.message);
  if (!e.data.empty()) w.plain_key("data").raw(e.data);
  w.end_object();
  std::string out;
  out.append(R"({"jsonrpc":"2.0","id":)").append(raw_id).append(R"(,"error":)").append(w.text()).append("}");
  return out;
}

/// Whether a method name can be written between quotes as it is (every name of MCP can).
inline bool is_plain_method(std::string_view method) noexcept {
  bool plain = !method.empty();
  for (char const c : method) plain &= c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
  return plain;
}

}  // namespace comcp::jsonrpc
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/awaitable_client.ipp

namespace comcp {
namespace detail {

// At home: whoever sees to subscriptions may have to be made.
COMCP_LAZY asio::awaitable<void> subscribing(std::shared_ptr<client_link> core, std::string uri, updated_callback f,
                                             call_options options) {
  auto work = subscriptions_of<client_core>(*core).subscribe(std::move(uri), std::move(f), std::move(options));
  co_await std::move(work);
}

COMCP_LAZY asio::awaitable<void> unsubscribing(std::shared_ptr<client_link> core, std::string uri,
                                               call_options options) {
  auto work = subscriptions_of<client_core>(*core).unsubscribe(std::move(uri), std::move(options));
  co_await std::move(work);
}

COMCP_LAZY asio::awaitable<std::shared_ptr<listen_stream>> listening(std::shared_ptr<client_link> core,
                                                                             subscription_filter filter,
                                                                             call_options options) {
  auto work = subscriptions_of<client_core>(*core).listen(std::move(filter), std::move(options));
  auto stream = co_await std::move(work);
  co_return stream;
}

COMCP_LAZY asio::awaitable<void> restarting(std::shared_ptr<client_link> core) {
  auto work = restarts_of<client_core>(*core).reconnect(error(errc::transport_failed, "the connection is begun anew"));
  co_await std::move(work);
}

COMCP_LAZY asio::awaitable<subscription> listen_call(std::shared_ptr<client_link> core, subscription_filter filter,
                                                     call_options options) {
  require(core);
  auto opening = on_home(core, listening(core, std::move(filter), std::move(options)));
  auto stream = co_await std::move(opening);
  co_return subscription(core, std::move(stream));
}

}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<call_tool_result> awaitable_client::call_tool(std::string_view name, json::fragment arguments,
                                                               call_options options) const {
  return detail::typed_call<call_tool_result>(core_,
                                              detail::tool_call(name, std::move(arguments), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> awaitable_client::read_resource(std::string_view uri,
                                                                       call_options options) const {
  return detail::typed_call<read_resource_result>(core_, detail::resource_call(uri, std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> awaitable_client::read_resource(resource_template const& t,
                                                                       json::fragment const& variables,
                                                                       call_options options) const {
  return detail::typed_call<read_resource_result>(core_, detail::resource_call(t, variables, std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<get_prompt_result> awaitable_client::get_prompt(std::string_view name, json::fragment arguments,
                                                                 call_options options) const {
  return detail::typed_call<get_prompt_result>(core_, detail::prompt_call(name, std::move(arguments), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<complete_result> awaitable_client::complete(complete_params const& what,
                                                                  call_options options) const {
  return detail::typed_call<complete_result>(core_, detail::complete_call(what, std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::set_log_level(log_level level, call_options options) const {
  return core_ ? core_->set_level(level, std::move(options)) : detail::failed<void>(detail::not_connected());
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::ping(call_options options) const {
  return detail::typed_call<void>(core_, detail::prepared_call(wire::methods::ping, {}, std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<discover_result> awaitable_client::discover(call_options options) const {
  return detail::typed_call<discover_result>(core_, detail::discover_call(std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::subscribe(std::string_view uri, updated_callback f,
                                                   call_options options) const {
  if (!core_) return detail::failed<void>(detail::not_connected());
  return detail::on_home(core_, detail::subscribing(core_, std::string(uri), std::move(f), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::unsubscribe(std::string_view uri, call_options options) const {
  if (!core_) return detail::failed<void>(detail::not_connected());
  return detail::on_home(core_, detail::unsubscribing(core_, std::string(uri), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<subscription> awaitable_client::listen(subscription_filter filter, call_options options) const {
  return detail::listen_call(core_, std::move(filter), std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<json::value> awaitable_client::request(std::string_view method, json::fragment params,
                                                        call_options options) const {
  return detail::typed_call<json::value>(core_, detail::any_call(method, std::move(params), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::notify(std::string_view method, json::fragment params) const {
  if (auto const bad = detail::check_params(params)) return detail::failed<void>(bad);
  if (!jsonrpc::is_plain_method(method)) return detail::failed<void>({errc::invalid_argument, "not a method name"});
  if (!core_) return detail::failed<void>(detail::not_connected());
  return core_->notify(std::string(method), std::move(params).text());
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::notify_roots_changed() const {
  return core_ ? core_->notify_roots_changed() : detail::failed<void>(detail::not_connected());
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::close() const {
  return core_ ? core_->life().close() : detail::failed<void>(detail::not_connected());
}
COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::reconnect() const {
  return core_ ? detail::on_home(core_, detail::restarting(core_)) : detail::failed<void>(detail::not_connected());
}
COMCP_LAZY_DECL asio::awaitable<error> awaitable_client::closed() const {
  return core_ ? core_->life().ended() : detail::failed<error>(detail::not_connected());
}

}  // namespace comcp
#endif

namespace comcp {

/// A connection to one MCP server. Move-only; destroying it is abrupt (pending calls end with errc::closed, a
/// server process is killed and reaped), close() is graceful.
///
/// Each operation `x` has a form `async_x(..., token)` for Asio's completion tokens, with all arguments said. Its
/// signature is `void(comcp::error, T)` (`void(comcp::error)` where there is no value), T being what the awaitable form
/// gives; the value is T() where the error is set. asio::use_awaitable_t<E> (for any executor type E) and
/// asio::use_future give a T and throw comcp::exception instead.
///
/// These may be called from any thread, and copy their arguments. The handler is called once, never inside the call
/// that began the operation, on its associated executor (default: the client's), with its associated allocator used for
/// what waits. An exception that leaves it leaves that executor's run(). Its cancellation slot is heeded: terminal and
/// partial end the operation with errc::cancelled, total does where nothing of it was sent yet (where it has not begun,
/// of an operation of several requests or with interceptors). Slots are not thread-safe: emit on the handler's
/// executor. Errors: as the awaitable form.
class client : public awaitable_client {
 public:
  client() = default;  ///< Not connected: every operation fails with errc::closed.
  using awaitable_client::awaitable_client;

  template <class Token>
  auto async_call_tool(std::string_view name, json::fragment arguments, call_options options, Token&& token) const {
    return detail::async_call<call_tool_result>(
        core_, detail::tool_call(name, std::move(arguments), std::move(options)), std::forward<Token>(token));
  }
  template <json::readable Out, json::writable In, class Token>
  auto async_call_tool(std::string_view name, In const& in, call_options options, Token&& token) const {
    return detail::async_walk<Out>(get_executor(), call_tool<Out>(name, in, std::move(options)),
                                   std::forward<Token>(token));
  }
  template <class Token>
  auto async_read_resource(std::string_view uri, call_options options, Token&& token) const {
    return detail::async_call<read_resource_result>(core_, detail::resource_call(uri, std::move(options)),
                                                    std::forward<Token>(token));
  }
  template <class Token>
  auto async_read_resource(resource_template const& t, json::fragment const& variables, call_options options,
                           Token&& token) const {
    return detail::async_call<read_resource_result>(core_, detail::resource_call(t, variables, std::move(options)),
                                                    std::forward<Token>(token));
  }
  template <class Token>
  auto async_get_prompt(std::string_view name, json::fragment arguments, call_options options, Token&& token) const {
    return detail::async_call<get_prompt_result>(
        core_, detail::prompt_call(name, std::move(arguments), std::move(options)), std::forward<Token>(token));
  }
  template <class Token>
  auto async_complete(complete_params const& what, call_options options, Token&& token) const {
    return detail::async_call<complete_result>(core_, detail::complete_call(what, std::move(options)),
                                               std::forward<Token>(token));
  }
  template <class Token>
  auto async_set_log_level(log_level level, call_options options, Token&& token) const {
    return detail::async_walk<void>(get_executor(), set_log_level(level, std::move(options)),
                                    std::forward<Token>(token));
  }
  template <class Token>
  auto async_ping(call_options options, Token&& token) const {
    return detail::async_call<void>(core_, detail::prepared_call(wire::methods::ping, {}, std::move(options)),
                                    std::forward<Token>(token));
  }
  template <class Token>
  auto async_discover(call_options options, Token&& token) const {
    return detail::async_call<discover_result>(core_, detail::discover_call(std::move(options)),
                                               std::forward<Token>(token));
  }
  template <class Token>
  auto async_subscribe(std::string_view uri, updated_callback f, call_options options, Token&& token) const {
    return detail::async_walk<void>(get_executor(), subscribe(uri, std::move(f), std::move(options)),
                                    std::forward<Token>(token));
  }
  template <class Token>
  auto async_unsubscribe(std::string_view uri, call_options options, Token&& token) const {
    return detail::async_walk<void>(get_executor(), unsubscribe(uri, std::move(options)), std::forward<Token>(token));
  }
  template <class Token>
  auto async_listen(subscription_filter filter, call_options options, Token&& token) const {
    return detail::async_walk<subscription>(get_executor(), listen(std::move(filter), std::move(options)),
                                            std::forward<Token>(token));
  }
  template <class Token>
  auto async_request(std::string_view method, json::fragment params, call_options options, Token&& token) const {
    return detail::async_call<json::value>(core_, detail::any_call(method, std::move(params), std::move(options)),
                                           std::forward<Token>(token));
  }
  template <class Token>
  auto async_notify(std::string_view method, json::fragment params, Token&& token) const {
    return detail::async_walk<void>(get_executor(), notify(method, std::move(params)), std::forward<Token>(token));
  }
  template <class Token>
  auto async_notify_roots_changed(Token&& token) const {
    return detail::async_walk<void>(get_executor(), notify_roots_changed(), std::forward<Token>(token));
  }
  template <json::readable Result, class Token>
  auto async_resume(json::value required, json::fragment responses, call_options options, Token&& token) const {
    return detail::async_walk<Result>(get_executor(),
                                      resume<Result>(std::move(required), std::move(responses), std::move(options)),
                                      std::forward<Token>(token));
  }
  template <class Token>
  auto async_close(Token&& token) const {
    return detail::async_walk<void>(get_executor(), close(), std::forward<Token>(token));
  }
  template <class Token>
  auto async_reconnect(Token&& token) const {
    return detail::async_walk<void>(get_executor(), this->reconnect(), std::forward<Token>(token));
  }
  /// The handler is given the reason: `void(comcp::error)`.
  template <class Token>
  auto async_closed(Token&& token) const {
    return detail::async_walk<void>(get_executor(), detail::as_failure(closed()), std::forward<Token>(token));
  }
};

}  // namespace comcp

// client/context.hpp
// What a handler learns about the request or notification that it handles.

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace comcp {

class client;
class context;
namespace detail {
class client_link;
class dispatcher;
class input_rounds;
class validation_plan;
result<json::fragment> complete_elicitation(context const& ctx, json::view request, json::fragment const& answered);
}  // namespace detail

/// Given to handler members that take it as their last parameter. Copyable; use it on the client's executor.
class context {
 public:
  context();
  ~context();
  context(context const&);
  context& operator=(context const&);

  /// The server that asks, as it names itself; empty before it did.
  [[nodiscard]] std::string server_name() const;
  /// The method that is handled, such as "elicitation/create".
  [[nodiscard]] std::string const& method() const noexcept { return method_; }
  /// Whether the server withdrew its request, or the call that it belongs to ended. An awaiting handler is also
  /// cancelled through its coroutine.
  [[nodiscard]] bool cancelled() const noexcept { return cancelled_ && *cancelled_; }
  /// Tells the server how far the answer is; nothing happens where it did not ask for that.
  void progress(double progress, std::optional<double> total = {}, std::string message = {}) const;
  /// The client that this came to; empty (every operation fails with errc::closed) once it is gone.
  [[nodiscard]] comcp::client client() const;

 private:
  friend class detail::dispatcher;
  friend class detail::input_rounds;
  friend result<json::fragment> detail::complete_elicitation(context const&, json::view, json::fragment const&);
  void fault(error const& what) const;
  std::weak_ptr<detail::client_link> core_;
  std::string method_;
  std::string progress_token_;  // raw JSON; empty where none came
  std::shared_ptr<bool> cancelled_;
  std::shared_ptr<detail::validation_plan const> validation_;  // null: the default
};

}  // namespace comcp
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/context.ipp

namespace comcp {

COMCP_DECL context::context() = default;
COMCP_DECL context::~context() = default;
COMCP_DECL context::context(context const&) = default;
COMCP_DECL context& context::operator=(context const&) = default;

COMCP_DECL std::string context::server_name() const {
  auto const core = core_.lock();
  return core ? core->server()->info.name : std::string();
}

COMCP_DECL void context::progress(double progress, std::optional<double> total, std::string message) const {
  auto const core = core_.lock();
  auto const version = core ? core->server()->version : std::nullopt;
  if (!core || progress_token_.empty() || cancelled() || (version && version->era() == era::modern)) return;
  json::writer w;
  w.begin_object().plain_key("progressToken").raw(progress_token_).plain_key("progress").real(progress);
  if (total) w.plain_key("total").real(*total);
  if (!message.empty()) w.plain_key("message").string(message);
  w.end_object();
  core->notify_now("notifications/progress", w.text());
}

COMCP_DECL void context::fault(error const& what) const {
  if (auto const core = core_.lock()) core->fault(what);
}

COMCP_DECL client context::client() const { return comcp::client(core_.lock(), false); }

}  // namespace comcp
#endif

// client/handler.hpp
// The handler seam: a handler declares by existing. What members a type has decides which capabilities the
// client declares and who answers which request.

#include <concepts>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// client/handler_traits.hpp
// Compile-time questions about a handler type: which members it has, and whether they can be called as the
// handler concept says.

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// protocol/roots.hpp
// The places that a client lets servers work in. Spec: client/roots.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

struct root {
  root() = default;
  explicit root(std::string address, std::optional<std::string> shown = {})
      : uri(std::move(address)), name(std::move(shown)) {}

  std::string uri;  ///< A file:// URI.
  std::optional<std::string> name;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<root>) {
  using t = root;
  return json::fields(json::field("uri", &t::uri), json::field("name", &t::name), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

/// Whether this is a file:// URI whose path is normal: a server that compares paths as text is led nowhere else by
/// "." or ".." (which may be percent-encoded). Errors: invalid_argument. Spec: client/roots, security considerations.
result<void> check_root(root const& r);

struct list_roots_result {
  list_roots_result() = default;
  list_roots_result(std::vector<root> all) : roots(std::move(all)) {}

  std::vector<root> roots;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_roots_result>) {
  using t = list_roots_result;
  return json::fields(json::field("roots", &t::roots), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/roots.ipp
#include <string_view>

namespace comcp {
namespace detail {

// With '.' and '/' as they are, however they are written; a file server on Windows takes '\\' for '/'.
COMCP_DECL std::string plain_path(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    auto const code = path.substr(i, 3);
    bool const dot = code == "%2e" || code == "%2E";
    bool const slash = code == "%2f" || code == "%2F" || code == "%5c" || code == "%5C";
    out += dot ? '.' : slash || path[i] == '\\' ? '/' : path[i];
    if (dot || slash) i += 2;
  }
  return out;
}

}  // namespace detail

COMCP_DECL result<void> check_root(root const& r) {
  constexpr std::string_view scheme = "file://";
  if (!r.uri.starts_with(scheme)) return error(errc::invalid_argument, "a root is a file:// uri, not " + r.uri);
  auto const path = detail::plain_path(std::string_view(r.uri).substr(scheme.size())) + '/';
  if (path.find("/./") != path.npos || path.find("/../") != path.npos)
    return error(errc::invalid_argument, "the path of a root has no \".\" and no \"..\": " + r.uri);
  return {};
}

}  // namespace comcp
#endif

// protocol/sampling.hpp
// Sampling: a server asks for a message of the client's language model. Spec: client/sampling.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

/// The content of a message: one piece or several. A single one is written without a list, as every version
/// understands it.
class sampling_content {
 public:
  using block = sampling_message_content_block;
  sampling_content() = default;
  sampling_content(block piece) { blocks_.push_back(std::move(piece)); }
  sampling_content(text_content text) { blocks_.emplace_back(std::move(text)); }
  sampling_content(char const* text) : sampling_content(text_content(text)) {}
  sampling_content(std::string text) : sampling_content(text_content(std::move(text))) {}
  sampling_content(std::vector<block> pieces) : blocks_(std::move(pieces)), list_(true) {}

  [[nodiscard]] std::vector<block> const& blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
  [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
  [[nodiscard]] auto begin() const noexcept { return blocks_.begin(); }
  [[nodiscard]] auto end() const noexcept { return blocks_.end(); }
  [[nodiscard]] block const& operator[](std::size_t i) const noexcept { return blocks_[i]; }
  void push_back(block piece) { blocks_.push_back(std::move(piece)); }
  /// Whether it is written as a list: it came so, or has not exactly one piece.
  [[nodiscard]] bool is_list() const noexcept { return list_ || blocks_.size() != 1; }
  /// The texts among the pieces, a newline between them.
  [[nodiscard]] std::string text() const&;
  [[nodiscard]] std::string text() &&;

 private:
  friend struct json::codec<sampling_content>;
  std::vector<block> blocks_;
  bool list_ = false;
};

template <>
struct json::codec<sampling_content> {
  using block = sampling_message_content_block;
  static bool read(view v, sampling_content& out, read_error& e) {
    out.list_ = v.is_array();
    if (out.list_) return codec<std::vector<block>>::read(v, out.blocks_, e);
    out.blocks_.clear();
    return codec<block>::read(v, out.blocks_.emplace_back(), e);
  }
  static void write(writer& w, sampling_content const& content) {
    if (content.is_list()) {
      codec<std::vector<block>>::write(w, content.blocks_);
    } else {
      codec<block>::write(w, content.blocks_.front());
    }
  }
};

struct sampling_message {
  sampling_message() = default;
  sampling_message(comcp::role who, sampling_content what) : role(who), content(std::move(what)) {}

  comcp::role role = comcp::role::user;
  sampling_content content;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<sampling_message>) {
  using t = sampling_message;
  return json::fields(json::field("role", &t::role), json::field("content", &t::content), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

/// Part of a model's name, to be matched loosely.
struct model_hint {
  model_hint() = default;
  explicit model_hint(std::string part) : name(std::move(part)) {}

  std::optional<std::string> name;
  json::value raw;
};
constexpr auto describe(std::type_identity<model_hint>) {
  return json::fields(json::field("name", &model_hint::name), json::rest(&model_hint::raw));
}

/// What the server would like of the model; priorities go from 0 to 1.
struct model_preferences {
  model_preferences() = default;

  std::vector<model_hint> hints;
  std::optional<double> cost_priority;
  std::optional<double> speed_priority;
  std::optional<double> intelligence_priority;
  json::value raw;
};
constexpr auto describe(std::type_identity<model_preferences>) {
  using t = model_preferences;
  return json::fields(json::defaulted("hints", &t::hints), json::field("costPriority", &t::cost_priority),
                      json::field("speedPriority", &t::speed_priority),
                      json::field("intelligencePriority", &t::intelligence_priority), json::rest(&t::raw));
}

enum class tool_choice_mode { auto_, required, none };
constexpr auto texts(std::type_identity<tool_choice_mode>) {
  return std::array<std::string_view, 3>{"auto", "required", "none"};
}

/// Whether the model may, must or must not use the tools; absent means auto.
struct tool_choice {
  tool_choice() = default;
  explicit tool_choice(tool_choice_mode how) : mode(how) {}

  std::optional<tool_choice_mode> mode;
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_choice>) {
  return json::fields(json::field("mode", &tool_choice::mode), json::rest(&tool_choice::raw));
}

/// Which servers' context the server would like included.
enum class include_context { none, this_server, all_servers };
constexpr auto texts(std::type_identity<include_context>) {
  return std::array<std::string_view, 3>{"none", "thisServer", "allServers"};
}

struct create_message_params {
  create_message_params() = default;

  std::vector<sampling_message> messages;
  std::int64_t max_tokens = 0;
  std::optional<comcp::model_preferences> model_preferences;
  std::optional<std::string> system_prompt;
  std::optional<comcp::include_context> include_context;
  std::optional<double> temperature;
  std::vector<std::string> stop_sequences;
  json::value metadata;  ///< For the model's provider; an object, null where absent.
  std::optional<std::vector<tool>> tools;
  std::optional<comcp::tool_choice> tool_choice;
  std::optional<task_metadata> task;
  json::value meta;
  json::value raw;

  /// Each message with tool results must hold nothing else and answer exactly the tool uses of the message before
  /// it. Errors: wrong_shape, with what is unpaired.
  [[nodiscard]] result<void> check_tool_results() const;
};
constexpr auto describe(std::type_identity<create_message_params>) {
  using t = create_message_params;
  return json::fields(
      json::field("messages", &t::messages), json::field("maxTokens", &t::max_tokens),
      json::field("modelPreferences", &t::model_preferences), json::field("systemPrompt", &t::system_prompt),
      json::field("includeContext", &t::include_context), json::field("temperature", &t::temperature),
      json::defaulted("stopSequences", &t::stop_sequences), detail::optional_object("metadata", &t::metadata),
      json::field("tools", &t::tools), json::field("toolChoice", &t::tool_choice), json::field("task", &t::task),
      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The model's message. stop_reason: "endTurn", "stopSequence", "maxTokens", "toolUse", or the provider's own.
struct create_message_result {
  create_message_result() = default;
  create_message_result(std::string by_model, sampling_content what)
      : content(std::move(what)), model(std::move(by_model)) {}

  comcp::role role = comcp::role::assistant;
  sampling_content content;
  std::string model;
  std::optional<std::string> stop_reason;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<create_message_result>) {
  using t = create_message_result;
  return json::fields(json::field("role", &t::role), json::field("content", &t::content),
                      json::field("model", &t::model), json::field("stopReason", &t::stop_reason),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/sampling.ipp
#include <set>

namespace comcp {
namespace detail {

/// The ids of the tool uses (or results) in a message; nothing when one occurs twice.
template <class Kind, class Id>
std::optional<std::set<std::string>> sampled_ids(sampling_message const& message, Id id) {
  std::set<std::string> ids;
  for (auto const& block : message.content) {
    auto const* const piece = std::get_if<Kind>(&block);
    if (piece && !ids.insert(piece->*id).second) return {};
  }
  return ids;
}

}  // namespace detail

COMCP_DECL std::string sampling_content::text() const& { return detail::text_of_blocks(blocks_); }
COMCP_DECL std::string sampling_content::text() && { return detail::text_of_blocks(std::move(blocks_)); }

COMCP_DECL result<void> create_message_params::check_tool_results() const {
  auto const refuse = [](std::size_t i, char const* why) {
    return error(errc::wrong_shape, "message " + std::to_string(i) + why);
  };
  std::set<std::string> open;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    auto const& message = messages[i];
    auto const answers = detail::sampled_ids<tool_result_content>(message, &tool_result_content::tool_use_id);
    if (!answers) return refuse(i, " answers a tool use twice");
    if (*answers != open) return refuse(i, " does not answer exactly the tool uses before it");
    if (!answers->empty() && (message.role != comcp::role::user || answers->size() != message.content.size()))
      return refuse(i, " mixes tool results with other content, or is not the user's");
    auto uses = detail::sampled_ids<tool_use_content>(message, &tool_use_content::id);
    if (!uses) return refuse(i, " uses one tool use id twice");
    if (!uses->empty() && message.role != comcp::role::assistant) return refuse(i, " uses tools, and is the user's");
    open = std::move(*uses);
  }
  if (!open.empty()) return error(errc::wrong_shape, "the last message's tool uses have no results");
  return {};
}

}  // namespace comcp
#endif

namespace comcp {
class any_handler;
class context;
class handler_chain;

/// Handles nothing and declares nothing.
struct no_handler {};

namespace detail {

// Whether H has a member of a name at all, whatever its type: a second base with the same name makes the
// name ambiguous. A final class cannot be asked; for it only the callable forms count.
#define COMCP_HAS_MEMBER(name)                                                     \
  struct name##_probe {                                                            \
    int name;                                                                      \
  };                                                                               \
  template <class H>                                                               \
  struct name##_joined : H, name##_probe {};                                       \
  template <class H>                                                               \
  constexpr bool names_##name() {                                                  \
    if constexpr (std::is_class_v<H> && !std::is_final_v<H>)                       \
      return !requires { &name##_joined<H>::name; };                               \
    else                                                                           \
      return false;                                                                \
  }
COMCP_HAS_MEMBER(create_message)
COMCP_HAS_MEMBER(list_roots)
COMCP_HAS_MEMBER(elicit)
COMCP_HAS_MEMBER(elicit_url)
COMCP_HAS_MEMBER(on)
COMCP_HAS_MEMBER(on_request)
COMCP_HAS_MEMBER(capabilities)
COMCP_HAS_MEMBER(createMessage)
COMCP_HAS_MEMBER(create_messages)
COMCP_HAS_MEMBER(listRoots)
COMCP_HAS_MEMBER(list_root)
COMCP_HAS_MEMBER(elicitation)
COMCP_HAS_MEMBER(elicitUrl)
COMCP_HAS_MEMBER(onRequest)
COMCP_HAS_MEMBER(on_notification)
#undef COMCP_HAS_MEMBER

template <class H>
concept has_create_message = requires(H& h, create_message_params p) { h.create_message(std::move(p)); } ||
                             requires(H& h, create_message_params p, context& c) { h.create_message(std::move(p), c); };
template <class H>
concept has_list_roots = requires(H& h) { h.list_roots(); } || requires(H& h, context& c) { h.list_roots(c); };
template <class H>
concept has_elicit = requires(H& h, elicit_params p) { h.elicit(std::move(p)); } ||
                     requires(H& h, elicit_params p, context& c) { h.elicit(std::move(p), c); };
template <class H>
concept has_elicit_url = requires(H& h, elicit_params p) { h.elicit_url(std::move(p)); } ||
                         requires(H& h, elicit_params p, context& c) { h.elicit_url(std::move(p), c); };
template <class H>
concept has_on_request =
    requires(H& h, std::string m, json::value p) { h.on_request(std::move(m), std::move(p)); } ||
    requires(H& h, std::string m, json::value p, context& c) { h.on_request(std::move(m), std::move(p), c); };
template <class H>
concept has_capabilities = requires(H& h, client_capabilities& c) { h.capabilities(c); };

// An argument that converts to exactly N, so that a catch-all with a wide parameter does not count for all.
template <class N>
struct exactly {
  template <class T>
    requires std::same_as<T, N>
  operator T() const;
};
template <class H, class N>
concept has_on =
    requires(H& h, exactly<N> n) { h.on(n); } || requires(H& h, exactly<N> n, context& c) { h.on(n, c); };

template <class H>
concept has_any_on = has_on<H, tools_list_changed> || has_on<H, prompts_list_changed> ||
                     has_on<H, resources_list_changed> || has_on<H, resource_updated> || has_on<H, logging_message> ||
                     has_on<H, elicitation_complete> || has_on<H, cancelled> ||
                     has_on<H, progress_notification> || has_on<H, any_notification>;

template <class H>
concept has_list_changes =
    has_on<H, tools_list_changed> || has_on<H, prompts_list_changed> || has_on<H, resources_list_changed>;

template <class H>
concept has_answers = has_create_message<H> || has_list_roots<H> || has_elicit<H> || has_elicit_url<H>;

// What a member gives in the end: behind an awaitable, and behind a result.
template <class R>
struct answer_of {
  using type = std::remove_cvref_t<R>;
};
template <class T>
struct answer_of<result<T>> : answer_of<T> {};
template <class T>
struct answer_of<asio::awaitable<T>> : answer_of<T> {};
template <class R, class... T>
concept answers_as = (std::same_as<typename answer_of<R>::type, T> || ...);
template <class R>
concept answers_nothing = std::is_void_v<R> || std::same_as<R, asio::awaitable<void>>;

// What the member returns, whichever of its two forms there is.
#define COMCP_RETURNED_BY(name, ...)                                                                             \
  template <class H>                                                                                             \
  auto name##_returned([[maybe_unused]] H& h, [[maybe_unused]] context& c) {                                     \
    if constexpr (requires { h.name(__VA_ARGS__); }) return std::type_identity<decltype(h.name(__VA_ARGS__))>(); \
    else return std::type_identity<decltype(h.name(__VA_ARGS__ __VA_OPT__(, ) c))>();                            \
  }                                                                                                              \
  template <class H>                                                                                             \
  using name##_answer = typename decltype(name##_returned(std::declval<H&>(), std::declval<context&>()))::type;
COMCP_RETURNED_BY(create_message, create_message_params())
COMCP_RETURNED_BY(list_roots)
COMCP_RETURNED_BY(elicit, elicit_params())
COMCP_RETURNED_BY(elicit_url, elicit_params())
COMCP_RETURNED_BY(on_request, std::string(), json::value())
#undef COMCP_RETURNED_BY

template <class H>
concept handles_something = has_create_message<H> || has_list_roots<H> || has_elicit<H> || has_elicit_url<H> ||
                            has_on_request<H> || has_any_on<H> || has_capabilities<H>;

template <class H>
constexpr bool check_answers() {
  if constexpr (has_create_message<H>)
    static_assert(answers_as<create_message_answer<H>, create_message_result>,
                  "comcp: this handler's create_message() returns no create_message_result");
  if constexpr (has_list_roots<H>)
    static_assert(answers_as<list_roots_answer<H>, std::vector<root>, list_roots_result>,
                  "comcp: this handler's list_roots() returns no std::vector<root>");
  if constexpr (has_elicit<H>)
    static_assert(answers_as<elicit_answer<H>, elicit_result>, "comcp: this handler's elicit() returns no elicit_result");
  if constexpr (has_elicit_url<H>)
    static_assert(answers_as<elicit_url_answer<H>, elicit_result>,
                  "comcp: this handler's elicit_url() returns no elicit_result");
  if constexpr (has_on_request<H>)
    static_assert(json::writable<typename answer_of<on_request_answer<H>>::type>,
                  "comcp: this handler's on_request() returns nothing that can be written as JSON: json::fragment");
  return true;
}

// Names that come from other languages' SDKs, or from a slip.
template <class H>
constexpr bool names_nearly() {
  return names_createMessage<H>() || names_create_messages<H>() || names_listRoots<H>() || names_list_root<H>() ||
         names_elicitation<H>() || names_elicitUrl<H>() || names_onRequest<H>() || names_on_notification<H>();
}

template <class H>
constexpr bool check_handler() {
  static_assert(has_create_message<H> || !names_create_message<H>(),
                "comcp: this handler's create_message() cannot be called: it takes (create_message_params) or "
                "(create_message_params, context&)");
  static_assert(has_list_roots<H> || !names_list_roots<H>(),
                "comcp: this handler's list_roots() cannot be called: it takes () or (context&)");
  static_assert(has_elicit<H> || !names_elicit<H>(),
                "comcp: this handler's elicit() cannot be called: it takes (elicit_params) or (elicit_params, context&)");
  static_assert(has_elicit_url<H> || !names_elicit_url<H>(),
                "comcp: this handler's elicit_url() cannot be called: it takes (elicit_params) or "
                "(elicit_params, context&)");
  static_assert(has_on_request<H> || !names_on_request<H>(),
                "comcp: this handler's on_request() cannot be called: it takes (std::string, json::value) or "
                "(std::string, json::value, context&)");
  static_assert(has_capabilities<H> || !names_capabilities<H>(),
                "comcp: this handler's capabilities() cannot be called: it takes (client_capabilities&)");
  static_assert(has_any_on<H> || !names_on<H>(),
                "comcp: this handler's on() takes none of the notification types of comcp/protocol/notifications.hpp");
  return true;
}

// Of a type that is used as a handler. No part of the concept, which is asked about other arguments of connect() too.
template <class H>
constexpr bool check_members() {
  static_assert(!names_nearly<H>(),
                "comcp: a member of this handler has nearly a handler's name: create_message, list_roots, elicit, "
                "elicit_url, on, on_request");
  static_assert(names_nearly<H>() || handles_something<H> || std::derived_from<H, no_handler> ||
                    std::same_as<H, handler_chain> || std::same_as<H, any_handler>,
                "comcp: this handler handles nothing: it is a class with members such as elicit(elicit_params), "
                "list_roots() or on(tools_list_changed), as comcp/client/handler.hpp lists them; a lambda is none");
  return check_answers<H>();
}

}  // namespace detail
}  // namespace comcp

// client/handler_calls.hpp
// Calls the members of a concrete handler: decodes what came, passes the context where it is wanted, and
// turns whatever the member returned into the text of an answer.

#include <asio/awaitable.hpp>

// client/answers.hpp
// What is done to a handler's answer before the server sees it. Called by templates only, so that a program without
// elicitation does not compile the schema validator. Internal.

namespace comcp::detail {

/// Content only on accept and in form mode: its omitted fields filled with the schema's defaults, then checked against
/// the schema as the client's options say. Errors: validation_failed.
result<json::fragment> complete_elicitation(context const& ctx, json::view request, json::fragment const& answered);

/// Roots are file:// uris with a normal path. Errors: invalid_argument.
result<void> check_roots(json::fragment const& answered);

}  // namespace comcp::detail

// client/validation_plan.hpp
// Where validation meets a handler's answers: what client/validation.hpp fills in, so that a program without it
// compiles none of it. Internal.

namespace comcp {
namespace detail {

/// What the user asked for; shared by clients.
class validation_plan {
 public:
  virtual ~validation_plan() = default;
  /// An accepted form elicitation's content, defaults filled in.
  [[nodiscard]] virtual result<void> check_answer(json::view requested_schema, json::view content) const = 0;
  /// Whether one that does not pass goes out nevertheless.
  [[nodiscard]] virtual bool only_warns_of_answers() const noexcept = 0;
};

}  // namespace detail
}  // namespace comcp

// schema/elicitation.hpp
// Form elicitation: what the answer to a requested schema (a flat object of primitive properties) must be.

namespace comcp {

/// The content with the schema's defaults for properties that it omits. A null content has none.
/// Errors: invalid_argument (the content is no object).
result<json::value> fill_defaults(json::view requested_schema, json::view content);

/// Whether the content is an object whose members are strings, numbers, booleans or arrays of strings, as the
/// specification asks whatever the schema says. Errors: validation_failed.
result<void> check_primitive_content(json::view content);

/// Whether the content (defaults filled in) may be sent: it is primitive, and it matches the schema, formats included.
/// Errors: validation_failed, and those of schema::compile.
result<void> check_content(json::view requested_schema, json::view content);

}  // namespace comcp

// schema/schema.hpp
// JSON Schema: 2020-12, and draft-07 where $schema says so. Compiling resolves every reference and finds every
// fault of the schema; validating is bounded in depth and work. Nothing is ever fetched from a network. Bundled, as
// Debian 12 has no C++ library for 2020-12: libvalijson 1.0 stops at draft-07.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

namespace schema_detail {
struct program;
}

enum class schema_dialect : std::uint8_t { draft_2020_12, draft_7 };

/// How a schema is compiled, and the bounds for it.
class schema_options {
 public:
  schema_options() = default;
  /// The dialect of schemas without $schema. Default 2020-12, as MCP says.
  schema_options& default_dialect(schema_dialect d) noexcept { return default_dialect_ = d, *this; }
  /// Whether `format` is checked. Default: it is an annotation (unless a metaschema asks for format-assertion).
  schema_options& assert_formats(bool on) noexcept { return assert_formats_ = on, *this; }
  /// Deepest nesting of subschemas, at compiling and when one applies another at validating. Default 384. Each level
  /// takes about 1 KiB of stack.
  schema_options& max_depth(std::size_t n) noexcept { return max_depth_ = n, *this; }
  /// Most subschemas, those of referenced documents counted. Default 20,000.
  schema_options& max_subschemas(std::size_t n) noexcept { return max_subschemas_ = n, *this; }
  /// Most work and memory that compiling may take: about one step for each keyword, each sixteen bytes of paths and
  /// names, and each instruction and range of characters of a pattern. Default 2 million, which is some 30 MB.
  schema_options& max_compile_steps(std::uint64_t n) noexcept { return max_compile_steps_ = n, *this; }
  /// Most work in one validation: about one step for each keyword, value and state of a pattern. Default 20 million
  /// (below a second). Steps stand in for a time budget: they bound the time as well, and whether a value passes does
  /// not depend on the machine or its load.
  schema_options& max_steps(std::uint64_t n) noexcept { return max_steps_ = n, *this; }
  /// Most entries that violations() returns. Default 100.
  schema_options& max_violations(std::size_t n) noexcept { return max_violations_ = n, *this; }
  /// A document that references may name by `uri`; also a metaschema with $vocabulary.
  schema_options& add_document(std::string uri, json::value text) {
    return documents_.emplace_back(std::move(uri), std::move(text)), *this;
  }

  [[nodiscard]] schema_dialect default_dialect() const noexcept { return default_dialect_; }
  [[nodiscard]] bool assert_formats() const noexcept { return assert_formats_; }
  [[nodiscard]] std::size_t max_depth() const noexcept { return max_depth_; }
  [[nodiscard]] std::size_t max_subschemas() const noexcept { return max_subschemas_; }
  [[nodiscard]] std::uint64_t max_compile_steps() const noexcept { return max_compile_steps_; }
  [[nodiscard]] std::uint64_t max_steps() const noexcept { return max_steps_; }
  [[nodiscard]] std::size_t max_violations() const noexcept { return max_violations_; }
  [[nodiscard]] std::vector<std::pair<std::string, json::value>> const& documents() const noexcept {
    return documents_;
  }

 private:
  schema_dialect default_dialect_ = schema_dialect::draft_2020_12;
  bool assert_formats_ = false;
  std::size_t max_depth_ = 384;
  std::size_t max_subschemas_ = 20'000;
  std::uint64_t max_compile_steps_ = 2'000'000;
  std::uint64_t max_steps_ = 20'000'000;
  std::size_t max_violations_ = 100;
  std::vector<std::pair<std::string, json::value>> documents_;
};

/// One place where an instance does not match.
struct violation {
  std::string instance;  ///< JSON Pointer into the instance; "" is the whole.
  std::string schema;    ///< JSON Pointer of the keyword; with the document's URI before '#' if it is another one.
  std::string text;      ///< What is wrong, without the value itself.

  /// One line: `/a/b: is shorter than 3 characters (/properties/a/minLength)`.
  [[nodiscard]] std::string to_string() const;
};

/// A compiled schema. Copies share it and are cheap; safe to use from any thread.
class schema {
 public:
  /// Errors: invalid_argument (not a schema, or a pattern that comcp::pattern refuses; the text has the place),
  /// unsupported_dialect, not_found (a reference to nothing known), limit_exceeded.
  static result<schema> compile(json::value const& text, schema_options const& options = {});

  /// Errors: validation_failed with the text of the first violations (three at most), limit_exceeded (max_depth,
  /// max_steps).
  [[nodiscard]] result<void> validate(json::view instance) const;
  /// Every violation, up to max_violations; empty if and only if validate() succeeds. Where a limit ended the check
  /// early, the last entry says so.
  [[nodiscard]] std::vector<violation> violations(json::view instance) const;

  /// The text that was compiled.
  [[nodiscard]] json::value const& text() const noexcept;
  [[nodiscard]] schema_dialect dialect() const noexcept;

 private:
  explicit schema(std::shared_ptr<schema_detail::program const> p) noexcept : program_(std::move(p)) {}
  std::shared_ptr<schema_detail::program const> program_;
};

}  // namespace comcp

// schema/pattern.hpp
// Regular expressions of JSON Schema (ECMA-262, Unicode mode) that run in linear time: all states are followed at
// once, so that no pattern and no text can make the search explode. Backreferences are refused for that reason.
// RE2 would be linear too, but has neither lookarounds nor ECMA-262's syntax, and is a library to link.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

namespace schema_detail {
class pattern_compiler;
class pattern_parser;
class pattern_run;

/// Code points as sorted, disjoint, inclusive ranges.
using char_ranges = std::vector<std::pair<char32_t, char32_t>>;

/// Takes work from `steps`. False when they do not suffice: then they are 0 and stay so.
inline bool pay(std::uint64_t& steps, std::uint64_t n) noexcept {
  bool const enough = n < steps;
  steps = enough ? steps - n : 0;
  return enough;
}
}  // namespace schema_detail

/// One compiled pattern. Immutable; safe to use from any thread.
class pattern {
 public:
  /// Largest program; a counted repetition such as x{1,500} takes as many copies of x.
  static constexpr std::size_t max_program = 20'000;

  /// Understood: all of ECMA-262 but backreferences, inline flags and \p{...} of other properties than the general
  /// category. A brace or bracket that begins nothing stands for itself. Errors: invalid_argument (with the reason),
  /// limit_exceeded (too large or nested too deep).
  static result<pattern> compile(std::string_view text);
  /// The same, the work and the memory taken from `steps`: about one for each instruction and range of characters, of
  /// some 16 bytes each. limit_exceeded, and no steps left, when they do not suffice.
  static result<pattern> compile(std::string_view text, std::uint64_t& steps);

  /// Whether the pattern matches anywhere in this UTF-8 text. The work done is taken from `steps`; nothing is
  /// returned when they do not suffice.
  [[nodiscard]] std::optional<bool> search(std::string_view text, std::uint64_t& steps) const;

 private:
  friend class schema_detail::pattern_compiler;
  friend class schema_detail::pattern_parser;
  friend class schema_detail::pattern_run;

  enum class code : std::uint8_t { set, split, jump, line_begin, line_end, word_edge, no_word_edge, look, match };
  struct instruction {
    code what;
    std::uint32_t x = 0, y = 0;  // set or look index, or targets
  };
  struct look {
    std::uint32_t start = 0;
    bool behind = false, negative = false;
  };

  std::vector<instruction> program_;
  std::vector<schema_detail::char_ranges> sets_;
  std::vector<look> looks_;  // inner ones after the outer ones
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// schema/impl/pattern.ipp
// Running a pattern. Lookarounds are solved first, innermost first: one pass each marks the places where they hold
// (a lookahead runs its reversed program from the end), so that the main pass reads a bit.

// schema/impl/pattern_compiler.ipp
// From the tree of a pattern to a program.

// schema/impl/pattern_parser.ipp
// From the text of a pattern to a tree.

#include <limits>

// schema/impl/pattern_lexer.ipp
// The characters of a pattern: what comes next, which ones an escape or a bracket means, and the first fault.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// schema/impl/unicode.ipp
// UTF-8, sets of code points and the general categories that \p{...} names.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

// schema/impl/unicode_table.ipp
// Written by tools/unicode_categories from Unicode 14.0.0: runs of code points with one general
// category, in order. A letter names the category (a = Cc, b = Cf, ... in the order of the array in unicode.ipp), a
// number the length of the run where it is not 1.

namespace comcp::schema_detail {

inline constexpr char unicode_runs[] =
    "a32Dv3xv3wsvzvrv2n10v2z3v2j26wvsyqyf26wzsza33Dvx4AvyAhuzbAyAzp2yfv2yphtp3vj23zj7f24zf8jfjfjfjfjfjfjfjfjfjfjfjf"
    "jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf2jfjfjfjfjfjfjfjf2jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfj2fjfjf3j2fjfj"
    "2fj3f2j4fj2fj3f3j2fj2fjfjfj2fjf2jfj2fj3fjfj2f2hjf3h4jifjifjifjfjfjfjfjfjfjfjf2jfjfjfjfjfjfjfjfjf2jifjfj3fjfjfj"
    "fjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf7j2fj2f2jfj4fjfjfjfjf69hf27g18y4g12y14g5y7gygy17m112jfjfg"
    "yjfc2gf3vjc4y2jvj3cjcj2fj17cj9f35jf2j3f3jfjfjfjfjfjfjfjfjfjfjfjf5jfzjfj2f2j51f48jfjfjfjfjfjfjfjfjfjfjfjfjfjfjf"
    "jfjfAm5l2jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfj2fjfjfjfjfjfjf2jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfj"
    "fjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfcj38c2gv6f41vrc2A2xcm45rmvm2vm2vmc8h27c4h4v2c"
    "11b6z3v2xv2A2m11vbv3h32gh10m21n10v4h2mh99vhm7bAm6g2m2Am4h2n10h3A2hv14cbhmh30m27c2h89m11hc14n10h33m9g2Av3gc2mx2"
    "h22m4gm9gm3gm5c2v15ch25m3c2vch11c5h24yh6cb2c6m8h41gm24bm32kh54mkmhk3m8k4mk2hm7h10m2v2n10vgh15mk2ch8c2h2c2h22ch"
    "7chc3h4c2mhk3m4c2k2c2k2mhc8kc4h2ch3m2c2n10h2x2p6Axhvmc2m2kch6c4h2c2h22ch7ch2ch2ch2c2mck3m2c4m2c2m3c3mc7h4chc7n"
    "10m2h3mvc10m2kch9ch3ch22ch7ch2ch5c2mhk3m5cm2kck2mc2hc15h2m2c2n10vxc7hm6cmk2ch8c2h2c2h22ch7ch2ch5c2mhkmkm4c2k2c"
    "2k2mc7m2kc4h2ch3m2c2n10Ahp6c10mhch6c3h3ch4c3h2chch2c3h2c3h3c3h12c4k2mk2c3k3ck3mc2hc6kc14n10p3A6xAc5mk3mh8ch3ch"
    "23ch16c2mhm3k4cm3cm4c7m2ch3c2hc2h2m2c2n10c7vp7Ahmk2vh8ch3ch23ch10ch5c2mhkmk5cmk2ck2m2c7k2c6h2ch2m2c2n10ch2c13m"
    "2k2h9ch3ch41m2hk3m4ck3ck3mhAc4h3kp7h3m2c2n10p9Ah6cmk2ch18c3h24ch9chc2h7c3mc4k3m3cmck8c6n10c2k2vc12h48mh2m7c4xh"
    "6gm8vn10v2c37h2chch5ch24chch10mh2m9hc2h5cgcm6c2n10c2h4c32hA3v15AvA3m2A6n10p10AmAmAmwswsk2h8ch36c4m14km5vm2h5m1"
    "1cm36cA8mA6cA2v5A4v2c37h43k2m4km6km2k2m2hn10v6h6k2m2h4m3hk3h2k7h3m4h13mk2m2k6mhkn10k3mA2j38cjc5jc2f43vgf3h329c"
    "h4c2h7chch4c2h41ch4c2h33ch4c2h7chch4c2h15ch57ch4c2h67c2m3v9p20c3h16A10c6j86c2f6c2rh620Avh17Dh26wsc3h75v3o3h8c7"
    "h18m3kc9h19m2kv2c9h18m2c12h13ch3cm2c12h52m2km7k8mk2m11v3gv3xhmc2n10c6p10c6v6rv4m3bmn10c6h35gh53c7h5m2h34mhc5h7"
    "0c10h31cm3k4m2k3c4k2mk6m3c4Ac3v2n10h30c2h5c11h44c4h26c6n10pc3A34h23m2k2mc2v2h53kmkm7cmkmk2m8k6m10c2mn10c6n10c6"
    "v7gv6c2m14lm16c49m4kh47mkm5kmk5mk2h8c3n10v7A10m9A9v2cm2kh30km4k2m2km3h2n10h44mkm2k3mkm3k2c8v4h36k8m8k2m2c3v5n1"
    "0c3h3n10h30g6v2f9c7j43c2j3v8c8m3vm13km7h4mh6mh2km2hc5f44g63f13gf34g37m64jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf"
    "jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf"
    "jf9jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf9j8f6c2j6"
    "c2f8j8f8j8f6c2j6c2f8cjcjcjcjf8j8f14c2f8i8f8i8f8i8f5cf2j4iyfy3f3cf2j4iy3f4c2f2j4cy3f8j5y3c2f3cf2j4iy2cD11b5r6v2"
    "utwu2twuv8BCb5Dv9utv4q2v3zwsv11zvqv10Db5cb10pgc2p6z3wsgp10z3wscg13c3x33c15m13l4ml3m12c15A2jA4jA2fj3f2j3fAjA2zj"
    "5A6jAjAjAj4Afj4fh4fA2f2j2z5jf4AzA2fAp16o35jfo4pA2c4z5A5z2A4zA2zA2zA7zA31z2A2zAzA31z268A8wswsA20z2A7wsA81zA30z2"
    "5A40z6A69c25A11c21p60A78p22A183zA9zA54z8A111zA248wswswswswswswsp30A44z5wsz31wswswswswsz16A256z131wswswswswswsw"
    "swswswswsz63wswsz32wsz258A48z21A2z6A39c2A32cA105j48f48jfj3f2jfjfjfj4fjf2jf6g2j3fjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf"
    "jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf2A6jfjfm3jfc5v4pv2f38cfc5fc2h56c7gvc14mh23"
    "c9h7ch7ch7ch7ch7ch7ch7ch7cm32v2ututv3utvutv9rv2rvutv2utwswswswsv5gv10r2v4rvwv13A2v3wswswswsrc34A26cA89c12A214c"
    "26A12c4Dv3AghowswswswswsA2wswswswsrws2Ao9m4k2rg5A2o3ghvA2ch86c2m2y2g2hrh90vg3hc5h43ch94cA2p4A10h32A36c12h16A31"
    "cp10A30p8Ap15A32p10A39p15A320h6592A64h21013gh1143c3A55c9h40g6v2h268gv3h16n10h2c20jfjfjfjfjfjfjfjfjfjfjfjfjfjfj"
    "fjfjfjfjfjfjfjfjfhml3vm10vgjfjfjfjfjfjfjfjfjfjfjfjfjfjfg2m2h70o10m2v6c8y23g9y2jfjfjfjfjfjfjf3jfjfjfjfjfjfjfjfj"
    "fjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfgf8jfjfj2fjfjfjfjfgy2jfjfhjfjf3jfjfjfjfjfjfjfjfjfjfj5fj5fjfjfjfjf"
    "jfjfjfj4fjfc5jfcfcfjfjfc24g3jfhg2fh7mh3mh4mh23k2m2kA4mc3p6A2xAc6h52v4c8k2h50k16m2c8v2n10c6m18h6v3hvh2mn10h28m8"
    "v2h23m11k2c11vh29c3m3kh47mk2m4k2m2k3v13cgn10c4v2h5mgh9n10h5ch41m6k2m2k2m2c9h3mh8mkc2n10c2v4h16gh6A3hkmkh50mhm3"
    "h2m2h5m2hmhc24h2gv2h11km2k2v2hg2kmc10h6c2h6c2h6c9h7ch7cf43yg4f9gy2c4f80h35k2mk2mk2vkmc2n10c6h11172c12h23c4h49c"
    "4e2048d6400h366c2h106c38f7c12f5c5hmh10zh13ch5chch2ch2ch108y17c16h363swA16h64c2h54c7Ac32h12xA3m16v7wsvc6m16vr2q"
    "2wswswswswswswswsv2wsv4q3v3cv4rwswswsv3zrz3cvxv2c4h5ch135c2bcv3xv3wsvzvrv2n10v2z3v2j26wvsyqyf26wzszwsvwsv2h10g"
    "h45g2h31c3h6c2h6c2h6c2h3c3x2zyAx2cAz4A2c10b3A2c2h12ch26ch19ch2ch15c2h14c34h123c5v3c4p45c3A9o53p4A17p2A3cA13c3A"
    "c47A45mc130h29c3h49c15mp27c4h32p4c9h20oh8oc5h38m5c5h30cvh36c4h8vo5c42j40f40h78c2n10c6j36c4f36c4h40c8h52c11vj11"
    "cj15cj7cj2cf11cf15cf7cf2c67h311c9h22c10h8c24g6cg42cg9c69h6c2hch44ch2c3hc2h23cvp8h23A2p7h31c8p9c48h19ch2c5p5h22"
    "p6c3vh26c5vc64h56c4p2h2p16c2p46hm3cm2c5m4h4ch3ch29c2m3c4mp9c7v9c7h29p2vh29p3c32h8Ah28m2c4p5v7c9h54c3v7h22c2p8h"
    "19c5p8h18c7v4c12p7c80h73c55j51c13f51c7p6h36m4c8n10c294p31ch42cm2rc2h2c78h29p10hc8h22m11p4v5c22h18m4v4c38h21p7c"
    "20h23c9kmkh53m15v7c4p20n10mh2m2hc9m3kh45k3m4k2m2v2bv4mc10bc2h25c7n10c6m3h36m5km8cn10v4hk2hc8h35mv2hc9m2kh48k3m"
    "9k2h4v4m4vkmn10hvhv3cp20c11h18ch25k3m3k2mkm2v6mc65h7chch4ch15ch10vc6h47mk3m8c5n10c6m2k2ch8c2h2c2h22ch7ch2ch5cm"
    "2hk2mk4c2k2c2k3c2hc6kc5h5k2c2m7c3m5c139h53k3m8k2m3kmh4v5n10v2cvmh3c30h48k3m6kmk4m2km2h2vhc8n10c166h47k3m4c2k4m"
    "2km2v23h4m2c34h48k3m8k2mkm2v3hc11n10c6v13c19h43mkmk2m6kmhvc6n10c54h27c2m3k2m4km5c4n10p2v3Ah7c185h44k3m9km2vc10"
    "0j32f32n10p9c12h8c2hc2h8ch2ch24k6ck2c2m2kmhkhkmv3c9n10c70h8c2h39k3m4c2m2k4mhvhkc27hm10h40m6khm4v8mc8hm6k2m3h46"
    "m13km2v3hv5c13h73c263h9ch37km7cm6kmhv5c10n10p19c3v2h30c2m22ckm7km2km2c73h7ch2ch38m6c3mcm2cm7hmc8n10c6h6ch2ch32"
    "k5cm2ck2mkmhc7n10c310h19m2k2v2c183hc15p21A8x4A17c13vh922c102o111cv5c11h196c2636h97v2c13h1071cb9c4039h583c8633h"
    "569c7h31cn10c4v2h79cn10c6h30c2m5vc10h48m7v5A4g4vAc10n10cp7ch21c5h19c688j32f32p23v4c101h75c4mhk55c7m4g13c64g2vg"
    "mc11k2c14h6136c8h1238c42h9c8935g4cg7cg2ch291c45h3c17h4c8h396c2308h107c5h13c3h9c7h10c2Am2vb4c4700m46c2m23c9A116"
    "c60A246c10A39c2A60k2m3A3k6b8m8A2m7A30m4A61c21A66m3Ac154p20c12A87c9p25c135j26f26j26f7cf18j26f26jcj2c2jc2j2c2j4c"
    "j8f4cfcf7cf11j26f26j2cj4c2j8cj7cf26j2cj4cj5cjc3j7cf26j26f26j26f26j26f26j26f26j26f26j26f28c2j25zf25zf6j25zf25zf"
    "6j25zf25zf6j25zf25zf6j25zf25zf6jfc2n50A512m55A4m50A8mA14mA2v5c15m5cm15c1104f10hf20c225m7cm17c2m7cm2cm5c213h45c"
    "3m7g7c2n10c4hAc320h30mc17h44m4n10c5xc1248h7ch4ch2ch15ch197c2p9m7c41j34f34m7gc4n10c4v2c785p59Ap3xp4c76p45Ap15c1"
    "94h4ch27ch2chc2hch10ch4chchc6hc4hchchch3ch2chc2hchchchchch2chc2h4ch7ch4ch4chch10ch17c5h3ch5ch17c52z2c270A44c4A"
    "100c12A15c2A15cA15cA37c10p13A161c56A29c13A44c4A9c7A2c14A6c154A251y5A728c5A16c3A13c3A116c12A89c7A12c4Ac15A12c4A"
    "56c8A10c6A40c8A30c2A2c78A340c12A14c2A5c3A5c3A7c9A29c3A11c5A6c10A10c6A8c8A7c9A147cA55c37n10c1030h42720c32h4153c"
    "7h222c2h5762c14h7473c3103h542c1506h4939c715958bc30b96c128m240c65040d65534c2d65534c2";

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

inline constexpr char32_t last_code_point = 0x10FFFF;

/// Decodes the character at `i` and moves past it. Precondition: valid UTF-8 (broken text yields its bytes).
inline char32_t next_code_point(std::string_view s, std::size_t& i) noexcept {
  auto const byte = [&](std::size_t at) { return static_cast<unsigned char>(s[at]); };
  unsigned char const lead = byte(i++);
  std::size_t const more = lead < 0xC0 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  if (more == 0 || i + more > s.size()) return lead;
  char32_t c = lead & (0x3Fu >> more);
  for (std::size_t k = 0; k < more; ++k) c = (c << 6) | (byte(i++) & 0x3Fu);
  return c;
}

inline std::size_t count_code_points(std::string_view s) noexcept {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

inline bool contains(char_ranges const& set, char32_t c) noexcept {
  auto const after = std::upper_bound(set.begin(), set.end(), c, [](char32_t x, auto const& r) { return x < r.first; });
  return after != set.begin() && c <= std::prev(after)->second;
}

COMCP_DECL void normalise(char_ranges& set) {
  std::sort(set.begin(), set.end());
  char_ranges merged;
  for (auto const& r : set) {
    if (!merged.empty() && r.first <= merged.back().second + 1) {
      merged.back().second = std::max(merged.back().second, r.second);
    } else {
      merged.push_back(r);
    }
  }
  set = std::move(merged);
}

/// Precondition: normalised.
COMCP_DECL char_ranges complement(char_ranges const& set) {
  char_ranges out;
  char32_t next = 0;
  for (auto const& [first, last] : set) {
    if (first > next) out.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next <= last_code_point) out.emplace_back(next, last_code_point);
  return out;
}

struct category {
  std::string_view name, long_name, alias;
};

// The first thirty stand in the order of unicode_runs; the rest are groups, which begin like their members.
inline constexpr category categories[] = {
    {"Cc", "Control", "cntrl"},
    {"Cf", "Format", ""},
    {"Cn", "Unassigned", ""},
    {"Co", "Private_Use", ""},
    {"Cs", "Surrogate", ""},
    {"Ll", "Lowercase_Letter", ""},
    {"Lm", "Modifier_Letter", ""},
    {"Lo", "Other_Letter", ""},
    {"Lt", "Titlecase_Letter", ""},
    {"Lu", "Uppercase_Letter", ""},
    {"Mc", "Spacing_Mark", ""},
    {"Me", "Enclosing_Mark", ""},
    {"Mn", "Nonspacing_Mark", ""},
    {"Nd", "Decimal_Number", "digit"},
    {"Nl", "Letter_Number", ""},
    {"No", "Other_Number", ""},
    {"Pc", "Connector_Punctuation", ""},
    {"Pd", "Dash_Punctuation", ""},
    {"Pe", "Close_Punctuation", ""},
    {"Pf", "Final_Punctuation", ""},
    {"Pi", "Initial_Punctuation", ""},
    {"Po", "Other_Punctuation", ""},
    {"Ps", "Open_Punctuation", ""},
    {"Sc", "Currency_Symbol", ""},
    {"Sk", "Modifier_Symbol", ""},
    {"Sm", "Math_Symbol", ""},
    {"So", "Other_Symbol", ""},
    {"Zl", "Line_Separator", ""},
    {"Zp", "Paragraph_Separator", ""},
    {"Zs", "Space_Separator", ""},
    {"C", "Other", ""},
    {"L", "Letter", ""},
    {"LC", "Cased_Letter", ""},
    {"M", "Mark", "Combining_Mark"},
    {"N", "Number", ""},
    {"P", "Punctuation", "punct"},
    {"S", "Symbol", ""},
    {"Z", "Separator", ""},
};

inline bool in_category(std::string_view member, std::string_view wanted) noexcept {
  if (wanted == "LC") return member == "Ll" || member == "Lt" || member == "Lu";
  return member.starts_with(wanted);
}

/// The set that \p{name} stands for; nothing when the name is unknown.
COMCP_DECL std::optional<char_ranges> unicode_property(std::string_view name) {
  if (name == "Any") return char_ranges{{0, last_code_point}};
  if (name == "ASCII") return char_ranges{{0, 0x7F}};
  for (std::string_view const prefix : {"General_Category=", "gc="}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  auto const wanted = std::find_if(std::begin(categories), std::end(categories), [name](category const& c) {
    return c.name == name || c.long_name == name || (!c.alias.empty() && c.alias == name);
  });
  if (wanted == std::end(categories)) return {};
  char_ranges out;
  char32_t at = 0;
  for (char const* p = unicode_runs; *p;) {
    auto const index = static_cast<std::size_t>(*p >= 'a' ? *p - 'a' : *p - 'A' + 26);
    char32_t length = 0;
    for (++p; *p >= '0' && *p <= '9'; ++p) length = length * 10 + static_cast<char32_t>(*p - '0');
    if (length == 0) length = 1;
    if (in_category(categories[index].name, wanted->name)) out.emplace_back(at, at + length - 1);
    at += length;
  }
  normalise(out);
  return out;
}

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

class pattern_lexer {
 public:
  static constexpr std::uint32_t max_number = 100'000;

  pattern_lexer(std::string_view text, std::uint64_t& steps) : text_(text), steps_(steps) {
    if (!pay(1 + text.size() / 2)) return;
    for (std::size_t i = 0; i < text.size();) in_.push_back(next_code_point(text, i));
  }

  error fault;

  void fail(std::string_view why, errc code = errc::invalid_argument) {
    if (fault) return;
    auto shown = std::min<std::size_t>(text_.size(), 200);
    while (shown < text_.size() && shown > 0 && (static_cast<unsigned char>(text_[shown]) & 0xC0) == 0x80) --shown;
    fault = error(code, "pattern \"" + std::string(text_.substr(0, shown)) + "\": " + std::string(why));
  }

  bool pay(std::uint64_t n) {
    if (schema_detail::pay(steps_, n)) return true;
    return fail("too much work", errc::limit_exceeded), false;
  }

  [[nodiscard]] bool at_end() const noexcept { return i_ == in_.size(); }
  [[nodiscard]] bool more() const noexcept { return i_ < in_.size() && !fault; }
  [[nodiscard]] bool at(char32_t c, std::size_t ahead = 0) const noexcept {
    return i_ + ahead < in_.size() && in_[i_ + ahead] == c;
  }
  [[nodiscard]] bool at_digit() const noexcept { return i_ < in_.size() && in_[i_] >= '0' && in_[i_] <= '9'; }
  bool take(char32_t c) {
    if (!at(c)) return false;
    ++i_;
    return true;
  }
  bool take(std::string_view s) {
    for (std::size_t k = 0; k < s.size(); ++k) {
      if (!at(static_cast<char32_t>(s[k]), k)) return false;
    }
    i_ += s.size();
    return true;
  }
  /// Precondition: not at the end.
  char32_t next() noexcept { return in_[i_++]; }
  [[nodiscard]] std::size_t position() const noexcept { return i_; }
  void go_back(std::size_t to) noexcept { i_ = to; }

  /// Above `max_number` it is one more than that.
  std::optional<std::uint32_t> number() {
    if (!at_digit()) return {};
    std::uint32_t n = 0;
    for (; at_digit(); ++i_) n = std::min(n * 10 + static_cast<std::uint32_t>(in_[i_] - '0'), max_number + 1);
    return n;
  }

  /// What follows a backslash, inside and outside of brackets, goes into the set. Returns the character if it is a single one.
  std::optional<char32_t> escaped(char_ranges& set) {
    if (!more()) return fail("ends with a backslash"), std::nullopt;
    auto const c = in_[i_++];
    switch (c) {
      case U'd':
      case U'D':
      case U'w':
      case U'W':
      case U's':
      case U'S': return merge(set, class_of(c)), std::nullopt;
      case U'p':
      case U'P': return merge(set, property(c == U'P')), std::nullopt;
      default: break;
    }
    auto const single = character(c);
    set.emplace_back(single, single);
    return single;
  }

  /// A set in brackets, behind the opening one.
  char_ranges bracket() {
    bool const negative = take(U'^');
    char_ranges set;
    while (more() && !at(U']')) {
      auto const first = member(set);
      if (!first || !at(U'-') || at(U']', 1)) continue;
      ++i_;
      auto const last = more() ? member(set) : std::nullopt;
      if (!last) {  // [a-\d]: the dash is one of the set
        set.emplace_back('-', '-');
        continue;
      }
      if (*first > *last) return fail("a range is out of order"), char_ranges();
      set.emplace_back(*first, *last);
    }
    if (!take(U']')) return fail("'[' without ']'"), char_ranges();
    normalise(set);
    if (negative) set = complement(set);
    return set;
  }

 private:
  char32_t character(char32_t c) {
    switch (c) {
      case U't': return U'\t';
      case U'n': return U'\n';
      case U'v': return U'\v';
      case U'f': return U'\f';
      case U'r': return U'\r';
      case U'0': return U'\0';
      case U'x': return hex(2);
      case U'u': return unicode_escape();
      case U'c':
        if (i_ < in_.size() && ((in_[i_] >= 'a' && in_[i_] <= 'z') || (in_[i_] >= 'A' && in_[i_] <= 'Z')))
          return in_[i_++] & 0x1F;
        return fail("\\c without a letter"), 0;
      default: break;
    }
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      fail(std::string("unknown escape \\") + static_cast<char>(c));
    return c;
  }

  char32_t hex(std::size_t digits) {
    char32_t value = 0;
    for (std::size_t k = 0; k < digits; ++k) {
      auto const c = i_ < in_.size() ? in_[i_] : 0;
      if (c >= '0' && c <= '9') {
        value = value * 16 + (c - '0');
      } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
        value = value * 16 + ((c | 0x20) - 'a' + 10);
      } else {
        return fail("too few hexadecimal digits"), 0;
      }
      ++i_;
    }
    return value;
  }

  char32_t unicode_escape() {
    if (take(U'{')) {
      char32_t value = 0;
      do {
        value = value * 16 + hex(1);
        if (value > last_code_point) fail("a code point is too large");
      } while (more() && !at(U'}'));
      if (!take(U'}')) fail("\\u{ without '}'");
      return value;
    }
    auto const high = hex(4);
    if (high < 0xD800 || high > 0xDBFF || !at(U'\\') || !at(U'u', 1)) return high;
    auto const back = i_;
    i_ += 2;
    auto const low = hex(4);
    if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    i_ = back;
    return high;
  }

  void merge(char_ranges& into, char_ranges const& more) {
    if (pay(more.size())) into.insert(into.end(), more.begin(), more.end());
  }

  static char_ranges class_of(char32_t c) {
    char_ranges set;
    switch (c | 0x20) {
      case U'd': set = {{'0', '9'}}; break;
      case U'w': set = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}; break;
      default:
        set = {{9, 13},          {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
               {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    }
    return c & 0x20 ? set : complement(set);
  }

  char_ranges property(bool negative) {
    std::string name;
    if (take(U'{')) {
      for (; more() && !at(U'}'); ++i_) name += in_[i_] < 0x80 ? static_cast<char>(in_[i_]) : '?';
    }
    constexpr std::uint64_t table = 1000;  // it is read from its beginning to its end
    auto set = take(U'}') && pay(table) ? unicode_property(name) : std::nullopt;
    if (!set) return fail("unknown Unicode property \"" + name + "\""), char_ranges();
    return negative ? complement(*set) : *set;
  }

  // One member of a bracket, added to the set.
  std::optional<char32_t> member(char_ranges& set) {
    auto const c = in_[i_++];
    if (c == U'\\') {
      if (take(U'b')) return set.emplace_back(8, 8), U'\b';
      return escaped(set);
    }
    set.emplace_back(c, c);
    return c;
  }

  std::string_view text_;
  std::uint64_t& steps_;
  std::vector<char32_t> in_;
  std::size_t i_ = 0;
};

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

class pattern_parser {
 public:
  enum class kind : std::uint8_t { nothing, set, sequence, choice, repeat, assertion, look };
  struct tree {
    kind what = kind::nothing;
    pattern::code assertion{};
    std::uint32_t set = 0, min = 0, max = 0;
    bool behind = false, negative = false;
    std::uint32_t look = unset;
    std::vector<std::uint32_t> children;
  };
  static constexpr std::uint32_t unset = std::numeric_limits<std::uint32_t>::max();

  pattern_parser(std::string_view s, std::uint64_t& steps) : text(s, steps) {}

  /// The root of the tree; the text has a fault when there is none.
  std::uint32_t run() {
    auto const root = alternatives(0);
    if (!text.fault && !text.at_end()) text.fail("')' without '('");
    return root;
  }

  pattern_lexer text;
  std::vector<tree> nodes;
  std::vector<char_ranges> sets;

 private:
  static constexpr int max_nesting = 100;

  std::uint32_t node(kind what) {
    text.pay(6);
    nodes.emplace_back().what = what;
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  std::uint32_t set_node(char_ranges set) {
    text.pay(2 + 2 * set.size());
    normalise(set);
    auto const n = node(kind::set);
    nodes[n].set = static_cast<std::uint32_t>(sets.size());
    sets.push_back(std::move(set));
    return n;
  }
  std::uint32_t assertion(pattern::code what) {
    auto const n = node(kind::assertion);
    nodes[n].assertion = what;
    return n;
  }

  std::uint32_t alternatives(int depth) {
    if (depth > max_nesting) return text.fail("nested too deep", errc::limit_exceeded), 0;
    std::vector<std::uint32_t> all{sequence(depth)};
    while (text.more() && text.take(U'|')) all.push_back(sequence(depth));
    if (all.size() == 1) return all[0];
    auto const n = node(kind::choice);
    nodes[n].children = std::move(all);
    return n;
  }

  std::uint32_t sequence(int depth) {
    std::vector<std::uint32_t> all;
    while (text.more() && !text.at(U'|') && !text.at(U')')) all.push_back(quantified(atom(depth)));
    auto const n = node(kind::sequence);
    nodes[n].children = std::move(all);
    return n;
  }

  std::uint32_t quantified(std::uint32_t what) {
    std::uint32_t min = 0, max = unset;
    if (text.fault) return what;
    if (text.take(U'+')) {
      min = 1;
    } else if (text.take(U'?')) {
      max = 1;
    } else if (!text.take(U'*') && !counted(min, max)) {
      return what;
    }
    text.take(U'?');  // laziness does not matter to whether there is a match
    auto const n = node(kind::repeat);
    nodes[n].min = min;
    nodes[n].max = max;
    nodes[n].children.push_back(what);
    return n;
  }

  // {n} {n,} {n,m}; leaves everything as it is when this is not one.
  bool counted(std::uint32_t& min, std::uint32_t& max) {
    if (!text.at(U'{')) return false;
    auto const start = text.position();
    text.next();
    auto const first = text.number();
    auto last = first;
    if (first && text.take(U',')) last = text.at(U'}') ? std::optional(unset) : text.number();
    if (!first || !last || !text.take(U'}')) return text.go_back(start), false;
    if (*first > pattern_lexer::max_number || (*last != unset && *last > pattern_lexer::max_number))
      text.fail("a repetition is too large", errc::limit_exceeded);
    if (*first > *last) text.fail("a repetition's bounds are out of order");
    min = *first;
    max = *last;
    return true;
  }

  std::uint32_t atom(int depth) {
    auto const start = text.position();
    auto const c = text.next();
    switch (c) {
      case U'^': return assertion(pattern::code::line_begin);
      case U'$': return assertion(pattern::code::line_end);
      case U'(': return group(depth);
      case U'[': return set_node(text.bracket());
      case U'\\': return escape();
      case U'.': return set_node(complement({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}));
      case U'*':
      case U'+':
      case U'?': return text.fail("nothing to repeat"), 0;
      case U'{': {
        std::uint32_t min = 0, max = 0;
        text.go_back(start);
        if (counted(min, max)) return text.fail("nothing to repeat"), 0;
        text.next();
        [[fallthrough]];
      }
      default: return set_node({{c, c}});
    }
  }

  std::uint32_t group(int depth) {
    auto what = kind::nothing;
    bool behind = false, negative = false;
    if (text.take("?=") || (negative = text.take("?!"))) {
      what = kind::look;
    } else if (text.take("?<=") || (negative = text.take("?<!"))) {
      what = kind::look;
      behind = true;
    } else if (text.take("?<")) {
      while (text.more() && !text.at(U'>')) text.next();
      if (!text.take(U'>')) text.fail("a group name without '>'");
    } else if (!text.take("?:") && text.at(U'?')) {
      text.fail("unknown group (inline flags are not supported)");
    }
    auto const body = alternatives(depth + 1);
    if (!text.take(U')')) text.fail("'(' without ')'");
    if (what != kind::look) return body;
    auto const n = node(kind::look);
    nodes[n].behind = behind;
    nodes[n].negative = negative;
    nodes[n].children.push_back(body);
    return n;
  }

  std::uint32_t escape() {
    if (text.take(U'b')) return assertion(pattern::code::word_edge);
    if (text.take(U'B')) return assertion(pattern::code::no_word_edge);
    if (text.at(U'k') || (text.at_digit() && !text.at(U'0'))) return text.fail("backreferences are not supported"), 0;
    char_ranges set;
    text.escaped(set);
    return set_node(std::move(set));
  }
};

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

class pattern_compiler {
 public:
  pattern_compiler(std::string_view text, std::uint64_t& steps) : in_(text, steps) {}

  result<pattern> run() {
    auto const root = in_.run();
    out_.sets_ = std::move(in_.sets);
    if (!in_.text.fault) {
      emit(root, false);
      add(pattern::code::match);
    }
    for (std::size_t k = 0; k < out_.looks_.size() && !in_.text.fault; ++k) {
      out_.looks_[k].start = here();
      emit(look_bodies_[k], !out_.looks_[k].behind);
      add(pattern::code::match);
    }
    if (in_.text.fault) return in_.text.fault;
    return std::move(out_);
  }

 private:
  using kind = pattern_parser::kind;
  static constexpr auto unset = pattern_parser::unset;

  [[nodiscard]] std::uint32_t here() const noexcept { return static_cast<std::uint32_t>(out_.program_.size()); }
  std::uint32_t add(pattern::code what, std::uint32_t x = 0) {
    out_.program_.push_back({what, x, 0});
    return here() - 1;
  }

  // Appends code that goes on behind itself after a match of `n`; for text that is read backwards if `reverse`.
  void emit(std::uint32_t n, bool reverse) {
    if (++work_ > 5 * pattern::max_program || out_.program_.size() > pattern::max_program)
      return in_.text.fail("too large", errc::limit_exceeded);
    if (!in_.text.pay(1)) return;
    auto const& t = in_.nodes[n];
    switch (t.what) {
      case kind::nothing: break;
      case kind::set: add(pattern::code::set, t.set); break;
      case kind::assertion: add(t.assertion); break;
      case kind::look: emit_look(n); break;
      case kind::sequence:
        for (std::size_t k = 0; k < t.children.size() && !in_.text.fault; ++k)
          emit(t.children[reverse ? t.children.size() - 1 - k : k], reverse);
        break;
      case kind::choice: emit_choice(t, reverse); break;
      case kind::repeat: emit_repeat(t, reverse); break;
    }
  }

  void emit_look(std::uint32_t n) {
    auto& t = in_.nodes[n];
    if (t.look == unset) {
      t.look = static_cast<std::uint32_t>(out_.looks_.size());
      out_.looks_.push_back({0, t.behind, t.negative});
      look_bodies_.push_back(t.children[0]);
    }
    add(pattern::code::look, t.look);
  }

  void emit_choice(pattern_parser::tree const& t, bool reverse) {
    std::vector<std::uint32_t> ends;
    for (std::size_t k = 0; k < t.children.size() && !in_.text.fault; ++k) {
      bool const last = k + 1 == t.children.size();
      auto const fork = last ? 0 : add(pattern::code::split);
      if (!last) out_.program_[fork].x = here();
      emit(t.children[k], reverse);
      if (last) break;
      ends.push_back(add(pattern::code::jump));
      out_.program_[fork].y = here();
    }
    for (auto const e : ends) out_.program_[e].x = here();
  }

  void emit_repeat(pattern_parser::tree const& t, bool reverse) {
    for (std::uint32_t k = 0; k < t.min && !in_.text.fault; ++k) emit(t.children[0], reverse);
    std::vector<std::uint32_t> forks;
    auto const optional_copies = t.max == unset ? 1 : t.max - t.min;
    for (std::uint32_t k = 0; k < optional_copies && !in_.text.fault; ++k) {
      forks.push_back(add(pattern::code::split));
      out_.program_[forks.back()].x = here();
      emit(t.children[0], reverse);
    }
    if (t.max == unset) out_.program_[add(pattern::code::jump)].x = forks.back();
    for (auto const f : forks) out_.program_[f].y = here();
  }

  pattern_parser in_;
  std::vector<std::uint32_t> look_bodies_;
  std::size_t work_ = 0;
  pattern out_;
};

}  // namespace comcp::schema_detail

namespace comcp {

COMCP_DECL result<pattern> pattern::compile(std::string_view text) {
  std::uint64_t steps = 100 * max_program;
  return compile(text, steps);
}

COMCP_DECL result<pattern> pattern::compile(std::string_view text, std::uint64_t& steps) {
  if (text.size() > max_program) return error(errc::limit_exceeded, "pattern longer than max_program");
  return schema_detail::pattern_compiler(text, steps).run();
}

}  // namespace comcp

namespace comcp {
namespace schema_detail {

class pattern_run {
 public:
  pattern_run(pattern const& p, std::string_view text, std::uint64_t& steps)
      : p_(p), steps_(steps), seen_(p.program_.size(), 0), holds_(p.looks_.size()) {
    text_.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) text_.push_back(next_code_point(text, i));
  }

  std::optional<bool> search() {
    for (auto i = p_.looks_.size(); i-- > 0;) {
      holds_[i].assign(text_.size() + 1, false);
      if (!mark(p_.looks_[i], holds_[i])) return {};
    }
    bool const anchored = p_.program_.front().what == pattern::code::line_begin;
    start();
    for (std::size_t at = 0;; ++at) {
      if (at == 0 || !anchored) follow(0, at, states_);
      if (!pay()) return {};
      if (matched_) return true;
      if (at == text_.size() || (anchored && states_.empty())) return false;
      move(text_[at], at + 1);
    }
  }

 private:
  /// Marks every place where the lookaround's body matches; false when the steps are used up.
  bool mark(pattern::look const& l, std::vector<bool>& where) {
    start();
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      auto const at = l.behind ? i : text_.size() - i;
      follow(l.start, at, states_);
      where[at] = matched_;
      if (!pay()) return false;
      if (i == text_.size()) break;
      if (l.behind) {
        move(text_[at], at + 1);
      } else {
        move(text_[at - 1], at - 1);
      }
    }
    return true;
  }

  void start() {
    ++round_;
    states_.clear();
    matched_ = false;
  }

  // Reads one character and arrives at the place `to`.
  void move(char32_t c, std::size_t to) {
    ++round_;
    matched_ = false;
    next_.clear();
    for (auto const pc : states_) {
      ++used_;
      if (contains(p_.sets_[p_.program_[pc].x], c)) follow(pc + 1, to, next_);
    }
    states_.swap(next_);
  }

  // Adds every state that is reached from `pc` without reading.
  void follow(std::uint32_t pc, std::size_t at, std::vector<std::uint32_t>& states) {
    stack_.push_back(pc);
    while (!stack_.empty()) {
      auto const i = stack_.back();
      stack_.pop_back();
      ++used_;
      if (seen_[i] == round_) continue;
      seen_[i] = round_;
      auto const& in = p_.program_[i];
      switch (in.what) {
        case pattern::code::set: states.push_back(i); break;
        case pattern::code::match: matched_ = true; break;
        case pattern::code::jump: stack_.push_back(in.x); break;
        case pattern::code::split:
          stack_.push_back(in.y);
          stack_.push_back(in.x);
          break;
        default:
          if (stands(in, at)) stack_.push_back(i + 1);
      }
    }
  }

  [[nodiscard]] bool stands(pattern::instruction const& in, std::size_t at) const {
    switch (in.what) {
      case pattern::code::line_begin: return at == 0;
      case pattern::code::line_end: return at == text_.size();
      case pattern::code::word_edge: return is_word_edge(at);
      case pattern::code::no_word_edge: return !is_word_edge(at);
      default: return holds_[in.x][at] != p_.looks_[in.x].negative;
    }
  }
  [[nodiscard]] bool is_word_edge(std::size_t at) const {
    return (at > 0 && is_word(text_[at - 1])) != (at < text_.size() && is_word(text_[at]));
  }
  static bool is_word(char32_t c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  bool pay() {
    bool const enough = used_ <= steps_;
    steps_ = enough ? steps_ - used_ : 0;
    used_ = 0;
    return enough;
  }

  pattern const& p_;
  std::uint64_t& steps_;
  std::uint64_t used_ = 0;
  std::vector<char32_t> text_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t round_ = 0;
  std::vector<std::uint32_t> states_, next_, stack_;
  bool matched_ = false;
  std::vector<std::vector<bool>> holds_;
};

}  // namespace schema_detail

COMCP_DECL std::optional<bool> pattern::search(std::string_view text, std::uint64_t& steps) const {
  // The text is decoded, and each search begins with a state of its own for the whole program.
  if (!schema_detail::pay(steps, 8 + text.size() / 8 + program_.size() / 8)) return std::nullopt;
  return schema_detail::pattern_run(*this, text, steps).search();
}

}  // namespace comcp
#endif

// schema/formats.hpp
// The values of JSON Schema's `format` keyword, as assertions.

#include <cstdint>
#include <string_view>

namespace comcp {

/// Whether comcp checks this format: date-time, date, time, duration, email, idn-email, hostname, idn-hostname, ipv4,
/// ipv6, uri, uri-reference, iri, iri-reference, uuid, uri-template, json-pointer, relative-json-pointer, regex.
/// Of internationalised host names only the shape is checked (no IDNA tables).
bool is_known_format(std::string_view name) noexcept;

/// Whether `text` is of the format; true for formats that comcp does not check. Safe from any thread.
bool is_format(std::string_view name, std::string_view text);

namespace schema_detail {
/// The same, its work taken from `steps`; with none left the answer means nothing.
bool is_format(std::string_view name, std::string_view text, std::uint64_t& steps);
}  // namespace schema_detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// schema/impl/formats.ipp
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

// schema/impl/uri_reference.ipp
// Resolving URI references (RFC 3986, section 5.2) as far as schema identifiers need it.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace comcp::schema_detail {

struct uri_parts {
  std::optional<std::string_view> scheme, authority, query, fragment;
  std::string_view path;
};

COMCP_DECL uri_parts split_uri(std::string_view s) {
  uri_parts u;
  if (auto const hash = s.find('#'); hash != s.npos) {
    u.fragment = s.substr(hash + 1);
    s = s.substr(0, hash);
  }
  if (auto const mark = s.find('?'); mark != s.npos) {
    u.query = s.substr(mark + 1);
    s = s.substr(0, mark);
  }
  if (auto const colon = s.find(':'); colon != s.npos && colon > 0 && s.find('/') > colon) {
    u.scheme = s.substr(0, colon);
    s.remove_prefix(colon + 1);
  }
  if (s.starts_with("//")) {
    auto const end = std::min(s.find('/', 2), s.size());
    u.authority = s.substr(2, end - 2);
    s.remove_prefix(end);
  }
  u.path = s;
  return u;
}

COMCP_DECL std::string remove_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path.size() > 3 ? path.substr(3) : "/";
      auto const slash = out.rfind('/');
      out.erase(slash == out.npos ? 0 : slash);
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      auto const end = std::min(path.find('/', 1), path.size());
      out += path.substr(0, end);
      path.remove_prefix(end);
    }
  }
  return out;
}

/// The absolute form of `reference` with its fragment; an empty fragment is left out.
COMCP_DECL std::string resolve_uri(std::string_view base_text, std::string_view reference) {
  auto const base = split_uri(base_text);
  auto target = split_uri(reference);
  std::string path;
  if (target.scheme || target.authority) {
    path = target.scheme && !target.authority && !target.path.starts_with('/') ? std::string(target.path)
                                                                               : remove_dots(target.path);
  } else if (target.path.empty()) {
    path = base.path;
    if (!target.query) target.query = base.query;
  } else if (target.path.starts_with('/')) {
    path = remove_dots(target.path);
  } else {
    auto const slash = base.path.rfind('/');
    std::string merged(slash == base.path.npos ? "" : base.path.substr(0, slash + 1));
    if (base.authority && base.path.empty()) merged = "/";
    path = remove_dots(merged + std::string(target.path));
  }
  if (!target.authority && !target.scheme) target.authority = base.authority;
  if (!target.scheme) target.scheme = base.scheme;
  std::string out;
  if (target.scheme) out.append(*target.scheme) += ':';
  if (target.authority) out.append("//").append(*target.authority);
  out += path;
  if (target.query) out.append("?").append(*target.query);
  if (target.fragment && !target.fragment->empty()) out.append("#").append(*target.fragment);
  return out;
}

COMCP_DECL std::string percent_decoded(std::string_view s) {
  auto const digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '%' && i + 2 < s.size() && digit(s[i + 1]) >= 0 && digit(s[i + 2]) >= 0) {
      out += static_cast<char>(digit(s[i + 1]) * 16 + digit(s[i + 2]));
      i += 2;
    } else {
      out += s[i];
    }
  }
  return out;
}

}  // namespace comcp::schema_detail

namespace comcp {
namespace schema_detail {

// Formats whose grammar is regular share the bounded matcher; false when the steps are used up.
inline bool fits(pattern const& p, std::string_view text, std::uint64_t& steps) {
  return p.search(text, steps).value_or(false);
}
inline pattern shape(std::string_view text) { return pattern::compile(text).value(); }

/// Decimal digits at `at`, exactly `n` of them; moves behind them.
inline std::optional<int> digits(std::string_view s, std::size_t& at, std::size_t n) noexcept {
  if (at + n > s.size()) return {};
  int value = 0;
  for (auto const end = at + n; at < end; ++at) {
    if (s[at] < '0' || s[at] > '9') return {};
    value = value * 10 + (s[at] - '0');
  }
  return value;
}

COMCP_DECL bool is_date(std::string_view s) noexcept {
  if (s.size() != 10 || s[4] != '-' || s[7] != '-') return false;
  std::size_t y = 0, m = 5, d = 8;
  auto const year = digits(s, y, 4);
  auto const month = digits(s, m, 2);
  auto const day = digits(s, d, 2);
  if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1) return false;
  bool const leap = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return *day <= days[*month - 1] + (leap && *month == 2 ? 1 : 0);
}

COMCP_DECL bool is_time(std::string_view s) noexcept {
  std::size_t at = 0;
  auto const clock = [&](int& hour, int& minute) {
    auto const h = digits(s, at, 2);
    if (!h || at >= s.size() || s[at] != ':') return false;
    auto const m = digits(s, ++at, 2);
    if (!m || *h > 23 || *m > 59) return false;
    hour = *h;
    minute = *m;
    return true;
  };
  int hour = 0, minute = 0, away_hour = 0, away_minute = 0;
  if (!clock(hour, minute) || at >= s.size() || s[at] != ':') return false;
  auto const second = digits(s, ++at, 2);
  if (!second || *second > 60) return false;
  if (at < s.size() && s[at] == '.') {
    auto const end = std::min(s.find_first_not_of("0123456789", at + 1), s.size());
    if (end == at + 1) return false;
    at = end;
  }
  if (at >= s.size()) return false;
  char const zone = s[at++];
  if (zone == '+' || zone == '-') {
    if (!clock(away_hour, away_minute)) return false;
  } else if (zone != 'Z' && zone != 'z') {
    return false;
  }
  if (at != s.size()) return false;
  int const away = (away_hour * 60 + away_minute) * (zone == '-' ? -1 : 1);
  return *second < 60 || (hour * 60 + minute - away + 2880) % 1440 == 1439;  // a leap second ends a UTC day
}

inline bool is_date_time(std::string_view s) noexcept {
  return s.size() > 11 && (s[10] == 'T' || s[10] == 't') && is_date(s.substr(0, 10)) && is_time(s.substr(11));
}

COMCP_DECL bool is_ipv4(std::string_view s) noexcept {
  for (int part = 0; part < 4; ++part) {
    auto const end = part < 3 ? s.find('.') : s.size();
    if (end == s.npos || end == 0 || end > 3 || (end > 1 && s[0] == '0')) return false;
    std::size_t at = 0;
    auto const n = digits(s, at, end);
    if (!n || *n > 255) return false;
    s.remove_prefix(std::min(end + 1, s.size()));
  }
  return s.empty();
}

COMCP_DECL bool is_ipv6(std::string_view s) noexcept {
  int groups = 0;
  bool gap = false;
  if (s.starts_with(':') && !s.starts_with("::")) return false;
  while (!s.empty()) {
    if (s.starts_with("::")) {
      if (gap) return false;
      gap = true;
      s.remove_prefix(2);
      continue;
    }
    auto const end = std::min(s.find(':'), s.size());
    if (end == s.size() && s.find('.') != s.npos) {
      if (!is_ipv4(s)) return false;
      groups += 2;
      break;
    }
    if (end == 0 || end > 4 || s.substr(0, end).find_first_not_of("0123456789abcdefABCDEF") != s.npos) return false;
    ++groups;
    s.remove_prefix(end);
    if (s == ":") return false;
    if (s.starts_with(':') && !s.starts_with("::")) s.remove_prefix(1);
  }
  return gap ? groups < 8 : groups == 8;
}

COMCP_DECL bool is_hostname(std::string_view s, bool international, std::uint64_t& steps) {
  static pattern const ascii =
      shape("^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$");
  static pattern const any = [] {  // four characters are dots
    std::string const letters = "a-zA-Z0-9\\u0080-\\u3001\\u3003-\\uff0d\\uff0f-\\uff60\\uff62-\\u{10FFFF}";
    auto const label = "[" + letters + "]([" + letters + "-]{0,61}[" + letters + "])?";
    return shape("^" + label + "([.\\u3002\\uff0e\\uff61]" + label + ")*$");
  }();
  return s.size() <= 253 && fits(international ? any : ascii, s, steps);
}

COMCP_DECL bool is_email(std::string_view s, bool international, std::uint64_t& steps) {
  static auto const local_part = [](std::string const& more) {
    auto const atom = "[\\w!#$%&'*+/=?^`{|}~" + more + "-]+";
    return shape("^(" + atom + "(\\." + atom + ")*|\"([\\x20\\x21\\x23-\\x5b\\x5d-\\x7e" + more +
                 "]|\\\\[\\x20-\\x7e])*\")$");
  };
  static pattern const ascii = local_part("");
  static pattern const any = local_part("\\u0080-\\u{10FFFF}");
  auto const at = s.rfind('@');
  if (at == s.npos || !fits(international ? any : ascii, s.substr(0, at), steps)) return false;
  auto host = s.substr(at + 1);
  if (!host.starts_with('[') || !host.ends_with(']')) return is_hostname(host, international, steps);
  host = host.substr(1, host.size() - 2);
  return host.starts_with("IPv6:") ? is_ipv6(host.substr(5)) : is_ipv4(host);
}

/// Only unreserved characters, percent triplets and those of `extra`; beyond ASCII only if `international`.
COMCP_DECL bool is_uri_text(std::string_view s, std::string_view extra, bool international) noexcept {
  constexpr std::string_view hex = "0123456789abcdefABCDEF";
  for (std::size_t i = 0; i < s.size(); ++i) {
    char const c = s[i];
    bool const plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~!$&'()*+,;=").find(c) != s.npos || extra.find(c) != s.npos;
    if (plain || (international && static_cast<unsigned char>(c) >= 0x80)) continue;
    if (c != '%' || i + 2 >= s.size() || hex.find(s[i + 1]) == hex.npos || hex.find(s[i + 2]) == hex.npos) return false;
    i += 2;
  }
  return true;
}

inline bool is_future_ip(std::string_view s, std::uint64_t& steps) {
  static pattern const p = shape("^[vV][0-9a-fA-F]+\\.[\\w.~!$&'()*+,;=:-]+$");
  return fits(p, s, steps);
}

COMCP_DECL bool is_authority(std::string_view s, bool international, std::uint64_t& steps) {
  if (auto const at = s.rfind('@'); at != s.npos) {
    if (!is_uri_text(s.substr(0, at), ":", international)) return false;
    s.remove_prefix(at + 1);
  }
  auto const host_end = s.starts_with('[') ? s.find(']') : std::min(s.find(':'), s.size());
  if (host_end == s.npos) return false;
  auto port = s.substr(host_end + (s.starts_with('[') ? 1 : 0));
  auto const host = s.substr(0, host_end);
  if (host.starts_with('[') ? !is_ipv6(host.substr(1)) && !is_future_ip(host.substr(1), steps)
                            : !is_uri_text(host, "", international))
    return false;
  return port.empty() || (port[0] == ':' && port.find_first_not_of("0123456789", 1) == port.npos);
}

COMCP_DECL bool is_uri(std::string_view s, bool absolute, bool international, std::uint64_t& steps) {
  auto const u = split_uri(s);
  if (absolute && !u.scheme) return false;
  if (u.scheme) {
    auto const letter = (*u.scheme)[0] | 0x20;
    constexpr std::string_view allowed = "0123456789+-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (letter < 'a' || letter > 'z' || u.scheme->find_first_not_of(allowed) != s.npos) return false;
  } else if (!u.authority && u.path.substr(0, u.path.find('/')).find(':') != s.npos) {
    return false;
  }
  return (!u.authority || is_authority(*u.authority, international, steps)) &&
         is_uri_text(u.path, ":@/", international) &&
         (!u.query || is_uri_text(*u.query, ":@/?", international)) &&
         (!u.fragment || is_uri_text(*u.fragment, ":@/?", international));
}

inline bool is_duration(std::string_view s, std::uint64_t& steps) {
  static pattern const p = shape(
      "^P(?!$)(\\d+W|(\\d+Y(\\d+M(\\d+D)?)?|\\d+M(\\d+D)?|\\d+D)?"
      "(T(\\d+H(\\d+M(\\d+S)?)?|\\d+M(\\d+S)?|\\d+S))?)$");
  return fits(p, s, steps);
}
inline bool is_uuid(std::string_view s, std::uint64_t& steps) {
  static pattern const p = shape("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$");
  return fits(p, s, steps);
}
inline bool is_pointer(std::string_view s, std::uint64_t& steps) {
  static pattern const p = shape("^(/([^~/]|~[01])*)*$");
  return fits(p, s, steps);
}
inline bool is_relative_pointer(std::string_view s, std::uint64_t& steps) {
  static pattern const p = shape("^(0|[1-9]\\d*)(#|(/([^~/]|~[01])*)*)$");
  return fits(p, s, steps);
}
inline bool is_template(std::string_view s, std::uint64_t& steps) {
  static pattern const p = [] {
    std::string const triplet = "%[0-9A-Fa-f]{2}";
    auto const character = "(\\w|" + triplet + ")";
    auto const variable = character + "(\\.?" + character + ")*(:[1-9]\\d{0,3}|\\*)?";
    return shape("^([^\\x00-\\x20\"<>%\\\\^`{|}\\x7f]|" + triplet + "|\\{[+#./;?&=,!@|]?" + variable + "(," + variable +
                 ")*\\})*$");
  }();
  return fits(p, s, steps);
}

struct format {
  std::string_view name;
  bool (*check)(std::string_view, std::uint64_t& steps);
};
inline constexpr format formats[] = {
    {"date-time", [](std::string_view s, std::uint64_t&) { return is_date_time(s); }},
    {"date", [](std::string_view s, std::uint64_t&) { return is_date(s); }},
    {"time", [](std::string_view s, std::uint64_t&) { return is_time(s); }},
    {"duration", [](std::string_view s, std::uint64_t& n) { return is_duration(s, n); }},
    {"email", [](std::string_view s, std::uint64_t& n) { return is_email(s, false, n); }},
    {"idn-email", [](std::string_view s, std::uint64_t& n) { return is_email(s, true, n); }},
    {"hostname", [](std::string_view s, std::uint64_t& n) { return is_hostname(s, false, n); }},
    {"idn-hostname", [](std::string_view s, std::uint64_t& n) { return is_hostname(s, true, n); }},
    {"ipv4", [](std::string_view s, std::uint64_t&) { return is_ipv4(s); }},
    {"ipv6", [](std::string_view s, std::uint64_t&) { return is_ipv6(s); }},
    {"uri", [](std::string_view s, std::uint64_t& n) { return is_uri(s, true, false, n); }},
    {"uri-reference", [](std::string_view s, std::uint64_t& n) { return is_uri(s, false, false, n); }},
    {"iri", [](std::string_view s, std::uint64_t& n) { return is_uri(s, true, true, n); }},
    {"iri-reference", [](std::string_view s, std::uint64_t& n) { return is_uri(s, false, true, n); }},
    {"uuid", [](std::string_view s, std::uint64_t& n) { return is_uuid(s, n); }},
    {"uri-template", [](std::string_view s, std::uint64_t& n) { return is_template(s, n); }},
    {"json-pointer", [](std::string_view s, std::uint64_t& n) { return is_pointer(s, n); }},
    {"relative-json-pointer", [](std::string_view s, std::uint64_t& n) { return is_relative_pointer(s, n); }},
    {"regex", [](std::string_view s, std::uint64_t& n) { return pattern::compile(s, n).has_value(); }},
};

inline format const* find_format(std::string_view name) noexcept {
  auto const found =
      std::find_if(std::begin(formats), std::end(formats), [name](auto const& f) { return f.name == name; });
  return found == std::end(formats) ? nullptr : found;
}

COMCP_DECL bool is_format(std::string_view name, std::string_view text, std::uint64_t& steps) {
  auto const* known = find_format(name);
  return !known || (pay(steps, 1 + text.size()) && known->check(text, steps));
}

}  // namespace schema_detail

COMCP_DECL bool is_known_format(std::string_view name) noexcept { return schema_detail::find_format(name) != nullptr; }

COMCP_DECL bool is_format(std::string_view name, std::string_view text) {
  std::uint64_t steps = 2'000'000 + 200 * text.size();
  return schema_detail::is_format(name, text, steps);
}

}  // namespace comcp
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// schema/impl/schema.ipp

// schema/impl/compiler.ipp
// Turns each subschema that can be reached into its rules. A keyword of the wrong shape is a fault of the schema.

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// schema/impl/index.ipp
// Which subschemas, identifiers and anchors there are: the part of compiling that comes before any keyword means
// something. Documents are read when a reference first names them.

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// schema/impl/metaschemas.ipp
// The two dialects' own schemas, reduced to what they demand, so that a $ref to them resolves without a network.

namespace comcp::schema_detail {

inline constexpr char const* metaschema_2020_12 = R"json({
"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://json-schema.org/draft/2020-12/schema",
"$dynamicAnchor":"meta","type":["object","boolean"],
"allOf":[{"$ref":"meta/core"},{"$ref":"meta/applicator"},{"$ref":"meta/unevaluated"},{"$ref":"meta/validation"},
 {"$ref":"meta/meta-data"},{"$ref":"meta/format-annotation"},{"$ref":"meta/content"}],
"properties":{
 "definitions":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}},
 "dependencies":{"type":"object","additionalProperties":{"anyOf":[{"$dynamicRef":"#meta"},
  {"$ref":"meta/validation#/$defs/stringArray"}]}},
 "$recursiveAnchor":{"$ref":"meta/core#/$defs/anchorString"},"$recursiveRef":{"type":"string"}},
"$defs":{
"core":{"$id":"meta/core","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"$id":{"type":"string","pattern":"^[^#]*#?$"},"$schema":{"type":"string"},"$ref":{"type":"string"},
  "$anchor":{"$ref":"#/$defs/anchorString"},"$dynamicRef":{"type":"string"},
  "$dynamicAnchor":{"$ref":"#/$defs/anchorString"},
  "$vocabulary":{"type":"object","additionalProperties":{"type":"boolean"}},"$comment":{"type":"string"},
  "$defs":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}},
 "$defs":{"anchorString":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"}}},
"applicator":{"$id":"meta/applicator","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"prefixItems":{"$ref":"#/$defs/schemaArray"},"items":{"$dynamicRef":"#meta"},
  "contains":{"$dynamicRef":"#meta"},"additionalProperties":{"$dynamicRef":"#meta"},
  "properties":{"$ref":"#/$defs/schemaMap"},"patternProperties":{"$ref":"#/$defs/schemaMap"},
  "dependentSchemas":{"$ref":"#/$defs/schemaMap"},"propertyNames":{"$dynamicRef":"#meta"},
  "if":{"$dynamicRef":"#meta"},"then":{"$dynamicRef":"#meta"},"else":{"$dynamicRef":"#meta"},
  "allOf":{"$ref":"#/$defs/schemaArray"},"anyOf":{"$ref":"#/$defs/schemaArray"},
  "oneOf":{"$ref":"#/$defs/schemaArray"},"not":{"$dynamicRef":"#meta"}},
 "$defs":{"schemaArray":{"type":"array","minItems":1,"items":{"$dynamicRef":"#meta"}},
  "schemaMap":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}}},
"unevaluated":{"$id":"meta/unevaluated","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"unevaluatedItems":{"$dynamicRef":"#meta"},"unevaluatedProperties":{"$dynamicRef":"#meta"}}},
"validation":{"$id":"meta/validation","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"type":{"anyOf":[{"$ref":"#/$defs/simpleTypes"},
   {"type":"array","items":{"$ref":"#/$defs/simpleTypes"},"minItems":1,"uniqueItems":true}]},
  "const":true,"enum":{"type":"array"},"multipleOf":{"type":"number","exclusiveMinimum":0},
  "maximum":{"type":"number"},"exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},
  "exclusiveMinimum":{"type":"number"},"maxLength":{"$ref":"#/$defs/count"},"minLength":{"$ref":"#/$defs/count"},
  "pattern":{"type":"string","format":"regex"},"maxItems":{"$ref":"#/$defs/count"},
  "minItems":{"$ref":"#/$defs/count"},"uniqueItems":{"type":"boolean"},"maxContains":{"$ref":"#/$defs/count"},
  "minContains":{"$ref":"#/$defs/count"},"maxProperties":{"$ref":"#/$defs/count"},
  "minProperties":{"$ref":"#/$defs/count"},"required":{"$ref":"#/$defs/stringArray"},
  "dependentRequired":{"type":"object","additionalProperties":{"$ref":"#/$defs/stringArray"}}},
 "$defs":{"count":{"type":"integer","minimum":0},
  "simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
  "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}}},
"meta-data":{"$id":"meta/meta-data","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"title":{"type":"string"},"description":{"type":"string"},"default":true,
  "deprecated":{"type":"boolean"},"readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},
  "examples":{"type":"array"}}},
"format-annotation":{"$id":"meta/format-annotation","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"format":{"type":"string"}}},
"content":{"$id":"meta/content","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"contentEncoding":{"type":"string"},"contentMediaType":{"type":"string"},
  "contentSchema":{"$dynamicRef":"#meta"}}}
}})json";

inline constexpr char const* metaschema_7 = R"json({
"$schema":"http://json-schema.org/draft-07/schema#","$id":"http://json-schema.org/draft-07/schema#",
"type":["object","boolean"],
"properties":{"$id":{"type":"string"},"$schema":{"type":"string"},"$ref":{"type":"string"},
 "$comment":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"default":true,
 "readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},"examples":{"type":"array"},
 "multipleOf":{"type":"number","exclusiveMinimum":0},"maximum":{"type":"number"},
 "exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},"exclusiveMinimum":{"type":"number"},
 "maxLength":{"$ref":"#/definitions/count"},"minLength":{"$ref":"#/definitions/count"},
 "pattern":{"type":"string","format":"regex"},"additionalItems":{"$ref":"#"},
 "items":{"anyOf":[{"$ref":"#"},{"$ref":"#/definitions/schemaArray"}]},
 "maxItems":{"$ref":"#/definitions/count"},"minItems":{"$ref":"#/definitions/count"},
 "uniqueItems":{"type":"boolean"},"contains":{"$ref":"#"},"maxProperties":{"$ref":"#/definitions/count"},
 "minProperties":{"$ref":"#/definitions/count"},"required":{"$ref":"#/definitions/stringArray"},
 "additionalProperties":{"$ref":"#"},"definitions":{"$ref":"#/definitions/schemaMap"},
 "properties":{"$ref":"#/definitions/schemaMap"},"patternProperties":{"$ref":"#/definitions/schemaMap"},
 "dependencies":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#"},
  {"$ref":"#/definitions/stringArray"}]}},
 "propertyNames":{"$ref":"#"},"const":true,"enum":{"type":"array"},
 "type":{"anyOf":[{"$ref":"#/definitions/simpleTypes"},
  {"type":"array","items":{"$ref":"#/definitions/simpleTypes"},"minItems":1,"uniqueItems":true}]},
 "format":{"type":"string"},"contentMediaType":{"type":"string"},"contentEncoding":{"type":"string"},
 "if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"},"allOf":{"$ref":"#/definitions/schemaArray"},
 "anyOf":{"$ref":"#/definitions/schemaArray"},"oneOf":{"$ref":"#/definitions/schemaArray"},"not":{"$ref":"#"}},
"definitions":{"count":{"type":"integer","minimum":0},
 "schemaArray":{"type":"array","minItems":1,"items":{"$ref":"#"}},
 "schemaMap":{"type":"object","additionalProperties":{"$ref":"#"}},
 "simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
 "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}}
})json";

}  // namespace comcp::schema_detail

// schema/impl/program.ipp
// What a schema is compiled to: one node for each subschema, with one rule for each group of keywords.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp::schema_detail {

using node_id = std::uint32_t;
using resource_id = std::uint32_t;
inline constexpr node_id none = 0xFFFFFFFF;

enum class rule_kind : std::uint8_t {
  reference,
  dynamic_reference,
  type,
  enumeration,
  constant,
  number_bound,  // minimum and the like; `compare` says which
  multiple,
  length,  // strings, arrays, objects: `number` to `limit`
  text_pattern,
  format,
  unique,
  required,
  dependent_required,
  members,  // properties, patternProperties, additionalProperties
  member_names,
  items,
  contains,
  all_of,
  any_of,
  one_of,
  negation,
  condition,
  dependent_schemas,
  unevaluated_items,
  unevaluated_members,
};

enum class bound : std::uint8_t { at_least, above, at_most, below };
enum class counted : std::uint8_t { characters, items, members };

struct rule {
  rule_kind what;
  std::string_view keyword;  // a literal: for the schema path
  json::view arg;
  bound compare = bound::at_least;
  counted counts = counted::items;
  std::size_t number = 0;  // a bound, or the mask of types
  std::size_t limit = static_cast<std::size_t>(-1);
  node_id sub = none, then_sub = none, else_sub = none;
  std::vector<node_id> subs;
  std::vector<std::pair<std::string_view, node_id>> named;  // sorted
  std::vector<std::pair<pattern, node_id>> patterns;
  std::vector<std::string_view> names;
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> lists;
};

struct node {
  std::string path;  // of the subschema, as in violation::schema
  resource_id resource = 0;
  std::optional<bool> always;  // a boolean schema
  bool has_unevaluated = false;
  std::vector<rule> rules;
};

struct program {
  std::vector<json::value> documents;  // keep every view alive; the first is the schema's own text
  std::vector<node> nodes;             // the first is the root
  std::map<std::string, std::map<resource_id, node_id>, std::less<>> dynamic_anchors;
  schema_dialect dialect = schema_dialect::draft_2020_12;
  std::size_t max_depth = 0, max_violations = 0;
  std::uint64_t max_steps = 0;
};

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

/// What a resource's metaschema switches on.
struct profile {
  schema_dialect dialect = schema_dialect::draft_2020_12;
  bool applicator = true, validation = true, unevaluated = true, format_assertion = false;
};

struct resource {
  std::string uri;
  std::uint32_t document = 0;
  std::string pointer;
  json::view text;
  profile rules;
  std::unordered_map<std::string, node_id> anchors;  // dynamic ones too
  std::unordered_map<std::string, node_id> dynamic_anchors;
};

struct place {
  std::uint32_t document = 0;
  std::string pointer;
  json::view text;
  resource_id home = 0;
};

inline std::string pointer_token(std::string_view key) {
  std::string out = "/";
  for (char const c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

// Where subschemas stand: the keyword's value itself, the values of its members, its elements.
enum class holds : std::uint8_t { one = 1, map = 2, list = 4 };
struct applicator {
  std::string_view keyword;
  unsigned shape_2020, shape_7;
};
inline constexpr applicator applicators[] = {
    {"$defs", 2, 2},
    {"definitions", 2, 2},
    {"properties", 2, 2},
    {"patternProperties", 2, 2},
    {"additionalProperties", 1, 1},
    {"propertyNames", 1, 1},
    {"dependentSchemas", 2, 0},
    {"dependencies", 2, 2},
    {"items", 1, 5},
    {"prefixItems", 4, 0},
    {"additionalItems", 0, 1},
    {"contains", 1, 1},
    {"allOf", 4, 4},
    {"anyOf", 4, 4},
    {"oneOf", 4, 4},
    {"not", 1, 1},
    {"if", 1, 1},
    {"then", 1, 1},
    {"else", 1, 1},
    {"unevaluatedItems", 1, 0},
    {"unevaluatedProperties", 1, 0},
    {"contentSchema", 1, 0},
};

class schema_index {
 public:
  explicit schema_index(schema_options const& options) : steps(options.max_compile_steps()), options_(options) {}

  std::vector<place> places;  // one for each subschema
  std::vector<resource> resources;
  std::vector<json::value> documents;
  error fault;  // the first; once set, nothing else matters
  std::uint64_t steps;

  void fail(errc code, std::string text) {
    if (!fault) fault = error(code, "schema: " + std::move(text));
  }

  /// False where the schema's budget is used up, or it has a fault.
  bool pay(std::uint64_t n) {
    if (!fault && !schema_detail::pay(steps, n)) fail_budget();
    return !fault;
  }
  /// For work with texts of `bytes` in all, each of which is copied a few times.
  bool pay_text(std::size_t bytes) { return pay(1 + bytes / 8); }
  void fail_budget() {
    fail(errc::limit_exceeded,
         "it takes more than max_compile_steps (" + std::to_string(options_.max_compile_steps()) + ")");
  }

  /// A violation's schema path for a place.
  [[nodiscard]] std::string path_of(place const& p) const {
    return p.document == 0 ? p.pointer : uris_[p.document] + "#" + p.pointer;
  }

  /// The subschema at `pointer` below another one; none if no keyword puts one there.
  [[nodiscard]] node_id at(std::uint32_t document, std::string const& pointer) const {
    auto const found = by_pointer_.find(key(document, pointer));
    return found == by_pointer_.end() ? none : found->second;
  }

  node_id add_document(std::string uri, json::value const& text, schema_dialect dialect) {
    auto const document = static_cast<std::uint32_t>(documents.size());
    documents.push_back(text);
    uris_.push_back(uri);
    auto const home = static_cast<resource_id>(resources.size());
    resource r;
    r.uri = uri;
    r.document = document;
    r.text = documents.back().view();
    r.rules.dialect = dialect;
    if (auto const named = r.text.find("$schema")) r.rules = profile_of(*named);
    resources.push_back(std::move(r));
    by_uri_.emplace(std::move(uri), home);
    return walk({document, "", documents.back().view(), home}, 0);
  }

  /// The subschema that an absolute URI names; sets the fault when there is none.
  node_id find(std::string const& uri, std::string_view referring) {
    if (!pay_text(uri.size())) return none;
    auto const hash = std::min(uri.find('#'), uri.size());
    auto const home = find_resource(uri.substr(0, hash));
    auto const fragment = hash < uri.size() ? percent_decoded(std::string_view(uri).substr(hash + 1)) : std::string();
    auto found = none;
    if (home && fragment.empty()) {
      found = at(resources[*home].document, resources[*home].pointer);
    } else if (home && fragment.starts_with('/')) {
      found = find_pointer(*home, fragment);
    } else if (home) {
      auto const anchor = resources[*home].anchors.find(fragment);
      if (anchor != resources[*home].anchors.end()) found = anchor->second;
    }
    if (found == none)
      fail(errc::not_found, "unresolved reference \"" + uri + "\" at \"" + std::string(referring) +
                                "\" (comcp fetches no schemas; schema_options::add_document gives one)");
    return found;
  }

 private:
  static std::string key(std::uint32_t document, std::string const& pointer) {
    return std::to_string(document) + pointer;
  }

  static std::string_view without_empty_fragment(std::string_view uri) {
    return uri.ends_with('#') ? uri.substr(0, uri.size() - 1) : uri;
  }

  static std::optional<profile> known_dialect(std::string_view uri) {
    profile p;
    if (uri.starts_with("http://")) uri.remove_prefix(7);
    if (uri.starts_with("https://")) uri.remove_prefix(8);
    if (uri == "json-schema.org/draft/2020-12/schema") return p;
    p.dialect = schema_dialect::draft_7;
    if (uri == "json-schema.org/draft-07/schema") return p;
    return {};
  }

  profile profile_of(json::view named) {
    auto const text = named.get_string();
    if (!text) return fail(errc::invalid_argument, "$schema is no string"), profile();
    auto const uri = without_empty_fragment(*text);
    if (auto const known = known_dialect(uri)) return *known;
    for (auto const& [document_uri, document] : options_.documents()) {
      if (without_empty_fragment(document_uri) == uri) return custom_profile(document.view(), uri);
    }
    fail(errc::unsupported_dialect,
         "unsupported dialect \"" + std::string(uri) + "\" (comcp knows JSON Schema 2020-12 and draft-07)");
    return {};
  }

  profile custom_profile(json::view metaschema, std::string_view uri) {
    auto const base = metaschema.find("$schema");
    auto const base_uri = base ? base->get_string() : std::nullopt;
    auto p = base_uri ? known_dialect(without_empty_fragment(*base_uri)) : std::nullopt;
    if (!p) return fail(errc::unsupported_dialect, "unsupported dialect \"" + std::string(uri) + "\""), profile();
    auto const vocabulary = metaschema.find("$vocabulary");
    if (!vocabulary || p->dialect == schema_dialect::draft_7) return *p;
    p->applicator = p->validation = p->unevaluated = false;
    for (auto const m : vocabulary->members()) {
      std::string_view name = m.key;
      bool const standard = name.starts_with("https://json-schema.org/draft/2020-12/vocab/");
      if (standard) name.remove_prefix(name.rfind('/') + 1);
      if (standard && name == "applicator")
        p->applicator = true;
      else if (standard && name == "validation")
        p->validation = true;
      else if (standard && name == "unevaluated")
        p->unevaluated = true;
      else if (standard && name == "format-assertion")
        p->format_assertion = true;
      else if (!standard && m.value.get_bool() == true)
        fail(errc::unsupported_dialect, "unsupported vocabulary \"" + std::string(name) + "\"");
    }
    return *p;
  }

  node_id walk(place here, std::size_t depth) {
    if (fault) return none;
    auto const position = key(here.document, here.pointer);
    if (auto const known = by_pointer_.find(position); known != by_pointer_.end()) return known->second;
    if (depth > options_.max_depth())
      return fail(errc::limit_exceeded, "nested deeper than max_depth (" + std::to_string(options_.max_depth()) + ")"),
             none;
    // A place, a node and an entry of the table, and the pointer in each of them.
    if (!pay(16 + here.pointer.size() / 4 + 5 * here.text.size())) return none;
    if (places.size() >= options_.max_subschemas())
      return fail(errc::limit_exceeded, "more than max_subschemas (" + std::to_string(options_.max_subschemas()) + ")"),
             none;
    auto const id = static_cast<node_id>(places.size());
    by_pointer_.emplace(position, id);
    places.push_back(here);
    identify(here, id);
    places[id].home = here.home;
    if (here.text.is_object()) walk_children(here, depth);
    return id;
  }

  // $id, $schema and anchors: may move `here` to a new resource.
  void identify(place& here, node_id id) {
    bool const draft_7 = resources[here.home].rules.dialect == schema_dialect::draft_7;
    auto const text_of = [&](std::string_view keyword) {
      auto const v = here.text.find(keyword);
      return v ? v->get_string() : std::nullopt;
    };
    auto const given = draft_7 && here.text.find("$ref") ? std::nullopt : text_of("$id");
    if (given) {
      if (!pay_text(8 * (resources[here.home].uri.size() + given->size()))) return;
      auto const uri = resolve_uri(resources[here.home].uri, *given);
      auto const hash = std::min(uri.find('#'), uri.size());
      if (!given->starts_with('#')) enter(here, uri.substr(0, hash));
      if (hash < uri.size()) resources[here.home].anchors.emplace(uri.substr(hash + 1), id);
    }
    if (resources[here.home].rules.dialect == schema_dialect::draft_7) return;
    for (auto const* const keyword : {"$anchor", "$dynamicAnchor"}) {
      if (auto const name = text_of(keyword)) pay_text(2 * (64 + name->size()));
    }
    if (auto const name = text_of("$anchor")) resources[here.home].anchors.emplace(*name, id);
    if (auto const name = text_of("$dynamicAnchor")) {
      resources[here.home].anchors.emplace(*name, id);
      resources[here.home].dynamic_anchors.emplace(*name, id);
    }
  }

  void enter(place& here, std::string uri) {
    auto& current = resources[here.home];
    if (here.pointer == current.pointer && here.document == current.document) {  // the root of its document
      current.uri = uri;
      by_uri_.emplace(std::move(uri), here.home);
      return;
    }
    resource r;
    r.uri = uri;
    r.document = here.document;
    r.pointer = here.pointer;
    r.text = here.text;
    r.rules = current.rules;
    if (auto const named = here.text.find("$schema")) r.rules = profile_of(*named);
    here.home = static_cast<resource_id>(resources.size());
    resources.push_back(std::move(r));
    by_uri_.emplace(std::move(uri), here.home);
  }

  void walk_children(place const& here, std::size_t depth) {
    bool const draft_7 = resources[here.home].rules.dialect == schema_dialect::draft_7;
    for (auto const& a : applicators) {
      auto const shape = draft_7 ? a.shape_7 : a.shape_2020;
      auto const value = shape ? here.text.find(a.keyword) : std::nullopt;
      if (!value) continue;
      auto const base = here.pointer + "/" + std::string(a.keyword);
      auto const child = [&](std::string const& below, json::view text) {
        if (!pay_text(base.size() + below.size()) || !(text.is_object() || text.get_bool())) return;
        walk({here.document, base + below, text, here.home}, depth + 1);
      };
      if (shape & static_cast<unsigned>(holds::one)) child("", *value);
      if (shape & static_cast<unsigned>(holds::map)) {
        for (auto const m : value->members()) child(pointer_token(m.key), m.value);
      }
      if (shape & static_cast<unsigned>(holds::list)) {
        std::size_t i = 0;
        for (auto const e : value->elements()) child("/" + std::to_string(i++), e);
      }
    }
  }

  std::optional<resource_id> find_resource(std::string const& uri) {
    if (auto const known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
    auto const dialect = resources.front().rules.dialect;
    for (auto const& [given, text] : options_.documents()) {
      if (without_empty_fragment(given) != uri) continue;
      add_document(uri, text, dialect);
    }
    if (uri.starts_with("https://json-schema.org/draft/2020-12/"))
      add_metaschema("https://json-schema.org/draft/2020-12/schema", metaschema_2020_12);
    if (uri == "http://json-schema.org/draft-07/schema") add_metaschema(uri, metaschema_7);
    auto const found = by_uri_.find(uri);
    if (found == by_uri_.end() || fault) return {};
    return found->second;
  }

  void add_metaschema(std::string const& uri, char const* text) {
    if (!by_uri_.contains(uri)) add_document(uri, json::parse(text).value(), schema_dialect::draft_2020_12);
  }

  node_id find_pointer(resource_id home, std::string const& fragment) {
    auto const document = resources[home].document;
    auto const pointer = resources[home].pointer + fragment;
    if (auto const known = at(document, pointer); known != none) return known;
    // Below an unknown keyword: its base is that of the nearest subschema around it.
    auto const target = walked(resources[home].text, fragment);
    if (!target || !(target->is_object() || target->get_bool())) return none;
    for (auto outer = pointer; !outer.empty();) {
      if (!pay_text(outer.size())) return none;
      outer.erase(outer.rfind('/'));
      auto const around = at(document, outer);
      if (around != none) return walk({document, pointer, *target, places[around].home}, 0);
    }
    return none;
  }

  // A JSON Pointer's target, each step paid by what is looked through for it.
  std::optional<json::view> walked(json::view from, std::string_view pointer) {
    while (!pointer.empty()) {
      auto const end = std::min(pointer.find('/', 1), pointer.size());
      if (!pay(1 + from.size() / 4)) return {};
      auto const next = from.pointer(pointer.substr(0, end));
      if (!next) return {};
      from = *next;
      pointer.remove_prefix(end);
    }
    return from;
  }

  schema_options const& options_;
  std::vector<std::string> uris_;
  std::unordered_map<std::string, node_id> by_pointer_;
  std::unordered_map<std::string, resource_id> by_uri_;
};

}  // namespace comcp::schema_detail

// schema/impl/numbers.ipp
// Types, and exact comparison and division of JSON numbers, whatever kind they were parsed as.

#include <charconv>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace comcp::schema_detail {

inline bool is_integer(json::view v) noexcept {
  if (v.kind() != json::kind::real) return v.is_number();
  auto const d = *v.get_double();
  return d == std::trunc(d);
}

inline constexpr std::string_view type_names[] = {"null", "boolean", "integer", "number", "string", "array", "object"};

/// Whether v has one of the types in the mask; the bits are those of type_names.
COMCP_DECL bool has_type(json::view v, std::size_t mask) noexcept {
  auto const has = [mask](std::size_t bit) { return (mask >> bit & 1) != 0; };
  switch (v.kind()) {
    case json::kind::null: return has(0);
    case json::kind::boolean: return has(1);
    case json::kind::string: return has(4);
    case json::kind::array: return has(5);
    case json::kind::object: return has(6);
    default: return has(3) || (has(2) && is_integer(v));
  }
}

/// Whether a < b. Precondition: numbers.
COMCP_DECL bool less(json::view a, json::view b) noexcept {
  if (a.kind() != json::kind::real && b.kind() != json::kind::real) {
    auto const x = a.get_int64();
    auto const y = b.get_int64();
    if (x && y) return *x < *y;
    if (!x && !y) return *a.get_uint64() < *b.get_uint64();
    return x.has_value();  // what does not fit a signed integer is larger
  }
  auto const x = *a.get_double();
  auto const y = *b.get_double();
  if (x != y || std::abs(x) < 0x1p53) return x < y;
  // Equal once rounded: integers decide, where both are such (reals of this size have no fraction).
  if (auto const i = a.get_int64(), j = b.get_int64(); i && j) return *i < *j;
  if (auto const i = a.get_uint64(), j = b.get_uint64(); i && j) return *i < *j;
  return false;
}

/// digits * 10^exponent, the shortest that reads back as the same number.
struct decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

COMCP_DECL decimal to_decimal(json::view v) noexcept {
  decimal out;
  if (auto const i = v.get_int64()) {
    out.digits = *i < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(*i) : static_cast<std::uint64_t>(*i);
    return out;
  }
  if (auto const u = v.get_uint64()) return {*u, 0};
  char text[40];
  auto const end =
      std::to_chars(text, text + sizeof text, std::abs(*v.get_double()), std::chars_format::scientific).ptr;
  bool fraction = false;
  for (char const* p = text; p != end; ++p) {
    if (*p == 'e') {
      if (p + 1 != end && p[1] == '+') ++p;
      int exponent = 0;
      std::from_chars(p + 1, end, exponent);
      out.exponent += exponent;
      break;
    }
    if (*p == '.') {
      fraction = true;
    } else {
      out.digits = out.digits * 10 + static_cast<std::uint64_t>(*p - '0');
      if (fraction) --out.exponent;
    }
  }
  return out;
}

/// value * 10^power modulo m, without overflow.
COMCP_DECL std::uint64_t scaled_remainder(std::uint64_t value, int power, std::uint64_t m) noexcept {
  auto const add = [m](std::uint64_t x, std::uint64_t y) { return x >= m - y ? x - (m - y) : x + y; };
  auto r = value % m;
  for (; power > 0 && r != 0; --power) {
    auto const twice = add(r, r);
    auto const four = add(twice, twice);
    r = add(add(four, four), twice);
  }
  return r;
}

/// Takes one of `steps` for each eight powers of ten between them. Precondition: numbers, `step` above 0.
COMCP_DECL bool is_multiple(json::view value, json::view step, std::uint64_t& steps) noexcept {
  auto const a = to_decimal(value);
  auto b = to_decimal(step);
  if (a.digits == 0) return true;
  if (b.digits == 0) return false;
  auto power = a.exponent - b.exponent;
  for (; power < 0; ++power) {  // a is divisible only by what is not larger
    if (b.digits > a.digits / 10) return false;
    b.digits *= 10;
  }
  return pay(steps, 1 + static_cast<std::uint64_t>(power) / 8) && scaled_remainder(a.digits, power, b.digits) == 0;
}

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

class schema_compiler {
 public:
  explicit schema_compiler(schema_options const& options) : options_(options), index_(options) {}

  result<std::shared_ptr<program const>> run(json::value const& text) {
    if (!text.is_object() && text.kind() != json::kind::boolean)
      index_.fail(errc::invalid_argument, "neither an object nor a boolean");
    if (!index_.fault) want(index_.add_document("", text, options_.default_dialect()));
    while (!index_.fault && (!queue_.empty() || want_dynamic())) {
      if (queue_.empty()) continue;
      auto const next = queue_.back();
      queue_.pop_back();
      build(next);
    }
    if (index_.fault) return index_.fault;
    out_->documents = index_.documents;
    out_->nodes.resize(index_.places.size());
    out_->dialect = index_.resources.front().rules.dialect;
    out_->max_depth = options_.max_depth();
    out_->max_steps = options_.max_steps();
    out_->max_violations = options_.max_violations();
    return std::shared_ptr<program const>(out_);
  }

 private:
  void want(node_id id) {
    if (id == none || id >= index_.places.size()) return;
    if (wanted_.size() < index_.places.size()) wanted_.resize(index_.places.size(), false);
    if (wanted_[id]) return;
    wanted_[id] = true;
    queue_.push_back(id);
  }

  // The targets that dynamic references may turn out to have.
  bool want_dynamic() {
    for (auto const& name : dynamic_names_) {
      if (!index_.pay(1 + index_.resources.size())) return false;
      for (resource_id r = 0; r < index_.resources.size(); ++r) {
        auto const found = index_.resources[r].dynamic_anchors.find(name);
        if (found == index_.resources[r].dynamic_anchors.end()) continue;
        out_->dynamic_anchors[name].emplace(r, found->second);
        want(found->second);
      }
    }
    return !queue_.empty();
  }

  void build(node_id id) {
    here_ = index_.places[id];
    if (out_->nodes.size() < index_.places.size()) out_->nodes.resize(index_.places.size());
    node_.path = index_.path_of(here_);
    node_.resource = here_.home;
    node_.always = here_.text.get_bool();
    profile_ = index_.resources[here_.home].rules;
    draft_7_ = profile_.dialect == schema_dialect::draft_7;
    if (!node_.always) build_rules();
    if (out_->nodes.size() < index_.places.size()) out_->nodes.resize(index_.places.size());
    out_->nodes[id] = std::exchange(node_, node());
  }

  void build_rules() {
    if (build_references()) return;
    if (profile_.validation) {
      build_values();
      build_numbers();
      build_counts();
    }
    build_format();
    if (profile_.applicator) {
      build_members();
      build_items();
      build_combinators();
    }
    if (profile_.unevaluated && !draft_7_) build_unevaluated();
  }

  [[nodiscard]] std::optional<json::view> get(std::string_view keyword) const { return here_.text.find(keyword); }

  void bad(std::string_view keyword, std::string_view needed) {
    if (index_.fault) return;
    index_.fail(errc::invalid_argument,
                "\"" + node_.path + "/" + std::string(keyword) + "\" must be " + std::string(needed));
  }

  rule& add(rule_kind what, std::string_view keyword, json::view arg = {}) {
    index_.pay(16);
    auto& r = node_.rules.emplace_back();
    r.what = what;
    r.keyword = keyword;
    r.arg = arg;
    return r;
  }

  node_id child(std::string const& pointer) {
    if (!index_.pay_text(here_.pointer.size() + pointer.size())) return none;
    auto const id = index_.at(here_.document, here_.pointer + pointer);
    want(id);
    return id;
  }

  node_id one(std::string_view keyword) {
    if (!get(keyword)) return none;
    auto const id = child("/" + std::string(keyword));
    if (id == none) bad(keyword, "a schema");
    return id;
  }

  std::vector<node_id> list(std::string_view keyword) {
    std::vector<node_id> out;
    auto const value = get(keyword);
    if (!value) return out;
    if (!value->is_array()) bad(keyword, "an array of schemas");
    for (std::size_t i = 0, n = value->size(); i < n && !index_.fault; ++i) {
      out.push_back(child("/" + std::string(keyword) + "/" + std::to_string(i)));
      if (out.back() == none) bad(keyword, "an array of schemas");
    }
    return out;
  }

  std::vector<std::pair<std::string_view, node_id>> map(std::string_view keyword) {
    std::vector<std::pair<std::string_view, node_id>> out;
    auto const value = get(keyword);
    if (!value) return out;
    if (!value->is_object()) bad(keyword, "an object of schemas");
    for (auto const m : value->members()) {
      if (index_.fault) return out;
      out.emplace_back(m.key, child("/" + std::string(keyword) + pointer_token(m.key)));
      if (out.back().second == none) bad(keyword, "an object of schemas");
    }
    std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    return out;
  }

  std::vector<std::string_view> strings(json::view value, std::string_view keyword) {
    std::vector<std::string_view> out;
    if (!value.is_array()) bad(keyword, "an array of strings");
    if (!index_.pay(value.size())) return out;
    for (auto const e : value.elements()) {
      auto const s = e.get_string();
      if (!s) bad(keyword, "an array of strings");
      out.push_back(s.value_or(""));
    }
    return out;
  }

  std::optional<std::size_t> count(std::string_view keyword) {
    auto const value = get(keyword);
    if (!value) return {};
    if (auto const n = value->get_uint64()) return static_cast<std::size_t>(*n);
    auto const d = value->get_double();
    if (d && *d >= 1e19) return static_cast<std::size_t>(-1);
    return bad(keyword, "a non-negative integer"), std::nullopt;
  }

  std::optional<pattern> compiled(std::string_view text, std::string_view keyword) {
    if (index_.fault) return {};
    auto p = pattern::compile(text, index_.steps);
    if (p) return std::move(*p);
    if (index_.steps == 0) return index_.fail_budget(), std::nullopt;
    auto const code = p.error() == errc::limit_exceeded ? errc::limit_exceeded : errc::invalid_argument;
    index_.fail(code, "\"" + node_.path + "/" + std::string(keyword) + "\": " + std::string(p.error().message()));
    return {};
  }

  // True when nothing else in this subschema counts.
  bool build_references() {
    auto const target_of = [this](std::string_view keyword) {
      auto const text = get(keyword)->get_string();
      if (!text) return bad(keyword, "a string"), none;
      auto const& base = index_.resources[here_.home].uri;
      if (!index_.pay_text(base.size() + text->size() + node_.path.size())) return none;
      auto const target = index_.find(resolve_uri(base, *text), node_.path + "/" + std::string(keyword));
      want(target);
      return target;
    };
    if (get("$ref")) {
      auto const target = target_of("$ref");
      add(rule_kind::reference, "$ref").sub = target;
      if (draft_7_) return true;
    }
    if (draft_7_ || !get("$dynamicRef")) return false;
    auto const target = target_of("$dynamicRef");
    if (target == none) return false;
    auto const text = *get("$dynamicRef")->get_string();
    auto& r = add(rule_kind::dynamic_reference, "$dynamicRef");
    r.sub = target;
    auto const anchor = text.substr(std::min(text.find('#'), text.size() - 1) + 1);
    auto const& own = index_.resources[index_.places[target].home].dynamic_anchors;
    if (auto const found = own.find(std::string(anchor)); found != own.end() && found->second == target) {
      index_.pay_text(64 + anchor.size());
      r.names.push_back(anchor);
      dynamic_names_.emplace(anchor);
    }
    return false;
  }

  void build_values() {
    if (auto const type = get("type")) {
      auto& r = add(rule_kind::type, "type", *type);
      auto const name = [&](json::view v) {
        auto const s = v.get_string();
        auto const found = s ? std::find(std::begin(type_names), std::end(type_names), *s) : std::end(type_names);
        if (found == std::end(type_names)) bad("type", "a type's name or an array of such");
        r.number |= std::size_t{1} << (found - std::begin(type_names));
      };
      if (type->is_array()) {
        for (auto const e : type->elements()) name(e);
      } else {
        name(*type);
      }
    }
    if (auto const values = get("enum")) {
      if (!values->is_array()) bad("enum", "an array");
      add(rule_kind::enumeration, "enum", *values);
    }
    if (auto const value = get("const")) add(rule_kind::constant, "const", *value);
  }

  void build_numbers() {
    auto const limit = [this](std::string_view keyword, bound b) {
      auto const value = get(keyword);
      if (!value) return;
      if (!value->is_number()) bad(keyword, "a number");
      add(rule_kind::number_bound, keyword, *value).compare = b;
    };
    limit("minimum", bound::at_least);
    limit("exclusiveMinimum", bound::above);
    limit("maximum", bound::at_most);
    limit("exclusiveMaximum", bound::below);
    if (auto const value = get("multipleOf")) {
      if (!(value->get_double().value_or(0) > 0)) bad("multipleOf", "a number above 0");
      add(rule_kind::multiple, "multipleOf", *value);
    }
  }

  void build_counts() {
    auto const length = [this](std::string_view keyword, counted what, bool upper) {
      auto const n = count(keyword);
      if (!n) return;
      auto& r = add(rule_kind::length, keyword);
      r.counts = what;
      (upper ? r.limit : r.number) = *n;
    };
    length("minLength", counted::characters, false);
    length("maxLength", counted::characters, true);
    length("minItems", counted::items, false);
    length("maxItems", counted::items, true);
    length("minProperties", counted::members, false);
    length("maxProperties", counted::members, true);
    if (auto const value = get("pattern")) {
      auto const text = value->get_string();
      if (!text) return bad("pattern", "a string");
      if (auto p = compiled(*text, "pattern"))
        add(rule_kind::text_pattern, "pattern", *value).patterns.emplace_back(std::move(*p), none);
    }
    if (auto const value = get("uniqueItems")) {
      if (!value->get_bool()) bad("uniqueItems", "a boolean");
      if (value->get_bool() == true) add(rule_kind::unique, "uniqueItems");
    }
    if (auto const value = get("required")) add(rule_kind::required, "required").names = strings(*value, "required");
    if (auto const value = get("dependentRequired"); value && !draft_7_) {
      if (!value->is_object()) bad("dependentRequired", "an object");
      auto& r = add(rule_kind::dependent_required, "dependentRequired");
      for (auto const m : value->members()) {
        if (!index_.pay(3)) return;
        r.lists.emplace_back(m.key, strings(m.value, "dependentRequired"));
      }
    }
  }

  void build_format() {
    auto const value = get("format");
    if (!value || !(options_.assert_formats() || profile_.format_assertion)) return;
    if (!value->is_string()) bad("format", "a string");
    add(rule_kind::format, "format", *value);
  }

  void build_members() {
    if (get("properties") || get("patternProperties") || get("additionalProperties")) {
      auto named = map("properties");
      auto by_pattern = map("patternProperties");
      auto const rest = one("additionalProperties");
      auto& r = add(rule_kind::members, "properties");
      r.named = std::move(named);
      r.sub = rest;
      for (auto const& [text, id] : by_pattern) {
        if (auto p = compiled(text, "patternProperties")) r.patterns.emplace_back(std::move(*p), id);
      }
    }
    if (auto const names = one("propertyNames"); names != none)
      add(rule_kind::member_names, "propertyNames").sub = names;
    if (!draft_7_ && get("dependentSchemas")) {
      auto named = map("dependentSchemas");
      add(rule_kind::dependent_schemas, "dependentSchemas").named = std::move(named);
    }
    build_dependencies();
  }

  // Of draft-07; in 2020-12 it is kept as its specification suggests for compatibility.
  void build_dependencies() {
    auto const value = get("dependencies");
    if (!value) return;
    if (!value->is_object()) return bad("dependencies", "an object");
    std::vector<std::pair<std::string_view, node_id>> schemas;
    std::vector<std::pair<std::string_view, std::vector<std::string_view>>> lists;
    for (auto const m : value->members()) {
      if (!index_.pay(3)) return;
      if (m.value.is_array()) {
        lists.emplace_back(m.key, strings(m.value, "dependencies"));
      } else {
        schemas.emplace_back(m.key, child("/dependencies" + pointer_token(m.key)));
        if (schemas.back().second == none) bad("dependencies", "an object of schemas and lists of names");
      }
    }
    if (!lists.empty()) add(rule_kind::dependent_required, "dependencies").lists = std::move(lists);
    if (!schemas.empty()) add(rule_kind::dependent_schemas, "dependencies").named = std::move(schemas);
  }

  void build_items() {
    auto const items = get("items");
    bool const tuple = draft_7_ && items && items->is_array();
    if (!draft_7_ && items && items->is_array())
      return bad("items", "a schema (an array of schemas is draft-07's; 2020-12 has prefixItems)");
    if (items || (!draft_7_ && get("prefixItems"))) {
      auto prefix = tuple ? list("items") : draft_7_ ? std::vector<node_id>() : list("prefixItems");
      auto const rest = tuple ? one("additionalItems") : one("items");
      auto& r = add(rule_kind::items, tuple ? "additionalItems" : "items");
      r.subs = std::move(prefix);
      r.sub = rest;
    }
    if (auto const sub = one("contains"); sub != none) {
      auto const min = draft_7_ || !profile_.validation ? std::nullopt : count("minContains");
      auto const max = draft_7_ || !profile_.validation ? std::nullopt : count("maxContains");
      auto& r = add(rule_kind::contains, "contains");
      r.sub = sub;
      r.number = min.value_or(1);
      r.limit = max.value_or(r.limit);
    }
  }

  void build_combinators() {
    auto const several = [this](std::string_view keyword, rule_kind what) {
      if (!get(keyword)) return;
      auto subs = list(keyword);
      if (subs.empty()) bad(keyword, "a non-empty array of schemas");
      add(what, keyword).subs = std::move(subs);
    };
    several("allOf", rule_kind::all_of);
    several("anyOf", rule_kind::any_of);
    several("oneOf", rule_kind::one_of);
    if (auto const sub = one("not"); sub != none) add(rule_kind::negation, "not").sub = sub;
    auto const condition = one("if");
    auto const then_sub = one("then");
    auto const else_sub = one("else");
    if (condition == none) return;
    auto& r = add(rule_kind::condition, "if");
    r.sub = condition;
    r.then_sub = then_sub;
    r.else_sub = else_sub;
  }

  // Last, because they look at what the others have seen.
  void build_unevaluated() {
    auto const items = one("unevaluatedItems");
    auto const members = one("unevaluatedProperties");
    if (items != none) add(rule_kind::unevaluated_items, "unevaluatedItems").sub = items;
    if (members != none) add(rule_kind::unevaluated_members, "unevaluatedProperties").sub = members;
    node_.has_unevaluated = items != none || members != none;
  }

  schema_options const& options_;
  schema_index index_;
  std::shared_ptr<program> out_ = std::make_shared<program>();
  std::vector<node_id> queue_;
  std::vector<bool> wanted_;
  std::set<std::string> dynamic_names_;
  place here_;
  node node_;
  profile profile_;
  bool draft_7_ = false;
};

}  // namespace comcp::schema_detail

// schema/impl/evaluator.ipp
// Applies a compiled schema to one instance. What unevaluatedItems and unevaluatedProperties need is tracked only
// below a subschema that has one of them.

#include <algorithm>
#include <limits>
#include <utility>

// schema/impl/assertions.ipp
// The keywords that ask something of a value itself and apply no subschema.

#include <string>
#include <string_view>
#include <vector>

// schema/impl/equality.ipp
// Equality of JSON values that counts its work and stays near linear for hostile ones, which json::view's does not.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp::schema_detail {

/// Takes its work from `steps`; with none left the answers mean nothing.
class comparison {
 public:
  explicit comparison(std::uint64_t& steps) noexcept : steps_(steps) {}

  bool equal(json::view a, json::view b) {
    if (!step()) return false;
    if (a.is_array() && b.is_array()) {
      auto const x = a.elements();
      auto const y = b.elements();
      if (a.size() != b.size()) return false;
      return std::equal(x.begin(), x.end(), y.begin(), y.end(), [this](auto i, auto j) { return equal(i, j); });
    }
    if (a.is_string() && b.is_string()) {
      auto const x = *a.get_string(), y = *b.get_string();
      return x.size() == y.size() && step(1 + x.size() / 64) && x == y;
    }
    if (!a.is_object() || !b.is_object()) return a == b;
    if (a.size() != b.size()) return false;
    auto const x = sorted_members(a);
    auto const y = sorted_members(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [this](auto const& i, auto const& j) { return i.key == j.key && equal(i.value, j.value); });
  }

  // By sorted hashes: a peer that knows how a hash table places them could make one quadratic.
  bool is_unique(json::view v) {
    std::size_t const n = v.size();
    if (!step(n * bits(n) / 4)) return true;
    std::vector<std::pair<std::size_t, json::view>> all;
    all.reserve(v.is_array() ? n : 0);
    for (auto const e : v.elements()) all.emplace_back(hash(e), e);
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < all.size() && steps_ > 0; ++i) {
      for (auto j = i + 1; j < all.size() && all[j].first == all[i].first && steps_ > 0; ++j) {
        if (equal(all[i].second, all[j].second)) return false;
      }
    }
    return true;
  }

 private:
  bool step(std::uint64_t n = 1) { return pay(steps_, n); }
  static std::uint64_t bits(std::size_t n) noexcept { return static_cast<std::uint64_t>(std::bit_width(n)); }

  std::vector<json::member> sorted_members(json::view v) {
    std::vector<json::member> out;
    std::uint64_t work = 0;
    for (auto const m : v.members()) work += 1 + m.key.size() / 64;
    if (!step(work * bits(v.size()))) return out;
    for (auto const m : v.members()) out.push_back(m);
    std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.key < b.key; });
    return out;
  }

  std::size_t hash(json::view v) {
    if (!step()) return 0;
    auto const mix = [](std::size_t h, std::size_t more) { return (h ^ more) * 0x9E3779B1u + (h >> 7); };
    auto h = static_cast<std::size_t>(v.kind());
    if (v.is_number()) {
      if (auto const i = v.get_int64()) return mix(1, std::hash<std::int64_t>()(*i));
      if (auto const u = v.get_uint64()) return mix(2, std::hash<std::uint64_t>()(*u));
      return mix(3, std::hash<double>()(*v.get_double()));
    }
    if (auto const s = v.get_string()) return step(s->size() / 16) ? mix(h, std::hash<std::string_view>()(*s)) : 0;
    if (auto const b = v.get_bool()) return mix(h, *b ? 2 : 1);
    for (auto const e : v.elements()) h = mix(h, hash(e));
    for (auto const m : v.members()) {
      if (step(m.key.size() / 16)) h += mix(std::hash<std::string_view>()(m.key), hash(m.value));
    }
    return h;
  }

  std::uint64_t& steps_;
};

}  // namespace comcp::schema_detail

// schema/impl/findings.ipp
// What an evaluation may still spend and what it has found. Running out of steps ends it; so do enough violations.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// schema/impl/evaluated.ipp
// What an evaluation knows of the instance: where it is, and which parts have been looked at.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace comcp::schema_detail {

/// Which members or elements of one instance have been looked at by subschemas that matched.
struct evaluated {
  bool all = false;
  std::size_t first = 0;             // so many from the start
  std::vector<std::uint64_t> words;  // a bit for each

  void add(std::size_t i) {
    if (i / 64 >= words.size()) words.resize(i / 64 + 1);
    words[i / 64] |= std::uint64_t{1} << i % 64;
  }
  [[nodiscard]] bool has(std::size_t i) const noexcept {
    return all || i < first || (i / 64 < words.size() && (words[i / 64] >> i % 64 & 1) != 0);
  }
  void merge(evaluated&& other) {
    all |= other.all;
    first = std::max(first, other.first);
    if (words.size() < other.words.size()) words.swap(other.words);
    for (std::size_t i = 0; i < other.words.size(); ++i) words[i] |= other.words[i];
  }
};

/// An instance and how it was reached.
struct spot {
  json::view value;
  spot const* outer;
  std::string_view key;  // with null data: an index
  std::size_t index;
};

inline spot element(spot const& of, json::view value, std::size_t i) { return {value, &of, {}, i}; }
inline spot member(spot const& of, json::member const& m) {
  return {m.value, &of, m.key.data() ? m.key : std::string_view("", 0), 0};
}

COMCP_DECL std::string shortened(std::string_view s) {
  constexpr std::size_t most = 1000;
  if (s.size() <= most) return std::string(s);
  auto end = most;
  while (end > 0 && (static_cast<unsigned char>(s[end]) & 0xC0) == 0x80) --end;
  return std::string(s.substr(0, end)) + "...";
}

COMCP_DECL std::string path_of(spot const& on) {
  std::vector<spot const*> all;
  for (auto const* s = &on; s->outer; s = s->outer) all.push_back(s);
  std::string path;
  for (auto s = all.rbegin(); s != all.rend(); ++s)
    path += (*s)->key.data() ? pointer_token((*s)->key) : "/" + std::to_string((*s)->index);
  return path;
}

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

/// A subschema and the part of the instance that it is applied to.
struct site {
  node const& at;
  spot const& on;
};

class findings {
 public:
  /// Collects violations until there are `wanted`.
  findings(std::size_t wanted, std::uint64_t budget) : steps(budget), wanted_(wanted) {}

  std::vector<violation> violations;
  char const* limit = nullptr;  // the name of the bound that ended the evaluation
  std::uint64_t steps;          // for what counts its work by itself: then ask enough()

  bool step(std::uint64_t n = 1) {
    if (limit) return false;
    if (n > steps) return limit = "max_steps", false;
    steps -= n;
    return true;
  }
  bool enough() {
    if (steps == 0) limit = "max_steps";
    return !limit;
  }
  /// Nobody is told of what is found meanwhile.
  bool quietly(auto const& work) {
    ++quiet_;
    bool const good = work();
    --quiet_;
    return good;
  }
  [[nodiscard]] bool is_quiet() const noexcept { return quiet_ > 0; }
  [[nodiscard]] bool is_told() const noexcept { return !quiet_ && !limit && violations.size() < wanted_; }
  /// Whether the rest can change nothing any more.
  [[nodiscard]] bool stop(bool good) const { return limit || (!good && (quiet_ || violations.size() >= wanted_)); }

  /// Keeps a violation, if anybody wants it; its bytes are steps. False, as what calls it.
  bool report(site const& f, std::string_view keyword, std::string text) {
    if (!is_told()) return false;
    auto path = path_of(f.on);
    auto where = f.at.path + (keyword.empty() ? "" : "/" + std::string(keyword));
    if (step(path.size() + where.size() + text.size()))
      violations.push_back({std::move(path), std::move(where), std::move(text)});
    return false;
  }
  bool report(rule const& r, site const& f, std::initializer_list<std::string_view> text) {
    if (!is_told()) return false;
    std::string whole;
    for (auto const piece : text) whole += shortened(piece);
    return report(f, r.keyword, std::move(whole));
  }
  /// The keyword's own value follows the text.
  bool report_value(rule const& r, site const& f, std::string_view text) {
    if (!is_told()) return false;
    if (r.arg.size() > 20) return report(r, f, {text, "the listed values"});
    auto const value = r.arg.dump();
    return step(value.size()) && report(r, f, {text, value});
  }

 private:
  std::size_t wanted_;
  std::size_t quiet_ = 0;
};

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

class assertions {
 public:
  explicit assertions(findings& found) : found_(found) {}

  /// True for a rule that is no assertion.
  bool check(rule const& r, site const& f) {
    auto const v = f.on.value;
    switch (r.what) {
      case rule_kind::type: return has_type(v, r.number) || found_.report_value(r, f, "is not of type ");
      case rule_kind::enumeration: return check_enumeration(r, f);
      case rule_kind::constant: return equal(v, r.arg) || found_.report(r, f, {"is not the constant"});
      case rule_kind::number_bound: return !v.is_number() || check_bound(r, f);
      case rule_kind::multiple:
        return !v.is_number() || (is_multiple(v, r.arg, found_.steps) && found_.enough()) ||
               found_.report_value(r, f, "is not a multiple of ");
      case rule_kind::length: return check_length(r, f);
      case rule_kind::text_pattern:
        return !v.is_string() || search(r.patterns[0].first, *v.get_string()) ||
               found_.report_value(r, f, "does not match the pattern ");
      case rule_kind::format:
        return !v.is_string() ||
               (is_format(*r.arg.get_string(), *v.get_string(), found_.steps) && found_.enough()) ||
               found_.report_value(r, f, "is not a valid ");
      case rule_kind::unique: return is_unique(v) || found_.report(r, f, {"has equal elements"});
      case rule_kind::required: return !v.is_object() || check_required(r, f, r.names);
      case rule_kind::dependent_required: return check_dependent_required(r, f);
      default: return true;
    }
  }

  bool search(pattern const& p, std::string_view text) {
    auto const found = p.search(text, found_.steps);
    if (!found) found_.limit = "max_steps";
    return found.value_or(false);
  }

  bool has_member(json::view v, std::string_view name) {
    return found_.step(1 + v.size() / 16 * (1 + name.size() / 32)) && v.find(name).has_value();
  }

 private:
  bool equal(json::view a, json::view b) { return comparison(found_.steps).equal(a, b) && found_.enough(); }
  bool is_unique(json::view v) { return comparison(found_.steps).is_unique(v) && found_.enough(); }

  bool check_enumeration(rule const& r, site const& f) {
    for (auto const e : r.arg.elements()) {
      if (equal(f.on.value, e)) return true;
    }
    return found_.report_value(r, f, "is none of ");
  }

  bool check_bound(rule const& r, site const& f) {
    auto const v = f.on.value;
    switch (r.compare) {
      case bound::at_least: return !less(v, r.arg) || found_.report_value(r, f, "is less than ");
      case bound::above: return less(r.arg, v) || found_.report_value(r, f, "is not greater than ");
      case bound::at_most: return !less(r.arg, v) || found_.report_value(r, f, "is greater than ");
      case bound::below: return less(v, r.arg) || found_.report_value(r, f, "is not less than ");
    }
    return true;
  }

  bool check_length(rule const& r, site const& f) {
    auto const v = f.on.value;
    std::size_t n = 0;
    char const* what = " elements";
    if (r.counts == counted::characters) {
      if (!v.is_string() || !found_.step(v.get_string()->size() / 64)) return true;
      n = count_code_points(*v.get_string());
      what = " characters";
    } else if (r.counts == counted::items) {
      if (!v.is_array()) return true;
      n = v.size();
    } else {
      if (!v.is_object()) return true;
      n = v.size();
      what = " members";
    }
    if (n < r.number) return found_.report(r, f, {"has fewer than ", std::to_string(r.number), what});
    if (n > r.limit) return found_.report(r, f, {"has more than ", std::to_string(r.limit), what});
    return true;
  }

  bool check_required(rule const& r, site const& f, std::vector<std::string_view> const& names) {
    bool good = true;
    for (auto const name : names) {
      if (!has_member(f.on.value, name)) good = found_.report(r, f, {"has no member \"", name, "\""});
      if (found_.limit || (!good && found_.is_quiet())) break;
    }
    return good;
  }

  bool check_dependent_required(rule const& r, site const& f) {
    bool good = true;
    for (auto const& [name, needed] : r.lists) {
      if (has_member(f.on.value, name)) good = check_required(r, f, needed) && good;
      if (found_.stop(good)) return false;
    }
    return good;
  }

  findings& found_;
};

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

class evaluator {
 public:
  /// Collects violations until there are `wanted`.
  evaluator(program const& p, std::size_t wanted) : found(wanted, p.max_steps), p_(p) {}

  findings found;

  bool run(json::view instance) { return apply(0, {instance, nullptr, {}, 0}, nullptr, nullptr); }

 private:
  struct scope {
    resource_id resource;
    scope const* outer;
  };
  struct frame : site {
    scope const* scopes;
    evaluated* seen;
  };

  bool apply(node_id id, spot const& on, scope const* outer, evaluated* seen) {
    if (!found.step()) return false;
    auto const& n = p_.nodes[id];
    if (n.always) return *n.always || found.report({n, on}, {}, "is not allowed");
    if (depth_ >= p_.max_depth) return found.limit = "max_depth", false;
    ++depth_;
    scope const entered{n.resource, outer};
    evaluated own;
    bool const track = seen || n.has_unevaluated;
    frame const f{{n, on}, outer && outer->resource == n.resource ? outer : &entered, track ? &own : nullptr};
    bool good = true;
    for (auto const& r : n.rules) {
      bool const late = r.what == rule_kind::unevaluated_items || r.what == rule_kind::unevaluated_members;
      if (late && !good) break;
      if (!found.step() || !check(r, f)) good = false;
      if (found.stop(good)) break;
    }
    --depth_;
    if (good && seen && found.step(own.words.size() / 8)) seen->merge(std::move(own));
    return good && !found.limit;
  }

  /// Whether a subschema matches, without telling anybody why not.
  bool matches(node_id id, spot const& on, frame const& f, evaluated* seen) {
    return found.quietly([&] { return apply(id, on, f.scopes, seen); });
  }

  bool check(rule const& r, frame const& f) {
    auto const v = f.on.value;
    switch (r.what) {
      case rule_kind::reference: return apply(r.sub, f.on, f.scopes, f.seen);
      case rule_kind::dynamic_reference: return apply(dynamic_target(r, f.scopes), f.on, f.scopes, f.seen);
      case rule_kind::members: return check_members(r, f);
      case rule_kind::member_names: return check_member_names(r, f);
      case rule_kind::items: return check_items(r, f);
      case rule_kind::contains: return !v.is_array() || check_contains(r, f);
      case rule_kind::all_of: return check_all(r, f);
      case rule_kind::any_of: return check_any(r, f);
      case rule_kind::one_of: return check_one(r, f);
      case rule_kind::negation:
        return !matches(r.sub, f.on, f, nullptr) || found.report(r, f, {"matches the schema of \"not\""});
      case rule_kind::condition: return check_condition(r, f);
      case rule_kind::dependent_schemas: return check_dependent_schemas(r, f);
      case rule_kind::unevaluated_items:
        return !v.is_array() ||
               check_unevaluated(r, f, v.elements(), [&](json::view e, std::size_t i) { return element(f.on, e, i); });
      case rule_kind::unevaluated_members:
        return !v.is_object() ||
               check_unevaluated(r, f, v.members(), [&](json::member const& m, std::size_t) { return member(f.on, m); });
      default: return values_.check(r, f);
    }
  }

  // The outermost resource of the dynamic scope that has the anchor.
  node_id dynamic_target(rule const& r, scope const* scopes) {
    if (r.names.empty()) return r.sub;
    auto const& candidates = p_.dynamic_anchors.find(r.names[0])->second;
    auto target = r.sub;
    for (auto const* s = scopes; s && found.step(); s = s->outer) {
      if (auto const at = candidates.find(s->resource); at != candidates.end()) target = at->second;
    }
    return target;
  }

  bool check_members(rule const& r, frame const& f) {
    bool good = true;
    std::size_t i = 0;
    for (auto const m : f.on.value.members()) {
      if (!found.step(1 + m.key.size() / 16)) return false;
      auto const at = member(f.on, m);
      bool seen = false;
      auto named = std::lower_bound(r.named.begin(), r.named.end(), m.key,
                                    [](auto const& x, std::string_view key) { return x.first < key; });
      if (named != r.named.end() && named->first == m.key) {
        seen = true;
        good = apply(named->second, at, f.scopes, nullptr) && good;
      }
      for (auto const& [p, id] : r.patterns) {
        if (!values_.search(p, m.key)) continue;
        seen = true;
        good = apply(id, at, f.scopes, nullptr) && good;
      }
      if (!seen && r.sub != none) {
        seen = true;
        good = apply(r.sub, at, f.scopes, nullptr) && good;
      }
      if (seen && f.seen) f.seen->add(i);
      if (found.stop(good)) return false;
      ++i;
    }
    return good;
  }

  // As the elements of one document: one for each name is what costs most.
  bool check_member_names(rule const& r, frame const& f) {
    json::writer w;
    w.begin_array();
    for (auto const m : f.on.value.members()) {
      if (!found.step(2 + m.key.size() / 16)) return false;
      w.string(m.key);
    }
    w.end_array();
    constexpr auto any = std::numeric_limits<std::size_t>::max();
    auto text = std::move(w).text();
    auto const names = json::parse(pad(text), json::parse_options().max_bytes(any).max_nodes(any));
    if (!names) return found.limit = "memory", false;
    for (auto const name : names->elements()) {
      if (matches(r.sub, {name, nullptr, {}, 0}, f, nullptr)) continue;
      if (found.limit) return false;
      return found.report(r, f, {"has the member name \"", *name.get_string(), "\", which does not match"});
    }
    return true;
  }

  bool check_items(rule const& r, frame const& f) {
    if (!f.on.value.is_array()) return true;
    bool good = true;
    std::size_t i = 0;
    for (auto const e : f.on.value.elements()) {
      auto const sub = i < r.subs.size() ? r.subs[i] : r.sub;
      if (sub == none) break;
      good = apply(sub, element(f.on, e, i), f.scopes, nullptr) && good;
      if (found.stop(good)) return false;
      ++i;
    }
    if (f.seen) {
      f.seen->first = std::max(f.seen->first, i);
      if (r.sub != none) f.seen->all = true;
    }
    return good;
  }

  bool check_contains(rule const& r, frame const& f) {
    std::size_t matching = 0, i = 0;
    for (auto const e : f.on.value.elements()) {
      if (matches(r.sub, element(f.on, e, i), f, nullptr)) {
        ++matching;
        if (f.seen) f.seen->add(i);
      }
      if (found.limit) return false;
      ++i;
    }
    if (matching < r.number) return found.report(r, f, {"has fewer than ", std::to_string(r.number), " matching elements"});
    if (matching > r.limit) return found.report(r, f, {"has more than ", std::to_string(r.limit), " matching elements"});
    return true;
  }

  bool check_all(rule const& r, frame const& f) {
    bool good = true;
    for (auto const sub : r.subs) {
      good = apply(sub, f.on, f.scopes, f.seen) && good;
      if (found.stop(good)) return false;
    }
    return good;
  }

  bool check_any(rule const& r, frame const& f) {
    bool good = false;
    for (auto const sub : r.subs) {
      good = matches(sub, f.on, f, f.seen) || good;
      if (found.limit) return false;
      if (good && !f.seen) return true;
    }
    return good || found.report(r, f, {"matches none of the alternatives"});
  }

  bool check_one(rule const& r, frame const& f) {
    std::size_t matching = 0;
    for (auto const sub : r.subs) {
      if (matches(sub, f.on, f, f.seen)) ++matching;
      if (found.limit) return false;
    }
    if (matching == 1) return true;
    return found.report(r, f, {matching == 0 ? "matches none of the alternatives" : "matches more than one of the alternatives"});
  }

  bool check_condition(rule const& r, frame const& f) {
    auto const next = matches(r.sub, f.on, f, f.seen) ? r.then_sub : r.else_sub;
    return next == none || apply(next, f.on, f.scopes, f.seen);
  }

  bool check_dependent_schemas(rule const& r, frame const& f) {
    bool good = true;
    for (auto const& [name, sub] : r.named) {
      if (values_.has_member(f.on.value, name)) good = apply(sub, f.on, f.scopes, f.seen) && good;
      if (found.stop(good)) return false;
    }
    return good;
  }

  bool check_unevaluated(rule const& r, frame const& f, auto const& parts, auto const& spot_of) {
    if (f.seen->all) return true;
    bool good = true;
    std::size_t i = 0;
    for (auto const part : parts) {
      if (!found.step()) return false;
      if (!f.seen->has(i)) good = apply(r.sub, spot_of(part, i), f.scopes, nullptr) && good;
      if (found.stop(good)) return false;
      ++i;
    }
    f.seen->all = true;
    return good;
  }

  program const& p_;
  assertions values_{found};
  std::size_t depth_ = 0;
};

}  // namespace comcp::schema_detail

namespace comcp {

COMCP_DECL std::string violation::to_string() const {
  return (instance.empty() ? "the value" : instance) + ": " + text + " (" + (schema.empty() ? "schema" : schema) + ")";
}

COMCP_DECL result<schema> schema::compile(json::value const& text, schema_options const& options) {
  auto compiled = schema_detail::schema_compiler(options).run(text);
  if (!compiled) return std::move(compiled).error();
  return schema(std::move(*compiled));
}

COMCP_DECL result<void> schema::validate(json::view instance) const {
  constexpr std::size_t named = 3;
  schema_detail::evaluator e(*program_, named);
  if (e.run(instance)) return {};
  auto const& found = e.found;
  if (found.limit && found.violations.empty())
    return error(errc::limit_exceeded, std::string("schema validation: ") + found.limit);
  std::string text;
  for (auto const& v : found.violations) text += (text.empty() ? "" : "; ") + v.to_string();
  return error(errc::validation_failed, std::move(text));
}

COMCP_DECL std::vector<violation> schema::violations(json::view instance) const {
  schema_detail::evaluator e(*program_, std::max<std::size_t>(program_->max_violations, 1));
  if (!e.run(instance) && e.found.limit)
    e.found.violations.push_back({"", "", std::string("was not checked to the end: limit exceeded, ") + e.found.limit});
  return std::move(e.found.violations);
}

COMCP_DECL json::value const& schema::text() const noexcept { return program_->documents.front(); }

COMCP_DECL schema_dialect schema::dialect() const noexcept { return program_->dialect; }

}  // namespace comcp
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// schema/impl/elicitation.ipp
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace comcp {

COMCP_DECL result<json::value> fill_defaults(json::view requested_schema, json::view content) {
  if (!content.is_object() && !content.is_null())
    return error(errc::invalid_argument, "elicitation: the content is no object");
  json::writer w;
  w.begin_object();
  std::set<std::string_view> given;
  for (auto const m : content.members()) {
    w.key(m.key).value(m.value);
    given.insert(m.key);
  }
  if (auto const properties = requested_schema.find("properties")) {
    for (auto const p : properties->members()) {
      auto const fallback = p.value.find("default");
      if (fallback && given.insert(p.key).second) w.key(p.key).value(*fallback);
    }
  }
  w.end_object();
  return json::parse(w.text(), json::parse_options().max_depth(1024));
}

COMCP_DECL result<void> check_primitive_content(json::view content) {
  if (!content.is_object()) return error(errc::validation_failed, "elicitation: the content is no object");
  for (auto const m : content.members()) {
    auto const elements = m.value.elements();
    bool const strings =
        m.value.is_array() && std::all_of(elements.begin(), elements.end(), [](json::view e) { return e.is_string(); });
    if (strings || m.value.is_string() || m.value.is_number() || m.value.get_bool()) continue;
    return error(errc::validation_failed,
                 "elicitation: \"" + std::string(m.key) + "\" is no string, number, boolean or array of strings");
  }
  return {};
}

COMCP_DECL result<void> check_content(json::view requested_schema, json::view content) {
  if (auto const ok = check_primitive_content(content); !ok) return ok.error();
  auto const text = requested_schema.share();
  auto const compiled = schema::compile(text, schema_options().assert_formats(true));
  if (!compiled) return compiled.error();
  return compiled->validate(content);
}

}  // namespace comcp
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/answers.ipp

namespace comcp::detail {

COMCP_DECL result<json::fragment> complete_elicitation(context const& ctx, json::view request,
                                                       json::fragment const& answered) {
  auto const parsed = json::parse(answered.text());
  if (!parsed) return parsed.error();
  auto answer = parsed->get<elicit_result>();
  if (!answer) return answer.error();
  auto const mode = request.find("mode");
  if (answer->action != elicit_action::accept || (mode && mode->get_string() == "url")) {
    answer->content = json::value();
    return json::fragment::of(*answer);
  }
  auto const asked = request.find("requestedSchema");
  if (!asked) return json::fragment::of(*answer);
  if (answer->content.is_null()) answer->content = json::parse("{}").value();
  auto filled = fill_defaults(*asked, answer->content.view());
  if (!filled) return filled.error();
  auto const* const plan = ctx.validation_.get();
  auto const ok = plan ? plan->check_answer(*asked, filled->view()) : check_content(*asked, filled->view());
  if (!ok) {
    auto const& why = ok.error();
    if (plan && plan->only_warns_of_answers()) {
      ctx.fault(why);
    } else if (why == errc::validation_failed || why == errc::limit_exceeded) {
      return why;
    } else {  // it is the question that is wrong
      return error::from_peer({-32602, "Invalid params: requestedSchema: " + std::string(why.message()), {}});
    }
  }
  answer->content = std::move(*filled);
  return json::fragment::of(*answer);
}

COMCP_DECL result<void> check_roots(json::fragment const& answered) {
  auto const parsed = json::parse(answered.text());
  auto const list = parsed ? parsed->get<list_roots_result>() : result<list_roots_result>(parsed.error());
  if (!list) return list.error();
  for (auto const& r : list->roots) {
    if (auto ok = check_root(r); !ok) return ok;
  }
  return {};
}

}  // namespace comcp::detail
#endif

// client/handler_parts.hpp
// Parts of a core that only some handlers need, and that a program without those does not compile. Internal.

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include <asio/awaitable.hpp>

namespace comcp {
class client_core;

namespace detail {

/// Has a handler answer what a server asks back while it works on a call. On home only.
class rounds_link {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~rounds_link() = default;
  /// The responses, as the text of an object.
  virtual asio::awaitable<result<std::string>> answer(input_required_result required, std::stop_token stop,
                                                      time_point hard) = 0;
  /// What the call ends with; nothing where it is to be sent again.
  virtual asio::awaitable<error> show_pages(prepared_call const& c, error refusal, time_point hard) = 0;
  /// A page that was completed.
  virtual bool notified(std::string const& method, json::value const& params) = 0;
};

using rounds_maker = std::unique_ptr<rounds_link> (*)(client_core&);
COMCP_LAZY std::unique_ptr<rounds_link> make_rounds(client_core& core);

/// What makes them; null where a handler does without.
struct handler_parts {
  subscriptions_maker subscriptions = nullptr;  ///< It has a member for changes of a list.
  rounds_maker rounds = nullptr;                ///< It has one that answers, or declares what it likes.
};

}  // namespace detail
}  // namespace comcp

namespace comcp::detail {

template <class T>
inline constexpr bool is_awaitable = false;
template <class T>
inline constexpr bool is_awaitable<asio::awaitable<T>> = true;
template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<result<T>> = true;

inline error invalid_params(error const& why) {
  return error::from_peer({-32602, "Invalid params: " + std::string(why.message()), {}});
}
inline error method_not_found(std::string const& method) {
  return error::from_peer({-32601, "Method not found: " + method, {}});
}

inline json::fragment answer_text(std::vector<root> const& roots) {
  list_roots_result r;
  r.roots = roots;
  return json::fragment::of(r);
}
template <class V>
json::fragment answer_text(V const& v) {
  return json::fragment::of(v);
}

template <class V>
result<json::fragment> encode_answer(V const& v) {
  if constexpr (is_result<V>) {
    if (!v) return v.error();
    return answer_text(*v);
  } else {
    return answer_text(v);
  }
}

template <class R>
asio::awaitable<result<json::fragment>> settle(R returned) {
  if constexpr (is_awaitable<R>) {
    auto const value = co_await std::move(returned);
    co_return encode_answer(value);
  } else {
    co_return encode_answer(returned);
  }
}

template <class R>
asio::awaitable<result<json::fragment>> settle_elicitation(context ctx, json::value request, R returned) {
  auto settled = settle(std::move(returned));
  auto answered = co_await std::move(settled);
  if (!answered) co_return answered;
  auto completed = complete_elicitation(ctx, request.view(), *answered);
  co_return completed;
}

template <class R>
asio::awaitable<result<json::fragment>> settle_roots(R returned) {
  auto settled = settle(std::move(returned));
  auto answered = co_await std::move(settled);
  if (!answered) co_return answered;
  if (auto const ok = check_roots(*answered); !ok) co_return ok.error();
  co_return answered;
}

COMCP_LAZY asio::awaitable<result<json::fragment>> refuse(error e);

// Calls f(args..., ctx) or f(args...), whichever the member takes.
template <class F, class... A>
auto with_context(F&& f, context& ctx, A&&... args) {
  if constexpr (requires { f(std::forward<A>(args)..., ctx); }) {
    return f(std::forward<A>(args)..., ctx);
  } else {
    return f(std::forward<A>(args)...);
  }
}

template <class H>
void declare(H& h, client_capabilities& c) {
  if constexpr (has_create_message<H>) {
    if (!c.sampling) c.sampling.emplace();
  }
  if constexpr (has_list_roots<H>) {
    if (!c.roots) c.roots.emplace();
  }
  if constexpr (has_elicit<H> || has_elicit_url<H>) {
    if (!c.elicitation) c.elicitation.emplace();
    if constexpr (has_elicit<H>) c.elicitation->form = true;
    if constexpr (has_elicit_url<H>) c.elicitation->url = true;
  }
  if constexpr (requires { h.roots_list_changed(); }) c.roots->list_changed = true;
  if constexpr (has_capabilities<H>) h.capabilities(c);
}

template <class H>
bool answers(H const&, std::string_view method) {
  if (method == "sampling/createMessage") return has_create_message<H>;
  if (method == "roots/list") return has_list_roots<H>;
  if (method == "elicitation/create") return has_elicit<H> || has_elicit_url<H>;
  return has_on_request<H>;
}

template <class H>
bool elicits(H const&, elicit_mode mode) {
  return mode == elicit_mode::url ? has_elicit_url<H> : has_elicit<H>;
}

template <class H>
bool receives(H const&, std::string_view method) {
  if (method == "notifications/tools/list_changed") return has_on<H, tools_list_changed>;
  if (method == "notifications/prompts/list_changed") return has_on<H, prompts_list_changed>;
  if (method == "notifications/resources/list_changed") return has_on<H, resources_list_changed>;
  if (method == "notifications/resources/updated") return has_on<H, resource_updated>;
  if (method == "notifications/message") return has_on<H, logging_message>;
  return method.empty() && has_on<H, any_notification>;  // empty: the catch-all
}

/// Core is client_core.
template <class H, class Core = client_core>
handler_parts parts_of(H const&) {
  static_assert((!has_list_changes<H> && !has_answers<H> && !has_capabilities<H>) || has_definition<Core>,
                "comcp: a source that makes a handler which answers or hears of lists includes comcp/comcp.hpp");
  handler_parts parts;
  if constexpr (has_list_changes<H>) parts.subscriptions = [](client_core& c) { return make_subscriptions(c); };
  if constexpr (has_answers<H> || has_capabilities<H>) parts.rounds = [](client_core& c) { return make_rounds(c); };
  return parts;
}

template <class H>
asio::awaitable<result<json::fragment>> answer_elicitation(H& h, json::value const& params, context& ctx) {
  auto request = json::read<elicit_params>(params.view());
  if (!request) return refuse(invalid_params(request.error()));
  if (request->mode == elicit_mode::url) {
    if constexpr (has_elicit_url<H>) {
      auto const member = [&h](auto&&... a) -> decltype(h.elicit_url(std::forward<decltype(a)>(a)...)) {
        return h.elicit_url(std::forward<decltype(a)>(a)...);
      };
      return settle_elicitation(ctx, params, with_context(member, ctx, *std::move(request)));
    }
  } else {
    if constexpr (has_elicit<H>) {
      auto const member = [&h](auto&&... a) -> decltype(h.elicit(std::forward<decltype(a)>(a)...)) {
        return h.elicit(std::forward<decltype(a)>(a)...);
      };
      return settle_elicitation(ctx, params, with_context(member, ctx, *std::move(request)));
    }
  }
  return refuse(error::from_peer({-32602, "Invalid params: this elicitation mode was not declared", {}}));
}

template <class H>
asio::awaitable<result<json::fragment>> answer(H& h, std::string const& method, json::value const& params,
                                               context& ctx) {
  if (method == "sampling/createMessage") {
    if constexpr (has_create_message<H>) {
      auto request = json::read<create_message_params>(params.view());
      if (!request) return refuse(invalid_params(request.error()));
      if (auto const ok = request->check_tool_results(); !ok) return refuse(invalid_params(ok.error()));
      auto const member = [&h](auto&&... a) -> decltype(h.create_message(std::forward<decltype(a)>(a)...)) {
        return h.create_message(std::forward<decltype(a)>(a)...);
      };
      return settle(with_context(member, ctx, *std::move(request)));
    }
  } else if (method == "roots/list") {
    if constexpr (has_list_roots<H>) {
      auto const member = [&h](auto&&... a) -> decltype(h.list_roots(std::forward<decltype(a)>(a)...)) {
        return h.list_roots(std::forward<decltype(a)>(a)...);
      };
      return settle_roots(with_context(member, ctx));
    }
  } else if (method == "elicitation/create") {
    if constexpr (has_elicit<H> || has_elicit_url<H>) return answer_elicitation(h, params, ctx);
  }
  if constexpr (has_on_request<H>) {
    auto const member = [&h](auto&&... a) -> decltype(h.on_request(std::forward<decltype(a)>(a)...)) {
      return h.on_request(std::forward<decltype(a)>(a)...);
    };
    return settle(with_context(member, ctx, std::string(method), json::value(params)));
  } else {
    return refuse(method_not_found(method));
  }
}

template <class R>
asio::awaitable<void> wait_for(R returned) {
  co_await std::move(returned);
}
COMCP_LAZY asio::awaitable<void> nothing();

// Hands one notification over; the member may be a coroutine.
template <class H, class N>
asio::awaitable<void> hand_over(H& h, N n, context& ctx) {
  auto const member = [&h](auto&&... a) -> decltype(h.on(std::forward<decltype(a)>(a)...)) {
    return h.on(std::forward<decltype(a)>(a)...);
  };
  static_assert(answers_nothing<decltype(with_context(member, ctx, std::move(n)))>,
                "comcp: this handler's on() returns neither void nor asio::awaitable<void>: nobody looks at what it says");
  if constexpr (is_awaitable<decltype(with_context(member, ctx, std::move(n)))>) {
    return wait_for(with_context(member, ctx, std::move(n)));
  } else {
    with_context(member, ctx, std::move(n));
    return nothing();
  }
}

template <class N, class H>
asio::awaitable<void> notify_as(H& h, std::string const& method, json::value const& params, context& ctx) {
  if constexpr (has_on<H, N> && !std::same_as<N, any_notification>) {
    if (params.is_null()) return hand_over(h, N(), ctx);
    return hand_over(h, json::read<N>(params.view()).value(), ctx);
  } else if constexpr (has_on<H, any_notification>) {
    return hand_over(h, any_notification(method, params), ctx);
  } else {
    return nothing();
  }
}

template <class H>
asio::awaitable<void> notify(H& h, std::string const& method, json::value const& params, context& ctx) {
  if (method == "notifications/tools/list_changed") return notify_as<tools_list_changed>(h, method, params, ctx);
  if (method == "notifications/prompts/list_changed") return notify_as<prompts_list_changed>(h, method, params, ctx);
  if (method == "notifications/resources/list_changed")
    return notify_as<resources_list_changed>(h, method, params, ctx);
  if (method == "notifications/resources/updated") return notify_as<resource_updated>(h, method, params, ctx);
  if (method == "notifications/message") return notify_as<logging_message>(h, method, params, ctx);
  if (method == "notifications/elicitation/complete") return notify_as<elicitation_complete>(h, method, params, ctx);
  if (method == "notifications/cancelled") return notify_as<cancelled>(h, method, params, ctx);
  if (method == "notifications/progress") return notify_as<progress_notification>(h, method, params, ctx);
  return notify_as<any_notification>(h, method, params, ctx);
}

// A chain is a handler too; defined where any_handler is complete.
void declare(handler_chain& chain, client_capabilities& c);
bool answers(handler_chain const& chain, std::string_view method);
bool elicits(handler_chain const& chain, elicit_mode mode);
bool receives(handler_chain const& chain, std::string_view method);
handler_parts parts_of(handler_chain const& chain);
COMCP_LAZY asio::awaitable<result<json::fragment>> answer(handler_chain& chain, std::string const& method,
                                                          json::value const& params, context& ctx);
COMCP_LAZY asio::awaitable<void> notify(handler_chain& chain, std::string const& method, json::value const& params,
                                        context& ctx);

}  // namespace comcp::detail

namespace comcp {

/// What a handler may have, each member optional, each with an optional trailing `comcp::context&`, each
/// returning its value, a result<> of it, or an asio::awaitable of either:
///
///   create_message_result create_message(create_message_params);     declares sampling
///   std::vector<root>     list_roots();                               declares roots
///   elicit_result         elicit(elicit_params);                      declares elicitation, form mode
///   elicit_result         elicit_url(elicit_params);                  declares elicitation, url mode
///   json::fragment        on_request(std::string method, json::value params);   vendor requests
///   void                  on(tools_list_changed);  ... on(any_notification);    notifications
///   void                  capabilities(client_capabilities&);         narrows what is declared
///
/// To answer with an error, throw comcp::exception (or return a result) made by error::from_peer. Any other
/// exception becomes -32603 without its text, and a fault for the observer.
template <class H>
concept handler = std::move_constructible<H> && detail::check_handler<H>();

/// Any handler, type-erased and shared.
class any_handler {
 public:
  any_handler() = default;
  template <class H>
    requires(!std::same_as<H, any_handler>)
  explicit any_handler(H h) : any_handler(std::make_shared<H>(std::move(h))) {}
  template <class H>
  explicit any_handler(std::shared_ptr<H> h) : self_(std::make_shared<model<H>>(std::move(h))) {
    static_assert(handler<H>);
    static_assert(detail::check_members<H>());
  }

  void declare(client_capabilities& c) const {
    if (self_) self_->declare(c);
  }
  [[nodiscard]] bool answers(std::string_view method) const { return self_ && self_->answers(method); }
  /// Of elicitation/create: whether there is a member for this mode.
  [[nodiscard]] bool elicits(elicit_mode mode) const { return self_ && self_->elicits(mode); }
  /// Whether some on(...) member takes this notification itself (the catch-all does not count).
  [[nodiscard]] bool receives(std::string_view method) const { return self_ && self_->receives(method); }
  /// What the core needs for it. Internal.
  [[nodiscard]] detail::handler_parts parts() const { return self_ ? self_->parts() : detail::handler_parts(); }
  /// The result's JSON text, or the error to answer with.
  asio::awaitable<result<json::fragment>> answer(std::string const& method, json::value const& params,
                                                 context& ctx) const {
    return self_->answer(method, params, ctx);
  }
  asio::awaitable<void> notify(std::string const& method, json::value const& params, context& ctx) const {
    return self_->notify(method, params, ctx);
  }
  explicit operator bool() const noexcept { return static_cast<bool>(self_); }

 private:
  struct base {
    virtual ~base() = default;
    virtual void declare(client_capabilities&) const = 0;
    virtual bool answers(std::string_view) const = 0;
    virtual bool elicits(elicit_mode) const = 0;
    virtual bool receives(std::string_view) const = 0;
    virtual detail::handler_parts parts() const = 0;
    virtual asio::awaitable<result<json::fragment>> answer(std::string const&, json::value const&, context&) = 0;
    virtual asio::awaitable<void> notify(std::string const&, json::value const&, context&) = 0;
  };

  template <class H>
  struct model final : base {
    explicit model(std::shared_ptr<H> h) : impl(std::move(h)) {}
    void declare(client_capabilities& c) const override { detail::declare(*impl, c); }
    bool answers(std::string_view m) const override { return detail::answers(*impl, m); }
    bool elicits(elicit_mode mode) const override { return detail::elicits(*impl, mode); }
    bool receives(std::string_view m) const override { return detail::receives(*impl, m); }
    detail::handler_parts parts() const override { return detail::parts_of(*impl); }
    asio::awaitable<result<json::fragment>> answer(std::string const& m, json::value const& p, context& c) override {
      return detail::answer(*impl, m, p, c);
    }
    asio::awaitable<void> notify(std::string const& m, json::value const& p, context& c) override {
      return detail::notify(*impl, m, p, c);
    }
    std::shared_ptr<H> impl;
  };

  std::shared_ptr<base> self_;
};

/// Several handlers as one: a request goes to the first that has a member for it, a notification to all.
class handler_chain {
 public:
  explicit handler_chain(std::vector<any_handler> list) : list_(std::move(list)) {}
  [[nodiscard]] std::vector<any_handler> const& list() const noexcept { return list_; }

 private:
  std::vector<any_handler> list_;
};

template <class... H>
handler_chain handlers(H... h) {
  std::vector<any_handler> list;
  (list.push_back(any_handler(std::move(h))), ...);
  return handler_chain(std::move(list));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/handler.ipp
#include <exception>

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> refuse(error e) {
  co_return result<json::fragment>(std::move(e));
}

COMCP_LAZY_DECL asio::awaitable<void> nothing() { co_return; }

COMCP_DECL void declare(handler_chain& chain, client_capabilities& c) {
  for (auto const& h : chain.list()) h.declare(c);
}

COMCP_DECL bool answers(handler_chain const& chain, std::string_view method) {
  for (auto const& h : chain.list()) {
    if (h.answers(method)) return true;
  }
  return false;
}

COMCP_DECL bool receives(handler_chain const& chain, std::string_view method) {
  for (auto const& h : chain.list()) {
    if (h.receives(method)) return true;
  }
  return false;
}

COMCP_DECL handler_parts parts_of(handler_chain const& chain) {
  handler_parts all;
  for (auto const& h : chain.list()) {
    auto const one = h.parts();
    if (one.subscriptions) all.subscriptions = one.subscriptions;
    if (one.rounds) all.rounds = one.rounds;
  }
  return all;
}

COMCP_DECL bool elicits(handler_chain const& chain, elicit_mode mode) {
  for (auto const& h : chain.list()) {
    if (h.elicits(mode)) return true;
  }
  return false;
}

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> answer(handler_chain& chain, std::string const& method,
                                                               json::value const& params, context& ctx) {
  bool const asks_user = method == "elicitation/create";
  auto const mode = asks_user ? params.view().find("mode") : std::nullopt;
  auto const wanted = mode && mode->get_string() == "url" ? elicit_mode::url : elicit_mode::form;
  for (auto const& h : chain.list()) {
    if (asks_user ? h.elicits(wanted) : h.answers(method)) return h.answer(method, params, ctx);
  }
  return refuse(method_not_found(method));
}

// What one of them throws is thrown once all were told.
COMCP_LAZY_DECL asio::awaitable<void> notify(handler_chain& chain, std::string const& method, json::value const& params,
                                             context& ctx) {
  std::exception_ptr thrown;
  for (auto const& h : chain.list()) {
    try {
      auto told = h.notify(method, params, ctx);
      co_await std::move(told);
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace comcp::detail
#endif

// client/options.hpp
// What a user may decide for a connection, with every default. A class with setters: see DESIGN.md section 7 for why it is
// no aggregate.

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>

// client/era_cache.hpp
// What connections learned about the eras of their servers, for those that come after them.

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace comcp {

/// Verdicts by server (origin or command line) and by whose credentials they were learned with. Give one to several
/// connections by connect_options().remember_eras(). Safe from any thread. A verdict that proves wrong is replaced; one
/// for the legacy era is believed for 24 hours. It holds one entry for each server, without a bound of its own.
class era_cache {
 public:
  [[nodiscard]] std::optional<era_verdict> find(std::string const& server) const {
    std::scoped_lock const lock(mutex_);
    auto const found = verdicts_.find(server);
    return found == verdicts_.end() ? std::nullopt : std::optional(found->second);
  }
  void store(std::string const& server, era_verdict verdict) {
    std::scoped_lock const lock(mutex_);
    verdicts_.insert_or_assign(server, std::move(verdict));
  }
  void forget(std::string const& server) {
    std::scoped_lock const lock(mutex_);
    verdicts_.erase(server);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, era_verdict> verdicts_;
};

}  // namespace comcp

// client/interceptor.hpp
// Interceptors: see each outgoing call before it is sent and each result before its caller, and may change,
// answer, deny or record them.

#include <functional>
#include <optional>
#include <string>

#include <asio/awaitable.hpp>

namespace comcp {

/// A call on its way out. `params` may be replaced; `name` is the tool, prompt or resource that they name.
struct outgoing_call {
  outgoing_call() {}
  std::string method;
  std::string name;
  json::fragment params;
};

/// Both hooks are optional and run on the client's executor; they may take their time (human approval), within
/// the call's hard timeout: at its end, at a stop, a cancellation and close() their coroutines are cancelled, nobody
/// waits for them any longer, and nothing is sent any more.
///
/// They see what a user starts: every call, each page of a list, resources/subscribe and resources/unsubscribe (so
/// named in both eras) and subscriptions/listen, which they may deny and record, but not answer or change. They do not
/// see what the client does by itself (handshake, keep-alive, the modern era's shared listen stream, what a restart
/// restores), the further rounds of one call, and notifications.
struct interceptor {
  interceptor() {}
  /// Before sending. A value answers the call in the server's place; throwing comcp::exception (errc::denied, or
  /// any other) ends it with that error; nothing lets it go on.
  std::function<asio::awaitable<std::optional<json::value>>(outgoing_call&)> before;
  /// After the result came, also an error: may replace it. Runs in reverse order for each interceptor whose turn had
  /// come, also where it or a later one denied the call.
  std::function<asio::awaitable<void>(outgoing_call const&, result<json::value>&)> after;
};

}  // namespace comcp

// net/time_source.hpp
// The one seam through which comcp learns the time and waits for it. Tests replace it with
// test/manual_clock.

#include <chrono>
#include <functional>
#include <memory>

#include <asio/any_io_executor.hpp>

namespace comcp {

/// One deadline that can be armed again and again. Used from its executor only.
class deadline {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~deadline() = default;
  /// Calls `fire` on the executor once `at` has come, never from inside arm(). A later arm() or disarm()
  /// replaces it, and the replaced one does not fire. The destructor disarms.
  virtual void arm(time_point at, std::function<void()> fire) = 0;
  virtual void disarm() noexcept = 0;
};

/// Tells the time and makes deadlines. Shared by clients; now() and make_deadline() are safe from any thread.
class time_source {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~time_source() = default;
  [[nodiscard]] virtual time_point now() const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<deadline> make_deadline(asio::any_io_executor executor) = 0;
};

/// The default: std::chrono::steady_clock and asio::steady_timer.
std::shared_ptr<time_source> steady_time();

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// net/impl/time_source.ipp
#include <cstdint>
#include <system_error>
#include <utility>

#include <asio/steady_timer.hpp>

namespace comcp {
namespace detail {

class steady_deadline final : public deadline {
 public:
  explicit steady_deadline(asio::any_io_executor executor) : state_(std::make_shared<state>(std::move(executor))) {}
  ~steady_deadline() override { disarm(); }
  steady_deadline(steady_deadline const&) = delete;
  steady_deadline& operator=(steady_deadline const&) = delete;

  void arm(time_point at, std::function<void()> fire) override {
    auto const round = ++state_->round;
    state_->fire.swap(fire);
    state_->timer.expires_at(at);
    state_->timer.async_wait([state = state_, round](std::error_code) { run(*state, round); });
  }

  void disarm() noexcept override {
    ++state_->round;
    auto const replaced = std::exchange(state_->fire, nullptr);
    try {
      state_->timer.cancel();
    } catch (std::system_error const&) {
      // The wait then ends at its time, and its round is over.
    }
  }

 private:
  struct state {
    explicit state(asio::any_io_executor executor) : timer(std::move(executor)) {}
    asio::steady_timer timer;
    std::function<void()> fire;
    std::uint64_t round = 0;  // a wait that was replaced after it had completed is known by its round
  };

  static void run(state& s, std::uint64_t round) {
    if (s.round != round) return;
    ++s.round;
    auto fire = std::exchange(s.fire, nullptr);
    if (fire) fire();
  }

  std::shared_ptr<state> state_;
};

class steady_time_source final : public time_source {
 public:
  [[nodiscard]] time_point now() const noexcept override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] std::unique_ptr<deadline> make_deadline(asio::any_io_executor executor) override {
    return std::make_unique<steady_deadline>(std::move(executor));
  }
};

}  // namespace detail

COMCP_DECL std::shared_ptr<time_source> steady_time() {
  static auto const instance = std::make_shared<detail::steady_time_source>();
  return instance;
}

}  // namespace comcp
#endif

// sansio/reconnect.hpp
// When what was lost is connected again: one vocabulary for a client, for a registry's and a pool's servers, and for
// the event streams of HTTP. How the waits are computed is backoff.hpp's.

#include <algorithm>
#include <chrono>
#include <limits>

namespace comcp {

/// When to connect again. Each use has a default of its own: connect_options().reconnect() (never),
/// server_config().reconnect() (forever), http_options().reconnect() (five times).
class reconnect_policy {
 public:
  using milliseconds = std::chrono::milliseconds;

  reconnect_policy() {}
  static reconnect_policy never() { return reconnect_policy().attempts(0); }
  static reconnect_policy forever() { return reconnect_policy().attempts(std::numeric_limits<unsigned>::max()); }

  /// Attempts in a row before it is given up (default 5); 0 is never(). What counts as a success, after which the count
  /// begins anew: of a client a call that was answered; of a server proven_after(); of a stream that it lived for 5 s.
  reconnect_policy& attempts(unsigned n) { return attempts_ = n, *this; }
  /// The first wait (default 500 ms), and the longest (30 s). Each is `factor` times (2) the one before. The longest
  /// bounds what a server asks for, too, by Retry-After or a stream's `retry`; 100 ms is the least that it gets.
  reconnect_policy& delay(milliseconds first, milliseconds longest, double factor = 2) {
    return first_ = first, longest_ = longest, factor_ = factor, *this;
  }
  /// The share of a wait by which chance shortens it, 0 to 1 (default 0.25), so that many clients do not come back at
  /// one moment. What a server asked for is never shortened.
  reconnect_policy& jitter(double share) { return jitter_ = std::clamp(share, 0.0, 1.0), *this; }

  /// Servers of a registry or a pool: how long a connection must have lived before its end counts as a first failure
  /// again (default 30 s).
  reconnect_policy& proven_after(std::chrono::nanoseconds d) { return proven_after_ = d, *this; }
  /// Servers of a registry or a pool: calls in a row that end with a failure of the transport before the connection is
  /// given up and begun anew (default 5; 0: never). A tool's isError and JSON-RPC errors are answers, and no failures.
  reconnect_policy& circuit_breaker(unsigned failures) { return breaker_ = failures, *this; }

  [[nodiscard]] unsigned attempts() const noexcept { return attempts_; }
  [[nodiscard]] milliseconds first() const noexcept { return first_; }
  [[nodiscard]] milliseconds longest() const noexcept { return longest_; }
  [[nodiscard]] double factor() const noexcept { return factor_; }
  [[nodiscard]] double jitter() const noexcept { return jitter_; }
  [[nodiscard]] std::chrono::nanoseconds proven_after() const noexcept { return proven_after_; }
  [[nodiscard]] unsigned circuit_breaker() const noexcept { return breaker_; }

 private:
  milliseconds first_{500}, longest_{30'000};
  double factor_ = 2, jitter_ = 0.25;
  std::chrono::nanoseconds proven_after_ = std::chrono::seconds(30);
  unsigned attempts_ = 5, breaker_ = 5;
};

}  // namespace comcp

// trace/tracer.hpp
// The hook that sees every message as text, both ways: for `comcp --trace`, recordings and logs.

#include <functional>
#include <string_view>

namespace comcp {

enum class direction { sent, received };

/// Called on the client's executor with each message; the text is valid for the call only. What it
/// throws is dropped, and a fault for the observer. Empty: no cost.
using tracer = std::function<void(direction, std::string_view message)>;

}  // namespace comcp

namespace comcp {
class validation_options;
namespace detail {
class validation_plan;
}

using std::chrono::milliseconds;

class client_core;
class cache_options;  // client/cache.hpp
namespace detail {
class call_step;
class restarts_link;
using restarts_maker = std::unique_ptr<restarts_link> (*)(client_core&);
}  // namespace detail

/// Asked on the client's executor each time the connection was lost, or an attempt to restore it failed: how long to
/// wait before the next attempt, or nothing to give up. One that throws gives up.
using reconnect_hook = std::function<std::optional<std::chrono::nanoseconds>(error const& why)>;

/// Bounds that keep one connection's memory and work finite. Exceeding one is an error or a counted drop, as said.
class connection_limits {
 public:
  connection_limits() {}
#define COMCP_LIMIT(type, name, preset)                                   \
  connection_limits& name(type n) { return name##_ = n, *this; }          \
  [[nodiscard]] type name() const noexcept { return name##_; }            \
                                                                          \
 private:                                                                 \
  type name##_ = preset;                                                  \
                                                                          \
 public:
  COMCP_LIMIT(std::size_t, pending_calls, 65536)       ///< Calls in flight; more: queue_full.
  COMCP_LIMIT(std::size_t, handlers_in_flight, 64)     ///< Requests of the server; more: an error answer. Of one round: wait.
  COMCP_LIMIT(std::size_t, queued_notifications, 1024) ///< Waiting for the handler; more: dropped, counted.
  COMCP_LIMIT(std::size_t, bad_lines, 100)             ///< Unusable messages in a row; more: closed (not over HTTP).
  COMCP_LIMIT(std::size_t, pages, 1000)                ///< Pages of one list; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, items, 100'000)             ///< Items of one list; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, list_bytes, std::size_t{64} << 20)  ///< Text of one list's pages; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, input_rounds, 10)           ///< Rounds of one call; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, input_requests, 1000)       ///< Of one round, and pages of one -32042; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, subscription_queue, 256)    ///< Unread updates of one listen(); more: dropped, counted.
#undef COMCP_LIMIT
  connection_limits& json(json::parse_options o) { return json_ = o, *this; }
  [[nodiscard]] json::parse_options const& json() const noexcept { return json_; }

 private:
  json::parse_options json_;
};

namespace detail {
/// What connect_options say.
struct connect_settings {
  std::optional<implementation> client_info;
  sansio::handshake_options handshake;
  std::chrono::nanoseconds probe_timeout = std::chrono::seconds(5);
  std::chrono::nanoseconds handshake_timeout = std::chrono::seconds(30);
  std::chrono::nanoseconds open_timeout = std::chrono::seconds(10);
  std::chrono::nanoseconds connect_timeout = std::chrono::nanoseconds::max();
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  std::chrono::nanoseconds hard_timeout = std::chrono::minutes(10);
  std::chrono::nanoseconds close_timeout = std::chrono::seconds(5);
  std::optional<std::chrono::nanoseconds> ping_interval;
  std::chrono::nanoseconds ping_timeout = std::chrono::seconds(5);
  unsigned ping_failure_threshold = 3;
  std::optional<comcp::log_level> log_level;
  std::vector<std::pair<std::string, json::fragment>> experimental, extensions;
  reconnect_policy reconnect = reconnect_policy::never();
  reconnect_hook ask_to_reconnect;  // in place of the policy
  restarts_maker restarts = nullptr;
  asio::any_io_executor executor;
  std::shared_ptr<time_source> time;
  std::shared_ptr<era_cache> eras;
  connection_limits limits;
  comcp::observer observer;
  comcp::tracer tracer;
  std::vector<interceptor> interceptors;
  /// What makes the steps of the calls' way, in their order; empty where a program uses none.
  enum : std::size_t { interception, validation, caching };
  std::array<std::function<std::unique_ptr<call_step>(client_core&)>, 3> steps;
  std::shared_ptr<validation_plan const> answers;  // null: the default for elicitations
  bool anonymous = false;
  bool check_capabilities = true;
};
}  // namespace detail

/// What a connection is told. Everything has a default. Copyable.
class connect_options {
 public:
  connect_options() {}

  /// Who we are; without a call: name "comcp" and comcp's version.
  connect_options& client_info(implementation info) { return settings_.client_info = std::move(info), *this; }
  /// Sends no clientInfo in the modern era (the legacy handshake cannot go without).
  connect_options& anonymous(bool yes = true) { return settings_.anonymous = yes, *this; }

  /// automatic (default): finds out which era the server speaks.
  connect_options& automatic() { return settings_.handshake.mode = sansio::handshake_mode::automatic, *this; }
  /// Only the initialize handshake.
  connect_options& legacy() { return settings_.handshake.mode = sansio::handshake_mode::legacy, *this; }
  /// Exactly this version.
  connect_options& pinned(protocol_version v) {
    settings_.handshake.mode = sansio::handshake_mode::pinned;
    settings_.handshake.allowed = {v};
    return *this;
  }
  /// The versions that may be negotiated (default: all). Shapes automatic and legacy.
  connect_options& allowed_versions(std::vector<protocol_version> v) {
    return settings_.handshake.allowed = std::move(v), *this;
  }
  /// What an earlier connection to the same server learned: skips the probe.
  connect_options& prior(era_verdict v) { return settings_.handshake.prior = std::move(v), *this; }

  /// Remembers which era servers speak, here and in every other connection with the same cache.
  connect_options& remember_eras(std::shared_ptr<era_cache> cache) { return settings_.eras = std::move(cache), *this; }

  /// Zero is never, as with every timeout. Of these, only hard_timeout() goes on while an authenticator looks at a
  /// challenge, for a user may have to log in. After probe_timeout() a silent server on a byte stream is taken for a
  /// legacy one, where that is allowed.
  connect_options& probe_timeout(timespan d) { return settings_.probe_timeout = d.as_timeout(), *this; }  ///< 5 s
  /// 30 s.
  connect_options& handshake_timeout(timespan d) { return settings_.handshake_timeout = d.as_timeout(), *this; }
  connect_options& open_timeout(timespan d) { return settings_.open_timeout = d.as_timeout(), *this; }  ///< 10 s
  /// Opening and handshake together, at the beginning and at each further connection (default: no bound but those of
  /// its parts).
  connect_options& connect_timeout(timespan d) { return settings_.connect_timeout = d.as_timeout(), *this; }
  connect_options& timeout(timespan d) { return settings_.timeout = d.as_timeout(), *this; }  ///< 30 s
  connect_options& hard_timeout(timespan d) { return settings_.hard_timeout = d.as_timeout(), *this; }  ///< 10 min
  /// What close() may take; then the transport is destroyed, which kills a server process. Default 5 s.
  connect_options& close_timeout(timespan d) { return settings_.close_timeout = d, *this; }

  /// Pings an idle connection this often (default: never); server/discover in the modern era.
  connect_options& ping_interval(timespan d) { return settings_.ping_interval = d, *this; }
  connect_options& ping_timeout(timespan d) { return settings_.ping_timeout = d.as_timeout(), *this; }  ///< 5 s
  /// Closes after this many failed pings in a row (default 3).
  connect_options& ping_failure_threshold(unsigned n) { return settings_.ping_failure_threshold = n, *this; }

  /// Asks for log messages from this level on: logging/setLevel, or logLevel on each modern request.
  connect_options& log_level(comcp::log_level level) { return settings_.log_level = level, *this; }
  /// One entry of capabilities.experimental, or of capabilities.extensions.
  connect_options& experimental(std::string name, json::fragment settings) {
    return settings_.experimental.emplace_back(std::move(name), std::move(settings)), *this;
  }
  connect_options& extension(std::string name, json::fragment settings) {
    return settings_.extensions.emplace_back(std::move(name), std::move(settings)), *this;
  }
  /// Sends calls also when the server did not declare the capability for them (default: fails at once).
  connect_options& check_capabilities(bool yes) { return settings_.check_capabilities = yes, *this; }

  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return settings_.time; }

  /// When the client itself connects again after a loss, which starts a dead server process anew (default: never;
  /// registry and pool do). An answered call begins the count of attempts anew. Needs <comcp/client/connect.hpp>.
  COMCP_LAZY connect_options& reconnect(reconnect_policy p);
  /// The hook decides instead. Such a client also begins anew where others close: when the server answers no ping any
  /// more, or sends too many unusable messages in a row.
  COMCP_LAZY connect_options& reconnect(reconnect_hook ask);
  connect_options& executor(asio::any_io_executor e) { return settings_.executor = std::move(e), *this; }
  connect_options& time(std::shared_ptr<time_source> t) { return settings_.time = std::move(t), *this; }
  connect_options& limits(connection_limits l) { return settings_.limits = std::move(l), *this; }
  connect_options& observe(comcp::observer o) { return settings_.observer = std::move(o), *this; }
  /// Checks arguments, results and elicitation answers against their schemas. Needs <comcp/client/validation.hpp>.
  COMCP_LAZY connect_options& validate(validation_options const& o);
  connect_options& trace(tracer t) { return settings_.tracer = std::move(t), *this; }
  /// Interceptors see calls in the order in which they were added.
  COMCP_LAZY connect_options& intercept(interceptor i);
  /// Results of lists and reads are used again, and equal ones in flight are one request (default: neither). Needs
  /// comcp/client/cache.hpp.
  COMCP_LAZY connect_options& cache(cache_options options);

  /// Of calls that say none.
  [[nodiscard]] std::chrono::nanoseconds timeout() const noexcept { return settings_.timeout; }
  [[nodiscard]] std::chrono::nanoseconds hard_timeout() const noexcept { return settings_.hard_timeout; }

  /// Internal.
  [[nodiscard]] detail::connect_settings const& settings() const& noexcept { return settings_; }
  [[nodiscard]] detail::connect_settings settings() && noexcept { return std::move(settings_); }

 private:
  detail::connect_settings settings_;
};

}  // namespace comcp

namespace comcp {

/// A client that knows the type of its handler. Converts to comcp::client by moving.
template <class Handler>
class basic_client : public client {
 public:
  using handler_type = Handler;

  basic_client() = default;
  basic_client(std::shared_ptr<detail::client_link> core, std::shared_ptr<Handler> h)
      : client(std::move(core)), handler_(std::move(h)) {}

  /// The handler; touch it on the client's executor.
  [[nodiscard]] Handler& handler() const noexcept { return *handler_; }

 private:
  std::shared_ptr<Handler> handler_;
};

namespace detail {
COMCP_LAZY asio::awaitable<std::shared_ptr<client_link>> connect_core(any_transport t, any_handler h,
                                                                      connect_options options);

template <class Handler>
asio::awaitable<basic_client<Handler>> connect_with(any_transport t, std::shared_ptr<Handler> h, connect_options options) {
  auto connecting = connect_core(std::move(t), any_handler(h), std::move(options));
  auto core = co_await std::move(connecting);
  co_return basic_client<Handler>(std::move(core), h);
}
}  // namespace detail

/// Opens the transport, finds out what the server speaks, and returns a client that is ready. Throws; no process,
/// socket or coroutine is left behind then. Cancelling it closes.
template <transport Transport, handler Handler = no_handler>
asio::awaitable<basic_client<Handler>> connect(Transport transport, Handler handler = Handler(),
                                               connect_options options = connect_options()) {
  auto shared = std::make_shared<Handler>(std::move(handler));
  return detail::connect_with(any_transport(std::move(transport)), std::move(shared), std::move(options));
}
template <transport Transport>
asio::awaitable<basic_client<no_handler>> connect(Transport transport, connect_options options) {
  return connect(std::move(transport), no_handler(), std::move(options));
}

/// The same for any completion token, on this executor (or the one in the options): void(error, basic_client<Handler>).
template <transport Transport, handler Handler, class Token>
auto async_connect(asio::any_io_executor on, Transport transport, Handler handler, connect_options options,
                   Token&& token) {
  auto connecting = connect(std::move(transport), std::move(handler), std::move(options));
  return detail::async_walk<basic_client<Handler>>(std::move(on), std::move(connecting), std::forward<Token>(token));
}
template <transport Transport, class Token>
auto async_connect(asio::any_io_executor on, Transport transport, connect_options options, Token&& token) {
  return async_connect(std::move(on), std::move(transport), no_handler(), std::move(options),
                       std::forward<Token>(token));
}

template <class Text, class... Rest>
  requires std::convertible_to<Text const&, std::string_view>
void connect(Text const&, Rest const&...) = delete;  // comcp: connect(comcp::http("https://...")), connect(comcp::stdio("command"))

}  // namespace comcp

// client/core.hpp
// The heart of a client, without templates, put together of its parts: calls (what waits), pipeline and exchange (the way
// of a call), outbound and inbound (what is sent, who gets what came), connection and recovery (its life). Everything in it
// runs on its home executor, one handler at a time. Users meet it through comcp::client.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

// client/calls.hpp
// What waits: requests on the wire and waits of our own, each with its deadline, and the one way in which each of them
// ends. It knows no method and no version. On home only. Internal.

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_type.hpp>

// client/overlap_guard.hpp
// Finds an executor that runs two handlers of one client at once, which no client survives: a multi-threaded
// io_context needs connect_options().executor(asio::make_strand(io)). Active in debug builds. Internal.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

namespace comcp::detail {

class overlap_guard {
 public:
  /// Held while a handler of the client runs; the same thread may hold it again.
  class scope {
   public:
    explicit scope([[maybe_unused]] overlap_guard& g) noexcept : guard_(g) {
#if !defined(NDEBUG)
      guard_.enter();
#endif
    }
    scope(scope const&) = delete;
    scope& operator=(scope const&) = delete;
    ~scope() {
#if !defined(NDEBUG)
      guard_.leave();
#endif
    }

   private:
    [[maybe_unused]] overlap_guard& guard_;
  };

  void enter() noexcept {
    auto const me = std::this_thread::get_id();
    if (owner_.load(std::memory_order_relaxed) != me) {
      std::thread::id nobody;
      if (!owner_.compare_exchange_strong(nobody, me, std::memory_order_acquire)) {
        std::fputs("comcp: two handlers of one client run at once; on a multi-threaded io_context pass "
                   "connect_options().executor(asio::make_strand(io))\n",
                   stderr);
        std::abort();
      }
    }
    ++depth_;
  }
  void leave() noexcept {
    if (--depth_ == 0) owner_.store(std::thread::id(), std::memory_order_release);
  }

 private:
  std::atomic<std::thread::id> owner_{};
  int depth_ = 0;  // touched by the owner alone
};

}  // namespace comcp::detail

// sansio/pending_calls.hpp
// Who waits for what, and until when: the slot table behind every call. A slot's generation and index make
// the request id, so an id is used once; take() decides the one winner among reply, timeout, cancel and close.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace comcp::sansio {

/// Payload is what a waiting call is to the caller of this class: cheap to copy, such as a pointer.
template <class Payload>
class pending_calls {
 public:
  using clock = std::chrono::steady_clock;
  using time_point = clock::time_point;
  using duration = clock::duration;
  using id_type = std::uint64_t;  ///< below 2^53, never 0

  /// At most `bound` calls wait at once, and beside them what add() is told not to count.
  explicit pending_calls(std::size_t bound = 65536) : bound_(std::min<std::size_t>(bound, index_mask)) {}

  /// Registers a call that waits `timeout` from now, which progress may extend, and until `hard` at the latest.
  /// Returns 0 when the bound is met; an `extra` one does not count towards it.
  id_type add(Payload payload, time_point now, duration timeout, time_point hard, bool extra = false) {
    if (heap_.size() >= std::min<std::size_t>(extra ? index_mask : bound_ + extras_, index_mask)) return 0;
    auto const index = acquire();
    auto& s = slots_[index];
    s.payload = payload;
    s.extra = extra;
    extras_ += extra;
    s.started = now;
    s.timeout = timeout;
    s.hard = hard;
    s.soft = paused_at_ ? time_point::max() : comcp::detail::later(now, timeout);
    s.remaining = timeout;
    s.position = static_cast<std::uint32_t>(heap_.size());
    heap_.push_back(index);
    sift_up(s.position);
    return (static_cast<id_type>(s.generation) << index_bits) | index;
  }

  /// The payload of this call, which thereby ends; nothing when it has ended before.
  std::optional<Payload> take(id_type id) noexcept {
    auto* s = slot_of(id);
    if (!s) return {};
    auto const payload = s->payload;
    release(static_cast<std::uint32_t>(id & index_mask));
    return payload;
  }

  [[nodiscard]] Payload const* find(id_type id) const noexcept {
    auto const* s = const_cast<pending_calls*>(this)->slot_of(id);
    return s ? &s->payload : nullptr;
  }

  /// Progress came: the timeout starts anew, the hard bound stays.
  void extend(id_type id, time_point now) noexcept {
    auto* s = slot_of(id);
    if (!s) return;
    s->remaining = s->timeout;
    if (!paused_at_) s->soft = comcp::detail::later(now, s->timeout);
    restore(s->position);
  }

  /// Stops every clock but the hard bounds, until as many resume() calls came as pause() calls.
  void pause(time_point now) noexcept {
    if (pauses_++ > 0) return;
    paused_at_ = now;
    for (auto const index : heap_) {
      auto& s = slots_[index];
      s.remaining = s.soft > now ? s.soft - now : duration::zero();
      s.soft = time_point::max();
    }
    rebuild();
  }
  void resume(time_point now) noexcept {
    if (--pauses_ > 0) return;
    paused_at_.reset();
    for (auto const index : heap_) slots_[index].soft = comcp::detail::later(now, slots_[index].remaining);
    rebuild();
  }

  /// The earliest moment at which expired() may have something.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    if (heap_.empty() || due(heap_.front()) == time_point::max()) return {};
    return due(heap_.front());
  }

  /// One call whose time is over at `now`, or 0. The caller takes it.
  [[nodiscard]] id_type expired(time_point now) const noexcept {
    if (heap_.empty() || due(heap_.front()) > now) return 0;
    return id_at(heap_.front());
  }

  /// Any call that still waits, or 0: for closing.
  [[nodiscard]] id_type any() const noexcept { return heap_.empty() ? 0 : id_at(heap_.front()); }

  /// Calls `f(payload, started)` for each that waits now.
  template <class F>
  void each(F f) const {
    for (auto const index : heap_) f(slots_[index].payload, slots_[index].started);
  }

  /// All calls that wait now.
  [[nodiscard]] std::vector<id_type> ids() const {
    std::vector<id_type> all;
    all.reserve(heap_.size());
    for (auto const index : heap_) all.push_back(id_at(index));
    return all;
  }

  /// Whether this id was given out once, so that an answer to it is late rather than unknown.
  [[nodiscard]] bool was_used(id_type id) const noexcept {
    auto const index = static_cast<std::size_t>(id & index_mask);
    auto const generation = id >> index_bits;
    return index < slots_.size() && generation > 0 && generation <= slots_[index].generation;
  }

  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

  /// Enters a call into a line of some that wait for one thing. Those that ended meanwhile leave from time to time: a
  /// line stays as short as two times what waits.
  void line_up(std::vector<id_type>& line, id_type id) const {
    if (line.size() >= 2 * size() + 16) std::erase_if(line, [this](id_type old) { return !find(old); });
    line.push_back(id);
  }

 private:
  static constexpr unsigned index_bits = 20;
  static constexpr id_type index_mask = (id_type{1} << index_bits) - 1;
  static constexpr std::uint32_t idle = UINT32_MAX;

  struct slot {
    Payload payload{};
    time_point started{}, soft{}, hard{};
    duration timeout{}, remaining{};
    std::uint32_t generation = 0;
    std::uint32_t position = idle;  // in heap_
    bool extra = false;
  };

  [[nodiscard]] time_point due(std::uint32_t index) const noexcept {
    return std::min(slots_[index].soft, slots_[index].hard);
  }
  [[nodiscard]] id_type id_at(std::uint32_t index) const noexcept {
    return (static_cast<id_type>(slots_[index].generation) << index_bits) | index;
  }

  slot* slot_of(id_type id) noexcept {
    auto const index = static_cast<std::size_t>(id & index_mask);
    if (index >= slots_.size()) return nullptr;
    auto& s = slots_[index];
    return s.position != idle && s.generation == id >> index_bits ? &s : nullptr;
  }

  std::uint32_t acquire() {
    if (free_.empty()) {
      slots_.emplace_back();
      free_.reserve(slots_.capacity());  // so that release() never allocates
      heap_.reserve(slots_.capacity());
      free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
    }
    auto const index = free_.back();
    free_.pop_back();
    ++slots_[index].generation;
    return index;
  }

  void release(std::uint32_t index) noexcept {
    auto const hole = slots_[index].position;
    slots_[index].position = idle;
    extras_ -= slots_[index].extra;
    auto const last = heap_.back();
    heap_.pop_back();
    // A generation that is used up retires its slot, so that no id ever comes twice.
    if (slots_[index].generation != UINT32_MAX) free_.push_back(index);
    if (last == index) return;
    place(hole, last);
    restore(hole);
  }

  void place(std::uint32_t position, std::uint32_t index) noexcept {
    heap_[position] = index;
    slots_[index].position = position;
  }

  void restore(std::uint32_t position) noexcept { sift_down(sift_up(position)); }

  std::uint32_t sift_up(std::uint32_t position) noexcept {
    auto const index = heap_[position];
    auto const key = due(index);
    while (position > 0) {
      auto const parent = (position - 1) / 2;
      if (due(heap_[parent]) <= key) break;
      place(position, heap_[parent]);
      position = parent;
    }
    place(position, index);
    return position;
  }

  void sift_down(std::uint32_t position) noexcept {
    auto const index = heap_[position];
    auto const key = due(index);
    auto const size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      auto child = 2 * position + 1;
      if (child >= size) break;
      if (child + 1 < size && due(heap_[child + 1]) < due(heap_[child])) ++child;
      if (key <= due(heap_[child])) break;
      place(position, heap_[child]);
      position = child;
    }
    place(position, index);
  }

  void rebuild() noexcept {
    for (auto i = static_cast<std::uint32_t>(heap_.size()); i-- > 0;) sift_down(i);
  }

  std::size_t bound_;
  std::size_t extras_ = 0;  // of those that wait
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> heap_;  // slot indices, the earliest due first
  std::optional<time_point> paused_at_;
  int pauses_ = 0;
};

}  // namespace comcp::sansio

namespace comcp::detail {

class calls final : public call_table {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Whose calls they are.
  class owner {
   public:
    /// Keeps them alive.
    [[nodiscard]] virtual std::shared_ptr<void> itself() noexcept = 0;
    /// This one ends before its answer: whoever works on it may stop. Without a reason, the caller's own holds.
    virtual void given_up(request_id id, pending_entry const& e, std::string_view why) = 0;

   protected:
    ~owner() = default;
  };

  COMCP_LAZY calls(owner& o, asio::any_io_executor const& home, connect_settings const& settings,
                   std::shared_ptr<time_source> time);

  /// A wait of our own. 0 where there is no room.
  COMCP_LAZY request_id enlist(pending_entry& e, std::chrono::nanoseconds timeout);
  COMCP_LAZY request_id enlist(pending_entry& e, time_point now, std::chrono::nanoseconds timeout, time_point hard,
                               bool extra);
  /// A call with the timeouts that its options ask for; it counts from now on.
  COMCP_LAZY result<void> enlist(pending_entry& e, prepared_call const& c);
  /// Before wait(): a stop that was requested already is posted.
  COMCP_LAZY void end_with(std::stop_token const& stop, pending_entry& e);
  /// Must follow at once. `room`: for one that may be completed after its entry is gone.
  COMCP_LAZY asio::awaitable<reply> wait(pending_entry& e, waiter_room* room = nullptr);
  /// As long as the call may; cancelling it stops only the waiting.
  COMCP_LAZY asio::awaitable<error> wait_in(std::vector<request_id>& line, prepared_call const& c);

  COMCP_LAZY void end(request_id id, reply&& r);
  /// What may only be cancelled as long as it had no effect goes on once it was sent.
  COMCP_LAZY void cancel(request_id id, asio::cancellation_type how = asio::cancellation_type::terminal);
  COMCP_DECL void withdraw(pending_entry& e) noexcept override;
  COMCP_LAZY void wake(std::vector<request_id>& line, reply const& r);

  /// What the loss of a connection leaves alone: where another one follows, what was not sent yet, and what makes that.
  enum class spared : unsigned char { nothing, unsent, unsent_and_handshake };
  /// Ends what waits now and lasts so long: a caller that resumes inside may begin the next one.
  COMCP_LAZY void fail(error const& reason, pending_entry::span those, spared left);
  /// The context is gone: nobody is resumed.
  COMCP_LAZY void shut_down() noexcept;
  /// Nothing is timed any more.
  COMCP_LAZY void disarm() noexcept;

  /// Between these all clocks stand still, but for the hard ones.
  COMCP_LAZY void pause();
  COMCP_LAZY void resume();
  /// Progress came: the timeout begins anew.
  COMCP_LAZY void extend(request_id id);

  [[nodiscard]] auto const& table() const noexcept { return table_; }
  [[nodiscard]] time_point now() const noexcept { return time_->now(); }
  COMCP_LAZY [[nodiscard]] std::chrono::nanoseconds timeout(call_options const& o) const;
  /// The age at which a call ends whatever progress says: never below its timeout.
  COMCP_LAZY [[nodiscard]] std::chrono::nanoseconds hard_limit(call_options const& o) const;
  [[nodiscard]] comcp::statistics& counters() noexcept { return counters_; }
  COMCP_LAZY [[nodiscard]] comcp::statistics statistics() const;
  [[nodiscard]] overlap_guard& guard() noexcept { return guard_; }

 private:
  struct cancel_hook;
  struct cancel_request;
  COMCP_LAZY void arm();
  COMCP_LAZY void expire();

  owner& owner_;
  asio::any_io_executor const& home_;  // empty once its context is gone
  connect_settings const& settings_;
  std::shared_ptr<time_source> const time_;
  std::unique_ptr<deadline> deadline_;  // null once the context is gone
  std::optional<time_point> armed_;
  sansio::pending_calls<pending_entry*> table_;
  comcp::statistics counters_;
  overlap_guard guard_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/calls.ipp
#include <algorithm>

namespace comcp::detail {

// Cancels a call from its cancellation slot or a stop token: by way of home, and only while its table lives.
struct calls::cancel_hook {
  std::weak_ptr<calls> table;
  request_id id;
  void operator()(asio::cancellation_type how = asio::cancellation_type::terminal) const {
    auto alive = table.lock();
    if (!alive) return;
    auto const home = alive->home_;
    // Moved: the last reference may end on home only, not on the thread that asked to stop.
    auto post = [alive = std::move(alive), id = id, how] { alive->cancel(id, how); };
    detail::post(home, std::move(post));
  }
};

struct calls::cancel_request {
  calls* table;
  request_id id;
  bool by_slot = true;
  [[nodiscard]] bool is_wanted() const noexcept { return by_slot; }
  [[nodiscard]] cancel_hook hook() const {
    return {std::shared_ptr<calls>(table->owner_.itself(), table), id};
  }
};

COMCP_LAZY_DECL calls::calls(owner& o, asio::any_io_executor const& home, connect_settings const& settings,
                             std::shared_ptr<time_source> time)
    : owner_(o),
      home_(home),
      settings_(settings),
      time_(std::move(time)),
      deadline_(time_->make_deadline(home_)),
      table_(settings_.limits.pending_calls()) {}

COMCP_LAZY_DECL request_id calls::enlist(pending_entry& e, std::chrono::nanoseconds timeout) {
  auto const now = time_->now();
  return enlist(e, now, timeout, later(now, timeout), true);
}

COMCP_LAZY_DECL request_id calls::enlist(pending_entry& e, time_point now, std::chrono::nanoseconds timeout,
                                         time_point hard, bool extra) {
  e.table = this;
  e.id = table_.add(&e, now, std::chrono::duration_cast<time_point::duration>(timeout), hard, extra);
  if (e.id) arm();
  return e.id;
}

COMCP_LAZY_DECL result<void> calls::enlist(pending_entry& e, prepared_call const& c) {
  e.call = &c;
  auto const now = time_->now();
  if (c.started == time_point()) c.started = now;
  auto const hard = later(c.started, hard_limit(c.options));
  if (!enlist(e, now, timeout(c.options), hard, c.internal || c.counted))
    return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
  ++counters_.tracked;
  return {};
}

COMCP_LAZY_DECL std::chrono::nanoseconds calls::timeout(call_options const& o) const {
  return o.timeout().value_or(settings_.timeout);
}

COMCP_LAZY_DECL std::chrono::nanoseconds calls::hard_limit(call_options const& o) const {
  return o.hard_timeout().value_or(std::max(settings_.hard_timeout, timeout(o)));
}

COMCP_LAZY_DECL asio::awaitable<reply> calls::wait(pending_entry& e, waiter_room* room) {
  if (e.call) end_with(e.call->options.stop(), e);
  return suspend<reply>(e.waiting, cancel_request{this, e.id, !e.by_id}, e.told ? room : &e.room);
}

COMCP_LAZY_DECL void calls::end_with(std::stop_token const& stop, pending_entry& e) {
  if (!stop.stop_possible()) return;
  std::function<void()> end_waiting = cancel_request{this, e.id}.hook();
  e.stop = std::make_unique<std::stop_callback<std::function<void()>>>(stop, std::move(end_waiting));
}

COMCP_LAZY_DECL asio::awaitable<error> calls::wait_in(std::vector<request_id>& line, prepared_call const& c) {
  pending_entry e(pending_entry::span::client);
  auto const start = now();
  if (!enlist(e, start, timeout(c.options), later(start, hard_limit(c.options)), c.counted))
    co_return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
  end_with(c.options.stop(), e);
  table_.line_up(line, e.id);
  auto const waited = co_await wait(e);
  if (waited) co_return error();
  if (waited.error() == errc::timeout) co_return error(errc::timeout, c.method.text());
  co_return waited.error();
}

COMCP_DECL void calls::withdraw(pending_entry& e) noexcept {
  auto const id = std::exchange(e.id, 0);
  if (!id || !table_.take(id)) return;
  if (e.call && !e.handshake) ++counters_.cancelled;
  try {
    owner_.given_up(id, e, {});
  } catch (...) {  // no memory for the message
  }
}

// What is known of a call when one of its attempts failed: said here, for whoever asks later.
COMCP_LAZY error judged(pending_entry const& e, error why) {
  auto const says = why.outcome() == call_outcome::unstated ? call_outcome::open : why.outcome();
  auto& known = e.call->outcome;
  known = std::max(known, e.sent ? says : call_outcome::not_sent);
  bool const nameless = why.peer() && why.message().empty() && why.code().message().starts_with("JSON-RPC error");
  return (nameless ? why.with_message(e.call->method.text()) : why).with_outcome(known);
}

// The one door through which every call ends.
COMCP_LAZY_DECL void calls::end(request_id id, reply&& r) {
  if (!r.has_value()) {  // first: where that throws, whoever waits can still be found
    auto const* const found = table_.find(id);
    if (found && (*found)->call && !(*found)->handshake) r = judged(**found, std::move(r).error());
  }
  auto const taken = table_.take(id);
  if (!taken) return;
  auto& e = **taken;
  e.id = 0;
  e.stop.reset();
  if (e.call && !e.handshake) {  // as `tracked` counts
    if (r.has_value()) e.call->outcome = std::max(e.call->outcome, call_outcome::known);
    if (r.has_value()) ++counters_.completed;
    else if (r.error() == errc::timeout) ++counters_.timed_out;
    else if (r.error() == errc::cancelled) ++counters_.cancelled;
    else ++counters_.failed;
  }
  if (e.on_end) {
    auto const on_end = std::move(e.on_end);
    on_end(std::move(r));
  } else if (e.waiting) {
    if (e.told) r = e.told(e, std::move(r));
    auto waiting = std::move(e.waiting);  // the frame that `e` is in may go away
    waiting.complete(std::move(r), home_);
  }
}

COMCP_LAZY_DECL void calls::cancel(request_id id, asio::cancellation_type how) {
  auto const* found = table_.find(id);
  if (!found) return;
  auto const& e = **found;
  if (is_total_alone(how) && (!e.call || e.sent || e.call->outcome != call_outcome::not_sent)) return;
  owner_.given_up(id, e, {});
  end(id, error(errc::cancelled));
}

COMCP_LAZY_DECL void calls::wake(std::vector<request_id>& line, reply const& r) {
  for (auto const id : std::exchange(line, {})) end(id, reply(r));
}

COMCP_LAZY_DECL void calls::fail(error const& reason, pending_entry::span those, spared left) {
  bool const by_us = reason == errc::closed;
  for (auto const id : table_.ids()) {
    auto const* const found = table_.find(id);
    if (!found) continue;
    auto const& e = **found;
    bool const waits_on = left != spared::nothing && e.call && !e.sent;
    bool const negotiation_s = left == spared::unsent_and_handshake && (!e.call || e.handshake);
    if (e.lasts != those || waits_on || negotiation_s) continue;
    if (!e.call) {
      end(id, reason);
    } else if (!e.sent) {
      end(id, reason.with_code(make_error_code(errc::closed)));
    } else {
      bool const keeps_code = by_us || e.call->repeatable || e.call->options.is_idempotent() || e.handshake;
      auto const why = reason.with_outcome(call_outcome::open);  // whatever it says of another call
      end(id, keeps_code ? why : why.with_code(make_error_code(errc::outcome_unknown)));
    }
  }
}

COMCP_LAZY_DECL void calls::shut_down() noexcept {
  while (auto const id = table_.any()) {
    auto* const e = *table_.take(id);
    e->id = 0;
    e->stop.reset();
    e->on_end = nullptr;
    auto const gone = std::move(e->waiting);  // and the frame, which `e` may be in
  }
  deadline_.reset();
}

COMCP_LAZY_DECL void calls::disarm() noexcept {
  deadline_->disarm();
  armed_.reset();
}

COMCP_LAZY_DECL void calls::arm() {
  if (!deadline_) return;
  auto const next = table_.next_deadline();
  if (!next || (armed_ && *armed_ <= *next)) return;  // an early alarm re-arms itself
  armed_ = next;
  std::function<void()> fire = [weak = std::weak_ptr(std::shared_ptr<calls>(owner_.itself(), this))] {
    if (auto const self = weak.lock()) self->expire();
  };
  deadline_->arm(*next, std::move(fire));
}

COMCP_LAZY_DECL void calls::expire() {
  overlap_guard::scope const alone(guard_);
  armed_.reset();
  auto const now = time_->now();
  while (auto const id = table_.expired(now)) {
    auto const& e = **table_.find(id);
    owner_.given_up(id, e, "timed out");
    end(id, error(errc::timeout, e.call ? e.call->method.text() : std::string()));
  }
  arm();
}

COMCP_LAZY_DECL void calls::pause() {
  table_.pause(time_->now());
  arm();
}

COMCP_LAZY_DECL void calls::resume() {
  table_.resume(time_->now());
  arm();
}

COMCP_LAZY_DECL void calls::extend(request_id id) {
  table_.extend(id, time_->now());
  arm();
}

COMCP_LAZY_DECL comcp::statistics calls::statistics() const {
  auto s = counters_;
  auto oldest = time_->now();
  table_.each([&](pending_entry const* e, time_point started) {
    if (!e->call || e->handshake) return;  // waits of our own, and what `tracked` does not count
    ++s.pending;
    oldest = std::min(oldest, started);
  });
  s.oldest_pending = time_->now() - oldest;
  return s;
}

}  // namespace comcp::detail
#endif

// client/connection.hpp
// The life of one connection: it opens, finds the era, becomes ready, and ends. sansio/connection_life says where it
// stands; what follows a loss is client/recovery's. On home only. Internal.

#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

// client/attempt.hpp
// The time of one attempt to connect, and of its parts; it stands still while a user logs in. On home only. Internal.

#include <algorithm>
#include <chrono>

namespace comcp::detail {

class attempt {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  using time_point = std::chrono::steady_clock::time_point;

  attempt(calls& table, connect_settings const& settings, bool http) noexcept
      : calls_(table), settings_(settings), http_(http) {}

  void begin() { until_ = later(calls_.now(), settings_.connect_timeout); }
  /// A part takes no longer than what is left for the whole.
  [[nodiscard]] nanoseconds bounded(nanoseconds d) const {
    return std::min(d, std::max<nanoseconds>(until_ - calls_.now(), nanoseconds()));
  }
  /// The end that no pause moves, of a part that begins now.
  [[nodiscard]] time_point hard_end(nanoseconds timeout) const {
    auto const soft = later(calls_.now(), timeout);
    return http_ ? later(soft, settings_.hard_timeout) : soft;
  }
  request_id enlist(pending_entry& e, nanoseconds timeout) {
    return calls_.enlist(e, calls_.now(), timeout, hard_end(timeout), true);
  }

  void authorizing(bool begins) {
    if (begins) {
      if (authorizing_++ == 0) since_ = calls_.now();
      return calls_.pause();
    }
    if (authorizing_ == 0) return;  // stop_authorizing() came before
    if (--authorizing_ == 0 && until_ != time_point::max()) until_ = later(until_, calls_.now() - since_);
    calls_.resume();
  }
  void stop_authorizing() {
    while (authorizing_ > 0) authorizing(false);
  }

 private:
  calls& calls_;
  connect_settings const& settings_;
  bool const http_;
  time_point until_ = time_point::max(), since_;
  unsigned authorizing_ = 0;  // exchanges that wait for credentials
};

}  // namespace comcp::detail

// client/channel.hpp
// The transport of one connection: opened and closed within their time, and cut from any thread. On home only, but for
// cut(). Internal.

#include <chrono>
#include <functional>
#include <memory>

#include <asio/awaitable.hpp>

namespace comcp::detail {

class channel {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  using time_point = std::chrono::steady_clock::time_point;

  COMCP_LAZY explicit channel(any_transport t);

  /// `owner` keeps all of it alive. What comes too late is dropped.
  COMCP_LAZY asio::awaitable<result<void>> open(std::shared_ptr<void> owner, calls& table, asio::any_io_executor home,
                                                inbox& in, nanoseconds timeout, time_point hard);
  /// A transport that is not through by then is destroyed, and false.
  COMCP_LAZY asio::awaitable<bool> close(std::shared_ptr<void> owner, calls& table, asio::any_io_executor home,
                                         nanoseconds timeout);
  /// It closed by itself.
  void lost() noexcept { open_ = false; }
  COMCP_LAZY void drop() noexcept;
  /// Ends what would outlive us. From any thread.
  COMCP_LAZY void cut() const;

  result<void> send(outgoing&& message) {
    if (!transport_) return error(errc::closed, "the client was destroyed");  // its end is posted
    return transport_.send(std::move(message));
  }
  /// True: the server need not be told.
  bool abandon(request_id id) noexcept { return transport_.abandon(id); }
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  [[nodiscard]] bool is_http() const noexcept { return http_; }
  /// Of one that was dropped, the last.
  [[nodiscard]] transport_info info() const { return transport_ ? transport_.info() : last_info_; }
  [[nodiscard]] std::optional<saved_session> resumed() const { return transport_.resumed(); }

 private:
  struct opening;
  any_transport transport_;
  std::function<void()> const cut_;
  transport_info last_info_;
  bool const http_;
  bool open_ = false;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/channel.ipp

namespace comcp::detail {

COMCP_LAZY_DECL channel::channel(any_transport t)
    : transport_(std::move(t)), cut_(transport_.cutter()), http_(transport_.is_http()) {}

struct channel::opening {
  pending_entry done;
  result<void> outcome = error(errc::connect_failed);
  asio::cancellation_signal signal;
};

COMCP_LAZY_DECL asio::awaitable<result<void>> channel::open(std::shared_ptr<void> owner, calls& table,
                                                            asio::any_io_executor home, inbox& in, nanoseconds timeout,
                                                            time_point hard) {
  auto const o = std::make_shared<opening>();
  if (!table.enlist(o->done, table.now(), timeout, hard, true)) co_return error(errc::queue_full);
  auto task = [](channel* self, calls* waiting, inbox* to, [[maybe_unused]] std::shared_ptr<void> hold,
                 std::shared_ptr<opening> state) -> asio::awaitable<void> {
    try {
      if (!self->transport_) co_return;  // destroyed meanwhile, and so is the wait below
      auto opened = co_await self->transport_.open(*to);
      if (opened) self->open_ = true;
      state->outcome = std::move(opened);
    } catch (...) {
      state->outcome = current_error();
    }
    waiting->end(state->done.id, json::value());
  };
  auto work = task(this, &table, &in, owner, o);
  // Posted, so that nothing ends before the wait below has begun.
  auto start = [home, owner, o, work = std::make_shared<asio::awaitable<void>>(std::move(work))] {
    detail::spawn(home, std::move(*work), o->signal.slot(), o);
  };
  detail::post(home, std::move(start));
  auto const waited = co_await table.wait(o->done);
  if (waited) co_return o->outcome;
  auto give_up = [o] { o->signal.emit(asio::cancellation_type::terminal); };
  detail::post(home, std::move(give_up));
  if (waited.error() == errc::timeout) co_return error(errc::timeout, "the transport did not open in time");
  co_return waited.error();
}

COMCP_LAZY_DECL asio::awaitable<bool> channel::close(std::shared_ptr<void> owner, calls& table,
                                                     asio::any_io_executor home, nanoseconds timeout) {
  auto const done = std::make_shared<pending_entry>();
  table.enlist(*done, timeout);
  auto task = [](channel* self, calls* waiting, [[maybe_unused]] std::shared_ptr<void> hold,
                 std::shared_ptr<pending_entry> entry) -> asio::awaitable<void> {
    if (self->transport_) co_await self->transport_.close();
    waiting->end(entry->id, json::value());
  };
  auto work = std::make_shared<asio::awaitable<void>>(task(this, &table, owner, done));
  auto start = [home, work] { detail::spawn(home, std::move(*work)); };
  detail::post(home, std::move(start));
  auto const waited = co_await table.wait(*done);
  if (!waited) drop();
  open_ = false;
  co_return waited.has_value();
}

COMCP_LAZY_DECL void channel::drop() noexcept {
  last_info_ = info();
  transport_ = any_transport();
  open_ = false;
}

COMCP_LAZY_DECL void channel::cut() const {
  if (cut_) cut_();
}

}  // namespace comcp::detail
#endif

// sansio/connection_life.hpp
// Where a connection stands, and what each event makes of that: one table, no flag beside it. Who drives it opens,
// negotiates, waits and closes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace comcp::sansio {

enum class life_state : std::uint8_t {
  idle,
  opening,        ///< The first time.
  negotiating,
  settling,       ///< The server is known, and told what it has to be told.
  ready,
  waiting,        ///< To be started again: the old transport closes, and a pause passes.
  restarting,     ///< The transport opens again.
  renewing,       ///< A new handshake on the connection as it is, for a new session or another era.
  renegotiating,  ///< That handshake, or the one after a restart.
  restoring,      ///< As settling.
  closing,
  closed,
};

enum class life_event : std::uint8_t {
  open,
  opened,
  negotiated,
  settled,
  lost,     ///< The connection or the attempt has failed, and another one follows.
  due,      ///< The pause is over.
  renew,
  kept,     ///< The new handshake failed, and the connection is as it was.
  close,
  end,      ///< It is over, however that came.
};

class connection_life {
 public:
  static constexpr std::size_t states = 12, events = 10;

  /// What the event makes of the state; itself where it means nothing there.
  [[nodiscard]] static constexpr life_state after(life_event e, life_state s) noexcept;

  /// False where it means nothing now.
  bool on(life_event e) noexcept {
    auto const next = after(e, state_);
    return std::exchange(state_, next) != next;
  }
  [[nodiscard]] life_state state() const noexcept { return state_; }
  [[nodiscard]] bool is(life_state s) const noexcept { return state_ == s; }
  /// It is known what the server is, or will be again: calls wait for that.
  [[nodiscard]] bool is_restarting() const noexcept {
    return state_ >= life_state::waiting && state_ <= life_state::renegotiating;
  }
  /// Nothing begins any more.
  [[nodiscard]] bool is_closing() const noexcept { return state_ >= life_state::closing; }

 private:
  life_state state_ = life_state::idle;
};

constexpr life_state connection_life::after(life_event e, life_state s) noexcept {
  using enum life_state;
  // idle, opening, negotiating, settling, ready, waiting, restarting, renewing, renegotiating, restoring, closing, closed
  constexpr std::array<std::array<life_state, states>, events> table = {{
      /* open       */ {opening, opening, negotiating, settling, ready, waiting, restarting, renewing, renegotiating, restoring, closing, closed},
      /* opened     */ {idle, negotiating, negotiating, settling, ready, waiting, renegotiating, renegotiating, renegotiating, restoring, closing, closed},
      /* negotiated */ {idle, opening, settling, settling, ready, waiting, restarting, renewing, restoring, restoring, closing, closed},
      /* settled    */ {idle, opening, negotiating, ready, ready, waiting, restarting, renewing, renegotiating, ready, closing, closed},
      /* lost       */ {idle, opening, negotiating, settling, waiting, waiting, waiting, waiting, waiting, waiting, closing, closed},
      /* due        */ {idle, opening, negotiating, settling, ready, restarting, restarting, renewing, renegotiating, restoring, closing, closed},
      /* renew      */ {idle, opening, negotiating, settling, renewing, waiting, restarting, renewing, renegotiating, restoring, closing, closed},
      /* kept       */ {idle, opening, negotiating, settling, ready, waiting, restarting, ready, ready, restoring, closing, closed},
      /* close      */ {closing, closing, closing, closing, closing, closing, closing, closing, closing, closing, closing, closed},
      /* end        */ {closed, closed, closed, closed, closed, closed, closed, closed, closed, closed, closed, closed},
  }};
  return table[static_cast<std::size_t>(e)][static_cast<std::size_t>(s)];
}

}  // namespace comcp::sansio

namespace comcp {
class client_core;

namespace detail {
class negotiation;

class connection {
 public:
  COMCP_LAZY connection(client_core& core, connect_settings const& settings, any_transport t);

  /// The first time. Throws; nothing is left behind then.
  COMCP_LAZY asio::awaitable<void> open();
  // An attempt, in its parts.
  COMCP_LAZY asio::awaitable<result<void>> open_channel();
  COMCP_LAZY asio::awaitable<result<void>> negotiate();
  COMCP_LAZY asio::awaitable<bool> close_channel();
  /// The server is told what it has to be told. True when it became ready then, and was not lost meanwhile.
  COMCP_LAZY asio::awaitable<bool> settle();
  [[nodiscard]] attempt& clock() noexcept { return attempt_; }

  /// The channel closed by itself.
  COMCP_LAZY void closed(error reason);
  COMCP_LAZY asio::awaitable<void> close(error reason);
  /// Waits for the end.
  COMCP_LAZY asio::awaitable<error> ended();
  COMCP_LAZY void finish(error reason);
  /// The owning client went away.
  COMCP_LAZY void abandon() noexcept;
  COMCP_LAZY void context_gone() noexcept;
  /// What the server asked ends, and the authorization that its connection waited for.
  COMCP_LAZY void cancel_inbound();
  /// First the calls, then what else waits for their ends.
  COMCP_LAZY void fail_all(error const& reason);

  /// Whoever listens is told of the new status.
  COMCP_LAZY void on(sansio::life_event e);
  [[nodiscard]] std::shared_ptr<status_listeners> const& listeners() const noexcept { return status_; }
  [[nodiscard]] sansio::connection_life const& life() const noexcept { return life_; }
  [[nodiscard]] connection_status status() const noexcept { return status_->now(); }
  [[nodiscard]] std::optional<error> const& end_reason() const noexcept { return end_reason_; }
  [[nodiscard]] detail::channel& channel() noexcept { return channel_; }
  [[nodiscard]] detail::channel const& channel() const noexcept { return channel_; }
  /// Before the verdict the server may be a legacy one that asks early.
  COMCP_LAZY [[nodiscard]] bool refuses_requests() const;

 private:
  COMCP_LAZY [[nodiscard]] calls::spared spared() const noexcept;
  COMCP_LAZY void tell_status();
  COMCP_LAZY asio::awaitable<void> keep_alive();

  client_core& core_;
  detail::channel channel_;
  sansio::connection_life life_;
  std::shared_ptr<status_listeners> const status_ = std::make_shared<status_listeners>();  // as it was told
  std::optional<error> end_reason_;
  std::weak_ptr<negotiation> negotiation_;
  attempt attempt_;
  bool resumed_ = false;  // it goes on with a saved session
  bool keeping_alive_ = false;
};

}  // namespace detail
}  // namespace comcp

// client/core_link.hpp
// What the facade of a client reaches of its core: each operation by the part that does it. Templates, so that they are
// compiled where a client connects. Internal.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

namespace comcp {
class client_core;

namespace detail {

/// From another executor: carried out at home, and its caller resumed on its own.
COMCP_LAZY asio::awaitable<reply> perform_at_home(client_core& core, asio::any_io_executor const& here,
                                                  prepared_call& c);
COMCP_LAZY std::shared_ptr<away<reply>> call_away(client_core& core, asio::any_io_executor const& here,
                                                  prepared_call c);
COMCP_LAZY asio::awaitable<void> set_level_at_home(client_core& core, log_level level, call_options options);
COMCP_LAZY void notify_roots_changed(client_core& core);
COMCP_LAZY asio::awaitable<void> as_work(std::function<void()> f);

template <class Core>
class core_life_link final : public life_link {
 public:
  explicit core_life_link(Core& core) noexcept : core_(core) {}

  asio::awaitable<void> close() override { return core_.close(); }
  [[nodiscard]] restarts_link& restarts(restarts_maker make) override { return core_.recovery.restarts(make); }
  asio::awaitable<error> ended() override { return on_home(core_.shared_from_this(), core_.connection.ended()); }
  [[nodiscard]] std::shared_ptr<status_listeners> const& status() const noexcept override {
    return core_.connection.listeners();
  }
  asio::awaitable<bool> sleep(std::chrono::nanoseconds d) override { return core_.sleep(d); }

 private:
  Core& core_;
};

template <class Core>
class core_link final : public client_link {
 public:
  explicit core_link(Core& core) noexcept : core_(core), life_(core) {}

  asio::awaitable<reply> begin(asio::any_io_executor const& here, prepared_call& c, pending_entry& e,
                               bool& plain) override {
    if (!(here == core_.home())) return perform_at_home(core_, here, c);
    if (!core_.pipeline.is_plain(c.method)) return core_.pipeline.run(c);
    plain = true;
    return core_.exchange.begin(c, e);
  }
  std::shared_ptr<detail::away<reply>> away(asio::any_io_executor const& here, prepared_call c) override {
    return call_away(core_, here, std::move(c));
  }
  [[nodiscard]] bool needs_settling(prepared_call const& c, reply const& r) const override {
    return core_.exchange.needs_settling(c, r);
  }
  asio::awaitable<reply> settle(prepared_call& c, reply r) override { return core_.exchange.settle(c, std::move(r)); }
  asio::awaitable<void> set_level(log_level level, call_options options) override {
    return on_home(core_.shared_from_this(), set_level_at_home(core_, level, std::move(options)));
  }
  asio::awaitable<void> notify(std::string method, std::string params) override {
    return at_home([this, m = std::move(method), p = std::move(params)] { core_.outbound.notify(m, p); });
  }
  asio::awaitable<void> notify_roots_changed() override {
    return at_home([this] { detail::notify_roots_changed(core_); });
  }
  void notify_now(std::string_view method, std::string_view params) override {
    core_.outbound.send_text(jsonrpc::notification(method, params));
  }
  asio::awaitable<void> adopt_tools(list_tools_result& page) override {
    return at_home([this, &page] { core_.facts.learn(page, core_.settings.limits.items(), core_.is_http()); });
  }
  [[nodiscard]] list_bounds bounds(call_options const& options) const override {
    auto const& limits = core_.settings.limits;
    auto const now = core_.calls.now();
    bool const caches = static_cast<bool>(core_.settings.steps[connect_settings::caching]);
    return {limits.pages(), limits.items(), limits.list_bytes(), now, later(now, core_.calls.hard_limit(options)),
            caches && options.cache() == cache_use::use};
  }
  [[nodiscard]] subscriptions_link& subscriptions(subscriptions_maker make) override {
    return core_.subscriptions.hub(make);
  }
  [[nodiscard]] life_link& life() noexcept override { return life_; }
  void abandon() noexcept override { core_.abandon(); }
  [[nodiscard]] std::shared_ptr<server_snapshot const> server() const override { return core_.server.get(); }
  [[nodiscard]] comcp::transport_info transport_info() const override { return core_.connection.channel().info(); }
  [[nodiscard]] comcp::statistics statistics() const override { return core_.statistics(); }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept override { return core_.home(); }
  void fault(error what) override { core_.fault(std::move(what)); }

 private:
  // Work for home that needs no waiting.
  [[nodiscard]] asio::awaitable<void> at_home(std::function<void()> f) const {
    return on_home(core_.shared_from_this(), as_work(std::move(f)));
  }

  Core& core_;
  core_life_link<Core> life_;
};

}  // namespace detail
}  // namespace comcp

// client/dispatcher.hpp
// Brings what the server sends unasked to the handler: requests run concurrently up to a bound, notifications
// one at a time in the order of their arrival. The read loop never waits for either. Internal to the core.

#include <deque>
#include <map>
#include <memory>
#include <string>

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

// jsonrpc/decode.hpp
// Reads the envelope of one message: what it is, whose it is, and where its parts lie. The parts stay raw;
// whoever uses one parses it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace comcp::jsonrpc {

enum class message_kind { request, notification, response, error, batch, invalid };

/// One message, classified. The views point into the text that was decoded.
struct envelope {
  message_kind kind = message_kind::invalid;
  std::string method;                 ///< Requests and notifications.
  std::string_view raw_id;            ///< The id as it was written; empty where absent or null.
  std::optional<std::uint64_t> id;    ///< The id as a number of ours: an integer, also as 1.0, or the string of one.
  std::string_view params;            ///< Raw; empty where absent.
  std::string_view result;            ///< Raw.
  std::string_view error;             ///< Raw.
  std::string reason;                 ///< Why it is invalid. With an id, that call must fail with it.
  errc fault = errc::protocol_violation;  ///< The same as a code: that, or out_of_memory.
  std::string_view text;              ///< The whole message.
};

/// Classifies one message: exact keys, no duplicates of them, strict UTF-8. Never fails: what is no message is
/// `invalid`, with the id recovered where that is possible.
envelope decode(padded_text text);

/// The id and the raw result of an answer that is written in one of the two usual ways: nothing but the version, the
/// id and the result, in this order or with the result first.
struct plain_result {
  std::uint64_t id = 0;
  std::string_view result;
};
/// Looks at the start and the end of the text only: what lies between is the result if, and only if, it parses as one
/// value. Everything else is for decode().
std::optional<plain_result> find_result(std::string_view text) noexcept;

/// A stranger's text for people: on one line, without controls, cut after about `most` bytes.
std::string shown(std::string_view text, std::size_t most = 160);

/// The error object of an answer, or errc::protocol_violation when it is not one. Where it cannot be read whole, code and
/// message are what is left of it: JavaScript peers send halves of surrogate pairs, which become U+FFFD.
comcp::error decode_error(std::string_view raw_error);

}  // namespace comcp::jsonrpc

// json/reader.hpp
// On-demand reading of one object's or array's top level, without building a document: how envelopes are
// classified. What is skipped is not validated; parse() it before a user sees it.

#include <string_view>

namespace comcp::json {

/// Told each member of an object: its unescaped key and the raw text of its value, in place.
class member_sink {
 public:
  /// False stops the scan. Both are valid until the next call; `raw` is a part of the scanned text. May scan
  /// another text.
  virtual bool on_member(std::string_view key, std::string_view raw) = 0;

 protected:
  ~member_sink() = default;
};

/// Scans the members of the object that `text` is. Errors: invalid_json (with what was told before staying
/// told), wrong_shape when the text is no object, out_of_memory.
result<void> scan_object(padded_text text, member_sink& sink);

/// Scans the elements of the array that `text` is; the keys given are empty.
result<void> scan_array(padded_text text, member_sink& sink);

/// The unescaped content of a raw JSON string such as "\"tools\\/call\"". Errors: invalid_json.
result<std::string> unescape(std::string_view raw_string);

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// json/impl/reader.ipp
#include <optional>
#include <string>
#include <utility>

namespace comcp::json {
namespace detail {

namespace ondemand = simdjson::ondemand;

// One parser a thread, and one more for a scan inside a sink.
class scanner {
 public:
  scanner() noexcept : first_(!std::exchange(shared().busy, true)) {}
  scanner(scanner const&) = delete;
  scanner& operator=(scanner const&) = delete;
  ~scanner() {
    if (!first_) return;
    if (shared().parser.capacity() > (std::size_t{4} << 20)) shared().parser = ondemand::parser();
    shared().busy = false;
  }
  ondemand::parser& parser() { return first_ ? shared().parser : own_.emplace(); }

 private:
  struct state {
    ondemand::parser parser;
    bool busy = false;
  };
  static state& shared() noexcept {
    thread_local state s;
    return s;
  }
  bool first_;
  std::optional<ondemand::parser> own_;
};

COMCP_DECL std::string_view trimmed(std::string_view s) noexcept {
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\n' || s.back() == '\r'))
    s.remove_suffix(1);
  return s;
}

// The raw text of a value, which is thereby consumed.
COMCP_DECL simdjson::error_code raw_of(ondemand::value v, std::string_view& raw) noexcept {
  ondemand::json_type type;
  if (auto const code = v.type().get(type)) return code;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (auto const code = v.get_object().get(object)) return code;
    auto const code = object.raw_json().get(raw);
    return raw = trimmed(raw), code;
  }
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (auto const code = v.get_array().get(array)) return code;
    auto const code = array.raw_json().get(raw);
    return raw = trimmed(raw), code;
  }
  raw = trimmed(v.raw_json_token());
  return simdjson::SUCCESS;
}

inline error scan_error(simdjson::error_code code) {
  if (code == simdjson::MEMALLOC) return errc::out_of_memory;
  return {code == simdjson::INCORRECT_TYPE ? errc::wrong_shape : errc::invalid_json, parse_failure(code)};
}

COMCP_DECL simdjson::error_code scan_members(ondemand::document& doc, member_sink& sink) {
  ondemand::object object;
  if (auto const code = doc.get_object().get(object)) return code;
  for (auto item : object) {
    ondemand::field field;
    if (auto const code = std::move(item).get(field)) return code;
    std::string_view key, raw;
    if (auto const code = field.unescaped_key().get(key)) return code;
    if (auto const code = raw_of(field.value(), raw)) return code;
    if (!sink.on_member(key, raw)) return simdjson::SUCCESS;
  }
  return doc.current_location().error() == simdjson::OUT_OF_BOUNDS ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

COMCP_DECL simdjson::error_code scan_elements(ondemand::document& doc, member_sink& sink) {
  ondemand::array array;
  if (auto const code = doc.get_array().get(array)) return code;
  for (auto item : array) {
    ondemand::value element;
    if (auto const code = std::move(item).get(element)) return code;
    std::string_view raw;
    if (auto const code = raw_of(element, raw)) return code;
    if (!sink.on_member({}, raw)) return simdjson::SUCCESS;
  }
  return doc.current_location().error() == simdjson::OUT_OF_BOUNDS ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

using scan_function = simdjson::error_code (*)(ondemand::document&, member_sink&);

COMCP_DECL result<void> scan(padded_text text, member_sink& sink, scan_function function) {
  auto const view = without_bom(text.view());
  if (view.empty()) return scan_error(simdjson::EMPTY);
  if (view.starts_with(bom)) return scan_error(simdjson::TAPE_ERROR);
  scanner lease;
  ondemand::document doc;
  simdjson::padded_string_view const padded(view.data(), view.size(), view.size() + padded_text::spare);
  auto code = lease.parser().iterate(padded).get(doc);
  if (!code) code = function(doc, sink);
  if (code) return scan_error(code);
  return {};
}

}  // namespace detail

COMCP_DECL result<void> scan_object(padded_text text, member_sink& sink) {
  return detail::scan(text, sink, detail::scan_members);
}

COMCP_DECL result<void> scan_array(padded_text text, member_sink& sink) {
  return detail::scan(text, sink, detail::scan_elements);
}

COMCP_DECL result<std::string> unescape(std::string_view raw_string) {
  if (raw_string.size() < 2 || raw_string.front() != '"' || raw_string.back() != '"')
    return error(errc::wrong_shape, "not a JSON string");
  auto const inner = raw_string.substr(1, raw_string.size() - 2);
  bool ascii = true;
  if (detail::plain_prefix(inner.data(), inner.size(), ascii) == inner.size() && ascii) return std::string(inner);
  auto const parsed = parse(raw_string);
  if (!parsed) return parsed.error();
  return std::string(parsed->as_string());
}

}  // namespace comcp::json
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// jsonrpc/impl/decode.ipp
#include <algorithm>

namespace comcp::jsonrpc {
namespace detail {

inline constexpr std::uint64_t largest_id = (std::uint64_t{1} << 53) - 1;

// An id of ours: an integer, or a string that holds just that integer.
COMCP_DECL std::optional<std::uint64_t> own_id(std::string_view raw) noexcept {
  if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"') raw = raw.substr(1, raw.size() - 2);
  if (raw.empty() || raw.size() > 16 || (raw.size() > 1 && raw.front() == '0')) return {};
  std::uint64_t id = 0;
  for (char const c : raw) {
    if (c < '0' || c > '9') return {};
    id = 10 * id + static_cast<std::uint64_t>(c - '0');
  }
  if (id > largest_id) return {};
  return id;
}

struct envelope_reader final : json::member_sink {
  using result_type = comcp::result<json::value>;
  static constexpr char const* not_an_id = "the id is neither a string nor an integer";
  enum part : unsigned { version = 1, id = 2, method = 4, params = 8, result = 16, error = 32 };

  envelope out;
  unsigned seen = 0;
  bool versioned = false, fractional = false;

  static unsigned part_of(std::string_view key) noexcept {
    if (key == "jsonrpc") return version;
    if (key == "id") return id;
    if (key == "method") return method;
    if (key == "params") return params;
    if (key == "result") return result;
    if (key == "error") return error;
    return 0;
  }

  bool on_member(std::string_view key, std::string_view raw) override {
    auto const which = part_of(key);
    if (seen & which) out.reason = "duplicate key \"" + std::string(key) + "\"";
    seen |= which;
    switch (which) {
      case version: versioned = raw == "\"2.0\""; break;
      case id: read_id(raw); break;
      case method: read_method(raw); break;
      case params: out.params = raw; break;
      case result: out.result = raw; break;
      case error: out.error = raw; break;
      default: break;
    }
    return true;
  }

  void read_id(std::string_view raw) {
    if (raw == "null") return;
    bool const string = raw.front() == '"';
    bool const integer = raw.find_first_not_of("-0123456789") == raw.npos;
    out.raw_id = raw;
    if (string || integer) {
      out.id = own_id(raw);
      return;
    }
    // A peer that has no numbers but doubles may write 1.0.
    fractional = true;
    auto const number = raw.size() <= 32 ? json::parse(raw) : result_type(comcp::error(errc::wrong_shape));
    auto const whole = number ? number->view().get_uint64() : std::nullopt;
    if (whole && *whole <= largest_id) {
      out.id = *whole;
    } else {
      out.raw_id = {};
      out.reason = not_an_id;
    }
  }

  void read_method(std::string_view raw) {
    auto text = json::unescape(raw);
    if (text) {
      out.method = *std::move(text);
    } else {
      out.reason = "the method is not a string";
    }
  }

  void classify() {
    if (!out.reason.empty()) return;
    if (!versioned) {
      out.reason = "no \"jsonrpc\": \"2.0\"";
    } else if (seen & method) {
      classify_call();
    } else if ((seen & result) && (seen & error)) {
      out.reason = "both result and error";
    } else if (seen & result) {
      out.kind = message_kind::response;
      if (out.raw_id.empty()) fail("a result without id");
    } else if (seen & error) {
      out.kind = message_kind::error;
    } else {
      out.reason = "neither method, result nor error";
    }
  }

  void classify_call() {
    if (seen & (result | error)) return fail("both a method and an answer");
    if (!out.params.empty() && out.params.front() != '{' && out.params.front() != '[')
      return fail("params are neither an object nor an array");
    if ((seen & id) && out.raw_id.empty()) return fail("the id of a request is null");
    if (fractional) return fail(not_an_id);
    out.kind = out.raw_id.empty() ? message_kind::notification : message_kind::request;
  }

  void fail(char const* why) {
    out.kind = message_kind::invalid;
    out.reason = why;
  }
};

// Where the string that starts at `at` ends (behind its quote), or the end of the text.
inline std::size_t skip_string(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// The id of an answer in text that cannot be parsed: cut off, not UTF-8, not quite JSON. Looks at the keys of the
// outermost object only.
COMCP_DECL std::optional<std::uint64_t> recover_id(std::string_view text) {
  std::optional<std::uint64_t> found;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    char const c = text[i];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') {
      ++i;
      continue;
    }
    auto const end = skip_string(text, i);
    auto const key = text.substr(i, end - i);
    i = end;
    auto const colon = text.find_first_not_of(" \t\r\n", end);
    if (depth != 1 || colon == text.npos || text[colon] != ':') continue;
    if (key == "\"method\"") return {};
    if (key != "\"id\"") continue;
    auto const value = text.find_first_not_of(" \t\r\n", colon + 1);
    if (value == text.npos) return {};
    auto const stop = text[value] == '"' ? skip_string(text, value) : text.find_first_not_of("0123456789", value);
    if (stop != text.npos) found = own_id(text.substr(value, stop - value));
  }
  return found;
}

// The same JSON text, each escape of half a surrogate pair replaced by that of U+FFFD.
COMCP_DECL std::string without_halves(std::string_view raw) {
  std::string out;
  out.reserve(raw.size() + padded_text::spare);
  auto const is_half = [raw](std::size_t at, std::string_view kinds) {
    return at + 6 <= raw.size() && raw[at] == '\\' && raw[at + 1] == 'u' && (raw[at + 2] | 0x20) == 'd' &&
           kinds.find(raw[at + 3]) != kinds.npos;
  };
  for (std::size_t i = 0; i < raw.size();) {
    bool const high = is_half(i, "89abAB"), low = is_half(i, "cdefCDEF");
    bool const pair = high && is_half(i + 6, "cdefCDEF");
    std::size_t const n = pair ? 12 : high || low ? 6 : raw[i] == '\\' ? 2 : 1;
    out += (high || low) && !pair ? std::string_view("\\ufffd") : raw.substr(i, n);
    i += n;
  }
  return out;
}

// What is left of an error object that is not JSON throughout, or beyond a limit.
struct error_reader final : json::member_sink {
  std::optional<std::int64_t> code;
  std::optional<std::string> message;

  bool on_member(std::string_view key, std::string_view raw) override {
    if (key == "code" && !code && raw.size() <= 32) {
      auto const number = json::parse(raw);
      if (number) code = number->view().get_int64();
    }
    if (key == "message" && !message) {
      auto text = json::unescape(raw);
      if (text) message = *std::move(text);
    }
    return true;
  }
};

// Why text is no object: most often it is a line for people that went to stdout.
COMCP_DECL std::string no_message(padded_text text, comcp::error const& why) {
  if (why == errc::out_of_memory) return std::string(why.message());
  if (why != errc::wrong_shape) return "not JSON (" + std::string(why.message()) + ")";
  return json::parse(text) ? "no JSON object" : "not JSON";
}

}  // namespace detail

COMCP_DECL std::string shown(std::string_view text, std::size_t most) {
  constexpr std::string_view blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  text = text.substr(0, text.find_last_not_of(blanks) + 1);
  std::size_t kept = 0;
  for (comcp::detail::character_scan at(text); kept < most && at.next();) kept = at.start() + at.bytes().size();
  auto out = visible(text.substr(0, kept), line_breaks::blank);
  return kept < text.size() ? out + "..." : out;
}

COMCP_DECL envelope decode(padded_text text) {
  auto const view = text.view();
  auto const start = view.find_first_not_of(" \t\r\n");
  if (start != view.npos && view[start] == '[') {
    envelope batch;
    batch.kind = message_kind::batch;
    batch.text = view;
    return batch;
  }
  detail::envelope_reader reader;
  reader.out.text = view;
  auto const scanned = json::scan_object(text, reader);
  if (!scanned) {
    reader.out.kind = message_kind::invalid;
    reader.out.reason = detail::no_message(text, scanned.error());
    if (scanned.error() == errc::out_of_memory) reader.out.fault = errc::out_of_memory;
    if (!reader.out.id) reader.out.id = detail::recover_id(view);
    if (reader.seen & detail::envelope_reader::method) reader.out.id.reset();
    return std::move(reader.out);
  }
  reader.classify();
  if (reader.out.kind == message_kind::invalid && (reader.seen & detail::envelope_reader::method)) reader.out.id.reset();
  return std::move(reader.out);
}

COMCP_DECL std::optional<plain_result> find_result(std::string_view text) noexcept {
  constexpr std::string_view version = R"({"jsonrpc":"2.0","id":)", result = R"(,"result":)";
  constexpr std::string_view result_first = R"({"result":)", version_last = R"(,"jsonrpc":"2.0","id":)";
  if (text.empty() || text.back() != '}') return {};
  text.remove_suffix(1);
  std::string_view id, inner;
  if (text.starts_with(version)) {
    text.remove_prefix(version.size());
    auto const digits = std::min(text.find(','), text.size());
    id = text.substr(0, digits);
    inner = text.substr(digits);
    if (!inner.starts_with(result)) return {};
    inner.remove_prefix(result.size());
  } else if (text.starts_with(result_first)) {
    auto const digits = text.find_last_not_of("0123456789") + 1;
    id = text.substr(digits);
    inner = text.substr(0, digits);
    if (!inner.ends_with(version_last)) return {};
    inner.remove_suffix(version_last.size());
    inner.remove_prefix(std::min(result_first.size(), inner.size()));
  }
  auto const own = detail::own_id(id);
  if (!own || id.front() == '"' || inner.starts_with("\xEF")) return {};  // json::parse would let a byte order mark pass
  return plain_result{*own, inner};
}

COMCP_DECL comcp::error decode_error(std::string_view raw_error) {
  constexpr char const* no_code = "an answer's error has no integer code";
  auto text = detail::without_halves(raw_error);
  auto const parsed = json::parse(pad(text));
  peer_error peer;
  if (!parsed) {
    detail::error_reader left;
    (void)json::scan_object(pad(text), left);
    if (!left.code) return {errc::protocol_violation, no_code};
    peer.code = *left.code;
    peer.message = left.message.value_or("");
    return comcp::error::from_peer(std::move(peer));
  }
  auto const object = parsed->view();
  auto const code = object.find("code");
  auto const number = code ? code->get_int64() : std::nullopt;
  if (!number) return {errc::protocol_violation, no_code};
  peer.code = *number;
  if (auto const message = object.find("message")) peer.message = message->get_string().value_or("");
  if (auto const data = object.find("data")) peer.data = data->dump();
  return comcp::error::from_peer(std::move(peer));
}

}  // namespace comcp::jsonrpc
#endif

namespace comcp {
class client_core;

namespace detail {

class dispatcher {
 public:
  explicit dispatcher(client_core& core) noexcept : core_(core) {}

  /// A request of the server, legacy era.
  COMCP_LAZY void request(jsonrpc::envelope const& m);
  /// Runs the handler for one request of the server, whichever way it came; the error is what to answer.
  COMCP_LAZY asio::awaitable<result<json::fragment>> answer(std::string method, json::value params, context& ctx);
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);
  COMCP_LAZY [[nodiscard]] context make_context(std::string method, json::value const& params) const;
  [[nodiscard]] std::size_t open_requests() const noexcept { return running_.size(); }
  COMCP_LAZY void cancel_all();

 private:
  struct running {
    asio::cancellation_signal signal;
    std::shared_ptr<bool> cancelled = std::make_shared<bool>(false);
  };
  struct queued {
    std::string method;
    json::value params;
  };

  COMCP_LAZY asio::awaitable<void> serve(std::shared_ptr<client_core> hold, std::string raw_id, std::string method,
                                         json::value params, std::shared_ptr<running> state);
  COMCP_LAZY asio::awaitable<void> pump(std::shared_ptr<client_core> hold, std::shared_ptr<running> state);
  COMCP_LAZY [[nodiscard]] error check(std::string_view method, json::view request) const;
  /// The server withdrew a request: its handler is cancelled, nothing is answered.
  COMCP_LAZY void withdraw(std::string const& raw_id);

  client_core& core_;
  std::map<std::string, std::shared_ptr<running>> running_;  // by raw id
  std::deque<queued> notifications_;
  std::shared_ptr<running> pump_;  // while it hands notifications over
};

}  // namespace detail
}  // namespace comcp

// client/exchange.hpp
// The end of a call's way: one round trip, and what it may need beyond that (sansio/call_life decides): input rounds, one
// change of the version or the era, a repetition, pages to be seen first. On home only. Internal.

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <asio/awaitable.hpp>

// sansio/call_life.hpp
// What an answer or a failure means for its call, decided from facts alone. Who drives it waits, asks and sends.

#include <cstddef>
#include <cstdint>

// wire/codec.hpp
// The contract of an era: which methods it has, what a request of it looks like, and what a result means.
// wire/legacy and wire/modern fulfil it; what an era does not have is absent from its codec.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp::wire {

/// What a request carries besides its parameters.
struct request_meta {
  request_meta() = default;
  std::vector<std::pair<std::string, std::string>> const* user = nullptr;  ///< keys and JSON texts, checked
  bool progress = false;                                                   ///< send a progressToken: the id
  std::optional<log_level> level;                                          ///< modern only
};

/// How a result is to be taken.
enum class result_kind { complete, input_required };

class codec {
 public:
  virtual ~codec() = default;

  [[nodiscard]] virtual protocol_version version() const noexcept = 0;
  [[nodiscard]] bool is_modern() const noexcept { return version().era() == era::modern; }
  /// Whether this client method may be sent. Methods that no version of MCP knows are the vendors' and may.
  [[nodiscard]] virtual bool offers(method const& m) const noexcept = 0;
  /// A whole request. `params` is an object's text or empty; a `_meta` in it joins the one that the request gets, in
  /// which a key of `meta` counts.
  [[nodiscard]] virtual std::string request(std::uint64_t id, std::string_view method, std::string_view params,
                                            request_meta const& meta) const = 0;
  /// A whole notification, with the meta of `meta.user` alone.
  [[nodiscard]] std::string notification(std::string_view method, std::string_view params,
                                         request_meta const& meta) const;
  /// Tells the server that a request is cancelled (byte streams in both eras, HTTP in the legacy one).
  [[nodiscard]] static std::string cancelled(std::uint64_t id, std::string_view reason);
  /// Errors: protocol_violation, for a kind that this era or this method does not have.
  [[nodiscard]] virtual result<result_kind> classify(method const& m, json::view result) const = 0;
};

namespace detail {
/// A whole request, or a notification without an id; `params` is an object's text or empty, `meta` the members of
/// its `_meta`, which one in `params` joins. What is empty is left out.
std::string message_text(std::optional<std::uint64_t> id, std::string_view method, std::string_view params,
                         std::string_view meta);
void append_user_meta(std::string& out, request_meta const& meta);
}  // namespace detail

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// wire/impl/codec.ipp
#include <charconv>
#include <cstring>
#include <set>

namespace comcp::wire {
namespace detail {

// Takes `_meta` out of the params. Texts stay as they are: numbers keep their digits.
struct meta_splitter final : json::member_sink {
  bool on_member(std::string_view key, std::string_view raw) override {
    if (key == "_meta") {
      if (meta.empty()) meta = raw;
      return true;
    }
    rest += rest.empty() ? "{" : ",";
    json::detail::append_string(rest, key);
    rest.append(":").append(raw);
    return true;
  }
  std::string meta, rest;
};

// Those of its members whose key is not there yet.
struct meta_joiner final : json::member_sink {
  explicit meta_joiner(std::string& text) : to(text) {}
  bool on_member(std::string_view key, std::string_view raw) override {
    if (!keys.emplace(key).second || only_looks) return true;
    if (!to.empty()) to += ',';
    json::detail::append_string(to, key);
    to.append(":").append(raw);
    return true;
  }
  std::string& to;
  std::set<std::string, std::less<>> keys;
  bool only_looks = false;
};

// Moves the `_meta` of the params to the rest of it. False where there is none.
COMCP_DECL bool join_meta(std::string& params, std::string& meta) {
  meta_splitter split;
  if (!json::scan_object(pad(params), split) || split.meta.empty()) return false;
  auto known = "{" + meta + "}";
  meta_joiner join(meta);
  join.only_looks = true;
  (void)json::scan_object(pad(known), join);
  join.only_looks = false;
  (void)json::scan_object(pad(split.meta), join);
  params = split.rest.empty() ? std::string() : std::move(split.rest) + '}';
  return true;
}

// An escaped key may be `_meta` too; most texts have neither.
COMCP_DECL bool may_hold_meta(std::string_view params) noexcept {
  return params.find("_meta\"") != params.npos || params.find("\\u") != params.npos;
}

template <std::size_t N>
char* put(char* to, char const (&literal)[N]) noexcept {
  std::memcpy(to, literal, N - 1);
  return to + N - 1;
}
inline char* put(char* to, std::string_view piece) noexcept { return to + piece.copy(to, piece.size()); }

// Appending a dozen short pieces to a string takes longer than all the rest of a request.
COMCP_DECL std::string message_text(std::optional<std::uint64_t> id, std::string_view method, std::string_view params,
                                    std::string_view meta) {
  std::string own_params, own_meta;
  if (may_hold_meta(params) && join_meta(own_params = params, own_meta = meta)) {
    params = own_params;
    meta = own_meta;
  }
  params = params.size() > 2 ? params.substr(1, params.size() - 2) : std::string_view();
  std::string out(96 + method.size() + params.size() + meta.size() + padded_text::spare, '\0');
  char* to = put(out.data(), R"({"jsonrpc":"2.0",)");
  if (id) {
    to = put(to, R"("id":)");
    to = put(std::to_chars(to, to + 20, *id).ptr, ",");
  }
  to = put(to, R"("method":")");
  to = put(to, method);  // methods are checked to need no escaping
  to = put(to, "\"");
  if (!params.empty() || !meta.empty()) {
    to = put(put(to, R"(,"params":{)"), params);
    if (!params.empty() && !meta.empty()) to = put(to, ",");
    if (!meta.empty()) to = put(put(put(to, R"("_meta":{)"), meta), "}");
    to = put(to, "}");
  }
  to = put(to, "}");
  out.resize(static_cast<std::size_t>(to - out.data()));
  return out;
}

COMCP_DECL void append_user_meta(std::string& out, request_meta const& meta) {
  if (!meta.user) return;
  for (auto const& [key, text] : *meta.user) {
    if (!out.empty()) out += ',';
    json::detail::append_string(out, key);
    out.append(":").append(text);
  }
}

}  // namespace detail

COMCP_DECL std::string codec::notification(std::string_view method, std::string_view params,
                                           request_meta const& meta) const {
  std::string user;
  detail::append_user_meta(user, meta);
  return detail::message_text(std::nullopt, method, params, user);
}

COMCP_DECL std::string codec::cancelled(std::uint64_t id, std::string_view reason) {
  json::writer w;
  w.begin_object().plain_key("requestId").unsigned_integer(id);
  if (!reason.empty()) w.plain_key("reason").string(reason);
  w.end_object();
  return jsonrpc::notification("notifications/cancelled", w.text());
}

}  // namespace comcp::wire
#endif

namespace comcp::sansio {

/// What to do with a call that was sent, and what came.
enum class call_action : std::uint8_t {
  deliver,         ///< It has ended: with what came.
  show_pages,      ///< Show the user the pages that a -32042 names, then send it again.
  give_up_pages,   ///< It came twice: end with errc::url_elicitation_required.
  check_era,       ///< Find out whether the saved verdict still holds, then send it again where that may be.
  list_again,      ///< List the tools, and send it again if this one is still among them.
  follow_version,  ///< Go over to a version that the error names, and send it again; or end with no_common_version.
  send_again,      ///< What was broken off goes out once more.
  hand_over,       ///< The caller answers this round.
  answer,          ///< Ask the handler what the server asks for, and send it again with the answers.
  too_many_rounds,
};

/// What holds when it came.
struct call_facts {
  call_facts() = default;
  bool modern = false;
  bool http = false;
  bool era_in_doubt = false;  ///< The era was taken from a saved verdict that nothing has shown to hold.
  bool may_repeat = false;    ///< It was broken off, and sending it twice does no harm.
  bool is_tool = false;       ///< It is a tools/call.
  bool manual = false;        ///< Rounds are the caller's.
};

/// One call. Each of its ways to go on is bounded.
class call_life {
 public:
  explicit call_life(std::size_t most_rounds) noexcept : rounds_left_(most_rounds) {}

  [[nodiscard]] call_action failed(error const& e, call_facts const& now) noexcept;
  [[nodiscard]] call_action answered(wire::result_kind kind, call_facts const& now) noexcept;

 private:
  static constexpr unsigned most_repeats = 3;

  std::size_t rounds_left_;
  unsigned repeats_ = 0;
  bool pages_shown_ = false, listed_ = false, followed_ = false;  // each of these helps once
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// sansio/impl/call_life.ipp
#include <utility>

namespace comcp::sansio {

COMCP_DECL call_action call_life::failed(error const& e, call_facts const& now) noexcept {
  auto const* const peer = e.peer();
  auto const code = peer ? peer->code : 0;
  if (code == -32042 && !now.modern)
    return std::exchange(pages_shown_, true) ? call_action::give_up_pages : call_action::show_pages;
  if (now.era_in_doubt) return call_action::check_era;
  bool const again = now.may_repeat && ++repeats_ <= most_repeats;
  if (code == -32020 && now.modern && now.http && now.is_tool && !std::exchange(listed_, true))
    return call_action::list_again;
  if (code == -32022 && now.modern && !std::exchange(followed_, true)) return call_action::follow_version;
  return again ? call_action::send_again : call_action::deliver;
}

COMCP_DECL call_action call_life::answered(wire::result_kind kind, call_facts const& now) noexcept {
  if (kind == wire::result_kind::complete) return call_action::deliver;
  if (now.manual) return call_action::hand_over;
  return rounds_left_-- > 0 ? call_action::answer : call_action::too_many_rounds;
}

}  // namespace comcp::sansio
#endif

namespace comcp {
class client_core;

namespace detail {

class exchange {
 public:
  explicit exchange(client_core& core) noexcept : core_(core) {}

  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c);
  COMCP_LAZY asio::awaitable<reply> round_trip(prepared_call const& c);
  /// What round_trip() does before it waits. When it fails nothing was sent; else calls.wait(e) must follow at once.
  COMCP_LAZY result<void> start(prepared_call const& c, pending_entry& e);
  /// Both, to be awaited at once.
  COMCP_LAZY asio::awaitable<reply> begin(prepared_call const& c, pending_entry& e);
  /// What is wrong with a call, before it is sent.
  COMCP_LAZY [[nodiscard]] error check(prepared_call const& c) const;
  COMCP_LAZY [[nodiscard]] error check_subscribe(call_options const& options) const;
  /// What the server cannot do of it.
  COMCP_LAZY [[nodiscard]] error refuses(prepared_call const& c) const;
  /// Whether what came is not the end of it: settle() goes on then.
  COMCP_LAZY [[nodiscard]] bool needs_settling(prepared_call const& c, reply const& r) const;
  COMCP_LAZY asio::awaitable<reply> settle(prepared_call& c, reply r);
  /// What the server asks back is answered by what this makes.
  rounds_link& rounds(rounds_maker make) {
    rounds_ = make(core_);
    return *rounds_;
  }
  /// Goes over to the newest version that both sides have, of those that the error names.
  COMCP_LAZY [[nodiscard]] bool follow_version(error const& e);

 private:
  struct progress;
  COMCP_LAZY [[nodiscard]] sansio::call_facts facts(prepared_call const& c, error const* e) const;
  COMCP_LAZY [[nodiscard]] bool may_be_of_other_era(prepared_call const& c, error const& e) const;
  COMCP_LAZY [[nodiscard]] bool may_repeat(prepared_call const& c, error const& e) const;
  // The call's end; nothing where it is to be sent again.
  COMCP_LAZY asio::awaitable<std::optional<reply>> after_failure(progress& p, reply& r);
  COMCP_LAZY asio::awaitable<std::optional<reply>> next_round(progress& p, reply& r);
  COMCP_LAZY [[nodiscard]] error check_round(input_required_result const& required) const;
  COMCP_LAZY asio::awaitable<error> rest(progress& p);
  COMCP_LAZY asio::awaitable<result<bool>> probe_again(prepared_call const& c, error refusal);
  COMCP_LAZY asio::awaitable<bool> list_again(prepared_call& c);

  client_core& core_;
  std::unique_ptr<rounds_link> rounds_;  // null: nothing was declared that a server may ask for
};

}  // namespace detail
}  // namespace comcp

// client/inbound.hpp
// Who gets what came: answers go to the calls, requests to the dispatcher, notifications to the sinks that registered.
// Nothing here waits. On home only. Internal.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// client/notification_sink.hpp
// What registers with inbound to hear of notifications. Internal.

#include <string>

namespace comcp::detail {

/// Hears what the server tells unasked: any object whose `notified(method, params)` says true where it was for this one
/// alone. It may have `deaf(why)`, which the end of the stream that brings it calls, and (no error) its return; and
/// `is_awaited()`, whether that stream is worth its opening.
class notification_sink {
 public:
  /// `who` lives longer.
  template <class T>
  explicit notification_sink(T& who) noexcept
      : who_(&who), notified_(&notify<T>), deaf_(&deafen<T>), is_awaited_(&ask<T>) {}

  bool notified(std::string const& method, json::value const& params) const { return notified_(who_, method, params); }
  void deaf(error const& why) const { deaf_(who_, why); }
  [[nodiscard]] bool is_awaited() const { return is_awaited_(who_); }

 private:
  template <class T>
  static bool notify(void* who, std::string const& method, json::value const& params) {
    return static_cast<T*>(who)->notified(method, params);
  }
  template <class T>
  static void deafen(void* who, error const& why) {
    if constexpr (requires(T& t) { t.deaf(why); }) static_cast<T*>(who)->deaf(why);
  }
  template <class T>
  static bool ask(void* who) {
    if constexpr (requires(T& t) { t.is_awaited(); }) return static_cast<T*>(who)->is_awaited();
    return false;
  }

  void* who_;
  bool (*notified_)(void*, std::string const&, json::value const&);
  void (*deaf_)(void*, error const&);
  bool (*is_awaited_)(void*);
};

}  // namespace comcp::detail

namespace comcp {
class client_core;

namespace detail {

/// What a transport delivers, handed on to a T with the same functions: that they are virtual is said here alone, so
/// that they themselves are compiled where a client connects.
template <class T>
class inbox_of final : public inbox {
 public:
  explicit inbox_of(T& to) noexcept : to_(to) {}

  void delivered(padded_text text, request_id stream) override { to_.delivered(text, stream); }
  void stream_ended(request_id id, error why) override { to_.stream_ended(id, std::move(why)); }
  [[nodiscard]] bool awaits(request_id id) const override { return to_.awaits(id); }
  void session_lost(request_id id, error why) override { to_.session_lost(id, std::move(why)); }
  void authorizing(bool begins) override { to_.authorizing(begins); }
  void deaf(error why) override { to_.deaf(std::move(why)); }
  [[nodiscard]] bool listens() const override { return to_.listens(); }
  void closed(error reason) override { to_.closed(std::move(reason)); }
  void fault(error what) override { to_.fault(std::move(what)); }

 private:
  T& to_;
};

class inbound {
 public:
  COMCP_LAZY explicit inbound(client_core& core) noexcept;

  /// For the transport.
  [[nodiscard]] inbox& from_transport() noexcept { return from_transport_; }

  /// In the order in which they hear.
  void add(notification_sink sink) { sinks_.push_back(sink); }
  /// A handshake without an answer: what came in its place.
  COMCP_LAZY [[nodiscard]] error with_what_came(error const& e) const;
  /// Unusable messages are counted from here.
  void forget_strays() noexcept { strays_in_a_row_ = 0; }

  COMCP_LAZY void delivered(padded_text text, request_id stream);
  COMCP_LAZY void stream_ended(request_id id, error why);
  COMCP_LAZY [[nodiscard]] bool awaits(request_id id) const;
  COMCP_LAZY void session_lost(request_id id, error why);
  COMCP_LAZY void authorizing(bool begins);
  COMCP_LAZY void deaf(error why);
  COMCP_LAZY [[nodiscard]] bool listens() const;
  COMCP_LAZY void closed(error reason);
  COMCP_LAZY void fault(error what);

 private:
  COMCP_LAZY void message(jsonrpc::envelope& m, request_id stream);
  COMCP_LAZY void batch(padded_text text, request_id stream);
  COMCP_LAZY bool plain_answer(padded_text text);
  COMCP_LAZY void answer(jsonrpc::envelope& m, request_id stream);
  COMCP_LAZY void reply_to(pending_entry const& e, reply&& r);
  COMCP_LAZY void notification(jsonrpc::envelope& m);
  COMCP_LAZY void progress(json::value const& params);
  COMCP_LAZY void bad(jsonrpc::envelope const& m);
  COMCP_LAZY [[nodiscard]] reply result_of(jsonrpc::envelope const& m) const;

  client_core& core_;
  inbox_of<inbound> from_transport_;
  std::vector<notification_sink> sinks_;
  std::size_t strays_in_a_row_ = 0;  // since the last good message
  std::string first_stray_;
};

}  // namespace detail
}  // namespace comcp

// client/introduction.hpp
// What a client says of itself in a handshake. Internal.

#include <memory>
#include <string>

namespace comcp::detail {

class introduction {
 public:
  /// Throws errc::invalid_argument where the handler declares what it has no member for.
  COMCP_LAZY introduction(any_handler const& handler, connect_settings const& settings, transport_info const& about);

  [[nodiscard]] client_capabilities const& capabilities() const noexcept { return capabilities_; }
  COMCP_LAZY [[nodiscard]] std::unique_ptr<wire::codec> modern(protocol_version v) const;
  /// The parameters of the legacy era's initialize.
  COMCP_LAZY [[nodiscard]] std::string initialize(protocol_version v) const;

 private:
  implementation info_;
  bool anonymous_;
  client_capabilities capabilities_;
  std::string text_;
};

}  // namespace comcp::detail

// wire/modern.hpp
// The modern era on the wire: 2026-07-28 and later. Every request carries version, client info and
// capabilities in `_meta`; results say what kind they are.

namespace comcp::wire {

class modern final : public codec {
 public:
  /// `info` is left out where it is null; `capabilities` is the JSON text of what the client declares.
  modern(protocol_version v, implementation const* info, std::string capabilities);
  [[nodiscard]] protocol_version version() const noexcept override { return version_; }
  [[nodiscard]] COMCP_DECL bool offers(method const& m) const noexcept override;
  [[nodiscard]] COMCP_DECL std::string request(std::uint64_t id, std::string_view method, std::string_view params,
                                               request_meta const& meta) const override;
  [[nodiscard]] COMCP_DECL result<result_kind> classify(method const& m, json::view result) const override;

 private:
  protocol_version version_;
  std::string standing_meta_;  // the members of `_meta` that every request carries
};

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// wire/impl/modern.ipp

namespace comcp::wire {

COMCP_DECL modern::modern(protocol_version v, implementation const* info, std::string capabilities) : version_(v) {
  standing_meta_ = R"("io.modelcontextprotocol/protocolVersion":")" + std::string(v.text()) + '"';
  if (info) standing_meta_ += R"(,"io.modelcontextprotocol/clientInfo":)" + json::to_text(*info);
  standing_meta_ += R"(,"io.modelcontextprotocol/clientCapabilities":)" + std::move(capabilities);
}

COMCP_DECL bool modern::offers(method const& m) const noexcept { return m.rules().in_modern; }

COMCP_DECL std::string modern::request(std::uint64_t id, std::string_view method, std::string_view params,
                                       request_meta const& meta) const {
  std::string extra;
  extra.reserve(standing_meta_.size() + 96);
  extra = standing_meta_;
  if (meta.level) {
    extra.append(R"(,"io.modelcontextprotocol/logLevel":")").append(enum_text(*meta.level)).append("\"");
  }
  if (meta.progress) {
    extra.append(R"(,"progressToken":)");
    jsonrpc::append_number(extra, id);
  }
  detail::append_user_meta(extra, meta);
  return detail::message_text(id, method, params, extra);
}

COMCP_DECL result<result_kind> modern::classify(method const& m, json::view result) const {
  if (!result.is_object()) return error(errc::protocol_violation, "the result is not an object");
  auto const type = result.find("resultType");
  if (!type) return result_kind::complete;
  auto const text = type->get_string().value_or("");
  if (text == "complete") return result_kind::complete;
  if (text != "input_required")
    return error(errc::protocol_violation, "unknown resultType \"" + std::string(text) + "\"");
  if (!m.rules().may_ask) return error(errc::protocol_violation, "input_required is not legal on " + m.text());
  return result_kind::input_required;
}

}  // namespace comcp::wire
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/introduction.ipp

namespace comcp::detail {

COMCP_LAZY_DECL introduction::introduction(any_handler const& handler, connect_settings const& settings,
                                           transport_info const& about)
    : info_(settings.client_info.value_or(implementation("comcp", COMCP_VERSION_STRING))),
      anonymous_(settings.anonymous) {
  handler.declare(capabilities_);
  auto const entries = [](auto const& from, capability_entries& to) {
    for (auto const& [name, value] : from) to[name] = json::parse(value.empty() ? "{}" : value.text()).value();
  };
  for (auto const& name : about.extensions) capabilities_.extensions[name] = json::parse("{}").value();
  entries(settings.experimental, capabilities_.experimental);
  entries(settings.extensions, capabilities_.extensions);
  text_ = json::to_text(capabilities_);
  // capabilities() of a handler may narrow, and add what belongs to a member; it cannot promise what nobody answers.
  auto const unanswered = [&handler](bool declared, char const* method) {
    if (declared && !handler.answers(method))
      throw exception(error(errc::invalid_argument, std::string("the handler declares what it has no member for: ") + method));
  };
  unanswered(capabilities_.sampling.has_value(), "sampling/createMessage");
  unanswered(capabilities_.roots.has_value(), "roots/list");
  unanswered(capabilities_.elicitation.has_value(), "elicitation/create");
}

COMCP_LAZY_DECL std::unique_ptr<wire::codec> introduction::modern(protocol_version v) const {
  return std::make_unique<wire::modern>(v, anonymous_ ? nullptr : &info_, text_);
}

COMCP_LAZY_DECL std::string introduction::initialize(protocol_version v) const {
  json::writer w;
  w.begin_object().plain_key("protocolVersion").string(v.text());
  w.plain_key("capabilities").raw(text_);
  w.plain_key("clientInfo");
  json::write(w, info_);
  w.end_object();
  return std::move(w).text();
}

}  // namespace comcp::detail
#endif

// client/negotiation.hpp
// A handshake under way: what is sent and waited for, as sansio/handshake decides. Until it is done the connection is
// what it was before. On home only. Internal.

#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

namespace comcp {
class client_core;

namespace detail {

class negotiation : public std::enable_shared_from_this<negotiation> {
 public:
  COMCP_LAZY explicit negotiation(client_core& core);
  negotiation(negotiation const&) = delete;
  negotiation& operator=(negotiation const&) = delete;

  /// Goes on with a saved session where there is one, else asks. What it found is the core's when it is done.
  COMCP_LAZY asio::awaitable<result<void>> run(std::optional<saved_session> saved, std::chrono::nanoseconds timeout);
  COMCP_LAZY void closed(error const& reason);
  [[nodiscard]] bool is_over() const noexcept { return outcome_.has_value(); }
  [[nodiscard]] bool has_resumed() const noexcept { return resumed_; }
  [[nodiscard]] bool from_prior() const noexcept { return machine_.from_prior(); }
  /// Whether what it asked last was asked in the modern era's way.
  [[nodiscard]] bool asks_modern() const noexcept { return codec_ && codec_->is_modern(); }

 private:
  COMCP_LAZY void take(sansio::handshake_step const& step);
  COMCP_LAZY void probe(protocol_version v);
  COMCP_LAZY void probed(reply const& r);
  COMCP_LAZY void initialize(protocol_version v);
  COMCP_LAZY void initialized(reply const& r);
  COMCP_LAZY void send(prepared_call& c, pending_entry& e);
  COMCP_LAZY asio::awaitable<void> reopen();
  COMCP_LAZY void resume(saved_session const& saved);
  COMCP_LAZY void commit();
  COMCP_LAZY void settle(error why);
  COMCP_LAZY void drop_all() noexcept;
  /// Calls the member with what it ends with, while this lives.
  COMCP_LAZY [[nodiscard]] std::function<void(reply)> then(void (negotiation::*next)(reply const&));

  client_core& core_;
  sansio::handshake machine_;
  prepared_call probe_{"server/discover", {}, {}};
  prepared_call init_{"initialize", {}, {}};
  pending_entry probe_entry_, initialize_entry_, probe_timer_, done_;
  std::optional<result<void>> outcome_;
  bool resumed_ = false;

  // What it found.
  std::unique_ptr<wire::codec> codec_;
  std::optional<discover_result> discovered_;
  std::optional<initialize_result> agreed_;
  json::value initialize_result_;  // the same, as it came
};

}  // namespace detail
}  // namespace comcp

// client/outbound.hpp
// What is sent: requests as the codec writes them, notifications and answers; with labels over HTTP, and traced. It never
// waits. On home only. Internal.

#include <string>
#include <string_view>

namespace comcp {
class client_core;

namespace detail {

class outbound {
 public:
  explicit outbound(client_core& core) noexcept : core_(core) {}

  COMCP_LAZY result<void> transmit(pending_entry& e);
  COMCP_LAZY result<void> transmit(pending_entry& e, wire::codec const& codec);
  /// The caller of this one is gone: the server is told, if it has to be. Without a reason, the caller's own holds.
  COMCP_LAZY void cancel(request_id id, pending_entry const& e, std::string_view why);
  COMCP_LAZY void notify(std::string_view method, std::string_view params, wire::request_meta const& meta = {});
  /// An answer, for instance.
  COMCP_LAZY void send_text(std::string text);

 private:
  COMCP_LAZY void send(outgoing message);

  client_core& core_;
};

}  // namespace detail
}  // namespace comcp

// client/pipeline.hpp
// The way of a call out and of its answer back: steps that a program asked for, in a fixed order, and the exchange with
// the server at its end. A step that is not used is not there. Internal.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp::detail {

class exchange;
class pipeline;

/// How a call is carried out from here on: the steps that follow, and what stands at the end of them.
class performer {
 public:
  using function = std::function<asio::awaitable<reply>(prepared_call&)>;

  performer(pipeline const& way, std::size_t next, std::shared_ptr<function const> end) noexcept
      : way_(way), next_(next), end_(std::move(end)) {}
  COMCP_LAZY asio::awaitable<reply> operator()(prepared_call& c) const;
  /// The same without a coroutine where only the exchange is left: `plain` then, and what is awaited is its one round trip,
  /// which waits in `e`; exchange::needs_settling() says whether that is the end of it.
  COMCP_LAZY asio::awaitable<reply> begin(prepared_call& c, pending_entry& e, bool& plain) const;

 private:
  pipeline const& way_;
  std::size_t next_;
  std::shared_ptr<function const> end_;
};

/// What has a say in calls, as step_of makes it of a type. On home only.
class call_step {
 public:
  virtual ~call_step() = default;
  [[nodiscard]] virtual bool concerns(std::string_view method) const noexcept = 0;
  /// The call's outcome, wherever it comes from.
  virtual asio::awaitable<reply> perform(prepared_call& c, performer next) = 0;

  // A type need not have these.

  /// Before anybody else hears of it.
  virtual void notified(std::string_view method, json::value const& params) = 0;
  /// There is a new connection, or a new session; after a restart another process is the server.
  virtual void connected(bool restarted) = 0;
  /// Whether it has to hear of changes of this list.
  [[nodiscard]] virtual bool wants(std::string_view list) const = 0;
  /// Taken before a tools/list is sent, for learn().
  [[nodiscard]] virtual std::uint64_t moment() const noexcept = 0;
  /// One page of its result. What changed since counts for nothing.
  virtual void learn(json::view page, std::uint64_t asked) = 0;
};

/// A step of a type that need not be derived: what of it is virtual is said here, so that it is compiled by who uses
/// it.
template <class Step>
class step_of final : public call_step {
 public:
  template <class... A>
  explicit step_of(A&&... a) : step_(std::forward<A>(a)...) {}

  [[nodiscard]] bool concerns(std::string_view method) const noexcept override { return step_.concerns(method); }
  asio::awaitable<reply> perform(prepared_call& c, performer next) override {
    return step_.perform(c, std::move(next));
  }
  void notified(std::string_view method, json::value const& params) override {
    if constexpr (requires { step_.notified(method, params); }) step_.notified(method, params);
  }
  void connected(bool restarted) override {
    if constexpr (requires { step_.connected(restarted); }) step_.connected(restarted);
  }
  [[nodiscard]] bool wants(std::string_view list) const override {
    if constexpr (requires { step_.wants(list); }) return step_.wants(list);
    return false;
  }
  [[nodiscard]] std::uint64_t moment() const noexcept override {
    if constexpr (requires { step_.moment(); }) return step_.moment();
    return 0;
  }
  void learn(json::view page, std::uint64_t asked) override {
    if constexpr (requires { step_.learn(page, asked); }) step_.learn(page, asked);
  }

 private:
  Step step_;
};

/// The way of a call that ends before it.
COMCP_LAZY asio::awaitable<reply> ended(error why);

class pipeline {
 public:
  explicit pipeline(exchange& end) noexcept : end_(end) {}

  /// In the order in which calls go through them; those that are null are left out.
  COMCP_LAZY void add(std::unique_ptr<call_step> step);
  /// True where only the exchange is left of it.
  COMCP_LAZY [[nodiscard]] bool is_plain(std::string_view method, std::size_t from = 0) const noexcept;
  /// Steps, and then the exchange with the server or what stands for it.
  COMCP_LAZY asio::awaitable<reply> run(prepared_call& c, performer::function instead = {}) const;
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);
  [[nodiscard]] std::vector<std::unique_ptr<call_step>> const& steps() const noexcept { return steps_; }

 private:
  friend class performer;

  exchange& end_;
  std::vector<std::unique_ptr<call_step>> steps_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/pipeline.ipp

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<reply> ended(error why) { co_return why; }

COMCP_LAZY_DECL void pipeline::add(std::unique_ptr<call_step> step) {
  if (step) steps_.push_back(std::move(step));
}

COMCP_LAZY_DECL bool pipeline::is_plain(std::string_view method, std::size_t from) const noexcept {
  for (; from < steps_.size(); ++from) {
    if (steps_[from]->concerns(method)) return false;
  }
  return true;
}

COMCP_LAZY_DECL asio::awaitable<reply> performer::operator()(prepared_call& c) const {
  auto const& steps = way_.steps();
  auto at = next_;
  while (at < steps.size() && !steps[at]->concerns(c.method)) ++at;
  if (at < steps.size()) return steps[at]->perform(c, performer(way_, at + 1, end_));
  return end_ ? (*end_)(c) : way_.end_.perform(c);
}

COMCP_LAZY_DECL asio::awaitable<reply> performer::begin(prepared_call& c, pending_entry& e, bool& plain) const {
  plain = !end_ && way_.is_plain(c.method, next_);
  return plain ? way_.end_.begin(c, e) : (*this)(c);
}

COMCP_LAZY_DECL asio::awaitable<reply> pipeline::run(prepared_call& c, performer::function instead) const {
  std::shared_ptr<performer::function const> end;
  if (instead) end = std::make_shared<performer::function const>(std::move(instead));
  return performer(*this, 0, std::move(end))(c);
}

COMCP_LAZY_DECL bool pipeline::notified(std::string const& method, json::value const& params) {
  for (auto const& step : steps_) step->notified(method, params);
  return false;
}

}  // namespace comcp::detail
#endif

// client/recovery.hpp
// What follows a loss: a restart, where there may be one, or a new handshake on the connection as it is, for a lost
// session or an era in doubt; and who waits for that. On home only. Internal.

#include <memory>
#include <optional>
#include <vector>

#include <asio/awaitable.hpp>

// client/era_memory.hpp
// What is remembered of a server's era from one handshake to the next, here and in a shared era_cache. Internal.

#include <optional>
#include <string>
#include <utility>

namespace comcp::detail {

class era_memory {
 public:
  /// What it finds is the settings' prior verdict.
  era_memory(connect_settings& settings, channel const& about) noexcept : settings_(settings), channel_(about) {}

  void recall() {
    if (settings_.eras && !prior()) prior() = settings_.eras->find(key());
  }
  void remember(era_verdict learned) {
    if (!settings_.eras) return;
    learned.authorization = channel_.info().identity;
    settings_.eras->store(key(), std::move(learned));
  }
  void forget() {
    prior().reset();
    if (settings_.eras) settings_.eras->forget(key());
  }
  /// The verdict that the next handshake begins with. Returns the one before.
  std::optional<era_verdict> exchange(std::optional<era_verdict> v) { return std::exchange(prior(), std::move(v)); }

 private:
  std::optional<era_verdict>& prior() noexcept { return settings_.handshake.prior; }
  [[nodiscard]] std::string key() const {
    auto const info = channel_.info();
    return info.origin.empty() ? info.kind + ' ' + info.target : info.origin + ' ' + info.identity;
  }

  connect_settings& settings_;
  channel const& channel_;
};

}  // namespace comcp::detail

namespace comcp {
class client_core;

namespace detail {
class recovery {
 public:
  recovery(client_core& core, connection& c, connect_settings& settings) noexcept
      : core_(core), connection_(c), eras_(settings, c.channel()) {}

  /// The connection is lost: it is begun again, or it is over.
  COMCP_LAZY void lost(error why);
  /// The same while it is being restored.
  void lost_again(error why) { lost_again_ = std::move(why); }
  [[nodiscard]] error const& lost_again() const noexcept { return lost_again_; }
  /// An unusable peer: ends the connection where another may follow, else the client.
  COMCP_LAZY void break_off(error reason);
  /// Begins connections anew; there from the start where a policy asks for that.
  COMCP_LAZY restarts_link& restarts(restarts_maker make);

  /// The server refused the message unread, so that it may go out again in the new session; a second time it may not.
  COMCP_LAZY void session_lost(request_id id, error why);
  /// Where the era is in doubt, the server is asked, once for all calls; they wait with settled().
  COMCP_LAZY void check_era();
  /// Whether the era comes from a saved verdict that nothing has shown to hold.
  [[nodiscard]] bool doubts_era() const noexcept { return prior_unconfirmed_; }
  /// It is overtaken by a new connection.
  void forget_renewal() noexcept { renewal_due_ = false; }
  void doubt_era(bool yes) noexcept { prior_unconfirmed_ = yes; }
  /// An answer came, of a call and not of a handshake alone: the connection works, and the verdict holds.
  COMCP_LAZY void answered(pending_entry const& e) noexcept;

  [[nodiscard]] era_memory& eras() noexcept { return eras_; }

  /// A call that begins: true when it waits for the connection to be sent.
  COMCP_LAZY bool defers(pending_entry const& e);
  /// Calls that begin wait until it is known what the server is.
  COMCP_LAZY [[nodiscard]] bool is_unsettled() const noexcept;
  /// Waits for that, as long as the call may.
  COMCP_LAZY asio::awaitable<error> settled(prepared_call const& c);
  /// What waited for a connection goes on.
  COMCP_LAZY void restored();

 private:
  COMCP_LAZY void renew();
  COMCP_LAZY void begin_renegotiation(std::optional<era_verdict> known);
  COMCP_LAZY asio::awaitable<void> renegotiate(std::optional<era_verdict> known);
  COMCP_LAZY void kept(error const& why);

  client_core& core_;
  connection& connection_;
  era_memory eras_;
  std::vector<request_id> deferred_;   // calls that wait for a connection to be sent
  std::vector<request_id> unsettled_;  // what waits for one otherwise
  std::unique_ptr<restarts_link> restarts_;
  error lost_again_;
  unsigned renewals_in_a_row_ = 0;
  bool renewal_due_ = false;        // the session is lost, and the last try to renew it failed
  bool prior_unconfirmed_ = false;
};

}  // namespace detail
}  // namespace comcp

// client/server_facts.hpp
// What a connection knows of its server: what a handshake found, and what its answers and lists said since. Internal.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// wire/http_headers.hpp
// What the modern era mirrors from a message into the headers of its POST, and how values are written there. The
// rest of the request, and what to do with a tool whose definition is refused, is for others.
// Specification: 2026-07-28, basic/transports/streamable-http#request-metadata

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp::wire {

using header_list = std::vector<std::pair<std::string, std::string>>;

/// `text` as a header value: as it is where that is safe, else `=?base64?...?=`.
/// Specification: #value-encoding
[[nodiscard]] std::string header_value(std::string_view text);

/// MCP-Protocol-Version, Mcp-Method and, for tools/call, prompts/get and resources/read, Mcp-Name: the tool, the
/// prompt or the uri. Errors: invalid_argument (a method that no header can carry: it has no encoded form; one of
/// those three without a name).
/// Specification: #protocol-version-header, #standard-request-headers
[[nodiscard]] result<header_list> request_headers(protocol_version version, method const& m,
                                                  std::optional<std::string> const& name);

/// What a request is about, as its params (an object's text) say it: the `name` of tools/call and prompts/get, the `uri`
/// of resources/read, subscribe and unsubscribe. Nothing for other methods, and where that member is not there once, as
/// a string.
[[nodiscard]] std::optional<std::string> name_in(method const& m, padded_text params);
[[nodiscard]] std::optional<std::string> name_in(method const& m, std::string params);

/// One argument that a tool wants mirrored.
class param_header {
 public:
  param_header() = default;
  param_header(std::string header, std::vector<std::string> argument)
      : name(std::move(header)), path(std::move(argument)) {}

  std::string name;               ///< With its prefix: `Mcp-Param-Region`.
  std::vector<std::string> path;  ///< Keys that lead to the argument.
};

/// The `x-mcp-header` annotations of a tool's inputSchema, none for most tools. Errors: protocol_violation, with the
/// place and the reason: over HTTP the tool must be set aside.
/// Specification: #schema-extension
[[nodiscard]] result<std::vector<param_header>> find_param_headers(json::view input_schema);

/// The headers that mirror these arguments of a call. What is absent or null has none; an empty string has an empty
/// one. Errors: invalid_argument (an integer beyond 2^53 - 1, a fraction, an array or an object in such a place).
/// Specification: #custom-headers-from-tool-parameters
[[nodiscard]] result<header_list> param_headers(std::vector<param_header> const& wanted, json::view arguments);

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// wire/impl/http_headers.ipp
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>

namespace comcp::wire {
namespace detail {

inline constexpr std::string_view param_annotation = "x-mcp-header";
inline constexpr std::string_view param_prefix = "Mcp-Param-";
inline constexpr std::int64_t largest_safe_integer = (std::int64_t{1} << 53) - 1;

// RFC 9110 section 5.6.2. Not isalnum: it asks the locale.
COMCP_DECL bool is_token(std::string_view text) noexcept {
  return !text.empty() && text.find_first_not_of("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

// A tab is a control character to some peers and may be rewritten on the way: it counts as unsafe everywhere.
COMCP_DECL bool is_plain(std::string_view text) noexcept {
  if (text.starts_with(' ') || text.ends_with(' ')) return false;
  if (text.starts_with("=?base64?") && text.ends_with("?=")) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

COMCP_DECL std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Keywords whose value is a schema or an array of them, and those whose value maps names to schemas. Other keywords
// hold data (`const`, `default`, `enum`, ...), where the annotation's name means nothing.
inline constexpr std::array<std::string_view, 16> keywords_of_schemas = {
    "items", "prefixItems", "additionalItems", "contains", "unevaluatedItems", "additionalProperties",
    "unevaluatedProperties", "propertyNames", "contentSchema", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"};
inline constexpr std::array<std::string_view, 5> keywords_of_named_schemas = {
    "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"};

class param_finder {
 public:
  explicit param_finder(json::view root) : root_(root) {}

  result<std::vector<param_header>> run() {
    visit(root_, true);
    if (fault_) return *fault_;
    return std::move(found_);
  }

 private:
  // `reachable`: only `properties` led here from the root.
  void visit(json::view schema, bool reachable) {
    if (fault_) return;
    if (auto const name = schema.find(param_annotation)) annotated(schema, *name, reachable);
    for (auto const [keyword, value] : schema.members()) {
      if (keyword == "properties") {
        properties(value, reachable);
      } else if (is_one_of(keyword, keywords_of_schemas)) {
        visit(value, false);
        for (auto const branch : value.elements()) visit(branch, false);
      } else if (is_one_of(keyword, keywords_of_named_schemas)) {
        for (auto const branch : value.members()) visit(branch.value, false);
      }
    }
  }

  void properties(json::view named, bool reachable) {
    for (auto const [name, schema] : named.members()) {
      path_.emplace_back(name);
      visit(schema, reachable);
      path_.pop_back();
    }
  }

  void annotated(json::view schema, json::view annotation, bool reachable) {
    auto const name = annotation.get_string();
    auto const type = schema.find("type");
    auto const type_name = type ? type->get_string() : std::nullopt;
    if (!reachable || path_.empty()) {
      refuse(schema, "it is no property that a chain of `properties` alone leads to");
    } else if (!name || !is_token(*name)) {
      refuse(schema, "its value is no header name");
    } else if (type_name != "string" && type_name != "integer" && type_name != "boolean") {
      refuse(schema, "the type is not string, integer or boolean");
    } else if (weight_ += weight(*name); weight_ > most) {
      refuse(schema, "the headers and the paths to them are too long");
    } else if (!names_.insert(lower(*name)).second) {
      refuse(schema, "another property has the header " + std::string(*name));
    } else {
      found_.emplace_back(std::string(param_prefix).append(*name), path_);
    }
  }

  void refuse(json::view schema, std::string const& why) {
    fault_ = error(errc::protocol_violation, "x-mcp-header of inputSchema" + schema.path(root_) + ": " + why);
  }

  static bool is_one_of(std::string_view keyword, std::span<std::string_view const> list) noexcept {
    return std::find(list.begin(), list.end(), keyword) != list.end();
  }

  // Each header has the keys that lead to it, which may be long and shared by many.
  [[nodiscard]] std::size_t weight(std::string_view name) const noexcept {
    auto sum = name.size();
    for (auto const& key : path_) sum += key.size() + sizeof key;
    return sum;
  }
  static constexpr std::size_t most = 64 * 1024;

  json::view root_;
  std::size_t weight_ = 0;
  std::vector<std::string> path_;
  std::set<std::string> names_;
  std::vector<param_header> found_;
  std::optional<error> fault_;
};

struct named_member final : json::member_sink {
  explicit named_member(std::string_view k) : key(k) {}
  inline bool on_member(std::string_view found, std::string_view text) override {
    if (found != key) return true;
    raw = text;
    return ++times == 1;  // readers differ about which of two counts
  }
  std::string_view key;
  std::string raw;
  int times = 0;
};

// Null where nothing is there.
COMCP_DECL json::view argument_at(json::view arguments, std::vector<std::string> const& path) noexcept {
  for (auto const& key : path) {
    auto const next = arguments.find(key);
    if (!next) return {};
    arguments = *next;
  }
  return arguments;
}

// The text that stands for a value; nothing for one that has none.
COMCP_DECL std::optional<std::string> header_text(json::view value) {
  if (auto const text = value.get_string()) return std::string(*text);
  if (auto const flag = value.get_bool()) return *flag ? "true" : "false";
  auto const number = value.get_int64();
  if (!number || *number > largest_safe_integer || *number < -largest_safe_integer) return {};
  return std::to_string(*number);
}

}  // namespace detail

COMCP_DECL std::string header_value(std::string_view text) {
  if (detail::is_plain(text)) return std::string(text);
  return "=?base64?" + to_base64(std::as_bytes(std::span(text))) + "?=";
}

COMCP_DECL result<header_list> request_headers(protocol_version version, method const& m,
                                               std::optional<std::string> const& name) {
  if (m.name().empty() || !detail::is_plain(m)) {
    return error(errc::invalid_argument, "the method cannot be carried by the header Mcp-Method");
  }
  header_list out;
  out.emplace_back("MCP-Protocol-Version", version.text());
  out.emplace_back("Mcp-Method", m.name());
  if (m.rules().is_mirrored) {
    if (!name) return error(errc::invalid_argument, "the params of " + m.text() + " name nothing: Mcp-Name has no value");
    out.emplace_back("Mcp-Name", header_value(*name));
  }
  return out;
}

COMCP_DECL std::optional<std::string> name_in(method const& m, std::string params) { return name_in(m, pad(params)); }

COMCP_DECL std::optional<std::string> name_in(method const& m, padded_text params) {
  if (!m.rules().subject || params.size() == 0) return {};
  detail::named_member wanted(m.rules().subject);
  auto const scanned = json::scan_object(params, wanted);
  if (!scanned || wanted.times != 1) return {};
  auto const name = json::unescape(wanted.raw);
  return name ? std::optional(*name) : std::nullopt;
}

COMCP_DECL result<std::vector<param_header>> find_param_headers(json::view input_schema) {
  return detail::param_finder(input_schema).run();
}

COMCP_DECL result<header_list> param_headers(std::vector<param_header> const& wanted, json::view arguments) {
  header_list out;
  for (auto const& header : wanted) {
    auto const value = detail::argument_at(arguments, header.path);
    if (value.is_null()) continue;
    auto const text = detail::header_text(value);
    if (!text) {
      return error(errc::invalid_argument, "the argument " + value.path(arguments) + " of the header " + header.name +
                                               " is no string, boolean or integer within 2^53 - 1");
    }
    out.emplace_back(header.name, header_value(*text));
  }
  return out;
}

}  // namespace comcp::wire
#endif

namespace comcp::detail {

/// What the definitions that were listed last ask of calls.
class listed_tools {
 public:
  COMCP_LAZY void learn_tasks(list_tools_result const& page, std::size_t most);
  /// Takes out those whose definition cannot be mirrored into headers, and learns how the others are.
  COMCP_LAZY void learn_headers(list_tools_result& page);
  COMCP_LAZY [[nodiscard]] bool wants_task(prepared_call const& c) const;
  /// Specification: 2026-07-28, basic/transports/streamable-http#custom-headers-from-tool-parameters
  COMCP_LAZY [[nodiscard]] result<wire::header_list> mirrored(prepared_call const& c, std::string const& tool) const;

 private:
  std::map<std::string, std::vector<wire::param_header>, std::less<>> headers_;  // by tool, where it wants any
  std::set<std::string, std::less<>> tasks_;  // tools that can be called as tasks alone
};

struct server_facts : server_profile {
  [[nodiscard]] bool is_modern() const noexcept { return codec && codec->is_modern(); }
  COMCP_LAZY [[nodiscard]] std::optional<protocol_version> version() const noexcept;
  /// Of a modern server that was not asked what it can do, from a saved verdict for instance.
  [[nodiscard]] bool is_undiscovered() const noexcept { return is_modern() && !discovered; }
  /// Without the context of authorization.
  COMCP_LAZY [[nodiscard]] era_verdict verdict() const;
  /// Why it cannot be sent this: what the version has not, and (where that is looked at) the server did not declare.
  COMCP_LAZY [[nodiscard]] error refuses(prepared_call const& c, bool check_capabilities) const;
  COMCP_LAZY [[nodiscard]] error refuses_subscriptions() const;
  /// Of each page of its tools; those whose definition cannot be mirrored into headers are taken out of it.
  COMCP_LAZY void learn(list_tools_result& page, std::size_t most, bool over_http);
  /// A modern server may name itself in any result; true for the first that does.
  COMCP_LAZY bool learn_name(json::value const& result);

  std::unique_ptr<wire::codec> codec;  // null until the first handshake is done
  std::optional<discover_result> discovered;
  std::chrono::system_clock::time_point era_learned{};  // with a prior verdict, its date
  json::value initialize_result;                        // as it came
  listed_tools tools;

 private:
  COMCP_LAZY [[nodiscard]] bool needs_task(prepared_call const& c) const;
};

/// The labels of an HTTP request, for a message that no answer follows, or for this call.
COMCP_LAZY void label(outgoing& message, server_facts const& server);
COMCP_LAZY result<void> label(outgoing& message, pending_entry const& e, wire::codec const& codec,
                              listed_tools const& tools);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/server_facts.ipp

namespace comcp::detail {

COMCP_LAZY_DECL std::optional<protocol_version> server_facts::version() const noexcept {
  if (!codec) return {};
  return codec->version();
}

COMCP_LAZY_DECL era_verdict server_facts::verdict() const {
  era_verdict v;
  v.date = era_learned;
  if (!is_modern()) return v;
  v.era = era::modern;
  v.discovered = discovered;
  if (!discovered) v.versions.push_back(codec->version());
  else
    for (auto const& text : discovered->supported_versions) {
      if (auto const known = protocol_version::parse(text)) v.versions.push_back(*known);
    }
  return v;
}

COMCP_LAZY_DECL error server_facts::refuses(prepared_call const& c, bool check_capabilities) const {
  if (!codec->offers(c.method))
    return {errc::not_in_protocol, c.method.text() + " does not exist in " + std::string(codec->version().text())};
  if (!check_capabilities) return {};
  if (needs_task(c)) {
    return {errc::capability_missing,
            "the tool " + wire::name_in(c.method, c.params).value_or("") + " can only be called as a task (its execution.taskSupport is \"required\"), which comcp has not yet"};
  }
  auto const& rules = c.method.rules();
  if (!rules.missing || codec->version() < rules.declared_since) return {};
  if (is_undiscovered() && !rules.wants_sight) return {};
  auto const* const missing = rules.missing(capabilities);
  if (!missing) return {};
  return {errc::capability_missing, std::string("the server did not declare ") + missing + ", which " + c.method.text() + " needs"};
}

COMCP_LAZY_DECL error server_facts::refuses_subscriptions() const {
  if (is_undiscovered() || capabilities.supports_subscribe()) return {};
  return {errc::capability_missing, "the server did not declare resources.subscribe"};
}

// Specification: 2025-11-25, basic/utilities/tasks#tool-level-negotiation
COMCP_LAZY_DECL bool server_facts::needs_task(prepared_call const& c) const {
  if (!c.method.is(wire::methods::call_tool) || is_modern() || !tools.wants_task(c)) return false;
  if (!capabilities.tasks || !capabilities.tasks->supports("tools", "call")) return false;
  auto const params = json::parse(c.params);
  return params && !params->contains("task");
}

COMCP_LAZY_DECL void server_facts::learn(list_tools_result& page, std::size_t most, bool over_http) {
  tools.learn_tasks(page, most);
  if (over_http && is_modern()) tools.learn_headers(page);
}

COMCP_LAZY_DECL bool server_facts::learn_name(json::value const& result) {
  if (!info.name.empty()) return false;
  auto const meta = result.view().find("_meta");
  auto named = meta ? server_info_of(*meta) : std::nullopt;
  if (!named) return false;
  info = std::move(*named);
  return true;
}

COMCP_LAZY_DECL bool listed_tools::wants_task(prepared_call const& c) const {
  auto const given = c.options.needs_task();
  if (!given.value_or(!tasks_.empty())) return false;
  return given || tasks_.contains(wire::name_in(c.method, c.params).value_or(""));
}

COMCP_LAZY_DECL void listed_tools::learn_tasks(list_tools_result const& page, std::size_t most) {
  for (auto const& t : page.tools) {
    bool const wanted = t.execution && t.execution->task_support == "required";
    if (!wanted) tasks_.erase(t.name);
    else if (tasks_.size() < most) tasks_.insert(t.name);
  }
}

COMCP_LAZY_DECL void listed_tools::learn_headers(list_tools_result& page) {
  auto const unusable = [this, &page](tool const& t) {
    auto wanted = wire::find_param_headers(t.input_schema.view());
    if (!wanted) {
      comcp::set_aside broken;
      broken.raw = t.raw;
      broken.reason = "the tool " + t.name + ": " + std::string(wanted.error().message());
      page.set_aside.push_back(std::move(broken));
      headers_.erase(t.name);
      return true;
    }
    if (wanted->empty()) {
      headers_.erase(t.name);
    } else {
      headers_.insert_or_assign(t.name, std::move(*wanted));
    }
    return false;
  };
  std::erase_if(page.tools, unusable);
}

COMCP_LAZY_DECL result<wire::header_list> listed_tools::mirrored(prepared_call const& c,
                                                                 std::string const& tool) const {
  std::vector<wire::param_header> given;
  auto const* wanted = &given;
  if (!c.options.input_schema().is_null()) {
    auto found = wire::find_param_headers(c.options.input_schema().view());
    if (!found) return found.error().with_code(make_error_code(errc::invalid_argument));
    given = std::move(*found);
  } else {
    auto const known = headers_.find(tool);
    if (known == headers_.end()) return wire::header_list();
    wanted = &known->second;
  }
  if (wanted->empty()) return wire::header_list();
  auto text = c.params;
  auto const params = json::parse(pad(text));
  if (!params) return params.error();
  auto const arguments = params->view().find("arguments");
  return wire::param_headers(*wanted, arguments.value_or(json::view()));
}

COMCP_LAZY_DECL void label(outgoing& message, server_facts const& server) {
  message.stateless = server.is_modern();
  if (!server.codec) return;
  auto const version = server.codec->version();
  message.headers.emplace_back("MCP-Protocol-Version", version.text());
  if (message.method.empty()) return;
  message.established = !message.stateless && message.method == "notifications/initialized";
  if (!message.stateless) return;
  if (auto mirrors = wire::request_headers(version, message.method, std::nullopt)) message.headers = std::move(*mirrors);
}

COMCP_LAZY_DECL result<void> label(outgoing& message, pending_entry const& e, wire::codec const& codec,
                                   listed_tools const& tools) {
  auto const& c = *e.call;
  message.repeatable = c.repeatable || c.options.is_idempotent() || e.handshake;
  message.stateless = codec.is_modern();
  if (!message.stateless) {
    if (!e.handshake) message.headers.emplace_back("MCP-Protocol-Version", codec.version().text());
    return {};
  }
  auto const name = wire::name_in(c.method, c.params);  // of what goes out, whoever wrote it
  auto mirrors = wire::request_headers(codec.version(), c.method, name);
  if (!mirrors) return mirrors.error();
  message.headers = std::move(*mirrors);
  if (!c.method.is(wire::methods::call_tool)) return {};
  auto arguments = tools.mirrored(c, *name);
  if (!arguments) return arguments.error();
  for (auto& header : *arguments) message.headers.push_back(std::move(header));
  return {};
}

}  // namespace comcp::detail
#endif

// client/subscriptions.hpp
// What a core knows of subscriptions: who sees to them is made when a program asks for the first one, so that others do
// not compile it. On home only. Internal.

#include <memory>
#include <string>

namespace comcp {
class client_core;

namespace detail {

class subscriptions {
 public:
  explicit subscriptions(client_core& core) noexcept : core_(core) {}

  /// Who sees to them; `make` may be null where that is known to be there.
  COMCP_LAZY subscriptions_link& hub(subscriptions_maker make);
  /// Legacy era: why what the server says unasked does not come, if it does not.
  [[nodiscard]] error const& deafness() const noexcept { return deaf_; }

  COMCP_LAZY void connected();
  COMCP_LAZY void ended(error const& reason);
  COMCP_LAZY void shut_down() noexcept;
  // For inbound.
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);
  COMCP_LAZY void deaf(error const& why);
  COMCP_LAZY [[nodiscard]] bool is_awaited() const;

 private:
  client_core& core_;
  std::unique_ptr<subscriptions_link> hub_;
  error deaf_;
};

}  // namespace detail
}  // namespace comcp

// client/tenant.hpp
// What of comcp lives on an execution context, so that its coroutines are destroyed with that context instead of
// keeping each other alive, and nothing of it reaches for the context afterwards. Internal.

#include <functional>
#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>

namespace comcp::detail {

/// What lives on an execution context and may be held longer than that is there.
class tenant {
 public:
  tenant(tenant const&) = delete;
  tenant& operator=(tenant const&) = delete;

 protected:
  COMCP_LAZY explicit tenant(asio::any_io_executor home);
  ~tenant();

  /// On home, as soon as may be; here and now where home runs nothing any more, and not at all once it is gone.
  COMCP_LAZY void at_home(std::function<void()> end) const;

  asio::any_io_executor home_;  // empty once its context is gone

 private:
  friend class core_registry;
  [[nodiscard]] virtual std::shared_ptr<void> itself() noexcept = 0;
  /// The context goes away: lets go of all executors, timers and suspended coroutines that it has of it.
  virtual void context_gone() noexcept = 0;
};

/// A tenant that is a T, held by shared_ptr, with `lose_context()`: what of it is virtual is said here, so that a T is
/// compiled by who makes one. T befriends it.
template <class T>
class tenant_of : public tenant {
 protected:
  using tenant::tenant;

 private:
  [[nodiscard]] std::shared_ptr<void> itself() noexcept override {
    return static_cast<T&>(*this).weak_from_this().lock();
  }
  void context_gone() noexcept override { static_cast<T&>(*this).lose_context(); }
};

/// For a facade: when it goes away, its core is abandoned.
template <class Core>
std::shared_ptr<void> abandoned_at_end(std::shared_ptr<Core> core) {
  return std::shared_ptr<void>(nullptr, [core = std::move(core)](void*) { core->abandon(); });
}

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/core_registry.hpp
// Knows the tenants of an execution context, and tells them when it goes away. Internal.

#include <algorithm>
#include <memory>
#include <mutex>
#include <typeinfo>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution_context.hpp>
#include <asio/query.hpp>

namespace comcp::detail {

/// The executor inside, if it is an E. Asio 1.22's target() does not look.
template <class E>
E const* executor_as(asio::any_io_executor const& ex) noexcept {
  return ex.target_type() == typeid(E) ? ex.target<E>() : nullptr;
}

class core_registry final : public asio::execution_context::service {
 public:
  using key_type = core_registry;
  static inline asio::execution_context::id id;

  explicit core_registry(asio::execution_context& context) : service(context) {}

  static core_registry& of(asio::any_io_executor const& ex) {
    return asio::use_service<core_registry>(asio::query(ex, asio::execution::context));
  }

  void add(tenant* t) {
    std::lock_guard const lock(mutex_);
    tenants_.push_back(t);
  }
  void remove(tenant* t) noexcept {
    std::lock_guard const lock(mutex_);
    std::erase(tenants_, t);
  }

 private:
  void shutdown() noexcept override {
    while (auto const held = take()) {
      held.who->context_gone();
      held.who->home_ = {};
    }
  }

  struct taken {
    tenant* who = nullptr;
    std::shared_ptr<void> alive;
    explicit operator bool() const noexcept { return alive != nullptr; }
  };
  taken take() noexcept {
    std::lock_guard const lock(mutex_);
    while (!tenants_.empty()) {
      auto* const t = tenants_.back();
      tenants_.pop_back();
      if (auto alive = t->itself()) return {t, std::move(alive)};
    }
    return {};
  }

  std::mutex mutex_;
  std::vector<tenant*> tenants_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/tenant.ipp
#include <asio/dispatch.hpp>
#include <asio/io_context.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL tenant::tenant(asio::any_io_executor home) : home_(std::move(home)) {
  core_registry::of(home_).add(this);
}

COMCP_DECL tenant::~tenant() {
  if (home_) core_registry::of(home_).remove(this);
}

COMCP_LAZY_DECL void tenant::at_home(std::function<void()> end) const {
  if (!home_) return;
  auto const* const context = executor_as<asio::io_context::executor_type>(home_);
  if (context && asio::query(*context, asio::execution::context).stopped()) return end();
  auto const home = home_;  // `end` may hold the last reference to this
  asio::dispatch(home, std::move(end));
}

}  // namespace comcp::detail
#endif
#endif

// wire/legacy.hpp
// The legacy era on the wire: 2024-11-05 to 2025-11-25. A handshake has settled version and capabilities, so
// requests carry nothing but what the caller wants.

namespace comcp::wire {

class legacy final : public codec {
 public:
  explicit legacy(protocol_version v) noexcept : version_(v) {}
  [[nodiscard]] protocol_version version() const noexcept override { return version_; }
  [[nodiscard]] COMCP_DECL bool offers(method const& m) const noexcept override;
  [[nodiscard]] COMCP_DECL std::string request(std::uint64_t id, std::string_view method, std::string_view params,
                                               request_meta const& meta) const override;
  [[nodiscard]] COMCP_DECL result<result_kind> classify(method const& m, json::view result) const override;
  /// Batches exist in 2025-03-26 alone.
  [[nodiscard]] bool has_batches() const noexcept { return version_ == version::v2025_03_26; }

 private:
  protocol_version version_;
};

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// wire/impl/legacy.ipp

namespace comcp::wire {

COMCP_DECL bool legacy::offers(method const& m) const noexcept {
  return m.rules().in_legacy && version_ >= m.rules().since;
}

COMCP_DECL std::string legacy::request(std::uint64_t id, std::string_view method, std::string_view params,
                                       request_meta const& meta) const {
  std::string extra;
  if (meta.progress) {
    extra = R"("progressToken":)";
    jsonrpc::append_number(extra, id);
  }
  detail::append_user_meta(extra, meta);
  return detail::message_text(id, method, params, extra);
}

COMCP_DECL result<result_kind> legacy::classify(method const&, json::view result) const {
  if (!result.is_object()) return error(errc::protocol_violation, "the result is not an object");
  return result_kind::complete;
}

}  // namespace comcp::wire
#endif

namespace comcp {

namespace detail {

/// What its context and its calls ask of a core: that it is virtual is said here alone, so that the core itself is
/// compiled where a client connects.
template <class Core>
class core_hooks : protected tenant, protected calls::owner {
 protected:
  using tenant::tenant;

 private:
  [[nodiscard]] Core& core() noexcept { return static_cast<Core&>(*this); }
  [[nodiscard]] std::shared_ptr<void> itself() noexcept override { return core().weak_from_this().lock(); }
  void given_up(request_id id, pending_entry const& e, std::string_view why) override {
    core().outbound.cancel(id, e, why);
  }
  void context_gone() noexcept override { core().lose_context(); }  // home() is empty from then on
};

}  // namespace detail

class client_core final : private detail::core_hooks<client_core>, public std::enable_shared_from_this<client_core> {
 public:
  COMCP_LAZY client_core(any_transport transport, any_handler handler, connect_options options,
                         asio::any_io_executor home);
  client_core(client_core const&) = delete;
  client_core& operator=(client_core const&) = delete;

  /// Opens and negotiates on the caller's executor (or the one in the options). Throws; nothing is left behind then.
  COMCP_LAZY static asio::awaitable<std::shared_ptr<client_core>> connect(any_transport transport, any_handler handler,
                                                                          connect_options options);
  COMCP_LAZY asio::awaitable<void> close();
  COMCP_LAZY void abandon() noexcept;  ///< The owning client went away.
  /// What comcp::client holds.
  [[nodiscard]] std::shared_ptr<detail::client_link> facade() { return {shared_from_this(), &link_}; }

  // From here on home only.
  COMCP_LAZY void spawn(asio::awaitable<void> work);  ///< Detached.
  /// Waits; false when the client closed meanwhile.
  COMCP_LAZY asio::awaitable<bool> sleep(std::chrono::nanoseconds d);
  COMCP_LAZY void fault(error what);
  /// What is known of the server has changed.
  COMCP_LAZY void publish();
  COMCP_LAZY void trace(direction d, std::string_view message);

  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }
  [[nodiscard]] std::optional<error> const& end_reason() const noexcept { return connection.end_reason(); }
  [[nodiscard]] bool is_closing() const noexcept { return connection.life().is_closing(); }
  [[nodiscard]] bool is_modern() const noexcept { return facts.is_modern(); }
  [[nodiscard]] bool is_http() const noexcept { return connection.channel().is_http(); }
  COMCP_LAZY [[nodiscard]] era_verdict verdict() const;
  COMCP_LAZY [[nodiscard]] comcp::statistics statistics() const;

  any_handler const handler;
  detail::connect_settings settings;
  detail::calls calls;
  detail::server_facts facts;
  detail::introduction introduction;
  detail::connection connection;
  detail::recovery recovery;
  detail::exchange exchange;
  detail::pipeline pipeline;
  detail::outbound outbound;
  detail::inbound inbound;
  detail::dispatcher dispatcher;
  detail::subscriptions subscriptions;
  detail::published_server server;

 private:
  COMCP_LAZY [[nodiscard]] std::optional<saved_session> session() const;
  COMCP_LAZY static void let_go(client_core* last) noexcept;
  COMCP_LAZY void lose_context() noexcept;
  friend detail::core_hooks<client_core>;

  detail::core_link<client_core> link_;
};

}  // namespace comcp

// net/serial.hpp
// An executor that runs one handler at a time. Internal.

#include <typeinfo>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

namespace comcp::detail {

/// That of a thread_pool is wrapped in a strand; of others it cannot be known.
inline asio::any_io_executor serial(asio::any_io_executor ex) {
  if (ex.target_type() != typeid(asio::thread_pool::executor_type)) return ex;
  return asio::make_strand(std::move(ex));
}

}  // namespace comcp::detail

// client/input_rounds.hpp
// What a server asks back while it works on a call: the requests of one round, answered by the handler at once
// (2026-07-28, basic/patterns/mrtr), and the pages that a -32042 names (2025-11-25, client/elicitation). Internal.

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp {
class client_core;

namespace detail {

class input_rounds {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit input_rounds(client_core& core) noexcept : core_(core) {}

  // As for rounds_link.
  COMCP_LAZY asio::awaitable<result<std::string>> answer(input_required_result required, std::stop_token stop,
                                                         time_point hard);
  COMCP_LAZY asio::awaitable<error> show_pages(prepared_call const& c, error refusal, time_point hard);
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);

 private:
  struct round;
  struct open_pages;
  COMCP_LAZY asio::awaitable<void> answer_one(std::shared_ptr<round> r, std::string key, input_request asked);
  COMCP_LAZY void start_answers(std::shared_ptr<round> const& r);

  client_core& core_;
  std::vector<open_pages*> open_;  // calls that wait for theirs
};

/// Them behind their link: that it is virtual is said here alone.
template <class Rounds>
class input_rounds_link final : public rounds_link {
 public:
  explicit input_rounds_link(client_core& core) noexcept : rounds_(core) {}

  asio::awaitable<result<std::string>> answer(input_required_result required, std::stop_token stop,
                                              time_point hard) override {
    return rounds_.answer(std::move(required), std::move(stop), hard);
  }
  asio::awaitable<error> show_pages(prepared_call const& c, error refusal, time_point hard) override {
    return rounds_.show_pages(c, std::move(refusal), hard);
  }
  bool notified(std::string const& method, json::value const& params) override {
    return rounds_.notified(method, params);
  }

 private:
  Rounds rounds_;
};

}  // namespace detail
}  // namespace comcp

// client/listen_streams.hpp
// The open subscriptions/listen requests of the modern era, what comes on each, and who reads it (2026-07-28,
// basic/patterns/subscriptions). On home only. Internal.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp {
class client_core;

namespace detail {

class listen_streams {
 public:
  using pointer = std::shared_ptr<listen_stream>;
  enum class route { taken, shared, untagged };

  /// `over` hears of each that ends.
  listen_streams(client_core& core, std::function<void(pointer const&)> over) : core_(core), over_(std::move(over)) {}

  /// Sends the request; it lives until the server or we end it.
  COMCP_LAZY void open(pointer const& s);
  COMCP_LAZY asio::awaitable<error> acknowledged(pointer s, call_options options);
  COMCP_LAZY void close(listen_stream& s);
  /// A user's own stream.
  COMCP_LAZY asio::awaitable<pointer> listen(subscription_filter filter, call_options options);
  COMCP_LAZY asio::awaitable<std::optional<any_notification>> next(pointer s);

  /// Whose notification it was: of an independent stream (or nobody's), of the shared one, or of no stream.
  COMCP_LAZY route routed(std::string const& method, json::value const& params);
  COMCP_LAZY void cancelled_by_server(json::view request);
  COMCP_LAZY void end_all(error const& reason);
  COMCP_LAZY void shut_down() noexcept;

 private:
  COMCP_LAZY void stream_over(pointer const& s, reply r);
  COMCP_LAZY asio::awaitable<reply> open_for(pointer s, prepared_call& c);
  COMCP_LAZY [[nodiscard]] pointer by_id(std::uint64_t id) const;

  client_core& core_;
  std::function<void(pointer const&)> over_;
  std::vector<pointer> open_;
};

/// By way of the interceptors, which may deny and record it. Throws what it fails with.
COMCP_LAZY asio::awaitable<void> ask_subscription(client_core& core, prepared_call c, performer::function how);

inline bool is_other_version(error const& e) { return e.peer() && e.peer()->code == -32022; }

}  // namespace detail
}  // namespace comcp

// client/restarts.hpp
// A connection that was lost, or is to be another, is begun anew: after the pauses of the reconnect_policy, or at once
// and by hand. Compiled by programs that restart. On home only. Internal.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// net/chance.hpp
// Chance enough to keep clients from coming back all at once. Never for secrets. Internal.

#include <chrono>
#include <cstdint>

namespace comcp::detail {

/// Numbers from 0 to 1 (splitmix64), others for each instance.
class chance {
 public:
  double operator()() noexcept {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
                         reinterpret_cast<std::uintptr_t>(this);
};

}  // namespace comcp::detail

// sansio/backoff.hpp
// How long to wait before connecting again, and when to stop trying. Waiting itself, and the randomness, are others'.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace comcp {

namespace sansio {

/// Exponential backoff. `random` is from 0 to 1; `asked` is what the server asked for.
class backoff {
 public:
  using milliseconds = std::chrono::milliseconds;

  static constexpr milliseconds shortest{100};
  /// What was open for less long has failed.
  static constexpr std::chrono::seconds lasting{5};

  explicit backoff(reconnect_policy const& policy) : policy_(policy) {}

  /// It could not be opened: the next wait, or nothing when the attempts are used up.
  [[nodiscard]] std::optional<milliseconds> failed(double random, std::optional<milliseconds> asked = {}) {
    if (++failures_ > policy_.attempts()) return {};
    return wait(random, asked);
  }
  /// It was open for so long and ended, cleanly or not. Whether it brought something new, which uses up no attempt but is
  /// no reason to come back sooner: a server may end each stream after one event.
  [[nodiscard]] std::optional<milliseconds> ended(std::chrono::nanoseconds lived, bool brought, double random,
                                                  std::optional<milliseconds> asked = {}) {
    if (lived < lasting && !brought) return failed(random, asked);
    if (lived >= lasting) proved();
    failures_ = 0;
    if (policy_.attempts() == 0) return {};
    return wait(random, asked);
  }
  /// All is well: the next failure is the first.
  void proved() noexcept { failures_ = steps_ = 0; }
  /// In a row, the last one too that found the attempts used up.
  [[nodiscard]] unsigned failures() const noexcept { return failures_; }

 private:
  [[nodiscard]] milliseconds wait(double random, std::optional<milliseconds> asked) {
    auto const most = policy_.longest();
    // No server may ask for a busy loop.
    if (asked) asked = std::clamp(*asked, std::min({shortest, policy_.first(), most}), most);
    auto const first = std::min(asked.value_or(most), policy_.first());
    double const grown = static_cast<double>(first.count()) * std::pow(policy_.factor(), std::min(steps_++, 64U));
    double const bounded = std::min(grown, static_cast<double>(most.count()));
    auto const chosen = milliseconds(static_cast<milliseconds::rep>(bounded * (1 - policy_.jitter() * random)));
    return std::max(chosen, asked.value_or(chosen));
  }

  reconnect_policy policy_;
  unsigned failures_ = 0;  // that use up the attempts
  unsigned steps_ = 0;     // by which the wait has grown
};

}  // namespace sansio
}  // namespace comcp

namespace comcp {
class client_core;

namespace detail {
class connection;

class restarts {
 public:
  using nanoseconds = restarts_link::nanoseconds;

  COMCP_LAZY explicit restarts(client_core& core);

  // As for restarts_link.
  COMCP_LAZY bool begin(error const& why);
  COMCP_LAZY error begin_anew(error why, nanoseconds wait);
  COMCP_LAZY asio::awaitable<void> reconnect(error why);
  void on_attempt(std::function<void()> f) { on_attempt_ = std::move(f); }
  void proved() noexcept { delays_.proved(); }
  [[nodiscard]] std::vector<request_id> take_waiting() noexcept { return std::exchange(waiting_, {}); }

 private:
  COMCP_LAZY [[nodiscard]] std::optional<nanoseconds> next(error const& why);
  COMCP_LAZY void give_way(error const& why, nanoseconds wait);
  COMCP_LAZY asio::awaitable<void> run(nanoseconds first_wait);
  COMCP_LAZY asio::awaitable<error> attempt();

  client_core& core_;
  connection& connection_;
  std::vector<request_id> waiting_;  // for the outcome of the next attempt
  std::function<void()> on_attempt_;
  request_id pause_ = 0;    // before the next attempt
  bool at_once_ = false;    // without that
  detail::chance chance_;
  sansio::backoff delays_;  // of attempts in a row
};

/// Them behind their link: that it is virtual is said here alone.
template <class Restarts>
class restarts_behind_link final : public restarts_link {
 public:
  explicit restarts_behind_link(client_core& core) : restarts_(core) {}

  bool begin(error const& why) override { return restarts_.begin(why); }
  error begin_anew(error why, nanoseconds wait) override { return restarts_.begin_anew(std::move(why), wait); }
  asio::awaitable<void> reconnect(error why) override { return restarts_.reconnect(std::move(why)); }
  void on_attempt(std::function<void()> f) override { restarts_.on_attempt(std::move(f)); }
  void proved() noexcept override { restarts_.proved(); }
  std::vector<request_id> take_waiting() noexcept override { return restarts_.take_waiting(); }

 private:
  Restarts restarts_;
};

}  // namespace detail
}  // namespace comcp

// client/shared_stream.hpp
// The one subscriptions/listen stream of the modern era that all local subscribers share: it always asks for what they
// want now, and is opened again when it breaks. On home only. Internal.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp::detail {
class subscription_hub;

class shared_stream {
 public:
  using pointer = listen_streams::pointer;

  shared_stream(client_core& core, subscription_hub& hub, listen_streams& streams) noexcept
      : core_(core), hub_(hub), streams_(streams) {}

  /// What is wanted may have changed, or the connection is a new one.
  COMCP_LAZY void refresh();
  /// Waits until what is wanted now, this resource with it, is acknowledged.
  COMCP_LAZY asio::awaitable<error> join(std::string uri, prepared_call& c);
  /// One of the open streams ended.
  COMCP_LAZY void over(pointer const& s);
  COMCP_LAZY void ended(error const& reason);
  /// It broke, or what it brings did not come: what changes until the next one is open, nobody tells.
  void gap(bool is) noexcept { gap_ = is; }
  /// Whether there was one, which ends.
  [[nodiscard]] bool close_gap() noexcept { return std::exchange(gap_, false); }

 private:
  COMCP_LAZY void reopen_later();
  COMCP_LAZY void give_up_opening();
  COMCP_LAZY asio::awaitable<void> reconcile();

  client_core& core_;
  subscription_hub& hub_;
  listen_streams& streams_;
  pointer open_, opening_;           // the latter is not acknowledged yet
  std::vector<request_id> waiting_;  // for the end of a reconciliation
  call_options patience_;            // the longest timeout of those
  sansio::backoff delays_{reconnect_policy::forever().delay(std::chrono::seconds(1),
                                                            std::chrono::seconds(30))};  // while the server ends it
  bool reconciling_ = false;
  bool reopening_ = false;  // the wait before the next attempt is under way
  bool gap_ = false;
};

}  // namespace comcp::detail

// client/subscription_hub.hpp
// Who wants to hear of which change, in both eras: resources/subscribe in the legacy one, listen streams in the
// modern one (2026-07-28, basic/patterns/subscriptions). The wire subscription is shared by all local ones.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

// client/watchers.hpp
// Who watches the lists of a server, and is told when they change, or that nobody tells of it. Internal.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace comcp::detail {

class watchers {
 public:
  using silence = std::function<void(error const&)>;

  /// What a callback throws is told to `fault`.
  explicit watchers(std::function<void(error)> fault) : fault_(std::move(fault)) {}

  std::uint64_t add(std::string kind, std::function<void()> changed, silence silent) {
    all_.push_back({++last_, std::move(kind), std::move(changed), std::move(silent)});
    return last_;
  }
  void remove(std::uint64_t handle) {
    std::erase_if(all_, [handle](watcher const& w) { return w.handle == handle; });
  }
  [[nodiscard]] bool wants(std::string_view kind) const {
    for (auto const& w : all_) {
      if (w.kind == kind) return true;
    }
    return false;
  }
  void tell(std::string_view kind) {
    auto const now = all_;
    for (auto const& w : now) {
      if (w.kind == kind) guarded(w.changed);
    }
  }
  /// To the watches of one kind, or of all.
  void tell_silence(std::string_view kind, error const& why) {
    auto const now = all_;
    for (auto const& w : now) {
      if (w.silent && (kind.empty() || w.kind == kind)) guarded([&] { w.silent(why); });
    }
  }
  void guarded(std::function<void()> const& f) {
    try {
      f();
    } catch (...) {
      fault_(error(errc::invalid_argument, "a subscription callback threw"));
    }
  }

 private:
  struct watcher {
    std::uint64_t handle;
    std::string kind;
    std::function<void()> changed;
    silence silent;
  };

  std::function<void(error)> fault_;
  std::vector<watcher> all_;
  std::uint64_t last_ = 0;
};

}  // namespace comcp::detail

namespace comcp {
class client_core;

namespace detail {

class subscription_hub {
 public:
  COMCP_LAZY explicit subscription_hub(client_core& core);

  // From users, on home.
  COMCP_LAZY asio::awaitable<void> subscribe(std::string uri, updated_callback f, call_options options);
  COMCP_LAZY asio::awaitable<void> unsubscribe(std::string uri, call_options options);
  /// `f` is called at each change of a list: "tools", "prompts" or "resources"; `silent` when it turns out that changes
  /// are not told, or not for now, and why. Returns a handle to stop with.
  COMCP_LAZY std::uint64_t watch(std::string kind, std::function<void()> f,
                                 std::function<void(error const&)> silent = {});
  COMCP_LAZY void unwatch(std::uint64_t handle);

  [[nodiscard]] listen_streams& streams() noexcept { return streams_; }

  // From the core.
  COMCP_LAZY void connected();
  COMCP_LAZY void ended(error const& reason);
  /// Legacy era: whether what the server says unasked comes has changed.
  COMCP_LAZY void deaf(error const& before);
  // For the shared stream.
  COMCP_LAZY [[nodiscard]] subscription_filter wanted() const;
  /// What it acknowledged.
  COMCP_LAZY void adopt(listen_stream const& s);
  /// There was none for a while: as though every list had changed.
  COMCP_LAZY void missed_changes();
  /// It brings nothing for now.
  void silent(error const& why) { watchers_.tell_silence({}, why); }
  /// Modern era: true when the notification belonged to an independent stream or was not for anybody else.
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);

 private:
  struct topic {
    std::vector<std::shared_ptr<updated_callback const>> callbacks;
    bool confirmed = false;  // the server agreed to it
    bool asking = false;     // legacy: one subscriber asks for all
    std::vector<request_id> waiting;
  };

  COMCP_LAZY void tell(std::string const& method, json::value const& params);
  COMCP_LAZY void tell_watchers();
  struct membership;
  COMCP_LAZY asio::awaitable<reply> join(std::string uri, std::shared_ptr<updated_callback const> mine,
                                         prepared_call& c);
  COMCP_LAZY asio::awaitable<reply> leave(std::string uri, prepared_call& c);
  COMCP_LAZY asio::awaitable<error> join_legacy(std::string uri, prepared_call& c);
  COMCP_LAZY void wake(std::vector<request_id>& line, error const& why);
  COMCP_LAZY void answered(std::string const& uri, bool well);
  COMCP_LAZY asio::awaitable<void> restore_legacy(std::string uri);
  COMCP_LAZY void forget(std::string const& uri, std::shared_ptr<updated_callback const> const& callback);

  client_core& core_;
  std::map<std::string, topic> resources_;
  listen_streams streams_;
  shared_stream shared_;
  watchers watchers_;
  std::map<std::string, error> silent_;  // kinds whose changes the shared stream does not bring
};

/// A hub behind its link: that it is virtual is said here alone.
template <class Hub>
class subscription_hub_link final : public subscriptions_link {
 public:
  explicit subscription_hub_link(client_core& core) : hub_(core) {}

  asio::awaitable<void> subscribe(std::string uri, updated_callback f, call_options options) override {
    return hub_.subscribe(std::move(uri), std::move(f), std::move(options));
  }
  asio::awaitable<void> unsubscribe(std::string uri, call_options options) override {
    return hub_.unsubscribe(std::move(uri), std::move(options));
  }
  asio::awaitable<std::shared_ptr<listen_stream>> listen(subscription_filter filter, call_options options) override {
    return hub_.streams().listen(std::move(filter), std::move(options));
  }
  asio::awaitable<std::optional<any_notification>> next(std::shared_ptr<listen_stream> s) override {
    return hub_.streams().next(std::move(s));
  }
  void close(listen_stream& s) override { hub_.streams().close(s); }
  std::uint64_t watch(std::string kind, std::function<void()> changed,
                      std::function<void(error const&)> silent) override {
    return hub_.watch(std::move(kind), std::move(changed), std::move(silent));
  }
  void unwatch(std::uint64_t handle) override { hub_.unwatch(handle); }
  void connected() override { hub_.connected(); }
  void ended(error const& reason) override { hub_.ended(reason); }
  void shut_down() noexcept override { hub_.streams().shut_down(); }
  bool notified(std::string const& method, json::value const& params) override { return hub_.notified(method, params); }
  void deaf(error const& before) override { hub_.deaf(before); }
  [[nodiscard]] bool is_awaited() const override { return !hub_.wanted().empty(); }

 private:
  Hub hub_;
};

}  // namespace detail
}  // namespace comcp
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/connection.ipp
#include <algorithm>

#include <asio/this_coro.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL connection::connection(client_core& core, connect_settings const& settings, any_transport t)
    : core_(core), channel_(std::move(t)), attempt_(core.calls, settings, channel_.is_http()) {}

inline connection_status status_of(sansio::life_state s) noexcept {
  using enum sansio::life_state;
  switch (s) {
    case opening:
    case waiting:
    case restarting:
    case renewing: return connection_status::connecting;
    case negotiating:
    case settling:
    case renegotiating:
    case restoring: return connection_status::initializing;
    case ready: return connection_status::ready;
    case closing: return connection_status::closing;
    default: return connection_status::disconnected;
  }
}

COMCP_LAZY_DECL void connection::on(sansio::life_event e) {
  life_.on(e);
  tell_status();
}

COMCP_LAZY_DECL void connection::tell_status() {
  auto const now = status_of(life_.state());
  if (status_->now() == now) return;
  status_->become(now);
  status_->tell([this] { core_.fault(error(errc::invalid_argument, "a status listener threw")); });
}

COMCP_LAZY_DECL asio::awaitable<void> connection::open() {
  auto const hold = core_.shared_from_this();
  error failure;
  try {
    on(sansio::life_event::open);
    attempt_.begin();
    auto done = co_await open_channel();
    if (done) done = co_await negotiate();
    if (!done) failure = done.error();
    bool ready = false;
    if (done) ready = co_await settle();
    if (done && !ready) failure = end_reason_.value_or(error(errc::closed));
  } catch (...) {
    failure = current_error();
  }
  if (!failure) co_return;
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  co_await close(failure);
  throw exception(failure);
}

COMCP_LAZY_DECL asio::awaitable<result<void>> connection::open_channel() {
  auto const timeout = attempt_.bounded(core_.settings.open_timeout);
  return channel_.open(core_.shared_from_this(), core_.calls, core_.home(), core_.inbound.from_transport(), timeout,
                       attempt_.hard_end(timeout));
}

COMCP_LAZY_DECL asio::awaitable<bool> connection::close_channel() {
  return channel_.close(core_.shared_from_this(), core_.calls, core_.home(), core_.settings.close_timeout);
}

COMCP_LAZY_DECL asio::awaitable<result<void>> connection::negotiate() {
  std::optional<saved_session> saved;
  if (!life_.is_restarting()) saved = channel_.resumed();
  on(sansio::life_event::opened);
  core_.inbound.forget_strays();
  core_.recovery.eras().recall();
  auto const n = std::make_shared<negotiation>(core_);
  negotiation_ = n;
  auto work = n->run(std::move(saved), attempt_.bounded(core_.settings.handshake_timeout));
  auto const done = co_await std::move(work);
  if (!done) co_return core_.inbound.with_what_came(done.error());
  core_.publish();
  resumed_ = n->has_resumed();
  core_.recovery.doubt_era(core_.is_modern() && n->from_prior());
  core_.recovery.eras().remember(core_.verdict());
  co_return done;
}

COMCP_LAZY_DECL asio::awaitable<bool> connection::settle() {
  life_.on(sansio::life_event::negotiated);
  for (auto const& step : core_.pipeline.steps()) step->connected(false);
  if (!core_.is_modern()) {
    if (!resumed_) core_.outbound.notify("notifications/initialized", {});
    if (core_.settings.log_level && core_.facts.capabilities.supports("logging")) {
      call_options patience;
      patience.timeout(attempt_.bounded(core_.settings.timeout)).extend_on_progress(false);
      prepared_call set(wire::methods::set_level, args("level", enum_text(*core_.settings.log_level)).text(), std::move(patience));
      set.internal = true;
      auto const done = co_await core_.exchange.round_trip(set);
      if (!done) core_.fault(done.error());
    }
  }
  if (!life_.on(sansio::life_event::settled)) co_return false;  // lost meanwhile
  tell_status();
  if (!life_.is(sansio::life_state::ready)) co_return true;  // by whoever was told
  core_.subscriptions.connected();
  if (core_.settings.ping_interval && !std::exchange(keeping_alive_, true)) core_.spawn(keep_alive());
  core_.recovery.restored();
  co_return true;
}

COMCP_LAZY_DECL asio::awaitable<void> connection::keep_alive() {
  auto const hold = core_.shared_from_this();
  auto const& settings = core_.settings;
  auto const& seen = core_.calls.counters().messages_in;
  std::uint64_t seen_before = 0;
  unsigned failures = 0;
  for (;;) {
    bool const awake = co_await core_.sleep(*settings.ping_interval);
    if (!awake) break;
    if (!life_.is(sansio::life_state::ready)) continue;
    if (std::exchange(seen_before, seen) != seen) {
      failures = 0;
      continue;
    }
    call_options limited;
    limited.timeout(settings.ping_timeout).extend_on_progress(false);
    prepared_call ping(core_.is_modern() ? "server/discover" : "ping", {}, std::move(limited));
    ping.internal = true;
    auto const r = co_await core_.exchange.round_trip(ping);
    seen_before = seen;
    if (r || r.error().peer()) {
      failures = 0;
    } else if (r.error() == errc::timeout && ++failures >= settings.ping_failure_threshold) {
      core_.recovery.break_off(
          error(errc::timeout, "the server answered " + std::to_string(failures) + " pings not at all"));
      failures = 0;
    }
  }
  keeping_alive_ = false;
}

COMCP_LAZY_DECL bool connection::refuses_requests() const {
  auto const n = negotiation_.lock();
  if (!n || n->is_over()) return core_.is_modern() && life_.is(sansio::life_state::ready);
  return core_.settings.handshake.mode == sansio::handshake_mode::pinned && n->asks_modern();
}

COMCP_LAZY_DECL void connection::cancel_inbound() {
  core_.dispatcher.cancel_all();
  attempt_.stop_authorizing();
}

COMCP_LAZY_DECL calls::spared connection::spared() const noexcept {
  if (!life_.is_restarting()) return calls::spared::nothing;
  return life_.is(sansio::life_state::renegotiating) ? calls::spared::unsent_and_handshake : calls::spared::unsent;
}

COMCP_LAZY_DECL void connection::fail_all(error const& reason) {
  core_.calls.fail(reason, pending_entry::span::connection, spared());
  if (!life_.is_restarting()) core_.calls.fail(reason, pending_entry::span::client, calls::spared::nothing);
}

COMCP_LAZY_DECL void connection::closed(error reason) {
  auto const hold = core_.shared_from_this();
  channel_.lost();
  auto const n = negotiation_.lock();
  if (n && !n->is_over()) {
    if (life_.is_restarting())  // what was sent before it began
      core_.calls.fail(reason, pending_entry::span::connection, spared());
    return n->closed(reason);
  }
  if (life_.is_closing()) return;
  if (life_.is(sansio::life_state::ready)) return core_.recovery.lost(std::move(reason));
  if (life_.is(sansio::life_state::restoring)) {
    core_.recovery.lost_again(reason);
    life_.on(sansio::life_event::lost);
    cancel_inbound();
    return fail_all(reason);
  }
  if (!life_.is_restarting()) return finish(std::move(reason));
  cancel_inbound();  // what the server asked while its connection was being closed
}

COMCP_LAZY_DECL asio::awaitable<void> connection::close(error reason) {
  auto const hold = core_.shared_from_this();
  if (life_.is_closing()) co_return;
  on(sansio::life_event::close);
  cancel_inbound();
  fail_all(reason);
  co_await close_channel();
  finish(std::move(reason));
}

COMCP_LAZY_DECL void connection::finish(error reason) {
  if (end_reason_) return;
  auto const hold = core_.shared_from_this();
  end_reason_ = reason;
  life_.on(sansio::life_event::end);
  channel_.lost();
  core_.calls.disarm();
  cancel_inbound();
  core_.subscriptions.ended(reason);
  tell_status();
  fail_all(reason);
  core_.calls.disarm();
  core_.calls.fail(reason, pending_entry::span::last, calls::spared::nothing);
}

COMCP_LAZY_DECL asio::awaitable<error> connection::ended() {
  auto const hold = core_.shared_from_this();
  if (end_reason_) co_return *end_reason_;
  pending_entry e(pending_entry::span::last);
  if (!core_.calls.enlist(e, std::chrono::nanoseconds::max())) throw exception(error(errc::queue_full));
  auto const r = co_await core_.calls.wait(e);
  if (!end_reason_) throw exception(r.error());
  co_return *end_reason_;
}

COMCP_LAZY_DECL void connection::abandon() noexcept {
  if (end_reason_) return;
  life_.on(sansio::life_event::close);
  channel_.drop();
  auto end = [hold = core_.shared_from_this(), this] { finish(error(errc::closed, "the client was destroyed")); };
  detail::post(core_.home(), std::move(end));
}

COMCP_LAZY_DECL void connection::context_gone() noexcept {
  channel_.drop();
  life_.on(sansio::life_event::end);
  end_reason_ = error(errc::closed, "the client's execution context is gone");
  status_->become(connection_status::disconnected);
}

}  // namespace comcp::detail

// client/impl/core.ipp
// What the core does itself: it puts its parts together and tells what it knows.

#include <asio/this_coro.hpp>

namespace comcp {

COMCP_LAZY_DECL client_core::client_core(any_transport t, any_handler h, connect_options options,
                                         asio::any_io_executor home)
    : core_hooks(std::move(home)),
      handler(std::move(h)),
      settings(std::move(options).settings()),
      calls(*this, home_, settings, settings.time ? settings.time : steady_time()),
      introduction(handler, settings, t.info()),
      connection(*this, settings, std::move(t)),
      recovery(*this, connection, settings),
      exchange(*this),
      pipeline(exchange),
      outbound(*this),
      inbound(*this),
      dispatcher(*this),
      subscriptions(*this),
      link_(*this) {
  settings.handshake.over_http = is_http();
  if (settings.restarts) recovery.restarts(settings.restarts);
  auto const parts = handler.parts();
  if (parts.subscriptions) subscriptions.hub(parts.subscriptions);
  for (auto const& make : settings.steps) {
    if (make) pipeline.add(make(*this));
  }
  inbound.add(detail::notification_sink(pipeline));
  if (parts.rounds) inbound.add(detail::notification_sink(exchange.rounds(parts.rounds)));
  inbound.add(detail::notification_sink(subscriptions));
  inbound.add(detail::notification_sink(dispatcher));
  if (settings.observer.on_status) connection.listeners()->add(settings.observer.on_status);
}

COMCP_LAZY_DECL asio::awaitable<std::shared_ptr<client_core>> client_core::connect(any_transport transport,
                                                                                   any_handler handler,
                                                                                   connect_options options) {
  auto const here = co_await asio::this_coro::executor;
  asio::any_io_executor home = here;
  if (options.settings().executor) home = options.settings().executor;
  home = detail::serial(std::move(home));
  std::shared_ptr<client_core> const core(
      new client_core(std::move(transport), std::move(handler), std::move(options), home),
      [](client_core* last) { let_go(last); });
  // Never in the caller's own coroutine: what fails changes the cancellation state to close in peace.
  auto work = core->connection.open();
  co_await detail::spawn_and_wait(home, std::move(work));
  co_return core;
}

COMCP_LAZY_DECL asio::awaitable<void> client_core::close() {
  auto const hold = shared_from_this();
  auto const wait_closed = [](std::shared_ptr<client_core> self) -> asio::awaitable<void> {
    if (self->end_reason()) co_return;
    if (!self->is_closing()) self->spawn(self->connection.close(error(errc::closed)));
    (void)co_await self->connection.ended();
  };
  auto work = wait_closed(hold);
  co_await detail::on_home(hold, std::move(work));
}

COMCP_LAZY_DECL void client_core::abandon() noexcept {
  at_home([self = shared_from_this()] { self->connection.abandon(); });
  connection.channel().cut();  // home may never run again
}

// Whoever held it last: a timer of it may be running at home.
COMCP_LAZY_DECL void client_core::let_go(client_core* last) noexcept {
  try {
    std::shared_ptr<client_core> owned(last);
    last->at_home([owned = std::move(owned)] {});
  } catch (...) {  // no memory for that
  }
}

COMCP_LAZY_DECL void client_core::lose_context() noexcept {
  connection.context_gone();
  calls.shut_down();
  subscriptions.shut_down();
  settings.executor = {};
}

COMCP_LAZY_DECL asio::awaitable<bool> client_core::sleep(std::chrono::nanoseconds d) {
  detail::pending_entry e(detail::pending_entry::span::client);
  if (is_closing() || !calls.enlist(e, d)) co_return false;
  auto const r = co_await calls.wait(e);
  co_return r.error() == errc::timeout;
}

COMCP_LAZY_DECL void client_core::spawn(asio::awaitable<void> work) { detail::spawn(home_, std::move(work)); }

COMCP_LAZY_DECL void client_core::fault(error e) {
  // What a close that was asked for ends has lost nothing.
  bool const orderly = is_closing() && (e == errc::closed || e == errc::cancelled);
  if (orderly || !settings.observer.on_fault) return;
  try {
    settings.observer.on_fault(e);
  } catch (...) {  // documented: dropped
  }
}

COMCP_LAZY_DECL void client_core::trace(direction d, std::string_view message) {
  try {
    settings.tracer(d, message);
  } catch (...) {
    fault(error(errc::invalid_argument, "a tracer threw"));
  }
}

COMCP_LAZY_DECL era_verdict client_core::verdict() const {
  auto v = facts.verdict();
  if (settings.handshake.prior) v.authorization = settings.handshake.prior->authorization;
  return v;
}

COMCP_LAZY_DECL void client_core::publish() {
  auto now = std::make_shared<detail::server_snapshot>();
  static_cast<detail::server_profile&>(*now) = facts;
  now->version = facts.version();
  now->verdict = verdict();
  now->session = session();
  server.set(std::move(now));
}

COMCP_LAZY_DECL statistics client_core::statistics() const {
  auto s = calls.statistics();
  auto const info = connection.channel().info();
  s.messages_out = info.messages_out;
  s.bytes_out = info.bytes_out;
  return s;
}

COMCP_LAZY_DECL std::optional<saved_session> client_core::session() const {
  if (!is_http() || is_modern()) return {};
  saved_session s;
  s.id = connection.channel().info().session_id;
  if (s.id.empty() || facts.initialize_result.is_null()) return {};
  s.initialize_result = facts.initialize_result.dump();
  return s;
}

}  // namespace comcp

// client/impl/core_link.ipp

// client/impl/remote_call.ipp
// A call whose caller is on another executor than the client, or is no coroutine.

#include <asio/async_result.hpp>
#include <asio/use_awaitable.hpp>

namespace comcp::detail {

template <class Core>
class remote_call final : public away<reply>, public suspended<reply> {
 public:
  /// The call is in the frame of who waits.
  remote_call(Core& core, asio::any_io_executor const& here, prepared_call& c)
      : away<reply>(core.home(), here), core_(core.shared_from_this()), call_(c) {}
  remote_call(Core& core, asio::any_io_executor const& here, prepared_call&& c)
      : away<reply>(core.home(), here), core_(core.shared_from_this()), own_(std::move(c)), call_(*own_) {}

  // As who waits in the table of calls, and owns itself meanwhile.
  void resume(reply value) override {
    auto const self = std::move(self_);
    carry_on([&] {
      if (core_->exchange.needs_settling(call_, value)) walk_to(core_->exchange.settle(call_, std::move(value)));
      else tell(std::move(value));
    });
  }
  void destroy() noexcept override { auto const last = std::move(self_); }

 private:
  std::shared_ptr<remote_call> itself() { return std::static_pointer_cast<remote_call>(this->shared_from_this()); }

  void start() override {
    carry_on([this] {
      if (!core_->pipeline.is_plain(call_.method)) return walk_to(core_->pipeline.run(call_));
      auto const started = core_->exchange.start(call_, entry_);
      self_ = itself();
      if (!started) return resume(started.error());
      core_->calls.end_with(call_.options.stop(), entry_);
      entry_.waiting = waiter<reply>(this);
    });
  }

  // What is thrown at home is the caller's.
  template <class F>
  void carry_on(F const& next) {
    try {
      next();
    } catch (...) {
      auto const self = std::move(self_);
      if (entry_.id) entry_.leave();
      tell(current_error());
    }
  }

  void walk_to(asio::awaitable<reply> work) { walk(carry(itself(), std::move(work))); }
  static asio::awaitable<void> carry(std::shared_ptr<remote_call> self, asio::awaitable<reply> work) {
    reply r;
    try {
      r = co_await std::move(work);
    } catch (...) {
      r = current_error();
    }
    self->tell(std::move(r));
  }

  void tell(reply&& r) {
    if (own_ && !r) r = failure_of(call_, std::move(r).error());
    end(std::move(r));
  }

  void stop(asio::cancellation_type how) override {
    if (entry_.id) return core_->calls.cancel(entry_.id, how);
    if (!is_total_alone(how)) stop_walking();
  }

  std::shared_ptr<Core> const core_;
  std::optional<prepared_call> own_;
  prepared_call& call_;
  pending_entry entry_;
  std::shared_ptr<remote_call> self_;
};

struct begin_remote_call {
  std::shared_ptr<away<reply>> call;
  waiter_room* room;
  template <class Handler>
  void operator()(Handler handler) {
    auto const begun = std::move(call);
    auto const cancel = [weak = std::weak_ptr(begun)](asio::cancellation_type how) {
      if (auto const alive = weak.lock()) alive->cancel(how);
    };
    begun->begin(handler_waiter<reply, Handler>::create(std::move(handler), cancel, room));
  }
};

COMCP_LAZY_DECL asio::awaitable<reply> perform_at_home(client_core& core, asio::any_io_executor const& here,
                                                       prepared_call& c) {
  if (!core.home()) return failed<reply>(error(errc::closed, "the execution context is gone"));
  auto* const room = std::exchange(c.room, nullptr);  // not also for those at home who wait meanwhile
  begin_remote_call begin{std::make_shared<remote_call<client_core>>(core, here, c), room};
  return asio::async_initiate<asio::use_awaitable_t<> const, void(reply)>(std::move(begin), asio::use_awaitable);
}

COMCP_LAZY_DECL std::shared_ptr<away<reply>> call_away(client_core& core, asio::any_io_executor const& here,
                                                       prepared_call c) {
  return std::make_shared<remote_call<client_core>>(core, here, std::move(c));
}

}  // namespace comcp::detail

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<void> set_level_at_home(client_core& core, log_level level, call_options options) {
  prepared_call c(wire::methods::set_level, args("level", enum_text(level)).text(), std::move(options));
  auto const failed = co_await core.recovery.settled(c);
  if (failed) throw exception(failed);
  if (!core.is_modern()) {
    auto r = co_await core.pipeline.run(c);
    (void)outcome_of(c, std::move(r));
  }
  core.settings.log_level = level;
}

COMCP_LAZY_DECL void notify_roots_changed(client_core& core) {
  constexpr auto method = "notifications/roots/list_changed";
  if (core.is_modern()) throw exception(error(errc::not_in_protocol, method));
  core.outbound.notify(method, {});
}

COMCP_LAZY_DECL asio::awaitable<void> as_work(std::function<void()> f) {
  f();
  co_return;
}

COMCP_LAZY_DECL asio::awaitable<std::shared_ptr<client_link>> connect_core(any_transport t, any_handler h,
                                                                           connect_options options) {
  auto connecting = client_core::connect(std::move(t), std::move(h), std::move(options));
  auto const core = co_await std::move(connecting);
  co_return core->facade();
}

}  // namespace comcp::detail

// client/impl/dispatcher.ipp

namespace comcp::detail {

COMCP_LAZY_DECL context dispatcher::make_context(std::string method, json::value const& params) const {
  context ctx;
  ctx.core_ = core_.facade();
  ctx.validation_ = core_.settings.answers;
  ctx.method_ = std::move(method);
  ctx.cancelled_ = std::make_shared<bool>(false);
  if (auto const meta = params.view().find("_meta")) {
    if (auto const token = meta->find("progressToken")) ctx.progress_token_ = token->dump();
  }
  return ctx;
}

COMCP_LAZY_DECL void dispatcher::request(jsonrpc::envelope const& m) {
  std::string raw_id(m.raw_id);
  if (m.method == "ping") return core_.outbound.send_text(jsonrpc::response(raw_id, "{}"));
  if (running_.size() >= core_.settings.limits.handlers_in_flight()) {
    ++core_.calls.counters().dropped;
    return core_.outbound.send_text(jsonrpc::error_response(raw_id, {-32603, "Too many requests at once", {}}));
  }
  json::value params;
  if (!m.params.empty()) {
    auto parsed = json::parse(m.params, core_.settings.limits.json());
    if (!parsed) return core_.outbound.send_text(jsonrpc::error_response(raw_id, {-32700, "Parse error", {}}));
    params = std::move(*parsed);
  }
  if (running_.contains(raw_id))
    return core_.outbound.send_text(jsonrpc::error_response(raw_id, {-32600, "This id is in use", {}}));
  auto const state = std::make_shared<running>();
  if (running_.empty()) core_.calls.pause();
  running_.emplace(raw_id, state);
  auto work = serve(core_.shared_from_this(), raw_id, m.method, std::move(params), state);
  detail::spawn(core_.home(), std::move(work), state->signal.slot(), state);
}

COMCP_LAZY_DECL asio::awaitable<void> dispatcher::serve(std::shared_ptr<client_core> hold, std::string raw_id,
                                                        std::string method, json::value params,
                                                        std::shared_ptr<running> state) {
  result<json::fragment> answered = error(errc::cancelled);
  try {
    auto ctx = make_context(method, params);
    ctx.cancelled_ = state->cancelled;
    answered = co_await answer(std::move(method), std::move(params), ctx);
  } catch (std::exception const&) {
    // Only a cancelled coroutine comes here: answer() turns what a handler throws into an error.
  }
  auto const found = running_.find(raw_id);
  if (found == running_.end() || found->second != state) co_return;  // withdrawn: nothing is answered
  running_.erase(found);
  if (running_.empty()) hold->calls.resume();
  if (answered) {
    hold->outbound.send_text(jsonrpc::response(raw_id, answered->text()));
  } else if (auto const* const peer = answered.error().peer()) {
    hold->outbound.send_text(jsonrpc::error_response(raw_id, *peer));
  } else {
    hold->fault(answered.error());
    hold->outbound.send_text(jsonrpc::error_response(raw_id, {-32603, "Internal error", {}}));
  }
}

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> dispatcher::answer(std::string method, json::value params,
                                                                           context& ctx) {
  if (!core_.handler.answers(method)) co_return method_not_found(method);
  try {
    if (auto const bad = check(method, params.view())) co_return bad;
    auto answered = co_await core_.handler.answer(method, params, ctx);
    co_return answered;
  } catch (exception const& e) {
    co_return e.error();
  } catch (std::system_error const& e) {
    if (ctx.cancelled()) co_return error(errc::cancelled);
    co_return error(e.code(), "a handler failed");
  } catch (std::exception const& e) {
    co_return error(errc::input_refused, std::string("a handler threw: ") + e.what());
  } catch (...) {
    co_return error(errc::input_refused, "a handler threw");
  }
}

// What the specification asks of every request, whoever answers it.
COMCP_LAZY_DECL error dispatcher::check(std::string_view method, json::view request) const {
  auto const& own = core_.introduction.capabilities();
  auto const refused = [](char const* why) {
    return error::from_peer({-32602, std::string("Invalid params: ") + why, {}});
  };
  if (method == "elicitation/create") {
    auto const mode = request.find("mode");
    bool const form = !mode || mode->get_string() == "form";
    bool const declared = form ? own.supports_elicitation_form() : own.supports_elicitation_url();
    if (!declared || (mode && !form && mode->get_string() != "url")) return refused("this mode was not declared");
    auto const needed = request.find(form ? "requestedSchema" : "url");
    if (!needed || !(form ? needed->is_object() : needed->is_string()))
      return refused(form ? "no requestedSchema" : "no url");
  } else if (method == "sampling/createMessage" && (request.find("tools") || request.find("toolChoice"))) {
    if (!own.sampling || !own.sampling->tools) return refused("sampling.tools was not declared");
  }
  return {};
}

COMCP_LAZY_DECL void dispatcher::withdraw(std::string const& raw_id) {
  auto const found = running_.find(raw_id);
  if (found == running_.end()) return;
  auto const state = found->second;
  running_.erase(found);
  if (running_.empty()) core_.calls.resume();
  *state->cancelled = true;
  state->signal.emit(asio::cancellation_type::terminal);
}

COMCP_LAZY_DECL void dispatcher::cancel_all() {
  auto const all = std::exchange(running_, {});
  notifications_.clear();
  if (auto const p = pump_; p && core_.is_closing()) {  // it may end what it began before a restart
    *p->cancelled = true;
    p->signal.emit(asio::cancellation_type::terminal);
  }
  if (!all.empty()) core_.calls.resume();
  for (auto const& [id, state] : all) {
    *state->cancelled = true;
    state->signal.emit(asio::cancellation_type::terminal);
  }
}

COMCP_LAZY_DECL bool dispatcher::notified(std::string const& method, json::value const& params) {
  if (method == "notifications/cancelled") {
    if (auto const which = params.view().find("requestId")) withdraw(which->dump());
  }
  if (!core_.handler) return true;
  if (notifications_.size() >= core_.settings.limits.queued_notifications()) {
    ++core_.calls.counters().dropped;
    core_.fault(error(errc::limit_exceeded, "a notification was dropped: limits().queued_notifications()"));
    return true;
  }
  if (pump_ && *pump_->cancelled) return true;
  notifications_.push_back({method, params});
  if (pump_) return true;
  pump_ = std::make_shared<running>();
  auto work = pump(core_.shared_from_this(), pump_);
  detail::spawn(core_.home(), std::move(work), pump_->signal.slot(), pump_);
  return true;
}

COMCP_LAZY_DECL asio::awaitable<void> dispatcher::pump(std::shared_ptr<client_core> hold,
                                                       std::shared_ptr<running> state) {
  while (!notifications_.empty()) {
    auto const next = std::move(notifications_.front());
    notifications_.pop_front();
    auto ctx = make_context(next.method, next.params);
    ctx.cancelled_ = state->cancelled;
    error failure;
    try {
      co_await hold->handler.notify(next.method, next.params, ctx);
    } catch (exception const& e) {
      failure = e.error();
    } catch (std::exception const& e) {
      failure = error(errc::invalid_argument, std::string("a notification handler threw: ") + e.what());
    } catch (...) {
      failure = error(errc::invalid_argument, "a notification handler threw");
    }
    if (failure && !*state->cancelled) hold->fault(failure);
  }
  pump_.reset();
}

}  // namespace comcp::detail

// client/impl/exchange.ipp
#include <algorithm>

namespace comcp::detail {

inline constexpr std::chrono::milliseconds first_rest{50}, longest_rest{1000};  // before state alone goes back

// A round that a caller takes over: the result, and the call that it belongs to.
COMCP_LAZY json::value with_call(json::value const& required, prepared_call const& c, std::string const& params) {
  json::writer w;
  w.begin_object();
  for (auto const m : required.members()) {
    if (m.key != "comcp/call") w.key(m.key).value(m.value);  // the server's own would be found first
  }
  w.plain_key("comcp/call").begin_object().plain_key("method").string(c.method);
  w.plain_key("params").raw(params.empty() ? "{}" : params).end_object().end_object();
  auto text = std::move(w).text();
  return json::parse(pad(text)).value();
}

/// A call that goes on beyond its first round trip, and what is left of its time: the clock stops while a handler answers.
struct exchange::progress {
  using nanoseconds = std::chrono::nanoseconds;
  using time_point = std::chrono::steady_clock::time_point;

  progress(calls const& table, prepared_call& of, std::size_t most_rounds)
      : call(of), original(of.params), life(most_rounds), sent_at(of.started), left(table.timeout(of.options)) {
    call.options.hard_timeout(table.hard_limit(call.options));  // said once: the timeout shrinks
    hard = later(call.started, *call.options.hard_timeout());
    call.options.extend_on_progress(call.options.extends_on_progress());
  }
  void spend(nanoseconds d) { left -= std::min(left, d); }

  prepared_call& call;
  std::string const original;  // its parameters, which every round begins with
  sansio::call_life life;
  time_point sent_at, hard;
  nanoseconds left;
  nanoseconds pause = first_rest;
};

COMCP_LAZY_DECL error exchange::check(prepared_call const& c) const {
  if (core_.end_reason()) return *core_.end_reason();
  if (core_.is_closing()) return {errc::closed, "the client is closing"};
  if (c.unusable) return c.unusable;
  if (c.internal) return {};
  if (c.method.is_vendors() && !jsonrpc::is_plain_method(c.method)) return {errc::invalid_argument, "not a method name: " + c.method.text()};
  for (auto const& [key, text] : c.options.meta()) {
    if (auto const ok = check_meta(key, text); !ok) return ok.error();
  }
  return core_.recovery.is_unsettled() ? error() : refuses(c);
}

COMCP_LAZY_DECL error exchange::refuses(prepared_call const& c) const {
  return c.internal ? error() : core_.facts.refuses(c, core_.settings.check_capabilities);
}

// What check() looks at for resources/subscribe, which the modern era has not.
COMCP_LAZY_DECL error exchange::check_subscribe(call_options const& options) const {
  prepared_call const listen(wire::methods::listen, {}, options);
  if (auto bad = check(listen)) return bad;
  return core_.settings.check_capabilities ? core_.facts.refuses_subscriptions() : error();
}

COMCP_LAZY_DECL result<void> exchange::start(prepared_call const& c, pending_entry& e) {
  auto bad = check(c);
  if (!bad && c.options.stop().stop_requested()) bad = error(errc::cancelled);
  if (!bad) {
    overlap_guard::scope const alone(core_.calls.guard());
    auto begun = core_.calls.enlist(e, c);
    if (begun && !core_.recovery.defers(e)) {
      begun = core_.outbound.transmit(e);
      if (!begun) core_.calls.end(e.id, begun.error());
    }
    if (begun) return begun;
    bad = begun.error();
  }
  return bad.with_outcome(c.outcome);  // of the attempts before this one
}

COMCP_LAZY_DECL asio::awaitable<reply> exchange::begin(prepared_call const& c, pending_entry& e) {
  auto const started = start(c, e);
  return started ? core_.calls.wait(e) : ended(started.error());
}

COMCP_LAZY_DECL asio::awaitable<reply> exchange::round_trip(prepared_call const& c) {
  pending_entry e;
  if (auto const started = start(c, e); !started) co_return reply(started.error());
  auto r = co_await core_.calls.wait(e);
  co_return r;
}

COMCP_LAZY_DECL asio::awaitable<reply> exchange::perform(prepared_call& c) {
  pending_entry e;
  reply r;
  auto const started = start(c, e);
  if (started) r = co_await core_.calls.wait(e);
  else r = started.error();
  if (needs_settling(c, r)) r = co_await settle(c, std::move(r));
  co_return r;
}

COMCP_LAZY_DECL bool exchange::needs_settling(prepared_call const& c, reply const& r) const {
  if (!core_.facts.codec) return false;
  if (r) {
    if (!core_.is_modern()) return false;
    auto const kind = core_.facts.codec->classify(c.method, r->view());
    return !kind || *kind != wire::result_kind::complete;
  }
  sansio::call_life first(0);
  return first.failed(r.error(), facts(c, &r.error())) != sansio::call_action::deliver;
}

COMCP_LAZY_DECL sansio::call_facts exchange::facts(prepared_call const& c, error const* e) const {
  sansio::call_facts now;
  now.modern = core_.is_modern();
  now.http = core_.is_http();
  now.is_tool = c.method.is(wire::methods::call_tool);
  now.manual = c.options.is_manual_input();
  if (e) now.era_in_doubt = may_be_of_other_era(c, *e);
  if (e) now.may_repeat = may_repeat(c, *e);
  return now;
}

COMCP_LAZY_DECL asio::awaitable<reply> exchange::settle(prepared_call& c, reply r) {
  progress p(core_.calls, c, core_.settings.limits.input_rounds());
  for (;;) {
    if (r && !core_.is_modern()) co_return r;
    auto work = r ? next_round(p, r) : after_failure(p, r);
    auto ended = co_await std::move(work);
    if (ended) co_return std::move(*ended);
    r = co_await round_trip(c);
  }
}

COMCP_LAZY_DECL asio::awaitable<std::optional<reply>> exchange::after_failure(progress& p, reply& r) {
  using action = sansio::call_action;
  auto& c = p.call;
  auto const why = r.error();
  switch (p.life.failed(why, facts(c, &why))) {
    case action::show_pages: {
      if (!rounds_) co_return reply(why.with_code(make_error_code(errc::url_elicitation_required)));
      auto const ended = co_await rounds_->show_pages(c, why, p.hard);
      if (ended) co_return reply(ended);
      break;
    }
    case action::give_up_pages: co_return reply(why.with_code(make_error_code(errc::url_elicitation_required)));
    case action::check_era: {
      auto const repeat = co_await probe_again(c, why);
      if (!repeat) co_return reply(repeat.error().with_outcome(c.outcome));
      if (!*repeat) co_return std::move(r);
      break;
    }
    case action::list_again: {
      auto const found = co_await list_again(c);
      if (!found) co_return std::move(r);
      break;
    }
    case action::follow_version: {
      if (follow_version(why)) break;
      auto const list = sansio::modern_versions(why).value_or(std::vector<std::string>());
      auto const text = sansio::no_common_text(list, core_.settings.handshake.allowed);
      co_return reply(error(errc::no_common_version, text).with_peer(*why.peer()));
    }
    case action::send_again: break;
    default: co_return std::move(r);
  }
  co_return std::nullopt;
}

COMCP_LAZY_DECL asio::awaitable<std::optional<reply>> exchange::next_round(progress& p, reply& r) {
  using action = sansio::call_action;
  auto& c = p.call;
  auto const kind = core_.facts.codec->classify(c.method, r->view());
  if (!kind) co_return reply(kind.error());
  auto const what = p.life.answered(*kind, facts(c, nullptr));
  if (what == action::deliver) co_return std::move(r);
  if (what == action::hand_over) co_return reply(with_call(*r, c, p.original));
  if (what == action::too_many_rounds)
    co_return reply(error(errc::limit_exceeded, "more input rounds than limits().input_rounds()"));
  auto required = json::read<input_required_result>(r->view());
  if (!required) co_return reply(required.error().with_code(make_error_code(errc::protocol_violation)));
  if (auto const bad = check_round(*required)) co_return reply(bad);
  p.spend(core_.calls.now() - p.sent_at);
  auto state = required->request_state;
  result<std::string> answers = std::string();
  if (required->input_requests && !required->input_requests->empty()) {
    p.pause = first_rest;
    answers = co_await rounds_->answer(std::move(*required), c.options.stop(), p.hard);
  } else {
    auto const ended = co_await rest(p);
    if (ended) co_return reply(ended);
  }
  if (!answers) co_return reply(answers.error());
  c.params = with_answers(p.original, *answers, state);
  p.sent_at = core_.calls.now();
  c.options.timeout(std::max(p.left, std::chrono::nanoseconds(1)));
  co_return std::nullopt;
}

COMCP_LAZY_DECL error exchange::check_round(input_required_result const& required) const {
  bool const asks = required.input_requests && !required.input_requests->empty();
  if (!asks && !required.request_state)
    return {errc::protocol_violation, "input_required with neither inputRequests nor requestState"};
  if (!asks) return {};
  if (required.input_requests->size() > core_.settings.limits.input_requests())
    return error(errc::limit_exceeded, "one round with more than limits().input_requests()").with_outcome(call_outcome::known);
  for (auto const& [key, asked] : *required.input_requests) {
    bool declared = false;
    if (asked.method == "sampling/createMessage") declared = core_.introduction.capabilities().sampling.has_value();
    if (asked.method == "roots/list") declared = core_.introduction.capabilities().roots.has_value();
    if (asked.method == "elicitation/create") {
      auto const mode = asked.params.view().find("mode");
      bool const url = mode && mode->get_string() == "url";
      declared = url ? core_.introduction.capabilities().supports_elicitation_url() : core_.introduction.capabilities().supports_elicitation_form();
    }
    if (!declared || !rounds_)
      return {errc::protocol_violation, "the server asks for " + asked.method + ", which was not declared"};
  }
  return {};
}

// Before state alone goes back: a server that is not ready yet is not asked in a loop.
COMCP_LAZY_DECL asio::awaitable<error> exchange::rest(progress& p) {
  auto& calls = core_.calls;
  auto const before = calls.now();
  pending_entry e(pending_entry::span::client);
  if (!calls.enlist(e, std::min({p.pause, p.left, std::chrono::nanoseconds(p.hard - before)})))
    co_return error(errc::queue_full, "too many calls in flight");
  calls.end_with(p.call.options.stop(), e);
  auto const over = co_await calls.wait(e);
  if (over.error() != errc::timeout) co_return over.error();
  p.spend(calls.now() - before);
  if (p.left <= p.left.zero() || calls.now() >= p.hard) co_return error(errc::timeout, p.call.method.text());
  p.pause = std::min<std::chrono::nanoseconds>(2 * p.pause, longest_rest);
  co_return error();
}

// What is broken off may go out again under a new id only where the caller, or what it is, allows that.
COMCP_LAZY_DECL bool exchange::may_repeat(prepared_call const& c, error const& e) const {
  if (e.peer() || core_.end_reason() || core_.is_closing() || !(c.repeatable || c.options.is_idempotent())) return false;
  return core_.connection.life().is_restarting() || (core_.is_http() && (e == errc::transport_failed || e == errc::idle_timeout));
}

// Of a saved verdict that nothing has shown to hold yet, that is being checked, or that was found to be wrong since.
COMCP_LAZY_DECL bool exchange::may_be_of_other_era(prepared_call const& c, error const& e) const {
  if (!c.sent_modern || !(e.peer() || (core_.is_http() && sansio::is_legacy_refusal(e)))) return false;
  return core_.recovery.doubts_era() || core_.connection.life().is_restarting() || !core_.is_modern();
}

// A saved verdict may be out of date, which an error answer can be the sign of: the server is asked, once for all
// calls. True when the call is to go out again, in the other era; one that was refused unread did nothing yet.
COMCP_LAZY_DECL asio::awaitable<result<bool>> exchange::probe_again(prepared_call const& c, error refusal) {
  core_.recovery.check_era();
  auto const failed = co_await core_.recovery.settled(c);
  if (failed) co_return failed;
  auto const* const peer = refusal.peer();
  auto const status = refusal.detail() ? refusal.detail()->http_status.value_or(0) : 0;
  bool const unread = (status >= 400 && status < 500) || (peer && peer->code <= -32600 && peer->code >= -32602);
  co_return !core_.is_modern() && (unread || c.repeatable || c.options.is_idempotent());
}

COMCP_LAZY_DECL bool exchange::follow_version(error const& e) {
  auto const offered = sansio::modern_versions(e);
  if (!offered) return false;
  std::optional<protocol_version> best;
  for (auto const& text : *offered) {
    auto const v = protocol_version::parse(text);
    auto const& allowed = core_.settings.handshake.allowed;
    if (!v || v->era() != era::modern || std::find(allowed.begin(), allowed.end(), *v) == allowed.end()) continue;
    if (!best || *best < *v) best = v;
  }
  if (!best) return false;
  core_.facts.codec = core_.introduction.modern(*best);
  core_.publish();
  return true;
}

// After a -32020: whether the tool is still there, and usable. Within the call's own bounds.
COMCP_LAZY_DECL asio::awaitable<bool> exchange::list_again(prepared_call& c) {
  c.options.forget_tool();
  auto const name = wire::name_in(c.method, c.params);
  call_options bounds;
  bounds.timeout(core_.calls.timeout(c.options)).extend_on_progress(false).stop(c.options.stop());
  bounds.hard_timeout(core_.calls.hard_limit(c.options));
  auto const& steps = core_.pipeline.steps();
  std::optional<std::string> from;
  for (std::size_t pages = 0; pages < core_.settings.limits.pages(); ++pages) {
    prepared_call again(wire::methods::list_tools, from ? args("cursor", *from).text() : std::string(), bounds);
    again.started = c.started;
    again.internal = true;
    again.repeatable = true;
    std::vector<std::uint64_t> asked;
    for (auto const& step : steps) asked.push_back(step->moment());
    auto const r = co_await round_trip(again);
    if (!r) co_return false;
    auto page = json::read<list_tools_result>(r->view());
    if (!page) co_return false;
    core_.facts.learn(*page, core_.settings.limits.items(), core_.is_http());
    for (std::size_t i = 0; i < asked.size(); ++i) steps[i]->learn(r->view(), asked[i]);
    for (auto const& t : page->tools) {
      if (name == t.name) co_return true;
    }
    if (!page->next_cursor || page->next_cursor == from) co_return false;
    from = page->next_cursor;
  }
  co_return false;
}

}  // namespace comcp::detail

// client/impl/inbound.ipp
#include <algorithm>
#include <new>

namespace comcp::detail {

// A page of a list that cannot be parsed, for the sake of its good definitions: what stands for the others says why.
class page_mender final : public json::member_sink {
 public:
  explicit page_mender(json::parse_options const& limits) : limits_(limits), inner_(limits) {
    inner_.max_depth(limits.max_depth() - std::min<std::size_t>(limits.max_depth(), 2));
  }

  std::optional<json::value> run(std::string_view page) {
    w_.begin_object();
    auto const scanned = json::scan_object(padded_text(page.data(), page.size()), *this);
    w_.end_object();
    if (!scanned) return {};
    auto text = std::move(w_).text();
    auto mended = json::parse(pad(text), limits_);
    return mended ? std::optional(std::move(*mended)) : std::nullopt;
  }

  bool on_member(std::string_view key, std::string_view raw) override {
    if (in_list_) return element(raw), true;
    w_.key(key);
    bool const is_list = key == "tools" || key == "resources" || key == "resourceTemplates" || key == "prompts";
    if (!is_list || !raw.starts_with('[')) return w_.raw(raw), true;
    w_.begin_array();
    in_list_ = true;
    auto const scanned = json::scan_array(padded_text(raw.data(), raw.size()), *this);
    in_list_ = false;
    w_.end_array();
    return scanned.has_value();
  }

 private:
  struct name_reader final : json::member_sink {
    std::string name;
    bool on_member(std::string_view key, std::string_view raw) override {
      if (key == "name") name = json::unescape(raw).value_or("");
      return key != "name";
    }
  };

  void element(std::string_view raw) {
    auto const parsed = json::parse(padded_text(raw.data(), raw.size()), inner_);
    if (parsed) {
      w_.raw(raw);
      return;
    }
    name_reader who;
    (void)json::scan_object(padded_text(raw.data(), raw.size()), who);
    w_.begin_object().key(unreadable_key).string(parsed.error().to_string());
    if (!who.name.empty()) w_.plain_key("name").string(who.name);
    w_.end_object();
  }

  json::parse_options limits_, inner_;
  json::writer w_;
  bool in_list_ = false;
};

COMCP_LAZY_DECL inbound::inbound(client_core& core) noexcept : core_(core), from_transport_(*this) {}

COMCP_LAZY_DECL void inbound::delivered(padded_text text, request_id stream) {
  auto const hold = core_.shared_from_this();
  overlap_guard::scope const alone(core_.calls.guard());
  ++core_.calls.counters().messages_in;
  core_.calls.counters().bytes_in += text.size();
  try {
    if (core_.settings.tracer) core_.trace(direction::received, text.view());
    if (plain_answer(text)) return forget_strays();
    auto m = jsonrpc::decode(text);
    if (m.kind == jsonrpc::message_kind::batch) return batch(text, stream);
    message(m, stream);
  } catch (std::bad_alloc const&) {
    core_.recovery.break_off(errc::out_of_memory);
  }
}

COMCP_LAZY_DECL void inbound::message(jsonrpc::envelope& m, request_id stream) {
  if (m.kind != jsonrpc::message_kind::invalid && m.kind != jsonrpc::message_kind::batch) forget_strays();
  switch (m.kind) {
    case jsonrpc::message_kind::response:
    case jsonrpc::message_kind::error: return answer(m, stream);
    case jsonrpc::message_kind::notification: return notification(m);
    case jsonrpc::message_kind::request:
      ++core_.calls.counters().requests;
      if (core_.connection.refuses_requests()) {
        ++core_.calls.counters().dropped;
        return core_.fault(error(errc::protocol_violation, "the server sent a request, which the modern era has not: " + m.method));
      }
      return core_.dispatcher.request(m);
    default: return bad(m);
  }
}

COMCP_LAZY_DECL void inbound::batch(padded_text text, request_id stream) {
  auto const* const old = dynamic_cast<wire::legacy const*>(core_.facts.codec.get());
  jsonrpc::envelope whole;
  whole.text = text.view();
  if (!old || !old->has_batches()) {
    whole.reason = json::parse(text) ? "a batch, which this protocol version has not" : "not JSON";
    return bad(whole);
  }
  struct each final : json::member_sink {
    bool on_member(std::string_view, std::string_view raw) override {
      texts.emplace_back(raw);
      return texts.size() < 10'000;
    }
    std::vector<std::string> texts;
  } parts;
  auto const scanned = json::scan_array(text, parts);
  for (auto& part : parts.texts) {
    auto m = jsonrpc::decode(pad(part));
    if (m.kind == jsonrpc::message_kind::batch) m.reason = "a batch in a batch";
    message(m, stream);
    if (core_.end_reason()) return;
  }
  if (!scanned) {
    whole.reason = "not JSON (" + std::string(scanned.error().message()) + ")";
    bad(whole);
  }
}

COMCP_LAZY_DECL reply inbound::result_of(jsonrpc::envelope const& m) const {
  if (m.kind == jsonrpc::message_kind::error) return jsonrpc::decode_error(m.error);
  auto parsed = json::parse(padded_text(m.result.data(), m.result.size()), core_.settings.limits.json());
  if (parsed) return std::move(*parsed);
  if (parsed.error() == errc::limit_exceeded || parsed.error() == errc::out_of_memory) return parsed.error();
  return error(errc::protocol_violation, "the result cannot be read: " + std::string(parsed.error().message()));
}

// The result of a call that waits, written as nearly everyone writes it; false for all else. Parsing the result is
// what validates it: it is one value only if the rest of the message is what it looked like.
COMCP_LAZY_DECL bool inbound::plain_answer(padded_text text) {
  auto const answer = jsonrpc::find_result(text.view());
  auto const* const found = answer ? core_.calls.table().find(answer->id) : nullptr;
  if (!found || !(*found)->call || !(*found)->sent) return false;
  reply parsed = json::parse(text.part(answer->result), core_.settings.limits.json());
  if (!parsed) return false;
  reply_to(**found, std::move(parsed));
  return true;
}

COMCP_LAZY_DECL void inbound::answer(jsonrpc::envelope& m, request_id stream) {
  auto const id = m.id.value_or(m.raw_id.empty() ? stream : 0);
  auto const* const found = id ? core_.calls.table().find(id) : nullptr;
  if (!found) {
    if (m.raw_id.empty()) {
      // No call owns it: an event of the whole connection.
      auto const e = m.kind == jsonrpc::message_kind::error ? jsonrpc::decode_error(m.error) : error(errc::protocol_violation);
      return core_.fault(e);
    }
    if (core_.calls.table().was_used(id)) {
      ++core_.calls.counters().late;
      return;
    }
  }
  if (!found || !(*found)->call || !(*found)->sent) {
    ++core_.calls.counters().unknown;
    return core_.fault(error(errc::protocol_violation, "an answer to a request that was never sent"));
  }
  auto answer = result_of(m);
  bool const is_page = m.kind == jsonrpc::message_kind::response && (*found)->call->method.name().ends_with("/list");
  if (!answer && is_page) {
    if (auto mended = page_mender(core_.settings.limits.json()).run(m.result)) answer = *std::move(mended);
  }
  reply_to(**found, std::move(answer));
}

COMCP_LAZY_DECL void inbound::reply_to(pending_entry const& e, reply&& r) {
  if (r) {
    if (core_.is_modern() && !e.handshake && core_.facts.learn_name(*r)) core_.publish();
    core_.recovery.answered(e);
  }
  core_.calls.end(e.id, std::move(r));
}

COMCP_LAZY_DECL void inbound::notification(jsonrpc::envelope& m) {
  ++core_.calls.counters().notifications;
  json::value params;
  if (!m.params.empty()) {
    auto parsed = json::parse(padded_text(m.params.data(), m.params.size()), core_.settings.limits.json());
    if (!parsed) {
      m.reason = std::string(parsed.error().message());
      m.id.reset();
      return bad(m);
    }
    params = std::move(*parsed);
  }
  if (m.method == "notifications/progress") return progress(params);
  for (auto const& sink : sinks_) {
    if (sink.notified(m.method, params)) return;
  }
}

COMCP_LAZY_DECL void inbound::progress(json::value const& params) {
  auto const token = params.view().find("progressToken");
  std::optional<std::uint64_t> id = token ? token->get_uint64() : std::nullopt;
  auto const* const found = id ? core_.calls.table().find(*id) : nullptr;
  if (!found || !(*found)->call) {
    ++core_.calls.counters().dropped;
    return;
  }
  auto const& call_opts = (*found)->call->options;
  if (call_opts.extends_on_progress()) core_.calls.extend(*id);
  auto const on_progress = call_opts.on_progress();
  if (!on_progress) return;
  auto p = json::read<progress_notification>(params.view());
  if (!p) return core_.fault(p.error());
  try {
    on_progress(*p);
  } catch (...) {
    core_.fault(error(errc::invalid_argument, "a progress callback threw"));
  }
}

COMCP_LAZY_DECL void inbound::bad(jsonrpc::envelope const& m) {
  ++core_.calls.counters().bad_messages;
  if (m.id && core_.calls.table().find(*m.id) && (*core_.calls.table().find(*m.id))->sent) {
    return core_.calls.end(*m.id, error(m.fault, "the answer cannot be read: " + m.reason));
  }
  auto what = m.reason + ": " + jsonrpc::shown(m.text);
  if (++strays_in_a_row_ == 1) first_stray_ = what;
  core_.fault(error(m.fault, std::move(what)));
  // An exchange over HTTP that brought no answer has failed its own call.
  if (core_.is_http() || strays_in_a_row_ <= core_.settings.limits.bad_lines() || core_.is_closing()) return;
  core_.recovery.break_off(error(errc::protocol_violation, "more unusable messages in a row than limits().bad_lines(), the first: " + first_stray_));
}

COMCP_LAZY_DECL void inbound::stream_ended(request_id id, error why) {
  auto const hold = core_.shared_from_this();
  auto const* const found = core_.calls.table().find(id);
  if (!found || !(*found)->call) return;
  auto const& c = *(*found)->call;
  // A wrong answer stays what it is: its code says that the outcome is open.
  bool const broken = why == errc::transport_failed || why == errc::response_timeout || why == errc::idle_timeout ||
                      why == errc::exchange_timeout;
  bool const unknown = broken && !c.repeatable && !c.options.is_idempotent() && !(*found)->handshake;
  core_.calls.end(id, unknown ? why.with_code(make_error_code(errc::outcome_unknown)) : why);
}

COMCP_LAZY_DECL bool inbound::awaits(request_id id) const {
  auto const* const found = core_.calls.table().find(id);
  return found && (*found)->call && (*found)->sent;
}

COMCP_LAZY_DECL void inbound::session_lost(request_id id, error why) {
  auto const hold = core_.shared_from_this();
  core_.recovery.session_lost(id, std::move(why));
}

COMCP_LAZY_DECL void inbound::authorizing(bool begins) { core_.connection.clock().authorizing(begins); }
COMCP_LAZY_DECL void inbound::deaf(error why) {
  auto const hold = core_.shared_from_this();
  for (auto const& sink : sinks_) sink.deaf(why);
}
COMCP_LAZY_DECL bool inbound::listens() const {
  return std::any_of(sinks_.begin(), sinks_.end(), [](auto const& sink) { return sink.is_awaited(); });
}
COMCP_LAZY_DECL void inbound::closed(error reason) { core_.connection.closed(std::move(reason)); }
COMCP_LAZY_DECL void inbound::fault(error what) { core_.fault(std::move(what)); }

// A handshake without an answer: what came in its place.
COMCP_LAZY_DECL error inbound::with_what_came(error const& e) const {
  if (core_.is_http() || (e != errc::timeout && e != errc::transport_failed)) return e;
  auto const info = core_.connection.channel().info();
  std::string text(e.message());
  if (strays_in_a_row_ > 0)
    text += "; lines that are no messages came, " + std::to_string(strays_in_a_row_) + ", the first: " + first_stray_;
  if (!info.unfinished.empty()) text += "; a line came without its end: " + jsonrpc::shown(info.unfinished);
  auto const told = text == e.message() ? e : e.with_message(std::move(text));
  if (info.stderr_tail.empty() || e.detail()) return told;
  transport_detail detail;
  detail.stderr_tail = info.stderr_tail.substr(info.stderr_tail.size() - std::min<std::size_t>(4096, info.stderr_tail.size()));
  return told.with_detail(std::move(detail));
}

}  // namespace comcp::detail

// client/impl/input_rounds.ipp
#include <algorithm>
#include <map>
#include <set>

namespace comcp::detail {

/// The requests of one round, answered at once. Shared by the coroutines that answer.
struct input_rounds::round {
  pending_entry done;
  input_requests waiting;  // for their turn: limits().handlers_in_flight() are answered at once
  std::map<std::string, std::string> answers;
  error failure;
  std::size_t running = 0;
  std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
  std::vector<std::shared_ptr<bool>> cancelled;

  void cancel() {
    waiting.clear();
    for (auto const& flag : cancelled) *flag = true;
    for (auto const& s : signals) s->emit(asio::cancellation_type::terminal);
  }
};

/// A call that waits until the pages of its -32042 are completed.
struct input_rounds::open_pages {
  explicit open_pages(input_rounds& r) : of(r) { of.open_.push_back(this); }
  open_pages(open_pages const&) = delete;
  open_pages& operator=(open_pages const&) = delete;
  ~open_pages() { std::erase(of.open_, this); }

  input_rounds& of;
  std::set<std::string, std::less<>> ids;
  pending_entry done;
};

COMCP_LAZY std::string responses_text(std::map<std::string, std::string> const& answers) {
  json::writer w;
  w.begin_object();
  for (auto const& [key, text] : answers) w.key(key).raw(text);
  w.end_object();
  return std::move(w).text();
}

// Why a round ended its call. That was sent: a code which says that nothing was does not leave here.
COMCP_LAZY error round_error(error const& e) {
  if (e == errc::validation_failed)
    return e.with_message("the call was sent, but the answer that its server asked for does not match: " +
                          std::string(e.message()));
  bool const is_ours = e.code().category() == comcp_category();
  for (auto const as_it_is : {errc::cancelled, errc::closed, errc::timeout, errc::limit_exceeded, errc::out_of_memory,
                              errc::protocol_violation, errc::outcome_unknown}) {
    if (e == as_it_is) return e;
  }
  return e.peer() || is_ours ? e.with_code(make_error_code(errc::input_refused)) : e;
}

COMCP_LAZY_DECL std::unique_ptr<rounds_link> make_rounds(client_core& core) {
  return std::make_unique<input_rounds_link<input_rounds>>(core);
}

COMCP_LAZY_DECL asio::awaitable<void> input_rounds::answer_one(std::shared_ptr<round> r, std::string key,
                                                               input_request asked) {
  auto const hold = core_.shared_from_this();
  auto ctx = core_.dispatcher.make_context(asked.method, asked.params);
  r->cancelled.push_back(ctx.cancelled_);
  result<json::fragment> answer = error(errc::cancelled);
  try {
    answer = co_await core_.dispatcher.answer(asked.method, asked.params, ctx);
  } catch (std::exception const&) {
    // A cancelled coroutine; its round has ended.
  }
  --r->running;
  if (!answer) {
    if (!r->failure) r->failure = answer.error();
  } else {
    r->answers.emplace(std::move(key), answer->text());
  }
  if (!r->failure) start_answers(r);
  if (r->running == 0 || r->failure) core_.calls.end(r->done.id, json::value());
}

COMCP_LAZY_DECL void input_rounds::start_answers(std::shared_ptr<round> const& r) {
  auto const most = std::max<std::size_t>(1, core_.settings.limits.handlers_in_flight());
  while (r->running < most && !r->waiting.empty()) {
    auto next = r->waiting.extract(r->waiting.begin());
    ++r->running;
    r->signals.push_back(std::make_unique<asio::cancellation_signal>());
    auto work = std::make_shared<asio::awaitable<void>>(answer_one(r, std::move(next.key()), std::move(next.mapped())));
    auto* const signal = r->signals.back().get();
    // Posted: a handler that answers at once must not end the round before it is waited for.
    auto start = [this, hold = core_.shared_from_this(), r, work, signal] {
      if (!r->done.id) return;  // the call has ended
      detail::spawn(core_.home(), std::move(*work), signal->slot(), r);
    };
    detail::post(core_.home(), std::move(start));
  }
}

COMCP_LAZY_DECL asio::awaitable<result<std::string>> input_rounds::answer(input_required_result required,
                                                                          std::stop_token stop, time_point hard) {
  auto const r = std::make_shared<round>();
  auto const most = std::max(std::chrono::nanoseconds(hard - core_.calls.now()), std::chrono::nanoseconds(1));
  if (!core_.calls.enlist(r->done, most)) co_return error(errc::queue_full, "too many calls in flight");
  core_.calls.end_with(stop, r->done);
  r->waiting = std::move(*required.input_requests);
  start_answers(r);
  auto const waited = co_await core_.calls.wait(r->done);
  if (waited && !r->failure) co_return responses_text(r->answers);
  auto cancel_the_rest = [r] { r->cancel(); };
  detail::post(core_.home(), std::move(cancel_the_rest));
  if (!waited) co_return waited.error();
  co_return round_error(r->failure);
}

COMCP_LAZY bool is_accepted(std::string const& responses, std::string_view key) {
  auto const all = json::parse(responses);
  auto const one = all ? all->find(key) : std::nullopt;
  auto const action = one ? one->find("action") : std::nullopt;
  return action && action->view().get_string() == "accept";
}

// One page after the other, each as a round of its own: bounded, and ended with the call.
COMCP_LAZY_DECL asio::awaitable<error> input_rounds::show_pages(prepared_call const& c, error refusal,
                                                                time_point hard) {
  auto const failure = refusal.with_code(make_error_code(errc::url_elicitation_required));
  auto const data = json::parse(refusal.peer()->data);
  auto const list = data ? data->find("elicitations") : std::nullopt;
  if (!list || !core_.introduction.capabilities().supports_elicitation_url()) co_return failure;
  if (list->size() > core_.settings.limits.input_requests())
    co_return error(errc::limit_exceeded, "a -32042 with more pages than limits().input_requests()");
  open_pages pages(*this);  // before the first is shown: it may be completed while it is
  bool may_wait = c.options.awaits_url_elicitations() && list->size() > 0;
  for (auto const e : list->elements()) {
    auto const id = e.find("elicitationId");
    if (id && id->is_string()) pages.ids.emplace(*id->get_string());
    else may_wait = false;
  }
  for (auto const e : list->elements()) {
    input_request page;
    page.method = "elicitation/create";
    page.params = e.share();
    input_required_result one;
    one.input_requests.emplace().emplace("page", std::move(page));
    auto const answered = co_await answer(std::move(one), c.options.stop(), hard);
    may_wait = may_wait && answered && is_accepted(*answered, "page");
    if (answered) continue;
    auto const& why = answered.error();
    bool const call_is_over = why == errc::cancelled || why == errc::closed || why == errc::timeout;
    if (call_is_over && !why.peer()) co_return why;
  }
  if (!may_wait) co_return failure;
  if (pages.ids.empty()) co_return error();
  auto const left = std::max(std::chrono::nanoseconds(hard - core_.calls.now()), std::chrono::nanoseconds(1));
  pages.done.lasts = pending_entry::span::client;
  if (!core_.calls.enlist(pages.done, left)) co_return error(errc::queue_full, "too many calls in flight");
  core_.calls.end_with(c.options.stop(), pages.done);
  auto const completed = co_await core_.calls.wait(pages.done);
  if (completed) co_return error();
  co_return completed.error() == errc::timeout ? failure : completed.error();
}

COMCP_LAZY_DECL bool input_rounds::notified(std::string const& method, json::value const& params) {
  if (method != "notifications/elicitation/complete") return false;
  auto const which = params.view().find("elicitationId");
  auto const id = which ? which->get_string() : std::nullopt;
  if (!id) return false;
  std::vector<request_id> complete;  // first all of them: an end may begin anything
  for (auto* const waiting : open_) {
    auto const found = waiting->ids.find(*id);
    if (found == waiting->ids.end()) continue;
    waiting->ids.erase(found);
    if (waiting->ids.empty() && waiting->done.id) complete.push_back(waiting->done.id);
  }
  for (auto const which_call : complete) core_.calls.end(which_call, json::value());
  return false;
}

}  // namespace comcp::detail

// client/impl/interception.ipp
// A call's way through the interceptors: in a coroutine of its own, so that a hook that hangs holds nobody longer than
// the call's hard timeout, its stop token, its caller's patience or close() allow.

#include <asio/this_coro.hpp>

namespace comcp {
namespace detail {

/// The call and its walk; who waits for it may be gone before that ends.
template <class Core>
struct interception final : pending_entry, task, std::enable_shared_from_this<interception<Core>> {
  interception(std::shared_ptr<Core> c, prepared_call of, performer p)
      : pending_entry(span::client), core(std::move(c)), call(std::move(of)), perform(std::move(p)) {
    told = &means;
    call.counted = true;
    out.method = call.method.text();
    std::string text;
    text.reserve(call.params.size() + padded_text::spare);  // as pad() would ask of it
    text = call.params;
    out.name = wire::name_in(call.method, pad(text)).value_or("");
    out.params = json::fragment::trusted(std::move(text));
  }
  // An interceptor that changes the params changes the name: the next ones see what goes out.
  void rename() {
    if (out.params.text() == call.params) return;
    call.params = out.params.text();
    out.name = wire::name_in(call.method, pad(call.params)).value_or("");
  }
  void run() override { spawn(core->home(), walk(this->shared_from_this()), signal.slot(), this->shared_from_this()); }
  interception(interception const&) = delete;
  interception& operator=(interception const&) = delete;
  // A hook that let go of its coroutine has ended the walk.
  ~interception() {
    if (waiting) complete_later(std::move(waiting), core->home(), error(errc::cancelled, "an interceptor was abandoned"));
  }
  // The request that was sent is taken back here: its wait has no slot of its own, which would be one allocation more.
  void give_up() {
    signal.emit(asio::cancellation_type::terminal);
    if (sent) core->calls.cancel(sent->id);
  }
  static asio::awaitable<void> walk(std::shared_ptr<interception> i);
  static reply means(pending_entry& e, reply&& r);

  std::shared_ptr<Core> const core;
  prepared_call call;
  performer perform;
  outgoing_call out;
  reply outcome = error(errc::cancelled);
  std::size_t reached = 0;  // interceptors
  bool performed = false;
  pending_entry* sent = nullptr;  // in the walk's frame
  asio::cancellation_signal signal;
};

class interception_step {
 public:
  explicit interception_step(client_core& core) noexcept : core_(core) {}

  [[nodiscard]] bool concerns(std::string_view) const noexcept { return true; }
  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c, performer next);

 private:
  client_core& core_;
};

COMCP_LAZY_DECL asio::awaitable<reply> interception_step::perform(prepared_call& c, performer next) {
  if (c.internal) return next(c);
  auto& calls = core_.calls;
  if (core_.end_reason()) return ended(core_.end_reason()->with_outcome(call_outcome::not_sent));
  if (core_.is_closing()) return ended(error(errc::closed, "the client is closing").with_outcome(call_outcome::not_sent));
  if (c.options.stop().stop_requested()) return ended(error(errc::cancelled).with_outcome(call_outcome::not_sent));
  auto const now = calls.now();
  auto const limit = calls.hard_limit(c.options);
  asio::recycling_allocator<interception<client_core>> const memory;
  auto const i =
      std::allocate_shared<interception<client_core>>(memory, core_.shared_from_this(), std::move(c), std::move(next));
  if (!calls.enlist(*i, now, limit, later(now, limit), false))
    return ended(error(errc::queue_full, "more calls in flight than limits().pending_calls()"));
  calls.end_with(i->call.options.stop(), *i);
  auto waiting = calls.wait(*i, std::exchange(i->call.room, nullptr));
  post(core_.home(), i);  // so that nothing ends before the wait has begun
  return waiting;
}

template <class Core>
reply interception<Core>::means(pending_entry& e, reply&& r) {
  auto& i = static_cast<interception&>(e);
  if (!r) {  // it ends before its walk
    auto give_up = [self = i.shared_from_this()] { self->give_up(); };
    post(i.core->home(), std::move(give_up));
  }
  if (r && i.outcome) return i.outcome;
  if (r || (i.performed && !i.outcome)) return judged(i.call, i.outcome.error());
  auto const why = r.error() == errc::timeout ? error(errc::timeout, i.call.method.text()) : r.error();
  bool const begun = i.call.started != std::chrono::steady_clock::time_point();
  return why.with_outcome(begun ? call_outcome::open : call_outcome::not_sent);
}

template <class Core>
asio::awaitable<void> interception<Core>::walk(std::shared_ptr<interception> i) {
  auto const& hooks = i->core->settings.interceptors;
  try {
    bool goes_on = true;
    while (goes_on && i->reached < hooks.size()) {
      auto const& each = hooks[i->reached++];
      if (!each.before) continue;
      auto asked = each.before(i->out);
      auto answer = co_await std::move(asked);
      if (answer) i->outcome = std::move(*answer);
      i->rename();
      goes_on = !answer && i->id;  // an approval that comes too late sends nothing
    }
    if (goes_on) {
      pending_entry sent;
      sent.by_id = true;
      bool plain = false;
      i->sent = &sent;
      auto work = i->perform.begin(i->call, sent, plain);
      auto r = co_await std::move(work);
      if (plain && i->core->exchange.needs_settling(i->call, r)) {
        auto rest = i->core->exchange.settle(i->call, std::move(r));
        r = co_await std::move(rest);
      }
      i->performed = true;
      i->outcome = std::move(r);
    }
  } catch (...) {
    i->outcome = current_error();
  }
  i->sent = nullptr;
  // The way back: whoever was asked is told, also of what was denied, cancelled or late.
  while (i->reached > 0) {
    auto const& each = hooks[--i->reached];
    if (!each.after) continue;
    co_await asio::this_coro::reset_cancellation_state();  // it would end the way back before its first step
    try {
      auto told = each.after(i->out, i->outcome);
      co_await std::move(told);
    } catch (...) {
      i->outcome = current_error();
    }
  }
  i->core->calls.end(i->id, json::value());
}

}  // namespace detail

COMCP_LAZY_DECL connect_options& connect_options::intercept(interceptor i) {
  settings_.interceptors.push_back(std::move(i));
  settings_.steps[detail::connect_settings::interception] = [](client_core& core) {
    return std::make_unique<detail::step_of<detail::interception_step>>(core);
  };
  return *this;
}

}  // namespace comcp

// client/impl/listen_streams.ipp

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<void> ask_subscription(client_core& core, prepared_call c, performer::function how) {
  auto const performed = std::make_shared<bool>(false);
  performer::function marked = [performed, how = std::move(how)](prepared_call& call) {
    *performed = true;
    return how(call);
  };
  auto const r = co_await core.pipeline.run(c, std::move(marked));
  if (!r) throw exception(judged(c, r.error()));
  if (!*performed) throw exception(error(errc::invalid_argument, "an interceptor cannot answer a subscription"));
}

COMCP_LAZY_DECL void listen_streams::open(pointer const& s) {
  if (s->call.params.empty()) s->call.params = args("notifications", s->asked).text();
  s->call.internal = true;
  s->entry.open_ended = true;
  s->entry.call = &s->call;
  s->entry.on_end = [this, hold = core_.weak_from_this(), weak = std::weak_ptr(s)](reply r) {
    auto const core = hold.lock();
    auto const alive = weak.lock();
    if (core && alive) stream_over(alive, std::move(r));
  };
  constexpr auto forever = std::chrono::nanoseconds::max();
  constexpr auto never = std::chrono::steady_clock::time_point::max();
  open_.push_back(s);
  if (!core_.calls.enlist(s->entry, core_.calls.now(), forever, never, !s->independent)) return stream_over(s, error(errc::queue_full));
  ++core_.calls.counters().tracked;
  if (auto const sent = core_.outbound.transmit(s->entry); !sent) core_.calls.end(s->entry.id, sent.error());
}

inline error unacknowledged() {
  return {errc::protocol_violation, "the server ended subscriptions/listen before it acknowledged it"};
}

COMCP_LAZY_DECL void listen_streams::stream_over(pointer const& s, reply r) {
  std::erase(open_, s);
  s->end(r ? error() : r.error());
  if (s->acknowledgment.id) core_.calls.end(s->acknowledgment.id, r ? reply(unacknowledged()) : std::move(r));
  core_.calls.wake(s->readers, json::value());
  over_(s);
}

COMCP_LAZY_DECL asio::awaitable<error> listen_streams::acknowledged(pointer s, call_options options) {
  if (s->is_acknowledged) co_return error();
  if (auto const why = s->ended()) co_return *why ? *why : unacknowledged();
  auto const timeout = core_.calls.timeout(options);
  if (!core_.calls.enlist(s->acknowledgment, std::min(timeout, core_.calls.hard_limit(options)))) co_return error(errc::queue_full);
  core_.calls.end_with(options.stop(), s->acknowledgment);
  auto const waited = co_await core_.calls.wait(s->acknowledgment);
  if (waited) co_return error();
  if (waited.error() == errc::timeout) co_return error(errc::timeout, "subscriptions/listen was not acknowledged");
  co_return waited.error();
}

COMCP_LAZY_DECL void listen_streams::close(listen_stream& s) {
  s.end(error());
  if (s.entry.id) core_.calls.cancel(s.entry.id);
}

COMCP_LAZY_DECL asio::awaitable<listen_streams::pointer> listen_streams::listen(subscription_filter filter,
                                                                                call_options options) {
  auto const hold = core_.shared_from_this();
  auto const s = std::make_shared<listen_stream>(std::move(filter));
  s->independent = true;
  prepared_call c(wire::methods::listen, args("notifications", s->asked).text(), std::move(options));
  performer::function how = [this, s](prepared_call& call) { return open_for(s, call); };
  try {
    co_await ask_subscription(core_, std::move(c), std::move(how));
  } catch (...) {
    close(*s);
    throw;
  }
  co_return s;
}

COMCP_LAZY_DECL asio::awaitable<reply> listen_streams::open_for(pointer s, prepared_call& c) {
  auto bad = co_await core_.recovery.settled(c);
  if (!bad) bad = core_.exchange.check(c);
  if (bad) co_return bad;
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled);
  s->call.params = c.params;
  s->call.options = c.options;
  s->call.options.extend_on_progress(false);
  open(s);
  auto failure = co_await acknowledged(s, c.options);
  if (is_other_version(failure) && core_.exchange.follow_version(failure)) {
    s->begin_again();
    open(s);
    failure = co_await acknowledged(s, c.options);
  }
  if (!failure) co_return json::value();
  close(*s);
  co_return failure;
}

COMCP_LAZY_DECL asio::awaitable<std::optional<any_notification>> listen_streams::next(pointer s) {
  auto const hold = core_.shared_from_this();
  while (s->queue.empty()) {
    if (s->ended()) co_return std::nullopt;
    pending_entry e(pending_entry::span::last);
    if (!core_.calls.enlist(e, std::chrono::nanoseconds::max())) throw exception(error(errc::queue_full));
    core_.calls.table().line_up(s->readers, e.id);
    auto const woken = co_await core_.calls.wait(e);
    if (!woken) throw exception(woken.error());
  }
  auto first = std::move(s->queue.front());
  s->queue.pop_front();
  co_return first;
}

COMCP_LAZY_DECL listen_streams::pointer listen_streams::by_id(std::uint64_t id) const {
  for (auto const& s : open_) {
    if (s->entry.id == id && id != 0) return s;
  }
  return {};
}

COMCP_LAZY_DECL listen_streams::route listen_streams::routed(std::string const& method, json::value const& params) {
  auto const meta = params.view().find("_meta");
  auto const id = meta ? subscription_id_of(*meta) : std::nullopt;
  if (!id) return method == "notifications/subscriptions/acknowledged" ? route::taken : route::untagged;
  auto const s = id->integer() ? by_id(static_cast<std::uint64_t>(*id->integer())) : nullptr;
  if (!s) {
    ++core_.calls.counters().dropped;
    return route::taken;
  }
  if (method == "notifications/subscriptions/acknowledged") {
    auto ack = json::read<subscriptions_acknowledged>(params.view());
    if (ack) s->acknowledged = std::move(ack->notifications);
    s->is_acknowledged = true;
    s->acknowledged_at = core_.calls.now();
    if (s->acknowledgment.id) core_.calls.end(s->acknowledgment.id, json::value());
    return route::taken;
  }
  if (!s->independent) return route::shared;
  if (s->queue.size() >= core_.settings.limits.subscription_queue()) {
    ++s->dropped;
    ++core_.calls.counters().dropped;
  } else {
    s->queue.emplace_back(method, params);
  }
  core_.calls.wake(s->readers, json::value());
  return route::taken;
}

COMCP_LAZY_DECL void listen_streams::cancelled_by_server(json::view request) {
  auto const id = request.get_uint64();
  auto const s = id ? by_id(*id) : nullptr;
  if (s) core_.calls.end(s->entry.id, error(errc::closed, "the server ended the subscription"));
}

COMCP_LAZY_DECL void listen_streams::end_all(error const& reason) {
  auto const all = open_;
  for (auto const& s : all) {
    s->end(reason);
    core_.calls.end(s->entry.id, reason);  // by way of stream_over()
  }
}

COMCP_LAZY_DECL void listen_streams::shut_down() noexcept {
  for (auto const& s : std::exchange(open_, {})) {
    s->end(error(errc::closed));
  }
}

}  // namespace comcp::detail

// client/impl/negotiation.ipp

namespace comcp::detail {

COMCP_LAZY_DECL negotiation::negotiation(client_core& core)
    : core_(core), machine_(core.settings.handshake, std::chrono::system_clock::now()) {
  probe_.internal = init_.internal = true;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> negotiation::run(std::optional<saved_session> saved,
                                                               std::chrono::nanoseconds timeout) {
  auto const hold = shared_from_this();
  if (!core_.connection.clock().enlist(done_, timeout)) co_return error(errc::queue_full);
  if (saved) resume(*saved);
  else take(machine_.start());
  if (!outcome_) {
    auto const waited = co_await core_.calls.wait(done_);
    if (!outcome_ && !waited) {
      outcome_ = waited.error() == errc::timeout ? error(errc::timeout, "the handshake was not finished in time")
                                                 : waited.error();
    }
  }
  drop_all();
  co_return *outcome_;
}

COMCP_LAZY_DECL void negotiation::drop_all() noexcept {
  for (auto* const e : {&probe_entry_, &initialize_entry_, &probe_timer_, &done_}) core_.calls.withdraw(*e);
}

COMCP_LAZY_DECL void negotiation::closed(error const& reason) { take(machine_.closed(reason)); }

COMCP_LAZY_DECL void negotiation::settle(error why) {
  if (outcome_) return;
  outcome_ = why ? result<void>(std::move(why)) : result<void>();
  if (done_.id) core_.calls.end(done_.id, json::value());
}

COMCP_LAZY_DECL void negotiation::take(sansio::handshake_step const& step) {
  using action = sansio::handshake_step::action;
  switch (step.what) {
    case action::wait: return;
    case action::discover: return probe(*step.version);
    case action::initialize: return initialize(*step.version);
    case action::reopen: return core_.spawn(reopen());
    case action::fail: return settle(step.why);
    case action::ready:
      if (step.version->era() == era::modern) {
        codec_ = core_.introduction.modern(*step.version);
        if (machine_.from_prior()) discovered_ = core_.settings.handshake.prior->discovered;
      } else {
        codec_ = std::make_unique<wire::legacy>(*step.version);
      }
      commit();
      return settle({});
  }
}

// What callers see of it, in one step.
COMCP_LAZY_DECL void negotiation::commit() {
  auto& f = core_.facts;
  f.codec = std::move(codec_);
  f.era_learned = from_prior() ? core_.settings.handshake.prior->date : std::chrono::system_clock::now();
  if (!f.is_modern()) {
    f.info = agreed_->server_info;
    f.capabilities = agreed_->capabilities;
    f.instructions = agreed_->instructions.value_or("");
    f.discovered.reset();
    f.initialize_result = initialize_result_;
  } else if (discovered_) {
    f.discovered = std::move(discovered_);
    f.capabilities = f.discovered->capabilities;
    f.instructions = f.discovered->instructions.value_or("");
    if (auto const info = server_info_of(f.discovered->meta)) f.info = *info;
  }
}

COMCP_LAZY_DECL std::function<void(reply)> negotiation::then(void (negotiation::*next)(reply const&)) {
  return [weak = weak_from_this(), next](reply r) {
    if (auto const alive = weak.lock()) ((*alive).*next)(r);
  };
}

COMCP_LAZY_DECL void negotiation::send(prepared_call& c, pending_entry& e) {
  core_.calls.withdraw(e);
  e.call = &c;
  e.handshake = true;
  core_.connection.clock().enlist(e, core_.settings.handshake_timeout);
}

COMCP_LAZY_DECL void negotiation::probe(protocol_version v) {
  codec_ = core_.introduction.modern(v);
  probe_entry_.on_end = then(&negotiation::probed);
  send(probe_, probe_entry_);
  core_.calls.withdraw(probe_timer_);
  probe_timer_.on_end = [weak = weak_from_this()](reply const& r) {
    auto const alive = weak.lock();
    if (alive && r.error() == errc::timeout) alive->take(alive->machine_.probe_timed_out());
  };
  // Silence of a process says it is legacy.
  if (!core_.is_http()) core_.calls.enlist(probe_timer_, core_.settings.probe_timeout);
  if (auto const sent = core_.outbound.transmit(probe_entry_, *codec_); !sent) settle(sent.error());
}

COMCP_LAZY_DECL void negotiation::probed(reply const& r) {
  core_.calls.withdraw(probe_timer_);
  if (!r) return take(machine_.discover_failed(r.error()));
  auto found = json::read<discover_result>(r->view());
  if (!found) return take(machine_.discover_failed(error::from_peer({-32603, "no DiscoverResult", {}})));
  auto const step = machine_.discovered(found->supported_versions);
  discovered_ = std::move(*found);
  take(step);
}

COMCP_LAZY_DECL void negotiation::initialize(protocol_version v) {
  codec_ = std::make_unique<wire::legacy>(v);
  init_.params = core_.introduction.initialize(v);
  initialize_entry_.on_end = then(&negotiation::initialized);
  send(init_, initialize_entry_);
  if (auto const sent = core_.outbound.transmit(initialize_entry_, *codec_); !sent) settle(sent.error());
}

COMCP_LAZY_DECL void negotiation::initialized(reply const& r) {
  if (!r) return take(machine_.initialize_failed(r.error()));
  auto const named = r->view().find("protocolVersion");
  auto const step = machine_.initialized(named ? std::string(named->get_string().value_or("")) : std::string());
  auto found = json::read<initialize_result>(r->view());
  if (step.what == sansio::handshake_step::action::ready) {
    if (!found) return settle(found.error().with_code(make_error_code(errc::protocol_violation)));
    agreed_ = std::move(*found);
    initialize_result_ = *r;
  }
  take(step);
}

COMCP_LAZY_DECL asio::awaitable<void> negotiation::reopen() {
  auto const hold = shared_from_this();
  auto const core = core_.shared_from_this();
  for (auto* const e : {&probe_entry_, &initialize_entry_, &probe_timer_}) core_.calls.withdraw(*e);
  auto const opened = co_await core_.connection.open_channel();
  if (outcome_) co_return;
  if (opened) take(machine_.reopened());
  else settle(opened.error());
}

COMCP_LAZY_DECL void negotiation::resume(saved_session const& saved) {
  auto text = saved.initialize_result;
  auto const raw = json::parse(pad(text));
  auto agreed = raw ? json::read<initialize_result>(raw->view()) : result<initialize_result>(error(errc::invalid_json));
  auto const named = agreed ? raw->view().find("protocolVersion") : std::nullopt;
  auto const version = named ? protocol_version::parse(named->get_string().value_or("")) : std::nullopt;
  if (!version || version->era() != era::legacy || saved.id.empty())
    return settle(error(errc::invalid_argument, "not a session that client.session() gave"));
  codec_ = std::make_unique<wire::legacy>(*version);
  agreed_ = std::move(*agreed);
  initialize_result_ = *raw;
  resumed_ = true;
  commit();
  settle({});
}

}  // namespace comcp::detail

// client/impl/outbound.ipp

namespace comcp::detail {

COMCP_LAZY_DECL result<void> outbound::transmit(pending_entry& e) { return transmit(e, *core_.facts.codec); }

COMCP_LAZY_DECL result<void> outbound::transmit(pending_entry& e, wire::codec const& codec) {
  auto const& c = *e.call;
  c.sent_modern = codec.is_modern();
  wire::request_meta meta;
  meta.user = &c.options.meta();
  meta.progress = c.options.wants_progress();
  if (!e.handshake) meta.level = c.options.log_level() ? c.options.log_level() : core_.settings.log_level;
  outgoing message(codec.request(e.id, c.method, c.params, meta), e.id);
  message.handshake = e.handshake;
  message.open_ended = e.open_ended;
  if (core_.is_http()) {
    message.method = c.method.text();
    if (auto const labelled = label(message, e, codec, core_.facts.tools); !labelled) return labelled.error();
  }
  if (core_.settings.tracer) core_.trace(direction::sent, message.text);
  auto sent = core_.connection.channel().send(std::move(message));
  e.sent = sent.has_value();
  return sent;
}

COMCP_LAZY_DECL void outbound::cancel(request_id id, pending_entry const& e, std::string_view why) {
  auto& channel = core_.connection.channel();
  if (!e.call || !e.sent || !channel.is_open()) return;
  if (e.handshake) {  // never told; over HTTP there is a response that nobody waits for any more
    if (core_.is_http()) channel.abandon(id);
    return;
  }
  if (channel.abandon(id) || (core_.is_http() && core_.is_modern())) return;
  send_text(wire::codec::cancelled(id, why.empty() ? e.call->options.cancel_reason() : why));
}

COMCP_LAZY_DECL void outbound::notify(std::string_view method, std::string_view params,
                                      wire::request_meta const& meta) {
  if (!core_.facts.codec || !core_.connection.channel().is_open()) return;
  outgoing message(core_.facts.codec->notification(method, params, meta));
  message.method = method;
  send(std::move(message));
}

COMCP_LAZY_DECL void outbound::send_text(std::string text) {
  if (core_.connection.channel().is_open()) send(outgoing(std::move(text)));
}

COMCP_LAZY_DECL void outbound::send(outgoing message) {
  if (core_.is_http()) label(message, core_.facts);
  if (core_.settings.tracer) core_.trace(direction::sent, message.text);
  auto const sent = core_.connection.channel().send(std::move(message));
  if (!sent) core_.fault(sent.error());
}

}  // namespace comcp::detail

// client/impl/recovery.ipp

namespace comcp::detail {

COMCP_LAZY_DECL void recovery::lost(error why) {
  if (!restarts_ || !restarts_->begin(why)) connection_.finish(std::move(why));
}

COMCP_LAZY_DECL restarts_link& recovery::restarts(restarts_maker make) {
  if (!restarts_) restarts_ = make(core_);
  return *restarts_;
}

COMCP_LAZY_DECL void recovery::break_off(error reason) {
  if (restarts_ && core_.settings.ask_to_reconnect) {
    if (connection_.life().is_restarting()) return;  // it is being replaced, or the attempt's own timeouts end it
    if (connection_.life().is(sansio::life_state::ready) && restarts_->begin(reason)) return;
  }
  core_.spawn(connection_.close(std::move(reason)));
}

COMCP_LAZY_DECL void recovery::session_lost(request_id id, error why) {
  constexpr unsigned most = 2;  // without one answer in between
  auto const* const found = id ? core_.calls.table().find(id) : nullptr;
  auto const& life = connection_.life();
  bool const hopeless = !life.is_restarting() && (!life.is(sansio::life_state::ready) || renewals_in_a_row_ >= most);
  if (found && (*found)->call) {
    if (hopeless) renewals_in_a_row_ = 0;  // for the next call to try again
    auto& e = **found;
    if (hopeless || e.handshake || std::exchange(e.renewed, true)) {
      core_.calls.end(id, std::move(why));
    } else {
      e.sent = false;
      core_.calls.table().line_up(deferred_, id);
    }
  }
  if (!hopeless) renew();
}

COMCP_LAZY_DECL void recovery::check_era() {
  if (!std::exchange(prior_unconfirmed_, false) || connection_.life().is_restarting()) return;
  eras_.forget();
  begin_renegotiation({});
}

COMCP_LAZY_DECL void recovery::renew() {
  if (!connection_.life().is(sansio::life_state::ready)) return;
  renewal_due_ = false;
  ++renewals_in_a_row_;
  // The server is known: no probe. Should it have become a modern one, its answer to initialize says so.
  auto known = core_.verdict();
  known.date = std::chrono::system_clock::now();
  begin_renegotiation(std::move(known));
}

// On the connection as it is. Shared by all calls that wait for its outcome: none of them ends it.
COMCP_LAZY_DECL void recovery::begin_renegotiation(std::optional<era_verdict> known) {
  connection_.on(sansio::life_event::renew);
  core_.spawn(renegotiate(std::move(known)));
}

COMCP_LAZY_DECL asio::awaitable<void> recovery::renegotiate(std::optional<era_verdict> known) {
  auto const hold = core_.shared_from_this();
  auto const& life = connection_.life();
  bool const renews = known.has_value();
  auto const before = eras_.exchange(std::move(known));
  connection_.clock().begin();
  auto const done = co_await connection_.negotiate();
  eras_.exchange(before);
  if (life.is_closing()) co_return;
  if (!connection_.channel().is_open())
    co_return lost(done ? error(errc::transport_failed, "lost while it was renewed") : done.error());
  if (!done) {
    if (!renews) prior_unconfirmed_ = core_.is_modern();  // it may be checked again
    co_return kept(done.error());
  }
  core_.calls.counters().renewals += renews;
  bool const ready = co_await connection_.settle();
  if (!ready && !life.is_closing()) lost(lost_again_);
}

// The connection is as it was: the next call tries again. Those that waited do not.
COMCP_LAZY_DECL void recovery::kept(error const& why) {
  renewal_due_ = core_.is_http() && !core_.is_modern();
  // Those that wait now: who hears of it or resumes may begin the next one, and wait for that.
  auto calls = std::exchange(deferred_, {});
  auto settling = std::exchange(unsettled_, {});
  auto restarting = restarts_ ? restarts_->take_waiting() : std::vector<request_id>();
  connection_.on(sansio::life_event::kept);
  core_.calls.wake(restarting, why);
  core_.calls.wake(calls, why);
  core_.calls.wake(settling, why);
}

COMCP_LAZY_DECL void recovery::answered(pending_entry const& e) noexcept {
  if (!e.call->internal) {  // a handshake alone shows nothing: it may die of a call
    if (restarts_) restarts_->proved();
    renewals_in_a_row_ = 0;
  }
  if (!e.handshake) prior_unconfirmed_ = false;
}

COMCP_LAZY_DECL bool recovery::is_unsettled() const noexcept {
  return connection_.life().is_restarting() || !core_.facts.codec;
}

COMCP_LAZY_DECL bool recovery::defers(pending_entry const& e) {
  if (renewal_due_ && !connection_.life().is_restarting()) renew();
  if (!is_unsettled()) return false;
  core_.calls.table().line_up(deferred_, e.id);
  return true;
}

COMCP_LAZY_DECL asio::awaitable<error> recovery::settled(prepared_call const& c) {
  if (connection_.end_reason()) co_return *connection_.end_reason();
  if (!is_unsettled()) co_return error();
  auto failed = co_await core_.calls.wait_in(unsettled_, c);
  co_return failed;
}

COMCP_LAZY_DECL void recovery::restored() {
  for (auto const id : std::exchange(deferred_, {})) {
    auto const* const found = core_.calls.table().find(id);
    if (!found) continue;
    auto& e = **found;
    if (is_unsettled()) {  // by whoever resumed here
      core_.calls.table().line_up(deferred_, id);
    } else if (auto const bad = core_.exchange.refuses(*e.call)) {
      core_.calls.end(id, bad);
    } else if (auto const sent = core_.outbound.transmit(e); !sent) {
      core_.calls.end(id, sent.error());
    }
  }
  if (is_unsettled() || connection_.life().is_closing()) return;
  // Those that wait now, as above.
  auto settling = std::exchange(unsettled_, {});
  auto restarting = restarts_ ? restarts_->take_waiting() : std::vector<request_id>();
  core_.calls.wake(settling, json::value());
  core_.calls.wake(restarting, json::value());
}

}  // namespace comcp::detail

// client/impl/restarts.ipp

namespace comcp {
namespace detail {

COMCP_LAZY_DECL restarts::restarts(client_core& core)
    : core_(core), connection_(core.connection), delays_(core.settings.reconnect) {}

COMCP_LAZY_DECL std::unique_ptr<restarts_link> make_restarts(client_core& core) {
  return std::make_unique<restarts_behind_link<restarts>>(core);
}

COMCP_LAZY_DECL std::optional<restarts::nanoseconds> restarts::next(error const& why) {
  if (auto const& ask = core_.settings.ask_to_reconnect) {
    try {
      return ask(why);
    } catch (...) {
      core_.fault(error(errc::invalid_argument, "a reconnect_hook threw"));
      return {};
    }
  }
  return delays_.failed(chance_());
}

COMCP_LAZY_DECL bool restarts::begin(error const& why) {
  auto const wait = next(why);
  if (connection_.life().is_closing()) return true;  // by whom it asked
  if (wait) give_way(why, *wait);
  return wait.has_value();
}

COMCP_LAZY_DECL void restarts::give_way(error const& why, nanoseconds wait) {
  at_once_ = false;
  core_.recovery.forget_renewal();
  connection_.on(sansio::life_event::lost);
  connection_.cancel_inbound();
  connection_.fail_all(why);
  if (!connection_.life().is_closing()) core_.spawn(run(wait));
}

COMCP_LAZY_DECL error restarts::begin_anew(error why, nanoseconds wait) {
  auto const& life = connection_.life();
  if (connection_.end_reason()) return *connection_.end_reason();
  if (life.is_closing()) return {errc::closed, "the client is closing"};
  if (life.is_restarting() || life.is(sansio::life_state::restoring)) {
    at_once_ = true;
    core_.calls.end(pause_, json::value());
    return {};
  }
  if (!life.is(sansio::life_state::ready)) return {errc::not_ready, "the first connection is still being made"};
  delays_.proved();
  give_way(why, wait);
  return connection_.end_reason().value_or(error());
}

COMCP_LAZY_DECL asio::awaitable<void> restarts::reconnect(error why) {
  auto const hold = core_.shared_from_this();
  if (auto const bad = begin_anew(std::move(why), {})) throw exception(bad);
  pending_entry outcome(pending_entry::span::client);
  if (!core_.calls.enlist(outcome, nanoseconds::max())) throw exception(error(errc::queue_full));
  core_.calls.table().line_up(waiting_, outcome.id);
  auto const r = co_await core_.calls.wait(outcome);
  if (!r) throw exception(r.error());
}

COMCP_LAZY_DECL asio::awaitable<void> restarts::run(nanoseconds first_wait) {
  auto const hold = core_.shared_from_this();
  auto const& life = connection_.life();
  std::optional<nanoseconds> until_next = first_wait;
  error last(errc::closed);
  for (;;) {
    if (connection_.channel().is_open()) {
      bool const through = co_await connection_.close_channel();
      if (life.is_closing()) co_return;
      if (!through && until_next) co_return connection_.finish(error(errc::timeout, "the transport did not close in time"));
    }
    if (!until_next) co_return connection_.finish(last);
    pending_entry pause(pending_entry::span::client);
    if (!at_once_ && core_.calls.enlist(pause, *until_next)) {
      pause_ = pause.id;
      (void)co_await core_.calls.wait(pause);
      if (life.is_closing()) co_return;
    }
    auto work = attempt();
    last = co_await std::move(work);
    if (life.is_closing() || !last) co_return;
    connection_.on(sansio::life_event::lost);
    at_once_ = false;
    until_next = next(last);
    core_.calls.wake(waiting_, last);
    if (life.is_closing()) co_return;
  }
}

// What it failed with, if it did; where the client closes meanwhile, that does not matter.
COMCP_LAZY_DECL asio::awaitable<error> restarts::attempt() {
  auto const& life = connection_.life();
  connection_.on(sansio::life_event::due);
  connection_.clock().begin();
  if (on_attempt_) on_attempt_();
  if (life.is_closing()) co_return error();
  auto again = co_await connection_.open_channel();
  if (life.is_closing()) co_return error();
  if (again) again = co_await connection_.negotiate();
  if (life.is_closing()) co_return error();
  if (!again) co_return again.error();
  ++core_.calls.counters().reconnects;
  for (auto const& step : core_.pipeline.steps()) step->connected(true);
  bool const ready = co_await connection_.settle();
  if (ready || life.is_closing()) co_return error();
  co_return core_.recovery.lost_again();
}

}  // namespace detail

COMCP_LAZY_DECL connect_options& connect_options::reconnect(reconnect_policy p) {
  settings_.reconnect = p;
  settings_.ask_to_reconnect = nullptr;
  settings_.restarts = [](client_core& c) { return detail::make_restarts(c); };
  return *this;
}

COMCP_LAZY_DECL connect_options& connect_options::reconnect(reconnect_hook ask) {
  reconnect(reconnect_policy());
  settings_.ask_to_reconnect = std::move(ask);
  return *this;
}

}  // namespace comcp

// client/impl/shared_stream.ipp

namespace comcp::detail {

COMCP_LAZY_DECL void shared_stream::refresh() {
  if (std::exchange(reconciling_, true)) return give_up_opening();
  core_.spawn(reconcile());
}

COMCP_LAZY_DECL asio::awaitable<error> shared_stream::join(std::string uri, prepared_call& c) {
  // Posted: with nothing to do it would be over before the wait below has begun.
  auto begin = [this, weak = core_.weak_from_this()] {
    if (auto const core = weak.lock()) refresh();
  };
  detail::post(core_.home(), std::move(begin));
  auto const timeout = core_.calls.timeout(c.options);
  if (timeout > patience_.timeout().value_or(core_.calls.timeout({}))) patience_.timeout(timeout);
  auto failure = co_await core_.calls.wait_in(waiting_, c);
  if (failure) co_return failure;
  if (open_ && open_->acknowledged.has_resource(uri)) co_return error();
  co_return error(errc::not_found, "the server did not acknowledge the subscription to " + uri);
}

COMCP_LAZY_DECL void shared_stream::over(pointer const& s) {
  if (open_ != s) return;
  open_.reset();
  if (core_.connection.status() != connection_status::ready || !s->is_acknowledged) return;
  gap_ = true;
  // One that was open for a while was no failure: over HTTP an idle stream may be cut by whoever is on the way.
  if (core_.calls.now() - s->acknowledged_at >= sansio::backoff::lasting) delays_.proved();
  reopen_later();
}

COMCP_LAZY_DECL void shared_stream::ended(error const& reason) {
  delays_.proved();
  open_.reset();
  streams_.end_all(reason);
  core_.calls.wake(waiting_, reason);
}

// After 1 s, 2 s, 4 s ... 30 s. After two minutes, in which a server may start again, it is said.
COMCP_LAZY_DECL void shared_stream::reopen_later() {
  constexpr unsigned many = 8;
  if (std::exchange(reopening_, true)) return;
  auto const wait = delays_.failed(0);
  if (delays_.failures() == many + 1) {
    error const why(errc::transport_failed, "the stream of subscriptions breaks again and again: no updates for now");
    core_.fault(why);
    hub_.silent(why);
  }
  auto again = [](shared_stream* self, std::shared_ptr<client_core> hold,
                  std::chrono::milliseconds after) -> asio::awaitable<void> {
    bool const slept = co_await hold->sleep(after);
    self->reopening_ = false;
    if (slept) self->refresh();
  };
  core_.spawn(again(this, core_.shared_from_this(), *wait));
}

// Who asked for something may have gone before it was acknowledged: the others do not wait behind that.
COMCP_LAZY_DECL void shared_stream::give_up_opening() {
  if (!opening_) return;
  auto give_up = [this, hold = core_.weak_from_this()] {
    auto const core = hold.lock();
    if (!core || !opening_ || !opening_->acknowledgment.id || hub_.wanted().covers(opening_->asked)) return;
    core->calls.end(opening_->acknowledgment.id, error(errc::cancelled));
  };
  detail::post(core_.home(), std::move(give_up));
}

// Opens the stream that is wanted now, and ends the old one only after the new one is acknowledged.
COMCP_LAZY_DECL asio::awaitable<void> shared_stream::reconcile() {
  auto const hold = core_.shared_from_this();
  error failure;
  bool followed = false;
  for (;;) {
    auto const filter = hub_.wanted();
    auto const old = open_;
    if (core_.end_reason()) {
      failure = *core_.end_reason();
      break;
    }
    if (core_.connection.status() != connection_status::ready) {
      reconciling_ = false;
      co_return;  // connected() or ended() sees to those who wait
    }
    if (filter.empty()) delays_.proved();
    if (old ? old->asked == filter : filter.empty()) break;
    if (filter.empty()) {
      open_.reset();
      streams_.close(*old);
      break;
    }
    auto const fresh = std::make_shared<listen_stream>(filter);
    opening_ = fresh;
    streams_.open(fresh);
    failure = co_await streams_.acknowledged(fresh, patience_);
    opening_.reset();
    if (failure) {
      bool const given_up = failure == errc::cancelled && !fresh->ended();
      streams_.close(*fresh);
      if (given_up) failure = error();
      if (given_up) continue;
      if (is_other_version(failure) && !std::exchange(followed, true) && core_.exchange.follow_version(failure)) continue;
      break;
    }
    open_ = fresh;
    hub_.adopt(*fresh);
    if (close_gap()) hub_.missed_changes();
    if (old) streams_.close(*old);
  }
  reconciling_ = false;
  patience_ = call_options();
  if (failure && !core_.end_reason()) {
    core_.fault(failure);
    hub_.silent(failure);
    if (!failure.peer()) reopen_later();
  }
  reply outcome = json::value();
  if (failure) outcome = failure;
  core_.calls.wake(waiting_, outcome);
}

}  // namespace comcp::detail

// client/impl/subscribers.ipp
// Who subscribes to a resource or watches a list and leaves again, alone or with others, and is told when no changes
// come; what is shared is in subscription_hub.ipp.

namespace comcp::detail {

COMCP_LAZY_DECL void subscription_hub::forget(std::string const& uri,
                                              std::shared_ptr<updated_callback const> const& callback) {
  auto const found = resources_.find(uri);
  if (found == resources_.end()) return;
  std::erase(found->second.callbacks, callback);
  if (found->second.callbacks.empty()) resources_.erase(found);
}

// A subscriber from its first moment: it leaves again unless all went well.
struct subscription_hub::membership {
  membership(subscription_hub& h, std::string u, std::shared_ptr<updated_callback const> f)
      : hub(h), uri(std::move(u)), callback(std::move(f)) {
    hub.resources_[uri].callbacks.push_back(callback);
  }
  membership(membership const&) = delete;
  membership& operator=(membership const&) = delete;
  ~membership() {
    if (!stays) hub.forget(uri, callback);
  }
  subscription_hub& hub;
  std::string uri;
  std::shared_ptr<updated_callback const> callback;
  bool stays = false;
};

COMCP_LAZY_DECL void subscription_hub::wake(std::vector<request_id>& line, error const& why) {
  core_.calls.wake(line, why ? reply(why) : reply(json::value()));
}

COMCP_LAZY_DECL asio::awaitable<void> subscription_hub::subscribe(std::string uri, updated_callback f,
                                                                  call_options options) {
  auto const hold = core_.shared_from_this();
  auto const mine = std::make_shared<updated_callback const>(std::move(f));
  prepared_call c(wire::methods::subscribe, args("uri", uri).text(), std::move(options));
  performer::function how = [this, uri, mine](prepared_call& call) { return join(uri, mine, call); };
  co_await ask_subscription(core_, std::move(c), std::move(how));
}

COMCP_LAZY_DECL asio::awaitable<reply> subscription_hub::join(std::string uri,
                                                              std::shared_ptr<updated_callback const> mine,
                                                              prepared_call& c) {
  auto failure = co_await core_.recovery.settled(c);
  bool const modern = core_.is_modern();
  if (!failure && modern) failure = core_.exchange.check_subscribe(c.options);
  if (!failure && c.options.stop().stop_requested()) failure = error(errc::cancelled);
  if (failure) co_return failure;
  membership me(*this, uri, mine);
  if (modern) failure = co_await shared_.join(uri, c);
  else failure = co_await join_legacy(uri, c);
  if (!failure) {
    me.stays = true;
    auto const& deaf = core_.subscriptions.deafness();
    if (!modern && deaf) core_.fault(deaf);  // subscribed, but nothing brings the updates for now
    co_return json::value();
  }
  forget(uri, mine);
  if (modern) shared_.refresh();
  co_return failure;
}

// One asks for all that come meanwhile; if that goes wrong, the next one does.
COMCP_LAZY_DECL asio::awaitable<error> subscription_hub::join_legacy(std::string uri, prepared_call& c) {
  for (;;) {
    auto& t = resources_[uri];
    if (t.confirmed) co_return error();
    if (!t.asking) break;
    auto failure = co_await core_.calls.wait_in(t.waiting, c);
    if (failure) co_return failure;
  }
  struct asking {
    asking(subscription_hub& h, std::string const& u) : hub(h), uri(u) { hub.resources_[uri].asking = true; }
    asking(asking const&) = delete;
    asking& operator=(asking const&) = delete;
    ~asking() { hub.answered(uri, well); }
    subscription_hub& hub;
    std::string const& uri;
    bool well = false;
  };
  asking now(*this, uri);
  auto const done = co_await core_.exchange.round_trip(c);
  now.well = done.has_value();
  if (done) co_return error();
  co_return done.error();
}

COMCP_LAZY_DECL void subscription_hub::answered(std::string const& uri, bool well) {
  auto const found = resources_.find(uri);
  if (found == resources_.end()) return;
  found->second.asking = false;
  found->second.confirmed = well;
  auto line = std::exchange(found->second.waiting, {});
  wake(line, {});
}

COMCP_LAZY_DECL asio::awaitable<void> subscription_hub::unsubscribe(std::string uri, call_options options) {
  auto const hold = core_.shared_from_this();
  if (core_.end_reason()) throw exception(*core_.end_reason());
  if (!resources_.contains(uri)) throw exception(error(errc::not_found, "no subscription to " + uri));
  prepared_call c(wire::methods::unsubscribe, args("uri", uri).text(), std::move(options));
  performer::function how = [this, uri](prepared_call& call) { return leave(uri, call); };
  co_await ask_subscription(core_, std::move(c), std::move(how));
}

COMCP_LAZY_DECL asio::awaitable<reply> subscription_hub::leave(std::string uri, prepared_call& c) {
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled);
  auto const failed = co_await core_.recovery.settled(c);
  if (failed) co_return failed;
  auto const found = resources_.find(uri);
  if (found != resources_.end()) {
    auto line = std::move(found->second.waiting);
    resources_.erase(found);
    wake(line, error(errc::cancelled, "unsubscribed meanwhile"));
  }
  if (core_.is_modern()) {
    shared_.refresh();
    co_return json::value();
  }
  auto r = co_await core_.exchange.round_trip(c);
  co_return r;
}

COMCP_LAZY_DECL std::uint64_t subscription_hub::watch(std::string kind, std::function<void()> f,
                                                      std::function<void(error const&)> silent) {
  auto const known = silent_.find(kind);
  auto const why = known == silent_.end() ? core_.subscriptions.deafness() : known->second;
  if (why && silent) watchers_.guarded([&] { silent(why); });
  auto const handle = watchers_.add(std::move(kind), std::move(f), std::move(silent));
  if (core_.is_modern()) shared_.refresh();
  return handle;
}

COMCP_LAZY_DECL void subscription_hub::unwatch(std::uint64_t handle) {
  watchers_.remove(handle);
  if (core_.is_modern() && core_.connection.status() == connection_status::ready) shared_.refresh();
}

// What was asked for and is not acknowledged never comes: told once, not at each stream that follows.
COMCP_LAZY_DECL void subscription_hub::adopt(listen_stream const& s) {
  auto const known = std::exchange(silent_, {});
  auto const look = [&](std::string const& kind, bool wanted, bool comes) {
    if (!wanted || comes) return;
    error const why(errc::capability_missing, "the server does not tell of changes of its " + kind +
                                                  ": subscriptions/listen did not acknowledge them");
    silent_.emplace(kind, why);
    if (known.contains(kind)) return;
    core_.fault(why);
    watchers_.tell_silence(kind, why);
  };
  look("tools", s.asked.tools_list_changed, s.acknowledged.tools_list_changed);
  look("prompts", s.asked.prompts_list_changed, s.acknowledged.prompts_list_changed);
  look("resources", s.asked.resources_list_changed, s.acknowledged.resources_list_changed);
  for (auto& [uri, t] : resources_) {
    bool const comes = s.acknowledged.has_resource(uri);
    if (!comes && t.confirmed)
      core_.fault(error(errc::not_found, "the server does not acknowledge the subscription to " + uri + " any more"));
    t.confirmed = comes;
  }
}

COMCP_LAZY_DECL void subscription_hub::deaf(error const& before) {
  auto const& now = core_.subscriptions.deafness();
  if (!now && before && shared_.close_gap()) missed_changes();
  if (!now) return;
  shared_.gap(true);
  watchers_.tell_silence({}, now);
}

}  // namespace comcp::detail

// client/impl/subscription_hub.ipp
#include <array>

namespace comcp::detail {

COMCP_LAZY_DECL subscription_hub::subscription_hub(client_core& core)
    : core_(core),
      streams_(core, [this](listen_streams::pointer const& s) { shared_.over(s); }),
      shared_(core, *this, streams_),
      watchers_([&core](error e) { core.fault(std::move(e)); }) {
  shared_.gap(static_cast<bool>(core.subscriptions.deafness()));
}

COMCP_LAZY_DECL std::unique_ptr<subscriptions_link> make_subscriptions(client_core& core) {
  return std::make_unique<subscription_hub_link<subscription_hub>>(core);
}

COMCP_LAZY_DECL subscription_filter subscription_hub::wanted() const {
  subscription_filter f;
  auto const& h = core_.handler;
  f.tools_list_changed = h.receives("notifications/tools/list_changed");
  f.prompts_list_changed = h.receives("notifications/prompts/list_changed");
  f.resources_list_changed = h.receives("notifications/resources/list_changed");
  for (auto const& step : core_.pipeline.steps()) {
    if (step->wants("tools") && core_.facts.capabilities.supports_list_changed("tools")) f.tools_list_changed = true;
  }
  if (watchers_.wants("tools")) f.tools_list_changed = true;
  if (watchers_.wants("prompts")) f.prompts_list_changed = true;
  if (watchers_.wants("resources")) f.resources_list_changed = true;
  for (auto const& [uri, t] : resources_) f.resource_subscriptions.push_back(uri);
  return f;
}

// All at once: calls that wait for a restart go out after them.
COMCP_LAZY_DECL void subscription_hub::connected() {
  shared_.gap(false);
  if (!core_.is_modern()) silent_.clear();
  tell_watchers();  // a new session, or another process: it may have other lists
  if (core_.is_modern()) return shared_.refresh();
  auto const resources = resources_;
  for (auto const& [uri, t] : resources) {
    if (t.confirmed) core_.spawn(restore_legacy(uri));
  }
}

COMCP_LAZY_DECL void subscription_hub::ended(error const& reason) { shared_.ended(reason); }

COMCP_LAZY_DECL asio::awaitable<void> subscription_hub::restore_legacy(std::string uri) {
  auto const hold = core_.shared_from_this();
  prepared_call again(wire::methods::subscribe, args("uri", uri).text(), {});
  again.internal = true;
  auto const done = co_await core_.exchange.round_trip(again);
  if (!done) core_.fault(done.error());
}

COMCP_LAZY_DECL bool subscription_hub::notified(std::string const& method, json::value const& params) {
  if (method == "notifications/cancelled") {
    auto const which = params.view().find("requestId");
    if (which && core_.is_modern()) streams_.cancelled_by_server(*which);
    return !which || core_.is_modern();
  }
  using route = listen_streams::route;
  auto const to = core_.is_modern() ? streams_.routed(method, params) : route::shared;
  if (to == route::shared) tell(method, params);
  return to == route::taken;
}

inline constexpr std::array<char const*, 3> list_changes = {
    "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"};

COMCP_LAZY_DECL void subscription_hub::tell(std::string const& method, json::value const& params) {
  if (method == "notifications/resources/updated") {
    auto const update = json::read<resource_updated>(params.view());
    if (!update) return core_.fault(update.error());
    auto const found = resources_.find(update->uri);
    if (found == resources_.end()) return;
    auto const callbacks = found->second.callbacks;
    for (auto const& f : callbacks) {
      if (*f) watchers_.guarded([&] { (*f)(*update); });
    }
    return;
  }
  std::string_view const kind = method == "notifications/tools/list_changed"       ? "tools"
                                : method == "notifications/prompts/list_changed"   ? "prompts"
                                : method == "notifications/resources/list_changed" ? "resources"
                                                                                   : "";
  if (kind.empty()) return;
  watchers_.tell(kind);
}

// There was no stream for a while: as though every list had changed.
COMCP_LAZY_DECL void subscription_hub::missed_changes() {
  for (auto const* const method : list_changes) core_.pipeline.notified(method, json::value());
  tell_watchers();
}

COMCP_LAZY_DECL void subscription_hub::tell_watchers() {
  for (auto const* const method : list_changes) tell(method, json::value());
}

}  // namespace comcp::detail

// client/impl/subscriptions.ipp

namespace comcp::detail {

COMCP_LAZY_DECL subscriptions_link& subscriptions::hub(subscriptions_maker make) {
  if (!hub_) hub_ = make(core_);
  return *hub_;
}

COMCP_LAZY_DECL void subscriptions::connected() {
  if (core_.is_modern()) deaf_ = error();
  if (hub_) hub_->connected();
}

COMCP_LAZY_DECL void subscriptions::ended(error const& reason) {
  if (hub_) hub_->ended(reason);
}

COMCP_LAZY_DECL void subscriptions::shut_down() noexcept {
  if (hub_) hub_->shut_down();
}

// Without a hub there is no stream of ours that a notification could belong to.
COMCP_LAZY_DECL bool subscriptions::notified(std::string const& method, json::value const& params) {
  if (hub_) return hub_->notified(method, params);
  bool const modern = core_.is_modern();
  if (method == "notifications/cancelled") return modern || !params.view().find("requestId");
  if (!modern) return false;
  auto const meta = params.view().find("_meta");
  bool const of_a_stream = meta && subscription_id_of(*meta);
  if (of_a_stream) ++core_.calls.counters().dropped;
  return of_a_stream || method == "notifications/subscriptions/acknowledged";
}

COMCP_LAZY_DECL bool subscriptions::is_awaited() const {
  auto const& h = core_.handler;
  bool const heard = h.receives("") || h.receives("notifications/resources/updated") || h.receives("notifications/message");
  return heard || (hub_ && hub_->is_awaited());
}

COMCP_LAZY_DECL void subscriptions::deaf(error const& why) {
  auto const before = std::exchange(deaf_, why);
  // That a server has no such stream is a fault only where somebody waits for what would come on it.
  if (deaf_ && (is_awaited() || !(deaf_ == errc::capability_missing))) core_.fault(deaf_);
  if (hub_) hub_->deaf(before);
}

}  // namespace comcp::detail
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)
#endif

// client/handlers.hpp
// Ready handlers: a list of roots, a log listener, and a broadcast of notifications to any number of listeners.

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

namespace comcp {

/// Offers roots. Copies share one list; change it on the client's executor.
class root_list {
 public:
  root_list() : roots_(std::make_shared<std::vector<root>>()) {}
  explicit root_list(std::vector<root> roots) : roots_(std::make_shared<std::vector<root>>(std::move(roots))) {}

  [[nodiscard]] std::vector<root> list_roots() const { return *roots_; }
  /// Declares listChanged.
  void capabilities(client_capabilities& c) const { c.roots->list_changed = true; }

  /// Errors: invalid_argument, thrown, for a uri that check_root() refuses.
  void add(root r) {
    check_root(r).value();
    remove(r.uri);
    roots_->push_back(std::move(r));
  }
  bool remove(std::string_view uri) {
    return std::erase_if(*roots_, [uri](root const& r) { return r.uri == uri; }) > 0;
  }
  /// Tells the server, where its era has that; call it after add() and remove().
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> notify(client const& c) const {
    if (c.era() == era::legacy) return c.notify_roots_changed();
    return detail::nothing();
  }

 private:
  std::shared_ptr<std::vector<root>> roots_;
};

/// Gives each log message of the server to a function, or writes it to a stream as one line.
class log_handler {
 public:
  explicit log_handler(std::function<void(logging_message const&)> f) : call_(std::move(f)) {}
  /// `out` outlives the client.
  explicit log_handler(std::ostream& out)
      : call_([&out](logging_message const& m) {
          out << '[' << enum_text(m.level) << ']';
          if (m.logger) out << ' ' << *m.logger << ':';
          auto const text = m.data.view().get_string();
          out << ' ' << (text ? std::string(*text) : m.data.dump()) << '\n';
        }) {}

  void on(logging_message const& m) { call_(m); }

 private:
  std::function<void(logging_message const&)> call_;
};

/// Hands every notification to any number of listeners, each with a bounded queue that counts what it dropped.
/// Copies share the listeners. Use it on the client's executor.
class broadcast {
  struct queue {
    explicit queue(std::size_t n) : bound(n) {}
    std::deque<any_notification> items;
    std::size_t bound;
    std::uint64_t dropped = 0;
    asio::steady_timer* reader = nullptr;  // lives in the coroutine that waits
  };

 public:
  /// One listener's end; it stops listening when it is destroyed.
  class listener {
   public:
    explicit listener(std::shared_ptr<queue> q) noexcept : queue_(std::move(q)) {}
    /// Waits for the next one, also when its client is closed: cancel it where that may be. One at a time.
    COMCP_LAZY [[nodiscard]] asio::awaitable<any_notification> next() const { return take(queue_); }
    /// What had no place in the queue.
    [[nodiscard]] std::uint64_t dropped() const noexcept { return queue_->dropped; }
    [[nodiscard]] std::size_t size() const noexcept { return queue_->items.size(); }

   private:
    // Nothing but the executor holds the coroutine that waits, so that it goes with its io_context.
    struct reading {
      reading(queue& q, asio::any_io_executor const& ex) : of(q), woken(ex, asio::steady_timer::time_point::max()) {
        of.reader = &woken;
      }
      reading(reading const&) = delete;
      reading& operator=(reading const&) = delete;
      ~reading() { of.reader = nullptr; }
      queue& of;
      asio::steady_timer woken;
    };

    COMCP_LAZY static asio::awaitable<any_notification> take(std::shared_ptr<queue> q);
    std::shared_ptr<queue> queue_;
  };

  broadcast() : queues_(std::make_shared<std::vector<std::weak_ptr<queue>>>()) {}

  [[nodiscard]] listener listen(std::size_t queue_bound = 256) {
    auto q = std::make_shared<queue>(queue_bound);
    queues_->push_back(q);
    return listener(std::move(q));
  }

  void on(any_notification const& n) {
    std::erase_if(*queues_, [](auto const& weak) { return weak.expired(); });
    auto const all = *queues_;
    for (auto const& weak : all) {
      auto const q = weak.lock();
      if (!q) continue;
      if (q->items.size() >= q->bound) {
        ++q->dropped;
      } else {
        q->items.push_back(n);
      }
      if (q->reader) q->reader->cancel();
    }
  }

 private:
  std::shared_ptr<std::vector<std::weak_ptr<queue>>> queues_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/handlers.ipp
#include <asio/this_coro.hpp>

namespace comcp {

COMCP_LAZY_DECL asio::awaitable<any_notification> broadcast::listener::take(std::shared_ptr<queue> q) {
  if (q->reader) throw exception(error(errc::invalid_argument, "two readers of one listener"));
  auto const ex = co_await asio::this_coro::executor;
  while (q->items.empty()) {
    reading now(*q, ex);
    (void)co_await net::async_wait(now.woken);
    auto const state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) throw exception(error(errc::cancelled));
  }
  auto first = std::move(q->items.front());
  q->items.pop_front();
  co_return first;
}

}  // namespace comcp
#endif

// protocol/errors.hpp
// The error codes of JSON-RPC and MCP by name, and the data that some of them carry.
// Spec: 2026-07-28 basic (error codes), 2025-11-25 client/elicitation.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

namespace error_codes {
inline constexpr std::int64_t parse_error = -32700;
inline constexpr std::int64_t invalid_request = -32600;
inline constexpr std::int64_t method_not_found = -32601;
inline constexpr std::int64_t invalid_params = -32602;
inline constexpr std::int64_t internal_error = -32603;
inline constexpr std::int64_t resource_not_found = -32002;        ///< Legacy; modern servers say invalid_params.
inline constexpr std::int64_t url_elicitation_required = -32042;  ///< 2025-11-25.
inline constexpr std::int64_t header_mismatch = -32020;
inline constexpr std::int64_t missing_required_client_capability = -32021;
inline constexpr std::int64_t unsupported_protocol_version = -32022;
/// What drafts of 2026-07-28 used for missing_required_client_capability and unsupported_protocol_version.
inline constexpr std::int64_t draft_missing_required_client_capability = -32003;
inline constexpr std::int64_t draft_unsupported_protocol_version = -32004;
/// A client's answer when its user refused a sampling request.
inline constexpr std::int64_t user_rejected = -1;
}  // namespace error_codes

/// The name of a code as above; empty for codes without a fixed meaning.
std::string_view error_code_name(std::int64_t code) noexcept;

/// An error object as it travels.
struct error_object {
  error_object() = default;
  error_object(std::int64_t its_code, std::string text, json::value with = {})
      : code(its_code), message(std::move(text)), data(std::move(with)) {}

  std::int64_t code = 0;
  std::string message;
  json::value data;  ///< Null where absent.
  json::value raw;
};
constexpr auto describe(std::type_identity<error_object>) {
  using t = error_object;
  return json::fields(json::field("code", &t::code), json::field("message", &t::message),
                      json::defaulted("data", &t::data), json::rest(&t::raw));
}

/// The data of unsupported_protocol_version.
struct unsupported_version_data {
  unsupported_version_data() = default;

  std::vector<std::string> supported;
  std::optional<std::string> requested;
  json::value raw;
};
constexpr auto describe(std::type_identity<unsupported_version_data>) {
  using t = unsupported_version_data;
  return json::fields(json::field("supported", &t::supported), json::field("requested", &t::requested),
                      json::rest(&t::raw));
}

/// The data of missing_required_client_capability.
struct missing_capability_data {
  missing_capability_data() = default;

  client_capabilities required_capabilities;
  json::value raw;
};
constexpr auto describe(std::type_identity<missing_capability_data>) {
  using t = missing_capability_data;
  return json::fields(json::field("requiredCapabilities", &t::required_capabilities), json::rest(&t::raw));
}

/// The peer's data of an error as a T; nothing where there is none, or it has another shape.
template <json::readable T>
std::optional<T> error_data(error const& e) {
  if (!e.peer() || e.peer()->data.empty()) return {};
  auto const data = json::parse(e.peer()->data);
  if (!data) return {};
  auto typed = data->template get<T>();
  return typed ? std::optional(*std::move(typed)) : std::nullopt;
}

/// error_data, if the error has the code that goes with it (drafts' codes included).
std::optional<unsupported_version_data> unsupported_version_of(error const& e);
std::optional<missing_capability_data> missing_capability_of(error const& e);
std::optional<url_elicitation_required_data> url_elicitation_required_of(error const& e);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/errors.ipp

namespace comcp {
namespace detail {

template <class T>
std::optional<T> data_for(error const& e, std::int64_t code, std::int64_t draft) {
  if (!e.peer() || (e.peer()->code != code && e.peer()->code != draft)) return {};
  return error_data<T>(e);
}

}  // namespace detail

COMCP_DECL std::string_view error_code_name(std::int64_t code) noexcept {
  switch (code) {
    case error_codes::parse_error: return "parse_error";
    case error_codes::invalid_request: return "invalid_request";
    case error_codes::method_not_found: return "method_not_found";
    case error_codes::invalid_params: return "invalid_params";
    case error_codes::internal_error: return "internal_error";
    case error_codes::resource_not_found: return "resource_not_found";
    case error_codes::url_elicitation_required: return "url_elicitation_required";
    case error_codes::header_mismatch: return "header_mismatch";
    case error_codes::missing_required_client_capability: return "missing_required_client_capability";
    case error_codes::unsupported_protocol_version: return "unsupported_protocol_version";
    default: return {};
  }
}

COMCP_DECL std::optional<unsupported_version_data> unsupported_version_of(error const& e) {
  return detail::data_for<unsupported_version_data>(e, error_codes::unsupported_protocol_version,
                                                    error_codes::draft_unsupported_protocol_version);
}

COMCP_DECL std::optional<missing_capability_data> missing_capability_of(error const& e) {
  return detail::data_for<missing_capability_data>(e, error_codes::missing_required_client_capability,
                                                   error_codes::draft_missing_required_client_capability);
}

COMCP_DECL std::optional<url_elicitation_required_data> url_elicitation_required_of(error const& e) {
  return detail::data_for<url_elicitation_required_data>(e, error_codes::url_elicitation_required,
                                                         error_codes::url_elicitation_required);
}

}  // namespace comcp
#endif

// run.hpp
// An io_context for those who have none.

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

namespace comcp {
namespace detail {
/// Such as a client.
template <class T>
concept lives_on_an_executor = requires(T const& t) { t.get_executor(); };
}  // namespace detail

/// Runs one coroutine, and all that it starts, on this thread until it is done; gives its value, or throws what
/// left it. Where a host name was given up on, the end waits until the system's lookup has returned.
template <class T>
T run(asio::awaitable<T> work) {
  static_assert(
      !detail::lives_on_an_executor<T>,
      "comcp: the io_context of run() is gone when it returns, and with it what this value lives on; give run() a "
      "coroutine that connects, uses the client and closes it");
  asio::io_context io(1);
  std::exception_ptr failure;
  if constexpr (std::is_void_v<T>) {
    auto const done = [&](std::exception_ptr e) {
      failure = e;
      io.stop();
    };
    asio::co_spawn(io, std::move(work), done);
    io.run();
    if (failure) std::rethrow_exception(failure);
  } else {
    std::optional<T> value;
    auto const done = [&](std::exception_ptr e, T v) {
      failure = e;
      if (!e) value.emplace(std::move(v));
      io.stop();
    };
    asio::co_spawn(io, std::move(work), done);
    io.run();
    if (failure) std::rethrow_exception(failure);
    return std::move(*value);
  }
}

}  // namespace comcp

// trace/record.hpp
// Recording a connection as JSON lines, one for each message: {"time", "direction", "message"}. What looks like a
// secret is replaced before anything is written; where the lines go is the caller's decision.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace comcp {

/// Whether a member of this name is likely to hold a secret: passwords, secrets, tokens, API keys, credentials,
/// authorization, cookies, session ids. Case, '-' and '_' do not matter. `progressToken` and the like are none.
[[nodiscard]] bool is_secret_key(std::string_view key);

/// The JSON text of `v` in which "***" stands for secrets: strings and numbers whose own key, or whose array's, is a secret
/// one (in a schema only the defaults and examples of such a field), the "value" of an object whose "name" is a secret key, and inside of any string:
/// bearer and basic credentials, NAME=value with a secret name, passwords of URLs, and JSON text with any of these.
/// A secret in prose, or under a harmless name, cannot be seen and stays.
[[nodiscard]] std::string redacted(json::view v);

/// One line of a recording, without its newline. A message that does not parse is told by its size alone, since
/// nothing can be redacted in it: {"time", "direction", "unreadable": bytes}.
[[nodiscard]] std::string record_line(direction way, std::string_view message,
                                      std::chrono::system_clock::time_point at);

/// A tracer for connect_options::trace() that gives each line to `write`, on the client's executor.
[[nodiscard]] tracer record_to(std::function<void(std::string_view line)> write,
                               std::function<std::chrono::system_clock::time_point()> now = {});

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// trace/impl/record.ipp
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace comcp {
namespace detail {

inline constexpr std::string_view hidden = "***";

inline char lower_ascii(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline bool is_name_char(char c) noexcept {
  auto const l = lower_ascii(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}
// Ends a value in a query string, an assignment or a header.
inline bool ends_value(char c) noexcept {
  return static_cast<unsigned char>(c) <= ' ' || std::string_view("&;,#\"'<>|)]}").find(c) != std::string_view::npos;
}

COMCP_DECL std::string redacted_text(std::string_view text, unsigned depth);

/// Walks a value and writes it again without its secrets.
class redactor {
 public:
  explicit redactor(unsigned depth) noexcept : depth_(depth) {}

  // `secret`: of a secret key. It holds for strings and numbers and for those of an array, not for members further down:
  // they have keys of their own, and what a server calls "auth" would hide all that it sends. `schema`: inside a JSON
  // Schema, whose keys are names of fields and no secrets.
  void value(json::view v, bool secret, bool schema) {
    switch (v.kind()) {
      case json::kind::object: return object(v, secret, schema);
      case json::kind::array:
        w_.begin_array();
        for (auto const e : v.elements()) value(e, secret, schema);
        w_.end_array();
        return;
      case json::kind::null:
      case json::kind::boolean: w_.value(v); return;
      case json::kind::string:
        w_.string(secret && !schema ? std::string(hidden) : redacted_text(*v.get_string(), depth_));
        return;
      default:
        if (secret && !schema) {
          w_.string(hidden);
        } else {
          w_.value(v);
        }
    }
  }
  [[nodiscard]] std::string text() && { return std::move(w_).text(); }

 private:
  void object(json::view v, bool secret, bool schema) {
    auto const name = v.find("name");
    bool const pair = name && v.find("value") && is_secret_key(name->get_string().value_or(""));
    w_.begin_object();
    for (auto const m : v.members()) {
      w_.key(m.key);
      if (schema) {
        field_of_schema(m.key, m.value, secret && m.key != "properties");
      } else {
        bool const opens = m.key == "inputSchema" || m.key == "outputSchema" || m.key == "requestedSchema";
        bool const hide = (pair && m.key == "value") || secret_member(m.key, m.value);
        value(m.value, hide, opens && m.value.is_object() && !hide);
      }
    }
    w_.end_object();
  }

  void field_of_schema(std::string_view key, json::view v, bool secret) {
    bool const given = key == "default" || key == "const" || key == "examples";
    if (secret && given) return value(v, true, false);
    bool const named = secret_member(key, v);
    // A description of the field is an object; anything else under such a name is the secret itself.
    value(v, secret || named, !named || v.is_object());
  }

  static bool secret_member(std::string_view key, json::view v) {
    return is_secret_key(key) && !(v.is_number() && lower_ascii(key.back()) == 's');  // maxTokens: a count
  }

  json::writer w_;
  unsigned depth_;
};

inline bool starts_with_word(std::string_view text, std::string_view word) noexcept {
  if (text.size() < word.size()) return false;
  return std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return a == lower_ascii(b); });
}

// How long the secret is that begins at `text`, after a name and '=' or after a scheme; 0 for none. `quote`: the
// quotation mark that it stands behind, if any.
inline std::size_t secret_length(std::string_view text, char quote = 0) noexcept {
  if (quote != 0) return std::min(text.find(quote), text.size());
  std::size_t n = 0;
  while (n < text.size() && !ends_value(text[n])) ++n;
  return n;
}

// "Bearer eyJ..." and "Basic dXNl...": the length of the scheme with its blank, when credentials follow.
inline std::size_t scheme_length(std::string_view text) noexcept {
  for (std::string_view const scheme : {"bearer ", "basic "}) {
    if (starts_with_word(text, scheme) && secret_length(text.substr(scheme.size())) >= 12) return scheme.size();
  }
  return 0;
}

// "://user:password@": the length up to '@' when `text` begins behind "://".
inline std::size_t userinfo_length(std::string_view text) noexcept {
  auto const end = text.find_first_of("/?# \"'<>\n");
  auto const at = text.substr(0, end).rfind('@');
  return at == std::string_view::npos ? 0 : at;
}

inline std::string redacted_prose(std::string_view text) {
  std::string out;
  std::size_t name = 0;  // where the name that stands before text[i] begins in text
  for (std::size_t i = 0; i < text.size();) {
    std::size_t shown = 0, secret = 0;
    bool const starts_word = i == 0 || !is_name_char(text[i - 1]);
    if (text[i] == '=' && name < i && is_secret_key(text.substr(name, i - name))) {
      char const next = i + 1 < text.size() ? text[i + 1] : '\0';
      bool const quoted = next == '"' || next == '\'';
      shown = quoted ? 2 : 1;
      secret = secret_length(text.substr(i + shown), quoted ? next : '\0');
    } else if (text.substr(i).starts_with("://")) {
      shown = 3;
      secret = userinfo_length(text.substr(i + 3));
    } else if (starts_word && (shown = scheme_length(text.substr(i))) != 0) {
      secret = secret_length(text.substr(i + shown));
    }
    if (secret != 0) {
      out.append(text.substr(i, shown)).append(hidden);
      i += shown + secret;
      name = i;
      continue;
    }
    out += text[i];
    if (!is_name_char(text[i])) name = i + 1;
    ++i;
  }
  return out;
}

COMCP_DECL std::string redacted_text(std::string_view text, unsigned depth) {
  auto const start = text.find_first_not_of(" \t\r\n");
  if (depth > 0 && start != std::string_view::npos && (text[start] == '{' || text[start] == '[')) {
    if (auto const nested = json::parse(text)) {
      redactor r(depth - 1);
      r.value(nested->view(), false, false);
      auto again = std::move(r).text();
      return again == nested->dump() ? std::string(text) : again;
    }
  }
  return redacted_prose(text);
}

inline void append_digits(std::string& out, std::int64_t n, std::size_t width) {
  auto const digits = std::to_string(n);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

// ISO 8601 in UTC with microseconds.
inline std::string utc_text(std::chrono::system_clock::time_point at) {
  using namespace std::chrono;
  auto const day = floor<days>(at);
  year_month_day const date(day);
  auto const of_day = duration_cast<microseconds>(at - day).count();
  std::string out;
  append_digits(out, static_cast<int>(date.year()), 4);
  append_digits(out += '-', static_cast<unsigned>(date.month()), 2);
  append_digits(out += '-', static_cast<unsigned>(date.day()), 2);
  append_digits(out += 'T', of_day / 3'600'000'000, 2);
  append_digits(out += ':', of_day / 60'000'000 % 60, 2);
  append_digits(out += ':', of_day / 1'000'000 % 60, 2);
  append_digits(out += '.', of_day % 1'000'000, 6);
  return out += 'Z';
}

}  // namespace detail

COMCP_DECL bool is_secret_key(std::string_view key) {
  std::string plain;
  for (char const c : key) {
    if (c != '-' && c != '_' && c != '.' && c != ' ') plain += detail::lower_ascii(c);
  }
  for (std::string_view const harmless : {"type", "endpoint", "length", "count"}) {
    if (plain.ends_with(harmless)) return false;
  }
  for (std::string_view const harmless : {"progresstoken", "pagetoken", "nexttoken"}) {
    if (plain.ends_with(harmless)) return false;
  }
  for (std::string_view const part : {"password", "passwd", "passphrase", "secret", "authorization", "apikey",
                                      "accesskey", "privatekey", "credential", "cookie", "sessionid", "bearer"}) {
    if (plain.find(part) != std::string::npos) return true;
  }
  for (std::string_view const end : {"token", "tokens", "pwd", "jwt"}) {
    if (plain.ends_with(end)) return true;
  }
  return plain == "auth" || plain == "pass" || plain == "otp";
}

COMCP_DECL std::string redacted(json::view v) {
  detail::redactor r(3);
  r.value(v, false, false);
  return std::move(r).text();
}

COMCP_DECL std::string record_line(direction way, std::string_view message,
                                   std::chrono::system_clock::time_point at) {
  auto const parsed = json::parse(message);
  json::writer w;
  w.begin_object().plain_key("time").string(detail::utc_text(at));
  w.plain_key("direction").string(way == direction::sent ? "sent" : "received");
  if (parsed) {
    w.plain_key("message").raw(redacted(parsed->view()));
  } else {
    w.plain_key("unreadable").unsigned_integer(message.size());
  }
  w.end_object();
  return std::move(w).text();
}

COMCP_DECL tracer record_to(std::function<void(std::string_view)> write,
                            std::function<std::chrono::system_clock::time_point()> now) {
  return [write = std::move(write), now = std::move(now)](direction way, std::string_view message) {
    write(record_line(way, message, now ? now() : std::chrono::system_clock::now()));
  };
}

}  // namespace comcp
#endif

// transport/byte_stream.hpp
// Messages as lines over any Asio stream: the same framing as stdio has. How the stream comes to be is the
// connector's business.

#include <system_error>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/bind_executor.hpp>

// transport/line_stream.hpp
// What byte_stream asks of an Asio stream, and how such a stream is closed.

#include <concepts>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include <asio/async_result.hpp>
#include <asio/buffer.hpp>

namespace comcp {

/// How a stream ends at once: what is pending ends with an error. By itself comcp knows close(ec),
/// lowest_layer().close(ec) (asio::ssl::stream, for one) and close(); specialise it for a stream with none of these. It
/// must not throw.
template <class Stream>
struct stream_closer {
  static void close(Stream& s) noexcept
    requires requires(std::error_code& ec) { s.close(ec); } ||
             requires(std::error_code& ec) { s.lowest_layer().close(ec); } || requires { s.close(); }
  {
    std::error_code ignored;
    if constexpr (requires { s.close(ignored); })
      s.close(ignored);
    else if constexpr (requires { s.lowest_layer().close(ignored); })
      s.lowest_layer().close(ignored);
    else
      s.close();
  }
};

namespace detail {

/// Buffers of one gathered write, by reference: cheap for Asio to copy.
class buffer_range {
 public:
  using value_type = asio::const_buffer;
  using const_iterator = asio::const_buffer const*;

  explicit buffer_range(std::span<asio::const_buffer const> buffers) : buffers_(buffers) {}
  [[nodiscard]] const_iterator begin() const noexcept { return buffers_.data(); }
  [[nodiscard]] const_iterator end() const noexcept { return buffers_.data() + buffers_.size(); }

 private:
  std::span<asio::const_buffer const> buffers_;
};

/// A completion token that starts nothing: asks whether an operation takes these arguments, without compiling it.
struct io_probe {
  void operator()(std::error_code, std::size_t) const {}
};

/// A stream that says goodbye to its peer before it is closed.
template <class Stream>
concept shuts_down = requires(Stream& s, void (*done)(std::error_code)) { s.async_shutdown(done); };

}  // namespace detail

/// A stream of bytes: anything with async_read_some and async_write_some, as Asio has them, that stream_closer closes.
/// One with async_shutdown (asio::ssl::stream) is shut down first where it is closed gracefully. Used from one
/// executor, with at most one read and one write under way.
template <class T>
concept line_stream = std::move_constructible<T> &&
                      requires(T& s, asio::mutable_buffer in, detail::buffer_range out, detail::io_probe probe) {
                        s.async_read_some(in, probe);
                        s.async_write_some(out, probe);
                        stream_closer<T>::close(s);
                      };

}  // namespace comcp

namespace asio {

template <class Signature>
class async_result<comcp::detail::io_probe, Signature> {
 public:
  template <class... Args>
  static void initiate(Args&&...) {}
};

}  // namespace asio

// transport/session_transport.hpp
// What byte_stream and message_transport have in common: options, how they open, and that they end abruptly when
// destroyed. Internal, but for stream_options.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

// jsonrpc/framing.hpp
// Cuts a byte stream into lines, in place: one message a line. Knows nothing of JSON, and performs no I/O.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace comcp::jsonrpc {

struct framing_statistics {
  std::uint64_t messages = 0;  ///< Lines handed out.
  std::uint64_t bytes = 0;     ///< Bytes committed.
  std::uint64_t blank = 0;     ///< Blank lines skipped.
};

/// Incremental newline framing over one growing buffer.
///
///     auto room = f.prepare();            // read into it
///     f.commit(n);
///     while (auto line = f.next()) ...    // valid until the next call
///     if (f.failed()) ...                 // a line over the limit: nothing follows it
///
/// A byte order mark before the first line, blank lines and a CR before the newline are dropped. A long line comes with
/// the memory that it is in, for whoever wants to keep it.
class framer {
 public:
  static constexpr std::size_t default_max_line = std::size_t{16} << 20;

  explicit framer(std::size_t max_line = default_max_line) : max_line_(max_line) {}

  /// Room for at least `n` bytes behind what is held. Invalidates earlier lines.
  [[nodiscard]] std::span<char> prepare(std::size_t n = 16 * 1024);
  /// Precondition: n is at most the size of the last prepare().
  void commit(std::size_t n) noexcept;
  /// The next whole line, without its end; nothing when more bytes are needed or framing failed.
  [[nodiscard]] std::optional<padded_text> next() noexcept;
  /// The stream ended: the text after the last newline, if there is any. Call it after next() gave nothing.
  [[nodiscard]] std::optional<padded_text> finish() noexcept;

  /// What came of the current line so far. Valid until the next prepare().
  [[nodiscard]] std::string_view unfinished() const noexcept { return {buffer_.data() + begin_, end_ - begin_}; }

  /// Whether a line was longer than the limit. It stays so.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// errc::limit_exceeded, naming the limit. Precondition: failed().
  [[nodiscard]] error failure() const;

  [[nodiscard]] framing_statistics const& statistics() const noexcept { return statistics_; }
  /// Bytes that the buffer takes now.
  [[nodiscard]] std::size_t capacity() const noexcept { return buffer_.capacity() + given_.capacity(); }

 private:
  [[nodiscard]] std::optional<padded_text> take(std::size_t size, std::size_t consumed) noexcept;
  [[nodiscard]] padded_text give(char const* data, std::size_t size) noexcept;
  void take_back() noexcept;
  void reallocate(std::size_t capacity);
  void grow(std::size_t needed);
  void shrink_when_idle(std::size_t n);

  text_buffer buffer_;
  text_buffer given_;         // what the last long line is in, until somebody takes it
  std::size_t expected_ = 0;  // capacity that the last long line took
  std::size_t begin_ = 0;    // start of the current line
  std::size_t scanned_ = 0;  // no newline in [begin_, scanned_)
  std::size_t end_ = 0;      // end of what was read
  std::size_t max_line_;
  unsigned idle_rounds_ = 0;
  bool first_ = true;
  bool failed_ = false;
  framing_statistics statistics_;
};

}  // namespace comcp::jsonrpc

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// jsonrpc/impl/framing.ipp
#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace comcp::jsonrpc {
namespace detail {

inline constexpr std::size_t framer_base = 64 * 1024, framer_step = 1024 * 1024;
inline constexpr unsigned framer_patience = 16;  // reads with a mostly empty buffer before it shrinks

COMCP_DECL bool is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace detail

COMCP_DECL void framer::reallocate(std::size_t capacity) {
  auto bigger = comcp::detail::buffer_for(capacity);
  if (end_ != begin_) std::memcpy(bigger.data(), buffer_.data() + begin_, end_ - begin_);
  comcp::detail::give_back(std::exchange(buffer_, std::move(bigger)));
  scanned_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
}

// A line of a size that came before needs no more than two steps.
COMCP_DECL void framer::grow(std::size_t needed) {
  auto const now = buffer_.capacity();
  auto const more = now >= detail::framer_step ? 2 * now : 4 * now;
  auto const wanted = std::max({detail::framer_base, more, now > detail::framer_base ? expected_ : 0});
  auto const most = max_line_ + std::min(~max_line_, detail::framer_base);
  reallocate(std::max(needed, std::min(wanted, most)));
}

COMCP_DECL void framer::shrink_when_idle(std::size_t n) {
  std::size_t const held = end_ - begin_;
  if (capacity() <= 4 * detail::framer_base || held + n + padded_text::spare > capacity() / 8) {
    idle_rounds_ = 0;
  } else if (++idle_rounds_ >= detail::framer_patience) {
    idle_rounds_ = 0;
    expected_ = 0;
    reallocate(std::max(detail::framer_base, 2 * (held + n) + padded_text::spare));
  }
}

COMCP_DECL std::span<char> framer::prepare(std::size_t n) {
  n = std::max<std::size_t>(n, 1);
  if (begin_ == end_) begin_ = scanned_ = end_ = 0;
  take_back();
  shrink_when_idle(n);
  auto const needed = end_ - begin_ + n + padded_text::spare;
  if (begin_ + needed > buffer_.capacity()) {
    if (needed > buffer_.capacity()) {
      grow(needed);
    } else {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      scanned_ -= begin_;
      end_ -= begin_;
      begin_ = 0;
    }
  }
  return {buffer_.data() + end_, buffer_.capacity() - padded_text::spare - end_};
}

// What came behind a long line goes to a buffer of its own, so that the line can be taken with all of this one.
COMCP_DECL padded_text framer::give(char const* data, std::size_t size) noexcept {
  auto const rest = end_ - begin_;
  text_buffer next;
  if (size < detail::framer_base || rest > size) return {data, size};
  try {
    if (rest > 0) next = comcp::detail::buffer_for(std::max(detail::framer_base, rest + padded_text::spare));
  } catch (std::bad_alloc const&) {
    return {data, size};
  }
  if (rest > 0) std::memcpy(next.data(), buffer_.data() + begin_, rest);
  expected_ = buffer_.capacity();
  given_ = std::exchange(buffer_, std::move(next));
  begin_ = scanned_ = 0;
  end_ = rest;
  return {data, size, &given_};
}

COMCP_DECL void framer::take_back() noexcept {
  if (given_.data() && !buffer_.data()) buffer_ = std::move(given_);
  comcp::detail::give_back(std::move(given_));
}

COMCP_DECL void framer::commit(std::size_t n) noexcept {
  end_ += n;
  statistics_.bytes += n;
}

COMCP_DECL std::optional<padded_text> framer::take(std::size_t size, std::size_t consumed) noexcept {
  char const* data = buffer_.data() + begin_;
  begin_ = scanned_ = begin_ + consumed;
  if (size > max_line_) {
    failed_ = true;
    return {};
  }
  if (first_) {
    first_ = false;
    if (size >= 3 && std::memcmp(data, "\xEF\xBB\xBF", 3) == 0) data += 3, size -= 3;
  }
  if (size > 0 && data[size - 1] == '\r') --size;
  if (detail::is_blank({data, size})) {
    ++statistics_.blank;
    return {};
  }
  ++statistics_.messages;
  return give(data, size);
}

COMCP_DECL std::optional<padded_text> framer::next() noexcept {
  while (!failed_ && scanned_ != end_) {
    char const* const from = buffer_.data() + scanned_;
    auto const* newline = static_cast<char const*>(std::memchr(from, '\n', end_ - scanned_));
    if (newline == nullptr) {
      scanned_ = end_;
      failed_ = end_ - begin_ > max_line_;
      break;
    }
    auto const size = static_cast<std::size_t>(newline - (buffer_.data() + begin_));
    if (auto line = take(size, size + 1)) return line;
  }
  return {};
}

COMCP_DECL std::optional<padded_text> framer::finish() noexcept {
  if (failed_ || begin_ == end_) return {};
  return take(end_ - begin_, end_ - begin_);
}

COMCP_DECL error framer::failure() const {
  return {errc::limit_exceeded, "a line is longer than max_line (" + std::to_string(max_line_) + " bytes)"};
}

}  // namespace comcp::jsonrpc
#endif

// transport/message_queue.hpp
// Whole messages that wait to be taken: bounded, in order. Performs no I/O. Internal, but for queue_limits.

#include <cstddef>
#include <string>
#include <vector>

namespace comcp {

/// Bounds of an outgoing queue. One message of any size is accepted into an empty queue.
class queue_limits {
 public:
  queue_limits() = default;
  queue_limits& messages(std::size_t n) { return messages_ = n, *this; }
  queue_limits& bytes(std::size_t n) { return bytes_ = n, *this; }
  [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// What refuses a message of that size where so much waits already; nothing where there is room.
  [[nodiscard]] error refuses(std::size_t size, std::size_t waiting, std::size_t waiting_bytes) const;

 private:
  std::size_t messages_ = 65536;
  std::size_t bytes_ = std::size_t{64} << 20;
};

namespace detail {

class message_queue {
 public:
  explicit message_queue(queue_limits limits = queue_limits()) : limits_(limits) {}

  /// Takes the message over, or errc::queue_full naming the bound.
  result<void> push(outgoing&& message);
  /// Removes the message of that request.
  bool abandon(request_id id) noexcept;
  /// All of them, into `texts`, which is empty.
  void take(std::vector<std::string>& texts);
  void clear() noexcept;
  [[nodiscard]] bool empty() const noexcept { return texts_.empty(); }

 private:
  struct label {
    request_id id;
    bool pinned;  // may not be removed by abandon()
  };

  queue_limits limits_;
  std::vector<std::string> texts_;
  std::vector<label> labels_;
  std::size_t bytes_ = 0;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/message_queue.ipp
#include <utility>

namespace comcp {

COMCP_DECL error queue_limits::refuses(std::size_t size, std::size_t waiting, std::size_t waiting_bytes) const {
  if (waiting == 0) return {};
  if (waiting >= messages_) return {errc::queue_full, "queue_limits::messages is " + std::to_string(messages_)};
  if (waiting_bytes + size > bytes_) return {errc::queue_full, "queue_limits::bytes is " + std::to_string(bytes_)};
  return {};
}

namespace detail {

COMCP_DECL result<void> message_queue::push(outgoing&& message) {
  if (auto why = limits_.refuses(message.text.size(), texts_.size(), bytes_)) return why;
  labels_.push_back({message.id, message.handshake});
  bytes_ += message.text.size();
  texts_.push_back(std::move(message.text));
  return {};
}

COMCP_DECL bool message_queue::abandon(request_id id) noexcept {
  if (id == 0) return false;
  for (auto i = labels_.size(); i-- > 0;) {
    if (labels_[i].id != id) continue;
    if (labels_[i].pinned) return false;
    auto const at = static_cast<std::ptrdiff_t>(i);
    bytes_ -= texts_[i].size();
    labels_.erase(labels_.begin() + at);
    texts_.erase(texts_.begin() + at);
    return true;
  }
  return false;
}

COMCP_DECL void message_queue::take(std::vector<std::string>& texts) {
  texts.swap(texts_);
  labels_.clear();
  bytes_ = 0;
}

COMCP_DECL void message_queue::clear() noexcept {
  texts_.clear();
  labels_.clear();
  bytes_ = 0;
}

}  // namespace detail
}  // namespace comcp
#endif

// transport/session_life.hpp
// What every open channel of ours is: it has an inbox until it is over, and tells it so once. Internal.

#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/defer.hpp>
#include <asio/steady_timer.hpp>

namespace comcp::detail {

/// How long a session has its inbox: until abort() or finish(), after which the inbox is not called again. Since each
/// call of the inbox may end in either, every such call is followed by a look at it. All members run on the executor.
class session_life : public std::enable_shared_from_this<session_life> {
 public:
  session_life(asio::any_io_executor executor, inbox& in)
      : executor_(std::move(executor)), inbox_(&in), closed_signal_(executor_, asio::steady_timer::time_point::max()) {}
  session_life(session_life const&) = delete;
  session_life& operator=(session_life const&) = delete;
  virtual ~session_life() = default;

  /// Ends at once and silently.
  void abort() noexcept;
  [[nodiscard]] bool done() const noexcept { return inbox_ == nullptr; }
  [[nodiscard]] asio::steady_timer& closed_signal() noexcept { return closed_signal_; }

 protected:
  /// It is over: disarm what is armed, close what is open.
  virtual void released() noexcept = 0;

  [[nodiscard]] asio::any_io_executor const& executor() const noexcept { return executor_; }
  /// Precondition: not done(). False when it is, afterwards.
  bool deliver(padded_text line);
  void fault(error what);
  /// Tells the inbox, once. Not to be called from inside a call of a user.
  void finish(error reason);

  /// Calls a member of the derived class later, unless it is over by then.
  template <class Derived>
  void later(void (Derived::*member)()) {
    asio::defer(executor_, [self = shared_from_this(), member] {
      if (!self->done()) (static_cast<Derived&>(*self).*member)();
    });
  }

 private:
  void release() noexcept;

  asio::any_io_executor executor_;
  inbox* inbox_;
  asio::steady_timer closed_signal_;  // never expires; cancelled when it is over
};

/// Begins the close and waits for its end. Cancelling it stops only the waiting.
template <class Session>
asio::awaitable<void> close_session(std::shared_ptr<Session> session) {
  if (!session || session->done()) co_return;
  session->start_close();
  while (!session->done()) co_await net::async_wait(session->closed_signal());
}

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/session_life.ipp
#include <system_error>
#include <utility>

namespace comcp::detail {

COMCP_DECL void session_life::abort() noexcept {
  inbox_ = nullptr;
  release();
}

COMCP_DECL bool session_life::deliver(padded_text line) {
  inbox_->delivered(line, 0);
  return !done();
}

COMCP_DECL void session_life::fault(error what) {
  if (!done()) inbox_->fault(std::move(what));
}

COMCP_DECL void session_life::finish(error reason) {
  if (done()) return;
  auto const keep = shared_from_this();
  inbox* const in = std::exchange(inbox_, nullptr);
  release();
  in->closed(std::move(reason));
}

COMCP_DECL void session_life::release() noexcept {
  released();
  try {
    closed_signal_.cancel();
  } catch (std::system_error const&) {
    // Whoever waits for close() then waits for its own deadline.
  }
}

}  // namespace comcp::detail
#endif

namespace comcp {

/// Options of a byte_stream and of a message_transport.
class stream_options {
 public:
  stream_options() = default;
  /// Longest line, or message, accepted from the peer, in bytes; a longer one closes with errc::limit_exceeded.
  stream_options& max_line(std::size_t bytes) { return max_line_ = bytes, *this; }
  /// Bounds of what waits to be written; beyond them send() says errc::queue_full.
  stream_options& queue(queue_limits limits) { return queue_ = limits, *this; }
  /// How long close() lets the queue drain, and the stream say goodbye (default 1 s).
  stream_options& close_wait(std::chrono::milliseconds wait) { return close_wait_ = wait, *this; }
  stream_options& time(std::shared_ptr<time_source> source) { return time_ = std::move(source), *this; }
  /// What info() says: a kind and an address without secrets.
  stream_options& label(std::string kind, std::string target) {
    return kind_ = std::move(kind), target_ = std::move(target), *this;
  }

  [[nodiscard]] std::size_t max_line() const noexcept { return max_line_; }
  [[nodiscard]] queue_limits const& queue() const noexcept { return queue_; }
  [[nodiscard]] std::chrono::milliseconds close_wait() const noexcept { return close_wait_; }
  [[nodiscard]] std::shared_ptr<time_source> time() const { return time_ ? time_ : steady_time(); }
  [[nodiscard]] std::string const& kind() const noexcept { return kind_; }
  [[nodiscard]] std::string const& target() const noexcept { return target_; }

 private:
  std::size_t max_line_ = jsonrpc::framer::default_max_line;
  queue_limits queue_;
  std::chrono::milliseconds close_wait_{1000};
  std::shared_ptr<time_source> time_;
  std::string kind_ = "stream";
  std::string target_;
};

namespace detail {

/// How long a session may take to close.
class closing_wait {
 public:
  closing_wait(asio::any_io_executor const& executor, stream_options const& options)
      : time_(options.time()), alarm_(time_->make_deadline(executor)), wait_(options.close_wait()) {}

  void arm(std::function<void()> end) { alarm_->arm(time_->now() + wait_, std::move(end)); }
  void disarm() noexcept { alarm_->disarm(); }

 private:
  std::shared_ptr<time_source> time_;
  std::unique_ptr<deadline> alarm_;
  std::chrono::milliseconds wait_;
};

/// A transport that is one Session over one Stream at a time.
template <class Stream, class Session>
class session_transport {
 public:
  using connector = std::function<asio::awaitable<result<Stream>>()>;

  explicit session_transport(Stream connected, stream_options options = stream_options())
      : state_(std::make_shared<state>(std::move(options))) {
    state_->connected = std::make_unique<Stream>(std::move(connected));
  }
  explicit session_transport(connector connect, stream_options options = stream_options())
      : state_(std::make_shared<state>(std::move(options))) {
    state_->connect = std::move(connect);
  }
  session_transport(session_transport&&) noexcept = default;
  session_transport& operator=(session_transport&& other) noexcept {
    if (this != &other) {
      abort();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~session_transport() { abort(); }

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) { return open_impl(state_, in); }

  result<void> send(outgoing message) {
    if (!state_->session) return error(errc::closed, "not open");
    return state_->session->send(std::move(message));
  }

  bool abandon(request_id id) noexcept { return state_->session && state_->session->abandon(id); }

  [[nodiscard]] asio::awaitable<void> close() { return close_session(state_->session); }

  [[nodiscard]] transport_info info() const {
    transport_info out;
    out.kind = state_->options.kind();
    out.target = state_->options.target();
    if (state_->session) state_->session->describe(out);
    return out;
  }

 private:
  struct state {
    explicit state(stream_options o) : options(std::move(o)) {}
    stream_options options;
    connector connect;
    std::unique_ptr<Stream> connected;
    std::shared_ptr<Session> session;
    bool gone = false;
  };

  void abort() noexcept {
    if (!state_) return;
    state_->gone = true;
    if (state_->session) state_->session->abort();
  }

  static asio::awaitable<result<void>> open_impl(std::shared_ptr<state> s, inbox& in) {
    auto executor = co_await asio::this_coro::executor;
    if (s->session && !s->session->done()) co_return error(errc::connect_failed, "already open");
    if (!s->connect && !s->connected) co_return error(errc::connect_failed, "this stream was used already");
    if (s->connect) {
      result<Stream> got = co_await s->connect();
      if (!got) co_return got.error();
      s->connected = std::make_unique<Stream>(std::move(*got));
    }
    if (s->gone) co_return error(errc::closed, "destroyed while opening");
    s->session = std::make_shared<Session>(executor, std::move(*s->connected), in, s->options);
    s->connected.reset();
    s->session->start();
    co_return result<void>();
  }

  std::shared_ptr<state> state_;
};

}  // namespace detail
}  // namespace comcp

// transport/stream_session.hpp
// One open stream of lines: one reader, one write queue. What the end of either means is decided by what
// derives from it (byte_stream, stdio).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/bind_executor.hpp>
#include <asio/buffer.hpp>
#include <asio/defer.hpp>
#include <asio/error.hpp>
#include <asio/steady_timer.hpp>

// transport/write_queue.hpp
// What waits to be written as lines: bounded, in order, gathered into few buffers. Performs no I/O.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <asio/buffer.hpp>

namespace comcp {

namespace detail {

/// A ring of messages. Those that gather() handed out are being written, and stay until consume().
class write_queue {
 public:
  static constexpr std::size_t joined_limit = 64 * 1024;  ///< Bytes of short messages that are written at once.

  explicit write_queue(queue_limits limits) : limits_(limits) {}

  /// Takes the message over, or errc::queue_full naming the bound.
  result<void> push(outgoing&& message);
  /// Removes the message of that request, if no byte of it was handed out.
  bool abandon(request_id id) noexcept;

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Buffers for one write; valid until consume(). Empty only if the queue is.
  [[nodiscard]] std::span<asio::const_buffer const> gather();
  /// `n` bytes of the last gather() were written. Returns how many messages that completed.
  std::size_t consume(std::size_t n) noexcept;

 private:
  struct entry {
    std::string text;
    request_id id = 0;
    bool has_newline = false;  // the newline is part of the text
    bool pinned = false;       // may not be removed by abandon()
  };

  [[nodiscard]] entry& at(std::size_t i) noexcept { return ring_[(head_ + i) & (ring_.size() - 1)]; }
  [[nodiscard]] static std::size_t length(entry const& e) noexcept { return e.text.size() + (e.has_newline ? 0 : 1); }
  [[nodiscard]] std::size_t bytes_of_first() noexcept { return length(at(0)) - offset_; }
  std::span<asio::const_buffer const> gather_first();
  std::span<asio::const_buffer const> gather_joined();
  void grow();
  void erase(std::size_t i) noexcept;

  queue_limits limits_;
  std::vector<entry> ring_;  // its size is a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t started_ = 0;  // entries that gather() handed out
  std::size_t offset_ = 0;   // bytes of the first entry that are written
  std::string joined_;       // what gather_joined() handed out
  std::array<asio::const_buffer, 2> buffers_;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/write_queue.ipp
#include <algorithm>
#include <utility>

namespace comcp::detail {

COMCP_DECL result<void> write_queue::push(outgoing&& message) {
  if (auto why = limits_.refuses(message.text.size(), size_, bytes_)) return why;
  if (size_ == ring_.size()) grow();
  entry& e = at(size_);
  e.text = std::move(message.text);
  e.id = message.id;
  e.pinned = message.handshake;
  e.has_newline = e.text.capacity() > e.text.size();
  if (e.has_newline) e.text.push_back('\n');
  bytes_ += length(e);
  ++size_;
  return {};
}

COMCP_DECL void write_queue::grow() {
  std::vector<entry> bigger(std::max<std::size_t>(16, 2 * ring_.size()));
  for (std::size_t i = 0; i != size_; ++i) bigger[i] = std::move(at(i));
  ring_ = std::move(bigger);
  head_ = 0;
}

COMCP_DECL void write_queue::erase(std::size_t i) noexcept {
  bytes_ -= length(at(i));
  for (; i + 1 < size_; ++i) at(i) = std::move(at(i + 1));
  at(--size_).text = {};
}

COMCP_DECL bool write_queue::abandon(request_id id) noexcept {
  if (id == 0) return false;
  for (std::size_t i = size_; i > started_; --i) {
    if (at(i - 1).id != id) continue;
    if (at(i - 1).pinned) return false;
    erase(i - 1);
    return true;
  }
  return false;
}

COMCP_DECL std::span<asio::const_buffer const> write_queue::gather() {
  started_ = 0;
  if (size_ > 1 && bytes_of_first() <= joined_limit) return gather_joined();
  return size_ > 0 ? gather_first() : std::span<asio::const_buffer const>();
}

COMCP_DECL std::span<asio::const_buffer const> write_queue::gather_first() {
  static constexpr char newline = '\n';
  std::size_t n = 0;
  entry const& e = at(started_++);
  if (offset_ < e.text.size()) buffers_[n++] = asio::const_buffer(e.text.data() + offset_, e.text.size() - offset_);
  if (!e.has_newline) buffers_[n++] = asio::const_buffer(&newline, 1);
  return {buffers_.data(), n};
}

// Copying short messages together costs less than a buffer of its own for each, of which Asio passes on 64 at most.
COMCP_DECL std::span<asio::const_buffer const> write_queue::gather_joined() {
  joined_.clear();
  for (std::size_t skip = offset_; started_ != size_; skip = 0) {
    entry const& e = at(started_);
    if (started_ > 0 && joined_.size() + length(e) > joined_limit) break;
    joined_.append(e.text, std::min(skip, e.text.size()));
    if (!e.has_newline) joined_ += '\n';
    ++started_;
  }
  buffers_[0] = asio::const_buffer(joined_.data(), joined_.size());
  return {buffers_.data(), 1};
}

COMCP_DECL std::size_t write_queue::consume(std::size_t n) noexcept {
  std::size_t finished = 0;
  offset_ += n;
  while (size_ > 0 && offset_ >= length(at(0))) {
    std::size_t const done = length(at(0));
    offset_ -= done;
    bytes_ -= done;
    at(0).text = {};
    head_ = (head_ + 1) & (ring_.size() - 1);
    --size_;
    ++finished;
  }
  started_ = offset_ > 0 ? 1 : 0;
  return finished;
}

}  // namespace comcp::detail
#endif

namespace comcp::detail {

/// A stream that writes what fits at once, and says would_block for the rest.
template <class Stream>
concept writes_at_once = requires(Stream& s, std::error_code& ec, buffer_range buffers) {
  s.non_blocking(true, ec);
  { s.write_some(buffers, ec) } -> std::convertible_to<std::size_t>;
};

/// Lines from and to one stream. Pending handlers keep it alive.
template <class Stream>
class stream_session : public session_life {
 public:
  stream_session(asio::any_io_executor executor, Stream stream, inbox& in, std::size_t max_line, queue_limits limits)
      : session_life(std::move(executor), in), stream_(std::move(stream)), framer_(max_line), queue_(limits) {}

  void start() {
    if constexpr (writes_at_once<Stream>) {
      std::error_code ec;
      stream_.non_blocking(true, ec);
      at_once_ = !ec;
    }
    read();
  }

  result<void> send(outgoing&& message) {
    if (done() || sends_ != send_state::accepted) return error(errc::closed, "the channel is closed");
    auto accepted = queue_.push(std::move(message));
    if (accepted && writes_ != write_state::running && !write_scheduled_ && !delivering_) schedule_write();
    return accepted;
  }

  bool abandon(request_id id) noexcept { return !done() && queue_.abandon(id); }

  /// Begins a graceful close; finish() follows, never from inside this call.
  virtual void start_close() = 0;

  virtual void describe(transport_info& out) const {
    out.unfinished = framer_.unfinished().substr(0, 256);
    out.messages_in = framer_.statistics().messages;
    out.bytes_in = framer_.statistics().bytes;
    out.messages_out = messages_out_;
    out.bytes_out = bytes_out_;
  }

 protected:
  /// No more lines will come: end of stream, a failure, or a line over the limit.
  virtual void reading_ended(error why) = 0;
  virtual void writing_ended(error why) = 0;
  /// Everything that was accepted is written.
  virtual void drained() = 0;
  /// The reader was told to stop: what is left in the stream may be fetched here, without waiting.
  virtual void fetch_rest() {}
  /// Derived classes disarm what is theirs first.
  void released() noexcept override { stream_closer<Stream>::close(stream_); }

  [[nodiscard]] Stream& stream() noexcept { return stream_; }
  [[nodiscard]] bool closing() const noexcept { return sends_ == send_state::closing; }
  /// Whether nothing is left that could still be written.
  [[nodiscard]] bool idle() const noexcept {
    return writes_ == write_state::none ? queue_.empty() : writes_ == write_state::broken;
  }
  [[nodiscard]] jsonrpc::framer& framer() noexcept { return framer_; }
  /// From now on closing() is true and sends are refused.
  void begin_close() noexcept { sends_ = send_state::closing; }
  void refuse_sends() noexcept {
    if (sends_ == send_state::accepted) sends_ = send_state::refused;
  }
  /// The pending read ends, then fetch_rest() is called, then reading_ended(). The caller cancels the read.
  void stop_reading() noexcept { stopping_ = true; }

  /// Delivers every whole line that was read, and writes the answers; false when the inbox is gone.
  bool deliver_lines() {
    delivering_ = true;  // what is sent from there is written together, afterwards
    while (auto line = framer_.next()) {
      if (!deliver(*line)) return false;
    }
    delivering_ = false;
    if (!queue_.empty()) write();
    return !done();
  }

 private:
  enum class send_state : unsigned char { accepted, refused, closing };
  enum class write_state : unsigned char { none, running, broken };

  void read() {
    auto const room = framer_.prepare();
    stream_.async_read_some(
        asio::mutable_buffer(room.data(), room.size()),
        asio::bind_executor(executor(), [this, keep = shared_from_this()](std::error_code ec, std::size_t n) {
          on_read(ec, n);
        }));
  }

  void on_read(std::error_code ec, std::size_t n) {
    if (done()) return;
    framer_.commit(n);
    if (!deliver_lines()) return;
    if (!framer_.failed() && !ec && !stopping_) {
      try {
        return read();
      } catch (std::bad_alloc const&) {
        return reading_ended(errc::out_of_memory);
      }
    }
    if (stopping_) fetch_rest();
    if (!done()) end_reading(ec);
  }

  void end_reading(std::error_code ec) {
    if (framer_.failed()) return reading_ended(framer_.failure());
    if (auto const last = framer_.finish(); last && !deliver(*last)) return;
    if (framer_.failed()) return reading_ended(framer_.failure());
    if (!ec || ec == asio::error::eof || stopping_) {
      return reading_ended(error(errc::transport_failed, "the server ended the stream"));
    }
    reading_ended(error(errc::transport_failed, "reading failed: " + ec.message()));
  }

  void schedule_write() {
    write_scheduled_ = true;
    asio::defer(executor(), [this, keep = shared_from_this()] {
      write_scheduled_ = false;
      write();
    });
  }

  void write() {
    if (done() || writes_ != write_state::none) return;
    if (at_once_ && !write_now()) return;
    if (queue_.empty()) return drained();
    writes_ = write_state::running;
    stream_.async_write_some(
        buffer_range(queue_.gather()),
        asio::bind_executor(executor(), [this, keep = shared_from_this()](std::error_code ec, std::size_t n) {
          writes_ = write_state::none;
          if (written(ec, n)) write();
        }));
  }

  // Saves a turn of the executor, mostly. False when writing failed.
  bool write_now() {
    if constexpr (writes_at_once<Stream>) {
      while (!queue_.empty()) {
        std::error_code ec;
        std::size_t const n = stream_.write_some(buffer_range(queue_.gather()), ec);
        if (ec == asio::error::would_block || ec == asio::error::try_again) break;
        if (!written(ec, n)) return false;
      }
    }
    return true;
  }

  bool written(std::error_code ec, std::size_t n) {
    bytes_out_ += n;
    messages_out_ += queue_.consume(n);
    if (done()) return false;
    if (!ec) return true;
    writes_ = write_state::broken;
    refuse_sends();
    writing_ended(error(errc::transport_failed, "writing failed: " + ec.message()));
    return false;
  }

  Stream stream_;
  jsonrpc::framer framer_;
  write_queue queue_;
  std::uint64_t messages_out_ = 0;
  std::uint64_t bytes_out_ = 0;
  send_state sends_ = send_state::accepted;
  write_state writes_ = write_state::none;
  bool write_scheduled_ = false;
  bool delivering_ = false;
  bool at_once_ = false;
  bool stopping_ = false;
};

}  // namespace comcp::detail

namespace comcp {

namespace detail {

template <class Stream>
class byte_stream_session final : public stream_session<Stream> {
 public:
  byte_stream_session(asio::any_io_executor executor, Stream stream, inbox& in, stream_options const& options)
      : stream_session<Stream>(executor, std::move(stream), in, options.max_line(), options.queue()),
        wait_(executor, options) {}

  void start_close() override {
    if (this->closing()) return;
    this->begin_close();
    if (this->idle()) return this->later(&byte_stream_session::drained);
    give_up_later(error(errc::closed, "closed before everything was written"));
  }

 private:
  void reading_ended(error why) override {
    this->finish(this->closing() ? error(errc::closed, "closed by this side") : std::move(why));
  }

  // What the peer wrote before it stopped reading is still delivered.
  void writing_ended(error why) override { give_up_later(std::move(why)); }

  // A stream that can say goodbye does, within what is left of the wait; its peer's answer may end the reading first.
  void drained() override {
    if (!this->closing()) return;
    if constexpr (shuts_down<Stream>) {
      if (std::exchange(parting_, true)) return;
      give_up_later(error(errc::closed, "closed by this side"));
      this->stream().async_shutdown(asio::bind_executor(
          this->executor(), [this, keep = this->shared_from_this()](std::error_code) { parted(); }));
    } else {
      parted();
    }
  }
  void parted() { this->finish(error(errc::closed, "closed by this side")); }

  void released() noexcept override {
    wait_.disarm();
    stream_session<Stream>::released();
  }

  void give_up_later(error why) {
    wait_.arm([weak = this->weak_from_this(), why = std::move(why)] {
      if (auto self = weak.lock()) static_cast<byte_stream_session&>(*self).finish(why);
    });
  }

  closing_wait wait_;
  bool parting_ = false;
};

}  // namespace detail

/// A transport over one stream, see line_stream, used from the executor on which open() ran. Construct it from a
/// connected stream (it then opens once), or from a connector, which open() calls each time.
template <line_stream Stream>
class byte_stream : public detail::session_transport<Stream, detail::byte_stream_session<Stream>> {
 public:
  using byte_stream::session_transport::session_transport;
};

}  // namespace comcp

// transport/memory.hpp
// Two linked transports in one process: for servers that live inside the client's program, and for tests.

#include <memory>
#include <utility>

#include <asio/awaitable.hpp>

namespace comcp {

class memory_transport;

/// Two ends; what one sends, the other delivers. They may live on different executors and threads. What was
/// sent before the other end opens waits, up to `limits` for each direction.
[[nodiscard]] std::pair<memory_transport, memory_transport> memory_pair(queue_limits limits = queue_limits());

/// One end of a memory_pair. Messages are moved, not copied, and delivered in batches that are posted: nothing
/// is delivered from inside send(). When one end closes, the other still gets what was sent before, then
/// closed. An end opens once.
class memory_transport {
 public:
  memory_transport(memory_transport&&) noexcept = default;
  memory_transport& operator=(memory_transport&& other) noexcept;
  ~memory_transport();

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> open(inbox& in);
  result<void> send(outgoing message);
  bool abandon(request_id id) noexcept;
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close();
  [[nodiscard]] transport_info info() const;

 private:
  struct end;
  friend std::pair<memory_transport, memory_transport> memory_pair(queue_limits);

  explicit memory_transport(std::shared_ptr<end> e) noexcept : end_(std::move(e)) {}
  COMCP_LAZY static asio::awaitable<result<void>> open_impl(std::shared_ptr<end> e, inbox& in);
  COMCP_LAZY static asio::awaitable<void> close_impl(std::shared_ptr<end> e);

  std::shared_ptr<end> end_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/memory.ipp
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/defer.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

namespace comcp {

namespace detail {

/// What was sent to one end of a memory_pair and waits there. Both ends use it, each from its own thread; all else of an
/// end belongs to that end's executor.
class memory_mailbox {
 public:
  enum class next { deliver, sleep, end };
  /// Where the owner is to be told of what has come; null when it knows already, or has not opened.
  using woken = asio::any_io_executor const*;

  void limit(queue_limits limits) { waiting_ = message_queue(limits); }

  /// The owner reads from now on, and is awake. False when it did before, or has left.
  bool open(asio::any_io_executor const& executor) {
    std::lock_guard const lock(mutex_);
    if (executor_ || phase_ == phase::left) return false;
    executor_ = executor;
    return awake_ = true;
  }
  /// Precondition: open() was.
  [[nodiscard]] asio::any_io_executor const& executor() const noexcept { return *executor_; }

  result<woken> put(outgoing&& m) {
    std::lock_guard const lock(mutex_);
    if (phase_ == phase::left) return error(errc::closed, "the channel is closed");
    if (auto taken = waiting_.push(std::move(m)); !taken) return taken.error();
    return rouse();
  }

  bool remove(request_id id) noexcept {
    std::lock_guard const lock(mutex_);
    return waiting_.abandon(id);
  }

  woken wake() {
    std::lock_guard const lock(mutex_);
    return rouse();
  }

  woken sender_left() {
    std::lock_guard const lock(mutex_);
    if (phase_ == phase::left) return nullptr;
    phase_ = phase::no_sender;
    return rouse();
  }

  /// From here on sends are refused.
  void leave() {
    std::lock_guard const lock(mutex_);
    phase_ = phase::left;
    waiting_.clear();
  }

  void take(std::vector<std::string>& batch) {
    std::lock_guard const lock(mutex_);
    waiting_.take(batch);
  }

  /// The owner stays awake while it delivers, so that a send from there only queues.
  [[nodiscard]] next after_batch(bool closing) {
    std::lock_guard const lock(mutex_);
    if (!waiting_.empty()) return next::deliver;
    awake_ = false;
    return closing || phase_ == phase::no_sender ? next::end : next::sleep;
  }

 private:
  enum class phase { open, no_sender, left };

  woken rouse() noexcept { return executor_ && !std::exchange(awake_, true) ? &*executor_ : nullptr; }

  std::mutex mutex_;
  message_queue waiting_;
  std::optional<asio::any_io_executor> executor_;  // is set once
  phase phase_ = phase::open;
  bool awake_ = false;
};

}  // namespace detail

struct memory_transport::end : std::enable_shared_from_this<memory_transport::end> {
  using mailbox = detail::memory_mailbox;

  static constexpr int max_turns = 32;  // without giving the executor to others

  // What the peer sends.
  result<void> accept(outgoing&& m, end& from) {
    auto const woken = box.put(std::move(m));
    if (!woken) return woken.error();
    // While the sender delivers on the same executor it goes on with this end afterwards: no other post.
    if (*woken != nullptr && from.pumping && **woken == from.box.executor()) {
      from.owed = shared_from_this();
    } else {
      post_drain(*woken);
    }
    return {};
  }

  void post_drain(mailbox::woken on) {
    if (on != nullptr) asio::defer(*on, [self = shared_from_this()]() mutable { pump(std::move(self)); });
  }

  static void pump(std::shared_ptr<end> now) {
    for (int turn = 0; now; ++turn) {
      if (turn == max_turns) return now->post_drain(&now->box.executor());
      now->pumping = true;
      now->drain();
      now->pumping = false;
      auto then = std::exchange(now->owed, nullptr);
      now = std::move(then);
    }
  }

  void drain() {
    if (in == nullptr) return;
    box.take(batch);
    for (auto& text : batch) {
      ++counts.messages_in;
      counts.bytes_in += text.size();
      in->delivered(pad(text), 0);
      if (in == nullptr) break;
    }
    batch.clear();
    if (in == nullptr) return;
    auto const then = box.after_batch(closing);
    if (then == mailbox::next::deliver) return post_drain(&box.executor());
    if (then == mailbox::next::end) finish(closing ? error(errc::closed, "closed by this side")
                                                   : error(errc::transport_failed, "the other end closed"));
  }

  void finish(error reason) {
    inbox* const told = std::exchange(in, nullptr);
    leave();
    if (auto const s = closed_signal.lock()) s->cancel();
    if (told != nullptr) told->closed(std::move(reason));
  }

  void leave() {
    box.leave();
    if (auto const p = std::exchange(peer, nullptr)) p->post_drain(p->box.sender_left());
  }

  void abort() noexcept {
    in = nullptr;
    leave();
    if (auto const s = closed_signal.lock()) s->cancel();
  }

  mailbox box;
  std::shared_ptr<end> peer;  // a cycle, until either end leaves
  std::vector<std::string> batch;
  inbox* in = nullptr;
  std::weak_ptr<asio::steady_timer> closed_signal;  // of those who wait for the end; never expires, is cancelled then
  bool closing = false;
  bool pumping = false;
  std::shared_ptr<end> owed;  // was sent to while pumping, and is not posted
  transport_info counts;
};

COMCP_DECL std::pair<memory_transport, memory_transport> memory_pair(queue_limits limits) {
  auto a = std::make_shared<memory_transport::end>();
  auto b = std::make_shared<memory_transport::end>();
  a->peer = b;
  b->peer = a;
  a->box.limit(limits);
  b->box.limit(limits);
  return {memory_transport(std::move(a)), memory_transport(std::move(b))};
}

COMCP_DECL memory_transport& memory_transport::operator=(memory_transport&& other) noexcept {
  if (this != &other) {
    if (end_) end_->abort();
    end_ = std::move(other.end_);
  }
  return *this;
}

COMCP_DECL memory_transport::~memory_transport() {
  if (end_) end_->abort();
}

COMCP_LAZY_DECL asio::awaitable<result<void>> memory_transport::open(inbox& in) { return open_impl(end_, in); }

COMCP_LAZY_DECL asio::awaitable<result<void>> memory_transport::open_impl(std::shared_ptr<end> e, inbox& in) {
  auto executor = co_await asio::this_coro::executor;
  bool const opened = e->box.open(executor);
  if (!opened) co_return error(errc::connect_failed, "an end of a memory pair opens once");
  e->in = &in;
  e->post_drain(&e->box.executor());
  co_return result<void>();
}

COMCP_DECL result<void> memory_transport::send(outgoing message) {
  if (end_->in == nullptr || end_->closing) return error(errc::closed, "the channel is closed");
  auto const size = message.text.size();
  auto accepted = end_->peer->accept(std::move(message), *end_);
  if (accepted) {
    ++end_->counts.messages_out;
    end_->counts.bytes_out += size;
  }
  return accepted;
}

COMCP_DECL bool memory_transport::abandon(request_id id) noexcept {
  return end_->in != nullptr && end_->peer->box.remove(id);
}

COMCP_LAZY_DECL asio::awaitable<void> memory_transport::close() { return close_impl(end_); }

COMCP_LAZY_DECL asio::awaitable<void> memory_transport::close_impl(std::shared_ptr<end> e) {
  if (e->in == nullptr) co_return;
  if (!e->closing) {
    e->closing = true;
    e->post_drain(e->box.wake());
  }
  // In the frames that wait: an end may be held longer than the context is there.
  auto signal = e->closed_signal.lock();
  if (!signal) signal = std::make_shared<asio::steady_timer>(e->box.executor(), asio::steady_timer::time_point::max());
  e->closed_signal = signal;
  while (e->in != nullptr) co_await net::async_wait(*signal);
}

COMCP_DECL transport_info memory_transport::info() const {
  auto out = end_->counts;
  out.kind = "memory";
  return out;
}

static_assert(transport<memory_transport>);

}  // namespace comcp
#endif

// transport/stdio.hpp
// A server that runs as a child process and speaks lines on its stdin and stdout. Starting and ending the
// process is net/child_process, the lines are transport/stream_session; here is how the two fit together.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// net/child_process.hpp
// A child process with pipes, its exit, and the ladder that ends it. All that is POSIX is in impl/.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/posix/stream_descriptor.hpp>

namespace comcp::net {

/// What to start, and how to end it.
class spawn_options {
 public:
  enum class error_output { pipe, inherit, discard };

  spawn_options() = default;

  /// argv. The command is looked up in the child's PATH unless it has a slash; never a shell.
  std::vector<std::string> command;
  /// Added to the default environment, or to the inherited one; the later of two equal names wins.
  std::vector<std::pair<std::string, std::string>> environment;
  /// The whole environment of this process; otherwise HOME, LOGNAME, PATH, SHELL, TERM and USER.
  bool inherit_environment = false;
  /// Empty: that of this process. A command with a slash that is relative starts here.
  std::string working_directory;
  error_output error_to = error_output::pipe;
  std::chrono::milliseconds exit_wait{2000};  ///< From stop() to SIGTERM.
  std::chrono::milliseconds term_wait{2000};  ///< From SIGTERM to SIGKILL.
  std::shared_ptr<time_source> time;          ///< Empty: steady_time().
  bool use_pidfd = true;                      ///< False: poll for the exit after stop().
};

/// How the process ended. All are empty when somebody else reaped it.
class exit_status {
 public:
  exit_status() = default;
  std::optional<int> code;
  std::optional<int> signal;
  bool signalled = false;  ///< It was told to end by a signal of ours.
  /// It goes on, although SIGKILL was sent: what forbids it to end (another user's: EPERM), or that it has not come to it
  /// yet (std::errc::timed_out). It is reaped in the background, whenever it ends.
  std::error_code alive;
};

/// The environment that the child gets, as NAME=value.
[[nodiscard]] std::vector<std::string> child_environment(spawn_options const& options);

/// A running child that begins in a process group of its own. Used from its executor only. The destructor closes its
/// stdin and kills it and its group at once; it never waits: what takes time to die, or cannot be killed, is reaped in
/// the background. on_exit is not called then.
class child_process {
 public:
  /// From SIGKILL to giving it up.
  static constexpr std::chrono::milliseconds kill_wait{500};

  /// errc::connect_failed when it cannot be started.
  [[nodiscard]] static result<child_process> spawn(asio::any_io_executor executor, spawn_options const& options);

  child_process(child_process&&) noexcept = default;
  child_process& operator=(child_process&& other) noexcept;
  ~child_process();

  [[nodiscard]] asio::local::stream_protocol::socket& input() noexcept;
  [[nodiscard]] asio::posix::stream_descriptor& output() noexcept;
  /// Open only with error_output::pipe.
  [[nodiscard]] asio::posix::stream_descriptor& error_output() noexcept;
  [[nodiscard]] int pid() const noexcept;

  /// Calls `done` once, after the exit was seen, the group killed and the child reaped; also when it cannot be killed, or
  /// not within kill_wait. Set it before anything else. Never called from inside a member.
  void on_exit(std::function<void()> done);
  /// Set once on_exit is called.
  [[nodiscard]] std::optional<exit_status> const& status() const noexcept;

  /// End of file for the child's stdin; what was written before stays readable.
  void close_input() noexcept;
  /// Starts the ladder's clock: exit_wait, but no longer than `most`; SIGTERM to the child and its group, term_wait,
  /// SIGKILL to both, kill_wait. The input is the caller's to close, before or later; before SIGTERM it is closed anyway.
  void stop(std::chrono::milliseconds most = std::chrono::milliseconds::max());
  /// Closes everything, the input first; SIGKILL to the child and its group; reaps what has ended by then.
  void kill() noexcept;
  /// What ends its stdin, kills it and its group, and has it reaped in the background: from any thread, at once, and
  /// whatever becomes of the executor.
  [[nodiscard]] std::function<void()> killer() const;

 private:
  struct state;
  explicit child_process(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}
  std::shared_ptr<state> state_;
};

/// Bytes that can be read now without waiting.
[[nodiscard]] std::size_t readable_now(asio::posix::stream_descriptor& d) noexcept;

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// net/impl/child_process.ipp
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/bind_executor.hpp>
#include <asio/posix/descriptor_base.hpp>

// net/impl/child_start.ipp
// How a child is started: its descriptors, environment, command and directory.

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" char** environ;

namespace comcp::net {
namespace detail {

/// A descriptor that is closed unless it was released.
class owned_fd {
 public:
  owned_fd() = default;
  explicit owned_fd(int fd) noexcept : fd_(fd) {}
  owned_fd(owned_fd&& other) noexcept : fd_(other.release()) {}
  owned_fd& operator=(owned_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~owned_fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

struct fd_pair {
  owned_fd ours;
  owned_fd childs;  // never 0, 1 or 2: dup2 onto those would otherwise overwrite it
};

/// Large answers come in fewer turns than with Linux' 64 KiB; more would soon use up what a user's pipes may have.
inline constexpr int larger_pipe = 256 * 1024;

COMCP_DECL bool make_pair(fd_pair& p, bool socket) noexcept {
  std::array<int, 2> fds{};
  int const failed = socket ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data())
                            : ::pipe2(fds.data(), O_CLOEXEC);
  if (failed != 0) return false;
  p = {owned_fd(fds[0]), owned_fd(fds[1])};
  if (fds[1] <= STDERR_FILENO) p.childs = owned_fd(::fcntl(fds[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return p.childs.get() >= 0;
}

/// posix_spawn's file actions and attributes; both need a matching destroy.
struct spawn_setup {
  spawn_setup() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  spawn_setup(spawn_setup const&) = delete;
  spawn_setup& operator=(spawn_setup const&) = delete;
  ~spawn_setup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  // Own group, every signal at its default, none blocked.
  void isolate() {
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }

  // Without closefrom, descriptors that other threads open in between can leak unless they are close-on-exec.
  void close_the_rest() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#else
    DIR* const open_ones = ::opendir("/proc/self/fd");
    if (open_ones == nullptr) return;
    while (auto const* entry = ::readdir(open_ones)) {
      int const fd = std::atoi(entry->d_name);
      bool const closes = (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
      if (fd > STDERR_FILENO && fd != ::dirfd(open_ones) && !closes) posix_spawn_file_actions_addclose(&actions, fd);
    }
    ::closedir(open_ones);
#endif
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

COMCP_DECL std::string_view variable(std::vector<std::string> const& environment, std::string_view name) {
  auto const found = std::find_if(environment.begin(), environment.end(), [&](std::string_view e) {
    return e.starts_with(name) && e.substr(name.size()).starts_with('=');
  });
  return found == environment.end() ? std::string_view() : std::string_view(*found).substr(name.size() + 1);
}

/// The path of the command, or an empty one.
COMCP_DECL std::string find_command(spawn_options const& o, std::vector<std::string> const& environment) {
  std::string const& command = o.command.front();
  if (command.find('/') != std::string::npos) return command;
  std::string_view path = variable(environment, "PATH");
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    auto const colon = path.find(':');
    std::string candidate(path.substr(0, colon));
    if (candidate.empty()) candidate = ".";
    candidate.append("/").append(command);
    bool const elsewhere = candidate.front() != '/' && !o.working_directory.empty();
    std::string const from_here = (elsewhere ? o.working_directory + "/" : std::string()) + candidate;
    if (::access(from_here.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string_view::npos) return {};
    path.remove_prefix(colon + 1);
  }
}

COMCP_DECL std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (auto& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

COMCP_DECL error cannot_start(spawn_options const& o, std::string const& why) {
  return {errc::connect_failed, "cannot start '" + (o.command.empty() ? std::string() : o.command.front()) + "': " + why};
}

/// Why the child could not go there; posix_spawn says no more than that something was not there.
COMCP_DECL std::error_code wrong_directory(std::string const& path) noexcept {
  struct stat s {};
  int why = 0;
  if (::stat(path.c_str(), &s) != 0) {
    why = errno;
  } else if (!S_ISDIR(s.st_mode)) {
    why = ENOTDIR;
  } else if (::access(path.c_str(), X_OK) != 0) {
    why = errno;
  }
  return {why, std::generic_category()};
}

COMCP_DECL bool has_nul(spawn_options const& o) {
  auto const nul = [](std::string const& s) { return s.find('\0') != std::string::npos; };
  return std::any_of(o.command.begin(), o.command.end(), nul) || nul(o.working_directory) ||
         std::any_of(o.environment.begin(), o.environment.end(),
                     [&](auto const& kv) { return nul(kv.first) || nul(kv.second); });
}

}  // namespace detail

COMCP_DECL std::vector<std::string> child_environment(spawn_options const& options) {
  std::vector<std::string> out;
  if (options.inherit_environment) {
    for (char** e = environ; e != nullptr && *e != nullptr; ++e) out.emplace_back(*e);
  } else {
    for (char const* name : {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}) {
      char const* value = std::getenv(name);
      // "()" starts a function that a shell exported.
      if (value != nullptr && std::strncmp(value, "()", 2) != 0) out.push_back(std::string(name) + "=" + value);
    }
  }
  for (auto const& [name, value] : options.environment) {
    std::erase_if(out, [&, &n = name](std::string const& e) { return e.starts_with(n + "="); });
    out.push_back(name + "=" + value);
  }
  return out;
}

namespace detail {

COMCP_DECL result<int> start(spawn_options const& o, fd_pair& in, fd_pair& out, fd_pair& err) {
  if (auto const why = o.working_directory.empty() ? std::error_code() : wrong_directory(o.working_directory)) {
    return cannot_start(o, "working directory '" + o.working_directory + "': " + why.message());
  }
  auto environment = child_environment(o);
  std::string const path = find_command(o, environment);
  if (path.empty()) return cannot_start(o, "no such command in PATH");
  bool const piped = o.error_to == spawn_options::error_output::pipe;
  if (!make_pair(in, true) || !make_pair(out, false) || (piped && !make_pair(err, false))) {
    return cannot_start(o, std::generic_category().message(errno));
  }
#if defined(F_SETPIPE_SZ)
  (void)::fcntl(out.ours.get(), F_SETPIPE_SZ, larger_pipe);
#endif
  spawn_setup setup;
  setup.isolate();
  posix_spawn_file_actions_adddup2(&setup.actions, in.childs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&setup.actions, out.childs.get(), STDOUT_FILENO);
  if (piped) posix_spawn_file_actions_adddup2(&setup.actions, err.childs.get(), STDERR_FILENO);
  if (o.error_to == spawn_options::error_output::discard) {
    posix_spawn_file_actions_addopen(&setup.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  setup.close_the_rest();
  if (!o.working_directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&setup.actions, o.working_directory.c_str());
  }
  auto arguments = o.command;
  pid_t pid = -1;
  int const failed = ::posix_spawn(&pid, path.c_str(), &setup.actions, &setup.attributes,
                                   pointers(arguments).data(), pointers(environment).data());
  if (failed != 0) return cannot_start(o, std::generic_category().message(failed));
  return static_cast<int>(pid);
}

}  // namespace detail

}  // namespace comcp::net

namespace comcp::net {
namespace detail {

/// False while it lives. Sees the exit while the pid is still ours, so that the group that is killed cannot be another's.
/// Waits without WNOHANG in `options` only.
COMCP_DECL bool reap(int pid, int options, exit_status& how) noexcept {
  siginfo_t info{};
  int r = 0;
  do {
    r = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | options);
  } while (r != 0 && errno == EINTR);
  if (r != 0) return true;  // ECHILD: somebody else reaped it, the group is not ours to signal
  if (info.si_pid == 0) return false;
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, nullptr, WNOHANG) < 0 && errno == EINTR) {
  }
  (info.si_code == CLD_EXITED ? how.code : how.signal) = info.si_status;
  return true;
}

/// For what takes long to die, or cannot be killed: a thread of its own waits for it.
COMCP_DECL void reap_in_background(int pid) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of this program runs there
  try {
    std::thread([pid] {
      exit_status ignored;
      static_cast<void>(reap(pid, 0, ignored));
    }).detach();
  } catch (std::exception const&) {  // no thread is to be had: a short while here is better than a zombie
    exit_status ignored;
    for (int i = 0; i != 100 && !reap(pid, WNOHANG, ignored); ++i) ::poll(nullptr, 0, 5);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// A pid, which is ours to signal until it is reaped or left to the background, and a second descriptor of its stdin, by
/// whose end it may go where no signal is allowed. Safe from any thread.
class owned_pid {
 public:
  owned_pid(int pid, int input) noexcept : pid_(pid), input_(::fcntl(input, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {}

  /// Whether it has ended, or is somebody else's by now.
  [[nodiscard]] bool gone(exit_status& how) noexcept {
    std::lock_guard const lock(mutex_);
    if (ours_ && reap(pid_, WNOHANG, how)) leave();
    return !ours_;
  }

  /// Once to it, also where it left its group, and to what is in the group. What forbids that.
  std::error_code signal(int number) noexcept {
    std::lock_guard const lock(mutex_);
    return ours_ ? send(number) : std::error_code();
  }

  [[nodiscard]] int pid() const noexcept { return pid_; }

  /// Never waits.
  void kill() noexcept {
    std::lock_guard const lock(mutex_);
    exit_status ignored;
    if (!ours_) return;
    ::shutdown(input_.get(), SHUT_RDWR);
    leave();
    if (reap(pid_, WNOHANG, ignored)) return;
    static_cast<void>(send(SIGKILL));
    reap_in_background(pid_);
  }

 private:
  void leave() noexcept {
    ours_ = false;
    input_ = owned_fd();
  }

  // A second SIGTERM means "at once" to many, so that a member of the group gets only the first.
  std::error_code send(int number) const noexcept {
    ::kill(-pid_, number);
    bool const member = number != SIGKILL && ::getpgid(pid_) == pid_;
    if (::kill(pid_, member ? 0 : number) == 0) return {};
    return {errno, std::generic_category()};
  }

  std::mutex mutex_;
  int pid_;
  owned_fd input_;
  bool ours_ = true;
};

/// This side's ends of a child's pipes.
struct child_pipes {
  explicit child_pipes(asio::any_io_executor const& ex) : input(ex), output(ex), errors(ex) {}

  void adopt(owned_fd& in, owned_fd& out, owned_fd& err) {
    input.assign(asio::local::stream_protocol(), in.get());
    in.release();
    output.assign(out.get());
    out.release();
    if (err.get() >= 0) errors.assign(err.get());
    err.release();
  }

  void close_input() noexcept {
    std::error_code ignored;
    input.shutdown(asio::local::stream_protocol::socket::shutdown_send, ignored);
  }

  asio::local::stream_protocol::socket input;
  asio::posix::stream_descriptor output;
  asio::posix::stream_descriptor errors;
};

#if defined(SYS_pidfd_open)
COMCP_DECL int open_pidfd(int pid) noexcept { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }
#else
COMCP_DECL int open_pidfd(int) noexcept { return -1; }
#endif

}  // namespace detail

struct child_process::state : std::enable_shared_from_this<child_process::state> {
  enum class phase { running, stopping, finished };

  state(asio::any_io_executor ex, spawn_options const& o)
      : executor(ex), pipes(ex), pidfd(ex),
        time(o.time ? o.time : steady_time()), ladder(time->make_deadline(ex)), poll(time->make_deadline(ex)),
        exit_wait(o.exit_wait), term_wait(o.term_wait) {}

  void watch(bool use_pidfd) {
    int const fd = use_pidfd ? detail::open_pidfd(process->pid()) : -1;
    if (fd < 0) return;
    pidfd.assign(fd);
    pidfd.async_wait(asio::posix::descriptor_base::wait_read,
                     asio::bind_executor(executor, [self = shared_from_this()](std::error_code ec) {
                       if (!ec) self->look();
                     }));
  }

  void look() {
    if (process->gone(how)) finish();
  }

  void finish() {
    if (std::exchange(now, phase::finished) == phase::finished) return;
    ladder->disarm();
    poll->disarm();
    status = how;
    if (auto call = std::exchange(done, nullptr)) call();
  }

  void after(std::chrono::milliseconds wait, void (state::*next)()) {
    ladder->arm(time->now() + wait, [weak = weak_from_this(), next] {
      auto const self = weak.lock();
      if (!self || self->now == phase::finished) return;
      self->look();
      if (self->now != phase::finished) ((*self).*next)();
    });
  }

  void terminate() {
    pipes.close_input();
    how.signalled = true;
    static_cast<void>(process->signal(SIGTERM));
    after(term_wait, &state::kill_all);
  }

  void kill_all() {
    how.alive = process->signal(SIGKILL);
    if (how.alive) return finish();
    after(kill_wait, &state::give_up);
  }

  // Stuck in the kernel: waiting on would hang the host with it.
  void give_up() {
    how.alive = std::make_error_code(std::errc::timed_out);
    finish();
  }

  void poll_exit() {
    poll->arm(time->now() + std::chrono::milliseconds(5), [weak = weak_from_this()] {
      auto const self = weak.lock();
      if (!self || self->now == phase::finished) return;
      self->look();
      if (self->now != phase::finished) self->poll_exit();
    });
  }

  asio::any_io_executor executor;
  detail::child_pipes pipes;
  asio::posix::stream_descriptor pidfd;
  std::shared_ptr<time_source> time;
  std::unique_ptr<deadline> ladder;
  std::unique_ptr<deadline> poll;
  std::chrono::milliseconds exit_wait;
  std::chrono::milliseconds term_wait;
  std::function<void()> done;
  std::optional<exit_status> status;
  exit_status how;
  std::shared_ptr<detail::owned_pid> process;
  phase now = phase::running;
};

COMCP_DECL result<child_process> child_process::spawn(asio::any_io_executor executor, spawn_options const& options) {
  if (options.command.empty() || options.command.front().empty()) {
    return error(errc::invalid_argument, "no command to start");
  }
  if (detail::has_nul(options)) return error(errc::invalid_argument, "NUL in a command, variable or directory");
  auto s = std::make_shared<state>(executor, options);
  detail::fd_pair in;
  detail::fd_pair out;
  detail::fd_pair err;
  auto const pid = detail::start(options, in, out, err);
  if (!pid) return pid.error();
  s->process = std::make_shared<detail::owned_pid>(*pid, in.ours.get());
  child_process process(s);  // from here on a failure kills it
  try {
    s->pipes.adopt(in.ours, out.ours, err.ours);
    s->watch(options.use_pidfd);
  } catch (std::system_error const& e) {
    return detail::cannot_start(options, e.code().message());
  }
  return process;
}

COMCP_DECL child_process& child_process::operator=(child_process&& other) noexcept {
  if (this != &other) {
    if (state_) kill();
    state_ = std::move(other.state_);
  }
  return *this;
}

COMCP_DECL child_process::~child_process() {
  if (state_) kill();
}

COMCP_DECL asio::local::stream_protocol::socket& child_process::input() noexcept { return state_->pipes.input; }
COMCP_DECL asio::posix::stream_descriptor& child_process::output() noexcept { return state_->pipes.output; }
COMCP_DECL asio::posix::stream_descriptor& child_process::error_output() noexcept { return state_->pipes.errors; }
COMCP_DECL int child_process::pid() const noexcept { return state_->process->pid(); }
COMCP_DECL void child_process::on_exit(std::function<void()> done) { state_->done = std::move(done); }
COMCP_DECL std::optional<exit_status> const& child_process::status() const noexcept { return state_->status; }

COMCP_DECL void child_process::close_input() noexcept { state_->pipes.close_input(); }

COMCP_DECL void child_process::stop(std::chrono::milliseconds most) {
  if (state_->now != state::phase::running) return;
  state_->now = state::phase::stopping;
  if (!state_->pidfd.is_open()) state_->poll_exit();
  state_->after(std::min(most, state_->exit_wait), &state::terminate);
}

COMCP_DECL void child_process::kill() noexcept {
  state_->now = state::phase::finished;
  state_->done = nullptr;
  state_->ladder->disarm();
  state_->poll->disarm();
  std::error_code ignored;
  state_->pipes.input.close(ignored);
  state_->process->kill();
  state_->pipes.output.close(ignored);
  state_->pipes.errors.close(ignored);
  state_->pidfd.close(ignored);
}

COMCP_DECL std::function<void()> child_process::killer() const {
  return [process = state_->process] { process->kill(); };
}

COMCP_DECL std::size_t readable_now(asio::posix::stream_descriptor& d) noexcept {
  int n = 0;
  return d.is_open() && ::ioctl(d.native_handle(), FIONREAD, &n) == 0 && n > 0 ? static_cast<std::size_t>(n) : 0;
}

}  // namespace comcp::net
#endif

namespace comcp {

/// Where the server's stderr goes. It never stalls the server.
class stderr_target {
 public:
  enum class kind { ring, inherit, sink, discard };
  using sink_function = std::function<void(std::string_view)>;

  /// Keeps the last `bytes`, for errors and info().
  static stderr_target ring(std::size_t bytes = 64 * 1024) { return {kind::ring, bytes, {}}; }
  /// The stderr of this process.
  static stderr_target inherit() { return {kind::inherit, 0, {}}; }
  /// Calls `sink` on the transport's executor with each piece as it comes; the last 4 KiB are kept too. What it throws
  /// is dropped, and a fault for the observer.
  static stderr_target sink(sink_function sink) { return {kind::sink, 4096, std::move(sink)}; }
  static stderr_target discard() { return {kind::discard, 0, {}}; }

  [[nodiscard]] kind what() const noexcept { return kind_; }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_; }
  [[nodiscard]] sink_function const& call() const noexcept { return sink_; }

 private:
  stderr_target(kind k, std::size_t kept, sink_function sink) : kind_(k), kept_(kept), sink_(std::move(sink)) {}
  kind kind_;
  std::size_t kept_;
  sink_function sink_;
};

/// What a stdio transport is told before it opens.
class stdio_settings {
 public:
  stdio_settings() = default;
  net::spawn_options process;
  std::size_t max_line = jsonrpc::framer::default_max_line;
  queue_limits queue;
  stderr_target error_to = stderr_target::ring();
};

/// Starts a server and talks to it. `closed` is told once everything that the server wrote was delivered, its
/// process has ended, its process group is killed and it is reaped; the error has the exit status and the tail
/// of stderr. close() is bounded by exit_wait + term_wait + child_process::kill_wait; a process that goes on even then
/// (another user's) is left to itself, as a fault and the error say. Destroying it kills the process and its group at
/// once, and never waits. Regular: keep one and connect copies of it.
class stdio {
 public:
  /// argv, never a shell. The command is looked up in the PATH that the server gets.
  explicit stdio(std::vector<std::string> command);
  template <class... Args>
    requires(std::convertible_to<Args, std::string> && ...)
  explicit stdio(std::string command, Args&&... args)
      : stdio(argv(std::move(command), std::string(std::forward<Args>(args))...)) {}
  /// A copy has the settings, never the process.
  stdio(stdio const& other);
  stdio& operator=(stdio const& other) { return *this = stdio(other); }
  stdio(stdio&&) noexcept = default;
  stdio& operator=(stdio&& other) noexcept;
  ~stdio();

  /// One variable for the server, beside the safe default ones (net::spawn_options).
  stdio& env(std::string name, std::string value) &;
  /// The server gets the whole environment of this process.
  stdio& inherit_environment(bool on = true) & { return settings_.process.inherit_environment = on, *this; }
  stdio& working_directory(std::string path) & { return settings_.process.working_directory = std::move(path), *this; }
  /// Longest line accepted, in bytes; a longer one closes with errc::limit_exceeded. Default 16 MiB.
  stdio& max_line(std::size_t bytes) & { return settings_.max_line = bytes, *this; }
  /// Bounds of what waits to be written; beyond them send() says errc::queue_full.
  stdio& queue(queue_limits limits) & { return settings_.queue = limits, *this; }
  stdio& stderr_to(stderr_target target) & { return settings_.error_to = std::move(target), *this; }
  /// How long the server may take to exit after the end of its stdin before SIGTERM. Default 2 s. Both waits and half a
  /// second more should fit into connect_options().close_timeout(), which kills at once.
  stdio& exit_wait(std::chrono::milliseconds wait) & { return settings_.process.exit_wait = wait, *this; }
  /// How long after SIGTERM before SIGKILL. Default 2 s.
  stdio& term_wait(std::chrono::milliseconds wait) & { return settings_.process.term_wait = wait, *this; }
  stdio& time(std::shared_ptr<time_source> source) & { return settings_.process.time = std::move(source), *this; }

  stdio&& env(std::string name, std::string value) && { return std::move(env(std::move(name), std::move(value))); }
  stdio&& inherit_environment(bool on = true) && { return std::move(inherit_environment(on)); }
  stdio&& working_directory(std::string path) && { return std::move(working_directory(std::move(path))); }
  stdio&& max_line(std::size_t bytes) && { return std::move(max_line(bytes)); }
  stdio&& queue(queue_limits limits) && { return std::move(queue(limits)); }
  stdio&& stderr_to(stderr_target target) && { return std::move(stderr_to(std::move(target))); }
  stdio&& exit_wait(std::chrono::milliseconds wait) && { return std::move(exit_wait(wait)); }
  stdio&& term_wait(std::chrono::milliseconds wait) && { return std::move(term_wait(wait)); }
  stdio&& time(std::shared_ptr<time_source> source) && { return std::move(time(std::move(source))); }

  [[nodiscard]] stdio_settings const& settings() const noexcept { return settings_; }

  /// Starts the process, anew after each closed. errc::connect_failed when it cannot be started.
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> open(inbox& in);
  result<void> send(outgoing message);
  bool abandon(request_id id) noexcept;
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close();
  [[nodiscard]] transport_info info() const;
  /// What kills the process and its group from any thread, at once, also one that starts later.
  [[nodiscard]] std::function<void()> cutter() const;

 private:
  struct state;

  template <class... Args>
  static std::vector<std::string> argv(std::string command, Args... args) {
    std::vector<std::string> out;
    out.reserve(1 + sizeof...(args));
    out.push_back(std::move(command));
    (out.push_back(std::move(args)), ...);
    return out;
  }
  COMCP_LAZY static asio::awaitable<result<void>> open_impl(std::shared_ptr<state> s, stdio_settings settings, inbox& in);
  void abort() noexcept;

  stdio_settings settings_;
  std::shared_ptr<state> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/stdio.ipp
#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include <asio/bind_executor.hpp>
#include <asio/this_coro.hpp>

namespace comcp {
namespace detail {

/// A child's stdout and stdin as one stream; closing it kills what still runs.
class child_stream {
 public:
  explicit child_stream(net::child_process p) : process(std::move(p)) {}

  template <class Buffers, class Handler>
  void async_read_some(Buffers const& buffers, Handler&& handler) {
    process.output().async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(Buffers const& buffers, Handler&& handler) {
    process.input().async_write_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers>
  std::size_t write_some(Buffers const& buffers, std::error_code& ec) {
    return process.input().write_some(buffers, ec);
  }
  void non_blocking(bool on, std::error_code& ec) { process.input().non_blocking(on, ec); }
  void close(std::error_code&) noexcept { process.kill(); }

  net::child_process process;
};

/// The last bytes of a stream; keeps up to twice the limit so that most appends move nothing.
class tail_ring {
 public:
  explicit tail_ring(std::size_t limit) : limit_(limit) {}
  void append(std::string_view piece) {
    if (piece.size() > limit_) piece.remove_prefix(piece.size() - limit_);
    if (text_.size() + piece.size() > 2 * limit_) text_.erase(0, text_.size() + piece.size() - limit_);
    text_.append(piece);
  }
  [[nodiscard]] std::string last(std::size_t n) const {
    n = std::min({n, limit_, text_.size()});
    return text_.substr(text_.size() - n);
  }

 private:
  std::size_t limit_;
  std::string text_;
};

class stdio_session final : public stream_session<child_stream> {
  using base = stream_session<child_stream>;

 public:
  static constexpr std::size_t tail_in_errors = 4096;
  /// For a process to exit by itself after the end of its stdout, before SIGTERM: nothing can come from it any more.
  static constexpr std::chrono::milliseconds silent_wait{500};

  stdio_session(asio::any_io_executor executor, child_stream stream, inbox& in, stdio_settings const& s)
      : base(std::move(executor), std::move(stream), in, s.max_line, s.queue),
        sink_(s.error_to.call()),
        tail_(s.error_to.kept()),
        pid_(process().pid()) {}

  void start_all() {
    process().on_exit([weak = weak_from_this()] {
      if (auto self = weak.lock()) static_cast<stdio_session&>(*self).exited();
    });
    errors_ended_ = !process().error_output().is_open();
    if (!errors_ended_) read_errors();
    start();
  }

  void start_close() override {
    if (closing()) return;
    begin_close();
    if (idle()) process().close_input();
    process().stop();
  }

  void describe(transport_info& out) const override {
    base::describe(out);
    out.pid = pid_;
    out.exit_code = how_.code;
    out.term_signal = how_.signal;
    out.stderr_tail = tail_.last(std::string::npos);
  }

 private:
  [[nodiscard]] net::child_process& process() noexcept { return stream().process; }

  void reading_ended(error why) override {
    output_ended_ = true;
    if (is_our_own(why)) {
      std::error_code ignored;
      process().output().close(ignored);  // a server that is still writing the line fails at once
    } else {
      why = why.with_message("the server closed its stdout");
    }
    process().close_input();
    end_with(std::move(why), silent_wait);
    finish_if_over();
  }

  void writing_ended(error) override {
    end_with(error(errc::transport_failed, "the server closed its stdin"), std::chrono::milliseconds::max());
  }

  static bool is_our_own(error const& e) noexcept { return e == errc::limit_exceeded || e == errc::out_of_memory; }

  void drained() override {
    if (closing()) process().close_input();
  }

  void end_with(error why, std::chrono::milliseconds wait) {
    if (!cause_ || is_our_own(why)) cause_ = std::move(why);
    refuse_sends();
    process().stop(wait);
  }

  // Everything that the server wrote is in the pipes by now. The end of a pipe may never come, when a process
  // outside the group holds it: what is in there is taken, and that is the end.
  void exited() {
    if (done()) return;
    exited_ = true;
    how_ = process().status().value_or(net::exit_status());
    refuse_sends();
    if (how_.alive) fault(error(errc::transport_failed, not_ended()));
    if (done()) return;
    std::error_code ignored;
    if (!output_ended_) {
      stop_reading();
      process().output().cancel(ignored);
    }
    if (!errors_ended_) process().error_output().cancel(ignored);
    finish_if_over();
  }

  void fetch_rest() override {
    auto& output = process().output();
    std::error_code ec;
    for (auto left = net::readable_now(output); left > 0 && !framer().failed();) {
      auto const room = framer().prepare();
      auto const n = output.read_some(asio::buffer(room.data(), std::min(room.size(), left)), ec);
      if (ec || n == 0) return;
      framer().commit(n);
      left -= n;
      if (!deliver_lines()) return;
    }
  }

  void read_errors() {
    process().error_output().async_read_some(
        asio::buffer(error_buffer_),
        asio::bind_executor(executor(), [self = shared_from_this()](std::error_code ec, std::size_t n) {
          static_cast<stdio_session&>(*self).on_errors(ec, n);
        }));
  }

  void on_errors(std::error_code ec, std::size_t n) {
    if (done()) return;
    keep_errors(n);
    if (done()) return;
    if (!ec && !exited_) return read_errors();
    if (exited_) fetch_errors();
    if (done()) return;
    errors_ended_ = true;
    finish_if_over();
  }

  void fetch_errors() {
    auto& errors = process().error_output();
    std::error_code ec;
    for (auto left = net::readable_now(errors); left > 0 && !done();) {
      auto const n = errors.read_some(asio::buffer(error_buffer_.data(), std::min(error_buffer_.size(), left)), ec);
      if (ec || n == 0) return;
      left -= n;
      keep_errors(n);
    }
  }

  void keep_errors(std::size_t n) {
    std::string_view const piece(error_buffer_.data(), n);
    tail_.append(piece);
    if (!sink_ || n == 0) return;
    try {
      sink_(piece);
    } catch (...) {
      fault(error(errc::invalid_argument, "a stderr sink threw"));
    }
  }

  void finish_if_over() {
    if (exited_ && output_ended_ && errors_ended_ && !done()) finish(reason());
  }

  [[nodiscard]] error reason() const {
    transport_detail detail;
    detail.exit_code = how_.code;
    detail.term_signal = how_.signal;
    detail.stderr_tail = tail_.last(tail_in_errors);
    return bare_reason().with_detail(std::move(detail));
  }

  [[nodiscard]] error bare_reason() const {
    if (cause_ && is_our_own(*cause_)) return *cause_;
    std::string const left = how_.alive ? "; " + not_ended() : std::string();
    if (closing()) return {errc::closed, "closed by this side" + left};
    if (how_.code) return {errc::transport_failed, "the server process exited"};
    if (cause_ && (how_.alive || how_.signalled)) return cause_->with_message(std::string(cause_->message()) + left);
    if (how_.signal) return {errc::transport_failed, "the server process was ended by a signal"};
    return {errc::transport_failed, "the server process is gone"};
  }

  [[nodiscard]] std::string not_ended() const {
    return "the server process " + std::to_string(pid_) + " could not be ended: " +
           (how_.alive == std::errc::timed_out ? "it goes on after SIGKILL" : how_.alive.message());
  }

  stderr_target::sink_function sink_;
  tail_ring tail_;
  int pid_;
  net::exit_status how_;
  std::optional<error> cause_;  // why it is ending, when not by close()
  std::array<char, 8192> error_buffer_;
  bool output_ended_ = false;
  bool errors_ended_ = false;
  bool exited_ = false;
};

/// A command line for people: values of options that sound secret are left out.
COMCP_DECL std::string shown_command(std::vector<std::string> const& command) {
  auto const sounds_secret = [](std::string word) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (char const* s : {"token", "secret", "password", "passwd", "key", "auth", "credential"}) {
      if (word.find(s) != std::string::npos) return true;
    }
    return false;
  };
  std::string out;
  bool hide = false;
  for (auto const& argument : command) {
    if (!out.empty()) out.push_back(' ');
    auto const equals = argument.find('=');
    bool const option = argument.starts_with("-");
    bool const named = equals != std::string::npos && sounds_secret(argument.substr(0, equals));
    out.append(named ? argument.substr(0, equals) + "=***" : hide && !option ? "***" : argument);
    hide = option && equals == std::string::npos && sounds_secret(argument);
  }
  return out;
}

}  // namespace detail

struct stdio::state {
  std::shared_ptr<detail::stdio_session> session;
  std::shared_ptr<detail::kill_switch> cut = std::make_shared<detail::kill_switch>();
  bool gone = false;
};

COMCP_DECL stdio::stdio(std::vector<std::string> command) : state_(std::make_shared<state>()) {
  settings_.process.command = std::move(command);
}

COMCP_DECL stdio::stdio(stdio const& other) : settings_(other.settings_), state_(std::make_shared<state>()) {}

COMCP_DECL stdio& stdio::operator=(stdio&& other) noexcept {
  if (this != &other) {
    abort();
    settings_ = std::move(other.settings_);
    state_ = std::move(other.state_);
  }
  return *this;
}

COMCP_DECL stdio::~stdio() { abort(); }

COMCP_DECL void stdio::abort() noexcept {
  if (!state_) return;
  state_->gone = true;
  if (state_->session) state_->session->abort();
}

COMCP_DECL stdio& stdio::env(std::string name, std::string value) & {
  settings_.process.environment.emplace_back(std::move(name), std::move(value));
  return *this;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> stdio::open(inbox& in) { return open_impl(state_, settings_, in); }

COMCP_LAZY_DECL asio::awaitable<result<void>> stdio::open_impl(std::shared_ptr<state> s, stdio_settings settings,
                                                          inbox& in) {
  auto executor = co_await asio::this_coro::executor;
  if (s->gone) co_return error(errc::closed, "destroyed while opening");
  if (s->session && !s->session->done()) co_return error(errc::connect_failed, "already open");
  using target = net::spawn_options::error_output;
  auto const what = settings.error_to.what();
  settings.process.error_to = what == stderr_target::kind::inherit   ? target::inherit
                              : what == stderr_target::kind::discard ? target::discard
                                                                     : target::pipe;
  auto process = net::child_process::spawn(executor, settings.process);
  if (!process) co_return process.error();
  s->cut->connect(process->killer());
  detail::child_stream stream(std::move(*process));
  s->session = std::make_shared<detail::stdio_session>(executor, std::move(stream), in, settings);
  s->session->start_all();
  co_return result<void>();
}

COMCP_DECL result<void> stdio::send(outgoing message) {
  if (!state_->session) return error(errc::closed, "not open");
  return state_->session->send(std::move(message));
}

COMCP_DECL bool stdio::abandon(request_id id) noexcept { return state_->session && state_->session->abandon(id); }

COMCP_LAZY_DECL asio::awaitable<void> stdio::close() { return detail::close_session(state_->session); }

COMCP_DECL transport_info stdio::info() const {
  transport_info out;
  out.kind = "stdio";
  out.target = detail::shown_command(settings_.process.command);
  if (state_->session) state_->session->describe(out);
  return out;
}

COMCP_DECL std::function<void()> stdio::cutter() const {
  return [cut = state_->cut] { cut->pull(); };
}

static_assert(transport<stdio> && has_cutter<stdio>);

}  // namespace comcp
#endif

// transport/unix_socket.hpp
// Messages as lines over a Unix domain socket, found by its path.

#include <string>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/local/stream_protocol.hpp>

namespace comcp {
namespace detail {
COMCP_LAZY asio::awaitable<result<asio::local::stream_protocol::socket>> connect_unix(std::string path);

struct unix_connector {
  std::string path;
  COMCP_LAZY asio::awaitable<result<asio::local::stream_protocol::socket>> operator()() const {
    return connect_unix(path);
  }
};
}  // namespace detail

/// As unix_socket says. A template, so that only who uses it compiles it.
template <class Connector>
class basic_unix_socket : public byte_stream<asio::local::stream_protocol::socket> {
 public:
  explicit basic_unix_socket(std::string path, stream_options options = stream_options())
      : byte_stream(connector(Connector{path}), options.label("unix", path)),
        path_(std::move(path)),
        options_(std::move(options)) {}
  basic_unix_socket(basic_unix_socket const& other) : basic_unix_socket(other.path_, other.options_) {}
  basic_unix_socket& operator=(basic_unix_socket const& other) { return *this = basic_unix_socket(other); }
  basic_unix_socket(basic_unix_socket&&) noexcept = default;
  basic_unix_socket& operator=(basic_unix_socket&&) noexcept = default;

 private:
  std::string path_;
  stream_options options_;
};

/// A server that listens on a Unix domain socket. open() connects, again and again if asked to. A copy has the path and
/// the options, never the connection.
using unix_socket = basic_unix_socket<detail::unix_connector>;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// transport/impl/unix_socket.ipp
#include <system_error>

#include <asio/this_coro.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<result<asio::local::stream_protocol::socket>> connect_unix(std::string path) {
  auto executor = co_await asio::this_coro::executor;
  asio::local::stream_protocol::endpoint endpoint;
  try {
    endpoint.path(path);
  } catch (std::system_error const&) {
    co_return error(errc::connect_failed, "the socket path is too long: " + path);
  }
  asio::local::stream_protocol::socket socket(executor);
  auto [ec] = co_await net::async_connect(socket, endpoint);
  if (ec) co_return error(errc::connect_failed, path + ": " + ec.message());
  co_return std::move(socket);
}

}  // namespace comcp::detail
#endif

#if defined(COMCP_IMPLEMENTATION) && defined(ASIO_SEPARATE_COMPILATION)
#include <asio/impl/src.hpp>
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
#include <asio/ssl/impl/src.hpp>
#endif
#endif

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
