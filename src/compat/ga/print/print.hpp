// GA's printing. The first process of the array's group writes, all of it wait. As Global Arrays
// does, arrays are shown as Fortran sees them, from C as well: indices count from 1, the first
// dimension runs down the page. No more than a slab of columns is fetched at a time.
#pragma once

#include <cstdint>
#include <cstdio>

#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

/// `pretty`: columns of numbers with headings; else one element a line. Collective.
void print(std::FILE* file, GlobalArray& a, const Patch& patch, bool pretty);
void print(std::FILE* file, GlobalArray& a);

/// Which process owns which patch, as the language counts. Collective.
template <Language language>
void print_distribution(std::FILE* file, GlobalArray& a);
extern template void print_distribution<Language::c>(std::FILE*, GlobalArray&);
extern template void print_distribution<Language::fortran>(std::FILE*, GlobalArray&);

/// The arrays of the handles that fit the list, -1000 to -901; where they lie if `verbose`. By
/// process 0 of the default group.
void summarize(std::FILE* file, bool verbose);
/// How many arrays there are, and what they take of process 0's memory.
void print_statistics(std::FILE* file);

}  // namespace lagoon::atoll::ga
