// SPDX-License-Identifier: BSD-3-Clause
// Functions with strings whose lengths or numbers are arguments themselves, and the two forms of a status.
#include <cstring>
#include <memory>
#include <vector>

#include "ompi_lite/fortran/convert.h"
#include "ompi_lite/fortran/hand.h"

namespace ompi_lite::fortran {
namespace {

// C's null-terminated array of strings from a Fortran array, whose elements all have one length and lie `stride` elements
// apart. A blank element ends it (MPI 5.0, section 11.8.2), or `count` does.
class Words {
 public:
  Words(const char* first, std::size_t length, std::size_t stride, int count) {
    for (int i = 0; i != count; ++i) {
      std::string word(first + static_cast<std::size_t>(i) * stride * length, length);
      word.erase(word.find_last_not_of(' ') + 1);
      if (count == kUntilBlank && word.empty()) break;
      words_.push_back(std::move(word));
    }
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  char** data() { return pointers_.data(); }
  static constexpr int kUntilBlank = -1;

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

int* errcodes_at(int* place) {
  return place == mpi_fort_errcodes_ignore_ || place == mpi_f08_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : place;
}

bool is_root(int comm, int root) {
  int rank = MPI_UNDEFINED;
  const MPI_Comm asked = handle<MPI_Comm>(comm);
  return asked != MPI_COMM_NULL && OLMPI_Comm_rank(asked, &rank) == MPI_SUCCESS && rank == root;
}

}  // namespace

int info_get(const int* info, const char* key, const int* valuelen, char* value, int* flag, std::size_t key_length,
             std::size_t value_length) {
  char text[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  const int code = OLMPI_Info_get(handle<MPI_Info>(*info), StrippedText(key, key_length),
                                  std::min(*valuelen, MPI_MAX_INFO_VAL), text, &found);
  if (code != MPI_SUCCESS) return code;
  *flag = found;
  if (found != 0) store_padded(text, value, value_length);
  return code;
}

// C counts the null character at the end, Fortran has none.
int info_get_string(const int* info, const char* key, int* buflen, char* value, int* flag, std::size_t key_length,
                    std::size_t value_length) {
  const int room = *buflen;
  std::vector<char> text(static_cast<std::size_t>(std::max(room, 0)) + 1);
  int length = room <= 0 ? room : room + 1, found = 0;
  const int code =
      OLMPI_Info_get_string(handle<MPI_Info>(*info), StrippedText(key, key_length), &length, text.data(), &found);
  if (code != MPI_SUCCESS) return code;
  *flag = found;
  if (found != 0) {
    *buflen = length - 1;
    if (room > 0) store_padded(text.data(), value, value_length);
  }
  return code;
}

int session_get_nth_pset(const int* session, const int* info, const int* n, int* pset_len, char* pset_name,
                         std::size_t pset_name_length) {
  const int room = *pset_len;
  std::vector<char> text(static_cast<std::size_t>(std::max(room, 0)) + 1);
  int length = room <= 0 ? room : room + 1;
  const int code =
      OLMPI_Session_get_nth_pset(handle<MPI_Session>(*session), handle<MPI_Info>(*info), *n, &length, text.data());
  if (code != MPI_SUCCESS) return code;
  *pset_len = length - 1;
  if (room > 0) store_padded(text.data(), pset_name, pset_name_length);
  return code;
}

int comm_spawn(const char* command, const char* argv, const int* maxprocs, const int* info, const int* root, const int* comm,
               int* intercomm, int* array_of_errcodes, std::size_t command_length, std::size_t argv_length) {
  const bool looked_at = is_root(*comm, *root);
  const bool has_words = looked_at && argv != mpi_fort_argv_null_ && argv != mpi_f08_argv_null_;
  Words words(argv, argv_length, 1, has_words ? Words::kUntilBlank : 0);
  return OLMPI_Comm_spawn(Text(command, looked_at ? command_length : 0), has_words ? words.data() : MPI_ARGV_NULL, *maxprocs,
                          handle<MPI_Info>(*info), *root, handle<MPI_Comm>(*comm), NewHandle<MPI_Comm>(intercomm),
                          errcodes_at(array_of_errcodes));
}

int comm_spawn_multiple(const int* count, const char* array_of_commands, const char* array_of_argv,
                        const int* array_of_maxprocs, const int* array_of_info, const int* root, const int* comm,
                        int* intercomm, int* array_of_errcodes, std::size_t commands_length, std::size_t argv_length) {
  const int commands_given = is_root(*comm, *root) ? std::max(*count, 0) : 0;
  Words commands(array_of_commands, commands_length, 1, commands_given);
  std::vector<std::unique_ptr<Words>> lines;
  std::vector<char**> argvs;
  if (array_of_argv != mpi_fort_argvs_null_ && array_of_argv != mpi_f08_argvs_null_) {
    for (int i = 0; i < commands_given; ++i) {  // row i of array_of_argv(count, *)
      lines.push_back(std::make_unique<Words>(array_of_argv + static_cast<std::size_t>(i) * argv_length, argv_length,
                                              static_cast<std::size_t>(commands_given), Words::kUntilBlank));
      argvs.push_back(lines.back()->data());
    }
  }
  return OLMPI_Comm_spawn_multiple(*count, commands.data(), argvs.empty() ? MPI_ARGVS_NULL : argvs.data(), array_of_maxprocs,
                                   Handles<MPI_Info>(array_of_info, commands_given), *root, handle<MPI_Comm>(*comm),
                                   NewHandle<MPI_Comm>(intercomm), errcodes_at(array_of_errcodes));
}

// TYPE(MPI_Status) has the integers of the array, in its order.
int status_f2f08(const void* f_status, void* f08_status) {
  std::memcpy(f08_status, f_status, sizeof(MPI_Status));
  return MPI_SUCCESS;
}
int status_f082f(const void* f08_status, void* f_status) { return status_f2f08(f08_status, f_status); }

}  // namespace ompi_lite::fortran
