// The calls of disk arrays, for a `language` and its integers.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "atoll/error.hpp"
#include "compat/dra/session.hpp"
#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::dra {

using ga::Language;

template <Language language, class I>
Plan plan(std::int64_t type, std::int64_t dimensions, const I* dims, std::string name,
          std::string path, std::int64_t mode, const I* request) {
  if (dimensions < 1 || dimensions > ga::most_dimensions)
    throw Error(ErrorKind::value, "ndim is " + std::to_string(dimensions) + ", expected 1 to " +
                                      std::to_string(ga::most_dimensions));
  const auto n = static_cast<int>(dimensions);
  for (int d = 0; d < n; ++d)
    if (dims[d] < 1)
      throw Error(ErrorKind::value, "dimension " + std::to_string(d + ga::first<language>) +
                                        " is " + std::to_string(dims[d]) + ", expected at least 1");
  Index typical = ga::extents<language>(request, n);
  for (std::int64_t& extent : typical)
    if (extent < 1) extent = -1;
  return {static_cast<int>(type), ga::extents<language>(dims, n), std::move(name),
          std::move(path),        static_cast<int>(mode),         typical};
}

/// A section as the program names it; GA knows no empty ones.
template <Language language, class I>
Patch section(const I* lo, const I* hi, int dimensions, const char* of) {
  for (int d = 0; d < dimensions; ++d)
    if (hi[d] < lo[d])
      throw Error(ErrorKind::index, "the section of the " + std::string(of) + " goes from " +
                                        std::to_string(lo[d]) + " to " + std::to_string(hi[d]) +
                                        " in dimension " + std::to_string(d + ga::first<language>));
  return ga::patch<language>(lo, hi, dimensions);
}

template <class I>
int move(Direction direction, I g_a, I d_a, I* request) {
  Session& session = Session::get();
  *request = static_cast<I>(
      session.begin(direction, ga::array_of(g_a), session.at(static_cast<int>(d_a))));
  return ELIO_OK;
}

template <Language language, class I, class D>
int move_section(Direction direction, bool transposed, I g_a, const I* glo, const I* ghi, I d_a,
                 const D* dlo, const D* dhi, I* request) {
  Session& session = Session::get();
  ga::GlobalArray& array = ga::array_of(g_a);
  OpenArray& disk = session.at(static_cast<int>(d_a));
  const Sections sections{section<language>(glo, ghi, array.dimensions(), "global array"),
                          section<language>(dlo, dhi, disk.disk.shape().size(), "disk array"),
                          transposed ? Transpose::yes : Transpose::no};
  *request = static_cast<I>(session.begin(direction, array, disk, sections));
  return ELIO_OK;
}

template <class I>
int probe(I request, I* status) {
  *status = Session::get().probe(static_cast<int>(request)) ? ELIO_DONE : ELIO_OK;
  return ELIO_OK;
}

/// "dims 4 x 6"
template <Language language>
std::string extents_text(const Index& values) {
  std::string text;
  for (int i = 0; i < values.size(); ++i)
    text += (i == 0 ? "" : " x ") + std::to_string(values[ga::place<language>(i, values.size())]);
  return text;
}

template <Language language>
void print_internals(std::int64_t d_a) {
  const OpenArray& array = Session::get().at(static_cast<int>(d_a));
  if (array.group.rank() != 0) return;
  const char* const mode = array.mode == DRA_RW  ? "reading and writing"
                           : array.mode == DRA_W ? "writing"
                                                 : "reading";
  std::printf(
      "disk array '%s', handle %d\n  file: %s\n  type: %s\n  dimensions: %s\n  tiles: %s\n"
      "  open for: %s\n  times written: %llu\n",
      array.name.c_str(), array.handle, array.disk.path().c_str(),
      std::string(name_of(array.disk.type())).c_str(),
      extents_text<language>(array.disk.shape()).c_str(),
      extents_text<language>(array.disk.tile()).c_str(), mode,
      static_cast<unsigned long long>(array.disk.generation()));
  std::fflush(stdout);
}

}  // namespace lagoon::atoll::dra
