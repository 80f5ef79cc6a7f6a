// UnwrittenTiles: those of a disk array that a write has failed to bring there, until they are
// written again as a whole. The same on all ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "disk/section.hpp"

namespace lagoon::atoll::detail {

class UnwrittenTiles {
 public:
  /// All that a section touches: `failure` says why.
  void add(const DiskLayout& layout, const Section& section, const Error& failure);
  /// Those that a section covers as a whole have been written.
  void remove(const Section& section);
  /// Else Error(file), with the errno of the first failure, that names them. `text`: of what.
  void require_none(const DiskLayout& layout, const std::string& text) const;

 private:
  std::vector<bool> is_unwritten_;  // by tile; empty until something fails
  std::int64_t count_ = 0;
  std::string why_;
  int error_number_ = 0;
};

}  // namespace lagoon::atoll::detail
