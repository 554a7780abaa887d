#include "bench/point/buffers.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace phasebit::bench::point {

using launch::BufferFill;
using launch::GuardHeader;
using launch::GuardReport;

Status BufferMemory::reserve(Room& room, std::size_t bytes) {
  if (bytes <= room.bytes) return {};
  PHASEBIT_TRY_ASSIGN(address, device_.allocate(bytes));
  room = {address, bytes};
  return {};
}

// One block at a time: the data may be larger than what a host likes to hold twice.
Status BufferMemory::write_blocks(const launch::Buffer& buffer, device::Device::Address to) {
  launch::Buffer first = buffer;
  const bool repeats = buffer.fill.kind != BufferFill::Kind::blocks;
  const std::size_t length = buffer.fill.is_float() ? 16 * launch::float_words
                             : repeats              ? 2 * launch::sign_words
                                                    : launch::block_words;
  first.bytes = std::min<std::uint64_t>(buffer.bytes, 4 * length);
  std::vector<std::uint32_t> block = launch::content_of(first);
  for (std::size_t word = 0; word < buffer.words(); word += length) {
    const std::size_t words = std::min(buffer.words() - word, length);
    PHASEBIT_TRY(device_.write(to + 4 * word, block.data(), 4 * words));
    if (repeats) continue;
    for (std::uint32_t& one : block) one += launch::payload_item_step;
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

Status BufferMemory::make(const std::vector<launch::Buffer>& buffers,
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
    const std::vector<std::uint32_t> content = launch::content_of(buffers[n]);
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
    if (words == 0) continue;  // it has no memory
    switch (buffers_[n].fill.kind) {
      case BufferFill::Kind::none:
      case BufferFill::Kind::blocks:
      case BufferFill::Kind::signs:
      case BufferFill::Kind::normal:
      case BufferFill::Kind::uniform:
      case BufferFill::Kind::special:
      case BufferFill::Kind::rare: break;
      case BufferFill::Kind::word:
        PHASEBIT_TRY(device_.fill(addresses_[n], buffers_[n].fill.word, words));
        break;
      case BufferFill::Kind::index:
      case BufferFill::Kind::indices:
      case BufferFill::Kind::random:
        PHASEBIT_TRY(device_.copy(addresses_[n], contents_[n].address, 4 * words));
        break;
    }
  }
  for (const Kept& one : kept_) PHASEBIT_TRY(device_.copy(one.to, one.from, one.bytes));
  return {};
}

namespace {

constexpr std::size_t warps_of_cta = 32;

std::size_t crumb_bytes(std::size_t ctas) {
  return ctas * warps_of_cta * sizeof(std::uint32_t);
}

}  // namespace

Status GuardMemory::reserve(std::size_t ctas) {
  if (ctas <= ctas_) return {};
  PHASEBIT_TRY_ASSIGN(block,
                      device_.allocate(sizeof(GuardHeader) + ctas * sizeof(launch::GuardCta)));
  PHASEBIT_TRY_ASSIGN(host, device_.allocate_host(sizeof(GuardReport) + crumb_bytes(ctas)));
  block_ = block;
  host_ = host;
  ctas_ = ctas;
  return {};
}

Status GuardMemory::set(device::Device::Address address, std::uint64_t value) {
  PHASEBIT_TRY(device_.fill(address, static_cast<std::uint32_t>(value), 1));
  return device_.fill(address + 4, static_cast<std::uint32_t>(value >> 32), 1);
}

Status GuardMemory::prepare(device::Device::Address variable, int ctas, std::uint64_t limit_ns) {
  PHASEBIT_TRY(reserve(static_cast<std::size_t>(ctas)));
  // No launch is running: the last one has been waited for.
  std::memset(host_.host, 0, sizeof(GuardReport) + crumb_bytes(ctas_));
  const std::size_t bytes =
      sizeof(GuardHeader) + static_cast<std::size_t>(ctas) * sizeof(launch::GuardCta);
  PHASEBIT_TRY(device_.fill(block_, 0, bytes / 4));
  PHASEBIT_TRY(set(block_ + offsetof(GuardHeader, limit_ns), limit_ns));
  PHASEBIT_TRY(set(block_ + offsetof(GuardHeader, report), host_.device));
  PHASEBIT_TRY(set(block_ + offsetof(GuardHeader, crumbs), host_.device + sizeof(GuardReport)));
  const auto warps = static_cast<std::uint32_t>(static_cast<std::size_t>(ctas) * warps_of_cta);
  PHASEBIT_TRY(device_.fill(block_ + offsetof(GuardHeader, crumb_warps), warps, 1));
  PHASEBIT_TRY(
      device_.fill(block_ + offsetof(GuardHeader, ctas), static_cast<std::uint32_t>(ctas), 1));
  return set(variable, block_);
}

GuardReport GuardMemory::report() const {
  GuardReport report;
  if (host_.host != nullptr) std::memcpy(&report, host_.host, sizeof report);
  return report;
}

std::vector<std::uint32_t> GuardMemory::crumbs() const {
  std::vector<std::uint32_t> crumbs(ctas_ * warps_of_cta);
  if (host_.host != nullptr)
    std::memcpy(crumbs.data(), static_cast<const std::byte*>(host_.host) + sizeof(GuardReport),
                crumb_bytes(ctas_));
  return crumbs;
}

Result<device::Device::Function> LoadedModules::function(const launch::Image& image,
                                                         int dynamic_shared_bytes,
                                                         int padding_bytes) {
  const auto place = std::make_pair(image.module, padding_bytes);
  const auto key = std::make_tuple(image.module, padding_bytes, image.entry, dynamic_shared_bytes);
  if (const auto known = functions_.find(key); known != functions_.end()) return known->second;
  auto module = modules_.find(place);
  if (module == modules_.end()) {
    PHASEBIT_TRY_ASSIGN(cubin, launch::read_module(bundle_, image, padding_bytes));
    PHASEBIT_TRY_ASSIGN(loaded, device_.load(cubin));
    module = modules_.emplace(place, loaded).first;
  }
  PHASEBIT_TRY_ASSIGN(function,
                      device_.function(module->second, image.entry, dynamic_shared_bytes));
  return functions_.emplace(key, function).first->second;
}

int LoadedModules::possible_padding(const launch::Image& image, int wanted_bytes) const {
  return wanted_bytes != 0 && launch::can_be_padded(bundle_, image) ? wanted_bytes : 0;
}

}  // namespace phasebit::bench::point
