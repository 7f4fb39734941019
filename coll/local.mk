# SPDX-License-Identifier: BSD-3-Clause
# The sources of coll, one a line: libompi_lite_la_SOURCES += coll/NAME.cc
