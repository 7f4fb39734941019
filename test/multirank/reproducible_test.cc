// SPDX-License-Identifier: BSD-3-Clause
// The knob `reproducible`: the bits of a reduction are those of the operands in rank order, with the parentheses of the
// reference, in every algorithm, size, root and form of call.
#include "coll/reproducible.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "coll/nonblocking.h"
#include "coll/state.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/include/mpi.h"
#include "ompi_lite/include/mpix.h"
#include "pml/pml.h"
#include "test/support/collective_elements.h"

using namespace ompi_lite;
using namespace ompi_lite::test;

namespace {

Communicator& world() { return *static_cast<Communicator*>(object_of(reinterpret_cast<std::uintptr_t>(MPI_COMM_WORLD))); }

using Bytes = std::vector<std::byte>;

// The numbers of a rank, which all ranks can compute: of very different size, so that the order of a sum shows.
Bytes numbers_of(int rank, Count n, Datatype& type) {
  std::mt19937 random(static_cast<unsigned>(rank * 7001 + 13));
  const auto bytes = static_cast<std::size_t>(n * type.size());
  const auto number = [&] {
    return std::ldexp(static_cast<double>(random() % 20001) - 10000.0, static_cast<int>(random() % 9) - 16);
  };
  Bytes result(bytes);
  for (std::size_t at = 0; at < bytes;) {
    const double wide = number();
    const auto narrow = static_cast<float>(wide);
    if (type.size() == 2) {
      std::memcpy(&result[at], reinterpret_cast<const std::byte*>(&narrow) + 2, 2);
      at += 2;
    } else if (type.handle() == MPI_FLOAT) {
      std::memcpy(&result[at], &narrow, sizeof narrow);
      at += sizeof narrow;
    } else {
      std::memcpy(&result[at], &wide, sizeof wide);
      at += sizeof wide;
    }
  }
  return result;
}

// Rounds, so that order and parentheses show; said to commute.
void half_of_both(void* in, void* inout, int* n, MPI_Datatype*) {
  for (int i = 0; i < *n; ++i) {
    float &a = static_cast<float*>(in)[i], &b = static_cast<float*>(inout)[i];
    b = a * 0.3f + b * 0.7f;
  }
}

struct Case {
  const char* name;
  Op* op;
  Datatype* type;
};

class Check {
 public:
  Check(Communicator& comm, const Case& what, Count n) : comm_(comm), what_(what), n_(n), p_(comm.size()) {
    for (int r = 0; r < p_; ++r) inputs_.push_back(numbers_of(r, n_ * p_, *what_.type));
    from_right_ = inputs_.back();
    for (int r = p_ - 2; r >= 0; --r) apply(inputs_[static_cast<std::size_t>(r)], from_right_);
    for (const Bytes& each : inputs_) {
      prefixes_.push_back(each);
      if (prefixes_.size() > 1) apply(prefixes_[prefixes_.size() - 2], prefixes_.back());
    }
  }

  std::string run() {
    for (Operation operation : {Operation::reduce, Operation::allreduce, Operation::reduce_scatter,
                                Operation::reduce_scatter_block, Operation::scan, Operation::exscan}) {
      for (const Choice& algorithm : algorithms(operation)) {
        const Forced forced(comm_, operation, algorithm);
        if (std::string wrong = all_forms(operation); !wrong.empty()) return name_of(operation, algorithm) + ", " + wrong;
      }
      for (int again = 0; again < 5; ++again)  // as selection has it: slots and cells from the third call on
        if (std::string wrong = all_forms(operation); !wrong.empty()) return "automatic, " + wrong;
    }
    return {};
  }

 private:
  enum class Form { blocking, nonblocking, persistent };

  void apply(const Bytes& in, Bytes& inout) const {
    REQUIRE(!ompi_lite::reduce(*what_.op, *what_.type, in.data(), inout.data(), n_ * p_));
  }

  std::string all_forms(Operation operation) {
    const std::vector<int> roots =
        operation == Operation::reduce ? std::vector<int>{0, p_ / 2, p_ - 1} : std::vector<int>{0};
    for (int root : roots) {
      for (Form form : {Form::blocking, Form::nonblocking, Form::persistent}) {
        if (std::string wrong = once(operation, root, form); !wrong.empty())
          return std::string(what_.name) + ", " + std::to_string(n_) + " elements, root " + std::to_string(root) +
                 ", form " + std::to_string(static_cast<int>(form)) + ": " + wrong;
      }
    }
    return {};
  }

  Error finish(Request* request) {
    MPI_Status status;
    Error error = pml::of(comm_).wait(*request, &status);
    return error;
  }

  Error call(Operation operation, const Buffer& in, const Buffer& out, int root, Form form, Request*& request) {
    const std::vector<int> sizes(static_cast<std::size_t>(p_), static_cast<int>(n_));
    const CountSpan counts(sizes.data());
    const bool later = form == Form::persistent;
    Op& op = *what_.op;
    Info* info = nullptr;
    switch (operation) {
      case Operation::reduce:
        if (form == Form::blocking) return coll::reduce(in, out, op, root, comm_);
        return later ? coll::reduce_init(in, out, op, root, comm_, info, request)
                     : coll::ireduce(in, out, op, root, comm_, request);
      case Operation::allreduce:
        if (form == Form::blocking) return coll::allreduce(in, out, op, comm_);
        return later ? coll::allreduce_init(in, out, op, comm_, info, request)
                     : coll::iallreduce(in, out, op, comm_, request);
      case Operation::reduce_scatter_block:
        if (form == Form::blocking) return coll::reduce_scatter_block(in, out, op, comm_);
        return later ? coll::reduce_scatter_block_init(in, out, op, comm_, info, request)
                     : coll::ireduce_scatter_block(in, out, op, comm_, request);
      case Operation::reduce_scatter:
        if (form == Form::blocking) return coll::reduce_scatter(in.data, out.data, counts, *what_.type, op, comm_);
        return later ? coll::reduce_scatter_init(in.data, out.data, counts, *what_.type, op, comm_, info, request)
                     : coll::ireduce_scatter(in.data, out.data, counts, *what_.type, op, comm_, request);
      case Operation::scan:
        if (form == Form::blocking) return coll::scan(in, out, op, comm_);
        return later ? coll::scan_init(in, out, op, comm_, info, request) : coll::iscan(in, out, op, comm_, request);
      default:
        if (form == Form::blocking) return coll::exscan(in, out, op, comm_);
        return later ? coll::exscan_init(in, out, op, comm_, info, request) : coll::iexscan(in, out, op, comm_, request);
    }
  }

  std::string once(Operation operation, int root, Form form) {
    const auto rank = static_cast<std::size_t>(comm_.rank());
    const bool scatters = operation == Operation::reduce_scatter || operation == Operation::reduce_scatter_block;
    const auto bytes = static_cast<std::size_t>(n_ * what_.type->size());
    Bytes in = inputs_[rank], out(bytes);
    const Buffer from(in.data(), n_, what_.type), to(out.data(), n_, what_.type);
    Request* request = nullptr;
    if (Error error = call(operation, from, to, root, form, request)) return error.sentence();
    if (form == Form::persistent) {
      if (Error error = request->ops->start(*request)) return error.sentence();
    }
    if (form != Form::blocking) {
      if (Error error = finish(request)) return error.sentence();
      if (form == Form::persistent) release(request);
    }
    const bool gets = operation == Operation::reduce ? comm_.rank() == root : operation != Operation::exscan || rank > 0;
    if (!gets) return {};
    const std::byte* wanted = operation == Operation::scan     ? prefixes_[rank].data()
                              : operation == Operation::exscan ? prefixes_[rank - 1].data()
                              : scatters                       ? from_right_.data() + rank * bytes
                                                               : from_right_.data();
    return std::memcmp(out.data(), wanted, bytes) == 0 ? "" : "other bits than the reference";
  }

  Communicator& comm_;
  const Case& what_;
  const Count n_;
  const int p_;
  std::vector<Bytes> inputs_, prefixes_;  // by rank; the operands of the ranks up to it, from the left
  Bytes from_right_;                      // all operands, from the right
};

}  // namespace

TEST_CASE("with the knob reproducible every way to reduce gives the bits of the reference", "[np=2,3,4,5,6,7,8,9]") {
  REQUIRE(!coll::reproducible.set("yes"));
  using Function = void (*)(void*, void*, int*, MPI_Datatype*);
  Op own(Callback{reinterpret_cast<void (*)()>(static_cast<Function>(half_of_both)), nullptr}, OpForm::count_int, true);
  const Case cases[] = {{"sum of float", &op_of(MPI_SUM), &datatype_of(MPI_FLOAT)},
                        {"sum of double", &op_of(MPI_SUM), &datatype_of(MPI_DOUBLE)},
                        {"product of complex", &op_of(MPI_PROD), &datatype_of(MPI_C_DOUBLE_COMPLEX)},
                        {"sum of bfloat16", &op_of(MPI_SUM), &datatype_of(MPIX_BFLOAT16)},
                        {"a user's op", &own, &datatype_of(MPI_FLOAT)}};
  for (const Case& each : cases) {
    for (Count n : {Count{1}, Count{37}, Count{3000}}) CHECK(Check(world(), each, n).run() == "");
  }
  CHECK(Check(world(), cases[0], 30000).run() == "");
  coll::reproducible.reset();
  coll::state_of(world()).force(coll::state_of(world()).forced());
}
