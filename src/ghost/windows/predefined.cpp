#include "ghost/windows/predefined.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "ghost/ghost.hpp"
#include "ghost/windows/lock_word.hpp"

namespace lagoon::atoll::ghost {

namespace {

using atoll::detail::UpdateKind;

std::optional<ElementType> element_of(MPI_Datatype type, int bytes) {
  for (const MPI_Datatype integer : {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT32_T, MPI_INT64_T,
                                     MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_INTEGER})
    if (type == integer) return bytes == 4 ? ElementType::int32 : ElementType::int64;
  for (const MPI_Datatype real : {MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION})
    if (type == real) return bytes == 4 ? ElementType::float32 : ElementType::float64;
  for (const MPI_Datatype complex :
       {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX})
    if (type == complex) return bytes == 8 ? ElementType::complex64 : ElementType::complex128;
  return {};
}

/// The integer by which bytes, characters and truth values are numbers, as MPICH has it; others are
/// what they are.
MPI_Datatype arithmetic_of(MPI_Datatype type, Family family, int bytes) {
  if (family == Family::bytes) return MPI_UINT8_T;
  if (family != Family::characters && family != Family::logicals) return type;
  const bool is_signed = type == MPI_WCHAR  ? std::is_signed_v<wchar_t>
                         : type == MPI_CHAR ? std::is_signed_v<char>
                                            : true;
  if (bytes == 1) return is_signed ? MPI_INT8_T : MPI_UINT8_T;
  if (bytes == 4) return is_signed ? MPI_INT32_T : MPI_UINT32_T;
  return bytes == 8 ? MPI_INT64_T : type;
}

/// In an order that is the same in all processes. Those that this MPI lacks keep their number.
std::vector<PredefinedType> make_types() {
  std::vector<PredefinedType> types;
  const auto add = [&](Family family, std::initializer_list<MPI_Datatype> handles) {
    for (const MPI_Datatype type : handles) {
      PredefinedType made{.handle = type, .arithmetic = type, .family = family};
      if (type != MPI_DATATYPE_NULL) {
        MPI_Aint least = 0, extent = 0;
        int size = 0;
        PMPI_Type_size(type, &size);
        // A type that this MPI has no compiler for may have a handle, and no size.
        if (size > 0) PMPI_Type_get_extent(type, &least, &extent);
        made.bytes = static_cast<std::int32_t>(extent);
        made.size = size;
        if (family == Family::pairs) made.value_bytes = size - PredefinedType::index_bytes;
        made.element = element_of(type, size);
        made.arithmetic = arithmetic_of(type, family, size);
      }
      types.push_back(made);
    }
  };
  add(Family::bytes, {MPI_BYTE});
  add(Family::characters, {MPI_CHAR, MPI_WCHAR, MPI_PACKED, MPI_CHARACTER});
  add(Family::integers, {MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR,
                         MPI_SHORT,       MPI_UNSIGNED_SHORT,
                         MPI_INT,         MPI_UNSIGNED,
                         MPI_LONG,        MPI_UNSIGNED_LONG,
                         MPI_LONG_LONG,   MPI_UNSIGNED_LONG_LONG,
                         MPI_INT8_T,      MPI_INT16_T,
                         MPI_INT32_T,     MPI_INT64_T,
                         MPI_UINT8_T,     MPI_UINT16_T,
                         MPI_UINT32_T,    MPI_UINT64_T,
                         MPI_AINT,        MPI_OFFSET,
                         MPI_COUNT,       MPI_INTEGER,
                         MPI_INTEGER1,    MPI_INTEGER2,
                         MPI_INTEGER4,    MPI_INTEGER8});
  add(Family::logicals, {MPI_C_BOOL, MPI_CXX_BOOL, MPI_LOGICAL});
  add(Family::reals, {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION,
                      MPI_REAL4, MPI_REAL8, MPI_REAL16});
  add(Family::complexes,
      {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_FLOAT_COMPLEX,
       MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX,
       MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32});
  add(Family::pairs, {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT,
                      MPI_LONG_DOUBLE_INT, MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION});
  return types;
}

const std::vector<PredefinedType>& types() {
  static const std::vector<PredefinedType>& made = *new std::vector<PredefinedType>(make_types());
  return made;
}

struct Operations {
  std::array<MPI_Op, 14> handles{MPI_SUM,    MPI_PROD,   MPI_MIN,     MPI_MAX,  MPI_LAND,
                                 MPI_LOR,    MPI_LXOR,   MPI_BAND,    MPI_BOR,  MPI_BXOR,
                                 MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
};
constexpr int replace = 12, no_op = 13, compare = 14, lock = 15, counter = 16;

const std::array<MPI_Op, 14>& operations() {
  static const Operations made;
  return made.handles;
}

// Operation and type in one number.
constexpr std::uint32_t code_of(int operation, int type) {
  return static_cast<std::uint32_t>(operation) << 16 | static_cast<std::uint32_t>(type);
}

template <class T>
T load(const std::byte* place) noexcept {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

/// What is simple goes without MPI, which takes longer to begin than these take.
bool reduce_numbers(MPI_Op operation, const PredefinedType& type, const std::byte* operands,
                    std::byte* target, std::int64_t elements) noexcept {
  if (!type.element || elements > 64) return false;
  const auto each = [&]<class T>(T, auto f) {
    for (std::int64_t i = 0; i < elements; ++i) {
      std::byte* const place = target + i * static_cast<std::int64_t>(sizeof(T));
      const T value = f(load<T>(place), load<T>(operands + (place - target)));
      std::memcpy(place, &value, sizeof value);
    }
    return true;
  };
  return with_computed_type(*type.element, [&]<class T>(T one) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      if (operation == MPI_SUM) return each(one, [](T a, T b) { return a + b; });
      if (operation == MPI_MAX) return each(one, [](T a, T b) { return a > b ? a : b; });
      if (operation == MPI_MIN) return each(one, [](T a, T b) { return a < b ? a : b; });
    }
    if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>) {
      using U = std::make_unsigned_t<T>;  // sums wrap
      if (operation == MPI_SUM)
        return each(one, [](T a, T b) { return static_cast<T>(U(a) + U(b)); });
      if (operation == MPI_MAX) return each(one, [](T a, T b) { return a > b ? a : b; });
      if (operation == MPI_MIN) return each(one, [](T a, T b) { return a < b ? a : b; });
    }
    return false;
  });
}

/// As what MPI is to reduce the type: truth values are numbers where logic is not asked for.
MPI_Datatype reduced_as(MPI_Op operation, const PredefinedType& type) noexcept {
  const bool logic = operation == MPI_LAND || operation == MPI_LOR || operation == MPI_LXOR;
  return logic && type.family == Family::logicals ? type.handle : type.arithmetic;
}

/// MPI's own reduction. It may take its elements to be aligned as C has them.
void reduce(MPI_Op operation, const PredefinedType& type, const std::byte* operands,
            std::byte* target, std::int64_t elements) noexcept {
  const auto aligned = [&](const void* place) {
    const auto need = static_cast<std::uintptr_t>(type.bytes % 16 == 0  ? 16
                                                  : type.bytes % 8 == 0 ? 8
                                                  : type.bytes % 4 == 0 ? 4
                                                  : type.bytes % 2 == 0 ? 2
                                                                        : 1);
    return reinterpret_cast<std::uintptr_t>(place) % need == 0;
  };
  if (reduce_numbers(operation, type, operands, target, elements)) return;
  const MPI_Datatype as = reduced_as(operation, type);
  constexpr std::int64_t aside_bytes = 1024;
  while (elements > 0) {
    if (aligned(operands) && aligned(target)) {
      const auto now = std::min<std::int64_t>(elements, 1 << 20);
      PMPI_Reduce_local(operands, target, static_cast<int>(now), as, operation);
      elements -= now, operands += now * type.bytes, target += now * type.bytes;
      continue;
    }
    alignas(64) std::array<std::byte, aside_bytes> mine, theirs;
    const std::int64_t now = std::min(elements, aside_bytes / type.bytes);
    const auto bytes = static_cast<std::size_t>(now * type.bytes);
    std::memcpy(theirs.data(), operands, bytes);
    std::memcpy(mine.data(), target, bytes);
    PMPI_Reduce_local(theirs.data(), mine.data(), static_cast<int>(now), as, operation);
    std::memcpy(target, mine.data(), bytes);
    elements -= now, operands += bytes, target += bytes;
  }
}

void replace_elements(const PredefinedType& type, const std::byte* operands, std::byte* target,
                      std::int64_t elements) noexcept {
  const auto bytes = static_cast<std::size_t>(type.bytes);
  if (!type.has_gaps()) {
    std::memcpy(target, operands, static_cast<std::size_t>(elements) * bytes);
    return;
  }
  const auto index = static_cast<std::size_t>(type.index_offset());
  for (; elements > 0; --elements, operands += bytes, target += bytes) {
    std::memcpy(target, operands, static_cast<std::size_t>(type.value_bytes));
    std::memcpy(target + index, operands + index, PredefinedType::index_bytes);
  }
}

void count(const std::byte* operands, std::byte* target) noexcept {
  std::int32_t more = 0;
  std::memcpy(&more, operands, sizeof more);
  // Its owner looks without the lock.
  std::atomic_ref(*reinterpret_cast<std::int32_t*>(target))
      .fetch_add(more, std::memory_order_acq_rel);
}

void apply(std::uint32_t code, const std::byte* operands, std::byte* target,
           std::int64_t elements) noexcept {
  const auto operation = static_cast<int>(code >> 16);
  const auto number = static_cast<int>(code & 0xffff);
  if (operation == no_op) return;
  if (operation == lock) return ask_lock(operands, target);
  if (operation == counter) return count(operands, target);
  const PredefinedType& type = predefined(number);
  const auto bytes = static_cast<std::size_t>(type.bytes);
  if (operation == replace)
    replace_elements(type, operands, target, elements);
  else if (operation != compare)
    reduce(operations()[static_cast<std::size_t>(operation)], type, operands, target, elements);
  else if (std::memcmp(target, operands, bytes) == 0)
    std::memcpy(target, operands + bytes, bytes);
}

// Before the World starts, in ghosts too.
const bool set_at_load = []() noexcept {
  atoll::detail::set_updater(apply);
  return true;
}();

}  // namespace

const PredefinedType& predefined(int number) { return types()[static_cast<std::size_t>(number)]; }

int number_of(MPI_Datatype type) {
  static const auto& numbers = *new std::unordered_map<MPI_Datatype, int>([] {
    std::unordered_map<MPI_Datatype, int> made;
    for (std::size_t i = 0; i < types().size(); ++i)
      if (types()[i].bytes > 0) made.emplace(types()[i].handle, static_cast<int>(i));
    return made;
  }());
  const auto found = numbers.find(type);
  return found == numbers.end() ? no_type : found->second;
}

int number_of_precision(int combiner, int bytes) {
  if (combiner == MPI_COMBINER_F90_COMPLEX)
    return number_of(bytes == 8    ? MPI_C_FLOAT_COMPLEX
                     : bytes == 16 ? MPI_C_DOUBLE_COMPLEX
                                   : MPI_C_LONG_DOUBLE_COMPLEX);
  if (combiner == MPI_COMBINER_F90_REAL)
    return number_of(bytes == 4 ? MPI_FLOAT : bytes == 8 ? MPI_DOUBLE : MPI_LONG_DOUBLE);
  return number_of(bytes == 1   ? MPI_INT8_T
                   : bytes == 2 ? MPI_INT16_T
                   : bytes == 4 ? MPI_INT32_T
                                : MPI_INT64_T);
}

int number_of_operation(MPI_Op operation) {
  const auto& all = operations();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == operation) return static_cast<int>(i);
  return no_operation;
}

std::string_view name_of_operation(int number) noexcept {
  constexpr std::array<std::string_view, 14> names{
      "MPI_SUM",  "MPI_PROD", "MPI_MIN",  "MPI_MAX",    "MPI_LAND",   "MPI_LOR",     "MPI_LXOR",
      "MPI_BAND", "MPI_BOR",  "MPI_BXOR", "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP"};
  return names[static_cast<std::size_t>(number)];
}

std::string name_of_type(MPI_Datatype type) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  PMPI_Type_get_name(type, name.data(), &length);
  return length > 0 ? std::string(name.data()) : "a derived datatype";
}

bool fits(int operation, int type) {
  const Family family = predefined(type).family;
  const MPI_Op handle = operations()[static_cast<std::size_t>(operation)];
  const bool integer = family == Family::integers || family == Family::bytes ||
                       family == Family::characters || family == Family::logicals;
  const auto among = [](auto one, auto... all) { return ((one == all) || ...); };
  if (among(handle, MPI_REPLACE, MPI_NO_OP)) return true;
  if (among(handle, MPI_SUM, MPI_PROD))
    return integer || among(family, Family::reals, Family::complexes);
  if (among(handle, MPI_MIN, MPI_MAX)) return integer || family == Family::reals;
  if (!among(handle, MPI_MINLOC, MPI_MAXLOC)) return integer;
  return family == Family::pairs;
}

bool comparable(int type) {
  const Family family = predefined(type).family;
  return family == Family::integers || family == Family::logicals || family == Family::bytes ||
         family == Family::characters;
}

UpdateKind update_kind(int operation, int type) {
  const std::int32_t bytes = predefined(type).bytes;
  return {code_of(operation, type), bytes, operation == no_op ? 0 : bytes};
}
UpdateKind reading_kind(std::int32_t element_bytes) {
  return {code_of(no_op, 0), element_bytes, 0};
}
UpdateKind writing_kind() { return {code_of(replace, number_of(MPI_BYTE)), 1, 1}; }
UpdateKind comparing_kind(int type) {
  const std::int32_t bytes = predefined(type).bytes;
  return {code_of(compare, type), bytes, 2 * bytes};
}
UpdateKind lock_kind() { return {code_of(lock, 0), sizeof(LockWord), sizeof(LockRequest)}; }
UpdateKind counter_kind() {
  return {code_of(counter, 0), sizeof(std::int32_t), sizeof(std::int32_t)};
}

}  // namespace lagoon::atoll::ghost
