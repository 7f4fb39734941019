// SPDX-License-Identifier: BSD-3-Clause
// The checks of the v- and w-forms: uneven and empty blocks, in any order.
#include "test/support/collective_checks.h"
#include "test/support/collective_elements.h"

namespace ompi_lite::test {

namespace {

// The places of the uneven blocks of one rank: block i has size(i) Maps; the blocks lie in descending order, a gap between.
struct Places {
  template <class Size>
  Places(int p, const Form& form, Count unit, Size size) {
    counts.resize(static_cast<std::size_t>(p));
    displacements.resize(counts.size());
    types.resize(counts.size(), form.type->handle());
    for (int i = p - 1; i >= 0; --i) {
      starts.insert(starts.begin(), end);
      counts[static_cast<std::size_t>(i)] = static_cast<int>(size(i) * form.per);
      displacements[static_cast<std::size_t>(i)] = static_cast<int>(end * unit);
      end += size(i) + 1;
    }
  }
  std::vector<int> counts, displacements;
  std::vector<MPI_Datatype> types;
  std::vector<Count> starts;  // in Maps
  Count end = 0;
};

class UnevenCheck {
 public:
  explicit UnevenCheck(Communicator& comm) : comm_(comm), p_(comm.size()), rank_(comm.rank()) {}

  std::string run(Operation operation) {
    const int kinds = static_cast<int>(forms().size());
    for (const Choice& algorithm : algorithms(operation)) {
      const Forced forced(comm_, operation, algorithm);
      for (int f = 0; f < kinds; ++f) {
        const Form& form = forms()[static_cast<std::size_t>((f + rank_) % kinds)];
        const Form& other = forms()[static_cast<std::size_t>((f + 2 * rank_ + 1) % kinds)];
        for (scale_ = 0; scale_ < 400; scale_ = scale_ * 9 + 1) {
          for (int root : roots(p_)) {
            for (bool in_place : {false, true}) {
              std::string wrong = once(operation, form, other, root, in_place);
              if (!wrong.empty()) return describe(operation, algorithm, form, scale_, in_place, root, rank_) + wrong;
            }
          }
        }
      }
    }
    return {};
  }

 private:
  Count size(int from, int to) const { return scale_ * ((from * 3 + to * 2 + 1) % 4); }
  void fill(Maps& maps, Count start, int from, int to) const {
    for (Count i = 0; i < size(from, to); ++i) maps.set(start + i, value(from, i, to));
  }
  bool differs(Maps& maps, Count start, int from, int to) const {
    for (Count i = 0; i < size(from, to); ++i) {
      if (maps.get(start + i) != value(from, i, to)) return true;
    }
    return false;
  }

  std::string once(Operation operation, const Form& form, const Form& other, int root, bool in_place) {
    const bool at_root = rank_ == root, all_to_all = operation == Operation::alltoallv || operation == Operation::alltoallw;
    const bool bytes = operation == Operation::alltoallw;
    const int to = all_to_all ? rank_ : 0;
    const bool scatters = operation == Operation::scatterv;
    const Places incoming(p_, other, bytes ? other.extent : other.per,
                          [&](int i) { return scatters ? size(root, i) : size(i, to); });
    const Places outgoing(p_, form, bytes ? form.extent : form.per, [&](int i) { return size(rank_, i); });
    const bool here = in_place && (at_root || operation == Operation::allgatherv || all_to_all);
    Maps all(other, incoming.end), sent(form, outgoing.end), one(form, scatters ? size(root, rank_) : size(rank_, 0));
    const coll::BufferV many{all.data(), incoming.counts.data(), incoming.displacements.data(), other.type};
    const Buffer single = here ? Buffer(kInPlace, -1, nullptr) : one.buffer();
    const coll::BufferV nothing{};
    const auto at = [&](int i) { return incoming.starts[static_cast<std::size_t>(i)]; };
    if (scatters) {
      for (int r = 0; r < p_ && at_root; ++r) fill(all, at(r), root, r);
      if (Error error = coll::scatterv(at_root ? many : nothing, single, root, comm_)) return error.sentence();
      return here || !differs(one, 0, root, rank_) ? "" : "wrong data";
    }
    if (!all_to_all) {
      here ? fill(all, at(rank_), rank_, 0) : fill(one, 0, rank_, 0);
      Error error = operation == Operation::gatherv ? coll::gatherv(single, at_root ? many : nothing, root, comm_)
                                                    : coll::allgatherv(single, many, comm_);
      if (error) return error.sentence();
      if (operation == Operation::gatherv && !at_root) return {};
    } else {
      if (here && !symmetric()) return {};
      for (int r = 0; r < p_; ++r)
        here ? fill(all, at(r), rank_, r) : fill(sent, outgoing.starts[static_cast<std::size_t>(r)], rank_, r);
      void* const from = here ? kInPlace : sent.data();
      const coll::BufferV send{static_cast<std::byte*>(from), outgoing.counts.data(), outgoing.displacements.data(),
                               form.type};
      const coll::BufferW send_w{static_cast<std::byte*>(from), outgoing.counts.data(), outgoing.displacements.data(),
                                 outgoing.types.data()};
      const coll::BufferW receive_w{all.data(), incoming.counts.data(), incoming.displacements.data(),
                                    incoming.types.data()};
      if (Error error = bytes ? coll::alltoallw(send_w, receive_w, comm_) : coll::alltoallv(send, many, comm_))
        return error.sentence();
    }
    for (int r = 0; r < p_; ++r) {
      if (differs(all, at(r), r, to)) return "wrong block " + std::to_string(r);
    }
    return all.gaps_untouched() ? "" : "bytes outside the elements were written";
  }
  // In place, the block that goes to a rank is as large as the one that comes from it.
  bool symmetric() const {
    for (int i = 0; i < p_; ++i) {
      for (int j = 0; j < p_; ++j) {
        if (size(i, j) != size(j, i)) return false;
      }
    }
    return true;
  }

  Communicator& comm_;
  int p_, rank_;
  Count scale_ = 0;
};

// Alltoallv and alltoallw in place: blocks of (r + s) elements between ranks r and s.
std::string check_in_place_exchange(Communicator& comm, bool per_type) {
  const int p = comm.size(), rank = comm.rank();
  const Form& form = forms()[1];
  const Places places(p, form, per_type ? form.extent : 1, [&](int i) { return Count{i + rank + 1}; });
  Maps all(form, places.end);
  for (int r = 0; r < p; ++r) {
    for (Count i = 0; i < r + rank + 1; ++i) all.set(places.starts[static_cast<std::size_t>(r)] + i, value(rank, i, r));
  }
  const coll::BufferV many{all.data(), places.counts.data(), places.displacements.data(), form.type};
  const coll::BufferW many_w{all.data(), places.counts.data(), places.displacements.data(), places.types.data()};
  const coll::BufferV place{static_cast<std::byte*>(kInPlace), {}, {}, nullptr};
  const coll::BufferW place_w{static_cast<std::byte*>(kInPlace), {}, {}, {}};
  if (Error error = per_type ? coll::alltoallw(place_w, many_w, comm) : coll::alltoallv(place, many, comm))
    return error.sentence();
  for (int r = 0; r < p; ++r) {
    for (Count i = 0; i < r + rank + 1; ++i) {
      if (all.get(places.starts[static_cast<std::size_t>(r)] + i) != value(r, i, rank))
        return "in place: wrong block " + std::to_string(r);
    }
  }
  return all.gaps_untouched() ? "" : "in place: bytes outside the elements were written";
}

}  // namespace

std::string check_uneven(Communicator& comm) {
  for (Operation operation :
       {Operation::gatherv, Operation::scatterv, Operation::allgatherv, Operation::alltoallv, Operation::alltoallw}) {
    std::string wrong = UnevenCheck(comm).run(operation);
    if (!wrong.empty()) return wrong;
  }
  for (Operation operation : {Operation::alltoallv, Operation::alltoallw}) {
    for (const Choice& algorithm : algorithms(operation)) {
      const Forced forced(comm, operation, algorithm);
      std::string wrong = check_in_place_exchange(comm, operation == Operation::alltoallw);
      if (!wrong.empty()) return wrong;
    }
  }
  return {};
}

}  // namespace ompi_lite::test
