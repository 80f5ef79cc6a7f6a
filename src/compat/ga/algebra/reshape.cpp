#include "compat/ga/algebra/reshape.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "atoll/algebra.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll::ga {

namespace {

constexpr std::size_t most_in_flight = 256;

/// The elements [begin, end) of a patch, in row-major order, as boxes: f(box, elements).
template <class F>
void for_each_box(const Patch& patch, std::int64_t begin, std::int64_t end, const F& f) {
  const Index shape = patch.shape();
  const Index spans = packed_strides(shape);
  while (begin < end) {
    int d = 0;  // the box is some layers of this dimension, full in those behind it
    while (begin % spans[d] != 0 || end - begin < spans[d]) ++d;
    const Index at = unravelled(begin, shape);
    const std::int64_t layers = std::min((end - begin) / spans[d], shape[d] - at[d]);
    Patch box = patch;
    for (int e = 0; e <= d; ++e) {
      box.lo[e] = patch.lo[e] + at[e];
      box.hi[e] = box.lo[e] + (e == d ? layers : 1);
    }
    f(box, layers * spans[d]);
    begin += layers * spans[d];
  }
}

/// Fetches what belongs into a block of my memory.
class BlockFiller {
 public:
  BlockFiller(const View& source, const Patch& target)
      : source_(source.array), from_(source.section()), target_(target) {}

  void fill(const LocalBlock& block) {
    const Patch part = intersection(block.patch, target_);
    if (part.empty()) return;
    const Index shape = part.shape();
    const Index whole_shape = target_.shape();
    int inner = shape.size() - 1;  // from here on elements follow each other, in memory, too
    std::int64_t run = shape[inner];
    while (inner > 0 && shape[inner] == whole_shape[inner] && block.strides[inner - 1] == run)
      run *= shape[--inner];
    const std::int64_t runs = part.elements() / run;
    Index outer = shape;
    for (int d = inner; d < shape.size(); ++d) outer[d] = 1;
    for (std::int64_t r = 0; r < runs; ++r) fill_run(block, part, unravelled(r, outer), run);
    finish();
  }

 private:
  void fill_run(const LocalBlock& block, const Patch& part, const Index& at, std::int64_t run) {
    const Index spans = packed_strides(target_.shape());
    std::int64_t begin = 0, offset = 0;
    for (int d = 0; d < at.size(); ++d) {
      begin += (part.lo[d] + at[d] - target_.lo[d]) * spans[d];
      offset += (part.lo[d] + at[d] - block.patch.lo[d]) * block.strides[d];
    }
    const auto bytes = static_cast<std::int64_t>(size_of(source_.type()));
    std::byte* to = static_cast<std::byte*>(block.data) + offset * bytes;
    for_each_box(from_, begin, begin + run, [&](const Patch& box, std::int64_t count) {
      under_way_.push_back(source_.get_async(box, to));
      to += count * bytes;
      if (under_way_.size() == most_in_flight) finish();
    });
  }

  void finish() {
    wait_all(under_way_);
    under_way_.clear();
  }

  const AnyArray& source_;
  Patch from_, target_;
  std::vector<Handle> under_way_;
};

void check_alike(const View& source, const View& target) {
  if (source.array.type() != target.array.type())
    throw Error(ErrorKind::type, "elements are " + std::string(name_of(source.array.type())) +
                                     " and " + std::string(name_of(target.array.type())) +
                                     "; expected one type");
  const Patch from = source.section(), to = target.section();
  if (from.elements() != to.elements())
    throw Error(ErrorKind::value,
                "patch " + from.to_string() + " of '" + source.array.name() + "' has " +
                    std::to_string(from.elements()) + " elements, patch " + to.to_string() +
                    " of '" + target.array.name() + "' has " + std::to_string(to.elements()));
  if (source.array.state() == target.array.state() && !intersection(from, to).empty())
    throw Error(ErrorKind::value, "patches " + from.to_string() + " and " + to.to_string() +
                                      " of '" + source.array.name() + "' overlap");
}

void synchronise(const View& source, const View& target) {
  source.array.group().sync();
  if (target.array.group() != source.array.group()) target.array.group().sync();
}

}  // namespace

Index unravelled(std::int64_t n, const Index& shape) {
  Index position = shape;
  for (int d = shape.size() - 1; d >= 0; --d) {
    position[d] = n % shape[d];
    n /= shape[d];
  }
  return position;
}

Shaped::Shaped(const View& operand, const Index& shape) : operand_(operand) {
  const Index own = operand.shape();
  if (own == shape || own.product() != shape.product()) return;
  const auto empty_array = [&](const Index& extents) {
    return AnyArray(operand.array.group(), extents, operand.array.type(), {.zero = false});
  };
  AnyArray result = empty_array(shape);
  if (operand.transposed()) {
    AnyArray turned = empty_array(own);
    copy(operand, turned);
    copy_in_order(turned, result);
  } else {
    copy_in_order(operand, result);
  }
  copy_.emplace(std::move(result));
}

void copy_in_order(const View& source, const MutableView& target) {
  check_alike(source, target);
  synchronise(source, target);
  BlockFiller filler(source, target.section());
  for (const LocalBlock& block : target.array.blocks(target.array.group().rank()))
    filler.fill(block);
  synchronise(source, target);
}

}  // namespace lagoon::atoll::ga
