// Any number of bytes as an MPI datatype and a count, which is an int.
#pragma once

#include "mpi/handles.hpp"

namespace lagoon::atoll::tcgmsg {

class Bytes {
 public:
  /// `most`: how many bytes may be counted one by one.
  explicit Bytes(long bytes, long most = 1L << 30);
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  /// MPI keeps the datatype as long as transfers use it.
  ~Bytes();

  int count() const noexcept { return count_; }
  mpi::Datatype datatype() const noexcept { return datatype_; }

 private:
  mpi::Datatype datatype_ = mpi::type_byte;
  int count_;
};

}  // namespace lagoon::atoll::tcgmsg
