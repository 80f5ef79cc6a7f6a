// Who moves what, and how both sides learn of errors.
#include "disk/section_job.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "atoll/error.hpp"
#include "disk/worker.hpp"
#include "world/waiting.hpp"

namespace lagoon::atoll::detail {

namespace {

/// The worker, which nobody asks for anything.
class Sleeping final : public Waiting {
 public:
  void until(const std::function<bool()>& ready) override { wait_until(waiting::in_call, ready); }
  void look() override {}
};

/// What all ranks can be told of: a thread that cannot be started is the system's refusal, too.
std::exception_ptr as_error(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::system_error& error) {
    return std::make_exception_ptr(
        Error::of_file(error.code().value(), std::string("move tiles: ") + error.what()));
  } catch (...) {
    return failure;
  }
}

}  // namespace

SectionJob::SectionJob(SectionTask task)
    : task_(std::move(task)),
      array_(task_.array),
      section_(*task_.layout, task_.patch, task_.array_patch, task_.transposed),
      remote_(*task_.layout, section_, array_, task_.direction, task_.tiles) {}

SectionJob::~SectionJob() = default;

void SectionJob::move(Waiting& waiting) noexcept {
  try {
    TileMover mover(*task_.layout, task_.file, *task_.checksums, *task_.log, waiting,
                    task_.writing);
    mover.count_in(tiles_moved_);
    if (task_.direction == Direction::write)
      written_ = mover.write(section_, task_.tiles, array_, remote_);
    else
      mover.read(section_, task_.tiles, array_, remote_);
    if (task_.syncs && !written_.empty()) task_.file->sync();
  } catch (...) {
    failure_ = as_error(std::current_exception());
    remote_.abandon();
  }
  moved_.store(true, std::memory_order_release);
}

bool SectionJob::take_turn() {
  // A get or put that has to wait serves, and comes here again.
  if (polling_) return false;
  polling_ = true;
  // What another thread moves is seen here, too: whoever waits for it does not wait in vain.
  const std::int64_t tiles = tiles_moved_.load(std::memory_order_relaxed);
  bool moved = std::exchange(tiles_seen_, tiles) != tiles;
  try {
    moved = remote_.feed() || moved;
  } catch (...) {
    remote_failure_ = as_error(std::current_exception());
    remote_.abandon();
    moved = true;
  }
  polling_ = false;
  return moved;
}

bool SectionJob::done() const noexcept {
  return moved_.load(std::memory_order_acquire) && remote_.settled();
}

double SectionJob::fraction() const noexcept {
  if (done() || task_.tiles.empty()) return 1;
  return static_cast<double>(tiles_moved_.load(std::memory_order_relaxed)) /
         static_cast<double>(task_.tiles.size());
}

void SectionJob::run_here() {
  if (!remote_.empty()) WorldState::get().chores.push_back(shared_from_this());
  begun_ = true;
  (void)WorldState::get().serve(*this);
  Serving serving;
  move(serving);
  wait();
}

bool SectionJob::is_small() const noexcept {
  return remote_.empty() && !task_.syncs && !task_.writing.direct &&
         std::ssize(task_.tiles) * task_.layout->tile_bytes <= std::int64_t{most_at_once};
}

void SectionJob::run_aside() {
  begun_ = true;
  Serving serving;
  if (is_small() && task_.file->run_at_once([&] { move(serving); })) return;
  // The world does not end before it.
  WorldState::get().chores.push_back(shared_from_this());
  (void)WorldState::get().serve(*this);
  // The worker must not be the last to hold it: arrays are freed by the rank's thread. As a chore
  // it lives until `moved_` is set, which is the last that the worker does with it.
  try {
    Worker::get().add([this] {
      Sleeping sleeping;
      move(sleeping);
    });
  } catch (...) {
    failure_ = as_error(std::current_exception());
    remote_.abandon();
    moved_.store(true, std::memory_order_release);
  }
}

void SectionJob::let_end() {
  if (!begun_) return;
  WorldState& world = WorldState::get();
  world.wait_until([&] { return done(); });
  // Not at the next look at the chores: until then the file would be open, its space in use.
  world.chores.erase(this);
}

void SectionJob::wait() {
  let_end();
  remote_.settle();
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  if (remote_failure_ != nullptr) std::rethrow_exception(remote_failure_);
}

}  // namespace lagoon::atoll::detail
