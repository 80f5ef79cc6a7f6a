// For libFuzzer (docs/testing.md).
#include <cstdint>

#include "metadata.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lagoon::atoll::test::parse_metadata(std::as_bytes(std::span(data, size)));
  return 0;
}
