// Arguments of the table's functions as the functions of one binary interface of MPI take them,
// with the interface's handles and numbers in the place of ours.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "mpi/adaptor/interface.hpp"
#include "mpi/calls.hpp"
#include "mpi/native.hpp"

namespace lagoon::atoll::mpi {

/// The interface's own handles of one kind, by numbers; filled when the table is.
template <class Interface, class Handle>
inline Bits constants{};

template <class Interface, class Handle>
struct NativeHandle;
#define ATOLL_NATIVE_HANDLE(kind)          \
  template <class Interface>               \
  struct NativeHandle<Interface, kind> {   \
    using type = typename Interface::kind; \
  };
ATOLL_NATIVE_HANDLE(Comm)
ATOLL_NATIVE_HANDLE(Datatype)
ATOLL_NATIVE_HANDLE(Errhandler)
ATOLL_NATIVE_HANDLE(Group)
ATOLL_NATIVE_HANDLE(Message)
ATOLL_NATIVE_HANDLE(Op)
ATOLL_NATIVE_HANDLE(Request)
ATOLL_NATIVE_HANDLE(Win)
#undef ATOLL_NATIVE_HANDLE

template <class Handle>
concept AnyHandle = requires(Handle handle) {
  { handle.bits } -> std::same_as<std::uintptr_t&>;
};

template <class Interface, AnyHandle Handle>
using NativeOf = typename NativeHandle<Interface, Handle>::type;

template <class Interface, AnyHandle Handle>
NativeOf<Interface, Handle> to_native(Handle handle) noexcept {
  const std::uintptr_t bits =
      handle.bits < most_constants ? constants<Interface, Handle>[handle.bits] : handle.bits;
  return native_of_bits<NativeOf<Interface, Handle>>(bits);
}

/// Of what MPI has given: never a predefined one but the null handle.
template <class Interface, AnyHandle Handle>
Handle of_mpi(NativeOf<Interface, Handle> handle) noexcept {
  const std::uintptr_t bits = bits_of_native(handle);
  return {{bits == constants<Interface, Handle>[0] ? 0 : bits}};
}

/// An argument of the table's function as MPI's function takes it. What MPI changes is taken over
/// when this ends, behind the call.
template <class Interface, class T>
struct Argument {
  using type = T;
  T value;
  type get() noexcept { return value; }
};

template <class Interface>
struct Argument<Interface, const void*> {
  using type = const void*;
  const void* value;
  type get() noexcept {
    return value == in_place() ? reinterpret_cast<const void*>(Interface::in_place) : value;
  }
};

template <class Interface, AnyHandle Handle>
struct Argument<Interface, Handle> {
  using type = NativeOf<Interface, Handle>;
  Handle value;
  type get() noexcept { return to_native<Interface>(value); }
};

template <class Interface, AnyHandle Handle>
struct Argument<Interface, Handle*> {
  using type = NativeOf<Interface, Handle>*;
  explicit Argument(Handle* pointer) noexcept
      : ours(pointer), native(to_native<Interface>(*pointer)) {}
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  Argument(Argument&&) = delete;
  Argument& operator=(Argument&&) = delete;
  ~Argument() { *ours = of_mpi<Interface, Handle>(native); }
  type get() noexcept { return &native; }
  Handle* ours;
  NativeOf<Interface, Handle> native;
};

template <class Interface>
struct Argument<Interface, Status*> {
  using type = typename Interface::Status*;
  static_assert(sizeof(typename Interface::Status) <= sizeof(Status::room));
  Status* value;
  type get() noexcept {
    return value == nullptr ? reinterpret_cast<type>(Interface::status_ignore)
                            : reinterpret_cast<type>(value->room);
  }
};

template <class Interface>
struct Argument<Interface, const Status*> {
  using type = const typename Interface::Status*;
  const Status* value;
  type get() noexcept { return reinterpret_cast<type>(value->room); }
};

template <class Interface>
struct Argument<Interface, Source> {
  using type = int;
  Source value;
  type get() noexcept { return value.rank == any_source ? Interface::any_source : value.rank; }
};

template <class Interface>
struct Argument<Interface, Tag> {
  using type = int;
  Tag value;
  type get() noexcept { return value.number == any_tag ? Interface::any_tag : value.number; }
};

template <class Interface>
struct Argument<Interface, NoInfo> {
  using type = typename Interface::Info;
  NoInfo value;
  type get() noexcept { return native_of_bits<type>(constants<Interface, NoInfo>[0]); }
};

template <class Interface>
struct Argument<Interface, OnSharedMemory> {
  using type = int;
  OnSharedMemory value;
  type get() noexcept { return Interface::comm_type_shared; }
};

template <class Interface>
struct Argument<Interface, WithoutCheck> {
  using type = int;
  WithoutCheck value;
  type get() noexcept { return Interface::mode_nocheck; }
};

template <class Interface>
struct Argument<Interface, ThreadLevel> {
  using type = int;
  ThreadLevel value;
  type get() noexcept { return Interface::thread_levels[static_cast<std::size_t>(value)]; }
};

/// A number that MPI writes, as our enumerator of its place among the interface's.
template <class Enumeration>
struct Written {
  Written(Enumeration* pointer, const std::array<int, 4>& all) noexcept
      : ours(pointer), numbers(all), native(all[static_cast<std::size_t>(*pointer)]) {}
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  Written(Written&&) = delete;
  Written& operator=(Written&&) = delete;
  ~Written() {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] == native) *ours = static_cast<Enumeration>(i);
  }
  int* get() noexcept { return &native; }
  Enumeration* ours;
  const std::array<int, 4>& numbers;
  int native;
};

template <class Interface>
struct Argument<Interface, ThreadLevel*> : Written<ThreadLevel> {
  using type = int*;
  explicit Argument(ThreadLevel* level) noexcept : Written(level, Interface::thread_levels) {}
};

template <class Interface>
struct Argument<Interface, Likeness*> : Written<Likeness> {
  using type = int*;
  explicit Argument(Likeness* likeness) noexcept : Written(likeness, Interface::likenesses) {}
};

}  // namespace lagoon::atoll::mpi
