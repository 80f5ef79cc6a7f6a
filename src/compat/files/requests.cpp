#include "compat/files/requests.hpp"

#include <string>
#include <utility>

namespace lagoon::atoll::files {

int Requests::add(Request request) {
  if (free_.empty()) {
    free_.push_back(static_cast<int>(slots_.size()));
    slots_.emplace_back();
  }
  const int id = free_.back();
  slots_[static_cast<std::size_t>(id)] = std::move(request);
  free_.pop_back();
  return id;
}

bool Requests::under_way(int id) const noexcept {
  return id >= 0 && static_cast<std::size_t>(id) < slots_.size() &&
         slots_[static_cast<std::size_t>(id)].has_value();
}

// NOLINTBEGIN(bugprone-unchecked-optional-access): `under_way` has looked.

int Requests::wait(int id) {
  if (id == waited_for) return ok;
  if (id < waited_for) return id;
  if (!under_way(id))
    return code_of(Failure(wait_failed, "no request " + std::to_string(id)), wait_failed);
  Request request = std::move(*slots_[static_cast<std::size_t>(id)]);
  slots_[static_cast<std::size_t>(id)].reset();
  free_.push_back(id);
  return coded(request.failure, [&] {
    const std::int64_t moved = request.transfer.wait();
    if (moved < request.bytes)
      throw Failure(end_of_file,
                    std::to_string(moved) + " of " + std::to_string(request.bytes) + " bytes read");
  });
}

bool Requests::done(int id) const {
  if (id <= waited_for) return true;
  if (!under_way(id)) throw Failure(probe_failed, "no request " + std::to_string(id));
  return slots_[static_cast<std::size_t>(id)]->transfer.test();
}

int Requests::wait_all_of(int file) {
  int first = ok;
  for (std::size_t id = 0; id < slots_.size(); ++id) {
    if (!slots_[id].has_value() || slots_[id]->file != file) continue;
    const int code = wait(static_cast<int>(id));
    if (first == ok) first = code;
  }
  return first;
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace lagoon::atoll::files
