// Reads and writes of a disk array, from agreement to commit.
#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "array/frame.hpp"
#include "array/mirror/merge_job.hpp"
#include "atoll/error.hpp"
#include "disk/disk_array_state.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr const char* name_of(Direction direction) {
  return direction == Direction::write ? "write disk array" : "read disk array";
}

/// Error(index) for a patch outside, Error(value) for steps.
void check_section(const Patch& patch, const Index& shape, const std::string& what) {
  bool inside = patch.lo.size() == shape.size() && patch.hi.size() == shape.size();
  for (int d = 0; inside && d < shape.size(); ++d)
    inside = patch.lo[d] >= 0 && patch.lo[d] <= patch.hi[d] && patch.hi[d] <= shape[d];
  if (!inside)
    throw Error(ErrorKind::index, "patch " + patch.to_string() + " lies outside " + what);
  for (const std::int64_t step : patch.step)
    if (step != 1)
      throw Error(ErrorKind::value, "patch " + patch.to_string() +
                                        " has steps; disk arrays are "
                                        "moved in whole ranges");
}

/// Before a mirrored array's memory is written: its marks tell what the program has written so far.
void prepare_copy(const ArrayState& array) {
  settle(*array.mirror);
  if (!array.mirror->exposed()) return;
  array.mirror->detect(array);
  array.group.barrier();
}

/// Every node has read the same into its copy: nobody has to tell the others.
void mark_alike(const ArrayState& array, const Patch& patch) {
  array.group.barrier();
  if (array.group.rank() == 0) array.mirror->alike(array, patch);
}

}  // namespace

void DiskArrayState::check(const AnyArray& array, const Patch& array_patch, const Patch& patch,
                           Transpose transpose) const {
  if (array.type() != layout().type)
    throw Error(ErrorKind::type, detail::description(array) + " holds " +
                                     std::string(atoll::name_of(array.type())) + ", " + text() +
                                     " holds " + std::string(atoll::name_of(layout().type)));
  check_section(patch, layout().shape, text());
  check_section(array_patch, array.shape(), detail::description(array));
  Index shape = array_patch.shape();
  if (transpose == Transpose::yes) std::reverse(shape.begin(), shape.end());
  if (shape != patch.shape())
    throw Error(ErrorKind::value,
                "patch " + array_patch.to_string() + " of " + detail::description(array) +
                    " and patch " + patch.to_string() + " of " + text() + " have different shapes");
}

std::shared_ptr<DiskTransfer> DiskArrayState::begin(Direction direction, const AnyArray& array,
                                                    const Patch& array_patch, const Patch& patch,
                                                    Transpose transpose) {
  const char* const operation = name_of(direction);
  // Before the collective frame: an array that is gone has no group.
  require_alive(array, operation);
  const bool into_copies = direction == Direction::read && array.mirrored();
  if (!same_members(group, array.mirrored() ? array.whole_group() : array.group()))
    throw Error(ErrorKind::value,
                detail::description(array) + " and " + text() + " live on different groups")
        .during(operation);
  std::shared_ptr<DiskTransfer> transfer;
  enter_collective(group, operation,
                   hash_of(std::string_view(path), array, array_patch, patch,
                           static_cast<std::uint64_t>(transpose)),
                   [&] {
                     check(array, array_patch, patch, transpose);
                     if (into_copies && description_->nodes > 0)
                       throw Error(ErrorKind::unsupported,
                                   detail::description(array) + " is mirrored and " + text() +
                                       " has a file on each node: read into a distributed array");
                     if (direction == Direction::write && !writes_)
                       throw Error(ErrorKind::state, text() + " is open for reading only");
                     // Here, where all learn of one that has no memory for it.
                     transfer = std::make_shared<DiskTransfer>(
                         DiskTransfer{transfers_ + 1, direction, array.state(), array_patch, patch,
                                      transpose == Transpose::yes, nullptr});
                     transfer->job = job_of(*transfer);
                     under_way_.reserve(under_way_.size() + 1);
                   });
  ++transfers_;
  const Section& section = transfer->job->section();
  for (const auto& before : std::vector(under_way_))
    if ((direction == Direction::write || before->direction == Direction::write) &&
        before->job->section().meets(section)) {
      try {
        wait(*before);
      } catch (const Error&) {
        // Whoever waits for it learns.
      }
    }
  if (into_copies) prepare_copy(*array.state());
  under_way_.push_back(transfer);
  return transfer;
}

std::shared_ptr<SectionJob> DiskArrayState::job_of(const DiskTransfer& transfer) const {
  const std::shared_ptr<const DiskLayout> shared_layout(description_, &description_->layout);
  const AnyArray array(transfer.array);
  const bool writes = transfer.direction == Direction::write;
  const Section section(*shared_layout, transfer.patch, transfer.array_patch, transfer.transposed);
  return std::make_shared<SectionJob>(
      SectionTask{shared_layout,
                  data_,
                  {commit_, &commit_->checksums},
                  log_,
                  transfer.array,
                  transfer.array_patch,
                  transfer.patch,
                  transfer.transposed,
                  transfer.direction,
                  !writes && array.mirrored() ? tiles_of_rank_in_copy(section, group)
                                              : tiles_of_rank(*description_, section, array, group),
                  {.direct = writes && durability != Durability::scratch && !data_->in_memory(),
                   .logged = writes && durability == Durability::in_place},
                  writes && durability == Durability::in_place});
}

void DiskArrayState::end(DiskTransfer& transfer, const std::function<void(SectionJob&)>& work) {
  const char* const operation = name_of(transfer.direction);
  const std::shared_ptr<SectionJob> job = std::exchange(transfer.job, nullptr);
  std::erase_if(under_way_, [&](const auto& other) { return other.get() == &transfer; });
  bool worked = false;
  try {
    Written written;
    move(transfer, [&] {
      worked = true;
      work(*job);
      if (transfer.direction == Direction::write) written = written_by(*job);
    });
    if (transfer.direction == Direction::write) return publish(operation, *job, std::move(written));
    if (transfer.array->mirror != nullptr) mark_alike(*transfer.array, transfer.array_patch);
    leave_collective(group);
  } catch (const Error& error) {
    transfer.failure = std::current_exception();
    if (!worked) job->let_end();  // nobody is to find it under way after this
    if (transfer.direction == Direction::write) unwritten_.add(layout(), job->section(), error);
    throw;
  }
}

void DiskArrayState::move(const DiskTransfer& transfer, const std::function<void()>& work) {
  const char* const operation = name_of(transfer.direction);
  try {
    return enter_collective(group, operation, transfer.number, work);
  } catch (const Error& error) {
    if (transfer.direction == Direction::write || error.error_number() != EBADMSG || writes_) throw;
  }
  // Somebody may have written since, or be writing now.
  again_while_written(operation, [&] {
    enter_collective(group, operation, transfer.number, [&] { job_of(transfer)->run_here(); });
  });
}

void DiskArrayState::wait(DiskTransfer& transfer) {
  if (transfer.job != nullptr) return end(transfer, [](SectionJob& job) { job.wait(); });
  if (transfer.failure != nullptr) std::rethrow_exception(transfer.failure);
}

std::exception_ptr DiskArrayState::end_all() {
  std::exception_ptr first;
  for (const auto& transfer : std::vector(under_way_)) {
    try {
      wait(*transfer);
    } catch (const Error&) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  return first;
}

DiskArrayState::Written DiskArrayState::written_by(const SectionJob& job) {
  const auto tiles = static_cast<std::size_t>(job.section().tiles());
  Written written{std::vector<std::int64_t>(tiles), std::vector<TileChecksum>(tiles)};
  for (const WrittenTile& tile : job.written())
    written.checksums[static_cast<std::size_t>(tile.place)] = tile.checksum;
  return written;
}

void DiskArrayState::publish(const char* operation, const SectionJob& job, Written written) {
  const Section& section = job.section();
  if (!job.written().empty()) unsynced_ = true;
  group.reduce(std::span(written.checksums));
  for (std::size_t i = 0; i < written.changes.size(); ++i)
    written.changes[i] = {section.tile(static_cast<std::int64_t>(i)),
                          static_cast<std::uint32_t>(written.checksums[i])};
  commit(operation, written.changes);
  unwritten_.remove(section);
}

}  // namespace lagoon::atoll::detail
