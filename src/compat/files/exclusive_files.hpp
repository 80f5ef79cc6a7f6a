// The open exclusive access files (EAF) of this process, by descriptors from 0, the lowest free one
// first.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "atoll/private_file.hpp"
#include "compat/files/requests.hpp"

namespace lagoon::atoll::files {

/// What a file has seen of one kind of call.
struct Traffic {
  std::int64_t calls = 0, bytes = 0;
  double seconds = 0;
};

/// Counts a call, and the time until it goes.
class Timed {
 public:
  explicit Timed(Traffic& traffic) : traffic_(traffic) { ++traffic.calls; }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() { traffic_.seconds += std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Traffic& traffic_;
  Clock::time_point begin_ = Clock::now();
};

struct ExclusiveFile {
  /// Failure or Error if it cannot be opened in this mode, one of EAF's.
  ExclusiveFile(const std::string& path, int mode);

  int write(double offset, const void* memory, std::size_t bytes);
  int read(double offset, void* memory, std::size_t bytes);
  Request begin_write(int descriptor, double offset, const void* memory, std::size_t bytes);
  Request begin_read(int descriptor, double offset, void* memory, std::size_t bytes);
  void resize(double length);
  void print_statistics(int descriptor) const;

  std::string path;
  int mode;
  PrivateFile file;
  Traffic writes{}, reads{}, async_writes{}, async_reads{}, waits{};
};

class ExclusiveFiles {
 public:
  static ExclusiveFiles& get();

  int open(const std::string& path, int mode);
  /// Failure(invalid_descriptor) for a number of none.
  ExclusiveFile& at(int descriptor);
  /// The code of a request under way that has failed, else 0. The file is closed in any case.
  int close(int descriptor);
  int wait(int descriptor, int request);

  Requests requests;

 private:
  compat::HandleTable<ExclusiveFile> files_;
};

}  // namespace lagoon::atoll::files
