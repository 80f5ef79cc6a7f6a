// Communicators, groups and derived datatypes.
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

#include "simulation/mpi/functions.hpp"
#include "simulation/mpi/requests.hpp"

namespace lagoon::atoll::simulation {

namespace {

using mpi::Comm, mpi::Datatype, mpi::Group, mpi::Likeness;

constexpr std::uint64_t no_root = ~std::uint64_t{0};
constexpr int largest_tag = (1 << 30) - 1;

Communicator& world() {
  static auto* const one = [] {
    auto* const made = new Communicator;
    made->context = 1;
    made->members.resize(static_cast<std::size_t>(ranks()));
    std::iota(made->members.begin(), made->members.end(), 0);
    made->rank = my_rank();
    return made;
  }();
  return *one;
}

Communicator& self() {
  static auto* const one = new Communicator{2, {my_rank()}, 0, 0};
  // Each rank's own: nobody else has this context.
  one->context = 1000000000 + static_cast<std::uint64_t>(one->members.front());
  return *one;
}

void run(Request* request) {
  const std::string doing = in_words(*request);
  wait_inside(doing.c_str(), [&] { return time_of(*request); });
  complete(request, mpi::status_ignore);
}

struct Choice {
  int colour, key;
};

int split(Communicator& c, const char* what, Choice mine, Comm* made) {
  *made = mpi::comm_null;
  run(come_to_call(c, what, no_root, 0, &mine, sizeof mine, [&](Collective& call) {
    std::vector<std::pair<int, int>> members;  // key, rank
    int first = -1;
    for (int i = 0; i < c.size(); ++i) {
      Choice theirs{};
      std::memcpy(&theirs, call.parts[static_cast<std::size_t>(i)].data, sizeof theirs);
      if (theirs.colour != mine.colour) continue;
      if (first < 0) first = i;
      members.emplace_back(theirs.key, i);
    }
    if (mine.colour == mpi::undefined) return;
    std::stable_sort(members.begin(), members.end());
    auto* const part = new Communicator;
    part->context = call.contexts + static_cast<std::uint64_t>(first);
    for (const auto& [key, member] : members) {
      if (member == c.rank) part->rank = part->size();
      part->members.push_back(c.world(member));
    }
    *made = handle<Comm>(part);
  }));
  return mpi::success;
}

/// As MPI has it: over the members of the group alone.
int create(Communicator& c, const Members& group, int tag, Comm* made) {
  static std::map<std::uint64_t, std::uint64_t> calls;
  std::uint64_t context = mixed(c.context + (static_cast<std::uint64_t>(tag) << 32U));
  for (const int member : group.ranks)
    context = mixed(context + static_cast<std::uint64_t>(member) + 1);
  context |= std::uint64_t{1} << 63U;
  const auto me = std::ranges::find(group.ranks, my_rank());
  *made = mpi::comm_null;
  if (me == group.ranks.end()) return mpi::success;
  Communicator meeting{context, group.ranks, static_cast<int>(me - group.ranks.begin()),
                       calls[context]};
  run(come_to_call(meeting, "MPI_Comm_create_group", no_root, 0, nullptr, 0, [&](Collective& call) {
    auto* const part = new Communicator(meeting);
    part->context = call.contexts;
    part->collectives = 0;
    *made = handle<Comm>(part);
  }));
  calls[context] = meeting.collectives;
  return mpi::success;
}

Likeness compare(const Communicator& one, const Communicator& other) {
  if (one.context == other.context) return Likeness::ident;
  if (one.members == other.members) return Likeness::congruent;
  std::vector<int> a = one.members, b = other.members;
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b ? Likeness::similar : Likeness::unequal;
}

Datatype structure(const std::vector<int>& lengths, const std::vector<std::ptrdiff_t>& places,
                   const std::vector<Datatype>& types) {
  auto* const made = new Layout;
  made->basic = types.empty() ? 1 : basic_size_of(types.front());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto extent = static_cast<std::ptrdiff_t>(extent_of(types[i]));
    for (int k = 0; k < lengths[i]; ++k) {
      const std::ptrdiff_t place = places[i] + k * extent;
      if (types[i].bits < mpi::most_constants || is_dense(types[i])) {
        // Of what is dense all at once.
        made->pieces.push_back({place, size_of(types[i]) * static_cast<std::uint64_t>(lengths[i])});
        made->extent = std::max(made->extent,
                                static_cast<std::uint64_t>(places[i]) +
                                    extent_of(types[i]) * static_cast<std::uint64_t>(lengths[i]));
        break;
      }
      for (const Layout::Piece& piece : object<Layout>(types[i]).pieces)
        made->pieces.push_back({place + piece.place, piece.bytes});
      made->extent = std::max(made->extent, static_cast<std::uint64_t>(place + extent));
    }
  }
  for (const Layout::Piece& piece : made->pieces) made->size += piece.bytes;
  return handle<Datatype>(made);
}

void fill_types(mpi::Calls& into) {
  into.type_contiguous = [](int count, Datatype of, Datatype* made) {
    *made = structure({count}, {0}, {of});
    return mpi::success;
  };
  into.type_create_struct = [](int count, const int* lengths, const std::ptrdiff_t* places,
                               const Datatype* types, Datatype* made) {
    *made = structure({lengths, lengths + count}, {places, places + count}, {types, types + count});
    return mpi::success;
  };
  into.type_commit = [](Datatype*) { return mpi::success; };
  into.type_size = [](Datatype type, int* bytes) {
    *bytes = static_cast<int>(size_of(type));
    return mpi::success;
  };
  into.type_free = [](Datatype* type) {
    delete &object<Layout>(*type);
    *type = mpi::type_null;
    return mpi::success;
  };
}

void fill_groups(mpi::Calls& into) {
  into.comm_group = [](Comm comm, Group* group) {
    *group = handle<Group>(new Members{of(comm).members});
    return mpi::success;
  };
  into.group_incl = [](Group group, int count, const int* ranks, Group* made) {
    auto* const part = new Members;
    for (int i = 0; i < count; ++i)
      part->ranks.push_back(object<Members>(group).ranks[static_cast<std::size_t>(ranks[i])]);
    *made = handle<Group>(part);
    return mpi::success;
  };
  into.group_translate_ranks = [](Group group, int count, const int* ranks, Group other,
                                  int* there) {
    const auto& theirs = object<Members>(other).ranks;
    for (int i = 0; i < count; ++i) {
      const int rank = object<Members>(group).ranks[static_cast<std::size_t>(ranks[i])];
      const auto found = std::ranges::find(theirs, rank);
      there[i] = found == theirs.end() ? mpi::undefined : static_cast<int>(found - theirs.begin());
    }
    return mpi::success;
  };
  into.group_free = [](Group* group) {
    delete &object<Members>(*group);
    *group = mpi::group_null;
    return mpi::success;
  };
}

}  // namespace

Communicator& of(Comm comm) {
  if (comm == mpi::comm_world) return world();
  if (comm == mpi::comm_self) return self();
  if (comm == mpi::comm_null) misuse("a call on MPI_COMM_NULL");
  return object<Communicator>(comm);
}

void fill_communicators(mpi::Calls& into) {
  into.comm_size = [](Comm comm, int* size) {
    *size = of(comm).size();
    return mpi::success;
  };
  into.comm_rank = [](Comm comm, int* rank) {
    *rank = of(comm).rank;
    return mpi::success;
  };
  into.comm_dup = [](Comm comm, Comm* made) {
    enter("MPI_Comm_dup");
    return split(of(comm), "MPI_Comm_dup", {0, of(comm).rank}, made);
  };
  into.comm_split = [](Comm comm, int colour, int key, Comm* made) {
    enter("MPI_Comm_split");
    return split(of(comm), "MPI_Comm_split", {colour, key}, made);
  };
  into.comm_split_type = [](Comm comm, mpi::OnSharedMemory, int key, mpi::NoInfo, Comm* made) {
    enter("MPI_Comm_split_type");
    return split(of(comm), "MPI_Comm_split_type", {0, key}, made);
  };
  into.comm_create_group = [](Comm comm, Group group, int tag, Comm* made) {
    enter("MPI_Comm_create_group");
    return create(of(comm), object<Members>(group), tag, made);
  };
  into.comm_free = [](Comm* comm) {
    enter("MPI_Comm_free");
    delete &object<Communicator>(*comm);
    *comm = mpi::comm_null;
    return mpi::success;
  };
  into.comm_compare = [](Comm one, Comm other, Likeness* likeness) {
    *likeness = compare(of(one), of(other));
    return mpi::success;
  };
  into.comm_largest_tag = [](Comm, int* tag) {
    *tag = largest_tag;
    return mpi::success;
  };
  into.comm_set_errhandler = [](Comm, mpi::Errhandler) { return mpi::success; };
  into.comm_of_native = [](std::uintptr_t bits) { return Comm{{bits}}; };
  into.native_of_comm = [](Comm comm) { return comm.bits; };
  into.native_of_datatype = [](Datatype type) { return type.bits; };
  // Fortran's numbers: places in a list.
  static std::vector<Comm> numbered{mpi::comm_null, mpi::comm_world, mpi::comm_self};
  into.comm_c2f = [](Comm comm) {
    auto found = std::ranges::find(numbered, comm);
    if (found == numbered.end()) found = numbered.insert(found, comm);
    return static_cast<int>(found - numbered.begin());
  };
  into.comm_f2c = [](int fortran) {
    const auto place = static_cast<std::size_t>(fortran);
    return place < numbered.size() ? numbered[place] : mpi::comm_null;
  };
  fill_groups(into);
  fill_types(into);
}

}  // namespace lagoon::atoll::simulation
