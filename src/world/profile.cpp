// Profile: recording, gathering, and the JSON file.
#include "world/profile.hpp"

#include <bit>
#include <cstdio>
#include <fstream>
#include <vector>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

/// A program that makes arrays of new names or shapes without end still gets a small file.
constexpr std::size_t most_arrays = 1000;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      result += escape.data();
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string seconds(std::chrono::nanoseconds time) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9f", std::chrono::duration<double>(time).count());
  return text.data();
}

std::string describe(const std::string& name, std::string_view type,
                     std::span<const std::int64_t> shape) {
  std::string text =
      "\"array\": " + quoted(name) + ", \"type\": " + quoted(std::string(type)) + ", \"shape\": [";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

/// Writes the ranks' lists one after the other. One text at a time is on its way, so that the first
/// rank needs no memory for all and no length exceeds an int, however many ranks there are.
void write_lists(WorldState& world, std::ostream& out, const std::string& mine, int tag) {
  mpi::Request request = mpi::request_null;
  if (world.topology.rank != 0) {
    check_mpi(mpi::isend(mine.data(), static_cast<int>(mine.size()), mpi::type_char, 0, tag,
                         world.communicator, &request),
              "MPI_Isend");
    world.wait(request);
    return;
  }
  std::string text = mine;
  const char* separator = "";
  for (int rank = 0; rank < world.topology.size; ++rank) {
    if (rank > 0) {
      mpi::Status status;
      int there = 0, length = 0;
      world.wait_until([&] {
        check_mpi(mpi::iprobe(rank, tag, world.communicator, &there, &status), "MPI_Iprobe");
        return there != 0;
      });
      mpi::get_count(&status, mpi::type_char, &length);
      text.resize(static_cast<std::size_t>(length));
      check_mpi(
          mpi::irecv(text.data(), length, mpi::type_char, rank, tag, world.communicator, &request),
          "MPI_Irecv");
      world.wait(request);
    }
    if (text.empty()) continue;
    text.erase(text.size() - 2);  // the comma behind the last item
    out << separator << text;
    separator = ",\n";
  }
}

}  // namespace

Profile::Profile(std::string file)
    : file_(std::move(file)),
      world_(std::make_unique<ProfileEntry>("\"array\": null, \"type\": null, \"shape\": []")) {}

ProfileEntry& Profile::array(const std::string& name, std::string_view type,
                             std::span<const std::int64_t> shape) {
  std::string key = describe(name, type, shape);
  if (arrays_.size() >= most_arrays && !arrays_.contains(key)) key = describe("(others)", "", {});
  std::unique_ptr<ProfileEntry>& entry = arrays_[key];
  if (entry == nullptr) entry = std::make_unique<ProfileEntry>(key);
  return *entry;
}

std::string Profile::calls_of(int rank) const {
  std::string text;
  const auto add = [&](const ProfileEntry& entry) {
    for (const auto& [operation, sums] : entry.operations_) {
      text += "{\"rank\": " + std::to_string(rank) + ", " + entry.description_ +
              ", \"operation\": " + quoted(std::string(operation)) +
              ", \"calls\": " + std::to_string(sums.calls) +
              ", \"bytes\": " + std::to_string(sums.bytes) +
              ", \"seconds\": " + seconds(sums.time) + ", \"sizes\": {";
      const char* separator = "";
      for (std::size_t k = 0; k < sums.sizes.size(); ++k) {
        if (sums.sizes[k] == 0) continue;
        text += separator + quoted(std::to_string(k)) + ": " + std::to_string(sums.sizes[k]);
        separator = ", ";
      }
      text += "}},\n";
    }
  };
  add(*world_);
  for (const auto& [key, entry] : arrays_) add(*entry);
  return text;
}

std::string Profile::traffic_of(int rank) const {
  std::string text;
  for (const auto& [target, traffic] : traffic_)
    text += "{\"from\": " + std::to_string(rank) + ", \"to\": " + std::to_string(target) +
            ", \"pieces\": " + std::to_string(traffic.pieces) +
            ", \"bytes\": " + std::to_string(traffic.bytes) + "},\n";
  return text;
}

void Profile::write(WorldState& world) const {
  constexpr int calls_tag = 0, traffic_tag = 1;
  const Topology& topology = world.topology;
  const auto wall = std::chrono::steady_clock::now() - start_;
  std::ofstream out;
  if (topology.rank == 0) {
    std::string nodes;
    for (const auto node : topology.node_of)
      nodes += (nodes.empty() ? "" : ", ") + std::to_string(node);
    out.open(file_);
    out << "{\"atoll_profile\": 1,\n\"ranks\": " << topology.size << ",\n\"node_of\": [" << nodes
        << "],\n\"seconds\": " << seconds(wall) << ",\n\"calls\": [\n";
  }
  write_lists(world, out, calls_of(topology.rank), calls_tag);
  if (topology.rank == 0) out << "],\n\"traffic\": [\n";
  write_lists(world, out, traffic_of(topology.rank), traffic_tag);
  if (topology.rank != 0) return;
  out << "]}\n";
  out.close();
  if (!out) std::fprintf(stderr, "atoll: the profile could not be written to %s\n", file_.c_str());
}

void ProfileEntry::record(const char* operation, std::uint64_t bytes,
                          std::chrono::nanoseconds time) {
  const std::lock_guard lock(mutex_);
  CallSums& sums = operations_[operation];
  ++sums.calls;
  sums.bytes += bytes;
  sums.time += time;
  ++sums.sizes[static_cast<std::size_t>(std::bit_width(bytes))];
}

void ProfiledCall::begin() noexcept {
  doing_.operation = operation_;
  doing_.array = &entry_->description();
  doing_.begin();
}

void ProfiledCall::record() noexcept try {
  const auto time = std::chrono::steady_clock::now() - doing_.since;
  doing_.end();
  entry_->record(operation_, bytes_, time);
} catch (...) {
  // No memory for one more sum: the program's own next allocation will say so.
}

ProfileEntry* world_profile() noexcept {
  const WorldState* world = WorldState::running;
  return world == nullptr || world->profile == nullptr ? nullptr : &world->profile->world();
}

}  // namespace lagoon::atoll::detail
