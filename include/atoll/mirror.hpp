// Mirrored arrays: one copy a node, in memory that the node's ranks share.
//
// A mirrored array (ArrayOptions::mirrored, or `mirror`) is a cache under the program's control:
// reading and writing it never touch the network. Every operation on it works on my node's copy,
// for which all inquiries answer, and is collective over that node's ranks only (`group()`).
// Creation and the functions below are collective over the ranks of all copies (`whole_group()`);
// they begin with a meeting of all, so what was written before is seen.
//
// Idea and words: Palmer, Nieplocha, Apra, Shared Memory Mirroring for Reducing Communication
// Overhead on Commodity Networks (2003). See docs/mirrored.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "atoll/array.hpp"

namespace lagoon::atoll {

namespace detail {
class MergeJob;
}

/// How the nodes' copies become one: element by element, copy after copy in the order of the
/// nodes, so that the result depends on the nodes but not on timing.
class Combination {
 public:
  /// into[i] = f(into[i], next[i]) for elements of the array's type. Called on any rank, for any
  /// part of the array. Where no node has written since zeroing, copies are zeros.
  using Function = std::function<void(void* into, const void* next, std::int64_t elements)>;

  Combination(Reduction reduction = Reduction::sum)  // NOLINT: to be named by what it is
      : reduction_(reduction) {}
  explicit Combination(Function function) : function_(std::move(function)) {}

  const Function& function() const noexcept { return function_; }  ///< empty for a reduction
  Reduction reduction() const noexcept { return reduction_; }

 private:
  Reduction reduction_ = Reduction::sum;
  Function function_;
};

/// A merge on its way. The array (a merge of a patch: that patch) is not to be read or written
/// before `wait` returns. It goes on whenever this rank is inside Atoll. One destroyed early waits,
/// unless an exception unwinds: then the next merge of the array does, or the end of the World.
class PendingMerge {
 public:
  PendingMerge() noexcept;
  PendingMerge(PendingMerge&&) noexcept;
  PendingMerge& operator=(PendingMerge&&) noexcept;
  PendingMerge(const PendingMerge&) = delete;
  PendingMerge& operator=(const PendingMerge&) = delete;
  ~PendingMerge();
  /// Waits until my node's copy is merged. Called by all ranks of the node; harmless when done.
  void wait();
  /// Whether it is; makes progress. Never waits.
  bool test();
  /// Leaves the merge to itself: as if an exception unwound.
  void let_go() noexcept;

 private:
  friend PendingMerge merge_begin(AnyArray& array, const Patch& patch,
                                  const Combination& combination);
  explicit PendingMerge(std::shared_ptr<detail::MergeJob> job) noexcept;
  std::shared_ptr<detail::MergeJob> job_;
};

/// A mirrored array with the contents of `array`. Collective over its ranks. Every node fetches
/// what its ranks do not own. `copy` (algebra.hpp) does the same into an existing one; copying from
/// a mirrored array reads my node's copy and sends nothing.
AnyArray mirror(const AnyArray& array, const std::string& name = {});
template <Element T>
Array<T> mirror(const Array<T>& array, const std::string& name = {}) {
  return Array<T>(mirror(static_cast<const AnyArray&>(array), name));
}

/// Combines the copies of all nodes; each is the result afterwards. What nobody has written since
/// it was last zeroed does not travel. Error(value) for an array that is not mirrored or a patch
/// with steps, Error(type) for the least or greatest of complex numbers; on all ranks alike.
void merge(AnyArray& array, const Combination& combination = {});
void merge(AnyArray& array, const Patch& patch, const Combination& combination = {});
[[nodiscard]] PendingMerge merge_begin(AnyArray& array, const Combination& combination = {});
[[nodiscard]] PendingMerge merge_begin(AnyArray& array, const Patch& patch,
                                       const Combination& combination = {});

/// Copies what each node has written since the last merge or publish to the other nodes, tile by
/// tile (about 8 KiB; docs/mirrored.md). Error(value) naming the tile that two nodes have written;
/// then nothing is changed.
void publish(AnyArray& array);

/// target = the copies combined; they stay as they are. `target` is a distributed array of the
/// same shape, type and ranks; with patches, of equal shape and step one.
void merge_into(const AnyArray& array, AnyArray& target, const Combination& combination = {});
void merge_into(const AnyArray& array, const Patch& patch, AnyArray& target,
                const Patch& target_patch, const Combination& combination = {});

/// Says that all copies are equal, as after a merge, because the program has written the same on
/// every node: `publish` then has nothing to do.
void declare_equal(AnyArray& array);

}  // namespace lagoon::atoll
