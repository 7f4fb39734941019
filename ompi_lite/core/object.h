// SPDX-License-Identifier: BSD-3-Clause
// The first bytes of every MPI object, and the counted reference to one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ompi_lite/base/object_space.h"

namespace ompi_lite {

enum class ObjectKind : std::uint8_t {
  none,
  communicator,
  group,
  datatype,
  op,
  request,
  info,
  errhandler,
  message,
  session,
  window,
  file
};

inline constexpr std::uint32_t kLiveMagic = 0x4f4c4d31;   // "OLM1"
inline constexpr std::uint32_t kFreedMagic = 0x66726565;  // "free": an object that was freed and is still readable

// Every MPI object begins with one. abi_handle is the first word on purpose: translation libraries for other ABIs read the
// standard handle of a foreign object there. No virtual functions: a vtable pointer would take that place.
struct Object {
  std::uintptr_t abi_handle;  // what the application holds: the object's own address, or the ABI value if predefined
  std::atomic<int> refs{1};   // the application's reference and one for each use inside
  std::uint32_t magic = kLiveMagic;
  int fortran_index = -1;  // given by the first toint(), -1 before
  ObjectKind kind;
  bool predefined = false;    // lives as long as the library, free is an error
  std::uint16_t handles = 0;  // how many the application got and did not give back

  explicit Object(ObjectKind object_kind) : abi_handle(reinterpret_cast<std::uintptr_t>(this)), kind(object_kind) {}
  Object(ObjectKind object_kind, std::uintptr_t predefined_handle)
      : abi_handle(predefined_handle), kind(object_kind), predefined(true) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // The class that is deleted is the one that was made: there is no virtual destructor, and the size tells the place.
  static void* operator new(std::size_t bytes) { return ObjectSpace::take(bytes); }
  static void* operator new(std::size_t, void* place) noexcept { return place; }
  static void operator delete(void* place, std::size_t bytes) noexcept { ObjectSpace::give_back(place, bytes); }
  static void operator delete(void*, void*) noexcept {}

 protected:
  // Volatile, or the compiler leaves out a store to what ends here; whoever still has the handle reads it.
  ~Object() { *const_cast<volatile std::uint32_t*>(&magic) = kFreedMagic; }
};

// What a floor above hangs on an object without core knowing its type; destroyed with the object.
class Attachment {
 public:
  virtual ~Attachment() = default;
};

// A callback of the application with the context that a language binding or a translation library needs to run it.
struct Callback {
  void (*function)() = nullptr;
  void* context = nullptr;
};

// retain/release work on any T that derives from Object; the last release calls destroy(T*), which T's header declares.
template <class T>
T* retain(T* object) {
  if (object != nullptr) object->refs.fetch_add(1, std::memory_order_relaxed);  // the caller's own reference keeps it alive
  return object;
}
template <class T>
void release(T* object) {
  // acq_rel: the last user sees everything that the others did to the object before they released it
  if (object != nullptr && object->refs.fetch_sub(1, std::memory_order_acq_rel) == 1 && !object->predefined) destroy(object);
}

// Owning reference. Ref(adopt) takes over the creator's reference; share() adds one.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* adopted) : object_(adopted) {}
  static Ref share(T* object) { return Ref(retain(object)); }
  Ref(const Ref& other) : object_(retain(other.object_)) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { release(object_); }
  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  T* give() { return std::exchange(object_, nullptr); }  // the caller owns the reference now

 private:
  T* object_ = nullptr;
};

}  // namespace ompi_lite
