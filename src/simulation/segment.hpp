// The memory that the processes of a simulated run share: what was asked for, how the run ended,
// and the state of the scheduler and of MPI. All map it at one address, so that it may hold
// pointers. Only the thread whose turn it is touches it; nothing in it needs a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace lagoon::atoll::simulation {

inline constexpr std::uintptr_t segment_address = 0x200000000000;
inline constexpr std::int64_t magic = 0x4c4f4f50544f4c41, layout_version = 1;
inline constexpr int most_ranks = 1024;

/// Written by the launcher (python/atoll/simulation/segment.py) before the ranks start.
struct Asked {
  std::int64_t magic, version, bytes;
  std::uint64_t seed;
  std::int64_t ranks, killed_rank, killed_at_step, most_steps, most_idle, trace, no_faults,
      all_steps;
};

enum class End : std::int64_t {
  running,
  finished,   // all ranks have ended MPI
  deadlock,   // all wait, and nothing is under way
  idle,       // some look again and again, and nothing has moved for long
  aborted,    // MPI_Abort
  misuse,     // of MPI
  killed,     // as asked for
  left,       // a rank's process has ended without MPI_Finalize
  endless,    // too many steps
  left_over,  // messages
};

/// Read by the launcher.
struct Ended {
  End end;
  std::int64_t code, rank, steps;
  std::uint64_t hash;
  std::int64_t now, messages, bytes, most_unexpected, switches;
};

/// A part of the segment given out and taken back, by sizes of powers of two.
class Heap {
 public:
  void use(std::uint64_t begin, std::uint64_t end) noexcept {
    next_ = begin;
    end_ = end;
  }
  void* allocate(std::size_t bytes) noexcept;
  void free(void* memory, std::size_t bytes) noexcept;

 private:
  static constexpr unsigned least_shift = 4, shifts = 40;
  static unsigned shift_of(std::size_t bytes) noexcept;
  struct Free {
    Free* next;
  };
  std::uint64_t next_ = 0, end_ = 0;
  std::array<Free*, shifts> free_{};
};

struct Head {
  Asked asked;
  alignas(512) Ended ended;
  alignas(1024) std::array<char, 15360> report;  // what else there is to say of the end, in text
  alignas(1024) std::atomic<int> built;          // the state below: 0 not yet, 1 being, 2
  std::atomic<int> here;                         // ranks that have come
  Heap heap;
  void* network;
};
static_assert(offsetof(Head, ended) == 512 && offsetof(Head, report) == 1024);

inline Head& head() noexcept { return *reinterpret_cast<Head*>(segment_address); }

/// Maps the segment whose file is open as `descriptor`; false with errno where that fails, and for
/// a segment of another version.
bool map_segment(int descriptor) noexcept;

/// Of objects in the segment.
template <class T>
struct Shared {
  using value_type = T;
  Shared() = default;
  template <class U>
  Shared(const Shared<U>&) noexcept {}  // NOLINT(google-explicit-constructor): an allocator
  T* allocate(std::size_t count) {
    return static_cast<T*>(head().heap.allocate(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    head().heap.free(memory, count * sizeof(T));
  }
  friend bool operator==(Shared, Shared) noexcept { return true; }
};

template <class T, class... A>
T* make_shared_object(A&&... arguments) {
  return std::construct_at(Shared<T>().allocate(1), std::forward<A>(arguments)...);
}
template <class T>
void free_shared_object(T* object) noexcept {
  std::destroy_at(object);
  Shared<T>().deallocate(object, 1);
}

}  // namespace lagoon::atoll::simulation
