// SPDX-License-Identifier: BSD-3-Clause
// The end of a program in which one of our own assumptions did not hold.
#include "ompi_lite/base/check.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "ompi_lite/base/log.h"

namespace ompi_lite {

constinit Knob<bool> slow_checks{"slow_checks", false, Unit::none, "run the checks that scan or communicate"};

namespace {

int print_value(char* to, std::size_t room, const CheckedValue& value) {
  switch (value.kind) {
    case CheckedValue::Kind::signed_integer:
      return snprintf(to, room, " %" PRId64, value.as_signed);
    case CheckedValue::Kind::unsigned_integer:
      return snprintf(to, room, " %" PRIu64, value.as_unsigned);
    case CheckedValue::Kind::real:
      return snprintf(to, room, " %g", value.as_real);
    case CheckedValue::Kind::pointer:
      return snprintf(to, room, " %p", value.as_pointer);
    case CheckedValue::Kind::text:
      return snprintf(to, room, " \"%s\"", value.as_text ? value.as_text : "(null)");
    case CheckedValue::Kind::none:
      break;
  }
  return 0;
}

}  // namespace

void check_failed(const char* expression, const char* file, int line, const char* names,
                  std::initializer_list<CheckedValue> values) {
  char text[512] = "";
  std::size_t used = 0;
  for (const CheckedValue& value : values) {
    int more = print_value(text + used, sizeof text - used, value);
    if (more > 0) used += static_cast<std::size_t>(more);
    if (used >= sizeof text) break;
  }
  if (values.size() == 0) {
    log_write(LogLevel::error, "bug: %s does not hold (%s:%d)", expression, file, line);
  } else {
    log_write(LogLevel::error, "bug: %s does not hold: %s are%s (%s:%d)", expression, names, text, file, line);
  }
  abort();
}

}  // namespace ompi_lite
