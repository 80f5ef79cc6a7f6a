#include "program_line.hpp"

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <unordered_map>

namespace nb = nanobind;

namespace lagoon::atoll::python {

namespace {

/// Of a code object: its file, by its name alone, empty where it is the package's own.
struct Code {
  nb::object keeps;  // so that no other object gets its address
  std::string file;
  bool wraps = false;                            // it stands around every method (_guard.py)
  std::unordered_map<int, std::uint64_t> sites;  // by line
};

// Not destroyed: when the process ends, Python may have ended before. Guarded by the GIL.
std::unordered_map<PyObject*, Code>& codes() {
  static auto* const known = new std::unordered_map<PyObject*, Code>;  // NOLINT
  return *known;
}

Code& code_of(PyFrameObject* frame, const std::string& package) {
  const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  const auto [found, fresh] = codes().try_emplace(code.ptr());
  if (fresh) {
    found->second.keeps = code;
    const auto file = nb::cast<std::string>(code.attr("co_filename"));
    found->second.wraps = file == package + "_signatures.py" || file == package + "_agreement.py";
    if (!file.starts_with(package) && !file.starts_with("<frozen"))
      found->second.file = file.substr(file.rfind('/') + 1);
  }
  return found->second;
}

const std::string& package_folder() {
  static const auto* const folder = new std::string(  // NOLINT
      nb::cast<std::string>(nb::module_::import_("atoll._agreement").attr("_HERE")) + "/");
  return *folder;
}

std::uint64_t site_of_program() {
  nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame.is_valid() && !frame.is_none()) {
    auto* const here = reinterpret_cast<PyFrameObject*>(frame.ptr());
    if (Code& code = code_of(here, package_folder()); !code.file.empty()) {
      const int line = PyFrame_GetLineNumber(here);
      std::uint64_t& site = code.sites[line];
      if (site == 0)
        site = detail::race::Detector::running->sites().add(code.file + ":" + std::to_string(line));
      return site;
    }
    frame = frame.attr("f_back");
  }
  return 0;
}

}  // namespace

bool called_by_program() {
  nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame.is_valid() && !frame.is_none()) {
    const Code& code = code_of(reinterpret_cast<PyFrameObject*>(frame.ptr()), package_folder());
    if (!code.wraps) return !code.file.empty();
    frame = frame.attr("f_back");
  }
  return false;
}

void ProgramLine::tell() {
  // While an exception is on its way Python is not asked anything.
  if (PyErr_Occurred() != nullptr) return;
  detail::race::language_site = site_of_program();
}

}  // namespace lagoon::atoll::python
