// SPDX-License-Identifier: BSD-3-Clause
// Arguments through which a call gives results back: one small type per kind, with the same members as those of read.h.
// `store(ok)` runs after the call. Handles that a call makes are NULL if it failed; numbers and handles that a
// call may change are stored always, for MPI_ERR_IN_STATUS and failed receives leave results behind.
#pragma once

#include <limits>
#include <new>

#include "ompi_lite/abi/read.h"

namespace ompi_lite::abi {

// A result that is wider below the door than the argument that takes it.
template <class Narrow>
Narrow narrow(Count value) {
  if (value > std::numeric_limits<Narrow>::max() || value < std::numeric_limits<Narrow>::min()) return MPI_UNDEFINED;
  return static_cast<Narrow>(value);
}

// A number or logical out, or in and out.
template <class T>
struct Out {
  T* place;
  const char* name;
  bool used = false;
  Count wide = 0;
  bool logical = false;

  Error read(Site& site) { return place == nullptr && site.checked ? null_pointer(ErrorClass::arg, name) : Error(); }
  template <class P>
  P as() {
    using Wanted = std::remove_reference_t<P>;
    if constexpr (std::is_pointer_v<P> || std::is_same_v<Wanted, T>) {
      return bind<P>();
    } else if constexpr (std::is_same_v<Wanted, bool>) {
      used = true;
      return logical;
    } else {
      static_assert(std::is_same_v<Wanted, Count>, "results are the argument's own type, bool or Count");
      used = true;
      wide = static_cast<Count>(*place);
      return wide;
    }
  }
  void store(bool) {
    if (used) *place = logical ? 1 : narrow<T>(wide);
  }

 private:
  template <class P>
  P bind() {
    if constexpr (std::is_pointer_v<P>) {
      return place;
    } else {
      return *place;
    }
  }
};
template <class T>
Out(T*, const char*) -> Out<T>;

// void* out (address of a buffer, value of an attribute): declared void* in C, so that any pointer's address fits.
struct OutPointer {
  void* place;
  const char* name;

  Error read(Site& site) { return place == nullptr && site.checked ? null_pointer(ErrorClass::arg, name) : Error(); }
  template <class P>
  P as() {
    if constexpr (std::is_same_v<P, void*&>) {
      return *static_cast<void**>(place);
    } else {
      return static_cast<P>(place);
    }
  }
  void store(bool) {}
};

// An array, a string or a structure that the call fills.
template <class T>
struct Fill {
  T* place;
  Count length;
  const char* name;

  Error read(Site& site) {
    return place == nullptr && length > 0 && site.checked ? null_pointer(ErrorClass::arg, name) : Error();
  }
  template <class P>
  P as() {
    if constexpr (std::is_pointer_v<P>) {
      return place;
    } else {
      return P(place, length > 0 ? static_cast<std::size_t>(length) : 0);
    }
  }
  void store(bool) {}
};
template <class T, class L>
Fill(T*, L, const char*) -> Fill<T>;

// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are null pointers in this ABI.
template <class S>
struct Status {
  S* place;

  Error read(Site&) { return {}; }
  template <class P>
  P as() {
    return place;
  }
  void store(bool) {}
};
template <class S>
Status(S*) -> Status<S>;

// A status that the call needs.
template <class S>
struct GivenStatus {
  S* place;
  const char* name;

  Error read(Site& site) { return place == nullptr && site.checked ? null_pointer(ErrorClass::arg, name) : Error(); }
  template <class P>
  P as() {
    if constexpr (std::is_pointer_v<P>) {
      return place;
    } else {
      return *place;
    }
  }
  void store(bool) {}
};
template <class S>
GivenStatus(S*, const char*) -> GivenStatus<S>;

// A T* of a type that only `hold` and `object` know: the semantic function gets a reference to it.
class Slot {
 public:
  template <class T>
  T*& hold(T* first) {
    get_ = [](void* storage) { return object_part(*std::launder(static_cast<T**>(storage))); };
    return *new (storage_) T*(first);
  }
  bool used() const { return get_ != nullptr; }
  Object* object() { return get_(storage_); }

 private:
  alignas(void*) std::byte storage_[sizeof(void*)];
  Object* (*get_)(void*) = nullptr;
};

template <class H>
H handle_of(const Object* object) {
  return object == nullptr ? null_of<H>() : reinterpret_cast<H>(object->abi_handle);
}

// A handle that the call makes.
template <class H>
struct NewHandle {
  H* place;
  const char* name;
  Slot made = {};

  Error read(Site& site) { return place == nullptr && site.checked ? null_pointer(ErrorClass::arg, name) : Error(); }
  template <class P>
  P as() {
    using T = std::remove_pointer_t<std::remove_reference_t<P>>;
    return made.hold<T>(nullptr);
  }
  void store(bool ok) {
    if (!made.used()) return;
    Object* object = ok ? made.object() : nullptr;
    if (object != nullptr && !object->predefined) ++object->handles;
    *place = handle_of<H>(object);  // null after an error: a later use is an error, not a stray value
  }
};
template <class H>
NewHandle(H*, const char*) -> NewHandle<H>;

// A handle that the call uses and may free or change.
template <class H>
struct Changed {
  H* place;
  const char* name;
  Null null = Null::refused;
  Object* object = nullptr;
  Slot kept = {};

  Error read(Site&) {
    if (place == nullptr) return null_pointer(ErrorClass::arg, name);
    return find(*place, name, null, object);
  }
  template <class P>
  P as() {
    using T = std::remove_pointer_t<std::remove_reference_t<P>>;
    if constexpr (std::is_same_v<P, T*&>) {
      return kept.hold<T>(object == nullptr ? nullptr : cast<T>(object));
    } else if constexpr (std::is_pointer_v<P>) {
      return cast<T>(object);
    } else {
      return *cast<std::remove_reference_t<P>>(object);
    }
  }
  void store(bool) {
    if (!kept.used()) return;
    const Object* now = kept.object();
    if (now == object) return;  // other threads may read the handle: MPI_Parrived during MPI_Wait
    // What was freed can still be read, but for messages: they do not lie in the object space.
    if constexpr (!std::is_same_v<H, MPI_Message>) {
      if (now == nullptr && object != nullptr && object->magic == kLiveMagic && object->handles > 0) --object->handles;
    }
    *place = handle_of<H>(now);
  }
};
template <class H>
Changed(H*, const char*) -> Changed<H>;
template <class H>
Changed(H*, const char*, Null) -> Changed<H>;

}  // namespace ompi_lite::abi
