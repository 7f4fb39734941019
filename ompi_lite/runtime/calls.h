// SPDX-License-Identifier: BSD-3-Clause
// Two worlds meet: one answers at a port, the other calls there.
#pragma once

#include "coll/acquaint.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/runtime/process.h"

namespace ompi_lite::runtime {

// Collective over `comm`, an intracommunicator; `name` counts at the root alone. Make the intercommunicator of both groups:
//
//   caller's root  == knock: a number, who I am ==>  answering root, at the port
//                 <== line: an intercommunicator of the two, under that number ==>
//                  the two groups are made known over it (coll/acquaint.h); the answering side gives the new context id
//
// answer_call: the port must be open. call_port: returns when it has been answered, however long that takes. `failed`: the
// root's error from before; then all fail.
Error answer_call(Process& process, Communicator& comm, int root, const PortName& name, Error failed, Communicator*& made);
Error call_port(Process& process, Communicator& comm, int root, const PortName& name, Error failed, Communicator*& made);

// For two processes that have a way of their own to talk: MPI_Comm_join. `low`: which of the two this one is.
Error meet_over(Process& process, Communicator& comm, int root, const coll::LeaderExchange& leaders, const Secret& shared,
                bool low, Communicator*& made);

}  // namespace ompi_lite::runtime
