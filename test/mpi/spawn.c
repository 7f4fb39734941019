// SPDX-License-Identifier: BSD-3-Clause
// Process creation (MPI 5.0, section 11.8): what children and parents see, errors, children of children.
// run: np=1,2,3 timeout=60
#include "../support/check.h"

#include <unistd.h>

static char* program;

// One message each way between all pairs of the two groups, large ones too.
static void talk(MPI_Comm inter) {
  enum { large = 300000 };
  int here, there;
  MPI_Comm_size(inter, &here);
  MPI_Comm_remote_size(inter, &there);
  int* out = must_alloc(large * sizeof(int));
  int* in = must_alloc(large * sizeof(int));
  int rank;
  MPI_Comm_rank(inter, &rank);
  for (int peer = 0; peer < there; peer++) {
    for (int count = 1; count <= large; count += large - 1) {
      MPI_Request request;
      for (int i = 0; i < count; i++) out[i] = rank * 1000 + peer + i;
      MPI_Isend(out, count, MPI_INT, peer, count, inter, &request);
      MPI_Recv(in, count, MPI_INT, peer, count, inter, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(in[count - 1] == peer * 1000 + rank + count - 1, "from %d: %d", peer, in[count - 1]);
    }
  }
  free(out);
  free(in);
}

static int child(MPI_Comm parent, int argc, char** argv) {
  int flag, *value, high = 1;
  MPI_Comm all, again;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_get_parent(&again);
  CHECK(again == parent, "MPI_Comm_get_parent gives another handle");
  MPI_Comm_get_name(parent, name, &flag);
  CHECK(strcmp(name, "MPI_COMM_PARENT") == 0, "the name is %s", name);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
  CHECK(flag, "MPI_APPNUM is not set");
  if (strcmp(argv[1], "child") == 0) {
    CHECK(argc == 3 && strcmp(argv[2], "an argument") == 0, "%d arguments, %s", argc, argv[argc - 1]);
    CHECK(*value == 0, "MPI_APPNUM is %d", *value);
  } else if (strcmp(argv[1], "parts") == 0) {
    CHECK(*value == (world_rank >= 1), "MPI_APPNUM is %d on rank %d", *value, world_rank);
    CHECK(strcmp(argv[2], world_rank >= 1 ? "b" : "a") == 0, "argument %s", argv[2]);
  } else if (strcmp(argv[1], "info") == 0) {
    char folder[64];
    MPI_Errhandler handler;
    CHECK(strcmp(getcwd(folder, sizeof folder), "/tmp") == 0, "working folder %s", folder);
    CHECK(*value == 7, "MPI_APPNUM is %d", *value);
    CHECK(getenv("SPAWN_TEST") != NULL && strcmp(getenv("SPAWN_TEST"), "x=y") == 0, "env is %s", getenv("SPAWN_TEST"));
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    CHECK(handler == MPI_ERRORS_RETURN, "the initial error handler is not MPI_ERRORS_RETURN");
    CHECK(world_size == 3, "soft gave %d processes", world_size);
  } else if (strcmp(argv[1], "grandparent") == 0) {
    MPI_Comm grandchildren;
    char* arguments[] = {"child", "an argument", NULL};
    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &grandchildren, MPI_ERRCODES_IGNORE);
    talk(grandchildren);
    MPI_Intercomm_merge(grandchildren, 0, &all);
    int ones = 0, me = 1;
    MPI_Allreduce(&me, &ones, 1, MPI_INT, MPI_SUM, all);
    CHECK(ones == 3, "%d processes", ones);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&grandchildren);
  }
  talk(parent);
  MPI_Intercomm_merge(parent, high, &all);
  int sum = 0, one = 1, size;
  MPI_Comm_size(all, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == size, "sum %d of %d", sum, size);
  MPI_Comm_free(&all);
  if (strcmp(argv[1], "info") == 0)
    MPI_Comm_free(&parent);  // as the parents do
  else
    MPI_Comm_disconnect(&parent);
  MPI_Comm_get_parent(&parent);
  CHECK(parent == MPI_COMM_NULL, "the parents are still there");
  MPI_Finalize();
  return 0;
}

static void meet(MPI_Comm inter, int wanted) {
  MPI_Comm all;
  int size, rank, sum = 0, one = 1, there;
  MPI_Comm_remote_size(inter, &there);
  CHECK(there == wanted, "%d children, %d asked for", there, wanted);
  talk(inter);
  MPI_Intercomm_merge(inter, 0, &all);
  MPI_Comm_size(all, &size);
  MPI_Comm_rank(all, &rank);
  CHECK(rank == world_rank && size == world_size + there, "rank %d of %d", rank, size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == size, "sum %d of %d", sum, size);
  MPI_Comm_free(&all);
}

static void parts(void) {
  MPI_Comm children;
  char* a[] = {"parts", "a", NULL};
  char* b[] = {"parts", "b", NULL};
  char** arguments[] = {a, b};
  char* commands[] = {program, program};
  int processes[] = {1, 2}, codes[3] = {-1, -1, -1};
  MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm_spawn_multiple(2, commands, arguments, processes, infos, 0, MPI_COMM_WORLD, &children, codes);
  for (int i = 0; i < 3; i++) CHECK(codes[i] == MPI_SUCCESS, "code %d is %d", i, codes[i]);
  meet(children, 3);
  MPI_Comm_disconnect(&children);
}

static void infos(void) {
  MPI_Comm children;
  MPI_Info info;
  char* arguments[] = {"info", NULL};
  int codes[4] = {-1, -1, -1, -1};
  char path[4096];
  CHECK(realpath(program, path) != NULL, "no path of %s", program);
  MPI_Info_create(&info);
  MPI_Info_set(info, "wdir", "/tmp");
  MPI_Info_set(info, "host", "localhost");
  MPI_Info_set(info, "appnum", "7");
  MPI_Info_set(info, "soft", "1:9:2");
  MPI_Info_set(info, "env", "SPAWN_TEST=x=y");
  MPI_Info_set(info, "mpi_initial_errhandler", "MPI_ERRORS_RETURN");
  MPI_Info_set(info, "a_key_that_nobody_knows", "1");
  MPI_Comm_spawn(path, arguments, 4, info, world_size - 1, MPI_COMM_WORLD, &children, codes);
  MPI_Info_free(&info);
  for (int i = 0; i < 4; i++)
    CHECK(i < 3 ? codes[i] == MPI_SUCCESS : error_class(codes[i]) == MPI_ERR_SPAWN, "code %d is %d", i, codes[i]);
  meet(children, 3);
  MPI_Comm_free(&children);
}

static void mistakes(void) {
  MPI_Comm children = MPI_COMM_WORLD;
  MPI_Info info;
  int codes[2] = {0, 0};
  errors_return(MPI_COMM_WORLD);
  CHECK_CLASS(MPI_Comm_spawn("/nonexistent/program", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, codes),
              MPI_ERR_SPAWN);
  CHECK(children == MPI_COMM_NULL, "there is an intercommunicator");
  CHECK(error_class(codes[0]) == MPI_ERR_SPAWN && error_class(codes[1]) == MPI_ERR_SPAWN, "codes %d %d", codes[0], codes[1]);
  CHECK_CLASS(MPI_Comm_spawn("/", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE),
              MPI_ERR_SPAWN);
  MPI_Info_create(&info);
  MPI_Info_set(info, "host", "no-such-host.invalid");
  CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE),
              MPI_ERR_SPAWN);
  MPI_Info_delete(info, "host");
  MPI_Info_set(info, "wdir", "/nonexistent");
  CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE),
              MPI_ERR_SPAWN);
  MPI_Info_delete(info, "wdir");
  MPI_Info_set(info, "soft", "x");
  CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE),
              MPI_ERR_INFO_VALUE);
  MPI_Info_free(&info);
  CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, -1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE),
              MPI_ERR_ARG);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  MPI_Comm parent, children;
  check_start(&argc, &argv);
  program = argv[0];
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return child(parent, argc, argv);
  char* arguments[] = {"child", "an argument", NULL};
  MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  meet(children, 2);
  MPI_Comm_disconnect(&children);
  char* grandparent[] = {"grandparent", NULL};
  MPI_Comm_spawn(program, grandparent, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  meet(children, 1);
  MPI_Comm_disconnect(&children);
  parts();
  infos();
  mistakes();
  return check_finish();
}
