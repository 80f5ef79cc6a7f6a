// DiskFolder: the files of a disk array by name: zarr.json, the file of the tiles below c/, and
// Atoll's record. Used by the first rank of a group, which makes and checks them.
#pragma once

#include <memory>
#include <string>

#include "disk/commit_log.hpp"
#include "disk/disk_record.hpp"
#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

struct DiskFolder {
  std::string path;
  std::string record() const { return path + "/atoll.record"; }
  std::string zarr() const { return path + "/zarr.json"; }
  std::string intents() const { return path + "/atoll.intents"; }
  std::string data(const DiskLayout& layout) const;
};

/// Where the file of tiles lies.
DiskFolder folder_of(const OpenFile& data, const DiskLayout& layout);

/// Whether a path has "{node}" in it: then every node has a part of the array in a folder of its
/// own.
bool has_file_on_each_node(const std::string& path);
/// The path with the node's number there.
std::string path_on_node(const std::string& path, int node);

/// What is open of a disk array on the first rank.
struct OpenDiskArray {
  DiskDescription description;
  DiskCommit commit;  ///< the newest one
  std::shared_ptr<CommitLog> log;
  std::shared_ptr<OpenFile> record, data;
};

/// Makes the folder and all files; what it has made goes again if the system refuses. The record is
/// there first, locked and empty, and is written last: a folder whose record is empty was not
/// completed.
OpenDiskArray make_disk_array(const DiskFolder& folder, const DiskDescription& description,
                              bool sparse);
/// Where an array is written that is to take the place of another one.
DiskFolder folder_before(const DiskFolder& folder);
/// Removes what a run that ended left in `before`. Error(file), EEXIST, if `folder` is there and is
/// no disk array; EBUSY, if somebody has it open for writing.
void make_way(const DiskFolder& before, const DiskFolder& folder);
/// `before`, whose files are on the device, gets the name of `folder`; what had it goes.
/// `data`, `record`: of those files. Error(file), ESTALE, if others lie there; EBUSY as above.
void replace_disk_array(const DiskFolder& before, const DiskFolder& folder,
                        const DiskLayout& layout, const OpenFile& data, const OpenFile& record);
/// Opens and checks them: those of one array, also while another one takes its place, and the old
/// one where there is an instant without it. Error(file), EBADMSG for what is damaged, EBUSY if
/// somebody else has it open for writing, too, EAGAIN if it is being made.
OpenDiskArray open_disk_array(const DiskFolder& folder, bool writes);
/// The same for reading what is whole, whatever HDF5 and Zarr read.
OpenDiskArray open_damaged_disk_array(const DiskFolder& folder);
/// The same for writing; what HDF5 and Zarr read is written again, from the record, where it is
/// damaged. What others have put there stays: Error(file), EBADMSG, where that is in the way.
OpenDiskArray repair_disk_array(const DiskFolder& folder);
/// Whether somebody has it open for writing, or is making it.
bool has_writer(const DiskFolder& folder);
/// Removes what a killed run has left beside an array; nothing of one that lives, or may live on
/// another host.
void remove_leftovers(const DiskFolder& folder) noexcept;
void remove_disk_array(const DiskFolder& folder);
/// Whether what Zarr reads is what Atoll has written. Error(file), EBADMSG.
void check_zarr(const DiskFolder& folder, const DiskLayout& layout);

}  // namespace lagoon::atoll::detail
