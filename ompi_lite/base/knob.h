// SPDX-License-Identifier: BSD-3-Clause
// Knobs: named settings with a default. One spelling everywhere: `name` in the file and in `mpirun --set name=value`,
// OMPI_LITE_NAME in the environment.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "ompi_lite/base/error.h"

namespace ompi_lite {

// What a number stands for. Bytes may be written 64k, 2m, 1g (powers of 1024), seconds 30s, 5ms, 10us, 2m, 1h.
enum class Unit { none, bytes, seconds, ranks };

// Where the value in force comes from, weakest first. The environment beats the files, $OMPI_LITE_CONFIG beats
// ~/.ompi_lite.conf.
enum class KnobSource { preset, user_file, named_file, environment };

// What all knobs have in common. A knob is a constinit global beside its use, set once by load_knobs before threads start.
class KnobBase {
 public:
  enum class Kind { boolean, integer, real, text };

  using Known = std::string (*)();  // what the value may be, in lines; null where `help` says it

  constexpr KnobBase(Kind kind, const char* name, Unit unit, const char* help, Known values)
      : name_(name), help_(help), known_(values), kind_(kind), unit_(unit) {}
  KnobBase(const KnobBase&) = delete;
  KnobBase& operator=(const KnobBase&) = delete;

  constexpr const char* name() const { return name_; }
  constexpr const char* help() const { return help_; }
  std::string known() const { return known_ == nullptr ? std::string() : known_(); }
  constexpr Kind kind() const { return kind_; }
  constexpr Unit unit() const { return unit_; }
  constexpr KnobSource source() const { return source_; }
  std::string environment_name() const;  // OMPI_LITE_ and the name in capitals

  // Takes the text over as the value; an Error says what is wrong with it and leaves the value as it was.
  Error set(std::string_view text, KnobSource source = KnobSource::environment);
  std::string value_text() const;
  std::string preset_text() const;
  void reset();  // back to the preset

 protected:
  union Value {
    bool boolean;
    std::int64_t integer;
    double real;
    const char* text;
  };
  Value preset_{};
  Value value_{};

 private:
  std::string text_of(const Value& value) const;

  const char* name_;
  const char* help_;
  Known known_;
  Kind kind_;
  Unit unit_;
  KnobSource source_ = KnobSource::preset;
};

// T: bool, std::int64_t, double or const char*.
template <class T>
class Knob final : public KnobBase {
 public:
  constexpr Knob(const char* name, T preset, Unit unit, const char* help, Known values = nullptr)
      : KnobBase(kind_of(), name, unit, help, values) {
    preset_ = value_ = make(preset);
  }

  constexpr T value() const {
    if constexpr (std::is_same_v<T, bool>) {
      return value_.boolean;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return value_.integer;
    } else if constexpr (std::is_same_v<T, double>) {
      return value_.real;
    } else {
      return value_.text;
    }
  }

 private:
  static constexpr Kind kind_of() {
    if constexpr (std::is_same_v<T, bool>) {
      return Kind::boolean;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return Kind::integer;
    } else if constexpr (std::is_same_v<T, double>) {
      return Kind::real;
    } else {
      static_assert(std::is_same_v<T, const char*>, "a knob is a bool, a std::int64_t, a double or a text");
      return Kind::text;
    }
  }

  static constexpr Value make(T preset) {
    if constexpr (std::is_same_v<T, bool>) {
      return Value{.boolean = preset};
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return Value{.integer = preset};
    } else if constexpr (std::is_same_v<T, double>) {
      return Value{.real = preset};
    } else {
      return Value{.text = preset};
    }
  }
};

// The knobs of one component, as it lists them itself: `constinit KnobBase* const shm_knobs[] = {&ring_bytes, ...}`.
struct KnobGroup {
  const char* component;
  std::span<KnobBase* const> knobs;
};

// All knobs of the library. Declared here for whoever enumerates them (ompi_lite_info, MPI_T, the docs); defined, as one
// visible list, in runtime/knob_list.cc.
std::span<const KnobGroup> all_knobs();

// The knobs of this folder: log, slow_checks, node_space, spin_time.
KnobGroup base_knobs();

KnobBase* find_knob(std::span<const KnobGroup> groups, std::string_view name);

// Reads ~/.ompi_lite.conf, $OMPI_LITE_CONFIG and the environment into the knobs of the groups, then applies the log level.
// The first bad line or value is the Error: it names file, line and word, or the variable. A variable that looks like a
// misspelt knob is warned of.
Error load_knobs(std::span<const KnobGroup> groups);

// The first half of that: the values alone.
Error read_knobs(std::span<const KnobGroup> groups);

// The values of one file of `name = value` lines ('#' begins a comment). Names that no group has are an Error too.
Error load_knob_file(std::span<const KnobGroup> groups, const char* path, KnobSource source);

// Parses `name=value` as mpirun --set takes it, for export as an environment variable. Checks the name's letters only.
struct KnobSetting {
  std::string environment_name;
  std::string value;
};
Result<KnobSetting> parse_knob_setting(std::string_view argument);

// 64k -> 65536. Exported for option parsers.
Result<std::int64_t> parse_integer(std::string_view text, Unit unit);
// 5ms -> 0.005
Result<double> parse_real(std::string_view text, Unit unit);

}  // namespace ompi_lite
