// SPDX-License-Identifier: BSD-3-Clause
// Formats the sentence of an Error.
#include "ompi_lite/base/error.h"

#include <cstdarg>
#include <cstdio>

namespace ompi_lite {

Error make_error(ErrorClass error_class, const char* format, ...) {
  static thread_local char sentence[512];
  char text[sizeof sentence];  // the arguments may point into the last sentence
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(sentence, sizeof sentence, "%s", text);
  return Error(error_class, sentence);
}

}  // namespace ompi_lite
