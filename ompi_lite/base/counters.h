// SPDX-License-Identifier: BSD-3-Clause
// What the library counts while it works; tools read it (MPI_T_pvar_*). One set for the address space: counting survives
// MPI_Finalize, and tools may look before MPI_Init.
#pragma once

#include <atomic>
#include <cstdint>

namespace ompi_lite {

// Changed by who holds the process lock, read by anybody. Relaxed: no other data hangs on the value.
class Counter {
 public:
  void add(std::uint64_t amount) { value_.store(value() + amount, std::memory_order_relaxed); }
  void subtract(std::uint64_t amount) { value_.store(value() - amount, std::memory_order_relaxed); }
  void raise_to(std::uint64_t least) {
    if (value() < least) value_.store(least, std::memory_order_relaxed);
  }
  void add_from_any_thread(std::uint64_t amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Messages of all planes, so those behind collectives too; bytes are those of the data.
struct Counters {
  Counter messages_sent, bytes_sent;
  Counter rendezvous_sent;  // of messages_sent: those for which the receiver is asked first
  Counter messages_received, bytes_received;
  Counter rendezvous_received;
  Counter unexpected_messages, unexpected_bytes;  // here now, and not yet received
  Counter unexpected_most;                        // the most messages that there ever were
  Counter sleeps, asleep_ns;
};
extern constinit Counters counters;

}  // namespace ompi_lite
