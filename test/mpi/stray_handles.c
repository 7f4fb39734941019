// SPDX-License-Identifier: BSD-3-Clause
// Values that are no handles: those of other libraries, addresses of other things, objects that were freed or are of another
// kind. Each gives an error of the right class, and the library goes on working.
// run: np=1,2 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <sys/mman.h>

#include "../support/check.h"

enum { kValues = 10 };
static uintptr_t values[kValues];

static void collect_values(void) {
  static uint64_t zeros[16], ones[16];
  uint64_t on_stack[16] = {0};
  uint64_t* on_heap = must_alloc(256);
  void* forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(ones, 0xff, sizeof ones);
  memset(on_heap, 0x5a, 256);
  uintptr_t all[kValues] = {
      0x44000000,  // MPI_COMM_WORLD of another library
      0x4c000405,  // its MPI_INT
      0x2c000000,          4096, (uintptr_t)zeros, (uintptr_t)ones, (uintptr_t)on_stack, (uintptr_t)on_heap, UINTPTR_MAX - 7,
      (uintptr_t)forbidden};
  memcpy(values, all, sizeof values);
}

static void not_a(uintptr_t value) {
  int size = 0, flag = 0, number = 1;
  char buffer[8] = {0};
  MPI_Comm comm = (MPI_Comm)value, made;
  MPI_Datatype type = (MPI_Datatype)value, made_type;
  MPI_Group group = (MPI_Group)value, made_group;
  MPI_Info info = (MPI_Info)value;
  MPI_Request request = (MPI_Request)value, requests[3] = {MPI_REQUEST_NULL, request, MPI_REQUEST_NULL};
  MPI_Errhandler handler = (MPI_Errhandler)value;
  MPI_Op op = (MPI_Op)value;
  CHECK_CLASS(MPI_Comm_size(comm, &size), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Send(buffer, 1, MPI_CHAR, 0, 0, comm), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Barrier(comm), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Comm_dup(comm, &made), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Comm_free(&comm), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Comm_compare(MPI_COMM_WORLD, comm, &flag), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Type_size(type, &size), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_contiguous(2, type, &made_type), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Send(buffer, 1, type, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Bcast(buffer, 1, type, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Group_size(group, &size), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Comm_create(MPI_COMM_SELF, group, &made), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Group_incl(group, 1, &number, &made_group), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Info_set(info, "key", "value"), MPI_ERR_INFO);
  CHECK_CLASS(MPI_Info_free(&info), MPI_ERR_INFO);
  CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Testany(3, requests, &size, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
  CHECK(requests[1] == request, "the array was changed");
  CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler), MPI_ERR_ERRHANDLER);
  CHECK_CLASS(MPI_Allreduce(&number, &size, 1, MPI_INT, op, MPI_COMM_SELF), MPI_ERR_OP);
  CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
  MPI_Message message = (MPI_Message)value;
  if (value != values[kValues - 1])  // which message it is has to be read
    CHECK_CLASS(MPI_Mrecv(buffer, 1, MPI_CHAR, &message, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
}

// A handle that was freed, also when other objects of its kind were made since.
static void freed(void) {
  MPI_Comm comm, others[4];
  MPI_Group group;
  MPI_Datatype type;
  MPI_Info info;
  int size = 0;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm old_comm = comm;
  MPI_Comm_dup(MPI_COMM_SELF, &others[0]);
  MPI_Comm_free(&comm);
  CHECK_CLASS(MPI_Comm_size(old_comm, &size), MPI_ERR_COMM);
  MPI_Comm_free(&others[0]);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group other;
  MPI_Group_incl(group, 0, &size, &other);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Datatype old_type = type;
  MPI_Type_free(&type);
  CHECK_CLASS(MPI_Type_size(old_type, &size), MPI_ERR_TYPE);
  MPI_Info_create(&info);
  MPI_Info old_info = info;
  MPI_Info_free(&info);
  CHECK_CLASS(MPI_Info_get_nkeys(old_info, &size), MPI_ERR_INFO);
  MPI_Group_free(&group);
}

// Every kind where every other one is wanted.
static void mixed(void) {
  MPI_Comm comm;
  MPI_Group group;
  MPI_Datatype type;
  MPI_Info info;
  int size = 0;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_group(comm, &group);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Info_create(&info);
  CHECK_CLASS(MPI_Comm_size((MPI_Comm)group, &size), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Comm_size((MPI_Comm)MPI_INT, &size), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Group_size((MPI_Group)comm, &size), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Group_size((MPI_Group)MPI_COMM_WORLD, &size), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Type_size((MPI_Datatype)info, &size), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_size((MPI_Datatype)MPI_SUM, &size), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Info_get_nkeys((MPI_Info)type, &size), MPI_ERR_INFO);
  MPI_Request request = (MPI_Request)comm;
  CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
  MPI_Info_free(&info);
  MPI_Type_free(&type);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
}

// What a failed call would have made is NULL, so that a use of it is an error too.
static void nothing_made(void) {
  int dims[2] = {world_size + 1, 2}, periods[2] = {0, 0};
  MPI_Comm grid = (MPI_Comm)0x44000000;
  MPI_Datatype type = (MPI_Datatype)0x4c000405;
  CHECK_CLASS(MPI_Type_vector(1, -2, 1, MPI_INT, &type), MPI_ERR_ARG);
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid) != MPI_SUCCESS, "the grid is too large");
  CHECK(grid == MPI_COMM_NULL, "%p", (void*)grid);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  errors_return(MPI_COMM_WORLD);
  errors_return(MPI_COMM_SELF);
  collect_values();
  for (int i = 0; i < kValues; i++) not_a(values[i]);
  freed();
  mixed();
  nothing_made();
  int sum = 0, one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == world_size, "%d", sum);
  return check_finish();
}
