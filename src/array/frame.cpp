// Argument hashes, argument checks and the comparison of layouts.
#include "array/frame.hpp"

#include <bit>
#include <cmath>
#include <string>
#include <variant>

#include "array/array_state.hpp"
#include "atoll/error.hpp"
#include "world/forked_child.hpp"
#include "world/given_arguments.hpp"

namespace lagoon::atoll::detail {

ArgumentHash::ArgumentHash() noexcept { GivenArguments::of_thread().begin(); }

std::uint64_t ArgumentHash::value() const noexcept {
  GivenArguments::of_thread().end(hash_);
  return hash_;
}

void ArgumentHash::mix_in(std::uint64_t value) noexcept { hash_ = mix(hash_, value); }

void ArgumentHash::mix_in(std::string_view text) noexcept {
  mix_in(text.size());
  for (const char c : text) mix_in(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
}

void ArgumentHash::mix_in(const Index& index) noexcept {
  mix_in(static_cast<std::uint64_t>(index.size()));
  for (const std::int64_t entry : index) mix_in(static_cast<std::uint64_t>(entry));
}

ArgumentHash& ArgumentHash::add(std::uint64_t value) noexcept {
  GivenArguments::of_thread().add_hash(value);
  mix_in(value);
  return *this;
}

ArgumentHash& ArgumentHash::add(ElementType type) noexcept {
  GivenArguments::of_thread().add<ElementType>(type);
  mix_in(static_cast<std::uint64_t>(type));
  return *this;
}

ArgumentHash& ArgumentHash::add(std::string_view text) noexcept {
  GivenArguments::of_thread().add<GivenArguments::Name>(text);
  mix_in(text);
  return *this;
}

ArgumentHash& ArgumentHash::add(const Index& index) noexcept {
  if (!index.empty()) GivenArguments::of_thread().add<Index>(index);
  mix_in(index);
  return *this;
}

ArgumentHash& ArgumentHash::add(const Patch& patch) noexcept {
  GivenArguments::of_thread().add<Patch>(patch);
  mix_in(patch.lo);
  mix_in(patch.hi);
  mix_in(patch.step);
  return *this;
}

ArgumentHash& ArgumentHash::add(const View& view) {
  add(view.array);
  if (view.patch) add(*view.patch);
  return view.form == Form::plain ? *this : add(static_cast<std::uint64_t>(view.form));
}

ArgumentHash& ArgumentHash::add(const Scalar& scalar) noexcept {
  GivenArguments::of_thread().add<Scalar>(scalar);
  const auto& value = scalar.value();
  mix_in(value.index());
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    mix_in(static_cast<std::uint64_t>(*integer));
  } else if (const auto* real = std::get_if<double>(&value)) {
    mix_in(std::bit_cast<std::uint64_t>(*real));
  } else if (const auto* large = std::get_if<std::uint64_t>(&value)) {
    mix_in(*large);
  } else {
    const auto number = std::get<std::complex<double>>(value);
    mix_in(std::bit_cast<std::uint64_t>(number.real()));
    mix_in(std::bit_cast<std::uint64_t>(number.imag()));
  }
  return *this;
}

ArgumentHash& ArgumentHash::add(const AnyArray& array) {
  GivenArguments::of_thread().add<GivenArguments::Array>(array.name(), array.shape());
  mix_in(array.state()->creation);
  mix_in(static_cast<std::uint64_t>(array.type()));
  mix_in(array.shape());
  // Each node cuts its copy in its own way.
  if (!array.mirrored()) {
    const Distribution& distribution = array.distribution();
    mix_in(1);
    mix_in(static_cast<std::uint64_t>(distribution.kind()));
    mix_in(distribution.grid());
    mix_in(distribution.block());
  }
  mix_in(std::string_view(array.name()));
  return *this;
}

void require_alive(const AnyArray& array, std::string_view operation) {
  if (!array.alive()) refuse_forked_child();
  if (!array.alive())
    throw Error(ErrorKind::state, "the array is destroyed, or the world it lived in has ended")
        .during(operation);
}

void require_writable(const AnyArray& array, std::string_view operation) {
  require_alive(array, operation);
  if (array.read_only())
    throw Error(ErrorKind::state, description(array) + " is read-only (set_read_only)")
        .during(operation);
}

void check_same_type(const AnyArray& a, const AnyArray& b) {
  if (a.type() == b.type()) return;
  throw Error(ErrorKind::type, description(a) + " holds " + std::string(name_of(a.type())) + ", " +
                                   description(b) + " holds " + std::string(name_of(b.type())));
}

void check_same_shape(const AnyArray& a, const AnyArray& b) {
  if (a.shape() == b.shape()) return;
  throw Error(ErrorKind::value, "shapes differ: " + description(a) + ", " + description(b));
}

void check_not_complex(const AnyArray& array) {
  if (!is_complex(array.type())) return;
  throw Error(ErrorKind::type, description(array) + " holds " + std::string(name_of(array.type())) +
                                   "; complex numbers have no order");
}

void check_patch(const AnyArray& array, const Patch& patch) {
  const Index& shape = array.shape();
  const auto outside = [&](const std::string& why) {
    throw Error(ErrorKind::index,
                "patch " + patch.to_string() + " " + why + " " + description(array));
  };
  if (patch.lo.size() != shape.size() || patch.hi.size() != shape.size() ||
      (!patch.step.empty() && patch.step.size() != shape.size()))
    throw Error(ErrorKind::index, "a patch of lo " + patch.lo.to_string() + ", hi " +
                                      patch.hi.to_string() + ", step " + patch.step.to_string() +
                                      " has not the dimensions of " + description(array));
  for (int d = 0; d < shape.size(); ++d) {
    if (!patch.step.empty() && patch.step[d] < 1)
      throw Error(ErrorKind::value, "patch " + patch.to_string() + " has a step below one");
    if (patch.lo[d] < 0 || patch.hi[d] > shape[d] || patch.lo[d] > patch.hi[d])
      outside("lies outside");
  }
}

namespace {

struct ScalarProblem {
  ErrorKind kind;
  const char* text;
};

/// What is wrong with this real number in an integer array, if anything.
const ScalarProblem* integer_problem(double value, ElementType type) {
  static constexpr ScalarProblem fraction{ErrorKind::type, "is not a whole number"};
  static constexpr ScalarProblem range{ErrorKind::value, "is out of range"};
  if (!std::isfinite(value) || value != std::trunc(value)) return &fraction;
  // The highest int64 and uint64 are no doubles: the first numbers beyond them are.
  const auto least = static_cast<double>(traits_of(type).lowest);
  const std::uint64_t half = traits_of(type).highest / 2 + 1;
  const double bound = traits_of(type).boolean ? 2 : 2 * static_cast<double>(half);
  return value < least || value >= bound ? &range : nullptr;
}

const ScalarProblem* scalar_problem(const Scalar& scalar, ElementType type) {
  static constexpr ScalarProblem imaginary{ErrorKind::type, "has an imaginary part"};
  static constexpr ScalarProblem range{ErrorKind::value, "is out of range"};
  const auto& value = scalar.value();
  if (is_complex(type)) return nullptr;
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return is_integer(type) && !fits(*integer, type) ? &range : nullptr;
  if (const auto* integer = std::get_if<std::uint64_t>(&value))
    return is_integer(type) && !fits(*integer, type) ? &range : nullptr;
  if (const auto* real = std::get_if<double>(&value))
    return is_integer(type) ? integer_problem(*real, type) : nullptr;
  const auto number = std::get<std::complex<double>>(value);
  if (number.imag() != 0) return &imaginary;
  return is_integer(type) ? integer_problem(number.real(), type) : nullptr;
}

}  // namespace

void check_scalar(const Scalar& scalar, const AnyArray& array, std::string_view what) {
  if (const ScalarProblem* problem = scalar_problem(scalar, array.type()))
    throw Error(problem->kind, std::string(what) + " " + to_string(scalar) + " " + problem->text +
                                   ", but " + description(array) + " holds " +
                                   std::string(name_of(array.type())));
}

bool same_members(const Group& a, const Group& b) {
  if (a == b) return true;
  if (a.size() != b.size()) return false;
  for (int rank = 0; rank < a.size(); ++rank)
    if (a.world_rank(rank) != b.world_rank(rank)) return false;
  return true;
}

bool contains(const Group& outer, const Group& inner) {
  return outer == inner || inner.state()->lies_in(*outer.state());
}

bool aligned(const AnyArray& a, const AnyArray& b) {
  return a.state() == b.state() ||
         (a.distribution() == b.distribution() && same_members(a.group(), b.group()));
}

void require_same_members(const AnyArray& a, const AnyArray& b, std::string_view operation) {
  if (!same_members(a.group(), b.group()))
    throw Error(ErrorKind::value,
                description(a) + " and " + description(b) + " live on different groups")
        .during(operation);
}

}  // namespace lagoon::atoll::detail
