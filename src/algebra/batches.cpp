// Collecting patches until a batch is full, fetching all of them at once, and working on them.
#include "algebra/batches.hpp"

#include <algorithm>

#include "algebra/sections.hpp"

namespace lagoon::atoll::detail {

namespace {
// Enough to hide latency; bounds the handles in flight where blocks are tiny.
constexpr std::size_t most_patches = 256;
}  // namespace

void Batch::store(AnyArray& out, const void* data) const {
  const auto* bytes = static_cast<const std::byte*>(data);
  for (const Patch& patch : patches_) {
    out.put(patch, bytes);
    bytes += static_cast<std::size_t>(patch.elements()) * size_of(out.type());
  }
}

class BatchFetcher {
 public:
  BatchFetcher(std::span<const AnyArray* const> inputs, std::int64_t most_elements,
               const std::function<void(Batch&)>& work)
      : inputs_(inputs), most_(most_elements), work_(work) {
    for (const AnyArray* input : inputs)
      batch_.buffers_.push_back(std::make_unique_for_overwrite<std::byte[]>(
          static_cast<std::size_t>(most_elements) * size_of(input->type())));
  }

  void add(const Patch& patch) {
    const std::int64_t elements = patch.elements();
    if (batch_.elements_ + elements > most_ || batch_.patches_.size() == most_patches) flush();
    batch_.patches_.push_back(patch);
    batch_.elements_ += elements;
  }

  void flush() {
    if (batch_.elements_ == 0) return;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      std::byte* to = batch_.buffers_[i].get();
      for (const Patch& patch : batch_.patches_) {
        handles_.push_back(inputs_[i]->get_async(patch, to));
        to += static_cast<std::size_t>(patch.elements()) * size_of(inputs_[i]->type());
      }
    }
    wait_all(handles_);
    handles_.clear();
    work_(batch_);
    batch_.patches_.clear();
    batch_.elements_ = 0;
  }

 private:
  std::span<const AnyArray* const> inputs_;
  std::int64_t most_;
  const std::function<void(Batch&)>& work_;
  Batch batch_;
  std::vector<Handle> handles_;  // after the buffers they fill: they wait when unwinding
};

void for_each_batch(const AnyArray& layout, std::span<const AnyArray* const> inputs,
                    const std::function<void(Batch&)>& work) {
  const int me = layout.group().rank();
  const std::int64_t own = layout.distribution().local_elements(me);
  if (own == 0) return;
  const std::size_t element = size_of(layout.type()) * std::max<std::size_t>(1, inputs.size());
  const std::int64_t most = std::min(own, static_cast<std::int64_t>(batch_bytes / element));
  BatchFetcher fetcher(inputs, most, work);
  for_each_owned_block(layout.distribution(), me, [&](const OwnedBlock& block) {
    const Index shape = block.patch.shape();
    for_each_chunk({block.patch.lo, block.patch.hi}, row_chunk(shape, most),
                   [&](const Range& range) { fetcher.add({range.first, range.last, {}}); });
  });
  fetcher.flush();
}

}  // namespace lagoon::atoll::detail
