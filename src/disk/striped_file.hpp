// StripedFile: one space of bytes over files in several directories, a stripe to each in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "disk/open_file.hpp"
#include "disk/transfer.hpp"

namespace lagoon::atoll::detail {

class StripedFile {
 public:
  StripedFile(std::vector<std::shared_ptr<OpenFile>> files, std::int64_t stripe);

  std::int64_t length() const noexcept { return length_; }
  void resize(std::int64_t length);
  void sync();
  /// The runs of the files that [offset, offset + bytes) is, in order.
  std::vector<FilePiece> pieces(std::int64_t offset, std::byte* memory, std::size_t bytes) const;
  void write(std::int64_t offset, std::span<const std::byte> data);
  /// Inside the length.
  void read(std::int64_t offset, std::span<std::byte> data) const;
  /// A write reaches to here.
  void reach(std::int64_t end) noexcept;
  const std::vector<std::shared_ptr<OpenFile>>& files() const noexcept { return files_; }

 private:
  std::int64_t length_of_part(std::size_t file, std::int64_t length) const noexcept;

  std::vector<std::shared_ptr<OpenFile>> files_;
  std::int64_t stripe_, length_ = 0;
};

}  // namespace lagoon::atoll::detail
