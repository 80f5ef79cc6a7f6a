#include "compat/armci/reductions.hpp"

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "compat/armci/arguments.hpp"
#include "compat/mpi_calls.hpp"
#include "ga/message.h"
#include "mpi/face.hpp"

namespace lagoon::atoll::armci {

namespace {

/// Calls `f(T{}, MPI's type)` with the C type that `type` names.
template <class F>
decltype(auto) with_type(int type, F&& f) {
  switch (type) {
    case ARMCI_INT: return f(int{}, mpi::type_int);
    case ARMCI_LONG: return f(long{}, mpi::type_long);
    case ARMCI_LONG_LONG: return f(static_cast<long long>(0), mpi::type_long_long);
    case ARMCI_FLOAT: return f(float{}, mpi::type_float);
    case ARMCI_DOUBLE: return f(double{}, mpi::type_double);
    default: break;
  }
  refuse("the type " + std::to_string(type) +
         " is none of ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT and ARMCI_DOUBLE");
}

struct Operation {
  mpi::Op op;
  bool of_absolute_values = false;
};

Operation operation_of(std::string_view name, bool integers) {
  if (name == "+") return {mpi::op_sum};
  if (name == "*") return {mpi::op_prod};
  if (name == "max") return {mpi::op_max};
  if (name == "min") return {mpi::op_min};
  if (name == "absmax") return {mpi::op_max, true};
  if (name == "absmin") return {mpi::op_min, true};
  if (name == "or" && integers) return {mpi::op_bor};
  refuse("the operation '" + std::string(name) + "' is none of +, *, max, min, absmax, absmin" +
         (integers ? " and or" : ""));
}

template <class T>
void make_absolute(T* values, int count) {
  for (int i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;  // of the least number there is no absolute value
      if (values[i] < 0) values[i] = static_cast<T>(U{0} - static_cast<U>(values[i]));
    } else if (values[i] < T{0}) {
      values[i] = -values[i];
    }
  }
}

void check(const void* data, int count) {
  if (not_negative("n", count) > 0 && data == nullptr) refuse("x is a null pointer");
}

/// Combines into member 0's data; those of others are used up.
void reduce_along_tree(const Circle& circle, void* data, int count, mpi::Op op, mpi::Datatype type,
                       std::size_t bytes) {
  circle.collect(
      static_cast<std::byte*>(data), bytes, [&](const std::byte* theirs, std::byte* mine) {
        compat::check(mpi::reduce_local(theirs, mine, count, type, op), "MPI_Reduce_local");
      });
}

template <class T>
void reduce_to_all_of(const Circle& circle, T* data, int count, Operation operation,
                      mpi::Datatype type) {
  if (!circle.includes_me()) return;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (operation.of_absolute_values) make_absolute(data, count);
  if (const Group* group = circle.whole()) {
    mpi::Request request = mpi::request_null;
    compat::check(mpi::iallreduce(mpi::in_place(), data, count, type, operation.op,
                                  group->mpi_communicator(), &request),
                  "MPI_Iallreduce");
    return compat::complete(request, "MPI_Iallreduce");
  }
  reduce_along_tree(circle, data, count, operation.op, type, bytes);
  circle.distribute(data, bytes);
}

template <class T>
void reduce_to_first_of(const Circle& circle, T* data, int count, Operation operation,
                        mpi::Datatype type) {
  if (!circle.includes_me()) return;
  std::vector<T> values(data, data + count);
  if (operation.of_absolute_values) make_absolute(values.data(), count);
  reduce_along_tree(circle, values.data(), count, operation.op, type, values.size() * sizeof(T));
  if (circle.me() == 0) std::copy(values.begin(), values.end(), data);
}

}  // namespace

void reduce_to_all(const Circle& circle, void* data, int count, std::string_view operation,
                   int type) {
  check(data, count);
  with_type(type, [&]<class T>(T, mpi::Datatype mpi_type) {
    reduce_to_all_of(circle, static_cast<T*>(data), count,
                     operation_of(operation, std::is_integral_v<T>), mpi_type);
  });
}

void reduce_to_first(const Circle& circle, void* data, int count, std::string_view operation,
                     int type) {
  check(data, count);
  with_type(type, [&]<class T>(T, mpi::Datatype mpi_type) {
    reduce_to_first_of(circle, static_cast<T*>(data), count,
                       operation_of(operation, std::is_integral_v<T>), mpi_type);
  });
}

void select(const Circle& circle, void* record, int bytes, std::string_view operation, int type,
            bool contribute) {
  check(record, bytes);
  if (operation != "max" && operation != "min")
    refuse("the operation '" + std::string(operation) + "' is neither max nor min");
  with_type(type, [&]<class T>(T, mpi::Datatype) {
    if (static_cast<std::size_t>(bytes) < sizeof(T))
      refuse("records of " + std::to_string(bytes) + " bytes have no room for an element of " +
             std::to_string(sizeof(T)));
    // A record, and before it whether there is one.
    std::vector<std::byte> data(static_cast<std::size_t>(bytes) + 1);
    data[0] = std::byte{contribute};
    std::memcpy(data.data() + 1, record, static_cast<std::size_t>(bytes));
    circle.collect(data.data(), data.size(), [&](const std::byte* theirs, std::byte* mine) {
      T a{}, b{};
      std::memcpy(&a, theirs + 1, sizeof a);
      std::memcpy(&b, mine + 1, sizeof b);
      const bool better = operation == "max" ? a > b : a < b;
      const bool take = theirs[0] != std::byte{0} && (mine[0] == std::byte{0} || better);
      if (take) std::memcpy(mine, theirs, data.size());
    });
    circle.distribute(data.data(), data.size());
    if (circle.includes_me() && data[0] != std::byte{0})
      std::memcpy(record, data.data() + 1, static_cast<std::size_t>(bytes));
  });
}

}  // namespace lagoon::atoll::armci
