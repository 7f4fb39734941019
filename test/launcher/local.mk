# SPDX-License-Identifier: BSD-3-Clause
# Tests that stand alone, one a line: TESTS += test/launcher/NAME.py
TESTS += test/launcher/info.py
