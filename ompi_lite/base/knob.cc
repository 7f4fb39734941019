// SPDX-License-Identifier: BSD-3-Clause
// Parsing of knobs, and the loading of their values from files and the environment.
#include "ompi_lite/base/knob.h"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "ompi_lite/base/machine.h"
#include "ompi_lite/base/macros.h"

extern char** environ;  // NOLINT: the C library's own declaration

namespace ompi_lite {

namespace {

constexpr std::string_view kPrefix = "OMPI_LITE_";

constinit Knob<const char*> log_level{"log", "warn", Unit::none, "how much is written: error, warn, debug, trace or data"};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

bool valid_name(std::string_view name) {
  if (name.empty()) return false;
  for (char c : name) {
    if (!std::islower(static_cast<unsigned char>(c)) && !std::isdigit(static_cast<unsigned char>(c)) && c != '_')
      return false;
  }
  return true;
}

std::string capitals(std::string_view name) {
  std::string all(kPrefix);
  for (char c : name) all += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return all;
}

Error bad_value(std::string_view text, const char* wanted) {
  return make_error(ErrorClass::info_value, "\"%.*s\" is not %s", static_cast<int>(text.size()), text.data(), wanted);
}

const char* wanted_number(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "a number of bytes (such as 4096, 64k, 2m or 1g)";
    case Unit::seconds:
      return "a time (such as 30, 30s, 5ms, 10us, 2m or 1h)";
    case Unit::ranks:
      return "a number of ranks";
    case Unit::none:
      break;
  }
  return "a number";
}

Error set_log_level(std::string_view text) {
  constexpr std::string_view kNames[] = {"error", "warn", "debug", "trace", "data"};
  for (int i = 0; i < 5; ++i) {
    if (text == kNames[i]) {
      log_set_level(static_cast<LogLevel>(i));
      return {};
    }
  }
  return bad_value(text, "a level of the log (error, warn, debug, trace or data)");
}

// Insertions, deletions and replacements from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::string_view shorter = a.size() < 64 ? a : a.substr(0, 63);
  std::size_t row[64];
  for (std::size_t i = 0; i <= shorter.size(); ++i) row[i] = i;
  for (std::size_t j = 1; j <= b.size(); ++j) {
    std::size_t diagonal = row[0];
    row[0] = j;
    for (std::size_t i = 1; i <= shorter.size(); ++i) {
      std::size_t replaced = diagonal + (shorter[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[i];
      row[i] = std::min(std::min(row[i], row[i - 1]) + 1, replaced);
    }
  }
  return row[shorter.size()];
}

void warn_of_misspelt_variables(std::span<const KnobGroup> groups) {
  for (char** entry = environ; entry && *entry; ++entry) {
    std::string_view text = *entry;
    if (text.substr(0, kPrefix.size()) != kPrefix) continue;
    std::string_view name = text.substr(0, text.find('='));
    const KnobBase* nearest = nullptr;
    bool known = false;
    for (const KnobGroup& group : groups) {
      for (const KnobBase* knob : group.knobs) {
        std::string right = knob->environment_name();
        known |= name == right;
        if (edit_distance(name, right) <= 2) nearest = knob;
      }
    }
    if (!known && nearest) {
      OL_LOG(warn, "the variable %.*s is not used: is %s meant?", static_cast<int>(name.size()), name.data(),
             nearest->environment_name().c_str());
    }
  }
}

Error apply_line(std::span<const KnobGroup> groups, std::string_view line, KnobSource source) {
  std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    return make_error(ErrorClass::info_value, "\"%.*s\" is not a line of the form name = value",
                      static_cast<int>(line.size()), line.data());
  }
  std::string_view name = trimmed(line.substr(0, equals));
  KnobBase* knob = find_knob(groups, name);
  if (!knob) {
    return make_error(ErrorClass::info_key, "there is no knob \"%.*s\"", static_cast<int>(name.size()), name.data());
  }
  if (Error error = knob->set(trimmed(line.substr(equals + 1)), source)) {
    return make_error(error.error_class(), "%s: %s", knob->name(), error.sentence());
  }
  return {};
}

}  // namespace

Result<std::int64_t> parse_integer(std::string_view text, Unit unit) {
  std::string_view number = trimmed(text);
  std::int64_t value = 0;
  auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (fault != std::errc{}) return bad_value(text, wanted_number(unit));
  std::string_view suffix = trimmed({end, static_cast<std::size_t>(number.data() + number.size() - end)});
  if (suffix.empty()) return value;
  if (unit != Unit::bytes) return bad_value(text, wanted_number(unit));
  if (suffix.size() >= 2 && (suffix.back() == 'b' || suffix.back() == 'B')) suffix.remove_suffix(1);  // 64kb, 64KiB
  if (suffix.size() == 2 && suffix.back() == 'i') suffix.remove_suffix(1);
  constexpr std::string_view kSuffixes = "kmgt";
  std::size_t power = kSuffixes.find(static_cast<char>(std::tolower(static_cast<unsigned char>(suffix.front()))));
  if (suffix == "b" || suffix == "B") return value;
  if (suffix.size() != 1 || power == std::string_view::npos) return bad_value(text, wanted_number(unit));
  std::int64_t scaled;
  if (__builtin_mul_overflow(value, std::int64_t{1} << (10 * (power + 1)), &scaled)) {
    return bad_value(text, wanted_number(unit));
  }
  return scaled;
}

Result<double> parse_real(std::string_view text, Unit unit) {
  std::string_view number = trimmed(text);
  double value = 0;
  auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (fault != std::errc{} || !std::isfinite(value)) return bad_value(text, wanted_number(unit));
  std::string_view suffix = trimmed({end, static_cast<std::size_t>(number.data() + number.size() - end)});
  if (suffix.empty()) return value;
  if (unit != Unit::seconds) return bad_value(text, wanted_number(unit));
  if (suffix == "s") return value;
  if (suffix == "ms") return value * 1e-3;
  if (suffix == "us") return value * 1e-6;
  if (suffix == "ns") return value * 1e-9;
  if (suffix == "m" || suffix == "min") return value * 60;
  if (suffix == "h") return value * 3600;
  return bad_value(text, wanted_number(unit));
}

std::string KnobBase::environment_name() const { return capitals(name_); }

Error KnobBase::set(std::string_view text, KnobSource source) {
  switch (kind_) {
    case Kind::boolean: {
      bool yes = text == "1" || text == "yes" || text == "true" || text == "on";
      bool no = text == "0" || text == "no" || text == "false" || text == "off";
      if (!yes && !no) return bad_value(text, "yes or no");
      value_.boolean = yes;
      break;
    }
    case Kind::integer: {
      auto value = parse_integer(text, unit_);
      if (!value) return value.error();
      if (*value < 0) return bad_value(text, wanted_number(unit_));
      value_.integer = *value;
      break;
    }
    case Kind::real: {
      auto value = parse_real(text, unit_);
      if (!value) return value.error();
      if (*value < 0) return bad_value(text, wanted_number(unit_));
      value_.real = *value;
      break;
    }
    case Kind::text: {
      char* copy = strndup(text.data(), text.size());  // lives as long as the program: readers keep the pointer
      if (!copy) return Error(ErrorClass::no_mem, "no memory for the text of a knob");
      value_.text = copy;
      break;
    }
  }
  source_ = source;
  return {};
}

void KnobBase::reset() {
  value_ = preset_;
  source_ = KnobSource::preset;
}

std::string KnobBase::text_of(const Value& value) const {
  char text[64];
  switch (kind_) {
    case Kind::boolean:
      return value.boolean ? "yes" : "no";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::real:
      snprintf(text, sizeof text, "%g%s", value.real, unit_ == Unit::seconds ? "s" : "");
      return text;
    case Kind::text:
      return value.text ? value.text : "";
  }
  return {};
}

std::string KnobBase::value_text() const { return text_of(value_); }
std::string KnobBase::preset_text() const { return text_of(preset_); }

KnobBase* find_knob(std::span<const KnobGroup> groups, std::string_view name) {
  for (const KnobGroup& group : groups) {
    for (KnobBase* knob : group.knobs) {
      if (name == knob->name()) return knob;
    }
  }
  return nullptr;
}

Error load_knob_file(std::span<const KnobGroup> groups, const char* path, KnobSource source) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(fopen(path, "re"), fclose);
  if (!file) return make_error(ErrorClass::no_such_file, "%s: %s", path, strerror(errno));
  struct Line {
    char* text = nullptr;
    std::size_t room = 0;
    ~Line() { free(text); }
  } line;
  for (int number = 1; getline(&line.text, &line.room, file.get()) >= 0; ++number) {
    std::string_view text = trimmed(std::string_view(line.text).substr(0, std::strcspn(line.text, "#")));
    if (text.empty()) continue;
    if (Error error = apply_line(groups, text, source)) {
      return make_error(error.error_class(), "%s, line %d: %s", path, number, error.sentence());
    }
  }
  if (ferror(file.get())) return make_error(ErrorClass::io, "%s: %s", path, strerror(errno));
  return {};
}

Error load_knobs(std::span<const KnobGroup> groups) {
  OL_TRY(read_knobs(groups));
  if (const Error error = set_log_level(log_level.value())) {
    return make_error(error.error_class(), "log: %s", error.sentence());
  }
  warn_of_misspelt_variables(groups);
  return {};
}

Error read_knobs(std::span<const KnobGroup> groups) {
  if (const char* home = getenv("HOME")) {
    std::string path = std::string(home) + "/.ompi_lite.conf";
    Error error = load_knob_file(groups, path.c_str(), KnobSource::user_file);
    if (error && error.error_class() != ErrorClass::no_such_file) return error;
  }
  if (const char* path = getenv("OMPI_LITE_CONFIG"); path && *path) {
    OL_TRY(load_knob_file(groups, path, KnobSource::named_file));
  }
  for (const KnobGroup& group : groups) {
    for (KnobBase* knob : group.knobs) {
      std::string name = knob->environment_name();
      const char* text = getenv(name.c_str());
      if (!text) continue;
      if (Error error = knob->set(trimmed(text))) {
        return make_error(error.error_class(), "%s: %s", name.c_str(), error.sentence());
      }
    }
  }
  return {};
}

Result<KnobSetting> parse_knob_setting(std::string_view argument) {
  std::size_t equals = argument.find('=');
  std::string_view name = trimmed(argument.substr(0, equals));
  if (equals == std::string_view::npos || !valid_name(name)) {
    return make_error(ErrorClass::arg, "\"%.*s\" is not of the form name=value", static_cast<int>(argument.size()),
                      argument.data());
  }
  return KnobSetting{capitals(name), std::string(trimmed(argument.substr(equals + 1)))};
}

extern constinit Knob<std::int64_t> node_space, extra_space;
extern constinit Knob<double> spin_time;
extern constinit Knob<double> crowded_spin_time;

KnobGroup base_knobs() {
  static constexpr KnobBase* kKnobs[] = {&log_level, &slow_checks,       &node_space,  &extra_space,
                                         &spin_time, &crowded_spin_time, &machine_file};
  return {"base", kKnobs};
}

}  // namespace ompi_lite
