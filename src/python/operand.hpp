// Operands as Python gives them: an array, or a view of one, `a.at[key]`.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "array_object.hpp"
#include "atoll/view.hpp"

namespace nb = nanobind;

namespace lagoon::atoll::python {

/// What `a.at[key]` is: part of an array, or of one that repeats without end, which is for adding
/// only. The key is read when it is used.
struct ViewObject {
  nb::object base;
  nb::object key;
  Form form = Form::plain;
  bool added = false;  ///< by `+=`, after which Python stores the view where it came from
};

/// An argument of a call. Refers to it, and so do the views that it gives.
class Operand {
 public:
  bool take(nb::handle argument) noexcept;  ///< false for what is neither array nor view

  /// Which parts a call takes: of any steps above zero, or whole ranges. IndexError for others.
  enum class Steps : bool { one, any };
  View read(Steps steps = Steps::any) const;
  /// Also ValueError for a view that is transposed or conjugated.
  MutableView write(Steps steps = Steps::any) const;
  /// The array of it. TypeError for a view of a periodic one.
  const ArrayObject& object() const;

 private:
  std::optional<Patch> patch(Steps steps) const;

  nb::handle base_;
  const ViewObject* view_ = nullptr;
};

}  // namespace lagoon::atoll::python

template <>
struct nanobind::detail::type_caster<lagoon::atoll::python::Operand> {
  NB_TYPE_CASTER(lagoon::atoll::python::Operand, const_name("ArrayBase | ViewBase"))
  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    return value.take(source);
  }
};
