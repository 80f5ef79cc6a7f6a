// FirstExchange: what the first ranks of the nodes tell each other when they meet: their words
// (agreement and marks) and, of a small merge, what they contribute. Which messages it takes
// depends on the number of nodes alone, so that calls that do not belong together find out.
//
// A power of two of nodes combine on the way: packed contributions by doubling; what is in one
// piece by halving, and doubling the result (Rabenseifner's algorithm), straight from and into the
// array. Three, five, six or seven do it directly. Of more, every node receives all (packed)
// contributions by Bruck's algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "array/mirror/merge_meeting.hpp"
#include "array/mirror/mirror.hpp"
#include "array/mirror/small_merge.hpp"

namespace lagoon::atoll::detail {

class FirstExchange {
 public:
  /// `words`: my node's, laid out as `Marks` reads them. `small` may be null.
  FirstExchange(const Mirror& mirror, std::vector<std::uint64_t> words, const SmallMerge* small);
  /// Leaves everybody's words in `mirror.exchanged()`. When all nodes sent their contributions, my
  /// node's copy is merged.
  void run();

 private:
  void by_passing_on();
  void join_all(const Marks& marks, const std::vector<std::byte*>& packed);
  void directly();
  void combine_share(const std::vector<std::byte*>& contributions);
  void by_doubling();
  void join_round(int round);
  void join_packed(const Marks& marks, int partner, int have, std::byte* theirs);
  void fold_half(int partner, int have, const std::byte* theirs);
  void double_back(std::span<std::byte> all, int rounds);
  void exchange_later_words();

  std::size_t words_room() const noexcept;
  std::vector<std::byte*> places(std::initializer_list<std::size_t> sizes) const;
  bool all_agreed() const;
  std::span<const std::byte> words_to_say() const;
  void keep(int node, std::size_t from, std::span<const std::byte> words) const;
  std::byte* keep_words(int first, int last, std::byte* at) const;
  std::span<std::byte> share(int node) const;
  template <class F>
  void for_each_other(F&& f) const;
  std::span<std::byte> half(std::span<std::byte> data, bool upper) const;

  const Mirror& mirror_;
  NodeGroup& nodes_;
  const SmallMerge* small_;
  std::vector<std::uint64_t> words_;
  std::size_t at_first_;  // words that go in this exchange

  // What the nodes known so far have said, whether they all contribute, and what they contribute
  // together: packed, or the part of the array that I combine for them.
  std::vector<std::byte> said_;
  bool merging_ = false;
  std::span<std::byte> packed_;
  std::span<std::byte> part_;  // of the array
  std::byte* sum_ = nullptr;   // of that part, so far
  // By doubling.
  std::byte *message_ = nullptr, *received_ = nullptr, *spare_ = nullptr, *behind_ = nullptr;
  std::size_t most_ = 0, most_behind_ = 0;  // bytes of a message, and of the one behind it
};

}  // namespace lagoon::atoll::detail
