#include "bench/point/buffers.h"

#include <algorithm>

namespace phasebit::bench::point {

using image::BufferFill;

Status BufferMemory::reserve(Room& room, std::size_t bytes) {
  if (bytes <= room.bytes) return {};
  PHASEBIT_TRY_ASSIGN(address, device_.allocate(bytes));
  room = {address, bytes};
  return {};
}

// One block at a time: the data may be larger than what a host likes to hold twice.
Status BufferMemory::write_blocks(const image::Buffer& buffer, device::Device::Address to) {
  image::Buffer first = buffer;
  const bool repeats = buffer.fill.kind == BufferFill::Kind::signs;
  const std::size_t length = repeats ? 2 * image::sign_words : image::block_words;
  first.bytes = std::min<std::uint64_t>(buffer.bytes, 4 * length);
  std::vector<std::uint32_t> block = image::content_of(first);
  for (std::size_t word = 0; word < buffer.words(); word += length) {
    const std::size_t words = std::min(buffer.words() - word, length);
    PHASEBIT_TRY(device_.write(to + 4 * word, block.data(), 4 * words));
    if (repeats) continue;
    for (std::uint32_t& one : block) one += image::payload_item_step;
  }
  return {};
}

// One piece of memory holds them all, because the buffers' own do not stay as they are.
Status BufferMemory::keep(const std::vector<Contents>& contents) {
  constexpr std::size_t alignment = 256;
  const auto room_of = [](const Contents& one) {
    return (one.bytes.size() + alignment - 1) / alignment * alignment;
  };
  std::size_t bytes = 0;
  for (const Contents& one : contents) bytes += room_of(one);
  PHASEBIT_TRY(reserve(all_kept_, bytes));
  device::Device::Address from = all_kept_.address;
  for (const Contents& one : contents) {
    PHASEBIT_TRY(device_.write(from, one.bytes.data(), one.bytes.size()));
    kept_.push_back({from, addresses_[one.buffer] + one.at, one.bytes.size()});
    from += room_of(one);
  }
  return {};
}

Status BufferMemory::make(const std::vector<image::Buffer>& buffers,
                          const std::vector<Contents>& contents) {
  if (buffers == buffers_ && contents.empty() && kept_.empty()) return {};
  kept_.clear();
  buffers_.clear();
  addresses_.clear();
  if (rooms_.size() < buffers.size()) {
    rooms_.resize(buffers.size());
    contents_.resize(buffers.size());
  }
  for (std::size_t n = 0; n < buffers.size(); ++n) {
    const std::size_t words = buffers[n].words();
    PHASEBIT_TRY(reserve(rooms_[n], 4 * words));
    if (words > 0) PHASEBIT_TRY(device_.fill(rooms_[n].address, 0, words));
    addresses_.push_back(rooms_[n].address);
    if (buffers[n].fill.is_large()) {
      PHASEBIT_TRY(write_blocks(buffers[n], rooms_[n].address));
      continue;
    }
    const std::vector<std::uint32_t> content = image::content_of(buffers[n]);
    if (content.empty()) continue;
    PHASEBIT_TRY(reserve(contents_[n], 4 * words));
    PHASEBIT_TRY(device_.write(contents_[n].address, content.data(), 4 * words));
  }
  PHASEBIT_TRY(keep(contents));
  buffers_ = buffers;
  return {};
}

Status BufferMemory::fill() {
  for (std::size_t n = 0; n < buffers_.size(); ++n) {
    const std::size_t words = buffers_[n].words();
    switch (buffers_[n].fill.kind) {
      case BufferFill::Kind::none:
      case BufferFill::Kind::blocks:
      case BufferFill::Kind::signs: break;
      case BufferFill::Kind::word:
        PHASEBIT_TRY(device_.fill(addresses_[n], buffers_[n].fill.word, words));
        break;
      case BufferFill::Kind::index:
      case BufferFill::Kind::random:
        PHASEBIT_TRY(device_.copy(addresses_[n], contents_[n].address, 4 * words));
        break;
    }
  }
  for (const Kept& one : kept_) PHASEBIT_TRY(device_.copy(one.to, one.from, one.bytes));
  return {};
}

}  // namespace phasebit::bench::point
