// What arrays tell the race detector (world/race/detector.hpp). To be asked for first:
// `follows_races`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "array/array_state.hpp"
#include "world/race/detector.hpp"

namespace lagoon::atoll::detail {

inline bool follows_races() noexcept { return race::Detector::running != nullptr; }

/// An array begins to exist. (Of its end its segment tells.)
void note_life(const ArrayState& array);

/// A blocking operation, done. The buffer's strides are in elements; `data` null: it has none.
void note_transfer(const ArrayState& array, Action action, const Patch& patch,
                   const std::byte* data, const Index& strides, race::Bytes bytes = {});
/// A nonblocking one, begun.
void note_begun(const ArrayState& array, Action action, const Patch& patch, const std::byte* data,
                const Index& strides, const Operation& operation, race::Bytes bytes = {});
void note_scattered(const ArrayState& array, Action action,
                    std::span<const std::int64_t> positions);
/// Pointers to a rank's memory are given out. Those that a language of its own, or a program by
/// Global Arrays' names, will tell of are not taken for a read at once.
void note_lent(const ArrayState& array, int rank, bool writable);
/// An access by such pointers, that somebody tells of.
void note_direct(const ArrayState& array, const Patch& patch, bool wrote);
/// While it lives this thread's pointers are told of so.
class DirectIsTold {
 public:
  DirectIsTold() noexcept : before_(told_) { told_ = true; }
  DirectIsTold(const DirectIsTold&) = delete;
  DirectIsTold& operator=(const DirectIsTold&) = delete;
  ~DirectIsTold() { told_ = before_; }
  static bool told() noexcept { return told_; }

 private:
  static inline thread_local bool told_ = false;
  const bool before_;
};

/// fetch_add and swap order those that use one element: by tickets, words behind the block, where
/// the memory was made for them.
inline constexpr int ticket_words = 64;
std::uint64_t tickets_at(const ArrayState& array, int rank);  // of the rank's block, in bytes
void note_tickets(const ArrayState& array);
/// Calls `fetch` with where to: the element at `offset`, and, where there are tickets, these.
void fetch_in_order(const ArrayState& array, int rank, std::int64_t offset,
                    const std::function<std::int64_t(std::int64_t)>& fetch);

}  // namespace lagoon::atoll::detail
