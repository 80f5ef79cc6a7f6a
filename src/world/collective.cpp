// The frame of collective calls: agreement in a group, and before there is one.
#include "world/collective.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpi/face.hpp"
#include "world/doing.hpp"
#include "world/ending.hpp"
#include "world/given_arguments.hpp"
#include "world/group_state.hpp"
#include "world/race/detector.hpp"
#include "world/unread.hpp"

namespace lagoon::atoll::detail {

namespace {

template <std::size_t N>
void copy_text(std::array<char, N>& target, std::string_view text) noexcept {
  std::copy_n(text.begin(), bytes_of_whole_letters(text, N - 1), target.begin());
}

/// What a member says of its call when members disagree. Plain bytes: it travels by MPI.
struct Statement {
  std::array<char, 120> operation;
  std::uint64_t arguments;
  std::array<char, 400> words;

  std::pair<std::string, std::uint64_t> call() const { return {operation.data(), arguments}; }
  std::string in_words() const { return words.data(); }
};

std::string (*tell_caller)() = nullptr;  // NOLINT: set once, at start-up

/// How this rank has called, from where if its language can tell, and what its arguments are if
/// not.
std::string words_of(std::uint64_t arguments) {
  if (tell_caller != nullptr)
    if (const std::string caller = tell_caller(); !caller.empty()) return ", " + caller;
  const std::string given = GivenArguments::of_thread().text(arguments);
  return given.empty() ? "" : ": " + given;
}

/// A failure on its way from the rank that has it to the others.
struct Told {
  ErrorKind kind;
  std::int32_t error_number;
  std::array<char, 48> exception;
  std::array<char, 968> text;

  static Told of(const Failure& failure) {
    Told told{};
    if (!failure) return told;
    told.kind = failure->kind();
    told.error_number = failure->error_number();
    copy_text(told.exception, failure->exception());
    copy_text(told.text, failure->message());
    return told;
  }
  /// A rank throws its own failure where it is of the same kind: all act alike, and each knows best
  /// what it has met.
  [[noreturn]] void throw_it(int rank, const Failure& mine) const {
    if (mine && mine->kind() == kind && mine->error_number() == error_number &&
        mine->exception() == exception.data())
      throw mine->thrown_everywhere();
    throw Error(kind, std::string(text.data()) + " [on rank " + std::to_string(rank) + "]",
                error_number)
        .of_exception(exception.data())
        .thrown_everywhere();
  }
};
static_assert(std::is_trivially_copyable_v<Told>);

}  // namespace

void tell_calls_by(std::string (*caller)()) { tell_caller = caller; }

void check_mpi(int status, const char* call) {
  if (status == mpi::success) return;
  char text[mpi::max_error_string];
  int length = 0;
  mpi::error_string(status, text, &length);
  std::string line(text, static_cast<std::size_t>(length));
  std::replace(line.begin(), line.end(), '\n', ' ');
  throw Error(ErrorKind::communication, std::string(call) + " failed: " + line);
}

namespace {

Error error_of_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::memory, "no memory left for a temporary buffer"};
  } catch (const std::length_error&) {
    return {ErrorKind::memory, "a temporary buffer would be larger than all memory"};
  } catch (const std::exception& error) {
    return {ErrorKind::state, error.what()};
  } catch (...) {
    return {ErrorKind::state, "an exception that is no std::exception"};
  }
}

}  // namespace

Error caught() noexcept { return unfailing("telling of a failure", error_of_exception); }

namespace {

void fence_all(GroupState& state) {
  // Where one write was lost all others are complete.
  const Failure lost = attempt([&] { state.world().fence(); });
  race::Detector::tell_fence();
  if (lost) throw Error(*lost);
}

/// All members have fenced and met: where they are all ranks, what they did is judged.
void tell_of_sync(GroupState& state) {
  race::Detector* const races = race::Detector::running;
  if (races != nullptr && state.size() == state.world().topology.size)
    unfailing("the race detector",  // the others would wait for what this rank knows
              [&] { races->synchronise(state.communicator()); });
}

}  // namespace

void enter_collective(const Group& group, std::string_view operation, std::uint64_t arguments,
                      const std::function<void()>& validate) {
  GroupState& state = GroupState::of(group);
  const OneCollective alone(state.world());
  const FollowedCall call(operation);
  const Failure failure = attempt([&] {
    fence_all(state);
    if (validate) validate();
  });
  try {
    state.agree_or_throw(operation, arguments, failure);
  } catch (const Error& error) {
    throw error.during(operation);
  }
  tell_of_sync(state);
}

void leave_collective(const Group& group, const Failure& failure, std::string_view name) {
  GroupState& state = GroupState::of(group);
  const OneCollective alone(state.world());
  const Failure fence = attempt([&] { fence_all(state); });
  const Failure& own = failure ? failure : fence;
  if (state.world().config.check)
    state.agree_or_throw(name, 0, own);
  else
    state.agree_to_go_on(name, own);
  tell_of_sync(state);
}

bool leave_with(const Group& group, std::uint64_t word, const Failure& failure) {
  GroupState& state = GroupState::of(group);
  const OneCollective alone(state.world());
  const Failure fence = attempt([&] { fence_all(state); });
  const bool same = state.agree_on(word, failure ? failure : fence);
  tell_of_sync(state);
  return same;
}

void agree_to_start(mpi::Comm communicator, const Failure& failure) {
  int rank = 0, size = 0, first = 0;
  mpi::comm_rank(communicator, &rank);
  mpi::comm_size(communicator, &size);
  const int mine = failure ? rank : size;
  check_mpi(mpi::allreduce(&mine, &first, 1, mpi::type_int, mpi::op_min, communicator),
            "MPI_Allreduce");
  if (first == size) return;
  Told told = Told::of(failure);
  check_mpi(mpi::bcast(&told, sizeof told, mpi::type_byte, first, communicator), "MPI_Bcast");
  told.throw_it(first, failure);
}

void GroupState::agree_or_throw(std::string_view operation, std::uint64_t arguments,
                                const Failure& failure) {
  std::uint64_t hash = arguments;
  for (const char c : operation) hash = mix(hash, static_cast<unsigned char>(c));
  act_on(meet(hash, failure.has_value()), operation, arguments, failure);
}

void GroupState::agree_to_go_on(std::string_view name, const Failure& failure) {
  act_on(meet(0, failure.has_value()), name, 0, failure);
}

void GroupState::meet_or_throw(std::string_view name) {
  Agreement agreement = meet(0, false);
  agreement.news = false;
  act_on(agreement, name, 0, {});
}

void GroupState::stay_near(std::string_view name) {
  if (left_behind_ != unread::broadcasts) return;
  const race::Detector::Unordered unordered;
  meet_or_throw(name);
}

void GroupState::broadcast(std::span<std::byte> data, int root) {
  ++left_behind_;
  assert(left_behind_ <= unread::broadcasts);
  mpi::Request request = mpi::request_null;
  check_mpi(mpi::ibcast(data.data(), static_cast<int>(data.size()), mpi::type_byte, root,
                        communicator_, &request),
            "MPI_Ibcast");
  world_->wait(request);
}

bool GroupState::agree_on(std::uint64_t word, const Failure& failure) {
  const Agreement agreement = meet(word, failure.has_value());
  if (agreement.failed >= 0) throw_failure(agreement.failed, failure);
  if (agreement.news) reclaim();
  return !agreement.mismatch;
}

void GroupState::act_on(const Agreement& agreement, std::string_view operation,
                        std::uint64_t arguments, const Failure& failure) {
  if (agreement.failed >= 0) throw_failure(agreement.failed, failure);
  if (agreement.mismatch) throw_mismatch(operation, arguments);
  if (agreement.news) reclaim();
}

void GroupState::check(std::string_view operation, std::uint64_t arguments) {
  if (!world().config.check) return;
  const race::Detector::Unordered unordered;
  agree_or_throw(operation, arguments, {});
}

void GroupState::throw_failure(int failed, const Failure& mine) {
  Told told = Told::of(mine);
  broadcast(std::as_writable_bytes(std::span(&told, 1)), failed);
  told.throw_it(failed, mine);
}

void GroupState::throw_mismatch(std::string_view operation, std::uint64_t arguments) {
  Statement mine{};
  copy_text(mine.operation, operation);
  mine.arguments = arguments;
  copy_text(mine.words, words_of(arguments));
  std::vector<Statement> all(static_cast<std::size_t>(size_));
  mpi::Request request = mpi::request_null;
  check_mpi(mpi::iallgather(&mine, sizeof mine, mpi::type_byte, all.data(), sizeof mine,
                            mpi::type_byte, communicator_, &request),
            "MPI_Iallgather");
  world_->wait(request);
  std::map<std::pair<std::string, std::uint64_t>, int> votes;
  for (const Statement& statement : all) ++votes[statement.call()];
  const auto usual = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
                       return a.second < b.second;
                     })->first;
  const std::string others = std::find_if(all.begin(), all.end(), [&](const Statement& statement) {
                               return statement.call() == usual;
                             })->in_words();
  std::string text = "ranks disagree in a collective call:";
  for (int r = 0; r < size_; ++r) {
    const Statement& statement = all[static_cast<std::size_t>(r)];
    if (statement.call() == usual) continue;
    text += " rank " + std::to_string(r) + " calls " + statement.operation.data();
    if (statement.call().first == usual.first) text += " with other arguments";
    text += statement.in_words();
    if (!others.empty() && statement.in_words() == others)
      text += " (they differ in what is not shown: options, or the end of a name)";
    text += ';';
  }
  throw Error(ErrorKind::mismatch, text + " the others call " + usual.first + others)
      .thrown_everywhere();
}

}  // namespace lagoon::atoll::detail
