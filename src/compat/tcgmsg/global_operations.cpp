// Atoll's reductions and, for those it does not have, MPI's.
#include "compat/tcgmsg/global_operations.hpp"

#include <mpi.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "atoll/error.hpp"
#include "compat/tcgmsg/requests.hpp"

namespace lagoon::atoll::tcgmsg {

namespace {

enum class Before : std::uint8_t { nothing, absolute, truth };

struct Operation {
  Before before;
  std::optional<Reduction> reduction;  // none: bitwise
  bool conjunction = false;            // of bits
};

std::optional<Operation> operation_of(std::string_view text, bool integers) {
  using enum Before;
  if (text.starts_with("+")) return Operation{nothing, Reduction::sum};
  if (text.starts_with("*")) return Operation{nothing, Reduction::product};
  if (text.starts_with("max")) return Operation{nothing, Reduction::maximum};
  if (text.starts_with("min")) return Operation{nothing, Reduction::minimum};
  if (text.starts_with("absmax")) return Operation{absolute, Reduction::maximum};
  if (text.starts_with("absmin")) return Operation{absolute, Reduction::minimum};
  if (!integers) return std::nullopt;
  if (text.starts_with("||")) return Operation{truth, Reduction::maximum};
  if (text.starts_with("&&")) return Operation{truth, Reduction::minimum};
  if (text.starts_with("or") || text.starts_with("|")) return Operation{nothing, std::nullopt};
  if (text.starts_with("and") || text.starts_with("&"))
    return Operation{nothing, std::nullopt, true};
  return std::nullopt;
}

/// Bits of integers of any size are those of their bytes.
void combine_bits(const World& world, std::span<std::byte> data, bool conjunction) {
  constexpr std::size_t most = std::size_t{1} << 28;
  while (!data.empty()) {
    const std::size_t now = std::min(data.size(), most);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, data.data(), static_cast<int>(now), MPI_BYTE,
                         conjunction ? MPI_BAND : MPI_BOR, world.communicator(), &request),
          "MPI_Iallreduce");
    complete(world, request, "MPI_Iallreduce");
    data = data.subspan(now);
  }
}

template <class T>
void combine_elements(const World& world, T* data, long elements, std::string_view text) {
  const auto operation = operation_of(text, std::is_integral_v<T>);
  if (!operation)
    throw Error(ErrorKind::value, "op = '" + std::string(text) +
                                      "', expected one of + * max min absmax absmin" +
                                      (std::is_integral_v<T> ? " or and | & || &&" : ""));
  if (elements < 0)
    throw Error(ErrorKind::value, "n = " + std::to_string(elements) + ", expected 0 or more");
  const std::span<T> all(data, static_cast<std::size_t>(elements));
  if (operation->before == Before::absolute)
    std::ranges::for_each(all, [](T& x) { x = x < T{} ? -x : x; });
  if (operation->before == Before::truth) std::ranges::for_each(all, [](T& x) { x = x != T{}; });
  if (operation->reduction)
    world.reduce(all, *operation->reduction);
  else
    combine_bits(world, std::as_writable_bytes(all), operation->conjunction);
}

}  // namespace

void combine(const World& world, double* data, long elements, std::string_view operation) {
  combine_elements(world, data, elements, operation);
}
void combine(const World& world, std::int32_t* data, long elements, std::string_view operation) {
  combine_elements(world, data, elements, operation);
}
void combine(const World& world, std::int64_t* data, long elements, std::string_view operation) {
  combine_elements(world, data, elements, operation);
}

}  // namespace lagoon::atoll::tcgmsg
