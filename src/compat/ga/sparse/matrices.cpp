#include "compat/ga/sparse/matrices.hpp"

#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::ga::sparse {

int Matrices::create(std::int64_t rows, std::int64_t columns, int type) {
  if (rows < 1 || columns < 1)
    throw Error(ErrorKind::value, "idim is " + std::to_string(rows) + " and jdim " +
                                      std::to_string(columns) + "; expected 1 or more");
  const Groups& groups = Runtime::get().groups;
  const Group& group = groups.default_group();
  return create(Frame{type, groups.default_handle(), group, Strips(rows, group.size()),
                      Strips(columns, group.size())});
}

int Matrices::create(Frame frame) {
  const int type = frame.type;
  return with_datatype(element_of(datatype(type)), [&]<class T>(T) -> int {
    if constexpr (std::is_constructible_v<decltype(AnyMatrix::matrix), Matrix<T>>)
      return table_.add(std::make_unique<AnyMatrix>(AnyMatrix{Matrix<T>(std::move(frame))}));
    else
      throw Error(ErrorKind::type, "type is " + std::to_string(type) +
                                       "; expected integers, real or complex numbers");
  });
}

AnyMatrix& Matrices::at(std::int64_t handle) {
  if (AnyMatrix* const found = table_.find(handle)) return *found;
  throw Error(ErrorKind::value, "s_a is " + std::to_string(handle) + ", no sparse array");
}

void Matrices::destroy(std::int64_t handle) {
  (void)at(handle);
  table_.take(handle);
}

Matrices& matrices() {
  std::unique_ptr<Matrices>& kept = Runtime::get().sparse_matrices;
  if (!kept) kept = std::make_unique<Matrices>();
  return *kept;
}

void destroy(std::int64_t handle) {
  const Group group = matrices().at(handle).frame().group;
  group.sync();
  matrices().destroy(handle);
}

void throw_other_type(std::int64_t handle) {
  throw Error(ErrorKind::type, "sparse array " + std::to_string(handle) + " is of type " +
                                   std::to_string(matrices().at(handle).frame().type) +
                                   ", not of the other operand's");
}

}  // namespace lagoon::atoll::ga::sparse
