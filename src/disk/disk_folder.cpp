// Making, opening and removing the files of a disk array.
#include "disk/disk_folder.hpp"

#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>

#include "atoll/error.hpp"
#include "disk/crc32c.hpp"
#include "disk/file_fault.hpp"
#include "disk/hdf5_skeleton.hpp"
#include "disk/names.hpp"
#include "disk/zarr_metadata.hpp"

namespace lagoon::atoll::detail {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view node_mark = "{node}";

[[noreturn]] void damaged(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::file, "'" + path + "' is damaged: " + why, EBADMSG);
}

void make_folder(const std::string& path) {
  std::error_code error;
  const FileFault fault = fault_of(FileCall::open);
  if (fault.error != 0) error.assign(fault.error, std::generic_category());
  if (!error && !fs::create_directory(path, error) && !error)
    error = std::make_error_code(std::errc::file_exists);
  if (error) throw Error::of_file(error.value(), "make the folder '" + path + "'");
}

std::shared_ptr<OpenFile> new_file(const std::string& path) {
  return std::make_shared<OpenFile>(
      path, OpenMode{.creates = true, .exclusive = true, .for_others = true});
}

void write_all(OpenFile& file, std::int64_t offset, std::span<const std::byte> bytes) {
  file.write(offset, bytes.data(), bytes.size());
}

std::vector<std::byte> read_all(const OpenFile& file, std::int64_t offset, std::size_t bytes) {
  std::vector<std::byte> result(bytes);
  result.resize(file.read(offset, result.data(), bytes));
  return result;
}

std::shared_ptr<OpenFile> make_data(const DiskFolder& folder, const DiskDescription& description,
                                    bool sparse) {
  const DiskLayout& layout = description.layout;
  std::string level = folder.path + "/c";
  make_folder(level);
  for (int d = 1; d < layout.shape.size(); ++d) make_folder(level += "/0");
  auto file = new_file(folder.data(layout));
  file->resize(layout.file_bytes);
  const auto [first, last] = description.tiles_here();
  if (!sparse) file->reserve(layout.offset_of(first), layout.offset_of(last));
  write_all(*file, 0, zarr_index(layout));
  write_all(*file, layout.user_block, hdf5_skeleton(layout, description.name));
  file->sync();
  for (int d = 0; d < layout.shape.size(); ++d, level.resize(level.size() - 2))
    OpenFile::sync_folder(level);
  return file;
}

void check_data(const OpenFile& file, const DiskDescription& description) {
  const DiskLayout& layout = description.layout;
  if (file.length() < layout.file_bytes)
    damaged(file.path(),
            std::to_string(file.length()) + " bytes of " + std::to_string(layout.file_bytes));
  const std::vector<std::byte> index = zarr_index(layout),
                               skeleton = hdf5_skeleton(layout, description.name);
  if (read_all(file, 0, index.size()) != index) damaged(file.path(), "its index of tiles");
  if (read_all(file, layout.user_block, skeleton.size()) != skeleton)
    damaged(file.path(), "the metadata of HDF5");
}

/// The tiles lie in the array's own folder: a link there would lead to somebody else's files.
void refuse_links(const DiskFolder& folder, const DiskLayout& layout) {
  std::string level = folder.path + "/c";
  for (int d = 0; d < layout.shape.size(); ++d, level += "/0") {
    std::error_code error;
    if (fs::symlink_status(level, error).type() == fs::file_type::symlink)
      throw Error::of_file(ELOOP, "open '" + level + "', a symbolic link");
  }
}

std::vector<DiskCommit> commits_of(const OpenFile& record, const DiskLayout& layout) {
  const auto bytes = static_cast<std::size_t>(slot_offset(layout, 1) - slot_offset(layout, 0));
  std::vector<DiskCommit> commits;
  for (const int slot : {0, 1}) {
    auto commit = decode_commit(layout, read_all(record, slot_offset(layout, slot), bytes));
    if (commit) commits.push_back(std::move(*commit));
  }
  if (commits.empty()) damaged(record.path(), "neither of its commits is whole");
  if (commits.front().generation < commits.back().generation)
    std::swap(commits.front(), commits.back());
  return commits;
}

}  // namespace

std::string DiskFolder::data(const DiskLayout& layout) const {
  return path + "/" + zarr_key(layout);
}

bool has_file_on_each_node(const std::string& path) {
  return path.find(node_mark) != std::string::npos;
}

std::string path_on_node(const std::string& path, int node) {
  std::string result = path;
  for (std::size_t at = 0; (at = result.find(node_mark, at)) != std::string::npos;)
    result.replace(at, node_mark.size(), std::to_string(node));
  return result;
}

OpenDiskArray make_disk_array(const DiskFolder& folder, const DiskDescription& description,
                              bool sparse) {
  make_folder(folder.path);
  try {
    OpenDiskArray made{description, {{1, {}}}, nullptr, make_data(folder, description, sparse)};
    const std::string json = zarr_json(description.layout);
    const auto metadata = new_file(folder.path + "/zarr.json");
    write_all(*metadata, 0, std::as_bytes(std::span(json)));
    metadata->sync();
    made.commits[0].checksums.assign(
        static_cast<std::size_t>(description.layout.tiles),
        crc32c_of_zeros(static_cast<std::uint64_t>(description.layout.tile_bytes)));
    made.record = new_file(folder.record());
    write_all(*made.record, 0, encode(description));
    write_commit(*made.record, description.layout, made.commits[0]);
    made.record->sync();
    OpenFile::sync_folder(folder.path);
    OpenFile::sync_folder(parent_of(folder.path));
    return made;
  } catch (const Error&) {
    std::error_code ignored;
    fs::remove_all(folder.path, ignored);
    throw;
  }
}

OpenDiskArray open_disk_array(const DiskFolder& folder, bool writes) {
  const OpenMode mode{.writes = writes};
  auto record = std::make_shared<OpenFile>(folder.record(), mode);
  const auto description = decode_description(read_all(*record, 0, description_bytes));
  if (!description) damaged(record->path(), "it does not say what the array is");
  std::vector<DiskCommit> commits = commits_of(*record, description->layout);
  refuse_links(folder, description->layout);
  auto data = std::make_shared<OpenFile>(folder.data(description->layout), mode);
  check_data(*data, *description);
  return {*description, std::move(commits), std::move(record), std::move(data)};
}

void remove_disk_array(const DiskFolder& folder) {
  // Only what is one: a wrong path must not cost somebody's files.
  const OpenDiskArray found = open_disk_array(folder, false);
  remove_file(folder.record());
  remove_file(found.data->path());
  remove_file(folder.path + "/zarr.json");
  std::error_code error;
  std::string level = folder.path + "/c";
  for (int d = 1; d < found.description.layout.shape.size(); ++d) level += "/0";
  for (; level.size() > folder.path.size() && !error; level.resize(level.size() - 2))
    fs::remove(level, error);
  if (!error) fs::remove(folder.path, error);
  if (error) throw Error::of_file(error.value(), "remove '" + folder.path + "'");
}

DiskFolder folder_before(const DiskFolder& folder) {
  return {without_slashes(folder.path) + ".atoll-new"};
}

void make_way(const DiskFolder& before, const DiskFolder& folder) {
  // A damaged array may be replaced, what is none may not: a wrong path must not cost somebody's
  // files.
  std::error_code error;
  const auto type = [&](const std::string& path) { return fs::symlink_status(path, error).type(); };
  if (type(folder.path) != fs::file_type::not_found &&
      (type(folder.path) != fs::file_type::directory ||
       type(folder.record()) != fs::file_type::regular))
    throw Error::of_file(EEXIST, "replace '" + folder.path + "', which is no disk array");
  recover_name(before.path, without_slashes(folder.path));
  remove_tree(before.path + "-old");
  remove_tree(before.path);
}

void replace_disk_array(const DiskFolder& before, const DiskFolder& folder,
                        const OpenDiskArray& made) {
  // Somebody else may have begun to write one of this name, and removed ours.
  if (!(identity_of(before.data(made.description.layout)) == made.data->identity()) ||
      !(identity_of(before.record()) == made.record->identity()))
    throw Error::of_file(ESTALE, "put '" + before.path +
                                     "', which somebody else has replaced, in " + "place of '" +
                                     folder.path + "'");
  put_in_place(before.path, without_slashes(folder.path));
  remove_tree(before.path);
}

void write_commit(OpenFile& record, const DiskLayout& layout, const DiskCommit& commit) {
  write_all(record, slot_offset(layout, static_cast<int>(commit.generation % 2)), encode(commit));
}

}  // namespace lagoon::atoll::detail
