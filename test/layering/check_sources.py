# SPDX-License-Identifier: BSD-3-Clause
"""Fails on a source that no local.mk names, on a name without its source, and on a file that does not open with the licence."""

import re

import tree

LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
BY_OTHER_MEANS = re.compile(r"(test/(external|mpi|cases|bench|abi|fuzz)|docs)/")  # compiled by runners, with the installed mpicc


def main():
    problems = []
    makefiles = [tree.TOP / "Makefile.am", *(p for root in tree.ROOTS for p in (tree.TOP / root).rglob("local.mk"))]
    named = set(re.findall(r"[\w./-]+\.(?:cc|cu)\b", "\n".join(re.sub(r"(?m)^#.*", "", p.read_text()) for p in makefiles)))
    for path in tree.files(".cc", ".cu"):
        if str(path) not in named and not BY_OTHER_MEANS.match(str(path)):
            problems.append(f"{path}: no local.mk names it")
    problems += [f"{name}: named in a local.mk, but not there" for name in sorted(named)
                 if "/" in name and not (tree.TOP / name).is_file()]
    for path in tree.files(".h", ".cc", ".cu", ".c", ".py", ".sh", ".mk", ".rules"):
        first = (tree.TOP / path).read_text().splitlines()[:2]
        if not any(LICENCE in line for line in first):
            problems.append(f"{path}: does not open with {LICENCE}")
    tree.report("sources", problems)


main()
