# SPDX-License-Identifier: BSD-3-Clause
"""What generate.py knows of a Fortran binding: bindings.rules joined with the C prototypes of mpi.h."""

import pathlib
import re
import sys

FORTRAN = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FORTRAN.parent / "abi"))
from prototypes import HEADER, Prototype, read_prototypes  # noqa: E402

HANDLES = ("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win")
KINDS = {"int": "integer", "MPI_Aint": "integer(MPI_ADDRESS_KIND)", "MPI_Offset": "integer(MPI_OFFSET_KIND)",
         "MPI_Count": "integer(MPI_COUNT_KIND)", "double": "double precision"}
WITHOUT_IERROR = ("Pcontrol", "F_sync_reg", "Wtime", "Wtick", "Aint_add", "Aint_diff")
BY_HAND = ("Op_create", "Op_create_c", "Comm_create_errhandler", "File_create_errhandler", "Session_create_errhandler",
           "Win_create_errhandler", "Grequest_start", "Register_datarep", "Register_datarep_c", "Comm_create_keyval",
           "Type_create_keyval", "Win_create_keyval", "Keyval_create", "Comm_get_attr", "Type_get_attr", "Win_get_attr", "Attr_get",
           "Info_get", "Info_get_string", "Session_get_nth_pset", "Comm_spawn", "Comm_spawn_multiple", "Status_f2f08",
           "Status_f082f")
OF_MPI_1 = ("Attr_get", "Attr_put", "Attr_delete", "Keyval_create", "Keyval_free")  # attributes and states are INTEGER
ONLY_DESCRIPTORS = ("Sizeof",)  # needs to know the type of its argument
WITHOUT_C = {"F_sync_reg": "void*", "Sizeof": "const void*"}


class Argument:
    """One dummy argument. `c_type` as in Prototype; `handle` is Comm ... or None."""

    def __init__(self, direction, kind, name, length, c_type):
        self.direction, self.kind, self.name, self.length, self.c_type = direction, kind, name, length, c_type
        match = re.search(r"MPI_(\w+?)(?=[*\[]|$)", c_type)
        self.handle = match[1] if match and match[1] in HANDLES and kind == "plain" else None
        self.array = "[" in c_type or (length is not None and kind != "string")
        self.base = re.sub(r"^const |\[.*|\*+$", "", c_type)
        self.pointer = c_type.endswith("*")

    def c_name(self):
        return {"assert": "assertion", "string": "text", "index": "place"}.get(self.name, self.name)


class Binding:
    """One function with Fortran bindings; `name` is that of the C function without MPI_, so it may end in _c."""

    def __init__(self, name, forms, arguments, result, missing):
        self.name, self.forms, self.arguments, self.result = name, forms, arguments, result
        self.missing = missing  # what the C function takes before the arguments that Fortran has: argc, argv
        self.has_ierror = name not in WITHOUT_IERROR
        self.is_function = name in ("Wtime", "Wtick", "Aint_add", "Aint_diff")

    def buffers(self):
        return [one for one in self.arguments if one.kind == "buffer"]

    def strings(self):
        return [one for one in self.arguments if one.kind in ("string", "strings")]

    def is_large(self):
        return self.name.endswith("_c")


def read_arguments(text, prototype, large):
    parts = [re.match(r"(\w+) (\S+) (\w+)(?:\[(.*?)\])?( large_only)?$", one).groups() for one in text.split("; ") if one]
    parts = [one[:4] for one in parts if large or not one[4]]
    c_types = [one.type for one in prototype.parameters]
    missing = len(c_types) - len(parts)
    if missing and not all(one.name in ("argc", "argv") for one in prototype.parameters[:missing]):
        raise SystemExit(f"MPI_{prototype.name}: bindings.rules has {len(parts)} parameters, mpi.h {len(c_types)}")
    return [Argument(*one, c_type) for one, c_type in zip(parts, c_types[missing:])], prototype.parameters[:missing]


def read_bindings():
    """All bindings, in the order of bindings.rules; the large form follows its small one."""
    prototypes = {one.name: one for one in read_prototypes()}
    result = []
    for line in (FORTRAN / "bindings.rules").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, forms, text = (cell.strip() for cell in line.split("|"))
        forms = forms.split()
        if name in WITHOUT_C:
            rest = ", int *size" if name == "Sizeof" else ""
            prototypes[name] = Prototype("int", name, f"{WITHOUT_C[name][:-1]} *buf{rest}")
        if name in ("Status_f2f08", "Status_f082f"):
            prototypes[name] = Prototype("int", name, "const MPI_Status *from, MPI_Status *to")
        prototype = prototypes[name]
        small = Binding(name, [one for one in forms if one != "large"], *split(text, prototype, False))
        result.append(small)
        if "large" in forms and f"{name}_c" in prototypes:
            large = Binding(f"{name}_c", ["f08"], *split(text, prototypes[f"{name}_c"], True))
            if [fortran_type(one) for one in small.arguments] != [fortran_type(one) for one in large.arguments]:
                result.append(large)  # else they could not be told apart, and need not be
    return result


def split(text, prototype, large):
    arguments, missing = read_arguments(text, prototype, large)
    return arguments, prototype.result, missing


def fortran_type(argument):
    """What tells the specific procedures of a generic name apart; addresses, offsets and counts have one kind."""
    if argument.base in ("MPI_Aint", "MPI_Offset", "MPI_Count"):
        return "integer(8)"
    return KINDS.get(argument.base, argument.base) if argument.kind not in ("buffer", "string", "callback") else argument.kind


def constants():
    """(name, value, type) of the #defines of mpi.h that Fortran has too; type is integer, offset or a kind of handle."""
    text = HEADER.read_text()
    for name, value in re.findall(r"^#define (MPI_\w+) (.+?)(?: */\*.*)?$", text, re.M):
        if re.match(r"MPI_(T_|F_|F08_)", name):
            continue
        number = re.fullmatch(r"\(?(-?(?:0x)?[0-9a-fA-F]+)\)?", value)
        handle = re.fullmatch(r"\(\(MPI_(\w+)\)\s*(0x[0-9a-fA-F]+)\)", value)
        offset = re.fullmatch(r"\(\(MPI_Offset\)\s*\(?(-?\d+)\)?\)", value)
        if number:
            shorter = 1 if name.startswith("MPI_MAX_") else 0  # no place for a null character
            yield name, int(number[1], 0) - shorter, "integer"
        elif offset:
            yield name, int(offset[1]), "offset"
        elif handle and handle[1] in HANDLES:
            yield name, int(handle[2], 0), handle[1]
