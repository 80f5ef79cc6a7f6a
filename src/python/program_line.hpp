// ProgramLine: tells the race detector, where it runs, from which line of a Python program this
// thread calls: the innermost outside of the package.
#pragma once

#include <cstdint>

#include "world/race/detector.hpp"

namespace lagoon::atoll::python {

/// Whether the innermost Python code is the program's, not the package's. REQUIRES: the GIL is
/// held.
bool called_by_program();

class ProgramLine {
 public:
  /// REQUIRES: the GIL is held.
  ProgramLine() { begin(); }
  ProgramLine(const ProgramLine&) = delete;
  ProgramLine& operator=(const ProgramLine&) = delete;
  ~ProgramLine() { end(); }

  /// The same for those that are no blocks. A call inside another one ends the outer's, too.
  static void begin() {
    if (detail::race::Detector::running != nullptr) tell();
  }
  static void end() noexcept { detail::race::language_site = 0; }

 private:
  static void tell();
};

}  // namespace lagoon::atoll::python
