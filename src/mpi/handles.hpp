// MPI's objects as Atoll holds them, whatever the MPI of the process: handles, constants, statuses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lagoon::atoll::mpi {

/// A handle: 0 is the null handle, small numbers are what every MPI has from its start, others are
/// the bits of the MPI's own handle (a number or an address, never as small).
template <class Kind>
struct Handle {  // NOLINT: an aggregate, whose kind tells one from another
  std::uintptr_t bits = 0;

  friend bool operator==(Handle, Handle) = default;
};

// Derived types, so that other headers can declare them.
struct Comm : Handle<Comm> {};
struct Datatype : Handle<Datatype> {};
struct Errhandler : Handle<Errhandler> {};
struct Group : Handle<Group> {};
struct Message : Handle<Message> {};
struct Op : Handle<Op> {};
struct Request : Handle<Request> {};
struct Win : Handle<Win> {};

inline constexpr Comm comm_null{}, comm_world{{1}}, comm_self{{2}};
inline constexpr Group group_null{};
inline constexpr Message message_null{};
inline constexpr Request request_null{};
inline constexpr Win win_null{};
inline constexpr Errhandler errors_are_fatal{{1}}, errors_return{{2}};

inline constexpr Op op_null{}, op_sum{{1}}, op_prod{{2}}, op_min{{3}}, op_max{{4}}, op_band{{5}},
    op_bor{{6}}, op_minloc{{7}};

inline constexpr Datatype type_null{}, type_byte{{1}}, type_char{{2}}, type_int{{3}},
    type_long{{4}}, type_long_long{{5}}, type_int8{{6}}, type_int16{{7}}, type_int32{{8}},
    type_int64{{9}}, type_uint8{{10}}, type_uint16{{11}}, type_uint32{{12}}, type_uint64{{13}},
    type_float{{14}}, type_double{{15}}, type_complex_float{{16}}, type_complex_double{{17}},
    type_long_int{{18}};

/// As many handles of a kind are there from the start, at most.
inline constexpr std::uintptr_t most_constants = 32;

inline constexpr int success = 0;
inline constexpr int any_source = -1;
inline constexpr int undefined = -32766;  ///< all MPIs agree on this one
inline constexpr int max_error_string = 1024, max_library_version_string = 8192,
                     max_processor_name = 1024;

/// What a thread may do, in rising order.
enum class ThreadLevel : int { single, funneled, serialized, multiple };

/// How the members of two communicators compare.
enum class Likeness : int { ident, congruent, similar, unequal };

/// In the place of a buffer: the data are where the result goes.
inline const void* in_place() noexcept {
  return reinterpret_cast<const void*>(std::uintptr_t{4});  // no object is there
}

/// What a receive or a test tells: the MPI's own status, and where it holds the sender.
struct Status {
  alignas(8) std::byte room[48]{};

  int source() const noexcept;
};
inline constexpr Status* status_ignore = nullptr;

/// A user's reduction of `*length` elements: `in_out` becomes `in` with `in_out`.
using Reduce = void(void* in, void* in_out, int* length);

}  // namespace lagoon::atoll::mpi
