// Messages and reductions of ARMCI, in every scope, against what each process works out for itself.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "armci_support.hpp"

namespace armci_test {
namespace {

class ArmciMessages : public Armci {};

/// Who takes part in a scope, and whether I do.
std::vector<int> circle_of(int scope) {
  std::vector<int> result;
  for (int process = 0; process < processes(); ++process) {
    const int node = armci_domain_id(ARMCI_DOMAIN_SMP, process);
    const bool master = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, node, 0) == process;
    if (scope == SCOPE_ALL || (scope == SCOPE_MASTERS && master) ||
        (scope == SCOPE_NODE && node == armci_domain_my_id(ARMCI_DOMAIN_SMP)))
      result.push_back(process);
  }
  return result;
}

bool in(const std::vector<int>& circle) {
  return std::find(circle.begin(), circle.end(), me()) != circle.end();
}

constexpr std::array scopes{SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS};

TEST_F(ArmciMessages, GoAroundARingInOrder) {
  const int to = (me() + 1) % processes(), from = (me() + processes() - 1) % processes();
  if (processes() == 1) return;  // a message to oneself waits to be received
  for (const int elements : {0, 1, 100, 30000}) {
    std::vector<int> out(static_cast<std::size_t>(elements), me()), got(30000, -1);
    const int bytes = elements * 4;
    int length = -1;
    const auto receive = [&] { armci_msg_rcv(5, got.data(), 120000, &length, from); };
    if (me() == 0) receive();
    armci_msg_snd(5, out.data(), bytes, to);
    if (me() != 0) receive();
    if (me() != 0) {
      EXPECT_EQ(length, bytes);
    }
    for (int i = 0; i < elements; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], from);
  }
  armci_msg_barrier();
}

TEST_F(ArmciMessages, OfAnyTagFindTheirReceiver) {
  if (me() == 0) {
    std::vector<int> seen(static_cast<std::size_t>(processes()));
    for (int i = 1; i < processes(); ++i) {
      int value = -1, length = 0;
      const int from = armci_msg_rcvany(9, &value, 4, &length);
      EXPECT_EQ(length, 4);
      EXPECT_EQ(value, 100 + from);
      ++seen.at(static_cast<std::size_t>(from));
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), processes() - 1);
    for (int from = 1; from < processes(); ++from) {
      int value = -1;
      armci_msg_rcv(0, &value, 4, nullptr, from);
      EXPECT_EQ(value, 200 + from);
    }
  } else {
    int first = 200 + me(), second = 100 + me();
    armci_msg_snd(0, &first, 4, 0);  // received later
    armci_msg_snd(9, &second, 4, 0);
  }
}

TEST_F(ArmciMessages, BroadcastsReachTheScopeAndNobodyElse) {
  for (const int scope : scopes) {
    const std::vector<int> circle = circle_of(scope);
    for (const int root : circle) {
      std::vector<long> data(1000, me());
      armci_msg_bcast_scope(scope, data.data(), 8000, root);
      const long expected = in(circle) ? root : me();
      EXPECT_EQ(data, std::vector<long>(1000, expected)) << "scope " << scope;
    }
  }
  int value = me();
  armci_msg_bcast(&value, 4, processes() - 1);
  EXPECT_EQ(value, processes() - 1);
  armci_msg_brdcst(&value, 4, 0);
  armci_msg_brdcst(nullptr, 0, 0);
  EXPECT_EQ(value, processes() - 1);
  value = me();
  armci_msg_clus_brdcst(&value, 4);
  EXPECT_EQ(value, circle_of(SCOPE_NODE).front());
}

TEST_F(ArmciMessages, GroupBroadcastsCountInTheGroup) {
  std::vector<int> backwards;
  for (int process = processes() - 1; process >= 0; --process) backwards.push_back(process);
  ARMCI_Group group = -1;
  ARMCI_Group_create(processes(), backwards.data(), &group);
  int value = me();
  armci_msg_group_bcast_scope(SCOPE_ALL, &value, 4, 0, &group);
  EXPECT_EQ(value, processes() - 1);
  value = me();
  const int half = (processes() + 1) / 2;
  armci_grp_clus_brdcst(&value, 4, processes() - half, half, &group);
  EXPECT_EQ(value, me() < half ? half - 1 : me());
  std::string plus = "+";
  long sum = me();
  armci_msg_group_lgop(&sum, 1, plus.data(), &group);
  EXPECT_EQ(sum, processes() * (processes() - 1) / 2);
  double least = me();
  std::string min = "min";
  armci_msg_group_gop_scope(SCOPE_NODE, &least, 1, min.data(), ARMCI_DOUBLE, &group);
  EXPECT_EQ(least, circle_of(SCOPE_NODE).front());
  armci_msg_group_barrier(&group);
  ARMCI_Group_free(&group);
}

// What process `process` brings as element `i`: small whole numbers, exact in every type.
int brought(int process, int i) { return (process * 7 + i * 5) % 11 - 5; }

int combined(const std::string& op, const std::vector<int>& circle, int i) {
  int result = 0;
  bool first = true;
  for (const int process : circle) {
    const int x = op.starts_with("abs") ? std::abs(brought(process, i)) : brought(process, i);
    if (std::exchange(first, false))
      result = x;
    else if (op == "+")
      result += x;
    else if (op == "*")
      result *= x;
    else if (op == "or")
      result |= x;
    else
      result = op.ends_with("max") ? std::max(result, x) : std::min(result, x);
  }
  return result;
}

template <class T>
using Reduce = std::function<void(T*, int, char*)>;

template <class T>
void check_reductions(const std::vector<int>& circle, bool or_too, const Reduce<T>& reduce) {
  constexpr int n = 9;
  for (std::string op : {"+", "*", "max", "min", "absmax", "absmin", "or"}) {
    if (op == "or" && !or_too) continue;
    // Of many processes' products only signs and zeros, which stay small.
    std::vector<T> x, expected;
    for (int i = 0; i < n; ++i) {
      const bool far = op == "*" && circle.size() > 4;
      x.push_back(static_cast<T>(far ? 1 : brought(me(), i)));
      expected.push_back(in(circle) ? static_cast<T>(far ? 1 : combined(op, circle, i)) : x.back());
    }
    reduce(x.data(), n, op.data());
    EXPECT_EQ(x, expected) << op;
  }
}

TEST_F(ArmciMessages, ReductionsOfEveryTypeAndOperation) {
  const std::vector<int> all = circle_of(SCOPE_ALL), node = circle_of(SCOPE_NODE);
  check_reductions<int>(all, true, armci_msg_igop);
  check_reductions<long>(all, true, armci_msg_lgop);
  check_reductions<long long>(all, true, armci_msg_llgop);
  check_reductions<float>(all, false, armci_msg_fgop);
  check_reductions<double>(all, false, armci_msg_dgop);
  check_reductions<int>(node, true, armci_msg_clus_igop);
  check_reductions<long>(node, true, armci_msg_clus_lgop);
  check_reductions<long long>(node, true, armci_msg_clus_llgop);
  check_reductions<float>(node, false, armci_msg_clus_fgop);
  check_reductions<double>(node, false, armci_msg_clus_dgop);
}

TEST_F(ArmciMessages, GroupReductionsOfEveryType) {
  std::vector<int> even;
  for (int process = 0; process < processes(); process += 2) even.push_back(process);
  ARMCI_Group group = -1;
  ARMCI_Group_create(static_cast<int>(even.size()), even.data(), &group);
  if (in(even)) {
    const auto with_group = [&](auto reduce) {
      return [reduce, &group](auto* x, int n, char* op) { reduce(x, n, op, &group); };
    };
    check_reductions<int>(even, true, with_group(armci_msg_group_igop));
    check_reductions<long>(even, true, with_group(armci_msg_group_lgop));
    check_reductions<long long>(even, true, with_group(armci_msg_group_llgop));
    check_reductions<float>(even, false, with_group(armci_msg_group_fgop));
    check_reductions<double>(even, false, with_group(armci_msg_group_dgop));
  }
  ARMCI_Barrier();
  ARMCI_Group_free(&group);
}

TEST_F(ArmciMessages, ReductionsInEveryScope) {
  for (const int scope : scopes)
    check_reductions<double>(circle_of(scope), false, [&](double* x, int n, char* op) {
      armci_msg_gop_scope(scope, x, n, op, ARMCI_DOUBLE);
    });
}

TEST_F(ArmciMessages, ARootedReductionChangesTheFirstOnly) {
  for (const int scope : scopes) {
    const std::vector<int> circle = circle_of(scope);
    std::string op = "absmax";
    int x = brought(me(), 3);
    armci_msg_reduce_scope(scope, &x, 1, op.data(), ARMCI_INT);
    EXPECT_EQ(x, me() == circle.front() ? combined(op, circle, 3) : brought(me(), 3));
  }
  std::string plus = "+";
  long long x = me();
  armci_msg_reduce(&x, 1, plus.data(), ARMCI_LONG_LONG);
  EXPECT_EQ(x, me() == 0 ? processes() * (processes() - 1) / 2 : me());
}

struct Record {
  double key;
  int process;
  int serial;
};

TEST_F(ArmciMessages, TheSelectedRecordReachesTheScope) {
  for (const int scope : scopes)
    for (std::string op : {"max", "min"})
      for (int contributors = 0; contributors < 3; ++contributors) {
        // None, every second process, all.
        const auto contributes = [&](int process) {
          return contributors == 2 || (contributors == 1 && process % 2 == 1);
        };
        Record record{static_cast<double>(brought(me(), 0)), me(), 17 * me()};
        const std::vector<int> circle = circle_of(scope);
        int best = -1;
        for (const int process : circle) {
          const int key = brought(process, 0), so_far = brought(std::max(best, 0), 0);
          if (contributes(process) && (best < 0 || (op == "max" ? key > so_far : key < so_far)))
            best = process;
        }
        if (best < 0 || !in(circle)) best = me();
        armci_msg_sel_scope(scope, &record, sizeof record, op.data(), ARMCI_DOUBLE,
                            contributes(me()) ? 1 : 0);
        EXPECT_EQ(record.key, brought(best, 0));
        EXPECT_EQ(record.process, best);
        EXPECT_EQ(record.serial, 17 * best);
      }
}

TEST_F(ArmciMessages, TheTreeLeadsEverybodyToTheRoot) {
  for (const int scope : scopes) {
    const std::vector<int> circle = circle_of(scope);
    int root = -2, up = -2, left = -2, right = -2;
    armci_msg_bintree(scope, &root, &up, &left, &right);
    EXPECT_EQ(root, circle.front());
    // Everybody tells its children and its parent; they must agree.
    std::vector<int> parents(static_cast<std::size_t>(processes())), told = parents;
    parents[static_cast<std::size_t>(me())] = up + 1;
    for (const int child : {left, right})
      if (child >= 0) told[static_cast<std::size_t>(child)] += me() + 1;
    std::string plus = "+";
    armci_msg_igop(parents.data(), processes(), plus.data());
    armci_msg_igop(told.data(), processes(), plus.data());
    EXPECT_EQ(parents, told);
    EXPECT_EQ(up == -1, me() == root || !in(circle));
  }
}

TEST_F(ArmciMessages, TheTimerGoesForward) {
  const double before = armci_timer();
  EXPECT_GE(armci_timer(), before);
}

}  // namespace
}  // namespace armci_test
