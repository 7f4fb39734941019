// SPDX-License-Identifier: BSD-3-Clause
// Spawning is a port of our own at which the new world calls; the launcher starts it with the port's name in its
// environment.
#include "ompi_lite/runtime/spawning.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "coll/coll.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/runtime/calls.h"
#include "ompi_lite/runtime/spawn_request.h"
#include "ompi_lite/runtime/thread_level.h"

namespace ompi_lite::runtime {
namespace {

constexpr char kParentPort[] = "OMPI_LITE_PARENT_PORT";

Error read_port(const char* port_name, PortName& name) {
  if (port_name == nullptr) return Error(ErrorClass::arg, "port_name is a null pointer");
  std::optional<PortName> read = parse_port_name(port_name);
  if (!read) return Error(ErrorClass::port, "port_name is no name that MPI_Open_port gave");
  name = std::move(*read);
  return {};
}

// A port that is open for the time of one call.
class PortForACall {
 public:
  PortForACall() = default;
  PortForACall(const PortForACall&) = delete;
  PortForACall& operator=(const PortForACall&) = delete;
  ~PortForACall() {
    if (name.port != 0) (void)current()->worlds().close_port(name.port);
  }
  Error open() {
    Result<PortName> made = current()->worlds().open_port();
    if (!made) return made.error();
    name = std::move(made).value();
    return {};
  }
  PortName name;
};

Error info_of(MPI_Info handle, const Info*& info) {
  info = nullptr;
  if (handle == MPI_INFO_NULL) return {};
  Object* object = object_of(reinterpret_cast<std::uintptr_t>(handle));
  if (!is_live(object, ObjectKind::info)) return Error(ErrorClass::info, "array_of_info holds a handle that is no info");
  info = static_cast<const Info*>(object);
  return {};
}

// The root's part before anybody can call.
Error start(std::vector<SpawnedProgram>& programs, PortForACall& port) {
  Process& process = *current();
  int processes = 0;
  for (const SpawnedProgram& program : programs) processes += program.processes;
  if (processes == 0) return Error(ErrorClass::spawn, "no process is asked for");
  OL_TRY(port.open());
  for (SpawnedProgram& program : programs)
    program.environment.push_back(std::string(kParentPort) + "=" + text_of(port.name));
  return process.bootstrap().spawn(programs, process.blocking());
}

// `asked`: at the root, maxprocs of all; each process gets a code. Where `soft` made them fewer, those that are missing get
// one of class spawn.
Error fill_codes(Communicator& comm, int root, std::vector<int> asked, std::vector<int> started, Error failed, int* codes) {
  auto programs = static_cast<int>(asked.size());
  Datatype& ints = datatype_of(MPI_INT);
  OL_TRY(coll::bcast(Buffer(&programs, 1, &ints), root, comm));
  asked.resize(static_cast<std::size_t>(programs));
  started.resize(asked.size());
  OL_TRY(coll::bcast(Buffer(asked.data(), programs, &ints), root, comm));
  OL_TRY(coll::bcast(Buffer(started.data(), programs, &ints), root, comm));
  if (codes == nullptr) return {};
  for (std::size_t i = 0; i < asked.size(); i++)
    for (int process = 0; process < asked[i]; process++)
      *codes++ = !failed && process < started[i] ? MPI_SUCCESS : MPI_ERR_SPAWN;
  return {};
}

Error spawn(std::vector<SpawnedProgram> programs, const std::vector<int>& asked, Error failed, int root, Communicator& comm,
            Communicator*& intercomm, int* errcodes) {
  intercomm = nullptr;
  PortForACall port;
  const bool is_root = comm.rank() == root;
  if (is_root && !failed) failed = start(programs, port);
  std::string sentence = failed ? failed.sentence() : "";
  if (failed) failed = Error(failed.error_class(), sentence.c_str());  // others are made meanwhile
  std::vector<int> started;
  for (const SpawnedProgram& program : programs) started.push_back(program.processes);
  started.resize(asked.size());
  Error result = answer_call(*current(), comm, root, port.name, failed, intercomm);
  std::string text = result ? result.sentence() : "";
  OL_TRY(fill_codes(comm, root, asked, started, result, errcodes));
  return result ? make_error(result.error_class(), "%s", text.c_str()) : Error();
}

}  // namespace

Error comm_spawn(const char* command, char** argv, int maxprocs, Info* info, int root, Communicator& comm,
                 Communicator*& intercomm, int* errcodes) {
  if (comm.is_inter()) return Error(ErrorClass::comm, "comm is an intercommunicator");
  if (comm.rank() != root) return spawn({}, {}, {}, root, comm, intercomm, errcodes);
  std::vector<SpawnedProgram> programs(1);
  const Error failed = read_program(command, argv, maxprocs, info, programs[0]);
  return spawn(std::move(programs), {maxprocs}, failed, root, comm, intercomm, errcodes);
}

Error comm_spawn_multiple(int count, char** commands, char*** argvs, const int* maxprocs, const MPI_Info* infos, int root,
                          Communicator& comm, Communicator*& intercomm, int* errcodes) {
  if (comm.is_inter()) return Error(ErrorClass::comm, "comm is an intercommunicator");
  if (comm.rank() != root) return spawn({}, {}, {}, root, comm, intercomm, errcodes);
  Error failed;
  if (count < 1) failed = make_error(ErrorClass::count, "count is %d", count);
  if (!failed && (commands == nullptr || maxprocs == nullptr))
    failed = Error(ErrorClass::arg, "array_of_commands or array_of_maxprocs is a null pointer");
  std::vector<SpawnedProgram> programs;
  std::vector<int> asked;
  for (int i = 0; i < count && !failed; i++) {
    const Info* info = nullptr;
    if (infos != nullptr) failed = info_of(infos[i], info);
    asked.push_back(maxprocs[i]);
    programs.emplace_back();
    if (!failed)
      failed = read_program(commands[i], argvs == nullptr ? nullptr : argvs[i], maxprocs[i], info, programs.back());
  }
  return spawn(std::move(programs), asked, failed, root, comm, intercomm, errcodes);
}

Error comm_get_parent(Communicator*& parent) {
  parent = current()->worlds().parent();
  return {};
}

Error meet_parents() {
  const char* text = std::getenv(kParentPort);
  if (text == nullptr || *text == '\0') return {};
  PortName name;
  OL_TRY(read_port(text, name));
  unsetenv(kParentPort);  // it is not for programs that this one starts
  Process& process = *current();
  Communicator* parent = nullptr;
  if (Error error = call_port(process, process.world(), 0, name, {}, parent); error)
    return make_error(ErrorClass::spawn, "the processes that spawned this one cannot be reached: %s",
                      std::string(error.sentence()).c_str());
  parent->set_name("MPI_COMM_PARENT");
  process.worlds().set_parent(parent);
  return {};
}

Error open_port(Info*, char* port_name) {
  Result<PortName> made = current()->worlds().open_port();
  if (!made) return made.error();
  const std::string text = text_of(*made);
  std::memcpy(port_name, text.c_str(), text.size() + 1);
  return {};
}

Error close_port(const char* port_name) {
  PortName name;
  OL_TRY(read_port(port_name, name));
  return current()->worlds().close_port(name.port);
}

Error comm_accept(const char* port_name, Info*, int root, Communicator& comm, Communicator*& newcomm) {
  PortName name;
  Error failed;
  if (comm.rank() == root) failed = read_port(port_name, name);
  return answer_call(*current(), comm, root, name, failed, newcomm);
}

Error comm_connect(const char* port_name, Info*, int root, Communicator& comm, Communicator*& newcomm) {
  PortName name;
  Error failed;
  if (comm.rank() == root) failed = read_port(port_name, name);
  return call_port(*current(), comm, root, name, failed, newcomm);
}

Error publish_name(const char* service_name, Info*, const char* port_name) {
  if (service_name == nullptr || port_name == nullptr) return Error(ErrorClass::arg, "a name is a null pointer");
  return current()->bootstrap().publish(service_name, port_name);
}

Error unpublish_name(const char* service_name, Info*, const char*) {
  if (service_name == nullptr) return Error(ErrorClass::arg, "service_name is a null pointer");
  return current()->bootstrap().unpublish(service_name);
}

Error lookup_name(const char* service_name, Info*, char* port_name) {
  if (service_name == nullptr) return Error(ErrorClass::arg, "service_name is a null pointer");
  Result<std::string> found = current()->bootstrap().look_up(service_name);
  if (!found) return found.error();
  if (found->size() >= MPI_MAX_PORT_NAME) return Error(ErrorClass::name, "what is published is too long for a port name");
  std::memcpy(port_name, found->c_str(), found->size() + 1);
  return {};
}

}  // namespace ompi_lite::runtime
