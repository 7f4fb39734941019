// SPDX-License-Identifier: BSD-3-Clause
// Keyvals and the attributes cached on communicators, datatypes and windows (MPI 5.0, section 7.7).
#pragma once

#include <cstdint>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/object.h"

namespace ompi_lite {

// The function pointers arrive as they were given to MPI_{Comm,Type,Win}_create_keyval: null or the ABI's small constants for
// the predefined ones.
struct Keyval {
  ObjectKind object_kind = ObjectKind::none;  // communicator, datatype or window
  Callback copy, remove;
  void* extra_state = nullptr;
  int refs = 0;  // the application's, and one per attribute that uses it
  bool freed = false;
};

Result<int> create_keyval(ObjectKind object_kind, Callback copy, Callback remove, void* extra_state);
Error free_keyval(ObjectKind object_kind, int& keyval);  // sets MPI_KEYVAL_INVALID

// The read-only attributes of the environment (MPI_TAG_UB ...): every communicator answers for them.
void define_attribute(int keyval, int value);

struct Attribute {
  int keyval;
  void* value;
};

// The attributes of one object, in the order in which they were set. Callbacks of the application run inside copy, remove and
// clear; they get the handle of the owner.
class AttributeSet {
 public:
  Error set(Object& owner, int keyval, void* value);  // replaces: runs the delete callback of the old value first
  Error get(const Object& owner, int keyval, void*& value, bool& found) const;
  Error remove(Object& owner, int keyval);
  Error copy_to(const Object& owner, AttributeSet& copy) const;  // dup: runs copy callbacks, drops what they do not copy
  Error clear(Object& owner);  // delete callbacks in the reverse order of creation; stops at the first that fails
  bool empty() const { return attributes_.empty(); }

 private:
  std::vector<Attribute> attributes_;
};

}  // namespace ompi_lite
