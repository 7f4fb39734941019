# SPDX-License-Identifier: BSD-3-Clause
"""Fails on an include against the table in section 4 of docs/architecture.md, on a missing one and on a cycle."""

import os
import pathlib
import re

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
GENERATED = ("ompi_lite/config.h", "launcher/install_dirs.h")  # made by configure and make


def folder_of(path):
    """The table's name for the place of a header or source."""
    parts = pathlib.PurePath(path).parts
    if str(path) in ("ompi_lite/include/mpi.h", "ompi_lite/include/mpix.h"):
        return "mpi.h"
    return parts[1] if parts[0] == "ompi_lite" and len(parts) > 2 else parts[0]


def read_table():
    text = (tree.TOP / "docs/architecture.md").read_text()
    section = text.split("\n## 4.")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    columns = rows[0][1:]
    allowed = {}
    for name, *marks in rows[2:]:
        may = {one.strip() for column, mark in zip(columns, marks) if mark for one in column.split(",")}
        for one in name.split(","):
            allowed[one.strip()] = may | {one.strip()}
    return allowed


def cycles(graph):
    """The first cycle through each file that is on one."""
    done, found = set(), []

    def visit(node, path):
        if node in path:
            found.append(path[path.index(node):] + [node])
        elif node not in done:
            for next_node in sorted(graph.get(node, ())):
                visit(next_node, path + [node])
            done.add(node)

    for node in sorted(graph):
        visit(node, [])
    return found


def main():
    allowed, problems, graph = read_table(), [], {}
    for path in tree.files(".h", ".cc", ".cu", ".c"):
        source = folder_of(path)
        text = (tree.TOP / path).read_text()
        for match in INCLUDE.finditer(text):
            target, line = match[1], text.count("\n", 0, match.start()) + 1
            if source == "mpi.h" or tree.C_PROGRAM.match(str(path)):  # users' compilers meet these, without an -I of ours
                target = os.path.normpath(path.parent / target)
            if target in GENERATED:
                continue
            if not (tree.TOP / target).is_file():
                problems.append(f'{path}:{line}: no "{target}" from the top of the tree')
                continue
            graph.setdefault(str(path), set()).add(target)
            if source in allowed and folder_of(target) not in allowed[source]:
                problems.append(f"{path}:{line}: {source} may not include {folder_of(target)} ({target})")
            elif source not in allowed and source not in ("mpi.h", "docs"):
                problems.append(f"{path}: the folder {source} has no row in the table")
    problems += ["cycle: " + " -> ".join(cycle) for cycle in cycles(graph)]
    tree.report("includes", sorted(set(problems)))


main()
