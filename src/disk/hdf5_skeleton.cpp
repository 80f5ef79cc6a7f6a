// HDF5's metadata of one dataset.
#include "disk/hdf5_skeleton.hpp"

#include <algorithm>
#include <bit>

#include "disk/byte_writer.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint64_t undefined_address = ~std::uint64_t{0};
constexpr std::uint64_t superblock_bytes = 48;
// Messages of object headers (section IV.A.2).
enum Message : std::uint8_t {
  dataspace = 1,
  link_info = 2,
  datatype = 3,
  fill_value = 5,
  link = 6,
  data_layout = 8,
  group_info = 10
};

void add_message(ByteWriter& header, Message type, int flags, const ByteWriter& body) {
  header.u8(type).u16(body.size()).u8(static_cast<std::uint64_t>(flags)).append(body.bytes());
}

void add_checksum(ByteWriter& bytes) { bytes.u32(lookup3(bytes.bytes())); }

/// An object header of version 2 without times, its messages in one chunk.
ByteWriter object_header(const ByteWriter& messages) {
  constexpr int size_in_two_bytes = 1;
  ByteWriter header;
  header.text("OHDR").u8(2).u8(size_in_two_bytes).u16(messages.size()).append(messages.bytes());
  add_checksum(header);
  return header;
}

ByteWriter integer_type(std::uint64_t bytes, bool has_sign) {
  constexpr int class_and_version = 0x10, signed_flag = 0x08;
  ByteWriter type;
  type.u8(class_and_version).u8(has_sign ? signed_flag : 0).u16(0).u32(bytes).u16(0).u16(8 * bytes);
  return type;
}

/// IEEE 754 numbers, little-endian.
ByteWriter real_type(std::uint64_t bytes) {
  constexpr int class_and_version = 0x11, mantissa_is_normalised = 0x20;
  const std::uint64_t mantissa = bytes == 2 ? 10 : bytes == 4 ? 23 : 52;
  const std::uint64_t exponent = 8 * bytes - 1 - mantissa;
  ByteWriter type;
  type.u8(class_and_version).u8(mantissa_is_normalised).u8(8 * bytes - 1).u8(0).u32(bytes);
  type.u16(0).u16(8 * bytes);                          // offset and precision, in bits
  type.u8(mantissa).u8(exponent);                      // exponent: place and size
  type.u8(0).u8(mantissa);                             // its place and size
  type.u32((std::uint64_t{1} << (exponent - 1)) - 1);  // bias
  return type;
}

/// The enumeration of FALSE and TRUE that h5py takes for truth values.
ByteWriter boolean_type() {
  constexpr int class_and_version = 0x38;
  ByteWriter type;
  type.u8(class_and_version).u16(2).u8(0).u32(1);  // two members
  type.append(integer_type(1, true).bytes());
  type.text("FALSE").u8(0).text("TRUE").u8(0).u8(0).u8(1);  // names with their ends, numbers
  return type;
}

/// The compound of r and i that h5py takes for complex numbers.
ByteWriter complex_type(std::uint64_t bytes) {
  constexpr int class_and_version = 0x36;
  const ByteWriter part = real_type(bytes / 2);
  ByteWriter type;
  type.u8(class_and_version).u16(2).u8(0).u32(bytes);  // two members
  type.text("r").u8(0).u8(0).append(part.bytes());     // name, its end, place
  type.text("i").u8(0).u8(bytes / 2).append(part.bytes());
  return type;
}

ByteWriter element_type(ElementType type) {
  const std::uint64_t bytes = size_of(type);
  if (traits_of(type).boolean) return boolean_type();
  if (is_integer(type)) return integer_type(bytes, traits_of(type).has_sign);
  return is_complex(type) ? complex_type(bytes) : real_type(bytes);
}

ByteWriter extents_message(const DiskLayout& layout) {
  constexpr int version = 2, simple = 1;
  ByteWriter body;
  body.u8(version).u8(static_cast<std::uint64_t>(layout.shape.size())).u8(0).u8(simple);
  for (const std::int64_t extent : layout.shape) body.u64(static_cast<std::uint64_t>(extent));
  return body;
}

ByteWriter fill_message() {
  constexpr int version = 3, allocated_early = 1, never_written = 1 << 2;
  ByteWriter body;
  body.u8(version).u8(allocated_early | never_written);
  return body;
}

ByteWriter layout_message(const DiskLayout& layout) {
  constexpr int version = 4, chunked = 2, implicit_index = 2;
  auto longest = static_cast<std::uint64_t>(size_of(layout.type));
  for (const std::int64_t extent : layout.tile)
    longest = std::max(longest, static_cast<std::uint64_t>(extent));
  // No more than the longest needs: libhdf5 refuses others.
  const auto extent_bytes = static_cast<int>(std::bit_width(longest) + 7) / 8;
  ByteWriter body;
  body.u8(version).u8(chunked).u8(0).u8(static_cast<std::uint64_t>(layout.tile.size()) + 1);
  body.u8(static_cast<std::uint64_t>(extent_bytes));
  for (const std::int64_t extent : layout.tile)
    body.number(static_cast<std::uint64_t>(extent), extent_bytes);
  body.number(size_of(layout.type), extent_bytes);
  // Addresses count from the superblock.
  body.u8(implicit_index).u64(static_cast<std::uint64_t>(layout.data_offset - layout.user_block));
  return body;
}

ByteWriter dataset(const DiskLayout& layout) {
  constexpr int constant = 1;
  ByteWriter messages;
  add_message(messages, dataspace, 0, extents_message(layout));
  add_message(messages, datatype, constant, element_type(layout.type));
  add_message(messages, fill_value, constant, fill_message());
  add_message(messages, data_layout, 0, layout_message(layout));
  return object_header(messages);
}

ByteWriter root_group(std::string_view name, std::uint64_t target) {
  ByteWriter info, groups, member, messages;
  info.u8(0).u8(0).u64(undefined_address).u64(undefined_address);
  groups.u8(0).u8(0);
  member.u8(1).u8(0).u8(name.size()).text(name).u64(target);
  add_message(messages, link_info, 0, info);
  add_message(messages, group_info, 1, groups);
  add_message(messages, link, 0, member);
  return object_header(messages);
}

}  // namespace

std::vector<std::byte> hdf5_skeleton(const DiskLayout& layout, std::string_view name) {
  ByteWriter file;
  file.text("\x89HDF\r\n\x1a\n").u8(3).u8(8).u8(8).u8(0);  // 8 bytes for offsets and lengths
  file.u64(static_cast<std::uint64_t>(layout.user_block)).u64(undefined_address);
  file.u64(static_cast<std::uint64_t>(layout.file_bytes)).u64(superblock_bytes);
  add_checksum(file);
  const std::uint64_t group_bytes = root_group(name, 0).size();
  file.append(root_group(name, superblock_bytes + group_bytes).bytes());
  file.append(dataset(layout).bytes());
  return file.bytes();
}

std::uint32_t lookup3(std::span<const std::byte> bytes) noexcept {
  // Bob Jenkins's hashlittle with an initial value of 0, as HDF5 calls it.
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size()), b = a, c = a;
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
      value |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
    return value;
  };
  std::size_t at = 0;
  for (; bytes.size() - at > 12; at += 12) {
    a += word(at), b += word(at + 4), c += word(at + 8);
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  if (at == bytes.size()) return c;
  a += word(at), b += word(at + 4), c += word(at + 8);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

}  // namespace lagoon::atoll::detail
