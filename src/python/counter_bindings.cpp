// The shared counter for Python.
#include <memory>

#include "atoll/counter.hpp"
#include "bindings.hpp"
#include "entry.hpp"
#include "refusal.hpp"

namespace lagoon::atoll::python {

namespace {

class CounterObject {
 public:
  CounterObject(const Group& group, std::int64_t first)
      : one_node_(group.nodes() == 1),
        counter_(waiting([&] { return new Counter(group, first); }), [](Counter* gone) noexcept {
          const Entry entry(Entry::Waits::no);
          delete gone;
        }) {}
  std::int64_t next(nb::handle given) {
    const std::int64_t increment = PyLong_AsLongLong(given.ptr());
    if (increment == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "increment is %R, expected an integer of 64 bits", given.ptr());
      nb::raise_python_error();
    }
    const OneSided entry(waits());
    return counter_->next(increment);
  }
  std::int64_t value() const {
    const OneSided entry(waits());
    return counter_->value();
  }
  void reset(std::int64_t first) {
    waiting([&] { counter_->reset(first); });
  }

 private:
  Entry::Waits waits() const noexcept { return one_node_ ? Entry::Waits::no : Entry::Waits::yes; }
  bool one_node_;
  std::shared_ptr<Counter> counter_;
};

}  // namespace

void bind_counter(nb::module_& m) {
  nb::class_<CounterObject> c(m, "CounterBase");
  c.def(nb::init<const Group&, std::int64_t>(), nb::arg("group"), nb::arg("first"))
      .def("next", &CounterObject::next, nb::arg("increment").none() = 1,
           nb::sig("def next(self, increment: int = 1) -> int"),
           "Takes the next value: each is handed out once among all ranks. Not collective.")
      .def_prop_ro("value", &CounterObject::value,
                   "The value that comes next, as of now. Not collective.")
      .def("reset", &CounterObject::reset, nb::arg("first") = 0,
           "Collective: the counter starts again at `first`.");
  refuse_others(c, "next", "increment=1");
}

}  // namespace lagoon::atoll::python
