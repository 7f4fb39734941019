// SPDX-License-Identifier: BSD-3-Clause
// Choice buffers of mpi_f08 arrive as descriptors, and may be array sections: elements with gaps between them. The C library
// gets a contiguous copy of such a section, which is what a compiler passes without descriptors, but here the copy lives as
// long as the operation: until the call returns, until a wait or test takes its completion, or for good if it is persistent.
#pragma once

#include <ISO_Fortran_binding.h>

#include "ompi_lite/fortran/convert.h"

namespace ompi_lite::fortran {

enum class Data {
  read,
  written
};  // by the operation; what is written may also be read, and parts of it may stay as they were
enum class Life { once, persistent };

bool has_gaps(const CFI_cdesc_t& buffer);
inline void* base_of(const CFI_cdesc_t* buffer) { return buffer_at(buffer->base_addr); }

// For functions that keep the address of their buffer: says why on stderr, raises MPI_ERR_BUFFER on MPI_COMM_SELF, gives the
// code.
int refuse_gaps(const char* function, const char* argument);

// The buffer of a call that is over when it returns.
class Section {
 public:
  Section(const CFI_cdesc_t* buffer, Data data);
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;
  ~Section();
  operator void*() const { return address_; }

 private:
  const CFI_cdesc_t* buffer_;
  bool back_ = false;
  void* address_;
  std::vector<std::byte> copy_;
};

// The buffers of a call that starts or prepares an operation. Made before the call; registers the copies when the request is
// known.
class Lender {
 public:
  Lender(int* request, Life life) : request_(request), life_(life) {}
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;
  ~Lender() {
    if (!lent_.empty()) keep();
  }
  void* lend(const CFI_cdesc_t* buffer, Data data) { return has_gaps(*buffer) ? lend_copy(*buffer, data) : base_of(buffer); }

 private:
  struct Loan;
  friend struct Loans;
  void* lend_copy(const CFI_cdesc_t& buffer, Data data);
  void keep();
  int* request_;
  Life life_;
  std::vector<Loan*> lent_;

  friend void settle_loans(int before, int after);
  friend void begin_sections(const int* requests, int count);
  friend void abandon_sections(int request);
};

// What MPI_Start and MPI_Startall do first for persistent requests: copy what will be sent.
void begin_sections(const int* requests, int count);
// Before MPI_Request_free: nobody will tell when the operation is over, so the copy stays.
void abandon_sections(int request);

}  // namespace ompi_lite::fortran
