# SPDX-License-Identifier: BSD-3-Clause
# The sources of ompi_lite/runtime, one a line: libompi_lite_la_SOURCES += ompi_lite/runtime/NAME.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/singleton_bootstrap.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/pmix_bootstrap.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/pmi1_bootstrap.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/pmi1_wire.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/find_bootstrap.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/process.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/knob_list.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/life.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/leftovers.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/sessions.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/from_groups.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/flight_recorder.cc
libompi_lite_la_SOURCES += ompi_lite/runtime/traffic.cc
