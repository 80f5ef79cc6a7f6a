// OpenFolder: a folder that is open, by its descriptor: what is opened in it is of one folder, also
// while another one takes its name.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "atoll/error.hpp"
#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

class OpenFolder {
 public:
  /// A link is followed. Error(file).
  explicit OpenFolder(const std::string& path);
  OpenFolder(OpenFolder&& other) noexcept;
  OpenFolder& operator=(OpenFolder&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(path_, other.path_);
    return *this;
  }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;
  ~OpenFolder();

  /// A folder in it. Error(file), ELOOP, for a link.
  OpenFolder folder(const std::string& name) const;
  /// A file in it; see OpenFile.
  std::shared_ptr<OpenFile> file(const std::string& name, const OpenMode& mode) const;
  const std::string& path() const noexcept { return path_; }
  FileIdentity identity() const;
  /// Whether another folder, or none, has its name now.
  bool has_lost_its_name() const noexcept;

 private:
  OpenFolder(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::string path_;  // when it was opened
};

/// The folder of a name; where it is not there, of the one that it has for an instant while another
/// one takes its place. Error(file), ENOENT.
OpenFolder open_named(const std::string& name, const std::string& other);

/// What `read` makes of the folder that `find` opens; again if it fails because another one has
/// taken its place meanwhile, and its files are going.
template <class Find, class Read>
auto while_names_move(Find&& find, Read&& read) {
  std::pair<std::string, FileIdentity> before;
  for (;;) {
    const OpenFolder found = find();
    try {
      return read(found);
    } catch (const Error&) {
      // Each time it is another folder, or has another name: else nothing moves, whatever stat
      // says.
      const std::pair now(found.path(), found.identity());
      if (now == before || !found.has_lost_its_name()) throw;
      before = now;
    }
  }
}

}  // namespace lagoon::atoll::detail
