// PanelSource: blocks on my node in place, everything else by nonblocking gets.
#include "algebra/matrices/matmul_panel.hpp"

#include <algorithm>
#include <complex>

#include "array/array_state.hpp"
#include "world/arithmetic.hpp"

namespace lagoon::atoll::detail {

namespace {

/// Narrower pieces are copied to their neighbours in the buffer: they are not worth calls of BLAS
/// of their own.
constexpr std::int64_t fewest_in_place = 16;
constexpr std::int64_t shallowest_in_place = 64;

template <class Real>
void conjugate(std::byte* data, std::int64_t elements) {
  auto* x = reinterpret_cast<Real*>(data);
  for (std::int64_t i = 0; i < elements; ++i) x[2 * i + 1] = -x[2 * i + 1];
}

}  // namespace

std::span<const PanelPiece> pieces_in(const Panel& panel, const Extent& outer) {
  const auto first =
      std::partition_point(panel.pieces.begin(), panel.pieces.end(),
                           [&](const PanelPiece& p) { return p.outer.last <= outer.first; });
  const auto last = std::partition_point(
      first, panel.pieces.end(), [&](const PanelPiece& p) { return p.outer.first < outer.last; });
  return {first, last};
}

PanelSource::PanelSource(const FactorView& operand, Extents outer, const Extent& k, InPlace which)
    : operand_(operand),
      outer_(std::move(outer)),
      which_(which),
      size_(detail::size_of(outer_)),
      cuts_{k.first, k.last} {
  if (!in_place() || size_ == 0 || k.size() == 0) return;
  // Blocks form a grid: those of the first row of positions have the cuts of all.
  const Extent first_row{outer_.front().first, outer_.front().first + 1};
  for (const OwnedPatch& owned : operand.array.distribution().locate(operand.patch(first_row, k)))
    cuts_.push_back(operand.inner_of(owned.patch).first);
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
  // Every cut is one more pass through the result: shallow blocks had better be copied together.
  shallow_ = which == InPlace::large && cuts_.size() > 2 &&
             k.size() < static_cast<std::int64_t>(cuts_.size() - 1) * shallowest_in_place;
  if (shallow_) cuts_ = {k.first, k.last};
}

/// Whether the array's blocks are large enough to be used where they lie. BLAS conjugates only
/// what it transposes.
bool PanelSource::in_place() const noexcept {
  return operand_.array.distribution().one_block_a_rank() && !shallow_ &&
         (which_ == InPlace::all || outer_.size() == 1) &&
         (!operand_.conjugates || operand_.transposes);
}

bool PanelSource::too_narrow(std::int64_t outer, std::int64_t of, std::int64_t k) const noexcept {
  if (which_ == InPlace::all) return false;
  return outer < std::min(fewest_in_place, of) || k < fewest_in_place;
}

Panel PanelSource::panel(const Extent& k) const {
  Panel panel{k, {}, false};
  std::int64_t packed = 0;
  for (const Extent& extent : outer_) {
    const Patch wanted = operand_.patch(extent, k);
    if (!in_place()) {
      panel.pieces.push_back({{packed, packed + extent.size()}, nullptr, 0, wanted});
    } else {
      for (const OwnedPatch& owned : operand_.array.distribution().locate(wanted)) {
        const Extent outer = operand_.outer_of(owned.patch);
        PanelPiece piece{{packed + outer.first - extent.first, packed + outer.last - extent.first},
                         nullptr,
                         0,
                         owned.patch};
        if (operand_.array.state()->block(owned.rank) != nullptr &&
            !too_narrow(outer.size(), extent.size(), k.size())) {
          const ReadableBlock block = operand_.array.readable_block(owned.rank);
          const std::int64_t offset = (owned.patch.lo[0] - block.patch.lo[0]) * block.strides[0] +
                                      (owned.patch.lo[1] - block.patch.lo[1]) * block.strides[1];
          piece.data = static_cast<const std::byte*>(block.data) +
                       offset * static_cast<std::int64_t>(operand_.array.state()->element_bytes);
          piece.distance = block.strides[0];
        }
        panel.pieces.push_back(piece);
      }
    }
    packed += extent.size();
  }
  // Neighbours in the buffer are fetched as one patch.
  std::vector<PanelPiece> joined;
  for (const PanelPiece& piece : panel.pieces) {
    panel.fetches = panel.fetches || piece.data == nullptr;
    PanelPiece* const last = joined.empty() ? nullptr : &joined.back();
    const int d = operand_.outer_first ? 0 : 1;
    if (last != nullptr && last->data == nullptr && piece.data == nullptr &&
        last->patch.hi[d] == piece.patch.lo[d]) {
      last->patch.hi[d] = piece.patch.hi[d];
      last->outer.last = piece.outer.last;
    } else {
      joined.push_back(piece);
    }
  }
  panel.pieces = std::move(joined);
  return panel;
}

std::int64_t PanelSource::buffer_distance(const Panel& panel) const noexcept {
  return operand_.outer_first ? panel.k.size() : size_;
}

void PanelSource::fetch(const Panel& panel, std::byte* buffer, std::vector<Handle>& handles) const {
  const std::int64_t distance = buffer_distance(panel);
  const auto size = static_cast<std::int64_t>(operand_.array.state()->element_bytes);
  for (const PanelPiece& piece : panel.pieces) {
    if (piece.data != nullptr) continue;
    const std::int64_t offset = piece.outer.first * (operand_.outer_first ? distance : 1);
    handles.push_back(operand_.array.get_async(piece.patch, buffer + offset * size, {distance, 1}));
  }
}

void PanelSource::ready(Panel& panel, std::byte* buffer) const {
  const std::int64_t distance = buffer_distance(panel);
  const auto size = static_cast<std::int64_t>(operand_.array.state()->element_bytes);
  for (PanelPiece& piece : panel.pieces) {
    if (piece.data != nullptr) continue;
    piece.data = buffer + piece.outer.first * (operand_.outer_first ? distance : 1) * size;
    piece.distance = distance;
  }
  // Only where BLAS does not: then nothing is used in place, and all of the buffer is ours.
  if (!operand_.conjugates || operand_.transposes) return;
  with_computed_type(operand_.array.type(), [&]<class T>(T) {
    if constexpr (is_complex_type<T>)
      conjugate<typename T::value_type>(buffer, buffer_elements(panel.k));
  });
}

}  // namespace lagoon::atoll::detail
