// Waiting for nonblocking operations from Python.
#include "request.hpp"

#include <utility>

#include "atoll/array.hpp"
#include "bindings.hpp"
#include "entry.hpp"
#include "refusal.hpp"

namespace lagoon::atoll::python {

Request::Request(nb::object result) : result_(std::move(result)) {}

Request::Request(std::shared_ptr<AnyArray> array, nb::object result, std::unique_ptr<Values> values)
    : array_(std::move(array)),
      result_(std::move(result)),
      values_(std::move(values)),
      alpha_(std::make_unique<std::array<std::byte, 16>>()) {}

Request::Request(Request&& other) noexcept
    : array_(std::move(other.array_)),
      result_(std::move(other.result_)),
      values_(std::move(other.values_)),
      alpha_(std::move(other.alpha_)),
      handle_(std::move(other.handle_)),
      scalar_(other.scalar_),
      done_(std::exchange(other.done_, true)) {}

Request::~Request() {
  if (done_) return;
  try {
    waiting_aside([&] { handle_.wait(); });
  } catch (...) {  // nobody is left to tell; the memory is no longer in use
  }
}

void Request::start(Handle handle) noexcept {
  handle_ = std::move(handle);
  done_ = false;
}

nb::object Request::wait() {
  if (!done_) {
    waiting_aside([&] { handle_.wait(); });
    done_ = true;
    values_.reset();
    array_.reset();
  }
  if (std::exchange(scalar_, false)) result_ = result_[nb::make_tuple()];
  return result_;
}

bool Request::test() {
  if (!done_) done_ = waiting([&] { return handle_.test(); });
  return done_;
}

void bind_request(nb::module_& m) {
  nb::class_<Request> c(m, "Request", R"(A nonblocking operation on its way.

Returned by `get_async`, `put_async` and `accumulate_async`. It keeps the values alive that it
reads; do not change them before `wait` has returned. Waiting completes a write locally; it is
complete at its target after `atoll.fence` or `atoll.sync`. A request that is dropped waits.)");
  c.def("wait", &Request::wait, nb::sig("def wait(self) -> typing.Any"),
        "Waits; gives what was read (a NumPy array or scalar), or None for a write. "
        "Not collective.")
      .def("test", &Request::test,
           "Whether it is done. Makes progress, and never waits. Not collective.")
      .def_prop_ro("done", &Request::done,
                   "Whether `wait` or `test` has found it done. Makes no progress.");
  refuse_others(c, "wait", "");
  refuse_others(c, "test", "");
}

}  // namespace lagoon::atoll::python
