// Where the bytes of a striped file are.
#include "disk/striped_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lagoon::atoll::detail {

StripedFile::StripedFile(std::vector<std::shared_ptr<OpenFile>> files, std::int64_t stripe)
    : files_(std::move(files)), stripe_(stripe) {
  const auto parts = static_cast<std::int64_t>(files_.size());
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t last = files_[static_cast<std::size_t>(part)]->length() - 1;
    if (last < 0) continue;
    if (parts == 1)
      length_ = last + 1;
    else
      reach((last / stripe_ * parts + part) * stripe_ + last % stripe_ + 1);
  }
}

std::int64_t StripedFile::length_of_part(std::size_t file, std::int64_t length) const noexcept {
  const auto parts = static_cast<std::int64_t>(files_.size());
  const auto part = static_cast<std::int64_t>(file);
  const std::int64_t round = length / (stripe_ * parts), rest = length % (stripe_ * parts);
  return round * stripe_ + std::clamp<std::int64_t>(rest - part * stripe_, 0, stripe_);
}

void StripedFile::resize(std::int64_t length) {
  for (std::size_t i = 0; i < files_.size(); ++i)
    files_[i]->resize(files_.size() == 1 ? length : length_of_part(i, length));
  length_ = length;
}

void StripedFile::sync() {
  for (const auto& file : files_) file->sync();
}

void StripedFile::reach(std::int64_t end) noexcept { length_ = std::max(length_, end); }

std::vector<FilePiece> StripedFile::pieces(std::int64_t offset, std::byte* memory,
                                           std::size_t bytes) const {
  if (files_.size() == 1) return {{files_[0], offset, memory, bytes}};
  const auto parts = static_cast<std::int64_t>(files_.size());
  std::vector<FilePiece> result;
  while (bytes > 0) {
    const std::int64_t number = offset / stripe_, inside = offset % stripe_;
    const std::size_t run = std::min(bytes, static_cast<std::size_t>(stripe_ - inside));
    result.push_back({files_[static_cast<std::size_t>(number % parts)],
                      number / parts * stripe_ + inside, memory, run});
    offset += static_cast<std::int64_t>(run);
    memory += run;
    bytes -= run;
  }
  return result;
}

void StripedFile::write(std::int64_t offset, std::span<const std::byte> data) {
  if (files_.size() == 1) {
    files_[0]->write(offset, data.data(), data.size());
  } else {
    // Nobody writes through the pointer.
    for (const FilePiece& piece : pieces(offset, const_cast<std::byte*>(data.data()), data.size()))
      piece.file->write(piece.offset, piece.memory, piece.bytes);
  }
  reach(offset + static_cast<std::int64_t>(data.size()));
}

void StripedFile::read(std::int64_t offset, std::span<std::byte> data) const {
  const auto read_piece = [](const OpenFile& file, std::int64_t at, std::byte* memory,
                             std::size_t bytes) {
    const std::size_t got = file.read(at, memory, bytes);
    // Another directory's file ends later: here nothing was written yet.
    std::memset(memory + got, 0, bytes - got);
  };
  if (files_.size() == 1) return read_piece(*files_[0], offset, data.data(), data.size());
  for (const FilePiece& piece : pieces(offset, data.data(), data.size()))
    read_piece(*piece.file, piece.offset, piece.memory, piece.bytes);
}

}  // namespace lagoon::atoll::detail
