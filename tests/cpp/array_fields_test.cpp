// Fields: some bytes of each element, moved without the others, against plain memory.
#include <cstring>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

template <class T>
std::vector<T> marked_values(const Index& shape) {
  std::vector<T> values(static_cast<std::size_t>(shape.product()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = marked_value<T>(static_cast<std::int64_t>(i));
  return values;
}

Field random_field(Random& random, std::int64_t size) {
  const std::int64_t offset = random.between(0, size - 1);
  return {offset, random.between(1, size - offset)};
}

/// Calls f(number in the array, number in the patch) for its elements.
template <class F>
void each_element(const Patch& patch, const Index& shape, const F& f) {
  Index at = Index::filled(shape.size(), 0);
  std::size_t number = 0;
  do {
    Index position = patch.lo;
    for (int d = 0; d < shape.size(); ++d) position[d] += at[d];
    f(static_cast<std::size_t>(linear_index(position, shape)), number++);
  } while (next_position(at, patch.shape()));
}

template <class T>
class ArrayFields : public testing::Test {};
TYPED_TEST_SUITE(ArrayFields, AllTypes);

TYPED_TEST(ArrayFields, AreReadAndWrittenWithoutTheOtherBytes) {
  using T = TypeParam;
  Random random(43);
  for (int dimensions = 1; dimensions < max_dimensions; dimensions += 2) {
    const Index shape = random_shape(random, dimensions, 600);
    for (const Layout& layout : sample_layouts(shape, world().size())) {
      Array<T> array(world(), shape, {.layout = layout});
      std::vector<T> values = marked_values<T>(shape);
      if (world().rank() == 0) array.put(whole(shape), values.data());
      world().sync();
      const Patch patch = random_patch(random, shape);
      if (patch.empty()) continue;
      const Field field = random_field(random, sizeof(T));
      const auto bytes = static_cast<std::size_t>(field.bytes);
      const auto field_of = [&](T& value) {
        return reinterpret_cast<std::byte*>(&value) + field.offset;
      };
      std::vector<std::byte> got(static_cast<std::size_t>(patch.elements()) * bytes), put(got);
      get_field_async(array, patch, field, got.data()).wait();
      each_element(patch, shape, [&](std::size_t element, std::size_t number) {
        EXPECT_EQ(std::memcmp(got.data() + number * bytes, field_of(values[element]), bytes), 0);
      });
      world().barrier();
      for (std::size_t i = 0; i < put.size(); ++i) put[i] = static_cast<std::byte>(7 * i + 1);
      if (world().rank() == world().size() - 1)
        put_field_async(array, patch, field, put.data()).wait();
      world().sync();
      each_element(patch, shape, [&](std::size_t element, std::size_t number) {
        std::memcpy(field_of(values[element]), put.data() + number * bytes, bytes);
      });
      std::vector<T> all(values.size());
      array.get(whole(shape), all.data());
      EXPECT_EQ(std::memcmp(all.data(), values.data(), values.size() * sizeof(T)), 0);
      world().barrier();
    }
  }
}

TEST(ArrayFieldErrors, TellFieldsAndArraysThatCannotBe) {
  Array<std::complex<double>> array(world(), {4, 4});
  std::vector<double> room(16);
  const auto kind_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::numeric;  // of none
  };
  for (const Field& field : {Field{-1, 4}, {0, 17}, {9, 8}, {16, 1}, {0, -1}})
    EXPECT_EQ(kind_of([&] { get_field_async(array, whole({4, 4}), field, room.data()).wait(); }),
              ErrorKind::value);
  const Patch outside{{0, 0}, {4, 5}};
  EXPECT_EQ(kind_of([&] { get_field_async(array, outside, {0, 8}, room.data()).wait(); }),
            ErrorKind::index);
  array.set_read_only(true);
  EXPECT_EQ(kind_of([&] { put_field_async(array, whole({4, 4}), {0, 8}, room.data()).wait(); }),
            ErrorKind::state);
  get_field_async(array, whole({4, 4}), {8, 8}, room.data()).wait();
  EXPECT_EQ(room, std::vector<double>(16));
  array.set_read_only(false);
  Array<float> many(world(), Index::filled(max_dimensions, 2));
  EXPECT_EQ(
      kind_of([&] { get_field_async(many, whole(many.shape()), {0, 2}, room.data()).wait(); }),
      ErrorKind::unsupported);
}

}  // namespace
}  // namespace lagoon::atoll::test
