// Get, put, accumulate and fetch-add, of one number and of a patch.
#include "one_sided.hpp"

namespace bench {

namespace {
constexpr std::size_t patch_elements = static_cast<std::size_t>(patch_edge * patch_edge);
}

ArrayTarget::ArrayTarget(atoll::World& world)
    : world_(world),
      array_(world, {8 * patch_edge, 8 * patch_edge}),
      integers_(world, {64}),
      buffer_(patch_elements, 1.0) {}

std::vector<Operation> ArrayTarget::operations() {
  const atoll::Index lo = array_.distribution().patches(1).front().lo;
  const atoll::Index word = integers_.distribution().patches(1).front().lo;
  std::vector<Operation> list;
  for (const std::int64_t n : {std::int64_t{1}, patch_edge}) {
    const std::string text = n == 1 ? " 8 B" : " 64x64";
    const atoll::Patch p{lo, {lo[0] + n, lo[1] + n}};
    list.push_back({"get" + text, [this, p] { array_.get(p, buffer_.data()); }});
    list.push_back({"put+fence" + text, [this, p] {
                      array_.put(p, buffer_.data());
                      world_.fence(1);
                    }});
    list.push_back({"accumulate+fence" + text, [this, p] {
                      array_.accumulate(p, buffer_.data());
                      world_.fence(1);
                    }});
    if (n == 1) list.push_back({"fetch-add", [this, word] { integers_.fetch_add(word, 1); }});
  }
  return list;
}

WindowTarget::WindowTarget(MPI_Comm communicator)
    : window_(communicator, 4 * static_cast<std::int64_t>(patch_elements), Window::Kind::allocated),
      buffer_(patch_elements, 1.0) {
  window_.set_patch(patch_edge, patch_edge, 4 * patch_edge);
}

std::vector<Operation> WindowTarget::operations() {
  double* const local = buffer_.data();
  return {{"get 8 B", [this, local] { window_.get(local, 1, 1, 0); }},
          {"put+fence 8 B", [this, local] { window_.put(local, 1, 1, 0); }},
          {"accumulate+fence 8 B", [this, local] { window_.accumulate(local, 1, 1, 0); }},
          {"fetch-add", [this] { window_.fetch_add(1, 1, 8); }},
          {"get 64x64", [this, local] { window_.get_patch(local, 1, 0); }},
          {"put+fence 64x64", [this, local] { window_.put_patch(local, 1, 0); }},
          {"accumulate+fence 64x64", [this, local] { window_.accumulate_patch(local, 1, 0); }}};
}

}  // namespace bench
