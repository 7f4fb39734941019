# SPDX-License-Identifier: BSD-3-Clause
# The benchmark is built and run by its own script; nothing of it runs in `make check`.
