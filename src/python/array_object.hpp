// ArrayObject: what a Python array holds.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "atoll/array.hpp"
#include "entry.hpp"
#include "errors.hpp"

namespace nb = nanobind;

namespace lagoon::atoll::python {

/// The library's handle, shared with the NumPy views of local blocks: memory that a view shows is
/// not freed before the view is gone.
class ArrayObject {
 public:
  /// `single`: an array without dimensions. To the library it is a vector of one element.
  ArrayObject(AnyArray&& array, Layout layout, bool single = false)
      : array_(new AnyArray(std::move(array)),
               [](AnyArray* gone) noexcept {
                 const Entry entry(Entry::Waits::no);
                 delete gone;
               }),
        layout_(std::move(layout)),
        one_node_(array_->group().nodes() == 1),
        single_(single) {}

  /// Error(state) when closed.
  AnyArray& get() const {
    if (!array_) throw Error(ErrorKind::state, "the array has been destroyed");
    return *array_;
  }
  bool single() const noexcept { return single_; }
  const Index& shape() const {
    static constexpr Index none{};
    const Index& own = get().shape();
    return single_ ? none : own;
  }
  /// What Python calls a place or a section of the library's array.
  Index without_dimension(const Index& position) const { return single_ ? Index{} : position; }
  Patch without_dimension(const Patch& patch) const { return single_ ? Patch{} : patch; }
  const std::shared_ptr<AnyArray>& shared() const noexcept { return array_; }
  const Layout& layout() const noexcept { return layout_; }
  bool alive() const noexcept { return array_ && array_->alive(); }
  void let_go() noexcept { array_.reset(); }
  /// Whether views of its memory exist in this process.
  bool viewed() const noexcept { return array_.use_count() > 1; }
  /// Whether moving so many bytes may wait long enough to let other threads run.
  Entry::Waits waits(std::size_t bytes) const noexcept {
    return !one_node_ || bytes > 65536 ? Entry::Waits::yes : Entry::Waits::no;
  }

 private:
  std::shared_ptr<AnyArray> array_;
  Layout layout_;
  bool one_node_;
  bool single_;
};

/// How many NumPy views of array memory exist in this process.
extern int views_alive;  // guarded by the GIL

/// The ArrayObject inside a Python object of this type or a subclass of it. TypeError when its
/// `__init__` has not run.
inline ArrayObject& array_object(nb::handle self) {
  if (!nb::inst_ready(self)) throw nb::type_error("the array has not been initialised");
  return *nb::inst_ptr<ArrayObject>(self);
}

/// A NumPy array over the block's memory that keeps the memory alive.
nb::object view_of(const ArrayObject& object, const LocalBlock& block);
nb::object view_of(const ArrayObject& object, const ReadableBlock& block);  ///< not writable
/// Points to alpha as an element, stored in `element`; null when none is given, which means one.
const void* read_alpha(nb::handle alpha, ElementType type, std::byte* element);

// Element access (array_access.cpp): type slots, and methods named alike in Python.
PyObject* array_subscript(PyObject* self, PyObject* key) noexcept;
int array_assign_subscript(PyObject* self, PyObject* key, PyObject* value) noexcept;
void array_get_into(nb::handle self, nb::handle key, nb::handle out);
void array_accumulate(nb::handle self, nb::handle key, nb::handle value, nb::handle alpha);
nb::object array_get(nb::handle self, nb::handle key, nb::handle out);
nb::object array_get_async(nb::handle self, nb::handle key, nb::handle out);
nb::object array_put_async(nb::handle self, nb::handle key, nb::handle value);
nb::object array_accumulate_async(nb::handle self, nb::handle key, nb::handle value,
                                  nb::handle alpha);

}  // namespace lagoon::atoll::python
