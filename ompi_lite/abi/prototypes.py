# SPDX-License-Identifier: BSD-3-Clause
"""The prototypes of mpi.h, which the generators of the C entry points and of the Fortran bindings read."""

import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
HEADER = TOP / "ompi_lite/include/mpi.h"
PROTOTYPE = re.compile(r"^(\w+(?: \*)?)\s*MPI_(\w+)\((.*)\);$", re.M)
PARAMETER = re.compile(r"^(?P<type>(?:const )?\w+ ?(?:\*+ ?)*)(?P<name>\w+)(?P<array>(?:\[\d*\])*)$")


class Parameter:
    """One parameter of a prototype: `type` without blanks around stars and with its brackets, as kinds.rules writes it."""

    def __init__(self, text):
        self.text = text
        match = PARAMETER.match(text)
        if match is None:
            raise SystemExit(f"cannot read the parameter '{text}'")
        self.name = match["name"]
        self.type = re.sub(r"\s*\*\s*", "*", match["type"]).strip() + match["array"]

    def unnamed(self):
        """The same declaration without its name, for entries that do not use it."""
        return re.sub(rf"\b{self.name}\b(?=(\[\d*\])*$)", "", self.text).rstrip()


class Prototype:
    """One MPI function. `name` is without MPI_."""

    def __init__(self, result, name, parameters):
        self.result, self.name, self.text = result, name, parameters
        texts = [] if parameters == "void" else parameters.split(", ")
        self.variadic = texts[-1:] == ["..."]
        self.parameters = [Parameter(text) for text in texts if text != "..."]

    def find(self, *types):
        """The first parameter of one of these types."""
        return next((one for one in self.parameters if one.type in types), None)


def read_prototypes():
    """All of them, in the order of mpi.h."""
    return [Prototype(*match) for match in PROTOTYPE.findall(HEADER.read_text())]
