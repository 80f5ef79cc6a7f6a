// What TCGMSG keeps while it runs: from the first pbeginf or GA_Initialize to the last pend or
// GA_Terminate.
#pragma once

#include "atoll/counter.hpp"
#include "atoll/world.hpp"
#include "compat/tcgmsg/messages.hpp"

namespace lagoon::atoll::tcgmsg {

class Session {
 public:
  /// Error(state) where none runs.
  static Session& get();
  static bool running() noexcept;
  /// Collective. Each start needs its stop; the first makes the session, with a claim on the World.
  static void start();
  static void stop();

  /// Collective: the program's own start, and its end; a second one in a row does nothing.
  static void begin_program();
  static void end_program();

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() = default;

  World& world;
  Messages messages;
  Counter counter;

 private:
  explicit Session(World& running) : world(running), messages(running), counter(running) {}
};

/// The World, whoever started it; Error(state) where none runs.
World& running_world();

/// This process's number, and how many there are; also behind the end, as programs print them.
/// Error(state) before the start.
int process_number();
int process_count();

/// Seconds on the wall since the first call.
double seconds();

/// Prints what this process has sent and received. Local: programs call it on one alone.
void print_traffic(const Session& session);

/// Sends what this process prints to the file log.<rank>.
void redirect_output(int rank);

}  // namespace lagoon::atoll::tcgmsg
