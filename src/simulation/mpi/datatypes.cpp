// Datatypes and reductions.
#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "simulation/mpi/objects.hpp"

namespace lagoon::atoll::simulation {

namespace {

struct LongInt {  // MPI_LONG_INT, of which only whole ones are moved here
  long value;
  int place;
};

bool is_constant(mpi::Datatype type) noexcept { return type.bits < mpi::most_constants; }

template <class T>
struct Type {
  using type = T;
};

/// Calls `function(Type<T>)` with the type's T.
template <class Function>
auto with_type(mpi::Datatype type, Function&& function) {
  switch (type.bits) {
    case mpi::type_int.bits: return function(Type<int>{});
    case mpi::type_long.bits: return function(Type<long>{});
    case mpi::type_long_long.bits: return function(Type<long long>{});
    case mpi::type_char.bits: return function(Type<char>{});
    case mpi::type_int8.bits: return function(Type<std::int8_t>{});
    case mpi::type_int16.bits: return function(Type<std::int16_t>{});
    case mpi::type_int32.bits: return function(Type<std::int32_t>{});
    case mpi::type_int64.bits: return function(Type<std::int64_t>{});
    case mpi::type_uint16.bits: return function(Type<std::uint16_t>{});
    case mpi::type_uint32.bits: return function(Type<std::uint32_t>{});
    case mpi::type_uint64.bits: return function(Type<std::uint64_t>{});
    case mpi::type_float.bits: return function(Type<float>{});
    case mpi::type_double.bits: return function(Type<double>{});
    case mpi::type_complex_float.bits: return function(Type<std::complex<float>>{});
    case mpi::type_complex_double.bits: return function(Type<std::complex<double>>{});
    case mpi::type_long_int.bits: return function(Type<LongInt>{});
    default: return function(Type<std::uint8_t>{});  // and bytes
  }
}

template <class T>
T combined(T in, T out, mpi::Op op) {
  if constexpr (std::is_same_v<T, LongInt>) {
    if (op == mpi::op_minloc)
      return in.value < out.value || (in.value == out.value && in.place < out.place) ? in : out;
  } else {
    if (op == mpi::op_sum) return static_cast<T>(in + out);
    if (op == mpi::op_prod) return static_cast<T>(in * out);
    if constexpr (std::is_arithmetic_v<T>) {
      if (op == mpi::op_min) return std::min(in, out);
      if (op == mpi::op_max) return std::max(in, out);
    }
    if constexpr (std::is_integral_v<T>) {
      if (op == mpi::op_band) return static_cast<T>(in & out);
      if (op == mpi::op_bor) return static_cast<T>(in | out);
    }
  }
  misuse("an operation (%llu) that the type has not", static_cast<unsigned long long>(op.bits));
}

}  // namespace

std::uint64_t size_of(mpi::Datatype type) noexcept {
  if (!is_constant(type)) return object<Layout>(type).size;
  return with_type(type, []<class T>(Type<T>) { return sizeof(T); });
}

std::uint64_t extent_of(mpi::Datatype type) noexcept {
  if (!is_constant(type)) return object<Layout>(type).extent;
  return with_type(type, []<class T>(Type<T>) { return sizeof(T); });
}

std::uint64_t basic_size_of(mpi::Datatype type) noexcept {
  return is_constant(type) ? size_of(type) : object<Layout>(type).basic;
}

bool is_dense(mpi::Datatype type) noexcept { return size_of(type) == extent_of(type); }

void pack(const void* buffer, int count, mpi::Datatype type, std::byte* bytes) noexcept {
  const auto elements = static_cast<std::uint64_t>(count);
  if (is_dense(type)) {
    if (elements > 0) std::memcpy(bytes, buffer, elements * size_of(type));
    return;
  }
  const Layout& layout = object<Layout>(type);
  for (std::uint64_t i = 0; i < elements; ++i)
    for (const Layout::Piece& piece : layout.pieces) {
      const auto* const from = static_cast<const std::byte*>(buffer) + i * layout.extent;
      std::memcpy(bytes, from + piece.place, piece.bytes);
      bytes += piece.bytes;
    }
}

void unpack(const std::byte* bytes, std::uint64_t size, void* buffer, mpi::Datatype type) noexcept {
  if (is_dense(type)) {
    if (size > 0) std::memcpy(buffer, bytes, size);
    return;
  }
  const Layout& layout = object<Layout>(type);
  auto* to = static_cast<std::byte*>(buffer);
  for (const std::byte* const end = bytes + size; bytes < end; to += layout.extent)
    for (const Layout::Piece& piece : layout.pieces) {
      const auto part = std::min(piece.bytes, static_cast<std::uint64_t>(end - bytes));
      std::memcpy(to + piece.place, bytes, part);
      bytes += part;
    }
}

void reduce(const void* in, void* in_out, int count, mpi::Datatype type, mpi::Op op) {
  if (op.bits >= mpi::most_constants) {
    // It may not change what it reads; MPI's own types leave that open.
    object<Operation>(op).function(const_cast<void*>(in), in_out, &count);
    return;
  }
  with_type(type, [&]<class T>(Type<T>) {
    const auto* const from = static_cast<const T*>(in);
    auto* const to = static_cast<T*>(in_out);
    for (int i = 0; i < count; ++i) to[i] = combined(from[i], to[i], op);
    return sizeof(T);
  });
}

}  // namespace lagoon::atoll::simulation
