#include "compat/names/dra/names.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "atoll/disk_array.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll::dra {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> codes{
    {{"%", "%25"}, {"/", "%2F"}}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

constexpr std::string_view node_mark = "{node}";

bool is_plain_file(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none);
}

}  // namespace

std::string dataset_name(const std::string& name) {
  if (name.empty()) return "%";
  if (name == ".") return "%2E";
  std::string result = name;
  for (const auto& [character, code] : codes) replace_all(result, character, code);
  return result;
}

std::string program_name(const std::string& dataset) {
  if (dataset == "%") return "";
  if (dataset == "%2E") return ".";
  std::string result = dataset;
  for (auto code = codes.rbegin(); code != codes.rend(); ++code)
    replace_all(result, code->second, code->first);
  return result;
}

void remove_array(const Group& group, const std::string& path) {
  std::string here = path;
  replace_all(here, node_mark, std::to_string(group.node()));
  // Of an array with a part on each node every node removes its own.
  const int remover = here == path ? 0 : group.node_ranks().front();
  if (group.rank() == remover) {
    try {
      DiskArray::remove(here);
    } catch (const Error& error) {
      // A damaged one; a plain file, as programs leave that have tried whether they may write
      // there.
      if (error.error_number() == EBADMSG || is_plain_file(here))
        std::filesystem::remove_all(here);
      else if (error.error_number() != ENOENT && error.error_number() != ENOTDIR)
        throw;
    }
  }
  group.barrier();
}

}  // namespace lagoon::atoll::dra
