// Mirrored arrays for Python: merges, publishing, and functions of one's own to combine copies.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <utility>

#include "array_object.hpp"
#include "atoll/mirror.hpp"
#include "bindings.hpp"
#include "numpy.hpp"
#include "operand.hpp"
#include "world/function_turn.hpp"

namespace lagoon::atoll::python {

namespace {

using Steps = Operand::Steps;

/// A Python callable that the library may call and drop on any thread, with or without the GIL.
std::shared_ptr<nb::object> shared_callable(nb::handle callable) {
  return {new nb::object(nb::borrow(callable)), [](nb::object* gone) noexcept {
            const nb::gil_scoped_acquire lock;
            delete gone;
          }};
}

/// A copy of the elements, which the function may keep, or the memory itself.
nb::object vector_of(const void* data, std::int64_t elements, ElementType type,
                     nb::rv_policy policy) {
  const auto shape = static_cast<std::size_t>(elements);
  const auto dtype = dlpack_type(type);
  auto* const memory = const_cast<void*>(data);  // NOLINT: what is const gets copied
  return nb::cast(nb::ndarray<nb::numpy>(memory, 1, &shape, nb::handle(), nullptr, dtype), policy);
}

[[noreturn]] void throw_wrong(PyObject* type, nb::handle op) {
  PyErr_Format(type,
               "op is %R, expected 'sum', 'max', 'min', 'product' or a function of two NumPy "
               "arrays",
               op.ptr());
  nb::raise_python_error();
}

Combination combination_from(nb::handle op, ElementType type) {
  if (nb::isinstance<nb::str>(op)) {
    const auto name = nb::cast<std::string>(op);
    if (name == "sum") return Reduction::sum;
    if (name == "max") return Reduction::maximum;
    if (name == "min") return Reduction::minimum;
    if (name == "product") return Reduction::product;
    throw_wrong(PyExc_ValueError, op);
  }
  if (PyCallable_Check(op.ptr()) == 0) throw_wrong(PyExc_TypeError, op);
  return Combination(Combination::Function(
      [callable = shared_callable(op), type](void* into, const void* next, std::int64_t elements) {
        const nb::gil_scoped_acquire lock;
        try {
          const nb::object result =
              (*callable)(vector_of(into, elements, type, nb::rv_policy::copy),
                          vector_of(next, elements, type, nb::rv_policy::copy));
          vector_of(into, elements, type, nb::rv_policy::reference)[nb::ellipsis()] = result;
        } catch (nb::python_error& error) {
          // On this rank only, and behind the meeting: nobody waits to be told.
          error.value().attr(raised_everywhere) = true;
          throw;
        }
      }));
}

void merge_array(const Operand& a, nb::handle op) {
  const MutableView view = a.write(Steps::one);
  const Combination combination = combination_from(op, view.array.type());
  waiting([&] { merge(view.array, view.section(), combination); });
}

/// Keeps the array, whose memory the merge works on.
class MergeRequest {
 public:
  MergeRequest(std::shared_ptr<AnyArray> array, PendingMerge pending)
      : array_(std::move(array)), pending_(std::move(pending)) {}
  MergeRequest(MergeRequest&&) noexcept = default;
  MergeRequest& operator=(MergeRequest&&) = delete;
  MergeRequest(const MergeRequest&) = delete;
  MergeRequest& operator=(const MergeRequest&) = delete;
  ~MergeRequest() {
    if (array_ == nullptr) return;
    // Not while other ranks may not come: the merge goes on, and the next one waits for it.
    const Entry entry(Entry::Waits::no);
    pending_.let_go();
  }
  void wait() {
    waiting([&] { pending_.wait(); });
  }
  bool test() {
    return waiting([&] { return pending_.test(); });
  }

 private:
  std::shared_ptr<AnyArray> array_;
  PendingMerge pending_;
};

}  // namespace

void bind_mirror(nb::module_& m) {
  detail::take_turns_for_functions({&Entry::try_take_turn, &Entry::give_turn_back});
  nb::class_<MergeRequest>(m, "PendingMerge", R"(A merge on its way, from `Array.merge_begin`.

The array is not to be read or written before `wait` returns. The merge moves on whenever this rank
is inside Atoll; one that is dropped is waited for by the next merge of the array.)")
      .def("wait", &MergeRequest::wait, nb::sig("def wait(self) -> None"),
           "Waits until my node's copy is merged. Called by all ranks of the node.")
      .def("test", &MergeRequest::test,
           "Whether it is merged. Makes progress, and never waits. Not collective.");
  m.def("merge", &merge_array, nb::arg("a"), nb::arg("op").none());
  m.def(
      "merge_begin",
      [](const Operand& a, nb::handle op) {
        const MutableView view = a.write(Steps::one);
        const Combination combination = combination_from(op, view.array.type());
        return MergeRequest(a.object().shared(), waiting([&] {
                              return merge_begin(view.array, view.section(), combination);
                            }));
      },
      nb::arg("a"), nb::arg("op").none());
  m.def(
      "publish",
      [](const ArrayObject& a) {
        AnyArray& array = a.get();
        waiting([&] { publish(array); });
      },
      nb::arg("a"));
  m.def(
      "merge_into",
      [](const Operand& a, const Operand& target, nb::handle op) {
        const View copies = a.read(Steps::one);
        if (copies.transposed() || copies.conjugated())
          throw nb::value_error(
              "copies are merged as they lie: give a view without .T and .conj()");
        const MutableView into = target.write(Steps::one);
        const Combination combination = combination_from(op, copies.array.type());
        waiting([&] {
          merge_into(copies.array, copies.section(), into.array, into.section(), combination);
        });
      },
      nb::arg("a"), nb::arg("target"), nb::arg("op").none());
  m.def(
      "declare_equal",
      [](const ArrayObject& a) {
        AnyArray& array = a.get();
        waiting([&] { declare_equal(array); });
      },
      nb::arg("a"));
  m.def(
      "mirror",
      [](const ArrayObject& a, const std::string& name) {
        const AnyArray& array = a.get();
        return ArrayObject(waiting([&] { return mirror(array, name); }), Layout::blocked(),
                           a.single());
      },
      nb::arg("a"), nb::arg("name"));
}

}  // namespace lagoon::atoll::python
