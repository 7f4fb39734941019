// SPDX-License-Identifier: BSD-3-Clause
// Keyvals and attribute caching.
#include "ompi_lite/core/attribute.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <utility>

#include "ompi_lite/include/mpi.h"

namespace ompi_lite {
namespace {

constexpr int kFirstUserKeyval = 4096;      // above every keyval of the ABI
constexpr int kFirstEnvironment = 500, kEnvironmentKeyvals = 16;

// All keyvals of the address space; a deque, so that references stay good while callbacks create more.
struct KeyvalTable {
  std::mutex mutex;
  std::deque<Keyval> keyvals;
  std::vector<int> free;
};

KeyvalTable& keyval_table() {
  static KeyvalTable& table = *new KeyvalTable;  // never destroyed: MPI_COMM_SELF's attributes may be deleted at exit
  return table;
}

struct Environment {
  std::array<int, kEnvironmentKeyvals> value{};
  std::array<bool, kEnvironmentKeyvals> defined{};
  constexpr Environment() {  // what holds before anything was added or started
    value[MPI_LASTUSEDCODE - kFirstEnvironment] = MPI_ERR_LASTCODE;
    defined[MPI_LASTUSEDCODE - kFirstEnvironment] = true;
  }
};
constinit Environment environment;

bool is_environment(int keyval) { return keyval >= kFirstEnvironment && keyval < kFirstEnvironment + kEnvironmentKeyvals; }

// The live keyval, or nullptr. `object_kind` none: any kind.
Keyval* find_keyval(int keyval, ObjectKind object_kind) {
  KeyvalTable& table = keyval_table();
  std::lock_guard lock(table.mutex);
  auto place = static_cast<std::size_t>(keyval - kFirstUserKeyval);
  if (keyval < kFirstUserKeyval || place >= table.keyvals.size()) return nullptr;
  Keyval& found = table.keyvals[place];
  if (found.refs == 0 || (object_kind != ObjectKind::none && found.object_kind != object_kind)) return nullptr;
  return &found;
}

void drop_keyval(int keyval) {
  KeyvalTable& table = keyval_table();
  std::lock_guard lock(table.mutex);
  Keyval& used = table.keyvals[static_cast<std::size_t>(keyval - kFirstUserKeyval)];
  if (--used.refs == 0) table.free.push_back(keyval - kFirstUserKeyval);
}

Error no_keyval(int keyval) {
  if (is_environment(keyval)) return make_error(ErrorClass::keyval, "keyval %d is a predefined attribute and cannot be changed", keyval);
  return make_error(ErrorClass::keyval, "keyval %d is not a keyval for this kind of object", keyval);
}

// The same call for all three kinds: their C signatures differ only in the type of the handle, which is a pointer or (on the
// side of the application) cast from one.
Error run_delete(Object& owner, const Keyval& keyval, int number, void* value) {
  auto address = reinterpret_cast<std::uintptr_t>(keyval.remove.function);
  if (address == 0) return {};
  auto* remove = reinterpret_cast<int (*)(void*, int, void*, void*)>(keyval.remove.function);
  int code = remove(reinterpret_cast<void*>(owner.abi_handle), number, value, keyval.extra_state);
  if (code == MPI_SUCCESS) return {};
  return Error(static_cast<ErrorClass>(code), "the delete callback of an attribute returned an error");
}

}  // namespace

void define_attribute(int keyval, int value) {
  auto place = static_cast<std::size_t>(keyval - kFirstEnvironment);
  environment.value[place] = value;
  environment.defined[place] = true;
}

Result<int> create_keyval(ObjectKind object_kind, Callback copy, Callback remove, void* extra_state) {
  KeyvalTable& table = keyval_table();
  std::lock_guard lock(table.mutex);
  Keyval created{object_kind, copy, remove, extra_state, 1, false};
  if (table.free.empty()) {
    table.keyvals.push_back(created);
    return kFirstUserKeyval + static_cast<int>(table.keyvals.size()) - 1;
  }
  int place = table.free.back();
  table.free.pop_back();
  table.keyvals[static_cast<std::size_t>(place)] = created;
  return kFirstUserKeyval + place;
}

Error free_keyval(ObjectKind object_kind, int& keyval) {
  Keyval* found = find_keyval(keyval, object_kind);
  if (found == nullptr) return no_keyval(keyval);
  // A copy of the number may be freed again while attributes still use it: that is what a delete callback has (section 7.7.2).
  if (!std::exchange(found->freed, true)) drop_keyval(keyval);
  keyval = MPI_KEYVAL_INVALID;
  return {};
}

Error AttributeSet::set(Object& owner, int keyval, void* value) {
  Keyval* used = find_keyval(keyval, owner.kind);
  if (used == nullptr) return no_keyval(keyval);
  auto same = [&](const Attribute& attribute) { return attribute.keyval == keyval; };
  auto found = std::find_if(attributes_.begin(), attributes_.end(), same);
  if (found != attributes_.end()) {
    if (Error error = run_delete(owner, *used, keyval, found->value)) return error;
    found = std::find_if(attributes_.begin(), attributes_.end(), same);  // the callback may have changed the set
    if (found != attributes_.end()) {
      found->value = value;
      return {};
    }
  }
  used->refs++;
  attributes_.push_back({keyval, value});
  return {};
}

Error AttributeSet::get(const Object& owner, int keyval, void*& value, bool& found) const {
  found = false;
  if (is_environment(keyval) && owner.kind == ObjectKind::communicator) {
    auto place = static_cast<std::size_t>(keyval - kFirstEnvironment);
    found = environment.defined[place];
    if (found) value = &environment.value[place];
    return {};
  }
  if (find_keyval(keyval, owner.kind) == nullptr) return no_keyval(keyval);
  for (const Attribute& attribute : attributes_) {
    if (attribute.keyval != keyval) continue;
    value = attribute.value;
    found = true;
  }
  return {};
}

Error AttributeSet::remove(Object& owner, int keyval) {
  Keyval* used = find_keyval(keyval, owner.kind);
  if (used == nullptr) return no_keyval(keyval);
  auto same = [&](const Attribute& attribute) { return attribute.keyval == keyval; };
  auto found = std::find_if(attributes_.begin(), attributes_.end(), same);
  if (found == attributes_.end()) return {};  // as the other libraries do: nothing to delete is no error
  if (Error error = run_delete(owner, *used, keyval, found->value)) return error;
  if (std::erase_if(attributes_, same) > 0) drop_keyval(keyval);
  return {};
}

Error AttributeSet::copy_to(const Object& owner, AttributeSet& copy) const {
  const std::vector<Attribute> attributes = attributes_;  // a callback may change the set
  for (const Attribute& attribute : attributes) {
    Keyval* used = find_keyval(attribute.keyval, owner.kind);
    auto address = used == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(used->copy.function);
    if (address == 0) continue;  // MPI_*_NULL_COPY_FN
    void* value = attribute.value;
    int wanted = 1;
    if (address != 1) {  // 1: MPI_*_DUP_FN
      auto* run = reinterpret_cast<int (*)(void*, int, void*, void*, void*, int*)>(used->copy.function);
      int code = run(reinterpret_cast<void*>(owner.abi_handle), attribute.keyval, used->extra_state, attribute.value, &value, &wanted);
      if (code != MPI_SUCCESS) return Error(static_cast<ErrorClass>(code), "the copy callback of an attribute returned an error");
    }
    if (wanted == 0) continue;
    used->refs++;
    copy.attributes_.push_back({attribute.keyval, value});
  }
  return {};
}

Error AttributeSet::clear(Object& owner) {
  while (!attributes_.empty()) {
    Attribute last = attributes_.back();
    Keyval* used = find_keyval(last.keyval, owner.kind);
    if (used != nullptr) {
      if (Error error = run_delete(owner, *used, last.keyval, last.value)) return error;
    }
    auto same = [&](const Attribute& attribute) { return attribute.keyval == last.keyval; };
    if (std::erase_if(attributes_, same) > 0 && used != nullptr) drop_keyval(last.keyval);
  }
  return {};
}

}  // namespace ompi_lite
