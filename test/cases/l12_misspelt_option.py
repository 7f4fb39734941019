# SPDX-License-Identifier: BSD-3-Clause
"""L12: unknown options and bad numbers are refused by name; nothing is taken for a program."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

cases = [(["--npp", 2, "true"], ["unknown option --npp", "--np"]), (["-npp", 2, "true"], ["-npp"]),
         (["-n", "two", "true"], ["-n", '"two"']), (["-n", -2, "true"], ['"-2"']), (["-n", 0, "true"], ['"0"']),
         (["-n", "2x", "true"], ['"2x"']), (["-n", "99999999999", "true"], ["99999999999"]), (["-n", "2"], ["no program"]), (["-n"], ["-n"]),
         (["--hostfil", "x", "true"], ["--hostfile"]), (["--bind-too", "core", "true"], ["--bind-to"]),
         (["--timeout", "soon", "true"], ['"soon"']), (["--timeout", "-1", "true"], ['"-1"']), (["--stdin", "5", "-n", 2, "true"], ["rank 5"]),
         (["--stdin", "some", "true"], ['"some"']), (["-x", "=1", "true"], ["-x"]), (["--set", "x", "true"], ["name=value"]),
         (["--map-by", "galaxy", "true"], ["galaxy"]), (["--host", "", "true"], ["--host"]), (["--host", "a b", "true"], ["a b"]),
         (["--host", "localhost:0", "true"], ["localhost:0"]), (["--quiet=1", "true"], ["--quiet"]), (["-n", 2, "true", ":"], ["no program"]),
         (["--set", "no_such_knob=1", "true"], ["no_such_knob"])]
for words, texts in cases:
    ran = mpirun(*words)
    expect(ran.code == 2, ran, "a usage error has exit code 2")
    expect(all(t in ran.err for t in texts) and ran.err.count("\n") == 1, ran, f"one message with {texts}")
    expect(ran.out == "", ran, "something ran")
# What has no meaning here is said, once, and does not stop anything.
ran = mpirun("--mca", "btl", "self,tcp", "-ppn", 1, "-n", 2, "echo", "x")
expect(ran.code == 0 and ran.out == "x\nx\n" and "btl" in ran.err and "-ppn" in ran.err, ran, "words about --mca and -ppn")
ran = mpirun("-q", "--mca", "btl", "self,tcp", "-n", 2, "echo", "x")
expect(ran.code == 0 and ran.err == "", ran, "--quiet")
for words in (["-np", 2], ["--np", 2], ["-c", 2], ["--n=2"], ["-np=2"], ["-n", 2, "--rank-by", "core", "--map-by", "slot"]):
    ran = mpirun(*words, "echo", "x")
    expect(ran.code == 0 and ran.out == "x\nx\n" and ran.err == "", ran, "two ranks")
# Nor is a transport that there is not.
program = build_c("hello", "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n")
ran = mpirun("-n", 2, "--set", "transports=self,shn", program)
expect(ran.code != 0 and "(self,shn) names 'shn'; there are self, shm, ofi, tcp" in ran.err, ran, "an unknown transport is named")
