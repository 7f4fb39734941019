// SPDX-License-Identifier: BSD-3-Clause
// A recorded collective: the steps of one rank as a list, which runs as an ordinary request.
#pragma once

#include <string>
#include <vector>

#include "coll/select.h"
#include "coll/state.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/request.h"
#include "pml/pml.h"

namespace ompi_lite::coll {

// Nonblocking and persistent collectives run the text of the blocking ones: while a Schedule records, Direct puts its steps into
// the list in place of doing them. Rounds stay rounds: their messages are under way together, and local steps are done where they
// stand between rounds.
//
// Owned by the application as its request; it keeps communicator, op and types alive. Guarded by the process lock. While it is
// active, the process's Schedules (schedule.cc) advance it at every turn of progress.
class Schedule final : public Request {
 public:
  explicit Schedule(Communicator& of);

  // ---- recording ----
  // The steps that follow belong to this communicator, the schedule's own or one that lives as long, and to this tag.
  void begin(Communicator& of, Operation operation, int tag) {
    steps_of_ = &of;
    operation_ = operation;
    tag_ = tag;
  }
  void reduces_with(Op& op, const Kernel& kernel);
  void add_send(const Buffer& data, int peer) { add({Step::send, peer, keep(data), {}, nullptr}); }
  void add_recv(const Buffer& data, int peer) { add({Step::recv, peer, keep(data), {}, nullptr}); }
  void add_end_round() { add({Step::end_round, 0, {}, {}, nullptr}); }
  void add_copy(const Buffer& from, const Buffer& to) { add({Step::copy, 0, keep(from), keep(to), nullptr}); }
  void add_reduce(const Buffer& a, std::byte* b) { add({Step::reduce, 0, keep(a), {}, b}); }                      // b = a op b
  void add_reduce_copy(const Buffer& a, const Buffer& b, std::byte* c) { add({Step::reduce_copy, 0, keep(a), b, c}); }  // c = a op b
  Arena& arena() { return arena_; }  // temporary memory for as long as the schedule lives
  // What to do when all steps have succeeded, before the request is complete.
  void then(void (*run)(void* context), void* context) {
    then_ = run;
    then_context_ = context;
  }

  // ---- running ----
  Error start_now();
  bool advance();  // goes on as far as it can; true if anything moved

 private:
  struct Step {
    enum Kind : std::uint8_t { send, recv, end_round, copy, reduce, reduce_copy } kind;
    int peer;
    Buffer a, b;
    std::byte* c;
    Communicator* comm = nullptr;
    int tag = 0;
  };
  struct Pending {
    Request* request;
    int peer;
    bool receives;
    Count bytes;
  };

  ~Schedule();
  void add(Step step) {
    step.comm = steps_of_;
    step.tag = tag_;
    steps_.push_back(step);
  }
  const Buffer& keep(const Buffer& data);
  Error run_local(const Step& step);
  Error post(const Step& step);
  bool collect_round();
  void fail(const Error& error);
  void end();

  static Error start(Request& request);
  static Error refuse_cancel(Request& request);
  static Error finish(Request& request);
  static void destroy(Request& request);
  static const RequestOps kOps;

  pml::Pml& pml_;
  Communicator* steps_of_;
  Operation operation_ = Operation::barrier;
  int tag_ = 0;
  void (*then_)(void* context) = nullptr;
  void* then_context_ = nullptr;
  Op* op_ = nullptr;
  Kernel kernel_{};
  std::vector<Step> steps_;
  std::vector<Datatype*> types_;  // derived ones, each kept once
  std::vector<Pending> pending_;  // of the round that is under way
  std::size_t next_ = 0;
  bool failed_ = false;
  std::string error_text_;
  Arena arena_;
};

}  // namespace ompi_lite::coll
