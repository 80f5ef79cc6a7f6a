// The one exception type of the library.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "atoll/namespace.hpp"

namespace lagoon::atoll {

/// What went wrong, in the classes that a caller can act on.
enum class ErrorKind : std::uint8_t {
  value,          ///< an argument has a bad value (Python: ValueError)
  type,           ///< a wrong element type (TypeError)
  index,          ///< a position or patch outside the array (IndexError)
  memory,         ///< no memory left (MemoryError)
  state,          ///< the object is destroyed, or the world not running (RuntimeError)
  mismatch,       ///< ranks disagree in a collective call (RuntimeError)
  communication,  ///< MPI or the operating system failed (OSError)
  unsupported,    ///< not available in this configuration (NotImplementedError)
  numeric,        ///< a matrix that has no such result (numpy.linalg.LinAlgError)
  file,           ///< the system refused to work on a file (OSError with its errno)
};

std::string_view name_of(ErrorKind kind) noexcept;

/// Thrown by every public function. `what()` is one line:
/// "get: patch [0:9] lies outside array 'A' of shape (8) (rank 1)".
/// Context is added on the way up, by the layer that knows it.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string message);
  /// One that the system told by an errno.
  Error(ErrorKind kind, std::string message, int error_number);
  /// Error(file): "cannot write 4096 bytes at 0 of '/data/a': No space left on device".
  static Error of_file(int error_number, const std::string& doing);
  ErrorKind kind() const noexcept { return kind_; }
  /// The message without the operation, array and rank.
  const std::string& message() const noexcept { return message_; }
  const std::string& operation() const noexcept { return operation_; }
  const std::string& array() const noexcept { return array_; }
  const std::string& patch() const noexcept { return patch_; }
  /// Of a `file` error the system's errno, of a `numeric` one LAPACK's info where a routine gave
  /// one (of a factorisation the order of the minor, or the pivot), else 0.
  int error_number() const noexcept { return error_number_; }
  /// World rank that raised it; -1 before start-up.
  int rank() const noexcept { return rank_; }
  /// Whether all ranks of a collective call throw it alike: then nobody waits for anybody.
  bool everywhere() const noexcept { return everywhere_; }
  /// Of an exception of another language the name of its class ("OverflowError"); else empty.
  const std::string& exception() const noexcept { return exception_; }
  const char* what() const noexcept override { return text_.c_str(); }

  /// A copy that also says during which operation, on which array and patch.
  Error during(std::string_view operation, std::string_view array = {},
               std::string_view patch = {}) const;
  /// Copies that say so.
  Error thrown_everywhere() const;
  Error of_exception(std::string_view name) const;

 private:
  void compose();
  ErrorKind kind_;
  bool everywhere_ = false;
  int rank_, error_number_ = 0;
  std::string message_, operation_, array_, patch_, text_, exception_;
};

}  // namespace lagoon::atoll
