// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Credentials of your own. An authenticator gives the headers for each request and decides what a 401 or 403 means;
// this one has several keys, and goes to the next where the server takes one no more.
//
//   own_authenticator URL KEY
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <comcp/http.hpp>

class key_ring {
 public:
  key_ring(std::string owner, std::vector<comcp::secret> keys) : owner_(std::move(owner)), keys_(std::move(keys)) {}

  // For every request. An error ends it; so would an exception.
  asio::awaitable<comcp::result<comcp::http_headers>> headers(comcp::auth_request const&) {
    comcp::http_headers out;
    auto const added = out.add("Authorization", value());
    if (!added) co_return added.error();
    co_return out;
  }

  // `sent` is what headers() gave to the request that was refused. Others may have been refused at the same time:
  // the first of them turns the ring.
  asio::awaitable<comcp::result<comcp::auth_verdict>> challenged(comcp::auth_request const&,
                                                                 comcp::http_headers const& sent,
                                                                 comcp::http_response_head const& got) {
    if (got.status != 401) co_return comcp::auth_verdict::give_up;
    auto const* const used = sent.find("Authorization");
    if (used && *used != value()) co_return comcp::auth_verdict::try_again;
    if (current_ + 1 >= keys_.size()) co_return comcp::auth_verdict::give_up;
    std::cout << "key " << current_ << " was refused\n";
    ++current_;
    co_return comcp::auth_verdict::try_again;
  }

  // Equal for equal credentials, without telling them: what is learned with one identity is not used for another.
  std::string identity() const { return "keys of " + owner_; }

 private:
  std::string value() const { return "Bearer " + keys_.at(current_).reveal(); }

  std::string owner_;
  std::vector<comcp::secret> keys_;
  std::size_t current_ = 0;
};
static_assert(comcp::authenticator<key_ring>);

asio::awaitable<bool> visit(std::string url, std::string key) {
  std::vector<comcp::secret> keys;
  keys.emplace_back("a key of last year");
  keys.emplace_back(key);
  auto client = co_await comcp::connect(comcp::http(url, key_ring("the weather service", keys)));
  auto const sum = co_await client.call_tool("add", comcp::args("a", 2, "b", 3));
  std::cout << "2 + 3 = " << sum.structured_content["sum"].as_int64() << '\n';
  co_await client.close();
  co_return sum.structured_content["sum"].as_int64() == 5;
}

int main(int argc, char* argv[]) try {
  if (argc != 3) {
    std::cerr << "usage: own_authenticator URL KEY\n";
    return 2;
  }
  return comcp::run(visit(argv[1], argv[2])) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
