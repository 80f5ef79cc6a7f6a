// Two slots, and blocks after each other.
#include "disk/commit_log.hpp"

#include <cerrno>
#include <string>
#include <utility>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

CommitLog::CommitLog(std::shared_ptr<OpenFile> record, const DiskDescription& description)
    : record_(std::move(record)),
      layout_(description.layout),
      journal_pages_(journal_pages(description)) {}

CommitLog::Bytes CommitLog::read_bytes(std::int64_t offset, std::size_t bytes) const {
  Bytes result(bytes);
  result.resize(record_->read(offset, result.data(), bytes));
  return result;
}

std::array<CommitLog::Bytes, 2> CommitLog::slot_headers() const {
  return {read_bytes(slot_offset(layout_, 0), commit_header_bytes),
          read_bytes(slot_offset(layout_, 1), commit_header_bytes)};
}

std::optional<JournalHeader> CommitLog::next_header(const Position& position) const {
  if (position.next_page >= journal_pages_) return std::nullopt;
  const auto header = decode_journal_header(
      layout_,
      read_bytes(journal_offset(layout_) + position.next_page * record_page, commit_header_bytes));
  if (!header || header->base != position.base || header->generation != position.generation + 1 ||
      header->changes > static_cast<std::uint64_t>(layout_.tiles))
    return std::nullopt;
  return header;
}

std::optional<JournalBlock> CommitLog::next_block(const Position& position) const {
  const auto header = next_header(position);
  if (!header || block_pages(header->changes) > journal_pages_ - position.next_page)
    return std::nullopt;
  auto block = decode_block(
      layout_, read_bytes(journal_offset(layout_) + position.next_page * record_page,
                          static_cast<std::size_t>(block_pages(header->changes) * record_page)));
  // A writer may have put another one there meanwhile.
  if (!block || block->base != position.base || block->generation != position.generation + 1)
    return std::nullopt;
  return block;
}

std::optional<CommitLog::Found> CommitLog::find(const std::array<Bytes, 2>& headers,
                                                std::optional<std::uint64_t> generation) const {
  const std::array slots{decode_slot_header(headers[0]), decode_slot_header(headers[1])};
  const auto number = [](const std::optional<SlotHeader>& header) {
    return header ? header->generation : 0;
  };
  const int newer = number(slots[1]) > number(slots[0]) ? 1 : 0;
  for (const int slot : {newer, 1 - newer}) {
    const auto& header = slots[static_cast<std::size_t>(slot)];
    if (!header || (generation && header->generation > *generation)) continue;
    auto commit = decode_commit(
        layout_, read_bytes(slot_offset(layout_, slot),
                            commit_header_bytes + 4 * static_cast<std::size_t>(layout_.tiles)));
    if (!commit || commit->generation != header->generation) continue;
    Position position{commit->generation, slot, *header, 0};
    while (position.generation != generation) {
      const auto block = next_block(position);
      if (!block) break;
      for (const TileChecksum& change : block->changes)
        commit->checksums[static_cast<std::size_t>(change.tile)] = change.checksum;
      commit->generation = position.generation = block->generation;
      position.next_page += block_pages(block->changes.size());
    }
    if (generation && position.generation != *generation) continue;
    return Found{std::move(*commit), position};
  }
  return std::nullopt;
}

DiskCommit CommitLog::read(std::optional<std::uint64_t> generation) {
  // As long as a writer changes the slots under our eyes. While it does not, one of them is whole,
  // and the journal is that slot's.
  for (;;) {
    std::array<Bytes, 2> headers = slot_headers();
    auto found = find(headers, generation);
    if (slot_headers() != headers) continue;
    if (!found)
      throw Error(ErrorKind::file,
                  record_->label() + " is damaged: " +
                      (generation ? "it lacks commit " + std::to_string(*generation)
                                  : "neither of its commits is whole"),
                  EBADMSG);
    position_ = before_ = found->position;
    known_ = std::move(headers);
    tried_.clear();
    given_up_ = next_header(position_)
                    ? read_bytes(journal_offset(layout_) + position_.next_page * record_page,
                                 commit_header_bytes)
                    : Bytes();
    return std::move(found->commit);
  }
}

bool CommitLog::has_newer() const {
  for (const Bytes& header : slot_headers())
    if (const auto slot = decode_slot_header(header);
        slot && slot->generation > position_.generation)
      return true;
  return next_header(position_).has_value();
}

void CommitLog::require_nobody_else(const std::array<Bytes, 2>& headers) {
  const auto is_ours = [&](const Bytes& found, const Bytes& known) {
    return found == known || found == tried_;
  };
  bool ours = true;
  for (const std::size_t slot : {0U, 1U})
    ours = ours && (!decode_slot_header(headers[slot]) || is_ours(headers[slot], known_[slot]));
  if (next_header(position_))
    ours = ours && is_ours(read_bytes(journal_offset(layout_) + position_.next_page * record_page,
                                      commit_header_bytes),
                           given_up_);
  if (!ours)
    throw Error::of_file(ESTALE, "record a write in " + record_->label() +
                                     ", which somebody else has written meanwhile");
}

void CommitLog::write_block(std::span<const TileChecksum> changes) {
  const Bytes bytes = encode(
      JournalBlock{position_.base, position_.generation + 1, {changes.begin(), changes.end()}});
  tried_.assign(bytes.begin(), bytes.begin() + commit_header_bytes);
  record_->write(journal_offset(layout_) + position_.next_page * record_page, bytes.data(),
                 bytes.size());
  before_ = position_;
  ++position_.generation;
  position_.next_page += block_pages(changes.size());
}

void CommitLog::write_slot(const DiskCommit& commit, int slot) {
  const Bytes bytes = encode(commit);
  tried_.assign(bytes.begin(), bytes.begin() + commit_header_bytes);
  record_->write(slot_offset(layout_, slot), bytes.data(), bytes.size());
  before_ = position_;
  position_ = {commit.generation, slot, decode_slot_header(bytes).value_or(SlotHeader{}), 0};
  known_[static_cast<std::size_t>(slot)] = tried_;
}

void CommitLog::write_first(const DiskCommit& first) {
  write_slot(first, static_cast<int>(first.generation % 2));
  before_ = position_;
}

void CommitLog::write(const DiskCommit& now, std::span<const TileChecksum> changes) {
  if (position_.generation != now.generation) position_ = before_;  // that one was given up
  const std::array<Bytes, 2> headers = slot_headers();
  require_nobody_else(headers);
  const int other = 1 - position_.slot;
  // What was given up would count before any block.
  const auto there = decode_slot_header(headers[static_cast<std::size_t>(other)]);
  const bool is_newer = there && there->generation > position_.base.generation;
  const std::int64_t pages = block_pages(changes.size());
  if (!is_newer && pages < slot_pages(layout_) && pages <= journal_pages_ - position_.next_page)
    return write_block(changes);
  DiskCommit next{now.generation + 1, now.checksums};
  for (const TileChecksum& change : changes)
    next.checksums[static_cast<std::size_t>(change.tile)] = change.checksum;
  write_slot(next, other);
}

}  // namespace lagoon::atoll::detail
