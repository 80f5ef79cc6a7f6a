#include "compat/armci/reductions.hpp"

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "compat/armci/arguments.hpp"
#include "compat/mpi_calls.hpp"
#include "ga/message.h"

namespace lagoon::atoll::armci {

namespace {

/// Calls `f(T{}, MPI's type)` with the C type that `type` names.
template <class F>
decltype(auto) with_type(int type, F&& f) {
  switch (type) {
    case ARMCI_INT: return f(int{}, MPI_INT);
    case ARMCI_LONG: return f(long{}, MPI_LONG);
    case ARMCI_LONG_LONG: return f(static_cast<long long>(0), MPI_LONG_LONG);
    case ARMCI_FLOAT: return f(float{}, MPI_FLOAT);
    case ARMCI_DOUBLE: return f(double{}, MPI_DOUBLE);
    default: break;
  }
  refuse("the type " + std::to_string(type) +
         " is none of ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT and ARMCI_DOUBLE");
}

struct Operation {
  MPI_Op op;
  bool of_absolute_values = false;
};

Operation operation_of(std::string_view name, bool integers) {
  if (name == "+") return {MPI_SUM};
  if (name == "*") return {MPI_PROD};
  if (name == "max") return {MPI_MAX};
  if (name == "min") return {MPI_MIN};
  if (name == "absmax") return {MPI_MAX, true};
  if (name == "absmin") return {MPI_MIN, true};
  if (name == "or" && integers) return {MPI_BOR};
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
void reduce_along_tree(const Circle& circle, void* data, int count, MPI_Op op, MPI_Datatype type,
                       std::size_t bytes) {
  circle.collect(
      static_cast<std::byte*>(data), bytes, [&](const std::byte* theirs, std::byte* mine) {
        compat::check(MPI_Reduce_local(theirs, mine, count, type, op), "MPI_Reduce_local");
      });
}

template <class T>
void reduce_to_all_of(const Circle& circle, T* data, int count, Operation operation,
                      MPI_Datatype type) {
  if (!circle.includes_me()) return;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (operation.of_absolute_values) make_absolute(data, count);
  if (const Group* group = circle.whole()) {
    MPI_Request request = MPI_REQUEST_NULL;
    compat::check(MPI_Iallreduce(MPI_IN_PLACE, data, count, type, operation.op,
                                 group->communicator(), &request),
                  "MPI_Iallreduce");
    return compat::complete(request, "MPI_Iallreduce");
  }
  reduce_along_tree(circle, data, count, operation.op, type, bytes);
  circle.distribute(data, bytes);
}

template <class T>
void reduce_to_first_of(const Circle& circle, T* data, int count, Operation operation,
                        MPI_Datatype type) {
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
  with_type(type, [&]<class T>(T, MPI_Datatype mpi_type) {
    reduce_to_all_of(circle, static_cast<T*>(data), count,
                     operation_of(operation, std::is_integral_v<T>), mpi_type);
  });
}

void reduce_to_first(const Circle& circle, void* data, int count, std::string_view operation,
                     int type) {
  check(data, count);
  with_type(type, [&]<class T>(T, MPI_Datatype mpi_type) {
    reduce_to_first_of(circle, static_cast<T*>(data), count,
                       operation_of(operation, std::is_integral_v<T>), mpi_type);
  });
}

void select(const Circle& circle, void* record, int bytes, std::string_view operation, int type,
            bool contribute) {
  check(record, bytes);
  if (operation != "max" && operation != "min")
    refuse("the operation '" + std::string(operation) + "' is neither max nor min");
  with_type(type, [&]<class T>(T, MPI_Datatype) {
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
