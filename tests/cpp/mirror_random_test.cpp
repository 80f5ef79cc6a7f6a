// Random sequences of operations on a mirrored array against a serial model of all copies.
//
// All ranks draw the same sequence from the same seed and carry a model: every node's elements, and
// by tile what the documentation says is remembered of it (docs/mirrored.md). An operation of one
// node is done by a random rank of it, or by all of its ranks; then that node alone syncs. Merges,
// publishing and copies from and to distributed arrays are everybody's.
#include <cstdlib>
#include <set>

#include "array/distribution/tiling.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

template <Element T>
class Sequence {
 public:
  explicit Sequence(Random& random)
      : random_(random),
        shape_(random_shape(random, static_cast<int>(random.between(1, 4)),
                            random.chance(0.3) ? 40'000 : random.between(1, 3000))),
        nodes_(world().nodes()),
        tiling_(shape_, sizeof(T)),
        pointers_(random.chance(0.3)),
        layout_(random.chance(0.5) ? Layout::blocked()
                                   : random_layout(random, shape_, fewest_ranks())),
        array_(world(), shape_, {.layout = layout_, .name = "m", .mirrored = true}),
        other_(world(), shape_,
               {.layout = random_layout(random, shape_, fewest_ranks()), .mirrored = true}),
        cut_(world(), shape_, {.layout = random_layout(random, shape_, world().size())}) {
    const auto size = static_cast<std::size_t>(shape_.product());
    copies_.assign(static_cast<std::size_t>(nodes_), std::vector<T>(size));
    others_ = copies_;
    tiles_.assign(static_cast<std::size_t>(nodes_),
                  std::vector<Tile>(static_cast<std::size_t>(tiling_.tiles())));
    distributed_.resize(size);
    log_ = "array " + shape_.to_string() + " of " + std::string(name_of(array_.type())) + ", " +
           array_.distribution().to_string() + "\n";
  }

  void run() {
    for (auto count = random_.between(5, 25); count > 0 && !testing::Test::HasFailure(); --count) {
      step();
      check();
    }
    world().barrier();
  }

 private:
  /// What is remembered of a tile on a node.
  struct Tile {
    bool nonzero = false, written = false, zeroed = false;
  };

  /// A layout for all nodes must fit the smallest.
  static int fewest_ranks() {
    return world().reduce(static_cast<std::int32_t>(world().node_ranks().size()),
                          Reduction::minimum);
  }

  void step() {
    node_ = static_cast<int>(random_.between(0, nodes_ - 1));
    actor_ = random_.between(0, 1 << 20);
    patch_ = random_patch(random_, shape_, random_.chance(0.25));
    switch (random_.between(0, 15)) {
      case 0:
      case 1:
      case 2: put(); break;
      case 3:
      case 4: accumulate(); break;
      case 5: scatter(); break;
      case 6: fill_some(); break;
      case 7: zero_some(); break;
      case 8: elementwise(); break;
      case 9: store_through_pointers(); break;
      case 10: merge_copies(); break;
      case 11: publish_copies(); break;
      case 12: copy_in(); break;
      case 13: copy_out(); break;
      case 14: between_mirrored(); break;
      default: merge_out(); break;
    }
  }

  bool mine() const { return world().node() == node_; }
  bool acting() const { return mine() && actor_ % array_.group().size() == array_.group().rank(); }
  std::vector<T>& copy_of_node() { return copies_[static_cast<std::size_t>(node_)]; }
  std::vector<T> values() {
    std::vector<T> result(static_cast<std::size_t>(patch_.elements()));
    for (T& value : result) value = small_value<T>(random_);
    return result;
  }
  void note(const std::string& text) { log_ += std::to_string(node_) + ": " + text + "\n"; }

  std::int64_t tile_of(const Index& at) const {
    std::int64_t tile = -1;
    Patch point{at, at, {}};
    for (std::int64_t& end : point.hi) ++end;
    tiling_.for_each_run(point, [&](std::int64_t first, std::int64_t) { tile = first; });
    return tile;
  }
  Tile& mark(int node, const Index& at) {
    return tiles_[static_cast<std::size_t>(node)][static_cast<std::size_t>(tile_of(at))];
  }
  void wrote(const Index& at) {
    Tile& tile = mark(node_, at);
    tile.nonzero = tile.written = true;
  }
  /// Calls f(position in the array, its number, number in the patch).
  template <class F>
  static void for_each(const Patch& patch, const Index& shape, F&& f) {
    for_each_position(patch.shape(), [&](const Index& position, std::int64_t i) {
      const Index at = array_position(patch, position);
      f(at, static_cast<std::size_t>(linear_index(at, shape)), static_cast<std::size_t>(i));
    });
  }
  void node_syncs() const {
    if (mine()) array_.group().sync();
  }

  void put() {
    const std::vector<T> data = values();
    note("put " + patch_.to_string());
    for_each(patch_, shape_, [&](const Index& at, std::size_t k, std::size_t i) {
      copy_of_node()[k] = data[i];
      wrote(at);
    });
    if (acting()) array_.put(patch_, data.data());
    node_syncs();
  }

  void accumulate() {
    const std::vector<T> data = values();
    const T alpha = small_value<T>(random_);
    note("accumulate " + patch_.to_string());
    for_each(patch_, shape_, [&](const Index& at, std::size_t k, std::size_t i) {
      add_product(copy_of_node()[k], alpha, data[i]);
      wrote(at);
    });
    if (acting()) array_.accumulate(patch_, data.data(), alpha);
    node_syncs();
  }

  void scatter() {
    const bool adds = random_.chance(0.5);
    std::vector<std::int64_t> positions;
    std::vector<T> data;
    note(adds ? "scatter_accumulate" : "scatter");
    for (int i = 0; i < 5; ++i) {
      const Index at = random_position(random_, shape_);
      positions.insert(positions.end(), at.begin(), at.end());
      data.push_back(small_value<T>(random_));
      T& element = copy_of_node()[static_cast<std::size_t>(linear_index(at, shape_))];
      element = adds ? static_cast<T>(element + data.back()) : data.back();
      wrote(at);
    }
    if (acting() && adds) array_.scatter_accumulate(positions, data.data());
    if (acting() && !adds) array_.scatter(positions, data.data());
    node_syncs();
  }

  void fill_some() {
    const T value = number<T>(random_.between(1, 9));
    note("fill " + patch_.to_string());
    for_each(patch_, shape_, [&](const Index& at, std::size_t k, std::size_t) {
      copy_of_node()[k] = value;
      wrote(at);
    });
    if (mine()) fill({array_, patch_}, value);
  }

  void zero_some() {
    const bool all = random_.chance(0.5) || pointers_, everywhere = random_.chance(0.5);
    if (all) patch_ = whole(shape_);
    for (int node = 0; node < nodes_; ++node) {
      if (!everywhere && node != node_) continue;
      log_ += std::to_string(node) + ": zero " + patch_.to_string() + "\n";
      auto& copy = copies_[static_cast<std::size_t>(node)];
      std::set<std::int64_t> touched;
      for_each(patch_, shape_, [&](const Index& at, std::size_t k, std::size_t) {
        copy[k] = T();
        touched.insert(tile_of(at));
      });
      for (const std::int64_t t : touched) {
        Tile& tile = tiles_[static_cast<std::size_t>(node)][static_cast<std::size_t>(t)];
        if (tiling_.covered(t, patch_))
          tile = {false, false, true};
        else if (tile.nonzero)
          tile.written = true;
      }
      if (node == world().node()) all ? zero(array_) : zero({array_, patch_});
    }
  }

  void elementwise() {
    note("a = 2 a + 3 b");
    const auto& b = others_[static_cast<std::size_t>(node_)];
    for_each(whole(shape_), shape_, [&](const Index& at, std::size_t k, std::size_t) {
      copy_of_node()[k] = static_cast<T>(number<T>(2) * copy_of_node()[k] + number<T>(3) * b[k]);
      wrote(at);
    });
    if (!mine()) return;
    // Sums stay small enough to be exact.
    add(2, array_, 3, other_, array_);
    T total{};
    for (const T value : copy_of_node()) total = static_cast<T>(total + value);
    EXPECT_EQ(sum(array_).template as<T>(), total) << log_;
  }

  void store_through_pointers() {
    if (!pointers_) return;
    note("store");
    for (int i = 0; i < 3; ++i) {
      // A value that has not been there before, so that the change can be seen.
      const Index at = random_position(random_, shape_);
      T& before = copy_of_node()[static_cast<std::size_t>(linear_index(at, shape_))];
      T value{};
      while (value == T{} || value == before) value = number<T>(++last_stored_);  // bytes wrap
      before = value;
      wrote(at);
      if (!acting()) continue;
      for (const int rank : array_.group().node_ranks())
        for (const LocalBlock& block : array_.blocks(rank)) {
          bool inside = true;
          std::int64_t offset = 0;
          for (int d = 0; d < at.size(); ++d) {
            inside = inside && at[d] >= block.patch.lo[d] && at[d] < block.patch.hi[d];
            offset += (at[d] - block.patch.lo[d]) * block.strides[d];
          }
          if (inside) static_cast<T*>(block.data)[offset] = value;
        }
    }
    node_syncs();
  }

  /// All copies combined, for the array's elements `k`.
  T combined(Reduction reduction, std::size_t k) const {
    T result = copies_[0][k];
    for (std::size_t node = 1; node < copies_.size(); ++node) {
      if (reduction == Reduction::sum)
        result = static_cast<T>(result + copies_[node][k]);
      else if constexpr (!is_complex(element_type_of<T>()))
        result = reduction == Reduction::maximum ? std::max(result, copies_[node][k])
                                                 : std::min(result, copies_[node][k]);
    }
    return result;
  }
  Reduction reduction() {
    if (is_complex(array_.type())) return Reduction::sum;
    constexpr Reduction kinds[] = {Reduction::sum, Reduction::minimum, Reduction::maximum};
    return kinds[random_.between(0, 2)];
  }
  void settled(const Patch& patch, bool all_nonzero) {
    for (std::size_t t = 0; t < tiles_[0].size(); ++t) {
      const auto tile = static_cast<std::int64_t>(t);
      if (intersection(tiling_.patch(tile), patch).empty()) continue;
      bool any = all_nonzero;
      for (const auto& tiles : tiles_) any = any || tiles[t].nonzero;
      for (auto& tiles : tiles_) {
        tiles[t].nonzero = tiles[t].nonzero || any;
        if (tiling_.covered(tile, patch)) tiles[t].written = tiles[t].zeroed = false;
      }
    }
  }

  void merge_copies() {
    patch_.step = {};
    if (random_.chance(0.4)) patch_ = whole(shape_);
    const Reduction kind = reduction();
    log_ +=
        "all: merge " + std::to_string(static_cast<int>(kind)) + " " + patch_.to_string() + "\n";
    for_each(patch_, shape_, [&](const Index&, std::size_t k, std::size_t) {
      const T result = combined(kind, k);
      for (auto& copy : copies_) copy[k] = result;
    });
    if (nodes_ > 1) settled(patch_, false);
    switch (random_.between(0, 2)) {
      case 0: merge(array_, patch_, kind); break;
      case 1: merge_begin(array_, patch_, kind).wait(); break;
      default: {
        PendingMerge pending = merge_begin(array_, patch_, kind);
        EXPECT_EQ(sum(other_).template as<T>(), sum_of_other()) << log_;  // meanwhile
        world().sync();
        while (!pending.test()) {
        }
      }
    }
  }
  T sum_of_other() const {
    T total{};
    for (const T value : others_[static_cast<std::size_t>(world().node())]) total += value;
    return total;
  }

  void publish_copies() {
    log_ += "all: publish\n";
    if (nodes_ == 1) return publish(array_);
    std::vector<int> writers(tiles_[0].size(), -1);
    bool conflict = false;
    for (std::size_t t = 0; t < writers.size(); ++t) {
      bool zeroed_by_all = true, contents = false;
      for (const auto& tiles : tiles_) zeroed_by_all = zeroed_by_all && tiles[t].zeroed;
      int count = 0;
      for (int node = 0; node < nodes_; ++node) {
        const Tile& tile = tiles_[static_cast<std::size_t>(node)][t];
        if (!tile.written && (!tile.zeroed || zeroed_by_all)) continue;
        if (count++ == 0) writers[t] = node;
        contents = contents || tile.nonzero;
      }
      conflict = conflict || (count > 1 && contents);
    }
    if (conflict) {
      EXPECT_TRUE(all_throw_error(world(), [&] { publish(array_); }, ErrorKind::value, {"tile"}))
          << log_;
      return;
    }
    for_each(whole(shape_), shape_, [&](const Index& at, std::size_t k, std::size_t) {
      const int writer = writers[static_cast<std::size_t>(tile_of(at))];
      if (writer < 0) return;
      const T value = copies_[static_cast<std::size_t>(writer)][k];
      for (auto& copy : copies_) copy[k] = value;
    });
    // A tile whose writers have zeroed it is zero everywhere and forgotten.
    for (std::size_t t = 0; t < writers.size(); ++t) {
      if (writers[t] < 0 || tiles_[static_cast<std::size_t>(writers[t])][t].nonzero) continue;
      for (auto& tiles : tiles_) tiles[t] = {};
    }
    settled(whole(shape_), false);
    publish(array_);
  }

  void copy_in() {
    patch_.step = {};
    const std::vector<T> data = values();
    log_ += "all: copy into all copies " + patch_.to_string() + "\n";
    for_each(patch_, shape_, [&](const Index&, std::size_t k, std::size_t i) {
      distributed_[k] = data[i];
      for (auto& copy : copies_) copy[k] = data[i];
    });
    settled(patch_, true);
    if (world().rank() == static_cast<int>(actor_ % world().size())) cut_.put(patch_, data.data());
    if (random_.chance(0.5)) {
      copy({cut_, patch_}, {array_, patch_});
    } else {
      Array<T> again = mirror(cut_);  // by way of another mirror
      copy({cut_, patch_}, {array_, patch_});
      EXPECT_TRUE(holds(again, distributed_)) << log_;
      world().barrier();
    }
  }

  void copy_out() {
    // Each owner takes what its node has.
    log_ += "all: copy out of the copies " + patch_.to_string() + "\n";
    Array<T> target(world(), shape_, {.layout = random_layout(random_, shape_, world().size())});
    copy({array_, patch_}, {target, patch_});
    std::vector<T> expected(copies_[0].size());
    for_each(patch_, shape_, [&](const Index& at, std::size_t k, std::size_t) {
      expected[k] = copies_[static_cast<std::size_t>(world().node_of(target.owner(at)))][k];
    });
    EXPECT_TRUE(holds(target, expected)) << log_;
    world().barrier();
  }

  void between_mirrored() {
    note("copy to and from another mirrored array " + patch_.to_string());
    auto& theirs = others_[static_cast<std::size_t>(node_)];
    for_each(patch_, shape_,
             [&](const Index&, std::size_t k, std::size_t) { theirs[k] = copy_of_node()[k]; });
    if (mine()) copy({array_, patch_}, {other_, patch_});
    if (random_.chance(0.5)) return;
    for_each(whole(shape_), shape_, [&](const Index& at, std::size_t k, std::size_t) {
      copy_of_node()[k] = theirs[k];
      wrote(at);
    });
    if (mine()) copy(other_, array_);
  }

  void merge_out() {
    patch_.step = {};
    const Reduction kind = reduction();
    log_ += "all: merge into " + patch_.to_string() + "\n";
    for_each(patch_, shape_, [&](const Index&, std::size_t k, std::size_t) {
      distributed_[k] = combined(kind, k);
    });
    merge_into(array_, patch_, cut_, patch_, kind);
    EXPECT_TRUE(holds(cut_, distributed_)) << log_;
    world().barrier();
  }

  /// My node's copy reads as the model says.
  void check() {
    if (testing::Test::HasFailure()) return;
    EXPECT_TRUE(holds(array_, copies_[static_cast<std::size_t>(world().node())])) << log_;
    array_.group().barrier();
  }

  Random& random_;
  Index shape_;
  int nodes_;
  detail::Tiling tiling_;
  bool pointers_;
  Layout layout_;
  Array<T> array_, other_, cut_;
  std::vector<std::vector<T>> copies_, others_;  // by node
  std::vector<std::vector<Tile>> tiles_;
  std::vector<T> distributed_;
  Patch patch_;
  std::string log_;
  std::int64_t last_stored_ = 10'000;
  std::int64_t actor_ = 0;
  int node_ = 0;
};

TEST(MirrorRandom, OperationsAgreeWithTheModelOfAllCopies) {
  const char* const text = std::getenv("TEST_RANDOM_SEED");
  const std::uint64_t seed = text == nullptr ? 20261122 : std::strtoull(text, nullptr, 10);
  const char* const many = std::getenv("TEST_RANDOM_SEQUENCES");
  const int sequences = many == nullptr ? 40 : std::atoi(many);
  for (int i = 0; i < sequences && everywhere(!HasFailure()); ++i) {
    Random random(seed * 1000 + static_cast<std::uint64_t>(i));
    SCOPED_TRACE("sequence " + std::to_string(i));
    switch (random.between(0, 3)) {
      case 0: Sequence<double>(random).run(); break;
      case 1: Sequence<std::int64_t>(random).run(); break;
      case 2: Sequence<std::uint8_t>(random).run(); break;
      default: Sequence<std::complex<double>>(random).run(); break;
    }
  }
}

TEST(Tiling, RunsAndBoxesCoverWhatTheyShould) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const Index shape = random_shape(random, static_cast<int>(random.between(1, 5)), 30'000);
    const detail::Tiling tiling(shape, random.chance(0.5) ? 8 : 16);
    // Every element is in one tile of at most 8 KiB.
    std::vector<std::int64_t> tile_of(static_cast<std::size_t>(shape.product()), -1);
    for (std::int64_t t = 0; t < tiling.tiles(); ++t) {
      const Patch patch = tiling.patch(t);
      EXPECT_LE(patch.elements(), 1024);
      for_each_position(patch.shape(), [&](const Index& position, std::int64_t) {
        auto& tile =
            tile_of[static_cast<std::size_t>(linear_index(array_position(patch, position), shape))];
        EXPECT_EQ(tile, -1);
        tile = t;
      });
    }
    EXPECT_EQ(std::count(tile_of.begin(), tile_of.end(), -1), 0);
    const Patch section = random_patch(random, shape, random.chance(0.5));
    std::set<std::int64_t> expected, found;
    for_each_position(section.shape(), [&](const Index& position, std::int64_t) {
      expected.insert(tile_of[static_cast<std::size_t>(
          linear_index(array_position(section, position), shape))]);
    });
    tiling.for_each_run(section, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t t = first; t < last; ++t) EXPECT_TRUE(found.insert(t).second);
    });
    EXPECT_EQ(found, expected) << section.to_string() << " of " << shape.to_string();
    // Boxes of a run inside a patch.
    const Patch within = random_patch(random, shape);
    const std::int64_t first = random.between(0, tiling.tiles() - 1);
    const std::int64_t last = random.between(first, tiling.tiles());
    std::vector<int> times(tile_of.size());
    int boxes = 0;
    tiling.for_each_box(first, last, within, [&](const Patch& box) {
      ++boxes;
      for_each_position(box.shape(), [&](const Index& position, std::int64_t) {
        ++times[static_cast<std::size_t>(linear_index(array_position(box, position), shape))];
      });
    });
    EXPECT_LE(boxes, 2 * shape.size());
    for_each_position(shape, [&](const Index& at, std::int64_t k) {
      bool inside = tile_of[static_cast<std::size_t>(k)] >= first &&
                    tile_of[static_cast<std::size_t>(k)] < last;
      for (int d = 0; d < at.size(); ++d)
        inside = inside && at[d] >= within.lo[d] && at[d] < within.hi[d];
      EXPECT_EQ(times[static_cast<std::size_t>(k)], inside ? 1 : 0);
    });
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
