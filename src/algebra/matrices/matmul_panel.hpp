// Panel: one factor's share of a step of a multiplication: all outer positions (rows of A, columns
// of B) of a rank's part, and a range of k. What lies in my node's memory is used where it lies;
// the rest is fetched into a buffer, where pieces lie side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algebra/matrices/matmul_plan.hpp"
#include "atoll/handle.hpp"

namespace lagoon::atoll::detail {

/// Where a panel's outer positions [first, last), counted through its part, are to be had.
struct PanelPiece {
  Extent outer;
  const std::byte* data = nullptr;  ///< null: in the panel's buffer
  std::int64_t distance = 0;        ///< from row to row, in elements
  Patch patch;                      ///< of the array
};

struct Panel {
  Extent k;
  std::vector<PanelPiece> pieces;
  bool fetches = false;
};
/// Those of the pieces that have outer positions in common with these.
std::span<const PanelPiece> pieces_in(const Panel& panel, const Extent& outer);

/// Which pieces are used where they lie: those worth a call of BLAS of their own, in one range of
/// outer positions only, or all, as the blocks of a sparse product are multiplied one by one
/// anyway.
enum class InPlace : std::uint8_t { large, all };

class PanelSource {
 public:
  /// For a rank's part: these outer positions and this k.
  PanelSource(const FactorView& operand, Extents outer, const Extent& k,
              InPlace which = InPlace::large);

  const FactorView& operand() const noexcept { return operand_; }

  /// Where k passes from one block to another, ascending, ends included.
  const std::vector<std::int64_t>& cuts() const noexcept { return cuts_; }
  /// No cut lies inside `k`.
  Panel panel(const Extent& k) const;
  std::int64_t outer() const noexcept { return size_; }
  /// Elements of the buffer that a panel needs.
  std::int64_t buffer_elements(const Extent& k) const noexcept { return size_ * k.size(); }

  /// Begins to fetch what is not at hand. The buffer stays until `ready`.
  void fetch(const Panel& panel, std::byte* buffer, std::vector<Handle>& handles) const;
  /// All has arrived: conjugates if need be, and says where the fetched pieces lie.
  void ready(Panel& panel, std::byte* buffer) const;

 private:
  bool in_place() const noexcept;
  bool too_narrow(std::int64_t outer, std::int64_t of, std::int64_t k) const noexcept;
  std::int64_t buffer_distance(const Panel& panel) const noexcept;

  const FactorView& operand_;
  Extents outer_;
  InPlace which_;
  bool shallow_ = false;  // blocks of too little k: not used in place
  std::int64_t size_;
  std::vector<std::int64_t> cuts_;
};

}  // namespace lagoon::atoll::detail
