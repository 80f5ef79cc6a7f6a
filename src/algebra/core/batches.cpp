// Collecting ranges until a batch is full, fetching all of them at once, and working on them.
#include "algebra/core/batches.hpp"

#include <algorithm>

#include "algebra/elementwise/conversion.hpp"

namespace lagoon::atoll::detail {

namespace {

// Enough to hide latency; bounds the handles in flight where blocks are tiny.
constexpr std::size_t most_ranges = 256;

/// Changes packed elements from the order of a transposed section to that of its operand.
void reorder(void* to, const void* from, const Index& shape, ElementType type) {
  move_strided({type, static_cast<std::byte*>(to)}, packed_strides(shape),
               {type, static_cast<const std::byte*>(from)},
               reversed(packed_strides(reversed(shape))), shape);
}

std::unique_ptr<std::byte[]> buffer_for(std::int64_t elements, ElementType type) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(elements) *
                                                     size_of(type));
}

bool any_transposed(std::span<const View> inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const View& input) { return input.transposed(); });
}

}  // namespace

void Batch::store(AnyArray& out, const Patch& section, const void* data) const {
  const auto* bytes = static_cast<const std::byte*>(data);
  for (const Range& range : ranges_) {
    const Patch patch = subsection(section, range);
    out.put(patch, bytes);
    bytes += static_cast<std::size_t>(patch.elements()) * size_of(out.type());
  }
}

class BatchFetcher {
 public:
  BatchFetcher(std::span<const View> inputs, std::int64_t most_elements,
               const std::function<void(Batch&)>& work)
      : inputs_(inputs), most_(most_elements), work_(work) {
    for (const View& input : inputs) {
      sections_.push_back(input.section());
      batch_.buffers_.push_back(buffer_for(most_elements, input.array.type()));
    }
    if (any_transposed(inputs)) raw_ = buffer_for(most_elements, inputs[0].array.type());
  }

  void add(const Range& range) {
    const std::int64_t elements = range.shape().product();
    if (batch_.elements_ + elements > most_ || batch_.ranges_.size() == most_ranges) flush();
    batch_.ranges_.push_back(range);
    batch_.elements_ += elements;
  }

  void flush() {
    if (batch_.elements_ == 0) return;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].transposed()) fetch_transposed(i);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (!inputs_[i].transposed()) request(i);
    wait_for_all();
    work_(batch_);
    batch_.ranges_.clear();
    batch_.elements_ = 0;
  }

 private:
  void request(std::size_t i) {
    std::byte* to = batch_.buffers_[i].get();
    for (const Range& range : batch_.ranges_) to = request(i, range, to);
  }

  /// Behind what is requested, in memory.
  std::byte* request(std::size_t i, const Range& range, std::byte* to) {
    const Patch patch = subsection(sections_[i], range);
    handles_.push_back(inputs_[i].array.get_async(patch, to));
    return to + static_cast<std::size_t>(patch.elements()) * size_of(inputs_[i].array.type());
  }

  void fetch_transposed(std::size_t i) {
    std::byte* end = raw_.get();
    for (const Range& range : batch_.ranges_)
      end = request(i, {reversed(range.first), reversed(range.last)}, end);
    wait_for_all();
    std::size_t offset = 0;
    const ElementType type = inputs_[i].array.type();
    for (const Range& range : batch_.ranges_) {
      const Index shape = range.shape();
      reorder(batch_.buffers_[i].get() + offset, raw_.get() + offset, shape, type);
      offset += static_cast<std::size_t>(shape.product()) * size_of(type);
    }
  }

  void wait_for_all() {
    wait_all(handles_);
    handles_.clear();
  }

  std::span<const View> inputs_;
  std::int64_t most_;
  const std::function<void(Batch&)>& work_;
  std::vector<Patch> sections_;
  Batch batch_;
  std::unique_ptr<std::byte[]> raw_;  // transposed inputs, one after the other, as they lie
  std::vector<Handle> handles_;       // after the buffers they fill: they wait when unwinding
};

void for_each_batch(const View& layout, std::span<const View> inputs,
                    const std::function<void(Batch&)>& work) {
  const int me = layout.array.group().rank();
  const Distribution& distribution = layout.array.distribution();
  const Patch section = layout.section();
  const std::int64_t own = std::min(distribution.local_elements(me), section.elements());
  if (own == 0) return;
  const std::size_t element =
      size_of(layout.array.type()) * std::max<std::size_t>(1, inputs.size());
  const std::int64_t most = std::min(own, static_cast<std::int64_t>(batch_bytes / element));
  const bool square = any_transposed(inputs);
  BatchFetcher fetcher(inputs, most, work);
  for_each_owned_block(distribution, me, [&](const OwnedBlock& block) {
    Range range;
    if (!section_in_block(section, block.patch, range)) return;
    const Index shape = range.shape();
    for_each_chunk(range, square ? square_chunk(shape, most) : row_chunk(shape, most),
                   [&](const Range& chunk) { fetcher.add(chunk); });
  });
  fetcher.flush();
}

}  // namespace lagoon::atoll::detail
