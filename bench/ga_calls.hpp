// What the parts of the workload `ga` share: two ways of doing one job, a name of Global Arrays and
// the call beside it, timed in one race.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "atoll/atoll.hpp"
#include "compat/ga/runtime.hpp"
#include "ga/ga.h"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

/// One way of doing the job: how it is called in the table, and doing it so many times.
struct Way {
  std::string name;
  Pair::Task repeat;
};

/// `body(i)` or `body()` in a loop; the body is compiled into the loop.
template <class Body>
Way way(std::string name, Body body) {
  return {std::move(name), [body = std::move(body)](std::int64_t times) mutable {
            for (std::int64_t i = 0; i < times; ++i)
              if constexpr (requires { body(i); })
                body(i);
              else
                body();
          }};
}

/// The first of the ways is the figure, the others stand beside it. Collective.
class Calls {
 public:
  /// The context and its settings outlive this.
  explicit Calls(const Context& context);
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  const atoll::World& world() const { return context_.world; }
  int rank() const { return context_.world.rank(); }

  /// Rank 0 runs them while rank 1 waits in a barrier. Microseconds a call.
  void alone(const std::string& figure, const std::vector<Way>& ways);
  /// The same in bytes per second; `bytes` a call.
  void alone(const std::string& figure, std::int64_t bytes, const std::vector<Way>& ways);
  /// Both ranks run them, each as often. Microseconds a call.
  void together(const std::string& figure, const std::vector<Way>& ways);

 private:
  std::vector<Samples> race_alone(const std::vector<Way>& ways) const;
  Settings settings_;
  Context context_;
};

/// The handle of an array that has been made already.
enum class Made : int {};

/// An array under its handle, and the array of C++ that lies behind it: all ways of a race work on
/// the same memory, and differ in nothing but the call.
class GaArray {
 public:
  /// Takes over what the handle stands for. Collective.
  explicit GaArray(Made made)
      : handle(static_cast<int>(made)), array(atoll::ga::array_of(handle).array()) {}
  explicit GaArray(std::vector<int> dims, int type = C_DBL)
      : GaArray(
            Made{NGA_Create(type, static_cast<int>(dims.size()), dims.data(), "bench", nullptr)}) {}
  GaArray(const GaArray&) = delete;
  GaArray& operator=(const GaArray&) = delete;
  ~GaArray() { GA_Destroy(handle); }

  const int handle;
  atoll::AnyArray& array;
};

// The families, one a file but for small ones.
void ga_one_sided(Calls& calls);
void ga_patches(Calls& calls);
void ga_inquiries(Calls& calls);
void ga_creation(Calls& calls);
void ga_collective(Calls& calls);
void ga_ghosts(Calls& calls);
void ga_algebra(Calls& calls);
void ga_matrices(Calls& calls);
void ga_vectors(Calls& calls);
void ga_ma(Calls& calls);
void ga_tcgmsg(Calls& calls);
void ga_armci(Calls& calls);
void ga_files(Calls& calls);
void ga_pointers(Calls& calls);

}  // namespace bench
