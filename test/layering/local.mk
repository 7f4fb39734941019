# SPDX-License-Identifier: BSD-3-Clause
# The house rules that a program can check.
TESTS += test/layering/check_sources.py test/layering/check_includes.py test/layering/check_budgets.py test/layering/check_symbols.py test/layering/check_generated.py
