// Eight bytes are written and read at a time, whatever counts of them.
#include "fixed_point.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace lagoon::atoll::chem {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t group_size = 128;

std::size_t groups_of(std::size_t numbers) { return (numbers + group_size - 1) / group_size; }

std::uint64_t folded(std::int64_t whole) {
  return (static_cast<std::uint64_t>(whole) << 1) ^ static_cast<std::uint64_t>(whole >> 63);
}

double unfolded(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>((bits >> 1) ^ (0 - (bits & 1))));
}

}  // namespace

std::vector<std::uint8_t> to_fixed_point(std::span<const double> numbers, double step) {
  const std::size_t groups = groups_of(numbers.size());
  std::vector<std::uint8_t> record(groups + 8 * numbers.size() + 8);
  std::uint8_t* next = record.data() + groups;
  const double steps = 1 / step;
  for (std::size_t group = 0; group < groups; ++group) {
    const auto part = numbers.subspan(group * group_size,
                                      std::min(group_size, numbers.size() - group * group_size));
    std::uint64_t bits[group_size], all = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      bits[i] = folded(std::llrint(part[i] * steps));
      all |= bits[i];
    }
    const std::size_t length = (static_cast<std::size_t>(std::bit_width(all)) + 7) / 8;
    record[group] = static_cast<std::uint8_t>(length);
    if (length == 0) continue;
    for (std::size_t i = 0; i < part.size(); ++i, next += length)
      std::memcpy(next, &bits[i], sizeof(bits[i]));
  }
  const auto used = static_cast<std::size_t>(next - record.data());
  record.resize(used == groups ? 0 : used);
  return record;
}

bool from_fixed_point(std::span<const std::uint8_t> record, double step,
                      std::span<double> numbers) {
  const std::size_t groups = groups_of(numbers.size());
  if (record.size() < groups) return false;
  std::size_t place = groups;
  for (std::size_t group = 0; group < groups; ++group) {
    const auto part = numbers.subspan(group * group_size,
                                      std::min(group_size, numbers.size() - group * group_size));
    const std::size_t length = record[group];
    if (length == 0) {
      std::fill(part.begin(), part.end(), 0.0);
      continue;
    }
    if (length > 8 || record.size() - place < part.size() * length) return false;
    const std::uint64_t mask = ~std::uint64_t{0} >> (8 * (8 - length));
    for (double& number : part) {
      std::uint64_t bits = 0;
      if (record.size() - place >= sizeof(bits))
        std::memcpy(&bits, record.data() + place, sizeof(bits));
      else
        std::memcpy(&bits, record.data() + place, length);
      number = unfolded(bits & mask) * step;
      place += length;
    }
  }
  return place == record.size();
}

}  // namespace lagoon::atoll::chem
