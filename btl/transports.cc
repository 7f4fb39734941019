// SPDX-License-Identifier: BSD-3-Clause
// The list of transports, in order of preference. A new transport is a new row here.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "btl/beside.h"
#include "btl/btl.h"
#include "btl/ofi/ofi.h"
#include "btl/self/transport.h"
#include "btl/shm/transport.h"
#include "btl/tcp/transport.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl {

namespace {

constinit Knob<const char*> wanted{"transports", "self,shm,ofi,tcp", Unit::none,
                                   "which transports are used, in any order; self is always there"};

using Made = Result<std::unique_ptr<Transport>>;

std::string_view next_word(std::string_view& list) {
  const std::size_t comma = list.find(',');
  const std::string_view word = list.substr(0, comma);
  list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  return word;
}

bool listed(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    if (next_word(list) == name) return true;
  }
  return false;
}

// A waiter has one set of descriptors: the last one's.
void sleep_together(std::span<const std::unique_ptr<Transport>> made) {
  Beside* ofi = nullptr;
  for (const auto& each : made) {
    if (each->info().name == std::string_view("ofi")) ofi = dynamic_cast<Beside*>(each.get());
    if (each->info().name == std::string_view("tcp") && ofi != nullptr)
      static_cast<tcp::TcpTransport&>(*each).sleep_beside(*ofi);
  }
}

ofi::Use use_of_ofi() { return ofi::use(listed(wanted.value(), "tcp")); }

struct Row {
  std::string_view name;
  bool (*present)(const Setup& setup);
  Made (*make)(const Setup& setup);  // may be null: nothing to use after all
};

constexpr Row kRows[] = {
    {"self", [](const Setup&) { return true; },
     [](const Setup& setup) -> Made { return std::unique_ptr<Transport>(std::make_unique<self::SelfTransport>(setup)); }},
    {"shm", [](const Setup& setup) { return setup.segment != nullptr; },
     [](const Setup& setup) -> Made { return std::unique_ptr<Transport>(std::make_unique<shm::ShmTransport>(setup)); }},
    {"ofi", [](const Setup& setup) { return setup.beyond_memory && use_of_ofi() != ofi::Use::no; },
     [](const Setup& setup) -> Made { return ofi::make(setup, use_of_ofi()); }},
    {"tcp", [](const Setup& setup) { return setup.beyond_memory; },
     [](const Setup& setup) -> Made { return tcp::TcpTransport::make(setup); }},
};

Error check_words() {
  for (std::string_view rest = wanted.value(); !rest.empty();) {
    const std::string_view word = next_word(rest);
    if (std::ranges::find(kRows, word, &Row::name) == std::end(kRows))
      return make_error(ErrorClass::other, "the knob transports (%s) names '%.*s'; there are self, shm, ofi, tcp",
                        wanted.value(), static_cast<int>(word.size()), word.data());
  }
  return {};
}

}  // namespace

Result<std::vector<std::unique_ptr<Transport>>> make_transports(const Setup& setup) {
  OL_TRY(check_words());
  std::vector<std::unique_ptr<Transport>> made;
  Setup mine = setup;
  if (!setup.segment || !listed(wanted.value(), "shm")) {
    mine.segment = nullptr;
    mine.beyond_memory |= setup.local_peers.size() > 1;
  }
  for (const Row& row : kRows) {
    if (row.name != "self" && !listed(wanted.value(), row.name)) continue;
    if (!row.present(mine)) continue;
    auto transport = row.make(mine);
    if (!transport) return transport.error();
    if (*transport != nullptr) made.push_back(std::move(transport).value());
  }
  sleep_together(made);
  return made;
}

Result<std::unique_ptr<Transport>> make_network_transport(const Setup& setup) {
  if (!listed(wanted.value(), "tcp"))
    return make_error(ErrorClass::other,
                      "processes of other worlds are reached by tcp, which the knob transports (%s) leaves out",
                      wanted.value());
  return tcp::TcpTransport::make(setup);
}

KnobGroup btl_knobs() {
  static constexpr KnobBase* kKnobs[] = {&wanted};
  return {"btl", kKnobs};
}

}  // namespace ompi_lite::btl
