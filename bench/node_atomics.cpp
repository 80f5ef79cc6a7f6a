// node-atomics: fetch-adds on a word of a neighbour's block, by one rank alone and by both ranks at
// once, beside the processor's own atomic addition on that word, and MPI_Fetch_and_op.
#include <sched.h>

#include <atomic>
#include <functional>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

// Words of the neighbour's block, each on a cache line of its own.
constexpr std::int64_t counted = 0;
constexpr std::int64_t go = 32;
constexpr std::int64_t done = 64;
constexpr std::int64_t words = 128;

void await(std::int64_t& word, std::int64_t value) {
  const std::atomic_ref<std::int64_t> flag(word);
  while (flag.load(std::memory_order_acquire) != value) sched_yield();
}

void set(std::int64_t& word, std::int64_t value) {
  std::atomic_ref<std::int64_t>(word).store(value, std::memory_order_release);
}

}  // namespace

void node_atomics(Context& context) {
  atoll::Array<std::int64_t> array(context.world, {2 * words});
  atoll::Counter counter(context.world);
  Window window(context.world.communicator(), words, Window::Kind::shared);
  const atoll::TypedBlock<std::int64_t> block = array.block(1);
  const atoll::Index position{block.patch.lo[0] + counted};
  std::int64_t* const memory = block.data;
  const std::vector<std::function<void(std::int64_t)>> ways{
      [&](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) array.fetch_add(position, 1);
      },
      [&](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) counter.next();
      },
      [&](std::int64_t n) {
        const std::atomic_ref<std::int64_t> word(memory[counted]);
        for (std::int64_t i = 0; i < n; ++i) word.fetch_add(1);
      },
      [&](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) window.fetch_add(1, 1, counted);
      },
  };
  std::vector<Pair::Task> tasks;
  for (const auto& way : ways)
    tasks.push_back([&](std::int64_t n) {
      await(memory[go], 1);
      way(n);
      set(memory[done], 1);
    });
  const int wait_task = static_cast<int>(tasks.size());
  tasks.push_back([&](std::int64_t) { context.world.barrier(); });
  context.world.sync();

  Pair pair(context.world.communicator(), tasks);
  pair.run([&] {
    std::vector<Contender> alone;
    for (const auto& way : ways) alone.push_back({way});
    pair.ask(wait_task, 0);
    auto s = race(context.settings, alone);
    context.world.barrier();
    context.report.rate("node fetch-add alone", 1.0, s[0],
                        {{"atomic add", s[2]}, {"MPI RMA", s[3]}});
    context.report.rate("node counter alone", 1.0, s[1], {{"atomic add", s[2]}, {"MPI RMA", s[3]}});

    std::vector<Contender> together;
    for (std::size_t i = 0; i < ways.size(); ++i)
      together.push_back({[&, i](std::int64_t n) {
                            set(memory[go], 1);
                            ways[i](n);
                            await(memory[done], 1);
                          },
                          [&, i](std::int64_t n) {
                            set(memory[go], 0);
                            set(memory[done], 0);
                            pair.ask(static_cast<int>(i), n);
                          }});
    s = race(context.settings, together, paired_batch);
    context.report.rate("node fetch-add by both ranks", 2.0, s[0],
                        {{"atomic add", s[2]}, {"MPI RMA", s[3]}});
    context.report.rate("node counter by both ranks", 2.0, s[1],
                        {{"atomic add", s[2]}, {"MPI RMA", s[3]}});
  });
}

}  // namespace bench
