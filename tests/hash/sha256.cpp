// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/hash/sha256.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using comcp::sha256;
using comcp::to_hex;

TEST_CASE("sha256: the examples of FIPS 180-4", "[hash]") {
  CHECK(to_hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(to_hex(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmno"
                      "pqrstnopqrstu")) == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(to_hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("sha256: a million times a", "[hash]") {
  CHECK(to_hex(sha256(std::string(1'000'000, 'a'))) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: pieces hash as the whole, wherever they are cut", "[hash]") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i);
  for (auto const size : std::vector<std::size_t>{0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 200}) {
    auto const whole = std::string_view(text).substr(0, size);
    for (std::size_t cut = 0; cut <= size; ++cut) {
      comcp::sha256_hasher h;
      h.update(whole.substr(0, cut));
      (void)h.digest();
      REQUIRE(h.update(whole.substr(cut)).digest() == sha256(whole));
    }
  }
}

TEST_CASE("sha256: sizes around the padding, as sha256sum gives them", "[hash]") {
  CHECK(to_hex(sha256(std::string(55, 'x'))) == "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  CHECK(to_hex(sha256(std::string(56, 'x'))) == "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  CHECK(to_hex(sha256(std::string(63, 'x'))) == "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  CHECK(to_hex(sha256(std::string(64, 'x'))) == "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}
