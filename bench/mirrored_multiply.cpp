// mirrored-multiply: C = A B of 1025x1025 matrices, as in section 4 of Palmer, Nieplocha and Apra's
// paper on mirroring (figures 6 to 8). Every rank computes its block of C, panel after panel of the
// inner dimension. Mirrored: it reads A and B from its node's copies and writes to its node's copy
// of C; a merge at the end, which is also timed alone. Distributed: it reads from the owners, panel
// by panel or with the next one on its way, and owns its block of C. The computation is the same.
// Any number of ranks on two or more nodes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "atoll/atoll.hpp"
#include "work.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

using Matrix = atoll::Array<double>;

constexpr std::int64_t n = 1025;
constexpr std::int64_t panel = 205;  // a fifth

// Small whole numbers: the product is exact.
double element_of_a(std::int64_t i, std::int64_t k) { return static_cast<double>((i + 2 * k) % 7); }
double element_of_b(std::int64_t k, std::int64_t j) { return static_cast<double>((3 * k + j) % 5); }

template <class Element>
void set_elements(Matrix& matrix, Element&& element) {
  for (const atoll::Patch& patch : matrix.patches(matrix.group().rank())) {
    std::vector<double> values;
    for (std::int64_t i = patch.lo[0]; i < patch.hi[0]; ++i)
      for (std::int64_t j = patch.lo[1]; j < patch.hi[1]; ++j) values.push_back(element(i, j));
    if (!values.empty()) matrix.put(patch, values.data());
  }
}

class Product {
 public:
  explicit Product(const atoll::World& world)
      : world_(world),
        a_(world, {n, n}),
        b_(world, {n, n}),
        c_(world, {n, n}),
        mirrored_a_(world, {n, n}, {.mirrored = true}),
        mirrored_b_(world, {n, n}, {.mirrored = true}),
        mirrored_c_(world, {n, n}, {.mirrored = true}) {
    set_elements(a_, element_of_a);
    set_elements(b_, element_of_b);
    world.sync();
    if (const auto patches = c_.patches(world.rank()); !patches.empty()) mine_ = patches.front();
    rows_ = mine_.hi[0] - mine_.lo[0];
    columns_ = mine_.hi[1] - mine_.lo[1];
    for (Panels& panels : panels_) {
      panels.a.resize(static_cast<std::size_t>(rows_ * panel));
      panels.b.resize(static_cast<std::size_t>(panel * columns_));
    }
    result_.resize(static_cast<std::size_t>(rows_ * columns_));
  }

  void mirror_inputs() {
    atoll::copy(a_, mirrored_a_);
    atoll::copy(b_, mirrored_b_);
  }
  /// Returns the seconds that the merge took from when everybody had come to it.
  double multiply_mirrored() {
    atoll::zero(mirrored_c_);
    compute(mirrored_a_, mirrored_b_, false);
    if (!result_.empty()) mirrored_c_.put(mine_, result_.data());
    world_.barrier();
    const double start = now();
    atoll::merge(mirrored_c_);
    return now() - start;
  }
  void multiply_distributed(bool prefetching) {
    compute(a_, b_, prefetching);
    if (!result_.empty()) c_.put(mine_, result_.data());
    world_.sync();
  }
  /// Every rank looks at a part of both products; std::runtime_error when one is wrong.
  void check() const {
    for (std::int64_t i = world_.rank(); i < n; i += 41)
      for (std::int64_t j = 0; j < n; j += 64) {
        double sum = 0.0, found = 0.0;
        for (std::int64_t k = 0; k < n; ++k) sum += element_of_a(i, k) * element_of_b(k, j);
        for (const Matrix* product : {&c_, &mirrored_c_}) {
          product->get({{i, j}, {i + 1, j + 1}}, &found);
          if (found != sum) throw std::runtime_error("mirrored-multiply: a product is wrong");
        }
      }
    world_.sync();
  }

 private:
  struct Panels {
    std::vector<double> a, b;
    atoll::Handle a_handle, b_handle;
  };
  // result_ = rows of a by columns of b.
  void compute(const Matrix& a, const Matrix& b, bool prefetching) {
    std::ranges::fill(result_, 0.0);
    if (result_.empty()) return;
    if (prefetching) start(a, b, 0);
    for (std::int64_t k = 0; k < n; k += panel) {
      Panels& panels = panels_of(k);
      if (prefetching) {
        panels.a_handle.wait();
        panels.b_handle.wait();
        if (k + panel < n) start(a, b, k + panel);
      } else {
        a.get(patch_of_a(k), panels.a.data());
        b.get(patch_of_b(k), panels.b.data());
      }
      multiply_add(result_.data(), panels.a.data(), panels.b.data(), rows_, panel, columns_);
    }
  }
  void start(const Matrix& a, const Matrix& b, std::int64_t k) {
    Panels& panels = panels_of(k);
    panels.a_handle = a.get_async(patch_of_a(k), panels.a.data());
    panels.b_handle = b.get_async(patch_of_b(k), panels.b.data());
  }
  Panels& panels_of(std::int64_t k) { return panels_[static_cast<std::size_t>(k / panel % 2)]; }
  atoll::Patch patch_of_a(std::int64_t k) const {
    return {{mine_.lo[0], k}, {mine_.hi[0], k + panel}};
  }
  atoll::Patch patch_of_b(std::int64_t k) const {
    return {{k, mine_.lo[1]}, {k + panel, mine_.hi[1]}};
  }

  const atoll::World& world_;
  Matrix a_, b_, c_, mirrored_a_, mirrored_b_, mirrored_c_;
  atoll::Patch mine_{{0, 0}, {0, 0}};  // of C
  std::int64_t rows_ = 0, columns_ = 0;
  std::array<Panels, 2> panels_;
  std::vector<double> result_;
};

static_assert(n % panel == 0);

}  // namespace

void mirrored_multiply(Context& context) {
  const atoll::World& world = context.world;
  Product product(world);
  enum Way : std::size_t { mirrored, distributed, prefetching, inputs, merging, ways };
  std::array<std::vector<double>, ways> seconds;
  const auto run = [&](Way way) {
    world.sync();
    const double start = now();
    double in_merge = 0.0;
    if (way == mirrored)
      in_merge = product.multiply_mirrored();
    else if (way == inputs)
      product.mirror_inputs();
    else
      product.multiply_distributed(way == prefetching);
    world.sync();
    seconds[way].push_back(now() - start);
    if (way == mirrored) seconds[merging].push_back(in_merge);
  };
  const int repeats = context.settings.quick ? 2 : 9;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    for (std::size_t turn = 0; turn < merging; ++turn) {
      // The first repeat needs the inputs first, and warms up only.
      const auto shift = static_cast<std::size_t>(repeat) + inputs;
      run(static_cast<Way>((turn + shift) % merging));
    }
    if (repeat > 0) continue;
    product.check();
    for (std::vector<double>& of_way : seconds) of_way.clear();
  }
  product.check();
  if (world.rank() != 0) return;
  std::vector<Samples> s;
  for (std::vector<double>& of_way : seconds) s.emplace_back(std::move(of_way));
  const std::string name = "1025x1025 product, ";
  const auto beside = [&](const std::string& what, Way way) {
    return Peer{what, s[way].best(), s[way].median()};
  };
  const auto report = [&](const std::string& what, Way way, std::vector<Peer> peers) {
    context.report.add({name + what, "s", s[way].best(), s[way].median(), std::move(peers)});
  };
  report("mirrored", mirrored,
         {beside("distributed", distributed), beside("distributed, prefetching", prefetching)});
  report("distributed", distributed, {});
  report("distributed, prefetching", prefetching, {});
  report("merge alone", merging, {beside("mirrored, all", mirrored)});
  report("mirroring the inputs", inputs, {beside("mirrored, all", mirrored)});
}

}  // namespace bench
