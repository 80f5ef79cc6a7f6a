// Request: a nonblocking operation, with the Python objects whose memory it uses.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <memory>

#include "atoll/handle.hpp"
#include "values.hpp"

namespace nb = nanobind;

namespace lagoon::atoll {
class AnyArray;
}

namespace lagoon::atoll::python {

class Request {
 public:
  /// Done from the start, with this result.
  explicit Request(nb::object result);
  /// For an operation on `array`, which is kept alive; `result` is what `wait` gives.
  Request(std::shared_ptr<AnyArray> array, nb::object result, std::unique_ptr<Values> values);
  Request(Request&& other) noexcept;
  Request(const Request&) = delete;
  /// Waits.
  ~Request();

  /// Memory for alpha, which stays where it is while the operation runs.
  std::byte* alpha() noexcept { return alpha_->data(); }
  /// Whether `wait` gives the element of a result without dimensions rather than the array.
  void give_scalar(bool scalar) noexcept { scalar_ = scalar; }
  void start(Handle handle) noexcept;
  nb::object wait();
  bool test();
  bool done() const noexcept { return done_; }

 private:
  std::shared_ptr<AnyArray> array_;
  nb::object result_;
  std::unique_ptr<Values> values_;
  std::unique_ptr<std::array<std::byte, 16>> alpha_;
  Handle handle_;
  bool scalar_ = false;
  bool done_ = true;
};

}  // namespace lagoon::atoll::python
