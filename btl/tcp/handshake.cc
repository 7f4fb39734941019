// SPDX-License-Identifier: BSD-3-Clause
// The keyed hash (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012) and what is hashed.
#include "btl/tcp/handshake.h"

#include <sys/random.h>

#include <bit>
#include <cstring>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::tcp {

namespace {

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }

  void absorb(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

}  // namespace

std::uint64_t keyed_hash(const Secret& key, std::span<const std::byte> text) {
  std::uint64_t k0, k1;
  std::memcpy(&k0, key.data(), 8);
  std::memcpy(&k1, key.data() + 8, 8);
  SipState state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573};
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    state.absorb(word);
  }
  std::uint64_t last = static_cast<std::uint64_t>(text.size()) << 56;
  for (std::size_t i = 0; at + i < text.size(); ++i) last |= std::to_integer<std::uint64_t>(text[at + i]) << (8 * i);
  state.absorb(last);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

std::uint64_t proof_of(Side side, const Secret& secret, const Hello& hello, const Nonce& listener_nonce) {
  struct {
    Side side;
    Hello hello;
    Nonce nonce;
  } text{side, hello, listener_nonce};
  return keyed_hash(secret, std::as_bytes(std::span(&text, 1)));
}

Nonce fresh_nonce() {
  Nonce nonce;
  if (getrandom(nonce.data(), nonce.size(), GRND_NONBLOCK) == static_cast<ssize_t>(nonce.size())) return nonce;
  std::int64_t words[2] = {now_ns(), static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&nonce))};
  std::memcpy(nonce.data(), words, sizeof words);
  return nonce;
}

}  // namespace ompi_lite::btl::tcp
