// FunctionTurn: what a language has set.
#include "world/function_turn.hpp"

namespace lagoon::atoll::detail {

namespace {
FunctionTurns turns_of_language{nullptr, nullptr};
}  // namespace

void take_turns_for_functions(FunctionTurns turns) noexcept { turns_of_language = turns; }

FunctionTurn::FunctionTurn(bool needed) noexcept
    : wanted_(needed && turns_of_language.try_take != nullptr),
      may_go_on_(!wanted_ || turns_of_language.try_take()) {}

FunctionTurn::~FunctionTurn() {
  if (wanted_ && may_go_on_) turns_of_language.give_back();
}

}  // namespace lagoon::atoll::detail
