// The adaptors of all interfaces over MPIs that are not there: functions that note what they are
// given. The one in use has all other tests; its table is not to be filled anew.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "mpi/adaptor/mpich.hpp"
#include "mpi/adaptor/open_mpi.hpp"
#include "mpi/adaptor/standard.hpp"
#include "mpi/face.hpp"
#include "mpi/library.hpp"
#include "mpi/native.hpp"

namespace lagoon::atoll::mpi {
namespace {

template <class Interface>
constexpr MpiFamily family = std::is_same_v<Interface, Mpich>     ? MpiFamily::mpich
                             : std::is_same_v<Interface, OpenMpi> ? MpiFamily::open_mpi
                                                                  : MpiFamily::standard;

int nothing() { return 0; }

std::map<std::string, char> objects;  // predefined handles of an Open MPI are their addresses

/// The bits of a predefined handle.
std::uintptr_t bits_of(std::uintptr_t bits) { return bits; }
std::uintptr_t bits_of(const char* symbol) {
  return reinterpret_cast<std::uintptr_t>(&objects.at(symbol));
}

/// An MPI of this interface. Its functions note their arguments, and give what tests have set.
template <class I>
struct Fake {
  static inline std::vector<std::uintptr_t> seen;
  static inline typename I::Request next_request;
  static inline int next_number;
  static inline void (*reduces)(void*, void*, int*, typename I::Datatype*);

  template <class... T>
  static int note(T... given) {
    seen.clear();
    (seen.push_back(as_bits(given)), ...);
    return 0;
  }
  template <class T>
  static std::uintptr_t as_bits(T value) {
    return bits_of_native(value);
  }

  static int isend(const void*, int count, typename I::Datatype type, int to, int tag,
                   typename I::Comm comm, typename I::Request* request) {
    *request = next_request;
    return note(count, type, to, tag, comm);
  }
  static int irecv(void*, int, typename I::Datatype, int from, int, typename I::Comm,
                   typename I::Request* request) {
    *request = next_request;
    return note(from);
  }
  static int allreduce(const void* mine, void*, int, typename I::Datatype type, typename I::Op op,
                       typename I::Comm) {
    return note(reinterpret_cast<std::uintptr_t>(mine), type, op);
  }
  static int test(typename I::Request* request, int* done, typename I::Status* status) {
    const auto before = *request;
    *request = next_request;
    *done = 1;
    if (as_bits(status) != I::status_ignore) status->source = 5;
    return note(before, as_bits(status) == I::status_ignore ? 1 : 0);
  }
  static int testsome(int count, typename I::Request* requests, int* done, int* indices,
                      typename I::Status*) {
    const auto first = requests[0];
    requests[count - 1] = next_request;
    *done = 1;
    indices[0] = count - 1;
    return note(first);
  }
  static int query_thread(int* level) {
    *level = next_number;
    return 0;
  }
  static int compare(typename I::Comm, typename I::Comm, int* likeness) {
    *likeness = next_number;
    return 0;
  }
  static int win_lock_all(int check, typename I::Win) { return note(check); }
  static int split_type(typename I::Comm, int type, int, typename I::Info info, typename I::Comm*) {
    return note(type, info);
  }
  static int op_create(void (*function)(void*, void*, int*, typename I::Datatype*), int,
                       typename I::Op*) {
    reduces = function;
    return 0;
  }
  static int get_attr(typename I::Comm, int key, void* value, int* found) {
    static int limit = 99;
    *static_cast<int**>(value) = &limit;
    *found = next_number;
    return note(key);
  }

  template <class Function>
  static void* address(Function* function) {
    return reinterpret_cast<void*>(function);
  }
  static void* find(const char* name) {
    static const std::map<std::string, void*> functions{
        {"MPI_Isend", address(&isend)},
        {"MPI_Irecv", address(&irecv)},
        {"MPI_Allreduce", address(&allreduce)},
        {"MPI_Test", address(&test)},
        {"MPI_Testsome", address(&testsome)},
        {"MPI_Query_thread", address(&query_thread)},
        {"MPI_Comm_compare", address(&compare)},
        {"MPI_Win_lock_all", address(&win_lock_all)},
        {"MPI_Comm_split_type", address(&split_type)},
        {"MPI_Op_create", address(&op_create)},
        {"MPI_Comm_get_attr", address(&get_attr)}};
    if (std::strncmp(name, "MPI_", 4) != 0) return &objects[name];
    const auto found = functions.find(name);
    return found != functions.end() ? found->second : address(&nothing);
  }
};

template <class I>
class MpiAdaptor : public testing::Test {
 protected:
  void SetUp() override {
    if (family<I> == library().family) GTEST_SKIP() << "this interface is in use";
    EXPECT_EQ(fill(family<I>, &Fake<I>::find, table_), std::vector<std::string>{});
  }
  Calls table_{};
};

using Interfaces = testing::Types<Mpich, OpenMpi, Standard>;
TYPED_TEST_SUITE(MpiAdaptor, Interfaces);

TYPED_TEST(MpiAdaptor, HandsOverPredefinedHandlesAndTakesRequests) {
  using I = TypeParam;
  Fake<I>::next_request = native_of_bits<typename I::Request>(0x7654321);
  Request request;
  EXPECT_EQ(this->table_.isend(nullptr, 3, type_uint64, 4, 17, comm_world, &request), 0);
  EXPECT_EQ(request.bits, 0x7654321u);
  const std::vector<std::uintptr_t> given{3, bits_of(I::datatypes[type_uint64.bits]), 4, 17,
                                          bits_of(I::comms[comm_world.bits])};
  EXPECT_EQ(Fake<I>::seen, given);
  EXPECT_EQ(this->table_.isend(nullptr, 3, type_byte, 4, 17, {{0x1234567}}, &request), 0);
  EXPECT_EQ(Fake<I>::seen.back(), 0x1234567u);
}

TYPED_TEST(MpiAdaptor, TellsAnybodyAsTheSourceAndThePlaceOfTheResultAsTheBuffer) {
  using I = TypeParam;
  Request request;
  this->table_.irecv(nullptr, 0, type_byte, {any_source}, 0, comm_self, &request);
  EXPECT_EQ(static_cast<int>(Fake<I>::seen[0]), I::any_source);
  this->table_.irecv(nullptr, 0, type_byte, {6}, 0, comm_self, &request);
  EXPECT_EQ(Fake<I>::seen[0], 6u);
  this->table_.allreduce(in_place(), nullptr, 1, type_double, op_min, comm_world);
  EXPECT_EQ(Fake<I>::seen[0], I::in_place);
  EXPECT_EQ(Fake<I>::seen[2], bits_of(I::ops[op_min.bits]));
}

TYPED_TEST(MpiAdaptor, MakesARequestNullWhenMpiDoesAndGivesTheSender) {
  using I = TypeParam;
  Fake<I>::next_request = native_of_bits<typename I::Request>(bits_of(I::requests[0]));
  Request request{{0x7654321}};
  Status status;
  int done = 0;
  this->table_.test(&request, &done, &status);
  EXPECT_EQ(Fake<I>::seen, (std::vector<std::uintptr_t>{0x7654321, 0}));
  EXPECT_EQ(request, request_null);
  EXPECT_EQ(this->table_.source_of(&status), 5);
  this->table_.test(&request, &done, status_ignore);
  EXPECT_EQ(Fake<I>::seen, (std::vector<std::uintptr_t>{bits_of(I::requests[0]), 1}));
}

TYPED_TEST(MpiAdaptor, TakesFromManyRequestsThoseThatAreDone) {
  using I = TypeParam;
  Fake<I>::next_request = native_of_bits<typename I::Request>(bits_of(I::requests[0]));
  std::vector<Request> requests{{{0x111111}}, {{0x222222}}, {{0x333333}}};
  std::vector<int> indices(3);
  int done = 0;
  this->table_.testsome(3, requests.data(), &done, indices.data());
  EXPECT_EQ(done, 1);
  EXPECT_EQ(indices[0], 2);
  EXPECT_EQ(Fake<I>::seen[0], 0x111111u);
  EXPECT_EQ(requests, (std::vector<Request>{{{0x111111}}, {{0x222222}}, request_null}));
}

TYPED_TEST(MpiAdaptor, TranslatesNumbersThatEachMpiHasItsOwnOf) {
  using I = TypeParam;
  for (std::size_t i = 0; i < 4; ++i) {
    auto level = ThreadLevel::single;
    auto likeness = Likeness::ident;
    Fake<I>::next_number = I::thread_levels[i];
    this->table_.query_thread(&level);
    EXPECT_EQ(static_cast<std::size_t>(level), i);
    Fake<I>::next_number = I::likenesses[i];
    this->table_.comm_compare(comm_world, comm_self, &likeness);
    EXPECT_EQ(static_cast<std::size_t>(likeness), i);
  }
  this->table_.win_lock_all({}, win_null);
  EXPECT_EQ(static_cast<int>(Fake<I>::seen[0]), I::mode_nocheck);
  Comm made;
  this->table_.comm_split_type(comm_world, {}, 0, {}, &made);
  EXPECT_EQ(static_cast<int>(Fake<I>::seen[0]), I::comm_type_shared);
  EXPECT_EQ(Fake<I>::seen[1], bits_of(I::infos[0]));
  int largest = 0;
  Fake<I>::next_number = 1;
  this->table_.comm_largest_tag(comm_world, &largest);
  EXPECT_EQ(largest, 99);
  EXPECT_EQ(static_cast<int>(Fake<I>::seen[0]), I::tag_ub);
  Fake<I>::next_number = 0;  // the attribute is not set
  this->table_.comm_largest_tag(comm_world, &largest);
  EXPECT_EQ(largest, 32767);
}

void add(void* in, void* in_out, int* length) {
  for (int i = 0; i < *length; ++i) static_cast<int*>(in_out)[i] += static_cast<int*>(in)[i];
}
void subtract(void* in, void* in_out, int* length) {
  for (int i = 0; i < *length; ++i) static_cast<int*>(in_out)[i] -= static_cast<int*>(in)[i];
}

TYPED_TEST(MpiAdaptor, LetsMpiCallEachReductionThatWasMade) {
  using I = TypeParam;
  Op first, second;
  this->table_.op_create(&add, 1, &first);
  const auto by_first = Fake<I>::reduces;
  this->table_.op_create(&subtract, 1, &second);
  const auto by_second = Fake<I>::reduces;
  this->table_.op_create(&add, 1, &second);
  EXPECT_EQ(Fake<I>::reduces, by_first);  // room is for functions, not for operations
  int mine = 3, all = 10, length = 1;
  typename I::Datatype type{};
  by_first(&mine, &all, &length, &type);
  EXPECT_EQ(all, 13);
  by_second(&mine, &all, &length, &type);
  EXPECT_EQ(all, 10);
}

TYPED_TEST(MpiAdaptor, KnowsHandlesOfAProgram) {
  using I = TypeParam;
  for (const Comm known : {comm_null, comm_world, comm_self}) {
    const std::uintptr_t bits = bits_of(I::comms[known.bits]);
    EXPECT_EQ(this->table_.comm_of_native(bits), known);
    EXPECT_EQ(this->table_.native_of_comm(known), bits);
  }
  // A C function may leave anything above a number.
  const std::uintptr_t above = std::is_pointer_v<typename I::Comm> ? 0 : std::uintptr_t{7} << 32;
  EXPECT_EQ(this->table_.comm_of_native(0x1234567 + above).bits, 0x1234567u);
}

TYPED_TEST(MpiAdaptor, NamesWhatAnMpiLacks) {
  Calls lacking{};
  const auto find = [](const char* name) {
    return std::string(name) == "MPI_Improbe" ? nullptr : Fake<TypeParam>::find(name);
  };
  EXPECT_EQ(fill(family<TypeParam>, find, lacking), std::vector<std::string>{"MPI_Improbe"});
}

}  // namespace
}  // namespace lagoon::atoll::mpi
