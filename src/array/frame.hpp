// What collective calls on arrays begin with: hashing their arguments, checking them, and
// finding out which arrays lie alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "array/description.hpp"
#include "atoll/view.hpp"
#include "world/collective.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

/// Gathers the arguments of a call into one number. Arrays enter by what all ranks know of them
/// alike: their number, type, shape, distribution and name. What can be said in words is kept, too,
/// for ranks that disagree (world/given_arguments.hpp).
class ArgumentHash {
 public:
  ArgumentHash() noexcept;
  ArgumentHash& add(std::uint64_t value) noexcept;
  ArgumentHash& add(ElementType type) noexcept;
  ArgumentHash& add(std::string_view text) noexcept;
  ArgumentHash& add(const Index& index) noexcept;
  ArgumentHash& add(const Patch& patch) noexcept;
  ArgumentHash& add(const Scalar& scalar) noexcept;
  ArgumentHash& add(const AnyArray& array);
  ArgumentHash& add(const View& view);
  std::uint64_t value() const noexcept;

 private:
  void mix_in(std::uint64_t value) noexcept;
  void mix_in(std::string_view text) noexcept;
  void mix_in(const Index& index) noexcept;
  std::uint64_t hash_ = 0;
};

template <class... Arguments>
std::uint64_t hash_of(const Arguments&... arguments) {
  ArgumentHash hash;
  (hash.add(arguments), ...);
  return hash.value();
}

/// Error(state) for a dead array. Before anything else, since a dead array has no group to ask.
void require_alive(const AnyArray& array, std::string_view operation);

/// That, and Error(state) for a read-only array, which all its members know to be one: for outputs.
void require_writable(const AnyArray& array, std::string_view operation);

// Checks for use inside the `validate` callback of enter_collective.
void check_same_type(const AnyArray& a, const AnyArray& b);   ///< else Error(type)
void check_same_shape(const AnyArray& a, const AnyArray& b);  ///< else Error(value)
void check_not_complex(const AnyArray& array);                ///< else Error(type)
/// Error(index) for a patch outside the array or of another number of dimensions, Error(value) for
/// a step below one. Empty patches inside the array pass.
void check_patch(const AnyArray& array, const Patch& patch);
/// Whether a scalar fits the element type: a fraction for an integer array and an imaginary part
/// for a real one are Error(type), an integer out of range is Error(value). Rounding is no error.
void check_scalar(const Scalar& scalar, const AnyArray& array, std::string_view what);

/// Equal members in equal order, though perhaps made by two calls.
bool same_members(const Group& a, const Group& b);
/// Whether every member of `inner` is one of `outer`.
bool contains(const Group& outer, const Group& inner);
/// Whether equal positions lie at equal offsets in the memory of equal ranks.
bool aligned(const AnyArray& a, const AnyArray& b);
/// Error(value) unless both arrays have the same members. Called before entering, by callers who
/// are members of both and see the same: they all throw.
void require_same_members(const AnyArray& a, const AnyArray& b, std::string_view operation);

/// The frame around the body of a call: what the body throws on one rank is thrown on all, after
/// they have met. A body that meets within throws on all by itself.
template <class Validate, class Body>
void collectively(const Group& group, std::string_view operation, std::uint64_t arguments,
                  const Validate& validate, Body&& body) {
  const OneCollective alone(GroupState::of(group).world());
  enter_collective(group, operation, arguments, validate);
  leave_collective(group, attempt(std::forward<Body>(body)));
}

}  // namespace lagoon::atoll::detail
