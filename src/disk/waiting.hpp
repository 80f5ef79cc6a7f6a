// Waiting: how whoever moves tiles waits. The rank's own thread serves requests of others
// meanwhile; the worker thread must not, it sleeps.
#pragma once

#include <functional>

#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

class Waiting {
 public:
  Waiting() = default;
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  virtual ~Waiting() = default;
  virtual void until(const std::function<bool()>& ready) = 0;
  /// Between two tiles.
  virtual void look() = 0;
};

/// The rank's own thread.
class Serving final : public Waiting {
 public:
  void until(const std::function<bool()>& ready) override { WorldState::get().wait_until(ready); }
  void look() override { (void)WorldState::get().serve(); }
};

}  // namespace lagoon::atoll::detail
