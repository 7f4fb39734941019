// SPDX-License-Identifier: BSD-3-Clause
// mpicc, mpicxx, mpic++, mpiCC, mpifort: one program that looks at its own name and calls the compiler behind it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/install_dirs.h"
#include "launcher/words.h"
#include "ompi_lite/config.h"

namespace ompi_lite::launcher {
namespace {

using Words = std::vector<std::string>;

enum class Language { c, cxx, fortran };

struct LanguageRow {
  Language language;
  std::array<const char*, 3> variables;  // who may name another compiler, strongest first
  const char* compiler;                  // the one that configure found
  const char* fallback;
  const char* option;  // MPICH's way to name one: -cc=NAME
};

constexpr std::array languages{
    LanguageRow{Language::c, {"OMPI_LITE_CC", "OMPI_CC", "MPICH_CC"}, OL_WRAPPER_CC, "cc", "-cc="},
    LanguageRow{Language::cxx, {"OMPI_LITE_CXX", "OMPI_CXX", "MPICH_CXX"}, OL_WRAPPER_CXX, "c++", "-cxx="},
    LanguageRow{Language::fortran, {"OMPI_LITE_FC", "OMPI_FC", "MPICH_FC"}, OL_WRAPPER_FC, "gfortran", "-fc="},
};

const LanguageRow& language_of(std::string_view name) {
  const auto row = [](Language language) -> const LanguageRow& {
    return *std::ranges::find(languages, language, &LanguageRow::language);
  };
  if (name.find("mpif") != std::string_view::npos) return row(Language::fortran);
  if (name.find("mpicxx") != std::string_view::npos || name.find("mpic++") != std::string_view::npos ||
      name.find("mpiCC") != std::string_view::npos) {
    return row(Language::cxx);
  }
  return row(Language::c);
}

struct Folders {
  std::string include;
  std::string lib;
};

// The installation may have been moved or staged: what holds is the way from bin to the other folders.
Folders find_folders() {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  if (problem) return {install_includedir, install_libdir};
  const auto sibling = [&](const char* folder) {
    return (self.parent_path() / fs::path(folder).lexically_relative(install_bindir)).lexically_normal().string();
  };
  return {sibling(install_includedir), sibling(install_libdir)};
}

// -I"/pre fix/include": flag and quoted value, in the one form that both a shell and CMake's FindMPI read.
std::string shell_word(std::string_view text) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
  if (!text.empty() && text.find_first_not_of(harmless) == std::string_view::npos) return std::string(text);
  std::string_view flag;
  for (const std::string_view known : {"-I", "-L", "-Wl,"}) {
    if (text.starts_with(known)) flag = known;
  }
  std::string result(flag);
  result += '"';
  for (const char c : text.substr(flag.size())) {
    if (c == '"' || c == '\\' || c == '$' || c == '`') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string line_of(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

Words compile_flags(const Folders& folders) { return {"-I" + folders.include}; }

Words link_flags(const Folders& folders, Language language) {
  Words flags{"-L" + folders.lib};
  if (folders.lib.find(',') == std::string::npos) {
    flags.push_back("-Wl,-rpath," + folders.lib);
  } else {
    for (const char* word : {"-Xlinker", "-rpath", "-Xlinker"}) flags.emplace_back(word);
    flags.push_back(folders.lib);
  }
  // With the newer tag LD_LIBRARY_PATH goes before the path in the program.
  flags.emplace_back("-Wl,--enable-new-dtags");
  if (language == Language::fortran) flags.emplace_back("-lompi_lite_mpifort");
  flags.emplace_back("-lmpi_abi");
  return flags;
}

bool is_this_program(const std::string& name) {
  struct stat self;
  struct stat other;
  if (stat("/proc/self/exe", &self) != 0) return false;
  const auto same = [&](const std::string& path) {
    return stat(path.c_str(), &other) == 0 && other.st_dev == self.st_dev && other.st_ino == self.st_ino;
  };
  if (name.find('/') != std::string::npos) return same(name);
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable == nullptr ? "/usr/bin:/bin" : variable;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string path = std::string(rest.substr(0, colon)) + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return same(path);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return false;
}

// The compiler's command, one or more words. A name that leads back to this wrapper is passed over: CC=mpicc is common.
Words find_compiler(const LanguageRow& row, const std::string& from_option) {
  Words candidates{from_option};
  for (const char* variable : row.variables) {
    const char* value = std::getenv(variable);
    candidates.emplace_back(value == nullptr ? "" : value);
  }
  candidates.emplace_back(row.compiler);
  for (const std::string& candidate : candidates) {
    const bool one_path = access(candidate.c_str(), X_OK) == 0;  // a path may contain blanks
    const Words words = one_path ? Words{candidate} : split_words(candidate);
    if (words.empty() || std::ranges::any_of(words, is_this_program)) continue;
    return words;
  }
  return {row.fallback};
}

// Options whose value is the next word, so that it is not taken for an input file.
bool takes_next_word(std::string_view word) {
  constexpr std::array options{"-o",      "-I",    "-L",        "-D",       "-U",         "-x",          "-l",
                               "-T",      "-u",    "-z",        "-e",       "-h",         "-include",    "-MF",
                               "-MT",     "-MQ",   "-isystem",  "-iquote",  "-idirafter", "-imacros",    "-iprefix",
                               "-B",      "-A",    "-isysroot", "-Xlinker", "-Xclang",    "-Xassembler", "-Xpreprocessor",
                               "-target", "-arch", "-aux-info", "--param",  "-wrapper",   "-specs",      "-dumpbase",
                               "-dumpdir"};
  return std::ranges::find(options, word) != options.end();
}

// Whether the compiler will call the linker: there is an input and no option that stops before.
bool links(const Words& arguments) {
  bool has_input = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    for (const std::string_view stop : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--help", "--target-help"}) {
      if (word == stop) return false;
    }
    if (takes_next_word(word))
      ++i;
    else if (word == "-" || word[0] != '-')
      has_input = true;
  }
  return has_input;
}

struct Call {
  std::string name;  // of this wrapper, for messages
  const LanguageRow& row;
  Folders folders;
  Words arguments;
  std::string compiler_option;
};

int say(const std::string& line) {
  std::puts(line.c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}

Words full_command(const Call& call) {
  Words command = find_compiler(call.row, call.compiler_option);
  const auto append = [&](const Words& words) { command.insert(command.end(), words.begin(), words.end()); };
  append(compile_flags(call.folders));
  append(call.arguments);
  if (links(call.arguments)) append(link_flags(call.folders, call.row.language));
  return command;
}

// -show and its kin. Returns -1 if the word is no question of that kind.
int answer(const Call& call, std::string_view question) {
  if (question.starts_with("--")) question.remove_prefix(1);
  const Words compiler = find_compiler(call.row, call.compiler_option);
  const auto with_compiler = [&](const Words& flags) {
    Words all = compiler;
    all.insert(all.end(), flags.begin(), flags.end());
    return line_of(all);
  };
  if (question == "-show" || question == "-showme") {
    Words command = full_command(call);
    if (call.arguments.empty()) {  // without any file: how one would be compiled and linked
      const Words flags = link_flags(call.folders, call.row.language);
      command.insert(command.end(), flags.begin(), flags.end());
    }
    return say(line_of(command));
  }
  if (question == "-showme:compile") return say(line_of(compile_flags(call.folders)));
  if (question == "-showme:link") return say(line_of(link_flags(call.folders, call.row.language)));
  if (question == "-showme:incdirs") return say(shell_word(call.folders.include));
  if (question == "-showme:libdirs") return say(shell_word(call.folders.lib));
  if (question == "-showme:libs") {
    return say(call.row.language == Language::fortran ? "ompi_lite_mpifort mpi_abi" : "mpi_abi");
  }
  if (question == "-showme:command") return say(line_of(compiler));
  if (question == "-showme:version") return say(call.name + ": " PACKAGE_NAME " " PACKAGE_VERSION);
  if (question == "-compile_info" || question == "-compile-info") return say(with_compiler(compile_flags(call.folders)));
  if (question == "-link_info" || question == "-link-info")
    return say(with_compiler(link_flags(call.folders, call.row.language)));
  if (question.starts_with("-showme:")) {
    std::fprintf(stderr,
                 "%s: %s is unknown; known are -showme:compile, :link, :incdirs, :libdirs, :libs, :command, :version\n",
                 call.name.c_str(), std::string(question).c_str());
    return 2;
  }
  return -1;
}

int run_compiler(const Call& call) {
  Words command = full_command(call);
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  std::fprintf(stderr, "%s: cannot run the compiler %s: %s\n", call.name.c_str(), argv[0], std::strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

// A compiler that is a script or cache which calls us again would never end.
bool called_in_circles() {
  const char* depth_text = std::getenv("OMPI_LITE_WRAPPER_DEPTH");
  const int depth = depth_text == nullptr ? 0 : std::atoi(depth_text);
  setenv("OMPI_LITE_WRAPPER_DEPTH", std::to_string(depth + 1).c_str(), 1);
  return depth >= 4;
}

int run(const std::string& program, const Words& words) {
  const std::string name = std::filesystem::path(program).filename().string();
  const LanguageRow& row = language_of(name);
  if (row.language == Language::fortran && !OL_HAVE_FORTRAN) {
    std::fprintf(stderr,
                 "%s: " PACKAGE_NAME
                 " was built without Fortran, because configure found no gfortran; "
                 "install it and build again\n",
                 name.c_str());
    return 1;
  }
  Call call{name, row, find_folders(), {}, {}};
  std::string question;
  for (const std::string& word : words) {
    const bool asks = word.starts_with("-show") || word.starts_with("--show") || word == "-compile_info" ||
                      word == "-link_info" || word == "-compile-info" || word == "-link-info";
    if (asks && question.empty())
      question = word;
    else if (word.starts_with(row.option))
      call.compiler_option = word.substr(std::strlen(row.option));
    else
      call.arguments.push_back(word);
  }
  if (!question.empty()) {
    const int code = answer(call, question);
    if (code >= 0) return code;
    call.arguments = words;
  }
  if (called_in_circles()) {
    std::fprintf(stderr, "%s: the compiler that was named calls this wrapper again\n", name.c_str());
    return 1;
  }
  if (call.arguments.size() == 1 && call.arguments[0] == "--version") {
    (void)say(name + " (" PACKAGE_NAME ") " PACKAGE_VERSION ", calling:");
  }
  return run_compiler(call);
}

}  // namespace
}  // namespace ompi_lite::launcher

int main(int argc, char** argv) { return ompi_lite::launcher::run(argc > 0 ? argv[0] : "mpicc", {argv + 1, argv + argc}); }
