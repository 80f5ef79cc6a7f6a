// The contenders and their partner.
#include "remote.hpp"

namespace bench {

Remote::Remote(atoll::World& world, std::int64_t largest)
    : world_(world),
      messages_(world.communicator(), largest),
      pair_(world.communicator(), {[this](std::int64_t) { world_.barrier(); },
                                   [this](std::int64_t n) { messages_.round_trips(bytes_, n); },
                                   [this](std::int64_t n) { messages_.stream(1, bytes_, n); },
                                   [this](std::int64_t n) { messages_.stream(0, bytes_, n); },
                                   [this](std::int64_t bytes) { bytes_ = bytes; }}) {}

void Remote::set_bytes(std::int64_t bytes) {
  pair_.ask(take_size, bytes);
  bytes_ = bytes;
}

Contender Remote::ping_pong() {
  return {[this](std::int64_t n) { messages_.round_trips(bytes_, n); },
          [this](std::int64_t n) { pair_.ask(round_trips, n); }};
}

Contender Remote::stream(int to) {
  return {[this, to](std::int64_t n) { messages_.stream(to, bytes_, n); },
          [this, to](std::int64_t n) { pair_.ask(to == 1 ? stream_to_one : stream_to_zero, n); }};
}

}  // namespace bench
