# SPDX-License-Identifier: BSD-3-Clause
# The sources of btl/tcp, one a line: libompi_lite_la_SOURCES += btl/tcp/NAME.cc
