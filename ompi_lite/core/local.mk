# SPDX-License-Identifier: BSD-3-Clause
# The sources of ompi_lite/core, one a line: libompi_lite_la_SOURCES += ompi_lite/core/NAME.cc
libompi_lite_la_SOURCES += ompi_lite/core/attribute.cc
libompi_lite_la_SOURCES += ompi_lite/core/communicator.cc
libompi_lite_la_SOURCES += ompi_lite/core/context_id.cc
libompi_lite_la_SOURCES += ompi_lite/core/errhandler.cc
libompi_lite_la_SOURCES += ompi_lite/core/group.cc
libompi_lite_la_SOURCES += ompi_lite/core/handle.cc
libompi_lite_la_SOURCES += ompi_lite/core/info.cc
