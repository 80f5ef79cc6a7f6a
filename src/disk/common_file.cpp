// Opening one file on many ranks.
#include "disk/common_file.hpp"

#include <cerrno>
#include <span>
#include <string>

#include "atoll/error.hpp"
#include "world/collective.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

/// The others have not found what the first one has opened; thrown by all.
struct Replaced : Error {
  explicit Replaced(const Error& error) : Error(error) {}
};

/// What the first one has opened.
struct Opened {
  std::string path;
  FileIdentity identity;
  friend bool operator==(const Opened&, const Opened&) = default;
};

std::shared_ptr<OpenFile> open_once(const Group& group, const Group& sharers,
                                    std::string_view operation, std::uint64_t arguments,
                                    const std::function<std::shared_ptr<OpenFile>()>& first,
                                    bool writes, Opened& opened) {
  std::shared_ptr<OpenFile> file;
  opened = {};
  std::string& path = opened.path;
  FileIdentity& identity = opened.identity;
  // Who reads only may do so beside a program on another host that writes.
  const bool beside_others = !writes || !WorldState::get().topology.one_host;
  enter_collective(group, operation, arguments, [&] {
    file = first();
    if (file == nullptr) return;
    if (beside_others) file->use_beside_other_hosts();
    identity = file->identity_among_hosts();
  });
  if (file != nullptr) path = file->path();
  sharers.broadcast(path, 0);
  sharers.broadcast(std::span<FileIdentity>(&identity, 1), 0);
  try {
    enter_collective(group, operation, arguments, [&] {
      if (file == nullptr) {
        file = std::make_shared<OpenFile>(path, OpenMode{.writes = writes});
        if (beside_others) file->use_beside_other_hosts();
      }
      // On hosts with file systems of their own the name may stand for another file.
      if (!(file->identity_among_hosts() == identity))
        throw Error::of_file(ESTALE, "open " + file->label() +
                                         ", which is another file here than on the first rank");
    });
  } catch (const Error& error) {
    if (error.error_number() == ESTALE || error.error_number() == ENOENT) throw Replaced(error);
    throw;
  }
  return file;
}

}  // namespace

std::shared_ptr<OpenFile> open_together(const Group& group, const Group& sharers,
                                        std::string_view operation, std::uint64_t arguments,
                                        const std::function<std::shared_ptr<OpenFile>()>& first,
                                        bool writes, IfReplaced if_replaced) {
  for (Opened before{}, opened{};; before = opened) {
    try {
      return open_once(group, sharers, operation, arguments, first, writes, opened);
    } catch (const Replaced& replaced) {
      // As long as the first one finds another file each time. Where it does not, hosts have file
      // systems of their own.
      const std::int32_t moved = opened == before ? 0 : 1;
      if (if_replaced == IfReplaced::error || group.reduce(moved, Reduction::maximum) == 0)
        throw Error(replaced);
    }
  }
}

}  // namespace lagoon::atoll::detail
