// Index and Patch: what is not inline.
#include "atoll/index.hpp"

#include <algorithm>

#include "atoll/error.hpp"

namespace lagoon::atoll {

namespace {

std::int64_t steps_between(std::int64_t lo, std::int64_t hi, std::int64_t step) {
  return hi <= lo ? 0 : (hi - lo - 1) / step + 1;
}

}  // namespace

void detail::refuse_dimensions(std::size_t count) {
  throw Error(ErrorKind::value, "index has " + std::to_string(count) +
                                    " entries; at most 8 dimensions are supported");
}

Index::Index(std::span<const std::int64_t> values) : size_(checked(values.size())) {
  std::copy(values.begin(), values.end(), values_.begin());
}

std::int64_t Index::product() const {
  std::int64_t result = 1;
  for (const std::int64_t value : *this)
    if (__builtin_mul_overflow(result, value, &result))
      throw Error(ErrorKind::value, "the product of " + to_string() + " exceeds 2^63-1");
  return result;
}

std::string Index::to_string() const {
  std::string text = "(";
  for (int d = 0; d < size_; ++d) text += (d ? ", " : "") + std::to_string((*this)[d]);
  return text + ")";
}

Index packed_strides(const Index& shape) {
  Index strides = Index::filled(shape.size(), 1);
  for (int d = shape.size() - 2; d >= 0; --d) strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

Index Patch::shape() const {
  Index shape = Index::filled(lo.size(), 0);
  for (int d = 0; d < lo.size(); ++d)
    shape[d] = steps_between(lo[d], hi[d], step.empty() ? 1 : step[d]);
  return shape;
}

std::int64_t Patch::elements() const { return empty() ? 0 : shape().product(); }

bool Patch::empty() const {
  for (int d = 0; d < lo.size(); ++d)
    if (hi[d] <= lo[d]) return true;
  return false;
}

std::string Patch::to_string() const {
  std::string text = "[";
  for (int d = 0; d < lo.size(); ++d) {
    text += (d ? ", " : "") + std::to_string(lo[d]) + ":" + std::to_string(hi[d]);
    if (!step.empty() && step[d] != 1) text += ":" + std::to_string(step[d]);
  }
  return text + "]";
}

Patch whole(const Index& shape) { return {Index::filled(shape.size(), 0), shape, {}}; }

Patch intersection(const Patch& a, const Patch& b) {
  Patch common{a.lo, a.hi, {}};
  for (int d = 0; d < a.lo.size(); ++d) {
    common.lo[d] = std::max(a.lo[d], b.lo[d]);
    common.hi[d] = std::max(common.lo[d], std::min(a.hi[d], b.hi[d]));
  }
  return common;
}

}  // namespace lagoon::atoll
