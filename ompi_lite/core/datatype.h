// SPDX-License-Identifier: BSD-3-Clause
// The datatype: where the bytes of one element lie, of which basic elements they consist, and how it was made.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/core/attribute.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/core/object.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite {

class Datatype;
class Layout;      // core/layout.h: the bytes, as blocks and loops
class Signature;   // core/signature.h: the basic elements, in order
struct BasicType;  // core/predefined_types.h: a row of the table of predefined types

// What MPI_Type_get_envelope and MPI_Type_get_contents give back. Calls of the _c form keep their counts and displacements
// in large_counts, all others in integers and addresses (MPI 5.0, section 5.1.13).
struct TypeRecipe {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<Count> addresses;
  std::vector<Count> large_counts;
  std::vector<Ref<Datatype>> types;
};

// Where an element lies, in bytes from the address that a call names. A bound is marked if MPI_Type_create_resized set it: a
// marked bound hides all others in a type built from it (MPI 5.0, section 5.1.6). An empty type has all zero.
struct Bounds {
  Count lb = 0, ub = 0;            // extent is ub - lb
  Count true_lb = 0, true_ub = 0;  // of the bytes themselves
  bool lb_marked = false, ub_marked = false;
  int alignment = 1;  // largest of the basic elements; struct rounds its extent up to it
};

// Counted: the application's handle, each type built from it, each pending operation that uses it. The shape never changes
// once made; the flag, the name and the attributes are guarded by the process lock.
class Datatype : public Object {
 public:
  Datatype(std::shared_ptr<const Layout> layout, std::shared_ptr<const Signature> signature, const Bounds& bounds,
           std::shared_ptr<const TypeRecipe> recipe);
  Datatype(const BasicType& basic, std::shared_ptr<const Layout> layout, std::shared_ptr<const Signature> signature,
           const Bounds& bounds);
  Datatype(const Datatype& predefined_model, std::shared_ptr<const TypeRecipe> fortran_recipe);  // unnamed predefined types
  ~Datatype();

  Count size() const { return size_; }  // bytes of data in one element
  Count lb() const { return bounds_.lb; }
  Count ub() const { return bounds_.ub; }
  Count extent() const { return bounds_.ub - bounds_.lb; }  // distance from one element to the next
  Count true_lb() const { return bounds_.true_lb; }
  Count true_extent() const { return bounds_.true_ub - bounds_.true_lb; }
  const Bounds& bounds() const { return bounds_; }

  // True if any number of elements, in order, is one run of bytes that starts at data + true_lb() and has count * size()
  // bytes. Says nothing about lb(). A type without data is contiguous.
  bool contiguous() const { return contiguous_; }
  // True if one element is one run of bytes (from data + true_lb()), whatever its extent.
  bool one_block() const { return one_block_; }

  // Not null for predefined types only (those of MPI_Type_create_f90_* among them); a dup of one is a derived type.
  const BasicType* basic() const { return basic_; }
  const Layout& layout() const { return *layout_; }
  const Signature& signature() const { return *signature_; }
  const std::shared_ptr<const Layout>& shared_layout() const { return layout_; }
  const std::shared_ptr<const Signature>& shared_signature() const { return signature_; }
  const TypeRecipe& recipe() const { return *recipe_; }
  const std::shared_ptr<const TypeRecipe>& shared_recipe() const { return recipe_; }

  MPI_Datatype handle() const { return reinterpret_cast<MPI_Datatype>(abi_handle); }
  // The name that MPI_Type_set_name gave, the C name of a predefined type, or a description such as "vector".
  const char* name_or_combiner() const;
  const char* how_made() const;  // "vector type": how it was made; lives for ever

  bool committed = false;
  std::string name;  // at most MPI_MAX_OBJECT_NAME - 1 characters
  AttributeSet attributes;

 private:
  Count size_ = 0;
  Bounds bounds_;
  bool contiguous_ = false, one_block_ = false;
  const BasicType* basic_ = nullptr;
  std::shared_ptr<const Layout> layout_;
  std::shared_ptr<const Signature> signature_;
  std::shared_ptr<const TypeRecipe> recipe_;
};

void destroy(Datatype* type);

// The type behind a handle that the door has checked (or that predefined code names: datatype_of(MPI_INT)).
inline Datatype& datatype_of(MPI_Datatype handle) {
  return *static_cast<Datatype*>(object_of(reinterpret_cast<std::uintptr_t>(handle)));
}

// Reads the application's array of handles as types. The door has checked them: none is null where it is significant.
class DatatypeSpan {
 public:
  DatatypeSpan() = default;
  DatatypeSpan(const MPI_Datatype* handles, std::size_t size = 0) : handles_(handles), size_(size) {}  // NOLINT: implicit
  Datatype& operator[](std::size_t i) const { return datatype_of(handles_[i]); }
  Datatype& operator[](int i) const { return (*this)[static_cast<std::size_t>(i)]; }
  explicit operator bool() const { return handles_ != nullptr; }
  std::size_t size() const { return size_; }

 private:
  const MPI_Datatype* handles_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ompi_lite
