// SPDX-License-Identifier: BSD-3-Clause
// Error handlers, classes, codes and texts.
// run: np=1,2,3 timeout=60
#include "../support/check.h"

static int called, last_code;
static MPI_Comm last_comm;

static void note(MPI_Comm* comm, int* code, ...) {
  called++;
  last_code = *code;
  last_comm = *comm;
}

static void user_handler(void) {
  MPI_Errhandler handler, got;
  MPI_Comm dup, child;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_set_errhandler(dup, handler);
  MPI_Comm_get_errhandler(dup, &got);
  CHECK(got == handler, "another handler");
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL, "the handle of a freed handler");
  const int value = 1;
  called = 0;
  const int code = MPI_Send(&value, 1, MPI_INT, world_size, 0, dup);
  CHECK(called == 1 && last_code == code && last_comm == dup && error_class(code) == MPI_ERR_RANK,
        "called %d times with code %d, class %d", called, last_code, error_class(code));
  MPI_Comm_dup(dup, &child);  // a new communicator takes the handler over
  MPI_Send(&value, 1, MPI_INT, -77, 0, child);
  CHECK(called == 2 && last_comm == child, "called %d times", called);
  MPI_Comm_call_errhandler(dup, MPI_ERR_OTHER);
  CHECK(called == 3 && last_code == MPI_ERR_OTHER && last_comm == dup, "called %d times with %d", called, last_code);
  MPI_Comm_free(&child);
  MPI_Comm_free(&dup);
}

static void predefined_handlers(void) {
  MPI_Errhandler got;
  MPI_Comm dup;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
  CHECK(got == MPI_ERRORS_ARE_FATAL, "the first handler of MPI_COMM_WORLD");
  MPI_Errhandler_free(&got);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  errors_return(dup);
  MPI_Comm_get_errhandler(dup, &got);
  CHECK(got == MPI_ERRORS_RETURN, "MPI_ERRORS_RETURN was set");
  MPI_Errhandler_free(&got);
  CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, world_size, 0, dup), MPI_ERR_RANK);
  MPI_Comm_free(&dup);
}

static void classes_and_texts(void) {
  const int classes[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT,  MPI_ERR_TYPE,   MPI_ERR_TAG,      MPI_ERR_COMM,    MPI_ERR_RANK,
                         MPI_ERR_ROOT,   MPI_ERR_GROUP,  MPI_ERR_OP,     MPI_ERR_TRUNCATE, MPI_ERR_REQUEST, MPI_ERR_ARG,
                         MPI_ERR_OTHER,  MPI_ERR_INTERN, MPI_ERR_NO_MEM, MPI_ERR_INFO_KEY, MPI_ERR_KEYVAL,  MPI_ERR_WIN};
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    CHECK(error_class(classes[i]) == classes[i], "class of class %d is %d", classes[i], error_class(classes[i]));
    CHECK(strlen(error_text(classes[i])) > 0, "class %d has no text", classes[i]);
    CHECK(classes[i] > MPI_SUCCESS && classes[i] <= MPI_ERR_LASTCODE, "class %d", classes[i]);
  }
  CHECK(error_class(MPI_SUCCESS) == MPI_SUCCESS, "class of success");
}

static void own_codes(void) {
  int class = -1, code = -1, *last = NULL, flag = -1;
  MPI_Add_error_class(&class);
  CHECK(class > MPI_ERR_LASTCODE, "class %d", class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(class, "a class of its own");
  MPI_Add_error_string(code, "a code of its own");
  CHECK(strcmp(error_text(class), "a class of its own") == 0, "text %s", error_text(class));
  CHECK(strcmp(error_text(code), "a code of its own") == 0, "text %s", error_text(code));
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
  CHECK(flag && *last >= code, "last used code %d, code %d", *last, code);
  CHECK(error_class(code) == class, "class of the code is %d, expected %d", error_class(code), class);
  // What others hang on stays: the string of a code, the codes and the string of a class.
  errors_return(MPI_COMM_WORLD);
  errors_return(MPI_COMM_SELF);
  CHECK_CLASS(MPI_Remove_error_class(class), MPI_ERR_OTHER);
  CHECK_CLASS(MPI_Remove_error_code(code), MPI_ERR_OTHER);
  CHECK_CLASS(MPI_Remove_error_string(code), MPI_SUCCESS);
  CHECK_CLASS(MPI_Remove_error_code(code), MPI_SUCCESS);
  CHECK_CLASS(MPI_Remove_error_code(code), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Remove_error_class(class), MPI_ERR_OTHER);
  CHECK_CLASS(MPI_Remove_error_string(class), MPI_SUCCESS);
  CHECK_CLASS(MPI_Remove_error_class(class), MPI_SUCCESS);
}

static void bad_requests(void) {
  int done = -1;
  errors_return(MPI_COMM_WORLD);
  errors_return(MPI_COMM_SELF);
  CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &done), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Type_size(MPI_DATATYPE_NULL, &done), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Comm_rank(MPI_COMM_NULL, &done), MPI_ERR_COMM);
  int key = MPI_TAG_UB;
  CHECK(MPI_Comm_free_keyval(&key) != MPI_SUCCESS, "a predefined key was freed");
  MPI_Datatype type = MPI_INT;
  CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_TYPE);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL) != MPI_SUCCESS, "a null handler was set");
  MPI_Info info;
  MPI_Info_create(&info);
  CHECK_CLASS(MPI_Info_delete(info, "absent"), MPI_ERR_INFO_NOKEY);
  char key_text[MPI_MAX_INFO_KEY + 1];
  CHECK(MPI_Info_get_nthkey(info, 0, key_text) != MPI_SUCCESS, "a key of an empty info");
  MPI_Info_free(&info);
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
  MPI_Comm world = MPI_COMM_WORLD;
  CHECK_CLASS(MPI_Comm_free(&world), MPI_ERR_COMM);
}

// The old spelling of "in place": each rank sends from the place where its own block lands. An error on every rank.
static void own_block_as_send_buffer(void) {
  int all[16] = {0}, counts[16], displacements[16];
  for (int i = 0; i < world_size; i++) counts[i] = 1, displacements[i] = world_size - 1 - i;
  errors_return(MPI_COMM_WORLD);
  CHECK_CLASS(MPI_Allgather(&all[world_rank], 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Allgatherv(&all[displacements[world_rank]], 1, MPI_INT, all, counts, displacements, MPI_INT, MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Allgather(&all[world_size + 1], 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
  CHECK_CLASS(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  predefined_handlers();
  user_handler();
  classes_and_texts();
  bad_requests();
  own_codes();
  own_block_as_send_buffer();
  return check_finish();
}
