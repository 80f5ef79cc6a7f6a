// AnyLazyMirror: the public handle of a NodeCache.
#include "atoll/lazy_mirror.hpp"

#include <string_view>
#include <utility>

#include "array/array_state.hpp"
#include "array/calls.hpp"
#include "atoll/error.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll {

namespace {

using detail::named;

constexpr const char* creation = "create lazy mirror";

std::shared_ptr<detail::ArrayState> state_of(const AnyArray& array) {
  // All members see the same here, and throw alike.
  named(creation, [&] { (void)detail::require(array.state()); });
  if (array.mirrored())
    throw Error(ErrorKind::value, "a mirrored array has a copy on every node already")
        .during(creation, array.name());
  return array.state();
}

}  // namespace

AnyLazyMirror::AnyLazyMirror(const AnyArray& array, std::int64_t budget)
    : array_(state_of(array)),
      cache_(std::make_unique<detail::NodeCache>(*array_, budget, creation)) {}
AnyLazyMirror::AnyLazyMirror(AnyLazyMirror&&) noexcept = default;
AnyLazyMirror::~AnyLazyMirror() = default;

AnyLazyMirror& AnyLazyMirror::operator=(AnyLazyMirror&& other) noexcept {
  cache_ = std::move(other.cache_);  // before the array that the old one refers to
  array_ = std::move(other.array_);
  return *this;
}

detail::NodeCache& AnyLazyMirror::require() const {
  if (cache_ == nullptr) throw Error(ErrorKind::state, "the lazy mirror was moved from");
  return *cache_;
}

const detail::ArrayState& AnyLazyMirror::array() const {
  (void)require();
  return *array_;
}

bool AnyLazyMirror::alive() const noexcept {
  return cache_ != nullptr && cache_->open() && array_->alive();
}

void AnyLazyMirror::close() {
  named("close lazy mirror", [&] { require().require_open(); });
  detail::enter_collective(array_->group, "close lazy mirror", cache_->number(), nullptr);
  cache_->drop();
}

void AnyLazyMirror::get(const Patch& patch, void* out, const Index& strides) const {
  named("get", [&] { require().get(patch, static_cast<std::byte*>(out), strides); });
}
void AnyLazyMirror::gather(std::span<const std::int64_t> positions, void* values) const {
  named("gather", [&] { require().gather(positions, static_cast<std::byte*>(values)); });
}
void AnyLazyMirror::refresh() {
  named("refresh", [&] { require().refresh(); });
}
LazyStatistics AnyLazyMirror::statistics() const {
  return named("statistics", [&] { return require().statistics(); });
}

std::int64_t AnyLazyMirror::budget() const { return require().budget(); }
ElementType AnyLazyMirror::type() const { return array().type; }
const Index& AnyLazyMirror::shape() const { return array().shape; }
const std::string& AnyLazyMirror::name() const { return array().name; }
const Group& AnyLazyMirror::group() const { return array().group; }

}  // namespace lagoon::atoll
