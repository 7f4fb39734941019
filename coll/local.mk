# SPDX-License-Identifier: BSD-3-Clause
# The sources of coll, one a line: libompi_lite_la_SOURCES += coll/NAME.cc
libompi_lite_la_SOURCES += coll/coll.cc
libompi_lite_la_SOURCES += coll/reductions.cc
libompi_lite_la_SOURCES += coll/reproducible.cc
libompi_lite_la_SOURCES += coll/forced.cc
libompi_lite_la_SOURCES += coll/inter.cc
libompi_lite_la_SOURCES += coll/neighbor.cc
libompi_lite_la_SOURCES += coll/direct.cc
libompi_lite_la_SOURCES += coll/select.cc
libompi_lite_la_SOURCES += coll/state.cc
libompi_lite_la_SOURCES += coll/node/region.cc
libompi_lite_la_SOURCES += coll/node/one_shot.cc
libompi_lite_la_SOURCES += coll/node/cells.cc
libompi_lite_la_SOURCES += coll/schedule.cc
libompi_lite_la_SOURCES += coll/nonblocking.cc
libompi_lite_la_SOURCES += coll/group_messages.cc
libompi_lite_la_SOURCES += coll/compare.cc
