// Sites: from where a program has called, by number. A number is the same on all ranks that run the
// same program; text is made of it only when a conflict is told.
//
// A language that knows its own lines (Python) says them before it calls; of C, C++ and Fortran the
// stack is kept, and read by addr2line, where the machine has it, down to the first function that
// is none of Atoll's.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace lagoon::atoll::detail::race {

/// The line of this thread's program that is calling, as its language says; 0: it says nothing.
inline thread_local std::uint64_t language_site = 0;

class Sites {
 public:
  /// A line that a language tells, "job.py:12".
  std::uint64_t add(const std::string& text);
  /// Where this thread stands.
  std::uint64_t here();
  /// "job.py:12", "main at job.cpp:7", "solve of ./job", or "?" for a number that is none.
  std::string text(std::uint64_t site);

 private:
  static constexpr std::size_t depth = 12;
  struct Stack {
    std::array<void*, depth> frames{};
    std::size_t count = 0;
  };

  std::mutex mutex_;  // guards all below
  std::unordered_map<std::uint64_t, std::string> texts_;
  std::unordered_map<std::uint64_t, Stack> stacks_;
  std::unordered_map<std::uint64_t, std::uint64_t>
      by_addresses_;  // of this process, to those alike
};

}  // namespace lagoon::atoll::detail::race
