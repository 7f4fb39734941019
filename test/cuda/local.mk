# SPDX-License-Identifier: BSD-3-Clause
# Device memory in every call, on the doubles of driver and device.
TESTS += test/cuda/table.py test/cuda/fatbin.py
