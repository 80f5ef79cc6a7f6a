// Numbers for requests under way. A number is used again once it was waited for.
//
// A request that could not begin has its code for a number, so that whoever looks only at what
// waiting returns learns of it, too. -1 stands for one that has been waited for.
#pragma once

#include <cstdint>

#include "atoll/file_request.hpp"
#include "compat/files/codes.hpp"
#include "compat/handle_table.hpp"

namespace lagoon::atoll::files {

inline constexpr int waited_for = -1;

struct Request {
  FileRequest transfer;
  std::int64_t bytes;  ///< asked for
  int file;            ///< descriptor or handle
  Code failure;        ///< code if it fails
};

class Requests {
 public:
  /// Begins what `begin` returns; its number, or the code that is told at once, goes to `id`.
  template <class Begin>
  int start(int& id, Code failure, Begin&& begin) {
    const int code = coded(failure, [&] { id = table_.add(std::make_unique<Request>(begin())); });
    if (code != ok) id = code;
    return code;
  }
  /// How it went. `wait_failed` for a number of none.
  int wait(int id);
  /// Whether nothing is left to wait for; Failure(probe_failed) for a number of none.
  bool done(int id) const;
  /// Waits for all of a file, and forgets them; the first code that is not 0.
  int wait_all_of(int file);

 private:
  compat::HandleTable<Request> table_;
};

}  // namespace lagoon::atoll::files
