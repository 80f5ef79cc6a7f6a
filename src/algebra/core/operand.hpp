// What the views of one call must have in common, and the frame of such calls. Elements at equal
// section coordinates belong together, those of a transposed view taken in reverse order.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "array/frame.hpp"
#include "atoll/view.hpp"

namespace lagoon::atoll::detail {

template <std::size_t N>
using Views = std::array<View, N>;

Index reversed(Index index);

/// "patch [0:3] of array 'A' of shape (4) transposed", or the array alone.
std::string text_of(const View& operand);

// Checks for use inside the `validate` callback of enter_collective.
/// That two sections have one shape, transpositions done; else Error(value).
void check_sections_match(const View& a, const View& b);
/// Error(value) when they are sections of one array with an element in common.
void check_sections_apart(const View& a, const View& b);
/// Error(unsupported) for a conjugated view.
void check_not_conjugated(const View& view);
/// That, one element type, patches inside the arrays, one shape.
void check_alike(std::span<const View> operands);
/// That, and inputs in the output's array are the output or apart from it.
void check_alike(std::span<const View> inputs, const View& output);

/// Whether two sections of one shape have the same elements, however their ends are written.
bool same_section(const Patch& a, const Patch& b);
/// Whether elements that belong together lie at equal offsets in the memory of equal ranks.
bool aligned(const View& a, const View& b);

/// Notes that my elements of a section change, where the array keeps account of that.
void mark_written(const MutableView& output);

/// Before entering: Error unless all are alive and have the members of the last.
void require_operands(std::string_view operation, std::span<const View> operands);
void require_operands(std::string_view operation, std::span<const View> inputs,
                      const MutableView& output);

/// The frame of a call that reads operands. `more` is the hash of its other arguments, `check`
/// looks at what is special about it.
void reading(std::string_view operation, std::span<const View> operands, std::uint64_t more,
             const std::function<void()>& check, const std::function<void()>& body);

/// The same for a call that also writes one.
void writing(std::string_view operation, std::span<const View> inputs, const MutableView& output,
             std::uint64_t more, const std::function<void()>& check,
             const std::function<void()>& body);

}  // namespace lagoon::atoll::detail
