// A long message is blocks of `most` bytes and a rest, as one element of a datatype.
#include "compat/tcgmsg/bytes.hpp"

#include <array>

#include "mpi/face.hpp"

namespace lagoon::atoll::tcgmsg {

Bytes::Bytes(long bytes, long most) : count_(static_cast<int>(bytes)) {
  if (bytes <= most) return;
  std::array<mpi::Datatype, 2> parts{};
  mpi::Datatype block = mpi::type_null;
  mpi::type_contiguous(static_cast<int>(most), mpi::type_byte, &block);
  mpi::type_contiguous(static_cast<int>(bytes / most), block, &parts[0]);
  mpi::type_contiguous(static_cast<int>(bytes % most), mpi::type_byte, &parts[1]);
  const std::array<int, 2> counts = {1, 1};
  const std::array<std::ptrdiff_t, 2> places = {0, bytes / most * most};
  mpi::type_create_struct(2, counts.data(), places.data(), parts.data(), &datatype_);
  mpi::type_commit(&datatype_);
  mpi::type_free(&block);
  for (mpi::Datatype& part : parts) mpi::type_free(&part);
  count_ = 1;
}

Bytes::~Bytes() {
  if (datatype_ != mpi::type_byte) mpi::type_free(&datatype_);
}

}  // namespace lagoon::atoll::tcgmsg
