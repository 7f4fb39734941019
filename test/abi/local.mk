# SPDX-License-Identifier: BSD-3-Clause
# Tests that stand alone, one a line: TESTS += test/abi/NAME.py
TESTS += test/abi/header.py test/abi/names.py
