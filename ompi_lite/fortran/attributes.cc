// SPDX-License-Identifier: BSD-3-Clause
// Keyvals and attributes. An attribute of Fortran is an integer, one of C a pointer of the same size: each language sees the
// other's value as its own (MPI 5.0, section 19.3.7), and the predefined ones as integers.
#include <memory>

#include "ompi_lite/fortran/convert.h"
#include "ompi_lite/fortran/hand.h"

namespace ompi_lite::fortran {
namespace {

// A keyval lives as long as an attribute uses it, which no callback tells: its procedures stay for good, 24 bytes a keyval.
template <class Integer>  // MPI_Aint, or INTEGER for the functions of MPI-1
struct Keyval {
  void (*copy)(const int*, int*, Integer*, Integer*, Integer*, int*, int*);
  void (*remove)(const int*, int*, Integer*, Integer*, int*);
  Integer extra_state;
};

template <class Integer>
Integer value_of(void* attribute) {
  return static_cast<Integer>(reinterpret_cast<MPI_Aint>(attribute));
}
template <class Integer>
void* attribute_of(Integer value) {
  return reinterpret_cast<void*>(static_cast<MPI_Aint>(value));
}

template <class H, class Integer>
int copy(H object, int number, void* state, void* attribute_in, void* attribute_out, int* flag) {
  auto* own = static_cast<Keyval<Integer>*>(state);
  const int handle_of_object = to_int(object);
  Integer value_in = value_of<Integer>(attribute_in), value_out = 0;
  int code = MPI_SUCCESS;
  own->copy(&handle_of_object, &number, &own->extra_state, &value_in, &value_out, flag, &code);
  *flag = true_or_false(flag);
  if (code == MPI_SUCCESS && *flag != 0) *static_cast<void**>(attribute_out) = attribute_of(value_out);
  return code;
}

template <class H, class Integer>
int remove(H object, int number, void* attribute, void* state) {
  auto* own = static_cast<Keyval<Integer>*>(state);
  const int handle_of_object = to_int(object);
  Integer value = value_of<Integer>(attribute);
  int code = MPI_SUCCESS;
  own->remove(&handle_of_object, &number, &value, &own->extra_state, &code);
  return code;
}

template <class H, class Integer, class Create>
int create(Create* c_function, Procedure* copy_fn, Procedure* delete_fn, int* keyval, Integer extra_state) {
  using Own = Keyval<Integer>;
  auto own = std::make_unique<Own>(
      Own{reinterpret_cast<decltype(Own::copy)>(copy_fn), reinterpret_cast<decltype(Own::remove)>(delete_fn), extra_state});
  const int code = c_function(copy<H, Integer>, remove<H, Integer>, keyval, own.get());
  if (code == MPI_SUCCESS) (void)own.release();
  return code;
}

// C gets the address of a predefined attribute's value; MPI_WIN_BASE alone is an address itself (section 12.2.6).
MPI_Aint integer_of(int keyval, void* attribute) {
  switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
      return *static_cast<int*>(attribute);
    case MPI_WIN_SIZE:
      return *static_cast<MPI_Aint*>(attribute);
    default:
      return value_of<MPI_Aint>(attribute);
  }
}

template <class H, class Integer, class Get>
int get(Get* c_function, const int* object, const int* keyval, Integer* attribute_val, int* flag) {
  void* attribute = nullptr;
  int found = 0;
  const int code = c_function(handle<H>(*object), *keyval, &attribute, &found);
  if (code != MPI_SUCCESS) return code;
  *flag = found;
  if (found != 0) *attribute_val = static_cast<Integer>(integer_of(*keyval, attribute));
  return code;
}

template <class Integer>
void duplicate(const int*, int*, Integer*, Integer* value_in, Integer* value_out, int* flag, int* code) {
  *value_out = *value_in;
  *flag = 1;
  *code = MPI_SUCCESS;
}
template <class Integer>
void do_not_copy(const int*, int*, Integer*, Integer*, Integer*, int* flag, int* code) {
  *flag = 0;
  *code = MPI_SUCCESS;
}
template <class Integer>
void do_nothing(const int*, int*, Integer*, Integer*, int* code) {
  *code = MPI_SUCCESS;
}

}  // namespace

int comm_create_keyval(Procedure* copy_fn, Procedure* delete_fn, int* keyval, const MPI_Aint* extra_state) {
  return create<MPI_Comm>(OLMPI_Comm_create_keyval, copy_fn, delete_fn, keyval, *extra_state);
}
int type_create_keyval(Procedure* copy_fn, Procedure* delete_fn, int* keyval, const MPI_Aint* extra_state) {
  return create<MPI_Datatype>(OLMPI_Type_create_keyval, copy_fn, delete_fn, keyval, *extra_state);
}
int win_create_keyval(Procedure* copy_fn, Procedure* delete_fn, int* keyval, const MPI_Aint* extra_state) {
  return create<MPI_Win>(OLMPI_Win_create_keyval, copy_fn, delete_fn, keyval, *extra_state);
}
int keyval_create(Procedure* copy_fn, Procedure* delete_fn, int* keyval, const int* extra_state) {
  return create<MPI_Comm>(OLMPI_Keyval_create, copy_fn, delete_fn, keyval, *extra_state);
}

int comm_get_attr(const int* comm, const int* keyval, MPI_Aint* attribute_val, int* flag) {
  return get<MPI_Comm>(OLMPI_Comm_get_attr, comm, keyval, attribute_val, flag);
}
int type_get_attr(const int* datatype, const int* keyval, MPI_Aint* attribute_val, int* flag) {
  return get<MPI_Datatype>(OLMPI_Type_get_attr, datatype, keyval, attribute_val, flag);
}
int win_get_attr(const int* win, const int* keyval, MPI_Aint* attribute_val, int* flag) {
  return get<MPI_Win>(OLMPI_Win_get_attr, win, keyval, attribute_val, flag);
}
int attr_get(const int* comm, const int* keyval, int* attribute_val, int* flag) {
  return get<MPI_Comm>(OLMPI_Attr_get, comm, keyval, attribute_val, flag);
}

}  // namespace ompi_lite::fortran

// The predefined callbacks are procedures like any other.
namespace fortran = ompi_lite::fortran;
extern "C" {
#pragma GCC visibility push(default)
using Handle = const int;
void mpi_comm_dup_fn_(Handle* h, int* k, MPI_Aint* s, MPI_Aint* in, MPI_Aint* out, int* f, int* c) {
  fortran::duplicate(h, k, s, in, out, f, c);
}
void mpi_type_dup_fn_(Handle* h, int* k, MPI_Aint* s, MPI_Aint* in, MPI_Aint* out, int* f, int* c) {
  fortran::duplicate(h, k, s, in, out, f, c);
}
void mpi_win_dup_fn_(Handle* h, int* k, MPI_Aint* s, MPI_Aint* in, MPI_Aint* out, int* f, int* c) {
  fortran::duplicate(h, k, s, in, out, f, c);
}
void mpi_dup_fn_(Handle* h, int* k, int* s, int* in, int* out, int* f, int* c) {
  fortran::duplicate(h, k, s, in, out, f, c);
}
void mpi_comm_null_copy_fn_(Handle* h, int* k, MPI_Aint* s, MPI_Aint* in, MPI_Aint* out, int* f, int* c) {
  fortran::do_not_copy(h, k, s, in, out, f, c);
}
void mpi_type_null_copy_fn_(Handle* h, int* k, MPI_Aint* s, MPI_Aint* in, MPI_Aint* out, int* f, int* c) {
  fortran::do_not_copy(h, k, s, in, out, f, c);
}
void mpi_win_null_copy_fn_(Handle* h, int* k, MPI_Aint* s, MPI_Aint* in, MPI_Aint* out, int* f, int* c) {
  fortran::do_not_copy(h, k, s, in, out, f, c);
}
void mpi_null_copy_fn_(Handle* h, int* k, int* s, int* in, int* out, int* f, int* c) {
  fortran::do_not_copy(h, k, s, in, out, f, c);
}
void mpi_comm_null_delete_fn_(Handle* h, int* k, MPI_Aint* v, MPI_Aint* s, int* c) { fortran::do_nothing(h, k, v, s, c); }
void mpi_type_null_delete_fn_(Handle* h, int* k, MPI_Aint* v, MPI_Aint* s, int* c) { fortran::do_nothing(h, k, v, s, c); }
void mpi_win_null_delete_fn_(Handle* h, int* k, MPI_Aint* v, MPI_Aint* s, int* c) { fortran::do_nothing(h, k, v, s, c); }
void mpi_null_delete_fn_(Handle* h, int* k, int* v, int* s, int* c) { fortran::do_nothing(h, k, v, s, c); }
#pragma GCC visibility pop
}
