// SPDX-License-Identifier: BSD-3-Clause
// The six macros of the project. A macro is for what a function cannot do: quote its arguments, return for its caller, name
// a symbol.
#pragma once

#include "ompi_lite/base/check.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/log.h"

// OL_CHECK(a == b, a, b): a bug of ours if it does not hold. Prints expression, values and place, then aborts.
#define OL_CHECK(condition, ...)                                                                \
  (__builtin_expect(!(condition), 0)                                                            \
       ? ::ompi_lite::check_failed(#condition, __FILE__, __LINE__, #__VA_ARGS__, {__VA_ARGS__}) \
       : static_cast<void>(0))

// The same for checks that communicate or scan: only with the knob slow_checks.
#define OL_CHECK_SLOW(condition, ...)                                                           \
  (__builtin_expect(::ompi_lite::slow_checks.value() && !(condition), 0)                        \
       ? ::ompi_lite::check_failed(#condition, __FILE__, __LINE__, #__VA_ARGS__, {__VA_ARGS__}) \
       : static_cast<void>(0))

// OL_LOG(debug, "peer %d connected", peer): the arguments are evaluated only if the level is wanted.
#define OL_LOG(level, ...)                                                    \
  (__builtin_expect(::ompi_lite::log_wanted(::ompi_lite::LogLevel::level), 0) \
       ? ::ompi_lite::log_write(::ompi_lite::LogLevel::level, __VA_ARGS__)    \
       : static_cast<void>(0))

// OL_TRY(expression): hands the Error of the expression on to our own caller.
#define OL_TRY(...)                                                   \
  do {                                                                \
    if (::ompi_lite::Error ol_error = (__VA_ARGS__)) return ol_error; \
  } while (false)

// OL_EXPORT int PMPI_Send(...): a C symbol that leaves the library. Takes no argument, so that a search for "int PMPI_Send("
// finds the definition.
#define OL_EXPORT extern "C" __attribute__((visibility("default")))

// OL_ALIAS(Send): gives the body of PMPI_Send its weak public name MPI_Send, which tools may replace, and its private twin
// OLMPI_Send, which nobody does. Gcc would complain where it finds out that the body never throws; clang does not know that
// warning.
#define OL_ALIAS(name)                                                                                                   \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpragmas\"")                                         \
  _Pragma("GCC diagnostic ignored \"-Wunknown-warning-option\"")                                                         \
  _Pragma("GCC diagnostic ignored \"-Wmissing-attributes\"")                                                             \
  extern "C" __attribute__((visibility("default"), weak, alias("PMPI_" #name))) decltype(PMPI_##name) MPI_##name;        \
  extern "C" __attribute__((visibility("default"), alias("PMPI_" #name))) decltype(PMPI_##name) OLMPI_##name;            \
  _Pragma("GCC diagnostic pop")
