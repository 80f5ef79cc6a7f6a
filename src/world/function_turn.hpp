// FunctionTurn: a user's function, which any thread that waits may come to call, or to let go.
//
// In a language whose threads take turns inside Atoll the function may want the turn, too: it may
// use an array, or be the last to hold one. Who has the turn may be waiting for what the function
// belongs to. So only who gets the turn, without waiting for it, touches the function; the others
// leave it to them, since they come to it as soon as they wait.
#pragma once

namespace lagoon::atoll::detail {

/// How the language gives turns: `try_take` is false, at once, while another thread has it.
struct FunctionTurns {
  bool (*try_take)() noexcept;
  void (*give_back)() noexcept;
};
/// Called once, before there are arrays. Without, any thread may touch functions.
void take_turns_for_functions(FunctionTurns turns) noexcept;

class FunctionTurn {
 public:
  explicit FunctionTurn(bool needed = true) noexcept;
  FunctionTurn(const FunctionTurn&) = delete;
  FunctionTurn& operator=(const FunctionTurn&) = delete;
  ~FunctionTurn();
  explicit operator bool() const noexcept { return may_go_on_; }

 private:
  const bool wanted_;
  const bool may_go_on_;
};

}  // namespace lagoon::atoll::detail
