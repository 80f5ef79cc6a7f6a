// DiskFolder: the files of a disk array by name: zarr.json, the file of the tiles below c/, and
// Atoll's record. Used by the first rank of a group, which makes and checks them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "disk/disk_record.hpp"
#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

struct DiskFolder {
  std::string path;
  std::string record() const { return path + "/atoll.record"; }
  std::string data(const DiskLayout& layout) const;
};

/// Whether a path has "{node}" in it: then every node has a part of the array in a folder of its
/// own.
bool has_file_on_each_node(const std::string& path);
/// The path with the node's number there.
std::string path_on_node(const std::string& path, int node);

/// What is open of a disk array on the first rank.
struct OpenDiskArray {
  DiskDescription description;
  std::vector<DiskCommit> commits;  ///< those that are whole, the newest first
  std::shared_ptr<OpenFile> record, data;
};

/// Makes the folder and all files; what it has made goes again if the system refuses. The record is
/// written last: a folder without one was not completed.
OpenDiskArray make_disk_array(const DiskFolder& folder, const DiskDescription& description,
                              bool sparse);
/// Where an array is written that is to take the place of another one.
DiskFolder folder_before(const DiskFolder& folder);
/// Removes what a run that ended left in `before`. Error(file), EEXIST, if `folder` is there and is
/// no disk array.
void make_way(const DiskFolder& before, const DiskFolder& folder);
/// `before`, whose files are on the device, gets the name of `folder`; what had it goes.
/// `made`: those files. Error(file), ESTALE, if others lie there.
void replace_disk_array(const DiskFolder& before, const DiskFolder& folder,
                        const OpenDiskArray& made);
/// Opens and checks them. Error(file), EBADMSG for what is damaged.
OpenDiskArray open_disk_array(const DiskFolder& folder, bool writes);
void remove_disk_array(const DiskFolder& folder);

/// Writes the slot that is not the newest one. The caller brings it to the device.
void write_commit(OpenFile& record, const DiskLayout& layout, const DiskCommit& commit);

}  // namespace lagoon::atoll::detail
