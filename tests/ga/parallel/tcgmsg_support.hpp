// What TCGMSG's tests send and what they expect.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "compat/tcgmsg/session.hpp"
#include "ga/tcgmsg.h"

namespace tcgmsg_test {

using Lengths = std::initializer_list<std::size_t>;  // in elements

inline long me() { return tcg_nodeid(); }
inline long nodes() { return tcg_nnodes(); }
inline lagoon::atoll::tcgmsg::Messages& messages() {
  return lagoon::atoll::tcgmsg::Session::get().messages;
}

/// What every rank knows of the message from `source` to `target`.
inline std::vector<double> content(long source, long target, std::size_t elements) {
  std::vector<double> values(elements);
  std::iota(values.begin(), values.end(), 1000.0 * static_cast<double>(source * 100 + target));
  return values;
}

inline long bytes_of(const std::vector<double>& values) {
  return static_cast<long>(values.size() * sizeof(double));
}

/// Receives into `room` elements what content(source, me) sent, and compares.
inline void expect_from(long type, long source, std::size_t elements, std::size_t room) {
  std::vector<double> values(room, -1);
  long length = 0, from = -7;
  tcg_rcv(type, values.data(), bytes_of(values), &length, source, &from, 1);
  EXPECT_EQ(from, source);
  ASSERT_EQ(length, static_cast<long>(elements * sizeof(double)));
  std::vector<double> expected = content(source, me(), elements);
  expected.resize(room, -1);
  EXPECT_EQ(values, expected);
}

inline void send_content(long type, long target, std::size_t elements) {
  const std::vector<double> values = content(me(), target, elements);
  tcg_snd(type, values.data(), bytes_of(values), target, 1);
}

inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const lagoon::atoll::Error& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace tcgmsg_test
