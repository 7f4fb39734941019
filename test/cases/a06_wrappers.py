# SPDX-License-Identifier: BSD-3-Clause
"""A06: the wrappers' questions, -c, CC=mpicc, a prefix with blanks, CMake's FindMPI, pkg-config."""
# run: timeout=240
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import shlex
import shutil
import subprocess

from launching import TESTDIR, command, expect, mpirun, run

PREFIX = os.environ["PREFIX"]
hello = '#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); puts("hello"); return 0; }\n'
(TESTDIR / "hello.c").write_text(hello)
(TESTDIR / "hello.cc").write_text(hello)


def check_fortran(wrapper):
    shown = run([wrapper, "-show"])
    if shown.code != 0:
        expect("built without Fortran" in shown.err, shown, "the wrapper tells that there is no Fortran")
        return
    (TESTDIR / "hello.f90").write_text("program hello\n  use mpi\n  integer :: e\n  call MPI_Init(e)\n  call MPI_Finalize(e)\n"
                                       "  print '(a)', 'hello'\nend program\n")
    libraries = run([wrapper, "-showme:libs"])
    expect(libraries.out == "ompi_lite_mpifort mpi_abi\n" and "-lompi_lite_mpifort -lmpi_abi" in shown.out, libraries, "libraries")
    flags = {q: shlex.split(run([wrapper, q]).out) for q in ("-showme", "-showme:compile", "-showme:link")}
    done = run([flags["-showme"][0], *flags["-showme:compile"], "-c", "hello.f90", "-o", "alone_f.o"])
    expect(done.code == 0, done, "compile flags")
    done = run([flags["-showme"][0], "alone_f.o", *flags["-showme:link"], "-o", "alone_f"])
    expect(done.code == 0 and run(["./alone_f"], env={"LD_LIBRARY_PATH": None}).out == "hello\n", done, "link flags")
    done = run([wrapper, "hello.f90", "-o", "hello_f"])
    expect(done.code == 0 and run(["./hello_f"], env={"LD_LIBRARY_PATH": None}).out == "hello\n", done, "link")


def check_prefix(bin_folder):
    for tool, source in (("mpicc", "hello.c"), ("mpicxx", "hello.cc"), ("mpic++", "hello.cc"), ("mpiCC", "hello.cc")):
        wrapper = os.path.join(bin_folder, tool)
        answers = {q: run([wrapper, q]) for q in ("-show", "-showme", "-showme:compile", "-showme:link", "-showme:incdirs", "-showme:libdirs",
                                                  "-showme:libs", "-showme:version", "-compile_info", "-link_info", "-compile-info", "-link-info")}
        for ran in answers.values():
            expect(ran.code == 0 and ran.out.strip() and ran.err == "", ran, "no answer")
        lines = {q: shlex.split(ran.out) for q, ran in answers.items()}
        include, lib = lines["-showme:incdirs"], lines["-showme:libdirs"]
        expect(len(include) == 1 and os.path.exists(include[0] + "/mpi.h"), answers["-showme:incdirs"], "the folder of mpi.h")
        expect(len(lib) == 1 and os.path.exists(lib[0] + "/libmpi_abi.so"), answers["-showme:libdirs"], "the folder of the library")
        compiler = lines["-showme"][0]
        # The flags are complete: the compiler alone can work with them.
        done = run([compiler, *lines["-showme:compile"], "-c", source, "-o", "alone.o"])
        expect(done.code == 0, done, "compile flags")
        done = run([compiler, "alone.o", *lines["-showme:link"], "-o", "alone"])
        expect(done.code == 0, done, "link flags")
        expect(run(["./alone"]).out == "hello\n", done, "built by hand")
        shown = run([wrapper, "-show", "-c", source])
        expect("-lmpi_abi" not in shown.out and source in shown.out, shown, "-c must not link")
        done = run([wrapper, "-c", source])
        expect(done.code == 0 and (TESTDIR / "hello.o").exists() and done.err == "", done, "-c")
        done = run([wrapper, "hello.o", "-o", "linked"])
        expect(done.code == 0 and run(["./linked"], env={"LD_LIBRARY_PATH": None}).out == "hello\n", done, "link")
        done = run([wrapper, "-E", source])
        expect(done.code == 0 and "MPI_Init" in done.out, done, "-E")
        done = run([wrapper, "-v"])
        expect(done.code == 0, done, "-v alone calls no linker")
        for variables in ({"CC": "mpicc", "CXX": "mpicxx"}, {"OMPI_CC": wrapper, "OMPI_CXX": wrapper}, {"MPICH_CC": "mpicc", "MPICH_CXX": "mpicxx"}):
            path = bin_folder + ":" + os.environ["PATH"]
            done = run([wrapper, source, "-o", "loop"], env={**variables, "PATH": path}, timeout=60)
            expect(done.code == 0, done, f"loops with {variables}")
    other = run([os.path.join(bin_folder, "mpicc"), "-show"], env={"OMPI_LITE_CC": "other-cc -flag"})
    expect(other.out.startswith("other-cc -flag "), other, "another compiler")
    for tool in ("mpifort", "mpif90", "mpif77"):
        check_fortran(os.path.join(bin_folder, tool))


check_prefix(os.path.join(PREFIX, "bin"))
# The installation, moved to where blanks are.
moved = TESTDIR / "a moved  prefix" / "x y"
shutil.copytree(PREFIX, moved, symlinks=True)
check_prefix(os.path.join(moved, "bin"))
ran = run([moved / "bin" / "mpirun", "-n", "2", "./linked"])
expect(ran.code == 0 and ran.out == "hello\nhello\n", ran, "mpirun of the moved installation")

if shutil.which("cmake"):
    project = TESTDIR / "project"
    project.mkdir()
    names = ["hello_c", "hello_cxx"]
    (project / "hello.c").write_text(hello)
    (project / "hello.cc").write_text(hello)
    (project / "CMakeLists.txt").write_text("""
cmake_minimum_required(VERSION 3.20)
project(hello C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
add_executable(hello_c hello.c)
target_link_libraries(hello_c MPI::MPI_C)
add_executable(hello_cxx hello.cc)
target_link_libraries(hello_cxx MPI::MPI_CXX)
""")
    if run([os.path.join(PREFIX, "bin/mpifort"), "-show"]).code == 0:
        with open(project / "CMakeLists.txt", "a") as lists:
            lists.write("""
enable_language(Fortran)
find_package(MPI REQUIRED COMPONENTS Fortran)
add_executable(hello_fortran hello.f90)
target_link_libraries(hello_fortran MPI::MPI_Fortran)
""")
        shutil.copy(TESTDIR / "hello.f90", project)
        names.append("hello_fortran")
    for prefix in (PREFIX, moved):
        build = TESTDIR / ("build-moved" if prefix == moved else "build")
        env = {"PATH": f"{prefix}/bin:{os.environ['PATH']}"}
        done = run(["cmake", "-S", project, "-B", build, f"-DMPI_HOME={prefix}"], env=env, timeout=120)
        expect(done.code == 0 and f"{prefix}" in (build / "CMakeCache.txt").read_text(), done, "FindMPI")
        done = run(["cmake", "--build", build], env=env, timeout=120)
        expect(done.code == 0, done, "a CMake project does not build")
        for name in names:
            linked = subprocess.run(["ldd", build / name], capture_output=True, text=True).stdout
            expect(f"{prefix}" in linked, linked, "linked to another library")
            ran = run([f"{prefix}/bin/mpirun", "-n", "2", build / name])
            expect(ran.code == 0 and ran.out == "hello\nhello\n", ran, "a CMake project does not run")
else:
    print("no cmake here: FindMPI not tried")
if shutil.which("pkg-config"):
    folders = [str(p.parent) for p in __import__("pathlib").Path(PREFIX).rglob("ompi-lite.pc")]
    expect(folders, PREFIX, "no pkg-config file")
    env = {"PKG_CONFIG_PATH": folders[0]}
    done = run(["pkg-config", "--cflags", "--libs", "ompi-lite"], env=env)
    expect(done.code == 0 and "-lmpi_abi" in done.out, done, "pkg-config")
