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
  /// The same as an answer, for what another thread can do as well.
  static bool permits() noexcept { return !restricted_ || is_main_thread(); }
  /// Whether threads may call MPI one after the other only.
  static bool serialized() noexcept { return serialized_; }

 private:
  static void check_thread();
  static bool is_main_thread() noexcept;
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

/// The same as an attempt: false, at once, for a thread that may not call MPI now.
class MpiTurn {
 public:
  MpiTurn() noexcept : permitted_(ThreadRule::permits()) {
    if (permitted_ && ThreadRule::serialized()) permitted_ = entered_ = try_enter();
  }
  MpiTurn(const MpiTurn&) = delete;
  MpiTurn& operator=(const MpiTurn&) = delete;
  ~MpiTurn() {
    if (entered_) leave();
  }
  explicit operator bool() const noexcept { return permitted_; }

 private:
  static bool try_enter() noexcept;
  static void leave() noexcept;
  bool permitted_;
  bool entered_ = false;
};

}  // namespace lagoon::atoll::detail
