// SPDX-License-Identifier: BSD-3-Clause
// The protocols of the point-to-point layer between ranks of one process, over a network that delays and refuses.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ompi_lite/core/pack.h"
#include "ompi_lite/core/type_constructors.h"
#include "pml/frame.h"
#include "test/support/world.h"

namespace ompi_lite::pml {
namespace {

using btl::loopback::Faults;
using test::bytes_of;
using test::Rank;
using test::run_ranks;

// Eager, and larger than any frame; with the transport's get and without.
const std::vector<Count> kSizes = {0, 1, 8, 100, 4000, 4032, 4033, 5000, 20000, 300000};

std::vector<Faults> networks() {
  std::vector<Faults> all(10);
  all[1].delay_turns = 5;
  all[1].one_sided = false;
  all[2].seed = 7;
  all[2].delay_turns = 3;
  all[2].shuffle_peers = true;
  all[2].full_per_mille = 300;
  all[3].seed = 3;
  all[3].full_per_mille = 500;
  all[3].one_sided = false;
  all[3].most_frames = 2;
  all[4].get_from = all[5].get_from = all[6].get_from = all[7].get_from = 8192;
  all[5].share_from = all[6].share_from = all[7].share_from = 8192;
  all[6].delay_turns = 3;
  all[6].put_fails_per_mille = all[6].get_fails_per_mille = 300;
  all[7].full_per_mille = 300;
  all[7].can_put = false;
  all[8].stream = all[9].stream = true;
  all[8].one_sided = all[9].one_sided = false;
  all[9].delay_turns = 3;
  all[9].shuffle_peers = true;
  all[9].full_per_mille = 300;
  return all;
}

std::vector<unsigned char> pattern(Count bytes, int seed) {
  std::vector<unsigned char> data(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(seed) * 31 + (i >> 8));
  return data;
}

void expect_good(Rank& rank, const Error& error, const char* what) {
  rank.check(!error, error ? error.sentence() : what, error.code());
}

}  // namespace

TEST_CASE("messages of one sender arrive in order and whole, whatever their size") {
  for (const Faults& faults : networks()) {
    const std::string complaints = run_ranks(2, faults, [](Rank& rank) {
      for (int round = 0; round < 3; ++round)
        for (const Count size : kSizes) {
          if (rank.rank() == 0) {
            const auto data = pattern(size, round);
            expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(data.data(), size), {rank.comm(), 1, 5}), "send");
          } else {
            std::vector<unsigned char> got(static_cast<std::size_t>(size) + 1);
            MPI_Status status;
            expect_good(rank, rank.pml().recv(bytes_of(got.data(), size + 1), {rank.comm(), 0, 5}, &status), "recv");
            rank.check(status_bytes(status) == size && status.MPI_SOURCE == 0 && status.MPI_TAG == 5, "status",
                       status_bytes(status), size);
            got.resize(static_cast<std::size_t>(size));
            rank.check(got == pattern(size, round), "data", size);
          }
        }
    });
    CHECK(complaints == "");
  }
}

TEST_CASE("all ranks exchange random messages with all, receives in any order, through strided types") {
  for (const int size : {1, 2, 3, 5})
    for (Faults faults : networks()) {
      faults.seed += static_cast<unsigned>(size);
      const std::string complaints = run_ranks(size, faults, [](Rank& rank) {
        constexpr int kMessages = 12;
        // What goes from a to b follows from a, b and its number, so the receiver knows it without being told.
        const auto bytes_of_message = [](int from, int to, int k) {
          std::mt19937 random(static_cast<unsigned>(from * 1000 + to * 100 + k));
          return static_cast<Count>(random() % (k % 3 == 0 ? 40000u : 3000u)) * 2;
        };
        Datatype *pair = nullptr, *strided = nullptr;  // two bytes, then a gap of one
        expect_good(rank, make_contiguous(TypeForm::small, 2, datatype_of(MPI_BYTE), pair), "type");
        expect_good(rank, make_resized(TypeForm::small, *pair, 0, 3, strided), "type");
        release(pair);
        std::vector<Request*> requests;
        std::vector<std::vector<unsigned char>> sent, got;
        std::vector<int> order;
        for (int i = 0; i < kMessages * rank.size(); ++i) order.push_back(i);
        std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(rank.rank())));
        sent.reserve(order.size());
        got.resize(order.size());
        for (const int i : order) {
          const int peer = i / kMessages, k = i % kMessages;
          Request* request = nullptr;
          const Count receive_bytes = bytes_of_message(peer, rank.rank(), k);
          auto& space = got[static_cast<std::size_t>(i)];
          space.assign(static_cast<std::size_t>(receive_bytes * 2 + 8), 0);
          const Buffer to =
              k % 2 == 0 ? bytes_of(space.data(), receive_bytes) : Buffer(space.data(), receive_bytes / 2, strided);
          expect_good(rank, rank.pml().irecv(to, {rank.comm(), peer, k}, request), "irecv");
          requests.push_back(request);
          const Count send_bytes = bytes_of_message(rank.rank(), peer, k);
          sent.push_back(pattern(send_bytes, k + rank.rank()));
          const SendMode mode = k % 4 == 1 ? SendMode::synchronous : SendMode::standard;
          expect_good(rank,
                      rank.pml().isend(mode, bytes_of(sent.back().data(), send_bytes), {rank.comm(), peer, k}, request),
                      "isend");
          requests.push_back(request);
        }
        for (Request* request : requests) expect_good(rank, rank.pml().wait(*request, nullptr), "wait");
        for (int i = 0; i < kMessages * rank.size(); ++i) {
          const int peer = i / kMessages, k = i % kMessages;
          const Count bytes = bytes_of_message(peer, rank.rank(), k);
          auto& space = got[static_cast<std::size_t>(i)];
          std::vector<unsigned char> packed(static_cast<std::size_t>(bytes));
          const Buffer from = k % 2 == 0 ? bytes_of(space.data(), bytes) : Buffer(space.data(), bytes / 2, strided);
          if (bytes > 0) PackCursor(from).pack(reinterpret_cast<std::byte*>(packed.data()), packed.size());
          rank.check(packed == pattern(bytes, k + peer), "data", peer, k);
        }
        release(strided);
      });
      CHECK(complaints == "");
    }
}

TEST_CASE("a wildcard receive takes the oldest message") {
  const std::string complaints = run_ranks(2, {}, [](Rank& rank) {
    if (rank.rank() == 0) {
      for (int i = 0; i < 50; ++i)
        expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(&i, sizeof i), {rank.comm(), 1, i % 3}), "send");
    } else {
      for (int i = 0; i < 50; ++i) {
        int got = -1;
        MPI_Status status;
        const Envelope any{rank.comm(), MPI_ANY_SOURCE, MPI_ANY_TAG};
        expect_good(rank, rank.pml().recv(bytes_of(&got, sizeof got), any, &status), "recv");
        rank.check(got == i && status.MPI_TAG == i % 3, "order", got, i);
      }
    }
  });
  CHECK(complaints == "");
}

TEST_CASE("a message that is too long is cut, names both sizes, and harms nothing that follows") {
  for (const Faults& faults : networks()) {
    const std::string complaints = run_ranks(2, faults, [](Rank& rank) {
      for (const Count size : {Count{8}, Count{100000}}) {
        if (rank.rank() == 0) {
          const auto data = pattern(size, 1);
          for (const int tag : {1, 2})
            expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(data.data(), size), {rank.comm(), 1, tag}),
                        "send");
        } else {
          std::vector<unsigned char> got(static_cast<std::size_t>(size) + 4, 99);
          MPI_Status status;
          const Error cut = rank.pml().recv(bytes_of(got.data(), 4), {rank.comm(), 0, 1}, &status);
          rank.check(cut.error_class() == ErrorClass::truncate, "class", cut.code());
          rank.check(std::strstr(cut.sentence(), std::to_string(size).c_str()) != nullptr, cut.sentence());
          rank.check(std::strstr(cut.sentence(), " 4") != nullptr, cut.sentence());
          rank.check(got[4] == 99, "written past the end", got[4]);
          expect_good(rank, rank.pml().recv(bytes_of(got.data(), size), {rank.comm(), 0, 2}, &status), "recv");
          got.resize(static_cast<std::size_t>(size));
          rank.check(got == pattern(size, 1), "data after a cut message", size);
        }
      }
    });
    CHECK(complaints == "");
  }
}

TEST_CASE("small messages pass a large one that nobody has asked for") {
  const std::string complaints = run_ranks(2, {}, [](Rank& rank) {
    const auto large = pattern(1000000, 4);
    int value = 7;
    if (rank.rank() == 0) {
      Request* requests[3];
      expect_good(rank, rank.pml().isend(SendMode::standard, bytes_of(&value, 4), {rank.comm(), 1, 0}, requests[0]),
                  "isend");
      expect_good(rank,
                  rank.pml().isend(SendMode::standard, bytes_of(large.data(), 1000000), {rank.comm(), 1, 1}, requests[1]),
                  "isend");
      expect_good(rank, rank.pml().isend(SendMode::standard, bytes_of(&value, 4), {rank.comm(), 1, 0}, requests[2]),
                  "isend");
      for (Request* request : requests) expect_good(rank, rank.pml().wait(*request, nullptr), "wait");
    } else {
      for (int i = 0; i < 2; ++i)
        expect_good(rank, rank.pml().recv(bytes_of(&value, 4), {rank.comm(), 0, 0}, nullptr), "recv");
      std::vector<unsigned char> got(1000000);
      expect_good(rank, rank.pml().recv(bytes_of(got.data(), 1000000), {rank.comm(), 0, 1}, nullptr), "recv");
      rank.check(got == large, "data");
    }
  });
  CHECK(complaints == "");
}

TEST_CASE("a synchronous send ends only after its message was matched") {
  const std::string complaints = run_ranks(2, {}, [](Rank& rank) {
    for (const Count size : {Count{4}, Count{100000}}) {
      std::vector<unsigned char> data(static_cast<std::size_t>(size));
      if (rank.rank() == 0) {
        Request* request = nullptr;
        expect_good(rank, rank.pml().isend(SendMode::synchronous, bytes_of(data.data(), size), {rank.comm(), 1, 0}, request),
                    "issend");
        for (int turn = 0; turn < 100; ++turn) rank.blocking().turn();
        rank.check(!request->done(), "done before it was matched");
        expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(nullptr, 0), {rank.comm(), 1, 1}), "send");
        expect_good(rank, rank.pml().wait(*request, nullptr), "wait");
      } else {
        expect_good(rank, rank.pml().recv(bytes_of(nullptr, 0), {rank.comm(), 0, 1}, nullptr), "recv");
        expect_good(rank, rank.pml().recv(bytes_of(data.data(), size), {rank.comm(), 0, 0}, nullptr), "recv");
      }
    }
  });
  CHECK(complaints == "");
}

TEST_CASE("a cancelled receive takes no message") {
  const std::string complaints = run_ranks(1, {}, [](Rank& rank) {
    int value = 1, got = 0;
    Request *first = nullptr, *second = nullptr;
    expect_good(rank, rank.pml().irecv(bytes_of(&got, 4), {rank.comm(), 0, 0}, first), "irecv");
    expect_good(rank, rank.pml().irecv(bytes_of(&got, 4), {rank.comm(), 0, 0}, second), "irecv");
    expect_good(rank, first->ops->cancel(*first), "cancel");
    MPI_Status status;
    expect_good(rank, rank.pml().wait(*first, &status), "wait");
    rank.check(status_cancelled(status), "not cancelled");
    expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(&value, 4), {rank.comm(), 0, 0}), "send");
    expect_good(rank, rank.pml().wait(*second, &status), "wait");
    rank.check(!status_cancelled(status) && got == 1, "second receive", got);
  });
  CHECK(complaints == "");
}

TEST_CASE("a send can be cancelled until it is matched") {
  for (const Faults& faults : networks()) {
    const std::string complaints = run_ranks(2, faults, [](Rank& rank) {
      for (const Count size : {Count{10}, Count{50000}}) {
        const auto data = pattern(size, 1), other = pattern(size, 2);
        MPI_Status status;
        if (rank.rank() == 0) {
          Request *first = nullptr, *second = nullptr;
          const auto mode = SendMode::synchronous;
          expect_good(rank, rank.pml().isend(mode, bytes_of(data.data(), size), {rank.comm(), 1, 0}, first), "isend");
          expect_good(rank, first->ops->cancel(*first), "cancel");
          expect_good(rank, rank.pml().wait(*first, &status), "wait");
          rank.check(status_cancelled(status), "not cancelled");
          expect_good(rank, rank.pml().isend(mode, bytes_of(other.data(), size), {rank.comm(), 1, 0}, second), "isend");
          expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(nullptr, 0), {rank.comm(), 1, 1}), "send");
          expect_good(rank, rank.pml().recv(bytes_of(nullptr, 0), {rank.comm(), 1, 2}, nullptr),
                      "recv");  // it is matched now
          if (!second->done()) expect_good(rank, second->ops->cancel(*second), "cancel");
          expect_good(rank, rank.pml().wait(*second, &status), "wait");
          rank.check(!status_cancelled(status), "cancelled though it was matched");
        } else {
          expect_good(rank, rank.pml().recv(bytes_of(nullptr, 0), {rank.comm(), 0, 1}, nullptr), "recv");
          std::vector<unsigned char> got(static_cast<std::size_t>(size));
          Request* request = nullptr;
          expect_good(rank, rank.pml().irecv(bytes_of(got.data(), size), {rank.comm(), 0, 0}, request), "irecv");
          expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(nullptr, 0), {rank.comm(), 0, 2}), "send");
          expect_good(rank, rank.pml().wait(*request, nullptr), "wait");
          rank.check(got == other, "data");
        }
      }
    });
    CHECK(complaints == "");
  }
}

TEST_CASE("a message for a communicator that this rank has not made yet is kept for it") {
  const std::string complaints = run_ranks(2, {}, [](Rank& rank) {
    constexpr ContextId kNew = 0x1234000;
    int value = 42, got = 0;
    if (rank.rank() == 0) {
      Communicator* made = rank.make_comm(kNew);
      expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(&value, 4), {*made, 1, 3}), "send");
      expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(&value, 4), {rank.comm(), 1, 3}), "send");
      release(made);
    } else {
      expect_good(rank, rank.pml().recv(bytes_of(&got, 4), {rank.comm(), 0, 3}, nullptr), "recv");  // came after the other
      Communicator* made = rank.make_comm(kNew);
      bool flag = false;
      expect_good(rank, rank.pml().iprobe({*made, MPI_ANY_SOURCE, MPI_ANY_TAG}, flag, nullptr), "iprobe");
      rank.check(flag, "the early message is not there");
      got = 0;
      expect_good(rank, rank.pml().recv(bytes_of(&got, 4), {*made, 0, 3}, nullptr), "recv");
      rank.check(got == 42, "value", got);
      release(made);
    }
  });
  CHECK(complaints == "");
}

TEST_CASE("a message taken by mprobe belongs to who took it") {
  for (const Faults& faults : networks()) {
    const std::string complaints = run_ranks(2, faults, [](Rank& rank) {
      for (const Count size : {Count{10}, Count{50000}}) {
        const auto first = pattern(size, 1), second = pattern(size, 2);
        if (rank.rank() == 0) {
          expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(first.data(), size), {rank.comm(), 1, 0}), "send");
          expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(second.data(), size), {rank.comm(), 1, 0}), "send");
        } else {
          Message* message = nullptr;
          MPI_Status status;
          expect_good(rank, rank.pml().mprobe({rank.comm(), MPI_ANY_SOURCE, MPI_ANY_TAG}, message, &status), "mprobe");
          rank.check(status_bytes(status) == size, "size", status_bytes(status), size);
          std::vector<unsigned char> got(static_cast<std::size_t>(size));
          Request* request = nullptr;
          // A receive posted meanwhile takes the next message. Both senders block until theirs is taken if it is large.
          std::vector<unsigned char> other(static_cast<std::size_t>(size));
          expect_good(rank, rank.pml().irecv(bytes_of(other.data(), size), {rank.comm(), 0, 0}, request), "irecv");
          expect_good(rank, rank.pml().mrecv(bytes_of(got.data(), size), message, &status), "mrecv");
          rank.check(message == nullptr && got == first, "first");
          expect_good(rank, rank.pml().wait(*request, &status), "wait");
          rank.check(other == second, "second");
        }
      }
    });
    CHECK(complaints == "");
  }
}

TEST_CASE("buffered sends end at once, refuse what does not fit, and detach waits for them") {
  const std::string complaints = run_ranks(2, {}, [](Rank& rank) {
    if (rank.rank() == 0) {
      std::vector<unsigned char> space(70000);
      const auto data = pattern(30000, 3);
      expect_good(rank, rank.pml().attach_bsend_buffer(rank.pml().bsend_buffer(), space.data(), 70000), "attach");
      for (int i = 0; i < 2; ++i)
        expect_good(rank, rank.pml().send(SendMode::buffered, bytes_of(data.data(), 30000), {rank.comm(), 1, i}), "bsend");
      const Error full = rank.pml().send(SendMode::buffered, bytes_of(data.data(), 30000), {rank.comm(), 1, 2});
      rank.check(full.error_class() == ErrorClass::buffer, "class", full.code());
      expect_good(rank, rank.pml().send(SendMode::standard, bytes_of(nullptr, 0), {rank.comm(), 1, 9}), "send");
      void* given = nullptr;
      Count bytes = 0;
      expect_good(rank, rank.pml().detach_bsend_buffer(rank.pml().bsend_buffer(), given, bytes), "detach");
      rank.check(given == space.data() && bytes == 70000, "what was attached", bytes);
    } else {
      expect_good(rank, rank.pml().recv(bytes_of(nullptr, 0), {rank.comm(), 0, 9}, nullptr), "recv");
      for (const int tag : {1, 0}) {
        std::vector<unsigned char> got(30000);
        expect_good(rank, rank.pml().recv(bytes_of(got.data(), 30000), {rank.comm(), 0, tag}, nullptr), "recv");
        rank.check(got == pattern(30000, 3), "data", tag);
      }
    }
  });
  CHECK(complaints == "");
}

TEST_CASE("persistent requests can be started again and again") {
  for (const Faults& faults : networks()) {
    const std::string complaints = run_ranks(2, faults, [](Rank& rank) {
      std::vector<unsigned char> data(9000);
      Request* request = nullptr;
      if (rank.rank() == 0)
        expect_good(rank,
                    rank.pml().send_init(SendMode::standard, bytes_of(data.data(), 9000), {rank.comm(), 1, 0}, request),
                    "init");
      else
        expect_good(rank, rank.pml().recv_init(bytes_of(data.data(), 9000), {rank.comm(), 0, 0}, request), "init");
      for (int i = 0; i < 20; ++i) {
        data.assign(9000, rank.rank() == 0 ? static_cast<unsigned char>(i) : 255);
        expect_good(rank, request->ops->start(*request), "start");
        rank.blocking().until([request] { return request->done(); });
        Request* kept = request;
        expect_good(rank, take_completion(kept, nullptr), "completion");
        rank.check(kept == request && !request->active, "still there");
        rank.check(data[8999] == i, "data", data[8999], i);
      }
      release(request);
    });
    CHECK(complaints == "");
  }
}

TEST_CASE("several threads of a rank send, receive and probe at once") {
  Faults faults;
  faults.delay_turns = 2;
  const auto body = [](Rank& rank) {
    const auto thread = [&rank](int tag) {
      const int other = 1 - rank.rank();
      for (int i = 0; i < 60; ++i) {
        const Count size = i % 7 == 0 ? 20000 : 100;
        const auto data = pattern(size, tag + i);
        std::vector<unsigned char> got(static_cast<std::size_t>(size));
        Request* request = nullptr;
        const std::lock_guard guard(rank.lock());
        expect_good(rank,
                    rank.pml().isend(SendMode::standard, bytes_of(data.data(), size), {rank.comm(), other, tag}, request),
                    "isend");
        if (i % 2 == 0) {
          Message* message = nullptr;
          expect_good(rank, rank.pml().mprobe({rank.comm(), MPI_ANY_SOURCE, tag}, message, nullptr), "mprobe");
          expect_good(rank, rank.pml().mrecv(bytes_of(got.data(), size), message, nullptr), "mrecv");
        } else {
          expect_good(rank, rank.pml().recv(bytes_of(got.data(), size), {rank.comm(), other, tag}, nullptr), "recv");
        }
        expect_good(rank, rank.pml().wait(*request, nullptr), "wait");
        rank.check(got == data, "data", tag, i);
      }
    };
    std::vector<std::thread> threads;
    for (int tag = 0; tag < 4; ++tag) threads.emplace_back(thread, tag);
    for (std::thread& each : threads) each.join();
  };
  CHECK(run_ranks(2, faults, body, true) == "");
}

TEST_CASE("when a peer is lost every wait for it ends with an error") {
  Faults faults;
  faults.cut_after = 40;
  faults.one_sided = false;
  const std::string complaints = run_ranks(2, faults, [](Rank& rank) {
    std::vector<unsigned char> data(3000);
    Error error;
    for (int i = 0; i < 1000 && !error; ++i) {
      if (rank.rank() == 0)
        error = rank.pml().send(SendMode::synchronous, bytes_of(data.data(), 3000), {rank.comm(), 1, 0});
      else
        error = rank.pml().recv(bytes_of(data.data(), 3000), {rank.comm(), i % 2 == 0 ? 0 : MPI_ANY_SOURCE, 0}, nullptr);
    }
    rank.check(error.error_class() == ErrorClass::proc_aborted, "class", error.code());
    const Error later = rank.pml().recv(bytes_of(data.data(), 3000), {rank.comm(), 1 - rank.rank(), 0}, nullptr);
    rank.check(static_cast<bool>(later), "a receive after the loss waits");
  });
  CHECK(complaints == "");
}

TEST_CASE("a large message that was announced by a peer that is lost since ends its receive with an error") {
  Faults faults;
  faults.one_sided = false;
  btl::loopback::Network network(2, faults);
  Rank receiver(network, 0, 2, false);
  std::vector<unsigned char> data(100000);
  Request* sent = nullptr;
  {
    Rank sender(network, 1, 2, false);
    REQUIRE(!sender.pml().isend(SendMode::standard, bytes_of(data.data(), 100000), {sender.comm(), 0, 5}, sent));
    MPI_Status status;
    REQUIRE(!receiver.pml().probe({receiver.comm(), 1, 5}, &status));
    sender.pml().on_lost(0, Error(ErrorClass::other, "the end"));
    CHECK(sender.pml().wait(*sent, nullptr));
  }
  receiver.pml().on_lost(1, Error(ErrorClass::other, "it has ended"));
  const Error error = receiver.pml().recv(bytes_of(data.data(), 100000), {receiver.comm(), 1, 5}, nullptr);
  CHECK(error.error_class() == ErrorClass::proc_aborted);
}

TEST_CASE("a damaged frame ends what hangs on its sender, and later ones are not read") {
  btl::loopback::Network network(2);
  Rank rank(network, 0, 2, false);
  unsigned char got[8] = {};
  Request* request = nullptr;
  REQUIRE(!rank.pml().irecv(bytes_of(got, 8), {rank.comm(), 1, 5}, request));
  // The answer to a message that was never sent: it names the address of some request of ours.
  ReplyHeader wrong{FrameKind::fetched, {}, reinterpret_cast<std::uint64_t>(request)};
  rank.pml().on_frame(1, std::as_bytes(std::span(&wrong, 1)));
  REQUIRE(request->done());
  CHECK(rank.pml().wait(*request, nullptr).error_class() == ErrorClass::proc_aborted);
  MatchHeader late{FrameKind::eager, {}, 1, rank.comm().context(), 5};
  rank.pml().on_frame(1, std::as_bytes(std::span(&late, 1)));
  bool found = true;
  REQUIRE(!rank.pml().iprobe({rank.comm(), 1, 5}, found, nullptr));
  CHECK(!found);
}

}  // namespace ompi_lite::pml
