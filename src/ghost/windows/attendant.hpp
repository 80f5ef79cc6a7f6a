// Attendant: a thread that makes MPI's own progress in this process while the program has windows
// that are not on Atoll's memory.
#pragma once

namespace lagoon::atoll::ghost {

/// There is one such window more. False, and nothing happens, where MPI allows no threads, or the
/// system gives none, which a line says.
bool attend_window();
void leave_window() noexcept;
/// While it lives the program calls MPI for such a window, which makes progress by itself.
class InOwnCall {
 public:
  InOwnCall() noexcept;
  InOwnCall(const InOwnCall&) = delete;
  InOwnCall& operator=(const InOwnCall&) = delete;
  ~InOwnCall();
};
/// Before MPI ends.
void end_attendant() noexcept;

}  // namespace lagoon::atoll::ghost
