// Which family an MPI library belongs to, by its own words.
#include "world/mpi_library.hpp"

#include <cstdint>
#include <string>

#include "mpi/library.hpp"
#include "support.hpp"
#include "world/room_for_mpi.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::family_of;

TEST(MpiLibrary, IsOfTheFamilyThatItsOwnWordsName) {
  for (const char* name : {"MPICH 5.0.2", "Intel(R) MPI Library 2021.9 for Linux* OS",
                           "MVAPICH 3.0", "MPI VERSION    : CRAY MPICH version 8.1.25"})
    EXPECT_EQ(family_of(name), MpiFamily::mpich) << name;
  for (const char* name : {"Open MPI v5.0.11", "IBM Spectrum MPI v10.4"})
    EXPECT_EQ(family_of(name), MpiFamily::open_mpi) << name;
  EXPECT_EQ(family_of("another"), mpi::library().family);
}

TEST(MpiLibrary, IsOfOneFamilyByItsWordsAndByItsFunctions) {
  const std::string name = detail::running_library();
  EXPECT_EQ(family_of(name), mpi::library().family) << name;
  EXPECT_EQ(name.find('\n'), std::string::npos) << name;
}

TEST(MpiLibrary, IsToldToLackSharedMemoryByWhatItsKindNeedsForAllRanks) {
  const std::string with_ucx = "MPICH Version: 5.0.2\nMPICH Device: ch4:ucx ofi";
  const std::string without = "MPICH Version: 4.0.2\nMPICH Device: ch4:ofi";
  const auto lack = [](const std::string& library, int mebibytes, int ranks) {
    return detail::lack_of_room_for_mpi(library, static_cast<std::uint64_t>(mebibytes) << 20,
                                        ranks);
  };
  EXPECT_NE(
      lack(with_ucx, 16, 1).find("has 16 MiB free, and MPICH may need 22 MiB there for 1 rank "),
      std::string::npos);
  EXPECT_NE(lack(with_ucx, 37, 4).find("may need 38 MiB there for 4 ranks "), std::string::npos);
  EXPECT_EQ(lack(with_ucx, 38, 4), "");
  EXPECT_EQ(lack(without, 16, 4), "");
  EXPECT_NE(lack(without, 4, 4), "");
  EXPECT_EQ(lack("Open MPI v5.0.11", 1, 4), "");
}

}  // namespace
}  // namespace lagoon::atoll::test
