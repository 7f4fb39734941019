#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the Fortran bindings with the programs of MPICH's suite (test/mpi/f77, f90, f08 of Debian's source package).

    mpich_fortran.py PREFIX WORKDIR SOURCE [f90/pt2pt ...]

SOURCE is the unpacked package, as mpich_suite.py fetches it. A line of a testlist passes with exit status 0 and " No Errors" as
its last line; what the standard does not ask for and what is not built yet is counted apart. The folders of what is not built yet
(rma, io, spawn) run only when they are named. The exit status is 0 when no other line failed.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

LEFT_OUT = ("rma", "io", "spawn")
# Lines that cannot pass, and why: counted apart.
NOT_RIGHT = {
    "typecntsf": "names combiners that MPI-3.0 removed", "allctypesf": "wants MPI_LB, which MPI-3.0 removed",
    "allctypesf90": "as allctypesf", "allctypesf08": "passes an INTEGER as TYPE(MPI_Datatype)",
    "baseenvf": "takes MPI 5 for no version",
    "baseenvf90": "takes MPI 5 for no version", "profile1f90": "replaces a procedure of the module that it uses without renaming it",
    "greqf": "wants extra_state to be the variable itself, not its value", "greqf90": "as greqf", "greqf08": "as greqf",
    "alltoallvf90": "scalars stand for arrays, which an explicit interface refuses", "split_typef90": "as alltoallvf90",
    "vw_inplacef90": "as alltoallvf90", "nonblocking_inpf90": "as alltoallvf90",
    "c2fmult": "needs the C library of the configured suite", "c2f90mult": "as c2fmult", "createf90types": "as c2fmult",
    "c2f2cf90": "its C source is not in the package", "ctypesinf90": "as c2f2cf90", "attrlangf08": "passes a TYPE(MPI_Win) as an INTEGER",
}
UTIL = {"f77": ("mtest_f77.f", []), "f90": ("mtest_f90.f90", []), "f08": ("mtest_f08.f90", [])}


def sources_of(folder, program, suffix):
    makefile = (folder / "Makefile.am").read_text().replace("\\\n", " ")
    named = re.search(rf"^(?:nodist_)?{program}_SOURCES\s*=(.*)$", makefile, re.M)
    return named[1].split() if named else [program + suffix]


def build(prefix, top, language, folder, program):
    """Compiles and links one program; the compiler's words if it cannot."""
    suffix = ".f" if language == "f77" else ".f90"
    compiler, mpicc = f"{prefix}/bin/mpifort", f"{prefix}/bin/mpicc"
    flags = ["-w", "-O1", f"-I{top}/include", f"-I{top}/util/{language}"] + (["-fallow-argument-mismatch"] if language == "f77" else [])
    objects = [str(top / "util" / language / "mtest.o")]
    for source in sources_of(folder, program, suffix):
        if source.endswith(".h"):
            continue
        name = f"{program}.{source}.o"
        command = [mpicc, "-w", "-I.", f"-I{top}/include"] if source.endswith(".c") else [compiler, *flags]
        done = subprocess.run([*command, "-c", "-o", name, source], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return done.stderr
        objects.append(name)
    done = subprocess.run([compiler, "-o", program, *objects], cwd=folder, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def run(prefix, folder, words):
    np = words[1] if len(words) > 1 else "1"
    try:
        done = subprocess.run([f"{prefix}/bin/mpirun", "-n", np, "./" + words[0]], cwd=folder, capture_output=True, text=True,
                              errors="replace", timeout=60)
    except subprocess.TimeoutExpired:
        return "timed out"
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    if done.returncode == 0 and lines[-1:] in (["No Errors"], ["No errors"]):
        return ""
    return (done.stderr.strip().splitlines() or lines or [f"exit {done.returncode}"])[0]


def prepare(prefix, source, work):
    """A copy of the sources in which configure's places are filled; the objects that every program needs."""
    top = work / "mpi"
    if not top.exists():
        shutil.copytree(source / "test/mpi", top, symlinks=True)
        for template in [*top.glob("f*/*/*.h.in"), *top.glob("f*/*/*.defn")]:
            text = template.read_text()
            for name in ("ADDRESS", "OFFSET"):
                text = text.replace(f"@F77_MPI_{name}@", "integer(kind=8)")
            template.with_suffix("").write_text(text)
        for template in top.glob("f*/ext/testlist.in"):
            template.with_suffix("").write_text(template.read_text())
        (top / "include").mkdir(exist_ok=True)
        defined = ("F77_NAME_LOWER_USCORE 1", "HAVE_STDLIB_H 1", "THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX")
        (top / "include/mpitestconf.h").write_text("".join(f"#define {one}\n" for one in defined))
    for language, (file, flags) in UTIL.items():
        folder = top / "util" / language
        folder.mkdir(exist_ok=True)
        done = subprocess.run([f"{prefix}/bin/mpifort", "-w", "-O1", *flags, "-c", "-o", "mtest.o", f"../{file}"], cwd=folder,
                              capture_output=True, text=True)
        if done.returncode:
            print(f"{file}: {done.stderr[:600]}", file=sys.stderr)
    return top


def main():
    prefix, work, source = (pathlib.Path(one).absolute() for one in sys.argv[1:4])
    work.mkdir(parents=True, exist_ok=True)
    top = prepare(prefix, source, work)
    wanted = sys.argv[4:] or [f"{language}/{one.name}" for language in UTIL for one in sorted((top / language).iterdir())
                              if (one / "testlist").exists() and one.name not in LEFT_OUT]
    counts = collections.defaultdict(collections.Counter)
    for name in wanted:
        language, folder = name.split("/")[0], top / name
        for text in (folder / "testlist").read_text().splitlines():
            words = text.split("#")[0].split()
            if not words or words[0].startswith("@"):
                continue
            said = build(prefix, top, language, folder, words[0])
            trouble = "does not build: " + (re.findall(r"(?:Error|undefined).*", said) or [said])[0] if said else run(prefix, folder, words)
            status = "passed" if not trouble else "not yet" if "is not implemented yet" in trouble else "failed"
            if status == "failed" and words[0] in NOT_RIGHT:
                status, trouble = "not right", NOT_RIGHT[words[0]]
            counts[name][status] += 1
            if trouble:
                print(f"{name}/{words[0]}: {status}: {trouble}", flush=True)
    counts["all"] = sum(counts.values(), collections.Counter())
    for name, one in counts.items():
        print(f"{name}: " + ", ".join(f"{one[status]} {status}" for status in ("passed", "failed", "not yet", "not right")))
    return 1 if counts["all"]["failed"] else 0


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    sys.exit(main())
