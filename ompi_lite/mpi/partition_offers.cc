// SPDX-License-Identifier: BSD-3-Clause
// Offers of partitioned sends, and their matching.
#include "ompi_lite/mpi/partition_offers.h"

#include <algorithm>

#include "coll/group_messages.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/datatype.h"
#include "pml/pml.h"

namespace ompi_lite::mpi {

OfferBook& OfferBook::of(Communicator& comm) {
  if (!comm.partitioned_state) comm.partitioned_state = std::make_unique<OfferBook>();
  return static_cast<OfferBook&>(*comm.partitioned_state);
}

Error OfferBook::expect(Communicator& comm, int source, int tag, OfferTaker& taker) {
  Source& from = sources_[source];
  const auto found =
      std::find_if(from.early.begin(), from.early.end(), [tag](const Offer& each) { return each.tag == tag; });
  if (found != from.early.end()) {
    const Offer offer = *found;
    from.early.erase(found);
    taker.matched(taker, offer);
    return {};
  }
  from.wanted.push_back({tag, &taker});
  ++from.waiting;
  return listen(comm, source, from);
}

Error OfferBook::listen(Communicator& comm, int source, Source& from) {
  if (from.listening != nullptr || from.waiting == 0) return {};
  const Buffer landing(&from.landing, sizeof from.landing, &datatype_of(MPI_BYTE));
  return pml::of(comm).irecv(landing, {comm, source, coll::kOfferTag, Plane::collective}, from.listening);
}

void OfferBook::arrived(Source& from, const Offer& offer) {
  const auto found =
      std::find_if(from.wanted.begin(), from.wanted.end(), [&](const Wanted& each) { return each.tag == offer.tag; });
  if (found == from.wanted.end()) {
    from.early.push_back(offer);
    return;
  }
  OfferTaker* taker = found->taker;
  from.wanted.erase(found);
  if (taker == nullptr) return;
  --from.waiting;
  taker->matched(*taker, offer);
}

Error OfferBook::look(Communicator& comm, int source) {
  Source& from = sources_[source];
  OL_TRY(listen(comm, source, from));  // not so after an error: every look finds that again
  while (from.listening != nullptr && from.listening->done()) {
    OL_TRY(take_completion(from.listening, nullptr));
    arrived(from, from.landing);
    OL_TRY(listen(comm, source, from));
  }
  return {};
}

void OfferBook::forget(int source, OfferTaker& taker) {
  Source& from = sources_[source];
  for (Wanted& each : from.wanted) {
    if (each.taker != &taker) continue;
    each.taker = nullptr;
    --from.waiting;
  }
  if (from.waiting > 0 || from.listening == nullptr) return;
  Request& listening = *from.listening;
  if (!listening.done()) static_cast<void>(listening.ops->cancel(listening));
  const bool came = !status_cancelled(listening.status);
  const bool failed = static_cast<bool>(take_completion(from.listening, nullptr));
  if (came && !failed) arrived(from, from.landing);
}

}  // namespace ompi_lite::mpi
