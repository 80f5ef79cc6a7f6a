// The codes of ChemIO's calls, and words for them. Failures are exceptions inside; `coded` turns
// them into codes, and keeps the reason of the last one for its message.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace lagoon::atoll::files {

/// Down to `length_failed` the numbers are those of EAF in GA, the others are Atoll's.
enum Code : int {
  ok = 0,
  end_of_file = -10001,
  too_many_files = -10002,
  no_memory = -10003,
  open_failed = -10004,
  close_failed = -10005,
  invalid_descriptor = -10006,
  write_failed = -10007,
  asynchronous_write_failed = -10008,
  read_failed = -10009,
  asynchronous_read_failed = -10010,
  wait_failed = -10011,
  probe_failed = -10012,
  delete_failed = -10013,
  stat_failed = -10015,
  text_too_short = -10016,
  bad_offset = -10018,
  truncate_failed = -10019,
  length_failed = -10020,
  beyond_limit = -10021,
  sync_failed = -10022,
};

/// A failure whose code is known.
class Failure : public std::runtime_error {
 public:
  Failure(Code code, const std::string& reason) : std::runtime_error(reason), code_(code) {}
  Code code() const noexcept { return code_; }

 private:
  Code code_;
};

/// The code of an error, `otherwise` for those that have none of their own. Remembers its reason.
int code_of(const std::exception& error, Code otherwise);

/// "cannot open the file: No such file or directory": what the code means, and the reason of the
/// last failure if that was its code.
std::string message_of(int code);

/// Calls `body`: 0, or the code of what it throws.
template <class Body>
int coded(Code otherwise, Body&& body) {
  try {
    body();
    return ok;
  } catch (const std::exception& error) {
    return code_of(error, otherwise);
  }
}

}  // namespace lagoon::atoll::files
