// What the public calls of arrays and of memory share.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "atoll/error.hpp"
#include "atoll/handle.hpp"
#include "transport/transport.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

// A put and an accumulate only read the caller's buffer; the shared path wants one pointer type.
inline std::byte* bytes_of(const void* data) {
  return static_cast<std::byte*>(const_cast<void*>(data));  // NOLINT
}

/// How the public call of an action is called.
constexpr const char* name_of(Action action) {
  switch (action) {
    case Action::get: return "get";
    case Action::put: return "put";
    case Action::accumulate: return "accumulate";
    case Action::fetch_add: return "fetch_add";
    case Action::swap: return "swap";
    case Action::gather: return "gather";
    case Action::scatter: return "scatter";
    case Action::scatter_accumulate: return "scatter_accumulate";
    case Action::update: return "update";
    case Action::fetch_update: return "fetch_update";
    default: break;
  }
  return "fence";
}

/// Calls `f()`; an error says during which operation, and on which array. (No string_view, whose
/// length would be counted in each call.)
template <class F>
auto named(const char* operation, F&& f, std::string_view array = {}) {
  try {
    return f();
  } catch (const Error& error) {
    throw error.during(operation, array);
  }
}

/// For inquiries that stay valid after destroy.
template <class State>
State& known(const std::shared_ptr<State>& state) {
  if (state == nullptr)
    throw Error(ErrorKind::state, std::string("the ") + State::kind + " was moved from");
  return *state;
}

template <class State>
State& require(const std::shared_ptr<State>& state) {
  known(state).require_alive();
  return *state;
}

/// Calls `begin(operation)` and waits for what that began.
template <class Begin>
void carry_out(const char* name, Begin&& begin) {
  named(name, [&] {
    Operation operation;
    begin(operation);
    operation.wait();
  });
}

/// The same without waiting. One that throws has let go of the caller's buffer.
template <class Begin>
Handle set_off(Action action, Begin&& begin) {
  auto operation = std::make_shared<Operation>();
  operation->nonblocking = true;
  Handle handle(operation);  // destroyed early it waits
  named(name_of(action), [&] { begin(*operation); });
  return handle;
}

}  // namespace lagoon::atoll::detail
