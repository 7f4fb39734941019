# SPDX-License-Identifier: BSD-3-Clause
# The sources of ompi_lite/base, one a line: libompi_lite_base_la_SOURCES += ompi_lite/base/NAME.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/check.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/error.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/knob.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/launcher_knobs.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/log.cc ompi_lite/base/object_space.h ompi_lite/base/object_space.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/progress.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/counters.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/os.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/os_copy.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/copy.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/wait.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/blocking.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/locality.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/segment.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/flight_recorder.cc
libompi_lite_base_la_SOURCES += ompi_lite/base/flight_reader.cc
