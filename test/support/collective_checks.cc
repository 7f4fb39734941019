// SPDX-License-Identifier: BSD-3-Clause
// The product of all that may go wrong in a collective: algorithm, type, place, count, root.
#include "test/support/collective_checks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "coll/coll.h"
#include "coll/select.h"
#include "coll/state.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/type_constructors.h"

namespace ompi_lite::test {

namespace {

using coll::Algorithm;
using coll::Operation;

// The element of all checks: two numbers, read as the map x -> a x + b. Composition of maps is associative and does not commute.
struct Map {
  std::uint32_t a = 1, b = 0;
  bool operator==(const Map&) const = default;
};
Map operator*(const Map& left, const Map& right) { return {left.a * right.a, left.a * right.b + left.b}; }

// One way to lay a Map out in memory. All have the signature of two MPI_UNSIGNED.
struct Form {
  const char* name;
  Datatype* type;
  Count per;        // elements of type for one Map
  Count extent;     // from one Map to the next
  Count offset_a, offset_b;
};

Datatype& committed(Error error, Datatype*& type) {  // by reference: the call that makes it is the other argument
  if (error) std::abort();
  type->committed = true;
  return *type;
}
Datatype& spread_type(Count a, Count b, Count lb, Count extent) {
  const Count lengths[] = {1, 1}, displacements[] = {a, b};
  Datatype *pair = nullptr, *resized = nullptr;
  committed(make_hindexed(TypeForm::large, 2, lengths, displacements, datatype_of(MPI_UNSIGNED), pair), pair);
  return committed(make_resized(TypeForm::large, *pair, lb, extent, resized), resized);
}

// Made once for the process: rank threads share them.
const std::vector<Form>& forms() {
  static const std::vector<Form> list = [] {
    Datatype* contiguous = nullptr;
    committed(make_contiguous(TypeForm::large, 2, datatype_of(MPI_UNSIGNED), contiguous), contiguous);
    return std::vector<Form>{
        {"contiguous", contiguous, 1, 8, 0, 4},
        {"strided", &spread_type(0, 8, 0, 16), 1, 16, 0, 8},
        {"shifted", &spread_type(8, 20, -4, 32), 1, 32, 8, 20},       // begins after its address, lb before it
        {"before", &spread_type(-12, -4, -16, 20), 1, 20, -12, -4},   // lies wholly before its address
        {"flat", &datatype_of(MPI_UNSIGNED), 2, 8, 0, 4},
    };
  }();
  return list;
}
constexpr int kReducible = 4;  // "flat" cannot be the type of a reduction: a Map is two of it

void compose(void* in, void* inout, int* n, MPI_Datatype* handle) {
  for (const Form& form : forms()) {
    if (form.type->handle() != *handle || form.per != 1) continue;
    for (Count i = 0; i < *n; ++i) {
      Map left, right;
      auto* x = static_cast<std::byte*>(in) + i * form.extent;
      auto* y = static_cast<std::byte*>(inout) + i * form.extent;
      std::memcpy(&left.a, x + form.offset_a, 4);
      std::memcpy(&left.b, x + form.offset_b, 4);
      std::memcpy(&right.a, y + form.offset_a, 4);
      std::memcpy(&right.b, y + form.offset_b, 4);
      const Map product = left * right;
      std::memcpy(y + form.offset_a, &product.a, 4);
      std::memcpy(y + form.offset_b, &product.b, 4);
    }
    return;
  }
  std::abort();  // called with a type that is not ours
}

// n Maps in one form, with gaps and margins filled so that a stray write shows.
class Maps {
 public:
  Maps(const Form& form, Count n) : form_(form), n_(n), memory_(static_cast<std::size_t>(n * form.extent + 2 * kMargin), kFill) {}
  std::byte* data() { return n_ == 0 ? nullptr : memory_.data() + kMargin; }
  Buffer buffer() { return Buffer(data(), n_ * form_.per, form_.type); }
  Count count() const { return n_ * form_.per; }
  void set(Count i, const Map& map) {
    std::memcpy(at(i) + form_.offset_a, &map.a, 4);
    std::memcpy(at(i) + form_.offset_b, &map.b, 4);
  }
  Map get(Count i) {
    Map map;
    std::memcpy(&map.a, at(i) + form_.offset_a, 4);
    std::memcpy(&map.b, at(i) + form_.offset_b, 4);
    return map;
  }
  // True if no byte but those of the Maps was written. Overwrites the Maps.
  bool gaps_untouched() {
    std::uint32_t fill;
    std::memset(&fill, static_cast<int>(kFill), sizeof fill);
    for (Count i = 0; i < n_; ++i) set(i, {fill, fill});
    return std::ranges::all_of(memory_, [](std::byte byte) { return byte == kFill; });
  }

 private:
  static constexpr Count kMargin = 64;
  static constexpr std::byte kFill{0xa5};
  std::byte* at(Count i) { return memory_.data() + kMargin + i * form_.extent; }
  const Form& form_;
  Count n_;
  std::vector<std::byte> memory_;
};

// What rank `rank` has for rank `to` at place i.
Map value(int rank, Count i, int to = 0) {
  const auto mixed = static_cast<std::uint32_t>(rank * 7919 + to * 104729 + i * 31 + 5);
  return {mixed * 2654435761u | 1u, mixed ^ (mixed << 7)};
}
Map product(int first, int last, Count i) {  // of the ranks first..last
  Map result = value(first, i);
  for (int r = first + 1; r <= last; ++r) result = result * value(r, i);
  return result;
}

std::vector<Count> counts(int p) { return {0, 1, p - 1, p, p + 1, 37, 1000, 6000}; }
std::vector<int> roots(int p) {
  if (p <= 3) {
    std::vector<int> all;
    for (int r = 0; r < p; ++r) all.push_back(r);
    return all;
  }
  return {0, p / 2, p - 1};
}

// Forces one algorithm while it lives.
class Forced {
 public:
  Forced(Communicator& comm, Operation operation, Algorithm algorithm) : state_(coll::state_of(comm)), before_(state_.forced()) {
    coll::ForcedAlgorithms forced = before_;
    forced[static_cast<std::size_t>(operation)] = algorithm;
    state_.force(forced);
  }
  ~Forced() { state_.force(before_); }

 private:
  coll::State& state_;
  coll::ForcedAlgorithms before_;
};

// The algorithms of an operation, and the one that selection takes.
std::vector<Algorithm> algorithms(Operation operation) {
  const auto row = coll::operation_table()[static_cast<std::size_t>(operation)].algorithms;
  std::vector<Algorithm> all(row.begin(), row.end());
  all.push_back(Algorithm::automatic);
  return all;
}

std::string describe(Operation operation, Algorithm algorithm, const Form& form, Count n, bool in_place, int root, int rank) {
  return std::string(coll::mpi_name(operation)) + " by " + coll::algorithm_name(algorithm) + ", type " + form.name + ", count " +
         std::to_string(n) + (in_place ? ", in place" : "") + ", root " + std::to_string(root) + ", rank " + std::to_string(rank) + ": ";
}

void* const kInPlace = reinterpret_cast<void*>(1);

// One reduction in all its variants.
class ReductionCheck {
 public:
  ReductionCheck(Communicator& comm, Op& op) : comm_(comm), op_(op), p_(comm.size()), rank_(comm.rank()) {}

  std::string run(Operation operation) {
    const bool rooted = operation == Operation::reduce;
    for (Algorithm algorithm : algorithms(operation)) {
      const Forced forced(comm_, operation, algorithm);
      for (int f = 0; f < kReducible; ++f) {
        for (Count n : counts(p_)) {
          for (int root : rooted ? roots(p_) : std::vector<int>{0}) {
            for (bool in_place : {false, true}) {
              std::string wrong = once(operation, forms()[static_cast<std::size_t>(f)], n, root, in_place);
              if (!wrong.empty()) return describe(operation, algorithm, forms()[static_cast<std::size_t>(f)], n, in_place, root, rank_) + wrong;
            }
          }
        }
      }
    }
    return {};
  }

 private:
  Count own(Operation operation, Count n) const {  // elements that this rank gets
    if (operation == Operation::reduce_scatter) return n * (rank_ % 3);
    return n;
  }
  Count total(Operation operation, Count n) const {
    if (operation == Operation::reduce_scatter_block) return n * p_;
    if (operation != Operation::reduce_scatter) return n;
    Count sum = 0;
    for (int r = 0; r < p_; ++r) sum += n * (r % 3);
    return sum;
  }
  Count first(Operation operation, Count n) const {
    Count sum = 0;
    if (operation == Operation::reduce_scatter_block) return n * rank_;
    if (operation == Operation::reduce_scatter) {
      for (int r = 0; r < rank_; ++r) sum += n * (r % 3);
    }
    return sum;
  }

  Error call(Operation operation, const Buffer& in, const Buffer& out, Count n, int root) {
    switch (operation) {
      case Operation::reduce: return coll::reduce(in, out, op_, root, comm_);
      case Operation::allreduce: return coll::allreduce(in, out, op_, comm_);
      case Operation::scan: return coll::scan(in, out, op_, comm_);
      case Operation::exscan: return coll::exscan(in, out, op_, comm_);
      case Operation::reduce_scatter_block: return coll::reduce_scatter_block(in, out, op_, comm_);
      default: break;
    }
    std::vector<int> sizes;
    for (int r = 0; r < p_; ++r) sizes.push_back(static_cast<int>(n) * (r % 3));
    return coll::reduce_scatter(in.data, out.data, CountSpan(sizes.data()), *out.type, op_, comm_);
  }

  std::string once(Operation operation, const Form& form, Count n, int root, bool in_place) {
    const bool gets = operation != Operation::reduce || rank_ == root;
    const bool here = in_place && gets;
    const Count elements = total(operation, n), mine = own(operation, n);
    Maps input(form, elements), output(form, here ? elements : mine);
    for (Count i = 0; i < elements; ++i) (here ? output : input).set(i, value(rank_, i));
    const Buffer in(here ? kInPlace : input.data(), n, form.type), out(gets ? output.data() : nullptr, n, form.type);
    if (Error error = call(operation, in, out, n, root)) return error.sentence();
    if (!here) {
      for (Count i = 0; i < elements; ++i) {
        if (input.get(i) != value(rank_, i)) return "the input was changed at " + std::to_string(i);
      }
    }
    if (!gets || (operation == Operation::exscan && rank_ == 0)) return {};
    const int last = operation == Operation::scan ? rank_ : operation == Operation::exscan ? rank_ - 1 : p_ - 1;
    for (Count i = 0; i < mine; ++i) {
      if (output.get(i) != product(0, last, first(operation, n) + i)) return "wrong result at " + std::to_string(i);
    }
    return output.gaps_untouched() ? "" : "bytes outside the elements were written";
  }

  Communicator& comm_;
  Op& op_;
  int p_, rank_;
};

}  // namespace

std::string check_reductions(Communicator& comm) {
  Op ordered(Callback{reinterpret_cast<void (*)()>(compose), nullptr}, OpForm::count_int, false);
  for (Operation operation : {Operation::reduce, Operation::allreduce, Operation::reduce_scatter, Operation::reduce_scatter_block,
                              Operation::scan, Operation::exscan}) {
    std::string wrong = ReductionCheck(comm, ordered).run(operation);
    if (!wrong.empty()) return wrong;
  }
  // What needs commutative ops, with one: the sums are whole numbers, so any order gives the same.
  const int p = comm.size(), rank = comm.rank();
  for (Operation operation : {Operation::reduce, Operation::allreduce, Operation::reduce_scatter_block}) {
    for (Algorithm algorithm : algorithms(operation)) {
      const Forced forced(comm, operation, algorithm);
      for (Count n : counts(p)) {
        for (bool in_place : {false, true}) {
          const Count total = operation == Operation::reduce_scatter_block ? n * p : n;
          const Count first = operation == Operation::reduce_scatter_block ? n * rank : 0;
          const int root = operation == Operation::reduce ? p / 2 : rank;
          const bool here = in_place && rank == root;
          std::vector<std::int64_t> in(static_cast<std::size_t>(total)), out(here ? in.size() : static_cast<std::size_t>(n));
          for (Count i = 0; i < total; ++i) (here ? out : in)[static_cast<std::size_t>(i)] = (rank + 1) * (i + 3);
          Datatype& type = datatype_of(MPI_INT64_T);
          const Buffer from(here ? kInPlace : in.data(), n, &type), to(out.data(), n, &type);
          Op& sum = op_of(MPI_SUM);
          Error error = operation == Operation::reduce      ? coll::reduce(from, to, sum, root, comm)
                        : operation == Operation::allreduce ? coll::allreduce(from, to, sum, comm)
                                                            : coll::reduce_scatter_block(from, to, sum, comm);
          if (error) return error.sentence();
          for (Count i = 0; i < n && rank == root; ++i) {
            if (out[static_cast<std::size_t>(i)] != std::int64_t{p} * (p + 1) / 2 * (first + i + 3)) {
              return std::string("sum ") + coll::mpi_name(operation) + " by " + coll::algorithm_name(algorithm) + " count " +
                     std::to_string(n) + (in_place ? " in place" : "") + ": wrong at " + std::to_string(i);
            }
          }
        }
      }
    }
  }
  return {};
}

namespace {

// One movement of equal blocks in all its variants. Ranks use forms of their own if `mixed`.
class MovementCheck {
 public:
  explicit MovementCheck(Communicator& comm) : comm_(comm), p_(comm.size()), rank_(comm.rank()) {}

  std::string run(Operation operation) {
    const bool rooted = operation == Operation::bcast || operation == Operation::gather || operation == Operation::scatter;
    const int kinds = static_cast<int>(forms().size());
    for (Algorithm algorithm : algorithms(operation)) {
      const Forced forced(comm_, operation, algorithm);
      for (int f = 0; f <= kinds; ++f) {
        const Form& form = forms()[static_cast<std::size_t>(f < kinds ? f : rank_ % kinds)];
        const Form& other = forms()[static_cast<std::size_t>(f < kinds ? f : (rank_ + 2) % kinds)];
        for (Count n : counts(p_)) {
          if (operation == Operation::alltoall && n > 1000) continue;
          for (int root : rooted ? roots(p_) : std::vector<int>{0}) {
            for (bool in_place : {false, true}) {
              if (in_place && operation == Operation::bcast) continue;
              std::string wrong = once(operation, form, other, n, root, in_place);
              if (!wrong.empty()) return describe(operation, algorithm, form, n, in_place, root, rank_) + wrong;
            }
          }
        }
      }
    }
    return {};
  }

 private:
  std::string once(Operation operation, const Form& form, const Form& other, Count n, int root, bool in_place) {
    const bool at_root = rank_ == root;
    Maps one(form, n), all(other, n * p_), sent(form, n * p_);
    const auto block = [&](Maps& maps) { return Buffer(maps.data(), n * (&maps == &all ? other : form).per, (&maps == &all ? other : form).type); };
    const auto fill = [&](Maps& maps, int at, int from, int to) {
      for (Count i = 0; i < n; ++i) maps.set(n * at + i, value(from, i, to));
    };
    const auto differs = [&](Maps& maps, int at, int from, int to) {
      for (Count i = 0; i < n; ++i) {
        if (maps.get(n * at + i) != value(from, i, to)) return true;
      }
      return false;
    };
    const Buffer none(nullptr, -1, nullptr), place(kInPlace, -1, nullptr);
    switch (operation) {
      case Operation::bcast: {
        if (at_root) fill(one, 0, root, 0);
        if (Error error = coll::bcast(block(one), root, comm_)) return error.sentence();
        if (differs(one, 0, root, 0)) return "wrong data";
        return one.gaps_untouched() ? "" : "bytes outside the elements were written";
      }
      case Operation::gather: {
        const bool here = in_place && at_root;
        here ? fill(all, rank_, rank_, 0) : fill(one, 0, rank_, 0);
        if (Error error = coll::gather(here ? place : block(one), at_root ? block(all) : none, root, comm_)) return error.sentence();
        if (!at_root) return {};
        break;
      }
      case Operation::scatter: {
        const bool here = in_place && at_root;
        for (int r = 0; r < p_ && at_root; ++r) fill(all, r, root, r);
        if (Error error = coll::scatter(at_root ? block(all) : none, here ? place : block(one), root, comm_)) return error.sentence();
        if (!here && differs(one, 0, root, rank_)) return "wrong data";
        return here || one.gaps_untouched() ? "" : "bytes outside the elements were written";
      }
      case Operation::allgather:
        in_place ? fill(all, rank_, rank_, 0) : fill(one, 0, rank_, 0);
        if (Error error = coll::allgather(in_place ? place : block(one), block(all), comm_)) return error.sentence();
        break;
      default:
        for (int r = 0; r < p_; ++r) fill(in_place ? all : sent, r, rank_, r);
        if (Error error = coll::alltoall(in_place ? place : block(sent), block(all), comm_)) return error.sentence();
    }
    const int to = operation == Operation::alltoall ? rank_ : 0;
    for (int r = 0; r < p_; ++r) {
      if (differs(all, r, r, to)) return "wrong block " + std::to_string(r);
    }
    return all.gaps_untouched() ? "" : "bytes outside the elements were written";
  }

  Communicator& comm_;
  int p_, rank_;
};

}  // namespace

std::string check_movements(Communicator& comm) {
  for (Operation operation : {Operation::bcast, Operation::gather, Operation::scatter, Operation::allgather, Operation::alltoall}) {
    std::string wrong = MovementCheck(comm).run(operation);
    if (!wrong.empty()) return wrong;
  }
  for (Algorithm algorithm : algorithms(Operation::barrier)) {
    const Forced forced(comm, Operation::barrier, algorithm);
    if (Error error = coll::barrier(comm)) return error.sentence();
  }
  return {};
}

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
    for (Algorithm algorithm : algorithms(operation)) {
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
    const Places incoming(p_, other, bytes ? other.extent : other.per, [&](int i) { return scatters ? size(root, i) : size(i, to); });
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
      for (int r = 0; r < p_; ++r) here ? fill(all, at(r), rank_, r) : fill(sent, outgoing.starts[static_cast<std::size_t>(r)], rank_, r);
      void* const from = here ? kInPlace : sent.data();
      const coll::BufferV send{static_cast<std::byte*>(from), outgoing.counts.data(), outgoing.displacements.data(), form.type};
      const coll::BufferW send_w{static_cast<std::byte*>(from), outgoing.counts.data(), outgoing.displacements.data(), outgoing.types.data()};
      const coll::BufferW receive_w{all.data(), incoming.counts.data(), incoming.displacements.data(), incoming.types.data()};
      if (Error error = bytes ? coll::alltoallw(send_w, receive_w, comm_) : coll::alltoallv(send, many, comm_)) return error.sentence();
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
  if (Error error = per_type ? coll::alltoallw(place_w, many_w, comm) : coll::alltoallv(place, many, comm)) return error.sentence();
  for (int r = 0; r < p; ++r) {
    for (Count i = 0; i < r + rank + 1; ++i) {
      if (all.get(places.starts[static_cast<std::size_t>(r)] + i) != value(r, i, rank)) return "in place: wrong block " + std::to_string(r);
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
    for (Algorithm algorithm : algorithms(operation)) {
      const Forced forced(comm, operation, algorithm);
      std::string wrong = check_in_place_exchange(comm, operation == Operation::alltoallw);
      if (!wrong.empty()) return wrong;
    }
  }
  return {};
}

std::string check_same_bits(Communicator& comm) {
  const int p = comm.size(), rank = comm.rank();
  Datatype& type = datatype_of(MPI_FLOAT);
  for (MPI_Op handle : {MPI_SUM, MPI_PROD}) {
    for (Algorithm algorithm : algorithms(Operation::allreduce)) {
      const Forced forced(comm, Operation::allreduce, algorithm);
      for (std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{5000}, std::size_t{30000}}) {
        std::mt19937 random(static_cast<unsigned>(rank * 1000 + 7));
        std::vector<float> in(n), first(n), again(n), all(n * static_cast<std::size_t>(p));
        for (float& x : in) x = std::ldexp(static_cast<float>(random() % 20001) - 10000.0f, static_cast<int>(random() % 9) - 16);
        for (std::vector<float>* out : {&first, &again}) {
          const Count count = static_cast<Count>(n);
          if (Error error = coll::allreduce(Buffer(in.data(), count, &type), Buffer(out->data(), count, &type), op_of(handle), comm))
            return error.sentence();
        }
        if (std::memcmp(first.data(), again.data(), n * sizeof(float)) != 0) return "a second run gives other bits";
        const Count count = static_cast<Count>(n);
        if (Error error = coll::allgather(Buffer(first.data(), count, &type), Buffer(all.data(), count, &type), comm)) return error.sentence();
        for (int r = 0; r < p; ++r) {
          if (std::memcmp(all.data() + n * static_cast<std::size_t>(r), first.data(), n * sizeof(float)) != 0)
            return std::string("allreduce by ") + coll::algorithm_name(algorithm) + " of " + std::to_string(n) +
                   " floats: rank " + std::to_string(r) + " has other bits";
        }
      }
    }
  }
  return {};
}

std::string check_disagreement(Communicator& comm) {
  const int p = comm.size(), rank = comm.rank();
  if (p == 1) return {};
  Datatype& type = datatype_of(MPI_INT);
  std::vector<int> in(2000, 1), out(2000);
  const auto judge = [&](const char* what, Error error) -> std::string {
    // At least the ranks that hear from rank 0 directly notice; whoever notices says which collective it was.
    int noticed = error ? 1 : 0, sum = 0;
    if (error && error.error_class() != ErrorClass::truncate) return std::string(what) + ": class is not truncate: " + error.sentence();
    if (error && std::string(error.sentence()).find("MPI_") == std::string::npos) return std::string(what) + ": the text names no collective";
    if (Error after = coll::allreduce(Buffer(&noticed, 1, &type), Buffer(&sum, 1, &type), op_of(MPI_SUM), comm)) return after.sentence();
    return sum > 0 ? "" : std::string(what) + ": no rank noticed";
  };
  const Count mine = rank == 0 ? 100 : 200;
  for (Algorithm algorithm : {Algorithm::automatic, Algorithm::allgather_reduce, Algorithm::recursive_doubling, Algorithm::linear}) {
    const Forced forced(comm, Operation::allreduce, algorithm);
    std::string wrong = judge("allreduce", coll::allreduce(Buffer(in.data(), mine, &type), Buffer(out.data(), mine, &type), op_of(MPI_SUM), comm));
    if (!wrong.empty()) return wrong;
  }
  return judge("bcast", coll::bcast(Buffer(in.data(), rank == 1 ? 1142 : 1088, &type), 0, comm));
}

std::string check_succession(Communicator& comm, int rounds) {
  const int p = comm.size(), rank = comm.rank();
  Datatype& type = datatype_of(MPI_INT);
  std::mt19937 random(12345);  // the same at all ranks
  std::vector<int> data, all;
  for (int round = 0; round < rounds; ++round) {
    const int root = static_cast<int>(random() % static_cast<unsigned>(p));
    const auto n = static_cast<Count>(random() % 5 == 0 ? random() % 5000 : random() % 20 + 1);
    const auto place = static_cast<std::size_t>(n > 0 ? n - 1 : 0);
    data.assign(static_cast<std::size_t>(n) + 1, rank * 3 + round);
    all.assign(static_cast<std::size_t>(n * p) + 1, -1);
    const Buffer one(data.data(), n, &type), many(all.data(), n, &type);
    Error error;
    bool right = true;
    switch (random() % 4) {
      case 0:
        error = coll::bcast(one, root, comm);
        right = n == 0 || data[place] == root * 3 + round;
        break;
      case 1:
        error = coll::allreduce(one, many, op_of(MPI_MAX), comm);
        right = n == 0 || all[place] == (p - 1) * 3 + round;
        break;
      case 2:
        error = coll::allgather(one, many, comm);
        right = n == 0 || all[static_cast<std::size_t>(n * root)] == root * 3 + round;
        break;
      default:
        error = coll::reduce(one, many, op_of(MPI_MAX), root, comm);
        right = n == 0 || rank != root || all[place] == (p - 1) * 3 + round;
    }
    if (error) return error.sentence();
    if (!right) return "wrong value in round " + std::to_string(round);
  }
  return {};
}

}  // namespace ompi_lite::test
