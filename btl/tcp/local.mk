# SPDX-License-Identifier: BSD-3-Clause
# The sources of btl/tcp, one a line: libompi_lite_la_SOURCES += btl/tcp/NAME.cc
libompi_lite_la_SOURCES += btl/tcp/connect.cc
libompi_lite_la_SOURCES += btl/tcp/connection.cc
libompi_lite_la_SOURCES += btl/tcp/handshake.cc
libompi_lite_la_SOURCES += btl/tcp/interfaces.cc
libompi_lite_la_SOURCES += btl/tcp/socket.cc
libompi_lite_la_SOURCES += btl/tcp/transport.cc
