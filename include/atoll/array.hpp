// Array<T>: a dense N-dimensional array spread over the memories of a group's ranks.
//
// Any rank reads, writes and adds to any patch at any time; the owner does nothing. Operations
// named "collective" are called by all members of the array's group in the same order; the others
// by whom and when one likes. Buffers are row-major and packed unless `strides` (in elements, any
// sign) say otherwise. Memory model: docs/memory-model.md.
//
// AnyArray is the same with the element type known at run time only; Array<T> is a thin typed
// view of it. Both are movable handles; the memory goes when every rank has let go of its handle.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atoll/distribution.hpp"
#include "atoll/group.hpp"
#include "atoll/handle.hpp"
#include "atoll/index.hpp"
#include "atoll/types.hpp"

namespace lagoon::atoll {

namespace detail {
class ArrayState;
}

struct ArrayOptions {
  Layout layout{};        ///< how to cut; blocked by default
  std::string name{};     ///< for messages; need not be unique
  bool zero = true;       ///< false: contents are undefined at first, creation is faster
  bool mirrored = false;  ///< one copy a node, shared by the node's ranks; see mirror.hpp
};

/// A rank's patch as memory of this process: valid on the owner's node only, until destroy.
/// Direct stores need a sync before other ranks read them, and the other way round.
struct LocalBlock {
  Patch patch;  ///< empty when the rank owns nothing
  void* data = nullptr;
  Index strides;  ///< in elements
};

/// The same for reading only.
struct ReadableBlock {
  Patch patch;
  const void* data = nullptr;
  Index strides;  ///< in elements
};

class AnyArray {
 public:
  /// Collective over `group`. Elements are zero unless the options say otherwise. Throws on all
  /// members alike: Error(value) for a bad shape or layout, Error(memory), Error(mismatch) when
  /// members pass different arguments.
  AnyArray(const Group& group, const Index& shape, ElementType type,
           const ArrayOptions& options = {});
  AnyArray(AnyArray&&) noexcept;
  AnyArray& operator=(AnyArray&&) noexcept;
  AnyArray(const AnyArray&) ATOLL_DELETED("arrays are not copied: use a reference or duplicate()");
  AnyArray& operator=(const AnyArray&) ATOLL_DELETED("arrays are not copied: copy(), duplicate()");
  /// Lets go of this rank's handle, without communication; safe while an exception unwinds.
  ~AnyArray();
  /// Collective: completes operations on the array and frees it now.
  void destroy();
  /// Another array of the same shape, type, group and distribution; elements are zero unless `zero`
  /// is false. Collective.
  AnyArray duplicate(const std::string& name = {}, bool zero = true) const;

  bool alive() const noexcept;  ///< not destroyed, moved from, or left over from an ended world
  ElementType type() const;
  const Index& shape() const;
  int dimensions() const;
  std::int64_t elements() const;
  const std::string& name() const;
  /// The ranks that share the array, or, if it is mirrored, my node's copy of it.
  const Group& group() const;
  /// Whether every node has a copy (mirror.hpp). All inquiries are about my node's.
  bool mirrored() const;
  /// The ranks of all copies: what a mirrored array was created on, else `group()`.
  const Group& whole_group() const;
  const Distribution& distribution() const;

  /// Says whether the array will not change until further notice. Collective. Then every write
  /// through it, and handing out pointers to write with, is Error(state); get and gather keep what
  /// they fetch in a cache that each node's ranks share (lazy_mirror.hpp; of its default budget).
  /// Error(value) on all members for a mirrored array.
  void set_read_only(bool read_only);
  bool read_only() const;

  /// One-sided, not collective. Error(index) when the patch lies outside.
  void get(const Patch& patch, void* out, const Index& strides = {}) const;
  void put(const Patch& patch, const void* data, const Index& strides = {});
  /// A[patch] += alpha * data, atomic per element against other accumulates. `alpha` points to one
  /// element of the array's type; null means one.
  void accumulate(const Patch& patch, const void* data, const void* alpha = nullptr,
                  const Index& strides = {});
  [[nodiscard]] Handle get_async(const Patch& patch, void* out, const Index& strides = {}) const;
  [[nodiscard]] Handle put_async(const Patch& patch, const void* data, const Index& strides = {});
  [[nodiscard]] Handle accumulate_async(const Patch& patch, const void* data,
                                        const void* alpha = nullptr, const Index& strides = {});

  /// Scattered elements: `positions` holds `dimensions()` coordinates an element, one after the
  /// other; values[i] belongs to the i-th position. A position may occur twice: of two scattered
  /// values the later stays.
  void gather(std::span<const std::int64_t> positions, void* values) const;
  void scatter(std::span<const std::int64_t> positions, const void* values);
  void scatter_accumulate(std::span<const std::int64_t> positions, const void* values,
                          const void* alpha = nullptr);

  /// Atomic on one element of integers; both return the old value, of uint64 its bits. Error(type),
  /// Error(unsupported) for mirrored arrays, where every node would count for itself.
  std::int64_t fetch_add(const Index& position, std::int64_t increment);
  std::int64_t swap(const Index& position, std::int64_t value);

  /// Who owns what.
  int owner(const Index& position) const;
  std::vector<OwnedPatch> locate(const Patch& patch) const;
  std::vector<Patch> patches(int rank) const;

  /// Direct access to my memory, or that of a rank on my node (Error(value) for another node).
  /// For distributions of one block a rank; block-cyclic arrays have `blocks`.
  LocalBlock local() const;
  LocalBlock block(int rank) const;
  std::vector<LocalBlock> blocks(int rank) const;
  /// The same for reading only; also of a read-only array.
  ReadableBlock readable_block(int rank) const;
  std::vector<ReadableBlock> readable_blocks(int rank) const;
  /// All of a rank's memory, `distribution().memory_elements(rank)` elements: with a halo more
  /// than it owns.
  void* storage(int rank) const;

  /// Internal.
  const std::shared_ptr<detail::ArrayState>& state() const noexcept { return state_; }
  explicit AnyArray(std::shared_ptr<detail::ArrayState> state) noexcept;

 private:
  std::shared_ptr<detail::ArrayState> state_;
};

template <class T>
struct TypedBlock {
  Patch patch;
  T* data = nullptr;
  Index strides;
};

namespace detail {
/// Whether fetch_add and swap are there for elements of a type.
template <class T>
inline constexpr bool counts = std::is_integral_v<T> && !std::is_same_v<T, bool>;
}  // namespace detail

template <class T>
class Array : public AnyArray {
  static_assert(detail::RequireElement<T>::met);

 public:
  Array(const Group& group, const Index& shape, const ArrayOptions& options = {})
      : AnyArray(group, shape, element_type_of<T>(), options) {}
  /// Takes over an array of this element type; Error(type) for another.
  explicit Array(AnyArray&& array);
  Array(Array&&) noexcept = default;
  Array& operator=(Array&&) noexcept = default;
  Array(const Array&) ATOLL_DELETED("arrays are not copied: use a reference or duplicate()");
  Array& operator=(const Array&) ATOLL_DELETED("arrays are not copied: copy(), duplicate()");
  ~Array() = default;
  Array duplicate(const std::string& name = {}, bool zero = true) const {
    return Array(AnyArray::duplicate(name, zero));
  }

  void get(const Patch& patch, T* out, const Index& strides = {}) const {
    AnyArray::get(patch, out, strides);
  }
  void put(const Patch& patch, const T* data, const Index& strides = {}) {
    AnyArray::put(patch, data, strides);
  }
  void accumulate(const Patch& patch, const T* data, T alpha = T(1), const Index& strides = {}) {
    AnyArray::accumulate(patch, data, &alpha, strides);
  }
  [[nodiscard]] Handle get_async(const Patch& patch, T* out, const Index& strides = {}) const {
    return AnyArray::get_async(patch, out, strides);
  }
  [[nodiscard]] Handle put_async(const Patch& patch, const T* data, const Index& strides = {}) {
    return AnyArray::put_async(patch, data, strides);
  }
  [[nodiscard]] Handle accumulate_async(const Patch& patch, const T* data, T alpha = T(1),
                                        const Index& strides = {}) {
    return AnyArray::accumulate_async(patch, data, &alpha, strides);
  }
  void gather(std::span<const std::int64_t> positions, T* values) const {
    AnyArray::gather(positions, values);
  }
  void scatter(std::span<const std::int64_t> positions, const T* values) {
    AnyArray::scatter(positions, values);
  }
  void scatter_accumulate(std::span<const std::int64_t> positions, const T* values,
                          T alpha = T(1)) {
    AnyArray::scatter_accumulate(positions, values, &alpha);
  }
  /// Of std::int32_t and std::int64_t alone.
  std::int64_t fetch_add(const Index& position, std::int64_t increment)
    requires detail::counts<T>
  {
    return AnyArray::fetch_add(position, increment);
  }
  std::int64_t swap(const Index& position, std::int64_t value)
    requires detail::counts<T>
  {
    return AnyArray::swap(position, value);
  }
  TypedBlock<T> local() const { return typed(AnyArray::local()); }
  TypedBlock<T> block(int rank) const { return typed(AnyArray::block(rank)); }
  std::span<T> storage(int rank) const {
    return {static_cast<T*>(AnyArray::storage(rank)),
            static_cast<std::size_t>(distribution().memory_elements(rank))};
  }

 private:
  static TypedBlock<T> typed(const LocalBlock& block) {
    return {block.patch, static_cast<T*>(block.data), block.strides};
  }
};

namespace detail {
[[noreturn]] void throw_type_mismatch(ElementType have, ElementType want);
}

template <class T>
Array<T>::Array(AnyArray&& array) : AnyArray(std::move(array)) {
  if (type() != element_type_of<T>()) detail::throw_type_mismatch(type(), element_type_of<T>());
}

}  // namespace lagoon::atoll
