// SPDX-License-Identifier: BSD-3-Clause
// The tool information interface before MPI_Init, while MPI works and after MPI_Finalize: every variable and category, values
// that are right, and the codes that the standard names for what is wrong.
// run: np=1,2,4 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

#define CODE(call, wanted) check_code(__LINE__, #call, (call), (wanted))

static void check_code(int line, const char* call, int code, int wanted) {
  CHECK(code == wanted, "line %d: %s gives %d, expected %d", line, call, code, wanted);
}

static void not_initialized(void) {
  int n;
  MPI_T_pvar_session session;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  CODE(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
  CODE(MPI_T_pvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
  CODE(MPI_T_category_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
  CODE(MPI_T_category_changed(&n), MPI_T_ERR_NOT_INITIALIZED);
  CODE(MPI_T_event_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
  CODE(MPI_T_source_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
  CODE(MPI_T_pvar_session_create(&session), MPI_T_ERR_NOT_INITIALIZED);
  CODE(MPI_T_cvar_read(handle, &n), MPI_T_ERR_NOT_INITIALIZED);
  CODE(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
}

static int cvar(const char* name) {
  int index = -1;
  CODE(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
  return index;
}

static void check_enum(MPI_T_enum items) {
  int n = 0, value, length = 0;
  char name[64];
  if (items == MPI_T_ENUM_NULL) return;
  CODE(MPI_T_enum_get_info(items, &n, NULL, &length), MPI_SUCCESS);
  CHECK(n > 1 && length > 1, "%d items, a name of %d", n, length);
  for (int i = 0; i < n; i++) {
    length = sizeof name;
    CODE(MPI_T_enum_get_item(items, i, &value, name, &length), MPI_SUCCESS);
    CHECK(length == (int)strlen(name) + 1, "%d for %s", length, name);
  }
  CODE(MPI_T_enum_get_item(items, n, &value, name, &length), MPI_T_ERR_INVALID_ITEM);
}

// Every control variable: its facts, its value, and its value written back if that is allowed now.
static void all_cvars(int initialized) {
  int n = 0;
  CODE(MPI_T_cvar_get_num(&n), MPI_SUCCESS);
  CHECK(n > 5, "%d", n);
  for (int i = 0; i < n; i++) {
    char name[128], cut[4] = "....", desc[1024];
    int name_len = sizeof name, cut_len = 3, desc_len = sizeof desc, verbosity, bind, scope, count, index;
    MPI_Datatype type;
    MPI_T_enum items;
    MPI_T_cvar_handle handle;
    CODE(MPI_T_cvar_get_info(i, name, &name_len, &verbosity, &type, &items, desc, &desc_len, &bind, &scope), MPI_SUCCESS);
    CHECK(name_len == (int)strlen(name) + 1 && desc_len > 10, "%s: %d, %d", name, name_len, desc_len);
    CHECK(bind == MPI_T_BIND_NO_OBJECT && scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ, "%d %d", bind,
          scope);
    CODE(MPI_T_cvar_get_info(i, cut, &cut_len, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
    CHECK(cut_len == name_len && cut[2] == '\0' && cut[3] == '.' && strncmp(cut, name, 2) == 0, "%s of %s", cut, name);
    CODE(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
    CHECK(index == i, "%s is %d and %d", name, i, index);
    check_enum(items);
    CODE(MPI_T_cvar_handle_alloc(i, NULL, &handle, &count), MPI_SUCCESS);
    CHECK(type == MPI_INT || type == MPI_COUNT || type == MPI_DOUBLE || type == MPI_CHAR, "%s has another type", name);
    char value[4096];
    CHECK(count <= (int)sizeof value, "%d", count);
    CODE(MPI_T_cvar_read(handle, value), MPI_SUCCESS);
    const int code = MPI_T_cvar_write(handle, value);
    CHECK(code == MPI_SUCCESS || (initialized && code == MPI_T_ERR_CVAR_SET_NOT_NOW), "%s: %d", name, code);
    CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL, "%s: the handle stays", name);
    CODE(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
  }
  int index;
  MPI_T_cvar_handle handle;
  CODE(MPI_T_cvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
  CODE(MPI_T_cvar_handle_alloc(-1, NULL, &handle, &index), MPI_T_ERR_INVALID_INDEX);
  CODE(MPI_T_cvar_get_index("no such variable", &index), MPI_T_ERR_INVALID_NAME);
  CODE(MPI_T_cvar_get_index(NULL, &index), MPI_T_ERR_INVALID);
}

static MPI_Count count_of(const char* name) {
  MPI_T_cvar_handle handle;
  MPI_Count value = -1;
  int count;
  CODE(MPI_T_cvar_handle_alloc(cvar(name), NULL, &handle, &count), MPI_SUCCESS);
  CODE(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
  CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
  return value;
}

static void set_count(const char* name, MPI_Count value, int wanted) {
  MPI_T_cvar_handle handle;
  int count;
  CODE(MPI_T_cvar_handle_alloc(cvar(name), NULL, &handle, &count), MPI_SUCCESS);
  CODE(MPI_T_cvar_write(handle, &value), wanted);
  CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
}

// Argument checks can be turned off and on at any time, and that is seen at once.
static void argument_checks(void) {
  MPI_T_cvar_handle handle;
  int count, on = 1, off = 0, wrong = 7, value = -1;
  CODE(MPI_T_cvar_handle_alloc(cvar("check_arguments"), NULL, &handle, &count), MPI_SUCCESS);
  CODE(MPI_T_cvar_write(handle, &off), MPI_SUCCESS);
  MPI_Status status;
  CHECK(MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_SELF, &status) == MPI_SUCCESS, "a tag is checked");
  CODE(MPI_T_cvar_write(handle, &on), MPI_SUCCESS);
  CHECK_CLASS(MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_SELF, &status), MPI_ERR_TAG);
  CODE(MPI_T_cvar_write(handle, &wrong), MPI_T_ERR_INVALID);
  CODE(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
  CHECK(value == 1, "%d", value);
  CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
}

static MPI_T_pvar_handle pvar(MPI_T_pvar_session session, const char* name, int var_class, void* object) {
  int index = -1, count = 0;
  MPI_T_pvar_handle handle;
  CODE(MPI_T_pvar_get_index(name, var_class, &index), MPI_SUCCESS);
  CODE(MPI_T_pvar_handle_alloc(session, index, object, &handle, &count), MPI_SUCCESS);
  CHECK(count == 1, "%d values of %s", count, name);
  return handle;
}

static unsigned long long number(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  unsigned long long value = 0;
  CODE(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
  return value;
}

static void send_to_self(int messages, int bytes) {
  char* data = must_alloc((size_t)bytes);
  MPI_Request request;
  for (int i = 0; i < messages; i++) {
    MPI_Irecv(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
    MPI_Send(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(data);
}

static void counting(void) {
  MPI_T_pvar_session session, other;
  CODE(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
  CODE(MPI_T_pvar_session_create(&other), MPI_SUCCESS);
  MPI_T_pvar_handle sent = pvar(session, "messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL);
  MPI_T_pvar_handle bytes = pvar(session, "bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE, NULL);
  MPI_T_pvar_handle received = pvar(other, "messages_received", MPI_T_PVAR_CLASS_COUNTER, NULL);
  send_to_self(3, 10);
  CHECK(number(session, sent) == 0, "it counts before it is started");
  CODE(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  send_to_self(5, 100);
  CHECK(number(session, sent) == 5 && number(session, bytes) == 500, "%llu messages, %llu bytes", number(session, sent),
        number(session, bytes));
  CHECK(number(other, received) == 0, "another session is disturbed");
  CODE(MPI_T_pvar_stop(session, sent), MPI_SUCCESS);
  CODE(MPI_T_pvar_start(other, received), MPI_SUCCESS);
  send_to_self(2, 1);
  CHECK(number(session, sent) == 5 && number(session, bytes) == 502 && number(other, received) == 2, "%llu %llu %llu",
        number(session, sent), number(session, bytes), number(other, received));
  unsigned long long value = 0, hundred = 100;
  CODE(MPI_T_pvar_readreset(session, bytes, &value), MPI_SUCCESS);
  CHECK(value == 502 && number(session, bytes) == 0, "%llu", value);
  CODE(MPI_T_pvar_write(session, sent, &hundred), MPI_SUCCESS);
  CODE(MPI_T_pvar_start(session, sent), MPI_SUCCESS);
  send_to_self(1, 1);
  CHECK(number(session, sent) == 101, "%llu", number(session, sent));
  CODE(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  CHECK(number(session, sent) == 0, "%llu", number(session, sent));

  CODE(MPI_T_pvar_read(other, sent, &value), MPI_T_ERR_INVALID_HANDLE);
  CODE(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
  CODE(MPI_T_pvar_read(MPI_T_PVAR_SESSION_NULL, sent, &value), MPI_T_ERR_INVALID_SESSION);
  CODE(MPI_T_pvar_handle_free(session, &sent), MPI_SUCCESS);
  CODE(MPI_T_pvar_handle_free(session, &sent), MPI_T_ERR_INVALID_HANDLE);
  CODE(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
  CODE(MPI_T_pvar_session_free(&session), MPI_T_ERR_INVALID_SESSION);
  CODE(MPI_T_pvar_session_free(&other), MPI_SUCCESS);
}

// Variables that are bound to a communicator, and those that always run.
static void levels(void) {
  MPI_T_pvar_session session;
  MPI_Comm comm;
  int data = 0, index, count;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  CODE(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
  MPI_T_pvar_handle here = pvar(session, "comm_unexpected", MPI_T_PVAR_CLASS_LEVEL, &comm), wrong;
  MPI_T_pvar_handle posted = pvar(session, "comm_posted", MPI_T_PVAR_CLASS_LEVEL, &comm);
  MPI_T_pvar_handle all = pvar(session, "unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, NULL);
  MPI_T_pvar_handle most = pvar(session, "unexpected_most", MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL);
  const unsigned long long before = number(session, all);
  for (int i = 0; i < 3; i++) MPI_Send(&data, 1, MPI_INT, 0, i, comm);
  int flag;
  MPI_Iprobe(0, 2, comm, &flag, MPI_STATUS_IGNORE);
  CHECK(number(session, here) == 3 && number(session, all) >= before + 3 && number(session, most) >= 3, "%llu %llu %llu",
        number(session, here), number(session, all), number(session, most));
  for (int i = 0; i < 3; i++) MPI_Recv(&data, 1, MPI_INT, 0, i, comm, MPI_STATUS_IGNORE);
  CHECK(number(session, here) == 0, "%llu", number(session, here));
  MPI_Request request;
  MPI_Irecv(&data, 1, MPI_INT, 0, 9, comm, &request);
  CHECK(number(session, posted) == 1, "%llu", number(session, posted));
  MPI_Send(&data, 1, MPI_INT, 0, 9, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  unsigned long long value = 0;
  CODE(MPI_T_pvar_start(session, here), MPI_T_ERR_PVAR_NO_STARTSTOP);
  CODE(MPI_T_pvar_stop(session, here), MPI_T_ERR_PVAR_NO_STARTSTOP);
  CODE(MPI_T_pvar_write(session, here, &value), MPI_T_ERR_PVAR_NO_WRITE);
  CODE(MPI_T_pvar_reset(session, here), MPI_T_ERR_PVAR_NO_WRITE);
  CODE(MPI_T_pvar_readreset(session, here, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
  CODE(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);  // passes over those
  MPI_T_pvar_get_index("comm_posted", MPI_T_PVAR_CLASS_LEVEL, &index);
  CODE(MPI_T_pvar_handle_alloc(session, index, NULL, &wrong, &count), MPI_T_ERR_INVALID);
  CODE(MPI_T_pvar_get_index("comm_posted", MPI_T_PVAR_CLASS_COUNTER, &index), MPI_T_ERR_INVALID_NAME);
  CODE(MPI_T_pvar_handle_alloc(session, -1, NULL, &wrong, &count), MPI_T_ERR_INVALID_INDEX);
  CODE(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
  MPI_Comm_free(&comm);
}

static void all_pvars(void) {
  int n = 0;
  CODE(MPI_T_pvar_get_num(&n), MPI_SUCCESS);
  for (int i = 0; i < n; i++) {
    char name[128], desc[1024];
    int name_len = sizeof name, desc_len = sizeof desc, verbosity, var_class, bind, readonly, continuous, atomic, index;
    MPI_Datatype type;
    MPI_T_enum items;
    CODE(MPI_T_pvar_get_info(i, name, &name_len, &verbosity, &var_class, &type, &items, desc, &desc_len, &bind, &readonly,
                             &continuous, &atomic),
         MPI_SUCCESS);
    CHECK(type == MPI_UNSIGNED_LONG_LONG || type == MPI_DOUBLE, "%s has another type", name);
    CHECK(bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM, "%s is bound to %d", name, bind);
    CODE(MPI_T_pvar_get_index(name, var_class, &index), MPI_SUCCESS);
    CHECK(index == i, "%s is %d and %d", name, i, index);
  }
  CODE(MPI_T_pvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
       MPI_T_ERR_INVALID_INDEX);
}

// Every variable is in one category, and every category but the first in the first.
static void categories(void) {
  int n = 0, cvars, pvars, members, all_cvars_seen = 0, all_pvars_seen = 0, number_of_cvars, number_of_pvars, index, changed;
  int indices[256];
  char name[128], desc[256];
  CODE(MPI_T_category_get_num(&n), MPI_SUCCESS);
  CODE(MPI_T_category_changed(&changed), MPI_SUCCESS);
  for (int i = 0; i < n; i++) {
    int name_len = sizeof name, desc_len = sizeof desc, events = -1;
    CODE(MPI_T_category_get_info(i, name, &name_len, desc, &desc_len, &cvars, &pvars, &members), MPI_SUCCESS);
    CODE(MPI_T_category_get_index(name, &index), MPI_SUCCESS);
    CHECK(index == i && members == (i == 0 ? n - 1 : 0), "%s: %d, %d members", name, index, members);
    CODE(MPI_T_category_get_cvars(i, 256, indices), MPI_SUCCESS);
    for (int k = 0; k < cvars; k++)
      CODE(MPI_T_cvar_get_info(indices[k], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
    indices[0] = -2;
    CODE(MPI_T_category_get_pvars(i, 0, indices), MPI_SUCCESS);
    CHECK(indices[0] == -2, "more is written than there is room for");
    CODE(MPI_T_category_get_categories(i, 256, indices), MPI_SUCCESS);
    CODE(MPI_T_category_get_num_events(i, &events), MPI_SUCCESS);
    CODE(MPI_T_category_get_events(i, 0, NULL), MPI_SUCCESS);
    CHECK(events == 0, "%d events", events);
    all_cvars_seen += cvars;
    all_pvars_seen += pvars;
  }
  MPI_T_cvar_get_num(&number_of_cvars);
  MPI_T_pvar_get_num(&number_of_pvars);
  CHECK(all_cvars_seen == number_of_cvars && all_pvars_seen == number_of_pvars, "%d %d", all_cvars_seen, all_pvars_seen);
  CODE(MPI_T_category_get_cvars(n, 1, indices), MPI_T_ERR_INVALID_INDEX);
  CODE(MPI_T_category_get_index("no such category", &index), MPI_T_ERR_INVALID_NAME);
}

static void events(void) {
  int n = -1;
  MPI_Count count;
  MPI_T_event_registration registration;
  CODE(MPI_T_event_get_num(&n), MPI_SUCCESS);
  CODE(MPI_T_source_get_num(&n), MPI_SUCCESS);
  CHECK(n == 0, "%d", n);
  CODE(MPI_T_event_get_index("event", &n), MPI_T_ERR_INVALID_NAME);
  CODE(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration), MPI_T_ERR_INVALID_INDEX);
  CODE(MPI_T_source_get_timestamp(0, &count), MPI_T_ERR_INVALID_INDEX);
  CODE(MPI_T_event_set_dropped_handler(NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
  CODE(MPI_T_event_get_source(NULL, &n), MPI_T_ERR_INVALID_HANDLE);
}

int main(int argc, char** argv) {
  int provided = -1;
  not_initialized();
  CODE(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
  CODE(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
  CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE, "%d", provided);
  CODE(MPI_T_finalize(), MPI_SUCCESS);
  all_cvars(0);
  all_pvars();
  categories();
  set_count("eager_bytes", 2048, MPI_SUCCESS);
  set_count("eager_bytes", -3, MPI_T_ERR_INVALID);

  check_start(&argc, &argv);
  errors_return(MPI_COMM_SELF);
  CHECK(count_of("eager_bytes") == 2048, "MPI_Init forgets what a tool has set");
  set_count("eager_bytes", 4096, MPI_T_ERR_CVAR_SET_NOT_NOW);
  all_cvars(1);
  argument_checks();
  counting();
  levels();
  events();
  MPI_T_pvar_session session;
  MPI_Comm world = MPI_COMM_WORLD;
  unsigned long long value;
  CODE(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
  MPI_T_pvar_handle bound = pvar(session, "comm_posted", MPI_T_PVAR_CLASS_LEVEL, &world);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();

  CODE(MPI_T_pvar_read(session, bound, &value), MPI_T_ERR_NOT_ACCESSIBLE);
  MPI_T_pvar_handle sent = pvar(session, "messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL);
  CHECK(number(session, sent) == 0, "%llu", number(session, sent));
  all_cvars(0);
  CODE(MPI_T_finalize(), MPI_SUCCESS);
  not_initialized();
  if (world_rank == 0) puts("ok");
  return 0;
}
