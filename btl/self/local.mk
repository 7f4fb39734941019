# SPDX-License-Identifier: BSD-3-Clause
# The sources of btl/self, one a line: libompi_lite_la_SOURCES += btl/self/NAME.cc
libompi_lite_la_SOURCES += btl/self/transport.cc
