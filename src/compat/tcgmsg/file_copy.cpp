// Ranks may share folders or not, by the same name or not. A folder is known by its host, device
// and number; the ranks with the same folder and file name have one writer, and root's folder none.
// Where hosts share a folder over a network this is not seen: then an equal file replaces root's.
#include "compat/tcgmsg/file_copy.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "atoll/error.hpp"
#include "compat/mpi_calls.hpp"
#include "mpi/face.hpp"

namespace lagoon::atoll::tcgmsg {

namespace {

constexpr std::size_t most_at_once = std::size_t{4} << 20;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(const char* doing, const std::string& name) {
  throw Error::of_file(errno, std::string(doing) + " '" + name + "'");
}

File opened(const std::string& name, const char* mode) {
  File file(std::fopen(name.c_str(), mode));
  if (file == nullptr) fail("open", name);
  return file;
}

/// A file of another name until it is complete.
class NewFile {
 public:
  NewFile(const std::string& name, int rank)
      : name_(name), draft_(name + ".copy-" + std::to_string(rank)), file_(opened(draft_, "wb")) {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!complete_) unlink(draft_.c_str());
  }
  void append(std::span<const char> bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
      fail("write", draft_);
  }
  void complete() {
    // Some file systems tell only now that they had no room for it.
    if (std::fclose(file_.release()) != 0) fail("write", draft_);
    if (std::rename(draft_.c_str(), name_.c_str()) != 0) fail("rename to", name_);
    complete_ = true;
  }

 private:
  std::string name_, draft_;
  File file_;
  bool complete_ = false;
};

std::uint64_t place_of(const std::string& name) {
  const std::filesystem::path path(name);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  struct stat facts{};
  if (stat(folder.c_str(), &facts) != 0) fail("find the folder", folder);
  char host[mpi::max_processor_name];
  int length = 0;
  mpi::get_processor_name(host, &length);
  return std::hash<std::string>{}(std::string(host, static_cast<std::size_t>(length)) + '\n' +
                                  std::to_string(facts.st_dev) + '\n' +
                                  std::to_string(facts.st_ino) + '\n' + path.filename().string());
}

std::vector<std::uint64_t> places_of_all(const World& world, std::uint64_t mine) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(world.size()));
  mpi::Request request = mpi::request_null;
  compat::check(mpi::iallgather(&mine, 1, mpi::type_uint64, all.data(), 1, mpi::type_uint64,
                                world.mpi_communicator(), &request),
                "MPI_Iallgather");
  compat::complete(request, "MPI_Iallgather");
  return all;
}

/// Whether this rank is the first of those with its place, which is not root's.
bool writes(const World& world, int root, const std::string& name) {
  const std::uint64_t mine = place_of(name);
  const std::vector<std::uint64_t> all = places_of_all(world, mine);
  return mine != all[static_cast<std::size_t>(root)] &&
         std::ranges::find(all, mine) - all.begin() == world.rank();
}

}  // namespace

void copy_file(const World& world, long node0, const std::string& name) {
  if (node0 < 0 || node0 >= world.size())
    throw Error(ErrorKind::value, "node0 = " + std::to_string(node0) + ", expected 0 to " +
                                      std::to_string(world.size() - 1));
  const int root = static_cast<int>(node0);
  std::unique_ptr<NewFile> copy;
  if (writes(world, root, name)) copy = std::make_unique<NewFile>(name, world.rank());
  File original;
  if (world.rank() == root) original = opened(name, "rb");
  std::vector<char> buffer(most_at_once);
  for (std::uint64_t bytes = buffer.size(); bytes > 0;) {
    if (original != nullptr) {
      bytes = std::fread(buffer.data(), 1, buffer.size(), original.get());
      if (std::ferror(original.get()) != 0) fail("read", name);
    }
    world.broadcast(std::span(&bytes, 1), root);
    const std::span<char> part(buffer.data(), bytes);
    world.broadcast(part, root);
    if (copy != nullptr) copy->append(part);
  }
  if (copy != nullptr) copy->complete();
  world.barrier();
}

}  // namespace lagoon::atoll::tcgmsg
