// The shared files (SF) of this process, by handles from -3000 up, as in GA: an unset variable is
// none.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "atoll/group.hpp"
#include "atoll/shared_file.hpp"
#include "compat/files/requests.hpp"

namespace lagoon::atoll::files {

inline constexpr int first_handle = -3000;

class SharedFiles {
 public:
  static SharedFiles& get();

  /// Collective. Without a suffix the file's name ends with its number.
  int create(const std::string& name, std::optional<int> suffix);
  /// Collective. The code of a request under way that has failed, else 0; the file goes in any
  /// case.
  int destroy(int handle);

  void set_open(int handle, bool open) { at(handle).open = open; }
  void set_read_only(int handle) { at(handle).file.set_read_only(); }
  void sync(int handle) { at(handle).file.sync(); }
  Request begin_write(int handle, double offset, double bytes, const void* memory);
  Request begin_read(int handle, double offset, double bytes, void* memory);

  Requests requests;

 private:
  struct Entry {
    Group group;
    SharedFile file;
    bool claims_world;  ///< nobody else has started it
    bool open = true;
  };
  /// Both are the first rank's: others may have made other names, or have other numbers free.
  std::unique_ptr<Entry> make(std::string name, int ending);
  /// Failure(invalid_descriptor) for a number of none.
  Entry& at(int handle);
  /// The same for one that is closed.
  SharedFile& open_file(int handle);
  compat::HandleTable<Entry> files_{first_handle};
};

}  // namespace lagoon::atoll::files
