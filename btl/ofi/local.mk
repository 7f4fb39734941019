# SPDX-License-Identifier: BSD-3-Clause
# The sources of btl/ofi, one a line: libompi_lite_la_SOURCES += btl/ofi/NAME.cc. libfabric is opened at run time, not linked.
libompi_lite_la_SOURCES += btl/ofi/knobs.cc
if HAVE_LIBFABRIC
AM_CPPFLAGS += $(LIBFABRIC_CFLAGS)
libompi_lite_la_SOURCES += btl/ofi/fabric.cc
libompi_lite_la_SOURCES += btl/ofi/library.cc
libompi_lite_la_SOURCES += btl/ofi/provider.cc
libompi_lite_la_SOURCES += btl/ofi/reach.cc
libompi_lite_la_SOURCES += btl/ofi/transport.cc
else
libompi_lite_la_SOURCES += btl/ofi/absent.cc
endif
