// A program that asks all of Atoll in random order, beside a serial model: what `atoll simulate`
// runs with thousands of seeds (docs/simulation.md).
//
//     random_program SEED [ROUNDS]
//     random_program SEED punctual
//
// All ranks draw the same rounds from the seed; what one rank does in a round, the others know, and
// carry in their models. A round ends by a sync, after which arrays and models are compared. Values
// are small integers, so that sums are exact in any order.
//
// `punctual`, for runs of which nothing is lost or held up (`--calm`): who is asked after a pause
// answers soon. Only the simulation's clock tells so.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "atoll/atoll.hpp"

namespace {

using namespace lagoon::atoll;  // NOLINT: a program of its own

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// From `first` to `last`, both included.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    x ^= x >> 31U;
    return first + static_cast<std::int64_t>(x % static_cast<std::uint64_t>(last - first + 1));
  }
  bool chance(int one_in) { return between(1, one_in) == 1; }

 private:
  std::uint64_t state_;
};

[[noreturn]] void wrong(const std::string& what) { World::abort("wrong: " + what, 3); }

void expect(bool right, const std::string& what) {
  if (!right) wrong(what);
}

void expect_equal(double got, double expected, const std::string& what) {
  if (got != expected)
    wrong(what + ": " + std::to_string(got) + ", expected " + std::to_string(expected));
}

/// A matrix and what it holds.
class Matrix {
 public:
  Matrix(const Group& group, std::int64_t rows, std::int64_t columns, const ArrayOptions& options)
      : array(group, {rows, columns}, options),
        rows_(rows),
        columns_(columns),
        values_(static_cast<std::size_t>(rows * columns)) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::vector<double>& values() { return values_; }

  double& at(std::int64_t i, std::int64_t j) {
    return values_[static_cast<std::size_t>(i * columns_ + j)];
  }
  std::vector<double> of(const Patch& patch) {
    std::vector<double> part;
    for (std::int64_t i = patch.lo[0]; i < patch.hi[0]; ++i)
      for (std::int64_t j = patch.lo[1]; j < patch.hi[1]; ++j) part.push_back(at(i, j));
    return part;
  }
  void set(const Patch& patch, const std::vector<double>& part, double alpha, bool add) {
    std::size_t k = 0;
    for (std::int64_t i = patch.lo[0]; i < patch.hi[0]; ++i)
      for (std::int64_t j = patch.lo[1]; j < patch.hi[1]; ++j)
        at(i, j) = (add ? at(i, j) : 0) + alpha * part[k++];
  }
  /// Small, of any size, or of whole rows.
  Patch patch(Random& random, std::int64_t first_row, std::int64_t last_row) const {
    const std::int64_t i = random.between(first_row, last_row - 1);
    const auto kind = random.between(0, 3);
    if (kind == 0) return {{i, 0}, {random.between(i + 1, last_row), columns_}};
    const std::int64_t j = random.between(0, columns_ - 1);
    const bool small = kind < 3;
    const std::int64_t high = random.between(i + 1, small ? std::min(i + 3, last_row) : last_row),
                       wide = random.between(j + 1, small ? std::min(j + 5, columns_) : columns_);
    return {{i, j}, {high, wide}};
  }
  void check(const Patch& part, const std::string& when) {
    std::vector<double> got(static_cast<std::size_t>(part.elements()), -1);
    array.get(part, got.data());
    const std::vector<double> expected = of(part);
    for (std::size_t k = 0; k < got.size(); ++k)
      expect_equal(got[k], expected[k],
                   when + ", " + part.to_string() + ", element " + std::to_string(k));
  }
  void check_all(const std::string& when) { check({{0, 0}, {rows_, columns_}}, when); }

  Array<double> array;

 private:
  std::int64_t rows_, columns_;
  std::vector<double> values_;
};

std::vector<double> small_numbers(Random& random, std::int64_t count) {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) number = static_cast<double>(random.between(-9, 9));
  return numbers;
}

class Program {
 public:
  Program(const World& world, std::uint64_t seed)
      : world_(world),
        random_(seed),
        matrix_(world, random_.between(world.size(), 40), random_.between(1, 60), any_options()),
        large_(world, 2 * world.size(), random_.between(600, 24000), large_options()),
        numbers_(world, {world.size(), 8}),
        mirror_(world, random_.between(8, 40), random_.between(8, random_.chance(2) ? 200 : 3000),
                {.mirrored = true}),
        counter_(world),
        mutexes_(world, 1),
        ticks_(static_cast<std::size_t>(8 * world.size())) {}

  void run(int rounds) {
    for (round_ = 0; round_ < rounds; ++round_) {
      when_ = "round " + std::to_string(round_);
      switch (random_.between(0, 19)) {
        case 0:
        case 1: puts(matrix_, 8); break;
        case 2:
        case 3: puts(large_, 8); break;
        case 4:
        case 5: accumulates(matrix_, 10); break;
        case 6: accumulates(large_, 3); break;
        case 7:
        case 8:
          for (int i = 0; i < 4; ++i) handed_on();
          break;
        case 9: counted(); break;
        case 10:
        case 11: excluded(); break;
        case 12: collective(); break;
        case 13:
        case 14: merged(); break;
        case 15: groups(); break;
        case 16: late(); break;
        case 17:
        case 18: much_at_once(); break;
        default: scattered(); break;
      }
    }
    world_.sync();
    when_ = "the end";
    matrix_.check_all(when_);
    large_.check_all(when_);
    mirror_.check_all(when_);
    world_.barrier();
  }

 private:
  struct Pending {
    Handle handle;
    std::vector<double> data, expected;
    Patch patch;
    bool read;
  };

  ArrayOptions any_options() {
    if (random_.chance(2)) return {};
    return {.layout = Layout::tiled({random_.between(1, 7), random_.between(1, 9)})};
  }

  ArrayOptions large_options() {
    if (random_.chance(2)) return {};
    return {.layout = Layout::tiled({random_.between(1, 3), random_.between(500, 12000)})};
  }

  /// What a rank draws in a round, the same on all ranks.
  Random of_rank(int rank) {
    return Random(static_cast<std::uint64_t>(seed_of_round_) +
                  static_cast<std::uint64_t>(rank) * 7919);
  }
  void begin() { seed_of_round_ = random_.between(0, INT32_MAX); }

  void finish(std::list<Pending>& pending) {
    for (Pending& one : pending) {
      one.handle.wait();
      for (std::size_t k = 0; one.read && k < one.data.size(); ++k)
        expect_equal(one.data[k], one.expected[k],
                     when_ + ", get_async of " + one.patch.to_string());
    }
    pending.clear();
  }

  void sync_and_check(Matrix& matrix) {
    if (random_.chance(4)) {  // the same by two calls
      world_.fence();
      world_.barrier();
    } else {
      world_.sync();
    }
    // All of it, by others each time.
    const std::int64_t part =
        (world_.rank() + random_.between(0, world_.size() - 1)) % world_.size();
    const std::int64_t first = part * matrix.rows() / world_.size(),
                       last = (part + 1) * matrix.rows() / world_.size();
    if (first < last)
      matrix.check({{first, 0}, {last, matrix.columns()}}, when_ + ", after the sync");
    world_.barrier();
  }

  /// Each rank writes rows of its own, drawn anew, and reads them again in between.
  void puts(Matrix& matrix, int most) {
    begin();
    const std::int64_t shift = random_.between(0, world_.size() - 1);
    for (int rank = 0; rank < world_.size(); ++rank) {
      const std::int64_t part = (rank + shift) % world_.size();
      const std::int64_t first = part * matrix.rows() / world_.size(),
                         last = (part + 1) * matrix.rows() / world_.size();
      if (first == last) continue;
      Random random = of_rank(rank);
      std::list<Pending> pending;
      for (std::int64_t count = random.between(0, most); count > 0; --count) {
        const Patch patch = matrix.patch(random, first, last);
        const bool later = random.chance(2), read = random.chance(3), rest = random.chance(4);
        const std::vector<double> data =
            read ? std::vector<double>() : small_numbers(random, patch.elements());
        if (rank == world_.rank()) {
          one_of_mine(matrix, patch, data, read, later, pending);
          if (rest) finish(pending);
        }
        if (!read) matrix.set(patch, data, 1, false);
      }
      finish(pending);
    }
    sync_and_check(matrix);
  }

  void one_of_mine(Matrix& matrix, const Patch& patch, const std::vector<double>& data, bool read,
                   bool later, std::list<Pending>& pending) {
    if (read && !later) return matrix.check(patch, when_ + ", between puts");
    if (!later) return matrix.array.put(patch, data.data());
    Pending& one = pending.emplace_back();
    one.patch = patch;
    one.read = read;
    one.data = data;
    one.data.resize(static_cast<std::size_t>(patch.elements()));
    if (read) {
      one.expected = matrix.of(patch);
      one.handle = matrix.array.get_async(patch, one.data.data());
    } else {
      one.handle = matrix.array.put_async(patch, one.data.data());
    }
  }

  /// All add, anywhere.
  void accumulates(Matrix& matrix, int most) {
    begin();
    for (int rank = 0; rank < world_.size(); ++rank) {
      Random random = of_rank(rank);
      std::list<Pending> pending;
      for (std::int64_t count = random.between(0, most); count > 0; --count) {
        const Patch patch = matrix.patch(random, 0, matrix.rows());
        const auto alpha = static_cast<double>(random.between(-2, 3));
        const bool later = random.chance(2);
        const std::vector<double> data = small_numbers(random, patch.elements());
        matrix.set(patch, data, alpha, true);
        if (rank != world_.rank()) continue;
        if (!later) {
          matrix.array.accumulate(patch, data.data(), alpha);
          continue;
        }
        Pending& one = pending.emplace_back();
        one.read = false;
        one.data = data;
        one.handle = matrix.array.accumulate_async(patch, one.data.data(), alpha);
      }
      finish(pending);
    }
    sync_and_check(matrix);
  }

  /// One rank writes, completes that at the target, and tells another one by a count; that reads.
  void handed_on() {
    begin();
    const auto from = static_cast<int>(random_.between(0, world_.size() - 1));
    const auto to = static_cast<int>(random_.between(0, world_.size() - 1));
    // The count may be elsewhere: then nothing but the fence orders it behind what is written.
    const Index flag{random_.chance(2) ? from : random_.between(0, world_.size() - 1), 7};
    Matrix& matrix = random_.chance(3) ? large_ : matrix_;
    Patch patch = matrix.patch(random_, 0, matrix.rows());
    // What the reader has itself it reads without asking anybody.
    const std::vector<Patch> own = matrix.array.patches(to);
    if (!own.empty() && !random_.chance(3)) {
      const auto last = static_cast<std::int64_t>(own.size()) - 1;
      patch = own[static_cast<std::size_t>(random_.between(0, last))];
      for (int d = 0; d < 2; ++d) {
        patch.lo[d] = random_.between(patch.lo[d], patch.hi[d] - 1);
        patch.hi[d] = std::min(patch.hi[d], patch.lo[d] + 3);
      }
    }
    const std::vector<double> data = small_numbers(random_, patch.elements());
    const bool by_async = random_.chance(2);
    matrix.set(patch, data, 1, false);
    auto& told = ticks_[static_cast<std::size_t>(flag[0] * 8 + flag[1])];
    if (world_.rank() == from) {
      if (by_async)
        matrix.array.put_async(patch, data.data()).wait();
      else
        matrix.array.put(patch, data.data());
      world_.fence();
      numbers_.fetch_add(flag, 1);
    }
    ++told;
    if (world_.rank() == to) {
      world_.wait_until([&] { return numbers_.fetch_add(flag, 0) >= told; });
      matrix.check(patch, when_ + ", handed on");
    }
    world_.barrier();
  }

  /// Numbers that are given out once each.
  void counted() {
    const std::int64_t each = random_.between(1, 6);
    std::int64_t sum = 0, last = -1;
    for (std::int64_t i = 0; i < each; ++i) {
      const std::int64_t number = counter_.next();
      expect(number > last, when_ + ": a counter that goes back");
      last = number;
      sum += number;
    }
    const std::int64_t all = each * world_.size();
    const std::int64_t total = world_.reduce(sum);
    const std::int64_t expected = counted_ * all + all * (all - 1) / 2;
    expect(total == expected, when_ + ": numbers of a counter given out twice");
    counted_ += all;
    const Index place{random_.between(0, world_.size() - 1), random_.between(0, 5)};
    const std::int64_t increment = random_.between(1, 3);
    numbers_.fetch_add(place, increment);
    auto& tick = ticks_[static_cast<std::size_t>(place[0] * 8 + place[1])];
    tick += increment * world_.size();
    world_.sync();
    std::int64_t got = 0;
    numbers_.get({{place[0], place[1]}, {place[0] + 1, place[1] + 1}}, &got);
    expect(got == tick, when_ + ": a sum of fetch_add, " + std::to_string(got) + " and not " +
                            std::to_string(tick));
    world_.barrier();
  }

  /// Read, add, write, one at a time.
  void excluded() {
    const auto keeper = static_cast<int>(random_.between(0, world_.size() - 1));
    const Index place{random_.between(0, world_.size() - 1), 6};
    const Patch cell{{place[0], place[1]}, {place[0] + 1, place[1] + 1}};
    const std::int64_t times = random_.between(1, 4);
    for (std::int64_t i = 0; i < times; ++i) {
      mutexes_.lock(0, keeper);
      std::int64_t value = 0;
      numbers_.get(cell, &value);
      if (random_.chance(2)) std::this_thread::yield();
      ++value;
      numbers_.put(cell, &value);
      mutexes_.unlock(0, keeper);
    }
    auto& tick = ticks_[static_cast<std::size_t>(place[0] * 8 + place[1])];
    tick += times * world_.size();
    world_.sync();
    std::int64_t got = 0;
    numbers_.get(cell, &got);
    expect(got == tick, when_ + ": additions under a mutex, " + std::to_string(got) + " and not " +
                            std::to_string(tick));
    world_.barrier();
  }

  /// Is for a while not inside Atoll, but for short looks.
  void work() {
    for (int part = 0; part < 6; ++part) {
      std::this_thread::sleep_for(std::chrono::microseconds(600));
      int looks = 0;
      world_.wait_until([&] { return ++looks > 3; });
    }
  }

  /// More at once, of one rank to another one, than may be under way.
  void much_at_once() {
    begin();
    const auto who = static_cast<int>(random_.between(0, world_.size() - 1));
    const auto whose = random_.between(0, world_.size() - 1);
    Random random = of_rank(who);
    std::list<Pending> pending;
    const bool reads = random_.chance(2), busy = random_.chance(2);
    if (busy && world_.node() == world_.node_of(static_cast<int>(whose)) && world_.rank() != who)
      work();
    const bool large = random_.chance(3);
    const std::int64_t most = large ? large_.columns() : 500;
    for (std::int64_t count = random_.between(1, large ? 12 : 250); count > 0; --count) {
      const std::int64_t length = random.between(large ? most / 2 : busy ? 300 : 1, most);
      const std::int64_t i = 2 * whose + random.between(0, 1),
                         j = random.between(0, large_.columns() - length);
      const Patch patch{{i, j}, {i + 1, j + length}};
      const bool read = reads && !random.chance(4);
      const std::vector<double> data =
          read ? std::vector<double>() : small_numbers(random, patch.elements());
      if (who == world_.rank()) one_of_mine(large_, patch, data, read, true, pending);
      if (!read) large_.set(patch, data, 1, false);
    }
    finish(pending);
    sync_and_check(large_);
  }

  /// One comes so late that the others ask whether it comes at all.
  void late() {
    if (!random_.chance(3)) return;
    const auto who = static_cast<int>(random_.between(0, world_.size() - 1));
    if (world_.rank() == who) std::this_thread::sleep_for(std::chrono::milliseconds(700));
    world_.barrier();
  }

  void collective() {
    const auto root = static_cast<int>(random_.between(0, world_.size() - 1));
    const std::int64_t length = random_.chance(2) ? random_.between(1, 20) : 3000;
    std::vector<std::int64_t> data(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < length; ++i)
      data[static_cast<std::size_t>(i)] = world_.rank() == root ? root * 1000 + i : -1;
    const std::int64_t times = random_.between(1, 5);
    for (std::int64_t i = 0; i < times; ++i) world_.broadcast(std::span(data), root);
    for (std::int64_t i = 0; i < length; ++i)
      expect(data[static_cast<std::size_t>(i)] == root * 1000 + i, when_ + ": a broadcast");
    for (std::int64_t i = 0; i < length; ++i) data[static_cast<std::size_t>(i)] = world_.rank() + i;
    world_.reduce(std::span(data));
    const std::int64_t ranks = world_.size();
    for (std::int64_t i = 0; i < length; ++i)
      expect(data[static_cast<std::size_t>(i)] == ranks * (ranks - 1) / 2 + ranks * i,
             when_ + ": a sum of all");
  }

  /// Each node writes parts of its copy; the sum is everybody's.
  void merged() {
    const bool later = random_.chance(2);
    zero(mirror_.array);
    std::fill(mirror_.values().begin(), mirror_.values().end(), 0);
    begin();
    for (int node = 0; node < world_.nodes(); ++node) {
      Random random = of_rank(node);
      for (std::int64_t count = random.between(0, 4); count > 0; --count) {
        const Patch patch = mirror_.patch(random, 0, mirror_.rows());
        const std::vector<double> data = small_numbers(random, patch.elements());
        mirror_.set(patch, data, 1, true);
        const auto who = random.between(0, 1000);
        const std::vector<int>& ranks = world_.node_ranks();
        if (world_.node() == node &&
            ranks[static_cast<std::size_t>(who) % ranks.size()] == world_.rank())
          mirror_.array.accumulate(patch, data.data());
      }
    }
    if (later) {
      PendingMerge merge = merge_begin(mirror_.array);
      puts(matrix_, 3);
      merge.wait();
    } else {
      merge(mirror_.array);
    }
    begin();
    Random mine = of_rank(world_.rank());
    mirror_.check(mirror_.patch(mine, 0, mirror_.rows()), when_ + ", merged");
    world_.barrier();
  }

  void groups() {
    const auto colours = static_cast<int>(random_.between(1, 3));
    const Group part = world_.split(world_.rank() % colours);
    const auto members = static_cast<std::int64_t>(part.size());
    const std::int64_t times = random_.between(1, 3);
    for (std::int64_t i = 0; i < times; ++i) {
      expect(part.reduce(std::int64_t{1}) == members, when_ + ": members counted");
      part.barrier();
    }
    Array<double> array(part, {members * 3}, {});
    std::vector<double> data{1, 2, 3};
    const std::int64_t next = (part.rank() + 1) % members;
    array.put({{next * 3}, {next * 3 + 3}}, data.data());
    part.sync();
    std::vector<double> got(3);
    array.get({{part.rank() * 3}, {part.rank() * 3 + 3}}, got.data());
    expect(got == data, when_ + ": an array of a group");
    part.barrier();
  }

  /// Elements here and there, of all ranks; each adds.
  void scattered() {
    begin();
    for (int rank = 0; rank < world_.size(); ++rank) {
      Random random = of_rank(rank);
      std::vector<std::int64_t> positions;
      std::vector<double> values;
      for (std::int64_t count = random.between(0, 12); count > 0; --count) {
        const std::int64_t i = random.between(0, matrix_.rows() - 1),
                           j = random.between(0, matrix_.columns() - 1);
        positions.insert(positions.end(), {i, j});
        values.push_back(static_cast<double>(random.between(-9, 9)));
        matrix_.at(i, j) += values.back();
      }
      if (rank == world_.rank()) matrix_.array.scatter_accumulate(positions, values.data());
    }
    sync_and_check(matrix_);
  }

  const World& world_;
  Random random_;
  Matrix matrix_, large_;
  Array<std::int64_t> numbers_;
  Matrix mirror_;
  Counter counter_;
  Mutexes mutexes_;
  std::vector<std::int64_t> ticks_;  // what is in `numbers_`
  std::int64_t counted_ = 0, seed_of_round_ = 0;
  int round_ = 0;
  std::string when_;
};

/// Gets of who has done nothing for long, by whom nobody serves but an agent.
void check_punctuality(const World& world) {
  using Clock = std::chrono::steady_clock;
  constexpr auto long_pause = std::chrono::milliseconds(40);
  constexpr auto soon = std::chrono::microseconds(190);
  Array<double> array(world, {world.size()}, {});
  for (int i = 0; i < 4; ++i) {
    world.sync();
    std::this_thread::sleep_for(long_pause);
    if (world.rank() == 0) {
      const auto begin = Clock::now();
      double got = -1;
      array.get({{world.size() - 1}, {world.size()}}, &got);
      const auto time = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
      expect(time < soon, "a get of a sleeper takes " + std::to_string(time.count()) + " us");
    }
    std::this_thread::sleep_for(long_pause);
  }
  world.sync();
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::string how = argc > 2 ? argv[2] : "6";
  World world(argc, argv);
  if (how == "punctual") {
    check_punctuality(world);
    return 0;
  }
  const int rounds = std::atoi(how.c_str());
  Program(world, seed).run(rounds);
  return 0;
}
