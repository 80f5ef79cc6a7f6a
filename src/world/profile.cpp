// Profile: recording, gathering, and the JSON file.
#include "world/profile.hpp"

#include <bit>
#include <cstdio>
#include <fstream>
#include <vector>

#include "atoll/error.hpp"
#include "world/topology.hpp"
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

/// The ranks' texts in their order, on rank 0; elsewhere empty.
std::string gather(MPI_Comm communicator, const std::string& mine, int ranks) {
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks)), starts(lengths.size());
  check_mpi(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, communicator),
            "MPI_Gather");
  int total = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    starts[i] = total;
    total += lengths[i];
  }
  std::string all(static_cast<std::size_t>(total), ' ');
  check_mpi(MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(),
                        MPI_CHAR, 0, communicator),
            "MPI_Gatherv");
  if (all.ends_with(",\n")) all.erase(all.size() - 2);
  return all;
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
              ", \"operation\": " + quoted(operation) +
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

void Profile::write(MPI_Comm communicator, const Topology& topology) const {
  const auto wall = std::chrono::steady_clock::now() - start_;
  const std::string calls = gather(communicator, calls_of(topology.rank), topology.size);
  const std::string traffic = gather(communicator, traffic_of(topology.rank), topology.size);
  if (topology.rank != 0) return;
  std::string nodes;
  for (const auto node : topology.node_of)
    nodes += (nodes.empty() ? "" : ", ") + std::to_string(node);
  std::ofstream out(file_);
  out << "{\"atoll_profile\": 1,\n\"ranks\": " << topology.size << ",\n\"node_of\": [" << nodes
      << "],\n\"seconds\": " << seconds(wall) << ",\n\"calls\": [\n"
      << calls << "],\n\"traffic\": [\n"
      << traffic << "]}\n";
  out.close();
  if (!out) std::fprintf(stderr, "atoll: the profile could not be written to %s\n", file_.c_str());
}

void ProfiledCall::record() noexcept try {
  const auto time = std::chrono::steady_clock::now() - start_;
  CallSums& sums = entry_->sums(operation_);
  ++sums.calls;
  sums.bytes += bytes_;
  sums.time += time;
  ++sums.sizes[static_cast<std::size_t>(std::bit_width(bytes_))];
} catch (...) {
  // No memory for one more sum: the program's own next allocation will say so.
}

ProfileEntry* world_profile() noexcept {
  const WorldState* world = WorldState::running;
  return world == nullptr || world->profile == nullptr ? nullptr : &world->profile->world();
}

}  // namespace lagoon::atoll::detail
