# SPDX-License-Identifier: BSD-3-Clause
# The sources of ompi_lite/runtime, one a line: libompi_lite_la_SOURCES += ompi_lite/runtime/NAME.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/door.cc
