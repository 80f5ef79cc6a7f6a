// A long message is blocks of `most` bytes and a rest, as one element of a datatype.
#include "compat/tcgmsg/bytes.hpp"

#include <array>

namespace lagoon::atoll::tcgmsg {

Bytes::Bytes(long bytes, long most) : count_(static_cast<int>(bytes)) {
  if (bytes <= most) return;
  std::array<MPI_Datatype, 2> parts{};
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(most), MPI_BYTE, &block);
  MPI_Type_contiguous(static_cast<int>(bytes / most), block, &parts[0]);
  MPI_Type_contiguous(static_cast<int>(bytes % most), MPI_BYTE, &parts[1]);
  const std::array<int, 2> counts = {1, 1};
  const std::array<MPI_Aint, 2> places = {0, bytes / most * most};
  MPI_Type_create_struct(2, counts.data(), places.data(), parts.data(), &datatype_);
  MPI_Type_commit(&datatype_);
  MPI_Type_free(&block);
  for (MPI_Datatype& part : parts) MPI_Type_free(&part);
  count_ = 1;
}

Bytes::~Bytes() {
  if (datatype_ != MPI_BYTE) MPI_Type_free(&datatype_);
}

}  // namespace lagoon::atoll::tcgmsg
