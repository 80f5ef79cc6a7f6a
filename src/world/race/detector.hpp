// Detector: finds accesses of two ranks to the same elements that nothing orders. There only with
// ATOLL_CHECK=race; everybody who tells it something asks for a null pointer first.
//
// Each rank notes what it does (AccessLog) and what orders it with others (Event). When all ranks
// of the World have fenced and met, all before is ordered with all after: then, if anybody has
// written, they exchange what they have noted, each searches it (search.hpp), and they begin anew.
// What is ordered is what docs/memory-model.md says, whatever nodes the ranks are on. Any thread
// may call.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "atoll/races.hpp"
#include "mpi/handles.hpp"
#include "world/race/access_log.hpp"
#include "world/race/buffers.hpp"
#include "world/race/clocks.hpp"
#include "world/race/lent_memory.hpp"
#include "world/race/search.hpp"
#include "world/race/sites.hpp"

namespace lagoon::atoll::detail {

class WorldState;

namespace race {

class Detector {
 public:
  Detector(const Detector&) = delete;
  Detector& operator=(const Detector&) = delete;
  static inline Detector* running = nullptr;  ///< null unless it runs
  static void start(WorldState& world);
  static void stop() noexcept;  ///< harmless where none runs

  // Arrays.
  void begin_life(const Place& place, const std::string& description);
  void end_life(std::uint64_t group, std::uint64_t sequence);
  /// Of an array whose blocks have words for tickets behind them.
  void has_tickets(std::uint64_t group, std::uint64_t sequence);
  bool with_tickets(std::uint64_t group, std::uint64_t sequence);

  // Accesses of this thread's program: none inside the library's own collective calls.
  static bool inside_library() noexcept { return inside_ > 0; }
  struct Use {
    Place place;
    Kind kind;
    std::int32_t target = Access::several_targets;  // world rank
    Bytes bytes{};
  };
  void access(const Use& use, const Patch& patch);
  /// Elements in row-major order of `dimensions` coordinates each.
  void access(const Use& use, std::vector<Index> positions);
  /// One that its caller waits for by `operation`; of the buffer see Buffers.
  void begin_access(const Use& use, const Patch& patch, const Buffer& buffer,
                    const void* operation);
  void waited(const void* operation);  ///< is called before its buffer goes back
  /// A blocking one uses this buffer.
  void use_buffer(const Use& use, const Patch& patch, const Buffer& buffer);
  void lend(Lent block);

  // What orders ranks.
  static void tell_fence() {
    if (running != nullptr) running->fenced();
  }
  void fenced();
  void fenced(int target);
  void met(std::uint64_t object, int members);
  void release(std::uint64_t object, std::int64_t ticket);
  void acquire(std::uint64_t object, std::int64_t ticket);

  /// While it lives this thread's meetings order nobody: a program cannot rely on them, as they are
  /// made for other reasons.
  class Unordered {
   public:
    Unordered() noexcept { ++depth_; }
    Unordered(const Unordered&) = delete;
    Unordered& operator=(const Unordered&) = delete;
    ~Unordered() { --depth_; }

   private:
    friend class Detector;
    static inline thread_local int depth_ = 0;
  };

  /// This thread comes from the program into a collective call of the library, and goes back.
  void enter_library();
  void leave_library();

  // All ranks of the World.
  /// Whether this rank has something to exchange; said in each meeting.
  bool has_news();
  void heard(bool news) noexcept { news_ = news; }
  /// All have fenced and met. Collective over the World's ranks, in `communicator`.
  void synchronise(mpi::Comm communicator);
  /// The first rank says how much has been found.
  void tell_end();

  std::vector<Race> races();
  Sites& sites() noexcept { return sites_; }

 private:
  explicit Detector(WorldState& world);
  struct Misuse {  // of a buffer
    BufferUse first, second;
  };
  struct Told;
  Time now() const noexcept { return static_cast<Time>(events_.size()); }
  void note(Event::Kind kind, std::uint64_t object = 0, std::int64_t number = 0);
  std::size_t add(Access access, bool may_join);
  Access made(const Use& use, const Box& box, std::uint64_t site) const;
  std::uint64_t site();
  void misuse(const BufferUse& first, const BufferUse& second);
  void begin_anew();
  std::vector<std::int64_t> statement() const;
  template <class T>
  std::vector<std::vector<T>> exchange(const std::vector<T>& mine, mpi::Comm communicator);
  void judge(const std::vector<std::vector<std::int64_t>>& all, mpi::Comm communicator);
  void tell(const std::vector<Told>& fresh, mpi::Comm communicator);
  std::string description_of(const Place& place) const;

  WorldState& world_;
  Sites sites_;
  static thread_local int inside_;
  bool news_ = false;

  std::mutex mutex_;  // guards all below
  AccessLog log_;
  std::vector<Event> events_;
  Buffers buffers_;
  LentMemory lent_;
  std::vector<Misuse> misuses_;
  std::map<Place, std::string> descriptions_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> ticketed_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> gone_;
  std::uint64_t interval_ = 0;
  bool unfenced_ = false;  // there is something that a fence would complete
  bool overrun_ = false;   // too many events: this interval is not judged
  std::uint64_t intervals_lost_ = 0, accesses_lost_ = 0;
  std::set<std::tuple<std::uint64_t, Kind, std::uint64_t, Kind>> told_;
  std::vector<Race> races_;
};

}  // namespace race
}  // namespace lagoon::atoll::detail
