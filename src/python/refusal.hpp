// Refusal: a wrong number of arguments, told in words, to methods that have no guard around them
// for the sake of speed (python/atoll/_guard.py).
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace nb = nanobind;

namespace lagoon::atoll::python {

/// After the method itself: for calls that it does not take. `takes` are its arguments as one
/// writes them, after self.
template <class Class>
void refuse_others(Class& bound, const char* name, const char* takes) {
  const std::string signature = "def " + std::string(name) +
                                "(self, *args: typing.Any, **kwargs: typing.Any)"
                                " -> " +
                                (std::string_view(name) == "__init__" ? "None" : "typing.NoReturn");
  bound.def(
      name,
      [name, takes](nb::handle self, const nb::args& given, const nb::kwargs& named) {
        nb::module_::import_("atoll._signatures").attr("refuse")(name, takes, self, given, named);
      },
      nb::sig(signature.c_str()));
}

}  // namespace lagoon::atoll::python
