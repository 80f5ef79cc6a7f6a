// PrivateFile: checks, statistics, and which files it opens.
#include "atoll/private_file.hpp"

#include <algorithm>
#include <utility>

#include "atoll/error.hpp"
#include "disk/device.hpp"
#include "disk/file_arguments.hpp"
#include "disk/stopwatch.hpp"
#include "disk/striped_file.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll {

namespace {

using detail::OpenFile, detail::Stopwatch, detail::StripedFile;

void check_name(const std::string& name) {
  if (name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos)
    throw Error(ErrorKind::value,
                "name is '" + name + "', expected a file's name without its folder");
}

std::shared_ptr<OpenFile> open_in(const std::string& directory, const PrivateFileOptions& options) {
  if (options.name.empty()) return OpenFile::scratch(directory);
  return std::make_shared<OpenFile>(directory + "/" + options.name,
                                    detail::mode_of(options.opening));
}

std::unique_ptr<StripedFile> open_all(const PrivateFileOptions& options) {
  if (options.stripe < 1)
    throw Error(ErrorKind::value,
                "options.stripe is " + std::to_string(options.stripe) + ", expected bytes");
  check_name(options.name);
  const std::vector<std::string>& directories =
      options.directories.empty() ? detail::WorldState::get().config.scratch : options.directories;
  std::vector<std::shared_ptr<OpenFile>> files;
  try {
    for (const std::string& directory : directories) files.push_back(open_in(directory, options));
  } catch (const Error&) {
    // One directory of several refused: nothing new stays in the others.
    if (!options.name.empty() && options.opening == FileOpening::create)
      for (const auto& file : files) detail::remove_file(file->path());
    throw;
  }
  return std::make_unique<StripedFile>(std::move(files), options.stripe);
}

/// Null if it is done.
std::shared_ptr<detail::Transfer> begin(detail::Direction direction, const StripedFile& file,
                                        std::int64_t offset, std::byte* memory, std::size_t bytes) {
  detail::Device& device = detail::Device::get();
  if (file.files().size() > 1) return device.begin(direction, file.pieces(offset, memory, bytes));
  return device.begin_piece(direction, {file.files().front(), offset, memory, bytes});
}

}  // namespace

PrivateFile::PrivateFile(const PrivateFileOptions& options) {
  try {
    file_ = open_all(options);
  } catch (const Error& error) {
    throw error.during("open private file");
  }
}
PrivateFile::PrivateFile(PrivateFile&&) noexcept = default;
PrivateFile& PrivateFile::operator=(PrivateFile&&) noexcept = default;
PrivateFile::~PrivateFile() = default;

StripedFile& PrivateFile::file() const {
  if (file_ == nullptr) throw Error(ErrorKind::state, "the private file is closed");
  return *file_;
}

void PrivateFile::write(std::int64_t offset, std::span<const std::byte> data) {
  const Stopwatch stopwatch(statistics_.seconds_waited);
  detail::check_file_range("write", offset, data.size());
  if (!data.empty()) file().write(offset, data);
  ++statistics_.writes;
  statistics_.bytes_written += static_cast<std::int64_t>(data.size());
}

std::int64_t PrivateFile::read(std::int64_t offset, std::span<std::byte> data) const {
  const Stopwatch stopwatch(statistics_.seconds_waited);
  detail::check_file_range("read", offset, data.size());
  const std::int64_t bytes =
      std::clamp<std::int64_t>(file().length() - offset, 0, std::ssize(data));
  file().read(offset, data.first(static_cast<std::size_t>(bytes)));
  ++statistics_.reads;
  statistics_.bytes_read += bytes;
  return bytes;
}

FileRequest PrivateFile::write_async(std::int64_t offset, std::span<const std::byte> data) {
  const Stopwatch stopwatch(statistics_.seconds_waited);
  detail::check_file_range("write", offset, data.size());
  StripedFile& to = file();
  auto* const memory = const_cast<std::byte*>(data.data());  // nobody writes through it
  auto transfer = begin(detail::Direction::write, to, offset, memory, data.size());
  if (!data.empty()) to.reach(offset + std::ssize(data));
  ++statistics_.writes;
  statistics_.bytes_written += std::ssize(data);
  return {std::move(transfer), std::ssize(data)};
}

FileRequest PrivateFile::read_async(std::int64_t offset, std::span<std::byte> data) const {
  const Stopwatch stopwatch(statistics_.seconds_waited);
  detail::check_file_range("read", offset, data.size());
  const StripedFile& from = file();
  const std::int64_t bytes = std::clamp<std::int64_t>(from.length() - offset, 0, std::ssize(data));
  auto transfer =
      begin(detail::Direction::read, from, offset, data.data(), static_cast<std::size_t>(bytes));
  ++statistics_.reads;
  statistics_.bytes_read += bytes;
  return {std::move(transfer), bytes};
}

std::int64_t PrivateFile::length() const { return file().length(); }

void PrivateFile::resize(std::int64_t length) {
  detail::check_file_range("resize", length, 0);
  file().resize(length);
}

void PrivateFile::sync() { file().sync(); }

void PrivateFile::close() {
  const std::unique_ptr<StripedFile> gone = std::move(file_);
  if (gone == nullptr) return;
  try {
    for (const auto& part : gone->files())
      if (!part->path().empty()) part->flush();
  } catch (const Error& error) {
    throw error.during("close private file");
  }
}

void PrivateFile::remove() {
  for (const auto& part : file().files())
    if (!part->path().empty()) detail::remove_file(part->path());
  file_.reset();
}

std::string PrivateFile::describe() const { return file().files().front()->label(); }

}  // namespace lagoon::atoll
