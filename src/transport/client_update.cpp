// Client: updates, cut into portions that are one request each.
#include <algorithm>
#include <vector>

#include "transport/client.hpp"
#include "world/copy_bytes.hpp"
#include "world/thread_rule.hpp"

namespace lagoon::atoll::detail {

void Client::update(const Place& place, const UpdateKind& kind, std::span<const UpdateRun> runs,
                    const std::byte* operands, std::byte* old, Operation& operation) {
  const MpiCall call;
  const std::lock_guard lock(mutex_);
  constexpr auto run_bytes = static_cast<std::int64_t>(sizeof(UpdateRun));
  std::vector<UpdateRun> portion;  // all its memory now: what is sent is not half an update
  portion.reserve(std::min(runs.size(), static_cast<std::size_t>(inline_bytes / run_bytes)));
  std::int64_t elements = 0;
  const auto send = [&] {
    update_portion(place, kind, portion, elements, operands, old, operation);
    if (operands != nullptr) operands += elements * kind.operand_bytes;
    if (old != nullptr) old += elements * kind.element_bytes;
    portion.clear();
    elements = 0;
  };
  for (UpdateRun run : runs) {
    while (run.elements > 0) {
      const std::int64_t described =
          static_cast<std::int64_t>(portion.size() + 1) * run_bytes + elements * kind.operand_bytes;
      std::int64_t room = inline_bytes / kind.element_bytes - elements;  // of the answer
      if (kind.operand_bytes > 0)
        room = std::min(room, (inline_bytes - described) / kind.operand_bytes);
      else if (described > inline_bytes)
        room = 0;
      if (room <= 0) {
        send();
        continue;
      }
      const std::int64_t now = std::min(room, run.elements);
      portion.push_back({run.offset, now});
      elements += now;
      run.offset += now * kind.element_bytes;
      run.elements -= now;
    }
  }
  if (elements > 0) send();
}

void Client::update_portion(const Place& place, const UpdateKind& kind,
                            std::span<const UpdateRun> runs, std::int64_t elements,
                            const std::byte* operands, std::byte* old, Operation& operation) {
  Connection& to = connection_of(place);
  RequestHeader header;
  header.action = old != nullptr ? Action::fetch_update : Action::update;
  header.owner = place.owner;
  header.segment = place.segment.number();
  header.offset = place.offset;
  header.value = static_cast<std::int64_t>(runs.size());
  header.set_kind(kind);
  const UpdateReach reach = reach_of(runs, kind.element_bytes);
  RequestHeader range = header;
  range.offset += reach.first;
  range.runs = Runs::contiguous_of(reach.end - reach.first);
  wait_for_streams(range);
  complete_rma_puts(to);
  send_batch(to);
  std::byte* data = nullptr;
  if (old != nullptr) {
    const std::int64_t bytes = elements * kind.element_bytes;
    // What the answer's slot unpacks is contiguous: it comes to its place as it is.
    expect_data(header, to, old, bytes, operation);
    data = begin_request(header);
  } else {
    data = begin_small_write(to, header);
  }
  data = copy_bytes(data, std::as_bytes(runs));
  if (operands != nullptr)
    data = copy_bytes(data, {operands, static_cast<std::size_t>(elements * kind.operand_bytes)});
  send_request(to, data);
}

}  // namespace lagoon::atoll::detail
