// The elements of an array or of a patch of it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "compat/ga/print/element_text.hpp"
#include "compat/ga/print/print.hpp"

namespace lagoon::atoll::ga {

namespace {

constexpr int line_width = 80;
constexpr std::int64_t most_rows = 1024;  // of a slab

/// Bounds of a patch as Fortran sees them: dimension 0 is the one that is contiguous. A vector has
/// one column, 1.
struct Bounds {
  explicit Bounds(const Patch& patch) : dimensions(patch.dimensions()) {
    give_patch<Language::fortran>(patch, lo.data(), hi.data());
    if (dimensions == 1) lo[1] = hi[1] = 1;
  }
  int dimensions;
  std::array<std::int64_t, most_dimensions> lo{}, hi{};
};

/// A position in the dimensions from the third on.
using Above = std::array<std::int64_t, most_dimensions>;

/// To the next position within the bounds; false behind the last one.
bool advance(Above& above, const Bounds& bounds) {
  for (std::size_t d = 2; d < static_cast<std::size_t>(bounds.dimensions); ++d) {
    if (++above[d] <= bounds.hi[d]) return true;
    above[d] = bounds.lo[d];
  }
  return false;
}

void write(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
}

std::string padded(std::int64_t number, int width) {
  const std::string text = std::to_string(number);
  const auto wanted = static_cast<std::size_t>(width);
  return text.size() < wanted ? std::string(wanted - text.size(), ' ') + text : text;
}

class Printer {
 public:
  Printer(std::FILE* file, GlobalArray& a) : file_(file), array_(a), texts_(a) {}

  /// "name[1:3,1:3]".
  std::string title(const Bounds& bounds) const {
    std::string text = array_.plan.name + "[";
    for (std::size_t d = 0; d < static_cast<std::size_t>(bounds.dimensions); ++d)
      text +=
          (d > 0 ? "," : "") + std::to_string(bounds.lo[d]) + ":" + std::to_string(bounds.hi[d]);
    return text + "]";
  }

  void table(const Bounds& bounds) {
    Above above = bounds.lo;
    do {
      if (bounds.dimensions > 2) write(file_, "\n -- patch: " + plane_title(bounds, above) + "\n");
      plane(bounds, above);
    } while (advance(above, bounds));
  }

  void lines(const Bounds& bounds) {
    Above above = bounds.lo;
    do {
      for (std::int64_t column = bounds.lo[1]; column <= bounds.hi[1]; ++column)
        for_each_row(bounds, above, column, column, [&](std::int64_t row) {
          Above at = above;
          at[0] = row;
          at[1] = column;
          write(file_, array_.plan.name + "(" + subscript(bounds, at, 0) +
                           ") = " + texts_.plain(element(0, row)) + "\n");
        });
    } while (advance(above, bounds));
  }

 private:
  /// The numbers from dimension `d` on, with commas.
  static std::string subscript(const Bounds& bounds, const Above& above, std::size_t d) {
    std::string text = std::to_string(above[d]);
    while (++d < static_cast<std::size_t>(bounds.dimensions))
      text += "," + std::to_string(above[d]);
    return text;
  }

  /// "name[1:3,1:3,2]"
  std::string plane_title(const Bounds& bounds, const Above& above) const {
    return array_.plan.name + "[" + std::to_string(bounds.lo[0]) + ":" +
           std::to_string(bounds.hi[0]) + "," + std::to_string(bounds.lo[1]) + ":" +
           std::to_string(bounds.hi[1]) + "," + subscript(bounds, above, 2) + "]";
  }

  /// Columns in groups that fit a line, each group with its heading. A vector has one, without.
  void plane(const Bounds& bounds, const Above& above) {
    if (bounds.dimensions == 1) {
      rows(bounds, above, 1, 1);
      return;
    }
    const std::int64_t together = std::max(1, (line_width - 6) / texts_.width);
    for (std::int64_t first = bounds.lo[1]; first <= bounds.hi[1]; first += together) {
      const std::int64_t last = std::min(first + together - 1, bounds.hi[1]);
      heading(first, last);
      rows(bounds, above, first, last);
    }
  }

  void heading(std::int64_t first_column, std::int64_t last_column) {
    std::string numbers(6, ' '), rules(6, ' ');
    for (std::int64_t column = first_column; column <= last_column; ++column) {
      const int before = (texts_.width + 1) / 2 + 1;
      numbers += padded(column, before) +
                 std::string(static_cast<std::size_t>(texts_.width - before), ' ');
      rules += " " + std::string(static_cast<std::size_t>(texts_.width) - 1, '-');
    }
    numbers.erase(numbers.find_last_not_of(' ') + 1);
    write(file_, "\n" + numbers + "\n" + rules + "\n");
  }

  void rows(const Bounds& bounds, const Above& above, std::int64_t first_column,
            std::int64_t last_column) {
    for_each_row(bounds, above, first_column, last_column, [&](std::int64_t row) {
      std::string line = padded(row, 4) + "  ";
      for (std::int64_t column = 0; column <= last_column - first_column; ++column)
        line += texts_.aligned(element(column, row));
      write(file_, line + "\n");
    });
  }

  /// Fetches slabs of some columns and calls `f(row)` for each row of them.
  template <class F>
  void for_each_row(const Bounds& bounds, const Above& above, std::int64_t first_column,
                    std::int64_t last_column, const F& f) {
    for (std::int64_t row = bounds.lo[0]; row <= bounds.hi[0]; row += most_rows) {
      const std::int64_t last_row = std::min(row + most_rows - 1, bounds.hi[0]);
      fetch(bounds.dimensions, above, {row, first_column}, {last_row, last_column});
      for (std::int64_t r = row; r <= last_row; ++r) f(r);
    }
  }

  struct Corner {
    std::int64_t row, column;
  };

  void fetch(int dimensions, const Above& above, Corner first_corner, Corner last_corner) {
    Above lo = above, hi = above;
    lo[0] = first_corner.row;
    hi[0] = last_corner.row;
    lo[1] = first_corner.column;
    hi[1] = last_corner.column;
    const Patch patch = ga::patch<Language::fortran>(lo.data(), hi.data(), dimensions);
    first_row_ = first_corner.row;
    rows_ = last_corner.row - first_corner.row + 1;
    slab_.resize(static_cast<std::size_t>(patch.elements()) * texts_.bytes);
    array_.array().get(array_.stored(patch), slab_.data());
  }

  /// Of the slab: a column counted from its first one, a row of the array.
  const std::byte* element(std::int64_t column, std::int64_t row) const {
    return slab_.data() +
           static_cast<std::size_t>(column * rows_ + row - first_row_) * texts_.bytes;
  }

  std::FILE* file_;
  GlobalArray& array_;
  ElementText texts_;
  std::vector<std::byte> slab_;
  std::int64_t first_row_ = 0, rows_ = 0;
};

void check(const GlobalArray& a, const Patch& patch) {
  for (int d = 0; d < a.dimensions(); ++d)
    if (patch.lo[d] < 0 || patch.hi[d] > a.shape()[d])
      throw Error(ErrorKind::index, "patch " + patch.to_string() + " lies outside array '" +
                                        a.plan.name + "' of shape " + a.shape().to_string());
}

}  // namespace

void print(std::FILE* file, GlobalArray& a, const Patch& patch, bool pretty) {
  check(a, patch);
  const Group& group = a.array().whole_group();
  Printer printer(file, a);
  group.sync();
  if (group.rank() == 0) {
    const Bounds bounds(patch);
    write(file, "\n global array: " + printer.title(bounds) +
                    ",  handle: " + std::to_string(a.handle()) + "\n");
    if (!patch.empty()) pretty ? printer.table(bounds) : printer.lines(bounds);
    std::fflush(file);
  }
  group.barrier();
}

void print(std::FILE* file, GlobalArray& a) { print(file, a, whole(a.shape()), true); }

}  // namespace lagoon::atoll::ga
