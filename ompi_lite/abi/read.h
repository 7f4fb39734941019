// SPDX-License-Identifier: BSD-3-Clause
// Reads the arguments of an MPI call: one small type per kind of argument. `read` finds objects and checks, `as<P>` gives
// the value in the type that the semantic function asks for, so an owner may take a Count where another takes an int.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ompi_lite/abi/site.h"
#include "ompi_lite/base/count_span.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/errhandler.h"
#include "ompi_lite/core/info.h"
#include "ompi_lite/core/object.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/request.h"
#include "ompi_lite/runtime/thread_level.h"

namespace ompi_lite::abi {

// The sentences of what can be wrong with an argument; out of line, for they are not the common path.
[[gnu::cold, gnu::noinline]] Error null_handle(ObjectKind kind, const char* name);
[[gnu::cold, gnu::noinline]] Error dead_handle(ObjectKind kind, const char* name, std::uintptr_t handle);
[[gnu::cold, gnu::noinline]] Error null_pointer(ErrorClass error_class, const char* name);
[[gnu::cold, gnu::noinline]] Error negative(ErrorClass error_class, const char* name, Count value);
[[gnu::cold, gnu::noinline]] Error negative_element(ErrorClass error_class, const char* name, std::size_t index,
                                                    Count value);
[[gnu::cold, gnu::noinline]] Error bad_rank(const Site& site, const char* name, int value, int size);
[[gnu::cold, gnu::noinline]] Error bad_tag(const char* name, int value);
[[gnu::cold, gnu::noinline]] Error not_committed(const char* name, const Datatype& type);
[[gnu::cold, gnu::noinline]] Error null_buffer(const char* name, Count count);
[[gnu::cold, gnu::noinline]] Error in_place_not_allowed(const Site& site, const char* name);
[[gnu::cold, gnu::noinline]] Error same_buffer(const Site& site, const char* name, const void* address);

// What belongs to each C handle type: the kind of object and the ABI value of the NULL handle.
template <ObjectKind object_kind, int null_value>
struct HandleFacts {
  static constexpr ObjectKind kind = object_kind;
  static constexpr int null = null_value;
};
template <class Handle>
struct HandleTraits;
template <>
struct HandleTraits<MPI_Comm> : HandleFacts<ObjectKind::communicator, 256> {};
template <>
struct HandleTraits<MPI_Group> : HandleFacts<ObjectKind::group, 264> {};
template <>
struct HandleTraits<MPI_Win> : HandleFacts<ObjectKind::window, 272> {};
template <>
struct HandleTraits<MPI_File> : HandleFacts<ObjectKind::file, 280> {};
template <>
struct HandleTraits<MPI_Session> : HandleFacts<ObjectKind::session, 288> {};
template <>
struct HandleTraits<MPI_Message> : HandleFacts<ObjectKind::message, 296> {};
template <>
struct HandleTraits<MPI_Info> : HandleFacts<ObjectKind::info, 304> {};
template <>
struct HandleTraits<MPI_Errhandler> : HandleFacts<ObjectKind::errhandler, 320> {};
template <>
struct HandleTraits<MPI_Request> : HandleFacts<ObjectKind::request, 384> {};
template <>
struct HandleTraits<MPI_Datatype> : HandleFacts<ObjectKind::datatype, 512> {};
template <>
struct HandleTraits<MPI_Op> : HandleFacts<ObjectKind::op, 32> {};

template <class Handle>
Handle null_of() {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(HandleTraits<Handle>::null));
}

// The object as the class that the semantic function names. Object is the first base of every class, at offset 0; classes
// that only a floor below knows (pml::Message) are incomplete here.
template <class T>
T* cast(Object* object) {
  if constexpr (requires { static_cast<T*>(object); }) {
    return static_cast<T*>(object);
  } else {
    return reinterpret_cast<T*>(object);
  }
}
template <class T>
Object* object_part(T* object) {
  if constexpr (std::is_convertible_v<T*, Object*>) {
    return object;
  } else {
    return reinterpret_cast<Object*>(object);
  }
}

enum class Null : bool { refused, allowed };

template <class Handle>
inline Error find(Handle handle, const char* name, Null null, Object*& object) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  constexpr ObjectKind kind = HandleTraits<Handle>::kind;
  if (value == HandleTraits<Handle>::null) {
    object = nullptr;
    return null == Null::allowed ? Error() : null_handle(kind, name);
  }
  object = kind == ObjectKind::message ? message_of(value) : object_of(value);
  if (!is_live(object, kind)) return dead_handle(kind, name, value);
  return {};
}

// ---- values ----

// Every number, logical, enumeration and pointer that needs no check here.
template <class T>
struct Value {
  T value;

  Error read(Site&) { return {}; }
  template <class P>
  P as() {
    return static_cast<P>(value);
  }
  void store(bool) {}
};
template <class T>
Value(T) -> Value<T>;

// A number that must not be negative.
template <class T>
struct Natural {
  T value;
  const char* name;
  ErrorClass error_class = ErrorClass::arg;

  Error read(Site& site) {
    if (value < 0 && site.checked) return negative(error_class, name, static_cast<Count>(value));
    return {};
  }
  template <class P>
  P as() {
    return static_cast<P>(value);
  }
  void store(bool) {}
};
template <class T>
Natural(T, const char*) -> Natural<T>;
template <class T>
Natural(T, const char*, ErrorClass) -> Natural<T>;

// The length of the arrays that follow it. Left out of the call where the semantic function takes spans.
template <class T>
struct Length : Natural<T> {};
template <class T>
Length(T, const char*) -> Length<T>;
template <class T>
Length(T, const char*, ErrorClass) -> Length<T>;

enum class Who : std::uint8_t { dest, source, member };

struct Rank {
  int value;
  const char* name;
  Who who;

  Error read(Site& site) {
    const int size = who == Who::member ? site.comm->size() : site.comm->remote_size();
    if (static_cast<unsigned>(value) < static_cast<unsigned>(size) || !site.checked) return {};
    if (value == MPI_PROC_NULL && who != Who::member) return {};
    if (value == MPI_ANY_SOURCE && who == Who::source) return {};
    return bad_rank(site, name, value, size);
  }
  template <class P>
  P as() {
    return value;
  }
  void store(bool) {}
};

// Checked when the call is entered, because the significance of other arguments hangs on it.
struct Root {
  int value;

  Error read(Site&) { return {}; }
  template <class P>
  P as() {
    return value;
  }
  void store(bool) {}
};

enum class TagUse : bool { send, receive };

struct Tag {
  int value;
  const char* name;
  TagUse use;

  Error read(Site& site) {
    if (value >= 0 || (value == MPI_ANY_TAG && use == TagUse::receive) || !site.checked) return {};
    return bad_tag(name, value);
  }
  template <class P>
  P as() {
    return value;
  }
  void store(bool) {}
};

struct Text {
  const char* value;
  const char* name;
  ErrorClass error_class = ErrorClass::arg;

  Error read(Site& site) { return value == nullptr && site.checked ? null_pointer(error_class, name) : Error(); }
  template <class P>
  P as() {
    return P(value);
  }
  void store(bool) {}
};

// A function of the application. Those that copy and delete attributes may be null, which means the predefined one.
template <class F>
struct Function {
  F* value;
  const char* name;
  Null null = Null::refused;

  Error read(Site& site) {
    return value == nullptr && null == Null::refused && site.checked ? null_pointer(ErrorClass::arg, name) : Error();
  }
  template <class P>
  P as() {
    return P{reinterpret_cast<void (*)()>(value), nullptr};
  }
  void store(bool) {}
};
template <class F>
Function(F*, const char*) -> Function<F>;
template <class F>
Function(F*, const char*, Null) -> Function<F>;

// ---- handles ----

template <class H>
struct Handle {
  H handle;
  const char* name;
  Null null = Null::refused;
  Object* object = nullptr;

  Error read(Site& site) {
    if constexpr (std::is_same_v<H, MPI_Comm>) {
      if (site.comm != nullptr && handle == site.handle) {
        object = site.comm;
        return {};
      }
    }
    return find(handle, name, null, object);
  }
  template <class P>
  P as() {
    if constexpr (std::is_pointer_v<P>) {
      return cast<std::remove_pointer_t<P>>(object);
    } else {
      return *cast<std::remove_reference_t<P>>(object);
    }
  }
  void store(bool) {}
};
template <class H>
Handle(H, const char*) -> Handle<H>;
template <class H>
Handle(H, const char*, Null) -> Handle<H>;

// An argument that counts at the root alone.
template <class Argument>
struct AtRoot {
  Argument argument;

  Error read(Site& site) { return site.comm->rank() == site.root ? argument.read(site) : Error(); }
  template <class P>
  P as() {
    return argument.template as<P>();
  }
  void store(bool) {}
};
template <class Argument>
AtRoot(Argument) -> AtRoot<Argument>;

// The peer communicator of MPI_Intercomm_create is significant at the local leader only.
struct PeerComm {
  MPI_Comm handle;
  int leader;
  const char* name;
  Object* object = nullptr;

  Error read(Site& site) { return site.comm->rank() == leader ? find(handle, name, Null::refused, object) : Error(); }
  template <class P>
  P as() {
    return static_cast<P>(static_cast<Communicator*>(object));
  }
  void store(bool) {}
};

// ---- arrays ----

template <class T>
struct Array {
  const T* values;
  Count length;
  const char* name;

  Error read(Site& site) {
    return values == nullptr && length > 0 && site.checked ? null_pointer(ErrorClass::arg, name) : Error();
  }
  template <class P>
  P as() {
    if constexpr (std::is_pointer_v<P>) {
      return const_cast<P>(values);
    } else {
      return P(values, length > 0 ? static_cast<std::size_t>(length) : 0);
    }
  }
  void store(bool) {}
};
template <class T, class L>
Array(const T*, L, const char*) -> Array<T>;

// Numbers that must not be negative.
template <class T>
struct Naturals {
  const T* values;
  Count length;
  const char* name;
  ErrorClass error_class = ErrorClass::arg;

  Error read(Site& site) {
    if (!site.checked || length <= 0) return {};
    if (values == nullptr) return null_pointer(ErrorClass::arg, name);
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
      if (values[i] < 0) return negative_element(error_class, name, i, values[i]);
    }
    return {};
  }
  template <class P>
  P as() {
    return Array<T>{values, length, name}.template as<P>();
  }
  void store(bool) {}
};
template <class T, class L>
Naturals(const T*, L, const char*) -> Naturals<T>;

// One count per member of the communicator's local group.
template <class T>
struct CountPerMember {
  const T* values;
  const char* name;
  Count length = 0;

  Error read(Site& site) {
    length = site.comm->size();
    return Naturals<T>{values, length, name, ErrorClass::count}.read(site);
  }
  template <class P>
  P as() {
    return Array<T>{values, length, name}.template as<P>();
  }
  void store(bool) {}
};
template <class T>
CountPerMember(const T*, const char*) -> CountPerMember<T>;

inline Error check_types(const MPI_Datatype* types, Count length, const char* name) {
  if (length > 0 && types == nullptr) return null_pointer(ErrorClass::arg, name);
  for (Count i = 0; i < length; ++i) {
    Object* object = nullptr;
    if (Error error = find(types[i], name, Null::refused, object)) return error;
  }
  return {};
}

struct Types {
  const MPI_Datatype* handles;
  Count length;
  const char* name;

  Error read(Site& site) { return site.checked ? check_types(handles, length, name) : Error(); }
  template <class P>
  P as() {
    return P(handles, length > 0 ? static_cast<std::size_t>(length) : 0);
  }
  void store(bool) {}
};

struct Requests {
  const MPI_Request* handles;
  int length;
  const char* name;
  Null null = Null::allowed;

  Error read(Site& site) {
    if (!site.checked) return {};
    if (length > 0 && handles == nullptr) return null_pointer(ErrorClass::request, name);
    for (int i = 0; i < length; ++i) {
      Object* object = nullptr;
      if (Error error = find(handles[i], name, null, object)) return error;
    }
    return {};
  }
  template <class P>
  P as() {
    return P(const_cast<MPI_Request*>(handles), length);
  }
  void store(bool) {}
};

}  // namespace ompi_lite::abi
