#include "race_bindings.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "array/race_notes.hpp"
#include "atoll/races.hpp"
#include "bindings.hpp"
#include "section.hpp"

namespace lagoon::atoll::python {

namespace {

/// Memory that a view shows: a block's, by addresses.
class DirectMemory {
 public:
  DirectMemory(std::shared_ptr<AnyArray> array, Patch patch, const void* data, Index strides)
      : array_(std::move(array)), patch_(patch), strides_(strides) {
    const auto size = static_cast<std::int64_t>(size_of(array_->type()));
    for (std::int64_t& stride : strides_) stride *= size;
    first_ = reinterpret_cast<std::int64_t>(data);
    end_ = first_ + size;
    const Index extents = patch_.shape();
    for (int d = 0; d < extents.size(); ++d) end_ += (extents[d] - 1) * strides_[d];
    for (const Patch& owned : array_->patches(array_->group().rank()))
      if (owned_.lo.empty() && !owned.empty()) owned_ = owned;
    // Of another rank's block, or one of several: no halo lies around it.
    if (owned_.lo.empty() || intersection(owned_, patch_).empty()) owned_ = patch_;
  }

  bool shows(std::int64_t address) const noexcept { return address >= first_ && address < end_; }

  /// Of a view: its first element's address, extents and strides in bytes.
  void note(std::int64_t address, std::vector<std::int64_t> shape,
            std::vector<std::int64_t> strides, bool wrote) const {
    if (!shows(address) || !array_->alive() || !detail::follows_races()) return;
    for (std::size_t i = 0; i < shape.size();) {
      if (shape[i] == 0) return;
      if (shape[i] == 1 || strides[i] == 0) {
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(i));
        strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      if (strides[i] < 0) {
        address += (shape[i] - 1) * strides[i];
        strides[i] = -strides[i];
      }
      ++i;
    }
    const ProgramLine line;
    Patch patch;
    if (is_section(address, shape, strides, patch)) return tell(patch, wrote);
    // As diagonals and flattened views: one element after the other.
    constexpr std::int64_t most = 100'000;
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) elements *= extent;
    if (elements > most) return;
    std::vector<std::int64_t> at(shape.size(), 0);
    for (std::int64_t n = 0; n < elements; ++n) {
      std::int64_t element = address;
      for (std::size_t d = 0; d < at.size(); ++d) element += at[d] * strides[d];
      if (is_section(element, {}, {}, patch)) tell(patch, wrote);
      for (std::size_t d = at.size(); d > 0; --d) {
        if (++at[d - 1] != shape[d - 1]) break;
        at[d - 1] = 0;
      }
    }
  }

 private:
  bool is_section(std::int64_t address, const std::vector<std::int64_t>& shape,
                  const std::vector<std::int64_t>& strides, Patch& patch) const {
    const int n = patch_.dimensions();
    const Index extents = patch_.shape();
    patch = {patch_.lo, patch_.lo, Index::filled(n, 1)};
    std::int64_t rest = address - first_;
    for (int d = 0; d < n; ++d) {
      const std::int64_t position = strides_[d] == 0 ? 0 : rest / strides_[d];
      rest -= position * strides_[d];
      patch.lo[d] += position;
      patch.hi[d] = patch.lo[d] + 1;
    }
    for (std::size_t k = 0; k < shape.size(); ++k) {
      int along = -1;
      for (int d = 0; d < n && along < 0; ++d) {
        const std::int64_t step = strides[k] / strides_[d];
        if (strides[k] % strides_[d] != 0 || patch.hi[d] != patch.lo[d] + 1) continue;
        if (patch.lo[d] - patch_.lo[d] + (shape[k] - 1) * step >= extents[d]) continue;
        patch.hi[d] = patch.lo[d] + (shape[k] - 1) * step + 1;
        patch.step[d] = step;
        along = d;
      }
      if (along < 0) return false;
    }
    return true;
  }

  /// Only what lies in the block itself: elements of a halo are copies.
  void tell(Patch patch, bool wrote) const {
    for (int d = 0; d < patch.dimensions(); ++d) {
      const std::int64_t step = patch.step[d];
      if (patch.lo[d] < owned_.lo[d])
        patch.lo[d] += (owned_.lo[d] - patch.lo[d] + step - 1) / step * step;
      patch.hi[d] = std::min(patch.hi[d], owned_.hi[d]);
      if (patch.lo[d] >= patch.hi[d]) return;
    }
    detail::note_direct(*array_->state(), patch, wrote);
  }

  std::shared_ptr<AnyArray> array_;
  Patch patch_, owned_;
  Index strides_;  // in bytes
  std::int64_t first_ = 0, end_ = 0;
};

nb::tuple side_of(const Race::Side& side) {
  return nb::make_tuple(side.operation, side.rank, side.place);
}

nb::list found() {
  nb::list result;
  for (const Race& race : races())
    result.append(nb::make_tuple(race.array, key_of(race.patch), side_of(race.first),
                                 side_of(race.second), race.in_buffer, race.to_string()));
  return result;
}

}  // namespace

nb::object followed(nb::object view, const ArrayObject& object, const Patch& patch,
                    const void* data, const Index& strides) {
  if (!detail::follows_races() || data == nullptr || patch.empty() || !called_by_program())
    return view;
  return nb::module_::import_("atoll._races")
      .attr("followed")(view, DirectMemory(object.shared(), patch, data, strides));
}

void bind_races(nb::module_& m) {
  nb::class_<DirectMemory>(m, "DirectMemory", "Memory of an array that a NumPy view shows.")
      .def("shows", &DirectMemory::shows, nb::arg("address"))
      .def("note", &DirectMemory::note, nb::arg("address"), nb::arg("shape"), nb::arg("strides"),
           nb::arg("wrote"));
  m.def("races", &found,
        nb::sig("def races() -> list[tuple[str, tuple[slice, ...], tuple[str, int, str], "
                "tuple[str, int, str], bool, str]]"));
}

}  // namespace lagoon::atoll::python
