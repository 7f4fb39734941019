// SPDX-License-Identifier: BSD-3-Clause
// Time from cost.
#include "coll/model.h"

#include <algorithm>
#include <cmath>

namespace ompi_lite::coll {

namespace {

// What the library's own code costs, in steps of the machine (Number::step). A property of this code, not of a processor.
constexpr double kHopSteps = 100;       // a message, from the call to the return of the receiver, beside its way
constexpr double kMessageSteps = 120;   // of it the share of one side, which others cannot take over
constexpr double kAnnounceSteps = 300;  // the question and the answer of a message that is announced
constexpr double kSlotSteps = 80;       // a call through the node's slots
constexpr double kMeetSteps = 400;      // one piece of cells
constexpr double kTurnSteps = 150;      // progress looks around before it gives the core away

constexpr double kAnnounced = 16384;  // bytes of a message from which on all are announced; fewer and fewer below
constexpr double kInCaches = 512 << 10, kBeyond = 8 << 20;  // bytes: a core's caches hold all of them, nothing of them

// The numbers as the costs need them, in seconds.
struct Rates {
  double hop;        // a message from rank to rank, all the way
  double large_hop;  // one that is announced before it is sent
  double message;    // what it costs the sender, and the receiver
  double byte;       // moved by one of them
  double handled;    // a byte reduced or copied
  double shown;      // a byte copied to where others read it
  double fetched;    // a byte read that another rank has written
  double slot;       // a call through the node's slots, apart from its data
  double line;       // the first cache line out of a slot; those behind it come five times as fast
  double meeting;    // all ranks wait for all
  double turn;       // crowded cores: one rank takes over from another
  double cores;      // crowded cores: how many work at the same time; else 0
};

// Bytes that a core has to do with in a call: those of all ranks that take turns on it. Cells are passed through in pieces
// that stay in its caches, and what is reduced there is not touched again.
double footprint(const Question& q, bool in_cells) {
  if (in_cells && q.operation >= Operation::reduce) return 0;
  const bool of_vector = q.operation == Operation::bcast || q.operation >= Operation::reduce;
  const double own = static_cast<double>(q.bytes) * (of_vector ? 2 : q.ranks);
  return q.share_cores && !in_cells ? own * q.ranks / std::max(1, q.cores) : own;
}

// Between what holds for data in the caches and for data that are far larger, by the logarithm of their size.
double between(double cached, double memory, double bytes) {
  const double share = std::log(std::max(bytes, 1.0) / kInCaches) / std::log(kBeyond / kInCaches);
  return cached + (memory - cached) * std::clamp(share, 0.0, 1.0);
}

Rates rates_of(const Question& q, const MachineNumbers& n, bool in_cells) {
  const double step = n[Number::step], bytes = footprint(q, in_cells);
  const bool reduces = q.operation >= Operation::reduce;
  const double handled = reduces ? between(n[Number::reduce_cached], n[Number::reduce_memory], bytes)
                                 : between(n[Number::copy_cached], n[Number::copy_memory], bytes);
  if (!q.one_node && !q.share_cores) {
    const double hop = n[Number::host_hop], message = n[Number::host_message];
    return {hop, 2 * hop, message, n[Number::host_byte], handled, 0, 0, 0, 0, 0, 0, 0};
  }
  const double line = n[Number::line], hop = 2 * line + kHopSteps * step;
  // Another core has the lines, whoever copies them; and beyond the caches memory sets the pace.
  const double near = std::max(n[Number::fetch], n[Number::single_copy]), far = std::max(near, n[Number::copy_memory]);
  const double moved = between(near, far, bytes);
  return {.hop = hop,
          .large_hop = hop + 2 * line + n[Number::single_copy_call] + kAnnounceSteps * step,
          .message = kMessageSteps * step,
          .byte = moved / 2,  // both sides count it
          .handled = handled,
          .shown = between(n[Number::shared_copy], std::max(n[Number::shared_copy], n[Number::copy_memory]), bytes),
          .fetched = between(n[Number::fetch], std::max(n[Number::fetch], n[Number::copy_memory]), bytes),
          .slot = kSlotSteps * step,
          .line = line,
          .meeting = 2 * line + kMeetSteps * step + (q.ranks - 1) * line / 5,
          .turn = q.share_cores ? n[Number::handover] + kTurnSteps * step : 0,
          .cores = q.share_cores ? std::max(1.0, static_cast<double>(q.cores)) : 0};
}

}  // namespace

// On crowded cores the ranks take turns: what all do together counts, unless the busiest has more to do than the others
// could in the meantime, or the messages that wait for each other take longer.
double predicted_time(const Question& question, const Cost& cost, const MachineNumbers& numbers) {
  const Rates rates = rates_of(question, numbers, cost.meetings > 0);
  if (cost.lines > 0) {  // nobody waits for anybody but for all to come
    const double own = rates.slot + rates.line * (1 + (cost.lines - 1) / 5) + cost.handled * rates.handled;
    return rates.cores == 0 ? own : question.ranks / rates.cores * (rates.turn + own);
  }
  const double average = cost.all_messages > 0 ? cost.all_bytes / cost.all_messages : 0;
  const double announced = std::min(1.0, average / kAnnounced);  // the share of the messages
  const double hop = rates.hop + announced * (rates.large_hop - rates.hop);
  // Who receives copies; the sender helps if it has a core.
  const bool to_root = question.operation == Operation::gather || question.operation == Operation::reduce;
  const double byte = rates.cores > 0 && to_root ? 2 * rates.byte : rates.byte;
  const double chain = cost.messages * rates.message + cost.bytes * byte + cost.handled * rates.handled +
                       cost.shown * rates.shown + cost.fetched * rates.fetched;
  if (rates.cores == 0) return cost.rounds * hop + cost.meetings * rates.meeting + chain;
  const double each = 2 * rates.message + (1 + announced) * rates.turn;
  const double all = cost.all_messages * each + cost.all_bytes * 2 * rates.byte + cost.all_handled * rates.handled +
                     cost.all_shown * rates.shown + cost.all_fetched * rates.fetched;
  const double path = cost.rounds * average * 2 * rates.byte + cost.handled * rates.handled;
  const double turns = cost.rounds + cost.meetings * question.ranks / rates.cores;
  return turns * rates.turn + std::max({chain, path, all / rates.cores});
}

}  // namespace ompi_lite::coll
