// Which family an MPI library belongs to, by its own words.
#include "world/mpi_library.hpp"

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::family_of;

TEST(MpiLibrary, IsOfTheFamilyThatItsOwnWordsName) {
  for (const char* name : {"MPICH 5.0.2", "Intel(R) MPI Library 2021.9 for Linux* OS",
                           "MVAPICH 3.0", "MPI VERSION    : CRAY MPICH version 8.1.25"})
    EXPECT_EQ(family_of(name), MpiFamily::mpich) << name;
  for (const char* name : {"Open MPI v5.0.11", "IBM Spectrum MPI v10.4"})
    EXPECT_EQ(family_of(name), MpiFamily::open_mpi) << name;
  EXPECT_EQ(family_of("another"), MpiHeader{}.family);
}

TEST(MpiLibrary, ThatRunsIsOfTheFamilyThatWasCompiledFor) {
  const std::string name = detail::running_library();
  EXPECT_EQ(family_of(name), MpiHeader{}.family) << name;
  EXPECT_EQ(name.find('\n'), std::string::npos) << name;
}

}  // namespace
}  // namespace lagoon::atoll::test
