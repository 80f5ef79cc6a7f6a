// Names of files and folders: taking the place of others as a whole. Error(file) with the errno.
#pragma once

#include <string>
#include <string_view>

#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

/// `before` gets the name `path`, for good: nobody ever finds the name without the old or the new
/// one. What had it is called `before` afterwards. After an error all is as it was. (File systems
/// that cannot exchange two names leave an instant in which the old one is called `before` +
/// "-old": see `recover_name`.)
void put_in_place(const std::string& before, const std::string& path);
/// If a run has ended in that instant: the old one gets its name back.
void recover_name(const std::string& before, const std::string& path);
void move_name(const std::string& from, const std::string& to);
/// What `put_in_place` calls the old one while there is an instant without it.
inline constexpr std::string_view old_suffix = "-old";
std::string name_of_old(const std::string& before);
/// The name of a file or folder is on the device, also where the folder around may not be read.
void sync_name(const std::string& path);
/// Whether it lies on a file system of this host alone: then locks tell of everybody.
bool is_on_local_disk(const std::string& path) noexcept;
/// Removes a folder and all in it, links not followed; one that is not there is no error.
void remove_tree(const std::string& path);
/// Of a folder, a link not followed.
FileIdentity identity_of(const std::string& path);
/// Where a file or folder lies: "." for a bare name.
std::string parent_of(const std::string& path);
std::string without_slashes(const std::string& path);

}  // namespace lagoon::atoll::detail
