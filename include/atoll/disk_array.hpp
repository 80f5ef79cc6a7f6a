// DiskArray: an array in a file, moved to and from distributed arrays by all ranks together
// (ChemIO's disk resident arrays, paper 004 section 4.2). The file is HDF5 and Zarr at once; it may
// be opened on any number of ranks and nodes. Every function is collective but for the inquiries.
//
// What was written and returned is on the device (Durability::in_place). A run that ends in the
// middle of a write leaves tiles of that write torn: reading one is an Error(file) that names it,
// never a wrong value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "atoll/algebra.hpp"
#include "atoll/array.hpp"
#include "atoll/group.hpp"

namespace lagoon::atoll {

enum class Durability : std::uint8_t {
  scratch,   ///< nothing is forced to the device: a power failure may lose the array
  in_place,  ///< a write is on the device when it returns
};

struct DiskArrayOptions {
  /// The shape of typical sections, entries of -1 for those that nobody knows. A hint: tiles are
  /// equal parts of it.
  Index request{};
  /// The shape of the tiles, that are moved as a whole. Empty: Atoll chooses.
  Index tile{};
  Durability durability = Durability::in_place;
  /// HDF5's name of the dataset.
  std::string name = "array";
};

class DiskArray {
 public:
  /// A new array of zeros: a folder `path`, by custom "name.zarr", that must not be there yet, on a
  /// file system that all ranks see. Error(value) for bad arguments, Error(file) if the system
  /// refuses.
  static DiskArray create(const Group& group, const std::string& path, const Index& shape,
                          ElementType type, const DiskArrayOptions& options = {});
  /// One that is there. Error(file) with EBADMSG if its record or its metadata are damaged.
  static DiskArray open(const Group& group, const std::string& path, bool writes = true,
                        Durability durability = Durability::in_place);
  /// Removes one that nobody has open. Not collective: one rank calls it.
  static void remove(const std::string& path);

  DiskArray(DiskArray&&) noexcept;
  DiskArray& operator=(DiskArray&&) noexcept;
  /// Closes my part only: see `close`.
  ~DiskArray();

  /// All of it = all of `array`, of the same shape and type on the same ranks. After an Error(file)
  /// the section that was to be written may be torn, an array that was to be read holds anything.
  void write(const AnyArray& array);
  void read(AnyArray& array) const;
  /// Sections of the same shape; transposed: of reversed shape (d[i, j] = a[j, i]). Anywhere; those
  /// that cover whole tiles move no more than they must.
  void write(const AnyArray& array, const Patch& array_patch, const Patch& patch,
             Transpose transpose = Transpose::no);
  void read(AnyArray& array, const Patch& array_patch, const Patch& patch,
            Transpose transpose = Transpose::no) const;
  /// Error(file) that names the first tiles whose bytes are not those that were written; reads
  /// everything.
  void verify() const;
  void close();

  const std::string& path() const;
  const std::string& name() const;
  ElementType type() const;
  const Index& shape() const;
  const Index& tile() const;
  /// How often it has been written since it was made.
  std::uint64_t generation() const;

 private:
  struct State;
  explicit DiskArray(std::unique_ptr<State> state);
  State& state() const;
  std::unique_ptr<State> state_;
};

}  // namespace lagoon::atoll
