// Random sequences of operations against a serial model of the memory model.
//
// All ranks draw the same sequence from the same seed: a random array (type, shape, layout, group)
// and operations, each done by one random rank of the group or by all. Every rank carries the
// serial model through the whole sequence; wherever the model says that an operation would race
// with an earlier one of another rank, all ranks sync first. So every value that is read has
// exactly one right answer: values are small integers, and accumulates in any order agree.
// Nonblocking operations are waited for at a random later point; gets are checked then.
//
// TEST_RANDOM_SEED and TEST_RANDOM_SEQUENCES change the seed and the sequences of each batch.
#include <cstdlib>
#include <list>

#include "serial_model.hpp"
#include "user_buffer.hpp"

namespace lagoon::atoll::test {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// One random sequence on one array of T.
template <Element T>
class Sequence {
 public:
  Sequence(Random& random, const Group& group)
      : random_(random),
        group_(group),
        model_(random_shape(random, static_cast<int>(random.between(1, max_dimensions)),
                            random.chance(0.01) ? 60'000 : random.between(1, 600))),
        layout_(random_layout(random, model_.shape(), group.size())),
        array_(group, model_.shape(), {.layout = layout_, .name = "random"}) {
    log_ = "array " + model_.shape().to_string() + " of " + std::string(name_of(array_.type())) +
           ", " + array_.distribution().to_string() + ", group of " + std::to_string(group.size()) +
           "\n";
  }

  void run() {
    const auto count = random_.between(4, 20);
    for (std::int64_t i = 0; i < count; ++i) step();
    finish_pending();
    sync();
    if (random_.chance(0.3)) check_local_memory();
    if (quiet()) return group_.barrier();
    EXPECT_TRUE(holds(array_, model_.values())) << log_;
    group_.barrier();  // nobody starts to let go while others still read
  }

 private:
  /// Whether there are atomic operations on elements.
  static constexpr bool atomic = std::integral<T> && sizeof(T) > 1;

  struct Pending {
    Handle handle;
    UserBuffer<T> buffer;
    std::vector<T> expected;  // of a get
    std::string what;
  };

  void step() {
    actor_ = static_cast<int>(random_.between(0, group_.size() - 1));
    switch (random_.between(0, atomic ? 11 : 9)) {
      case 0:
      case 1: put(); break;
      case 2:
      case 3: get(); break;
      case 4:
      case 5: accumulate(); break;
      case 6: scatter(); break;
      case 7: gather(); break;
      case 8: scatter_accumulate(); break;
      case 9: collective(); break;
      case 10: fetch_add(); break;
      default: swap(); break;
    }
    if (random_.chance(0.1)) finish_pending();
  }

  /// After the first fault the sequences go on, so that ranks stay in step, but unchecked: all
  /// that follows would only repeat it.
  static bool quiet() { return testing::Test::HasFailure(); }

  bool mine() const { return group_.rank() == actor_; }

  void note(const std::string& text) { log_ += std::to_string(actor_) + ": " + text + "\n"; }

  void sync() {
    group_.sync();
    model_.forget();
    log_ += "sync\n";
  }

  Patch section() { return random_patch(random_, model_.shape(), random_.chance(0.25)); }

  void make_room(const Patch& patch, Access access) {
    if (!model_.allowed(patch, actor_, access)) sync();
    model_.touch(patch, actor_, access);
  }

  UserBuffer<T> buffer_for(const Patch& patch, bool may_broadcast) {
    const auto kind = static_cast<BufferKind>(random_.between(0, may_broadcast ? 4 : 3));
    return UserBuffer<T>(random_, patch.shape(), kind);
  }

  void put() {
    const Patch patch = section();
    UserBuffer<T> buffer = buffer_for(patch, true);
    buffer.fill(random_);
    const bool later = random_.chance(0.3);
    make_room(patch, Access::write);
    note((later ? "put_async " : "put ") + patch.to_string());
    model_.put(patch, buffer.packed());
    if (!mine()) return;
    if (!later) return array_.put(patch, buffer.data(), buffer.strides());
    Pending& pending = remember(std::move(buffer), {}, log_);
    pending.handle = array_.put_async(patch, pending.buffer.data(), pending.buffer.strides());
  }

  void accumulate() {
    const Patch patch = section();
    UserBuffer<T> buffer = buffer_for(patch, true);
    buffer.fill(random_);
    const T alpha = random_.chance(0.5) ? T(1) : small_value<T>(random_);
    const bool later = random_.chance(0.3);
    make_room(patch, Access::accumulate);
    note((later ? "accumulate_async " : "accumulate ") + patch.to_string());
    model_.accumulate(patch, buffer.packed(), alpha);
    if (!mine()) return;
    if (!later) return array_.accumulate(patch, buffer.data(), alpha, buffer.strides());
    Pending& pending = remember(std::move(buffer), {}, log_);
    pending.handle =
        array_.accumulate_async(patch, pending.buffer.data(), alpha, pending.buffer.strides());
  }

  void get() {
    const Patch patch = section();
    UserBuffer<T> buffer = buffer_for(patch, false);
    const bool later = random_.chance(0.4);
    make_room(patch, Access::read);
    note((later ? "get_async " : "get ") + patch.to_string());
    if (!mine()) return;
    Pending& pending = remember(std::move(buffer), model_.get(patch), log_);
    if (later) {
      pending.handle = array_.get_async(patch, pending.buffer.data(), pending.buffer.strides());
      return;
    }
    array_.get(patch, pending.buffer.data(), pending.buffer.strides());
    check(pending);
    pending_.pop_back();
  }

  /// Random positions of a scattered operation; `distinct` where the order must not matter.
  std::vector<Index> positions_for(Access access) {
    std::vector<Index> positions;
    bool room = true;
    for (auto count = random_.between(0, 12); count > 0; --count) {
      positions.push_back(random_position(random_, model_.shape()));
      room = room && !model_.conflicts(positions.back(), actor_, access);
    }
    if (!room) sync();
    for (const Index& position : positions) model_.touch(position, actor_, access);
    return positions;
  }
  static std::vector<std::int64_t> flat(const std::vector<Index>& positions) {
    std::vector<std::int64_t> coordinates;
    for (const Index& position : positions)
      coordinates.insert(coordinates.end(), position.begin(), position.end());
    return coordinates;
  }

  void scatter() {
    const std::vector<Index> positions = positions_for(Access::write);
    std::vector<T> values;
    for (const Index& position : positions)
      model_.at(position) = values.emplace_back(small_value<T>(random_));
    note("scatter " + std::to_string(positions.size()));
    if (mine()) array_.scatter(flat(positions), values.data());
  }

  void scatter_accumulate() {
    const std::vector<Index> positions = positions_for(Access::accumulate);
    const T alpha = small_value<T>(random_);
    std::vector<T> values;
    for (const Index& position : positions)
      add_product(model_.at(position), alpha, values.emplace_back(small_value<T>(random_)));
    note("scatter_accumulate " + std::to_string(positions.size()));
    if (mine()) array_.scatter_accumulate(flat(positions), values.data(), alpha);
  }

  void gather() {
    const std::vector<Index> positions = positions_for(Access::read);
    note("gather " + std::to_string(positions.size()));
    if (!mine()) return;
    std::vector<T> values(positions.size());
    array_.gather(flat(positions), values.data());
    std::vector<T> expected;
    for (const Index& position : positions) expected.push_back(model_.at(position));
    verify(values, expected, log_);
  }

  void fetch_add() {
    if constexpr (atomic) {
      const Index position = random_position(random_, model_.shape());
      const std::int64_t increment = random_.between(-9, 9);
      // Checked: nobody else may touch the element before the next sync. Else: others may add too,
      // and only the total is known.
      const bool alone = random_.chance(0.5);
      const Access access = alone ? Access::write : Access::accumulate;
      if (model_.conflicts(position, actor_, access)) sync();
      model_.touch(position, actor_, access);
      note((alone ? "fetch_add " : "shared fetch_add ") + position.to_string());
      if (mine()) {
        const std::int64_t old = array_.fetch_add(position, increment);
        if (alone) verify({static_cast<T>(old)}, {model_.at(position)}, log_);
      }
      model_.at(position) += static_cast<T>(increment);
    }
  }

  void swap() {
    if constexpr (atomic) {
      const Index position = random_position(random_, model_.shape());
      const T value = small_value<T>(random_);
      if (model_.conflicts(position, actor_, Access::write)) sync();
      model_.touch(position, actor_, Access::write);
      note("swap " + position.to_string());
      if (mine())
        verify({static_cast<T>(array_.swap(position, value))}, {model_.at(position)}, log_);
      model_.at(position) = value;
    }
  }

  /// An operation of all ranks: fill, copy to another distribution and back, scale.
  void collective() {
    finish_pending();
    const auto which = random_.between(0, 3);
    const T value = small_value<T>(random_);
    log_ += "all: collective " + std::to_string(which) + "\n";
    if (which == 0) {
      const Patch patch = section();
      fill({array_, patch}, value);
      model_.put(patch, std::vector<T>(static_cast<std::size_t>(patch.elements()), value));
    } else if (which == 1) {
      fill(array_, value);
      model_.values().assign(model_.values().size(), value);
    } else if (which == 2) {
      const Layout other = random_layout(random_, model_.shape(), group_.size());
      Array<T> moved(group_, model_.shape(), {.layout = other, .zero = random_.chance(0.5)});
      copy(array_, moved);
      array_ = std::move(moved);
    } else {
      const Patch patch = random_patch(random_, model_.shape());
      AnyArray& any = array_;
      zero({any, patch});
      model_.put(patch, std::vector<T>(static_cast<std::size_t>(patch.elements()), T{}));
    }
    model_.forget();
  }

  Pending& remember(UserBuffer<T> buffer, std::vector<T> expected, const std::string& what) {
    pending_.push_back({{}, std::move(buffer), std::move(expected), what});
    return pending_.back();
  }
  void check(Pending& pending) {
    if (pending.expected.empty()) return;
    verify(pending.buffer.packed(), pending.expected, pending.what);
    if (quiet()) return;
    EXPECT_TRUE(pending.buffer.padding_untouched()) << pending.what;
  }
  static void verify(const std::vector<T>& got, const std::vector<T>& expected,
                     const std::string& what) {
    if (quiet()) return;
    EXPECT_TRUE(same_elements(got, expected, {std::ssize(got)})) << what;
  }
  void finish_pending() {
    for (Pending& pending : pending_) {
      pending.handle.wait();
      check(pending);
    }
    pending_.clear();
  }

  /// What my node's ranks own reads the same through plain loads.
  void check_local_memory() {
    for (const int rank : group_.node_ranks())
      for (const LocalBlock& block : array_.blocks(rank)) {
        const T* data = static_cast<const T*>(block.data);
        for_each_position(block.patch.shape(), [&](const Index& position, std::int64_t) {
          std::int64_t offset = 0;
          for (int d = 0; d < position.size(); ++d) offset += position[d] * block.strides[d];
          verify({data[offset]}, {model_.at(array_position(block.patch, position))}, log_);
        });
      }
  }

  Random& random_;
  const Group& group_;
  SerialArray<T> model_;
  Layout layout_;
  Array<T> array_;
  std::list<Pending> pending_;
  std::string log_;
  int actor_ = 0;
};

/// The world, and some subsets of it; entry i is the empty group where this rank is not in it.
std::vector<Group> make_groups() {
  const int ranks = world().size();
  const int rank = world().rank();
  const std::vector<int> ends{ranks - 1, 0};
  return {world(), world().split(rank % 2 == 0 ? 0 : -1),
          world().split(rank > 0 || ranks == 1 ? 0 : -1, -rank),
          world().create(std::span(ends).first(ranks > 1 ? 2 : 1))};
}

class RandomOperations : public testing::TestWithParam<int> {};

TEST_P(RandomOperations, AgreeWithTheSerialModel) {
  const std::vector<Group> groups = make_groups();
  const std::uint64_t sequences = setting("TEST_RANDOM_SEQUENCES", 150);
  const std::uint64_t seed = setting("TEST_RANDOM_SEED", 20261121) * 1000 +
                             static_cast<std::uint64_t>(world().size() * 10 + world().nodes());
  std::int64_t completed = 0;
  for (std::uint64_t i = 0; i < sequences; ++i) {
    Random random((seed * 100 + static_cast<std::uint64_t>(GetParam())) * 10000 + i);
    const auto which = random.chance(0.6) ? 0 : random.between(1, std::ssize(groups) - 1);
    const Group& group = groups[static_cast<std::size_t>(which)];
    const auto type =
        static_cast<ElementType>(random.between(0, static_cast<std::int64_t>(ElementType::uint8)));
    if (!group) continue;
    SCOPED_TRACE("sequence " + std::to_string(i));
    with_chosen_type<is_tested>(type,
                                [&](auto kind) { Sequence<decltype(kind)>(random, group).run(); });
    if (group.rank() == 0) ++completed;
  }
  EXPECT_EQ(world().reduce(completed), static_cast<std::int64_t>(sequences))
      << "sequences were lost";
}

INSTANTIATE_TEST_SUITE_P(Batch, RandomOperations, testing::Range(0, 8));

}  // namespace
}  // namespace lagoon::atoll::test
