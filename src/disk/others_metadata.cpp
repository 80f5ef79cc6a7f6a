// Reading what others have written, no more than it takes to know it.
#include "disk/others_metadata.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "disk/crc32c.hpp"
#include "disk/hdf5_skeleton.hpp"
#include "disk/zarr_metadata.hpp"

namespace lagoon::atoll::detail {

namespace {

using Bytes = std::vector<std::byte>;
/// Bytes at an address that counts from the superblock; fewer where the file ends.
using Reader = std::function<Bytes(std::uint64_t, std::size_t)>;

constexpr std::size_t superblock_bytes = 48, checksum_bytes = 4, signature_bytes = 4;
constexpr std::size_t most_chunk_bytes = std::size_t{1} << 20, most_chunks = 4096;

std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  if (at + width <= bytes.size()) std::memcpy(&value, bytes.data() + at, width);
  return value;
}

bool begins_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// Whether the last four bytes are HDF5's checksum of those before.
bool is_whole(std::span<const std::byte> bytes) {
  const std::size_t covered = bytes.size() - checksum_bytes;
  return lookup3(bytes.first(covered)) == number_at(bytes, covered, checksum_bytes);
}

using Message = std::pair<unsigned, Bytes>;  // its type, and what it says
struct ObjectHeader {
  std::vector<Message> messages;
};

/// Its chunks, each of them whole; nothing else.
std::optional<ObjectHeader> read_header(const Reader& read, std::uint64_t address) {
  constexpr unsigned has_times = 0x20, has_phase_change = 0x10, has_order = 0x04;
  constexpr unsigned continuation = 16, nothing = 0;
  const Bytes prefix = read(address, 64);
  if (!begins_with(prefix, "OHDR") || prefix.size() < 16) return std::nullopt;
  const auto flags = static_cast<unsigned>(number_at(prefix, 5, 1));
  std::size_t at = 6;
  if ((flags & has_times) != 0) at += 16;
  if ((flags & has_phase_change) != 0) at += 4;
  const std::size_t width = std::size_t{1} << (flags & 3U);
  const std::uint64_t inside = number_at(prefix, at, width);
  if (inside > most_chunk_bytes) return std::nullopt;
  ObjectHeader header;
  struct Chunk {
    std::uint64_t address;
    std::size_t bytes, begin;
  };
  std::vector<Chunk> chunks{{address, at + width + inside + checksum_bytes, at + width}};
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Chunk chunk = chunks[i];
    if (chunk.bytes > 2 * most_chunk_bytes || chunks.size() > most_chunks) return std::nullopt;
    const Bytes bytes = read(chunk.address, chunk.bytes);
    if (bytes.size() < chunk.bytes || chunk.bytes < chunk.begin + checksum_bytes ||
        !is_whole(bytes) || (i > 0 && !begins_with(bytes, "OCHK")))
      return std::nullopt;
    const std::size_t end = chunk.bytes - checksum_bytes;
    const std::size_t message_header = (flags & has_order) != 0 ? 6 : 4;
    for (std::size_t next = chunk.begin; next + message_header <= end;) {
      const auto type = static_cast<unsigned>(number_at(bytes, next, 1));
      const std::size_t size = number_at(bytes, next + 1, 2), body = next + message_header;
      if (body + size > end) return std::nullopt;
      if (type == continuation)
        chunks.push_back(
            {number_at(bytes, body, 8), number_at(bytes, body + 8, 8), signature_bytes});
      else if (type != nothing)
        header.messages.emplace_back(
            type, Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(body),
                        bytes.begin() + static_cast<std::ptrdiff_t>(body + size)));
      next = body + size;
    }
  }
  return header;
}

/// The numbers and names of a JSON text in one order and spelling, so that equal ones are equal.
class Json {
 public:
  explicit Json(std::string_view text) : text_(text) {}

  /// Nothing for what is no JSON. Of the outermost object, members that say nothing about the
  /// elements are left out.
  std::optional<std::string> canonical() {
    const auto result = value(0);
    skip();
    return result && at_ == text_.size() ? result : std::nullopt;
  }

 private:
  static constexpr int deepest = 64;

  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<std::string> value(int depth) {
    skip();
    if (at_ >= text_.size() || depth > deepest) return std::nullopt;
    if (text_[at_] == '{') return object(depth);
    if (text_[at_] == '[') return list(depth);
    if (text_[at_] == '"') return string();
    return word();
  }
  std::optional<std::string> string() {
    if (!take('"')) return std::nullopt;
    const std::size_t first = at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < ' ') return std::nullopt;
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) return std::nullopt;
    return "\"" + std::string(text_.substr(first, at_++ - first)) + "\"";
  }
  /// A number, or true, false, null (NaN and Infinity, which Python writes).
  std::optional<std::string> word() {
    const std::size_t first = at_;
    while (at_ < text_.size() && std::string_view(" \t\r\n,]}:").find(text_[at_]) == text_.npos)
      ++at_;
    std::string found(text_.substr(first, at_ - first));
    for (const char* plain : {"true", "false", "null", "NaN", "Infinity", "-Infinity"})
      if (found == plain) return found;
    if (found.empty() || found.find_first_not_of("0123456789+-.eE") != found.npos)
      return std::nullopt;
    // Whatever the locale; and of any size, as JSON's numbers are.
    const char* const end = found.data() + found.size();
    double number = 0.0;
    const auto [read, error] = std::from_chars(found.data(), end, number);
    if (read != end || error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc::result_out_of_range) return found;
    if (found.find_first_of(".eE") == found.npos) return found;
    std::array<char, 32> shortest{};
    const auto spelled = std::to_chars(shortest.data(), shortest.data() + shortest.size(), number);
    return std::string(shortest.data(), spelled.ptr);
  }
  std::optional<std::string> list(int depth) {
    take('[');
    std::string result = "[";
    if (take(']')) return result + "]";
    do {
      const auto item = value(depth + 1);
      if (!item) return std::nullopt;
      result += *item + ",";
    } while (take(','));
    if (!take(']')) return std::nullopt;
    return result + "]";
  }
  std::optional<std::string> object(int depth) {
    take('{');
    std::map<std::string, std::string> members;
    if (!take('}')) {
      do {
        skip();
        const auto name = string();
        if (!name || !take(':')) return std::nullopt;
        const auto item = value(depth + 1);
        if (!item) return std::nullopt;
        members[*name] = *item;
      } while (take(','));
      if (!take('}')) return std::nullopt;
    }
    if (depth == 0) {
      members.erase("\"attributes\"");
      members.erase("\"dimension_names\"");
      const auto transformers = members.find("\"storage_transformers\"");
      if (transformers != members.end() && transformers->second == "[]")
        members.erase(transformers);
    }
    if (const auto empty = members.find("\"configuration\"");
        empty != members.end() && empty->second == "{}")
      members.erase(empty);
    std::string result = "{";
    for (const auto& [name, item] : members) {
      result += name;
      result += ':';
      result += item;
      result += ',';
    }
    return result + "}";
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool hdf5_has_dataset(const OpenFile& file, const DiskLayout& layout,
                      std::span<const std::byte> skeleton) {
  constexpr unsigned dataspace = 1, datatype = 3, link = 6, data_layout = 8;
  const Reader read = [&](std::uint64_t address, std::size_t bytes) {
    Bytes result(bytes);
    if (address > static_cast<std::uint64_t>(file.length())) return Bytes();
    result.resize(
        file.read(layout.user_block + static_cast<std::int64_t>(address), result.data(), bytes));
    return result;
  };
  const Reader wanted = [&](std::uint64_t address, std::size_t bytes) {
    const std::size_t first = std::min<std::size_t>(address, skeleton.size());
    const auto part = skeleton.subspan(first, std::min(bytes, skeleton.size() - first));
    return Bytes(part.begin(), part.end());
  };
  const Bytes superblock = read(0, superblock_bytes);
  if (superblock.size() < superblock_bytes || !begins_with(superblock, "\x89HDF\r\n\x1a\n") ||
      !is_whole(superblock) || number_at(superblock, 12, 8) != number_at(skeleton, 12, 8) ||
      !read_header(read, number_at(superblock, 36, 8)))
    return false;
  // The dataset's header never moves: it stays where the one link of the skeleton's root says.
  const auto root = read_header(wanted, number_at(skeleton, 36, 8));
  if (!root) return false;
  const auto found_link = std::ranges::find(root->messages, link, &Message::first);
  if (found_link == root->messages.end() || found_link->second.size() < 8) return false;
  const std::uint64_t dataset = number_at(found_link->second, found_link->second.size() - 8, 8);
  const auto expected = read_header(wanted, dataset), found = read_header(read, dataset);
  if (!expected || !found) return false;
  return std::ranges::all_of(expected->messages, [&](const auto& message) {
    const bool counts =
        message.first == dataspace || message.first == datatype || message.first == data_layout;
    return !counts || std::ranges::find(found->messages, message) != found->messages.end();
  });
}

IndexKind index_kind(const OpenFile& file, const DiskLayout& layout) {
  constexpr std::int64_t entry_bytes = 16;
  const auto is_there = [&](std::int64_t offset, std::span<const std::byte> part) {
    Bytes bytes(part.size());
    return file.read(offset, bytes.data(), bytes.size()) == bytes.size() &&
           std::ranges::equal(bytes, part);
  };
  if (for_each_part_of_index(layout, is_there)) return IndexKind::atolls;
  std::uint32_t checksum = 0;
  Bytes part(static_cast<std::size_t>(entry_bytes) << 14);
  const std::int64_t end = entry_bytes * layout.tiles;
  for (std::int64_t at = 0; at < end;) {
    const auto size = static_cast<std::size_t>(std::min<std::int64_t>(std::ssize(part), end - at));
    if (file.read(at, part.data(), size) < size) return IndexKind::none;
    checksum = crc32c({part.data(), size}, checksum);
    at += static_cast<std::int64_t>(size);
  }
  Bytes last(checksum_bytes);
  if (file.read(end, last.data(), last.size()) < last.size()) return IndexKind::none;
  return number_at(last, 0, checksum_bytes) == checksum ? IndexKind::others : IndexKind::none;
}

JsonKind json_kind(std::string_view found, std::string_view expected) {
  const auto theirs = Json(found).canonical();
  if (!theirs || found.find("\"shape\"") == found.npos) return JsonKind::none;  // of no array
  return theirs == Json(expected).canonical() ? JsonKind::same : JsonKind::another;
}

}  // namespace lagoon::atoll::detail
