// ThreadRule: which threads may call MPI, by the level of threads that it was started with.
#pragma once

namespace lagoon::atoll::detail {

class ThreadRule {
 public:
  /// By the thread that starts the World.
  static void start() noexcept;
  /// Error(state) for a thread that may not call MPI: where that was started without threads, or
  /// funneled, any but the one that has started it.
  static void check() {
    if (restricted_) check_thread();
  }
  /// Whether threads may call MPI one after the other only.
  static bool serialized() noexcept { return serialized_; }

 private:
  static void check_thread();
  static bool restricted_, serialized_;
};

/// A call that uses MPI, of a thread that may: Error(state) where MPI wants one at a time and
/// another thread is in such a call.
class MpiCall {
 public:
  MpiCall() {
    ThreadRule::check();
    if (ThreadRule::serialized()) enter();
  }
  MpiCall(const MpiCall&) = delete;
  MpiCall& operator=(const MpiCall&) = delete;
  ~MpiCall() {
    if (entered_) leave();
  }

 private:
  void enter();
  static void leave() noexcept;
  bool entered_ = false;
};

}  // namespace lagoon::atoll::detail
