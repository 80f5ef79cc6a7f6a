// MergeJob: the life of a parcel.
//
// At its home: receive all contributions, combine, store, send the result to those who need it.
// Elsewhere: send mine if I contribute, receive the result if I need it, store it. Data go straight
// from and into the array where the parcel lies in one piece.
//
// A rank may compute as soon as its part is done, and then no MPI call pushes out what MPI has
// accepted. Open MPI calls even a synchronous send complete whose last word it still holds. So the
// part is over when the peers have said that everything has arrived: by the result where there is
// one, else by a receipt, the last message between two ranks.
#include "array/mirror/merge_job.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <exception>
#include <utility>

#include "mpi/face.hpp"
#include "world/copy_bytes.hpp"
#include "world/function_turn.hpp"
#include "world/group_state.hpp"
#include "world/unread.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr int contribution = 0, result = 1;  // phases

bool completed(const std::vector<mpi::Request>& requests) {
  return std::all_of(requests.begin(), requests.end(),
                     [](mpi::Request request) { return request == mpi::request_null; });
}

}  // namespace

struct MergeJob::Active {
  enum class Stage : std::uint8_t { gathering, spreading, contributing, waiting, done };
  explicit Active(const Parcel& p) : parcel(p) {}
  const Parcel& parcel;
  Stage stage = Stage::gathering;
  std::vector<mpi::Request> requests;
  std::vector<int> nodes;        // that they send to; -1: they receive
  std::vector<Buffer> received;  // from the contributors but me, in their order; others behind
  Buffer own;                    // packed contribution, or the result
  std::byte* target = nullptr;   // where the result arrives: in the array, if in one piece
  // At home: the nodes that get the result, those of them that have not been sent it, and what it
  // is once all contributions are here.
  std::vector<int> receivers, unsent;
  const std::byte* sum = nullptr;
};

MergeJob::MergeJob(MergeTask task)
    : task_(std::move(task)),
      mirror_(*task_.array->mirror),
      nodes_(*mirror_.nodes),
      world_(mirror_.whole.state()->world()),
      source_(*task_.array),
      job_(mirror_.nodes->take_job()),
      turn_(world_.merges.made++),
      results_(static_cast<std::size_t>(nodes_.nodes())) {}

MergeJob::~MergeJob() = default;

MergeJob::Buffer MergeJob::new_buffer() {
  return nodes_.take_buffer(static_cast<std::size_t>(MergePlan::largest_parcel(nodes_.nodes())));
}

bool MergeJob::settled() const noexcept { return finished_ && mirror_.settled(); }

void MergeJob::rethrow() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void settle(const Mirror& mirror) {
  if (!mirror.settled()) mirror.whole.state()->world().wait_until([&] { return mirror.settled(); });
}

Patch shifted(Patch patch, const Index& shift, int sign) {
  for (int d = 0; d < shift.size(); ++d) {
    patch.lo[d] += sign * shift[d];
    patch.hi[d] += sign * shift[d];
  }
  return patch;
}

// What fails here ends the run: the peers wait for messages of this part, and so would for ever.
bool MergeJob::take_turn() {
  if (finished_ || taking_turn_) return false;
  taking_turn_ = true;  // the user's function may come here again
  const struct Leaving {
    bool& taking_turn;
    ~Leaving() { taking_turn = false; }
  } leaving{taking_turn_};
  const FunctionTurn turn(has_function());
  return turn && move_parcels();
}

bool MergeJob::move_parcels() {
  const auto most = std::max<std::size_t>(8, 2 * static_cast<std::size_t>(nodes_.nodes()));
  if (!may_begin()) return false;
  bool moved = test_requests();
  std::ranges::fill(results_, 0);
  for (auto parcel = active_.begin(); parcel != active_.end();) {
    moved = spread(*parcel) || moved;
    moved = move_on(*parcel) || moved;
    parcel = parcel->stage == Active::Stage::done ? active_.erase(parcel) : std::next(parcel);
  }
  while (next_ < task_.parcels.size() && active_.size() < most) {
    const Parcel& parcel = task_.parcels[next_];
    if (!may_begin(parcel)) break;
    begin(active_.emplace_back(parcel));
    ++next_;
    moved = true;
  }
  if (active_.empty() && next_ == task_.parcels.size()) moved = exchange_receipts() || moved;
  return moved;
}

/// In the order of the rank's jobs, a few at a time.
bool MergeJob::may_begin() {
  if (begun_) return true;
  auto& [made, begun, over] = world_.merges;
  if (turn_ != begun || begun - over == unread::merges || !nodes_.may_begin(job_)) return false;
  ++begun;
  begun_ = true;
  return true;
}

bool MergeJob::may_begin(const Parcel& parcel) const {
  // Else two messages of one tag might be under way.
  if (!active_.empty() && parcel.number - active_.front().parcel.number >= nodes_.window())
    return false;
  if (parcel.home == nodes_.my_node() || !parcel.contributes(nodes_.my_node())) return true;
  return std::ranges::count_if(active_, [&](const Active& other) {
           return other.stage == Active::Stage::contributing && other.parcel.home == parcel.home;
         }) < unread::contributions;
}

/// One call for all that is under way: each call has MPI look at the network, which takes longer
/// than all the rest.
bool MergeJob::test_requests() {
  places_.clear();
  requests_.clear();
  const auto add = [&](std::vector<mpi::Request>& some) {
    for (mpi::Request& request : some) {
      if (request == mpi::request_null) continue;
      places_.push_back(&request);
      requests_.push_back(request);
    }
  };
  for (Active& parcel : active_) add(parcel.requests);
  add(receipts_);
  if (requests_.empty()) return false;
  indices_.resize(requests_.size());
  int done = 0;
  check_mpi(
      mpi::testsome(static_cast<int>(requests_.size()), requests_.data(), &done, indices_.data()),
      "MPI_Testsome");
  for (int i = 0; i < done; ++i)
    *places_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])] = mpi::request_null;
  return done > 0;
}

/// My parcels are done. True when something moved; at last the job is finished.
bool MergeJob::exchange_receipts() {
  const bool begins = !std::exchange(confirming_, true);
  if (begins) {
    const int tag = nodes_.tag_of_receipt(job_);
    for (const int rank : receivers_)
      check_mpi(mpi::irecv(nullptr, 0, mpi::type_byte, rank, tag, nodes_.peers(),
                           &receipts_.emplace_back(mpi::request_null)),
                "MPI_Irecv");
    for (const int rank : senders_)
      check_mpi(mpi::isend(nullptr, 0, mpi::type_byte, rank, tag, nodes_.peers(),
                           &receipts_.emplace_back(mpi::request_null)),
                "MPI_Isend");
  }
  if (!completed(receipts_)) return begins;
  finished_ = true;
  ++world_.merges.over;
  nodes_.finish(job_);
  mirror_.finish_part();
  return true;
}

bool MergeJob::gets_result(const Parcel& parcel, int node) const {
  // Alone and unchanged, a contribution is the result.
  const bool has_it = task_.combiner.zero_is_neutral() && parcel.contributors->size() == 1 &&
                      parcel.contributes(node);
  return task_.target == nullptr && node != parcel.home && !has_it;
}

int MergeJob::peer(const Parcel& parcel, int node) const {
  return nodes_.rank_in_lane(node, parcel.lane);
}

/// Begins a message to the node, by MPI_Issend, or from it, by MPI_Irecv.
template <class Start, class Data>
void MergeJob::start(Start with, Active& active, int node, int phase, Data* data) {
  const Parcel& parcel = active.parcel;
  const bool sends = (parcel.home == nodes_.my_node()) == (phase == result);
  active.nodes.push_back(sends ? node : -1);
  check_mpi(with(data, static_cast<int>(parcel.bytes), mpi::type_byte, peer(parcel, node),
                 nodes_.tag(job_, parcel.number, phase), nodes_.peers(),
                 &active.requests.emplace_back(mpi::request_null)),
            "MPI_Issend or MPI_Irecv");
  assert(world_.merges.begun - world_.merges.over <= unread::merges);
  assert(!sends ||
         unread_at(node, phase) <= (phase == result ? unread::results : unread::contributions));
}

std::ptrdiff_t MergeJob::unread_at(int node, int phase) const {
  std::ptrdiff_t count = 0;
  for (const Active& active : active_) {
    if ((active.parcel.home == nodes_.my_node()) != (phase == result)) continue;
    for (std::size_t i = 0; i < active.requests.size(); ++i)
      count += active.nodes[i] == node && active.requests[i] != mpi::request_null ? 1 : 0;
  }
  return count;
}

/// Where the parcel lies in one piece in my node's copy, if it does; else null.
std::byte* MergeJob::piece_of(const Parcel& parcel) const {
  return parcel.boxes.size() == 1 ? source_.contiguous(parcel.boxes.front()) : nullptr;
}

/// Where the parcel's contribution lies packed; copied to `buffer` if need be.
std::byte* MergeJob::load(const Parcel& parcel, Buffer& buffer) {
  if (std::byte* const piece = piece_of(parcel)) return piece;
  buffer = new_buffer();
  std::byte* to = buffer.get();
  for (const Patch& box : parcel.boxes) {
    source_.pack(box, to);
    to += static_cast<std::size_t>(box.elements()) * task_.array->element_bytes;
  }
  return buffer.get();
}

void MergeJob::store(const Parcel& parcel, const std::byte* data) {
  const MirrorMemory memory(task_.target != nullptr ? *task_.target : *task_.array);
  for (const Patch& box : parcel.boxes) {
    memory.unpack(shifted(box, task_.shift), data);
    data += static_cast<std::size_t>(box.elements()) * task_.array->element_bytes;
  }
}

/// The tiles' new fingerprints; of a tile in several parcels, all mine, the last one's lasts.
void MergeJob::renew(const Parcel& parcel) {
  if (!mirror_.exposed()) return;
  for (const Patch& box : parcel.boxes)
    mirror_.tiling.for_each_run(box, [&](std::int64_t first, std::int64_t last) {
      mirror_.renew(*task_.array, first, last);
    });
}

void MergeJob::begin(Active& active) {
  const Parcel& parcel = active.parcel;
  const int me = nodes_.my_node();
  active.target = task_.target == nullptr ? piece_of(parcel) : nullptr;
  if (parcel.home == me) {
    for (const int node : *parcel.contributors) {
      if (node == me) continue;
      active.received.push_back(new_buffer());
      start(mpi::irecv, active, node, contribution, active.received.back().get());
      if (!gets_result(parcel, node)) senders_.insert(peer(parcel, node));
    }
    for (int node = 0; node < nodes_.nodes(); ++node)
      if (gets_result(parcel, node)) active.receivers.push_back(node);
    active.stage = Active::Stage::gathering;
    return;
  }
  if (parcel.contributes(me)) {
    start(mpi::issend, active, parcel.home, contribution, load(parcel, active.own));
    if (!gets_result(parcel, me)) receivers_.insert(peer(parcel, parcel.home));
    active.stage = Active::Stage::contributing;
  } else {
    active.stage = Active::Stage::waiting;
    deliver(active);
  }
}

/// Begins to receive the result, or finds that I need none.
void MergeJob::deliver(Active& active) {
  const Parcel& parcel = active.parcel;
  if (!gets_result(parcel, nodes_.my_node())) {
    active.stage = Active::Stage::done;
    return;
  }
  if (active.target == nullptr) {
    if (active.own == nullptr) active.own = new_buffer();
    active.target = active.own.get();
  }
  start(mpi::irecv, active, parcel.home, result, active.target);
  senders_.insert(peer(parcel, parcel.home));
  active.stage = Active::Stage::waiting;
}

/// Sends the result to those nodes whose turn it is. Counts the parcel for those behind it.
bool MergeJob::spread(Active& active) {
  if (active.parcel.home != nodes_.my_node()) return false;
  const auto sent = std::erase_if(active.unsent, [&](int node) {
    if (results_[static_cast<std::size_t>(node)] >= unread::results) return false;
    start(mpi::issend, active, node, result, active.sum);
    receivers_.insert(peer(active.parcel, node));
    return true;
  });
  for (const int node : active.receivers) ++results_[static_cast<std::size_t>(node)];
  return sent > 0;
}

bool MergeJob::move_on(Active& active) {
  if (!active.unsent.empty() || !completed(active.requests)) return false;
  active.requests.clear();
  active.nodes.clear();
  const Parcel& parcel = active.parcel;
  switch (active.stage) {
    case Active::Stage::gathering: combine(active); break;
    case Active::Stage::contributing: deliver(active); break;
    case Active::Stage::waiting:
      if (active.target == active.own.get()) store(parcel, active.target);
      renew(parcel);
      active.stage = Active::Stage::done;
      break;
    case Active::Stage::spreading: active.stage = Active::Stage::done; break;
    case Active::Stage::done: break;
  }
  if (active.stage == Active::Stage::done) nodes_.give_back(std::move(active.own));
  return true;
}

/// When the user's function throws, the others get what there is; this rank's `wait` throws.
void MergeJob::fold(std::byte* sum, const std::byte* data, std::int64_t elements) {
  try {
    task_.combiner.fold(sum, data, elements);
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
}

/// All contributions are here: combines them, stores the result and sends it to the others.
void MergeJob::combine(Active& active) {
  const Parcel& parcel = active.parcel;
  const Combiner& combiner = task_.combiner;
  const int me = nodes_.my_node(), n = nodes_.nodes();
  const auto bytes = static_cast<std::size_t>(parcel.bytes);
  const auto elements = static_cast<std::int64_t>(bytes / task_.array->element_bytes);
  std::byte* const place = active.target;
  std::byte* const mine = parcel.contributes(me) ? load(parcel, active.own) : nullptr;
  // What merge_into combines stays as it is.
  const bool mine_is_to_stay = mine != nullptr && mine != place && active.own == nullptr;
  std::vector<std::byte*> data(static_cast<std::size_t>(n));
  std::size_t next = 0;
  for (const int node : *parcel.contributors)
    data[static_cast<std::size_t>(node)] = node == me ? mine : active.received[next++].get();
  const auto spare = [&] { return active.received.emplace_back(new_buffer()).get(); };
  const auto zeros = [&] { return static_cast<std::byte*>(std::memset(spare(), 0, bytes)); };
  std::byte* sum = fold_contributions(
      0, n, combiner, [&](int node) { return data[static_cast<std::size_t>(node)]; },
      [&](std::byte* into, std::byte* with) {
        if (with != nullptr && with == place && !combiner.one_after_the_other()) {
          combiner.fold(with, into, elements, false);  // saves copying the sum there
          return with;
        }
        if (into == mine && mine_is_to_stay) {
          into = spare();
          copy_bytes(into, mine, bytes);
        }
        fold(into, with, elements);
        return into;
      },
      zeros);
  if (sum == nullptr) sum = zeros();
  if (sum != place) store(parcel, sum);
  if (task_.target == nullptr) renew(parcel);
  active.sum = sum;
  active.unsent = active.receivers;
  active.stage = task_.target == nullptr ? Active::Stage::spreading : Active::Stage::done;
  for (Buffer& buffer : active.received) {
    if (buffer.get() == sum) std::swap(buffer, active.own);  // stays until it is sent
    nodes_.give_back(std::move(buffer));
  }
  active.received.clear();
}

}  // namespace lagoon::atoll::detail
