// SPDX-License-Identifier: BSD-3-Clause
// Functions of the application that the C library calls: each is reached through a C function that converts the arguments.
// Which one is meant travels as the context that mpix.h gives to callbacks, or as extra_state.
#include <cstdarg>
#include <memory>

#include "ompi_lite/fortran/convert.h"
#include "ompi_lite/fortran/hand.h"
#include "ompi_lite/include/mpix.h"

extern "C" void mpi_conversion_fn_null_();
extern "C" void mpi_conversion_fn_null_c_();

namespace ompi_lite::fortran {
namespace {

void* as_context(Procedure* function) { return reinterpret_cast<void*>(function); }

template <class Length>
void reduce(void* invec, void* inoutvec, Length* len, MPI_Datatype* datatype, void* context) {
  int type = to_int(*datatype);
  reinterpret_cast<void (*)(void*, void*, Length*, int*)>(context)(invec, inoutvec, len, &type);
}

template <class H>
void handle_error(H* object, int* error_code, ...) {
  va_list rest;
  va_start(rest, error_code);
  void* context = va_arg(rest, void*);
  va_end(rest);
  int value = to_int(*object);
  reinterpret_cast<void (*)(int*, int*)>(context)(&value, error_code);
}

struct Generalized {
  void (*query)(MPI_Aint*, MPI_Status*, int*);
  void (*free)(MPI_Aint*, int*);
  void (*cancel)(MPI_Aint*, int*, int*);
  MPI_Aint extra_state;
};

int query(void* state, MPI_Status* status) {
  auto* own = static_cast<Generalized*>(state);
  int code = MPI_SUCCESS;
  own->query(&own->extra_state, status, &code);
  return code;
}
int free(void* state) {
  const std::unique_ptr<Generalized> own(static_cast<Generalized*>(state));  // the last call for this request
  int code = MPI_SUCCESS;
  own->free(&own->extra_state, &code);
  return code;
}
int cancel(void* state, int complete) {
  auto* own = static_cast<Generalized*>(state);
  int code = MPI_SUCCESS;
  own->cancel(&own->extra_state, &complete, &code);
  return code;
}

template <class Count>
struct Representation {
  using Convert = void(void*, int*, Count*, void*, MPI_Offset*, MPI_Aint*, int*);
  Convert* read;
  Convert* write;
  void (*extent)(int*, MPI_Aint*, MPI_Aint*, int*);
  MPI_Aint extra_state;

  template <Convert* Representation::*which>
  static int convert(void* userbuf, MPI_Datatype datatype, Count count, void* filebuf, MPI_Offset position, void* state) {
    auto* own = static_cast<Representation*>(state);
    int type = to_int(datatype), code = MPI_SUCCESS;
    (own->*which)(userbuf, &type, &count, filebuf, &position, &own->extra_state, &code);
    return code;
  }
  static int find_extent(MPI_Datatype datatype, MPI_Aint* extent, void* state) {
    auto* own = static_cast<Representation*>(state);
    int type = to_int(datatype), code = MPI_SUCCESS;
    own->extent(&type, extent, &own->extra_state, &code);
    return code;
  }
};

// A data representation lasts until MPI_Finalize, and so does what belongs to it.
template <class Count, class Register>
int register_with(Register* c_function, Procedure* null_function, const Text& datarep, Procedure* read, Procedure* write,
                  Procedure* extent, MPI_Aint extra_state) {
  using Own = Representation<Count>;
  auto* own = new Own{reinterpret_cast<typename Own::Convert*>(read), reinterpret_cast<typename Own::Convert*>(write),
                      reinterpret_cast<decltype(Own::extent)>(extent), extra_state};
  return c_function(datarep, read == null_function ? nullptr : &Own::template convert<&Own::read>,
                    write == null_function ? nullptr : &Own::template convert<&Own::write>, &Own::find_extent, own);
}

}  // namespace

int op_create(Procedure* user_fn, const int* commute, int* op) {
  return MPIX_Op_create_x(reduce<int>, as_context(user_fn), true_or_false(commute), NewHandle<MPI_Op>(op));
}
int op_create_c(Procedure* user_fn, const int* commute, int* op) {
  return MPIX_Op_create_c_x(reduce<MPI_Count>, as_context(user_fn), true_or_false(commute), NewHandle<MPI_Op>(op));
}

int comm_create_errhandler(Procedure* function, int* errhandler) {
  return MPIX_Comm_create_errhandler_x(handle_error<MPI_Comm>, as_context(function), NewHandle<MPI_Errhandler>(errhandler));
}
int file_create_errhandler(Procedure* function, int* errhandler) {
  return MPIX_File_create_errhandler_x(handle_error<MPI_File>, as_context(function), NewHandle<MPI_Errhandler>(errhandler));
}
int session_create_errhandler(Procedure* function, int* errhandler) {
  return MPIX_Session_create_errhandler_x(handle_error<MPI_Session>, as_context(function),
                                          NewHandle<MPI_Errhandler>(errhandler));
}
int win_create_errhandler(Procedure* function, int* errhandler) {
  return MPIX_Win_create_errhandler_x(handle_error<MPI_Win>, as_context(function), NewHandle<MPI_Errhandler>(errhandler));
}

int grequest_start(Procedure* query_fn, Procedure* free_fn, Procedure* cancel_fn, const MPI_Aint* extra_state,
                   int* request) {
  auto own = std::make_unique<Generalized>(Generalized{
      reinterpret_cast<decltype(Generalized::query)>(query_fn), reinterpret_cast<decltype(Generalized::free)>(free_fn),
      reinterpret_cast<decltype(Generalized::cancel)>(cancel_fn), *extra_state});
  const int code = OLMPI_Grequest_start(query, free, cancel, own.get(), NewHandle<MPI_Request>(request));
  if (code == MPI_SUCCESS) (void)own.release();  // to free()
  return code;
}

int register_datarep(const char* datarep, Procedure* read, Procedure* write, Procedure* extent, const MPI_Aint* extra_state,
                     std::size_t datarep_length) {
  return register_with<int>(OLMPI_Register_datarep, mpi_conversion_fn_null_, Text(datarep, datarep_length), read, write,
                            extent, *extra_state);
}
int register_datarep_c(const char* datarep, Procedure* read, Procedure* write, Procedure* extent,
                       const MPI_Aint* extra_state, std::size_t datarep_length) {
  return register_with<MPI_Count>(OLMPI_Register_datarep_c, mpi_conversion_fn_null_c_, Text(datarep, datarep_length), read,
                                  write, extent, *extra_state);
}

}  // namespace ompi_lite::fortran

// Recognized by their addresses, never called.
extern "C" __attribute__((visibility("default"))) void mpi_conversion_fn_null_() {}
extern "C" __attribute__((visibility("default"))) void mpi_conversion_fn_null_c_() {}
