#include "compat/gp/transfers.hpp"

#include <cstring>
#include <limits>
#include <string>

#include "atoll/error.hpp"
#include "compat/gp/session.hpp"

namespace lagoon::atoll::gp {

namespace {

int checked_total(std::int64_t bytes) {
  if (bytes > std::numeric_limits<int>::max())
    throw Error(ErrorKind::value,
                "the objects have " + std::to_string(bytes) +
                    " bytes together, more than an int holds: move them in parts");
  return static_cast<int>(bytes);
}

MemorySection section(const Object& object, std::int64_t bytes) {
  return {object.rank, object.offset, Index{bytes}};
}

void check_size(std::size_t number, std::int64_t size, const Object& object, bool equal) {
  if (size >= 0 && size <= object.size && (size == object.size || !equal)) return;
  throw Error(ErrorKind::value, "the size of number " + std::to_string(number) + " is " +
                                    std::to_string(size) + " bytes, its object has " +
                                    std::to_string(object.size));
}

}  // namespace

int total_size(const std::vector<Object>& objects) {
  std::int64_t total = 0;
  for (const Object& object : objects) total += object.size;
  return checked_total(total);
}

int get(const std::vector<Object>& objects, void* buffer, const Places& places) {
  const int total = total_size(objects);
  const Memory& memory = Session::get().pool.memory();
  std::vector<Handle> moving;
  auto* to = static_cast<std::byte*>(buffer);
  for (std::size_t k = 0; k < objects.size(); ++k) {
    const Object& object = objects[k];
    places.sizes[k] = static_cast<int>(object.size);
    places.pointers[k] = object.exists() ? to : nullptr;
    if (object.size == 0) continue;
    moving.push_back(memory.get_async(section(object, object.size), to));
    to += object.size;
  }
  wait_all(moving);
  return total;
}

int put(const std::vector<Object>& objects, const Places& places, bool equal) {
  std::int64_t total = 0;
  for (std::size_t k = 0; k < objects.size(); ++k) {
    check_size(k, places.sizes[k], objects[k], equal);
    total += places.sizes[k];
  }
  const int checked = checked_total(total);
  Memory& memory = Session::get().pool.memory();
  std::vector<Handle> moving;
  for (std::size_t k = 0; k < objects.size(); ++k)
    if (places.sizes[k] > 0)
      moving.push_back(memory.put_async(section(objects[k], places.sizes[k]), places.pointers[k]));
  wait_all(moving);
  return checked;
}

void zero(const std::vector<Object>& objects) {
  const Memory& memory = Session::get().pool.memory();
  for (const Object& object : objects)
    if (object.size > 0)
      std::memset(memory.address(object.rank) + object.offset, 0,
                  static_cast<std::size_t>(object.size));
}

}  // namespace lagoon::atoll::gp
