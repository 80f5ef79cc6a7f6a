#include "compat/ga/sparse/sketch.hpp"

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compat/ga/environment.hpp"
#include "compat/ga/sparse/dense.hpp"
#include "compat/ga/sparse/matrices.hpp"
#include "ga/macommon.h"

namespace lagoon::atoll::ga::sparse {

namespace {

/// A new vector whose blocks are the strips of rows.
int new_vector(const Frame& frame, int type, const char* name) {
  Plan plan;
  set_shape(plan, type, {frame.rows.extent()});
  plan.name = name;
  plan.group = frame.group_handle;
  plan.cut = Cut::irregular;
  plan.starts.emplace_back();
  for (int strip = 0; strip < frame.rows.count(); ++strip) {
    const Range rows = frame.rows.range(strip);
    if (rows.size() == 0) continue;
    plan.starts.front().push_back(rows.lo);
    plan.restricted.push_back(strip);
  }
  if (static_cast<int>(plan.restricted.size()) == frame.rows.count()) plan.restricted.clear();
  if (const std::optional<int> made = create(std::move(plan))) return *made;
  throw Error(ErrorKind::memory,
              "no memory for a vector of " + std::to_string(frame.rows.extent()) + " elements");
}

template <Element T>
void put_rows(int vector, Range rows, const std::vector<T>& values) {
  if (!values.empty()) array_of(vector).array().put({{rows.lo}, {rows.hi}}, values.data());
}

/// Numbers that look random, one for each row, from a number that was drawn once (splitmix64).
class RowNumbers {
 public:
  explicit RowNumbers(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t of(std::int64_t row) const {
    std::uint64_t x = seed_ + (static_cast<std::uint64_t>(row) + 1) * 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }

 private:
  std::uint64_t seed_;
};

RowNumbers draw(const Group& group) {
  double drawn = random_number(0);
  group.broadcast(std::span(&drawn, 1), 0);
  return RowNumbers(static_cast<std::uint64_t>(drawn * 0x1p53));
}

}  // namespace

int column(std::int64_t s_a, std::int64_t j) {
  return together(s_a, [&]<class T>(Matrix<T>& s) {
    const Frame& frame = s.frame();
    if (j < 0 || j >= frame.columns.extent())
      throw Error(ErrorKind::index, "the column is " + std::to_string(j) + ", counted from 0, of " +
                                        std::to_string(frame.columns.extent()));
    const Range rows = s.my_rows();
    std::vector<T> values(static_cast<std::size_t>(rows.size()));
    s.each([&](std::int64_t row, std::int64_t column, T value) {
      if (column == j) values[static_cast<std::size_t>(row - rows.lo)] = value;
    });
    const int made = new_vector(frame, frame.type, "column of sparse");
    put_rows(made, rows, values);
    return made;
  });
}

Sketch count_sketch(Language language, std::int64_t s_a, std::int64_t extent) {
  if (extent < 1 || extent > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::value,
                "size_k is " + std::to_string(extent) + "; expected 1 to 2^31 - 1");
  return together(s_a, [&]<class T>(Matrix<T>& s) {
    const Frame& frame = s.frame();
    const RowNumbers numbers = draw(frame.group);
    const Range rows = s.my_rows();
    std::vector<std::int32_t> k;
    std::vector<T> w;
    for (std::int64_t row = rows.lo; row < rows.hi; ++row) {
      const std::uint64_t number = numbers.of(row);
      k.push_back(static_cast<std::int32_t>((number >> 1U) % static_cast<std::uint64_t>(extent)));
      w.push_back((number & 1U) != 0 ? T(1) : T(-1));
    }
    const Sketch made{new_dense(frame, matrix_shape(language, extent, frame.columns.extent())),
                      new_vector(frame, MT_C_INT, "k of a sketch"),
                      new_vector(frame, frame.type, "w of a sketch")};
    put_rows(made.k, rows, k);
    put_rows(made.w, rows, w);
    std::vector<std::int64_t> positions;
    std::vector<T> values;
    s.each([&](std::int64_t row, std::int64_t column, T value) {
      const auto at = static_cast<std::size_t>(row - rows.lo);
      const Index position = matrix_shape(language, k[at], column);
      positions.insert(positions.end(), position.begin(), position.end());
      values.push_back(w[at] * value);
    });
    if (!values.empty())
      array_of(made.product).array().scatter_accumulate(positions, values.data());
    return made;
  });
}

}  // namespace lagoon::atoll::ga::sparse
