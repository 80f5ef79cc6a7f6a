// Lists and tables.
#include "compat/ma/report.hpp"

#include <cstdio>

namespace lagoon::atoll::ma {

void print_blocks(const Allocator& allocator) {
  const std::vector<Integer> handles = allocator.handles();
  std::printf("MA: %zu blocks on the heap, %zu on the stack\n", allocator.usage(Side::heap).blocks,
              allocator.usage(Side::stack).blocks);
  if (!handles.empty())
    std::printf("%-6s %9s  %-32s %14s  %s\n", "", "memhandle", "name", "elements", "type");
  for (const Integer handle : handles) {
    const Block& block = allocator.block(handle);
    std::printf("%-6s %9ld  %-32s %14zu  %s\n", block.side == Side::heap ? "heap" : "stack",
                static_cast<long>(handle), block.name, block.elements,
                datatype(block.datatype).name);
  }
  std::fflush(stdout);
}

void print_usage(const Session& session, bool with_calls) {
  const Usage &heap = session.allocator.usage(Side::heap),
              &stack = session.allocator.usage(Side::stack);
  std::printf("MA:             %14s %14s\n", "heap", "stack");
  std::printf("blocks          %14zu %14zu\n", heap.blocks, stack.blocks);
  std::printf("blocks at most  %14zu %14zu\n", heap.most_blocks, stack.most_blocks);
  std::printf("bytes           %14zu %14zu\n", heap.bytes, stack.bytes);
  std::printf("bytes at most   %14zu %14zu\n", heap.most_bytes, stack.most_bytes);
  if (with_calls)
    for (const auto& [routine, count] : session.calls)
      std::printf("%12ld calls of %.*s\n", count, static_cast<int>(routine.size()), routine.data());
  std::fflush(stdout);
}

}  // namespace lagoon::atoll::ma
