// MergeJob: one rank's part of a merge, moved on by `poll` until it is done. It sends, receives and
// combines parcels in the order of their numbers, a few at a time; as all ranks have that order,
// the parcel with the lowest number always moves on, and nobody waits in a circle.
//
// A peer may be behind: it computes, or its earlier jobs are not done. What lies unread there is
// bounded (unread.hpp): jobs of a rank begin in the order in which they were made, and only a few
// are under way; and of those parcels of which a peer gets the same, a contribution or a result,
// only the first few send theirs. Sends are synchronous, so that one that is over has been read.
#pragma once

#include <exception>
#include <list>
#include <memory>
#include <set>
#include <vector>

#include "array/array_state.hpp"
#include "array/mirror/combine.hpp"
#include "array/mirror/merge_plan.hpp"
#include "array/mirror/mirror_memory.hpp"
#include "mpi/handles.hpp"

namespace lagoon::atoll::detail {

/// What the parcels of a job are for.
struct MergeTask {
  std::shared_ptr<ArrayState> array;   ///< mirrored
  std::shared_ptr<ArrayState> target;  ///< of a merge into a distributed array; else null
  Index shift;                         ///< what to add to a position to have it in the target
  Combiner combiner;
  std::vector<Parcel> parcels;
};

class MergeJob final : public Chore {
 public:
  explicit MergeJob(MergeTask task);
  ~MergeJob() override;

  bool done() const noexcept override { return finished_; }
  bool has_function() const noexcept override { return task_.combiner.one_after_the_other(); }
  /// Whether the array and its world are still there.
  bool alive() const noexcept { return task_.array->alive(); }
  /// Whether all ranks of my node have done their parts.
  bool settled() const noexcept;
  /// Throws what the user's function threw, once.
  void rethrow();

 private:
  struct Active;
  using Buffer = NodeGroup::Buffer;

  bool take_turn() override;
  bool move_parcels();
  std::string_view name() const noexcept override { return "merge"; }
  bool may_begin();
  bool may_begin(const Parcel& parcel) const;
  bool spread(Active& parcel);
  bool move_on(Active& parcel);
  bool test_requests();
  bool exchange_receipts();
  /// Whether the node is sent the parcel's result: it needs it and does not have it.
  bool gets_result(const Parcel& parcel, int node) const;
  Buffer new_buffer();
  void begin(Active& parcel);
  void combine(Active& parcel);
  void fold(std::byte* sum, const std::byte* data, std::int64_t elements);
  void deliver(Active& parcel);
  std::byte* load(const Parcel& parcel, Buffer& buffer);
  void store(const Parcel& parcel, const std::byte* data);
  std::byte* piece_of(const Parcel& parcel) const;
  void renew(const Parcel& parcel);
  int peer(const Parcel& parcel, int node) const;
  /// Messages of the phase to the node that may be unread there.
  std::ptrdiff_t unread_at(int node, int phase) const;
  template <class Start, class Data>
  void start(Start with, Active& active, int node, int phase, Data* data);

  MergeTask task_;
  Mirror& mirror_;
  NodeGroup& nodes_;
  WorldState& world_;
  MirrorMemory source_;
  std::uint64_t job_;
  std::uint64_t turn_;  // among all jobs of this rank
  bool begun_ = false;
  std::size_t next_ = 0;  // parcel to begin
  std::list<Active> active_;
  std::vector<int> results_;  // by node: parcels so far in a turn whose result goes there
  // Peers whose data I am to confirm, and those that are to confirm mine.
  std::set<int> senders_, receivers_;
  std::vector<mpi::Request> receipts_;
  // Of `test_requests`, which is called so often that it should not allocate.
  std::vector<mpi::Request*> places_;
  std::vector<mpi::Request> requests_;
  std::vector<int> indices_;
  std::exception_ptr failure_;
  bool confirming_ = false;
  bool finished_ = false;
  bool taking_turn_ = false;
};

/// The patch so many steps further on in each dimension, or back.
Patch shifted(Patch patch, const Index& shift, int sign = 1);

/// Waits until the node's ranks have done their parts of all merges of the array begun so far.
void settle(const Mirror& mirror);

}  // namespace lagoon::atoll::detail
