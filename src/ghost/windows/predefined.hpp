// Predefined: MPI's own datatypes and operations by small numbers that are the same in all
// processes, and what an accumulate does to elements of them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "atoll/types.hpp"
#include "transport/update.hpp"

namespace lagoon::atoll::ghost {

/// Which of MPI's operations there are for a type.
enum class Family : std::uint8_t { bytes, characters, integers, logicals, reals, complexes, pairs };

/// One of MPI's own datatypes.
struct PredefinedType {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Datatype arithmetic = MPI_DATATYPE_NULL;  ///< as which MPI reduces it
  Family family = Family::bytes;
  std::int32_t bytes = 0;                ///< of its extent; gaps travel with an element
  std::int32_t value_bytes = 0;          ///< of a pair's value, before its index
  std::int32_t size = 0;                 ///< without gaps
  std::optional<ElementType> element{};  ///< where a sum is Atoll's own accumulate

  /// Only pairs may have gaps, which belong to nobody's data.
  bool has_gaps() const noexcept { return size < bytes; }
  static constexpr std::int32_t index_bytes = sizeof(int);
  /// Of a pair: where C has the index behind the value.
  std::int32_t index_offset() const noexcept {
    return (value_bytes + index_bytes - 1) / index_bytes * index_bytes;
  }
};

inline constexpr int no_type = -1;
/// Its number; `no_type` for a derived type.
int number_of(MPI_Datatype type);
/// REQUIRES: a number that `number_of` gave.
const PredefinedType& predefined(int number);
/// The number of a type of this many bytes that stands for one that MPI makes by precision.
int number_of_precision(int combiner, int bytes);

/// What updates do. The number of an operation of MPI's, also MPI_REPLACE and MPI_NO_OP.
inline constexpr int no_operation = -1;
int number_of_operation(MPI_Op operation);
/// "MPI_SUM".
std::string_view name_of_operation(int number) noexcept;
/// As MPI names it; "a derived datatype" where it has no name.
std::string name_of_type(MPI_Datatype type);
/// Whether there is such an operation for the type: by the standard, or by MPICH, where bytes,
/// characters and truth values are also numbers.
bool fits(int operation, int type);
/// Whether compare-and-swap is for the type.
bool comparable(int type);

/// operation(operand, element) for elements of the type.
atoll::detail::UpdateKind update_kind(int operation, int type);
/// The same without an operand: the old values are all.
atoll::detail::UpdateKind reading_kind(std::int32_t element_bytes);
/// Bytes are replaced.
atoll::detail::UpdateKind writing_kind();
/// The operand is two elements: the second is written where the first is what there is.
atoll::detail::UpdateKind comparing_kind(int type);
/// Requests to the lock of a window (lock_word.hpp) and additions to its counters.
atoll::detail::UpdateKind lock_kind();
atoll::detail::UpdateKind counter_kind();

}  // namespace lagoon::atoll::ghost
