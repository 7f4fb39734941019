// SPDX-License-Identifier: BSD-3-Clause
// The product of all that may go wrong in a collective: algorithm, type, place, count, root.
#include "test/support/collective_checks.h"

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "ompi_lite/mpi/comms.h"
#include "test/support/collective_elements.h"

namespace ompi_lite::test {

namespace {

// One reduction in all its variants.
class ReductionCheck {
 public:
  ReductionCheck(Communicator& comm, Op& op) : comm_(comm), op_(op), p_(comm.size()), rank_(comm.rank()) {}

  std::string run(Operation operation) {
    const bool rooted = operation == Operation::reduce;
    for (const Choice& algorithm : algorithms(operation)) {
      const Forced forced(comm_, operation, algorithm);
      for (int f = 0; f < kReducible; ++f) {
        for (Count n : counts(p_)) {
          for (int root : rooted ? roots(p_) : std::vector<int>{0}) {
            for (bool in_place : {false, true}) {
              std::string wrong = once(operation, forms()[static_cast<std::size_t>(f)], n, root, in_place);
              if (!wrong.empty())
                return describe(operation, algorithm, forms()[static_cast<std::size_t>(f)], n, in_place, root, rank_) +
                       wrong;
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
      case Operation::reduce:
        return coll::reduce(in, out, op_, root, comm_);
      case Operation::allreduce:
        return coll::allreduce(in, out, op_, comm_);
      case Operation::scan:
        return coll::scan(in, out, op_, comm_);
      case Operation::exscan:
        return coll::exscan(in, out, op_, comm_);
      case Operation::reduce_scatter_block:
        return coll::reduce_scatter_block(in, out, op_, comm_);
      default:
        break;
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
  for (Operation operation : {Operation::reduce, Operation::allreduce, Operation::reduce_scatter,
                              Operation::reduce_scatter_block, Operation::scan, Operation::exscan}) {
    std::string wrong = ReductionCheck(comm, ordered).run(operation);
    if (!wrong.empty()) return wrong;
  }
  // What needs commutative ops, with one: the sums are whole numbers, so any order gives the same.
  const int p = comm.size(), rank = comm.rank();
  for (Operation operation : {Operation::reduce, Operation::allreduce, Operation::reduce_scatter_block}) {
    for (const Choice& algorithm : algorithms(operation)) {
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
              return "sum " + name_of(operation, algorithm) + " count " + std::to_string(n) + (in_place ? " in place" : "") +
                     ": wrong at " + std::to_string(i);
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
    for (const Choice& algorithm : algorithms(operation)) {
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
    const auto block = [&](Maps& maps) {
      return Buffer(maps.data(), n * (&maps == &all ? other : form).per, (&maps == &all ? other : form).type);
    };
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
        if (Error error = coll::gather(here ? place : block(one), at_root ? block(all) : none, root, comm_))
          return error.sentence();
        if (!at_root) return {};
        break;
      }
      case Operation::scatter: {
        const bool here = in_place && at_root;
        for (int r = 0; r < p_ && at_root; ++r) fill(all, r, root, r);
        if (Error error = coll::scatter(at_root ? block(all) : none, here ? place : block(one), root, comm_))
          return error.sentence();
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
  for (Operation operation :
       {Operation::bcast, Operation::gather, Operation::scatter, Operation::allgather, Operation::alltoall}) {
    std::string wrong = MovementCheck(comm).run(operation);
    if (!wrong.empty()) return wrong;
  }
  for (const Choice& algorithm : algorithms(Operation::barrier)) {
    const Forced forced(comm, Operation::barrier, algorithm);
    if (Error error = coll::barrier(comm)) return error.sentence();
  }
  return {};
}

std::string check_same_bits(Communicator& comm) {
  const int p = comm.size(), rank = comm.rank();
  Datatype& type = datatype_of(MPI_FLOAT);
  for (MPI_Op handle : {MPI_SUM, MPI_PROD}) {
    for (const Choice& algorithm : algorithms(Operation::allreduce)) {
      const Forced forced(comm, Operation::allreduce, algorithm);
      for (std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{5000}, std::size_t{30000}}) {
        std::mt19937 random(static_cast<unsigned>(rank * 1000 + 7));
        std::vector<float> in(n), first(n), again(n), all(n * static_cast<std::size_t>(p));
        for (float& x : in)
          x = std::ldexp(static_cast<float>(random() % 20001) - 10000.0f, static_cast<int>(random() % 9) - 16);
        for (std::vector<float>* out : {&first, &again}) {
          const Count count = static_cast<Count>(n);
          if (Error error =
                  coll::allreduce(Buffer(in.data(), count, &type), Buffer(out->data(), count, &type), op_of(handle), comm))
            return error.sentence();
        }
        if (std::memcmp(first.data(), again.data(), n * sizeof(float)) != 0) return "a second run gives other bits";
        const Count count = static_cast<Count>(n);
        if (Error error = coll::allgather(Buffer(first.data(), count, &type), Buffer(all.data(), count, &type), comm))
          return error.sentence();
        for (int r = 0; r < p; ++r) {
          if (std::memcmp(all.data() + n * static_cast<std::size_t>(r), first.data(), n * sizeof(float)) != 0)
            return name_of(Operation::allreduce, algorithm) + " of " + std::to_string(n) + " floats: rank " +
                   std::to_string(r) + " has other bits";
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
  const auto judge = [&](const char* what, Communicator& odd, Error error) -> std::string {
    // Whoever notices, in the call or in the next one, says which collective it was; other communicators are well.
    int noticed = error ? 1 : 0, sum = 0;
    if (error && error.error_class() != ErrorClass::truncate)
      return std::string(what) + ": class is not truncate: " + error.sentence();
    if (error && std::string(error.sentence()).find("MPI_") == std::string::npos)
      return std::string(what) + ": the text names no collective";
    if (coll::barrier(odd)) noticed = 1;
    if (Error after = coll::allreduce(Buffer(&noticed, 1, &type), Buffer(&sum, 1, &type), op_of(MPI_SUM), comm))
      return after.sentence();
    return sum > 0 ? "" : std::string(what) + ": no rank noticed";
  };
  const Count mine = rank == 0 ? 100 : 200;
  std::string wrong;
  for (const char* name : {"", "allreduce=allgather_reduce", "allreduce=recursive_multiplying", "allreduce=linear"}) {
    Communicator* odd = nullptr;
    if (Error error = mpi::comm_dup(comm, odd)) return error.sentence();
    {
      const Choice algorithm = (*coll::parse_forced(name))[static_cast<std::size_t>(Operation::allreduce)];
      const Forced forced(*odd, Operation::allreduce, algorithm);
      wrong += judge("allreduce", *odd,
                     coll::allreduce(Buffer(in.data(), mine, &type), Buffer(out.data(), mine, &type), op_of(MPI_SUM), *odd));
    }
    if (Error error = mpi::comm_free(odd)) return error.sentence();
  }
  Communicator* odd = nullptr;
  if (Error error = mpi::comm_dup(comm, odd)) return error.sentence();
  wrong += judge("bcast", *odd, coll::bcast(Buffer(in.data(), rank == 1 ? 1142 : 1088, &type), 0, *odd));
  if (Error error = mpi::comm_free(odd)) return error.sentence();
  return wrong;
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
