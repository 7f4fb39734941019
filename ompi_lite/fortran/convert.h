// SPDX-License-Identifier: BSD-3-Clause
// One class or function per kind of argument: how what Fortran passes becomes what C takes. The generated entries use them
// as temporaries of the C call, so that what has to go back (new handles, padded strings) is stored when the call is over.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "ompi_lite/fortran/gen/twins.gen.h"
#include "ompi_lite/fortran/sentinels.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite::fortran {

// ---- handles: an INTEGER holds the ABI's small number of a predefined one, an index of the library for all others ----

inline int to_int(MPI_Comm handle) { return OLMPI_Comm_toint(handle); }
inline int to_int(MPI_Datatype handle) { return OLMPI_Type_toint(handle); }
inline int to_int(MPI_Errhandler handle) { return OLMPI_Errhandler_toint(handle); }
inline int to_int(MPI_File handle) { return OLMPI_File_toint(handle); }
inline int to_int(MPI_Group handle) { return OLMPI_Group_toint(handle); }
inline int to_int(MPI_Info handle) { return OLMPI_Info_toint(handle); }
inline int to_int(MPI_Message handle) { return OLMPI_Message_toint(handle); }
inline int to_int(MPI_Op handle) { return OLMPI_Op_toint(handle); }
inline int to_int(MPI_Request handle) { return OLMPI_Request_toint(handle); }
inline int to_int(MPI_Session handle) { return OLMPI_Session_toint(handle); }
inline int to_int(MPI_Win handle) { return OLMPI_Win_toint(handle); }

inline void from_int(int value, MPI_Comm& handle) { handle = OLMPI_Comm_fromint(value); }
inline void from_int(int value, MPI_Datatype& handle) { handle = OLMPI_Type_fromint(value); }
inline void from_int(int value, MPI_Errhandler& handle) { handle = OLMPI_Errhandler_fromint(value); }
inline void from_int(int value, MPI_File& handle) { handle = OLMPI_File_fromint(value); }
inline void from_int(int value, MPI_Group& handle) { handle = OLMPI_Group_fromint(value); }
inline void from_int(int value, MPI_Info& handle) { handle = OLMPI_Info_fromint(value); }
inline void from_int(int value, MPI_Message& handle) { handle = OLMPI_Message_fromint(value); }
inline void from_int(int value, MPI_Op& handle) { handle = OLMPI_Op_fromint(value); }
inline void from_int(int value, MPI_Request& handle) { handle = OLMPI_Request_fromint(value); }
inline void from_int(int value, MPI_Session& handle) { handle = OLMPI_Session_fromint(value); }
inline void from_int(int value, MPI_Win& handle) { handle = OLMPI_Win_fromint(value); }

// Copies that mpi_f08 lends to pending operations (sections.h): a request that may have completed is looked at.
extern std::atomic<int> open_loans;
void settle_loans(int before, int after);
template <class H>
void settle(int before, int after) {
  if constexpr (std::is_same_v<H, MPI_Request>) {
    if (open_loans != 0) settle_loans(before, after);
  }
}

template <class H>
H handle(int value) {
  constexpr int first_index = 4096;  // below: the handle itself (MPI 5.0, section 20.3)
  if (value >= 0 && value < first_index) return reinterpret_cast<H>(static_cast<std::uintptr_t>(value));
  H found;
  from_int(value, found);
  return found;
}

// A handle that the call makes. Failed calls leave the INTEGER as it was.
template <class H>
class NewHandle {
 public:
  explicit NewHandle(int* place) : place_(place) {}
  NewHandle(const NewHandle&) = delete;
  NewHandle& operator=(const NewHandle&) = delete;
  ~NewHandle() {
    if (handle_ != nullptr) *place_ = to_int(handle_);  // no handle of the ABI is a null pointer
  }
  operator H*() { return &handle_; }

 private:
  int* place_;
  H handle_ = nullptr;
};

// A handle that the call takes and may change.
template <class H>
class KeptHandle {
 public:
  explicit KeptHandle(int* place) : place_(place), before_(handle<H>(*place)), handle_(before_) {}
  explicit KeptHandle(const int* place) : KeptHandle(const_cast<int*>(place)) {}  // calls that do not change it
  KeptHandle(const KeptHandle&) = delete;
  KeptHandle& operator=(const KeptHandle&) = delete;
  ~KeptHandle() {
    const int was = *place_;
    if (handle_ != before_) *place_ = to_int(handle_);
    settle<H>(was, *place_);
  }
  operator H*() { return &handle_; }

 private:
  int* place_;
  H before_, handle_;
};

// Arrays. Few handles need no memory.
template <class H>
class Handles {
 public:
  Handles(const int* values, int count) : size_(std::max(count, 0)) {
    if (size_ > kFew) many_.resize(static_cast<std::size_t>(size_));
    std::transform(values, values + size_, data(), handle<H>);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  operator H*() { return data(); }

 protected:
  static constexpr int kFew = 8;
  H* data() { return size_ > kFew ? many_.data() : few_.data(); }
  int size_;
  std::array<H, kFew> few_;
  std::vector<H> many_;
};

template <class H>
class KeptHandles : public Handles<H> {
 public:
  KeptHandles(int* values, int count) : Handles<H>(values, count), values_(values) {}
  ~KeptHandles() {
    for (int i = 0; i < this->size_; ++i) {
      const int before = values_[i];
      values_[i] = to_int(this->data()[i]);
      settle<H>(before, values_[i]);
    }
  }

 private:
  int* values_;
};

template <class H>
class NewHandles {
 public:
  NewHandles(int* values, int count) : values_(values), handles_(static_cast<std::size_t>(std::max(count, 0)), nullptr) {}
  NewHandles(const NewHandles&) = delete;
  NewHandles& operator=(const NewHandles&) = delete;
  ~NewHandles() {
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (handles_[i] != nullptr) values_[i] = to_int(handles_[i]);
    }
  }
  operator H*() { return handles_.data(); }

 private:
  int* values_;
  std::vector<H> handles_;
};

// How many datatypes the arrays of an alltoallw have; none count where MPI_IN_PLACE says that they are not looked at.
int member_count(int comm, const void* buffer = nullptr);  // of the group, of the remote group of an intercommunicator
int source_count(int comm);                                // neighbors that send to this process
int destination_count(int comm);

// ---- addresses that mean something else ----

inline void* buffer_at(const void* buffer) {
  if (buffer == mpi_fort_in_place_ || buffer == mpi_f08_in_place_) return MPI_IN_PLACE;
  if (buffer == mpi_fort_bottom_ || buffer == mpi_f08_bottom_) return MPI_BOTTOM;
  if (buffer == mpi_fort_buffer_automatic_ || buffer == mpi_f08_buffer_automatic_) return MPI_BUFFER_AUTOMATIC;
  return const_cast<void*>(buffer);
}
inline MPI_Status* status_at(const void* place) {
  if (place == mpi_fort_status_ignore_ || place == mpi_f08_status_ignore_) return MPI_STATUS_IGNORE;
  return static_cast<MPI_Status*>(const_cast<void*>(place));
}
inline MPI_Status* statuses_at(const void* place) {
  if (place == mpi_fort_statuses_ignore_ || place == mpi_f08_statuses_ignore_) return MPI_STATUSES_IGNORE;
  return static_cast<MPI_Status*>(const_cast<void*>(place));
}
inline int* weights_at(const int* place) {
  if (place == mpi_fort_unweighted_ || place == mpi_f08_unweighted_) return MPI_UNWEIGHTED;
  if (place == mpi_fort_weights_empty_ || place == mpi_f08_weights_empty_) return MPI_WEIGHTS_EMPTY;
  return const_cast<int*>(place);
}

// ---- strings: blanks at the end are padding in Fortran; those around keys and values of info objects are none of them ----

class Text {
 public:
  Text(const char* text, std::size_t length) : text_(text, length) { text_.erase(text_.find_last_not_of(' ') + 1); }
  operator const char*() const { return text_.c_str(); }

 protected:
  std::string text_;
};

class StrippedText : public Text {
 public:
  StrippedText(const char* text, std::size_t length) : Text(text, length) {
    text_.erase(0, std::min(text_.find_first_not_of(' '), text_.size()));
  }
};

void store_padded(const char* text, char* place, std::size_t length);

class NewText {
 public:
  NewText(char* place, std::size_t length) : place_(place), length_(length) { text_[0] = 0; }
  NewText(const NewText&) = delete;
  NewText& operator=(const NewText&) = delete;
  ~NewText() { store_padded(text_, place_, length_); }
  operator char*() { return text_; }

 private:
  char* place_;
  std::size_t length_;
  char text_[MPI_MAX_LIBRARY_VERSION_STRING + 1];  // the longest string that MPI has
};

// ---- numbers ----

// Elements of arrays count from 1 in Fortran.
class Index {
 public:
  explicit Index(int* place) : place_(place) {}
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;
  ~Index() {
    if (index_ != kNotStored) *place_ = index_ == MPI_UNDEFINED ? index_ : index_ + 1;
  }
  operator int*() { return &index_; }

 private:
  static constexpr int kNotStored = MPI_UNDEFINED - 1;
  int* place_;
  int index_ = kNotStored;
};

// The same for an array whose length is another result of the call.
class Indices {
 public:
  Indices(int* places, int* count) : places_(places), count_(count) { *count_ = MPI_UNDEFINED; }
  Indices(const Indices&) = delete;
  Indices& operator=(const Indices&) = delete;
  ~Indices() {
    for (int i = 0; i < *count_; ++i) ++places_[i];  // MPI_UNDEFINED is negative
  }
  operator int*() { return places_; }

 private:
  int* places_;
  int* count_;
};

// What MPI_Buffer_detach gives. Only mpi_f08 has a place for it (MPI 5.0, section 3.6).
class DetachedBuffer {
 public:
  explicit DetachedBuffer(void* place) : place_(static_cast<void**>(place)) {}
  DetachedBuffer(const DetachedBuffer&) = delete;
  DetachedBuffer& operator=(const DetachedBuffer&) = delete;
  ~DetachedBuffer() {
    if (place_ != nullptr) *place_ = buffer_ == MPI_BUFFER_AUTOMATIC ? mpi_f08_buffer_automatic_ : buffer_;
  }
  operator void*() { return &buffer_; }

 private:
  void** place_;
  void* buffer_ = nullptr;
};

// Any true value becomes C's 1. Back: C's 1 and 0 are gfortran's .true. and .false., so results need no conversion.
inline int true_or_false(const int* value) { return *value != 0 ? 1 : 0; }

// ierror is optional in mpi_f08.
inline void finish(int* ierror, int code) {
  if (ierror != nullptr) *ierror = code;
}

}  // namespace ompi_lite::fortran
