// Names of files and folders: taking the place of others as a whole. Error(file) with the errno.
#pragma once

#include <string>

namespace lagoon::atoll::detail {

/// `before` gets the name `path`, for good: nobody ever finds the name without the old or the new
/// one. What had it is called `before` afterwards. (File systems that cannot exchange two names
/// leave an instant in which the old one is called `before` + "-old".)
void put_in_place(const std::string& before, const std::string& path);
/// Removes a folder and all in it, links not followed; one that is not there is no error.
void remove_tree(const std::string& path);
/// Where a file or folder lies: "." for a bare name.
std::string parent_of(const std::string& path);

}  // namespace lagoon::atoll::detail
