// Window: one of the program's windows on Atoll's memory. Every rank's part is a block of one
// Memory, behind some words of ours; the program's handle is a window of MPI's of this rank alone,
// on the same bytes where MPI can, through which nothing goes.
//
// One thread at a time, by the library's lock. What fails throws `Refused`.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "array/memory_state.hpp"
#include "ghost/ghost.hpp"
#include "ghost/windows/layout.hpp"
#include "ghost/windows/lock_word.hpp"
#include "ghost/windows/request.hpp"
#include "ghost/windows/turn.hpp"
#include "transport/wire.hpp"

namespace lagoon::atoll::ghost {

/// An error of the program's, for the window's error handler, and in words what is wrong where the
/// class of MPI's error does not say it.
struct Refused : std::exception {
  explicit Refused(int of_mpi, std::string in_words = {}) noexcept
      : code(of_mpi), words(std::move(in_words)) {}
  const char* what() const noexcept override { return words.c_str(); }
  int code;
  std::string words;
};
/// The node's memory has no room for a window. All its ranks get it.
struct NoRoom : std::exception {
  const char* what() const noexcept override { return "no room for a window"; }
};

/// The words at the start of every block.
struct Control {
  LockWord lock;
  std::int32_t completed = 0;  // origins that have ended their access to me
  std::int32_t unused[9] = {};
  std::int32_t heard[32] = {};  // of meetings, in each round of one
  // Behind: for every rank of the window, how often it has granted me access that I have not used.
};
static_assert(sizeof(Control) == 192);

/// The program's side of a transfer.
struct Buffer {
  std::byte* data;
  const Layout& layout;  // of all elements
};

class Window {
 public:
  /// Makes the program's handle for this rank's bytes, or throws.
  using MakeHandle = std::function<MPI_Win(std::byte* base)>;
  /// Collective over the communicator, whose members the group has in its order: bytes and unit of
  /// displacement of this rank. What one rank gives wrong is refused on all alike. Throws `NoRoom`.
  Window(MPI_Comm communicator, const Group& group, std::int64_t bytes, MPI_Aint unit,
         const MakeHandle& make_handle);
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  /// Collective, one after the other: no epoch is open and my operations are complete, and all have
  /// come; the memory goes.
  std::unique_ptr<Turn> prepare_to_free();
  void free();

  MPI_Win handle() const noexcept { return handle_; }
  /// Of the program's communicator.
  MPI_Group members() const noexcept { return members_; }
  std::byte* base() const noexcept { return base_; }
  int size() const noexcept { return static_cast<int>(units_.size()); }
  std::int64_t bytes(int rank) const {
    return memory_->bytes[static_cast<std::size_t>(rank)] - control_bytes_;
  }
  int unit(int rank) const { return units_[static_cast<std::size_t>(rank)]; }
  /// Its part as memory of this process; null where it is on another node.
  std::byte* address(int rank) const;

  // Operations (operations.cpp). Complete after `complete`; before, buffers of the program's are
  // read or written.
  void put(const Buffer& origin, int rank, MPI_Aint place, const Layout& target);
  void get(const Buffer& result, int rank, MPI_Aint place, const Layout& target);
  /// `operation` is a number of predefined.hpp; `result` may be null. Origin and target have whole
  /// elements, gaps included, the result has not.
  void accumulate(const Buffer& origin, const Buffer* result, int rank, MPI_Aint place,
                  const Layout& target, int operation);
  void compare_and_swap(const void* origin, const void* compare, void* result, int type, int rank,
                        MPI_Aint place);

  // Synchronisation (synchronization.cpp).
  void fence(int assertion);
  void start(const std::vector<int>& ranks, int assertion);
  void end_access();
  void post(const std::vector<int>& ranks, int assertion);
  /// Whether all have ended their access; with `wait`, when they have.
  bool end_exposure(bool wait);
  void lock(int type, int rank, int assertion);
  void unlock(int rank);
  void lock_all(int assertion);
  void unlock_all();
  void flush(int rank, bool local);
  void flush_all(bool local);
  void sync();
  /// `operate()` begins an operation on the rank that is this request's. Refused outside lock,
  /// lock_all, but to MPI_PROC_NULL, where nothing is to be done.
  template <class Operate>
  void by_request(int rank, MPI_Request* handle, Operate&& operate);

 private:
  struct Pending {
    int rank;
    Handle handle;
    std::unique_ptr<std::byte[]> packed;  // what travels in the place of the program's buffer
    std::function<void()> finish;
    std::shared_ptr<Request> request;  // which then does the latter two by itself

    bool done() const noexcept { return request != nullptr ? request->over() : handle.done(); }
    void complete();
  };
  /// What I have of a rank's lock. `unchecked`: the program says that nobody else locks it.
  enum class Lock : std::uint8_t { none, unchecked, shared, exclusive };

  std::int64_t offset_of(int rank, MPI_Aint place, const Layout& target) const;
  void begin(int rank);
  void remember(int rank, Handle handle, std::unique_ptr<std::byte[]> packed,
                std::function<void()> finish);
  void finish(int rank);  // locally; of all ranks: any_rank
  static constexpr int any_rank = -1;
  void end_request();

  std::shared_ptr<atoll::detail::Operation> new_operation(bool background) const;
  bool goes_alone(atoll::detail::Action action, std::int64_t bytes);
  Handle transfer(atoll::detail::Action action, const MemorySection& section, std::byte* data,
                  const Index& strides);
  Handle transfer_strips(atoll::detail::Action action, int rank, std::int64_t offset,
                         const Layout& target, std::byte* packed);
  Handle update(int rank, const atoll::detail::UpdateKind& kind,
                std::span<const atoll::detail::UpdateRun> runs, const std::byte* operands,
                std::byte* old);
  bool add_streamed(const Buffer& origin, int rank, std::int64_t offset, const Layout& target);

  LockWord ask(int rank, const LockRequest& request);
  void tell(int rank, const LockRequest& request);
  void take(int rank, bool exclusive);
  void release(int rank);
  void add_to_counter(int rank, std::int64_t offset, std::int32_t more);
  std::int32_t counter(std::int64_t offset) const;
  std::int64_t grants_from(int rank) const noexcept {
    return static_cast<std::int64_t>(sizeof(Control)) + 4 * static_cast<std::int64_t>(rank);
  }
  void complete(int rank);
  void require_passive(int rank) const;
  bool passive(int rank) const { return all_locked_ || lock_of(rank) != Lock::none; }
  Lock lock_of(int rank) const { return locks_[static_cast<std::size_t>(rank)]; }
  void set_lock(int rank, Lock lock);

  const Group& group() const noexcept { return memory_->group; }
  void meet();

  const std::int64_t control_bytes_;
  std::vector<int> units_;
  MPI_Win handle_ = MPI_WIN_NULL;
  std::unique_ptr<atoll::detail::MemoryState> memory_;
  std::byte* base_ = nullptr;
  MPI_Group members_ = MPI_GROUP_NULL;
  std::vector<Pending> pending_;
  bool writes_under_way_ = false;     // or maybe so: to other nodes, since a flush
  std::shared_ptr<Request> request_;  // to which belongs what begins

  // Epochs.
  std::uint32_t meetings_ = 0;
  bool fenced_ = false;
  bool all_locked_ = false, all_unchecked_ = false;
  std::vector<Lock> locks_;   // of all ranks
  std::vector<int> locked_;   // those with one, also by lock_all
  std::vector<int> started_;  // ranks that I may access
  bool in_access_ = false, in_exposure_ = false;
  std::int32_t expected_ = 0;  // origins to which I have granted access
};

template <class Operate>
void Window::by_request(int rank, MPI_Request* handle, Operate&& operate) {
  *handle = MPI_REQUEST_NULL;
  if (rank != MPI_PROC_NULL) {
    require_passive(rank);
    begin(rank);  // lets other threads in, before what begins is mine
  }
  request_ = Request::start(handle);
  try {
    operate();
    end_request();
  } catch (...) {
    end_request();
    finish(any_rank);
    PMPI_Request_free(handle);
    throw;
  }
  // Without threads it would stand still outside of our calls.
  if (!threads_allowed() && rank != MPI_PROC_NULL) finish(rank);
}

}  // namespace lagoon::atoll::ghost
