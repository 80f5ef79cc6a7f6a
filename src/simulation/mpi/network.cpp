// What is under way, and the words for it.
#include "simulation/mpi/network.hpp"

#include <cstdio>
#include <cstring>

namespace lagoon::atoll::simulation {

namespace {

constexpr std::size_t most_told = 40;

void tell(std::string& text, std::size_t& told, const Message& message, const char* where) {
  if (++told > most_told) return;
  char line[256];
  std::snprintf(line, sizeof line,
                "  message from rank %d to %d, tag %d, communicator %llu, %llu bytes: %s\n",
                message.source, message.dest, message.tag,
                static_cast<unsigned long long>(message.context),
                static_cast<unsigned long long>(message.bytes), where);
  text += line;
}

}  // namespace

void build_network() {
  // Behind the scheduler: the first that the heap gives out.
  Network* const made = make_shared_object<Network>(static_cast<std::size_t>(ranks()));
  head().network = made;
}

Network& network() noexcept { return *static_cast<Network*>(head().network); }

Time latency() noexcept {
  Scheduler& s = scheduler();
  // Now and then one takes much longer.
  const auto usual = static_cast<std::uint64_t>(s.temper.latency);
  return static_cast<Time>(s.random.below(s.random.one_in(16) ? 8 * usual : usual));
}

std::byte* keep(const void* data, std::uint64_t bytes) {
  std::byte* const kept = Shared<std::byte>().allocate(bytes);
  if (bytes > 0) std::memcpy(kept, data, bytes);
  return kept;
}

void drop(Message* message) noexcept {
  if (--message->holders > 0) return;
  Shared<std::byte>().deallocate(message->data, message->bytes);
  free_shared_object(message);
}

std::string what_is_under_way() {
  std::string text;
  std::size_t told = 0;
  for (const Connection& each : network().connections)
    for (const Message* message = each.first; message != nullptr; message = message->next)
      tell(text, told, *message, each.unexpected >= most_unexpected ? "held up" : "on its way");
  for (const auto& unexpected : network().unexpected)
    for (const Message* message : unexpected) tell(text, told, *message, "not asked for");
  if (told > most_told) text += "  and " + std::to_string(told - most_told) + " more\n";
  for (const auto& [key, call] : network().collectives) {
    char line[256];
    std::snprintf(line, sizeof line, "  %s, communicator %llu: ", call->what,
                  static_cast<unsigned long long>(key.first));
    text += line;
    text += std::to_string(call->here) + " of " + std::to_string(call->parts.size()) +
            " have come, not";
    for (std::size_t i = 0; i < call->parts.size(); ++i)
      if (!call->parts[i].here) text += ' ' + std::to_string(i);
    text += '\n';
  }
  return text;
}

}  // namespace lagoon::atoll::simulation
