// Views: what a call of the algebra works on, an array or a patch of it. They are made where a call
// asks for one, of `a`, `{a, patch}`, `{a, Form::transposed}` or `{a, patch, Form::adjoint}`, refer
// to the array and own nothing. An argument may be of a temporary array, which lives as long as the
// call; a view that is kept must not outlive the object that it was made of. Making one looks at
// nothing: calls say on all ranks what is wrong with it, be the array destroyed.
#pragma once

#include <cstdint>
#include <optional>

#include "atoll/array.hpp"

namespace lagoon::atoll {

/// How elements enter a call: as they lie, with the dimensions in reverse order, conjugated, or
/// both. Of real numbers conjugated is plain and adjoint is transposed.
enum class Form : std::uint8_t { plain, transposed, conjugated, adjoint };

/// An operand that is read. Transposed ones may be in any call that takes views, conjugated ones in
/// products of matrices; elsewhere these are Error(unsupported).
struct View {
  View(const AnyArray& all, Form as = Form::plain) : array(all), form(as) {}
  View(const AnyArray& of, const Patch& part, Form as = Form::plain)
      : array(of), patch(part), form(as) {}

  /// The patch, or the one that covers the array.
  Patch section() const { return patch ? *patch : whole(array.shape()); }
  /// Of the elements as they enter.
  Index shape() const;
  /// Whether it is the whole array as it lies.
  bool all() const;
  bool transposed() const;  ///< to which a vector is all the same
  bool conjugated() const;  ///< to which real numbers are all the same

  const AnyArray& array;
  std::optional<Patch> patch;  ///< none: all of the array
  Form form;
};

/// An operand that is written, always as it lies.
struct MutableView {
  MutableView(AnyArray& all) : array(all) {}
  MutableView(AnyArray& of, const Patch& part) : array(of), patch(part) {}

  operator View() const { return patch ? View(array, *patch) : View(array); }
  Patch section() const { return patch ? *patch : whole(array.shape()); }
  Index shape() const { return section().shape(); }

  AnyArray& array;
  std::optional<Patch> patch;  ///< none: all of the array
};

}  // namespace lagoon::atoll
