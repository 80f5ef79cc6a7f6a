// ga: vectors in order, and sparse matrices, which Atoll has under Global Arrays' names only.
#include <algorithm>

#include "ga_calls.hpp"

namespace bench {

namespace {

constexpr int length = 100'000;

void time_scans(Calls& calls) {
  GaArray from({length}), to({length}), mask({length}, C_LONG);
  double one = 1.0;
  GA_Fill(from.handle, &one);
  long start = 0, step = 1;
  GA_Patch_enum(mask.handle, 0, length - 1, &start, &step);
  const atoll::Patch all = atoll::whole({length});
  int count = 0;
  calls.together(
      "GA_Scan_add 100000",
      {way("GA_Scan_add",
           [&] { GA_Scan_add(from.handle, to.handle, mask.handle, 0, length - 1, 0); }),
       way("scan_add", [&] { atoll::scan_add(from.array, mask.array, to.array, all); })});
  calls.together(
      "GA_Pack 100000",
      {way("GA_Pack", [&] { GA_Pack(from.handle, to.handle, mask.handle, 0, length - 1, &count); }),
       way("pack", [&] { atoll::pack(from.array, mask.array, to.array, all); })});
}

/// A matrix of five diagonals, under a handle and as plain rows of this rank's.
class Diagonals {
 public:
  static constexpr int order = 10'000;

  Diagonals() : handle(NGA_Sprs_array_create(order, order, C_DBL)) {
    int first = 0, last = 0;
    NGA_Sprs_array_row_distribution(handle, GA_Nodeid(), &first, &last);
    first_row_ = first;
    for (int i = first; i <= last; ++i) add_row(i);
    NGA_Sprs_array_assemble(handle);
  }
  Diagonals(const Diagonals&) = delete;
  Diagonals& operator=(const Diagonals&) = delete;
  ~Diagonals() { NGA_Sprs_array_destroy(handle); }

  /// My rows of the product with a whole vector.
  void multiply(const double* x, double* y) const {
    for (std::size_t r = 0; r + 1 < starts_.size(); ++r) {
      double sum = 0.0;
      for (std::size_t k = starts_[r]; k < starts_[r + 1]; ++k) sum += values_[k] * x[columns_[k]];
      y[r] = sum;
    }
  }
  atoll::Patch rows() const {
    return {{first_row_}, {first_row_ + static_cast<std::int64_t>(starts_.size()) - 1}};
  }

  int handle;

 private:
  void add_row(int i) {
    double value = 0.2;
    for (int j = std::max(0, i - 2); j <= std::min(order - 1, i + 2); ++j) {
      NGA_Sprs_array_add_element(handle, i, j, &value);
      columns_.push_back(static_cast<std::size_t>(j));
      values_.push_back(value);
    }
    starts_.push_back(columns_.size());
  }
  std::int64_t first_row_ = 0;
  std::vector<std::size_t> starts_{0}, columns_;
  std::vector<double> values_;
};

void time_sparse(Calls& calls) {
  const atoll::World& world = calls.world();
  const Diagonals matrix;
  GaArray x({Diagonals::order}), y({Diagonals::order});
  double one = 1.0;
  GA_Fill(x.handle, &one);
  std::vector<double> whole_x(Diagonals::order), my_y(Diagonals::order);
  calls.together("NGA_Sprs_array_matvec_multiply, 5 diagonals of 10000",
                 {way("NGA_Sprs_array_matvec_multiply",
                      [&] { NGA_Sprs_array_matvec_multiply(matrix.handle, x.handle, y.handle); }),
                  way("get, loop, put, two syncs", [&] {
                    world.sync();
                    x.array.get(atoll::whole({Diagonals::order}), whole_x.data());
                    matrix.multiply(whole_x.data(), my_y.data());
                    y.array.put(matrix.rows(), my_y.data());
                    world.sync();
                  })});
}

}  // namespace

void ga_vectors(Calls& calls) {
  time_scans(calls);
  time_sparse(calls);
}

}  // namespace bench
