// atoll_scale: all tables, and the count of the heap.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tables.hpp"

namespace {
std::atomic<std::size_t> in_use{0};
}

void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  in_use += malloc_usable_size(memory);
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) in_use -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

std::size_t lagoon::atoll::scale::heap_in_use() noexcept { return in_use; }

int main() {
  using namespace lagoon::atoll::scale;
  print_layouts();
  print_memory();
  print_crowds();
  print_locks();
  print_merges();
  print_products();
  return 0;
}
