// SPDX-License-Identifier: BSD-3-Clause
// Every byte of a connection that is not a frame's own: four messages that prove to each side that the other knows the job's
// secret and is the process it says it is, then the heads of frames.
//
//   connector                         listener
//      | -- Hello: who, to whom, nonce -> |    and at which port, if they do not know each other yet
//      | <- Challenge: nonce, proof ----- |
//      | -- Answer: proof --------------> |
//      | <- Verdict: welcome or busy ---- |    busy: we connect to you at this moment, or are connected; keep that one
//      | <= frames =====================> |
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "btl/btl.h"

namespace ompi_lite::btl::tcp {

using Nonce = std::array<std::byte, 16>;

inline constexpr std::uint64_t kMagic = 0x324c4f2d4c4f454d;

struct Hello {
  std::uint64_t magic;
  ProcessName from;
  ProcessName to;
  std::uint64_t port;  // 0: they do
  Nonce nonce;
};
static_assert(sizeof(Hello) == 64);

struct Challenge {
  Nonce nonce;
  std::uint64_t proof;
};
static_assert(sizeof(Challenge) == 24);
inline constexpr Challenge kNoSuchPort{};  // then the listener hangs up

struct Answer {
  std::uint64_t proof;
};
static_assert(sizeof(Answer) == 8);

enum class Verdict : std::uint64_t { welcome = 0x77656c636f6d6531, busy = 0x6275737962757379 };
static_assert(sizeof(Verdict) == 8);

enum class FrameKind : std::uint32_t {
  data = 1,
  goodbye = 2,  // the process leaves for ever
  part = 3,     // the last frame on this connection; the other side answers alike, and both close. Later ones go over a new one
};

// Stands before each frame. The frame is followed by zeros up to a multiple of 8.
struct FrameHead {
  std::uint32_t bytes;
  FrameKind kind;
};
static_assert(sizeof(FrameHead) == 8);

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) & ~std::size_t{7}; }

// SipHash-2-4: a keyed hash that nobody computes without the key.
std::uint64_t keyed_hash(const Secret& key, std::span<const std::byte> text);

enum class Side : std::uint64_t { listener = 1, connector = 2 };
std::uint64_t proof_of(Side side, const Secret& secret, const Hello& hello, const Nonce& listener_nonce);

Nonce fresh_nonce();

}  // namespace ompi_lite::btl::tcp
