// Records of a task's integrals: made while they are computed, and added again.
#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "fock_kernel.hpp"
#include "packing.hpp"
#include "panels.hpp"

namespace lagoon::atoll::chem {

FockKernel::Recorded FockKernel::record(const BlockQuartet& task, const TaskTiles& tiles, int begin,
                                        std::size_t limit, std::vector<std::byte>& record) {
  const FockDigester digester = this->digester(task, tiles, {begin, begin});
  begin_record(record);
  const Recorded result = storage_.form == RecordForm::packed
                              ? record_packed(task, digester, begin, limit, record)
                              : record_panels(task, tiles, digester, begin, limit, record);
  end_record(record, task, {begin, result.end}, storage_);
  return result;
}

FockKernel::Recorded FockKernel::record_packed(const BlockQuartet& task,
                                               const FockDigester& digester, int begin,
                                               std::size_t limit, std::vector<std::byte>& record) {
  const double least = std::min(tolerance_ / digester.largest_density(), storage_.tolerance);
  Recorded result{begin, 0, 0.0};
  const auto visit = [&](const ShellPair& bra, const ShellPair& ket, double bound) {
    const int i = bra.p, j = bra.q, k = ket.p, l = ket.q;
    const bool stored = storage_.stores(bra, ket, bound);
    const bool wanted = bound * digester.largest_density(i, j, k, l) > tolerance_;
    if (!stored && !wanted) return;
    const bool zero = !integrals_.compute(i, j, k, l, buffer_.data(), scratch_.data());
    if (stored) {
      const auto values = static_cast<std::ptrdiff_t>(blocks_.width(i)) * blocks_.width(j) *
                          blocks_.width(k) * blocks_.width(l);
      pack(zero ? nullptr : buffer_.data(), values, quantum_, record);
      result.largest_bound = std::max(result.largest_bound, bound);
    }
    if (zero) return;
    ++result.quartets;
    if (wanted) digester.add(buffer_.data(), i, j, k, l);
  };
  const int end = rows(task.i, task.j);
  while (result.end < end && record.size() < limit) {
    for_each_quartet(*pairs_, task, {result.end, result.end + 1}, least, visit);
    ++result.end;
  }
  return result;
}

FockKernel::Recorded FockKernel::record_panels(const BlockQuartet& task, const TaskTiles& tiles,
                                               const FockDigester& digester, int begin,
                                               std::size_t limit, std::vector<std::byte>& record) {
  const double least = std::min(tolerance_ / digester.largest_density(), storage_.tolerance);
  const auto& bra_pairs = pairs_->of(task.i, task.j);
  PanelDigester panels(blocks_, task, tiles, panel_room_);
  Recorded result{begin, 0, 0.0};
  std::vector<const ShellPair*> kets;
  record.resize(record.size() + panel_slack);
  const auto visit = [&](const ShellPair& bra, const ShellPair& ket, double bound) {
    const int i = bra.p, j = bra.q, k = ket.p, l = ket.q;
    if (storage_.stores(bra, ket, bound)) {
      kets.push_back(&ket);
      result.largest_bound = std::max(result.largest_bound, bound);
    } else if (bound * digester.largest_density(i, j, k, l) > tolerance_ &&
               integrals_.compute(i, j, k, l, buffer_.data(), scratch_.data())) {
      digester.add(buffer_.data(), i, j, k, l);
      ++result.quartets;
    }
  };
  const int end = rows(task.i, task.j);
  for (; result.end < end && record.size() < limit; ++result.end) {
    kets.clear();
    for_each_quartet(*pairs_, task, {result.end, result.end + 1}, least, visit);
    if (kets.empty()) continue;
    const ShellPair& bra = bra_pairs[static_cast<std::size_t>(result.end)];
    PanelWriter writer(blocks_, task, bra, kets, record);
    for (const ShellPair* ket : kets) {
      if (!integrals_.compute(bra.p, bra.q, ket->p, ket->q, buffer_.data(), scratch_.data()))
        continue;
      writer.put(buffer_.data(), *ket);
      ++result.quartets;
    }
    panels.add(bra, writer.view());
  }
  panels.finish();
  return result;
}

std::optional<std::int64_t> FockKernel::replay(const BlockQuartet& task, const TaskTiles& tiles,
                                               Rows rows, std::span<const std::byte> record,
                                               bool verify) {
  const FockDigester digester = this->digester(task, tiles, rows);
  const auto contents = record_contents(record, task, rows, storage_, verify);
  if (contents.data() == nullptr) return std::nullopt;
  return storage_.form == RecordForm::packed ? replay_packed(task, digester, rows, contents)
                                             : replay_panels(task, tiles, digester, rows, contents);
}

std::int64_t FockKernel::replay_packed(const BlockQuartet& task, const FockDigester& digester,
                                       Rows rows, std::span<const std::byte> contents) {
  const std::byte* next = contents.data();
  const std::byte* const end = next + contents.size();
  std::int64_t digested = 0;
  const auto visit = [&](const ShellPair& bra, const ShellPair& ket, double bound) {
    if (!storage_.stores(bra, ket, bound)) return;
    const int i = bra.p, j = bra.q, k = ket.p, l = ket.q;
    const auto values = static_cast<std::ptrdiff_t>(blocks_.width(i)) * blocks_.width(j) *
                        blocks_.width(k) * blocks_.width(l);
    const std::ptrdiff_t bytes = next < end ? packed_bytes(*next, values) : -1;
    if (bytes < 0 || bytes >= end - next)
      throw std::runtime_error("a record of integrals is not of the bounds that it was made for");
    const std::byte* const packed = next + 1;
    next = packed + bytes;
    if (bytes == 0 || bound * digester.largest_density(i, j, k, l) <= tolerance_) return;
    unpack(static_cast<int>(bytes / values), packed, values, quantum_, buffer_.data());
    digester.add(buffer_.data(), i, j, k, l);
    ++digested;
  };
  for_each_quartet(*pairs_, task, rows, storage_.tolerance, visit);
  return digested;
}

std::int64_t FockKernel::replay_panels(const BlockQuartet& task, const TaskTiles& tiles,
                                       const FockDigester& digester, Rows rows,
                                       std::span<const std::byte> contents) {
  if (reinterpret_cast<std::uintptr_t>(contents.data()) % alignof(double) != 0)
    throw std::invalid_argument("a record of panels must be aligned as doubles are");
  const auto& bra_pairs = pairs_->of(task.i, task.j);
  const auto& ket_pairs = pairs_->of(task.k, task.l);
  PanelDigester panels(blocks_, task, tiles, panel_room_);
  std::span<const std::byte> next = contents;
  std::int64_t digested = 0;
  for (int row = rows.begin; row < rows.end && !ket_pairs.empty(); ++row) {
    const ShellPair& bra = bra_pairs[static_cast<std::size_t>(row)];
    const double bound = bra.bound * ket_pairs.front().bound;
    if (!(bound > storage_.tolerance)) break;  // as the rows that follow, it was not recorded
    const int pairs = blocks_.width(bra.p) * blocks_.width(bra.q);
    const PanelView panel = read_panel(next, pairs, blocks_.functions(task.l));
    if (bound * digester.largest_density() <= tolerance_) continue;
    panels.add(bra, panel);
    digested += panel.quartets;
  }
  panels.finish();
  return digested;
}

}  // namespace lagoon::atoll::chem
