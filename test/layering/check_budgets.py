# SPDX-License-Identifier: BSD-3-Clause
"""Fails where a limit of section 2 of docs/architecture.md is passed."""

import re

import tree

FILE_LINES, FUNCTION_LINES, GENERATOR_LINES, ENTRY_LINES, MACROS, COLUMNS = 600, 100, 1500, 5000, 6, 125
MACRO_HEADER = "ompi_lite/base/macros.h"
IF_ALLOWED = re.compile(r"ompi_lite/(base/os|device/cuda/|include/)")
SUBRANGE = re.compile(r"\bstd::ranges::(unique|remove|remove_if|rotate|(stable_)?partition|search|search_n|find_end|equal_range)\(")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'', re.S)
CONTAINER = re.compile(r'\b(namespace|class|struct|union|enum)\b[^()=]*$|\bextern\s*""\s*$')


def without_comments_and_strings(text):
    """The same text, lines kept, with nothing in it that only looks like code."""
    return TOKEN.sub(lambda m: '""' if m[0][0] in "\"R" else "\n" * m[0].count("\n"), text)


def functions(code):
    """(first line, lines, head) of every outermost block that is not a namespace, a type or an initialiser."""
    stack, head_start, line, starts = [], 0, 1, []
    for position, char in enumerate(code):
        if char == "\n":
            line += 1
        elif char == "{":
            head = code[head_start:position]
            starts.append((line, head))
            stack.append(bool(CONTAINER.search(re.sub(r"\balignas\([^)]*\)|<[^<>]*>", "", head))))
            head_start = position + 1
        elif char == "}":
            if not stack:
                return
            container, (first, head) = stack.pop(), starts.pop()
            if not container and all(stack) and "(" in head and not head.rstrip().endswith("="):
                yield first, line - first + 1, " ".join(head.split())[-70:]
            head_start = position + 1
        elif char == ";":
            head_start = position + 1


def check_file(path, text, problems):
    generated, macros = tree.is_generated(path), []
    lines = text.count("\n")
    is_c_program = tree.C_PROGRAM.match(str(path))
    if not generated and path.parts[-2] != "include" and lines > FILE_LINES:
        problems.append(f"{path}: {lines} lines, at most {FILE_LINES}")
    if path.suffix == ".py":
        return macros
    code = without_comments_and_strings(text)
    for number, one in enumerate(code.splitlines(), 1):
        if re.match(r"\s*#\s*define\s+\w+\(", one) and not is_c_program:
            macros.append(f"{path}:{number}")
        if re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", one) and not is_c_program and not IF_ALLOWED.match(str(path)):
            problems.append(f"{path}:{number}: #if")
        if re.search(r"\bgoto\b", one):
            problems.append(f"{path}:{number}: goto")
        if SUBRANGE.search(one):
            problems.append(f"{path}:{number}: an algorithm that returns a subrange, which clang 14 does not compile")
    if not generated:
        problems += [f"{path}:{first}: function of {n} lines, at most {FUNCTION_LINES}: {head}"
                     for first, n, head in functions(code) if n > FUNCTION_LINES]
    return macros


def main():
    problems, macros, entry_lines = [], [], 0
    for path in tree.files(".h", ".cc", ".cu", ".c", ".py"):
        text = (tree.TOP / path).read_text()
        macros += check_file(path, text, problems)
        if path.match("ompi_lite/abi/gen/*"):
            entry_lines += text.count("\n")
    outside = [place for place in macros if not place.startswith(MACRO_HEADER)]
    problems += [f"{place}: function-like macro outside {MACRO_HEADER}" for place in outside]
    if len(macros) > MACROS:
        problems.append(f"{len(macros)} function-like macros, at most {MACROS}")
    if entry_lines > ENTRY_LINES:
        problems.append(f"ompi_lite/abi/gen: {entry_lines} lines, at most {ENTRY_LINES}")
    generator = sum(p.read_text().count("\n") for p in (tree.TOP / "ompi_lite/abi").glob("*.py"))
    if generator > GENERATOR_LINES:
        problems.append(f"the generator: {generator} lines, at most {GENERATOR_LINES}")
    tree.report("budgets", problems)


main()
