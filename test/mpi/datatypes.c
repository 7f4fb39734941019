// SPDX-License-Identifier: BSD-3-Clause
// Datatypes: sizes, extents, what a message of each constructor carries, counts of elements, and what a type was made of.
// run: np=1,2,3 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <stddef.h>

#include "../support/check.h"

enum { cells = 64 };

static int left, right;

static void check_measures(MPI_Datatype type, int size, MPI_Aint lower, MPI_Aint extent, MPI_Aint true_lower,
                           MPI_Aint true_extent) {
  int got_size = -1;
  MPI_Aint a, b, c, d;
  MPI_Type_size(type, &got_size);
  MPI_Type_get_extent(type, &a, &b);
  MPI_Type_get_true_extent(type, &c, &d);
  CHECK(got_size == size, "size %d, expected %d", got_size, size);
  CHECK(a == lower && b == extent, "extent %ld at %ld, expected %ld at %ld", (long)b, (long)a, (long)extent, (long)lower);
  CHECK(c == true_lower && d == true_extent, "true extent %ld at %ld, expected %ld at %ld", (long)d, (long)c,
        (long)true_extent, (long)true_lower);
}

// Sends `count` elements of the type from an array of ints and receives them as plain ints: the places must come in this
// order. Then the
// other way round: plain ints are received into the type, and no other cell is touched.
static void check_places(MPI_Datatype type, int count, int places, const int* place) {
  int data[cells], plain[cells];
  for (int i = 0; i < cells; i++) data[i] = world_rank * 1000 + i, plain[i] = -1;
  MPI_Sendrecv(data, count, type, right, 1, plain, cells, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < places; i++)
    CHECK(plain[i] == left * 1000 + place[i], "number %d: %d, expected place %d", i, plain[i], place[i]);
  for (int i = places; i < cells; i++) CHECK(plain[i] == -1, "more than %d numbers came", places);

  MPI_Status status;
  int touched[cells] = {0}, got = -1, elements = -1;
  for (int i = 0; i < cells; i++) plain[i] = world_rank * 1000 + i, data[i] = -1;
  MPI_Sendrecv(plain, places, MPI_INT, right, 2, data, count, type, left, 2, MPI_COMM_WORLD, &status);
  for (int i = 0; i < places; i++) {
    CHECK(data[place[i]] == left * 1000 + i, "place %d: %d, expected number %d", place[i], data[place[i]], i);
    touched[place[i]] = 1;
  }
  for (int i = 0; i < cells; i++) CHECK(touched[i] || data[i] == -1, "cell %d was written", i);
  MPI_Get_count(&status, type, &got);
  MPI_Get_elements(&status, type, &elements);
  CHECK(got == count && elements == places, "count %d, elements %d; expected %d and %d", got, elements, count, places);
}

static MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

static const MPI_Aint w = sizeof(int);

static void vectors(void) {
  MPI_Datatype t;
  MPI_Type_contiguous(3, MPI_INT, &t);
  check_measures(committed(t), 12, 0, 12, 0, 12);
  check_places(t, 2, 6, (int[]){0, 1, 2, 3, 4, 5});
  MPI_Type_free(&t);
  CHECK(t == MPI_DATATYPE_NULL, "the handle of a freed type");

  MPI_Type_vector(3, 2, 4, MPI_INT, &t);
  check_measures(committed(t), 24, 0, 10 * w, 0, 10 * w);
  check_places(t, 2, 12, (int[]){0, 1, 4, 5, 8, 9, 10, 11, 14, 15, 18, 19});
  MPI_Type_free(&t);

  MPI_Type_create_hvector(2, 1, 3 * w, MPI_INT, &t);
  check_places(committed(t), 3, 6, (int[]){0, 3, 4, 7, 8, 11});
  MPI_Type_free(&t);

  MPI_Type_vector(3, 1, -2, MPI_INT, &t);  // walks backwards: the first number lies above the lower bound
  check_measures(committed(t), 12, -4 * w, 5 * w, -4 * w, 5 * w);
  MPI_Type_free(&t);
}

static void indexed(void) {
  MPI_Datatype t;
  MPI_Type_indexed(3, (int[]){2, 1, 3}, (int[]){5, 0, 9}, MPI_INT, &t);
  check_measures(committed(t), 24, 0, 12 * w, 0, 12 * w);
  check_places(t, 2, 12, (int[]){5, 6, 0, 9, 10, 11, 17, 18, 12, 21, 22, 23});
  MPI_Type_free(&t);

  MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){3 * w, 7 * w}, MPI_INT, &t);
  check_measures(committed(t), 12, 3 * w, 6 * w, 3 * w, 6 * w);
  check_places(t, 2, 6, (int[]){3, 7, 8, 9, 13, 14});
  MPI_Type_free(&t);

  MPI_Type_create_indexed_block(3, 2, (int[]){8, 0, 4}, MPI_INT, &t);
  check_places(committed(t), 1, 6, (int[]){8, 9, 0, 1, 4, 5});
  MPI_Type_free(&t);

  MPI_Type_create_hindexed_block(2, 2, (MPI_Aint[]){6 * w, 1 * w}, MPI_INT, &t);
  check_places(committed(t), 1, 4, (int[]){6, 7, 1, 2});
  MPI_Type_free(&t);

  MPI_Type_indexed(3, (int[]){1, 0, 2}, (int[]){2, 30, 4}, MPI_INT, &t);  // an empty block counts for nothing
  check_measures(committed(t), 12, 2 * w, 4 * w, 2 * w, 4 * w);
  check_places(t, 1, 3, (int[]){2, 4, 5});
  MPI_Type_free(&t);
}

static void resized_and_nested(void) {
  MPI_Datatype inner, t, dup;
  MPI_Type_create_resized(MPI_INT, 0, 3 * w, &t);
  check_measures(committed(t), 4, 0, 3 * w, 0, w);
  check_places(t, 4, 4, (int[]){0, 3, 6, 9});
  MPI_Type_dup(t, &dup);
  MPI_Type_free(&t);  // the copy lives on, and is committed as its model was
  check_places(dup, 4, 4, (int[]){0, 3, 6, 9});
  MPI_Type_free(&dup);

  MPI_Type_vector(2, 1, 3, MPI_INT, &inner);  // 0 3
  MPI_Type_create_hvector(2, 1, 5 * w, inner, &t);
  MPI_Type_free(&inner);
  check_places(committed(t), 2, 8, (int[]){0, 3, 5, 8, 9, 12, 14, 17});
  MPI_Type_free(&t);

  MPI_Type_create_resized(MPI_INT, -w, 4 * w, &inner);
  MPI_Type_contiguous(2, inner, &t);
  check_measures(committed(t), 8, -w, 8 * w, 0, 5 * w);
  MPI_Type_free(&inner);
  MPI_Type_free(&t);

  MPI_Type_contiguous(0, MPI_INT, &t);
  check_measures(committed(t), 0, 0, 0, 0, 0);
  MPI_Type_free(&t);
}

struct Record {
  char letter;
  double number;
  int pair[2];
  short last;
};

static void structs(void) {
  const MPI_Aint places[4] = {offsetof(struct Record, letter), offsetof(struct Record, number),
                              offsetof(struct Record, pair), offsetof(struct Record, last)};
  const MPI_Datatype types[4] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT};
  MPI_Datatype bare, t;
  struct Record out[5], in[5];
  MPI_Type_create_struct(4, (int[]){1, 1, 2, 1}, places, types, &bare);
  MPI_Type_create_resized(bare, 0, sizeof(struct Record), &t);
  MPI_Type_free(&bare);
  MPI_Type_commit(&t);
  memset(in, 0x11, sizeof in);
  for (int i = 0; i < 5; i++) out[i] = (struct Record){(char)('a' + i), world_rank + 0.25 * i, {i, -i}, (short)(100 * i)};
  MPI_Sendrecv(out, 5, t, right, 1, in, 5, t, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 5; i++) {
    CHECK(in[i].letter == 'a' + i && in[i].number == left + 0.25 * i && in[i].last == 100 * i, "record %d: %c %g %d", i,
          in[i].letter, in[i].number, in[i].last);
    CHECK(in[i].pair[0] == i && in[i].pair[1] == -i, "record %d: %d %d", i, in[i].pair[0], in[i].pair[1]);
    const unsigned char* bytes = (const unsigned char*)&in[i];
    for (size_t k = 1; k < offsetof(struct Record, number); k++)
      CHECK(bytes[k] == 0x11, "padding byte %zu of record %d", k, i);
  }
  int got = -1, elements = -1;
  MPI_Status status;  // a part of a record: a count of records does not exist, one of elements does
  MPI_Sendrecv(out, 1, MPI_CHAR, right, 2, in, 5, t, left, 2, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, t, &got);
  MPI_Get_elements(&status, t, &elements);
  CHECK(got == MPI_UNDEFINED && elements == 1, "count %d, elements %d", got, elements);
  MPI_Type_free(&t);
}

// Places in memory given as addresses, with MPI_BOTTOM as base.
static void absolute(void) {
  int a = world_rank, b = world_rank + 100, c[2] = {-1, -1};
  MPI_Aint places[2];
  MPI_Datatype t;
  MPI_Get_address(&a, &places[0]);
  MPI_Get_address(&b, &places[1]);
  CHECK(MPI_Aint_diff(places[1], places[0]) == (char*)&b - (char*)&a, "difference of addresses");
  CHECK(MPI_Aint_add(places[0], (char*)&b - (char*)&a) == places[1], "sum of addresses");
  MPI_Type_create_hindexed(2, (int[]){1, 1}, places, MPI_INT, &t);
  MPI_Type_commit(&t);
  MPI_Sendrecv(MPI_BOTTOM, 1, t, right, 1, c, 2, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(c[0] == left && c[1] == left + 100, "%d %d", c[0], c[1]);
  MPI_Type_free(&t);
}

static void contents(void) {
  int integers = -1, addresses = -1, types = -1, combiner = -1, values[8] = {0};
  MPI_Datatype t, inner[2];
  MPI_Aint places[2];
  MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &types, &combiner);
  CHECK(combiner == MPI_COMBINER_NAMED && integers == 0 && types == 0, "combiner %d", combiner);
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &t);
  MPI_Type_get_envelope(t, &integers, &addresses, &types, &combiner);
  CHECK(combiner == MPI_COMBINER_VECTOR && integers == 3 && addresses == 0 && types == 1, "vector: %d %d %d", integers,
        addresses, types);
  MPI_Type_get_contents(t, 3, 0, 1, values, places, inner);
  CHECK(values[0] == 3 && values[1] == 2 && values[2] == 4 && inner[0] == MPI_DOUBLE, "%d %d %d", values[0], values[1],
        values[2]);
  MPI_Type_free(&t);
  MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){8, 24}, MPI_INT, &t);
  MPI_Type_get_envelope(t, &integers, &addresses, &types, &combiner);
  CHECK(combiner == MPI_COMBINER_HINDEXED && integers == 3 && addresses == 2 && types == 1, "hindexed: %d %d", integers,
        addresses);
  MPI_Type_get_contents(t, 3, 2, 1, values, places, inner);
  CHECK(values[0] == 2 && values[1] == 1 && values[2] == 2 && places[0] == 8 && places[1] == 24, "%d %ld", values[0],
        (long)places[1]);
  MPI_Type_free(&t);
}

static void predefined_sizes(void) {
  const struct {
    MPI_Datatype type;
    int size;
  } all[] = {{MPI_CHAR, 1},
             {MPI_SHORT, 2},
             {MPI_INT, 4},
             {MPI_LONG, sizeof(long)},
             {MPI_LONG_LONG, 8},
             {MPI_FLOAT, 4},
             {MPI_DOUBLE, 8},
             {MPI_LONG_DOUBLE, sizeof(long double)},
             {MPI_BYTE, 1},
             {MPI_PACKED, 1},
             {MPI_INT8_T, 1},
             {MPI_UINT16_T, 2},
             {MPI_INT32_T, 4},
             {MPI_UINT64_T, 8},
             {MPI_AINT, sizeof(MPI_Aint)},
             {MPI_COUNT, sizeof(MPI_Count)},
             {MPI_OFFSET, sizeof(MPI_Offset)},
             {MPI_C_BOOL, 1},
             {MPI_C_DOUBLE_COMPLEX, 16},
             {MPI_WCHAR, sizeof(wchar_t)},
             {MPI_2INT, 8},
             {MPI_DOUBLE_INT, 12},
             {MPI_SHORT_INT, 6},
             {MPI_UNSIGNED_LONG, sizeof(long)}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    int size = -1;
    MPI_Type_size(all[i].type, &size);
    CHECK(size == all[i].size, "type %zu has size %d, expected %d", i, size, all[i].size);
  }
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Type_get_name(MPI_DOUBLE, name, &length);
  CHECK(strcmp(name, "MPI_DOUBLE") == 0 && length == 10, "name %s", name);
  MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length);
  CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0 && length == 17, "name %s", name);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  right = (world_rank + 1) % world_size;
  left = (world_rank + world_size - 1) % world_size;
  vectors();
  indexed();
  resized_and_nested();
  structs();
  absolute();
  contents();
  predefined_sizes();
  return check_finish();
}
