// The adaptor of the MPI in use, against its mpi.h. tests/packaging/test_mpi_headers.py compares
// the others.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "mpi/library.hpp"
#include "mpi_interface.hpp"

namespace lagoon::atoll::mpi {
namespace {

TEST(MpiInterface, IsThatOfTheHeaderInUse) { EXPECT_EQ(differences(), ""); }

TEST(MpiInterface, LeadsToTheLibraryThatTheProgramIsLinkedWith) {
  Dl_info linked{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&MPI_Init), &linked), 0);
  EXPECT_EQ(library().file, linked.dli_fname);
  EXPECT_EQ(native<MPI_Comm>(comm_world), MPI_COMM_WORLD);
  EXPECT_EQ(of_native(MPI_COMM_NULL), comm_null);
}

}  // namespace
}  // namespace lagoon::atoll::mpi
