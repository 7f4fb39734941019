# SPDX-License-Identifier: BSD-3-Clause
# Sources of the test program, one a line: test_transport_transport_SOURCES += test/transport/NAME_test.cc
test_transport_transport_SOURCES += test/transport/transports_test.cc
