// SPDX-License-Identifier: BSD-3-Clause
// Copies of array sections, and who has them.
#include "ompi_lite/fortran/sections.h"

#include <cstdio>
#include <map>
#include <mutex>

namespace ompi_lite::fortran {

std::atomic<int> open_loans{0};

namespace {

// A descriptor that may outlive the compiler's.
struct Shape {
  std::byte* base;
  std::size_t element_bytes;
  int rank;
  std::array<std::size_t, CFI_MAX_RANK> extent;
  std::array<std::ptrdiff_t, CFI_MAX_RANK> stride_bytes;

  explicit Shape(const CFI_cdesc_t& buffer)
      : base(static_cast<std::byte*>(buffer.base_addr)), element_bytes(buffer.elem_len), rank(buffer.rank) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
      extent[i] = static_cast<std::size_t>(buffer.dim[i].extent);
      stride_bytes[i] = buffer.dim[i].sm;
    }
  }
  std::size_t bytes() const {
    std::size_t product = element_bytes;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) product *= extent[i];
    return product;
  }
};

// Moves the elements in Fortran's order: the first index runs fastest.
void move_elements(const Shape& shape, std::byte* copy, bool back) {
  const auto rank = static_cast<std::size_t>(shape.rank);
  const bool runs = shape.stride_bytes[0] == static_cast<std::ptrdiff_t>(shape.element_bytes);
  const std::size_t step_bytes = runs ? shape.element_bytes * shape.extent[0] : shape.element_bytes;
  const std::size_t steps = runs ? 1 : shape.extent[0];
  std::array<std::size_t, CFI_MAX_RANK> index{};
  for (std::size_t left = shape.bytes(); left > 0;) {
    std::byte* place = shape.base;
    for (std::size_t i = 1; i < rank; ++i) place += static_cast<std::ptrdiff_t>(index[i]) * shape.stride_bytes[i];
    for (std::size_t i = 0; i < steps; ++i, place += shape.stride_bytes[0], copy += step_bytes, left -= step_bytes) {
      if (back)
        std::memcpy(place, copy, step_bytes);
      else
        std::memcpy(copy, place, step_bytes);
    }
    for (std::size_t i = 1; i < rank && ++index[i] == shape.extent[i]; ++i) index[i] = 0;
  }
}

}  // namespace

// One copy of one section.
struct Lender::Loan {
  Shape shape;
  Data data;
  Life life;
  bool active = true;  // false: a persistent operation that has not been started
  std::vector<std::byte> copy;

  void take() { move_elements(shape, copy.data(), false); }
  void give_back() {
    if (data == Data::written) move_elements(shape, copy.data(), true);
  }
};

// The loans by the INTEGER that holds the request.
struct Loans {
  std::mutex mutex;
  std::multimap<int, Lender::Loan*> by_request;

  static Loans& all() {
    static Loans& loans = *new Loans;  // never destroyed: operations may end after main
    return loans;
  }
};

bool has_gaps(const CFI_cdesc_t& buffer) {
  CFI_index_t expected = static_cast<CFI_index_t>(buffer.elem_len);
  bool gaps = false;
  for (int i = 0; i < buffer.rank; ++i) {
    const CFI_index_t extent = buffer.dim[i].extent;
    if (extent == 0) return false;
    if (extent < 0) break;  // assumed size
    gaps = gaps || (extent != 1 && buffer.dim[i].sm != expected);
    expected *= extent;
  }
  return gaps;
}

int refuse_gaps(const char* function, const char* argument) {
  std::fprintf(stderr, "%s: %s is an array section with gaps, of which no copy can stand in; pass a contiguous array\n",
               function, argument);
  (void)OLMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_BUFFER);
  return MPI_ERR_BUFFER;
}

Section::Section(const CFI_cdesc_t* buffer, Data data) : buffer_(buffer), address_(base_of(buffer)) {
  if (!has_gaps(*buffer)) return;
  const Shape shape(*buffer);
  copy_.resize(shape.bytes());
  move_elements(shape, copy_.data(), false);
  address_ = copy_.data();
  back_ = data == Data::written;
}

Section::~Section() {
  if (back_) move_elements(Shape(*buffer_), copy_.data(), true);
}

void* Lender::lend_copy(const CFI_cdesc_t& buffer, Data data) {
  if (lent_.empty())
    *request_ = static_cast<int>(reinterpret_cast<std::uintptr_t>(MPI_REQUEST_NULL));  // stays if the call fails
  auto* loan = new Loan{Shape(buffer), data, life_, life_ == Life::once, {}};
  loan->copy.resize(loan->shape.bytes());
  loan->take();
  lent_.push_back(loan);
  return loan->copy.data();
}

void Lender::keep() {
  Loans& loans = Loans::all();
  std::lock_guard lock(loans.mutex);
  for (Loan* loan : lent_) {
    if (handle<MPI_Request>(*request_) == MPI_REQUEST_NULL) {
      delete loan;  // the call failed: nothing was started
    } else {
      loans.by_request.emplace(*request_, loan);
      ++open_loans;
    }
  }
}

void settle_loans(int before, int after) {
  Loans& loans = Loans::all();
  std::lock_guard lock(loans.mutex);
  auto [first, last] = loans.by_request.equal_range(before);
  while (first != last) {
    Lender::Loan* loan = first->second;
    int done = before != after ? 1 : 0;
    if (done == 0 && loan->life == Life::persistent && loan->active) {
      // Inactive again, or complete and still to be waited for: the data is there in both cases.
      (void)OLMPI_Request_get_status(handle<MPI_Request>(before), &done, MPI_STATUS_IGNORE);
    }
    if (done != 0 && loan->active) loan->give_back();
    if (done != 0) loan->active = false;
    if (before == after) {
      ++first;
    } else {
      delete loan;
      --open_loans;
      first = loans.by_request.erase(first);
    }
  }
}

void begin_sections(const int* requests, int count) {
  if (open_loans == 0) return;
  Loans& loans = Loans::all();
  std::lock_guard lock(loans.mutex);
  for (int i = 0; i < count; ++i) {
    auto [first, last] = loans.by_request.equal_range(requests[i]);
    for (; first != last; ++first) {
      first->second->take();
      first->second->active = true;
    }
  }
}

void abandon_sections(int request) {
  if (open_loans == 0) return;
  Loans& loans = Loans::all();
  std::lock_guard lock(loans.mutex);
  open_loans -= static_cast<int>(loans.by_request.erase(request));  // the copies themselves are left to the operation
}

}  // namespace ompi_lite::fortran
