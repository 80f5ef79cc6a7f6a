#include "world/race/access.hpp"

#include <bit>

namespace lagoon::atoll::detail::race {

void Access::write(std::vector<std::int64_t>& words) const {
  words.insert(
      words.end(),
      {std::bit_cast<std::int64_t>(place.group), std::bit_cast<std::int64_t>(place.sequence),
       std::bit_cast<std::int64_t>(place.cut), std::bit_cast<std::int64_t>(site),
       std::bit_cast<std::int64_t>(bytes), std::int64_t{begin} << 32 | end,
       std::int64_t{box.dimensions} << 16 | (found ? 512 : 0) | (complete ? 256 : 0) |
           static_cast<std::int64_t>(kind)});
  for (std::size_t d = 0; d < static_cast<std::size_t>(box.dimensions); ++d)
    words.insert(words.end(), {box.ranges[d].first, box.ranges[d].step, box.ranges[d].count});
}

Access Access::read(const std::int64_t*& words) {
  Access access;
  access.place = {std::bit_cast<std::uint64_t>(words[0]), std::bit_cast<std::uint64_t>(words[1]),
                  std::bit_cast<std::uint64_t>(words[2])};
  ++words;
  access.site = std::bit_cast<std::uint64_t>(words[2]);
  access.bytes = std::bit_cast<Bytes>(words[3]);
  access.begin = static_cast<Time>(words[4] >> 32);
  access.end = static_cast<Time>(words[4] & 0xffffffff);
  access.box.dimensions = static_cast<int>(words[5] >> 16);
  access.found = (words[5] & 512) != 0;
  access.complete = (words[5] & 256) != 0;
  access.kind = static_cast<Kind>(words[5] & 255);
  words += 6;
  for (std::size_t d = 0; d < static_cast<std::size_t>(access.box.dimensions); ++d, words += 3)
    access.box.ranges[d] = {words[0], words[1], words[2]};
  return access;
}

}  // namespace lagoon::atoll::detail::race
