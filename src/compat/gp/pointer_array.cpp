#include "compat/gp/pointer_array.hpp"

#include <array>
#include <utility>

#include "atoll/error.hpp"
#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"
#include "ga/macommon.h"

namespace lagoon::atoll::gp {

namespace {

constexpr int numbers = 2;  // an element: offset and size

using Numbers = std::array<std::int64_t, numbers>;

/// None of the program's.
constexpr int directory_handle = ga::first_handle - 1;

Index with_numbers(const Index& values, std::int64_t last) {
  Index result = values;
  result.push_back(last);
  return result;
}

Patch with_numbers(const Patch& patch) {
  return {with_numbers(patch.lo, 0), with_numbers(patch.hi, numbers)};
}

Patch patch_of(const Index& position) {
  Patch patch{position, position};
  for (std::int64_t& end : patch.hi) ++end;
  return patch;
}

}  // namespace

PointerArray::PointerArray(int number) : number_(number) {
  plan_.name = text();
  plan_.group = ga::Runtime::get().groups.default_handle();
}

ga::Plan& PointerArray::plan() {
  if (allocated()) throw Error(ErrorKind::state, text() + " is allocated already");
  return plan_;
}

ga::Plan& PointerArray::shaped_plan() {
  if (plan().shape.empty())
    throw Error(ErrorKind::state, "GP_Set_dimensions is to be called first for " + text());
  return plan_;
}

bool PointerArray::allocate() {
  ga::Plan wish = shaped_plan();
  wish.type = MT_C_LONGLONG;
  wish.shape.push_back(numbers);
  if (wish.block.empty()) wish.block = Index::filled(dimensions(), 0);
  wish.block.push_back(numbers);
  if (wish.cut == ga::Cut::irregular) wish.starts.push_back({0});
  auto made = std::make_unique<ga::GlobalArray>(directory_handle, std::move(wish));
  if (!made->allocate()) return false;
  directory_ = std::move(made);
  return true;
}

void PointerArray::deallocate() {
  if (!allocated()) return;
  directory_->deallocate();
  directory_.reset();
}

ga::GlobalArray& PointerArray::directory() const {
  if (!allocated())
    throw Error(ErrorKind::state, "GP_Allocate is to be called first for " + text());
  return *directory_;
}

const Group& PointerArray::group() const { return directory().processes(); }

Patch PointerArray::owned(int process) const {
  Patch patch = directory().owned(process);
  const auto n = static_cast<std::size_t>(dimensions());
  const auto elements_only = [n](const Index& values) {
    return Index(std::span<const std::int64_t>(values.begin(), n));
  };
  return {elements_only(patch.lo), elements_only(patch.hi)};
}

void PointerArray::check_inside(const Index& position) const {
  (void)directory();
  for (int d = 0; d < dimensions(); ++d)
    if (position[d] < 0 || position[d] >= plan_.shape[d])
      throw Error(ErrorKind::index, "element " + position.to_string() + " lies outside " + text() +
                                        " of shape " + plan_.shape.to_string());
}

/// In the world.
int PointerArray::owner(const Index& position) const {
  const AnyArray& array = directory().array();
  return array.group().world_rank(array.owner(with_numbers(position, 0)));
}

std::vector<Object> PointerArray::objects(const Patch& patch) const {
  const AnyArray& array = directory().array();
  if (patch.empty()) return {};
  if (intersection(patch, whole(plan_.shape)) != patch)
    throw Error(ErrorKind::index, "patch " + patch.to_string() + " lies outside " + text() +
                                      " of shape " + plan_.shape.to_string());
  std::vector<Numbers> found(static_cast<std::size_t>(patch.elements()));
  array.get(with_numbers(patch), found.data());
  std::vector<Object> result;
  result.reserve(found.size());
  const Index shape = patch.shape();
  Index at = Index::filled(dimensions(), 0), position = at;
  for (const auto& [offset, size] : found) {
    for (int d = 0; d < dimensions(); ++d) position[d] = patch.lo[d] + at[d];
    result.push_back({owner(position), offset, size});
    next_position(at, shape);
  }
  return result;
}

std::vector<Object> PointerArray::objects(const int* subscripts, int count) const {
  if (count < 0)
    throw Error(ErrorKind::value, "nv is " + std::to_string(count) + "; expected 0 or more");
  const AnyArray& array = directory().array();
  const int n = dimensions();
  std::vector<Object> result;
  std::vector<std::int64_t> positions;
  for (int k = 0; k < count; ++k) {
    const Index position =
        ga::position<ga::Language::c>(subscripts + std::ptrdiff_t{k} * std::ptrdiff_t{n}, n);
    check_inside(position);
    result.push_back({owner(position), 0, 0});
    for (int i = 0; i < numbers; ++i) {
      positions.insert(positions.end(), position.begin(), position.end());
      positions.push_back(i);
    }
  }
  std::vector<Numbers> found(result.size());
  array.gather(positions, found.data());
  for (std::size_t k = 0; k < found.size(); ++k) {
    result[k].offset = found[k][0];
    result[k].size = found[k][1];
  }
  return result;
}

Object PointerArray::object(const Index& position) const {
  check_inside(position);
  return objects(patch_of(position)).front();
}

void PointerArray::check_mine(const Index& position) const {
  check_inside(position);
  const int rank = owner(position);
  if (rank != ga::Runtime::get().world().rank())
    throw Error(ErrorKind::value, "element " + position.to_string() + " of " + text() +
                                      " belongs to process " + std::to_string(rank) +
                                      ", not to this one");
}

void PointerArray::set_mine(const Index& position, std::int64_t offset, std::int64_t size) {
  check_mine(position);
  const Numbers values{offset, size};
  directory().array().put(with_numbers(patch_of(position)), values.data());
}

}  // namespace lagoon::atoll::gp
