// Small matrices in this process's memory, by plain loops, and as arrays of GA's.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "ga/ga.h"

namespace dense {

/// Column-major.
template <class T>
struct Matrix {
  Matrix(int m, int n) : rows(m), columns(n), data(static_cast<std::size_t>(m * n)) {}
  T& operator()(int i, int j) { return data[static_cast<std::size_t>(i + j * rows)]; }
  T operator()(int i, int j) const { return data[static_cast<std::size_t>(i + j * rows)]; }
  int rows, columns;
  std::vector<T> data;
};
using RealMatrix = Matrix<double>;
using ComplexMatrix = Matrix<std::complex<double>>;

inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }

template <class T>
Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c(a.rows, b.columns);
  for (int i = 0; i < c.rows; ++i)
    for (int j = 0; j < c.columns; ++j)
      for (int k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

template <class T>
Matrix<T> adjoint(const Matrix<T>& a) {
  Matrix<T> b(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) b(j, i) = conjugate(a(i, j));
  return b;
}

template <class T>
double distance(const Matrix<T>& a, const Matrix<T>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i)
    most = std::max(most, std::abs(a.data[i] - b.data[i]));
  return most;
}

template <class T>
Matrix<T> unit(int n) {
  Matrix<T> result(n, n);
  for (int i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

/// What looks random, without symmetry, of moderate condition.
inline RealMatrix general(int rows, int columns) {
  RealMatrix a(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      a(i, j) = std::sin(3.0 * i + 7.0 * j * j + 1) + (i == j ? 9 : 0);
  return a;
}

inline RealMatrix symmetric(int n) {
  RealMatrix a = general(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) a(i, j) = a(j, i);
  return a;
}

inline RealMatrix definite(int n) {
  RealMatrix a = product(adjoint(general(n, n)), general(n, n));
  for (int i = 0; i < n; ++i) a(i, i) += 1;
  return a;
}

inline ComplexMatrix hermitian(int n) {
  ComplexMatrix a(n, n);
  for (int i = 0; i < n; ++i) {
    a(i, i) = std::cos(i);
    for (int j = 0; j < i; ++j) {
      a(i, j) = {std::sin(i + 2.0 * j), std::cos(3.0 * i - j)};
      a(j, i) = std::conj(a(i, j));
    }
  }
  return a;
}

inline ComplexMatrix definite_complex(int n) {
  ComplexMatrix a = product(adjoint(hermitian(n)), hermitian(n));
  for (int i = 0; i < n; ++i) a(i, i) += 1;
  return a;
}

constexpr int type_of(const RealMatrix&) { return C_DBL; }
constexpr int type_of(const ComplexMatrix&) { return C_DCPL; }

/// An array as Fortran sees a matrix: its rows are the matrix's columns. Process 0 stores it.
template <class T>
class Stored {
 public:
  explicit Stored(const Matrix<T>& a) : rows_(a.rows), columns_(a.columns) {
    int dims[] = {columns_, rows_};
    char name[] = "matrix";
    handle = NGA_Create(type_of(a), 2, dims, name, nullptr);
    Matrix<T> copy = a;
    if (GA_Nodeid() == 0) NGA_Put(handle, lo, hi(), copy.data.data(), &rows_);
    GA_Sync();
  }
  ~Stored() { GA_Destroy(handle); }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;
  Matrix<T> matrix() {
    GA_Sync();
    Matrix<T> result(rows_, columns_);
    NGA_Get(handle, lo, hi(), result.data.data(), &rows_);
    GA_Sync();
    return result;
  }
  int handle;

 private:
  int* hi() {
    hi_[0] = columns_ - 1;
    hi_[1] = rows_ - 1;
    return hi_;
  }
  int rows_, columns_;
  int lo[2] = {0, 0}, hi_[2];
};

}  // namespace dense
