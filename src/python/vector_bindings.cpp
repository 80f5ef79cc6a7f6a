// Prefix sums and bins for Python.
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "array_object.hpp"
#include "atoll/bins.hpp"
#include "atoll/error.hpp"
#include "atoll/scan.hpp"
#include "bindings.hpp"
#include "values.hpp"

namespace lagoon::atoll::python {

namespace {

std::vector<std::int64_t> integers_from(nb::handle sequence, const char* name) {
  const Values values(sequence, ElementType::int64);
  if (values.dimensions() != 1)
    throw nb::value_error((std::string(name) + " are one list of integers, not an array of " +
                           std::to_string(values.dimensions()) + " dimensions")
                              .c_str());
  std::vector<std::int64_t> result;
  const auto* from = reinterpret_cast<const std::int64_t*>(values.data());
  for (std::int64_t i = 0; i < values.extent(0); ++i) result.push_back(from[i * values.stride(0)]);
  return result;
}

}  // namespace

void bind_vectors(nb::module_& m) {
  m.def(
      "scan_add",
      [](const ArrayObject& source, const ArrayObject& target) {
        const AnyArray& from = source.get();
        AnyArray& to = target.get();
        waiting([&] { scan_add(from, to, whole(from.shape())); });
      },
      nb::arg("source"), nb::arg("target"));
  m.def(
      "bin_index",
      [](const ArrayObject& contents, const ArrayObject& counts, const ArrayObject& offsets,
         nb::handle values, nb::handle bins, bool sorted) {
        AnyArray &to = contents.get(), &sizes = counts.get(), &begins = offsets.get();
        const std::vector<std::int64_t> mine = integers_from(values, "values"),
                                        numbers = integers_from(bins, "bins");
        return waiting([&] { return bin_index(to, sizes, begins, mine, numbers, sorted); });
      },
      nb::arg("contents"), nb::arg("counts"), nb::arg("offsets"), nb::arg("values"),
      nb::arg("bins"), nb::arg("sorted"));
  m.def(
      "bin_sort",
      [](const ArrayObject& contents, const ArrayObject& counts, const ArrayObject& offsets) {
        AnyArray& to = contents.get();
        const AnyArray &sizes = counts.get(), &begins = offsets.get();
        waiting([&] { bin_sort(to, sizes, begins); });
      },
      nb::arg("contents"), nb::arg("counts"), nb::arg("offsets"));
}

}  // namespace lagoon::atoll::python
