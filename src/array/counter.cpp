// Counter: one int64 element, on the first rank of the group.
#include "atoll/counter.hpp"

#include "array/array_state.hpp"
#include "world/collective.hpp"
#include "world/race/detector.hpp"

namespace lagoon::atoll {

namespace {

/// The only element. Kept, since an `Index` made in each call takes as long as the addition.
const Patch& cell() {
  static const Patch patch{{0}, {1}, {}};
  return patch;
}

}  // namespace

Counter::Counter(const Group& group, std::int64_t first)
    : cell_(group, {1}, {.layout = {}, .name = "counter", .zero = true}) {
  reset(first);  // also to 0, since ranks may give different numbers
}

std::int64_t Counter::next(std::int64_t increment) { return cell_.fetch_add(cell().lo, increment); }

std::int64_t Counter::value() const {
  // As a get it would be a race with those who count.
  if (detail::race::Detector::running != nullptr)
    return cell_.state()->fetch(detail::Action::fetch_add, cell().lo, 0);
  std::int64_t value = 0;
  cell_.get(cell(), &value);
  return value;
}

void Counter::reset(std::int64_t first) {
  detail::enter_collective(cell_.group(), "reset counter", static_cast<std::uint64_t>(first),
                           nullptr);
  if (cell_.group().rank() == 0) (void)cell_.swap(cell().lo, first);
  detail::leave_collective(cell_.group());
}

}  // namespace lagoon::atoll
