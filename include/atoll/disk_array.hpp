// DiskArray: an array in a file, moved to and from distributed arrays by all ranks together
// (ChemIO's disk resident arrays, paper 004 section 4.2). The file is HDF5 and Zarr at once; it may
// be opened on any number of ranks and nodes. Every function is collective but for the inquiries.
//
// With Durability::in_place, what was written and waited for is on the device. A run that ends in
// the middle of a write leaves tiles of that write torn: reading one is an Error(file) that names
// it, never a wrong value. With Durability::checkpoint the array on disk is the old one or the new
// one, as a whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "atoll/array.hpp"
#include "atoll/disk_request.hpp"
#include "atoll/group.hpp"

namespace lagoon::atoll {

enum class Durability : std::uint8_t {
  scratch,     ///< nothing is forced to the device: a power failure may lose the array
  checkpoint,  ///< of a new one: `close` brings it to the device and then puts it in place of the
               ///< array that had its name. One that is not closed never appears.
  in_place,    ///< a write is on the device when it was waited for
};

struct DiskArrayOptions {
  /// The shape of typical sections, entries of -1 for those that nobody knows. A hint: tiles are
  /// equal parts of it.
  Index request{};
  /// The shape of the tiles, that are moved as a whole. Empty: Atoll chooses.
  Index tile{};
  Durability durability = Durability::in_place;
  /// Space is taken as tiles are written. Else all of it now, so that no write finds the disk full.
  bool sparse = false;
  /// HDF5's name of the dataset.
  std::string name = "array";
};

class DiskArray {
 public:
  /// A new array of zeros: a folder `path`, by custom "name.zarr", that must not be there yet
  /// (Durability::checkpoint: or is a disk array, which stays until `close`), on a file system that
  /// all ranks see. With "{node}" in its path, which stands for the node's number, every node keeps
  /// a part of it on a file system of its own: "/local/array-{node}.zarr". Error(value) for bad
  /// arguments, Error(file) if the system refuses.
  static DiskArray create(const Group& group, const std::string& path, const Index& shape,
                          ElementType type, const DiskArrayOptions& options = {});
  /// One that is there. Error(file) with EBADMSG if its record or its metadata are damaged, with
  /// EBUSY if it is open for writing already, here or elsewhere: only one writes at a time.
  /// `durability`: scratch or in_place. One with a part on each node: by as many nodes in the same
  /// order.
  static DiskArray open(const Group& group, const std::string& path, bool writes = true,
                        Durability durability = Durability::in_place);
  /// The same for reading the tiles that are whole, whatever became of what HDF5 and Zarr read.
  static DiskArray open_damaged(const Group& group, const std::string& path);
  /// Writes again what HDF5 and Zarr read of one, where it is damaged, and takes over tiles that a
  /// run had written when it was killed. What others have put there is not changed: Error(file).
  /// What is lost is told as by `verify`, which it ends with. Collective.
  static void repair(const Group& group, const std::string& path);
  /// Removes one that nobody has open, or a part of one. Not collective: one rank calls it.
  static void remove(const std::string& path);
  /// Whether somebody, here or elsewhere, has it open for writing or is making it. Not collective.
  static bool is_open_for_writing(const std::string& path);

  DiskArray(DiskArray&&) noexcept;
  DiskArray& operator=(DiskArray&&) noexcept;
  /// Closes my part only: see `close`.
  ~DiskArray();

  /// All of it = all of `array`, of the same shape and type on the same ranks. After an Error(file)
  /// the section that was to be written may be torn, an array that was to be read holds anything.
  /// What a failed write has not written, also one that nobody waited for, is not forgotten: until
  /// its tiles are written again as a whole, `sync`, `verify` and `close` are an Error(file) that
  /// names them.
  void write(const AnyArray& array);
  void read(AnyArray& array) const;
  /// Sections of the same shape; transposed: of reversed shape (d[i, j] = a[j, i]). Anywhere; those
  /// that cover whole tiles move no more than they must.
  void write(const AnyArray& array, const Patch& array_patch, const Patch& patch,
             Transpose transpose = Transpose::no);
  void read(AnyArray& array, const Patch& array_patch, const Patch& patch,
            Transpose transpose = Transpose::no) const;
  /// The same while the program goes on. Several may be under way; one that touches the same tiles
  /// as one before it begins when that one is done.
  [[nodiscard]] DiskRequest write_async(const AnyArray& array);
  [[nodiscard]] DiskRequest read_async(AnyArray& array) const;
  [[nodiscard]] DiskRequest write_async(const AnyArray& array, const Patch& array_patch,
                                        const Patch& patch, Transpose transpose = Transpose::no);
  [[nodiscard]] DiskRequest read_async(AnyArray& array, const Patch& array_patch,
                                       const Patch& patch,
                                       Transpose transpose = Transpose::no) const;
  /// Everything written so far is on the device, whatever the durability.
  void sync();
  /// Error(file) that names the first tiles whose bytes are not those that were written, or what
  /// Zarr reads if it is not; reads everything.
  void verify() const;
  /// Of one that is open for reading only: takes in what somebody else has written to it since.
  /// (Reads do so by themselves where they find what they did not expect; a tile that is being
  /// written for long is an Error(file) with EAGAIN.)
  void refresh();
  /// Ends what is under way; throws what went wrong with requests that nobody waited for. It is
  /// closed afterwards in any case; with Durability::checkpoint the old array stays if anything was
  /// not written.
  void close();

  const std::string& path() const;
  const std::string& name() const;
  ElementType type() const;
  const Index& shape() const;
  const Index& tile() const;
  /// How often it has been written since it was made.
  std::uint64_t generation() const;

 private:
  explicit DiskArray(std::shared_ptr<detail::DiskArrayState> state);
  detail::DiskArrayState& state() const;
  std::shared_ptr<detail::DiskArrayState> state_;
};

}  // namespace lagoon::atoll
