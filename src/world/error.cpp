// Error: composing the one line that the user reads.
#include "atoll/error.hpp"

#include <system_error>

#include "world/process.hpp"

namespace lagoon::atoll {

std::string_view name_of(ErrorKind kind) noexcept {
  constexpr std::string_view names[] = {
      "value error",   "type error",    "index error",   "out of memory", "invalid state",
      "rank mismatch", "communication", "not supported", "numeric error", "file error"};
  return names[static_cast<std::size_t>(kind)];
}

Error::Error(ErrorKind kind, std::string message) : Error(kind, std::move(message), 0) {}

Error::Error(ErrorKind kind, std::string message, int error_number)
    : std::runtime_error(message),
      kind_(kind),
      rank_(detail::process_rank()),
      error_number_(error_number),
      message_(std::move(message)) {
  compose();
}

Error Error::of_file(int error_number, const std::string& doing) {
  return {ErrorKind::file, "cannot " + doing + ": " + std::generic_category().message(error_number),
          error_number};
}

Error Error::during(std::string_view operation, std::string_view array,
                    std::string_view patch) const {
  Error error(*this);
  if (error.operation_.empty()) error.operation_ = operation;
  if (error.array_.empty()) error.array_ = array;
  if (error.patch_.empty()) error.patch_ = patch;
  error.compose();
  return error;
}

Error Error::thrown_everywhere() const {
  Error error(*this);
  error.everywhere_ = true;
  return error;
}

Error Error::of_exception(std::string_view name) const {
  Error error(*this);
  error.exception_ = name;
  return error;
}

void Error::compose() {
  text_ = operation_.empty() ? "" : operation_ + ": ";
  text_ += message_;
  if (!array_.empty()) text_ += ", array '" + array_ + "'";
  if (!patch_.empty()) text_ += ", patch " + patch_;
  if (rank_ >= 0) text_ += " (rank " + std::to_string(rank_) + ")";
  detail::last_error() = text_;
}

}  // namespace lagoon::atoll
