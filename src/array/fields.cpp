// A field of an element is moved as bytes, which are one dimension more.
#include "atoll/fields.hpp"

#include <string>

#include "array/array_state.hpp"
#include "array/calls.hpp"
#include "array/race_notes.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll {

namespace {

using detail::Action;
using detail::ArrayState;
using detail::Operation;

Handle transfer_field(ArrayState& state, Action action, const Patch& patch, const Field& field,
                      std::byte* data, const Index& strides) {
  return detail::set_off(action, [&](Operation& operation) {
    state.transfer_field(action, patch, field, data, strides, operation);
    if (detail::follows_races() && field.bytes > 0)
      detail::note_begun(state, action, patch, data, strides, operation,
                         {static_cast<std::int32_t>(field.offset),
                          static_cast<std::int32_t>(field.offset + field.bytes)});
  });
}

}  // namespace

Handle get_field_async(const AnyArray& a, const Patch& patch, const Field& field, void* out,
                       const Index& strides) {
  return transfer_field(detail::require(a.state()), Action::get, patch, field,
                        static_cast<std::byte*>(out), strides);
}

Handle put_field_async(AnyArray& a, const Patch& patch, const Field& field, const void* data,
                       const Index& strides) {
  ArrayState& state = detail::require(a.state());
  detail::named("put_field_async", [&] { state.require_writable(); });
  return transfer_field(state, Action::put, patch, field, detail::bytes_of(data), strides);
}

}  // namespace lagoon::atoll
