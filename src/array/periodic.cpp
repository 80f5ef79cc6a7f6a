// Periodic get, put and accumulate: turn by turn, as one operation.
#include "atoll/periodic.hpp"

#include "array/array_state.hpp"
#include "array/calls.hpp"
#include "array/distribution/images.hpp"
#include "array/race_notes.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll {

namespace {

using detail::Action;
using detail::ArrayState;
using detail::bytes_of;
using detail::Operation;
using detail::require;

void check(const AnyArray& array, const Patch& patch, const void* data, const Index& strides) {
  constexpr std::int64_t far = std::int64_t{1} << 61;
  const int n = array.dimensions();
  const std::string text = "patch of lo " + patch.lo.to_string() + ", hi " + patch.hi.to_string() +
                           (patch.step.empty() ? "" : ", step " + patch.step.to_string());
  const std::string in = " in an array of shape " + array.shape().to_string();
  if (patch.lo.size() != n || patch.hi.size() != n ||
      (!patch.step.empty() && patch.step.size() != n))
    throw Error(ErrorKind::index,
                text + " does not have the " + std::to_string(n) + " dimensions" + in);
  for (int d = 0; d < n; ++d) {
    if (patch.lo[d] > patch.hi[d] || patch.lo[d] < -far || patch.hi[d] > far)
      throw Error(
          ErrorKind::index,
          std::string(text).append(" is no range in dimension " + std::to_string(d)).append(in));
    if (!patch.step.empty() && patch.step[d] < 1)
      throw Error(ErrorKind::value, text + " has a step below 1 in dimension " + std::to_string(d));
  }
  if (!strides.empty() && strides.size() != n)
    throw Error(ErrorKind::value, "buffer strides " + strides.to_string() + " do not have the " +
                                      std::to_string(n) + " dimensions of the array");
  if (patch.empty()) return;
  if (array.elements() == 0) throw Error(ErrorKind::index, text + " has no elements" + in);
  if (data == nullptr) throw Error(ErrorKind::value, "the buffer is a null pointer");
}

void transfer(const AnyArray& array, Action action, const char* name, const Patch& patch,
              std::byte* data, const Index& strides, const void* alpha) {
  ArrayState& state = require(array.state());
  detail::named(
      name,
      [&] {
        if (action != Action::get) state.require_writable();
        check(array, patch, data, strides);
      },
      state.name);
  if (patch.empty()) return;
  const Index extents = patch.shape();
  const detail::ProfiledCall call(
      state.profile, name, static_cast<std::uint64_t>(extents.product()) * state.element_bytes);
  const Index user = strides.empty() ? packed_strides(extents) : strides;
  detail::carry_out(name, [&](Operation& operation) {
    detail::for_each_image(
        patch, state.shape, [](int) { return true; },
        [&](const Patch& part, const Index& position) {
          std::byte* side = data;
          for (int d = 0; d < user.size(); ++d)
            side += position[d] * user[d] * static_cast<std::int64_t>(state.element_bytes);
          operation.together = operation.together || part.shape() != extents;
          state.transfer(action, part, side, user, alpha, operation);
          if (detail::follows_races()) detail::note_transfer(state, action, part, side, user);
        });
  });
}

}  // namespace

void get_periodic(const AnyArray& array, const Patch& patch, void* out, const Index& strides) {
  transfer(array, Action::get, "get_periodic", patch, static_cast<std::byte*>(out), strides,
           nullptr);
}
void put_periodic(AnyArray& array, const Patch& patch, const void* data, const Index& strides) {
  transfer(array, Action::put, "put_periodic", patch, bytes_of(data), strides, nullptr);
}
void accumulate_periodic(AnyArray& array, const Patch& patch, const void* data, const void* alpha,
                         const Index& strides) {
  transfer(array, Action::accumulate, "accumulate_periodic", patch, bytes_of(data), strides, alpha);
}

}  // namespace lagoon::atoll
