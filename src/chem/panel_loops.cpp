#include "panel_loops.hpp"

#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

using Lanes [[gnu::vector_size(64), gnu::may_alias]] = double;

// Anywhere in memory, unlike those of lanes.hpp. Packed: Clang forgets the alignment of a vector's
// own type in references to it.
struct [[gnu::packed, gnu::may_alias]] Unaligned {
  Lanes lanes;
};
const Unaligned& at(const double* values) { return *reinterpret_cast<const Unaligned*>(values); }
Unaligned& at(double* values) { return *reinterpret_cast<Unaligned*>(values); }

// Bytes ahead of what is read: the processor's own prefetching ends with each page.
constexpr std::ptrdiff_t ahead = 1536;

/// Columns from `first` on, `vectors` of eight; those behind the last are ignored by whoever reads
/// the sums.
template <bool coulomb, bool exchange, int vectors>
[[gnu::always_inline]] inline void add_columns(const double* integrals, PanelRows r,
                                               std::ptrdiff_t first) {
  const double* g = integrals + first;
  [[maybe_unused]] Lanes k_il[vectors] = {}, k_jl[vectors] = {}, j_ij = {};
  for (const std::uint32_t k : r.ks) {
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(k) * r.row + first;
    [[maybe_unused]] Lanes k_ik = {}, k_jk = {};
    for (int v = 0; v < vectors; ++v) {
      const std::ptrdiff_t column = v * panel_lanes;
      const Lanes value = at(g + column).lanes;
      __builtin_prefetch(reinterpret_cast<const char*>(g + column) + ahead);
      if constexpr (coulomb) {
        j_ij += value * at(r.d_kl + place + column).lanes;
        at(r.j_kl + place + column).lanes += value * r.d_ij;
      }
      if constexpr (exchange) {
        k_ik += value * at(r.d_jl + first + column).lanes;
        k_jk += value * at(r.d_il + first + column).lanes;
        k_il[v] += value * r.d_jk[k];
        k_jl[v] += value * r.d_ik[k];
      }
    }
    if constexpr (exchange) {
      at(r.k_ik + panel_lanes * k).lanes += k_ik;
      at(r.k_jk + panel_lanes * k).lanes += k_jk;
    }
    g += r.columns;
  }
  if constexpr (coulomb) at(r.j_ij).lanes += j_ij;
  if constexpr (exchange) {
    for (int v = 0; v < vectors; ++v) at(r.k_il + first + v * panel_lanes).lanes += k_il[v];
    for (int v = 0; v < vectors; ++v) at(r.k_jl + first + v * panel_lanes).lanes += k_jl[v];
  }
}

template <bool coulomb, bool exchange>
[[gnu::always_inline]] inline void add_all(const double* integrals, const PanelRows& r) {
  // As many vectors as leave registers for what is read.
  constexpr std::ptrdiff_t most = 4 * panel_lanes;
  std::ptrdiff_t first = 0;
  for (; r.row - first > most; first += most)
    add_columns<coulomb, exchange, 4>(integrals, r, first);
  switch ((r.row - first) / panel_lanes) {
    case 1: return add_columns<coulomb, exchange, 1>(integrals, r, first);
    case 2: return add_columns<coulomb, exchange, 2>(integrals, r, first);
    case 3: return add_columns<coulomb, exchange, 3>(integrals, r, first);
    case 4: return add_columns<coulomb, exchange, 4>(integrals, r, first);
    default: return;
  }
}

}  // namespace

ATOLL_EACH_PROCESSOR void add_panel_both(const double* integrals, const PanelRows& rows) {
  add_all<true, true>(integrals, rows);
}

ATOLL_EACH_PROCESSOR void add_panel_coulomb(const double* integrals, const PanelRows& rows) {
  add_all<true, false>(integrals, rows);
}

ATOLL_EACH_PROCESSOR void add_panel_exchange(const double* integrals, const PanelRows& rows) {
  add_all<false, true>(integrals, rows);
}

}  // namespace lagoon::atoll::chem
