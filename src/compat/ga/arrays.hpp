// GA's arrays: a handle, what the program asked for, and Atoll's array once it is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/array.hpp"
#include "atoll/memory.hpp"
#include "compat/ga/datatypes.hpp"
#include "compat/ga/placement.hpp"
#include "compat/handle_table.hpp"

namespace lagoon::atoll::ga {

inline constexpr int first_handle = -1000;
inline constexpr int most_arrays = 32768;
inline constexpr int most_dimensions = 7;
inline constexpr std::size_t longest_name = 31;

/// The group that is the default one when the array is allocated.
inline constexpr int group_of_allocation = std::numeric_limits<int>::min();

/// How an array is to be cut.
enum class Cut : std::uint8_t {
  blocked,
  irregular,
  block_cyclic,
  scalapack,
  tiled,
  tiled_irregular
};

/// What a program asks for between GA_Create_handle and GA_Allocate. Indices are Atoll's.
struct Plan {
  int type = 0;
  Index shape{};  ///< empty until GA_Set_data
  std::string name{};
  int group = group_of_allocation;  ///< GA's number
  Cut cut = Cut::blocked;
  Index block{};                                    ///< smallest block, or the size of blocks
  Index process_grid{};                             ///< scalapack and tiled cuts
  std::vector<std::vector<std::int64_t>> starts{};  ///< irregular cuts: first index of each block
  Index ghosts{};                                   ///< widths; empty: none
  bool ghost_corners = true;                        ///< updates bring what lies diagonally, too
  std::vector<int> restricted{};                    ///< processes that own data; empty: all
};

class GlobalArray {
 public:
  GlobalArray(int handle, Plan wish) : plan(std::move(wish)), handle_(handle) {}

  Plan plan;

  int handle() const noexcept { return handle_; }
  /// When it was allocated, of all arrays of this process: in the same order on all that share any.
  std::int64_t turn() const noexcept { return turn_; }
  bool allocated() const noexcept { return array_ != nullptr; }
  /// Collective over the plan's group. False, on all its processes alike, where the memory is not
  /// to be had or the limit forbids it; Error for a plan that cannot be.
  bool allocate();
  /// Collective over the plan's group: in memory that is there already, an array's or a Memory,
  /// whose contents are kept. Error(value) where it lies on other processes or is too small,
  /// Error(unsupported) for a mirrored array.
  void allocate_in(const AnyArray& memory);
  void allocate_in(const Memory& memory);
  /// Collective: frees the memory and keeps the plan.
  void deallocate();

  /// Error(state) if it is not allocated.
  AnyArray& array();
  const AnyArray& array() const;
  const Datatype& type() const { return datatype(plan.type); }
  int dimensions() const noexcept { return plan.shape.size(); }
  const Index& shape() const noexcept { return plan.shape; }
  /// Whether its elements are bytes to Atoll: then its array has one dimension more, of the bytes
  /// of an element, not cut.
  bool opaque() const noexcept { return opaque_; }
  /// Whether each node has a copy: process numbers are then those of my node's processes.
  bool mirrored() const;

  /// A patch, position or strides (of elements) as the array wants them.
  Patch stored(const Patch& patch) const;
  Index stored_position(const Index& position) const;
  Index stored_strides(const Index& strides) const;
  /// The other way round: without the bytes' dimension, if there is one; strides of elements.
  Index without_bytes(const Index& values) const;
  Index element_strides(const Index& strides) const;

  /// Who takes part, by GA's process numbers, and which rank of the array's group each is.
  const Group& processes() const;
  int rank_of(int process) const;
  int process_of(int rank) const;

  /// The patch that a process owns, empty if none; for arrays of one block a process.
  Patch owned(int process) const;
  /// Memory of a process of my node: the patch, its first element and strides in elements.
  LocalBlock block(int process) const;

 private:
  void check_allocated() const;
  void prepare();
  ArrayOptions options(const Placement& placement, const Group& holders) const;
  Index stored_shape() const { return stored({plan.shape, plan.shape}).hi; }
  ElementType stored_type() const { return type().element.value_or(ElementType::uint8); }
  template <class Storage>
  void lie_in(const Storage& memory);
  Placement placement() const;
  Group storage_group(const std::vector<int>& owners) const;
  std::int64_t bytes_needed(const Placement& placement) const;
  int handle_;
  std::int64_t turn_ = 0;
  std::unique_ptr<AnyArray> array_;
  std::int64_t bytes_ = 0;  // of this process's memory
  Group processes_;
  bool opaque_ = false;
};

/// All arrays of this process. A new one gets the lowest free handle.
class Arrays {
 public:
  /// Error(value) when there are `most_arrays`.
  GlobalArray& create(Plan plan);
  /// Error(value) for a number that is no array.
  GlobalArray& at(int handle);
  GlobalArray* find(int handle) const noexcept { return table_.find(handle); }
  /// Collective over the array's group, if it is allocated.
  void destroy(int handle);
  /// In the order of their allocation: handles are used again, so that theirs may differ between
  /// processes.
  void destroy_all();
  std::vector<int> handles() const { return table_.handles(); }

 private:
  compat::HandleTable<GlobalArray> table_{first_handle};
};

}  // namespace lagoon::atoll::ga
