// SPDX-License-Identifier: BSD-3-Clause
// The point-to-point layer of rank 0 against a rank 1 that sends damaged frames.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "ompi_lite/base/log.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/core/type_constructors.h"
#include "pml/frame.h"
#include "test/fuzz/targets.h"
#include "test/support/world.h"

namespace ompi_lite::test {
namespace {

using pml::FrameKind;

constexpr Count kMost = 20000;
constexpr std::size_t kMostRequests = 40;

class Input {
 public:
  explicit Input(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = std::to_integer<std::uint8_t>(rest_[0]);
    rest_ = rest_.subspan(1);
    return value;
  }
  std::span<const std::byte> take(std::size_t bytes) {
    const std::span<const std::byte> taken = rest_.first(std::min(bytes, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  std::span<const std::byte> rest_;
};

// Hears what rank 0 sends, for tickets that are good.
struct Listener final : btl::Receiver {
  std::vector<std::uint64_t> tickets{0};
  void on_frame(btl::PeerId, std::span<const std::byte> frame) override {
    const auto kind = static_cast<FrameKind>(frame[0]);
    if (kind == FrameKind::announce)
      tickets.push_back(reinterpret_cast<const pml::AnnounceHeader*>(frame.data())->send_request);
    if (kind == FrameKind::eager_sync)
      tickets.push_back(reinterpret_cast<const pml::EagerSyncHeader*>(frame.data())->send_request);
    if (kind == FrameKind::share)
      tickets.push_back(reinterpret_cast<const pml::ShareHeader*>(frame.data())->receive_request);
    if (kind == FrameKind::clear_to_send)
      tickets.push_back(reinterpret_cast<const pml::ClearToSendHeader*>(frame.data())->receive_request);
  }
  void on_lost(btl::PeerId, Error) override {}
};

btl::loopback::Faults no_reading(bool stream) {
  btl::loopback::Faults faults;
  faults.one_sided = false;
  faults.stream = stream;
  return faults;
}

// Large messages are read, and written, where they lie: in the peer's memory, or wherever a damaged frame says.
btl::loopback::Faults copying(std::span<const std::byte> reachable, std::uint8_t kinds) {
  btl::loopback::Faults faults;
  faults.reachable = reachable;
  faults.get_from = 512;
  faults.share_from = (kinds & 1) != 0 ? 512 : btl::kNever;
  faults.can_put = (kinds & 2) == 0;
  faults.stream = (kinds & 16) != 0;
  faults.get_fails_per_mille = (kinds & 4) != 0 ? 100 : 0;
  faults.put_fails_per_mille = (kinds & 8) != 0 ? 100 : 0;
  return faults;
}

class Play {
 public:
  Play(Input input, bool stream) : Play(input, no_reading(stream), {}) {}
  // With a peer whose memory is that.
  Play(Input input, const btl::loopback::Faults& faults, std::span<std::byte> theirs)
      : input_(input), network_(2, faults), rank_(network_, 0, 2, false), peer_(network_, 1), theirs_(theirs) {
    static_cast<void>(make_vector(3000, 2, 3, strided_));
    constexpr btl::PeerId kUs = 0;
    to_us_ = peer_.connect(kUs, std::as_bytes(std::span(&kUs, 1))).value();
  }
  ~Play() { release(strided_); }

  void run() {
    while (!input_.empty()) step();
    rank_.pml().on_lost(1, Error(ErrorClass::other, "the end of the play"));
    for (Request* request : requests_) {
      if (!request->done()) static_cast<void>(request->ops->cancel(*request));  // from rank 0 itself: nobody sends it
      OL_CHECK(request->done(), static_cast<int>(request->request_kind));
      static_cast<void>(rank_.pml().wait(*request, nullptr));
    }
  }

 private:
  static Error make_vector(Count count, Count length, Count stride, Datatype*& type) {
    return ::ompi_lite::make_vector(TypeForm::small, count, length, stride, datatype_of(MPI_BYTE), type);
  }

  void step() {
    switch (input_.byte() % 11) {
      case 0:
        return receive();
      case 1:
        return send();
      case 2:
        static_cast<void>(rank_.blocking().turn());
        static_cast<void>(peer_.progress(listener_));
        return;
      case 3:
        return cancel();
      case 4:
        return raw_frame();
      case 5:
        return collective_call();
      case 6:
        return touch_word();
      default:
        return plausible_frame();
    }
  }

  // The plane of collectives, where what the ranks call is compared, now and then with another rank's idea of it.
  CallSignature signature() {
    const std::uint8_t root = input_.byte();
    return CallSignature({input_.byte() % 31u, root / 64u, input_.byte() % 3u, root % 2, Count{input_.byte()} << root % 30});
  }

  void collective_call() {
    const int tag = input_.byte() % 4;
    switch (input_.byte() % 4) {
      case 0:
        return rank_.pml().give_up_collective(rank_.comm(), tag);
      case 1:
        return rank_.pml().ask({rank_.comm(), 1, tag, Plane::collective, signature()});
      default:
        return rank_.pml().begin_collective(rank_.comm(), tag, signature());
    }
  }

  // The word by which both ends divide a copy lies in memory that the peer writes too.
  void touch_word() {
    using Direction = btl::Endpoint::Direction;
    const Direction direction = input_.byte() % 2 == 0 ? Direction::incoming : Direction::outgoing;
    std::atomic<std::uint64_t>* word = to_us_->shared_word(direction);
    const std::uint64_t generation = input_.byte() % 4u, front = input_.byte(), back = input_.byte();
    const std::uint64_t scale = input_.byte() % 2 == 0 ? 1 : 257;
    if (word != nullptr) word->store(generation << 32 | front * scale << 16 | back * scale);
  }

  // Mostly of the peer.
  std::uint64_t address() {
    const std::uint64_t offset = input_.byte() * 16u, wild = input_.byte();
    if (wild % 16 == 15) return wild << 40 | offset;
    return reinterpret_cast<std::uint64_t>(theirs_.data()) + offset;
  }

  Buffer buffer() {
    const bool in_pieces = input_.byte() % 4 == 0;
    const Count bytes = Count{input_.byte()} * input_.byte() % kMost;
    return in_pieces ? Buffer(memory_.data(), 1, strided_) : bytes_of(memory_.data(), bytes);
  }

  void receive() {
    if (requests_.size() >= kMostRequests) return;
    const int tag = input_.byte() % 4, source = input_.byte() % 4;
    Request* request = nullptr;
    const Error error =
        source == 3
            ? rank_.pml().irecv(buffer(), {rank_.comm(), 1, tag, Plane::collective, signature()}, request)
            : rank_.pml().irecv(
                  buffer(), {rank_.comm(), source == 2 ? MPI_ANY_SOURCE : source, tag == 3 ? MPI_ANY_TAG : tag}, request);
    if (!error) requests_.push_back(request);
  }

  void send() {
    if (requests_.size() >= kMostRequests) return;
    const pml::SendMode mode = input_.byte() % 2 == 0 ? pml::SendMode::standard : pml::SendMode::synchronous;
    Request* request = nullptr;
    const int tag = input_.byte();
    const Error error =
        tag >= 128 ? rank_.pml().isend(mode, buffer(), {rank_.comm(), 1, tag % 4, Plane::collective, signature()}, request)
                   : rank_.pml().isend(mode, buffer(), {rank_.comm(), 1, tag % 4}, request);
    if (!error) requests_.push_back(request);
  }

  void cancel() {
    if (requests_.empty()) return;
    Request& request = *requests_[input_.byte() % requests_.size()];
    if (!request.done()) static_cast<void>(request.ops->cancel(request));
  }

  void deliver(const void* frame, std::size_t bytes) {
    // Memory of its own size, so that a read behind it is seen.
    const auto words = std::make_unique<std::uint64_t[]>((bytes + 7) / 8);
    std::memcpy(words.get(), frame, bytes);
    rank_.pml().on_frame(1, {reinterpret_cast<const std::byte*>(words.get()), bytes});
  }

  void raw_frame() {
    const std::span<const std::byte> frame = input_.take(input_.byte());
    deliver(frame.data(), frame.size());
  }

  std::uint64_t ticket() { return listener_.tickets[input_.byte() % listener_.tickets.size()]; }

  // The header of some kind with numbers that mean something, now and then cut or with a byte changed; then a payload.
  void plausible_frame() {
    std::vector<std::byte> frame(pml::kLargestHeader + 4096);
    const auto kind = static_cast<FrameKind>(1 + input_.byte() % 13);
    const std::size_t header = pml::header_bytes(kind);
    std::size_t payload = std::size_t{input_.byte()} * 16;
    pml::MatchHeader match{
        kind, {}, input_.byte() % 2, rank_.comm().context(), input_.byte() % 8 == 7 ? MPI_ANY_TAG : input_.byte() % 4};
    if (input_.byte() % 2 != 0) {  // of a collective, of which this rank may know
      match.context |= 1;
      match.set_signature(signature());
    }
    const auto put = [&frame](const auto& value) { std::memcpy(frame.data(), &value, sizeof value); };
    switch (kind) {
      case FrameKind::eager:
        put(match);
        break;
      case FrameKind::compare:
      case FrameKind::differs:
        put(match);
        payload = 0;
        break;
      case FrameKind::eager_sync:
        put(pml::EagerSyncHeader{match, ticket()});
        break;
      case FrameKind::announce:
        put(pml::AnnounceHeader{match, ticket(), Count{input_.byte()} * input_.byte(), address(), 0, input_.byte() % 2u});
        payload = 0;
        break;
      case FrameKind::clear_to_send:
        put(pml::ClearToSendHeader{kind, {}, ticket(), ticket(), Count{input_.byte()} * input_.byte()});
        payload = 0;
        break;
      case FrameKind::data:
        put(pml::DataHeader{kind, input_.byte() % 64 == 1, {}, ticket()});  // rarely one that cannot go on
        break;
      case FrameKind::share:
        put(pml::ShareHeader{
            kind, {}, input_.byte() % 4u, ticket(), ticket(), Count{input_.byte()} * input_.byte(), address()});
        payload = 0;
        break;
      case FrameKind::placed:
        put(pml::PlacedHeader{kind, input_.byte() % 2 == 0, {}, ticket(), 0});
        payload = 0;
        break;
      case FrameKind::recall:
        put(pml::RecallHeader{kind, {}, ticket(), rank_.comm().context()});
        payload = 0;
        break;
      default:
        put(pml::ReplyHeader{kind, {}, ticket()});
        payload = 0;
    }
    std::size_t bytes = header + payload;
    const std::uint8_t damage = input_.byte();
    if (damage % 8 == 7) bytes = input_.byte();
    if (damage % 8 == 6) frame[input_.byte() % header] ^= std::byte{input_.byte()};
    deliver(frame.data(), bytes);
  }

  Input input_;
  btl::loopback::Network network_;
  Rank rank_;
  btl::loopback::LoopbackTransport peer_;
  std::unique_ptr<btl::Endpoint> to_us_;
  std::span<std::byte> theirs_;
  Listener listener_;
  Datatype* strided_ = nullptr;
  std::vector<std::byte> memory_ = std::vector<std::byte>(static_cast<std::size_t>(kMost));
  std::vector<Request*> requests_;
};

}  // namespace

template <class... Arguments>
static void play(Arguments&&... arguments) {
  static std::once_flag once;
  std::call_once(once, [] {
    define_predefined_types();
    define_predefined_ops();
  });
  log_set_level(LogLevel::error);  // the warnings are as many as the damaged frames
  Play(arguments...).run();
  log_set_level(LogLevel::warn);
}

void fuzz_pml_frames(std::span<const std::byte> input) { play(Input(input), input.size() % 2 != 0); }

void fuzz_pml_copies(std::span<const std::byte> input) {
  if (input.empty()) return;
  std::vector<std::byte> theirs(static_cast<std::size_t>(kMost));
  play(Input(input.subspan(1)), copying(theirs, std::to_integer<std::uint8_t>(input[0])), theirs);
}

}  // namespace ompi_lite::test
