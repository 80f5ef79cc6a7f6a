#include "compat/ga/memories.hpp"

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include "atoll/error.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

namespace {

Error unknown(const void* address) {
  std::ostringstream text;
  text << "ptr is " << address << "; expected what GA_Getmem gave and GA_Freemem did not free";
  return Error(ErrorKind::value, text.str());
}

}  // namespace

void* Memories::get(const Group& group, std::int64_t bytes) {
  try {
    Memory memory(group, std::max<std::int64_t>(bytes, 1), "GA_Getmem");
    void* const address = memory.address(group.rank());
    memories_.emplace(address, std::move(memory));
    return address;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::memory) return nullptr;
    throw;
  }
}

void Memories::free(const void* address) {
  const auto found = memories_.find(address);
  if (found == memories_.end()) throw unknown(address);
  found->second.destroy();
  memories_.erase(found);
}

const Memory& Memories::at(const void* address) const {
  const auto found = memories_.find(address);
  if (found == memories_.end()) throw unknown(address);
  return found->second;
}

Memories& memories() {
  std::unique_ptr<Memories>& kept = Runtime::get().memories;
  if (!kept) kept = std::make_unique<Memories>();
  return *kept;
}

void* get_memory(std::int64_t type, std::int64_t elements, std::int64_t group) {
  const auto size = static_cast<std::int64_t>(datatype(static_cast<int>(type)).bytes);
  if (elements < 0)
    throw Error(ErrorKind::value, "nelem is " + std::to_string(elements) + "; expected 0 or more");
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, size, &bytes))
    throw Error(ErrorKind::value, "nelem is " + std::to_string(elements) + ": over 2^63 bytes");
  // Only numbers above 0 are groups here: 0, elsewhere the mirrored one, means the world.
  const int handle = group > 0 ? static_cast<int>(group) : world_handle;
  return memories().get(Runtime::get().groups.at(handle), bytes);
}

}  // namespace lagoon::atoll::ga
