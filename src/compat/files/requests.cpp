#include "compat/files/requests.hpp"

#include <string>

namespace lagoon::atoll::files {

int Requests::wait(int id) {
  if (id == waited_for) return ok;
  if (id < waited_for) return id;
  const std::unique_ptr<Request> request = table_.take(id);
  if (request == nullptr)
    return code_of(Failure(wait_failed, "no request " + std::to_string(id)), wait_failed);
  return coded(request->failure, [&] {
    const std::int64_t moved = request->transfer.wait();
    if (moved < request->bytes)
      throw Failure(end_of_file, std::to_string(moved) + " of " + std::to_string(request->bytes) +
                                     " bytes read");
  });
}

bool Requests::done(int id) const {
  if (id <= waited_for) return true;
  if (const Request* const request = table_.find(id)) return request->transfer.test();
  throw Failure(probe_failed, "no request " + std::to_string(id));
}

int Requests::wait_all_of(int file) {
  int first = ok;
  for (const int id : table_.handles()) {
    if (table_.find(id)->file != file) continue;
    const int code = wait(id);
    if (first == ok) first = code;
  }
  return first;
}

}  // namespace lagoon::atoll::files
