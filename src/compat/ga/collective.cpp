#include "compat/ga/collective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <string>
#include <type_traits>

#include "atoll/error.hpp"
#include "compat/ga/datatypes.hpp"
#include "compat/ga/mask.hpp"
#include "compat/ga/pending.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/mpi_calls.hpp"
#include "mpi/face.hpp"

namespace lagoon::atoll::ga {

namespace {

enum class Operator : std::uint8_t {
  sum,
  product,
  maximum,
  minimum,
  largest,
  smallest,
  either,
  both,
  any_bit,
  all_bits,
};

struct Word {
  std::string_view text;
  Operator meaning;
};

// Longer words before those that they begin with.
constexpr std::array<Word, 12> words = {{
    {"absmax", Operator::largest},
    {"absmin", Operator::smallest},
    {"max", Operator::maximum},
    {"min", Operator::minimum},
    {"or", Operator::any_bit},
    {"and", Operator::all_bits},
    {"||", Operator::either},
    {"&&", Operator::both},
    {"|", Operator::any_bit},
    {"&", Operator::all_bits},
    {"+", Operator::sum},
    {"*", Operator::product},
}};

Operator operator_of(std::string_view op) {
  for (const Word& word : words)
    if (op.starts_with(word.text)) return word.meaning;
  throw Error(ErrorKind::value, "op is '" + std::string(op) +
                                    "'; expected + * max min absmax absmin or and || && | &");
}

template <class T>
void take_magnitudes(T* data, std::int64_t count) {
  for (T* one = data; one != data + count; ++one) {
    if constexpr (std::signed_integral<T>) {
      // The smallest integer, which has no magnitude of its type, stays as it is.
      using Bits = std::make_unsigned_t<T>;
      if (*one < 0) *one = static_cast<T>(Bits{0} - static_cast<Bits>(*one));
    } else if constexpr (!std::unsigned_integral<T>) {
      *one = T(std::abs(*one));
    }
  }
}

/// Bits of integers, by MPI, which reduces these.
void reduce_bits(const Group& group, void* data, std::int64_t bytes, mpi::Op op) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  for (std::int64_t done = 0; done < bytes; done += most) {
    mpi::Request request = mpi::request_null;
    compat::check(mpi::iallreduce(mpi::in_place(), static_cast<std::byte*>(data) + done,
                                  static_cast<int>(std::min(most, bytes - done)), mpi::type_byte,
                                  op, group.mpi_communicator(), &request),
                  "MPI_Iallreduce");
    compat::complete(request, "MPI_Iallreduce");
  }
}

/// Truth is one or zero, so that its bits are reduced; also what one process alone has.
template <std::integral T>
void make_truths(T* data, std::int64_t count) {
  for (T* one = data; one != data + count; ++one) *one = *one != 0 ? 1 : 0;
}

Reduction of_numbers(Operator meaning) {
  switch (meaning) {
    case Operator::sum: return Reduction::sum;
    case Operator::product: return Reduction::product;
    case Operator::maximum:
    case Operator::largest: return Reduction::maximum;
    default: return Reduction::minimum;
  }
}

}  // namespace

void synchronise(const Group& group) {
  Runtime::get().pending->wait_all();
  group.sync();
}

void begin_fence() { ++Runtime::get().fences; }

void fence() {
  Runtime& runtime = Runtime::get();
  if (runtime.fences == 0)
    throw Error(ErrorKind::state, "there was no GA_Init_fence before this GA_Fence");
  --runtime.fences;
  runtime.pending->wait_all();
  runtime.world().fence();
}

void broadcast(const Group& group, void* data, std::int64_t bytes, std::int64_t root) {
  drop_mask();
  if (root < 0 || root >= group.size())
    throw Error(ErrorKind::value,
                "root is " + std::to_string(root) + " of " + std::to_string(group.size()));
  if (bytes < 0) throw Error(ErrorKind::value, "length is " + std::to_string(bytes) + " bytes");
  const auto length = static_cast<std::size_t>(bytes);
  group.broadcast_bytes({static_cast<std::byte*>(data), length}, static_cast<int>(root));
}

void reduce(const Group& group, ElementType type, void* data, std::int64_t count,
            std::string_view op) {
  drop_mask();
  if (count < 0) throw Error(ErrorKind::value, "n is " + std::to_string(count));
  const Operator meaning = operator_of(op);
  if (meaning >= Operator::either) {
    if (!is_integer(type))
      throw Error(ErrorKind::type, "op '" + std::string(op) + "' is for integers");
    with_datatype(type, [&]<class T>(T) {
      if constexpr (std::integral<T>)
        if (meaning == Operator::either || meaning == Operator::both)
          make_truths(static_cast<T*>(data), count);
    });
    const bool any = meaning == Operator::either || meaning == Operator::any_bit;
    reduce_bits(group, data, count * static_cast<std::int64_t>(size_of(type)),
                any ? mpi::op_bor : mpi::op_band);
    return;
  }
  // Complex numbers have no order: as in GA, their parts are compared.
  if (is_complex(type) && meaning != Operator::sum && meaning != Operator::product)
    return reduce(group, traits_of(type).real, data, 2 * count, op);
  if (meaning == Operator::largest || meaning == Operator::smallest)
    with_datatype(type, [&]<class T>(T) { take_magnitudes(static_cast<T*>(data), count); });
  group.reduce_elements(data, static_cast<std::size_t>(count), type, of_numbers(meaning));
}

void reduce_typed(const Group& group, std::int64_t type, void* data, std::int64_t count,
                  std::string_view op) {
  reduce(group, element_of(datatype(static_cast<int>(type))), data, count, op);
}

bool create_mutexes(std::int64_t count) {
  Runtime& runtime = Runtime::get();
  if (count < 1) throw Error(ErrorKind::value, "number is " + std::to_string(count));
  if (runtime.mutexes) return false;
  const World& world = runtime.world();
  const std::int64_t mine = (count - world.rank() + world.size() - 1) / world.size();
  runtime.mutexes = std::make_unique<Mutexes>(world, std::max<std::int64_t>(mine, 0));
  runtime.mutex_count = count;
  return true;
}

bool destroy_mutexes() {
  Runtime& runtime = Runtime::get();
  if (!runtime.mutexes) return false;
  runtime.mutexes->destroy();
  runtime.mutexes.reset();
  return true;
}

namespace {

struct Place {
  Mutexes& mutexes;
  std::int64_t number;
  int process;
};

Place place_of(std::int64_t mutex) {
  const Runtime& runtime = Runtime::get();
  if (!runtime.mutexes)
    throw Error(ErrorKind::state, "there are no mutexes: call GA_Create_mutexes first");
  const int processes = runtime.world().size();
  if (mutex < 0 || mutex >= runtime.mutex_count)
    throw Error(ErrorKind::value, "mutex is " + std::to_string(mutex) + ", not 0 to " +
                                      std::to_string(runtime.mutex_count - 1));
  return {*runtime.mutexes, mutex / processes, static_cast<int>(mutex % processes)};
}

}  // namespace

void lock(std::int64_t mutex) {
  const Place place = place_of(mutex);
  place.mutexes.lock(place.number, place.process);
}

void unlock(std::int64_t mutex) {
  const Place place = place_of(mutex);
  Runtime::get().pending->wait_all();
  place.mutexes.unlock(place.number, place.process);
}

}  // namespace lagoon::atoll::ga
