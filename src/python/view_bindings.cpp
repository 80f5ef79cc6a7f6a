// ViewBase: the extension's part of what `a.at[key]` gives (python/atoll/_view.py builds on it),
// and what calls make of it.
#include <optional>
#include <utility>

#include "bindings.hpp"
#include "numpy.hpp"
#include "operand.hpp"
#include "refusal.hpp"
#include "section.hpp"

namespace lagoon::atoll::python {

bool Operand::take(nb::handle argument) noexcept {
  base_ = argument;
  view_ = nullptr;
  if (nb::isinstance<ArrayObject>(argument)) return true;
  if (!nb::isinstance<ViewObject>(argument) || !nb::inst_ready(argument)) return false;
  view_ = nb::inst_ptr<ViewObject>(argument);
  base_ = view_->base;
  return true;
}

const ArrayObject& Operand::object() const {
  if (!nb::isinstance<ArrayObject>(base_))
    throw nb::type_error(
        "a view of a periodic array is for adding; an operand is a view of an array");
  return array_object(base_);
}

std::optional<Patch> Operand::patch(Steps steps) const {
  const Index shape = object().shape();
  const Patch patch =
      steps == Steps::any ? parse_stepped_patch(view_->key, shape) : parse_patch(view_->key, shape);
  if (patch == whole(object().get().shape())) return std::nullopt;  // which is faster
  return patch;
}

View Operand::read(Steps steps) const {
  View result(object().get(), view_ == nullptr ? Form::plain : view_->form);
  if (view_ != nullptr) result.patch = patch(steps);
  return result;
}

namespace {

void require_plain(const ViewObject& view) {
  if (view.form != Form::plain)
    throw nb::value_error("what is written lies as it does: give the view without .T and .conj()");
}

}  // namespace

MutableView Operand::write(Steps steps) const {
  MutableView result(object().get());
  if (view_ == nullptr) return result;
  require_plain(*view_);
  result.patch = patch(steps);
  return result;
}

namespace {

/// base.accumulate(key, value, alpha), short of asking an array for it by name.
void add(const ViewObject& view, nb::handle value, nb::handle alpha) {
  require_plain(view);
  if (nb::isinstance<ArrayObject>(view.base))
    array_accumulate(view.base, view.key, value, alpha);
  else
    view.base.attr("accumulate")(view.key, value, alpha);
}

nb::object added(nb::handle self, nb::handle value, nb::handle alpha) {
  auto& view = nb::cast<ViewObject&>(self);
  add(view, value, alpha);
  view.added = true;
  return nb::borrow(self);
}

View view_of(nb::handle self) {
  Operand operand;
  operand.take(self);
  return operand.read();
}

}  // namespace

void bind_view(nb::module_& m) {
  nb::class_<ViewObject> c(m, "ViewBase");
  c.def(
       "__init__",
       [](ViewObject* self, nb::object base, nb::object key, unsigned form) {
         new (self) ViewObject{std::move(base), std::move(key), static_cast<Form>(form & 3U)};
       },
       nb::arg("base"), nb::arg("key").none(), nb::arg("form") = 0)
      .def_ro("base", &ViewObject::base, nb::sig("def base(self) -> typing.Any"),
              "The array that it is a part of.")
      .def_ro("key", &ViewObject::key, nb::sig("def key(self) -> typing.Any"), "Which part.")
      .def_prop_ro(
          "form", [](const ViewObject& self) { return static_cast<int>(self.form); },
          "Bit 0: transposed, bit 1: conjugated.")
      .def_prop_ro(
          "shape",
          [](nb::handle self) {
            Operand operand;
            operand.take(self);
            return tuple_of(operand.object().without_dimension(operand.read().shape()));
          },
          nb::sig("def shape(self) -> tuple[int, ...]"),
          "Extents as an operand: an integer in the key stands for a range of one.")
      .def_prop_ro(
          "dtype",
          [](nb::handle self) {
            return nb::borrow<nb::object>(numpy().dtype(view_of(self).array.type()));
          },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"), "Element type.")
      .def("add", &add, nb::arg("value").none(), nb::arg("alpha").none() = nb::none(),
           nb::sig("def add(self, value: typing.Any, alpha: typing.Any = None) -> None"),
           R"(Add `alpha * value` (broadcast) to the part, atomically per element.

Not collective. Index arrays may name an element twice; then it is added to twice.)")
      .def(
          "__iadd__",
          [](nb::handle self, nb::handle value) { return added(self, value, nb::none()); },
          nb::arg("value").none(), nb::sig("def __iadd__(self, value: typing.Any, /) -> ViewBase"))
      .def("add_in_place", &added, nb::arg("value").none(), nb::arg("alpha").none(),
           nb::sig("def add_in_place(self, value: typing.Any, alpha: typing.Any) -> ViewBase"),
           "What `+=` does, with a factor: adds, and gives the view.")
      .def(
          "take_added",
          [](ViewObject& self, nb::handle base) {
            return std::exchange(self.added, false) && self.base.is(base);
          },
          nb::arg("base"), nb::sig("def take_added(self, base: typing.Any) -> bool"),
          "Whether it was added to in place since it was last asked, as part of `base`.");
  refuse_others(c, "__init__", "base, key, form=0");
  refuse_others(c, "add", "value, alpha=None");
  refuse_others(c, "add_in_place", "value, alpha");
  refuse_others(c, "take_added", "base");
}

}  // namespace lagoon::atoll::python
