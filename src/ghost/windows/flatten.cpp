// Flattening: a datatype's constructors, one in the other, to the bytes that they lead to.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "ghost/ghost.hpp"
#include "ghost/windows/layout.hpp"
#include "ghost/windows/predefined.hpp"

namespace lagoon::atoll::ghost {

namespace {

/// What a type was made of. Numbers are those of the constructor, in its order.
struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> ints;
  std::vector<std::int64_t> numbers;  // ints, then addresses and large counts
  std::vector<MPI_Datatype> types;
  bool large = false;

  explicit Contents(MPI_Datatype type);
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  ~Contents();
};

#if MPI_VERSION >= 4
Contents::Contents(MPI_Datatype type) {
  MPI_Count counts[4] = {};
  PMPI_Type_get_envelope_c(type, &counts[0], &counts[1], &counts[2], &counts[3], &combiner);
  if (combiner == MPI_COMBINER_NAMED || counts[3] == 0) return;
  const auto length = [&](int i) { return static_cast<std::size_t>(counts[i]); };
  std::vector<MPI_Aint> aints(length(1));
  std::vector<MPI_Count> larges(length(2));
  ints.resize(length(0));
  types.resize(length(3));
  PMPI_Type_get_contents_c(type, counts[0], counts[1], counts[2], counts[3], ints.data(),
                           aints.data(), larges.data(), types.data());
  numbers.assign(ints.begin(), ints.end());
  numbers.insert(numbers.end(), aints.begin(), aints.end());
  numbers.insert(numbers.end(), larges.begin(), larges.end());
  large = !larges.empty();
}
#else
Contents::Contents(MPI_Datatype type) {
  int counts[3] = {};
  PMPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
  if (combiner == MPI_COMBINER_NAMED || counts[2] == 0) return;
  std::vector<MPI_Aint> aints(static_cast<std::size_t>(counts[1]));
  ints.resize(static_cast<std::size_t>(counts[0]));
  types.resize(static_cast<std::size_t>(counts[2]));
  PMPI_Type_get_contents(type, counts[0], counts[1], counts[2], ints.data(), aints.data(),
                         types.data());
  numbers.assign(ints.begin(), ints.end());
  numbers.insert(numbers.end(), aints.begin(), aints.end());
}
#endif

Contents::~Contents() {
  for (MPI_Datatype& type : types)  // derived ones are handed out as new handles
    if (number_of(type) == no_type && Contents(type).combiner != MPI_COMBINER_NAMED &&
        !Contents(type).types.empty())
      PMPI_Type_free(&type);
}

std::int64_t extent_of(MPI_Datatype type) {
  MPI_Count least = 0, extent = 0;
  PMPI_Type_get_extent_x(type, &least, &extent);
  return extent;
}

Layout leaf(MPI_Datatype type, int combiner, Gaps gaps) {
  int number = number_of(type), size = 0;
  PMPI_Type_size(type, &size);
  if (number == no_type && combiner != MPI_COMBINER_NAMED)
    number = number_of_precision(combiner, size);
  Layout made;
  if (size == 0) return made;
  if (number != no_type) return layout_of_elements(number, 1, gaps);
  made.type = Layout::mixed;
  made.bytes = made.extent = extent_of(type);
  made.strips.push_back({0, made.bytes, 0, 1});
  return made;
}

/// The elements of a section, dimension by dimension; `indices[d]` are those taken in dimension d.
void add_product(Layout& made, const Layout& element,
                 const std::vector<std::vector<std::int64_t>>& indices,
                 const std::vector<std::int64_t>& strides, std::size_t outer, std::int64_t offset) {
  // From the slowest dimension, the last one of these lists, inwards.
  if (outer == 0) {
    made.add(element, offset, 1, 0);
    return;
  }
  const auto& taken = indices[outer - 1];
  const std::int64_t stride = strides[outer - 1];
  const bool row = outer == 1 && !taken.empty() &&
                   taken.back() - taken.front() + 1 == static_cast<std::int64_t>(taken.size());
  if (row) {
    made.add(element, offset + taken.front() * stride, static_cast<std::int64_t>(taken.size()),
             stride);
    return;
  }
  for (const std::int64_t index : taken)
    add_product(made, element, indices, strides, outer - 1, offset + index * stride);
}

/// The dimensions of a subarray or darray from the fastest on.
void add_dimensions(Layout& made, const Layout& element, std::vector<std::int64_t> sizes,
                    std::vector<std::vector<std::int64_t>> indices, bool fortran) {
  if (!fortran) {
    std::reverse(sizes.begin(), sizes.end());
    std::reverse(indices.begin(), indices.end());
  }
  std::vector<std::int64_t> strides;
  std::int64_t stride = element.extent;
  for (const std::int64_t size : sizes) {
    strides.push_back(stride);
    stride *= size;
  }
  add_product(made, element, indices, strides, sizes.size(), 0);
}

std::vector<std::int64_t> from(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(first + i);
  return all;
}

void add_subarray(Layout& made, const Layout& element, const Contents& c) {
  const auto n = static_cast<std::size_t>(c.ints[0]);
  const std::int64_t* sizes = c.numbers.data() + (c.large ? 2 : 1);
  std::vector<std::vector<std::int64_t>> indices;
  for (std::size_t d = 0; d < n; ++d) indices.push_back(from(sizes[2 * n + d], sizes[n + d]));
  add_dimensions(made, element, {sizes, sizes + n}, std::move(indices),
                 c.ints[c.large ? 1 : 1 + 3 * n] == MPI_ORDER_FORTRAN);
}

/// What one of `places` has of a dimension, dealt out in blocks of `argument`.
std::vector<std::int64_t> dealt(std::int64_t size, int distribution, std::int64_t argument,
                                std::int64_t places, std::int64_t place) {
  if (distribution == MPI_DISTRIBUTE_NONE) return from(0, size);
  std::int64_t block = argument;
  if (argument == MPI_DISTRIBUTE_DFLT_DARG)
    block = distribution == MPI_DISTRIBUTE_BLOCK ? (size + places - 1) / places : 1;
  std::vector<std::int64_t> all;
  for (std::int64_t first = place * block; first < size; first += places * block)
    for (std::int64_t i = first; i < std::min(size, first + block); ++i) all.push_back(i);
  return all;
}

void add_darray(Layout& made, const Layout& element, const Contents& c) {
  std::int64_t rank = c.ints[1];
  const auto n = static_cast<std::size_t>(c.ints[2]);
  const int* rest = c.ints.data() + (c.large ? 3 : 3 + n);
  const int *kinds = rest, *arguments = rest + n, *grid = rest + 2 * n;
  const std::int64_t* sizes = c.numbers.data() + (c.large ? c.ints.size() : 3);
  std::vector<std::vector<std::int64_t>> indices(n);
  for (std::size_t d = n; d-- > 0; rank /= grid[d])  // the grid of processes is row-major always
    indices[d] = dealt(sizes[d], kinds[d], arguments[d], grid[d], rank % grid[d]);
  add_dimensions(made, element, {sizes, sizes + n}, std::move(indices),
                 rest[3 * n] == MPI_ORDER_FORTRAN);
}

void add_blocks(Layout& made, const Contents& c, Gaps gaps, bool in_bytes, bool equal) {
  const std::int64_t* numbers = c.numbers.data();
  const std::int64_t count = numbers[0];
  const std::int64_t* lengths = numbers + 1;
  const std::int64_t* places = equal ? numbers + 2 : numbers + 1 + count;
  const Layout element = flatten(c.types[0], gaps);
  for (std::int64_t i = 0; i < count; ++i)
    made.add(element, in_bytes ? places[i] : places[i] * element.extent,
             equal ? lengths[0] : lengths[i], element.extent);
}

void add_vector(Layout& made, const Contents& c, Gaps gaps, bool in_bytes) {
  const Layout element = flatten(c.types[0], gaps);
  Layout block;
  block.add(element, 0, c.numbers[1], element.extent);
  made.add(block, 0, c.numbers[0], in_bytes ? c.numbers[2] : c.numbers[2] * element.extent);
}

void add_struct(Layout& made, const Contents& c, Gaps gaps) {
  const std::int64_t count = c.numbers[0];
  for (std::int64_t i = 0; i < count; ++i) {
    const Layout element = flatten(c.types[static_cast<std::size_t>(i)], gaps);
    made.add(element, c.numbers[static_cast<std::size_t>(1 + count + i)],
             c.numbers[static_cast<std::size_t>(1 + i)], element.extent);
  }
}

}  // namespace

Layout flatten(MPI_Datatype type, Gaps gaps) {
  if (number_of(type) != no_type) return leaf(type, MPI_COMBINER_NAMED, gaps);
  const Contents c(type);
  if (c.types.empty()) return leaf(type, c.combiner, gaps);
  Layout made;
  switch (c.combiner) {
    case MPI_COMBINER_CONTIGUOUS: {
      const Layout element = flatten(c.types[0], gaps);
      made.add(element, 0, c.numbers[0], element.extent);
      break;
    }
    case MPI_COMBINER_VECTOR: add_vector(made, c, gaps, false); break;
    case MPI_COMBINER_HVECTOR: add_vector(made, c, gaps, true); break;
    case MPI_COMBINER_INDEXED: add_blocks(made, c, gaps, false, false); break;
    case MPI_COMBINER_HINDEXED: add_blocks(made, c, gaps, true, false); break;
    case MPI_COMBINER_INDEXED_BLOCK: add_blocks(made, c, gaps, false, true); break;
    case MPI_COMBINER_HINDEXED_BLOCK: add_blocks(made, c, gaps, true, true); break;
    case MPI_COMBINER_STRUCT: add_struct(made, c, gaps); break;
    case MPI_COMBINER_SUBARRAY: add_subarray(made, flatten(c.types[0], gaps), c); break;
    case MPI_COMBINER_DARRAY: add_darray(made, flatten(c.types[0], gaps), c); break;
    default: made = flatten(c.types[0], gaps); break;  // dup, resized
  }
  made.extent = extent_of(type);
  made.compress();
  return made;
}

}  // namespace lagoon::atoll::ghost
