// SPDX-License-Identifier: BSD-3-Clause
// Case C12: all-to-all in place with a type or a count per peer.
// run: np=1,2,3,4,5,7,8 timeout=60
// run: np=2,3,5 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"
#include "../support/forms.h"

static void exchange_w(int form, void* data, const int* counts, const int* places, const MPI_Datatype* types) {
  MPI_Request request;
  const MPI_Comm c = MPI_COMM_WORLD;
  if (form == blocking_form) MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, data, counts, places, types, c);
  if (form == nonblocking_form) MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, data, counts, places, types, c, &request);
  if (form == persistent_form)
    MPI_Alltoallw_init(MPI_IN_PLACE, NULL, NULL, NULL, data, counts, places, types, c, MPI_INFO_NULL, &request);
  end_form(form, &request);
}

static void exchange_v(int form, int* data, const int* counts, const int* places) {
  MPI_Request request;
  const MPI_Comm c = MPI_COMM_WORLD;
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  if (form == blocking_form) MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, none, data, counts, places, MPI_INT, c);
  if (form == nonblocking_form) MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, none, data, counts, places, MPI_INT, c, &request);
  if (form == persistent_form)
    MPI_Alltoallv_init(MPI_IN_PLACE, NULL, NULL, none, data, counts, places, MPI_INT, c, MPI_INFO_NULL, &request);
  end_form(form, &request);
}

static void one_element_each(int form) {
  int counts[16], places[16];
  MPI_Datatype types[16];
  double values[16];
  for (int r = 0; r < world_size; r++) {
    const int length = 1, at = r;
    counts[r] = 1;
    places[r] = 0;
    values[r] = world_rank;
    MPI_Type_indexed(1, &length, &at, MPI_DOUBLE, &types[r]);
    MPI_Type_commit(&types[r]);
  }
  exchange_w(form, values, counts, places, types);
  for (int r = 0; r < world_size; r++) CHECK(values[r] == r, "element %d is %g", r, values[r]);
  for (int r = 0; r < world_size; r++) MPI_Type_free(&types[r]);
}

// Peer p sends scale * (p + r + 1) copies of p to rank r.
static void growing_blocks(int form, int use_w, int scale) {
  int counts[16], places[16], bytes[16], total = 0;
  MPI_Datatype types[16];
  for (int p = 0; p < world_size; p++) {
    counts[p] = scale * (p + world_rank + 1);
    places[p] = total;
    bytes[p] = total * (int)sizeof(int);
    types[p] = MPI_INT;
    total += counts[p];
  }
  int* values = must_alloc(sizeof(int) * (size_t)total);
  for (int i = 0; i < total; i++) values[i] = world_rank;
  if (use_w) {
    exchange_w(form, values, counts, bytes, types);
  } else {
    exchange_v(form, values, counts, places);
  }
  for (int p = 0, i = 0; p < world_size; p++)
    for (int k = 0; k < counts[p]; k++, i++) CHECK(values[i] == p, "element %d is %d, expected %d", i, values[i], p);
  free(values);
}

int main(int argc, char** argv) {
  const int scales[] = {1, 3, 500, 20000};
  check_start(&argc, &argv);
  for (int form = 0; form < all_forms; form++) {
    one_element_each(form);
    for (int k = 0; k < 4; k++) {
      growing_blocks(form, 0, scales[k]);
      growing_blocks(form, 1, scales[k]);
    }
  }
  return check_finish();
}
