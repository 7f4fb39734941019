# SPDX-License-Identifier: BSD-3-Clause
# The programs in bin. They include floor 0 alone and meet the ranks only through PMIx and the environment.
noinst_LTLIBRARIES += liblauncher.la
liblauncher_la_SOURCES = \
  launcher/agent.cc \
  launcher/allocation.cc \
  launcher/branches.cc \
  launcher/crew.cc \
  launcher/daemon.cc \
  launcher/doorman.cc \
  launcher/elf.cc \
  launcher/environment.cc \
  launcher/exchange.cc \
  launcher/hang_report.cc \
  launcher/hang_watch.cc \
  launcher/host_setup.cc \
  launcher/hosts.cc \
  launcher/io_forward.cc \
  launcher/job.cc \
  launcher/job_hosts.cc \
  launcher/job_message.cc \
  launcher/job_spawn.cc \
  launcher/link.cc \
  launcher/loopback.cc \
  launcher/mapping.cc \
  launcher/message.cc \
  launcher/name_service.cc \
  launcher/nearest.cc \
  launcher/options.cc \
  launcher/placement.cc \
  launcher/pmix_job.cc \
  launcher/pmix_server.cc \
  launcher/program.cc \
  launcher/rank_file.cc \
  launcher/sight_message.cc \
  launcher/signals.cc \
  launcher/spawn.cc \
  launcher/spawned_world.cc \
  launcher/stacks.cc \
  launcher/stream_relay.cc \
  launcher/strays.cc \
  launcher/verdict.cc \
  launcher/watcher.cc
liblauncher_la_LIBADD = libompi_lite_base.la $(PMIX_LIBS) $(HWLOC_LIBS)

# mpirun and ompi_lite_info know the knobs of every floor by all_knobs() of floor 0, which the runtime defines.
noinst_PROGRAMS += mpirun ompi_lite_daemon mpicc ompi_lite_info
mpirun_SOURCES = launcher/mpirun.cc
mpirun_LDADD = liblauncher.la libompi_lite.la
ompi_lite_daemon_SOURCES = launcher/daemon_main.cc
ompi_lite_daemon_LDADD = liblauncher.la libompi_lite.la
mpicc_SOURCES = launcher/wrapper.cc
mpicc_LDADD = libompi_lite_base.la
ompi_lite_info_SOURCES = launcher/info.cc launcher/explain_command.cc launcher/machine_command.cc
ompi_lite_info_LDADD = libompi_lite_abi.la libompi_lite.la $(HWLOC_LIBS)
