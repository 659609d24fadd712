// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What every engine does with a server that behaves. How exchanges end early is in engines_ends.cpp, what a server
// can do wrong in engines_broken.cpp.
#include "http/engine_cases.hpp"

using namespace comcp_test;

TEMPLATE_TEST_CASE("engines: a request arrives as it was given", "[http][threads]", COMCP_ENGINES) {
  asio::io_context io{1};
  http_peer peer(io, always(http_answer(200, "ok")));
  std::string const text(200'000, 'b');
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    auto post = request_to(peer.url("/a%2Fb/c?q=%20x&y"), "POST", text);
    post.headers.add("Content-Type", "application/json").value();
    post.headers.add("X-Twice", "one").value();
    post.headers.add("X-Twice", "two").value();
    auto got = co_await fetch(e, std::move(post));
    CHECK(got.value().body == "ok");
    auto small = co_await fetch(e, request_to(peer, "POST", std::string("\0\xff\r\n", 4)));
    CHECK(small.value().head.status == 200);
    auto empty = co_await fetch(e, request_to(peer, "POST"));
    CHECK(empty.value().head.status == 200);
    auto removed = co_await fetch(e, request_to(peer, "DELETE"));
    CHECK(removed.value().head.status == 200);
  };
  run(io, body());
  auto const requests = peer.requests();
  REQUIRE(requests.size() == 4);
  auto const& post = requests[0];
  CHECK(post.method == "POST");
  CHECK(post.target == "/a%2Fb/c?q=%20x&y");
  CHECK(post.version == "HTTP/1.1");
  CHECK(post.body == text);
  CHECK(*post.header("content-type") == "application/json");
  CHECK(*post.header("host") == "127.0.0.1:" + std::to_string(peer.port()));
  CHECK(post.count("host") == 1);
  CHECK(post.count("content-length") == 1);
  CHECK(post.count("expect") == 0);
  CHECK(post.count("accept-encoding") == 0);
  REQUIRE(post.count("x-twice") == 2);
  CHECK(post.head.find("one") < post.head.find("two"));
  CHECK(requests[1].body == std::string("\0\xff\r\n", 4));
  CHECK(*requests[2].header("content-length") == "0");
  CHECK(requests[3].method == "DELETE");
  if (TestType::strict) {
    CHECK(requests[3].headers.size() == 1);  // Host
  } else {
    for (auto const& [name, value] : requests[3].headers) {
      INFO(name);
      CHECK((name == "host" || name == "accept" || name == "user-agent" || name == "connection"));
    }
  }
}

TEMPLATE_TEST_CASE("engines: the head of a response comes as it is, whatever its status", "[http][threads]",
                   COMCP_ENGINES) {
  int const status = GENERATE(200, 201, 202, 301, 400, 401, 404, 405, 429, 500, 503, 599);
  auto const got = exchange_with<TestType>(
      always(http_answer(status, "why", "X-One:  a b \r\nSet-Cookie: c=1\r\nset-cookie: d=2\r\nX-Empty:\r\n")));
  auto const& head = got.value().head;
  CHECK(head.status == status);
  CHECK(head.reason == "Text");
  CHECK(*head.headers.find("x-one") == "a b");
  CHECK(head.headers.all("Set-Cookie") == std::vector<std::string_view>{"c=1", "d=2"});
  CHECK(got->body == "why");
}

TEMPLATE_TEST_CASE("engines: each piece of a body is there before the server sends the next", "[http][threads]",
                   COMCP_ENGINES) {
  std::string const how = GENERATE("length", "chunked", "close");
  asio::io_context io{1};
  peer_signal first(io.get_executor()), second(io.get_executor());
  bool const chunked = how == "chunked";
  std::string const one = chunked ? chunk_of("one") : "one";
  std::string const rest_of_it = chunked ? chunk_of("two") + chunk_of("end") + last_chunk : "twoend";
  http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
    co_await c.read_request();
    std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
    if (how == "length") head += "Content-Length: 9\r\n";
    if (chunked) head += "Transfer-Encoding: chunked\r\n";
    head += "\r\n";
    co_await c.write(head);
    co_await first.wait();
    co_await c.write(one);
    co_await second.wait();
    co_await c.write(rest_of_it);
  });
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    auto response = co_await e.open(request_to(peer));
    CHECK(response.value().head().status == 200);
    first.say();
    std::string got;
    while (got.size() < 3) {
      auto piece = co_await response->next();
      REQUIRE_FALSE(piece.value().empty());
      got += *piece;
    }
    CHECK(got == "one");
    second.say();
    auto rest = co_await read_all(*response);
    CHECK(rest.value() == "twoend");
    auto after = co_await response->next();
    CHECK(after.value().empty());
  };
  run(io, body());
}

TEMPLATE_TEST_CASE("engines: a response in single bytes is the same response", "[http][threads]", COMCP_ENGINES) {
  std::string const bytes =
      GENERATE(http_answer(200, "hello, world", "X: y\r\n"),
               chunked_head(200, "X: y\r\n") + chunk_of("hello, ") + "5;a=\"b\"\r\nworld\r\n" + last_chunk,
               std::string("HTTP/1.1 100 Continue\r\n\r\n") + http_answer(200, "hello, world", "X: y\r\n"),
               std::string("HTTP/1.0 200 OK\r\nX: y\r\n\r\nhello, world"));
  auto const got = exchange_with<TestType>([bytes](peer_connection& c) -> asio::awaitable<void> {
    co_await c.read_request();
    co_await c.write_bytewise(bytes);
  });
  CHECK(got.value().body == "hello, world");
  CHECK(*got->head.headers.find("x") == "y");
}

TEMPLATE_TEST_CASE("engines: a body of any bytes and any length", "[http][threads]", COMCP_ENGINES) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += static_cast<char>(i * 7 + i / 256);
  bool const chunked = GENERATE(false, true);
  std::string bytes = http_answer(200, text);
  if (chunked) {
    bytes = chunked_head();
    for (std::size_t at = 0; at < text.size(); at += 70'000) bytes += chunk_of(text.substr(at, 70'000));
    bytes += last_chunk;
  }
  auto const got = exchange_with<TestType>(always(bytes));
  CHECK(got.value().body == text);
}

TEMPLATE_TEST_CASE("engines: what has no body is complete with its head", "[http][threads]", COMCP_ENGINES) {
  asio::io_context io{1};
  http_peer peer(io, [](peer_connection& c) -> asio::awaitable<void> {
    for (;;) {
      auto r = co_await c.read_request();
      if (!r) co_return;
      if (r->target == "/204") co_await c.write("HTTP/1.1 204 No Content\r\nX: y\r\n\r\n");
      if (r->target == "/304") co_await c.write("HTTP/1.1 304 Not Modified\r\nX: y\r\nContent-Length: 70\r\n\r\n");
      if (r->target == "/head") co_await c.write("HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 70\r\n\r\n");
      if (r->target == "/0") co_await c.write(http_answer(200, "", "X: y\r\n"));
    }
  });
  std::vector<std::string> const places = {"/204", "/304", "/head", "/0"};
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    for (auto const& where : places) {
      INFO(where);
      std::string const method = where == "/head" ? "HEAD" : "GET";
      auto request = request_to(peer.url(where), method);
      auto got = co_await fetch(e, std::move(request));
      CHECK(got.value().body.empty());
      CHECK(*got->head.headers.find("x") == "y");
    }
  };
  run(io, body());
}

TEMPLATE_TEST_CASE("engines: a slow exchange does not hold up a fast one", "[http][threads]", COMCP_ENGINES) {
  asio::io_context io{1};
  peer_signal go(io.get_executor());
  http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
    for (;;) {
      auto r = co_await c.read_request();
      if (!r) co_return;
      if (r->target == "/slow") co_await go.wait();
      co_await c.write(http_answer(200, r->target));
    }
  });
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    std::vector<std::shared_ptr<running<answer>>> slow;
    for (int i = 0; i < 50; ++i) slow.push_back(start(io, fetch(e, request_to(peer.url("/slow"), "POST", "x"))));
    auto fast = co_await fetch(e, request_to(peer.url("/fast")));
    CHECK(fast.value().body == "/fast");
    for (auto const& s : slow) CHECK_FALSE(s->value);
    go.say();
    for (auto const& s : slow) {
      co_await s->ended->wait();
      CHECK(s->value->value().body == "/slow");
    }
  };
  run(io, body());
  CHECK(peer.requests().size() == 51);
}

TEMPLATE_TEST_CASE("engines: a connection serves one exchange after the other", "[http][threads]", COMCP_ENGINES) {
  bool const closes = GENERATE(false, true);
  asio::io_context io{1};
  http_peer peer(io, always(closes ? http_answer(200, "ok", "Connection: close\r\n")
                                   : chunked_head() + chunk_of("ok") + last_chunk));
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    for (int i = 0; i < 3; ++i) {
      auto got = co_await fetch(e, request_to(peer, "POST", "x"));
      CHECK(got.value().body == "ok");
    }
  };
  run(io, body());
  CHECK(peer.connections() == (closes ? 3 : 1));
}

TEMPLATE_TEST_CASE("engines: a kept connection that the server closed is not used again", "[http][threads]",
                   COMCP_ENGINES) {
  asio::io_context io{1};
  peer_signal closed(io.get_executor());
  http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
    co_await c.read_request();
    co_await c.write(http_answer(200, "ok"));
    c.close();
    closed.say();
  });
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    for (int i = 0; i < 2; ++i) {
      auto got = co_await fetch(e, request_to(peer, "POST", "x"));
      CHECK(got.value().body == "ok");
      co_await closed.wait();
    }
  };
  run(io, body());
  CHECK(peer.requests().size() == 2);
  CHECK(peer.connections() == 2);
}

TEMPLATE_TEST_CASE("engines: what a server says unasked on a kept connection is not the next answer",
                   "[http][threads]", COMCP_ENGINES) {
  asio::io_context io{1};
  peer_signal kept(io.get_executor()), said(io.get_executor());
  http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
    co_await c.read_request();
    co_await c.write(http_answer(200, "ok"));
    if (c.number() == 0) {
      co_await kept.wait();
      co_await c.write(http_answer(408, "unasked"));
      said.say();
    }
    co_await c.wait_for_close();
  });
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    for (int i = 0; i < 2; ++i) {
      auto got = co_await fetch(e, request_to(peer, "POST", "x"));
      CHECK(got.value().head.status == 200);
      CHECK(got->body == "ok");
      kept.say();
      co_await said.wait();
    }
  };
  run(io, body());
  CHECK(peer.requests().size() == 2);
  CHECK(peer.connections() == 2);
}

TEMPLATE_TEST_CASE("engines: localhost and ::1 are reached", "[http][threads]", COMCP_ENGINES) {
  asio::io_context io{1};
  bool const six = GENERATE(false, true);
  std::unique_ptr<http_peer> peer;
  try {
    peer = std::make_unique<http_peer>(io, always(http_answer(200, "ok")), six ? "::1" : "127.0.0.1");
  } catch (std::system_error const& e) {
    COMCP_SKIP("no loopback ::1 here");
  }
  auto const port = std::to_string(peer->port());
  std::string const url = six ? peer->url("/") : "http://localhost:" + port + "/";
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    auto got = co_await fetch(e, request_to(url));
    CHECK(got.value().body == "ok");
  };
  run(io, body());
  CHECK(*peer->requests().at(0).header("host") == (six ? "[::1]:" : "localhost:") + port);
}
