// print: rank 0 of the group fetches what is shown, and no more, and writes it as NumPy would.
#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "algebra/core/sections.hpp"
#include "algebra/ordered/number_text.hpp"
#include "array/frame.hpp"
#include "atoll/algebra.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll {

namespace {

/// What is shown: of a long dimension only `edge` from either end.
struct Window {
  Index shown;  ///< extents of what is shown
  Index head;   ///< of those, how many stand before the dots; equal to `shown` without dots
};

Window choose_window(const Index& shape, int edge) {
  Window window{shape, shape};
  for (int d = 0; d < shape.size(); ++d)
    if (const std::int64_t ends = 2 * static_cast<std::int64_t>(edge); shape[d] > ends) {
      window.shown[d] = ends;
      window.head[d] = edge;
    }
  return window;
}

/// Fetches the window, packed: every combination of a head and a tail is one patch.
std::vector<std::byte> fetch(const AnyArray& a, const Window& window) {
  const std::size_t size = size_of(a.type());
  std::vector<std::byte> data(static_cast<std::size_t>(window.shown.product()) * size);
  const Index strides = packed_strides(window.shown);
  Index parts = window.shown;
  for (int d = 0; d < parts.size(); ++d) parts[d] = window.head[d] < window.shown[d] ? 2 : 1;
  Index part = Index::filled(parts.size(), 0);
  do {
    Patch patch = whole(a.shape());
    std::int64_t offset = 0;
    for (int d = 0; d < parts.size(); ++d) {
      if (part[d] == 1) {
        patch.lo[d] = a.shape()[d] - (window.shown[d] - window.head[d]);
        offset += window.head[d] * strides[d];
      } else {
        patch.hi[d] = window.head[d];
      }
    }
    if (!patch.empty())
      a.get(patch, data.data() + static_cast<std::size_t>(offset) * size, strides);
  } while (next_position(part, parts));
  return data;
}

class Writer {
 public:
  Writer(std::ostream& stream, const Window& window, const std::vector<std::string>& texts)
      : stream_(stream), window_(window), texts_(texts) {}

  void write(int d) {
    const int last = window_.shown.size() - 1;
    stream_ << "[";
    for (std::int64_t i = 0; i < window_.shown[d]; ++i) {
      if (i > 0) separate(d);
      if (i == window_.head[d]) {
        stream_ << "...";
        separate(d);
      }
      if (d == last)
        stream_ << texts_[next_++];
      else
        write(d + 1);
    }
    stream_ << "]";
  }

 private:
  /// A blank in a row; else as many line ends as dimensions are still open, and the indent.
  void separate(int d) {
    const int inner = window_.shown.size() - 1 - d;
    if (inner == 0)
      stream_ << " ";
    else
      stream_ << std::string(static_cast<std::size_t>(inner), '\n')
              << std::string(static_cast<std::size_t>(d) + 1, ' ');
  }

  std::ostream& stream_;
  const Window& window_;
  const std::vector<std::string>& texts_;
  std::size_t next_ = 0;
};

void write_heading(const AnyArray& a, std::ostream& stream) {
  stream << detail::description(a) << ", " << name_of(a.type()) << ", "
         << a.distribution().to_string() << "\n";
}

}  // namespace

void print(const AnyArray& a, std::ostream& stream, int edge_items) {
  detail::require_alive(a, "print");
  const auto validate = [&] {
    if (edge_items < 1)
      throw Error(ErrorKind::value,
                  "edge_items is " + std::to_string(edge_items) + "; at least one is needed");
  };
  const std::uint64_t hash = detail::hash_of(a, static_cast<std::uint64_t>(edge_items));
  detail::collectively(a.group(), "print", hash, validate, [&] {
    if (a.group().rank() != 0) return;
    write_heading(a, stream);
    if (a.elements() == 0) {
      stream << "[]\n";
      return;
    }
    const Window window = choose_window(a.shape(), edge_items);
    const std::vector<std::byte> shown = fetch(a, window);
    const auto texts = detail::texts_of(a.type(), shown.data(), shown.size() / size_of(a.type()));
    Writer(stream, window, texts).write(0);
    stream << "\n";
    stream.flush();
  });
}

}  // namespace lagoon::atoll
