#include "compat/ga/one_sided.hpp"

namespace lagoon::atoll::ga {

namespace {

/// The same of an opaque array, whose bytes are a dimension. Error(value) as for others.
BufferedPatch bytes_of(const FieldPatch& of) {
  const auto bytes = static_cast<std::int64_t>(of.global.type().bytes);
  const auto [offset, size] = of.field;
  if (offset < 0 || size < 0 || size > bytes - offset)
    throw Error(ErrorKind::value, "a field of " + std::to_string(size) + " bytes at " +
                                      std::to_string(offset) + " is not inside an element of " +
                                      std::to_string(bytes));
  BufferedPatch result{of.global, of.global.stored(of.patch), of.strides};
  const int last = of.global.dimensions();
  result.patch.lo[last] = offset;
  result.patch.hi[last] = offset + size;
  for (std::int64_t& stride : result.strides) stride *= size;
  result.strides.push_back(1);
  return result;
}

}  // namespace

Handle begin_get(const FieldPatch& of, void* buffer) {
  if (!of.global.opaque())
    return get_field_async(of.global.array(), of.patch, of.field, buffer, of.strides);
  const BufferedPatch s = bytes_of(of);
  return s.global.array().get_async(s.patch, buffer, s.strides);
}

Handle begin_put(const FieldPatch& of, const void* buffer) {
  if (!of.global.opaque())
    return put_field_async(of.global.array(), of.patch, of.field, buffer, of.strides);
  const BufferedPatch s = bytes_of(of);
  return s.global.array().put_async(s.patch, buffer, s.strides);
}

std::vector<std::int64_t> stored_positions(const GlobalArray& a,
                                           std::vector<std::int64_t> positions) {
  if (!a.opaque()) return positions;
  const int n = a.dimensions();
  const auto bytes = static_cast<std::int64_t>(a.type().bytes);
  std::vector<std::int64_t> result;
  result.reserve(positions.size() / static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 1) *
                 static_cast<std::size_t>(bytes));
  for (auto element = positions.begin(); element != positions.end(); element += n)
    for (std::int64_t b = 0; b < bytes; ++b) {
      result.insert(result.end(), element, element + n);
      result.push_back(b);
    }
  return result;
}

}  // namespace lagoon::atoll::ga
