// SPDX-License-Identifier: BSD-3-Clause
// The queue of frames to oneself.
#include "btl/self/transport.h"

#include <cstring>

#include "ompi_lite/base/copy.h"

namespace ompi_lite::btl::self {

namespace {

constexpr std::size_t kMostQueued = 1 << 20;  // bytes; beyond, the sender turns progress first

class SelfEndpoint final : public Endpoint {
 public:
  explicit SelfEndpoint(SelfTransport& transport) : transport_(&transport) {}

  Sent try_send(std::span<const std::byte> header, Pieces payload) override { return transport_->take(header, payload); }

  Error get(const RemoteRegion& from, const LocalRegion& to, Completion& completion) override {
    copy_bytes(to.data, reinterpret_cast<const std::byte*>(from.address), to.bytes);
    completion.done(completion, {});
    return {};
  }

  Error put(const Piece& from, const RemoteRegion& to, Completion& completion) override {
    copy_bytes(reinterpret_cast<std::byte*>(to.address), from.data, from.bytes);
    completion.done(completion, {});
    return {};
  }

 private:
  SelfTransport* transport_;
};

}  // namespace

SelfTransport::SelfTransport(const Setup& setup)
    : self_(setup.self),
      info_{.name = "self",
            .max_frame = 64 << 10,
            .small_frame = 256,
            .bulk_frame = 32 << 10,
            .one_sided = true,
            .learn_from = 4 << 10,
            .get_from = 4 << 10,
            .share_from = kNever,
            .latency_ns = 50,
            .bytes_per_us = 20000} {}

Result<std::unique_ptr<Endpoint>> SelfTransport::connect(PeerId peer, Address) {
  if (peer != self_) return make_error(ErrorClass::arg, "peer %d is another process", peer);
  return std::unique_ptr<Endpoint>(std::make_unique<SelfEndpoint>(*this));
}

Sent SelfTransport::take(std::span<const std::byte> header, Pieces payload) {
  std::size_t bytes = header.size();
  for (const Piece& piece : payload) bytes += piece.bytes;
  if (queued_bytes_ + bytes > kMostQueued) return Sent::full;
  Frame frame{std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
  std::byte* to = frame.data.get();
  std::memcpy(to, header.data(), header.size());
  to += header.size();
  for (const Piece& piece : payload) {
    copy_bytes(to, piece.data, piece.bytes);
    to += piece.bytes;
  }
  frames_.push_back(std::move(frame));
  queued_bytes_ += bytes;
  return Sent::yes;
}

bool SelfTransport::progress(Receiver& receiver) {
  std::size_t there = frames_.size();  // what the receiver sends from within comes next time
  for (std::size_t i = 0; i < there; ++i) {
    Frame frame = std::move(frames_.front());
    frames_.pop_front();
    queued_bytes_ -= frame.bytes;
    receiver.on_frame(self_, {frame.data.get(), frame.bytes});
  }
  return there != 0;
}

}  // namespace ompi_lite::btl::self
