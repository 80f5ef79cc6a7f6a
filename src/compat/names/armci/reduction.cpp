// The C names of reductions: armci_msg_{i,l,ll,f,d}gop of all processes, of my node's (clus) and of
// a group's, and the general ones.
#include "compat/armci/arguments.hpp"
#include "compat/armci/reductions.hpp"
#include "compat/failure.hpp"
#include "ga/message.h"

using lagoon::atoll::Group;
using lagoon::atoll::armci::Circle;
using lagoon::atoll::armci::given;
using lagoon::atoll::armci::Session;
using lagoon::atoll::compat::guarded;

namespace {

/// `f(the circle)` for all processes; with a group, for its.
template <class F>
void in_circle(const char* routine, int scope, F&& f) {
  guarded(routine, [&] {
    const Session& session = Session::get();
    f(Circle(session, session.world, scope));
  });
}

template <class F>
void in_circle(const char* routine, int scope, const ARMCI_Group* group, F&& f) {
  guarded(routine, [&] {
    const Session& session = Session::get();
    f(Circle(session, session.group(group), scope));
  });
}

/// Of all processes or of my node's.
void all(const char* routine, int scope, void* x, int n, const char* op, int type) {
  in_circle(routine, scope, [&](const Circle& circle) {
    lagoon::atoll::armci::reduce_to_all(circle, x, n, &given("op", op), type);
  });
}

void all_of_group(const char* routine, int scope, void* x, int n, const char* op, int type,
                  const ARMCI_Group* group) {
  in_circle(routine, scope, group, [&](const Circle& circle) {
    lagoon::atoll::armci::reduce_to_all(circle, x, n, &given("op", op), type);
  });
}

void first(const char* routine, int scope, void* x, int n, const char* op, int type) {
  in_circle(routine, scope, [&](const Circle& circle) {
    lagoon::atoll::armci::reduce_to_first(circle, x, n, &given("op", op), type);
  });
}

}  // namespace

extern "C" {

#define ATOLL_GOPS(letter, T, type)                                                   \
  void armci_msg_##letter##gop(T* x, int n, char* op) {                               \
    all("armci_msg_" #letter "gop", SCOPE_ALL, x, n, op, type);                       \
  }                                                                                   \
  void armci_msg_clus_##letter##gop(T* x, int n, char* op) {                          \
    all("armci_msg_clus_" #letter "gop", SCOPE_NODE, x, n, op, type);                 \
  }                                                                                   \
  void armci_msg_group_##letter##gop(T* x, int n, char* op, ARMCI_Group* group) {     \
    all_of_group("armci_msg_group_" #letter "gop", SCOPE_ALL, x, n, op, type, group); \
  }

ATOLL_GOPS(i, int, ARMCI_INT)
ATOLL_GOPS(l, long, ARMCI_LONG)
ATOLL_GOPS(ll, long long, ARMCI_LONG_LONG)
ATOLL_GOPS(f, float, ARMCI_FLOAT)
ATOLL_GOPS(d, double, ARMCI_DOUBLE)
#undef ATOLL_GOPS

void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type) {
  all("armci_msg_gop_scope", scope, x, n, op, type);
}

void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group) {
  all_of_group("armci_msg_group_gop_scope", scope, x, n, op, type, group);
}

void armci_msg_reduce(void* x, int n, char* op, int type) {
  first("armci_msg_reduce", SCOPE_ALL, x, n, op, type);
}

void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type) {
  first("armci_msg_reduce_scope", scope, x, n, op, type);
}

void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute) {
  in_circle("armci_msg_sel_scope", scope, [&](const Circle& circle) {
    lagoon::atoll::armci::select(circle, x, n, &given("op", op), type, contribute != 0);
  });
}

}  // extern "C"
