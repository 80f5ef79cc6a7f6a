#include "ghost/windows/layout.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "ghost/ghost.hpp"
#include "ghost/windows/alone.hpp"
#include "ghost/windows/predefined.hpp"
#include "ghost/windows/window.hpp"
#include "world/copy_bytes.hpp"

namespace lagoon::atoll::ghost {

namespace {

/// One run after the other.
class Cursor {
 public:
  explicit Cursor(const Layout& layout) : layout_(layout) {}
  /// Bytes left of the run; none at the end.
  std::int64_t left() const noexcept {
    return at_ < layout_.strips.size() ? layout_.strips[at_].run - inside_ : 0;
  }
  std::int64_t offset() const noexcept {
    const Strip& strip = layout_.strips[at_];
    return strip.offset + index_ * strip.stride + inside_;
  }
  void advance(std::int64_t bytes) noexcept {
    const Strip& strip = layout_.strips[at_];
    inside_ += bytes;
    if (inside_ < strip.run) return;
    inside_ = 0;
    if (++index_ < strip.count) return;
    index_ = 0;
    ++at_;
  }

 private:
  const Layout& layout_;
  std::size_t at_ = 0;
  std::int64_t index_ = 0, inside_ = 0;
};

/// What a type keeps.
struct Layouts {
  Layout bytes;                      // gaps left out
  std::unique_ptr<Layout> elements;  // gaps included; null: the same
};

extern "C" int forget_layouts(MPI_Datatype /*type*/, int /*key*/, void* value, void* /*extra*/) {
  delete static_cast<const Layouts*>(value);
  return MPI_SUCCESS;
}

int layout_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget_layouts, &made, nullptr);
    return made;
  }();
  return key;
}

/// MPI does not tell whether a type is committed, but packs none of it where it is not.
void require_committed(MPI_Datatype type) {
  std::byte nothing{};
  int position = 0;
  if (PMPI_Pack(&nothing, 0, type, &nothing, 1, &position, alone()) != MPI_SUCCESS)
    throw Refused(MPI_ERR_TYPE, "a datatype that is not committed");
}

/// Of one of a derived type; stays valid as long as the type.
const Layout& kept_layout(MPI_Datatype type, Gaps gaps) {
  void* found = nullptr;
  int there = 0;
  PMPI_Type_get_attr(type, layout_key(), &found, &there);
  if (there == 0) {
    require_committed(type);
    auto made = std::make_unique<Layouts>();
    made->bytes = flatten(type, Gaps::left_out);
    Layout elements = flatten(type, Gaps::included);
    if (elements.bytes != made->bytes.bytes)
      made->elements = std::make_unique<Layout>(std::move(elements));
    PMPI_Type_set_attr(type, layout_key(), made.get());
    found = made.release();
  }
  const auto& kept = *static_cast<const Layouts*>(found);
  return gaps == Gaps::included && kept.elements != nullptr ? *kept.elements : kept.bytes;
}

std::size_t size_of_run(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

std::int64_t Layout::lowest() const noexcept {
  std::int64_t least = first();
  for (const Strip& strip : strips)
    least =
        std::min(least, strip.offset + std::min<std::int64_t>(0, (strip.count - 1) * strip.stride));
  return least;
}

std::int64_t Layout::end() const noexcept {
  std::int64_t most = first();
  for (const Strip& strip : strips)
    most = std::max(most, strip.offset + strip.run +
                              std::max<std::int64_t>(0, (strip.count - 1) * strip.stride));
  return most;
}

void Layout::append(const Strip& strip) {
  if (strip.run == 0 || strip.count == 0) return;
  if (!strips.empty()) {
    Strip& last = strips.back();
    if (last.count == 1 && strip.count == 1 && last.offset + last.run == strip.offset) {
      last.run += strip.run;
      return;
    }
    const std::int64_t apart = strip.offset - (last.offset + (last.count - 1) * last.stride);
    if (last.run == strip.run && (last.count == 1 || last.stride == apart) &&
        (strip.count == 1 || strip.stride == apart)) {
      last.stride = apart;
      last.count += strip.count;
      return;
    }
  }
  strips.push_back(strip);
}

void Layout::add(const Layout& other, std::int64_t offset, std::int64_t count,
                 std::int64_t stride) {
  if (other.bytes == 0 || count <= 0) return;
  if (type == -1)
    type = other.type;
  else if (type != other.type)
    type = mixed;
  bytes += count * other.bytes;
  if (other.contiguous()) {  // the usual case, in one step
    const Strip& only = other.strips[0];
    if (stride == only.run)
      append({only.offset + offset, count * only.run, 0, 1});
    else
      append({only.offset + offset, only.run, count == 1 ? 0 : stride, count});
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    for (const Strip& strip : other.strips)
      append({strip.offset + offset + i * stride, strip.run, strip.stride, strip.count});
}

void Layout::compress() {
  for (std::size_t before = 0; before != strips.size();) {
    before = strips.size();
    for (const Strip& strip : std::exchange(strips, Strips())) append(strip);
  }
}

Layout layout_of_elements(int number, std::int64_t count, Gaps gaps) {
  const PredefinedType& type = predefined(number);
  Layout all;
  all.type = number;
  all.extent = count * type.bytes;
  if (gaps == Gaps::included || !type.has_gaps()) {
    all.bytes = all.extent;
    all.strips.push_back({0, all.bytes, 0, 1});
    return all;
  }
  Layout one;
  one.type = number;
  one.bytes = type.size;
  one.strips.push_back({0, type.value_bytes, 0, 1});
  one.strips.push_back({type.index_offset(), PredefinedType::index_bytes, 0, 1});
  one.compress();
  all.add(one, 0, count, type.bytes);
  return all;
}

Layout layout_of(MPI_Datatype type, std::int64_t count, Gaps gaps) {
  Layout all;
  if (const int number = number_of(type); number != no_type)
    return count == 0 ? all : layout_of_elements(number, count, gaps);
  const Layout& one = kept_layout(type, gaps);
  if (count == 0) return all;
  if (count == 1) return one;
  all.add(one, 0, count, one.extent);
  all.compress();
  return all;
}

void copy_layout(const Layout& to, std::byte* to_base, const Layout& from,
                 const std::byte* from_base) {
  Cursor there(to), here(from);
  for (;;) {
    const std::int64_t now = std::min(there.left(), here.left());
    if (now == 0) return;
    atoll::detail::copy_bytes(to_base + there.offset(), from_base + here.offset(),
                              size_of_run(now));
    there.advance(now);
    here.advance(now);
  }
}

void pack(const Layout& from, const std::byte* base, std::byte* packed) {
  for_each_run(from, [&](std::int64_t offset, std::int64_t bytes) {
    atoll::detail::copy_bytes(packed, base + offset, size_of_run(bytes));
    packed += bytes;
  });
}

void unpack(const Layout& to, std::byte* base, const std::byte* packed) {
  for_each_run(to, [&](std::int64_t offset, std::int64_t bytes) {
    atoll::detail::copy_bytes(base + offset, packed, size_of_run(bytes));
    packed += bytes;
  });
}

}  // namespace lagoon::atoll::ghost
