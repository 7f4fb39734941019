// SPDX-License-Identifier: BSD-3-Clause
// Cards are gathered, exchanged by the leaders and handed out.
#include "coll/acquaint.h"

#include <sys/random.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "coll/coll.h"
#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/peer_book.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite::coll {
namespace {

Buffer bytes_at(const void* data, std::size_t bytes) {
  return Buffer(data, static_cast<Count>(bytes), &datatype_of(MPI_BYTE));
}

void append(Bytes& to, const void* data, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(data);
  to.insert(to.end(), first, first + bytes);
}

// What a leader sends: this, the words, then each card behind its size.
struct PacketHead {
  Secret salt;
  std::uint64_t words;
  std::uint64_t cards;
};
static_assert(sizeof(PacketHead) == 32);

Secret random_salt() {
  Secret salt{};
  if (getrandom(salt.data(), salt.size(), GRND_NONBLOCK) != static_cast<ssize_t>(salt.size())) {
    const std::int64_t now = now_ns();
    std::memcpy(salt.data(), &now, sizeof now);
  }
  return salt;
}

// The cards of all, in the order of ranks, at the root. A process that cannot be reached has none.
Error gather_cards(Communicator& comm, int root, Bytes& cards) {
  PeerBook& book = *comm.home().peers;
  const Error closed = book.open_network();
  const Bytes own = closed ? Bytes() : book.own_card();
  auto bytes = static_cast<int>(own.size());
  const bool is_root = comm.rank() == root;
  std::vector<int> sizes(is_root ? static_cast<std::size_t>(comm.size()) : 1), places(sizes.size());
  Datatype& ints = datatype_of(MPI_INT);
  OL_TRY(gather(Buffer(&bytes, 1, &ints), Buffer(sizes.data(), 1, &ints), root, comm));
  Bytes all;
  if (is_root) {
    std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
    all.resize(static_cast<std::size_t>(places.back() + sizes.back()));
  }
  OL_TRY(gatherv(bytes_at(own.data(), own.size()),
                 BufferV{all.data(), CountSpan(sizes.data(), sizes.size()), CountSpan(places.data(), places.size()),
                         &datatype_of(MPI_BYTE)},
                 root, comm));
  if (closed) return closed;
  for (std::size_t rank = 0; is_root && rank < sizes.size(); rank++) {
    if (sizes[rank] == 0)
      return make_error(ErrorClass::other, "rank %zu of the group cannot be reached from outside of its world", rank);
    const auto card = static_cast<std::uint64_t>(sizes[rank]);
    append(cards, &card, sizeof card);
    append(cards, all.data() + places[rank], card);
  }
  return {};
}

// Reads what a leader of another world has sent: nothing of it is taken on trust.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool take(void* to, std::size_t bytes) {
    std::span<const std::byte> from;
    if (!take(bytes, from)) return false;
    if (bytes != 0) std::memcpy(to, from.data(), bytes);
    return true;
  }
  bool take(std::uint64_t bytes, std::span<const std::byte>& from) {
    if (bytes > rest_.size()) return false;
    from = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return true;
  }

 private:
  std::span<const std::byte> rest_;
};

Error meet_all(PeerBook& book, const Bytes& packet, const Secret& shared, const Secret& own_salt, Introduction& theirs) {
  const Error damaged(ErrorClass::other, "what the other world's leader sent is damaged");
  Reader reader(packet);
  PacketHead head;
  std::span<const std::byte> words;
  if (!reader.take(&head, sizeof head) || !reader.take(head.words, words)) return damaged;
  theirs.words.assign(words.begin(), words.end());
  Secret salt = own_salt;
  for (std::size_t i = 0; i < salt.size(); i++) salt[i] ^= head.salt[i];
  const Secret pair = book.pair_secret(shared, salt);
  for (std::uint64_t i = 0; i < head.cards; i++) {
    std::uint64_t bytes = 0;
    std::span<const std::byte> card;
    if (!reader.take(&bytes, sizeof bytes) || !reader.take(bytes, card)) return damaged;
    Result<PeerId> peer = book.meet(card, pair);
    if (!peer) return peer.error();
    theirs.peers.push_back(*peer);
  }
  return {};
}

}  // namespace

Error bcast_bytes(Communicator& comm, int root, Bytes& bytes) {
  std::uint64_t size = bytes.size();
  OL_TRY(bcast(bytes_at(&size, sizeof size), root, comm));
  bytes.resize(size);
  return bcast(bytes_at(bytes.data(), size), root, comm);
}

Error share_error(Communicator& comm, int root, Error error) {
  struct {
    int error_class;
    char sentence[252];
  } told{};
  if (comm.rank() == root) {
    told.error_class = error.code();
    std::strncpy(told.sentence, error.sentence(), sizeof told.sentence - 1);
  }
  OL_TRY(bcast(bytes_at(&told, sizeof told), root, comm));
  if (told.error_class == 0) return {};
  return make_error(static_cast<ErrorClass>(told.error_class), "%s", told.sentence);
}

Error get_acquainted(Communicator& comm, int root, const LeaderExchange& leaders, const Secret& shared, const Bytes& words,
                     Introduction& theirs) {
  const bool is_root = comm.rank() == root;
  Bytes cards, packet, received;
  Error failed = gather_cards(comm, root, cards);
  PacketHead head{random_salt(), words.size(), static_cast<std::uint64_t>(comm.size())};
  if (is_root) {
    if (failed) head.cards = 0;  // the other side shall not wait
    append(packet, &head, sizeof head);
    append(packet, words.data(), words.size());
    append(packet, cards.data(), cards.size());
    const Error exchanged = leaders(packet, received);
    if (!failed) failed = exchanged;
  }
  OL_TRY(share_error(comm, root, failed));
  if (failed) return failed;
  OL_TRY(bcast(bytes_at(&head.salt, sizeof head.salt), root, comm));
  struct {
    Secret shared;
  } known{shared};
  OL_TRY(bcast(bytes_at(&known, sizeof known), root, comm));
  OL_TRY(bcast_bytes(comm, root, received));
  failed = meet_all(*comm.home().peers, received, known.shared, head.salt, theirs);
  if (!failed && theirs.peers.empty()) failed = Error(ErrorClass::other, "the other group could not introduce itself");
  OL_TRY(barrier(comm));  // all here know all there
  if (is_root) {
    const Error exchanged = leaders({}, received);
    if (!failed) failed = exchanged;
  }
  OL_TRY(share_error(comm, root, failed));
  return failed;
}

}  // namespace ompi_lite::coll
