// ByteWriter: little-endian numbers one after the other, as on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lagoon::atoll::detail {

class ByteWriter {
 public:
  /// The lowest `width` bytes of a number.
  ByteWriter& number(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i, value >>= 8)
      bytes_.push_back(static_cast<std::byte>(value & 255));
    return *this;
  }
  ByteWriter& u8(std::uint64_t value) { return number(value, 1); }
  ByteWriter& u16(std::uint64_t value) { return number(value, 2); }
  ByteWriter& u32(std::uint64_t value) { return number(value, 4); }
  ByteWriter& u64(std::uint64_t value) { return number(value, 8); }
  ByteWriter& text(std::string_view characters) {
    for (const char c : characters) bytes_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  ByteWriter& append(std::span<const std::byte> more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return *this;
  }
  /// Zeros up to so many bytes in all.
  ByteWriter& pad_to(std::size_t size) {
    if (bytes_.size() < size) bytes_.resize(size);
    return *this;
  }
  std::size_t size() const noexcept { return bytes_.size(); }
  const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// The other way: numbers from bytes. Reading beyond the end gives zeros and `ok` false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
  std::uint64_t number(int width) noexcept {
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i) {
      if (at_ >= bytes_.size()) {
        ok_ = false;
        return 0;
      }
      value |= std::to_integer<std::uint64_t>(bytes_[at_++]) << (8 * i);
    }
    return value;
  }
  std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() noexcept { return number(8); }
  bool ok() const noexcept { return ok_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace lagoon::atoll::detail
