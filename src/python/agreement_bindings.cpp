// What Python code of collective calls agrees by: the frame that the library's own calls have.
#include <nanobind/stl/string.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "array/array_state.hpp"
#include "array/mirror/merge_meeting.hpp"
#include "array_object.hpp"
#include "atoll/group.hpp"
#include "bindings.hpp"
#include "entry.hpp"
#include "errors.hpp"
#include "world/collective.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::python {

namespace {

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  for (const char byte : bytes) hash = detail::mix(hash, static_cast<unsigned char>(byte));
  return hash;
}

detail::Failure failure_of(nb::handle exception) {
  if (exception.is_none()) return {};
  return error_of(exception);
}

/// Raises the exception itself, with its traceback.
[[noreturn]] void raise_again(nb::handle exception) {
  exception.attr(raised_everywhere) = true;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  nb::raise_python_error();
}

/// Python's own account of the call that this thread is in; see python/atoll/_agreement.py.
std::string caller() {
  if (Py_IsInitialized() == 0) return {};  // at the end of the process
  const nb::gil_scoped_acquire lock;
  try {
    return nb::cast<std::string>(nb::module_::import_("atoll._agreement").attr("caller")());
  } catch (const std::exception&) {
    return {};  // it is for a message only
  }
}

/// Meets the others by `meet`; what it throws of this rank's own is the exception itself.
template <class Meet>
void tell(const detail::Failure& told, nb::handle exception, const Meet& meet) {
  try {
    waiting(meet);
  } catch (const Error& thrown) {
    if (!told || thrown.message() != told->message()) throw;
    raise_again(exception);
  }
}

/// Ends a call; the bits that are set on any rank, of four. Mostly all have the same.
int leave_telling(const Group& group, int bits, nb::handle failure) {
  const detail::Failure told = failure_of(failure);
  bool same = false;
  tell(told, failure,
       [&] { same = detail::leave_with(group, static_cast<std::uint64_t>(bits), told); });
  if (same) return bits;
  std::array<std::int32_t, 4> set{};
  for (std::size_t i = 0; i < set.size(); ++i) set[i] = bits >> i & 1;
  waiting([&] { group.reduce(std::span<std::int32_t>(set), Reduction::maximum); });
  return set[0] | set[1] << 1 | set[2] << 2 | set[3] << 3;
}

}  // namespace

void bind_agreement(nb::module_& m) {
  detail::tell_calls_by(&caller);
  m.attr("RAISED_EVERYWHERE") = raised_everywhere;
  m.def(
      "enter",
      [](const Group& group, const std::string& operation, const nb::bytes& arguments) {
        const std::uint64_t hash = hash_of({arguments.c_str(), arguments.size()});
        waiting([&] { detail::enter_collective(group, operation, hash, nullptr); });
      },
      nb::arg("group"), nb::arg("operation"), nb::arg("arguments"),
      "Begins a collective call; raises on all ranks if one has failed or calls something else.");
  m.def(
      "leave",
      [](const Group& group, nb::handle failure) {
        const detail::Failure told = failure_of(failure);
        tell(told, failure, [&] { detail::leave_collective(group, told); });
      },
      nb::arg("group"), nb::arg("failure").none() = nb::none(),
      nb::sig("def leave(group: Group, failure: BaseException | None = None) -> None"),
      "Ends one, or joins the meeting that the others' call begins with: raises on all ranks what "
      "failed on one.");
  m.def(
      "leave_merge",
      [](const ArrayObject& array, nb::handle failure) {
        const detail::Failure told = error_of(failure);
        const auto& state = array.get().state();
        tell(told, failure, [&] { detail::refuse_merge(*state, *told); });
      },
      nb::arg("array"), nb::arg("failure"),
      nb::sig("def leave_merge(array: ArrayBase, failure: BaseException) -> None"),
      "The same for a merge of a mirrored array on several nodes.");
  m.def("leave_telling", &leave_telling, nb::arg("group"), nb::arg("bits"),
        nb::arg("failure").none(),
        nb::sig("def leave_telling(group: Group, bits: int, failure: BaseException | None) -> int"),
        "As `leave`; gives the bits that are set on any rank, of four.");
  m.def("checks", [] { return detail::WorldState::get().config.check; });
}

}  // namespace lagoon::atoll::python
