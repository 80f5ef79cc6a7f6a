// A global pointer array: an array of two numbers an element, where in its owner's memory the
// object lies and how many bytes it has. The numbers are a last dimension, which is not cut.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compat/ga/arrays.hpp"

namespace lagoon::atoll::gp {

/// What an element holds.
struct Object {
  int rank = 0;             ///< of its owner in the world
  std::int64_t offset = 0;  ///< in the owner's memory, in bytes; 0: the element holds nothing
  std::int64_t size = 0;

  bool exists() const noexcept { return offset != 0; }
};

class PointerArray {
 public:
  /// `number`: its handle, for messages. It is to be of the default group.
  explicit PointerArray(int number);

  int dimensions() const noexcept { return plan_.shape.size(); }
  bool allocated() const noexcept { return directory_ != nullptr; }
  /// To be changed. Error(state) when it is allocated.
  ga::Plan& plan();
  /// The same of an array whose dimensions are known; Error(state) before.
  ga::Plan& shaped_plan();
  /// Collective over the group. False on all its processes where there is no memory.
  bool allocate();
  /// Collective.
  void deallocate();

  /// All of the following: Error(state) if it is not allocated, Error(index) outside of it.
  const Group& group() const;
  Patch owned(int process) const;
  /// Row-major.
  std::vector<Object> objects(const Patch& patch) const;
  std::vector<Object> objects(const int* subscripts, int count) const;
  Object object(const Index& position) const;
  /// Of an element of mine; Error(value) if it is not.
  void check_mine(const Index& position) const;
  void set_mine(const Index& position, std::int64_t offset, std::int64_t size);
  void check_inside(const Index& position) const;

 private:
  ga::GlobalArray& directory() const;
  std::string text() const { return "global pointer array " + std::to_string(number_); }
  int owner(const Index& position) const;
  int number_;
  ga::Plan plan_;  // of the elements
  std::unique_ptr<ga::GlobalArray> directory_;
};

}  // namespace lagoon::atoll::gp
