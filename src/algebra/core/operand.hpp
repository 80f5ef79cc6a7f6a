// What an element-wise call works on: arrays, all of each or a section, and what they must have in
// common. Elements at equal section coordinates belong together.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "array/frame.hpp"
#include "atoll/array.hpp"

namespace lagoon::atoll::detail {

/// Refers to an argument, for as long as the call lasts.
struct Operand {
  const AnyArray& array;
  const Patch* patch = nullptr;  ///< none: all of the array
  bool transposed = false;       ///< section coordinates are taken in reverse order

  Patch section() const { return patch == nullptr ? whole(array.shape()) : *patch; }
  /// Of the section as it enters, transposed or not.
  Index shape() const;
  /// Whether it is the whole array as it lies.
  bool all() const;
};
void add_to(ArgumentHash& hash, const Operand& operand);

template <std::size_t N>
using Operands = std::array<Operand, N>;

/// The operand that is written.
struct Output {
  AnyArray& array;
  const Patch* patch = nullptr;

  Operand operand() const { return {array, patch}; }
};

Index reversed(Index index);

/// "patch [0:3] of array 'A' of shape (4)", or the array alone.
std::string text_of(const Operand& operand);

// Checks for use inside the `validate` callback of enter_collective.
/// That two sections have one shape, transpositions done; else Error(value).
void check_sections_match(const Operand& a, const Operand& b);
/// Error(value) when they are sections of one array with an element in common.
void check_sections_apart(const Operand& a, const Operand& b);
/// One element type, patches inside the arrays, one shape.
void check_alike(std::span<const Operand> operands);
/// That, and inputs in the output's array lie where the output does or apart from it.
void check_alike(std::span<const Operand> inputs, const Operand& output);

/// Whether two sections of one shape have the same elements, however their ends are written.
bool same_section(const Patch& a, const Patch& b);
/// Whether elements that belong together lie at equal offsets in the memory of equal ranks.
bool aligned(const Operand& a, const Operand& b);

/// Notes that my elements of a section change, where the array keeps account of that.
void mark_written(const Output& output);

/// Before entering: Error unless all are alive and have the members of the last.
void require_operands(std::string_view operation, std::span<const Operand> operands);
void require_operands(std::string_view operation, std::span<const Operand> inputs,
                      const Output& output);

/// The frame of a call that reads operands. `more` is the hash of its other arguments, `check`
/// looks at what is special about it.
void reading(std::string_view operation, std::span<const Operand> operands, std::uint64_t more,
             const std::function<void()>& check, const std::function<void()>& body);

/// The same for a call that also writes one.
void writing(std::string_view operation, std::span<const Operand> inputs, const Output& output,
             std::uint64_t more, const std::function<void()>& check,
             const std::function<void()>& body);

}  // namespace lagoon::atoll::detail
