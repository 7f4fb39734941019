# SPDX-License-Identifier: BSD-3-Clause
# The sources of pml, one a line: libompi_lite_la_SOURCES += pml/NAME.cc
libompi_lite_la_SOURCES += pml/landing.cc
libompi_lite_la_SOURCES += pml/match.cc
libompi_lite_la_SOURCES += pml/bsend.cc
libompi_lite_la_SOURCES += pml/tune.cc
libompi_lite_la_SOURCES += pml/pml.cc
libompi_lite_la_SOURCES += pml/device.cc
libompi_lite_la_SOURCES += pml/send.cc
libompi_lite_la_SOURCES += pml/recv.cc
libompi_lite_la_SOURCES += pml/rendezvous.cc
libompi_lite_la_SOURCES += pml/shared_copy.cc
libompi_lite_la_SOURCES += pml/probe.cc
libompi_lite_la_SOURCES += pml/compare.cc
